//! Recursions from the root to the leaves: poses, spatial velocities, spatial accelerations (Hidalgo & García de Jalón, eqs 3-5).

use super::flexible::links;
use crate::math::spatial::{BodyMotion, Motion};
use crate::math::{Mat3, Vec3};
use crate::system::{Block, BlockScratch, Moving, System, Workspace};

/// Poses, joint points and columns b of the bodies that tree joint `joint` carries, from q in the workspace.
pub(super) fn update_joint(system: &System, ws: &mut Workspace, joint: usize) {
    let (tree, parent) = (&system.joints[joint], system.bodies[joint + 1].parent);
    let (pose, point) = match &tree.link {
        Some(link) => links::update(system, ws, joint, link),
        None => tree.calc_pose(&ws.bodies[parent], &ws.q, &mut ws.columns),
    };
    let reference = if tree.root { tree.reference(&ws.q) } else { ws.bodies[parent].reference };
    let body = &mut ws.bodies[joint + 1];
    (body.rotation, body.position, body.reference) = (pose.rotation, pose.position, reference);
    ws.points[joint] = point;
}

/// Positions of all bodies from `ws.q`. Quaternions are scaled to unit length first.
pub fn calc_positions(system: &System, ws: &mut Workspace) {
    ws.bodies[0] = BodyMotion {
        rotation: Mat3::identity(),
        position: Vec3::zeros(),
        reference: Vec3::zeros(),
        velocity: Motion::zero(),
    };
    for joint in 0..system.joints.len() {
        system.joints[joint].normalize(&mut ws.q);
        update_joint(system, ws, joint);
    }
}

/// The same for the bodies that move when a block changes its coordinates.
pub fn update_positions(system: &System, ws: &mut Workspace, block: &Block) {
    for moving in &block.moving {
        update_joint(system, ws, moving.joint);
    }
}

/// The same for those of them that the present change of its coordinates, `scratch.change`, moves: independent ones keep their places, and
/// the links of a flexible body whose elastic coordinates are independent stay where they are.
pub fn update_moved(system: &System, ws: &mut Workspace, block: &Block, scratch: &BlockScratch) {
    for Moving { joint, inboard, columns } in &block.moving {
        let carried = inboard.checked_sub(1).is_some_and(|inboard| ws.moved_by[inboard] != 0);
        let moved = carried || columns.iter().any(|&(k, _)| scratch.change[k] != 0.0);
        ws.moved_by[*joint] = usize::from(moved);
        if moved {
            update_joint(system, ws, *joint);
        }
    }
}

/// Spatial velocities of all bodies from `ws.v`: Z_i = Z_{i-1} + Σ b ż.
pub fn calc_velocities(system: &System, ws: &mut Workspace) {
    ws.bodies[0].velocity = Motion::zero();
    for (joint, tree) in system.joints.iter().enumerate() {
        let parent = ws.bodies[system.bodies[joint + 1].parent].velocity;
        ws.bodies[joint + 1].velocity = parent + tree.relative_velocity(&ws.columns, &ws.v);
    }
}

/// The change of the velocities (`ws.v`) or accelerations (`ws.zdd`) of a block's coordinates by `scratch.change`, added to
/// those of the bodies that it moves.
fn carry(block: &Block, scratch: &BlockScratch, ws: &mut Workspace) {
    ws.carried[0] = Motion::zero();
    for Moving { joint, inboard, columns } in &block.moving {
        let mut change = ws.carried[*inboard];
        for &(k, slot) in columns {
            change += ws.columns[slot] * scratch.change[k];
        }
        ws.carried[joint + 1] = change;
    }
}

/// Adds the change of the block's velocities, `scratch.change`, to `ws.v` and to the bodies that it moves.
pub fn change_velocities(ws: &mut Workspace, block: &Block, scratch: &BlockScratch) {
    for (&coordinate, change) in block.coordinates.iter().zip(&scratch.change) {
        ws.v[coordinate] += change;
    }
    carry(block, scratch, ws);
    for Moving { joint, .. } in &block.moving {
        ws.bodies[joint + 1].velocity += ws.carried[joint + 1];
    }
}

/// Adds the change of the block's accelerations, `scratch.change`, to `ws.zdd` and to the bodies that it moves.
pub fn change_accelerations(ws: &mut Workspace, block: &Block, scratch: &BlockScratch) {
    for (&coordinate, change) in block.coordinates.iter().zip(&scratch.change) {
        ws.zdd[coordinate] += change;
    }
    carry(block, scratch, ws);
    for Moving { joint, .. } in &block.moving {
        ws.accelerations[joint + 1] += ws.carried[joint + 1];
    }
}

/// Spatial accelerations of all bodies from `ws.zdd`: Ż_i = Ż_{i-1} + Σ b z̈ + d.
pub fn calc_accelerations(system: &System, ws: &mut Workspace) {
    ws.accelerations[0] = Motion::zero();
    for (joint, tree) in system.joints.iter().enumerate() {
        let parent = system.bodies[joint + 1].parent;
        let bias = match &tree.link {
            Some(link) => links::bias(system, ws, joint, link),
            None => tree.bias(&ws.bodies[parent].velocity, &ws.bodies[joint + 1].velocity, &ws.columns, &ws.v),
        };
        let mut acceleration = ws.accelerations[parent] + bias;
        // Of the bias accelerations most coordinates have none.
        if ws.zdd[tree.v_range()].iter().any(|z| *z != 0.0) {
            acceleration += tree.relative_velocity(&ws.columns, &ws.zdd);
        }
        ws.accelerations[joint + 1] = acceleration;
    }
}

/// Acceleration in m/s² of the body-fixed point at `r` from o: Ż_lin + α × r + ω × v. (Ż is a derivative at fixed o, not the
/// acceleration of a material point; the last term makes the difference.)
pub fn point_acceleration(body: &BodyMotion, acceleration: &Motion, r: &Vec3) -> Vec3 {
    acceleration.at(r) + body.velocity.ang.cross(&body.velocity.at(r))
}
