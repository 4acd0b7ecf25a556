//! Exponential integration of linear flexible bodies that are fixed to the ground: exact for loads that are linear in
//! time.
//!
//! Problem. Fixed bodies with small rotations have η̈ + D η̇ + Ω² η = f(t), where f depends on the inputs, the
//! parameters and gravity alone. Inputs are held or have slopes, so f is linear during the step, and
//! [`crate::system::Propagation`] gives the solution at its end: no step is too long, no mode too fast.
//!
//! Method. f at both ends is the generalized force of the undeformed body at rest, from the kinematics and the loads
//! that every other integrator uses; two such evaluations per step, no solve: the mass matrix is the identity.
//!
//! Energies. The work of f is exact, ∫ f·η̇ dt = f₀·Δη + ḟ·(h η₁ − ∫η dt), with ∫η dt from the integral of the equation
//! of motion. The work of gravity is Δη times its modal load; the rest is the work of the inputs. The dissipated energy
//! is the work minus the change of kinetic and strain energy: the energy balance is constant by construction, and shows
//! rounding only.
//!
//! Real time. See [`crate::system::Propagation`].
//!
//! Verified by: crates/fem/tests/fem/flexible_exact.rs.

use super::*;
use crate::dynamics::evaluate_open_tree;
use crate::system::flexible::row_product;

/// Leaves the stage of the workspace at the end of the step.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    calc_modal_loads(system, state, ws, state.time);
    ws.integration.sum.v.copy_from_slice(&ws.residuals.force);
    calc_modal_loads(system, state, ws, state.time + h);
    for (slope, (end, start)) in ws.rates.v.iter_mut().zip(ws.residuals.force.iter().zip(&ws.integration.sum.v)) {
        *slope = (end - start) / h;
    }
    ws.stage.q.copy_from_slice(&state.q);
    ws.stage.v.copy_from_slice(&state.v);
    let Workspace { stage, rates, integration, .. } = ws;
    let loads = (&integration.sum.v[..], &rates.v[..]);
    system.propagation.advance(h, (&mut stage.q, &mut stage.v), loads, &mut integration.propagated);
    add_energies(system, state, ws, h);
}

/// Generalized forces of the undeformed bodies at rest, at time `t`, into `ws.residuals.force`.
fn calc_modal_loads(system: &System, state: &State, ws: &mut Workspace, t: f64) {
    ws.stage.q.fill(0.0);
    ws.stage.v.fill(0.0);
    ws.accelerations.zdd.fill(0.0);
    ws.stage.auxiliary.copy_from_slice(&state.auxiliary);
    prepare_stage(system, state, ws, t);
    evaluate_open_tree(system, state, ws);
}

/// Adds the dissipated energy and the work of the inputs to the auxiliary states of the stage.
fn add_energies(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    for body in &system.flexible {
        let gravity = body.axes.tr_mul(&system.gravity);
        let change = &mut ws.rates.q[body.q.clone()];
        for (change, (end, start)) in
            change.iter_mut().zip(ws.stage.q[body.q.clone()].iter().zip(&state.q[body.q.clone()]))
        {
            *change = end - start;
        }
        let change = &ws.rates.q[body.q.clone()];
        for (k, (i, j)) in body.q.clone().zip(body.v.clone()).enumerate() {
            let stiffness = body.stiffness[k];
            let (start, end) = ([state.q[i], state.v[j]], [ws.stage.q[i], ws.stage.v[j]]);
            let impulse = 0.5 * h * (ws.integration.sum.v[j] + ws.residuals.force[j])
                - (end[1] - start[1])
                - row_product(&body.damping, k, change);
            let work = ws.integration.sum.v[j] * change[k] + ws.rates.v[j] * (h * end[0] - impulse / stiffness);
            let weight: f64 = (0..3).map(|a| body.translation[a][k] * gravity[a]).sum();
            let stored =
                stiffness * 0.5 * (end[0] + start[0]) * change[k] + 0.5 * (end[1] + start[1]) * (end[1] - start[1]);
            ws.stage.auxiliary[DISSIPATED] += work - stored;
            ws.stage.auxiliary[INPUT_WORK] += work - weight * change[k];
        }
    }
}
