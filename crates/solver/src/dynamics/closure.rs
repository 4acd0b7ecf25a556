//! Loop closure of positions and velocities, block by block, and the second velocity transformation R_z.
//!
//! Regular positions: the coordinates of a block are split by Gaussian elimination with full pivoting, done once and
//! stored; the dependent ones follow from Φ_zd δz^d = −Φ (Hidalgo & García de Jalón, eqs 26-27). Near singular
//! positions the closure fixes positions only to about ε/σ and velocities to ε/σ², with σ the smallest singular value:
//! a stage at such a position would corrupt the energy without any failure. There the block is closed by mass-weighted
//! least change of all its coordinates (`super::least_change`), and an equation whose pivot is below [`MIN_PIVOT`] of
//! the regular one is left out for positions, velocities and accelerations of that stage. The other equations are
//! satisfied exactly along the direction that is then free. Their corrections are orthogonal to it in the metric of the
//! mass matrix, so motion along it does no work on them.
//!
//! The method of each block is chosen between steps ([`super::choice`]); within a step only a collapsed pivot switches
//! to least change. Iterations are bounded by `MAX_ITERATIONS`.
//!
//! Verified by: tests/motion/verification (four-bar windows over many step sizes),
//! crates/compile/src/solver_tests/evaluation.rs (Jacobians, rates, multipliers).

use super::kinematics::{calc_velocities, change_accelerations, change_velocities, update_moved, update_positions};
use super::{least_change, partition, pieces};
use crate::joint::{Row, RowState};
use crate::math::scalar::Scalar;
use crate::math::{larger, largest};
use crate::system::workspace::{Kinematics, OpenTree, Stage};
use crate::system::{Block, BlockScratch, Entry, Fault, State, System, Workspace};

/// Largest number of Newton iterations per closure. With quadratic convergence, four lead from 0.1 to 1e-16; the others
/// are for predictions far from the closed position.
pub(super) const MAX_ITERATIONS: usize = 12;
/// A direction is left out if its pivot is below this fraction r of the regular one. Velocities closed at this pivot
/// have a relative error of ε / r², 1e-8. If the direction is left out for a step of 1 ms, they change by about the
/// fraction r. With 3e-4 the energy of ten windows is off by 1.3e-8 J at the worst of twenty steps, with this value by
/// 3.2e-10 J.
pub(crate) const MIN_PIVOT: f64 = 1e-4;
/// An entry of a Jacobian below this fraction of its terms before cancellation is round-off: some thousand roundings,
/// since an entry passes through the rotations of a whole leg.
pub(crate) const CANCELLATION_TOLERANCE: f64 = 1e-12;
/// A change of velocities that cancels a rate below this fraction of the fastest coordinate is accurate to the last
/// digits: its relative error is at most 1e-8 ([`MIN_PIVOT`]).
const SMALL_CHANGE: f64 = 1e-7;
/// Closure error, relative to the size of the block, at which Newton stops: 45 roundings of that size.
pub(super) const CLOSURE_TOLERANCE: f64 = 1e-14;
/// Closure error, relative to the size of the block, above which a loop counts as open: a tenth of the limit in the
/// tests for a loop of 1 m.
pub(super) const MAX_GAP: f64 = 1e-10;

/// The limit for redundant rows, which may contain a misalignment of the file, and for rows of a direction that was
/// left out. A step can violate such rows by this amount if the singular value is small. The limit is below the gap
/// caused by a prescribed motion at a dead centre or by two contradictory prescribed motions.
const MAX_REDUNDANT_GAP: f64 = 1e-6;

/// Closes the positions of all blocks. On return Jacobians and factors belong to the closed positions.
pub fn close_positions(
    system: &System,
    state: &State,
    tree: &mut OpenTree,
    blocks: &mut [BlockScratch],
) -> Result<(), Fault> {
    for (index, (block, scratch)) in system.blocks.iter().zip(blocks).enumerate() {
        let gap = close_block(system, state, tree, block, scratch);
        let left_alone = open_gap(system, state, tree, block, scratch);
        if !(gap <= MAX_GAP * block.size && left_alone <= MAX_REDUNDANT_GAP * block.size) {
            let gap = if gap > left_alone { gap } else { left_alone };
            return Err(Fault::LoopOpen { block: index as u32, gap, time: f64::NAN });
        }
    }
    Ok(())
}

