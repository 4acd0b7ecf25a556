"""A model file in a state, in absolute coordinates: every body has the position of its centre of mass, a rotation, a velocity and an
angular velocity; every joint, rod, coupler and guide is equations between them. Written from docs/model-format.md.

An equation says J v = rate and J v' = acceleration, v the velocities and angular velocities of all bodies in world axes."""

from dataclasses import dataclass, field

import numpy as np

from .algebra import across, arctan2, cross, exponential, length, symmetric, unit, vector

GROUND = "ground"
KEYS = {"revolute": ["angle"], "prismatic": ["travel"], "cylindrical": ["travel", "angle"],
        "universal": ["angle", "second_angle"], "spherical": [], "planar": ["x", "y", "angle"], "floating": ["x", "y", "z"],
        "fixed": [], "constant_velocity": ["angle", "second_angle"]}


@dataclass
class State:
    p: np.ndarray
    r: np.ndarray
    v: np.ndarray
    w: np.ndarray


@dataclass
class Row:
    """`entries`: body to the factors of its velocity and of its angular velocity; `bias`: second derivative of `value` with
    all accelerations zero; `value`: what is zero where the equation is met, or the coordinate."""

    entries: dict = field(default_factory=dict)
    value: float = 0.0
    bias: float = 0.0
    rate: float = 0.0

    def add(self, body, linear, angular):
        if body in self.entries:
            old = self.entries[body]
            linear, angular = old[0] + linear, old[1] + angular
        self.entries[body] = (linear, angular)

    def plus(self, factor, other):
        total = Row({}, self.value + factor * other.value, self.bias + factor * other.bias, self.rate + factor * other.rate)
        for entries, by in ((self.entries, 1.0), (other.entries, factor)):
            for body, (linear, angular) in entries.items():
                total.add(body, by * linear, by * angular)
        return total

    def times(self, factor):
        return Row().plus(factor, self)


