//! Modes of a linearized system: eigenvalues of A, their frequencies and damping, and the shares of the coordinates.
//!
//! An undamped conservative system at rest, where A = [0 I; −M⁻¹K 0] with symmetric K, is solved as the symmetric
//! pencil K φ = ω² M φ. Its eigenvalues are exactly on the axes, and small frequencies keep twice as many digits. For a
//! positive definite K the slow half is computed from M φ = ω⁻² K φ, where these eigenvalues are the largest, so they
//! keep their digits next to modes that are a million times as fast. The matrices show whether a system is of this
//! kind. For all other systems the QR method gives the eigenvalues of A and inverse iteration the vectors. With both
//! vectors, a Rayleigh quotient improves an eigenvalue that is separate from all others.
//!
//! Every eigenvalue has an estimate of its relative rounding error: from the entries of K and A, from the loads that K
//! contains, and from the method. Eigenvalues whose square is below the first two are zero: motions without stiffness.
//!
//! A filtered prescribed motion, on which no state acts, and a low-pass filter without feedback make A block
//! triangular. Their repeated poles are known. The other eigenvalues are the eigenvalues of the rest of A: coordinates,
//! speeds, states of force elements, filters with feedback. Together they are all eigenvalues of A.
//!
//! Shares. The state s of a force element or filter has the share |ψ_s φ_s| of the mode, its participation factor (ψ:
//! left eigenvector with ψ · φ = 1; Pérez-Arriaga, Verghese & Schweppe, IEEE Trans. PAS-101 (1982) 3117). The factors
//! of all states sum up to 1. Coordinates share the rest by their kinetic energy, |φ̇_i|² weighted by the diagonal of
//! the reduced mass matrix. Velocities are relative to the turning body: a vehicle that yaws at speed moves sideways in
//! the world, but not relative to its own frame. Damping ratio −Re λ/|λ|, frequency |λ|/2π.
//!
//! Sizes: 2n + further states; O(n³). Verified by: tests/motion/verification/linear.rs, math::eigen. Allocates.

use super::equilibrium::pencil;
use super::linearize::Linearization;
use super::operating_point::AnalysisError;
use ballesta_solver::math::{eigen, elementary, linear};
use nalgebra::{Complex, DMatrix, DVector};
use std::f64::consts::TAU;

/// Relative accuracy of forces, as a fraction of the loads and of the stiffness.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Relative damping and skewness below this value count as zero.
const SKEWNESS_TOLERANCE: f64 = 1e-7;
/// Distance of an eigenvalue from all others, in units of its error bound, above which a Rayleigh quotient is more
/// accurate than the eigenvalue.
const MIN_SEPARATION: f64 = 10.0;
/// Eigenvalues whose relative error may exceed this value are marked.
pub const MAX_CERTAIN_ERROR: f64 = 1e-3;
/// Entries of an eigenvector with largest entry 1 below this value count as zero: squares of their products vanish, and
/// the inverse of a matrix divides by these.
const ENTRY_TOLERANCE: f64 = 1e-40;

/// One mode: a real eigenvalue, a conjugate pair, or a motion without stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The eigenvalue, 1/s; for a pair the one with positive imaginary part.
    pub eigenvalue: Complex<f64>,
    /// Number of eigenvalues that it represents: 2 for a pair, and for a motion without stiffness or damping.
    pub count: usize,
    /// Shares of coordinates and states of force elements, largest first, sum 1: index of the state, and share. The
    /// decay of a filter is attributed to the filter's state.
    pub shares: Vec<(usize, f64)>,
    /// Relative error of the eigenvalue by rounding, to first order. 0 for λ = 0. A value of 1 or more means that
    /// nothing is known about the eigenvalue.
    pub uncertainty: f64,
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

    /// Whether more than the third digit of the eigenvalue is in doubt.
    pub fn is_uncertain(&self) -> bool {
        !(self.uncertainty <= MAX_CERTAIN_ERROR)
    }

    /// Whether it is an oscillation.
    pub fn oscillates(&self) -> bool {
        self.eigenvalue.im != 0.0
    }
}

/// All modes of a linearized system.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// By ascending magnitude of the eigenvalue, zeros first.
    pub modes: Vec<Mode>,
    /// Whether they were computed from a symmetric pencil.
    pub symmetric: bool,
}

