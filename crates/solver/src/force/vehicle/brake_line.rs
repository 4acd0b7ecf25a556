//! Brake line: the pressure at a wheel between pedal and brake, with the valve of an anti-lock system.
//!
//! # Law
//!
//! A line acts on no body. Its pressure p, a state, times `gain` is added to an input of the model and to the external
//! value ([`ForceLaw::add_signals`]); a `[[brake]]` converts it to a torque. With the demand p_d and the valve u, 0
//! (open) to 0.5 (closed: hold) to 1 (release),
//!
//! ```text
//!     p' = min((p* − p)/τ, build_rate) max(1 − 2 u, 0)                        for p < p*, otherwise
//!        = −min((p − p*)/τ, release_rate);   where the valve releases, at least
//!          min(p/τ, release_rate) max(2 u − 1, 0) of fall.
//! ```
//!
//! Releasing the pedal also releases the pressure through a closed valve, like the check valve of a modulator. p* = p_d
//! without slip control.
//!
//! # Slip control
//!
//! With the speed v of a point along an axis of its body, the wheel's speed ω and radius r, the slip is
//!
//! ```text
//!     λ = (v − ω r) sign(v)/max(|v|, v_min),
//!     p* = p_d (1 − w (1 − c)),   c = (λ₂ − λ)/(λ₂ − λ₁) within 0 to 1,   w = |v|/v_min − 1 within 0 to 1.
//! ```
//!
//! The transmitted demand decreases with slip: all of it up to λ₁, nothing above λ₂. Between them the equilibrium of
//! wheel and road determines the slip. Below v_min the wheel may lock. There is no sampling and no memory but p: the
//! same bits in any cycle of a host, and derivatives. v is the true speed, which a vehicle has to estimate.
//!
//! # Energy
//!
//! None: the brake absorbs the work.
//!
//! # Limits and choice of parameters
//!
//! On a wheel of inertia J at the speed v the loop swings with ω² = r T/(τ J v (λ₂ − λ₁)), T the brake torque of the
//! demand, damped by 1/(2 τ) and by the slope of the tyre: explicit steps need ω h < 2.5 at v = v_min. λ₁ and λ₂ around
//! the slip of the tyre's largest force; with a demand far above the limit of the road, the slip settles near λ₂.

use crate::force::{
    Coefficient, Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings,
};
use crate::math::scalar::{Scalar, lift};
use crate::math::{Vec3, at_least, maximum, minimum, within};
use alloc::string::String;
use core::ops::Range;

/// A brake line.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct BrakeLine {
    /// Name in the model file.
    pub name: String,
    /// The wheel.
    pub coordinate: CoordinateIx,
    /// p_d, in a unit of the model's own.
    pub demand: Coefficient,
    /// u.
    pub valve: Coefficient,
    /// Index of the input that it gives to.
    pub input: Option<usize>,
    /// Contribution to the input per unit of pressure.
    pub gain: f64,
    /// τ, s.
    pub time: f64,
    /// Fastest rise and fall of the pressure, its unit per s.
    pub rates: [f64; 2],
    /// Slip control, if any.
    pub slip: Option<SlipControl>,
    /// Index of p among the auxiliary states.
    pub state: usize,
}

/// Reduces the transmitted demand with increasing slip of a wheel.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SlipControl {
    /// The point whose speed counts.
    pub point: Marker,
    /// Forward direction in the body's B.
    pub axis: Vec3,
    /// r, m; negative where positive ω rolls backwards.
    pub radius: f64,
    /// λ₁ and λ₂.
    pub slip: [f64; 2],
    /// v_min, m/s.
    pub slowest: f64,
}

impl SlipControl {
    /// p*/p_d at the speed `turning` of the wheel, rad/s.
    fn share<S: Scalar>(&self, s: &Surroundings<S>, turning: S) -> S {
        let speed = (s.body(self.point.body).rotation * lift(&self.axis)).dot(&self.point.velocity(s));
        let (size, sign) = (speed.abs(), if speed < 0.0 { -1.0 } else { 1.0 });
        let slip = (speed - turning * self.radius) * sign / at_least(size, self.slowest);
        let [least, most] = self.slip;
        let passed = within((-slip + most) / (most - least), 0.0, 1.0);
        let weight = within(size / self.slowest - 1.0, 0.0, 1.0);
        -(weight * (-passed + 1.0)) + 1.0
    }
}

impl BrakeLine {
    /// p*.
    fn wanted<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let demand = maximum(s.value(&self.demand), S::zero());
        match &self.slip {
            Some(control) => demand * control.share(s, s.speed(self.coordinate)),
            None => demand,
        }
    }
}

impl ForceLaw for BrakeLine {
    /// Writes the rate of the pressure.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (pressure, valve) = (s.auxiliary[self.state], s.value(&self.valve));
        let missing = (self.wanted(s) - pressure) / self.time;
        let [build, release] = self.rates.map(S::from_f64);
        let open = within(-(valve * 2.0) + 1.0, 0.0, 1.0);
        let through = within(valve * 2.0 - 1.0, 0.0, 1.0);
        let released = minimum(maximum(pressure / self.time, S::zero()), release) * through;
        // One branch at p = p*, where both have one slope while the valve is open.
        loads.rates[self.state] = if missing < 0.0 {
            -maximum(minimum(-missing, release), released)
        } else {
            minimum(missing, build) * open - released
        };
    }

    fn add_signals<S: Scalar>(&self, auxiliary: &[S], inputs: &mut [S]) {
        if let Some(input) = self.input {
            inputs[input] += auxiliary[self.state] * self.gain;
        }
    }

    /// Effort: its output. Speed 0: the brake does the work.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let given = s.auxiliary[self.state] * self.gain;
        SpringReadout { length: s.position(self.coordinate), speed: S::zero(), force: given }
    }
}

