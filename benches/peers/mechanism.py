"""A flat model file (`ballesta expand`) as what every program here can compute: bodies, joints, rods, springs.

Body frames have the axes of the world in the design position, in which all motions start. Bodies that are joined rigidly are one
body. Changes that make the models comparable are noted in `notes`, which the comparison prints:

- tyres, roads, drives, brakes, stops, anti-roll bars, drag of the air and drivers are left out;
- guided coordinates are locked;
- telescopic dampers become linear ones with the mean of their damping at speed 0;
- torsion bars become joint springs; air springs become springs with their stiffness and load in the design position;
- leaf springs and bushings become springs along their axes, 1 m long, with their stiffness, damping and load.
"""

import copy
import math
import subprocess
import tomllib

import generate
import numpy as np

DROPPED = ["tyre", "road", "wheel_port", "bump_stop", "brake", "drive", "speed_control", "anti_roll_bar", "aerodynamic_drag"]
ARM = 1.0  # length in m of the springs that stand for leaf springs and bushings


def unit(vector):
    return vector / np.linalg.norm(vector)


def matrix(inertia):
    xx, yy, zz, xy, yz, xz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(inertia):
    return [float(inertia[i, j]) for i, j in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]]


def steiner(mass, arm):
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


class Body:
    def __init__(self, name, mass, com, inertia):
        self.name, self.mass, self.com, self.inertia = name, mass, com, inertia

    def add(self, mass, com, inertia):
        """Adds another mass, rigidly joined."""
        total = self.mass + mass
        middle = (self.mass * self.com + mass * com) / total if total > 0 else self.com
        self.inertia = self.inertia + steiner(self.mass, self.com - middle) + inertia + steiner(mass, com - middle)
        self.mass, self.com = total, middle


class Joint:
    def __init__(self, name, kind, bodies, point, axes, cut, speed):
        self.name, self.kind, self.bodies, self.point = name, kind, bodies, point
        self.axes, self.cut, self.speed = axes, cut, speed


