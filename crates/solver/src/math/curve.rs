//! Curves in space for curve joints: circles, and splines through points.
//!
//! Problem. Position r(s), tangent r'(s) and r''(s) in m for a parameter s in m, all three continuous.
//!
//! * Circle: s is the arc length, |r'| = 1; closed.
//! * Spline: cubic in each of x, y, z, or quintic with r''' and r'''' continuous too; s is the length of the straight
//!   lines between the points, so |r'| is near 1 where points are near each other. For n points on a circle, |r'|
//!   ranges from about 1 − (π/n)²/6 to 1 + (π/n)²/3. A closed spline is periodic. An open one has r'' = 0 at its ends,
//!   a quintic one r'''' = 0 as well (natural splines), and is extended straight beyond them, so that an iteration may
//!   evaluate it there. Two points make a straight line.
//!
//! Method. The Thomas algorithm computes the second derivatives at the points, and for a quintic spline the fourth
//! derivatives too. A periodic spline is computed with [`PERIODIC_EXTRA_POINTS`] extra points on either side. The
//! influence of the values assumed there at least halves from point to point, so it is below rounding at the spline
//! itself.
//!
//! Cost. A search among n pieces with log₂ n comparisons, then three polynomials. No allocation except in the
//! constructors of a curve.
//!
//! Verified by the tests below, and in motion by `tests/motion/curves.rs`.

use super::elementary::{atan2, sin_cos};
use super::interpolation::{PERIODIC_EXTRA_POINTS, second_derivatives};
use super::rotation::complement;
use super::scalar::{Scalar, lift};
use super::{Mat3, Vec3};
use crate::math::elementary::floor;
use alloc::{boxed::Box, vec, vec::Vec};
use nalgebra::{Matrix2, Matrix2x3};

/// Samples per piece in the search for the nearest point.
const SAMPLES: usize = 16;
/// Largest sine between a tangent and the plane of a plane curve.
const PLANE_TOLERANCE: f64 = 1e-6;
/// Newton iterations from the nearest sample.
const ITERATIONS: usize = 30;

/// A curve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Curve(Shape);

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
enum Shape {
    /// Columns of `axes`: the radius at s = 0, the tangent there, the normal.
    Circle { centre: Vec3, radius: f64, axes: Mat3 },
    /// `knots`: s at the points; a closed curve repeats the first point at the end. Each piece has the coefficients of
    /// 1, t, t², t³ with t = s minus its knot, and for a quintic spline also of t⁴ and t⁵.
    Spline { knots: Vec<f64>, pieces: Vec<[Vec3; 4]>, high: Vec<[Vec3; 2]>, closed: bool },
}

/// A curve by points of a reference frame, before it is made relative to the point at which it is used.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A cubic or quintic spline through points, see [`Curve::spline`].
    Spline { points: Vec<Vec3>, closed: bool, quintic: bool },
    /// A circle about the unit vector `normal`, see [`Curve::circle`].
    Circle { centre: Vec3, radius: f64, normal: Vec3 },
    /// The path of the centre of a roller, see [`Curve::offset`].
    Offset { of: Box<Outline>, distance: f64, normal: Vec3 },
}

impl Outline {
    /// The curve relative to the point `from`; `None` if an offset leaves no curve.
    #[expect(clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn relative_to(&self, from: &Vec3) -> Option<Curve> {
        match self {
            Outline::Spline { points, closed, quintic } => {
                let points: Vec<Vec3> = points.iter().map(|point| point - from).collect();
                Some(Curve::spline(&points, *closed, *quintic))
            }
            Outline::Circle { centre, radius, normal } => Some(Curve::circle(centre - from, *radius, normal)),
            Outline::Offset { of, distance, normal } => of.relative_to(from)?.offset(*distance, normal),
        }
    }
}

impl Curve {
    /// A circle with s increasing right-handed about the unit vector `normal`.
    pub fn circle(centre: Vec3, radius: f64, normal: &Vec3) -> Curve {
        let (first, second) = complement(normal);
        Curve(Shape::Circle { centre, radius, axes: Mat3::from_columns(&[first, second, *normal]) })
    }

