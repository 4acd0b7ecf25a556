//! Gearbox: a [`Clutch`](super::Clutch) between input and output whose ratio follows a signal or a schedule. The clutch
//! module describes its law.
//!
//! # Automatic shifts
//!
//! There are two more states: the wanted gear c, and t, which determines the gear g while the signal selects a forward
//! gear. With k the gear next to c, ω the speed of the output, θ the throttle, and U_k(θ) and D_k(θ), linear between
//! the throttles of the table,
//!
//! ```text
//!     c' =  1/0.1 s           for ω > U_k(θ), if the signal allows gear k + 1,
//!        = −1/0.1 s           for ω < D_k(θ), or if it does not allow gear k,
//!        = (k − c)/0.1 s      otherwise,
//!     t' = 19 (k − t)/time within ±0.95/time,
//!     g  = n + d (|t − n| − 0.05 from 0 on)/0.9,    n the gear next to t, d the sign of t − n.
//! ```
//!
//! So a shift is decided after 50 ms, before it has an effect. Then t grows by 0.95 in `time`, after which g is exactly
//! the new gear; the exponential end of t has no effect on g. D_(k+1) < U_k is required: it keeps the new gear, also
//! while the vehicle loses speed because the gearbox carries no torque. The only memory is c and t.

use crate::force::Coefficient;
use crate::math::elementary::round;
use crate::math::interpolation::between;
use crate::math::scalar::Scalar;
use crate::math::{maximum, within};
use alloc::vec::Vec;

/// Distance of t from a gear up to which that gear is wholly engaged. Nearer than that, t approaches exponentially.
const SETTLES: f64 = 0.05;
/// Time in which the wanted gear changes by one, s.
const DECIDES: f64 = 0.1;

/// Shift schedule of a gearbox.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Schedule {
    /// θ.
    pub throttle: Coefficient,
    /// Ascending.
    pub throttles: Vec<f64>,
    /// U_k from k = 1 on, rad/s: a number per throttle.
    pub up: Vec<Vec<f64>>,
    /// D_k from k = 2 on, rad/s, as above.
    pub down: Vec<Vec<f64>>,
    /// s.
    pub time: f64,
}

impl Schedule {
    /// Of a row of `up` or `down` at `throttle`, rad/s; none beyond the last row.
    fn speed(&self, rows: &[Vec<f64>], row: usize, throttle: f64) -> Option<f64> {
        let (column, part) = between(&self.throttles, throttle);
        let row = rows.get(row)?;
        let low = row.get(column)?;
        Some(low + part * (row.get(column + 1).unwrap_or(low) - low))
    }

    /// t' and c' at the speed ω, the throttle θ and the gear `limit` of the signal.
    pub(super) fn rates<S: Scalar>(&self, [t, c]: [S; 2], [speed, throttle, limit]: [f64; 3]) -> [S; 2] {
        let gear = round(c.value()).max(1.0);
        let (row, allowed) = (gear as usize - 1, round(limit).max(1.0));
        let rises = self.speed(&self.up, row, throttle).is_some_and(|up| speed > up);
        let falls = row > 0 && self.speed(&self.down, row - 1, throttle).is_some_and(|down| speed < down);
        let wants = if gear > allowed || falls {
            S::from_f64(-1.0 / DECIDES)
        } else if rises && gear < allowed {
            S::from_f64(1.0 / DECIDES)
        } else {
            (-c + gear) / DECIDES
        };
        let fastest = (1.0 - SETTLES) / self.time;
        [within((-t + gear) * (fastest / SETTLES), -fastest, fastest), wants]
    }

    /// g at t.
    pub(super) fn gear<S: Scalar>(t: S) -> S {
        let next = round(t.value());
        let offset = t - next;
        let part = |beyond: S| maximum(beyond - SETTLES, S::zero()) / (1.0 - 2.0 * SETTLES);
        if offset < 0.0 { -part(-offset) + next } else { part(offset) + next }
    }

