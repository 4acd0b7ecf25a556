//! The parts of a mechanism: bodies, joints, connections that close loops, and driven coordinates.

use crate::joint::{Function, JointKind};
use crate::math::curve::Outline;
use crate::math::{Mat3, Vec3};
use crate::system::{Flexible, Guide};
use crate::topology::Request;
use alloc::{string::String, vec::Vec};

/// A body of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRef {
    /// The world.
    Ground,
    /// A rigid body, by its index in [`Mechanism::bodies`](super::Mechanism::bodies).
    Rigid(usize),
    /// The floating frame of a flexible body, by its index in [`Mechanism::flexible`](super::Mechanism::flexible).
    Frame(usize),
    /// A flexible body, and one of its interfaces.
    Interface(usize, usize),
}

/// A joint, by its index in [`Mechanism::joints`](super::Mechanism::joints).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointRef(pub usize);

/// A scalar coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointCoordinate {
    /// The joint.
    pub joint: JointRef,
    /// Index in [`JointKind::coordinates`].
    pub index: usize,
}

impl JointRef {
    /// Coordinate `index` of [`JointKind::coordinates`]; 0 is the only coordinate of a revolute or prismatic joint.
    pub fn coordinate(self, index: usize) -> JointCoordinate {
        JointCoordinate { joint: self, index }
    }
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Name for messages.
    pub name: String,
    /// kg; 0 for a body that only connects joints.
    pub mass: f64,
    /// Centre of mass in the design position, W, m; `None` for a massless body without a position.
    pub centre: Option<Vec3>,
    /// Inertia about the centre of mass, axes of W in the design position, kg m².
    pub inertia: Mat3,
}

/// A flexible body: the matrices of its reduced-order model and its position.
#[derive(Clone, Debug)]
pub struct FlexibleBody {
    /// Matrices; body and coordinates are numbered by [`Mechanism::layout`](super::Mechanism::layout).
    pub matrices: Flexible,
    /// Number of interfaces of the reduced-order model.
    pub interfaces: usize,
    /// Interface of every link of the matrices: the interfaces that are attached or read.
    pub links: Vec<usize>,
    /// Undeformed centre of mass in W, m.
    pub centre: Vec3,
    /// Nodes of the links in W, m.
    pub places: Vec<Vec3>,
}

/// A joint. Coordinates measure the second body relative to the first and are zero in the design position.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name for messages.
    pub name: String,
    /// Free motions.
    pub kind: JointKind,
    /// The two bodies; a floating joint has the body nearer to the ground first.
    pub bodies: [BodyRef; 2],
    /// Position in the design position, W, m; by default the centre of mass of the second body.
    pub point: Option<Vec3>,
    /// Axis in the design position, W, of any length.
    pub axis: Option<Vec3>,
    /// Second axis of a universal, planar or constant-velocity joint.
    pub second_axis: Option<Vec3>,
    /// Shaft of the second body of a constant-velocity joint with an angle between the shafts.
    pub second_shaft: Option<Vec3>,
    /// Radius of a ball or disc that rolls, m.
    pub radius: Option<f64>,
    /// Curve of a joint along a curve.
    pub curve: Option<Outline>,
    /// Direction that keeps its angle to the curve: the second body turns with the curve.
    pub up: Option<Vec3>,
    /// Whether the joint belongs to the spanning tree. Only joints of the tree have coordinates.
    pub request: Request,
    /// Whether its coordinates remain independent if possible.
    pub independent: bool,
    /// Requested positions at the start, rad or m, a unit quaternion last; empty: the design position.
    pub position: Vec<f64>,
    /// Requested speeds at the start, rad/s or m/s; empty: at rest.
    pub speed: Vec<f64>,
    /// Armature: ½ Σ armature · speed² is kinetic energy in addition to the energy of the bodies, kg m² or kg. One
    /// value for all speeds or one per speed; empty: none. The three speeds of a free rotation have equal values. A
    /// joint with armature remains in the tree.
    pub armature: Vec<f64>,
}

impl Joint {
    /// A joint without point, axes, curve and requests.
    pub fn new(name: &str, kind: JointKind, bodies: [BodyRef; 2]) -> Joint {
        Joint {
            name: name.into(),
            kind,
            bodies,
            point: None,
            axis: None,
            second_axis: None,
            second_shaft: None,
            radius: None,
            curve: None,
            up: None,
            request: Request::Free,
            independent: false,
            position: Vec::new(),
            speed: Vec::new(),
            armature: Vec::new(),
        }
    }

    /// Armature of every speed.
    pub(super) fn armature_per_speed(&self) -> impl Iterator<Item = f64> + '_ {
        let one = self.armature.first().filter(|_| self.armature.len() == 1);
        (0..self.kind.freedom()).map(move |k| one.or(self.armature.get(k)).copied().unwrap_or_default())
    }

    /// A revolute joint about an axis through a point, both in W.
    pub fn revolute(name: &str, bodies: [BodyRef; 2], point: Vec3, axis: Vec3) -> Joint {
        Joint { point: Some(point), axis: Some(axis), ..Joint::new(name, JointKind::Revolute, bodies) }
    }

    /// A prismatic joint along an axis, in W.
    pub fn prismatic(name: &str, bodies: [BodyRef; 2], point: Vec3, axis: Vec3) -> Joint {
        Joint { point: Some(point), axis: Some(axis), ..Joint::new(name, JointKind::Prismatic, bodies) }
    }

    /// A spherical joint about a point, in W.
    pub fn spherical(name: &str, bodies: [BodyRef; 2], point: Vec3) -> Joint {
        Joint { point: Some(point), ..Joint::new(name, JointKind::Spherical, bodies) }
    }
}

/// A source of closure equations besides joints.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Name for messages.
    pub name: String,
    /// Its equations.
    pub kind: ConnectionKind,
}

/// Kinds of connections. Points and directions are given in W in the design position.
#[derive(Clone, Debug)]
pub enum ConnectionKind {
    /// A rigid rod between a point of each body, with a mass in kg that is distributed along the rod.
    Rod { bodies: [BodyRef; 2], points: [Vec3; 2], mass: f64 },
    /// A point of the first body stays on a line of the second.
    PointOnLine { bodies: [BodyRef; 2], point: Vec3, axis: Vec3 },
    /// A point of the first body stays in a plane of the second, or a curve of the second body touches a plane of the
    /// first.
    PointInPlane { bodies: [BodyRef; 2], point: Vec3, normal: Vec3, curve: Option<Outline> },
    /// The curves along which two joints run touch; `rolling`: without slip.
    Curves { joints: [JointRef; 2], rolling: bool },
    /// Σ ratio · coordinate = offset. The first coordinates may have laws, with f(x) in the place of x. `balanced`: the
    /// equation is scaled by its largest ratio, so the units of the ratios do not matter.
    Coupler { terms: Vec<(JointCoordinate, f64)>, offset: f64, laws: Vec<Function>, balanced: bool },
}

/// A coordinate with a prescribed motion.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Name for messages.
    pub name: String,
    /// The coordinate.
    pub coordinate: JointCoordinate,
    /// Source of the motion; positions of states in it are set by [`Layout::system`](super::Layout::system).
    pub guide: Guide,
}
