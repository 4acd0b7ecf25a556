"""Forms of a model that move the same: mirrored by `[[use]]` once and twice, in nested frames, in another order, with all defaults written, with other names.

A form is the files of a model and a function that leads an output back to that of the original."""

import json

import numpy as np

from rigid.algebra import exponential, of_quaternion, quaternion, six, symmetric, unit, vector
from rigid.change import copied
from rigid.program import ROOT, text_of

from .sketch import COORDINATES, reference

ONCE = ("model", "experiment", "published", "page", "vehicle")
SCHEMA = json.loads((ROOT / "docs/model.schema.json").read_text())
DEFINITIONS = SCHEMA["definitions"]
X, Y, Z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
AXIAL_JOINTS = ("revolute", "universal", "constant_velocity", "pin_on_curve", "planar")


def toml(model):
    """Tables as text; dictionaries inside of items in one line."""
    parts = []
    for key, value in model.items():
        if not key.startswith("_"):
            one = isinstance(value, dict)
            for item in [value] if one else value:
                lines = "".join(f"{quoted(name)} = {text(part)}\n" for name, part in item.items() if not name.startswith("_"))
                parts.append((f"[{key}]\n" if one else f"[[{key}]]\n") + lines)
    return "\n".join(parts)


def quoted(name):
    return name if name.replace("_", "").isalnum() and name.isascii() else json.dumps(name, ensure_ascii=False)


def text(value):
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{quoted(key)} = {text(item)}" for key, item in value.items()) + " }"
    return "[" + ", ".join(text(item) for item in value) + "]" if isinstance(value, (list, tuple)) else text_of(value)


def items(model):
    for table, value in model.items():
        if isinstance(value, list) and not table.startswith("_"):
            for item in value:
                yield table, item


# Defaults.

def defaults_of(schema, item):
    """Writes the defaults of a schema into an item, and into the tables inside of it."""
    if "$ref" in schema:
        return defaults_of(DEFINITIONS[schema["$ref"].split("/")[-1]], item)
    for part in schema.get("allOf", []) + schema.get("anyOf", []):
        defaults_of(part, item)
    if isinstance(item, dict):
        for key, value in schema.get("properties", {}).items():
            if key in item:
                defaults_of(value, item[key])
            elif value.get("default") not in (None, [], ""):
                item[key] = copied(value["default"])
    elif isinstance(item, list) and isinstance(schema.get("items"), dict):
        for one in item:
            defaults_of(schema["items"], one)


def across(axis, usual, other, limit):
    """The part of a usual direction across an axis, or of another one where they are nearly parallel."""
    axis = unit(vector(axis))
    helper = vector(other if abs(axis @ vector(usual)) > limit else usual)
    return [float(x) for x in unit(helper - axis * (axis @ helper))]


def length_of(model, item):
    return float(np.linalg.norm(np.subtract(*[place(model, point) for point in item["points"]])))


def place(model, point):
    return model["points"][point] if isinstance(point, str) else point


