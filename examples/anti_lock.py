"""An anti-lock control outside of the vehicle: full braking of models/van/abs.toml as an FMU, by fmpy.

    pip install fmpy
    ballesta export models/van/abs.toml -o van_abs.fmu
    python examples/anti_lock.py van_abs.fmu
    python examples/anti_lock.py van_abs.fmu --left 0.3 --right 0.3 --control none

`--control outside`: this file reads the speeds of the wheels and the acceleration every 5 ms and sets the valves of the brake lines; `inside`: the
slip control of the model; `none`: the wheels lock. Prints stopping distance, mean deceleration, and what locked.
"""

import argparse
import shutil

import fmpy
from fmpy.fmi2 import FMU2Slave

WHEELS = ["axle1.left", "axle1.right", "axle2.left", "axle2.right"]
CYCLE = 5e-3
BRAKES_AT = 0.5
RADIUS = 0.365  # m, of a rolling wheel
# Slip that is held; valve per slip, and per rate of the slip in s.
TARGET, PROPORTIONAL, RATE = 0.08, 3.0, 0.03
# Below this speed wheels may lock, m/s.
SLOWEST = 1.5


class AntiLock:
    """Holds the slip of every wheel; the speed of the vehicle comes from an acceleration sensor."""

    def __init__(self, speed):
        self.speed = speed
        self.slips = [0.0] * len(WHEELS)

    def valves(self, wheels, acceleration):
        """Valve per wheel: 0 open, 0.5 hold, 1 release; `wheels`: their speeds in rad/s; `acceleration` forward in m/s2."""
        self.speed += acceleration * CYCLE
        if self.speed < SLOWEST:
            return [0.0] * len(wheels)
        last, self.slips = self.slips, [1 - wheel * RADIUS / self.speed for wheel in wheels]
        wanted = [0.5 + PROPORTIONAL * (slip - TARGET) + RATE * (slip - before) / CYCLE for slip, before in zip(self.slips, last)]
        return [min(max(valve, 0.0), 1.0) for valve in wanted]


def brake(fmu, control, left=1.0, right=1.0):
    """A stop from 80 km/h; returns what it was like."""
    description = fmpy.read_model_description(fmu)
    reference = {variable.name: variable.valueReference for variable in description.modelVariables}
    folder = fmpy.extract(fmu)
    instance = FMU2Slave(guid=description.guid, unzipDirectory=folder, instanceName="van",
                         modelIdentifier=description.coSimulation.modelIdentifier)
    instance.instantiate()
    try:
        instance.setupExperiment(startTime=0.0)
        parameters = {"left_friction": left, "right_friction": right}
        if control != "inside":
            parameters["anti_lock.from_speed"] = 1000.0
        instance.setReal([reference[name] for name in parameters], list(parameters.values()))
        instance.enterInitializationMode()
        instance.exitInitializationMode()
        turning = [reference[f"{wheel}.wheel.speed"] for wheel in WHEELS]
        valve = [reference[f"{wheel}.valve"] for wheel in WHEELS]
        pedal, target = reference["brake_pedal"], reference["target_speed"]
        place = [reference[f"chassis.{name}"] for name in ("position.x", "position.y", "velocity.x", "angles.yaw")]
        anti_lock, locked, begin, fastest = None, 0, None, 0.0
        x = y = yaw = turned = speed = 0.0
        for cycle in range(round(30 / CYCLE)):
            x, y, speed, yaw = instance.getReal(place)
            if cycle * CYCLE >= BRAKES_AT and begin is None:
                begin, fastest, anti_lock = x, speed, AntiLock(speed)
                instance.setReal([pedal, target], [1.0, 0.0])
            turned = max(turned, abs(yaw))
            if begin is not None:
                wheels = instance.getReal(turning)
                if control == "outside":
                    (acceleration,) = instance.getReal([reference["chassis.acceleration.x"]])
                    instance.setReal(valve, anti_lock.valves(wheels, acceleration))
                if speed > 2 * SLOWEST:
                    locked += sum(wheel * RADIUS < 0.2 * speed for wheel in wheels) > 0
            if speed < 0.1:
                break
            instance.doStep(cycle * CYCLE, CYCLE)
        distance = x - begin
        return {"distance": distance, "deceleration": fastest**2 / (2 * distance), "locked": locked * CYCLE,
                "sideways": y, "yaw": turned}
    finally:
        instance.terminate()
        instance.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fmu")
    parser.add_argument("--control", choices=["outside", "inside", "none"], default="outside")
    parser.add_argument("--left", type=float, default=1.0, help="factor on the friction of the road under the left tyres")
    parser.add_argument("--right", type=float, default=1.0, help="the same under the right ones")
    arguments = parser.parse_args()
    found = brake(arguments.fmu, arguments.control, arguments.left, arguments.right)
    print(f"stops from 80 km/h in {found['distance']:.2f} m, {found['deceleration']:.2f} m/s2 on the average")
    print(f"a wheel was locked for {found['locked']:.2f} s; {found['sideways']:.2f} m to the left, turned by {found['yaw']:.2f} rad")
