//! Unknowns and equations of the groups of a model in three kinds of coordinates.
//!
//! Relative coordinates are the coordinates of the solver. Reference-point coordinates are six per body, with 6 − f
//! equations per joint of f freedoms. Natural coordinates are points and unit vectors, three coordinates each, that
//! bodies share at their joints: the centre of a joint that rotates about a point, the axis of a joint whose bodies
//! share an axis. In one body coinciding points count once, and so do parallel vectors; points and vectors of the
//! ground are known. A body with fewer than three of them gets additional points. Equations: 3 k − 6 per body of k
//! points and vectors, where the length of a vector counts once; per joint the conditions that sharing does not
//! satisfy. Rods, couplers and similar constraints have the same equations as in the solver. Each given coordinate has
//! one equation.
//!
//! Limits. Models with flexible bodies have no reference-point and natural coordinates. The numbers hold for a general
//! body; collinear points and vectors need different numbers.
//!
//! Source: J. García de Jalón, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, Springer 1994,
//! chapter 2.
//!
//! Verified by: crates/run/tests/run/groups/group_coordinates.rs.

use super::SpatialGroups;
use ballesta_model::Document;
use ballesta_model::schema::{Joint, JointKind};
use ballesta_solver::math::Vec3;
use ballesta_solver::system::System;
use ballesta_solver::topology::DisjointSets;
use ballesta_solver::topology::groups::plane_coordinates::{Size, Sizes};

/// Points closer than this, in m, and unit vectors closer than this are the same.
const COINCIDENCE_TOLERANCE: f64 = 1e-9;

/// A point or unit vector of a body at a joint.
struct Element {
    body: usize,
    vector: bool,
    value: Vec3,
}

/// The sizes of all groups, or `None` for a model with flexible bodies. `values`: the parameter values of the document.
pub fn spatial_sizes(
    document: &Document,
    values: &[f64],
    system: &System,
    groups: &SpatialGroups,
) -> Option<Vec<Sizes>> {
    // The formulations are compared for rigid bodies only.
    if !system.flexible.is_empty() {
        return None;
    }
    // Relative coordinates: sizes of the group itself. Constraints and inputs have the same rows in all formulations.
    let bodies = Bodies::new(document, groups);
    let mut sizes = vec![Sizes::default(); groups.groups.len() + 1];
    for (group, size) in groups.groups.iter().zip(&mut sizes[1..]) {
        size.relative = Size { unknowns: group.coordinates.len(), equations: group.equations };
        let others =
            system.constraints.iter().filter(|other| other.joint.is_none() && group.loops.contains(&other.name));
        let rows: usize = others.map(|constraint| constraint.rows.len()).sum();
        size.natural.equations = rows + group.inputs.len();
        size.reference_point.equations = rows + group.inputs.len();
    }
    // Joints couple pairs of bodies; joints inside of a rigid body have no equations.
    let mut elements = Vec::new();
    for joint in &document.model.joints {
        let [first, second] = [0, 1].map(|end| bodies.of_name(document, &joint.bodies[end]));
        if first == second {
            continue;
        }
        // In natural coordinates, shared points and vectors replace equations: 3 for a point, 2 for a unit vector.
        let equations = 6 - joint.kind.freedom();
        let shared = shared(document, joint, values);
        let taken: usize = shared.iter().map(|(vector, _)| if *vector { 2 } else { 3 }).sum();
        let size = &mut sizes[bodies.group[first].max(bodies.group[second])];
        size.reference_point.equations += equations;
        size.natural.equations += equations - taken;
        for (vector, value) in shared {
            elements.extend([first, second].map(|body| Element { body, vector, value }));
        }
    }
    // Bodies add their coordinates and normalization equations; the first group is the ground.
    add_bodies(&bodies, &elements, &mut sizes);
    sizes.remove(0);
    Some(sizes)
}

