"""Displacements and stresses by a recovery file, beside a plane frame of beams in numpy: the crane of the gallery under a force at its end and
its own weight, reduced to two modes and whole."""

import csv
import json
import subprocess
import tomllib

import numpy as np

from gallery import PROGRAM, ROOT

CRANE = ROOT / "models/structures/crane/structure.toml"
FORCE, GRAVITY = np.array([300.0, -900.0]), 9.81

MODEL = """
[model]
name = "crane"
gravity = [0, -9.81, 0]
step = 1e-4
integrator = "generalized_alpha"
[experiment]
stop = 1e-3
step = 1e-3
[points]
foot = [0, 0, 0]
hook = [2.4, 2.6, 0]
[[flexible_body]]
name = "crane"
rom = "crane.rom.toml"
position = [0, 0, 0]
frame = "clamp"
stiffening = "none"
[[joint]]
name = "clamp"
type = "fixed"
bodies = ["ground", "crane.clamp"]
[[force]]
name = "hook"
body = "crane.load"
point = "hook"
value = [300, -900, 0]
[[output]]
name = "energy"
flexible_body = "crane"
quantity = "strain_energy"
"""


def whole():
    """Nodes, displacements (x, y, rz), and per beam element its normal force and the moments at both ends, all by the matrices of textbooks."""
    file = tomllib.loads(CRANE.read_text())
    nodes = {name: np.array(at, float) for name, at in file["nodes"].items()}
    sections = {one["name"]: (one["width"], one["height"]) for one in file["section"]}
    material = file["material"][0]
    elements = []
    for beam in file["beam"]:
        count, (a, b) = beam["divisions"], beam["nodes"]
        names = [a, *(f"{beam['name']}:{i}" for i in range(1, count)), b]
        for i, name in enumerate(names):
            nodes.setdefault(name, nodes[a] + (nodes[b] - nodes[a]) * i / count)
        elements += [(beam["name"], i + 1, names[i], names[i + 1], *sections[beam["section"]]) for i in range(count)]
    number = {name: 3 * k for k, name in enumerate(nodes)}
    k, f = np.zeros((3 * len(nodes), 3 * len(nodes))), np.zeros(3 * len(nodes))
    parts = []
    for beam, i, a, b, width, height in elements:
        along = nodes[b] - nodes[a]
        length = np.linalg.norm(along)
        c, s = along / length
        # Bent in the plane: about the axis along which the section is `width` wide.
        ea, ei = material["youngs_modulus"] * width * height, material["youngs_modulus"] * width * height**3 / 12
        own = np.zeros((6, 6))
        own[np.ix_([0, 3], [0, 3])] = ea / length * np.array([[1, -1], [-1, 1]])
        l2, l3 = ei / length**2, ei / length**3
        own[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = np.array([
            [12 * l3, 6 * l2, -12 * l3, 6 * l2], [6 * l2, 4 * ei / length, -6 * l2, 2 * ei / length],
            [-12 * l3, -6 * l2, 12 * l3, -6 * l2], [6 * l2, 2 * ei / length, -6 * l2, 4 * ei / length]])
        turn = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
        # Its weight: across with fixed ends, along in halves.
        q = material["density"] * width * height * GRAVITY * np.array([-s, -c])
        fixed = np.array([q[0] * length / 2, q[1] * length / 2, q[1] * length**2 / 12, q[0] * length / 2, q[1] * length / 2, -q[1] * length**2 / 12])
        rows = np.r_[number[a]:number[a] + 3, number[b]:number[b] + 3]
        k[np.ix_(rows, rows)] += turn.T @ own @ turn
        f[rows] += turn.T @ fixed
        parts.append((beam, i, rows, own, turn, fixed, width, height))
    f[number["7"]:number["7"] + 2] += FORCE
    free = np.setdiff1d(np.arange(len(f)), np.arange(number["1"], number["1"] + 3))
    u = np.zeros(len(f))
    u[free] = np.linalg.solve(k[np.ix_(free, free)], f[free])
    stresses = {}
    for beam, i, rows, own, turn, fixed, width, height in parts:
        ends = own @ turn @ u[rows] - fixed
        area, modulus = width * height, width * height**2 / 6
        for word, normal, moment in (("start", -ends[0], -ends[2]), ("end", ends[3], ends[5])):
            # The fibres to the left and the right of the beam.
            stresses[f"{beam}[{i}].{word}"] = (normal / area - moment / modulus, normal / area + moment / modulus)
    return {name: u[k:k + 3] for name, k in number.items()}, stresses


def test_a_frame_has_the_displacements_and_stresses_of_a_whole_one_in_numpy(tmp_path):
    displacements, stresses = whole()
    (tmp_path / "model.toml").write_text(MODEL)
    largest = max(abs(x) for pair in stresses.values() for x in pair)
    most = max(np.linalg.norm(u[:2]) for u in displacements.values())
    for modes in (2, 20):
        rom, recovery = tmp_path / "crane.rom.toml", tmp_path / "crane.recovery.toml"
        subprocess.run([PROGRAM, "reduce", CRANE, "-o", rom, "--recovery", recovery, "--modes", str(modes)], check=True, capture_output=True)
        names = [argument for name in [*displacements, *stresses] for argument in ("--recover", name)]
        table = tmp_path / "out.csv"
        done = subprocess.run([PROGRAM, "run", tmp_path / "model.toml", "--trim", "--recovery", recovery, "--csv", table, "--json", *names],
                              check=True, capture_output=True, text=True)
        with open(table) as file:
            row = {name: float(value) for name, value in next(csv.DictReader(file)).items()}
        for name, (left, right) in stresses.items():
            assert abs(row[f"crane.{name}.stress.plus_plus"] - left) < 1e-9 * largest, (modes, name)
            assert abs(row[f"crane.{name}.stress.plus_minus"] - right) < 1e-9 * largest, (modes, name)
        for name, u in displacements.items():
            stem = f"node[{name}]" if name.isdigit() else name.replace(":", "[") + "]"
            found = np.array([row[f"crane.{stem}.displacement.{axis}"] for axis in "xy"])
            assert np.linalg.norm(found - u[:2]) < 1e-9 * most, (modes, name)
        greatest = json.loads(done.stdout)["recovery"][0]
        assert abs(greatest["stress_pa"] - largest) < 1e-9 * largest
        assert abs(greatest["displacement_m"] - most) < 1e-9 * most and greatest["displacement_at"] == "7"