def by_hand(model, table, item, keys):
    """Defaults that the schema says in words; `keys`: those that the program knows."""
    def missing(*names):
        return [name for name in names if name not in item and name in keys]

    for name in missing("axis", "lift_axis", "lateral_axis"):
        usual = {"leaf_spring": {"axis": Z, "lateral_axis": Y}, "anti_roll_bar": {"axis": Z}, "aerodynamic_drag": {"lift_axis": Z},
                 "speed_control": {"axis": X}, "driver": {"axis": X}, "brake_line": {"axis": X} if "body" in item else {}}
        if name in usual.get(table, {}):
            item[name] = usual[table][name]
    kind = item.get("surface", item.get("type"))
    if table in ("contact", "solid", "shape"):
        if kind in ("plane", "capsule", "cylinder") and "points" not in (item if table != "contact" else ()):
            item.setdefault("axis", Z)
        if kind in ("box", "mesh"):
            item.setdefault("x_axis", X)
            item.setdefault("y_axis", Y)
        if table == "contact" and item.get("exponent", 1.0) == 1.0:
            item.setdefault("tangential_stiffness", item["stiffness"])
    if table == "flexible_body":
        item.setdefault("position", [0.0] * 3)
        item.setdefault("x_axis", X)
        item.setdefault("y_axis", Y)
    if table == "bushing":
        axis = item.setdefault("axis", X)
        item.setdefault("second_axis", across(axis, Y, Z, 0.99984))
        item.setdefault("damping", [0.0] * 6)
        item.setdefault("preload", [0.0] * 6)
    if table == "joint" and kind in ("planar", "constant_velocity", "rolling_ball") and "second_shaft" not in item:
        item.setdefault("second_axis", across(item["axis"], X, Y, 0.9))
    if table == "guided" and ("input" in item or "inputs" in item):
        item.setdefault("gain", 1.0)
    if table == "speed_control":
        for one in item["drives"]:
            one.setdefault("share", 1.0 / len(item["drives"]))
        if "max_torque" in item:
            item.setdefault("min_torque", -item["max_torque"])
    if table in ("gearbox", "torque_converter", "clutch"):
        for one in item["coordinates"]:
            one.setdefault("ratio", 1.0)
    if table == "engine" and "ratio" in keys:
        item.setdefault("ratio", 1.0)
    if table == "spring":
        item.setdefault("free_length", length_of(model, item))
    if table == "air_spring" and "area" in item:
        height = item.setdefault("height", length_of(model, item))
        item.setdefault("volume", item["area"] * height)


def written(model):
    new = copied(model)
    for table, item in items(new):
        if table == "output":
            continue
        schema = SCHEMA["properties"][table]
        reference = schema["items"]["$ref"].split("/")[-1]
        given = set(item)
        defaults_of(schema["items"], item)
        # Keys that exclude each other.
        for one, others in (("force_table", ("stiffness", "exponent")), ("damping_table", ("damping",)), ("bump_table", ("bump_damping", "bump_degressivity")),
                            ("rebound_table", ("rebound_damping", "rebound_degressivity")), ("points", ("axis", "length")), ("centre", ("closed", "degree"))):
            for other in others if one in item and (one != "points" or table in ("solid", "shape")) else ():
                if other not in given:
                    item.pop(other, None)
        if table == "torsion_bar" and "stiffness" in item:
            for key in {"inner_diameter", "shear_modulus"} - given:
                item.pop(key, None)
        by_hand(new, table, item, DEFINITIONS[reference]["properties"])
    return new


# Placements.

class Placement:
    """r ↦ S r + t."""

    def __init__(self, matrix, shift=(0.0, 0.0, 0.0)):
        self.s, self.t = np.array(matrix, dtype=float), np.array(shift, dtype=float)
        self.det = round(np.linalg.det(self.s))

    def polar(self, v):
        return [float(x) for x in self.s @ vector(v)]

    def axial(self, v):
        return [float(x) for x in self.det * (self.s @ vector(v))]

    def place(self, v):
        return [float(x) for x in self.s @ vector(v) + self.t]

    def sign(self, kind, coordinate):
        """Of a coordinate of a joint that is placed; none where it becomes another one."""
        if kind == "cylindrical" and coordinate == "angle":
            return self.det
        return 1

    def back(self, model, what, value):
        """What the original has, of an output of the placed model; `what`: table, name and quantity."""
        key, name, quantity = what
        if key in ("body", "flexible"):
            if quantity == "position":
                return self.s.T @ (value - self.t)
            if quantity in ("velocity", "acceleration"):
                return self.s.T @ value
            if quantity in ("angular_velocity", "angular_acceleration"):
                return self.det * (self.s.T @ value)
            if quantity == "rotation":
                return quaternion(self.s.T @ of_quaternion(value) @ self.s)
        if key == "floating":
            return self.s.T @ value
        if quantity == "reaction_force" or key in ("contact", "aerodynamic_drag", "bushing") and quantity == "force":
            return self.s.T @ value
        if quantity == "reaction_moment" or key == "bushing" and quantity == "torque":
            return self.det * (self.s.T @ value)
        if key == "bushing" and quantity == "position":
            return value * [1, 1, self.det]
        if key == "tyre":
            flip = {"force": np.array([1, self.det, 1]), "torque": np.array([self.det, 1, self.det]), "slip_angle": self.det, "camber": self.det}
            return self.s.T @ (value - self.t) if quantity == "position" else value * flip.get(quantity, 1)
        if key == "driver" and quantity == "path_error":
            return value * self.det * round(self.s[2, 2])
        sign = self.of_output(model, what)
        return value if sign is None else value * sign

    def of_output(self, model, what):
        key, name, quantity = what
        if key == "coordinate":
            return self.of_item(model, {"joint": name[0], "coordinate": name[1] or None})
        tables = {"spring": ("joint_spring", "torsion_bar", "bump_stop"), "drive": ("drive", "brake", "freewheel", "expression"), "guided": ("guided",),
                  "constraint": ("coupler", "rack_and_pinion")}.get(key, ())
        for table in tables:
            for item in model.get(table, []):
                if item["name"] == name and quantity != "power":
                    if table == "coupler":
                        return self.of_item(model, item["coordinates"][-1])
                    if table == "rack_and_pinion":
                        return self.of_item(model, item["rack"])
                    return self.of_item(model, item) if "joint" in item else 1
        return 1

    def of_item(self, model, item):
        joint, coordinate = reference({k: v for k, v in item.items() if v is not None}, model)
        kind = next(one["type"] for one in model["joint"] if one["name"] == joint)
        if kind == "floating":
            k = "xyz".index(coordinate)
            return round(self.s[k, k])
        return self.sign(kind, coordinate)


