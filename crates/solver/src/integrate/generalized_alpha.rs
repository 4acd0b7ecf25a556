//! Generalized-alpha method of Chung and Hulbert, linearly implicit: order 2, one evaluation and one solve per step.
//!
//! Problem. From q₀, v₀, the accelerations w₀ and the algorithmic accelerations a₀ at the start of a step of length h,
//!
//! ```text
//!     (1 − α_m) a₁ + α_m a₀ = (1 − α_f) w₁ + α_f w₀
//!     v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
//!     q₁ = q₀ ⊕ (h v₀ + h² ((½ − β) a₀ + β a₁))
//! ```
//!
//! with w₁ from the equations of motion at (q₁, v₁). The constants follow from the spectral radius ϱ at infinite
//! frequency, so that the order is 2 and the damping of low frequencies is the least possible:
//!
//! ```text
//!     α_m = (2ϱ − 1)/(ϱ + 1),   α_f = ϱ/(ϱ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)².
//! ```
//!
//! ϱ = 1 is the trapezoidal rule, which keeps the energy of linear oscillators; with ϱ = 0 oscillations much faster
//! than the step decay within a few steps.
//!
//! Method. The equations are linearized once about the prediction w₁ = w₀ ([`crate::dynamics::implicit`]), so the cost
//! of a step is fixed: only the closure iterates. ⊕ is the exponential map on the rotations (Arnold and Brüls 2007),
//! which keeps the order for free rotations.
//!
//! Energies and filters. The powers are integrated by the trapezoidal rule from those at the (closed) ends of the
//! steps, the filters of guided coordinates by Heun's method. The bristles of friction and brakes follow the
//! coordinates over the step, exactly while they stick ([`crate::force::bristle`]). The energy balance shows the
//! numerical damping of the scheme.
//!
//! Steps of changing length. a approximates the accelerations at the time t + (α_m − α_f) h, so its distance from w
//! grows with h: it is scaled to the present step. After a step that is much shorter than those before (the rest of a
//! communication interval) the distance is kept rather than taken from the short step, whose fast oscillations it would
//! magnify. So the order is 2 for any division into steps.
//!
//! Limits. w₀ is from the last step even if an input or a parameter has jumped: the jump acts like a linear rise over
//! the step. The step with a force jump has order 1.
//!
//! An unresolved oscillation of the amplitude A shifts the prediction by up to ½ (ωh)² A, and springs and loops are
//! linearized there: that shift has to be small against the lengths of the mechanism, so stiff parts should start near
//! their rest. Far beyond, loops cannot be closed at the prediction, which is a fault and not a wrong result. Of the
//! modes of flexible bodies many are faster than any step, so they are predicted otherwise: by the equation of the
//! single mode, with a load that continues to change as in the last step of the mode. What rings then shifts the
//! prediction by its amplitude only, and what follows its load slowly is predicted to order 2. The equations of the
//! step do not change; equations of linear bodies give equal results for any prediction.
//!
//! A joint that carries a flexible body at an interface rings with that interface, and its coordinates are predicted
//! with the accelerations of the ringing, ½ (ωh)² times too far. Modes predicted otherwise do not make up for that: the
//! floating frame of the whole body would turn to and fro, in phase with what rings, and the product of both is a load
//! that does not average out (a free ring of six tubes gained a third of its energy in 0.2 s at ωh up to 17). So the
//! joint follows the prediction of the modes: by δz̈ with least energy of the frame's change B δz̈ + Σ c_k δη̈_k, and
//! that is zero for a floating joint. Changes below [`FRAME_SHIFT_TOLERANCE`] are left as they are.
//!
//! References. J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375; M. Arnold, O. Brüls, Multibody Syst. Dyn. 18
//! (2007) 185-202.
//!
//! Verified by: tests/motion/verification/implicit.rs.

use super::*;
use crate::dynamics::evaluate_implicit;
use crate::dynamics::implicit::{Lengths, calc_powers, follow_sticking};
use crate::dynamics::kinematics::calc_positions;
use crate::dynamics::residual_modes;
use crate::math::spatial::{Inertia, Motion};
use crate::math::{Vec3, linear};

/// A step below this fraction of the step of the stored offsets does not replace them.
const MIN_STORED_STEP_FRACTION: f64 = 0.5;
/// Largest scale factor of the offsets.
const MAX_OFFSET_FACTOR: f64 = 2.0;

/// Shift of a floating frame by the prediction of its modes, in radii of gyration, below which it is ignored. Its
/// effect on the energy is quadratic.
const FRAME_SHIFT_TOLERANCE: f64 = 4e-5;
/// Pivot of a joint's inertia, relative to its diagonal entry, below which its direction is not used to move the frame.
const INERTIA_TOLERANCE: f64 = 1e-12;

/// Constants of the scheme.
struct Constants {
    alpha_m: f64,
    alpha_f: f64,
    gamma: f64,
    beta: f64,
}

