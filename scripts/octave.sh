#!/bin/sh
# Runs the scripts of `ballesta convert --simscape` in GNU Octave (tests/harness/test_octave.py). Installs Octave if it
# is missing: a Debian package, 80 MB with dependencies, up to five minutes on a slow disk. ./test.sh runs the same
# tests if Octave is installed, and skips them otherwise.
set -eu
cd "$(dirname "$0")/.."
if ! command -v octave-cli >/dev/null 2>&1; then
    apt-get update
    apt-get install -y --no-install-recommends octave
fi
./scripts/tools.sh
exec target/venv/bin/python -m pytest tests/harness/test_octave.py
