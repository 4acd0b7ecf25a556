//! Loop closure of positions and velocities, block by block, and the second velocity transformation R_z.
//!
//! Regular positions: the coordinates of a block are split by Gaussian elimination with full pivoting, done once and
//! remembered; the dependent ones follow from Φ_zd δz^d = −Φ (Hidalgo & García de Jalón, eqs 26-27). Near singular positions
//! the closure fixes positions only to about ε/σ and velocities to ε/σ², with σ the smallest singular value: a stage that
//! happens to land there would spoil the energy although nothing failed. There the block is closed by mass-weighted least
//! change of all its coordinates, and a direction whose singular value is below [`SINGULAR`] of its regular value is left
//! alone in positions, velocities and accelerations of that stage. The remaining directions are orthogonal to it in the
//! metric of the mass matrix, so what happens along it does no work on them.
//!
//! Which of the two a block uses is decided between steps ([`choose_coordinates`]); within a step only a pivot that
//! collapses switches to least change. Iterations are bounded by `ITERATIONS`.
//!
//! Proved by: tests/verification (four-bar windows over many step sizes), dynamics::tests (Jacobians, rates, multipliers).

use super::kinematics::{change_accelerations, change_velocities, update_positions};
use super::mass::{calc_composites, calc_inertias, calc_mass};
use crate::math::linear;
use crate::math::svd::{complete_basis, orthogonalise_rows};
use crate::system::{Block, BlockScratch, Fault, State, System, Workspace};

/// Newton iterations per closure, at most.
const ITERATIONS: usize = 12;
/// A direction is left alone below this part of its regular singular value.
pub const SINGULAR: f64 = 1e-4;
/// A block is closed by least change below this part of its regular pivot.
const NEAR: f64 = 0.05;
/// Coordinates are chosen anew when the smallest pivot fell below this part of its best value since the last choice.
const DECAYED: f64 = 0.2;
/// Within a step, a pivot below this part of the regular one switches the block to least change.
const COLLAPSED: f64 = 1e-3;
/// A change of velocities that cancels a rate below this part of the fastest coordinate is right to the last digits.
const SMALL_CHANGE: f64 = 1e-7;
/// Closure error, relative to the size of the block, at which Newton stops.
const CLOSED: f64 = 1e-14;
/// Closure error, relative to the size of the block, above which a loop counts as open.
const OPEN: f64 = 1e-10;

/// Closes the positions of all blocks. On return Jacobians and factors belong to the closed positions.
pub fn close_positions(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    for (index, block) in system.blocks.iter().enumerate() {
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        let gap = close_block(system, state, ws, block, &mut scratch);
        ws.blocks[index] = scratch;
        if !(gap <= OPEN * block.size) {
            return Err(Fault::LoopOpen { block: index as u32, gap, time: f64::NAN });
        }
    }
    Ok(())
}

/// Jacobians and factors at positions that are closed already.
pub fn factor_blocks(system: &System, state: &State, ws: &mut Workspace) {
    for (index, block) in system.blocks.iter().enumerate() {
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        calc_jacobian(system, ws, block, &mut scratch);
        scratch.least_change = scratch.least_change || !factor_partition(state, block, &mut scratch);
        if scratch.least_change {
            weigh(system, ws, block, &mut scratch);
            decompose(ws, block, &mut scratch);
        }
        ws.blocks[index] = scratch;
    }
}

/// Newton on one block; returns the closure error that is left.
fn close_block(system: &System, state: &State, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) -> f64 {
    let mut previous = f64::INFINITY;
    let mut weighed = false;
    for iteration in 0..=ITERATIONS {
        calc_jacobian(system, ws, block, scratch);
        if !scratch.least_change && !factor_partition(state, block, scratch) {
            scratch.least_change = true;
        }
        if scratch.least_change {
            if !weighed {
                weigh(system, ws, block, scratch);
                weighed = true;
            }
            decompose(ws, block, scratch);
        }
        let gap = residual(ws, state, block, scratch, |ws, row| ws.rows[row].gap);
        let settled = gap >= 0.5 * previous && gap <= 1e3 * CLOSED * block.size;
        if gap <= CLOSED * block.size || settled || iteration == ITERATIONS {
            return gap;
        }
        previous = gap;
        solve_change(state, block, scratch);
        for (column, &coordinate) in block.coordinates.iter().enumerate() {
            let joint = &system.joints[block.owners[column]];
            joint.add_increment(&mut ws.q, coordinate - joint.v, scratch.change[column]);
        }
        update_positions(system, ws, block);
    }
    f64::NAN
}

