#!/usr/bin/env python3
"""Trims the vehicles of the gallery on slopes and banks, at several speeds, straight on and with the steering wheel turned, and
standing with brakes; writes the table of docs/vehicles/trim.md.

    scripts/trim_table.py                 # rewrite docs/vehicles/trim.md, about ten minutes
    scripts/trim_table.py van truck       # some of the models, to stdout

Needs target/release/ballesta. Frames with more modes than the gallery's are reduced on the way."""

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
          ("truck, 8 modes", "truck/flexible.toml", 8, 15000), ("truck, 20 modes", "truck/flexible.toml", 20, 15000),
          ("truck, 60 modes", "truck/flexible.toml", 60, 15000)]
ROADS = [(0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.15), (0.3, 0.15)]
# Speed in m/s and angle of the steering wheel in rad.
WAYS = [(0, 0.0), (5, 0.0), (20, 0.0), (20, 0.5)]
STEERING = {"van": "steering_wheel.angle", "truck": "axle1.steering_wheel.angle"}
# Drivers may give any torque here; what the models let them give in N m.
LIMITS = {"van": (0, 3000), "truck": (-4000, 20000)}


def prepare(folder, file, modes):
    """The model's folder, copied; the frame with as many modes as wanted."""
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
        words.append(f"{torque:.0f} N m" + ("" if limits[0] <= torque <= limits[1] else " (beyond)"))
    if abs(driving["turning_rad_s"]) > 1e-6:
        words.append(f"{driving['turning_rad_s']:.4f} rad/s")
    return "**stands**" if not driving["speed_m_s"] else "**" + ", ".join(words or ["steady"]) + "**"


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
    notes, lines = [], []
    for keys in zip(*tables.values()):
        cells = []
        for *_, found in keys:
            if not found.startswith("**"):
                found = re.sub(r"^.*?: ", "", found, count=1) if found.startswith("/") else found
                if found not in notes:
                    notes.append(found)
                found = f"[{notes.index(found) + 1}]"
            cells.append(found.strip("*"))
        lines.append("| " + " | ".join((*keys[0][:3], *cells)) + " |")
    header = ["slope", "bank", "speed, steering wheel", *tables]
    counts = ", ".join(f"{name} {n} of {len(lines)}" for name, n in works.items())
    page = f"""# Trim of the vehicles

Made by `scripts/trim_table.py` ([how a trim is found](../vehicles.md#steady-driving-and-standing)). Parked: every wheel braked
with {MODELS[0][3]} N m (van) or {MODELS[1][3]} N m (truck). Otherwise the torque of the driver and the speed of the turn. Drivers may give
any torque; "beyond" marks what the model itself refuses with a message that tells the torque. Numbers in brackets are the messages below. Found: {counts}.

| {' | '.join(header)} |
|{'---|' * len(header)}
""" + "\n".join(lines) + "\n\n" + "\n".join(f"{k}. {note}" for k, note in enumerate(notes, 1)) + "\n"
    PAGE.write_text(page)


main()
