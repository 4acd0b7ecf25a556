//! Gyroscopic terms of fast bodies in linearly implicit steps.
//!
//! Problem. The inertia forces h of a body that turns by more than a small part of a radian per step change over the step with
//! the velocities: a heavy top at 1000 rad/s nutates at up to 1000 rad/s. Taken at the prediction only, such a term is integrated
//! as by Heun's method, which amplifies an oscillation ω by (h ω)⁴/8 per step. So it is taken along with the stiffness
//! ([`super::implicit`]), on the reduced coordinates:
//!
//! ```text
//!     (Rᵀ (M + S) R + G) δy = Rᵀ (Q − M z̈₀),    G = γ'h D,    D = ∂(Rᵀ h)/∂ẏ.
//! ```
//!
//! D is that of the closed mechanism: of all inertia forces, rods and modes included, with the accelerations that the closures
//! demand. Its antisymmetric part is the gyroscopic matrix, which does no work; its symmetric part is the rate of the inertia,
//! which is small for rotors of equal transverse inertias. D is taken whole where ½ Rᵀ (M + S) R + ½ (G + Gᵀ) is positive
//! definite, and without its symmetric part elsewhere: so xᵀ (…) x ≥ ½ xᵀ Rᵀ (M + S) R x for every x, and the matrix
//! can be factored whatever the step is.
//!
//! Method. Column c of D by a forward difference along column c of R: velocities, bias accelerations and residuals, no positions and
//! no force elements. h is a quadratic form of the velocities, so the difference is exact but for its own relative size.
//!
//! Cost. One sweep over the bodies per independent coordinate and the dense reduced matrix, in steps in which some body turns by
//! more than [`FAST`]; nothing else. No allocation, no iteration. Decided from the stage alone: same state, same bits.
//!
//! Proved by: tests/motion/verification/rotors.rs.

use super::implicit::Lengths;
use crate::math::linear;
use crate::system::{State, System, Workspace};

/// Largest γ'h |ω| of a body that is no rotor: taken at the prediction, a nutation at ω = |ω| gains (2 γ'h ω)⁴/8 per step, here 3e-7.
pub const FAST: f64 = 0.02;
/// Change of the velocities in differences, relative to the fastest one (at least 1 m/s or rad/s).
const DIFFERENCE: f64 = 1e-6;

/// Whether some body turns so fast that its gyroscopic terms cannot stay explicit. The velocities of the stage are known.
pub(super) fn matter(system: &System, ws: &Workspace, lengths: Lengths) -> bool {
    let bar = FAST / lengths.velocity;
    ws.bodies[1..system.bodies.len()].iter().any(|body| body.velocity.ang.norm_squared() > bar * bar)
}

/// Adds G to `ws.reduced_mass`, after [`super::calc_reduced`]. Overwrites the open mass matrix, residuals, open forces and momenta.
pub(super) fn add(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let size = super::reduced_size(system, ws);
    calc_derivative(system, state, ws, lengths.velocity);
    let Workspace { mass: d, mass_times_r: trial, reduced_mass, .. } = ws;
    let (d, trial, matrix) = (&mut d[..size * size], &mut trial[..size * size], &mut reduced_mass[..size * size]);
    for i in 0..size {
        for j in 0..size {
            trial[i * size + j] = 0.5 * (matrix[i * size + j] + d[i * size + j] + d[j * size + i]);
        }
    }
    if linear::cholesky(trial, size, super::NO_INERTIA).is_err() {
        for i in 0..size {
            d[i * size + i] = 0.0;
            for j in 0..i {
                let half = 0.5 * (d[i * size + j] - d[j * size + i]);
                (d[i * size + j], d[j * size + i]) = (half, -half);
            }
        }
    }
    matrix.iter_mut().zip(d).for_each(|(entry, d)| *entry += *d);
}

/// `scale` · D into the start of `ws.mass`.
fn calc_derivative(system: &System, state: &State, ws: &mut Workspace, scale: f64) {
    let size = super::reduced_size(system, ws);
    let fastest = ws.v.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
    let change = DIFFERENCE * fastest;
    let scale = scale / change;
    ws.rates.v.copy_from_slice(&ws.v);
    for c in 0..size {
        super::visit_column(system, &ws.blocks, c, |v, factor| ws.v[v] += change * factor);
        super::kinematics::calc_velocities(system, ws);
        super::calc_bias_accelerations(system, state, ws, true);
        super::calc_residuals(system, ws);
        super::calc_open_forces(system, ws);
        ws.v.copy_from_slice(&ws.rates.v);
        for i in 0..size {
            // Rᵀ h is the negative of the reduced force; what does not depend on the velocities is in both.
            let mut sum = ws.reduced_force[i];
            super::visit_column(system, &ws.blocks, i, |v, factor| sum -= factor * ws.force[v]);
            ws.mass[i * size + c] = scale * sum;
        }
    }
    super::kinematics::calc_velocities(system, ws);
    super::calc_bias_accelerations(system, state, ws, true);
}
