"""Which terms of the foreshortening matter: the spin-up beam of Gutiérrez et al. with its three modes of bending (equation 38) and more and
more terms, apart from the solver.

    python3 benches/spinup/orders.py [--program target/release/ballesta] [--write]

Needs numpy. An inextensible beam in the frame that turns with its root: the node at x has the position (x + u, v), v = Σ q_k φ_k(x), and
the shortening u(v). The equations of motion follow from the kinetic energy ½ρA ∫ (u̇ − ωv)² + (v̇ + ω(x + u))² dx and the energy of bending;
integrals by Gauss points, time by Runge-Kutta of order 4. --program compares with the same beam divided into flexible bodies in a row;
--write puts the table into docs/flexible-beams.md.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/flexible-beams.md"
MARK = "<!-- written by benches/spinup/orders.py -->\n"
LENGTH, E_MODULUS, AREA, INERTIA, DENSITY = 10.0, 7e10, 4e-4, 2e-7, 3000.0
SPEED, SPIN_UP = 6.0, 15.0
STOP, STEP = 8.0, 4e-3
# β L of the clamped-pinned beam.
BETA = (3.926602, 7.068583)
POINTS = 24

# Kept in the kinetic energy and the energy of bending, and the words of the table.
CASES = {
    "second": "second order, as `foreshortening`",
    "products": "all products of the second-order shortening −½ ∫ v′² dx",
    "shortening": "all products of the whole shortening ∫ (√(1 − v′²) − 1) dx",
    "exact": "all orders, with the bending energy of the whole curvature v″ / √(1 − v′²)",
}


def shapes(x):
    """Φ₂, Ψ₁ and Ψ₂ of equation 38 at x (m), with first and second derivative: three arrays, a row per mode."""
    s = x / LENGTH
    rows = [(1.5 * s**2 - 0.5 * s**3, (3 * s - 1.5 * s**2) / LENGTH, (3 - 3 * s) / LENGTH**2)]
    for beta in BETA:
        a = (np.sin(beta) - np.sinh(beta)) / (np.cos(beta) - np.cosh(beta))
        b, sin, cos, sinh, cosh = beta / LENGTH, np.sin(beta * s), np.cos(beta * s), np.sinh(beta * s), np.cosh(beta * s)
        rows.append((sin - sinh + a * (cosh - cos), b * (cos - cosh + a * (sinh + sin)), b**2 * (-sin - sinh + a * (cosh + cos))))
    return tuple(np.array(part) for part in zip(*rows))


def motion(t):
    """ω in rad/s and its derivative of equation 37."""
    if t >= SPIN_UP:
        return SPEED, 0.0
    turn = 2 * np.pi * t / SPIN_UP
    return SPEED / SPIN_UP * (t - SPIN_UP / (2 * np.pi) * np.sin(turn)), SPEED / SPIN_UP * (1 - np.cos(turn))


class Beam:
    """The beam with the terms of one case."""

    def __init__(self, case):
        self.case = case
        nodes, weights = np.polynomial.legendre.leggauss(POINTS)
        self.x, self.w = (nodes + 1) * LENGTH / 2, weights * LENGTH / 2
        self.v, self.d, self.dd = shapes(self.x)
        # ∫₀ˣ of the polynomial through the Gauss points, at the Gauss points.
        integrals = [np.polynomial.legendre.legint(np.eye(POINTS)[k], lbnd=-1) for k in range(POINTS)]
        primitive = np.array([np.polynomial.legendre.legval(nodes, one) for one in integrals]).T
        self.integrate = primitive @ np.linalg.inv(np.polynomial.legendre.legvander(nodes, POINTS - 1)) * LENGTH / 2
        self.mass = DENSITY * AREA * (self.v * self.w) @ self.v.T

    def acceleration(self, t, q, rate):
        omega, alpha = motion(t)
        v, v_rate = q @ self.v, rate @ self.v
        slope, slope_rate, bend = q @ self.d, rate @ self.d, q @ self.dd
        # u with ∂u/∂q, and ü less ∂u/∂q q̈. 1/r and 1/r³ are 1 in the second order.
        whole = self.case in ("shortening", "exact")
        r = np.sqrt(1 - slope**2) if whole else np.ones_like(slope)
        u = self.integrate @ (r - 1 if whole else -0.5 * slope**2)
        u_q = -(self.d * (slope / r)) @ self.integrate.T
        u_rate, u_bias = rate @ u_q, -self.integrate @ (slope_rate**2 / r**3)
        c, x = DENSITY * AREA * self.w, self.x
        if self.case == "second":
            mass, force = self.mass, -(self.v @ (c * (alpha * x - omega**2 * v))) + u_q @ (c * omega**2 * x)
        else:
            mass = self.mass + (u_q * c) @ u_q.T
            along = u_bias - 2 * omega * v_rate - alpha * v - omega**2 * (x + u)
            across = 2 * omega * u_rate + alpha * (x + u) - omega**2 * v
            force = -(u_q @ (c * along) + self.v @ (c * across))
        stiffness = E_MODULUS * INERTIA * self.w
        if self.case == "exact":
            elastic = self.dd @ (stiffness * bend / r**2) + self.d @ (stiffness * slope * bend**2 / r**4)
        else:
            elastic = self.dd @ (stiffness * bend)
        return np.linalg.solve(mass, force - elastic)


def least(case, step=STEP):
    """The least deflection of the tip in m, by a parabola through the least three values."""
    beam, tip = Beam(case), shapes(np.array([LENGTH]))[0][:, 0]
    q, rate, found = np.zeros(3), np.zeros(3), [0.0]
    for k in range(round(STOP / step)):
        t = k * step
        a1 = beam.acceleration(t, q, rate)
        v2 = rate + step / 2 * a1
        a2 = beam.acceleration(t + step / 2, q + step / 2 * rate, v2)
        v3 = rate + step / 2 * a2
        a3 = beam.acceleration(t + step / 2, q + step / 2 * v2, v3)
        v4 = rate + step * a3
        a4 = beam.acceleration(t + step, q + step * v3, v4)
        q = q + step / 6 * (rate + 2 * v2 + 2 * v3 + v4)
        rate = rate + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        found.append(tip @ q)
    a, b, c = found[np.argmin(found) - 1 : np.argmin(found) + 2]
    return b - (a - c) ** 2 / (8 * (a - 2 * b + c))


def exact():
    """The least deflection of the beam of large deformation, m."""
    with open(ROOT / "tests/reference/spinup_beam.csv") as file:
        return min(float(row["tip_v_m"]) for row in csv.DictReader(file))


PIECE = """[structure]
name = "piece"
dimension = 2
[nodes]
root = [0, 0]
tip = [{length}, 0]
[[material]]
name = "aluminium"
youngs_modulus = 7e10
density = 3000
[[section]]
name = "paper"
shape = "given"
area = 4e-4
inertia_y = 2e-7
inertia_z = 2e-7
torsion = 4e-7
[[beam]]
name = "beam"
nodes = ["root", "tip"]
material = "aluminium"
section = "paper"
divisions = {divisions}
[[interface]]
name = "root"
node = "root"
[[interface]]
name = "tip"
node = "tip"
[reduction]
modes = 2
support = "root"
"""
BODY = """[[flexible_body]]
name = "b{k}"
rom = "piece.rom.toml"
frame = "root"
stiffening = "foreshortening"
position = [{x}, 0, 0]
[[joint]]
name = "j{k}"
type = "{joint}"
bodies = ["{inboard}", "b{k}.root"]
"""
MODEL = """[model]
name = "divided"
integrator = "generalized_alpha"
[points]
O = [0, 0, 0]
tip = [10, 0, 0]
{bodies}
[[guided]]
name = "spin"
joint = "j0"
spin_up = {{ speed = 6.0, time = 15.0 }}
[[output]]
name = "tip"
body = "b{last}.tip"
point = "tip"
quantity = "position"
"""


def divided(program, count):
    """The least deflection in m of the beam as so many flexible bodies in a row, each with two internal modes."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, length = Path(scratch), LENGTH / count
        (folder / "structure.toml").write_text(PIECE.format(length=length, divisions=64 // count))
        bodies = "".join(
            BODY.format(k=k, x=k * length, joint="fixed" if k else "revolute", inboard=f"b{k - 1}.tip" if k else "ground")
            + ("" if k else 'point = "O"\naxis = [0, 0, 1]\n')
            for k in range(count)
        )
        (folder / "model.toml").write_text(MODEL.format(bodies=bodies, last=count - 1))
        for command in (
            ["reduce", folder / "structure.toml", "-o", folder / "piece.rom.toml"],
            ["run", folder / "model.toml", "--stop", str(STOP), "--step", "1e-3", "--csv", folder / "out.csv"],
        ):
            subprocess.run([program, *command], check=True, capture_output=True)
        with open(folder / "out.csv") as file:
            rows = [[float(row[name]) for name in ("time", "tip.x", "tip.y")] for row in csv.DictReader(file)]
    t, x, y = np.array(rows).T
    part = SPIN_UP / (2 * np.pi)
    angle = SPEED / SPIN_UP * (t**2 / 2 + part**2 * (np.cos(t / part) - 1))
    return min(y * np.cos(angle) - x * np.sin(angle))


def table(program=None):
    """The rows of the page."""
    reference = exact()
    rows = [(words, least(case)) for case, words in CASES.items()]
    if program:
        rows += [(f"second order, {count} flexible bodies in a row", divided(program, count)) for count in (2, 4)]
    lines = ["| terms | least deflection, m | less the exact beam's, mm |", "|---|---|---|"]
    for words, value in [*rows, ("exact beam", reference)]:
        number, off = f"{value:.5f}".replace("-", "−"), f"{1e3 * (value - reference):.2f}".replace("-", "−")
        lines.append(f"| {words} | {number} | {'' if value == reference else off} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, help="ballesta, for the beam as several bodies")
    parser.add_argument("--write", action="store_true", help="write the table into docs/flexible-beams.md; needs --program")
    options = parser.parse_args()
    if options.write and not options.program:
        parser.error("--write needs --program")
    text = table(options.program and options.program.resolve())
    print(text, end="")
    if options.write:
        head, rest = PAGE.read_text().split(MARK)
        PAGE.write_text(head + MARK + text + rest[rest.index("<!-- end -->") :])


if __name__ == "__main__":
    main()