/// Elements that both bodies of a joint share, and whether each is a vector. They fix at most what the joint's
/// equations fix.
fn shared(document: &Document, joint: &Joint, values: &[f64]) -> Vec<(bool, Vec3)> {
    let point = document.joint_design(joint, values).filter(|_| joint.kind.turns_about_point());
    let common = matches!(
        joint.kind,
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Planar | JointKind::PinOnCurve
    );
    let axis =
        joint.axis.as_ref().filter(|_| common).map(|axis| document.model.resolve_vector(axis, values).normalize());
    point.map(|point| (false, point)).into_iter().chain(axis.map(|axis| (true, axis))).collect()
}

/// Points and vectors, and the equations between the elements of one body. Elements are in pairs, one for each body.
fn add_bodies(bodies: &Bodies, elements: &[Element], sizes: &mut [Sizes]) {
    let mut sets = DisjointSets::new(elements.len());
    for (index, element) in elements.iter().enumerate() {
        sets.join(index, index ^ 1);
        for (other, before) in elements[..index].iter().enumerate() {
            let close = |a: &Vec3, b: &Vec3| (a - b).norm() <= COINCIDENCE_TOLERANCE;
            let same = close(&element.value, &before.value) || element.vector && close(&element.value, &-before.value);
            if element.body == before.body && element.vector == before.vector && same {
                sets.join(index, other);
            }
        }
    }
    let leaders: Vec<usize> = (0..elements.len()).map(|index| sets.leader(index)).collect();
    // An element belongs to the first group that contains it, the length of a vector to the first body there.
    let owner = |leader: usize| {
        let holders = (0..elements.len()).filter(|&index| leaders[index] == leader);
        holders.map(|index| (bodies.group[elements[index].body], elements[index].body)).min().unwrap_or_default()
    };
    for body in (1..bodies.group.len()).filter(|&body| bodies.is_leader[body] && bodies.group[body] > 0) {
        let own = (0..elements.len()).filter(|&index| elements[index].body == body).map(|index| leaders[index]);
        let mut own: Vec<usize> = own.collect();
        own.sort_unstable();
        own.dedup();
        let added = 3usize.saturating_sub(own.len());
        let first = own.iter().filter(|&&leader| owner(leader).1 == body).count();
        let lengths = own.iter().filter(|&&leader| elements[leader].vector && owner(leader).1 != body).count();
        let size = &mut sizes[bodies.group[body]];
        size.reference_point.unknowns += 6;
        size.natural.unknowns += 3 * (first + added);
        size.natural.equations += 3 * (own.len() + added) - 6 - lengths;
    }
}

/// Bodies of the file; 0 is the ground. Welded bodies share a leader.
struct Bodies {
    leader: Vec<usize>,
    is_leader: Vec<bool>,
    /// Per leader: the number of its group, 0 for the ground.
    group: Vec<usize>,
}

impl Bodies {
    fn new(document: &Document, groups: &SpatialGroups) -> Bodies {
        let names: Vec<&str> = document.model.bodies.iter().map(|body| body.name.as_str()).collect();
        let number = |name: &str| names.iter().position(|other| *other == name).map_or(0, |index| index + 1);
        let mut sets = DisjointSets::new(names.len() + 1);
        for joint in document.model.joints.iter().filter(|joint| joint.kind == JointKind::Fixed) {
            sets.join(number(&joint.bodies[0]), number(&joint.bodies[1]));
        }
        let leader: Vec<usize> = (0..=names.len()).map(|body| sets.leader(body)).collect();
        let mut group = vec![0; leader.len()];
        for (index, found) in groups.groups.iter().enumerate() {
            found.bodies.iter().for_each(|name| group[leader[number(name)]] = index + 1);
        }
        group[leader[0]] = 0;
        let is_leader = leader.iter().enumerate().map(|(body, leader)| body == *leader).collect();
        Bodies { leader, is_leader, group }
    }

    fn of_name(&self, document: &Document, name: &str) -> usize {
        let index = document.model.bodies.iter().position(|body| body.name == name);
        self.leader[index.map_or(0, |index| index + 1)]
    }
}
