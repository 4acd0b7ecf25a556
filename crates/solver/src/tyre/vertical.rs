//! Load of a tyre as a function of deflection, and its effective rolling radius.
//!
//! # Law
//!
//! With the deflection ρ (m), the spin Ω, and the nominal load Fz0 (Besselink et al. 2010, equations 2-7):
//!
//! ```text
//!     Fz = (1 + Q_V2 (R0/V0)|Ω| − (Q_FCX Fx/Fz0)² − (Q_FCY Fy/Fz0)²) (1 + PFZ1 dpi) Fz0
//!          [(Q_FZ1 + Q_FZ3 γ²) ρ/R0 + Q_FZ2 (ρ/R0)²]
//! ```
//!
//! plus damping, plus the contact of the rim with the road (bottoming). A missing `Q_FZ1` follows from
//! `VERTICAL_STIFFNESS`, the slope at the nominal load: Q_FZ1² = (Cz R0/Fz0)² − 4 Q_FZ2. A `[DEFLECTION_LOAD_CURVE]`
//! replaces Fz0 [...]. A tyre never pulls. The effective radius is R_Ω − (Fz0/Cz)(`DREFF` atan(`BREFF` Fz/Fz0) +
//! `FREFF` Fz/Fz0) in both formulas; 5.2 writes it in ρ Cz/Fz0, the same for a linear spring.

use super::law::Law;
use super::load_curve::LoadCurve;
use crate::math::elementary::atan;
use crate::math::scalar::Scalar;
use crate::math::{at_least, maximum, quotient};

/// Inputs of the load other than deflection and its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VerticalInput<S = f64> {
    /// Spin Ω, rad/s.
    pub spin: S,
    /// Longitudinal force, N.
    pub fx: S,
    /// Lateral force, N.
    pub fy: S,
    /// Inclination angle, rad.
    pub gamma: S,
    /// Inflation pressure, Pa; 0: the pressure of the file.
    pub pressure: f64,
}

/// Load with its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertical<S = f64> {
    /// Fz ≥ 0, N: elastic, damping and bottoming together.
    pub force: S,
    /// Elastic part with bottoming, N.
    pub elastic: S,
    /// Damping part, N, limited so that the tyre does not pull.
    pub damping: S,
    /// ∂Fz/∂ρ of the elastic part, N/m.
    pub stiffness: S,
    /// Energy of the elastic part, J: integral of the elastic part over the deflection, with the other inputs fixed.
    pub energy: S,
}

/// The cams of an enveloping tyre: |x/a|^c + |z/b|^c = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Cams {
    /// a, m.
    pub half_length: f64,
    /// b, m.
    pub half_height: f64,
    /// c.
    pub order: f64,
    /// Distance between the two cams, m.
    pub distance: f64,
    /// Height over the lowest point up to which a cam may touch, m.
    pub highest: f64,
}

impl Law {
    /// Vertical load.
    ///
    /// * `deflection`: ρ of the free radius at that spin, m; no load at ρ ≤ 0
    /// * `rate`: its rate, m/s, positive when the tyre is being compressed
    pub fn vertical<S: Scalar>(&self, deflection: S, rate: S, input: &VerticalInput<S>) -> Vertical<S> {
        let c = &self.c;
        if deflection <= 0.0 {
            return Vertical::default();
        }
        let (nfx, nfy) = (input.fx * c.q_fcx / c.fnomin, input.fy * c.q_fcy / c.fnomin);
        let spin = (input.spin * (c.unloaded_radius / c.longvl)).abs();
        let dynamic = spin * c.q_v2 + 1.0 - nfx * nfx - nfy * nfy;
        let factor = at_least(dynamic, 0.1) * self.pressure_factor(input.pressure);
        let [force, slope, energy] = match &self.deflection_load {
            Some(curve) => curve.at(deflection),
            None => {
                let (x, fz0) = (deflection / c.unloaded_radius, c.fnomin);
                let linear = input.gamma * c.q_fz3 * input.gamma + c.q_fz1;
                let slope = (linear + x * (2.0 * c.q_fz2)) * (fz0 / c.unloaded_radius);
                let energy = deflection * fz0 * x * (linear * 0.5 + x * c.q_fz2 / 3.0);
                [x * fz0 * (linear + x * c.q_fz2), slope, energy]
            }
        };
        let [bottoming, bottoming_slope, bottoming_energy] = self.bottoming(deflection);
        let elastic = at_least(factor * force + bottoming, 0.0);
        let damping = maximum(rate * c.vertical_damping, -elastic);
        Vertical {
            force: elastic + damping,
            elastic,
            damping,
            stiffness: factor * slope + bottoming_slope,
            energy: factor * energy + bottoming_energy,
        }
    }

