"""Tables of STABIL by examples/stabil.py: the structures have the frequencies of matrices that numpy assembles from the same tables, after
the element matrices in STABIL's documentation: Przemieniecki's stiffness, consistent mass with rotary inertia, local axes by the reference
node. Labels of its degrees of freedom, and the walk-through of docs/papers/miguez.md."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import io, linalg

from gallery import PROGRAM, ROOT, SCRATCH

SCRIPT = ROOT / "examples" / "stabil.py"
TRUSS = ROOT / "examples" / "stabil" / "truss.m"
PAGE = ROOT / "docs" / "papers" / "miguez.md"
GAUSS = [((1 + x) / 2, w / 2) for x, w in zip(*np.polynomial.legendre.leggauss(6))]
NAN, INF = float("nan"), float("inf")


def run(*command):
    return subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)


def call(*command):
    done = run(*command)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def bending(length, ei, shear, mass, rotary):
    """Stiffness and consistent mass over v1, t1, v2, t2 of a beam whose section turns with t: the functions of a beam loaded at its ends."""
    phi = 12 * ei / (shear * length**2) if np.isfinite(shear) else 0.0
    k, m = np.zeros((4, 4)), np.zeros((4, 4))
    for x, weight in GAUSS:
        v = np.array([1 - 3 * x**2 + 2 * x**3 + phi * (1 - x), length * (x - 2 * x**2 + x**3 + phi / 2 * (x - x**2)),
                      3 * x**2 - 2 * x**3 + phi * x, length * (x**3 - x**2 - phi / 2 * (x - x**2))]) / (1 + phi)
        t = np.array([6 / length * (x**2 - x), 1 - 4 * x + 3 * x**2 + phi * (1 - x), 6 / length * (x - x**2), 3 * x**2 - 2 * x + phi * x]) / (1 + phi)
        slope = np.array([-6 * x + 6 * x**2 - phi, length * (1 - 4 * x + 3 * x**2 + phi / 2 * (1 - 2 * x)), 6 * x - 6 * x**2 + phi,
                          length * (3 * x**2 - 2 * x - phi / 2 * (1 - 2 * x))]) / (1 + phi) / length
        turn = np.array([6 / length * (2 * x - 1), 6 * x - 4 - phi, 6 / length * (1 - 2 * x), 6 * x - 2 + phi]) / (1 + phi) / length
        k += weight * length * ei * np.outer(turn, turn)
        if phi:
            k += weight * length * shear * np.outer(slope - t, slope - t)
        m += weight * length * (mass * np.outer(v, v) + rotary * np.outer(t, t))
    return k, m


def assembled(tables, removed, rotary=True, lumped=False):
    """Stiffness and mass over the degrees of freedom that are left, from the tables as STABIL has them."""
    nodes = {row[0]: np.array(row[1:4], float) for row in tables["Nodes"]}
    sections, materials, kinds = ({row[0]: row[1:] for row in tables[name]} for name in ("Sections", "Materials", "Types"))
    order = sorted(nodes)
    k, m = np.zeros((6 * len(order),) * 2), np.zeros((6 * len(order),) * 2)
    present = set()
    for _, kind, section, material, one, two, *third in tables["Elements"]:
        area, ky, kz, ixx, iyy, izz = (list(sections[section]) + [NAN] * 6)[:6]
        e, nu, rho = materials[material][:3]
        along = nodes[two] - nodes[one]
        length = np.linalg.norm(along)
        ke, me = np.zeros((12, 12)), np.zeros((12, 12))
        axial = np.array([[1, -1], [-1, 1]]) / length
        linear = length * np.array([[2, 1], [1, 2]]) / 6
        at = [order.index(one), order.index(two)]
        if kinds[kind][0] == "truss":
            direction = along / length
            ke[np.ix_([0, 1, 2, 6, 7, 8], [0, 1, 2, 6, 7, 8])] = np.kron(e * area * axial, np.outer(direction, direction))
            masses = rho * area * (length / 2 * np.eye(2) if lumped else linear)
            me[np.ix_([0, 1, 2, 6, 7, 8], [0, 1, 2, 6, 7, 8])] = np.kron(masses, np.eye(3))
            present |= {6 * i + d for i in at for d in range(3)}
        else:
            g = e / (2 * (1 + nu))
            ke[np.ix_([0, 6], [0, 6])], me[np.ix_([0, 6], [0, 6])] = e * area * axial, rho * area * linear
            ke[np.ix_([3, 9], [3, 9])], me[np.ix_([3, 9], [3, 9])] = g * ixx * axial, rho * (iyy + izz) * linear
            for (v, t), sign, inertia, factor in (((1, 5), 1, izz, ky), ((2, 4), -1, iyy, kz)):
                rows, signs = [v, t, v + 6, t + 6], np.diag([1, sign, 1, sign])
                kb, mb = bending(length, e * inertia, g * area * factor, rho * area, rho * inertia * rotary)
                ke[np.ix_(rows, rows)], me[np.ix_(rows, rows)] = signs @ kb @ signs, signs @ mb @ signs
            z = np.cross(along, nodes[third[0]] - nodes[one])
            z /= np.linalg.norm(z)
            axes = linalg.block_diag(*[np.array([along / length, np.cross(z, along / length), z])] * 4)
            ke, me = axes.T @ ke @ axes, axes.T @ me @ axes
            present |= {6 * i + d for i in at for d in range(6)}
        rows = np.r_[6 * at[0]:6 * at[0] + 6, 6 * at[1]:6 * at[1] + 6]
        k[np.ix_(rows, rows)] += ke
        m[np.ix_(rows, rows)] += me
    taken = lambda i: any(round(100 * label) in (i % 6 + 1, 100 * order[i // 6], 100 * order[i // 6] + i % 6 + 1) for label in removed)  # noqa: E731
    left = [i for i in sorted(present) if not taken(i)]
    return k[np.ix_(left, left)], m[np.ix_(left, left)]


def frequencies(tables, removed, **options):
    values = linalg.eigh(*assembled(tables, removed, **options), eigvals_only=True)
    return np.sqrt(np.abs(values)) / (2 * np.pi)


def script(tables, removed):
    """The tables as a MATLAB script."""
    word = lambda value: f"'{value}'" if isinstance(value, str) else repr(float(value)).replace("nan", "NaN").replace("inf", "Inf")  # noqa: E731
    text = ""
    for name, rows in tables.items():
        opening, closing = "{}" if name == "Types" else "[]"
        text += f"{name}={opening}" + ";\n  ".join(" ".join(word(value) for value in row) for row in rows) + f"{closing};\n"
    labels = "; ".join(f"{label:.2f}" for label in removed)
    return f"{text}DOF=getdof(Elements,Types);\n" + (f"DOF=removedof(DOF,[{labels}]);\n" if removed else "")


def converted(folder, source, *options):
    call(sys.executable, SCRIPT, source, "-o", folder, *options)
    return (folder / "structure.toml").read_text()


def modes(folder, *options):
    return np.array(json.loads(call(PROGRAM, "modes", folder, "--count", "500", "--json", *options))["frequencies_hz"])


def agree(found, wanted):
    """Elastic frequencies agree, and so does the number of rigid motions."""
    bound = 1e-5 * np.max(wanted)
    found, wanted = np.sort(found[found > bound]), np.sort(wanted[wanted > bound])
    assert len(found) == len(wanted) and len(wanted) > 3
    assert np.max(np.abs(found / wanted - 1)) < 1e-7, found / wanted - 1


SPACE = {
    "Nodes": [[1, 0, 0, 0], [2, 0, 0, 3.5], [3, 4, 0.5, 3.5], [4, 4, 0, 0], [5, 2, 3, 3.6], [9, 1, 7, 2], [12, -3, 1, 8]],
    "Types": [[1, "beam"], [2, "truss"]],
    "Sections": [[1, 0.04, INF, INF, 2.3e-4, 1.3e-4, 1.6e-4, 0.1, 0.1, 0.1, 0.1], [2, 0.06, 0.83, 0.6, 3.7e-4, 2e-4, 4.5e-4, 0.15, 0.15, 0.1, 0.1],
                 [3, 0.02, INF, 0.7, 1e-4, 5e-5, 8e-5, 0.1, 0.1, 0.1, 0.1], [7, 0.001] + [NAN] * 9],
    "Materials": [[1, 35e9, 0.2, 2500, 1e-5], [3, 210e9, 0.3, 7850, 1e-5]],
    "Elements": [[1, 1, 1, 1, 1, 2, 9], [2, 1, 2, 1, 2, 3, 9], [3, 1, 1, 3, 4, 3, 12], [4, 1, 3, 3, 2, 5, 12], [5, 1, 2, 1, 5, 3, 9],
                 [20, 2, 7, 3, 1, 3, NAN], [21, 2, 7, 3, 4, 2, NAN], [22, 2, 7, 3, 1, 5, NAN]],
}
PLANE = {
    "Nodes": [[1, 0, 0, 0], [2, 1.5, 1.5, 0], [3, 3, 1.5, 0], [4, 4, 4, 0], [5, 4, 0, 0], [6, 1, 5, 0], [7, 3, 1.5, 1]],
    "Types": [[1, "beam"], [2, "truss"]],
    # The second bends about its local y axis, since its reference node is out of the plane.
    "Sections": [[1, 0.025, INF, INF, 0, 0, 1.3e-4], [2, 5e-5] + [NAN] * 5, [3, 0.02, 0.8, 0.6, 0, 4e-5, 7e-5]],
    "Materials": [[1, 30e9, 0.2, 2500], [2, 210e9, 0.3, 7850]],
    "Elements": [[1, 1, 1, 1, 1, 2, 6], [2, 1, 1, 1, 2, 3, 6], [3, 1, 3, 1, 3, 4, 7], [4, 1, 1, 1, 5, 4, 6], [5, 2, 2, 2, 1, 4, NAN]],
}
OUT_OF_PLANE = [0.03, 0.04, 0.05]


@pytest.mark.parametrize("removed", [[], [1.00, 4.01, 4.02, 4.03]])
def test_a_frame_in_space_has_the_frequencies_of_stabils_matrices(removed):
    folder = SCRATCH / "stabil" / "space"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "space.m").write_text(script(SPACE, removed))
    converted(folder, folder / "space.m", "--interface", "1=foot", "--interface", "4=other")
    agree(modes(folder, *(["--supported"] if removed else [])), frequencies(SPACE, removed))


@pytest.mark.parametrize("removed", [[], [1.00, 5.01, 5.02]])
def test_a_plane_frame_has_them_with_either_axis_in_the_plane(removed):
    folder = SCRATCH / "stabil" / "plane"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plane.m").write_text(script(PLANE, OUT_OF_PLANE + removed))
    assert "dimension = 2" in converted(folder, folder / "plane.m", "--interface", "1", "--interface", "5")
    agree(modes(folder, *(["--supported"] if removed else [])), frequencies(PLANE, OUT_OF_PLANE + removed))


def test_consistent_units_of_any_kind_give_the_same_structure():
    folder = SCRATCH / "stabil" / "units"
    folder.mkdir(parents=True, exist_ok=True)
    # kN, m and t; N, mm and t.
    for units, length, force in (("m-kN", 1, 1e3), ("mm-N", 1e-3, 1)):
        scaled = {**SPACE, "Nodes": [[row[0], *(x / length for x in row[1:])] for row in SPACE["Nodes"]],
                  "Sections": [[row[0], row[1] / length**2, *row[2:4], *(x / length**4 for x in row[4:7])] for row in SPACE["Sections"]],
                  "Materials": [[row[0], row[1] * length**2 / force, row[2], row[3] * length**4 / force] for row in SPACE["Materials"]]}
        (folder / "units.m").write_text(script(scaled, []))
        converted(folder, folder / "units.m", "--units", units, "--interface", "1")
        agree(modes(folder), frequencies(SPACE, []))


def test_options_of_element_types_are_read_in_both_forms():
    folder = SCRATCH / "stabil" / "options"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["Beam.rotationalInertia=false;", "Types={1 'beam' Beam; 2 'truss' struct('lumped',true)};"]
    (folder / "options.m").write_text(script({name: rows for name, rows in SPACE.items() if name != "Types"}, []) + "\n".join(lines) + "\n")
    text = converted(folder, folder / "options.m", "--interface", "1")
    assert text.count('mass = "lumped"') == 3 and text.count("rotary_inertia = false") == 5
    agree(modes(folder), frequencies(SPACE, [], rotary=False, lumped=True))
    data = {name: np.array(rows, float) for name, rows in SPACE.items() if name != "Types"}
    kinds = np.empty((2, 3), object)
    kinds[0], kinds[1] = (1.0, "beam", {"rotationalInertia": False}), (2.0, "truss", {"lumped": True})
    # Node 1 is held, and 4 in translation.
    labels = [n + d / 100 for n in (2, 3, 5) for d in range(1, 7)] + [4.04, 4.05, 4.06]
    data["Elements"] = np.array([row + [NAN] * (7 - len(row)) for row in SPACE["Elements"]], float)
    data["Sections"] = np.array([row + [NAN] * (11 - len(row)) for row in SPACE["Sections"]], float)
    io.savemat(folder / "options.mat", {**data, "Types": kinds, "DOF": np.array(sorted(labels)).reshape(-1, 1)})
    text = converted(folder / "mat", folder / "options.mat")
    assert re.findall(r'node = "(\d)"\nfixed = (.*)', text) == [("1", '["x", "y", "z", "rx", "ry", "rz"]'), ("4", '["x", "y", "z"]')]
    agree(modes(folder / "mat", "--supported"), frequencies(SPACE, [1.00, 4.01, 4.02, 4.03], rotary=False, lumped=True))


def test_tables_as_text_give_the_same_file():
    folder = SCRATCH / "stabil" / "text"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.m").write_text(script(PLANE, OUT_OF_PLANE + [1.00, 5.01]))
    from_script = converted(folder, folder / "text.m", "--modes", "4")
    for name, rows in PLANE.items():
        separator = ", " if name == "Nodes" else "\t"
        (folder / f"{name}.{'csv' if name == 'Nodes' else 'txt'}").write_text(
            "% heading\n" + "".join(separator.join(str(value) for value in row) + "\n" for row in rows))
    labels = ["0.03", "0.04", "0.05", "1.00", "5.01"]
    from_text = converted(SCRATCH / "stabil" / "text_out" / "text", folder, "--modes", "4", "--removed", *labels)
    assert from_text.splitlines()[1:] == from_script.splitlines()[1:]


BROKEN = [
    ("Types={1 'beam'; 2 'shell4'};", "elements that are neither `truss` nor `beam` are not read (`shell4`: 3, the first is element 20)"),
    ("Materials=[1 35e9 0.2; 3 210e9 0.3];", "`Materials`, row 1: 3 columns, at least 4 are needed: a mass needs the density rho"),
    ("Elements(3,2)=2;", "line 25: `Elements` is assigned in a loop or a branch, or by an index"),
    ("for i=1:3\nNodes=[Nodes; 30+i i 0 0];\nend", "line 26: `Nodes` is assigned in a loop"),
    ("Nodes=importdata('x.txt');", "`importdata(...)` is not evaluated: evaluate the script in MATLAB or Octave and save a MAT-file"),
    ("Constr=[0 1 2.01 -1 3.01];", "constraint equations have no place in the structure file"),
    ("Elements=[1 1 1 1 1 2 NaN];", "element 1: a beam needs a reference node n3 in column 7; found nan"),
    ("Elements=[1 1 1 1 1 2 1];", "element 1: its nodes and its reference node 1 are on one line"),
    ("Elements=[1 1 1 1 1 77 9];", "element 1: there is no node 77"),
    ("Elements=[1 1 5 1 1 2 9];", "element 1: there is no section 5"),
    ("Nodes=[Nodes; 2 5 5 5];", "`Nodes`, row 8: the number 2 comes twice"),
    ("Sections=[1 0.04 Inf Inf 0 1e-4 1e-4; Sections(2:3,:)];", "evaluate the script in MATLAB"),
    ("Sections=[1 0.04 Inf Inf 0 1e-4 1e-4];\nElements=[1 1 1 1 1 2 9];", "section 1: Ixx = 0; a beam needs it above 0"),
    ("DOF=removedof(DOF,[77.01]);", "the removed degree of freedom 77.01 is none of this structure"),
    ("Types={1 'beam' struct('lumped',true); 2 'truss'};", "element 1: lumped beams of STABIL have"),
    ("clear Nodes; Nodes=[1 0 0 0", "a bracket is not closed"),
]


@pytest.mark.parametrize("change, message", BROKEN)
def test_what_cannot_be_read_is_refused_with_the_reason(change, message):
    folder = SCRATCH / "stabil" / "broken"
    folder.mkdir(parents=True, exist_ok=True)
    text = script(SPACE, [])
    (folder / "broken.m").write_text(text + change + "\n")
    done = run(sys.executable, SCRIPT, folder / "broken.m", "-o", folder / "out", "--interface", "1")
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not (folder / "out").exists()


def test_labels_of_stabil_name_the_rows_of_its_matrices():
    folder = SCRATCH / "stabil" / "labels"
    folder.mkdir(parents=True, exist_ok=True)
    k, m = assembled(PLANE, OUT_OF_PLANE)
    labels = sorted(node + d / 100 for node in (1, 2, 3, 4, 5) for d in (1, 2, 6))
    for name, matrix in (("K", k), ("M", m)):
        io.mmwrite(folder / f"{name}.mtx", np.tril(matrix) + np.tril(matrix, -1).T, precision=17, symmetry="symmetric")
    np.savetxt(folder / "nodes.csv", np.array(PLANE["Nodes"])[:5], fmt=["%d", "%.9g", "%.9g", "%.9g"], delimiter=",")
    (folder / "structure.toml").write_text("""[structure]
