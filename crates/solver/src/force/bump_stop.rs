//! One-sided elastic stops on a joint coordinate or on the distance between two points.
//!
//! # Law
//!
//! The coordinate (or distance) q is free in lower ≤ q ≤ upper; either end may be missing. Beyond an end the stop is
//! compressed by δ = q − upper (or lower − q) > 0 at the rate δ̇ = v (or −v). It pushes back towards the free range
//! with
//!
//! ```text
//!     N = max(0, k δⁿ + c w δ̇),      w = u² (3 − 2u), u = min(1, δ/δ_c);   w = 1 for δ_c = 0.
//! ```
//!
//! k δⁿ may be a table that starts at (0, 0). The stop cannot pull: if a fast retreat would make the sum negative, the
//! effort is zero. Both ends are independent elements.
//!
//! # Energy
//!
//! Potential k δⁿ⁺¹ / (n + 1), or the integral of the table; zero in the free range. The dissipated power is the
//! absorbed power that is not stored, (N − k δⁿ) δ̇. It is c w δ̇² while the effort is positive. While the effort is
//! cut to zero it is −k δⁿ δ̇, the released energy that is not returned. It is never negative for k, c ≥ 0 (cutting
//! implies δ̇ < 0), so the balance of energies holds through the cut.
//!
//! # Limits
//!
//! With c > 0 and δ_c = 0 the effort jumps to c δ̇ at the first touch, as for every dashpot that engages at contact;
//! with δ_c > 0 (`damping_depth`) the effort rises smoothly. Fixed steps detect the contact only at their stages: the
//! step in which contact begins or ends has order one where the effort or its slope jumps. The loader requires n ≥ 1,
//! so that the stiffness is bounded at first contact.
//!
//! # Choosing the parameters
//!
//! n = 1 for a hard stop, 1.5 for a sphere on a plane (Hertz), 2 to 3 for progressive rubber. k follows from the
//! penetration δ_max that absorbs the impact energy E: k = (n + 1) E / δ_maxⁿ⁺¹. Steps should resolve the contact: at n
//! = 1 it lasts about π √(m/k). δ_c: a few per cent of δ_max, or the stop's whole length for rubber, which damps with
//! its volume.
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, balance of powers with the cut, never pulls, values by hand, no jump with δ_c.

use super::line::Line;
use super::{
    Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Marker, Quantity, SpringReadout,
    Surroundings, Table, Tangent,
};
use crate::math::elementary::{pow, pow_of};
use crate::math::maximum;
use crate::math::scalar::Scalar;
use alloc::string::String;

/// Elastic stops at the ends of a free range.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct BumpStop {
    /// Name in the model file.
    pub name: String,
    /// The quantity with the free range.
    pub on: On,
    /// Lower end of the free range, rad or m.
    pub lower: Option<Coefficient>,
    /// Upper end of the free range, rad or m.
    pub upper: Option<Coefficient>,
    /// Effort over penetration.
    pub law: Law,
    /// c in N m s/rad or N s/m.
    pub damping: Coefficient,
    /// δ_c in rad or m.
    pub damping_depth: Coefficient,
}

/// Quantity limited by a bump stop.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum On {
    /// A joint coordinate.
    Coordinate(CoordinateIx),
    /// The distance between two points.
    Points([Marker; 2]),
}

/// Elastic effort over penetration.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Law {
    /// k in N m/radⁿ or N/mⁿ, and n ≥ 1.
    Power(Coefficient, Coefficient),
    /// Rows of penetration and effort.
    Table(Table),
}

impl Law {
    fn value<S: Scalar>(&self, s: &Surroundings<S>, depth: S) -> S {
        match self {
            Law::Power(stiffness, exponent) => s.value(stiffness) * pow_of(depth, s.value(exponent)),
            Law::Table(table) => table.value(depth),
        }
    }

    fn slope(&self, s: &Surroundings, depth: f64) -> f64 {
        match self {
            Law::Power(stiffness, exponent) => {
                let exponent = s.value(exponent);
                s.value(stiffness) * exponent * pow(depth, exponent - 1.0)
            }
            Law::Table(table) => table.slope(depth),
        }
    }

    fn integral<S: Scalar>(&self, s: &Surroundings<S>, depth: S) -> S {
        match self {
            Law::Power(stiffness, exponent) => {
                let order = s.value(exponent) + 1.0;
                s.value(stiffness) * pow_of(depth, order) / order
            }
            Law::Table(table) => table.integral(depth),
        }
    }
}

/// One end of the range in contact.
struct Contact<S> {
    depth: S,
    rate: S,
    /// Sign of the effort on q.
    sense: f64,
}

