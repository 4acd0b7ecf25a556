//! The index-3 augmented Lagrangian in the tree's coordinates: residual, tangent matrix, and projections at the end of
//! a step.
//!
//! Problem. At the end of a step of the trapezoidal rule the accelerations w of all coordinates must satisfy
//!
//! ```text
//!     M w + Φᵀ_z λ = Q,    Φ(q) = 0
//! ```
//!
//! with all closure rows Φ, redundant ones included, q and ż functions of w. The multipliers follow the augmented
//! Lagrangian method, so the matrix to factor has the size of the coordinates. With the terms of [`super::implicit`] it
//! is positive definite with any number of redundant rows, also in singular positions:
//!
//! ```text
//!     A δw = Q − M w − Φᵀ_z (λ + α Φ),    A = M + h/2 C + h²/4 (K + Φᵀ_z α Φ_z),    λ ← λ + α (Φ + h²/4 Φ_z δw).
//! ```
//!
//! The multipliers follow the linearised gaps. The gaps at the new positions also contain the linearisation error.
//! Multiplied by α, that error would act as a force that turns with the bodies and disturbs the iteration. K and C as
//! in [`super::implicit`]. (Bayo & Ledesma 1996 and Cuadrado et al. write the positions as the unknowns, δq = h²/4 δw;
//! the steps are the same.) Sizes: nv coordinates, m rows.
//!
//! Weights. α is chosen so that p = h²/4 α is, for every row, `penalty` times the effective inertia of the row: 1 / Σ_k
//! Φ_k² / W_kk with the diagonal of W = M + h/2 C + h²/4 K. So one iteration leaves at most 1 / (1 + `penalty`) of the
//! error of a regular row, in any units and with any step.
//!
//! Projections. v ← v − A⁻¹ Φᵀ_z p Φ̇(v), likewise the accelerations with Φ̈, repeated until the rates vanish: the
//! least change in the metric of W. A direction whose singular value is below 1/√`penalty` of a regular one hardly
//! changes, so directions left free by a singular position remain free.
//!
//! Cost and real-time properties. O(nv³) per factorisation; no allocation. With [`TangentMatrix::Full`] one evaluation
//! of the open chain per coordinate.
//!
//! Verified by: tests/motion/second_opinion.rs.

use super::implicit::{self, Lengths};
use super::{closure, evaluate_open_tree, kinematics, mass};
use crate::math::{larger, largest, linear};
use crate::system::workspace::{AugmentedScratch, Dense};
use crate::system::{BlockScratch, Fault, State, System, Workspace};

/// Size of a row of the Jacobian, coordinates scaled to m, below which it is round-off.
const ROW_TOLERANCE: f64 = 1e-12;
/// Size of a row below which its weight is not increased further.
const MIN_WEIGHTED_ROW: f64 = 1e-3;
/// A pivot below this fraction of its diagonal entry counts as zero inertia: 45 roundings of that entry.
const INERTIA_TOLERANCE: f64 = 1e-14;
/// Change of the velocities in differences, relative to the fastest one (at least 1 m/s or rad/s). One-sided: an error
/// of this size by curvature, and of 2e-16 over it by rounding.
const DIFFERENCE: f64 = 1e-6;
/// Largest number of projections of the velocities, and of the accelerations.
const MAX_PROJECTIONS: usize = 4;
/// Rates below this fraction of the initial rates count as zero.
const RATE_TOLERANCE: f64 = 1e-12;

/// Contents of the tangent matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TangentMatrix {
    /// Stiffness and damping of modes and force elements: symmetric.
    Stiff,
    /// The full derivative by differences, including the geometric stiffness of the closure.
    Full,
}

/// Evaluates the stage at its q, v and accelerations `ws.accelerations.zdd`. Writes the residuals without the closure
/// into `ws.residuals.force` (Q − M w), and the values and Jacobians of all rows. Returns the largest closure error in
/// m.
pub fn evaluate(system: &System, state: &State, ws: &mut Workspace) -> f64 {
    evaluate_open_tree(system, state, ws);
    calc_jacobians(system, ws);
    let mut largest = 0.0f64;
    for row in &ws.closure.rows {
        // NaN must propagate; max() would drop it.
        largest = if row.gap.abs() > largest || row.gap.is_nan() { row.gap.abs() } else { largest };
        if largest.is_nan() {
            break;
        }
    }
    largest
}

