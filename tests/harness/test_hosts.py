"""Hosts with another floating-point environment, a small stack or little memory: the same bits, or NULL and a message.

`hosts.py` runs the whole gallery as a program, and scripts/long.sh runs that; here is a sample with a few steps each.
"""

import math
import random
import re
import subprocess
from pathlib import Path

import fmpy
import pytest

import gallery
import hosts

# Models that failed once: by a small stack, by traps, by their need of memory.
ALWAYS = [Path(name) for name in ("car/model.toml", "van/abs.toml", "van/measured_road.toml", "truck/complete.toml", "contacts/walker.toml",
                                  "contacts/conveyor.toml", "truck/flexible.toml")]
SAMPLE = ALWAYS + random.Random(46).sample([model for model in hosts.models() if model not in ALWAYS], 3)
# Of the scenarios: each direction of rounding once, and every second limit of memory.
SOME = [hosts.PLAIN, "down+flush", "up+trap", "zero+flush+trap", hosts.STACK, *hosts.MEMORY[::2], hosts.MEMORY[-1]]
# Besides those of hosts.py, with all exception flags raised before each call.
FLAGS = [f"{mode}+flags" for mode in hosts.ENVIRONMENTS]


@pytest.fixture(scope="session")
def host(program):
    return hosts.compile_host()


@pytest.mark.parametrize("model", SAMPLE, ids=str)
def test_a_model_has_the_same_bits_in_every_host_or_refuses_with_a_message(host, model):
    outcomes = hosts.simulate(host, model, SOME, steps=3)
    assert hosts.faults(outcomes) == []
    assert hosts.verdict(outcomes[hosts.MEMORY[0]], outcomes[hosts.PLAIN]) == hosts.SAME, "150 MiB are enough for each model"


def test_little_memory_is_refused(host):
    outcomes = hosts.simulate(host, Path("pendulum/model.toml"), [hosts.PLAIN, "memory=1024", "memory=64"], steps=1)
    for scenario in ("memory=1024", "memory=64"):
        assert outcomes[scenario].result == "null" and "memory" in outcomes[scenario].message, vars(outcomes[scenario])


def chain(bodies, closed):
    """The text of a chain of bodies in a zigzag, the last of which may be pinned to the ground too."""
    parts = ['[model]\nname = "chain"\ngravity = [0, 0, -9.81]\n']
    for i in range(bodies):
        parts.append(f'[[body]]\nname = "b{i}"\nmass = 1\ncom = [{i + 0.5}, 0, 0.5]\ninertia = [0.01, 0.1, 0.1, 0, 0, 0]\n')
    names = ["ground"] + [f"b{i}" for i in range(bodies)] + (["ground"] if closed else [])
    for i, (one, other) in enumerate(zip(names, names[1:])):
        parts.append(f'[[joint]]\nname = "j{i}"\ntype = "revolute"\nbodies = ["{one}", "{other}"]\npoint = [{i}, 0, {i % 2}]\naxis = [0, 1, 0]\n')
    return "".join(parts) + '[[output]]\nname = "angle"\njoint = "j0"\nquantity = "position"\n'


@pytest.mark.parametrize("bodies, closed", [(10, False), (10, True), (100, False), (100, True)])
def test_memory_is_enough_or_refused_whatever_the_size_of_a_model(host, tmp_path, bodies, closed):
    file = tmp_path / "chain.toml"
    file.write_text(chain(bodies, closed), encoding="utf-8")
    limits = [f"memory={kib}" for kib in (128, 2048, 3072, 4096, 6144, 8192, 12288, 20480)]
    outcomes = hosts.simulate(host, file, [hosts.PLAIN, *limits], steps=1)
    assert hosts.faults(outcomes) == []
    assert {hosts.verdict(outcomes[limit], outcomes[hosts.PLAIN]) for limit in (limits[0], limits[-1])} == {hosts.SAME, hosts.REFUSED}


