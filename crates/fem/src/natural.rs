//! Natural modes of a whole structure: free, or held by its supports.
//!
//! Problem: K φ = ω² M φ over the n degrees of freedom without supports. Remaining rigid motions are constrained
//! statically determinate and projected out of the shapes. On the remaining space K has an inverse, and no shift
//! degrades the low frequencies.

use super::factor::{Analysis, FactorError};
use super::lanczos::{self, Complete};
use super::model::FiniteElementModel;
use super::rigid::{RigidMotions, orthonormal};
use super::sparse::SparseSymmetric;
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};
use std::cell::RefCell;

/// Smallest squared length, per support and one more, of the weighted rows of a rigid motion (unit combination, entries
/// near 1) in the supports that prevents the motion. One support direction along a motion gives about 1. The
/// eigenvalues of the Gram matrix are accurate to about 1e-16 times the number of supports. The square root is
/// `DEPENDENT` of `rigid`, so both use the same criterion.
const SUPPORT_TOLERANCE: f64 = 1e-12;

/// Modes of a structure.
#[derive(Clone, Debug)]
pub struct NaturalModes {
    /// Number of rigid motions that the supports leave free.
    pub rigid: usize,
    /// Natural frequencies in Hz without the rigid motions, ascending.
    pub frequencies_hz: Vec<f64>,
    /// Shapes of the n degrees of freedom (zero if supported), n × k, orthonormal in M.
    pub shapes: Mat<f64>,
}

/// The `count` lowest modes, free (`supported` false) or with the supports of the structure.
///
/// # Errors
/// A degree of freedom without stiffness although no rigid motion is free; a structure that is too large; modes that
/// were counted but not found.
pub fn natural_modes(model: &FiniteElementModel, supported: bool, count: usize) -> Result<NaturalModes, FactorError> {
    let size = model.size();
    let supports: &[usize] = if supported { &model.supports } else { &[] };
    let free: Vec<usize> = (0..size).filter(|dof| !supports.contains(dof)).collect();
    let rigid = RigidMotions::new(model);
    let left = compatible(&rigid, supports);
    // Without supports, no copy of the matrices is needed.
    let free_block = |matrix: &'_ SparseSymmetric| matrix.principal(&free);
    let copies = (!supports.is_empty()).then(|| (free_block(&model.mass), free_block(&model.stiffness)));
    let (mass, stiffness) =
        copies.as_ref().map_or((&model.mass, &model.stiffness), |(mass, stiffness)| (mass, stiffness));
    let motions = orthonormal(&(rigid.rows(&free) * &left), mass);
    let held = held_rows(&rigid, &free, &left);
    let kept: Vec<usize> = (0..free.len()).filter(|row| !held.contains(row)).collect();
    let groups: Vec<usize> = kept.iter().map(|row| model.dofs[free[*row]].node).collect();
    let name = |error| match error {
        FactorError::Singular(row) => FactorError::Singular(free[kept[row]]),
        other => other,
    };
    let block = stiffness.principal(&kept);
    let analysis = Analysis::new(&block, &groups).map_err(name)?;
    // Released during the count, which needs the memory for another factor.
    let factor = RefCell::new(Some(analysis.cholesky(&block).map_err(name)?));
    drop(block);
    let flexibility = |mut x: faer::MatMut<'_, f64>| {
        let mut inner = Mat::from_fn(kept.len(), x.ncols(), |i, k| x[(kept[i], k)]);
        let again = || analysis.cholesky(&stiffness.principal(&kept)).expect("the same matrix was factorised before");
        factor.borrow_mut().get_or_insert_with(again).solve_in_place(inner.as_mut());
        x.fill(0.0);
        for k in 0..inner.ncols() {
            kept.iter().enumerate().for_each(|(i, row)| x[(*row, k)] = inner[(i, k)]);
        }
    };
    let search = |wanted, start| lanczos::lowest(&flexibility, mass, wanted, Some(&motions), start);
    // Including the free rigid motions, which are below every limit.
    let shifted = |limit: f64| stiffness.plus(-limit, mass);
    let places: Vec<usize> = free.iter().map(|dof| model.dofs[*dof].node).collect();
    let counting = Analysis::new(&shifted(0.0), &places).map_err(name)?;
    let below = |limit: f64| {
        factor.take();
        counting.negative_eigenvalues(&shifted(limit))?.checked_sub(left.ncols())
    };
    let Complete { pairs, kept } = lanczos::complete(&search, &below, count, 0).map_err(FactorError::Missed)?;
    let values = &pairs.values[..kept.min(count)];
    let mut all: Mat<f64> = Mat::zeros(size, values.len());
    for k in 0..values.len() {
        free.iter().enumerate().for_each(|(i, dof)| all[(*dof, k)] = pairs.shapes[(i, k)]);
    }
    let frequencies_hz = values.iter().map(|value| value.sqrt() / std::f64::consts::TAU).collect();
    Ok(NaturalModes { rigid: left.ncols(), frequencies_hz, shapes: all })
}

/// Combinations (r × s) of the rigid motions that vanish at the supports.
fn compatible(rigid: &RigidMotions, supports: &[usize]) -> Mat<f64> {
    let motions = rigid.motions.ncols();
    let mut rows = rigid.rows(supports);
    for (i, dof) in supports.iter().enumerate() {
        rows.row_mut(i).iter_mut().for_each(|entry| *entry *= rigid.weights[*dof]);
    }
    let gram = rows.transpose() * &rows;
    let eigen = SelfAdjointEigen::new(gram.as_ref(), Side::Lower).expect("finite numbers have eigenvalues");
    let free: Vec<usize> =
        (0..motions).filter(|i| eigen.S()[*i] < SUPPORT_TOLERANCE * (1 + supports.len()) as f64).collect();
    Mat::from_fn(motions, free.len(), |i, k| eigen.U()[(i, free[k])])
}

/// Rows of `free` that fix the motions `left` without stress.
fn held_rows(rigid: &RigidMotions, free: &[usize], left: &Mat<f64>) -> Vec<usize> {
    let scaled = RigidMotions { motions: &rigid.motions * left, ..rigid.clone() };
    let chosen = scaled.determinate(free, 0);
    chosen.iter().filter_map(|dof| free.binary_search(dof).ok()).collect()
}
