#!/bin/sh
# Makes what installs ballesta without a source tree and without a compiler: archives and Python wheels below dist/.
#
#     scripts/package.sh                                 for x86_64-linux aarch64-linux x86_64-windows
#     scripts/package.sh x86_64-windows                  for one; the libraries of FMUs in it are those of all platforms all the same
#
# The libraries come from scripts/platforms.sh, the program and the module of the Python package from the same toolchains: linked by Zig against glibc 2.17
# for Linux, by mingw-w64 for Windows. Program and module hold the fingerprint of the sources of their libraries, and refuse others. scripts/archives.py
# checks what they need of a system and writes the files; the same program, module and libraries give the same bytes.
#
# Exit codes are those of scripts/platforms.sh: 0 all are there; 1 one could not be built or is not as it should be; 2 wrong arguments;
# 3 a toolchain cannot be had.
set -eu
cd "$(dirname "$0")/.."

all="x86_64-linux aarch64-linux x86_64-windows"
for platform in "$@"; do
    case $platform in
        x86_64-linux | aarch64-linux | x86_64-windows) ;;
        *)
            echo "error: unknown platform $platform; known are $all" >&2
            exit 2
            ;;
    esac
done
platforms=${*:-$all}

./scripts/platforms.sh
out=${CARGO_TARGET_DIR:-target}/platforms
BALLESTA_SOURCES=$(./scripts/platforms.sh --sources)
export BALLESTA_SOURCES
. scripts/toolchains.sh

# A module with the stable interface of Python 3.10, which every later one loads: no interpreter of the platform is needed to build it.
export PYO3_BUILD_EXTENSION_MODULE=1 PYO3_NO_PYTHON=1

# make WORDS: builds what they name for $platform.
# shellcheck disable=SC2034
make() {
    what=$1 profile=program
    case $platform in
        x86_64-windows) windows ;;
        *) linux "${platform%-linux}" ;;
    esac
}

for platform in $platforms; do
    code=0
    make '--package ballesta-cli --features full --bin ballesta' && make '--package ballesta-python --lib' || code=$?
    if [ $code -eq 0 ]; then
        # shellcheck disable=SC2154
        case $platform in
            x86_64-windows) program=$folder/ballesta.exe module=$folder/_native.dll ;;
            *) program=$folder/ballesta module=$folder/lib_native.so ;;
        esac
        python3 scripts/archives.py "$platform" --program "$program" --module "$module" --libraries "$out" --sources "$BALLESTA_SOURCES" --out dist || code=$?
    fi
    if [ $code -gt "${status:-0}" ]; then
        status=$code
    fi
done
exit "${status:-0}"
