//! Forces at a point of a body and torques on a body, from numbers, parameters or inputs.
//!
//! # Frames
//!
//! The components are given in the axes of the world W or of the body's frame B. B has the axes of W in the design
//! position and turns with the body.
//!
//! # Law
//!
//! `[[force]]`: F = value (world) or R_WB · value (body) acts at a point P fixed in the body. `[[torque]]`: a couple.
//! The reaction is not applied to anything: these are loads from outside the mechanism.
//!
//! # Energy
//!
//! No potential, even if the value is constant. Input power: F · v_P and T · ω.
//!
//! # Limits and choice of values
//!
//! Inputs are held constant over one communication step, or extrapolated if the importer provides derivatives. Their
//! work is the work of that signal. A load between two bodies needs one entry for each, or a drive on their joint. Use
//! gravity for weight, because gravity has a potential.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, frames, values by hand.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::{BodyIx, Coefficient, Connections, ForceElement, ForceLaw, Loads, Marker, Surroundings};
use crate::math::Vec3;
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Axes of the components of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Axes {
    /// The global frame W.
    #[default]
    World,
    /// The frame of the body.
    Body,
}

/// A force at a point of a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Force {
    /// Name in the model file.
    pub name: String,
    /// Point of application.
    pub point: Marker,
    /// Components, N.
    pub value: [Coefficient; 3],
    /// Axes of the components.
    pub axes: Axes,
}

/// A torque on a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Torque {
    /// Name in the model file.
    pub name: String,
    /// The body.
    pub body: BodyIx,
    /// Components, N m.
    pub value: [Coefficient; 3],
    /// Axes of the components.
    pub axes: Axes,
}

impl ForceLaw for Force {
    /// Adds the force and its power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let f_W = in_world(s, self.point.body, &self.value, self.axes);
        loads.add_force(self.point.body, &self.point.position(s), f_W);
        loads.input_power += f_W.dot(&self.point.velocity(s));
    }
}

impl ForceElement for Force {
    fn name(&self) -> &str {
        &self.name
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.point.body]);
        list.add_coefficients(self.value);
    }
}

impl ForceLaw for Torque {
    /// Adds the couple and its power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let t_W = in_world(s, self.body, &self.value, self.axes);
        loads.add_torque(self.body, t_W);
        loads.input_power += t_W.dot(&s.body(self.body).velocity.ang);
    }
}

impl ForceElement for Torque {
    fn name(&self) -> &str {
        &self.name
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.body]);
        list.add_coefficients(self.value);
    }
}

/// Components in `axes` as a vector in world axes.
fn in_world<S: Scalar>(s: &Surroundings<S>, body: BodyIx, value: &[Coefficient; 3], axes: Axes) -> Vec3<S> {
    let components = s.values(value);
    match axes {
        Axes::World => components,
        Axes::Body => s.body(body).rotation * components,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;
    use crate::math::rotation;

    const VALUE: [Coefficient; 3] = [Coefficient::Value(4.0), Coefficient::Parameter(1), Coefficient::Input(0)];

    fn force(axes: Axes) -> Element {
        let point = Marker { body: BodyIx(2), point: Vec3::new(0.3, 0.1, -0.7) };
        Element::Force(Force { name: "push".into(), point, value: VALUE, axes })
    }

    fn torque(axes: Axes) -> Element {
        Element::Torque(Torque { name: "twist".into(), body: BodyIx(1), value: VALUE, axes })
    }

    #[test]
    fn work_of_applied_loads_is_input_work() {
        for axes in [Axes::World, Axes::Body] {
            elements::powers_balance(&force(axes));
            elements::powers_balance(&torque(axes));
        }
    }

    #[test]
    fn loads_in_body_axes_turn_with_the_scene() {
        elements::independent_of_world_frame(&force(Axes::Body));
        elements::independent_of_world_frame(&torque(Axes::Body));
    }

    #[test]
    fn loads_do_not_depend_on_reference_points() {
        elements::independent_of_reference_points(&force(Axes::World));
        elements::independent_of_reference_points(&torque(Axes::Body));
    }

    #[test]
    fn body_turned_by_a_right_angle_turns_body_axes_but_not_world_axes() {
        let mut scene = Scene::at_rest();
        scene.bodies[2].rotation = rotation::about(&Vec3::z(), 0.5 * std::f64::consts::PI);
        scene.bodies[2].position = Vec3::new(1.0, 2.0, 3.0);
        (scene.parameters[1], scene.inputs[0]) = (5.0, 6.0);
        let world = scene.loads(&force(Axes::World)).wrenches[2];
        let body = scene.loads(&force(Axes::Body)).wrenches[2];
        assert_eq!(world.force, Vec3::new(4.0, 5.0, 6.0));
        elements::close_vector(&body.force, &Vec3::new(-5.0, 4.0, 6.0), 1e-14);
        // The point (0.3, 0.1, -0.7) of B is at (1 - 0.1, 2 + 0.3, 3 - 0.7).
        let r = Vec3::new(0.9, 2.3, 2.3);
        elements::close_vector(&body.moment, &r.cross(&Vec3::new(-5.0, 4.0, 6.0)), 1e-14);
    }
}
