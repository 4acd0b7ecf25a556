"""Random structures in space beside PyNite, an independent finite-element package for frames, and consistent masses by the shape functions
of textbooks (structures/): static displacements under nodal loads and gravity, section forces, natural frequencies, and everything that a
reduced model is made of.

BALLESTA_STRUCTURES=300 runs that many. One of them, or many on several cores: python tests/harness/structures --help."""

import os

import pytest

from gallery import PROGRAM, SCRATCH
from structures import trial

NUMBER = int(os.environ.get("BALLESTA_STRUCTURES", 24))
LOT = 6


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_every_structure_is_that_of_an_independent_package(first):
    folder = SCRATCH / "structures"
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    for number in range(first, min(first + LOT, NUMBER)):
        found, file = trial.structure(number, PROGRAM, folder)
        assert len(found) == 9, f"{file}: only {list(found)} were compared"
        failures += [f"{file}: {kind} off by {error:.1e}" for kind, error in found.items() if not error <= trial.AGREEMENT]
    assert not failures, "\n".join(failures)
