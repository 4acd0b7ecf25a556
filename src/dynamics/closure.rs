//! Loop closure of positions and velocities, block by block, and the second velocity transformation R_z.
//!
//! Regular positions: the coordinates of a block are split by Gaussian elimination with full pivoting, done once and
//! remembered; the dependent ones follow from Φ_zd δz^d = −Φ (Hidalgo & García de Jalón, eqs 26-27). Near singular positions
//! the closure fixes positions only to about ε/σ and velocities to ε/σ², with σ the smallest singular value: a stage that
//! happens to land there would spoil the energy although nothing failed. There the block is closed by mass-weighted least
//! change of all its coordinates ([`super::least_change`]), and an equation whose pivot is below [`SINGULAR`] of the regular one is left
//! out for positions, velocities and accelerations of that stage. The other equations hold exactly along the direction that is free
//! then, and the changes that they cause are orthogonal to it in the metric of the mass matrix, so what happens along it does no work on
//! them.
//!
//! Which of the two a block uses is decided between steps ([`choose_coordinates`]); within a step only a pivot that
//! collapses switches to least change. Iterations are bounded by `ITERATIONS`.
//!
//! Proved by: tests/motion/verification (four-bar windows over many step sizes), dynamics::tests (Jacobians, rates, multipliers).

use super::kinematics::{calc_velocities, change_accelerations, change_velocities, update_moved, update_positions};
use super::{least_change, pieces};
use crate::joint::Row;
use crate::math::larger;
use crate::math::linear::{self, Selection, Tolerance};
use crate::system::{Block, BlockScratch, Entry, Fault, RANK, State, System, Workspace};

/// Newton iterations per closure, at most.
pub(super) const ITERATIONS: usize = 12;
/// A direction is left alone where its pivot is below this part r of the regular one. Velocities closed at it have an error of ε / r², 1e-8
/// of themselves; left alone for a step of 1 ms they change by about r of themselves. With 3e-4 the energy of ten windows is off
/// by 1.3e-8 J at the worst of twenty steps, with this value by 3.2e-10 J.
pub const SINGULAR: f64 = 1e-4;
/// A block is closed by least change below this part of its regular pivot.
const NEAR: f64 = 0.05;
/// Coordinates are chosen anew when the smallest pivot fell below this part of its best value since the last choice.
const DECAYED: f64 = 0.2;
/// Another choice is looked for when a dependent coordinate moves faster than an independent one by more than this factor,
/// both scaled to m: errors of the integrated coordinates reach the others magnified by it.
const GROWN: f64 = 3.0;
/// Preferred coordinates stay independent while no dependent one moves faster than this many times as far.
const REQUESTED: f64 = 10.0;
/// Another choice is taken when its factor is below this part of the present one, and looked for again when the present one has
/// grown by the inverse of it: a mechanism that has no better choice is not searched at every step.
const BETTER: f64 = 0.5;
/// An entry of a Jacobian below this part of what it was made of, before it cancelled, is round-off.
pub(crate) const CANCELLED: f64 = 1e-12;
/// Within a step, a pivot below this part of the regular one switches the block to least change.
const COLLAPSED: f64 = 1e-3;
/// A change of velocities that cancels a rate below this part of the fastest coordinate is right to the last digits.
const SMALL_CHANGE: f64 = 1e-7;
/// Closure error, relative to the size of the block, at which Newton stops.
pub(super) const CLOSED: f64 = 1e-14;
/// Closure error, relative to the size of the block, above which a loop counts as open.
pub(super) const OPEN: f64 = 1e-10;

/// The same for a block of which a direction was left alone: what a step can move across it where its singular value is small, and
/// less than what a loop opens by when a guided coordinate pulls at it in a dead centre.
const LEFT_OPEN: f64 = 1e-6;

/// Closes the positions of all blocks. On return Jacobians and factors belong to the closed positions.
pub fn close_positions(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    with_blocks(system, ws, |ws, index, block, scratch| {
        let gap = close_block(system, state, ws, block, scratch);
        let left_alone = open_gap(system, ws, block, scratch);
        match gap <= OPEN * block.size && left_alone <= LEFT_OPEN * block.size {
            true => Ok(()),
            false => Err(Fault::LoopOpen {
                block: index as u32,
                gap: if gap > left_alone { gap } else { left_alone },
                time: f64::NAN,
            }),
        }
    })
}

