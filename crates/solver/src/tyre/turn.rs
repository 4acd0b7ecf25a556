//! Turn slip: effect of the spin of the contact patch about the road's normal on forces and moments.
//!
//! # Law
//!
//! The turn slip is φ = (ψ̇ + (1 − ε) Ω sin γ)/|Vx| ([`super::Input::turn_slip`]). Camber also causes spin, but the
//! fraction ε = `PECP1` (1 + `PECP2` dfz) of it has no effect. With φ, factors ζ reduce peaks, stiffness and trail
//! (Pacejka 2012, 4.77-4.106):
//!
//! ```text
//!     ζ1 = cos atan(Bxφ R0 φ)                    peak of Fx          Bxφ = PDXP1 (1 + PDXP2 dfz) cos atan(PDXP3 κ)
//!     ζ2 = cos atan(Byφ (R0|φ| + PDYP4 √(R0|φ|))) peak of Fy         Byφ = PDYP1 (1 + PDYP2 dfz) cos atan(PDYP3 tan α)
//!     ζ3 = cos atan(PKYP1 R0² φ²)                cornering stiffness
//!     ζ5 = cos atan(QDTP1 R0 φ)                  trail
//!     ζ6 = cos atan(QBRP1 R0 φ)                  slope of the residual torque
//! ```
//!
//! In the lateral shift, the spin part SHyφ − SVyγ/Kyα replaces the camber part (ζ0 = 0; 4.80-4.89). In the residual
//! torque, the peak D_rφ replaces the peak of camber:
//!
//! ```text
//!     D_rφ = −M∞/sin(½π QDRP1) sin(QDRP1 atan(X − QDRP2 (X − atan X)))     X = B R0 φ, so that −∂D_rφ/∂(R0 φ) = Kφ
//!     M∞ = QCRP1 μy R0 Fz √(Fz/Fz0')      Kφ = |Fz R0 (QDZ8 + QDZ9 dfz)|/(1 − ε), at least M∞
//!     Mzr = D_r cos(ζ7 atan(Br αr))       ζ7 = 2/π acos(M90/(|D_rφ| + 0.001 M∞))   M90 = M∞ 2/π atan(QCRP2 R0|φ|) Gyκ
//! ```
//!
//! M∞ is the torque of a tyre that turns on the spot. The spin torque opposes the spin for either sign of `QDZ8`. A
//! file without `QDZ8` has the slope M∞, so that the parking torque does not grow faster than its friction limit.
//!
//! # Source
//!
//! H. B. Pacejka, *Tire and Vehicle Dynamics*, 3rd edition (2012), section 4.3.3. The relaxation length of the spin is
//! half of the contact length, a = R0 (`Q_RA1` √x + `Q_RA2` x) with x = Fz/(Cz R0) (Besselink et al. 2010, equation 9).
//!
//! # Tests
//!
//! tests/motion/tyre_law.rs against tests/tyres/mf61.py; force/tyre/tests.rs.

use super::law::{Bend, Lateral, Law, Longitudinal, MIN_PEAK, Point, Prepared, bend, cos_atan};
use super::properties::Formula;
use crate::math::elementary::{atan, cos, sin, sin_cos};
use crate::math::scalar::Scalar;
use crate::math::{at_least, at_most, larger, maximum, quotient, within};
use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Part of M∞ that keeps ζ7 finite without spin.
const MIN_RESIDUAL_TORQUE: f64 = 1e-3;
/// Range of `QDRP1`.
const SHAPES: [f64; 2] = [0.1, 1.5];

/// Stiffness, relaxation length and limit of the spin torque, like [`super::Grip`] for the slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpinGrip<S = f64> {
    /// Kφ = −∂Mz/∂(R0 φ) without slip, N m, > 0 under load.
    pub stiffness: S,
    /// σφ, half of the contact length, m.
    pub relaxation: S,
    /// M∞, N m.
    pub largest: S,
    /// R0, m.
    pub radius: f64,
    /// ε.
    pub camber_reduction: S,
}

/// The effects of turn slip on a tyre.
pub(super) struct TurnSlipEffects<S> {
    pub long: Longitudinal<S>,
    pub lat: Lateral<S>,
    /// ζ2.
    pub peak: S,
    /// ζ6.
    slope: S,
    /// ζ5.
    pub trail: S,
}

impl<S: Scalar> Prepared<S> {
    /// The factors at R0 φ.
    pub(crate) fn spinning(mut self, law: &Law, spin: S) -> Prepared<S> {
        self.point.spin = spin * law.mirror;
        self
    }

    /// Inputs of the relaxation of the spin.
    pub fn spin_grip(&self, law: &Law) -> SpinGrip<S> {
        let (p, c) = (&self.point, &law.c);
        let [stiffness, largest] = law.spin_torque(p, self.lat.mu).map(|torque| torque * p.scale);
        SpinGrip {
            stiffness,
            relaxation: law.half_contact_length(p.load * p.scale),
            largest,
            radius: c.unloaded_radius,
            camber_reduction: law.camber_reduction(p),
        }
    }
}

impl Law {
    /// ε.
    fn camber_reduction<S: Scalar>(&self, p: &Point<S>) -> S {
        at_most((p.dfz * self.c.pecp2 + 1.0) * self.c.pecp1, 0.9)
    }

