"""The eigenvalues that `ballesta linearize` lists, beside those that numpy finds for the matrix A that it prints."""

import json
import subprocess

import numpy as np
import pytest

from gallery import MODELS, PROGRAM, ROOT

# Eigenvalues that are repeated without as many eigenvectors (poles of filters, motions without stiffness) are scattered by
# rounding, a triple one by its cube root: clusters are compared by their number and their mean.
APART = 3e-3
EQUAL = 1e-5


def clusters(values, scale):
    """Values that are closer than APART to their neighbours, as lists."""
    rest, found = list(values), []
    while rest:
        group, grown = [rest.pop()], True
        while grown:
            near = [v for v in rest if any(abs(v - g) <= APART * max(abs(g), scale) for g in group)]
            rest = [v for v in rest if v not in near]
            group, grown = group + near, bool(near)
        found.append(group)
    return found


@pytest.mark.parametrize("model", MODELS)
def test_eigenvalues_are_those_of_numpy(model):
    done = subprocess.run([PROGRAM, "linearize", ROOT / "models" / model, "--json"], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if done.returncode == 3 and "singular position" in done.stderr:
        return
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    own = np.array([value["re"] + 1j * value["im"] for value in found["eigenvalues"]])
    assert len(own) == len(found["states"])
    if len(own) == 0:
        return
    a = np.array(found["a"]).reshape(len(own), -1)
    other = np.linalg.eigvals(a)
    # What rounding of A makes of an eigenvalue zero, which is double for a motion without stiffness.
    scale = max(1.0, 1e-5 * np.abs(other).max())
    assert abs(own.sum() - np.trace(a)) <= 1e-8 * np.abs(own).sum()
    left = list(other)
    for group in clusters(own, scale):
        mean = np.mean(group)
        reach = max(abs(v - mean) for v in group) + APART * max(abs(mean), scale)
        near = sorted(left, key=lambda v: abs(v - mean))[:len(group)]
        assert max(abs(v - mean) for v in near) <= reach, f"{model}: {group} and {near}"
        assert abs(np.mean(near) - mean) <= EQUAL * max(abs(mean), scale), f"{model}: {group} and {near}"
        for value in near:
            left.remove(value)
    assert not left
