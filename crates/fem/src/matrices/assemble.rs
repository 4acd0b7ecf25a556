//! Assembles a structure in SI from entries, map and nodes in the units of their files.

use super::data_lines::complaint;
use super::dof_map::{DofMap, MapRow};
use super::matrices_schema::UnitFactors;
use super::nodes::NodeTable;
use super::triplets::Triplets;
use crate::model::{Dimension, Dof, FiniteElementModel, MODAL, Node};
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
            let found = format!("node {} is missing in the node file", entry.node);
            let expected = "give the node file of this mesh; use element types and connections without internal nodes \
                            (element modes, beam expansion, rigid bodies)";
            return Err(complaint(&map.file, (entry.line, 1), found, expected));
        };
        dofs.push(Dof { node, direction: entry.direction });
    }
    dofs.sort_by_key(|dof| (dof.node, dof.direction));
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
    SparseSymmetric::from_half(dofs.len(), &entries.collect::<Vec<_>>())
}
