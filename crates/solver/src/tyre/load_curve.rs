//! Tabulated load as a function of deflection.

use crate::math::interpolation::Table;
use crate::math::scalar::Scalar;
use alloc::vec::Vec;

/// Piecewise-linear load y(x) that starts at (0, 0). It is zero for x ≤ 0 and continues with the last slope beyond the
/// last row.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct LoadCurve(Table);

impl LoadCurve {
    /// The curve of rows [x, y] with strictly ascending x ≥ 0; (0, 0) is prepended if missing. `None` without rows.
    #[expect(clippy::disallowed_methods, reason = "reads a tyre file, before the first step")]
    pub(super) fn new(rows: &[[f64; 2]]) -> Option<LoadCurve> {
        let start = rows.first().filter(|first| first[0] > 0.0).map(|_| [0.0, 0.0]);
        let points: Vec<[f64; 2]> = start.into_iter().chain(rows.iter().copied()).collect();
        (points.len() > 1).then(|| LoadCurve(Table::new(&points)))
    }

    /// Load, slope and integral from 0 at x.
    pub(super) fn at<S: Scalar>(&self, x: S) -> [S; 3] {
        if x <= 0.0 { [S::zero(); 3] } else { self.0.evaluate(x) }
    }

    /// The smallest x ≥ 0 with the load `y`; extrapolated with the last slope beyond the rows.
    pub(super) fn inverse(&self, y: f64) -> f64 {
        if y <= 0.0 { 0.0 } else { self.0.inverse(y) }
    }
}

#[cfg(test)]
mod tests {
    use super::LoadCurve;

    #[test]
    fn loads_follow_the_rows_and_go_on_with_the_last_slope() {
        let curve = LoadCurve::new(&[[0.01, 1000.0], [0.03, 5000.0]]).expect("rows");
        assert_eq!(curve.at(-0.01), [0.0; 3]);
        assert!((curve.at(0.005)[0] - 500.0).abs() < 1e-9);
        assert!((curve.at(0.02)[0] - 3000.0).abs() < 1e-9);
        assert!((curve.at(0.04)[0] - 7000.0).abs() < 1e-9);
        assert!((curve.at(0.03)[2] - (5.0 + 60.0)).abs() < 1e-9);
        assert!((curve.inverse(3000.0) - 0.02).abs() < 1e-12);
        assert!((curve.inverse(7000.0) - 0.04).abs() < 1e-12);
        assert_eq!(LoadCurve::new(&[]), None);
    }
}
