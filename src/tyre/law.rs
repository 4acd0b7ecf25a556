//! The Magic Formula 5.2 and 6.1: slip forces and moments, slip stiffnesses, relaxation lengths.
//!
//! # Law
//!
//! Each force is D sin(C atan(Bx − E(Bx − atan Bx))) of its shifted slip, plus a vertical shift; combined slip
//! multiplies it by a cosine of the same shape in the other slip. The aligning moment is −t F'y + Mzr + s Fx with the
//! pneumatic trail t, the residual torque Mzr and the arm s of Fx. Names and equations are those of the sources in
//! [`super`]. Both sets of equations are written once: terms that only 6.1 has vanish with their coefficients, except
//!
//! * the camber part of SHy: `PHY3` γ in 5.2, (Kyγ γ − SVyγ)/Kyα in 6.1;
//! * F'y in Mz: at the given camber in 5.2, at γ = 0 in 6.1;
//! * My: proportional to Fz in 5.2, to Fz0 (Fz/Fz0)^`QSY7` in 6.1; in 5.2 R0 (SVx + Kx SHx) when `QSY1`...`QSY4` are
//!   all zero;
//! * relaxation lengths: `PTX`, `PTY` in 5.2, Kx/Cx and Ky/Cy with the carcass stiffnesses in 6.1.
//!
//! As in common solvers α and γ enter in radians (not as tangent and sine), the friction scales act undiminished on the
//! vertical shifts (Aμ = 1), the terms of camber in trail and its slope are those of the 2010 paper (`QBZ4`, `QDZ3`
//! with the sign of γ). Turn slip (ζ = 1) and decaying friction (`LMUV`) are not used.
//!
//! # Protection
//!
//! Slips, camber and pressure are limited to the ranges of the file, and α to ±1.5 rad. Loads are taken between `FZMIN`
//! (at least `FNOMIN`/1000) and `FZMAX`; outside, forces and moments are in proportion to the load, and zero without.
//! Friction is not below zero, E ≤ 1. So every finite input gives finite forces.
//!
//! # Cost
//!
//! [`Law::forces`]: about 18 arc tangents and 12 sines or cosines in 5.2, some more in 6.1 with camber and pressure.
//! Six angles of Fx, Fy and their weights are evaluated side by side ([`bend`]): none waits for another, which takes a
//! fifth of the time off. With slip and relaxation a tyre takes 0.23 µs in 5.2 and 0.33 µs in 6.1 on a server core
//! ("Tyres side by side" in docs/performance.md; `tests/motion/tyre_law.rs`, ignored by default, measures the law
//! alone). No allocation, no branch that depends on anything but the file, signs and limits.

use super::curve::Curve;
use super::keys::Coefficients;
use super::properties::{Formula, Mode, Properties, Side};
use crate::math::elementary::{atan, cos, exp, pow, sin, sin_cos};
use crate::math::quotient;

/// Slip and surroundings of one evaluation, in the axes of [`super`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Vertical load Fz, N.
    pub load: f64,
    /// Longitudinal slip κ.
    pub kappa: f64,
    /// Slip angle α, rad.
    pub alpha: f64,
    /// Inclination angle γ, rad.
    pub gamma: f64,
    /// Forward speed Vx of the contact point, m/s; only in the rolling resistance.
    pub speed: f64,
    /// Inflation pressure, Pa; see [`Law::pressure`].
    pub pressure: f64,
    /// Friction of the road against that of the measurements; multiplies `LMUX` and `LMUY`. Taken between 1e-3 and 1e3.
    pub friction: f64,
    /// From −1 (rolls backward) over 0 (stands) to 1 (rolls forward); see [`Law::rolling`]. Its size multiplies the
    /// shifts SHx, SVx, SHy, SVy (with their camber parts), SHt, SVyκ, SHxα, SHyκ and `RBY3`, the asymmetry `PEX4` and
    /// `PEY3`, the pneumatic trail t, the residual torque Mzr, the arm s, the offset `QSX1`, and My. At 0 a tyre
    /// without slip has no tangential force and no moment but that of `QSX2`... in Mx.
    pub rolling: f64,
}

