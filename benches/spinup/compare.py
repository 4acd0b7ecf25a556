"""The spin-up beam of Gutiérrez et al. side by side: ballesta with each form of stiffening, and Exudyn's beams of large deformation.

The same manoeuvre for all, 20 s; the steps follow each other without outputs where times are taken. Exudyn: `ancf` is
ObjectANCFCable2D, `exact` ObjectBeamGeometricallyExact2D, `exact in space` ObjectBeamGeometricallyExact with nodes of Euler
parameters (ballesta computes in space too), with a shear stiffness that does not matter; the root is guided by constraints on
coordinates or a joint; generalized alpha with fixed step, sparse solver, one thread.

Times are processor times on one core, so that a busy machine counts little; the best of several runs, which alternate.
"process" is the whole process. "computing" is the simulation in a process that has started and read its model: for ballesta the
process less one that simulates a single step, for Exudyn the time around SolveDynamic. "tip" is the least deflection,
"extension" the mean from 15 s on; differences are those to -0.57378 m and 5.1429e-4 m.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LENGTH, AREA, INERTIA, MODULUS, DENSITY = 10.0, 4e-4, 2e-7, 7e10, 3000.0
SHEAR = MODULUS / 2.6 * AREA * 5 / 6
SPEED, RISE, STOP = 6.0, 15.0, 20.0
EXACT_TIP, EXACT_EXTENSION = -0.57378, 5.1429e-4
MODELS = {"model 1": "model_1.toml", "model 2": "model_2.toml", "model 3": "model_3.toml", "general": "model.toml"}
PAPER = {"model 1": "11.03", "model 2": "12.96", "model 3": "10.13, 16.01 with axial modes"}
# Elements, step, spectral radius, full Newton (else modified). Those with full Newton are the cheapest found within 1e-3 m.
BEAMS = [
    ("exact in space", 16, 1e-3, 0.9, False),
    ("exact", 32, 1e-3, 0.9, False),
    ("exact", 16, 1e-3, 0.9, False),
    ("ancf", 32, 1e-3, 0.9, False),
    ("ancf", 16, 1e-3, 0.9, False),
    ("exact", 8, 1e-2, 0.9, True),
    ("exact", 6, 2e-2, 0.8, True),
    ("exact in space", 12, 1e-2, 0.8, True),
]
STEPS = [1e-3, 1e-2, 5e-2]  # of ballesta, for the general form and model 3


def angle(t):
    """Equation 37 of the paper, rad."""
    if t >= RISE:
        return SPEED * (t - RISE / 2)
    return SPEED / RISE * (t * t / 2 + (RISE / (2 * math.pi)) ** 2 * (math.cos(2 * math.pi * t / RISE) - 1))


def processor(command):
    """Runs a command: what it printed, and its processor time in s."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return printed, usage.ru_utime + usage.ru_stime


def ballesta(program, model, step):
    """Times of a simulation without outputs, and of one that ends after a step."""
    times = [processor([program, "run", model, "--step", t, "--stop", t, "--internal-step", step])[1] for t in (STOP, step)]
    return dict(zip(("process", "start"), times))