/// Jacobians and factors at closed positions.
pub(crate) fn factor_blocks(system: &System, state: &State, tree: &mut OpenTree, blocks: &mut [BlockScratch]) {
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        read_rows(system, state, tree, block, scratch);
        begin_factors(state, block, scratch);
        factor_block(system, state, tree, block, scratch, &mut false);
    }
}

/// Jacobian and factors of a block whose rows were read at the present positions, after [`begin_factors`]. `prepared`:
/// whether the one-time preparation of a closure by least change is done, see [`least_change::factor`].
pub(super) fn factor_block(
    system: &System,
    state: &State,
    tree: &mut OpenTree,
    block: &Block,
    scratch: &mut BlockScratch,
    prepared: &mut bool,
) {
    if !scratch.least_change {
        for &row in pivot_rows(state, block) {
            calc_jacobian_row(system, tree, block, row as usize, &mut scratch.jacobian);
        }
        let BlockScratch { jacobian, partition, .. } = &mut *scratch;
        scratch.least_change = !partition::factor(orders_of(state, block), block, jacobian, partition);
    }
    if scratch.least_change {
        least_change::factor(system, tree, block, scratch, prepared);
    }
}

/// Newton's method on one block; returns the remaining closure error. If a partition does not converge, or converges to
/// distant positions, the block is closed by least change from its initial position.
fn close_block(system: &System, state: &State, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) -> f64 {
    let by_partition = !scratch.least_change;
    if by_partition {
        tree.closure.before.copy_from_slice(&tree.stage.q);
        begin_factors(state, block, scratch);
    }
    let gap = match by_partition && scratch.partition.factors.pieces() > 1 {
        true => pieces::close(system, state, tree, block, scratch),
        false => iterate(system, state, tree, block, scratch),
    };
    if gap <= MAX_GAP * block.size || !by_partition {
        return gap;
    }
    tree.stage.q.copy_from_slice(&tree.closure.before);
    update_positions(system, &tree.stage.q, tree.kinematics, block);
    scratch.least_change = true;
    iterate(system, state, tree, block, scratch)
}

/// The iterations of [`close_block`] in one of the two ways.
fn iterate(system: &System, state: &State, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) -> f64 {
    let mut previous = f64::INFINITY;
    let mut prepared = false;
    for iteration in 0..=MAX_ITERATIONS {
        read_rows(system, state, tree, block, scratch);
        factor_block(system, state, tree, block, scratch, &mut prepared);
        let gap = residual(state, block, scratch, |row| tree.closure.rows[row].gap);
        let converged = gap >= 0.5 * previous && gap <= 1e3 * CLOSURE_TOLERANCE * block.size;
        if gap <= CLOSURE_TOLERANCE * block.size || converged || iteration == MAX_ITERATIONS {
            return gap;
        }
        previous = gap;
        solve_change(state, block, scratch);
        move_coordinates(system, tree, block, scratch);
    }
    f64::NAN
}

/// Largest gap of the rows not solved by the closure of a block. These are the rows of a direction left out, and
/// redundant rows, which follow from the others only while the prescribed motions are consistent and the redundancy
/// persists.
fn open_gap(system: &System, state: &State, tree: &OpenTree, block: &Block, scratch: &BlockScratch) -> f64 {
    let gap = |row: usize| system.rows[row].state(&tree.kinematics.bodies, &tree.stage.q).gap.abs();
    if scratch.least_change {
        return block.rows.clone().map(gap).fold(0.0, larger);
    }
    let redundant = &state.orders[block.row_order()][block.rank..];
    redundant.iter().map(|&row| gap(block.rows.start + row as usize)).fold(0.0, larger)
}

