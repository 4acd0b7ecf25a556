//! New position of a running mechanism: positions and speeds by coordinates, loops closed. Offline: allocates.
//!
//! The given coordinates are held. The other coordinates of their loops change as little as needed to close the loops,
//! as in the assembly. Driven coordinates keep the values of their prescribed motions.

use super::GAP_TOLERANCE;
use super::relax::{elastic_columns, refresh_jacobians, relax, relax_velocities};
use crate::dynamics::kinematics::{calc_positions, calc_velocities};
use crate::dynamics::start_values::begin;
use crate::dynamics::{choice, load_stage, observe};
use crate::math::larger;
use crate::system::{Fault, State, System, Workspace};
use alloc::vec::Vec;

/// A given speed is kept to this fraction of the fastest speed of its loop.
const SPEED_TOLERANCE: f64 = 1e-9;

/// Sets `positions` (index of q, value in rad or m) and `speeds` (velocity coordinate, value in rad/s or m/s) in
/// `state` at its time and inputs. On a fault `state` is undefined.
pub fn place(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    positions: &[(usize, f64)],
    speeds: &[(usize, f64)],
) -> Result<(), Fault> {
    // Set the given values and the poses that follow from them.
    let time = state.time;
    positions.iter().for_each(|&(q, value)| state.q[q] = value);
    speeds.iter().for_each(|&(v, value)| state.v[v] = value);
    load_stage(system, state, ws, time);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    // Close the loops. Given coordinates are held; a quaternion counts as given if any component is.
    for (index, block) in system.blocks.iter().enumerate() {
        let given = |&column: &usize| {
            let v = block.coordinates[column];
            let placed = |range: core::ops::Range<usize>| positions.iter().any(|(q, _)| range.contains(q));
            let Some(joint) = system.joint_with(v) else {
                return placed(system.nq - system.nv + v..system.nq - system.nv + v + 1);
            };
            let (own, range) = (v - joint.v, joint.q_range());
            match joint.kind.quaternion() {
                Some(first) if own >= first => placed(range.start + first..range.end),
                _ => placed(range.start + own..range.start + own + 1),
            }
        };
        let mut held: Vec<usize> = (0..block.coordinates.len()).filter(given).collect();
        let placed = held.clone();
        held.extend(elastic_columns(system, block));
        // Amplitudes of elastic modes are held first, and released only if the loop does not close with them.
        let mut gap = relax(system, ws, block, &held);
        if !(gap <= GAP_TOLERANCE) {
            gap = relax(system, ws, block, &placed);
        }
        if !(gap <= GAP_TOLERANCE) {
            return Err(Fault::LoopOpen { block: index as u32, gap, time });
        }
    }
    // Close the velocities, and reject speeds that the loops do not allow.
    calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    relax_velocities(system, ws, speeds);
    for (index, block) in system.blocks.iter().enumerate() {
        let own = block.coordinates.iter().zip(&block.unit_size).map(|(&v, size)| size * ws.stage.v[v].abs());
        let fastest = own.fold(0.0, larger);
        for (&v, size) in block.coordinates.iter().zip(&block.unit_size) {
            let given = speeds.iter().find(|speed| speed.0 == v);
            let lost = given.map_or(0.0, |speed| size * (speed.1 - ws.stage.v[v]).abs());
            if !(lost <= SPEED_TOLERANCE * fastest) {
                return Err(Fault::SpeedsContradict { block: index as u32, rate: lost, time });
            }
        }
    }
    // Start the simulation at this state: independent coordinates, element states, output angles.
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    refresh_jacobians(system, ws);
    let (mut tree, blocks) = ws.open_tree();
    choice::choose_coordinates(system, state, &mut tree, blocks, true);
    ws.events.near_singular = false;
    begin(system, state, ws)?;
    state.near_singular = u32::from(ws.events.near_singular);
    observe::follow_angles(system, state, ws);
    Ok(())
}
