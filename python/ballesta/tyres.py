"""Tyre property files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from ballesta import _native


def tyre(
    *files: str | os.PathLike[str],
    at: Sequence[Mapping[str, float]] = (),
    loads: Sequence[float] = (),
    cambers: Sequence[float] = (),
    kappa: float | None = None,
    alpha: float | None = None,
    pressure: float | None = None,
    side: str | None = None,
    plot: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Evaluates tyre property files (`.tir`) like `ballesta tyre`. Returns a dictionary with `tyres`, `at`, `curves`,
    `units` and `warnings`.

    `tyres` has sizes, ranges and notes of every file, and in `loads` friction, stiffnesses, trail and relaxation
    lengths at each load. `curves` has numpy arrays by name: load, camber, kappa, alpha, Fx, Fy, Mx, My, Mz. With
    several files the names of the results begin with the name of the tyre. Units are SI, angles in rad, axes follow ISO
    8855 W.

    `at`: operating points with `kappa`, `alpha` or `alpha_deg`, `camber` or `camber_deg`, `load`, `pressure`, `speed`,
    `friction`; the result has their values in `at`. `loads`, `cambers`, `pressure`: values for the curves. `kappa`,
    `alpha`: largest slips of the curves.
    `side`: side of the vehicle, `left` or `right`. `plot`: picture to write, `.svg` or `.png`.

    Invalid files raise `ModelError` with every error.
    """
    points = [[(key, float(value)) for key, value in point.items()] for point in at]
    found, picture = _native.tyre(
        [Path(file) for file in files], points, list(map(float, loads)), list(map(float, cambers)), kappa, alpha, pressure, side
    )
    found["curves"] = {name: np.array(values) for name, values in found["curves"].items()}
    if plot is not None:
        _native.write_picture(os.fspath(plot), picture)
    return found
