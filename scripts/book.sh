#!/bin/sh
# Builds the documentation as a book in target/book and checks every link in it. The first run builds mdBook from
# crates.io in target/tools, which takes about two minutes on two cores.
set -eu
cd "$(dirname "$0")/.."

version=0.5.4
mdbook=target/tools/bin/mdbook
if [ "$("$mdbook" --version 2>/dev/null || true)" != "mdbook v$version" ]; then
    # The search works in the browser, also from a file; the serve and watch features need a network.
    cargo install --locked --root target/tools --target-dir target/tools/build --no-default-features --features search \
        mdbook --version "=$version"
fi
"$mdbook" build
python3 scripts/book.py --check target/book
echo "target/book/index.html"