def hull(name, body, height, points=33, radius=0.3):
    """A solid with the shape of a ball of flat faces: as many points on a spiral as a hull with at most 64 faces may have."""
    heights = [1 - 2 * (i + 0.5) / points for i in range(points)]
    turns = [i * math.pi * (3 - math.sqrt(5)) for i in range(points)]
    at = lambda z, turn: [radius * math.sqrt(1 - z * z) * math.cos(turn), radius * math.sqrt(1 - z * z) * math.sin(turn), height + radius * z]
    corners = [at(z, turn) for z, turn in zip(heights, turns)]
    return f'[[solid]]\nname = "{name}"\nbody = "{body}"\ntype = "hull"\npoints = {corners}\n'


def test_two_hulls_with_the_most_faces_fit_into_the_stack(host, tmp_path):
    file = tmp_path / "hulls.toml"
    file.write_text('[model]\nname = "hulls"\ngravity = [0, 0, -9.81]\nstep = 1e-3\n'
                    '[[body]]\nname = "ball"\nmass = 5\ncom = [0, 0, 0.2]\ninertia = [0.2, 0.2, 0.2, 0, 0, 0]\n'
                    '[[joint]]\nname = "ball"\ntype = "floating"\nbodies = ["ground", "ball"]\npoint = [0, 0, 0.2]\n'
                    + hull("ball", "ball", 0.2) + hull("base", "ground", -0.38)
                    + '[[solid_contact]]\nname = "contact"\nsolids = ["ball", "base"]\nstiffness = 1e8\nrestitution = 0.3\nfriction = 0.5\ntangential_stiffness = 1e5\n'
                    '[[output]]\nname = "position"\nbody = "ball"\nquantity = "position"\n', encoding="utf-8")
    assert hosts.faults(hosts.simulate(host, file, [hosts.PLAIN, hosts.STACK], steps=3)) == []


def test_the_host_program_finds_what_is_wrong(host):
    """A stack of 16 KiB is too small for any model, so it ends the process; other bits are told from the same."""
    outcomes = hosts.simulate(host, Path("pendulum/model.toml"), [hosts.PLAIN, "stack=16"], steps=1)
    assert outcomes["stack=16"].result == "signal 11"
    other = hosts.simulate(host, Path("pendulum/model.toml"), [hosts.PLAIN], steps=2)[hosts.PLAIN]
    assert hosts.verdict(other, outcomes[hosts.PLAIN]) == "other bits"


@pytest.fixture(scope="session")
def every_function(program):
    """The program of every_function.c, ready for a mode."""
    binary = gallery.SCRATCH / "every_function"
    headers = Path(fmpy.__file__).parent / "c-code"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", headers,
                    gallery.ROOT / "tests" / "harness" / "every_function.c", "-o", binary, "-ldl", "-lm"], check=True)
    return binary


def test_every_function_keeps_and_ignores_the_environment_of_the_host(driven, every_function):
    reference = lambda name: driven.variables[name].valueReference
    states = sum(name.startswith("der(") for name in driven.variables)
    numbers = [reference("elbow.angle"), reference("elbow.torque"), reference("payload.mass"), reference("elbow.damping"), states]
    printed = {}
    for mode in hosts.ENVIRONMENTS + FLAGS:
        command = [every_function, driven.library, driven.description.guid, driven.unpacked / "resources", mode, *numbers]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (mode, done.returncode, done.stdout[-200:], done.stderr)
        printed[mode] = done.stdout.splitlines()
    plain = printed[hosts.PLAIN]
    assert {mode: lines[-1] for mode, lines in printed.items()} == dict.fromkeys(printed, plain[-1])
    symbols = subprocess.run(["nm", "-D", "--defined-only", driven.library], capture_output=True, text=True, check=True).stdout
    assert set(plain[:-1]) == set(re.findall(r"\bfmi[23]\w+", symbols))
    assert len(set(plain[:-1])) == 44 + 75


def test_the_library_has_no_x87_instruction():
    """So the control word of that unit, which no call sets, changes nothing."""
    objdump = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", gallery.HOST_LIBRARY], stdout=subprocess.PIPE, text=True)
    x87 = re.compile(r"\tf(?!xsave|xrstor)[a-z0-9]+\b")
    found = [line for line in objdump.stdout if x87.search(line)]
    assert objdump.wait() == 0 and found == [], found[:5]
