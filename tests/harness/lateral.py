"""The lateral motion of a vehicle as a linear model of its axles, apart from the program.

It is made of masses and points of the flat model file; of the slopes of the book's tyre (magic_formula.py) at the loads and slips of straight driving;
and of kinematics and compliance of every axle in the design position, from `ballesta rig`.

Small coordinates, in axes that stand still while the vehicle drives along x at the speed V: y of the first unit at x = 0 on the road; heading psi and
roll phi of every unit; roll angle a of the wheels of every axle, by their heights; lateral shift u of an axle that its guides let go; roll of what hangs on
a roll spring in a unit (cab, engine). With the height h of the roll centre the contacts of an axle move by y + x psi + h (a - phi) + u, and its
wheels are inclined by phi + c (a - phi). Equations, with the inertia of all bodies, the gyroscopes that wheels are, and in K the weights, wheel loads
and forces along the road times what their points move to second order:

    M q'' + C q' + K q = sum over the axles of contact Fy + inclination Mx + heading Mz
    s alpha' + V alpha = contact' - V (heading + steer angle)
"""

import csv
import json
import subprocess
import tomllib
from math import atan, sin
from types import SimpleNamespace

import numpy as np

from gallery import PROGRAM
from magic_formula import Tyre

GRAVITY = 9.81
# Tests of the rig about the design position: slopes are what is wanted of them.
SMALL = ["--points", "3", "--travel", "0.002", "--steer-range", "0.05"]


