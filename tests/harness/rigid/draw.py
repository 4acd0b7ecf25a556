"""Random rigid mechanisms: trees of all kinds of joints, loops, redundant linkages, gears, guides, all force elements; vehicles on tyres.

A mechanism is drawn in its design position; `start` then moves it along its own freedoms to another position, where it gets speeds
that all its equations allow, and writes both into the joints as numbers."""

from pathlib import Path

import numpy as np

from .algebra import across, exponential, quaternion, six, unit
from .scene import GROUND, KEYS, Scene, State, moved
from .solve import Equations, RANK, mass_matrix

# Mechanisms nearer to a singular position than this, or to one without inertia, are drawn again.
REGULAR = 0.03
INERTIA = 1e-5


class Unfit(Exception):
    """This one is drawn again."""


class Draft:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.model = {"model": {"name": "drawn", "gravity": list(self.vector(5.0)), "step": 1e-3}}
        self.places, self.counter, self.used = {}, 0, []
        # Joints of the tree, whose coordinates may be used.
        self.tree = []

    # Numbers.

    def between(self, low, high):
        return float(self.random.uniform(low, high))

    def vector(self, size):
        return self.random.uniform(-size, size, 3)

    def direction(self):
        return unit(self.random.normal(size=3))

    def chance(self, p):
        return self.random.random() < p

    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def sign(self):
        return self.pick([-1.0, 1.0])

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def put(self, key, item):
        self.model.setdefault(key, []).append(item)
        return item

    def body(self, place, mass=None):
        name = self.name("b")
        mass = self.between(0.5, 3.0) if mass is None else mass
        turn = exponential(self.vector(3.0))
        second = self.random.uniform(0.02, 0.3, 3)
        moments = turn @ np.diag(mass * (second.sum() - second)) @ turn.T
        com = np.array(place) + self.vector(0.25)
        self.put("body", {"name": name, "mass": mass, "com": list(com), "inertia": six(moments)})
        self.places[name] = com
        return name

    def joint(self, kind, a, b, point, axis=None, tree=True, second=None):
        joint = {"name": self.name("j"), "type": kind, "bodies": [a, b], "point": list(point)}
        if kind not in ("spherical", "floating", "fixed"):
            axis = unit(self.direction() if axis is None else np.array(axis))
            joint["axis"] = list(axis)
            if kind in ("universal", "planar", "constant_velocity"):
                x, y = across(axis)
                angle = self.between(-3, 3)
                joint["second_axis"] = list(x * np.cos(angle) + y * np.sin(angle) if second is None else second)
        self.put("joint", joint)
        if tree:
            joint["_tree"] = True
            self.tree.append(joint)
        return joint

    def carriers(self):
        names = [GROUND] + [body["name"] for body in self.model["body"]]
        k = int(self.random.integers(1, len(names)))
        return [names[k], self.pick(names[:k])] if self.chance(0.5) else [self.pick(names[:k]), names[k]]

    def centre(self, body):
        return np.zeros(3) if body == GROUND else self.places[body]

    def gap(self):
        a, b = self.carriers()
        return a, b, 0.5 * (self.centre(a) + self.centre(b)) + self.vector(0.4)

    # Trees, loops.

    def grow(self, count, kinds, base=GROUND):
        anchors = [(base, self.centre(base) + self.vector(0.3))]
        for _ in range(count):
            parent, place = anchors[-1] if self.chance(0.6) else self.pick(anchors)
            kind = self.pick(kinds)
            if kind == "floating" and parent != GROUND and self.chance(0.6):
                kind = "spherical"
            point = place + self.direction() * self.between(0.3, 0.7)
            body = self.body(point)
            self.joint(kind, *((parent, body) if kind == "floating" or self.chance(0.75) else (body, parent)), point)
            anchors.append((body, point))

    def close(self):
        a, b, place = self.gap()
        choice = self.pick(["rod", "rod", "line", "plane", "joint", "joint"])
        if choice == "rod":
            ends = [list(self.centre(a) + self.vector(0.3)), list(self.centre(b) + self.vector(0.3))]
            if np.linalg.norm(np.subtract(*ends)) < 0.2:
                raise Unfit("short rod")
            self.put("rod", {"name": self.name("r"), "bodies": [a, b], "points": ends,
                             **({"mass": self.between(0.1, 1.0)} if self.chance(0.5) else {})})
        elif choice == "line":
            self.put("point_on_line", {"name": self.name("l"), "bodies": [a, b], "point": list(place), "axis": list(self.direction())})
        elif choice == "plane":
            self.put("point_in_plane", {"name": self.name("p"), "bodies": [a, b], "point": list(place), "normal": list(self.direction())})
        else:
            self.joint(self.pick(["revolute", "prismatic", "cylindrical", "universal", "constant_velocity", "spherical", "planar", "fixed"]), a, b, place,
                       tree=False)

    def bearings(self, base):
        """A shaft in two or three bearings."""
        at, axis = self.centre(base) + self.vector(0.6), self.direction()
        shaft = self.body(at)
        self.joint(self.pick(["revolute", "cylindrical"]), base, shaft, at, axis)
        for k in range(self.pick([1, 1, 2])):
            self.joint(self.pick(["revolute", "spherical", "cylindrical"]), base, shaft, at + (0.4 + 0.3 * k) * axis, axis, tree=False)

    def planar_loop(self, base):
        """Four bars, or a slider-crank, in a plane anywhere."""
        n = self.direction()
        x, y = across(n)
        o = self.centre(base) + self.vector(0.3)
        lengths = [self.between(0.3, 0.5), self.between(0.8, 1.1), self.between(0.6, 0.9)]
        angle = self.between(0.6, 1.2)
        a = o + lengths[0] * (np.cos(angle) * x + np.sin(angle) * y)
        b = a + lengths[1] * (np.cos(0.3) * x + np.sin(0.3) * y)
        c = b + lengths[2] * (np.cos(-1.3) * x + np.sin(-1.3) * y)
        crank, rod, last = self.body(o), self.body(a), self.body(b)
        self.joint("revolute", base, crank, o, n)
        self.joint("revolute", crank, rod, a, n)
        if self.chance(0.5):
            self.joint(self.pick(["revolute", "revolute", "cylindrical"]), rod, last, b, n, tree=False)
            self.joint("revolute", base, last, c, n)
        else:
            self.joint("revolute", rod, last, b, n, tree=False)
            self.joint("prismatic", base, last, b, x + 0.2 * y)
        return crank, a, x, y

    def parallelogram(self, base):
        """Cranks of equal length side by side with a coupler, three of them or two; as bodies or rods."""
        n = self.direction()
        x, y = across(n)
        o = self.centre(base) + self.vector(0.3)
        angle = self.between(0.7, 1.3)
        arm = 0.5 * (np.cos(angle) * x + np.sin(angle) * y)
        coupler = self.body(o + arm)
        for k in range(self.pick([2, 3])):
            at = o + 0.4 * k * x
            if k and self.chance(0.4):
                self.put("rod", {"name": self.name("r"), "bodies": [base, coupler], "points": [list(at), list(at + arm)]})
                continue
            crank = self.body(at)
            self.joint("revolute", base, crank, at, n)
            self.joint("revolute", crank, coupler, at + arm, n, tree=k == 0)
        if not any(len(j["bodies"]) and coupler in j["bodies"] for j in self.tree):
            raise Unfit("nothing holds the coupler")

    def spherical_loop(self, base):
        """Four axes through one point."""
        o = self.centre(base) + self.vector(0.3)
        axes = [self.direction() for _ in range(4)]
        bodies = [base] + [self.body(o + 0.6 * axis) for axis in axes[:3]]
        for k in range(3):
            self.joint("revolute", bodies[k], bodies[k + 1], o + 0.5 * axes[k], axes[k])
        self.joint("revolute", bodies[3], base, o + 0.5 * axes[3], axes[3], tree=False)

    def twice(self):
        """A rod or a plane that is there already, once more: at the same place."""
        for key in ("rod", "point_in_plane", "point_on_line"):
            if key in self.model:
                again = dict(self.pick(self.model[key]))
                again.pop("mass", None)
                again["name"] = self.name("again")
                self.put(key, again)
                return

    # Coordinates.

    def coordinates(self, angles=False, kinds=None):
        found = []
        for joint in self.tree:
            if joint["type"] == "floating" or kinds and joint["type"] not in kinds:
                continue
            for name in KEYS[joint["type"]]:
                if angles and name not in ("angle", "second_angle"):
                    continue
                found.append({"joint": joint["name"], **({"coordinate": name} if len(KEYS[joint["type"]]) > 1 else {})})
        if not found:
            raise Unfit("no coordinate")
        return found

    def gears(self):
        some = self.coordinates()
        if len(some) < 2:
            return
        order = self.random.permutation(len(some))
        if len(some) > 2 and self.chance(0.4):
            several = [{**some[k], "ratio": self.sign() * self.between(0.5, 2.0)} for k in order[:self.pick([3, 3, 4])]]
            self.put("coupler", {"name": self.name("c"), "coordinates": several,
                                 **({"offset": self.between(-0.2, 0.2)} if self.chance(0.3) else {})})
            return
        chain = [some[k] for k in order[:self.pick([2, 2, 3])]]
        ratios = [self.sign() * self.between(0.5, 2.0) for _ in chain[1:]]
        for first, second, ratio in zip(chain, chain[1:], ratios):
            # `second` and `first` may be any kinds of coordinates.
            kinds = [reference.get("coordinate") or KEYS[self.kind(reference)][0] for reference in (first, second)]
            if kinds[0] in ("angle", "second_angle") and kinds[1] not in ("angle", "second_angle") and self.chance(0.5):
                self.put("rack_and_pinion", {"name": self.name("c"), "pinion": first, "rack": second, "radius": ratio})
            else:
                self.put("coupler", {"name": self.name("c"), "coordinates": [first, second], "ratio": ratio,
                                     **({"offset": self.between(-0.2, 0.2)} if self.chance(0.3) and len(chain) == 2 else {})})
        if len(chain) == 3 and self.chance(0.5):
            self.put("coupler", {"name": self.name("c"), "coordinates": [chain[0], chain[2]], "ratio": ratios[0] * ratios[1]})

    def kind(self, reference):
        return next(joint["type"] for joint in self.model["joint"] if joint["name"] == reference["joint"])

    def guide(self):
        free = [c for c in self.coordinates() if c not in self.used]
        if not free:
            return
        c = self.pick(free)
        self.used.append(c)
        item = {"name": self.name("g"), **c}
        choice = self.pick(["motion", "table", "input", "inputs"])
        if choice == "motion":
            item["motion"] = {"offset": self.between(-0.2, 0.2), "speed": self.between(-1, 1), "amplitude": self.between(-0.2, 0.2),
                              "frequency": self.between(0.2, 2), "phase": self.between(-3, 3)}
        elif choice == "table":
            item["table"] = [[0.4 * (k - 1), self.between(-0.25, 0.25)] for k in range(5)]
        else:
            names = [self.name("u") for _ in range(1 if choice == "input" else 3)]
            for k, name in enumerate(names):
                self.put("input", {"name": name, "start": self.between(-0.2, 0.2) if k == 0 else 0.0})
            item |= {"input": names[0], "filter_frequency": self.between(2, 20)} if choice == "input" else {"inputs": names}
            if self.chance(0.5):
                item["gain"] = self.sign() * self.between(0.5, 1.5)
        self.put("guided", item)

    # Forces. Those that depend on the position are drawn at the start, in whose neighbourhood they are not at a kink.

    def points(self):
        a, b = self.carriers()
        ends = [self.centre(a) + self.vector(0.3), self.centre(b) + self.vector(0.3)]
        if np.linalg.norm(ends[1] - ends[0]) < 0.3:
            ends[1] = ends[1] + self.direction() * 0.8
        return {"bodies": [a, b], "points": [list(end) for end in ends]}

    def rows(self, size, reach, rising=True):
        """A table of four rows."""
        x = np.sort(self.random.uniform(-reach, reach, 4)) + np.array([-0.3, -0.1, 0.1, 0.3]) * reach
        y = np.sort(self.random.uniform(-size, size, 4)) if rising else self.random.uniform(-size, size, 4)
        return [list(row) for row in zip(x, y)]

    def elastic(self, size):
        law = {"force_table": self.rows(size, 0.5)} if self.chance(0.3) else {"stiffness": self.between(0.2, 2) * size}
        law |= {"damping_table": self.rows(size, 2.0)} if self.chance(0.3) else {"damping": self.between(0, 0.1) * size}
        return law | {"preload": self.between(-size, size)}

    def of_any(self, size):
        value = [self.between(-size, size) for _ in range(3)]
        if self.chance(0.3):
            name = self.name("u")
            self.put("input", {"name": name, "start": value[1]})
            value[1] = name
        return value

    def forces(self, scene, kinds):
        for kind in kinds:
            try:
                item = getattr(self, f"draw_{kind}")(scene)
            except Unfit:
                continue
            if item is not None:
                self.put(kind, {"name": self.name("f"), **item})

    def draw_spring(self, scene):
        item = self.points()
        return item | self.elastic(20.0) | {"free_length": self.between(0.3, 1.0)}

    def draw_joint_spring(self, scene):
        return self.pick(self.coordinates()) | self.elastic(4.0) | {"free_position": self.between(-0.5, 0.5)}

    def draw_torsion_bar(self, scene):
        law = {"stiffness": self.between(1, 5)} if self.chance(0.3) else \
            {"length": 1.0, "diameter": 5e-3, "inner_diameter": self.between(0, 4e-3), "shear_modulus": self.between(5e10, 8e10)}
        return self.pick(self.coordinates(angles=True)) | law | \
            {"damping": self.between(0, 0.2), "preload": self.between(-1, 1), "free_angle": self.between(-0.3, 0.3)}

    def draw_bushing(self, scene):
        a, b, place = self.gap()
        axis = self.direction()
        second = across(axis)[0]
        six_of = lambda size, low=0.0: [self.between(low * size, size) for _ in range(6)]
        return {"bodies": [a, b], "point": list(place), "axis": list(axis), "second_axis": list(second), "stiffness": six_of(10.0),
                "damping": six_of(0.5), "preload": six_of(4.0, -1.0)}

    def draw_bump_stop(self, scene):
        if self.chance(0.6):
            item = dict(self.pick(self.coordinates()))
            value = scene.coordinate(item).value
        else:
            item = self.points()
            value = scene.distance(*item["bodies"], item["points"]).value
        depth = self.between(0.15, 0.4)
        end = self.pick(["upper", "lower"])
        outside = self.chance(0.7)
        away = (depth if outside else -depth) * (1 if end == "lower" else -1)
        item[end] = value + away
        if "points" in item and item[end] < 0.1:
            raise Unfit("a stop of no length")
        if self.chance(0.3):
            item["force_table"] = [[0, 0], [0.1, self.between(1, 3)], [0.3, self.between(4, 9)]]
        else:
            item |= {"stiffness": self.between(5, 30), "exponent": self.between(1, 2)}
        return item | {"damping": self.between(0, 2), "damping_depth": self.pick([0.0, 0.05])}

    def draw_force(self, scene):
        body = self.pick(self.model["body"])["name"]
        return {"body": body, "point": list(self.centre(body) + self.vector(0.4)), "value": self.of_any(10.0),
                "axes": self.pick(["world", "body"])}

    def draw_torque(self, scene):
        return {"body": self.pick(self.model["body"])["name"], "value": self.of_any(4.0), "axes": self.pick(["world", "body"])}

    def moving(self, scene):
        """A coordinate that does not rest."""
        fast = [c for c in self.coordinates() if abs(scene.coordinate(c).rate) > 0.6]
        if not fast:
            raise Unfit("nothing moves fast enough")
        return self.pick(fast)

    def draw_friction(self, scene):
        coulomb = self.between(0.2, 1.0)
        item = dict(self.moving(scene)) | {"coulomb": coulomb, "presliding": 1e-3, "time": 0.004, "viscous": self.between(0, 0.5)}
        return item | ({"static": coulomb * self.between(1, 1.5), "stribeck_speed": self.between(0.1, 1)} if self.chance(0.5) else {})

    def draw_brake(self, scene):
        return dict(self.moving(scene)) | {"torque": self.between(-0.2, 1.0), "gain": self.between(0.5, 2), "presliding": 1e-3, "time": 0.004}

    def draw_drive(self, scene):
        item, value = dict(self.pick(self.coordinates())), self.between(-5, 5)
        if self.chance(0.4):
            name = self.name("u")
            self.put("input", {"name": name, "start": value})
            value = name
        return item | {"value": value, "gain": self.between(-2, 2)}

    def draw_damper(self, scene):
        item = self.points()
        if abs(scene.distance(*item["bodies"], item["points"]).rate) < 0.4:
            raise Unfit("close to the blend of the two laws")
        for way in ("bump", "rebound"):
            if self.chance(0.3):
                item[f"{way}_table"] = [[0, 0], [0.5, self.between(1, 3)], [2, self.between(3, 9)]]
            else:
                item |= {f"{way}_damping": self.between(0, 5), f"{way}_degressivity": self.between(0, 1)}
        return item | {"gas_force": self.between(0, 5), "transition": 1e-13}

    def draw_leaf_spring(self, scene):
        a, b, place = self.gap()
        axis = self.direction()
        deflection = scene.along(a, b, place, axis).value
        item = {"bodies": [a, b], "point": list(place), "axis": list(axis), "lateral_axis": list(unit(across(axis)[0] + 0.3 * axis)),
                "load": self.between(-5, 20), "damping": self.between(0, 1), "helper_stiffness": self.between(0, 30),
                "helper_deflection": deflection + self.sign() * self.between(0.15, 0.3), "helper_transition": 1e-9,
                "lateral_stiffness": self.between(0, 20), "lateral_damping": self.between(0, 1),
                "longitudinal_stiffness": self.between(0, 20), "longitudinal_damping": self.between(0, 1)}
        return item | ({"force_table": self.rows(20, 0.5)} if self.chance(0.3) else {"stiffness": self.between(5, 30)})

    def draw_air_spring(self, scene):
        item = self.points()
        length = scene.distance(*item["bodies"], item["points"]).value
        item |= {"height": length * self.between(0.8, 1.2), "ambient_pressure": 1e5, "exponent": self.between(1, 1.4),
                 "reservoir": self.between(0, 1e-4)}
        if self.chance(0.4):
            item["area_table"] = [[0.5 * length, self.between(0.5e-4, 2e-4)], [length, self.between(0.5e-4, 2e-4)],
                                  [1.5 * length, self.between(0.5e-4, 2e-4)]]
        else:
            item["area"] = self.between(0.5e-4, 2e-4)
        return item | self.pick([{"pressure": self.between(1e5, 3e5)}, {"force": self.between(2, 20)}]) | \
            ({"volume": 1.5e-4 * length} if self.chance(0.3) else {})

    def draw_anti_roll_bar(self, scene):
        names = [body["name"] for body in self.model["body"]]
        if len(names) < 2:
            raise Unfit("one body")
        one, two = (names[k] for k in self.random.permutation(len(names))[:2])
        frame = self.pick([GROUND] + [name for name in names if name not in (one, two)])
        law = {"stiffness": self.between(5, 20)} if self.chance(0.5) else {"torsional_stiffness": self.between(1, 4), "arm_length": 0.4}
        return {"bodies": [frame, one, two], "points": [list(self.centre(b) + self.vector(0.3)) for b in (one, two)],
                "axis": list(self.direction()), "damping": self.between(0, 1)} | law

    def draw_aerodynamic_drag(self, scene):
        body = self.pick(self.model["body"])["name"]
        return {"body": body, "point": list(self.centre(body) + self.vector(0.3)), "drag_area": self.between(0, 0.3),
                "lift_area": self.between(-0.2, 0.3), "lift_axis": list(self.direction()), "density": 1.2, "wind": self.of_any(6.0)}

    def draw_speed_control(self, scene):
        body = self.pick(self.model["body"])["name"]
        some = self.coordinates()
        order = self.random.permutation(len(some))[:self.pick([1, 2])]
        drives = [dict(some[k]) | ({"share": self.between(-1, 1)} if self.chance(0.5) else {}) for k in order]
        if len({"share" in drive for drive in drives}) > 1:
            drives = [{key: value for key, value in drive.items() if key != "share"} for drive in drives]
        item = {"body": body, "point": list(self.centre(body) + self.vector(0.3)), "axis": list(self.direction()),
                "target": self.between(-3, 3), "proportional": self.between(0.1, 2), "drives": drives}
        return item | ({"max_torque": self.between(0.5, 4)} if self.chance(0.4) else {})


