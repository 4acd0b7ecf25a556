//! The Magic Formula 5.2 and 6.1: slip forces and moments, slip stiffnesses, relaxation lengths.
//!
//! # Law
//!
//! Each force is D sin(C atan(Bx − E(Bx − atan Bx))) of its shifted slip, plus a vertical shift; combined slip
//! multiplies it by a cosine of the same shape in the other slip. The aligning moment is −t F'y + Mzr + s Fx with the
//! pneumatic trail t, the residual torque Mzr and the arm s of Fx. Names and equations follow the sources in [`super`].
//! Both sets of equations are written once: terms that only 6.1 has vanish with their coefficients, except
//!
//! * the camber part of SHy: `PHY3` γ in 5.2, (Kyγ γ − SVyγ)/Kyα in 6.1;
//! * F'y in Mz: at the given camber in 5.2, at γ = 0 in 6.1;
//! * My: proportional to Fz in 5.2, to Fz0 (Fz/Fz0)^`QSY7` in 6.1; in 5.2 R0 (SVx + Kx SHx) when `QSY1`...`QSY4` are
//!   all zero;
//! * relaxation lengths: `PTX`, `PTY` in 5.2, Kx/Cx and Ky/Cy with the carcass stiffnesses in 6.1.
//!
//! As in common solvers, α and γ enter in radians (not as tangent and sine), and the friction scales act undiminished
//! on the vertical shifts (Aμ = 1). The camber terms in trail and its slope follow the 2010 paper (`QBZ4`, `QDZ3` with
//! the sign of γ). Decaying friction (`LMUV`) is not used. Turn slip is in [`super::turn`].
//!
//! # Protection
//!
//! Slips, camber and pressure are limited to the ranges of the file, and α to ±1.5 rad. The formulas are evaluated at
//! loads between `FZMIN` (at least `FNOMIN`/1000) and `FZMAX`. Outside this range, forces and moments are proportional
//! to the load, and zero without load. Friction is limited to values ≥ 0, and E ≤ 1. So every finite input gives finite
//! forces.
//!
//! # Cost
//!
//! [`Law::forces`]: about 18 arc tangents and 12 sines or cosines in 5.2, some more in 6.1 with camber and pressure.
//! Six angles of Fx, Fy and their weights are evaluated in parallel ([`bend`]), which saves a fifth of the time. With
//! slip and relaxation a tyre takes 0.23 µs in 5.2 and 0.33 µs in 6.1 on a server core ("Tyres side by side" in
//! docs/performance.md; `tests/motion/tyre_law.rs`, ignored by default, measures the law alone). No allocation.
//! Branches depend only on the file, signs and limits.

use super::keys::Coefficients;
use super::load_curve::LoadCurve;
use super::properties::{Formula, Mode, Properties, Side};
use super::turn::TurnSlipEffects;
use crate::math::elementary::{atan, cos, exp, pow, sin, sin_cos};
use crate::math::scalar::Scalar;
use crate::math::{at_least, at_most, maximum, quotient};

/// Slip, load and conditions of one evaluation, in the axes of [`super`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input<S = f64> {
    /// Vertical load Fz, N.
    pub load: S,
    /// Longitudinal slip κ.
    pub kappa: S,
    /// Slip angle α, rad.
    pub alpha: S,
    /// Inclination angle γ, rad.
    pub gamma: S,
    /// Forward speed Vx of the contact point, m/s; used only in the rolling resistance.
    pub speed: S,
    /// Inflation pressure, Pa; see [`Law::pressure`].
    pub pressure: f64,
    /// Ratio of the road's friction to the friction of the measurements; multiplies `LMUX` and `LMUY`. Limited to 1e-3
    /// to 1e3.
    pub friction: S,
    /// Rolling direction from −1 (backward) over 0 (at rest) to 1 (forward); see [`Law::rolling`]. Its magnitude
    /// multiplies the shifts SHx, SVx, SHy, SVy (with their camber parts), SHt, SVyκ, SHxα, SHyκ and `RBY3`, and the
    /// asymmetry `PEX4` and `PEY3`. It also multiplies the pneumatic trail t, the residual torque Mzr, the arm s, the
    /// offset `QSX1`, and My. At 0 a tyre without slip has no tangential force and no moment except Mx by `QSX2`...
    pub rolling: S,
    /// Turn slip φ, 1/m: the spin about the road's normal, ψ̇ + (1 − ε) Ω sin γ (positive to the left), over |Vx|. Used
    /// only by tyres with turn slip ([`Law::turns`]).
    pub turn_slip: S,
}

