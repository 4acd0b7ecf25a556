//! Gyroscopic terms of fast bodies in linearly implicit steps.
//!
//! Problem. The inertia forces h of a body that turns by more than a small part of a radian per step change over the
//! step with the velocities: a heavy top at 1000 rad/s nutates at up to 1000 rad/s. Evaluated only at the prediction,
//! such a term is integrated as in Heun's method, which amplifies an oscillation ω by (h ω)⁴/8 per step. So it is
//! treated implicitly together with the stiffness ([`super::implicit`]), on the reduced coordinates:
//!
//! ```text
//!     (Rᵀ (M + S) R + G) δy = Rᵀ (Q − M z̈₀),    G = γ'h D,    D = ∂(Rᵀ h)/∂ẏ.
//! ```
//!
//! D belongs to the closed mechanism: all inertia forces, rods and modes included, with the accelerations that the
//! closures require. Its antisymmetric part is the gyroscopic matrix, which does no work; its symmetric part is the
//! rate of the inertia, which is small for rotors of equal transverse inertias. The whole D is used if ½ Rᵀ (M + S) R +
//! ½ (G + Gᵀ) is positive definite; otherwise its symmetric part is omitted: so xᵀ (…) x ≥ ½ xᵀ Rᵀ (M + S) R x for
//! every x, and the matrix can be factored whatever the step is.
//!
//! Method. G x by a difference along x: velocities, bias accelerations and residuals, no positions and no force
//! elements. h is a quadratic form of the velocities. S already contains the modal damping.
//!
//! * Up to γ'h |ω| = `MAX_CORRECTED_ROTATION` (wheels, shafts, propellers at 1 ms): with A = Rᵀ (M + S) R, factored by
//!   clusters, δy = Σ c_k, c₀ = A⁻¹ r, c_k = −A⁻¹ G c_(k−1), one sweep of each kind per correction, until c_k is below
//!   `CORRECTION_TOLERANCE` of c₀ in the norm of A. Each correction is smaller than the last one by about γ'h |ω| times
//!   the share of the fast bodies in the inertia that turns with them. If a correction is larger than
//!   `MAX_CORRECTION_RATIO` of the last one, the other method is used. So the whole D is used if it changes δy little.
//! * Beyond: D column by column along the columns of R by central differences, and the dense reduced matrix.
//!
//! Below `MAX_EXPLICIT_ROTATION` the terms may be evaluated at the prediction. This costs nothing, but the error e h²
//! is several times as large as i h² of the implicit treatment (seven times in a free body that turns about its middle
//! axis). It would grow where the step becomes shorter. So trees use a fixed number of corrections: one up to
//! `MAX_EXPLICIT_ROTATION` / 4, two beyond. Their remainder is of order h³, so that the error is i h² on both sides.
//! Loops use the terms at the prediction: D of a linkage is mostly the rate of its inertia, and steps that do not
//! resolve stiff springs would gain energy from it.
//!
//! Cost. A correction takes about a third of an evaluation; the other way two sweeps per independent coordinate and a
//! dense factorisation. Neither in steps in which no body turns by more than `MAX_EXPLICIT_TREE_ROTATION`, or
//! `MAX_EXPLICIT_ROTATION` with loops. No allocation, iterations bounded by `CORRECTIONS`. Decided from the stage
//! alone: same state, same bits.
//!
//! Verified by: tests/motion/verification/rotors.rs, tests/motion/verification/switches.rs (errors fall with the step).

use super::flexible::remove_damping;
use super::implicit::Lengths;
use super::kinematics::calc_velocities;
use super::residuals::{calc_open_forces, calc_residuals, continue_accelerations};
use super::{articulated, dense};
use crate::math::spatial::Wrench;
use crate::math::{larger, largest, linear};
use crate::system::workspace::Dense;
use crate::system::{State, System, Workspace};

