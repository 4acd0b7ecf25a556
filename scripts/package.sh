#!/bin/sh
# Builds archives and Python wheels in dist/, which install ballesta without source tree and compiler.
#
#     scripts/package.sh                                 for x86_64-linux aarch64-linux x86_64-windows
#     scripts/package.sh x86_64-windows                  one platform; it still contains the FMU libraries of all platforms
#
# scripts/platforms.sh builds the libraries. The same toolchains build the program and the Python module: Zig links
# against glibc 2.17 for Linux, mingw-w64 links for Windows. Program and module contain the fingerprint of the library
# sources and reject other libraries. scripts/archives.py checks the system requirements and writes the files; equal
# inputs give equal bytes.
#
# Exit codes, as for scripts/platforms.sh: 0 success; 1 a build or a check failed; 2 wrong arguments; 3 a toolchain is
# not available.
set -eu
cd "$(dirname "$0")/.."

all="x86_64-linux aarch64-linux x86_64-windows"
for platform in "$@"; do
    case $platform in
        x86_64-linux | aarch64-linux | x86_64-windows) ;;
        *)
            echo "error: unknown platform $platform; expected one of $all" >&2
            exit 2
            ;;
    esac
done
platforms=${*:-$all}

./scripts/platforms.sh
out=${CARGO_TARGET_DIR:-target}/platforms
BALLESTA_SOURCES=$(./scripts/platforms.sh --sources)
BALLESTA_PAGE_SOURCES=$(./scripts/platforms.sh --page-sources)
BALLESTA_PACKER_SOURCES=$(./scripts/platforms.sh --packer-sources)
BALLESTA_C_SOURCES=$(./scripts/platforms.sh --c-sources)
export BALLESTA_SOURCES BALLESTA_PAGE_SOURCES BALLESTA_PACKER_SOURCES BALLESTA_C_SOURCES
. scripts/toolchains.sh

# The module uses the stable ABI of Python 3.10, which all later versions load: the build needs no interpreter of the
# platform.
export PYO3_BUILD_EXTENSION_MODULE=1 PYO3_NO_PYTHON=1

# make WORDS: builds the named targets for $platform.
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
        python3 scripts/archives.py "$platform" --program "$program" --module "$module" --libraries "$out" --out dist \
            --sources "$BALLESTA_SOURCES" --page-sources "$BALLESTA_PAGE_SOURCES" \
            --packer-sources "$BALLESTA_PACKER_SOURCES" --c-sources "$BALLESTA_C_SOURCES" || code=$?
    fi
    if [ $code -gt "${status:-0}" ]; then
        status=$code
    fi
done
exit "${status:-0}"
