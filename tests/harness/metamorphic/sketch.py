"""Random models in which every table of the model file occurs: small mechanisms of all kinds of joints, with elements on and between them.

A model is a dict of tables, as in `rigid`. Keys that begin with `_` are notes for the transformations."""

import numpy as np

from rigid.algebra import six, unit
from rigid.scene import GROUND

COORDINATES = {"revolute": ["angle"], "prismatic": ["travel"], "cylindrical": ["travel", "angle"], "universal": ["angle", "second_angle"],
               "spherical": [], "planar": ["x", "y", "angle"], "floating": ["x", "y", "z"], "fixed": [], "along_curve": ["travel"],
               "pin_on_curve": ["travel", "angle"], "point_on_curve": ["travel"], "constant_velocity": ["angle", "second_angle"],
               "rolling_ball": [], "rolling_disc": []}
ANGLES = ("angle", "second_angle")


class Sketch:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.model = {"model": {"name": "sketch", "gravity": [0.0, 0.0, -9.81], "step": 1e-3}}
        self.serial = 0
        self.constrained = set()

    # Random numbers and names.

    def between(self, low, high):
        return float(self.random.uniform(low, high))

    def chance(self, part):
        return bool(self.random.random() < part)

    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def vector(self, size=1.0):
        return [float(x) for x in self.random.uniform(-size, size, 3)]

    def direction(self):
        return [float(x) for x in unit(self.random.normal(size=3))]

    def some(self, **keys):
        """Each key with the probability one half: the other half has its default."""
        return {key: value for key, value in keys.items() if self.chance(0.5)}

    def put(self, table, item, named=True):
        self.serial += 1
        item = {"name": f"{table[:2]}{self.serial}", **item} if named else item
        self.model.setdefault(table, []).append(item)
        return item

    # Bodies and joints.

    def body(self, com=None):
        half = np.array(self.random.uniform(0.2, 0.5, 3))
        mass = self.between(0.5, 2.0)
        turn, _ = np.linalg.qr(self.random.normal(size=(3, 3)))
        moments = mass * (half @ half - half ** 2) / 3
        com = self.vector() if com is None else com
        return self.put("body", {"mass": mass, "com": com, "inertia": six(turn @ np.diag(moments) @ turn.T)})

    def centre(self, body):
        return [0.0, 0.0, 0.0] if body == GROUND else next(b["com"] for b in self.model["body"] if b["name"] == body)

    def near(self, body, size=0.3):
        return [float(x) for x in np.array(self.centre(body)) + self.vector(size)]

    def any_body(self, ground=True):
        names = [body["name"] for body in self.model.get("body", [])]
        return self.pick(names + ([GROUND] if ground else []))

    def two_bodies(self):
        first = self.any_body(ground=False)
        rest = [name for name in [body["name"] for body in self.model["body"]] + [GROUND] if name != first]
        pair = [first, self.pick(rest)]
        return pair if self.chance(0.5) else pair[::-1]

    def joint(self, kind, first, second):
        point = self.near(second)
        item = {"type": kind, "bodies": [first, second]}
        if kind not in ("prismatic", "floating") or self.chance(0.5):
            item["point"] = point
        if kind in ("revolute", "prismatic", "cylindrical", "universal", "planar", "constant_velocity", "pin_on_curve", "rolling_ball", "rolling_disc"):
            item["axis"] = self.direction()
        across = [float(x) for x in unit(np.cross(item.get("axis", [0, 0, 1]), self.direction()))]
        if kind in ("universal", "rolling_disc") or kind in ("planar", "constant_velocity", "rolling_ball") and self.chance(0.5):
            item["second_axis"] = across
        elif kind == "constant_velocity" and self.chance(0.5):
            item["second_shaft"] = [float(x) for x in np.array(item["axis"]) + 0.4 * np.array(across)]
        if kind.endswith("_curve"):
            item["curve"] = self.curve(point)["name"]
            if kind == "along_curve" and self.chance(0.5):
                item["up"] = self._up
        rolls = kind.startswith("rolling")
        if rolls:
            item["radius"] = self.between(0.2, 0.5)
        count = len(COORDINATES[kind])
        turn = [float(x) for x in unit(np.array([1.0, *self.vector(0.2)]))] if kind in ("spherical", "floating", "point_on_curve") or rolls else []
        if kind != "fixed" and self.chance(0.8):
            position = [self.between(-0.2, 0.2) for _ in range(count)] + turn + ([self.between(-0.3, 0.3) for _ in range(2)] if rolls else [])
            item["position"] = position if len(position) > 1 else position[0]
        if kind != "fixed":
            speed = [self.between(-1.5, 1.5) for _ in range(count + (3 if turn else 0))]
            item["speed"] = speed if len(speed) > 1 else speed[0]
            item |= self.some(armature=self.between(0.01, 0.3))
        return self.put("joint", item)

    def curve(self, point):
        """A spline or a circle through a point."""
        point, normal = np.array(point), np.array(self.direction())
        across = unit(np.cross(normal, self.direction()))
        self._up = [float(x) for x in normal]
        if self.chance(0.5):
            return self.put("curve", {"centre": [float(x) for x in point - 0.8 * across], "radius": 0.8, "normal": [float(x) for x in normal]})
        along = np.cross(normal, across)
        # Between two points: at one of them the third derivative of a cubic spline jumps.
        line = [list(map(float, point + s * along + 0.3 * s * s * across)) for s in (-2.0, -0.9, -0.3, 0.4, 1.0, 2.0)]
        return self.put("curve", {"points": line, **self.some(degree=self.pick([3, 5]), closed=False)})

    def tree(self, kinds):
        for kind in kinds:
            first = GROUND if kind == "floating" or not self.model.get("body") or self.chance(0.6) else self.any_body()
            self.joint(kind, first, self.body()["name"])

    # Coordinates.

    def coordinates(self, measure=None, free=False):
        """References to coordinates of joints; `free`: of those that no constraint prescribes."""
        found = []
        for joint in self.model.get("joint", []):
            names = COORDINATES[joint["type"]]
            # Joints that close loops have no coordinates.
            for name in () if joint.get("_loop") else names:
                if measure is not None and (name in ANGLES) != (measure == "angle") or free and joint["name"] in self.constrained:
                    continue
                found.append({"joint": joint["name"], **({"coordinate": name} if len(names) > 1 or self.chance(0.3) else {})})
        return found

    def coordinate(self, measure=None):
        """One of them; a joint of its own where there is none."""
        wanted = self.wanted.pop(0) if getattr(self, "wanted", None) else None
        if wanted is not None and (measure is None or (wanted.get("coordinate", "angle") in ANGLES) == (measure == "angle")):
            return dict(wanted)
        found = self.coordinates(measure)
        if not found:
            self.tree([{"angle": "revolute", "length": "prismatic"}.get(measure, "revolute")])
            found = self.coordinates(measure)
        return self.pick(found)

    def pair(self, count, measure=None):
        """Different coordinates."""
        found = [self.coordinate(measure)]
        while len(found) < count:
            more = [one for one in self.coordinates(measure) if all(reference(one, self.model) != reference(other, self.model) for other in found)]
            if more:
                found.append(self.pick(more))
            else:
                self.tree(["revolute" if measure == "angle" else "cylindrical"])
        return found

    def input(self, start, **more):
        return self.put("input", {"start": start, **more})["name"]

    def signal(self, value):
        """A number, an input or a parameter that stands for it."""
        way = self.random.random()
        if way < 0.2:
            return self.input(value)
        if way < 0.35:
            return self.put("parameter", {"value": value, **self.some(tunable=True, description="a number")})["name"]
        return value

    def fixed(self, value):
        """A number, or a parameter that stands for it."""
        return self.put("parameter", {"value": value})["name"] if self.chance(0.1) else value


def reference(item, model):
    """Joint and coordinate that an item names."""
    kind = next((joint["type"] for joint in model["joint"] if joint["name"] == item["joint"]), None)
    return item["joint"], item.get("coordinate") or (COORDINATES[kind][0] if kind and COORDINATES[kind] else None)
