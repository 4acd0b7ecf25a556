#!/bin/sh
# Runs the Rust tests that are marked as ignored because they take longer than 10 s: a thousand random robots, a minute.
# BALLESTA_REWRITE=1 writes what they find into the documentation.
set -eu
cd "$(dirname "$0")/.."
exec cargo test --release --locked --workspace --features full --exclude ballesta-python --tests -- --ignored --nocapture