/// Visits all blocks with their scratch until one fails.
fn with_blocks(
    system: &System,
    ws: &mut Workspace,
    mut visit: impl FnMut(&mut Workspace, usize, &Block, &mut BlockScratch) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut blocks = std::mem::take(&mut ws.blocks);
    let mut pairs = system.blocks.iter().zip(&mut blocks).enumerate();
    let done = pairs.try_for_each(|(index, (block, scratch))| visit(ws, index, block, scratch));
    ws.blocks = blocks;
    done
}

/// Visits all blocks with their scratch.
pub(super) fn each_block(
    system: &System,
    ws: &mut Workspace,
    mut visit: impl FnMut(&mut Workspace, &Block, &mut BlockScratch),
) {
    let mut blocks = std::mem::take(&mut ws.blocks);
    system.blocks.iter().zip(&mut blocks).for_each(|(block, scratch)| visit(ws, block, scratch));
    ws.blocks = blocks;
}

/// Jacobians and factors at positions that are closed already.
pub fn factor_blocks(system: &System, state: &State, ws: &mut Workspace) {
    each_block(system, ws, |ws, block, scratch| {
        read_rows(system, state, ws, block, scratch);
        begin_factors(state, block, scratch);
        factor_block(system, state, ws, block, scratch, &mut false);
    });
}

/// Jacobian and factors of a block whose rows were read at the present positions, after [`begin_factors`]. `prepared`: whether what one
/// closure does once for least change was done, see [`least_change::factor`].
pub(super) fn factor_block(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    block: &Block,
    scratch: &mut BlockScratch,
    prepared: &mut bool,
) {
    if !scratch.least_change {
        for &row in pivot_rows(state, block) {
            calc_jacobian_row(system, ws, block, row as usize, &mut scratch.jacobian);
        }
        scratch.least_change = !factor_pieces(orders_of(state, block), block, scratch);
    }
    if scratch.least_change {
        least_change::factor(system, ws, block, scratch, prepared);
    }
}

/// Newton on one block; returns the closure error that is left. Where a partition does not lead to closed positions, or to ones far
/// away, the block is closed by least change from where it was.
fn close_block(system: &System, state: &State, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) -> f64 {
    let by_partition = !scratch.least_change;
    if by_partition {
        ws.before.copy_from_slice(&ws.q);
        begin_factors(state, block, scratch);
    }
    let gap = match by_partition && scratch.factors.pieces() > 1 {
        true => pieces::close(system, state, ws, block, scratch),
        false => iterate(system, state, ws, block, scratch),
    };
    if gap <= OPEN * block.size || !by_partition {
        return gap;
    }
    ws.q.copy_from_slice(&ws.before);
    update_positions(system, ws, block);
    scratch.least_change = true;
    iterate(system, state, ws, block, scratch)
}

/// The iterations of [`close_block`] in one of the two ways.
fn iterate(system: &System, state: &State, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) -> f64 {
    let mut previous = f64::INFINITY;
    let mut prepared = false;
    for iteration in 0..=ITERATIONS {
        read_rows(system, state, ws, block, scratch);
        factor_block(system, state, ws, block, scratch, &mut prepared);
        let gap = residual(ws, state, block, scratch, |ws, row| ws.rows[row].gap);
        let settled = gap >= 0.5 * previous && gap <= 1e3 * CLOSED * block.size;
        if gap <= CLOSED * block.size || settled || iteration == ITERATIONS {
            return gap;
        }
        previous = gap;
        solve_change(state, block, scratch);
        move_coordinates(system, ws, block, scratch);
    }
    f64::NAN
}

/// Largest gap of all rows of a block of which a direction was left alone: left alone is not closed. 0 for others.
fn open_gap(system: &System, ws: &Workspace, block: &Block, scratch: &BlockScratch) -> f64 {
    if scratch.rank == block.rank {
        return 0.0;
    }
    block.rows.clone().map(|row| system.rows[row].state(&ws.bodies, &ws.q).gap.abs()).fold(0.0, larger)
}

/// Moves the coordinates of a block by `scratch.change`, and the bodies with them.
pub(super) fn move_coordinates(system: &System, ws: &mut Workspace, block: &Block, scratch: &BlockScratch) {
    for (column, &coordinate) in block.coordinates.iter().enumerate().filter(|&(k, _)| scratch.change[k] != 0.0) {
        let joint = &system.joints[block.owners[column]];
        joint.add_increment(&mut ws.q, coordinate - joint.v, scratch.change[column]);
    }
    update_moved(system, ws, block, scratch);
}