/// Velocities of all blocks: linear, so one solve, and a refinement where it had to change them much.
pub fn close_velocities(system: &System, state: &State, ws: &mut Workspace) {
    for (index, block) in system.blocks.iter().enumerate() {
        if block.coordinates.is_empty() {
            continue;
        }
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        for _ in 0..2 {
            let rate = residual(ws, state, block, &mut scratch, |ws, row| {
                system.rows[row].rate(&ws.rows[row], &ws.bodies, &ws.v)
            });
            solve_change(state, block, &mut scratch);
            change_velocities(system, ws, block, &scratch);
            let fastest = block.coordinates.iter().zip(&block.unit_size);
            let fastest = fastest.fold(0.0f64, |most, (&v, size)| most.max(ws.v[v].abs() * size));
            if rate <= SMALL_CHANGE * fastest {
                break;
            }
        }
        ws.blocks[index] = scratch;
    }
}

/// Particular accelerations of the block's coordinates: with them, and all independent ones zero, the closure holds.
/// `ws.accelerations` must be those of the present `ws.zdd`; the change is added to both (with flexible bodies to `ws.zdd`
/// alone).
pub fn close_accelerations(system: &System, state: &State, ws: &mut Workspace) {
    for (index, block) in system.blocks.iter().enumerate() {
        let mut scratch = std::mem::take(&mut ws.blocks[index]);
        residual(ws, state, block, &mut scratch, |ws, row| {
            system.rows[row].acceleration(&ws.rows[row], &ws.bodies, &ws.accelerations, &ws.zdd)
        });
        solve_change(state, block, &mut scratch);
        change_accelerations(system, ws, block, &scratch);
        ws.blocks[index] = scratch;
    }
}

/// Values, forces and Jacobian (m × n, coordinates scaled to m) of a block at the present positions.
pub fn calc_jacobian(system: &System, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) {
    let n = block.coordinates.len();
    scratch.jacobian.fill(0.0);
    for (index, entries) in block.entries.iter().enumerate() {
        let row = block.rows.start + index;
        let state = system.rows[row].state(&ws.bodies, &ws.q);
        ws.rows[row] = state;
        let line = &mut scratch.jacobian[index * n..(index + 1) * n];
        if let crate::joint::Row::Coupled { ratio, scale, .. } = &system.rows[row] {
            for entry in entries {
                let slope = if entry.on_second { *scale } else { -ratio * scale };
                line[entry.column] += slope / block.unit_size[entry.column];
            }
            continue;
        }
        for entry in entries {
            let column = &ws.columns[entry.slot];
            let slope = if entry.on_second { column.dot(&state.on_second) } else { -column.dot(&state.on_first) };
            line[entry.column] += slope / block.unit_size[entry.column];
        }
    }
}

/// Factors Φ_zd of the remembered rows and columns. `false` when the pivots collapsed.
fn factor_partition(state: &State, block: &Block, scratch: &mut BlockScratch) -> bool {
    let (n, rank) = (block.coordinates.len(), block.rank);
    let rows = &state.orders[block.row_order()];
    let columns = &state.orders[block.column_order()];
    for i in 0..rank {
        for j in 0..rank {
            scratch.factors[i * rank + j] = scratch.jacobian[rows[i] as usize * n + columns[j] as usize];
        }
    }
    scratch.rank = rank;
    scratch.free = n - rank;
    scratch.pivot = match rank {
        0 => f64::INFINITY,
        _ => linear::factor(&mut scratch.factors, rank, &mut scratch.exchanges),
    };
    rank == 0 || scratch.pivot > COLLAPSED * block.regular_pivot
}

/// Cholesky factor of the mass matrix of the block's coordinates, scaled. A small part of the largest diagonal entry is
/// added to every one, so that massless links do not make the metric singular; it bends the direction of least change, not
/// the equations.
fn weigh(system: &System, ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) {
    calc_inertias(system, ws);
    calc_composites(system, ws);
    calc_mass(system, ws);
    let n = block.coordinates.len();
    for (i, &row) in block.coordinates.iter().enumerate() {
        for (j, &column) in block.coordinates.iter().enumerate() {
            scratch.weight[i * n + j] = ws.mass[row * system.nv + column] / (block.unit_size[i] * block.unit_size[j]);
        }
    }
    let mut largest = 0.0f64;
    for i in 0..n {
        largest = largest.max(scratch.weight[i * n + i]);
    }
    let ballast = if largest > 0.0 { 1e-9 * largest } else { 1.0 };
    for i in 0..n {
        scratch.weight[i * n + i] += ballast;
    }
    if linear::cholesky(&mut scratch.weight, n, 0.0).is_err() {
        // Not positive definite to rounding: fall back to equal weights.
        scratch.weight.fill(0.0);
        for i in 0..n {
            scratch.weight[i * n + i] = largest.max(ballast).sqrt();
        }
    }
}

