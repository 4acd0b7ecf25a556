//! Force elements: their inputs, their results, and the list of all kinds.
//!
//! A force element reads poses, velocities, joint coordinates, parameters and inputs ([`Surroundings`]) and adds
//! wrenches on bodies and efforts on joint coordinates ([`Loads`]). Elements with memory (dry friction, relaxation of
//! tyres) have states among the auxiliary states of the system and write their rates too. Gravity is not an element: it
//! belongs to the inertia.
//!
//! # Kinds
//!
//! | table of the file  | module           | acts on                | stores | dissipates | input work |
//! |--------------------|------------------|------------------------|--------|------------|------------|
//! | `[[spring]]`       | [`spring`]       | points of two bodies   | yes    | yes        |            |
//! | `[[joint_spring]]` | [`joint_spring`] | a joint coordinate     | yes    | yes        |            |
//! | `[[bushing]]`      | [`bushing`]      | frames of two bodies   | yes    | yes        |            |
//! | `[[bump_stop]]`    | [`bump_stop`]    | a coordinate, points   | yes    | yes        |            |
//! | `[[force]]`        | [`applied`]      | a point of a body      |        |            | yes        |
//! | `[[torque]]`       | [`applied`]      | a body                 |        |            | yes        |
//! | `[[friction]]`     | [`friction`]     | a joint coordinate     | yes    | yes        |            |
//! | `[[drive]]`        | [`drive`]        | a joint coordinate     |        |            | yes        |
//! | `[[cable]]`        | [`cable`]        | points of bodies       | yes    | yes        | yes        |
//! | `[[freewheel]]`    | [`freewheel`]    | a joint coordinate     | yes    | yes        |            |
//! | `[[ball_stop]]`    | [`ball_stop`]    | rotation of two bodies | yes    | yes        |            |
//! | `[[expression]]`   | [`expression`]   | a coordinate, points   |        |            | yes        |
//! | `[[tyre]]`         | [`tyre`]         | a wheel, at the road   | yes    | yes        |            |
//! | `[[contact]]`      | [`contact`]      | points and a surface   | yes    | yes        |            |
//! | `[[solid_contact]]` | [`solids`]      | solids of bodies       | yes    | yes        | yes        |
//!
//! Elements of vehicles (dampers, leaf springs, air springs, brakes ...) are listed in [`vehicle`].
//!
//! # Power
//!
//! With the wrench w_i and the velocity Z_i of every body, the effort τ_j and the speed v_j of every coordinate, every
//! element satisfies at every instant, for coefficients that do not change,
//!
//! ```text
//!     Σ w_i · Z_i + Σ τ_j v_j = −d(potential)/dt − dissipated_power + input_power,
//! ```
//!
//! so that kinetic + potential + dissipated energy − input work is constant. A tunable coefficient that changes while
//! an elastic element is deformed changes the stored energy immediately. This work is not accounted for, so the balance
//! jumps by the difference.
//!
//! # Cost and real-time properties
//!
//! After construction, no element allocates, iterates without bound or panics. Finite input gives finite output if the
//! squares of its numbers can be represented (for example lengths from 1e-150 m to 1e150 m).
//!
//! # Tests
//!
//! `check.rs` verifies for every element: force = −∂potential/∂position, the balance of powers, action = reaction, and
//! independence of the world's axes and origin, of a common motion of the scene, and of the reference points o, each
//! where it applies.

pub(crate) mod applied;
pub mod ball_stop;
pub(crate) mod bristle;
pub mod bump_stop;
pub mod bushing;
pub mod cable;
mod characteristic;
pub mod contact;
pub(crate) mod drive;
mod element;
pub mod expression;
pub mod freewheel;
pub(crate) mod friction;
pub(crate) mod joint_spring;
mod line;
mod marker;
mod quantity;
pub mod road;
pub mod solids;
pub(crate) mod spring;
mod tangent;
pub mod tyre;
pub mod vehicle;

pub use applied::{Axes, Force, Torque};
pub use ball_stop::BallStop;
pub use bristle::{Bristle, Bristles};
pub use bump_stop::BumpStop;
pub use bushing::{Breaking, Bushing, BushingReadout};
pub use cable::{Cable, CableSense};
pub use characteristic::Characteristic;
pub use contact::{Contact, ContactReadout};
pub use drive::{Drive, Feedback};
pub use element::inputs_of;
pub use element::{Connections, Element, ForceElement, ForceLaw};
pub use expression::Expression;
pub use freewheel::Freewheel;
pub use friction::{Friction, LoadFriction};
pub use joint_spring::JointSpring;
pub use marker::Marker;
pub use quantity::{Quantity, Value, Values};
pub use solids::SolidContact;
pub use spring::{Spring, SpringReadout};
pub use tangent::{Direction, Tangent};
pub use tyre::{Tyre, TyreReadout};

