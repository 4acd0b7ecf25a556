#!/bin/sh
# Runs every test: the libraries of the FMU, the Rust tests, the Python harness (fmpy, a host in C), the Python package, the importer in Rust,
# the 3-D page in a browser.
# `./test.sh platforms` runs those of the libraries for Windows and 64-bit ARM, of archives and of wheels instead, with Wine and qemu.
#
# Needs cargo, a C compiler with its linker tools, and Python 3.11 or later; everything else is installed below target/.
# Goes on after a failed test, lists at the end what failed, and then exits with 1.
set -u
cd "$(dirname "$0")" || exit 1

start=$(date +%s)
failed=""

# run NAME COMMAND...: runs one group of tests, and remembers its failure.
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
# What loads the libraries of other platforms: from Debian, some 150 MB, and so not part of the other tests.
runners() {
    wine=/usr/lib/wine/wine64
    if command -v qemu-aarch64 && { command -v wine64 || command -v wine || [ -x $wine ]; } && command -v aarch64-linux-gnu-gcc &&
        command -v x86_64-w64-mingw32-gcc-posix; then
        return 0
    fi
    apt-get install -y --no-install-recommends wine64 qemu-user gcc-mingw-w64-x86-64-posix gcc-aarch64-linux-gnu libc6-dev-arm64-cross
}
if [ "${1:-}" = platforms ]; then
    run 'tools' ./scripts/tools.sh || finish
    run 'Wine, qemu, cross compilers' runners || finish
    run 'libraries, archives, wheels' ./scripts/package.sh || finish
    run 'platforms' target/venv/bin/python -m pytest -n 2 tests/platforms
    finish
fi

# Everything is compiled once, by one command: libraries, the program, tests, examples, benchmarks, and the Python module for any
# interpreter. Another choice of packages or features would compile half of it again. The tools, and the portable library that what the
# tests export holds, come meanwhile; CI links the latter from what is compiled here.
export PYO3_BUILD_EXTENSION_MODULE=1
portable() { ./scripts/platforms.sh x86_64-linux; }
build() {
    { ./scripts/tools.sh && { [ -n "${BALLESTA_RELINK:-}" ] || portable; }; } &
    meanwhile=$!
    cargo build --release --locked --workspace --features full --all-targets || { wait $meanwhile; return 1; }
    wait $meanwhile && { [ -z "${BALLESTA_RELINK:-}" ] || portable; }
}
run 'build' build || finish
run 'Rust tests' cargo test --release --locked --workspace --features full --no-fail-fast
# What the tests share is made anew from the program of this build: FMUs and trajectories of the gallery.
export BALLESTA_BUILT=1 BALLESTA_GALLERY="${CARGO_TARGET_DIR:-target}/gallery"
rm -rf "$BALLESTA_GALLERY"
# CalculiX for the harness: from Debian, a few megabytes, a few seconds.
command -v ccx >/dev/null 2>&1 || run 'install CalculiX' apt-get install -y --no-install-recommends calculix-ccx
run 'Python harness' target/venv/bin/python -m pytest -n 2 tests/harness
run 'Python module' ./scripts/python.sh --as-tests && run 'Python package' target/venv/bin/python -m pytest -n 2 tests/python

# The crate `fmi` generates its bindings with libclang, which comes as a Python package without the headers of clang;
# those of the C compiler serve as well.
importer() {
    LIBCLANG_PATH=$(target/venv/bin/python -c 'import clang, os; print(os.path.join(clang.__path__[0], "native"))') || return 1
    BINDGEN_EXTRA_CLANG_ARGS="-I$(cc -print-file-name=include)"
    export LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
    cargo test --locked --manifest-path tests/importer/Cargo.toml --target-dir target/importer
}
run 'importer in Rust' importer

# The 3-D page in Chromium from Debian, which computes WebGL without a graphics card.
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
