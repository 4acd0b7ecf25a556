"""Forces of a tyre by the Magic Formula, written from H. B. Pacejka, Tire and Vehicle Dynamics, 3rd edition, section 4.3 (4.E1-4.E78), and for
MF 5.2 from the equations of PAC2002 in the 2nd edition, apart from the program. Where the book leaves a choice it is that of docs/tyres.md.
"""

import re
from math import atan, cos, exp, pi, sin, sqrt, tan

# What stands for a key that a file does not have, where that is not 0.
ONE = ("LFZO LCX LMUX LEX LKX LHX LVX LCY LMUY LEY LKY LHY LVY LGAX LGAY LGAZ LKYC LKZC LTR LRES LXAL LYKA LVYKA LS LSGKP LSGAL LMX LVMX "
       "LMY QSY7").split()


def read(text):
    """Keys of a property file and their numbers; texts are left out. SI units."""
    values = dict.fromkeys(ONE, 1.0) | {"PKY4": 2.0, "LONGVL": 16.7}
    for line in text.splitlines():
        found = re.match(r"\s*(\w+)\s*=\s*([-+.\deE]+)\s*([$!].*)?$", line)
        if found:
            values[found[1].upper()] = float(found[2])
    return values


# What 6.1 brought, beside PKY4 and QSY7, which are not 0 without.
LATER = ("PEY5 PKY5 PKY6 PKY7 PPY5 PPMX1 RBX3 RBY4 QDZ10 QDZ11 QSY5 QSY6 QSY8 QSX4 QSX5 QSX6 QSX7 QSX8 QSX9 QSX10 QSX11 QSX12 "
         "QSX13 QSX14").split()
# Effects of the pressure, which both have.
PRESSURE = "PPX1 PPX2 PPX3 PPX4 PPY1 PPY2 PPY3 PPY4 PPZ1 PPZ2".split()


class Values(dict):
    def __missing__(self, key):
        return 0.0


def sign(x):
    return (x > 0) - (x < 0)


def bend(b, c, e, x):
    """C atan(Bx - E(Bx - atan Bx))."""
    return c * atan(b * x - e * (b * x - atan(b * x)))


