#!/usr/bin/env python3
"""Makes OpenCRG files and their heights, with an independent reader (pip install pyopencrg==0.2.2).

bend_text.crg here, models/van/bend.crg: 30 m with a clothoid into a bend of 25 m radius, slope, banking, waves; as KRBI and, with every fifth cross section, as LRFI.
Each file comes with NAME.heights.csv: u, v, x, y, z of its points, the start of the reference line at the origin, its first heading that of x.
"""

from pathlib import Path

import numpy as np
import pyopencrg as crg

HERE = Path(__file__).parent
STEP = 0.1
u = np.arange(301) * STEP
v = np.linspace(-1.5, 1.5, 13)
middle = 0.5 * (u[1:] + u[:-1])
curvature = np.clip(middle / 15, 0, 1) / 25
phi = 0.7 + np.concatenate(([0.0], np.cumsum(curvature)[:-1] * STEP))
slope = 0.03 * np.sin(middle / 9)
banking = 0.04 * np.clip(u / 15, 0, 1)
z = 0.02 * np.sin(1.3 * u)[:, None] * np.cos(1.1 * v)[None, :]


def write(file, step, fmt):
    road = crg.CrgRoad(
        z[::step], u_inc=step * STEP, v=v, heading=np.add.reduceat(phi, range(0, 300, step)) / step,
        slope=np.add.reduceat(slope, range(0, 300, step)) / step, banking=banking[::step], x_start=12.0, y_start=-7.0, z_start=3.0)
    road.save(file, fmt)
    road = crg.read(file)
    road = road.move_to()
    rows = [(i, j) for i in range(0, len(road.u), max(1, 30 // step)) for j in range(len(road.v))]
    with open(HERE / (file.stem + ".heights.csv"), "w", encoding="utf-8") as table:
        table.write("u,v,x,y,z\n")
        for i, j in rows:
            x, y = road.uv_to_xy(road.u[i], road.v[j])
            table.write(",".join(repr(float(value)) for value in (road.u[i] - road.u[0], road.v[j], x, y, road.uv_to_z(road.u[i], road.v[j]))) + "\n")


write(HERE.parents[1] / "models/van/bend.crg", 1, "KRBI")
write(HERE / "bend_text.crg", 5, "LRFI")
