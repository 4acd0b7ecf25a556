"""Hosts that trap floating-point exceptions: none reaches them from a model of the gallery, from instantiation to the last step."""

import subprocess
import tomllib
from pathlib import Path

import pytest

import hosts
from gallery import PROGRAM, ROOT, SCRATCH, Trajectory, assert_same_bits, environment_without_tools


@pytest.fixture(scope="session")
def trap():
    """The library that makes a program stop at its first exception."""
    library = SCRATCH / "trap.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
                    ROOT / "tests" / "harness" / "trap.c", "-o", library, "-lm", "-ldl"], check=True)
    return library


def trapping(trap):
    return environment_without_tools() | {"LD_PRELOAD": str(trap)}


def test_the_trap_stops_a_program_that_divides_by_zero(trap, tmp_path):
    source, program = tmp_path / "divide.c", tmp_path / "divide"
    source.write_text("int main(int count, char **names) { volatile double zero = count - 1; (void)names; return (int)(zero / zero); }\n")
    subprocess.run(["cc", source, "-o", program], check=True)
    done = subprocess.run([program], env=trapping(trap), capture_output=True, text=True)
    assert done.returncode == 3 and "invalid operation" in done.stderr, done


def test_a_host_that_traps_exceptions_steps_through(exported, reference, c_host, trap):
    done = subprocess.run([c_host, exported.unpacked], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=trapping(trap))
    assert done.returncode == 0, done.stderr
    path = exported.folder / "trapping.csv"
    path.write_text(done.stdout, encoding="utf-8")
    assert_same_bits(Trajectory.read(path), reference(exported.model), "a host with traps and ballesta run")


@pytest.fixture(scope="session")
def host(program):
    return hosts.compile_host()


# Contacts, drivers, powertrains and roads are in files beside `model.toml`; hosts.py runs all such files.
VARIANTS = [model for model in hosts.models() if model.parts[0] == "contacts"] + [Path(name) for name in (
    "van/driven.toml", "van/powertrain.toml", "van/measured_road.toml", "van/rollover.toml", "truck/complete.toml", "truck/driven.toml")]


@pytest.mark.parametrize("model", VARIANTS, ids=str)
def test_a_host_that_traps_exceptions_begins_every_kind_of_variant(host, model):
    assert hosts.faults(hosts.simulate(host, model, [hosts.PLAIN, "nearest+trap"], steps=10)) == []


def is_model(path):
    with open(path, "rb") as file:
        table = tomllib.load(file)
    return "model" in table and "structure" not in table


# Contacts, powertrains, cars, trucks, roads and drivers in further files of the gallery; those with FMUs are stepped above.
FURTHER = sorted(path.relative_to(ROOT / "models") for folder in ("car", "contacts", "powertrain", "truck", "van")
                 for path in (ROOT / "models" / folder).glob("*.toml") if path.name != "model.toml" and is_model(path))


@pytest.mark.parametrize("model", FURTHER, ids=str)
def test_a_program_that_traps_exceptions_starts_and_steps_every_further_model(trap, model, tmp_path):
    """The program compiles, assembles, checks and steps a model by the code of an FMU."""
    done = subprocess.run([PROGRAM, "run", ROOT / "models" / model, "--stop", "0.02", "--csv", tmp_path / "run.csv"],
                          env=trapping(trap), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