class Tyre:
    """A tyre on the side of its coefficients, on a road with the friction of the measurements, rolling faster than VXLOW."""

    def __init__(self, text):
        self.v = Values(read(text))
        self.later = self.v["FITTYP"] in (61, 62)
        if not self.later:
            # Files of 5.2 have keys of 6.1 that are not used; 0 is what they stand for without.
            self.v.update(dict.fromkeys(LATER, 0.0) | {"PKY4": 2.0, "QSY7": 1.0})
        for least, most in (("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX")):
            if self.v.get(least, -9.0) < 0 == self.v.get(most):
                self.v[most] = -self.v[least]

    def side(self, load, alpha, gamma, dfz, dpi):
        """What Fy at pure slip is made of: By, Cy, Dy, SHy, SVy, Kya, mu_y, and Fy (4.E19-4.E30)."""
        v = self.v
        g = gamma * (1.0 if self.later else v["LGAY"])
        largest = v["PKY1"] * v["FNOMIN"] * v["LFZO"] * (1 + v["PPY1"] * dpi) * (1 - v["PKY3"] * abs(g)) * v["LKY"]
        relative = load / (v["FNOMIN"] * v["LFZO"]) / ((v["PKY2"] + v["PKY5"] * g * g) * (1 + v["PPY2"] * dpi))
        stiffness = largest * sin(v["PKY4"] * atan(relative))
        mu = (v["PDY1"] + v["PDY2"] * dfz) * (1 + v["PPY3"] * dpi + v["PPY4"] * dpi**2) * (1 - v["PDY3"] * g * g) * v["LMUY"]
        by_camber = load * (v["PVY3"] + v["PVY4"] * dfz) * g * v["LKYC"] * v["LMUY"]
        sv = load * (v["PVY1"] + v["PVY2"] * dfz) * v["LVY"] * v["LMUY"] + by_camber
        sh = (v["PHY1"] + v["PHY2"] * dfz) * v["LHY"]
        if self.later:
            thrust = load * (v["PKY6"] + v["PKY7"] * dfz) * (1 + v["PPY5"] * dpi) * v["LKYC"]
            sh += (thrust * g - by_camber) / stiffness
        else:
            sh += v["PHY3"] * g
        c, d = v["PCY1"] * v["LCY"], mu * load
        b = stiffness / (c * d)
        x = alpha + sh
        e = (v["PEY1"] + v["PEY2"] * dfz) * (1 + v["PEY5"] * g * g - (v["PEY3"] + v["PEY4"] * g) * sign(x)) * v["LEY"]
        return b, c, d, sh, sv, stiffness, mu, d * sin(bend(b, c, min(e, 1.0), x)) + sv

    def weigh_side(self, kappa, alpha, gamma, dfz):
        """Gyk (4.E58-4.E64)."""
        v = self.v
        if v["RCY1"] == 0:
            return 1.0
        b = (v["RBY1"] + v["RBY4"] * gamma**2) * cos(atan(v["RBY2"] * (alpha - v["RBY3"]))) * v["LYKA"]
        e, shift = min(v["REY1"] + v["REY2"] * dfz, 1.0), v["RHY1"] + v["RHY2"] * dfz
        return cos(bend(b, v["RCY1"], e, kappa + shift)) / cos(bend(b, v["RCY1"], e, shift))

    def forces(self, load, kappa, alpha, gamma, speed, pressure):
        """Fx, Fy, Mx, My, Mz at combined slip; a negative speed is a tyre turned by half a turn."""
        v = self.v
        if speed < 0:
            fx, fy, mx, my, mz = self.forces(load, -kappa, -alpha, -gamma, -speed, pressure)
            return -fx, -fy, -mx, -my, mz
        r0, fz0, nominal = v["UNLOADED_RADIUS"], v["FNOMIN"], v["FNOMIN"] * v["LFZO"]
        dfz = (load - nominal) / nominal
        nominal_pressure = v["NOMPRES"] or v["INFLPRES"]
        dpi = (pressure - nominal_pressure) / nominal_pressure if nominal_pressure else 0.0

        # Fx at pure slip: 4.E9-4.E18.
        g = gamma * (1.0 if self.later else v["LGAX"])
        mux = (v["PDX1"] + v["PDX2"] * dfz) * (1 + v["PPX3"] * dpi + v["PPX4"] * dpi**2) * (1 - v["PDX3"] * g * g) * v["LMUX"]
        kx = load * (v["PKX1"] + v["PKX2"] * dfz) * exp(v["PKX3"] * dfz) * (1 + v["PPX1"] * dpi + v["PPX2"] * dpi**2) * v["LKX"]
        shx = (v["PHX1"] + v["PHX2"] * dfz) * v["LHX"]
        svx = load * (v["PVX1"] + v["PVX2"] * dfz) * v["LVX"] * v["LMUX"]
        c, d, x = v["PCX1"] * v["LCX"], mux * load, kappa + shx
        e = (v["PEX1"] + v["PEX2"] * dfz + v["PEX3"] * dfz**2) * (1 - v["PEX4"] * sign(x)) * v["LEX"]
        fx = d * sin(bend(kx / (c * d), c, min(e, 1.0), x)) + svx
        # Combined: 4.E50-4.E57.
        if v["RCX1"] != 0:
            b = (v["RBX1"] + v["RBX3"] * gamma**2) * cos(atan(v["RBX2"] * kappa)) * v["LXAL"]
            e = min(v["REX1"] + v["REX2"] * dfz, 1.0)
            fx *= cos(bend(b, v["RCX1"], e, alpha + v["RHX1"])) / cos(bend(b, v["RCX1"], e, v["RHX1"]))

        by, cy, _, shy, svy, ky, muy, pure = self.side(load, alpha, gamma, dfz, dpi)
        weight = self.weigh_side(kappa, alpha, gamma, dfz)
        # 4.E65, 4.E66.
        largest = muy * load * (v["RVY1"] + v["RVY2"] * dfz + v["RVY3"] * gamma) * cos(atan(v["RVY4"] * alpha))
        ply_steer = largest * sin(v["RVY5"] * atan(v["RVY6"] * kappa)) * v["LVYKA"]
        fy = weight * pure + ply_steer

        # Mz: 4.E31-4.E49, 4.E71-4.E78. The force at the trail is that of an upright tyre in 6.1, weighed at its camber (docs/tyres.md).
        at_trail = weight * self.side(load, alpha, 0.0, dfz, dpi)[7] if self.later else fy - ply_steer
        g = gamma * (1.0 if self.later else v["LGAZ"])
        trail_angle = alpha + v["QHZ1"] + v["QHZ2"] * dfz + (v["QHZ3"] + v["QHZ4"] * dfz) * g
        residual_angle = alpha + shy + svy / ky

        def with_slip(angle):
            return atan(sqrt(tan(angle)**2 + (kx / ky)**2 * kappa**2)) * (sign(angle) or 1)

        bt = (v["QBZ1"] + v["QBZ2"] * dfz + v["QBZ3"] * dfz**2) * (1 + v["QBZ4"] * g + v["QBZ5"] * abs(g)) * v["LKY"] / v["LMUY"]
        dt = load * r0 / fz0 * (v["QDZ1"] + v["QDZ2"] * dfz) * (1 - v["PPZ1"] * dpi) * (1 + v["QDZ3"] * g + v["QDZ4"] * g * g) * v["LTR"]
        et = v["QEZ1"] + v["QEZ2"] * dfz + v["QEZ3"] * dfz**2
        et *= 1 + (v["QEZ4"] + v["QEZ5"] * g) * 2 / pi * atan(bt * v["QCZ1"] * trail_angle)
        trail = dt * cos(bend(bt, v["QCZ1"], min(et, 1.0), with_slip(trail_angle))) * cos(alpha)
        br = v["QBZ9"] * v["LKY"] / v["LMUY"] + v["QBZ10"] * by * cy
        dr = (v["QDZ6"] + v["QDZ7"] * dfz) * v["LRES"]
        dr += ((v["QDZ8"] + v["QDZ9"] * dfz) * (1 + v["PPZ2"] * dpi) + (v["QDZ10"] + v["QDZ11"] * dfz) * abs(g)) * g * v["LKZC"]
        residual = load * r0 * dr * v["LMUY"] * cos(atan(br * with_slip(residual_angle))) * cos(alpha)
        arm = r0 * (v["SSZ1"] + v["SSZ2"] * fy / fz0 + (v["SSZ3"] + v["SSZ4"] * dfz) * gamma) * v["LS"]
        mz = -trail * at_trail + residual + arm * fx

        # Mx: 4.E69. My: 4.E70; 5.2 without coefficients as PAC2002 has it.
        mx = v["QSX1"] * v["LVMX"] - v["QSX2"] * gamma * (1 + v["PPMX1"] * dpi) + v["QSX3"] * fy / fz0 - v["QSX12"] * gamma * abs(gamma)
        mx += (v["QSX4"] * cos(v["QSX5"] * atan((v["QSX6"] * load / fz0)**2))
               * sin(v["QSX7"] * gamma + v["QSX8"] * atan(v["QSX9"] * fy / fz0)))
        mx += v["QSX10"] * atan(v["QSX11"] * load / fz0) * gamma
        mx = r0 * v["LMX"] * (load * mx + fy * (v["QSX13"] + v["QSX14"] * abs(gamma)))
        if not self.later and not any(v[f"QSY{k}"] for k in (1, 2, 3, 4)):
            my = r0 * (svx + kx * shx) * v["LMY"]
        else:
            ratio = speed / v["LONGVL"]
            factor = v["QSY1"] + v["QSY2"] * fx / fz0 + v["QSY3"] * ratio + v["QSY4"] * ratio**4
            factor += (v["QSY5"] + v["QSY6"] * load / fz0) * gamma**2
            my = -r0 * fz0 * factor * (load / fz0)**v["QSY7"] * (1 + dpi)**v["QSY8"] * v["LMY"]
        return fx, fy, mx, my, mz