FORCES = ("spring", "joint_spring", "torsion_bar", "bushing", "bump_stop", "force", "torque", "friction", "brake", "drive", "damper",
          "leaf_spring", "air_spring", "anti_roll_bar", "aerodynamic_drag", "speed_control")
KINDS = ["revolute", "revolute", "prismatic", "cylindrical", "universal", "constant_velocity", "spherical", "planar", "floating"]


def design_states(model):
    zero = np.zeros(3)
    return {body["name"]: State(np.array(body["com"], dtype=float), np.eye(3), zero, zero) for body in model["body"]}


def decomposition(scene):
    """Equations, Jacobian, rank and null space; a mechanism near a singular position is not fit."""
    equations = Equations(scene)
    j = equations.jacobian()
    _, s, vt = np.linalg.svd(j, full_matrices=True)
    rank = int(np.sum(s > RANK))
    if rank and s[rank - 1] < REGULAR:
        raise Unfit("near a singular position")
    return equations, j, rank, vt[rank:].T


def place(scene, change):
    states = {}
    for name, k in scene.index.items():
        states[name] = moved(scene.states[name], change[6 * k:6 * k + 3], change[6 * k + 3:6 * k + 6])
    return states


def start(draft, model, reach, speed):
    """Moves the mechanism by about `reach` (m, rad) along its freedoms, to where the guides want it, and gives it speeds."""
    states = design_states(model)
    scene = Scene(model, states)
    # Guides and offsets hold at the start alone.
    wanted = Equations(scene).values("value")
    _, _, rank, null = decomposition(scene)
    ranks, way = {rank}, null @ draft.random.normal(size=null.shape[1])
    steps = 5
    for k in range(steps):
        equations, j, rank, null = decomposition(Scene(model, states))
        ranks.add(rank)
        change = null @ (null.T @ way)
        change *= reach / steps / max(1e-9, np.abs(change).max(initial=0.0))
        states = place(Scene(model, states), change)
        close = 1e-6 if k + 1 < steps else 3e-15
        for _ in range(12):
            scene = Scene(model, states)
            equations = Equations(scene)
            left = equations.values("value") - wanted * (1 - (k + 1) / steps)
            if np.abs(left).max(initial=0.0) < close:
                break
            j = equations.jacobian()
            states = place(scene, -np.linalg.pinv(j, rcond=1e-9) @ left)
        if np.abs(left).max(initial=0.0) > max(close, 1e-13):
            raise Unfit("not closed")
    scene = Scene(model, states)
    equations, j, rank, null = decomposition(scene)
    ranks.add(rank)
    if len(ranks) > 1:
        raise Unfit("redundant here, not there")
    rates = -equations.values("rate")
    v = null @ draft.random.normal(size=null.shape[1])
    v *= speed / max(1e-9, np.abs(v).max(initial=0.0))
    v = v + np.linalg.pinv(j, rcond=1e-9) @ rates
    if np.abs(j @ v - rates).max(initial=0.0) > 1e-12:
        raise Unfit("guides contradict each other")
    for name, k in scene.index.items():
        state = states[name]
        states[name] = State(state.p, state.r, v[6 * k:6 * k + 3], v[6 * k + 3:6 * k + 6])
    scene = Scene(model, states)
    mass, _ = mass_matrix(scene)
    if null.shape[1]:
        eigen = np.linalg.eigvalsh(null.T @ mass @ null)
        # Bodies are near 1 kg and 1 m: an inertia far below is none.
        if eigen[0] < INERTIA * max(1.0, eigen[-1]):
            raise Unfit("nothing moves this")
    write_start(scene, model)
    return scene


