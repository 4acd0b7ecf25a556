//! Least change that solves sparse linear equations near a rank deficiency, without a decomposition into singular
//! values.
//!
//! Problem. A x = b for m equations in n unknowns, redundant ones among them, with the least xᵀ M x for a symmetric
//! positive definite M; among nearly dependent equations, the method leaves out those that would determine a direction
//! only through small pivots.
//!
//! Method. Gaussian elimination with full pivoting ([`LeastChange::select`]) orders rows and columns; the r pivots
//! above a tolerance are solved. Φ, the square matrix of their rows and columns, is factored within a skyline. With the
//! null space R of f = n − r columns, whose rows in the other unknowns are the unit matrix,
//!
//! ```text
//!     x = p − R y,    Φ p_d = b_r,  p_i = 0,    (Rᵀ M R) y = Rᵀ M p.
//! ```
//!
//! R spans the free motions, which include the direction of each pivot that was left out. x is orthogonal to all free
//! motions in the metric of M, and a force Aᵀ λ of the equations solved does no work on them. So a motion along a
//! direction left out does not affect the other directions, whichever equations were left out: A_r R = 0 to rounding.
//! Along such a direction, an equation left out changes by its pivot times the growth of the elimination. Full pivoting
//! keeps the entries of R small and makes the last pivots follow the small singular values; the tests below compare it
//! with the singular value decomposition.
//!
//! Cost. Choice: once over the m n entries, reused for matrices that differ little. Factors: r b² for a bandwidth of b,
//! n f²; per right-hand side r b + n f. Bounded by the sizes, no iteration. Only [`LeastChange::share_out`] allocates.
//!
//! Limits. The pivots do not bound the smallest singular value from below in theory: triangular matrices with n pivots
//! of 1 and a singular value of 2⁻ⁿ exist. A partition with such pivots would be no better.
//!
//! Source. Rank-revealing elimination: T. F. Chan, Linear Algebra Appl. 67 (1985) 73-90; least change by a null space:
//! [`crate::dynamics::projection`]. Verified by the tests below.

use super::POISON;
use super::linear::{self, Candidate, Tolerance, select_pivots};
use super::skyline::Skyline;
use crate::math::elementary::sqrt;
use alloc::{vec, vec::Vec};

/// A sparse matrix by rows: row i has `values` in `columns`, both from `starts[i]` to `starts[i + 1]`, at most one per
/// column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    pub starts: &'a [usize],
    pub columns: &'a [usize],
    pub values: &'a [f64],
}

impl<'a> Rows<'a> {
    fn columns_of(&self, i: usize) -> &'a [usize] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }

    fn values_of(&self, i: usize) -> &'a [f64] {
        &self.values[self.starts[i]..self.starts[i + 1]]
    }

    fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.columns_of(i).iter().copied().zip(self.values_of(i).iter().copied())
    }

    /// Largest norm of a row.
    pub fn largest(&self) -> f64 {
        let norm2 = |i: usize| self.values_of(i).iter().map(|value| value * value).sum::<f64>();
        sqrt((0..self.starts.len() - 1).map(norm2).fold(0.0, super::larger))
    }
}

/// A symmetric matrix, given by its non-zero entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metric {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Metric {
    /// Memory for n × n.
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub fn new(n: usize) -> Metric {
        Metric { starts: vec![0; n + 1], columns: vec![0; n * n], values: vec![0.0; n * n] }
    }

    /// Overwrites every number with `value`, and every integer with [`POISON`].
    pub(crate) fn fill(&mut self, value: f64) {
        self.values.fill(value);
        self.columns.fill(POISON);
        // The first start is 0 in every matrix.
        self.starts.iter_mut().skip(1).for_each(|start| *start = POISON);
    }

    /// The square matrix with the rows of `dense`.
    pub(crate) fn set(&mut self, dense: &[f64]) {
        let n = self.starts.len() - 1;
        let mut count = 0;
        for (i, row) in dense.chunks_exact(n.max(1)).enumerate() {
            for (j, &value) in row.iter().enumerate() {
                if value != 0.0 {
                    (self.columns[count], self.values[count]) = (j, value);
                    count += 1;
                }
            }
            self.starts[i + 1] = count;
        }
    }

    /// `value` times the unit matrix.
    pub fn set_unit(&mut self, value: f64) {
        for i in 0..self.starts.len() - 1 {
            (self.columns[i], self.values[i], self.starts[i + 1]) = (i, value, i + 1);
        }
    }

    /// out ← M x.
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (bounds, out) in self.starts.windows(2).zip(out) {
            let place = bounds[0]..bounds[1];
            *out = self.columns[place.clone()].iter().zip(&self.values[place]).map(|(&j, value)| value * x[j]).sum();
        }
    }
}

