"""Brakes and powertrain of the van: an anti-lock control outside of its FMU, and gears beside a model in one dimension."""

import csv
import sys

import numpy as np
import pytest

from gallery import HOST_LIBRARY, PROGRAM, ROOT, SCRATCH, Exported, Trajectory, assert_same_bits, call
from test_vehicles import drive, without_jumps

sys.path.insert(0, str(ROOT / "examples"))
import anti_lock  # noqa: E402

ABS = ROOT / "models" / "van" / "abs.toml"
POWERTRAIN = ROOT / "models" / "van" / "powertrain.toml"
FOUR_WHEEL = ROOT / "models" / "van" / "four_wheel.toml"
PEDALS = ROOT / "models" / "van" / "full_throttle.csv"


@pytest.fixture(scope="module")
def van(program):
    """The van with brake lines as an FMU."""
    return Exported("van_abs", HOST_LIBRARY, source=ABS)


@pytest.fixture
def fmu(van):
    return str(van.path)


@pytest.mark.parametrize("friction, shorter", [(1.0, 1.0), (0.3, 0.8)])
def test_neither_control_lets_a_wheel_lock_and_both_stop_sooner_than_locked_wheels(fmu, friction, shorter):
    found = {control: anti_lock.brake(fmu, control, friction, friction) for control in ("outside", "inside", "none")}
    # With the largest friction of the tyres at their nominal load (PDX1) from the first instant on.
    ideal = 22.2222**2 / (2 * 1.09 * 9.81 * friction)
    assert found["none"]["locked"] > 1.0
    for control in ("outside", "inside"):
        assert found[control]["locked"] == 0.0
        assert ideal < found[control]["distance"] < shorter * found["none"]["distance"]
    assert found["inside"]["distance"] < 1.2 * ideal


def test_on_two_frictions_the_van_spins_with_locked_wheels_and_does_not_with_either_control(fmu):
    found = {control: anti_lock.brake(fmu, control, left=0.3) for control in ("outside", "inside", "none")}
    assert found["none"]["yaw"] > 1.0
    for control in ("outside", "inside"):
        assert found[control]["locked"] == 0.0 and found[control]["yaw"] < 0.5


def test_braking_goes_on_from_a_stored_state_with_the_bits_of_the_command_line(van):
    pedal, state = van.folder / "pedal.csv", van.folder / "half.state"
    pedal.write_text("time,brake_pedal,target_speed\n0,0,22.2222\n0.2,0,22.2222\n0.2,1,0\n2,1,0\n")
    expected = van.run("--inputs", pedal, "--stop", "1.2", name="stop")
    first = drive(van, pedal, "first", "--until", "0.7", "--save", state)
    second = drive(van, pedal, "second", "--until", "1.2", "--from", state)
    joined = Trajectory(first.names, first.rows + second.rows[1:])
    assert_same_bits(without_jumps(joined, pedal), without_jumps(expected, pedal))