def write_start(scene, model):
    """Positions and speeds of the joints of the tree; one that is given them cannot be cut."""
    for joint in model["joint"]:
        kind = joint["type"]
        if kind == "fixed" or "_tree" not in joint:
            continue
        rows = [scene.coordinate({"joint": joint["name"], "coordinate": name}) for name in KEYS[kind]]
        position, speed = [row.value for row in rows], [row.rate for row in rows]
        if kind in ("spherical", "floating"):
            a, b = joint["bodies"]
            _, turn = scene.relative(joint)
            position += list(quaternion(turn))
            speed += list(scene.states[a].r.T @ (scene.states[b].w - scene.states[a].w))
        single = len(speed) == 1
        joint["position"] = position[0] if single else position
        joint["speed"] = speed[0] if single else speed


def attempt(seed):
    draft = Draft(seed)
    topology = draft.pick(["tree", "tree", "loops", "loops", "redundant", "redundant", "redundant"])
    if topology == "redundant":
        for _ in range(draft.pick([1, 1, 2])):
            base = GROUND if "body" not in draft.model or draft.chance(0.6) else draft.pick(draft.model["body"])["name"]
            draft.pick([draft.bearings, draft.planar_loop, draft.parallelogram, draft.spherical_loop])(base)
            if draft.chance(0.4):
                draft.grow(1, KINDS[:-1], draft.pick(draft.model["body"])["name"])
    else:
        draft.grow(int(draft.random.integers(1, 6)), KINDS if topology == "tree" else KINDS[:-1])
        if topology == "loops":
            for _ in range(draft.pick([1, 1, 2])):
                draft.close()
            if draft.chance(0.3):
                draft.twice()
    if draft.chance(0.3):
        draft.gears()
    if draft.chance(0.35):
        draft.guide()
    if draft.chance(0.15):
        draft.guide()
    if draft.chance(0.15):
        body = draft.pick(draft.model["body"])
        body["mass"], body["inertia"] = 0.0, [0.0] * 6
    scene = start(draft, draft.model, draft.between(0.1, 0.5), draft.between(0.5, 3.0))
    count = int(draft.random.integers(1, 6))
    draft.forces(scene, [FORCES[k] for k in draft.random.permutation(len(FORCES))[:count]])
    model = draft.model
    model["_class"] = topology
    # Coordinates that something looks at stay in the tree.
    model["_coordinates"] = [c for c in draft.coordinates() if draft.chance(0.5)] if any(KEYS[j["type"]] and j["type"] != "floating" for j in draft.tree) else []
    return model, scene.states


