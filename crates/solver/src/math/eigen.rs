//! Eigenvalues and eigenvectors of small dense matrices. Offline: allocates.
//!
//! Symmetric matrices: cyclic Jacobi rotations, which are accurate for small eigenvalues of graded matrices and whose
//! work is bounded by a number of sweeps. Others: the irreducible diagonal blocks of the matrix, each with balancing by
//! powers of two, reduction to Hessenberg form by reflections, and the double-shift QR iteration with an exceptional
//! shift after every ten sweeps without a result (Golub & Van Loan, Matrix Computations, 4th ed., 7.5). The vectors
//! come from inverse iteration with the Hessenberg form of the whole matrix, so that all of them together cost O(n³).
//! Only sums, products, quotients and square roots are used, so every machine computes the same bits.
//!
//! The result is exact for a matrix B + E, where B is the balanced block and |E| a small multiple of n ε |B|, so the
//! sum of the eigenvalues is the trace to this accuracy. Blocks matter for repeated eigenvalues: in B + E an eigenvalue
//! of multiplicity k moves by up to (n ε)^(1/k) |B|. Equal eigenvalues in separate blocks are exact.
//!
//! Matrices are row-major, n × n.

#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "for analyses only, between steps")]

use super::matching::Graph;
use crate::math::elementary::sqrt;
use alloc::{vec, vec::Vec};
use nalgebra::Complex;

/// Largest number of sweeps of the Jacobi method; a 300 × 300 matrix needs about 10.
const SWEEPS: usize = 40;
/// Largest number of QR sweeps per eigenvalue, averaged over all eigenvalues. A few need hundreds, most need two, and
/// each eigenvalue of a block of zeros needs [`SWEEPS_BEFORE_NORM_TEST`].
const ITERATIONS: usize = 90;
/// Sweeps after which an entry below the diagonal counts as zero against the norm of the matrix.
const SWEEPS_BEFORE_NORM_TEST: u32 = 30;
/// Eigenvalues that differ by less than this fraction of the norm of the matrix share an invariant subspace.
const REPEATED_EIGENVALUE_TOLERANCE: f64 = 1e-10;

/// Eigenvalues of a symmetric matrix in ascending order, and its orthonormal eigenvectors in the same order.
pub fn symmetric(a: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut a = a.to_vec();
    let mut vectors = identity(n);
    // Far below the rounding of the largest entries: smaller values do not affect even small eigenvalues.
    let floor = 1e-22 * a.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= rotate(&mut a, &mut vectors, n, (p, q), floor);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]));
    let values = order.iter().map(|&k| a[k * n + k]).collect();
    (values, order.iter().map(|&k| vectors[k * n..(k + 1) * n].to_vec()).collect())
}

