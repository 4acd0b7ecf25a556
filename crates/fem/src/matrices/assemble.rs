//! Assembles a structure in SI from entries, map and nodes in the units of their files. Rows of nodes with their own
//! axes (Nastran) are rotated to the basic system.

use super::data_lines::complaint;
use super::dof_map::{DofMap, MapRow};
use super::matrices_schema::UnitFactors;
use super::nodes::NodeTable;
use super::triplets::Triplets;
use crate::model::{DIRECTIONS, Dimension, Dof, FiniteElementModel, MODAL, Node};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::document::Diagnostic;
use ballesta::rom::rom_schema::MassModel;

/// The structure without interfaces and covariant mass. Its degrees of freedom are sorted by node number and direction,
/// whatever their order in the files; `motion` is the identity.
///
/// # Errors
/// A row of a node without a position.
pub fn assemble(
    name: String,
    (stiffness, mass): (&Triplets, &Triplets),
    map: &DofMap,
    nodes: &NodeTable,
    units: UnitFactors,
) -> Result<FiniteElementModel, Diagnostic> {
    // Number the degrees of freedom by node and direction.
    let mut dofs = Vec::with_capacity(map.rows.len());
    let places = places(map, nodes);
    for (entry, place) in map.rows.iter().zip(&places) {
        let Some(node) = *place else {
            if let Some(fault) = nodes.unplaced.get(&entry.node) {
                return Err(fault.clone());
            }
            let found = format!("node {} is missing in the node file", entry.node);
            let expected = "give the node file of this mesh; use element types and connections without internal nodes \
                            (element modes, beam expansion, rigid bodies)";
            return Err(complaint(&map.file, (entry.line, 1), found, expected));
        };
        dofs.push(Dof { node, direction: entry.direction });
    }
    dofs.sort_by_key(|dof| (dof.node, dof.direction));
    rotatable(map, nodes, &dofs)?;
    let mut motion = vec![Vec::new(); 6 * nodes.numbers.len()];
    for (i, dof) in dofs.iter().enumerate().filter(|(_, dof)| dof.direction != MODAL) {
        motion[6 * dof.node + dof.direction].push((i, 1.0));
    }
    // The structure is plane if all its directions are.
    let in_plane = |dof: &Dof| dof.direction == MODAL || Dimension::Plane.directions().contains(&dof.direction);
    let plane = dofs.iter().all(in_plane);
    let positions = nodes.positions.iter().map(|position| position * units.length);
    let node = |(number, position): (&usize, _)| Node { name: number.to_string(), position };
    Ok(FiniteElementModel {
        name,
        dimension: if plane { Dimension::Plane } else { Dimension::Space },
        nodes: nodes.numbers.iter().zip(positions).map(node).collect(),
        element_count: 0,
        motion: SparseRows::new(dofs.len(), motion),
        stiffness: matrix(stiffness, map, nodes, &dofs, units, units.stiffness),
        mass: matrix(mass, map, nodes, &dofs, units, units.mass),
        damping: None,
        dofs,
        covariant_mass: SparseSymmetric::from_half(nodes.numbers.len(), &[]),
        mass_points: Vec::new(),
        points_only: false,
        mass_model: if map.has_modal() { MassModel::Rigid } else { MassModel::Lumped },
        covariance: 0.0,
        interfaces: Vec::new(),
        supports: Vec::new(),
        loads: Vec::new(),
        output_nodes: Vec::new(),
        stressed: Vec::new(),
        notes: Vec::new(),
        elements: Vec::new(),
        sections: Vec::new(),
    })
}

/// [`Dof::node`] of every row of the map.
fn places(map: &DofMap, nodes: &NodeTable) -> Vec<Option<usize>> {
    let modal = |row: &&MapRow| row.direction == MODAL;
    let mut modes: Vec<usize> = map.rows.iter().filter(modal).map(|row| row.node).collect();
    modes.sort_unstable();
    let place = |row: &MapRow| match row.direction {
        MODAL => modes.binary_search(&row.node).ok().map(|place| nodes.numbers.len() + place),
        _ => nodes.index(row.node),
    };
    map.rows.iter().map(place).collect()
}

/// Position of every row of the map among the sorted degrees of freedom.
pub fn rows_of(map: &DofMap, nodes: &NodeTable, dofs: &[Dof]) -> Vec<usize> {
    let place = |(row, node): (&MapRow, Option<usize>)| {
        let wanted = (node.unwrap_or(usize::MAX), row.direction);
        dofs.partition_point(|dof| (dof.node, dof.direction) < wanted)
    };
    map.rows.iter().zip(places(map, nodes)).map(place).collect()
}