name = "labels"
dimension = 2
[matrices]
format = "matrix_market"
stiffness = "K.mtx"
mass = "M.mtx"
dof_map = "labels.txt"
nodes = "nodes.csv"
[[interface]]
name = "foot"
node = "1"
[reduction]
modes = 4
""")
    # As printed with two digits, by `save -ascii`, by numpy.
    for form in ("%.2f", "%.7e", "%.18e"):
        np.savetxt(folder / "labels.txt", labels, fmt=form)
        agree(modes(folder), frequencies(PLANE, OUT_OF_PLANE))


def test_the_walk_through_of_the_page_has_the_frequencies_of_the_paper_s_method():
    """Full and reduced frequencies of the table, by numpy alone: STABIL's matrices, Craig and Bampton's basis with the supports free."""
    tables = {"Nodes": [[i + 1, 2 * (i % 6), 2 * (i // 6), 0] for i in range(12)], "Types": [[1, "truss"]], "Sections": [[1, 1e-3]],
              "Materials": [[1, 210e9, 0.3, 7800]]}
    bars = [(i, i + 1) for i in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)] + [(i, i + 6) for i in range(1, 7)] + [(i + 6, i + 1) for i in range(1, 6)]
    tables["Elements"] = [[i + 1, 1, 1, 1, *ends] for i, ends in enumerate(bars)]
    k, m = assembled(tables, [0.03])
    masters = [0, 1, 10, 11, 16, 17]
    slaves = [i for i in range(24) if i not in masters]
    shapes = linalg.eigh(k[np.ix_(slaves, slaves)], m[np.ix_(slaves, slaves)])[1][:, :7]
    basis = np.zeros((24, 13))
    basis[masters, :6] = np.eye(6)
    basis[slaves, :6], basis[slaves, 6:] = -linalg.solve(k[np.ix_(slaves, slaves)], k[np.ix_(slaves, masters)]), shapes
    # Node 1 in x and y, node 6 in y.
    free, kept = [i for i in range(24) if i not in (0, 1, 11)], [i for i in range(13) if i not in (0, 1, 3)]
    full = np.sqrt(linalg.eigh(k[np.ix_(free, free)], m[np.ix_(free, free)], eigvals_only=True)[:4]) / (2 * np.pi)
    reduced_k, reduced_m = (basis.T @ matrix @ basis for matrix in (k, m))
    reduced = np.sqrt(linalg.eigh(reduced_k[np.ix_(kept, kept)], reduced_m[np.ix_(kept, kept)], eigvals_only=True)[:4]) / (2 * np.pi)
    shown = PAGE.read_text().split("<!-- stabil: frequencies -->\n")[1].split("<!-- end -->")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split("|")[1:]] for line in shown]
    assert cells[0] == [f"{f:.3f}" for f in full]
    assert cells[2] == [f"{g:.3f} ({100 * (g / f - 1):+.3f} %)" for f, g in zip(full, reduced)]
    # The program's own, of the tables and of the model with the reduced body.
    folder = SCRATCH / "stabil" / "walk" / "truss"
    converted(folder, TRUSS, "--interface", "1=left", "--interface", "6=right", "--interface", "9=load", "--modes", "7")
    assert np.max(np.abs(modes(folder, "--supported")[:4] / full - 1)) < 1e-9
    call(PROGRAM, "reduce", folder, "-o", folder.parent / "truss.rom.toml", "--no-comparison")
    # Without its load, which moves the first frequency by 1.3e-6.
    loaded = (ROOT / "models" / "step_loaded_truss" / "model.toml").read_text()
    assert "start = -1000" in loaded
    (folder.parent / "model.toml").write_text(loaded.replace("start = -1000", "start = 0"))
    found = json.loads(call(PROGRAM, "modes", folder.parent / "model.toml", "--count", "4", "--json"))["frequencies_hz"]
    assert np.max(np.abs(np.array(found[:4]) / reduced - 1)) < 1e-7
