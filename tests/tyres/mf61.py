#!/usr/bin/env python3
"""Magic Formula 6.1, written from the published equations apart from the Rust code; writes mf61*.csv beside this file.

Besselink, Schmeitz, Pacejka, Vehicle System Dynamics 48 (2010) S1, 337-352, and Pacejka, Tire and Vehicle Dynamics, 3rd
edition (2012), equations 4.E1-4.E78, steady state, in the axes W of ISO 8855, forward motion; mf61_spin.csv with turn slip (section
4.3.3), whose torque opposes the spin and has at least the slope of its limit.
alpha and gamma in radians, not their tangent and sine; A_mu = 1 in 4.E8; Bt, Dt with signed camber and Mx as in the paper.

Usage: python3 tests/tyres/mf61.py
"""

import itertools
import pathlib
from math import acos, atan, cos, exp, pi, sin, sqrt, tan

HERE = pathlib.Path(__file__).parent
# Coefficients of turn slip for the file, which has none (invented).
SPIN = dict(PECP1=0.6, PECP2=-0.1, PDXP1=0.5, PDXP2=0.2, PDXP3=3.0, PKYP1=0.9, PDYP1=0.45, PDYP2=-0.1, PDYP3=2.0, PDYP4=0.1, PHYP1=1.1,
            PHYP2=0.14, PHYP3=0.03, PHYP4=-3.0, QDTP1=8.0, QCRP1=0.18, QCRP2=0.12, QBRP1=0.15, QDRP1=0.95, QDRP2=-0.3)


def coefficients(path):
    """Numbers of a tyre file in SI units: key = value, comments from $ or !."""
    values = {}
    for line in path.read_text().splitlines():
        key, equals, value = line.split("$")[0].split("!")[0].partition("=")
        try:
            if equals:
                values[key.strip()] = float(value)
        except ValueError:
            pass  # texts
    return type("Coefficients", (), values)


def sgn(x):
    return (x > 0) - (x < 0)


def magic(trig, b, c, e, x):
    """The formula without its peak: trig is sin or cos."""
    return trig(c * atan(b * x - e * (b * x - atan(b * x))))


