#!/bin/sh
# Compares evaluations and steps with MuJoCo and Pinocchio: `run.sh` (compare.py), `run.sh curve` (curve.py), `run.sh derivatives`
# (derivatives.py), `run.sh contact` (contact.py) or `run.sh drake` (in_drake.py, which installs Drake); the other arguments go to the script. Everything it makes is in target/, unless --write. ballesta is compiled like the library in its FMUs.
set -eu
cd "$(dirname "$0")/../.."
cargo build --profile fmu --locked --package ballesta-cli --bin ballesta
[ -d target/peers-venv ] || python3 -m venv target/peers-venv
target/peers-venv/bin/pip install --quiet --disable-pip-version-check -r benches/peers/requirements.txt
script=compare
case ${1:-} in
    curve | derivatives | contact)
        script=$1
        shift
        ;;
    drake)
        target/peers-venv/bin/pip install --quiet --disable-pip-version-check drake==1.51.1
        script=in_drake
        shift
        ;;
esac
if [ $script = derivatives ]; then
    scripts/python.sh
fi
PYTHONPATH=target/python exec target/peers-venv/bin/python "benches/peers/$script.py" "$@"
