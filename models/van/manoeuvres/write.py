#!/usr/bin/env python3
"""Writes the input files of the van's manoeuvres beside this script: one row per point of straight lines, time in s.

Speeds in m/s, steering wheel angles in rad, torques in N m. docs/vehicles/van.md says how to run them.
"""

from math import pi, sin
from pathlib import Path

HERE = Path(__file__).parent
STEERING = ["target_speed", "steering_wheel.angle"]
BRAKES = [f"axle{axle}.{side}.brake_torque" for axle in (1, 2) for side in ("left", "right")]


def write(name, columns, rows):
    lines = [",".join(["time", *columns])]
    lines += [",".join(f"{value:.6g}" for value in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def step_steer():
    """ISO 7401: 80 km/h, steering wheel to 0.88 rad (50 degrees) at 252 degrees per second, for about 4 m/s2."""
    v, angle = 80 / 3.6, 0.88
    rows = [(0, v, 0), (1, v, 0), (1.2, v, angle), (6, v, angle)]
    write("step_steer.csv", STEERING, rows)


def steady_circle():
    """ISO 4138, constant speed: 72 km/h, the steering wheel turns by 0.05 rad/s to 2 rad."""
    v = 20.0
    write("steady_circle.csv", STEERING, [(0, v, 0), (1, v, 0), (41, v, 2)])


def double_lane_change():
    """ISO 3888-1 at 80 km/h, without a driver in the loop: two periods of a sine for the way to the other lane and back.

    Amplitudes, periods and starts were fitted so that a van 2.0 m wide stays between the cones, which begin at x = 30 m.
    """
    v = 80 / 3.6
    (a1, period1, start1), (a2, period2, start2) = LANE_CHANGES

    def angle(t):
        out = a1 * sin(2 * pi * (t - start1) / period1) if start1 <= t <= start1 + period1 else 0
        back = a2 * sin(2 * pi * (t - start2) / period2) if start2 <= t <= start2 + period2 else 0
        return out - back

    times = [i / 50 for i in range(451)]
    write("double_lane_change.csv", STEERING, [(t, v, angle(t)) for t in times])


LANE_CHANGES = (1.1533, 2.0178, 1.5945), (0.8671, 2.5111, 3.7443)


def braking_in_turn():
    """ISO 7975: 72 km/h in a circle of 100 m (4 m/s2), then brakes, 70 % at the front, stop it with about 4 m/s2."""
    v, angle = 20.0, 1.0
    front, rear = 1450.0, 600.0
    rows = [(0, v, 0, 0, 0, 0, 0), (1, v, 0, 0, 0, 0, 0), (2, v, angle, 0, 0, 0, 0), (6, v, angle, 0, 0, 0, 0)]
    rows += [(6, 0, angle, 0, 0, 0, 0)]
    rows += [(t, 0, angle, front, front, rear, rear) for t in (6.3, 14)]
    write("braking_in_turn.csv", [*STEERING, *BRAKES], rows)


def rollover():
    """For models/van/rollover.toml: at 22 m/s the steering wheel turns one way, and back by more; from 4 s on the brakes hold the wheels."""
    v, brakes = 22.0, [2500.0] * 4
    rows = [(0, v, 0), (1, v, 0), (1.3, v, 3.5), (2, v, 3.5), (2.7, v, -5), (4, v, -5)]
    rows = [[*row, 0, 0, 0, 0] for row in rows] + [[t, 0, angle, *brakes] for t, angle in ((4, -5), (5, 0), (12, 0))]
    write("../rollover.csv", [*STEERING, *BRAKES], rows)


def sine_with_dwell():
    """FMVSS 126: a sine of 0.7 Hz whose second peak is held for 0.5 s, at 80 km/h; amplitude 1 rad, to be scaled.

    Other than the standard, the driver holds the speed instead of coasting.
    """
    v, frequency, dwell, start = 80 / 3.6, 0.7, 0.5, 1
    peak = 0.75 / frequency

    def angle(t):
        phase = t if t < peak else max(peak, t - dwell)
        return sin(2 * pi * frequency * phase) if 0 <= phase <= 1 / frequency else 0

    times = [i / 100 for i in range(int(100 * (1 / frequency + dwell)) + 1)]
    times = sorted([*times, peak, peak + dwell, 1 / frequency + dwell])
    rows = [(0, v, 0)] + [(start + t, v, round(angle(t), 9) + 0) for t in times]
    write("sine_with_dwell.csv", STEERING, rows)


if __name__ == "__main__":
    step_steer()
    steady_circle()
    double_lane_change()
    braking_in_turn()
    sine_with_dwell()
    rollover()