    /// A cubic spline through at least two `points`, or three if it is closed. Consecutive points must not coincide.
    pub fn through(points: &[Vec3], closed: bool) -> Curve {
        Curve::spline(points, closed, false)
    }

    /// A cubic or quintic spline through `points`, as in the cubic constructor.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn spline(points: &[Vec3], closed: bool, quintic: bool) -> Curve {
        // A closed curve is continued by its own points on both sides, so that its ends join smoothly.
        let n = points.len();
        let beyond = if closed { PERIODIC_EXTRA_POINTS } else { 0 };
        let count = n + 2 * beyond + usize::from(closed);
        let all: Vec<Vec3> = (0..count).map(|i| points[(i + n * PERIODIC_EXTRA_POINTS - beyond) % n]).collect();
        // The parameter is the length of the polygon.
        let mut s = vec![0.0; all.len()];
        for i in 1..all.len() {
            s[i] = s[i - 1] + (all[i] - all[i - 1]).norm();
        }
        let last = all.len() - 1 - beyond;
        let knots = (beyond..=last).map(|i| s[i] - s[beyond]).collect();
        // Quintic pieces from second and fourth derivatives at the points.
        if quintic {
            let even = even_derivatives(&s, &all);
            let piece = |i: usize| {
                let (h, [m0, n0], [m1, n1]) = (s[i + 1] - s[i], even[i], even[i + 1]);
                let (c, d) = (m0 * 0.5, ((m1 - m0) / h - (n0 * 2.0 + n1) * (h / 6.0)) / 6.0);
                let (e, f) = (n0 / 24.0, (n1 - n0) / (120.0 * h));
                let slope = (all[i + 1] - all[i]) / h - (((f * h + e) * h + d) * h + c) * h;
                ([all[i], slope, c, d], [e, f])
            };
            let (pieces, high) = (beyond..last).map(piece).unzip();
            return Curve(Shape::Spline { knots, pieces, high, closed });
        }
        // Cubic pieces from second derivatives at the points.
        let bends = [0, 1, 2].map(|axis| second_derivatives(all.len(), |i| [s[i], all[i][axis]]));
        let bend = |i: usize| Vec3::new(bends[0][i], bends[1][i], bends[2][i]);
        let piece = |i: usize| {
            let (h, now, next) = (s[i + 1] - s[i], bend(i), bend(i + 1));
            let slope = (all[i + 1] - all[i]) / h - (now * 2.0 + next) * (h / 6.0);
            [all[i], slope, now * 0.5, (next - now) / (6.0 * h)]
        };
        Curve(Shape::Spline { knots, pieces: (beyond..last).map(piece).collect(), high: Vec::new(), closed })
    }

    /// The path of the centre of a roller of radius `distance` that rolls on this curve. For a circle it is another
    /// circle. For a spline it is the spline through the points moved by `distance` along the unit vector r' ×
    /// `normal`. `None` if the roller does not fit into a hollow, or the circle vanishes.
    #[expect(clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn offset(&self, distance: f64, normal: &Vec3) -> Option<Curve> {
        match &self.0 {
            Shape::Circle { centre, radius, axes } => {
                let radius = radius + distance;
                (radius > 0.0).then_some(Curve(Shape::Circle { centre: *centre, radius, axes: *axes }))
            }
            Shape::Spline { knots, closed, high, .. } => {
                let moved = |&s: &f64| {
                    let [r, tangent, _] = self.at(s);
                    Some((r + tangent.cross(normal).try_normalize(0.0)? * distance, tangent))
                };
                let points = knots.iter().map(moved).collect::<Option<Vec<_>>>()?;
                let forward = |pair: &[(Vec3, Vec3)]| (pair[1].0 - pair[0].0).dot(&(pair[0].1 + pair[1].1)) > 0.0;
                let count = points.len() - usize::from(*closed);
                let all: Vec<Vec3> = points[..count].iter().map(|(r, _)| *r).collect();
                let quintic = !high.is_empty();
                let offset = points.windows(2).all(forward).then(|| Curve::spline(&all, *closed, quintic));
                offset.filter(|curve| curve.length().is_finite())
            }
        }
    }

    /// Value of s at the end of the curve, m; s begins at 0.
    pub fn length(&self) -> f64 {
        match &self.0 {
            Shape::Circle { radius, .. } => core::f64::consts::TAU * radius,
            Shape::Spline { knots, .. } => knots[knots.len() - 1],
        }
    }

    /// Whether the curve is closed.
    pub fn is_closed(&self) -> bool {
        !matches!(self.0, Shape::Spline { closed: false, .. })
    }

    /// r, r' and r'' at `s` in m: m, 1, 1/m.
    #[inline]
    pub fn at<S: Scalar>(&self, s: S) -> [Vec3<S>; 3] {
        let [place, tangent, bend, _] = self.derivatives(s);
        [place, tangent, bend]
    }

    /// r, r' and r'' at `s`, and r''' in 1/m², which is discontinuous at the points of a spline.
    #[inline]
    pub fn derivatives<S: Scalar>(&self, s: S) -> [Vec3<S>; 4] {
        match &self.0 {
            Shape::Circle { centre, radius, axes } => {
                let (sine, cosine) = sin_cos(s / *radius);
                let [u, v] = [0, 1].map(|k| lift::<S>(&axes.column(k).into_owned()));
                let (out, tangent) = (u * cosine + v * sine, v * cosine - u * sine);
                let r = S::from_f64(*radius);
                [out * r + lift(centre), tangent, -out / r, -tangent / (r * r)]
            }
            Shape::Spline { knots, pieces, high, closed } => {
                // Find the piece. A closed curve repeats; an open curve continues along its end tangents.
                let length = knots[knots.len() - 1];
                let s = if *closed { s - floor(s.value() / length) * length } else { s };
                let inside = s.value().clamp(0.0, length);
                let index = knots.partition_point(|knot| *knot <= inside).clamp(1, pieces.len()) - 1;
                let [a, b, c, d] = pieces[index].each_ref().map(lift::<S>);
                let is_inside = inside == s.value();
                let t = if is_inside { s } else { S::from_f64(inside) } - knots[index];
                let (two, three) = (S::from_f64(2.0), S::from_f64(3.0));
                // Cubic of the piece, in Horner form.
                let mut tangent = ((d * three * t) + c * two) * t + b;
                let mut r = ((d * t + c) * t + b) * t + a;
                let (mut bend, mut third) = (d * (t * 6.0) + c * two, d * S::from_f64(6.0));
                // Terms of fourth and fifth order, which only some splines have.
                if let Some([e, f]) = high.get(index).map(|high| high.each_ref().map(lift::<S>)) {
                    let (square, part) = (t * t, |low: f64, next: f64| e * S::from_f64(low) + f * (t * next));
                    r += part(1.0, 1.0) * (square * square);
                    tangent += part(4.0, 5.0) * (square * t);
                    bend += part(12.0, 20.0) * square;
                    third += part(24.0, 60.0) * t;
                }
                if is_inside {
                    [r, tangent, bend, third]
                } else {
                    [r + tangent * (s - inside), tangent, Vec3::zeros(), Vec3::zeros()]
                }
            }
        }
    }

    /// Unit tangent and the vector of curvature, 1/m, at `s`.
    pub fn curvature(&self, s: f64) -> [Vec3; 2] {
        let [_, tangent, bend] = self.at(s);
        let t = tangent.normalize();
        [t, (bend - t * bend.dot(&t)) / tangent.norm_squared()]
    }

    /// Whether it is a quintic spline.
    pub fn is_quintic(&self) -> bool {
        matches!(&self.0, Shape::Spline { high, .. } if !high.is_empty())
    }

    /// s at the points of a spline, ascending; empty for a circle.
    pub(crate) fn knots(&self) -> &[f64] {
        match &self.0 {
            Shape::Circle { .. } => &[],
            Shape::Spline { knots, .. } => knots,
        }
    }

    /// Samples along the curve in the order of s, for tests of its shape: [`SAMPLES`] per piece of a spline, and
    /// [`SAMPLES`] for a circle.
    pub(crate) fn samples(&self) -> impl Iterator<Item = f64> + '_ {
        let (knots, whole) = (self.knots(), [0.0, self.length()]);
        let pair = move |i: usize| if knots.is_empty() { whole } else { [knots[i], knots[i + 1]] };
        let sample = |[from, to]: [f64; 2], k: usize| from + (to - from) * k as f64 / SAMPLES as f64;
        (0..knots.len().max(2) - 1).flat_map(move |i| (0..=SAMPLES).map(move |k| sample(pair(i), k)))
    }

    /// The normal of the plane of the curve; `None` if the curve is straight or not plane.
    pub fn plane(&self) -> Option<Vec3> {
        if let Shape::Circle { axes, .. } = &self.0 {
            return Some(axes.column(2).into_owned());
        }
        let turning = |s: f64| {
            let [_, tangent, bend] = self.at(s);
            tangent.cross(&bend)
        };
        let sharpest = self.samples().map(turning).max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
        let normal = (sharpest.norm() * self.length() > PLANE_TOLERANCE).then(|| sharpest.normalize())?;
        self.lies_in(&normal).then_some(normal)
    }

    /// Whether the whole curve is perpendicular to the unit vector `normal`.
    pub fn lies_in(&self, normal: &Vec3) -> bool {
        let across = |s: f64| {
            let tangent = self.at(s)[1];
            tangent.dot(normal).abs() < PLANE_TOLERANCE * tangent.norm()
        };
        self.samples().all(across)
    }

    /// s of the point of a convex curve that is lowest along `up`, in the frame of the curve: a plane with this normal
    /// touches the curve there from below. Not for quintic splines. Without iteration: on a spline it searches the
    /// tangents of the n points, then solves a quadratic equation.
    pub fn lowest<S: Scalar>(&self, up: &Vec3<S>) -> S {
        match &self.0 {
            Shape::Circle { radius, axes, .. } => {
                let [u, v] = [0, 1].map(|k| lift::<S>(&axes.column(k).into_owned()).dot(up));
                atan2(-v, -u) * *radius
            }
            Shape::Spline { knots, pieces, .. } => {
                let slope = |k: usize| lift::<S>(&pieces[k % pieces.len()][1]).dot(up);
                let turns = |k: &usize| slope(*k).value() < 0.0 && slope(k + 1).value() >= 0.0;
                let k = (0..pieces.len()).find(turns).unwrap_or(0);
                let [_, b, c, d] = pieces[k].each_ref().map(|part| lift::<S>(part).dot(up));
                S::from_f64(knots[k]) - b / (c + (c * c - d * b * 3.0).sqrt())
            }
        }
    }

    /// The normal of the plane of a closed convex curve, which turns to one side only and once in total.
    #[expect(clippy::disallowed_methods, reason = "creates a curve, before the first step")]
    pub fn convex(&self) -> Option<Vec3> {
        match &self.0 {
            Shape::Circle { axes, .. } => Some(axes.column(2).into_owned()),
            Shape::Spline { closed: false, .. } => None,
            Shape::Spline { .. } => {
                let samples: Vec<[Vec3; 3]> = self.samples().map(|s| self.at(s)).collect();
                let turning = |[_, tangent, bend]: &[Vec3; 3]| tangent.cross(bend) / tangent.norm_squared();
                let normal = samples.iter().map(turning).sum::<Vec3>().try_normalize(0.0)?;
                let turns = |s: &[Vec3; 3]| {
                    turning(s).dot(&normal) > 0.0 && s[1].dot(&normal).abs() < PLANE_TOLERANCE * s[1].norm()
                };
                let angle = |pair: &[[Vec3; 3]]| {
                    let [first, second] = [pair[0][1], pair[1][1]];
                    atan2(first.cross(&second).dot(&normal), first.dot(&second))
                };
                let once = samples.windows(2).map(angle).sum::<f64>() < 1.5 * core::f64::consts::TAU;
                (once && samples.iter().all(turns)).then_some(normal)
            }
        }
    }

    /// s of the point of the curve that is nearest to `place`.
    pub fn nearest(&self, place: &Vec3) -> f64 {
        match &self.0 {
            Shape::Circle { centre, radius, axes } => {
                let arm = axes.tr_mul(&(place - centre));
                atan2(arm.y, arm.x) * radius
            }
            Shape::Spline { .. } => {
                let distance = |s: &f64| (self.at(*s)[0] - place).norm_squared();
                let mut s = self.samples().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0.0);
                let ends = if self.is_closed() { [f64::NEG_INFINITY, f64::INFINITY] } else { [0.0, self.length()] };
                for _ in 0..ITERATIONS {
                    let [r, tangent, bend] = self.at(s);
                    let slope = tangent.norm_squared() + (r - place).dot(&bend);
                    if slope > 0.0 {
                        s = (s - (r - place).dot(&tangent) / slope).clamp(ends[0], ends[1]);
                    }
                }
                s
            }
        }
    }
}

