#!/bin/sh
# Builds the library of an FMU for other platforms in target/platforms/PLATFORM/, with a manifest.json that records
# sources and tools. `ballesta export` packs every library of the manifest that was built from the current sources.
#
#     scripts/platforms.sh                               all: x86_64-linux aarch64-linux x86_64-windows x86_64-darwin aarch64-darwin
#                                                        wasm32 wasm32-packer c-sources
#     scripts/platforms.sh x86_64-windows                one
#     scripts/platforms.sh wasm32                        library of live pages (`ballesta view --live`), WebAssembly compressed as gzip
#     scripts/platforms.sh wasm32-packer                 library that writes FMUs in pages (`ballesta edit --with-fmu`), likewise
#     scripts/platforms.sh c-sources                     core of C sources (`ballesta export --sources`), translated by wasm2c
#     scripts/platforms.sh --sources                     prints the fingerprint of the sources of FMU libraries and exits
#     scripts/platforms.sh --page-sources                prints the fingerprint of the sources of the page library and exits
#     scripts/platforms.sh --packer-sources              prints the fingerprint of the sources of the library wasm32-packer and exits
#     scripts/platforms.sh --c-sources                   prints the fingerprint of the sources of the core of C sources and exits
#
# x86_64-linux, aarch64-linux: linked by Zig against glibc 2.17 (2012); the system's linker would require the C library
# of the build machine. x86_64-windows: linked by mingw-w64, with libgcc included. x86_64-darwin, aarch64-darwin: linked
# by Zig for macOS 11 (2020); scripts/library_manifest.py checks them, but no test runs them. Standard libraries for other
# platforms come from rustup or, if rustup has none, from Debian's packages rustc-web and rust-web-src, unpacked in
# target/ and compiled too. BALLESTA_TOOLCHAIN=rustup or debian selects one of the two. Code and results are the same as
# for `ballesta export`.
#
# BALLESTA_RELINK, for tests: links the Linux library for this machine's processor from the output of `cargo build
# --release`, in a second, and compiles the core of C sources in half the time (profile quick). .ci/run sets it, with the flags that remove this machine's paths.
#
# Libraries that are up to date are not rebuilt. A new library replaces the old one only after it has passed the checks
# of scripts/library_manifest.py. Exit codes: 0 success; 1 a build or a check failed; 2 wrong arguments; 3 a toolchain
# is not available. A failure does not stop the other builds.
set -eu
cd "$(dirname "$0")/.."

all="x86_64-linux aarch64-linux x86_64-windows x86_64-darwin aarch64-darwin wasm32 wasm32-packer c-sources"

# Fingerprints of the sources of FMU libraries, of the two libraries of pages and of the core of C sources;
# crates/package/src/sources.rs computes the same values.
fmu_parts="Cargo.lock Cargo.toml build build.rs crates/compile/Cargo.toml crates/compile/src \
    crates/model-derive/Cargo.toml crates/model-derive/src crates/model/Cargo.toml crates/model/src \
    crates/solver/Cargo.toml crates/solver/src rust-toolchain.toml scripts/platforms.sh scripts/toolchains.sh src"
shared_parts="crates/files/Cargo.toml crates/files/src crates/live/Cargo.toml crates/live/src crates/mesh/Cargo.toml \
    crates/mesh/src crates/pictures/Cargo.toml crates/pictures/src crates/run/Cargo.toml crates/run/src"
page_parts="crates/workshop/Cargo.toml crates/workshop/src"
packer_parts="crates/package/Cargo.toml crates/package/src crates/packer/Cargo.toml crates/packer/src"

fingerprint() {
    find "$@" -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

# sources PLATFORM: the fingerprint for its library.
sources() {
    # shellcheck disable=SC2086
    case $1 in
        wasm32) fingerprint $fmu_parts $shared_parts $page_parts ;;
        wasm32-packer) fingerprint $fmu_parts $shared_parts $packer_parts ;;
        c-sources) fingerprint $fmu_parts scripts/c_sources ;;
        *) fingerprint $fmu_parts ;;
    esac
}

for platform in "$@"; do
    case $platform in
        --sources)
            sources fmu
            exit 0
            ;;
        --page-sources)
            sources wasm32
            exit 0
            ;;
        --packer-sources)
            sources wasm32-packer
            exit 0
            ;;
        --c-sources)
            sources c-sources
            exit 0
            ;;
        x86_64-linux | aarch64-linux | x86_64-windows | x86_64-darwin | aarch64-darwin | wasm32 | wasm32-packer | c-sources) ;;
        *)
            echo "error: unknown platform $platform; expected one of $all" >&2
            exit 2
            ;;
    esac
done
platforms=${*:-$all}

out=${CARGO_TARGET_DIR:-target}/platforms
mkdir -p "$out"
. scripts/toolchains.sh

one() {
    if python3 scripts/library_manifest.py fresh "$out" "$platform" "$(sources "$platform")"; then
        echo "$out: the library for $platform is up to date"
        return 0
    fi
    # The fingerprint before the build: if a source changes during the build, the entry is stale.
    before=$(sources "$platform")
    what='--package ballesta --lib --crate-type cdylib' profile=fmu python=python3
    # shellcheck disable=SC2154
    case $platform in
        wasm32) what='--package ballesta-workshop --lib --crate-type cdylib' profile=live && wasm && built=$folder/ballesta_workshop.wasm || return ;;
        wasm32-packer) what='--package ballesta-packer --lib --crate-type cdylib' profile=live && wasm && built=$folder/ballesta_packer.wasm || return ;;
        c-sources)
            what="$what --features portable" profile=live
            [ -z "${BALLESTA_RELINK:-}" ] || profile=quick
            c_sources && built=$folder/c-sources.zip || return
            ;;
        x86_64-windows) windows && built=$folder/ballesta.dll || return ;;
        *-darwin) macos "${platform%-darwin}" && built=$folder/libballesta.dylib || return ;;
        *) ${BALLESTA_RELINK:+re}linux "${platform%-linux}" && built=$folder/libballesta.so || return ;;
    esac
    "$python" scripts/library_manifest.py add "$out" "$platform" "$built" --sources "$before" \
        --compiler "$(cat "$out/build/$platform.compiler")" --linker "$linker" --flags "$flags"
}

status=0
for platform in $platforms; do
    code=0
    one || code=$?
    # A missing toolchain has the highest code, because the user can fix it.
    if [ $code -gt $status ]; then
        status=$code
    fi
done
exit $status
