"""Random models in which every table of the format occurs (metamorphic/), beside their own forms: mirrored in three planes by `[[use]]`, in nested frames,
with items in frames, reordered, with all defaults written, with hostile names. All outputs agree with the right signs, and no form is rejected. Every
element on every coordinate of every kind of joint in the same way.

BALLESTA_METAMORPHIC=2000 runs that many, and all cells. One of them, or many on several cores: python tests/harness/metamorphic --help."""

import os

import pytest

from gallery import PROGRAM, SCRATCH
from metamorphic import trial

NUMBER = int(os.environ.get("BALLESTA_METAMORPHIC", 12))
CELLS = list(enumerate(trial.cells()))[::1 if NUMBER > 100 else 23]


def disagreements(number, model, seed, every):
    run = trial.Trial(number, seed, model, PROGRAM, SCRATCH / "metamorphic")
    assert run.base.values is not None, f"{run.folder}/{number}: {run.base.messages}"
    found = run.forms(run.horizon(), every)
    return [f"{run.folder}/{number}: {name}: {of} off by {error:.1e}" for name, (error, of) in found.items() if not error <= trial.AGREEMENT]


@pytest.mark.parametrize("number", range(NUMBER))
def test_a_model_moves_as_its_forms(number):
    failures = disagreements(number, *trial.drawn(number), every=False)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("number, what", CELLS)
def test_an_element_on_any_coordinate_moves_as_its_forms(number, what):
    failures = disagreements(f"cell_{number}", *trial.cell(*what, number), every=True)
    assert not failures, "\n".join(failures)
