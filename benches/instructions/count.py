"""Instructions of evaluations, steps, outputs and steps with outputs, counted by valgrind's callgrind: they do not depend on how busy the machine is.

For every model the median over 21 evaluations, half a step ahead of where the loops were closed, and over the 21 steps that follow
(crates/tools/examples/instructions.rs), from the 20th step on, without trim; the same of all outputs, and of the steps with all outputs at the end of
each, as an FMU makes them. Counts belong to a version of the compiler and to a processor: valgrind
shows programs the instructions that the processor has.

    run.sh            prints the table
    run.sh --write    writes it into docs/performance.md
    run.sh --check    compares with docs/performance.md, and fails when a count rose by more than 2 %
    run.sh --closures prints what closing loops group by group instead of as whole blocks changes
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "peers"))
import generate

PAGE, BEGIN, END = Path("docs/performance.md"), "<!-- benches/instructions/run.sh -->\n", "<!-- end of benches/instructions/run.sh -->"
PROGRAM = "target/release/examples/instructions"
MODELS = ["van", "truck", "windows_10", "windows_40", "chain_50", "four_bar"]
CLOSURES = ["watt_six_bar", "andrews", "swash_plate", "windows_10", "windows_40", "linkage_train", "van", "truck"]
CALLS = 21
FUNCTIONS = ["evaluation", "step", "outputs", "complete_step"]
HEADING = "| model | evaluation | step | outputs | by evaluations | step with outputs | by step |\n|---|---|---|---|---|---|---|"
TOLERANCE = 0.02


def counts(name, *closure, functions=FUNCTIONS):
    """Of the functions."""
    with tempfile.TemporaryDirectory() as folder:
        kind, _, size = name.partition("_")
        model = f"models/{name}"
        if size.isdigit():
            model = f"{folder}/model.toml"
            Path(model).write_text(generate.KINDS[kind](int(size)))
        return [count(function, [model, *closure], folder) for function in functions]


def count(function, model, folder):
    """Median of the instructions of a call of a function of the program."""
    name = f"instructions::{function}"
    options = ["--tool=callgrind", f"--callgrind-out-file={folder}/{function}", "--combine-dumps=no", "--collect-atstart=no"]
    options += [f"--toggle-collect={name}", f"--dump-after={name}"]
    subprocess.run(["valgrind", "--quiet", *options, PROGRAM, *model], check=True, stdout=open(os.devnull, "w"))
    totals = []
    for file in Path(folder).glob(f"{function}.*"):
        totals += [int(words) for words in re.findall(r"^totals: (\d+)", file.read_text(), re.M)]
    totals = [total for total in totals if total > 0]
    assert len(totals) == CALLS, f"{model}: {len(totals)} calls of {name} were counted"
    return round(statistics.median(totals))


def grouped(number):
    return f"{number:,}".replace(",", " ")


def recorded():
    """The table of the page: model → counts; quotients have a point."""
    rows = {}
    for line in PAGE.read_text().split(BEGIN)[1].split(END)[0].splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = [int(cell.replace(" ", "")) for cell in cells[1:] if "." not in cell]
    return rows


def row(name, found):
    evaluation, step, outputs, complete = found
    cells = [grouped(evaluation), grouped(step), grouped(outputs), f"{outputs / evaluation:.2f}", grouped(complete), f"{complete / step:.2f}"]
    return f"| {name} | " + " | ".join(cells) + " |"


def print_closures():
    print("| model | evaluation, whole blocks | in pieces | | step, whole blocks | in pieces | |\n|---|---|---|---|---|---|---|")
    for name in CLOSURES:
        cells = []
        for whole, pieces in zip(*(counts(name, how, functions=FUNCTIONS[:2]) for how in ("whole", "pieces"))):
            cells += [grouped(whole), grouped(pieces), f"{100 * (pieces / whole - 1):+.1f} %".replace("-", "−")]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--closures", action="store_true")
    options = parser.parse_args()
    if options.closures:
        return print_closures()
    lines = [HEADING]
    before = recorded() if options.check else {}
    failed = False
    for name in options.models:
        found = counts(name)
        lines.append(row(name, found))
        for what, new, old in zip(FUNCTIONS, found, before.get(name, [])):
            change = new / old - 1
            print(f"{name}: {what} {grouped(old)} -> {grouped(new)}, {100 * change:+.2f} %", flush=True)
            failed |= change > TOLERANCE
        if not options.check:
            print(lines[-1], flush=True)
    if options.write:
        head, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])
    if failed:
        sys.exit(f"error: a count rose by more than {100 * TOLERANCE:g} %")


if __name__ == "__main__":
    main()
