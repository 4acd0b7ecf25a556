"""Van and truck in the linear range beside linear models of their axles (lateral.py), made from K&C, the book's tyre and masses: within 2 %."""

import json
import os

import numpy as np
import pytest

from gallery import ROOT
from lateral import Lateral, ask, without_friction

VEHICLES = {"van": [[("chassis",)]], "truck": [[("frame",), ("trailer", "cargo")], [(-4.64, 1.348)]]}
# What the standards' manoeuvres ask of the driver, at small lateral acceleration.
SMALL = [("lateral_acceleration = 4", "lateral_acceleration = 0.5"), ("lateral_acceleration = 2", "lateral_acceleration = 1"),
         ("range = [0.5, 2]", "range = [0.1, 0.45]")]
DEGREE = np.pi / 180
SPEED = 22.2222


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
    """Rates and accelerations of rows of coordinates, over the angle of the steering wheel, which goes through the filter of its guide."""
    a, b = vehicle.system()
    n, m, corner, step = len(vehicle.names), len(a), 2 * np.pi * 10, times[1] - times[0]
    # States, three of the filter, input, change of the input over a step: exact where it is straight.
    rates = np.zeros((m + 5, m + 5))
    rates[:m, :m], rates[:m, m] = a, b
    rates[m, m + 1] = rates[m + 1, m + 2] = 1
    rates[m + 2, m:m + 4] = [-corner**3, -3 * corner**2, -3 * corner, corner**3]
    rates[m + 3, m + 4] = 1 / step
    halvings = 10
    over = term = np.eye(m + 5)
    for k in range(1, 12):
        term = term @ rates * step / 2**halvings / k
        over = over + term
    for _ in range(halvings):
        over = over @ over
    x, found = np.zeros(m + 5), []
    for now, then in zip(steering, [*steering[1:], steering[-1]]):
        x[m + 3:] = now, then - now
        found.append(np.concatenate([x[n:2 * n], (rates @ x)[n:2 * n]]))
        x = over @ x
    found = np.array(found)
    return [found[:, :n] @ row for row in rows], [found[:, n:] @ row for row in rows]


@pytest.mark.parametrize("name, speed, count", [("van", 60 / 3.6, 3), ("van", 90 / 3.6, 3), ("truck", 60 / 3.6, 5), ("truck", 80 / 3.6, 5)])
def test_lateral_eigenvalues_are_those_of_the_linear_model(name, speed, count, models):
    """Yaw and sideslip with the relaxation of the tyres, roll of all units: the slowest pairs of the linear model."""
    vehicle = Lateral(models[name], speed, *VEHICLES[name])
    expected = sorted((value for value in np.linalg.eigvals(vehicle.system()[0]) if value.imag > 0.1), key=abs)[:count]
    found = json.loads(ask("linearize", models[name], "--trim", "--json", *vehicle.at_speed()))["eigenvalues"]
    found = np.array([value["re"] + 1j * value["im"] for value in found])
    for value in expected:
        nearest = found[np.argmin(abs(found - value))]
        print(f"{name} at {speed:.1f} m/s: {nearest:.3f} 1/s, linear model {value:.3f}")
        near(abs(nearest), abs(value), "    size, 1/s")
        near(-nearest.real / abs(nearest), -value.real / abs(value), "    damping ratio")


@pytest.mark.parametrize("name", VEHICLES)
def test_steady_circles_are_those_of_the_linear_model(name, models):
    vehicle = Lateral(models[name], SPEED, *VEHICLES[name])
    q, _, steering = vehicle.turning()
    found, data = measures(models[name], "steady_circle"), vehicle.model["vehicle"]
    near(found["yaw rate gain"], 1 / steering, f"{name}: yaw rate gain, 1/s")
    near(found["steering wheel angle gradient"] * DEGREE, steering / SPEED, f"{name}: steering wheel angle, rad/(m/s2)")
    near(found["roll gradient"] * DEGREE / 9.81, q[vehicle.names.index("phi0")].real / SPEED, f"{name}: roll, rad/(m/s2)")
    if name == "van":
        expected = (steering / data["steering_ratio"] - data["wheelbase"] / SPEED) / SPEED
        near(found["understeer gradient"] * DEGREE / 9.81, expected, "van: understeer, rad/(m/s2)")


