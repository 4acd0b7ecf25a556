//! How well a reduced model stands for its structure: free natural frequencies and shapes of both.

use super::factor::FactorError;
use super::model::FiniteElementModel;
use super::natural::natural_modes;
use super::reduction::Reduction;
use faer::{Mat, MatRef};

/// One mode of the full structure beside the nearest of the reduced one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Frequency of the full structure, Hz.
    pub full_hz: f64,
    /// Frequency of the reduced model, Hz.
    pub reduced_hz: f64,
    /// Modal assurance criterion (φᵀ M ψ)² / (φᵀ M φ · ψᵀ M ψ) of the two, 0 to 1; modes of one frequency are compared as a space.
    pub assurance: f64,
}

/// Relative distance of frequencies below which modes are compared as a space.
const CLUSTER: f64 = 1e-5;

/// The `count` lowest elastic modes of the free structure beside those of the reduced model, by order.
///
/// # Errors
/// See [`natural_modes`].
pub fn compare(model: &FiniteElementModel, reduction: &Reduction, count: usize) -> Result<Vec<Pair>, FactorError> {
    let reduced = &reduction.elastic.omega;
    let count = count.min(reduced.len());
    let full = natural_modes(model, false, count)?;
    let shapes = shapes(reduction, count);
    let product = full.shapes.transpose() * model.mass.multiply(shapes.as_ref());
    let near = |a: f64, b: f64| (a - b).abs() <= CLUSTER * b;
    let pair = |i: usize| {
        let squares = (0..count).filter(|j| near(full.frequencies_hz[*j], full.frequencies_hz[i]));
        Pair {
            full_hz: full.frequencies_hz[i],
            reduced_hz: reduced[i] / std::f64::consts::TAU,
            assurance: squares.map(|j| product[(j, i)].powi(2)).sum::<f64>().min(1.0),
        }
    };
    Ok((0..full.frequencies_hz.len()).map(pair).collect())
}

/// The `count` lowest elastic shapes of the free reduced model in the degrees of freedom of the structure, n × count.
pub fn shapes(reduction: &Reduction, count: usize) -> Mat<f64> {
    let elastic = &reduction.elastic.shapes;
    let coefficients = Mat::from_fn(elastic.nrows(), count.min(elastic.ncols()), |i, k| elastic[(i, k)]);
    &reduction.basis * coefficients
}

/// Displacement of all nodes in m per unit of a shape (n × 1): three numbers per node.
pub fn displacements(model: &FiniteElementModel, shape: MatRef<'_, f64>) -> Vec<crate::math::Vec3> {
    let motion = model.motion.multiply(shape);
    (0..model.nodes.len()).map(|node| crate::math::Vec3::from_fn(|a, _| motion[(6 * node + a, 0)])).collect()
}
