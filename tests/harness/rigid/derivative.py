"""Derivatives of accelerations, reactions and forces beside those of `ballesta linearize`, by complex steps: a state is moved by i h along a motion
that all equations allow, h so small that its square is lost, and the imaginary part of every result over h is its derivative, without the cancelling of
differences (Squire & Trapp, Using complex variables to estimate derivatives of real functions, SIAM Review 40, 1998). All in absolute coordinates."""

import json
import re
import subprocess

import numpy as np
from scipy.linalg import qr

from . import draw, program
from .algebra import skew
from .loads import Loads
from .scene import KEYS, Scene, State, mass_matrix
from .solve import Equations, Solution, solve

STEP = 1e-30
# What these do follows from states that no output tells.
HIDDEN = ("friction", "brake")
# Rows below a thousandth of these are what is left of cancelled terms.
FLOORS = {"pressure": 1e5}


class Moved(Solution):
    """Accelerations and reactions where numbers may be complex: by independent equations, chosen beforehand."""

    def __init__(self, scene, kept, real):
        self.scene, self.equations, self.loads = scene, Equations(scene), Loads(scene)
        self.u, self.quantities, self.unique = real.u, {}, {}
        j, c = self.equations.jacobian()[kept], -self.equations.values("bias")[kept]
        mass, bias = mass_matrix(scene)
        n, m = j.shape[1], len(kept)
        matrix = np.block([[mass, -j.T], [j, np.zeros((m, m))]])
        found = np.linalg.solve(matrix, np.concatenate([self.loads.wrench - bias, c]))
        self.acceleration, self.multipliers = found[:n], scene.zeros(len(self.equations.rows))
        self.multipliers[kept] = found[n:]
        self.motions()
        self.reactions()
        self.forces()


def coordinate(scene, name):
    """Row of the velocity coordinate that is called `joint` or `joint[k]`; free rotations are about axes of the second body."""
    joint, k = re.fullmatch(r"(.*?)(?:\[(\d)\])?", name).groups()
    item, k = scene.joints[joint], int(k or 1) - 1
    keys = KEYS[item["type"]]
    if k < len(keys):
        return scene.coordinate({"joint": joint, "coordinate": keys[k]})
    return scene.turn(*item["bodies"], np.eye(3)[k - len(keys)], item["bodies"][1])


def fixing(equations, kept, names):
    """Independent equations and, below, the rows of the independent coordinates: all velocities follow."""
    return np.vstack([equations.jacobian()[kept], *(equations.spread(coordinate(equations.scene, name)) for name in names)])


class Derivatives:
    """By independent coordinates, their speeds and inputs, at the start of a run: accelerations of the independent coordinates, and quantities."""

    def __init__(self, model, states, names):
        self.model, self.states, self.names = model, states, names
        self.real = solve(model, states)
        self.bodies, equations = self.real.scene.names, self.real.equations
        order = qr(equations.jacobian().T, pivoting=True)[2] if equations.rows else np.zeros(0, int)
        self.kept = np.sort(order[:self.real.rank])
        self.speeds = np.array([coordinate(self.real.scene, name).rate for name in names])
        # Motions with one independent speed each.
        self.motions = np.linalg.inv(fixing(equations, self.kept, names))[:, self.real.rank:]

    def at(self, states, speeds):
        """With the velocities that the equations and the independent speeds ask for."""
        scene = Scene(self.model, states)
        equations = Equations(scene)
        lacking = np.concatenate([-equations.values("rate")[self.kept], speeds - [coordinate(scene, name).rate for name in self.names]])
        change = np.linalg.solve(fixing(equations, self.kept, self.names), lacking).reshape(-1, 6)
        states = {name: State(states[name].p, states[name].r, states[name].v + v[:3], states[name].w + v[3:]) for name, v in zip(self.bodies, change)}
        return self.results(Scene(self.model, states))

    def results(self, scene):
        moved = Moved(scene, self.kept, self.real)
        return np.array([moved.coordinate_acceleration(coordinate(scene, name)) for name in self.names]), moved.quantities

    def by_position(self, k):
        states = {}
        for name, along in zip(self.bodies, self.motions[:, k].reshape(-1, 6)):
            state, along = self.states[name], 1j * STEP * along
            states[name] = State(state.p + along[:3], state.r + skew(along[3:]) @ state.r, state.v, state.w)
        return self.at(states, self.speeds)

    def by_speed(self, k):
        return self.at(self.states, self.speeds + 1j * STEP * np.eye(len(self.names))[k])

    def by_input(self, name):
        scene = Scene(self.model, self.states)
        scene.inputs[name] = scene.inputs[name] + 1j * STEP
        return self.results(scene)


def apart(number, ballesta, folder):
    """The largest difference of an entry of a row, relative to the largest of that row, of what, the class, and how many entries."""
    model, _ = draw.mechanism(number)
    for key in HIDDEN:
        model.pop(key, None)
    for spring in model.get("air_spring", []):
        # The middle row is at the length of the start: a corner.
        if "area_table" in spring:
            spring["area_table"][1][0] *= 1.03
    file = folder / f"derivative_{number}.toml"
    run = program.Run(model, ballesta, file, 1e-3, 1e-3)
    assert run.code in (0, 3) and run.values, f"{file}: exit code {run.code}: {run.messages}"
    done = subprocess.run([ballesta, "linearize", file, "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{file}: {done.stderr}"
    told = json.loads(done.stdout)
    names = [state for state in told["states"] if f"der({state})" in told["states"] and re.sub(r"\[\d\]$", "", state) in {j["name"] for j in model["joint"]}]
    derivatives = Derivatives(model, run.states(0), names)
    guiding = {name for guide in model.get("guided", []) for name in (guide.get("input"), *guide.get("inputs", []), *guide.get("motion", {}).values())}
    columns = [("a", told["states"].index(name), derivatives.by_position(k)) for k, name in enumerate(names)]
    columns += [("a", told["states"].index(f"der({name})"), derivatives.by_speed(k)) for k, name in enumerate(names)]
    columns += [("b", k, derivatives.by_input(name)) for k, name in enumerate(told["inputs"]) if name not in guiding]
    error, of, count = 0.0, None, 0

    def compare(what, row, wanted):
        nonlocal error, of, count
        found = np.array([told[row[0 if matrix == "a" else 1]][row[2]][at] for matrix, at, _ in columns])
        off = np.abs(found - wanted).max(initial=0.0) / max(np.abs(wanted).max(initial=0.0), 1e-3 * FLOORS.get(what[2] if len(what) == 4 else "", 1.0))
        count += len(columns)
        if not off <= error:
            error, of = off, what

    for k, name in enumerate(names):
        row = told["states"].index(f"der({name})")
        compare(f"der({name})", ("a", "b", row), np.array([accelerations[k].imag / STEP for _, _, (accelerations, _) in columns]))
    for k, what in enumerate(program.wanted(model)):
        if what not in derivatives.real.quantities or what[2] == "rotation":
            continue
        size = program.vector_size(what[0], what[2])
        for i in range(size):
            if not derivatives.real.unique[what][i]:
                continue
            row = told["outputs"].index(f"o{k}" if size == 1 else f"o{k}.{'xyz'[i]}")
            compare((*what, i), ("c", "d", row), np.array([np.imag(quantities[what][i]) / STEP for _, _, (_, quantities) in columns]))
    return error, of, model["_class"], count