/// One Jacobi rotation that makes a_pq zero; rows of `vectors` become the eigenvectors.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, (p, q): (usize, usize), floor: f64) -> bool {
    let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
    if apq.abs() <= 1e-17 * sqrt(app.abs() * aqq.abs()) || apq.abs() <= floor {
        return false;
    }
    let theta = (aqq - app) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + sqrt(1.0 + theta * theta));
    let cosine = 1.0 / sqrt(1.0 + t * t);
    let sine = t * cosine;
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
    (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
    for k in 0..n {
        let (x, y) = (vectors[p * n + k], vectors[q * n + k]);
        (vectors[p * n + k], vectors[q * n + k]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
    true
}

fn identity(n: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    (0..n).for_each(|k| matrix[k * n + k] = 1.0);
    matrix
}

/// Eigenvalues of a real matrix and the data for its eigenvectors.
pub struct Spectrum {
    n: usize,
    /// Eigenvalues by ascending magnitude. In a conjugate pair the eigenvalue with the positive imaginary part is
    /// first.
    pub values: Vec<Complex<f64>>,
    hessenberg: Vec<f64>,
    /// Orthogonal, A = D Q H Qᵀ D⁻¹.
    turn: Vec<f64>,
    /// Diagonal of D.
    balance: Vec<f64>,
    norm: f64,
}

impl Spectrum {
    /// Decomposes `a`. `None` when it is not finite or the iteration does not converge.
    pub fn new(a: &[f64], n: usize) -> Option<Spectrum> {
        if a.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut hessenberg = a.to_vec();
        let balance = balance(&mut hessenberg, n);
        let mut turn = identity(n);
        reduce(&mut hessenberg, &mut turn, n);
        let norm = sqrt(hessenberg.iter().map(|value| value * value).sum::<f64>());
        let blocks = irreducible_blocks(a, n);
        let mut values = Vec::with_capacity(n);
        if blocks.len() <= 1 {
            values = iterate(hessenberg.clone(), n, norm)?;
        } else {
            for block in &blocks {
                values.extend(values_of_block(a, n, block)?);
            }
        }
        values.sort_by(|x, y| {
            let size = (x.norm_sqr().total_cmp(&y.norm_sqr())).then(x.re.total_cmp(&y.re));
            size.then(y.im.total_cmp(&x.im))
        });
        Some(Spectrum { n, values, hessenberg, turn, balance, norm })
    }

    /// First-order bound of the error of eigenvalue λ, with its left and right eigenvectors ψ and φ:
    /// n ε |B| |D ψ| |D⁻¹ φ| / |ψ · φ|; infinite where ψ · φ = 0.
    pub fn error_bound(&self, left: &[Complex<f64>], right: &[Complex<f64>]) -> f64 {
        let product: Complex<f64> = left.iter().zip(right).map(|(x, y)| x * y).sum();
        let length = |vector: &[Complex<f64>], scale: &dyn Fn(f64) -> f64| -> f64 {
            sqrt(vector.iter().zip(&self.balance).map(|(x, d)| x.norm_sqr() * scale(*d) * scale(*d)).sum::<f64>())
        };
        let sizes = length(left, &|d| d) * length(right, &|d| 1.0 / d);
        self.rounding() * sizes / sqrt(product.norm_sqr())
    }

    /// Backward error of the eigenvalues, n ε |B|.
    pub fn rounding(&self) -> f64 {
        self.n as f64 * f64::EPSILON * self.norm
    }

    /// Eigenvector of every eigenvalue, of length 1. The vectors of a repeated eigenvalue are independent: a basis of
    /// the eigenspace, or of the invariant subspace if the eigenvalue is defective.
    pub fn vectors(&self) -> Vec<Vec<Complex<f64>>> {
        let (n, reach) = (self.n, REPEATED_EIGENVALUE_TOLERANCE * self.norm);
        let mut inner: Vec<Vec<Complex<f64>>> = Vec::with_capacity(n);
        for (index, &value) in self.values.iter().enumerate() {
            let near: Vec<usize> =
                (0..index).filter(|&k| (self.values[k] - value).norm_sqr() <= reach * reach).collect();
            let factors = ShiftedFactors::new(&self.hessenberg, n, value, self.norm);
            let mut vector: Vec<Complex<f64>> = (0..n)
                .map(|k| Complex::new(1.0 + 0.5 * (((k + 1) * (index * 7 + 3)) % 11) as f64 / 11.0, 0.0))
                .collect();
            for _ in 0..3 {
                factors.solve(&mut vector);
                normalise(&mut vector);
                // Twice, because once leaves rounding of the size of the subtracted part.
                for &k in near.iter().chain(&near) {
                    let projection: Complex<f64> = inner[k].iter().zip(&vector).map(|(u, v)| u.conj() * v).sum();
                    vector.iter_mut().zip(&inner[k]).for_each(|(v, u)| *v -= projection * u);
                }
                normalise(&mut vector);
            }
            inner.push(vector);
        }
        inner.iter().map(|vector| self.outward(vector)).collect()
    }

    /// Eigenvector, of length 1, of an eigenvalue without near neighbours.
    pub fn vector_of(&self, value: Complex<f64>) -> Vec<Complex<f64>> {
        let factors = ShiftedFactors::new(&self.hessenberg, self.n, value, self.norm);
        let mut vector: Vec<Complex<f64>> =
            (0..self.n).map(|k| Complex::new(1.0 + (k % 11) as f64 / 22.0, 0.0)).collect();
        for _ in 0..3 {
            factors.solve(&mut vector);
            normalise(&mut vector);
        }
        self.outward(&vector)
    }

    /// Whether all other eigenvalues are far enough away that rounding does not mix the vectors.
    pub fn is_separate(&self, index: usize) -> bool {
        let (value, reach) = (self.values[index], REPEATED_EIGENVALUE_TOLERANCE * self.norm);
        let near = |(k, other): (usize, &Complex<f64>)| k != index && (other - value).norm_sqr() <= reach * reach;
        !self.values.iter().enumerate().any(near)
    }

    /// D Q x, of length 1.
    fn outward(&self, inner: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let n = self.n;
        let mut vector: Vec<Complex<f64>> = (0..n)
            .map(|i| (0..n).map(|j| inner[j] * self.turn[i * n + j]).sum::<Complex<f64>>() * self.balance[i])
            .collect();
        normalise(&mut vector);
        vector
    }
}

/// Indices of the irreducible diagonal blocks of `a`: the strongly connected components of its non-zero entries. The
/// eigenvalues of the blocks are all eigenvalues of `a`.
fn irreducible_blocks(a: &[f64], n: usize) -> Vec<Vec<usize>> {
    let needs: Vec<Vec<usize>> = (0..n).map(|i| (0..n).filter(|&j| j != i && a[i * n + j] != 0.0).collect()).collect();
    let mut graph = Graph::new(n);
    let count = graph.find_components(n, |_, vertex, k| needs[vertex].get(k).copied());
    let mut blocks = vec![Vec::new(); count];
    (0..n).for_each(|i| blocks[graph.component(i)].push(i));
    blocks
}

/// Eigenvalues of the rows and columns `block` of `a`.
fn values_of_block(a: &[f64], n: usize, block: &[usize]) -> Option<Vec<Complex<f64>>> {
    let size = block.len();
    let mut part: Vec<f64> = block.iter().flat_map(|&i| block.iter().map(move |&j| a[i * n + j])).collect();
    balance(&mut part, size);
    reduce(&mut part, &mut identity(size), size);
    let norm = sqrt(part.iter().map(|value| value * value).sum::<f64>());
    iterate(part, size, norm)
}

fn normalise(vector: &mut [Complex<f64>]) {
    let largest = vector.iter().map(|x| x.re.abs().max(x.im.abs())).fold(0.0, f64::max);
    if largest > 0.0 && largest.is_finite() {
        vector.iter_mut().for_each(|x| *x /= largest);
        let length = sqrt(vector.iter().map(|x| x.norm_sqr()).sum::<f64>());
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

/// Scales rows and columns by powers of two until their norms agree within a factor; returns the scales.
pub fn balance(a: &mut [f64], n: usize) -> Vec<f64> {
    let mut scales = vec![1.0; n];
    for _ in 0..100 {
        let mut converged = true;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            // Norms of column and row without the diagonal.
            let mut column: f64 = others().map(|j| a[j * n + i].abs()).sum();
            let row: f64 = others().map(|j| a[i * n + j].abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let (before, mut scale) = (column + row, 1.0);
            // Powers of two leave the entries exact.
            while column < row / 2.0 {
                (scale, column) = (scale * 2.0, column * 4.0);
            }
            while column >= row * 2.0 {
                (scale, column) = (scale / 2.0, column / 4.0);
            }
            // Smaller improvements are not worth another sweep (LAPACK uses the same limit).
            if (column + row) / scale < 0.95 * before {
                converged = false;
                scales[i] *= scale;
                others().for_each(|j| {
                    a[i * n + j] /= scale;
                    a[j * n + i] *= scale;
                });
            }
        }
        if converged {
            break;
        }
    }
    scales
}

/// A reflection I − factor · v vᵀ that maps `x` to a multiple of the first axis, or `None` if `x` is one already.
fn reflection(x: &[f64]) -> Option<(Vec<f64>, f64)> {
    if x[1..].iter().all(|value| *value == 0.0) {
        return None;
    }
    let largest = x.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let mut v: Vec<f64> = x.iter().map(|value| value / largest).collect();
    let length = sqrt(v.iter().map(|value| value * value).sum::<f64>());
    v[0] += if v[0] < 0.0 { -length } else { length };
    let factor = 2.0 / v.iter().map(|value| value * value).sum::<f64>();
    Some((v, factor))
}

/// Reflects rows `first..` of the columns `columns`.
fn reflect_rows(
    a: &mut [f64],
    n: usize,
    first: usize,
    (v, factor): &(Vec<f64>, f64),
    columns: core::ops::Range<usize>,
) {
    for j in columns {
        let projection: f64 = v.iter().enumerate().map(|(k, v)| v * a[(first + k) * n + j]).sum::<f64>() * factor;
        v.iter().enumerate().for_each(|(k, v)| a[(first + k) * n + j] -= projection * v);
    }
}

/// Reflects columns `first..` of the rows `rows`.
fn reflect_columns(
    a: &mut [f64],
    n: usize,
    first: usize,
    (v, factor): &(Vec<f64>, f64),
    rows: core::ops::Range<usize>,
) {
    for i in rows {
        let line = &mut a[i * n + first..i * n + first + v.len()];
        let projection: f64 = v.iter().zip(&*line).map(|(v, x)| v * x).sum::<f64>() * factor;
        line.iter_mut().zip(v).for_each(|(x, v)| *x -= projection * v);
    }
}

/// Hessenberg form in place; `turn` receives Q with A = Q H Qᵀ.
fn reduce(a: &mut [f64], turn: &mut [f64], n: usize) {
    for k in 0..n.saturating_sub(2) {
        let column: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        if let Some(mirror) = reflection(&column) {
            reflect_rows(a, n, k + 1, &mirror, k..n);
            reflect_columns(a, n, k + 1, &mirror, 0..n);
            reflect_columns(turn, n, k + 1, &mirror, 0..n);
            (k + 2..n).for_each(|i| a[i * n + k] = 0.0);
        }
    }
}

/// Eigenvalues of a Hessenberg matrix.
fn iterate(mut h: Vec<f64>, n: usize, norm: f64) -> Option<Vec<Complex<f64>>> {
    let mut values = Vec::with_capacity(n);
    let (mut end, mut sweeps) = (n, 0u32);
    let mut left = ITERATIONS * n.max(10);
    while end > 0 {
        let mut start = end - 1;
        // Small eigenvalues are computed to high relative accuracy where possible. If a block of small eigenvalues does
        // not converge, such as the nilpotent block of rigid motions, its accuracy is the rounding of the whole matrix.
        let floor = f64::EPSILON * norm * f64::from(sweeps.saturating_sub(SWEEPS_BEFORE_NORM_TEST));
        // The active block begins after the last negligible subdiagonal entry.
        while start > 0 {
            let beside = h[(start - 1) * n + start - 1].abs() + h[start * n + start].abs();
            let size = if beside == 0.0 { norm } else { beside };
            if h[start * n + start - 1].abs() <= floor.max(f64::EPSILON * size) {
                h[start * n + start - 1] = 0.0;
                break;
            }
            start -= 1;
        }
        // Blocks of order 1 and 2 have converged; larger ones get a double-shift QR sweep.
        match end - start {
            1 => {
                values.push(Complex::new(h[start * n + start], 0.0));
                (end, sweeps) = (start, 0);
            }
            2 => {
                let entry = |i: usize, j: usize| h[(start + i) * n + start + j];
                values.extend(pair(entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)));
                (end, sweeps) = (start, 0);
            }
            _ => {
                sweeps += 1;
                left = left.checked_sub(1)?;
                let entry = |i: usize, j: usize| h[(end - i) * n + end - j];
                let shift = if sweeps % 10 == 0 {
                    // An exceptional shift breaks cycles, such as the cycle of a permutation.
                    let size = entry(1, 2).abs() + entry(2, 3).abs();
                    (1.5 * size, size * size)
                } else {
                    (entry(1, 1) + entry(2, 2), entry(2, 2) * entry(1, 1) - entry(2, 1) * entry(1, 2))
                };
                sweep(&mut h, n, start..end, shift);
            }
        }
    }
    Some(values)
}

/// One double-shift sweep on the diagonal block `block`, at least 3 × 3, with the sum and the product of the shifts.
fn sweep(h: &mut [f64], n: usize, block: core::ops::Range<usize>, (sum, product): (f64, f64)) {
    let (start, end) = (block.start, block.end);
    let at = |i: usize, j: usize| h[(start + i) * n + start + j];
    let mut x = [
        at(0, 0) * (at(0, 0) - sum) + at(0, 1) * at(1, 0) + product,
        at(1, 0) * (at(0, 0) + at(1, 1) - sum),
        at(1, 0) * at(2, 1),
    ];
    for k in start..end - 1 {
        let count = (end - k).min(3);
        if let Some(mirror) = reflection(&x[..count]) {
            reflect_rows(h, n, k, &mirror, k.saturating_sub(1).max(start)..end);
            reflect_columns(h, n, k, &mirror, start..(k + 4).min(end));
        }
        if k > start {
            (k + 1..k + count).for_each(|i| h[i * n + k - 1] = 0.0);
        }
        x = [h[(k + 1) * n + k], if k + 2 < end { h[(k + 2) * n + k] } else { 0.0 }, 0.0];
        if k + 3 < end {
            x[2] = h[(k + 3) * n + k];
        }
    }
}

/// Eigenvalues of [a b; c d].
fn pair(a: f64, b: f64, c: f64, d: f64) -> [Complex<f64>; 2] {
    let half = 0.5 * (a - d);
    let square = half * half + b * c;
    if square < 0.0 {
        let (re, im) = (d + half, sqrt(-square));
        return [Complex::new(re, im), Complex::new(re, -im)];
    }
    let far = half + if half < 0.0 { -sqrt(square) } else { sqrt(square) };
    let near = if far == 0.0 { d } else { d - b * c / far };
    [Complex::new(d + far, 0.0), Complex::new(near, 0.0)]
}

/// LU factors of H − λ I with row exchanges, H a Hessenberg matrix.
struct ShiftedFactors {
    n: usize,
    upper: Vec<Complex<f64>>,
    /// Per column: whether its row was exchanged with the next row, and the elimination factor.
    steps: Vec<(bool, Complex<f64>)>,
}

impl ShiftedFactors {
    fn new(h: &[f64], n: usize, value: Complex<f64>, norm: f64) -> ShiftedFactors {
        let mut upper: Vec<Complex<f64>> = h.iter().map(|&x| Complex::new(x, 0.0)).collect();
        (0..n).for_each(|k| upper[k * n + k] -= value);
        // The matrix is singular to rounding. Inverse iteration depends on the tiny pivots, so zero pivots are
        // replaced.
        let tiny = f64::EPSILON * if norm > 0.0 { norm } else { 1.0 };
        let mut steps = Vec::with_capacity(n);
        for k in 0..n {
            let exchange = k + 1 < n && upper[(k + 1) * n + k].norm_sqr() > upper[k * n + k].norm_sqr();
            if exchange {
                (k..n).for_each(|j| upper.swap(k * n + j, (k + 1) * n + j));
            }
            if upper[k * n + k].norm_sqr() < tiny * tiny {
                upper[k * n + k] = Complex::new(tiny, 0.0);
            }
            let mut factor = Complex::new(0.0, 0.0);
            if k + 1 < n {
                factor = upper[(k + 1) * n + k] / upper[k * n + k];
                for j in k..n {
                    let above = upper[k * n + j];
                    upper[(k + 1) * n + j] -= factor * above;
                }
            }
            steps.push((exchange, factor));
        }
        ShiftedFactors { n, upper, steps }
    }

    fn solve(&self, x: &mut [Complex<f64>]) {
        let n = self.n;
        for (k, &(exchange, factor)) in self.steps.iter().enumerate().take(n.saturating_sub(1)) {
            if exchange {
                x.swap(k, k + 1);
            }
            let above = x[k];
            x[k + 1] -= factor * above;
        }
        for k in (0..n).rev() {
            let rest: Complex<f64> = (k + 1..n).map(|j| self.upper[k * n + j] * x[j]).sum();
            x[k] = (x[k] - rest) / self.upper[k * n + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::numbers::Random;
    use crate::math::larger;
    use nalgebra::ComplexField;

    fn spectrum(rows: &[&[f64]]) -> Spectrum {
        Spectrum::new(&rows.concat(), rows.len()).unwrap()
    }

    /// Largest |A x − λ x| over all pairs.
    fn residual(a: &[f64], n: usize, spectrum: &Spectrum) -> f64 {
        let mut worst = 0.0f64;
        for (value, x) in spectrum.values.iter().zip(spectrum.vectors()) {
            for i in 0..n {
                let ax: Complex<f64> = (0..n).map(|j| x[j] * a[i * n + j]).sum();
                worst = larger(worst, (ax - value * x[i]).modulus());
            }
        }
        worst
    }

    #[test]
    fn jacobi_finds_the_frequencies_of_a_chain_and_orthonormal_shapes() {
        // Fixed-fixed chain: 2 − 2 cos(k π/(n+1)).
        let n = 20;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i + 1 < n {
                (a[i * n + i + 1], a[(i + 1) * n + i]) = (-1.0, -1.0);
            }
        }
        let (values, vectors) = symmetric(&a, n);
        for k in 0..n {
            let exact = 2.0 - 2.0 * ((k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64).cos();
            assert!((values[k] - exact).abs() < 1e-14 * 4.0, "{k}: {} {exact}", values[k]);
            for l in 0..n {
                let product: f64 = vectors[k].iter().zip(&vectors[l]).map(|(x, y)| x * y).sum();
                assert!((product - f64::from(u8::from(k == l))).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_permutation_matrix_yields_the_roots_of_unity() {
        for n in [3, 4, 5, 8, 13] {
            let mut a = vec![0.0; n * n];
            (0..n).for_each(|k| a[k * n + (k + n - 1) % n] = 1.0);
            let found = Spectrum::new(&a, n).unwrap();
            for k in 0..n {
                let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
                let root = Complex::new(angle.cos(), angle.sin());
                assert!(found.values.iter().any(|value| (value - root).modulus() < 1e-13), "{n}: {root}");
            }
            assert!(residual(&a, n, &found) < 1e-13);
        }
    }

    #[test]
    fn eigenvalues_of_a_companion_matrix_are_the_roots_of_its_polynomial() {
        // (x − 1)(x − 2)(x − 3)(x² + 4)
        let found = spectrum(&[
            &[6., -15., 30., -44., 24.],
            &[1., 0., 0., 0., 0.],
            &[0., 1., 0., 0., 0.],
            &[0., 0., 1., 0., 0.],
            &[0., 0., 0., 1., 0.],
        ]);
        for root in [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (0.0, 2.0), (0.0, -2.0)] {
            let root = Complex::new(root.0, root.1);
            assert!(found.values.iter().any(|value| (value - root).modulus() < 1e-12), "{root}");
        }
    }

    #[test]
    fn a_repeated_eigenvalue_has_independent_eigenvectors() {
        // Two equal oscillators, mixed by a rotation of the coordinates, and a third one.
        let a = [
            [0., 0., 0., 1., 0., 0.],
            [0., 0., 0., 0., 1., 0.],
            [0., 0., 0., 0., 0., 1.],
            [-4., 0., 0., 0., 0., 0.],
            [0., -4., 0., 0., 0., 0.],
            [0., 0., -9., 0., 0., 0.],
        ];
        let found = spectrum(&a.each_ref().map(|row| &row[..]));
        let vectors = found.vectors();
        assert!(residual(&a.concat(), 6, &found) < 1e-13);
        for i in 0..6 {
            for j in 0..i {
                if (found.values[i] - found.values[j]).modulus() < 1e-10 {
                    let product: Complex<f64> = vectors[i].iter().zip(&vectors[j]).map(|(x, y)| x.conj() * y).sum();
                    assert!(product.modulus() < 1e-8, "{i} {j}: {product}");
                }
            }
        }
    }

    #[test]
    fn a_defective_matrix_converges_to_its_eigenvalue_within_the_root_of_rounding() {
        let a = [[2., 1., 0.], [0., 2., 1.], [0., 0., 2.]];
        for value in &spectrum(&a.each_ref().map(|row| &row[..])).values {
            assert!((value - 2.0).modulus() < 1e-14);
        }
        // The companion matrix of (x − 2)³.
        let turned = [[6., -12., 8.], [1., 0., 0.], [0., 1., 0.]];
        let found = spectrum(&turned.each_ref().map(|row| &row[..]));
        let trace: Complex<f64> = found.values.iter().sum();
        assert!((trace - 6.0).modulus() < 1e-13);
        assert!(found.values.iter().all(|value| (value - 2.0).modulus() < 1e-4), "{:?}", found.values);
        assert!(found.vectors().iter().flatten().all(|x| x.re.is_finite() && x.im.is_finite()));
    }

    #[test]
    fn random_matrices_of_many_sizes_and_scales_satisfy_their_eigenvalue_equation() {
        let mut random = Random(5);
        for n in 1..=40 {
            let mut a = random.numbers(n * n);
            for i in 0..n {
                for j in 0..n {
                    // Badly scaled, so that balancing has an effect.
                    a[i * n + j] *= 10f64.powi((i as i32 - j as i32) % 4);
                }
            }
            let found = Spectrum::new(&a, n).unwrap();
            let trace: f64 = (0..n).map(|k| a[k * n + k]).sum();
            let sum: Complex<f64> = found.values.iter().sum();
            assert!((sum - trace).modulus() < 1e-9, "{n}");
            assert!(residual(&a, n, &found) < 1e-8, "{n}: {}", residual(&a, n, &found));
        }
    }

    /// Random matrices of a kind: badly scaled, graded, defective, reducible, nearly reducible, companion.
    fn drawn(kind: usize, n: usize, random: &mut Random) -> Vec<f64> {
        let mut a = random.numbers(n * n);
        let power = |exponent: f64| 10f64.powi(exponent.round() as i32);
        match kind {
            0 => (),
            // D R D⁻¹, D R, and entries of any size.
            1 | 2 => {
                let scales: Vec<f64> = (0..n).map(|_| power(8.0 * random.number())).collect();
                for (at, entry) in a.iter_mut().enumerate() {
                    *entry *= scales[at / n] / if kind == 1 { scales[at % n] } else { 1.0 };
                }
            }
            3 => a.iter_mut().for_each(|entry| *entry *= power(8.0 * random.number())),
            // Q J Qᵀ with Jordan blocks of up to four equal eigenvalues.
            4 => {
                let mut jordan = vec![0.0; n * n];
                for i in 0..n {
                    jordan[i * n + i] = f64::from((i / 4 % 3) as u32) - 1.0;
                    if i + 1 < n && i % 4 != 3 {
                        jordan[i * n + i + 1] = 1.0;
                    }
                }
                for k in 0..n.saturating_sub(1) {
                    let mirror = reflection(&random.numbers(n - k)).expect("a full vector");
                    reflect_rows(&mut jordan, n, k, &mirror, 0..n);
                    reflect_columns(&mut jordan, n, k, &mirror, 0..n);
                }
                a = jordan;
            }
            // Block triangular under a permutation, like filters and bristles driven by a motion.
            5 => {
                let level: Vec<i32> = (0..n).map(|_| (2.0 * random.number()).round() as i32).collect();
                for (at, entry) in a.iter_mut().enumerate() {
                    if level[at / n] < level[at % n] || level[at / n] == level[at % n] && random.number() > 0.2 {
                        *entry = if at / n == at % n { -1000.0 } else { 0.0 };
                    }
                }
            }
            // Second-order systems with stiff, soft and rigid motions.
            6 => {
                a.fill(0.0);
                let half = n / 2;
                for i in 0..half {
                    a[i * n + half + i] = 1.0;
                    for j in 0..half {
                        let size = power(4.0 + 4.0 * random.number());
                        a[(half + i) * n + j] = if i % 3 == 0 { 0.0 } else { -size * random.number() };
                        a[(half + i) * n + half + j] = if j % 3 == 0 { 0.0 } else { random.number() };
                    }
                }
            }
            // Entries far below the others, which balancing must not enlarge.
            _ => a.iter_mut().enumerate().for_each(|(at, entry)| {
                *entry *= if at / n > at % n + 1 { 1e-17 } else { 1.0 };
            }),
        }
        a
    }

    /// Difference between ln |det(A/σ − I)| and Σ ln |λ/σ − 1|.
    fn product_error(a: &[f64], n: usize, values: &[Complex<f64>], shift: f64) -> f64 {
        let entry = |i: usize, j: usize| a[i * n + j] / shift - if i == j { 1.0 } else { 0.0 };
        let factors = nalgebra::DMatrix::from_fn(n, n, entry).lu();
        let logs: f64 = (0..n).map(|k| factors.u()[(k, k)].abs().ln()).sum();
        (logs - values.iter().map(|value| 0.5 * (value / shift - 1.0).norm_sqr().ln()).sum::<f64>()).abs()
    }

    #[test]
    fn sums_products_and_residuals_agree_with_the_matrix_whatever_its_kind() {
        let mut random = Random(11);
        for kind in 0..8 {
            let mut worst = [0.0; 3];
            for round in 0..24 {
                let n = 1 + (round * 7 + kind) % 24;
                let a = drawn(kind, n, &mut random);
                let found = Spectrum::new(&a, n).unwrap_or_else(|| panic!("{kind}, {n}: no eigenvalues"));
                let mut balanced = a.clone();
                balance(&mut balanced, n);
                let norm = balanced.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                let unit = n as f64 * f64::EPSILON;
                let trace: f64 = (0..n).map(|k| a[k * n + k]).sum();
                let sum: Complex<f64> = found.values.iter().sum();
                let matrix = nalgebra::DMatrix::from_fn(n, n, |i, j| Complex::new(balanced[i * n + j], 0.0));
                let mut residual = 0.0;
                for value in &found.values {
                    let shifted = nalgebra::DMatrix::from_fn(n, n, |i, j| {
                        matrix[(i, j)] - if i == j { *value } else { Complex::new(0.0, 0.0) }
                    });
                    let least = shifted.singular_values().iter().copied().fold(f64::INFINITY, f64::min);
                    residual = larger(residual, least / norm);
                }
                let product = [2.0, -3.0].map(|side| product_error(&balanced, n, &found.values, side * norm));
                let errors = [(sum - trace).modulus() / norm, larger(product[0], product[1]), residual];
                for (worst, error) in worst.iter_mut().zip(errors) {
                    *worst = larger(*worst, error / unit);
                }
            }
            println!("kind {kind}: sum, product, residual {worst:.2?} in units of n ε |B|");
            // The tests of LAPACK allow 20 in these units.
            assert!(worst.iter().all(|error| *error < 10.0), "kind {kind}: {worst:?}");
        }
    }

    #[test]
    fn equal_eigenvalues_of_separate_blocks_are_exact() {
        // A series of bristles, which have one common eigenvalue and one eigenvector.
        let n = 12;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = -1000.0;
            (0..i).for_each(|j| a[i * n + j] = 100.0 + (i * j) as f64);
        }
        let found = Spectrum::new(&a, n).unwrap();
        assert!(found.values.iter().all(|value| *value == Complex::new(-1000.0, 0.0)), "{:?}", found.values);
    }

    #[test]
    fn nothing_is_found_in_what_is_not_finite_and_no_value_in_an_empty_matrix() {
        assert!(Spectrum::new(&[f64::NAN], 1).is_none());
        assert!(Spectrum::new(&[], 0).unwrap().values.is_empty());
        assert_eq!(spectrum(&[&[0.0, 0.0], &[0.0, 0.0]]).values, [Complex::new(0.0, 0.0); 2]);
    }
}
