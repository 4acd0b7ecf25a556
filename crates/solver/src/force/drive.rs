//! Drive: a torque or force on a joint coordinate.
//!
//! # Law
//!
//! effort = gain · value is added to the generalized force on the coordinate: it acts on the joint's second body along
//! positive q and, as reaction, on the first. The value is a number, a parameter or an input; both may be tunable.
//!
//! # Energy
//!
//! No potential. Input power: effort · v.
//!
//! # Limits and choice of parameters
//!
//! An ideal source of effort without inertia or limits. Model the rotor of a motor as a body, and its losses as a
//! friction on the same coordinate. `gain` may be a transmission ratio or reverse the sign.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, values by hand.

use super::{
    Coefficient, Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Quantity, SpringReadout, Surroundings,
};
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Torque or force on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Drive {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Effort before the gain, N m or N.
    pub value: Coefficient,
    /// Gain.
    pub gain: Coefficient,
}

impl Drive {
    /// Effort on the coordinate, N m or N.
    pub(crate) fn effort<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        s.value(&self.gain) * s.value(&self.value)
    }

    /// Power supplied to the mechanism, W.
    pub(crate) fn power<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.effort(s) * s.speed(self.coordinate)
    }
}

impl ForceLaw for Drive {
    /// Adds the effort and its power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        loads.add_effort(self.coordinate, self.effort(s));
        loads.input_power += self.power(s);
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (length, speed) = (s.position(self.coordinate), s.speed(self.coordinate));
        SpringReadout { length, speed, force: self.effort(s) }
    }
}

impl ForceElement for Drive {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.value, self.gain]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    #[test]
    fn drive_acts_along_the_coordinate_and_its_work_is_input_work() {
        let drive = Drive {
            name: "motor".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            value: Coefficient::Input(1),
            gain: Coefficient::Parameter(0),
        };
        elements::powers_balance(&Element::Drive(drive.clone()));
        let mut scene = Scene::at_rest();
        (scene.inputs[1], scene.parameters[0], scene.v[1]) = (3.0, -2.0, 0.5);
        assert_eq!(drive.effort(&scene.surroundings()), -6.0);
        assert_eq!(drive.power(&scene.surroundings()), -3.0);
        let loads = scene.loads(&Element::Drive(drive));
        assert_eq!((loads.efforts[1], loads.input_power, loads.dissipated_power), (-6.0, -3.0, 0.0));
    }
}
