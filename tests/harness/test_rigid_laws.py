"""Random rigid mechanisms beside an evaluation in absolute coordinates that is written from the documentation alone (rigid/): accelerations, reactions
that are unique, forces of all elements but tyres, efforts of guides, at the start and in the motion.

BALLESTA_LAWS=600 runs that many. One of them, or many on several cores: python tests/harness/rigid --help."""

import os

import pytest

from gallery import PROGRAM, SCRATCH
from rigid import trial

NUMBER = int(os.environ.get("BALLESTA_LAWS", 100))
# Of each quantity, or of a thousandth of the largest of its kind.
AGREEMENT = 1e-9
LOT = 10


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_every_law_is_that_of_the_documentation(first):
    folder = SCRATCH / "rigid"
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    for number in range(first, min(first + LOT, NUMBER)):
        try:
            (error, of, time), _, file = trial.law(number, PROGRAM, folder)
        except trial.Failure as failure:
            failures.append(str(failure))
            continue
        if not error <= AGREEMENT:
            failures.append(f"{file}: {of} off by {error:.1e} at {time} s")
    assert not failures, "\n".join(failures)
