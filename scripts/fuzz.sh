#!/bin/sh
# Fuzzes with libFuzzer and the address sanitizer: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Runs every target of fuzz/ for SECONDS (60 by default), or the named ones, one after another, from a corpus that it makes of the
# gallery. Needs a nightly toolchain (`rustup toolchain install nightly`); installs cargo-fuzz below target/, once. Inputs that
# fail are left in fuzz/artifacts/; exits with 1 when there are any.
set -u
cd "$(dirname "$0")/.." || exit 2

seconds=${1:-60}
case $seconds in
'' | *[!0-9]*)
    echo "error: SECONDS is '$seconds'; usage: scripts/fuzz.sh [SECONDS [TARGET...]], with a whole number of seconds" >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] && shift

all=$(sed -n 's|^path = "fuzz_targets/\(.*\)\.rs"$|\1|p' fuzz/Cargo.toml)
for target in "$@"; do
    if ! echo "$all" | grep -qx -- "$target"; then
        printf 'error: there is no target %s; the targets are:\n%s\n' "$target" "$all" >&2
        exit 2
    fi
done
[ $# -gt 0 ] || set -- $all

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "error: fuzzing needs a nightly toolchain: rustup toolchain install nightly --profile minimal" >&2
    echo "the stable test runs the same targets on fewer inputs: cargo test --release --test fuzzed" >&2
    exit 2
fi
# Below target/, so that nothing outside the project changes.
tools=$PWD/target/fuzz-tools
if ! "$tools/bin/cargo-fuzz" --version >/dev/null 2>&1; then
    echo "Installing cargo-fuzz below $tools"
    cargo install --quiet --locked --root "$tools" cargo-fuzz || exit 2
fi
PATH=$tools/bin:$PATH
export PATH

cargo run --release --locked --manifest-path fuzz/Cargo.toml --bin corpus -- fuzz/corpus || exit 2
cargo +nightly fuzz build --features libfuzzer || exit 2

failed=""
for target in "$@"; do
    printf '\n==== %s, %s s\n' "$target" "$seconds"
    # An input of 64 KiB takes seconds at most; what takes longer or more memory is a finding as a panic is.
    cargo +nightly fuzz run --features libfuzzer "$target" -- -max_total_time="$seconds" -max_len=65536 -timeout=30 \
        -rss_limit_mb=4096 -print_final_stats=1 </dev/null || failed="$failed $target"
done
if [ -n "$failed" ]; then
    printf '\nFAILED:%s; the inputs are in fuzz/artifacts/\n' "$failed"
    exit 1
fi
