"""The systems that the libraries of one FMU are loaded on: this one, Windows by Wine, 64-bit ARM by qemu."""

import os
import shutil
import struct
import subprocess
import urllib.parse
from pathlib import Path

import fmpy

import gallery

HERE = Path(__file__).parent
FOLDER = gallery.PLATFORMS / "test"
# What is compared beside the gallery: solids that touch.
CONTACTS = [f"contacts/{name}.toml" for name in ("stacked_boxes", "gripper", "edge_on_edge", "newtons_cradle", "walker")]
HEADERS = Path(fmpy.__file__).parent / "c-code"
WARNINGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
WINE = shutil.which("wine64") or shutil.which("wine") or "/usr/lib/wine/wine64"
# Names of files are UTF-8 on both sides of Wine.
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8", WINEPREFIX=str(FOLDER / "wine"), WINEDEBUG="-all")
# The longest that one script may take.
SECONDS = 1800


def shell(*command, **options):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command} returned {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


class System:
    """How the host is compiled and started, and how paths are called there."""

    def __init__(self, name, library, compiler, runner=()):
        self.name, self.library, self.compiler, self.runner = name, library, compiler, [str(r) for r in runner]
        self.host = FOLDER / name / ("host.exe" if name == "windows" else "host")

    def build(self):
        self.host.parent.mkdir(parents=True, exist_ok=True)
        libraries = [] if self.name == "windows" else ["-ldl"]
        shell(self.compiler, *WARNINGS, "-I", HEADERS, HERE / "host.c", "-o", self.host, *libraries)
        if self.name == "windows":
            # Windows 10 has this library, Wine 8 does not: one function of it is needed, and Wine knows it by another name.
            shell(self.compiler, "-shared", HERE / "bcryptprimitives.c", "-o", self.host.with_name("bcryptprimitives.dll"),
                  "-ladvapi32")

    def path(self, path):
        """An absolute path as this system calls it: Wine shows the root as drive Z."""
        return "Z:" + str(path).replace("/", "\\") if self.name == "windows" else str(path)

    def uri(self, path):
        """The URI of the standard for it (RFC 3986): percent-encoded UTF-8."""
        return ("file:///Z:" if self.name == "windows" else "file://") + urllib.parse.quote(str(path))

    def run(self, script, folder):
        """What the host answers to the lines of a script, run in `folder`; files that the script names are below it."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "script").write_text("".join(f"{line}\n" for line in script), encoding="utf-8")
        shell(*self.runner, self.host, "script", "answers", cwd=folder, env=ENVIRONMENT, timeout=SECONDS)
        answers = (folder / "answers").read_text(encoding="utf-8").splitlines()
        # One answer per line of the script, but for what was logged.
        assert len([a for a in answers if not a.startswith("log ")]) == len(script), f"{self.name} stopped early"
        return answers


def start_wine():
    """Wine's server stays for a minute after its last program: to start it takes longer than most scripts."""
    server = Path(WINE).resolve().with_name("wineserver")
    if server.is_file():
        # It keeps what it is given as output: a pipe would stay open as long as it runs.
        quiet = subprocess.DEVNULL
        subprocess.run([server, "--persistent=60"], env=ENVIRONMENT, stdin=quiet, stdout=quiet, stderr=quiet, timeout=60)


LINUX = System("linux", ("linux64", "so"), "cc")
WINDOWS = System("windows", ("win64", "dll"), shutil.which("x86_64-w64-mingw32-gcc-posix") or "x86_64-w64-mingw32-gcc", [WINE])
ARM = System("arm", ("aarch64-linux", "so"), "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])
SYSTEMS = [LINUX, WINDOWS, ARM]


def digits(value):
    """The bits of a number as the host reads and writes them."""
    return struct.pack(">d", value).hex()


def number(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


class Script:
    """Lines for the host, about an FMU that is unpacked in a folder."""

    def __init__(self, fmu, system, unpacked=None):
        self.fmu, self.system = fmu, system
        self.unpacked = unpacked or fmu.unpacked
        self.lines = []

    def add(self, *words):
        self.lines.append("\t".join(str(word) for word in words))
        return self

    def start(self, stop=None):
        """Loaded, instantiated and initialized at the start of the default experiment."""
        self.instantiate()
        self.add("setup", digits(self.fmu.start), digits(self.fmu.stop if stop is None else stop))
        return self.add("enter").add("exit").outputs()

    def instantiate(self):
        folder, extension = self.system.library
        library = self.unpacked / "binaries" / folder / f"{self.fmu.identifier}.{extension}"
        self.add("load", self.system.path(library))
        return self.add("new", "host", self.fmu.description.guid, self.system.uri(self.unpacked / "resources"))

    def outputs(self):
        variables = [self.fmu.variables[name] for name in self.fmu.outputs]
        words = [word for v in variables for word in (v.type[0].lower(), v.valueReference)]
        return self.add("outputs", *words)

    def point(self, k):
        """Communication points by multiplication; the last is the stop time. The formula of `ballesta run`."""
        return self.fmu.stop if k == self.fmu.steps() else self.fmu.start + k * self.fmu.step

    def steps(self, first, last):
        """Steps from communication point `first` to `last`, with the outputs after each."""
        for k in range(first, last):
            self.add("step", digits(self.point(k)), digits(self.point(k + 1) - self.point(k))).add("row")
        return self

    def run(self, folder):
        return self.system.run(self.lines, folder)


def rows(fmu, answers):
    """Values of the answers to `row`, as the bits of numbers."""
    kinds = [fmu.variables[name].type for name in fmu.outputs]
    lines = [line.split()[1:] for line in answers if line.startswith("row")]
    return [[w if kind == "Real" else digits(float(w)) for kind, w in zip(kinds, line, strict=True)] for line in lines]
