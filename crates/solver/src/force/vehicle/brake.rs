//! Brake on a joint coordinate: resists its motion, and holds it at standstill.
//!
//! # Law
//!
//! With the capacity T_c = gain · torque (0 where that is negative) and the speed ω of the coordinate,
//!
//! ```text
//!     effort = −T_c f(ζ, ω),   ζ' by the law of bristles ([`crate::force::bristle`], e = 1) with travel φ and time τ.
//! ```
//!
//! Sliding: −T_c sign(ω). At standstill: a spring T_c/φ with the damper T_c τ/φ, so a load M below T_c is held without
//! creep, also one that changes; applied slowly, it bends the bristles by φ M/T_c. Without capacity there is neither.
//!
//! # Energy
//!
//! The capacity may change at any instant, and the force of the bristles with it, so no energy counts as stored:
//! dissipated power = −effort · ω. While the bristles return it is briefly negative, by at most ½ T_c φ in total. The
//! balance of powers is exact, also while T_c changes.
//!
//! # Limits and choice of parameters
//!
//! On the inertia J, explicit steps h = τ/2 need h √(T_c/(J φ)) < 1.3. φ = 0.02 rad and τ = 2 ms hold a wheel of J = 1
//! kg m² with T_c up to 34 kN m at 1 ms; its damping ratio at standstill is ½ τ √(T_c/(J φ)), here 0.3 at 2 kN m. No
//! fading, no difference between sticking and sliding friction.

use crate::force::{
    Bristle, Bristles, Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Quantity,
    SpringReadout, Surroundings, Tangent,
};
use crate::math::maximum;
use crate::math::scalar::Scalar;
use alloc::string::String;
use core::ops::Range;

/// Brake on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Brake {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Capacity before the gain, N m or N.
    pub torque: Coefficient,
    /// Factor on it.
    pub gain: Coefficient,
    /// φ and τ.
    pub bristle: Bristle,
    /// Index of ζ among the auxiliary states.
    pub state: usize,
}

impl Brake {
    /// T_c, N m or N; the derivative of a released brake is the derivative at the start of its application.
    pub fn capacity<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        maximum(s.value(&self.gain) * s.value(&self.torque), S::zero())
    }

    pub(crate) fn bristles(&self) -> Bristles<'_> {
        Bristles { coordinate: self.coordinate, state: self.state, law: &self.bristle }
    }
}

impl ForceLaw for Brake {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let readout = self.readout(s);
        loads.add_effort(self.coordinate, readout.force);
        loads.dissipated_power -= readout.force * readout.speed;
        loads.rates[self.state] = self.bristle.rate(readout.speed, s.auxiliary[self.state], S::one());
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (speed, state) = (s.speed(self.coordinate), s.auxiliary[self.state]);
        let force = -self.capacity(s) * self.bristle.share(speed, state, S::one());
        SpringReadout { length: s.position(self.coordinate), speed, force }
    }
}

impl ForceElement for Brake {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let capacity = self.capacity(s);
        let (stiffness, damping) = self.bristle.tangent(s.speed(self.coordinate), s.auxiliary[self.state], 1.0);
        let direction = Direction::Coordinate(self.coordinate);
        visit(&Tangent { direction, stiffness: capacity * stiffness, damping: capacity * damping });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.torque, self.gain]);
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        auxiliary[self.state] = self.bristle.steady(s.speed(self.coordinate), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn brake(torque: Coefficient) -> Brake {
        Brake {
            name: "brake".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            torque,
            gain: Coefficient::Value(2.0),
            bristle: Bristle::sharp(0.02, 0.002),
            state: 1,
        }
    }

    #[test]
    fn powers_balance() {
        elements::powers_balance(&Element::Brake(brake(Coefficient::Value(300.0))));
    }

    #[test]
    fn sliding_brake_gives_its_capacity_against_the_motion_and_a_negative_input_nothing() {
        let brake = brake(Coefficient::Input(0));
        let mut scene = Scene::at_rest();
        (scene.v[1], scene.auxiliary[1], scene.inputs[0]) = (30.0, 1.0, 150.0);
        elements::close(brake.readout(&scene.surroundings()).force, -300.0, 1e-12);
        scene.inputs[0] = -150.0;
        assert_eq!(brake.readout(&scene.surroundings()).force, 0.0);
    }

    /// Angle, speed and bristles of a wheel of 1 kg m² after `time` under a constant torque.
    fn turn(capacity: f64, torque: f64, speed: f64, time: f64) -> [f64; 3] {
        let brake = brake(Coefficient::Value(0.5 * capacity));
        let rates = |[angle, speed, state]: [f64; 3]| {
            let mut scene = Scene::at_rest();
            (scene.q[2], scene.v[1], scene.auxiliary[1]) = (angle, speed, state);
            let loads = scene.loads(&Element::Brake(brake.clone()));
            [speed, torque + loads.efforts[1], loads.rates[1]]
        };
        elements::after(time, [0.0, speed, 0.0], rates)
    }

    #[test]
    fn wheel_stops_within_the_angle_of_its_energy_and_the_presliding_and_stays() {
        // ½ 100² / 2000 = 2.5 rad of sliding from 100 rad/s.
        let [angle, speed, _] = turn(2000.0, 0.0, 100.0, 1.0);
        assert!((2.5 - 0.02..2.5 + 0.25).contains(&angle), "{angle}");
        assert!(speed.abs() < 1e-12, "{speed:e}");
    }

    #[test]
    fn load_below_the_capacity_is_held_for_100_s_without_creep() {
        for share in [0.1, 0.5, 0.9] {
            let [early, ..] = turn(2000.0, share * 2000.0, 0.0, 1.0);
            let [late, speed, _] = turn(2000.0, share * 2000.0, 0.0, 100.0);
            assert!(early < 0.25, "{share}: {early}");
            assert!((late - early).abs() < 1e-9 && speed.abs() < 1e-12, "{share}: {early} {late} {speed:e}");
        }
    }

    #[test]
    fn load_above_the_capacity_slides_with_the_difference() {
        let [_, speed, state] = turn(2000.0, 2200.0, 0.0, 1.0);
        // While the bristles bend it yields more: some milliseconds of the capacity.
        assert!((200.0..210.0).contains(&speed), "{speed}");
        assert!((state - 1.0).abs() < 1e-6, "{state}");
    }
}
