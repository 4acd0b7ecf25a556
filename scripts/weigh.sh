#!/bin/sh
# What the project weighs; see scripts/weigh.py, which does it.
cd "$(dirname "$0")/.." && exec python3 scripts/weigh.py "$@"
