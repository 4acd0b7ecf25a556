//! Least change of the coordinates of a block that closes its loops, for positions and for velocities.

use super::unweighted::{Decomposition, jacobian};
use super::{CLOSURE_RATE_TOLERANCE, GAP_TOLERANCE, MAX_ITERATIONS, PIVOT_TOLERANCE};
use crate::dynamics::closure;
use crate::dynamics::kinematics::{calc_velocities, update_positions};
use crate::math::larger;
use crate::system::{Block, RANK, System, Workspace};
use alloc::vec::Vec;

/// Largest change of a scaled coordinate in one iteration, relative to the size of the block.
const MAX_CHANGE: f64 = 0.2;
/// A closure error below this fraction of the size of the block is round-off.
const CLOSURE_TOLERANCE: f64 = 2e-16;
/// Distance of the alternatives that are tried if a position cannot be closed, relative to the size of the block.
const ALTERNATIVE_DISTANCES: [f64; 3] = [0.02, 0.1, 0.3];
/// Iterations of the least change of the velocities of a block. The equations are linear, so the first iteration solves
/// them and the others remove round-off.
const SWEEPS: usize = 4;

/// Columns of a block that deform a body: the assembly does not change them as long as the loops close without them.
pub(super) fn elastic_columns(system: &System, block: &Block) -> Vec<usize> {
    let elastic = |&column: &usize| system.flexible.iter().any(|body| body.v.contains(&block.coordinates[column]));
    (0..block.coordinates.len()).filter(elastic).collect()
}

/// Gauss-Newton iteration with limited changes of the positions of one block; `held` columns do not move. Leaves the
/// best position found in `ws.stage.q` and returns its gap in m over all rows.
pub(super) fn relax(system: &System, ws: &mut Workspace, block: &Block, held: &[usize]) -> f64 {
    let n = block.coordinates.len();
    let mut best = (f64::INFINITY, ws.stage.q.clone());
    let mut idle = 0;
    for _ in 0..MAX_ITERATIONS {
        // Remember the best position. `idle` counts iterations that do not halve the gap.
        let jacobian = jacobian(system, ws, block);
        let values: Vec<f64> = ws.closure.rows[block.rows.clone()].iter().map(|row| row.gap).collect();
        let gap = values.iter().map(|value| value.abs()).fold(0.0, larger);
        if gap < best.0 {
            idle = if gap < 0.5 * best.0 { 0 } else { idle + 1 };
            best = (gap, ws.stage.q.clone());
        } else {
            idle += 1;
        }
        if gap <= CLOSURE_TOLERANCE * block.size
            || gap.is_nan()
            || n == 0
            || (idle > 2 && best.0 <= GAP_TOLERANCE)
            || idle > 40
        {
            break;
        }
        // Least change, limited in length so that the loop stays on its branch.
        let mut change = Decomposition::new(&jacobian, block, held, PIVOT_TOLERANCE).change(&values, n);
        let longest = change.iter().map(|value| value.abs()).fold(0.0, larger);
        let limit = MAX_CHANGE * block.size;
        if longest > limit {
            change.iter_mut().for_each(|value| *value *= limit / longest);
        }
        move_block(system, ws, block, &change);
    }
    // Return to the best position.
    ws.stage.q.copy_from_slice(&best.1);
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
    closure::complete_rows(system, &ws.stage.q, &ws.kinematics, &mut ws.closure.rows);
    best.0
}

/// [`relax`] from positions next to the present one, along the free motions of the loop there: no least change leads
/// out of a singular position. The nearest position that can be closed is used, the positive side first; if none is
/// found, `gap` is unchanged.
pub(super) fn relax_from_beside(system: &System, ws: &mut Workspace, block: &Block, gap: f64) -> f64 {
    let n = block.coordinates.len();
    let from = ws.stage.q.clone();
    let basis = Decomposition::new(&jacobian(system, ws, block), block, &[], RANK.relative).basis(n);
    for amount in ALTERNATIVE_DISTANCES {
        for direction in &basis {
            // Its largest entry is positive: the sign from the decomposition is arbitrary.
            let largest = direction.iter().fold(0.0f64, |most, d| if d.abs() > most.abs() { *d } else { most });
            for sign in [largest.signum(), -largest.signum()] {
                ws.stage.q.copy_from_slice(&from);
                update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
                let change: Vec<f64> = direction.iter().map(|d| sign * amount * block.size * d).collect();
                move_block(system, ws, block, &change);
                let left = relax(system, ws, block, &[]);
                if left <= GAP_TOLERANCE {
                    return left;
                }
            }
        }
    }
    ws.stage.q.copy_from_slice(&from);
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
    closure::complete_rows(system, &ws.stage.q, &ws.kinematics, &mut ws.closure.rows);
    gap
}

