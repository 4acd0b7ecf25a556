"""scripts/platforms.sh and scripts/library_manifest.py: what they refuse, and that they leave nothing half done."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gallery import PLATFORMS, ROOT
from systems import shell

SCRIPT = ROOT / "scripts/platforms.sh"
MANIFEST = ROOT / "scripts/library_manifest.py"


def call(*command, **environment):
    return subprocess.run([str(c) for c in command], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)


def add(folder, platform, library):
    return call(sys.executable, MANIFEST, "add", folder, platform, library, "--sources", "s", "--compiler", "c", "--linker", "l",
                "--flags", "f")


def fresh(folder, platform, sources):
    return call(sys.executable, MANIFEST, "fresh", folder, platform, sources).returncode == 0


def test_an_unknown_platform_is_a_usage_error():
    done = call(SCRIPT, "x86_64-linux", "vax-vms")
    assert done.returncode == 2 and "vax-vms" in done.stderr and "aarch64-linux" in done.stderr, done.stderr


def test_what_is_up_to_date_is_left_alone():
    def times():
        return {path: path.stat().st_mtime_ns for pattern in ("*/*ballesta.*", "*/packer.*") for path in PLATFORMS.glob(pattern)}

    before = times()
    assert len(before) == 5
    done = call(SCRIPT)
    assert done.returncode == 0 and done.stdout.count("up to date") == 5, done.stdout + done.stderr
    assert before == times()


def test_a_missing_toolchain_is_named_and_leaves_no_manifest(tmp_path):
    """A compiler without other standard libraries, and no rustup."""
    rustc = tmp_path / "bin/rustc"
    rustc.parent.mkdir()
    rustc.write_text(f'#!/bin/sh\necho "{tmp_path}"\n', encoding="utf-8")
    rustc.chmod(0o755)
    path = f"{rustc.parent}:/usr/bin:/bin"
    done = call(SCRIPT, "x86_64-windows", PATH=path, BALLESTA_TOOLCHAIN="rustup", CARGO_TARGET_DIR=str(tmp_path / "target"))
    assert done.returncode == 3, done.stderr
    assert "cannot build for x86_64-windows" in done.stderr and "x86_64-pc-windows-gnu" in done.stderr
    assert not list(tmp_path.glob("target/platforms/*.json"))


@pytest.mark.parametrize("platform", ["x86_64-linux", "aarch64-linux", "x86_64-windows", "wasm32", "wasm32-packer"])
def test_a_library_of_another_platform_is_refused(platform, tmp_path):
    for entry in json.loads((PLATFORMS / "manifest.json").read_text(encoding="utf-8"))["libraries"]:
        if entry["platform"] != platform:
            done = add(tmp_path, platform, PLATFORMS / entry["file"])
            assert done.returncode == 1 and ("for" in done.stderr or "is not a WebAssembly module" in done.stderr), done.stderr
    assert not list(tmp_path.iterdir())


def test_exports_and_needs_are_checked(tmp_path):
    """Libraries in C with one function too many, too few, one that needs a library that not every system has, and some that tell folders."""
    out = tmp_path / "out"
    out.mkdir()
    header = (ROOT / "include/ballesta.h").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\b(fmi[23]\w+)\(", header)))
    assert len(names) == 119

    def library(functions, *options, text=""):
        source, built = tmp_path / "library.c", tmp_path / "library.so"
        lines = [f"int {name}(void) {{ return 0; }}\n" for name in functions]
        source.write_text("".join([f'static const char text[] __attribute__((used)) = "{text}";\n', *lines]), encoding="utf-8")
        shell("cc", "-shared", "-fPIC", "-nostdlib", *options, source, "-o", built)
        return built

    done = add(out, "x86_64-linux", library(names[1:]))
    assert done.returncode == 1 and f"does not export {names[0]}" in done.stderr, done.stderr
    done = add(out, "x86_64-linux", library([*names, "other"]))
    assert done.returncode == 1 and "exports other" in done.stderr, done.stderr
    done = add(out, "x86_64-linux", library(names, "-Wl,--no-as-needed", "-l:libgcc_s.so.1"))
    assert done.returncode == 1 and "libgcc_s.so.1" in done.stderr, done.stderr
    for folder in (ROOT, Path.home(), Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))):
        done = add(out, "x86_64-linux", library(names, text=f"at {folder}/x.rs"))
        assert done.returncode == 1 and "contains paths in" in done.stderr, done.stderr
    assert not list(out.iterdir())

    built = library(names)
    done = add(out, "x86_64-linux", built)
    assert done.returncode == 0, done.stderr
    (entry,) = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["libraries"]
    assert entry["sha256"] == hashlib.sha256(built.read_bytes()).hexdigest() and entry["needs"] == []
    assert (out / entry["file"]).read_bytes() == built.read_bytes()
    assert fresh(out, "x86_64-linux", "s") and not fresh(out, "x86_64-linux", "t") and not fresh(out, "x86_64-windows", "s")
    (out / entry["file"]).write_bytes(b"")
    assert not fresh(out, "x86_64-linux", "s")
