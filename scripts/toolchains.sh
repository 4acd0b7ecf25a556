#!/bin/sh
# Toolchains for other platforms. scripts/platforms.sh (libraries of FMUs) and scripts/package.sh (programs) source this
# file from the root of the source tree. Before a call of `linux`, `windows`, `macos` or `wasm` they set:
#
#     out        output folder, also for Cargo
#     platform   name for messages
#     what       packages and targets, as Cargo arguments
#     profile    Cargo profile: `fmu` for libraries, `live` for live pages, `program` for the rest; each has its own folder
#
# `linux CPU`, `windows`, `macos CPU`, `wasm` and `c_sources` set `target` (Rust's name of the platform), `linker`, `folder`
# (of the result) and `flags` (the command). They return 1 if the build fails, 3 if a toolchain is not available.

# Profiles and flags of the caller would change the library that the manifest describes. A workspace wrapper changes the
# symbol names, and so their order.
for name in $(env | sed -n 's/^\(CARGO_PROFILE_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset RUSTFLAGS RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET
# Removes the paths of this machine. They may contain blanks, which would separate flags in RUSTFLAGS.
CARGO_ENCODED_RUSTFLAGS=$(printf '%s\037%s' "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" "--remap-path-prefix=$PWD=ballesta")
export CARGO_ENCODED_RUSTFLAGS

missing() {
    echo "error: cannot build for $platform: $*" >&2
    return 3
}

# Sets `cargo`, the compiler for the target $1 with its standard library, and `build_std`, the flag to compile that
# library.
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
        echo "note: rustup has no standard library for $1; trying Debian's compiler" >&2
    fi
    debian_compiler "$1"
}

