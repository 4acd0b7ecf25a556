"""Checks of numbers and arrays before they reach the solver."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ballesta.errors import UsageError

Floats = np.ndarray[Any, np.dtype[np.float64]]


def number(what: str, value: object) -> float:
    """Returns a finite number; an array with one element is accepted."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiub":
        value = value.item()
    if not isinstance(value, Real):
        raise TypeError(f"{what}: found {value!r}; expected a number")
    value = float(value)
    if not np.isfinite(value):
        raise UsageError(f"{what}: found {value}; expected a finite number")
    return value


def positive(what: str, value: object) -> float:
    """Returns a finite number greater than 0."""
    found = number(what, value)
    if found <= 0:
        raise UsageError(f"{what}: found {found}; expected a positive number")
    return found


def optional(check: Any, what: str, value: object) -> float | None:
    """Returns None, or the checked value."""
    return None if value is None else check(what, value)


def count(what: str, value: object, least: int = 0) -> int:
    """Returns a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what}: found {value!r}; expected a whole number")
    if value < least:
        raise UsageError(f"{what}: found {value}; expected at least {least}")
    return int(value)


def pairs(what: str, values: Mapping[str, float] | None) -> list[tuple[str, float]]:
    """Returns the names and numbers of a dictionary."""
    if values is None:
        return []
    if not isinstance(values, Mapping):
        raise TypeError(f"{what}: found {type(values).__name__}; expected a dictionary of names and numbers")
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"{what}: found the name {name!r}; expected text")
    return [(name, number(f"{what}: {name}", value)) for name, value in values.items()]


def array(what: str, values: object, dimensions: tuple[int, ...]) -> Floats:
    """Returns an array of doubles with one of these numbers of dimensions. Integers and single precision are converted
    exactly.
    """
    try:
        found = np.asarray(values)
    except ValueError as error:
        raise UsageError(f"{what}: not an array: {error}") from None
    if found.dtype.kind not in "fiub":
        raise TypeError(f"{what}: found an array of {found.dtype}; expected numbers")
    if found.ndim not in dimensions:
        wanted = " or ".join(str(dimension) for dimension in dimensions)
        raise UsageError(f"{what}: found an array of shape {found.shape}; expected {wanted} dimensions")
    return np.asarray(found, dtype=np.float64, order="C")


def processors() -> int:
    """Returns the number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
