//! Rigid motions of a structure: scaled bases, left inverses, and statically determinate sets of degrees of freedom.

use super::model::FiniteElementModel;
use ballesta::math::Vec3;
use faer::{Mat, MatRef};

/// Pivot, as a fraction of the first pivot, below which it counts as zero and the motions are dependent.
const DEPENDENCE_TOLERANCE: f64 = 1e-6;

/// The rigid motions of a structure (3 in the plane, 6 in space) as n × r, all entries near 1. Rotations are about the
/// middle of the nodes and divided by the size of the structure.
#[derive(Clone, Debug)]
pub struct RigidMotions {
    /// n × r.
    pub motions: Mat<f64>,
    /// Middle of the nodes in C, m.
    pub middle: Vec3,
    /// Half of the largest extent of the nodes, m.
    pub size: f64,
    /// Factor of each row for equal weights of all directions: 1 for translations, `size` for rotations.
    pub weights: Vec<f64>,
}

impl RigidMotions {
    /// Rigid motions of a structure with at least two distinct node positions.
    pub fn new(model: &FiniteElementModel) -> RigidMotions {
        let extent = |pick: fn(f64, f64) -> f64| {
            model.nodes.iter().map(|node| node.position).reduce(|a, b| a.zip_map(&b, pick)).unwrap_or_default()
        };
        let (lower, upper) = (extent(f64::min), extent(f64::max));
        let size = match 0.5 * (upper - lower).max() {
            size if size > 0.0 => size,
            _ => 1.0,
        };
        let middle = 0.5 * (lower + upper);
        let all = model.rigid_motions(middle);
        let columns = model.dimension.directions();
        let scale = |column: usize| if column < 3 { 1.0 } else { 1.0 / size };
        let motions = Mat::from_fn(model.size(), columns.len(), |i, k| all[(i, columns[k])] * scale(columns[k]));
        let weights = model.dofs.iter().map(|dof| if dof.direction < 3 { 1.0 } else { size }).collect();
        RigidMotions { motions, middle, size, weights }
    }

    /// Rows `dofs` of the motions.
    pub fn rows(&self, dofs: &[usize]) -> Mat<f64> {
        Mat::from_fn(dofs.len(), self.motions.ncols(), |i, k| self.motions[(dofs[i], k)])
    }

    /// r of the degrees of freedom `candidates` that hold the structure statically determinate. They are chosen by
    /// pivoting among the first `preferred` candidates before the others. Fewer are returned if they cannot hold it.
    pub fn determinate(&self, candidates: &[usize], preferred: usize) -> Vec<usize> {
        let mut rows = self.rows(candidates);
        for (i, dof) in candidates.iter().enumerate() {
            rows.row_mut(i).iter_mut().for_each(|entry| *entry *= self.weights[*dof]);
        }
        let mut chosen: Vec<usize> = Vec::new();
        let length = |rows: &Mat<f64>, i: usize| rows.row(i).iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        while chosen.len() < self.motions.ncols() {
            let best = |range: std::ops::Range<usize>| {
                range.map(|i| (length(&rows, i), i)).reduce(|a, b| if b.0 > a.0 { b } else { a })
            };
            let found = best(0..preferred).filter(|(length, _)| *length > 1e-2).or_else(|| best(0..candidates.len()));
            let Some((pivot, i)) = found.filter(|(length, _)| *length > DEPENDENCE_TOLERANCE) else { break };
            let direction: Vec<f64> = rows.row(i).iter().map(|entry| entry / pivot).collect();
            for row in 0..rows.nrows() {
                let part: f64 = rows.row(row).iter().zip(&direction).map(|(a, b)| a * b).sum();
                rows.row_mut(row).iter_mut().zip(&direction).for_each(|(entry, unit)| *entry -= part * unit);
            }
            chosen.push(candidates[i]);
        }
        chosen
    }

    /// (RᵀW²R)⁻¹RᵀW² for the rows `dofs`: r × dofs. They must be able to hold the structure.
    pub fn left_inverse(&self, dofs: &[usize]) -> Mat<f64> {
        let rows = self.rows(dofs);
        let weighted = Mat::from_fn(dofs.len(), rows.ncols(), |i, k| rows[(i, k)] * self.weights[dofs[i]].powi(2));
        inverse_times((weighted.transpose() * &rows).as_ref(), weighted.transpose())
    }
}

/// A⁻¹·B for a small positive definite A.
pub fn inverse_times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    use faer::linalg::solvers::Solve;
    // LU with pivoting, which also works if A is nearly singular.
    a.full_piv_lu().solve(b)
}

/// Combinations of the columns of `motions` that are orthonormal in `mass` (Gram matrix factorised twice).
pub fn orthonormal(motions: &Mat<f64>, mass: &super::sparse::SparseSymmetric) -> Mat<f64> {
    use faer::linalg::solvers::Llt;
    let mut basis = motions.clone();
    for _ in 0..2 {
        let gram = basis.transpose() * mass.multiply(basis.as_ref());
        let Ok(factor) = Llt::new(gram.as_ref(), faer::Side::Lower) else { return basis };
        let lower = factor.L().to_owned();
        // B ← B·L⁻ᵀ, column by column.
        for k in 0..basis.ncols() {
            for j in 0..k {
                let part = lower[(k, j)];
                let earlier = basis.col(j).to_owned();
                basis.col_mut(k).iter_mut().zip(earlier.iter()).for_each(|(entry, other)| *entry -= part * other);
            }
            let pivot = lower[(k, k)];
            basis.col_mut(k).iter_mut().for_each(|entry| *entry /= pivot);
        }
    }
    basis
}
