"""One model and its forms: what agrees, over the time in which a change of the start by 1e-12 stays small."""

import csv
import io
import shutil
import subprocess

import numpy as np

from rigid.change import without_inputs
from rigid.compare import difference, kind_of
from rigid.draw import mechanism
from rigid.program import ROOT, vector_size, wanted as wanted_of_rigid

from . import forms, tables
from .sketch import COORDINATES, Sketch

STEP, STEPS = 2e-3, 40
SHORTEST = 1e-5
PERTURBED, GROWN, AGREEMENT = 1e-12, 1e-8, 1e-7
# A part of the largest of its kind, below which a quantity is what is left of cancelled terms.
SMALL = 1e-3
FLOORS = {"position": 1.0, "speed": 0.1, "acceleration": 1.0, "force": 1.0, "energy": 0.1, "slip": 0.01, "deflection": 0.01, "pressure": 1.0}


def wanted(model):
    """What is asked of a model: (key, name, quantity)."""
    plain = {key: value for key, value in model.items() if key not in ("guided",)}
    yield from wanted_of_rigid(plain)
    for joint in model.get("joint", []):
        if joint.get("_loop"):
            continue
        if joint["type"] == "floating":
            yield from (("floating", joint["name"], quantity) for quantity in ("position", "speed"))
        else:
            for name in COORDINATES[joint["type"]]:
                yield from (("coordinate", (joint["name"], name), quantity) for quantity in ("position", "speed"))
    for guide in model.get("guided", []):
        yield from (("guided", guide["name"], quantity) for quantity in ("position", "speed"))
    for key in ("engine", "clutch", "gearbox", "torque_converter", "brake_line"):
        for item in model.get(key, []):
            yield "drive", item["name"], "effort"
    for key in ("contact", "solid_contact"):
        for item in model.get(key, []):
            yield "contact", item["name"], "force"
    for item in model.get("driver", []):
        yield from (("driver", item["name"], quantity) for quantity in ("path_position", "path_error", "steering_angle", "wanted_speed", "brake_demand"))
    for item in model.get("flexible_body", []):
        yield from (("flexible_body", item["name"], "strain_energy"), ("flexible", item["name"], "angular_velocity"))


def outputs(model):
    """Tables of outputs with the names of their numbers."""
    found, numbers = [], []
    for k, (key, name, quantity) in enumerate(wanted(model)):
        item = {"name": f"o{k}", "quantity": quantity}
        if key == "floating":
            found += [{"name": f"o{k}.{c}", "quantity": quantity, "joint": name, "coordinate": c} for c in "xyz"]
            numbers.append([f"o{k}.{c}" for c in "xyz"])
            continue
        if key == "coordinate":
            item |= {"joint": name[0], "coordinate": name[1]}
        elif key == "flexible":
            item["body"] = name
        elif key != "system":
            item[key] = name
        found.append(item)
        if key == "tyre" and quantity in ("force", "torque"):
            parts = ["Fx", "Fy", "Fz"] if quantity == "force" else ["Mx", "My", "Mz"]
        else:
            size = 3 if key in ("contact", "flexible") and quantity != "strain_energy" else vector_size(key, quantity)
            parts = {1: [], 3: "xyz", 4: "wxyz"}[size]
        numbers.append([f"o{k}.{part}" for part in parts] if parts else [f"o{k}"])
    return found, numbers


