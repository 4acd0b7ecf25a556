//! Factorisation of large sparse symmetric matrices: nested dissection, prediction of the fill, L·Lᵀ for solving,
//! L·D·Lᵀ for counting eigenvalues.
//!
//! The graph is ordered by nodes, whose degrees of freedom stay together, because this graph is smaller than the graph
//! of the matrix and gives better separators. Factorisation uses one thread, so the bits do not depend on the number of
//! cores. The memory of a factorisation is known after [`Analysis::new`], before any of it is allocated.

use super::sparse::SparseSymmetric;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::simplicial::SimplicialLdltRef;
use faer::sparse::linalg::cholesky::supernodal::{SupernodalLdltRef, SupernodalLltRef};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use feral_metis::{CscPattern, metis_order};

/// Pivot, as a fraction of its diagonal entry, below which it is round-off and the structure can move without
/// stiffness.
const PIVOT_TOLERANCE: f64 = 1e-13;

/// Reasons why a matrix cannot be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// The row (index in the matrix) has no stiffness after elimination of the preceding rows.
    Singular(usize),
    /// The matrix is too large for its indices or for the memory.
    TooLarge,
    /// The search did not find all modes; this is the number counted with the factor.
    Missed(usize),
}

/// Order of elimination and structure of the factor, valid for all matrices with the same pattern.
pub struct Analysis {
    symbolic: SymbolicCholesky<usize>,
    size: usize,
    entries: usize,
}

/// L of A = P·L·Lᵀ·Pᵀ.
pub struct Cholesky<'a> {
    analysis: &'a Analysis,
    values: Vec<f64>,
}

impl Analysis {
    /// Orders the n rows of `matrix` so that its factor stays sparse; rows with the same entry in `groups` (n) belong
    /// to one node.
    ///
    /// # Errors
    /// [`FactorError::TooLarge`].
    pub fn new(matrix: &SparseSymmetric, groups: &[usize]) -> Result<Analysis, FactorError> {
        let size = matrix.size();
        let order = dissect(matrix, groups)?;
        let mut inverse = vec![0; size];
        for (new, old) in order.iter().enumerate() {
            inverse[*old] = new;
        }
        let (starts, rows, _) = matrix.compressed();
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, starts, None, rows);
        let ordering = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, size));
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Upper, ordering, CholeskySymbolicParams::default())
            .map_err(|_| FactorError::TooLarge)?;
        Ok(Analysis { symbolic, size, entries: matrix.entries() })
    }

    /// Entries of the factor, including zeros of its dense blocks.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Bytes that one factorisation needs at its peak.
    pub fn bytes(&self) -> usize {
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        8 * self.fill() + scratch.unaligned_bytes_required() + 16 * self.entries
    }

    /// Factorises a positive definite matrix with the pattern of the analysis.
    ///
    /// # Errors
    /// [`FactorError::Singular`] names the row whose pivot vanishes.
    pub fn cholesky(&self, matrix: &SparseSymmetric) -> Result<Cholesky<'_>, FactorError> {
        let mut values = vec![0.0; self.fill()];
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| FactorError::TooLarge)?;
        let outcome = self.symbolic.factorize_numeric_llt(
            &mut values,
            view(matrix),
            Side::Upper,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        if let Err(LltError::NonPositivePivot { index }) = outcome {
            // The simplicial factorisation counts from 1, the supernodal one from 0.
            let counts_from_one = matches!(self.symbolic.raw(), SymbolicCholeskyRaw::Simplicial(_));
            return Err(FactorError::Singular(self.row_of(index - usize::from(counts_from_one))));
        }
        let pivots = self.diagonal(&values, true);
        let diagonal = matrix.diagonal();
        let vanishing = pivots.iter().enumerate().find_map(|(i, pivot)| {
            let row = self.row_of(i);
            (pivot * pivot <= PIVOT_TOLERANCE * diagonal[row]).then_some(row)
        });
        match vanishing {
            Some(row) => Err(FactorError::Singular(row)),
            None => Ok(Cholesky { analysis: self, values }),
        }
    }

    /// Number of negative eigenvalues of a symmetric matrix, by Sylvester's law of inertia; `None` if a pivot vanishes,
    /// because the count is then uncertain.
    pub fn negative_eigenvalues(&self, matrix: &SparseSymmetric) -> Option<usize> {
        let mut values = vec![0.0; self.fill()];
        let scratch = self.symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let outcome = self.symbolic.factorize_numeric_ldlt(
            &mut values,
            view(matrix),
            Side::Upper,
            LdltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        outcome.ok()?;
        let pivots = self.diagonal(&values, false);
        let diagonal = matrix.diagonal();
        let certain = |(i, pivot): (usize, &f64)| pivot.abs() > PIVOT_TOLERANCE * diagonal[self.row_of(i)].abs();
        pivots.iter().enumerate().all(certain).then(|| pivots.iter().filter(|pivot| **pivot < 0.0).count())
    }

    /// The row of the matrix that is eliminated as number `index`.
    fn row_of(&self, index: usize) -> usize {
        self.symbolic.perm().map_or(index, |perm| perm.arrays().0[index])
    }

    /// The diagonal of L, or of D, in the order of elimination.
    fn diagonal(&self, values: &[f64], square_root: bool) -> Vec<f64> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                let factor = SimplicialLdltRef::new(symbolic, values);
                factor.symbolic().col_ptr()[..self.size].iter().map(|first| values[*first]).collect()
            }
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let mut diagonal = Vec::with_capacity(self.size);
                for s in 0..symbolic.n_supernodes() {
                    let block = if square_root {
                        SupernodalLltRef::new(symbolic, values).supernode(s).val()
                    } else {
                        SupernodalLdltRef::new(symbolic, values).supernode(s).val()
                    };
                    diagonal.extend((0..block.ncols()).map(|i| block[(i, i)]));
                }
                diagonal
            }
        }
    }
}

