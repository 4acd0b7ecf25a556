//! The reduction basis T and the matrices it yields.

use super::internal_modes::FixedModes;
use super::residual::Residual;
use super::{InteriorFactor, Reducer};
use crate::model::{Coupling, Dof, FiniteElementModel};
use crate::rigid::RigidMotions;
use crate::sparse::SparseSymmetric;
use ballesta::math::Vec3;
use ballesta::rom::rom_schema;
use faer::Mat;
use nalgebra::DMatrix;
use std::ops::SubAssign;

/// K̂·R of rigid motions (entries near 1) relative to the largest entry of K̂, below which it is round-off.
const RIGID_FORCE_TOLERANCE: f64 = 1e-12;

/// T and derived matrices.
pub(super) struct Basis {
    /// T, n × N.
    pub shapes: Mat<f64>,
    /// M·T, n × N.
    pub weighted: Mat<f64>,
    /// K̂, N × N, exactly symmetric, exactly zero on rigid motions up to rounding.
    pub stiffness: DMatrix<f64>,
    /// M̂, N × N.
    pub mass: DMatrix<f64>,
    /// ω² of the internal modes, then of the residual vectors.
    pub squares: Vec<f64>,
    /// Number of interface coordinates b.
    pub boundary: usize,
    /// Rigid motions of the interface coordinates, b × r, entries near 1.
    rigid: Mat<f64>,
}

/// Ψ = −K_ii⁻¹ K_ib, corrected to reproduce the rigid motions: interior × boundary.
pub(super) fn constraint_modes(
    model: &FiniteElementModel,
    rigid: &RigidMotions,
    boundary: &[usize],
    interior: &[usize],
    factor: &InteriorFactor<'_>,
) -> Mat<f64> {
    let mut modes = -model.stiffness.block(interior, boundary);
    factor.solve_in_place(modes.as_mut());
    let missing = rigid.rows(interior) - &modes * rigid.rows(boundary);
    modes + missing * rigid.left_inverse(boundary)
}

impl Basis {
    pub fn new(reducer: &Reducer<'_>, constraint: Mat<f64>, modes: &FixedModes, residual: &Residual) -> Basis {
        let (boundary, interior) = (&reducer.boundary, &reducer.interior);
        let b = boundary.len();
        let internal = modes.squares.len();
        let size = b + internal + residual.squares.len();
        let mut shapes: Mat<f64> = Mat::zeros(reducer.model.size(), size);
        for (q, dof) in boundary.iter().enumerate() {
            shapes[(*dof, q)] = 1.0;
        }
        for (i, dof) in interior.iter().enumerate() {
            (0..b).for_each(|q| shapes[(*dof, q)] = constraint[(i, q)]);
            (0..internal).for_each(|q| shapes[(*dof, b + q)] = modes.shapes[(i, q)]);
            (b + internal..size).for_each(|q| shapes[(*dof, q)] = residual.shapes[(i, q - b - internal)]);
        }
        let weighted = reducer.model.mass.multiply(shapes.as_ref());
        let squares = [modes.squares.as_slice(), residual.squares.as_slice()].concat();

        let full = shapes.transpose() * &weighted;
        // Internal modes are orthonormal in M by construction, and computing the product would only add round-off.
        let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
        let mass = DMatrix::from_fn(size, size, |i, j| match i >= b && j >= b {
            true => identity(i, j),
            false => 0.5 * (full[(i, j)] + full[(j, i)]),
        });
        let rigid = reducer.rigid.rows(boundary);
        let condensed = condensed_stiffness(reducer, &shapes, &rigid);
        let stiffness = DMatrix::from_fn(size, size, |i, j| match (i < b, j < b) {
            (true, true) => condensed[(i, j)],
            (false, false) => identity(i, j) * squares[i - b],
            _ => 0.0,
        });
        Basis { shapes, weighted, stiffness, mass, squares, boundary: b, rigid }
    }

    /// Largest entry of K̂·R over the largest of K̂.
    pub fn rigid_stiffness(&self) -> f64 {
        let b = self.boundary;
        let block = self.stiffness.view((0, 0), (b, b));
        let rigid = DMatrix::from_fn(b, self.rigid.ncols(), |i, k| self.rigid[(i, k)]);
        // With one interface its block contains only round-off.
        (block * rigid).amax() / self.stiffness.amax().max(f64::MIN_POSITIVE)
    }

