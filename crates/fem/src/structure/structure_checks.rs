//! Checks of a structure that need its model: connection, mechanisms, mass, interfaces.
//!
//! A node direction that no element resists is a mechanism of the structure: K is positive semidefinite, so vᵀKv = 0
//! means K v = 0. The diagonal blocks of the nodes show these without a factorisation; mechanisms of several nodes show
//! up when the reduction factors the stiffness.

use super::Structure;
use super::members::Members;
use crate::model::{DIRECTIONS, Dimension, Dof, FiniteElementModel, rigid_motion};
use crate::sparse::SparseSymmetric;
use ballesta::document::Diagnostic;
use ballesta::math::Vec3;
use nalgebra::{DMatrix, DVector};

/// A direction of a node is free if its stiffness is below this fraction of the other stiffnesses.
const FREE_DIRECTION_TOLERANCE: f64 = 1e-12;

/// One diagnostic that names the parts if there are several.
pub(super) fn unconnected(structure: &Structure, members: &Members) -> Vec<Diagnostic> {
    let mut part: Vec<usize> = (0..members.nodes.len()).collect();
    let joined = members.elements.iter().map(|element| element.nodes()).chain(members.ties.iter().copied());
    for [a, b] in joined {
        let (a, b) = (root(&mut part, a), root(&mut part, b));
        let (low, high) = (a.min(b), a.max(b));
        part[high] = low;
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); part.len()];
    for node in 0..part.len() {
        let root = root(&mut part, node);
        parts[root].push(node);
    }
    parts.retain(|part| !part.is_empty());
    if parts.len() < 2 {
        return Vec::new();
    }
    let names = |nodes: &[usize]| {
        const MAX_LISTED: usize = 4;
        let mut names: Vec<String> =
            nodes.iter().take(MAX_LISTED).map(|node| format!("\"{}\"", members.nodes[*node].name)).collect();
        if nodes.len() > MAX_LISTED {
            names.push(format!("and {} more", nodes.len() - MAX_LISTED));
        }
        names.join(", ")
    };
    // The largest part is the structure; the others must be connected.
    let largest = (0..parts.len()).max_by_key(|i| (parts[*i].len(), usize::MAX - i)).unwrap_or(0);
    let main = parts.remove(largest);
    let complaint = |nodes: &Vec<usize>| {
        let (subject, verb) = if nodes.len() == 1 { ("node", "is") } else { ("nodes", "are") };
        let found = format!("{subject} {} {verb} not connected to {}", names(nodes), names(&main));
        let expected = "connect them by an element or a tie, or remove them; a structure is one body";
        structure.source.at(&members.node_keys[nodes[0]], found, expected)
    };
    parts.iter().take(8).map(complaint).collect()
}

fn root(part: &mut [usize], mut node: usize) -> usize {
    while part[node] != node {
        part[node] = part[part[node]];
        node = part[node];
    }
    node
}

/// Nodes that can move independently.
pub(super) fn mechanisms(
    structure: &Structure,
    members: &Members,
    dofs: &[Dof],
    stiffness: &SparseSymmetric,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut first = 0;
    while first < dofs.len() {
        let node = dofs[first].node;
        let count = dofs[first..].iter().take_while(|dof| dof.node == node).count();
        let rows: Vec<usize> = (first..first + count).collect();
        if let Some(motion) = loose_motion(members, dofs, stiffness, &rows) {
            let directions: Vec<usize> = rows.iter().map(|row| dofs[*row].direction).collect();
            let found = format!("node \"{}\" {}", members.nodes[node].name, describe(&directions, &motion));
            let expected = "add an element that resists this motion; a structure must not contain a mechanism";
            diagnostics.push(structure.source.at(&members.node_keys[node], found, expected));
        }
        first += count;
    }
    diagnostics
}

/// A motion of these rows without stiffness, unless it is a rigid motion of the whole structure.
fn loose_motion(members: &Members, dofs: &[Dof], stiffness: &SparseSymmetric, rows: &[usize]) -> Option<Vec<f64>> {
    let block = stiffness.block(rows, rows);
    let size = rows.len();
    let scale: Vec<f64> = (0..size).map(|i| if block[(i, i)] > 0.0 { block[(i, i)].sqrt() } else { 0.0 }).collect();
    // A row without stiffness remains zero.
    let scaled = DMatrix::from_fn(size, size, |i, j| match scale[i] * scale[j] {
        0.0 => 0.0,
        both => block[(i, j)] / both,
    });
    let largest = scale.iter().fold(0.0, |most: f64, value| most.max(*value));
    // After an overflow the decomposition might not terminate; the factorisation reports the error.
    if !scaled.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = scaled.symmetric_eigen();
    let loose = (0..size).filter(|k| eigen.eigenvalues[*k] < FREE_DIRECTION_TOLERANCE);
    let motions: Vec<DVector<f64>> = loose
        .map(|k| {
            DVector::from_fn(size, |i, _| {
                eigen.eigenvectors[(i, k)] / if scale[i] > 0.0 { scale[i] / largest } else { 1.0 }
            })
        })
        .map(|motion| motion.unscale(motion.amax()))
        .collect();
    if motions.is_empty() {
        return None;
    }
    let rigid = rigid_motions_of(members, dofs, rows);
    motions.into_iter().find_map(|mut motion| {
        for unit in &rigid {
            motion -= unit * unit.dot(&motion);
        }
        (motion.amax() > 1e-6).then(|| motion.iter().copied().collect())
    })
}

