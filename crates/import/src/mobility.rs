//! Inverse of the joint-space inertia at the zero position, which MuJoCo uses to turn time constants and damping ratios
//! into stiffness and damping.

use crate::frame::of_point;
use crate::robot::{Joint, Robot};
use ballesta::math::linear::{cholesky, solve_lower};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::JointKind as Kind;
use std::collections::BTreeMap;

/// Angular velocity, and velocity of the body-fixed point at the origin, per unit of a coordinate's rate.
type Column = [Vec3; 2];

/// Inertia of all bodies that a joint carries: mass, first moment, and inertia about the origin.
struct Composite {
    mass: f64,
    first: Vec3,
    second: Mat3,
}

impl Composite {
    /// Energy product s · I t.
    fn product(&self, [turn, move_]: &Column, [other_turn, other_move]: &Column) -> f64 {
        let momentum = other_move * self.mass + other_turn.cross(&self.first);
        let angular = self.first.cross(other_move) + self.second * other_turn;
        move_.dot(&momentum) + turn.dot(&angular)
    }
}

fn columns(joint: &Joint) -> Vec<Column> {
    let turn = |axis: Vec3| [axis, joint.point.cross(&axis)];
    let slide = |axis: Vec3| [Vec3::zeros(), axis];
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let axis = joint.axis.unwrap_or_else(Vec3::z);
    match joint.kind {
        Kind::Revolute => vec![turn(axis)],
        Kind::Prismatic => vec![slide(axis)],
        Kind::Spherical => axes.map(turn).to_vec(),
        Kind::Floating => axes.map(slide).into_iter().chain(axes.map(turn)).collect(),
        _ => Vec::new(),
    }
}

impl Robot {
    /// Diagonal of M⁻¹ for each joint with one coordinate, 1/(kg m²) or 1/kg; empty if M is singular. Loops and
    /// couplers are ignored.
    pub fn mobilities(&self) -> BTreeMap<String, f64> {
        let joints: Vec<&Joint> = self.joints.iter().filter(|joint| !joint.is_closure).collect();
        let mut list = Vec::new();
        for (number, joint) in joints.iter().enumerate() {
            list.extend(columns(joint).into_iter().map(|column| (number, column)));
        }
        let carried: Vec<Vec<&str>> =
            joints.iter().map(|joint| self.carried(joint).iter().map(|body| body.name.as_str()).collect()).collect();
        let composites: Vec<Composite> = joints.iter().map(|joint| self.composite(joint)).collect();
        let n = list.len();
        let mut inertia = vec![0.0; n * n];
        for (row, (one, column)) in list.iter().enumerate() {
            for (place, (two, other)) in list.iter().enumerate().take(row + 1) {
                // The inertia of the outer joint, if one carries the other.
                let outer = match () {
                    () if carried[*two].contains(&joints[*one].bodies[1].as_str()) => *one,
                    () if carried[*one].contains(&joints[*two].bodies[1].as_str()) => *two,
                    () => continue,
                };
                inertia[row * n + place] = composites[outer].product(column, other);
            }
            inertia[row * n + row] += self.armature(&joints[*one].name);
        }
        if cholesky(&mut inertia, n, 1e-12).is_err() {
            return BTreeMap::new();
        }
        let single = list.iter().enumerate().filter(|(_, (joint, _))| crate::robot::is_single(joints[*joint].kind));
        single
            .map(|(row, (joint, _))| {
                let mut unit = vec![0.0; n];
                unit[row] = 1.0;
                solve_lower(&inertia, n, &mut unit);
                (joints[*joint].name.clone(), unit.iter().map(|x| x * x).sum())
            })
            .collect()
    }

    fn composite(&self, joint: &Joint) -> Composite {
        let mut sum = Composite { mass: 0.0, first: Vec3::zeros(), second: Mat3::zeros() };
        for body in self.carried(joint) {
            sum.mass += body.mass;
            sum.first += body.com * body.mass;
            sum.second += body.inertia + of_point(body.mass, &body.com);
        }
        sum
    }
}
