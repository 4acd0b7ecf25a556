//! Least-norm distribution of reactions that redundant loop equations leave undetermined.
//!
//! Problem. Every redundant row r of a closed loop defines a state of stress without load, Φ_zᵀ s = 0, whose reactions
//! balance each other. Any sum of them may be added to the multipliers without changing the motion, so the same model
//! written in another order, or rotated, would give other reactions. The module selects the reactions that minimise
//!
//! ```text
//!     Σ |F|² + |M|² / L²
//! ```
//!
//! over all joints, rods, points and couplers of the loops that share joints with each other ([`Sharing`]). F is the
//! force transmitted by a joint, including the efforts on its coordinates. M is its moment about the midpoint between
//! its points on the two bodies. For a coupler, the efforts on its two coordinates count, as F in N and as M in N m. L
//! is the root mean square distance of these points from their mean. The result does not depend on order, axes, the
//! choice of cut joints or the order of the bodies; an additional joint, even a `fixed` one, changes it.
//!
//! Method. s = 1 in the redundant row and −Φ_zd⁻ᵀ Φ_rd in the rows of the closure, from its factors. The states of
//! stress are orthonormalised twice in that norm and removed from the multipliers. Rows that are no state of stress in
//! all coordinates, because the rank fell near a singular position, are skipped, and so are combinations of others.
//!
//! Sizes: s states of stress, W = rows of the loops + 6 (joints + constraints) numbers each. Cost: a sweep over the
//! bodies per state, and s² W. No allocation, no iteration.
//!
//! Source: least norm of undetermined reactions, J. García de Jalón, M. D. Gutiérrez-López, Multibody Syst. Dyn. 30
//! (2013) 311-341, there with equal weights of multipliers, which depend on axes and units. Verified by:
//! tests/motion/trusted_loops.rs, tests/harness/rigid.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::closure::{calc_jacobian, orders_of};
use super::reactions;
use super::residuals::accumulate_residuals;
use crate::joint::Row;
use crate::math::elementary::sqrt;
use crate::math::spatial::{BodyMotion, Wrench};
use crate::math::{Vec3, larger};
use crate::system::workspace::{ClosureScratch, Kinematics, Reactions};
use crate::system::{Block, BlockScratch, Sharing, State, System, Workspace};
use core::ops::Range;

/// A combination of rows that loads a coordinate, scaled, by more than this fraction of its largest force is no state
/// of stress: a hundred times the limit of dependence ([`crate::system::RANK`]).
const STRESS_STATE_TOLERANCE: f64 = 1e-6;
/// A state of stress counts as a combination of others if less than this fraction remains after orthogonalisation.
const DEPENDENCE_TOLERANCE: f64 = 1e-10;
/// Points closer than this fraction of the size of the model coincide.
const COINCIDENCE_TOLERANCE: f64 = 1e-6;

/// Adds the states of stress that minimise the norm to the reactions in the workspace.
pub(super) fn split(system: &System, state: &State, ws: &mut Workspace) {
    for sharing in &system.shared {
        // The multipliers, and the reactions that they cause, as one vector.
        let width = sharing.width();
        let per_length = 1.0 / length(system, sharing, &ws.kinematics);
        copy_multipliers(system, sharing, &ws.reactions.multipliers, &mut ws.reactions.shared);
        measure(system, sharing, per_length, ws, None);
        let mut count = 0;
        let mut start = 0;
        // Every dependent row gives a state of stress: reactions without external load.
        for &index in &sharing.blocks {
            let block = &system.blocks[index];
            let (mut tree, blocks) = ws.open_tree();
            calc_jacobian(system, &mut tree, block, &mut blocks[index]);
            for row in 0..block.rows.len() {
                let stress = &mut ws.reactions.stresses[count * width..(count + 1) * width];
                stress[..sharing.rows].fill(0.0);
                let own = &mut stress[start..start + block.rows.len()];
                if !find_stress(state, block, &mut ws.blocks[index], row, own) {
                    continue;
                }
                // Keep it as one vector of an orthonormal basis, in the norm of the reactions.
                load_stress(system, sharing, ws, count * width);
                measure(system, sharing, per_length, ws, Some(count * width));
                let (before, stress) = ws.reactions.stresses[..(count + 1) * width].split_at_mut(count * width);
                count += usize::from(orthonormalise(before, stress, sharing.rows));
            }
            start += block.rows.len();
        }
        // Remove the component along every state of stress; the rest has the smallest norm.
        let Reactions { shared, stresses, multipliers, .. } = &mut ws.reactions;
        let shared = &mut shared[..width];
        for stress in stresses[..count * width].chunks_exact(width) {
            let projection = dot(&stress[sharing.rows..], &shared[sharing.rows..]);
            subtract(shared, projection, stress);
        }
        rows(system, sharing).zip(shared).for_each(|(row, value)| multipliers[row] = *value);
        reactions::load_bodies(system, ws);
    }
}

/// Numbers of all rows.
fn rows<'a>(system: &'a System, sharing: &'a Sharing) -> impl Iterator<Item = usize> + 'a {
    sharing.blocks.iter().map(|&index| &system.blocks[index]).flat_map(|block| block.rows.clone())
}