def ballesta_accuracy(program, model, step):
    """Least deflection and mean extension, rows every 0.01 s or every step."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "out.csv"
        processor([program, "run", model, "--step", max(step, 0.01), "--internal-step", step, "--csv", table])
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(open(table))]
    late = [row["tip.x"] for row in rows if row["time"] > RISE]
    return {"tip": min(row["tip.y"] for row in rows), "extension": sum(late) / len(late)}


def exudyn_beam(kind, elements, step, radius, full):
    """One simulation with Exudyn, in a process of its own."""
    import exudyn as exu
    import numpy as np
    from exudyn import itemInterface as items

    exu.config.printToConsole = False
    system = exu.SystemContainer().AddSystem()
    ground = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0))
    places = [LENGTH * i / elements for i in range(elements + 1)]
    common = {
        "length": LENGTH / elements, "massPerLength": DENSITY * AREA,
        "bendingStiffness": MODULUS * INERTIA, "axialStiffness": MODULUS * AREA,
    }  # fmt: skip
    if kind == "ancf":
        nodes = [system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[x, 0, 1, 0])) for x in places]
        beam = items.ObjectANCFCable2D
        guides = [None, None, lambda _, t, *rest: math.cos(angle(t)) - 1, lambda _, t, *rest: math.sin(angle(t))]
    elif kind == "exact":
        nodes = [system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, 0, 0])) for x in places]
        beam = items.ObjectBeamGeometricallyExact2D
        common |= {"crossSectionInertia": DENSITY * INERTIA, "shearStiffness": SHEAR}
        guides = [None, None, lambda _, t, *rest: angle(t)]
    else:
        nodes = [system.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[x, 0, 0, 1, 0, 0, 0])) for x in places]
        beam = items.ObjectBeamGeometricallyExact
        section = exu.BeamSection()
        bending = MODULUS * INERTIA
        section.stiffnessMatrix = np.diag([MODULUS * AREA, SHEAR, SHEAR, bending / 1.3, bending, bending])
        section.inertia, section.massPerLength = DENSITY * INERTIA * np.diag([2, 1, 1]), DENSITY * AREA
        common = {"length": LENGTH / elements, "sectionData": section}
        guides = []
        ends = [
            system.AddMarker(items.MarkerBodyRigid(bodyNumber=system.AddObject(items.ObjectGround()))),
            system.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[0])),
        ]
        turn = lambda _, t, *rest: [0, 0, 0, 0, 0, angle(t)]
        system.AddObject(items.GenericJoint(markerNumbers=ends, constrainedAxes=[1] * 6, offsetUserFunction=turn))
    for pair in zip(nodes, nodes[1:]):
        system.AddObject(beam(nodeNumbers=list(pair), **common))
    for coordinate, guide in enumerate(guides):
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate))
        offset = {"offsetUserFunction": guide} if guide else {}
        system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker], **offset))
    tip = items.SensorNode(nodeNumber=nodes[-1], outputVariableType=exu.OutputVariableType.Position, storeInternal=True)
    sensor = system.AddSensor(tip)
    system.Assemble()

    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.endTime, integration.numberOfSteps, integration.adaptiveStep = STOP, round(STOP / step), False
    integration.generalizedAlpha.spectralRadius = radius
    # Forces of 1e7 N cancel in the residual: what is tighter than this is rounding.
    integration.newton.absoluteTolerance = integration.newton.relativeTolerance = 1e-6
    integration.newton.useModifiedNewton = not full
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = max(step, 0.01)
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    start = time.process_time()
    system.SolveDynamic(settings)
    seconds = time.process_time() - start

    deflection, extension = [], []
    for t, x, y, *_ in system.GetSensorStoredData(sensor):
        c, s = math.cos(angle(t)), math.sin(angle(t))
        deflection.append(c * y - s * x)
        if t > RISE:
            extension.append(c * x + s * y - LENGTH)
    found = {"computing": seconds, "tip": min(deflection), "extension": sum(extension) / len(extension)}
    print(json.dumps(found))


def exudyn(*arguments):
    printed, seconds = processor([sys.executable, __file__, "beam", json.dumps(arguments)])
    return json.loads(printed) | {"process": seconds}


COLUMNS = ["program", "model", "step ms", "computing s", "process s", "tip m", "off", "extension m", "off", "paper s"]


def row(program, name, step, found, paper=""):
    computing = found["computing"] if "computing" in found else found["process"] - found["start"]
    return [
        program, name, f"{1e3 * step:g}", f"{computing:.4f}", f"{found['process']:.3f}",
        f"{found['tip']:.5f}", f"{abs(found['tip'] - EXACT_TIP):.0e}",
        f"{found['extension']:.4e}", f"{100 * abs(found['extension'] / EXACT_EXTENSION - 1):.2f} %", paper,
    ]  # fmt: skip


def compare(options):
    folder = Path("models/spinup_beam")
    runs = []
    for name, file in MODELS.items():
        for step in STEPS if name in ("general", "model 3") else STEPS[:1]:
            accuracy = ballesta_accuracy(options.program, folder / file, step)
            work = lambda file=file, step=step: ballesta(options.program, folder / file, step)
            runs.append((("ballesta", name, step), work, accuracy, PAPER.get(name, "") if step == 1e-3 else ""))
    for beam in BEAMS:
        kind, elements, step, radius, full = beam
        name = f"{kind}, {elements} elements" + (", full Newton" if full else "")
        runs.append((("Exudyn", name, step), lambda beam=beam: exudyn(*beam), {}, ""))
    best = [{} for _ in runs]
    for repetition in range(options.repetitions):
        for (key, work, accuracy, _), found in zip(runs, best):
            new = accuracy | work()
            for column, value in new.items():
                timed = column in ("computing", "process", "start")
                found[column] = min(found.get(column, value), value) if timed else value
            if repetition + 1 == options.repetitions:
                print("|", " | ".join(row(*key, found)), "|", flush=True)
    rows = [row(*key, found, paper) for (key, _, _, paper), found in zip(runs, best)]
    options.table.parent.mkdir(parents=True, exist_ok=True)
    lines = ["| " + " | ".join(cells) + " |\n" for cells in [COLUMNS, ["---"] * len(COLUMNS), *rows]]
    options.table.write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/release/ballesta"), help="ballesta")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--table", type=Path, default=Path("target/bench-spinup/table.md"), help="Markdown to write")
    compare(parser.parse_args())


if __name__ == "__main__":
    if sys.argv[1:2] == ["beam"]:
        exudyn_beam(*json.loads(sys.argv[2]))
    else:
        main()
