//! The load of an externally computed tyre.
//!
//! # Law
//!
//! Inputs: a point P of the world (m), a force F (N) and a moment M about P (N m), all in world axes. On the wheel acts
//! the force F along the line through P, and the couple M:
//!
//! ```text
//!     w = (F; M + (P − o) × F)      about the reference point o of the wheel's branch.
//! ```
//!
//! The reaction is not applied, because the road is external too.
//!
//! # Energy
//!
//! No potential. The power F · v_P + M · ω (v_P: velocity of the wheel's material at P) is input power.
//!
//! # Limits
//!
//! P is held constant while the wheel rolls, unless the importer provides its derivative: at 20 m/s and 1 ms the lever
//! of the wheel load about the hub is otherwise wrong by up to 20 mm.

use crate::force::{BodyIx, Coefficient, Connections, ForceElement, ForceLaw, Loads, Surroundings};
use crate::math::Vec3;
use crate::math::scalar::{Scalar, lift};
use alloc::string::String;

/// A wheel under an external load.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct WheelPort {
    /// Name in the model file.
    pub name: String,
    /// The wheel.
    pub wheel: BodyIx,
    /// World coordinates of the model's origin, m.
    pub origin: Vec3,
    /// P, F and M.
    pub load: [[Coefficient; 3]; 3],
}

impl ForceLaw for WheelPort {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let body = s.body(self.wheel);
        let [point, force, moment] = self.load.each_ref().map(|vector| s.values(vector));
        let point = point - lift(&self.origin) - body.reference;
        loads.add_force(self.wheel, &point, force);
        loads.add_torque(self.wheel, moment);
        loads.input_power += force.dot(&body.velocity.at(&point)) + moment.dot(&body.velocity.ang);
    }
}

impl ForceElement for WheelPort {
    fn name(&self) -> &str {
        &self.name
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.wheel]);
        list.add_coefficients(self.load.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn port() -> Element {
        let load = [[1.0, -2.0, 0.3], [40.0, 5.0, 60.0], [0.7, -0.8, 0.9]].map(|vector| vector.map(Coefficient::Value));
        let origin = Vec3::new(0.1, 0.2, -0.3);
        Element::WheelPort(WheelPort { name: "wheel".into(), wheel: BodyIx(2), origin, load })
    }

    #[test]
    fn its_work_is_input_work_and_no_reference_point_matters() {
        elements::powers_balance(&port());
        elements::independent_of_reference_points(&port());
    }

    #[test]
    fn the_force_acts_at_a_point_of_the_world() {
        let mut scene = Scene::at_rest();
        scene.bodies[2].reference = Vec3::new(7.0, 8.0, 9.0);
        let wrench = scene.loads(&port()).wrenches[2];
        let r = Vec3::new(1.0 - 7.1, -2.0 - 8.2, 0.3 - 8.7);
        assert_eq!(wrench.force, Vec3::new(40.0, 5.0, 60.0));
        elements::close_vector(&wrench.moment, &(r.cross(&wrench.force) + Vec3::new(0.7, -0.8, 0.9)), 1e-12);
    }
}