def evaluate(k, fz, kappa, alpha, gamma, pressure, speed, spin=None):
    """spin: R0 times the turn slip; None without it, when all factors zeta are 1."""
    fz0 = k.LFZO * k.FNOMIN                                                        # 4.E1
    df = (fz - fz0) / fz0                                                          # 4.E2a
    dp = (pressure - k.NOMPRES) / k.NOMPRES                                        # 4.E2b

    # Factors of spin
    x = spin or 0.0
    zeta1 = zeta2 = zeta3 = zeta5 = zeta6 = 1.0
    if spin is not None:
        zeta1 = cos(atan(k.PDXP1 * (1 + k.PDXP2 * df) * cos(atan(k.PDXP3 * kappa)) * x))            # 4.105, 4.106
        zeta2 = cos(atan(k.PDYP1 * (1 + k.PDYP2 * df) * cos(atan(k.PDYP3 * tan(alpha))) * (
            abs(x) + k.PDYP4 * sqrt(abs(x)))))                                     # 4.77, 4.78
        zeta3 = cos(atan(k.PKYP1 * x**2))                                          # 4.79
        zeta5, zeta6 = cos(atan(k.QDTP1 * x)), cos(atan(k.QBRP1 * x))              # 4.91, 4.102
    left = 1 - getattr(k, "PECP1", 0.0) * (1 + getattr(k, "PECP2", 0.0) * df)                                     # 4.90

    # Longitudinal force at pure slip
    shx = (k.PHX1 + k.PHX2 * df) * k.LHX                                           # 4.E17
    svx = fz * (k.PVX1 + k.PVX2 * df) * k.LVX * k.LMUX * zeta1                     # 4.E18
    kx = kappa + shx                                                               # 4.E10
    mux = (k.PDX1 + k.PDX2 * df) * (1 + k.PPX3 * dp + k.PPX4 * dp**2) * (1 - k.PDX3 * gamma**2) * k.LMUX  # 4.E13
    cx, dx = k.PCX1 * k.LCX, mux * fz * zeta1                                           # 4.E11, 4.E12
    ex = min(1, (k.PEX1 + k.PEX2 * df + k.PEX3 * df**2) * (1 - k.PEX4 * sgn(kx)) * k.LEX)  # 4.E14
    kxk = fz * (k.PKX1 + k.PKX2 * df) * exp(k.PKX3 * df) * (1 + k.PPX1 * dp + k.PPX2 * dp**2) * k.LKX  # 4.E15
    fx0 = dx * magic(sin, kxk / (cx * dx), cx, ex, kx) + svx                       # 4.E9, 4.E16

    # Lateral force at pure slip, also without camber
    def lateral(g, zeta2=1.0, zeta3=1.0, spin=None):
        kya = zeta3 * k.PKY1 * fz0 * (1 + k.PPY1 * dp) * (1 - k.PKY3 * abs(g)) * k.LKY * sin(
            k.PKY4 * atan(fz / fz0 / ((k.PKY2 + k.PKY5 * g**2) * (1 + k.PPY2 * dp))))  # 4.E25
        svyg = fz * (k.PVY3 + k.PVY4 * df) * g * k.LKYC * k.LMUY * zeta2           # 4.E28
        kyg0 = fz * (k.PKY6 + k.PKY7 * df) * (1 + k.PPY5 * dp) * k.LKYC            # 4.E30
        shy = (k.PHY1 + k.PHY2 * df) * k.LHY + (kyg0 * g - svyg) / kya             # 4.E27
        if spin is not None:
            kya0 = zeta3 * k.PKY1 * fz0 * (1 + k.PPY1 * dp) * k.LKY * sin(k.PKY4 * atan(fz / fz0 / (k.PKY2 * (1 + k.PPY2 * dp))))
            c, d = k.PHYP1, k.PHYP2 + k.PHYP3 * df                                 # 4.85, 4.86
            shift = d * magic(sin, kyg0 / left / (c * d * kya0), c, min(1, k.PHYP4), spin)  # 4.80, 4.87-4.89
            shy = (k.PHY1 + k.PHY2 * df) * k.LHY + shift - svyg / kya              # 4.83, 4.84
        svy = fz * (k.PVY1 + k.PVY2 * df) * k.LVY * k.LMUY * zeta2 + svyg          # 4.E29
        muy = (k.PDY1 + k.PDY2 * df) * (1 + k.PPY3 * dp + k.PPY4 * dp**2) * (1 - k.PDY3 * g**2) * k.LMUY  # 4.E23
        ay = alpha + shy                                                           # 4.E20
        ey = min(1, (k.PEY1 + k.PEY2 * df) * (1 + k.PEY5 * g**2 - (k.PEY3 + k.PEY4 * g) * sgn(ay)) * k.LEY)  # 4.E24
        cy, dy = k.PCY1 * k.LCY, muy * fz * zeta2                                     # 4.E21, 4.E22
        by = kya / (cy * dy)                                                       # 4.E26
        return dict(fy=dy * magic(sin, by, cy, ey, ay) + svy, k=kya, sh=shy, sv=svy, mu=muy, bc=by * cy)  # 4.E19

    y, upright = lateral(gamma, zeta2, zeta3, spin), lateral(0.0)

    # Weights of combined slip
    def weight(b, c, e, x, shift):
        return magic(cos, b, c, e, x + shift) / magic(cos, b, c, e, shift)

    gx = weight((k.RBX1 + k.RBX3 * gamma**2) * cos(atan(k.RBX2 * kappa)) * k.LXAL, k.RCX1,
                min(1, k.REX1 + k.REX2 * df), alpha, k.RHX1)                       # 4.E51-4.E57
    fx = gx * fx0                                                                  # 4.E50
    gy = weight((k.RBY1 + k.RBY4 * gamma**2) * cos(atan(k.RBY2 * (alpha - k.RBY3))) * k.LYKA, k.RCY1,
                min(1, k.REY1 + k.REY2 * df), kappa, k.RHY1 + k.RHY2 * df)         # 4.E59-4.E65
    dvyk = y["mu"] * fz * (k.RVY1 + k.RVY2 * df + k.RVY3 * gamma) * cos(atan(k.RVY4 * alpha)) * zeta2  # 4.E67
    fy = gy * y["fy"] + dvyk * sin(k.RVY5 * atan(k.RVY6 * kappa)) * k.LVYKA        # 4.E58, 4.E66

    # Aligning moment: trail with the force at zero camber, residual torque, arm of Fx
    at = alpha + k.QHZ1 + k.QHZ2 * df + (k.QHZ3 + k.QHZ4 * df) * gamma             # 4.E34, 4.E35
    ar = alpha + y["sh"] + y["sv"] / y["k"]                                        # 4.E37, 4.E38
    bt = (k.QBZ1 + k.QBZ2 * df + k.QBZ3 * df**2) * (1 + k.QBZ4 * gamma + k.QBZ5 * abs(gamma)) * k.LKY / k.LMUY  # paper 84
    dt = fz * k.UNLOADED_RADIUS / k.FNOMIN * (k.QDZ1 + k.QDZ2 * df) * (1 - k.PPZ1 * dp) * (
        1 + k.QDZ3 * gamma + k.QDZ4 * gamma**2) * k.LTR * zeta5                    # paper 86
    et = min(1, (k.QEZ1 + k.QEZ2 * df + k.QEZ3 * df**2) * (
        1 + (k.QEZ4 + k.QEZ5 * gamma) * 2 / pi * atan(bt * k.QCZ1 * at)))          # 4.E44
    br = (k.QBZ9 * k.LKY / k.LMUY + k.QBZ10 * y["bc"]) * zeta6                     # 4.E45
    dr = fz * k.UNLOADED_RADIUS * k.LMUY * ((k.QDZ6 + k.QDZ7 * df) * k.LRES + (
        (k.QDZ8 + k.QDZ9 * df) * (1 + k.PPZ2 * dp) + (k.QDZ10 + k.QDZ11 * df) * abs(gamma)) * gamma * k.LKZC)  # 4.E47

    torque, zeta7 = 0.0, 1.0
    if spin is not None:
        most = k.QCRP1 * y["mu"] * k.UNLOADED_RADIUS * fz * sqrt(fz / fz0)         # 4.95
        slope = abs(fz * k.UNLOADED_RADIUS * (k.QDZ8 + k.QDZ9 * df) * (1 + k.PPZ2 * dp) * k.LKZC) / left  # 4.99
        bound = most / sin(pi / 2 * k.QDRP1)                                       # 4.94
        torque = -bound * magic(sin, max(slope, most) / (k.QDRP1 * bound), k.QDRP1, k.QDRP2, x)  # 4.93, 4.96-4.98
        across = most * 2 / pi * atan(k.QCRP2 * abs(x)) * gy                       # 4.103
        zeta7 = 2 / pi * acos(min(0.999, across / (abs(torque) + 1e-3 * most)))    # 4.104
        dr = fz * k.UNLOADED_RADIUS * k.LMUY * (k.QDZ6 + k.QDZ7 * df) * k.LRES * zeta2

    def aligning(t_angle, r_angle, force):
        trail = dt * magic(cos, bt, k.QCZ1, et, t_angle) * cos(alpha)              # 4.E33
        if spin is None:
            return -trail * force + dr * cos(atan(br * r_angle)) * cos(alpha)      # 4.E31, 4.E32, 4.E36
        return -trail * force + (dr * cos(alpha) + torque) * cos(zeta7 * atan(br * r_angle))

    def equivalent(angle):
        return atan(sqrt(tan(angle) ** 2 + (kxk / y["k"] * kappa) ** 2)) * sgn(angle)  # paper 80, 81

    mz0 = aligning(at, ar, upright["fy"])
    arm = k.UNLOADED_RADIUS * (k.SSZ1 + k.SSZ2 * fy / k.FNOMIN + (k.SSZ3 + k.SSZ4 * df) * gamma) * k.LS  # 4.E76
    mz = aligning(equivalent(at), equivalent(ar), gy * upright["fy"]) + arm * fx   # 4.E71-4.E75

    # Overturning couple (paper 49) and rolling resistance (4.E70 with the sign that brakes)
    nf, ny = fz / k.FNOMIN, fy / k.FNOMIN
    mx = k.UNLOADED_RADIUS * fz * k.LMX * (
        k.QSX1 * k.LVMX - k.QSX2 * gamma * (1 + k.PPMX1 * dp) - k.QSX12 * gamma * abs(gamma) + k.QSX3 * ny
        + k.QSX4 * cos(k.QSX5 * atan((k.QSX6 * nf) ** 2)) * sin(k.QSX7 * gamma + k.QSX8 * atan(k.QSX9 * ny))
        + k.QSX10 * atan(k.QSX11 * nf) * gamma) + k.UNLOADED_RADIUS * k.LMX * fy * (k.QSX13 + k.QSX14 * abs(gamma))
    v = abs(speed) / k.LONGVL
    my = -k.UNLOADED_RADIUS * k.FNOMIN * k.LMY * (
        k.QSY1 + k.QSY2 * fx / k.FNOMIN + k.QSY3 * v + k.QSY4 * v**4 + (k.QSY5 + k.QSY6 * nf) * gamma**2
    ) * nf**k.QSY7 * (pressure / k.NOMPRES) ** k.QSY8

    # Relaxation lengths (paper 17-20)
    stiff_x = k.LONGITUDINAL_STIFFNESS * (1 + k.PCFX1 * df + k.PCFX2 * df**2) * (1 + k.PCFX3 * dp)
    stiff_y = k.LATERAL_STIFFNESS * (1 + k.PCFY1 * df + k.PCFY2 * df**2) * (1 + k.PCFY3 * dp)
    return fx0, y["fy"], mz0, fx, fy, mx, my, mz, kxk / stiff_x, abs(y["k"]) / stiff_y


