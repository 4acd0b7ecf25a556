//! Index-3 augmented Lagrangian with projections, trapezoidal rule: order 2, iterated to convergence.
//!
//! For verification, not for real time: the method does not depend on the choice of independent coordinates. All
//! coordinates of the tree are integrated, all closure equations are constraints, redundant ones included (Bayo &
//! Ledesma 1996; Cuadrado, Cardenal, Morer & Bayo 2004; Gutiérrez, Sugiyama & Dopico use it for the spin-up beam).
//!
//! Problem. From q₀, ż₀, the accelerations w₀ and multipliers λ₀ at the start of a step of length h, with the
//! trapezoidal rule
//!
//! ```text
//!     ż₁ = ż₀ + h/2 (w₀ + w₁),    q₁ = q₀ ⊕ (h ż₀ + h²/4 (w₀ + w₁)),
//! ```
//!
//! find w₁ and λ so that the equations of motion hold at the end and the loops are closed there
//! ([`crate::dynamics::augmented`]); then project ż₁ and w₁ so that the loops' rates and accelerations vanish. The next
//! step starts from the projected values. ⊕ is the exponential map on the rotations, as in
//! [`super::generalized_alpha`].
//!
//! Method. Newton-Raphson from w₁ = w₀, λ = λ₀, at most `max_iterations` times, with the tangent of the stiff terms; if
//! an iteration reduces the change by less than [`MAX_CHANGE_RATIO`], with the full derivative for the rest of the
//! step. It ends when the last change is below `tolerance` of the mechanism's length and [`SPEED_TOLERANCE`] of its
//! speed and all gaps are below [`CLOSURE_TOLERANCE`]; at the limit of round-off, when both are small and no longer
//! decrease. Otherwise the step returns [`Fault::NotConverged`]. `tolerance`, `max_iterations` and the penalty are
//! settings of the model, see [`crate::system::AugmentedLagrangian`]; the other limits change in proportion to
//! `tolerance`, but limits of round-off become no smaller. Positions are not closed again: the gaps at the end are the
//! gaps of this iteration, of all rows.
//!
//! Prescribed coordinates follow their motion; their rows and columns are removed. The states of force elements are
//! predicted from their rates at the start and corrected by the trapezoidal rule at the end; energies by the
//! trapezoidal rule. All modes of flexible bodies are dynamic, however fast.
//!
//! Limits. w₀ is from the last step even if an input or a parameter has jumped, as in the generalized-alpha method.
//! Accelerations come from positions, so their round-off grows as 1 / h², and in a singular position no projection
//! removes it. Avoid steps much shorter than the others; `ballesta::simulate` therefore divides intervals into equal
//! steps. Modes above the step's resolution oscillate undamped, as in any trapezoidal rule. Accelerations and reactions
//! in outputs belong to the state at the time; they differ from w₁ and λ of the scheme.
//!
//! Verified by: tests/motion/second_opinion.rs.

use super::*;
use crate::dynamics::augmented::{self, TangentMatrix};
use crate::dynamics::implicit::{Lengths, calc_powers, follow_sticking};
use crate::math::elementary::sqrt;
use crate::system::AugmentedLagrangian;

/// Newton steps before the rate of convergence is checked.
const UNCHECKED_NEWTON_STEPS: usize = 3;
/// A change above this fraction of the previous one requires the full tangent.
const MAX_CHANGE_RATIO: f64 = 0.2;
/// Newton steps after which a change that does not fall is halved, down to [`MIN_STEP_FRACTION`] of it: forces with
/// kinks let the iteration cycle.
const CYCLES: usize = 6;
const MIN_STEP_FRACTION: f64 = 0.125;
/// The tolerance for which the other limits are given.
const REFERENCE_TOLERANCE: f64 = 1e-12;
/// Change of the velocities, relative to the largest one, at which the iteration ends.
const SPEED_TOLERANCE: f64 = 1e-10;
/// Change of the positions at which the iteration ends if changes no longer decrease.
const POSITION_TOLERANCE: f64 = 1e-9;
/// Gap, relative to the mechanism's length, at which a loop is closed.
const CLOSURE_TOLERANCE: f64 = 1e-13;
/// As above, if gaps no longer decrease.
const STALLED_CLOSURE_TOLERANCE: f64 = 1e-11;

