"""The same structure in PyNite: its stiffness matrix, its static answers, its forces at the ends of members; and consistent masses by
the shape functions of textbooks (Przemieniecki, Theory of Matrix Structural Analysis, ch. 11), integrated here by Gauss points."""

import numpy as np
from Pynite import FEModel3D

DIRECTIONS = ["x", "y", "z", "rx", "ry", "rz"]
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(6)


class Line:
    """An element: a beam, a part of one, or a truss."""

    def __init__(self, name, ends, places, up, properties, released, rotary, truss):
        self.name, self.ends, self.released, self.truss = name, ends, released, truss
        self.young, self.shear, self.density, self.area, self.inertia_y, self.inertia_z, self.torsion = properties
        along = places[1] - places[0]
        self.length = np.linalg.norm(along)
        x = along / self.length
        z = up - np.dot(up, x) * x
        z = z / np.linalg.norm(z)
        self.axes = np.array([x, np.cross(z, x), z])
        self.rotary = rotary

    def shapes(self, s):
        """Displacements and rotations of the axis at s (0 to 1) over the 12 of the ends, in the element's axes: 6 x 12."""
        n, h = np.zeros((6, 12)), self.length
        n[0, 0], n[0, 6], n[3, 3], n[3, 9] = 1 - s, s, 1 - s, s
        if self.truss:
            for d in (1, 2):
                n[d, d], n[d, 6 + d] = 1 - s, s
            return n
        value = [1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)]
        slope = [(6 * s**2 - 6 * s) / h, 1 - 4 * s + 3 * s**2, (6 * s - 6 * s**2) / h, 3 * s**2 - 2 * s]
        for v, t, sign in ((1, 5, 1), (2, 4, -1)):
            columns, signs = [v, t, 6 + v, 6 + t], [1, sign, 1, sign]
            n[v, columns] = np.multiply(signs, value)
            n[t, columns] = np.multiply(signs, slope) * sign
        return n

    def stiffness(self):
        """Of the element without releases, in its axes; needed for what a release does to the mass."""
        k, h = np.zeros((12, 12)), self.length
        for d, value in ((0, self.young * self.area / h), (3, self.shear * self.torsion / h)):
            k[np.ix_([d, 6 + d], [d, 6 + d])] = value * np.array([[1, -1], [-1, 1]])
        for v, t, sign, inertia in ((1, 5, 1, self.inertia_z), (2, 4, -1, self.inertia_y)):
            s = np.diag([1, sign, 1, sign])
            b = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                          [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) * self.young * inertia / h**3
            k[np.ix_([v, t, 6 + v, 6 + t], [v, t, 6 + v, 6 + t])] = s @ b @ s
        return k

    def kept(self):
        """All 12 displacements of the ends over those of the nodes, with the released ones eliminated statically."""
        t = np.eye(12)
        if self.released and not self.truss:
            k, r = self.stiffness(), self.released
            free = [i for i in range(12) if i not in r]
            t[r, :] = 0
            t[np.ix_(r, free)] = -np.linalg.solve(k[np.ix_(r, r)], k[np.ix_(r, free)])
        return t

    def mass(self):
        """In the axes of the structure, 12 x 12."""
        m = np.zeros((12, 12))
        per = [self.density * self.area] * 3 + [0.0] * 3
        if not self.truss:
            per[3] = self.density * (self.inertia_y + self.inertia_z)
            if self.rotary:
                per[4:] = [self.density * self.inertia_y, self.density * self.inertia_z]
        for point, weight in zip(POINTS, WEIGHTS):
            n = self.shapes((point + 1) / 2)
            m += 0.5 * weight * self.length * n.T @ np.diag(per) @ n
        turn = self.kept() @ np.kron(np.eye(4), self.axes)
        return turn.T @ m @ turn


