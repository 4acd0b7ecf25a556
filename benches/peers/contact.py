"""Stacked boxes in ballesta and in MuJoCo: time per step, depth at rest, creep; and a walker: speed, depth, time.

Both read models/contacts/stacked_boxes.toml: MuJoCo has free bodies with boxes of the same mass, inertia, size and
friction, and its own law of contact, as it comes and with the stiffest one for the step (solref of two steps).
The walker is tests/import/quadruped.xml in MuJoCo, and what `ballesta import` makes of it (models/contacts/walker.toml) here;
both get the targets of walker_gait.csv.
"""

import csv
import json
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "models/contacts/stacked_boxes.toml"
WALKER, GAIT = ROOT / "models/contacts/walker.toml", ROOT / "models/contacts/walker_gait.csv"
ROBOT = ROOT / "tests/import/quadruped.xml"
PROGRAM = ROOT / "target/fmu/ballesta"
SETTLED, STOP = 40.0, 70.0


def axes(solid):
    x = np.array(solid.get("x_axis", [1, 0, 0]), float)
    y = np.array(solid.get("y_axis", [0, 1, 0]), float)
    x /= np.linalg.norm(x)
    y -= x * (x @ y)
    return np.array([x, y / np.linalg.norm(y)])


def words(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def mjcf(model, step, solref):
    [contact] = model["solid_contact"]
    gravity = words(model["model"]["gravity"])
    lines = [f'<mujoco><option timestep="{step}" gravity="{gravity}" integrator="implicitfast"/>']
    law = f'solref="{solref}"' if solref else ""
    lines.append(f'<default><geom friction="{contact["friction"]} 0.005 0.0001" {law}/></default><worldbody>')
    bodies = {body["name"]: body for body in model["body"]}
    for solid in model["solid"]:
        if solid["type"] == "plane":
            lines.append('<geom type="plane" size="5 5 0.1"/>')
            continue
        body = bodies[solid["body"]]
        half = words(np.array(solid["size"]) / 2)
        lines.append(f'<body name="{body["name"]}" pos="{words(body["com"])}"><freejoint/>')
        lines.append(f'<inertial pos="0 0 0" mass="{body["mass"]}" diaginertia="{words(body["inertia"][:3])}"/>')
        lines.append(f'<geom type="box" size="{half}" xyaxes="{words(axes(solid))}"/></body>')
    return "\n".join([*lines, "</worldbody></mujoco>"])


def in_mujoco(model, step, solref):
    compiled = mujoco.MjModel.from_xml_string(mjcf(model, step, solref))
    data = mujoco.MjData(compiled)
    while data.time < SETTLED - step / 2:
        mujoco.mj_step(compiled, data)
    before = data.xpos[1:].copy()
    depth = max((-contact.dist for contact in data.contact[: data.ncon]), default=0.0)
    start, steps = time.process_time(), 0
    while data.time < STOP - step / 2:
        mujoco.mj_step(compiled, data)
        steps += 1
    spent = time.process_time() - start
    return spent / steps, depth, np.linalg.norm(data.xpos[1:] - before, axis=1).max()


def in_ballesta(model, scheme, step, folder):
    text = MODEL.read_text(encoding="utf-8").replace('"rk4"', f'"{scheme}"')
    file, table = folder / f"{scheme}.toml", folder / f"{scheme}.csv"
    file.write_text(text, encoding="utf-8")
    command = [PROGRAM, "run", file, "--internal-step", step, "--step", "0.05", "--csv", table, "--json"]
    spent = []
    for stop in (SETTLED, STOP):
        words_typed = [str(word) for word in [*command, "--stop", stop]]
        said = subprocess.run(words_typed, capture_output=True, text=True, check=True)
        spent.append(json.loads(said.stdout)["computing_s"])
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    bodies = [body["name"] for body in model["body"]]
    places = [
        np.array([[float(row[f"{body}.position.{k}"]) for k in "xyz"] for body in bodies])
        for row in (rows[round(SETTLED / 0.05)], rows[-1])
    ]
    depth = -min(float(row["distance"]) for row in rows if float(row["time"]) >= SETTLED)
    return (spent[1] - spent[0]) / ((STOP - SETTLED) / step), depth, np.linalg.norm(places[1] - places[0], axis=1).max()


def gait():
    """Names and rows of the targets, with their times."""
    with open(GAIT, encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    rows = np.array(rows, float)
    return names[1:], rows[:, 0], rows[:, 1:]


def walked(places, times, deepest, spent):
    """Speed from 2 s on, largest way aside, depth, time per step."""
    late = times >= 2 - 1e-9
    speed = (places[late][-1, 0] - places[late][0, 0]) / (times[-1] - times[late][0])
    return speed, np.abs(places[:, 1]).max(), deepest, spent


def walker_in_mujoco(step):
    compiled = mujoco.MjModel.from_xml_path(str(ROBOT))
    compiled.opt.timestep = step
    data = mujoco.MjData(compiled)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    names, times, rows = gait()
    actuators = [compiled.actuator(name).id for name in names]
    places, at, deepest, spent = [data.qpos[:3].copy()], [0.0], 0.0, 0.0
    per = round(0.01 / step)
    for number in range(round(times[-1] / 0.01)):
        for index in range(per):
            # As ballesta has inputs between two points: on a straight line.
            for actuator, column in zip(actuators, rows.T):
                data.ctrl[actuator] = np.interp(data.time, times, column)
            start = time.perf_counter()
            mujoco.mj_step(compiled, data)
            spent += time.perf_counter() - start
            deepest = max(deepest, max((-contact.dist for contact in data.contact[: data.ncon]), default=0.0))
        places.append(data.qpos[:3].copy())
        at.append(0.01 * (number + 1))
    return walked(np.array(places), np.array(at), deepest, spent / (times[-1] / step))


def walker_in_ballesta(step, folder):
    table = folder / "walker.csv"
    command = [PROGRAM, "run", WALKER, "--inputs", GAIT, "--internal-step", step, "--csv", table, "--json"]
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    spent = json.loads(said.stdout)["computing_s"]
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    places = np.array([[float(row[f"trunk.position.{k}"]) for k in "xyz"] for row in rows])
    times = np.array([float(row["time"]) for row in rows])
    return walked(places, times, -min(float(row["distance"]) for row in rows), spent / (times[-1] / step))


def walkers(folder):
    print("\n| | step, ms | per step, us | speed, m/s | aside, m | depth, mm |")
    print("|---|---|---|---|---|---|")
    for step in (5e-4, 1e-3, 2e-3):
        runs = [(f"MuJoCo {mujoco.__version__}", walker_in_mujoco(step))]
        if step < 2e-3:
            runs.insert(0, ("ballesta, generalized_alpha", walker_in_ballesta(step, folder)))
        for name, (speed, aside, depth, spent) in runs:
            cells = f"{1e3 * step:g} | {1e6 * spent:.1f} | {speed:.4f} | {aside:.3f} | {1e3 * depth:.2f}"
            print(f"| {name} | {cells} |")


def main():
    with open(MODEL, "rb") as file:
        model = tomllib.load(file)
    folder = ROOT / "target/contact"
    folder.mkdir(parents=True, exist_ok=True)
    print("| | step, ms | per step, us | depth at rest, mm | creep in 30 s, m |")
    print("|---|---|---|---|---|")
    rows = [(f"ballesta, {scheme}", step, lambda scheme=scheme, step=step: in_ballesta(model, scheme, step, folder))
            for scheme, step in (("rk4", 5e-4), ("generalized_alpha", 5e-4), ("generalized_alpha", 1e-3))]
    for name, stiff in (("as it comes", False), ("stiff", True)):
        for step in (5e-4, 1e-3, 2e-3):
            solref = f"{2 * step} 1" if stiff else ""
            measure = lambda step=step, solref=solref: in_mujoco(model, step, solref)
            rows.append((f"MuJoCo {mujoco.__version__}, {name}", step, measure))
    for name, step, measure in rows:
        spent, depth, creep = measure()
        print(f"| {name} | {1e3 * step:g} | {1e6 * spent:.1f} | {1e3 * depth:.3g} | {creep:.1e} |")
        sys.stdout.flush()
    walkers(folder)


if __name__ == "__main__":
    main()