/// `scratch.change` ← change of the dependent coordinates of a block closed by partition that closes it to first order.
pub(super) fn gap_changes(ws: &Workspace, state: &State, block: &Block, scratch: &mut BlockScratch) {
    residual(ws, state, block, scratch, |ws, row| ws.rows[row].gap);
    solve_change(state, block, scratch);
}

/// Velocities of all blocks, and with them of all bodies, after [`calc_null_spaces`]. Those of a block closed by partition
/// follow from its independent and the guided ones; a block closed by least change takes one solve from the bodies'
/// velocities, and a refinement where it had to change them much.
pub fn close_velocities(system: &System, state: &State, ws: &mut Workspace) {
    each_block(system, ws, |ws, block, scratch| {
        if !scratch.least_change {
            follow(system, state, ws, block, scratch);
        }
    });
    calc_velocities(system, ws);
    each_block(system, ws, |ws, block, scratch| {
        if !scratch.least_change {
            return;
        }
        for _ in 0..2 {
            let rate =
                residual(ws, state, block, scratch, |ws, row| system.rows[row].rate(&ws.rows[row], &ws.bodies, &ws.v));
            solve_change(state, block, scratch);
            change_velocities(ws, block, scratch);
            let fastest = block.coordinates.iter().zip(&block.unit_size);
            let fastest = fastest.fold(0.0f64, |most, (&v, size)| most.max(ws.v[v].abs() * size));
            if rate <= SMALL_CHANGE * fastest {
                break;
            }
        }
    });
}

/// Dependent velocities of a block closed by partition: ż^d = R_d ż^i, less what cancels the rates that guided coordinates cause.
fn follow(system: &System, state: &State, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) {
    let (dependent, independent) = state.orders[block.column_order()].split_at(block.rank);
    for &column in dependent {
        let row = &scratch.null[column as usize * scratch.free..][..scratch.free];
        let mut speed = 0.0;
        for (factor, &other) in row.iter().zip(independent) {
            speed += factor * ws.v[block.coordinates[other as usize]];
        }
        ws.v[block.coordinates[column as usize]] = speed;
    }
    change_from_guides(system, state, ws, block, scratch);
    for &column in dependent {
        ws.v[block.coordinates[column as usize]] += scratch.change[column as usize];
    }
}

/// `scratch.change` ← speeds of the dependent coordinates of a block closed by partition that guided coordinates cause.
pub(super) fn change_from_guides(
    system: &System,
    state: &State,
    ws: &Workspace,
    block: &Block,
    scratch: &mut BlockScratch,
) {
    if block.guided.is_empty() {
        scratch.change.fill(0.0);
        return;
    }
    residual(ws, state, block, scratch, |ws, row| {
        let rate = |entry: &Entry| slope(system, ws, row, entry) * ws.v[entry.column];
        block.guided[row - block.rows.start].iter().map(rate).sum()
    });
    solve_change(state, block, scratch);
}

/// Particular accelerations of the block's coordinates: with them, and all independent ones zero, the closure holds.
/// `ws.accelerations` must be those of the present `ws.zdd`; the change is added to both.
pub fn close_accelerations(system: &System, state: &State, ws: &mut Workspace) {
    each_block(system, ws, |ws, block, scratch| {
        residual(ws, state, block, scratch, |ws, row| {
            system.rows[row].acceleration(&ws.rows[row], &ws.bodies, &ws.accelerations, &ws.zdd)
        });
        solve_change(state, block, scratch);
        change_accelerations(ws, block, scratch);
    });
}

/// The remembered pivot rows of a block closed by partition.
fn pivot_rows<'a>(state: &'a State, block: &Block) -> &'a [u32] {
    &state.orders[block.row_order()][..block.rank]
}

/// Values and forces of the rows that close a block, at the present positions. By least change they are read with their
/// Jacobian ([`least_change::factor`]).
pub(super) fn read_rows(system: &System, state: &State, ws: &mut Workspace, block: &Block, scratch: &BlockScratch) {
    if !scratch.least_change {
        for &row in pivot_rows(state, block) {
            read_row(system, ws, block.rows.start + row as usize);
        }
    }
}

