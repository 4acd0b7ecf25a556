//! Functions given by rows: piecewise-linear tables with their exact integrals, and natural cubic splines.
//!
//! # Table
//!
//! A [`Table`] has rows (x_i, y_i) with ascending x_i. Between rows y is linear; beyond the first and last row it is
//! extrapolated with the first and last segment. Segment i covers x_i ≤ x < x_(i+1):
//!
//! ```text
//!     y(x) = y_i + s_i (x − x_i),    s_i = (y_(i+1) − y_i) / (x_(i+1) − x_i).
//! ```
//!
//! A table with one row is constant; a table without rows is zero. Rows must be finite and strictly ascending, which
//! the loader checks. A segment without width has the slope zero, so that no file can produce a NaN here.
//!
//! # Energy
//!
//! The integral from 0 to x is a parabola in every segment, I_i + (x − x_i)(y_i + ½ s_i (x − x_i)), with constants I_i
//! from the trapezoidal rule, which is exact for linear segments. It is once continuously differentiable, so the rows
//! do not disturb the energy balance.
//!
//! # Cost, limits
//!
//! A bisection over the rows: at most log₂(rows) + 1 comparisons. At a row the stiffness jumps: schemes of high order
//! lose order in the step that passes it. Choose rows so that slopes change gradually. A damping table should pass
//! through (0, 0); otherwise its value at rest is a constant force that counts as dissipation of either sign.

use super::scalar::Scalar;
use super::within;
use alloc::{vec, vec::Vec};

/// Extra points beyond each end in the computation of a periodic spline: 2⁻⁶⁴ of the values assumed there remains.
pub(super) const PERIODIC_EXTRA_POINTS: usize = 64;

/// Piecewise-linear function with linear extrapolation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Table {
    segments: Vec<Segment>,
    /// Primitive at x = 0, subtracted so that the integral starts there.
    integral_at_zero: f64,
}

/// One row and the segment that starts at it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Segment {
    x: f64,
    y: f64,
    slope: f64,
    /// ∫ y dx from the first row to this one.
    integral: f64,
}

impl Table {
    /// The table of the rows [x, y], x strictly ascending.
    #[expect(clippy::disallowed_methods, reason = "creates a table, before the first step")]
    pub fn new(rows: &[[f64; 2]]) -> Self {
        let mut segments: Vec<Segment> = Vec::with_capacity(rows.len().max(1));
        let mut integral = 0.0;
        for pair in rows.windows(2) {
            let ([x, y], [next_x, next_y]) = (pair[0], pair[1]);
            let width = next_x - x;
            let slope = if width > 0.0 { (next_y - y) / width } else { 0.0 };
            segments.push(Segment { x, y, slope, integral });
            integral += 0.5 * (y + next_y) * width;
        }
        if segments.is_empty() {
            let y = rows.first().map_or(0.0, |row| row[1]);
            segments.push(Segment { x: 0.0, y, slope: 0.0, integral: 0.0 });
        }
        let mut table = Table { segments, integral_at_zero: 0.0 };
        table.integral_at_zero = table.integral(0.0);
        table
    }

    /// y(x).
    pub fn value<S: Scalar>(&self, x: S) -> S {
        let segment = self.segment(x.value());
        (x - segment.x) * segment.slope + segment.y
    }

    /// ∫₀ˣ y dx.
    pub(crate) fn integral<S: Scalar>(&self, x: S) -> S {
        let segment = self.segment(x.value());
        let dx = x - segment.x;
        dx * (dx * (0.5 * segment.slope) + segment.y) + segment.integral - self.integral_at_zero
    }

    /// dy/dx; at a row the slope of the segment on its right.
    pub(crate) fn slope(&self, x: f64) -> f64 {
        self.segment(x).slope
    }

    /// Value, slope and integral from 0 at x.
    pub(crate) fn evaluate<S: Scalar>(&self, x: S) -> [S; 3] {
        [self.value(x), S::from_f64(self.slope(x.value())), self.integral(x)]
    }

