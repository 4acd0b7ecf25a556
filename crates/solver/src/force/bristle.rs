//! Dry friction with memory: bristles that bend before they slide. `[[friction]]`, brakes and leaf springs share this
//! law.
//!
//! # Law
//!
//! With the sliding speed v, the deflection ζ of the bristles (a state) as a fraction of the deflection at breakaway,
//! the travel φ up to breakaway, the time τ of their damping, the level g of friction at this speed and its elastic
//! part e, and all forces as fractions of the breakaway force F,
//!
//! ```text
//!     φ ζ' = v − w,      f = ζ + τ ζ',      w = |v| s(f/g),
//!     s(u) = 0 for |u| ≤ e,  sign(u) (|u| − e)/(1 − e) beyond.
//! ```
//!
//! w is the speed at which the bristles' tips slide. s is the α(z, v) of Dupont et al., as a function of the whole
//! force and odd. f follows in closed form. With the sticking force p = ζ + τ v/φ,
//!
//! ```text
//!     f = p for |p| ≤ e g,    sign(p) (e g + (|p| − e g) r) beyond,    r = (1 − e) g φ/((1 − e) g φ + τ |v|).
//! ```
//!
//! * e = 1 (joints, brakes): elastic up to the level, then f = ±g. In stick the law is exactly a spring F/φ with a
//!   damper F τ/φ: a load below F causes no creep, whether it is constant, reverses or oscillates. In sliding, ζ
//!   approaches ±g with the time constant τ.
//! * e = 0 (leaves): for slow motion (τ |v| ≪ φ) Dahl's law of exponent 1, dF/dx = (F_c sign(v) − F)/φ: after a
//!   reversal the friction approaches the other branch exponentially with the travel φ.
//!
//! The rate of ζ is bounded by 2/τ, whatever the speed.
//!
//! # Energy
//!
//! The bristles store ½ F φ ζ². The rest of the absorbed power F f v is dissipated, also while the level changes:
//!
//! ```text
//!     f v − φ ζ ζ' = f w + τ φ ζ'² ≥ 0.
//! ```
//!
//! # Limits
//!
//! Explicit steps h need h < 2 τ while it slides and, on the inertia m, the stability of an oscillator of ω² = F/(φ m)
//! with the damping ratio ½ ω τ while it sticks; semi-implicit Euler, which updates the bristles with the old speeds,
//! also needs h < τ. For e = 0, small cycles below F drift by less than the travel φ, and the drift does not accumulate
//! under a constant load.
//!
//! # Source
//!
//! P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, Single state elastoplastic friction models, IEEE Trans. Automatic
//! Control 47 (2002) 787-792; P. R. Dahl, A solid friction model, Aerospace Corp. TOR-0158 (1968); P. S. Fancher et
//! al., SAE 800905 (1980), who use the same exponential for leaf springs.

use super::CoordinateIx;
use crate::math::quotient;
use crate::math::scalar::Scalar;

/// Bristles count as at rest if they bend by less than this fraction of their travel within τ. A lower speed is
/// round-off.
const REST: f64 = 1e-6;

/// The bristles of an element at a joint coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Bristles<'a> {
    /// The coordinate.
    pub coordinate: CoordinateIx,
    /// Index of ζ among the auxiliary states.
    pub state: usize,
    /// Constants.
    pub law: &'a Bristle,
}

/// Constants of the friction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Bristle {
    /// φ, rad or m.
    pub travel: f64,
    /// τ, s; positive where e = 1.
    pub time: f64,
    /// e, 0 to 1.
    pub elastic: f64,
}

/// Response of a bristle at a speed.
struct Answer<S> {
    /// f.
    share: S,
    /// ∂f/∂p.
    slope: S,
    /// sign(p) s: w over |v|; for e = 1 only its limit at the level.
    slip: S,
    /// p − f.
    excess: S,
    sticks: bool,
    /// Whether friction approaches the level gradually beyond the elastic part: e < 1 and a non-zero level.
    gradual: bool,
}

impl Bristle {
    /// Law of joints and brakes.
    pub fn sharp(travel: f64, time: f64) -> Bristle {
        Bristle { travel, time, elastic: 1.0 }
    }

    /// Law of leaves.
    pub fn gradual(travel: f64, time: f64) -> Bristle {
        Bristle { travel, time, elastic: 0.0 }
    }

    /// f: friction as a fraction of the breakaway friction; `level`: g ≥ 0.
    pub(crate) fn share<S: Scalar>(&self, speed: S, state: S, level: S) -> S {
        self.answer(speed, state, level).share
    }

