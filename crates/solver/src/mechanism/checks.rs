//! Defects of a mechanism: references and numbers that are not valid, and graphs without a spanning tree.

use super::{BodyRef, ConnectionKind, JointCoordinate, JointRef, Mechanism};
use crate::joint::TreeJoint;
use crate::math::Vec3;
use crate::math::curve::Outline;
use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// A reason why a mechanism cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum Defect {
    /// The joint must be cut to open its loop, but its coordinates are used, or it runs along a curve.
    MustBeCut(JointRef),
    /// The body has no path of joints to the ground.
    NotConnected(BodyRef),
    /// A floating joint has the body nearer to the ground as its second body.
    OutboardFirst(JointRef),
    /// Another defect, described for people.
    Invalid(String),
}

/// All defects of a mechanism, with the names of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidMechanism {
    /// The defects, in the order of joints and bodies.
    pub defects: Vec<Defect>,
    /// One line per defect.
    text: String,
}

impl InvalidMechanism {
    pub(super) fn new(mechanism: &Mechanism, defects: Vec<Defect>) -> InvalidMechanism {
        let joint = |joint: &JointRef| mechanism.joints[joint.0].name.as_str();
        let line = |defect: &Defect| match defect {
            Defect::MustBeCut(index) => format!(
                "joint `{}` must be cut to open its loop, but its coordinates are used; let another joint of the loop \
                 be cut",
                joint(index)
            ),
            Defect::NotConnected(body) => format!(
                "body `{}` is not connected to the ground; add a joint (a floating joint if it moves freely)",
                name_of(mechanism, *body)
            ),
            Defect::OutboardFirst(index) => {
                format!("floating joint `{}` must have the body nearer to the ground first", joint(index))
            }
            Defect::Invalid(text) => text.clone(),
        };
        let text = defects.iter().map(line).collect::<Vec<_>>().join("\n");
        InvalidMechanism { defects, text }
    }
}

impl fmt::Display for InvalidMechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl core::error::Error for InvalidMechanism {}

fn name_of(mechanism: &Mechanism, body: BodyRef) -> &str {
    match body {
        BodyRef::Ground => "ground",
        BodyRef::Rigid(index) => &mechanism.bodies[index].name,
        BodyRef::Frame(index) | BodyRef::Interface(index, _) => &mechanism.flexible[index].matrices.name,
    }
}

/// References and numbers that are not valid. The stages that follow rely on them.
pub(super) fn invalid(mechanism: &Mechanism) -> Vec<Defect> {
    let mut checks = Checks { mechanism, found: Vec::new() };
    checks.settings();
    for body in &mechanism.bodies {
        let numbers =
            body.centre.iter().flat_map(|centre| centre.iter()).chain(body.inertia.iter()).chain([&body.mass]);
        checks.expect(numbers.copied().all(f64::is_finite), "body", &body.name, "has a number that is not finite");
        checks.expect(!(body.mass < 0.0), "body", &body.name, "has a negative mass");
    }
    checks.joints();
    for driven in &mechanism.driven {
        checks.coordinate("driven coordinate", &driven.name, &driven.coordinate);
    }
    for connection in &mechanism.connections {
        checks.connection(&connection.name, &connection.kind);
    }
    checks.found
}

struct Checks<'a> {
    mechanism: &'a Mechanism,
    found: Vec<Defect>,
}

