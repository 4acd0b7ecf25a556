"""Craig-Bampton reduction side by side: ballesta, scipy (splu and eigsh) and Exudyn.

Solid: a bar of hexahedra with eight nodes and consistent mass, both end faces tied rigidly to an interface at their middle,
20 modes with the interfaces held. Lattice: beams between the nodes of a grid with a diagonal in every face, for ballesta alone.

Every program runs in a process of its own. "process" and "processor" are the whole of it: for ballesta with reading text
files and writing the model, for the others with loading arrays and libraries. "reduction" is from the matrices in memory to
the reduced model. "difference" is the largest relative one of the frequencies to those of ballesta.
"""

import argparse
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

MODES = 20
EDGES = np.array([0.010, 0.010, 0.009])  # of one element, m; not square, so that no two frequencies coincide
YOUNGS_MODULUS, POISSON, DENSITY = 210e9, 0.3, 7850.0
SOLIDS = {"1e4": (60, 7, 7), "1e5": (130, 15, 15)}
LATTICES = {"1e4": (12, 12, 12), "1e5": (66, 16, 16)}


# --- the structures ---------------------------------------------------------------------------------------------------


def element_matrices():
    """Stiffness and mass (24 x 24) of a box with eight nodes, 2 x 2 x 2 points of Gauss."""
    corners = np.array(list(itertools.product((-1, 1), repeat=3)))
    first, second = YOUNGS_MODULUS * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNGS_MODULUS / (2 * (1 + POISSON))
    elasticity = np.diag([2 * second] * 3 + [second] * 3)
    elasticity[:3, :3] += first
    volume = EDGES.prod() / 8
    stiffness, mass = np.zeros((24, 24)), np.zeros((8, 8))
    for point in corners / np.sqrt(3):
        factors = (1 + corners * point) / 2
        shape = factors.prod(axis=1)
        slope = np.stack([corners[:, a] / EDGES[a] * np.delete(factors, a, axis=1).prod(axis=1) for a in range(3)])
        strain = np.zeros((6, 24))
        for a in range(3):
            strain[a, a::3] = slope[a]
            b, c = (a + 1) % 3, (a + 2) % 3
            strain[3 + a, b::3], strain[3 + a, c::3] = slope[c], slope[b]
        stiffness += strain.T @ elasticity @ strain * volume
        mass += DENSITY * np.outer(shape, shape) * volume
    return stiffness, np.kron(mass, np.eye(3))


def solid(elements):
    """K, M (symmetric, compressed columns), places of the nodes, and the nodes of the two end faces."""
    numbers = np.arange(np.prod(np.add(elements, 1))).reshape(np.add(elements, 1))
    shifts = itertools.product((0, 1), repeat=3)
    parts = [numbers[tuple(slice(s, s + n) for s, n in zip(shift, elements))].ravel() for shift in shifts]
    dofs = (3 * np.stack(parts, axis=1)[:, :, None] + np.arange(3)).reshape(-1, 24)
    rows, columns = np.repeat(dofs, 24, axis=1).ravel(), np.tile(dofs, 24).ravel()

    def assemble(element):
        lower = rows >= columns
        values = np.tile(element.ravel(), len(dofs))[lower]
        half = sp.coo_array((values, (rows[lower], columns[lower])), shape=(3 * numbers.size,) * 2).tocsc()
        half.data[np.abs(half.data) < 1e-14 * half.data.max()] = 0  # what cancels between neighbours
        half.eliminate_zeros()
        return half, (half + sp.tril(half, -1).T).tocsc()

    places = np.stack(np.unravel_index(numbers.ravel(), numbers.shape), axis=1) * EDGES
    stiffness, mass = (assemble(element) for element in element_matrices())
    return stiffness, mass, places, [numbers[0].ravel(), numbers[-1].ravel()]


