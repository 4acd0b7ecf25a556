#!/bin/sh
# Makes the web site in dist/site: landing page, workshop, gallery with live pages, book, downloads, licence. It works from
# a server and from a folder on disk. scripts/site.py describes the options.
#
# Needs target/release/ballesta (`cargo build --release --features full`) with the libraries of pages and of FMUs
# (scripts/platforms.sh), or `--program` with an unpacked archive. The first run builds mdBook (scripts/book.sh).
set -eu
cd "$(dirname "$0")/.."

./scripts/book.sh
exec python3 scripts/site.py "$@"
