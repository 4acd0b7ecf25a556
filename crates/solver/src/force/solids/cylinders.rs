//! The common part of two round cylinders.
//!
//! Planes parallel to both axes cut each cylinder in a rectangle. At the height w along the common normal of the axes
//! its half width is √(R² − w²). The common part of two rectangles is a polygon, integrated exactly. Gauss' rule
//! integrates the polygons over w between the heights at which a corner of one rectangle crosses a side of the other.
//! Its variable is ψ with w = m + r sin ψ, from the lowest to the highest height that both barrels have. This removes
//! the square roots at these heights. Parallel axes have many common normals, each of which gives the same result.
//!
//! The heights are roots, found by bracketing and bisection, so the computation uses plain numbers. Derivatives are
//! central differences over the six relative displacements, of [`DIFFERENCE`] times the depth.
//!
//! Cost: some 20 µs; at most [`MAX_INTERVALS`] times 16 polygons. Allocates nothing.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::cylinder::Cylinder;
use super::polytope::{NOTHING, Overlap, Pose};
use super::round::{Line, nearest};
use crate::math::elementary::{atan2, sin_cos};
use crate::math::rotation::exponential;
use crate::math::scalar::{Scalar, lift, norm};
use crate::math::{Mat3, Vec3, at_least, divisor};
use core::f64::consts::FRAC_PI_2;

/// Step of the differences, as a fraction of the mean depth of the centre.
const DIFFERENCE: f64 = 1e-3;
/// Largest number of intervals between the heights.
const MAX_INTERVALS: usize = 40;
/// Largest number of them from crossings of corners and sides.
const MAX_CROSSINGS: usize = 28;
/// Smallest first interval of ψ next to an end, rad. Its length follows from the distance to the end of the square root
/// of the other barrel, if that is slightly beyond.
const FINEST: f64 = 1e-6;
/// Length of each further interval, relative to the interval before it.
const GRADING: f64 = 8.0;
/// Largest length of such an interval, rad.
const COARSEST: f64 = 0.6;
/// Number of heights at which a change of sign is searched for.
const PLACES: usize = 25;
/// Number of bisections of a bracket.
const BISECTIONS: usize = 60;
/// Steps of the search for the height with the most common width.
const SEARCH: usize = 48;
/// Intervals of ψ that are narrower, rad, have no width.
const NARROW: f64 = 1e-13;
/// Tolerance in m per m of size within which a corner is on a side.
const ON_SIDE: f64 = 1e-9;
/// Positive abscissas and weights of the Gauss-Legendre rule with 16 points.
const NODES: [[f64; 2]; 8] = [
    [0.095_012_509_837_637_44, 0.189_450_610_455_068_5],
    [0.281_603_550_779_258_9, 0.182_603_415_044_923_59],
    [0.458_016_777_657_227_37, 0.169_156_519_395_002_54],
    [0.617_876_244_402_643_7, 0.149_595_988_816_576_73],
    [0.755_404_408_355_003, 0.124_628_971_255_533_87],
    [0.865_631_202_387_831_7, 0.095_158_511_682_492_78],
    [0.944_575_023_073_232_6, 0.062_253_523_938_647_89],
    [0.989_400_934_991_649_9, 0.027_152_459_411_754_095],
];

/// Both cylinders in axes along the first axis, across it, and along the common normal.
struct Pair {
    one: Cylinder,
    two: Cylinder,
    /// The middle of the second; cosine and sine of the angle between the axes.
    shift: Vec3,
    cosine: f64,
    sine: f64,
}

/// Corners of a polygon, and for the side after each corner its side of the first cylinder: 1 an end at x > 0, 2 at x <
/// 0, 3 the barrel at y > 0, 4 at y < 0.
struct Slice {
    corners: [[f64; 2]; 16],
    sides: [usize; 16],
    len: usize,
}

/// Sums over the slices, about a common point.
#[derive(Default)]
struct Sums {
    volume: f64,
    first: Vec3,
    second: Mat3,
    normals: Vec3,
    weighted: Mat3,
    levers: Vec3,
    weighted_levers: Mat3,
}

