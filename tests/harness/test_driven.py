"""Inputs, their derivatives, parameters and start values, on the model that has them all."""

import csv
import math

import pytest
from fmpy.fmi1 import FMICallException

from gallery import ROOT, Trajectory, assert_same_bits, call
from instance import Instance


def assert_close(one, other, tolerance):
    assert one.names == other.names and len(one.rows) == len(other.rows)
    for a, b in zip(one.rows, other.rows):
        for name, x, y in zip(["time"] + one.names, a, b):
            assert abs(x - y) <= tolerance * max(1.0, abs(x), abs(y)), f"t = {a[0]}: {name} is {x!r} and {y!r}"


def largest_difference(one, other):
    return max(abs(x - y) for a, b in zip(one.rows, other.rows) for x, y in zip(a, b))


def test_the_model_has_what_is_tested_here(driven):
    kinds = {driven.variables[name].variability for name in driven.parameters}
    assert driven.inputs and kinds == {"fixed", "tunable"}


@pytest.fixture(scope="session")
def changes(driven):
    """A value unlike its start value for every input and parameter."""
    starts = {name: float(driven.variables[name].start) for name in driven.inputs + driven.parameters}
    return {name: 1.25 * start if start else 0.5 for name, start in starts.items()}


def test_each_start_value_acts_as_on_the_command_line(driven, changes):
    default = driven.run()
    for name, value in changes.items():
        expected = driven.run("--set", f"{name}={value!r}", name="set")
        with Instance(driven) as instance:
            instance.initialize({name: value})
            assert_same_bits(instance.trajectory(), expected, name)
        assert largest_difference(expected, default) > 1e-6, f"{name} changes nothing"


def test_reset_takes_every_value_back(driven, changes, reference):
    with Instance(driven) as instance:
        instance.initialize(changes)
        instance.trajectory(last=5)
        instance.fmi.reset()
        instance.initialize()
        assert_same_bits(instance.trajectory(), reference(driven.model), "after reset")


def test_a_tunable_parameter_acts_from_the_next_step_on(driven, changes, reference):
    half = driven.steps() // 2
    for name in driven.parameters:
        if driven.variables[name].variability != "tunable":
            continue
        with Instance(driven) as instance:
            instance.initialize()
            before = instance.trajectory(last=half)
            instance.set({name: changes[name]})
            after = instance.trajectory(first=half)
        untouched = reference(driven.model)
        assert_same_bits(before, Trajectory(untouched.names, untouched.rows[: half + 1]), name)
        assert largest_difference(after, Trajectory(untouched.names, untouched.rows[half:])) > 1e-9, name


def test_a_fixed_parameter_is_refused_after_initialization(driven, changes):
    fixed = [name for name in driven.parameters if driven.variables[name].variability == "fixed"]
    with Instance(driven) as instance:
        instance.initialize()
        for name in fixed:
            with pytest.raises(FMICallException):
                instance.set({name: changes[name]})


def ramps(driven):
    """Start value and slope per s of every input: all of them move, none wildly."""
    starts = {name: float(driven.variables[name].start) for name in driven.inputs}
    return {name: (start, 0.3 * (k + 1) * max(abs(start), 0.2)) for k, (name, start) in enumerate(starts.items())}


def test_input_derivatives_act_as_the_input_file_of_the_command_line(driven, tmp_path):
    signals = ramps(driven)
    path = tmp_path / "inputs.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time"] + list(signals))
        for time in (driven.start, driven.stop):
            table.writerow([repr(time)] + [repr(u + s * (time - driven.start)) for u, s in signals.values()])
    expected = driven.run("--inputs", path, name="ramp")

    with Instance(driven) as instance:
        value = lambda name, time: signals[name][0] + signals[name][1] * (time - driven.start)
        instance.initialize({name: value(name, driven.start) for name in signals})

        def before_step(index):
            instance.set({name: value(name, instance.point(index)) for name in signals})
            instance.slope({name: slope for name, (_, slope) in signals.items()})

        found = instance.trajectory(before_step=before_step)
    # The same straight lines, computed from other numbers: equal to round-off.
    assert_close(found, expected, 1e-9)


def test_input_derivatives_do_what_finer_steps_would_do(driven):
    """A ramp by derivative over one long step is the limit of held inputs over ever shorter steps."""
    name = driven.inputs[0]
    start, slope = ramps(driven)[name]
    end = driven.start + 20 * driven.step

    def position_after(pieces, with_slope):
        with Instance(driven) as instance:
            instance.initialize({name: start})
            for k in range(pieces):
                here = driven.start + (end - driven.start) * k / pieces
                there = driven.start + (end - driven.start) * (k + 1) / pieces
                # Held inputs take the value of the middle of the piece.
                lead = 0.0 if with_slope else 0.5 * (there - here)
                instance.set({name: start + slope * (here - driven.start + lead)})
                if with_slope:
                    instance.slope({name: slope})
                instance.step(there)
            return instance.outputs()[1:]

    ramp = position_after(1, True)
    distance = lambda values: max(abs(a - b) for a, b in zip(values, ramp))
    coarse, fine = distance(position_after(1, False)), distance(position_after(20, False))
    assert coarse > 1e-9
    assert fine < 0.1 * coarse


def test_an_input_is_held_between_its_changes(driven, tmp_path):
    """A jump half-way, by fmi2SetReal and by an input file with two rows at one time."""
    name = driven.inputs[0]
    low, high = float(driven.variables[name].start), float(driven.variables[name].start) + 0.25
    half = driven.steps() // 2
    at = driven.start + half * driven.step
    path = tmp_path / "jump.csv"
    path.write_text(f"time,{name}\n{driven.start!r},{low!r}\n{at!r},{low!r}\n{at!r},{high!r}\n{driven.stop!r},{high!r}\n")
    expected = driven.run("--inputs", path, name="jump")
    with Instance(driven) as instance:
        instance.initialize()
        before = instance.trajectory(last=half)
        instance.set({name: high})
        after = instance.trajectory(first=half)
    joined = Trajectory(before.names, before.rows + after.rows[1:])
    # Row `half` shows the outputs before the jump here, after it there.
    del joined.rows[half], expected.rows[half]
    assert_same_bits(joined, expected, "jump")


def test_not_a_number_is_never_integrated(driven):
    with Instance(driven) as instance:
        instance.initialize()
        instance.step(instance.point(1))
        good = instance.serialized_state()
        expected = instance.trajectory(first=1, last=3)
        instance.restore(good)
        instance.time = instance.point(1)
        with pytest.raises(FMICallException):
            instance.set({driven.inputs[0]: math.nan})
            instance.step(instance.point(2))
        instance.restore(good)
        instance.time = instance.point(1)
        assert_same_bits(instance.trajectory(first=1, last=3), expected, "after the error")


def test_the_python_example_runs(driven, tmp_path):
    import sys

    tunable = next(name for name in driven.parameters if driven.variables[name].variability == "tunable")
    plain, changed = tmp_path / "plain.csv", tmp_path / "changed.csv"
    call(sys.executable, ROOT / "examples" / "fmpy_harness.py", driven.path, plain)
    assert_same_bits(Trajectory.read(plain), driven.run(), "examples/fmpy_harness.py")
    middle = 0.5 * (driven.start + driven.stop)
    call(sys.executable, ROOT / "examples" / "fmpy_harness.py", driven.path, changed, f"{tunable}=5@{middle}")
    assert largest_difference(Trajectory.read(plain), Trajectory.read(changed)) > 1e-9