def moved_road(model, placement):
    """Roads as they are in the placed world: a use does not move them."""
    for item in model.get("road", []):
        slopes = placement.s[:2, :2] @ [item.get("slope", 0.0), item.get("bank", 0.0)]
        given = [key for key in ("slope", "bank") if slopes["slope bank".split().index(key)] != 0.0]
        item |= {key: float(slopes["slope bank".split().index(key)]) for key in given}
        for key in {"slope", "bank"} - set(given):
            item.pop(key, None)
        item["height"] = float(item.get("height", 0.0) + placement.t[2] - slopes @ placement.t[:2])


def split(model, prefix):
    """The file with the model's settings, and that of a subassembly with everything else."""
    top = {key: copied(value) for key, value in model.items() if key in ONCE}
    part = {key: copied(value) for key, value in model.items() if key not in ONCE and not key.startswith("_")}
    vehicle = top.get("vehicle")
    if vehicle:
        vehicle |= {key: prefix + vehicle[key] for key in ("body", "steer", "target")}
        vehicle["speed"] = "vehicle_speed"
        top["parameter"] = [{"name": "vehicle_speed", "value": 2.0}]
    for control in top.get("page", {}).get("control", []):
        control["variable"] = prefix + control["variable"]
    return top, part


def gravity(top, placement):
    top["model"]["gravity"] = placement.polar(top["model"]["gravity"])


def used(model, placement, use, frames=(), prefix="", write=False):
    model = written(model) if write else model
    top, part = split(model, prefix)
    parameters = {}
    if "vehicle" in top:
        # The start of a vehicle's speed is a parameter of the model.
        parameters = {model["vehicle"]["speed"]: "vehicle_speed"}
        place_point(top["vehicle"], placement)
    gravity(top, placement)
    moved_road(part, placement)
    if frames:
        top["frame"] = list(frames)
    top["use"] = [{"file": "part.toml", **use, **({"prefix": prefix} if prefix else {}), **({"parameters": parameters} if parameters else {})}]
    return {"model.toml": top, "part.toml": part}, prefix


def place_point(item, placement):
    if isinstance(item.get("point"), list):
        item["point"] = placement.place(item["point"])


def mirrored(model, random, normal, write):
    matrix = np.eye(3)
    matrix[normal, normal] = -1.0
    shift = [0.0, 0.0, 0.0] if random.random() < 0.5 else [float(x) for x in random.uniform(-2, 2, 3)]
    placement = Placement(matrix, shift)
    use = {"mirror": "xyz"[normal], **({"translate": shift} if any(shift) else {})}
    files, prefix = used(model, placement, use, prefix="" if random.random() < 0.5 else "left.", write=write)
    return files, placement, prefix


