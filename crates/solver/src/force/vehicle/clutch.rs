//! Clutch and gearbox: friction between joint coordinates, which carries torque without sliding up to its capacity.
//!
//! # Law
//!
//! With the speeds ω_k of the coordinates, their ratios r_k, the capacity T_c = torque · engagement (0 where that is
//! negative) and the viscous coefficient c,
//!
//! ```text
//!     s = Σ r_k ω_k,    M = T_c f(ζ, s) + c s,    effort_k = −r_k M,
//!     ζ' by the law of bristles ([`crate::force::bristle`], e = 1) with travel φ and time τ.
//! ```
//!
//! Sliding: T_c against the slip. Locked: a spring T_c/φ with the damper T_c τ/φ, without creep. So r = 1, −1 is a
//! clutch, or the lock of a differential between its two output shafts.
//!
//! # Torque bias
//!
//! Three coordinates, r = 1 at the input and −i at both outputs, are a differential whose gears yield by φ. With the
//! bias B a second friction, with a state of its own, acts between the outputs:
//!
//! ```text
//!     F = |r M| (B − 1)/(B + 1) f(ζ₂, ω₂ − s ω₃),    effort₂ −= F,    effort₃ += s F.
//! ```
//!
//! s = r₃/r₂ is 1, or −1 where positive speed of one of them is backwards.
//! While the outputs turn at different speeds the slower one so gets B times the torque of the faster one: (|r M| + F)
//! = B (|r M| − F). B = 1 is an open differential.
//!
//! # Gearbox ([`super::gearbox`])
//!
//! Two coordinates, r = 1 at the input and −i at the output, i the ratio of the gear next to the signal g: 1 to n
//! forward, −1 reverse, 0 neutral. With the distance d of g from that gear
//!
//! ```text
//!     T_c = torque (2 − 4 d within 0 to 1), in neutral 0.
//! ```
//!
//! i changes only at d = ½, where the torque is zero, so torques are continuous in g. With automatic shifts g follows a
//! schedule, with two states more. In the new gear the box slides with its capacity until both shafts fit, as
//! synchronisers do, and locks.
//!
//! # Energy
//!
//! As with a brake, no energy counts as stored: dissipated power = M s. While the bristles return it is briefly
//! negative, by at most ½ T_c φ in total. The balance of powers is exact, also while T_c and i change.
//!
//! # Limits and choice of parameters
//!
//! With the effective inertia J of the slip, 1/J = Σ r_k²/J_k, explicit steps h = τ/2 need h √(T_c/(J φ)) < 1.3. The
//! shock of a shift is T_c i at the output for J s/T_c: with a clutch that is open meanwhile, J is the inertia of the
//! input shaft alone. `generalized_alpha` takes the stiffness explicitly. No wear, no difference between sticking and
//! sliding friction; the losses of teeth are a `[[friction]]`.
//!
//! # Tests
//!
//! Below, with `check.rs`; in a vehicle tests/harness/test_powertrain.py.

use super::gearbox::Schedule;
use crate::force::tyre::Patch;
use crate::force::{
    Bristle, Coefficient, Connections, CoordinateIx, ForceElement, ForceLaw, Loads, Quantity, SpringReadout,
    Surroundings, Values,
};
use crate::math::elementary::round;
use crate::math::scalar::Scalar;
use crate::math::{maximum, within};
use alloc::{string::String, vec::Vec};
use core::ops::Range;

/// Friction between joint coordinates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Clutch {
    /// Name in the model file.
    pub name: String,
    /// Coordinates with r_k; of a gearbox the input with 1 and the output with −1, before i.
    pub on: Vec<(CoordinateIx, f64)>,
    /// Of a gearbox.
    pub gears: Option<Gears>,
    /// Capacity before the engagement, N m or N.
    pub torque: Coefficient,
    /// Factor on it.
    pub engagement: Coefficient,
    /// c, N m s/rad or N s/m.
    pub viscous: Coefficient,
    /// φ and τ.
    pub bristle: Bristle,
    /// (B − 1)/(B + 1) of a differential with torque bias.
    pub bias: Option<f64>,
    /// Index of ζ among the auxiliary states; ζ₂, or t and c, come behind it.
    pub state: usize,
}