class Reference:
    """What PyNite and the masses say about a structure."""

    def __init__(self, model):
        self.model = model
        self.places = {name: np.array(at, float) for name, at in model["nodes"].items()}
        self.lines = self._lines()
        self.index = {name: i for i, name in enumerate(self.places)}
        size = 6 * len(self.index)
        self.frame = self._frame()
        self.frame.analyze_linear(sparse=False)
        stiffness = np.array(self.frame.Ke("push", sparse=False))
        mass = np.zeros((size, size))
        turning = set()
        for line in self.lines:
            rows = self.rows(*line.ends)
            mass[np.ix_(rows, rows)] += line.mass()
            if not line.truss:
                turning.update(line.ends)
        for item in model["mass"]:
            rows, arm = self.rows(item["node"]), cross_matrix(item["offset"])
            xx, yy, zz, xy, yz, xz = item["inertia"]
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            m = item["mass"]
            mass[np.ix_(rows, rows)] += np.block([[m * np.eye(3), -m * arm], [m * arm, inertia - m * arm @ arm]])
        self.free = [6 * i + d for name, i in self.index.items() for d in range(6) if d < 3 or name in turning]
        self.turning = turning
        self.stiffness, self.mass = stiffness[np.ix_(self.free, self.free)], mass[np.ix_(self.free, self.free)]

    def rows(self, *names):
        return [6 * self.index[name] + d for name in names for d in range(6)]

    def numbers(self, *names):
        """Places of the degrees of freedom of nodes in the matrices."""
        return [self.free.index(row) for row in self.rows(*names) if row in self.free]

    def _lines(self):
        materials = {item["name"]: item for item in self.model["material"]}
        sections = {item["name"]: item for item in self.model["section"]}
        lines = []

        def properties(material, section):
            shear = material["youngs_modulus"] / (2 * (1 + material["poisson_ratio"]))
            return [material["youngs_modulus"], shear, material["density"], section["area"],
                    *(section.get(key, 0.0) for key in ("inertia_y", "inertia_z", "torsion"))]

        for item in self.model["beam"]:
            a, b = (self.places[node] for node in item["nodes"])
            parts = item["divisions"]
            chain = [item["nodes"][0], *(f"{item['name']}:{i}" for i in range(1, parts)), item["nodes"][1]]
            for i in range(1, parts):
                self.places[chain[i]] = a + (b - a) * i / parts
            up = np.array(item.get("up", usual_up(b - a)), float)
            first, last = item.get("releases", [[], []])
            for i in range(parts):
                released = [DIRECTIONS.index(d) for d in first] if i == 0 else []
                released += [6 + DIRECTIONS.index(d) for d in last] if i == parts - 1 else []
                ends = chain[i:i + 2]
                lines.append(Line(f"{item['name']}/{i}", ends, [self.places[end] for end in ends], up,
                                  properties(materials[item["material"]], sections[item["section"]]), released,
                                  item.get("rotary_inertia", False), False))
        for item in self.model["truss"]:
            a, b = (self.places[node] for node in item["nodes"])
            lines.append(Line(f"{item['name']}/0", item["nodes"], [a, b], usual_up(b - a),
                              properties(materials[item["material"]], {"area": item["area"], "inertia_y": 1e-8, "inertia_z": 1e-8, "torsion": 1e-8}),
                              [3, 4, 5, 10, 11], False, True))
        return lines

    def _frame(self):
        frame = FEModel3D()
        for name, at in self.places.items():
            frame.add_node(name, *map(float, at))
        for line in self.lines:
            frame.add_material(line.name, line.young, line.shear, 0.3, line.density)
            frame.add_section(line.name, line.area, line.inertia_y, line.inertia_z, line.torsion)
            frame.add_member(line.name, *line.ends, line.name, line.name)
            member = frame.members[line.name]
            # The angle that turns PyNite's axes about x to those of the element.
            y = member.T()[1, :3]
            member.rotation = float(np.degrees(np.arctan2(line.axes[2] @ y, line.axes[1] @ y)))
            sign = -1 if np.abs(member.T()[:3, :3] - line.axes).max() > 1e-6 else 1
            member.rotation *= sign
            assert np.abs(member.T()[:3, :3] - line.axes).max() < 1e-9, line.name
            if line.released:
                frame.def_releases(line.name, *(i in line.released for i in range(12)))
        for i, item in enumerate(self.model["spring"]):
            frame.add_spring(f"spring{i}", *item["nodes"], item["stiffness"][0])
        for item in self.model["load"]:
            for key, prefix in (("force", "F"), ("moment", "M")):
                for axis, value in zip("XYZ", item.get(key, [])):
                    frame.add_node_load(item["node"], prefix + axis, value, case="push")
        for axis in "XYZ":
            for line in self.lines:
                weight = line.density * line.area
                frame.add_member_dist_load(line.name, f"F{axis}", weight, weight, case=axis)
            for item in self.model["mass"]:
                force = item["mass"] * np.eye(3)["XYZ".index(axis)]
                moment = np.cross(item["offset"], force)
                for direction, value in zip(("FX", "FY", "FZ", "MX", "MY", "MZ"), (*force, *moment)):
                    frame.add_node_load(item["node"], direction, float(value), case=axis)
        for case in ("push", *"XYZ"):
            frame.add_load_combo(case, {case: 1.0})
        rotating = {end for line in self.lines if not line.truss for end in line.ends}
        for name in self.places:
            held = name == self.model["support"][0]["node"]
            loose = held or name not in rotating
            frame.def_support(name, held, held, held, loose, loose, loose)
        return frame

    def displacement(self, node, case):
        node = self.frame.nodes[node]
        return np.array([getattr(node, key)[case] for key in ("DX", "DY", "DZ", "RX", "RY", "RZ")])

    def section(self, output, case):
        """N, Vy, Vz, T, My, Mz at a section, in the axes of its element, by the equilibrium of the part before it."""
        name = output.get("beam", output.get("truss"))
        parts = [line for line in self.lines if line.name.split("/")[0] == name]
        at = output["at"] * len(parts)
        number = min(int(at), len(parts) - 1)
        line, x = parts[number], (at - number) * parts[number].length
        ends = self.frame.members[line.name].f(case)[:, 0]
        force, moment = ends[:3].copy(), ends[3:6].copy()
        along = np.array([x, 0, 0])
        moment += np.cross(-along, force)
        if case in "XYZ":
            weight = line.density * line.area * line.axes[:, "XYZ".index(case)] * x
            moment += np.cross(-along / 2, weight)
            force += weight
        return np.concatenate((-force, -moment))


def cross_matrix(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def usual_up(along):
    """z of the structure, or x for members along z."""
    return np.array([0.0, 0.0, 1.0] if np.hypot(along[0], along[1]) > 1e-9 * np.linalg.norm(along) else [1.0, 0.0, 0.0])
