#!/bin/sh
# Counts the instructions of every internal step of a model with valgrind: smallest, median and largest.
#   scripts/instructions.sh [MODEL [SECONDS]]      default: models/spinup_beam, 0.3 s
set -eu
cd "$(dirname "$0")/.."
model=${1:-models/spinup_beam}
stop=${2:-0.3}
cargo build --release --quiet
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# One dump after every call of the step; instructions outside the step are not counted.
valgrind --quiet --tool=callgrind --callgrind-out-file="$out/counts" --combine-dumps=no --collect-atstart=no \
    --toggle-collect='ballesta_solver::integrate::step' --dump-after='ballesta_solver::integrate::step' \
    target/release/ballesta run "$model" --stop "$stop" >/dev/null
grep -h '^totals:' "$out"/counts.* | awk '$2 > 0 { print $2 }' | sort -n | awk -v model="$model" '
    { count[NR] = $1; sum += $1 }
    END {
        if (NR == 0) { print "error: no step was counted"; exit 1 }
        printf "%s: %d steps, instructions per step: smallest %d, median %d, largest %d, spread %.2f %%\n",
            model, NR, count[1], count[int((NR + 1) / 2)], count[NR], 100 * (count[NR] - count[1]) / count[int((NR + 1) / 2)]
    }'
