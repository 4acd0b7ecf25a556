#!/usr/bin/env python3
"""Trims the vehicles of the gallery on slopes and banks: at several speeds, straight ahead and with the steering wheel
turned, and parked with brakes. Writes the table of docs/vehicles/trim.md.

    scripts/trim_table.py                 # rewrites docs/vehicles/trim.md, about ten minutes
    scripts/trim_table.py van truck       # selected models, to stdout

Needs target/release/ballesta. Reduces frames that have more modes than in the gallery."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "ballesta"
PAGE = ROOT / "docs" / "vehicles" / "trim.md"
WHEELS = {"van": [f"axle{a}.{s}" for a in (1, 2) for s in ("left", "right")],
          "truck": [f"axle{a}.{s}" for a in range(1, 6) for s in ("left", "right")]}
# Name, file, modes of the frame, parked brake torque per wheel in N m.
MODELS = [("van", "van/model.toml", None, 3000), ("truck", "truck/model.toml", None, 15000),
          ("truck, 8 modes", "truck/flexible.toml", 8, 15000), ("truck, 60 modes", "truck/flexible.toml", 60, 15000)]
ROADS = [(0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.15), (0.3, 0.15)]
# Speed in m/s and angle of the steering wheel in rad.
WAYS = [(0, 0.0), (5, 0.0), (20, 0.0), (20, 0.5)]
STEERING = {"van": "steering_wheel.angle", "truck": "axle1.steering_wheel.angle"}
# Torque limits of the models in N m; the limits are removed for this table.
LIMITS = {"van": (0, 3000), "truck": (-4000, 20000)}


def prepare(folder, file, modes):
    """Copies the model's folder and reduces the frame with the given number of modes."""
    source = ROOT / "models" / Path(file).parent
    shutil.copytree(source, folder, dirs_exist_ok=True)
    if modes and modes > 8:
        # Six interfaces have 36 coordinates, six of them rigid motions.
        structure = folder / "ladder_frame"
        shutil.copytree(ROOT / "models/structures/ladder_frame", structure)
        text = (structure / "structure.toml").read_text()
        (structure / "structure.toml").write_text(text.replace("modes = 10\n", f"modes = {max(10, modes - 30)}\n"))
        subprocess.run([PROGRAM, "reduce", structure, "--no-comparison", "-o", folder / "frame.rom.toml"], check=True,
                       stdout=open(os.devnull, "w"))
        path = folder / Path(file).name
        path.write_text(path.read_text().replace("modes = 8\n", f"modes = {modes}\n")
                        .replace('integrator = "rk4"', 'integrator = "generalized_alpha"'))


def trim(path, text, slope, bank, sets, limits):
    path.write_text(text.replace('[[road]]\nname = "road"\n', f'[[road]]\nname = "road"\nslope = {slope}\nbank = {bank}\n')
                    .replace("\ntrim = true\n", "\n"))
    command = [PROGRAM, "check", path, "--trim", "--json"] + [f"--set={name}={value}" for name, value in sets]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        return done.stderr.strip().removeprefix("error: ").replace("\n", " ")
    driving = json.loads(done.stdout)["equilibrium"]["driving"]
    words = []
    if driving["torque_nm"] is not None:
        torque = driving["torque_nm"]
        words.append(f"{torque:.0f} N m" + ("" if limits[0] <= torque <= limits[1] else "*"))
    if abs(driving["turning_rad_s"]) > 1e-6:
        words.append(f"{driving['turning_rad_s']:.4f} rad/s")
    return "**stationary**" if not driving["speed_m_s"] else "**" + ", ".join(words or ["steady"]) + "**"


def table(name, file, modes, brake):
    rows, kind = [], name[:5].rstrip(",")
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), file, modes)
        path = Path(folder) / Path(file).name
        for part in Path(folder).rglob("*.toml"):
            words = part.read_text()
            for old, new in (("20000", "1e9"), ("-4000", "-1e9"), ("0", "-1e9")):
                words = words.replace(f'value = {old}\nunit = "N.m"\n', f'value = {new}\nunit = "N.m"\n')
            part.write_text(words)
        text = path.read_text()
        for slope, bank in ROADS:
            for speed, angle in WAYS:
                sets = [("speed", speed), ("target_speed", speed), (STEERING[kind], angle)]
                sets += [("driver.max_torque", 1e9)] if kind == "van" else []
                sets += [(f"{wheel}.brake_torque", brake) for wheel in WHEELS[kind] if not speed]
                found = trim(path, text, slope, bank, sets, LIMITS[kind])
                way = "parked" if not speed else f"{speed} m/s, {angle} rad"
                rows.append((f"{100 * slope:.0f} %", f"{100 * bank:.0f} %", way, found))
                print(name, *rows[-1], sep=" | ", flush=True)
    return rows


def main():
    wanted = sys.argv[1:]
    tables = {m[0]: table(*m) for m in MODELS if not wanted or m[0] in wanted}
    if wanted:
        return
    works = {name: sum(found.startswith("**") for *_, found in rows) for name, rows in tables.items()}
    lines = []
    for keys in zip(*tables.values()):
        cells = []
        for *_, found in keys:
            if not found.startswith("**"):
                reached = re.search(r"up to ([\d.]+) m/s and (\d+) % of", found)
                if reached:
                    found = f"up to {reached[2]} %, {float(reached[1]):.1f} m/s"
                elif "integrator unstable" in found:
                    found = "step too long"
            cells.append(found.strip("*"))
        lines.append("| " + " | ".join((*keys[0][:3], *cells)) + " |")
    header = ["slope", "bank", "speed, steering wheel", *tables]
    counts = ", ".join(f"{name} {n} of {len(lines)}" for name, n in works.items())
    page = f"""# Trim of the vehicles

`scripts/trim_table.py` writes this page ([trim of vehicles](../vehicles.md#steady-driving-and-standing)).
Converged: {counts}.

* Parked: every wheel is braked with {MODELS[0][3]} N m (van) or {MODELS[1][3]} N m (truck).
* Otherwise: total driving torque and yaw rate. The torque is not limited here; `*` marks a torque beyond the limits of the model, which the model
  itself rejects.
* `up to 89 %, 4.7 m/s`: no equilibrium; the trim converged up to this part of the inclination and this speed. There, a tyre of the drive axle
  uses 0.79 to 0.84 of its load as tangential force, close to its grip.
* `step too long`: the step of the model makes the integrator unstable at the start.

| {' | '.join(header)} |
|{'---|' * len(header)}
""" + "\n".join(lines) + "\n"
    PAGE.write_text(page)


main()