impl BumpStop {
    /// Coordinate or distance, and its rate.
    fn motion<S: Scalar>(&self, s: &Surroundings<S>) -> (S, S) {
        match &self.on {
            On::Coordinate(ix) => (s.position(*ix), s.speed(*ix)),
            On::Points(ends) => {
                let line = Line::between(ends, s);
                (line.length, line.speed)
            }
        }
    }

    /// Lower and upper end; δ is not positive without contact.
    fn contacts<S: Scalar>(&self, s: &Surroundings<S>, q: S, v: S) -> [Contact<S>; 2] {
        let lower = self.lower.map_or(S::zero(), |lower| s.value(&lower) - q);
        let upper = self.upper.map_or(S::zero(), |upper| q - s.value(&upper));
        [Contact { depth: lower, rate: -v, sense: 1.0 }, Contact { depth: upper, rate: v, sense: -1.0 }]
    }

    /// Elastic part of the push and N, both zero without contact.
    fn push<S: Scalar>(&self, s: &Surroundings<S>, contact: &Contact<S>) -> (S, S) {
        if contact.depth > 0.0 {
            let elastic = self.law.value(s, contact.depth);
            let damping = s.value(&self.damping) * self.weight(s, contact.depth);
            (elastic, maximum(S::zero(), elastic + damping * contact.rate))
        } else {
            (S::zero(), S::zero())
        }
    }

    /// w.
    fn weight<S: Scalar>(&self, s: &Surroundings<S>, depth: S) -> S {
        let full = s.value(&self.damping_depth);
        if depth >= full {
            return S::one();
        }
        let u = depth / full;
        u * u * (S::from_f64(3.0) - u * 2.0)
    }
}

impl ForceLaw for BumpStop {
    /// Adds the effort on the coordinate or the force on the points, and the dissipated power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let effort = |q: S, v: S, loads: &mut Loads<S>| {
            let mut sum = S::zero();
            for contact in self.contacts(s, q, v) {
                let (elastic, push) = self.push(s, &contact);
                sum += push * contact.sense;
                loads.dissipated_power += (push - elastic) * contact.rate;
            }
            sum
        };
        match &self.on {
            On::Coordinate(ix) => {
                let sum = effort(s.position(*ix), s.speed(*ix), loads);
                loads.add_effort(*ix, sum);
            }
            On::Points(ends) => {
                let contacts = self.contacts(s, Line::distance(ends, s), S::zero());
                if !contacts.iter().any(|contact| contact.depth > 0.0) {
                    return;
                }
                let line = Line::between(ends, s);
                let sum = effort(line.length, line.speed, loads);
                line.add_tension(ends, -sum, loads);
            }
        }
    }

    /// Stored energy, J; zero in the free range.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let (q, v) = self.motion(s);
        let energy =
            |contact: Contact<S>| if contact.depth > 0.0 { self.law.integral(s, contact.depth) } else { S::zero() };
        self.contacts(s, q, v).map(energy).into_iter().sum()
    }

    /// Coordinate or distance, its rate, and force: tension is positive and acts against positive coordinates.
    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (length, speed) = self.motion(s);
        let effort = |contact: Contact<S>| self.push(s, &contact).1 * contact.sense;
        SpringReadout { length, speed, force: -self.contacts(s, length, speed).map(effort).into_iter().sum::<S>() }
    }
}