impl Checks<'_> {
    fn expect(&mut self, holds: bool, what: &str, name: &str, defect: &str) {
        if !holds {
            self.found.push(Defect::Invalid(format!("{what} `{name}` {defect}")));
        }
    }

    fn settings(&mut self) {
        let Mechanism { name, step, gravity, .. } = self.mechanism;
        self.expect(step.is_finite() && *step > 0.0, "mechanism", name, "has a step that is not positive");
        self.expect(gravity.iter().all(|g| g.is_finite()), "mechanism", name, "has a gravity that is not finite");
    }

    fn joints(&mut self) {
        for joint in &self.mechanism.joints {
            let (row, name) = (joint.kind.row(), &joint.name);
            let directions = [joint.axis, joint.second_axis, joint.second_shaft, joint.up];
            self.bodies("joint", name, &joint.bodies);
            self.expect(joint.point.iter().all(is_finite), "joint", name, "has a point that is not finite");
            self.expect(directions.iter().flatten().all(is_direction), "joint", name, "has an axis without direction");
            self.expect(!row.needs_axis || joint.axis.is_some(), "joint", name, "has no axis");
            let has_curve = joint.curve.as_ref().is_some_and(has_shape);
            self.expect(!row.curve || has_curve, "joint", name, "has no curve, or its curve is not valid");
            let fits = |list: &[f64], count: usize| list.is_empty() || list.len() <= count;
            let position = fits(&joint.position, TreeJoint::positions(joint.kind));
            let speed = fits(&joint.speed, TreeJoint::freedom(joint.kind));
            self.expect(position && speed, "joint", name, "has more start values than coordinates");
        }
    }

    fn connection(&mut self, name: &str, kind: &ConnectionKind) {
        let what = "connection";
        let (points, directions): (&[Vec3], &[Vec3]) = match kind {
            ConnectionKind::Rod { points, .. } => (points, &[]),
            ConnectionKind::PointOnLine { point, axis, .. } => {
                (core::slice::from_ref(point), core::slice::from_ref(axis))
            }
            ConnectionKind::PointInPlane { point, normal, .. } => {
                (core::slice::from_ref(point), core::slice::from_ref(normal))
            }
            ConnectionKind::Curves { .. } | ConnectionKind::Coupler { .. } => (&[], &[]),
        };
        self.expect(points.iter().all(is_finite), what, name, "has a point that is not finite");
        self.expect(directions.iter().all(is_direction), what, name, "has a direction of no length");
        match kind {
            ConnectionKind::Rod { bodies, mass, .. } => {
                self.bodies(what, name, bodies);
                self.expect(*mass >= 0.0 && mass.is_finite(), what, name, "has a mass that is not valid");
            }
            ConnectionKind::PointOnLine { bodies, .. } | ConnectionKind::PointInPlane { bodies, .. } => {
                self.bodies(what, name, bodies);
            }
            ConnectionKind::Curves { joints, .. } => {
                let along = |joint: &JointRef| self.mechanism.joints.get(joint.0).is_some_and(|j| j.kind.row().curve);
                let both = joints.iter().all(along);
                self.expect(both, what, name, "needs two joints along curves");
            }
            ConnectionKind::Coupler { terms, .. } => {
                self.expect(!terms.is_empty(), what, name, "has no coordinates");
                terms.iter().for_each(|(coordinate, _)| self.coordinate(what, name, coordinate));
            }
        }
    }

    fn bodies(&mut self, what: &str, name: &str, bodies: &[BodyRef; 2]) {
        let Mechanism { bodies: rigid, flexible, .. } = self.mechanism;
        let exists = |body: &BodyRef| match *body {
            BodyRef::Ground => true,
            BodyRef::Rigid(index) => index < rigid.len(),
            BodyRef::Frame(index) => index < flexible.len(),
            BodyRef::Interface(index, interface) => flexible.get(index).is_some_and(|body| interface < body.interfaces),
        };
        self.expect(bodies.iter().all(exists), what, name, "refers to a body that does not exist");
    }

    fn coordinate(&mut self, what: &str, name: &str, on: &JointCoordinate) {
        let joint = self.mechanism.joints.get(on.joint.0);
        let exists = joint.is_some_and(|joint| on.index < joint.kind.coordinates().len());
        self.expect(exists, what, name, "refers to a coordinate that does not exist");
    }
}

fn is_finite(vector: &Vec3) -> bool {
    vector.iter().all(|value| value.is_finite())
}

fn is_direction(vector: &Vec3) -> bool {
    let length = vector.norm();
    length.is_finite() && length > 0.0
}

fn has_shape(outline: &Outline) -> bool {
    outline.relative_to(&Vec3::zeros()).is_some()
}
