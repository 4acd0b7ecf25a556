"""A gripper that lifts by friction: it holds for a minute, lets go where friction or grip are too small, and carries the weight by the law."""

import csv

import numpy as np
import pytest

from gallery import PROGRAM, ROOT, call

GRIPPER = ROOT / "models/contacts/gripper.toml"


def run(folder, *words, text=None):
    model = folder / "gripper.toml"
    model.write_text(text or GRIPPER.read_text(encoding="utf-8"), encoding="utf-8")
    call(PROGRAM, "run", model, "--csv", folder / "run.csv", *words)
    with open(folder / "run.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_a_box_is_held_for_a_minute_without_creep(tmp_path):
    found = run(tmp_path, "--stop", "64", "--step", "0.1")
    held = found["box.position.z"] - found["hand.position.z"]
    later = held[found["time"] >= 4]
    print(f"creep in 60 s: {np.ptp(later):.1e} m")
    assert np.ptp(later) < 1e-10
    assert np.abs(found["table.force"][found["time"] >= 1]).max() == 0
    assert np.abs(found["grip.force"][found["time"] >= 4] - 120).max() < 1e-9
    assert np.ptp(found["energy_balance"]) < 1e-4 * 4


@pytest.mark.parametrize("grip, friction, holds", [(60, 0.085, True), (60, 0.078, False), (8.5, 0.6, True), (7.8, 0.6, False)])
def test_it_holds_as_long_as_friction_carries_the_weight(tmp_path, grip, friction, holds):
    """Two pads with the normal force of the grip each: 2 μ N against 9.81 N, at rest after the lift."""
    text = GRIPPER.read_text(encoding="utf-8").replace("start = 60", f"start = {grip}").replace("friction = 0.6", f"friction = {friction}")
    # A slow lift: its acceleration stays below 0.2 m/s2.
    a = text.index("table = [")
    text = text[:a] + "table = [[0, 0], [1, 0], [2, 0.01], [3, 0.04], [4, 0.07], [5, 0.08], [6, 0.08], [7, 0.08]]" + text[text.index("\n]\n", a) + 2:]
    found = run(tmp_path, "--stop", "6", "--step", "0.1", text=text)
    assert (2 * grip * friction > 9.81) == holds
    lifted = found["box.position.z"][-1] > 0.1
    print(f"grip {grip} N, friction {friction}: the box is at {found['box.position.z'][-1]:.4f} m")
    assert lifted == holds
