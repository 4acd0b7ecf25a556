//! Least change of a block's scaled coordinates without weights, used by the assembly. Offline: allocates.
//!
//! Factors as near a singular position of a running mechanism ([`crate::dynamics::least_change`]), with the unit matrix
//! as metric. Redundant equations are solved by least squares: contradictions from the rounding of the file are
//! distributed over all of them.
//!
//! Cost: as in [`crate::math::sparse_least_change`], m n for m equations of n coordinates, most of it for the choice of
//! pivots.

use crate::dynamics::{choice, closure, least_change};
use crate::math::elementary::sqrt;
use crate::math::linear::{Candidate, Tolerance};
use crate::math::sparse_least_change::{LeastChange, Metric, Trial};
use crate::system::{Block, System, Workspace};
use alloc::{vec, vec::Vec};

/// Scaled Jacobian of a block, its values row by row, with its zero tolerance.
pub(super) type Jacobian = (Vec<f64>, Tolerance);

/// Jacobian of all rows of a block at the present positions; it leaves the rows' values in the workspace.
pub(super) fn jacobian(system: &System, ws: &mut Workspace, block: &Block) -> Jacobian {
    let (mut tree, blocks) = ws.open_tree();
    let scratch = &mut blocks[block.number];
    closure::calc_jacobian(system, &mut tree, block, scratch);
    (scratch.jacobian.clone(), choice::tolerance(system, &tree, block))
}

/// Unweighted least change of the scaled coordinates of a block; `held` columns count as zero.
pub(super) struct Decomposition {
    least: LeastChange,
    usable: bool,
}

impl Decomposition {
    /// Directions with a pivot below `truncated` of the largest, or below the zero tolerance, are not changed.
    pub(super) fn new(
        (jacobian, tolerance): &Jacobian,
        block: &Block,
        held: &[usize],
        truncated: f64,
    ) -> Decomposition {
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let mut values = jacobian.clone();
        for (value, column) in values.iter_mut().zip(&block.columns) {
            if held.contains(column) {
                *value = 0.0;
            }
        }
        let rows = least_change::rows(block, &values);
        let mut least = LeastChange::new(m, n);
        let (mut matrix, mut candidates, mut order) = (vec![0.0; m * n], vec![Candidate::default(); m], vec![0; m + n]);
        let trial = Trial { matrix: &mut matrix, candidates: &mut candidates, order: &mut order };
        let pivots = Tolerance { relative: truncated, ..*tolerance };
        let negligible = closure::CANCELLATION_TOLERANCE * rows.largest();
        least.select(rows, (&vec![0; n], &block.places), (m.min(n), pivots, negligible), trial);
        let mut metric = Metric::new(n);
        metric.set_unit(1.0);
        let usable = least.factor(rows, &metric);
        if usable {
            least.share_out(rows);
        }
        Decomposition { least, usable }
    }

    /// Least change of the scaled coordinates that cancels `values` (one per row) in the least-squares sense, small
    /// pivots ignored; `None` if the Jacobian is not finite.
    pub(super) fn change(&mut self, values: &[f64], n: usize) -> Vec<f64> {
        let mut change = vec![0.0; n];
        if self.usable {
            let mut rhs: Vec<f64> = self.least.rows().iter().map(|&row| -values[row]).collect();
            self.least.balance(&mut rhs);
            self.least.solve(&rhs, &mut change);
        }
        change
    }

    /// Orthonormal motions of the scaled coordinates that change no row: the unit vector with the longest projection is
    /// used next, so that the result does not depend on the search path.
    pub(super) fn basis(&self, n: usize) -> Vec<Vec<f64>> {
        if !self.usable {
            return Vec::new();
        }
        let mut free: Vec<Vec<f64>> = Vec::new();
        for motion in self.least.free() {
            let mut motion = motion.to_vec();
            make_orthonormal(&mut motion, &free);
            free.push(motion);
        }
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for _ in 0..free.len() {
            let (mut best, mut longest) = (0, -1.0);
            for j in 0..n {
                let whole: f64 = free.iter().map(|motion| motion[j] * motion[j]).sum();
                let left = whole - basis.iter().map(|motion| motion[j] * motion[j]).sum::<f64>();
                if left > longest + 1e-12 {
                    (best, longest) = (j, left);
                }
            }
            let mut motion: Vec<f64> = (0..n).map(|j| free.iter().map(|free| free[best] * free[j]).sum()).collect();
            make_orthonormal(&mut motion, &basis);
            basis.push(motion);
        }
        basis
    }

    /// Number of pivots that are not zero.
    pub(super) fn rank(&self) -> usize {
        if self.usable { self.least.rank() } else { 0 }
    }
}

/// Makes `motion` a unit vector orthogonal to `others`, which are orthonormal. Two passes: the first leaves errors that
/// grow with the angle.
fn make_orthonormal(motion: &mut [f64], others: &[Vec<f64>]) {
    for _ in 0..2 {
        for other in others {
            let projection: f64 = other.iter().zip(motion.iter()).map(|(a, b)| a * b).sum();
            motion.iter_mut().zip(other).for_each(|(value, other)| *value -= projection * other);
        }
        let length = sqrt(motion.iter().map(|value| value * value).sum::<f64>());
        motion.iter_mut().for_each(|value| *value /= length);
    }
}
