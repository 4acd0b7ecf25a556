//! The lowest eigenpairs of K φ = ω² M φ, sparse, by block Lanczos.
//!
//! Problem: K positive definite and given by its inverse, M positive semidefinite, both n × n; the k smallest ω² and
//! their shapes are requested. The operator K⁻¹M is symmetric in the inner product of M and has the eigenvalues θ =
//! 1/ω², of which the largest converge first. Blocks of vectors use each pass over the factor and find repeated
//! eigenvalues up to the width of a block. Every new block is orthogonalised twice against all earlier ones, so there
//! are no copies of converged modes. The start vectors are fixed, so equal matrices give equal bits.
//!
//! A structure of n equal parts has eigenvalues of multiplicity n or more. [`complete`] counts the eigenvalues by
//! Sylvester's law and repeats the search with blocks as wide as the largest possible multiplicity.
//!
//! Error: a pair is accepted when its residual ‖K⁻¹Mφ − θφ‖ in M is below 1e-10 θ. The error of the eigenvalue is then
//! of the order of the squared residual divided by the gap. [`super::factor::Analysis::negative_eigenvalues`] detects
//! missed eigenvalues.
//!
//! Source: R. G. Grimes, J. G. Lewis, H. D. Simon, SIAM J. Matrix Anal. Appl. 15 (1994), without their shifts and
//! restarts.

use super::sparse::SparseSymmetric;
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, MatMut, MatRef, Side};

/// Residual at which a pair is accepted, relative to its θ.
const TOLERANCE: f64 = 1e-10;

/// Relative loss of length in orthogonalisation above which a vector counts as linearly dependent.
const DEPENDENCE_TOLERANCE: f64 = 1e-10;

/// Replaces the columns of a block (n × k) by K⁻¹ times them.
pub type Flexibility<'a> = &'a dyn Fn(MatMut<'_, f64>);

/// Eigenpairs, lowest first.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// ω² in rad²/s², ascending.
    pub values: Vec<f64>,
    /// Shapes, n × k, orthonormal in M.
    pub shapes: Mat<f64>,
    /// Upper bound of the next ω², if the search found one.
    pub next: Option<f64>,
}

/// Relative distance of ω² below which modes belong together.
pub const CLUSTER_TOLERANCE: f64 = 1e-6;

/// Searches before a missing mode is an error.
const MAX_SEARCHES: usize = 4;

/// Start of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Seed of the start vectors.
    pub seed: usize,
    /// Smallest number of vectors in a block.
    pub width: usize,
}

impl Start {
    /// The next search after one that found `values` of `counted` eigenvalues. A multiplicity is at most the largest
    /// found multiplicity plus the number of missing eigenvalues.
    fn again(self, values: &[f64], counted: usize) -> Start {
        let missing = counted.saturating_sub(values.len());
        let width = if missing > 0 { largest_cluster(values) + missing } else { 0 };
        Start { seed: self.seed + 1000, width: self.width.max(width) }
    }
}

/// A complete set of pairs.
pub struct Complete {
    /// The pairs; there may be more than `kept`.
    pub pairs: Eigenpairs,
    /// Requested number of modes, including modes that belong to the last of them.
    pub kept: usize,
}

/// The `count` lowest pairs and all that belong to the last of them: as many as `count_below` counts (ω² below a limit;
/// `None` if one is too close to the limit). The first `search` requests `ahead` more pairs, to find the next value.
///
/// # Errors
/// The counted number, if the search did not find all pairs.
pub fn complete(
    search: &dyn Fn(usize, Start) -> Eigenpairs,
    count_below: &dyn Fn(f64) -> Option<usize>,
    count: usize,
    ahead: usize,
) -> Result<Complete, usize> {
    let (mut start, mut most) = (Start::default(), 0);
    for _ in 0..MAX_SEARCHES {
        let mut wanted = (count + ahead).max(most + usize::from(most > 0));
        let mut pairs = search(wanted, start);
        let mut kept = cluster_end(&pairs.values, count.min(pairs.values.len()));
        while kept == pairs.values.len() && pairs.values.len() == wanted && !(ahead == 0 && pairs.next_is_apart()) {
            wanted += 4;
            pairs = search(wanted, start);
            kept = cluster_end(&pairs.values, count.min(pairs.values.len()));
        }
        if kept == 0 {
            return Ok(Complete { pairs, kept });
        }
        let next = pairs.values.get(kept).copied().or(pairs.next);
        let counted = count_after(&pairs.values[..kept], next, count_below);
        if counted == Some(kept) {
            return Ok(Complete { pairs, kept });
        }
        most = most.max(counted.unwrap_or(0));
        start = start.again(&pairs.values[..kept], counted.unwrap_or(0));
    }
    Err(most)
}

