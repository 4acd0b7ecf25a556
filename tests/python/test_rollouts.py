"""Rollouts: the bits of simulators stepped by hand, for any number of threads."""

import _thread
import shutil
import signal
import threading
import time
import warnings

import numpy as np
import pytest

from conftest import ROOT
from test_runs import fault_model, same


def test_any_number_of_threads_gives_the_bits_of_simulators_stepped_by_hand(load):
    model = load("driven_arm")
    names = [variable.name for variable in model.inputs]
    random = np.random.default_rng(7)
    n, steps, h = 7, 20, 0.004
    inputs = random.normal(size=(n, steps, len(names)))
    sim = model.simulator()
    states = []
    for _ in range(n):
        sim.step(0.003)
        states.append(sim.save())
    one = model.rollout(states, inputs, step=h, threads=1)
    for threads in (2, 3, 8):
        other = model.rollout(states, inputs, step=h, threads=threads)
        assert same(one.outputs, other.outputs) and one.states == other.states
    for i, state in enumerate(states):
        sim.restore(state)
        for k in range(steps):
            sim.inputs = inputs[i, k]
            sim.step(until=state.time + (k + 1) * h)
            assert same(sim.outputs(), one.outputs[i, k])
        assert sim.save() == one.states[i]
    assert one.faults == [None] * n


def test_shapes_of_inputs_mean_the_same(ballesta):
    model = ballesta.load("pendulum")
    torque = np.linspace(0, 2, 30)
    expected = model.rollout(inputs=torque.reshape(1, 30, 1), step=0.01)
    assert expected.outputs.shape == (1, 30, len(model.outputs)) and expected["arm.angle"].shape == (1, 30)
    assert expected["pivot.force"].shape == (1, 30, 3) and expected.units["pivot.force"] == "N"
    for inputs in (torque.reshape(30, 1), {"motor.torque": torque}, {"motor.torque": torque.reshape(1, 30)}, torque.astype(np.float64)[:, None].tolist()):
        assert same(model.rollout(inputs=inputs, step=0.01).outputs, expected.outputs)
    wide = np.repeat(torque[:, None], 2, axis=1)[:, :1]
    assert not wide.flags["C_CONTIGUOUS"] and same(model.rollout(inputs=wide, step=0.01).outputs, expected.outputs)
    single = np.linspace(0, 2, 30).astype(np.float32)
    assert same(model.rollout(inputs={"motor.torque": single}, step=0.01).outputs,
                model.rollout(inputs={"motor.torque": single.astype(np.float64)}, step=0.01).outputs)
    held = model.rollout(model.simulator(set={"motor.torque": 1.0}).save(), steps=10)
    assert same(held.outputs, model.rollout(inputs={"motor.torque": 1.0}, steps=10).outputs)
    few = model.rollout(inputs={"motor.torque": torque}, step=0.01, outputs=["pivot.force", "arm.angle"])
    assert few.names == ("pivot.force.x", "pivot.force.y", "pivot.force.z", "arm.angle")
    assert same(few["pivot.force"], expected["pivot.force"]) and same(few["arm.angle"], expected["arm.angle"])


def test_a_fault_ends_its_own_instance_alone(ballesta, tmp_path):
    model = ballesta.load(fault_model(tmp_path))
    sim = model.simulator()
    early = sim.save()
    sim.step(0.1)
    with pytest.warns(ballesta.QuestionableResult, match="2 of 2 instances stopped"):
        rollout = model.rollout([early, sim.save()], steps=200, step=0.01, threads=2)
    assert all(rollout.faults), rollout.faults
    angles = rollout["A.angle"]
    ends = [int(np.argmax(np.isnan(row))) for row in angles]
    assert 0 < ends[1] < ends[0], "the one that began later meets it sooner"
    for row, end in zip(angles, ends, strict=True):
        assert np.isfinite(row[:end]).all() and np.isnan(row[end:]).all()
    with pytest.warns(ballesta.QuestionableResult, match="1 of 2 instances stopped.*instance 0"):
        bad = ballesta.load("pendulum").rollout(inputs=np.array([[[1.0], [np.nan]], [[1.0], [1.0]]]), step=0.01)
    assert bad.faults[0] is not None and "motor.torque" in bad.faults[0] and bad.faults[1] is None


def test_a_body_that_bends_far_is_told_in_every_way_of_running(ballesta, tmp_path):
    """As `ballesta run` warns: 2000 m/s2 bend the tubes of the arm by more than a tenth of their length."""
    folder = shutil.copytree(ROOT / "models/serial_arm", tmp_path / "arm")
    text = (folder / "model.toml").read_text()
    (folder / "model.toml").write_text(text.replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, -2000]"))
    model = ballesta.load(folder)
    with pytest.warns(ballesta.QuestionableResult, match="bends by"):
        model.run(stop=0.02)
    with pytest.warns(ballesta.QuestionableResult, match="bends by"):
        rollout = model.rollout(steps=2, step=0.01)
    assert "bends by" in rollout.warnings[0]
    sim = model.simulator()
    sim.step(0.02)
    with pytest.warns(ballesta.QuestionableResult, match="up to t = 0.02 s: serial_arm: .*bends by") as told:
        sim.outputs()
    assert told[0].filename == __file__
    sim.step(0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.outputs()
    assert any("bends by" in warning for warning in sim.warnings())
    bent = sim.save()
    sim.reset()
    assert not any("bends by" in warning for warning in sim.warnings())
    # Another run of the same simulator is told again, and a state brings along what was wrong with the way to it.
    for simulator in (sim, model.simulator()):
        simulator.restore(bent)
        with pytest.warns(ballesta.QuestionableResult, match="bends by"):
            simulator.outputs()


def test_a_rollout_is_interrupted(ballesta):
    """Ctrl-C reaches Python while threads are at work."""
    model = ballesta.load("pendulum")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    try:
        threading.Timer(0.3, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            model.rollout([model.simulator().save()] * 3, steps=1_000_000, outputs=["arm.angle"], threads=2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({}, "steps"),
        ({"steps": 0}, "at least 1"),
        ({"steps": 5, "inputs": {"motor.torqe": 1.0}}, "did you mean `motor.torque`"),
        ({"inputs": np.zeros((3, 4, 2))}, "2 inputs in the last dimension"),
        ({"inputs": np.zeros((4, 1)), "steps": 5}, "expected 5"),
        ({"inputs": np.zeros((0, 4, 1))}, "no instances"),
        ({"inputs": np.zeros((1, 0, 1))}, "at least one"),
        ({"inputs": np.zeros(4)}, "dimensions"),
        ({"steps": 5, "step": -1.0}, "positive"),
        ({"steps": 5, "threads": 0}, "at least 1"),
        ({"steps": 5, "outputs": ["arm.angel"]}, "did you mean `arm.angle`"),
        ({"steps": 5, "states": []}, "at least one"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(words, said, ballesta):
    with pytest.raises(ballesta.UsageError, match=said):
        ballesta.load("pendulum").rollout(**words)
