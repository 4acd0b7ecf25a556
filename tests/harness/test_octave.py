"""The scripts of `ballesta convert --simscape` in GNU Octave: they load, their own checks hold, and the frequencies that Octave
finds are those of the reduced model. Octave is a Debian package of 80 MB that takes minutes to install, so that it is used where it
is there; scripts/octave.sh installs it and runs this file."""

import json
import re
import shutil
import subprocess

import pytest

from gallery import PROGRAM, ROOT, SCRATCH

OCTAVE = shutil.which("octave-cli")
PAGE = ROOT / "docs" / "papers" / "miguez.md"

pytestmark = pytest.mark.skipif(OCTAVE is None, reason="octave-cli is not installed: scripts/octave.sh does that")

# Reduced models of plane trusses and frames, of a space frame with interfaces without rotations, of beams in space.
ROMS = ["step_loaded_truss/truss", "step_loaded_frame/frame", "flexible_four_bar/link", "space_frame/frame",
        "serial_arm/link", "tumbling_beam/beam"]


def call(*command):
    done = subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def octave(rom, padding):
    """What Octave prints when it runs the script of a reduced model."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    script = SCRATCH / f"{rom.replace('/', '_')}_{padding}.m"
    call(PROGRAM, "convert", f"models/{rom}.rom.toml", "--simscape", script, "--padding", padding)
    return call(OCTAVE, "--norc", "--quiet", script)


def lists(text):
    """The blocks of a print: number of zero modes, frequencies."""
    found = []
    for line in text.splitlines():
        head = re.search(r"(\d+) zero modes, natural frequencies", line)
        if head:
            found.append((int(head.group(1)), []))
        elif re.fullmatch(r" *[0-9.]+", line):
            found[-1][1].append(float(line))
    return found


def model_frequencies(rom):
    """All natural frequencies of the free reduced model in Hz, as the program finds them, without rigid motions."""
    found = json.loads(call(PROGRAM, "modes", f"models/{rom}.rom.toml", "--count", "500", "--json"))["frequencies_hz"]
    return [f for f in found if f > 1e-5 * max(found)]


@pytest.mark.parametrize("rom", ROMS)
def test_rigid_padding_has_six_rigid_motions_and_the_frequencies_of_the_model(rom):
    [(zero, frequencies)] = lists(octave(rom, "rigid"))
    wanted = model_frequencies(rom)
    assert zero == 6 and len(wanted) > 3
    for f in wanted:
        # Octave prints six decimals.
        assert min(abs(g - f) for g in frequencies) <= 1e-8 * f + 1e-6, f"{f} Hz is not among {frequencies}"
    assert max(frequencies) <= max(wanted) * (1 + 1e-8)


@pytest.mark.parametrize("rom", ROMS[:3])
def test_unit_padding_has_the_frequencies_of_the_model_once_the_constraints_hold_it(rom):
    text = octave(rom, "unit")
    [_, (zero, frequencies)] = lists(text)
    wanted = model_frequencies(rom)
    assert zero == 3 and len(frequencies) == len(wanted)
    for f, g in zip(wanted, frequencies):
        assert abs(g - f) <= 1e-8 * f + 1e-6
    lowered = float(re.search(r"lower them by ([0-9.e+-]+) at most", text).group(1))
    assert 0 < lowered < 1e-3


def test_the_page_shows_what_octave_prints():
    page = PAGE.read_text()
    for padding in ["rigid", "unit"]:
        shown = page.split(f"<!-- octave: {padding} -->\n```text\n")[1].split("```")[0]
        assert re.sub(r"[0-9.e-]+", "#", shown) == re.sub(r"[0-9.e-]+", "#", octave(ROMS[0], padding))
        numbers = [[float(n) for n in re.findall(r"[0-9.]+(?:e-?[0-9]+)?", text)]
                   for text in (shown, octave(ROMS[0], padding))]
        # Linear algebra libraries differ in their last digits, and the loss by the masses is printed with two.
        assert all(abs(a - b) <= 1e-7 * abs(b) + 1e-5 for a, b in zip(*numbers, strict=True)), numbers
