//! The stage of an evaluation: coordinates, inputs, prescribed motions, and closure of its loops.

use super::{closure, kinematics, projection};
use crate::system::{Fault, Guide, State, System, Workspace};

/// Copies a state into the stage of the workspace, with the inputs at time `t` (s).
pub fn load_stage(system: &System, state: &State, ws: &mut Workspace, t: f64) {
    ws.stage.q.copy_from_slice(&state.q);
    ws.stage.v.copy_from_slice(&state.v);
    ws.stage.auxiliary.copy_from_slice(&state.auxiliary);
    prepare_stage(system, state, ws, t);
}

/// Inputs at time `t` (s), the closure method of every block, and the prescribed coordinates, which overwrite the
/// values from the integrator.
pub fn prepare_stage(system: &System, state: &State, ws: &mut Workspace, t: f64) {
    let Workspace { stage, blocks, .. } = ws;
    stage.time = t;
    for (i, input) in stage.inputs.iter_mut().enumerate() {
        *input = state.input_at(i, t);
    }
    for giver in system.givers() {
        giver.add_signals(&stage.auxiliary, &mut stage.inputs);
    }
    for (block, &least) in blocks.iter_mut().zip(&state.least_change) {
        block.least_change = least != 0;
    }
    for (index, guided) in system.guided.iter().enumerate() {
        let motion = guided.guide.motion(t, &stage.inputs, &stage.auxiliary);
        stage.guided[index] = motion;
        stage.q[guided.coordinate.position] = motion[0];
        stage.v[guided.coordinate.velocity] = motion[1];
    }
}

/// Whether new inputs may have opened the loops at the start of a step since they were closed.
pub(crate) fn inputs_move_guides(system: &System) -> bool {
    system.guided.iter().any(|guided| matches!(guided.guide, Guide::Inputs { .. }))
}

/// Positions and velocities of the stage, loops closed, and the columns of R_z.
pub fn close_stage(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    let (mut tree, blocks) = ws.open_tree();
    kinematics::calc_positions(system, &mut tree.stage.q, tree.kinematics);
    closure::close_positions(system, state, &mut tree, blocks).map_err(|fault| fault.at(t))?;
    closure::calc_null_spaces(system, state, blocks);
    closure::close_velocities(system, state, &mut tree, blocks);
    Ok(())
}

/// Closes the end of a step of an explicit scheme: positions and velocities are projected ([`projection`]).
pub(crate) fn close_end(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    let (mut tree, blocks) = ws.open_tree();
    kinematics::calc_positions(system, &mut tree.stage.q, tree.kinematics);
    projection::project_positions(system, state, &mut tree, blocks);
    closure::close_positions(system, state, &mut tree, blocks).map_err(|fault| fault.at(t))?;
    closure::calc_null_spaces(system, state, blocks);
    projection::project_velocities(system, state, &mut tree, blocks);
    closure::close_velocities(system, state, &mut tree, blocks);
    Ok(())
}

/// Prepares a stage that is already closed, without moving it.
pub(super) fn follow_closed_stage(system: &System, state: &State, ws: &mut Workspace) {
    let (mut tree, blocks) = ws.open_tree();
    kinematics::calc_positions(system, &mut tree.stage.q, tree.kinematics);
    closure::factor_blocks(system, state, &mut tree, blocks);
    closure::calc_null_spaces(system, state, blocks);
    kinematics::calc_velocities(system, &tree.stage.v, tree.kinematics);
}
