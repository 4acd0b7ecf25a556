"""Steps quarter_car.fmu over the ramp of ramp.csv, with value and derivative of the road at every communication point."""

import csv

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave

description = fmpy.read_model_description("quarter_car.fmu")
references = {variable.name: variable.valueReference for variable in description.modelVariables}
height, travel = references["road.height"], references["chassis.travel"]
start, stop, step = (float(getattr(description.defaultExperiment, key)) for key in ("startTime", "stopTime", "stepSize"))
times, heights = np.loadtxt("ramp.csv", delimiter=",", skiprows=1, unpack=True)


def road(time):
    return float(np.interp(time, times, heights))


fmu = FMU2Slave(guid=description.guid, unzipDirectory=fmpy.extract("quarter_car.fmu"),
                modelIdentifier=description.coSimulation.modelIdentifier, instanceName="car")
fmu.instantiate()
fmu.setupExperiment(startTime=start)
fmu.enterInitializationMode()
fmu.setReal([height], [road(start)])
fmu.exitInitializationMode()
result = fmu.getReal([travel])
for k in range(round((stop - start) / step)):
    time, end = start + k * step, start + (k + 1) * step
    fmu.setReal([height], [road(time)])
    fmu.setRealInputDerivatives([height], [1], [(road(end) - road(time)) / (end - time)])
    fmu.doStep(currentCommunicationPoint=time, communicationStepSize=end - time)
    result += fmu.getReal([travel])
fmu.terminate()

with open("ramp_run.csv", newline="") as file:
    rows = list(csv.DictReader(file))
difference = max(abs(float(row["chassis.travel"]) - value) for row, value in zip(rows, result))
print(len(result), "points, difference to `ballesta run` below 1e-12 m:", difference < 1e-12)