/// Moves the coordinates of a block by `scratch.change`, and the bodies with them.
pub(super) fn move_coordinates(system: &System, tree: &mut OpenTree, block: &Block, scratch: &BlockScratch) {
    for (column, &coordinate) in block.coordinates.iter().enumerate().filter(|&(k, _)| scratch.change[k] != 0.0) {
        let joint = &system.joints[block.owners[column]];
        joint.add_increment(&mut tree.stage.q, coordinate - joint.v, scratch.change[column]);
    }
    let OpenTree { stage, kinematics, closure, .. } = tree;
    update_moved(system, &stage.q, kinematics, &mut closure.moved_by, block, &scratch.change);
}

/// `scratch.change` ← change of the dependent coordinates of a block closed by partition that closes it to first order.
/// `rows`: of all blocks; the rows of this block are read at the present positions.
pub(super) fn gap_changes(state: &State, block: &Block, scratch: &mut BlockScratch, rows: &[RowState]) {
    residual(state, block, scratch, |row| rows[row].gap);
    solve_change(state, block, scratch);
}

/// Velocities of all blocks, and with them of all bodies, after [`calc_null_spaces`]. Velocities of a block closed by
/// partition follow from its independent and driven velocities; a block closed by least change needs one solve from the
/// bodies' velocities, and a refinement after large changes.
pub fn close_velocities(system: &System, state: &State, tree: &mut OpenTree, blocks: &mut [BlockScratch]) {
    for (block, scratch) in system.blocks.iter().zip(&mut *blocks) {
        if !scratch.least_change {
            follow(system, state, tree, block, scratch);
        }
    }
    let OpenTree { stage, kinematics, closure, .. } = tree;
    calc_velocities(system, &stage.v, kinematics);
    for (block, scratch) in system.blocks.iter().zip(blocks).filter(|(_, scratch)| scratch.least_change) {
        for _ in 0..2 {
            let rate = residual(state, block, scratch, |row| {
                system.rows[row].rate(&closure.rows[row], &kinematics.bodies, &stage.v)
            });
            solve_change(state, block, scratch);
            change_velocities(&mut stage.v, kinematics, &mut closure.carried, block, &scratch.change);
            let speeds = block.coordinates.iter().zip(&block.unit_size).map(|(&v, size)| stage.v[v] * size);
            let fastest = largest(speeds);
            if rate <= SMALL_CHANGE * fastest {
                break;
            }
        }
    }
}

/// Dependent velocities of a block closed by partition: ż^d = R_d ż^i plus the correction that cancels the rates of
/// prescribed coordinates.
fn follow(system: &System, state: &State, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) {
    let (dependent, independent) = state.orders[block.column_order()].split_at(block.rank);
    for &column in dependent {
        let row = &scratch.null[column as usize * scratch.width..][..scratch.width];
        let mut speed = 0.0;
        for (factor, &other) in row.iter().zip(independent) {
            speed += factor * tree.stage.v[block.coordinates[other as usize]];
        }
        tree.stage.v[block.coordinates[column as usize]] = speed;
    }
    change_from_guides(system, state, tree, block, scratch);
    for &column in dependent {
        tree.stage.v[block.coordinates[column as usize]] += scratch.change[column as usize];
    }
}

/// `scratch.change` ← speeds of the dependent coordinates of a block closed by partition due to prescribed coordinates.
pub(super) fn change_from_guides(
    system: &System,
    state: &State,
    tree: &OpenTree,
    block: &Block,
    scratch: &mut BlockScratch,
) {
    if block.guided.is_empty() {
        scratch.change.fill(0.0);
        return;
    }
    residual(state, block, scratch, |row| {
        let rate = |entry: &Entry| slope(system, tree, row, entry) * tree.stage.v[entry.column];
        block.guided[row - block.rows.start].iter().map(rate).sum()
    });
    solve_change(state, block, scratch);
}

