"""Simulates an FMU with fmpy, sets one of its variables on the way, and writes its outputs as CSV.

    pip install fmpy
    ballesta export models/four_bar -o four_bar.fmu
    python examples/fmpy_harness.py four_bar.fmu four_bar.csv
    python examples/fmpy_harness.py four_bar.fmu four_bar.csv NAME=VALUE@TIME

NAME is an input or a tunable parameter; it has its start value before TIME (in s) and VALUE from the first communication
point at or after TIME on.
"""

import csv
import shutil
import sys

import fmpy
from fmpy.fmi2 import FMU2Slave


def simulate(path, csv_path, change=None):
    """Steps the FMU at `path` through its default experiment; `change` is None or (name, value, time)."""
    description = fmpy.read_model_description(path)
    experiment = description.defaultExperiment
    start, stop, step = (float(x) for x in (experiment.startTime, experiment.stopTime, experiment.stepSize))
    variables = {variable.name: variable for variable in description.modelVariables}
    outputs = [variable for variable in description.modelVariables if variable.causality == "output"]

    folder = fmpy.extract(path)
    instance = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="example",
    )
    read = {"Real": instance.getReal, "Integer": instance.getInteger, "Boolean": instance.getBoolean}

    def row(time):
        return [time] + [read[output.type]([output.valueReference])[0] for output in outputs]

    instance.instantiate()
    try:
        instance.setupExperiment(startTime=start, stopTime=stop)
        instance.enterInitializationMode()
        instance.exitInitializationMode()
        with open(csv_path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["time"] + [output.name for output in outputs])
            table.writerow(row(start))
            time = start
            for k in range(1, round((stop - start) / step) + 1):
                if change and time >= change[2]:
                    instance.setReal([variables[change[0]].valueReference], [change[1]])
                    change = None
                next_time = start + k * step
                instance.doStep(time, next_time - time)
                time = next_time
                table.writerow(row(time))
        instance.terminate()
    finally:
        instance.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


def parse_change(text):
    """(name, value, time) from NAME=VALUE@TIME."""
    name, rest = text.rsplit("=", 1)
    value, time = rest.split("@")
    return name, float(value), float(time)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    simulate(sys.argv[1], sys.argv[2], parse_change(sys.argv[3]) if len(sys.argv) == 4 else None)
