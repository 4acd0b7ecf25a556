//! Arc length along a curve, for what rolls on it without slip.
//!
//! Problem. S(q) = ∫ |r'(s)| ds from s₀ to s₀ + q in m, with S' = |r'| and S'' = r' · r'' / |r'|.
//!
//! Method. On circles and straight lines s is the arc length. On splines the lengths of whole pieces are summed up
//! beforehand, and the part of a piece is integrated by Gauss and Legendre with 16 nodes, which err by the 32nd derivative of
//! |r'|: rounding, unless the tangent turns by more than a right angle within a piece. A closed curve
//! counts its turns. Derivatives are those of the integral, not of the sum that stands for it.
//!
//! Cost. 17 evaluations of the curve. No allocation but in what makes it.

use super::curve::Curve;
use super::scalar::{Scalar, norm};

/// Nodes in (0, 1) from the middle of (−1, 1), and weights (Abramowitz & Stegun, table 25.4, n = 16).
const NODES: [[f64; 2]; 8] = [
    [0.095_012_509_837_637_44, 0.189_450_610_455_068_64],
    [0.281_603_550_779_258_9, 0.182_603_415_044_923_64],
    [0.458_016_777_657_227_37, 0.169_156_519_395_002_65],
    [0.617_876_244_402_643_8, 0.149_595_988_816_576_7],
    [0.755_404_408_355_003, 0.124_628_971_255_534_07],
    [0.865_631_202_387_831_8, 0.095_158_511_682_492_6],
    [0.944_575_023_073_232_6, 0.062_253_523_938_647_456],
    [0.989_400_934_991_649_9, 0.027_152_459_411_754_176],
];

/// A curve with the lengths of its pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcLength {
    curve: Box<Curve>,
    start: f64,
    /// Arc length at the knots of the spline, and where q is 0.
    lengths: Box<[f64]>,
    before: f64,
}

impl ArcLength {
    /// `start`: s₀, m.
    pub fn new(curve: &Curve, start: f64) -> ArcLength {
        let mut lengths = vec![0.0; curve.knots().len()];
        for (k, pair) in curve.knots().windows(2).enumerate() {
            lengths[k + 1] = lengths[k] + integral(curve, [pair[0], pair[1]]);
        }
        let mut arc = ArcLength { curve: Box::new(curve.clone()), start, lengths: lengths.into(), before: 0.0 };
        arc.before = arc.from_zero(start);
        arc
    }

    /// S, S' and S'' at `q`: m, 1, 1/m.
    pub fn value<S: Scalar>(&self, q: S) -> [S; 3] {
        if self.lengths.is_empty() {
            return [q, S::one(), S::zero()];
        }
        let [_, tangent, bend] = self.curve.at(q + self.start);
        let speed = norm(&tangent);
        let length = self.from_zero(q.value() + self.start) - self.before;
        [q.chain(length, || speed.value()), speed, tangent.dot(&bend) / speed]
    }

    /// Arc length of a spline from 0 to `s`.
    fn from_zero(&self, s: f64) -> f64 {
        let (knots, Some(&whole)) = (self.curve.knots(), self.lengths.last()) else { return s };
        let length = self.curve.length();
        let turns = if self.curve.is_closed() { (s / length).floor() } else { 0.0 };
        let s = s - turns * length;
        // Beyond its ends an open curve is straight: there any piece gives the integral.
        let k = knots.partition_point(|knot| *knot <= s).clamp(1, knots.len() - 1) - 1;
        let inside = s.clamp(knots[k], knots[k + 1]);
        let beyond = if inside == s { 0.0 } else { (s - inside) * self.curve.at(inside)[1].norm() };
        turns * whole + self.lengths[k] + integral(&self.curve, [knots[k], inside]) + beyond
    }
}

/// ∫ |r'| within a piece.
fn integral(curve: &Curve, [from, to]: [f64; 2]) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let speed = |s: f64| curve.at(s)[1].norm();
    let pair = |[node, weight]: &[f64; 2]| (speed(middle - half * node) + speed(middle + half * node)) * weight;
    NODES.iter().map(pair).sum::<f64>() * half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::math::check::assert_derivative;
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

    /// Chords are shorter by κ² h² / 24 of their length, which twice as many take away; and the circle by its arc.
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