/// Scratch of [`LeastChange::select`]: the m × n matrix, and working numbers per row and column.
pub(crate) struct Trial<'a> {
    /// m × n.
    pub matrix: &'a mut [f64],
    /// m.
    pub candidates: &'a mut [Candidate],
    /// m + n.
    pub order: &'a mut [u32],
}

/// The selected equations and unknowns, and their factors. "Equation" refers to the selected rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeastChange {
    /// Unknowns.
    n: usize,
    /// Equations solved.
    rank: usize,
    /// The `count` rows with entries: first the rows of the equations, then the rows left out.
    rows: Vec<usize>,
    count: usize,
    /// Columns, the columns of Φ first.
    columns: Vec<usize>,
    /// Position of every column in that order.
    places: Vec<usize>,
    factors: Skyline,
    /// Smallest pivot of the factors, NaN without factors.
    pivot: f64,
    /// Rᵀ, f × n.
    basis: Vec<f64>,
    /// (M R)ᵀ, f × n.
    momenta: Vec<f64>,
    /// Cholesky factor of Rᵀ M R, f × f.
    reduced: Vec<f64>,
    /// R by rows while it is computed, r × f.
    solution: Vec<f64>,
    /// A right-hand side in the row order of the factors, r.
    rhs: Vec<f64>,
    /// Rᵀ M p and y, f.
    components: Vec<f64>,
    /// Orthonormal combinations of all rows with entries, one factor per row, in which redundant equations contradict
    /// the others. Empty until [`LeastChange::share_out`] computes them.
    contradictions: Vec<f64>,
}

impl LeastChange {
    /// Memory for m equations in n unknowns.
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub fn new(m: usize, n: usize) -> LeastChange {
        // Zeros, for which the operating system commits no memory until first use. Most blocks use little of it.
        let reals = |count: usize| vec![0.0; count];
        LeastChange {
            n,
            rows: vec![0; m],
            columns: vec![0; n],
            places: vec![0; n],
            factors: Skyline::new(m.min(n)),
            pivot: f64::NAN,
            basis: reals(n * n),
            momenta: reals(n * n),
            reduced: reals(n * n),
            solution: reals(n * n),
            rhs: reals(n),
            components: reals(n),
            ..LeastChange::default()
        }
    }

    /// Overwrites every number with `value`, and every integer with [`POISON`].
    pub(crate) fn fill(&mut self, value: f64) {
        self.factors.fill(value);
        self.pivot = value;
        for list in [&mut self.rows, &mut self.columns, &mut self.places] {
            list.fill(POISON);
        }
        (self.rank, self.count) = (POISON, POISON);
        for list in [
            &mut self.basis,
            &mut self.momenta,
            &mut self.reduced,
            &mut self.solution,
            &mut self.rhs,
            &mut self.components,
        ] {
            list.fill(value);
        }
    }

