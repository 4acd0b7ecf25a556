//! Ranks of blocks at regular positions, and loops that a misalignment locks.

use super::relax::{move_block, relax};
use super::unweighted::{Decomposition, Jacobian, jacobian};
use super::{GAP_TOLERANCE, PROBE_DISTANCE, loop_names};
use crate::dynamics::closure;
use crate::dynamics::kinematics::calc_positions;
use crate::math::linear::{Candidate, select_pivots};
use crate::math::svd::orthogonalise_rows;
use crate::system::{Block, Guided, RANK, System, Workspace};
use alloc::{format, string::String, vec, vec::Vec};

/// A loop whose smallest singular value is below this fraction of the largest is immobile by a misalignment, not by
/// design.
const MISALIGNMENT_TOLERANCE: f64 = 0.02;

/// Rank and regular pivot of every block: the largest at the assembled position and at probes next to it. So a start in
/// a singular position is detected and noted in `notes`.
pub(super) fn find_ranks(system: &mut System, ws: &mut Workspace, notes: &mut Vec<String>) {
    for index in 0..system.blocks.len() {
        let block = system.blocks[index].clone();
        let n = block.coordinates.len();
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        // Free directions at the start; the probes are displaced along them and closed.
        let basis = Decomposition::new(&jacobian(system, ws, &block), &block, &[], RANK.relative).basis(n);
        let (mut rank, mut pivot, mut at_start) = (0, 0.0f64, (0, 0.0));
        for probe in 0..5usize {
            ws.stage.q.copy_from_slice(&system.initial.q);
            calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
            if probe > 0 {
                if basis.is_empty() {
                    break;
                }
                let mut change = vec![0.0; n];
                for (c, direction) in basis.iter().enumerate() {
                    // Deterministic, different for every probe and direction.
                    let amount = PROBE_DISTANCE * block.size * (0.3 + ((probe * 5 + c * 3) % 7) as f64 / 7.0);
                    let sign = if (probe >> (c % 3)) & 1 == 1 { amount } else { -amount };
                    change.iter_mut().zip(direction).for_each(|(value, d)| *value += sign * d);
                }
                move_block(system, ws, &block, &change);
                if !(relax(system, ws, &block, &[]) <= GAP_TOLERANCE) {
                    continue;
                }
            }
            // The largest rank counts, with its largest pivot.
            let jacobian = jacobian(system, ws, &block);
            let probe_rank = Decomposition::new(&jacobian, &block, &[], RANK.relative).rank();
            let fresh = fresh_pivot(&block, &jacobian, probe_rank);
            if probe == 0 {
                at_start = (probe_rank, fresh);
            }
            if probe_rank > rank {
                (rank, pivot) = (probe_rank, fresh);
            } else if probe_rank == rank {
                pivot = pivot.max(fresh);
            }
        }
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        // A start with a lower rank or pivot is singular.
        if at_start.0 < rank || rank > 0 && at_start.1 <= closure::MIN_PIVOT * pivot {
            notes.push(format!(
                "the loop of {} starts in a singular position, so the direction of motion out of it is undetermined; \
                 give one of its joints a position or a speed that selects a direction",
                loop_names(system, &block)
            ));
        }
        let target = &mut system.blocks[index];
        (target.rank, target.regular_pivot) = (rank, pivot);
    }
}

/// Smallest of `rank` pivots of a new choice.
fn fresh_pivot(block: &Block, (jacobian, tolerance): &Jacobian, rank: usize) -> f64 {
    let (m, n) = (block.rows.len(), block.coordinates.len());
    let mut jacobian = block.dense(jacobian);
    let (mut rows, mut columns) = (vec![0; m], vec![0; n]);
    let found = select_pivots(
        &mut jacobian,
        (m, n),
        &block.class,
        *tolerance,
        (&mut rows, &mut columns),
        &mut vec![Candidate::default(); m],
    );
    if found.rank >= rank { found.smallest } else { 0.0 }
}

/// Loops that nearly redundant equations make immobile: the equation that removes the last degree of freedom, and its
/// misalignment.
pub(super) fn locks(system: &System, ws: &mut Workspace) -> Vec<String> {
    ws.stage.q.copy_from_slice(&system.initial.q);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    let mut locks = Vec::new();
    for block in &system.blocks {
        let (m, n) = (block.rows.len(), block.coordinates.len());
        // A loop with a prescribed motion has no freedom either, and may be at a dead centre.
        let driven = |guided: &Guided| {
            let joint = system.joint_name(system.joint_of_coordinate(guided.coordinate.velocity));
            block.constraints.iter().any(|&c| system.constraints[c].joints.iter().any(|name| name == joint))
        };
        if block.rank < n || n == 0 || system.guided.iter().any(driven) {
            continue;
        }
        // A small but significant last singular value is a misalignment.
        let (values, tolerance) = jacobian(system, ws, block);
        let (mut right, mut left, mut sigma) = (block.dense(&values), vec![0.0; m * m], vec![0.0; m]);
        orthogonalise_rows(&mut right, &mut left, &mut sigma, (m, n));
        if m < n || sigma[n - 1] <= tolerance.absolute.max(tolerance.relative * sigma[0]) {
            continue;
        }
        let misalignment = sigma[n - 1] / sigma[0];
        if misalignment > MISALIGNMENT_TOLERANCE {
            continue;
        }
        // Its left singular vector names the equation.
        let weight = |row: &usize| left[(n - 1) * m + row].abs();
        let row = (0..m).fold(0, |most, row| if weight(&row) > weight(&most) { row } else { most }) + block.rows.start;
        let holder = system.constraints.iter().find(|constraint| constraint.rows.contains(&row));
        let (name, around) = holder.map_or(("", String::new()), |holder| (&*holder.name, holder.joints.join("`, `")));
        locks.push(format!(
            "only a misalignment of about {misalignment:.1e} (rad, or relative to its size) locks the loop of {}, \
             mainly where `{name}` closes `{around}`; correct the points and axes of these joints unless a structure \
             is intended",
            loop_names(system, block)
        ));
    }
    locks
}
