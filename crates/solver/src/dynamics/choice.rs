//! Choice between steps of the independent coordinates of a block, and of its closure by partition or least change, by
//! full pivoting.
//!
//! The choice is checked after every step. It is repeated if a pivot has decayed or a dependent coordinate moves much
//! faster than the independent ones. It depends only on positions and state, so the same state gives the same bits.
//!
//! Cost. Check: the entries of R_z. Choice: all m n entries of the Jacobian once per pivot. No allocation.
//!
//! Verified by: tests/motion/verification (four-bar windows over many step sizes).

use super::closure::{CANCELLATION_TOLERANCE, calc_jacobian, orders_of};
use super::partition::{self, MIN_STEP_PIVOT};
use crate::math::larger;
use crate::math::linear::{self, Selection, Tolerance};
use crate::system::workspace::{OpenTree, Partition};
use crate::system::{Block, BlockScratch, RANK, State, System};

/// A block is closed by least change below this fraction of its regular pivot. The value is 500 times
/// [`super::closure::MIN_PIVOT`], so that equations are left out only well inside the range closed by least change.
const LEAST_CHANGE_PIVOT: f64 = 0.05;
/// Coordinates are chosen again if the smallest pivot falls below this fraction of its best value since the last
/// choice. At this value, errors of the dependent coordinates have grown by a factor of five.
const MIN_PIVOT_RATIO: f64 = 0.2;
/// The solver searches for another choice if a dependent coordinate moves faster than an independent one by more than
/// this factor, both scaled to m. The factor also amplifies the errors of the integrated coordinates; this value costs
/// less than a digit.
const MAX_SPEED_RATIO: f64 = 3.0;
/// Preferred coordinates remain independent unless a dependent one moves faster by more than this factor. A request of
/// the file may thus cost one digit.
const MAX_PREFERRED_SPEED_RATIO: f64 = 10.0;
/// Another choice is accepted if its factor is below this fraction of the present factor. The next search starts when
/// the present factor has grown by the inverse, so that a mechanism without a better choice is not searched at every
/// step.
const MAX_ACCEPTED_RATIO: f64 = 0.5;

/// Between steps: compares the speeds of dependent and independent coordinates, chooses coordinates again if another
/// choice is better, and decides how each block is closed in the next step. Depends only on the state, and on the
/// positions in the workspace with the null spaces of the blocks. `first`: there is no previous choice.
pub fn choose_coordinates(
    system: &System,
    state: &mut State,
    tree: &mut OpenTree,
    blocks: &mut [BlockScratch],
    first: bool,
) {
    for (index, (block, scratch)) in system.blocks.iter().zip(blocks).enumerate() {
        // A choice with a sound pivot and a low growth is kept.
        let sound = !first && state.least_change[index] == 0 && !scratch.least_change;
        let growth = if sound { partition::growth(block, &scratch.partition) } else { f64::INFINITY };
        let decayed = scratch.partition.pivot < MIN_PIVOT_RATIO * state.pivots[index];
        if sound && !decayed && growth <= state.growth_limits[index] {
            // A choice made near a singular position is compared with its best pivot, not with its poor first pivot.
            state.pivots[index] = state.pivots[index].max(scratch.partition.pivot);
            state.growth_limits[index] = state.growth_limits[index].min(limit_from(growth));
            continue;
        }
        // Otherwise search again; the new choice must be clearly better.
        let (selection, new_growth) = select_sound(system, tree, block, scratch);
        let regular = selection.rank >= block.rank && selection.smallest >= LEAST_CHANGE_PIVOT * block.regular_pivot
            || block.rank == 0;
        if sound && regular && !decayed && !(new_growth < MAX_ACCEPTED_RATIO * growth) {
            state.growth_limits[index] = limit_from(growth);
            // The factors of the trial do not belong to the final choice.
            factor_remembered(state, block, scratch);
            continue;
        }
        // A singular block is closed by least change, a regular one by the new choice.
        state.least_change[index] = u32::from(!regular);
        if regular {
            let n = block.coordinates.len() as u32;
            let dependent = |columns: &[u32], k: u32| columns[..block.rank].contains(&k);
            let (old, new) = (&state.orders[block.column_order()], &scratch.trial_order[block.rows.len()..]);
            let changed = (0..n).any(|k| dependent(old, k) != dependent(new, k));
            if changed && !first {
                state.repartitions = state.repartitions.saturating_add(1);
            }
            take_selection(state, block, scratch, index);
            state.growth_limits[index] = limit_from(new_growth);
        }
    }
}

/// Growth that triggers the next search, if `growth` is the best available.
fn limit_from(growth: f64) -> f64 {
    MAX_SPEED_RATIO.max(growth / MAX_ACCEPTED_RATIO)
}

/// Factors of the choice stored in the state.
fn factor_remembered(state: &State, block: &Block, scratch: &mut BlockScratch) -> bool {
    let BlockScratch { jacobian, partition, rank, width, .. } = scratch;
    (*rank, *width) = (block.rank, block.coordinates.len() - block.rank);
    partition::begin(orders_of(state, block), block, partition);
    partition::factor(orders_of(state, block), block, jacobian, partition)
}

/// [`select`] with the requests for independent coordinates, or without them if they make the other coordinates too
/// fast. Returns the growth of the choice.
fn select_sound(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) -> (Selection, f64) {
    let selection = select(system, tree, block, scratch, &block.class);
    let grown = trial_growth(block, scratch);
    if grown <= MAX_PREFERRED_SPEED_RATIO || block.class == block.class_without_requests {
        return (selection, grown);
    }
    let selection = select(system, tree, block, scratch, &block.class_without_requests);
    (selection, trial_growth(block, scratch))
}

