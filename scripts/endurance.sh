#!/bin/sh
# An hour of driving on a random road, minute by minute: loop gap, memory, step time, and a restart half way that must end with
# the same bits. About ten minutes for the van; ./test.sh does not run it.
#
#   scripts/endurance.sh [MODEL [MINUTES [LIBRARY]]]
#
# MODEL: folder of a vehicle (models/van), LIBRARY: library of the solver for the FMU (what `ballesta export` packs).
set -eu
cd "$(dirname "$0")/.."
model=${1:-models/van}
minutes=${2:-60}
name=$(basename "$model")
scratch=target/endurance/$name
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$model" "$scratch/model"
# The plane road of the model gets a profile of class B with two tracks.
awk '{ print } /^\[\[road\]\]/ { road = 1 }
    road && /^name *=/ { print "random = { class = \"B\", track = 1.8, start = 20 }"; road = 0 }' "$model/model.toml" > "$scratch/model/model.toml"
cargo build --release --locked --bins --example endurance
target/release/ballesta export "$scratch/model" -o "$scratch/$name.fmu" ${3:+--library "linux64=$3"} > /dev/null
exec target/release/examples/endurance "$scratch/$name.fmu" "$minutes"
