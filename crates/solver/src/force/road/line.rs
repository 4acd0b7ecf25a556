//! Curved reference lines: the length u along a line and the distance v from it, for a position x, y.
//!
//! The line is a cubic spline through its points. Its second derivatives are continuous, and so are the slopes of a map
//! over u and v. (OpenCRG, the source, uses straight segments: with a point spacing h the lines differ by 1/8 κ h².) u
//! and v refer to the foot of the perpendicular from the position to the line; beyond its ends the line continues
//! straight.
//!
//! # Method
//!
//! Each bin of a uniform grid over x and y stores the ranges of points that may be nearest to a position in the bin. In
//! every range the last point behind the foot is found by bisection (the distance along the tangent falls from point to
//! point as long as the centre of curvature is not reached), the foot by Newton's method, [`ITERATIONS`] times. If
//! there are several ranges, the nearest foot is used: where a road crosses over itself, its lower and upper parts
//! cannot be distinguished. Bins far from the line use the ranges of the nearest bin close to the line.

#![expect(clippy::disallowed_types, reason = "creates a road, before the first step")]

use super::grid::HeightMap;
use crate::math::interpolation::second_derivatives;
use crate::math::scalar::Scalar;
use crate::math::within;
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};

/// Newton iterations; starting from the chord, two reach full precision.
const ITERATIONS: usize = 4;
/// Distance from a map up to which its bins contain the nearest points, m.
const BESIDE: f64 = 5.0;
/// Points beyond the ends, on parabolas, for the computation of the spline: 2⁻¹⁶ of the end effects remain.
const BEYOND: usize = 8;
/// Largest coordinate, m, so that squares of distances remain finite.
const FARTHEST: f64 = 1e12;
/// Largest number of bins.
const MOST_BINS: f64 = 262_144.0;
/// Smallest value of 1 − κ v, the scale of a step along the line at the distance v.
const CURVED: f64 = 0.1;

/// A curved line.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct Line {
    /// Points, and the second derivatives by the index.
    points: Box<[[f64; 2]]>,
    curvature: Box<[[f64; 2]]>,
    /// Spacing of points along the line, m.
    spacing: f64,
    /// First corner of the bins, their size in m, and their number along x and y.
    corner: [f64; 2],
    size: f64,
    bins: [usize; 2],
    /// Start index of the ranges of each bin, plus an end index.
    starts: Box<[u32]>,
    /// First and last point.
    ranges: Box<[[u32; 2]]>,
}

/// A foot on the line.
pub(super) struct Foot<S> {
    /// Length along the line and distance to its left, m.
    pub place: [S; 2],
    /// Derivatives of u by x and y, and of v.
    pub slopes: [[S; 2]; 2],
}

/// Second derivatives of the spline through values, by their index.
#[expect(clippy::disallowed_methods, reason = "creates a road, before the first step")]
fn curvature(values: &[f64]) -> Vec<f64> {
    let last = values.len() - 1;
    let beyond = |ends: [f64; 3], k: f64| {
        let [a, b, c] = ends;
        a + k * (a - b) + 0.5 * k * (k + 1.0) * (a - 2.0 * b + c)
    };
    let third = last.min(2);
    let value = |i: usize| match i.checked_sub(BEYOND) {
        None => beyond([values[0], values[1], values[third]], (BEYOND - i) as f64),
        Some(i) if i > last => beyond([values[last], values[last - 1], values[last - third]], (i - last) as f64),
        Some(i) => values[i],
    };
    let all = second_derivatives(values.len() + 2 * BEYOND, |i| [i as f64, value(i)]);
    all[BEYOND..=BEYOND + last].to_vec()
}

