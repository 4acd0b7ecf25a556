"""Accelerations and reactions in a state: M v' = Q + Jᵀ λ with J v' = c, by the singular value decomposition of J, which bodies without
mass and redundant equations do not disturb."""

import numpy as np

from .algebra import cross, length
from .loads import Loads
from .scene import Scene, mass_matrix

# Singular values below this are those of redundant equations; lengths, angles and bodies are near 1.
RANK = 1e-9


def terms(scene, item):
    """Coordinates of a coupler or rack and pinion, with their factors in the equation."""
    if "rack" in item:
        return [(item["pinion"], -scene.number(item["radius"])), (item["rack"], 1.0)]
    if "ratio" in item:
        first, second = item["coordinates"]
        return [(first, -scene.number(item["ratio"])), (second, 1.0)]
    return [(on, scene.number(on["ratio"])) for on in item["coordinates"]]


class Equations:
    """All equations of a model, with the item that each belongs to."""

    def __init__(self, scene):
        self.scene, self.rows, self.owners = scene, [], []
        # On which joint an equation between coordinates acts: (index of the equation, joint, row of the coordinate).
        self.on_joints = []
        model = scene.model
        for joint in model.get("joint", []):
            for row in scene.joint_rows(joint):
                self.add(row, ("joint", joint["name"]))
        for rod in model.get("rod", []):
            row = scene.distance(*rod["bodies"], rod["points"])
            row.value -= length(np.subtract(*rod["points"]))
            self.add(row, ("constraint", rod["name"]))
        for line in model.get("point_on_line", []):
            directions = scene.axes(line)[1:]
            for e in directions:
                self.add(scene.along(*line["bodies"], line["point"], e), ("constraint", line["name"]))
        for plane in model.get("point_in_plane", []):
            self.add(scene.along(*plane["bodies"], plane["point"], scene.axes({"axis": plane["normal"]})[0]), ("constraint", plane["name"]))
        for coupler in model.get("coupler", []):
            self.couple(coupler, terms(scene, coupler), scene.number(coupler.get("offset", 0.0)))
        for rack in model.get("rack_and_pinion", []):
            self.couple(rack, terms(scene, rack), 0.0)
        for guide in model.get("guided", []):
            row = scene.coordinate(guide)
            position, speed, acceleration = scene.signal(guide)
            self.on_joints.append((len(self.rows), guide["joint"], row))
            wanted = row.times(1.0)
            wanted.value -= position
            wanted.rate -= speed
            wanted.bias -= acceleration
            self.add(wanted, ("guided", guide["name"]))

    def add(self, row, owner):
        self.rows.append(row)
        self.owners.append(owner)

    def couple(self, item, terms, offset):
        rows = [self.scene.coordinate(on).times(ratio) for on, ratio in terms]
        self.on_joints += [(len(self.rows), on["joint"], row) for (on, _), row in zip(terms, rows)]
        total = rows[0]
        for row in rows[1:]:
            total = total.plus(1.0, row)
        total.value -= offset
        self.add(total, ("constraint", item["name"]))

    def jacobian(self):
        j = self.scene.zeros(len(self.rows), 6 * len(self.scene.names))
        for i, row in enumerate(self.rows):
            j[i] = self.spread(row)
        return j

    def spread(self, row):
        line = self.scene.zeros(6 * len(self.scene.names))
        for body, (linear, angular) in row.entries.items():
            if body in self.scene.index:
                k = 6 * self.scene.index[body]
                line[k:k + 3] += linear
                line[k + 3:k + 6] += angular
        return line

    def values(self, name):
        return np.array([getattr(row, name) for row in self.rows])