/// Singular values of the Jacobian in the metric of the mass matrix; the directions kept in this stage.
fn decompose(ws: &mut Workspace, block: &Block, scratch: &mut BlockScratch) {
    let (m, n) = (block.rows.len(), block.coordinates.len());
    scratch.right[..m * n].copy_from_slice(&scratch.jacobian);
    for row in scratch.right[..m * n].chunks_exact_mut(n.max(1)) {
        linear::solve_lower(&scratch.weight, n, row);
    }
    orthogonalise_rows(&mut scratch.right, &mut scratch.left, &mut scratch.sigma, (m, n));
    let threshold = SINGULAR * block.regular_sigma;
    let mut kept = 0;
    while kept < block.rank && scratch.sigma[kept] > threshold {
        let scale = 1.0 / scratch.sigma[kept];
        scratch.right[kept * n..(kept + 1) * n].iter_mut().for_each(|value| *value *= scale);
        kept += 1;
    }
    if kept < block.rank {
        ws.near_singular = true;
    }
    scratch.rank = kept;
    scratch.free = n - kept;
}

/// Right-hand side of the kept equations from a value per row; returns the largest of them in magnitude.
fn residual(
    ws: &Workspace,
    state: &State,
    block: &Block,
    scratch: &mut BlockScratch,
    value: impl Fn(&Workspace, usize) -> f64,
) -> f64 {
    let (m, start) = (block.rows.len(), block.rows.start);
    let mut largest = 0.0f64;
    if scratch.least_change {
        scratch.rhs[..scratch.rank].fill(0.0);
        for i in 0..m {
            let phi = value(ws, start + i);
            for k in 0..scratch.rank {
                scratch.rhs[k] += scratch.left[k * m + i] * phi;
            }
        }
    } else {
        let rows = &state.orders[block.row_order()];
        for k in 0..scratch.rank {
            scratch.rhs[k] = value(ws, start + rows[k] as usize);
        }
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
    let (n, rank) = (block.coordinates.len(), scratch.rank);
    scratch.change.fill(0.0);
    if scratch.least_change {
        for k in 0..rank {
            let factor = -scratch.rhs[k] / scratch.sigma[k];
            for j in 0..n {
                scratch.change[j] += factor * scratch.right[k * n + j];
            }
        }
        linear::solve_lower_transposed(&scratch.weight, n, &mut scratch.change);
    } else {
        linear::solve_lu(&scratch.factors, rank, &scratch.exchanges, &mut scratch.rhs[..rank]);
        let columns = &state.orders[block.column_order()];
        for k in 0..rank {
            scratch.change[columns[k] as usize] = -scratch.rhs[k];
        }
    }
    for (change, size) in scratch.change.iter_mut().zip(&block.unit_size) {
        *change /= size;
    }
}

/// Columns of R_z of every block: motions of its coordinates that keep the loops closed.
pub fn calc_null_spaces(system: &System, state: &State, ws: &mut Workspace) {
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &mut ws.blocks[index];
        let (n, rank, free) = (block.coordinates.len(), scratch.rank, scratch.free);
        scratch.null[..n * free].fill(0.0);
        if scratch.least_change {
            complete_basis(&mut scratch.right, rank, n);
            for c in 0..free {
                scratch.change.copy_from_slice(&scratch.right[(rank + c) * n..(rank + c + 1) * n]);
                linear::solve_lower_transposed(&scratch.weight, n, &mut scratch.change);
                for k in 0..n {
                    scratch.null[k * free + c] = scratch.change[k] / block.unit_size[k];
                }
            }
            continue;
        }
        let rows = &state.orders[block.row_order()];
        let columns = &state.orders[block.column_order()];
        for c in 0..free {
            let independent = columns[rank + c] as usize;
            for k in 0..rank {
                scratch.rhs[k] = -scratch.jacobian[rows[k] as usize * n + independent];
            }
            linear::solve_lu(&scratch.factors, rank, &scratch.exchanges, &mut scratch.rhs[..rank]);
            for k in 0..rank {
                let dependent = columns[k] as usize;
                scratch.null[dependent * free + c] =
                    scratch.rhs[k] * block.unit_size[independent] / block.unit_size[dependent];
            }
            scratch.null[independent * free + c] = 1.0;
        }
    }
}

