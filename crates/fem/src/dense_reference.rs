//! Dense solutions of small structures for tests.

use super::model::FiniteElementModel;
use super::sparse::SparseSymmetric;
use super::structure::{build, parse};
use ballesta::math::larger;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::Solve;
use faer::{Mat, Par, Side};

/// Model from the text of a structure.
pub fn model(text: &str) -> FiniteElementModel {
    let structure = parse(text, "structure.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    build(&structure).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// All entries.
pub fn dense(matrix: &SparseSymmetric) -> Mat<f64> {
    let all: Vec<usize> = (0..matrix.size()).collect();
    matrix.block(&all, &all)
}

/// Degrees of freedom that are not in `held`.
pub fn free(model: &FiniteElementModel, held: &[usize]) -> Vec<usize> {
    (0..model.size()).filter(|dof| !held.contains(dof)).collect()
}

/// Row of a direction of a named node.
pub fn dof(model: &FiniteElementModel, node: &str, direction: usize) -> usize {
    let found = model.dofs.iter().position(|dof| model.nodes[dof.node].name == node && dof.direction == direction);
    found.unwrap_or_else(|| panic!("node {node} has no direction {direction}"))
}

/// Eigenvalues λ of A x = λ B x, B positive definite, ascending.
pub fn eigenvalues(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    // Scaled to a unit diagonal of B, so that units do not cost digits.
    let n = a.nrows();
    let scale: Vec<f64> = (0..n).map(|i| b[(i, i)].sqrt()).collect();
    let scaled = |m: &Mat<f64>| Mat::from_fn(n, n, |i, j| m[(i, j)] / (scale[i] * scale[j]));
    let factor = scaled(b).llt(Side::Lower).expect("positive definite");
    let mut c = scaled(a);
    solve_lower_triangular_in_place(factor.L(), c.as_mut(), Par::Seq);
    let mut c = c.transpose().to_owned();
    solve_lower_triangular_in_place(factor.L(), c.as_mut(), Par::Seq);
    let c = Mat::from_fn(n, n, |i, j| 0.5 * (c[(i, j)] + c[(j, i)]));
    c.self_adjoint_eigenvalues(Side::Lower).expect("converges")
}

/// Natural frequencies in Hz with some degrees of freedom held.
pub fn frequencies(model: &FiniteElementModel, held: &[usize]) -> Vec<f64> {
    let free = free(model, held);
    let values = eigenvalues(&model.stiffness.block(&free, &free), &model.mass.block(&free, &free));
    values.into_iter().map(|value| value.max(0.0).sqrt() / std::f64::consts::TAU).collect()
}

/// Displacement (n × 1) under forces (degree of freedom, value) with some degrees of freedom held.
pub fn displacement(model: &FiniteElementModel, held: &[usize], forces: &[(usize, f64)]) -> Mat<f64> {
    let free = free(model, held);
    let mut force = Mat::zeros(model.size(), 1);
    forces.iter().for_each(|(dof, value)| force[(*dof, 0)] += value);
    let right = Mat::from_fn(free.len(), 1, |i, _| force[(free[i], 0)]);
    let solution = model.stiffness.block(&free, &free).llt(Side::Lower).expect("held").solve(&right);
    let mut u = Mat::zeros(model.size(), 1);
    free.iter().enumerate().for_each(|(i, dof)| u[(*dof, 0)] = solution[(i, 0)]);
    u
}

/// Largest relative difference of two lists, relative to each number.
pub fn difference(found: &[f64], wanted: &[f64]) -> f64 {
    assert!(found.len() >= wanted.len(), "{found:?}");
    found.iter().zip(wanted).fold(0.0, |most, (a, b)| larger(most, (a - b).abs() / b.abs()))
}
