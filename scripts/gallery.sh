#!/bin/sh
# Makes the pictures of all models and the gallery page: docs/pictures/gallery, docs/gallery.md,
# docs/pictures/hero.webp, scripts/site/hero*.webp, and the pictures of the templates in workshop pages,
# crates/pictures/viewer/templates.
#
#     scripts/gallery.sh                  all models, contact scenes, structures and templates, about four minutes
#     scripts/gallery.sh van hero site    one model, and the animations of README and site
#     scripts/gallery.sh templates        the pictures of the templates
#
# Needs target/release/ballesta, and Chromium, Node.js and target/browser, which ./test.sh installs.
set -eu
cd "$(dirname "$0")/.."
if ! [ -d target/browser/node_modules ] || ! [ -x "${CARGO_TARGET_DIR:-target}/release/ballesta" ]; then
    echo 'error: target/browser or target/release/ballesta is missing; run ./test.sh' >&2
    exit 2
fi
node tests/browser/gallery.mjs "$@"
