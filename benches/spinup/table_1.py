"""Table I of Gutiérrez et al.: processor times of 15 s at 1 ms of its three models, and of the third with two axial modes, with the
paper's formulation (`augmented_lagrangian`) and with `generalized_alpha`.

    python3 benches/spinup/table_1.py [--program target/release/ballesta] [--repetitions 9] [--write]

Needs nothing but the program. Every time is the smallest of several runs, which alternate, less the smallest of runs that end
after one step: what starting and reading the model takes. --write puts the table and the sentences below it into docs/papers/gutierrez.md,
which has these figures nowhere else.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STOP, STEP = 15.0, 1e-3
FOLDER = Path("models/spinup_beam")
PAGE = Path("docs/papers/gutierrez.md")
MARK = "<!-- written by benches/spinup/table_1.py -->\n"
MODELS = [
    ("model 1", "paper_1.toml", 11.03),
    ("model 2", "paper_2.toml", 12.96),
    ("model 3", "paper_3.toml", 10.13),
    ("model 3, two axial modes", "paper_3_two_axial.toml", 16.01),
]
SOLVERS = ["augmented_lagrangian", "generalized_alpha"]


def run(*command):
    """Processor time of a command in s."""
    # The judgement of models 1 and 2, whose energy is not conserved (docs/flexible-beams.md), goes to stderr.
    # Opened for writing alone: subprocess.DEVNULL looks like a closed stdout to the program.
    with tempfile.TemporaryFile() as said, open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([str(part) for part in command], stdout=nothing, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"failed: {' '.join(map(str, command))}\n{said.read().decode()}")
    return usage.ru_utime + usage.ru_stime


def with_solver(folder, file, solver):
    """A copy of the model with another integrator; keys that belong to the old one are left out."""
    text = (folder / file).read_text()
    text = re.sub(r'(?m)^integrator = .*$', f'integrator = "{solver}"', text)
    if solver == "augmented_lagrangian":
        text = re.sub(r"(?m)^(spectral_radius|implicit|resolution) = .*\n", "", text)
    path = folder / f"{solver}_{file}"
    path.write_text(text)
    return path


def measure(program, repetitions):
    """One dictionary per model and solver."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(FOLDER, Path(scratch) / "spinup_beam"))
        cases = [(name, solver, paper, with_solver(folder, file, solver)) for name, file, paper in MODELS for solver in SOLVERS]
        best = [{"full": float("inf"), "start": float("inf")} for _ in cases]
        for _ in range(repetitions):
            for (_, _, _, path), found in zip(cases, best):
                for key, stop in [("full", STOP), ("start", STEP)]:
                    # No outputs on the way: the interval is the whole run.
                    seconds = run(program, "run", path, "--stop", stop, "--step", stop, "--internal-step", STEP)
                    found[key] = min(found[key], seconds)
        for (name, solver, paper, path), found in zip(cases, best):
            table = Path(scratch) / "out.csv"
            run(program, "run", path, "--stop", STOP, "--step", STEP, "--internal-step", STEP, "--csv", table)
            with open(table) as file:
                tip = min(float(row["tip.y"]) for row in csv.DictReader(file))
            found |= {"name": name, "solver": solver, "paper": paper, "tip": tip}
            found["seconds"] = found["full"] - found["start"]
    return best


def table(found):
    """Rows: model, both times with their part of model 1's and their ratio, least deflections, the paper; then what the text says of it."""
    head = ["", "`augmented_lagrangian`, s", "of model 1", "`generalized_alpha`, s", "of model 1", "ratio of both",
            "least deflection of both, m", "the paper, s", "of model 1"]
    lines = [head, ["---"] * len(head)]
    first = {one["solver"]: one["seconds"] for one in found if one["name"] == "model 1"}
    for name, _, paper in MODELS:
        pair = [next(one for one in found if (one["name"], one["solver"]) == (name, solver)) for solver in SOLVERS]
        cells = [name]
        for one in pair:
            cells += [f"{one['seconds']:.3f}", f"{one['seconds'] / first[one['solver']]:.2f}"]
        cells.append(f"{pair[0]['seconds'] / pair[1]['seconds']:.2f}")
        tips = ", ".join(f"{one['tip']:.5f}".replace("-", "−") for one in pair)
        lines.append([*cells, tips, f"{paper:.2f}", f"{paper / MODELS[0][2]:.2f}"])
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines) + "\n" + sentences(found)


def span(values, digits):
    """The least and the greatest of some values in words."""
    least, most = (f"{value:.{digits}f}".replace("-", "−") for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def sentences(found):
    """What follows from the times, as the text has it."""
    seconds = {(one["name"], one["solver"]): one["seconds"] for one in found}
    names = [name for name, _, _ in MODELS]
    paper = {name: seconds for name, _, seconds in MODELS}

    def more(one, other):
        return [100 * (seconds[one, solver] / seconds[other, solver] - 1) for solver in SOLVERS]

    def published(one, other):
        return 100 * (paper[one] / paper[other] - 1)

    ratio = [seconds[name, SOLVERS[0]] / seconds[name, SOLVERS[1]] for name in names]
    lines = [
        f"`augmented_lagrangian` takes {span(ratio, 2)} times as long as `generalized_alpha`.",
        f"Model 3 takes {span([-value for value in more(names[2], names[0])], 0)} % less than model 1 with the two solvers, in the "
        f"paper {-published(names[2], names[0]):.0f} % less.",
        f"Two axial modes make model 3 {span(more(names[3], names[2]), 0)} % slower, in the paper {published(names[3], names[2]):.0f} %.",
        f"The motion of {STOP:.0f} s lasts {span([STOP / value for value in seconds.values()], 0)} times as long as its computation.",
    ]
    return "".join(f"- {line}\n" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/release/ballesta"), help="ballesta")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE}")
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parents[2])
    text = table(measure(options.program.resolve(), options.repetitions))
    print(text, end="")
    if options.write:
        head, rest = PAGE.read_text().split(MARK)
        tail = rest[rest.index("<!-- end -->"):]
        PAGE.write_text(head + MARK + text + tail)


if __name__ == "__main__":
    main()
