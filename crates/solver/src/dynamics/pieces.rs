//! Closure of a block's positions by structural groups, one after the other (Saura et al.;
//! `ballesta::analysis::groups`).
//!
//! With the independent and driven coordinates given, the closure equations of a block split into pieces: the
//! irreducible diagonal blocks of the pattern of Φ_zd, which follows from the loops. Newton's method closes each with
//! its own unknowns, the pieces before it being closed; it moves only the bodies on which the equations of the piece
//! depend. The other bodies are updated at the end. An equation whose bodies were moved by a later piece is evaluated
//! again.
//!
//! The compiler of a model chooses the blocks that are closed in pieces ([`choose`]): with pieces of one or two
//! unknowns a whole block needs fewer instructions, since its factors fit a skyline as well and no record of moved
//! bodies is needed (docs/performance.md, "Loops in pieces").
//!
//! Jacobians, null spaces, velocities and accelerations use the factors of the same pieces ([`crate::math::skyline`]).
//!
//! Verified by: tests/motion/verification (every model closes to 1e-9 m),
//! crates/run/tests/run/groups/mod.rs (the same positions as in one piece).

use super::choice::count_pieces;
use super::closure::{CLOSURE_TOLERANCE, MAX_GAP, MAX_ITERATIONS, calc_jacobian_row, orders_of, read_row};
use super::kinematics::{calc_positions, update_joint};
use super::partition::{factor_piece, keeps_rank};
use crate::math::larger;
use crate::system::workspace::OpenTree;
use crate::system::{Block, BlockScratch, Moving, State, System, Workspace};
use core::ops::Range;

/// Mean number of unknowns of a piece above which pieces take fewer instructions than the whole block.
const MIN_PIECE_UNKNOWNS: usize = 3;

/// Decides for every block whether it is closed in pieces, from the pieces of a new choice at the assembled position.
pub fn choose(system: &mut System, ws: &mut Workspace) {
    ws.stage.q.copy_from_slice(&system.initial.q);
    let (mut tree, blocks) = ws.open_tree();
    calc_positions(system, &mut tree.stage.q, tree.kinematics);
    for index in 0..system.blocks.len() {
        // Equations of one constraint have the same unknowns.
        system.blocks[index].in_pieces = system.blocks[index].constraints.len() > 1;
        if system.blocks[index].in_pieces {
            let pieces = count_pieces(system, &mut tree, &system.blocks[index], &mut blocks[index]);
            system.blocks[index].in_pieces = pieces > 1 && system.blocks[index].rank >= MIN_PIECE_UNKNOWNS * pieces;
        }
    }
}

/// Closes a block by partition whose factors were begun. Returns the remaining closure error, infinite if a piece does
/// not close or its pivots collapse.
pub(super) fn close(
    system: &System,
    state: &State,
    tree: &mut OpenTree,
    block: &Block,
    scratch: &mut BlockScratch,
) -> f64 {
    // No joint has moved yet.
    for &Moving { joint, .. } in &block.moving {
        (tree.closure.stale[joint], tree.closure.moved_by[joint]) = (false, 0);
    }
    scratch.partition.pivot = f64::INFINITY;
    let mut worst = 0.0;
    // Close the pieces in order; each needs only the positions of the pieces before it.
    for piece in 0..scratch.partition.factors.pieces() {
        let gap = close_piece(system, state, tree, block, scratch, piece);
        worst = larger(worst, gap);
        if !(gap <= MAX_GAP * block.size && keeps_rank(block, &scratch.partition)) {
            return f64::INFINITY;
        }
    }
    // Positions of the joints that no equation reads.
    update(system, tree, block.moving.iter().map(|moving| moving.joint));
    // Rows that a later piece moved are read and factored again.
    let orders = orders_of(state, block);
    for piece in 0..scratch.partition.factors.pieces() {
        let range = scratch.partition.factors.piece(piece);
        let moved =
            |row: &u32| block.supports(*row as usize).iter().any(|&joint| tree.closure.moved_by[joint] > piece + 1);
        if orders[range.clone()].iter().any(moved) {
            read(system, tree, block, scratch, &orders[range]);
            factor_piece(orders, block, &scratch.jacobian, &mut scratch.partition, piece);
        }
    }
    worst
}

