//! How well a reduced model stands for its structure: free natural frequencies and shapes of both.

use super::element::Element;
use super::factor::FactorError;
use super::model::{FiniteElementModel, directions};
use super::natural::natural_modes;
use super::reduction::Reduction;
use crate::math::Vec3;
use faer::{Mat, MatRef};
use nalgebra::SVector;

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

/// Straight pieces in which an element is drawn.
const SEGMENTS: usize = 4;

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

/// The structure displaced by `scale` times a shape (n × 1): one line of points per member, in C, m; beams are bent as their shape
/// functions say. Of a structure whose elements are not known, each node is a line of one point.
pub fn drawing(model: &FiniteElementModel, shape: MatRef<'_, f64>, scale: f64) -> Vec<Vec<Vec3>> {
    let motion = model.motion.multiply(shape);
    let moved = |node: usize| model.nodes[node].position + scale * Vec3::from_fn(|a, _| motion[(6 * node + a, 0)]);
    if model.elements.is_empty() {
        return (0..model.nodes.len()).map(|node| vec![moved(node)]).collect();
    }
    let member = |element: &Element| match element {
        Element::Line(line) => {
            let [from, to] = line.nodes.map(|node| model.nodes[node].position);
            let ends = directions(line.nodes);
            let own = line.rotation() * SVector::<f64, 12>::from_fn(|i, _| motion[(ends[i], 0)]);
            let point = |i: usize| {
                let xi = i as f64 / SEGMENTS as f64;
                let displacement = line.shape(xi) * own;
                from + xi * (to - from) + scale * (line.axes * displacement.fixed_rows::<3>(0))
            };
            Some((0..=SEGMENTS).map(point).collect())
        }
        Element::Spring(spring) => Some(spring.nodes.map(moved).to_vec()),
        Element::Mass(_) => None,
    };
    model.elements.iter().filter_map(member).collect()
}

/// Largest displacement of a node in a shape (n × 1), m.
pub fn largest_displacement(model: &FiniteElementModel, shape: MatRef<'_, f64>) -> f64 {
    let motion = model.motion.multiply(shape);
    let length = |node: usize| Vec3::from_fn(|a, _| motion[(6 * node + a, 0)]).norm();
    (0..model.nodes.len()).map(length).fold(0.0, f64::max)
}
