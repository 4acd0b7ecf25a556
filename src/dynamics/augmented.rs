//! The index-3 augmented Lagrangian in the tree's coordinates: residual, tangent matrix, and projections at the end of a step.
//!
//! Problem. At the end of a step of the trapezoidal rule the accelerations w of all coordinates shall satisfy
//!
//! ```text
//!     M w + Φᵀ_z λ = Q,    Φ(q) = 0
//! ```
//!
//! with all closure rows Φ, redundant ones included, q and ż functions of w. The multipliers are those of the augmented
//! Lagrangian, so the matrix to factor is that of the coordinates and, with the terms of [`super::implicit`], positive definite
//! however many rows say the same, in singular positions too:
//!
//! ```text
//!     A δw = Q − M w − Φᵀ_z (λ + α Φ),    A = M + h/2 C + h²/4 (K + Φᵀ_z α Φ_z),    λ ← λ + α (Φ + h²/4 Φ_z δw).
//! ```
//!
//! The multipliers follow the gaps as linearised. Gaps of the new positions hold the error of the linearisation too, and that, α times as
//! large, would be a force that turns with the bodies and upsets the iteration. K and C as in [`super::implicit`]. (Bayo & Ledesma 1996 and Cuadrado et al. write the positions as the unknowns, δq = h²/4 δw;
//! the steps are the same.) Sizes: nv coordinates, m rows.
//!
//! Weights. α is chosen so that p = h²/4 α is, for every row, [`PENALTY`] times the inertia that the row meets:
//! 1 / Σ_k Φ_k² / W_kk with the diagonal of W = M + h/2 C + h²/4 K. So one iteration leaves at most 1 / (1 + [`PENALTY`])
//! of a row's error where the rows are regular, in any units and with any step.
//!
//! Projections. v ← v − A⁻¹ Φᵀ_z p Φ̇(v), likewise the accelerations with Φ̈, repeated until the rates are gone: the least change
//! in the metric of W. A direction whose singular value is below 1/√[`PENALTY`] of a regular one is hardly changed, so what a
//! singular position leaves free stays free.
//!
//! Cost and real-time properties. O(nv³) per factorisation; no allocation. With [`Tangent::Full`] one evaluation of the open
//! chain per coordinate.
//!
//! Proved by: tests/motion/second_opinion.rs.

use super::implicit::{self, Lengths};
use super::{closure, kinematics, mass};
use crate::math::linear;
use crate::system::{Fault, State, System, Workspace};

/// Weight of a row against the inertia that it meets.
const PENALTY: f64 = 1e6;
/// Size of a row of the Jacobian, coordinates scaled to m, below which it is round-off.
const ROUND_OFF: f64 = 1e-12;
/// Size below which the weight of a row does not make up for it.
const FLAT: f64 = 1e-3;
/// A pivot below this part of its diagonal entry is no inertia.
const NO_INERTIA: f64 = 1e-14;
/// Change of the velocities in differences, relative to the fastest one (at least 1 m/s or rad/s).
const DIFFERENCE: f64 = 1e-6;
/// Projections of the velocities and of the accelerations, each, at most.
const PROJECTIONS: usize = 4;
/// Rates below this part of those before the first projection are gone.
const PROJECTED: f64 = 1e-12;

/// What the tangent matrix holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// Stiffness and damping of modes and force elements: symmetric.
    Stiff,
    /// The derivative of everything, the geometric stiffness of the closure included, by differences.
    Full,
}

/// Everything at the stage's q, v and accelerations `ws.zdd`: what the coordinates' equations lack, without the closure, into
/// `ws.force` (Q − M w), and values and Jacobians of all rows. The largest closure error in m.
pub fn evaluate(system: &System, state: &State, ws: &mut Workspace) -> f64 {
    implicit::calc_forces(system, state, ws);
    calc_jacobians(system, ws);
    let mut largest = 0.0f64;
    for row in &ws.rows {
        // NaN must not hide: max() would drop it.
        largest = if row.gap.abs() > largest || row.gap.is_nan() { row.gap.abs() } else { largest };
        if largest.is_nan() {
            break;
        }
    }
    largest
}

fn calc_jacobians(system: &System, ws: &mut Workspace) {
    let mut blocks = std::mem::take(&mut ws.blocks);
    for (block, scratch) in system.blocks.iter().zip(&mut blocks) {
        closure::calc_jacobian(system, ws, block, scratch);
    }
    ws.blocks = blocks;
}

