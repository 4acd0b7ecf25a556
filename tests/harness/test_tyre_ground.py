"""Tyres on short obstacles and at a standstill: cams on a fine grid of the road, the twist of a parked tyre by its law, friction by location."""

import csv
import math

import numpy as np
import pytest

from gallery import PROGRAM, ROOT, call
from test_tyres import rig

FILE = ROOT / "models/van/van.tir"
R0, FZ0, CZ = 0.376, 3800.0, 1.75e5
# Defaults of a file without keys of the contact patch.
X = FZ0 / (CZ * R0)
DISTANCE = 0.8 * 2 * R0 * (0.5 * math.sqrt(X) + X)


def run(folder, model, more=""):
    (folder / "tyre.tir").write_bytes(FILE.read_bytes())
    (folder / "model.toml").write_text(model + more, encoding="utf-8")
    call(PROGRAM, "run", folder, "--csv", folder / "run.csv")
    with open(folder / "run.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def straight(speed, road, stop):
    """The rig of test_tyres.py that goes straight at one height."""
    text = rig({"UNLOADED_RADIUS": R0, "FNOMIN": FZ0, "VERTICAL_STIFFNESS": CZ}, "left", speed, 0)
    for word, value in [("amplitude = 0.2, frequency = 1.3", ""), ("amplitude = 0.08, frequency = 0.71", ""), ("stop = 3", f"stop = {stop}")]:
        text = text.replace(word, value)
    lines = [line.split(", amplitude")[0] + " }" if "amplitude" in line else line for line in text.splitlines()]
    text = "\n".join(lines).replace('[[road]]\nname = "road"', f'[[road]]\nname = "road"\nenveloping = true\n{road}')
    for quantity, name in [("deflection", "deflection"), ("position", "contact")]:
        text += f'\n[[output]]\nname = "{name}"\nquantity = "{quantity}"\ntyre = "tyre"\n'
    return text + '\n[[output]]\nname = "way"\nquantity = "position"\njoint = "way"\n'


def cams(x, heights):
    """Height and slope of the plane under a wheel at the places x (m), by cams that touch a road of `heights` on a fine grid."""
    grid = np.linspace(-0.2, 0.2, 40001)
    rise = R0 - R0 * (1 - (np.abs(grid) / R0)**1.8)**(1 / 1.8)
    front, rear = ([np.max(heights(middle + grid) - rise) for middle in x + side * DISTANCE / 2] for side in (1, -1))
    front, rear = np.array(front), np.array(rear)
    return (front + rear) / 2, (front - rear) / DISTANCE


@pytest.mark.parametrize("length, height", [(30.0, 0.03), (0.05, 0.01), (0.03, 0.02)], ids=["step", "cleat", "high cleat"])
def test_a_tyre_feels_the_plane_of_two_cams_over_steps_and_cleats(length, height, tmp_path):
    ramp, start = 1e-4, 0.5
    road = f'[[road.bump]]\nkind = "flat_top"\nstart = {start}\nlength = {length}\nramp = {ramp}\nheight = {height}\nblend = 1e-6\n'
    got = run(tmp_path, straight(0.5, road, 2.0))
    heights = lambda at: height * np.clip(np.minimum((at - start) / ramp, (start + length - at) / ramp), 0, 1)
    w, slope = cams(got["way"], heights)
    axle = R0 - FZ0 / CZ
    touching = got["deflection"] > 0
    assert np.count_nonzero(np.abs(slope) > 0.02) > 20 and touching.all()
    # Height of the axle over the plane, along the normal; and the contact below it.
    distance = (axle - w) / np.sqrt(1 + slope**2)
    print(length, height, "w", w.max(), "slope", slope.max(), np.abs(got["deflection"] - (R0 - distance)).max())
    assert np.abs(got["deflection"] - (R0 - distance)).max() < 2e-5
    ahead = got["contact.x"] - got["way"]
    assert np.abs(ahead - distance * slope / np.sqrt(1 + slope**2)).max() < 1e-4
    assert np.abs(got["F.Fz"] - CZ * got["deflection"])[np.abs(np.gradient(w)) < 1e-9].max() < 1.0


def test_the_parking_torque_is_that_of_its_law_and_is_lost_over_half_of_the_contact_length(tmp_path):
    call(PROGRAM, "run", ROOT / "models/van/parked_wheel.toml", "--csv", tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    time, angle, way, torque, load = (np.array([row[name] for row in rows]) for name in ("time", "steering.angle", "way", "tyre.Mz", "tyre.Fz"))
    fz, fz0 = load[-1], 1.6 * FZ0
    mu = 0.94002 - 0.17669 * (fz / fz0 - 1)
    largest = 0.2 * mu * R0 * fz * math.sqrt(fz / fz0)
    slope = max(largest, abs(fz * R0 * (-0.17212 - 0.033444 * (fz / fz0 - 1))) / 0.5)
    x = fz / (CZ * R0)
    half = R0 * (0.5 * math.sqrt(x) + x)
    carried = min(3 * largest / slope / 3 * half, 0.26 * R0)
    # The twist: t' = R0 psi' - |R0 psi'| t/carried; the formula is asked at a cubic of it.
    t, twists = 0.0, [0.0]
    for before, after in zip(angle, angle[1:]):
        step = R0 * (after - before)
        t = math.copysign(carried, step) + (t - math.copysign(carried, step)) * math.exp(-abs(step) / carried) if step else t
        twists.append(t)
    share = np.array(twists) / carried
    asked = np.array(twists) / half * (1 + (3 * largest / slope * half / carried - 1) * share**2)
    expected = -largest * np.sin(np.arctan(slope / largest * asked))
    standing = (time > 1) & (time < 12)
    assert np.abs(torque - expected)[standing].max() < 0.03 * largest
    assert abs(torque[standing].min() / largest + math.sin(math.atan(3))) < 0.02
    # Back through straight ahead the torque is still there; on the way it is lost.
    assert abs(np.interp(0.0, -angle[(time > 3.5) & (time < 6.5)], torque[(time > 3.5) & (time < 6.5)])) > 0.1 * largest
    fast = way > 0.05
    assert np.abs(torque[way > 0.5]).max() < 0.15 * largest, np.abs(torque[fast])
    print("M largest", largest, "found", torque[standing].min(), "at load", fz)


def test_wheels_on_ice_by_a_friction_map_carry_its_part_of_the_load(tmp_path):
    (tmp_path / "ice.csv").write_text("x, -1, 0, 1\n0, 1, 1, 1\n1, 0.1, 0.1, 0.1\n2, 0.1, 0.1, 0.1\n")
    text = rig({"UNLOADED_RADIUS": R0, "FNOMIN": FZ0, "VERTICAL_STIFFNESS": CZ}, "left", 12.0, 0)
    got = run(tmp_path, text.replace('[[road]]\nname = "road"', '[[road]]\nname = "road"\nfriction_map = "ice.csv"\nmap_start = [10, 0]'))
    used, time = np.hypot(got["F.Fx"], got["F.Fy"]) / got["F.Fz"], got["time"]
    assert used[time < 0.8].max() > 0.6 and used[time > 1.0].max() < 0.15 * used[time < 0.8].max()