impl Line {
    /// The line of a map.
    #[expect(clippy::disallowed_methods, reason = "creates a road, before the first step")]
    pub(super) fn new(map: &HeightMap, points: &[[f64; 2]]) -> Line {
        let second = [0, 1].map(|axis| curvature(&points.iter().map(|point| point[axis]).collect::<Vec<_>>()));
        let width = f64::max(map.origin[1].abs(), (map.origin[1] + map.spacing[1] * (map.points[1] - 1) as f64).abs());
        let reach = width + BESIDE;
        let ends = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            [values.clone().fold(f64::INFINITY, f64::min) - reach, values.fold(f64::NEG_INFINITY, f64::max) + reach]
        };
        let [x, y] = [ends(0), ends(1)];
        let size = f64::max(reach, ((x[1] - x[0]) * (y[1] - y[0]) / MOST_BINS).sqrt());
        let bins = [x, y].map(|[from, to]| ((to - from) / size) as usize + 1);
        let mut line = Line {
            points: points.into(),
            curvature: (0..points.len()).map(|i| [second[0][i], second[1][i]]).collect(),
            spacing: map.spacing[0],
            corner: [x[0], y[0]],
            size,
            bins,
            starts: Box::default(),
            ranges: Box::default(),
        };
        line.fill_bins(reach);
        line
    }

    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "creates a road, before the first step")]
    fn fill_bins(&mut self, reach: f64) {
        let mut bins: Vec<Vec<[u32; 2]>> = vec![Vec::new(); self.bins[0] * self.bins[1]];
        // Ranges of points within reach of every bin.
        for (index, point) in self.points.iter().enumerate() {
            let from = self.bin([point[0] - reach, point[1] - reach]);
            let to = self.bin([point[0] + reach, point[1] + reach]);
            for (i, j) in (from[0]..=to[0]).flat_map(|i| (from[1]..=to[1]).map(move |j| (i, j))) {
                let ranges = &mut bins[i * self.bins[1] + j];
                match ranges.last_mut() {
                    Some(range) if range[1] as usize + 1 == index => range[1] = index as u32,
                    _ => ranges.push([index as u32; 2]),
                }
            }
        }
        // Empty bins take the ranges of the nearest bin that has some, in breadth-first order.
        let mut queue: VecDeque<usize> = (0..bins.len()).filter(|bin| !bins[*bin].is_empty()).collect();
        while let Some(bin) = queue.pop_front() {
            let (i, j) = (bin / self.bins[1], bin % self.bins[1]);
            let beside = [(i.wrapping_sub(1), j), (i + 1, j), (i, j.wrapping_sub(1)), (i, j + 1)];
            for (i, j) in beside.into_iter().filter(|(i, j)| *i < self.bins[0] && *j < self.bins[1]) {
                let other = i * self.bins[1] + j;
                if bins[other].is_empty() {
                    bins[other] = bins[bin].clone();
                    queue.push_back(other);
                }
            }
        }
        // Ranges of all bins in one array.
        let mut count = 0;
        let starts = bins.iter().map(|ranges| {
            count += ranges.len() as u32;
            count
        });
        self.starts = core::iter::once(0).chain(starts).collect();
        self.ranges = bins.concat().into();
    }

    /// The bin of a position, or the nearest bin.
    fn bin(&self, place: [f64; 2]) -> [usize; 2] {
        // NaN becomes zero.
        [0, 1].map(|axis| (((place[axis] - self.corner[axis]) / self.size) as usize).min(self.bins[axis] - 1))
    }

    /// Position, first and second derivatives by the index `s`, straight beyond the ends.
    fn at<S: Scalar>(&self, s: S) -> [[S; 2]; 3] {
        // The cell with the index s, and the share t within it.
        let last = self.points.len() - 1;
        let cell = (s.value().max(0.0) as usize).min(last - 1);
        let (from, to) = (&self.points[cell], &self.points[cell + 1]);
        let (low, high) = (&self.curvature[cell], &self.curvature[cell + 1]);
        let t = s - cell as f64;
        let rest = S::one() - t;
        let straight = t.value() < 0.0 || rest.value() < 0.0;
        // Cubic of the cell from its ends and second derivatives; beyond the ends of the line the tangent.
        let axis = |axis: usize| {
            let chord = to[axis] - from[axis];
            if straight {
                let (start, slope) = if t.value() < 0.0 {
                    (from[axis], chord - (2.0 * low[axis] + high[axis]) / 6.0)
                } else {
                    (
                        to[axis] - chord - (low[axis] + 2.0 * high[axis]) / 6.0,
                        chord + (low[axis] + 2.0 * high[axis]) / 6.0,
                    )
                };
                return [t * slope + start, S::from_f64(slope), S::zero()];
            }
            let position = t * chord
                + from[axis]
                + ((t * t - 1.0) * t * high[axis] + (rest * rest - 1.0) * rest * low[axis]) * (1.0 / 6.0);
            let slope =
                ((t * t * 3.0 - 1.0) * high[axis] - (rest * rest * 3.0 - 1.0) * low[axis]) * (1.0 / 6.0) + chord;
            [position, slope, t * high[axis] + rest * low[axis]]
        };
        let [x, y] = [axis(0), axis(1)];
        [0, 1, 2].map(|order| [x[order], y[order]])
    }

    /// The Newton step from the index `s` towards the foot of a position, and the line at `s`.
    fn towards<S: Scalar>(&self, place: [S; 2], s: S) -> (S, [[S; 2]; 3], S) {
        let line = self.at(s);
        let [c, d, e] = &line;
        let off = [place[0] - c[0], place[1] - c[1]];
        let square = d[0] * d[0] + d[1] * d[1];
        let mut bend = square - off[0] * e[0] - off[1] * e[1];
        if bend < square * CURVED {
            bend = square * CURVED;
        }
        ((off[0] * d[0] + off[1] * d[1]) / bend, line, bend)
    }

    /// The foot of the position x, y.
    pub(super) fn foot<S: Scalar>(&self, place: [S; 2]) -> Foot<S> {
        let place = place.map(|x| within(x, -FARTHEST, FARTHEST));
        let values = place.map(S::value);
        let [i, j] = self.bin(values);
        let bin = i * self.bins[1] + j;
        let last = self.points.len() - 1;
        let (mut nearest, mut least) = (0.0, f64::INFINITY);
        // The nearest foot over all ranges of the bin: last point behind the foot by bisection, then Newton.
        for range in &self.ranges[self.starts[bin] as usize..self.starts[bin + 1] as usize] {
            let ahead = |index: usize| {
                let [x, y] = &self.points[index];
                let (before, after) = (&self.points[index.saturating_sub(1)], &self.points[(index + 1).min(last)]);
                (values[0] - x) * (after[0] - before[0]) + (values[1] - y) * (after[1] - before[1])
            };
            let (mut low, mut high) = (range[0] as usize, range[1] as usize + 1);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if ahead(middle) >= 0.0 { low = middle } else { high = middle }
            }
            // Limited to one point beyond the cell, and extrapolated straight at the ends.
            let least_index = if low == 0 { f64::NEG_INFINITY } else { low as f64 - 1.0 };
            let most_index = if low + 1 >= last { f64::INFINITY } else { low as f64 + 2.0 };
            let mut s = low as f64;
            for _ in 0..ITERATIONS {
                s = (s + self.towards(values, s).0).max(least_index).min(most_index);
            }
            let [c, ..] = self.at(s);
            let distance = (values[0] - c[0]) * (values[0] - c[0]) + (values[1] - c[1]) * (values[1] - c[1]);
            if distance < least {
                (nearest, least) = (s, distance);
            }
        }
        // One more step propagates the derivatives.
        let s = self.towards(place, S::from_f64(nearest)).0 + nearest;
        let (_, [c, d, _], bend) = self.towards(place, s);
        let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
        let normal = [-d[1] / length, d[0] / length];
        let v = (place[0] - c[0]) * normal[0] + (place[1] - c[1]) * normal[1];
        Foot { place: [s * self.spacing, v], slopes: [d.map(|d| d * self.spacing / bend), normal] }
    }
}