/// Forces and moments on the tyre at the contact point, and the inputs of the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Output<S = f64> {
    /// Longitudinal force, N.
    pub fx: S,
    /// Lateral force, N.
    pub fy: S,
    /// Overturning couple, N m.
    pub mx: S,
    /// Rolling resistance moment, N m.
    pub my: S,
    /// Aligning moment, N m.
    pub mz: S,
    /// Slip stiffness ∂Fx/∂κ of pure slip without shift, N, ≥ 0.
    pub kx: S,
    /// Cornering stiffness −∂Fy/∂α of pure slip without shift, N/rad, ≥ 0.
    pub ky: S,
    /// Longitudinal relaxation length, m, ≥ 0.
    pub sigma_kappa: S,
    /// Lateral relaxation length, m, ≥ 0.
    pub sigma_alpha: S,
    /// Peak factor μx of the longitudinal force.
    pub mu_x: S,
    /// Peak factor μy of the lateral force.
    pub mu_y: S,
}

/// Slip stiffnesses, relaxation lengths and peak factors, each along and across.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip<S = f64> {
    /// ∂Fx/∂κ and −∂Fy/∂α of pure slip without shift, N, ≥ 0.
    pub stiffness: [S; 2],
    /// σκ and σα, m, ≥ 0.
    pub relaxation: [S; 2],
    /// μx and μy.
    pub peak: [S; 2],
}

/// Forces at one slip without the other: Fx at α = 0, Fy and Mz at κ = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pure<S = f64> {
    /// Longitudinal force, N.
    pub fx: S,
    /// Lateral force, N.
    pub fy: S,
    /// Aligning moment, N m.
    pub mz: S,
}

/// A tyre on one side of the vehicle, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Law {
    pub(super) c: Coefficients,
    pub(super) formula: Formula,
    /// −1 if the tyre is on the other side than its coefficients, else 1.
    pub(super) mirror: f64,
    pub(super) mode: Mode,
    /// λFz0 Fz0.
    pub(super) fz0_scaled: f64,
    /// Smallest load of the formulas, N.
    least_load: f64,
    /// 1/Fz0 and R0/Fz0.
    per_load: f64,
    radius_per_load: f64,
    pub deflection_load: Option<LoadCurve>,
    pub bottoming: Option<LoadCurve>,
}

/// Common terms of the formulas for all slips at one load, camber, pressure and friction.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<S = f64> {
    pub(super) point: Point<S>,
    long: Longitudinal<S>,
    pub(super) lat: Lateral<S>,
    relaxation: [S; 2],
}

/// Inputs in the frame of the formula, and terms that depend only on load, pressure and friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<S> {
    /// Load at which the formulas are evaluated, and factor of the results.
    pub(super) load: S,
    pub(super) scale: S,
    pub(super) dfz: S,
    /// (p − p0)/p0.
    pub(super) dpi: f64,
    pub(super) gamma: S,
    pub(super) speed: S,
    /// Magnitude of `rolling`, and its sign: −1 if the tyre rolls backward.
    pub(super) fade: S,
    pub(super) turn: f64,
    /// R0 φ.
    pub(super) spin: S,
    /// λμx, λμy with the road's friction.
    pub(super) lmux: S,
    pub(super) lmuy: S,
}

/// Constants of the pure longitudinal force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Longitudinal<S> {
    pub(super) mu: S,
    pub(super) stiffness: S,
    /// Bx, Cx, Dx and Ex without its bend.
    pub(super) b: S,
    pub(super) shape: f64,
    pub(super) peak: S,
    pub(super) curvature: S,
    pub(super) shift_horizontal: S,
    pub(super) shift_vertical: S,
}

/// Constants of the pure lateral force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateral<S> {
    pub(super) mu: S,
    /// Kyα < 0.
    pub(super) stiffness: S,
    /// By, Cy, Dy and Ey without its bend.
    pub(super) b: S,
    pub(super) shape: f64,
    pub(super) peak: S,
    pub(super) curvature: S,
    /// Contributions of camber to the curvature factor Ey: a constant part, and a part that depends on the sign of the
    /// slip.
    pub(super) camber_curvature: [S; 2],
    pub(super) shift_horizontal: S,
    pub(super) shift_vertical: S,
    /// By, Dy, SHy and SVy at γ = 0, used in 6.1 for the force that acts at the pneumatic trail. `None` if this force
    /// equals Fy.
    pub(super) upright: Option<[S; 4]>,
}

