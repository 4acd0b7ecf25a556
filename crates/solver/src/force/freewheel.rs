//! Freewheel: a coupling that turns freely in one sense and locks elastically in the other.
//!
//! # Law
//!
//! With the speed v of the coordinate in the free sense (`sense` · q̇), the wind-up ζ is a state:
//!
//! ```text
//!     ζ̇ = v − max(ζ, 0) / τ
//!     M = max(0, −k ζ − c v)   for ζ < 0,    M = 0   for ζ ≥ 0
//! ```
//!
//! M acts in the free sense on the second body of the joint. Backwards (v < 0) the coupling winds up and locks; while
//! it unwinds it returns its energy; in the free sense ζ remains at v τ. The coupling therefore locks after the angle
//! v τ, where v is the speed just before the reversal, τ earlier.
//!
//! # Energy
//!
//! Potential ½ k ζ² for ζ < 0. Dissipated power c v², or the released power that is not returned; never negative.
//!
//! # Limits
//!
//! A ratchet with teeth locks only at its teeth; this law is the limit of fine teeth. The coupling starts unwound, so
//! an equilibrium (`trim`) does not use it. Explicit steps must resolve √(k/J) and τ.
//!
//! # Tests
//!
//! Below, with `check.rs`: balance of powers, free and locked motion by hand.

use super::{
    Coefficient, Connections, CoordinateIx, Direction, ForceElement, ForceLaw, Loads, Quantity, SpringReadout,
    Surroundings, Tangent,
};
use crate::math::maximum;
use crate::math::scalar::Scalar;
use alloc::string::String;
use core::ops::Range;

/// One-way coupling on a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Freewheel {
    /// Name in the model file.
    pub name: String,
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// 1: free towards positive coordinates; −1: towards negative ones.
    pub sense: Coefficient,
    /// k, N m/rad or N/m.
    pub stiffness: Coefficient,
    /// c, N m s/rad or N s/m.
    pub damping: Coefficient,
    /// τ, s.
    pub time: f64,
    /// Index of ζ among the auxiliary states.
    pub state: usize,
}

impl Freewheel {
    /// v, ζ and M.
    fn law<S: Scalar>(&self, s: &Surroundings<S>) -> (S, S, S) {
        let (speed, wind_up) = (s.value(&self.sense) * s.speed(self.coordinate), s.auxiliary[self.state]);
        if wind_up < 0.0 {
            let push = -s.value(&self.stiffness) * wind_up - s.value(&self.damping) * speed;
            (speed, wind_up, maximum(S::zero(), push))
        } else {
            (speed, wind_up, S::zero())
        }
    }

    /// Index of ζ, and its value after the coordinate has moved by `moved` within the time `h`.
    pub(super) fn after(&self, s: &Surroundings, auxiliary0: &[f64], moved: f64, h: f64) -> (usize, f64) {
        let before = auxiliary0[self.state];
        let moved = s.value(&self.sense) * moved;
        // The free motion is implicit, so that ζ stays bounded for any h/τ.
        let free = if before > 0.0 { before / (1.0 + h / self.time) } else { before };
        let after = free + moved;
        (self.state, if after > 0.0 && before <= 0.0 { after / (1.0 + h / self.time) } else { after })
    }
}

impl ForceLaw for Freewheel {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        let (speed, wind_up, push) = self.law(s);
        loads.add_effort(self.coordinate, s.value(&self.sense) * push);
        let locked = wind_up < 0.0;
        loads.rates[self.state] = if locked { speed } else { speed - wind_up / self.time };
        if locked {
            loads.dissipated_power += (-s.value(&self.stiffness) * wind_up - push) * speed;
        }
    }

    /// Stored energy, J.
    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let wind_up = s.auxiliary[self.state];
        if wind_up < 0.0 { s.value(&self.stiffness) * wind_up * wind_up * 0.5 } else { S::zero() }
    }

    fn readout<S: Scalar>(&self, s: &Surroundings<S>) -> SpringReadout<S> {
        let (length, speed) = (s.position(self.coordinate), s.speed(self.coordinate));
        SpringReadout { length, speed, force: s.value(&self.sense) * self.law(s).2 }
    }
}

impl ForceElement for Freewheel {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_DRIVES
    }

    /// k and c while the coupling is locked.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        if self.law(s).2 > 0.0 {
            visit(&Tangent {
                direction: Direction::Coordinate(self.coordinate),
                stiffness: s.value(&self.stiffness),
                damping: s.value(&self.damping),
            });
        }
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 1
    }

    fn place_states(&mut self, first: usize) {
        self.state = first;
    }

    fn state_size(&self) -> (&'static str, f64) {
        ("1", 0.01)
    }

    /// Unwound, or the lag of a free motion.
    fn settle(&self, s: &Surroundings, auxiliary: &mut [f64]) {
        let speed = s.value(&self.sense) * s.speed(self.coordinate);
        auxiliary[self.state] = if speed > 0.0 { speed * self.time } else { 0.0 };
    }

    fn connect(&self, list: &mut Connections) {
        list.add_coordinates([self.coordinate]);
        list.add_coefficients([self.sense, self.stiffness, self.damping]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::elements::{self, Scene};
    use crate::force::Element;

    fn freewheel(sense: f64) -> Freewheel {
        Freewheel {
            name: "clutch".into(),
            coordinate: CoordinateIx { position: 2, velocity: 1 },
            sense: Coefficient::Value(sense),
            stiffness: Coefficient::Value(400.0),
            damping: Coefficient::Value(3.0),
            time: 0.01,
            state: 4,
        }
    }

    #[test]
    fn powers_balance_and_nothing_is_gained() {
        for sense in [1.0, -1.0] {
            elements::powers_balance(&Element::Freewheel(freewheel(sense)));
            elements::dissipates(&Element::Freewheel(freewheel(sense)));
        }
    }

    #[test]
    fn coupling_locks_backwards_and_is_free_forwards() {
        let mut scene = Scene::at_rest();
        let element = Element::Freewheel(freewheel(-1.0));
        // Wound up by 0.02 and still winding: 400 · 0.02 + 3 · 0.5, against positive coordinates.
        (scene.auxiliary[4], scene.v[1]) = (-0.02, 0.5);
        let loads = scene.loads(&element);
        elements::close(loads.efforts[1], -9.5, 1e-12);
        elements::close(loads.rates[4], -0.5, 1e-15);
        elements::close(element.potential(&scene.surroundings()), 0.08, 1e-15);
        // Free: the lag v τ is constant.
        (scene.auxiliary[4], scene.v[1]) = (0.005, -0.5);
        let loads = scene.loads(&element);
        assert_eq!((loads.efforts[1], loads.rates[4], loads.dissipated_power), (0.0, 0.0, 0.0));
        // A fast retreat from the lock: the damper does not pull.
        (scene.auxiliary[4], scene.v[1]) = (-0.001, -2.0);
        let loads = scene.loads(&element);
        elements::close(loads.efforts[1], 0.0, 0.0);
        elements::close(loads.dissipated_power, 0.8, 1e-12);
    }

    #[test]
    fn implicit_steps_of_the_wind_up_are_those_of_the_law() {
        let scene = Scene::at_rest();
        let s = scene.surroundings();
        let after = |wind_up: f64, moved: f64| freewheel(1.0).after(&s, &[0.0, 0.0, 0.0, 0.0, wind_up], moved, 1e-3).1;
        elements::close(after(-0.02, -0.001), -0.021, 1e-15);
        elements::close(after(0.005, 0.0005), 0.005 / 1.1 + 0.0005, 1e-15);
        elements::close(after(0.0, 0.011), 0.01, 1e-15);
    }
}
