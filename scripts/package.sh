#!/bin/sh
# Makes what installs ballesta without a source tree and without a compiler: archives and Python wheels below dist/.
#
#     scripts/package.sh                                 for x86_64-linux aarch64-linux x86_64-windows
#     scripts/package.sh x86_64-windows                  for one; the libraries of FMUs in it are those of all platforms all the same
#
# The libraries come from scripts/platforms.sh, the program from the same toolchains: linked by Zig against glibc 2.17 for Linux, by mingw-w64 for
# Windows. The program holds the fingerprint of the sources of its libraries, and refuses others. scripts/archives.py checks what the program needs of a
# system and writes the files; the same program and libraries give the same bytes.
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

# shellcheck disable=SC2034
what='--bin ballesta' profile=program
for platform in $platforms; do
    code=0
    # shellcheck disable=SC2154
    case $platform in
        x86_64-windows) windows && program=$folder/ballesta.exe || code=$? ;;
        *) linux "${platform%-linux}" && program=$folder/ballesta || code=$? ;;
    esac
    if [ $code -eq 0 ]; then
        python3 scripts/archives.py "$platform" --program "$program" --libraries "$out" --sources "$BALLESTA_SOURCES" --out dist || code=$?
    fi
    if [ $code -gt "${status:-0}" ]; then
        status=$code
    fi
done
exit "${status:-0}"
