#!/bin/sh
# Fuzzes with libFuzzer and the address sanitizer, one target after another.
#
#     scripts/fuzz.sh [-t SECONDS] [-n EXECUTIONS] [-p FOLDER] [TARGET...]
#
# TARGET: default all of fuzz/. -t: seconds per target (60 without -t and -n). -n: executions per target. With both, the
# limit reached first ends the run. -p: runs the programs in FOLDER instead of building them, so that the code can
# change during a long run. The corpus starts with files of the gallery and grows in fuzz/corpus/. Needs a nightly
# toolchain and a C++ compiler.
#
# Findings: a panic, a sanitizer report, a leak, an input that takes more than 10 s of processor time (or 300 s of wall
# time), a process or an allocation of more than 512 MB. The limits apply to the process with the sanitizer and its
# counters, which is much slower and larger than the program itself (docs/hardening.md). Findings are saved in
# fuzz/artifacts/. The script prints the command that repeats each of them, continues with the next target, and exits
# with 1.
set -u
cd "$(dirname "$0")/.." || exit 2

usage() {
    echo "error: $1" >&2
    echo "usage: scripts/fuzz.sh [-t SECONDS] [-n EXECUTIONS] [-p FOLDER] [TARGET...]" >&2
    exit 2
}
number() {
    case $2 in
    '' | *[!0-9]*) usage "$1 needs a whole number, not '$2'" ;;
    esac
}

seconds=""
executions=""
programs=""
while getopts t:n:p: option; do
    case $option in
    t) number -t "$OPTARG" && seconds=$OPTARG ;;
    n) number -n "$OPTARG" && executions=$OPTARG ;;
    p) programs=$OPTARG ;;
    *) usage "unknown option" ;;
    esac
done
shift $((OPTIND - 1))
[ -n "$seconds$executions" ] || seconds=60

all=$(sed -n 's|^path = "fuzz_targets/\(.*\)\.rs"$|\1|p' fuzz/Cargo.toml)
for target in "$@"; do
    if ! echo "$all" | grep -qx -- "$target"; then
        printf 'error: unknown target %s; the targets are:\n%s\n' "$target" "$all" >&2
        exit 2
    fi
done
[ $# -gt 0 ] || set -- $all

if [ -z "$programs" ]; then
    if ! cargo +nightly --version >/dev/null 2>&1; then
        echo "error: no nightly toolchain; install it with: rustup toolchain install nightly --profile minimal" >&2
        echo "the same targets on fewer inputs, without nightly: cargo test --release -p ballesta-project --test project fuzzed" >&2
        exit 2
    fi

    # The same build as cargo-fuzz: sanitizer, counters on every edge, operands of comparisons. --target excludes build
    # scripts and macros.
    host=$(rustc +nightly -vV | sed -n 's/^host: //p')
    RUSTFLAGS="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing" \
        cargo +nightly build --release --locked --manifest-path fuzz/Cargo.toml --target "$host" --target-dir target/fuzz \
        --features libfuzzer --bins || exit 2
    programs=target/fuzz/$host/release
fi

# The quarantine of freed memory is 16 MB, so that the memory limit is meaningful.
ASAN_OPTIONS=quarantine_size_mb=16:detect_odr_violation=0:detect_stack_use_after_return=0
export ASAN_OPTIONS
# Some targets write files, which is faster in memory.
if [ -w /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/ballesta-fuzz.XXXXXX)
else
    TMPDIR=$(mktemp -d)
fi
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM

lengths=$("$programs/corpus" fuzz/corpus) || exit 2

# field NAME LOG: a figure of libFuzzer's final statistics.
field() {
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

# Processor time of all finished programs, s.
processor_time() {
    times >"$TMPDIR/times"
    sed -n '2s/[ms]/ /gp' "$TMPDIR/times" | awk '{ printf "%.0f", 60 * ($1 + $3) + $2 + $4 }'
}

mkdir -p target/fuzz/logs
table=target/fuzz/logs/table.md
printf '| target | executions | seconds | processor s | per processor s | edges | features | corpus | peak MB | slowest s | findings |\n' >"$table"
printf '|---|---|---|---|---|---|---|---|---|---|---|\n' >>"$table"
failed=""
for target in "$@"; do
    log=target/fuzz/logs/$target.log
    artifacts=fuzz/artifacts/$target
    mkdir -p "$artifacts"
    before=$(ls "$artifacts" | wc -l)
    longest=$(echo "$lengths" | sed -n "s/^$target //p")
    printf '\n==== %s: %s\n' "$target" "${executions:+$executions executions }${seconds:+$seconds s}"
    begun=$(date +%s)
    processor_time >"$TMPDIR/before"
    rm -f "$TMPDIR/slowest"
    FUZZ_SLOWEST=$TMPDIR/slowest "$programs/$target" "fuzz/corpus/$target" -max_len="$longest" -timeout=300 \
        -report_slow_units=300 -rss_limit_mb=512 \
        -print_final_stats=1 -artifact_prefix="$artifacts/" ${seconds:+-max_total_time="$seconds"} \
        ${executions:+-runs="$executions"} </dev/null >"$log" 2>&1
    code=$?
    took=$(($(date +%s) - begun))
    processor_time >"$TMPDIR/after"
    processor=$(($(cat "$TMPDIR/after") - $(cat "$TMPDIR/before")))
    runs=$(field number_of_executed_units "$log")
    edges=$(sed -n 's/^INFO: Loaded .*modules *(\([0-9]*\) inline.*/\1/p' "$log" | tail -n 1)
    last=$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$log" | tail -n 1)
    covered=$(echo "$last" | cut -d' ' -f2)
    features=$(echo "$last" | cut -d' ' -f4)
    corpus=$(echo "$last" | cut -d' ' -f6)
    found=$(($(ls "$artifacts" | wc -l) - before))
    printf '| %s | %s | %s | %s | %s | %s of %s | %s | %s | %s | %s | %s |\n' "$target" "${runs:-?}" "$took" "$processor" \
        "$((${runs:-0} / (processor > 0 ? processor : 1)))" "${covered:-?}" "${edges:-?}" "${features:-?}" "${corpus:-?}" \
        "$(field peak_rss_mb "$log")" "$(cat "$TMPDIR/slowest" 2>/dev/null || echo 0)" "$found" | tee -a "$table"
    if [ "$code" -ne 0 ]; then
        failed="$failed $target"
        grep -m 3 -e 'panicked at' -e '^SUMMARY' -e 'ERROR: ' "$log"
        ls -t "$artifacts" | head -n "$((found > 0 ? found : 1))" | while read -r file; do
            echo "repeat with: ASAN_OPTIONS=$ASAN_OPTIONS $programs/$target -rss_limit_mb=512 $artifacts/$file"
        done
    fi
done
printf '\n'
cat "$table"
if [ -n "$failed" ]; then
    printf '\nFAILED:%s; logs: target/fuzz/logs/\n' "$failed"
    exit 1
fi
