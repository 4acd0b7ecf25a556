//! Air spring: gas under pressure in a bellows with a reservoir, between two points.
//!
//! # Law
//!
//! The height h is the distance of the points. With the effective area A(h), constant or a table, the absolute pressure
//! p, the pressure outside p_a and the polytropic exponent n,
//!
//! ```text
//!     V(h) = V_bellows + V_reservoir + ∫ A dh from h₀ on,     p Vⁿ = p₀ V₀ⁿ,     tension T = −(p − p_a) A(h).
//! ```
//!
//! Volume and area belong together (dV = A dh), so the force has a potential. p₀ is the pressure at the design height
//! h₀, given, or from the force F₀ there: p₀ = p_a + F₀/A(h₀).
//!
//! # Energy
//!
//! Potential p₀ V₀ ((V₀/V)ⁿ⁻¹ − 1)/(n − 1) + p_a (V − V₀), for n = 1 with ln(V₀/V); zero at h₀. Nothing is dissipated;
//! the exponent includes the heat exchange of the gas.
//!
//! Levelling: p₀ or F₀ as an input changes the mass of air. The work of the compressor is not accounted for; the stored
//! energy changes with p₀, and the balance of energies with it, by ∫ ∂(potential)/∂p₀ dp₀.
//!
//! # Stiffness
//!
//! n p A²/V + (p − p_a) dA/dh against compression; a table whose area falls with height makes the spring stiffer.
//!
//! # Limits
//!
//! Below a twentieth of the volume at design height the pressure is constant, so that nothing overflows; add a bump
//! stop for this range. No delay of flow between bellows and reservoir, no heat flow in time.

use crate::force::line::Line;
use crate::force::tyre::Patch;
use crate::force::{
    Coefficient, Connections, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout, Surroundings, Table,
    Tangent, Values,
};
use crate::math::elementary::{ln, pow};
use crate::math::scalar::Scalar;
use crate::math::{maximum, minimum};
use alloc::string::String;

/// V below this share of V₀ does not raise the pressure further.
const LEAST_VOLUME: f64 = 0.05;

/// Air spring between two points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AirSpring {
    /// Name in the model file.
    pub name: String,
    /// The two ends.
    pub ends: [Marker; 2],
    /// A over h, m² over m.
    pub area: Table,
    /// h₀, m.
    pub height: f64,
    /// V₀, bellows and reservoir, m³.
    pub volume: f64,
    /// Source of p₀.
    pub charge: Charge,
    /// n.
    pub exponent: f64,
    /// p_a, Pa.
    pub ambient_pressure: f64,
}

/// Charge of the spring at the design height.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Charge {
    /// Absolute pressure, Pa.
    Pressure(Coefficient),
    /// Force, N.
    Force(Coefficient),
}

/// The gas at one instant.
struct Gas<S> {
    /// V − V₀, m³.
    change: S,
    /// p, Pa.
    pressure: S,
    /// −dp/dV, Pa/m³.
    slope: S,
    /// ∫ p dV from V₀ on, J.
    work: S,
}

impl AirSpring {
    /// Absolute pressure now, Pa.
    pub(crate) fn pressure<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.gas(s, Line::between(&self.ends, s).length).pressure
    }

    fn gas<S: Scalar>(&self, s: &Surroundings<S>, height: S) -> Gas<S> {
        let start = match &self.charge {
            Charge::Pressure(pressure) => s.value(pressure),
            Charge::Force(force) => s.value(force) / self.area.value(self.height) + self.ambient_pressure,
        };
        let change = self.area.integral(height) - self.area.integral(self.height);
        let least = LEAST_VOLUME * self.volume;
        let whole = change + self.volume;
        let (volume, below) = (maximum(whole, S::from_f64(least)), minimum(S::zero(), whole - least));
        let ratio = S::from_f64(self.volume) / volume;
        let pressure = start * pow(ratio, self.exponent);
        let work = if self.exponent == 1.0 {
            -start * self.volume * ln(ratio)
        } else {
            (start * self.volume - pressure * volume) / (self.exponent - 1.0)
        };
        let slope = if below < 0.0 { S::zero() } else { pressure * self.exponent / volume };
        Gas { change, pressure, slope, work: work + pressure * below }
    }

    fn tension<S: Scalar>(&self, gas: &Gas<S>, height: S) -> S {
        -(gas.pressure - self.ambient_pressure) * self.area.value(height)
    }
}

