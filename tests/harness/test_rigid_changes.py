"""Random rigid mechanisms beside their own changed forms: turned and moved, mirrored, in another order, bodies and ends exchanged, in other units of
length, mass and time, bodies split in two that are welded, other cuts. All outputs agree, at the start and in the motion; so do reactions that
redundancy leaves open, but in bodies that are split. Vehicles on tyres beside those of their forms that keep the road a road.

BALLESTA_CHANGES=1000 runs that many, and a fifth of it of vehicles. One of them, or many on several cores: python tests/harness/rigid --help."""

import os

import pytest

from gallery import PROGRAM, SCRATCH
from rigid import trial

NUMBER = int(os.environ.get("BALLESTA_CHANGES", 100))
# Of each quantity, or of a thousandth of the largest of its kind. Other cuts and orders choose other coordinates, whose steps of RK4 differ.
AGREEMENT = 1e-7
LOT = 10


def agree(first, last, vehicle):
    folder = SCRATCH / "rigid"
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    for number in range(first, last):
        try:
            found, _, _ = trial.changes(number, PROGRAM, folder, vehicle)
        except trial.Failure as failure:
            failures.append(str(failure))
            continue
        failures += [f"{file}: {of} off by {error:.1e} at {time} s" for (error, of, time), file in found.values() if not error <= AGREEMENT]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_a_changed_form_moves_the_same(first):
    agree(first, min(first + LOT, NUMBER), False)


@pytest.mark.parametrize("first", range(0, NUMBER // 5, LOT))
def test_a_changed_form_of_a_vehicle_moves_the_same(first):
    agree(first, min(first + LOT, NUMBER // 5), True)
