#!/bin/sh
# Builds the library of an FMU for other platforms: target/platforms/PLATFORM/, with a manifest.json that says what was built from what.
# `ballesta export` packs every library of the manifest that was built from the sources as they are.
#
#     scripts/platforms.sh                               all: x86_64-linux aarch64-linux x86_64-windows wasm32
#     scripts/platforms.sh x86_64-windows                one
#     scripts/platforms.sh wasm32                        that of live pages (`ballesta view --live`), WebAssembly compressed as gzip
#     scripts/platforms.sh --sources                     prints the fingerprint of the sources, and builds nothing
#
# x86_64-linux, aarch64-linux: linked by Zig against glibc 2.17 (the year 2012), where a library that the system's linker makes needs the C
# library of the machine it was built on. x86_64-windows: linked by mingw-w64, with libgcc inside. Standard libraries for other platforms come
# from rustup; where rustup cannot get them, from Debian's packages rustc-web and rust-web-src, unpacked below target/ and compiled
# along (BALLESTA_TOOLCHAIN=rustup or debian takes one of the two and tries no other). The code is that of `ballesta export`, and so are its results.
#
# With BALLESTA_RELINK the library for Linux on this machine's processor is linked from what `cargo build --release` has left, in a
# second: for tests. .ci/run sets it, with the flags that take this machine's paths out.
#
# A library that is up to date is left alone. It takes its place and its entry only when it is complete and has passed the checks of
# scripts/library_manifest.py. Exit codes: 0 all are there; 1 one could not be built or is not as it should be; 2 wrong arguments;
# 3 a toolchain cannot be had. The others are built all the same.
set -eu
cd "$(dirname "$0")/.."

all="x86_64-linux aarch64-linux x86_64-windows wasm32"

# What decides the library. crates/package/src/sources.rs computes the same.
sources() {
    find Cargo.lock Cargo.toml build build.rs crates/live/Cargo.toml crates/live/src rust-toolchain.toml scripts/platforms.sh scripts/toolchains.sh src -type f |
        LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

for platform in "$@"; do
    case $platform in
        --sources)
            sources
            exit 0
            ;;
        x86_64-linux | aarch64-linux | x86_64-windows | wasm32) ;;
        *)
            echo "error: unknown platform $platform; known are $all" >&2
            exit 2
            ;;
    esac
done
platforms=${*:-$all}

out=${CARGO_TARGET_DIR:-target}/platforms
mkdir -p "$out"
. scripts/toolchains.sh

one() {
    if python3 scripts/library_manifest.py fresh "$out" "$platform" "$(sources)"; then
        echo "$out: the library for $platform is up to date"
        return 0
    fi
    # The fingerprint of what is built; when a source changes meanwhile, the entry is stale from the start.
    before=$(sources)
    what='--package ballesta --lib --crate-type cdylib' profile=fmu python=python3
    # shellcheck disable=SC2154
    case $platform in
        wasm32) what='--package ballesta-live --lib --crate-type cdylib' profile=live && wasm && built=$folder/ballesta_live.wasm || return ;;
        x86_64-windows) windows && built=$folder/ballesta.dll || return ;;
        *) ${BALLESTA_RELINK:+re}linux "${platform%-linux}" && built=$folder/libballesta.so || return ;;
    esac
    "$python" scripts/library_manifest.py add "$out" "$platform" "$built" --sources "$before" \
        --compiler "$(cat "$out/build/$platform.compiler")" --linker "$linker" --flags "$flags"
}

status=0
for platform in $platforms; do
    code=0
    one || code=$?
    # A missing toolchain is what the user can do something about: it is what the exit code tells.
    if [ $code -gt $status ]; then
        status=$code
    fi
done
exit $status
