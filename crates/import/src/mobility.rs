//! Inverse of the joint-space inertia at the zero position, which MuJoCo uses to turn time constants and damping ratios
//! into stiffness and damping.

use crate::frame::of_point;
use crate::robot::{Body, Joint, Robot, is_single};
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

/// Columns of all joints of the tree, and the Cholesky factor of their inertia M.
struct Factored<'r> {
    joints: Vec<&'r Joint>,
    /// Names of the bodies that each joint carries.
    carried: Vec<Vec<&'r str>>,
    /// Index of the joint, and column.
    columns: Vec<(usize, Column)>,
    /// n × n for n columns.
    factor: Vec<f64>,
}

impl Factored<'_> {
    /// aᵀ M⁻¹ a.
    fn square(&self, mut a: Vec<f64>) -> f64 {
        solve_lower(&self.factor, self.columns.len(), &mut a);
        a.iter().map(|x| x * x).sum()
    }
}

impl Robot {
    /// Diagonal of M⁻¹ for each joint with one coordinate, 1/(kg m²) or 1/kg; empty if M is singular. Loops and
    /// couplers are ignored.
    pub fn mobilities(&self) -> BTreeMap<String, f64> {
        let Some(factored) = self.factored() else { return BTreeMap::new() };
        let all = factored.columns.iter().enumerate();
        let single = all.filter(|(_, (joint, _))| is_single(factored.joints[*joint].kind));
        let of = |(row, (joint, _)): (usize, &(usize, Column))| {
            let unit = (0..factored.columns.len()).map(|column| if column == row { 1.0 } else { 0.0 }).collect();
            (factored.joints[*joint].name.clone(), factored.square(unit))
        };
        single.map(of).collect()
    }

    /// Acceleration of the centre of mass of each moving body per force on it, the mean of three directions, 1/kg;
    /// empty if M is singular. Loops and couplers are ignored.
    pub fn body_mobilities(&self) -> BTreeMap<&str, f64> {
        let Some(factored) = self.factored() else { return BTreeMap::new() };
        let of = |body: &Body| {
            let along = |direction: Vec3| {
                let value = |(joint, [turn, slide]): &(usize, Column)| match factored.carried[*joint]
                    .contains(&body.name.as_str())
                {
                    true => direction.dot(&(slide + turn.cross(&body.com))),
                    false => 0.0,
                };
                factored.square(factored.columns.iter().map(value).collect())
            };
            [Vec3::x(), Vec3::y(), Vec3::z()].map(along).iter().sum::<f64>() / 3.0
        };
        self.bodies.iter().map(|body| (body.name.as_str(), of(body))).collect()
    }

    fn factored(&self) -> Option<Factored<'_>> {
        // The coordinate of a tendon has no inertia of its own, and a prescribed coordinate does not give way.
        let moves = |joint: &&Joint| {
            let name = &joint.name;
            let prescribed = self.prescribed.iter().any(|(other, _)| other == name);
            let held = self.held.iter().any(|(other, _)| other == name);
            !joint.is_closure && !prescribed && !held && !self.sums.iter().any(|sum| sum.joint == *name)
        };
        let joints: Vec<&Joint> = self.joints.iter().filter(moves).collect();
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
        // The armature of a tendon acts on the joints in its sum.
        for sum in &self.sums {
            let armature = self.armature(&sum.joint);
            let factor =
                |joint: usize| sum.terms.iter().find(|(name, _)| *name == joints[joint].name).map(|term| term.1);
            for (row, (one, _)) in list.iter().enumerate() {
                for (place, (two, _)) in list.iter().enumerate().take(row + 1) {
                    inertia[row * n + place] += armature * factor(*one).zip(factor(*two)).map_or(0.0, |(a, b)| a * b);
                }
            }
        }
        cholesky(&mut inertia, n, 1e-12).ok()?;
        Some(Factored { joints, carried, columns: list, factor: inertia })
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
