#!/bin/sh
# Runs the long tests: the ignored Rust tests (longer than 10 s each, such as a thousand random robots), 2000 random
# models compared with equivalent forms, every command of docs/papers with its figures, repeated runs of FMUs to their
# ends, the C sources of every model of the gallery by three compilers, and every model of the gallery in hosts with other
# floating-point environments, small stacks and little memory.
# BALLESTA_REWRITE=1 writes the results into the documentation.
set -eu
cd "$(dirname "$0")/.."
cargo test --release --locked --workspace --features full --exclude ballesta-python --tests -- --ignored --nocapture
cargo build --release --locked --features full
target/venv/bin/python tests/harness/metamorphic --models 2000 --cells -j 2 --program target/release/ballesta
BALLESTA_SAMPLE=all target/venv/bin/python -m pytest tests/harness/test_paper_pages.py \
    tests/harness/test_gallery.py tests/harness/test_portable.py tests/harness/test_fmi3.py
for compiler in tcc 'gcc -O2' 'clang -O2'; do
    target/venv/bin/python tests/harness/c_sources.py --once "$compiler"
done
# The same on the systems of ./test.sh platforms, which installs their compilers and runners.
if command -v qemu-aarch64 >/dev/null && command -v x86_64-w64-mingw32-gcc-posix >/dev/null; then
    for system in aarch64 armhf windows sanitizers native; do
        target/venv/bin/python tests/platforms/c_sources_systems.py $system
    done
fi
exec target/venv/bin/python tests/harness/hosts.py