impl ForceElement for BrakeLine {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.slip.iter().map(|control| control.point.body));
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.demand, self.valve]);
    }

    fn gives(&self, input: usize) -> bool {
        self.input == Some(input)
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        auxiliary[self.state] = if s.value(&self.valve) < 0.5 { self.wanted(s) } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};
    use crate::math::scalar::Dual;

    fn line(slip: Option<SlipControl>) -> BrakeLine {
        BrakeLine {
            name: "line".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            demand: Coefficient::Input(0),
            valve: Coefficient::Input(1),
            input: Some(0),
            gain: 20.0,
            time: 0.05,
            rates: [800.0, 500.0],
            slip,
            state: 2,
        }
    }

    fn control() -> Option<SlipControl> {
        let point = Marker { body: BodyIx(1), point: Vec3::zeros() };
        Some(SlipControl { point, axis: Vec3::x(), radius: 0.3, slip: [0.05, 0.15], slowest: 1.5 })
    }

    fn rate(line: &BrakeLine, [demand, valve, pressure]: [f64; 3], [speed, turning]: [f64; 2]) -> f64 {
        let mut scene = Scene::at_rest();
        scene.inputs = vec![demand, valve];
        scene.auxiliary[2] = pressure;
        scene.bodies[1].velocity.lin = Vec3::new(speed, 0.3, 0.0);
        scene.v[1] = turning;
        let loads = scene.loads(&Element::BrakeLine(Box::new(line.clone())));
        assert!(loads.efforts.iter().all(|effort| *effort == 0.0) && loads.dissipated_power == 0.0);
        loads.rates[2]
    }

    #[test]
    fn pressure_follows_the_pedal_within_its_rates_and_valves_hold_and_release_it() {
        let line = line(None);
        for (given, expected) in [
            ([60.0, 0.0, 50.0], 200.0),
            ([100.0, 0.0, 50.0], 800.0),
            ([45.0, 0.0, 50.0], -100.0),
            ([-5.0, 0.0, 50.0], -500.0),
            ([60.0, 0.25, 50.0], 100.0),
            ([60.0, 0.5, 50.0], 0.0),
            ([45.0, 0.5, 50.0], -100.0),
            ([60.0, 0.75, 50.0], -250.0),
            ([60.0, 1.0, 50.0], -500.0),
            ([60.0, 2.0, 10.0], -200.0),
            ([60.0, 1.0, 0.0], 0.0),
        ] {
            elements::close(rate(&line, given, [0.0, 0.0]), expected, 1e-10);
        }
    }

    #[test]
    fn slip_lets_less_of_the_demand_through_ahead_as_backward_and_none_at_walking_pace() {
        let line = line(control());
        for (speed, turning, share) in [
            (20.0, 20.0 / 0.3, 1.0),
            (20.0, 0.9 * 20.0 / 0.3, 0.5),
            (20.0, 0.875 * 20.0 / 0.3, 0.25),
            (-20.0, -0.9 * 20.0 / 0.3, 0.5),
            (20.0, 0.0, 0.0),
            (2.25, 0.0, 0.5),
            (1.5, 0.0, 1.0),
            (0.0, 0.0, 1.0),
        ] {
            // 10 units are rising slowly enough for no limit of a rate.
            elements::close(rate(&line, [10.0, 0.0, 0.0], [speed, turning]), share * 10.0 / 0.05, 1e-9);
        }
    }

    #[test]
    fn derivatives_of_the_rate_are_exact_where_the_pressure_is_the_one_asked_for_too() {
        for [demand, valve, pressure] in [[50.0, 0.0, 50.0], [60.0, 0.2, 50.0], [40.0, 0.6, 50.0], [0.0, 0.0, 0.0]] {
            let d = |value: f64, slope: f64| Dual::new(value, [slope]);
            let auxiliary = [d(0.0, 0.0), d(0.0, 0.0), d(pressure, 0.3)];
            let inputs = [d(demand, 1.0), d(valve, 0.1)];
            let (v, mut rates) = ([d(0.0, 0.0); 4], [d(0.0, 0.0); 3]);
            let mut loads = Loads {
                wrenches: &mut [],
                efforts: &mut [],
                dissipated_power: d(0.0, 0.0),
                input_power: d(0.0, 0.0),
                rates: &mut rates,
                patches: &mut [],
            };
            let surroundings = Surroundings {
                bodies: &[],
                q: &[],
                v: &v,
                parameters: &[],
                inputs: &inputs,
                auxiliary: &auxiliary,
                time: Dual::default(),
            };
            line(None).add_loads(&surroundings, &mut loads);
            // Beyond a corner at 0 the direction of the change counts.
            let ahead = |h: f64| rate(&line(None), [demand + h, valve + 0.1 * h, pressure + 0.3 * h], [0.0; 2]);
            elements::close(rates[2].value, ahead(0.0), 0.0);
            elements::close(rates[2].slopes[0], (ahead(1e-6) - ahead(0.0)) / 1e-6, 1e-2);
        }
    }

    #[test]
    fn what_is_given_is_the_pressure_times_the_gain_on_top_of_what_comes_from_outside() {
        let mut inputs = [5.0, 0.0];
        line(None).add_signals(&[0.0, 0.0, 7.0, 0.0], &mut inputs);
        assert_eq!(inputs, [145.0, 0.0]);
        let mut scene = Scene::at_rest();
        scene.inputs[0] = 30.0;
        let mut settled = [0.0; 5];
        line(None).settle(&scene.surroundings(), &mut settled);
        assert_eq!(settled[2], 30.0);
    }
}