impl Constants {
    fn new(radius: f64) -> Constants {
        let alpha_m = (2.0 * radius - 1.0) / (radius + 1.0);
        let alpha_f = radius / (radius + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Constants { alpha_m, alpha_f, gamma, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5) }
    }

    /// da₁ / dw₁.
    fn gain(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// a₁ from a₀, w₀ and w₁.
    fn next(&self, a0: f64, w0: f64, w1: f64) -> f64 {
        ((1.0 - self.alpha_f) * w1 + self.alpha_f * w0 - self.alpha_m * a0) / (1.0 - self.alpha_m)
    }
}

/// Leaves the stage of the workspace at the end of the step, not yet closed, and w₁ in `ws.accelerations.zdd`.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    let (constants, memory) = (Constants::new(system.spectral_radius), system.memory());
    let end = state.time + h;
    // States of elements and guides: explicit prediction with their rates at the start.
    load_stage(system, state, ws, state.time);
    ws.integration.sum.auxiliary.fill(0.0);
    for guided in &system.guided {
        guided.guide.calc_rates(&ws.stage.inputs, &ws.stage.auxiliary, &mut ws.integration.sum.auxiliary);
    }
    ws.integration.sum.auxiliary[system.element_states.clone()].copy_from_slice(&state.last_step[memory.element_rates]);
    advance_by(&state.auxiliary, h, &ws.integration.sum.auxiliary, &mut ws.stage.auxiliary);
    // a₀ of the scheme; the offsets are extrapolated from the last step.
    let stretch = (h / state.last_step[memory.length]).min(MAX_OFFSET_FACTOR);
    for (k, a0) in ws.integration.sum.v.iter_mut().enumerate() {
        *a0 = state.accelerations[k] + stretch * state.offsets[k];
    }
    residual_modes::predict(system, state, ws, stretch);
    // Prediction of positions and velocities at the end of the step.
    let gain = constants.gain();
    let (velocity, position) = (h * constants.gamma * gain, h * h * constants.beta * gain);
    let lengths = Lengths { velocity, position, step: h };
    ws.accelerations.zdd.copy_from_slice(&state.accelerations);
    move_by(system, state, ws, &constants, h);
    // Fast modes follow their static response instead. The frames are held, since modes must not shift them.
    if predict_modes(system, state, ws, lengths, stretch) {
        hold_frames(system, state, ws, lengths);
        move_by(system, state, ws, &constants, h);
    }
    // Evaluate at the prediction with the derivatives of forces, then apply the corrected accelerations.
    prepare_stage(system, state, ws, end);
    evaluate_implicit(system, state, ws, end, lengths)?;
    move_by(system, state, ws, &constants, h);
    // Other states: trapezoidal rule with the rates at both ends.
    for (k, value) in ws.stage.auxiliary.iter_mut().enumerate().skip(ENERGIES.end) {
        *value = state.auxiliary[k] + 0.5 * h * (ws.integration.sum.auxiliary[k] + ws.rates.auxiliary[k]);
    }
    residual_modes::predict(system, state, ws, stretch);
    Ok(())
}

/// Accelerations of the modes, `ws.accelerations.zdd`, at the end of the step if the static response of every mode
/// continues by its last change; returns whether there are any. The workspace holds the prediction with the
/// accelerations of the start.
fn predict_modes(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths, stretch: f64) -> bool {
    let changes = &state.last_step[system.memory().mode_changes];
    let coordinates = system.flexible.iter().flat_map(|body| (0..body.modes()).map(move |k| (body, k)));
    for ((body, k), change) in coordinates.zip(changes) {
        let v = body.v.start + k;
        let (stiffness, damping) = (body.stiffness[k], body.damping[k * body.modes() + k]);
        let pull = stiffness * (ws.rates.v[v] - stretch * change) + damping * (ws.stage.v[v] - state.v[v]);
        let answer = 1.0 + lengths.velocity * damping + lengths.position * stiffness;
        ws.accelerations.zdd[v] -= pull / answer;
    }
    !system.flexible.is_empty()
}

