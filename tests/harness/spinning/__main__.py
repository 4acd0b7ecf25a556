"""Random bodies that turn, in numbers:

    python tests/harness/spinning --count 100 -j 2 --program target/release/ballesta"""

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from spinning import trial


def one(job):
    kind, number, program = job
    with tempfile.TemporaryDirectory(prefix="spinning_") as folder:
        try:
            return kind, number, trial.KINDS[kind](number, program, Path(folder)), None
        except Exception as error:  # Whatever goes wrong is a failure of its body.
            return kind, number, None, f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kind", choices=list(trial.KINDS), action="append")
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--program", type=Path, required=True)
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.count)
    jobs = [(kind, n, arguments.program.resolve()) for kind in arguments.kind or trial.KINDS for n in numbers]
    largest, failures = {}, {}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for kind, number, error, failure in pool.map(one, jobs):
            failed = failure is not None or not error <= trial.AGREEMENT[kind]
            failures[kind] = failures.get(kind, 0) + failed
            if failed:
                print(kind, number, failure or f"off by {error:.1e}", flush=True)
            if failure is None and not error <= largest.get(kind, (0.0,))[0]:
                largest[kind] = (error, number)
    for kind, count in failures.items():
        error, number = largest.get(kind, (float("nan"), None))
        print(f"{kind}: {count} of {arguments.count} disagree, at most {error:.1e} ({number})")
    return any(failures.values())


if __name__ == "__main__":
    sys.exit(main())
