"""C sources of FMUs: export, compile, and comparison with the library in the same FMU.

    python tests/harness/c_sources.py [--once] COMPILER [MODEL…]

All models of the gallery unless some are named; COMPILER is `gcc -O2`, `clang -O2`, `tcc` and the like. With --once, files that
several models have in common are compiled once; times and memory of compiling then say little.
"""

import hashlib
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave

import gallery
from gallery import call

# Every C99 compiler: no extensions of GNU, no contraction asked for or forbidden.
OPTIONS = ["-std=c99", "-fPIC", "-DFMI2_OVERRIDE_FUNCTION_PREFIX", "-DFMI3_OVERRIDE_FUNCTION_PREFIX"]
# Values set before the initialization: each input and each tunable parameter that is not zero is changed by this factor.
FACTOR = 1.0009765625


class Sources:
    """An FMU with C sources and, unless `library` is None, a library."""

    def __init__(self, model, folder, library=gallery.HOST_LIBRARY, fmi="2.0", extent="steps", source=None):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.model, self.folder = model, folder
        self.path = folder / f"{model}.fmu"
        packed = ["--sources-only"] if library is None else ["--library", f"linux64={library}"]
        call(gallery.PROGRAM, "export", source or gallery.ROOT / "models" / model, "-o", self.path, "--no-reference", "--fmi", fmi,
             f"--sources={extent}", *packed)
        self.unpacked = folder / "unpacked"
        with zipfile.ZipFile(self.path) as archive:
            archive.extractall(self.unpacked)
        self.description = fmpy.read_model_description(str(self.path))
        self.identifier = self.description.coSimulation.modelIdentifier
        self.files = sorted((self.unpacked / "sources").glob("*.c"))

    def compile(self, compiler, name="model.so", options=OPTIONS, processes=2):
        """A shared library; returns it and the processor seconds."""
        compiler = compiler.split()
        objects = self.folder / name.replace(".", "_")
        shutil.rmtree(objects, ignore_errors=True)
        objects.mkdir()
        before = os.times()
        waiting, running = list(self.files), []
        while waiting or running:
            while waiting and len(running) < processes:
                file = waiting.pop()
                command = [*compiler, *options, "-w", "-c", str(file), "-o", str(objects / f"{file.stem}.o")]
                running.append((file, subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)))
            file, process = running.pop(0)
            _, said = process.communicate()
            assert process.returncode == 0, f"{file}: {said}"
        library = self.folder / name
        call(*compiler, "-shared", "-o", library, *sorted(objects.glob("*.o")), "-lm")
        after = os.times()
        return library, after.children_user + after.children_system - before.children_user - before.children_system


def describe(sources, folder, steps, prefix):
    """The file about one model that c_sources_drive.c includes; its functions have this prefix."""
    run = sources.description
    inputs = [v for v in run.modelVariables if v.causality == "input"]
    outputs = [v for v in run.modelVariables if v.causality == "output" and v.type == "Real"]
    described = folder / f"{sources.identifier}.txt"
    described.write_text(
        f'#define MODEL {prefix}\n#define GUID "{run.guid}"\n'
        f"#define OUTPUTS {', '.join(str(v.valueReference) for v in outputs)}\n"
        f"#define INPUTS {''.join(f'{v.valueReference}, ' for v in inputs)}\n"
        f"#define STARTS {''.join(f'{float(v.start or 0.0)!r}, ' for v in inputs)}\n"
        f"#define STEP {float(run.defaultExperiment.stepSize)!r}\n#define STEPS {steps}\n",
        encoding="utf-8",
    )
    return described


def program_once(sources, compiler, options, steps, store, link=("-lm",)):
    """A program with one model, of objects that are kept in `store`."""
    objects = objects_once(sources, compiler, options, store)
    described = describe(sources, sources.folder, steps, "any_model")
    main_file = sources.folder / "main.c"
    main_file.write_text("int drive_any_model(void);\nint main(void) { return drive_any_model(); }\n", encoding="utf-8")
    built = sources.folder / "program.exe"
    call(*compiler.split(), *options, "-w", f'-DMODEL_FILE="{described}"', "-o", built, main_file,
         Path(__file__).with_name("c_sources_drive.c"), *objects, *link)
    return built


