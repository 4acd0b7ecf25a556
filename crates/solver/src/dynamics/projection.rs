//! Projection of a step's end onto the closed loops by least change in the metric of the mass matrix.
//!
//! Problem. An explicit scheme advances all coordinates of a block, each with its error. The closure by partition keeps
//! the independent coordinates and moves the others, so an error of the independent coordinates is multiplied by the
//! entries of R_z in the dependent ones. This module replaces the positions z* and velocities ż* of the scheme by the
//! nearest closed ones,
//!
//! ```text
//!     δz = δp − R y,   (Rᵀ M R) y = Rᵀ M δp,        ż = R x + ż_g,   (Rᵀ M R) x = Rᵀ M (ż* − ż_g),
//! ```
//!
//! with the change δp of only the dependent coordinates that closes the loops to first order, the mass matrix M of the
//! open tree, the null space R of the block, and the velocities ż_g due to the prescribed coordinates. The positions
//! are then closed to round-off by partition, as in every stage. This projection of the velocities conserves the
//! momentum along every free direction.
//!
//! Accuracy. Stages are closed by partition, so the scheme keeps its order on the ordinary differential equation whose
//! right-hand side first closes the loops; the projection removes the part of the error perpendicular to the closed
//! positions. Random parallel robots of eleven kinds (tests/motion/robots/mod.rs) lose 2 to 100 times less energy at
//! the same step than with the end closed by partition.
//!
//! Cost. The mass matrix of the block's coordinates, and n² f for n coordinates and f free directions of a block, per
//! step. No allocation, no iteration.
//!
//! Source. Mass-orthogonal projections: E. Bayo, R. Ledesma, Nonlinear Dynamics 9 (1996) 113-130; on the solution of a
//! partition: own derivation.
//!
//! Verified by: tests/motion/robots/mod.rs, tests/motion/verification.

use super::closure::{
    begin_factors, change_from_guides, factor_block, fill_null_space, gap_changes, move_coordinates, read_rows,
};
use super::dense::INERTIA_TOLERANCE;
use super::mass::{calc_block_masses, calc_composites, calc_inertias};
use crate::math::linear;
use crate::system::workspace::OpenTree;
use crate::system::{Block, BlockScratch, State, System};

/// Whether any block needs a projection.
pub(crate) fn is_needed(system: &System) -> bool {
    system.blocks.iter().any(has_free_directions)
}

fn has_free_directions(block: &Block) -> bool {
    block.rank > 0 && block.rank < block.coordinates.len()
}

/// Moves the coordinates of the blocks to the nearest closed positions, to first order. Positions must be consistent
/// with the coordinates, before and after the call. Afterwards `tree.inertias` contains the inertias of the previous
/// positions.
pub(crate) fn project_positions(system: &System, state: &State, tree: &mut OpenTree, blocks: &mut [BlockScratch]) {
    if !is_needed(system) {
        return;
    }
    calc_inertias(system, &tree.stage.q, tree.kinematics, tree.flexible, tree.inertias);
    calc_composites(system, tree.inertias);
    calc_block_masses(system, tree, blocks);
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        if scratch.least_change || !has_free_directions(block) {
            continue;
        }
        read_rows(system, state, tree, block, scratch);
        begin_factors(state, block, scratch);
        factor_block(system, state, tree, block, scratch, &mut false);
        if scratch.least_change {
            continue;
        }
        gap_changes(state, block, scratch, &tree.closure.rows);
        fill_null_space(state, block, scratch);
        if project(state, block, scratch) {
            let (n, free) = (block.coordinates.len(), scratch.width);
            for k in 0..n {
                for c in 0..free {
                    scratch.change[k] -= scratch.null[k * free + c] * scratch.rhs[c];
                }
            }
            move_coordinates(system, tree, block, scratch);
        }
    }
}

/// Replaces the independent velocities of the blocks by the independent part of the nearest closed velocities, after
/// [`project_positions`] of the same step, at closed positions with their null spaces. The dependent ones follow in
/// [`super::closure::close_velocities`].
pub(crate) fn project_velocities(system: &System, state: &State, tree: &mut OpenTree, blocks: &mut [BlockScratch]) {
    if !is_needed(system) {
        return;
    }
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        if scratch.least_change || !has_free_directions(block) {
            continue;
        }
        change_from_guides(system, state, tree, block, scratch);
        let v = &mut tree.stage.v;
        for (change, &coordinate) in scratch.change.iter_mut().zip(&block.coordinates) {
            *change = v[coordinate] - *change;
        }
        if project(state, block, scratch) {
            let independent = &state.orders[block.column_order()][block.rank..];
            for (&column, &x) in independent.iter().zip(&scratch.rhs) {
                v[block.coordinates[column as usize]] = x;
            }
        }
    }
}

/// `scratch.rhs` ← x of (Rᵀ M R) x = Rᵀ M d for d = `scratch.change`. `false` if a direction has no inertia
/// ([`INERTIA_TOLERANCE`]) or the factor is not finite; the block is then unchanged. R is the identity in the
/// independent coordinates. Needs the mass matrix of the block, which [`project_positions`] leaves; a block without
/// free directions has nothing to project.
pub(super) fn project(state: &State, block: &Block, scratch: &mut BlockScratch) -> bool {
    let (n, free) = (block.coordinates.len(), scratch.width);
    if !has_free_directions(block) {
        return false;
    }
    let (dependent, independent) = state.orders[block.column_order()].split_at(block.rank);
    let BlockScratch { null, products, reduced, mass, rhs, change, .. } = scratch;
    let (products, reduced, x) = (&mut products[..n * free], &mut reduced[..free * free], &mut rhs[..free]);
    // M R: the independent columns directly, the dependent ones through R_z.
    for (row, products) in mass.chunks_exact(n).zip(products.chunks_exact_mut(free)) {
        for (product, &column) in products.iter_mut().zip(independent) {
            *product = row[column as usize];
        }
        for &column in dependent {
            let mass = row[column as usize];
            if mass != 0.0 {
                let null = &null[column as usize * free..][..free];
                products.iter_mut().zip(null).for_each(|(product, factor)| *product += mass * factor);
            }
        }
    }
    // Rᵀ M R, lower triangle.
    for (c, &column) in independent.iter().enumerate() {
        reduced[c * free..][..free].copy_from_slice(&products[column as usize * free..][..free]);
    }
    for &column in dependent {
        let (null, products) = (&null[column as usize * free..][..free], &products[column as usize * free..][..free]);
        for (c, factor) in null.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let entries = reduced[c * free..][..c + 1].iter_mut();
            entries.zip(products).for_each(|(entry, product)| *entry += factor * product);
        }
    }
    // Rᵀ M d, with the symmetry of M.
    x.fill(0.0);
    for (products, change) in products.chunks_exact(free).zip(change.iter()) {
        x.iter_mut().zip(products).for_each(|(x, product)| *x += product * change);
    }
    // Solve. A fault leaves the block as it was.
    if linear::cholesky(reduced, free, INERTIA_TOLERANCE).is_err() {
        return false;
    }
    linear::solve_lower(reduced, free, x);
    linear::solve_lower_transposed(reduced, free, x);
    x.iter().all(|value| value.is_finite())
}
