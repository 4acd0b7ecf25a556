"""One job of an array: runs its share of a table of parameter sets with an FMU, and writes a row per run.

    pip install fmpy
    ballesta export models/bushing_mount -o mount.fmu
    python examples/array_job.py run mount.fmu design.csv --job 0 --jobs 4 --out rows
    python examples/array_job.py collect design.csv result.csv --out rows

The table has a header with names of parameters and inputs of the FMU, and a row per run. Job i of n makes the runs i, i + n, i + 2n …, and
writes `rows/job_0000i.csv` whole or not at all, so that a job that was ended is simply started again: one whose file is there does nothing.
A row has the number of the run, what was set, the final value, the smallest and the largest of every Real output, and why the run stopped,
if it did. `collect` puts the rows in the order of the runs, and says which jobs are missing. Results are the same for any number of jobs.
"""

import argparse
import csv
import os
import shutil
import sys
from pathlib import Path

FIGURES = ("final", "min", "max")


def read_design(path):
    """Names and rows of numbers of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return names, [[float(text) for text in row] for row in rows]


def run_share(fmu, design, job, jobs, folder):
    """Makes the runs of one job."""
    import fmpy
    from fmpy.fmi2 import FMU2Slave

    target = folder / f"job_{job:05d}.csv"
    if target.exists():
        return
    names, rows = read_design(design)
    description = fmpy.read_model_description(fmu)
    variables = {variable.name: variable for variable in description.modelVariables}
    unknown = [name for name in names if name not in variables]
    if unknown:
        sys.exit(f"{design}: the FMU has no {', '.join(unknown)}")
    outputs = [v for v in description.modelVariables if v.causality == "output" and v.type == "Real"]
    experiment = description.defaultExperiment
    start, stop, step = (float(x) for x in (experiment.startTime, experiment.stopTime, experiment.stepSize))
    steps = round((stop - start) / step)

    unpacked = fmpy.extract(fmu)
    instance = FMU2Slave(
        guid=description.guid, unzipDirectory=unpacked, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="job"
    )
    instance.instantiate()
    references = [output.valueReference for output in outputs]

    def simulate(values):
        """Final, least and largest value of every output; the time at which the run stopped early, or nothing."""
        instance.setupExperiment(startTime=start, stopTime=stop)
        instance.setReal([variables[name].valueReference for name in names], values)
        instance.enterInitializationMode()
        instance.exitInitializationMode()
        now = instance.getReal(references)
        least, most = list(now), list(now)
        for k in range(steps):
            time = start + k * step
            try:
                instance.doStep(time, step)
            except Exception:
                return now, least, most, f"stopped at {time:g} s"
            now = instance.getReal(references)
            least, most = [*map(min, least, now)], [*map(max, most, now)]
        return now, least, most, ""

    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{target.name}.{os.getpid()}"
    try:
        with open(partial, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["run", *names, *(f"{o.name}.{figure}" for o in outputs for figure in FIGURES), "reason"])
            for run in range(job, len(rows), jobs):
                final, least, most, reason = simulate(rows[run])
                figures = [value for three in zip(final, least, most) for value in three]
                table.writerow([run, *map(repr, rows[run]), *map(repr, figures), reason])
                instance.reset()
        partial.replace(target)
    finally:
        instance.freeInstance()
        shutil.rmtree(unpacked, ignore_errors=True)
        partial.unlink(missing_ok=True)


def collect(design, result, folder):
    """Puts the rows of all jobs together, in the order of the runs."""
    rows, header = {}, None
    for path in sorted(folder.glob("job_*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            header, *found = csv.reader(file)
            rows.update((int(row[0]), row) for row in found)
    missing = [run for run in range(len(read_design(design)[1])) if run not in rows]
    if missing:
        sys.exit(f"{len(missing)} runs are missing, the first of them run {missing[0]}: start the jobs that have left no file in {folder} again")
    with open(result, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *(rows[run] for run in sorted(rows))])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="the runs of one job")
    run.add_argument("fmu", type=Path)
    run.add_argument("design", type=Path)
    run.add_argument("--job", type=int, required=True, help="from 0 on")
    run.add_argument("--jobs", type=int, required=True)
    run.add_argument("--out", type=Path, default=Path("rows"), help="folder of the rows")
    together = commands.add_parser("collect", help="one table of all jobs")
    together.add_argument("design", type=Path)
    together.add_argument("result", type=Path)
    together.add_argument("--out", type=Path, default=Path("rows"), help="folder of the rows")
    typed = parser.parse_args()
    if typed.command == "collect":
        collect(typed.design, typed.result, typed.out)
    elif not 0 <= typed.job < typed.jobs:
        parser.error(f"--job {typed.job}: expected 0 to {typed.jobs - 1}")
    else:
        run_share(typed.fmu, typed.design, typed.job, typed.jobs, typed.out)


if __name__ == "__main__":
    main()
