//! From entries, map and nodes in the units of their files to a structure in SI.

use super::dof_map::DofMap;
use super::nodes::NodeTable;
use super::schema::UnitFactors;
use super::text::complaint;
use super::triplets::Triplets;
use crate::model::{Dimension, Dof, FiniteElementModel, Node};
use crate::sparse::{SparseRows, SparseSymmetric};
use ballesta::document::Diagnostic;
use ballesta::rom::schema::MassModel;

/// The structure without interfaces and covariant mass. Its degrees of freedom are sorted by node number and direction,
/// whatever their order in the files; `motion` is the identity.
///
/// # Errors
/// A row of a node that has no place.
pub fn assemble(
    name: String,
    (stiffness, mass): (&Triplets, &Triplets),
    map: &DofMap,
    nodes: &NodeTable,
    units: UnitFactors,
) -> Result<FiniteElementModel, Diagnostic> {
    let mut dofs = Vec::with_capacity(map.rows.len());
    for (row, entry) in map.rows.iter().enumerate() {
        let Some(node) = nodes.index(entry.node) else {
            let found = format!("node {} has no place in the file of the nodes", entry.node);
            let expected = "name the nodes of this mesh; nodes that a program adds itself (internal modes of \
                            elements, beam expansion, rigid bodies) have no place: mesh and connect without them";
            return Err(complaint(&map.file, (entry.line, 1), found, expected));
        };
        dofs.push((Dof { node, direction: entry.direction }, row));
    }
    dofs.sort_by_key(|(dof, _)| (dof.node, dof.direction));
    let dofs: Vec<Dof> = dofs.into_iter().map(|(dof, _)| dof).collect();
    let mut motion = vec![Vec::new(); 6 * nodes.numbers.len()];
    for (i, dof) in dofs.iter().enumerate() {
        motion[6 * dof.node + dof.direction].push((i, 1.0));
    }
    let plane = dofs.iter().all(|dof| Dimension::Plane.directions().contains(&dof.direction));
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
        dofs,
        covariant_mass: SparseSymmetric::from_half(nodes.numbers.len(), &[]),
        mass_model: MassModel::Lumped,
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

/// A matrix in SI over the sorted degrees of freedom; `energy` is what a unit of its quadratic form is in SI.
pub fn matrix(
    triplets: &Triplets,
    map: &DofMap,
    nodes: &NodeTable,
    dofs: &[Dof],
    units: UnitFactors,
    energy: f64,
) -> SparseSymmetric {
    let place = |row: usize| {
        let wanted = (nodes.index(map.rows[row].node).unwrap_or(usize::MAX), map.rows[row].direction);
        dofs.partition_point(|dof| (dof.node, dof.direction) < wanted)
    };
    let place: Vec<usize> = (0..map.rows.len()).map(place).collect();
    // Displacements in the files' unit of length are `1/length` times those in m; rotations are the same.
    let scale = |row: usize| if map.rows[row].direction < 3 { 1.0 / units.length } else { 1.0 };
    let entries = triplets.entries.iter().map(|entry| {
        let value = entry.value * (scale(entry.row) * scale(entry.column) * energy);
        (place[entry.row], place[entry.column], value)
    });
    SparseSymmetric::from_half(dofs.len(), &entries.collect::<Vec<_>>())
}
