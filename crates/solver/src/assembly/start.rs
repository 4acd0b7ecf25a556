//! The start of a simulation: driven coordinates at their start values, loops closed, requested speeds.

use super::relax::{elastic_columns, refresh_jacobians, relax, relax_from_beside, relax_velocities};
use super::unweighted::{Decomposition, jacobian};
use super::{CLOSURE_RATE_TOLERANCE, GAP_TOLERANCE, PIVOT_TOLERANCE, deformation, sticking};
use crate::dynamics::joint_loads::settle_loads;
use crate::dynamics::kinematics::{calc_positions, calc_velocities};
use crate::dynamics::start_values::{begin, settle_elements};
use crate::dynamics::{choice, load_stage, observe};
use crate::joint::{Row, TreeJoint};
use crate::math::elementary::{ceil, round};
use crate::math::larger;
use crate::system::{Fault, Guide, State, System, Workspace};
use alloc::vec::Vec;
use core::f64::consts::TAU;

/// Repetitions of the loads of joints and of the frictions at rest at the start.
const LOAD_PASSES: usize = 3;
/// Largest increment in which driven coordinates are moved to their start values, rad or sizes of a block. It is a
/// quarter of the largest change of an iteration, so that the loops remain on their branch.
const MAX_INCREMENT: f64 = 0.05;
/// Largest number of increments: 50 rad, or as many sizes of a block, at [`MAX_INCREMENT`].
const MAX_INCREMENTS: usize = 1000;
/// Rates above this fraction of the fastest coordinate of a loop are not caused by misalignment: driven speeds
/// contradict each other.
const CONTRADICTION_TOLERANCE: f64 = 1e-6;

/// Brings `state` to the assembled position at `start`, with its inputs and parameters. Driven coordinates are moved to
/// their start values in small increments, and the loops follow. Then velocities are made consistent with the requests.
pub fn initialize(system: &System, state: &mut State, ws: &mut Workspace, start: f64) -> Result<(), Fault> {
    // Reset of the state.
    state.time = start;
    state.input_times.fill(start);
    state.input_slopes.fill(0.0);
    state.q.copy_from_slice(&system.initial.q);
    state.v.fill(0.0);
    state.auxiliary.fill(0.0);
    state.near_singular = 0;
    state.repartitions = 0;
    state.least_change.fill(0);
    if system.givers().next().is_some() {
        // Their output depends on position and speed.
        request_speeds(system, state);
        settle_elements(system, state, ws);
        state.v.fill(0.0);
    }
    // Driven coordinates: filtered inputs start in their steady state, loops follow the motions.
    load_stage(system, state, ws, start);
    for guided in &system.guided {
        if let Guide::Filtered { input, gain, state: index, .. } = guided.guide {
            state.auxiliary[index] = gain * ws.stage.inputs[input];
        }
    }
    follow_guides(system, state, ws);
    // Close every loop: with the amplitudes of modes held, then free, then from a displaced position.
    for (index, block) in system.blocks.iter().enumerate() {
        let mut gap = relax(system, ws, block, &elastic_columns(system, block));
        if !(gap <= GAP_TOLERANCE) {
            gap = relax(system, ws, block, &[]);
        }
        if !(gap <= GAP_TOLERANCE) {
            gap = relax_from_beside(system, ws, block, gap);
        }
        if !(gap <= GAP_TOLERANCE) {
            return Err(Fault::LoopOpen { block: index as u32, gap, time: start });
        }
    }
    // Velocities that keep the requests as far as the loops allow.
    state.q.copy_from_slice(&ws.stage.q);
    request_speeds(system, state);
    load_stage(system, state, ws, start);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    relax_velocities(system, ws, &system.requests.speeds);
    refuse_contradicting_speeds(system, ws, start)?;
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    if let Some(joint) = system.joints.iter().position(|joint| joint.is_beyond_path(&state.q)) {
        return Err(Fault::BeyondCurve { joint: joint as u32, time: start });
    }
    // Independent coordinates, then the states of elements, modes and resting frictions, and the filters.
    refresh_jacobians(system, ws);
    let (mut tree, blocks) = ws.open_tree();
    choice::choose_coordinates(system, state, &mut tree, blocks, true);
    settle_elements(system, state, ws);
    deformation::start(system, state, ws)?;
    // Loads of joints depend on the friction that they cause.
    let passes = if system.load_frictions.is_empty() { 0 } else { LOAD_PASSES };
    for _ in 0..passes {
        settle_loads(system, state, ws)?;
        sticking::start(system, state, ws)?;
    }
    sticking::start(system, state, ws)?;
    ws.events.near_singular = false;
    begin(system, state, ws)?;
    state.near_singular = u32::from(ws.events.near_singular);
    observe::settle_filters(system, state, ws)
}