impl Modes {
    fn sorted(mut modes: Vec<Mode>, symmetric: bool) -> Modes {
        modes.sort_by(|a, b| {
            let size = a.eigenvalue.norm_sqr().total_cmp(&b.eigenvalue.norm_sqr());
            size.then(a.eigenvalue.re.total_cmp(&b.eigenvalue.re))
        });
        Modes { modes, symmetric }
    }

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
pub fn magnitude(z: Complex<f64>) -> f64 {
    let size = z.re.abs().max(z.im.abs());
    if size == 0.0 { 0.0 } else { size * (z / size).norm_sqr().sqrt() }
}

/// Modes of `model`: every eigenvalue of its A.
pub fn modes(model: &Linearization) -> Result<Modes, AnalysisError> {
    let n = model.size();
    let rounding = Rounding::new(model);
    let filters = separate_filters(model);
    let separate: usize = filters.iter().map(|filter| filter.count).sum();
    if let Some(even) = conservative(model).filter(|_| 2 * n + separate == model.a.len()) {
        let mut factor = model.mass.clone();
        if linear::cholesky(&mut factor, n, 0.0).is_ok() {
            let mut modes = of_pencil(model, &even, &factor, &rounding);
            modes.extend(filters.iter().flat_map(Filter::modes));
            return Ok(Modes::sorted(modes, true));
        }
    }
    let mut modes = of_matrix(model, &filters, &rounding)?;
    modes.extend(filters.iter().flat_map(Filter::modes));
    Ok(Modes::sorted(modes, false))
}

/// The shape of a mode of `model`: displacements of its independent coordinates, the largest 1 in magnitude. Uses
/// inverse iteration on A from a fixed start. `None` if only filters or states of force elements move.
pub fn shape(model: &Linearization, mode: &Mode) -> Option<Vec<Complex<f64>>> {
    let (a, states) = (&model.a, model.a.len());
    let size = a.iter().flatten().fold(0.0_f64, |size, value| size.max(value.abs())).max(f64::MIN_POSITIVE);
    // Shifted slightly from the eigenvalue, so that the matrix is not singular.
    let shift = mode.eigenvalue * (1.0 + 1e-9) + Complex::new(1e-13 * size, 0.0);
    let entry = |i: usize, k: usize| Complex::from(a[i][k]) - if i == k { shift } else { Complex::ZERO };
    let factors = DMatrix::from_fn(states, states, entry).lu();
    // This start is nearly orthogonal to no eigenvector.
    let mut x = DVector::from_fn(states, |i, _| {
        let (sin, cos) = elementary::sin_cos(1.7 * i as f64);
        Complex::new(1.0 + 0.37 * sin, 0.21 * cos)
    });
    for _ in 0..3 {
        x = factors.solve(&x)?;
        let positions = x.iter().take(model.size()).copied();
        let largest = positions.max_by(|a, b| a.norm_sqr().total_cmp(&b.norm_sqr()))?;
        if !(largest.norm_sqr() > 0.0) || !largest.norm_sqr().is_finite() {
            return None;
        }
        x /= largest;
    }
    Some(x.iter().take(model.size()).copied().collect())
}

/// A filter whose poles are eigenvalues of A: nothing acts on it, or it acts on nothing.
struct Filter {
    /// Index of its first state.
    first: usize,
    /// Number of its states.
    count: usize,
    /// Its pole is −`rate`, 1/s.
    rate: f64,
}

impl Filter {
    fn states(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    fn modes(&self) -> impl Iterator<Item = Mode> {
        let eigenvalue = Complex::new(-self.rate, 0.0);
        let mode = Mode { eigenvalue, count: 1, shares: vec![(self.first, 1.0)], uncertainty: 0.0 };
        std::iter::repeat_n(mode, self.count)
    }
}

/// Filtered prescribed motions on which nothing acts, with their triple pole −ω, and low-pass filters that act on
/// nothing.
fn separate_filters(model: &Linearization) -> Vec<Filter> {
    let (a, size) = (&model.a, model.a.len());
    let mut found = Vec::new();
    let mut first = 2 * model.size();
    for &rate in &model.filters {
        let filter = Filter { first, count: 3, rate };
        let own = filter.states();
        let is_driven = own.clone().any(|i| (0..size).any(|j| !own.contains(&j) && a[i][j] != 0.0));
        found.extend((!is_driven).then_some(filter));
        first += 3;
    }
    first += model.element_states;
    for &(rate, count) in &model.low_pass {
        let filter = Filter { first, count, rate };
        let own = filter.states();
        let drives = own.clone().any(|j| (0..size).any(|i| !own.contains(&i) && a[i][j] != 0.0));
        found.extend((!drives).then_some(filter));
        first += count;
    }
    found
}

/// The symmetric part of K if the system is conservative: no prescribed motions, no dependence on speeds, no skew part.
fn conservative(model: &Linearization) -> Option<Vec<f64>> {
    let n = model.size();
    let (unit, stiffness) = (&model.units, &model.stiffness);
    let scaled = |i: usize, j: usize| stiffness[i * n + j] * unit[i] * unit[j];
    let largest = (0..n * n).map(|at| scaled(at / n, at % n).abs()).fold(0.0, f64::max);
    let inertia = (0..n).map(|i| model.mass[i * n + i] * unit[i] * unit[i]).fold(0.0, f64::max);
    let turning = (0..n).any(|i| model.a[i][..n].iter().any(|&entry| entry != 0.0));
    if !model.filters.is_empty() || model.element_states > 0 || turning {
        return None;
    }
    let speed = (largest / inertia.max(f64::MIN_POSITIVE)).sqrt();
    let mut even = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let damping: f64 = (0..n).map(|k| model.mass[i * n + k] * model.a[n + k][n + j]).sum();
            let skew = (scaled(i, j) - scaled(j, i)).abs();
            if (damping * unit[i] * unit[j]).abs() > 1e-4 * SKEWNESS_TOLERANCE * inertia * speed
                || skew > SKEWNESS_TOLERANCE * largest
            {
                return None;
            }
            even[i * n + j] = 0.5 * (stiffness[i * n + j] + stiffness[j * n + i]);
        }
    }
    Some(even)
}

