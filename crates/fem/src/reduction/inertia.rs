//! Integrals of the mass distribution for the terms of higher order in the deformation.
//!
//! They need a mass that rotates with the body. Structures of trusses and solids have such a mass: one scalar mass m
//! between nodes for x, y and z (nodes × nodes). The mass of beams and of elements with rotary inertia consists of
//! points and offsets ([`crate::element::MassPoint`]). Their displacement follows the shape functions. So mass matrix,
//! momenta, centrifugal loads and all integrals here describe one mass, and ∫ Φ_aᵀ Φ_a dm over the three axes is M.
//!
//! Finite rotation. An offset e of the weight s moves by u₂ = ½ θ × (θ × e) too. As stiffening by internal forces does,
//! that adds −ηᵀ K_ω η to the inertia and η̇ᵀ K_r η to the angular momentum (`dynamics::flexible` of the solver):
//!
//! ```text
//!     Y_ab = Σ s e_a u₂_b = Σ ½ s (e_a θ_b (e · θ) − e_a e_b θ · θ)
//!     K_ω,aa = −2 (tr Y − Y_aa)      K_ω,ab = 2 (Y_ab + Y_ba)      K_r = Σ ½ s ((e × θ) (e · θ)ᵀ + (e · θ) (e × θ)ᵀ)
//! ```
//!
//! Momentum and the mass matrix do not change: offsets have no first moment, and η̇ᵀ η̇ is already of second order.

use super::Refusal;
use super::residual::centrifugal;
use crate::element::MassPoint;
use crate::internal_force_rows::turning;
use crate::model::{Dimension, FiniteElementModel, PRODUCTS, directions};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::elastic_modes::pack;
use ballesta::rom::rom_schema::{Inertia, MassModel, Packed, Rigid, Rotary};
use faer::Mat;
use nalgebra::{DMatrix, Matrix3x4, Matrix4, SMatrix};

/// The integrals for a basis T (n × N).
pub(super) fn integrals(model: &FiniteElementModel, basis: &Mat<f64>) -> Inertia {
    let nodes = model.nodes.len();
    let none = SparseSymmetric::from_half(nodes, &[]);
    let mass = if model.points_only { &none } else { &model.covariant_mass };
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
    let mut inertia = Inertia {
        mass_model: model.mass_model,
        covariance: model.covariance,
        first: std::array::from_fn(|a| first[(0, a)]),
        second: [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|(a, b)| second[(a, b)]),
        translation: (0..3).map(|b| row(one.transpose() * &weighted[b])).collect(),
        position: (0..9).map(|ab| row(position.subcols(ab / 3, 1).transpose() * &weighted[ab % 3])).collect(),
        square: (0..3).map(|a| packed(field[a].transpose() * &weighted[a])).collect(),
        product: [(0, 1), (1, 2), (2, 0)].map(|(a, b)| rows(field[a].transpose() * &weighted[b])).to_vec(),
        rotary: None,
    };
    if model.points().next().is_some() {
        Points { model, motion: &motion }.add_to(&mut inertia);
    }
    inertia
}

type Form = SMatrix<f64, 12, 12>;

/// Points and offsets, with the motion of all directions of nodes over the basis.
struct Points<'a> {
    model: &'a FiniteElementModel,
    motion: &'a Mat<f64>,
}

impl Points<'_> {
    fn add_to(&self, inertia: &mut Inertia) {
        let moments: Matrix4<f64> =
            self.model.points().flatten().map(|point| point.place * point.place.transpose() * point.weight).sum();
        (0..3).for_each(|a| inertia.first[a] += moments[(a, 3)]);
        PRODUCTS.iter().zip(&mut inertia.second).for_each(|(&(a, b), second)| *second += moments[(a, b)]);
        let loads = place_loads(self.model).transpose() * self.motion;
        let add = |row: &mut Vec<f64>, from: usize| {
            row.iter_mut().enumerate().for_each(|(q, entry)| *entry += loads[(from, q)]);
        };
        inertia.translation.iter_mut().enumerate().for_each(|(b, row)| add(row, 9 + b));
        inertia.position.iter_mut().enumerate().for_each(|(ab, row)| add(row, ab));
        for (a, square) in inertia.square.iter_mut().enumerate() {
            let own = self.packed(|point| of_axes(point, a, a));
            square.iter_mut().zip(own).for_each(|(square, own)| *square += own);
        }
        for (a, product) in inertia.product.iter_mut().enumerate() {
            let own = self.project(|point| of_axes(point, a, (a + 1) % 3));
            let n = own.nrows();
            product.iter_mut().enumerate().for_each(|(ij, product)| *product += own[(ij / n, ij % n)]);
        }
        if self.model.points().flatten().any(|point| point.is_offset()) {
            inertia.rotary = Some(self.rotary());
        }
    }

    /// The blocks of finite rotation.
    fn rotary(&self) -> Rotary {
        let plane = self.model.dimension == Dimension::Plane;
        let nothing = || vec![0.0; self.motion.ncols() * (self.motion.ncols() + 1) / 2];
        // Offsets in the plane remain in the plane and have no second-order moment about z.
        let turned = |form: &dyn Fn(&Vec3) -> Mat3| {
            self.packed(|point| point.turn.transpose() * form(&point.direction()) * point.turn * point.weight)
        };
        let rotation = |c: usize| if plane { nothing() } else { turned(&|e| angular_momentum(e, c)) };
        let by_spin = |pair: (usize, usize)| turned(&|e| spin(e, pair));
        Rotary { rotation: (0..3).map(rotation).collect(), angular_velocity: PRODUCTS.map(by_spin).to_vec() }
    }

    /// Tᵀ A T of the sum of a form of the points.
    fn project(&self, form: impl Fn(&MassPoint) -> Form) -> Mat<f64> {
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.motion.nrows()];
        for points in self.model.points() {
            let sum: Form = points.iter().map(&form).sum();
            let at = directions(points[0].nodes);
            for (i, j) in (0..144).map(|k| (k / 12, k % 12)).filter(|at| sum[*at] != 0.0) {
                rows[at[i]].push((at[j], sum[(i, j)]));
            }
        }
        let weighted = SparseRows::new(self.motion.nrows(), rows).multiply(self.motion.as_ref());
        self.motion.transpose() * weighted
    }

    /// Packed, for symmetric forms.
    fn packed(&self, form: impl Fn(&MassPoint) -> Form) -> Packed {
        let full = self.project(form);
        let pairs = (0..full.nrows()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        pairs.map(|(i, j)| 0.5 * (full[(i, j)] + full[(j, i)])).collect()
    }
}

