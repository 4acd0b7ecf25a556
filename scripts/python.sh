#!/bin/sh
# Builds the Python package in target/python/ballesta, for tests and development.
#
#     scripts/python.sh && PYTHONPATH=target/python python3 -c 'import ballesta; print(ballesta.load("pendulum"))'
#     scripts/python.sh --as-tests       reuses the build of the Rust tests, as in ./test.sh
#
# The wheels of scripts/package.sh contain the same files.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}

# Without this variable, the module would be linked with the current interpreter and would run with no other.
export PYO3_BUILD_EXTENSION_MODULE=1
case ${1:-} in
    # Cargo unifies the features of all packages built together.
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