def write_solid(folder, elements):
    """Everything that the programs read: Matrix Market files with map, nodes and structure.toml, and the same as arrays."""
    (k_half, k), (m_half, m), places, faces = solid(elements)
    for name, half in [("stiffness", k_half), ("mass", m_half)]:
        half = half.tocoo()
        with open(folder / f"{name}.mtx", "w") as file:
            file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{half.shape[0]} {half.shape[1]} {half.nnz}\n")
            entries = zip((half.row + 1).tolist(), (half.col + 1).tolist(), half.data.tolist())
            file.writelines(f"{row} {column} {value!r}\n" for row, column, value in entries)
    nodes = len(places)
    with open(folder / "rows.dof", "w") as file:
        file.writelines(f"{node + 1}.{direction}\n" for node in range(nodes) for direction in (1, 2, 3))
    sets = np.full(nodes, "", dtype=object)
    sets[faces[0]], sets[faces[1]] = "left_face", "right_face"
    with open(folder / "nodes.csv", "w") as file:
        file.write("node, x, y, z, sets\n")
        for node, (place, name) in enumerate(zip(places.tolist(), sets)):
            file.write(f"{node + 1}, {place[0]!r}, {place[1]!r}, {place[2]!r}" + (f", {name}\n" if name else "\n"))
    interfaces = "".join(
        f'\n[[interface]]\nname = "{name}"\nposition = {middle.tolist()}\nrigid = ["{name}_face"]\n'
        for name, middle in zip(("left", "right"), middles(places, faces))
    )
    (folder / "structure.toml").write_text(
        '[structure]\nname = "bar"\n\n[matrices]\nformat = "matrix_market"\n'
        'stiffness = "stiffness.mtx"\nmass = "mass.mtx"\n'
        f'dof_map = "rows.dof"\nnodes = "nodes.csv"\nunits = "SI"\n{interfaces}\n[reduction]\nmodes = {MODES}\n'
    )
    sp.save_npz(folder / "k.npz", k, compressed=False)
    sp.save_npz(folder / "m.npz", m, compressed=False)
    np.savez(folder / "mesh.npz", places=places, left=faces[0], right=faces[1])
    return k.shape[0]


def write_lattice(folder, counts):
    """A structure.toml of steel tubes: the edges of a grid of cubes of 0.5 m and one diagonal in every face."""
    ways = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]
    name = lambda place: "n" + "_".join(map(str, place))
    places = list(itertools.product(*map(range, counts)))
    lines = ['[structure]\nname = "lattice"\n\n[nodes]\n']
    lines += [f"{name(place)} = [{place[0] * 0.5}, {place[1] * 0.5}, {place[2] * 0.45}]\n" for place in places]
    lines.append(
        '\n[[material]]\nname = "steel"\nyoungs_modulus = 210e9\ndensity = 7850\n'
        '\n[[section]]\nname = "tube"\nshape = "tube"\nouter_diameter = 0.04\nthickness = 0.003\n'
    )
    for place, way in itertools.product(places, ways):
        end = tuple(map(sum, zip(place, way)))
        if all(a < n for a, n in zip(end, counts)):
            lines.append(
                f'\n[[beam]]\nname = "{name(place)}{name(end)}"\nnodes = ["{name(place)}", "{name(end)}"]\n'
                'material = "steel"\nsection = "tube"\n'
            )
    for end, x in [("left", 0), ("right", counts[0] - 1)]:
        lines.append(f'\n[[interface]]\nname = "{end}"\nnode = "{name((x, counts[1] // 2, counts[2] // 2))}"\n')
    lines.append(f"\n[reduction]\nmodes = {MODES}\n")
    (folder / "structure.toml").write_text("".join(lines))
    return 6 * len(places)


def middles(places, faces):
    return [(places[face].min(axis=0) + places[face].max(axis=0)) / 2 for face in faces]


# --- the others, each in a process of its own -------------------------------------------------------------------------