/// Round-off in the entries of K: of the entry itself, and of loads that cancel in it.
struct Rounding {
    doubts: Vec<f64>,
}

impl Rounding {
    fn new(model: &Linearization) -> Rounding {
        let (n, unit) = (model.size(), &model.units);
        let doubt = |at: usize| model.load_energy / (unit[at / n] * unit[at % n]) + model.stiffness[at].abs();
        Rounding { doubts: (0..n * n).map(|at| ROUNDING * doubt(at)).collect() }
    }

    /// Largest λ² that is rounding, for a mass-normalised shape with entries of these magnitudes.
    fn square(&self, shape: &[f64]) -> f64 {
        self.between(shape, shape)
    }

    /// Σ |x_i| doubt_ij |y_j|.
    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        let n = x.len();
        (0..n * n).map(|at| x[at / n].abs() * self.doubts[at] * y[at % n].abs()).sum()
    }
}

/// Eigenvalues ω² and mass-normalised shapes of the pencil, ascending, each with the relative error of the method;
/// `factor`: lower Cholesky factor of M.
fn solve_pencil(model: &Linearization, stiffness: &[f64], factor: &[f64]) -> Vec<(f64, Vec<f64>, f64)> {
    let n = model.size();
    let (values, shapes) = pencil(stiffness, factor, n);
    let largest = values.last().map_or(0.0, |value| value.abs());
    let cost = |value: f64| if value == 0.0 { 0.0 } else { ROUNDING * (largest / value).abs() };
    let mut found: Vec<_> = values.into_iter().zip(shapes).map(|(value, shape)| (value, shape, cost(value))).collect();
    let mut stiff = stiffness.to_vec();
    if linear::cholesky(&mut stiff, n, 0.0).is_err() {
        return found;
    }
    let (inverses, shapes) = pencil(&model.mass, &stiff, n);
    let most = inverses.last().copied().unwrap_or(0.0);
    for ((inverse, mut shape), (value, known, cost)) in inverses.into_iter().zip(shapes).rev().zip(&mut found) {
        let of_inverse = ROUNDING * most / inverse;
        if inverse > 0.0 && !(of_inverse > *cost) {
            // φᵀ K φ = 1 becomes φᵀ M φ = 1.
            shape.iter_mut().for_each(|x| *x /= inverse.sqrt());
            (*value, *known, *cost) = (1.0 / inverse, shape, of_inverse);
        }
    }
    found
}

