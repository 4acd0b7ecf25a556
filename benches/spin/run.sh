#!/bin/sh
# Steps of a vehicle's FMU beside a spin loop of the same length on one core: run.sh [MODEL [STEPS [CPU]]]; default: models/van, 1000000, 1.
# Table on stdout, picture in target/bench-spin/ (docs/pictures has copies). Run it on a quiet machine.
set -eu
cd "$(dirname "$0")/../.."
model=${1:-models/van}
steps=${2:-1000000}
cpu=${3:-1}
name=$(basename "$model")
mkdir -p target/bench-spin
cargo build --release --locked --package ballesta-cli --bin ballesta --example spin
target/release/ballesta export "$model" -o "target/bench-spin/$name.fmu" > /dev/null
exec taskset -c "$cpu" target/release/examples/spin "target/bench-spin/$name.fmu" "$steps" "target/bench-spin/$name.svg"
