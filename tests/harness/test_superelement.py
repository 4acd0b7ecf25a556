"""Bodies that another program has reduced: a frame of beams reduced here by numpy after Craig and Bampton, beside the same frame whose whole
matrices `ballesta reduce` takes; MAT-files by examples/superelement.py; matrices that `ballesta convert` writes."""

import csv
import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from scipy import io, linalg, sparse

from gallery import PROGRAM, ROOT, SCRATCH

sys.path.insert(0, str(ROOT / "examples"))
import superelement  # noqa: E402

MODES, DIRECTIONS = 10, superelement.DIRECTIONS
# A bent arm, m; the interfaces are its ends, the first two nodes of the files.
NODES = np.array([[0, 0, 0], [0.9, 0.25, 0.15], *[[0.1 * i, 0.02 * i, 0] for i in range(1, 6)],
                  *[[0.5 + 0.1 * i, 0.1 + 0.03 * i, 0.03 * i] for i in range(1, 4)]])
BEAMS = [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 1)]


def beam(a, b):
    """Stiffness and consistent mass of a steel tube between two points, 12 x 12 in global axes."""
    e, g, rho, area, bending, torsion = 2.1e11, 8e10, 7850.0, 1.5e-4, 1.2e-8, 2.4e-8
    along = b - a
    length = np.linalg.norm(along)
    axes = np.array([along / length, *linalg.null_space(along[None]).T])
    axes[2] = np.cross(axes[0], axes[1])
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    for i, j, s in ((0, 0, 1), (0, 6, -1), (6, 6, 1)):
        k[i, j], k[i + 3, j + 3] = s * e * area / length, s * g * torsion / length
        m[i, j], m[i + 3, j + 3] = (rho * area * length / (3 if i == j else 6)), (rho * 2 * bending * length / (3 if i == j else 6))
    for (v, t), s in (((1, 5), 1), ((2, 4), -1)):
        rows = [v, t, v + 6, t + 6]
        sign = np.diag([1, s, 1, s])
        stiff = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], float)
        heavy = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]], float)
        scale = np.diag([1, length, 1, length])
        k[np.ix_(rows, rows)] = sign @ scale @ stiff @ scale @ sign * e * bending / length**3
        m[np.ix_(rows, rows)] = sign @ scale @ heavy @ scale @ sign * rho * area * length / 420
    k, m = (np.triu(x) + np.triu(x, 1).T for x in (k, m))
    turn = linalg.block_diag(*[axes] * 4)
    return turn.T @ k @ turn, turn.T @ m @ turn


@pytest.fixture(scope="module")
def frame():
    size = 6 * len(NODES)
    k, m = np.zeros((size, size)), np.zeros((size, size))
    for a, b in BEAMS:
        rows = np.r_[6 * a:6 * a + 6, 6 * b:6 * b + 6]
        for whole, part in zip((k, m), beam(NODES[a], NODES[b])):
            whole[np.ix_(rows, rows)] += part
    return k, m


def craig_bampton(k, m, modes, mix=None):
    """Basis T of 12 interface coordinates and `modes` normal modes, as another program would write it: these in any combination `mix`."""
    inside, ends = np.arange(12, len(k)), np.arange(12)
    shapes = linalg.eigh(k[np.ix_(inside, inside)], m[np.ix_(inside, inside)])[1][:, :modes]
    static = -linalg.solve(k[np.ix_(inside, inside)], k[np.ix_(inside, ends)], assume_a="pos")
    basis = np.zeros((len(k), 12 + modes))
    basis[:12, :12] = np.eye(12)
    basis[12:, :12], basis[12:, 12:] = static, shapes if mix is None else shapes @ mix
    return basis


def whole(folder, k, m):
    """The structure with its whole matrices."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, matrix in (("stiffness", k), ("mass", m)):
        io.mmwrite(folder / f"{name}.mtx", sparse.coo_matrix(matrix), precision=17, symmetry="symmetric")
    (folder / "rows.dof").write_text("".join(f"{i // 6 + 1}.{DIRECTIONS[i % 6]}\n" for i in range(len(k))))
    write_nodes(folder)
    (folder / "structure.toml").write_text(f"""[structure]
