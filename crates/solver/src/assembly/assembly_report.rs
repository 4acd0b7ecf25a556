//! The report of an assembly: sizes, loops, redundancy.

use super::{AssemblyRemarks, ROUND_OFF_TOLERANCE, requests};
use crate::joint::TreeJoint;
use crate::math::larger;
use crate::system::{BlockReport, Guide, Redundancy, Report, State, System, Workspace};
use crate::topology::DisjointSets;
use alloc::{string::String, vec::Vec};

/// Report of an assembled system, without its flexible bodies. `ws` contains an evaluation of the start.
pub fn report(system: &System, ws: &Workspace, remarks: AssemblyRemarks) -> Report {
    let state = &system.initial;
    let AssemblyRemarks { notes, warnings, undetermined } = remarks;
    let names = |joints: &[usize]| -> Vec<String> {
        let files = joints.iter().filter_map(|&tree| system.joint_of_tree[tree]);
        files.map(|file| system.joint_places[file].name.clone()).collect()
    };
    // One entry per block of coupled loops. The first `rank` columns and rows of an order are the chosen ones.
    let blocks: Vec<BlockReport> = system
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let columns = &state.orders[block.column_order()];
            let rows = &state.orders[block.row_order()];
            let coordinate = |&k: &u32| system.coordinate_name(block.coordinates[k as usize]);
            let redundant_rows: Vec<usize> =
                rows[block.rank..].iter().map(|&row| block.rows.start + row as usize).collect();
            BlockReport {
                loops: block.constraints.iter().map(|&c| system.constraints[c].name.clone()).collect(),
                joints: names(&block.joints),
                coordinates: block.coordinates.len(),
                equations: block.rows.len(),
                rank: block.rank,
                pieces: if block.in_pieces { ws.blocks[index].pieces() } else { 1 },
                independent: columns[block.rank..].iter().map(coordinate).collect(),
                dependent: columns[..block.rank].iter().map(coordinate).collect(),
                redundant: block
                    .constraints
                    .iter()
                    .map(|&c| &system.constraints[c])
                    .map(|constraint| Redundancy {
                        constraint: constraint.name.clone(),
                        equations: redundant_rows.iter().filter(|row| constraint.rows.contains(row)).count(),
                        joints: constraint.joints.clone(),
                    })
                    .filter(|redundancy| redundancy.equations > 0)
                    .collect(),
            }
        })
        .collect();
    // Sums over all blocks. A redundant equation does not reduce the degrees of freedom.
    let constraints: usize = blocks.iter().map(|block| block.equations).sum();
    let rank: usize = blocks.iter().map(|block| block.rank).sum();
    let links: usize = system.flexible.iter().map(|body| body.links.len()).sum();
    let cuts = system.constraints.iter().filter(|constraint| constraint.joint.is_some()).count();
    // Links between the interfaces of a flexible body are no bodies of the model.
    Report {
        dof: system.nv - rank - system.guided.len(),
        coordinates: system.nv,
        positions: system.nq,
        bodies: system.bodies.len() - 1 - links,
        joints: system.joint_places.len(),
        tree_joints: names(&(0..system.joints.len()).collect::<Vec<_>>()),
        cuts: system.joint_places.iter().filter(|place| place.cut.is_some()).map(|place| place.name.clone()).collect(),
        rods: system.rods.len(),
        loops: independent_loops(system),
        guided: system.guided.iter().filter(|guided| !matches!(guided.guide, Guide::Residual { .. })).count(),
        constraints,
        redundant: constraints - rank,
        blocks,
        massless_bodies: massless_bodies(system),
        one_dof_joints: freedoms(system).sum::<usize>() + cuts,
        massless_between: freedoms(system).map(|freedom| freedom.saturating_sub(1)).sum(),
        density: density(system, state, ws),
        density_by_structure: density_by_structure(system, state),
        assembly_change: requests::largest_change(system, state),
        notes,
        warnings,
        undetermined,
        flexible: Vec::new(),
    }
}

/// Rigid bodies without mass, except frames and links of flexible bodies.
fn massless_bodies(system: &System) -> usize {
    let of_file = |body: &usize| {
        let frame = system.flexible.iter().any(|flexible| flexible.body == *body);
        !frame && system.joints[body - 1].link.is_none()
    };
    (1..system.bodies.len()).filter(of_file).filter(|&body| system.bodies[body].inertia.mass == 0.0).count()
}

/// Loops of bodies: connections between bodies that are already connected. Joints, rods and points on lines or in
/// planes connect; a floating joint holds nothing, and a coupler acts on coordinates.
fn independent_loops(system: &System) -> usize {
    let holds = |joint: &TreeJoint| joint.link.is_some() || !joint.kind.is_free();
    let tree = system.joints.iter().enumerate().filter(|(_, joint)| holds(joint));
    let tree = tree.map(|(joint, _)| [system.bodies[joint + 1].parent, joint + 1]);
    let closing = system.constraints.iter().filter(|constraint| !constraint.rows.is_empty());
    let closing = closing.map(|constraint| constraint.bodies).filter(|[first, second]| first != second);
    let mut parts = DisjointSets::new(system.bodies.len());
    let joins_again = |[first, second]: &[usize; 2]| {
        let again = parts.leader(*first) == parts.leader(*second);
        parts.join(*first, *second);
        again
    };
    tree.chain(closing).filter(joins_again).count()
}

/// Degrees of freedom of every joint of the tree.
fn freedoms(system: &System) -> impl Iterator<Item = usize> {
    system.joints.iter().map(|joint| TreeJoint::freedom(joint.kind))
}

/// Part of the entries of Φ_zd, all closure equations by all dependent coordinates, that are not zero.
fn density(system: &System, state: &State, ws: &Workspace) -> f64 {
    let (mut rows, mut columns, mut entries) = (0, 0, 0);
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        let n = block.coordinates.len();
        let dependent = &state.orders[block.column_order()][..block.rank];
        rows += block.rows.len();
        columns += block.rank;
        for line in block.dense(&scratch.jacobian).chunks(n.max(1)) {
            let largest = line.iter().map(|entry| entry.abs()).fold(0.0, larger);
            entries += dependent.iter().filter(|&&k| line[k as usize].abs() > ROUND_OFF_TOLERANCE * largest).count();
        }
    }
    if entries == 0 { 1.0 } else { entries as f64 / (rows * columns) as f64 }
}

/// Part of the entries of Φ_zd that are not zero by structure.
fn density_by_structure(system: &System, state: &State) -> f64 {
    let (mut rows, mut columns, mut entries) = (0, 0, 0);
    for block in &system.blocks {
        let dependent = &state.orders[block.column_order()][..block.rank];
        rows += block.rows.len();
        columns += block.rank;
        entries += block.columns.iter().filter(|&&column| dependent.contains(&(column as u32))).count();
    }
    if entries == 0 { 1.0 } else { entries as f64 / (rows * columns) as f64 }
}
