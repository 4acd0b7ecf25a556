"""Evaluations and steps of our models beside MuJoCo and Pinocchio, which compute models made from the same files.

mechanism.py says what is left out on all sides so that the models are the same, in_mujoco.py and in_pinocchio.py how they are built
there. Rods: massless distances with half the mass at either end for MuJoCo and for ballesta beside it; slender bodies with their exact
inertia for Pinocchio and for ballesta beside that.

Every model starts in its design position; vehicles fly freely, tumble and turn their wheels, without tyres. First the accelerations
of all bodies are compared at the start. Then all programs are timed by turns in rounds, each a number of short batches, of which the median
is taken; ballesta reports medians of its own, of every step and evaluation. The quietest round of each counts. Last the energy and the gaps of the
loops are followed through a motion with undamped springs.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import in_mujoco
import in_pinocchio
import picture
from mechanism import expand, generated

FOLDER = Path("target/bench-peers")
MODELS = ["van", "truck", "windows_10", "windows_40", "windows_200", "chain_10", "chain_50", "chain_200"]
# Names of a one-evaluation integrator, the first that the program knows is measured.
ONE_EVALUATION = ["generalized_alpha"]
BATCH = 3e-4  # s
EXACT, MASSLESS = "exact rods", "massless rods"


PATIENCE = 60  # s that ballesta may take to read, assemble and run a model before it is left out


def run(program, *arguments, timeout=None):
    command = [program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=timeout).stdout


def load(program, name):
    kind, _, count = name.partition("_")
    path = FOLDER / "flat" / f"{name}.toml"
    return generated(kind, int(count), path) if count else expand(program, f"models/{name}", path)


class Ours:
    """A mechanism written as a model file and measured by `ballesta bench` and `run`."""

    def __init__(self, program, mechanism, label, integrator="rk4"):
        self.program, self.mechanism, self.integrator = program, mechanism, integrator
        self.path = FOLDER / "models" / f"{mechanism.name}_{label.replace(' ', '_')}_{integrator}.toml"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        mechanism.write(self.path, integrator)

    def accepted(self):
        return subprocess.run([self.program, "check", self.path], capture_output=True).returncode == 0

    def bench(self, steps):
        return json.loads(run(self.program, "bench", self.path, "--steps", steps, "--json"))

    def start(self):
        """Twists of all bodies at the start, by name, and their accelerations."""
        printed = run(self.program, "run", self.path, "--stop", "0.001", "--csv", "-", timeout=PATIENCE)
        names, row = list(csv.reader(printed.splitlines()))[:2]
        values = dict(zip(names, map(float, row)))
        twists, accelerations = {}, []
        for i, body in enumerate(self.mechanism.moving()):
            vector = lambda quantity: np.array([values[f"b{i}.{quantity}.{axis}"] for axis in "xyz"])
            assert np.allclose(vector("position"), body.com, atol=1e-9), f"{body.name} does not start where it is designed"
            twists[body.name] = (vector("velocity"), vector("angular_velocity"))
            accelerations.append(np.concatenate([vector("acceleration"), vector("angular_acceleration")]))
        return twists, np.array(accelerations)

    def flight(self, duration):
        printed = run(self.program, "run", self.path, "--stop", duration, "--step", "0.01", "--csv", "-")
        rows = list(csv.DictReader(printed.splitlines()))
        energies = [float(row["energy_balance"]) for row in rows]
        return max(float(row["gap"]) for row in rows), max(abs(energy - energies[0]) for energy in energies)


def difference(ours, theirs):
    """Largest difference over all bodies, relative to the largest acceleration; 1 rad counts as 1 m."""
    return float(np.abs(ours - theirs).max() / np.abs(ours).max())


def repeat(batch, seconds):
    """Results of at least three batches, for about `seconds`."""
    found, end = [], time.perf_counter() + seconds
    while len(found) < 3 or time.perf_counter() < end:
        found.append(batch())
    return found


def measure(options, name):
    """Everything about one model, as a dictionary."""
    exact = load(options.program, name)
    if exact.springs:
        exact.tumbling()
    massless = exact.massless_rods()
    variants = {EXACT: exact, MASSLESS: massless} if exact.rods else {EXACT: exact}
    ours = {label: Ours(options.program, mechanism, label) for label, mechanism in variants.items()}
    same = MASSLESS if exact.rods else EXACT
    twists, accelerations = ours[same].start()
    twists_exact, accelerations_exact = ours[EXACT].start()
    one = [Ours(options.program, variants[same], same, integrator) for integrator in ONE_EVALUATION]
    one = [candidate for candidate in one if candidate.accepted()][:1]

    rk4 = in_mujoco.fastest(variants[same], twists, "RK4")
    fast = in_mujoco.fastest(variants[same], twists, "implicitfast")
    pinocchio = in_pinocchio.Peer(exact, twists_exact)
    first = ours[same].bench(300)
    found = {
        "model": name,
        "dof": first["dof"],
        "coordinates": first["coordinates"],
        "mujoco": {"coordinates": rk4.model.nv, "rows": int(rk4.data.nefc), "settings": [rk4.settings, fast.settings]},
        "pinocchio": {"coordinates": pinocchio.model.nv, "rows": 3 * len(pinocchio.closures)},
        "notes": exact.notes,
        "springs": len(exact.springs) + len(exact.joint_springs),
        "rods": len(exact.rods),
        "difference": {
            "mujoco": difference(accelerations, rk4.accelerations()),
            "mujoco model": difference(accelerations, rk4.accelerations(rigid=True)),
            "pinocchio": difference(accelerations_exact, pinocchio.accelerations()),
        },
    }

    samples = {}
    timed = {
        "mujoco evaluation": rk4.evaluation(BATCH),
        "mujoco rk4 step": rk4.batch(BATCH),
        "mujoco implicitfast step": fast.batch(BATCH),
        "pinocchio evaluation": pinocchio.evaluation(BATCH),
    }
    if exact.springs:
        bare = in_mujoco.Peer(variants[same].springless(), twists, **rk4.settings)
        timed["mujoco evaluation without springs"] = bare.evaluation(BATCH)
    # As long as 0.2 s of steps, so that ballesta's rounds are as long as the others'.
    steps = max(30, min(20_000, int(options.round / (first["step_us"]["p50"] * 1e-6 * 1.3))))
    for _ in range(options.rounds):
        for label, model in [*ours.items(), *((f"{label.integrator}", label) for label in one)]:
            report = model.bench(steps)
            samples.setdefault(f"ours {label} step", []).append(report["step_us"]["p50"])
            samples.setdefault(f"ours {label} evaluation", []).append(report["evaluation_in_a_row_us"]["p50"])
        for label, batch in timed.items():
            # The steps of the same peer come in between: evaluations are those of the start.
            rk4.reset()
            samples.setdefault(label, []).append(statistics.median(repeat(batch, options.round / 4)))
    found["us"] = {label: min(medians) for label, medians in samples.items()}
    found["rounds_us"] = samples
    found["same"] = same
    found["one"] = one[0].integrator if one else None

    flights = {}
    calm = {label: mechanism.undamped() for label, mechanism in variants.items()}
    duration = found["duration"] = 10.0 if name in ("windows_10", "windows_40") else 1.0
    flights["ours rk4"] = Ours(options.program, calm[same], f"{same} undamped").flight(duration)
    for candidate in one:
        model = Ours(options.program, calm[same], f"{same} undamped", candidate.integrator)
        flights[f"ours {candidate.integrator}"] = model.flight(duration)
    for label, peer in [("rk4", rk4), ("implicitfast", fast)]:
        flights[f"mujoco {label}"] = in_mujoco.Peer(calm[same], twists, **peer.settings).flight(duration)
    flights["pinocchio rk4"] = in_pinocchio.Peer(calm[EXACT], twists_exact).flight(duration)
    found["gap_m"] = {label: gap for label, (gap, _) in flights.items()}
    found["energy_J"] = {label: energy for label, (_, energy) in flights.items()}
    return found


def number(value, digits=3):
    if not np.isfinite(value):
        return "diverges"
    return f"{value:.{digits}g}" if 1e-3 <= abs(value) < 1e4 else f"{value:.0e}".replace("e-0", "e-")


def tables(results):
    """The Markdown of docs/performance.md."""
    lines = ["| model | DoF | ballesta µs | MuJoCo µs | | MuJoCo without springs µs | ballesta, rods with mass µs | Pinocchio µs | |"]
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        us = r["us"]
        ours, exact = us[f"ours {r['same']} evaluation"], us[f"ours {EXACT} evaluation"]
        theirs, pinocchio = us["mujoco evaluation"], us["pinocchio evaluation"]
        massive = number(exact) if r["rods"] else ""
        bare = us.get("mujoco evaluation without springs")
        bare = number(bare) if bare else ""
        lines.append(
            f"| {r['model']} | {r['dof']} | {number(ours)} | {number(theirs)} | {theirs / ours:.2f} | {bare} | "
            f"{massive} | {number(pinocchio)} | {pinocchio / exact:.2f} |"
        )
    one = next((r["one"].replace("_", " ") for r in results if r["one"]), "one evaluation")
    lines += ["", f"| model, motion | ballesta, RK4 | MuJoCo, RK4 | Pinocchio, RK4 | ballesta, {one} | MuJoCo, implicitfast |"]
    lines += ["|---|---|---|---|---|---|"]
    for r in results:
        us = r["us"]
        steps = [(us[f"ours {r['same']} step"], "ours rk4"), (us["mujoco rk4 step"], "mujoco rk4")]
        steps += [(4 * us["pinocchio evaluation"], "pinocchio rk4")]
        steps += [(us[f"ours {r['one']} step"], f"ours {r['one']}") if r["one"] else None]
        steps += [(us["mujoco implicitfast step"], "mujoco implicitfast")]
        # Steps of 1 ms: µs per step are ms per simulated second.
        cells = [f"{entry[0]:.1f}; {number(r['energy_J'][entry[1]], 1)}" if entry else "" for entry in steps]
        lines.append(f"| {r['model']}, {r['duration']:g} s | {' | '.join(cells)} |")
    gaps = [(label, gap) for r in results if r["mujoco"]["rows"] > 0 for label, gap in r["gap_m"].items() if np.isfinite(gap)]
    widest = lambda program: number(max((gap for label, gap in gaps if label.startswith(program)), default=0.0), 1)
    found = lambda key: f"{max(r['difference'][key] for r in results):.0e}".replace("e-0", "e-")
    lines += [
        "",
        f"- **Largest gap**, m: ballesta {widest('ours')}, MuJoCo {widest('mujoco')}, Pinocchio {widest('pinocchio')} "
        "where it does not diverge.",
        f"- **Accelerations at the start**, difference from ballesta: Pinocchio {found('pinocchio')}, "
        f"MuJoCo's model {found('mujoco model')}, MuJoCo {found('mujoco')}.",
    ]
    notes = [f"- **{r['model']}**: {r['springs']} springs, {r['rods']} rods; {'; '.join(r['notes'])}." for r in results if r["notes"]]
    lines += notes
    return "\n".join(lines) + "\n"


def insert(page, mark, text):
    """Puts text between the marks of a page."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    before, rest = page.read_text().split(begin)
    written = before + begin + text + end + rest.split(end)[1]
    with tempfile.NamedTemporaryFile("w", dir=page.parent, delete=False) as file:
        file.write(written)
    os.chmod(file.name, page.stat().st_mode)
    os.replace(file.name, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/fmu/ballesta"), help="ballesta")
    parser.add_argument("--models", nargs="+", default=MODELS, help="van, truck, windows_N, chain_N")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--round", type=float, default=0.2, help="s of each program in a round")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and its picture")
    options = parser.parse_args()
    options.program = options.program.resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = []
    for name in options.models:
        try:
            results.append(measure(options, name))
        except subprocess.TimeoutExpired:
            print(f"{name}: left out, ballesta takes more than {PATIENCE} s to load it", flush=True)
            continue
        print(tables(results[-1:]), flush=True)
        (FOLDER / "results.json").write_text(json.dumps(results, indent=1))
    (FOLDER / "table.md").write_text(tables(results))
    picture.dots(results, FOLDER / "peers.svg")
    if options.write:
        insert(Path("docs/performance.md"), "benches/peers/run.sh", tables(results))
        picture.dots(results, Path("docs/pictures/performance_peers.svg"))


if __name__ == "__main__":
    main()
