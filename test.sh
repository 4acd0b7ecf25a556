#!/bin/sh
# Runs all tests: FMU libraries, Rust tests, Python harness (fmpy, a host in C), Python package, Rust importer, 3-D page
# in a browser. `./test.sh platforms` instead tests the libraries for Windows and 64-bit ARM, archives and wheels, with
# Wine and qemu.
#
# Needs cargo, a C compiler with its linker tools, and Python 3.11 or later; installs everything else in target/.
# Continues after a failure, lists all failures at the end, and exits with 1.
set -u
cd "$(dirname "$0")" || exit 1

start=$(date +%s)
failed=""

# run NAME COMMAND...: runs one group of tests and records its failure.
run() {
    name=$1
    shift
    printf '\n==== %s (after %s s)\n' "$name" "$(($(date +%s) - start))"
    if "$@" </dev/null; then
        return 0
    fi
    printf '==== %s FAILED\n' "$name"
    failed="$failed
  $name"
    return 1
}

# beside COMMAND...: starts a command in the background. `joined` waits for it, prints its output and returns its exit
# code.
beside() {
    log=$(mktemp)
    "$@" </dev/null >"$log" 2>&1 &
    beside=$!
}
joined() {
    wait $beside
    code=$?
    cat "$log"
    rm "$log"
    return $code
}

finish() {
    printf '\n==== %s s\n' "$(($(date +%s) - start))"
    if [ -n "$failed" ]; then
        printf 'FAILED:%s\n' "$failed"
        exit 1
    fi
    echo 'All tests passed.'
    exit 0
}

case ${1:-} in
    '' | platforms) ;;
    *)
        echo "usage: ./test.sh [platforms]" >&2
        exit 2
        ;;
esac

for tool in cc objdump; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        run "install $tool" apt-get install -y gcc binutils || finish
    fi
done
# Debian packages of two megabytes: the C sources of FMUs are translated by wasm2c, and compiled by a quick compiler.
for tool in wasm2c tcc; do
    command -v $tool >/dev/null 2>&1 || run "install $tool" apt-get install -y --no-install-recommends wabt tcc
done
# Runners for the libraries of other platforms: Debian packages of about 150 MB, therefore not part of the other tests.
runners() {
    wine=/usr/lib/wine/wine64
    if command -v qemu-aarch64 && { command -v wine64 || command -v wine || [ -x $wine ]; } && command -v aarch64-linux-gnu-gcc &&
        command -v x86_64-w64-mingw32-gcc-posix; then
        return 0
    fi
    apt-get install -y --no-install-recommends wine64 qemu-user gcc-mingw-w64-x86-64-posix gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
        gcc-arm-linux-gnueabihf libc6-dev-armhf-cross clang wabt
}
if [ "${1:-}" = platforms ]; then
    run 'tools' ./scripts/tools.sh || finish
    run 'Wine, qemu, cross compilers' runners || finish
    run 'libraries, archives, wheels' ./scripts/package.sh || finish
    run 'platforms' target/venv/bin/python -m pytest -n 2 tests/platforms
    finish
fi

# One command compiles everything once: libraries, program, tests, examples, benchmarks, and the Python module for any
# interpreter. A different choice of packages or features would compile half of it again. Meanwhile the tools are
# installed, the portable library of exported FMUs is built (CI links it from the output of this build), and the core of
# their C sources.
export PYO3_BUILD_EXTENSION_MODULE=1
portable() { ./scripts/platforms.sh x86_64-linux; }
build() {
    { ./scripts/tools.sh && { [ -n "${BALLESTA_RELINK:-}" ] || portable; }; } &
    meanwhile=$!
    cargo build --release --locked --workspace --features full --all-targets || { wait $meanwhile; return 1; }
    wait $meanwhile && { [ -z "${BALLESTA_RELINK:-}" ] || portable; }
}
beside ./scripts/platforms.sh c-sources
run 'build' build || finish
run 'core of C sources' joined

# importer ARGUMENTS...: `cargo test` of the importer in Rust. The crate `fmi` generates its bindings with libclang, a
# Python package without clang's headers; the headers of the C compiler work as well.
importer() {
    clang='import clang, os; print(os.path.join(clang.__path__[0], "native"))'
    LIBCLANG_PATH=$(target/venv/bin/python -c "$clang") || return 1
    BINDGEN_EXTRA_CLANG_ARGS="-I$(cc -print-file-name=include)"
    export LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
    cargo test --locked --manifest-path tests/importer/Cargo.toml --target-dir target/importer "$@"
}

# The first build of the README leaves parts of the program out.
run 'first build' cargo check --locked -p ballesta-cli
# The importer is compiled on the core that long Rust tests leave idle.
beside importer --no-run
run 'Rust tests' cargo test --release --locked --workspace --features full --no-fail-fast
# This build makes the shared test data again: FMUs and trajectories of the gallery.
export BALLESTA_BUILT=1 BALLESTA_GALLERY="${CARGO_TARGET_DIR:-target}/gallery"
rm -rf "$BALLESTA_GALLERY"
# CalculiX for the harness: a Debian package of a few megabytes.
command -v ccx >/dev/null 2>&1 || run 'install CalculiX' apt-get install -y --no-install-recommends calculix-ccx
run 'Python harness' target/venv/bin/python -m pytest -n 2 --durations=30 tests/harness
run 'Python module' ./scripts/python.sh --as-tests && run 'Python package' target/venv/bin/python -m pytest -n 2 tests/python

run 'importer build' joined && run 'importer in Rust' importer

# The 3-D page in Chromium from Debian, with software WebGL.
browser() {
    chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
    [ -n "$chromium" ] || apt-get install -y --no-install-recommends chromium || return 1
    command -v npm >/dev/null 2>&1 || apt-get install -y --no-install-recommends nodejs npm || return 1
    mkdir -p target/browser && cp tests/browser/package.json tests/browser/package-lock.json tests/browser/.npmrc target/browser/ || return 1
    (cd target/browser && npm ci) || return 1
    node --test --test-concurrency=1 --test-reporter=spec tests/browser/*.test.mjs
}
run 'browser' browser

finish
