"""Changes of a model that leave its motion the same mechanism's: turned and moved, mirrored, tables in another order, bodies and ends exchanged,
other units of length, mass and time, bodies split in two that are welded, other cuts. Each gives the changed model and a function that leads its outputs
back to those of the original."""

import numpy as np

from .algebra import cross, exponential, of_quaternion, quaternion, six, symmetric, unit, vector
from .draw import write_start
from .scene import GROUND, KEYS, Scene

POLAR = {("body", "position"), ("body", "velocity"), ("body", "acceleration"), ("joint", "reaction_force"), ("constraint", "reaction_force"),
         ("bushing", "force"), ("aerodynamic_drag", "force")}
AXIAL = {("body", "angular_velocity"), ("body", "angular_acceleration"), ("joint", "reaction_moment"), ("bushing", "torque")}
ON_COORDINATES = ("joint_spring", "torsion_bar", "bump_stop", "friction", "brake", "drive", "guided")
BETWEEN_POINTS = ("spring", "damper", "air_spring", "bump_stop")


def copied(value):
    """Tables that stand in several places are several tables afterwards."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def without_inputs(model):
    """Components of vectors as numbers, where they are turned."""
    starts = {item["name"]: item.get("start", 0.0) for item in model.get("input", [])}
    for key, name in (("force", "value"), ("torque", "value"), ("aerodynamic_drag", "wind")):
        for item in model.get(key, []):
            item[name] = [starts.get(value, value) if isinstance(value, str) else value for value in item[name]]


def is_of(item, joint, name):
    """Whether an item that names a coordinate means this one."""
    return item.get("joint") == joint["name"] and (item.get("coordinate") or (KEYS[joint["type"]] + [None])[0]) == name


def references(model):
    """All tables and inline tables that name a coordinate."""
    for key in ON_COORDINATES:
        yield from (item for item in model.get(key, []) if "joint" in item)
    for item in model.get("coupler", []):
        yield from item["coordinates"]
    for item in model.get("rack_and_pinion", []):
        yield from (item["pinion"], item["rack"])
    for item in model.get("speed_control", []):
        yield from item["drives"]
    yield from model.get("_coordinates", [])


def used(model, joint, names):
    return any(is_of(item, joint, name) for item in references(model) for name in names)


def flip(model, joint, name):
    """Everything that acts on a coordinate, as it is when the coordinate changes its sign; names of outputs that change theirs."""
    turned = set()

    def negate(item, *keys):
        for key in keys:
            if key in item:
                item[key] = -item[key]

    def mine(key):
        return [item for item in model.get(key, []) if is_of(item, joint, name)]

    def opposite(item, key):
        if key in item:
            item[key] = [[-x, -y] for x, y in reversed(item[key])]

    for item in mine("joint_spring"):
        negate(item, "free_position", "preload")
        opposite(item, "force_table")
        opposite(item, "damping_table")
        turned.add(("spring", item["name"]))
    for item in mine("torsion_bar"):
        negate(item, "free_angle", "preload")
        turned.add(("spring", item["name"]))
    for item in mine("bump_stop"):
        ends = {"upper": item.pop("lower", None), "lower": item.pop("upper", None)}
        item.update({key: -value for key, value in ends.items() if value is not None})
        turned.add(("spring", item["name"]))
    for item in mine("drive"):
        item["gain"] = -item.get("gain", 1.0)
        turned.add(("drive", item["name"]))
    for item in mine("brake"):
        turned.add(("drive", item["name"]))
    for item in mine("guided"):
        if "motion" in item:
            negate(item["motion"], "offset", "speed", "amplitude")
        elif "table" in item:
            item["table"] = [[t, -x] for t, x in item["table"]]
        else:
            item["gain"] = -item.get("gain", 1.0)
        turned.add(("guided", item["name"]))
    for item in model.get("coupler", []):
        for k, on in enumerate(item["coordinates"]):
            if is_of(on, joint, name):
                whole = item if "ratio" in item else on
                whole["ratio"] = -whole["ratio"]
                if k == len(item["coordinates"]) - 1:
                    if whole is item:
                        negate(item, "offset")
                    turned.add(("constraint", item["name"]))
    for item in model.get("rack_and_pinion", []):
        for key in ("pinion", "rack"):
            if is_of(item[key], joint, name):
                item["radius"] = -item["radius"]
                if key == "rack":
                    turned.add(("constraint", item["name"]))
    for item in model.get("speed_control", []):
        for drive in item["drives"]:
            drive.setdefault("share", 1.0 / len(item["drives"]))
            if is_of(drive, joint, name):
                negate(drive, "share")
    for reference in model.get("_coordinates", []):
        if is_of(reference, joint, name):
            turned.add(("coordinate", (reference["joint"], reference.get("coordinate", ""))))
    return turned


def with_signs(found, turned):
    return {what: -value if what != "time" and what[:2] in turned and what[2] != "pressure" else value for what, value in found.items()}


def turned(model, states, random, mirror=False):
    """The world turned and moved; mirrored in a plane anywhere. One with a road stays upright."""
    new = copied(model)
    without_inputs(new)
    upright = [0, 0, 1] if "road" in model else [1, 1, 1]
    h = exponential(random.uniform(-3, 3, 3) * upright)
    if mirror:
        n = unit(random.normal(size=3) * ([1, 1, 0] if "road" in model else [1, 1, 1]))
        h = np.eye(3) - 2 * np.outer(n, n) if random.random() < 0.5 else h @ (np.eye(3) - 2 * np.outer(n, n))
    det = round(np.linalg.det(h))
    shift = random.uniform(-8, 8, 3)
    signs = set()

    def polar(item, *keys):
        for key in keys:
            if key in item:
                item[key] = list(h @ vector(item[key]))

    def axial(item, *keys):
        for key in keys:
            if key in item:
                item[key] = list(det * (h @ vector(item[key])))

    def place(values):
        return list(h @ vector(values) + shift)

    polar(new["model"], "gravity")
    for body in new["body"]:
        body["com"] = place(body["com"])
        body["inertia"] = six(h @ symmetric(body["inertia"]) @ h.T)
    for items in new.values():
        for item in items if isinstance(items, list) else []:
            if "point" in item:
                item["point"] = place(item["point"])
            if "points" in item:
                item["points"] = [place(point) for point in item["points"]]
    for joint in new["joint"]:
        kind = joint["type"]
        if kind in ("revolute", "universal", "constant_velocity"):
            axial(joint, "axis", "second_axis")
        elif kind == "planar":
            axial(joint, "axis")
            polar(joint, "second_axis")
        else:
            polar(joint, "axis")
        if kind == "cylindrical" and det < 0:
            signs |= flip(new, joint, "angle")
            for key in ("position", "speed"):
                if key in joint:
                    joint[key] = [joint[key][0], -joint[key][1]]
        if kind in ("spherical", "floating") and "position" in joint:
            q, w = joint["position"], joint["speed"]
            joint["position"] = [*(h @ q[:-4]), q[-4], *(det * (h @ q[-3:]))] if kind == "floating" else [q[0], *(det * (h @ q[1:]))]
            joint["speed"] = ([*(h @ w[:3])] if kind == "floating" else []) + list(det * (h @ w[-3:]))
    for key, names in {"point_on_line": ["axis"], "point_in_plane": ["normal"], "bushing": ["axis", "second_axis"], "leaf_spring": ["axis", "lateral_axis"],
                       "anti_roll_bar": ["axis"], "force": ["value"], "aerodynamic_drag": ["wind", "lift_axis"], "speed_control": ["axis"]}.items():
        for item in new.get(key, []):
            polar(item, *names)
    for item in new.get("torque", []):
        axial(item, "value")
    for road in new.get("road", []):
        slopes = h[:2, :2] @ [road["slope"], road["bank"]]
        road |= {"slope": slopes[0], "bank": slopes[1], "height": road["height"] + shift[2] - slopes @ shift[:2]}
    if det < 0:
        for item in new.get("tyre", []):
            item["side"] = {"left": "right", "right": "left"}[item["side"]]
        for item in new.get("bushing", []):
            item["preload"] = list(vector(item["preload"]) * [1, 1, -1, -1, -1, 1])

    def back(found, _):
        out = {}
        for what, value in with_signs(found, signs).items():
            kind = (what[0], what[2]) if what != "time" else None
            if kind in (("body", "position"), ("tyre", "position")):
                value = h.T @ (value - shift)
            elif kind in POLAR:
                value = h.T @ value
            elif kind in AXIAL:
                value = det * (h.T @ value)
            elif kind == ("body", "rotation"):
                value = quaternion(h.T @ of_quaternion(value) @ h)
            elif kind == ("bushing", "position") and det < 0:
                value = value * [1, 1, -1]
            elif what[0] == "tyre" and det < 0:
                value = value * {"force": np.array([1, -1, 1]), "torque": np.array([-1, 1, -1]), "slip_angle": -1, "camber": -1}.get(what[2], 1)
            out[what] = value
        return out

    return new, back


def mirrored(model, states, random):
    return turned(model, states, random, mirror=True)


def reordered(model, states, random):
    new = {}
    for key in random.permutation([key for key in model]):
        value = copied(model[key])
        if isinstance(value, list) and not key.startswith("_"):
            value = [value[k] for k in random.permutation(len(value))]
        new[str(key)] = value
    return new, lambda found, _: found


def exchanged(model, states, random):
    """Bodies of joints and ends of lines exchanged."""
    new = copied(model)
    signs, swapped, forces = set(), set(), {}
    wheels = [item["joint"] for item in new.get("tyre", [])]
    for joint in new["joint"]:
        kind, name = joint["type"], joint["name"]
        # A floating joint names the body nearer to the ground first.
        # The second body of a tyre's joint is its wheel.
        if random.random() < 0.3 or kind == "floating" or name in wheels or kind == "planar" and used(new, joint, ["x", "y"]):
            continue
        joint["bodies"] = joint["bodies"][::-1]
        swapped.add(name)
        if kind == "universal":
            joint["axis"], joint["second_axis"] = ([-x for x in joint[key]] for key in ("second_axis", "axis"))
            names = {"angle": "second_angle", "second_angle": "angle"}
            for item in references(new):
                if item["joint"] == name:
                    item["_old"] = item["coordinate"]
                    item["coordinate"] = names[item["coordinate"]]
        elif kind != "constant_velocity" and random.random() < 0.5 and "axis" in joint:
            joint["axis"] = [-x for x in joint["axis"]]
        else:
            for coordinate in KEYS[kind]:
                signs |= flip(new, joint, coordinate)
    for key in BETWEEN_POINTS:
        for item in new.get(key, []):
            if "points" in item and random.random() < 0.7:
                item["bodies"], item["points"] = item["bodies"][::-1], item["points"][::-1]
    for item in new.get("rod", []):
        if "mass" not in item:
            item["bodies"], item["points"] = item["bodies"][::-1], item["points"][::-1]
            forces[item["name"]] = -1.0
    for item in new.get("coupler", []):
        if random.random() < 0.7:
            item["coordinates"] = item["coordinates"][::-1]
            # Signs are those of the old driven coordinate.
            if "ratio" in item:
                r = item["ratio"]
                item["ratio"] = 1 / r
                if "offset" in item:
                    item["offset"] = -item["offset"] / r
                forces[item["name"]] = -1.0 / r
            else:
                forces[item["name"]] = item["coordinates"][0]["ratio"] / item["coordinates"][-1]["ratio"]
    for item in new.get("anti_roll_bar", []):
        frame, one, two = item["bodies"]
        item["bodies"], item["points"] = [frame, two, one], item["points"][::-1]
        signs.add(("spring", item["name"]))
    # The names that universal joints exchanged are those of the outputs of the changed model.
    renamed = {("coordinate", (c["joint"], c["coordinate"])): ("coordinate", (c["joint"], c["_old"])) for c in new.get("_coordinates", []) if "_old" in c}
    for item in references(new):
        item.pop("_old", None)
    write_start(Scene(new, states), new)
    joints = {joint["name"]: joint for joint in new["joint"]}

    def back(found, now):
        scene, out = Scene(model, now), {}
        for what, value in with_signs(found, signs).items():
            if what != "time":
                what = (*renamed.get(what[:2], what[:2]), what[2])
                if what[0] == "constraint" and what[1] in forces and what[2] in ("reaction_force", "force"):
                    value = value * (forces[what[1]] if what[2] == "reaction_force" or what[1] not in rods else 1.0)
            out[what] = value
        for name in swapped:
            a, b = joints[name]["bodies"]
            point = scene.joint_point(scene.joints[name])
            force, moment = found["joint", name, "reaction_force"], found["joint", name, "reaction_moment"]
            arm = scene.point(b, point) - scene.point(a, point)
            out["joint", name, "reaction_force"] = -force
            out["joint", name, "reaction_moment"] = -(moment + cross(arm, force))
        return out

    rods = {item["name"] for item in new.get("rod", [])}
    return new, back


def dimensions(joint, name):
    """Exponents of mass, length and time of a coordinate and of the effort on it."""
    length = 0 if name in ("angle", "second_angle") else 1
    return np.array([0, length, 0]), np.array([1, 2 - length, -2])


def scaled(model, states, random):
    """Other units of mass, length and time."""
    new = copied(model)
    size = np.exp(random.uniform(-2.3, 2.3, 3))
    if random.random() < 0.5:
        size = 2.0 ** random.integers(-4, 5, 3)
    # `one`: no dimension.
    one, mass, length, time = np.zeros(3), np.array([1, 0, 0]), np.array([0, 1, 0]), np.array([0, 0, 1])
    force, speed = mass + length - 2 * time, length - time

    def by(exponents):
        return float(np.prod(size ** exponents))

    def scale(item, **keys):
        for key, exponents in keys.items():
            if key in item:
                value = item[key]
                if isinstance(value, str):
                    inputs[value] = exponents
                elif isinstance(value, list):
                    numbers = []
                    for v in value:
                        if isinstance(v, str):
                            inputs[v] = exponents
                        numbers.append(v if isinstance(v, str) else v * by(exponents))
                    item[key] = numbers
                else:
                    item[key] = value * by(exponents)

    def table(item, key, x, y):
        if key in item:
            item[key] = [[a * by(x), b * by(y)] for a, b in item[key]]

    inputs = {}
    joints = {joint["name"]: joint for joint in new["joint"]}

    def of(item):
        joint = joints[item["joint"]]
        return dimensions(joint, item.get("coordinate") or KEYS[joint["type"]][0])

    scale(new["model"], gravity=length - 2 * time, step=time)
    for items in list(new.values()):
        for item in items if isinstance(items, list) else []:
            scale(item, point=length)
            if "points" in item:
                item["points"] = [[x * by(length) for x in point] for point in item["points"]]
    for body in new["body"]:
        scale(body, mass=mass, com=length, inertia=mass + 2 * length)
    for joint in new["joint"]:
        names = KEYS[joint["type"]]
        for key, more in (("position", one), ("speed", -time)):
            if key not in joint:
                continue
            value = joint[key] if isinstance(joint[key], list) else [joint[key]]
            each = [dimensions(joint, name)[0] for name in names] + [one] * (len(value) - len(names))
            value = [v * by(e + more) for v, e in zip(value, each)]
            joint[key] = value if isinstance(joint[key], list) else value[0]
    for item in new.get("rod", []):
        scale(item, mass=mass)
    for item in new.get("coupler", []):
        each = [of(reference)[0] for reference in item["coordinates"]]
        if "ratio" in item:
            scale(item, ratio=each[1] - each[0], offset=each[1])
        for on, own in zip(item["coordinates"], each):
            scale(on, ratio=-own)
    for item in new.get("rack_and_pinion", []):
        scale(item, radius=of(item["rack"])[0] - of(item["pinion"])[0])
    for item in new.get("guided", []):
        c, _ = of(item)
        if "motion" in item:
            scale(item["motion"], offset=c, speed=c - time, amplitude=c, frequency=-time)
        table(item, "table", time, c)
        scale(item, filter_frequency=-time, input=c)
        for name, exponents in zip(item.get("inputs", []), (c, c - time, c - 2 * time)):
            inputs[name] = exponents
    for item in new.get("spring", []):
        scale(item, stiffness=force - length, damping=force - speed, free_length=length, preload=force)
        table(item, "force_table", length, force)
        table(item, "damping_table", speed, force)
    for item in new.get("joint_spring", []) + new.get("torsion_bar", []):
        c, e = of(item)
        scale(item, stiffness=e - c, damping=e - c + time, free_position=c, free_angle=c, preload=e, length=length, diameter=length, inner_diameter=length,
              shear_modulus=force - 2 * length)
        table(item, "force_table", c, e)
        table(item, "damping_table", c - time, e)
    for item in new.get("bushing", []):
        for key, e in (("stiffness", force - length), ("damping", force - speed), ("preload", force)):
            turn = force + length + (time if key == "damping" else 0)
            item[key] = [v * by(e if k < 3 else turn) for k, v in enumerate(item[key])]
    for item in new.get("bump_stop", []):
        c, e = of(item) if "joint" in item else (length, force)
        scale(item, lower=c, upper=c, damping_depth=c, stiffness=e - item.get("exponent", 1) * c, damping=e - c + time)
        table(item, "force_table", c, e)
    for item in new.get("force", []):
        scale(item, value=force)
    for item in new.get("torque", []):
        scale(item, value=force + length)
    for item in new.get("friction", []) + new.get("brake", []) + new.get("drive", []):
        c, e = of(item)
        scale(item, coulomb=e, static=e, torque=e, value=e, presliding=c, time=time, viscous=e - c + time, stribeck_speed=c - time)
    for item in new.get("damper", []):
        scale(item, bump_damping=force - speed, rebound_damping=force - speed, bump_degressivity=-speed, rebound_degressivity=-speed, gas_force=force,
              transition=speed)
        table(item, "bump_table", speed, force)
        table(item, "rebound_table", speed, force)
    for item in new.get("leaf_spring", []):
        linear, damping = force - length, force - speed
        scale(item, load=force, damping=damping, stiffness=linear, helper_stiffness=linear, helper_deflection=length, helper_transition=length,
              lateral_stiffness=linear, lateral_damping=damping, longitudinal_stiffness=linear, longitudinal_damping=damping, friction=force,
              friction_travel=length, friction_time=time, wind_up_stiffness=force + length, wind_up_damping=force + length + time)
        table(item, "force_table", length, force)
    for item in new.get("air_spring", []):
        scale(item, area=2 * length, height=length, volume=3 * length, reservoir=3 * length, pressure=force - 2 * length, force=force,
              ambient_pressure=force - 2 * length)
        table(item, "area_table", length, 2 * length)
    for item in new.get("anti_roll_bar", []):
        scale(item, stiffness=force - length, torsional_stiffness=force + length, arm_length=length, damping=force - speed)
    for item in new.get("aerodynamic_drag", []):
        scale(item, drag_area=2 * length, lift_area=2 * length, density=mass - 3 * length, wind=speed)
    for item in new.get("speed_control", []):
        scale(item, target=speed, proportional=force + length - speed, integral=force, max_torque=force + length)
        for drive in item["drives"]:
            drive.setdefault("share", 1.0 / len(item["drives"]))
            scale(drive, share=of(drive)[1] - force - length)
    for item in new.get("input", []):
        scale(item, start=inputs[item["name"]])
    items = {(key, item["name"]): item for key, some in new.items() if isinstance(some, list) for item in some if "name" in item}

    def exponents(key, name, quantity):
        if key == "body":
            return {"position": length, "rotation": one, "velocity": speed, "angular_velocity": -time, "acceleration": length - 2 * time,
                    "angular_acceleration": -2 * time}[quantity]
        if quantity == "kinetic_energy":
            return force + length
        if key == "joint":
            return force if quantity == "reaction_force" else force + length
        if key == "bushing":
            return {"position": length, "force": force, "torque": force + length}[quantity]
        if key == "constraint" and quantity == "force":
            for kind in ("coupler", "rack_and_pinion"):
                if (kind, name) in items:
                    item = items[kind, name]
                    return of(item["coordinates"][-1] if kind == "coupler" else item["rack"])[1]
        if key in ("constraint", "aerodynamic_drag"):
            return force
        if key == "coordinate":
            c, e = of({"joint": name[0], **({"coordinate": name[1]} if name[1] else {})})
        elif key == "drive" and ("speed_control", name) in items:
            c, e = length, force + length
        else:
            item = next(items[kind, name] for kind in (*ON_COORDINATES, "spring", "damper", "air_spring", "leaf_spring", "anti_roll_bar")
                        if (kind, name) in items)
            c, e = of(item) if "joint" in item else (length, force)
        return {"position": c, "length": c, "speed": c - time, "acceleration": c - 2 * time, "force": e, "effort": e, "pressure": force - 2 * length}[quantity]

    def back(found, _):
        return {what: value / (by(time) if what == "time" else by(exponents(*what))) for what, value in found.items()}

    return new, back


def split(model, states, random):
    """Bodies made of two that are welded; what was fixed to one is fixed to either."""
    new = copied(model)
    new["_points"] = {}
    for body in list(new["body"]):
        if body["mass"] == 0.0 or random.random() < 0.3:
            continue
        name, mass, com = body["name"], body["mass"], vector(body["com"])
        inertia = symmetric(body["inertia"])
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        values, axes = np.linalg.eigh(second)
        share = random.uniform(0.2, 0.8)
        reduced = mass * share * (1 - share)
        apart = axes @ (np.sqrt(np.maximum(values, 0)) * (axes.T @ unit(random.normal(size=3)))) * np.sqrt(random.uniform(0.1, 0.8) / reduced)
        rest = inertia - reduced * (apart @ apart * np.eye(3) - np.outer(apart, apart))
        part = random.uniform(0.2, 0.8)
        other = name + "_other"
        body |= {"mass": share * mass, "com": list(com + (1 - share) * apart), "inertia": six(part * rest)}
        new["body"].append({"name": other, "mass": (1 - share) * mass, "com": list(com - share * apart), "inertia": six((1 - part) * rest)})
        new["_points"][name] = list(com)
        for key, items in new.items():
            for item in items if isinstance(items, list) and key != "body" else []:
                if "bodies" in item:
                    item["bodies"] = [other if b == name and random.random() < 0.5 else b for b in item["bodies"]]
                if item.get("body") == name and random.random() < 0.5:
                    item["body"] = other
        pair = [name, other] if random.random() < 0.5 else [other, name]
        new["joint"].insert(int(random.integers(len(new["joint"]) + 1)),
                            {"name": name + "_weld", "type": "fixed", "bodies": pair, "point": list(com + random.uniform(-0.3, 0.3, 3))})
    return new, lambda found, _: found


def cut(model, states, random):
    """Cuts that are asked for, other independent coordinates."""
    new = copied(model)
    for joint in new["joint"]:
        if "_tree" not in joint and random.random() < 0.7:
            joint["cut"] = True
        if "_tree" in joint and random.random() < 0.5:
            joint["independent"] = True
    return new, lambda found, _: found


# Of a vehicle; tyre files keep their units.
OF_VEHICLES = ("turned", "mirrored", "reordered", "exchanged", "split")
CHANGES = {"turned": turned, "mirrored": mirrored, "reordered": reordered, "exchanged": exchanged, "scaled": scaled, "split": split, "cut": cut}