/// Multipliers of all rows from the generalized forces `forces` that the closure has to supply (nv entries):
/// Φ_zᵀ λ = forces, in the range of the kept equations; redundant rows get none.
pub fn calc_multipliers(system: &System, state: &State, ws: &mut Workspace) {
    ws.multipliers.fill(0.0);
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &mut ws.blocks[index];
        let (m, n, rank, start) = (block.rows.len(), block.coordinates.len(), scratch.rank, block.rows.start);
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            scratch.change[k] = ws.force[coordinate] / block.unit_size[k];
        }
        if scratch.least_change {
            linear::solve_lower(&scratch.weight, n, &mut scratch.change);
            for k in 0..rank {
                let mut along = 0.0;
                for j in 0..n {
                    along += scratch.right[k * n + j] * scratch.change[j];
                }
                along /= scratch.sigma[k];
                for i in 0..m {
                    ws.multipliers[start + i] += along * scratch.left[k * m + i];
                }
            }
        } else {
            let rows = &state.orders[block.row_order()];
            let columns = &state.orders[block.column_order()];
            for k in 0..rank {
                scratch.rhs[k] = scratch.change[columns[k] as usize];
            }
            linear::solve_lu_transposed(&scratch.factors, rank, &scratch.exchanges, &mut scratch.rhs[..rank]);
            for k in 0..rank {
                ws.multipliers[start + rows[k] as usize] = scratch.rhs[k];
            }
        }
    }
}

/// Between steps: watches the pivots, chooses coordinates anew where they decayed, and decides how each block is closed in
/// the next step. Depends on nothing but the positions in the workspace and the state.
pub fn choose_coordinates(system: &System, state: &mut State, ws: &mut Workspace, first: bool) {
    for (index, block) in system.blocks.iter().enumerate() {
        let scratch = &mut ws.blocks[index];
        let sound = state.least_change[index] == 0 && !scratch.least_change;
        if !first && sound && scratch.pivot >= DECAYED * state.pivots[index] {
            // A choice made near a singular position is measured by its best pivot, not by the poor one it began with.
            state.pivots[index] = state.pivots[index].max(scratch.pivot);
            continue;
        }
        let (m, n) = (block.rows.len(), block.coordinates.len());
        scratch.trial.copy_from_slice(&scratch.jacobian);
        let (rows, columns) = scratch.trial_order.split_at_mut(m);
        let found = linear::select_pivots(&mut scratch.trial, (m, n), &block.class, 1e-9, rows, columns);
        let regular = found.rank >= block.rank && found.smallest >= NEAR * block.regular_pivot || block.rank == 0;
        if !regular {
            state.least_change[index] = 1;
            continue;
        }
        state.least_change[index] = 0;
        state.pivots[index] = found.smallest;
        let place = block.row_order().start..block.column_order().end;
        let dependent = |order: &[u32], k: u32| order[m..m + block.rank].contains(&k);
        let changed =
            (0..n as u32).any(|k| dependent(&state.orders[place.clone()], k) != dependent(&scratch.trial_order, k));
        state.orders[place].copy_from_slice(&scratch.trial_order);
        if changed && !first {
            state.repartitions = state.repartitions.saturating_add(1);
        }
    }
}

/// Chooses the independent coordinates of a block at its present Jacobian and has it closed by partition, however near it
/// is to a singular position. `false`, and nothing changed, when its pivots are those of a singular position.
pub(super) fn partition(system: &System, state: &mut State, ws: &mut Workspace, index: usize) -> bool {
    let (block, scratch) = (&system.blocks[index], &mut ws.blocks[index]);
    let (m, n) = (block.rows.len(), block.coordinates.len());
    scratch.trial.copy_from_slice(&scratch.jacobian);
    let (rows, columns) = scratch.trial_order.split_at_mut(m);
    let found = linear::select_pivots(&mut scratch.trial, (m, n), &block.class, 1e-9, rows, columns);
    if block.rank > 0 && (found.rank < block.rank || found.smallest <= COLLAPSED * block.regular_pivot) {
        return false;
    }
    state.least_change[index] = 0;
    state.pivots[index] = found.smallest;
    state.orders[block.row_order().start..block.column_order().end].copy_from_slice(&scratch.trial_order);
    true
}

/// The `rank`-th mass-weighted singular value of a block at the present positions, for the assembly.
pub(super) fn weighted_sigma(system: &System, ws: &mut Workspace, index: usize, rank: usize) -> f64 {
    let block = &system.blocks[index];
    let mut scratch = std::mem::take(&mut ws.blocks[index]);
    calc_jacobian(system, ws, block, &mut scratch);
    weigh(system, ws, block, &mut scratch);
    decompose(ws, block, &mut scratch);
    let sigma = if rank == 0 { 0.0 } else { scratch.sigma[rank - 1] };
    ws.blocks[index] = scratch;
    sigma
}

/// Largest closure error in m and largest rate in m/s over all rows, at the present positions and velocities.
pub fn gaps(system: &System, ws: &Workspace) -> (f64, f64) {
    let mut worst = (0.0f64, 0.0f64);
    for (row, state) in system.rows.iter().zip(&ws.rows) {
        worst.0 = worst.0.max(state.gap.abs());
        worst.1 = worst.1.max(row.rate(state, &ws.bodies, &ws.v).abs());
    }
    worst
}
