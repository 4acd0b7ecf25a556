//! Dry friction with memory: bristles that bend before they slide.
//!
//! # Law
//!
//! With the sliding speed v, the mean deflection ζ of the bristles as a share of the largest (a state, −1 ≤ ζ ≤ 1), the
//! travel φ and the time τ, friction and the rate of the state are
//!
//! ```text
//!     F = F_c f,    f = (φ ζ + τ v) / (φ + τ |v|),        ζ' = (v − |v| ζ) / (φ + τ |v|).
//! ```
//!
//! |f| ≤ 1 always, and f = ±1 while it slides. For slow motion (τ |v| ≪ φ) it is Dahl's law of exponent 1, dF/dx =
//! (F_c sign(v) − F)/φ: after a reversal the friction goes over to the other branch exponentially with the travel φ. For
//! small amplitudes it is a spring F_c/φ with a damper F_c τ/φ, so that what stands does not ring. For fast motion
//! f → sign(v) and the rate of ζ is bounded by 2/τ, whatever the speed.
//!
//! # Energy
//!
//! The bristles store ½ F_c φ ζ². Of the power F v taken, the rest is lost:
//!
//! ```text
//!     F v − F_c φ ζ ζ' = F_c (τ v² + φ |v| ζ²) / (φ + τ |v|) ≥ 0.
//! ```
//!
//! # Limits
//!
//! The law is rate-independent only for τ |v| ≪ φ. Explicit steps h need about h < 2.5 τ and, at standstill on the inertia
//! m, h √(F_c/(φ m)) < 2. Small cycles below F_c drift by less than the law's own travel and do not accumulate under a load
//! that does not change.
//!
//! # Source
//!
//! P. R. Dahl, A solid friction model, Aerospace Corp. TOR-0158 (1968); P. S. Fancher et al., SAE 800905 (1980), who use the
//! same exponential for leaf springs.

/// Constants of the friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bristle {
    /// φ, rad or m.
    pub travel: f64,
    /// τ, s.
    pub time: f64,
}

impl Bristle {
    /// f: friction as a share of the largest.
    pub fn share(&self, speed: f64, state: f64) -> f64 {
        (self.travel * state + self.time * speed) / self.range(speed)
    }

    /// ζ', 1/s.
    pub fn rate(&self, speed: f64, state: f64) -> f64 {
        (speed - speed.abs() * state) / self.range(speed)
    }

    /// Lost power per F_c, rad/s or m/s.
    pub fn loss(&self, speed: f64, state: f64) -> f64 {
        (self.time * speed * speed + self.travel * speed.abs() * state * state) / self.range(speed)
    }

    /// Stored energy per F_c, rad or m.
    pub fn stored(&self, state: f64) -> f64 {
        0.5 * self.travel * state * state
    }

    /// Stiffness F_c-wise (1/rad or 1/m) and damping (s/rad or s/m) for small changes about a motion.
    pub fn tangent(&self, speed: f64, state: f64) -> (f64, f64) {
        let range = self.range(speed);
        let toward = if speed == 0.0 { 0.0 } else { state * speed.signum() };
        let share = self.travel / range;
        (share * (1.0 - toward).max(0.0) / range, share * (1.0 - toward).max(0.0) * self.time / range)
    }

    /// The state of a steady motion: sliding where the speed passes the travel within a tenth of a second, in
    /// proportion below.
    pub fn steady(&self, speed: f64) -> f64 {
        (0.1 * speed / self.travel).clamp(-1.0, 1.0)
    }

    /// φ + τ |v|.
    fn range(&self, speed: f64) -> f64 {
        self.travel + self.time * speed.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::check::Random;

    const BRISTLE: Bristle = Bristle { travel: 0.02, time: 0.002 };

    #[test]
    fn friction_never_exceeds_its_limit_and_never_gives_what_was_not_stored() {
        let mut random = Random(7);
        for _ in 0..10000 {
            let (speed, state) = (50.0 * random.number().powi(5), random.number());
            assert!(BRISTLE.share(speed, state).abs() <= 1.0 + 1e-15);
            assert!(BRISTLE.rate(speed, state).abs() <= 2.0 / BRISTLE.time);
            let loss = BRISTLE.loss(speed, state);
            let taken = BRISTLE.share(speed, state) * speed;
            let stored = BRISTLE.travel * state * BRISTLE.rate(speed, state);
            assert!(loss >= 0.0 && (taken - stored - loss).abs() < 1e-14 * (1.0 + speed.abs()));
        }
    }

    #[test]
    fn slow_motion_goes_over_to_the_other_branch_exponentially_with_the_travel() {
        let slow = Bristle { travel: 0.02, time: 0.0 };
        let (mut state, step) = (-1.0, 1e-5);
        for k in 0..4000 {
            let x = step * f64::from(k);
            let expected = 1.0 - 2.0 * (-x / slow.travel).exp();
            assert!((slow.share(1.0, state) - expected).abs() < 1e-5);
            // Midpoint rule with the speed 1.
            let middle = state + 0.5 * step * slow.rate(1.0, state);
            state += step * slow.rate(1.0, middle);
        }
    }

    #[test]
    fn tangents_are_those_of_the_law() {
        for (speed, state) in [(0.3, 0.4), (-0.02, 0.9), (5.0, -0.2)] {
            let d = 1e-7;
            let slope = (BRISTLE.share(speed + d, state) - BRISTLE.share(speed - d, state)) / (2.0 * d);
            assert!((BRISTLE.tangent(speed, state).1 - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{speed}");
        }
    }
}
