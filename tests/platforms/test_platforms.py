"""One FMU on Linux, Windows and 64-bit ARM: the same bits, the same answers, and states that travel."""

import gzip
import json
import math
import os
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

import gallery
import library_manifest
from gallery import MODELS, PLATFORMS, PROGRAM
from systems import ARM, CONTACTS, FOLDER, LINUX, SYSTEMS, WINDOWS, Script, digits, number, rows, shell

# Platforms whose libraries are packed and checked, but not run.
NOT_RUN = ("x86_64-darwin", "aarch64-darwin")
FUNCTIONS = set(re.findall(r"\b(fmi[23]\w+)\(", (gallery.ROOT / "include/ballesta.h").read_text(encoding="utf-8")))
# Five libraries of 2.6 to 2.9 MB each when compressed, nine tenths of it code, and a reference trajectory. crates/package/src/reference.rs
# has the same limit.
MAX_FMU_BYTES = 15.0e6


@pytest.mark.parametrize("model", MODELS + CONTACTS)
def test_all_systems_have_the_bits_of_the_command_line(model, exports):
    """Every output at every communication point of the default experiment."""
    fmu = exports(model)
    expected = fmu.run()
    assert expected.names == fmu.outputs
    count = len(expected.rows) - 1
    seconds = {}
    for system in SYSTEMS:
        began = time.monotonic()
        script = Script(fmu, system).start().add("row").steps(0, count).add("terminate").add("free")
        answers = script.run(fmu.folder / system.name)
        seconds[system.name] = round(time.monotonic() - began, 1)
        assert not [a for a in answers if a.startswith("step") and a != "step 0"], f"{system.name}: {answers[:8]}"
        for k, (row, values) in enumerate(zip(expected.rows, rows(fmu, answers), strict=True)):
            assert digits(script.point(k)) == digits(row[0])
            for name, value, bits in zip(fmu.outputs, row[1:], values, strict=True):
                assert bits == digits(value), f"{system.name}, t = {row[0]}: {name} is {number(bits)!r} and {value!r}"
    found = {"model": fmu.model, "rows": count + 1, "values": (count + 1) * len(fmu.outputs), "seconds": seconds}
    (FOLDER / "found").mkdir(exist_ok=True)
    (FOLDER / "found" / f"{fmu.model}.json").write_text(json.dumps(found), encoding="utf-8")


@pytest.mark.parametrize("model", MODELS)
def test_an_fmu_for_all_systems_is_small(model, exports):
    fmu = exports(model)
    with zipfile.ZipFile(fmu.path) as archive:
        assert len([name for name in archive.namelist() if name.startswith("binaries/")]) == len(SYSTEMS) + len(NOT_RUN)
    assert fmu.path.stat().st_size <= MAX_FMU_BYTES, f"{fmu.path.stat().st_size} bytes"


def test_no_library_names_a_folder_of_who_built_it():
    """Paths in messages of panics and the like begin with `cargo`, `ballesta` or `/rustc`."""
    entries = json.loads((PLATFORMS / "manifest.json").read_text(encoding="utf-8"))["libraries"]
    assert entries
    builder = {str(gallery.ROOT), str(Path.home()), os.environ.get("CARGO_HOME", ""), "/home/", "/root/", "/Users/"} - {"", "/"}
    for entry in entries:
        data = (PLATFORMS / entry["file"]).read_bytes()
        data = gzip.decompress(data) if entry["file"].endswith(".gz") else data
        assert b"ballesta" in data
        found = {path for path in builder if path.encode() in data}
        assert not found, f"{entry['file']}: {found}"


def all_calls(fmu, script):
    """Every function but those that lead from state to state, right and wrong arguments."""
    output = next(v for v in fmu.description.modelVariables if v.causality == "output" and v.type == "Real")
    parameter = fmu.variables["elbow.damping"]
    force = fmu.variables["tool.force.x"]
    for variable in (output, parameter, force):
        script.add("get", "r", variable.valueReference)
        script.add("set", "r", variable.valueReference, digits(0.25))
    for kind in "ribs":
        script.add("get", kind, 999999).add("set", kind, 999999, "0")
    script.add("slope", force.valueReference, 1, digits(0.5)).add("slope", force.valueReference, 0, digits(0.5))
    script.add("derivative", output.valueReference, 1).add("derivative", output.valueReference, 9)
    script.add("directional", output.valueReference, force.valueReference, digits(1.0))
    script.add("remember").add("restore").add("store", "calls.bin").add("fetch", "calls.bin").add("restore").add("forget")
    script.add("logging", 1).add("logging", 0).add("logging", 1, "nonsense")
    for kind in "sribt":
        script.add("ask", kind)
    return script.add("cancel").add("exchange").add("about").add("outputs").add("row")


