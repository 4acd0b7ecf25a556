"""What one random body is compared with."""

import csv
import subprocess
import tomllib

import numpy as np
from scipy.linalg import expm

from spinning import draw

# Largest differences. Welded masses turn by exp(θ), those of a structure by the terms of first and second order: θ is up to 1e-3. The rotor is
# integrated in steps of 5 µs. Internal forces are those of the undeformed place: turning deforms the body by (ω/ω₁)².
AGREEMENT = {"welded": 1e-4, "rotor": 2e-3, "equilibrium": 1e-5}


def run(program, folder, *arguments):
    answer = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stderr[-600:]


def columns(path):
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    return {name: np.array([float(row[k]) for row in rows]) for k, name in enumerate(head)}


def welded(number, program, folder):
    """Masses of the structure beside rigid bodies that are welded to it: strain energy and accelerations over 0.2 ms."""
    rng = np.random.default_rng([number, 1])
    frame = draw.frame(rng, at_interfaces=True)
    speed = np.concatenate([rng.normal(size=3), rng.normal(size=3)])
    stiffening = "none" if rng.random() < 0.5 else "general"
    interfaces = [(f"a{k}", "acceleration", f'body = "fb.n{k}"') for k in frame["interfaces"]]
    found = []
    for own in (True, False):
        (folder / "structure.toml").write_text(draw.structure(frame, masses=own))
        (folder / "model.toml").write_text(draw.model(frame, speed, "n0", stiffening, not own, interfaces))
        run(program, folder, "reduce", "structure.toml", "-o", "s.rom.toml")
        run(program, folder, "run", "model.toml", "--stop", "2e-4", "--step", "1e-4", "--csv", "out.csv")
        found.append(columns(folder / "out.csv"))
    own, bodies = found
    names = [name for name in own if name.startswith("a")]
    size = max(np.abs(bodies[name]).max() for name in names)
    errors = [np.abs(own[name] - bodies[name]).max() / size for name in names]
    return max(*errors, np.abs(own["bend"] - bodies["bend"]).max() / np.abs(bodies["bend"]).max())


def hermite(xi, length):
    """Deflection and slope of a beam at ξ over v₁, v₁′, v₂, v₂′."""
    n = np.array([1 - 3 * xi**2 + 2 * xi**3, length * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, length * (xi**3 - xi**2)])
    d = np.array([(6 * xi**2 - 6 * xi) / length, 1 - 4 * xi + 3 * xi**2, (6 * xi - 6 * xi**2) / length, 3 * xi**2 - 2 * xi])
    return n, d


