"""FMUs in hosts that are not kind: other floating-point environments, a small stack, little memory. As a program it prints a table of the whole gallery."""

import argparse
import itertools
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy

import gallery

# Stack that an instance needs at most, from instantiation to the last step, KiB, as in docs/importers.md.
STACK_KIB = 64
# Room beside the present size of the address space, MiB.
ROOMS_MIB = (150, 75, 20, 10, 5, 1)
ENVIRONMENTS = ["".join(parts) for parts in itertools.product(("nearest", "down", "up", "zero"), ("", "+flush"), ("", "+trap"))]
MEMORY = [f"memory={1024 * room}" for room in ROOMS_MIB]
STACK = f"stack={STACK_KIB}"
PLAIN = ENVIRONMENTS[0]
SCENARIOS = ENVIRONMENTS + [STACK] + MEMORY
# Outcomes in little memory.
SAME, REFUSED = "same bits", "NULL and a message"


def models():
    """All models of the gallery, the variants beside `model.toml` too, by their paths in `models`."""
    files = sorted((gallery.ROOT / "models").rglob("*.toml"))
    return [path.relative_to(gallery.ROOT / "models") for path in files if "\n[model]\n" in "\n" + path.read_text(encoding="utf-8")]


def compile_host():
    """The program of hosts.c."""
    binary = gallery.SCRATCH / "hosts"
    binary.parent.mkdir(parents=True, exist_ok=True)
    headers = Path(fmpy.__file__).parent / "c-code"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", headers,
                    gallery.ROOT / "tests" / "harness" / "hosts.c", "-o", binary, "-ldl", "-lm", "-lpthread"], check=True)
    return binary


class Outcome:
    """What a scenario came to: its result, the digest of all outputs, and the last of `count` messages."""

    def __init__(self, line):
        self.scenario, self.result, self.digest, count, self.message = line.rstrip("\n").split("\t")
        self.count = int(count)


def simulate(host, model, scenarios, steps, library=None):
    """The outcomes of the scenarios for a model of the gallery or of elsewhere, over `steps` communication steps at most."""
    folder = gallery.SCRATCH / "hosts_of" / "_".join(model.with_suffix("").parts).lstrip("/_")
    folder.mkdir(parents=True, exist_ok=True)
    choice = [] if library is None else ["--library", f"linux64={library}"]
    gallery.call(gallery.PROGRAM, "export", gallery.ROOT / "models" / model, "-o", folder / "model.fmu", "--no-reference", *choice)
    with zipfile.ZipFile(folder / "model.fmu") as archive:
        archive.extractall(folder)
    description = fmpy.read_model_description(str(folder / "model.fmu"))
    experiment = description.defaultExperiment
    start, stop, step = (float(value) for value in (experiment.startTime, experiment.stopTime, experiment.stepSize))
    outputs = [variable for variable in description.modelVariables if variable.causality == "output"]
    references = (",".join(str(v.valueReference) for v in outputs if v.type == kind) or "-" for kind in ("Real", "Integer", "Boolean"))
    library = folder / "binaries" / "linux64" / f"{description.coSimulation.modelIdentifier}.so"
    command = [host, library, description.guid, (folder / "resources").as_uri(), repr(start), repr(step),
               min(steps, round((stop - start) / step)), *references, *scenarios]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          errors="replace")  # The program cuts messages at a byte.
    assert done.returncode == 0, done.stderr
    return {outcome.scenario: outcome for outcome in map(Outcome, done.stdout.splitlines())}


def verdict(outcome, plain):
    """In words; the good ones are SAME, and in little memory REFUSED."""
    if outcome.result == "ok":
        return SAME if outcome.digest == plain.digest else "other bits"
    if outcome.result == "null" and outcome.scenario.startswith("memory=") and "memory" in outcome.message:
        return REFUSED
    return f"{outcome.result} {outcome.message}".strip()


def faults(outcomes):
    """What is wrong, a line each."""
    plain = outcomes[PLAIN]
    found = [f"{PLAIN}: {plain.result} {plain.message}"] if plain.result != "ok" else []
    words = {scenario: verdict(outcome, plain) for scenario, outcome in outcomes.items()}
    return found + [f"{scenario}: {word}" for scenario, word in words.items() if word not in (SAME, REFUSED)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10**9, help="communication steps of each model at most")
    parser.add_argument("--library", type=Path, help="the library in place of that of the build")
    parser.add_argument("--only", default="", help="models with this in their paths")
    options = parser.parse_args()
    host = compile_host()
    bad = 0
    print("model, stack used (bytes), growth of the address space (KiB), environments with the same bits,",
          f"{STACK_KIB} KiB stack, memory at +{', '.join(map(str, ROOMS_MIB))} MiB (= same bits, 0 NULL and a message, X fault)", sep="\n")
    for model in models():
        if options.only not in str(model):
            continue
        outcomes = simulate(host, model, SCENARIOS, options.steps, options.library)
        sizes = simulate(host, model, ["used", "need"], 1, options.library)
        plain = outcomes[PLAIN]
        same = sum(verdict(outcomes[scenario], plain) == SAME for scenario in ENVIRONMENTS)
        signs = "".join({SAME: "=", REFUSED: "0"}.get(verdict(outcomes[scenario], plain), "X") for scenario in MEMORY)
        print(f"{str(model):40} {sizes['used'].result:>8} {sizes['need'].result:>8} {same}/{len(ENVIRONMENTS)}",
              verdict(outcomes[STACK], plain), signs, flush=True)
        for fault in faults(outcomes):
            bad += 1
            print(f"    {fault}")
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