/// Value and forces of row `row` of all.
pub(super) fn read_row(system: &System, ws: &mut Workspace, row: usize) {
    ws.rows[row] = system.rows[row].state(&ws.bodies, &ws.q);
}

/// Values and forces of all rows at the present positions, the redundant ones included, which no evaluation needs.
pub fn complete_rows(system: &System, ws: &mut Workspace) {
    for (state, row) in ws.rows.iter_mut().zip(&system.rows) {
        *state = row.state(&ws.bodies, &ws.q);
    }
}

/// Values, forces and Jacobian (coordinates scaled to m) of all rows of a block at the present positions.
pub fn calc_jacobian(system: &System, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) {
    for (index, row) in block.rows.clone().enumerate() {
        read_row(system, ws, row);
        calc_jacobian_row(system, ws, block, index, &mut scratch.jacobian);
    }
}

/// Row `index` of a block's Jacobian from its state.
pub(super) fn calc_jacobian_row(system: &System, ws: &Workspace, block: &Block, index: usize, jacobian: &mut [f64]) {
    let row = block.rows.start + index;
    for entry in &block.entries[index] {
        let slope = slope(system, ws, row, entry);
        match entry.first {
            true => jacobian[entry.place] = slope,
            false => jacobian[entry.place] += slope,
        }
    }
}

/// What `entry` is in the Jacobian, by the state of its row.
fn slope(system: &System, ws: &Workspace, row: usize, entry: &Entry) -> f64 {
    if let Row::Coupled { .. } = system.rows[row] {
        return entry.factor;
    }
    let state = &ws.rows[row];
    let force = if entry.on_second { &state.on_second } else { &state.on_first };
    entry.factor * ws.columns[entry.slot].dot(force)
}

/// Orders of rows and columns that the state remembers for a block.
fn orders_of<'a>(state: &'a State, block: &Block) -> &'a [u32] {
    &state.orders[block.row_order().start..block.column_order().end]
}

/// Factors Φ_zd of the rows and columns that come first in `orders`. `false` when the pivots collapsed.
fn factor_partition(orders: &[u32], block: &Block, scratch: &mut BlockScratch) -> bool {
    begin_partition(orders, block, scratch);
    factor_pieces(orders, block, scratch)
}

/// The same after [`begin_partition`].
fn factor_pieces(orders: &[u32], block: &Block, scratch: &mut BlockScratch) -> bool {
    scratch.pivot = f64::INFINITY;
    for piece in 0..scratch.factors.pieces() {
        let pivot = factor_piece(orders, block, scratch, piece);
        scratch.pivot = if pivot < scratch.pivot || pivot.is_nan() { pivot } else { scratch.pivot };
    }
    keeps_rank(block, scratch)
}

/// Begins the factors of the remembered choice.
pub(super) fn begin_factors(state: &State, block: &Block, scratch: &mut BlockScratch) {
    begin_partition(orders_of(state, block), block, scratch);
}

/// Begins the factors of the rows and columns that come first in `orders`: which pieces they fall into.
fn begin_partition(orders: &[u32], block: &Block, scratch: &mut BlockScratch) {
    let (rows, columns) = orders.split_at(block.rows.len());
    let BlockScratch { factors, places, .. } = scratch;
    for (k, &column) in columns.iter().enumerate() {
        places[column as usize] = k;
    }
    match block.in_pieces {
        true => factors.begin(block.rank, |k| block.columns_of(rows[k] as usize), places),
        false => factors.begin_whole(block.rank),
    }
    (scratch.rank, scratch.free) = (block.rank, block.coordinates.len() - block.rank);
}

/// Factors one of these pieces; returns its smallest pivot.
pub(super) fn factor_piece(orders: &[u32], block: &Block, scratch: &mut BlockScratch, piece: usize) -> f64 {
    let BlockScratch { jacobian, factors, places, .. } = scratch;
    let range = factors.piece(piece);
    for k in range.clone() {
        let row = orders[k] as usize;
        let values = &jacobian[block.starts[row]..block.starts[row + 1]];
        factors.set_row(k, &range, block.columns_of(row), values, places);
    }
    factors.factor_piece(piece)
}