def vertical(k, rho, spin, fx, fy, pressure):
    """Load (paper 2-5) and effective radius (paper 6, 7) at that load."""
    dp = (pressure - k.NOMPRES) / k.NOMPRES
    r, v = k.UNLOADED_RADIUS, k.LONGVL
    q_fz1 = sqrt((k.VERTICAL_STIFFNESS * r / k.FNOMIN) ** 2 - 4 * k.Q_FZ2)
    fz = (1 + k.Q_V2 * r / v * abs(spin) - (k.Q_FCX * fx / k.FNOMIN) ** 2 - (k.Q_FCY * fy / k.FNOMIN) ** 2) * (
        q_fz1 * rho / r + k.Q_FZ2 * (rho / r) ** 2) * (1 + k.PFZ1 * dp) * k.FNOMIN
    rim = r - k.RIM_RADIUS - k.BOTTOM_OFFST
    fz += k.BOTTOM_STIFF * max(0.0, rho - rim)
    stiffness = k.VERTICAL_STIFFNESS * (1 + k.PFZ1 * dp)
    free = r * (k.Q_RE0 + k.Q_V1 * (r * spin / v) ** 2)
    n = fz / k.FNOMIN
    return fz, free - k.FNOMIN / stiffness * (k.FREFF * n + k.DREFF * atan(k.BREFF * n))


