"""Derivatives of steps and of runs, and coordinates that are set."""

import pickle

import numpy as np
import pytest


def extrapolated(function, amount):
    near, far = ((function(e) - function(-e)) / (2 * e) for e in (amount, 2 * amount))
    return near + (near - far) / 3


def assert_close(found, wanted, data, amount, part=1e-6):
    """To a part of each output's largest derivative, and what rounding of the largest output leaves of a difference."""
    rounding = 1e-13 * abs(data).max() / amount
    apart = abs(found - wanted) / (part * abs(wanted).max(axis=0) + rounding)
    assert apart.max() <= 1, np.unravel_index(apart.argmax(), apart.shape)
    # Most of it is known far better than by rounding.
    assert (abs(wanted).max(axis=0) > 10 * rounding / part).any()


def test_a_step_is_linear_beside_the_state_as_its_derivatives_say(load):
    sim = load("driven_arm").simulator()
    sim.step(0.5)
    state, h = sim.save(), 0.02
    found = sim.step_derivatives(h)
    assert sim.save() == state and found.method == "exact" and found.length == pytest.approx(h)
    assert found.states == ["yaw", "elbow", "der(yaw)", "der(elbow)"] and found.parameters == ["elbow.damping", "elbow.gain"]

    def end(change):
        change()
        sim.step(h)
        values = sim.coordinates()
        sim.restore(state)
        return np.array([values[name] for name in found.states])

    def moved(name, amount):
        return end(lambda: sim.set_coordinates({name: sim.coordinates()[name] + amount}))

    for j, name in enumerate(found.states):
        assert found.A[:, j] == pytest.approx(extrapolated(lambda e: moved(name, e), 1e-3), rel=1e-7, abs=1e-9)
    for j, name in enumerate(found.inputs):
        value = sim.get(name)
        column = extrapolated(lambda e: end(lambda: sim.set(name, value + e)), 1e-1)
        assert found.B[:, j] == pytest.approx(column, rel=1e-7, abs=1e-12)
    for j, name in enumerate(found.parameters):
        value = sim.get(name)
        column = extrapolated(lambda e: end(lambda: sim.set(name, value + e)), 1e-3)
        assert found.P[:, j] == pytest.approx(column, rel=1e-7, abs=1e-10)
    linear = sim.linearize()
    assert np.array_equal(found.C, linear.C) and np.array_equal(found.D, linear.D)
    # The exponential of the linearization, to the order of what it leaves out.
    assert found.A == pytest.approx(np.eye(4) + h * linear.A + h**2 / 2 * linear.A @ linear.A, abs=2e-3)


def test_differences_say_that_they_are_and_how_good(load):
    sim = load("driven_arm").simulator()
    exact, differences = sim.step_derivatives(), sim.step_derivatives(differences=True)
    assert exact.reason is None and differences.method == "differences" and not exact.A_uncertainty.any()
    assert (abs(exact.A - differences.A) <= 10 * differences.A_uncertainty).all() and differences.A_uncertainty.max() < 1e-8
    implicit = load("stiff_bushings").simulator().step_derivatives()
    assert "generalized_alpha" in implicit.reason and implicit.A.shape == (len(implicit.states),) * 2
    assert any(name.startswith("algorithmic") for name in implicit.states)


def test_wrong_lengths_of_steps_are_refused(ballesta, load):
    for h in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ballesta.UsageError, match="step_derivatives"):
            load("pendulum").simulator().step_derivatives(h)


def test_sensitivities_are_those_of_differences_of_runs(load):
    model = load("driven_arm")
    result = model.run(stop=0.5)
    names = ("elbow.damping", "elbow.torque", "initial(elbow)", "initial(der(yaw))", "payload.mass")
    found = result.sensitivity(*names)
    assert found.data.shape == found.uncertainty.shape == (5, len(result.time), len(result.names))
    assert [found.method[name] for name in names] == ["exact"] * 4 + ["differences"]
    assert "recompiled" in found.reason["payload.mass"] and not found.uncertainty[:4].any()
    for name, value, amount in (("elbow.damping", 0.8, 1e-3), ("elbow.torque", -8.0, 1e-2), ("payload.mass", 1.5, 1e-3)):
        beside = lambda e: model.run(stop=0.5, set={name: value + e}).data
        assert_close(found[name], extrapolated(beside, amount), result.data, amount)
    assert np.array_equal(found["elbow.damping", "tool"], found["elbow.damping"][:, [result.names.index(f"tool.{axis}") for axis in "xyz"]])
    assert np.array_equal(result.data, model.run(stop=0.5).data)