/// Newton's method on one piece; returns the remaining closure error.
fn close_piece(
    system: &System,
    state: &State,
    tree: &mut OpenTree,
    block: &Block,
    scratch: &mut BlockScratch,
    piece: usize,
) -> f64 {
    let orders = orders_of(state, block);
    let columns = &state.orders[block.column_order()];
    let range = scratch.partition.factors.piece(piece);
    let mut previous = f64::INFINITY;
    for iteration in 0..=MAX_ITERATIONS {
        // Read the gaps and the Jacobian of the piece at the present positions.
        if piece + iteration > 0 {
            update_supports(system, tree, block, &orders[range.clone()]);
        }
        read(system, tree, block, scratch, &orders[range.clone()]);
        let pivot = factor_piece(orders, block, &scratch.jacobian, &mut scratch.partition, piece);
        let mut gap = 0.0;
        for k in range.clone() {
            let row = block.rows.start + orders[scratch.partition.factors.row(k)] as usize;
            scratch.rhs[k] = tree.closure.rows[row].gap;
            gap = larger(gap, scratch.rhs[k].abs());
        }
        // Rounding can stop the gap just above the tolerance.
        let converged = gap >= 0.5 * previous && gap <= 1e3 * CLOSURE_TOLERANCE * block.size;
        if gap <= CLOSURE_TOLERANCE * block.size || converged || iteration == MAX_ITERATIONS {
            let smallest = scratch.partition.pivot;
            scratch.partition.pivot = if pivot < smallest || pivot.is_nan() { pivot } else { smallest };
            return gap;
        }
        // Newton step.
        previous = gap;
        scratch.partition.factors.solve_piece(piece, &mut scratch.rhs, 1);
        move_piece(system, tree, block, scratch, (piece, range.clone()), columns);
    }
    f64::NAN
}

/// Subtracts `scratch.rhs` from the coordinates of a piece, and marks the bodies that they carry.
fn move_piece(
    system: &System,
    tree: &mut OpenTree,
    block: &Block,
    scratch: &BlockScratch,
    (piece, range): (usize, Range<usize>),
    columns: &[u32],
) {
    for k in range {
        let column = columns[k] as usize;
        let (coordinate, joint) = (block.coordinates[column], &system.joints[block.owners[column]]);
        joint.add_increment(&mut tree.stage.q, coordinate - joint.v, -scratch.rhs[k] * block.per_size[column]);
        for &carried in &block.carried[column] {
            (tree.closure.stale[carried], tree.closure.moved_by[carried]) = (true, piece + 1);
        }
    }
}

/// Updates the positions of the bodies on which some rows depend.
fn update_supports(system: &System, tree: &mut OpenTree, block: &Block, rows: &[u32]) {
    let mut last = usize::MAX;
    for &row in rows {
        let supports = block.supports_of[row as usize];
        if supports != last {
            update(system, tree, block.supports[supports].iter().copied());
            last = supports;
        }
    }
}

/// Updates the positions of the bodies of `joints`, inboard bodies first.
fn update(system: &System, tree: &mut OpenTree, joints: impl Iterator<Item = usize>) {
    for joint in joints {
        if core::mem::replace(&mut tree.closure.stale[joint], false) {
            update_joint(system, &tree.stage.q, tree.kinematics, joint);
        }
    }
}

/// Values, forces and Jacobian of some rows of a block.
fn read(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch, rows: &[u32]) {
    for &row in rows {
        read_row(system, tree, block.rows.start + row as usize);
        calc_jacobian_row(system, tree, block, row as usize, &mut scratch.jacobian);
    }
}