class Line:
    """The van in one dimension: crankshaft, clutch, gears, drag, rolling resistance, and rear tyres with a slip in proportion to their force."""

    ratios, final = [4.2, 2.3, 1.45, 1.0, 0.8], 3.7
    mass, drag = 3000.0, 0.5 * 1.225 * 1.54
    wheels, propeller, input_shaft, crankshaft = 2 * 1.6 + 2 * 3.6, 0.03, 0.02, 0.25
    # Moment 0.01 Fz R0 (QSY1) on the loaded radius.
    rolling = 0.01 * 0.376 / 0.3515
    # Of the rear tyres: lever of their force, rolling radius, slip stiffness over load (PKX1); load at rest, and height of the
    # centre of mass over the wheelbase, for its transfer.
    lever, radius, stiffness, load, height = 0.3515, 0.3665, 19.7, 15.9e3, 0.882 / 3.3
    speeds = [0, 80, 150, 200, 300, 350, 400, 440, 470]
    torques = [[-25, 60, 120], [-28, 100, 180], [-32, 160, 290], [-36, 180, 340], [-45, 170, 330], [-52, 150, 300],
               [-60, 120, 275], [-66, 60, 200], [-72, -72, -72]]

    def __init__(self, pedals):
        with open(pedals, newline="", encoding="utf-8") as file:
            self.times, *self.pedals = zip(*([float(x) for x in row] for row in list(csv.reader(file))[1:]))

    def map(self, speed, throttle):
        columns = [np.interp(speed, self.speeds, column) for column in zip(*self.torques)]
        return np.interp(throttle, [0, 0.5, 1], columns)

    def run(self, times, h=1e-3):
        """Speeds of the van and of the crankshaft at `times`."""
        v, crank, torque, slip, t = 0.0, 85.0, self.map(85.0, 0.2), 0.0, 0.0
        found = []
        for until in times:
            while t < until - 0.5 * h:
                throttle, engagement, gear = (np.interp(t + 0.5 * h, self.times, pedal) for pedal in self.pedals)
                throttle = max(throttle, 0.2 * min(max(1 - (crank - 85) / 8.5, 0), 1))
                torque += h / 0.1 * (self.map(crank, throttle) - torque)
                near = round(gear)
                share = min(max(2 - 4 * abs(gear - near), 0), 1)
                ratio = self.ratios[near - 1] * self.final
                turns, pulls = ratio * (1 + slip) / self.radius, ratio / self.lever
                capacity = min(550 * engagement, 700 * share)
                resists = self.drag * v * v + self.rolling * self.mass * 9.81 * min(v / 0.1, 1)
                inertia = self.mass + (self.wheels + self.propeller * self.final**2 + self.input_shaft * ratio**2) / self.radius**2
                # Torque at which both sides stay together; the clutch slides where that is beyond its capacity.
                together = (crank - turns * v) / h + torque / self.crankshaft + turns * resists / inertia
                together /= 1 / self.crankshaft + turns * pulls / inertia
                carried = min(max(together, -capacity), capacity)
                change = (pulls * carried - resists) / inertia
                force = self.mass * change + resists
                slip += h / 0.02 * (force / (self.stiffness * (self.load + self.mass * change * self.height)) - slip)
                crank += h * (torque - carried) / self.crankshaft
                v += h * change
                t += h
            found.append((v, crank))
        return np.array(found)


def test_speeds_in_the_gears_are_those_of_the_van_in_one_dimension(program):
    path = SCRATCH / "powertrain.csv"
    SCRATCH.mkdir(parents=True, exist_ok=True)
    call(PROGRAM, "run", POWERTRAIN, "--inputs", PEDALS, "--csv", path)
    run = Trajectory.read(path)
    time, speed, engine = (np.array(c) for c in ([row[0] for row in run.rows], run.column("chassis.velocity.x"),
                                                 run.column("engine.speed")))
    found = Line(PEDALS).run(time)
    for at in (4.5, 8.5, 12.0, 16.0, 20.0):
        index = int(np.argmin(abs(time - at)))
        assert abs(speed[index] - found[index, 0]) < 0.01 * found[index, 0], (at, speed[index], found[index])
        assert abs(engine[index] - found[index, 1]) < 0.012 * found[index, 1], (at, engine[index], found[index])


def test_lock_and_second_axle_pull_where_one_wheel_slips(program):
    def speed(name, *options):
        path = SCRATCH / f"four_wheel_{name}.csv"
        call(PROGRAM, "run", FOUR_WHEEL, "--inputs", PEDALS, "--stop", "8", "--csv", path, *options)
        return Trajectory.read(path).column("chassis.velocity.x")[-1]

    SCRATCH.mkdir(parents=True, exist_ok=True)
    slippery, rear = ["--set", "left_friction=0.2"], ["--set", "centre.torque=0"]
    both = [*slippery, "--set", "right_friction=0.2"]
    assert speed("open", *slippery, *rear) < 0.6 * speed("four", *slippery)
    assert speed("open", *slippery, *rear) < 0.6 * speed("locked", *slippery, *rear, "--set", "lock.torque=5000")
    # The rear axle has 54 % of the load, and some more while it pulls.
    share = speed("open_both", *both, *rear) / speed("four_both", *both)
    assert 0.5 < share < 0.65, share