impl ForceLaw for AirSpring {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let line = Line::between(&self.ends, s);
        let tension = self.tension(&self.gas(s, line.length), line.length);
        line.add_tension(&self.ends, tension, loads);
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let gas = self.gas(s, Line::between(&self.ends, s).length);
        gas.change * self.ambient_pressure - gas.work
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let line = Line::between(&self.ends, s);
        let force = self.tension(&self.gas(s, line.length), line.length);
        SpringReadout { length: line.length, speed: line.speed, force }
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<Patch<S>>], values: &mut Values<S>) {
        values.set_spring(&self.readout(s));
        values.set(Quantity::Pressure, self.pressure(s));
    }
}

impl ForceElement for AirSpring {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        &[Quantity::Length, Quantity::Speed, Quantity::Force, Quantity::Pressure]
    }

    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let line = Line::between(&self.ends, s);
        let (gas, area) = (self.gas(s, line.length), self.area.value(line.length));
        let over = gas.pressure - self.ambient_pressure;
        let stiffness = gas.slope * area * area - over * self.area.slope(line.length);
        line.visit_tangents(&self.ends, [stiffness, 0.0, self.tension(&gas, line.length)], visit);
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.ends.map(|end| end.body));
        let (Charge::Pressure(coefficient) | Charge::Force(coefficient)) = self.charge;
        list.add_coefficients([coefficient]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};
    use crate::math::Vec3;

    fn spring(exponent: f64) -> AirSpring {
        AirSpring {
            name: "bellows".into(),
            ends: [
                Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
                Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
            ],
            area: Table::new(&[[0.5, 0.9], [2.0, 0.7], [4.0, 0.6]]),
            height: 1.5,
            volume: 2.0,
            charge: Charge::Pressure(Coefficient::Value(300.0)),
            exponent,
            ambient_pressure: 100.0,
        }
    }

    fn element(spring: AirSpring) -> Element {
        Element::AirSpring(Box::new(spring))
    }

    #[test]
    fn force_is_the_negative_gradient_for_every_exponent() {
        for exponent in [1.0, 1.3, 1.4] {
            elements::force_is_the_negative_gradient(&element(spring(exponent)));
            elements::powers_balance(&element(spring(exponent)));
        }
        // So compressed that the pressure stays.
        elements::force_is_the_negative_gradient(&element(AirSpring { height: 9.0, ..spring(1.3) }));
    }

    #[test]
    fn action_equals_reaction_and_nothing_depends_on_frames() {
        elements::action_equals_reaction(&element(spring(1.3)));
        elements::independent_of_world_frame(&element(spring(1.3)));
        elements::independent_of_common_motion(&element(spring(1.3)));
        elements::independent_of_reference_points(&element(spring(1.3)));
        elements::exact_far_from_the_origin(&element(spring(1.3)));
    }

    /// Points at the distance `height` along z.
    fn at(height: f64) -> Scene {
        let mut scene = Scene::at_rest();
        scene.bodies[2].position = Vec3::new(0.7, -0.3, 0.3 + height);
        scene
    }

    #[test]
    fn half_the_volume_at_constant_area_has_two_to_the_n_of_the_pressure() {
        let spring = AirSpring { area: Table::new(&[[0.0, 0.5]]), height: 2.0, volume: 1.0, ..spring(1.4) };
        let readout = spring.readout(&at(1.0).surroundings());
        elements::close(spring.pressure(&at(1.0).surroundings()), 300.0 * 2f64.powf(1.4), 1e-9);
        elements::close(readout.force, -(300.0 * 2f64.powf(1.4) - 100.0) * 0.5, 1e-9);
        elements::close(spring.potential(&at(2.0).surroundings()), 0.0, 1e-12);
        // Isothermal work by hand: p₀ V₀ ln 2 of the gas, minus the work of the air outside.
        let slow = AirSpring { exponent: 1.0, ..spring };
        elements::close(slow.potential(&at(1.0).surroundings()), 300.0 * 2f64.ln() - 50.0, 1e-9);
    }

    #[test]
    fn charged_to_a_force_it_carries_that_force_at_the_design_height() {
        let spring = AirSpring { charge: Charge::Force(Coefficient::Input(1)), ..spring(1.3) };
        let mut scene = at(1.5);
        scene.inputs[1] = 77.0;
        elements::close(spring.readout(&scene.surroundings()).force, -77.0, 1e-10);
    }

    #[test]
    fn shown_stiffness_is_the_slope_of_the_tension() {
        let spring = spring(1.3);
        let tension = |height: f64| spring.readout(&at(height).surroundings()).force;
        let mut shown = Vec::new();
        spring.visit_tangents(&at(1.1).surroundings(), &mut |tangent| shown.push(tangent.stiffness));
        elements::close(shown[0], (tension(1.1 + 1e-5) - tension(1.1 - 1e-5)) / 2e-5, 1e-5);
    }
}