# Tables that act on coordinates alone: no mirror changes them where they stand.
ON_COORDINATES = ("drive", "freewheel", "joint_spring", "bump_stop", "friction", "brake", "engine", "clutch", "gearbox", "torque_converter", "coupler")


def names_variables(value, key=None):
    """Whether an item names inputs or parameters, which belong to the file around."""
    if isinstance(value, dict):
        return any(names_variables(part, key) for key, part in value.items())
    if isinstance(value, list):
        return any(names_variables(part, key) for part in value)
    return isinstance(value, str) and key not in ("name", "joint", "coordinate")


def mirrored_twice(model, random, normal):
    """Mirrored, and what acts on coordinates in a file inside that is mirrored once more, in the same or another plane."""
    files, placement, prefix = mirrored(model, random, normal, False)
    part, inner = files["part.toml"], {}
    for table in ON_COORDINATES:
        moved = [item for item in part.get(table, []) if not names_variables(item)]
        if moved:
            inner[table] = moved
            part[table] = [item for item in part[table] if item not in moved]
    if inner:
        again = normal if random.random() < 0.5 else int(random.integers(3))
        part["use"] = [{"file": "elements.toml", "mirror": "xyz"[again]}]
        files["elements.toml"] = inner
    return files, placement, prefix


def frame_of(random, name, inside, upright):
    """A frame and its placement, given in one of the ways of the format."""
    shift = [float(x) for x in random.uniform(-1, 1, 3)]
    angles = random.uniform(-180, 180, 3)
    if upright:
        angles[:2] = 0.0
    angles = [float(a) for a in angles]
    z, y, x = (exponential(np.radians(a) * np.array(axis)) for a, axis in zip(angles[::-1], (Z, Y, X)))
    matrix = z @ y @ x
    way = int(random.integers(4))
    turn = [{"angles_deg": angles}, {"angles": [float(np.radians(a)) for a in angles]}, {"quaternion": [float(v) for v in quaternion(matrix)]},
            {"x_axis": [float(v) for v in matrix[:, 0]], "y_axis": [float(v) for v in matrix[:, 1]]}][way]
    item = {"name": name, "position": shift, **turn, **({"in": inside} if inside else {})}
    return item, Placement(matrix, shift)


def nested(random, upright, names=("outer", "inner")):
    first, a = frame_of(random, names[0], None, upright)
    second, b = frame_of(random, names[1], names[0], upright)
    return [second, first], Placement(a.s @ b.s, a.s @ b.t + a.t)


def acts_on_floating(model):
    """Whether something acts on the x, y or z of a floating joint, which a frame does not turn."""
    floating = {joint["name"] for joint in model.get("joint", []) if joint["type"] == "floating"}

    def names(value):
        if isinstance(value, dict):
            return value.get("joint") in floating or any(names(part) for part in value.values())
        return isinstance(value, list) and any(names(part) for part in value)

    return any(names(item) for table, item in items(model) if table != "output")


def framed(model, random, write=False):
    """The whole model as a subassembly in a frame in a frame."""
    frames, placement = nested(random, model.get("_upright", False))
    files, prefix = used(model, placement, {"in": "inner"}, frames, write=write)
    return files, placement, prefix


IN_FRAMES = ("body", "flexible_body", "joint", "curve", "point_on_line", "point_in_plane", "curve_on_curve", "bushing", "force", "torque", "contact", "solid", "shape")
POLAR_KEYS = {"point_on_line": ["axis"], "point_in_plane": ["normal"], "bushing": ["axis", "second_axis"], "force": ["value"], "flexible_body": ["x_axis", "y_axis"],
              "contact": ["axis", "x_axis", "y_axis"], "solid": ["axis", "x_axis", "y_axis", "surface_velocity"], "shape": ["axis", "x_axis", "y_axis"]}
