//! Hollows of a map that a wheel does not reach: a tyre has one contact point, which would jump there.

use super::HeightMap;
use crate::validate::MIN_HOLLOW_RADIUS;

/// Largest depth of a road below the path of a wheel, m.
pub const MAX_HOLLOW_DEPTH: f64 = 0.005;
/// Distance of the checked positions, m, if the grid is coarser.
const MAX_SPACING: f64 = 0.05;
/// Number of passes of [`fill`] along both directions: filling along one direction opens hollows along the other.
const PASSES: usize = 4;
/// Lift in a pass, m, below which no further pass is made.
const LIFT_TOLERANCE: f64 = 1e-4;

/// The deepest point below the path of a wheel.
pub(super) struct Hollow {
    /// Grid point.
    pub point: [usize; 2],
    /// Direction of rolling: 0 along x, 1 along y.
    pub axis: usize,
    /// Depth, m.
    pub depth: f64,
}

/// Lines of the grid in one direction.
struct Lines {
    axis: usize,
    /// Index increments between two points of a line, and from a line to the next.
    strides: [usize; 2],
    points: usize,
    /// Number of positions between two grid points, as many as needed to resolve the curve between them.
    parts: usize,
    /// The wheel: height of its centre above its lower rim, at each offset along the line, m.
    disc: Vec<f64>,
}

impl Lines {
    fn of(map: &HeightMap, axis: usize) -> Lines {
        let strides = [map.points[1], 1];
        let parts = (map.spacing[axis] / MAX_SPACING).ceil().clamp(1.0, 100.0) as usize;
        let step = map.spacing[axis] / parts as f64;
        let reach = (MIN_HOLLOW_RADIUS / step) as usize;
        let below = |k: usize| (MIN_HOLLOW_RADIUS * MIN_HOLLOW_RADIUS - (k as f64 * step).powi(2)).max(0.0).sqrt();
        let disc = (0..=reach).map(below).collect();
        Lines { axis, strides: [strides[axis], strides[1 - axis]], points: map.points[axis], parts, disc }
    }

    /// Heights along a line, and heights of the lowest path of a rim of [`MIN_HOLLOW_RADIUS`] over it.
    fn way(&self, heights: &[f64], line: usize) -> (Vec<f64>, Vec<f64>) {
        let (parts, reach) = (self.parts, self.disc.len() - 1);
        let last = self.points as isize - 1;
        let at = |k: isize| heights[line * self.strides[1] + k.clamp(0, last) as usize * self.strides[0]];
        let line: Vec<f64> = (0..(self.points - 1) * parts + 1)
            .map(|k| {
                let (cell, t) = ((k / parts) as isize, (k % parts) as f64 / parts as f64);
                let [before, start, end, after] = [-1, 0, 1, 2].map(|offset| at(cell + offset));
                let [b, c] = [end - before, 2.0 * before - 5.0 * start + 4.0 * end - after];
                start + 0.5 * t * (b + t * (c + t * (3.0 * (start - end) + after - before)))
            })
            .collect();
        // Beyond the map the line continues straight.
        let (head, tail) = (line[0] - line[1], line[line.len() - 1] - line[line.len() - 2]);
        let before = (1..=reach).rev().map(|k| line[0] + k as f64 * head);
        let behind = (1..=reach).map(|k| line[line.len() - 1] + k as f64 * tail);
        let padded: Vec<f64> = before.chain(line.iter().copied()).chain(behind).collect();
        // Heights of the wheel's centre, then of the lowest path of its rim.
        let spread = |values: &[f64], sign: f64| -> Vec<f64> {
            (0..values.len())
                .map(|k| {
                    let near = k.saturating_sub(reach)..(k + reach + 1).min(values.len());
                    near.map(|i| sign * values[i] + self.disc[i.abs_diff(k)]).fold(f64::NEG_INFINITY, f64::max) * sign
                })
                .collect()
        };
        let way = spread(&spread(&padded, 1.0), -1.0)[reach..][..line.len()].to_vec();
        (line, way)
    }
}

/// The deepest point that a wheel of [`MIN_HOLLOW_RADIUS`] does not reach within [`MAX_HOLLOW_DEPTH`], rolling along
/// the lines of the grid.
pub(super) fn deepest(map: &HeightMap) -> Option<Hollow> {
    let mut deepest: Option<Hollow> = None;
    for axis in [0, 1] {
        let lines = Lines::of(map, axis);
        for other in 0..map.points[1 - axis] {
            let (line, way) = lines.way(&map.heights, other);
            for (k, (way, height)) in way.iter().zip(&line).enumerate() {
                let depth = way - height;
                if depth > deepest.as_ref().map_or(MAX_HOLLOW_DEPTH, |hollow| hollow.depth) {
                    let along = ((k + lines.parts / 2) / lines.parts).min(lines.points - 1);
                    let point = if axis == 0 { [along, other] } else { [other, along] };
                    deepest = Some(Hollow { point, axis: lines.axis, depth });
                }
            }
        }
    }
    deepest
}

/// Lifts heights to the lowest path of a rolling wheel.
pub(super) fn fill(map: &mut HeightMap) {
    for _ in 0..PASSES {
        let mut most: f64 = 0.0;
        for axis in [0, 1] {
            let lines = Lines::of(map, axis);
            for other in 0..map.points[1 - axis] {
                let (_, way) = lines.way(&map.heights, other);
                for (k, way) in way.iter().step_by(lines.parts).enumerate() {
                    let height = &mut map.heights[other * lines.strides[1] + k * lines.strides[0]];
                    if *way > *height {
                        most = most.max(*way - *height);
                        *height = *way;
                    }
                }
            }
        }
        if most < LIFT_TOLERANCE {
            break;
        }
    }
}