/// Whether no pivot collapsed so far.
pub(super) fn keeps_rank(block: &Block, scratch: &BlockScratch) -> bool {
    block.rank == 0 || scratch.pivot > COLLAPSED * block.regular_pivot
}

/// Right-hand side of the kept equations from a value per row; returns the largest of them in magnitude.
fn residual(
    ws: &Workspace,
    state: &State,
    block: &Block,
    scratch: &mut BlockScratch,
    value: impl Fn(&Workspace, usize) -> f64,
) -> f64 {
    let start = block.rows.start;
    if scratch.least_change {
        return least_change::residual(block, scratch, |row| value(ws, row));
    }
    let mut largest = 0.0f64;
    let rows = pivot_rows(state, block);
    for k in 0..scratch.rank {
        scratch.rhs[k] = value(ws, start + rows[scratch.factors.row(k)] as usize);
    }
    for value in &scratch.rhs[..scratch.rank] {
        // NaN must not hide: max() would drop it.
        largest = if value.is_nan() { f64::NAN } else { largest.max(value.abs()) };
        if largest.is_nan() {
            break;
        }
    }
    largest
}

/// Change of the block's coordinates (unscaled) that cancels the right-hand side.
fn solve_change(state: &State, block: &Block, scratch: &mut BlockScratch) {
    let rank = scratch.rank;
    if scratch.least_change {
        least_change::solve(block, scratch);
    } else {
        scratch.factors.solve(&mut scratch.rhs[..rank], 1);
        let (dependent, independent) = state.orders[block.column_order()].split_at(rank);
        for (&column, x) in dependent.iter().zip(&scratch.rhs) {
            scratch.change[column as usize] = -x * block.per_size[column as usize];
        }
        independent.iter().for_each(|&column| scratch.change[column as usize] = 0.0);
    }
}

/// Columns of R_z of every block: motions of its coordinates that keep the loops closed.
pub fn calc_null_spaces(system: &System, state: &State, ws: &mut Workspace) {
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &mut ws.blocks[index];
        match scratch.least_change {
            true => least_change::fill_null_space(block, scratch),
            false => fill_null_space(state, block, scratch),
        }
    }
}

/// The same for one block closed by partition, with its factors.
pub(super) fn fill_null_space(state: &State, block: &Block, scratch: &mut BlockScratch) {
    let (rank, free) = (scratch.rank, scratch.free);
    solve_null_space(orders_of(state, block), block, scratch);
    let (dependent, independent) = state.orders[block.column_order()].split_at(rank);
    let BlockScratch { solution, null, .. } = scratch;
    for (&column, line) in dependent.iter().zip(solution.chunks_exact(free.max(1))) {
        let (row, per_size) = (&mut null[column as usize * free..][..free], block.per_size[column as usize]);
        row.iter_mut().zip(line).for_each(|(value, x)| *value = x * per_size);
    }
    for (c, &column) in independent.iter().enumerate() {
        let row = &mut null[column as usize * free..][..free];
        row.iter_mut().for_each(|value| *value = 0.0);
        row[c] = 1.0;
    }
}

/// −Φ_zd⁻¹ Φ_zi of a block, scaled, with the factors of the rows and columns that come first in `orders`.
fn solve_null_space(orders: &[u32], block: &Block, scratch: &mut BlockScratch) {
    let BlockScratch { jacobian, factors, places, solution, rank, free, .. } = scratch;
    let (rank, free) = (*rank, *free);
    let solution = &mut solution[..rank * free];
    solution.fill(0.0);
    for (k, line) in solution.chunks_exact_mut(free.max(1)).enumerate() {
        for (column, value) in block.row(jacobian, orders[factors.row(k)] as usize) {
            if places[column] >= rank {
                line[places[column] - rank] = -value * block.unit_size[column];
            }
        }
    }
    factors.solve(solution, free);
}

/// Multipliers of all rows from the generalized forces `forces` that the closure has to supply (nv entries):
/// Φ_zᵀ λ = forces, in the range of the kept equations; redundant rows get none.
pub fn calc_multipliers(system: &System, state: &State, ws: &mut Workspace) {
    ws.multipliers.fill(0.0);
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &mut ws.blocks[index];
        let (rank, start) = (scratch.rank, block.rows.start);
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            scratch.change[k] = ws.force[coordinate] / block.unit_size[k];
        }
        if scratch.least_change {
            least_change::add_multipliers(block, scratch, &mut ws.multipliers);
        } else {
            let rows = pivot_rows(state, block);
            let columns = &state.orders[block.column_order()];
            for k in 0..rank {
                scratch.rhs[k] = scratch.change[columns[k] as usize];
            }
            scratch.factors.solve_transposed(&mut scratch.rhs[..rank]);
            for k in 0..rank {
                ws.multipliers[start + rows[scratch.factors.row(k)] as usize] = scratch.rhs[k];
            }
        }
    }
}