    /// Squares of the participation of each internal mode in unit accelerations along x, y, z and about axes through
    /// `centre`.
    pub fn effective_mass(&self, reducer: &Reducer<'_>, centre: Vec3) -> Vec<[f64; 6]> {
        let motions = reducer.model.rigid_motions(centre);
        let participation = |q: usize, column: usize| -> f64 {
            let terms = reducer.boundary.iter().enumerate().map(|(i, dof)| self.mass[(q, i)] * motions[(*dof, column)]);
            terms.sum()
        };
        let modes = self.boundary..self.mass.nrows();
        modes.map(|q| std::array::from_fn(|column| participation(q, column).powi(2))).collect()
    }

    /// The interfaces as the file names them.
    pub fn interfaces(&self, model: &FiniteElementModel) -> Vec<rom_schema::Interface> {
        let mut first_column = 0;
        let interfaces = model.interfaces.iter().map(|interface| {
            let node = &model.nodes[interface.node];
            let entry = rom_schema::Interface {
                name: interface.name.clone(),
                node: node.name.clone(),
                position: node.position.into(),
                quaternion: interface.quaternion,
                coupling: match interface.coupling {
                    Coupling::Node => rom_schema::Coupling::Node,
                    Coupling::Rigid => rom_schema::Coupling::Rigid,
                    Coupling::Average => rom_schema::Coupling::Average,
                },
                active: interface.dofs.map(|dof| dof.is_some()),
                first_column,
            };
            first_column += interface.dofs.iter().flatten().count();
            entry
        });
        interfaces.collect()
    }
}

/// Ψᵀ K Ψ-type product of the constraint modes, b × b, symmetric, with the round-off in rigid motions removed.
fn condensed_stiffness(reducer: &Reducer<'_>, shapes: &Mat<f64>, rigid: &Mat<f64>) -> Mat<f64> {
    let b = reducer.boundary.len();
    // At the solution the residual of the interior vanishes, so only the boundary rows remain.
    let reaction = reducer.model.stiffness.multiply(shapes.subcols(0, b));
    let block = Mat::from_fn(b, b, |i, j| reaction[(reducer.boundary[i], j)]);
    let symmetric = Mat::from_fn(b, b, |i, j| 0.5 * (block[(i, j)] + block[(j, i)]));
    // An already reduced body without strain in rigid motions keeps its exact values.
    if reducer.model.is_reduced() && (&symmetric * rigid).norm_max() <= RIGID_FORCE_TOLERANCE * symmetric.norm_max() {
        return symmetric;
    }
    let elastic: Mat<f64> = Mat::<f64>::identity(b, b) - rigid * reducer.rigid.left_inverse(&reducer.boundary);
    let cleaned = elastic.transpose() * symmetric * &elastic;
    Mat::from_fn(b, b, |i, j| 0.5 * (cleaned[(i, j)] + cleaned[(j, i)]))
}

/// Sum of the last [`WINDOW`] steps of [`interior_mass`], as a fraction of the result. The remaining error is some 20
/// times this sum for consistent masses of C3D20R, which converge slowly.
const MASS_TOLERANCE: f64 = 1e-8;

/// Residual as a fraction of the first one, squared, below which it is round-off.
const ROUNDING: f64 = 1e-24;

/// Steps over which the convergence of [`interior_mass`] is measured.
const WINDOW: usize = 20;

/// Largest number of steps of [`interior_mass`].
const MAX_MASS_STEPS: usize = 1000;

/// Effective mass of all internal modes together for unit accelerations along x, y, z and about axes through `centre`:
/// the diagonal of Gᵀ M_ii⁻¹ G with G = M_ii R_i + M_ib R_b. The error is at most 1e-6 of the mass or inertia of the
/// whole structure for regular mass matrices. Masses of C3D20R are nearly singular: on a plate with 1e5 degrees of
/// freedom, moments differ by 2e-6 from 400 steps of plain conjugate gradients.
///
/// With r = M_ib R_b it is R_iᵀ (G + r) + rᵀ M_ii⁻¹ r. The last term is about 1e-3 of the whole, so few digits of it
/// are needed. A mass M = m ⊗ I₃ of solids is solved with the matrix m of the nodes.
pub(super) fn interior_mass(reducer: &Reducer<'_>, centre: Vec3) -> [f64; 6] {
    let motions = reducer.model.rigid_motions(centre);
    let image = reducer.model.mass.multiply(motions.as_ref());
    let (interior, mass) = (&reducer.interior, &reducer.mass);
    let load = Mat::from_fn(interior.len(), 6, |i, column| image[(interior[i], column)]);
    let start = Mat::from_fn(interior.len(), 6, |i, column| motions[(interior[i], column)]);
    let rest = &load - mass.multiply(start.as_ref());
    let known: [f64; 6] = std::array::from_fn(|k| start.col(k).transpose() * (load.col(k) + rest.col(k)));
    let targets = known.map(|known| MASS_TOLERANCE * known.abs());
    let Some(of_nodes) = mass_of_nodes(reducer) else {
        let answers = inverse_form(mass, rest, &targets);
        return std::array::from_fn(|k| known[k] + answers[k]);
    };
    // One column for every motion and direction with a load.
    let of_direction = |k: usize, d: usize| (d..interior.len()).step_by(3).map(move |i| (i, k));
    let pairs: Vec<(usize, usize)> = (0..18).map(|j| (j / 3, j % 3)).collect();
    let loaded = |pair: &(usize, usize)| of_direction(pair.0, pair.1).any(|place| rest[place] != 0.0);
    let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(loaded).collect();
    let columns = Mat::from_fn(of_nodes.size(), pairs.len(), |node, j| rest[(3 * node + pairs[j].1, pairs[j].0)]);
    let targets: Vec<f64> = pairs.iter().map(|pair| targets[pair.0] / 3.0).collect();
    let mut sums = known;
    for (pair, answer) in pairs.iter().zip(inverse_form(&of_nodes, columns, &targets)) {
        sums[pair.0] += answer;
    }
    sums
}

