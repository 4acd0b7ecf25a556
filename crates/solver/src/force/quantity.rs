//! Quantities of force elements for outputs, and their values.

use super::SpringReadout;
use crate::math::Vec3;
use crate::math::scalar::Scalar;

/// A quantity of a force element. Each kind lists its own in [`ForceElement::quantities`](super::ForceElement).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Quantity {
    /// Length of a spring, m, or deflection of a spring at a coordinate, rad or m.
    Length,
    /// Rate of the length.
    Speed,
    /// Force of a spring, positive in tension, N or N m; vector for other elements, N.
    Force,
    /// Torque of a bushing or tyre, N m, vector.
    Torque,
    /// Torque or force of a drive, brake, speed control or powertrain element, N m or N.
    Effort,
    /// Effort times speed, W.
    Power,
    /// Absolute pressure of an air spring, Pa.
    Pressure,
    /// Gear of a gearbox; a value between two gears during a shift.
    Gear,
    /// Deformation of a bushing in its own axes, m, vector.
    Deformation,
    /// Contact point of a tyre in W, m, vector.
    ContactPoint,
    /// Slip κ of a tyre.
    LongitudinalSlip,
    /// Slip angle α of a tyre, rad.
    SlipAngle,
    /// Camber γ of a tyre, rad.
    Camber,
    /// Deflection δ of a tyre, m.
    Deflection,
    /// Loaded radius R_l of a tyre, m.
    LoadedRadius,
    /// Sum of the normal forces of a contact, N.
    NormalForce,
    /// Smallest distance in a contact, m; negative during penetration.
    Distance,
    /// Position s of a driver along the path, m.
    PathPosition,
    /// Distance of a driver from the path, m, positive to the left.
    PathError,
    /// Steering wheel angle of a driver, rad.
    SteeringAngle,
    /// Target speed of a driver, m/s.
    TargetSpeed,
    /// Brake demand of a driver, 0 to 1.
    BrakeDemand,
}

/// Number of quantities.
const COUNT: usize = Quantity::BrakeDemand as usize + 1;

impl Quantity {
    /// Quantities of springs.
    pub(crate) const OF_SPRINGS: &'static [Quantity] = &[Quantity::Length, Quantity::Speed, Quantity::Force];
    /// Quantities of drives.
    pub(crate) const OF_DRIVES: &'static [Quantity] = &[Quantity::Effort, Quantity::Power];
    /// Quantities of contacts.
    pub(crate) const OF_CONTACTS: &'static [Quantity] = &[Quantity::Force, Quantity::NormalForce, Quantity::Distance];
}

/// Value of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<S = f64> {
    /// A number.
    Scalar(S),
    /// A vector in the axes of W.
    World(Vec3<S>),
    /// A vector in axes of the element.
    Own(Vec3<S>),
}

/// Values of the quantities of one element.
pub struct Values<S = f64>([Value<S>; COUNT]);

/// All values are 0.
impl<S: Scalar> Default for Values<S> {
    fn default() -> Values<S> {
        Values([Value::Scalar(S::zero()); COUNT])
    }
}

impl<S: Scalar> Values<S> {
    /// The value of a quantity.
    pub fn get(&self, quantity: Quantity) -> Value<S> {
        self.0[quantity as usize]
    }

    /// Sets a scalar quantity.
    pub fn set(&mut self, quantity: Quantity, value: S) {
        self.0[quantity as usize] = Value::Scalar(value);
    }

    /// Sets a vector in the axes of W.
    pub fn set_vector(&mut self, quantity: Quantity, value: Vec3<S>) {
        self.0[quantity as usize] = Value::World(value);
    }

    /// Sets a vector in axes of the element.
    pub fn set_own_vector(&mut self, quantity: Quantity, value: Vec3<S>) {
        self.0[quantity as usize] = Value::Own(value);
    }

    /// Sets the quantities of a spring or drive.
    pub fn set_spring(&mut self, readout: &SpringReadout<S>) {
        self.set(Quantity::Length, readout.length);
        self.set(Quantity::Speed, readout.speed);
        self.set(Quantity::Force, readout.force);
        self.set(Quantity::Effort, readout.force);
        self.set(Quantity::Power, readout.force * readout.speed);
    }
}
