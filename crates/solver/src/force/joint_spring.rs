//! Spring-damper on a joint coordinate: torsional on an angle, translational on a travel.
//!
//! # Frames
//!
//! The frames of the joint: q is the coordinate of the second body relative to the first, zero in the design position,
//! not wrapped to one turn; v is its rate.
//!
//! # Law
//!
//! With the deflection e = q − q₀ the spring's effort (N m or N), positive like the tension of a stretched spring, is
//!
//! ```text
//!     T = k e + T₀ + c v          (k e and c v may each be a table: linear between rows and beyond them)
//! ```
//!
//! and −T is added to the generalized force on q: the element resists positive deflection.
//!
//! # Energy
//!
//! Potential ½ k e² + T₀ e, or ∫₀ᵉ table + T₀ e: zero at q₀. Dissipated power: c v².
//!
//! # Limits and choice of parameters
//!
//! A torsion bar that carries the moment M in the design position has `preload = M`, or `free_position` = −M/k. The
//! characteristic may have any shape; for explicit fixed steps see [`super::spring`].
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, balance of powers, values by hand.

use super::{
    Characteristic, Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Quantity,
    SpringReadout, Surroundings, Tangent,
};
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Spring-damper on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct JointSpring {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Effort over deflection, N m over rad or N over m.
    pub stiffness: Characteristic,
    /// Effort over speed, N m over rad/s or N over m/s.
    pub damping: Characteristic,
    /// Coordinate at which the deflection is zero, rad or m.
    pub free_position: Coefficient,
    /// Effort added at every position, N m or N.
    pub preload: Coefficient,
}

impl JointSpring {
    fn deflection<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        s.position(self.coordinate) - s.value(&self.free_position)
    }

    fn elastic<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.stiffness.value(s, self.deflection(s)) + s.value(&self.preload)
    }
}

impl ForceLaw for JointSpring {
    /// Adds the effort on the coordinate, and the damper's power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let speed = s.speed(self.coordinate);
        let damping = self.damping.value(s, speed);
        loads.add_effort(self.coordinate, -(self.elastic(s) + damping));
        loads.dissipated_power += damping * speed;
    }

    /// Stored energy, J; zero at the free position.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let deflection = self.deflection(s);
        self.stiffness.integral(s, deflection) + s.value(&self.preload) * deflection
    }

    /// Deflection, speed, and effort against positive deflection.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let speed = s.speed(self.coordinate);
        SpringReadout { length: self.deflection(s), speed, force: self.elastic(s) + self.damping.value(s, speed) }
    }
}

impl ForceElement for JointSpring {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    /// Stiffness and damping of the coordinate.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        visit(&Tangent {
            direction: Direction::Coordinate(self.coordinate),
            stiffness: self.stiffness.slope(s, self.deflection(s)),
            damping: self.damping.slope(s, s.speed(self.coordinate)),
        });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([&self.stiffness, &self.damping].into_iter().filter_map(|c| c.coefficient()));
        list.add_coefficients([self.free_position, self.preload]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{Element, Table};

    fn spring() -> JointSpring {
        JointSpring {
            name: "torsion".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            stiffness: Characteristic::Linear(Coefficient::Value(40.0)),
            damping: Characteristic::Linear(Coefficient::Value(3.0)),
            free_position: Coefficient::Value(0.25),
            preload: Coefficient::Value(-6.0),
        }
    }

    fn tabular() -> JointSpring {
        let force = Table::new(&[[-1.0, -90.0], [-0.1, -5.0], [0.3, 8.0], [1.0, 70.0]]);
        let damping = Table::new(&[[-2.0, -9.0], [0.0, 0.0], [2.0, 4.0]]);
        JointSpring { stiffness: Characteristic::Table(force), damping: Characteristic::Table(damping), ..spring() }
    }

    #[test]
    fn effort_is_the_negative_gradient_of_the_potential() {
        elements::force_is_the_negative_gradient(&Element::JointSpring(spring()));
        elements::force_is_the_negative_gradient(&Element::JointSpring(tabular()));
    }

    #[test]
    fn powers_balance_and_the_damper_takes_power() {
        elements::powers_balance(&Element::JointSpring(spring()));
        elements::powers_balance(&Element::JointSpring(tabular()));
        elements::dissipates(&Element::JointSpring(spring()));
        elements::dissipates(&Element::JointSpring(tabular()));
    }

    #[test]
    fn effort_opposes_deflection_and_speed_by_the_amount_computed_by_hand() {
        let mut scene = Scene::at_rest();
        (scene.q[2], scene.v[1]) = (0.75, 2.0);
        let loads = scene.loads(&Element::JointSpring(spring()));
        elements::close(loads.efforts[1], -(40.0 * 0.5 - 6.0 + 3.0 * 2.0), 1e-13);
        elements::close(loads.dissipated_power, 12.0, 1e-13);
        let readout = spring().readout(&scene.surroundings());
        assert_eq!((readout.length, readout.speed, readout.force), (0.5, 2.0, 20.0));
        elements::close(spring().potential(&scene.surroundings()), 0.5 * 40.0 * 0.25 - 6.0 * 0.5, 1e-13);
    }
}