/// The mass m of the interior nodes if M_ii = m ⊗ I₃.
fn mass_of_nodes(reducer: &Reducer<'_>) -> Option<SparseSymmetric> {
    let dofs: Vec<_> = reducer.interior.iter().map(|dof| &reducer.model.dofs[*dof]).collect();
    let is_node =
        |triple: &[&Dof]| triple.iter().enumerate().all(|(d, dof)| (dof.node, dof.direction) == (triple[0].node, d));
    let is_solid = reducer.model.mass_model == rom_schema::MassModel::Consistent && dofs.len() % 3 == 0;
    if !is_solid || !dofs.chunks(3).all(is_node) {
        return None;
    }
    Some(reducer.mass.principal(&(0..dofs.len()).step_by(3).collect::<Vec<_>>()))
}

/// rᵀ M⁻¹ r for each column r, by conjugate gradients with the diagonal as preconditioner, until [`WINDOW`] steps of a
/// column add less than its target.
///
/// Each column has its own step lengths; the matrix is read once for all columns. Masses of elements with reduced
/// integration are singular; their loads are in the range of M. Directions without mass remain zero. A step of length α
/// adds α ρ with ρ = rᵀ D⁻¹ r to the result, which is accurate to the square of the error of the solution. Source: Z.
/// Strakoš, P. Tichý, Electronic Transactions on Numerical Analysis 13 (2002) 56-80.
fn inverse_form(mass: &SparseSymmetric, mut r: Mat<f64>, targets: &[f64]) -> Vec<f64> {
    let inverse: Vec<f64> = mass.diagonal().iter().map(|entry| if *entry > 0.0 { 1.0 / entry } else { 0.0 }).collect();
    let scaled = |r: &Mat<f64>| Mat::from_fn(r.nrows(), r.ncols(), |i, k| inverse[i] * r[(i, k)]);
    let products =
        |a: &Mat<f64>, b: &Mat<f64>| -> Vec<f64> { (0..a.ncols()).map(|k| a.col(k).transpose() * b.col(k)).collect() };
    let mut z = scaled(&r);
    let mut p = z.clone();
    let mut rho = products(&r, &z);
    let mut sums = vec![0.0; r.ncols()];
    let first = rho.clone();
    let mut history: Vec<Vec<f64>> = Vec::new();
    for step in 0..MAX_MASS_STEPS {
        // Converged columns stop, so that round-off cannot divide by zero.
        let has_converged = |k: usize| step >= WINDOW && sums[k] - history[step - WINDOW][k] <= targets[k];
        let is_exact = |k: usize| !(rho[k] > ROUNDING * first[k]);
        let open: Vec<usize> = (0..rho.len()).filter(|k| !is_exact(*k) && !has_converged(*k)).collect();
        history.push(sums.clone());
        if open.is_empty() {
            break;
        }
        let image = mass.multiply(p.as_ref());
        let curvature = products(&p, &image);
        for k in &open {
            let step = rho[*k] / curvature[*k];
            sums[*k] += step * rho[*k];
            r.col_mut(*k).sub_assign(faer::Scale(step) * image.col(*k));
        }
        z = scaled(&r);
        let next = products(&r, &z);
        // The new direction is conjugate to the previous one.
        for k in open {
            let direction = z.col(k) + faer::Scale(next[k] / rho[k]) * p.col(k);
            p.col_mut(k).copy_from(&direction);
            rho[k] = next[k];
        }
    }
    sums
}
