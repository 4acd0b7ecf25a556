//! Elastic deformation at the start of a simulation.
//!
//! With `deformation = "static"` the modes of a body start where their accelerations vanish while the frame moves as it does:
//! η̈(η) = 0 at η̇ = 0, by Newton's method with differences. Residual modes always start in equilibrium. Offline: allocates.

use nalgebra::{DMatrix, DVector};

use super::{evaluate, load_stage, prepare_stage, residual, settle};
use crate::system::{Fault, State, System, Workspace};

/// Newton iterations, at most.
const ITERATIONS: usize = 12;
/// Change, relative to the largest amplitude, at which the equilibrium is found.
const SETTLED: f64 = 1e-12;
/// Step of differences in units of length and root of mass.
const DIFFERENCE: f64 = 1e-7;

/// Brings the elastic coordinates of an assembled state to where they start.
pub(super) fn start(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.flexible.is_empty() {
        return Ok(());
    }
    let dynamic = |body: &crate::system::Flexible| body.modes() - body.residual;
    let asked = system.flexible.iter().filter(|body| body.starts_static);
    let modes: Vec<(usize, usize)> =
        asked.flat_map(|body| (0..dynamic(body)).map(|k| (body.q.start + k, body.v.start + k))).collect();
    let held = system.flexible.iter().any(|body| body.residual > 0);
    for _ in 0..ITERATIONS {
        if held {
            residual::settle(system, state, ws)?;
        }
        if modes.is_empty() || equilibrate(system, state, ws, &modes)? {
            break;
        }
    }
    Ok(())
}

/// One Newton step of the modes; whether it was small.
fn equilibrate(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    modes: &[(usize, usize)],
) -> Result<bool, Fault> {
    let accelerations = |state: &State, ws: &mut Workspace| -> Result<DVector<f64>, Fault> {
        load_stage(system, state, ws, state.time);
        evaluate(system, state, ws, state.time, true)?;
        Ok(DVector::from_iterator(modes.len(), modes.iter().map(|mode| ws.zdd[mode.1])))
    };
    let here = accelerations(state, ws)?;
    let mass = system.flexible.iter().map(|body| body.mass).fold(0.0, f64::max);
    let step = DIFFERENCE * mass.sqrt();
    let mut slopes = DMatrix::zeros(modes.len(), modes.len());
    let mut beside = state.clone();
    for (column, &(q, _)) in modes.iter().enumerate() {
        let mut sides = [-step, step].map(|step| {
            beside.q.copy_from_slice(&state.q);
            beside.q[q] += step;
            accelerations(&beside, ws)
        });
        let [behind, ahead] = &mut sides;
        let difference = ahead.clone()? - behind.clone()?;
        slopes.set_column(column, &(difference / (2.0 * step)));
    }
    let Some(change) = slopes.lu().solve(&here) else { return Ok(true) };
    for (&(q, v), change) in modes.iter().zip(change.iter()) {
        state.q[q] -= change;
        state.v[v] = 0.0;
    }
    load_stage(system, state, ws, state.time);
    prepare_stage(system, state, ws, state.time);
    settle(system, state, ws, state.time)?;
    state.q.copy_from_slice(&ws.q);
    state.v.copy_from_slice(&ws.v);
    let amplitude = modes.iter().fold(0.0f64, |largest, mode| largest.max(state.q[mode.0].abs()));
    Ok(change.amax() <= SETTLED * amplitude)
}
