//! Recursions from the root to the leaves: poses, spatial velocities, spatial accelerations (Hidalgo & García de Jalón,
//! eqs 3-5).

use super::flexible::links;
use crate::math::scalar::Scalar;
use crate::math::spatial::{BodyMotion, Motion};
use crate::math::{Mat3, Vec3};
use crate::system::workspace::{Accelerations, Kinematics};
use crate::system::{Block, Moving, System};

/// Pose, joint point and columns b of the body that tree joint `joint` carries, from the positions `q`.
pub(super) fn update_joint<S: Scalar>(system: &System, q: &[S], kinematics: &mut Kinematics<S>, joint: usize) {
    let (tree, parent) = (&system.joints[joint], system.bodies[joint + 1].parent);
    let (pose, point) = match &tree.link {
        Some(link) => links::update(system, q, kinematics, joint, link),
        None => tree.calc_pose(&kinematics.bodies[parent], q, &mut kinematics.columns),
    };
    let reference = if tree.root { tree.reference(q) } else { kinematics.bodies[parent].reference };
    let body = &mut kinematics.bodies[joint + 1];
    (body.rotation, body.position, body.reference) = (pose.rotation, pose.position, reference);
    kinematics.points[joint] = point;
}

/// Positions of all bodies from `q`, nq. Quaternions are scaled to unit length first.
pub fn calc_positions<S: Scalar>(system: &System, q: &mut [S], kinematics: &mut Kinematics<S>) {
    kinematics.bodies[0] = BodyMotion {
        rotation: Mat3::identity(),
        position: Vec3::zeros(),
        reference: Vec3::zeros(),
        velocity: Motion::zero(),
    };
    for joint in 0..system.joints.len() {
        system.joints[joint].normalize(q);
        update_joint(system, q, kinematics, joint);
    }
}

/// Positions of the bodies that move when a block changes its coordinates.
pub(crate) fn update_positions(system: &System, q: &[f64], kinematics: &mut Kinematics, block: &Block) {
    for moving in &block.moving {
        update_joint(system, q, kinematics, moving.joint);
    }
}

/// As above, for the bodies that the present change of its coordinates, `change`, n, moves: independent coordinates are
/// unchanged, and so are the links of a flexible body whose elastic coordinates are independent. `moved_by`: scratch,
/// an entry per joint.
pub(crate) fn update_moved(
    system: &System,
    q: &[f64],
    kinematics: &mut Kinematics,
    moved_by: &mut [usize],
    block: &Block,
    change: &[f64],
) {
    for Moving { joint, inboard, columns } in &block.moving {
        let carried = inboard.checked_sub(1).is_some_and(|inboard| moved_by[inboard] != 0);
        let moved = carried || columns.iter().any(|&(k, _)| change[k] != 0.0);
        moved_by[*joint] = usize::from(moved);
        if moved {
            update_joint(system, q, kinematics, *joint);
        }
    }
}

/// Spatial velocities of all bodies from ż, `v`, nv: Z_i = Z_{i-1} + Σ b ż.
pub fn calc_velocities<S: Scalar>(system: &System, v: &[S], kinematics: &mut Kinematics<S>) {
    let Kinematics { bodies, columns, .. } = kinematics;
    bodies[0].velocity = Motion::zero();
    for (joint, tree) in system.joints.iter().enumerate() {
        let parent = bodies[system.bodies[joint + 1].parent].velocity;
        bodies[joint + 1].velocity = parent + tree.relative_velocity(columns, v);
    }
}

/// Writes to `carried` the change of the velocities or accelerations of the bodies of a block, due to the change
/// `change`, n, of the block's velocities or accelerations.
fn carry(block: &Block, change: &[f64], columns: &[Motion], carried: &mut [Motion]) {
    carried[0] = Motion::zero();
    for Moving { joint, inboard, columns: own } in &block.moving {
        let mut moved = carried[*inboard];
        for &(k, slot) in own {
            moved += columns[slot] * change[k];
        }
        carried[joint + 1] = moved;
    }
}

/// Adds the change of the block's velocities to `v` and to the bodies that it moves. `carried`: scratch, an entry per
/// body.
pub(crate) fn change_velocities(
    v: &mut [f64],
    kinematics: &mut Kinematics,
    carried: &mut [Motion],
    block: &Block,
    change: &[f64],
) {
    for (&coordinate, change) in block.coordinates.iter().zip(change) {
        v[coordinate] += change;
    }
    carry(block, change, &kinematics.columns, carried);
    for Moving { joint, .. } in &block.moving {
        kinematics.bodies[joint + 1].velocity += carried[joint + 1];
    }
}

/// Adds the change of the block's accelerations to z̈ and to the bodies that it moves. `carried`: scratch, an entry per
/// body.
pub(crate) fn change_accelerations(
    columns: &[Motion],
    accelerations: &mut Accelerations,
    carried: &mut [Motion],
    block: &Block,
    change: &[f64],
) {
    for (&coordinate, change) in block.coordinates.iter().zip(change) {
        accelerations.zdd[coordinate] += change;
    }
    carry(block, change, columns, carried);
    for Moving { joint, .. } in &block.moving {
        accelerations.bodies[joint + 1] += carried[joint + 1];
    }
}

/// Spatial accelerations of all bodies from z̈ and the velocities `v`: Ż_i = Ż_{i-1} + Σ b z̈ + d.
pub fn calc_accelerations<S: Scalar>(
    system: &System,
    v: &[S],
    kinematics: &Kinematics<S>,
    accelerations: &mut Accelerations<S>,
) {
    let Kinematics { bodies, columns, .. } = kinematics;
    let Accelerations { zdd, bodies: accelerations } = accelerations;
    accelerations[0] = Motion::zero();
    for (joint, tree) in system.joints.iter().enumerate() {
        let parent = system.bodies[joint + 1].parent;
        let bias = match &tree.link {
            Some(link) => links::bias(system, v, kinematics, joint, link),
            None => tree.bias(&bodies[parent].velocity, &bodies[joint + 1].velocity, columns, v),
        };
        let mut acceleration = accelerations[parent] + bias;
        // Most coordinates have zero bias acceleration.
        if zdd[tree.v_range()].iter().any(|z| *z != 0.0) {
            acceleration += tree.relative_velocity(columns, zdd);
        }
        accelerations[joint + 1] = acceleration;
    }
}

/// Acceleration in m/s² of the body-fixed point at `r` from o: Ż_lin + α × r + ω × v. (Ż is a derivative at fixed o,
/// not the acceleration of a material point; the last term is the difference.)
pub fn point_acceleration<S: Scalar>(body: &BodyMotion<S>, acceleration: &Motion<S>, r: &Vec3<S>) -> Vec3<S> {
    acceleration.at(r) + body.velocity.ang.cross(&body.velocity.at(r))
}
