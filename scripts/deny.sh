#!/bin/sh
# Checks licences, sources and bans of all dependencies with cargo-deny (deny.toml); --advisories adds known
# vulnerabilities.
#
#     scripts/deny.sh [--advisories]
#
# Builds cargo-deny in target/ if it is missing, which takes a few minutes. --advisories downloads the RustSec database
# from GitHub.
set -eu
cd "$(dirname "$0")/.."

checks="bans licenses sources"
case ${1-} in
'') ;;
--advisories) checks="$checks advisories" ;;
*)
    echo "usage: scripts/deny.sh [--advisories]" >&2
    exit 2
    ;;
esac

if [ ! -x target/tools/bin/cargo-deny ]; then
    cargo install --locked cargo-deny --version '^0.20' --root target/tools --target-dir target/tools/build
fi
# Unquoted: one argument per word.
target/tools/bin/cargo-deny --workspace check $checks