def program(models, folder, compiler, steps, options=(), link=("-lm",), name="program"):
    """A program with the sources of all models, which steps each one and prints its outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    compiler, objects, calls = compiler.split(), [], []
    drive = Path(__file__).with_name("c_sources_drive.c")
    jobs = []
    for sources in models:
        described = describe(sources, folder, steps, sources.identifier)
        jobs.append((drive, folder / f"{sources.identifier}_drive.o", [f'-DMODEL_FILE="{described}"']))
        jobs += [(file, folder / f"{sources.identifier}_{file.stem}.o", []) for file in sources.files]
        calls.append(f"drive_{sources.identifier}")
    main_file = folder / "main.c"
    main_file.write_text("".join(f"int {c}(void);\n" for c in calls) + f"int main(void) {{ return {' || '.join(f'{c}()' for c in calls)}; }}\n",
                         encoding="utf-8")
    jobs.append((main_file, folder / "main.o", []))
    running = []
    for file, target, more in jobs:
        objects.append(target)
        command = [*compiler, "-std=c99", "-w", *options, *more, "-c", str(file), "-o", str(target)]
        running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))
        if len(running) == 2:
            assert running.pop(0).wait() == 0, file
    assert all(process.wait() == 0 for process in running)
    call(*compiler, *options, "-o", folder / name, *objects, *link)
    return folder / name


def printed(sources, steps):
    """What such a program prints, by the library in the FMU."""
    run = Run(sources)
    run.initialize(changed=False)
    step = float(sources.description.defaultExperiment.stepSize)
    row = lambda: "".join(f"{int.from_bytes(gallery.bits(value), 'little'):016x} " for value in run.fmi.getReal(run.real))
    lines = [row()]
    for k in range(steps):
        for v in run.inputs:
            run.fmi.setReal([v.valueReference], [float(v.start or 0.0) + 0.0009765625 * (k % 16)])
        run.fmi.doStep(k * step, step)
        lines.append(row())
    run.fmi.freeInstance()
    return lines


def name_alike(sources):
    """Gives the global names of the sources the prefix that all models share here, and returns the declarations by name."""
    header = sources.unpacked / "sources" / "model.h"
    text = header.read_text(encoding="utf-8").replace(f" {sources.identifier}_", " any_model_")
    header.write_text(text, encoding="utf-8")
    declarations = {}
    for line in text.splitlines():
        for name in re.findall(r"#define (\w+)|(\w+)(?:\(u8|\[\])", line):
            declarations.setdefault("".join(name), []).append(line)
    return declarations


def objects_once(sources, compiler, options, store):
    """Objects of the sources, kept in `store` by what determines them: compiler, options, text, headers, declarations in use."""
    declarations = name_alike(sources)
    folder = sources.unpacked / "sources"
    store.mkdir(parents=True, exist_ok=True)
    objects, missing = [], []
    for file in sources.files:
        text = file.read_text(encoding="utf-8")
        text += "".join((folder / name).read_text(encoding="utf-8") for name in ("core.h", "instance.h", "standard.h")
                        if name == "core.h" or not file.name.startswith("core"))
        used = sorted({line for name in set(re.findall(r"\w+", text)) for line in declarations.get(name, [])})
        key = hashlib.sha256("\0".join([compiler, *options, file.name, text, *used]).encode()).hexdigest()
        objects.append(store / f"{key}.o")
        if not objects[-1].exists():
            missing.append((file, objects[-1]))
    while missing:
        pair, missing = missing[:2], missing[2:]
        running = []
        for file, target in pair:
            command = [*compiler.split(), *options, "-w", "-c", str(file), "-o", str(target.with_suffix(".part"))]
            running.append((target, subprocess.Popen(command, stdin=subprocess.DEVNULL)))
        for target, process in running:
            assert process.wait() == 0, target
            target.with_suffix(".part").rename(target)
    return objects


def compile_once(sources, compiler, store):
    """A shared library of such objects, and the processor seconds."""
    before = os.times()
    objects = objects_once(sources, compiler, OPTIONS, store)
    library = sources.folder / "model.so"
    call(*compiler.split(), "-shared", "-o", library, *objects, "-lm")
    after = os.times()
    return library, after.children_user + after.children_system - before.children_user - before.children_system


class Run:
    """One instance of FMI 2.0, and all that it answers."""

    def __init__(self, sources, library=None):
        self.description = sources.description
        self.fmi = FMU2Slave(guid=self.description.guid, unzipDirectory=str(sources.unpacked), modelIdentifier=sources.identifier,
                             instanceName="a", libraryPath=library and str(library))
        self.fmi.instantiate(loggingOn=False)
        by = lambda *causes: [v for v in self.description.modelVariables if v.causality in causes]
        self.inputs = [v for v in by("input")]
        self.tunable = [v for v in by("parameter") if v.variability == "tunable" and v.type == "Real"]
        self.outputs = by("output")
        self.real = [v.valueReference for v in self.outputs if v.type == "Real"]
        self.whole = [v.valueReference for v in self.outputs if v.type == "Integer"]
        self.truth = [v.valueReference for v in self.outputs if v.type == "Boolean"]

    def initialize(self, changed=True):
        self.fmi.setupExperiment(startTime=0.0)
        if changed:
            for v in self.tunable:
                value = float(v.start) * FACTOR
                if (v.min is None or value >= float(v.min)) and (v.max is None or value <= float(v.max)):
                    self.fmi.setReal([v.valueReference], [value])
        self.fmi.enterInitializationMode()
        self.fmi.exitInitializationMode()

    def values(self):
        row = list(self.fmi.getReal(self.real)) if self.real else []
        row += self.fmi.getInteger(self.whole) if self.whole else []
        return row + (self.fmi.getBoolean(self.truth) if self.truth else [])

    def steps(self, first, last, step):
        rows = [self.values()]
        for k in range(first, last):
            for j, v in enumerate(self.inputs):
                self.fmi.setReal([v.valueReference], [float(v.start or 0.0) + 0.01 * math.sin(0.3 * k + j)])
            self.fmi.doStep(k * step, step)
            rows.append(self.values())
        return rows

    def derivatives(self):
        known = [v.valueReference for v in self.inputs][:4]
        return self.fmi.getDirectionalDerivative(self.real[:8], known, [1.0] * len(known)) if known and self.real else []

    def serialized(self):
        state = self.fmi.getFMUstate()
        bytes_ = bytes(self.fmi.serializeFMUstate(state))
        self.fmi.freeFMUstate(state)
        return bytes_

    def restore(self, serialized):
        state = self.fmi.deSerializeFMUstate(serialized)
        self.fmi.setFMUstate(state)
        self.fmi.freeFMUstate(state)


def bits(rows):
    return [[gallery.bits(float(value)) for value in row] for row in rows]


def compare(sources, library, steps):
    """Checks that a compiled library answers as the one in the FMU: values, states, derivatives; returns the number of values."""
    own, other = Run(sources), Run(sources, library)
    step = float(sources.description.defaultExperiment.stepSize)
    own.initialize()
    other.initialize()
    half = steps // 2
    first = own.steps(0, half, step)
    assert bits(first) == bits(other.steps(0, half, step)), sources.model
    # Each continues from the state of the other.
    state = own.serialized()
    assert state == other.serialized(), f"{sources.model}: other bytes of a state"
    assert bits([own.derivatives()]) == bits([other.derivatives()]), f"{sources.model}: derivatives"
    then = own.steps(half, steps, step)
    later = other.serialized()
    other.restore(state)
    own.restore(later)
    assert bits(then) == bits(other.steps(half, steps, step)), f"{sources.model}: after a restored state"
    assert bits(then) == bits(own.steps(half, steps, step)), f"{sources.model}: after a state of the sources"
    own.fmi.terminate()
    other.fmi.terminate()
    # A reset begins anew, with the start values.
    own.fmi.reset()
    other.fmi.reset()
    own.initialize(changed=False)
    other.initialize(changed=False)
    again = own.steps(0, min(half, 20), step)
    assert bits(again) == bits(other.steps(0, min(half, 20), step)), f"{sources.model}: after a reset"
    own.fmi.freeInstance()
    other.fmi.freeInstance()
    return sum(len(row) for rows in (first, then, then, again) for row in rows)


def step_time(sources, library, steps):
    """Seconds in doStep."""
    run = Run(sources, library)
    run.initialize()
    step = float(sources.description.defaultExperiment.stepSize)
    total = 0.0
    for k in range(steps):
        start = time.perf_counter()
        run.fmi.doStep(k * step, step)
        total += time.perf_counter() - start
    run.fmi.freeInstance()
    return total


def main(*words):
    once = "--once" in words
    compiler, *models = [word for word in words if word != "--once"]
    gallery.build()
    failed, total = [], 0
    for model in models or gallery.MODELS:
        folder = gallery.SCRATCH / "c_sources" / model
        try:
            sources = Sources(model, folder)
            texts = [file.read_bytes() for file in (sources.unpacked / "sources").iterdir()]
            size, lines = sum(map(len, texts)) * 1e-6, sum(text.count(b"\n") for text in texts)
            library, seconds = compile_once(sources, compiler, gallery.SCRATCH / "c_sources_objects") if once else sources.compile(compiler)
            experiment = sources.description.defaultExperiment
            steps = min(round((float(experiment.stopTime) - float(experiment.startTime)) / float(experiment.stepSize)), 400)
            values = compare(sources, library, steps)
            total += values
            own, other = (min(step_time(sources, lib, min(steps, 200)) for _ in range(3)) for lib in (None, library))
            # Code and constants, and memory of all instances.
            code, data, free = (int(word) * 1e-6 for word in gallery.call("size", library).splitlines()[1].split()[:3])
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1e-3
            print(f"{model:34} {size:4.1f} MB, {lines:6} lines, {seconds:5.1f} s, {memory:4.0f} MB; {code:5.2f} MB of code, "
                  f"{data + free:5.2f} MB of data; {values:7} values, step {other / own:5.2f}", flush=True)
        except Exception as error:
            failed.append(model)
            print(f"{model:34} FAILED {type(error).__name__} {str(error)[:300]}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{total} values, failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
