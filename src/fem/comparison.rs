//! How well a reduced model stands for its structure: free natural frequencies and shapes of both.

use super::element::Element;
use super::factor::FactorError;
use super::model::{FiniteElementModel, directions};
use super::natural::natural_modes;
use super::reduction::Reduction;
use crate::math::Vec3;
use faer::{Mat, MatRef};
use nalgebra::SVector;

/// One mode of the full structure beside the mode of the reduced one that resembles it most.
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

/// The `count` lowest elastic modes of the free structure, each beside the reduced mode with the greatest assurance.
///
/// # Errors
/// See [`natural_modes`].
pub fn compare(model: &FiniteElementModel, reduction: &Reduction, count: usize) -> Result<Vec<Pair>, FactorError> {
    let reduced = &reduction.elastic.omega;
    let full = natural_modes(model, false, count.min(reduced.len()))?;
    let shapes = shapes(reduction, reduced.len());
    let product = full.shapes.transpose() * model.mass.multiply(shapes.as_ref());
    let frequencies = &full.frequencies_hz;
    let alike = |i: usize, k: usize| (frequencies[i] - frequencies[k]).abs() <= CLUSTER * frequencies[i];
    let assurance = |i: usize, j: usize| {
        let cluster = (0..frequencies.len()).filter(|k| alike(i, *k));
        cluster.map(|k| product[(k, j)].powi(2)).sum::<f64>().min(1.0)
    };
    let pair = |i: usize| {
        let all = (0..reduced.len()).map(|j| (assurance(i, j), j));
        // Of two that are alike, as in a cluster, the one of the same number.
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