AXIAL_KEYS = {"torque": ["value"], "curve": ["normal"]}
PLACE_KEYS = ("point", "com", "centre", "position")


def inside(item, table, p, name):
    """An item with its numbers in a frame; `p`: from W to the frame."""
    for key in PLACE_KEYS:
        if isinstance(item.get(key), list) and (key != "position" or table == "flexible_body"):
            item[key] = p.place(item[key])
    if "points" in item:
        item["points"] = [p.place(point) if isinstance(point, list) else point for point in item["points"]]
    for keys, act in ((POLAR_KEYS, p.polar), (AXIAL_KEYS, p.axial)):
        for key in keys.get(table, []):
            if key in item:
                item[key] = act(item[key])
    if "inertia" in item:
        item["inertia"] = six(p.s @ symmetric(item["inertia"]) @ p.s.T)
    if table == "joint":
        for key in ("axis", "second_axis", "second_shaft", "up"):
            if key in item:
                item[key] = p.polar(item[key])
        if item["type"].startswith("rolling"):
            # The displacements along the plane do not depend on a frame.
            if "position" in item:
                w, *rest = item["position"]
                item["position"] = [w, *p.polar(rest[:3]), *rest[3:]]
            if "speed" in item:
                item["speed"] = p.polar(item["speed"])
        if item["type"] in ("spherical", "floating", "point_on_curve"):
            lengths = 3 if item["type"] == "floating" else 0
            for key, scalar in (("position", 1), ("speed", 0)):
                if key in item:
                    v = item[key]
                    own = v[:len(v) - 3 - scalar]
                    item[key] = [*(p.polar(own) if lengths else own), *v[len(v) - 3 - scalar:len(v) - 3], *p.polar(v[-3:])]
    item["in"] = name


def items_in_frames(model, random):
    new = written(model)
    frames, placement = nested(random, False, names=("drawing", "view"))
    back = Placement(placement.s.T, -placement.s.T @ placement.t)
    for table, item in items(new):
        if table in IN_FRAMES and random.random() < 0.7:
            inside(item, table, back, "view")
    new["frame"] = frames
    return {"model.toml": new}, Placement(np.eye(3)), ""


def reordered(model, random):
    new = {}
    for key in random.permutation(list(model)):
        value = copied(model[key])
        if isinstance(value, list) and not key.startswith("_"):
            value = [value[k] for k in random.permutation(len(value))]
        new[str(key)] = value
    return {"model.toml": new}, Placement(np.eye(3)), ""


def with_defaults(model, random):
    return {"model.toml": written(model)}, Placement(np.eye(3)), ""


# Names.

HOSTILE = ["ground.", "W", "x", "y", "axis", "time", "body", "joint", "model", "steer", "target", "brake", "yaw_rate", "manoeuvre.yaw_rate", "lateral_acceleration",
           "true", "nan", "inf", "1", "0.5", "-1", "in", "name", "angle", "travel", "speed", "Ω", "größe", "速度", "a b", "a.b", "a..b", ".a", "a[0]", "a\"b", "a\\b", "'",
           "#", "use", "frame", "left.", "prefix", "none", "world", "energy", "e1", "1e5", "🛞", "x.y", "a/b", "$", "{}", "<b>", "&amp;", "%s", "NULL", "Ground"]
STRUCTURED = ["steer", "target", "brake", "yaw_rate", "lateral_acceleration", "manoeuvre.yaw_rate", "times", "x", "axis", "speed", "ground", "der", "angle", "body",
              "step", "gravity", "a.b.c", "a.b[2].c", "_x", "e1", "nan", "inf", "true", "in", "energy", "model.step", "stop", "start", "torque", "world", "throttle"]
SPACES = {"body": "bodies", "flexible_body": "bodies", "curve": "curves", "joint": "constraints", "rod": "constraints", "coupler": "constraints",
          "rack_and_pinion": "constraints", "point_on_line": "constraints", "point_in_plane": "constraints", "curve_on_curve": "constraints",
          "guided": "guided", "road": "roads", "solid": "solids", "input": "variables", "parameter": "variables", "output": "outputs", "frame": "frames"}