impl ForceElement for BumpStop {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_SPRINGS
    }

    /// Stiffness k n δⁿ⁻¹ and damping while the stop pushes.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let (q, v) = self.motion(s);
        for contact in self.contacts(s, q, v) {
            let push = self.push(s, &contact).1;
            if contact.depth > 0.0 && push > 0.0 {
                let stiffness = self.law.slope(s, contact.depth);
                let damping = s.value(&self.damping) * self.weight(s, contact.depth);
                match &self.on {
                    On::Coordinate(ix) => visit(&Tangent { direction: Direction::Coordinate(*ix), stiffness, damping }),
                    On::Points(ends) => {
                        let laws = [stiffness, damping, -contact.sense * push];
                        Line::between(ends, s).visit_tangents(ends, laws, visit);
                    }
                }
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        match &self.on {
            On::Coordinate(coordinate) => list.add_coordinates([*coordinate]),
            On::Points(ends) => list.add_bodies(ends.map(|end| end.body)),
        }
        list.add_coefficients([self.lower, self.upper].into_iter().flatten());
        if let Law::Power(stiffness, exponent) = self.law {
            list.add_coefficients([stiffness, exponent]);
        }
        list.add_coefficients([self.damping, self.damping_depth]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::{BodyIx, Element};

    fn stop(exponent: f64, damping: f64) -> BumpStop {
        BumpStop {
            name: "stop".into(),
            on: On::Coordinate(CoordinateIx { position: 2, velocity: 1 }),
            lower: Some(Coefficient::Value(-0.2)),
            upper: Some(Coefficient::Value(0.1)),
            law: Law::Power(Coefficient::Value(500.0), Coefficient::Value(exponent)),
            damping: Coefficient::Value(damping),
            damping_depth: Coefficient::Value(0.0),
        }
    }

    #[test]
    fn effort_is_the_negative_gradient_of_the_potential() {
        for exponent in [1.0, 1.5, 3.0] {
            elements::force_is_the_negative_gradient(&Element::BumpStop(stop(exponent, 30.0)));
        }
    }

    #[test]
    fn powers_balance_with_little_damping_and_with_so_much_that_the_effort_is_cut() {
        for damping in [1.0, 30.0, 3000.0] {
            elements::powers_balance(&Element::BumpStop(stop(1.5, damping)));
            elements::dissipates(&Element::BumpStop(stop(1.5, damping)));
        }
    }

    #[test]
    fn stop_never_pulls_and_is_silent_in_the_free_range() {
        let mut cut = 0;
        for seed in 0..200 {
            let scene = Scene::random(seed);
            let (q, effort) = (scene.q[2], scene.loads(&Element::BumpStop(stop(1.0, 400.0))).efforts[1]);
            if q > 0.1 {
                assert!(effort <= 0.0);
            } else if q < -0.2 {
                assert!(effort >= 0.0);
            } else {
                assert_eq!(effort, 0.0);
            }
            if effort == 0.0 && !(-0.2..=0.1).contains(&q) {
                cut += 1;
            }
        }
        assert!(cut > 10, "the cut was reached {cut} times");
    }

    #[test]
    fn effort_at_both_ends_is_the_one_computed_by_hand() {
        let mut scene = Scene::at_rest();
        let element = Element::BumpStop(stop(2.0, 10.0));
        (scene.q[2], scene.v[1]) = (0.3, 1.0);
        elements::close(scene.loads(&element).efforts[1], -(500.0 * 0.04 + 10.0), 1e-12);
        elements::close(element.potential(&scene.surroundings()), 500.0 * 0.008 / 3.0, 1e-13);
        (scene.q[2], scene.v[1]) = (-0.3, 1.0);
        elements::close(scene.loads(&element).efforts[1], 0.0, 0.0);
        elements::close(scene.loads(&element).dissipated_power, 500.0 * 0.01, 1e-12);
        (scene.q[2], scene.v[1]) = (-0.3, -1.0);
        elements::close(scene.loads(&element).efforts[1], 500.0 * 0.01 + 10.0, 1e-12);
        elements::close(scene.loads(&element).dissipated_power, 10.0, 1e-12);
    }

    #[test]
    fn missing_end_leaves_that_side_free() {
        let mut scene = Scene::at_rest();
        scene.q[2] = -5.0;
        let stop = BumpStop { lower: None, ..stop(1.0, 10.0) };
        assert_eq!(scene.loads(&Element::BumpStop(stop)).efforts[1], 0.0);
    }

    /// Between two points, with a table and damping that rises with the penetration.
    fn between_points() -> BumpStop {
        use crate::math::Vec3;
        let ends = [
            Marker { body: BodyIx(1), point: Vec3::new(0.3, -0.2, 0.5) },
            Marker { body: BodyIx(2), point: Vec3::new(-0.4, 0.1, 0.2) },
        ];
        BumpStop {
            on: On::Points(ends),
            lower: Some(Coefficient::Value(1.2)),
            upper: Some(Coefficient::Value(1.8)),
            law: Law::Table(Table::new(&[[0.0, 0.0], [0.3, 20.0], [1.0, 200.0]])),
            damping_depth: Coefficient::Value(0.4),
            ..stop(1.0, 15.0)
        }
    }

    #[test]
    fn stop_between_points_has_a_potential_balances_and_acts_equally_on_both() {
        let element = Element::BumpStop(between_points());
        elements::force_is_the_negative_gradient(&element);
        elements::powers_balance(&element);
        elements::dissipates(&element);
        elements::action_equals_reaction(&element);
        elements::independent_of_world_frame(&element);
        elements::independent_of_common_motion(&element);
        elements::independent_of_reference_points(&element);
    }

    #[test]
    fn effort_sets_in_without_a_jump_where_the_damping_rises_with_the_penetration() {
        let smooth = BumpStop { damping_depth: Coefficient::Value(0.01), ..stop(1.0, 40.0) };
        let effort = |stop: &BumpStop, depth: f64| {
            let mut scene = Scene::at_rest();
            (scene.q[2], scene.v[1]) = (0.1 + depth, 2.0);
            stop.readout(&scene.surroundings()).force
        };
        elements::close(effort(&stop(1.0, 40.0), 1e-9), 80.0, 1e-5);
        elements::close(effort(&smooth, 1e-9), 0.0, 1e-5);
        elements::close(effort(&smooth, 0.02), effort(&stop(1.0, 40.0), 0.02), 1e-12);
    }
}
