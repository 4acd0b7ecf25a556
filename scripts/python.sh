#!/bin/sh
# Builds the Python package as a folder that Python can import from: target/python/ballesta, for tests and for work on it.
#
#     scripts/python.sh && PYTHONPATH=target/python python3 -c 'import ballesta; print(ballesta.load("pendulum"))'
#     scripts/python.sh --as-tests       with what the Rust tests have compiled; ./test.sh does
#
# The wheels of scripts/package.sh hold the same files.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}

# Without it the module would be linked with the interpreter that is at hand, and run with no other.
export PYO3_BUILD_EXTENSION_MODULE=1
case ${1:-} in
    # The features of crates are those of all that is built together.
    --as-tests) cargo build --release --locked --workspace --features full --all-targets ;;
    *) cargo build --release --locked -p ballesta-python ;;
esac

package=$target/python/ballesta
rm -rf "$package"
mkdir -p "$package"
cp python/ballesta/*.py python/ballesta/*.pyi python/ballesta/py.typed "$package/"
case $(uname -s) in
    Darwin) cp "$target/release/lib_native.dylib" "$package/_native.abi3.so" ;;
    MINGW* | MSYS*) cp "$target/release/_native.dll" "$package/_native.pyd" ;;
    *) cp "$target/release/lib_native.so" "$package/_native.abi3.so" ;;
esac
