//! Telescopic damper with different laws in bump and rebound.
//!
//! # Law
//!
//! With the rate v of the distance of the two points (v > 0: rebound), the tension along their line is
//!
//! ```text
//!     T = s(v) F_r(v) + (1 − s(v)) F_b(v) − F_gas,      s(v) = ½ (1 + v / √(v² + v_t²)),
//!     F(v) = c v / (1 + d (√(v² + v_t²) − v_t))    or a table of |v| ≥ 0, continued as an odd function.
//! ```
//!
//! Both laws F_r, F_b are odd; the weight s chooses between them over some v_t (`transition`), so that T has continuous
//! derivatives of all orders at v = 0 with coefficients, and of all orders within the first row of tables. For v_t → 0
//! it is F = c v/(1 + d |v|) with the c and d of the direction.
//!
//! # Energy
//!
//! Dissipated power T_damper v ≥ 0, because F_r and F_b have the sign of v. The gas force is constant; its potential is
//! −F_gas (l − l₀), zero in the design position.
//!
//! # Limits
//!
//! No friction of the seal (a `[[friction]]` needs a joint), no rise of the gas force with compression, no hysteresis
//! of the oil. v_t changes the force at speeds of that order only.
//!
//! # Source
//!
//! Degressive law as in Chrono's `DegressiveDamperForce` (F = c v/(1 + d|v|) with d of compression and of expansion).

use crate::force::line::Line;
use crate::force::{
    Characteristic, Coefficient, Connections, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings, Tangent,
};
use crate::math::quotient;
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Damper along the line between two points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Damper {
    /// Name in the model file.
    pub name: String,
    /// The two ends.
    pub ends: [Marker; 2],
    /// Law of bump, v < 0.
    pub bump: Law,
    /// Law of rebound, v > 0.
    pub rebound: Law,
    /// F_gas, N.
    pub gas_force: Coefficient,
    /// v_t, m/s.
    pub transition: f64,
    /// l₀, m.
    pub design_length: f64,
}

/// An odd function of the speed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Law {
    /// c, or the table.
    pub damping: Characteristic,
    /// d, s/m; not with a table.
    pub degressivity: Coefficient,
}

impl Law {
    /// F(v) and its slope; `root`: √(v² + v_t²).
    fn value_and_slope<S: Scalar>(&self, s: &Surroundings<S>, v: S, root: S, transition: f64) -> (S, S) {
        match &self.damping {
            Characteristic::Linear(coefficient) => {
                let (c, d) = (s.value(coefficient), s.value(&self.degressivity));
                let divisor = d * (root - transition) + 1.0;
                // d(root)/dv = v / root; v²/root is at most root.
                let bend = quotient(d * v * v, root);
                (c * v / divisor, c * (divisor - bend) / (divisor * divisor))
            }
            Characteristic::Table(table) => {
                let speed = v.value().abs();
                let (force, slope) = (table.value(speed), table.slope(speed));
                let odd = v.chain(force.copysign(v.value()), || if force < 0.0 { -slope } else { slope });
                (odd, S::from_f64(slope))
            }
        }
    }
}

impl Damper {
    /// Force of the oil, tension positive, and its slope over the speed `v`.
    fn oil<S: Scalar>(&self, s: &Surroundings<S>, v: S) -> (S, S) {
        let t = self.transition;
        let root = (v * v + t * t).sqrt();
        let (rebound, rebound_slope) = self.rebound.value_and_slope(s, v, root, t);
        let (bump, bump_slope) = self.bump.value_and_slope(s, v, root, t);
        let weight = (quotient(v, root) + 1.0) * 0.5;
        let rise = quotient(S::from_f64(0.5 * t * t), root * root * root);
        let other = S::one() - weight;
        let force = weight * rebound + other * bump;
        (force, weight * rebound_slope + other * bump_slope + rise * (rebound - bump))
    }
}