def write(name, header, rows):
    lines = [header] + [",".join(repr(float(value)) for value in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def main():
    k = coefficients(HERE / "mf61_205_60R16.tir")
    points = []
    for fz, pressure in itertools.product((1200.0, 4000.0, 8500.0), (180e3, 230e3, 300e3)):
        points += [(fz, kappa, 0.0, 0.0, pressure) for kappa in (-0.9, -0.1, 0.0, 0.02, 0.3)]
        points += [(fz, 0.0, alpha, gamma, pressure) for alpha in (-0.2, -0.03, 0.0, 0.01, 0.12) for gamma in (-0.08, 0.0, 0.15)]
        points += [(fz, kappa, alpha, gamma, pressure)
                   for kappa in (-0.2, 0.05) for alpha in (-0.08, 0.03) for gamma in (-0.05, 0.1)]
    speeds = itertools.cycle((10.0, 16.7, 30.0))
    rows = []
    for point in points:
        speed = next(speeds)
        rows.append((*point, speed, *evaluate(k, *point, speed)))
    write("mf61.csv", "Fz_N,kappa,alpha_rad,gamma_rad,pressure_Pa,Vx_mps,Fx_pure_N,Fy_pure_N,Mz_pure_Nm,Fx_N,Fy_N,Mx_Nm,My_Nm,"
          "Mz_Nm,sigma_kappa_m,sigma_alpha_m", rows)
    for key, value in SPIN.items():
        setattr(k, key, value)
    rows = [(*point[:4], x, *evaluate(k, *point, 16.7, x)[3:8]) for point, x in zip(
        (point for point in points if point[4] == k.INFLPRES), itertools.cycle((-3.0, -0.4, -0.02, 0.0, 0.05, 0.3, 1.5)))]
    write("mf61_spin.csv", "Fz_N,kappa,alpha_rad,gamma_rad,R0_phi,Fx_N,Fy_N,Mx_Nm,My_Nm,Mz_Nm", rows)
    grid = itertools.product((0.001, 0.01, 0.03, 0.07, 0.104), (0.0, 50.0, 120.0), ((0.0, 0.0), (3000.0, -2000.0)), (180e3, 250e3))
    rows = [(rho, spin, fx, fy, p, *vertical(k, rho, spin, fx, fy, p)) for rho, spin, (fx, fy), p in grid]
    write("mf61_vertical.csv", "deflection_m,spin_radps,Fx_N,Fy_N,pressure_Pa,Fz_N,effective_radius_m", rows)


if __name__ == "__main__":
    main()
