"""Stepped simulators: states, names, inputs, what may be set when."""

import _thread
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from conftest import TARGET
from test_runs import fault_model, same


def test_steps_give_the_bits_of_a_run(load):
    model = load("four_bar")
    result, sim = model.run(stop=0.5), model.simulator()
    rows = [sim.outputs()]
    for until in result.time[1:]:
        sim.step(until=until)
        rows.append(sim.outputs())
    assert same(np.array(rows), result.data)
    assert {key: value for key, value in sim.judgement().items()} == result.judgement


def test_outputs_by_name_by_index_and_into_an_array_are_the_same(load):
    sim = load("van").simulator()
    sim.step(0.01)
    values, place = sim.outputs(), np.full(len(sim.output_names), np.nan)
    assert sim.outputs(place) is place and same(values, place)
    strided = np.zeros(2 * len(values))[::2]
    assert same(sim.outputs(strided).copy(), values)
    names = list(sim.output_names)
    assert sim.get("chassis.position.x") == values[names.index("chassis.position.x")]
    first = names.index("chassis.position.x")
    assert same(sim.get("chassis.position"), values[first : first + 3])
    for name in sim.input_names:
        assert sim.get(name) == sim.inputs[list(sim.input_names).index(name)]


def test_inputs_hold_and_change_the_outputs_at_once(ballesta):
    sim = ballesta.load("pendulum").simulator()
    rest = sim.outputs()
    sim.set("motor.torque", 2)
    assert sim.get("motor.torque") == 2.0 and not same(sim.outputs(), rest), "the reaction follows the torque"
    sim.step(0.1)
    assert sim.inputs.tolist() == [2.0]
    sim.inputs = np.array([3.0])
    assert sim.get("motor.torque") == 3.0
    with pytest.raises(ValueError):
        sim.inputs[0] = 1.0
    sim.set({"motor.torque": 1.0, "bearing.damping": 0.4})
    assert sim.get("bearing.damping") == 0.4
    with pytest.raises(ballesta.UsageError, match="did you mean"):
        sim.set({"motor.torque": 9.0, "bearing.dampin": 0.4})
    assert sim.get("motor.torque") == 1.0, "a wrong name sets nothing"


def test_a_state_is_restored_to_the_bit_here_and_in_another_process(load, tmp_path):
    model = load("van")
    sim = model.simulator()
    sim.step(0.02)
    state = sim.save()
    sim.step(0.05)
    ahead = sim.outputs()
    sim.restore(state)
    assert sim.time == state.time == pytest.approx(0.02)
    sim.step(0.05)
    assert same(sim.outputs(), ahead)
    other = model.simulator()
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state and hash(copy) == hash(state) and copy.time == state.time
    other.restore(copy)
    other.step(0.05)
    assert same(other.outputs(), ahead) and other.judgement() == sim.judgement()
    (tmp_path / "state").write_bytes(pickle.dumps(state))
    script = (
        "import ballesta, pickle, sys; sim = ballesta.load(sys.argv[1]).simulator(); "
        "sim.restore(pickle.load(open(sys.argv[2], 'rb'))); sim.step(0.05); print(sim.outputs().tobytes().hex())"
    )
    words = [sys.executable, "-c", script, model.file, tmp_path / "state"]
    done = subprocess.run(words, env={"PYTHONPATH": str(TARGET / "python")}, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ahead.tobytes().hex()


def test_states_of_other_models_and_damaged_ones_are_refused(ballesta, load):
    model = ballesta.load("pendulum")
    state = model.simulator().save()
    for other, said in [
        (load("four_bar"), "another model"),
        (ballesta.load("pendulum", step=5e-4), "internal step"),
    ]:
        with pytest.raises(ballesta.UsageError, match=said):
            other.simulator().restore(state)
    fixed = ballesta.load("four-bar").simulator().save()
    with pytest.raises(ballesta.UsageError, match="crank.speed"):
        ballesta.load("four-bar", parameters={"crank.speed": 2.0}).simulator().restore(fixed)
    data = state.to_bytes()
    assert ballesta.State.from_bytes(data) == state
    for wrong in (b"", data[:-1], data + b"x", data[:50] + bytes([data[50] ^ 1]) + data[51:]):
        with pytest.raises(ballesta.UsageError, match="damaged"):
            ballesta.State.from_bytes(wrong)
    with pytest.raises(TypeError):
        model.simulator().restore(data)


def test_tunable_parameters_come_with_a_state(ballesta):
    """Whatever values the simulator was made with that takes it."""
    one = ballesta.load("pendulum").simulator(set={"bearing.damping": 0.5, "motor.torque": 1.0})
    other = ballesta.load("pendulum", parameters={"bearing.damping": 2.0}).simulator()
    one.step(0.2)
    other.restore(one.save())
    assert (other.get("bearing.damping"), other.get("motor.torque")) == (0.5, 1.0)
    for sim in (one, other):
        sim.step(0.3)
    assert same(one.outputs(), other.outputs()) and one.save() == other.save()


def test_reset_goes_back_to_the_beginning(ballesta):
    sim = ballesta.load("pendulum").simulator(set={"motor.torque": 1.5})
    begin = sim.outputs()
    sim.set({"motor.torque": -4.0, "bearing.damping": 0.9})
    sim.step(0.3)
    sim.reset()
    assert (sim.time, sim.get("motor.torque"), sim.get("bearing.damping")) == (0.0, 1.5, 0.2)
    assert same(sim.outputs(), begin)


def test_a_fault_names_its_time_and_leaves_the_last_good_step(ballesta, tmp_path):
    sim = ballesta.load(fault_model(tmp_path)).simulator()
    with pytest.raises(ballesta.Fault) as caught:
        sim.step(2.0)
    assert caught.value.time == sim.time > 0 and caught.value.result is None


@pytest.mark.parametrize("words", [{"h": 0.0}, {"h": -1.0}, {"h": float("nan")}, {"h": float("inf")}, {"until": 0.0}, {"h": 1.0, "until": 1.0}])
def test_steps_that_go_nowhere_are_refused(words, ballesta):
    sim = ballesta.load("pendulum").simulator()
    with pytest.raises(ballesta.UsageError, match="step"):
        sim.step(**words)
    assert sim.time == 0.0


def test_a_long_step_is_interrupted(ballesta):
    """Ctrl-C reaches Python while the solver is at work."""
    sim = ballesta.load("four-bar").simulator()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            sim.step(9e4)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < sim.time < 9e4


def test_equilibrium_modes_and_linearization_belong_together(ballesta):
    model = ballesta.load("quarter-car")
    found = model.trim()
    assert max(abs(force) for force in found["forces_left"].values()) < 1e-6 and found["unstable_directions"] == 0
    linear, modes = model.linearize(trim=True), model.modes(trim=True)
    n = len(linear.states)
    assert linear.A.shape == (n, n) and linear.B.shape == (n, len(linear.inputs))
    assert linear.C.shape == (len(linear.outputs), n) and linear.D.shape == (len(linear.outputs), len(linear.inputs))
    values = np.linalg.eigvals(linear.A)
    for mode in modes:
        assert min(abs(values - mode.eigenvalue)) <= 1e-6 * max(1.0, abs(mode.eigenvalue))
        assert sum(mode.shares.values()) == pytest.approx(1.0)
    sim = model.simulator(trim=True)
    assert np.array_equal(sim.linearize().A, linear.A)