    /// The smallest x with y(x) = `y` on a rising segment, the last one extended; otherwise the last row.
    pub(crate) fn inverse(&self, y: f64) -> f64 {
        for (i, segment) in self.segments.iter().enumerate() {
            let end = self.segments.get(i + 1).map_or(f64::INFINITY, |next| next.y);
            if y <= end && segment.slope > 0.0 {
                return segment.x + (y - segment.y) / segment.slope;
            }
        }
        self.segments.last().map_or(0.0, |last| last.x)
    }

    fn segment(&self, x: f64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.x <= x);
        &self.segments[after.saturating_sub(1)]
    }
}

/// Natural cubic spline through rows (x, y); continued with its end slopes, where its second derivative is zero.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Spline {
    rows: Vec<[f64; 2]>,
    /// Second derivatives at the rows.
    curvature: Vec<f64>,
}

impl Spline {
    /// `rows`: at least two, x strictly increasing.
    pub fn new(rows: Vec<[f64; 2]>) -> Spline {
        let curvature = second_derivatives(rows.len(), |i| rows[i]);
        Spline { rows, curvature }
    }

    /// Value, first and second derivative at `x`.
    pub(crate) fn value(&self, x: f64) -> [f64; 3] {
        let last = self.rows.len() - 1;
        let inside = x.clamp(self.rows[0][0], self.rows[last][0]);
        let i = self.rows.partition_point(|row| row[0] <= inside).clamp(1, last);
        let ([x0, y0], [x1, y1]) = (self.rows[i - 1], self.rows[i]);
        let (c0, c1, h) = (self.curvature[i - 1], self.curvature[i], x1 - x0);
        let (a, b) = ((x1 - inside) / h, (inside - x0) / h);
        let value = a * y0 + b * y1 + ((a * a * a - a) * c0 + (b * b * b - b) * c1) * h * h / 6.0;
        let slope = (y1 - y0) / h + ((3.0 * b * b - 1.0) * c1 - (3.0 * a * a - 1.0) * c0) * h / 6.0;
        if inside == x { [value, slope, a * c0 + b * c1] } else { [value + slope * (x - inside), slope, 0.0] }
    }
}

/// Second derivatives of the natural cubic spline through the `n` points (argument, value) returned by `row`, with
/// strictly increasing arguments. They are zero at both ends.
#[expect(clippy::disallowed_macros, reason = "creates a spline, before the first step")]
pub fn second_derivatives(n: usize, row: impl Fn(usize) -> [f64; 2]) -> Vec<f64> {
    // Thomas algorithm.
    let (mut upper, mut curvature) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n.saturating_sub(1) {
        let [[x0, y0], [x1, y1], [x2, y2]] = [row(i - 1), row(i), row(i + 1)];
        let (h0, h1) = (x1 - x0, x2 - x1);
        let slope_change = (y2 - y1) / h1 - (y1 - y0) / h0;
        let pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
        upper[i] = h1 / pivot;
        curvature[i] = (6.0 * slope_change - h0 * curvature[i - 1]) / pivot;
    }
    for i in (1..n.saturating_sub(1)).rev() {
        curvature[i] -= upper[i] * curvature[i + 1];
    }
    curvature
}

/// Second derivatives of the periodic cubic spline through `rows`, whose last row closes the period.
pub fn periodic_second_derivatives(rows: &[[f64; 2]]) -> Vec<f64> {
    let last = rows.len() - 1;
    let period = rows[last][0] - rows[0][0];
    let row = |i: usize| {
        let (turn, k) = (
            (i + PERIODIC_EXTRA_POINTS * last - PERIODIC_EXTRA_POINTS) / last,
            (i + PERIODIC_EXTRA_POINTS * last - PERIODIC_EXTRA_POINTS) % last,
        );
        [rows[k][0] + (turn as f64 - PERIODIC_EXTRA_POINTS as f64) * period, rows[k][1]]
    };
    let mut second = second_derivatives(last + 1 + 2 * PERIODIC_EXTRA_POINTS, row).split_off(PERIODIC_EXTRA_POINTS);
    second.truncate(last + 1);
    // Equal to rounding.
    second[last] = second[0];
    second
}