/// Forces and moments on the tyre in the contact point, and what relaxation needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Output {
    /// Longitudinal force, N.
    pub fx: f64,
    /// Lateral force, N.
    pub fy: f64,
    /// Overturning couple, N m.
    pub mx: f64,
    /// Rolling resistance moment, N m.
    pub my: f64,
    /// Aligning moment, N m.
    pub mz: f64,
    /// Slip stiffness ∂Fx/∂κ of pure slip without shift, N, ≥ 0.
    pub kx: f64,
    /// Cornering stiffness −∂Fy/∂α of pure slip without shift, N/rad, ≥ 0.
    pub ky: f64,
    /// Longitudinal relaxation length, m, ≥ 0.
    pub sigma_kappa: f64,
    /// Lateral relaxation length, m, ≥ 0.
    pub sigma_alpha: f64,
    /// Peak factor μx of the longitudinal force.
    pub mu_x: f64,
    /// Peak factor μy of the lateral force.
    pub mu_y: f64,
}

/// Slip stiffnesses, relaxation lengths and peak factors, each along and across.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip {
    /// ∂Fx/∂κ and −∂Fy/∂α of pure slip without shift, N, ≥ 0.
    pub stiffness: [f64; 2],
    /// σκ and σα, m, ≥ 0.
    pub relaxation: [f64; 2],
    /// μx and μy.
    pub peak: [f64; 2],
}

/// Forces at one slip without the other: Fx at α = 0, Fy and Mz at κ = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pure {
    /// Longitudinal force, N.
    pub fx: f64,
    /// Lateral force, N.
    pub fy: f64,
    /// Aligning moment, N m.
    pub mz: f64,
}

/// A tyre on one side of the vehicle, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    pub(super) c: Coefficients,
    pub(super) formula: Formula,
    /// −1 when the tyre is not on the side of its coefficients.
    mirror: f64,
    mode: Mode,
    /// λFz0 Fz0.
    fz0_scaled: f64,
    /// Least load of the formulas, N.
    least_load: f64,
    /// 1/Fz0 and R0/Fz0.
    per_load: f64,
    radius_per_load: f64,
    pub(super) deflection_load: Option<Curve>,
    pub(super) bottoming: Option<Curve>,
}

/// What the formulas have in common for all slips at one load, camber, pressure and friction.
#[derive(Clone, Copy, Debug)]
pub struct Prepared {
    point: Point,
    long: Longitudinal,
    lat: Lateral,
    relaxation: [f64; 2],
}

/// Inputs in the frame of the formula, and what depends on load, pressure and friction only.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Load at which the formulas are evaluated, and factor of the results.
    load: f64,
    scale: f64,
    dfz: f64,
    /// (p − p0)/p0.
    dpi: f64,
    gamma: f64,
    speed: f64,
    /// Size of `rolling`, and −1 when it rolls backward.
    fade: f64,
    turn: f64,
    /// λμx, λμy with the road's friction.
    lmux: f64,
    lmuy: f64,
}

/// Constants of the pure longitudinal force.
#[derive(Clone, Copy, Debug)]
struct Longitudinal {
    mu: f64,
    stiffness: f64,
    /// Bx, Cx, Dx and Ex without its bend.
    b: f64,
    shape: f64,
    peak: f64,
    curvature: f64,
    shift_horizontal: f64,
    shift_vertical: f64,
}

/// Constants of the pure lateral force.
#[derive(Clone, Copy, Debug)]
struct Lateral {
    mu: f64,
    /// Kyα < 0.
    stiffness: f64,
    /// By, Cy, Dy and Ey without its bend.
    b: f64,
    shape: f64,
    peak: f64,
    curvature: f64,
    /// What camber adds to the bend of Ey, and by how much it depends on the sign of the slip.
    bent: [f64; 2],
    shift_horizontal: f64,
    shift_vertical: f64,
    /// By, Dy, SHy and SVy at γ = 0, where 6.1 takes the force that acts at the pneumatic trail; none where that is the
    /// force.
    upright: Option<[f64; 4]>,
}

