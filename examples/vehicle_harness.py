"""Drives the FMU of a vehicle through a manoeuvre with fmpy: inputs from a CSV file, outputs into another.

    pip install fmpy
    ballesta export models/van -o van.fmu
    python examples/vehicle_harness.py van.fmu models/van/manoeuvres/step_steer.csv out.csv
    python examples/vehicle_harness.py van.fmu step_steer.csv first.csv --until 2 --save half.state
    python examples/vehicle_harness.py van.fmu step_steer.csv second.csv --from half.state

The input file has the header `time,<inputs>`; between two rows inputs are linear, and the FMU gets their slopes
(fmi2SetRealInputDerivatives). The outputs have the bits of `ballesta run MODEL --inputs FILE --csv OUT`. `--save` writes the
serialized FMU state at the end, from which another process goes on with `--from`.
"""

import argparse
import bisect
import csv
import shutil
import struct

import fmpy
from fmpy.fmi2 import FMU2Slave


class Table:
    """Inputs over time, as `ballesta run` reads them: two rows with one time are a jump."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            (_, *self.names), *rows = csv.reader(file)
        self.times, *self.columns = zip(*([float(value) for value in row] for row in rows))

    def _between(self, column, after, time):
        """Between the rows `after` - 1 and `after`, held outside."""
        if after == 0:
            return column[0]
        if after == len(self.times):
            return column[-1]
        t0, t1, v0, v1 = self.times[after - 1], self.times[after], column[after - 1], column[after]
        return v0 if time == t0 else v0 + (v1 - v0) * ((time - t0) / (t1 - t0))

    def values(self, time):
        """At `time`, behind a jump there."""
        after = bisect.bisect_right(self.times, time)
        return [self._between(column, after, time) for column in self.columns]

    def slopes(self, begin, end):
        """Of the straight lines from `begin`, behind a jump there, to `end`, before one."""
        first, last = bisect.bisect_right(self.times, begin), bisect.bisect_left(self.times, end)
        return [(self._between(column, last, end) - self._between(column, first, begin)) / (end - begin)
                for column in self.columns]


def simulate(fmu, inputs, outputs, until=None, save=None, start_state=None):
    """Steps the FMU through its default experiment, or to `until`; files as in the command line."""
    description = fmpy.read_model_description(fmu)
    experiment = description.defaultExperiment
    start, stop, step = (float(x) for x in (experiment.startTime, experiment.stopTime, experiment.stepSize))
    last = round(((stop if until is None else until) - start) / step)
    variables = {variable.name: variable for variable in description.modelVariables}
    table = Table(inputs)
    driven = [variables[name].valueReference for name in table.names]
    read = [variable for variable in description.modelVariables if variable.causality == "output"]
    kinds = {kind: [v.valueReference for v in read if v.type == kind] for kind in ("Real", "Integer", "Boolean")}

    folder = fmpy.extract(fmu)
    identifier = description.coSimulation.modelIdentifier
    instance = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier=identifier, instanceName="vehicle")
    get = {"Real": instance.getReal, "Integer": instance.getInteger, "Boolean": instance.getBoolean}

    def row(time):
        values = {kind: iter(get[kind](references)) for kind, references in kinds.items() if references}
        return [time] + [float(next(values[variable.type])) for variable in read]

    instance.instantiate()
    try:
        if start_state is None:
            index = 0
            instance.setupExperiment(startTime=start)
            instance.enterInitializationMode()
            instance.setReal(driven, table.values(start))
            instance.exitInitializationMode()
        else:
            with open(start_state, "rb") as file:
                (index,) = struct.unpack("<q", file.read(8))
                state = instance.deSerializeFMUstate(file.read())
            instance.setFMUstate(state)
            instance.freeFMUstate(state)
        time = start + index * step
        with open(outputs, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["time"] + [variable.name for variable in read])
            rows.writerow(row(time))
            while index < last:
                index, end = index + 1, start + (index + 1) * step
                instance.setRealInputDerivatives(driven, [1] * len(driven), table.slopes(time, end))
                instance.doStep(time, end - time)
                instance.setReal(driven, table.values(end))
                time = end
                rows.writerow(row(time))
        if save:
            state = instance.getFMUstate()
            with open(save, "wb") as file:
                file.write(struct.pack("<q", index) + bytes(instance.serializeFMUstate(state)))
            instance.freeFMUstate(state)
    finally:
        instance.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fmu")
    parser.add_argument("inputs", help="CSV file")
    parser.add_argument("outputs", help="CSV file")
    parser.add_argument("--until", type=float, metavar="TIME")
    parser.add_argument("--save", metavar="STATE")
    parser.add_argument("--from", dest="start_state", metavar="STATE")
    simulate(**vars(parser.parse_args()))