class Scene:
    def __init__(self, model, states, time=0.0):
        self.model, self.time = model, time
        zero = np.zeros(3)
        self.states = dict(states)
        self.states[GROUND] = State(zero, np.eye(3), zero, zero)
        self.names = [body["name"] for body in model.get("body", [])]
        self.index = {name: k for k, name in enumerate(self.names)}
        self.centres = {body["name"]: vector(body["com"]) for body in model.get("body", [])}
        self.centres[GROUND] = zero
        self.joints = {joint["name"]: joint for joint in model.get("joint", [])}
        self.inputs = {item["name"]: item.get("start", 0.0) for item in model.get("input", [])}

    def number(self, value):
        return self.inputs[value] if isinstance(value, str) else float(value)

    def zeros(self, *shape):
        """Of complex numbers where a state or an input has them."""
        values = [*self.inputs.values(), *(part for state in self.states.values() for part in (state.p, state.v))]
        return np.zeros(shape, np.result_type(float, *values))

    # Points and directions that a body carries: design position in, now out.

    def arm(self, body, design):
        return self.states[body].r @ (vector(design) - self.centres[body])

    def point(self, body, design):
        return self.states[body].p + self.arm(body, design)

    def velocity(self, body, design):
        state = self.states[body]
        return state.v + cross(state.w, self.arm(body, design))

    def pull(self, body, design):
        """Acceleration of the point with those of the body zero."""
        w = self.states[body].w
        return cross(w, cross(w, self.arm(body, design)))

    # Rows.

    def along(self, a, b, design, direction, second=None):
        """e · (p_b − p_a) with e carried by the first body; `second`: the design point of b, where it is another one."""
        second = design if second is None else second
        sa, sb = self.states[a], self.states[b]
        e = sa.r @ direction
        d = self.point(b, second) - self.point(a, design)
        rate = self.velocity(b, second) - self.velocity(a, design)
        e1 = cross(sa.w, e)
        row = Row()
        row.add(b, e, cross(self.arm(b, second), e))
        row.add(a, -e, cross(e, d + self.arm(a, design)))
        row.value = e @ d
        row.rate = e1 @ d + e @ rate
        row.bias = cross(sa.w, e1) @ d + 2 * e1 @ rate + e @ (self.pull(b, second) - self.pull(a, design))
        return row

    def square(self, a, b, first, second):
        """u · w with u carried by the first body and w by the second."""
        sa, sb = self.states[a], self.states[b]
        u, w = sa.r @ first, sb.r @ second
        u1, w1 = cross(sa.w, u), cross(sb.w, w)
        row = Row()
        moment = cross(w, u)
        row.add(b, np.zeros(3), moment)
        row.add(a, np.zeros(3), -moment)
        row.value = u @ w
        row.rate = u1 @ w + u @ w1
        row.bias = cross(sa.w, u1) @ w + 2 * u1 @ w1 + u @ cross(sb.w, w1)
        return row

    def distance(self, a, b, points):
        d = self.point(b, points[1]) - self.point(a, points[0])
        distance = length(d)
        u = d / distance
        rate = self.velocity(b, points[1]) - self.velocity(a, points[0])
        row = Row()
        row.add(b, u, cross(self.arm(b, points[1]), u))
        row.add(a, -u, -cross(self.arm(a, points[0]), u))
        row.value = distance
        row.rate = u @ rate
        row.bias = (rate @ rate - row.rate ** 2) / distance + u @ (self.pull(b, points[1]) - self.pull(a, points[0]))
        return row

    def turn(self, a, b, axis, carrier):
        """Relative angular velocity along an axis that one of the bodies carries."""
        sa, sb = self.states[a], self.states[b]
        n = self.states[carrier].r @ axis
        relative = sb.w - sa.w
        row = Row()
        row.add(b, np.zeros(3), n)
        row.add(a, np.zeros(3), -n)
        row.rate = n @ relative
        row.bias = cross(self.states[carrier].w, n) @ relative
        return row

    def axes(self, joint):
        """Triad of a joint in the design position: its axis and two across it, the first its second axis where it has one."""
        if "axis" not in joint:
            return np.eye(3)
        n = unit(vector(joint["axis"]))
        first, second = across(n)
        if "second_axis" in joint:
            first = unit(vector(joint["second_axis"]))
            second = cross(n, first)
        return np.array([n, first, second])

    def joint_point(self, joint):
        if "point" in joint:
            return vector(joint["point"])
        a, b = joint["bodies"]
        return self.centres[a if b == GROUND else b]

    def joint_rows(self, joint):
        kind, (a, b), point = joint["type"], joint["bodies"], self.joint_point(joint)
        n, x, y = self.axes(joint)
        if kind == "constant_velocity":
            # No turn about the shaft beyond the one that leads from shaft to shaft.
            twist = self.square(a, b, x, y).plus(-1.0, self.square(a, b, y, x))
            return [self.along(a, b, point, e) for e in (n, x, y)] + [twist]
        along = {"revolute": (n, x, y), "spherical": (n, x, y), "universal": (n, x, y), "fixed": (n, x, y), "prismatic": (x, y),
                 "cylindrical": (x, y), "planar": (n,), "floating": ()}[kind]
        square = {"revolute": ((x, n), (y, n)), "cylindrical": ((x, n), (y, n)), "planar": ((x, n), (y, n)), "universal": ((n, x),),
                  "fixed": ((x, y), (y, n), (n, x)), "prismatic": ((x, y), (y, n), (n, x)), "spherical": (), "floating": ()}[kind]
        return [self.along(a, b, point, e) for e in along] + [self.square(a, b, u, w) for u, w in square]

    def relative(self, joint):
        """Place of the joint's point of the second body and rotation, in the axes of the first."""
        a, b = joint["bodies"]
        point = self.joint_point(joint)
        ra = self.states[a].r
        return ra.T @ (self.point(b, point) - self.point(a, point)), ra.T @ self.states[b].r

    def coordinate(self, reference):
        """Row of a scalar coordinate, its value and speed in it."""
        joint = self.joints[reference["joint"]]
        kind, (a, b) = joint["type"], joint["bodies"]
        name = reference.get("coordinate") or KEYS[kind][0]
        n, x, y = self.axes(joint)
        if name in ("travel", "x", "y", "z"):
            if kind == "floating":
                direction = np.eye(3)["xyz".index(name)]
            else:
                direction = {"travel": n, "x": x, "y": y}[name]
            return self.along(a, b, self.joint_point(joint), direction)
        turn = self.relative(joint)[1]
        if kind == "constant_velocity":
            return self.bent(a, b, turn, (cross(x, n), x, n), name)
        if kind != "universal":
            row = self.turn(a, b, n, a)
            row.value = arctan2(y @ turn @ x, x @ turn @ x)
        elif name == "angle":
            row = self.turn(a, b, n, a)
            row.value = arctan2(y @ turn @ x, x @ turn @ x)
        else:
            row = self.turn(a, b, x, b)
            row.value = arctan2(y @ turn.T @ n, n @ turn.T @ n)
        return row

    def bent(self, a, b, turn, axes, name):
        """An angle of a constant-velocity joint: half of it about the first axis, the second angle about the second, the other half
        about the first again. So the quaternion of the rotation is (cos β cos α, cos β sin α, sin β, 0) with halves α and β."""
        first, second, shaft = axes
        sa, sb = self.states[a], self.states[b]
        # Twice the cosine of half the angle of the rotation, and its axis from the skew part.
        whole = np.sqrt(1.0 + turn[0, 0] + turn[1, 1] + turn[2, 2])
        skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (2.0 * whole)
        alpha = arctan2(skew @ first, whole / 2)
        sine = skew @ second
        beta = arctan2(sine, np.sqrt(1.0 - sine * sine))
        middle = sa.r @ (second * np.cos(alpha) + shaft * np.sin(alpha))
        before, after = sa.r @ first, sb.r @ first
        columns = np.array([0.5 * (before + after), middle, sa.r @ shaft + sb.r @ shaft]).T
        inverse = np.linalg.inv(columns)
        rates = inverse @ (sb.w - sa.w)
        carried = sa.w + 0.5 * rates[0] * before
        change = 0.5 * (cross(sa.w, before) + cross(sb.w, after)) * rates[0] + cross(carried, middle) * rates[1]
        k = 0 if name == "angle" else 1
        row = Row()
        row.add(b, np.zeros(3), inverse[k])
        row.add(a, np.zeros(3), -inverse[k])
        row.value, row.rate, row.bias = 2 * (alpha if k == 0 else beta), rates[k], -inverse[k] @ change
        return row

    def signal(self, guide):
        """Position, speed and acceleration that a guide asks for."""
        t, number = self.time, self.number
        if "motion" in guide:
            m = {key: number(value) for key, value in guide["motion"].items()}
            w, amplitude = 2 * np.pi * m.get("frequency", 0.0), m.get("amplitude", 0.0)
            angle = w * t + m.get("phase", 0.0)
            return np.array([m.get("offset", 0.0) + m.get("speed", 0.0) * t + amplitude * np.sin(angle),
                             m.get("speed", 0.0) + amplitude * w * np.cos(angle), -amplitude * w * w * np.sin(angle)])
        if "table" in guide:
            return spline(np.array(guide["table"], dtype=float), t)
        if "input" in guide:
            # In the steady state of its filter: the input does not change.
            return number(guide.get("gain", 1.0)) * np.array([number(guide["input"]), 0.0, 0.0])
        return number(guide.get("gain", 1.0)) * np.array([number(name) for name in guide["inputs"]])