/// Number of ω² up to and with the last of `values`.
fn count_after(values: &[f64], next: Option<f64>, count_below: &dyn Fn(f64) -> Option<usize>) -> Option<usize> {
    let last = *values.last()?;
    let room = next.map_or(1.0, |next| (next / last - 1.0).min(1.0));
    [0.5, 0.3, 0.7].iter().find_map(|part| count_below(last * (1.0 + part * room)))
}

/// Number of modes, including modes that closely follow the first `count`.
fn cluster_end(values: &[f64], count: usize) -> usize {
    let mut end = count;
    while end > 0 && end < values.len() && values[end] <= values[end - 1] * (1.0 + CLUSTER_TOLERANCE) {
        end += 1;
    }
    end
}

/// Size of the largest group of values that follow each other closely.
fn largest_cluster(values: &[f64]) -> usize {
    let (mut first, mut largest) = (0, 0);
    while first < values.len() {
        let end = cluster_end(values, first + 1);
        largest = largest.max(end - first);
        first = end;
    }
    largest
}

impl Eigenpairs {
    /// Whether the next value is known not to belong to the last one.
    fn next_is_apart(&self) -> bool {
        self.next.zip(self.values.last()).is_some_and(|(next, last)| next > last * (1.0 + CLUSTER_TOLERANCE))
    }
}

/// The `count` lowest pairs; fewer if M has a smaller rank. `kept_out` (n × r, orthonormal in M) are shapes to exclude.
/// Copies of one eigenvalue beyond the width of a block may be missing: see [`complete`].
pub fn lowest(
    flexibility: Flexibility<'_>,
    mass: &SparseSymmetric,
    count: usize,
    kept_out: Option<&Mat<f64>>,
    start: Start,
) -> Eigenpairs {
    let width = start.width.max(if count > 8 { 6 } else { 4 });
    let mut search = Search::new(flexibility, mass, kept_out, start.seed);
    let mut block = search.fresh(width);
    let mut converged = None;
    while block.ncols() > 0 && converged.is_none() {
        let coupling = search.extend(&mut block);
        let next_width = block.ncols();
        // A decomposition of the projection costs as much as several blocks when it is large.
        if search.size() >= count + 2 && (next_width == 0 || search.blocks.len().is_multiple_of(2)) {
            converged = search.converged(count, &coupling);
        }
        if next_width == 0 && converged.is_none() {
            // An invariant subspace: continue in the remaining space, if there is any.
            block = search.fresh(width);
        }
    }
    search.finish(count)
}

/// The growing basis and the projected operator.
struct Search<'a> {
    flexibility: Flexibility<'a>,
    mass: &'a SparseSymmetric,
    /// Blocks V of the basis, and M·V.
    blocks: Vec<(Mat<f64>, Mat<f64>)>,
    kept_out: Option<(Mat<f64>, Mat<f64>)>,
    /// Entries of VᵀM·K⁻¹M·V: (row, column, value).
    projection: Vec<(usize, usize, f64)>,
    size: usize,
    seed: usize,
}

