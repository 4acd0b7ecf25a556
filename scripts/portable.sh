#!/bin/sh
# Builds target/portable/libballesta.so: the library of an FMU for 64-bit Linux with glibc 2.17 (the year 2012) or later.
#
# A library that the system's linker makes needs the C library of the machine it was built on, and does not load on older
# ones. Here Zig links against the symbols of glibc 2.17. The code is that of `ballesta export`, and so are its results:
# tests/harness/test_portable.py compares them bit for bit. `ballesta export` packs this library when it is there.
set -eu
cd "$(dirname "$0")/.."
./scripts/tools.sh

target=x86_64-unknown-linux-gnu
if command -v rustup >/dev/null 2>&1 && ! rustup target list --installed | grep -qx "$target"; then
    rustup target add "$target"
fi
PATH="$PWD/target/venv/bin:$PATH"
ZIG_GLOBAL_CACHE_DIR=$PWD/target/zig/global
ZIG_LOCAL_CACHE_DIR=$PWD/target/zig/local
CARGO_ZIGBUILD_CACHE_DIR=$PWD/target/zig/cargo-zigbuild
export PATH ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR CARGO_ZIGBUILD_CACHE_DIR

# A target folder of its own: cargo would wait there for a build for this machine to end.
cargo-zigbuild rustc --locked --lib --crate-type cdylib --no-default-features --profile fmu --target "$target.2.17" \
    --target-dir target/zig
mkdir -p target/portable
cp "target/zig/$target/fmu/libballesta.so" target/portable/libballesta.so
echo "target/portable/libballesta.so"
