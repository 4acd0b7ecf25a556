//! Regularised dry and viscous friction on a joint coordinate.
//!
//! # Law
//!
//! ```text
//!     effort = −( f tanh(v / v_s) + c v )
//! ```
//!
//! with the coordinate's speed v, dry friction f, viscous friction c and the regularisation speed v_s, at which the dry
//! part has reached tanh 1 = 76 %; at 3 v_s it has 99.5 %.
//!
//! # Energy
//!
//! No potential. Dissipated power: f v tanh(v / v_s) + c v² ≥ 0 for f, c ≥ 0.
//!
//! # Limits
//!
//! There is no sticking: below f the coordinate creeps at v = v_s artanh(load / f), about v_s · load / f. f is the friction
//! of the joint as a number; it does not follow the joint's reaction force. For v_s = 0 the law is f sign(v), zero at
//! rest, which fixed steps answer with chatter.
//!
//! # Choosing the parameters
//!
//! v_s below the speeds that matter, but not smaller than needed: at rest the element is a damper with f / v_s + c, and an
//! explicit fixed step h on an inertia m needs about h (f / v_s + c) / m < 1.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, sign, values by hand, no regularisation.

use super::{Coefficient, CoordinateIx, Direction, Loads, Lookup, Surroundings, Tangent};
use crate::math::elementary::tanh;
use crate::model::schema;

/// Friction on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// f in N m or N.
    pub coulomb: Coefficient,
    /// v_s in rad/s or m/s.
    pub regularisation: Coefficient,
    /// c in N m s/rad or N s/m.
    pub viscous: Coefficient,
}

impl Friction {
    /// The friction of a validated table of the model file. Without dry friction `regularisation` is not needed.
    pub fn build(friction: &schema::Friction, lookup: &dyn Lookup) -> Self {
        let regularisation = friction.regularisation.as_ref().map(|number| lookup.coefficient(number));
        Friction {
            name: friction.name.clone(),
            coordinate: lookup.coordinate(&friction.joint, friction.coordinate.as_deref()),
            coulomb: lookup.coefficient(&friction.coulomb),
            regularisation: regularisation.unwrap_or(Coefficient::Value(1.0)),
            viscous: lookup.coefficient(&friction.viscous),
        }
    }

    /// Adds the effort and the power it takes.
    pub fn add_loads(&self, s: &Surroundings, loads: &mut Loads) {
        let speed = s.speed(self.coordinate);
        let resistance = s.value(&self.coulomb) * self.sign(s, speed) + s.value(&self.viscous) * speed;
        loads.add_effort(self.coordinate, -resistance);
        loads.dissipated_power += resistance * speed;
    }

    /// Damping c + f / v_s · (1 − tanh²(v / v_s)) of the coordinate.
    pub(super) fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let (speed, regularisation) = (s.speed(self.coordinate), s.value(&self.regularisation));
        let sign = self.sign(s, speed);
        let dry =
            if regularisation > 0.0 { s.value(&self.coulomb) / regularisation * (1.0 - sign * sign) } else { 0.0 };
        let damping = s.value(&self.viscous) + dry;
        visit(&Tangent { direction: Direction::Coordinate(self.coordinate), stiffness: 0.0, damping });
    }

    /// Coefficients that may be parameters or inputs.
    pub(super) fn coefficients(&self) -> Vec<Coefficient> {
        vec![self.coulomb, self.regularisation, self.viscous]
    }

    /// tanh(v / v_s), or its limit for v_s → 0.
    fn sign(&self, s: &Surroundings, speed: f64) -> f64 {
        let regularisation = s.value(&self.regularisation);
        if regularisation > 0.0 {
            tanh(speed / regularisation)
        } else if speed == 0.0 {
            0.0
        } else {
            speed.signum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::Element;
    use crate::force::check::{self, Scene};

    fn friction(regularisation: f64) -> Element {
        Element::Friction(Friction {
            name: "seal".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            coulomb: Coefficient::Value(8.0),
            regularisation: Coefficient::Value(regularisation),
            viscous: Coefficient::Value(0.5),
        })
    }

    #[test]
    fn friction_only_takes_power_and_the_balance_holds() {
        for regularisation in [0.0, 0.01, 1.0] {
            check::powers_balance(&friction(regularisation));
            check::dissipates(&friction(regularisation));
        }
    }

    #[test]
    fn effort_is_the_one_computed_by_hand() {
        let mut scene = Scene::at_rest();
        scene.v[1] = -0.02;
        check::close(scene.loads(&friction(0.02)).efforts[1], 8.0 * 0.761594155955765 + 0.01, 1e-13);
        scene.v[1] = 1e3;
        check::close(scene.loads(&friction(0.02)).efforts[1], -508.0, 0.0);
    }

    #[test]
    fn without_regularisation_the_effort_is_the_sign_of_the_speed_and_zero_at_rest() {
        let mut scene = Scene::at_rest();
        assert_eq!(scene.loads(&friction(0.0)).efforts[1], 0.0);
        scene.v[1] = 2.0;
        assert_eq!(scene.loads(&friction(0.0)).efforts[1], -9.0);
        scene.v[1] = -2.0;
        assert_eq!(scene.loads(&friction(0.0)).efforts[1], 9.0);
    }
}
