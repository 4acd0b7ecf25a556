"""The libraries of pages: the bits of the command line under Node.js, and the pages in a browser."""

import json
import shutil
import struct
import subprocess
import time

import pytest

import gallery
from gallery import MODELS, PLATFORMS, PROGRAM, ROOT
from systems import CONTACTS

LIBRARY = PLATFORMS / "wasm32/ballesta.wasm.gz"
PACKER = PLATFORMS / "wasm32-packer/packer.wasm.gz"
NODE = shutil.which("node")
# Compressed, in a page: base64 makes four bytes of three. It is 1.82 MB with drawing, checking and analyses.
MAX_BYTES = 1.9e6
# The solver again, and 1 MB for fonts, text layout and the rasterizer of the icon.
MAX_PACKER_BYTES = 2.75e6

pytestmark = pytest.mark.skipif(NODE is None, reason="no Node.js")


@pytest.mark.parametrize("model", MODELS + CONTACTS)
def test_webassembly_has_the_bits_of_the_command_line(model, exports, record_property):
    """Every output at every communication point of the default experiment; a shorter last step is none of a page."""
    fmu = exports(model)
    expected = fmu.run()
    step = expected.rows[1][0] - expected.rows[0][0]
    last = expected.rows[-1][0] - expected.rows[-2][0]
    rows = expected.rows if last > (1 - 1e-6) * step else expected.rows[:-1]
    began = time.monotonic()
    file = fmu.source if fmu.source.is_file() else fmu.source / "model.toml"
    command = [NODE, ROOT / "tests/platforms/gallery.mjs", LIBRARY, file, str(len(rows) - 1)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    values = [value for row in rows for value in row[1:]]
    assert len(done.stdout) == 8 * len(values)
    assert done.stdout == struct.pack(f"<{len(values)}d", *values), f"{model}: other bits"
    record_property("values", len(values))
    record_property("seconds", round(time.monotonic() - began, 1))


def test_models_are_edited_in_the_library():
    """Drawings, errors and continued runs, with the time from a change to the drawing of the van."""
    done = subprocess.run([NODE, ROOT / "tests/platforms/workshop.mjs", LIBRARY], capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("model", ["four_bar", "bushing_mount", "driven_arm", "flexible_four_bar", "van"])
def test_analyses_in_webassembly_are_those_of_the_command_line(model):
    """Equilibrium, modes, linearization, and the verification of a tenth of a second, without computing times."""
    folder = ROOT / "models" / model
    cases = [
        ({"analysis": "trim"}, ["check", "--trim"]),
        ({"analysis": "modes", "count": 8}, ["modes", "--count", "8"]),
        ({"analysis": "modes", "count": 8, "trim": True}, ["modes", "--count", "8", "--trim"]),
        ({"analysis": "linearize"}, ["linearize"]),
        ({"analysis": "verify", "tolerance": 1e-3, "stop": 0.1}, ["verify", "--stop", "0.1"]),
    ]
    command = [NODE, ROOT / "tests/platforms/analyses.mjs", LIBRARY, folder, *(json.dumps(request) for request, _ in cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for own, (request, (name, *options)) in zip(json.loads(done.stdout), cases, strict=True):
        printed = subprocess.run([gallery.PROGRAM, name, folder, "--json", *options], capture_output=True, text=True, check=False)
        if "error" in own:
            assert printed.returncode != 0 and json.loads(printed.stderr.splitlines()[-1])["message"], f"{request}: {own}"
            continue
        expected = json.loads(printed.stdout)
        if request["analysis"] == "trim":
            expected = expected["equilibrium"]
        for run in expected.get("runs", []):
            run["microseconds_per_step"] = None
        assert own == expected, f"{model}: {request}"


def test_the_libraries_are_small():
    assert LIBRARY.stat().st_size <= MAX_BYTES, f"{LIBRARY.stat().st_size} bytes"
    assert PACKER.stat().st_size <= MAX_PACKER_BYTES, f"{PACKER.stat().st_size} bytes"


# A ROM, subassemblies with tyres and meshes, a height map, a model file with another name; options of `export`.
PACKED = [
    ("four_bar", []),
    ("flexible_four_bar", ["--fmi", "3.0", "--hold-mode"]),
    ("van", ["--no-reference"]),
    ("van/hubs.toml", ["--fmi", "3.0", "--no-reference"]),
    ("wheel_on_hills", []),
    ("truck", ["--no-reference"]),
]


@pytest.mark.parametrize("model, options", PACKED, ids=[model for model, _ in PACKED])
def test_a_page_packs_the_fmu_of_export(model, options, tmp_path):
    """The same bytes, so the steps have the same bits: test_platforms.py steps what `export` packs."""
    source, page, fmu, expected = ROOT / "models" / model, tmp_path / "page.html", tmp_path / "page.fmu", tmp_path / "export.fmu"
    gallery.call(PROGRAM, "edit", source, "--with-fmu", "-o", page)
    facts = json.loads(subprocess.run([PROGRAM, "export", source, "-o", expected, "--json", *options], check=True, capture_output=True).stdout)
    numbers = ["3" if "3.0" in options else "2", str(int("--hold-mode" in options)), str(int("--no-reference" not in options))]
    done = subprocess.run([NODE, ROOT / "tests/platforms/packer.mjs", page, fmu, *numbers], capture_output=True, text=True, check=False)
    print(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert fmu.read_bytes() == expected.read_bytes(), "other bytes"
    assert {key: facts[key] for key in ("guid", "bytes", "platforms", "entries")}.items() <= json.loads(done.stdout)["summary"].items()


def test_fmus_are_downloaded_in_a_browser():
    """tests/browser/edit_fmu.test.mjs, where ./test.sh has installed what drives the browser."""
    if not (ROOT / "target/browser/node_modules").is_dir():
        pytest.skip("no target/browser: ./test.sh makes it")
    done = subprocess.run([NODE, "--test", "--test-reporter=spec", "tests/browser/edit_fmu.test.mjs"], cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "skipped 0" in done.stdout, done.stdout + done.stderr


def test_live_pages_are_driven_in_a_browser():
    """tests/browser/live.test.mjs, where ./test.sh has installed what drives the browser."""
    if not (ROOT / "target/browser/node_modules").is_dir():
        pytest.skip("no target/browser: ./test.sh makes it")
    done = subprocess.run([NODE, "--test", "--test-reporter=spec", "tests/browser/live.test.mjs"], cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "skipped 0" in done.stdout, done.stdout + done.stderr
