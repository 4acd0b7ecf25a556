//! Complex Schur form with ordered eigenvalues, splitting of a state space along it, factors of Gramians.
//!
//! Sources: Golub & Van Loan, Matrix Computations, 4th ed., 7.6 (exchange of eigenvalues, block diagonalization by a
//! Sylvester equation); Hammarling, IMA J. Numer. Anal. 2 (1982) 303 (factor of the solution of a Lyapunov equation
//! without forming the solution, which would lose half of the digits of small Hankel singular values).

use ballesta_solver::math::eigen;
use nalgebra::{Complex, DMatrix};

pub(super) type Real = DMatrix<f64>;
pub(super) type Complexes = DMatrix<Complex<f64>>;

/// Largest number of QR sweeps per eigenvalue.
const MAX_SWEEPS: usize = 100;
/// Sweeps for one eigenvalue after which entries below the diagonal are compared with the norm of the matrix: entries
/// of nilpotent blocks, which rigid motions have, never become small relative to their own diagonal.
const SWEEPS_BEFORE_NORM_TEST: usize = 20;
/// Largest distance of the eigenvalues of the real projector from 0 and 1.
const PROJECTOR_TOLERANCE: f64 = 1e-6;

/// A = Q T Qᴴ with unitary Q and upper triangular T; the eigenvalues are on the diagonal of T.
pub(super) struct Schur {
    pub q: Complexes,
    pub t: Complexes,
}

impl Schur {
    /// Schur form of a real matrix by the QR method with Wilkinson's shifts and exceptional ones; `None` if it does not
    /// converge.
    pub fn new(a: &Real) -> Option<Schur> {
        let n = a.nrows();
        let (q, t) = if n > 1 { a.clone().hessenberg().unpack() } else { (Real::identity(n, n), a.clone()) };
        let mut form = Schur { q: q.map(Complex::from), t: t.map(Complex::from) };
        let (norm, mut end, mut sweeps) = (a.norm(), n, 0);
        for _ in 0..MAX_SWEEPS * n.max(1) {
            // Eigenvalues that have converged leave the active block.
            let mut start = end.saturating_sub(1);
            while start > 0 {
                let beside = modulus(form.t[(start - 1, start - 1)]) + modulus(form.t[(start, start)]);
                let size = if sweeps > SWEEPS_BEFORE_NORM_TEST || beside == 0.0 { norm } else { beside };
                if modulus(form.t[(start, start - 1)]) <= f64::EPSILON * size {
                    form.t[(start, start - 1)] = Complex::ZERO;
                    break;
                }
                start -= 1;
            }
            if end <= 1 {
                let finite = form.t.iter().chain(&form.q).all(|x| x.re.is_finite() && x.im.is_finite());
                return finite.then_some(form);
            }
            if start + 1 == end {
                (end, sweeps) = (end - 1, 0);
                continue;
            }
            sweeps += 1;
            let shift = form.shift(end, sweeps);
            form.sweep(start, end, shift);
        }
        None
    }

    /// The eigenvalue of the last two rows of the active block that is closest to its corner entry.
    fn shift(&self, end: usize, sweeps: usize) -> Complex<f64> {
        let at = |i: usize, j: usize| self.t[(end - i, end - j)];
        if sweeps.is_multiple_of(10) {
            return at(1, 1) + Complex::from(modulus(at(1, 2)));
        }
        let half = (at(2, 2) - at(1, 1)) * 0.5;
        let root = root(half * half + at(2, 1) * at(1, 2));
        let near = if modulus(half + root) < modulus(half - root) { half + root } else { half - root };
        at(1, 1) + near
    }

    /// One step on the active block: T − σ = Q R becomes R Q + σ.
    fn sweep(&mut self, start: usize, end: usize, shift: Complex<f64>) {
        let n = self.t.nrows();
        (start..end).for_each(|k| self.t[(k, k)] -= shift);
        let mut rotations = Vec::with_capacity(end - start);
        for k in start..end - 1 {
            let (x, y) = (self.t[(k, k)], self.t[(k + 1, k)]);
            let length = (x.norm_sqr() + y.norm_sqr()).sqrt();
            let (c, s) = if length > 0.0 { (x / length, y / length) } else { (Complex::ONE, Complex::ZERO) };
            for j in k..n {
                let (x, y) = (self.t[(k, j)], self.t[(k + 1, j)]);
                (self.t[(k, j)], self.t[(k + 1, j)]) = (c.conj() * x + s.conj() * y, c * y - s * x);
            }
            rotations.push((c, s));
        }
        for (k, &(c, s)) in (start..).zip(&rotations) {
            for (matrix, rows) in [(&mut self.t, k + 2), (&mut self.q, n)] {
                for i in 0..rows {
                    let (x, y) = (matrix[(i, k)], matrix[(i, k + 1)]);
                    (matrix[(i, k)], matrix[(i, k + 1)]) = (x * c + y * s, y * c.conj() - x * s.conj());
                }
            }
        }
        (start..end).for_each(|k| self.t[(k, k)] += shift);
    }