    /// Chooses equations and columns, at most `rank`, by pivots above `tolerance`, columns of a lower `class` first.
    /// Rows without an entry above `negligible` are not counted as equations. `order`: position of every column in an
    /// order that keeps the columns of each row close together.
    pub fn select(
        &mut self,
        a: Rows,
        (class, order): (&[u8], &[usize]),
        (rank, tolerance, negligible): (usize, Tolerance, f64),
        trial: Trial,
    ) {
        // Copy the rows that are equations into a dense matrix.
        let (m, n) = (a.starts.len() - 1, self.n);
        self.count = 0;
        for i in 0..m {
            if a.values_of(i).iter().any(|value| !(value.abs() <= negligible)) {
                let row = &mut trial.matrix[self.count * n..(self.count + 1) * n];
                row.fill(0.0);
                a.entries(i).for_each(|(column, value)| row[column] = value);
                self.rows[self.count] = i;
                self.count += 1;
            }
        }
        // Choose equations and dependent columns by pivots.
        let count = self.count;
        let (rows, columns) = trial.order.split_at_mut(m);
        let (rows, columns) = (&mut rows[..count], &mut columns[..n]);
        let selection =
            select_pivots(trial.matrix, (count, n), class, tolerance, (&mut *rows, &mut *columns), trial.candidates);
        self.rank = selection.rank.min(rank);
        let (solved, left_out) = rows.split_at_mut(self.rank);
        let (dependent, independent) = columns.split_at_mut(self.rank);
        // Sort both, so that the sums run in the same order at every position and the profile stays narrow.
        dependent.sort_unstable_by_key(|&column| order[column as usize]);
        independent.sort_unstable();
        for (k, &column) in columns.iter().enumerate() {
            (self.columns[k], self.places[column as usize]) = (column as usize, k);
        }
        // Equations in the order of their first column.
        let (places, of) = (&self.places, &self.rows);
        let begin = |row: u32| a.columns_of(of[row as usize]).iter().map(|&column| places[column]).min();
        solved.sort_unstable_by_key(|&row| (begin(row), row));
        left_out.sort_unstable();
        // Replace positions in the dense matrix by row numbers of the caller.
        for row in rows.iter_mut() {
            *row = self.rows[*row as usize] as u32;
        }
        rows.iter().zip(&mut self.rows).for_each(|(&row, target)| *target = row as usize);
    }

    /// Rows of the selected equations.
    pub(crate) fn equations(&self) -> &[usize] {
        &self.rows[..self.rank]
    }

    /// Rows with entries: the selected rows, then the rows left out.
    pub fn rows(&self) -> &[usize] {
        &self.rows[..self.count]
    }

    /// Number of selected equations.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Smallest pivot of the factors.
    pub fn pivot(&self) -> f64 {
        self.pivot
    }

    /// Factors the equations chosen from `a` in the metric `metric`. Returns `false`, with unusable factors, if a pivot
    /// is zero or NaN, or if the metric is not positive definite to rounding.
    pub fn factor(&mut self, a: Rows, metric: &Metric) -> bool {
        let rank = self.rank;
        self.contradictions.clear();
        self.factors.begin_whole(rank);
        for (i, &row) in self.rows[..rank].iter().enumerate() {
            self.factors.set_row(i, &(0..rank), a.columns_of(row), a.values_of(row), &self.places);
        }
        self.pivot = self.factors.factor();
        let done = self.pivot > 0.0 && {
            self.find_basis(a);
            self.weigh_basis(metric)
        };
        if !done {
            self.pivot = f64::NAN;
        }
        done
    }

    /// R: 1 in each unknown outside Φ.
    fn find_basis(&mut self, a: Rows) {
        let (n, rank) = (self.n, self.rank);
        let free = n - rank;
        let solution = &mut self.solution[..rank * free];
        solution.fill(0.0);
        for (k, line) in solution.chunks_exact_mut(free.max(1)).enumerate() {
            for (column, value) in a.entries(self.rows[self.factors.row(k)]) {
                if self.places[column] >= rank {
                    line[self.places[column] - rank] = -value;
                }
            }
        }
        self.factors.solve(solution, free);
        for (c, motion) in self.basis[..free * n].chunks_exact_mut(n.max(1)).enumerate() {
            motion.fill(0.0);
            motion[self.columns[rank + c]] = 1.0;
            for (k, &column) in self.columns[..rank].iter().enumerate() {
                motion[column] = solution[k * free + c];
            }
        }
    }

    /// M R and the factor of Rᵀ M R.
    fn weigh_basis(&mut self, metric: &Metric) -> bool {
        let (n, rank) = (self.n, self.rank);
        let free = n - rank;
        let LeastChange { basis, momenta, reduced, columns, .. } = self;
        let motions = basis[..free * n].chunks_exact(n.max(1));
        for (c, (motion, momentum)) in motions.zip(momenta.chunks_exact_mut(n.max(1))).enumerate() {
            metric.apply(motion, momentum);
            for (d, other) in basis.chunks_exact(n.max(1)).take(c + 1).enumerate() {
                // Column j has 1 in unknown j and entries in the unknowns of Φ; the rest is zero.
                let sum: f64 = columns[..rank].iter().map(|&column| other[column] * momentum[column]).sum();
                reduced[c * free + d] = sum + momentum[columns[rank + d]];
            }
        }
        linear::cholesky(reduced, free, 0.0).is_ok()
    }