fn of_pencil(model: &Linearization, stiffness: &[f64], factor: &[f64], rounding: &Rounding) -> Vec<Mode> {
    let mut modes = Vec::new();
    for (value, shape, cost) in solve_pencil(model, stiffness, factor) {
        let shares = kinetic_shares(model, shape.iter().map(|x| x * x));
        let doubt = rounding.square(&shape);
        let uncertainty = 0.5 * ((doubt / value).abs() + cost);
        let mode = |re: f64, im: f64, count: usize, uncertainty: f64| Mode {
            eigenvalue: Complex::new(re, im),
            count,
            shares: shares.clone(),
            uncertainty,
        };
        if value.abs() <= doubt {
            modes.push(mode(0.0, 0.0, 2, 0.0));
        } else if value > 0.0 {
            modes.push(mode(0.0, value.sqrt(), 2, uncertainty));
        } else {
            modes.push(mode(-(-value).sqrt(), 0.0, 1, uncertainty));
            modes.push(mode((-value).sqrt(), 0.0, 1, uncertainty));
        }
    }
    modes
}

/// Modes of coordinates, speeds, and the states of all but the separate `filters`.
fn of_matrix(model: &Linearization, filters: &[Filter], rounding: &Rounding) -> Result<Vec<Mode>, AnalysisError> {
    let n = model.size();
    let is_separate = |i: &usize| filters.iter().any(|filter| filter.states().contains(i));
    let states: Vec<usize> = (0..model.a.len()).filter(|i| !is_separate(i)).collect();
    let size = states.len();
    let motion: Vec<f64> = states.iter().flat_map(|&i| states.iter().map(move |&j| model.a[i][j])).collect();
    let spectrum = eigen::Spectrum::new(&motion, size).ok_or(AnalysisError::NoEigenvalues)?;
    let vectors = spectrum.vectors();
    // Rows are the left eigenvectors; of an invariant subspace without enough eigenvectors, a dual basis.
    let flushed = |x: f64| if x.abs() < ENTRY_TOLERANCE { 0.0 } else { x };
    let entry = |i: usize, j: usize| Complex::new(flushed(vectors[j][i].re), flushed(vectors[j][i].im));
    let columns = DMatrix::from_fn(size, size, entry);
    let left = columns.clone().try_inverse().map(|rows| left_vectors(&motion, &spectrum, &columns, rows));
    let matrix = DMatrix::from_fn(size, size, |i, j| Complex::from(motion[i * size + j]));
    let sizes = DMatrix::from_fn(size, size, |i, j| motion[i * size + j].abs());
    let mut factor = model.mass.clone();
    let has_inertia = linear::cholesky(&mut factor, n, 0.0).is_ok();
    // |M⁻¹ ψ| of the speeds' part of a left eigenvector.
    let weights = |left: &[Complex<f64>]| -> Vec<f64> {
        let solved = |part: fn(&Complex<f64>) -> f64| {
            let mut x: Vec<f64> = left[n..2 * n].iter().map(part).collect();
            linear::solve_lower(&factor, n, &mut x);
            linear::solve_lower_transposed(&factor, n, &mut x);
            x
        };
        let (re, im) = (solved(|x| x.re), solved(|x| x.im));
        re.into_iter().zip(im).map(|(re, im)| magnitude(Complex::new(re, im))).collect()
    };
    let mass = |i: usize| model.mass[i * n + i];
    let mut modes = Vec::new();
    for (k, (&value, vector)) in spectrum.values.iter().zip(&vectors).enumerate() {
        let energy: f64 = (0..n).map(|i| mass(i) * vector[i].norm_sqr()).sum();
        let shape: Vec<f64> = vector[..n].iter().map(|x| (x.norm_sqr() / energy).sqrt()).collect();
        let zero = energy > 0.0 && value.norm_sqr() <= rounding.square(&shape);
        let refined = left.as_ref().map_or(value, |left| {
            let row: Vec<Complex<f64>> = left.row(k).iter().copied().collect();
            let column = DVector::from_column_slice(vector);
            let product = (left.row(k) * &column)[0];
            let quotient = (left.row(k) * (&matrix * &column))[0] / product;
            // The quotient is of second order in the errors of the vectors, so it is better only if these are small.
            // That requires eigenvalues far apart, relative to their own errors, and little rounding in the quotient.
            let bound = spectrum.error_bound(&row, vector);
            let others = spectrum.values.iter().enumerate().filter(|(other, _)| *other != k);
            let apart = others.map(|(_, other)| magnitude(other - value)).fold(f64::INFINITY, f64::min);
            let rounding = ROUNDING * moduli(&row).dot(&(&sizes * &moduli(vector))) / magnitude(product);
            let better = MIN_SEPARATION * bound < apart && rounding <= spectrum.rounding();
            // A real eigenvalue remains real.
            match better && magnitude(quotient - value) <= bound {
                true => Complex::new(quotient.re, if value.im == 0.0 { 0.0 } else { quotient.im }),
                false => value,
            }
        });
        let value = if zero { Complex::new(0.0, 0.0) } else { refined };
        if value.im < 0.0 {
            continue;
        }
        let speeds = seen_from_the_body(model, vector);
        let moving: f64 = (0..n).map(|i| mass(i) * speeds[i].norm_sqr()).sum();
        // A motion that only drifts is described by its positions.
        let squares = |i: usize| if moving > 0.0 && !zero { speeds[i].norm_sqr() } else { vector[i].norm_sqr() };
        let mut list = kinetic_shares(model, (0..n).map(squares));
        if let Some(left) = left.as_ref().filter(|_| size > 2 * n) {
            let part = |at: usize| (left[(k, at)].norm_sqr() * vector[at].norm_sqr()).sqrt();
            let whole: f64 = (0..size).map(part).sum();
            let of_others: f64 = (2 * n..size).map(part).sum::<f64>() / whole;
            if of_others > 0.0 {
                let rest = if list.iter().any(|share| share.1 > 0.0) { 1.0 - of_others } else { 0.0 };
                list.iter_mut().for_each(|share| share.1 *= rest);
                list.extend((2 * n..size).map(|at| (states[at], part(at) / whole)));
                list = shares(list);
            }
        }
        let uncertainty = match &left {
            _ if zero => 0.0,
            Some(left) if has_inertia => {
                let left: Vec<Complex<f64>> = left.row(k).iter().copied().collect();
                let (to, from) = (moduli(&left), moduli(vector));
                let entries = ROUNDING * to.dot(&(&sizes * &from));
                (entries + rounding.between(&weights(&left), &from.as_slice()[..n])) / magnitude(value)
            }
            _ => f64::INFINITY,
        };
        modes.push(Mode { eigenvalue: value, count: if value.im > 0.0 { 2 } else { 1 }, shares: list, uncertainty });
    }
    Ok(modes)
}

