"""Random models with every table of the format beside their mirrored, turned, reordered, fully written and renamed forms, in numbers:

    python tests/harness/metamorphic --models 2000 -j 2 --program target/release/ballesta
    python tests/harness/metamorphic --cells --program target/release/ballesta
    python tests/harness/metamorphic --models 1 --first 17 --program target/release/ballesta

The files of every model that fails are left in the folder that is named."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metamorphic import trial

# Of so many models each table of the format has to be drawn so often.
MANY, OFTEN = 2000, 20


def tables_of_the_format(program):
    """Names of all tables of a model file, from the schema that the program prints."""
    return json.loads(subprocess.run([program, "schema", "model"], capture_output=True, check=True, text=True).stdout)["properties"]


def one(job):
    """Tables of a model, its last comparable point, and per form the largest difference and what it is of."""
    number, what, program, folder = job
    label = str(number) if what is None else f"{number} {' '.join(what)}"
    try:
        model, seed = trial.drawn(number) if what is None else trial.cell(*what, number)
        run = trial.Trial(number, seed, model, program, folder)
        tables = {key: 1 if isinstance(value, dict) else len(value) for key, value in model.items() if not key.startswith("_")}
        if run.base.values is None:
            return label, tables, None, {"base": (float("inf"), f"exit code {run.base.code}: {run.base.messages[:300]}")}
        last = run.horizon()
        found = run.forms(last, what is not None)
        for name in found:
            # What the forms add.
            tables["use"] = tables.get("use", 0) + ("mirrored" in name or "framed" in name)
            tables["frame"] = tables.get("frame", 0) + 2 * ("frame" in name)
        if all(error <= trial.AGREEMENT for error, _ in found.values()):
            shutil.rmtree(folder / str(number))
        return label, tables, last, found
    except Exception as error:  # Whatever goes wrong is a failure of its model.
        return label, {}, None, {"trial": (float("inf"), f"{type(error).__name__}: {error}")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=0)
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--program", type=Path, required=True)
    arguments = parser.parse_args()
    folder, program = Path(tempfile.mkdtemp(prefix="metamorphic_")), arguments.program.resolve()
    jobs = [(number, None, program, folder) for number in range(arguments.first, arguments.first + arguments.models)]
    jobs += [(number, what, program, folder) for number, what in enumerate(trial.cells()) if arguments.cells]
    tables, largest, compared, failures, short = Counter(), {}, Counter(), [], 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for label, counts, last, found in pool.map(one, jobs, chunksize=4):
            tables.update(counts)
            short += last is not None and last < trial.STEPS // 4
            for name, (error, of) in found.items():
                compared[name] += 1
                if not error <= trial.AGREEMENT:
                    failures.append(label)
                    print(f"{label}: {name}: {of}" + (f" off by {error:.1e}" if error < float("inf") else ""), flush=True)
                elif error > largest.get(name, (0.0,))[0]:
                    largest[name] = (error, of, label)
    print("\nTable and how often it was drawn")
    tables.update({name: 0 for name in tables_of_the_format(program)})
    for name, count in sorted(tables.items()):
        print(f"  {name:18} {count}")
    rare = [name for name, count in tables.items() if count < OFTEN]
    if arguments.models >= MANY and rare:
        failures.append("tables")
        print(f"drawn less than {OFTEN} times: {', '.join(sorted(rare))}")
    print("\nForm, how many, largest difference of those that agree")
    for name, count in compared.items():
        error, of, label = largest.get(name, (0.0, None, ""))
        print(f"  {name:22} {count:6} {error:9.1e}  {of} in {label}")
    print(f"\n{len(set(failures))} of {len(jobs)} models fail; {short} without a time in which a change of the start by 1e-12 stays below 1e-8; {folder}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
