#!/bin/sh
# Bundles the text editor of workshop pages from crates/pictures/viewer/editor: codemirror.js and LICENSES.txt.
#
# `scripts/editor.sh [FOLDER]` writes both files to FOLDER (default: next to their sources). Needs Node.js with npm; the
# packages have the exact versions of package-lock.json and are installed in target/editor.
set -eu
cd "$(dirname "$0")/.."

sources=crates/pictures/viewer/editor
out=${1:-$sources}
work=${CARGO_TARGET_DIR:-target}/editor
mkdir -p "$work" "$out"
out=$(cd "$out" && pwd)
cp tests/browser/.npmrc "$sources"/package.json "$sources"/package-lock.json "$sources"/*.js "$work"/
rm -f "$work"/codemirror.js
cd "$work"
# An installation of the same lock file is kept.
if ! cmp -s package-lock.json node_modules/installed.json; then
    npm ci --no-progress
    cp package-lock.json node_modules/installed.json
fi
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=Codemirror --target=es2022 \
    --legal-comments=none --log-level=warning --metafile=parts.json --outfile="$out"/codemirror.js
node licenses.js parts.json >"$out"/LICENSES.txt
