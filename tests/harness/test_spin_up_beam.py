"""The spin-up beam of Gutiérrez et al. next to calculations in numpy: which terms of the foreshortening `stiffening` keeps, and the section
forces of a stiffened element (equations 22 and 23)."""

import csv
import subprocess
import sys

import numpy as np

from gallery import PROGRAM, ROOT, SCRATCH

sys.path.insert(0, str(ROOT / "benches/spinup"))
import orders  # noqa: E402

ELEMENTS = 64
H = orders.LENGTH / ELEMENTS
EA, EI = orders.E_MODULUS * orders.AREA, orders.E_MODULUS * orders.INERTIA


def run(model, stop, step):
    """The rows of a model of the spin-up beam, by the names of its outputs."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    table = SCRATCH / f"{model}.csv"
    command = [PROGRAM, "run", ROOT / f"models/spinup_beam/{model}.toml", "--stop", str(stop), "--step", str(step), "--csv", table]
    subprocess.run(command, check=True, capture_output=True)
    with open(table) as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_the_foreshortening_is_kept_to_second_order():
    second, products, whole = (orders.least(case) for case in ("second", "products", "exact"))
    least = run("paper_3", 8, 1e-3)["tip.y"].min()
    assert abs(least - second) < 2e-5 and abs(second + 0.57432) < 1e-5, (least, second)
    # More terms of the kinetic energy alone lead away from the exact beam; all terms of both energies lead to it.
    assert abs(products + 0.57579) < 1e-5 and abs(least - products) > 1e-3, products
    reference = orders.exact()
    assert abs(whole - reference) < 2e-4 < abs(second - reference) < 6e-4 < abs(products - reference)


def linear():
    """K_L of an element, equation 7: (u, v, θ) of both nodes."""
    k = np.zeros((6, 6))
    k[np.ix_([0, 3], [0, 3])] = EA / H * np.array([[1, -1], [-1, 1]])
    bending = [[12, 6 * H, -12, 6 * H], [6 * H, 4 * H**2, -6 * H, 2 * H**2], [-12, -6 * H, 12, -6 * H], [6 * H, 2 * H**2, -6 * H, 4 * H**2]]
    k[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = EI / H**3 * np.array(bending)
    return k


def geometric():
    """K_GL of an element, equation 8 without EA/L (u₂ − u₁): ∫ N′ᵀ N′ dx of the cubics, by three Gauss points, which are exact."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    s, w = (nodes + 1) / 2, weights * H / 2
    slopes = np.array([(6 * s**2 - 6 * s) / H, 1 - 4 * s + 3 * s**2, (6 * s - 6 * s**2) / H, 3 * s**2 - 2 * s])
    k = np.zeros((6, 6))
    k[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = (slopes * w) @ slopes.T
    return k


def test_the_misprint_of_equation_8_would_bend_an_element_that_only_turns():
    right = geometric()
    printed = {(1, 1): 6 / (5 * H), (1, 2): 1 / 10, (1, 4): -6 / (5 * H), (2, 2): 2 * H / 15, (2, 4): -1 / 10, (4, 5): -1 / 10}
    assert all(abs(right[i, j] - value) < 1e-12 for (i, j), value in printed.items())
    # Turned by 1 rad, without bending: the string's ±1 N across at the ends, and no moments.
    turned = np.array([0, 0, 1, 0, H, 1])
    assert np.allclose(right @ turned, [0, -1, 0, 0, 1, 0], atol=1e-12)
    misprint = right.copy()
    misprint[2, 5] = misprint[5, 2] = H / 30
    assert abs(right[2, 5] + H / 30) < 1e-12 and np.allclose((misprint @ turned)[[2, 5]], H / 15)


def amplitudes(times):
    """Model 1: η₁, η₂, ξ₁, ξ₂ at these times, s, by Runge-Kutta of order 4."""
    beam = orders.Beam("second")
    x, w, v, d, dd = beam.x, beam.w, beam.v, beam.d, beam.dd
    rho, axial = orders.DENSITY * orders.AREA, x / orders.LENGTH
    mass = np.zeros((4, 4))
    mass[0, 0], mass[1:, 1:] = rho * w @ axial**2, beam.mass
    coupling, lever, length = rho * (v * w) @ axial, rho * (v * w) @ x, rho * w @ (axial * x)
    bending, stress = EI * (dd * w) @ dd.T, (d * w) @ d.T
    inverse = np.linalg.inv(mass)

    def rates(t, y):
        omega, alpha = orders.motion(t)
        a, q, a_rate, q_rate = y[0], y[1:4], y[4], y[5:]
        along = 2 * omega * coupling @ q_rate + alpha * coupling @ q + omega**2 * (length + mass[0, 0] * a) - EA / orders.LENGTH * a
        across = -2 * omega * coupling * a_rate - alpha * (lever + coupling * a) + omega**2 * (beam.mass @ q)
        across -= (bending + EA / orders.LENGTH * a * stress) @ q
        return np.concatenate([y[4:], inverse @ np.concatenate([[along], across])])

    y, step, t, found = np.zeros(8), 1e-3, 0.0, []
    for time in times:
        for _ in range(round((time - t) / step)):
            k1 = rates(t, y)
            k2 = rates(t + step / 2, y + step / 2 * k1)
            k3 = rates(t + step / 2, y + step / 2 * k2)
            k4 = rates(t + step, y + step * k3)
            y, t = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + step
        found.append(y[:4])
    return np.array(found)


def test_section_forces_of_displacements_are_those_of_stiffened_elements():
    # Root: first element, first node; middle: the element beyond it; tip: last element, second node.
    sections = {"root": (0, 0), "middle": (ELEMENTS // 2, 0), "tip": (ELEMENTS - 1, 1)}
    rows = run("paper_1", 9, 0.5)
    found = amplitudes(rows["time"])
    k_l, k_g = linear(), geometric()
    largest_geometric = np.zeros(3)
    for name, (element, node) in sections.items():
        at = np.array([element, element + 1]) * H
        v, slope, _ = orders.shapes(at)
        u = np.zeros((4, 6))
        u[0, [0, 3]] = at / orders.LENGTH
        u[1:, [1, 4]], u[1:, [2, 5]] = v, slope
        ends = np.array([(k_l + EA / orders.LENGTH * y[0] * k_g) @ (y @ u) for y in found])
        alone = np.array([k_l @ (y @ u) for y in found])
        # What the part beyond exerts; the element's z is y of the structure, its y is −z.
        side = slice(3, 6) if node else slice(0, 3)
        sign = 1.0 if node else -1.0
        forces, without = sign * ends[:, side], sign * alone[:, side]
        ours = np.stack([rows[f"{name}.force.x"], rows[f"{name}.force.z"], -rows[f"{name}.moment.y"]], axis=1)
        off = np.abs(ours - forces).max(axis=0)
        assert (off < [1e-3, 1e-3, 1e-3]).all(), (name, off)
        largest_geometric = np.maximum(largest_geometric, np.abs(forces - without).max(axis=0))
    # The comparison would see it if the geometric part were not there; it has none of the axial force.
    assert largest_geometric[0] == 0.0 and largest_geometric[1] > 10.0 and largest_geometric[2] > 0.02, largest_geometric
