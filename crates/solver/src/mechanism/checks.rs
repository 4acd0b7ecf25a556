//! Defects of a mechanism: references and numbers that are not valid, and graphs without a spanning tree.

use super::{BodyRef, ConnectionKind, JointCoordinate, JointRef, Mechanism};
use crate::assembly::AssemblyError;
use crate::integrate::refinement::MAX_HALVINGS;
use crate::joint::TreeJoint;
use crate::joint::coordinates::SecondAxis;
use crate::math::curve::Outline;
use crate::math::spatial::impossible_moments;
use crate::math::{Mat3, Vec3};
use crate::system::{Guide, ITERATIONS, PENALTIES, TOLERANCES};
use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// Largest cosine between axes that count as perpendicular, and smallest sine and cosine between the shafts of a
/// constant-velocity joint.
pub const PERPENDICULAR: f64 = 1e-6;

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

/// A reason why a layout gives no system.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// Elements or outputs refer to missing parts.
    Invalid(InvalidMechanism),
    /// The mechanism cannot be assembled.
    NotAssembled(AssemblyError),
}

impl From<AssemblyError> for BuildError {
    fn from(error: AssemblyError) -> BuildError {
        BuildError::NotAssembled(error)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Invalid(error) => error.fmt(f),
            BuildError::NotAssembled(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for BuildError {}

/// All defects of a mechanism, with the names of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidMechanism {
    /// The defects, in the order of joints and bodies.
    pub defects: Vec<Defect>,
    /// One line per defect.
    text: String,
}

impl InvalidMechanism {
    /// Defects that are texts.
    pub(super) fn of_texts(texts: Vec<String>) -> InvalidMechanism {
        let text = texts.join("\n");
        InvalidMechanism { defects: texts.into_iter().map(Defect::Invalid).collect(), text }
    }

    pub(super) fn new(mechanism: &Mechanism, defects: Vec<Defect>) -> InvalidMechanism {
        let joint = |joint: &JointRef| mechanism.joints[joint.0].name.as_str();
        let line = |defect: &Defect| match defect {
            Defect::MustBeCut(index) => format!(
                "joint `{}` must be cut to open its loop, but it has armature or its coordinates are used; let another \
                 joint of the loop be cut",
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
        let possible = is_symmetric(&body.inertia) && impossible_moments(&body.inertia).is_none();
        checks.expect(possible, "body", &body.name, "has an inertia that no mass distribution has");
    }
    checks.joints();
    for (index, driven) in mechanism.driven.iter().enumerate() {
        let (what, name) = ("driven coordinate", &driven.name);
        checks.coordinate(what, name, &driven.coordinate);
        checks.expect(checks.is_motion(&driven.guide), what, name, "has numbers or inputs that are not valid");
        let twice = mechanism.driven[..index].iter().any(|other| other.coordinate == driven.coordinate);
        checks.expect(!twice, what, name, "is driven twice");
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
        let mechanism = self.mechanism;
        let Mechanism { name, step, gravity, start_time, augmented, integrator, .. } = mechanism;
        let mut expect = |holds: bool, defect: &str| self.expect(holds, "mechanism", name, defect);
        expect(step.is_finite() && *step > 0.0, "has a step that is not positive");
        expect(gravity.iter().all(|g| g.is_finite()), "has a gravity that is not finite");
        expect(start_time.is_finite(), "has a start time that is not finite");
        expect((0.0..=1.0).contains(&mechanism.spectral_radius), "has a spectral radius outside of 0 to 1");
        expect(mechanism.step_halvings <= MAX_HALVINGS, "halves its steps too often");
        let iterations = u32::try_from(augmented.max_iterations).is_ok_and(|count| ITERATIONS.contains(&count));
        let settings = PENALTIES.contains(&augmented.penalty) && TOLERANCES.contains(&augmented.tolerance);
        expect(iterations && settings, "has settings of the augmented Lagrangian outside of their ranges");
        let moves = mechanism.joints.iter().any(|joint| joint.kind.freedom() > 0);
        let linear = integrator.scheme().linear_bodies;
        expect(!linear || !moves, "moves by joints, and its integrator accepts only flexible bodies at the ground");
    }

    fn joints(&mut self) {
        for joint in &self.mechanism.joints {
            let (row, name) = (joint.kind.row(), &joint.name);
            let directions = [joint.axis, joint.second_axis, joint.second_shaft, joint.up];
            self.bodies("joint", name, &joint.bodies);
            self.expect(joint.point.iter().all(is_finite), "joint", name, "has a point that is not finite");
            self.expect(directions.iter().flatten().all(is_direction), "joint", name, "has an axis without direction");
            self.expect(!row.needs_axis || joint.axis.is_some(), "joint", name, "has no axis");
            let second = row.second_axis != SecondAxis::Needed || joint.second_axis.is_some();
            self.expect(second, "joint", name, "has no second axis");
            self.expect(joint.bodies[0] != joint.bodies[1], "joint", name, "connects a body to itself");
            if let Some(axis) = joint.axis.filter(is_direction).map(|axis| axis.normalize()) {
                let cosine = |other: Vec3| other.normalize().dot(&axis);
                let square = joint.second_axis.is_none_or(|second| cosine(second).abs() <= PERPENDICULAR);
                self.expect(square, "joint", name, "has axes that are not perpendicular");
                let bent = |shaft: Vec3| cosine(shaft) >= PERPENDICULAR && axis.cross(&shaft).norm() >= PERPENDICULAR;
                self.expect(joint.second_shaft.is_none_or(bent), "joint", name, "has shafts that do not fit");
            }
            let has_curve = joint.curve.as_ref().is_some_and(has_shape);
            self.expect(!row.curve || has_curve, "joint", name, "has no curve, or its curve is not valid");
            let fits = |list: &[f64], count: usize| list.is_empty() || list.len() <= count;
            let position = fits(&joint.position, TreeJoint::positions(joint.kind));
            let speed = fits(&joint.speed, TreeJoint::freedom(joint.kind));
            self.expect(position && speed, "joint", name, "has more start values than coordinates");
            let armature = joint.armature.len() == 1 || fits(&joint.armature, TreeJoint::freedom(joint.kind));
            let sizes = joint.armature.iter().all(|value| value.is_finite() && *value >= 0.0);
            let first = (0..joint.kind.freedom()).filter(|&k| joint.kind.is_rotation(k)).take(3);
            let turns: Vec<f64> = first.filter_map(|k| joint.armature_per_speed().nth(k)).collect();
            let equal = joint.kind.quaternion().is_none() || turns.windows(2).all(|pair| pair[0] == pair[1]);
            self.expect(armature && sizes && equal, "joint", name, "has armatures that are not valid");
            let finite = joint.position.iter().chain(&joint.speed).all(|value| value.is_finite());
            self.expect(finite, "joint", name, "has a start value that is not finite");
            let rolls = joint.radius.is_some_and(|radius| radius > 0.0 && radius.is_finite());
            self.expect(!row.rolling || rolls, "joint", name, "has no positive radius");
            let quaternion = joint.kind.quaternion().map(|first| {
                let from = joint.position.get(first..).unwrap_or_default();
                &from[..from.len().min(4)]
            });
            let turned = quaternion.is_none_or(|q| q.is_empty() || q.len() == 4 && q.iter().any(|part| *part != 0.0));
            self.expect(turned, "joint", name, "has a start value that is not a quaternion");
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
            ConnectionKind::Rod { bodies, mass, points } => {
                self.bodies(what, name, bodies);
                self.expect(points[0] != points[1], what, name, "has no length");
                self.expect(bodies[0] != bodies[1], what, name, "connects a body to itself");
                self.expect(*mass >= 0.0 && mass.is_finite(), what, name, "has a mass that is not valid");
            }
            ConnectionKind::PointOnLine { bodies, .. } | ConnectionKind::PointInPlane { bodies, .. } => {
                self.bodies(what, name, bodies);
                self.expect(bodies[0] != bodies[1], what, name, "connects a body to itself");
            }
            ConnectionKind::Curves { joints, .. } => {
                let along = |joint: &JointRef| self.mechanism.joints.get(joint.0).is_some_and(|j| j.kind.row().curve);
                let both = joints.iter().all(along);
                self.expect(both, what, name, "needs two joints along curves");
            }
            ConnectionKind::Coupler { terms, offset, .. } => {
                self.expect(!terms.is_empty(), what, name, "has no coordinates");
                let finite = offset.is_finite() && terms.iter().all(|(_, ratio)| ratio.is_finite());
                let acts = terms.iter().any(|(_, ratio)| *ratio != 0.0);
                self.expect(finite && acts, what, name, "has ratios or an offset that are not valid");
                terms.iter().for_each(|(coordinate, _)| self.coordinate(what, name, coordinate));
            }
        }
    }

    /// Whether a prescribed motion has finite numbers and inputs that exist. Residual modes are added by the layout.
    fn is_motion(&self, guide: &Guide) -> bool {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let exists = |input: &usize| *input < self.mechanism.inputs.len();
        match guide {
            Guide::Motion { offset, speed, amplitude, omega, phase } => {
                finite(&[*offset, *speed, *amplitude, *omega, *phase])
            }
            Guide::SpinUp { speed, time } => finite(&[*speed, *time]) && *time > 0.0,
            Guide::Table(spline) => finite(&spline.value(self.mechanism.start_time)),
            Guide::Filtered { input, gain, omega, .. } => exists(input) && finite(&[*gain, *omega]) && *omega > 0.0,
            Guide::Inputs { index, gain } => index.iter().all(exists) && gain.is_finite(),
            Guide::Residual { .. } => false,
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

fn is_symmetric(matrix: &Mat3) -> bool {
    *matrix == matrix.transpose()
}

fn is_direction(vector: &Vec3) -> bool {
    let length = vector.norm();
    length.is_finite() && length > 0.0
}

fn has_shape(outline: &Outline) -> bool {
    outline.relative_to(&Vec3::zeros()).is_some()
}
