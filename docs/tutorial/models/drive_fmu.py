"""Steps quarter_car.fmu over the road of step.csv and compares it with the results of `ballesta run`."""

import csv

import fmpy
import numpy as np

road = np.array([(0, 0), (0.5, 0), (0.5, 0.05), (3, 0.05)], dtype=[("time", float), ("road.height", float)])
result = fmpy.simulate_fmu("quarter_car.fmu", input=road, output=["chassis.travel", "tyre.force"])

with open("quarter_car.csv", newline="") as file:
    rows = list(csv.DictReader(file))
difference = max(abs(float(row["chassis.travel"]) - value) for row, value in zip(rows, result["chassis.travel"]))
print(len(result), "points, largest travel", max(result["chassis.travel"]), "m, largest difference to `ballesta run`", difference, "m")
