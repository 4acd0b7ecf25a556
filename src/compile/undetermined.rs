//! Section forces that redundant loops leave open.
//!
//! Where a model leaves out modes, section forces need the forces at the interfaces
//! ([`crate::dynamics::flexible::recovery`]). Redundant equations of a loop allow states of stress without any load, Φᵀ
//! λ = 0 over all coordinates that move, of which the multipliers pick none. A section force that such a state changes
//! is not known, whatever the motion: it is refused. Offline: allocates.

use nalgebra::DMatrix;

use crate::dynamics::closure;
use crate::dynamics::flexible::recovery::interface_load;
use crate::dynamics::residuals::accumulate_residuals;
use crate::math::larger;
use crate::math::spatial::Wrench;
use crate::model::{Diagnostics, Document};
use crate::system::{Block, FlexibleQuantity, Output, System, Workspace};

/// What a state of stress changes of a section force, below this part of what its forces do one by one, is round-off.
const NOTHING: f64 = 1e-7;

/// Refuses outputs of section forces and stresses that are not determined. The workspace holds an evaluation of a
/// state.
pub(crate) fn refuse(system: &System, ws: &mut Workspace, document: &Document) -> Result<(), Diagnostics> {
    let left_out = |output: &&Output| {
        output.readout.section().is_some_and(|(body, at)| !system.flexible[body].sections[at].loads.is_empty())
    };
    if !system.outputs.iter().any(|output| left_out(&output)) {
        return Ok(());
    }
    let mut diagnostics = Diagnostics::default();
    let mut refused = vec![false; document.model.outputs.len()];
    for index in 0..system.blocks.len() {
        for stress in self_stresses(system, ws, index) {
            apply(system, ws, &system.blocks[index], &stress);
            for (output, info) in system.outputs.iter().zip(&system.interface.outputs) {
                let of_file = |of: &crate::model::schema::Output| {
                    info.name == of.name || info.name.strip_prefix(of.name.as_str()).is_some_and(|r| r.starts_with('.'))
                };
                let Some(file) = document.model.outputs.iter().position(of_file) else { continue };
                if refused[file] || !left_out(&output) || !changes(system, ws, output) {
                    continue;
                }
                refused[file] = true;
                let body = output.readout.section().map_or("", |(body, _)| &system.flexible[body].name);
                diagnostics.0.push(document.source.at(
                    format!("output[{file}]"),
                    format!(
                        "`{}` needs the forces at the interfaces of \"{body}\", because `modes` leaves out some of \
                         its modes, \
                         and redundant loop equations leave these forces undetermined",
                        info.name
                    ),
                    format!(
                        "keep all modes of \"{body}\", or take the redundancy out of the loop (see `ballesta \
                        check`)"
                    ),
                ));
            }
        }
    }
    diagnostics.into_result(())
}

/// Multipliers of the rows of block `index` that load no coordinate: as many as it has redundant rows.
fn self_stresses(system: &System, ws: &mut Workspace, index: usize) -> Vec<Vec<f64>> {
    let block = &system.blocks[index];
    let (m, n) = (block.rows.len(), block.coordinates.len());
    if m <= block.rank {
        return Vec::new();
    }
    let (mut tree, blocks) = ws.open_tree();
    closure::calc_jacobian(system, &mut tree, block, &mut blocks[index]);
    let dense = block.dense(&blocks[index].jacobian);
    let padded = DMatrix::from_fn(m, n.max(m), |i, k| if k < n { dense[i * n + k] } else { 0.0 });
    let Some(left) = padded.svd(true, false).u else { return Vec::new() };
    (block.rank..m).map(|k| left.column(k).iter().copied().collect()).collect()
}

/// Puts what a state of stress makes the tree joints transmit into `ws.residuals.bodies`.
fn apply(system: &System, ws: &mut Workspace, block: &Block, stress: &[f64]) {
    ws.residuals.bodies.fill(Wrench::zero());
    for (row, lambda) in block.rows.clone().zip(stress) {
        let Some((first, second)) = system.rows[row].bodies() else { continue };
        if second != 0 {
            ws.residuals.bodies[second] -= ws.closure.rows[row].on_second * *lambda;
        }
        if first != 0 {
            ws.residuals.bodies[first] += ws.closure.rows[row].on_first * *lambda;
        }
    }
    accumulate_residuals(system, &mut ws.residuals.bodies);
}

/// Whether the interface forces in `ws.residuals.bodies` change an output.
fn changes(system: &System, ws: &Workspace, output: &Output) -> bool {
    let Some((index, at)) = output.readout.section() else { return false };
    let section = &system.flexible[index].sections[at];
    let (mut sum, mut parts) = ([0.0; 6], [0.0; 6]);
    for (link, rows) in section.loads.iter().enumerate() {
        let load = interface_load(system, ws, index, link);
        for (i, row) in rows.iter().enumerate() {
            for (factor, load) in row.iter().zip(&load) {
                sum[i] += factor * load;
                parts[i] += (factor * load).abs();
            }
        }
    }
    // Compared with the largest of the three of one unit: a part of zeros alone is nothing.
    let largest = |first: usize| parts[first..first + 3].iter().copied().fold(0.0, larger);
    let open = |i: usize| !(sum[i].abs() <= NOTHING * largest(i / 3 * 3));
    let crate::system::Readout::Flexible { quantity, .. } = &output.readout else { return false };
    match quantity {
        FlexibleQuantity::SectionForce(_) => open(output.component),
        FlexibleQuantity::SectionMoment(_) => open(3 + output.component),
        FlexibleQuantity::Stress(_, point) => {
            section.points[*point].1.iter().enumerate().any(|(i, factor)| *factor != 0.0 && open(i))
        }
        _ => false,
    }
}