def mechanism(number):
    """The mechanism of a number, and the states of its bodies at the start."""
    for trial in range(200):
        try:
            return attempt((number, trial))
        except (Unfit, np.linalg.LinAlgError):
            continue
    raise AssertionError(f"nothing fit for {number}")


# Tyre files with radius in m, load in N and vertical stiffness in N/m.
TYRES = {"tests/tyres/mf_185_80R14.tir": (0.376, 3800.0, 1.75e5), "tests/tyres/mf61_205_60R16.tir": (0.3135, 4000.0, 2.09651e5)}


def vehicle(number):
    """A body on two to four sprung wheels that roll, slip, lean and steer on a plane, and the states of its bodies at the start."""
    draft = Draft((number, 31))
    model = draft.model
    file = draft.pick(list(TYRES))
    radius, load, stiffness = TYRES[file]
    model["model"]["gravity"] = [0.0, 0.0, -9.81]
    slopes = draft.vector(0.05)[:2]
    road = draft.put("road", {"name": "road", "height": draft.between(-1, 1), "slope": slopes[0], "bank": slopes[1], "friction": draft.between(0.4, 1)})
    speed, corners = draft.between(5, 25), [(1.2, 0.7, "left"), (1.2, -0.7, "right"), (-1.3, 0.7, "left"), (-1.3, -0.7, "right")]
    corners = [corners[k] for k in draft.random.permutation(4)[:draft.pick([2, 3, 4, 4])]]
    chassis = draft.body([0.0, 0.0, road["height"] + 0.7], mass=len(corners) * draft.between(0.3, 0.8) * load / 9.81)
    draft.joint("floating", GROUND, chassis, draft.centre(chassis))
    hubs, spins = {}, {}
    for x, y, side in corners:
        height = road["height"] + slopes @ [x, y]
        centre = np.array([x, y, height + radius - draft.between(0.2, 1.2) * load / stiffness])
        carrier = draft.body(centre, mass=20.0)
        up = draft.joint("prismatic", chassis, carrier, centre, [0.0, 0.0, 1.0])
        draft.put("joint_spring", {"name": draft.name("f"), "joint": up["name"], "stiffness": draft.between(1e4, 4e4), "damping": draft.between(5e2, 2e3),
                                   "preload": -draft.between(0.3, 0.8) * load})
        if draft.chance(0.5):
            knuckle = draft.body(centre, mass=5.0)
            steer = draft.joint("revolute", carrier, knuckle, centre, [draft.between(-0.1, 0.1), draft.between(-0.1, 0.1), 1.0])
            draft.put("guided", {"name": draft.name("g"), "joint": steer["name"],
                                 "motion": {"offset": draft.between(-0.1, 0.1), "amplitude": 0.05, "frequency": draft.between(0.5, 3)}})
            carrier = knuckle
        wheel = draft.body(centre, mass=15.0)
        spin = draft.joint("revolute", carrier, wheel, centre, [draft.between(-0.05, 0.05), 1.0, draft.between(-0.05, 0.05)])
        hubs[wheel], spins[wheel] = centre, np.array(spin["axis"]) * speed / radius * draft.between(0.9, 1.1)
        draft.put("tyre", {"name": draft.name("t"), "joint": spin["name"], "file": Path(file).name, "side": side,
                           **({"twin_spacing": 0.25} if draft.chance(0.2) else {})})
    states, ahead = design_states(model), np.array([speed, draft.between(-1, 1), 0.0])
    for name, state in states.items():
        # A wheel turns about its own centre of mass, which is not on its axis.
        turn = spins.get(name, np.zeros(3))
        hub = hubs.get(name, state.p)
        states[name] = State(state.p, state.r, ahead + np.cross(turn, state.p - hub), turn)
    model["_class"], model["_coordinates"], model["_files"] = "vehicle", [], (file,)
    scene = Scene(model, states)
    write_start(scene, model)
    return model, states