    /// Kφ and M∞.
    fn spin_torque<S: Scalar>(&self, p: &Point<S>, mu: S) -> [S; 2] {
        let c = &self.c;
        let relative = at_least(p.load / self.fz0_scaled, 0.0);
        let largest = mu * p.load * relative.sqrt() * (c.unloaded_radius * (c.qcrp1 * c.lmp).abs());
        let camber = p.load * (p.dfz * c.qdz9 + c.qdz8) * ((1.0 + c.ppz2 * p.dpi) * c.lkzc * c.unloaded_radius);
        [maximum(camber.abs() / (S::one() - self.camber_reduction(p)), largest), largest]
    }

    /// Forces at the spin of the contact point.
    pub(super) fn turned<S: Scalar>(
        &self,
        p: &Point<S>,
        long: &Longitudinal<S>,
        lat: &Lateral<S>,
        [kappa, alpha]: [S; 2],
    ) -> TurnSlipEffects<S> {
        let (c, dfz, x) = (&self.c, p.dfz, p.spin);
        let (mut long, mut lat) = (*long, *lat);
        // ζ1 reduces the peak of Fx.
        let zeta_1 = cos_atan((dfz * c.pdxp2 + 1.0) * c.pdxp1 * cos_atan(kappa * c.pdxp3) * x);
        long.peak *= zeta_1;
        long.shift_vertical *= zeta_1;
        long.b = long.stiffness / maximum(long.peak * long.shape, p.load * MIN_PEAK);

        // ζ2 and ζ3 reduce the peak and the cornering stiffness of Fy.
        let (sin_alpha, cos_alpha) = sin_cos(alpha);
        let b = (dfz * c.pdyp2 + 1.0) * c.pdyp1 * cos_atan(sin_alpha / cos_alpha * c.pdyp3);
        let size = x.abs();
        let peak = cos_atan(b * (size + size.sqrt() * c.pdyp4));
        lat.stiffness *= cos_atan(x * x * c.pkyp1);
        lat.peak *= peak;
        lat.shift_vertical *= peak;
        lat.b = lat.stiffness / maximum(lat.peak * lat.shape, p.load * MIN_PEAK);

        // SHy: 4.80-4.89.
        let gamma = p.gamma * c.lgay;
        let upright = self.cornering(p, (dfz + 1.0) / (1.0 + c.ppy2 * p.dpi) / c.pky2);
        let upright = at_most(upright * cos_atan(x * x * c.pkyp1), -1e-6 * self.fz0_scaled);
        let camber = match self.formula {
            Formula::Mf52 => upright * c.phy3 + self.camber_vertical(p, S::one()),
            Formula::Mf61 => p.load * (dfz * c.pky7 + c.pky6) * ((1.0 + c.ppy5 * p.dpi) * c.lkyc),
        };
        // SHyφ grows with the spin up to its largest value, and replaces the camber part.
        let largest = dfz * c.phyp3 + c.phyp2;
        let slope = camber / (S::one() - self.camber_reduction(p)) / upright;
        let by_spin = if largest.value() == 0.0 || c.phyp1 == 0.0 {
            slope * x
        } else {
            let e = S::from_f64(c.phyp4.min(1.0));
            let [angle] = bend([Bend { b: slope / (largest * c.phyp1), c: c.phyp1, e, x }]);
            largest * sin(angle)
        };
        let by_camber = self.camber_vertical(p, gamma) * peak / lat.stiffness;
        lat.shift_horizontal = p.fade * ((dfz * c.phy2 + c.phy1) * c.lhy + by_spin - by_camber);
        TurnSlipEffects { long, lat, peak, slope: cos_atan(x * c.qbrp1), trail: cos_atan(x * c.qdtp1) }
    }

    /// Mzr with spin.
    ///
    /// * `weight`: Gyκ
    /// * `peak`: of the residual torque without camber and spin, N m
    /// * `angle`: Br αr without spin
    pub(super) fn turning<S: Scalar>(
        &self,
        p: &Point<S>,
        turned: &TurnSlipEffects<S>,
        weight: S,
        peak: S,
        angle: S,
    ) -> S {
        let c = &self.c;
        let [stiffness, largest] = self.spin_torque(p, turned.lat.mu);
        let shape = within(c.qdrp1, SHAPES[0], SHAPES[1]);
        let bound = larger(largest, S::from_f64(f64::MIN_POSITIVE)) / sin(FRAC_PI_2 * shape);
        let e = S::from_f64(c.qdrp2.min(1.0));
        let [spin] = bend([Bend { b: stiffness / (bound * shape), c: shape, e, x: p.spin }]);
        let spin = -bound * sin(spin);
        let across = largest * atan(p.spin.abs() * c.qcrp2) * FRAC_2_PI * weight;
        let ratio = within(quotient(across, spin.abs() + largest * MIN_RESIDUAL_TORQUE), 0.0, 0.999);
        // 2/π acos of the ratio.
        let share = S::one() - atan(ratio / (S::one() - ratio * ratio).sqrt()) * FRAC_2_PI;
        (peak * turned.peak + spin) * cos(share * atan(turned.slope * angle))
    }
}