fn copy_multipliers(system: &System, sharing: &Sharing, multipliers: &[f64], shared: &mut [f64]) {
    shared.iter_mut().zip(rows(system, sharing)).for_each(|(value, row)| *value = multipliers[row]);
}

/// Multipliers of a block's rows that load no coordinate, 1 in `row`; `false` if `row` is a row of the closure, or if
/// no such multipliers exist. The Jacobian of all rows is in `scratch`.
fn find_stress(state: &State, block: &Block, scratch: &mut BlockScratch, row: usize, stress: &mut [f64]) -> bool {
    let BlockScratch { least_change, least, partition, jacobian, rhs, change, rank, .. } = scratch;
    let rhs = &mut rhs[..*rank];
    rhs.fill(0.0);
    // Express the row by the rows of the closure, with the factors that closed the block.
    if *least_change {
        if least.equations().contains(&row) {
            return false;
        }
        least.express(block.row(jacobian, row), rhs, |equation, weight| stress[equation] = -weight);
    } else {
        let (rows, columns) = orders_of(state, block).split_at(block.rows.len());
        if rows[..*rank].contains(&(row as u32)) {
            return false;
        }
        let values = &jacobian[block.starts[row]..block.starts[row + 1]];
        for (rhs, column) in rhs.iter_mut().zip(columns) {
            if let Ok(place) = block.columns_of(row).binary_search(&(*column as usize)) {
                *rhs = values[place];
            }
        }
        partition.factors.solve_transposed(rhs);
        rhs.iter().enumerate().for_each(|(k, weight)| stress[rows[partition.factors.row(k)] as usize] = -weight);
    }
    // Check that the combination loads no coordinate: near a singular position it does.
    stress[row] = 1.0;
    change.fill(0.0);
    let mut largest = 0.0;
    for (i, &weight) in stress.iter().enumerate() {
        largest = larger(largest, weight.abs());
        block.row(jacobian, i).for_each(|(column, value)| change[column] += weight * value);
    }
    change.iter().all(|load| load.abs() <= STRESS_STATE_TOLERANCE * largest)
}

/// Writes to `ws.residuals.bodies` the wrenches transmitted by the tree joints under the state of stress at `place` of
/// `ws.reactions.stresses`.
fn load_stress(system: &System, sharing: &Sharing, ws: &mut Workspace, place: usize) {
    let Workspace { closure, residuals, reactions, .. } = ws;
    residuals.bodies.fill(Wrench::zero());
    for (row, &lambda) in rows(system, sharing).zip(&reactions.stresses[place..place + sharing.rows]) {
        reactions::load_row(&system.rows[row], &closure.rows[row], lambda, &mut residuals.bodies);
    }
    accumulate_residuals(system, &mut residuals.bodies);
}

/// Terms of the norm from the wrenches in `ws.residuals.bodies` and the multipliers at `place` of
/// `ws.reactions.stresses`, written after the multipliers. Without a `place`, the multipliers are in
/// `ws.reactions.shared`.
fn measure(system: &System, sharing: &Sharing, per_length: f64, ws: &mut Workspace, place: Option<usize>) {
    let Workspace { kinematics, closure, residuals, reactions, .. } = ws;
    let values = match place {
        Some(place) => &mut reactions.stresses[place..],
        None => &mut reactions.shared[..],
    };
    let (multipliers, parts) = values.split_at_mut(sharing.rows);
    let (of_joints, of_constraints) = parts.split_at_mut(6 * sharing.joints.len());
    let weigh = |part: &mut [f64], wrench: &Wrench, r: &Vec3| {
        let moment = wrench.moment_about(r) * per_length;
        part.copy_from_slice(&[wrench.force.x, wrench.force.y, wrench.force.z, moment.x, moment.y, moment.z]);
    };
    // Wrench of every joint about its point, moments per length.
    for (part, &joint) in of_joints.chunks_exact_mut(6).zip(&sharing.joints) {
        weigh(part, &residuals.bodies[joint + 1], &joint_point(system, kinematics, joint).0);
    }
    // The same for every constraint; a coupling has an effort per coordinate.
    for (part, of) in of_constraints.chunks_exact_mut(6).zip(&sharing.constraints) {
        let own = of.first..of.first + system.constraints[of.constraint].rows.len();
        let constraint = &system.constraints[of.constraint];
        match (&system.rows[constraint.rows.start], &of.angles) {
            (row @ Row::Coupled { .. }, angles) if !angles.is_empty() => {
                part.fill(0.0);
                let unit = |angle: bool| if angle { per_length } else { 1.0 };
                let slope = |k: usize| row.slope(&closure.rows[constraint.rows.start], k);
                for (k, (part, &angle)) in part[..5].iter_mut().zip(angles).enumerate() {
                    *part = slope(k) * multipliers[of.first] * unit(angle);
                }
                // All are multiples of one number; states without a separate place share one.
                let others = angles.iter().enumerate().skip(5).map(|(k, &angle)| slope(k) * unit(angle));
                part[5] = sqrt(others.map(|factor| factor * factor).sum::<f64>()) * multipliers[of.first];
            }
            _ => {
                let wrench = constraint_wrench(closure, constraint.rows.clone(), &multipliers[own]);
                weigh(part, &wrench, &constraint_point(system, kinematics, of.constraint).0);
            }
        }
    }
}

