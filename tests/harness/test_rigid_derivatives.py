"""The matrices of `ballesta linearize` beside complex steps of the evaluation in absolute coordinates (rigid/derivative.py): accelerations, unique
reactions and forces of random mechanisms by all positions, speeds and inputs. Without friction and brakes, whose states no output tells.

BALLESTA_DERIVATIVES=600 runs that many."""

import os

import pytest

from gallery import PROGRAM, SCRATCH
from rigid import derivative

NUMBER = int(os.environ.get("BALLESTA_DERIVATIVES", 60))
# Of the largest of each row.
AGREEMENT = 1e-9
LOT = 10


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_derivatives_are_those_of_complex_steps(first):
    folder = SCRATCH / "rigid"
    folder.mkdir(parents=True, exist_ok=True)
    failures, entries = [], 0
    for number in range(first, min(first + LOT, NUMBER)):
        error, of, kind, count = derivative.apart(number, PROGRAM, folder)
        entries += count
        if not error <= AGREEMENT:
            failures.append(f"{number} ({kind}): {of} off by {error:.1e}")
    assert not failures, "\n".join(failures)
    assert entries > 1000, "hardly anything was compared"