name = "arm"
[matrices]
format = "matrix_market"
stiffness = "stiffness.mtx"
mass = "mass.mtx"
dof_map = "rows.dof"
nodes = "nodes.csv"
[[interface]]
name = "interface_1"
node = "1"
[[interface]]
name = "interface_2"
node = "2"
[[output]]
name = "middle"
node = "7"
[reduction]
modes = {MODES}
""")


def write_nodes(folder):
    places = "".join(f"{i + 1}, " + ", ".join(repr(float(x)) for x in place) + "\n" for i, place in enumerate(NODES))
    (folder / "nodes.csv").write_text("node, x, y, z\n" + places)


def call(*command):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def reduce(structure, rom):
    return json.loads(call(PROGRAM, "reduce", structure, "-o", rom, "--json"))


def read(rom):
    return tomllib.loads(rom.read_text())


@pytest.fixture(scope="module")
def roms(frame):
    """The reduced models: of the whole matrices; of reduced ones; of these with the shapes and masses of the nodes."""
    k, m = frame
    folder = SCRATCH / "superelement"
    whole(folder / "whole", k, m)
    found = {"whole": reduce(folder / "whole", folder / "whole.rom.toml")}
    basis = craig_bampton(k, m, MODES)
    matrices = {"stiffness": basis.T @ k @ basis, "mass": basis.T @ m @ basis}
    superelement.write(folder / "reduced", NODES[:2], matrices)
    found["reduced"] = reduce(folder / "reduced", folder / "reduced.rom.toml")
    # Lumped as `reduce` does: the sum of each node's rows.
    lumped = [np.mean([m[6 * i + d, d::6].sum() for d in range(3)]) for i in range(len(NODES))]
    superelement.write(folder / "shapes", NODES[:2], matrices)
    write_nodes(folder / "shapes")
    io.mmwrite(folder / "shapes" / "shapes.mtx", basis[12:], precision=17)
    (folder / "shapes" / "shapes.dof").write_text("".join(f"{i // 6 + 1}.{i % 6 + 1}\n" for i in range(12, len(k))))
    (folder / "shapes" / "masses.csv").write_text("".join(f"{i + 1}, {mass!r}\n" for i, mass in enumerate(map(float, lumped))))
    with open(folder / "shapes" / "structure.toml", "a", encoding="utf-8") as file:
        file.write('\n[matrices.shapes]\nfile = "shapes.mtx"\ndof_map = "shapes.dof"\nmasses = "masses.csv"\n'
                   '\n[[output]]\nname = "middle"\nnode = "7"\n')
    found["shapes"] = reduce(folder / "shapes", folder / "shapes.rom.toml")
    return folder, found


def test_frequencies_and_mass_are_those_of_the_whole_matrices(roms):
    folder, found = roms
    one = read(folder / "whole.rom.toml")
    for name in ("reduced", "shapes"):
        other = read(folder / f"{name}.rom.toml")
        for key in (("modes", "frequencies_hz"), ("checks", "free_frequencies_hz")):
            f, g = np.array(one[key[0]][key[1]]), np.array(other[key[0]][key[1]])
            assert len(f) == len(g) and np.max(np.abs(g / f - 1)) < 1e-9, (name, key, f, g)
        assert np.allclose(other["rigid"]["mass"], one["rigid"]["mass"], rtol=1e-12)
        assert np.allclose(other["rigid"]["centre"], one["rigid"]["centre"], rtol=1e-10)
        assert np.allclose(other["rigid"]["inertia"], one["rigid"]["inertia"], rtol=1e-9, atol=1e-9)
        assert other["modes"]["frequencies_hz"][0] < other["modes"]["frequencies_hz"][-1]
    assert any("without `matrices.shapes`" in note for note in found["reduced"]["notes"]), found["reduced"]["notes"]
    assert not any("without `matrices.shapes`" in note for note in found["shapes"]["notes"])
    assert (found["whole"]["notes"], read(folder / "reduced.rom.toml")["inertia"]["mass_model"]) == ([], "rigid")


def rotary_inertia(mass):
    """Bound of the rotary inertia of all nodes: sums of its rows in rotations of all nodes. Masses alone do not have it."""
    nodes = len(mass) // 6
    blocks = [sum(mass[6 * node + 3:6 * node + 6, 6 * other + 3:6 * other + 6] for other in range(nodes)) for node in range(nodes)]
    return sum(np.max(np.abs(block)) for block in blocks)


def test_integrals_are_those_of_the_whole_matrices_where_the_masses_are_given(roms, frame):
    folder, _ = roms
    one, other = (read(folder / f"{name}.rom.toml") for name in ("whole", "shapes"))
    assert other["inertia"]["mass_model"] == one["inertia"]["mass_model"] == "lumped"
    # Modes may have the other sign.
    signs = np.sign(np.array(one["node"][0]["displacement"]) * np.array(other["node"][0]["displacement"]))
    signs = np.where(np.sum(signs, axis=0) < 0, -1.0, 1.0)
    # Of every coordinate the largest rotation of a node.
    rotations = np.max(np.abs(craig_bampton(*frame, MODES).reshape(len(NODES), 6, -1)[:, 3:]), axis=(0, 1))
    for key, bound in (("translation", 0.0), ("position", rotary_inertia(frame[1]) * rotations)):
        f, g = np.array(one["inertia"][key]), np.array(other["inertia"][key]) * signs
        off = np.max(np.abs(f - g), axis=0)
        print(key, off, bound)
        assert np.all(off < 1e-9 * np.max(np.abs(f)) + bound), key


MODEL = """[model]
name = "turning_arm"
gravity = [0, 0, -9.81]
integrator = "generalized_alpha"
step = 4e-5

[experiment]
stop = 0.2
step = 0.002

[points]
O = [0, 0, 0]
P = [0.9, 0.25, 0.15]