/// Peak of `sin` forces that keeps B = K/(C D) finite.
const LEAST_PEAK: f64 = 1e-6;
/// Largest slip angle.
const LARGEST_ALPHA: f64 = 1.5;
/// Largest exponent of e in stiffness and relaxation length by load: loads of a thousand times the nominal one must not
/// make infinities that others are multiplied by. Tyres stay below 10.
const LARGEST_POWER: f64 = 100.0;
/// Least load of the formulas over the nominal load.
const LEAST_LOAD: f64 = 1e-3;

/// Argument of the outer sine or cosine: C atan(Bx − E(Bx − atan Bx)).
#[derive(Clone, Copy, Debug)]
struct Bend {
    b: f64,
    c: f64,
    e: f64,
    x: f64,
}

/// The arguments, step by step for all of them: a processor overlaps what stands side by side and does not wait for
/// each other.
#[inline(always)]
fn bend<const K: usize>(of: [Bend; K]) -> [f64; K] {
    let bx = of.map(|Bend { b, x, .. }| b * x);
    let mut angles = bx.map(atan);
    for k in 0..K {
        angles[k] = if of[k].e == 0.0 { bx[k] } else { bx[k] - of[k].e * (bx[k] - angles[k]) };
    }
    angles = angles.map(atan);
    for k in 0..K {
        angles[k] *= of[k].c;
    }
    angles
}

/// cos(atan x).
fn cos_atan(x: f64) -> f64 {
    1.0 / (1.0 + x * x).sqrt()
}

/// Weight of a force by the other slip: 1 without it.
#[derive(Clone, Copy, Debug)]
struct Weight {
    b: f64,
    c: f64,
    e: f64,
    slip: f64,
    shift: f64,
}

impl Weight {
    /// At the shift alone and with the slip.
    fn bends(&self) -> [Bend; 2] {
        let Weight { b, c, e, slip, shift } = *self;
        [Bend { b, c, e, x: shift }, Bend { b, c, e, x: slip + shift }]
    }

    /// From the angles of both.
    fn value(&self, [shifted, slipping]: [f64; 2]) -> f64 {
        if self.b == 0.0 || self.c == 0.0 {
            return 1.0;
        }
        let reference = if self.shift == 0.0 { 1.0 } else { at_least(cos(shifted), 1e-3) };
        at_least(cos(slipping) / reference, 0.0)
    }
}

/// Slip angles with a longitudinal `slip`. Of both together only the size counts: trail and residual torque are even in
/// it.
fn equivalent(angles: [f64; 2], slip: f64) -> [f64; 2] {
    if slip == 0.0 {
        return angles;
    }
    let tangents = angles.map(|angle| {
        let (sin, cos) = sin_cos(angle);
        let tan2 = sin * sin / at_least(cos * cos, 1e-12);
        (tan2 + slip * slip).sqrt()
    });
    tangents.map(atan)
}

/// −1, 0 or 1.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The larger one, `low` if x is not a number: one instruction, which `f64::max` is not.
fn at_least(x: f64, low: f64) -> f64 {
    if x > low { x } else { low }
}

/// The smaller one, `high` if x is not a number.
fn at_most(x: f64, high: f64) -> f64 {
    if x < high { x } else { high }
}

/// x between two bounds in any order.
fn limit(x: f64, low: f64, high: f64) -> f64 {
    at_most(at_least(x, low), high)
}

impl Lateral {
    /// Fy at pure slip: 4.E19.
    fn bend(&self, alpha: f64) -> Bend {
        let x = alpha + self.shift_horizontal;
        let e = at_most(self.curvature * (self.bent[0] - self.bent[1] * sign(x)), 1.0);
        Bend { b: self.b, c: self.shape, e, x }
    }
}

impl Prepared {
    /// What relaxation needs before the slips are known.
    pub(crate) fn grip(&self) -> Grip {
        let Prepared { point, long, lat, relaxation } = self;
        let stiffness = [point.scale * long.stiffness, -point.scale * lat.stiffness];
        Grip { stiffness, relaxation: *relaxation, peak: [long.mu, lat.mu] }
    }
}

