"""One random structure: the program beside PyNite and consistent masses."""

import json
import subprocess
import tomllib

import numpy as np
import scipy.linalg

from structures import draw
from structures.reference import Reference

# Of each kind, relative to its largest; both sides lose some digits to the condition of their matrices.
AGREEMENT = 1e-7


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stdout}{done.stderr}")
    return done.stdout


class Differences:
    """The largest difference of each kind, relative to the largest of what is compared."""

    def __init__(self):
        self.found = {}

    def add(self, kind, own, other, scale=None):
        own, other = np.asarray(own, float), np.asarray(other, float)
        assert own.shape == other.shape, f"{kind}: {own.shape} {other.shape}"
        scale = np.abs(other).max(initial=0.0) if scale is None else scale
        error = np.abs(own - other).max(initial=0.0) / scale if scale > 0 else np.abs(own).max(initial=0.0)
        # Not a number is the largest difference.
        if not error <= self.found.get(kind, 0.0):
            self.found[kind] = float(error)


def structure(number, program, folder):
    """Largest relative difference of each kind: static displacements, section forces, frequencies, condensed matrices, reduced model."""
    model = draw.structure(number)
    file, rom_file = folder / f"random{number}.toml", folder / f"random{number}.rom.toml"
    file.write_text(draw.text(model))
    reference = Reference(model)
    differences = Differences()
    root = model["interface"][0]["node"]
    held = reference.numbers(root)
    free = [i for i in range(len(reference.free)) if i not in held]

    # The whole structure, held at its support.
    k, m = reference.stiffness, reference.mass
    count = min(10, len(free))
    found = json.loads(run(program, "modes", file, "--supported", "--count", count, "--json"))["frequencies_hz"]
    squares = scipy.linalg.eigh(k[np.ix_(free, free)], m[np.ix_(free, free)], eigvals_only=True)
    differences.add("frequencies", np.divide(found, frequencies(squares)[:count]), np.ones(count))

    # The reduced model: Craig and Bampton by dense matrices.
    run(program, "reduce", file, "-o", rom_file, "--no-comparison")
    rom = tomllib.loads(rom_file.read_text())
    boundary = reference.numbers(*(item["node"] for item in model["interface"]))
    inside = [i for i in range(len(reference.free)) if i not in boundary]
    static = np.zeros((len(reference.free), len(boundary)))
    static[boundary] = np.eye(len(boundary))
    static[inside] = -np.linalg.solve(k[np.ix_(inside, inside)], k[np.ix_(inside, boundary)])
    squares, shapes = scipy.linalg.eigh(k[np.ix_(inside, inside)], m[np.ix_(inside, inside)])
    size, b = rom["matrices"]["size"], len(boundary)
    own_k, own_m = (unpack(rom["matrices"][key], size) for key in ("stiffness", "mass"))
    # A single interface alone meets no stiffness: its nodes do.
    scale = np.sqrt(np.outer(np.diag(k)[boundary], np.diag(k)[boundary]))
    differences.add("condensed stiffness", own_k[:b, :b] / scale, static.T @ k @ static / scale, 1.0)
    scale = np.sqrt(np.outer(np.diag(own_m)[:b], np.diag(own_m)[:b]))
    differences.add("condensed mass", own_m[:b, :b] / scale, static.T @ m @ static / scale)
    modes = len(rom["modes"]["frequencies_hz"]) - rom["modes"]["residual"]
    differences.add("fixed-interface frequencies", np.divide(rom["modes"]["frequencies_hz"][:modes], frequencies(squares)[:modes]),
                    np.ones(modes))
    # Free frequencies with the residual vectors of the loads, which are the static shapes of gravity and of the loads.
    gravity = m @ np.array([[float(row % 6 == axis) for axis in range(3)] for row in reference.free])
    push = np.zeros((len(reference.free), 1))
    for load in model["load"]:
        numbers = reference.numbers(load["node"])
        push[numbers, 0] += [*load["force"], *load.get("moment", [0, 0, 0])][:len(numbers)]
    statics = np.linalg.solve(k[np.ix_(inside, inside)], np.hstack((gravity, push))[inside])
    internal = np.zeros((len(reference.free), modes + statics.shape[1]))
    internal[inside] = np.hstack((shapes[:, :modes], statics))
    basis = np.hstack((static, independent(internal, m, size - b)))
    squares = scipy.linalg.eigh(basis.T @ k @ basis, basis.T @ m @ basis, eigvals_only=True)
    free_hz = rom["checks"]["free_frequencies_hz"]
    differences.add("free reduced frequencies", np.divide(free_hz, frequencies(squares)[6:]), np.ones(len(free_hz)))

    # Static answers of the reduced model with the root held: the loads, and gravity along x, y, z.
    first = rom["interface"][0]
    kept = [q for q in range(size) if not first["first_column"] <= q < first["first_column"] + sum(first["active"])]
    node = {item["name"]: np.array(item["displacement"]) for item in rom["node"]}
    sections = {item["name"]: item for item in rom["section"]}
    motions = np.array(rom["rigid"]["motions"])
    for case in ("push", *"XYZ"):
        if case == "push":
            force, acceleration = np.zeros(size), np.zeros(size)
            for load in model["load"]:
                force += node[load["node"]].T @ [*load["force"], *load.get("moment", [0, 0, 0])]
        else:
            acceleration = -motions[:, "XYZ".index(case)]
            force = -own_m @ acceleration
        q = np.zeros(size)
        q[kept] = np.linalg.solve(own_k[np.ix_(kept, kept)], force[kept])
        moved = {name: reference.displacement(name, case) for name in node}
        for part, what in ((slice(0, 3), "displacements"), (slice(3, 6), "rotations")):
            names = [name for name in node if part.start == 0 or name in reference.turning]
            differences.add(f"static {what}", [node[name][part] @ q for name in names], [moved[name][part] for name in names])
        outputs = [output for output in model["output"] if output["name"] in sections]
        own = [np.array(sections[o["name"]]["displacement"]) @ q + np.array(sections[o["name"]]["acceleration"]) @ acceleration
               for o in outputs]
        other = [reference.section(output, case) for output in outputs]
        for part, what in ((slice(0, 3), "forces"), (slice(3, 6), "moments")):
            differences.add(f"section {what}", [row[part] for row in own], [row[part] for row in other])
    return differences.found, file


def frequencies(squares):
    return np.sqrt(np.maximum(squares, 0)) / (2 * np.pi)


def unpack(packed, size):
    matrix = np.zeros((size, size))
    matrix[np.tril_indices(size)] = packed
    return matrix + np.tril(matrix, -1).T


def independent(shapes, mass, count):
    """An orthonormal basis of `count` columns of the space of the shapes."""
    lengths = np.sqrt(np.einsum("ik,ij,jk->k", shapes, mass, shapes))
    factor = np.linalg.cholesky(mass).T
    left, _, _ = np.linalg.svd(factor @ shapes[:, lengths > 0] / lengths[lengths > 0], full_matrices=False)
    return np.linalg.solve(factor, left[:, :count])
