"""Matrices of Nastran and Ansys by examples/fe_matrices.py: the reduced body of the files that they are written from."""

import json
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from pyNastran.op4.op4 import OP4
from scipy import io, sparse

import gallery
from gallery import call

SCRIPT = gallery.ROOT / "examples" / "fe_matrices.py"
ARM = gallery.ROOT / "models" / "structures" / "superelement"


def matrices():
    found = {name: io.mmread(ARM / f"{name}.mtx") for name in ("stiffness", "mass")}
    return {name: matrix.toarray() if sparse.issparse(matrix) else matrix for name, matrix in found.items()}


def positions():
    lines = (ARM / "nodes.csv").read_text(encoding="utf-8").splitlines()[1:]
    found = {int(node): [float(x) for x in rest[:3]] for node, *rest in (line.split(",") for line in lines if line.strip())}
    # The others are nodes of the shapes.
    return {node: found[node] for node in (1, 2)}


def frequencies(structure):
    """Of the free body, Hz."""
    answer = json.loads(call(gallery.PROGRAM, "modes", structure, "--json"))
    return answer["frequencies_hz"]


def converted(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module", autouse=True)
def program():
    gallery.build()


def test_output4_of_a_superelement(tmp_path):
    places = positions()
    deck = "".join(f"GRID,{10 * node},,{','.join(repr(x) for x in place)}\n" for node, place in places.items())
    (tmp_path / "arm.bdf").write_text(f"$ the interfaces\n{deck}")
    found = {"KAA": (6, matrices()["stiffness"]), "MAA": (6, matrices()["mass"])}
    OP4(debug=False).write_op4(str(tmp_path / "arm.op4"), found, is_binary=False, precision="double")
    faces = [f"--interface={10 * node}=face_{node}" for node in places]
    converted(tmp_path / "arm.op4", "--nodes", tmp_path / "arm.bdf", *faces, "-o", tmp_path / "arm")
    written = {name: io.mmread(tmp_path / "arm" / f"{name}.mtx").toarray() for name in matrices()}
    for name, matrix in matrices().items():
        assert np.abs(written[name] - matrix).max() <= 1e-12 * np.abs(matrix).max(), name
    assert frequencies(tmp_path / "arm") == pytest.approx(frequencies(ARM), rel=1e-9)
    done = subprocess.run([sys.executable, SCRIPT, tmp_path / "arm.op4", "--nodes", tmp_path / "arm.bdf", "--interface=7=x", "-o", tmp_path / "b"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "there is no grid point 7" in done.stderr


def test_full_file_of_ansys(tmp_path, monkeypatch):
    """The reader of .full files needs a package of 200 MB: it is replaced by one that gives an elastic bar."""
    sys.path.insert(0, str(SCRIPT.parent))
    import fe_matrices

    stiffness = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([4e6, 1e6, 1e6]))
    mass = np.kron([[2.0, 1.0], [1.0, 2.0]], np.eye(3)) / 6
    freedoms = np.array([[node, direction] for node in (3, 8) for direction in range(3)])
    full = SimpleNamespace(load_km=lambda sort: (freedoms, sparse.csc_matrix(np.triu(stiffness)), sparse.csc_matrix(np.triu(mass))))
    results = SimpleNamespace(mesh=SimpleNamespace(nnum=np.array([3, 8]), nodes=np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0]])))
    reader = ModuleType("ansys.mapdl.reader")
    reader.read_binary = lambda name: full if name.endswith(".full") else results
    reader.Archive = None
    for name, module in (("ansys", ModuleType("ansys")), ("ansys.mapdl", ModuleType("ansys.mapdl")), ("ansys.mapdl.reader", reader)):
        monkeypatch.setitem(sys.modules, name, module)
    chosen, rows, nodes = fe_matrices.ansys(tmp_path / "a.full", tmp_path / "a.rst")
    assert rows == [(3, "x"), (3, "y"), (3, "z"), (8, "x"), (8, "y"), (8, "z")]
    assert np.array_equal(chosen["stiffness"].toarray(), stiffness) and np.allclose(chosen["mass"].toarray(), mass, rtol=1e-15)
    assert nodes[8].tolist() == [0.5, 0, 0]
    full.load_km = lambda sort: (freedoms, sparse.csc_matrix((6, 6)), sparse.csc_matrix((6, 6)))
    with pytest.raises(SystemExit, match="6 of 6 degrees of freedom are held, first x of node 3"):
        fe_matrices.ansys(tmp_path / "a.full", tmp_path / "a.rst")
