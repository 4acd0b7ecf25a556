//! Constant geometry: bodies and joints in the design position.

use super::flexible;
use super::graph::{Branch, Graph, Source};
use ballesta_model::Document;
use ballesta_model::flexible::BodyRef;
use ballesta_model::schema::{Joint, Vector};
use ballesta_solver::joint::coordinates::SecondAxis;
use ballesta_solver::math::curve::Curve;
use ballesta_solver::math::moving_frame::MovingFrame;
use ballesta_solver::math::rotation::complement;
use ballesta_solver::math::spatial::Inertia;
use ballesta_solver::math::{Mat3, Vec3};
use ballesta_solver::system::Body;

/// Geometry in the design position.
pub(super) struct Design {
    /// World coordinates of the model's origin, m: the point of the first joint at the ground, so that digits are not
    /// lost far from the world's origin.
    pub(super) origin: Vec3,
    /// The ground and all bodies, rods not included.
    pub(super) bodies: Vec<Body>,
    /// Point of every joint of the file, relative to the model's origin, m.
    pub(super) points: Vec<Vec3>,
    /// Unit axes of every joint of the file in the sense of [`ballesta_solver::joint::TreeJoint::axes`].
    pub(super) axes: Vec<[Vec3; 3]>,
    /// For every joint of the file along a curve: the curve relative to its point, m, the parameter there, and the
    /// rotation of the second body along the curve.
    pub(super) curves: Vec<Option<(Curve, f64, Option<MovingFrame>)>>,
}

impl Design {
    pub(super) fn new(document: &Document, parameters: &[f64], graph: &Graph, flexible: &[flexible::Draft]) -> Design {
        let joint = |(branch, &parent): (&Branch, &usize)| match branch.source {
            Source::Joint(file) if parent == 0 => Some(file),
            _ => None,
        };
        let first = graph.branches.iter().zip(&graph.parents[1..]).filter_map(joint).min();
        let world = |file: usize| document.joint_design(&document.model.joints[file], parameters);
        let origin = first.and_then(world).unwrap_or_default();
        let bodies = bodies(document, parameters, graph, flexible, origin);
        let point = |(file, joint)| {
            let [first, second] = graph.ends(file);
            let default = bodies[if second == 0 { first } else { second }].design;
            if has_point(document, joint) { world(file).map_or(default, |point| point - origin) } else { default }
        };
        let points: Vec<Vec3> = document.model.joints.iter().enumerate().map(point).collect();
        let vector = |vector: &Vector| document.model.resolve_vector(vector, parameters);
        let axes = document.model.joints.iter().map(|joint| axes(joint, vector)).collect();
        let curve = |(joint, point): (&Joint, &Vec3)| {
            let item = document.model.curves.iter().find(|curve| joint.curve.as_ref() == Some(&curve.name))?;
            let shape = document.model.curve_shape(item, parameters, &(point + origin))?;
            let start = shape.nearest(&Vec3::zeros());
            let up = joint.up.as_ref().map(|up| vector(up).normalize());
            let frame = up.map(|up| MovingFrame::new(&shape, up, start));
            Some((shape, start, frame))
        };
        let curves = document.model.joints.iter().zip(&points).map(curve).collect();
        Design { origin, bodies, points, axes, curves }
    }

    /// Point of a joint of the file in the frames of its two bodies.
    pub(super) fn local_points(&self, joint: usize, ends: [usize; 2]) -> [Vec3; 2] {
        ends.map(|body| self.points[joint] - self.bodies[body].design)
    }
}

/// The ground, rigid bodies, and frames and interfaces of flexible ones.
fn bodies(
    document: &Document,
    parameters: &[f64],
    graph: &Graph,
    flexible: &[flexible::Draft],
    origin: Vec3,
) -> Vec<Body> {
    let model = &document.model;
    // The mass of a flexible body moves with its deformation, unlike the mass of a rigid body.
    let massless = |name: &str, number: usize, design: Vec3| Body {
        name: name.into(),
        parent: graph.parents[number],
        mass: 0.0,
        inertia: Inertia::zero(),
        design,
    };
    let mut bodies = vec![massless("ground", 0, Vec3::zeros()); graph.parents.len()];
    for body in &model.bodies {
        let number = graph.body(document, &body.name);
        let design =
            model.centre_of_mass(body).map_or(Vec3::zeros(), |place| model.resolve_place(place, parameters) - origin);
        let mass = model.resolve(&body.mass, parameters);
        let second = body.inertia.as_ref().map_or(Mat3::zeros(), |values| {
            let [xx, yy, zz, xy, yz, xz] = [0, 1, 2, 3, 4, 5].map(|i| model.resolve(&values[i], parameters));
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        });
        let inertia = Inertia { mass, first: Vec3::zeros(), second };
        bodies[number] = Body { mass, inertia, ..massless(&body.name, number, design) };
    }
    for (index, draft) in flexible.iter().enumerate() {
        let frame = graph.frame(index);
        bodies[frame] = massless(&draft.flexible.name, frame, draft.centre - origin);
        for ((link, place), &interface) in draft.flexible.links.iter().zip(&draft.places).zip(&draft.interfaces) {
            let number = graph.interface(index, interface);
            bodies[number] = massless(&link.name, number, place - origin);
        }
    }
    bodies
}

/// Whether the file gives the position of a joint: by default it is at the centre of mass of its second body (of the
/// first, if the second is the ground).
fn has_point(document: &Document, joint: &Joint) -> bool {
    let interface = |name: &String| matches!(document.body_ref(name), Some(BodyRef::Interface(..)));
    joint.point.is_some() || joint.bodies.iter().any(interface)
}

fn axes(joint: &Joint, vector: impl Fn(&Vector) -> Vec3) -> [Vec3; 3] {
    let Some(axis) = joint.axis.as_ref().map(|axis| vector(axis).normalize()) else {
        return [Vec3::x(), Vec3::y(), Vec3::z()];
    };
    let second = joint.second_axis.as_ref().map(&vector);
    if joint.kind.is_bisecting() {
        let shaft = joint.second_shaft.as_ref().map_or(axis, |shaft| vector(shaft).normalize());
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
