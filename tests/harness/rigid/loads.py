"""Laws of the force elements, from docs/model-format.md and docs/vehicles.md: what they do on bodies and on coordinates, and what their outputs
say."""

import numpy as np

from .algebra import between, cross, left_jacobian, length, magnitude, rotation_vector, sign, unit, vector


class Hidden(Exception):
    """The force follows from a state that no output tells, or from a course that is not documented."""


def interpolate(rows, x):
    """Linear between the rows and beyond the ends."""
    rows = np.array(rows, dtype=float)
    k = int(np.clip(np.searchsorted(rows[:, 0], np.real(x), side="right") - 1, 0, len(rows) - 2))
    (x0, y0), (x1, y1) = rows[k], rows[k + 1]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


class Loads:
    """`wrench`: generalized forces on all bodies but those of efforts; `efforts`: (row, effort, joint or None); `outputs`: (key, name,
    quantity) to a value."""

    def __init__(self, scene):
        self.scene = scene
        self.wrench = scene.zeros(6 * len(scene.names))
        self.efforts, self.outputs = [], {}
        self.weights()
        for key in ("spring", "joint_spring", "torsion_bar", "bushing", "bump_stop", "force", "torque", "friction", "drive", "damper",
                    "leaf_spring", "air_spring", "anti_roll_bar", "brake", "aerodynamic_drag", "speed_control"):
            for item in scene.model.get(key, []):
                getattr(self, key)(item, lambda name, default=0.0, item=item: scene.number(item.get(name, default)))

    def act(self, body, at, force, torque=0.0):
        if body in self.scene.index:
            k = 6 * self.scene.index[body]
            self.wrench[k:k + 3] += force
            self.wrench[k + 3:k + 6] += cross(at - self.scene.states[body].p, force) + torque

    def effort(self, row, effort, joint=None):
        self.efforts.append((row, effort, joint))
        for body, (linear, angular) in row.entries.items():
            if body in self.scene.index:
                k = 6 * self.scene.index[body]
                self.wrench[k:k + 3] += effort * linear
                self.wrench[k + 3:k + 6] += effort * angular

    def tells(self, key, item, **values):
        for quantity, value in values.items():
            self.outputs[key, item["name"], quantity] = value

    def weights(self):
        scene = self.scene
        gravity = vector(scene.model["model"].get("gravity", [0, 0, 0]))
        for body in scene.model.get("body", []):
            self.act(body["name"], scene.states[body["name"]].p, scene.number(body.get("mass", 0.0)) * gravity)
        for rod in scene.model.get("rod", []):
            for body, point in zip(rod["bodies"], rod["points"]):
                self.act(body, scene.point(body, point), 0.5 * rod.get("mass", 0.0) * gravity)

    def line(self, key, item, tension, free=0.0):
        """Between two points; `tension` of length and rate."""
        scene = self.scene
        row = scene.distance(*item["bodies"], item["points"])
        force = tension(row.value, row.rate)
        self.effort(row, -force)
        self.tells(key, item, length=row.value, speed=row.rate, force=force)

    def design_length(self, item):
        return length(vector(item["points"][1]) - vector(item["points"][0]))

    def elastic(self, item, of, x, speed):
        force = interpolate(item["force_table"], x) if "force_table" in item else of("stiffness") * x
        return force + (interpolate(item["damping_table"], speed) if "damping_table" in item else of("damping") * speed) + of("preload")

    def spring(self, item, of):
        free = of("free_length", self.design_length(item))
        self.line("spring", item, lambda length, rate: self.elastic(item, of, length - free, rate))

    def joint_spring(self, item, of):
        row = self.scene.coordinate(item)
        x = row.value - of("free_position")
        force = self.elastic(item, of, x, row.rate)
        self.effort(row, -force, item["joint"])
        self.tells("spring", item, length=x, speed=row.rate, force=force)

    def torsion_bar(self, item, of):
        row = self.scene.coordinate(item)
        x = row.value - of("free_angle")
        k = of("stiffness") if "stiffness" in item else \
            of("shear_modulus") * np.pi * (of("diameter") ** 4 - of("inner_diameter") ** 4) / (32 * of("length"))
        force = k * x + of("damping") * row.rate + of("preload")
        self.effort(row, -force, item["joint"])
        self.tells("spring", item, length=x, speed=row.rate, force=force)

    def bushing(self, item, of):
        """Translation: −K x − C x' + preload on the second body at its point, in axes of the first, the opposite on the first at the same
        place of space. Rotation: what has the potential ½ θ·K θ − t₀·θ of the rotation vector θ, less C ω."""
        scene, (a, b), point = self.scene, item["bodies"], item["point"]
        x, y = unit(vector(item["axis"])), unit(vector(item["second_axis"]))
        triad = np.array([x, y, cross(x, y)]).T
        k, c, preload = (vector(item.get(name, [0] * 6)) for name in ("stiffness", "damping", "preload"))
        at = scene.point(b, point)
        frame, other = scene.states[a].r @ triad, scene.states[b].r @ triad
        rows = [scene.along(a, b, point, triad[:, i]) for i in range(3)]
        deformation, rate = np.array([row.value for row in rows]), np.array([row.rate for row in rows])
        force = frame @ (preload[:3] - k[:3] * deformation - c[:3] * rate)
        turn = rotation_vector(frame.T @ other)
        spin = frame.T @ (scene.states[b].w - scene.states[a].w)
        torque = frame @ (np.linalg.solve(left_jacobian(turn).T, preload[3:] - k[3:] * turn) - c[3:] * spin)
        self.act(b, at, force, torque)
        self.act(a, at, -force, -torque)
        self.tells("bushing", item, position=deformation, force=force, torque=torque)

    def bump_stop(self, item, of):
        row = self.scene.coordinate(item) if "joint" in item else self.scene.distance(*item["bodies"], item["points"])
        effort = 0.0
        for end, side in (("upper", 1.0), ("lower", -1.0)):
            depth = side * (row.value - of(end)) if end in item else 0.0
            if np.real(depth) > 0.0:
                force = interpolate(item["force_table"], depth) if "force_table" in item else of("stiffness") * depth ** of("exponent", 1.0)
                if np.real(depth) < of("damping_depth"):
                    raise Hidden("the damping of a stop sets in")
                effort -= side * between(0.0, force + of("damping") * side * row.rate, np.inf)
        self.effort(row, effort, item.get("joint"))
        self.tells("spring", item, length=row.value, speed=row.rate, force=-effort)

    def force(self, item, of):
        body = item["body"]
        value = np.array([self.scene.number(v) for v in item["value"]])
        turned = self.scene.states[body].r @ value if item.get("axes") == "body" else value
        self.act(body, self.scene.point(body, item["point"]), turned)

    def torque(self, item, of):
        body = item["body"]
        value = np.array([self.scene.number(v) for v in item["value"]])
        turned = self.scene.states[body].r @ value if item.get("axes") == "body" else value
        self.act(body, self.scene.states[body].p, np.zeros(3), turned)

    def sliding(self, way, presliding):
        """It slides whatever its bristles' state is: |ζ + τ v/φ| > 1 for every ζ from −1 to 1."""
        if way < 2 * presliding:
            raise Hidden("a friction that may stick")

    def friction(self, item, of):
        """Sliding: beyond presliding, so fast that it does not stick."""
        row = self.scene.coordinate(item)
        coulomb = of("coulomb")
        static = of("static", coulomb)
        self.sliding(of("time", 0.002) * abs(np.real(row.rate)), of("presliding", 0.0))
        falls = np.exp(-(row.rate / of("stribeck_speed")) ** 2) if "stribeck_speed" in item else 0.0
        self.effort(row, -sign(row.rate) * (coulomb + (static - coulomb) * falls) - of("viscous") * row.rate, item["joint"])

    def drive(self, item, of):
        row = self.scene.coordinate(item)
        effort = of("gain", 1.0) * of("value")
        self.effort(row, effort, item["joint"])
        self.tells("drive", item, effort=effort, power=effort * row.rate)

    def damper(self, item, of):
        def tension(length, rate):
            way = "rebound" if np.real(rate) > 0 else "bump"
            speed = magnitude(rate)
            if f"{way}_table" in item:
                force = interpolate(item[f"{way}_table"], speed)
            else:
                force = of(f"{way}_damping") * speed / (1 + of(f"{way}_degressivity") * speed)
            return sign(rate) * force - of("gas_force")

        self.line("spring", item, tension)

    def leaf_spring(self, item, of):
        """Without friction, which has a state that no output tells, and without wind-up."""
        scene, (a, b), point = self.scene, item["bodies"], item["point"]
        axis = unit(vector(item["axis"]))
        lateral = vector(item["lateral_axis"])
        lateral = unit(lateral - axis * (axis @ lateral))
        row = scene.along(a, b, point, axis)
        load = of("load") + (interpolate(item["force_table"], row.value) if "force_table" in item else of("stiffness") * row.value)
        helped = row.value - of("helper_deflection")
        if abs(np.real(helped)) < of("helper_transition", 0.005):
            raise Hidden("a helper leaf sets in")
        load += of("helper_stiffness") * between(0.0, helped, np.inf) + of("damping") * row.rate
        self.effort(row, -load)
        for name, direction in (("lateral", lateral), ("longitudinal", cross(axis, lateral))):
            side = scene.along(a, b, point, direction)
            self.effort(side, -of(f"{name}_stiffness") * side.value - of(f"{name}_damping") * side.rate)
        self.tells("spring", item, length=row.value, speed=row.rate, force=load)

    def air_spring(self, item, of):
        scene = self.scene
        design = of("height", self.design_length(item))
        table = np.array(item["area_table"], dtype=float) if "area_table" in item else None
        area = (lambda h: interpolate(table, h)) if table is not None else (lambda h: of("area"))
        volume = of("volume", area(design) * design) + of("reservoir")
        exponent, ambient = of("exponent", 1.3), of("ambient_pressure", 101325)
        pressure0 = of("pressure") if "pressure" in item else ambient + of("force") / area(design)

        def swept(h):
            """∫A dh from the design height, exact for pieces of straight lines."""
            cuts = [design, h] if table is None else [design, *sorted(x for x in table[:, 0] if min(design, np.real(h)) < x < max(design, np.real(h))), h]
            if np.real(h) < design:
                cuts = [design, *sorted(cuts[1:-1], reverse=True), h]
            return sum(0.5 * (area(p) + area(q)) * (q - p) for p, q in zip(cuts, cuts[1:]))

        row = scene.distance(*item["bodies"], item["points"])
        pressure = pressure0 * (volume / (volume + swept(row.value))) ** exponent
        tension = -(pressure - ambient) * area(row.value)
        self.effort(row, -tension)
        self.tells("spring", item, length=row.value, speed=row.rate, force=tension, pressure=pressure)

    def anti_roll_bar(self, item, of):
        scene, (frame, *ends) = self.scene, item["bodies"]
        axis = unit(vector(item["axis"]))
        rows = [scene.along(frame, body, point, axis) for body, point in zip(ends, item["points"])]
        row = rows[0].plus(-1.0, rows[1])
        k = of("stiffness") if "stiffness" in item else of("torsional_stiffness") / of("arm_length") ** 2
        force = k * row.value + of("damping") * row.rate
        self.effort(row, -force)
        self.tells("spring", item, length=row.value, speed=row.rate, force=force)

    def brake(self, item, of):
        """While it slides."""
        row = self.scene.coordinate(item)
        self.sliding(of("time", 0.002) * abs(np.real(row.rate)), of("presliding", 0.02))
        effort = -sign(row.rate) * between(0.0, of("gain", 1.0) * of("torque"), np.inf)
        self.effort(row, effort, item["joint"])
        self.tells("drive", item, effort=effort, power=effort * row.rate)

    def aerodynamic_drag(self, item, of):
        scene, body = self.scene, item["body"]
        wind = np.array([scene.number(v) for v in item.get("wind", [0, 0, 0])]) - scene.velocity(body, item["point"])
        speed = length(wind)
        lift = scene.states[body].r @ unit(vector(item["lift_axis"]))
        force = 0.5 * of("density", 1.225) * (of("drag_area") * speed * wind + of("lift_area") * (speed ** 2 * lift - wind * (wind @ lift)))
        self.act(body, scene.point(body, item["point"]), force)
        self.tells("aerodynamic_drag", item, force=force)

    def speed_control(self, item, of):
        """At the start, where its integral is zero, or without one."""
        scene, body = self.scene, item["body"]
        assert "integral" not in item or scene.time == 0.0
        speed = scene.velocity(body, item["point"]) @ (scene.states[body].r @ unit(vector(item["axis"])))
        torque = of("proportional") * (of("target") - speed)
        most = of("max_torque", np.inf)
        torque = between(of("min_torque", -most), torque, most)
        power = 0.0
        for drive in item["drives"]:
            row = scene.coordinate(drive)
            share = scene.number(drive.get("share", 1.0 / len(item["drives"]))) * torque
            self.effort(row, share, drive["joint"])
            power += share * row.rate
        self.tells("drive", item, effort=torque)