def test_call_orders_have_the_same_answers_everywhere(exports):
    """All functions in all states, with all that is logged about it."""
    fmu = exports("driven_arm")
    force = fmu.variables["tool.force.x"].valueReference

    def script(system):
        script = Script(fmu, system).instantiate()
        # Instantiated: what belongs to a later state is refused, too.
        script.add("exit").add("terminate").add("step", digits(0.0), digits(0.01)).add("enter")
        all_calls(fmu, script)
        script.add("reset").add("setup", digits(0.5), digits(0.25)).add("setup", digits(math.nan), digits(1.0))
        script.add("reset").add("setup", digits(0.0), digits(0.1)).add("step", digits(0.0), digits(0.01))
        script.add("enter").add("enter").add("setup", digits(0.0), digits(1.0))
        all_calls(fmu, script)
        script.add("reset").add("setup", digits(0.0), digits(0.1)).add("enter").add("exit").add("exit")
        all_calls(fmu, script)
        script.add("step", digits(0.0), digits(0.01)).add("step", digits(0.0), digits(0.01))
        script.add("reset").add("setup", digits(0.0), digits(0.1)).add("enter").add("exit")
        script.add("step", digits(0.0), digits(-0.01))
        script.add("reset").add("setup", digits(0.0), digits(0.1)).add("enter").add("exit").add("remember")
        # An input that is no number: the step fails, and the stored state brings the instance back.
        script.add("set", "r", force, digits(math.nan)).add("step", digits(0.0), digits(0.01))
        all_calls(fmu, script)
        script.add("reset").add("setup", digits(0.0), digits(0.1)).add("enter").add("exit")
        script.add("step", digits(0.0), digits(0.1)).add("step", digits(0.1), digits(0.1)).add("terminate")
        all_calls(fmu, script)
        return script.add("terminate").add("free").run(fmu.folder / f"calls_{system.name}")

    answers = {system.name: script(system) for system in SYSTEMS}
    linux = answers["linux"]
    for name, other in answers.items():
        assert other == linux, f"{name}: {next(pair for pair in zip(linux, other) if pair[0] != pair[1])}"
    assert "about 2.0 default" in linux and "new instance" in linux
    # Steps in wrong states, in wrong ways, after errors and beyond the stop time; and one that is right.
    assert linux.count("step 3") >= 5 and linux.count("step 0") >= 1
    assert len([line for line in linux if line.startswith("log ")]) > 50
    assert "exchange 3 3 3 3 3 3 3 3 3 3" in linux


@pytest.mark.parametrize("model", ["driven_arm", "flexible_four_bar", "stick_slip", "van"])
def test_a_stored_state_travels_from_system_to_system(model, exports):
    """Windows, Linux, ARM and back to Windows: each goes on where the other stopped, as if nothing had happened."""
    fmu = exports(model)
    count = min(fmu.steps(), 120)
    whole = rows(fmu, Script(fmu, LINUX).start().steps(0, count).run(fmu.folder / "whole"))
    travel = [WINDOWS, LINUX, ARM, WINDOWS, ARM, LINUX]
    points = [round(i * count / len(travel)) for i in range(len(travel) + 1)]
    folder = fmu.folder / "travel"
    shutil.rmtree(folder, ignore_errors=True)
    found = []
    for i, system in enumerate(travel):
        script = Script(fmu, system).start()
        if i > 0:
            script.add("fetch", f"state_{i}").add("restore")
        script.steps(points[i], points[i + 1]).add("remember").add("store", f"state_{i + 1}").add("forget").add("free")
        answers = script.run(folder)
        assert answers[-4:] == ["remember 0", "store 0", "forget NULL 0", "free"], answers[-8:]
        assert i == 0 or {"fetch 0", "restore 0"} <= set(answers)
        found += rows(fmu, answers)
    assert len(found) == count and found == whole
    # The states themselves are the same bytes, whoever stores them.
    whole_run = Script(fmu, ARM).start().steps(0, count).add("remember").add("store", "state").run(fmu.folder / "arm_state")
    assert whole_run[-1] == "store 0"
    assert (fmu.folder / "arm_state" / "state").read_bytes() == (folder / f"state_{len(travel)}").read_bytes()


@pytest.mark.parametrize("name", ["mit Leerzeichen", "Größe äöü ß", "100% {a} #1 [b]", "机构"])
def test_folders_may_be_called_as_people_call_them(name, system, exports):
    """Spaces, umlauts, what a URI escapes, and characters beyond any code page of Windows."""
    fmu = exports("flexible_four_bar")
    unpacked = FOLDER / "folders" / system.name / name
    shutil.rmtree(unpacked, ignore_errors=True)
    shutil.copytree(fmu.unpacked, unpacked)
    answers = Script(fmu, system, unpacked).start().add("row").steps(0, 3).add("free").run(fmu.folder / f"named_{system.name}")
    plain = Script(fmu, LINUX).start().add("row").steps(0, 3).add("free").run(fmu.folder / "named")
    assert rows(fmu, answers) == rows(fmu, plain)
    # A folder that is not there is told with its name.
    missing = Script(fmu, system, unpacked).instantiate()
    missing.lines[-1] = missing.lines[-1].replace("resources", "Resourcen%20f%C3%BCr")
    answers = missing.run(fmu.folder / f"missing_{system.name}")
    assert "new NULL" in answers and any("Resourcen für" in line for line in answers), answers


