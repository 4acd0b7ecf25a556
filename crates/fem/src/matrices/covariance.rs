//! Isotropy of a mass matrix, and the isotropic mass between nodes.
//!
//! With G_a = blockdiag(skew(e_a)) over the translations and over the rotations of each node, a mass that does not
//! change when all nodes turn about a satisfies G_aᵀM + M G_a = 0. Terms of second order in the deformation (inertia
//! that changes with the shape, Coriolis and centrifugal forces) conserve energy only for such a mass. Solid elements
//! have it: M = M_t ⊗ I₃. Beams and shells do not, because their axial and transverse shape functions differ. For them
//! the translational rows are summed at the nodes, mᵢ, and scaled by a + b·xᵢ, so that total mass and centre of mass
//! match M.

use crate::element::{MassPoint, offsets};
use crate::model::{Dimension, FiniteElementModel};
use crate::sparse::SparseSymmetric;
use ballesta::math::{Mat3, Vec3};
use ballesta::rom::rom_schema::MassModel;
use nalgebra::{Matrix4, SMatrix, Vector4};

/// Largest difference of the blocks of M_t ⊗ I₃, relative to the largest entry of M.
const COVARIANCE_TOLERANCE: f64 = 1e-12;

/// Degree of freedom of each node and direction.
fn dof_table(model: &FiniteElementModel) -> Vec<[Option<usize>; 6]> {
    let mut table = vec![[None; 6]; model.nodes.len()];
    for (i, dof) in model.dofs.iter().enumerate() {
        table[dof.node][dof.direction] = Some(i);
    }
    table
}

/// Largest entry of G_aᵀM + M G_a over the largest of M, for the rotations of the structure.
pub fn residual(model: &FiniteElementModel) -> f64 {
    let table = dof_table(model);
    let axes: &[usize] = if model.dimension == Dimension::Plane { &[2] } else { &[0, 1, 2] };
    let mut column = vec![0.0; model.size()];
    let mut worst = 0.0_f64;
    for &axis in axes {
        // e_axis × e_d = sign · e_other.
        let turned = |dof: usize| {
            let (node, direction) = (model.dofs[dof].node, model.dofs[dof].direction);
            let (first, kind) = ((axis + 1) % 3, direction / 3 * 3);
            let (sign, other) = match direction % 3 {
                d if d == axis => return None,
                d if d == first => (1.0, (axis + 2) % 3),
                _ => (-1.0, first),
            };
            table[node][kind + other].map(|other| (sign, other))
        };
        for j in 0..model.size() {
            let mut touched = Vec::new();
            let mut add = |row: usize, value: f64| {
                column[row] += value;
                touched.push(row);
            };
            if let Some((sign, other)) = turned(j) {
                model.mass.column(other).for_each(|(row, value)| add(row, sign * value));
            }
            // G is antisymmetric: GᵀM = −G M.
            for (i, value) in model.mass.column(j) {
                if let Some((sign, other)) = turned(i) {
                    add(other, -sign * value);
                }
            }
            for row in touched {
                worst = worst.max(column[row].abs());
                column[row] = 0.0;
            }
        }
    }
    let largest = model.mass.largest();
    if largest > 0.0 { worst / largest } else { 0.0 }
}

/// Isotropic translational mass between nodes (nodes × nodes, kg), and its origin. The degrees of freedom must be node
/// directions (`motion` is the identity).
pub fn covariant_mass(model: &FiniteElementModel) -> (SparseSymmetric, MassModel) {
    match exact(model) {
        Some(mass) => (mass, MassModel::Consistent),
        None => (lumped(model), MassModel::Lumped),
    }
}

/// M_t, if M = M_t ⊗ I.
fn exact(model: &FiniteElementModel) -> Option<SparseSymmetric> {
    let table = dof_table(model);
    let bound = COVARIANCE_TOLERANCE * model.mass.largest();
    let directions: Vec<usize> = model.dimension.directions().iter().copied().filter(|d| *d < 3).collect();
    let mut entries = Vec::new();
    for j in 0..model.size() {
        let column = model.dofs[j];
        let rows: Vec<(usize, f64)> = model.mass.column(j).collect();
        for &(i, value) in &rows {
            let row = model.dofs[i];
            if row.direction != column.direction || row.direction >= 3 {
                if !(value.abs() <= bound) {
                    return None;
                }
                continue;
            }
            // The entries of the other directions are equal.
            for &direction in &directions {
                let (i, j) = (table[row.node][direction]?, table[column.node][direction]?);
                let other = entry(&model.mass, i, j);
                if !((other - value).abs() <= bound) {
                    return None;
                }
            }
            if row.direction == 0 && row.node <= column.node {
                entries.push((row.node, column.node, value));
            }
        }
    }
    Some(SparseSymmetric::from_half(model.nodes.len(), &entries))
}

