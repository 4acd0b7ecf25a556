//! Load of a tyre over its deflection, and the radius by which it rolls.
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
//! plus damping, plus the rim on the road (bottoming). Without `Q_FZ1` it follows from `VERTICAL_STIFFNESS`, the slope
//! at the nominal load: Q_FZ1² = (Cz R0/Fz0)² − 4 Q_FZ2. A `[DEFLECTION_LOAD_CURVE]` stands for Fz0 [...]. A tyre never
//! pulls. The effective radius is R_Ω − (Fz0/Cz)(`DREFF` atan(`BREFF` Fz/Fz0) + `FREFF` Fz/Fz0) in both formulas; 5.2
//! writes it in ρ Cz/Fz0, the same for a linear spring.

use super::curve::Curve;
use super::law::Law;
use crate::math::elementary::atan;
use crate::math::quotient;

/// What the load depends on beside deflection and its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VerticalInput {
    /// Spin Ω, rad/s.
    pub spin: f64,
    /// Longitudinal force, N.
    pub fx: f64,
    /// Lateral force, N.
    pub fy: f64,
    /// Inclination angle, rad.
    pub gamma: f64,
    /// Inflation pressure, Pa; 0: that of the file.
    pub pressure: f64,
}

/// Load with its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertical {
    /// Fz ≥ 0, N: elastic, damping and bottoming together.
    pub force: f64,
    /// Elastic part with bottoming, N.
    pub elastic: f64,
    /// Part of the damper, N, as far as the tyre does not pull.
    pub damping: f64,
    /// ∂Fz/∂ρ of the elastic part, N/m.
    pub stiffness: f64,
    /// Energy of the elastic part, J: its integral over the deflection with the other inputs fixed.
    pub energy: f64,
}

impl Law {
    /// Vertical load.
    ///
    /// * `deflection`: ρ of the free radius at that spin, m; no load at ρ ≤ 0
    /// * `rate`: its rate, m/s, positive when the tyre is being compressed
    pub fn vertical(&self, deflection: f64, rate: f64, input: &VerticalInput) -> Vertical {
        let c = &self.c;
        if deflection <= 0.0 {
            return Vertical::default();
        }
        let (nfx, nfy) = (c.q_fcx * input.fx / c.fnomin, c.q_fcy * input.fy / c.fnomin);
        let dynamic = 1.0 + c.q_v2 * (c.unloaded_radius / c.longvl * input.spin).abs() - nfx * nfx - nfy * nfy;
        let factor = dynamic.max(0.1) * self.pressure_factor(input.pressure);
        let [force, slope, energy] = match &self.deflection_load {
            Some(curve) => curve.at(deflection),
            None => {
                let (x, fz0) = (deflection / c.unloaded_radius, c.fnomin);
                let linear = c.q_fz1 + c.q_fz3 * input.gamma * input.gamma;
                let slope = fz0 / c.unloaded_radius * (linear + 2.0 * c.q_fz2 * x);
                let energy = fz0 * deflection * x * (0.5 * linear + c.q_fz2 * x / 3.0);
                [fz0 * x * (linear + c.q_fz2 * x), slope, energy]
            }
        };
        let [bottoming, bottoming_slope, bottoming_energy] = self.bottoming(deflection);
        let elastic = (factor * force + bottoming).max(0.0);
        let damping = (c.vertical_damping * rate).max(-elastic);
        Vertical {
            force: elastic + damping,
            elastic,
            damping,
            stiffness: factor * slope + bottoming_slope,
            energy: factor * energy + bottoming_energy,
        }
    }

    /// Load, stiffness and energy of the rim on the road.
    fn bottoming(&self, deflection: f64) -> [f64; 3] {
        let c = &self.c;
        let mut parts = [0.0; 3];
        if let Some(curve) = self.bottoming.as_ref().filter(|_| c.bottoming_radius > 0.0) {
            parts = curve.at(deflection - (c.unloaded_radius - c.bottoming_radius));
        }
        let depth = deflection - (c.unloaded_radius - c.rim_radius - c.bottom_offst);
        if c.bottom_stiff > 0.0 && c.rim_radius > 0.0 && depth > 0.0 {
            let force = c.bottom_stiff * depth;
            parts = [parts[0] + force, parts[1] + c.bottom_stiff, parts[2] + 0.5 * force * depth];
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
    pub(crate) fn free_radius(&self, spin: f64) -> f64 {
        let c = &self.c;
        let speed = c.unloaded_radius * spin / c.longvl;
        c.unloaded_radius * (c.q_re0 + c.q_v1 * speed * speed)
    }

    /// Effective rolling radius, m: forward speed over spin of a tyre without longitudinal slip.
    ///
    /// * `load`: N; `spin`: rad/s; `pressure`: Pa, 0: that of the file
    pub fn effective_radius(&self, load: f64, spin: f64, pressure: f64) -> f64 {
        let c = &self.c;
        let x = load.max(0.0) / c.fnomin;
        let nominal = c.fnomin / (c.vertical_stiffness * self.pressure_factor(pressure));
        self.free_radius(spin) - nominal * (c.dreff * atan(c.breff * x) + c.freff * x)
    }

    /// Deflection under a load at rest, upright, m; without bottoming.
    ///
    /// * `load`: N; `pressure`: Pa, 0: that of the file
    pub fn static_deflection(&self, load: f64, pressure: f64) -> f64 {
        let c = &self.c;
        let load = load.max(0.0) / self.pressure_factor(pressure);
        match &self.deflection_load {
            Some(curve) => curve.inverse(load),
            None => {
                // Root of Q_FZ2 x² + Q_FZ1 x = y that is regular at Q_FZ2 = 0; beyond the largest load its deflection.
                let root = (c.q_fz1 * c.q_fz1 + 4.0 * c.q_fz2 * load / c.fnomin).max(0.0).sqrt();
                c.unloaded_radius * 2.0 * (load / c.fnomin) / (c.q_fz1 + root)
            }
        }
    }
}

/// Slope of the tabulated load where it is `load`, N/m.
pub(super) fn slope_at_load(rows: &[[f64; 2]], load: f64) -> Option<f64> {
    let curve = Curve::new(rows)?;
    Some(curve.at(curve.inverse(load))[1])
}
