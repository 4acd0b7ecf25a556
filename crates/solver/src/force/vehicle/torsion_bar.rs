//! Torsion bar: a joint spring whose stiffness follows from the bar.
//!
//! # Law
//!
//! A round bar or tube of length L, diameters d and d_i and shear modulus G has the stiffness (Saint-Venant)
//!
//! ```text
//!     k = G π (d⁴ − d_i⁴) / (32 L)    in N m/rad,
//! ```
//!
//! and the element is the [`JointSpring`](crate::force::joint_spring::JointSpring) with k: effort −(k (q − q₀) + T₀ +
//! c v). Everything else is described there.

/// k in N m/rad from L, d, d_i in m and G in Pa.
pub fn stiffness(length: f64, diameter: f64, inner_diameter: f64, shear_modulus: f64) -> f64 {
    let fourth = |d: f64| d * d * d * d;
    shear_modulus * core::f64::consts::PI * (fourth(diameter) - fourth(inner_diameter)) / (32.0 * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_of_1_m_and_25_mm_has_the_stiffness_of_the_handbook() {
        // G π d⁴/(32 L) = 79.3e9 · π · 3.90625e-7 / 32 = 3041.1 N m/rad; half the length is twice as stiff.
        assert!((stiffness(1.0, 0.025, 0.0, 79.3e9) - 3041.1).abs() < 0.1);
        assert!((stiffness(0.5, 0.025, 0.0, 79.3e9) / stiffness(1.0, 0.025, 0.0, 79.3e9) - 2.0).abs() < 1e-14);
        // A bore of half the diameter takes a sixteenth.
        let tube = stiffness(1.0, 0.025, 0.0125, 79.3e9) / stiffness(1.0, 0.025, 0.0, 79.3e9);
        assert!((tube - 15.0 / 16.0).abs() < 1e-14);
    }
}