/// s Φ_aᵀ Φ_b.
fn of_axes(point: &MassPoint, a: usize, b: usize) -> Form {
    point.motion.row(a).transpose() * point.motion.row(b) * point.weight
}

/// A of θᵀ A θ = (e × θ)_c (e · θ), symmetric: the angular momentum of an offset e about c is η̇ᵀ A η.
fn angular_momentum(e: &Vec3, c: usize) -> Mat3 {
    let product = e.cross_matrix().row(c).transpose() * e.transpose();
    (product + product.transpose()) * 0.5
}

/// A of θᵀ A θ for the product ω_a ω_b of an offset e.
fn spin(e: &Vec3, (a, b): (usize, usize)) -> Mat3 {
    // Y_ab + Y_ba.
    let sum = |a: usize, b: usize| {
        let product = (Vec3::ith(b, e[a]) + Vec3::ith(a, e[b])) * e.transpose();
        (product + product.transpose()) * 0.25 - Mat3::identity() * (e[a] * e[b])
    };
    if a == b { sum(a, a) - (sum(0, 0) + sum(1, 1) + sum(2, 2)) } else { sum(a, b) * 2.0 }
}

/// ∫ p Φ dm over the directions of all nodes, of the points alone: column 3c + b for c = x, y, z, 1 and the axis b.
fn place_loads(model: &FiniteElementModel) -> Mat<f64> {
    let mut loads = Mat::zeros(6 * model.nodes.len(), 12);
    for point in model.points().flatten() {
        for (i, direction) in directions(point.nodes).into_iter().enumerate() {
            for (k, (c, b)) in (0..12).map(|k| (k / 3, k % 3)).enumerate() {
                loads[(direction, k)] += point.weight * point.place[c] * point.motion[(b, i)];
            }
        }
    }
    loads
}

/// Loads ∫ Φᵀ (ω × (ω × x)) dm per product of angular velocities over the degrees of freedom, n × 1 each. They include
/// all points, and the mass matrix if it is equal in all directions.
pub(super) fn centrifugal_loads(model: &FiniteElementModel) -> [Mat<f64>; 6] {
    let loads = model.points().next().is_some().then(|| place_loads(model));
    PRODUCTS.map(|pair| {
        let mut load = match model.points_only {
            true => Mat::zeros(model.size(), 1),
            false => model.mass.multiply(centrifugal(model, pair).as_ref()),
        };
        let w = turning(pair, model.dimension == Dimension::Plane);
        if let Some(loads) = &loads {
            for direction in 0..model.motion.rows() {
                let force: f64 = (0..9).map(|ab| w[(ab % 3, ab / 3)] * loads[(direction, ab)]).sum();
                model.motion.row(direction).for_each(|(dof, factor)| load[(dof, 0)] += factor * force);
            }
        }
        load
    })
}

/// The blocks of finite rotation of a rigid body about its centre of mass, whose rotations are the rows 3 to 5 of
/// `amplitudes`.
fn rotary_of(rigid: &Rigid, amplitudes: &DMatrix<f64>) -> Rotary {
    let [xx, yy, zz, xy, yz, xz] = rigid.inertia;
    let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let eigen = (Mat3::identity() * (0.5 * inertia.trace()) - inertia).symmetric_eigen();
    let turn = amplitudes.rows(3, 3);
    let turned = |form: &dyn Fn(&Vec3) -> Mat3| {
        let offsets = eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter());
        let sum: Mat3 = offsets.map(|(weight, e)| form(&e.into_owned()) * *weight).sum();
        pack(&(turn.transpose() * sum * turn))
    };
    Rotary {
        rotation: (0..3).map(|c| turned(&|e| angular_momentum(e, c))).collect(),
        angular_velocity: PRODUCTS.map(|pair| turned(&|e| spin(e, pair))).to_vec(),
    }
}

/// Integrals of a body whose matrices do not contain the mass distribution, from the rigid motion a + θ × x with the
/// momentum and angular momentum of each coordinate, (a, θ) = (Rᵀ M R)⁻¹ Rᵀ M q. Sums over the mass are exact (∫ Φ dm,
/// ∫ x × Φ dm). The contribution of the elastic motion about the mean axes is neglected.
///
/// `mass`: M, N × N; `motions`: the six rigid motions about the origin of C, N × 6.
///
/// # Errors
/// The mass is not the mass of a body in space.
pub(super) fn of_rigid_motion(rigid: &Rigid, mass: &DMatrix<f64>, motions: &DMatrix<f64>) -> Result<Inertia, Refusal> {
    let momentum = motions.tr_mul(mass);
    let inverse = (&momentum * motions).try_inverse().ok_or_else(|| {
        Refusal::new("matrices.mass", "a rigid motion has zero mass", "give the mass matrix of the whole body")
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
        rotary: Some(rotary_of(rigid, &amplitudes)),
    })
}