/// Leaves the stage of the workspace at the end of the step, closed, with w₁ in `ws.accelerations.zdd` and λ in
/// `ws.reactions.multipliers`.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    let end = state.time + h;
    predict_auxiliary(system, state, ws, h);
    prepare_stage(system, state, ws, end);
    ws.accelerations.zdd.copy_from_slice(&state.accelerations);
    ws.reactions.multipliers.copy_from_slice(&state.multipliers);
    for (index, guided) in system.guided.iter().enumerate() {
        ws.accelerations.zdd[guided.coordinate.velocity] = ws.stage.guided[index][2];
    }
    let lengths = Lengths { velocity: 0.5 * h, position: 0.25 * h * h, step: h };
    let tangent = iterate(system, state, ws, lengths, h).map_err(|fault| fault.at(end))?;
    augmented::project(system, ws, tangent);
    Ok(())
}

/// Newton-Raphson iteration; returns the last factored tangent.
fn iterate(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
    h: f64,
) -> Result<TangentMatrix, Fault> {
    let (mut tangent, mut length) = (TangentMatrix::Stiff, 1.0);
    let (mut last, mut gap) = (Change { moved: f64::INFINITY, speed: 0.0, coordinate: 0 }, f64::INFINITY);
    let (mut slower, mut part, mut given_up) = (false, 1.0, false);
    let AugmentedLagrangian { tolerance, max_iterations, .. } = system.augmented;
    // 1 with the default tolerance: the limits then equal the constants, to the bit.
    let (scale, coarse) = (tolerance / REFERENCE_TOLERANCE, (tolerance / REFERENCE_TOLERANCE).max(1.0));
    for iteration in 0..=max_iterations {
        // Positions and residual for the present accelerations.
        move_by(system, state, ws, h);
        follow_sticking(system, state, ws, h);
        let previous = core::mem::replace(&mut gap, augmented::evaluate(system, state, ws));
        // Convergence: of the last change and of the gap.
        if iteration == 0 {
            length = mechanism_length(system, ws);
        } else {
            let (same_speed, closed) = (scale * SPEED_TOLERANCE, scale * CLOSURE_TOLERANCE);
            let small = last.moved <= tolerance * length && last.moved <= 0.5 * h * same_speed * last.speed;
            let done = small && gap <= closed * length;
            let converged = (small || slower) && (gap >= 0.5 * previous || gap <= closed * length);
            let at_rest = last.moved <= coarse * POSITION_TOLERANCE * length
                && gap <= coarse * STALLED_CLOSURE_TOLERANCE * length;
            if done || converged && at_rest {
                return Ok(tangent);
            }
        }
        if iteration == max_iterations || gap.is_nan() {
            break;
        }
        // Newton step, and the multipliers.
        augmented::factor(system, state, ws, lengths, tangent, iteration == 0)?;
        augmented::solve(system, ws, lengths, tangent);
        let before = last.moved;
        augmented::follow_multipliers(system, ws, lengths, part);
        last = add_change(system, ws, lengths, length, h, part);
        slower = last.moved >= 0.5 * before;
        part = if slower && iteration >= CYCLES { (0.5 * part).max(MIN_STEP_FRACTION) } else { (2.0 * part).min(1.0) };
        if tangent == TangentMatrix::Full && !(last.moved <= before) {
            // The full derivative need not be definite; if it diverges, only the stiff terms are used.
            (tangent, given_up) = (TangentMatrix::Stiff, true);
        } else if iteration >= UNCHECKED_NEWTON_STEPS
            && !given_up
            && last.moved > MAX_CHANGE_RATIO * before
            && last.moved > POSITION_TOLERANCE * length
        {
            tangent = TangentMatrix::Full;
        }
    }
    Err(Fault::NotConverged { coordinate: last.coordinate as u32, change: last.moved, gap, time: f64::NAN })
}

/// Change in a Newton step.
struct Change {
    /// Largest displacement of a coordinate by the full step, m.
    moved: f64,
    /// Largest speed of a coordinate, including its acceleration times the step, m/s.
    speed: f64,
    /// The coordinate that moved most.
    coordinate: usize,
}

