//! Speed control: holds a speed by torques on joint coordinates.
//!
//! # Law
//!
//! With the velocity of a point along an axis fixed in its body, v = a · v_P, the wanted speed v* and the state I (N
//! m),
//!
//! ```text
//!     T₀ = P (v* − v) + I,    T = T₀ within the limits,    I' = K (v* − v + (T − T₀)/P),    τ_i = share_i T.
//! ```
//!
//! P and K are `proportional` and `integral`. The second term of I' (back calculation) keeps the integrator from
//! running away while the torque is at its limit. τ_i is an effort on the joint coordinate: it acts on the wheel, the
//! reaction on its carrier.
//!
//! # Energy
//!
//! No potential; Σ τ_i ω_i is input work.
//!
//! # Start
//!
//! `settle` does not change the state. `hold` sets it to the initial torque, which a trim at speed
//! computes as an unknown.
//!
//! # Choosing the parameters
//!
//! Of a vehicle of mass m and wheel radius r: P = m r/t and K = P/(4 t) hold speeds critically damped with time
//! constant 2 t; t about 1 s. Tyres follow within tens of milliseconds, so t well above that.

use crate::force::{
    Coefficient, Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings,
};
use crate::math::scalar::{Scalar, lift};
use crate::math::{Vec3, maximum, minimum, quotient};
use alloc::{string::String, vec::Vec};
use core::ops::Range;

/// Speed control of a body by torques on joint coordinates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SpeedControl {
    /// Name in the model file.
    pub name: String,
    /// The point whose speed is held.
    pub point: Marker,
    /// a in the body's B.
    pub axis: Vec3,
    /// v*, m/s.
    pub target: Coefficient,
    /// P, N m s/m.
    pub proportional: Coefficient,
    /// K, N m/m.
    pub integral: Coefficient,
    /// Limits of T, N m.
    pub limits: [Coefficient; 2],
    /// Coordinates and their shares.
    pub drives: Vec<(CoordinateIx, f64)>,
    /// Index of I among the auxiliary states.
    pub state: usize,
}

impl SpeedControl {
    #[cfg(test)]
    /// Sets the state so that the output is the torque `torque` (N m) at the wanted speed.
    pub(crate) fn hold(&self, auxiliary: &mut [f64], torque: f64) {
        auxiliary[self.state] = torque;
    }

    /// v, m/s.
    pub fn speed<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        (s.body(self.point.body).rotation * lift(&self.axis)).dot(&self.point.velocity(s))
    }

    /// Speed v, its error, and the torque before and after the limits.
    fn control<S: Scalar>(&self, s: &Surroundings<S>) -> (S, S, S, S) {
        let speed = self.speed(s);
        let error = s.value(&self.target) - speed;
        let wanted = s.value(&self.proportional) * error + s.auxiliary[self.state];
        let [lower, upper] = self.limits.each_ref().map(|c| s.value(c));
        (speed, error, wanted, maximum(minimum(wanted, upper), lower))
    }
}

impl ForceLaw for SpeedControl {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (_, error, wanted, torque) = self.control(s);
        for (coordinate, share) in &self.drives {
            loads.add_effort(*coordinate, torque * *share);
            loads.input_power += torque * *share * s.speed(*coordinate);
        }
        let proportional = s.value(&self.proportional);
        let back = quotient(torque - wanted, proportional);
        loads.rates[self.state] = s.value(&self.integral) * (error + back);
    }

    /// Effort: the sum of the torques; speed: the mean of the coordinates' speeds by their shares, so that their
    /// product is the power; length: the speed of the body.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (speed, _, _, torque) = self.control(s);
        let mean = self.drives.iter().map(|(coordinate, share)| s.speed(*coordinate) * *share).sum();
        SpringReadout { length: speed, speed: mean, force: torque }
    }
}

impl ForceElement for SpeedControl {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies([self.point.body]);
        list.add_coordinates(self.drives.iter().map(|(coordinate, _)| *coordinate));
        list.add_coefficients([self.target, self.proportional, self.integral]);
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1
    }

    fn state_size(&self) -> (&'static str, f64) {
        ("N.m", 100.0)
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};

    fn control() -> SpeedControl {
        let coordinate = |position, velocity| CoordinateIx { position, velocity };
        SpeedControl {
            name: "driver".into(),
            point: Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            axis: Vec3::x(),
            target: Coefficient::Input(0),
            proportional: Coefficient::Value(400.0),
            integral: Coefficient::Value(100.0),
            limits: [-500.0, 800.0].map(Coefficient::Value),
            drives: vec![(coordinate(2, 1), 0.75), (coordinate(3, 2), 0.25)],
            state: 3,
        }
    }

    fn element() -> Element {
        Element::SpeedControl(control())
    }

    #[test]
    fn work_of_the_torques_is_input_work() {
        elements::powers_balance(&element());
        elements::independent_of_reference_points(&element());
    }

    #[test]
    fn torque_follows_error_and_state_and_is_shared() {
        let mut scene = Scene::at_rest();
        scene.bodies[1].velocity.lin = Vec3::new(9.0, 1.0, 0.0);
        scene.inputs[0] = 9.5;
        control().hold(&mut scene.auxiliary, 100.0);
        let loads = scene.loads(&element());
        elements::close(loads.efforts[1], 225.0, 1e-12);
        elements::close(loads.efforts[2], 75.0, 1e-12);
        elements::close(loads.rates[3], 50.0, 1e-12);
    }

    #[test]
    fn at_the_limit_the_integrator_goes_back_to_where_the_torque_is_just_the_limit() {
        let mut scene = Scene::at_rest();
        (scene.inputs[0], scene.auxiliary[3]) = (10.0, 0.0);
        for _ in 0..200_000 {
            let loads = scene.loads(&element());
            elements::close(loads.efforts[1] + loads.efforts[2], 800.0, 1e-9);
            scene.auxiliary[3] += 1e-3 * loads.rates[3];
        }
        elements::close(scene.auxiliary[3], 800.0, 1e-6);
    }

    #[test]
    fn cruising_speed_is_reached_without_offset_on_a_slope() {
        // A point mass of 1000 kg on one wheel of radius 1 m: v' = (T − 300)/1000.
        let mut scene = Scene::at_rest();
        scene.inputs[0] = 5.0;
        let mut speed = 0.0;
        for _ in 0..60_000 {
            scene.bodies[1].velocity.lin.x = speed;
            let loads = scene.loads(&element());
            speed += 1e-3 * (loads.efforts[1] + loads.efforts[2] - 300.0) / 1000.0;
            scene.auxiliary[3] += 1e-3 * loads.rates[3];
        }
        elements::close(speed, 5.0, 1e-3);
        elements::close(scene.auxiliary[3], 300.0, 1.0);
    }
}