impl ForceLaw for Damper {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let line = Line::between(&self.ends, s);
        let oil = self.oil(s, line.speed).0;
        line.add_tension(&self.ends, oil - s.value(&self.gas_force), loads);
        loads.dissipated_power += oil * line.speed;
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        -s.value(&self.gas_force) * (Line::between(&self.ends, s).length - self.design_length)
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let line = Line::between(&self.ends, s);
        let force = self.oil(s, line.speed).0 - s.value(&self.gas_force);
        SpringReadout { length: line.length, speed: line.speed, force }
    }
}

impl ForceElement for Damper {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let line = Line::between(&self.ends, s);
        let slope = self.oil(s, line.speed).1;
        line.visit_tangents(&self.ends, [0.0, slope, -s.value(&self.gas_force)], visit);
    }

    fn connect(&self, list: &mut Connections) {
        list.add_bodies(self.ends.map(|end| end.body));
        let laws = [&self.bump, &self.rebound];
        list.add_coefficients(laws.iter().filter_map(|law| law.damping.coefficient()));
        list.add_coefficients(laws.map(|law| law.degressivity));
        list.add_coefficients([self.gas_force]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element, Table};
    use crate::math::Vec3;

    fn damper(transition: f64) -> Damper {
        let law = |c: f64, d: f64| Law {
            damping: Characteristic::Linear(Coefficient::Value(c)),
            degressivity: Coefficient::Value(d),
        };
        Damper {
            name: "damper".into(),
            ends: [
                Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
                Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
            ],
            bump: law(50.0, 3.0),
            rebound: law(80.0, 1.0),
            gas_force: Coefficient::Value(20.0),
            transition,
            design_length: 0.7,
        }
    }

    fn tabular() -> Damper {
        let table = |rows: &[[f64; 2]]| Law {
            damping: Characteristic::Table(Table::new(rows)),
            degressivity: Coefficient::Value(0.0),
        };
        Damper {
            bump: table(&[[0.0, 0.0], [0.2, 10.0], [1.0, 20.0]]),
            rebound: table(&[[0.0, 0.0], [0.2, 30.0], [1.0, 50.0]]),
            ..damper(0.01)
        }
    }

    fn all() -> [Element; 3] {
        [damper(0.0), damper(0.05), tabular()].map(Element::Damper)
    }

    #[test]
    fn powers_balance_and_the_oil_only_takes_power() {
        for element in all() {
            elements::powers_balance(&element);
            elements::dissipates(&element);
            elements::force_is_the_negative_gradient(&element);
        }
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
    fn without_transition_the_force_is_the_published_law_of_each_direction() {
        let (damper, scene) = (damper(0.0), Scene::at_rest());
        let force = |v: f64| damper.oil(&scene.surroundings(), v).0;
        elements::close(force(2.0), 80.0 * 2.0 / 3.0, 1e-13);
        elements::close(force(-2.0), -50.0 * 2.0 / 7.0, 1e-13);
        assert_eq!(force(0.0), 0.0);
    }

    #[test]
    fn slope_is_the_derivative_of_the_force_also_through_standstill() {
        let scene = Scene::at_rest();
        for damper in [damper(0.05), tabular()] {
            for v in [-1.5, -0.1, -0.013, 1e-4, 0.004, 0.07, 0.9] {
                let force = |v: f64| damper.oil(&scene.surroundings(), v).0;
                let slope = (force(v + 1e-6) - force(v - 1e-6)) / 2e-6;
                elements::close(damper.oil(&scene.surroundings(), v).1, slope, 1e-5 * slope);
            }
        }
    }

    #[test]
    fn between_bump_and_rebound_the_slope_goes_over_without_a_jump() {
        let (damper, scene) = (damper(0.01), Scene::at_rest());
        let slope = |v: f64| damper.oil(&scene.surroundings(), v).1;
        elements::close(slope(0.0), 65.0, 1e-12);
        let mut last = slope(-0.05);
        for k in -500..500 {
            let next = slope(1e-4 * f64::from(k));
            assert!((next - last).abs() < 1.0, "{k}: {last} to {next}");
            last = next;
        }
    }
}