    /// ζ', 1/s.
    pub(crate) fn rate<S: Scalar>(&self, speed: S, state: S, level: S) -> S {
        self.rate_of(speed, &self.answer(speed, state, level))
    }

    /// Dissipated power per F, rad/s or m/s.
    pub(crate) fn loss<S: Scalar>(&self, speed: S, state: S, level: S) -> S {
        let answer = self.answer(speed, state, level);
        let rate = self.rate_of(speed, &answer);
        answer.share * self.sliding(speed, &answer) + rate * (self.time * self.travel) * rate
    }

    /// Stored energy per F, rad or m.
    pub(crate) fn stored<S: Scalar>(&self, state: S) -> S {
        state * (0.5 * self.travel) * state
    }

    /// Stiffness per F (1/rad or 1/m) and damping (s/rad or s/m) for small changes about a motion.
    pub(crate) fn tangent(&self, speed: f64, state: f64, level: f64) -> (f64, f64) {
        let answer = self.answer(speed, state, level);
        let toward = if speed == 0.0 { 0.0 } else { answer.slip * speed.signum() };
        let stiffness = answer.slope * (1.0 - toward).max(0.0) / self.travel;
        (stiffness, stiffness * self.time)
    }

    /// The state after the time `h` > 0 and a motion by `moved` (rad or m) at a constant speed, by the implicit Euler
    /// rule. The result is exact in stick, and within the level for any step size. The law with τ + h in place of τ
    /// gives the final force, and the state follows from f = ζ + τ ζ'.
    pub(crate) fn after(&self, state: f64, moved: f64, h: f64, level: f64) -> f64 {
        let slow = Bristle { time: self.time + h, ..*self };
        let answer = slow.answer(moved / h, state, level);
        if answer.sticks { state + moved / self.travel } else { (h * answer.share + self.time * state) / slow.time }
    }

    /// Whether `speed` counts as zero.
    pub fn rests(&self, speed: f64) -> bool {
        speed.abs() * self.time < REST * self.travel
    }

    /// The state of a steady motion: at the level against the motion at any speed; undeflected at rest.
    pub(crate) fn steady(&self, speed: f64, level: f64) -> f64 {
        if self.rests(speed) { 0.0 } else { level.copysign(speed) }
    }

    fn answer<S: Scalar>(&self, speed: S, state: S, level: S) -> Answer<S> {
        let stuck = state + speed * self.time / self.travel;
        let (edge, size) = (level * self.elastic, stuck.abs());
        if size <= edge {
            let (zero, one) = (S::zero(), S::one());
            return Answer { share: stuck, slope: one, slip: zero, excess: zero, sticks: true, gradual: false };
        }
        let (gradual, passed) = (level * (1.0 - self.elastic), speed.abs() * self.time / self.travel);
        let slope = if gradual > 0.0 { quotient(gradual, gradual + passed) } else { S::zero() };
        let beyond = size - edge;
        let slip = if gradual > 0.0 { quotient(beyond, gradual + passed) } else { S::one() };
        let sign = stuck.value().signum();
        Answer {
            share: (edge + beyond * slope) * sign,
            slope,
            slip: slip * sign,
            excess: beyond * sign * (S::one() - slope),
            sticks: false,
            gradual: gradual > 0.0,
        }
    }

    fn rate_of<S: Scalar>(&self, speed: S, answer: &Answer<S>) -> S {
        (speed - self.sliding(speed, answer)) / self.travel
    }