class Mechanism:
    """`bodies` by name; `joints`; `rods` (name, bodies, points, mass); `springs` (bodies, points, k, c, free length);
    `joint_springs` (joint, axis number, k, c, free position)."""

    def __init__(self, path):
        self.file = tomllib.loads(path.read_text())
        self.parameters = {p["name"]: float(p["value"]) for p in self.file.get("parameter", [])}
        self.points = {name: self.vector(at) for name, at in self.file.get("points", {}).items()}
        self.name, self.notes = self.file["model"]["name"], []
        self.gravity = self.vector(self.file["model"].get("gravity", [0, 0, 0]))
        self.bodies, self.joints, self.springs, self.joint_springs = {}, [], [], []
        for body in self.file["body"]:
            self.bodies[body["name"]] = Body(
                body["name"],
                self.number(body.get("mass", 0)),
                self.centre(body),
                matrix([self.number(x) for x in body.get("inertia", [0] * 6)]),
            )
        guided = {g["joint"] for g in self.file.get("guided", [])}
        for joint in self.file["joint"]:
            kind = "fixed" if joint["name"] in guided else joint["type"]
            axes = [unit(self.vector(joint[key])) for key in ("axis", "second_axis") if key in joint]
            speed = joint.get("speed", 0)
            speed = [self.number(x) for x in (speed if isinstance(speed, list) else [speed])]
            point = self.place(joint["point"]) if "point" in joint else self.bodies[joint["bodies"][1]].com
            self.joints.append(Joint(joint["name"], kind, list(joint["bodies"]), point, axes, joint.get("cut", False), speed))
        self.rods = [
            [rod["name"], list(rod["bodies"]), [self.place(p) for p in rod["points"]], self.number(rod.get("mass", 0))]
            for rod in self.file.get("rod", [])
        ]
        self.forces()
        if guided:
            self.notes.append(f"locked: {', '.join(sorted(guided))}")
        if dropped := [f"{len(self.file[table])} `{table}`" for table in DROPPED if table in self.file]:
            self.notes.append(f"left out: {', '.join(dropped)}")
        known = {"model", "experiment", "published", "points", "body", "joint", "rod", "guided", "input", "parameter", "output"}
        known |= {"plot", "shape", "spring", "joint_spring", "damper", "torsion_bar", "air_spring", "leaf_spring", "bushing", *DROPPED}
        assert known.issuperset(self.file), f"tables that nothing is known of: {set(self.file) - known}"
        self.merge()

    def number(self, value):
        return self.parameters.get(value, 0.0) if isinstance(value, str) else float(value)

    def vector(self, values):
        return np.array([self.number(x) for x in values])

    def place(self, value):
        return self.points[value] if isinstance(value, str) else self.vector(value)

    def centre(self, body):
        if "com" in body:
            return self.place(body["com"])
        for end in (1, 0):
            for joint in self.file["joint"]:
                if joint["bodies"][end] == body["name"] and "point" in joint:
                    return self.place(joint["point"])
        return np.zeros(3)

    def forces(self):
        """What is left of the force elements, as springs."""
        get = lambda item, key, default=0.0: self.number(item.get(key, default))
        for s in self.file.get("spring", []):
            assert "force_table" not in s and "damping_table" not in s
            points = [self.place(p) for p in s["points"]]
            free = get(s, "free_length", np.linalg.norm(points[1] - points[0]))
            self.spring(s["bodies"], points, get(s, "stiffness"), get(s, "damping"), get(s, "preload"), free)
        for s in self.file.get("damper", []):
            mean = (get(s, "bump_damping") + get(s, "rebound_damping")) / 2
            self.spring(s["bodies"], [self.place(p) for p in s["points"]], 0.0, mean, 0.0)
        for s in self.file.get("air_spring", []):
            points = [self.place(p) for p in s["points"]]
            area, load, ambient = get(s, "area"), get(s, "force"), get(s, "ambient_pressure", 101325)
            volume = get(s, "volume", area * np.linalg.norm(points[1] - points[0])) + get(s, "reservoir")
            stiffness = get(s, "exponent", 1.3) * (ambient + load / area) * area**2 / volume
            self.spring(s["bodies"], points, stiffness, 0.0, -load)
        for s in self.file.get("leaf_spring", []):
            up = unit(self.vector(s.get("axis", [0, 0, 1])))
            beam = self.vector(s.get("lateral_axis", [0, 1, 0]))
            beam = unit(beam - beam @ up * up)
            seat, along = self.place(s["point"]), np.cross(beam, up)
            for direction, name, load in [(up, "", get(s, "load")), (beam, "lateral_", 0.0), (along, "longitudinal_", 0.0)]:
                self.along(s["bodies"], seat, direction, get(s, name + "stiffness"), get(s, name + "damping"), load)
            wind_up, damping = get(s, "wind_up_stiffness"), get(s, "wind_up_damping")
            self.along(s["bodies"], seat + 0.5 * up, along, 4 * wind_up, 4 * damping, 0.0)
        for s in self.file.get("bushing", []):
            assert "axis" not in s and not any(self.vector(s["stiffness"][3:])), "turned or torsional bushings"
            zero = [0.0] * 6
            for i, direction in enumerate(np.eye(3)):
                values = [self.number(s.get(key, zero)[i]) for key in ("stiffness", "damping", "preload")]
                self.along(s["bodies"], self.place(s["point"]), direction, *values[:2], -values[2])
        for s in self.file.get("torsion_bar", []):
            shear, diameter, inner = get(s, "shear_modulus", 79.3e9), get(s, "diameter"), get(s, "inner_diameter")
            stiffness = get(s, "stiffness") or shear * math.pi * (diameter**4 - inner**4) / 32 / get(s, "length")
            self.joint_spring(s, stiffness, get(s, "damping"), get(s, "free_angle"), get(s, "preload"))
        for s in self.file.get("joint_spring", []):
            assert "force_table" not in s and "damping_table" not in s
            self.joint_spring(s, get(s, "stiffness"), get(s, "damping"), get(s, "free_position"), get(s, "preload"))

    def spring(self, bodies, points, stiffness, damping, preload, free=None):
        """Tension k (l − free) + preload + c l̇."""
        free = np.linalg.norm(points[1] - points[0]) if free is None else free
        free = free - preload / stiffness if stiffness > 0 else free
        if stiffness > 0 or damping > 0:
            self.springs.append([list(bodies), points, stiffness, damping, float(free)])

    def along(self, bodies, point, direction, stiffness, damping, load):
        """A spring of length 1 m in `direction` from the first body to `point` of the second; `load` pushes the first body that way."""
        self.spring(bodies, [point + ARM * direction, point], stiffness, damping, -load)

    def joint_spring(self, item, stiffness, damping, free, preload):
        axis = 1 if item.get("coordinate") == "second_angle" else 0
        free = free - preload / stiffness if stiffness > 0 else free
        self.joint_springs.append([item["joint"], axis, stiffness, damping, free])

    def merge(self):
        """Makes one body of bodies that are fixed to each other."""
        into, merged = {}, {}
        for joint in [joint for joint in self.joints if joint.kind == "fixed"]:
            first, second = [into.get(body, body) for body in joint.bodies]
            if second == "ground":
                first, second = second, first
            if first != "ground":
                gone = self.bodies[second]
                self.bodies[first].add(gone.mass, gone.com, gone.inertia)
            del self.bodies[second]
            into = {body: first if target == second else target for body, target in into.items()} | {second: first}
            merged.setdefault(first, []).append(second)
        self.notes += [f"one body with {first}: {', '.join(gone)}" for first, gone in merged.items()]
        self.joints = [joint for joint in self.joints if joint.kind != "fixed"]
        for item in self.joints:
            item.bodies = [into.get(body, body) for body in item.bodies]
        for bodies in [rod[1] for rod in self.rods] + [spring[0] for spring in self.springs]:
            bodies[:] = [into.get(body, body) for body in bodies]

    def massless_rods(self):
        """The same with half the mass of every rod at either end."""
        other = copy.deepcopy(self)
        for rod in other.rods:
            for body, point in zip(rod[1], rod[2]):
                if body != "ground":
                    other.bodies[body].add(rod[3] / 2, point, np.zeros((3, 3)))
            rod[3] = 0.0
        return other

    def undamped(self):
        other = copy.deepcopy(self)
        for spring in other.springs:
            spring[3] = 0.0
        other.springs = [spring for spring in other.springs if spring[2] > 0]
        for spring in other.joint_springs:
            spring[3] = 0.0
        return other

    def springless(self):
        other = copy.deepcopy(self)
        other.springs, other.joint_springs = [], []
        return other

    def tumbling(self):
        """Floating roots get a rotation besides their speed, wheels turn, and springs carry a quarter of their load: without wheel loads the
        suspension would fly far beyond the stops that are left out."""
        for joint in self.joints:
            if joint.kind == "floating" and "ground" in joint.bodies:
                joint.speed = [10.0, 0.0, 0.0, 0.3, 0.2, 0.5]
            if joint.kind == "revolute" and joint.name.endswith("wheel"):
                joint.speed = [30.0]
        for spring in self.springs:
            design = np.linalg.norm(spring[1][1] - spring[1][0])
            spring[4] = float(design + (spring[4] - design) / 4)
        for spring in self.joint_springs:
            spring[4] /= 4

    def write(self, path, integrator="rk4", stop=1.0):
        """The model file for ballesta, with outputs of all bodies."""
        lines = ["[model]", f'name = "{self.name}"', f"gravity = {[float(x) for x in self.gravity]}", "step = 1e-3"]
        lines += [f'integrator = "{integrator}"', "", "[experiment]", f"stop = {stop}", "step = 1e-3"]

        def table(kind, /, **entries):
            lines.append(f"\n[[{kind}]]")
            for key, value in entries.items():
                if isinstance(value, np.ndarray):
                    value = [float(x) for x in value]
                elif isinstance(value, list) and any(isinstance(x, np.ndarray) for x in value):
                    value = [[float(x) for x in point] for point in value]
                text = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else None
                text = text or (str(value).replace("'", '"') if isinstance(value, list) else None)
                lines.append(f"{key} = {text or (repr(float(value)) if not isinstance(value, str) else chr(34) + value + chr(34))}")

        for body in self.bodies.values():
            table("body", name=body.name, mass=body.mass, com=body.com, inertia=six(body.inertia))
        for joint in self.joints:
            entries = {"name": joint.name, "type": joint.kind, "bodies": joint.bodies}
            if joint.kind != "floating":
                entries["point"] = joint.point
            entries |= dict(zip(("axis", "second_axis"), joint.axes))
            if joint.cut:
                entries["cut"] = True
            if any(joint.speed):
                entries["speed"] = joint.speed if len(joint.speed) > 1 else joint.speed[0]
            table("joint", **entries)
        for name, bodies, points, mass in self.rods:
            table("rod", name=name, bodies=bodies, points=points, mass=mass)
        for i, (bodies, points, stiffness, damping, free) in enumerate(self.springs):
            entries = {"stiffness": stiffness, "damping": damping, "free_length": free}
            table("spring", name=f"spring_{i}", bodies=bodies, points=points, **entries)
        for i, (joint, axis, stiffness, damping, free) in enumerate(self.joint_springs):
            kind = next(j.kind for j in self.joints if j.name == joint)
            coordinate = {"coordinate": ("angle", "second_angle")[axis]} if kind == "universal" else {}
            entries = {"stiffness": stiffness, "damping": damping, "free_position": free}
            table("joint_spring", name=f"joint_spring_{i}", joint=joint, **coordinate, **entries)
        for quantity in ("gap", "energy_balance"):
            table("output", name=quantity, quantity=quantity)
        for i, body in enumerate(self.moving()):
            for quantity in ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
                table("output", name=f"b{i}.{quantity}", body=body.name, quantity=quantity)
        path.write_text("\n".join(lines) + "\n")

    def moving(self):
        """Bodies with mass."""
        return [body for body in self.bodies.values() if body.mass > 0]

    def tree(self):
        """Joints that lead outwards, breadth first: name of the body → (parent, joint, whether its first body is the outer one).
        Floating bodies hang on the ground: that costs no closure. The other joints are cuts."""
        found, cuts = {}, []
        queue = ["ground"] + [j.bodies[1] for j in self.joints if j.kind == "floating"]
        for joint in self.joints:
            if joint.kind == "floating":
                found[joint.bodies[1]] = ("ground", joint, False)
        used = {id(joint) for joint in self.joints if joint.kind == "floating"}
        while queue:
            body = queue.pop(0)
            for joint in self.joints:
                if id(joint) in used or body not in joint.bodies:
                    continue
                reverse = joint.bodies[1] == body
                other = joint.bodies[0 if reverse else 1]
                used.add(id(joint))
                if joint.cut or other in found or other == "ground":
                    cuts.append(joint)
                else:
                    found[other] = (body, joint, reverse)
                    queue.append(other)
        planar = all(j.kind == "revolute" and abs(j.axes[0] @ self.joints[0].axes[0]) > 1 - 1e-12 for j in self.joints)
        assert all(cut.kind == "spherical" or planar for cut in cuts), "closures are points"
        return found, cuts


def expand(program, model, path):
    """The flat form of a model, read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([program, "expand", model, "-o", path], check=True)
    return Mechanism(path)


def generated(kind, count, path):
    """`chain` or `windows` of a size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(generate.KINDS[kind](count))
    return Mechanism(path)