/// Adds scaled changes to the coordinates of a block.
pub(super) fn move_block(system: &System, ws: &mut Workspace, block: &Block, change: &[f64]) {
    for (column, &coordinate) in block.coordinates.iter().enumerate() {
        let joint = &system.joints[block.owners[column]];
        joint.add_increment(&mut ws.stage.q, coordinate - joint.v, change[column] / block.unit_size[column]);
    }
    update_positions(system, &ws.stage.q, &mut ws.kinematics, block);
}

/// Least change of the velocities in `ws.stage.v` that keeps the loops closed; speeds of `requests` are held if that is
/// possible.
pub(super) fn relax_velocities(system: &System, ws: &mut Workspace, requests: &[(usize, f64)]) {
    for block in &system.blocks {
        let n = block.coordinates.len();
        let elastic = elastic_columns(system, block);
        let mut held: Vec<usize> =
            (0..n).filter(|&column| requests.iter().any(|request| request.0 == block.coordinates[column])).collect();
        held.extend(&elastic);
        for held in [&held[..], &elastic, &[]] {
            let mut parts = Decomposition::new(&jacobian(system, ws, block), block, held, PIVOT_TOLERANCE);
            let mut worst = 0.0;
            for _ in 0..SWEEPS {
                let rates: Vec<f64> = block
                    .rows
                    .clone()
                    .map(|row| system.rows[row].rate(&ws.closure.rows[row], &ws.kinematics.bodies, &ws.stage.v))
                    .collect();
                worst = rates.iter().map(|rate| rate.abs()).fold(0.0, larger);
                let change = parts.change(&rates, n);
                for (column, &coordinate) in block.coordinates.iter().enumerate() {
                    ws.stage.v[coordinate] += change[column] / block.unit_size[column];
                }
                calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
            }
            if worst <= CLOSURE_RATE_TOLERANCE * block.size {
                break;
            }
        }
    }
}

pub(super) fn refresh_jacobians(system: &System, ws: &mut Workspace) {
    let (mut tree, blocks) = ws.open_tree();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        scratch.least_change = false;
        closure::calc_jacobian(system, &mut tree, block, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::kinematics::calc_positions;
    use crate::joint::Row;
    use crate::math::Vec3;
    use crate::mechanism::{BodyRef, Joint, Mechanism};

    #[test]
    fn a_gap_that_is_not_a_number_is_no_closed_loop() {
        let mut mechanism = Mechanism::default();
        let bodies = [0.5, 1.0].map(|x| mechanism.add_body("bar", 1.0, Vec3::new(x, 0.0, 0.0), [0.1; 3]));
        for [first, second] in [[BodyRef::Ground, bodies[0]], bodies, [bodies[1], BodyRef::Ground]] {
            mechanism.add_joint(Joint::revolute("hinge", [first, second], Vec3::x(), Vec3::y()));
        }
        let mut system = mechanism.layout().unwrap().system(Vec::new());
        let Row::Along { p_first, .. } = &mut system.rows[0] else { panic!("a cut begins with its point") };
        *p_first = Vec3::repeat(f64::NAN);
        let mut ws = Workspace::new(&system);
        ws.stage.q.copy_from_slice(&system.initial.q);
        calc_positions(&system, &mut ws.stage.q, &mut ws.kinematics);
        let gap = relax(&system, &mut ws, &system.blocks[0], &[]);
        assert!(!(gap <= GAP_TOLERANCE), "{gap}");
    }
}