KEYS = {"bodies": "bodies", "body": "bodies", "flexible_body": "bodies", "curve": "curves", "curves": "curves", "joint": "constraints", "constraint": "constraints",
        "spring": "forces", "bushing": "forces", "drive": "forces", "tyre": "forces", "aerodynamic_drag": "forces", "contact": "forces", "driver": "forces",
        "road": "roads", "solids": "solids", "others": "solids", "guided": "guided", "outputs": "outputs", "against": "outputs", "towed": "bodies",
        "com": "points", "point": "points", "points": "points", "centre": "points", "brakes": "variables", "variable": "variables"}
PLAIN = {"name", "type", "surface", "coordinate", "unit", "description", "rom", "file", "frame", "section", "node", "group", "colour", "title", "quantity", "axes",
         "motion", "side", "integrator", "stiffening", "deformation", "section_forces", "up", "down", "label", "source", "component", "class", "kind", "in"}


def renamed(model, random):
    new, names = copied(model), {}
    taken = set()
    for table, item in items(new):
        space = SPACES.get(table, "forces")
        if "name" not in item or table in ("output",):
            continue
        structured = space == "variables" or table == "wheel_port"
        while True:
            name = str(random.choice(STRUCTURED if structured else HOSTILE))
            if random.random() < 0.5:
                name = name + str(int(random.integers(10))) if not name.endswith("]") else name
            # Bodies whose names would be interfaces of flexible ones.
            if (space, name) not in taken and not (space == "bodies" and name == "ground"):
                break
        taken.add((space, name))
        names[space, item["name"]] = name
        item["name"] = name
    if "points" in new:
        for name in list(new["points"]):
            names["points", name] = name[::-1] + " ß.#"
        new["points"] = {names["points", name]: value for name, value in new["points"].items()}

    def walk(value, key, spaces):
        if isinstance(value, dict):
            return {(names.get(("variables", name), name) if key == "brakes" else name): walk(part, name, spaces) for name, part in value.items()}
        if isinstance(value, list):
            return [walk(part, key, spaces) for part in value]
        if isinstance(value, str) and key not in PLAIN:
            space = KEYS.get(key, "variables")
            # Interfaces have the names of their bodies.
            body, dot, rest = value.rpartition(".")
            if space == "bodies" and dot and ("bodies", body) in names:
                return names["bodies", body] + "." + rest
            return names.get((space, value), value)
        return value

    prefix = str(random.choice(["", "yaw_rate.", "manoeuvre.", "steer.", "nan."]))
    for item in new["output"]:
        item["name"] = prefix + item["name"]
        names["outputs", item["name"][len(prefix):]] = item["name"]
    for table, value in list(new.items()):
        if not table.startswith("_") and table not in ("points", "frame"):
            new[table] = [{k: (v if k == "name" else walk(v, k, names)) for k, v in item.items()} for item in value] if isinstance(value, list) else walk(value, table, names)
    return {"model.toml": new}, Placement(np.eye(3)), prefix


def forms(model, random=None):
    """The forms that a model has, by name; with `random` defaults are written in some of those that a use places, else with and without."""
    found = {}
    upright, rigid = model.get("_upright", False), model.get("_rigid", True)
    for normal in range(3) if rigid else ():
        if not (normal == 2 and upright and (model.get("road") or model.get("driver"))):
            for write in (False, True) if random is None else (bool(random.random() < 0.5),):
                found["mirrored " + "xyz"[normal] + (", defaults" if write else "")] = lambda m, r, normal=normal, write=write: mirrored(m, r, normal, write)
            found["mirrored twice " + "xyz"[normal]] = lambda m, r, normal=normal: mirrored_twice(m, r, normal)
    if not acts_on_floating(model):
        for write in (False, True) if random is None else (bool(random.random() < 0.5),):
            found["framed" + (", defaults" if write else "")] = lambda m, r, write=write: framed(m, r, write)
    found |= {"items in frames": items_in_frames, "reordered": reordered, "defaults": with_defaults, "renamed": renamed}
    return found
