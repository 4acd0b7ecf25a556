#!/bin/sh
# Compares `ballesta reduce` with scipy and Exudyn; arguments go to compare.py. Everything it makes is in target/.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --locked --package ballesta-cli --features full --bin ballesta
[ -d target/bench-venv ] || python3 -m venv target/bench-venv
target/bench-venv/bin/pip install --quiet --disable-pip-version-check -r benches/reduction/requirements.txt
exec target/bench-venv/bin/python benches/reduction/compare.py "$@"
