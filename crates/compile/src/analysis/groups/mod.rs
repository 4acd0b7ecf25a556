//! Structural groups of a system from its Jacobians at the assembled position and at positions next to it. Offline.

pub mod group_equations;
pub mod solve;
pub mod spatial_groups;

pub use spatial_groups::{SpatialGroup, SpatialGroups};

use ballesta_solver::dynamics::{choice, closure, kinematics, load_stage};
use ballesta_solver::joint::TreeJoint;
use ballesta_solver::system::{System, Workspace};
use spatial_groups::Sample;

/// Number of positions next to the assembled position.
const PROBES: usize = 4;
/// Distance of these positions: rad, and a fraction of the size of a block.
const DISTANCE: f64 = 0.05;

/// The groups of `system`, see [`spatial_groups`].
pub fn structural_groups(system: &System) -> SpatialGroups {
    let mut ws = Workspace::new(system);
    let state = &system.initial;
    let (mut closed, mut disturbed) = (Vec::new(), Vec::new());
    for probe in 0..=PROBES {
        load_stage(system, state, &mut ws, state.time);
        disturb(system, &mut ws, probe);
        kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        disturbed.push(jacobians(system, &mut ws));
        let (mut tree, blocks) = ws.open_tree();
        if probe == 0 || closure::close_positions(system, state, &mut tree, blocks).is_ok() {
            closed.push(jacobians(system, &mut ws));
        }
    }
    spatial_groups::structural_groups(system, &closed, &disturbed)
}

/// Moves all coordinates by a small, deterministic amount that differs for every probe and coordinate. Probe 0 does not
/// move.
fn disturb(system: &System, ws: &mut Workspace, probe: usize) {
    for v in (0..system.nv).filter(|_| probe > 0) {
        let amount = DISTANCE * (0.3 + ((probe * 5 + v * 3) % 7) as f64 / 7.0);
        let sign = if (probe >> (v % 3)) & 1 == 1 { 1.0 } else { -1.0 };
        system.add_increment(&mut ws.stage.q, v, sign * amount * unit(system, v));
    }
}

/// Jacobians of all blocks at the positions of the workspace, without round-off.
fn jacobians(system: &System, ws: &mut Workspace) -> Sample {
    let mut jacobians = Vec::new();
    let (mut tree, blocks) = ws.open_tree();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        closure::calc_jacobian(system, &mut tree, block, scratch);
        let zero = choice::tolerance(system, &tree, block).absolute;
        let mut jacobian = block.dense(&scratch.jacobian);
        jacobian.iter_mut().filter(|entry| entry.abs() <= zero).for_each(|entry| *entry = 0.0);
        jacobians.push(jacobian);
    }
    jacobians
}

/// Change of coordinate `v` for a probe at unit distance: rad or m; for an elastic coordinate a hundredth of it.
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