def ask(*command):
    done = subprocess.run([PROGRAM, *map(str, command)], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_friction(source, path):
    """Writes the model flat, its leaf springs without friction: with it the roll angle depends on what was before."""
    ask("expand", source, "-o", path)
    rows = path.read_text().splitlines()
    path.write_text("\n".join("friction_coefficient = 0.0" if row.startswith("friction_coefficient") else row for row in rows) + "\n")
    return path


class Rig:
    """Kinematics and compliance in the design position."""

    def __init__(self, path, fixed):
        self.found = json.loads(ask("rig", path, "kc", "--json", *SMALL, *(word for body in fixed for word in ("--fix", body))))
        self.axles = {axle["name"]: axle for axle in self.found["axles"]}

    def slope(self, test, figure):
        test = next(t for t in self.found["tests"] if t["test"] == test)
        along, values = test["along"], test["figures"][figure]
        middle = int(np.argmin(np.abs(along)))
        return (values[middle + 1] - values[middle - 1]) / (along[middle + 1] - along[middle - 1])

    def compliance(self, axle, load, figure):
        """What a load on both wheels does, on the average of them, per load on one."""
        rows = [row for wheel in self.axles[axle]["wheels"] for row in wheel["compliance"]]
        return np.mean([row[figure] for row in rows if row["load"] == load and not row["opposite"]])


class Lateral:
    """`units`: beginnings of the names of the bodies of every unit, its main body first; behind the first each hangs on the one before at its hitch."""

    def __init__(self, path, speed, units, hitches=()):
        self.speed, self.units, self.hitches = speed, units, hitches
        self.model = {"joint_spring": [], "leaf_spring": []} | tomllib.loads(path.read_text())
        self.parameters = {parameter["name"]: parameter["value"] for parameter in self.model["parameter"]}
        fixed = [unit[0] for unit in units[1:]]
        # The damping of a roll is what springs in place of the dampers, 1 N/m for 1 N s/m, add to the roll rate.
        means = [(damper, (damper["bump_damping"] + damper["rebound_damping"]) / 2) for damper in self.model["damper"]]
        springs = (f'[[spring]]\nname = "{d["name"]}.spring"\nbodies = {d["bodies"]}\npoints = {d["points"]}\nstiffness = {mean}\n' for d, mean in means)
        sprung = path.with_name("dampers_as_springs.toml")
        sprung.write_text(path.read_text() + "".join(springs))
        rig, damped = Rig(path, fixed), Rig(sprung, fixed)
        names, values = csv.reader(ask("run", path, "--stop", "0", "-q", "--csv", "-", *self.at_speed()).splitlines())
        self.start = dict(zip(names, map(float, values)))
        joints = {joint["name"]: joint for joint in self.model["joint"]}
        self.swings = {joints[s["joint"]]["bodies"][1]: (s, self.place(joints[s["joint"]]["point"])[2]) for s in self.model["joint_spring"]
                       if joints[s["joint"]]["axis"][0] > 0.9 and s.get("coordinate", "angle") == "angle"}
        self.names = ["y", *(f"{kind}{k}" for k in range(len(units)) for kind in ("psi", "phi")), *(f"a.{axle}" for axle in rig.axles), *self.swings]
        self.names += [f"u.{axle}" for axle in rig.axles if rig.compliance(axle, "lateral", "contact_left") > 1e-9]
        self.mass, self.damping, self.stiffness = (np.zeros((len(self.names), len(self.names))) for _ in range(3))
        self.axles = [self.axle(path, name, rig, damped) for name in rig.axles]
        self.weights(path.parent)
        for air in self.model["aerodynamic_drag"]:
            (x, _, z), unit = self.place(air["point"]), self.unit_of(air["body"])
            drag, way = 0.5 * air.get("density", 1.225) * air["drag_area"] * speed**2, self.lateral(unit, x, z)
            self.damping += drag / speed * np.outer(way, way)
            self.stiffness += 2 * drag * self.retreat(unit, x, way)

    def at_speed(self):
        return ["--set", f"speed={self.speed}", "--set", f"target_speed={self.speed}"]

    def row(self, **entries):
        return np.array([float(entries.get(name, 0)) for name in self.names])

    def place(self, point):
        numbers = self.model["points"][point] if isinstance(point, str) else point
        return np.array([self.parameters.get(x, x) for x in numbers], float)

    def unit_of(self, body):
        return next((k for k, unit in enumerate(self.units) if body.startswith(unit)), 0)

    def lateral(self, unit, x, z):
        """Displacement of a point of a unit to the left."""
        if unit == 0:
            return self.row(y=1, psi0=x, phi0=-z)
        hx, hz = self.hitches[unit - 1]
        return self.lateral(unit - 1, hx, hz) + self.row(**{f"psi{unit}": x - hx, f"phi{unit}": hz - z})

    def sink(self, unit, z):
        """Second order of the height of a point, as a quadratic form of the coordinates."""
        tilt, hz = self.row(**{f"phi{unit}": 1}), self.hitches[unit - 1][1] if unit else 0.0
        return (self.sink(unit - 1, hz) if unit else 0.0) - 0.5 * (z - hz) * np.outer(tilt, tilt)

    def retreat(self, unit, x, way):
        """Second order of the place along x of a point that moves by `way` to the left."""
        heading, hx, hitch, before = self.row(**{f"psi{unit}": 1}), 0.0, self.row(y=1), 0.0
        if unit:
            hx, hz = self.hitches[unit - 1]
            hitch = self.lateral(unit - 1, hx, hz)
            before = self.retreat(unit - 1, hx, hitch)
        over = np.outer(heading, way - hitch)
        return before - 0.5 * (over + over.T) + 0.5 * (x - hx) * np.outer(heading, heading)

    def axle(self, path, name, rig, damped):
        left, body = f"{name}.left", lambda part: next(b for b in self.model["body"] if b["name"] == f"{name}.left.{part}")
        wheel = body("wheel")
        unit = self.unit_of(next(damper["bodies"][0] for damper in self.model["damper"] if damper["name"].startswith(name)))
        x, half, height = self.place(wheel["com"])
        total = lambda output: self.start[f"{left}.tyre.{output}"] + self.start[f"{name}.right.tyre.{output}"]
        load, driving = total("Fz") / 2, total("Fx")
        tilt, heading, up, shift = (self.row(**{key: 1}) for key in (f"phi{unit}", f"psi{unit}", f"a.{name}", f"u.{name}"))
        roll = up - tilt
        camber, roll_steer = -half * rig.slope("roll", f"{left}.camber"), half * rig.slope("roll", f"{left}.steer")
        inclination = tilt + camber * roll
        beside = rig.axles[name]["home"]["roll_centre.height"] * roll + shift
        contact = self.lateral(unit, x, 0) + beside
        # Springs and dampers.
        rates = [2 * half**2 * r.slope("roll", f"{left}.load") for r in (rig, damped)]
        self.stiffness += rates[0] * np.outer(roll, roll)
        leaves = [leaf for leaf in self.model["leaf_spring"] if leaf["name"].startswith(name)]
        by_leaves = sum(leaf.get("damping", 0.0) * self.place(leaf["point"])[1]**2 for leaf in leaves)
        self.damping += (rates[1] - rates[0] + by_leaves) * np.outer(roll, roll)
        if shift.any():
            self.stiffness += 2 / rig.compliance(name, "lateral", "contact_left") * np.outer(shift, shift)
            self.damping += sum(leaf.get("lateral_damping", 0.0) for leaf in leaves) * np.outer(shift, shift)
        # Weight and forces along the road, where the contacts go.
        over = np.outer(tilt, beside)
        self.stiffness -= 2 * load * (2 * self.sink(unit, 0) + over + over.T + height * camber**2 * np.outer(roll, roll))
        self.stiffness -= 2 * driving * self.retreat(unit, x, contact)
        # Wheels as gyroscopes; their spin, which differs left and right in a turn.
        spin, inertia = self.start[f"{left}.wheel.speed"], wheel["inertia"][1]
        self.damping += 2 * inertia * spin * (np.outer(heading, inclination) - np.outer(inclination, heading))
        self.mass += 2 * inertia * (half * spin / self.speed)**2 * np.outer(heading, heading)
        # What the steering wheel does to angle, inclination, loads and contacts.
        by_wheel = lambda figure: rig.slope("steer", f"{left}.{figure}") if f"{name}.steering_ratio" in rig.found["tests"][2]["figures"] else 0.0
        steer_in, inclination_in = by_wheel("steer"), -by_wheel("camber")
        given = -2 * half * by_wheel("load") * roll + 2 * load * (by_wheel("outward") + height * inclination_in) * tilt
        compliance = [rig.compliance(name, kind, "steer") / 2 for kind in ("lateral", "aligning")]
        axle = SimpleNamespace(name=name, unit=unit, x=x, heading=heading, up=up, roll=roll, contact=contact, inclination=inclination, given=given,
                               steer_in=steer_in, roll_steer=roll_steer, compliance=compliance)
        tyre = next(t for t in self.model["tyre"] if t["name"] == f"{left}.tyre")
        self.tyres(axle, Tyre((path.parent / tyre["file"]).read_text()), tyre.get("twin_spacing", 0.0), half, height, load, driving, inclination_in)
        return axle

    def tyres(self, axle, tyre, spacing, half, height, load, driving, inclination_in):
        """Fy, Mx and Mz of an axle: slopes over alpha, and rows over the coordinates by what makes them."""
        left, v = f"{axle.name}.left.tyre", tyre.v
        offsets = [spacing / 2, -spacing / 2] if spacing else [0.0]
        number, load, stiffness = 2 * len(offsets), load / len(offsets), v["VERTICAL_STIFFNESS"]
        at = np.array([self.start[f"{left}.longitudinal_slip"], self.start[f"{left}.slip_angle"], 0.0, load])
        forces = lambda x: np.array(tyre.forces(float(x[3]), *map(float, x[:3]), self.speed, 0.0))
        steps = np.diag([1e-5, 1e-5, 1e-5, 1.0])
        # Rows: over kappa, alpha, gamma, load.
        fx, fy, mx, my, mz = np.array([(forces(at + step) - forces(at - step)) / (2 * step.max()) for step in steps]).T
        # Of a wheel that turns freely moments about its axis say the force along the road, and that says the slip kappa.
        by_force = np.array([f[0] / fx[0] for f in (fy, mx, mz)])
        sides = np.array([f - f[0] / fx[0] * fx for f in (fy, mx, mz)])
        axle.slopes, zero = number * sides[:, 1], np.zeros((3, len(self.names)))
        lifted = [-stiffness * (half + offset) * axle.up for offset in offsets]
        along = [(my[3] + forces(at)[0] / stiffness) / height * change for change in lifted]
        axle.by = {"camber": number * np.outer(sides[:, 2], axle.inclination), "load transfer": 2 * np.outer(sides[:, 3], sum(lifted)),
                   "rolling resistance": 2 * np.outer(by_force, sum(along)), "forces along the road": zero.copy()}
        axle.by["rolling resistance"][2] -= 2 * sum((half + offset) * force for offset, force in zip(offsets, along))
        axle.by["forces along the road"][0] = driving * (axle.heading + axle.roll_steer * axle.roll)
        axle.by_input = {"camber": number * sides[:, 2] * inclination_in, "forces along the road": np.array([driving * axle.steer_in, 0, 0])}
        self.stiffness += 2 * stiffness * sum((half + offset)**2 for offset in offsets) * np.outer(axle.up, axle.up)
        # Twin tyres on one wheel slip against each other in a turn.
        axle.scrub = fx[0] * spacing**2 / self.speed
        self.damping += axle.scrub * np.outer(axle.heading, axle.heading)
        axle.relaxation = v["PTY1"] * sin(2 * atan(load / (v["PTY2"] * v["FNOMIN"] * v["LFZO"]))) * v["UNLOADED_RADIUS"] * v["LFZO"] * v["LSGAL"]

    def weights(self, folder):
        """Inertia and weight of all bodies; half of a link between an axle and the rest, arm or rod, goes with each."""
        on_axle = lambda body: next((a for a in self.axles if body.startswith(a.name) and not body.endswith("pitman")), None)
        for body in self.model["body"]:
            name, mass, place = body["name"], body.get("mass", 0.0), self.place(body["com"]) if body.get("mass") else None
            mass = self.parameters.get(mass, mass)
            if not mass:
                continue
            axle = on_axle(name)
            if name.endswith("arm"):
                self.body(axle.unit, None, mass / 2, place)
                self.body(axle.unit, axle, mass / 2, place)
            else:
                self.body(axle.unit if axle else self.unit_of(name), axle, mass, place, body.get("inertia", [0.0] * 6), name if name in self.swings else None)
        for flexible in self.model.get("flexible_body", []):
            # A twist beam: rigid, on its axle.
            rigid = tomllib.loads((folder / flexible["rom"]).read_text())["rigid"]
            place = self.place(flexible["position"]) + rigid["centre"]
            axle = on_axle(flexible["name"])
            self.body(axle.unit, axle, rigid["mass"], place, rigid["inertia"])
        for rod in self.model["rod"]:
            for body, point in zip(rod["bodies"], rod["points"]):
                axle = on_axle(body)
                self.body(axle.unit if axle else self.unit_of(body), axle, rod["mass"] / 2, self.place(point))

    def body(self, unit, axle, mass, place, inertia=(0.0,) * 6, swing=None):
        x, y, z = place
        heading, tilt, fixed = self.row(**{f"psi{unit}": 1}), self.row(**{f"phi{unit}": 1}), self.lateral(unit, x, z)
        turn, rise, way = tilt, tilt, fixed
        if axle:
            turn, rise, way = axle.inclination, axle.up, axle.contact + (x - axle.x) * heading - z * axle.inclination
        if swing:
            spring, height = self.swings[swing]
            turn = rise = self.row(**{swing: 1})
            way = fixed + (z - height) * (tilt - turn)
            self.stiffness += spring["stiffness"] * np.outer(turn - tilt, turn - tilt)
            self.damping += spring.get("damping", 0.0) * np.outer(turn - tilt, turn - tilt)
            self.stiffness += mass * GRAVITY * (z - height) * (np.outer(tilt, tilt) - np.outer(turn, turn))
        else:
            over = np.outer(tilt, way - fixed)
            self.stiffness += mass * GRAVITY * (over + over.T)
        self.stiffness += 2 * mass * GRAVITY * self.sink(unit, z)
        for v in (-y * heading, way, y * rise):
            self.mass += mass * np.outer(v, v)
        xx, _, zz, _, _, xz = inertia
        self.mass += xx * np.outer(turn, turn) + zz * np.outer(heading, heading) + xz * (np.outer(turn, heading) + np.outer(heading, turn))

    def system(self):
        """A and B over q, q', alpha; the input is the angle of the steering wheel."""
        n, m = len(self.names), len(self.axles)
        stiffness, loads, given = self.stiffness.copy(), np.zeros((n, m)), np.zeros(n)
        a, b = np.zeros((2 * n + m, 2 * n + m)), np.zeros(2 * n + m)
        for k, axle in enumerate(self.axles):
            rows, rate, lag = np.array([axle.contact, axle.inclination, axle.heading]), self.speed / axle.relaxation, 2 * n + k
            loads[:, k] = axle.slopes @ rows
            stiffness -= rows.T @ sum(axle.by.values())
            given += sum(axle.by_input.values()) @ rows + axle.given
            a[lag, n:2 * n] = axle.contact / axle.relaxation
            a[lag, :n] = -rate * (axle.heading + axle.roll_steer * axle.roll)
            a[lag, lag], b[lag] = -rate * (1 + axle.compliance @ axle.slopes[[0, 2]]), -rate * axle.steer_in
        a[:n, n:2 * n] = np.eye(n)
        a[n:2 * n] = np.linalg.solve(self.mass, np.hstack([-stiffness, -self.damping, loads]))
        b[n:2 * n] = np.linalg.solve(self.mass, given)
        return a, b

    def turning(self):
        """Coordinates, slip angles and steering wheel in steady turning, for a yaw rate of 1 rad/s; heading and y, which go on, have any value."""
        n, (a, b) = len(self.names), self.system()
        s = 1e-4j
        x = np.linalg.solve(s * np.eye(len(a)) - a, b)
        rate = (s * x[self.names.index("psi0")]).real
        return x[:n] / rate, (x[2 * n:] / rate).real, 1 / rate

    def understeer(self):
        """The road wheel angle beyond that of Ackermann per lateral acceleration, rad/(m/s2), of a vehicle with two axles: by what makes it, and whole."""
        q, alpha, steering = self.turning()
        # With the heading alone forces along the road turn as air does.
        q = (q * [not name.startswith("psi") for name in self.names]).real
        (front, rear), total = self.axles, self.mass[0, 0]
        base, centre = front.x - rear.x, self.mass[0, self.names.index("psi0")] / total

        def angle(forces, moment):
            """What side forces and a moment that slip need not make take from the angle, or add."""
            return ((-forces[0] - moment / base) / -front.slopes[0] + (forces[1] - moment / base) / -rear.slopes[0]) / self.speed

        shares = [total * self.speed * (rear.x - centre) / base, total * self.speed * (centre - front.x) / base]
        parts = {"cornering stiffness of the tyres": angle(shares, 0.0)}
        parts["aligning torque by slip"] = angle([0.0, 0.0], sum(axle.slopes[2] * slip for axle, slip in zip(self.axles, alpha)))
        for effect in front.by:
            made = [axle.by[effect] @ q + axle.by_input.get(effect, np.zeros(3)) * steering for axle in self.axles]
            parts[effect] = angle([forces[0] for forces in made], sum(forces[2] for forces in made))
        parts["twin tyres against each other"] = angle([0.0, 0.0], -front.scrub - rear.scrub)
        parts["roll steer in front"] = -front.roll_steer * front.roll @ q / self.speed
        parts["roll steer behind"] = rear.roll_steer * rear.roll @ q / self.speed
        parts["whole"] = (front.steer_in * steering - base / self.speed) / self.speed
        return parts
