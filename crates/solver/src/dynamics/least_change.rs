//! Closure of a block near a singular position: all its coordinates move, by least change in the metric of the mass
//! matrix.
//!
//! The equations and columns to solve, and the mass matrix, are chosen once for all iterations of a closure, at the
//! position from the integrator. The other equations are not evaluated again: redundant ones, those without an entry,
//! like the ones across the plane of a plane loop, and those whose pivot is below [`MIN_PIVOT`] of the regular one.
//! Their directions are left out ([`crate::math::sparse_least_change`]). Every iteration factors the chosen equations
//! again, because near a singular position a small change of position changes small pivots by 100 %.
//!
//! Cost. Per closure the choice, which reads all entries of the Jacobian, m n; per iteration r b² for rank r and
//! bandwidth b of the loops' pattern, and n f² with f remaining free motions. No allocation.
//!
//! Verified by: tests/motion/verification (four-bar windows over many step sizes), math::least_change (compared with
//! the singular value decomposition).

use super::closure::{CANCELLATION_TOLERANCE, MIN_PIVOT, calc_jacobian, calc_jacobian_row, read_row};
use super::mass::{calc_block_mass, calc_composites, calc_inertias, calc_mass};
use crate::math::larger;
use crate::math::linear::Tolerance;
use crate::math::sparse_least_change::{Rows, Trial};
use crate::system::workspace::OpenTree;
use crate::system::{Block, BlockScratch, System};

/// Fraction of the largest diagonal entry of the mass matrix that is added to every diagonal entry, so that massless
/// links do not make the metric singular. It affects the direction of least change, not the equations.
const METRIC_REGULARIZATION: f64 = 1e-9;

/// Jacobian and factors of a block at the present positions. If `prepared` is not set, equations, columns and metric
/// are chosen first.
pub(super) fn factor(
    system: &System,
    tree: &mut OpenTree,
    block: &Block,
    scratch: &mut BlockScratch,
    prepared: &mut bool,
) {
    if !core::mem::replace(prepared, true) {
        choose(system, tree, block, scratch);
        weigh(system, tree, block, scratch);
    } else {
        for &row in scratch.least.equations() {
            read_row(system, tree, block.rows.start + row);
            calc_jacobian_row(system, tree, block, row, &mut scratch.jacobian);
        }
    }
    if !decompose(block, scratch) {
        // Uses equal weights if a pivot has collapsed since the choice, or if the mass matrix is not positive definite
        // to rounding.
        choose(system, tree, block, scratch);
        if !decompose(block, scratch) {
            scratch.metric.set_unit(1.0);
            decompose(block, scratch);
        }
    }
    scratch.rank = scratch.least.rank();
    scratch.width = block.coordinates.len() - scratch.rank;
    *tree.near_singular |= scratch.rank < block.rank;
}

/// Equations and columns that are solved, from the Jacobian of all rows at the present positions.
fn choose(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) {
    calc_jacobian(system, tree, block, scratch);
    let BlockScratch { jacobian, trial, trial_order, candidates, least, .. } = scratch;
    let (trial, rows) = (Trial { matrix: trial, candidates, order: trial_order }, rows(block, jacobian));
    let pivots = Tolerance { relative: 0.0, absolute: MIN_PIVOT * block.regular_pivot };
    let classes = (&block.class_without_requests[..], &block.places[..]);
    least.select(rows, classes, (block.rank, pivots, CANCELLATION_TOLERANCE * rows.largest()), trial);
}

fn decompose(block: &Block, scratch: &mut BlockScratch) -> bool {
    scratch.least.factor(rows(block, &scratch.jacobian), &scratch.metric)
}

/// The Jacobian of a block as a sparse matrix.
pub(crate) fn rows<'a>(block: &'a Block, jacobian: &'a [f64]) -> Rows<'a> {
    Rows { starts: &block.starts, columns: &block.columns, values: jacobian }
}

/// Mass matrix of the block's scaled coordinates as the metric.
fn weigh(system: &System, tree: &mut OpenTree, block: &Block, scratch: &mut BlockScratch) {
    let OpenTree { stage, kinematics, inertias, flexible, mass: whole, .. } = tree;
    calc_inertias(system, &stage.q, kinematics, flexible, inertias);
    calc_composites(system, inertias);
    let (n, nv) = (block.coordinates.len(), system.nv);
    let BlockScratch { mass, metric, .. } = scratch;
    if !calc_block_mass(system, kinematics, flexible, inertias, block.number, mass) {
        calc_mass(system, kinematics, flexible, inertias, whole);
        for (row, &i) in mass.chunks_exact_mut(n.max(1)).zip(&block.coordinates) {
            row.iter_mut().zip(&block.coordinates).for_each(|(value, &j)| *value = whole[i * nv + j]);
        }
    }
    for (row, per_size) in mass.chunks_exact_mut(n.max(1)).zip(&block.per_size) {
        row.iter_mut().zip(&block.per_size).for_each(|(value, other)| *value *= per_size * other);
    }
    let largest = (0..n).map(|i| mass[i * n + i]).fold(0.0, larger);
    let ballast = if largest > 0.0 { METRIC_REGULARIZATION * largest } else { 1.0 };
    (0..n).for_each(|i| mass[i * n + i] += ballast);
    metric.set(mass);
}

/// Right-hand side of the equations solved from a value per row of all; returns the largest of them in magnitude, NaN
/// without factors.
pub(super) fn residual(block: &Block, scratch: &mut BlockScratch, value: impl Fn(usize) -> f64) -> f64 {
    let BlockScratch { least, rhs, .. } = scratch;
    let mut largest = if least.pivot().is_nan() { f64::NAN } else { 0.0 };
    for (rhs, &row) in rhs.iter_mut().zip(least.equations()) {
        *rhs = value(block.rows.start + row);
        largest = larger(largest, rhs.abs());
    }
    largest
}

/// `scratch.change` ← least change of the block's coordinates (unscaled) that cancels the right-hand side.
pub(super) fn solve(block: &Block, scratch: &mut BlockScratch) {
    let BlockScratch { least, rhs, change, .. } = scratch;
    least.solve(rhs, change);
    change.iter_mut().zip(&block.per_size).for_each(|(change, per_size)| *change *= -per_size);
}

/// Columns of R_z: the motions left free by the solved equations.
pub(super) fn fill_null_space(block: &Block, scratch: &mut BlockScratch) {
    let BlockScratch { least, null, width, .. } = scratch;
    for (c, motion) in least.free().enumerate() {
        for (k, value) in motion.iter().enumerate() {
            null[k * *width + c] = value * block.per_size[k];
        }
    }
}

/// Multipliers of the rows of a block whose generalized forces, scaled, are in `scratch.change`.
pub(super) fn add_multipliers(block: &Block, scratch: &mut BlockScratch, multipliers: &mut [f64]) {
    let BlockScratch { least, rhs, change, .. } = scratch;
    least.solve_transposed(change, rhs);
    for (&row, value) in least.equations().iter().zip(rhs.iter()) {
        multipliers[block.rows.start + row] = *value;
    }
}
