#!/bin/sh
# Makes the files of a release in dist/: archives and wheels (scripts/package.sh), the site as an archive, SHA256SUMS, and
# notes.md with the section of the version in CHANGELOG.md.
#
#     scripts/release.sh v0.3.0 https://github.com/OWNER/REPOSITORY/releases/download/v0.3.0
#
# TAG must name the version of Cargo.toml. The site links archives and wheels below URL. The program of the unpacked archive
# for Linux on x86-64 makes the site.
# Exit codes: those of scripts/package.sh; 2: wrong tag, or a section of the change log is missing.
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [ $# -ne 2 ] || [ "$1" != "v$version" ]; then
    echo "error: expected the tag v$version, which is the version in Cargo.toml, and the URL of the archives; got: $*" >&2
    exit 2
fi
mkdir -p dist
awk -v start="## [$version]" 'index($0, "## ") == 1 { on = index($0, start) == 1; next } on' CHANGELOG.md >dist/notes.md
if ! grep -q '[^[:space:]]' dist/notes.md; then
    echo "error: CHANGELOG.md has no section [$version] with text" >&2
    exit 2
fi

./scripts/package.sh
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -xzf "dist/ballesta-$version-x86_64-linux.tar.gz" -C "$unpacked" --strip-components 1
./scripts/site.sh --program "$unpacked/bin/ballesta" --downloads "$2" --zip "dist/ballesta-$version-site.zip"
(cd dist && sha256sum "ballesta-$version"-* >SHA256SUMS)
cat dist/SHA256SUMS
