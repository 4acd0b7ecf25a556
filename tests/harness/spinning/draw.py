"""Random frames with masses, as text."""

import numpy as np

STEEL = 2.1e11, 8000.0


def inertia(rng, size):
    """Of some points of matter, about their centre: the matrix."""
    points = rng.normal(size=(4, 3)) * 0.1
    points -= points.mean(axis=0)
    return size * sum(np.eye(3) * (p @ p) - np.outer(p, p) for p in points)


def six(matrix):
    return [float(matrix[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))]


def frame(rng, dimension=3, at_interfaces=False):
    """Corners, beams between them (pairs of corners, divisions), masses and interfaces. A beam of every corner but the first leads to an
    earlier one: what is no interface at an end is a dead end."""
    count = int(rng.integers(3, 6))
    corners = np.zeros((count, 3))
    for k in range(1, count):
        while True:
            corners[k] = rng.uniform(-0.5, 0.5, 3)
            corners[k, dimension:] = 0.0
            if np.linalg.norm(corners[:k] - corners[k], axis=1).min() > 0.2:
                break
    beams = [(int(rng.integers(k)), k, int(rng.integers(1 if at_interfaces else 2, 4))) for k in range(1, count)]
    if count > 3 and rng.random() < 0.3:
        beams.append((0, count - 1, 2) if beams[-1][0] else (1, count - 1, 2))
    interfaces = list(range(count)) if at_interfaces else sorted({0, *map(int, rng.choice(count, size=rng.integers(1, count)))})
    masses = []
    for corner in range(count):
        if rng.random() < (0.9 if at_interfaces else 0.4):
            offset = rng.uniform(-0.1, 0.1, 3) * (rng.random() < 0.5)
            offset[dimension:] = 0.0
            mass = float(rng.uniform(0.5, 3.0))
            masses.append((corner, mass, offset, inertia(rng, mass)))
    lumped = bool(rng.random() < 0.4)
    return {
        "dimension": dimension, "corners": corners, "beams": beams, "interfaces": interfaces, "masses": masses, "lumped": lumped,
        "theory": "timoshenko" if rng.random() < 0.5 else "euler_bernoulli", "rotary": bool(lumped or rng.random() < 0.5),
        "width": float(rng.uniform(0.02, 0.04)), "height": float(rng.uniform(0.02, 0.04)), "modes": int(rng.integers(0, 5)),
        "residual": [[], ["gravity"], ["gravity", "rotation"]][int(rng.integers(3))],
    }


def structure(frame, masses=True):
    """The text of a structure file."""
    lines = ["[structure]", 'name = "s"', f"dimension = {frame['dimension']}", "[nodes]"]
    at = lambda vector: "[" + ", ".join(repr(float(x)) for x in vector[: frame["dimension"]]) + "]"
    lines += [f"n{k} = {at(corner)}" for k, corner in enumerate(frame["corners"])]
    lines += ["[[material]]", 'name = "m"', f"youngs_modulus = {STEEL[0]}", f"density = {STEEL[1]}", "[[section]]", 'name = "q"',
              'shape = "rectangle"', f"width = {frame['width']!r}", f"height = {frame['height']!r}"]
    for k, (a, b, divisions) in enumerate(frame["beams"]):
        lines += ["[[beam]]", f'name = "b{k}"', f'nodes = ["n{a}", "n{b}"]', 'material = "m"', 'section = "q"', f"divisions = {divisions}",
                  f'theory = "{frame["theory"]}"', f'mass = "{"lumped" if frame["lumped"] else "consistent"}"',
                  f"rotary_inertia = {str(frame['rotary']).lower()}"]
    for corner, mass, offset, inertia in frame["masses"] if masses else []:
        lines += ["[[mass]]", f'node = "n{corner}"', f"mass = {mass!r}", f"inertia = {six(inertia)}", f"offset = {[float(x) for x in offset]}"]
    for corner in frame["interfaces"]:
        lines += ["[[interface]]", f'name = "n{corner}"', f'node = "n{corner}"']
    lines += ["[reduction]", f"modes = {frame['modes']}"]
    if frame["residual"]:
        lines += [f"residual = {frame['residual']}".replace("'", '"')]
    return "\n".join(lines) + "\n"


def model(frame, speed, floating, stiffening, bodies=False, outputs=()):
    """The text of a model in which the structure flies and turns."""
    first = frame["interfaces"][0]
    lines = ["[model]", 'name = "m"', "step = 1e-6", 'integrator = "generalized_alpha"', "[[flexible_body]]", 'name = "fb"',
             'rom = "s.rom.toml"', f'frame = "{floating}"', 'deformation = "static"', f'stiffening = "{stiffening}"', "[[joint]]", 'name = "c"',
             'type = "floating"', f'bodies = ["ground", "fb.n{first}"]', f"speed = {[float(x) for x in speed]}"]
    for k, (corner, mass, offset, inertia) in enumerate(frame["masses"] if bodies else []):
        com = [float(x) for x in frame["corners"][corner] + offset]
        lines += ["[[body]]", f'name = "mass{k}"', f"mass = {mass!r}", f"com = {com}", f"inertia = {six(inertia)}", "[[joint]]",
                  f'name = "weld{k}"', 'type = "fixed"', f'bodies = ["fb.n{corner}", "mass{k}"]']
    for name, quantity, keys in (("bend", "strain_energy", 'flexible_body = "fb"'), *outputs):
        lines += ["[[output]]", f'name = "{name}"', keys, f'quantity = "{quantity}"']
    return "\n".join(lines) + "\n"