[[flexible_body]]
name = "arm"
rom = "{rom}"

[[body]]
name = "load"
mass = 0.4
com = [0.93, 0.25, 0.13]
inertia = [1e-4, 1e-4, 1e-4, 0, 0, 0]

[[joint]]
name = "root"
type = "revolute"
bodies = ["ground", "arm.interface_1"]
point = "O"
axis = [0, 1, 0.2]
speed = {speed}

[[joint]]
name = "tip"
type = "fixed"
bodies = ["arm.interface_2", "load"]
point = "P"

[[output]]
name = "load"
body = "load"
quantity = "position"
"""
def motion(folder, rom, speed):
    """x, y, z of the load over time."""
    model = folder / f"{rom}.toml"
    model.write_text(MODEL.format(rom=f"{rom}.rom.toml", speed=speed))
    table = folder / f"{rom}.csv"
    call(PROGRAM, "run", model, "--csv", table, "--quiet")
    with open(table, newline="", encoding="utf-8") as file:
        return np.array([[float(x) for x in row[1:4]] for row in list(csv.reader(file))[1:]])


@pytest.mark.parametrize("speed", [0.0, 8.0])
def test_the_motion_is_that_of_the_whole_matrices(roms, speed):
    folder, _ = roms
    full, reduced, shapes = (motion(folder, name, speed) for name in ("whole", "reduced", "shapes"))
    moved = np.max(np.abs(full - full[0]))
    assert moved > 0.1
    # Masses and shapes leave the rotary inertia of the nodes out.
    assert np.max(np.abs(shapes - full)) < 1e-7 * moved
    # Without them, what the elastic motion adds to the inertia is missing.
    assert np.max(np.abs(reduced - full)) < 1e-4 * moved


def test_modal_coordinates_in_any_combination_and_strained_by_interfaces_give_the_same_body(frame, roms):
    k, m = frame
    folder, _ = roms
    rng = np.random.default_rng(7)
    basis = craig_bampton(k, m, MODES, mix=rng.standard_normal((MODES, MODES)))
    # As after a reduction in which static shapes were combined with modes.
    basis[:, :12] += basis[:, 12:] @ rng.standard_normal((MODES, 12))
    basis[:12, :12] = np.eye(12)
    superelement.write(folder / "mixed", NODES[:2], {"stiffness": basis.T @ k @ basis, "mass": basis.T @ m @ basis})
    reduce(folder / "mixed", folder / "mixed.rom.toml")
    one, other = (read(folder / f"{name}.rom.toml")["checks"]["free_frequencies_hz"] for name in ("whole", "mixed"))
    assert np.max(np.abs(np.array(other) / one - 1)) < 1e-7


def test_a_mat_file_gives_the_same_model(frame, roms):
    k, m = frame
    folder, _ = roms
    basis = craig_bampton(k, m, MODES)
    reduced, mass = basis.T @ k @ basis, basis.T @ m @ basis
    # Damping of the elastic motion.
    damping = 1e-5 * reduced
    io.savemat(folder / "arm.mat", {"K": reduced, "M": sparse.csc_matrix(mass), "C": damping, "P": NODES[:2]})
    call(sys.executable, ROOT / "examples" / "superelement.py", folder / "arm.mat", "-o", folder / "mat")
    reduce(folder / "mat", folder / "mat.rom.toml")
    one, other = read(folder / "reduced.rom.toml"), read(folder / "mat.rom.toml")
    assert one["matrices"]["stiffness"] == other["matrices"]["stiffness"] and one["matrices"]["mass"] == other["matrices"]["mass"]
    size = other["matrices"]["size"]
    lower = np.tril_indices(size)
    c, expected = (np.array(other["matrices"][key]) for key in ("damping", "stiffness"))
    scale = np.sqrt(expected[lower[0] == lower[1]])
    assert np.max(np.abs(c - 1e-5 * expected) / (scale[lower[0]] * scale[lower[1]])) < 1e-5 * 1e-9


def test_matrices_that_are_written_come_back_with_their_bits(roms):
    folder, _ = roms
    for name in ("reduced", "mat"):
        out = folder / f"{name}_written.toml"
        told = json.loads(call(PROGRAM, "convert", folder / f"{name}.rom.toml", "--matrices", out, "--json"))
        assert "integrals of the mass" in told["matrices"]["remarks"][0], told
        reduce(out, folder / f"{name}_again.rom.toml")
        one, other = (read(folder / f"{file}.rom.toml") for file in (name, f"{name}_again"))
        assert one["matrices"] == other["matrices"]
        assert one["modes"] == other["modes"] and one["checks"]["free_frequencies_hz"] == other["checks"]["free_frequencies_hz"]
        assert [(i["name"], i["position"]) for i in one["interface"]] == [(i["name"], i["position"]) for i in other["interface"]]
        # The files hold the bits of the model: numpy reads them.
        mass = io.mmread(folder / f"{name}_written_mass.mtx").toarray()
        assert list(mass[np.tril_indices(len(mass))]) == one["matrices"]["mass"]