def load(folder):
    mesh = np.load(folder / "mesh.npz")
    k, m = (sp.load_npz(folder / name).tocsc() for name in ("k.npz", "m.npz"))
    return k, m, mesh["places"], [mesh["left"], mesh["right"]]


def rigid_links(places, faces):
    """u = T q with q = (both interfaces, all other nodes), and the degrees of freedom of the latter."""
    rows, columns, values = [], [], []
    for i, (face, middle) in enumerate(zip(faces, middles(places, faces))):
        for a in range(3):
            arm = places[face] - middle
            b, c = (a + 1) % 3, (a + 2) % 3
            for column, value in [(a, np.ones(len(face))), (3 + b, arm[:, c]), (3 + c, -arm[:, b])]:
                rows.append(3 * face + a), columns.append(np.full(len(face), 6 * i + column)), values.append(value)
    inside = np.setdiff1d(np.arange(len(places)), np.concatenate(faces))
    interior = (3 * inside[:, None] + np.arange(3)).ravel()
    rows.append(interior), columns.append(12 + np.arange(len(interior))), values.append(np.ones(len(interior)))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sp.csc_array(entries, shape=(3 * len(places), 12 + len(interior)))


def reduce_by_scipy(folder, order):
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    k, m, places, faces = load(folder)
    start = time.perf_counter()
    links = rigid_links(places, faces)
    k, m = ((links.T @ matrix @ links).tocsc() for matrix in (k, m))
    k_inside, m_inside = k[12:, 12:].tocsc(), m[12:, 12:].tocsc()
    factor = splu(k_inside, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    constraint = -factor.solve(k[12:, :12].toarray())
    flexibility = LinearOperator(k_inside.shape, matvec=factor.solve, dtype=float)
    start_vector = np.random.default_rng(1).standard_normal(k_inside.shape[0])
    squares, shapes = eigsh(k_inside, k=MODES, M=m_inside, sigma=0, OPinv=flexibility, v0=start_vector)
    basis = np.block([[np.eye(12), np.zeros((12, MODES))], [constraint, shapes]])
    _ = basis.T @ (k @ basis), basis.T @ (m @ basis)
    finish(start, squares, factor_entries=int(factor.L.nnz))


def reduce_by_exudyn(folder):
    import exudyn
    from exudyn.FEM import FEMinterface, HCBstaticModeSelection

    exudyn.config.printToConsole = False
    k, m, places, faces = load(folder)
    fem = FEMinterface()
    fem.nodes = {"Position": places}
    fem.stiffnessMatrix, fem.massMatrix = sp.csr_matrix(k), sp.csr_matrix(m)
    start = time.perf_counter()
    ends = [face.tolist() for face in faces]
    fem.ComputeHurtyCraigBamptonModes(ends, MODES, computationMode=HCBstaticModeSelection.RBE2)
    shapes = fem.modeBasis["matrix"]
    # What the object for the simulation takes besides: the matrices of the modes.
    reduced = shapes.T @ (k @ shapes), shapes.T @ (m @ shapes)
    stiffness, mass = (np.diag(matrix)[-MODES:] for matrix in reduced)
    finish(start, stiffness / mass)


def finish(start, squares, **more):
    """Prints the time since `start` and the frequencies of ω² in Hz."""
    seconds = time.perf_counter() - start
    frequencies = np.sqrt(np.sort(squares)) / (2 * np.pi)
    print(json.dumps({"seconds": seconds, "frequencies": frequencies.tolist(), **more}))


# --- the comparison ---------------------------------------------------------------------------------------------------


def measure(command, limit=None):
    """Runs a command: what it printed, its wall and processor time (s) and peak memory (bytes). It is stopped after `limit`
    seconds of processor time: the machine may be shared."""
    bound = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))) if limit else None
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True, preexec_fn=bound)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, -signal.SIGXCPU):
        sys.exit(f"failed: {' '.join(map(str, command))}")
    numbers = {"wall": wall, "processor": usage.ru_utime + usage.ru_stime, "peak": 1024 * usage.ru_maxrss}
    return numbers | json.loads(printed or "{}")