/// Largest γ'h |ω| of a body that is no rotor: taken at the prediction, a nutation at ω = |ω| gains (2 γ'h ω)⁴/8 per
/// step, here 3e-7.
pub(crate) const MAX_EXPLICIT_ROTATION: f64 = 0.02;
/// Largest γ'h |ω| of a body of a tree whose gyroscopic terms are taken at the prediction: the square is below the
/// errors of any step.
const MAX_EXPLICIT_TREE_ROTATION: f64 = 1e-5;
/// Largest γ'h |ω| for corrections: a free rotor's nutation is at most 2 |ω|, so beyond they would fall by less than
/// half.
const MAX_CORRECTED_ROTATION: f64 = 0.25;
/// Last correction, relative to δy: as exact as the differences are.
const CORRECTION_TOLERANCE: f64 = 1e-6;
/// Largest ratio of a correction and the last one: all together are then at most a third of c₀, and 10 are enough.
const MAX_CORRECTION_RATIO: f64 = 0.25;
const CORRECTIONS: usize = 10;
/// Change of the velocities in one-sided differences, relative to the fastest one (at least 1 m/s or rad/s). Their
/// relative error is this value, relative to the fast terms, plus rounding over this value.
const DIFFERENCE: f64 = 1e-7;
/// As above, by central differences, which are exact for a quadratic form up to rounding.
const COLUMN_DIFFERENCE: f64 = 1e-3;

/// Treatment of the gyroscopic terms of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GyroscopicTreatment {
    /// At the prediction.
    Explicit,
    /// Implicitly with the stiffness, by this number of corrections.
    Few(usize),
    /// Implicitly with the stiffness, by corrections until convergence.
    Corrections,
    /// Implicitly with the stiffness, as a matrix.
    Matrix,
}

/// Treatment required by the fastest body. The velocities of the stage are known.
pub fn treatment(system: &System, ws: &Workspace, lengths: Lengths) -> GyroscopicTreatment {
    let bodies = &ws.kinematics.bodies[1..system.bodies.len()];
    let faster = |angle: f64| {
        let limit = angle / lengths.velocity;
        bodies.iter().any(|body| body.velocity.ang.norm_squared() > limit * limit)
    };
    match (faster(MAX_EXPLICIT_TREE_ROTATION), faster(MAX_EXPLICIT_ROTATION), faster(MAX_CORRECTED_ROTATION)) {
        (false, ..) => GyroscopicTreatment::Explicit,
        (true, false, _) if !system.blocks.is_empty() => GyroscopicTreatment::Explicit,
        // Each correction is less than twice the angle of the last one.
        (true, false, _) => GyroscopicTreatment::Few(if faster(0.25 * MAX_EXPLICIT_ROTATION) { 2 } else { 1 }),
        (true, true, false) => GyroscopicTreatment::Corrections,
        (true, true, true) => GyroscopicTreatment::Matrix,
    }
}

/// z̈ += R δy with gyroscopic terms, in place of [`articulated::solve_implicit`]. `false`: the corrections do not
/// converge, and velocities and z̈ are unchanged. Overwrites residuals, momenta and accelerations of the bodies.
pub(super) fn solve(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
    treatment: GyroscopicTreatment,
) -> bool {
    // c₀ = A⁻¹ r, without gyroscopic terms.
    let first = articulated::force_square(system, &ws.elimination.clusters, &ws.blocks);
    keep_stage(system, ws);
    ws.accelerations.zdd.fill(0.0);
    articulated::solve_implicit(system, ws);
    ws.gyroscopic.change.copy_from_slice(&ws.accelerations.zdd);
    // Corrections c_k = −A⁻¹ G c_(k−1).
    let fastest = larger(1.0, largest(&ws.stage.v));
    let mut last = first;
    let few = if let GyroscopicTreatment::Few(corrections) = treatment { corrections } else { 0 };
    let mut converged = false;
    for correction in 1..=CORRECTIONS {
        let most = largest(&ws.accelerations.zdd);
        if most == 0.0 {
            converged = true;
            break;
        }
        let square = force_of(system, state, ws, DIFFERENCE * fastest / most, lengths);
        // The comparison also rejects NaN.
        if !(square <= MAX_CORRECTION_RATIO * MAX_CORRECTION_RATIO * last) {
            break;
        }
        ws.accelerations.zdd.fill(0.0);
        articulated::solve_implicit(system, ws);
        ws.gyroscopic.change.iter_mut().zip(&ws.accelerations.zdd).for_each(|(sum, z)| *sum += z);
        last = square;
        if square <= CORRECTION_TOLERANCE * CORRECTION_TOLERANCE * first || correction == few {
            converged = true;
            break;
        }
    }
    // Restore the velocities and z̈, and add the change if the corrections converge.
    ws.stage.v.copy_from_slice(&ws.gyroscopic.v);
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    ws.accelerations.zdd.copy_from_slice(&ws.gyroscopic.zdd);
    if converged {
        ws.accelerations.zdd.iter_mut().zip(&ws.gyroscopic.change).for_each(|(z, change)| *z += change);
    }
    converged
}