/// Particular accelerations of the block's coordinates: with them, and zero independent accelerations, the closure is
/// satisfied. The accelerations of the bodies must belong to the present z̈; the change is added to both.
pub(crate) fn close_accelerations(system: &System, state: &State, ws: &mut Workspace) {
    let Workspace { stage, kinematics, closure, blocks, accelerations, .. } = ws;
    let Kinematics { bodies, columns, .. } = kinematics;
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        residual(state, block, scratch, |row| {
            system.rows[row].acceleration(
                &closure.rows[row],
                bodies,
                &accelerations.bodies,
                [&stage.v, &accelerations.zdd],
            )
        });
        solve_change(state, block, scratch);
        change_accelerations(columns, accelerations, &mut closure.carried, block, &scratch.change);
    }
}

/// The stored pivot rows of a block closed by partition.
fn pivot_rows<'a>(state: &'a State, block: &Block) -> &'a [u32] {
    &state.orders[block.row_order()][..block.rank]
}

/// Values and forces of the rows that close a block, at the present positions. For least change they are read with
/// their Jacobian ([`least_change::factor`]).
pub(super) fn read_rows(system: &System, state: &State, tree: &mut OpenTree, block: &Block, scratch: &BlockScratch) {
    if !scratch.least_change {
        for &row in pivot_rows(state, block) {
            read_row(system, tree, block.rows.start + row as usize);
        }
    }
}

/// Value and forces of the global row `row`.
pub(super) fn read_row(system: &System, tree: &mut OpenTree, row: usize) {
    tree.closure.rows[row] = system.rows[row].state(&tree.kinematics.bodies, &tree.stage.q);
}

/// Values and forces of all rows at the present positions, including redundant rows, which no evaluation needs.
pub(crate) fn complete_rows<S: Scalar>(system: &System, q: &[S], kinematics: &Kinematics<S>, rows: &mut [RowState<S>]) {
    for (state, row) in rows.iter_mut().zip(&system.rows) {
        *state = row.state(&kinematics.bodies, q);
    }
}

/// Values, forces and Jacobian (coordinates scaled to m) of all rows of a block at the present positions.
pub fn calc_jacobian(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) {
    for (index, row) in block.rows.clone().enumerate() {
        read_row(system, tree, row);
        calc_jacobian_row(system, tree, block, index, &mut scratch.jacobian);
    }
}

/// Row `index` of a block's Jacobian from its state.
pub(super) fn calc_jacobian_row(system: &System, tree: &OpenTree, block: &Block, index: usize, jacobian: &mut [f64]) {
    let row = block.rows.start + index;
    for entry in &block.entries[index] {
        let slope = slope(system, tree, row, entry);
        match entry.first {
            true => jacobian[entry.place] = slope,
            false => jacobian[entry.place] += slope,
        }
    }
}

/// Value of `entry` in the Jacobian, from the state of its row.
pub(crate) fn slope(system: &System, tree: &OpenTree, row: usize, entry: &Entry) -> f64 {
    let state = &tree.closure.rows[row];
    if let Row::Coupled { laws, .. } = &system.rows[row] {
        let k = usize::from(entry.on_second);
        return if k < laws.len() { entry.factor * state.laws[k][0] } else { entry.factor };
    }
    let force = if entry.on_second { &state.on_second } else { &state.on_first };
    entry.factor * tree.kinematics.columns[entry.slot].dot(force)
}

/// Orders of rows and columns stored in the state for a block.
pub(super) fn orders_of<'a>(state: &'a State, block: &Block) -> &'a [u32] {
    &state.orders[block.row_order().start..block.column_order().end]
}

/// Begins the factors of the stored choice.
pub(super) fn begin_factors(state: &State, block: &Block, scratch: &mut BlockScratch) {
    partition::begin(orders_of(state, block), block, &mut scratch.partition);
    (scratch.rank, scratch.width) = (block.rank, block.coordinates.len() - block.rank);
}