/// Between steps: watches how fast dependent coordinates move beside independent ones, chooses coordinates anew where another
/// choice is better, and decides how each block is closed in the next step. Depends on nothing but the positions in the
/// workspace, with the null spaces of the blocks there, and the state.
pub fn choose_coordinates(system: &System, state: &mut State, ws: &mut Workspace, first: bool) {
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &ws.blocks[index];
        let sound = !first && state.least_change[index] == 0 && !scratch.least_change;
        let growth = if sound { growth(scratch) } else { f64::INFINITY };
        let decayed = scratch.pivot < DECAYED * state.pivots[index];
        if sound && !decayed && growth <= state.growth_limits[index] {
            // A choice made near a singular position is measured by its best pivot, not by the poor one it began with.
            state.pivots[index] = state.pivots[index].max(scratch.pivot);
            state.growth_limits[index] = state.growth_limits[index].min(limit_from(growth));
            continue;
        }
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        let (found, new_growth) = select_sound(system, ws, block, &mut scratch);
        let regular = found.rank >= block.rank && found.smallest >= NEAR * block.regular_pivot || block.rank == 0;
        if sound && regular && !decayed && !(new_growth < BETTER * growth) {
            state.growth_limits[index] = limit_from(growth);
            // The factors of the trial are not those of the choice that stays.
            factor_partition(orders_of(state, block), block, &mut scratch);
            ws.blocks[index] = scratch;
            continue;
        }
        state.least_change[index] = u32::from(!regular);
        if regular {
            let n = block.coordinates.len() as u32;
            let dependent = |columns: &[u32], k: u32| columns[..block.rank].contains(&k);
            let (old, new) = (&state.orders[block.column_order()], &scratch.trial_order[block.rows.len()..]);
            let changed = (0..n).any(|k| dependent(old, k) != dependent(new, k));
            if changed && !first {
                state.repartitions = state.repartitions.saturating_add(1);
            }
            take_selection(state, block, &mut scratch, index);
            state.growth_limits[index] = limit_from(new_growth);
        }
        ws.blocks[index] = scratch;
    }
}

