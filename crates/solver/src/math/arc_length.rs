//! Arc length along a curve, for bodies that roll on it without slip.
//!
//! Problem. S(q) = ∫ |r'(s)| ds from s₀ to s₀ + q in m, with S' = |r'| and S'' = r' · r'' / |r'|.
//!
//! Method. On circles and straight lines s is the arc length. Splines are divided into parts, and the constructor
//! stores the cumulative length at each part. The remainder is integrated by Gauss-Legendre quadrature with eight
//! nodes. A part is short enough if the sum of the lengths of its halves equals its length to rounding. On a closed
//! curve the number of turns is counted. Derivatives are the derivatives of the integral.
//!
//! Cost. One search among the parts and nine evaluations of the curve. No allocation except in its constructor.

use super::curve::Curve;
use super::scalar::{Scalar, norm};
use crate::math::elementary::floor;
use alloc::{boxed::Box, vec::Vec};

/// Nodes in (0, 1) from the middle of (−1, 1), and weights (Abramowitz & Stegun, table 25.4, n = 8).
const NODES: [[f64; 2]; 4] = [
    [0.183_434_642_495_649_8, 0.362_683_783_378_362],
    [0.525_532_409_916_329, 0.313_706_645_877_887_3],
    [0.796_666_477_413_626_7, 0.222_381_034_453_374_48],
    [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
];
/// Error of the length of a part, as a fraction of the length of the curve.
const ROUNDING: f64 = 4e-16;
/// A piece has at most 2 to the power of this many parts.
const HALVINGS: usize = 6;

/// A curve with the lengths of its parts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct ArcLength {
    curve: Box<Curve>,
    start: f64,
    /// s and the arc length at the ends of the parts; empty if s is the arc length.
    breaks: Box<[f64]>,
    lengths: Box<[f64]>,
    /// Arc length where q is 0.
    before: f64,
}

impl ArcLength {
    /// `start`: s₀, m.
    #[expect(clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn new(curve: &Curve, start: f64) -> ArcLength {
        let mut breaks: Vec<f64> = curve.knots().iter().take(1).copied().collect();
        let mut lengths = breaks.clone();
        for pair in curve.knots().windows(2) {
            let end =
                |i: usize, n: usize| if i == n { pair[1] } else { pair[0] + (pair[1] - pair[0]) * i as f64 / n as f64 };
            let is_short = |[from, to]: [f64; 2]| {
                let middle = 0.5 * (from + to);
                let halves = integral(curve, [from, middle]) + integral(curve, [middle, to]);
                (integral(curve, [from, to]) - halves).abs() <= ROUNDING * curve.length()
            };
            let all_short = |n: &usize| (0..*n).all(|i| is_short([end(i, *n), end(i + 1, *n)]));
            let n = (0..HALVINGS).map(|k| 1 << k).find(all_short).unwrap_or(1 << HALVINGS);
            for i in 0..n {
                lengths.push(lengths[lengths.len() - 1] + integral(curve, [end(i, n), end(i + 1, n)]));
                breaks.push(end(i + 1, n));
            }
        }
        let (breaks, lengths) = (breaks.into(), lengths.into());
        let mut arc = ArcLength { curve: Box::new(curve.clone()), start, breaks, lengths, before: 0.0 };
        arc.before = arc.up_to(start);
        arc
    }

    /// S, S' and S'' at `q`: m, 1, 1/m.
    pub fn value<S: Scalar>(&self, q: S) -> [S; 3] {
        if self.lengths.is_empty() {
            return [q, S::one(), S::zero()];
        }
        let [_, tangent, bend] = self.curve.at(q + self.start);
        let speed = norm(&tangent);
        let length = self.up_to(q.value() + self.start) - self.before;
        [q.chain(length, || speed.value()), speed, tangent.dot(&bend) / speed]
    }

    /// Arc length of a spline from 0 to `s`.
    fn up_to(&self, s: f64) -> f64 {
        let (breaks, Some(&whole)) = (&self.breaks, self.lengths.last()) else { return s };
        let length = self.curve.length();
        let turns = if self.curve.is_closed() { floor(s / length) } else { 0.0 };
        let s = s - turns * length;
        // An open curve is straight beyond its ends.
        let k = breaks.partition_point(|end| *end <= s).clamp(1, breaks.len() - 1) - 1;
        let inside = s.clamp(breaks[k], breaks[k + 1]);
        let beyond = if inside == s { 0.0 } else { (s - inside) * self.curve.at(inside)[1].norm() };
        turns * whole + self.lengths[k] + integral(&self.curve, [breaks[k], inside]) + beyond
    }
}

/// ∫ |r'| within a part.
fn integral(curve: &Curve, [from, to]: [f64; 2]) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let speed = |s: f64| curve.at(s)[1].norm();
    let pair = |[node, weight]: &[f64; 2]| (speed(middle - half * node) + speed(middle + half * node)) * weight;
    NODES.iter().map(pair).sum::<f64>() * half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::assert_derivative;
    use crate::math::Vec3;
    use crate::math::scalar::Dual;

    const POINTS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [0.3, 0.1, -0.1], [0.4, 0.5, 0.2], [0.2, 0.9, 0.1]];

    #[test]
    fn arc_lengths_have_the_tangent_as_their_slope_within_beyond_and_around() {
        for closed in [false, true] {
            let curve = Curve::through(&POINTS.map(Vec3::from), closed);
            let arc = ArcLength::new(&curve, 0.2);
            assert!(arc.value(0.0)[0].abs() < 1e-16);
            for q in [-1.4, -0.3, 0.05, 0.41, 0.83, 2.9] {
                let [_, slope, bend] = arc.value(q);
                assert_derivative("arc length", |d| vec![arc.value(q + d)[0]], &[slope], 1e-9);
                assert_derivative("speed", |d| vec![arc.value(q + d)[1]], &[bend], 1e-8);
                let dual = arc.value(Dual::new(q, [1.0]));
                assert!((dual[0].slopes[0] - slope).abs() < 1e-14 && (dual[1].slopes[0] - bend).abs() < 1e-13);
            }
        }
    }

    /// Chords are too short by κ² h² / 24 of their length; extrapolation from twice as many removes this error. The
    /// circle is compared with its arc length.
    #[test]
    fn the_length_of_a_spline_is_that_of_its_chords_in_the_limit() {
        let curve = Curve::through(&POINTS.map(Vec3::from), true);
        let chords = |n: usize| -> f64 {
            let at = |i: usize| curve.at(curve.length() * i as f64 / n as f64)[0];
            (0..n).map(|i| (at(i + 1) - at(i)).norm()).sum()
        };
        let limit = (chords(80_000) * 4.0 - chords(40_000)) / 3.0;
        let whole = ArcLength::new(&curve, 0.0).value(curve.length())[0];
        assert!((whole - limit).abs() < 1e-11, "{whole} {limit}");
        let circle = Curve::circle(Vec3::zeros(), 0.3, &Vec3::z());
        assert_eq!(ArcLength::new(&circle, 0.1).value(0.7), [0.7, 1.0, 0.0]);
    }
}
