//! Driven coordinates that a loop does not leave independent of each other.
//!
//! Redundant equations of a loop follow from the others as long as no prescribed motion moves them. With prescribed
//! motions they are satisfied only by consistent motions: two driven cranks of one linkage, a crank driven against a
//! rod to the ground. Here all driven coordinates are released. If the equations of a block have a greater rank with
//! them than without, the difference is the number of conditions on the prescribed motions alone. The rank is the
//! greatest at the assembled position and at probes next to it, in which the driven coordinates move too: a crank in
//! its dead centre has no condition at the start. The assembly rejects contradictory positions and rates at the
//! start; a loop that opens later is a fault of the step.
//!
//! Offline: allocates. Cost: a singular value decomposition per probe and block with driven coordinates.

use nalgebra::{DMatrix, DVector};

use super::{GAP_TOLERANCE, MAX_ITERATIONS, PIVOT_TOLERANCE, PROBE_DISTANCE, loop_names};
use crate::dynamics::kinematics::calc_positions;
use crate::dynamics::{choice, closure};
use crate::joint::TreeJoint;
use crate::math::larger;
use crate::system::{Block, Guide, Guided, System, Workspace};
use alloc::{format, string::String, vec, vec::Vec};

/// Probes next to the assembled position.
const PROBES: usize = 4;

/// Warnings for every block whose equations are conditions on driven coordinates. Leaves the assembled position in the
/// workspace.
pub(super) fn dependent(system: &System, ws: &mut Workspace) -> Vec<String> {
    let notes = system.blocks.iter().filter_map(|block| conditions(system, ws, block)).collect();
    ws.stage.q.copy_from_slice(&system.initial.q);
    calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    notes
}

fn conditions(system: &System, ws: &mut Workspace, block: &Block) -> Option<String> {
    // A held mode has an equilibrium position and needs no value.
    let moves = |guided: &&Guided| {
        let v = guided.coordinate.velocity;
        !matches!(guided.guide, Guide::Residual { .. })
            && block.guided.iter().flatten().any(|entry| entry.column == v && entry.factor != 0.0)
    };
    let guided: Vec<&Guided> = system.guided.iter().filter(moves).collect();
    if guided.is_empty() {
        return None;
    }
    // Ranks of the Jacobian without and with the driven coordinates, at several positions.
    let freed = Freed { system, block, guided: &guided };
    let n = block.coordinates.len();
    let (mut alone, mut all, mut acting) = (0, 0, vec![false; guided.len()]);
    for probe in 0..=PROBES {
        if !freed.move_to(ws, probe) {
            continue;
        }
        let (matrix, zero) = freed.jacobian(ws);
        let without = rank(matrix.columns(0, n).into_owned(), zero);
        (alone, all) = (alone.max(without), all.max(rank(matrix.clone(), zero)));
        for (k, acting) in acting.iter_mut().enumerate() {
            let one = DMatrix::from_fn(matrix.nrows(), n + 1, |i, j| matrix[(i, if j < n { j } else { n + k })]);
            *acting |= rank(one, zero) > without;
        }
    }
    if all <= alone {
        return None;
    }
    // Every equation that only the motions add is a condition on them.
    let names: Vec<String> = guided.iter().zip(acting).filter(|(_, acts)| *acts).map(quoted).collect();
    let (count, loops) = (all - alone, loop_names(system, block));
    let (names, one) = (names.join(", "), names.len() == 1);
    Some(if one {
        format!(
            "the loop of {loops} does not allow the prescribed motion {names}: {count} of its equations hold only at \
             the start position. A step that violates the loop constraint fails; remove the motion or free the \
             loop"
        )
    } else {
        format!(
            "the loop of {loops} does not allow independent prescribed motions {names}: {count} of its equations hold \
             only for consistent motions. A step that violates the loop constraint fails; prescribe fewer of them"
        )
    })
}

fn quoted((guided, _): (&&Guided, bool)) -> String {
    format!("`{}`", guided.name)
}

/// Singular values above `zero` and [`RANK`](crate::system::RANK) of the largest.
fn rank(matrix: DMatrix<f64>, zero: [f64; 2]) -> usize {
    if matrix.is_empty() {
        return 0;
    }
    let sigma = matrix.singular_values();
    let largest = sigma.iter().copied().fold(0.0, larger);
    sigma.iter().filter(|sigma| **sigma > larger(zero[0], zero[1] * largest)).count()
}