/// Ratios of a gearbox.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Gears {
    /// g.
    pub gear: Coefficient,
    /// Of the gears from the first on.
    pub forward: Vec<f64>,
    /// Of the reverse gear, negative; 0 without one.
    pub reverse: f64,
    /// Automatic shifts.
    pub schedule: Option<Schedule>,
}

impl Gears {
    /// i of the gear next to `gear`, 0 in neutral, and the share of the capacity.
    fn engaged<S: Scalar>(&self, gear: S) -> (f64, S) {
        let last = self.forward.len() as f64;
        let next = round(gear.value()).clamp(-1.0, last);
        let ratio = if next < 0.0 {
            self.reverse
        } else {
            self.forward.get((next as usize).wrapping_sub(1)).copied().unwrap_or(0.0)
        };
        // Above the last gear the ratio is constant.
        let distance = if gear > last || gear < -1.0 { S::zero() } else { (gear - next).abs() };
        (ratio, if ratio == 0.0 { S::zero() } else { within(distance * -4.0 + 2.0, 0.0, 1.0) })
    }
}

impl Clutch {
    /// Automatic shifts, with the gear that the selector requests.
    fn schedule(&self) -> Option<(&Schedule, Coefficient)> {
        self.gears.as_ref().and_then(|gears| Some((gears.schedule.as_ref()?, gears.gear)))
    }

    /// Speed of the output of a gearbox, positive forwards.
    fn output<S: Scalar>(&self, s: &Surroundings<S>) -> f64 {
        -self.on[1].1 * s.speed(self.on[1].0).value()
    }

    /// The gear, with automatic shifts that between them.
    pub(crate) fn gear<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        match (&self.gears, self.schedule()) {
            (_, Some((_, selected))) if s.value(&selected) > 0.5 => Schedule::gear(s.auxiliary[self.state + 1]),
            (Some(gears), _) => s.value(&gears.gear),
            (None, _) => S::zero(),
        }
    }

    /// T_c, and the factor on the ratios behind the first.
    fn capacity<S: Scalar>(&self, s: &Surroundings<S>) -> (S, f64) {
        let full = maximum(s.value(&self.torque) * s.value(&self.engagement), S::zero());
        match &self.gears {
            Some(gears) => {
                let (ratio, share) = gears.engaged(self.gear(s));
                // Between neutral and the first gear the selector decides.
                let selected = match gears.schedule {
                    Some(_) if ratio > 0.0 => within(s.value(&gears.gear) * 4.0 - 2.0, 0.0, 1.0),
                    _ => S::one(),
                };
                (full * share * selected, ratio)
            }
            None => (full, 1.0),
        }
    }

    /// The coordinates with their ratios at present; `factor` on those behind the first.
    fn ratios(&self, factor: f64) -> impl Iterator<Item = (CoordinateIx, f64)> {
        let factors = core::iter::once(1.0).chain(core::iter::repeat(factor));
        self.on.iter().zip(factors).map(|((coordinate, ratio), factor)| (*coordinate, ratio * factor))
    }

    fn slip<S: Scalar>(&self, s: &Surroundings<S>, factor: f64) -> S {
        self.ratios(factor).map(|(coordinate, ratio)| s.speed(coordinate) * ratio).sum()
    }

    /// M at the slip `slip`.
    fn torque<S: Scalar>(&self, s: &Surroundings<S>, capacity: S, slip: S) -> S {
        capacity * self.bristle.share(slip, s.auxiliary[self.state], S::one()) + s.value(&self.viscous) * slip
    }
}

