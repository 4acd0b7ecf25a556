//! Elastic limits of the rotation between two bodies: swing, twist, or total angle, as in shoulders and ball joints.
//!
//! # Frames
//!
//! a₁ is an axis fixed in the first body, a₂ the same axis fixed in the second; they coincide in the design position.
//! R = R_W1ᵀ R_W2 has the unit quaternion (w, v). World axes otherwise; ω is the angular velocity of the second body
//! relative to the first.
//!
//! # Law
//!
//! ```text
//!     swing     θ = ∠(a₁, a₂),           θ̇ = ω · n,   n = a₁ × a₂ / |a₁ × a₂|
//!     twist     φ = 2 atan2(a · v, w),   φ̇ = ω · (a₁ + a₂) / (1 + cos θ)
//!     rotation  ψ = 2 atan2(|v|, |w|),   ψ̇ = ω · sgn(w) v / |v|
//! ```
//!
//! Each angle may have a limit (the twist a lower and an upper one). Beyond a limit by δ > 0 the stop pushes back with
//! N = max(0, k δ + c δ̇); the couple on the second body is −N times the direction that multiplies ω, on the first body
//! the opposite one.
//!
//! # Energy
//!
//! Potential ½ k δ² of each limit. Dissipated power (N − k δ) δ̇, never negative.
//!
//! # Limits
//!
//! The twist has no direction at a swing of half a turn, where its stop is released. Twists are between −π and π.
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, balance of powers, action = reaction, invariances, angles by hand.

use super::{BodyIx, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Surroundings, Tangent};
use crate::math::elementary::atan2;
use crate::math::scalar::{Scalar, lift, norm};
use crate::math::{Vec3, divisor, maximum, rotation};
use alloc::string::String;

/// Smallest 1 + cos θ at which the twist is limited.
const MIN_TWIST: f64 = 1e-6;

/// Limits of the rotation between two bodies.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct BallStop {
    /// Name in the model file.
    pub name: String,
    /// The two bodies.
    pub bodies: [BodyIx; 2],
    /// a, unit length, in the frames of both bodies.
    pub axis: Vec3,
    /// Largest swing, rad.
    pub swing: Option<Coefficient>,
    /// Smallest and largest twist, rad.
    pub twist: [Option<Coefficient>; 2],
    /// Largest rotation, rad.
    pub rotation: Option<Coefficient>,
    /// k, N m/rad.
    pub stiffness: Coefficient,
    /// c, N m s/rad.
    pub damping: Coefficient,
}

/// One limit: δ, δ̇ and the direction of δ̇ in ω.
struct Limit<S: Scalar> {
    depth: S,
    rate: S,
    gradient: Vec3<S>,
}

impl BallStop {
    /// All limits; δ ≤ 0 without contact.
    fn limits<S: Scalar>(&self, s: &Surroundings<S>) -> [Limit<S>; 4] {
        let [first, second] = self.bodies.map(|body| s.body(body));
        let spin = second.velocity.ang - first.velocity.ang;
        let axis = lift::<S>(&self.axis);
        let axes = [first.rotation * axis, second.rotation * axis];
        let [w, x, y, z] = rotation::quaternion(&first.rotation.tr_mul(&second.rotation));
        let turn = Vec3::new(x, y, z);
        let none = || Limit { depth: -S::one(), rate: S::zero(), gradient: Vec3::zeros() };
        let upper = |angle: S, gradient: Vec3<S>, most: &Option<Coefficient>| match most {
            Some(most) => Limit { depth: angle - s.value(most), rate: gradient.dot(&spin), gradient },
            None => none(),
        };
        let cross = axes[0].cross(&axes[1]);
        let (sine, cosine) = (norm(&cross), axes[0].dot(&axes[1]));
        let swing = if sine > 0.0 { upper(atan2(sine, cosine), cross / divisor(sine), &self.swing) } else { none() };
        let [lower, higher] = if cosine + 1.0 > MIN_TWIST {
            let (along, scale) = (axis.dot(&turn), cosine + 1.0);
            // Both signs of the quaternion mean one rotation.
            let twist = if w < 0.0 { atan2(-along, -w) } else { atan2(along, w) } * 2.0;
            let gradient = (axes[0] + axes[1]) / scale;
            let lower = match &self.twist[0] {
                Some(least) => Limit { depth: s.value(least) - twist, rate: -gradient.dot(&spin), gradient: -gradient },
                None => none(),
            };
            [lower, upper(twist, gradient, &self.twist[1])]
        } else {
            [none(), none()]
        };
        let size = norm(&turn);
        let rotation = if size > 0.0 {
            let direction = first.rotation * turn / divisor(size);
            let (cosine, direction) = if w < 0.0 { (-w, -direction) } else { (w, direction) };
            upper(atan2(size, cosine) * 2.0, direction, &self.rotation)
        } else {
            none()
        };
        [swing, lower, higher, rotation]
    }

