//! Low-pass filters behind outputs: p poles at K, f₁' = K (y − f₁), f_i' = K (f_{i−1} − f_i); the output value is f_p.
//!
//! A step is exact for a y that is linear between its ends: with x = K h, a value y at the start and its change Δy,
//!
//! ```text
//!     f_i ← e⁻ˣ Σ_{j ≤ i} x^{i−j}/(i−j)! f_j + s_i y + r_i Δy,
//!     s_i = e⁻ˣ Σ_{k ≥ i} x^k/k!                                     (step response)
//!     r_i = (1/x) ∫₀ˣ s_i = e⁻ˣ Σ_{k > i} (k − i) x^{k−1}/k!         (ramp response)
//! ```
//!
//! So the filter is stable for any K h, and of order 2 for a smooth y. The sums are computed as series up to x = 1 and
//! as complements to 1 beyond, so that nothing cancels. Nothing allocates.
//!
//! Verified by: tests below, crates/fem/tests/fem/flexible_exact.rs.

use crate::math::elementary::exp;
use crate::math::scalar::Scalar;
use core::ops::Range;

/// Largest number of poles.
pub const POLES: usize = 3;
/// Terms of the series; at x = 1 the next one is below 1e-17.
const TERMS: usize = 20;

/// A filter behind one scalar output.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LowPass {
    /// The output that it filters.
    pub output: usize,
    /// Its first state among the auxiliary states.
    pub first: usize,
    /// Number of poles.
    pub poles: usize,
    /// K, rad/s.
    pub rate: f64,
}

impl LowPass {
    /// Its states f₁ … f_p among the auxiliary states.
    pub fn states(&self) -> Range<usize> {
        self.first..self.first + self.poles
    }

    /// K, rad/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The state that is the output value.
    pub(crate) fn last(&self) -> usize {
        self.first + self.poles - 1
    }

    /// Rates of `states` for the input `value`.
    pub(crate) fn calc_rates<S: Scalar>(&self, states: &[S], value: S, rates: &mut [S]) {
        let mut from = value;
        for (rate, &state) in rates.iter_mut().zip(states) {
            *rate = (from - state) * self.rate;
            from = state;
        }
    }

    /// A step of `h` (s) of `states` while the input changes linearly from `start` to `end`.
    pub(crate) fn advance(&self, states: &mut [f64], start: f64, end: f64, h: f64) {
        let x = self.rate * h;
        let (decay, responses) = responses(x);
        let mut before = [0.0; POLES];
        before[..self.poles].copy_from_slice(states);
        for (i, state) in states.iter_mut().enumerate() {
            let (mut sum, mut factor) = (0.0, decay);
            for lag in 0..=i {
                sum += factor * before[i - lag];
                factor *= x / (lag + 1) as f64;
            }
            let [step, ramp] = responses[i];
            *state = sum + step * start + ramp * (end - start);
        }
    }
}

/// e⁻ˣ, and s_i and r_i for i = 1 … 3.
fn responses(x: f64) -> (f64, [[f64; 2]; POLES]) {
    let decay = exp(-x);
    let mut responses = [[0.0; 2]; POLES];
    if x <= 1.0 {
        // power = x^(k−1)/k!.
        let mut power = 1.0;
        for k in 1..=TERMS {
            for (i, [step, ramp]) in (1..).zip(&mut responses) {
                if k >= i {
                    *step += decay * x * power;
                    *ramp += decay * (k - i) as f64 * power;
                }
            }
            power *= x / (k + 1) as f64;
        }
    } else {
        let (mut term, mut missing, mut sum) = (decay, 0.0, 0.0);
        for (i, [step, ramp]) in (1..).zip(&mut responses) {
            missing += term;
            term *= x / i as f64;
            *step = 1.0 - missing;
            sum += *step;
            *ramp = 1.0 - sum / x;
        }
    }
    (decay, responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(poles: usize, rate: f64) -> LowPass {
        LowPass { output: 0, first: 0, poles, rate }
    }

    #[test]
    fn a_step_is_the_same_as_many_short_ones_of_a_linear_signal() {
        for (rate, h) in [(10.0, 1e-3), (1000.0, 1e-3), (1200.0, 1e-3), (3e4, 1e-3), (1.0, 1e-12)] {
            let filter = filter(3, rate);
            let mut whole = [0.3, -0.2, 0.7];
            let mut parts = whole;
            filter.advance(&mut whole, 2.0, 5.0, h);
            for k in 0..1000 {
                let at = |k: i32| 2.0 + 3.0 * f64::from(k) / 1000.0;
                filter.advance(&mut parts, at(k), at(k + 1), h / 1000.0);
            }
            for i in 0..3 {
                assert!((whole[i] - parts[i]).abs() < 1e-12, "{rate}: {whole:?} {parts:?}");
            }
        }
    }

    #[test]
    fn series_and_closed_form_agree_where_they_meet() {
        let (below, above) = (responses(1.0).1, responses(1.0 + 1e-15).1);
        for i in 0..3 {
            for k in 0..2 {
                assert!((below[i][k] - above[i][k]).abs() < 1e-14, "{i} {k}: {below:?} {above:?}");
            }
        }
    }

    #[test]
    fn a_settled_filter_stays_and_a_ramp_is_followed_with_the_lag_of_its_poles() {
        let filter = filter(3, 50.0);
        let mut states = [1.5; 3];
        for _ in 0..1000 {
            filter.advance(&mut states, 1.5, 1.5, 1e-3);
        }
        assert!(states.iter().all(|state| (state - 1.5).abs() < 1e-14), "{states:?}");
        for k in 0..5000 {
            filter.advance(&mut states, 1.5 + 1e-3 * f64::from(k), 1.5 + 1e-3 * f64::from(k + 1), 1e-3);
        }
        assert!((states[2] - (6.5 - 3.0 / 50.0)).abs() < 1e-12, "{states:?}");
    }
}