impl Law {
    /// The tyre of a file on a side of the vehicle.
    pub fn new(properties: &Properties, side: Side) -> Law {
        let c = properties.coefficients;
        Law {
            c,
            formula: properties.formula,
            mirror: if side == properties.side { 1.0 } else { -1.0 },
            mode: properties.mode,
            fz0_scaled: c.fnomin * c.lfzo,
            least_load: at_least(c.fzmin, LEAST_LOAD * (c.fnomin * c.lfzo)),
            per_load: 1.0 / c.fnomin,
            radius_per_load: c.unloaded_radius / c.fnomin,
            deflection_load: Curve::new(&properties.deflection_load),
            bottoming: Curve::new(&properties.bottoming),
        }
    }

    /// Inflation pressure of the file, Pa; 0 when it has none.
    pub fn pressure(&self) -> f64 {
        self.c.inflpres
    }

    /// Nominal load Fz0, N.
    pub fn nominal_load(&self) -> f64 {
        self.c.fnomin
    }

    /// A tyre that rolls forward without slip at the reference speed.
    ///
    /// * `load`: N
    pub fn straight_ahead(&self, load: f64) -> Input {
        let pressure = self.pressure();
        let speed = self.c.longvl;
        Input { load, kappa: 0.0, alpha: 0.0, gamma: 0.0, speed, pressure, friction: 1.0, rolling: 1.0 }
    }

    /// [`Input::rolling`] for a forward speed: its sign above `VXLOW`, a smooth step below.
    ///
    /// * `speed`: m/s
    pub fn rolling(&self, speed: f64) -> f64 {
        let x = if self.c.vxlow > 0.0 { quotient(speed.abs(), self.c.vxlow).min(1.0) } else { 1.0 };
        sign(speed) * x * x * (3.0 - 2.0 * x)
    }

    /// Forces, moments, stiffnesses and relaxation lengths at combined slip.
    pub fn forces(&self, input: &Input) -> Output {
        self.forces_at(&self.prepare(input), input.kappa, input.alpha)
    }

    /// Forces and moments at the slips κ and α.
    pub(crate) fn forces_at(&self, prepared: &Prepared, kappa: f64, alpha: f64) -> Output {
        let c = &self.c;
        let Prepared { point: p, long, lat, .. } = prepared;
        let [kappa, alpha] = self.slips(p, kappa, alpha);
        let (a, g2) = (p.fade, p.gamma * p.gamma);
        let [fx_bend, fy_bend] = [self.longitudinal_bend(p, long, kappa), lat.bend(alpha)];

        // 4.E50-4.E57
        let e = at_most(c.rex1 + c.rex2 * p.dfz, 1.0);
        let b = (c.rbx1 + c.rbx3 * g2) * cos_atan(c.rbx2 * kappa) * c.lxal;
        let x_weight = Weight { b, c: c.rcx1, e, slip: alpha, shift: c.rhx1 * a };

        // 4.E58-4.E67
        let e = at_most(c.rey1 + c.rey2 * p.dfz, 1.0);
        let b = (c.rby1 + c.rby4 * g2) * cos_atan(c.rby2 * (alpha - c.rby3 * a)) * c.lyka;
        let y_weight = Weight { b, c: c.rcy1, e, slip: kappa, shift: (c.rhy1 + c.rhy2 * p.dfz) * a };

        let (fx_angle, fy_angle, weights) = if !self.mode.combined || c.rcx1 == 0.0 && c.rcy1 == 0.0 {
            let [fx_angle, fy_angle] = bend([fx_bend, fy_bend]);
            (fx_angle, fy_angle, [1.0; 2])
        } else {
            let ([x0, x1], [y0, y1]) = (x_weight.bends(), y_weight.bends());
            let [fx_angle, fy_angle, x0, x1, y0, y1] = bend([fx_bend, fy_bend, x0, x1, y0, y1]);
            (fx_angle, fy_angle, [x_weight.value([x0, x1]), y_weight.value([y0, y1])])
        };
        let fx = (long.peak * sin(fx_angle) + long.shift_vertical) * weights[0];
        let pure_fy = lat.peak * sin(fy_angle) + lat.shift_vertical;
        let fy_trail = self.force_at_trail(p, lat, alpha, pure_fy);
        // What one slip does to the forces of the other.
        let combined = if self.mode.combined { 1.0 } else { 0.0 };
        let fy = weights[1] * pure_fy + combined * self.ply_steer(p, lat, kappa, alpha);

        let slip = combined * (long.stiffness * kappa / lat.stiffness);
        let arm = c.ssz1 + c.ssz2 * fy * self.per_load + (c.ssz3 + c.ssz4 * p.dfz) * p.gamma;
        let arm = combined * (a * c.unloaded_radius * c.ls * arm);
        let mz = self.aligning(p, lat, alpha, slip, weights[1] * fy_trail) + arm * fx;

        let [along, across] = self.mode.acts.map(|acts| if acts { p.scale } else { 0.0 });
        let (drive, turn, side) = (p.turn * along, p.turn * across, self.mirror * across);
        let [sigma_kappa, sigma_alpha] = prepared.relaxation;
        Output {
            fx: drive * fx,
            fy: turn * self.mirror * fy,
            mx: turn * self.mirror * self.overturning(p, fy),
            my: drive * self.rolling_resistance(p, long, fx),
            mz: side * mz,
            kx: p.scale * long.stiffness,
            ky: -p.scale * lat.stiffness,
            sigma_kappa,
            sigma_alpha,
            mu_x: long.mu,
            mu_y: lat.mu,
        }
    }

