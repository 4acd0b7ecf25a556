"""Cost of an evaluation over the size: four-bar linkages with N windows and open chains of N links, ballesta, MuJoCo and Pinocchio.

Motions start as in compare.py, which has the same programs by turns; here each size is measured in turn.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

import in_mujoco
import in_pinocchio
import picture
from compare import BATCH, EXACT, FOLDER, PATIENCE, Ours, insert, load, number, repeat

SIZES = {"windows": [2, 5, 10, 20, 40, 80, 120, 200], "chain": [5, 10, 20, 50, 100, 150, 200]}
# Sizes in the table of the page; the picture has all.
SHOWN = {"windows": [2, 10, 40, 200], "chain": [5, 20, 50, 200]}
HEADINGS = {"windows": "Four-bar linkages with N windows, 2N + 1 links", "chain": "Open chains of N links"}
NAMES = ["ballesta", "MuJoCo", "Pinocchio"]


def measure(options, name):
    mechanism = load(options.program, name)
    ours = Ours(options.program, mechanism, EXACT)
    twists, _ = ours.start()
    batches = [in_mujoco.fastest(mechanism, twists, "RK4").evaluation(BATCH), in_pinocchio.Peer(mechanism, twists).evaluation(BATCH)]
    step = ours.bench(30)["step_us"]["p50"]
    steps = max(20, min(20_000, int(options.round / (step * 1e-6 * 1.3))))
    samples = [[], [], []]
    for _ in range(options.rounds):
        samples[0].append(ours.bench(steps)["evaluation_in_a_row_us"]["p50"])
        for kept, batch in zip(samples[1:], batches):
            kept.append(statistics.median(repeat(batch, options.round)))
    return [min(medians) for medians in samples]


def table(found):
    lines = []
    for kind, sizes in found.items():
        lines += ["| " + HEADINGS[kind].replace(" N ", " *N* ") + " | " + " | ".join(NAMES) + " | MuJoCo / ballesta |", "|---|---|---|---|---|"]
        for n, values in sizes:
            if n not in SHOWN[kind]:
                continue
            lines.append(f"| {n} | " + " | ".join(number(value) for value in values) + f" | {values[1] / values[0]:.2f} |")
        slopes = [picture.slope([(n, values[k]) for n, values in sizes]) for k in range(3)]
        lines += ["| exponent at the end | " + " | ".join(f"{slope:.2f}" for slope in slopes) + " | |", ""]
    return "\n".join(lines[:-1]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/fmu/ballesta"), help="ballesta")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--round", type=float, default=0.1, help="s of each program in a round")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and its picture")
    options = parser.parse_args()
    options.program = options.program.resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {}
    for kind, sizes in SIZES.items():
        for n in sizes:
            try:
                values = measure(options, f"{kind}_{n}")
            except subprocess.TimeoutExpired:
                print(f"{kind} {n}: left out, ballesta takes more than {PATIENCE} s to load it", flush=True)
                break
            found.setdefault(kind, []).append((n, values))
            print(kind, n, *(f"{name} {value:.3g} µs" for name, value in zip(NAMES, values)), flush=True)
    (FOLDER / "curve.json").write_text(json.dumps(found, indent=1))
    panels = [
        (HEADINGS[kind], {name: [(n, values[k]) for n, values in sizes] for k, name in enumerate(NAMES)})
        for kind, sizes in found.items()
    ]
    picture.curves(panels, FOLDER / "curve.svg")
    (FOLDER / "curve.md").write_text(table(found))
    if options.write:
        insert(Path("docs/performance.md"), "benches/peers/run.sh curve", table(found))
        picture.curves(panels, Path("docs/pictures/performance_curve.svg"))


if __name__ == "__main__":
    main()
