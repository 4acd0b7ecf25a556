#!/usr/bin/env python3
"""Writes the input files of the manoeuvres in this folder (standard library only): python3 write.py

Every file has a row per 0.01 s, between which inputs are linear. Angles of the steering wheel in rad, positive to the left.
"""

from math import cos, pi, sin
from pathlib import Path

STEP = 0.01
STEERING = "axle1.steering_wheel.angle"
# Brake torques in proportion to the static wheel loads of the loaded vehicle: 1 m/s2 for 1.
BRAKES = {"axle1": 1800, "axle2": 2500, "axle3": 1550, "axle4": 1550, "axle5": 1550}


def ramp(t, start, duration):
    """From 0 to 1 without a jump of the rate."""
    s = min(max((t - start) / duration, 0), 1)
    return 0.5 * (1 - cos(pi * s))


def wave(t, start, period):
    """One period of a sine."""
    return sin(2 * pi * (t - start) / period) if start < t < start + period else 0


def write(name, stop, speed, steering, braking=lambda t: 0):
    """`steering(t)`: angle; `braking(t)`: wanted deceleration in m/s2, at which the drive is cut off."""
    wheels = [f"{axle}.{side}.brake_torque" for axle in BRAKES for side in ("left", "right")]
    brakes = any(braking(i * STEP) for i in range(round(stop / STEP) + 1))
    with open(Path(__file__).parent / f"{name}.csv", "w", newline="\n") as file:
        print(",".join(["time", "target_speed", STEERING, *(wheels if brakes else [])]), file=file)
        for i in range(round(stop / STEP) + 1):
            t = i * STEP
            a = braking(t)
            row = [f"{t:.2f}", f"{0 if a else speed:g}", f"{steering(t):.6g}"]
            if brakes:
                row += [f"{a * BRAKES[wheel[:5]]:.6g}" for wheel in wheels]
            print(",".join(row), file=file)


# Slalom of 5 s, as long as the one of Hidalgo & Garcia de Jalon (2013), who give no angles: a sine of 0.45 Hz.
write("slalom", 5, 16.7, lambda t: 0.9 * ramp(t, 0.3, 0.8) * sin(2 * pi * 0.45 * (t - 0.3)))
# Step steer at 80 km/h: 0.35 rad in 0.2 s.
write("step_steer", 8, 22.2, lambda t: 0.35 * ramp(t, 1, 0.2))
# Double lane change at 70 km/h, open loop: one sine of 4 s to the left lane, and one back.
write("double_lane_change", 14, 19.4, lambda t: 0.33 * (wave(t, 1, 4) - wave(t, 6.5, 4)))
# Braking with 3 m/s2 in a turn that is entered at 60 km/h.
write("braking_in_turn", 8, 16.7, lambda t: 0.45 * ramp(t, 0.5, 1), lambda t: 3 * ramp(t, 4, 0.4))
# Tank slapper at 130 km/h: a push of half a second at the steering wheel, unloaded.
write("tank_slapper", 12, 36.1, lambda t: 0.4 * sin(pi * (t - 1) / 0.5) if 1 < t < 1.5 else 0)