/// forces −= Φᵀ_z y with a value y per row.
fn subtract_closure(system: &System, ws: &Workspace, y: impl Fn(usize) -> f64, forces: &mut [f64]) {
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        for (index, row) in block.rows.clone().enumerate() {
            let y = y(row);
            for (column, value) in block.row(&scratch.jacobian, index) {
                forces[block.coordinates[column]] -= value * block.unit_size[column] * y;
            }
        }
    }
}

/// λ ← λ + part · α (Φ + Φ_z h²/4 δw) after [`solve`]; λ is `ws.multipliers`.
pub fn follow_multipliers(system: &System, ws: &mut Workspace, lengths: Lengths, part: f64) {
    let Workspace { multipliers, penalties, rows, blocks, reduced_force, .. } = ws;
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        for (index, row) in block.rows.clone().enumerate() {
            let slope = |(column, value): (usize, f64)| {
                value * block.unit_size[column] * reduced_force[block.coordinates[column]]
            };
            let moved: f64 = block.row(&scratch.jacobian, index).map(slope).sum();
            multipliers[row] += part * penalties[row] * (rows[row].gap / lengths.position + moved);
        }
    }
}

/// W into `ws.mass`, A and its factor into `ws.reduced_mass`, after [`evaluate`]. `weigh`: the weights of the rows are chosen
/// anew from the diagonal of W.
pub fn factor(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
    tangent: Tangent,
    weigh: bool,
) -> Result<(), Fault> {
    mass::calc_composites(system, ws);
    mass::calc_mass(system, ws);
    implicit::add_stiff_terms(system, state, ws, lengths);
    if weigh {
        weigh_rows(system, ws);
    }
    let n = system.nv;
    ws.reduced_mass.copy_from_slice(&ws.mass);
    if tangent == Tangent::Full {
        mass::calc_mass(system, ws);
        add_differences(system, state, ws, lengths);
        ws.reduced_mass.copy_from_slice(&ws.mass);
    }
    let Workspace { reduced_mass: a, penalties, blocks, exchanges, .. } = ws;
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        for (index, row) in block.rows.clone().enumerate() {
            for (i, value) in block.row(&scratch.jacobian, index) {
                let scaled = penalties[row] * value * block.unit_size[i];
                let line = &mut a[block.coordinates[i] * n..][..n];
                for (j, value) in block.row(&scratch.jacobian, index) {
                    line[block.coordinates[j]] += scaled * value * block.unit_size[j];
                }
            }
        }
    }
    for guided in &system.guided {
        let k = guided.coordinate.velocity;
        for i in 0..n {
            a[i * n + k] = 0.0;
            a[k * n + i] = 0.0;
        }
        a[k * n + k] = 1.0;
    }
    let missing = match tangent {
        Tangent::Stiff => linear::cholesky(a, n, NO_INERTIA).err(),
        Tangent::Full => {
            let pivot = linear::factor(a, n, exchanges);
            (!(pivot > 0.0)).then_some(0)
        }
    };
    match missing {
        None => Ok(()),
        Some(k) => Err(Fault::NoInertia { joint: system.joint_of_coordinate(k) as u32, time: f64::NAN }),
    }
}

/// Weights of all rows, `ws.penalties`, in kg: from the diagonal of W in `ws.mass`. A coordinate without inertia or stiffness
/// counts as none; a row that meets nothing else gets the largest weight of its block. Rows of pure round-off, which a redundant
/// equation has, get none: a weight that makes up for their size would make a constraint of nothing.
fn weigh_rows(system: &System, ws: &mut Workspace) {
    let Workspace { mass, penalties, blocks, .. } = ws;
    penalties.fill(0.0);
    for (block, scratch) in system.blocks.iter().zip(blocks.iter()) {
        let mut largest = 0.0f64;
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
            if size <= ROUND_OFF * ROUND_OFF {
                continue;
            }
            // A flat row is followed as far as one of the size FLAT, not further.
            mobility *= (FLAT * FLAT / size).max(1.0);
            penalties[row] = if mobility > 0.0 { PENALTY / mobility } else { f64::INFINITY };
            if mobility > 0.0 {
                largest = largest.max(penalties[row]);
            }
        }
        let missing = if largest > 0.0 { largest } else { PENALTY };
        for weight in penalties[block.rows.clone()].iter_mut().filter(|weight| weight.is_infinite()) {
            *weight = missing;
        }
    }
}

