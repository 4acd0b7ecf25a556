//! One-sided elastic stops on a joint coordinate.
//!
//! # Law
//!
//! The coordinate q is free in lower ≤ q ≤ upper; either end may be missing. Beyond an end the stop is pressed in by
//! δ = q − upper (or lower − q) > 0 at the rate δ̇ = v (or −v), and pushes back towards the free range with
//!
//! ```text
//!     N = max(0, k δⁿ + c δ̇).
//! ```
//!
//! The stop is not glued on: where a fast retreat would make the sum negative, contact is kept without effort. Both ends
//! are independent elements.
//!
//! # Energy
//!
//! Potential k δⁿ⁺¹ / (n + 1), zero in the free range. The dissipated power is what the stop takes beyond its stored
//! energy, (N − k δⁿ) δ̇: c δ̇² while the effort is positive; while it is cut to zero, −k δⁿ δ̇, which is the stored energy
//! that is given up without being returned. It is never negative for k, c ≥ 0 (cutting implies δ̇ < 0), so the balance of
//! energies holds through the cut.
//!
//! # Limits
//!
//! With c > 0 the effort jumps to c δ̇ at the first touch, as for every dashpot that engages at contact. Fixed steps see
//! the touch only at their stages: the step in which contact begins or ends has order one. The loader asks for n ≥ 1, so
//! that the stiffness stays bounded at first touch.
//!
//! # Choosing the parameters
//!
//! n = 1 for a hard stop, 1.5 for a sphere on a plane (Hertz), 2 to 3 for progressive rubber. k follows from the
//! penetration δ_max that absorbs the impact energy E: k = (n + 1) E / δ_maxⁿ⁺¹. Steps should resolve the contact: at n = 1
//! it lasts about π √(m/k).
//!
//! # Tests
//!
//! Below, with `check.rs`: gradient, balance of powers with the cut, never pulls, values by hand.

use super::{Coefficient, CoordinateIx, Direction, Loads, Lookup, Surroundings, Tangent};
use crate::math::elementary::pow;
use crate::model::schema;

/// Elastic stops at the ends of a joint coordinate's free range.
#[derive(Clone, Debug, PartialEq)]
pub struct BumpStop {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Lower end of the free range, rad or m.
    pub lower: Option<Coefficient>,
    /// Upper end of the free range, rad or m.
    pub upper: Option<Coefficient>,
    /// k in N m/radⁿ or N/mⁿ.
    pub stiffness: Coefficient,
    /// n ≥ 1.
    pub exponent: Coefficient,
    /// c in N m s/rad or N s/m.
    pub damping: Coefficient,
}

impl BumpStop {
    /// The bump stop of a validated table of the model file.
    pub fn build(stop: &schema::BumpStop, lookup: &dyn Lookup) -> Self {
        BumpStop {
            name: stop.name.clone(),
            coordinate: lookup.coordinate(&stop.joint, stop.coordinate.as_deref()),
            lower: stop.lower.as_ref().map(|number| lookup.coefficient(number)),
            upper: stop.upper.as_ref().map(|number| lookup.coefficient(number)),
            stiffness: lookup.coefficient(&stop.stiffness),
            exponent: lookup.coefficient(&stop.exponent),
            damping: lookup.coefficient(&stop.damping),
        }
    }

    /// Adds the effort on the coordinate, and the power that is not stored.
    pub fn add_loads(&self, s: &Surroundings, loads: &mut Loads) {
        let speed = s.speed(self.coordinate);
        let [lower, upper] = self.penetrations(s);
        self.add_end(s, loads, lower, -speed, 1.0);
        self.add_end(s, loads, upper, speed, -1.0);
    }

