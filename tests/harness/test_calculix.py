"""A way through CalculiX: mesh, matrices at rest and under loads, `ballesta reduce`, a mechanism, and its frequencies at speed and under load
beside CalculiX's own. The Debian package calculix-ccx, which ./test.sh installs."""

import json
import re
import shutil
import subprocess

import pytest

from calculix import bar
from gallery import PROGRAM, ROOT, SCRATCH

CCX = shutil.which("ccx")
PAGE = ROOT / "docs" / "foreign-matrices.md"
SPEED, PULL = 300.0, 2000.0
MODES = 8

pytestmark = pytest.mark.skipif(CCX is None, reason="ccx is not installed: apt-get install calculix-ccx")


def call(*command):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def folder():
    """Everything that CalculiX writes, with the structure and the model."""
    folder = SCRATCH / "calculix"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    nodes, tip = bar.mesh(folder)
    assert nodes == 321
    bar.run(CCX, folder, "bar_free", bar.FREE)
    loads = {f"turn_{axis}": bar.turn(10.0, direction) for axis, direction in zip("xyz", ((1, 0, 0), (0, 1, 0), (0, 0, 1)))}
    loads |= {"gravity_x": bar.gravity((1, 0, 0)), "force_x": bar.force(1000.0, 1, tip)}
    for name, load in loads.items():
        bar.run(CCX, folder, f"bar_{name}", bar.STRESSED.format(load=load))
    bar.run(CCX, folder, "bar_softened", bar.SOFTENED.format(load=loads["turn_z"]))
    for name in ("structure.toml", "model.toml"):
        shutil.copy(ROOT / "tests" / "harness" / "calculix" / name, folder)
    return folder


def reduce(folder, structure="structure.toml"):
    return json.loads(call(PROGRAM, "reduce", folder / structure, "-o", folder / "bar.rom.toml", "--json"))


def modes(folder, **values):
    settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    return json.loads(call(PROGRAM, "modes", folder / "model.toml", "--count", MODES, "--json", *settings))


def hertz(folder, **values):
    return [mode["frequency_hz"] for mode in modes(folder, **values)["modes"]]


@pytest.fixture(scope="module")
def compared(folder):
    """Frequencies without and with stiffening, and CalculiX's own, at speed and pulled."""
    _, tip = bar.mesh(folder)
    own = {"speed": bar.frequencies(bar.run(CCX, folder, "bar_speed", bar.CORIOLIS.format(load=bar.turn(SPEED, (0, 0, 1))))),
           "pull": bar.frequencies(bar.run(CCX, folder, "bar_pulled", bar.FREQUENCIES.format(load=bar.force(PULL, 1, tip))))}
    text = (folder / "structure.toml").read_text()
    (folder / "plain.toml").write_text(re.sub(r"\[\[matrices\.stressed\]\]\n(?:\w.*\n)+", "", text))
    cases = {"speed": {"speed": SPEED, "pull": 0}, "pull": {"speed": 0, "pull": PULL}}
    reduce(folder, "plain.toml")
    plain = {name: hertz(folder, **case) for name, case in cases.items()}
    assert "without geometric stiffening" in call(PROGRAM, "check", folder / "model.toml")
    found = reduce(folder)
    notes = " ".join(found["notes"])
    # Nothing bends the bar in these states, and no state has the other loads.
    assert "rotation.x" in notes and "angular_velocity.xy" in notes and "translation.x" not in notes, notes
    assert "without geometric stiffening" not in call(PROGRAM, "check", folder / "model.toml")
    return {name: (plain[name], hertz(folder, **case), own[name][:MODES]) for name, case in cases.items()}


@pytest.mark.parametrize("case", ["speed", "pull"])
def test_frequencies_under_load_are_those_of_calculix(compared, case):
    plain, stiffened, own = compared[case]
    assert len(plain) == len(stiffened) == len(own) == MODES
    # Without stiffening the first flap is far off.
    assert plain[0] < 0.85 * own[0], plain
    for f, g in zip(stiffened, own):
        assert abs(f / g - 1) < 0.01, f"{case}: {stiffened} {own}"
    # The rigid root and the lowest twelve modes cost a fraction of a percent.
    assert all(abs(f / g - 1) < 1e-3 for f, g in zip(stiffened[:4], own)), f"{case}: {stiffened} {own}"


def test_softening_by_turning_is_given_back(folder, compared):
    right = hertz(folder, speed=SPEED, pull=0)
    text = (folder / "structure.toml").read_text()
    (folder / "softened.toml").write_text(text.replace("bar_turn_z", "bar_softened"))
    assert any("spin softening" in note for note in reduce(folder, "softened.toml")["notes"])
    again = hertz(folder, speed=SPEED, pull=0)
    reduce(folder)
    # CalculiX integrates the softening by other points than the mass, which leaves 1e-4 of the lag.
    assert all(abs(f / g - 1) < 2e-4 for f, g in zip(again, right)), f"{again} {right}"


def test_the_page_has_the_deck_and_the_frequencies(compared):
    page = PAGE.read_text()
    deck = page.split("```text\n*INCLUDE")[1].split("```")[0]
    assert "*INCLUDE" + deck == bar.HEAD + bar.STRESSED.format(load=bar.turn(10.0, (0, 0, 1)))
    rows = [re.findall(r"[0-9.]+", line) for line in page.split("<!-- calculix: frequencies -->")[1].split("<!-- end -->")[0].splitlines()]
    shown = [[float(number) for number in row] for row in rows if len(row) == 7]
    assert [int(row[0]) for row in shown] == [1, 2, 3, 4]
    for i, row in enumerate(shown):
        values = [compared[case][k][i] for case in ("speed", "pull") for k in range(3)]
        assert all(abs(a - b) <= 0.006 for a, b in zip(row[1:], values)), (row, values)
