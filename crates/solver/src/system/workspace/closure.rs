//! Scratch of the loop closure: rows, blocks, multipliers.

use super::Number;
use super::poison::{blank, poisoned};
use crate::joint::RowState;
use crate::math::linear::Candidate;
use crate::math::matching::Graph;
use crate::math::skyline::Skyline;
use crate::math::sparse_least_change::{LeastChange, Metric};
use crate::math::spatial::Motion;
use crate::system::{Block, System};
use alloc::{vec, vec::Vec};

/// Scratch shared by all blocks while their loops are closed. By `dynamics::closure` and `dynamics::pieces`.
pub struct ClosureScratch<S = f64> {
    /// Value and forces of every closure row at the positions of the stage. An evaluation reads the pivot rows;
    /// `closure::complete_rows` reads all rows.
    pub rows: Vec<RowState<S>>,
    /// Positions before a block is closed, nq.
    pub before: Vec<f64>,
    /// Per tree joint while a block is closed in pieces: whether the position of its body is not yet updated.
    pub stale: Vec<bool>,
    /// Per tree joint: last piece that moved it, counted from 1, or 0.
    pub moved_by: Vec<usize>,
    /// Changes of velocities or accelerations of the bodies that a block moves.
    pub carried: Vec<Motion>,
}

poisoned!(ClosureScratch<S> { rows, before, stale, moved_by, carried });

impl<S: Number> ClosureScratch<S> {
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub(super) fn new(system: &System) -> ClosureScratch<S> {
        let bodies = system.bodies.len();
        ClosureScratch {
            rows: blank(system.rows.len()),
            before: blank(system.nq),
            stale: vec![false; bodies],
            moved_by: vec![0; bodies],
            carried: blank(bodies),
        }
    }
}

/// Scratch of one block with m rows and n coordinates. Coordinates are scaled to m by the block's unit sizes. By
/// `dynamics::closure`; fields of least change by `dynamics::least_change`, fields of the projection by
/// `dynamics::projection`.
#[derive(Default)]
pub struct BlockScratch {
    /// Whether it is closed by least change in this stage.
    pub least_change: bool,
    /// Number of columns of `null`: motions that this block leaves free in this stage.
    pub width: usize,
    /// Number of constrained directions in this stage.
    pub rank: usize,
    /// Values of the Jacobian, see [`Block::row`]. A block closed by partition has the values of its pivot rows only.
    pub jacobian: Vec<f64>,
    /// The whole Jacobian for the choice of pivots, m × n.
    pub(crate) trial: Vec<f64>,
    /// Orders of that choice: rows, then columns.
    pub(crate) trial_order: Vec<u32>,
    /// The choice's scratch, m.
    pub(crate) candidates: Vec<Candidate>,
    /// Of a block closed by partition, and of the choice.
    pub(crate) partition: Partition,
    /// Columns of R_z of this block: n × width, row k belongs to coordinate k of the block.
    pub null: Vec<f64>,
    /// Projection and least change: mass matrix of the block's coordinates, n × n.
    pub mass: Vec<f64>,
    /// Projection: M R, n × width.
    pub products: Vec<f64>,
    /// Projection: Rᵀ M R and its Cholesky factor, width × width.
    pub reduced: Vec<f64>,
    /// Least change: mass matrix of the scaled coordinates without its zeros.
    pub(crate) metric: Metric,
    /// Least change: equations, factors and singular directions.
    pub(crate) least: LeastChange,
    /// Right-hand sides and solutions, max(m, n) each.
    pub rhs: Vec<f64>,
    /// Change of the block's coordinates, n.
    pub change: Vec<f64>,
}

poisoned!(BlockScratch {
    least_change,
    width,
    rank,
    jacobian,
    trial,
    trial_order,
    candidates,
    partition,
    null,
    mass,
    products,
    reduced,
    metric,
    least,
    rhs,
    change,
});

impl BlockScratch {
    /// Smallest pivot of the equations that were solved last.
    pub fn smallest_pivot(&self) -> f64 {
        if self.least_change { self.least.pivot() } else { self.partition.pivot }
    }

    /// Number of systems of equations into which the choice of coordinates divides the block.
    pub fn pieces(&self) -> usize {
        self.partition.factors.pieces()
    }

    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub(super) fn new(block: &Block) -> BlockScratch {
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let large = m.max(n);
        BlockScratch {
            least_change: false,
            width: 0,
            rank: 0,
            jacobian: blank(block.columns.len()),
            trial: blank(m * n),
            trial_order: vec![0; m + n],
            candidates: vec![Candidate::default(); m],
            partition: Partition::new(m, n),
            null: blank(n * n),
            mass: blank(n * n),
            products: blank(n * n),
            reduced: blank(n * n),
            metric: Metric::new(n),
            least: LeastChange::new(m, n),
            rhs: blank(large),
            change: blank(n),
        }
    }
}

/// Factors of one block of m rows and n coordinates that is closed by partition, r rows and columns of it chosen. By
/// `dynamics::partition`, the graph by `dynamics::choice`.
#[derive(Default)]
pub(crate) struct Partition {
    /// Place of every column in the order that is factored, n.
    pub places: Vec<usize>,
    /// Graph of the unknowns that are solved together.
    pub graph: Graph,
    /// Φ_zd of the pivot rows and columns in order, r × r, and its factors.
    pub factors: Skyline,
    /// Smallest pivot of the factors.
    pub pivot: f64,
    /// Φ_zd⁻¹ Φ_zi, r × (n − r); coordinates scaled to m.
    pub solution: Vec<f64>,
}

poisoned!(Partition { places, graph, factors, pivot, solution });

impl Partition {
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    fn new(m: usize, n: usize) -> Partition {
        Partition {
            places: vec![0; n],
            graph: Graph::new(m.max(n)),
            factors: Skyline::new(m.min(n)),
            pivot: f64::NAN,
            solution: blank(n * n),
        }
    }
}