/// Smallest peak of `sin` forces, which keeps B = K/(C D) finite.
pub(super) const MIN_PEAK: f64 = 1e-6;
/// Largest slip angle.
const MAX_ALPHA: f64 = 1.5;
/// Largest exponent of e in stiffness and relaxation length by load: loads of a thousand times the nominal load must
/// not overflow. Real tyres are below 10.
const MAX_POWER: f64 = 100.0;
/// Smallest load of the formulas as a fraction of the nominal load.
const MIN_LOAD: f64 = 1e-3;

/// Argument of the outer sine or cosine: C atan(Bx − E(Bx − atan Bx)).
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend<S> {
    pub(super) b: S,
    pub(super) c: f64,
    pub(super) e: S,
    pub(super) x: S,
}

/// All arguments are computed in lockstep, so that the processor overlaps independent operations.
#[inline(always)]
pub(super) fn bend<S: Scalar, const K: usize>(of: [Bend<S>; K]) -> [S; K] {
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
pub(super) fn cos_atan<S: Scalar>(x: S) -> S {
    S::one() / (x * x + 1.0).sqrt()
}

/// Weight of a force due to the other slip: 1 without the other slip.
#[derive(Clone, Copy, Debug)]
struct Weight<S> {
    b: S,
    c: f64,
    e: S,
    slip: S,
    shift: S,
}

impl<S: Scalar> Weight<S> {
    /// At the shift alone and with the slip.
    fn bends(&self) -> [Bend<S>; 2] {
        let Weight { b, c, e, slip, shift } = *self;
        [Bend { b, c, e, x: shift }, Bend { b, c, e, x: slip + shift }]
    }

    /// From the angles of both cosines.
    fn value(&self, [shifted, slipping]: [S; 2]) -> S {
        if self.b == 0.0 || self.c == 0.0 {
            return S::one();
        }
        let reference = if self.shift == 0.0 { S::one() } else { at_least(cos(shifted), 1e-3) };
        at_least(cos(slipping) / reference, 0.0)
    }
}

/// Slip angles with a longitudinal `slip`. Only the magnitude of the combined slip matters, because trail and residual
/// torque are even functions of it.
fn equivalent<S: Scalar>(angles: [S; 2], slip: S) -> [S; 2] {
    // This is even in the slip too, so its derivatives are not needed here.
    if slip.value() == 0.0 {
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
fn sign<S: Scalar>(x: S) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// x limited to two bounds given in any order.
fn limit<S: Scalar>(x: S, low: f64, high: f64) -> S {
    at_most(at_least(x, low), high)
}

impl<S: Scalar> Lateral<S> {
    /// Fy at pure slip: 4.E19.
    fn bend(&self, alpha: S) -> Bend<S> {
        let x = alpha + self.shift_horizontal;
        let e = at_most(self.curvature * (self.camber_curvature[0] - self.camber_curvature[1] * sign(x)), 1.0);
        Bend { b: self.b, c: self.shape, e, x }
    }
}

impl<S: Scalar> Prepared<S> {
    /// Inputs of the relaxation that do not depend on the slips.
    pub fn grip(&self) -> Grip<S> {
        let Prepared { point, long, lat, relaxation } = self;
        let stiffness = [point.scale * long.stiffness, -point.scale * lat.stiffness];
        Grip { stiffness, relaxation: *relaxation, peak: [long.mu, lat.mu] }
    }
}

impl Law {
    /// The tyre of a file, mounted on a side of the vehicle.
    pub fn new(properties: &Properties, side: Side) -> Law {
        let c = properties.coefficients;
        Law {
            c,
            formula: properties.formula,
            mirror: if side == properties.side { 1.0 } else { -1.0 },
            mode: properties.mode,
            fz0_scaled: c.fnomin * c.lfzo,
            least_load: at_least(c.fzmin, MIN_LOAD * (c.fnomin * c.lfzo)),
            per_load: 1.0 / c.fnomin,
            radius_per_load: c.unloaded_radius / c.fnomin,
            deflection_load: LoadCurve::new(&properties.deflection_load),
            bottoming: LoadCurve::new(&properties.bottoming),
        }
    }

    /// Inflation pressure of the file, Pa; 0 if the file has none.
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
        Input { load, kappa: 0.0, alpha: 0.0, gamma: 0.0, speed, pressure, friction: 1.0, rolling: 1.0, turn_slip: 0.0 }
    }

    /// This tyre with or without turn slip, independent of `USE_MODE`.
    pub fn with_turn_slip(mut self, turns: bool) -> Law {
        self.mode.turns = turns;
        self
    }

    /// Whether turn slip is active.
    pub fn turns(&self) -> bool {
        self.mode.turns
    }

    /// Key of a file whose value makes a straight rolling wheel accelerate by itself. Also returns the speed in m/s and
    /// the negative rolling resistance, −My over load and free radius. `None` if My brakes at `LONGVL`, near standstill
    /// and at twice `LONGVL`.
    ///
    /// * `load`: N
    pub fn self_driving(&self, load: f64) -> Option<(&'static str, f64, f64)> {
        let c = &self.c;
        let outputs =
            [1.0, 0.0, 2.0].map(|x| (x, self.forces(&Input { speed: x * c.longvl, ..self.straight_ahead(load) })));
        let (x, output) = outputs.into_iter().find(|(_, output)| output.my > 0.0)?;
        let terms = [
            ("QSY1", c.qsy1),
            ("QSY2", c.qsy2 * output.fx * self.per_load),
            ("QSY3", c.qsy3 * x),
            ("QSY4", c.qsy4 * x * x * x * x),
        ];
        let is_by_shift = self.formula == Formula::Mf52 && [c.qsy1, c.qsy2, c.qsy3, c.qsy4] == [0.0; 4];
        let key = match terms.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
            _ if c.lmy < 0.0 => "LMY",
            _ if is_by_shift && c.pvx1 > 0.0 => "PVX1",
            Some((key, _)) if !is_by_shift => key,
            _ => "PHX1",
        };
        Some((key, x * c.longvl, -output.my / (load * c.unloaded_radius)))
    }

    /// [`Input::rolling`] for a forward speed: its sign above `VXLOW`, a smooth step below.
    ///
    /// * `speed`: m/s
    pub fn rolling<S: Scalar>(&self, speed: S) -> S {
        let low = self.c.vxlow;
        let x = if low > 0.0 { at_most(quotient(speed.abs(), S::from_f64(low)), 1.0) } else { S::one() };
        x * sign(speed) * x * (S::from_f64(3.0) - x * 2.0)
    }

    /// Forces, moments, stiffnesses and relaxation lengths at combined slip.
    pub fn forces<S: Scalar>(&self, input: &Input<S>) -> Output<S> {
        self.forces_at(&self.prepare(input), input.kappa, input.alpha)
    }

    /// Forces and moments at the slips κ and α.
    pub(crate) fn forces_at<S: Scalar>(&self, prepared: &Prepared<S>, kappa: S, alpha: S) -> Output<S> {
        let c = &self.c;
        let Prepared { point: p, long, lat, .. } = prepared;
        let [kappa, alpha] = self.slips(p, kappa, alpha);
        // Forces with the spin; the pneumatic trail applies to the force without spin.
        let turned = self.mode.turns.then(|| self.turned(p, long, lat, [kappa, alpha]));
        let straight = lat;
        let (long, lat) = turned.as_ref().map_or((long, lat), |turned| (&turned.long, &turned.lat));
        let (a, g2) = (p.fade, p.gamma * p.gamma);
        let [fx_bend, fy_bend] = [self.longitudinal_bend(p, long, kappa), lat.bend(alpha)];

        // 4.E50-4.E57
        let e = at_most(p.dfz * c.rex2 + c.rex1, 1.0);
        let b = (g2 * c.rbx3 + c.rbx1) * cos_atan(kappa * c.rbx2) * c.lxal;
        let x_weight = Weight { b, c: c.rcx1, e, slip: alpha, shift: a * c.rhx1 };

        // 4.E58-4.E67
        let e = at_most(p.dfz * c.rey2 + c.rey1, 1.0);
        let b = (g2 * c.rby4 + c.rby1) * cos_atan((alpha - a * c.rby3) * c.rby2) * c.lyka;
        let y_weight = Weight { b, c: c.rcy1, e, slip: kappa, shift: (p.dfz * c.rhy2 + c.rhy1) * a };

        let (fx_angle, fy_angle, weights) = if !self.mode.combined || c.rcx1 == 0.0 && c.rcy1 == 0.0 {
            let [fx_angle, fy_angle] = bend([fx_bend, fy_bend]);
            (fx_angle, fy_angle, [S::one(); 2])
        } else {
            let ([x0, x1], [y0, y1]) = (x_weight.bends(), y_weight.bends());
            let [fx_angle, fy_angle, x0, x1, y0, y1] = bend([fx_bend, fy_bend, x0, x1, y0, y1]);
            (fx_angle, fy_angle, [x_weight.value([x0, x1]), y_weight.value([y0, y1])])
        };
        // Forces at both slips, and Fy at the pneumatic trail.
        let fx = (long.peak * sin(fx_angle) + long.shift_vertical) * weights[0];
        let pure_fy = lat.peak * sin(fy_angle) + lat.shift_vertical;
        let fy_trail = if turned.is_some() {
            let [angle] = bend([straight.bend(alpha)]);
            self.force_at_trail(p, straight, alpha, straight.peak * sin(angle) + straight.shift_vertical)
        } else {
            self.force_at_trail(p, lat, alpha, pure_fy)
        };
        // Effect of one slip on the forces of the other.
        let combined = if self.mode.combined { 1.0 } else { 0.0 };
        let ply_steer = self.ply_steer(p, lat, kappa, alpha) * combined;
        let ply_steer = turned.as_ref().map_or(ply_steer, |turned| ply_steer * turned.peak);
        let fy = weights[1] * pure_fy + ply_steer;

        // Aligning torque; the force along the wheel acts with the arm s.
        let slip = long.stiffness * kappa / lat.stiffness * combined;
        let arm = fy * c.ssz2 * self.per_load + c.ssz1 + (p.dfz * c.ssz4 + c.ssz3) * p.gamma;
        let arm = a * c.unloaded_radius * c.ls * arm * combined;
        let spin = turned.as_ref().map(|turned| (turned, weights[1]));
        let mz = self.aligning(p, lat, alpha, slip, weights[1] * fy_trail, spin) + arm * fx;

        // Signs and scales of the side of the vehicle.
        let [scale_x, scale_y] = self.mode.acts.map(|acts| if acts { p.scale } else { S::zero() });
        let (drive, turn, side) = (scale_x * p.turn, scale_y * p.turn, scale_y * self.mirror);
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
    fn ply_steer<S: Scalar>(&self, p: &Point<S>, lat: &Lateral<S>, kappa: S, alpha: S) -> S {
        let c = &self.c;
        if c.rvy5 == 0.0 || c.rvy6 == 0.0 {
            return S::zero();
        }
        let largest = lat.mu * p.load * (p.dfz * c.rvy2 + c.rvy1 + p.gamma * c.rvy3) * cos_atan(alpha * c.rvy4);
        largest * sin(atan(kappa * c.rvy6) * c.rvy5) * c.lvyka * p.fade
    }

    /// Common terms for all slips; `kappa` and `alpha` of the input have no influence.
    pub fn prepare<S: Scalar>(&self, input: &Input<S>) -> Prepared<S> {
        let point = self.point(input);
        let (long, lat) = (self.longitudinal(&point), self.lateral(&point));
        Prepared { point, long, lat, relaxation: self.relaxation(&point, &long, &lat) }
    }

    /// Damping of the vertical motion, N s/m.
    pub(crate) fn damping(&self) -> f64 {
        self.c.vertical_damping
    }

    /// Forces at pure slip: each with zero for the other slip and for turn slip.
    pub fn pure<S: Scalar>(&self, input: &Input<S>) -> Pure<S> {
        let Prepared { point: p, long, lat, .. } = self.prepare(input);
        let [kappa, alpha] = self.slips(&p, input.kappa, input.alpha);
        let [x, y] = bend([self.longitudinal_bend(&p, &long, kappa), lat.bend(alpha)]);
        let (fx, fy) = (long.peak * sin(x) + long.shift_vertical, lat.peak * sin(y) + lat.shift_vertical);
        let fy_trail = self.force_at_trail(&p, &lat, alpha, fy);
        let mz = self.aligning(&p, &lat, alpha, S::zero(), fy_trail, None);
        let turn = p.scale * p.turn;
        Pure { fx: turn * fx, fy: turn * self.mirror * fy, mz: p.scale * self.mirror * mz }
    }

    /// The input in the frame of the formula, within its ranges.
    fn point<S: Scalar>(&self, input: &Input<S>) -> Point<S> {
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
            gamma: limit(input.gamma * side, c.cammin, c.cammax),
            speed: limit(input.speed, -1e3, 1e3),
            fade: at_most(input.rolling.abs(), 1.0),
            turn,
            spin: input.turn_slip * (c.unloaded_radius * self.mirror),
            lmux: friction * c.lmux,
            lmuy: friction * c.lmuy,
        }
    }

    /// κ and α in the frame of the formula, within their ranges.
    fn slips<S: Scalar>(&self, p: &Point<S>, kappa: S, alpha: S) -> [S; 2] {
        let c = &self.c;
        let alpha = limit(alpha * (self.mirror * p.turn), c.alpmin, c.alpmax);
        [limit(kappa * p.turn, c.kpumin, c.kpumax), limit(alpha, -MAX_ALPHA, MAX_ALPHA)]
    }

    /// Constants of Fx at pure slip: 4.E10-4.E18.
    fn longitudinal<S: Scalar>(&self, p: &Point<S>) -> Longitudinal<S> {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        let gamma = p.gamma * c.lgax;
        let shift_horizontal = p.fade * (dfz * c.phx2 + c.phx1) * c.lhx;
        let shift_vertical = p.fade * p.load * (dfz * c.pvx2 + c.pvx1) * c.lvx * p.lmux;
        let shape = c.pcx1 * c.lcx;
        let pressure = 1.0 + (c.ppx3 + c.ppx4 * dpi) * dpi;
        let camber = S::one() - gamma * c.pdx3 * gamma;
        let mu = at_least((dfz * c.pdx2 + c.pdx1) * pressure * camber * p.lmux, 0.0);
        let curvature = (dfz * c.pex3 + c.pex2) * dfz + c.pex1;
        let pressure = 1.0 + (c.ppx1 + c.ppx2 * dpi) * dpi;
        let stiffness =
            at_least(p.load * (dfz * c.pkx2 + c.pkx1) * exp(at_most(dfz * c.pkx3, MAX_POWER)) * pressure * c.lkx, 0.0);
        let peak = mu * p.load;
        let b = stiffness / maximum(peak * shape, p.load * MIN_PEAK);
        Longitudinal { mu, stiffness, b, shape, peak, curvature, shift_horizontal, shift_vertical }
    }

    /// Fx at pure slip: 4.E9.
    fn longitudinal_bend<S: Scalar>(&self, p: &Point<S>, long: &Longitudinal<S>, kappa: S) -> Bend<S> {
        let x = kappa + long.shift_horizontal;
        let e = long.curvature * (S::one() - p.fade * self.c.pex4 * sign(x)) * self.c.lex;
        Bend { b: long.b, c: long.shape, e: at_most(e, 1.0), x }
    }

    /// Fy at pure slip: 4.E19-4.E30.
    fn lateral<S: Scalar>(&self, p: &Point<S>) -> Lateral<S> {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        // Cy and μy.
        let gamma = p.gamma * c.lgay;
        let g2 = gamma * gamma;
        let shape = c.pcy1 * c.lcy;
        let pressure = 1.0 + (c.ppy3 + c.ppy4 * dpi) * dpi;
        let mu_upright = (dfz * c.pdy2 + c.pdy1) * pressure * p.lmuy;
        let mu = at_least(mu_upright * (S::one() - g2 * c.pdy3), 0.0);
        let mu_upright = at_least(mu_upright, 0.0);

        // Kyα < 0, at camber and upright.
        let relative = (dfz + 1.0) / (1.0 + c.ppy2 * dpi);
        let cornering = |load: S| self.cornering(p, load);
        let least = -1e-6 * self.fz0_scaled;
        let stiffness = cornering(relative / (g2 * c.pky5 + c.pky2)) * (S::one() - gamma.abs() * c.pky3);
        let stiffness = at_most(stiffness, least);

        // SHy, SVy; 4.E27-4.E30.
        let camber_vertical = self.camber_vertical(p, gamma);
        let upright_vertical = p.load * (dfz * c.pvy2 + c.pvy1) * c.lvy * p.lmuy;
        let camber_horizontal = match self.formula {
            Formula::Mf52 => gamma * c.phy3,
            Formula::Mf61 => {
                let thrust = p.load * (dfz * c.pky7 + c.pky6) * (1.0 + c.ppy5 * dpi) * c.lkyc * gamma;
                (thrust - camber_vertical) / stiffness
            }
        };
        let upright_horizontal = (dfz * c.phy2 + c.phy1) * c.lhy;
        let shift_horizontal = p.fade * (upright_horizontal + camber_horizontal);
        let shift_vertical = p.fade * (upright_vertical + camber_vertical);

        // Ey, Dy and By; the same upright for the force at the pneumatic trail.
        let curvature = (dfz * c.pey2 + c.pey1) * c.ley;
        let camber_curvature = [g2 * c.pey5 + 1.0, p.fade * c.pey3 + gamma * c.pey4];
        let peak = mu * p.load;
        let b = stiffness / maximum(peak * shape, p.load * MIN_PEAK);
        let upright = (self.formula == Formula::Mf61 && gamma != 0.0).then(|| {
            let peak = mu_upright * p.load;
            let b = at_most(cornering(relative / c.pky2), least) / maximum(peak * shape, p.load * MIN_PEAK);
            [b, peak, p.fade * upright_horizontal, p.fade * upright_vertical]
        });
        Lateral {
            mu,
            stiffness,
            b,
            shape,
            peak,
            curvature,
            camber_curvature,
            shift_horizontal,
            shift_vertical,
            upright,
        }
    }

    /// Kyα without the influence of camber on its magnitude, at a load relative to the load of its maximum: 4.E25.
    pub(super) fn cornering<S: Scalar>(&self, p: &Point<S>, load: S) -> S {
        let c = &self.c;
        let largest = c.pky1 * self.fz0_scaled * (1.0 + c.ppy1 * p.dpi) * c.lky;
        if c.pky4 == 2.0 {
            // sin(2 atan x)
            load * (largest * 2.0) / (load * load + 1.0)
        } else {
            sin(atan(load) * c.pky4) * largest
        }
    }

    /// SVyγ: 4.E28.
    pub(super) fn camber_vertical<S: Scalar>(&self, p: &Point<S>, gamma: S) -> S {
        let c = &self.c;
        p.load * (p.dfz * c.pvy4 + c.pvy3) * gamma * c.lkyc * p.lmuy
    }

    /// Part of the pure lateral force `fy` that acts at the pneumatic trail: 4.E31.
    fn force_at_trail<S: Scalar>(&self, p: &Point<S>, lat: &Lateral<S>, alpha: S, fy: S) -> S {
        let Some([b, peak, shift_horizontal, shift_vertical]) = lat.upright else { return fy };
        let x = alpha + shift_horizontal;
        let e = at_most(lat.curvature * (S::one() - p.fade * self.c.pey3 * sign(x)), 1.0);
        let [angle] = bend([Bend { b, c: lat.shape, e, x }]);
        peak * sin(angle) + shift_vertical
    }

    /// −t F'y + Mzr: 4.E31-4.E47 and 4.E71-4.E78.
    ///
    /// * `slip`: κ Kx/Ky, added to the slip angles
    /// * `fy`: F'y
    /// * `spin`: with turn slip, its effects on the tyre, and the weight Gyκ
    fn aligning<S: Scalar>(
        &self,
        p: &Point<S>,
        lat: &Lateral<S>,
        alpha: S,
        slip: S,
        fy: S,
        spin: Option<(&TurnSlipEffects<S>, S)>,
    ) -> S {
        let (c, dfz, dpi) = (&self.c, p.dfz, p.dpi);
        // Angles of the trail and of the residual torque, 4.E34-4.E38, with the slip along the wheel, 4.E77 and 4.E78.
        let gamma = p.gamma * c.lgaz;
        let cos_alpha = p.fade * cos(alpha);
        let trail_angle = alpha + p.fade * (dfz * c.qhz2 + c.qhz1 + (dfz * c.qhz4 + c.qhz3) * gamma);
        let residual_angle = alpha + lat.shift_horizontal + lat.shift_vertical / lat.stiffness;
        let [trail_size, residual_size] = equivalent([trail_angle, residual_angle], slip);
        // Pneumatic trail t = D_t cos(C_t atan(…)) cos α.
        let camber = gamma * c.qbz4 + 1.0 + gamma.abs() * c.qbz5;
        let b = ((dfz * c.qbz3 + c.qbz2) * dfz + c.qbz1) * camber * c.lky / p.lmuy;
        let e = (dfz * c.qez3 + c.qez2) * dfz + c.qez1;
        let camber_curvature = (gamma * c.qez5 + c.qez4) * core::f64::consts::FRAC_2_PI;
        let e = if e == 0.0 { e } else { at_most(e * (camber_curvature * atan(b * c.qcz1 * trail_angle) + 1.0), 1.0) };
        let camber = (gamma * c.qdz4 + c.qdz3) * gamma + 1.0;
        let peak = p.load * (dfz * c.qdz2 + c.qdz1) * (1.0 - c.ppz1 * dpi) * camber * self.radius_per_load;
        let [angle] = bend([Bend { b, c: c.qcz1, e, x: trail_size }]);
        let trail = peak * c.ltr * cos(angle) * cos_alpha;

        // Residual torque; with turn slip, spin determines its peak.
        let b = S::from_f64(c.qbz9 * c.lky) / p.lmuy + lat.b * lat.shape * c.qbz10;
        if let Some((turned, weight)) = spin {
            let peak = p.load * c.unloaded_radius * p.lmuy * ((dfz * c.qdz7 + c.qdz6) * c.lres) * cos_alpha;
            return self.turning(p, turned, weight, peak, b * residual_size) - turned.trail * trail * fy;
        }
        let camber = (dfz * c.qdz9 + c.qdz8) * (1.0 + c.ppz2 * dpi) + (dfz * c.qdz11 + c.qdz10) * gamma.abs();
        let peak = (dfz * c.qdz7 + c.qdz6) * c.lres + camber * gamma * c.lkzc;
        let peak = p.load * c.unloaded_radius * p.lmuy * peak;
        let residual = peak * cos_atan(b * residual_size) * cos_alpha;
        residual - trail * fy
    }

    /// Mx: 4.E69, with `QSX4`, `QSX6` as in equation 49 of the 2010 paper.
    fn overturning<S: Scalar>(&self, p: &Point<S>, fy: S) -> S {
        let c = &self.c;
        let (gamma, nfz, nfy) = (p.gamma, p.load * self.per_load, fy * self.per_load);
        let mut arm = p.fade * c.qsx1 * c.lvmx - gamma * c.qsx2 * (1.0 + c.ppmx1 * p.dpi) + nfy * c.qsx3
            - gamma * c.qsx12 * gamma.abs();
        if c.qsx4 != 0.0 {
            let load = nfz * c.qsx6;
            arm += cos(atan(load * load) * c.qsx5) * c.qsx4 * sin(gamma * c.qsx7 + atan(nfy * c.qsx9) * c.qsx8);
        }
        if c.qsx10 != 0.0 {
            arm += atan(nfz * c.qsx11) * c.qsx10 * gamma;
        }
        (p.load * arm + fy * (gamma.abs() * c.qsx14 + c.qsx13)) * (c.unloaded_radius * c.lmx)
    }

    /// My: 4.E70 with the sign of a braking moment.
    fn rolling_resistance<S: Scalar>(&self, p: &Point<S>, long: &Longitudinal<S>, fx: S) -> S {
        let c = &self.c;
        if self.formula == Formula::Mf52 && [c.qsy1, c.qsy2, c.qsy3, c.qsy4] == [0.0; 4] {
            return (long.shift_vertical + long.stiffness * long.shift_horizontal) * c.unloaded_radius * c.lmy;
        }
        let (v, nfz) = ((p.speed / c.longvl).abs(), p.load * self.per_load);
        let camber = (nfz * c.qsy6 + c.qsy5) * p.gamma * p.gamma;
        let factor = fx * c.qsy2 * self.per_load + c.qsy1 + v * c.qsy3 + v * c.qsy4 * v * v * v + camber;
        let load = if c.qsy7 == 1.0 { p.load } else { pow(nfz, c.qsy7) * c.fnomin };
        let pressure = if c.qsy8 == 0.0 { 1.0 } else { pow((1.0 + p.dpi).max(0.0), c.qsy8) };
        -p.fade * c.unloaded_radius * load * factor * pressure * c.lmy
    }

    /// [σκ, σα]: from `PTX`, `PTY` in 5.2; from the carcass stiffnesses in 6.1, equations 17-20 of the 2010 paper.
    fn relaxation<S: Scalar>(&self, p: &Point<S>, long: &Longitudinal<S>, lat: &Lateral<S>) -> [S; 2] {
        if !self.mode.relaxes {
            return [S::zero(); 2];
        }
        let (c, dfz) = (&self.c, p.dfz);
        let carcass = |stiffness: f64, load: f64, load2: f64, pressure: f64| {
            at_least((dfz * load2 + load) * dfz + 1.0, 0.1) * stiffness * at_least(1.0 + pressure * p.dpi, 0.1)
        };
        let sigma_kappa = if self.formula == Formula::Mf61 && c.longitudinal_stiffness > 0.0 {
            long.stiffness / carcass(c.longitudinal_stiffness, c.pcfx1, c.pcfx2, c.pcfx3)
        } else {
            p.load * (dfz * c.ptx2 + c.ptx1) * exp(at_most(dfz * -c.ptx3, MAX_POWER)) * self.radius_per_load
        };
        let sigma_alpha = if self.formula == Formula::Mf61 && c.lateral_stiffness > 0.0 {
            -lat.stiffness / carcass(c.lateral_stiffness, c.pcfy1, c.pcfy2, c.pcfy3)
        } else if c.pty2 == 0.0 {
            S::zero()
        } else {
            // sin(2 atan x)
            let x = (dfz + 1.0) / c.pty2;
            let camber = S::one() - (p.gamma * c.lgay).abs() * c.pky3;
            x * (c.pty1 * 2.0) / (x * x + 1.0) * camber * c.unloaded_radius * c.lfzo
        };
        [at_least(sigma_kappa * c.lsgkp, 0.0), at_least(sigma_alpha * c.lsgal, 0.0)]
    }
}
