#!/bin/sh
# Installs the tools of tests/requirements.txt into target/venv. Needs no network if they are installed already.
set -eu
cd "$(dirname "$0")/.."

requirements=tests/requirements.txt
venv=target/venv
stamp=$venv/requirements.txt

if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then
    exit 0
fi
echo "Installing the tools of $requirements into $venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: python3 is $(python3 --version 2>&1); the tools need Python 3.11 or later" >&2
    exit 1
}
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-compile -r "$requirements"
cp "$requirements" "$stamp"