/// Largest entry of R_z of a block closed by partition, coordinates scaled to m.
fn growth(scratch: &BlockScratch) -> f64 {
    scratch.solution[..scratch.rank * scratch.free].iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// Growth at which the next choice is looked for, after `growth` was found to be the best.
fn limit_from(growth: f64) -> f64 {
    GROWN.max(growth / BETTER)
}

/// [`select`] with the requests for independent coordinates, or without them where these make the others too fast; with the growth
/// of the choice.
fn select_sound(system: &System, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) -> (Selection, f64) {
    let found = select(system, ws, block, scratch, true);
    let grown = trial_growth(block, scratch);
    if grown <= REQUESTED || block.class == block.class_without_requests {
        return (found, grown);
    }
    let found = select(system, ws, block, scratch, false);
    (found, trial_growth(block, scratch))
}

/// Growth of the choice in `scratch.trial_order`; infinite where its pivots collapsed.
fn trial_growth(block: &Block, scratch: &mut BlockScratch) -> f64 {
    let order = std::mem::take(&mut scratch.trial_order);
    let sound = factor_partition(&order, block, scratch);
    if sound {
        solve_null_space(&order, block, scratch);
    }
    scratch.trial_order = order;
    if sound { growth(scratch) } else { f64::INFINITY }
}

/// Chooses the independent coordinates of a block at its present Jacobian and has it closed by partition, however near it
/// is to a singular position. `false`, and nothing changed, when its pivots are those of a singular position.
pub(crate) fn partition(system: &System, state: &mut State, ws: &mut Workspace, index: usize) -> bool {
    let block = &system.blocks[index];
    let mut scratch = std::mem::take(&mut ws.blocks[index]);
    let (found, _) = select_sound(system, ws, block, &mut scratch);
    let sound = block.rank == 0 || found.rank >= block.rank && found.smallest > COLLAPSED * block.regular_pivot;
    if sound {
        state.least_change[index] = 0;
        take_selection(state, block, &mut scratch, index);
    }
    ws.blocks[index] = scratch;
    sound
}

/// Pivots of a block at the present positions into `scratch.trial_order`, rows and columns so that Φ_zd has a narrow skyline in block
/// triangular form.
/// `requests`: preferred coordinates stay independent.
fn select(system: &System, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch, requests: bool) -> Selection {
    calc_jacobian(system, ws, block, scratch);
    let tolerance = tolerance(system, ws, block);
    let (m, n) = (block.rows.len(), block.coordinates.len());
    let BlockScratch { jacobian, trial, trial_order, candidates, places, graph, .. } = scratch;
    block.expand(jacobian, trial);
    let (rows, columns) = trial_order.split_at_mut(m);
    let class = if requests { &block.class } else { &block.class_without_requests };
    let found = linear::select_pivots(trial, (m, n), class, tolerance, (&mut *rows, &mut *columns), candidates);
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
    let (dependent, independent) = columns.split_at_mut(block.rank);
    dependent.sort_unstable_by_key(|&column| (piece(column as usize), block.places[column as usize]));
    independent.sort_unstable();
    for (k, &column) in columns.iter().enumerate() {
        places[column as usize] = k;
    }
    // Of the pieces in which a row has entries, the last is its own.
    let unknowns = |row: u32| block.columns_of(row as usize).iter().filter(|&&column| places[column] < block.rank);
    let own = |row: u32| unknowns(row).map(|&column| piece(column)).max();
    let begin = |row: u32| block.columns_of(row as usize).iter().map(|&column| places[column]).min();
    rows[..block.rank].sort_unstable_by_key(|&row| (own(row), begin(row), row));
    found
}

/// Number of pieces into which a fresh choice at the present positions makes a block fall that may be closed in pieces.
pub(super) fn count_pieces(system: &System, ws: &mut Workspace, index: usize) -> usize {
    let block = &system.blocks[index];
    let mut scratch = std::mem::take(&mut ws.blocks[index]);
    select_sound(system, ws, block, &mut scratch);
    let order = std::mem::take(&mut scratch.trial_order);
    begin_partition(&order, block, &mut scratch);
    scratch.trial_order = order;
    let count = scratch.factors.pieces();
    ws.blocks[index] = scratch;
    count
}

/// What is no pivot of a block's Jacobian, whose rows were read at the present positions. The columns of a loop that stands askew
/// cancel to round-off where they do not move it: against what they were made of, not against each other, that is zero.
pub(crate) fn tolerance(system: &System, ws: &Workspace, block: &Block) -> Tolerance {
    let mut largest = 0.0f64;
    for (index, row) in block.rows.clone().enumerate().filter(|&(_, row)| system.rows[row].bodies().is_some()) {
        let state = &ws.rows[row];
        for entry in &block.entries[index] {
            let force = if entry.on_second { &state.on_second } else { &state.on_first };
            let column = &ws.columns[entry.slot];
            let size = column.lin.norm() * force.force.norm() + column.ang.norm() * force.moment.norm();
            largest = largest.max((entry.factor * size).abs());
        }
    }
    Tolerance { absolute: RANK.absolute.max(CANCELLED * largest), ..RANK }
}

/// Remembers what was selected, with the smallest pivot of its factors.
fn take_selection(state: &mut State, block: &Block, scratch: &mut BlockScratch, index: usize) {
    state.orders[block.row_order().start..block.column_order().end].copy_from_slice(&scratch.trial_order);
    factor_partition(orders_of(state, block), block, scratch);
    state.pivots[index] = if block.rank == 0 { 0.0 } else { scratch.pivot };
}

/// Largest closure error in m and largest rate in m/s over all rows, at the present positions and velocities, after
/// [`complete_rows`]; NaN if one is.
pub fn gaps(system: &System, ws: &Workspace) -> [f64; 2] {
    let mut worst = [0.0f64; 2];
    for (row, state) in system.rows.iter().zip(&ws.rows) {
        worst[0] = larger(worst[0], state.gap.abs());
        worst[1] = larger(worst[1], row.rate(state, &ws.bodies, &ws.v).abs());
    }
    worst
}