/// A matrix in SI over the sorted degrees of freedom; `energy` is the unit of its quadratic form in SI.
pub fn matrix(
    triplets: &Triplets,
    map: &DofMap,
    nodes: &NodeTable,
    dofs: &[Dof],
    units: UnitFactors,
    energy: f64,
) -> SparseSymmetric {
    let place = rows_of(map, nodes, dofs);
    // Displacements in the files' unit of length are `1/length` times displacements in m; rotations and modal
    // coordinates do not change.
    let scale = |row: usize| if map.rows[row].direction < 3 { 1.0 / units.length } else { 1.0 };
    let entries = triplets.entries.iter().map(|entry| {
        let value = entry.value * (scale(entry.row) * scale(entry.column) * energy);
        (place[entry.row], place[entry.column], value)
    });
    let matrix = SparseSymmetric::from_half(dofs.len(), &entries.collect::<Vec<_>>());
    match rotation(nodes, dofs) {
        Some(rotation) => matrix.congruence(&rotation),
        None => matrix,
    }
}

/// Entry of axes below which it is round-off.
const AXES_TOLERANCE: f64 = 1e-12;

/// Rejects nodes with rows in unknown axes, and nodes whose rows do not include all directions that their axes mix.
fn rotatable(map: &DofMap, nodes: &NodeTable, dofs: &[Dof]) -> Result<(), Diagnostic> {
    let has = |node: usize, direction: usize| {
        dofs.binary_search_by_key(&(node, direction), |dof| (dof.node, dof.direction)).is_ok()
    };
    for dof in dofs.iter().filter(|dof| dof.direction != MODAL) {
        let Some(axes) = nodes.axes.get(&dof.node) else { continue };
        let axes = axes.as_ref().map_err(Clone::clone)?;
        let (block, own) = (3 * (dof.direction / 3), dof.direction % 3);
        let missing = (0..3).find(|j| axes[(*j, own)].abs() > AXES_TOLERANCE && !has(dof.node, block + j));
        if missing.is_some() {
            let number = nodes.numbers[dof.node];
            let row = map.rows.iter().find(|row| (row.node, row.direction) == (number, dof.direction));
            let found = format!(
                "the matrices have {} of node {number} in its own coordinate system, but not all its directions",
                DIRECTIONS[dof.direction]
            );
            let expected = "export all translations of the node, and all or none of its rotations, or use the basic \
                            system (0)";
            return Err(complaint(&map.file, (row.map_or(0, |row| row.line), 1), found, expected));
        }
    }
    Ok(())
}

/// Displacements of the matrices in terms of displacements along the basic axes, if a node has axes of its own.
pub fn rotation(nodes: &NodeTable, dofs: &[Dof]) -> Option<SparseRows> {
    let axes_of = |dof: &Dof| match nodes.axes.get(&dof.node) {
        Some(Ok(axes)) if dof.direction != MODAL => Some(axes),
        _ => None,
    };
    if !dofs.iter().any(|dof| axes_of(dof).is_some()) {
        return None;
    }
    let row = |(i, dof): (usize, &Dof)| {
        let Some(axes) = axes_of(dof) else { return vec![(i, 1.0)] };
        let (block, own) = (3 * (dof.direction / 3), dof.direction % 3);
        let entry = |j: usize| {
            let place = dofs.binary_search_by_key(&(dof.node, block + j), |dof| (dof.node, dof.direction)).ok()?;
            Some((place, axes[(j, own)]))
        };
        (0..3).filter_map(entry).filter(|(_, factor)| factor.abs() > AXES_TOLERANCE).collect()
    };
    Some(SparseRows::new(dofs.len(), dofs.iter().enumerate().map(row)))
}

/// Displacements of all nodes along the basic axes in terms of displacements along the axes of the nodes, in rows and
/// columns of six per node.
pub fn node_rotation(nodes: &NodeTable) -> SparseRows {
    let row = |i: usize| match nodes.axes.get(&(i / 6)) {
        Some(Ok(axes)) => (0..3).map(|d| (i - i % 3 + d, axes[(i % 3, d)])).collect(),
        _ => vec![(i, 1.0)],
    };
    let size = 6 * nodes.numbers.len();
    SparseRows::new(size, (0..size).map(row))
}
