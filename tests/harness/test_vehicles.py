"""The FMUs of the van and the truck through their manoeuvres, by examples/vehicle_harness.py, beside `ballesta run`."""

import csv
import sys

import pytest

from gallery import ROOT, Trajectory, assert_same_bits, call

HARNESS = ROOT / "examples" / "vehicle_harness.py"
MANOEUVRES = sorted((ROOT / "models").glob("*/manoeuvres/*.csv"))


def read(inputs):
    """Times and columns of an input file."""
    with open(inputs, newline="", encoding="utf-8") as file:
        return zip(*([float(value) for value in row] for row in list(csv.reader(file))[1:]))


def until(inputs):
    """Until 0.3 s after the last input has begun to change."""
    times, *columns = read(inputs)
    changes = [next((t for t, x in zip(times, column) if x != column[0]), 0.0) for column in columns]
    return round(max(changes) + 0.3, 2)


def drive(exported, inputs, name, *options):
    """The outputs that the example writes, in a process of its own."""
    path = exported.folder / f"{name}.csv"
    call(sys.executable, HARNESS, exported.path, inputs, path, *options)
    return Trajectory.read(path)


def without_jumps(trajectory, inputs):
    """Where two rows of the inputs have one time, an FMU shows its outputs before the jump and the command line behind it."""
    times, *_ = read(inputs)
    jumps = [time for time, following in zip(times, times[1:]) if time == following]
    rows = [row for row in trajectory.rows if not any(abs(row[0] - jump) < 1e-9 for jump in jumps)]
    assert len(rows) == len(trajectory.rows) - len([jump for jump in jumps if jump <= trajectory.rows[-1][0] + 1e-9])
    return Trajectory(trajectory.names, rows)


def test_both_vehicles_have_manoeuvres():
    assert {path.parts[-3] for path in MANOEUVRES} == {"van", "truck"}


@pytest.mark.parametrize("inputs", MANOEUVRES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_manoeuvre_has_the_bits_of_the_command_line(inputs, exports):
    exported = exports(inputs.parts[-3])
    expected = exported.run("--inputs", inputs, "--stop", until(inputs), name=f"run_{inputs.stem}")
    found = drive(exported, inputs, f"fmpy_{inputs.stem}", "--until", until(inputs))
    assert_same_bits(without_jumps(found, inputs), without_jumps(expected, inputs), inputs.stem)


def test_the_files_of_a_vehicle_are_in_its_fmu(exports):
    for model, folder, tyre in [("van", "parts/van.toml", ".tir"), ("truck", "front_axle.toml", ".tir")]:
        resources = exports(model).unpacked / "resources"
        assert (resources / folder).is_file()
        assert list(resources.glob(f"**/*{tyre}"))


@pytest.mark.parametrize("model", ["van", "truck"])
def test_a_state_saved_in_a_manoeuvre_continues_in_another_process(model, exports):
    exported = exports(model)
    inputs = ROOT / "models" / model / "manoeuvres" / "step_steer.csv"
    state = exported.folder / "half.state"
    whole = drive(exported, inputs, "whole", "--until", 1.3)
    first = drive(exported, inputs, "first", "--until", 1.1, "--save", state)
    second = drive(exported, inputs, "second", "--until", 1.3, "--from", state)
    assert first.rows[-1] == second.rows[0]
    joined = Trajectory(first.names, first.rows + second.rows[1:])
    assert_same_bits(joined, whole, "joined at the saved state")