fn constraint_wrench(closure: &ClosureScratch, rows: Range<usize>, multipliers: &[f64]) -> Wrench {
    let mut wrench = Wrench::zero();
    for (row, &lambda) in rows.zip(multipliers) {
        wrench += closure.rows[row].on_second * lambda;
    }
    wrench
}

/// The middle between two points of two bodies from the o of the second and from the model's origin.
fn middle(first: &BodyMotion, p_first: &Vec3, second: &BodyMotion, p_second: &Vec3) -> (Vec3, Vec3) {
    let (p_o1P_W, p_o2Q_W) = (first.point(p_first), second.point(p_second));
    let p_o2M_W = p_o2Q_W - BodyMotion::between(first, &p_o1P_W, second, &p_o2Q_W) * 0.5;
    (p_o2M_W, p_o2M_W + second.reference)
}

/// The point of a tree joint, from the o of its outboard body and from the model's origin.
fn joint_point(system: &System, kinematics: &Kinematics, joint: usize) -> (Vec3, Vec3) {
    let tree = &system.joints[joint];
    let ends = (&kinematics.bodies[system.bodies[joint + 1].parent], &kinematics.bodies[joint + 1]);
    let points = if tree.reversed {
        (&tree.anchor_second, &tree.anchor_first)
    } else {
        (&tree.anchor_first, &tree.anchor_second)
    };
    middle(ends.0, points.0, ends.1, points.1)
}

/// The point of a constraint, from the o of its second body and from the model's origin: for a cut joint as for a tree
/// joint, for a rod its middle, for others the point of the second body, where their force acts.
fn constraint_point(system: &System, kinematics: &Kinematics, index: usize) -> (Vec3, Vec3) {
    let constraint = &system.constraints[index];
    let [first, second] = constraint.bodies.map(|body| &kinematics.bodies[body]);
    let between = constraint.joint.is_some() || matches!(system.rows[constraint.rows.start], Row::Distance { .. });
    match between {
        true => middle(first, &constraint.points[0], second, &constraint.points[1]),
        false => middle(second, &constraint.points[1], second, &constraint.points[1]),
    }
}

/// L in m; where all points are one, the root mean square distance of the centres of mass of the joints' bodies from
/// it.
fn length(system: &System, sharing: &Sharing, kinematics: &Kinematics) -> f64 {
    let points = || {
        let bodies = sharing.constraints.iter().filter(|of| of.angles.is_empty());
        let constraints = bodies.map(|of| constraint_point(system, kinematics, of.constraint).1);
        sharing.joints.iter().map(|&joint| joint_point(system, kinematics, joint).1).chain(constraints)
    };
    let centres = || {
        let ends = sharing.joints.iter().flat_map(|&joint| [system.bodies[joint + 1].parent, joint + 1]);
        let bodies = ends.filter(|&body| body != 0).map(|body| &kinematics.bodies[body]);
        bodies.map(|body| body.position + body.reference)
    };
    let (count, sum) = points().fold((0.0, Vec3::zeros()), |(count, sum), p_WP| (count + 1.0, sum + p_WP));
    let mean = sum / larger(count, 1.0);
    let size = system.blocks[sharing.blocks[0]].size;
    let of_points = distance(points(), &mean);
    if of_points > COINCIDENCE_TOLERANCE * size {
        return of_points;
    }
    let of_centres = distance(centres(), &mean);
    if of_centres > 0.0 { of_centres } else { size }
}

/// Root mean square distance of points from `mean`, 0 of none.
fn distance(points: impl Iterator<Item = Vec3>, mean: &Vec3) -> f64 {
    let (count, sum) = points.fold((0.0, 0.0), |(count, sum), r| (count + 1.0, sum + (r - mean).norm_squared()));
    sqrt(sum / larger(count, 1.0))
}

/// Makes `stress` orthogonal to the previous ones, of the same length, with norm 1 in the `rows` numbers after the
/// multipliers; `false` if it is a combination of them.
fn orthonormalise(before: &[f64], stress: &mut [f64], rows: usize) -> bool {
    let size = sqrt(dot(&stress[rows..], &stress[rows..]));
    for _ in 0..2 {
        for other in before.chunks_exact(stress.len()) {
            let along = dot(&other[rows..], &stress[rows..]);
            subtract(stress, along, other);
        }
    }
    let left = sqrt(dot(&stress[rows..], &stress[rows..]));
    if !(left > DEPENDENCE_TOLERANCE * size) {
        return false;
    }
    stress.iter_mut().for_each(|value| *value /= left);
    true
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// x ← x − factor · other.
fn subtract(x: &mut [f64], factor: f64, other: &[f64]) {
    x.iter_mut().zip(other).for_each(|(x, other)| *x -= factor * other);
}
