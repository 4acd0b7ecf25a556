#!/bin/sh
# Counts instructions per evaluation and step; arguments go to count.py. Needs valgrind.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --locked --package ballesta-tools --example instructions
exec python3 benches/instructions/count.py "$@"