@pytest.mark.parametrize("name", ["model", "saloon", "pickup"])
def test_steady_circles_of_cars_made_of_parts_are_those_of_the_linear_model(name, tmp_path):
    """McPherson struts and twist beam, double wishbones and five links, solid axle, all with a column that twists."""
    path = without_friction(ROOT / "models" / "car" / f"{name}.toml", tmp_path / f"{name}.toml")
    vehicle = Lateral(path, SPEED, [("chassis",)])
    q, _, steering = vehicle.turning()
    found = measures(path, "steady_circle")
    near(found["yaw rate gain"], 1 / steering, f"{name}: yaw rate gain, 1/s")
    near(found["steering wheel angle gradient"] * DEGREE, steering / SPEED, f"{name}: steering wheel angle, rad/(m/s2)")
    near(found["roll gradient"] * DEGREE / 9.81, q[vehicle.names.index("phi0")].real / SPEED, f"{name}: roll, rad/(m/s2)")


@pytest.mark.parametrize("speed", [20 / 3.6, 80 / 3.6])
def test_the_understeer_of_the_van_is_that_of_the_linear_model(speed, models):
    """At low speed twin tyres slip against each other: 8 % of the understeer at 20 km/h."""
    vehicle = Lateral(models["van"], speed, *VEHICLES["van"])
    found = json.loads(ask("linearize", models["van"], "--trim", "--json", *vehicle.at_speed()))
    size, slow = len(found["states"]), 1e-3j
    a, b, c = (np.array(found[key]).reshape(-1, columns) for key, columns in [("a", size), ("b", len(found["inputs"])), ("c", size)])
    states = np.linalg.solve(slow * np.eye(size) - a, b[:, found["inputs"].index("steering_wheel.angle")])
    gain = (c[found["outputs"].index("chassis.angular_velocity.z")] @ states).real
    front, rear = vehicle.axles
    near((front.steer_in / gain - (front.x - rear.x) / speed) / speed, vehicle.understeer()["whole"], "van: understeer, rad/(m/s2)")


def test_the_understeer_of_the_van_has_the_parts_that_its_page_tells(models):
    vehicle = Lateral(models["van"], SPEED, *VEHICLES["van"])
    parts = {name: value * 9.81 / DEGREE for name, value in vehicle.understeer().items()}
    near(sum(parts.values()) - parts["whole"], parts["whole"], "sum of the parts, deg/g")
    rows = "".join(f"| {name} | {value:.2f} |\n" for name, value in parts.items())
    page = ROOT / "docs" / "vehicles" / "van.md"
    before, rest = page.read_text(encoding="utf-8").split("<!-- generated: understeer -->\n")
    shown, behind = rest.split("<!-- end -->", 1)
    table = "| part of the understeer | deg/g |\n|---|---|\n" + rows
    if os.environ.get("BALLESTA_REWRITE"):
        page.write_text(f"{before}<!-- generated: understeer -->\n{table}<!-- end -->{behind}", encoding="utf-8")
        shown = table
    assert shown == table, "BALLESTA_REWRITE=1 writes it"


def test_the_van_answers_a_step_of_the_steering_wheel_as_the_linear_model(models):
    vehicle = Lateral(models["van"], SPEED, *VEHICLES["van"])
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
    vehicle = Lateral(models["truck"], SPEED, *VEHICLES["truck"])
    found = measures(models["truck"], "rearward_amplification")
    times = np.arange(0, 10.001, 0.01)
    given = np.where((times > 1) & (times < 3.5), np.sin(2 * np.pi * 0.4 * (times - 1)), 0)
    bodies = {body["name"]: vehicle.place(body["com"]) for body in vehicle.model["body"] if "com" in body}
    rows = [vehicle.lateral(0, *bodies["frame"][[0, 2]]), vehicle.lateral(1, *bodies["trailer"][[0, 2]]), vehicle.row(psi0=1), vehicle.row(psi1=1)]
    rates, accelerations = respond(vehicle, times, given, rows)
    largest = [max(abs(values)) for values in accelerations[:2] + rates[2:]]
    near(found["rearward amplification"], largest[1] / largest[0], "rearward amplification")
    near(found["amplification of the yaw rate"], largest[3] / largest[2], "amplification of the yaw rate")
