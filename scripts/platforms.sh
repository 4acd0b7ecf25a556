#!/bin/sh
# Builds the library of an FMU for other platforms: target/platforms/PLATFORM/, with a manifest.json that says what was built from what.
# `ballesta export` packs every library of the manifest that was built from the sources as they are.
#
#     scripts/platforms.sh                               all: x86_64-linux aarch64-linux x86_64-windows
#     scripts/platforms.sh x86_64-windows                one
#     scripts/platforms.sh --sources                     prints the fingerprint of the sources, and builds nothing
#
# x86_64-linux, aarch64-linux: linked by Zig against glibc 2.17 (the year 2012), where a library that the system's linker makes needs the C
# library of the machine it was built on. x86_64-windows: linked by mingw-w64, with libgcc inside. Standard libraries for other platforms come
# from rustup; where rustup cannot get them, from Debian's packages rustc-web and rust-web-src, unpacked below target/ and compiled
# along (BALLESTA_TOOLCHAIN=rustup or debian takes one of the two and tries no other). The code is that of `ballesta export`, and so are its results.
#
# A library that is up to date is left alone. It takes its place and its entry only when it is complete and has passed the checks of
# scripts/library_manifest.py. Exit codes: 0 all are there; 1 one could not be built or is not as it should be; 2 wrong arguments;
# 3 a toolchain cannot be had. The others are built all the same.
set -eu
cd "$(dirname "$0")/.."

all="x86_64-linux aarch64-linux x86_64-windows"

# What decides the library. src/package/sources.rs computes the same.
sources() {
    find Cargo.lock Cargo.toml build build.rs rust-toolchain.toml scripts/platforms.sh src -type f \
        ! -path 'src/cli/*' ! -path 'src/importer/*' ! -path 'src/package/*' ! -path src/main.rs |
        LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1
}

for platform in "$@"; do
    case $platform in
        --sources)
            sources
            exit 0
            ;;
        x86_64-linux | aarch64-linux | x86_64-windows) ;;
        *)
            echo "error: unknown platform $platform; known are $all" >&2
            exit 2
            ;;
    esac
done
platforms=${*:-$all}

out=${CARGO_TARGET_DIR:-target}/platforms
mkdir -p "$out"
# Profiles and flags of the caller would make another library than the one that the manifest describes.
for name in $(env | sed -n 's/^\(CARGO_PROFILE_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
# Paths of this machine have no place in a library that others get.
RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$PWD=ballesta"
export RUSTFLAGS

missing() {
    echo "error: no library for $platform: $*" >&2
    return 3
}

# Sets `cargo`: the compiler for the target $1, with its standard library; `build_std`: whether that is compiled along.
compiler() {
    cargo=cargo build_std=''
    if [ "${BALLESTA_TOOLCHAIN:-rustup}" = rustup ]; then
        if [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; then
            return 0
        fi
        if command -v rustup >/dev/null 2>&1 && rustup target add "$1"; then
            return 0
        fi
        if [ -n "${BALLESTA_TOOLCHAIN:-}" ]; then
            missing "rustup has no standard library for $1"
            return
        fi
        echo "note: rustup has no standard library for $1; trying the compiler of Debian" >&2
    fi
    debian_compiler
}

# Debian's compiler with the sources of its standard library, unpacked and not installed: the system's own compiler stays what it is.
debian_compiler() {
    root=$PWD/target/debian
    case $out in /*) root=$out/debian ;; *) root=$PWD/$out/debian ;; esac
    if ! [ -f "$root/complete" ]; then
        if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
            missing 'its standard library comes from rustup, or on Debian from apt-get; neither has it'
            return
        fi
        rm -rf "$root"
        mkdir -p "$root/packages/partial"
        apt-get install -y -qq --download-only --no-install-recommends -o Dir::Cache::archives="$root/packages" \
            rustc-web rust-web-src libstd-rust-web-dev >&2 || {
            missing 'apt-get cannot get the packages rustc-web, rust-web-src and libstd-rust-web-dev'
            return
        }
        for package in "$root"/packages/*.deb; do
            dpkg -x "$package" "$root"
        done
        rm -r "$root/packages"
        touch "$root/complete"
    fi
    cargo=$(rustup which cargo 2>/dev/null || command -v cargo)
    build_std=-Zbuild-std=std,panic_unwind
}

# Cargo with the compiler that `compiler` has found, for the target $1 and what follows.
build() {
    (
        if [ -n "$build_std" ]; then
            LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib
            RUSTC=$root/usr/bin/rustc RUSTC_BOOTSTRAP=1 PATH=$root/usr/bin:$PATH CARGO=$cargo
            export LD_LIBRARY_PATH RUSTC RUSTC_BOOTSTRAP PATH CARGO
        fi
        target=$1 command=$2
        shift 2
        # shellcheck disable=SC2086
        "$command" rustc $build_std --locked --lib --crate-type cdylib --no-default-features --profile fmu \
            --target "$target" --target-dir "$out/build" "$@" >&2 || exit 1
        "${RUSTC:-rustc}" --version >"$out/build/$platform.compiler"
    )
}

linux() {
    target=$1-unknown-linux-gnu
    compiler "$target" || return
    ./scripts/tools.sh >&2 || {
        missing 'Zig, which links it, comes as a Python package; see above'
        return
    }
    zig=$PWD/target/zig
    PATH="$PWD/target/venv/bin:$PATH" ZIG_GLOBAL_CACHE_DIR=$zig/global ZIG_LOCAL_CACHE_DIR=$zig/local \
        CARGO_ZIGBUILD_CACHE_DIR=$zig/cargo-zigbuild build "$target.2.17" cargo-zigbuild || return 1
    linker="Zig $(target/venv/bin/python -m ziglang version), glibc 2.17"
    built=$out/build/$target/fmu/libballesta.so
}

windows() {
    target=x86_64-pc-windows-gnu
    gcc=x86_64-w64-mingw32-gcc-posix
    command -v $gcc >/dev/null 2>&1 || gcc=x86_64-w64-mingw32-gcc
    if ! command -v $gcc >/dev/null 2>&1; then
        gcc=x86_64-w64-mingw32-gcc-posix
        { command -v apt-get >/dev/null 2>&1 && apt-get install -y -qq --no-install-recommends gcc-mingw-w64-x86-64-posix >&2; } || {
            missing 'the linker of mingw-w64 is not here (Debian: apt-get install gcc-mingw-w64-x86-64-posix)'
            return
        }
    fi
    compiler $target || return
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$gcc build $target "$cargo" || return 1
    linker="mingw-w64, gcc $($gcc -dumpfullversion)"
    built=$out/build/$target/fmu/ballesta.dll
}

one() {
    if python3 scripts/library_manifest.py fresh "$out" "$platform" "$(sources)"; then
        echo "$out: the library for $platform is up to date"
        return 0
    fi
    # The fingerprint of what is built; when a source changes meanwhile, the entry is stale from the start.
    before=$(sources)
    case $platform in
        x86_64-windows) windows || return ;;
        *) linux "${platform%-linux}" || return ;;
    esac
    python3 scripts/library_manifest.py add "$out" "$platform" "$built" --sources "$before" \
        --compiler "$(cat "$out/build/$platform.compiler")" --linker "$linker" \
        --flags "cargo rustc --locked --lib --crate-type cdylib --no-default-features --profile fmu --target $target${build_std:+ $build_std}"
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
