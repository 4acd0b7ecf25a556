"""Van and truck in the linear range beside linear models of their axles (lateral.py), made from K&C, the book's tyre and masses: within 2 %."""

import json

import numpy as np
import pytest

from gallery import ROOT
from lateral import Lateral, ask, without_friction

VEHICLES = {"van": [[("chassis",)]], "truck": [[("frame",), ("trailer", "cargo")], [(-4.64, 1.348)]]}
# What the standards' manoeuvres ask of the driver, at small lateral acceleration.
SMALL = [("lateral_acceleration = 4", "lateral_acceleration = 0.5"), ("lateral_acceleration = 2", "lateral_acceleration = 0.2"),
         ("range = [0.5, 2]", "range = [0.1, 0.45]")]
DEGREE = np.pi / 180


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lateral")
    return {name: without_friction(ROOT / "models" / name, folder / name / f"{name}.toml") for name in VEHICLES}


def measures(model, manoeuvre):
    text = ask("manoeuvre", "--print", manoeuvre)
    for standard, small in SMALL:
        text = text.replace(standard, small)
    path = model.with_name(f"{manoeuvre}.toml")
    path.write_text(text)
    run, = json.loads(ask("manoeuvre", model, path, "--json"))["runs"]
    return {measure["name"]: measure["value"] for measure in run["measures"]}


def near(found, expected, what):
    print(f"{what}: {found:.6g}, linear model {expected:.6g}, {100 * (found / expected - 1):.2f} %")
    assert abs(found - expected) <= 0.02 * abs(expected), what


def respond(vehicle, times, steering, rows):
    """Derivatives of rows over q to the steering wheel, behind the filter of its guide: rows' rates, and rows' accelerations."""
    a, b = vehicle.system()
    n, m, corner = len(vehicle.names), len(a), 2 * np.pi * 10
    whole, given = np.zeros((m + 3, m + 3)), np.zeros(m + 3)
    whole[:m, :m], whole[:m, m] = a, b
    whole[m, m + 1] = whole[m + 1, m + 2] = 1
    whole[m + 2, m:], given[m + 2] = [-corner**3, -3 * corner**2, -3 * corner], corner**3
    # Exact for an input that is straight between the times: states, input and its slope.
    step = times[1] - times[0]
    grown = np.zeros((m + 5, m + 5))
    grown[:m + 3, :m + 3], grown[:m + 3, m + 3], grown[m + 3, m + 4] = whole * step, given * step, 1
    power = np.eye(m + 5)
    term, halvings = np.eye(m + 5), 10
    for k in range(1, 12):
        term = term @ grown / 2**halvings / k
        power = power + term
    for _ in range(halvings):
        power = power @ power
    x, states = np.zeros(m + 3), []
    for k in range(len(times)):
        states.append(x)
        if k + 1 < len(times):
            x = (power @ np.concatenate([x, [steering[k], steering[k + 1] - steering[k]]]))[:m + 3]
    states = np.array(states)
    rates = states @ whole[:, :].T
    return [states[:, n:2 * n] @ row for row in rows], [rates[:, n:2 * n] @ row for row in rows]


@pytest.mark.parametrize("name, speed, count", [("van", 60 / 3.6, 3), ("van", 90 / 3.6, 3), ("truck", 60 / 3.6, 5), ("truck", 80 / 3.6, 5)])
def test_lateral_eigenvalues_are_those_of_the_linear_model(name, speed, count, models):
    """Yaw, sideslip with the relaxation of the tyres, roll of all units: the slowest pairs of the model."""
    vehicle = Lateral(models[name], speed, *VEHICLES[name])
    a, _ = vehicle.system()
    pairs = sorted((v for v in np.linalg.eigvals(a) if v.imag > 0.1), key=abs)[:count]
    found = json.loads(ask("linearize", models[name], "--trim", "--json", *vehicle.at_speed()))["eigenvalues"]
    found = np.array([value["re"] + 1j * value["im"] for value in found])
    for pair in pairs:
        nearest = found[np.argmin(abs(found - pair))]
        print(f"{name}, {speed:.1f} m/s: {nearest:.4f}, linear model {pair:.4f}, {100 * abs(nearest - pair) / abs(pair):.2f} %")
        assert abs(nearest - pair) <= 0.02 * abs(pair)


@pytest.mark.parametrize("name", VEHICLES)
def test_steady_circles_are_those_of_the_linear_model(name, models):
    speed = 22.2222
    vehicle = Lateral(models[name], speed, *VEHICLES[name])
    q, _, steering = vehicle.turning()
    found = measures(models[name], "steady_circle")
    near(found["yaw rate gain"], 1 / steering, f"{name}: yaw rate gain, 1/s")
    near(found["roll gradient"] * DEGREE / 9.81, q[vehicle.names.index("phi0")].real / speed, f"{name}: roll, rad/(m/s2)")
    base, ratio = (3.3, 18.5) if name == "van" else (4.78, 20)
    near(found["steering wheel angle gradient"] * DEGREE, steering / speed, f"{name}: steering wheel angle, rad/(m/s2)")
    print("understeer", found["understeer gradient"] * DEGREE / 9.81, (steering / ratio - base / speed) / speed)


def test_the_van_answers_a_step_of_the_steering_wheel_as_the_linear_model(models):
    vehicle = Lateral(models["van"], 22.2222, *VEHICLES["van"])
    found = measures(models["van"], "step_steer")
    times = np.arange(0, 8.001, 0.01)
    centre = vehicle.lateral(0, *vehicle.place("chassis_com")[[0, 2]])
    (rate, _), (_, acceleration) = respond(vehicle, times, np.interp(times, [1, 1.2], [0, 1]), [vehicle.row(psi0=1), centre])
    behind = times >= 1.1

    def reach(values):
        end = 0.9 * np.mean(values[times >= 6])
        first = int(np.argmax(behind & (values >= end)))
        return times[first] - 0.01 * (values[first] - end) / (values[first] - values[first - 1]) - 1.1

    near(found["yaw rate response time"], reach(rate), "yaw rate response time, s")
    near(found["lateral acceleration response time"], reach(acceleration), "lateral acceleration response time, s")
    steady = np.mean(rate[times >= 6])
    near(1 + found["yaw rate overshoot"] / 100, max(rate) / steady, "peak of the yaw rate, of the steady one")


def test_the_trailer_amplifies_as_the_linear_model(models):
    vehicle = Lateral(models["truck"], 22.2222, *VEHICLES["truck"])
    found = measures(models["truck"], "rearward_amplification")
    times = np.arange(0, 10.001, 0.01)
    given = np.where((times > 1) & (times < 3.5), np.sin(2 * np.pi * 0.4 * (times - 1)), 0)
    bodies = {body["name"]: vehicle.place(body["com"]) for body in vehicle.model["body"] if "com" in body}
    rows = [vehicle.lateral(0, *bodies["frame"][[0, 2]]), vehicle.lateral(1, *bodies["trailer"][[0, 2]]), vehicle.row(psi0=1), vehicle.row(psi1=1)]
    rates, accelerations = respond(vehicle, times, given, rows)
    largest = [max(abs(values)) for values in accelerations[:2] + rates[2:]]
    near(found["rearward amplification"], largest[1] / largest[0], "rearward amplification")
    near(found["amplification of the yaw rate"], largest[3] / largest[2], "amplification of the yaw rate")