fn half_width(radius: f64, w: f64) -> f64 {
    at_least((radius - w) * (radius + w), 0.0).sqrt()
}

impl Pair {
    fn widths(&self, w: f64) -> [f64; 2] {
        [half_width(self.one.radius, w), half_width(self.two.radius, w - self.shift.z)]
    }

    /// Overlap of the rectangles at a height, along the one of their four directions in which it is smallest. Concave
    /// in w.
    fn common_width(&self, w: f64) -> f64 {
        let [u, v] = self.widths(w);
        let (c, s) = (self.cosine.abs(), self.sine.abs());
        let (x, y) = (self.shift.x.abs(), self.shift.y.abs());
        let across = [
            (self.cosine * self.shift.x + self.sine * self.shift.y).abs(),
            (self.cosine * self.shift.y - self.sine * self.shift.x).abs(),
        ];
        let (a, b) = (self.one.half, self.two.half);
        let widths = [
            a + b * c + v * s - x,
            u + b * s + v * c - y,
            b + a * c + u * s - across[0],
            v + a * s + u * c - across[1],
        ];
        widths.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Heights of the lowest and of the highest lines of both barrels: first those between which both are, then, as
    /// distances, how far the other ones are beyond.
    fn tips(&self) -> ([f64; 2], [f64; 2]) {
        let lows = [-self.one.radius, self.shift.z - self.two.radius];
        let highs = [self.one.radius, self.shift.z + self.two.radius];
        let tips = [f64::max(lows[0], lows[1]), f64::min(highs[0], highs[1])];
        (tips, [(lows[0] - lows[1]).abs(), (highs[0] - highs[1]).abs()])
    }

    /// The heights between which the rectangles overlap.
    fn range(&self) -> Option<[f64; 2]> {
        let ([low, high], _) = self.tips();
        if !(low < high) {
            return None;
        }
        // Golden section, until a height is within.
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut a, mut b, mut within) = (low, high, 0.5 * (low + high));
        for _ in 0..SEARCH {
            if self.common_width(within) > 0.0 {
                break;
            }
            let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
            if self.common_width(left) < self.common_width(right) {
                a = left
            } else {
                b = right
            }
            within = 0.5 * (a + b);
        }
        if !(self.common_width(within) > 0.0) {
            return None;
        }
        let end =
            |end: f64| if self.common_width(end) >= 0.0 { end } else { bisect(end, within, |w| self.common_width(w)) };
        Some([end(low), end(high)])
    }

