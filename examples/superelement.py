"""A body that another program has reduced, from a MAT-file to the files that `ballesta reduce` reads.

    pip install scipy
    python examples/superelement.py arm.mat -o arm
    ballesta reduce arm -o arm.rom.toml

The MAT-file (up to version 7, `save -v7`) has what Simscape's Reduced Order Flexible Solid takes: `K`, `M` and, if there is any, `C`; and
`P`, the positions of the p interfaces, p x 3. The first 6 p coordinates are x, y, z, rx, ry, rz of the interfaces, in the order of `P`, the
others are modal. `R = reduce(model, …)` of the Partial Differential Equation Toolbox gives them:

    K = R.K; M = R.M; P = R.ReferenceLocations'; save('arm.mat', '-v7', 'K', 'M', 'P')

Units are SI; others are named by the key `units` of the structure's file.
"""

import argparse
from pathlib import Path

import numpy
from scipy import io, sparse

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")


def write(folder, positions, matrices, units="SI"):
    """Writes the structure with its matrices (`stiffness`, `mass` and perhaps `damping`) and the interfaces at `positions`, p x 3."""
    folder.mkdir(parents=True, exist_ok=True)
    count, axes = numpy.shape(positions)
    assert axes == 3, f"the positions of interfaces are {numpy.shape(positions)}, not p x 3"
    size = len(matrices["stiffness"])
    for name, matrix in matrices.items():
        assert matrix.shape == (size, size), f"{name} is {matrix.shape}, not {size} x {size}"
        lower = sparse.coo_matrix(numpy.tril((matrix + matrix.T) / 2))
        io.mmwrite(folder / f"{name}.mtx", lower + sparse.tril(lower, -1).T, precision=17, symmetry="symmetric")
    assert size > 6 * count, f"{size} coordinates are not six for each of {count} interfaces, and modal ones"
    rows = [f"{row + 1} {row // 6 + 1} {DIRECTIONS[row % 6]}" for row in range(6 * count)]
    rows += [f"{row + 1} modal {row - 6 * count + 1}" for row in range(6 * count, size)]
    (folder / "rows.dof").write_text("\n".join(rows) + "\n")
    places = [f"{i + 1}, " + ", ".join(repr(float(x)) for x in place) for i, place in enumerate(positions)]
    (folder / "nodes.csv").write_text("\n".join(["node, x, y, z", *places]) + "\n")
    files = "".join(f'{name} = "{name}.mtx"\n' for name in matrices)
    tables = [f'[structure]\nname = "{folder.name}"\n', f'[matrices]\nformat = "matrix_market"\n{files}'
              f'dof_map = "rows.dof"\nnodes = "nodes.csv"\nunits = "{units}"\n']
    tables += [f'[[interface]]\nname = "interface_{i + 1}"\nnode = "{i + 1}"\n' for i in range(count)]
    (folder / "structure.toml").write_text("\n".join(tables))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the structure")
    typed = parser.parse_args()
    data = io.loadmat(typed.file)
    names = {"stiffness": "K", "mass": "M", "damping": "C"}
    dense = {name: data[key] for name, key in names.items() if key in data}
    dense = {name: matrix.toarray() if sparse.issparse(matrix) else numpy.asarray(matrix) for name, matrix in dense.items()}
    write(typed.output, numpy.asarray(data["P"]), dense)


if __name__ == "__main__":
    main()