/// Second and fourth derivatives M and N at the points of a quintic spline, both zero at its ends. With h₀ and h₁ the
/// lengths of the pieces before and after a point, r''' and r' are continuous there if
///
/// ```text
/// (h₀ N₋ + 2 (h₀ + h₁) N + h₁ N₊) / 6 = (M₊ − M) / h₁ − (M − M₋) / h₀
/// (h₀ M₋ + 2 (h₀ + h₁) M + h₁ M₊) / 6 − (7 h₀³ N₋ + 8 (h₀³ + h₁³) N + 7 h₁³ N₊) / 360 = (r₊ − r) / h₁ − (r − r₋) / h₀
/// ```
#[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "creates a curve, before the first step")]
fn even_derivatives(s: &[f64], points: &[Vec3]) -> Vec<[Vec3; 2]> {
    let n = s.len();
    let (mut upper, mut even) = (vec![Matrix2::zeros(); n], vec![Matrix2x3::zeros(); n]);
    let side = |h: f64| Matrix2::new(-1.0 / h, h / 6.0, h / 6.0, -7.0 / 360.0 * h * h * h);
    for i in 1..n.saturating_sub(1) {
        let (h0, h1) = (s[i] - s[i - 1], s[i + 1] - s[i]);
        let (both, cubes) = ((h0 + h1) / 3.0, h0 * h0 * h0 + h1 * h1 * h1);
        let middle = Matrix2::new(1.0 / h0 + 1.0 / h1, both, both, -8.0 / 360.0 * cubes);
        let change = (points[i + 1] - points[i]) / h1 - (points[i] - points[i - 1]) / h0;
        let right = Matrix2x3::from_rows(&[Vec3::zeros().transpose(), change.transpose()]);
        let inverse = (middle - side(h0) * upper[i - 1]).try_inverse().unwrap_or_default();
        (upper[i], even[i]) = (inverse * side(h1), inverse * (right - side(h0) * even[i - 1]));
    }
    for i in (1..n.saturating_sub(1)).rev() {
        let next = even[i + 1];
        even[i] -= upper[i] * next;
    }
    even.iter().map(|both| [0, 1].map(|k| both.row(k).transpose())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::assert_derivative;
    use crate::math::scalar::Dual;
    use std::f64::consts::TAU;

    fn around(n: usize) -> Vec<Vec3> {
        let point = |i: usize| {
            let (sine, cosine) = (TAU * i as f64 / n as f64).sin_cos();
            Vec3::new(2.0 + 0.3 * cosine, 0.3 * sine, 0.1)
        };
        (0..n).map(point).collect()
    }

    fn samples() -> [Curve; 6] {
        let open = [[0.0, 0.0, 0.0], [0.3, 0.1, -0.1], [0.4, 0.5, 0.2], [0.2, 0.9, 0.1]].map(Vec3::from);
        let normal = Vec3::new(0.36, 0.48, 0.8);
        [
            Curve::circle(Vec3::new(0.1, 0.2, 0.3), 0.7, &normal),
            Curve::through(&open, false),
            Curve::through(&open, true),
            Curve::through(&open[..2], false),
            Curve::spline(&open, false, true),
            Curve::spline(&open, true, true),
        ]
    }

    #[test]
    fn tangents_and_second_derivatives_are_those_of_the_position_within_and_beyond_the_ends() {
        for curve in samples() {
            let length = curve.length();
            for s in [-0.4, 0.1, 0.31, 0.77, 1.3].map(|part| part * length) {
                let at = |k: usize| {
                    let curve = &curve;
                    move |ds: f64| curve.at(s + ds)[k].as_slice().to_vec()
                };
                let [place, tangent, bend] = curve.at(s);
                assert_derivative("tangent", at(0), tangent.as_slice(), 1e-8);
                assert_derivative("second derivative", at(1), bend.as_slice(), 1e-8);
                let dual = curve.at(Dual::new(s, [1.0]));
                assert!((dual[0].map(|x| x.slopes[0]) - tangent).amax() < 1e-14);
                assert!((dual[1].map(|x| x.slopes[0]) - bend).amax() < 1e-13);
                assert_eq!(dual[0].map(|x| x.value), place);
            }
        }
    }

    #[test]
    fn a_spline_goes_through_its_points_with_continuous_second_derivatives() {
        for (points, closed) in [(around(7), true), (around(7), false), (around(2), false), (around(3), true)] {
            let curve = Curve::through(&points, closed);
            let mut s = 0.0;
            for (i, point) in points.iter().enumerate() {
                let [at, before, after] = [s, s - 1e-9, s + 1e-9].map(|s| curve.at(s));
                assert!((at[0] - point).amax() < 1e-14 && (before[2] - after[2]).amax() < 1e-6, "{i}");
                let next = &points[(i + 1) % points.len()];
                s += (next - point).norm();
            }
            if closed {
                assert!(
                    (curve.length() - s).abs() < 1e-14 && (curve.at(s + 0.01)[0] - curve.at(0.01)[0]).amax() < 1e-14
                );
            } else {
                assert!(curve.at(-0.1)[2].amax() == 0.0 && curve.at(curve.length())[2].amax() < 1e-13);
            }
        }
    }

    /// The error is of order h⁶: 64 times smaller with twice as many points.
    #[test]
    fn a_quintic_spline_has_continuous_fourth_derivatives_and_approaches_a_circle_with_the_sixth_power() {
        for closed in [true, false] {
            let curve = Curve::spline(&around(9), closed, true);
            let knots = curve.knots().to_vec();
            for (i, s) in knots.iter().enumerate().skip(1).take(7) {
                let [before, after] = [s - 1e-9, s + 1e-9].map(|s| curve.derivatives(s));
                assert!((curve.at(*s)[0] - around(9)[i % 9]).amax() < 1e-14 && (before[3] - after[3]).amax() < 1e-5);
            }
            assert!(closed || curve.at(0.0)[2].amax() < 1e-13);
        }
        let error = |n: usize| {
            let curve = Curve::spline(&around(n), true, true);
            let off = |i: usize| (curve.at(curve.length() * i as f64 / 1000.0)[0] - Vec3::new(2.0, 0.0, 0.1)).norm();
            (0..1000).map(|i| (off(i) - 0.3).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(12), error(24));
        assert!((50.0..80.0).contains(&(coarse / fine)), "{coarse} {fine}");
    }

    /// The error is of order h⁴: 16 times smaller with twice as many points.
    #[test]
    fn a_closed_spline_through_points_of_a_circle_approaches_it_with_the_fourth_power() {
        let error = |n: usize| {
            let curve = Curve::through(&around(n), true);
            let off = |i: usize| (curve.at(curve.length() * i as f64 / 1000.0)[0] - Vec3::new(2.0, 0.0, 0.1)).norm();
            (0..1000).map(|i| (off(i) - 0.3).abs()).fold(0.0, f64::max)
        };
        let ratio = error(24) / error(48);
        assert!((15.0..17.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_nearest_point_is_at_a_right_angle_and_found_again() {
        for curve in samples() {
            for part in [0.02, 0.33, 0.64, 0.97] {
                let [at, tangent, _] = curve.at(part * curve.length());
                let place = at + 0.01 * tangent.cross(&Vec3::new(0.3, -0.2, 0.9));
                let found = curve.nearest(&place).rem_euclid(curve.length());
                assert!((found - part * curve.length()).abs() < 1e-13, "{found} {}", part * curve.length());
            }
        }
    }

    /// A roller outside a circle, and one that does not fit into a hollow.
    #[test]
    fn an_offset_curve_keeps_its_distance_and_has_no_cusps() {
        let (curve, normal) = (Curve::through(&around(48), true), Vec3::z());
        let offset = curve.offset(0.05, &normal).unwrap();
        for i in 0..100 {
            let radius = (offset.at(0.02 * f64::from(i))[0] - Vec3::new(2.0, 0.0, 0.1)).norm();
            assert!((radius - 0.35).abs() < 1e-6, "{radius}");
        }
        assert!(curve.offset(-0.31, &normal).is_none() && curve.offset(0.1, &Vec3::x()).is_some());
        let circle = Curve::circle(Vec3::zeros(), 0.3, &normal);
        assert!(circle.offset(-0.3, &normal).is_none());
        assert!((circle.offset(0.1, &normal).unwrap().at(0.7)[0].norm() - 0.4).abs() < 1e-15);
    }

    /// The derivatives with respect to the direction include the derivative of the root.
    #[test]
    fn the_lowest_point_of_a_convex_curve_has_a_level_tangent_and_the_whole_curve_above_it() {
        let normal = Vec3::new(0.0, 0.0, 1.0);
        for curve in [Curve::through(&around(40), true), Curve::circle(Vec3::new(2.0, 0.0, 0.1), 0.3, &normal)] {
            assert!((curve.convex().expect("it is convex") - normal).norm() < 1e-12);
            for k in 0..50 {
                let angle = TAU * f64::from(k) / 50.0;
                let up = |angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.2);
                let s = curve.lowest(&up(angle));
                let [at, tangent, bend] = curve.at(s);
                assert!(tangent.dot(&up(angle)).abs() < 1e-14 && bend.dot(&up(angle)) > 0.0, "{k}");
                for j in 0..200 {
                    let other = curve.at(curve.length() * f64::from(j) / 200.0)[0];
                    assert!((other - at).dot(&up(angle)) > -1e-15, "{k} {j}");
                }
                let along = Dual::new(angle, [1.0]);
                let (sine, cosine) = sin_cos(along);
                let found = curve.lowest(&Vec3::new(cosine, sine, Dual::new(0.2, [0.0])));
                let h = 1e-6;
                let mut step = curve.lowest(&up(angle + h)) - curve.lowest(&up(angle - h));
                step -= curve.length() * (step / curve.length()).round();
                assert!((found.slopes[0] - step / (2.0 * h)).abs() < 1e-7, "{k}: {:?} {step}", found.slopes);
            }
        }
    }

    #[test]
    fn open_hollow_and_twisted_curves_are_not_convex() {
        let mut hollow = around(12);
        hollow[3] = Vec3::new(2.0, 0.1, 0.1);
        let mut twisted = around(12);
        twisted[3].z = 0.2;
        let twice: Vec<Vec3> = (0..24).map(|i| around(12)[i % 12] * (1.0 + 0.01 * (i / 12) as f64)).collect();
        for curve in [Curve::through(&around(12), false), Curve::through(&hollow, true), Curve::through(&twisted, true)]
        {
            assert!(curve.convex().is_none());
        }
        assert!(Curve::through(&twice, true).convex().is_none());
    }
}