    /// SVyκ: 4.E65, 4.E66.
    fn ply_steer(&self, p: &Point, lat: &Lateral, kappa: f64, alpha: f64) -> f64 {
        let c = &self.c;
        if c.rvy5 == 0.0 || c.rvy6 == 0.0 {
            return 0.0;
        }
        let largest = lat.mu * p.load * (c.rvy1 + c.rvy2 * p.dfz + c.rvy3 * p.gamma) * cos_atan(c.rvy4 * alpha);
        largest * sin(c.rvy5 * atan(c.rvy6 * kappa)) * c.lvyka * p.fade
    }

    /// What all slips have in common; `kappa` and `alpha` of the input have no influence.
    pub(crate) fn prepare(&self, input: &Input) -> Prepared {
        let point = self.point(input);
        let (long, lat) = (self.longitudinal(&point), self.lateral(&point));
        Prepared { point, long, lat, relaxation: self.relaxation(&point, &long, &lat) }
    }

    /// Damping of the vertical motion, N s/m.
    pub(crate) fn damping(&self) -> f64 {
        self.c.vertical_damping
    }

    /// Forces at pure slip: each as if the other slip were zero.
    pub fn pure(&self, input: &Input) -> Pure {
        let Prepared { point: p, long, lat, .. } = self.prepare(input);
        let [kappa, alpha] = self.slips(&p, input.kappa, input.alpha);
        let [x, y] = bend([self.longitudinal_bend(&p, &long, kappa), lat.bend(alpha)]);
        let (fx, fy) = (long.peak * sin(x) + long.shift_vertical, lat.peak * sin(y) + lat.shift_vertical);
        let fy_trail = self.force_at_trail(&p, &lat, alpha, fy);
        let mz = self.aligning(&p, &lat, alpha, 0.0, fy_trail);
        let turn = p.turn * p.scale;
        Pure { fx: turn * fx, fy: turn * self.mirror * fy, mz: self.mirror * p.scale * mz }
    }

    /// The input in the frame of the formula, within its ranges.
    fn point(&self, input: &Input) -> Point {
        let c = &self.c;
        let wanted = at_least(input.load, 0.0);
        let load = limit(wanted, self.least_load, c.fzmax);
        let turn = if input.rolling < 0.0 { -1.0 } else { 1.0 };
        let side = self.mirror * turn;
        let friction = limit(input.friction, 1e-3, 1e3);
        let pressure = limit(input.pressure, c.presmin, c.presmax);
        Point {
            load,
            scale: wanted / load,
            dfz: load / self.fz0_scaled - 1.0,
            dpi: if c.nompres > 0.0 { quotient(pressure, c.nompres) - 1.0 } else { 0.0 },
            gamma: limit(side * input.gamma, c.cammin, c.cammax),
            speed: limit(input.speed, -1e3, 1e3),
            fade: at_most(input.rolling.abs(), 1.0),
            turn,
            lmux: c.lmux * friction,
            lmuy: c.lmuy * friction,
        }
    }

