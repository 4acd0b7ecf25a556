#!/bin/sh
# Measures the size of the project; see scripts/weigh.py.
cd "$(dirname "$0")/.." && exec python3 scripts/weigh.py "$@"
