"""Craig-Bampton reduction of large structures: ballesta, scipy and CalculiX with the matrices of one mesh.

plate: bricks C3D20R, one through the thickness. solid: tetrahedra C3D10. Three patches of nodes are each tied rigidly to an interface
(18 interface coordinates). 20 modes are computed with the interfaces held. CalculiX assembles K and M once
(*FREQUENCY, SOLVER=MATRIXSTORAGE). ballesta reads these files, scipy the same matrices as arrays.

ballesta and scipy compute the same reduced model. "ccx frequency" computes only the modes, from the mesh. "reduction" is the wall time
from the matrices in memory to the reduced model; "process" and "processor" are the wall and processor time of the whole process.
Differences are relative to ballesta: of the frequencies, and of the entries of the reduced K and M divided by the square roots of their
diagonal entries.

Needs numpy, scipy and ccx (Debian: calculix-ccx). Example: python benches/reduction/large.py plate solid --dofs 100000
"""

import argparse
import itertools
import json
import os
import sys
import time
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from compare import measure

MODES = 20
SIDES = {"plate": (1.0, 1.13, 0.02), "solid": (0.5, 0.43, 0.37)}  # m; different, so that no two frequencies coincide
HEAD = """*INCLUDE, INPUT=mesh.inp
*MATERIAL, NAME=STEEL
*ELASTIC
210E9, 0.3
*DENSITY
7850.
*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL
"""
DECKS = {
    "matrices": "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n*END STEP\n",
    "frequency": f"*BOUNDARY\nPATCHES, 1, 3\n*STEP\n*FREQUENCY\n{MODES}\n*END STEP\n",
}
ORDERS = ("DISSECTION", "NATURAL", "MMD_AT_PLUS_A", "COLAMD")  # the first one by this script, from the mesh


# --- the mesh ---------------------------------------------------------------------------------------------------------


def grid_size(kind, dofs):
    """Numbers of grid points along x, y, z, two per element, for about `dofs` degrees of freedom."""
    sides = np.array(SIDES[kind])
    if kind == "plate":
        # One layer of elements, each of which adds 7 nodes.
        return (*(2 * np.rint(np.sqrt(dofs / 21 / sides[:2].prod()) * sides[:2]).astype(int) + 1).tolist(), 3)
    return tuple((2 * np.rint((np.cbrt(dofs / 3 / sides.prod()) * sides - 1) / 2).astype(int) + 1).tolist())


def brick():
    """Corners of a C3D20R with the side 2, then the middles of its edges."""
    square = np.array([(0, 0), (2, 0), (2, 2), (0, 2)])
    middles = (square + np.roll(square, -1, axis=0)) // 2
    layers = ((square, 0), (square, 2), (middles, 0), (middles, 2), (square, 1))
    return [np.array([(*place, z) for places, z in layers for place in places])]