fn calc_jacobians(system: &System, ws: &mut Workspace) {
    let (mut tree, blocks) = ws.open_tree();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        closure::calc_jacobian(system, &mut tree, block, scratch);
    }
}

/// forces −= Φᵀ_z y with a value y per row.
fn subtract_closure(system: &System, blocks: &[BlockScratch], y: impl Fn(usize) -> f64, forces: &mut [f64]) {
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        for (index, row) in block.rows.clone().enumerate() {
            let y = y(row);
            for (column, value) in block.row(&scratch.jacobian, index) {
                forces[block.coordinates[column]] -= value * block.unit_size[column] * y;
            }
        }
    }
}

/// λ ← λ + part · α (Φ + Φ_z h²/4 δw) after [`solve`]; λ is `ws.reactions.multipliers`.
pub(crate) fn follow_multipliers(system: &System, ws: &mut Workspace, lengths: Lengths, part: f64) {
    let Workspace { reactions, augmented, closure, blocks, dense, .. } = ws;
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        for (index, row) in block.rows.clone().enumerate() {
            let slope = |(column, value): (usize, f64)| {
                value * block.unit_size[column] * dense.reduced_force[block.coordinates[column]]
            };
            let moved: f64 = block.row(&scratch.jacobian, index).map(slope).sum();
            let stretched = closure.rows[row].gap / lengths.position + moved;
            reactions.multipliers[row] += part * augmented.penalties[row] * stretched;
        }
    }
}

/// W into `ws.dense.mass`, A and its factor into `ws.dense.reduced_mass`, after [`evaluate`]. `weigh`: the weights of
/// the rows are chosen anew from the diagonal of W.
pub(crate) fn factor(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
    tangent: TangentMatrix,
    weigh: bool,
) -> Result<(), Fault> {
    // W: the mass matrix with the stiff terms of the forces.
    calc_mass(system, ws);
    implicit::add_stiff_terms(system, state, ws, lengths);
    if weigh {
        weigh_rows(system, ws);
    }
    let n = system.nv;
    ws.dense.reduced_mass.copy_from_slice(&ws.dense.mass);
    // The full tangent: all derivatives of the forces, by differences, instead of the stiff terms alone.
    if tangent == TangentMatrix::Full {
        calc_mass(system, ws);
        add_differences(system, state, ws, lengths);
        ws.dense.reduced_mass.copy_from_slice(&ws.dense.mass);
    }
    // Add Jᵀ α J of the penalties, in scaled coordinates.
    let Workspace { dense: Dense { reduced_mass: a, exchanges, .. }, augmented, blocks, .. } = ws;
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        for (index, row) in block.rows.clone().enumerate() {
            for (i, value) in block.row(&scratch.jacobian, index) {
                let scaled = augmented.penalties[row] * value * block.unit_size[i];
                let line = &mut a[block.coordinates[i] * n..][..n];
                for (j, value) in block.row(&scratch.jacobian, index) {
                    line[block.coordinates[j]] += scaled * value * block.unit_size[j];
                }
            }
        }
    }
    // Prescribed coordinates do not move: their rows and columns become those of the identity.
    for guided in &system.guided {
        let k = guided.coordinate.velocity;
        for i in 0..n {
            a[i * n + k] = 0.0;
            a[k * n + i] = 0.0;
        }
        a[k * n + k] = 1.0;
    }
    // The full tangent is not symmetric, so it needs LU factors instead of Cholesky.
    let missing = match tangent {
        TangentMatrix::Stiff => linear::cholesky(a, n, INERTIA_TOLERANCE).err(),
        TangentMatrix::Full => {
            let pivot = linear::factor(a, n, exchanges);
            (!(pivot > 0.0)).then_some(0)
        }
    };
    match missing {
        None => Ok(()),
        Some(k) => Err(Fault::NoInertia { joint: system.joint_of_coordinate(k) as u32, time: f64::NAN }),
    }
}

