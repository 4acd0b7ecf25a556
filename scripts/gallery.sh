#!/bin/sh
# Makes the pictures of all models from their pages, and the page that shows them: docs/pictures/gallery, docs/gallery.md, docs/pictures/hero.webp.
#
#     scripts/gallery.sh                  all: some two minutes
#     scripts/gallery.sh van hero         of one model, and the moving picture of the README
#
# Needs target/release/ballesta, and what ./test.sh has installed for the tests of the page: Chromium, Node.js, target/browser.
set -eu
cd "$(dirname "$0")/.."
if ! [ -d target/browser/node_modules ] || ! [ -x "${CARGO_TARGET_DIR:-target}/release/ballesta" ]; then
    echo 'error: no target/browser, or no program; ./test.sh makes both' >&2
    exit 2
fi
node tests/browser/gallery.mjs "$@"
