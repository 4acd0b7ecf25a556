//! Modes of a linearized system: eigenvalues of A, what they mean, and which coordinates move.
//!
//! An undamped conservative system at rest, where A = [0 I; −M⁻¹K 0] with symmetric K, is solved as the symmetric pencil
//! K φ = ω² M φ: eigenvalues are exactly on the axes and twice as many digits of small frequencies survive. Whether a
//! system is one is seen from its matrices. All others: eigenvalues of A by the QR method, vectors by inverse iteration.
//!
//! Eigenvalues whose square is below what the rounding of forces makes of nothing are zero: motions without stiffness.
//!
//! Participation: |φ_i|² weighted by the diagonal of the reduced mass matrix. Damping ratio −Re λ/|λ|, frequency |λ|/2π.
//!
//! Sizes: 2n + filter states; O(n³). Proved by: tests/verification/linear.rs, math::eigen. Offline: allocates.

use super::equilibrium::pencil;
use super::linearize::Linearization;
use super::operating_point::{AnalysisError, DIFFERENCE};
use crate::math::{eigen, linear};
use nalgebra::Complex;
use std::f64::consts::TAU;

/// Forces are known to this part of the loads, and of the stiffness.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Damping and skewness below this part of what they are measured by are none.
const NONE: f64 = 1e-7;

/// One mode: a real eigenvalue, a conjugate pair, or a motion without stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The eigenvalue, 1/s; of a pair the one with positive imaginary part.
    pub eigenvalue: Complex<f64>,
    /// Number of eigenvalues it stands for: 2 for a pair, and for a motion without stiffness or damping.
    pub count: usize,
    /// Shares of the coordinates in its kinetic energy, largest first, sum 1: index of the state, and share. The decay of a
    /// filter is told by the filter's state.
    pub shares: Vec<(usize, f64)>,
}

impl Mode {
    /// |λ|/2π in Hz: the undamped natural frequency of an oscillation.
    pub fn frequency_hz(&self) -> f64 {
        magnitude(self.eigenvalue) / TAU
    }

    /// Damping ratio −Re λ/|λ|; 0 for λ = 0.
    pub fn damping(&self) -> f64 {
        if self.eigenvalue.re == 0.0 { 0.0 } else { -self.eigenvalue.re / magnitude(self.eigenvalue) }
    }

    /// Whether it is an oscillation.
    pub fn oscillates(&self) -> bool {
        self.eigenvalue.im != 0.0
    }
}

/// All modes of a linearized system.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// By rising magnitude of the eigenvalue, zeros first.
    pub modes: Vec<Mode>,
    /// Solved as a symmetric pencil.
    pub symmetric: bool,
}

impl Modes {
    /// Every eigenvalue of A.
    pub fn eigenvalues(&self) -> Vec<Complex<f64>> {
        let both = |mode: &Mode| {
            let other = if mode.count == 2 { Some(mode.eigenvalue.conj()) } else { None };
            [Some(mode.eigenvalue), other].into_iter().flatten()
        };
        self.modes.iter().flat_map(both).collect()
    }
}

/// |z|, without the system library's `hypot`.
pub(super) fn magnitude(z: Complex<f64>) -> f64 {
    let size = z.re.abs().max(z.im.abs());
    if size == 0.0 { 0.0 } else { size * (z / size).norm_sqr().sqrt() }
}

/// Modes of `model`, without those of its outputs' low-pass filters.
pub fn modes(model: &Linearization) -> Result<Modes, AnalysisError> {
    let n = model.size();
    let stiffness = stiffness(model);
    let rounding = Rounding::new(model, &stiffness);
    if let Some(even) = conservative(model, &stiffness) {
        let mut factor = model.mass.clone();
        if linear::cholesky(&mut factor, n, 0.0).is_ok() {
            return Ok(of_pencil(model, &even, &factor, &rounding));
        }
    }
    of_matrix(model, &rounding)
}

/// K = −M ∂z̈/∂z.
fn stiffness(model: &Linearization) -> Vec<f64> {
    let n = model.size();
    let mut stiffness = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                stiffness[i * n + j] -= model.mass[i * n + k] * model.a[n + k][j];
            }
        }
    }
    stiffness
}

/// The symmetric part of K when there is nothing else: no filters, no dependence on speeds, no skew part.
fn conservative(model: &Linearization, stiffness: &[f64]) -> Option<Vec<f64>> {
    let n = model.size();
    let unit = &model.units;
    let scaled = |i: usize, j: usize| stiffness[i * n + j] * unit[i] * unit[j];
    let largest = (0..n * n).map(|at| scaled(at / n, at % n).abs()).fold(0.0, f64::max);
    let inertia = (0..n).map(|i| model.mass[i * n + i] * unit[i] * unit[i]).fold(0.0, f64::max);
    let turning = (0..n).any(|i| model.a[i][..n].iter().any(|&entry| entry != 0.0));
    if !model.filters.is_empty() || turning {
        return None;
    }
    let speed = (largest / inertia.max(f64::MIN_POSITIVE)).sqrt();
    let mut even = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let damping: f64 = (0..n).map(|k| model.mass[i * n + k] * model.a[n + k][n + j]).sum();
            let skew = (scaled(i, j) - scaled(j, i)).abs();
            if (damping * unit[i] * unit[j]).abs() > 1e-4 * NONE * inertia * speed || skew > NONE * largest {
                return None;
            }
            even[i * n + j] = 0.5 * (stiffness[i * n + j] + stiffness[j * n + i]);
        }
    }
    Some(even)
}

