"""Contacts of solids: a gripper that holds for a minute and lets go by the law, impacts of balls, a break, dominoes."""

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


LIFTS = [(60, 0.085, True), (60, 0.078, False), (8.5, 0.6, True), (7.8, 0.6, False)]


@pytest.mark.parametrize("grip, friction, holds", LIFTS)
def test_it_holds_as_long_as_friction_carries_the_weight(tmp_path, grip, friction, holds):
    """Two pads with the normal force of the grip each: 2 μ N against 9.81 N, at rest after the lift."""
    text = GRIPPER.read_text(encoding="utf-8").replace("start = 60", f"start = {grip}")
    text = text.replace("friction = 0.6", f"friction = {friction}")
    # A slow lift: its acceleration stays below 0.2 m/s2.
    a = text.index("table = [")
    slow = "table = [[0, 0], [1, 0], [2, 0.01], [3, 0.04], [4, 0.07], [5, 0.08], [6, 0.08], [7, 0.08]]"
    text = text[:a] + slow + text[text.index("\n]\n", a) + 2:]
    found = run(tmp_path, "--stop", "6", "--step", "0.1", text=text)
    assert (2 * grip * friction > 9.81) == holds
    lifted = found["box.position.z"][-1] > 0.1
    print(f"grip {grip} N, friction {friction}: the box is at {found['box.position.z'][-1]:.4f} m")
    assert lifted == holds


RADIUS, MASS = 0.028575, 0.17


def table(balls, restitution, step, stiffness=1e10):
    """Balls that slide on nothing and touch without friction: rows of place and velocity in the plane."""
    text = f"""
[model]
name = "billiard"
step = {step}
[experiment]
stop = 0.15
step = 1e-3
[[solid_contact]]
name = "balls"
solids = [{", ".join(f'"{name}"' for name in balls)}]
stiffness = {stiffness}
restitution = {restitution}
impact_speed = 5
[[output]]
name = "energy"
quantity = "kinetic_energy"
[[output]]
name = "balance"
quantity = "energy_balance"
"""
    inertia = 0.4 * MASS * RADIUS**2
    for name, numbers in balls.items():
        x, y, u, v = map(float, numbers)
        text += f"""
[[body]]
name = "{name}"
mass = {MASS}
com = [{x!r}, {y!r}, 0]
inertia = [{inertia}, {inertia}, {inertia}, 0, 0, 0]
[[joint]]
name = "{name}"
type = "floating"
bodies = ["ground", "{name}"]
point = [{x!r}, {y!r}, 0]
speed = [{u!r}, {v!r}, 0, 0, 0, 0]
[[solid]]
name = "{name}"
body = "{name}"
type = "sphere"
point = [{x!r}, {y!r}, 0]
radius = {RADIUS}
[[output]]
name = "{name}"
body = "{name}"
quantity = "velocity"
"""
    return text


def velocities(found, balls):
    return {name: np.array([found[f"{name}.{k}"][-1] for k in "xyz"]) for name in balls}


@pytest.mark.parametrize("restitution", [0.5, 0.95])
def test_an_oblique_impact_of_balls_is_that_of_the_textbook(tmp_path, restitution):
    """Along the line of centres, at 30° to the path and met with 5 m/s, the relative speed turns round times e;
    across it nothing changes."""
    ball = (2 * RADIUS * np.cos(np.pi / 6), 2 * RADIUS * 0.5, 0.0, 0.0)
    balls = {"cue": (-0.2, 0.0, 5 / np.cos(np.pi / 6), 0.0), "ball": ball}
    normal, along = np.array([np.cos(np.pi / 6), 0.5, 0]), np.array([-0.5, np.cos(np.pi / 6), 0])
    before = np.array([balls["cue"][2], 0, 0])
    wanted = {
        "ball": normal * (before @ normal) * (1 + restitution) / 2,
        "cue": normal * (before @ normal) * (1 - restitution) / 2 + along * (before @ along),
    }
    # The line of centres turns while they are pressed in: 2 mm, a tenth of that with a thousand times the stiffness.
    for stiffness, step, near in [(1e10, 1e-5, 0.16), (1e13, 1e-6, 0.016)]:
        found = velocities(run(tmp_path, "--stop", "0.04", text=table(balls, restitution, step, stiffness)), balls)
        error = max(np.abs(found[name] - wanted[name]).max() for name in balls)
        print(f"stiffness {stiffness:g}: {error:.4f} m/s of 5")
        assert error < near


def test_a_break_keeps_momentum_and_symmetry(tmp_path):
    pitch = 2 * RADIUS + 1e-5
    balls = {"cue": (-0.3, 0.0, 5.0, 0.0)}
    for row in range(5):
        for k in range(row + 1):
            balls[f"ball{row}{k}"] = (row * pitch * np.sqrt(0.75), (k - row / 2) * pitch, 0.0, 0.0)
    found = run(tmp_path, text=table(balls, 0.95, 2e-5))
    after = velocities(found, balls)
    momentum = sum(after.values()) * MASS
    energy = found["energy"]
    print(f"momentum {momentum}, energy {energy[0]} to {energy[-1]} J, balance {np.ptp(found['balance']):.1e} J")
    assert np.abs(momentum - [5 * MASS, 0, 0]).max() < 1e-12
    assert 0.6 * found["energy"][0] < found["energy"][-1] < found["energy"][0]
    assert np.ptp(found["balance"]) < 1e-5 * found["energy"][0]
    for row in range(5):
        for k in range(row + 1):
            left, right = after[f"ball{row}{k}"], after[f"ball{row}{row - k}"]
            assert np.abs(left - right * [1, -1, 1]).max() < 1e-6
    assert sum(np.linalg.norm(v) > 0.1 for v in after.values()) >= 12


def test_dominoes_fall_one_by_the_other_at_a_speed_that_the_step_does_not_change(tmp_path):
    begun = []
    for step in (5e-5, 2.5e-5):
        model = ROOT / "models/contacts/dominoes.toml"
        call(PROGRAM, "run", model, "--internal-step", step, "--csv", tmp_path / "run.csv")
        with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        time = np.array([float(row["time"]) for row in rows])
        begun.append([time[np.argmax([float(row[f"d{k}.tilt"]) > 1 for row in rows])] for k in range(12)])
        balance = np.ptp([float(row["energy_balance"]) for row in rows])
        print(f"step {step}: begun after {begun[-1]} s, balance {balance:.1e} J")
    assert np.all(np.diff(begun[1][1:]) > 0) and np.abs(np.subtract(*begun)).max() <= 2.1e-3
    assert balance < 1e-4 * 0.0177
    speed = 6 * 0.02 / (begun[1][10] - begun[1][4])
    print(f"{speed:.3f} m/s, {speed / np.sqrt(9.81 * 0.05):.2f} times the root of g times the height")
    assert 0.5 < speed < 1.5