    /// κ and α in the frame of the formula, within their ranges.
    fn slips(&self, p: &Point, kappa: f64, alpha: f64) -> [f64; 2] {
        let c = &self.c;
        let alpha = limit(self.mirror * p.turn * alpha, c.alpmin, c.alpmax);
        [limit(p.turn * kappa, c.kpumin, c.kpumax), limit(alpha, -LARGEST_ALPHA, LARGEST_ALPHA)]
    }

    /// Constants of Fx at pure slip: 4.E10-4.E18.
    fn longitudinal(&self, p: &Point) -> Longitudinal {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        let gamma = p.gamma * c.lgax;
        let shift_horizontal = p.fade * (c.phx1 + c.phx2 * dfz) * c.lhx;
        let shift_vertical = p.fade * p.load * (c.pvx1 + c.pvx2 * dfz) * c.lvx * p.lmux;
        let shape = c.pcx1 * c.lcx;
        let pressure = 1.0 + (c.ppx3 + c.ppx4 * dpi) * dpi;
        let mu = at_least((c.pdx1 + c.pdx2 * dfz) * pressure * (1.0 - c.pdx3 * gamma * gamma) * p.lmux, 0.0);
        let curvature = c.pex1 + (c.pex2 + c.pex3 * dfz) * dfz;
        let pressure = 1.0 + (c.ppx1 + c.ppx2 * dpi) * dpi;
        let stiffness = at_least(
            p.load * (c.pkx1 + c.pkx2 * dfz) * exp(at_most(c.pkx3 * dfz, LARGEST_POWER)) * pressure * c.lkx,
            0.0,
        );
        let peak = mu * p.load;
        let b = stiffness / at_least(shape * peak, LEAST_PEAK * p.load);
        Longitudinal { mu, stiffness, b, shape, peak, curvature, shift_horizontal, shift_vertical }
    }

    /// Fx at pure slip: 4.E9.
    fn longitudinal_bend(&self, p: &Point, long: &Longitudinal, kappa: f64) -> Bend {
        let x = kappa + long.shift_horizontal;
        let e = long.curvature * (1.0 - p.fade * self.c.pex4 * sign(x)) * self.c.lex;
        Bend { b: long.b, c: long.shape, e: at_most(e, 1.0), x }
    }

    /// Fy at pure slip: 4.E19-4.E30.
    fn lateral(&self, p: &Point) -> Lateral {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        let gamma = p.gamma * c.lgay;
        let g2 = gamma * gamma;
        let shape = c.pcy1 * c.lcy;
        let pressure = 1.0 + (c.ppy3 + c.ppy4 * dpi) * dpi;
        let mu_upright = (c.pdy1 + c.pdy2 * dfz) * pressure * p.lmuy;
        let mu = at_least(mu_upright * (1.0 - c.pdy3 * g2), 0.0);
        let mu_upright = at_least(mu_upright, 0.0);

        // Kyα < 0, at camber and upright; 4.E25.
        let largest = c.pky1 * self.fz0_scaled * (1.0 + c.ppy1 * dpi) * c.lky;
        let relative = (1.0 + dfz) / (1.0 + c.ppy2 * dpi);
        let cornering = |load: f64| {
            if c.pky4 == 2.0 {
                // sin(2 atan x)
                largest * 2.0 * load / (1.0 + load * load)
            } else {
                largest * sin(c.pky4 * atan(load))
            }
        };
        let least = -1e-6 * self.fz0_scaled;
        let stiffness = cornering(relative / (c.pky2 + c.pky5 * g2)) * (1.0 - c.pky3 * gamma.abs());
        let stiffness = at_most(stiffness, least);

        // SHy, SVy; 4.E27-4.E30.
        let camber_vertical = p.load * (c.pvy3 + c.pvy4 * dfz) * gamma * c.lkyc * p.lmuy;
        let upright_vertical = p.load * (c.pvy1 + c.pvy2 * dfz) * c.lvy * p.lmuy;
        let camber_horizontal = match self.formula {
            Formula::Mf52 => c.phy3 * gamma,
            Formula::Mf61 => {
                let thrust = p.load * (c.pky6 + c.pky7 * dfz) * (1.0 + c.ppy5 * dpi) * c.lkyc * gamma;
                (thrust - camber_vertical) / stiffness
            }
        };
        let upright_horizontal = (c.phy1 + c.phy2 * dfz) * c.lhy;
        let shift_horizontal = p.fade * (upright_horizontal + camber_horizontal);
        let shift_vertical = p.fade * (upright_vertical + camber_vertical);

        let curvature = (c.pey1 + c.pey2 * dfz) * c.ley;
        let bent = [1.0 + c.pey5 * g2, p.fade * c.pey3 + c.pey4 * gamma];
        let peak = mu * p.load;
        let b = stiffness / at_least(shape * peak, LEAST_PEAK * p.load);
        let upright = (self.formula == Formula::Mf61 && gamma != 0.0).then(|| {
            let peak = mu_upright * p.load;
            let b = at_most(cornering(relative / c.pky2), least) / at_least(shape * peak, LEAST_PEAK * p.load);
            [b, peak, p.fade * upright_horizontal, p.fade * upright_vertical]
        });
        Lateral { mu, stiffness, b, shape, peak, curvature, bent, shift_horizontal, shift_vertical, upright }
    }