    /// α + β u₁(w) + γ u₂(w), zero where a corner is on a side, with the corner and the side's half length at such a
    /// height: how far it is beyond the end of that side.
    fn crossings(&self, mut see: impl FnMut([f64; 3], &dyn Fn(f64, f64) -> f64)) {
        let (c, s, x, y) = (self.cosine, self.sine, self.shift.x, self.shift.y);
        let (a, b) = (self.one.half, self.two.half);
        for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            // The corner (p a, q u₁) in the axes of the second, (p b, q u₂) in the axes of the first.
            let (along, across) = ([(p * a - x) * c - y * s, q * s], [-(p * a - x) * s - y * c, q * c]);
            let (along_one, across_one) = ([x + p * b * c, -q * s], [y + p * b * s, q * c]);
            for side in [1.0, -1.0] {
                see([along[0] - side * b, along[1], 0.0], &|u, v| (across[0] + across[1] * u).abs() - v);
                see([across[0], across[1], -side], &|u, _| (along[0] + along[1] * u).abs() - b);
                see([along_one[0] - side * a, 0.0, along_one[1]], &|u, v| {
                    (across_one[0] + across_one[1] * v).abs() - u
                });
                see([across_one[0], -side, across_one[1]], &|_, v| (along_one[0] + along_one[1] * v).abs() - a);
            }
        }
    }

    /// The heights at which polygons change their number of sides, and both ends.
    fn heights(&self, [low, high]: [f64; 2]) -> ([f64; MAX_INTERVALS + 1], usize) {
        let mut heights = [high; MAX_INTERVALS + 1];
        (heights[0], heights[1]) = (low, high);
        let mut len = 2;
        // Heights at which the widths are sampled, closer to each other at both ends.
        let place = |k: usize| match k {
            0 => low,
            PLACES => high,
            _ => {
                0.5 * (low + high) + 0.5 * (high - low) * sin_cos(FRAC_PI_2 * (2.0 * k as f64 / PLACES as f64 - 1.0)).0
            }
        };
        let places: [f64; PLACES + 1] = core::array::from_fn(place);
        let widths = places.map(|w| self.widths(w));
        let size = self.one.reach() + self.two.reach();
        // For every pair of a corner and a side, the roots of α + β u₁(w) + γ u₂(w).
        self.crossings(|[alpha, beta, gamma], beyond| {
            let of = |w: f64| {
                let [u, v] = self.widths(w);
                alpha + beta * u + gamma * v
            };
            let values = widths.map(|[u, v]| alpha + beta * u + gamma * v);
            // Sides that coincide at all heights cross nowhere, for example sides of equal cylinders on one axis.
            if values.iter().all(|value| value.abs() <= ON_SIDE * size) {
                return;
            }
            let mut add = |w: f64| {
                let [u, v] = self.widths(w);
                if len <= MAX_CROSSINGS && beyond(u, v) <= ON_SIDE * size {
                    heights[len] = w;
                    len += 1;
                }
            };
            let mut between = |a: (f64, f64), b: (f64, f64)| {
                if a.1 < 0.0 && b.1 > 0.0 {
                    add(bisect(a.0, b.0, of));
                } else if a.1 > 0.0 && b.1 < 0.0 {
                    add(bisect(b.0, a.0, of));
                } else if b.1 == 0.0 {
                    add(b.0);
                }
            };
            for k in 1..=PLACES {
                let [before, current] = [k - 1, k].map(|k| (places[k], values[k]));
                between(before, current);
                // Two roots between places, at the turn of a parabola through three of them.
                if k < PLACES && turns_towards_zero([values[k - 1], values[k], values[k + 1]]) {
                    let after = (places[k + 1], values[k + 1]);
                    let w = extremum([before, current, after]);
                    let turn = (w, of(w));
                    if turn.1 * current.1 < 0.0 {
                        let ends = if w < current.0 { [before, current] } else { [current, after] };
                        between(ends[0], turn);
                        between(turn, ends[1]);
                    }
                }
            }
        });
        (heights, len)
    }

    /// The half widths where a height is so far above the first and below the second of the tips, which rounding of the
    /// height itself does not reach.
    fn widths_between(&self, tips: [f64; 2], [above, below]: [f64; 2]) -> [f64; 2] {
        let width = |radius: f64, middle: f64| {
            let (down, up) = (tips[0] - (middle - radius) + above, (middle + radius) - tips[1] + below);
            at_least(down * up, 0.0).sqrt()
        };
        [width(self.one.radius, 0.0), width(self.two.radius, self.shift.z)]
    }

    /// The common part of both rectangles with these half widths.
    fn slice(&self, [u, v]: [f64; 2]) -> Slice {
        let mut slice = Slice { corners: [[0.0; 2]; 16], sides: [0; 16], len: 4 };
        for (k, (p, q)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
            let (along, across) = (p * self.two.half, q * v);
            let (c, s) = (self.cosine, self.sine);
            slice.corners[k] = [self.shift.x + along * c - across * s, self.shift.y + along * s + across * c];
        }
        for (side, (axis, sign)) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)].into_iter().enumerate() {
            slice.clip(axis, sign, if axis == 0 { self.one.half } else { u }, side + 1);
        }
        slice
    }

    /// ψ of the heights, in order, and more of them next to an end of ψ where the other barrel ends next to it.
    fn angles(&self, range: [f64; 2]) -> ([f64; MAX_INTERVALS + 1], usize) {
        let (tips, beyond) = self.tips();
        let half = 0.5 * (tips[1] - tips[0]);
        let angle = |w: f64| {
            let root = at_least((tips[1] - w) * (w - tips[0]), 0.0).sqrt();
            atan2(w - 0.5 * (tips[0] + tips[1]), root)
        };
        let (mut angles, mut len) = self.heights(range);
        angles[..len].iter_mut().for_each(|height| *height = angle(*height));
        let ends = range.map(angle);
        for (beyond, side) in beyond.into_iter().zip([-1.0, 1.0]) {
            let mut from_end = at_least((2.0 * beyond / half).sqrt(), FINEST);
            while beyond > 0.0 && from_end < COARSEST && len <= MAX_INTERVALS {
                let psi = side * (FRAC_PI_2 - from_end);
                if psi > ends[0] && psi < ends[1] {
                    angles[len] = psi;
                    len += 1;
                }
                from_end *= GRADING;
            }
        }
        angles[..len].sort_unstable_by(f64::total_cmp);
        (angles, len)
    }

    /// Adds the slices of an interval of ψ.
    fn add(&self, sums: &mut Sums, [from, to]: [f64; 2], origin: &Vec3) {
        let (tips, _) = self.tips();
        let (middle, half) = (0.5 * (tips[0] + tips[1]), 0.5 * (tips[1] - tips[0]));
        let (centre, extent) = (0.5 * (from + to), 0.5 * (to - from));
        for [node, weight] in NODES {
            for psi in [centre - extent * node, centre + extent * node] {
                let (sine, cosine) = sin_cos(psi);
                let w = middle + half * sine;
                let weight = weight * extent * half * cosine;
                // 1 ± sin ψ, the smaller one without cancellation.
                let far = 1.0 + sine.abs();
                let near = cosine * cosine / far;
                let between = if sine > 0.0 { [far, near] } else { [near, far] };
                let widths = self.widths_between(tips, between.map(|part| half * part));
                sums.add(&self.slice(widths), w, w / divisor(widths[0]), weight, origin);
            }
        }
    }
}

