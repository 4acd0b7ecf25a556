"""Goes on from a serialized FMU state in a process of its own; called by test_gallery.py.

    continue_state.py FOLDER MODEL STATE INDEX LAST RESULT.CSV

The instance has never been stepped, nor initialized: the state has all that is needed.
"""

import csv
import sys
from pathlib import Path
from types import SimpleNamespace

import fmpy

from instance import Instance


def main(folder, model, state, index, last, result):
    description = fmpy.read_model_description(str(Path(folder) / f"{model}.fmu"))
    experiment = description.defaultExperiment
    exported = SimpleNamespace(
        description=description,
        unpacked=Path(folder) / "unpacked",
        identifier=description.coSimulation.modelIdentifier,
        variables={variable.name: variable for variable in description.modelVariables},
        outputs=[variable.name for variable in description.modelVariables if variable.causality == "output"],
        start=float(experiment.startTime),
        step=float(experiment.stepSize),
    )
    with Instance(exported) as instance:
        instance.restore(Path(state).read_bytes())
        instance.time = instance.point(int(index))
        trajectory = instance.trajectory(first=int(index), last=int(last))
    with open(result, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time"] + trajectory.names)
        table.writerows([repr(value) for value in row] for row in trajectory.rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