/// The interval of ascending numbers in which x lies, and how far in it, 0 to 1; 0 or 1 beyond the ends.
pub fn between<S: Scalar>(numbers: &[f64], x: S) -> (usize, S) {
    let last = numbers.len().saturating_sub(2);
    let index = numbers.partition_point(|number| *number <= x.value()).saturating_sub(1).min(last);
    let (Some(&low), Some(&high)) = (numbers.get(index), numbers.get(index + 1)) else { return (0, S::zero()) };
    (index, within((x - low) / (high - low), 0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [[f64; 2]; 4] = [[-2.0, -5.0], [-1.0, -1.0], [1.0, 1.0], [3.0, 7.0]];

    #[test]
    fn table_passes_through_its_rows_and_is_linear_between_and_beyond() {
        let table = Table::new(&ROWS);
        for [x, y] in ROWS {
            assert_eq!(table.value(x), y);
        }
        assert_eq!(table.value(-1.5), -3.0);
        assert_eq!(table.value(2.0), 4.0);
        assert_eq!(table.value(-4.0), -13.0);
        assert_eq!(table.value(5.0), 13.0);
        assert_eq!((table.slope(-9.0), table.slope(0.0), table.slope(9.0)), (4.0, 1.0, 3.0));
    }

    #[test]
    fn integral_starts_at_zero_and_equals_the_area_by_hand() {
        let table = Table::new(&ROWS);
        assert_eq!(table.integral(0.0), 0.0);
        assert_eq!(table.integral(1.0), 0.5);
        assert_eq!(table.integral(3.0), 0.5 + 8.0);
        assert_eq!(table.integral(5.0), 8.5 + 20.0);
        assert_eq!(table.integral(-1.0), 0.5);
        assert_eq!(table.integral(-2.0), 0.5 + 3.0);
    }

    #[test]
    fn derivative_of_the_integral_is_the_value() {
        let table = Table::new(&[[0.5, 2.0], [0.7, 1.0], [1.3, 1.5], [4.0, -3.0]]);
        let step = 1e-4;
        for i in -40..=60 {
            // No argument lies within a step of a row, where the parabola changes.
            let x = 0.1 * f64::from(i) + 0.033;
            let difference = (table.integral(x + step) - table.integral(x - step)) / (2.0 * step);
            assert!((difference - table.value(x)).abs() < 1e-9, "{x}: {difference} {}", table.value(x));
        }
    }

    #[test]
    fn degenerate_tables_are_constant_or_zero() {
        assert_eq!(Table::new(&[]).value(3.0), 0.0);
        assert_eq!(Table::new(&[[1.0, 4.0]]).value(3.0), 4.0);
        assert_eq!(Table::new(&[[1.0, 4.0]]).integral(3.0), 12.0);
        let step = Table::new(&[[0.0, 0.0], [1.0, 1.0], [1.0, 2.0], [2.0, 3.0]]);
        for x in [-1.0, 0.5, 1.0, 1.5, 3.0] {
            assert!(step.value(x).is_finite() && step.integral(x).is_finite());
        }
    }
    #[test]
    fn spline_passes_through_its_rows_with_continuous_derivatives() {
        let spline = Spline::new(vec![[0.0, 1.0], [0.5, 2.0], [1.5, -1.0], [2.0, 0.5]]);
        for row in [[0.0, 1.0], [0.5, 2.0], [1.5, -1.0], [2.0, 0.5]] {
            assert!((spline.value(row[0])[0] - row[1]).abs() < 1e-14);
        }
        for t in [-0.3, 0.2, 0.5, 1.1, 1.5, 1.9, 2.4] {
            let h = 1e-5;
            let (before, here, after) = (spline.value(t - h), spline.value(t), spline.value(t + h));
            assert!(((after[0] - before[0]) / (2.0 * h) - here[1]).abs() < 1e-4);
            assert!((after[2] - before[2]).abs() < 1e-2);
        }
    }
}
