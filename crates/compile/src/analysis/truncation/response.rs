//! Largest gain of a transfer function over frequency.

use super::schur::Complexes;
use ballesta_solver::math::{elementary, larger};
use nalgebra::Complex;

/// Frequencies on a logarithmic scale, between a tenth of the slowest and ten times the fastest eigenvalue.
const GRID: usize = 200;
/// Offsets from a resonance in half widths of its peak, −Re λ.
const OFFSETS: [f64; 5] = [-1.0, -0.3, 0.0, 0.3, 1.0];
/// Steps of the golden section about the largest value of the grid.
const REFINEMENTS: usize = 40;

/// A largest gain and its frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Largest singular value, in scaled channels.
    pub gain: f64,
    /// Frequency in rad/s; infinite if the gain is the gain of D alone.
    pub omega: f64,
}

/// C (jω − A)⁻¹ B.
pub(super) struct Transfer {
    pub a: Complexes,
    pub b: Complexes,
    pub c: Complexes,
    /// Whether A is upper triangular.
    pub triangular: bool,
}

impl Transfer {
    /// Value at ω, outputs × inputs; NaN if jω is an eigenvalue.
    pub fn at(&self, omega: f64) -> Complexes {
        if self.a.is_empty() {
            return Complexes::zeros(self.c.nrows(), self.b.ncols());
        }
        let mut shifted = -&self.a;
        (0..shifted.nrows()).for_each(|i| shifted[(i, i)] += Complex::new(0.0, omega));
        let mut states = self.b.clone();
        let solved = if self.triangular {
            shifted.solve_upper_triangular_mut(&mut states)
        } else {
            shifted.lu().solve_mut(&mut states)
        };
        if solved { &self.c * states } else { Complexes::from_element(self.c.nrows(), self.b.ncols(), f64::NAN.into()) }
    }
}

/// Largest singular value of a matrix; NaN if an entry is not finite.
pub(super) fn gain(matrix: &Complexes) -> f64 {
    if matrix.iter().any(|x| !(x.re.is_finite() && x.im.is_finite())) {
        return f64::NAN;
    }
    match matrix.shape() {
        (0, _) | (_, 0) => 0.0,
        (1, _) | (_, 1) => matrix.norm(),
        _ => matrix.singular_values().max(),
    }
}

/// Frequencies at which a transfer function with these eigenvalues is evaluated, rad/s, ascending.
fn frequencies(eigenvalues: &[Complex<f64>]) -> Vec<f64> {
    let sizes = || eigenvalues.iter().map(|value| value.norm_sqr().sqrt()).filter(|size| *size > 0.0);
    let (slowest, fastest) = (sizes().fold(f64::INFINITY, f64::min) / 10.0, sizes().fold(0.0, f64::max) * 10.0);
    let mut grid = vec![0.0];
    if slowest.is_finite() {
        let ratio = elementary::ln(fastest / slowest) / GRID as f64;
        grid.extend((0..=GRID).map(|k| slowest * elementary::exp(ratio * k as f64)));
    }
    for value in eigenvalues.iter().filter(|value| value.im > 0.0) {
        grid.extend(OFFSETS.iter().map(|offset| (value.im - offset * value.re).max(0.0)));
    }
    grid.sort_by(f64::total_cmp);
    grid
}

/// Largest value of `gain_at` (a function of ω) and its ω, refined around the best of the frequencies at which the
/// eigenvalues suggest peaks. A lower bound of the H-infinity norm.
pub(super) fn peak(eigenvalues: &[Complex<f64>], gain_at: impl Fn(f64) -> f64) -> Peak {
    let grid = frequencies(eigenvalues);
    let values: Vec<f64> = grid.iter().map(|&omega| gain_at(omega)).collect();
    let mut best = 0;
    for (k, value) in values.iter().enumerate() {
        if value.is_nan() {
            return Peak { gain: f64::NAN, omega: grid[k] };
        }
        best = if *value > values[best] { k } else { best };
    }
    let (mut low, mut high) = (grid[best.saturating_sub(1)], grid[(best + 1).min(grid.len() - 1)]);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut largest, mut place) = (values[best], grid[best]);
    for _ in 0..REFINEMENTS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        let (at_left, at_right) = (gain_at(left), gain_at(right));
        for (value, omega) in [(at_left, left), (at_right, right)] {
            place = if value > largest { omega } else { place };
            largest = larger(largest, value);
        }
        if at_left > at_right {
            high = right;
        } else {
            low = left;
        }
    }
    Peak { gain: largest, omega: place }
}