impl Slice {
    /// Cuts the polygon by a half plane ± x ≤ d or ± y ≤ d; the new side gets a number.
    fn clip(&mut self, axis: usize, sign: f64, limit: f64, side: usize) {
        let mut kept = Slice { corners: [[0.0; 2]; 16], sides: [0; 16], len: 0 };
        for k in 0..self.len {
            let next = (k + 1) % self.len;
            let (a, b) = (self.corners[k], self.corners[next]);
            let heights = [sign * a[axis] - limit, sign * b[axis] - limit];
            if heights[0] <= 0.0 {
                kept.add_corner(a, self.sides[k]);
            }
            if (heights[0] <= 0.0) != (heights[1] <= 0.0) {
                let share = heights[0] / (heights[0] - heights[1]);
                let crossing = [0, 1].map(|i| a[i] + (b[i] - a[i]) * share);
                kept.add_corner(crossing, if heights[0] <= 0.0 { side } else { self.sides[k] });
            }
        }
        *self = kept;
    }

    fn add_corner(&mut self, corner: [f64; 2], side: usize) {
        if self.len < self.corners.len() {
            (self.corners[self.len], self.sides[self.len]) = (corner, side);
            self.len += 1;
        }
    }
}

impl Sums {
    /// A slice at a height; `slope`: w/u of the first barrel.
    fn add(&mut self, slice: &Slice, w: f64, slope: f64, weight: f64, origin: &Vec3) {
        let corner = |k: usize| {
            let [x, y] = slice.corners[k % slice.len];
            Vec3::new(x, y, w) - origin
        };
        for k in 0..slice.len {
            let (start, a, b) = (corner(0), corner(k), corner(k + 1));
            // Triangle a, b and the first corner: volume, first and second moment.
            let area = 0.5 * (a - start).cross(&(b - start)).z * weight;
            let sum = start + a + b;
            self.volume += area;
            self.first += sum * (area / 3.0);
            let squares = start * start.transpose() + a * a.transpose() + b * b.transpose() + sum * sum.transpose();
            self.second += squares * (area / 12.0);
            // Side of the first cylinder: its outward normal over the height.
            let normal = match slice.sides[k] {
                1 => Vec3::x(),
                2 => -Vec3::x(),
                3 => Vec3::new(0.0, 1.0, slope),
                4 => Vec3::new(0.0, -1.0, slope),
                _ => continue,
            };
            // Exact for squares with the middle and both ends.
            let normal = normal * ((b - a).norm() * weight);
            for (p, share) in [(a, 1.0 / 6.0), (0.5 * (a + b), 2.0 / 3.0), (b, 1.0 / 6.0)] {
                let (normal, lever) = (normal * share, p.cross(&normal) * share);
                self.normals += normal;
                self.weighted += normal * p.transpose();
                self.levers += lever;
                self.weighted_levers += lever * p.transpose();
            }
        }
    }
}

