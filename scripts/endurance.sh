#!/bin/sh
# Soaks five FMUs: van, truck, truck on a flexible frame, four-bar linkage through its singular positions, spin-up beam.
#
#   scripts/endurance.sh [STEPS [SECONDS [CASE ...]]]
#
# STEPS of 1 ms per FMU (default 1e8), at most SECONDS each (default: no limit), CASE out of van, truck, truck_flexible,
# four_bar, spinup_beam (default: all). What is looked at and when it is wrong: crates/cli/examples/endurance.rs. A JSON object per minute
# of simulated time goes to target/endurance/CASE.jsonl, the verdicts to stdout; exit code 1 where one of them finds something.
#
# LIBRARY: library of the solver for the FMUs, instead of the one that `ballesta export` packs.
# INTERVAL: steps per line, instead of a minute's. TARGET: the folder of the programs, where it is not target/release.
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

# on_a_random_road FOLDER FILE: the plane road of a model gets a profile of class B with two tracks, periodic, before and behind the start.
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
        echo "error: $case is none of van, truck, truck_flexible, four_bar, spinup_beam" >&2
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
