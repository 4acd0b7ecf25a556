//! Integrals of the mass distribution for the terms of higher order in the deformation.
//!
//! They need a mass that turns with the body: the same scalar mass m between nodes in x, y and z (nodes × nodes). The
//! Hermite mass of beams is not of that kind (its residual reaches 3 % of its largest entry), and Coriolis, centrifugal
//! and inertia terms made of it contradict each other. First-order quantities are taken from the consistent mass
//! elsewhere; see [`ballesta::rom::schema::Inertia`].

use super::Refusal;
use crate::model::{FiniteElementModel, PRODUCTS};
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::modes::pack;
use ballesta::rom::schema::{Inertia, MassModel, Rigid};
use faer::Mat;
use nalgebra::{DMatrix, Matrix3x4, Matrix4};

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

/// The same integrals of a body whose matrices do not say where its mass is: those of the rigid motion a + θ × x with
/// the momentum and angular momentum of each coordinate, (a, θ) = (Rᵀ M R)⁻¹ Rᵀ M q. Sums over the mass are exact
/// (∫ Φ dm, ∫ x × Φ dm); what the elastic motion about the mean axes adds is left out.
///
/// `mass`: M, N × N; `motions`: the six rigid motions about the origin of C, N × 6.
///
/// # Errors
/// A mass that is none of a body in space.
pub(super) fn of_rigid_motion(rigid: &Rigid, mass: &DMatrix<f64>, motions: &DMatrix<f64>) -> Result<Inertia, Refusal> {
    let momentum = motions.tr_mul(mass);
    let inverse = (&momentum * motions).try_inverse().ok_or_else(|| {
        Refusal::new("matrices.mass", "a rigid motion has no mass", "give the mass matrix of the whole body")
    })?;
    let amplitudes = inverse * momentum;
    let centre = Vec3::from(rigid.centre);
    let [xx, yy, zz, xy, yz, xz] = rigid.inertia;
    let skew = centre.cross_matrix();
    let about_origin = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) - rigid.mass * skew * skew;
    let second = Mat3::identity() * (0.5 * about_origin.trace()) - about_origin;
    // ∫ (x, 1)(x, 1)ᵀ dm, and the field [θ× | a] (x, 1) of each coordinate.
    let mut moments = Matrix4::zeros();
    moments.fixed_view_mut::<3, 3>(0, 0).copy_from(&second);
    let first = centre * rigid.mass;
    moments.fixed_view_mut::<3, 1>(0, 3).copy_from(&first);
    moments.fixed_view_mut::<1, 3>(3, 0).copy_from(&first.transpose());
    moments[(3, 3)] = rigid.mass;
    let size = mass.nrows();
    let field = |q: usize| {
        let part = |from: usize| Vec3::from_fn(|a, _| amplitudes[(from + a, q)]);
        let mut field = Matrix3x4::zeros();
        field.fixed_view_mut::<3, 3>(0, 0).copy_from(&part(3).cross_matrix());
        field.set_column(3, &part(0));
        field
    };
    let fields: Vec<Matrix3x4<f64>> = (0..size).map(field).collect();
    let weighted: Vec<_> = fields.iter().map(|field| moments * field.transpose()).collect();
    let row = |a: usize, b: usize| weighted.iter().map(|field| field[(a, b)]).collect::<Vec<f64>>();
    let entry = |i: usize, j: usize, a: usize, b: usize| fields[i].row(a).transpose().dot(&weighted[j].column(b));
    let square = |a: usize| pack(&DMatrix::from_fn(size, size, |i, j| entry(i, j, a, a)));
    let product =
        |(a, b): (usize, usize)| (0..size * size).map(|ij| entry(ij / size, ij % size, a, b)).collect::<Vec<f64>>();
    Ok(Inertia {
        mass_model: MassModel::Rigid,
        covariance: 0.0,
        first: first.into(),
        second: PRODUCTS.map(|(a, b)| second[(a, b)]),
        translation: (0..3).map(|b| row(3, b)).collect(),
        position: (0..9).map(|ab| row(ab / 3, ab % 3)).collect(),
        square: (0..3).map(square).collect(),
        product: [(0, 1), (1, 2), (2, 0)].map(product).to_vec(),
    })
}
