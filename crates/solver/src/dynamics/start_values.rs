//! Start values of a simulation at an assembled state, in addition to its positions and velocities.

use super::kinematics::{calc_positions, calc_velocities};
use super::{evaluate_closed, load_stage};
use crate::system::{Fault, State, System, Workspace};

/// Start values of an implicit integrator at `state`, loops closed: its accelerations, without the accelerations of any
/// earlier motion. Leaves the evaluation of `state` in the workspace.
pub fn begin(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    load_stage(system, state, ws, state.time);
    evaluate_closed(system, state, ws, state.time)?;
    if !state.last_step.is_empty() {
        state.accelerations.copy_from_slice(&ws.accelerations.zdd);
        state.offsets.fill(0.0);
        state.multipliers.fill(0.0);
        let memory = system.memory();
        state.last_step[memory.powers].copy_from_slice(&ws.loads.powers);
        state.last_step[memory.length] = system.step;
        state.last_step[memory.element_rates].copy_from_slice(&ws.rates.auxiliary[system.element_states.clone()]);
        let elastic = system.flexible.iter().flat_map(|body| body.v.clone());
        for (v, change) in elastic.zip(&mut state.last_step[memory.mode_changes]) {
            *change = system.step * state.v[v];
        }
    }
    Ok(())
}

/// Start values of the states of force elements, for the motion of `state`.
pub fn settle_elements(system: &System, state: &mut State, ws: &mut Workspace) {
    if system.element_states.is_empty() {
        return;
    }
    load_stage(system, state, ws, state.time);
    let Workspace { stage, kinematics, .. } = ws;
    calc_positions(system, &mut stage.q, kinematics);
    calc_velocities(system, &stage.v, kinematics);
    // Elements write their own states while they read the parameters.
    let State { parameters, auxiliary, .. } = state;
    let surroundings = stage.surroundings(kinematics, parameters);
    for element in &system.elements {
        element.settle(&surroundings, auxiliary);
    }
}
