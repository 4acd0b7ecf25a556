//! Factors of a block closed by partition: Φ_zd of the rows and columns that were chosen, in the pieces into which it
//! falls.
//!
//! `orders`: first the m rows of a block, then its n columns, chosen columns first ([`super::choice`]). Sizes: m rows,
//! n coordinates, rank r.

use crate::math::largest;
use crate::system::Block;
use crate::system::workspace::Partition;

/// Within a step, a pivot below this fraction of the regular one switches the block to least change. The value is ten
/// times the limit [`super::closure::MIN_PIVOT`], so that least change starts before an equation is left out.
pub(super) const MIN_STEP_PIVOT: f64 = 1e-3;

/// Begins the factors and determines their pieces.
pub(super) fn begin(orders: &[u32], block: &Block, partition: &mut Partition) {
    let (rows, columns) = orders.split_at(block.rows.len());
    let Partition { factors, places, .. } = partition;
    for (k, &column) in columns.iter().enumerate() {
        places[column as usize] = k;
    }
    match block.in_pieces {
        true => factors.begin(block.rank, |k| block.columns_of(rows[k] as usize), places),
        false => factors.begin_whole(block.rank),
    }
}

/// Factors all pieces, after [`begin`]. `false` if the pivots collapsed.
pub(super) fn factor(orders: &[u32], block: &Block, jacobian: &[f64], partition: &mut Partition) -> bool {
    partition.pivot = f64::INFINITY;
    for piece in 0..partition.factors.pieces() {
        let pivot = factor_piece(orders, block, jacobian, partition, piece);
        partition.pivot = if pivot < partition.pivot || pivot.is_nan() { pivot } else { partition.pivot };
    }
    keeps_rank(block, partition)
}

/// Factors one of these pieces; returns its smallest pivot.
pub(super) fn factor_piece(
    orders: &[u32],
    block: &Block,
    jacobian: &[f64],
    partition: &mut Partition,
    piece: usize,
) -> f64 {
    let Partition { factors, places, .. } = partition;
    let range = factors.piece(piece);
    for k in range.clone() {
        let row = orders[k] as usize;
        let values = &jacobian[block.starts[row]..block.starts[row + 1]];
        factors.set_row(k, &range, block.columns_of(row), values, places);
    }
    factors.factor_piece(piece)
}

/// Whether no pivot has collapsed so far.
pub(super) fn keeps_rank(block: &Block, partition: &Partition) -> bool {
    block.rank == 0 || partition.pivot > MIN_STEP_PIVOT * block.regular_pivot
}

/// −Φ_zd⁻¹ Φ_zi, scaled, into `partition.solution`, with the factors of the first rows and columns in `orders`.
pub(super) fn solve_null_space(orders: &[u32], block: &Block, jacobian: &[f64], partition: &mut Partition) {
    let Partition { factors, places, solution, .. } = partition;
    let (rank, free) = (block.rank, block.coordinates.len() - block.rank);
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

/// Largest entry of R_z, coordinates scaled to m, after [`solve_null_space`].
pub(super) fn growth(block: &Block, partition: &Partition) -> f64 {
    let entries = block.rank * (block.coordinates.len() - block.rank);
    largest(&partition.solution[..entries])
}