    /// The eigenvalue at a position of the diagonal.
    pub fn eigenvalue(&self, place: usize) -> Complex<f64> {
        self.t[(place, place)]
    }

    /// Moves the eigenvalues that `first` marks to the top of the diagonal; the order within both groups remains.
    pub fn order(&mut self, first: &[bool]) {
        let marked = first.iter().enumerate().filter(|(_, first)| **first);
        for (top, (place, _)) in marked.enumerate() {
            (top..place).rev().for_each(|k| self.exchange(k));
        }
    }

    /// Exchanges the eigenvalues k and k + 1 by a rotation that turns the eigenvector of the second to the first axis.
    fn exchange(&mut self, k: usize) {
        let (first, second, coupling) = (self.t[(k, k)], self.t[(k + 1, k + 1)], self.t[(k, k + 1)]);
        let difference = second - first;
        let length = (coupling.norm_sqr() + difference.norm_sqr()).sqrt();
        if length == 0.0 {
            return;
        }
        let (c, s) = (coupling / length, difference / length);
        let n = self.t.nrows();
        for j in k..n {
            let (x, y) = (self.t[(k, j)], self.t[(k + 1, j)]);
            (self.t[(k, j)], self.t[(k + 1, j)]) = (c.conj() * x + s.conj() * y, c * y - s * x);
        }
        for (matrix, rows) in [(&mut self.t, k + 2), (&mut self.q, n)] {
            for i in 0..rows {
                let (x, y) = (matrix[(i, k)], matrix[(i, k + 1)]);
                (matrix[(i, k)], matrix[(i, k + 1)]) = (x * c + y * s, y * c.conj() - x * s.conj());
            }
        }
        (self.t[(k, k)], self.t[(k + 1, k + 1)], self.t[(k + 1, k)]) = (second, first, Complex::ZERO);
    }

    /// ‖r‖/|ψ φ| of every eigenvalue below the first `kept`: the norm of its residue C φ ψ B, with right and left
    /// eigenvectors φ, ψ of the lower block of T. `b`, `c`: B and C in the basis of this block.
    pub fn residues(&self, kept: usize, b: &Complexes, c: &Complexes) -> Vec<f64> {
        let t = lower_block(&self.t, kept);
        let n = t.nrows();
        let floor = f64::EPSILON * t.norm();
        let divided =
            |x: Complex<f64>, by: Complex<f64>| x / if by.norm_sqr() > floor * floor { by } else { floor.into() };
        let one = |k: usize| {
            let value = t[(k, k)];
            let (mut right, mut left) = (vec![Complex::ZERO; n], vec![Complex::ZERO; n]);
            (right[k], left[k]) = (Complex::ONE, Complex::ONE);
            for i in (0..k).rev() {
                let sum: Complex<f64> = (i + 1..=k).map(|j| t[(i, j)] * right[j]).sum();
                right[i] = divided(sum, value - t[(i, i)]);
            }
            for j in k + 1..n {
                let sum: Complex<f64> = (k..j).map(|i| left[i] * t[(i, j)]).sum();
                left[j] = divided(sum, value - t[(j, j)]);
            }
            let seen = (c * Complexes::from_column_slice(n, 1, &right)).norm();
            // ψ φ is 1: outside of position k one of them is zero.
            seen * (Complexes::from_row_slice(1, n, &left) * b).norm()
        };
        (0..n).map(one).collect()
    }
}

fn modulus(z: Complex<f64>) -> f64 {
    z.norm_sqr().sqrt()
}

/// Square root with a real part that is not negative.
fn root(z: Complex<f64>) -> Complex<f64> {
    let size = modulus(z);
    let re = (0.5 * (size + z.re)).max(0.0).sqrt();
    let im = (0.5 * (size - z.re)).max(0.0).sqrt();
    Complex::new(re, if z.im < 0.0 { -im } else { im })
}

/// A state space in coordinates z with x = right z, z = left x, in which A is block diagonal: the first `kept` states
/// and the others do not act on each other.
pub(super) struct Split {
    pub kept: usize,
    pub right: Real,
    pub left: Real,
    /// Lower block of T, upper triangular.
    pub t: Complexes,
    /// The states of this block are `turn` times the states of T, unitary.
    pub turn: Complexes,
    /// Frobenius norm of the solution of the Sylvester equation: deviation of both subspaces from orthogonality.
    pub coupling: f64,
}

