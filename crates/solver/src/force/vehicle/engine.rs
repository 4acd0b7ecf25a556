//! Engine or motor: torque on a joint coordinate by a map of speed and throttle.
//!
//! # Law
//!
//! ω is the speed of the crankshaft, `ratio` r times the speed of the coordinate. u is the throttle within 0 to 1,
//! raised by the governor of the idle speed ω_i:
//!
//! ```text
//!     u' = max(u, within(1 − (ω − ω_i)/(0.1 ω_i), 0, 1) u_i),    T* = map(ω, u'),    T' = (T* − T)/τ.
//! ```
//!
//! The map is linear in both between its rows and columns and constant beyond them. Its column of the throttle 0 is the
//! drag of the engine: negative, it brakes. T is a state. r T acts on the coordinate, its reaction on the first body of
//! the joint. Outputs give ω and T.
//!
//! # Energy
//!
//! No potential; T ω is input work, also the negative work of the drag.
//!
//! # Limits and choice of parameters
//!
//! τ is the time of a stroke, or of the air: 0.05 s to 0.3 s with a turbocharger; motors 5 ms. Explicit steps need h <
//! 2 τ. Choose u_i somewhat above the throttle that balances the drag at the idle speed. Let the map decrease to the
//! drag at the highest speed, because the torque is constant beyond it. The crankshaft with the flywheel is a body.

use crate::force::{
    Coefficient, Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Quantity, SpringReadout, Surroundings,
};
use crate::math::interpolation::between;
use crate::math::scalar::Scalar;
use crate::math::{maximum, within};
use alloc::{string::String, vec::Vec};
use core::ops::Range;

/// Engine on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Engine {
    /// Name in the model file.
    pub name: String,
    /// The crankshaft.
    pub coordinate: CoordinateIx,
    /// r.
    pub ratio: f64,
    /// Speeds of the rows, rad/s, ascending.
    pub speeds: Vec<f64>,
    /// Throttles of the columns, ascending.
    pub throttles: Vec<f64>,
    /// Torques row by row, N m.
    pub torques: Vec<f64>,
    /// u.
    pub throttle: Coefficient,
    /// ω_i, rad/s, 0 without a governor, and u_i.
    pub idle: [f64; 2],
    /// τ, s.
    pub time: f64,
    /// Index of T among the auxiliary states.
    pub state: usize,
}

/// Share of the idle speed over which its governor opens the throttle.
const GOVERNED: f64 = 0.1;

impl Engine {
    /// ω.
    fn speed<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        s.speed(self.coordinate) * self.ratio
    }

    /// T*.
    fn wanted<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let (speed, [idle, opened]) = (self.speed(s), self.idle);
        let mut throttle = s.value(&self.throttle);
        if idle > 0.0 {
            let low = within(-(speed - idle) / (GOVERNED * idle) + 1.0, 0.0, 1.0);
            throttle = maximum(throttle, low * opened);
        }
        self.torque(speed, throttle)
    }

    /// The map.
    pub(crate) fn torque<S: Scalar>(&self, speed: S, throttle: S) -> S {
        let ((row, down), (column, across)) = (between(&self.speeds, speed), between(&self.throttles, throttle));
        let entry = |row: usize, column: usize| {
            let [row, column] = [(row, &self.speeds), (column, &self.throttles)].map(|(k, of)| k.min(of.len() - 1));
            self.torques[row * self.throttles.len() + column]
        };
        let line = |row: usize| across * (entry(row, column + 1) - entry(row, column)) + entry(row, column);
        let (upper, lower) = (line(row), line(row + 1));
        down * (lower - upper) + upper
    }
}

impl ForceLaw for Engine {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let torque = s.auxiliary[self.state];
        loads.add_effort(self.coordinate, torque * self.ratio);
        loads.input_power += torque * self.speed(s);
        loads.rates[self.state] = (self.wanted(s) - torque) / self.time;
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (length, speed) = (s.position(self.coordinate) * self.ratio, self.speed(s));
        SpringReadout { length, speed, force: s.auxiliary[self.state] }
    }
}

impl ForceElement for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.throttle]);
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

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        auxiliary[self.state] = self.wanted(s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn engine() -> Engine {
        Engine {
            name: "engine".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            ratio: 1.0,
            speeds: vec![0.0, 100.0, 300.0],
            throttles: vec![0.0, 0.5, 1.0],
            torques: vec![-10.0, 40.0, 60.0, -20.0, 100.0, 150.0, -40.0, 80.0, 120.0],
            throttle: Coefficient::Input(0),
            idle: [0.0, 0.2],
            time: 0.1,
            state: 2,
        }
    }

    #[test]
    fn work_of_the_torque_is_input_work() {
        elements::powers_balance(&Element::Engine(Box::new(engine())));
        elements::derivatives_are_those_of_differences(&Element::Engine(Box::new(engine())));
        let geared = Engine { ratio: -2.5, ..engine() };
        elements::powers_balance(&Element::Engine(Box::new(geared.clone())));
        elements::derivatives_are_those_of_differences(&Element::Engine(Box::new(geared)));
    }

    #[test]
    fn an_engine_behind_a_ratio_turns_with_its_own_speed_and_acts_with_the_ratio() {
        let geared = Engine { ratio: -2.0, ..engine() };
        let mut scene = Scene::at_rest();
        (scene.v[1], scene.auxiliary[2], scene.inputs[0]) = (-50.0, 30.0, 0.5);
        let loads = scene.loads(&Element::Engine(Box::new(geared)));
        assert_eq!((loads.efforts[1], loads.input_power, loads.rates[2]), (-60.0, 3000.0, 700.0));
    }

    #[test]
    fn the_map_is_linear_between_its_rows_and_columns_and_constant_beyond() {
        for (speed, throttle, torque) in [
            (100.0, 0.5, 100.0),
            (50.0, 0.0, -15.0),
            (50.0, 0.25, 27.5),
            (200.0, 0.75, 112.5),
            (400.0, 2.0, 120.0),
            (-5.0, -1.0, -10.0),
            (300.0, 1.0, 120.0),
        ] {
            elements::close(engine().torque(speed, throttle), torque, 1e-12);
        }
    }

    #[test]
    fn torque_follows_the_map_with_the_time_and_the_governor_opens_below_the_idle_speed() {
        let mut scene = Scene::at_rest();
        (scene.v[1], scene.auxiliary[2], scene.inputs[0]) = (100.0, 30.0, 0.5);
        let loads = scene.loads(&Element::Engine(Box::new(engine())));
        assert_eq!((loads.efforts[1], loads.input_power, loads.rates[2]), (30.0, 3000.0, 700.0));
        let governed = Engine { idle: [100.0, 0.25], ..engine() };
        for (speed, torque) in [(100.0, 40.0), (105.0, 9.5), (110.0, -21.0)] {
            (scene.v[1], scene.auxiliary[2], scene.inputs[0]) = (speed, 0.0, 0.0);
            let loads = scene.loads(&Element::Engine(Box::new(governed.clone())));
            elements::close(loads.rates[2], torque / 0.1, 1e-9);
        }
    }
}
