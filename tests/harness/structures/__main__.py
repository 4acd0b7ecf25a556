"""Random structures beside PyNite, in numbers:

    python tests/harness/structures --count 300 -j 2 --program target/release/ballesta"""

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from structures import trial


def one(job):
    number, program, folder = job
    try:
        found, file = trial.structure(number, program, folder)
        return number, found, file, None
    except Exception as error:  # Whatever goes wrong is a failure of its structure.
        return number, {}, None, f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--program", type=Path, required=True)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="structures_"))
    jobs = [(n, arguments.program.resolve(), folder) for n in range(arguments.first, arguments.first + arguments.count)]
    largest, failures = {}, 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for number, found, file, failure in pool.map(one, jobs, chunksize=2):
            bad = [failure] if failure else []
            for kind, error in found.items():
                if not error <= largest.get(kind, (0.0,))[0]:
                    largest[kind] = (error, number)
                if not error <= trial.AGREEMENT:
                    bad.append(f"{kind}: off by {error:.1e}; {file}")
            for line in bad:
                print(number, line, flush=True)
            failures += bool(bad)
    for kind, (error, number) in largest.items():
        print(f"{kind}: {error:.1e} at most, in {number}")
    print(f"{failures} of {arguments.count} structures disagree")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
