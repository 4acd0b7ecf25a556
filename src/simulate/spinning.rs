//! Rotation of a flexible body without geometric stiffening: checks that its frequencies are close to the frequencies
//! at rest.
//!
//! Rotation with Ω reduces the stiffness of motions in its plane by about Ω², and the tension of the centrifugal forces
//! adds k Ω², k = 1.2 for the first bending mode of a clamped blade (Southwell: ω² = ω₀² + k Ω² out of the plane).
//! Without geometric stiffness this term is missing, and from Ω = ω₀ on the body diverges, whereas a real body becomes
//! stiffer. The measure is Ω²/ω₀², with ω₀ the lowest natural frequency of the body, free or with one interface in use
//! held; at [`BOUND`] the frequency is wrong by ½ k · 0.02, 1.2 %.
//!
//! Costs a few operations per body and output point; allocates nothing. Verified by: tests below, and
//! `crates/fem/tests/fem/flexible_spinning.rs`.

use crate::math::Vec3;
use crate::system::{Flexible, State, System, Workspace};

/// Ω²/ω₀² from which the frequencies of a body without stiffening are wrong by more than 1 %.
pub const BOUND: f64 = 0.02;

/// The fastest rotation of any flexible body without stiffening.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spinning {
    /// Ω²/ω₀².
    pub ratio: f64,
    /// Index of the body among the flexible bodies.
    pub body: usize,
    /// Time, s.
    pub time: f64,
}

impl Spinning {
    /// Updates the largest rotation with the evaluation in the workspace.
    pub(super) fn track(&mut self, system: &System, state: &State, ws: &Workspace) {
        for (index, body) in system.flexible.iter().enumerate() {
            let frame = &ws.kinematics.bodies[body.body];
            let ratio = ratio(body, (frame.rotation * body.axes).tr_mul(&frame.velocity.ang));
            // A NaN is not reported here: the gaps and energies report it.
            if ratio > self.ratio {
                *self = Spinning { ratio, body: index, time: state.time };
            }
        }
    }

    /// Whether a body has turned faster than the bound.
    pub(crate) fn is_fast(&self) -> bool {
        self.ratio > BOUND
    }

    /// The warning for a body that has turned faster than the bound. Allocates.
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    pub fn warning(&self, system: &System) -> Option<String> {
        let body = system.flexible.get(self.body).filter(|_| self.is_fast())?;
        let lowest = body.lowest.sqrt();
        Some(format!(
            "flexible body `{}` rotates at {:.4} rad/s at t = {:.4} s without geometric stiffening: Ω² is {:.3} of \
             its lowest ω² ({:.4} Hz), so its frequencies are wrong by about {:.0} % (limit: {BOUND} of ω²); use a \
             reduced-order model with geometric stiffness (of other programs: `[[matrices.stressed]]`) and no \
             `stiffening = \"none\"`, or divide the body into several flexible bodies in series",
            body.name,
            self.ratio.sqrt() * lowest,
            self.time,
            self.ratio,
            lowest / std::f64::consts::TAU,
            // √(ω₀² + 1.2 Ω²) compared with ω₀.
            100.0 * ((1.0 + 1.2 * self.ratio).sqrt() - 1.0),
        ))
    }
}

/// Ω²/ω₀² of a body that turns with `angular` in the axes of C, about axes that do not stiffen it; 0 for a stiffened
/// body.
fn ratio(body: &Flexible, angular: Vec3) -> f64 {
    let part = |(axis, alone): (usize, &bool)| if *alone { angular[axis] * angular[axis] } else { 0.0 };
    body.unstiffened.iter().enumerate().map(part).sum::<f64>() / body.lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_the_squares_and_none_of_a_stiffened_body() {
        let mut body = crate::check::elastic_sample::body(&[20.0], &[0.0]);
        assert_eq!(ratio(&body, Vec3::new(300.0, 0.0, 400.0)), 0.0);
        body.lowest = 1e6;
        assert_eq!(ratio(&body, Vec3::new(300.0, 0.0, 400.0)), 0.25);
        body.unstiffened = [true, true, false];
        assert_eq!(ratio(&body, Vec3::new(300.0, 0.0, 400.0)), 0.09);
    }
}