impl ForceLaw for Clutch {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (capacity, factor) = self.capacity(s);
        let slip = self.slip(s, factor);
        let torque = self.torque(s, capacity, slip);
        for (coordinate, ratio) in self.ratios(factor) {
            loads.add_effort(coordinate, -(torque * ratio));
        }
        loads.dissipated_power += torque * slip;
        loads.rates[self.state] = self.bristle.rate(slip, s.auxiliary[self.state], S::one());
        if let (Some(bias), &[_, (second, ratio), (third, other)]) = (self.bias, &self.on[..]) {
            let sense = other / ratio;
            let (apart, state) = (s.speed(second) - s.speed(third) * sense, s.auxiliary[self.state + 1]);
            let force = (torque * ratio).abs() * bias * self.bristle.share(apart, state, S::one());
            loads.add_effort(second, -force);
            loads.add_effort(third, force * sense);
            loads.dissipated_power += force * apart;
            loads.rates[self.state + 1] = self.bristle.rate(apart, state, S::one());
        }
        if let Some((schedule, selected)) = self.schedule() {
            let throttle = s.value(&schedule.throttle).value();
            let (own, limit) = ([1, 2].map(|k| s.auxiliary[self.state + k]), s.value(&selected).value());
            let rates = schedule.rates(own, [self.output(s), throttle, limit]);
            loads.rates[self.state + 1..self.state + 3].copy_from_slice(&rates);
        }
    }

    /// Effort M that is carried, positive while the first coordinate drives; speed: the slip.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (capacity, factor) = self.capacity(s);
        let slip = self.slip(s, factor);
        SpringReadout { length: s.position(self.on[0].0), speed: slip, force: self.torque(s, capacity, slip) }
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        values.set_spring(&self.readout(s));
        values.set(Quantity::Gear, self.gear(s));
    }
}

