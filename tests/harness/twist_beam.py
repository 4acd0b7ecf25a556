"""A twist beam between bushings and springs as a linear frame in PyNite: what its axle does on a rig that holds the heights of the wheels."""

import tomllib

import numpy as np

from structures.reference import Reference, cross_matrix


def tube(section):
    """A section as it is given, with the properties of a tube worked out."""
    if section["shape"] == "given":
        return section
    outer = section["outer_diameter"] / 2
    inner = outer - section["thickness"]
    bending = np.pi * (outer**4 - inner**4) / 4
    return section | {"area": np.pi * (outer**2 - inner**2), "inertia_y": bending, "inertia_z": bending, "torsion": 2 * bending}


class Axle:
    """`sides`: per side the points of pivot, spring and wheel from the middle of the structure, its nodes `{side}_pivot` and `{side}_hub`."""

    def __init__(self, path, sides, bushing, spring_rate):
        model = tomllib.loads(path.read_text())
        model["section"] = [tube(section) for section in model["section"]]
        model["material"] = [material | {"poisson_ratio": 0.3} for material in model["material"]]
        model["mass"] = [mass | {"offset": [0, 0, 0]} for mass in model["mass"]]
        # Something has to be held for PyNite's own answer, which is not used: here the stiffness is, of the free structure.
        model |= {"truss": [], "spring": [], "load": [], "support": [{"node": "left_hub"}]}
        self.frame = Reference(model)
        self.sides, self.stiffness = sides, self.frame.stiffness.copy()
        for side, points in sides.items():
            rows = self.frame.numbers(f"{side}_pivot")[:3]
            self.stiffness[np.ix_(rows, rows)] += np.diag(bushing)
            bottom, along = points["spring_bottom"], points["spring_top"] - points["spring_bottom"]
            way = self.along(side, bottom, along / np.linalg.norm(along))
            self.stiffness += spring_rate * np.outer(way, way)

    def along(self, side, point, direction):
        """Displacement of a point that the hub carries, along a direction, over the degrees of freedom."""
        hub = f"{side}_hub"
        row = np.zeros(len(self.stiffness))
        arm = point - self.frame.places[hub]
        row[self.frame.numbers(hub)] = [*direction, *(cross_matrix(arm) @ direction)]
        return row

    def turn(self, side, axis):
        row = np.zeros(len(self.stiffness))
        row[self.frame.numbers(f"{side}_hub")[3:]] = axis
        return row

    def answer(self, heights, loads=()):
        """Displacements, and forces of the rig on the wheels: heights of both wheels held, forces as rows times sizes."""
        held = np.array([self.along(side, points["centre"], np.eye(3)[2]) for side, points in self.sides.items()])
        zero = np.zeros((len(held), len(held)))
        force = sum((size * row for size, row in loads), np.zeros(len(self.stiffness)))
        matrix = np.block([[self.stiffness, -held.T], [held, zero]])
        found = np.linalg.solve(matrix, np.concatenate([force, heights]))
        return found[: len(force)], found[len(force):]
