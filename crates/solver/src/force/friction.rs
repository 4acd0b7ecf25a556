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
//! # Load of the joint
//!
//! With [`LoadFriction`], the friction also grows with the load Λ that the bearing transmits,
//!
//! ```text
//!     F_c = F_c⁰ + μ Λ,    F_s = max(F_s⁰, F_c⁰) + max(μ_s, μ) Λ,    T Λ' = P − Λ,
//!     P = r (|F/2 + (a × M)/L| + |F/2 − (a × M)/L|) + r_t |F_a|,
//! ```
//!
//! with the reaction force F across the axis a and its axial part F_a, the reaction moment M across the axis, two
//! bearings at the distance L (without L: r |F|), and the bearing radius r (1 for a translation) and thrust radius r_t.
//! P depends on the accelerations, which depend on the friction. The filter of time T makes this implicit equation
//! explicit: Λ is a state. The bristles have the constant stiffness F_n/φ, with the breakaway force F_n at the nominal
//! load, and break away at F_s/F_n times the travel.
//!
//! # Energy
//!
//! Stored ½ F_s φ ζ². Dissipated power: the power of the bristles and c v², never negative.
//!
//! # Limits
//!
//! Λ follows P with a delay of T. If friction amplifies its own load (μ ∂P/∂effort > 1), the joint jams: Λ grows
//! without bound while it slides. A suddenly applied load overshoots in the bristles as on any spring. With a damping
//! ratio ½ τ √(F_s/(φ m)) well below 1 on the inertia m, the friction must hold up to twice the load. At the start of a
//! simulation the deflection of the bristles balances the loads (`ballesta::analysis::sticking`).
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
use crate::math::scalar::{Scalar, norm};
use crate::math::{Vec3, maximum};
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
    /// Friction that grows with the load of the joint.
    pub load: Option<LoadFriction>,
    /// Index of ζ among the auxiliary states; Λ follows.
    pub state: usize,
}

/// Friction in proportion to the load that the joint transmits.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LoadFriction {
    /// Index of the joint in [`crate::system::System::joint_places`].
    pub joint: usize,
    /// μ.
    pub coefficient: Coefficient,
    /// μ_s; μ if μ is larger.
    pub static_coefficient: Coefficient,
    /// Whether the coordinate is an angle.
    pub rotation: bool,
    /// r in m; 1 for a translation.
    pub radius: f64,
    /// r_t in m.
    pub thrust_radius: f64,
    /// L in m; `None`: moments are ignored.
    pub bearing_distance: Option<f64>,
    /// Load for which the travel of the bristles holds, in the unit of P.
    pub nominal: f64,
    /// T in s.
    pub time: f64,
}

impl LoadFriction {
    /// P for the reaction force and moment on the axis (unit length), in one frame, N m or N.
    pub fn load<S: Scalar>(&self, axis: &Vec3<S>, force: &Vec3<S>, moment: &Vec3<S>) -> S {
        let thrust = axis.dot(force);
        let across = (force - axis * thrust) * S::from_f64(0.5);
        let couple = self.bearing_distance.map_or(Vec3::zeros(), |distance| axis.cross(moment) / S::from_f64(distance));
        let radial = norm(&(across + couple)) + norm(&(across - couple));
        radial * self.radius + thrust.abs() * self.thrust_radius
    }
}

/// Levels of dry friction at one instant, N m or N.
struct Levels<S> {
    /// F_c.
    coulomb: S,
    /// F_s.
    breakaway: S,
    /// Breakaway force that the bristles refer to: F_n, or F_s without a load.
    reference: S,
}

impl Friction {
    fn levels<S: Scalar>(&self, s: &Surroundings<S>) -> Levels<S> {
        let coulomb = s.value(&self.coulomb);
        let breakaway = maximum(s.value(&self.breakaway), coulomb);
        let Some(law) = &self.load else { return Levels { coulomb, breakaway, reference: breakaway } };
        let (load, sliding) = (maximum(s.auxiliary[self.state + 1], S::zero()), s.value(&law.coefficient));
        let sticking = maximum(s.value(&law.static_coefficient), sliding);
        Levels {
            coulomb: coulomb + sliding * load,
            breakaway: breakaway + sticking * load,
            reference: breakaway + sticking * law.nominal,
        }
    }

    /// F_s, N m or N.
    pub fn holding<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.levels(s).breakaway
    }

    /// g(v), relative to the force that the bristles refer to.
    pub(crate) fn level<S: Scalar>(&self, s: &Surroundings<S>, speed: S) -> S {
        let Levels { coulomb, breakaway, reference } = self.levels(s);
        if breakaway <= coulomb && self.load.is_none() {
            return S::one();
        }
        let slow = s.value(&self.stribeck_speed);
        let share = if slow > 0.0 { exp(-(speed / slow) * (speed / slow)) } else { S::zero() };
        if reference > 0.0 { (coulomb + (breakaway - coulomb) * share) / reference } else { S::zero() }
    }

    /// The deflection at breakaway as a fraction of φ: 1, or F_s/F_n.
    pub(crate) fn rest_level(&self, s: &Surroundings) -> f64 {
        let Levels { breakaway, reference, .. } = self.levels(s);
        if self.load.is_some() && reference > 0.0 { breakaway / reference } else { 1.0 }
    }

    /// Index of Λ among the auxiliary states, with its law.
    pub(crate) fn load_state(&self) -> Option<(usize, &LoadFriction)> {
        self.load.as_ref().map(|law| (self.state + 1, law))
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
            let (state, level, force) = (s.auxiliary[self.state], self.level(s, speed), self.levels(s).reference);
            resistance += force * bristle.share(speed, state, level);
            loss += force * bristle.loss(speed, state, level);
            loads.rates[self.state] = bristle.rate(speed, state, level);
        }
        // Known only with the accelerations: `dynamics::joint_loads`.
        if let Some((state, _)) = self.load_state() {
            loads.rates[state] = S::zero();
        }
        loads.add_effort(self.coordinate, -resistance);
        loads.dissipated_power += loss;
    }

    /// Energy of the bent bristles, J.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        self.bristle.map_or(S::zero(), |bristle| self.levels(s).reference * bristle.stored(s.auxiliary[self.state]))
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
            let reference = self.levels(s).reference;
            stiffness += reference * stiff;
            damping += reference * damped;
        }
        visit(&Tangent { direction: Direction::Coordinate(self.coordinate), stiffness, damping });
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.coulomb, self.breakaway, self.stribeck_speed, self.viscous]);
        list.add_coefficients(self.load.iter().flat_map(|law| [law.coefficient, law.static_coefficient]));
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + usize::from(self.bristle.is_some()) + usize::from(self.load.is_some())
    }

    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        if let Some(bristle) = &self.bristle {
            let speed = s.speed(self.coordinate);
            auxiliary[self.state] = bristle.steady(speed, self.level(s, speed));
        }
        if let Some((state, law)) = self.load_state() {
            auxiliary[state] = law.nominal;
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
            load: None,
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