    /// w.
    fn sliding<S: Scalar>(&self, speed: S, answer: &Answer<S>) -> S {
        if answer.sticks {
            S::zero()
        } else if answer.gradual {
            speed.abs() * answer.slip
        } else {
            // f = ζ + τ ζ′ alone: free bristles return with the time constant τ, also at rest.
            answer.excess * self.travel / self.time
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::Random;

    const BRISTLES: [Bristle; 3] = [
        Bristle { travel: 0.02, time: 0.002, elastic: 0.0 },
        Bristle { travel: 0.02, time: 0.002, elastic: 0.7 },
        Bristle { travel: 0.02, time: 0.002, elastic: 1.0 },
    ];

    #[test]
    fn friction_never_exceeds_its_limit_and_never_gives_what_was_not_stored() {
        let mut random = Random(7);
        for bristle in BRISTLES {
            for _ in 0..10000 {
                let (speed, state) = (50.0 * random.number().powi(5), random.number());
                assert!(bristle.share(speed, state, 1.0).abs() <= 1.0 + 1e-15);
                assert!(bristle.rate(speed, state, 1.0).abs() <= 2.0001 / bristle.time);
                // Also if the level is below the present bristle force.
                for level in [1.0, 0.3, 0.0] {
                    let loss = bristle.loss(speed, state, level);
                    let (share, rate) = (bristle.share(speed, state, level), bristle.rate(speed, state, level));
                    let error = share * speed - bristle.travel * state * rate - loss;
                    assert!(loss >= 0.0 && error.abs() < 1e-13 * (1.0 + speed.abs()), "{level} {speed} {state}");
                    let kept = (share - state - bristle.time * rate).abs();
                    assert!(kept < 1e-13 * (1.0 + speed.abs() / bristle.travel), "{kept:e}");
                }
            }
        }
    }

    #[test]
    fn slow_motion_of_leaves_goes_over_to_the_other_branch_exponentially_with_the_travel() {
        let slow = Bristle::gradual(0.02, 0.0);
        let (mut state, step) = (-1.0, 1e-5);
        for k in 0..4000 {
            let x = step * f64::from(k);
            let expected = 1.0 - 2.0 * (-x / slow.travel).exp();
            assert!((slow.share(1.0, state, 1.0) - expected).abs() < 1e-5);
            // Midpoint rule with the speed 1.
            let middle = state + 0.5 * step * slow.rate(1.0, state, 1.0);
            state += step * slow.rate(1.0, middle, 1.0);
        }
    }

    #[test]
    fn joints_are_elastic_up_to_the_level_and_keep_it_beyond() {
        let [.., sharp] = BRISTLES;
        let (mut state, step) = (0.0, 1e-5);
        for k in 0..4000 {
            let x = step * f64::from(k);
            assert!((sharp.share(1e-9, state, 1.0) - (x / 0.02).min(1.0)).abs() < 1e-3, "{x}");
            state = sharp.after(state, step, 1e-3, 1.0);
        }
        assert!((state - 1.0).abs() < 1e-3);
    }

    #[test]
    fn states_follow_the_rates_and_stay_within_the_level_in_any_step() {
        let mut random = Random(11);
        for bristle in BRISTLES {
            for _ in 0..1000 {
                let (speed, state, level) =
                    (random.number().powi(3), random.number(), 0.5 + 0.5 * random.number().abs());
                let h = 1e-9;
                let slope = (bristle.after(state, h * speed, h, level) - state) / h;
                let rate = bristle.rate(speed, state, level);
                assert!((slope - rate).abs() < 1e-4 * (1.0 + rate.abs()), "{slope} {rate}");
                let long = bristle.after(state, speed * 10.0, 10.0, level);
                assert!(long.abs() <= state.abs().max(level) + 1e-12, "{long}");
            }
        }
    }

    #[test]
    fn a_steady_motion_bends_to_the_level_at_any_speed_and_keeps_it() {
        for bristle in BRISTLES {
            for speed in [2e-5, -1e-3, 0.005, -30.0] {
                let state = bristle.steady(speed, 0.8);
                assert!((state - 0.8f64.copysign(speed)).abs() < 1e-15, "{state}");
                assert!(bristle.rate(speed, state, 0.8).abs() < 1e-12 * (1.0 + speed.abs() / bristle.travel));
                assert!((bristle.share(speed, state, 0.8) - state).abs() < 1e-15);
            }
            assert_eq!(bristle.steady(-1e-9, 0.8), 0.0);
        }
    }

    #[test]
    fn shaking_below_the_level_leaves_no_trace() {
        let [.., sharp] = BRISTLES;
        let mut state = 0.5;
        for _ in 0..100_000 {
            for moved in [0.009, -0.029, 0.02] {
                state = sharp.after(state, moved, 1.0, 1.0);
            }
        }
        assert!((state - 0.5).abs() < 1e-9, "{state}");
    }

    #[test]
    fn tangents_are_those_of_the_law() {
        for bristle in BRISTLES {
            for (speed, state) in [(0.3, 0.4), (-0.02, 0.9), (5.0, -0.2), (0.01, 0.6)] {
                let d = 1e-7;
                let share = |speed: f64| bristle.share(speed, state, 1.0);
                let slope = (share(speed + d) - share(speed - d)) / (2.0 * d);
                let (_, damping) = bristle.tangent(speed, state, 1.0);
                assert!((damping - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{speed}");
            }
        }
    }
}
