//! Arc length along a curve, for what rolls on it without slip.
//!
//! Problem. S(q) = ∫ |r'(s)| ds from s₀ to s₀ + q in m, with S' = |r'| and S'' = r' · r'' / |r'|.
//!
//! Method. On circles and straight lines s is the arc length. On splines the lengths of whole pieces are summed up
//! beforehand, and the part of a piece is integrated by Gauss and Legendre with eight nodes, which err by the sixteenth
//! derivative of |r'|: rounding, where the tangent turns by less than a radian or so within a piece. A closed curve
//! counts its turns. Derivatives are those of the integral, not of the sum that stands for it.
//!
//! Cost. Nine evaluations of the curve. No allocation but in what makes it.

use super::curve::Curve;
use super::scalar::{Scalar, norm};

/// Nodes in (0, 1) from the middle of (−1, 1), and weights (Abramowitz & Stegun, table 25.4, n = 8).
const NODES: [[f64; 2]; 4] = [
    [0.183_434_642_495_649_8, 0.362_683_783_378_362],
    [0.525_532_409_916_329, 0.313_706_645_877_887_3],
    [0.796_666_477_413_626_7, 0.222_381_034_453_374_48],
    [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
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

    /// The integral by pieces a hundred times as short, and the circle by its circumference.
    #[test]
    fn the_length_of_a_spline_is_that_of_its_chords_in_the_limit() {
        let curve = Curve::through(&POINTS.map(Vec3::from), true);
        let n = 400_000;
        let at = |i: usize| curve.at(curve.length() * i as f64 / n as f64)[0];
        let chords: f64 = (0..n).map(|i| (at(i + 1) - at(i)).norm()).sum();
        let whole = ArcLength::new(&curve, 0.0).value(curve.length())[0];
        // Chords are shorter by κ² h² / 24 of their length.
        assert!((whole - chords).abs() < 1e-9, "{whole} {chords}");
        let circle = Curve::circle(Vec3::zeros(), 0.3, &Vec3::z());
        assert_eq!(ArcLength::new(&circle, 0.1).value(0.7), [0.7, 1.0, 0.0]);
    }
}