/// Whether the middle of three values with one sign is the nearest to zero.
fn turns_towards_zero([before, middle, after]: [f64; 3]) -> bool {
    before * middle > 0.0 && middle * after > 0.0 && middle.abs() <= before.abs() && middle.abs() <= after.abs()
}

/// Extremum of the parabola through three points, between the first and the last; the second value is an extremum of
/// the three.
fn extremum([a, b, c]: [(f64, f64); 3]) -> f64 {
    let (left, right) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    let bend = (right - left).abs();
    if bend > 0.0 { 0.5 * (a.0 + b.0) + 0.5 * (c.0 - a.0) * (left.abs() / divisor(bend)) } else { b.0 }
}

/// The root of a function between a point with a negative and a point with a positive value.
fn bisect(mut negative: f64, mut positive: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (negative + positive);
        if of(middle) < 0.0 { negative = middle } else { positive = middle }
    }
    positive
}

/// The common part, with the second cylinder in the axes of the first; `None` if they are apart.
fn common([one, two]: [&Cylinder; 2], (R_AB, p_AB): &Pose<f64>) -> Option<Overlap<f64>> {
    let axis = R_AB.column(2).into_owned();
    // The common normal has no component along z, whatever the rounding of nearly parallel axes.
    let normal = Vec3::new(-axis.y, axis.x, 0.0);
    let aside = Vec3::new(p_AB.x, p_AB.y, 0.0);
    let normal = normal.try_normalize(0.0).or_else(|| aside.try_normalize(0.0)).unwrap_or(Vec3::x());
    let across = normal.cross(&Vec3::z());
    let R_AN = Mat3::from_columns(&[Vec3::z(), across, normal]);
    // Both cylinders in the axes along the first, across it, and along the common normal.
    let pair = Pair { one: *one, two: *two, shift: R_AN.tr_mul(p_AB), cosine: axis.z, sine: axis.dot(&across) };
    let range = pair.range()?;
    let (angles, len) = pair.angles(range);
    // Sums over the intervals of ψ, about a corner of the slice in the middle.
    let w = 0.5 * (range[0] + range[1]);
    let [x, y] = pair.slice(pair.widths(w)).corners[0];
    let origin = Vec3::new(x, y, w);
    let mut sums = Sums::default();
    for k in 1..len {
        if angles[k] - angles[k - 1] > NARROW {
            pair.add(&mut sums, [angles[k - 1], angles[k]], &origin);
        }
    }
    let (volume, size) = (sums.volume, f64::min(one.reach(), two.reach()));
    if !(volume > NOTHING * size * size * size) {
        return None;
    }
    // Centre c and the depths of c below the nearest faces.
    let p_OC_N = sums.first / volume;
    let p_AC = R_AN * (origin + p_OC_N);
    let (depth, first) = one.nearest_face(&p_AC);
    let (other_depth, second) = two.nearest_face(&R_AB.tr_mul(&(p_AC - p_AB)));
    let second = R_AB * second;
    // As in [`super::cylinder`].
    let falls = R_AN.tr_mul(&(first + second));
    let total = depth + other_depth + falls.dot(&p_OC_N);
    let force = sums.normals * total - sums.weighted * falls;
    let moment = sums.levers * total - sums.weighted_levers * falls - p_OC_N.cross(&force);
    let moments = sums.second - p_OC_N * p_OC_N.transpose() * volume;
    Some(Overlap {
        volume,
        centre: p_AC,
        second: R_AN * moments * R_AN.transpose(),
        normals: [first, -second],
        depth: 0.5 * (depth + other_depth),
        force: (first * volume + R_AN * force) * 0.5,
        moment: R_AN * moment * 0.5,
    })
}

