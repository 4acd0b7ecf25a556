#!/bin/sh
# Toolchains for other platforms, for scripts/platforms.sh (libraries of FMUs) and scripts/package.sh (programs); read by them with `.`, from the
# root of the source tree. They set, before a call of `linux`, `windows` or `wasm`:
#
#     out        folder of what is built, below which Cargo builds
#     platform   for messages
#     what       what Cargo builds: words of its command line
#     profile    of Cargo.toml: `fmu` for libraries, `live` for that of live pages, `program` for the rest. A profile is a folder: the library that is made along with a program stays apart
#
# `linux CPU`, `windows` and `wasm` leave in `target` the name of the platform in Rust, in `linker` what linked it, in `folder` where it lies, and in `flags`
# the words of the command. They return 1 where it cannot be built, 3 where a toolchain cannot be had.

# Profiles and flags of the caller would make another library than the one that the manifest describes; with a wrapper for the crates of the workspace
# Cargo gives their functions other names, and so another order.
for name in $(env | sed -n 's/^\(CARGO_PROFILE_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset RUSTFLAGS RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET
# Paths of this machine have no place in what others get. They may hold blanks, which would be the ends of flags in RUSTFLAGS.
CARGO_ENCODED_RUSTFLAGS=$(printf '%s\037%s' "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" "--remap-path-prefix=$PWD=ballesta")
export CARGO_ENCODED_RUSTFLAGS

missing() {
    echo "error: nothing is built for $platform: $*" >&2
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
    debian_compiler "$1"
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
    # WebAssembly ends where another platform unwinds.
    case $1 in wasm*) build_std=-Zbuild-std=std,panic_abort ;; *) build_std=-Zbuild-std=std,panic_unwind ;; esac
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
        "$command" rustc $build_std --locked $what --profile "$profile" --target "$target" --target-dir "$out/build" "$@" >&2 || exit 1
        "${RUSTC:-rustc}" --version >"$out/build/$platform.compiler"
    )
}

# What is said of it afterwards.
describe() {
    folder=$out/build/$target/$profile
    # For people on any machine: variables in place of its paths.
    # shellcheck disable=SC2016
    flags='RUSTFLAGS="--remap-path-prefix=$CARGO_HOME=cargo --remap-path-prefix=$PWD=ballesta"'
    flags="$flags cargo rustc --locked $what --profile $profile --target $target${build_std:+ $build_std}"
}

# Runs a command with Zig in the path.
with_zig() {
    ./scripts/tools.sh >&2 || {
        missing 'Zig, which links it, comes as a Python package; see above'
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

# The same from what `cargo build --release` has left, for the processor of this machine.
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
            missing 'the linker of mingw-w64 is not here (Debian: apt-get install gcc-mingw-w64-x86-64-posix)'
            return
        }
    fi
    compiler $target || return
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$gcc build $target "$cargo" -- -Clink-arg=-Wl,--no-insert-timestamp || return 1
    linker="mingw-w64, gcc $($gcc -dumpfullversion)"
    describe
}

# The linker comes with the compiler; nothing of a system is asked for.
wasm() {
    target=wasm32-unknown-unknown
    compiler $target || return
    ./scripts/tools.sh >&2 || {
        missing 'Zopfli, which compresses it, comes as a Python package; see above'
        return
    }
    # shellcheck disable=SC2034
    python=target/venv/bin/python
    build $target "$cargo" || return 1
    linker=rust-lld
    describe
}
