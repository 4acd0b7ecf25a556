//! Constant geometry: bodies and joints in the design position.

use super::graph::{Branch, Graph, Source};
use super::{BodyRef, Joint, Mechanism};
use crate::joint::coordinates::SecondAxis;
use crate::math::Vec3;
use crate::math::curve::Curve;
use crate::math::moving_frame::MovingFrame;
use crate::math::rotation::complement;
use crate::math::spatial::Inertia;
use crate::system::Body;
use alloc::{vec, vec::Vec};

/// Geometry in the design position.
pub(super) struct Design {
    /// World coordinates of the mechanism's origin, m: the point of the first joint at the ground, so that digits are
    /// not lost far from the world's origin.
    pub(super) origin: Vec3,
    /// The ground and all bodies, rods not included.
    pub(super) bodies: Vec<Body>,
    /// Point of every joint, relative to the origin, m.
    pub(super) points: Vec<Vec3>,
    /// Unit axes of every joint in the sense of [`crate::joint::TreeJoint::axes`].
    pub(super) axes: Vec<[Vec3; 3]>,
    /// For every joint along a curve: the curve relative to its point, m, the parameter there, and the rotation of the
    /// second body along the curve.
    pub(super) curves: Vec<Option<(Curve, f64, Option<MovingFrame>)>>,
}

impl Design {
    pub(super) fn new(mechanism: &Mechanism, graph: &Graph) -> Design {
        let joint = |(branch, &parent): (&Branch, &usize)| match branch.source {
            Source::Joint(joint) if parent == 0 => Some(joint),
            _ => None,
        };
        let first = graph.branches.iter().zip(&graph.parents[1..]).filter_map(joint).min();
        let origin = first.and_then(|joint| place(mechanism, &mechanism.joints[joint])).unwrap_or_default();
        let bodies = bodies(mechanism, graph, origin);
        let point = |(index, joint): (usize, &Joint)| {
            let [first, second] = graph.ends(index);
            let default = bodies[if second == 0 { first } else { second }].design;
            joint.point.map_or(default, |point| point - origin)
        };
        let points: Vec<Vec3> = mechanism.joints.iter().enumerate().map(point).collect();
        let curve = |(joint, point): (&Joint, &Vec3)| {
            let shape = joint.curve.as_ref()?.relative_to(&(point + origin))?;
            let start = shape.nearest(&Vec3::zeros());
            let frame = joint.up.map(|up| MovingFrame::new(&shape, up.normalize(), start));
            Some((shape, start, frame))
        };
        let curves = mechanism.joints.iter().zip(&points).map(curve).collect();
        let axes = mechanism.joints.iter().map(axes).collect();
        Design { origin, bodies, points, axes, curves }
    }

    /// Point of a joint in the frames of its two bodies.
    pub(super) fn local_points(&self, joint: usize, ends: [usize; 2]) -> [Vec3; 2] {
        ends.map(|body| self.points[joint] - self.bodies[body].design)
    }
}

/// Position of a joint in W, m: by default the centre of mass of its second body, or of its first if the second is not
/// rigid.
fn place(mechanism: &Mechanism, joint: &Joint) -> Option<Vec3> {
    let rigid = |body: &BodyRef| if let BodyRef::Rigid(index) = body { Some(*index) } else { None };
    let default = || mechanism.bodies[joint.bodies.iter().rev().find_map(rigid)?].centre;
    joint.point.or_else(default)
}

/// The ground, rigid bodies, and frames and interfaces of flexible ones.
fn bodies(mechanism: &Mechanism, graph: &Graph, origin: Vec3) -> Vec<Body> {
    // The mass of a flexible body moves with its deformation, unlike the mass of a rigid body.
    let massless = |name: &str, number: usize, design: Vec3| Body {
        name: name.into(),
        parent: graph.parents[number],
        mass: 0.0,
        inertia: Inertia::zero(),
        design,
    };
    let mut bodies = vec![massless("ground", 0, Vec3::zeros()); graph.parents.len()];
    for (index, body) in mechanism.bodies.iter().enumerate() {
        let number = graph.body(BodyRef::Rigid(index));
        let design = body.centre.map_or(Vec3::zeros(), |centre| centre - origin);
        let inertia = Inertia { mass: body.mass, first: Vec3::zeros(), second: body.inertia };
        bodies[number] = Body { mass: body.mass, inertia, ..massless(&body.name, number, design) };
    }
    for (index, body) in mechanism.flexible.iter().enumerate() {
        let frame = graph.body(BodyRef::Frame(index));
        bodies[frame] = massless(&body.matrices.name, frame, body.centre - origin);
        for ((link, place), &interface) in body.matrices.links.iter().zip(&body.places).zip(&body.links) {
            let number = graph.body(BodyRef::Interface(index, interface));
            bodies[number] = massless(&link.name, number, place - origin);
        }
    }
    bodies
}

fn axes(joint: &Joint) -> [Vec3; 3] {
    let Some(axis) = joint.axis.map(|axis| axis.normalize()) else {
        return [Vec3::x(), Vec3::y(), Vec3::z()];
    };
    let second = joint.second_axis;
    if joint.kind.is_bisecting() {
        let shaft = joint.second_shaft.map_or(axis, |shaft| shaft.normalize());
        let across = if joint.second_shaft.is_some() { axis.cross(&shaft) } else { across(&axis, second) };
        let across = across.normalize();
        return [across.cross(&axis), across, across.cross(&shaft)];
    }
    match joint.kind.row().second_axis {
        SecondAxis::None => {
            let (second, third) = complement(&axis);
            [axis, second, third]
        }
        SecondAxis::Needed | SecondAxis::Optional => {
            let second = across(&axis, second).normalize();
            [axis, second, axis.cross(&second)]
        }
    }
}

/// The component of the second axis perpendicular to the first; by default from x or y.
fn across(axis: &Vec3, second: Option<Vec3>) -> Vec3 {
    let default = if axis.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let second = second.unwrap_or(default);
    second - axis * second.dot(axis)
}