# Debian's compiler with the sources of its standard library, unpacked, not installed: the system's compiler is
# unchanged.
debian_compiler() {
    root=$PWD/target/debian
    case $out in /*) root=$out/debian ;; *) root=$PWD/$out/debian ;; esac
    if ! [ -f "$root/complete" ]; then
        if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg >/dev/null 2>&1; then
            missing 'no standard library from rustup, and no apt-get (Debian) to install one'
            return
        fi
        rm -rf "$root"
        mkdir -p "$root/packages/partial"
        apt-get install -y -qq --download-only --no-install-recommends -o Dir::Cache::archives="$root/packages" \
            rustc-web rust-web-src libstd-rust-web-dev >&2 || {
            missing 'apt-get cannot download rustc-web, rust-web-src and libstd-rust-web-dev'
            return
        }
        for package in "$root"/packages/*.deb; do
            dpkg -x "$package" "$root"
        done
        rm -r "$root/packages"
        touch "$root/complete"
    fi
    cargo=$(rustup which cargo 2>/dev/null || command -v cargo)
    # WebAssembly aborts on a panic; the other platforms unwind.
    case $1 in wasm*) build_std=-Zbuild-std=std,panic_abort ;; *) build_std=-Zbuild-std=std,panic_unwind ;; esac
}

# Runs Cargo with the compiler of `compiler` for the target $1; $2 is the command, the rest its arguments.
build() {
    (
        if [ -n "$build_std" ]; then
            # Debian's compiler has no linker for WebAssembly; that of this machine's compiler serves it.
            linkers=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin
            LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib
            RUSTC=$root/usr/bin/rustc RUSTC_BOOTSTRAP=1 PATH=$root/usr/bin:$PATH:$linkers CARGO=$cargo
            export LD_LIBRARY_PATH RUSTC RUSTC_BOOTSTRAP PATH CARGO
        fi
        target=$1 command=$2
        shift 2
        # shellcheck disable=SC2086
        "$command" rustc $build_std --locked $what --profile "$profile" --target "$target" --target-dir "$out/build" "$@" >&2 || exit 1
        "${RUSTC:-rustc}" --version >"$out/build/$platform.compiler"
    )
}

# Sets `folder` and `flags` after a build.
describe() {
    folder=$out/build/$target/$profile
    # Variables instead of the paths of this machine.
    # shellcheck disable=SC2016
    flags='RUSTFLAGS="--remap-path-prefix=$CARGO_HOME=cargo --remap-path-prefix=$PWD=ballesta"'
    flags="$flags cargo rustc --locked $what --profile $profile --target $target${build_std:+ $build_std}"
}

# Runs a command with Zig in PATH.
with_zig() {
    ./scripts/tools.sh >&2 || {
        missing 'Zig (a Python package) could not be installed; see above'
        return
    }
    zig=$PWD/target/zig
    PATH="$PWD/target/venv/bin:$PATH" ZIG_GLOBAL_CACHE_DIR=$zig/global ZIG_LOCAL_CACHE_DIR=$zig/local \
        CARGO_ZIGBUILD_CACHE_DIR=$zig/cargo-zigbuild "$@" || return 1
    linker="Zig $(target/venv/bin/python -m ziglang version), glibc 2.17"
}

linux() {
    target=$1-unknown-linux-gnu
    compiler "$target" || return
    with_zig build "$target.2.17" cargo-zigbuild || return
    describe
}

# Links the output of `cargo build --release`, for the processor of this machine.
relinux() {
    folder=$out/build/relinked release=${CARGO_TARGET_DIR:-target}/release
    mkdir -p "$folder"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nexec cargo-zigbuild zig cc -- -target %s-linux-gnu.2.17 "$@"\n' "$1" >"$folder/cc"
    chmod +x "$folder/cc"
    echo 'extern crate ballesta;' >"$folder/fmu.rs"
    with_zig rustc --edition 2024 --crate-type cdylib --crate-name fmu -C strip=symbols \
        -C linker="$folder/cc" -C linker-flavor=gcc -C link-arg=-Wl,-soname,libballesta.so \
        -L dependency="$release/deps" --extern ballesta="$release/libballesta.rlib" \
        -o "$folder/libballesta.so" "$folder/fmu.rs" || return
    rustc --version >"$out/build/$platform.compiler"
    flags='linked from what cargo build --release left'
}

windows() {
    target=x86_64-pc-windows-gnu
    gcc=x86_64-w64-mingw32-gcc-posix
    command -v $gcc >/dev/null 2>&1 || gcc=x86_64-w64-mingw32-gcc
    if ! command -v $gcc >/dev/null 2>&1; then
        gcc=x86_64-w64-mingw32-gcc-posix
        { command -v apt-get >/dev/null 2>&1 && apt-get install -y -qq --no-install-recommends gcc-mingw-w64-x86-64-posix >&2; } || {
            missing 'mingw-w64 is missing (Debian: apt-get install gcc-mingw-w64-x86-64-posix)'
            return
        }
    fi
    compiler $target || return
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$gcc build $target "$cargo" -- -Clink-arg=-Wl,--no-insert-timestamp || return 1
    linker="mingw-w64, gcc $($gcc -dumpfullversion)"
    describe
}

# The library as WebAssembly, with 256 KiB of stack and the relocations from which the script learns what each function
# names, as C. wasm2c is a Debian package.
c_sources() {
    if ! command -v wasm2c >/dev/null 2>&1; then
        { command -v apt-get >/dev/null 2>&1 && apt-get install -y -qq --no-install-recommends wabt >&2; } || {
            missing 'wasm2c is missing (Debian: apt-get install wabt)'
            return
        }
    fi
    target=wasm32-unknown-unknown
    compiler $target || return
    build $target "$cargo" -- -Clink-arg=-zstack-size=262144 -Cstrip=none -Clink-arg=--emit-relocs || return 1
    linker='rust-lld, wasm2c 1.0.32'
    describe
    python3 scripts/c_sources/generate.py "$folder/ballesta.wasm" "$folder/c-sources.zip" || return 1
}

# Zig contains the symbols of libSystem, the only library that is needed: Apple's SDK is not required. rustc would search
# for the SDK with `xcrun`, which SDKROOT prevents.
macos() {
    target=$1-apple-darwin
    compiler "$target" || return
    with_zig build_for_macos || return
    linker="Zig $(target/venv/bin/python -m ziglang version), macOS 11.0"
    describe
}

build_for_macos() {
    (
        SDKROOT=$(python -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "lib/libc/darwin"))') || exit 1
        MACOSX_DEPLOYMENT_TARGET=11.0
        export SDKROOT MACOSX_DEPLOYMENT_TARGET
        build "$target" cargo-zigbuild
    )
}

# The compiler includes the linker; no system package is needed.
wasm() {
    target=wasm32-unknown-unknown
    compiler $target || return
    ./scripts/tools.sh >&2 || {
        missing 'Zopfli (a Python package) could not be installed; see above'
        return
    }
    # shellcheck disable=SC2034
    python=target/venv/bin/python
    build $target "$cargo" || return 1
    linker=rust-lld
    describe
}
