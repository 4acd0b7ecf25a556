"""The model gallery as FMUs: building the program, exporting, and reading and comparing trajectories."""

import csv
import math
import os
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import fmpy

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Each of the processes that share the tests has its own.
SCRATCH = TARGET / "harness" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
PROGRAM = TARGET / "release" / "ballesta"
# What is made once for all tests: FMUs with the host's library, by version, and trajectories, which tests/importer reads as well.
SHARED = TARGET / "gallery"
# What `ballesta export` packs by itself: the library of the same build as the program. The one beside the program is that of the last `cargo build`.
HOST_LIBRARY = TARGET / "release" / "deps" / "libballesta.so"
# Where scripts/platforms.sh puts its libraries, by the names of FMI 3.0.
PLATFORMS = TARGET / "platforms"
PORTABLE_LIBRARY = PLATFORMS / "x86_64-linux" / "libballesta.so"
# Limit of the steps of tests that repeat a run; none in scripts/long.sh. Runs by fmpy (FMI 2.0) and by the host in C go to the end.
MAX_STEPS = math.inf if os.environ.get("BALLESTA_SAMPLE") == "all" else 2000
MODELS = sorted(path.parent.name for path in (ROOT / "models").glob("*/model.toml"))


def call(*command, **options):
    """Runs a command that must succeed; returns what it wrote on stdout."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **options)
    assert done.returncode == 0, f"{command} returned {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build():
    """The program with its library. In ./test.sh, which says so, they are those of the Rust tests."""
    if "BALLESTA_BUILT" not in os.environ:
        call("cargo", "build", "--release", "--locked", "--features", "full")
    assert HOST_LIBRARY.is_file()


def example(name):
    """A program of crates/cli/examples, which ./test.sh builds with the rest."""
    if "BALLESTA_BUILT" not in os.environ:
        call("cargo", "build", "--release", "--locked", "--package", "ballesta-cli", "--features", "full", "--example", name)
    return PROGRAM.parent / "examples" / name


def shared(name, make):
    """The file of that name in SHARED. `make` writes it at the path that it gets, unless ./test.sh has begun anew and it is there."""
    path = SHARED / name
    if "BALLESTA_BUILT" not in os.environ or not path.is_file():
        own = SCRATCH / path.name
        for folder in (path.parent, SCRATCH):
            folder.mkdir(parents=True, exist_ok=True)
        make(own)
        # Whole at once, whichever process comes first.
        os.replace(own, path)
    return path


class Exported:
    """An FMU of the gallery: packed, unpacked, its description, and the trajectory of `ballesta run`."""

    def __init__(self, model, library=None, folder=None, source=None, fmi="2.0"):
        """`library` None: what `ballesta export` packs by itself; `source`: the model's folder, where it is not in the gallery."""
        self.model = model
        self.source = source or ROOT / "models" / model
        name = model if library is None else f"{model}_{library.parent.name}"
        self.folder = folder or SCRATCH / (name if fmi == "2.0" else f"{name}_{fmi}")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.path = self.folder / f"{model}.fmu"
        choice = [] if library is None else ["--library", f"linux64={library}"]
        export = lambda path: call(PROGRAM, "export", self.source, "-o", path, "--fmi", fmi, *choice)
        self.in_gallery = source is None
        if self.in_gallery and library == HOST_LIBRARY:
            shutil.copyfile(shared(f"{fmi}/{model}.fmu", export), self.path)
        else:
            export(self.path)
        self.unpacked = self.folder / "unpacked"
        with zipfile.ZipFile(self.path) as archive:
            archive.extractall(self.unpacked)
        self.description = fmpy.read_model_description(str(self.path))
        self.variables = {variable.name: variable for variable in self.description.modelVariables}
        self.outputs = self.names("output")
        self.inputs = self.names("input")
        self.parameters = self.names("parameter")
        experiment = self.description.defaultExperiment
        self.start, self.stop, self.step = (
            float(value) for value in (experiment.startTime, experiment.stopTime, experiment.stepSize)
        )
        platform = "linux64" if fmi == "2.0" else "x86_64-linux"
        self.library = self.unpacked / "binaries" / platform / f"{self.identifier}.so"

    @property
    def identifier(self):
        """The model identifier, which names the library."""
        return self.description.coSimulation.modelIdentifier

    def names(self, causality):
        """Names of the variables with a causality, in the order of the description."""
        return [v.name for v in self.description.modelVariables if v.causality == causality]

    def steps(self):
        """Number of communication steps of the default experiment."""
        return round((self.stop - self.start) / self.step)

    def repeats(self):
        """Number of steps of tests that repeat a run."""
        return min(self.steps(), MAX_STEPS)

    def run(self, *options, name="run"):
        """The trajectory of `ballesta run`."""
        run = lambda path: call(PROGRAM, "run", self.source, "--csv", path, *options)
        if self.in_gallery and not options:
            return Trajectory.read(shared(f"{self.model}.csv", run))
        path = self.folder / f"{name}.csv"
        run(path)
        return Trajectory.read(path)


class Trajectory:
    """Outputs over time: `names` (without `time`), and `rows` of floats with the time first."""

    def __init__(self, names, rows):
        self.names, self.rows = list(names), [[float(x) for x in row] for row in rows]

    @classmethod
    def read(cls, path):
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        assert header[0] == "time"
        return cls(header[1:], rows)

    def until(self, step):
        """The rows up to a communication step."""
        return Trajectory(self.names, self.rows[:step + 1])

    def column(self, name):
        return [row[1 + self.names.index(name)] for row in self.rows]


def bits(value):
    return struct.pack("<d", value)


def assert_same_bits(one, other, what=""):
    """Both trajectories have the same names, times and values, bit for bit."""
    assert one.names == other.names, what
    assert len(one.rows) == len(other.rows), f"{what}: {len(one.rows)} rows and {len(other.rows)}"
    for index, (a, b) in enumerate(zip(one.rows, other.rows)):
        for name, x, y in zip(["time"] + one.names, a, b):
            assert bits(x) == bits(y), f"{what}: row {index}, t = {a[0]}: {name} is {x!r} and {y!r}"


def environment_without_tools():
    """The environment of a user's shell, for programs that must not depend on the harness."""
    return {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
