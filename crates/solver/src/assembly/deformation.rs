//! Elastic deformation at the start of a simulation.
//!
//! With `deformation = "static"` the modes of a body start where their accelerations vanish for the given motion of the
//! frame: η̈(η) = 0 at η̇ = 0, by Newton's method with differences. If loops leave fewer motions than there are modes,
//! only modes that are independent coordinates are solved, and the others follow from the loops. No threshold decides
//! which modes a loop prevents, so a slow mode next to a fast one keeps its deflection. Residual modes always start in
//! equilibrium.
//!
//! Errors: [`Fault::NotDeformed`] where the iteration finds no such deformation.
//! Offline: allocates. Verified by: tests/motion/flexible_modes.rs.

use nalgebra::{DMatrix, DVector};

use crate::dynamics::{close_stage, evaluate, load_stage, prepare_stage, residual_modes};
use crate::math::elementary::sqrt;
use crate::math::larger;
use crate::system::{Fault, Flexible, State, System, Workspace};
use alloc::vec::Vec;

/// Largest number of Newton iterations.
const MAX_ITERATIONS: usize = 12;
/// Change, relative to the largest amplitude, below which the equilibrium is accepted.
const EQUILIBRIUM_TOLERANCE: f64 = 1e-12;
/// Step of differences in units of length and root of mass.
const DIFFERENCE: f64 = 1e-7;
/// Largest accepted last change, as a fraction of the largest amplitude: differences leave about 1e-9.
const MAX_LAST_CHANGE: f64 = 1e-6;

/// Deflection that counts as zero, m.
const DEFLECTION_TOLERANCE: f64 = 1e-13;

/// Sets the elastic coordinates of an assembled state to their start values.
pub(super) fn start(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.flexible.is_empty() {
        return Ok(());
    }
    let dynamic = |body: &Flexible| body.modes() - body.residual;
    let asked = system.flexible.iter().filter(|body| body.starts_static);
    let mode =
        |body: &Flexible, k: usize| Mode { q: body.q.start + k, v: body.v.start + k, omega: sqrt(body.stiffness[k]) };
    let modes = asked.flat_map(|body| (0..dynamic(body)).map(move |k| mode(body, k)));
    let modes: Vec<Mode> = modes.filter(|mode| !depends(system, state, mode.v)).collect();
    let held = system.flexible.iter().any(|body| body.residual > 0);
    let mut left = f64::INFINITY;
    for _ in 0..MAX_ITERATIONS {
        if held {
            residual_modes::find_equilibrium(system, state, ws)?;
        }
        if modes.is_empty() {
            return Ok(());
        }
        left = equilibrate(system, state, ws, &modes)?;
        if left <= EQUILIBRIUM_TOLERANCE {
            break;
        }
    }
    match left <= MAX_LAST_CHANGE {
        true => Ok(()),
        false => Err(Fault::NotDeformed { coordinate: modes[0].v as u32, time: state.time }),
    }
}

/// Whether velocity coordinate `v` is dependent in a loop.
fn depends(system: &System, state: &State, v: usize) -> bool {
    system.blocks.iter().any(|block| {
        let dependent = &state.orders[block.column_order()][..block.rank];
        dependent.iter().any(|&column| block.coordinates[column as usize] == v)
    })
}

/// A mode that starts in equilibrium: its position, its velocity, ω in rad/s.
struct Mode {
    q: usize,
    v: usize,
    omega: f64,
}

/// One Newton step of the modes; its size as a fraction of the largest amplitude, NaN if there is no such step.
fn equilibrate(system: &System, state: &mut State, ws: &mut Workspace, modes: &[Mode]) -> Result<f64, Fault> {
    let accelerations = |state: &State, ws: &mut Workspace| -> Result<DVector<f64>, Fault> {
        load_stage(system, state, ws, state.time);
        evaluate(system, state, ws, state.time)?;
        Ok(DVector::from_iterator(modes.len(), modes.iter().map(|mode| ws.accelerations.zdd[mode.v] / mode.omega)))
    };
    // Accelerations divided by ω, changes multiplied by ω: slow and fast modes then have the same size.
    let present = accelerations(state, ws)?;
    // Jacobian by central differences over the amplitudes.
    let mass = system.flexible.iter().map(|body| body.mass).fold(0.0, larger);
    let step = DIFFERENCE * sqrt(mass);
    let mut slopes = DMatrix::zeros(modes.len(), modes.len());
    let mut beside = state.clone();
    for (column, mode) in modes.iter().enumerate() {
        let mut sides = [-step, step].map(|step| {
            beside.q.copy_from_slice(&state.q);
            beside.q[mode.q] += step;
            accelerations(&beside, ws)
        });
        let [behind, ahead] = &mut sides;
        let difference = ahead.clone()? - behind.clone()?;
        slopes.set_column(column, &(difference / (2.0 * step * mode.omega)));
    }
    if !present.iter().chain(slopes.iter()).all(|value| value.is_finite()) {
        return Ok(f64::NAN);
    }
    // Newton step; the loops are closed after it.
    let Some(solved) = slopes.full_piv_lu().solve(&present) else { return Ok(f64::NAN) };
    let mut largest = 0.0;
    for (mode, scaled) in modes.iter().zip(solved.iter()) {
        let change = scaled / mode.omega;
        state.q[mode.q] -= change;
        state.v[mode.v] = 0.0;
        largest = larger(largest, change.abs());
    }
    load_stage(system, state, ws, state.time);
    prepare_stage(system, state, ws, state.time);
    close_stage(system, state, ws, state.time)?;
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    let amplitude = modes.iter().map(|mode| state.q[mode.q].abs()).fold(0.0, larger);
    Ok(largest / (amplitude + DEFLECTION_TOLERANCE * sqrt(mass)))
}
