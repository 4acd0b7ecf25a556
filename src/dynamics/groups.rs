//! Structural groups of a system from its Jacobians at the assembled position and at closed positions beside it. Offline.

use super::{closure, kinematics, load_stage};
use crate::joint::TreeJoint;
use crate::system::groups::{Sample, SpatialGroups};
use crate::system::{System, Workspace};

/// Closed positions beside the assembled one.
const PROBES: usize = 4;
/// How far they are: rad, and part of the size of a block.
const DISTANCE: f64 = 0.05;

/// The groups of `system`, see [`crate::system::groups`].
pub fn structural_groups(system: &System) -> SpatialGroups {
    let mut ws = Workspace::new(system);
    let samples: Vec<Sample> = (0..=PROBES).filter_map(|probe| sample(system, &mut ws, probe)).collect();
    system.structural_groups(&samples)
}

/// Jacobians at the assembled position (probe 0) or beside it; none when the loops cannot be closed there.
fn sample(system: &System, ws: &mut Workspace, probe: usize) -> Option<Sample> {
    let state = &system.initial;
    load_stage(system, state, ws, state.time);
    if probe > 0 {
        for v in 0..system.nv {
            // Deterministic, different for every probe and coordinate; loops find their way back by the dependent ones.
            let amount = DISTANCE * (0.3 + ((probe * 5 + v * 3) % 7) as f64 / 7.0);
            let sign = if (probe >> (v % 3)) & 1 == 1 { 1.0 } else { -1.0 };
            system.add_increment(&mut ws.q, v, sign * amount * unit(system, v));
        }
    }
    kinematics::calc_positions(system, ws);
    if probe > 0 {
        closure::close_positions(system, state, ws).ok()?;
    }
    let mut jacobians = Vec::new();
    for (index, block) in system.blocks.iter().enumerate() {
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        closure::calc_jacobian(system, ws, block, &mut scratch);
        jacobians.push(scratch.jacobian.clone());
        ws.blocks[index] = scratch;
    }
    Some(jacobians)
}

/// What coordinate `v` moves by for a probe at unit distance: rad, or m; a hundredth of it for an elastic coordinate.
fn unit(system: &System, v: usize) -> f64 {
    let size = system.blocks.first().map_or(1.0, |block| block.size);
    match system.joint_with(v) {
        Some(joint) if TreeJoint::is_rotation(joint.kind, v - joint.v) => 1.0,
        Some(_) => size,
        None => {
            let block = system.blocks.iter().find_map(|block| Some((block, block.coordinates.binary_search(&v).ok()?)));
            block.map_or(0.0, |(block, column)| 0.01 * block.size / block.unit_size[column])
        }
    }
}
