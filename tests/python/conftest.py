"""The package as scripts/python.sh builds it, which ./test.sh calls first, and the program beside it."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "release/ballesta"
sys.path.insert(0, str(TARGET / "python"))
# For the kernels of notebooks and the workers of a cluster.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(TARGET / "python"), os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def ballesta():
    import ballesta

    return ballesta


@pytest.fixture(scope="session")
def load(ballesta):
    """Function from the name of a model of the gallery to the model, compiled once."""
    known = {}

    def loaded(name):
        if name not in known:
            known[name] = ballesta.load(ROOT / "models" / name)
        return known[name]

    return loaded
