"""A walker with four legs, imported from MJCF with its contacts: it stands, and trots at one speed whatever the step."""

import csv
import itertools
import json
import tomllib

import numpy as np

from gallery import PROGRAM, ROOT, call

MODEL, GAIT = ROOT / "models/contacts/walker.toml", ROOT / "models/contacts/walker_gait.csv"
ROBOT = ROOT / "tests/import/quadruped.xml"


def walked(folder, *words):
    said = call(PROGRAM, "run", MODEL, "--csv", folder / "run.csv", "--json", *words)
    with open(folder / "run.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    return found, json.loads(said)["judgement"]


def lean(found):
    """Largest angle between the trunk's z axis and the vertical, rad."""
    x, y = found["trunk.rotation.x"], found["trunk.rotation.y"]
    return np.arccos(1 - 2 * (x**2 + y**2)).max()


def test_it_trots_straight_on_at_the_same_speed_at_three_steps(tmp_path):
    speeds, lost = [], []
    for step in ("1e-3", "5e-4", "2.5e-4"):
        found, judgement = walked(tmp_path, "--inputs", GAIT, "--internal-step", step)
        steady = found["time"] >= 2
        way = found["trunk.position.x"][steady]
        speeds.append((way[-1] - way[0]) / 8)
        lost.append(abs(judgement["energy_change_j"]) / judgement["energy_exchanged_j"])
        aside, height = found["trunk.position.y"], found["trunk.position.z"][steady]
        depth = -found["distance"].min()
        print(f"{step} s: {speeds[-1]:.4f} m/s, {aside[-1]:+.3f} m aside, leans {np.degrees(lean(found)):.1f} degrees, pressed in "
              f"{1e3 * depth:.2f} mm, energy {lost[-1]:.1e}, {1e6 * judgement['largest_gap_m']:.0f} um")
        assert 0.37 < height.min() and height.max() < 0.39
        assert np.abs(aside).max() < 0.1 and lean(found) < np.radians(3)
        assert 0 < depth < 2e-3
        assert judgement["warning"] is None and judgement["largest_gap_m"] < 1e-9
    # Stance feet go 0.1 m in 0.24 s of every 0.4 s: 0.42 m/s if none of them slipped and servos did not give way.
    assert np.abs(np.array(speeds) - 0.354).max() < 0.002, speeds
    # Of second order: a fourth with half the step.
    assert lost[0] < 1.2e-3 and lost[1] < 0.3 * lost[0] and lost[2] < 0.3 * lost[1], lost


def test_without_the_gait_it_stands_on_the_friction_of_its_feet(tmp_path):
    found, _ = walked(tmp_path)
    late = found["time"] >= 8
    moved = max(np.ptp(found[f"trunk.position.{axis}"][late]) for axis in "xyz")
    print(f"in 2 s it moves by {moved:.1e} m")
    assert moved < 1e-11
    assert np.abs(found["contact_1.normal_force"][late] - 14 * 9.81).max() < 1e-6


def test_it_is_what_the_import_writes_and_what_was_added(tmp_path):
    call(PROGRAM, "import", ROBOT, "--keyframe", "stand", "-o", tmp_path / "walker")
    made, ours = (tomllib.loads(file.read_text()) for file in (tmp_path / "walker/model.toml", MODEL))
    for table in ("body", "joint", "solid", "joint_spring", "drive"):
        assert ours[table] == made[table], table
    # The laws of its contact and stops are its own: stiffer feet and softer stops than those of MuJoCo.
    pairs, ends = [pairs_of(model) for model in (made, ours)], [ends_of(model) for model in (made, ours)]
    assert pairs[0] == pairs[1] and ends[0] == ends[1]
    names = [output["name"] for output in made["output"] if not output["name"].startswith("contact_")]
    assert [output["name"] for output in ours["output"]][:len(names)] == names


def pairs_of(model):
    """Pairs of solids that touch, with their friction and restitution."""
    found = set()
    for contact in model["solid_contact"]:
        solids = contact["solids"]
        all_pairs = itertools.product(solids, contact["others"]) if "others" in contact else itertools.combinations(solids, 2)
        found |= {(*sorted(pair), contact["friction"], contact["restitution"]) for pair in all_pairs}
    return found


def ends_of(model):
    return [(stop["joint"], stop["lower"], stop["upper"]) for stop in model["bump_stop"]]
