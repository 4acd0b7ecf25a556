//! Anti-roll bar: a spring against the difference of two travels relative to a frame.
//!
//! # Law
//!
//! a is the direction of the drop links, fixed in the frame; P_l and P_r are points of two bodies (or of one axle).
//! With their travels s along a relative to the frame since the design position,
//!
//! ```text
//!     e = s_l − s_r = a · (P_l − P_r) − e₀,     ė = a · (v_l − v_r) + (ω × a) · (P_l − P_r),     T = k e + c ė,
//! ```
//!
//! ω: angular velocity of the frame. −T a acts at P_l, T a at P_r, and the frame, whose bearings hold the bar, takes
//! the couple T (P_l − P_r) × a. With torsional stiffness k_t and arms of length r, k = k_t/r².
//!
//! # Energy
//!
//! Potential ½ k e²; dissipated power c ė².
//!
//! # Limits
//!
//! Drop links keep their direction relative to the frame, and arms their length: small angles of the arms. The bar has
//! no mass. As a mechanism of two half bars, a joint spring and two rods it has both: models/anti_roll_bar.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::force::{
    BodyIx, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings, Tangent,
};
use crate::math::Vec3;
use crate::math::scalar::{Scalar, lift};
use crate::math::spatial::{BodyMotion, Wrench};
use alloc::string::String;

/// Anti-roll bar as a force.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AntiRollBar {
    /// Name in the model file.
    pub name: String,
    /// The frame.
    pub frame: BodyIx,
    /// P_l, P_r.
    pub ends: [Marker; 2],
    /// a in the frame's B, unit length.
    pub axis: Vec3,
    /// e₀, m.
    pub design: f64,
    /// Numerator of k: N/m, or N m/rad with arms.
    pub stiffness: Coefficient,
    /// Square of the arms' length, m²; 1 where k is given.
    pub arm_squared: f64,
    /// c, N s/m.
    pub damping: Coefficient,
}

/// The bar at one instant, world axes.
struct Bar<S> {
    /// a.
    a_W: Vec3<S>,
    /// P_l and P_r, each from the o of its body.
    p_oP_W: [Vec3<S>; 2],
    /// P_l − P_r.
    p_RL_W: Vec3<S>,
    difference: S,
    rate: S,
}

impl AntiRollBar {
    fn stiffness<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        s.value(&self.stiffness) / self.arm_squared
    }

    fn bar<S: Scalar>(&self, s: &Surroundings<S>) -> Bar<S> {
        let frame = s.body(self.frame);
        let a_W = frame.rotation * lift(&self.axis);
        let (left, right) = (s.body(self.ends[0].body), s.body(self.ends[1].body));
        let p_oP_W = [left.point(&self.ends[0].point), right.point(&self.ends[1].point)];
        let p_RL_W = BodyMotion::between(right, &p_oP_W[1], left, &p_oP_W[0]);
        let v_rel_W = left.velocity.at(&p_oP_W[0]) - right.velocity.at(&p_oP_W[1]);
        Bar {
            a_W,
            p_oP_W,
            p_RL_W,
            difference: a_W.dot(&p_RL_W) - self.design,
            rate: a_W.dot(&(v_rel_W - frame.velocity.ang.cross(&p_RL_W))),
        }
    }
}

impl ForceLaw for AntiRollBar {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let bar = self.bar(s);
        let damping = s.value(&self.damping) * bar.rate;
        let f_R_W = bar.a_W * (self.stiffness(s) * bar.difference + damping);
        loads.add_force(self.ends[0].body, &bar.p_oP_W[0], -f_R_W);
        loads.add_force(self.ends[1].body, &bar.p_oP_W[1], f_R_W);
        loads.add_torque(self.frame, bar.p_RL_W.cross(&f_R_W));
        loads.dissipated_power += damping * bar.rate;
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let difference = self.bar(s).difference;
        self.stiffness(s) * 0.5 * difference * difference
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let bar = self.bar(s);
        let force = self.stiffness(s) * bar.difference + s.value(&self.damping) * bar.rate;
        SpringReadout { length: bar.difference, speed: bar.rate, force }
    }
}

impl ForceElement for AntiRollBar {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let bar = self.bar(s);
        let bodies = [self.frame, self.ends[0].body, self.ends[1].body];
        let wrenches = [
            Wrench::couple(-bar.p_RL_W.cross(&bar.a_W)),
            Wrench::at(&bar.p_oP_W[0], bar.a_W),
            Wrench::at(&bar.p_oP_W[1], -bar.a_W),
        ];
        let direction = Direction::Three(bodies, wrenches);
        visit(&Tangent { direction, stiffness: self.stiffness(s), damping: s.value(&self.damping) });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.frame, self.ends[0].body, self.ends[1].body]);
        list.add_coefficients([self.stiffness, self.damping]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn bar(bodies: [usize; 3]) -> AntiRollBar {
        AntiRollBar {
            name: "bar".into(),
            frame: BodyIx(bodies[0]),
            ends: [
                Marker { body: BodyIx(bodies[1]), point: Vec3::new(0.3, 0.7, 0.5) },
                Marker { body: BodyIx(bodies[2]), point: Vec3::new(-0.4, -0.6, 0.2) },
            ],
            axis: Vec3::new(0.6, 0.0, 0.8),
            design: 0.3,
            stiffness: Coefficient::Value(200.0),
            arm_squared: 4.0,
            damping: Coefficient::Value(3.0),
        }
    }

    fn all() -> [Element; 3] {
        [[0, 1, 2], [2, 0, 1], [1, 2, 2]].map(|bodies| Element::AntiRollBar(bar(bodies)))
    }

    #[test]
    fn force_and_couple_on_the_frame_are_the_negative_gradient() {
        all().iter().for_each(elements::force_is_the_negative_gradient);
    }

    #[test]
    fn powers_balance_and_the_damping_takes_power() {
        all().iter().for_each(elements::powers_balance);
        all().iter().for_each(elements::dissipates);
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        for element in all() {
            elements::action_equals_reaction(&element);
            elements::independent_of_world_frame(&element);
            elements::independent_of_common_motion(&element);
            elements::independent_of_reference_points(&element);
            elements::exact_far_from_the_origin(&element);
        }
    }

    #[test]
    fn direction_of_its_stiffness_has_the_rate_of_the_difference_as_speed() {
        let scene = Scene::random(5);
        let bar = bar([0, 1, 2]);
        let rate = bar.readout(&scene.surroundings()).speed;
        bar.visit_tangents(&scene.surroundings(), &mut |tangent| {
            elements::close(tangent.direction.speed(&scene.bodies, &scene.v), rate, 1e-13);
            assert_eq!(tangent.stiffness, 50.0);
        });
    }

    #[test]
    fn equal_travels_meet_no_force_and_opposite_ones_twice_the_travel() {
        let bar = AntiRollBar { axis: Vec3::z(), ..bar([0, 1, 2]) };
        let mut scene = Scene::at_rest();
        for (left, right, expected) in [(0.1, 0.1, 0.0), (0.1, -0.1, 50.0 * 0.2)] {
            (scene.bodies[1].position.z, scene.bodies[2].position.z) = (left, right);
            elements::close(bar.readout(&scene.surroundings()).force, expected, 1e-12);
        }
    }
}