    /// The gear at the start.
    pub(super) fn start(&self, speed: f64, throttle: f64) -> f64 {
        let passed = (0..self.up.len()).take_while(|k| self.speed(&self.up, *k, throttle).is_some_and(|up| speed > up));
        1.0 + passed.count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule {
            throttle: Coefficient::Value(0.0),
            throttles: vec![0.0, 1.0],
            up: vec![vec![40.0, 80.0], vec![90.0, 170.0]],
            down: vec![vec![20.0, 60.0], vec![50.0, 130.0]],
            time: 0.4,
        }
    }

    #[test]
    fn shifts_begin_at_the_speeds_of_the_table_and_take_their_time() {
        let (h, throttle) = (1e-3, 0.5);
        let (mut states, mut passed) = ([1.0_f64; 2], Vec::new());
        // 10 rad/s more every second, and back; while nothing is carried the vehicle loses 4 rad/s.
        for k in 0..40_000 {
            let time = k as f64 * h;
            let speed = if time < 20.0 { 10.0 * time } else { 400.0 - 10.0 * time };
            let lost = if (states[0] - states[0].round()).abs() > 0.4 { 4.0 } else { 0.0 };
            let rates = schedule().rates(states, [speed - lost, throttle, 3.0]);
            let next = states[0] + h * rates[0];
            for (half, begins) in [(1.5, [60.0, 40.0]), (2.5, [130.0, 90.0])] {
                if (states[0] < half) != (next < half) {
                    let up = next > half;
                    let expected = if up { begins[0] + 2.5 } else { begins[1] - 2.5 };
                    assert!((speed - expected).abs() < 0.2, "{states:?}: {speed} {expected}");
                    passed.push(if up { half } else { -half });
                }
            }
            states = [next, states[1] + h * rates[1]];
        }
        assert_eq!(passed, [1.5, 2.5, -2.5, -1.5]);
        assert!((states[0] - 1.0).abs() < 1e-9, "{states:?}");
    }

    #[test]
    fn the_new_gear_is_engaged_exactly_after_the_time_of_the_shift() {
        for (time, h) in [(0.4, 1e-3), (0.1, 1e-3), (0.3, 1e-4), (1.0, 1e-2)] {
            let own = Schedule { time, ..schedule() };
            for (from, to) in [(1.0, 2.0), (2.0, 1.0), (2.0, 3.0)] {
                // The shift is already decided.
                let (mut t, mut last, mut ends) = (from, from, None);
                for step in 1..=(2.0 * time / h) as usize {
                    t += h * own.rates([t, to], [if to > 2.0 { 150.0 } else { 30.0 }, 0.5, 3.0])[0];
                    let gear = Schedule::gear(t);
                    assert!((gear - last) * (to - from) >= 0.0, "to and fro: {last} {gear}");
                    last = gear;
                    ends = ends.or((gear == to).then_some(step as f64 * h));
                }
                let ends = ends.unwrap_or(f64::INFINITY);
                assert!((ends - time).abs() <= 1.5 * h && last == to, "{from} to {to}: {ends} s of {time} s");
            }
        }
        assert_eq!(
            [1.0, 1.05, 1.5, 1.275, 1.95, 2.02].map(|t| (1e9 * Schedule::gear(t)).round() / 1e9),
            [1.0, 1.0, 1.5, 1.25, 2.0, 2.0]
        );
    }

    #[test]
    fn a_gear_stays_between_its_speeds_and_the_signal_limits_it() {
        let own = schedule();
        let rate = |c: f64, speed: f64, throttle: f64, limit: f64| own.rates([c, c], [speed, throttle, limit])[1];
        assert_eq!(rate(2.0, 60.0, 0.0, 3.0), 0.0);
        assert_eq!(rate(2.0, 60.0, 1.0, 3.0), 0.0);
        assert_eq!(rate(2.0, 59.0, 1.0, 3.0), -10.0);
        assert_eq!(rate(1.4, 50.0, 0.0, 3.0), 10.0);
        assert_eq!(rate(2.0, 200.0, 0.0, 2.0), 0.0);
        assert_eq!(rate(3.0, 200.0, 0.0, 2.0), -10.0);
        assert_eq!([own.start(30.0, 0.0), own.start(50.0, 0.0), own.start(200.0, 1.0)], [1.0, 2.0, 3.0]);
    }
}
