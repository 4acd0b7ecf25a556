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
    """What tyre property files (`.tir`) say, as `ballesta tyre` finds it: a dictionary with `tyres`, `at`, `curves`, `units`, `warnings`.

    `tyres` has sizes, ranges and notes of every file, and in `loads` friction, stiffnesses, trail and relaxation lengths at each load;
    `curves` has numpy arrays by name: load, camber, kappa, alpha, then Fx, Fy, Mx, My, Mz, behind the name of the tyre where there are
    several. Units are SI, angles in rad, axes those of ISO 8855 W.

    `at`: points with `kappa`, `alpha` or `alpha_deg`, `camber` or `camber_deg`, `load`, `pressure`, `speed`, `friction`, whose values stand in
    `at`. `loads`, `cambers`: those of the curves; `kappa`, `alpha`: their ends; `pressure`: their pressure; `side`: `left` or `right`, where
    the tyres are mounted; `plot`: a picture to write, SVG or PNG by its ending.

    Wrong files raise `ModelError` with every mistake.
    """
    points = [[(key, float(value)) for key, value in point.items()] for point in at]
    found, picture = _native.tyre(
        [Path(file) for file in files], points, list(map(float, loads)), list(map(float, cambers)), kappa, alpha, pressure, side
    )
    found["curves"] = {name: np.array(values) for name, values in found["curves"].items()}
    if plot is not None:
        _native.write_picture(os.fspath(plot), picture)
    return found
