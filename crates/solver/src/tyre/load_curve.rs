//! Tabulated load as a function of deflection.

use crate::math::scalar::Scalar;
use alloc::vec::Vec;

/// Piecewise-linear load y(x) that starts at (0, 0). It is zero for x ≤ 0 and continues with the last slope beyond the
/// last row.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// (x, y, slope to the next row, ∫ y up to x).
    segments: Vec<[f64; 4]>,
}

impl Curve {
    /// The curve of rows [x, y] with strictly ascending x ≥ 0; (0, 0) is prepended if missing. `None` without rows.
    #[expect(clippy::disallowed_methods, reason = "reads a tyre file, before the first step")]
    pub(super) fn new(rows: &[[f64; 2]]) -> Option<Curve> {
        let first = rows.first()?;
        let mut points = Vec::with_capacity(rows.len() + 1);
        if first[0] > 0.0 {
            points.push([0.0, 0.0]);
        }
        points.extend_from_slice(rows);
        let mut segments: Vec<[f64; 4]> = Vec::with_capacity(points.len());
        let mut integral = 0.0;
        for pair in points.windows(2) {
            let ([x, y], [next_x, next_y]) = (pair[0], pair[1]);
            let width = next_x - x;
            segments.push([x, y, if width > 0.0 { (next_y - y) / width } else { 0.0 }, integral]);
            integral += 0.5 * (y + next_y) * width.max(0.0);
        }
        (!segments.is_empty()).then_some(Curve { segments })
    }

    /// Load, slope and integral from 0 at x.
    pub(super) fn at<S: Scalar>(&self, x: S) -> [S; 3] {
        if x <= 0.0 {
            return [S::zero(); 3];
        }
        let after = self.segments.partition_point(|segment| segment[0] <= x.value());
        let [start, y, slope, integral] = self.segments[after.max(1) - 1];
        let dx = x - start;
        [dx * slope + y, S::from_f64(slope), dx * (dx * (0.5 * slope) + y) + integral]
    }

    /// The smallest x ≥ 0 with the load `y`; extrapolated with the last slope beyond the rows.
    pub(super) fn inverse(&self, y: f64) -> f64 {
        if y <= 0.0 {
            return 0.0;
        }
        for (i, segment) in self.segments.iter().enumerate() {
            let [x, start, slope, _] = *segment;
            let end = self.segments.get(i + 1).map_or(f64::INFINITY, |next| next[1]);
            if y <= end && slope > 0.0 {
                return x + (y - start) / slope;
            }
        }
        self.segments.last().map_or(0.0, |last| last[0])
    }
}

#[cfg(test)]
mod tests {
    use super::Curve;

    #[test]
    fn loads_follow_the_rows_and_go_on_with_the_last_slope() {
        let curve = Curve::new(&[[0.01, 1000.0], [0.03, 5000.0]]).expect("rows");
        assert_eq!(curve.at(-0.01), [0.0; 3]);
        assert!((curve.at(0.005)[0] - 500.0).abs() < 1e-9);
        assert!((curve.at(0.02)[0] - 3000.0).abs() < 1e-9);
        assert!((curve.at(0.04)[0] - 7000.0).abs() < 1e-9);
        assert!((curve.at(0.03)[2] - (5.0 + 60.0)).abs() < 1e-9);
        assert!((curve.inverse(3000.0) - 0.02).abs() < 1e-12);
        assert!((curve.inverse(7000.0) - 0.04).abs() < 1e-12);
        assert_eq!(Curve::new(&[]), None);
    }
}