/// What differences of rounded forces make of a stiffness of zero.
struct Rounding {
    force: Vec<f64>,
    step: Vec<f64>,
}

impl Rounding {
    fn new(model: &Linearization, stiffness: &[f64]) -> Rounding {
        let (n, unit) = (model.size(), &model.units);
        let work = |i: usize| (0..n).map(|j| (stiffness[i * n + j] * unit[j]).abs()).sum::<f64>();
        Rounding {
            force: (0..n).map(|i| ROUNDING * (model.load_energy / unit[i] + work(i))).collect(),
            step: unit.iter().map(|unit| DIFFERENCE * unit).collect(),
        }
    }

    /// Largest λ² that is rounding, for a mass-normalised shape with entries of these magnitudes.
    fn square(&self, shape: &[f64]) -> f64 {
        let force: f64 = shape.iter().zip(&self.force).map(|(x, force)| x.abs() * force).sum();
        force * shape.iter().zip(&self.step).map(|(x, step)| x.abs() / step).sum::<f64>()
    }
}

fn of_pencil(model: &Linearization, stiffness: &[f64], factor: &[f64], rounding: &Rounding) -> Modes {
    let n = model.size();
    let (values, shapes) = pencil(stiffness, factor, n);
    let mut modes = Vec::new();
    for (value, shape) in values.iter().zip(&shapes) {
        let shares = kinetic_shares(model, shape.iter().map(|x| x * x));
        let mode =
            |re: f64, im: f64, count: usize| Mode { eigenvalue: Complex::new(re, im), count, shares: shares.clone() };
        if value.abs() <= rounding.square(shape) {
            modes.push(mode(0.0, 0.0, 2));
        } else if *value > 0.0 {
            modes.push(mode(0.0, value.sqrt(), 2));
        } else {
            modes.push(mode(-(-value).sqrt(), 0.0, 1));
            modes.push(mode((-value).sqrt(), 0.0, 1));
        }
    }
    sort(&mut modes);
    Modes { modes, symmetric: true }
}

fn of_matrix(model: &Linearization, rounding: &Rounding) -> Result<Modes, AnalysisError> {
    let n = model.size();
    let motion: Vec<f64> = model.a[..2 * n].iter().flat_map(|row| row[..2 * n].iter().copied()).collect();
    let spectrum = eigen::Spectrum::new(&motion, 2 * n).ok_or(AnalysisError::NoEigenvalues)?;
    let mut modes = Vec::new();
    // Nothing feeds back into filters: their eigenvalues stand beside those of the motion, −ω three times each, and are
    // better known than a triple eigenvalue could be computed.
    for (index, &omega) in model.filters.iter().enumerate() {
        let mode = Mode { eigenvalue: Complex::new(-omega, 0.0), count: 1, shares: vec![(2 * n + 3 * index, 1.0)] };
        modes.extend([mode.clone(), mode.clone(), mode]);
    }
    for (&value, vector) in spectrum.values.iter().zip(spectrum.vectors()) {
        let mass = |i: usize| model.mass[i * n + i];
        let energy: f64 = (0..n).map(|i| mass(i) * vector[i].norm_sqr()).sum();
        let shape: Vec<f64> = vector[..n].iter().map(|x| (x.norm_sqr() / energy).sqrt()).collect();
        let zero = energy > 0.0 && value.norm_sqr() <= rounding.square(&shape);
        let value = if zero { Complex::new(0.0, 0.0) } else { value };
        if value.im < 0.0 {
            continue;
        }
        let shares = kinetic_shares(model, vector[..n].iter().map(|x| x.norm_sqr()));
        modes.push(Mode { eigenvalue: value, count: if value.im > 0.0 { 2 } else { 1 }, shares });
    }
    sort(&mut modes);
    Ok(Modes { modes, symmetric: false })
}

fn kinetic_shares(model: &Linearization, squares: impl Iterator<Item = f64>) -> Vec<(usize, f64)> {
    let n = model.size();
    shares(squares.enumerate().map(|(i, square)| (i, square * model.mass[i * n + i])).collect())
}

fn shares(mut parts: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let total: f64 = parts.iter().map(|part| part.1).sum();
    if total > 0.0 {
        parts.iter_mut().for_each(|part| part.1 /= total);
    }
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}

fn sort(modes: &mut [Mode]) {
    modes.sort_by(|a, b| {
        let size = a.eigenvalue.norm_sqr().total_cmp(&b.eigenvalue.norm_sqr());
        size.then(a.eigenvalue.re.total_cmp(&b.eigenvalue.re))
    });
}