/// Keeps velocities, accelerations and residuals of the stage.
fn keep_stage(system: &System, ws: &mut Workspace) {
    let kept = &mut ws.gyroscopic;
    kept.v.copy_from_slice(&ws.stage.v);
    kept.zdd.copy_from_slice(&ws.accelerations.zdd);
    kept.residuals.copy_from_slice(&ws.residuals.bodies);
    let mut modes = kept.modes.iter_mut();
    for (_, scratch) in system.flexible.iter().zip(&ws.flexible) {
        scratch.residual.iter().zip(modes.by_ref()).for_each(|(residual, kept)| *kept = *residual);
    }
}

/// u = −G c for the change c in `ws.accelerations.zdd`, by a difference of c · `change` of the velocities, eliminated
/// by clusters; returns uᵀ A⁻¹ u.
fn force_of(system: &System, state: &State, ws: &mut Workspace, change: f64, lengths: Lengths) -> f64 {
    for (k, v) in ws.stage.v.iter_mut().enumerate() {
        *v = ws.gyroscopic.v[k] + change * ws.accelerations.zdd[k];
    }
    ws.accelerations.zdd.copy_from_slice(&ws.gyroscopic.zdd);
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    continue_accelerations(system, state, ws);
    calc_residuals(system, ws);
    remove_damping(system, &mut ws.flexible, &ws.stage.v, &ws.gyroscopic.v);
    let scale = lengths.velocity / change;
    let difference = |now: &Wrench, kept: &Wrench| ((*now - *kept) * scale).six();
    for body in 0..system.bodies.len() {
        ws.elimination.lacking[body] = difference(&ws.residuals.bodies[body], &ws.gyroscopic.residuals[body]);
    }
    let mut modes = ws.gyroscopic.modes.iter();
    for scratch in &mut ws.flexible {
        for (residual, kept) in scratch.residual.iter_mut().zip(modes.by_ref()) {
            *residual = scale * (*residual - kept);
        }
    }
    articulated::reduce_forces(system, ws)
}

/// Adds G to `ws.dense.reduced_mass`, after [`dense::reduce`]. Overwrites the open mass matrix, residuals, open forces
/// and momenta.
pub(super) fn add(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let size = dense::count_independent(system, &ws.blocks);
    calc_derivative(system, state, ws, lengths.velocity);
    let Dense { mass: d, mass_times_r: trial, reduced_mass, .. } = &mut ws.dense;
    let (d, trial, matrix) = (&mut d[..size * size], &mut trial[..size * size], &mut reduced_mass[..size * size]);
    for i in 0..size {
        for j in 0..size {
            trial[i * size + j] = 0.5 * (matrix[i * size + j] + d[i * size + j] + d[j * size + i]);
        }
    }
    if linear::cholesky(trial, size, dense::INERTIA_TOLERANCE).is_err() {
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

/// `scale` · D into the start of `ws.dense.mass`.
fn calc_derivative(system: &System, state: &State, ws: &mut Workspace, scale: f64) {
    let size = dense::count_independent(system, &ws.blocks);
    let fastest = larger(1.0, largest(&ws.stage.v));
    let change = COLUMN_DIFFERENCE * fastest;
    let scale = scale / change;
    ws.rates.v.copy_from_slice(&ws.stage.v);
    for c in 0..size {
        for (sign, half) in [(1.0, 0.5 * scale), (-1.0, -0.5 * scale)] {
            dense::visit_column(system, &ws.blocks, c, |v, factor| ws.stage.v[v] += sign * change * factor);
            calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
            continue_accelerations(system, state, ws);
            calc_residuals(system, ws);
            remove_damping(system, &mut ws.flexible, &ws.stage.v, &ws.rates.v);
            calc_open_forces(system, ws);
            ws.stage.v.copy_from_slice(&ws.rates.v);
            for i in 0..size {
                // Rᵀ h is the negative of the reduced force; terms independent of the velocities are in both.
                let mut sum = 0.0;
                dense::visit_column(system, &ws.blocks, i, |v, factor| sum -= factor * ws.residuals.force[v]);
                let entry = &mut ws.dense.mass[i * size + c];
                *entry = if sign > 0.0 { half * sum } else { *entry + half * sum };
            }
        }
    }
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    continue_accelerations(system, state, ws);
}