def rotor(number, program, folder):
    """A shaft that turns, held at its root, with discs, under a force at its tip that begins: the whirling tip beside a finite-element model of
    the rotor at rest in space, M q̈ + Ω G q̇ + K q = f, q = (v, v′, w, w′) of the nodes."""
    rng = np.random.default_rng([number, 2])
    count, length, outer, inner = int(rng.integers(2, 6)), float(rng.uniform(0.4, 0.8)), float(rng.uniform(0.02, 0.03)), 0.012
    spin, force, rotary = float(rng.uniform(100, 300) * rng.choice([-1, 1])), 100.0, bool(rng.random() < 0.5)
    discs = [(count, float(rng.uniform(1, 4)), float(rng.uniform(0.12, 0.25)))]
    if rng.random() < 0.5:
        discs.append((count // 2, float(rng.uniform(1, 2)), 0.15))
    young, density = draw.STEEL
    area, second = np.pi * (outer**2 - inner**2) / 4, np.pi * (outer**4 - inner**4) / 64
    nodes = "\n".join(f"n{k} = [{length * k / count!r}, 0, 0]" for k in range(count + 1))
    beams = "\n".join(f'''[[beam]]
name = "b{k}"
nodes = ["n{k}", "n{k + 1}"]
material = "m"
section = "t"
rotary_inertia = {str(rotary).lower()}''' for k in range(count))
    # Discs with m r²/4 across and m r²/2 about the axis.
    masses = "\n".join(f'[[mass]]\nnode = "n{k}"\nmass = {m!r}\ninertia = {[m * r * r / 2, m * r * r / 4, m * r * r / 4, 0, 0, 0]}' for k, m, r in discs)
    (folder / "structure.toml").write_text(f'''[structure]
name = "s"
[nodes]
{nodes}
[[material]]
name = "m"
youngs_modulus = {young}
density = {density}
[[section]]
name = "t"
shape = "tube"
outer_diameter = {outer!r}
thickness = {(outer - inner) / 2!r}
{beams}
{masses}
[[interface]]
name = "root"
node = "n0"
[[interface]]
name = "tip"
node = "n{count}"
[reduction]
modes = {6 * (count - 1)}
''')
    (folder / "model.toml").write_text(f'''[model]
name = "m"
step = 5e-6
integrator = "generalized_alpha"
[points]
tip = [{length!r}, 0, 0]
[[flexible_body]]
name = "fb"
rom = "s.rom.toml"
frame = "root"
[[joint]]
name = "c"
type = "revolute"
bodies = ["ground", "fb.root"]
point = [0, 0, 0]
axis = [1, 0, 0]
[[guided]]
name = "spin"
joint = "c"
motion = {{ speed = {spin!r} }}
[[force]]
name = "f"
body = "fb.tip"
point = "tip"
value = [0, {force}, 0]
[[output]]
name = "tip"
body = "fb.tip"
quantity = "position"
''')
    size = 4 * (count + 1)
    mass, gyro, stiffness = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    step = length / count
    points = np.polynomial.legendre.leggauss(4)
    for e in range(count):
        v = np.arange(4 * e, 4 * e + 8)[[0, 1, 4, 5]]
        w = v + 2
        l, bend = step, young * second / step**3
        k = bend * np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l * l, -6 * l, 2 * l * l], [-12, -6 * l, 12, -6 * l],
                             [6 * l, 2 * l * l, -6 * l, 4 * l * l]])
        for x, weight in zip(*points):
            n, d = hermite(0.5 * (x + 1), step)
            m = (density * area * np.outer(n, n) + rotary * density * second * np.outer(d, d)) * weight * step / 2
            polar = 2 * density * second * np.outer(d, d) * weight * step / 2
            mass[np.ix_(v, v)] += m
            mass[np.ix_(w, w)] += m
            gyro[np.ix_(v, w)] += polar
            gyro[np.ix_(w, v)] -= polar
        stiffness[np.ix_(v, v)] += k
        stiffness[np.ix_(w, w)] += k
    for k, m, r in discs:
        v, w = 4 * k, 4 * k + 2
        mass[[v, w], [v, w]] += m
        mass[[v + 1, w + 1], [v + 1, w + 1]] += m * r * r / 4
        gyro[v + 1, w + 1] += m * r * r / 2
        gyro[w + 1, v + 1] -= m * r * r / 2
    free = slice(4, None)
    mass, gyro, stiffness = (a[free, free] for a in (mass, gyro, stiffness))
    n = len(mass)
    load = np.zeros(n)
    load[n - 4] = force
    # ẋ = A x + b from rest: x = (e^(A t) − 1) A⁻¹ b.
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, spin * gyro)]])
    rest = -np.linalg.solve(a, np.concatenate([np.zeros(n), np.linalg.solve(mass, load)]))
    advance = expm(a * 1e-3)
    x, wanted = -rest, []
    for _ in range(21):
        wanted.append((x + rest)[[n - 4, n - 2]])
        x = advance @ x
    run(program, folder, "reduce", "structure.toml", "-o", "s.rom.toml")
    run(program, folder, "run", "model.toml", "--stop", "0.02", "--step", "1e-3", "--csv", "out.csv")
    out = columns(folder / "out.csv")
    found = np.array([out["tip.y"], out["tip.z"]]).T
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def carriers(frame):
    """(node, position, mass, inertia) of the masses and of lumped beams at the nodes of the structure; and all mass and inertia of the body."""
    width, height = frame["width"], frame["height"]
    area, along = width * height, np.array([width * height * (width**2 + height**2) / 12, width * height**3 / 12, height * width**3 / 12])
    nodal = [(f"n{c}", frame["corners"][c] + offset, mass, inertia) for c, mass, offset, inertia in frame["masses"]]
    spread = []
    for k, (a, b, divisions) in enumerate(frame["beams"]):
        start, end = frame["corners"][a], frame["corners"][b]
        x = (end - start) / np.linalg.norm(end - start)
        up = np.array([0, 0, 1.0]) if frame["dimension"] == 3 else np.cross([0, 0, 1.0], x)
        if frame["dimension"] == 3 and np.hypot(x[0], x[1]) <= 1e-3:
            up = np.array([1.0, 0, 0])
        z = up - x * (x @ up)
        z /= np.linalg.norm(z)
        axes = np.array([x, np.cross(z, x), z])
        about = along * np.array([1.0, frame["rotary"], frame["rotary"]])
        names = [f"n{a}", *(f"b{k}:{i}" for i in range(1, divisions)), f"n{b}"]
        step = np.linalg.norm(end - start) / divisions
        for i in range(divisions):
            ends = [start + (end - start) * (i + j) / divisions for j in (0, 1)]
            tensor = draw.STEEL[1] * axes.T @ np.diag(about) @ axes * step
            mass = draw.STEEL[1] * area * step
            if frame["lumped"]:
                nodal += [(names[i + j], ends[j], mass / 2, tensor / 2) for j in (0, 1)]
            else:
                rod = mass * step**2 / 12 * (np.eye(3) - np.outer(x, x))
                spread.append((None, (ends[0] + ends[1]) / 2, mass, tensor + rod))
    everything = nodal + spread
    total = sum(mass for _, _, mass, _ in everything)
    centre = sum(mass * at for _, at, mass, _ in everything) / total
    arm = lambda at: at - centre
    whole = sum(inertia + mass * (np.eye(3) * (arm(at) @ arm(at)) - np.outer(arm(at), arm(at))) for _, at, mass, inertia in everything)
    return nodal, centre, whole


