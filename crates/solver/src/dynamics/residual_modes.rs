//! Quasi-static modes of flexible bodies: residual flexibility, if the model requests it.
//!
//! A mode with ω h above `resolution` of the model is not integrated as an oscillator. It has no speed or acceleration
//! and is kept in equilibrium with its load, ω² η = load. The load consists of the inertia of the frame, centrifugal
//! and interface forces, and reactions of loops. So the model keeps the compliance of the mode and its contribution to
//! the stiffening, without a frequency that the step cannot resolve (`flexible-bodies`, truncation: the fast modes of a
//! reduced model are its static interface compliance).
//!
//! The static response is computed once per step, at its end, from the load at the position predicted by the last
//! change. This is of order 2, and the response to a load jump follows in the next step without ringing. Springs at the
//! interfaces resist the deflection of a mode, so the correction is divided by the stiffness including these springs,
//! summed over the residual modes of the row. The response lags by a step and has no inertia. With masses at the
//! interfaces, motions of the mechanism are lost, which `compile::quasi_static` detects.
//!
//! Verified by: crates/cli/tests/gallery/flexible (step load on a stiff bar),
//! crates/pictures/tests/pictures/flexible_spinup.rs (second axial mode, order in the step).

use super::implicit::{Lengths, add_stiff_terms};
use super::residuals::{calc_final_residuals, calc_missing_efforts};
use super::{close_stage, evaluate, load_stage, prepare_stage, reactions};
use crate::math::larger;
use crate::system::{Fault, Guide, State, System, Workspace};

/// Largest number of passes of the initial equilibrium.
const PASSES: usize = 50;
/// Change, relative to the largest amplitude, at which the equilibrium has converged.
const EQUILIBRIUM_TOLERANCE: f64 = 1e-12;

/// Residual modes: auxiliary state and velocity coordinate of each.
fn modes(system: &System) -> impl Iterator<Item = (usize, usize)> {
    system.guided.iter().filter_map(|guided| match guided.guide {
        Guide::Residual { state } => Some((state, guided.coordinate.velocity)),
        _ => None,
    })
}

/// Extrapolates the positions in the stage by `stretch` times the last changes.
pub(crate) fn predict(system: &System, state: &State, ws: &mut Workspace, stretch: f64) {
    for (index, _) in modes(system) {
        ws.stage.auxiliary[index] = state.auxiliary[index] + stretch * state.auxiliary[index + 1];
    }
}

/// Moves every residual mode to its static response; returns the largest change from the stage and the largest
/// amplitude. The workspace holds a complete evaluation and the residuals of the bodies at its accelerations
/// ([`super::residuals::calc_final_residuals`]). Overwrites the mass matrix.
pub fn follow(system: &System, state: &State, ws: &mut Workspace) -> (f64, f64) {
    let (mut change, mut amplitude) = (0.0f64, 0.0f64);
    if !system.flexible.iter().any(|body| body.residual > 0) {
        return (change, amplitude);
    }
    reactions::transmit(system, state, ws);
    let Workspace { kinematics, flexible, residuals, .. } = ws;
    calc_missing_efforts(system, kinematics, flexible, residuals);
    ws.dense.mass.fill(0.0);
    add_stiff_terms(system, state, ws, Lengths { velocity: 0.0, position: 1.0, step: 0.0 });
    for (index, v) in modes(system) {
        let stiffness: f64 = modes(system).map(|(_, other)| ws.dense.mass[v * system.nv + other].abs()).sum();
        let step = ws.residuals.force[v] / stiffness;
        ws.stage.auxiliary[index] -= step;
        ws.stage.auxiliary[index + 1] = ws.stage.auxiliary[index] - state.auxiliary[index];
        change = larger(change, step.abs());
        amplitude = larger(amplitude, ws.stage.auxiliary[index].abs());
    }
    (change, amplitude)
}

/// Puts the residual modes of `state` in equilibrium. Offline: evaluates repeatedly.
pub fn find_equilibrium(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    for _ in 0..PASSES {
        load_stage(system, state, ws, state.time);
        evaluate(system, state, ws, state.time)?;
        calc_final_residuals(system, ws);
        let (change, amplitude) = follow(system, state, ws);
        state.auxiliary.copy_from_slice(&ws.stage.auxiliary);
        modes(system).for_each(|(index, _)| state.auxiliary[index + 1] = 0.0);
        prepare_stage(system, state, ws, state.time);
        close_stage(system, state, ws, state.time)?;
        state.q.copy_from_slice(&ws.stage.q);
        state.v.copy_from_slice(&ws.stage.v);
        if change <= EQUILIBRIUM_TOLERANCE * amplitude {
            break;
        }
    }
    Ok(())
}