impl<'a> Search<'a> {
    fn new(
        flexibility: Flexibility<'a>,
        mass: &'a SparseSymmetric,
        kept_out: Option<&Mat<f64>>,
        seed: usize,
    ) -> Search<'a> {
        let kept_out = kept_out.map(|shapes| (shapes.clone(), mass.multiply(shapes.as_ref())));
        Search { flexibility, mass, blocks: Vec::new(), kept_out, projection: Vec::new(), size: 0, seed }
    }

    fn size(&self) -> usize {
        self.size
    }

    /// A start block orthogonal to the basis and the excluded shapes. It becomes narrower and finally empty when the
    /// space is exhausted.
    fn fresh(&mut self, width: usize) -> Mat<f64> {
        let first = self.seed;
        self.seed += width;
        // Multiples of irrational numbers, modulo 1: no two vectors alike, no direction favoured.
        let start = Mat::from_fn(self.mass.size(), width, |i, k| {
            ((i + 1) as f64 * ((first + k) as f64 + 1.7).sqrt()).fract() - 0.5
        });
        let mut block = self.operator(start.as_ref());
        let scale = self.length(&block);
        self.orthogonalise(&mut block);
        self.normalise(block, scale).0
    }

    /// K⁻¹M·x.
    fn operator(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let mut y = self.mass.multiply(x);
        (self.flexibility)(y.as_mut());
        y
    }

    /// Adds `block` to the basis and replaces it by the next block of the sequence; returns their coupling (next width
    /// × width).
    fn extend(&mut self, block: &mut Mat<f64>) -> Mat<f64> {
        let mut image = self.mass.multiply(block.as_ref());
        let weighted = image.clone();
        (self.flexibility)(image.as_mut());
        self.blocks.push((std::mem::replace(block, Mat::new()), weighted));
        let width = image.ncols();
        let column = self.size;
        let scale = self.length(&image);
        let coefficients = self.orthogonalise(&mut image);
        for (row, coefficient) in coefficients.into_iter().enumerate() {
            self.projection.extend((0..width).map(|k| (row, column + k, coefficient[k])));
        }
        self.size += width;
        let (next, coupling) = self.normalise(image, scale);
        *block = next;
        coupling
    }

    /// Removes from `block` the components in the basis and in the excluded shapes, twice; returns the coefficients
    /// (basis size × width, by rows).
    fn orthogonalise(&self, block: &mut Mat<f64>) -> Vec<Vec<f64>> {
        let mut coefficients: Vec<Vec<f64>> = Vec::new();
        for pass in 0..2 {
            if let Some((shapes, weighted)) = &self.kept_out {
                *block -= shapes * (weighted.transpose() * &*block);
            }
            let mut row = 0;
            for (basis, weighted) in &self.blocks {
                let part = weighted.transpose() * &*block;
                *block -= basis * &part;
                for i in 0..part.nrows() {
                    let entries = (0..part.ncols()).map(|k| part[(i, k)]);
                    if pass == 0 {
                        coefficients.push(entries.collect());
                    } else {
                        coefficients[row].iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry);
                    }
                    row += 1;
                }
            }
        }
        coefficients
    }

    /// Length in M of the longest column.
    fn length(&self, block: &Mat<f64>) -> f64 {
        let weighted = self.mass.multiply(block.as_ref());
        let lengths = (0..block.ncols()).map(|k| (block.col(k).transpose() * weighted.col(k)).max(0.0).sqrt());
        lengths.fold(0.0, f64::max)
    }

    /// An M-orthonormal basis of the columns of `block` that are independent, and the columns in it. Vectors shorter
    /// than the round-off of a vector of length `scale` count as zero.
    fn normalise(&self, block: Mat<f64>, scale: f64) -> (Mat<f64>, Mat<f64>) {
        let width = block.ncols();
        let weighted = self.mass.multiply(block.as_ref());
        let mut kept: Vec<(faer::Col<f64>, faer::Col<f64>)> = Vec::new();
        let mut coupling: Mat<f64> = Mat::zeros(width, width);
        for k in 0..width {
            let (mut vector, mut image) = (block.col(k).to_owned(), weighted.col(k).to_owned());
            for _ in 0..2 {
                for (i, (q, weighted_q)) in kept.iter().enumerate() {
                    let part = weighted_q.transpose() * &vector;
                    coupling[(i, k)] += part;
                    vector -= faer::Scale(part) * q;
                    image -= faer::Scale(part) * weighted_q;
                }
            }
            let length = (vector.transpose() * &image).max(0.0).sqrt();
            if length > DEPENDENCE_TOLERANCE * scale && length > 0.0 {
                coupling[(kept.len(), k)] = length;
                kept.push((faer::Scale(1.0 / length) * vector, faer::Scale(1.0 / length) * image));
            }
        }
        let basis = Mat::from_fn(block.nrows(), kept.len(), |i, k| kept[k].0[i]);
        let coupling = coupling.subrows(0, kept.len()).to_owned();
        (basis, coupling)
    }

    /// θ descending, with their coefficients in the basis.
    fn ritz(&self) -> (Vec<f64>, Mat<f64>) {
        let mut projected: Mat<f64> = Mat::zeros(self.size, self.size);
        for (row, column, value) in &self.projection {
            // Entries below the diagonal follow by symmetry; diagonal blocks have both halves, which agree.
            if row <= column {
                projected[(*row, *column)] = *value;
            }
        }
        let eigen = SelfAdjointEigen::new(projected.as_ref(), Side::Upper)
            .expect("a symmetric matrix of finite numbers has eigenvalues");
        let order: Vec<usize> = (0..self.size).rev().collect();
        let values = order.iter().map(|i| eigen.S()[*i]).collect();
        (values, Mat::from_fn(self.size, self.size, |i, k| eigen.U()[(i, order[k])]))
    }

    /// `Some` if the first `count` pairs are accurate.
    fn converged(&self, count: usize, coupling: &Mat<f64>) -> Option<()> {
        let (values, vectors) = self.ritz();
        let width = coupling.ncols();
        let noise = 8.0 * f64::EPSILON * values[0];
        let good = |k: usize| {
            let tail = vectors.submatrix(self.size - width, k, width, 1);
            (coupling * tail).norm_l2() <= (TOLERANCE * values[k]).max(noise)
        };
        (0..count).all(good).then_some(())
    }

    fn finish(self, count: usize) -> Eigenpairs {
        let (values, vectors) = self.ritz();
        // θ of round-off size belong to directions without mass.
        let massive = values.iter().take_while(|value| **value > 1e-14 * values[0]).count();
        let count = count.min(massive);
        let mut shapes: Mat<f64> = Mat::zeros(self.mass.size(), count);
        let mut row = 0;
        for (basis, _) in &self.blocks {
            shapes += basis * vectors.submatrix(row, 0, basis.ncols(), count);
            row += basis.ncols();
        }
        let next = (massive > count).then(|| 1.0 / values[count]);
        Eigenpairs { values: values[..count].iter().map(|value| 1.0 / value).collect(), shapes, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::Analysis;

    /// Chain of n unit masses between walls, springs of 1 N/m: ω² = 4 sin²(iπ/(2(n+1))).
    fn chain(n: usize) -> (SparseSymmetric, SparseSymmetric) {
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
        entries.extend((1..n).map(|i| (i, i - 1, -1.0)));
        let mass: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
        (SparseSymmetric::from_half(n, &entries), SparseSymmetric::from_half(n, &mass))
    }

    fn expected(n: usize, i: usize) -> f64 {
        4.0 * ((i + 1) as f64 * std::f64::consts::PI / (2 * (n + 1)) as f64).sin().powi(2)
    }

    fn solve(stiffness: &SparseSymmetric, mass: &SparseSymmetric, count: usize) -> Eigenpairs {
        let groups: Vec<usize> = (0..stiffness.size()).collect();
        let analysis = Analysis::new(stiffness, &groups).unwrap();
        let factor = analysis.cholesky(stiffness).unwrap();
        lowest(&|x| factor.solve_in_place(x), mass, count, None, Start::default())
    }

    #[test]
    fn frequencies_of_a_chain_are_those_of_the_closed_form() {
        for (n, count) in [(300, 12), (300, 1), (9, 9), (7, 3)] {
            let (stiffness, mass) = chain(n);
            let pairs = solve(&stiffness, &mass, count);
            assert_eq!(pairs.values.len(), count);
            for (i, value) in pairs.values.iter().enumerate() {
                assert!((value / expected(n, i) - 1.0).abs() < 1e-11, "n {n}, mode {i}: {value}");
            }
            let gram = pairs.shapes.transpose() * mass.multiply(pairs.shapes.as_ref());
            assert!((gram - Mat::<f64>::identity(count, count)).norm_max() < 1e-12);
            let residual = stiffness.multiply(pairs.shapes.as_ref())
                - mass.multiply((&pairs.shapes * faer::Scale(1.0)).as_ref())
                    * Mat::from_fn(count, count, |i, j| if i == j { pairs.values[i] } else { 0.0 });
            assert!(residual.norm_max() < 1e-9, "{}", residual.norm_max());
        }
    }

    #[test]
    fn repeated_eigenvalues_are_all_found() {
        // Four separate chains: every eigenvalue has multiplicity four.
        let n = 60;
        let (one, _) = chain(n);
        let mut entries = Vec::new();
        for copy in 0..4 {
            for j in 0..n {
                entries.extend(one.column(j).filter(|(i, _)| *i <= j).map(|(i, v)| (copy * n + i, copy * n + j, v)));
            }
        }
        let mass: Vec<_> = (0..4 * n).map(|i| (i, i, 1.0)).collect();
        let stiffness = SparseSymmetric::from_half(4 * n, &entries);
        let pairs = solve(&stiffness, &SparseSymmetric::from_half(4 * n, &mass), 10);
        for (i, value) in pairs.values.iter().enumerate() {
            assert!((value / expected(n, i / 4) - 1.0).abs() < 1e-10, "{:?}", pairs.values);
        }
    }

    #[test]
    fn more_copies_than_a_block_is_wide_are_all_found() {
        // Masses on springs of 1, 3 and 5 N/m: three eigenvalues with these multiplicities.
        for (copies, count) in [(24, 10), (24, 24), (32, 4), (60, 62)] {
            let n = 3 * copies;
            let stiffness: Vec<_> = (0..n).map(|i| (i, i, (1 + i % 3 * 2) as f64)).collect();
            let mass: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
            let (stiffness, mass) = (SparseSymmetric::from_half(n, &stiffness), SparseSymmetric::from_half(n, &mass));
            let analysis = Analysis::new(&stiffness, &(0..n).collect::<Vec<_>>()).unwrap();
            let factor = analysis.cholesky(&stiffness).unwrap();
            let search = |count, start| lowest(&|x| factor.solve_in_place(x), &mass, count, None, start);
            let below = |limit: f64| analysis.negative_eigenvalues(&stiffness.plus(-limit, &mass));
            for ahead in [0, 1] {
                let found = complete(&search, &below, count, ahead).map_err(|counted| (counted, copies)).unwrap();
                let wanted = if count <= copies { copies } else { 2 * copies };
                assert_eq!(found.kept, wanted, "{copies} copies, {count} asked for");
                for (i, value) in found.pairs.values[..wanted].iter().enumerate() {
                    let expected = if i < copies { 1.0 } else { 3.0 };
                    assert!((value / expected - 1.0).abs() < 1e-12, "value {i}: {value}");
                }
            }
        }
    }

    #[test]
    fn massless_directions_have_no_mode() {
        let (stiffness, _) = chain(50);
        let mass = SparseSymmetric::from_half(50, &[(10, 10, 1.0), (30, 30, 2.0)]);
        let pairs = solve(&stiffness, &mass, 20);
        assert_eq!((pairs.values.len(), pairs.next), (2, None));
    }

    #[test]
    fn shapes_that_are_kept_out_are_not_found() {
        let (stiffness, mass) = chain(80);
        let analysis = Analysis::new(&stiffness, &(0..80).collect::<Vec<_>>()).unwrap();
        let factor = analysis.cholesky(&stiffness).unwrap();
        let first = lowest(&|x| factor.solve_in_place(x), &mass, 2, None, Start::default()).shapes;
        let others = lowest(&|x| factor.solve_in_place(x), &mass, 2, Some(&first), Start::default()).values;
        assert!((others[0] / expected(80, 2) - 1.0).abs() < 1e-10);
        assert!((others[1] / expected(80, 3) - 1.0).abs() < 1e-10);
    }
}
