//! Smooth steps and rounded kinks: polynomials with continuous second derivatives at their ends.

use crate::math::scalar::Scalar;
use crate::math::within;

/// A value and its derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Value<S> {
    /// The value.
    pub value: S,
    /// Its derivative.
    pub slope: S,
}

impl<S: Scalar> Value<S> {
    /// A constant value.
    pub(super) fn constant(value: f64) -> Self {
        Value { value: S::from_f64(value), slope: S::zero() }
    }
}

/// From 0 at t ≤ 0 to 1 at t ≥ 1 by the polynomial 6 t⁵ − 15 t⁴ + 10 t³.
pub(super) fn step<S: Scalar>(t: S) -> Value<S> {
    let t = within(t, 0.0, 1.0);
    let (square, rest) = (t * t, S::one() - t);
    Value { value: square * t * (t * (t * 6.0 - 15.0) + 10.0), slope: square * 30.0 * rest * rest }
}

/// An interval with smooth ends.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Range {
    from: f64,
    to: f64,
    blend: f64,
}

impl Range {
    /// From `ends[0]` to `ends[1]`; each end is `blend` wide, half of it on each side.
    pub fn new(ends: [f64; 2], blend: f64) -> Range {
        Range { from: ends[0] - 0.5 * blend, to: ends[1] - 0.5 * blend, blend }
    }

    /// 1 inside, 0 outside.
    pub(crate) fn window<S: Scalar>(&self, u: S) -> Value<S> {
        let (up, down) = (step((u - self.from) / self.blend), step((u - self.to) / self.blend));
        let before = S::one() - down.value;
        Value { value: up.value * before, slope: (up.slope * before - up.value * down.slope) / self.blend }
    }
}

/// A discontinuity of the slope or curvature of a curve, and the polynomial that rounds it.
///
/// At the point itself the curve has the slope after the point. Added to the curve z(u) within half a `blend` b of the
/// point, with t = 2 (u − at)/b,
///
/// ```text
///     J b/4 (q(t) − |t|) + K b²/16 (p(t) − t|t|),   q = (3 + 6 t² − t⁴)/8,   p = (3 t + 6 t³ − t⁵)/8
/// ```
///
/// removes the jumps J of the slope and K of the curvature. Its value, slope and curvature are zero at both ends, so
/// that the sum has a continuous curvature. The curvature from the jump J is distributed as 3 J/(2 b) (1 − t²), at most
/// 1.5 J/b. The transition of the curvature by K overshoots by 0.08 K on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct Kink {
    /// u, m.
    pub at: f64,
    /// Slope after minus slope before.
    pub slope_jump: f64,
    /// Curvature after minus curvature before, 1/m.
    pub curvature_jump: f64,
}

impl Kink {
    /// The addition at u.
    pub(crate) fn rounding<S: Scalar>(&self, u: S, blend: f64) -> Value<S> {
        let t = (u - self.at) * 2.0 / blend;
        if !(t.abs() < 1.0) {
            return Value::default();
        }
        let (square, size, quarter) = (t * t, t.abs(), 0.25 * blend);
        let (jump, turn) = (self.slope_jump, self.curvature_jump * quarter);
        let even = (square * (S::from_f64(6.0) - square) + 3.0) * 0.125 - size;
        let odd = t * even;
        let even_slope = t * 0.5 * (S::from_f64(3.0) - square) - if u >= self.at { 1.0 } else { -1.0 };
        let odd_slope = (square * (S::from_f64(18.0) - square * 5.0) + 3.0) * 0.125 - size * 2.0;
        Value { value: (even * jump + odd * turn) * quarter, slope: (even_slope * jump + odd_slope * turn) * 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::derivative;

    #[test]
    fn rounding_takes_the_jumps_away_and_ends_with_curvature_zero() {
        let (blend, kink) = (0.3, Kink { at: 0.7, slope_jump: 0.4, curvature_jump: -0.9 });
        // The curve 0.4 s − 0.45 s² after the kink and 0 before it.
        let sum = |u: f64| {
            let (s, added) = ((u - kink.at).max(0.0), kink.rounding(u, blend));
            (0.4 * s - 0.45 * s * s + added.value, if s > 0.0 { 0.4 - 0.9 * s } else { 0.0 } + added.slope)
        };
        let curvature = |u: f64| (sum(u + 1e-6).1 - sum(u - 1e-6).1) / 2e-6;
        for place in [kink.at - 0.5 * blend, kink.at, kink.at + 0.5 * blend] {
            for quantity in [|at: (f64, f64)| at.0, |at: (f64, f64)| at.1] {
                assert!((quantity(sum(place + 1e-9)) - quantity(sum(place - 1e-9))).abs() < 1e-8);
            }
            assert!((curvature(place + 1e-5) - curvature(place - 1e-5)).abs() < 2e-3, "{place}");
        }
        let mut largest = 0.0f64;
        for i in 0..=300 {
            let u = 0.5 + 0.4 * f64::from(i) / 300.0 + 1e-7;
            let difference = derivative(|du| vec![sum(u + du).0])[0];
            assert!((difference - sum(u).1).abs() < 1e-6, "{u}: {difference} {}", sum(u).1);
            largest = largest.max(curvature(u));
        }
        let bound = 1.5 * 0.4 / blend + 0.08 * 0.9;
        assert!(largest < bound && largest > 0.8 * bound, "{largest} {bound}");
    }

    #[test]
    fn window_is_one_inside_zero_outside_and_a_half_at_its_ends() {
        let range = Range::new([2.0, 5.0], 0.4);
        for (at, wanted) in [(1.8, 0.0), (2.0, 0.5), (2.2, 1.0), (4.8, 1.0), (5.0, 0.5), (5.2, 0.0)] {
            assert!((range.window(at).value - wanted).abs() < 1e-14, "{at}");
        }
        for i in 0..400 {
            let at = 1.5 + 0.01 * f64::from(i);
            let difference = derivative(|change| vec![range.window(at + change).value])[0];
            assert!((difference - range.window(at).slope).abs() < 1e-6, "{at}");
        }
    }
}