def test_the_start_from_an_equilibrium_depends_on_a_parameter_too(ballesta):
    car = ballesta.load("quarter-car")
    result = car.run(stop=1.5)
    found = result.sensitivity("spring.stiffness")
    stiffness = next(p.value for p in car.parameters if p.name == "spring.stiffness")
    beside = lambda e: car.run(stop=1.5, set={"spring.stiffness": stiffness + e}).data
    assert found.method["spring.stiffness"] == "exact"
    wanted = extrapolated(beside, 1e-3 * stiffness)
    assert_close(found["spring.stiffness"], wanted, result.data, 1e-3 * stiffness, part=1e-5)
    assert found["spring.stiffness", "body.height"][0] != 0


def test_inputs_over_time_are_shifted_as_a_whole(ballesta):
    model = ballesta.load("pendulum")
    times, torques = np.array([0.0, 0.2, 0.2, 0.5]), np.array([0.0, 2.0, -1.0, 0.5])
    run = lambda e: model.run(stop=0.5, inputs={"time": times, "motor.torque": torques + e})
    found = run(0.0).sensitivity("motor.torque")
    assert_close(found["motor.torque"], extrapolated(lambda e: run(e).data, 1e-2), run(0.0).data, 1e-2)


def test_a_run_of_an_implicit_scheme_has_differences_with_an_estimate(load):
    model = load("stiff_bushings")
    name = model.inputs[0].name
    found = model.run(stop=0.02).sensitivity(name)
    assert found.method[name] == "differences" and "generalized_alpha" in found.reason[name]
    finite = np.isfinite(found[name])
    assert finite.any() and (found.uncertainty[0][finite] >= 0).all()


def test_wrong_names_and_results_without_a_model_are_refused(ballesta, load):
    result = load("driven_arm").run(stop=0.01)
    with pytest.raises(ballesta.UsageError, match=r"elbow\.dampin: no such .*did you mean `elbow\.damping`"):
        result.sensitivity("elbow.dampin")
    with pytest.raises(ballesta.UsageError, match=r"initial\(yow\)"):
        result.sensitivity("initial(yow)")
    with pytest.raises(TypeError, match="expected names"):
        result.sensitivity(3)
    with pytest.raises(ballesta.UsageError, match="run the model in this process"):
        pickle.loads(pickle.dumps(result)).sensitivity()
    assert result.sensitivity().names[:2] == ("elbow.damping", "elbow.gain")


def test_coordinates_are_set_and_loops_follow(ballesta, load):
    model = load("delta_robot")
    sim = model.simulator()
    motors = ["motor_1", "motor_2", "motor_3"]
    before = sim.coordinates()
    wanted = {name: before[name] + 0.05 * (k + 1) for k, name in enumerate(motors)}
    sim.set_coordinates({**wanted, "der(motor_1)": 0.3, "der(motor_2)": 0.0, "der(motor_3)": 0.0})
    after = sim.coordinates()
    assert all(after[name] == pytest.approx(value, abs=1e-12) for name, value in wanted.items())
    assert after["der(motor_1)"] == pytest.approx(0.3, abs=1e-12) and sim.get("gap") < 1e-9 and sim.get("velocity_gap") < 1e-9
    sim.step(0.01)
    assert sim.get("gap") < 1e-9 and sim.time == 0.01


def test_coordinates_that_do_not_fit_together_move_nothing(ballesta, load):
    sim = load("four_bar").simulator()
    state, values = sim.save(), sim.coordinates()
    joints = [name for name in values if not name.startswith("der(")]
    with pytest.raises(ballesta.UsageError, match="are inconsistent.*could not be closed"):
        sim.set_coordinates({name: values[name] + 0.3 for name in joints})
    with pytest.raises(ballesta.UsageError, match="no such coordinate; did you mean"):
        sim.set_coordinates({joints[0] + "x": 0.0})
    with pytest.raises(ballesta.UsageError, match="expected a finite number"):
        sim.set_coordinates({joints[0]: float("nan")})
    assert sim.save() == state
    guided = load("camera_gimbal").simulator()
    name = next(name for name in guided.coordinates() if not name.startswith("der("))
    with pytest.raises(ballesta.UsageError, match=f"{name}: the coordinate is driven"):
        guided.set_coordinates({name: 0.1})