impl Cholesky<'_> {
    /// Replaces each column of `x` (n × k) by A⁻¹ times it.
    pub fn solve_in_place(&self, x: MatMut<'_, f64>) {
        let scratch = self.analysis.symbolic.solve_in_place_scratch::<f64>(x.ncols(), Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let factor = LltRef::new(&self.analysis.symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut memory));
    }
}

fn view(matrix: &SparseSymmetric) -> SparseColMatRef<'_, usize, f64> {
    let (starts, rows, values) = matrix.compressed();
    SparseColMatRef::new(SymbolicSparseColMatRef::new_checked(matrix.size(), matrix.size(), starts, None, rows), values)
}

/// Nested dissection of the graph of nodes; position → row.
fn dissect(matrix: &SparseSymmetric, groups: &[usize]) -> Result<Vec<usize>, FactorError> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.iter().max().map_or(0, |most| most + 1)];
    for (row, group) in groups.iter().enumerate() {
        members[*group].push(row);
    }
    members.retain(|rows| !rows.is_empty());
    let mut place = vec![0; matrix.size()];
    for (node, rows) in members.iter().enumerate() {
        rows.iter().for_each(|row| place[*row] = node);
    }
    let (mut starts, mut neighbours) = (vec![0], Vec::new());
    for (node, rows) in members.iter().enumerate() {
        let mut of_node: Vec<usize> = rows.iter().flat_map(|row| matrix.column(*row)).map(|(j, _)| place[j]).collect();
        of_node.sort_unstable();
        of_node.dedup();
        neighbours.extend(of_node.into_iter().filter(|other| *other != node).map(|other| other as i32));
        starts.push(i32::try_from(neighbours.len()).map_err(|_| FactorError::TooLarge)?);
    }
    let pattern = CscPattern::new(members.len(), &starts, &neighbours).ok_or(FactorError::TooLarge)?;
    let order = metis_order(&pattern).map_err(|_| FactorError::TooLarge)?;
    Ok(order.into_iter().flat_map(|node| members[node as usize].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// Laplacian of an a × a grid plus `shift` on the diagonal.
    fn grid(a: usize, shift: f64) -> SparseSymmetric {
        let mut entries = Vec::new();
        for i in 0..a {
            for j in 0..a {
                let at = i * a + j;
                entries.push((at, at, 4.0 + shift));
                if i > 0 {
                    entries.push((at, at - a, -1.0));
                }
                if j > 0 {
                    entries.push((at, at - 1, -1.0));
                }
            }
        }
        SparseSymmetric::from_half(a * a, &entries)
    }

    /// Eigenvalues of the grid below `limit`: 4 − 2 cos(iπ/(a+1)) − 2 cos(jπ/(a+1)).
    fn below(a: usize, limit: f64) -> usize {
        let part = |i: usize| 2.0 - 2.0 * (i as f64 * std::f64::consts::PI / (a + 1) as f64).cos();
        (1..=a).flat_map(|i| (1..=a).map(move |j| part(i) + part(j))).filter(|value| *value < limit).count()
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        for a in [3, 40] {
            let matrix = grid(a, 0.0);
            let groups: Vec<usize> = (0..a * a).map(|i| i / 2).collect();
            let analysis = Analysis::new(&matrix, &groups).unwrap();
            let x = Mat::from_fn(a * a, 3, |i, k| ((i * 7 + k * 3) % 11) as f64 - 5.0);
            let mut y = matrix.multiply(x.as_ref());
            analysis.cholesky(&matrix).unwrap().solve_in_place(y.as_mut());
            assert!((y - x).norm_max() < 1e-11);
        }
    }

    #[test]
    fn nested_dissection_fills_less_than_the_given_order() {
        // In the given order the factor is a band: 60³ entries.
        let matrix = grid(60, 0.0);
        let groups: Vec<usize> = (0..3600).collect();
        assert!(Analysis::new(&matrix, &groups).unwrap().fill() < 60 * 60 * 60 / 2);
    }

    #[test]
    fn eigenvalues_below_a_limit_are_counted() {
        for (a, limit) in [(30, 0.5), (30, 4.1), (4, 3.05)] {
            let matrix = grid(a, 0.0);
            let groups: Vec<usize> = (0..a * a).collect();
            let analysis = Analysis::new(&matrix, &groups).unwrap();
            assert_eq!(analysis.negative_eigenvalues(&grid(a, -limit)), Some(below(a, limit)));
        }
    }

    #[test]
    fn the_row_without_stiffness_is_named() {
        // Two bars that share no node with the ground: rows 3 and 4 move together freely.
        let entries = [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 2.0), (2, 2, 1.0), (3, 3, 5.0), (4, 3, -5.0), (4, 4, 5.0)];
        let matrix = SparseSymmetric::from_half(5, &entries);
        let analysis = Analysis::new(&matrix, &[0, 1, 2, 3, 4]).unwrap();
        match analysis.cholesky(&matrix).err() {
            Some(FactorError::Singular(row)) => assert!(row == 3 || row == 4, "{row}"),
            other => panic!("{other:?}"),
        }
    }
}
