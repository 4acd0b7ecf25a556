"""Matrices of Nastran (OUTPUT4, OP2) and Ansys (.full) as the files that `ballesta reduce` reads.

    pip install scipy pyNastran            # for .op4 and .op2
    python examples/fe_matrices.py arm.op4 --nodes arm.bdf --interface 11=left --interface 12=right -o arm

    pip install scipy ansys-mapdl-reader   # for .full
    python examples/fe_matrices.py beam.full --nodes beam.rst --interface 17=tip -o beam --units mm-t-s

    ballesta reduce beam -o beam.rom.toml

The file has the stiffness and the mass of a free structure; in OP4 and OP2 their names begin with K and M, that of a damping with B. `--nodes` is the
bulk data (.bdf, .dat, .nas) or the results or archive of Ansys (.rst, .cdb) with the positions.

A matrix of Nastran with six rows per grid point of the bulk data, in ascending order, is a whole structure. Otherwise its first rows are the six
directions of the interfaces, in ascending order of their grid points, and the others are modal: a superelement.
"""

import argparse
from pathlib import Path

import numpy
from scipy import io, sparse

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")


def write(folder, matrices, rows, nodes, interfaces, units):
    """Writes the structure. `rows`: node and direction of each row, or `modal` and a number; `nodes`: positions by number."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, matrix in matrices.items():
        matrix = sparse.coo_matrix(matrix)
        assert matrix.shape == (len(rows), len(rows)), f"{name} is {matrix.shape}; there are {len(rows)} rows"
        # Rounding of the other program: the halves of its matrices differ in the last digits.
        lower = sparse.tril((matrix + matrix.T) / 2)
        io.mmwrite(folder / f"{name}.mtx", lower + sparse.tril(lower, -1).T, precision=17, symmetry="symmetric")
    lines = (f"{number} {node} {direction}\n" for number, (node, direction) in enumerate(rows, 1))
    (folder / "rows.dof").write_text("".join(lines))
    places = (f"{node}, " + ", ".join(repr(float(x)) for x in nodes[node]) + "\n" for node in sorted(nodes))
    (folder / "nodes.csv").write_text("node, x, y, z\n" + "".join(places))
    files = "".join(f'{name} = "{name}.mtx"\n' for name in matrices)
    text = (f'[structure]\nname = "{folder.name}"\n\n[matrices]\nformat = "matrix_market"\n{files}dof_map = "rows.dof"\n'
            f'nodes = "nodes.csv"\nunits = "{units}"\n')
    text += "".join(f'\n[[interface]]\nname = "{name}"\nnode = "{node}"\n' for node, name in interfaces.items())
    (folder / "structure.toml").write_text(text)


def whole(matrix):
    """All entries of a matrix that is stored as one half."""
    matrix = sparse.csr_matrix(matrix)
    upper, lower = sparse.triu(matrix, 1), sparse.tril(matrix, -1)
    if upper.nnz and lower.nnz:
        return matrix
    return matrix + (upper + lower).T


def nastran(file, nodes, interfaces):
    """Matrices, rows and positions of an OP4 or OP2 file."""
    from pyNastran.bdf.bdf import BDF

    if file.suffix.lower() == ".op4":
        from pyNastran.op4.op4 import OP4

        found = OP4(debug=False).read_op4(str(file))
        found = {name: getattr(value, "data", value[1] if isinstance(value, tuple) else value) for name, value in found.items()}
    else:
        from pyNastran.op2.op2 import OP2

        results = OP2(debug=False)
        results.read_op2(str(file))
        found = {name: value.data for name, value in results.matrices.items()}
    names = {"stiffness": "K", "mass": "M", "damping": "B"}
    chosen = {}
    for name, letter in names.items():
        fitting = [key for key in found if key.upper().startswith(letter) and not key.upper().startswith("K4")]
        if len(fitting) > 1 or (not fitting and name != "damping"):
            raise SystemExit(f"{file}: {len(fitting)} matrices begin with {letter}: {', '.join(found)}; one is needed")
        if fitting:
            chosen[name] = whole(found[fitting[0]])
    deck = BDF(debug=False)
    deck.read_bdf(str(nodes), xref=True, punch=True, validate=False)
    turned = [node for node, grid in deck.nodes.items() if grid.Cd() != 0]
    if turned:
        raise SystemExit(f"{nodes}: the displacements of grid point {turned[0]} are in a local system (CD); write them in the basic system")
    places = {node: grid.get_position() for node, grid in deck.nodes.items()}
    size = chosen["stiffness"].shape[0]
    carrying = sorted(places) if size == 6 * len(places) else sorted(interfaces)
    missing = [node for node in carrying if node not in places]
    if missing:
        raise SystemExit(f"{nodes}: there is no grid point {missing[0]}")
    rows = [(node, direction) for node in carrying for direction in DIRECTIONS]
    if size < len(rows):
        raise SystemExit(f"{file}: {size} rows are less than six for each of {len(carrying)} grid points")
    rows += [("modal", number) for number in range(1, size - len(rows) + 1)]
    return chosen, rows, {node: places[node] for node in carrying}


def ansys(file, nodes):
    """Matrices, rows and positions of a .full file."""
    from ansys.mapdl.reader import Archive, read_binary

    freedoms, stiffness, mass = read_binary(str(file)).load_km(sort=True)
    if Path(nodes).suffix.lower() == ".cdb":
        archive = Archive(str(nodes))
        numbers, positions = archive.nnum, archive.nodes
    else:
        mesh = read_binary(str(nodes)).mesh
        numbers, positions = mesh.nnum, mesh.nodes
    places = {int(number): position[:3] for number, position in zip(numbers, positions)}
    rows = [(int(node), DIRECTIONS[direction]) for node, direction in freedoms]
    held = [row for row, value in zip(rows, stiffness.diagonal()) if value == 0]
    if held:
        raise SystemExit(f"{file}: {len(held)} of {len(rows)} degrees of freedom are held, first {held[0][1]} of node {held[0][0]}; "
                         "delete all supports (DDELE) and write the file again")
    return {"stiffness": whole(stiffness), "mass": whole(mass)}, rows, {node: places[node] for node in {row[0] for row in rows}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help=".op4, .op2 or .full")
    parser.add_argument("--nodes", type=Path, required=True, help="bulk data, .rst or .cdb")
    parser.add_argument("--interface", action="append", required=True, metavar="NODE=NAME")
    parser.add_argument("--units", default="SI", choices=("SI", "mm-t-s", "mm-kg-s", "mm-kg-ms", "in-lbf-s"))
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the structure")
    typed = parser.parse_args()
    interfaces = {int(node): name or f"node_{node}" for node, _, name in (text.partition("=") for text in typed.interface)}
    if typed.file.suffix.lower() == ".full":
        found = ansys(typed.file, typed.nodes)
    else:
        found = nastran(typed.file, typed.nodes, interfaces)
    unknown = [node for node in interfaces if node not in found[2]]
    if unknown:
        raise SystemExit(f"{typed.file}: node {unknown[0]} has no degrees of freedom")
    write(typed.output, *found, interfaces, typed.units)


if __name__ == "__main__":
    main()