/// A block with its driven coordinates released: first its own coordinates, then these.
struct Freed<'a> {
    system: &'a System,
    block: &'a Block,
    guided: &'a [&'a Guided],
}

impl Freed<'_> {
    /// Moves from the assembled position to a closed position next to it; `false` if there is none. Probe 0 is the
    /// assembled position.
    fn move_to(&self, ws: &mut Workspace, probe: usize) -> bool {
        ws.stage.q.copy_from_slice(&self.system.initial.q);
        calc_positions(self.system, &mut ws.stage.q, &mut ws.kinematics);
        if probe == 0 {
            return true;
        }
        let (matrix, zero) = self.jacobian(ws);
        let change = DVector::from_fn(matrix.ncols(), |k, _| {
            // Deterministic, different for every probe and coordinate.
            let amount = 0.3 + ((probe * 5 + k * 3) % 7) as f64 / 7.0;
            PROBE_DISTANCE * self.block.size * if (probe >> (k % 3)) & 1 == 1 { amount } else { -amount }
        });
        // Along the loop: the component that opens the loop is removed.
        let across = least_change(&matrix, &(&matrix * &change), larger(zero[0], PIVOT_TOLERANCE));
        self.add(ws, &(change - across));
        let mut previous = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let (matrix, zero) = self.jacobian(ws);
            let gaps =
                DVector::from_iterator(matrix.nrows(), self.block.rows.clone().map(|row| ws.closure.rows[row].gap));
            let gap = gaps.amax();
            if !(gap > 0.0) || gap <= GAP_TOLERANCE && gap >= 0.5 * previous {
                break;
            }
            previous = gap;
            self.add(ws, &-least_change(&matrix, &gaps, larger(zero[0], PIVOT_TOLERANCE)));
        }
        previous <= GAP_TOLERANCE
    }

    fn add(&self, ws: &mut Workspace, change: &DVector<f64>) {
        let own = self.block.coordinates.iter().zip(&self.block.per_size).map(|(&v, &per_size)| (v, per_size));
        let guided = self.guided.iter().map(|guided| self.per_size(guided.coordinate.velocity));
        for ((v, per_size), amount) in own.chain(guided).zip(change.iter()) {
            self.system.add_increment(&mut ws.stage.q, v, amount * per_size);
        }
        calc_positions(self.system, &mut ws.stage.q, &mut ws.kinematics);
    }

    /// A driven velocity coordinate and its change per 1 m.
    fn per_size(&self, v: usize) -> (usize, f64) {
        let turns = |joint: &TreeJoint| TreeJoint::is_rotation(joint.kind, v - joint.v);
        (v, if self.system.joint_with(v).is_some_and(turns) { 1.0 / self.block.size } else { 1.0 })
    }

    /// Scaled Jacobian at the position in the workspace, with the absolute and the relative limit below which a
    /// singular value of it is zero.
    fn jacobian(&self, ws: &mut Workspace) -> (DMatrix<f64>, [f64; 2]) {
        let (block, n) = (self.block, self.block.coordinates.len());
        let (mut tree, blocks) = ws.open_tree();
        let scratch = &mut blocks[block.number];
        closure::calc_jacobian(self.system, &mut tree, block, scratch);
        let tolerance = choice::tolerance(self.system, &tree, block);
        let dense = block.dense(&scratch.jacobian);
        let mut matrix = DMatrix::zeros(block.rows.len(), n + self.guided.len());
        for (i, row) in block.rows.clone().enumerate() {
            (0..n).for_each(|k| matrix[(i, k)] = dense[i * n + k]);
            for (k, guided) in self.guided.iter().enumerate() {
                let (v, per_size) = self.per_size(guided.coordinate.velocity);
                let entries = block.guided[i].iter().filter(|entry| entry.column == v);
                let slopes = entries.map(|entry| closure::slope(self.system, &tree, row, entry));
                matrix[(i, n + k)] = per_size * slopes.sum::<f64>();
            }
        }
        (matrix, [tolerance.absolute, tolerance.relative])
    }
}

/// Least-squares solution x of A x = b of least norm; singular values below `truncated` of the largest are ignored.
fn least_change(a: &DMatrix<f64>, b: &DVector<f64>, truncated: f64) -> DVector<f64> {
    let decomposed = a.clone().svd(true, true);
    let largest = decomposed.singular_values.iter().copied().fold(0.0, larger);
    let solution = decomposed.solve(b, truncated * largest);
    solution.unwrap_or_else(|_| DVector::zeros(a.ncols()))
}