/// Right-hand side of the kept equations from a value per row; returns the largest magnitude.
pub(super) fn residual(state: &State, block: &Block, scratch: &mut BlockScratch, value: impl Fn(usize) -> f64) -> f64 {
    let start = block.rows.start;
    if scratch.least_change {
        return least_change::residual(block, scratch, value);
    }
    let rows = pivot_rows(state, block);
    for k in 0..scratch.rank {
        scratch.rhs[k] = value(start + rows[scratch.partition.factors.row(k)] as usize);
    }
    largest(&scratch.rhs[..scratch.rank])
}

/// Change of the block's coordinates (unscaled) that cancels the right-hand side.
pub(super) fn solve_change(state: &State, block: &Block, scratch: &mut BlockScratch) {
    let rank = scratch.rank;
    if scratch.least_change {
        least_change::solve(block, scratch);
    } else {
        scratch.partition.factors.solve(&mut scratch.rhs[..rank], 1);
        let (dependent, independent) = state.orders[block.column_order()].split_at(rank);
        for (&column, x) in dependent.iter().zip(&scratch.rhs) {
            scratch.change[column as usize] = -x * block.per_size[column as usize];
        }
        independent.iter().for_each(|&column| scratch.change[column as usize] = 0.0);
    }
}

/// Columns of R_z of every block: motions of its coordinates that keep the loops closed.
pub fn calc_null_spaces(system: &System, state: &State, blocks: &mut [BlockScratch]) {
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        match scratch.least_change {
            true => least_change::fill_null_space(block, scratch),
            false => fill_null_space(state, block, scratch),
        }
    }
}

/// Columns of R_z of one block closed by partition, with its factors.
pub(super) fn fill_null_space(state: &State, block: &Block, scratch: &mut BlockScratch) {
    let BlockScratch { jacobian, partition, null, width, .. } = scratch;
    let free = *width;
    partition::solve_null_space(orders_of(state, block), block, jacobian, partition);
    let (dependent, independent) = state.orders[block.column_order()].split_at(block.rank);
    for (&column, line) in dependent.iter().zip(partition.solution.chunks_exact(free.max(1))) {
        let (row, per_size) = (&mut null[column as usize * free..][..free], block.per_size[column as usize]);
        row.iter_mut().zip(line).for_each(|(value, x)| *value = x * per_size);
    }
    for (c, &column) in independent.iter().enumerate() {
        let row = &mut null[column as usize * free..][..free];
        row.iter_mut().for_each(|value| *value = 0.0);
        row[c] = 1.0;
    }
}

/// Multipliers of all rows from the generalized forces `forces` of the closure (nv entries): Φ_zᵀ λ = forces, in the
/// range of the kept equations. Redundant rows get zero.
pub(crate) fn calc_multipliers(
    system: &System,
    state: &State,
    blocks: &mut [BlockScratch],
    forces: &[f64],
    multipliers: &mut [f64],
) {
    multipliers.fill(0.0);
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        let (rank, start) = (scratch.rank, block.rows.start);
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            scratch.change[k] = forces[coordinate] / block.unit_size[k];
        }
        if scratch.least_change {
            least_change::add_multipliers(block, scratch, multipliers);
        } else {
            let rows = pivot_rows(state, block);
            let columns = &state.orders[block.column_order()];
            for k in 0..rank {
                scratch.rhs[k] = scratch.change[columns[k] as usize];
            }
            scratch.partition.factors.solve_transposed(&mut scratch.rhs[..rank]);
            for k in 0..rank {
                multipliers[start + rows[scratch.partition.factors.row(k)] as usize] = scratch.rhs[k];
            }
        }
    }
}

/// Largest closure error in m and largest rate in m/s over all rows, at the present positions and velocities, after
/// [`complete_rows`]; NaN if one is.
pub(crate) fn gaps<S: Scalar>(
    system: &System,
    stage: &Stage<S>,
    kinematics: &Kinematics<S>,
    rows: &[RowState<S>],
) -> [S; 2] {
    let mut worst = [S::zero(); 2];
    for (row, state) in system.rows.iter().zip(rows) {
        worst[0] = larger(worst[0], state.gap.abs());
        worst[1] = larger(worst[1], row.rate(state, &kinematics.bodies, &stage.v).abs());
    }
    worst
}
