//! Piecewise-linear characteristics of springs and dampers, and their exact integrals.
//!
//! # Law
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

use super::{Coefficient, Surroundings};
use crate::math::scalar::Scalar;
use alloc::vec::Vec;

/// Piecewise-linear function with linear extrapolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    segments: Vec<Segment>,
    /// Primitive at x = 0, subtracted so that the integral starts there.
    integral_at_zero: f64,
}

/// One row and the segment that starts at it.
#[derive(Clone, Copy, Debug, PartialEq)]
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

    fn segment(&self, x: f64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.x <= x);
        &self.segments[after.saturating_sub(1)]
    }
}

/// Force as a function of elongation or of speed: linear with a coefficient, or a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Characteristic {
    /// y = coefficient · x.
    Linear(Coefficient),
    /// y from rows.
    Table(Table),
}

impl Characteristic {
    /// The table if given, otherwise the coefficient.
    pub fn new(coefficient: Coefficient, rows: Option<&[[f64; 2]]>) -> Self {
        match rows {
            Some(rows) => Characteristic::Table(Table::new(rows)),
            None => Characteristic::Linear(coefficient),
        }
    }

    /// y(x).
    pub(crate) fn value<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient) * x,
            Characteristic::Table(table) => table.value(x),
        }
    }

    /// dy/dx.
    pub(crate) fn slope<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient),
            Characteristic::Table(table) => S::from_f64(table.slope(x.value())),
        }
    }

    /// ∫₀ˣ y dx.
    pub(crate) fn integral<S: Scalar>(&self, s: &Surroundings<S>, x: S) -> S {
        match self {
            Characteristic::Linear(coefficient) => s.value(coefficient) * 0.5 * x * x,
            Characteristic::Table(table) => table.integral(x),
        }
    }

    /// The coefficient, if given.
    pub(crate) fn coefficient(&self) -> Option<Coefficient> {
        match self {
            Characteristic::Linear(coefficient) => Some(*coefficient),
            Characteristic::Table(_) => None,
        }
    }
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
}