    /// Load, stiffness and energy of the rim contact.
    fn bottoming<S: Scalar>(&self, deflection: S) -> [S; 3] {
        let c = &self.c;
        let mut parts = [S::zero(); 3];
        if let Some(curve) = self.bottoming.as_ref().filter(|_| c.bottoming_radius > 0.0) {
            parts = curve.at(deflection - (c.unloaded_radius - c.bottoming_radius));
        }
        let depth = deflection - (c.unloaded_radius - c.rim_radius - c.bottom_offst);
        if c.bottom_stiff > 0.0 && c.rim_radius > 0.0 && depth > 0.0 {
            let force = depth * c.bottom_stiff;
            parts = [parts[0] + force, parts[1] + c.bottom_stiff, parts[2] + force * 0.5 * depth];
        }
        parts
    }

    /// 1 + PFZ1 dpi.
    fn pressure_factor(&self, pressure: f64) -> f64 {
        let c = &self.c;
        let pressure = if pressure > 0.0 { pressure } else { c.inflpres };
        if c.nompres > 0.0 { (1.0 + c.pfz1 * (quotient(pressure, c.nompres) - 1.0)).max(0.1) } else { 1.0 }
    }

    /// Free radius at a spin, m: R0 (`Q_RE0` + `Q_V1` (R0 Ω/V0)²).
    ///
    /// * `spin`: rad/s
    pub fn free_radius<S: Scalar>(&self, spin: S) -> S {
        let c = &self.c;
        let speed = spin * c.unloaded_radius / c.longvl;
        (speed * c.q_v1 * speed + c.q_re0) * c.unloaded_radius
    }

    /// Effective rolling radius, m: forward speed divided by spin of a tyre without longitudinal slip.
    ///
    /// * `load`: N; `spin`: rad/s; `pressure`: Pa, 0: the pressure of the file
    pub fn effective_radius<S: Scalar>(&self, load: S, spin: S, pressure: f64) -> S {
        let c = &self.c;
        let x = at_least(load, 0.0) / c.fnomin;
        let nominal = c.fnomin / (c.vertical_stiffness * self.pressure_factor(pressure));
        self.free_radius(spin) - (atan(x * c.breff) * c.dreff + x * c.freff) * nominal
    }

    /// Half of the contact length, m: R0 (`Q_RA1` √x + `Q_RA2` x) with x = Fz/(Cz R0).
    ///
    /// * `load`: N
    pub fn half_contact_length<S: Scalar>(&self, load: S) -> S {
        let c = &self.c;
        let x = at_least(load, 0.0) / (c.vertical_stiffness * c.unloaded_radius);
        (x.sqrt() * c.q_ra1 + x * c.q_ra2) * c.unloaded_radius
    }

    /// The two cams of an enveloping tyre, at the nominal load.
    pub fn cams(&self) -> Cams {
        let c = &self.c;
        Cams {
            half_length: c.pae,
            half_height: c.pbe,
            order: c.ellips_order,
            distance: 2.0 * c.ellips_shift * self.half_contact_length(c.fnomin),
            highest: c.ellips_max_step,
        }
    }

    /// Deflection under a load at rest, upright, m; without bottoming.
    ///
    /// * `load`: N; `pressure`: Pa, 0: the pressure of the file
    pub fn static_deflection(&self, load: f64, pressure: f64) -> f64 {
        let c = &self.c;
        let load = load.max(0.0) / self.pressure_factor(pressure);
        match &self.deflection_load {
            Some(curve) => curve.inverse(load),
            None => {
                // Root of Q_FZ2 x² + Q_FZ1 x = y that is regular at Q_FZ2 = 0. Above the largest load, the deflection
                // at the largest load.
                let root = (c.q_fz1 * c.q_fz1 + 4.0 * c.q_fz2 * load / c.fnomin).max(0.0).sqrt();
                c.unloaded_radius * 2.0 * (load / c.fnomin) / (c.q_fz1 + root)
            }
        }
    }
}

/// Slope of the tabulated load at the load `load`, N/m.
pub fn slope_at_load(rows: &[[f64; 2]], load: f64) -> Option<f64> {
    let curve = LoadCurve::new(rows)?;
    Some(curve.at(curve.inverse(load))[1])
}