def spline(rows, t):
    """Natural cubic spline with its first two derivatives, a straight line beyond its ends."""
    x, y = rows[:, 0], rows[:, 1]
    n, h = len(x), np.diff(x)
    a, b = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        a[k, k - 1:k + 2] = [h[k - 1], 2 * (h[k - 1] + h[k]), h[k]]
        b[k] = 6 * ((y[k + 1] - y[k]) / h[k] - (y[k] - y[k - 1]) / h[k - 1])
    m = np.linalg.solve(a, b)
    k = int(np.clip(np.searchsorted(x, t, side="right") - 1, 0, n - 2))
    inside = np.clip(t, x[0], x[-1])
    u, v = x[k + 1] - inside, inside - x[k]
    slope = (y[k + 1] - y[k]) / h[k]
    value = (m[k] * u ** 3 + m[k + 1] * v ** 3) / (6 * h[k]) + (y[k] / h[k] - m[k] * h[k] / 6) * u + (y[k + 1] / h[k] - m[k + 1] * h[k] / 6) * v
    first = (m[k + 1] * v ** 2 - m[k] * u ** 2) / (2 * h[k]) + slope - h[k] * (m[k + 1] - m[k]) / 6
    second = (m[k] * u + m[k + 1] * v) / h[k]
    return np.array([value + first * (t - inside), first, second if t == inside else 0.0])


def mass_matrix(scene):
    """Mass matrix of all bodies and rods, and the inertia forces that remain where no body accelerates."""
    n = 6 * len(scene.names)
    mass, bias = scene.zeros(n, n), scene.zeros(n)
    for body in scene.model.get("body", []):
        k, state = 6 * scene.index[body["name"]], scene.states[body["name"]]
        inertia = state.r @ symmetric(body.get("inertia", [0] * 6)) @ state.r.T
        mass[k:k + 3, k:k + 3] = scene.number(body.get("mass", 0.0)) * np.eye(3)
        mass[k + 3:k + 6, k + 3:k + 6] = inertia
        bias[k + 3:k + 6] = cross(state.w, inertia @ state.w)
    for rod in scene.model.get("rod", []):
        ends = point_jacobian(scene, rod)
        for i in range(2):
            for j in range(2):
                share = rod.get("mass", 0.0) / (3 if i == j else 6)
                mass += share * ends[i].T @ ends[j]
                bias += share * ends[i].T @ scene.pull(rod["bodies"][j], rod["points"][j])
    return mass, bias


def point_jacobian(scene, item):
    """Velocities of the two ends of an item from those of the bodies."""
    ends = []
    for body, point in zip(item["bodies"], item["points"]):
        j = scene.zeros(3, 6 * len(scene.names))
        if body != GROUND:
            k = 6 * scene.index[body]
            j[:, k:k + 3] = np.eye(3)
            arm = scene.arm(body, point)
            j[:, k + 3:k + 6] = -np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        ends.append(j)
    return ends


def moved(state, dv, dw):
    return State(state.p + dv, exponential(dw) @ state.r, state.v, state.w)
