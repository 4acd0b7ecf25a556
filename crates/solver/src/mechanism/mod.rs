//! Description of a mechanism, and the stages that make a [`System`] of it. Offline: allocates.
//!
//! A [`Mechanism`] lists bodies, joints, connections and driven coordinates in the design position, in world
//! coordinates (W). Two steps make the system:
//!
//! 1. [`Mechanism::layout`] selects the spanning tree and numbers bodies and coordinates. The [`Layout`] converts
//!    points of W to body frames and joints to [`CoordinateIx`], which force elements and outputs need.
//! 2. [`Layout::build`] receives force elements and outputs and assembles the mechanism. [`Layout::system`] stops
//!    before the assembly, in the design position.
//!
//! | stage | result |
//! |---|---|
//! | `checks` | rejects references and numbers that are not valid |
//! | `graph` | the spanning tree, numbers of bodies; rejects mechanisms without a tree |
//! | `design` | bodies, points and axes of joints in the design position |
//! | `numbering` | tree joints and flexible bodies with the numbers of their coordinates |
//! | `motion` | driven coordinates; the start position, with requests |
//! | `constraints` | closure rows of cuts and connections |
//! | `blocks` | closure rows sorted into blocks |
//! | `references` | rejects elements and outputs that refer to missing parts |
//! | `clusters` | clusters that are eliminated together |
//! | [`crate::assembly`] | closed loops, ranks of blocks, consistent speeds |
//!
//! A stage uses the results of earlier stages only. Verified by: crates/solver/tests/mechanisms, and by every model
//! file, which is compiled by these stages.

mod blocks;
mod checks;
mod clusters;
mod constraints;
mod design;
mod graph;
mod layout;
mod motion;
mod numbering;
mod parts;
mod readings;
mod references;

pub use checks::{BuildError, Defect, InvalidMechanism, PERPENDICULAR};
pub use layout::Layout;
pub use parts::{
    BodyRef, Connection, ConnectionKind, Driven, FlexibleBody, Joint, JointCoordinate, JointRef, RigidBody,
};
pub use readings::Reading;

use crate::math::Vec3;
use crate::system::{AugmentedLagrangian, Implicit, InputInfo, Integrator, ParameterInfo};
use alloc::{string::String, vec::Vec};

#[allow(unused_imports)] // For links.
use crate::{force::CoordinateIx, system::System};

/// Halvings of a step, down to a sixteenth.
const STEP_HALVINGS: u32 = 4;
/// Spectral radius of the generalized-alpha method at infinite frequency.
const SPECTRAL_RADIUS: f64 = 0.8;

/// A mechanism in the design position.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Name of the system.
    pub name: String,
    /// Rigid bodies.
    pub bodies: Vec<RigidBody>,
    /// Flexible bodies.
    pub flexible: Vec<FlexibleBody>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Rods, points on lines and in planes, curves on curves, couplers.
    pub connections: Vec<Connection>,
    /// Coordinates with a prescribed motion.
    pub driven: Vec<Driven>,
    /// Inputs, to which coefficients and prescribed motions refer by index.
    pub inputs: Vec<InputInfo>,
    /// Parameters, to which coefficients refer by index.
    pub parameters: Vec<ParameterInfo>,
    /// Acceleration of gravity in W, m/s².
    pub gravity: Vec3,
    /// Length of an internal step, s.
    pub step: f64,
    /// Scheme of integration.
    pub integrator: Integrator,
    /// Largest number of halvings of a step.
    pub step_halvings: u32,
    /// Spectral radius of the generalized-alpha method at infinite frequency.
    pub spectral_radius: f64,
    /// Forces that the generalized-alpha method treats implicitly.
    pub implicit: Implicit,
    /// Settings of the augmented Lagrangian.
    pub augmented: AugmentedLagrangian,
    /// Time of the start, s.
    pub start_time: f64,
}

impl Default for Mechanism {
    /// Earth's gravity along −z, `rk4` with steps of 1 ms, no bodies.
    fn default() -> Mechanism {
        Mechanism {
            name: String::new(),
            bodies: Vec::new(),
            flexible: Vec::new(),
            joints: Vec::new(),
            connections: Vec::new(),
            driven: Vec::new(),
            inputs: Vec::new(),
            parameters: Vec::new(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            step: 1e-3,
            integrator: Integrator::Rk4,
            step_halvings: STEP_HALVINGS,
            spectral_radius: SPECTRAL_RADIUS,
            implicit: Implicit::default(),
            augmented: AugmentedLagrangian::default(),
            start_time: 0.0,
        }
    }
}

impl Mechanism {
    /// Adds a rigid body: `mass` in kg, `centre` of mass in W, m, principal moments of `inertia` about axes parallel to
    /// W, kg m².
    pub fn add_body(&mut self, name: &str, mass: f64, centre: Vec3, inertia: [f64; 3]) -> BodyRef {
        let inertia = crate::math::Mat3::from_diagonal(&Vec3::from(inertia));
        self.bodies.push(RigidBody { name: name.into(), mass, centre: Some(centre), inertia });
        BodyRef::Rigid(self.bodies.len() - 1)
    }

    /// Adds a joint.
    pub fn add_joint(&mut self, joint: Joint) -> JointRef {
        self.joints.push(joint);
        JointRef(self.joints.len() - 1)
    }

    /// Adds a connection.
    pub fn add_connection(&mut self, name: &str, kind: ConnectionKind) {
        self.connections.push(Connection { name: name.into(), kind });
    }
}
