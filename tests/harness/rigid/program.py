"""Models as files, their outputs, and what the program computes of them."""

import csv
import io
import json
import subprocess
from pathlib import Path

import numpy as np

from .algebra import of_quaternion
from .scene import KEYS, State

ROOT = Path(__file__).resolve().parents[3]
MOTION = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
TYRE = ("force", "torque", "position", "longitudinal_slip", "slip_angle", "camber", "deflection", "loaded_radius")
LINES = ("spring", "damper", "air_spring", "leaf_spring", "joint_spring", "torsion_bar", "anti_roll_bar", "bump_stop")


def wanted(model):
    """What is asked of a model: (key, name, quantity)."""
    for body in model.get("body", []):
        yield from (("body", body["name"], quantity) for quantity in MOTION)
    for joint in model.get("joint", []):
        yield from (("joint", joint["name"], quantity) for quantity in ("reaction_force", "reaction_moment"))
    for reference in model.get("_coordinates", []):
        name = (reference["joint"], reference.get("coordinate", ""))
        yield from (("coordinate", name, quantity) for quantity in ("position", "speed", "acceleration"))
    for item in model.get("rod", []) + model.get("point_on_line", []) + model.get("point_in_plane", []):
        yield "constraint", item["name"], "reaction_force"
    for item in model.get("coupler", []) + model.get("rack_and_pinion", []):
        yield "constraint", item["name"], "force"
    for guide in model.get("guided", []):
        yield from (("guided", guide["name"], quantity) for quantity in ("position", "speed", "acceleration", "effort"))
    for key in LINES:
        for item in model.get(key, []):
            quantities = ("length", "speed", "force") + (("pressure",) if key == "air_spring" else ())
            yield from (("spring", item["name"], quantity) for quantity in quantities)
    for item in model.get("bushing", []):
        yield from (("bushing", item["name"], quantity) for quantity in ("position", "force", "torque"))
    for key in ("drive", "brake", "speed_control"):
        for item in model.get(key, []):
            yield "drive", item["name"], "effort"
    for item in model.get("aerodynamic_drag", []):
        yield "aerodynamic_drag", item["name"], "force"
    for item in model.get("tyre", []):
        yield from (("tyre", item["name"], quantity) for quantity in TYRE)
    yield "system", "", "kinetic_energy"


def vector_size(key, quantity):
    if quantity == "rotation":
        return 4
    if (key, quantity) in (("bushing", "position"), ("bushing", "force"), ("bushing", "torque"), ("aerodynamic_drag", "force"), ("tyre", "position"),
                           ("tyre", "force"), ("tyre", "torque")):
        return 3
    return 3 if quantity in ("reaction_force", "reaction_moment") or (key == "body") else 1


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {text_of(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(text_of(item) for item in value) + "]"
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def toml(model):
    """The model file with the outputs."""
    parts = []

    def table(head, item):
        parts.append(head + "\n" + "".join(f"{key} = {text_of(value)}\n" for key, value in item.items() if not key.startswith("_")))

    for key, value in model.items():
        if key.startswith("_"):
            continue
        for item in [value] if isinstance(value, dict) else value:
            table(f"[{key}]" if isinstance(value, dict) else f"[[{key}]]", item)
    for k, (key, name, quantity) in enumerate(wanted(model)):
        item = {"name": f"o{k}", "quantity": quantity}
        if key == "coordinate":
            item["joint"] = name[0]
            if name[1]:
                item["coordinate"] = name[1]
        elif key != "system":
            item[key] = name
        if key == "body" and quantity in ("position", "velocity", "acceleration") and name in model.get("_points", {}):
            item["point"] = model["_points"][name]
        table("[[output]]", item)
    return "\n".join(parts)


class Run:
    """Outputs of a run at its communication points, or why there are none."""

    def __init__(self, model, program, file, stop, step):
        self.model, self.values = model, []
        for name in model.get("_files", ()):
            # Whole, whoever else writes it.
            part = file.with_suffix(".part")
            part.write_bytes((ROOT / name).read_bytes())
            part.replace(file.parent / Path(name).name)
        file.write_text(toml(model))
        done = subprocess.run([program, "run", file, "--stop", repr(stop), "--step", repr(step), "--csv", "-", "--quiet"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.code, self.messages = done.returncode, done.stderr.strip()
        if done.returncode not in (0, 3) or not done.stdout:
            return
        names, *rows = csv.reader(io.StringIO(done.stdout))
        places = {name: k for k, name in enumerate(names)}
        for row in rows:
            numbers = [float(word) for word in row]
            found = {"time": numbers[0]}
            for k, what in enumerate(wanted(model)):
                size = vector_size(what[0], what[2])
                letters = {("tyre", "force"): ("Fx", "Fy", "Fz"), ("tyre", "torque"): ("Mx", "My", "Mz")}.get((what[0], what[2]), "wxyz" if size == 4 else "xyz")
                components = [f"o{k}"] if size == 1 else [f"o{k}.{c}" for c in letters]
                found[what] = np.array([numbers[places[name]] for name in components])
            self.values.append(found)

    def states(self, k):
        found = self.values[k]
        return {body["name"]: State(found["body", body["name"], "position"], of_quaternion(found["body", body["name"], "rotation"]),
                                    found["body", body["name"], "velocity"], found["body", body["name"], "angular_velocity"])
                for body in self.model["body"]}


def check(model, program, file):
    file.write_text(toml(model))
    done = subprocess.run([program, "check", file, "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode, (json.loads(done.stdout) if done.stdout else {}), done.stderr.strip()


def coordinates_of(joint):
    """References to all scalar coordinates of a joint."""
    names = KEYS[joint["type"]]
    return [{"joint": joint["name"], **({"coordinate": name} if len(names) > 1 else {})} for name in names]