/// Growth of the choice in `scratch.trial_order`; infinite if its pivots collapsed.
fn trial_growth(block: &Block, scratch: &mut BlockScratch) -> f64 {
    let BlockScratch { jacobian, trial_order, partition, rank, width, .. } = scratch;
    (*rank, *width) = (block.rank, block.coordinates.len() - block.rank);
    partition::begin(trial_order, block, partition);
    if !partition::factor(trial_order, block, jacobian, partition) {
        return f64::INFINITY;
    }
    partition::solve_null_space(trial_order, block, jacobian, partition);
    partition::growth(block, partition)
}

/// Chooses the independent coordinates of block `index` at its present Jacobian and closes it by partition, even near a
/// singular position. Returns `false` without changes if the pivots indicate a singular position.
pub fn force_partition(
    system: &System,
    state: &mut State,
    tree: &mut OpenTree,
    blocks: &mut [BlockScratch],
    index: usize,
) -> bool {
    let (block, scratch) = (&system.blocks[index], &mut blocks[index]);
    let (selection, _) = select_sound(system, tree, block, scratch);
    let sound =
        block.rank == 0 || selection.rank >= block.rank && selection.smallest > MIN_STEP_PIVOT * block.regular_pivot;
    if sound {
        state.least_change[index] = 0;
        take_selection(state, block, scratch, index);
    }
    sound
}

/// Pivots of a block at the present positions into `scratch.trial_order`, rows and columns so that Φ_zd has a narrow
/// skyline in block triangular form. `class` of every column: lower classes become dependent first.
fn select(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch, class: &[u8]) -> Selection {
    calc_jacobian(system, tree, block, scratch);
    let tolerance = tolerance(system, tree, block);
    let (m, n) = (block.rows.len(), block.coordinates.len());
    let BlockScratch { jacobian, trial, trial_order, candidates, partition, .. } = scratch;
    let Partition { places, graph, .. } = partition;
    block.expand(jacobian, trial);
    let (rows, columns) = trial_order.split_at_mut(m);
    // Pivots of the Jacobian with full pivoting.
    let selection = linear::select_pivots(trial, (m, n), class, tolerance, (&mut *rows, &mut *columns), candidates);
    if block.in_pieces {
        for (k, &column) in columns.iter().enumerate() {
            places[column as usize] = k;
        }
        let unknowns = |row: usize| block.columns_of(rows[row] as usize).iter().copied();
        let unknowns = |row: usize| unknowns(row).filter(|&column| places[column] < block.rank);
        graph.find_matching((block.rank, n), unknowns);
        graph.find_components(n, |graph, column, k| graph.row_of(column).and_then(|row| unknowns(row).nth(k)));
    }
    let piece = |column: usize| if block.in_pieces { graph.component(column) } else { 0 };
    // Order of the dependent columns by pieces, of the independent ones by number.
    let (dependent, independent) = columns.split_at_mut(block.rank);
    dependent.sort_unstable_by_key(|&column| (piece(column as usize), block.places[column as usize]));
    independent.sort_unstable();
    for (k, &column) in columns.iter().enumerate() {
        places[column as usize] = k;
    }
    // A row belongs to the last piece in which it has entries.
    let unknowns = |row: u32| block.columns_of(row as usize).iter().filter(|&&column| places[column] < block.rank);
    let own = |row: u32| unknowns(row).map(|&column| piece(column)).max();
    let begin = |row: u32| block.columns_of(row as usize).iter().map(|&column| places[column]).min();
    rows[..block.rank].sort_unstable_by_key(|&row| (own(row), begin(row), row));
    selection
}

/// Number of pieces of a block that may be closed in pieces, with a new choice at the present positions.
pub(super) fn count_pieces(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) -> usize {
    select_sound(system, tree, block, scratch);
    let BlockScratch { trial_order, partition, .. } = scratch;
    partition::begin(trial_order, block, partition);
    partition.factors.pieces()
}

/// Zero tolerance for pivots of a block's Jacobian, whose rows were read at the present positions. Columns that do not
/// move a loop in general orientation cancel to round-off, which is zero relative to their terms but not relative to
/// each other.
pub fn tolerance(system: &System, tree: &OpenTree, block: &Block) -> Tolerance {
    let mut largest = 0.0f64;
    for (index, row) in block.rows.clone().enumerate().filter(|&(_, row)| system.rows[row].bodies().is_some()) {
        let state = &tree.closure.rows[row];
        for entry in &block.entries[index] {
            let force = if entry.on_second { &state.on_second } else { &state.on_first };
            let column = &tree.kinematics.columns[entry.slot];
            let size = column.lin.norm() * force.force.norm() + column.ang.norm() * force.moment.norm();
            largest = larger(largest, (entry.factor * size).abs());
        }
    }
    Tolerance { absolute: RANK.absolute.max(CANCELLATION_TOLERANCE * largest), ..RANK }
}

/// Stores the selection, with the smallest pivot of its factors.
fn take_selection(state: &mut State, block: &Block, scratch: &mut BlockScratch, index: usize) {
    state.orders[block.row_order().start..block.column_order().end].copy_from_slice(&scratch.trial_order);
    factor_remembered(state, block, scratch);
    state.pivots[index] = if block.rank == 0 { 0.0 } else { scratch.partition.pivot };
}
