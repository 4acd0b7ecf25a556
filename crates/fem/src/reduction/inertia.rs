//! Integrals of the mass distribution for the terms of higher order in the deformation.
//!
//! They need a mass that turns with the body: the same scalar mass m between nodes in x, y and z (nodes × nodes). The
//! Hermite mass of beams is not of that kind (its residual reaches 3 % of its largest entry), and Coriolis, centrifugal
//! and inertia terms made of it contradict each other. First-order quantities are taken from the consistent mass
//! elsewhere; see [`ballesta::rom::schema::Inertia`].

use crate::model::FiniteElementModel;
use ballesta::rom::schema::Inertia;
use faer::Mat;

/// The integrals for a basis T (n × N).
pub(super) fn integrals(model: &FiniteElementModel, basis: &Mat<f64>) -> Inertia {
    let mass = &model.covariant_mass;
    let nodes = model.nodes.len();
    let motion = model.motion.multiply(basis.as_ref());
    // Translations of the nodes along each axis: nodes × N.
    let field: [Mat<f64>; 3] =
        std::array::from_fn(|a| Mat::from_fn(nodes, basis.ncols(), |node, q| motion[(6 * node + a, q)]));
    let position = Mat::from_fn(nodes, 3, |node, a| model.nodes[node].position[a]);
    let one = Mat::from_fn(nodes, 1, |_, _| 1.0);
    let weighted: [Mat<f64>; 3] = std::array::from_fn(|a| mass.multiply(field[a].as_ref()));
    let heavy = mass.multiply(position.as_ref());
    let row = |matrix: Mat<f64>| (0..matrix.ncols()).map(|q| matrix[(0, q)]).collect::<Vec<f64>>();
    let first = one.transpose() * &heavy;
    let second = position.transpose() * &heavy;
    let packed = |matrix: Mat<f64>| {
        let n = matrix.nrows();
        (0..n)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .map(|(i, j)| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
            .collect()
    };
    let rows = |matrix: Mat<f64>| {
        (0..matrix.nrows())
            .flat_map(|i| (0..matrix.ncols()).map(move |j| (i, j)))
            .map(|(i, j)| matrix[(i, j)])
            .collect()
    };
    Inertia {
        mass_model: model.mass_model,
        covariance: model.covariance,
        first: std::array::from_fn(|a| first[(0, a)]),
        second: [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|(a, b)| second[(a, b)]),
        translation: (0..3).map(|b| row(one.transpose() * &weighted[b])).collect(),
        position: (0..9).map(|ab| row(position.subcols(ab / 3, 1).transpose() * &weighted[ab % 3])).collect(),
        square: (0..3).map(|a| packed(field[a].transpose() * &weighted[a])).collect(),
        product: [(0, 1), (1, 2), (2, 0)].map(|(a, b)| rows(field[a].transpose() * &weighted[b])).to_vec(),
    }
}
