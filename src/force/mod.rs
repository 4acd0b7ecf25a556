//! Force elements: what they read, what they write, and the list of all kinds (skeleton).

use crate::math::Vec3;
use crate::math::spatial::{BodyMotion, Wrench};

/// Index of a body in [`Surroundings::bodies`]; 0 is the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyIx(pub usize);

/// A scalar joint coordinate: its index among the positions q and among the velocities ż.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinateIx {
    /// Index into q.
    pub position: usize,
    /// Index into ż.
    pub velocity: usize,
}

/// A coefficient that may be tunable, or a signal that may be an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coefficient {
    /// Fixed value.
    Value(f64),
    /// Parameter with this index.
    Parameter(usize),
    /// Input with this index.
    Input(usize),
}

/// What a force element may read at one instant.
pub struct Surroundings<'a> {
    /// Pose and velocity of every body.
    pub bodies: &'a [BodyMotion],
    /// Positions q.
    pub q: &'a [f64],
    /// Velocities ż.
    pub v: &'a [f64],
    /// Present values of all parameters.
    pub parameters: &'a [f64],
    /// Present values of all inputs.
    pub inputs: &'a [f64],
}

impl Surroundings<'_> {
    /// Present value of a coefficient.
    pub fn value(&self, coefficient: &Coefficient) -> f64 {
        match *coefficient {
            Coefficient::Value(value) => value,
            Coefficient::Parameter(index) => self.parameters[index],
            Coefficient::Input(index) => self.inputs[index],
        }
    }
}

/// What force elements add to.
pub struct Loads<'a> {
    /// Wrench on every body, about its branch's reference point o, world axes. Entry 0 (ground) is collected too.
    pub wrenches: &'a mut [Wrench],
    /// Generalized force on every velocity coordinate.
    pub efforts: &'a mut [f64],
    /// Power taken by dampers and friction, W (≥ 0).
    pub dissipated_power: f64,
    /// Power of applied forces, torques and drives, W.
    pub input_power: f64,
}

impl Loads<'_> {
    /// Adds `force` (world axes, N) at the point `r` from the body's o.
    pub fn add_force(&mut self, body: BodyIx, r: &Vec3, force: Vec3) {
        self.wrenches[body.0] += Wrench::at(r, force);
    }
    /// Adds a couple (world axes, N m).
    pub fn add_torque(&mut self, body: BodyIx, torque: Vec3) {
        self.wrenches[body.0] += Wrench::couple(torque);
    }
}

/// Names of a model, resolved to indices, as force builders need them. The system's compiler implements it.
pub trait Lookup {
    /// Index of a body by name (`ground` is 0). The name was validated.
    fn body(&self, name: &str) -> BodyIx;
    /// A place of the design position in coordinates of the body's frame B (relative to its centre of mass), m.
    fn body_point(&self, body: BodyIx, place: &crate::model::schema::Place) -> Vec3;
    /// A place of the design position from the model's origin, m.
    fn place(&self, place: &crate::model::schema::Place) -> Vec3;
    /// A joint coordinate; the names were validated. `None` for the name means the only coordinate.
    fn coordinate(&self, joint: &str, coordinate: Option<&str>) -> CoordinateIx;
    /// A number with fixed parameters substituted.
    fn number(&self, number: &crate::model::schema::Number) -> f64;
    /// A coefficient: a value, a fixed parameter's value, a tunable parameter, or an input.
    fn coefficient(&self, number: &crate::model::schema::Number) -> Coefficient;
}