def equilibrium(number, program, folder):
    """Largest force that no inertia takes at a node of a free frame that turns, relative to the largest internal force (moments over the size)."""
    rng = np.random.default_rng([number, 3])
    frame = draw.frame(rng, dimension=2 if rng.random() < 0.25 else 3)
    omega = 0.3 * rng.normal(size=3)
    if frame["dimension"] == 2:
        omega[:2] = 0.0
    (folder / "structure.toml").write_text(draw.structure(frame))
    (folder / "model.toml").write_text(draw.model(frame, [0, 0, 0, *omega], "mean_axis", "general"))
    run(program, folder, "reduce", "structure.toml", "-o", "s.rom.toml", "--recovery", "s.recovery.toml")
    recovery = tomllib.loads((folder / "s.recovery.toml").read_text())
    wanted = [part for section in recovery["section"] for part in ("--recover", section["name"])]
    run(program, folder, "run", "model.toml", "--stop", "1e-6", "--step", "1e-6", "--recovery", "s.recovery.toml", "--csv", "out.csv", *wanted)
    out = columns(folder / "out.csv")
    nodes = [node["name"] for node in recovery["node"]]
    position = {node["name"]: np.array(node["position"]) for node in recovery["node"]}
    size = max(np.linalg.norm(at) for at in position.values())
    left = {name: np.zeros(6) for name in nodes}
    largest = 0.0
    for k, section in enumerate(recovery["section"]):
        axes = np.array(section["axes"])
        part = lambda word: np.array([out[f"fb.{section['name']}.{word}.{axis}"][0] for axis in words(out, section["name"], word)])
        force, moment = axes.T @ part("force"), axes.T @ part("moment")
        largest = max(largest, np.abs(force).max(), np.abs(moment).max() / size)
        left[nodes[recovery["lines"][k // 2][k % 2]]] += np.concatenate([force, moment]) * (1 - 2 * (k % 2))
    nodal, centre, whole = carriers(frame)
    if frame["dimension"] == 2:
        alpha = np.zeros(3)
    else:
        alpha = np.linalg.solve(whole, -np.cross(omega, whole @ omega))
    for name, at, mass, inertia in nodal:
        acceleration = np.cross(alpha, at - centre) + np.cross(omega, np.cross(omega, at - centre))
        force = mass * acceleration
        moment = inertia @ alpha + np.cross(omega, inertia @ omega) + np.cross(at - position[name], force)
        left[name] -= np.concatenate([force, moment])
    known = [0, 1, 5] if frame["dimension"] == 2 else range(6)
    scale = np.array([1, 1, 1, size, size, size])
    return float(max(np.abs(left[name] / scale)[known].max() for name in nodes) / largest)


def words(out, section, word):
    prefix = f"fb.{section}.{word}."
    return [name[len(prefix):] for name in out if name.startswith(prefix)]


KINDS = {"welded": welded, "rotor": rotor, "equilibrium": equilibrium}