/// `ws.mass` += derivatives of the forces of the open chain and of Φᵀ_z λ at fixed λ, by forward differences, a column per coordinate. Leaves the evaluation of the stage as it was.
fn add_differences(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let n = system.nv;
    let fastest = ws.v.iter().fold(1.0, |a: f64, v| a.max(v.abs()));
    let change = DIFFERENCE * fastest / lengths.velocity;
    ws.rates.q.copy_from_slice(&ws.q);
    ws.rates.v.copy_from_slice(&ws.v);
    let mut force = std::mem::take(&mut ws.force);
    subtract_closure(system, ws, |row| ws.multipliers[row], &mut force);
    ws.reduced_force.copy_from_slice(&force);
    ws.force = force;
    for k in 0..=n {
        // The last one restores the stage.
        if k < n {
            system.add_increment(&mut ws.q, k, change * lengths.position);
            ws.v[k] += change * lengths.velocity;
        }
        implicit::calc_forces(system, state, ws);
        calc_jacobians(system, ws);
        if k == n {
            break;
        }
        let mut force = std::mem::take(&mut ws.force);
        subtract_closure(system, ws, |row| ws.multipliers[row], &mut force);
        for i in 0..n {
            ws.mass[i * n + k] += (ws.reduced_force[i] - force[i]) / change;
        }
        ws.force = force;
        ws.q.copy_from_slice(&ws.rates.q);
        ws.v.copy_from_slice(&ws.rates.v);
    }
}

/// δw of one Newton step into `ws.reduced_force`, after [`factor`]; zero for guided coordinates.
pub fn solve(system: &System, ws: &mut Workspace, lengths: Lengths, tangent: Tangent) {
    let mut rhs = std::mem::take(&mut ws.reduced_force);
    rhs.copy_from_slice(&ws.force);
    let y = |row: usize| ws.multipliers[row] + ws.penalties[row] / lengths.position * ws.rows[row].gap;
    subtract_closure(system, ws, y, &mut rhs);
    ws.reduced_force = rhs;
    back_substitute(system, ws, tangent);
}

fn back_substitute(system: &System, ws: &mut Workspace, tangent: Tangent) {
    let Workspace { reduced_mass: a, reduced_force: x, exchanges, .. } = ws;
    system.guided.iter().for_each(|guided| x[guided.coordinate.velocity] = 0.0);
    match tangent {
        Tangent::Stiff => {
            linear::solve_lower(a, system.nv, x);
            linear::solve_lower_transposed(a, system.nv, x);
        }
        Tangent::Full => linear::solve_lu(a, system.nv, exchanges, x),
    }
}

/// Velocities and accelerations of the stage so that all rows' rates and accelerations vanish, with the factor of the last
/// Newton step. The rates of the closure at the end, m/s and m/s².
pub fn project(system: &System, ws: &mut Workspace, tangent: Tangent) {
    if system.rows.is_empty() {
        return;
    }
    repeat(system, ws, tangent, |ws| {
        kinematics::calc_velocities(system, ws);
        for (k, row) in system.rows.iter().enumerate() {
            ws.held[k] = row.rate(&ws.rows[k], &ws.bodies, &ws.v);
        }
        &mut ws.v
    });
    repeat(system, ws, tangent, |ws| {
        kinematics::calc_accelerations(system, ws);
        for (k, row) in system.rows.iter().enumerate() {
            ws.held[k] = row.acceleration(&ws.rows[k], &ws.bodies, &ws.accelerations, &ws.zdd);
        }
        &mut ws.zdd
    });
}

/// Projections of what `read` returns, whose rates it writes to `ws.held`, until they are gone or fall no more.
fn repeat(system: &System, ws: &mut Workspace, tangent: Tangent, read: impl Fn(&mut Workspace) -> &mut Vec<f64>) {
    let (mut first, mut previous) = (0.0f64, f64::INFINITY);
    for projection in 0..=PROJECTIONS {
        read(ws);
        let largest = ws.held.iter().fold(0.0f64, |largest, rate| largest.max(rate.abs()));
        if projection == 0 {
            first = largest;
        }
        if projection == PROJECTIONS || largest <= PROJECTED * first || largest >= 0.5 * previous {
            return;
        }
        previous = largest;
        let mut rhs = std::mem::take(&mut ws.reduced_force);
        rhs.fill(0.0);
        subtract_closure(system, ws, |row| ws.penalties[row] * ws.held[row], &mut rhs);
        ws.reduced_force = rhs;
        back_substitute(system, ws, tangent);
        let change = std::mem::take(&mut ws.reduced_force);
        read(ws).iter_mut().zip(&change).for_each(|(value, change)| *value += change);
        ws.reduced_force = change;
    }
}