    /// What of the pure lateral force `fy` acts at the pneumatic trail: 4.E31.
    fn force_at_trail(&self, p: &Point, lat: &Lateral, alpha: f64, fy: f64) -> f64 {
        let Some([b, peak, shift_horizontal, shift_vertical]) = lat.upright else { return fy };
        let x = alpha + shift_horizontal;
        let e = at_most(lat.curvature * (1.0 - p.fade * self.c.pey3 * sign(x)), 1.0);
        let [angle] = bend([Bend { b, c: lat.shape, e, x }]);
        peak * sin(angle) + shift_vertical
    }

    /// −t F'y + Mzr: 4.E31-4.E47 and 4.E71-4.E78.
    ///
    /// * `slip`: κ Kx/Ky, what longitudinal slip adds to the slip angles
    /// * `fy`: F'y
    fn aligning(&self, p: &Point, lat: &Lateral, alpha: f64, slip: f64, fy: f64) -> f64 {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        let gamma = p.gamma * c.lgaz;
        let cos_alpha = p.fade * cos(alpha);
        let trail_angle = alpha + p.fade * (c.qhz1 + c.qhz2 * dfz + (c.qhz3 + c.qhz4 * dfz) * gamma);
        let residual_angle = alpha + lat.shift_horizontal + lat.shift_vertical / lat.stiffness;
        let [trail_size, residual_size] = equivalent([trail_angle, residual_angle], slip);
        let camber = 1.0 + c.qbz4 * gamma + c.qbz5 * gamma.abs();
        let b = (c.qbz1 + (c.qbz2 + c.qbz3 * dfz) * dfz) * camber * c.lky / p.lmuy;
        let e = c.qez1 + (c.qez2 + c.qez3 * dfz) * dfz;
        let bent = (c.qez4 + c.qez5 * gamma) * std::f64::consts::FRAC_2_PI;
        let e = if e == 0.0 { 0.0 } else { at_most(e * (1.0 + bent * atan(b * c.qcz1 * trail_angle)), 1.0) };
        let camber = 1.0 + (c.qdz3 + c.qdz4 * gamma) * gamma;
        let peak = p.load * (c.qdz1 + c.qdz2 * dfz) * (1.0 - c.ppz1 * dpi) * camber * self.radius_per_load;
        let [angle] = bend([Bend { b, c: c.qcz1, e, x: trail_size }]);
        let trail = peak * c.ltr * cos(angle) * cos_alpha;

        let b = c.qbz9 * c.lky / p.lmuy + c.qbz10 * (lat.b * lat.shape);
        let camber = (c.qdz8 + c.qdz9 * dfz) * (1.0 + c.ppz2 * dpi) + (c.qdz10 + c.qdz11 * dfz) * gamma.abs();
        let peak = (c.qdz6 + c.qdz7 * dfz) * c.lres + camber * gamma * c.lkzc;
        let peak = p.load * c.unloaded_radius * p.lmuy * peak;
        let residual = peak * cos_atan(b * residual_size) * cos_alpha;
        residual - trail * fy
    }

