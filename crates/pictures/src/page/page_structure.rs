//! Mode shapes of a structure for the page.

use super::page_shapes::{Nodes, of_nodes};
use ballesta::math::Vec3;
use ballesta_fem::drawing::Drawing;
use ballesta_fem::element::Element;
use ballesta_fem::model::{DIRECTIONS, Dimension, FiniteElementModel, Interface};
use faer::Mat;
use std::collections::BTreeMap;

/// Symbols of a structure: interfaces, supports, point masses.
fn signs(model: &FiniteElementModel) -> Vec<(usize, &'static str, String, String)> {
    let of_interface =
        |interface: &Interface| (interface.node, "interface", interface.name.clone(), "interface".to_string());
    let mut signs: Vec<_> = model.interfaces.iter().map(of_interface).collect();
    let mut supports: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for dof in model.supports.iter().map(|row| model.dofs[*row]) {
        supports.entry(dof.node).or_default().push(DIRECTIONS[dof.direction]);
    }
    for (node, directions) in supports {
        signs.push((node, "support", model.nodes[node].name.clone(), format!("support: {}", directions.join(", "))));
    }
    for element in &model.elements {
        if let Element::Mass(mass) = element {
            signs.push((mass.node, "mass", model.nodes[mass.node].name.clone(), "point mass".into()));
        }
    }
    signs
}

/// The directions of a mode by their fractions of its kinetic energy, in percent. If the supports prevent rigid motion,
/// also its effective masses (rᵀMφ)²/(φᵀMφ) as fractions of the mass rᵀMr, for r of a translation. `shape`: DoFs × 1.
fn kind_of_motion(model: &FiniteElementModel, shape: &Mat<f64>) -> String {
    // φᵀMφ is the reference for all fractions.
    let momentum = model.mass.multiply(shape.as_ref());
    let energy: f64 = (0..model.size()).map(|i| shape[(i, 0)] * momentum[(i, 0)]).sum();
    if energy <= 0.0 {
        return String::new();
    }
    // Fractions of the kinetic energy by direction.
    let mut shares = [0.0; 7];
    for (i, dof) in model.dofs.iter().enumerate() {
        shares[dof.direction] += shape[(i, 0)] * momentum[(i, 0)] / energy;
    }
    let percent = |part: f64| (100.0 * part).round();
    // Large fractions first; small ones are omitted.
    let list = |parts: &[f64], from: f64| -> Vec<String> {
        let mut order: Vec<usize> = (0..parts.len()).filter(|k| percent(parts[*k]) >= from).collect();
        order.sort_by(|a, b| parts[*b].total_cmp(&parts[*a]));
        let word = |k: usize| DIRECTIONS.get(k).unwrap_or(&"modal coordinates");
        order.into_iter().map(|k| format!("{} {} %", word(k), percent(parts[k]))).collect()
    };
    let mut words = format!("kinetic energy: {}", list(&shares, 5.0).join(", "));
    // Effective masses for rigid translations.
    let rigid = model.rigid_motions(Vec3::zeros());
    let weight = model.mass.multiply(rigid.as_ref());
    let effective = |k: usize| {
        let participation = |vector: &Mat<f64>, column: usize| -> f64 {
            (0..model.size()).map(|i| vector[(i, column)] * weight[(i, k)]).sum()
        };
        let mass = participation(&rigid, k);
        if mass > 0.0 { participation(shape, 0).powi(2) / energy / mass } else { 0.0 }
    };
    let effective = list(&[0, 1, 2].map(effective), 1.0);
    if !effective.is_empty() {
        words += &format!("\neffective mass: {}", effective.join(", "));
    }
    words
}

/// The page of a structure with its shapes (DoFs × modes).
pub fn page(model: &FiniteElementModel, note: &str, shapes: &Mat<f64>, frequencies_hz: &[f64]) -> String {
    let nodes = model.nodes.len();
    let count = shapes.ncols().min(frequencies_hz.len());
    let of_mode = |mode: usize| {
        let motion = model.motion.multiply(shapes.subcols(mode, 1));
        (0..nodes).map(|node| std::array::from_fn(|k| motion[(6 * node + k, 0)])).collect()
    };
    let up = if model.dimension == Dimension::Plane { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
    of_nodes(Nodes {
        name: model.name.clone(),
        note: note.to_string(),
        up,
        names: model.nodes.iter().map(|node| node.name.clone()).collect(),
        places: model.nodes.iter().map(|node| node.position).collect(),
        edges: Drawing::new(model).pairs(),
        shapes: (0..count).map(of_mode).collect(),
        frequencies_hz: frequencies_hz.to_vec(),
        words: (0..count).map(|mode| kind_of_motion(model, &shapes.subcols(mode, 1).to_owned())).collect(),
        signs: signs(model),
    })
}
