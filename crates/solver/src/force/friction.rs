//! Dry and viscous friction on a joint coordinate, with sticking.
//!
//! # Law
//!
//! ```text
//!     effort = −(F_s f + c v),   f and ζ' by the law of bristles ([`super::bristle`], e = 1) with travel φ, time τ and
//!     g(v) = (F_c + (F_s − F_c) exp(−(v/v_s)²)) / F_s,
//! ```
//!
//! with the coordinate's speed v, the breakaway force F_s (`static`, at least F_c), the Coulomb friction F_c, the
//! Stribeck speed v_s and the viscous friction c, which also acts in stick. Friction holds loads below F_s without
//! creep: the coordinate yields by φ · load/F_s and stops. In sliding at speeds above v_s the resistance is F_c + c
//! |v|.
//!
//! # Energy
//!
//! Stored ½ F_s φ ζ². Dissipated power: the power of the bristles and c v², never negative.
//!
//! # Limits
//!
//! F_s and F_c are numbers; they do not follow the joint's reaction force. A suddenly applied load overshoots in the
//! bristles as on any spring. With a damping ratio ½ τ √(F_s/(φ m)) well below 1 on the inertia m, the friction must
//! hold up to twice the load. At the start of a simulation the deflection of the bristles balances the loads
//! (`ballesta::analysis::sticking`).
//!
//! # Choosing the parameters
//!
//! Choose φ small relative to the motions of interest and large enough for the step: explicit steps h need about φ ≥
//! F_s h²/m at τ = 2 h. Smaller values are rejected; `generalized_alpha` accepts any value. Without τ, the bristles
//! would oscillate.
//!
//! # Source
//!
//! See [`super::bristle`]; the speed dependence g is from C. Canudas de Wit, H. Olsson, K. J. Åström, P. Lischinsky,
//! IEEE Trans. Automatic Control 40 (1995) 419-425.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, sign, values by hand. tests/motion/verification/friction.rs: sticking in
//! every integrator, stick and slip against closed solutions.

use super::{
    Bristle, Bristles, Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Surroundings,
    Tangent,
};
use crate::math::elementary::exp;
use crate::math::maximum;
use crate::math::scalar::Scalar;
use alloc::string::String;
use core::ops::Range;

/// Friction on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Friction {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// F_c in N m or N.
    pub coulomb: Coefficient,
    /// F_s in N m or N; F_c if F_c is larger.
    pub breakaway: Coefficient,
    /// v_s in rad/s or m/s.
    pub stribeck_speed: Coefficient,
    /// c in N m s/rad or N s/m.
    pub viscous: Coefficient,
    /// φ and τ; `None` without dry friction.
    pub bristle: Option<Bristle>,
    /// Index of ζ among the auxiliary states.
    pub state: usize,
}

impl Friction {
    /// F_s, N m or N.
    pub fn holding<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        maximum(s.value(&self.breakaway), s.value(&self.coulomb))
    }

    /// g(v).
    pub(crate) fn level<S: Scalar>(&self, s: &Surroundings<S>, speed: S) -> S {
        let (coulomb, breakaway) = (s.value(&self.coulomb), self.holding(s));
        if breakaway <= coulomb {
            return S::one();
        }
        let slow = s.value(&self.stribeck_speed);
        let share = if slow > 0.0 { exp(-(speed / slow) * (speed / slow)) } else { S::zero() };
        (coulomb + (breakaway - coulomb) * share) / breakaway
    }

    pub(crate) fn bristles(&self) -> Option<Bristles<'_>> {
        let law = self.bristle.as_ref()?;
        Some(Bristles { coordinate: self.coordinate, state: self.state, law })
    }
}

impl ForceLaw for Friction {
    /// Adds the effort and the dissipated power.
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let speed = s.speed(self.coordinate);
        let viscous = s.value(&self.viscous) * speed;
        let mut resistance = viscous;
        let mut loss = viscous * speed;
        if let Some(bristle) = &self.bristle {
            let (state, level, force) = (s.auxiliary[self.state], self.level(s, speed), self.holding(s));
            resistance += force * bristle.share(speed, state, level);
            loss += force * bristle.loss(speed, state, level);
            loads.rates[self.state] = bristle.rate(speed, state, level);
        }
        loads.add_effort(self.coordinate, -resistance);
        loads.dissipated_power += loss;
    }

    /// Energy of the bent bristles, J.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.bristle.map_or(S::zero(), |bristle| self.holding(s) * bristle.stored(s.auxiliary[self.state]))
    }
}

impl ForceElement for Friction {
    fn name(&self) -> &str {
        &self.name
    }

    /// Stiffness and damping of the coordinate; the falling friction beyond breakaway counts as zero.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let (mut stiffness, mut damping) = (0.0, s.value(&self.viscous));
        if let Some(bristle) = &self.bristle {
            let speed = s.speed(self.coordinate);
            let (stiff, damped) = bristle.tangent(speed, s.auxiliary[self.state], self.level(s, speed));
            stiffness += self.holding(s) * stiff;
            damping += self.holding(s) * damped;
        }
        visit(&Tangent { direction: Direction::Coordinate(self.coordinate), stiffness, damping });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.coulomb, self.breakaway, self.stribeck_speed, self.viscous]);
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + usize::from(self.bristle.is_some())
    }

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        if let Some(bristle) = &self.bristle {
            let speed = s.speed(self.coordinate);
            auxiliary[self.state] = bristle.steady(speed, self.level(s, speed));
        }
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn friction(breakaway: f64) -> Element {
        Element::Friction(Friction {
            name: "seal".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            coulomb: Coefficient::Value(8.0),
            breakaway: Coefficient::Value(breakaway),
            stribeck_speed: Coefficient::Value(0.1),
            viscous: Coefficient::Value(0.5),
            bristle: Some(Bristle::sharp(1e-3, 0.002)),
            state: 1,
        })
    }

    #[test]
    fn friction_only_takes_power_and_the_balance_holds() {
        for breakaway in [0.0, 8.0, 12.0] {
            elements::powers_balance(&friction(breakaway));
            elements::dissipates(&friction(breakaway));
        }
    }

    #[test]
    fn effort_is_the_one_computed_by_hand() {
        let mut scene = Scene::at_rest();
        // Stuck: (ζ + τ v/φ) F_s + c v.
        (scene.v[1], scene.auxiliary[1]) = (-0.02, 0.3);
        elements::close(scene.loads(&friction(12.0)).efforts[1], -12.0 * (0.3 - 0.04) + 0.01, 1e-13);
        // Sliding at the Stribeck speed and far beyond.
        scene.v[1] = 0.1;
        scene.auxiliary[1] = 0.9;
        elements::close(scene.loads(&friction(12.0)).efforts[1], -(8.0 + 4.0 * 0.36787944117144233 + 0.05), 1e-13);
        scene.v[1] = 1e3;
        elements::close(scene.loads(&friction(12.0)).efforts[1], -508.0, 0.0);
        elements::close(scene.loads(&friction(0.0)).efforts[1], -508.0, 0.0);
    }

    #[test]
    fn friction_of_no_force_does_nothing_and_stays_finite() {
        let mut scene = Scene::at_rest();
        (scene.v[1], scene.auxiliary[1]) = (2.0, 0.3);
        let none = Coefficient::Value(0.0);
        let Element::Friction(seal) = friction(0.0) else { panic!("not friction") };
        let free = Element::Friction(Friction { coulomb: none, breakaway: none, ..seal });
        let loads = scene.loads(&free);
        assert_eq!((loads.efforts[1], loads.dissipated_power), (-1.0, 2.0));
        assert!(loads.rates[1].is_finite());
    }
}