/// Velocities requested in the file, zero elsewhere.
pub(super) fn request_speeds(system: &System, state: &mut State) {
    state.v.fill(0.0);
    for &(coordinate, speed) in &system.requests.speeds {
        state.v[coordinate] = speed;
    }
    for joint in &system.joints {
        joint.turn_speeds(&state.q, &mut state.v);
    }
}

/// Moves the driven coordinates from their values in `state.q` to their prescribed motion at `state.time`. Leaves the
/// result in `ws.stage.q`. Whole turns of an uncoupled coordinate are ignored.
fn follow_guides(system: &System, state: &State, ws: &mut Workspace) {
    load_stage(system, state, ws, state.time);
    // Only an uncoupled rotation may ignore whole turns: a coupling also turns other joints.
    let turns = |q: usize| {
        let coupled = |row: &Row| row.terms().iter().any(|term| term.position == q);
        let owner = system.joints.iter().find(|joint| joint.link.is_none() && joint.q_range().contains(&q));
        owner.is_some_and(|joint| TreeJoint::is_rotation(joint.kind, q - joint.q)) && !system.rows.iter().any(coupled)
    };
    // Choose the shorter way for such rotations.
    let mut from = state.q.clone();
    let targets: Vec<(usize, f64)> = system
        .guided
        .iter()
        .zip(&ws.stage.guided)
        .map(|(guided, motion)| (guided.coordinate.position, motion[0]))
        .collect();
    for &(q, to) in targets.iter().filter(|&&(q, _)| turns(q)) {
        from[q] += TAU * round((to - from[q]) / TAU);
    }
    // The number of increments follows from the largest travel, in rad or sizes of a loop.
    let size = |q: usize| {
        let tree = system.joints.iter().find(|joint| joint.q_range().contains(&q));
        let rotation = tree.is_some_and(|joint| TreeJoint::is_rotation(joint.kind, q - joint.q));
        if rotation { 1.0 } else { system.blocks.first().map_or(1.0, |block| block.size) }
    };
    let farthest = targets.iter().map(|&(q, to)| (to - from[q]).abs() / size(q)).fold(0.0, larger);
    let increments = (ceil(farthest / MAX_INCREMENT) as usize).clamp(1, MAX_INCREMENTS);
    // Close the loops after each increment, so that they stay on their branch.
    ws.stage.q.copy_from_slice(&from);
    for increment in 1..=increments {
        let part = increment as f64 / increments as f64;
        for &(q, to) in &targets {
            ws.stage.q[q] = if increment == increments { to } else { from[q] + part * (to - from[q]) };
        }
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        for block in &system.blocks {
            relax(system, ws, block, &elastic_columns(system, block));
        }
    }
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
}

/// Rejects driven speeds that open a loop. Singular positions are not rejected: there the loop has lost an equation,
/// and the first steps determine the side on which the motion can continue.
fn refuse_contradicting_speeds(system: &System, ws: &mut Workspace, time: f64) -> Result<(), Fault> {
    for (index, block) in system.blocks.iter().enumerate().filter(|(_, block)| !block.guided.is_empty()) {
        let jacobian = jacobian(system, ws, block);
        let rate = |row: usize| system.rows[row].rate(&ws.closure.rows[row], &ws.kinematics.bodies, &ws.stage.v).abs();
        let rate = block.rows.clone().map(rate).fold(0.0, larger);
        let guided = block.guided.iter().flatten().map(|entry| (entry.column, block.size));
        let own = block.coordinates.iter().copied().zip(block.unit_size.iter().copied());
        let fastest = own.chain(guided).map(|(v, size)| size * ws.stage.v[v].abs()).fold(0.0, larger);
        if rate <= CONTRADICTION_TOLERANCE * fastest || rate <= CLOSURE_RATE_TOLERANCE * block.size {
            continue;
        }
        if Decomposition::new(&jacobian, block, &[], PIVOT_TOLERANCE).rank() >= block.rank {
            return Err(Fault::SpeedsContradict { block: index as u32, rate, time });
        }
    }
    Ok(())
}