    /// k δ and N.
    fn push<S: Scalar>(&self, s: &Surroundings<S>, limit: &Limit<S>) -> (S, S) {
        if limit.depth > 0.0 {
            let elastic = s.value(&self.stiffness) * limit.depth;
            (elastic, maximum(S::zero(), elastic + s.value(&self.damping) * limit.rate))
        } else {
            (S::zero(), S::zero())
        }
    }
}

impl ForceLaw for BallStop {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        for limit in self.limits(s) {
            let (elastic, push) = self.push(s, &limit);
            if limit.depth > 0.0 {
                let couple = limit.gradient * push;
                loads.add_torque(self.bodies[1], -couple);
                loads.add_torque(self.bodies[0], couple);
                loads.dissipated_power += (push - elastic) * limit.rate;
            }
        }
    }

    /// Stored energy, J; zero within the limits.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let energy = |limit: Limit<S>| {
            if limit.depth > 0.0 { s.value(&self.stiffness) * limit.depth * limit.depth * 0.5 } else { S::zero() }
        };
        self.limits(s).map(energy).into_iter().sum()
    }
}

impl ForceElement for BallStop {
    fn name(&self) -> &str {
        &self.name
    }

    /// k and c about the direction of each limit that pushes.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        for limit in self.limits(s) {
            if self.push(s, &limit).1 > 0.0 {
                let direction = Direction::couple(self.bodies, &limit.gradient);
                visit(&Tangent { direction, stiffness: s.value(&self.stiffness), damping: s.value(&self.damping) });
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.bodies);
        list.add_coefficients([self.stiffness, self.damping]);
        let [lower, higher] = self.twist;
        list.add_coefficients([self.swing, lower, higher, self.rotation].into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn stop() -> BallStop {
        let number = |value: f64| Some(Coefficient::Value(value));
        BallStop {
            name: "shoulder".into(),
            bodies: [BodyIx(1), BodyIx(2)],
            axis: Vec3::new(0.6, 0.0, 0.8),
            swing: number(0.5),
            twist: [number(-0.4), number(0.3)],
            rotation: number(0.9),
            stiffness: Coefficient::Value(50.0),
            damping: Coefficient::Value(2.0),
        }
    }

    #[test]
    fn torque_is_the_negative_gradient_and_powers_balance() {
        let element = Element::BallStop(stop().into());
        elements::force_is_the_negative_gradient(&element);
        elements::powers_balance(&element);
        elements::dissipates(&element);
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        let element = Element::BallStop(stop().into());
        elements::action_equals_reaction(&element);
        elements::independent_of_world_frame(&element);
        elements::independent_of_common_motion(&element);
        elements::independent_of_reference_points(&element);
    }

    #[test]
    fn angles_are_those_of_the_turns() {
        let axis = stop().axis;
        let across = Vec3::y();
        let mut scene = Scene::at_rest();
        let depths = |scene: &Scene| stop().limits(&scene.surroundings()).map(|limit| limit.depth);
        // A twist of 1 and then a swing of 0.7 rad.
        scene.bodies[2].rotation = rotation::about(&across, 0.7) * rotation::about(&axis, 1.0);
        let [swing, lower, higher, _] = depths(&scene);
        elements::close(swing, 0.2, 1e-14);
        elements::close(lower, -1.4, 1e-14);
        elements::close(higher, 0.7, 1e-14);
        // A rotation of 2 about any axis.
        scene.bodies[2].rotation = rotation::about(&Vec3::new(0.48, 0.6, 0.64), 2.0);
        elements::close(depths(&scene)[3], 1.1, 1e-14);
        scene.bodies[2].rotation = rotation::about(&axis, -0.6);
        let loads = scene.loads(&Element::BallStop(stop().into()));
        elements::close_vector(&loads.wrenches[2].moment, &(axis * 10.0), 1e-12);
    }
}