/// Distance along the line between the nearest points of their axes, or along an axis.
pub(super) fn separation<S: Scalar>([one, two]: [&Cylinder; 2], (R_AB, p_AB): &Pose<S>) -> S {
    let axis = R_AB.column(2).into_owned();
    let ends = lift::<S>(&(Vec3::z() * one.half));
    let lines: [Line<S>; 2] = [[-ends, ends], [-1.0, 1.0].map(|side| p_AB + axis * S::from_f64(side * two.half))];
    let [p, q] = nearest(&lines[0], &lines[1]);
    let (p_PQ, mut most) = (q - p, S::from_f64(f64::NEG_INFINITY));
    let length = norm(&p_PQ);
    let line = if length > 0.0 { p_PQ / divisor(length) } else { axis };
    for normal in [line, axis, -axis, lift(&Vec3::z()), lift(&-Vec3::z())] {
        let gap = normal.dot(p_AB) - one.support(&normal) - two.support(&R_AB.tr_mul(&normal));
        most = if gap > most { gap } else { most };
    }
    most
}

/// The common part of two cylinders, with the second in the axes of the first; `None` if they are apart.
pub(super) fn overlap<S: Scalar>(cylinders: [&Cylinder; 2], pose: &Pose<S>) -> Option<Overlap<S>> {
    if separation(cylinders, pose) > 0.0 {
        return None;
    }
    let (R_AB, p_AB) = (pose.0.map(S::value), pose.1.map(S::value));
    let value = common(cylinders, &(R_AB, p_AB))?;
    let mut overlap = value.map(S::from_f64);
    if !S::HAS_SLOPES {
        return Some(overlap);
    }
    // The changes of the pose, with value zero and the derivatives of the pose: along the axes of the first, and about
    // them.
    let lifted = lift::<S>(&p_AB);
    let turned = pose.0 * R_AB.map(S::from_f64).transpose();
    let about = [turned[(2, 1)] - turned[(1, 2)], turned[(0, 2)] - turned[(2, 0)], turned[(1, 0)] - turned[(0, 1)]];
    let changes = [0, 1, 2].map(|k| pose.1[k] - lifted[k]).into_iter().chain(about.map(|change| change * 0.5));
    let size = cylinders[0].reach() + cylinders[1].reach();
    let step = DIFFERENCE * value.depth.abs();
    // Derivatives of the overlap by differences: three translations and three rotations.
    for (k, change) in changes.enumerate() {
        let displaced = |amount: f64| {
            let mut moved = [Vec3::zeros(); 2];
            moved[k / 3][k % 3] = amount;
            common(cylinders, &(exponential(&moved[1]) * R_AB, p_AB + moved[0]))
        };
        let amount = if k < 3 { step } else { step / size };
        // One-sided if the solids are apart on the other side.
        overlap = match (displaced(amount), displaced(-amount)) {
            (Some(after), Some(before)) => overlap.plus(&after, &before, change / (2.0 * amount)),
            (Some(after), None) => overlap.plus(&after, &value, change / amount),
            (None, Some(before)) => overlap.plus(&value, &before, change / amount),
            (None, None) => overlap,
        };
    }
    Some(overlap)
}