    /// Stiffness k n δⁿ⁻¹ and damping of the coordinate while the stop pushes.
    pub(super) fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let (stiffness, exponent, damping) =
            (s.value(&self.stiffness), s.value(&self.exponent), s.value(&self.damping));
        let (speed, [lower, upper]) = (s.speed(self.coordinate), self.penetrations(s));
        for (depth, rate) in [(lower, -speed), (upper, speed)] {
            if depth > 0.0 && stiffness * pow(depth, exponent) + damping * rate > 0.0 {
                let stiffness = stiffness * exponent * pow(depth, exponent - 1.0);
                visit(&Tangent { direction: Direction::Coordinate(self.coordinate), stiffness, damping });
            }
        }
    }

    /// Stored energy, J; zero in the free range.
    pub fn potential(&self, s: &Surroundings) -> f64 {
        let (stiffness, order) = (s.value(&self.stiffness), s.value(&self.exponent) + 1.0);
        let energy = |depth: f64| if depth > 0.0 { stiffness * pow(depth, order) / order } else { 0.0 };
        let [lower, upper] = self.penetrations(s);
        energy(lower) + energy(upper)
    }

    /// Coefficients that may be parameters or inputs.
    pub(super) fn coefficients(&self) -> Vec<Coefficient> {
        let ends = [self.lower, self.upper].into_iter().flatten();
        ends.chain([self.stiffness, self.exponent, self.damping]).collect()
    }

    /// δ at the lower and the upper end; not positive without contact.
    fn penetrations(&self, s: &Surroundings) -> [f64; 2] {
        let q = s.position(self.coordinate);
        let lower = self.lower.map_or(0.0, |lower| s.value(&lower) - q);
        let upper = self.upper.map_or(0.0, |upper| q - s.value(&upper));
        [lower, upper]
    }

    /// One end with penetration δ = `depth` at the rate `rate`; the effort has the sign `sense` on the coordinate.
    fn add_end(&self, s: &Surroundings, loads: &mut Loads, depth: f64, rate: f64, sense: f64) {
        if depth > 0.0 {
            let elastic = s.value(&self.stiffness) * pow(depth, s.value(&self.exponent));
            let contact = (elastic + s.value(&self.damping) * rate).max(0.0);
            loads.add_effort(self.coordinate, sense * contact);
            loads.dissipated_power += (contact - elastic) * rate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::Element;
    use crate::force::check::{self, Scene};

    fn stop(exponent: f64, damping: f64) -> BumpStop {
        BumpStop {
            name: "stop".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            lower: Some(Coefficient::Value(-0.2)),
            upper: Some(Coefficient::Value(0.1)),
            stiffness: Coefficient::Value(500.0),
            exponent: Coefficient::Value(exponent),
            damping: Coefficient::Value(damping),
        }
    }

    #[test]
    fn effort_is_the_negative_gradient_of_the_potential() {
        for exponent in [1.0, 1.5, 3.0] {
            check::force_is_the_negative_gradient(&Element::BumpStop(stop(exponent, 30.0)));
        }
    }

    #[test]
    fn powers_balance_with_little_damping_and_with_so_much_that_the_effort_is_cut() {
        for damping in [1.0, 30.0, 3000.0] {
            check::powers_balance(&Element::BumpStop(stop(1.5, damping)));
            check::dissipates(&Element::BumpStop(stop(1.5, damping)));
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
        check::close(scene.loads(&element).efforts[1], -(500.0 * 0.04 + 10.0), 1e-12);
        check::close(element.potential(&scene.surroundings()), 500.0 * 0.008 / 3.0, 1e-13);
        (scene.q[2], scene.v[1]) = (-0.3, 1.0);
        check::close(scene.loads(&element).efforts[1], 0.0, 0.0);
        check::close(scene.loads(&element).dissipated_power, 500.0 * 0.01, 1e-12);
        (scene.q[2], scene.v[1]) = (-0.3, -1.0);
        check::close(scene.loads(&element).efforts[1], 500.0 * 0.01 + 10.0, 1e-12);
        check::close(scene.loads(&element).dissipated_power, 10.0, 1e-12);
    }

    #[test]
    fn missing_end_leaves_that_side_free() {
        let mut scene = Scene::at_rest();
        scene.q[2] = -5.0;
        let stop = BumpStop { lower: None, ..stop(1.0, 10.0) };
        assert_eq!(scene.loads(&Element::BumpStop(stop)).efforts[1], 0.0);
    }
}