class Run:
    def __init__(self, files, numbers, prefix, program, folder, extra):
        folder.mkdir(parents=True, exist_ok=True)
        for name in extra:
            target = folder / name.split("/")[-1]
            if not target.exists():
                shutil.copy(ROOT / name, target)
        for name, tables_of in files.items():
            (folder / name).write_text(forms.toml(tables_of), encoding="utf-8")
        done = subprocess.run([program, "run", folder / "model.toml", "--stop", repr(STEP * STEPS), "--step", repr(STEP), "--csv", "-", "--quiet"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.code, self.messages, self.values = done.returncode, done.stderr.strip(), None
        if done.returncode == 0:
            names, *rows = csv.reader(io.StringIO(done.stdout))
            places = {name: k for k, name in enumerate(names)}
            rows = np.array(rows, dtype=float)
            self.values = [rows[:, [places[prefix + name] for name in group]] for group in numbers]


def perturbed(model):
    """The start changed by 1e-12."""
    new = forms.copied(model)
    for joint in new.get("joint", []):
        if "speed" in joint:
            speed = joint["speed"]
            joint["speed"] = [speed[0] + PERTURBED, *speed[1:]] if isinstance(speed, list) else speed + PERTURBED
            return new
    free = next((joint for joint in new.get("joint", []) if COORDINATES[joint["type"]] and joint["type"] != "floating"), None)
    if free is not None:
        count = {"point_on_curve": 4}.get(free["type"], len(COORDINATES[free["type"]]))
        free["speed"] = [PERTURBED] + [0.0] * (count - 1) if count > 1 else PERTURBED
    return new


def difference_of(what, one, two):
    """Per communication point."""
    if what[2] == "rotation":
        return np.array([difference(what, a, b) for a, b in zip(one, two)])
    return np.linalg.norm(one - two, axis=1)


class Trial:
    def __init__(self, number, seed, model, program, folder):
        self.number, self.model, self.program, self.folder = number, model, program, folder
        self.random = np.random.default_rng((*seed, 5))
        self.what = list(wanted(model))
        model["output"], self.numbers = outputs(model)
        if model.get("_plot"):
            of = next(k for k, what in enumerate(self.what) if what[0] == "body")
            model["plot"] = [{"outputs": [f"o{of}"]}]
        self.base = self.run({"model.toml": model}, "", "base")
        # Stiff draws are refused with the step that they need; they get a shorter one.
        while "unstable at the start" in self.base.messages and model["model"]["step"] > SHORTEST:
            model["model"]["step"] *= 0.25
            self.base = self.run({"model.toml": model}, "", "base")

    def run(self, files, prefix, name):
        folder = self.folder / str(self.number) / name.replace(" ", "_").replace(",", "")
        return Run(files, self.numbers, prefix, self.program, folder, self.model.get("_files", []))

    def scale(self, last):
        """Peaks of the quantities until a communication point."""
        peaks = [float(np.linalg.norm(values[:last + 1], axis=1).max()) for values in self.base.values]
        sizes = dict(FLOORS)
        for what, peak in zip(self.what, peaks):
            sizes[kind_of(what)] = max(sizes.get(kind_of(what), 0.0), peak)
        return [max(peak, SMALL * sizes[kind_of(what)]) for what, peak in zip(self.what, peaks)]

    def horizon(self):
        """The last communication point until which the changed start stays near."""
        other = self.run({"model.toml": perturbed(self.model)}, "", "perturbed")
        if other.values is None:
            return None
        scale = self.scale(STEPS)
        off = np.max([difference_of(w, a, b) / s for w, a, b, s in zip(self.what, self.base.values, other.values, scale)], axis=0)
        grown = np.nonzero(~(off < GROWN))[0]
        return int(grown[0]) - 1 if len(grown) else STEPS

    def compare(self, name, form, last):
        """The largest difference and of what, or why there is none."""
        files, placement, prefix = form(self.model, self.random)
        other = self.run(files, prefix, name)
        if other.values is None:
            return np.inf, f"exit code {other.code}: {other.messages[:300]}"
        scale, worst, of = self.scale(last), 0.0, None
        for what, a, b, s in zip(self.what, self.base.values, other.values, scale):
            led = np.array([np.atleast_1d(placement.back(self.model, what, row if len(row) > 1 else row[0])) for row in b[:last + 1]])
            off = float(np.max(difference_of(what, a[:last + 1], led) / s))
            if not off <= worst:
                worst, of = off, what
        return worst, of


    def forms(self, last, every=False):
        """Per form the largest difference and what it is of; a form must be accepted even where its motion cannot be compared."""
        random = None if every else self.random
        return {name: self.compare(name, form, max(last or 0, 0)) for name, form in forms.forms(self.model, random).items()}


def named_points(s):
    s.named = []
    if "_points" in s.model:
        tables.points(s)
        for values, k, name in s.named:
            values[k] = name


def drawn(number):
    """A random model of one to three joints and two to five further tables, every table in turn."""
    s = Sketch((number, 41))
    names = list(tables.ELEMENTS)
    kinds = [kind for kind in COORDINATES if kind != "fixed"]
    if number % 5 == 4:
        # A mechanism with loops, guides and redundancy.
        s.model, _ = mechanism(number)
        without_inputs(s.model)
        s.model.pop("_coordinates")
        s.constrained = {joint["name"] for joint in s.model["joint"]}
        for joint in s.model["joint"]:
            joint["_loop"] = "_tree" not in joint
    else:
        s.tree([kinds[number % len(kinds)]] + [s.pick(kinds) for _ in range(s.pick([0, 1, 2]))])
    if s.chance(0.3):
        s.model["model"]["gravity"] = s.vector(9.0)
    chosen = [names[number % len(names)]] + [s.pick(names) for _ in range(s.pick([1, 2, 3, 4]))]
    for name in chosen:
        if name == "points":
            s.model["_points"] = True
        else:
            tables.ELEMENTS[name](s)
    if s.model.get("road") or s.model.get("driver"):
        s.model["_upright"] = True
    named_points(s)
    return s.model, (number, 41)


def cell(element, kind, coordinate, number):
    """An element on one coordinate."""
    s = Sketch((number, 43))
    s.tree([kind])
    s.wanted = [{"joint": s.model["joint"][-1]["name"], "coordinate": coordinate}] * (2 if element == "driver" else 1)
    tables.ELEMENTS[element](s)
    if s.model.get("driver"):
        s.model["_upright"] = True
    return s.model, (number, 43)


def cells():
    """Every element on every coordinate."""
    for element in tables.ON_COORDINATES:
        for kind, names in COORDINATES.items():
            for name in names:
                angle = name in ("angle", "second_angle")
                if element == "torsion_bar" and not angle or element == "rack_and_pinion" and not angle:
                    continue
                yield element, kind, name