/// w += part · δw.
fn add_change(system: &System, ws: &mut Workspace, lengths: Lengths, length: f64, h: f64, part: f64) -> Change {
    let mut change = Change { moved: 0.0, speed: 0.0, coordinate: 0 };
    for (w, dw) in ws.accelerations.zdd.iter_mut().zip(&ws.dense.reduced_force) {
        *w += part * dw;
    }
    let mut see = |v: usize, size: f64| {
        let moved = (lengths.position * ws.dense.reduced_force[v] * size).abs();
        if moved > change.moved || moved.is_nan() {
            (change.moved, change.coordinate) = (moved, v);
        }
        change.speed = larger(change.speed, size * (ws.stage.v[v].abs() + h * ws.accelerations.zdd[v].abs()));
    };
    for joint in system.joints.iter().filter(|joint| joint.link.is_none()) {
        for (k, v) in joint.v_range().enumerate() {
            see(v, if TreeJoint::is_rotation(joint.kind, k) { length } else { 1.0 });
        }
    }
    for body in &system.flexible {
        body.v.clone().for_each(|v| see(v, 1.0 / sqrt(body.mass)));
    }
    change
}

/// Greatest distance of a joint or centre of mass from the point that its branch refers to, and of the joints of a
/// loop, m.
fn mechanism_length(system: &System, ws: &Workspace) -> f64 {
    let points = ws.kinematics.points.iter().chain(ws.kinematics.bodies.iter().map(|body| &body.position));
    let reach = points.map(|point| point.norm()).fold(0.0, larger);
    let length = system.blocks.iter().map(|block| block.size).fold(reach, larger);
    if length > 0.0 && length.is_finite() { length } else { 1.0 }
}

/// Auxiliary states at the end, predicted for force elements, final for the filters of guided coordinates; the rates at
/// the start in `ws.integration.sum.auxiliary`.
fn predict_auxiliary(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    load_stage(system, state, ws, state.time);
    ws.integration.sum.auxiliary.fill(0.0);
    ws.rates.auxiliary.fill(0.0);
    for guided in &system.guided {
        guided.guide.calc_rates(&ws.stage.inputs, &ws.stage.auxiliary, &mut ws.integration.sum.auxiliary);
    }
    ws.integration.sum.auxiliary[system.element_states.clone()]
        .copy_from_slice(&state.last_step[system.memory().element_rates]);
    advance_by(&state.auxiliary, h, &ws.integration.sum.auxiliary, &mut ws.stage.auxiliary);
    if system.guided.is_empty() {
        return;
    }
    prepare_stage(system, state, ws, state.time + h);
    for guided in &system.guided {
        guided.guide.calc_rates(&ws.stage.inputs, &ws.stage.auxiliary, &mut ws.rates.auxiliary);
    }
    for k in ENERGIES.end..system.element_states.start {
        ws.stage.auxiliary[k] =
            state.auxiliary[k] + 0.5 * h * (ws.integration.sum.auxiliary[k] + ws.rates.auxiliary[k]);
    }
}

/// Positions and velocities at the end of the step with w₁ = `ws.accelerations.zdd` and the prescribed motions.
fn move_by(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    for k in 0..system.nv {
        let (v0, twice) = (state.v[k], state.accelerations[k] + ws.accelerations.zdd[k]);
        ws.stage.v[k] = v0 + 0.5 * h * twice;
        ws.rates.v[k] = h * v0 + 0.25 * h * h * twice;
    }
    for joint in system.joints.iter().filter(|joint| joint.link.is_none()) {
        joint.add_increments(&state.q, &ws.rates.v, &mut ws.stage.q);
    }
    for body in &system.flexible {
        for (q, v) in body.q.clone().zip(body.v.clone()) {
            ws.stage.q[q] = state.q[q] + ws.rates.v[v];
        }
    }
    for (guided, motion) in system.guided.iter().zip(&ws.stage.guided) {
        ws.stage.q[guided.coordinate.position] = motion[0];
        ws.stage.v[guided.coordinate.velocity] = motion[1];
    }
}

/// Powers, energies and rates of the end of the step in the workspace.
pub(super) fn finish(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    follow_sticking(system, state, ws, h);
    calc_powers(system, state, ws);
    for k in system.element_states.clone() {
        ws.stage.auxiliary[k] =
            state.auxiliary[k] + 0.5 * h * (ws.integration.sum.auxiliary[k] + ws.rates.auxiliary[k]);
    }
    follow_sticking(system, state, ws, h);
    integrate_powers(system, state, ws, h);
}

/// Start values of the next step.
pub(super) fn remember(system: &System, state: &mut State, ws: &Workspace) {
    let memory = system.memory();
    state.last_step[memory.powers].copy_from_slice(&ws.loads.powers);
    state.last_step[memory.element_rates].copy_from_slice(&ws.rates.auxiliary[system.element_states.clone()]);
    state.accelerations.copy_from_slice(&ws.accelerations.zdd);
    state.multipliers.copy_from_slice(&ws.reactions.multipliers);
}