def tetrahedra():
    """Corners and edge middles of the six C3D10 of a cube with the side 2."""
    elements = []
    for axes in itertools.permutations(range(3)):
        corners = np.zeros((4, 3), dtype=int)
        for i, axis in enumerate(axes, 1):
            corners[i:, axis] = 2
        if np.linalg.det(corners[1:]) < 0:
            corners[[1, 2]] = corners[[2, 1]]
        middles = [(corners[a] + corners[b]) // 2 for a, b in ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))]
        elements.append(np.vstack([corners, middles]))
    return elements


def mesh(kind, dofs):
    """Grid indices of the nodes, their places, the element type, the elements, and the nodes of the patches."""
    grid = grid_size(kind, dofs)
    numbers = np.arange(np.prod(grid)).reshape(grid)
    forms, name = (brick(), "C3D20R") if kind == "plate" else (tetrahedra(), "C3D10")
    first = numbers[:-1:2, :-1:2, :-1:2].ravel()
    elements = np.vstack([first[:, None] + form @ [grid[1] * grid[2], grid[2], 1] for form in forms])
    used, elements = np.unique(elements, return_inverse=True)
    indices = np.stack(np.unravel_index(used, grid), axis=1)
    # Three corners: 5 × 5 points of the lowest layer, through the thickness for the plate.
    near = (indices[:, :2] < 5).T & ((indices[:, 2] == 0) | (kind == "plate"))
    far = (indices[:, :2] >= np.array(grid[:2]) - 5).T
    patches = [np.flatnonzero(x & y) for x, y in ((near[0], near[1]), (far[0], near[1]), (near[0], far[1]))]
    places = indices * (np.array(SIDES[kind]) / (np.array(grid) - 1))
    return indices, places, name, elements.reshape(-1, len(forms[0])), patches


def write_decks(folder, kind, dofs):
    """The decks of CalculiX and structure.toml."""
    indices, places, name, elements, patches = mesh(kind, int(dofs))
    with open(folder / "mesh.inp", "w") as file:
        file.write("*NODE, NSET=ALL\n")
        np.savetxt(file, np.column_stack([np.arange(1, len(places) + 1), places]), fmt="%d, %.12g, %.12g, %.12g")
        file.write(f"*ELEMENT, TYPE={name}, ELSET=BODY\n")
        for number, nodes in enumerate((elements + 1).tolist(), 1):
            # CalculiX reads at most 16 numbers of a line.
            lines = [", ".join(map(str, [number, *nodes][i : i + 11])) for i in range(0, len(nodes) + 1, 11)]
            file.write(",\n".join(lines) + "\n")
        for i, patch in enumerate([*patches, np.concatenate(patches)], 1):
            file.write(f"*NSET, NSET={f'PATCH{i}' if i <= len(patches) else 'PATCHES'}\n")
            file.writelines(f"{node + 1},\n" for node in patch)
    for deck, steps in DECKS.items():
        (folder / f"{deck}.inp").write_text(HEAD + steps)
    interfaces = "".join(
        f'\n[[interface]]\nname = "patch{i}"\nposition = {places[patch].mean(axis=0).tolist()}\nrigid = ["PATCH{i}"]\n'
        for i, patch in enumerate(patches, 1)
    )
    (folder / "structure.toml").write_text(
        f'[structure]\nname = "{kind}"\n\n[matrices]\nformat = "calculix"\nstiffness = "matrices.sti"\nmass = "matrices.mas"\n'
        f'dof_map = "matrices.dof"\nnodes = "mesh.inp"\nunits = "SI"\n{interfaces}\n[reduction]\nmodes = {MODES}\n'
    )
    np.savez(folder / "mesh.npz", indices=indices, places=places, patches=np.array(patches))
    print(json.dumps({"dofs": 3 * len(places)}))


def convert(folder):
    """The matrices of CalculiX as arrays."""
    for name in ("sti", "mas"):
        rows, columns, values = np.fromfile(folder / f"matrices.{name}", sep=" ").reshape(-1, 3).T
        rows, columns = (part.astype(np.int32) - 1 for part in (rows, columns))
        half = sp.coo_array((values, (rows, columns))).tocsc()
        sp.save_npz(folder / f"{name}.npz", (half + sp.triu(half, 1).T).tocsc(), compressed=False)
    nodes = np.floor(np.loadtxt(folder / "matrices.dof")).reshape(-1, 3)
    if not np.array_equal(nodes, np.arange(1, len(nodes) + 1)[:, None] + np.zeros(3)):
        sys.exit("the rows of the matrices are not in the order of the nodes")


# --- scipy ------------------------------------------------------------------------------------------------------------


def dissect(nodes, indices):
    """Nested dissection of nodes of a regular grid: both halves, then the plane between them, at even indices."""
    extent = np.ptp(indices[nodes], axis=0)
    axis = extent.argmax()
    if extent[axis] < 4:
        return nodes
    along = indices[nodes, axis]
    middle = (along.min() + along.max()) // 4 * 2
    parts = [dissect(nodes[side], indices) for side in (along < middle, along > middle) if side.any()]
    return np.concatenate([*parts, nodes[along == middle]])


def rigid_links(places, patches, inside):
    """u = T q with q = (interfaces, the nodes `inside` in this order)."""
    rows, columns, values = [], [], []
    for i, patch in enumerate(patches):
        arm = places[patch] - places[patch].mean(axis=0)
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            for column, value in [(a, np.ones(len(patch))), (3 + b, arm[:, c]), (3 + c, -arm[:, b])]:
                rows.append(3 * patch + a), columns.append(np.full(len(patch), 6 * i + column)), values.append(value)
    interior = (3 * inside[:, None] + np.arange(3)).ravel()
    rows.append(interior), columns.append(6 * len(patches) + np.arange(len(interior))), values.append(np.ones(len(interior)))
    return sp.csc_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))


