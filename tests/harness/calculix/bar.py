"""Decks of the bar, 460 x 16 x 10 mm, its root 50 mm from the axis of the hub; mm, t, s."""

import math
import subprocess

LENGTH, WIDTH, HEIGHT, HUB = 460.0, 16.0, 10.0, 50.0
DIVISIONS = (10, 2, 2)
# Corners of a C3D20R, then the middles of its edges, in half elements.
ELEMENT = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2), (1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0),
           (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]

HEAD = """*INCLUDE, INPUT=bar_mesh.inp
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*DENSITY
7.85E-9
*SOLID SECTION, ELSET=BAR, MATERIAL=STEEL
"""
# Stiffness and mass of the free bar.
FREE = """*STEP
*FREQUENCY, SOLVER=MATRIXSTORAGE
*END STEP
"""
# The stiffness under a load, with the root held while it acts, and all supports and loads released where the matrix is written.
STRESSED = """*STEP
*STATIC
*BOUNDARY
ROOT, 1, 3
{load}*END STEP
*STEP, PERTURBATION
*BOUNDARY, OP=NEW
*DLOAD, OP=NEW
*CLOAD, OP=NEW
*FREQUENCY, SOLVER=MATRIXSTORAGE
*END STEP
"""
# The same without the release of the loads, whose change with the displacement CalculiX then subtracts.
SOFTENED = STRESSED.replace("*DLOAD, OP=NEW\n", "")
# CalculiX's own frequencies under a load, and in the turning frame, with Coriolis forces.
FREQUENCIES = """*BOUNDARY
ROOT, 1, 3
*STEP
*STATIC
{load}*END STEP
*STEP, PERTURBATION
*FREQUENCY, STORAGE=YES
20
*END STEP
"""
CORIOLIS = FREQUENCIES + """*STEP, PERTURBATION
*COMPLEX FREQUENCY, CORIOLIS
8
{load}*END STEP
"""


def number(value):
    """100. for 100."""
    text = repr(float(value))
    return text[:-1] if text.endswith(".0") else text


def turn(speed, axis):
    """A steady turn about an axis through the origin, rad/s."""
    return f"*DLOAD\nBAR, CENTRIF, {number(speed**2)}, 0., 0., 0., {', '.join(map(number, axis))}\n"


def gravity(axis):
    """Of 9.81 m/s²."""
    return f"*DLOAD\nBAR, GRAV, 9810., {', '.join(map(number, axis))}\n"


def force(newtons, direction, count):
    """At the tip, the same at each of its nodes."""
    return f"*CLOAD\nTIP, {direction}, {number(newtons / count)}\n"


def mesh(folder):
    """Writes the nodes and elements; how many nodes there are, and at the tip."""
    nodes, elements = {}, []
    for i in range(DIVISIONS[0]):
        for j in range(DIVISIONS[1]):
            for k in range(DIVISIONS[2]):
                at = [(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in ELEMENT]
                elements.append([nodes.setdefault(place, len(nodes) + 1) for place in at])
    x, y, z = (size / (2 * count) for size, count in zip((LENGTH, WIDTH, HEIGHT), DIVISIONS))
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{n}, {HUB + i * x:.9f}, {j * y - WIDTH / 2:.9f}, {k * z - HEIGHT / 2:.9f}" for (i, j, k), n in nodes.items()]
    lines.append("*ELEMENT, TYPE=C3D20R, ELSET=BAR")
    for number, corners in enumerate(elements, 1):
        lines += [", ".join(map(str, [number, *corners[:10]])) + ",", ", ".join(map(str, corners[10:]))]
    ends = {name: [n for (i, _, _), n in nodes.items() if i == at] for name, at in (("ROOT", 0), ("TIP", 2 * DIVISIONS[0]))}
    for name, members in ends.items():
        lines.append(f"*NSET, NSET={name}")
        lines += [", ".join(map(str, members[i:i + 10])) + "," for i in range(0, len(members), 10)]
    (folder / "bar_mesh.inp").write_text("\n".join(lines) + "\n")
    return len(nodes), len(ends["TIP"])


def run(program, folder, name, steps):
    """Writes a deck and lets CalculiX compute it; what it printed."""
    (folder / f"{name}.inp").write_text(HEAD + steps)
    done = subprocess.run([program, name], cwd=folder, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0 and "*ERROR" not in done.stdout, f"{name}: {done.stdout[-2000:]}"
    data = folder / f"{name}.dat"
    return data.read_text() if data.is_file() else ""


def frequencies(data):
    """Hz, of the last table in a .dat file: that of *FREQUENCY has ω² before, that of *COMPLEX FREQUENCY has not."""
    table = data.split("E I G E N V A L U E   O U T P U T")[-1].split("P A R T I C I P A T I O N")[0].split("E I G E N M O D E")[0]
    rows = [line.split() for line in table.splitlines()]
    rows = [[float(word) for word in row] for row in rows if len(row) >= 4 and row[0].isdigit()]
    for row in rows:
        hertz = row[3] if len(row) == 5 else row[2]
        angular = row[2] if len(row) == 5 else row[1]
        assert math.isclose(angular, 2 * math.pi * hertz, rel_tol=1e-5), row
    return [row[3] if len(row) == 5 else row[2] for row in rows]
