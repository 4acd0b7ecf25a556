"""The library of live pages: the bits of the command line under Node.js, and the pages in a browser."""

import json
import shutil
import struct
import subprocess
import time

import pytest

import gallery
from gallery import MODELS, PLATFORMS, ROOT
from systems import CONTACTS

LIBRARY = PLATFORMS / "wasm32/ballesta.wasm.gz"
NODE = shutil.which("node")
# Compressed, in a page: base64 makes four bytes of three. It is 1.82 MB with drawing, checking and analyses.
MAX_BYTES = 1.9e6

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


def test_the_library_is_small():
    assert LIBRARY.stat().st_size <= MAX_BYTES, f"{LIBRARY.stat().st_size} bytes"


def test_live_pages_are_driven_in_a_browser():
    """tests/browser/live.test.mjs, where ./test.sh has installed what drives the browser."""
    if not (ROOT / "target/browser/node_modules").is_dir():
        pytest.skip("no target/browser: ./test.sh makes it")
    done = subprocess.run([NODE, "--test", "--test-reporter=spec", "tests/browser/live.test.mjs"], cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0 and "skipped 0" in done.stdout, done.stdout + done.stderr
