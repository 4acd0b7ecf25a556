"""Random flexible bodies that turn (spinning/): masses of a structure beside rigid bodies welded to it, shafts with discs beside a
finite-element model of the rotor with its gyroscopic matrix, and internal forces of frames with dead ends in equilibrium at every node, by a
recovery file that the run must accept.

BALLESTA_SPINNING=100 runs that many of each. One of them, or many on several cores: python tests/harness/spinning --help."""

import os

import pytest

from gallery import PROGRAM
from spinning import trial

NUMBER = int(os.environ.get("BALLESTA_SPINNING", 6))


@pytest.mark.parametrize("kind", trial.KINDS)
def test_every_body_that_turns_is_that_of_an_independent_model(kind, tmp_path):
    errors = [trial.KINDS[kind](number, PROGRAM, tmp_path) for number in range(NUMBER)]
    failures = [f"{number}: off by {error:.1e}" for number, error in enumerate(errors) if not error <= trial.AGREEMENT[kind]]
    assert not failures, "\n".join(failures)