/// Orthonormal basis of the rigid motions in which only these rows move.
fn rigid_motions_of(members: &Members, dofs: &[Dof], rows: &[usize]) -> Vec<DVector<f64>> {
    let columns = members.dimension.directions();
    let about = members.nodes[dofs[rows[0]].node].position;
    let value = |dof: &Dof, column: usize| {
        rigid_motion(members.nodes[dof.node].position - about, dof.direction, columns[column])
    };
    let mut normal = DMatrix::zeros(columns.len(), columns.len());
    for (_, dof) in dofs.iter().enumerate().filter(|(row, _)| !rows.contains(row)) {
        let row = DVector::from_fn(columns.len(), |column, _| value(dof, column));
        normal += &row * row.transpose();
    }
    let eigen = normal.symmetric_eigen();
    let most = eigen.eigenvalues.amax();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    for k in (0..columns.len()).filter(|k| eigen.eigenvalues[*k] <= 1e-12 * most) {
        let mut motion = DVector::from_fn(rows.len(), |i, _| {
            (0..columns.len()).map(|column| value(&dofs[rows[i]], column) * eigen.eigenvectors[(column, k)]).sum()
        });
        for unit in &basis {
            motion -= unit * unit.dot(&motion);
        }
        if let Some(unit) = motion.try_normalize(1e-9) {
            basis.push(unit);
        }
    }
    basis
}

/// "can move along x", "can turn about [0.6, 0.8, 0]".
fn describe(directions: &[usize], motion: &[f64]) -> String {
    let mut parts = [Vec3::zeros(), Vec3::zeros()];
    for (direction, value) in directions.iter().zip(motion) {
        parts[direction / 3][direction % 3] = *value;
    }
    let texts = parts.iter().zip(["can move along", "can rotate about"]).filter(|(part, _)| part.norm() > 0.0);
    let texts: Vec<String> = texts
        .map(|(part, verb)| {
            let unit = part / part[part.iamax()].abs() / (part / part[part.iamax()].abs()).norm();
            let unit = unit * unit[unit.iamax()].signum();
            match (0..3).find(|i| unit[*i] > 1.0 - 1e-9) {
                Some(i) => format!("{verb} {}", DIRECTIONS[i]),
                None => {
                    let round = |x: f64| if x.abs() < 5e-4 { 0.0 } else { x };
                    format!("{verb} [{:.3}, {:.3}, {:.3}]", round(unit.x), round(unit.y), round(unit.z))
                }
            }
        })
        .collect();
    format!("{} without resistance", texts.join(" and "))
}

/// A structure must have mass.
pub(super) fn mass(structure: &Structure, model: &FiniteElementModel) -> Vec<Diagnostic> {
    let total: f64 = model.covariant_mass.compressed().2.iter().sum();
    if total > 0.0 {
        return Vec::new();
    }
    let expected = "give a material a density above 0, or add a `[[mass]]`";
    vec![structure.source.at("", "the structure has no mass", expected)]
}

/// The interfaces together must be able to hold the structure: their directions must determine its rigid motions.
pub(super) fn interfaces_hold(structure: &Structure, model: &FiniteElementModel) -> Vec<Diagnostic> {
    let rows: Vec<usize> =
        model.interfaces.iter().flat_map(|interface| interface.dofs.iter().flatten().copied()).collect();
    let columns = model.dimension.directions();
    if model.interfaces.is_empty() {
        return Vec::new();
    }
    let positions = model.interfaces.iter().map(|interface| model.nodes[interface.node].position);
    let centre = positions.clone().sum::<Vec3>() / model.interfaces.len() as f64;
    let size = positions.map(|position| (position - centre).norm()).fold(0.0, f64::max);
    let rigid = model.rigid_motions(centre);
    // Rotations in arcs of the size of the structure at its interfaces; if they coincide, any length is suitable.
    let length = if size > 0.0 { size } else { 1.0 };
    let scale = |row: usize, column: usize| {
        let row = if model.dofs[row].direction < 3 { 1.0 } else { length };
        if column < 3 { row } else { row / length }
    };
    let block =
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| rigid[(rows[i], columns[j])] * scale(rows[i], columns[j]));
    let rank = if rows.is_empty() { 0 } else { block.rank(1e-9) };
    if rank == columns.len() {
        return Vec::new();
    }
    let all = match model.dimension {
        Dimension::Plane => "3 rigid motions of a planar structure",
        Dimension::Space => "6 rigid motions of a spatial structure",
    };
    let found = format!("all interfaces together hold {rank} of the {all}");
    let expected = "add interfaces, or connect them to beams, until they hold the structure";
    vec![structure.source.at("interface[0]", found, expected)]
}
