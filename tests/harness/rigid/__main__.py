"""Random rigid mechanisms beside the evaluation in absolute coordinates and beside their own changed forms, in numbers:

    python tests/harness/rigid --laws 600 --changes 1000 --vehicles 100 --program target/release/ballesta
    python tests/harness/rigid --changes 1 --first 17 --program target/release/ballesta

A file of every mechanism that fails is left in the folder that is named."""

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rigid import trial

LAW, CHANGE = 1e-9, 1e-7


def one(job):
    kind, number, program, folder = job
    try:
        if kind == "law":
            (error, of, time), model, file = trial.law(number, program, folder)
            return kind, number, model["_class"], {"law": (error, of, time, file)}, None
        found, model, file = trial.changes(number, program, folder, kind == "vehicle")
        return kind, number, model["_class"], {name: (*worst, other) for name, (worst, other) in found.items()}, None
    except Exception as error:  # Whatever goes wrong is a failure of its mechanism.
        return kind, number, "", {}, f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--laws", type=int, default=0)
    parser.add_argument("--changes", type=int, default=0)
    parser.add_argument("--vehicles", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--program", type=Path, required=True)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="rigid_"))
    program = arguments.program.resolve()
    jobs = [("law", n, program, folder) for n in range(arguments.first, arguments.first + arguments.laws)]
    jobs += [("change", n, program, folder) for n in range(arguments.first, arguments.first + arguments.changes)]
    jobs += [("vehicle", n, program, folder) for n in range(arguments.first, arguments.first + arguments.vehicles)]
    largest, failures, counts = {}, 0, {}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for kind, number, name, found, failure in pool.map(one, jobs, chunksize=2):
            bad = [failure] if failure else []
            for change, (error, of, time, file) in found.items():
                counts[kind, name] = counts.get((kind, name), 0) + 1
                if not error <= largest.get(change, (0.0,))[0]:
                    largest[change] = (error, number, of)
                if not error <= (LAW if kind == "law" else CHANGE):
                    bad.append(f"{change}: off by {error:.1e}: {of} at {time} s; {file}")
            for line in bad:
                print(kind, number, line, flush=True)
            failures += bool(bad)
    for change, (error, number, of) in largest.items():
        print(f"{change}: {error:.1e} at most, of {of} in {number}")
    print(counts)
    print(f"{failures} of {len(jobs)} fail; {folder}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
