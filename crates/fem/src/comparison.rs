//! Accuracy of a reduced model: free natural frequencies and shapes compared with its structure.

use super::factor::FactorError;
use super::model::FiniteElementModel;
use super::natural::natural_modes;
use super::reduction::Reduction;
use faer::Mat;

/// One mode of the full structure with the most similar mode of the reduced model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Frequency of the full structure, Hz.
    pub full_hz: f64,
    /// Frequency of the reduced model, Hz.
    pub reduced_hz: f64,
    /// Modal assurance criterion (φᵀ M ψ)² / (φᵀ M φ · ψᵀ M ψ) of the two, 0 to 1; modes of one frequency are compared
    /// as a space.
    pub assurance: f64,
}

/// Relative distance of frequencies below which modes are compared as a space.
const CLUSTER_TOLERANCE: f64 = 1e-5;

/// The `count` lowest elastic modes of the free structure, each with the reduced mode of the largest modal assurance
/// criterion.
///
/// # Errors
/// See [`natural_modes`].
pub fn compare(model: &FiniteElementModel, reduction: &Reduction, count: usize) -> Result<Vec<Pair>, FactorError> {
    let reduced = &reduction.elastic.omega;
    let full = natural_modes(model, false, count.min(reduced.len()))?;
    let shapes = shapes(reduction, reduced.len());
    let product = full.shapes.transpose() * model.mass.multiply(shapes.as_ref());
    let frequencies = &full.frequencies_hz;
    let alike = |i: usize, k: usize| (frequencies[i] - frequencies[k]).abs() <= CLUSTER_TOLERANCE * frequencies[i];
    let assurance = |i: usize, j: usize| {
        let cluster = (0..frequencies.len()).filter(|k| alike(i, *k));
        cluster.map(|k| product[(k, j)].powi(2)).sum::<f64>().min(1.0)
    };
    let pair = |i: usize| {
        let all = (0..reduced.len()).map(|j| (assurance(i, j), j));
        // For equal values, as in a cluster, the mode with the same number.
        let near = |j: usize| j.abs_diff(i);
        let better = |a: (f64, usize), b: (f64, usize)| match b.0 - a.0 {
            more if more.abs() < 1e-9 => near(b.1) < near(a.1),
            more => more > 0.0,
        };
        let (assurance, j) = all.reduce(|a, b| if better(a, b) { b } else { a })?;
        Some(Pair { full_hz: frequencies[i], reduced_hz: reduced[j] / std::f64::consts::TAU, assurance })
    };
    Ok((0..frequencies.len()).filter_map(pair).collect())
}

/// The `count` lowest elastic shapes of the free reduced model in the degrees of freedom of the structure, n × count.
pub fn shapes(reduction: &Reduction, count: usize) -> Mat<f64> {
    let elastic = &reduction.elastic.shapes;
    let coefficients = Mat::from_fn(elastic.nrows(), count.min(elastic.ncols()), |i, k| elastic[(i, k)]);
    &reduction.basis * coefficients
}