impl Split {
    /// Splits after the first `kept` eigenvalues of `schur`. `None` if they are not closed under conjugation.
    pub fn new(schur: &Schur, kept: usize) -> Option<Split> {
        // The projector onto the invariant subspace is real if conjugate eigenvalues are together.
        let n = schur.t.nrows();
        let first = schur.q.columns(0, kept);
        let projector = (first * first.adjoint()).map(|x| x.re);
        // Its eigenvectors are real orthonormal bases of both subspaces.
        let (values, vectors) = eigen::symmetric(&entries(&projector), n);
        let is_projector =
            |(k, value): (usize, &f64)| (value - if k < n - kept { 0.0 } else { 1.0 }).abs() <= PROJECTOR_TOLERANCE;
        if !values.iter().enumerate().all(is_projector) {
            return None;
        }
        let basis = |vectors: &[Vec<f64>]| Real::from_fn(n, vectors.len(), |i, j| vectors[j][i]);
        let (upper, lower) = (basis(&vectors[n - kept..]), basis(&vectors[..n - kept]));
        // Changes of basis from complex Schur vectors to real bases.
        let turned = |basis: &Real, from: usize, count: usize| {
            basis.transpose().map(Complex::from) * schur.q.columns(from, count)
        };
        let (upper_turn, turn) = (turned(&upper, 0, kept), turned(&lower, kept, n - kept));
        // A Sylvester equation decouples the blocks: block triangular becomes block diagonal.
        let t = lower_block(&schur.t, kept);
        let solution = sylvester(&schur.t, kept)?;
        let x = (upper_turn * solution * turn.adjoint()).map(|x| x.re);
        let coupling = x.norm();
        // Left and right transformations are inverse to each other.
        let right = Real::from_columns(
            &upper
                .column_iter()
                .map(|c| c.into_owned())
                .chain((&lower + &upper * &x).column_iter().map(|c| c.into_owned()))
                .collect::<Vec<_>>(),
        );
        let mut left = Real::zeros(n, n);
        left.rows_mut(0, kept).copy_from(&(upper.transpose() - &x * lower.transpose()));
        left.rows_mut(kept, n - kept).copy_from(&lower.transpose());
        Some(Split { kept, right, left, t, turn, coupling })
    }
}

/// Y of T₁₁ Y − Y T₂₂ = −T₁₂, column by column. `None` if both blocks share an eigenvalue.
fn sylvester(t: &Complexes, kept: usize) -> Option<Complexes> {
    let rest = t.nrows() - kept;
    let mut y = Complexes::zeros(kept, rest);
    for j in 0..rest {
        let mut column = -t.view((0, kept + j), (kept, 1)).into_owned();
        (0..j).for_each(|i| column += y.column(i) * t[(kept + i, kept + j)]);
        let mut shifted = t.view((0, 0), (kept, kept)).into_owned();
        (0..kept).for_each(|i| shifted[(i, i)] -= t[(kept + j, kept + j)]);
        if !shifted.solve_upper_triangular_mut(&mut column) {
            return None;
        }
        y.set_column(j, &column.column(0));
    }
    Some(y)
}

fn lower_block(t: &Complexes, kept: usize) -> Complexes {
    let rest = t.nrows() - kept;
    t.view((kept, kept), (rest, rest)).into_owned()
}

/// Upper triangular U with T P + P Tᴴ + B Bᴴ = 0, P = U Uᴴ, for an upper triangular stable T.
pub(super) fn gramian_factor(t: &Complexes, b: &Complexes) -> Option<Complexes> {
    let n = t.nrows();
    let (mut b, mut factor) = (b.clone(), Complexes::zeros(n, n));
    for k in (0..n).rev() {
        let length = b.row(k).norm();
        if length == 0.0 {
            continue;
        }
        let decay = (-2.0 * t[(k, k)].re).sqrt();
        let unit = b.row(k).map(|x| x / length);
        let own = Complex::from(length / decay);
        factor[(k, k)] = own;
        let mut column = -(t.view((0, k), (k, 1)) * own + b.rows(0, k) * unit.adjoint() * Complex::from(decay));
        let mut shifted = t.view((0, 0), (k, k)).into_owned();
        (0..k).for_each(|i| shifted[(i, i)] += t[(k, k)].conj());
        if !shifted.solve_upper_triangular_mut(&mut column) {
            return None;
        }
        let change = &column * &unit * Complex::from(decay);
        b.rows_mut(0, k).zip_apply(&change, |x, change| *x -= change);
        factor.view_mut((0, k), (k, 1)).copy_from(&column);
    }
    factor.iter().all(|x| x.re.is_finite() && x.im.is_finite()).then_some(factor)
}

/// Factor of the other Gramian, Q = F Fᴴ with Tᴴ Q + Q T + Cᴴ C = 0.
pub(super) fn observability_factor(t: &Complexes, c: &Complexes) -> Option<Complexes> {
    let n = t.nrows();
    let flipped = Complexes::from_fn(n, n, |i, j| t[(n - 1 - j, n - 1 - i)].conj());
    let input = Complexes::from_fn(n, c.nrows(), |i, j| c[(j, n - 1 - i)].conj());
    let factor = gramian_factor(&flipped, &input)?;
    Some(Complexes::from_fn(n, n, |i, j| factor[(n - 1 - i, j)]))
}

/// Real S with S Sᵀ = Z Zᴴ, for a Z whose product is real.
pub(super) fn real_factor(z: &Complexes) -> Real {
    let n = z.nrows();
    let both = Real::from_fn(2 * n, n, |i, j| if i < n { z[(j, i)].re } else { z[(j, i - n)].im });
    both.qr().r().transpose()
}

/// Entries of a square matrix, row-major.
pub(super) fn entries(matrix: &Real) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}