def reduce_by_scipy(folder, order):
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    mesh = np.load(folder / "mesh.npz")
    places, patches = mesh["places"], mesh["patches"]
    k, m = (sp.load_npz(folder / f"{name}.npz").tocsc() for name in ("sti", "mas"))
    start = time.perf_counter()
    inside = np.setdiff1d(np.arange(len(places)), patches)
    if order == "DISSECTION":
        inside, order = dissect(inside, mesh["indices"]), "NATURAL"
    links = rigid_links(places, patches, inside)
    k, m = ((links.T @ matrix @ links).tocsc() for matrix in (k, m))
    held = 6 * len(patches)
    k_inside, m_inside = k[held:, held:].tocsc(), m[held:, held:].tocsc()
    factor = splu(k_inside, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    constraint = -factor.solve(k[held:, :held].toarray())
    flexibility = LinearOperator(k_inside.shape, matvec=factor.solve, dtype=float)
    first = np.random.default_rng(1).standard_normal(k_inside.shape[0])
    squares, shapes = eigsh(k_inside, k=MODES, M=m_inside, sigma=0, OPinv=flexibility, v0=first)
    ascending = squares.argsort()
    squares, shapes = squares[ascending], shapes[:, ascending]
    basis = np.block([[np.eye(held), np.zeros((held, MODES))], [constraint, shapes]])
    stiffness, mass = basis.T @ (k @ basis), basis.T @ (m @ basis)
    seconds = time.perf_counter() - start
    np.savez(folder / "reduced.npz", stiffness=stiffness, mass=mass)
    frequencies = (np.sqrt(squares) / (2 * np.pi)).tolist()
    print(json.dumps({"seconds": seconds, "frequencies": frequencies, "factor_entries": int(factor.nnz) // 2}))


# --- the comparison ---------------------------------------------------------------------------------------------------


def ballesta(program, folder):
    found = measure([program, "reduce", folder, "--output", folder / "body.rom.toml", "--no-comparison", "--json"])
    matrices = tomllib.loads((folder / "body.rom.toml").read_text())["matrices"]
    for name in ("stiffness", "mass"):
        half = np.zeros((matrices["size"],) * 2)
        half[np.tril_indices(len(half))] = matrices[name]
        found[name] = half + np.tril(half, -1).T
    return found | {"frequencies": [mode["frequency_hz"] for mode in found["modes"]]}


def calculix(folder, deck, limit):
    """Runs a deck; its frequencies, if it has any."""
    results = folder / f"{deck}.dat"
    results.unlink(missing_ok=True)
    found = measure(["sh", "-c", f"cd '{folder}' && exec ccx {deck} > {deck}.log"], limit)
    if "*ERROR" in (folder / f"{deck}.log").read_text():
        sys.exit(f"ccx failed: {folder}/{deck}.log")
    if deck == "frequency" and results.is_file() and results.stat().st_size > 0:
        table = results.read_text().split("P A R T I C I P A T I O N")[0]
        lines = [line.split() for line in table.splitlines()]
        squares = [float(line[1]) for line in lines if len(line) == 5 and line[0].isdigit()]  # rad²/s², seven digits
        found["frequencies"] = (np.sqrt(squares) / (2 * np.pi)).tolist()
    return found


def worst(found, own):
    """Largest relative difference of the frequencies."""
    return max(abs(a / b - 1) for a, b in zip(found, own, strict=True))


def difference(found, own):
    """Largest difference of a symmetric matrix, relative to the square roots of the diagonal; signs of modes are free."""
    scale = np.sqrt(np.diag(own))
    return float(np.max(np.abs(np.abs(found) - np.abs(own)) / np.outer(scale, scale)))


COLUMNS = "case, DoF, program, reduction s, process s, processor s, peak MB, predicted MB, factor in million entries".split(", ")
COLUMNS += ["frequencies", "stiffness", "mass"]  # differences


def row(case, program, found, own):
    """Cells of the table; differences are relative to `own`."""
    number = lambda key, scale, digits: f"{found[key] * scale:.{digits}f}" if key in found else ""
    cells = [number("seconds", 1, 1), number("wall", 1, 1), number("processor", 1, 1), number("peak", 1e-6, 0)]
    cells += [number("predicted_bytes", 1e-6, 0), number("factor_entries", 1e-6, 0)]
    if found is own:
        return [*case, program, *cells, "", "", ""]
    measures = {"frequencies": worst, "stiffness": difference, "mass": difference}
    cells += [f"{of(found[name], own[name]):.1e}" if name in found else "" for name, of in measures.items()]
    return [*case, program, *cells]


def compare(options):
    lines = []

    def add(cells):
        lines.append("| " + " | ".join(cells) + " |\n")
        print(lines[-1], end="", flush=True)

    add(COLUMNS), add(["---"] * len(COLUMNS))
    for kind, dofs in itertools.product(options.kinds, options.dofs):
        folder = options.folder.resolve() / f"{kind}-{dofs}"
        folder.mkdir(parents=True, exist_ok=True)
        part = lambda *arguments, limit=None: measure([sys.executable, __file__, *arguments], limit)
        case = (kind, str(part("decks", folder, kind, dofs)["dofs"]))
        calculix(folder, "matrices", options.limit)
        part("convert", folder)
        own = ballesta(options.program, folder)
        runs = {"ballesta": lambda: own}
        runs |= {f"scipy, {order}": partial(part, "scipy", folder, order, limit=options.limit) for order in options.orders}
        runs |= {"ccx frequency": partial(calculix, folder, "frequency", options.limit)}
        for program, run in runs.items():
            found = run()
            if program.startswith("scipy") and "frequencies" in found:
                with np.load(folder / "reduced.npz") as reduced:
                    found |= {name: reduced[name] for name in ("stiffness", "mass")}
            stopped = "" if "frequencies" in found else ", stopped"
            add(row(case, program + stopped, found, own))
    options.table.write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+", choices=list(SIDES), help="structures")
    parser.add_argument("--dofs", type=int, nargs="+", default=[100_000], help="degrees of freedom, at least 10000")
    parser.add_argument("--orders", nargs="+", default=["DISSECTION"], choices=ORDERS, help="orders of elimination of scipy")
    parser.add_argument("--program", type=Path, default=Path("target/release/ballesta"), help="ballesta")
    parser.add_argument("--folder", type=Path, default=Path("target/bench-reduction"), help="for generated files")
    parser.add_argument("--table", type=Path, default=Path("target/bench-reduction/large.md"), help="Markdown to write")
    parser.add_argument("--limit", type=int, default=600, help="processor seconds after which scipy and ccx are stopped")
    options = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    compare(options)


# Parts that run in a process of their own: their memory is measured.
PARTS = {"decks": write_decks, "convert": convert, "scipy": reduce_by_scipy}

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        PARTS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
    else:
        main()
