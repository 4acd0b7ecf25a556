//! Residual flexibility: modes of flexible bodies that are too fast for the step.
//!
//! A mode with ω h above the resolution of the model is no oscillator: it is held, without speed and acceleration, where it
//! is in equilibrium with its load, ω² η = load, and gives way when the load changes. Its load is what holding it takes: inertia
//! of the frame, centrifugal and interface forces, reactions of loops included. So its compliance stays, and its contribution to
//! the stiffening, without a frequency that the step cannot follow (`flexible-bodies`, truncation: the fast modes of a
//! reduced model are its static interface compliance).
//!
//! The answer is found once per step, at its end, from the accelerations there, and holds during the next step.
//!
//! Proved by: tests/flexible (step load on a stiff bar, second axial mode of the spin-up beam).

use super::{calc_missing_efforts, reactions};
use crate::system::{Guide, State, System, Workspace};

/// Most passes of the initial equilibrium.
const PASSES: usize = 50;
/// Change, relative to the largest amplitude, at which it is found.
const SETTLED: f64 = 1e-12;

/// Moves every residual mode to its static answer; the largest change and amplitude. The workspace holds a complete evaluation
/// and the residuals of the bodies at its accelerations, as [`super::energy::guided_power`] leaves them.
pub(crate) fn follow(system: &System, state: &State, ws: &mut Workspace) -> (f64, f64) {
    let (mut change, mut amplitude) = (0.0f64, 0.0f64);
    if !system.flexible.iter().any(|body| body.residual > 0) {
        return (change, amplitude);
    }
    reactions::transmit(system, state, ws);
    calc_missing_efforts(system, ws);
    for guided in &system.guided {
        let Guide::Residual { state: at } = guided.guide else { continue };
        let v = guided.coordinate.velocity;
        let Some(body) = system.flexible.iter().find(|body| body.v.contains(&v)) else { continue };
        let step = ws.force[v] / body.stiffness[v - body.v.start];
        ws.auxiliary[at] -= step;
        change = change.max(step.abs());
        amplitude = amplitude.max(ws.auxiliary[at].abs());
    }
    (change, amplitude)
}

/// Puts the residual modes of `state` in equilibrium. Offline: evaluates repeatedly.
pub(crate) fn settle(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), crate::system::Fault> {
    for _ in 0..PASSES {
        super::load_stage(system, state, ws, state.time);
        super::evaluate(system, state, ws, state.time, true)?;
        let (change, amplitude) = follow(system, state, ws);
        state.auxiliary.copy_from_slice(&ws.auxiliary);
        super::prepare_stage(system, state, ws, state.time);
        super::settle(system, state, ws, state.time)?;
        state.q.copy_from_slice(&ws.q);
        state.v.copy_from_slice(&ws.v);
        if change <= SETTLED * amplitude {
            break;
        }
    }
    Ok(())
}
