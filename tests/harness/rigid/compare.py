"""Differences of quantities, each relative to its own size or to a small part of the largest of its kind."""

import numpy as np

from .algebra import of_quaternion

# Smaller than this part of the largest of its kind, what is left of cancelled terms.
SMALL = 1e-3
KINDS = {"position": "position", "rotation": "rotation", "velocity": "speed", "angular_velocity": "speed", "acceleration": "acceleration",
         "angular_acceleration": "acceleration", "speed": "speed", "length": "position", "kinetic_energy": "energy", "pressure": "pressure",
         "longitudinal_slip": "slip", "slip_angle": "slip", "camber": "slip", "deflection": "deflection", "loaded_radius": "position"}


def kind_of(what):
    return KINDS.get(what[2], "force")


def largest(found, floors):
    """The largest of every kind."""
    sizes = dict(floors)
    for what, value in found.items():
        if what != "time":
            kind = kind_of(what)
            sizes[kind] = max(sizes.get(kind, 0.0), float(np.linalg.norm(value)))
    return sizes


def difference(what, one, two):
    if what[2] == "rotation":
        return float(np.linalg.norm(of_quaternion(one) - of_quaternion(two)))
    return float(np.linalg.norm(one - two))


def worst(wanted, found, unique, floors=None):
    """The largest relative difference and what it is of; `unique`: components that count."""
    sizes = largest(wanted, floors or {"position": 1.0, "speed": 0.1, "acceleration": 1.0, "force": 1.0, "energy": 0.1, "slip": 0.01, "deflection": 0.01})
    error, of = 0.0, None
    for what, value in wanted.items():
        if what == "time":
            continue
        mask = unique.get(what)
        a, b = (value, found[what]) if mask is None else (value[mask], found[what][mask])
        off = difference(what, a, b) / max(float(np.linalg.norm(a)), SMALL * sizes[kind_of(what)])
        # Not a number is the worst of all.
        if not off <= error:
            error, of = off, what
    return error, of