/// One entry; 0 if none is stored.
fn entry(matrix: &SparseSymmetric, row: usize, column: usize) -> f64 {
    let (starts, rows, values) = matrix.compressed();
    let range = starts[column]..starts[column + 1];
    rows[range.clone()].binary_search(&row).map_or(0.0, |at| values[range.start + at])
}

/// Row sums of the translational part (mean of the directions), scaled so that total mass and centre of mass match M.
fn lumped(model: &FiniteElementModel) -> SparseSymmetric {
    let directions = model.dimension.directions().iter().filter(|d| **d < 3).count() as f64;
    let mut masses = vec![0.0; model.nodes.len()];
    for (j, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.direction < 3) {
        let same = model.mass.column(j).filter(|(i, _)| model.dofs[*i].direction == dof.direction);
        masses[dof.node] += same.map(|(_, value)| value).sum::<f64>() / directions;
    }
    of_lumped(model, masses)
}

/// Rotary inertia of the nodes as offsets: the sums of its rows in rotations of all nodes. They are exact if the mass
/// of a node is coupled to no other node: rigid masses and lumped elements. For consistent beams and shells the inertia
/// about the axis is exact. The bending coupling between nodes counts as translation; the error falls with the square
/// of the element size.
pub fn rotary_inertia(model: &FiniteElementModel) -> Vec<MassPoint> {
    let mut inertia = vec![Mat3::zeros(); model.nodes.len()];
    for (j, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| (3..6).contains(&dof.direction)) {
        for (i, value) in model.mass.column(j).filter(|(i, _)| (3..6).contains(&model.dofs[*i].direction)) {
            inertia[model.dofs[i].node][(model.dofs[i].direction - 3, dof.direction - 3)] += value;
        }
    }
    let mut turn = SMatrix::<f64, 3, 12>::zeros();
    turn.fixed_view_mut::<3, 3>(0, 3).fill_with_identity();
    let plane = model.dimension == Dimension::Plane;
    let of_node =
        |(node, inertia): (usize, &Mat3)| offsets([node; 2], &((inertia + inertia.transpose()) * 0.5), &turn, plane);
    inertia.iter().enumerate().flat_map(of_node).collect()
}

/// Masses at the nodes (kg), scaled by a + b·xᵢ so that total mass and centre of mass match M.
pub fn of_lumped(model: &FiniteElementModel, mut masses: Vec<f64>) -> SparseSymmetric {
    let total: f64 = masses.iter().sum();
    let (wanted, centre) = mass_and_centre(model);
    if total != 0.0 {
        let places = || model.nodes.iter().zip(&masses).map(|(node, mass)| (node.position - centre, *mass));
        let length = places().map(|(place, _)| place.norm()).fold(f64::MIN_POSITIVE, f64::max);
        let vector = |place: Vec3| Vector4::new(1.0, place.x / length, place.y / length, place.z / length);
        let moments = places().fold(Matrix4::zeros(), |sum, (place, mass)| {
            let at = vector(place);
            sum + at * at.transpose() * (mass / total)
        });
        // Coplanar or collinear nodes leave directions undetermined; use the smallest change.
        let inverse = moments.pseudo_inverse(1e-12).unwrap_or_else(|_| Matrix4::identity());
        let factors = inverse * Vector4::new(wanted / total, 0.0, 0.0, 0.0);
        for (node, mass) in model.nodes.iter().zip(masses.iter_mut()) {
            *mass *= factors.dot(&vector(node.position - centre));
        }
    }
    let entries: Vec<_> = masses.into_iter().enumerate().filter(|(_, m)| *m != 0.0).map(|(i, m)| (i, i, m)).collect();
    SparseSymmetric::from_half(model.nodes.len(), &entries)
}

/// Mass (kg) and centre of mass (m) from RᵀM R.
pub fn mass_and_centre(model: &FiniteElementModel) -> (f64, Vec3) {
    let motions = model.rigid_motions(Vec3::zeros());
    let inertia = motions.transpose() * model.mass.multiply(motions.as_ref());
    let mass = inertia[(0, 0)];
    if model.dimension == Dimension::Plane {
        return (mass, Vec3::new(inertia[(1, 5)], -inertia[(0, 5)], 0.0) / mass);
    }
    // Rotations move the centre: the block of forces by rotations is −m·skew(c), each component of c occurs twice in
    // it.
    let moment = |a: usize, b: usize| (inertia[(b, 3 + a)] - inertia[(a, 3 + b)]) / (2.0 * mass);
    (mass, Vec3::new(moment(2, 1), moment(0, 2), moment(1, 0)))
}