/// Accelerations of the joints that carry flexible bodies at interfaces, `ws.accelerations.zdd`, so that the prediction
/// of the modes moves the floating frames least. The stage is the prediction with the accelerations of the start.
fn hold_frames(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let Workspace { stage, kinematics, accelerations, .. } = ws;
    let zdd = &mut accelerations.zdd;
    calc_positions(system, &mut stage.q, kinematics);
    for (joint, tree) in system.joints.iter().enumerate().filter(|(_, tree)| tree.reversed) {
        let Some(link) = &tree.link else { continue };
        let mut carrier = system.bodies[joint + 1].parent - 1;
        while system.joints[carrier].v_range().is_empty() && system.bodies[carrier + 1].parent != 0 {
            carrier = system.bodies[carrier + 1].parent - 1;
        }
        let carrier = &system.joints[carrier];
        let (own, body) = (carrier.v_range(), &system.flexible[link.flexible]);
        if carrier.link.is_some() || system.guided.iter().any(|guided| own.contains(&guided.coordinate.velocity)) {
            continue;
        }
        // Shift of the floating frame by the predicted change of the modes.
        let mut shift = Motion::zero();
        for (k, v) in body.v.clone().enumerate().take(body.modes() - body.residual) {
            shift += kinematics.columns[link.slot + k] * (zdd[v] - state.accelerations[v]);
        }
        // Its size with the inertia of the undeformed body.
        let pose = &kinematics.bodies[body.body];
        let second = body.axes * body.inertia * body.axes.transpose();
        let inertia = Inertia { mass: body.mass, first: Vec3::zeros(), second }.about(&pose.rotation, &pose.position);
        let turned = lengths.position * lengths.position * shift.dot(&inertia.apply(&shift));
        // The comparison leaves NaN unchanged.
        if !(turned > FRAME_SHIFT_TOLERANCE * FRAME_SHIFT_TOLERANCE * second.trace()) {
            continue;
        }
        // Accelerations of the carrier that shift the body back, in the norm of its inertia.
        let n = own.len();
        let (mut matrix, mut change) = ([0.0; 36], [0.0; 6]);
        for (i, slot) in carrier.slot_range().enumerate() {
            let wrench = inertia.apply(&kinematics.columns[slot]);
            change[i] = -shift.dot(&wrench);
            for (j, other) in carrier.slot_range().enumerate() {
                matrix[i * n + j] = kinematics.columns[other].dot(&wrench);
            }
        }
        if linear::cholesky(&mut matrix[..n * n], n, INERTIA_TOLERANCE).is_ok() {
            linear::solve_lower(&matrix, n, &mut change[..n]);
            linear::solve_lower_transposed(&matrix, n, &mut change[..n]);
            zdd[own].iter_mut().zip(change).for_each(|(z, change)| *z += change);
        }
    }
}

/// Positions and velocities at the end of the step with w₁ = `ws.accelerations.zdd`, a₀ = `ws.integration.sum.v`.
fn move_by(system: &System, state: &State, ws: &mut Workspace, constants: &Constants, h: f64) {
    let Constants { gamma, beta, .. } = *constants;
    for k in 0..system.nv {
        let (a0, v0) = (ws.integration.sum.v[k], state.v[k]);
        let a1 = constants.next(a0, state.accelerations[k], ws.accelerations.zdd[k]);
        ws.stage.v[k] = v0 + h * ((1.0 - gamma) * a0 + gamma * a1);
        ws.rates.v[k] = h * v0 + h * h * ((0.5 - beta) * a0 + beta * a1);
    }
    for joint in system.joints.iter().filter(|joint| joint.link.is_none()) {
        joint.add_increments(&state.q, &ws.rates.v, &mut ws.stage.q);
    }
    for body in &system.flexible {
        for (q, v) in body.q.clone().zip(body.v.clone()) {
            ws.stage.q[q] = state.q[q] + ws.rates.v[v];
        }
    }
}

/// Powers and energies of the closed end of the step in the workspace; residual modes are updated, loops follow them.
pub(super) fn finish(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    // The rates at the end of the step come from the evaluation, which was made there. The powers overwrite them.
    ws.integration.sum.auxiliary[system.element_states.clone()]
        .copy_from_slice(&ws.rates.auxiliary[system.element_states.clone()]);
    follow_sticking(system, state, ws, h);
    calc_powers(system, state, ws);
    let (moved, _) = residual_modes::follow(system, state, ws);
    if moved > 0.0 {
        // The interfaces have moved with the residual modes: the loops follow.
        prepare_stage(system, state, ws, state.time + h);
        if !system.blocks.is_empty() {
            close_stage(system, state, ws, state.time + h)?;
        }
        follow_sticking(system, state, ws, h);
    }
    integrate_powers(system, state, ws, h);
    Ok(())
}

/// Start values of the next step, before `state` becomes the end of the step in the workspace.
pub(super) fn remember(system: &System, state: &mut State, ws: &Workspace, h: f64) {
    let (constants, memory) = (Constants::new(system.spectral_radius), system.memory());
    state.last_step[memory.powers].copy_from_slice(&ws.loads.powers);
    state.last_step[memory.element_rates].copy_from_slice(&ws.integration.sum.auxiliary[system.element_states.clone()]);
    let before = state.last_step[memory.length];
    let kept = h < MIN_STORED_STEP_FRACTION * before;
    for k in 0..system.nv {
        let a1 = constants.next(ws.integration.sum.v[k], state.accelerations[k], ws.accelerations.zdd[k]);
        state.accelerations[k] = ws.accelerations.zdd[k];
        state.offsets[k] =
            if kept { MIN_STORED_STEP_FRACTION * state.offsets[k] } else { a1 - ws.accelerations.zdd[k] };
    }
    let elastic = system.flexible.iter().flat_map(|body| body.q.clone());
    for (q, change) in elastic.zip(&mut state.last_step[memory.mode_changes]) {
        *change = if kept { MIN_STORED_STEP_FRACTION * *change } else { ws.stage.q[q] - state.q[q] };
    }
    state.last_step[memory.length] = if kept { MIN_STORED_STEP_FRACTION * before } else { h };
}