/// The left eigenvectors in the rows of the inverse of `columns`. Left eigenvectors of separate eigenvalues come from
/// the transposed matrix, so that vectors of repeated eigenvalues do not affect them.
fn left_vectors(
    a: &[f64],
    spectrum: &eigen::Spectrum,
    columns: &DMatrix<Complex<f64>>,
    mut rows: DMatrix<Complex<f64>>,
) -> DMatrix<Complex<f64>> {
    let n = columns.nrows();
    let transposed: Vec<f64> = (0..n).flat_map(|i| (0..n).map(move |j| a[j * n + i])).collect();
    let Some(adjoint) = eigen::Spectrum::new(&transposed, n) else { return rows };
    for k in (0..n).filter(|&k| spectrum.is_separate(k)) {
        let row = adjoint.vector_of(spectrum.values[k]);
        let product: Complex<f64> = row.iter().zip(columns.column(k).iter()).map(|(y, x)| y * x).sum();
        if magnitude(product) > f64::EPSILON {
            (0..n).for_each(|i| rows[(k, i)] = row[i] / product);
        }
    }
    rows
}

/// |x| of every entry.
fn moduli(vector: &[Complex<f64>]) -> DVector<f64> {
    DVector::from_iterator(vector.len(), vector.iter().map(|&x| magnitude(x)))
}

/// Speeds of a mode relative to the rotating floating bodies.
fn seen_from_the_body(model: &Linearization, vector: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let n = model.size();
    let mut speeds = vector[n..2 * n].to_vec();
    model.turning.iter().for_each(|&(i, j, factor)| speeds[i] -= vector[j] * factor);
    speeds
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