    /// x of least change for `b`, a value per equation.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        let free = n - rank;
        let LeastChange { rhs, components, factors, basis, momenta, reduced, columns, .. } = self;
        let (rhs, components) = (&mut rhs[..rank], &mut components[..free]);
        rhs.iter_mut().enumerate().for_each(|(k, value)| *value = b[factors.row(k)]);
        factors.solve(rhs, 1);
        x.fill(0.0);
        columns.iter().zip(rhs.iter()).for_each(|(&column, value)| x[column] = *value);
        for (component, momentum) in components.iter_mut().zip(momenta.chunks_exact(n.max(1))) {
            *component = dot(momentum, x);
        }
        linear::solve_lower(reduced, free, components);
        linear::solve_lower_transposed(reduced, free, components);
        components
            .iter()
            .zip(basis.chunks_exact(n.max(1)))
            .for_each(|(component, motion)| subtract(x, *component, motion));
    }

    /// λ of Aᵀ λ = g, a value per equation, for forces g that do no work on the free motions. The part of g that does
    /// work on them is ignored. This is the transpose of [`LeastChange::solve`]. `g` is overwritten.
    pub(crate) fn solve_transposed(&mut self, g: &mut [f64], out: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        let free = n - rank;
        let LeastChange { rhs, components, factors, basis, momenta, reduced, columns, .. } = self;
        let (rhs, components) = (&mut rhs[..rank], &mut components[..free]);
        for (component, motion) in components.iter_mut().zip(basis.chunks_exact(n.max(1))) {
            *component = dot(motion, g);
        }
        linear::solve_lower(reduced, free, components);
        linear::solve_lower_transposed(reduced, free, components);
        components
            .iter()
            .zip(momenta.chunks_exact(n.max(1)))
            .for_each(|(component, momentum)| subtract(g, *component, momentum));
        rhs.iter_mut().zip(columns.iter()).for_each(|(value, &column)| *value = g[column]);
        factors.solve_transposed(rhs);
        rhs.iter().enumerate().for_each(|(k, value)| out[factors.row(k)] = *value);
    }

    /// Expresses the row `entries` as a combination of the equations in the columns of Φ. Calls `weight` with every
    /// equation and its factor. `scratch` has one number per equation.
    pub(crate) fn express(
        &self,
        entries: impl Iterator<Item = (usize, f64)>,
        scratch: &mut [f64],
        mut weight: impl FnMut(usize, f64),
    ) {
        scratch.fill(0.0);
        for (column, value) in entries.filter(|&(column, _)| self.places[column] < self.rank) {
            scratch[self.places[column]] = value;
        }
        self.factors.solve_transposed(scratch);
        scratch.iter().enumerate().for_each(|(k, factor)| weight(self.rows[self.factors.row(k)], *factor));
    }

    /// Columns of R, each of n entries.
    pub fn free(&self) -> core::slice::ChunksExact<'_, f64> {
        self.basis[..(self.n - self.rank) * self.n].chunks_exact(self.n.max(1))
    }

    /// After [`LeastChange::factor`]: computes the combinations of rows in which redundant equations contradict the
    /// others. [`LeastChange::balance`] removes them from right-hand sides. Allocates.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "for the assembly, before the first step")]
    pub fn share_out(&mut self, a: Rows) {
        let (rank, count) = (self.rank, self.count);
        for i in rank..count {
            let mut weights = vec![0.0; rank];
            self.express(a.entries(self.rows[i]), &mut weights, |_, _| ());
            let mut left = vec![0.0; count];
            left[i] = 1.0;
            weights.iter().enumerate().for_each(|(k, weight)| left[self.factors.row(k)] = -weight);
            // Done twice, because the first pass leaves errors that grow with the angle between the rows.
            for _ in 0..2 {
                for other in self.contradictions.chunks_exact(count) {
                    let projection = dot(other, &left);
                    subtract(&mut left, projection, other);
                }
                let scale = 1.0 / sqrt(dot(&left, &left));
                left.iter_mut().for_each(|value| *value *= scale);
            }
            self.contradictions.extend(left);
        }
    }

    /// Removes contradictions from `b`, which has one value per row with entries. The solution is then a least-squares
    /// solution of all rows, not only of the selected equations.
    pub fn balance(&self, b: &mut [f64]) {
        for left in self.contradictions.chunks_exact(self.count.max(1)) {
            let projection = dot(left, b);
            subtract(b, projection, left);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// x ← x − factor · other.
fn subtract(x: &mut [f64], factor: f64, other: &[f64]) {
    x.iter_mut().zip(other).for_each(|(x, other)| *x -= factor * other);
}

#[cfg(test)]
mod tests {
    use super::super::svd::{complete_basis, orthogonalise_rows};
    use super::*;
    use crate::check::numbers::Random;

    /// A matrix m × n of full rows, with the metric M = L Lᵀ and the derived data.
    struct Case {
        m: usize,
        n: usize,
        dense: Vec<f64>,
        starts: Vec<usize>,
        columns: Vec<usize>,
        lower: Vec<f64>,
        metric: Metric,
    }

    impl Case {
        fn new(m: usize, n: usize, dense: Vec<f64>, random: &mut Random) -> Case {
            let g = random.numbers(n * n);
            let mut lower: Vec<f64> = (0..n * n).map(|i| dot(&g[i / n * n..][..n], &g[i % n * n..][..n])).collect();
            (0..n).for_each(|i| lower[i * n + i] += 0.5);
            let mut metric = Metric::new(n);
            metric.set(&lower);
            linear::cholesky(&mut lower, n, 0.0).unwrap();
            let (starts, columns) = ((0..=m).map(|i| i * n).collect(), (0..m * n).map(|k| k % n).collect());
            Case { m, n, dense, starts, columns, lower, metric }
        }

        /// A matrix with these singular values in the metric.
        fn with(sigma: &[f64], m: usize, n: usize, random: &mut Random) -> Case {
            let mut case = Case::new(m, n, vec![0.0; m * n], random);
            let (left, right) = (orthonormal(m, random), orthonormal(n, random));
            for i in 0..m {
                for j in 0..n {
                    let entry = |k: usize| left[k * m + i] * sigma[k] * right[k * n + j];
                    case.dense[i * n + j] = (0..sigma.len()).map(entry).sum();
                }
            }
            // W = A L⁻ᵀ, so A = W Lᵀ.
            for row in case.dense.chunks_exact_mut(n) {
                let w = row.to_vec();
                (0..n).for_each(|i| row[i] = (0..=i).map(|j| case.lower[i * n + j] * w[j]).sum());
            }
            case
        }

        fn rows(&self) -> Rows<'_> {
            Rows { starts: &self.starts, columns: &self.columns, values: &self.dense }
        }

        fn solver(&self, least: f64) -> LeastChange {
            let (m, n) = (self.m, self.n);
            let mut solver = LeastChange::new(m, n);
            solver.fill(f64::NAN);
            let (mut matrix, mut candidates, mut order) =
                (vec![f64::NAN; m * n], vec![Candidate::default(); m], vec![0; m + n]);
            let trial = Trial { matrix: &mut matrix, candidates: &mut candidates, order: &mut order };
            let places: Vec<usize> = (0..n).collect();
            let pivots = Tolerance { relative: 0.0, absolute: least };
            solver.select(self.rows(), (&vec![0; n], &places), (m.min(n), pivots, 1e-12), trial);
            assert!(solver.factor(self.rows(), &self.metric));
            solver
        }

        /// The reference solution by the singular value decomposition of the whole matrix, without directions below
        /// `least`.
        fn reference(&self, b: &[f64], least: f64) -> Vec<f64> {
            let (m, n) = (self.m, self.n);
            let mut y = self.dense.clone();
            y.chunks_exact_mut(n).for_each(|row| linear::solve_lower(&self.lower, n, row));
            let (mut w, mut sigma) = (vec![0.0; m * m], vec![0.0; m]);
            orthogonalise_rows(&mut y, &mut w, &mut sigma, (m, n));
            let mut x = vec![0.0; n];
            for k in (0..m).filter(|&k| sigma[k] > least) {
                let projection = dot(&w[k * m..][..m], b) / (sigma[k] * sigma[k]);
                subtract(&mut x, -projection, &y[k * n..][..n]);
            }
            linear::solve_lower_transposed(&self.lower, n, &mut x);
            x
        }

        fn product(&self, x: &[f64]) -> Vec<f64> {
            self.dense.chunks_exact(self.n).map(|row| dot(row, x)).collect()
        }
    }

    fn orthonormal(n: usize, random: &mut Random) -> Vec<f64> {
        let mut basis = random.numbers(n * n);
        let (mut w, mut sigma) = (vec![0.0; n * n], vec![0.0; n]);
        orthogonalise_rows(&mut basis, &mut w, &mut sigma, (n, n));
        basis.chunks_exact_mut(n).zip(&sigma).for_each(|(row, sigma)| row.iter_mut().for_each(|v| *v /= sigma));
        complete_basis(&mut basis, n, n);
        basis
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    fn length(a: &[f64]) -> f64 {
        dot(a, a).sqrt()
    }

    fn of_rows(rows: &[usize], b: &[f64]) -> Vec<f64> {
        rows.iter().map(|&row| b[row]).collect()
    }

    #[test]
    fn with_all_pivots_the_solution_is_that_of_the_decomposition_into_singular_values() {
        let mut random = Random(11);
        for (m, n, least) in [(1, 1, 1.0), (1, 4, 0.3), (6, 9, 1e-1), (6, 6, 1e-2), (20, 24, 1e-4), (12, 40, 1e-7)] {
            let sigma: Vec<f64> = (0..m).map(|k| if k + 1 == m { least } else { 1.0 / (1.0 + k as f64) }).collect();
            let case = Case::with(&sigma, m, n, &mut random);
            let b = random.numbers(m);
            let mut solver = case.solver(1e-12);
            let (mut x, want) = (vec![f64::NAN; n], case.reference(&b, 0.0));
            solver.solve(&of_rows(solver.equations(), &b), &mut x);
            assert_eq!(solver.rank(), m);
            let error = distance(&x, &want) / length(&want);
            assert!(error < 1e-14 * (m * n) as f64 / least, "{m} {n} {least:e}: {error:e}");
        }
    }

    #[test]
    fn redundant_equations_and_rows_of_zeros_are_compressed_out() {
        let mut random = Random(12);
        let (rank, m, n) = (5, 11, 8);
        let mut case = Case::with(&[2.0, 1.5, 1.0, 0.7, 0.5], m, n, &mut random);
        case.dense[3 * n..4 * n].fill(0.0);
        case.dense[7 * n..8 * n].fill(1e-17);
        let mut solver = case.solver(1e-10);
        assert_eq!(solver.rank(), rank);
        assert!(!solver.rows().contains(&3) && !solver.rows().contains(&7) && solver.rows().len() == m - 2);
        // Consistent equations, solved by the selected equations alone.
        let b = case.product(&random.numbers(n));
        let mut x = vec![f64::NAN; n];
        solver.solve(&of_rows(solver.equations(), &b), &mut x);
        assert!(distance(&x, &case.reference(&b, 1e-10)) < 1e-12);
        assert!(distance(&case.product(&x), &b) < 1e-12);
        // Inconsistent equations, solved by least squares.
        let mut b = random.numbers(m);
        (b[3], b[7]) = (0.0, 0.0);
        solver.share_out(case.rows());
        let mut balanced = of_rows(solver.rows(), &b);
        solver.balance(&mut balanced);
        solver.solve(&balanced, &mut x);
        assert!(distance(&x, &case.reference(&b, 1e-10)) < 1e-12 * length(&b));
    }

    /// Single, clustered and zero small singular values. The bounds limit the difference between leaving out equations
    /// and leaving out singular directions.
    #[test]
    fn small_singular_values_are_left_out_alone() {
        let mut random = Random(13);
        for small in [&[1e-6][..], &[3e-6, 2e-6, 2e-6], &[1e-6, 1e-6, 1e-6, 1e-6, 1e-9], &[1e-5, 0.0, 0.0], &[0.0]] {
            for round in 0..20 {
                let (m, n) = (9 + round % 4, 14);
                let regular: Vec<f64> = (0..m - small.len()).map(|k| 2.0 / (1.0 + 0.5 * k as f64)).collect();
                let least = *regular.last().unwrap();
                let case = Case::with(&[&regular, small].concat(), m, n, &mut random);
                let mut solver = case.solver(1e-3);
                assert_eq!(solver.rank(), regular.len(), "{small:?}");
                let largest = small[0].max(1e-15);
                // Free motions do not change the selected equations and hardly change the others.
                for motion in solver.free() {
                    let change = case.product(motion);
                    let size = length(motion);
                    let solved = of_rows(solver.equations(), &change);
                    assert!(length(&solved) < 1e-13 * size, "{small:?}");
                    assert!(length(&change) < 300.0 * largest * size, "{small:?}: {:e}", length(&change) / size);
                }
                // The selected equations are solved exactly. The error of the whole solution is the share of the small
                // singular values.
                let x0 = random.numbers(n);
                let b = case.product(&x0);
                let mut x = vec![f64::NAN; n];
                solver.solve(&of_rows(solver.equations(), &b), &mut x);
                let solved = of_rows(solver.equations(), &case.product(&x));
                assert!(distance(&solved, &of_rows(solver.equations(), &b)) < 1e-12, "{small:?}");
                let want = case.reference(&b, 1e-3);
                let error = distance(&x, &want) / length(&x0);
                assert!(error < 300.0 * largest / least, "{small:?}: {error:e}");
            }
        }
    }

    #[test]
    fn multipliers_are_the_transposed_of_the_solution() {
        let mut random = Random(14);
        for sigma in [&[1.0, 0.8, 0.5, 0.3][..], &[1.0, 0.8, 0.5, 1e-7]] {
            let case = Case::with(sigma, 6, 7, &mut random);
            let mut solver = case.solver(1e-4);
            let rank = solver.rank();
            let (b, mut g) = (random.numbers(rank), random.numbers(7));
            let (mut x, mut lambda) = (vec![f64::NAN; 7], vec![f64::NAN; rank]);
            solver.solve(&b, &mut x);
            let work = dot(&g, &x);
            solver.solve_transposed(&mut g, &mut lambda);
            assert!((dot(&lambda, &b) - work).abs() < 1e-12 * length(&b));
        }
    }

    #[test]
    fn the_change_is_orthogonal_to_what_stays_free() {
        let mut random = Random(15);
        let case = Case::with(&[1.0, 0.8, 0.5, 1e-7], 4, 9, &mut random);
        let mut solver = case.solver(1e-4);
        let (mut x, mut momentum) = (vec![f64::NAN; 9], vec![f64::NAN; 9]);
        solver.solve(&random.numbers(3), &mut x);
        case.metric.apply(&x, &mut momentum);
        assert_eq!(solver.free().count(), 6);
        solver.free().for_each(|motion| assert!(dot(motion, &momentum).abs() < 1e-12 * length(motion)));
    }

    #[test]
    fn what_cannot_be_factored_is_said() {
        let mut random = Random(16);
        let mut case = Case::with(&[1.0, 0.5], 2, 3, &mut random);
        let mut solver = case.solver(1e-6);
        case.dense[1] = f64::NAN;
        assert!(!solver.factor(case.rows(), &case.metric) && solver.pivot().is_nan());
        case.dense.fill(0.0);
        assert!(!solver.factor(case.rows(), &case.metric) && solver.pivot().is_nan());
        let case = Case::with(&[1.0, 0.5], 2, 3, &mut random);
        let mut solver = case.solver(1e-6);
        let mut metric = Metric::new(3);
        metric.set_unit(-1.0);
        assert!(!solver.factor(case.rows(), &metric));
    }

    #[test]
    fn nothing_to_solve_leaves_everything_free() {
        for (m, n) in [(0, 2), (3, 2), (3, 0)] {
            let case = Case::new(m, n, vec![0.0; m * n], &mut Random(17));
            let mut solver = case.solver(1e-6);
            let mut x = vec![f64::NAN; n];
            solver.solve(&[], &mut x);
            assert_eq!((solver.rank(), solver.free().count(), x), (0, n, vec![0.0; n]));
        }
    }
}