pub use crate::math::interpolation::Table;

use crate::math::Vec3;
use crate::math::scalar::Scalar;
use crate::math::spatial::{BodyMotion, Wrench};

/// Index of a body in [`Surroundings::bodies`]; 0 is the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct BodyIx(pub usize);

/// A scalar joint coordinate: its index among the positions q and among the velocities ż.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct CoordinateIx {
    /// Index into q.
    pub position: usize,
    /// Index into ż.
    pub velocity: usize,
}

/// A coefficient that may be tunable, or a signal that may be an input.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Coefficient {
    /// Fixed value.
    Value(f64),
    /// Parameter with this index.
    Parameter(usize),
    /// Input with this index.
    Input(usize),
}

/// Quantities that a force element may read at one instant.
pub struct Surroundings<'a, S = f64> {
    /// Pose and velocity of every body.
    pub bodies: &'a [BodyMotion<S>],
    /// Positions q.
    pub q: &'a [S],
    /// Velocities ż.
    pub v: &'a [S],
    /// Present values of all parameters.
    pub parameters: &'a [S],
    /// Present values of all inputs.
    pub inputs: &'a [S],
    /// Auxiliary states of the system, including the states of the elements.
    pub auxiliary: &'a [S],
    /// Time, s.
    pub time: S,
}

impl<S: Scalar> Surroundings<'_, S> {
    /// Present value of a coefficient.
    pub fn value(&self, coefficient: &Coefficient) -> S {
        match *coefficient {
            Coefficient::Value(value) => S::from_f64(value),
            Coefficient::Parameter(index) => self.parameters[index],
            Coefficient::Input(index) => self.inputs[index],
        }
    }
    /// Present values of three coefficients.
    pub(crate) fn values(&self, coefficients: &[Coefficient; 3]) -> Vec3<S> {
        Vec3::new(self.value(&coefficients[0]), self.value(&coefficients[1]), self.value(&coefficients[2]))
    }
    /// Pose and velocity of a body.
    pub fn body(&self, body: BodyIx) -> &BodyMotion<S> {
        &self.bodies[body.0]
    }
    /// Position of a joint coordinate, rad or m.
    pub(crate) fn position(&self, coordinate: CoordinateIx) -> S {
        self.q[coordinate.position]
    }
    /// Speed of a joint coordinate, rad/s or m/s.
    pub(crate) fn speed(&self, coordinate: CoordinateIx) -> S {
        self.v[coordinate.velocity]
    }
}

/// Sums to which force elements add.
pub struct Loads<'a, S = f64> {
    /// Wrench on every body, about its branch's reference point o, world axes. Entry 0 (ground) is summed too.
    pub wrenches: &'a mut [Wrench<S>],
    /// Generalized force on every velocity coordinate.
    pub efforts: &'a mut [S],
    /// Power dissipated by dampers and friction, W (≥ 0).
    pub dissipated_power: S,
    /// Power of applied forces, torques and drives, W.
    pub input_power: S,
    /// Rates of the auxiliary states; every element writes the rates of its own states.
    pub rates: &'a mut [S],
    /// Results of tyres for outputs: one entry per tyre of the system, two for twin tyres, `None` for a wheel that lies
    /// flat. May be empty if no output reads it.
    pub patches: &'a mut [Option<tyre::Patch<S>>],
}

impl<S: Scalar> Loads<'_, S> {
    /// Adds `force` (world axes, N) at the point `r` from the body's o.
    pub(crate) fn add_force(&mut self, body: BodyIx, r: &Vec3<S>, force: Vec3<S>) {
        self.wrenches[body.0] += Wrench::at(r, force);
    }
    /// Adds a couple (world axes, N m).
    pub(crate) fn add_torque(&mut self, body: BodyIx, torque: Vec3<S>) {
        self.wrenches[body.0] += Wrench::couple(torque);
    }
    /// Adds an effort (N m or N) to a joint coordinate.
    pub(crate) fn add_effort(&mut self, coordinate: CoordinateIx, effort: S) {
        self.efforts[coordinate.velocity] += effort;
    }
}