    /// Mx: 4.E69, with `QSX4`, `QSX6` as in equation 49 of the 2010 paper.
    fn overturning(&self, p: &Point, fy: f64) -> f64 {
        let c = &self.c;
        let (gamma, nfz, nfy) = (p.gamma, p.load * self.per_load, fy * self.per_load);
        let mut arm = p.fade * c.qsx1 * c.lvmx - c.qsx2 * gamma * (1.0 + c.ppmx1 * p.dpi) + c.qsx3 * nfy
            - c.qsx12 * gamma * gamma.abs();
        if c.qsx4 != 0.0 {
            let load = c.qsx6 * nfz;
            arm += c.qsx4 * cos(c.qsx5 * atan(load * load)) * sin(c.qsx7 * gamma + c.qsx8 * atan(c.qsx9 * nfy));
        }
        if c.qsx10 != 0.0 {
            arm += c.qsx10 * atan(c.qsx11 * nfz) * gamma;
        }
        c.unloaded_radius * c.lmx * (p.load * arm + fy * (c.qsx13 + c.qsx14 * gamma.abs()))
    }

    /// My: 4.E70 with the sign that brakes.
    fn rolling_resistance(&self, p: &Point, long: &Longitudinal, fx: f64) -> f64 {
        let c = &self.c;
        if self.formula == Formula::Mf52 && [c.qsy1, c.qsy2, c.qsy3, c.qsy4] == [0.0; 4] {
            return c.unloaded_radius * (long.shift_vertical + long.stiffness * long.shift_horizontal) * c.lmy;
        }
        let (v, nfz) = ((p.speed / c.longvl).abs(), p.load * self.per_load);
        let camber = (c.qsy5 + c.qsy6 * nfz) * p.gamma * p.gamma;
        let factor = c.qsy1 + c.qsy2 * fx * self.per_load + c.qsy3 * v + c.qsy4 * v * v * v * v + camber;
        let load = if c.qsy7 == 1.0 { p.load } else { c.fnomin * pow(nfz, c.qsy7) };
        let pressure = if c.qsy8 == 0.0 { 1.0 } else { pow((1.0 + p.dpi).max(0.0), c.qsy8) };
        -p.fade * c.unloaded_radius * load * factor * pressure * c.lmy
    }

    /// [σκ, σα]: of 5.2 by `PTX`, `PTY`; of 6.1 by the carcass stiffnesses, equations 17-20 of the 2010 paper.
    fn relaxation(&self, p: &Point, long: &Longitudinal, lat: &Lateral) -> [f64; 2] {
        if !self.mode.relaxes {
            return [0.0; 2];
        }
        let (c, dfz) = (&self.c, p.dfz);
        let carcass = |stiffness: f64, load: f64, load2: f64, pressure: f64| {
            stiffness * at_least(1.0 + (load + load2 * dfz) * dfz, 0.1) * at_least(1.0 + pressure * p.dpi, 0.1)
        };
        let sigma_kappa = if self.formula == Formula::Mf61 && c.longitudinal_stiffness > 0.0 {
            long.stiffness / carcass(c.longitudinal_stiffness, c.pcfx1, c.pcfx2, c.pcfx3)
        } else {
            p.load * (c.ptx1 + c.ptx2 * dfz) * exp(at_most(-c.ptx3 * dfz, LARGEST_POWER)) * self.radius_per_load
        };
        let sigma_alpha = if self.formula == Formula::Mf61 && c.lateral_stiffness > 0.0 {
            -lat.stiffness / carcass(c.lateral_stiffness, c.pcfy1, c.pcfy2, c.pcfy3)
        } else if c.pty2 == 0.0 {
            0.0
        } else {
            // sin(2 atan x)
            let x = (1.0 + dfz) / c.pty2;
            let camber = 1.0 - c.pky3 * (p.gamma * c.lgay).abs();
            c.pty1 * 2.0 * x / (1.0 + x * x) * camber * c.unloaded_radius * c.lfzo
        };
        [at_least(sigma_kappa * c.lsgkp, 0.0), at_least(sigma_alpha * c.lsgal, 0.0)]
    }
}
