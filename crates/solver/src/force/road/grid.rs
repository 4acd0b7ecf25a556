//! Height maps: bicubic convolution on an even grid.
//!
//! Between grid points the height is a cubic in each direction through the four nearest values (R. G. Keys, IEEE Trans.
//! Acoust. Speech Signal Process. 29 (1981) 1153, a = −1/2): it passes through all values, has continuous slopes and
//! reproduces planes and parabolas. Outside the map the height is the nearest value at the border; the slope decreases
//! to zero within one cell.

use super::Surface;
use super::line::{Foot, Line};
use crate::math::elementary::{cos, floor, sin};
use crate::math::scalar::Scalar;
use crate::math::within;
use alloc::{boxed::Box, vec::Vec};

/// Heights on an even grid over x and y, or over the length u along a curved line and the distance v from it, to the
/// left.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    /// First x and first y, or u and v, m.
    pub origin: [f64; 2],
    /// Spacing of grid points along x and along y, m.
    pub spacing: [f64; 2],
    /// Grid points along x and along y, each 2 or more.
    pub points: [usize; 2],
    /// Heights in m, row by row of constant x.
    pub heights: Vec<f64>,
    /// Points x, y of the curved line in m, one for every row; the first is the origin.
    pub line: Option<Vec<[f64; 2]>>,
}

/// Heights on a grid.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct HeightGrid {
    /// First x and y.
    origin: [f64; 2],
    /// Cells per m along x and y.
    per_metre: [f64; 2],
    /// Points along x and y.
    points: [usize; 2],
    /// Row by row of constant x.
    heights: Box<[f64]>,
    /// The reference line of the grid, instead of x and y.
    line: Option<Line>,
    /// Position of the grid's x = y = 0, and the direction of its x axis: cosine and sine.
    start: [f64; 2],
    heading: [f64; 2],
}

/// The four grid points around a position in one direction: indices, weights, and derivatives of the weights.
struct Stencil<S> {
    indices: [usize; 4],
    weights: [S; 4],
    slopes: [S; 4],
}

impl HeightGrid {
    /// A grid from the contents of a file.
    ///
    /// The grid with its x = y = 0 at `start` and its x axis rotated by `heading` (rad) about z.
    #[expect(clippy::disallowed_methods, reason = "creates a road, before the first step")]
    pub fn new(map: &HeightMap, start: [f64; 2], heading: f64) -> HeightGrid {
        HeightGrid {
            origin: map.origin,
            per_metre: map.spacing.map(|spacing| 1.0 / spacing),
            points: map.points,
            heights: map.heights.clone().into_boxed_slice(),
            line: map.line.as_ref().map(|points| Line::new(map, points)),
            start,
            heading: [cos(heading), sin(heading)],
        }
    }

    /// Adds height (m) and slopes at the place x, y (m) of the world.
    pub fn add<S: Scalar>(&self, x: S, y: S, surface: &mut Surface<S>) {
        let (cosine, sine) = (self.heading[0], self.heading[1]);
        let (x, y) = (x - self.start[0], y - self.start[1]);
        let (x, y) = (x * cosine + y * sine, y * cosine - x * sine);
        let mut on_map = Surface::default();
        match &self.line {
            None => self.add_even(x, y, &mut on_map),
            Some(line) => {
                let Foot { place: [u, v], slopes: [along, across] } = line.foot([x, y]);
                self.add_even(u, v, &mut on_map);
                let (by_u, by_v) = (on_map.slope_x, on_map.slope_y);
                on_map.slope_x = along[0] * by_u + across[0] * by_v;
                on_map.slope_y = along[1] * by_u + across[1] * by_v;
            }
        }
        surface.height += on_map.height;
        surface.slope_x += on_map.slope_x * cosine - on_map.slope_y * sine;
        surface.slope_y += on_map.slope_x * sine + on_map.slope_y * cosine;
    }

    /// Adds height and slopes at the place x, y of the grid.
    fn add_even<S: Scalar>(&self, x: S, y: S, surface: &mut Surface<S>) {
        let (along, across) = (self.stencil(0, x), self.stencil(1, y));
        for i in 0..4 {
            let row = along.indices[i] * self.points[1];
            let (mut value, mut slope) = (S::zero(), S::zero());
            for j in 0..4 {
                let height = self.heights[row + across.indices[j]];
                value += across.weights[j] * height;
                slope += across.slopes[j] * height;
            }
            surface.height += along.weights[i] * value;
            surface.slope_x += along.slopes[i] * value;
            surface.slope_y += along.weights[i] * slope;
        }
    }

    fn stencil<S: Scalar>(&self, axis: usize, x: S) -> Stencil<S> {
        let last = self.points[axis] - 1;
        // The height is constant far outside; the clamp keeps the index small.
        let u = within((x - self.origin[axis]) * self.per_metre[axis], -4.0, last as f64 + 4.0);
        let cell = floor(u.value());
        let t = u - cell;
        let rest = S::one() - t;
        let indices = [-1.0, 0.0, 1.0, 2.0].map(|offset| (cell + offset).max(0.0) as usize).map(|i| i.min(last));
        let weights = [
            t * -0.5 * rest * rest,
            t * t * (t * 1.5 - 2.5) + 1.0,
            rest * rest * (rest * 1.5 - 2.5) + 1.0,
            rest * -0.5 * t * t,
        ];
        let slopes = [
            rest * -0.5 * (rest - t * 2.0),
            t * (t * 4.5 - 5.0),
            -rest * (rest * 4.5 - 5.0),
            t * -0.5 * (rest * 2.0 - t),
        ];
        Stencil { indices, weights, slopes: slopes.map(|slope| slope * self.per_metre[axis]) }
    }
}