OBJDUMP = {"x86_64-linux": "objdump", "aarch64-linux": "aarch64-linux-gnu-objdump", "x86_64-windows": "x86_64-w64-mingw32-objdump"}


@pytest.mark.parametrize("platform", OBJDUMP)
def test_a_library_exports_the_functions_and_needs_what_the_manifest_says(platform):
    entry = next(e for e in manifest() if e["platform"] == platform)
    library = PLATFORMS / entry["file"]
    text = shell(OBJDUMP[platform], "-p", library)
    if platform == "x86_64-windows":
        exported = set(re.findall(r"^\s*\[\s*\d+\] (?:\+base\[\s*\d+\]\s+\S+ )?(\w+)$", text, re.M))
        needed = set(re.findall(r"DLL Name: (\S+)", text))
        assert not [name for name in needed if "gcc" in name or "pthread" in name]
        # What Windows shows among the properties of the file.
        for text in ("VS_VERSION_INFO", "OriginalFilename", "ballesta.dll", entry["version"]):
            assert text.encode("utf-16-le") in library.read_bytes(), text
    else:
        lines = (line for line in shell(OBJDUMP[platform], "-T", library).splitlines() if re.match(r"[0-9a-f]{8,} ", line))
        exported = {line.split()[-1] for line in lines if "*UND*" not in line}
        needed = set(re.findall(r"NEEDED\s+(\S+)", text))
        glibc = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", text))
        assert glibc <= (2, 17) and ".".join(map(str, glibc)) == entry["glibc"]
        assert not [name for name in needed if "gcc" in name]
        assert "SONAME               libballesta.so" in text
    assert exported == FUNCTIONS and len(exported) == 119
    assert needed == set(entry["needs"])
    assert "no symbols" in shell(OBJDUMP[platform], "-t", library), "stripped"


@pytest.mark.parametrize("platform", NOT_RUN)
def test_a_library_for_macos_is_complete(platform):
    """Nothing here runs it: header, install name, signature, exported functions and needed libraries are read from the file."""
    entry = next(e for e in manifest() if e["platform"] == platform)
    data = (PLATFORMS / entry["file"]).read_bytes()
    unused = {"x86_64-darwin": [], "aarch64-darwin": ["/usr/lib/libcharset.1.dylib", "/usr/lib/libiconv.2.dylib"]}
    facts = {"needs": sorted(["/usr/lib/libSystem.B.dylib", *unused[platform]]), "macos": "11.0"}
    assert library_manifest.examine(data, platform) == facts == {key: entry[key] for key in facts}
    # Changes of the install name, of the needed library, and of an edge of the export trie, which ends fmi2DoStep.
    for name, other in ((b"@rpath/", b"@other/"), (b"libSystem.B", b"libSystem.C"), (b"oStep\0", b"oStop\0")):
        assert name in data
        with pytest.raises(library_manifest.Refused):
            library_manifest.examine(data.replace(name, other), platform)
    for wrong in (next(name for name in NOT_RUN if name != platform), "x86_64-linux", "x86_64-windows"):
        with pytest.raises(library_manifest.Refused):
            library_manifest.examine(data, wrong)


def manifest():
    return json.loads((PLATFORMS / "manifest.json").read_text(encoding="utf-8"))["libraries"]


def test_paths_of_the_machine_are_in_no_library():
    for entry in manifest():
        data = (PLATFORMS / entry["file"]).read_bytes()
        if entry["file"].endswith(".gz"):
            data = gzip.decompress(data)
        for path in (str(gallery.ROOT), "/.cargo/", "/home/"):
            assert path.encode() not in data, f"{path} in {entry['file']}"


def test_export_packs_all_platforms_without_a_compiler(tmp_path):
    fmu = tmp_path / "four_bar.fmu"
    done = subprocess.run([PROGRAM, "export", gallery.ROOT / "models/four_bar", "-o", fmu], env={"PATH": "/nowhere", "CARGO": "/nowhere"},
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert re.search(r"linux64 \(glibc 2\.\d+ or later\), aarch64-linux \(glibc 2\.17 or later\), win64", done.stdout), done.stdout
    with zipfile.ZipFile(fmu) as archive:
        binaries = {name: archive.read(name) for name in archive.namelist() if name.startswith("binaries/")}
    folders = {"x86_64-linux": "linux64/four_bar.so", "aarch64-linux": "aarch64-linux/four_bar.so", "x86_64-windows": "win64/four_bar.dll",
               "x86_64-darwin": "darwin64/four_bar.dylib", "aarch64-darwin": "aarch64-darwin/four_bar.dylib"}
    assert binaries == {f"binaries/{folders[e['platform']]}": (PLATFORMS / e["file"]).read_bytes() for e in manifest() if e["platform"] in folders}
    assert fmu.stat().st_size <= MAX_FMU_BYTES, f"{fmu.stat().st_size} bytes"