/// M of the open tree into `ws.dense.mass`.
fn calc_mass(system: &System, ws: &mut Workspace) {
    let Workspace { kinematics, flexible, inertias, dense, .. } = ws;
    mass::calc_composites(system, inertias);
    mass::calc_mass(system, kinematics, flexible, inertias, &mut dense.mass);
}

/// Weights of all rows, `ws.augmented.penalties`, in kg: from the diagonal of W in `ws.dense.mass`. A coordinate
/// without inertia or stiffness is ignored; a row with only such coordinates gets the largest weight of its block. Rows
/// of pure round-off, as of a redundant equation, get zero weight: a weight scaled to their size would turn round-off
/// into a constraint.
fn weigh_rows(system: &System, ws: &mut Workspace) {
    let Workspace { dense: Dense { mass, .. }, augmented: AugmentedScratch { penalties, .. }, blocks, .. } = ws;
    let penalty = system.augmented.penalty;
    penalties.fill(0.0);
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        let mut largest = 0.0f64;
        // Weight of a row: penalty over its mobility Σ (∂φ/∂q)²/W.
        for (index, row) in block.rows.clone().enumerate() {
            let (mut mobility, mut size) = (0.0, 0.0);
            for (column, value) in block.row(&scratch.jacobian, index) {
                let inertia = mass[block.coordinates[column] * (system.nv + 1)];
                let slope = value * block.unit_size[column];
                size += value * value;
                if inertia > 0.0 {
                    mobility += slope * slope / inertia;
                }
            }
            if size <= ROW_TOLERANCE * ROW_TOLERANCE {
                continue;
            }
            // The weight of a flat row is limited to the weight of a row of size MIN_WEIGHTED_ROW.
            mobility *= (MIN_WEIGHTED_ROW * MIN_WEIGHTED_ROW / size).max(1.0);
            penalties[row] = if mobility > 0.0 { penalty / mobility } else { f64::INFINITY };
            if mobility > 0.0 {
                largest = largest.max(penalties[row]);
            }
        }
        // Rows without inertia get the largest weight of the block.
        let missing = if largest > 0.0 { largest } else { penalty };
        for weight in penalties[block.rows.clone()].iter_mut().filter(|weight| weight.is_infinite()) {
            *weight = missing;
        }
    }
}

/// `ws.dense.mass` += derivatives of the forces of the open chain and of Φᵀ_z λ at fixed λ, by forward differences, a
/// column per coordinate. Leaves the evaluation of the stage as it was.
fn add_differences(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let n = system.nv;
    let fastest = larger(1.0, largest(&ws.stage.v));
    let change = DIFFERENCE * fastest / lengths.velocity;
    ws.rates.q.copy_from_slice(&ws.stage.q);
    ws.rates.v.copy_from_slice(&ws.stage.v);
    subtract_multipliers(system, ws);
    ws.dense.reduced_force.copy_from_slice(&ws.residuals.force);
    for k in 0..=n {
        // The last evaluation restores the stage.
        if k < n {
            system.add_increment(&mut ws.stage.q, k, change * lengths.position);
            ws.stage.v[k] += change * lengths.velocity;
        }
        evaluate_open_tree(system, state, ws);
        calc_jacobians(system, ws);
        if k == n {
            break;
        }
        subtract_multipliers(system, ws);
        for i in 0..n {
            ws.dense.mass[i * n + k] += (ws.dense.reduced_force[i] - ws.residuals.force[i]) / change;
        }
        ws.stage.q.copy_from_slice(&ws.rates.q);
        ws.stage.v.copy_from_slice(&ws.rates.v);
    }
}

/// `ws.residuals.force` −= Φᵀ_z λ.
fn subtract_multipliers(system: &System, ws: &mut Workspace) {
    let Workspace { blocks, reactions, residuals, .. } = ws;
    subtract_closure(system, blocks, |row| reactions.multipliers[row], &mut residuals.force);
}

