#!/bin/sh
# Runs the Rust tests that are marked as ignored because they take longer than 10 s: a thousand random robots, a minute. Then it runs
# 2000 random models beside their changed forms, every command of docs/papers with the figures that it prints, and every model of the
# gallery over its experiment in hosts with other floating-point environments, small stacks and little memory.
# BALLESTA_REWRITE=1 writes what they find into the documentation.
set -eu
cd "$(dirname "$0")/.."
cargo test --release --locked --workspace --features full --exclude ballesta-python --tests -- --ignored --nocapture
cargo build --release --locked --features full
target/venv/bin/python tests/harness/metamorphic --models 2000 --cells -j 2 --program target/release/ballesta
BALLESTA_SAMPLE=all target/venv/bin/python -m pytest tests/harness/test_paper_pages.py
exec target/venv/bin/python tests/harness/hosts.py