def apart(*arguments, limit=None):
    """A part of this script in a process of its own: the memory of a parent would count as its children's."""
    return measure([sys.executable, __file__, *arguments], limit)


def ballesta(program, folder):
    found = measure([program, "reduce", folder, "--output", folder / "bar.rom.toml", "--no-comparison", "--json"])
    found["frequencies"] = [mode["frequency_hz"] for mode in found["modes"]]
    return found


def worst(found, reference):
    """Largest relative difference of the frequencies."""
    pairs = zip(found["frequencies"][:MODES], reference["frequencies"][:MODES], strict=True)
    return max(abs(a / b - 1) for a, b in pairs)


COLUMNS = ["case", "DoF", "program", "reduction s", "process s", "processor s", "peak MB", "predicted MB",
           "factor, million entries", "difference"]  # fmt: skip


def row(case, dofs, program, found, reference=None):
    number = lambda key, scale, digits: f"{found[key] * scale:.{digits}f}" if key in found else ""
    return [
        case, str(dofs), program, number("seconds", 1, 2), number("wall", 1, 2), number("processor", 1, 2),
        number("peak", 1e-6, 0), number("predicted_bytes", 1e-6, 0), number("factor_entries", 1e-6, 2),
        "" if reference is None else f"{worst(found, reference):.1e}",
    ]  # fmt: skip


def compare(options):
    rows = []

    def add(*cells):
        rows.append(row(*cells))
        print("|", " | ".join(rows[-1]), "|", flush=True)

    for case in options.cases:
        kind, size = case.split("-")
        folder = options.folder / case
        folder.mkdir(parents=True, exist_ok=True)
        dofs = apart("make", kind, size, folder)["dofs"]
        own = ballesta(options.program, folder)
        if kind == "lattice":
            add(case, dofs, "ballesta", own)
            continue
        add(case, dofs, "ballesta", own)
        # The nodes are numbered along the bar, so that the given order makes a narrow band.
        others = [("scipy, given order", ["scipy", folder, "NATURAL"])]
        others += [("scipy, minimum degree", ["scipy", folder, "MMD_AT_PLUS_A"])]
        others += [("Exudyn", ["exudyn", folder])] if size == "1e4" else []
        for name, arguments in others:
            found = apart(*arguments, limit=options.limit)
            stopped = "frequencies" not in found
            add(case, dofs, name + (", stopped" if stopped else ""), found, None if stopped else own)
    lines = ["| " + " | ".join(cells) + " |\n" for cells in [COLUMNS, ["---"] * len(COLUMNS), *rows]]
    options.table.write_text("".join(lines))


def main():
    known = [f"{kind}-{size}" for kind in ("solid", "lattice") for size in SOLIDS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/release/ballesta"), help="ballesta")
    parser.add_argument("--folder", type=Path, default=Path("target/bench-reduction"), help="for generated files")
    parser.add_argument("--table", type=Path, default=Path("target/bench-reduction/table.md"), help="Markdown to write")
    parser.add_argument("--limit", type=int, default=300, help="processor seconds after which the others are stopped")
    parser.add_argument("--cases", nargs="+", choices=known, default=known)
    compare(parser.parse_args())


def part(name, *arguments):
    """What runs in a process of its own."""
    if name == "make":
        kind, size, folder = arguments
        write, sizes = (write_solid, SOLIDS) if kind == "solid" else (write_lattice, LATTICES)
        print(json.dumps({"dofs": write(Path(folder), sizes[size])}))
    else:
        {"scipy": reduce_by_scipy, "exudyn": reduce_by_exudyn}[name](Path(arguments[0]), *arguments[1:])


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("make", "scipy", "exudyn"):
        part(*sys.argv[1:])
    else:
        main()