class Solution:
    """`quantities`: (key of an output, name, quantity) to its value, an array; `unique`: the same keys to which components the equations
    determine; `gap`, `rate`: how far positions and velocities are from meeting the equations."""

    def __init__(self, scene):
        equations = Equations(scene)
        self.scene, self.equations = scene, equations
        j = equations.jacobian()
        n = j.shape[1]
        u, s, vt = np.linalg.svd(j, full_matrices=True)
        rank = int(np.sum(s > RANK))
        self.rank, self.redundant, self.dof = rank, len(j) - rank, n - rank
        self.smallest = s[rank - 1] if rank else 1.0
        self.largest_zero = s[rank] if rank < len(s) else 0.0
        self.gap, self.rate = (np.abs(equations.values(name)).max(initial=0.0) for name in ("value", "rate"))
        c = -equations.values("bias")
        kept, null = vt[:rank], vt[rank:].T
        inverse = kept.T / s[:rank] @ u[:, :rank].T
        mass, bias = mass_matrix(scene)
        self.loads = Loads(scene)
        force = self.loads.wrench - bias
        forced = inverse @ c
        reduced = null.T @ mass @ null
        eigen = np.linalg.eigvalsh(reduced) if self.dof else np.ones(1)
        self.inertia = eigen[0] / max(eigen[-1], 1e-300)
        acceleration = forced
        if self.dof:
            acceleration = forced + null @ np.linalg.solve(reduced, null.T @ (force - mass @ forced))
        self.inconsistency = np.abs(j @ acceleration - c).max(initial=0.0)
        missing = mass @ acceleration - force
        multipliers = inverse.T @ missing
        multipliers += inverse.T @ (missing - j.T @ multipliers)
        # Projects a function of the multipliers onto those that nothing determines.
        self.u = u[:, :rank]
        self.multipliers, self.acceleration = multipliers, acceleration
        self.quantities, self.unique = {}, {}
        self.motions()
        self.reactions()
        self.forces()

    def tell(self, key, name, quantity, value, unique=None):
        value = np.atleast_1d(np.array(value) * 1.0)
        self.quantities[key, name, quantity] = value
        self.unique[key, name, quantity] = np.ones(len(value), bool) if unique is None else np.atleast_1d(unique)

    def motions(self):
        scene = self.scene
        for name in scene.names:
            k = 6 * scene.index[name]
            self.tell("body", name, "acceleration", self.acceleration[k:k + 3])
            self.tell("body", name, "angular_acceleration", self.acceleration[k + 3:k + 6])
        mass, _ = mass_matrix(scene)
        v = np.concatenate([np.concatenate([scene.states[name].v, scene.states[name].w]) for name in scene.names])
        self.tell("system", "", "kinetic_energy", 0.5 * v @ mass @ v)

    def coordinate_acceleration(self, row):
        return self.equations.spread(row) @ self.acceleration + row.bias

    def functional(self, factors, constant):
        """A linear function of the multipliers, and which of its components the equations determine."""
        value = factors @ self.multipliers + constant
        rest = factors - factors @ self.u @ self.u.T
        return value, np.abs(rest).max(axis=1, initial=0.0) < 1e-9

    def on_body(self, row, body, arm):
        linear, angular = row.entries.get(body, (np.zeros(3), np.zeros(3)))
        return np.concatenate([linear, angular - cross(arm, linear)])

    def reactions(self):
        scene, equations = self.scene, self.equations
        m = len(equations.rows)
        for joint in scene.model.get("joint", []):
            name, body = joint["name"], joint["bodies"][1]
            arm = scene.arm(body, scene.joint_point(joint))
            factors, constant = scene.zeros(6, m), scene.zeros(6)
            for i, owner in enumerate(equations.owners):
                if owner == ("joint", name):
                    factors[:, i] += self.on_body(equations.rows[i], body, arm)
            for i, of, row in equations.on_joints:
                if of == name:
                    factors[:, i] += self.on_body(row, body, arm)
            for row, effort, of in self.loads.efforts:
                if of == name:
                    constant += effort * self.on_body(row, body, arm)
            value, unique = self.functional(factors, constant)
            self.tell("joint", name, "reaction_force", value[:3], unique[:3])
            self.tell("joint", name, "reaction_moment", value[3:], unique[3:])
        gravity = np.array(scene.model["model"].get("gravity", [0, 0, 0]), dtype=float)
        for i, (kind, name) in enumerate(equations.owners):
            if kind == "guided":
                value, unique = self.functional(np.eye(m)[i:i + 1], 0.0)
                self.tell("guided", name, "effort", value, unique)
                guide = next(g for g in scene.model["guided"] if g["name"] == name)
                for quantity, wanted in zip(("position", "speed", "acceleration"), scene.signal(guide)):
                    self.tell("guided", name, quantity, wanted)
        for key in ("coupler", "rack_and_pinion"):
            for item in scene.model.get(key, []):
                i = equations.owners.index(("constraint", item["name"]))
                value, unique = self.functional(np.eye(m)[i:i + 1] * terms(scene, item)[-1][1], 0.0)
                self.tell("constraint", item["name"], "force", value, unique)
        for item in scene.model.get("rod", []) + scene.model.get("point_on_line", []) + scene.model.get("point_in_plane", []):
            body = item["bodies"][1]
            factors, constant = scene.zeros(3, m), scene.zeros(3)
            for i, owner in enumerate(equations.owners):
                if owner == ("constraint", item["name"]):
                    linear = equations.rows[i].entries.get(body)
                    # A rod to the ground holds something there too.
                    factors[:, i] += linear[0]
            if item.get("mass", 0.0) > 0.0:
                a = [self.point_acceleration(b, p) for b, p in zip(item["bodies"], item["points"])]
                constant = item["mass"] * (0.5 * gravity - a[1] / 3 - a[0] / 6)
            value, unique = self.functional(factors, constant)
            self.tell("constraint", item["name"], "reaction_force", value, unique)

    def point_acceleration(self, body, point):
        if body not in self.scene.index:
            return np.zeros(3)
        k = 6 * self.scene.index[body]
        linear, angular = self.acceleration[k:k + 3], self.acceleration[k + 3:k + 6]
        return linear + cross(angular, self.scene.arm(body, point)) + self.scene.pull(body, point)

    def forces(self):
        for (key, name, quantity), value in self.loads.outputs.items():
            self.tell(key, name, quantity, value)
        for reference in self.scene.model.get("_coordinates", []):
            row = self.scene.coordinate(reference)
            name = (reference["joint"], reference.get("coordinate", ""))
            for quantity, value in (("position", row.value), ("speed", row.rate), ("acceleration", self.coordinate_acceleration(row))):
                self.tell("coordinate", name, quantity, value)


def solve(model, states, time=0.0):
    return Solution(Scene(model, states, time))