impl ForceElement for Clutch {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[Quantity::Effort, Quantity::Power, Quantity::Gear]
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates(self.on.iter().map(|(coordinate, _)| *coordinate));
        list.add_coefficients([self.torque, self.engagement, self.viscous]);
        list.add_coefficients(self.gears.iter().map(|gears| gears.gear));
        list.add_coefficients(self.schedule().map(|(schedule, _)| schedule.throttle));
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1 + usize::from(self.bias.is_some()) + 2 * usize::from(self.schedule().is_some())
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        let start = self.schedule().map(|(schedule, _)| schedule.start(self.output(s), s.value(&schedule.throttle)));
        let (_, factor) = match (&self.gears, start) {
            (Some(gears), Some(start)) if s.value(&gears.gear) > 0.5 => (0.0, gears.engaged(start).0),
            _ => self.capacity(s),
        };
        if let (Some(_), &[_, (second, ratio), (third, other)]) = (self.bias, &self.on[..]) {
            let apart = s.speed(second) - s.speed(third) * (other / ratio);
            auxiliary[self.state + 1] = self.bristle.steady(apart, 1.0);
        }
        if let Some(start) = start {
            auxiliary[self.state + 1..self.state + 3].fill(start);
        }
        auxiliary[self.state] = self.bristle.steady(self.slip(s, factor), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn coordinate(position: usize, velocity: usize) -> CoordinateIx {
        CoordinateIx { position, velocity }
    }

    fn clutch(torque: Coefficient) -> Clutch {
        Clutch {
            name: "clutch".into(),
            on: vec![(coordinate(2, 1), 1.0), (coordinate(3, 2), -1.0)],
            gears: None,
            torque,
            engagement: Coefficient::Value(1.0),
            viscous: Coefficient::Value(0.0),
            bristle: Bristle::sharp(0.02, 0.002),
            bias: None,
            state: 1,
        }
    }

    fn gearbox() -> Clutch {
        let gears = Gears { gear: Coefficient::Input(0), forward: vec![4.0, 2.0, 1.0], reverse: -3.5, schedule: None };
        Clutch { gears: Some(gears), ..clutch(Coefficient::Value(300.0)) }
    }

    #[test]
    fn powers_balance() {
        let viscous = Clutch { viscous: Coefficient::Value(3.0), ..clutch(Coefficient::Value(300.0)) };
        elements::powers_balance(&Element::Clutch(Box::new(viscous.clone())));
        let signals = Clutch { engagement: Coefficient::Input(1), ..viscous };
        elements::derivatives_are_those_of_differences(&Element::Clutch(Box::new(signals)));
        let mut gearbox = gearbox();
        for gear in [-1.0, 0.8, 2.3, 3.0] {
            gearbox.gears.iter_mut().for_each(|gears| gears.gear = Coefficient::Value(gear));
            elements::powers_balance(&Element::Gearbox(Box::new(gearbox.clone())));
            elements::derivatives_are_those_of_differences(&Element::Gearbox(Box::new(gearbox.clone())));
        }
    }

    #[test]
    fn torque_of_the_gear_is_carried_with_its_ratio_and_none_in_neutral_or_between_gears() {
        let mut scene = Scene::at_rest();
        // The input is faster than any gear makes it: full capacity.
        (scene.v[1], scene.v[2], scene.auxiliary[1]) = (100.0, 2.0, 1.0);
        for (gear, torque, ratio) in [
            (1.0, 300.0, 4.0),
            (1.2, 300.0, 4.0),
            (1.4, 120.0, 4.0),
            (1.5, 0.0, 2.0),
            (2.0, 300.0, 2.0),
            (7.0, 300.0, 1.0),
            (-1.0, 300.0, -3.5),
            (-9.0, 300.0, -3.5),
            (0.0, 0.0, 0.0),
            (0.3, 0.0, 0.0),
        ] {
            scene.inputs[0] = gear;
            let loads = scene.loads(&Element::Gearbox(Box::new(gearbox())));
            elements::close(loads.efforts[1], -torque, 1e-9);
            elements::close(loads.efforts[2], torque * ratio, 1e-9);
        }
    }

    #[test]
    fn slower_output_of_a_differential_gets_the_bias_times_the_torque_of_the_faster_one() {
        let on = vec![(coordinate(2, 1), 1.0), (coordinate(3, 2), -2.0), (coordinate(1, 0), -2.0)];
        let mut scene = Scene::at_rest();
        (scene.v[1], scene.auxiliary[1]) = (100.0, 1.0);
        for (bias, apart) in [(1.0, 2.0), (2.5, 2.0), (4.0, -2.0_f64)] {
            let own =
                Clutch { on: on.clone(), bias: Some((bias - 1.0) / (bias + 1.0)), ..clutch(Coefficient::Value(300.0)) };
            let element = Element::Clutch(Box::new(own));
            (scene.v[2], scene.v[0], scene.auxiliary[2]) = (5.0 + apart, 5.0, apart.signum());
            let loads = scene.loads(&element);
            let (one, other) = (loads.efforts[2], loads.efforts[0]);
            elements::close(one + other, 1200.0, 1e-9);
            elements::close(if apart > 0.0 { other / one } else { one / other }, bias, 1e-9);
            elements::powers_balance(&element);
            elements::derivatives_are_those_of_differences(&element);
        }
    }

    /// Integrates two discs joined by the clutch until `time`. A torque of 50 N m drives disc 1 (0.2 kg m²), and `load`
    /// resists disc 2 (0.8 kg m²). Returns both angles, both speeds and the bristle state.
    fn turn(clutch: &Clutch, load: f64, start: [f64; 2], time: f64) -> [f64; 5] {
        let rates = |[angle, turned, first, second, state]: [f64; 5]| {
            let mut scene = Scene::at_rest();
            (scene.q[2], scene.q[3], scene.v[1], scene.v[2]) = (angle, turned, first, second);
            (scene.auxiliary[1], scene.inputs[0]) = (state, 2.0);
            let loads = scene.loads(&Element::Gearbox(Box::new(clutch.clone())));
            [first, second, (50.0 + loads.efforts[1]) / 0.2, (loads.efforts[2] - load) / 0.8, loads.rates[1]]
        };
        elements::after(time, [0.0, 0.0, start[0], start[1], 0.0], rates)
    }

    #[test]
    fn shafts_of_a_gear_slide_to_one_speed_by_their_momenta_and_turn_together_then() {
        // Second gear, i = 2: J = 0.2 · 4 + 0.8 at the output, which begins with (0.2 · 2 · 90 + 0.8 · 10)/1.6.
        let [.., first, second, _] = turn(&gearbox(), 100.0, [90.0, 10.0], 1.0);
        elements::close(second, 27.5, 0.1);
        elements::close(first, 2.0 * second, 1e-6);
    }

    #[test]
    fn load_below_the_capacity_is_carried_for_100_s_without_creep() {
        let [angle, turned, ..] = turn(&gearbox(), 100.0, [0.0, 0.0], 1.0);
        let [late, over, first, ..] = turn(&gearbox(), 100.0, [0.0, 0.0], 100.0);
        elements::close(late - 2.0 * over, angle - 2.0 * turned, 1e-9);
        elements::close(first, 0.0, 1e-9);
    }
}
