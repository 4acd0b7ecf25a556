#!/bin/sh
# Runs endurance tests of five FMUs: van, truck, truck on a flexible frame, four-bar linkage through its singular
# positions, spin-up beam.
#
#   scripts/endurance.sh [STEPS [SECONDS [CASE ...]]]
#
# STEPS: steps of 1 ms per FMU (default 1e8). SECONDS: time limit per FMU (default: none). CASE: van, truck,
# truck_flexible, four_bar or spinup_beam (default: all). crates/cli/examples/endurance.rs lists the checks.
# target/endurance/CASE.jsonl receives a JSON object per minute of simulated time, stdout the results. Exit code 1: a
# check failed.
#
# LIBRARY: solver library for the FMUs (default: the one that `ballesta export` packs).
# INTERVAL: steps per line (default: one minute). TARGET: folder of the programs (default: target/release).
set -eu
cd "$(dirname "$0")/.."
steps=${1:-1e8}
seconds=${2:-1e9}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
cases=${*:-van truck truck_flexible four_bar spinup_beam}
scratch=target/endurance
programs=${TARGET:-${CARGO_TARGET_DIR:-target}/release}
mkdir -p "$scratch"
cargo build --release --locked --package ballesta-cli --features full --bin ballesta --example endurance

# on_a_random_road FOLDER FILE: gives the plane road of a model a periodic class B profile with two tracks, before and
# after the start.
on_a_random_road() {
    rm -rf "$scratch/model"
    cp -r "$1" "$scratch/model"
    awk '{ print } /^\[\[road\]\]/ { road = 1 }
        road && /^name *=/ { print "random = { class = \"B\", track = 1.8, start = -10000 }"; road = 0 }' "$1/$2" > "$scratch/model/$2"
    grep -q '^random' "$scratch/model/$2"
    model=$scratch/model/$2
}

failed=""
for case in $cases; do
    repeat=""
    case $case in
    van) on_a_random_road models/van model.toml ;;
    truck) on_a_random_road models/truck model.toml ;;
    truck_flexible) on_a_random_road models/truck flexible.toml ;;
    four_bar) model=models/four_bar ;;
    spinup_beam) model=models/spinup_beam repeat=--repeat ;;
    *)
        echo "error: unknown case $case; expected van, truck, truck_flexible, four_bar or spinup_beam" >&2
        exit 2
        ;;
    esac
    "$programs/ballesta" export "$model" -o "$scratch/$case.fmu" ${LIBRARY:+--library "linux64=$LIBRARY"} > /dev/null
    "$programs/examples/endurance" "$scratch/$case.fmu" "$steps" --seconds "$seconds" ${INTERVAL:+--interval "$INTERVAL"} $repeat \
        > "$scratch/$case.jsonl" || failed="$failed $case"
    tail -n 1 "$scratch/$case.jsonl"
done
rm -rf "$scratch/model"
[ -z "$failed" ] || {
    echo "FAILED:$failed" >&2
    exit 1
}
