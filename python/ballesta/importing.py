"""Robots in URDF and MJCF as models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping

from ballesta import _native
from ballesta.model import Model, load


def import_model(
    path: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    *,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    floating: bool = False,
    mend_inertias: bool = False,
    keyframe: str | None = None,
    contacts: str = "all",
    force: bool = False,
) -> Model:
    """Makes a model of a robot in URDF (`.urdf`) or MJCF (`.xml`) and opens it, as `ballesta import` does.

    The model is written into `folder`, by default one in the working folder that is named as the file without its ending; a
    folder that is there already is refused without `force`. What the model lacks stands with its lines at the head of its
    `model.toml` (`Model.file`).

    `packages`: folders of packages for meshes at `package://NAME/`; `floating`: the root of a URDF moves freely; `mend_inertias`: the mean
    moment in place of inertias that no mass distribution has; `keyframe` of an MJCF file: where the model starts; `contacts` of its geoms: `"all"` that touch in
    MuJoCo, those with what is fixed to the world (`"ground"`), or `"none"`.

    Wrong files raise `ModelError` with every mistake, and nothing is written then.
    """
    target = Path(path).stem if folder is None else folder
    given = [(name, Path(place)) for name, place in (packages or {}).items()]
    _native.import_robot(Path(path), Path(target), given, floating, mend_inertias, keyframe, contacts, force)
    return load(Path(target).absolute())