/// δw of one Newton step into `ws.dense.reduced_force`, after [`factor`]; zero for prescribed coordinates.
pub(crate) fn solve(system: &System, ws: &mut Workspace, lengths: Lengths, tangent: TangentMatrix) {
    let Workspace { closure, blocks, residuals, reactions, augmented, dense, .. } = ws;
    dense.reduced_force.copy_from_slice(&residuals.force);
    let y =
        |row: usize| reactions.multipliers[row] + augmented.penalties[row] / lengths.position * closure.rows[row].gap;
    subtract_closure(system, blocks, y, &mut dense.reduced_force);
    back_substitute(system, dense, tangent);
}

fn back_substitute(system: &System, dense: &mut Dense, tangent: TangentMatrix) {
    let Dense { reduced_mass: a, reduced_force: x, exchanges, .. } = dense;
    system.guided.iter().for_each(|guided| x[guided.coordinate.velocity] = 0.0);
    match tangent {
        TangentMatrix::Stiff => {
            linear::solve_lower(a, system.nv, x);
            linear::solve_lower_transposed(a, system.nv, x);
        }
        TangentMatrix::Full => linear::solve_lu(a, system.nv, exchanges, x),
    }
}

/// Velocities and accelerations of the stage so that all rows' rates and accelerations vanish, with the factor of the
/// last Newton step. The rates of the closure at the end, m/s and m/s².
pub(crate) fn project(system: &System, ws: &mut Workspace, tangent: TangentMatrix) {
    if system.rows.is_empty() {
        return;
    }
    let Workspace { stage, kinematics, closure, blocks, accelerations, augmented, dense, .. } = ws;
    let mut progress = Progress::default();
    for _ in 0..=MAX_PROJECTIONS {
        kinematics::calc_velocities(system, &stage.v, kinematics);
        for ((rate, row), state) in augmented.held.iter_mut().zip(&system.rows).zip(&closure.rows) {
            *rate = row.rate(state, &kinematics.bodies, &stage.v);
        }
        if progress.is_over(&augmented.held) {
            break;
        }
        calc_change(system, blocks, augmented, dense, tangent);
        stage.v.iter_mut().zip(&dense.reduced_force).for_each(|(value, change)| *value += change);
    }
    let mut progress = Progress::default();
    for _ in 0..=MAX_PROJECTIONS {
        kinematics::calc_accelerations(system, &stage.v, kinematics, accelerations);
        for ((rate, row), state) in augmented.held.iter_mut().zip(&system.rows).zip(&closure.rows) {
            *rate = row.acceleration(state, &kinematics.bodies, &accelerations.bodies, [&stage.v, &accelerations.zdd]);
        }
        if progress.is_over(&augmented.held) {
            break;
        }
        calc_change(system, blocks, augmented, dense, tangent);
        accelerations.zdd.iter_mut().zip(&dense.reduced_force).for_each(|(value, change)| *value += change);
    }
}

/// −A⁻¹ Φᵀ_z p y for the rates y = `augmented.held`, into `dense.reduced_force`.
fn calc_change(
    system: &System,
    blocks: &[BlockScratch],
    augmented: &AugmentedScratch,
    dense: &mut Dense,
    tangent: TangentMatrix,
) {
    dense.reduced_force.fill(0.0);
    let y = |row: usize| augmented.penalties[row] * augmented.held[row];
    subtract_closure(system, blocks, y, &mut dense.reduced_force);
    back_substitute(system, dense, tangent);
}

/// Convergence of the projections: at most [`MAX_PROJECTIONS`], until the rates vanish or no longer decrease.
#[derive(Default)]
struct Progress {
    projections: usize,
    first: f64,
    previous: f64,
}

impl Progress {
    /// Whether the projections end with these rates.
    fn is_over(&mut self, rates: &[f64]) -> bool {
        let largest = largest(rates);
        if self.projections == 0 {
            (self.first, self.previous) = (largest, f64::INFINITY);
        }
        let over = self.projections == MAX_PROJECTIONS
            || largest <= RATE_TOLERANCE * self.first
            || largest >= 0.5 * self.previous;
        (self.projections, self.previous) = (self.projections + 1, largest);
        over
    }
}
