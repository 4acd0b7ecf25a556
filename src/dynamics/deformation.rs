//! Elastic deformation at the start of a simulation.
//!
//! With `deformation = "static"` the modes of a body start where their accelerations vanish while the frame moves as it does:
//! η̈(η) = 0 at η̇ = 0, by Newton's method with differences. Where loops leave fewer motions than there are modes, the slopes
//! are singular, and the least change counts; the loops are closed after it. Residual modes always start in equilibrium.
//! Offline: allocates.

use nalgebra::{DMatrix, DVector};

use super::{evaluate, load_stage, prepare_stage, residual, settle};
use crate::math::eigen;
use crate::system::{Fault, State, System, Workspace};

/// Newton iterations, at most.
const ITERATIONS: usize = 12;
/// Change, relative to the largest amplitude, at which the equilibrium is found.
const SETTLED: f64 = 1e-12;
/// Step of differences in units of length and root of mass.
const DIFFERENCE: f64 = 1e-7;
/// Singular values of the slopes below this part of the largest belong to motions that the loops prevent.
const PREVENTED: f64 = 1e-6;

/// Brings the elastic coordinates of an assembled state to where they start.
pub(super) fn start(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.flexible.is_empty() {
        return Ok(());
    }
    let dynamic = |body: &crate::system::Flexible| body.modes() - body.residual;
    let asked = system.flexible.iter().filter(|body| body.starts_static);
    let mode = |body: &crate::system::Flexible, k: usize| Mode {
        q: body.q.start + k,
        v: body.v.start + k,
        omega: body.stiffness[k].sqrt(),
    };
    let modes: Vec<Mode> = asked.flat_map(|body| (0..dynamic(body)).map(move |k| mode(body, k))).collect();
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

/// A mode that starts in equilibrium: its position, its velocity, ω in rad/s.
struct Mode {
    q: usize,
    v: usize,
    omega: f64,
}

/// One Newton step of the modes; whether it was small.
fn equilibrate(system: &System, state: &mut State, ws: &mut Workspace, modes: &[Mode]) -> Result<bool, Fault> {
    let accelerations = |state: &State, ws: &mut Workspace| -> Result<DVector<f64>, Fault> {
        load_stage(system, state, ws, state.time);
        evaluate(system, state, ws, state.time, true)?;
        Ok(DVector::from_iterator(modes.len(), modes.iter().map(|mode| ws.zdd[mode.v] / mode.omega)))
    };
    // Accelerations over ω, changes times ω: slow and fast modes are of one size.
    let here = accelerations(state, ws)?;
    let mass = system.flexible.iter().map(|body| body.mass).fold(0.0, f64::max);
    let step = DIFFERENCE * mass.sqrt();
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
    if !here.iter().chain(slopes.iter()).all(|value| value.is_finite()) {
        return Ok(true);
    }
    let in_loops = |mode: &Mode| system.blocks.iter().any(|block| block.coordinates.contains(&mode.v));
    let mut change = vec![0.0; modes.len()];
    if !modes.iter().any(in_loops) {
        // Nothing is prevented: a slow mode beside a fast one must not be taken for it.
        let Some(solved) = slopes.full_piv_lu().solve(&here) else { return Ok(true) };
        change.iter_mut().zip(modes).zip(solved.iter()).for_each(|((c, mode), x)| *c = x / mode.omega);
        return apply(system, state, ws, modes, &change);
    }
    let (squares, directions) = eigen::symmetric(slopes.tr_mul(&slopes).as_slice(), modes.len());
    let right = slopes.tr_mul(&here);
    let least = PREVENTED * PREVENTED * squares.iter().fold(0.0f64, |most, square| most.max(*square));
    for (square, direction) in squares.iter().zip(&directions).filter(|(square, _)| **square > least) {
        let along: f64 = direction.iter().zip(right.iter()).map(|(d, r)| d * r).sum();
        for (k, mode) in modes.iter().enumerate() {
            change[k] += along / square * direction[k] / mode.omega;
        }
    }
    apply(system, state, ws, modes, &change)
}

/// Takes `change` off the modes and closes the loops; whether it was small.
fn apply(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    modes: &[Mode],
    change: &[f64],
) -> Result<bool, Fault> {
    for (mode, change) in modes.iter().zip(change) {
        state.q[mode.q] -= change;
        state.v[mode.v] = 0.0;
    }
    load_stage(system, state, ws, state.time);
    prepare_stage(system, state, ws, state.time);
    settle(system, state, ws, state.time)?;
    state.q.copy_from_slice(&ws.q);
    state.v.copy_from_slice(&ws.v);
    let amplitude = modes.iter().fold(0.0f64, |largest, mode| largest.max(state.q[mode.q].abs()));
    let largest = change.iter().fold(0.0f64, |largest, change| largest.max(change.abs()));
    Ok(largest <= SETTLED * amplitude)
}
