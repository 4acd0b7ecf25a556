//! z̈ by the dense mass matrix of the open tree, for cases that need the matrix: all forces implicit, bodies that turn
//! too fast for corrections, and offline analyses that read M, its factor or the reduced forces.
//!
//! Rᵀ M R is formed from M of all nv coordinates and factored, by Cholesky or, where it is unsymmetric, by LU. Cost:
//! O(nv² · dof). No allocation, no iteration.
//!
//! Verified by: `dynamics::articulated` (against elimination from the leaves, explicit and implicit).

use super::evaluate::{calc_inertias, calc_rates, gyroscopic_treatment};
use super::gyroscopic::{self, GyroscopicTreatment};
use super::implicit::{self, Lengths};
use super::joint_loads::calc_load_rates;
use super::loads::calc_loads;
use super::residuals::{calc_bias_accelerations, calc_open_forces, calc_residuals, continue_accelerations};
use super::{energy, mass};
use crate::math::linear;
use crate::system::Implicit;
use crate::system::workspace::Dense;
use crate::system::{BlockScratch, Fault, State, System, Workspace};

/// Reduced pivots below this fraction of their diagonal entry count as zero inertia: 450 times the rounding of the
/// entry, which remains if the true pivot is zero.
pub(crate) const INERTIA_TOLERANCE: f64 = 1e-13;

/// z̈ and rates of a stage with given velocities.
pub(super) fn calc_forward(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    calc_inertias(system, ws);
    calc_mass(system, ws);
    calc_loads(system, &state.parameters, ws);
    calc_bias_accelerations(system, state, ws);
    calc_residuals(system, ws);
    calc_open_forces(system, ws);
    reduce(system, &ws.blocks, &ws.residuals.force, &mut ws.dense);
    solve_symmetric(system, ws)?;
    add_guided_power(system, ws);
    calc_rates(system, ws);
    calc_load_rates(system, state, ws);
    Ok(())
}

/// z̈ at the end of a linearly implicit step, see [`implicit`].
pub(super) fn calc_implicit(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) -> Result<(), Fault> {
    implicit::follow_sticking(system, state, ws, lengths.step);
    calc_inertias(system, ws);
    let treatment = gyroscopic_treatment(system, ws, lengths);
    solve_implicit(system, state, ws, lengths, treatment)
}

/// z̈ at the end of a linearly implicit step, after the inertias are computed and the treatment of gyroscopic terms is
/// chosen: as a matrix unless explicit.
pub(super) fn solve_implicit(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    lengths: Lengths,
    treatment: GyroscopicTreatment,
) -> Result<(), Fault> {
    calc_mass(system, ws);
    calc_loads(system, &state.parameters, ws);
    continue_accelerations(system, state, ws);
    calc_residuals(system, ws);
    calc_open_forces(system, ws);
    implicit::add_stiffness(system, state, ws, lengths);
    reduce(system, &ws.blocks, &ws.residuals.force, &mut ws.dense);
    match (treatment, system.implicit) {
        (GyroscopicTreatment::Explicit, Implicit::Stiff) => solve_symmetric(system, ws)?,
        (GyroscopicTreatment::Explicit, Implicit::All) => solve_unsymmetric(system, ws),
        (GyroscopicTreatment::Few(_) | GyroscopicTreatment::Corrections | GyroscopicTreatment::Matrix, _) => {
            gyroscopic::add(system, state, ws, lengths);
            solve_unsymmetric(system, ws);
        }
    }
    calc_rates(system, ws);
    calc_load_rates(system, state, ws);
    Ok(())
}

/// M of the open tree, from the inertias.
pub fn calc_mass(system: &System, ws: &mut Workspace) {
    let Workspace { kinematics, flexible, inertias, dense, .. } = ws;
    mass::calc_composites(system, inertias);
    mass::calc_mass(system, kinematics, flexible, inertias, &mut dense.mass);
}

/// Adds the power of the prescribed coordinates, at the final z̈.
pub fn add_guided_power(system: &System, ws: &mut Workspace) {
    if !system.guided.is_empty() {
        ws.loads.powers[1] += energy::guided_power(system, ws);
    }
}

/// Number of independent coordinates.
pub fn count_independent(system: &System, blocks: &[BlockScratch]) -> usize {
    system.free.len() + blocks.iter().map(|block| block.width).sum::<usize>()
}

/// Rᵀ M R and Rᵀ Q of the independent coordinates from M in `dense` and the open forces, nv.
pub fn reduce(system: &System, blocks: &[BlockScratch], forces: &[f64], dense: &mut Dense) {
    let nv = system.nv;
    let free = system.free.len();
    let size = count_independent(system, blocks);
    let Dense { mass, mass_times_r, reduced_mass, reduced_force, .. } = dense;
    // M R, row by row. R is the identity in the coordinates without loops and R_z in those of a block.
    for i in 0..nv {
        let row = &mass[i * nv..(i + 1) * nv];
        let out = &mut mass_times_r[i * size..(i + 1) * size];
        for (c, &coordinate) in system.free.iter().enumerate() {
            out[c] = row[coordinate];
        }
        let mut first = free;
        for (block, scratch) in system.blocks.iter().zip(blocks) {
            let width = scratch.width;
            out[first..first + width].fill(0.0);
            for (k, &coordinate) in block.coordinates.iter().enumerate() {
                let entry = row[coordinate];
                if entry != 0.0 {
                    for c in 0..width {
                        out[first + c] += entry * scratch.null[k * width + c];
                    }
                }
            }
            first += width;
        }
    }
    // Rᵀ (M R) and Rᵀ Q: rows of the coordinates without loops are copied.
    reduced_mass[..size * size].fill(0.0);
    for (c, &coordinate) in system.free.iter().enumerate() {
        reduced_mass[c * size..(c + 1) * size]
            .copy_from_slice(&mass_times_r[coordinate * size..(coordinate + 1) * size]);
        reduced_force[c] = forces[coordinate];
    }
    // Rows of a block are combined by its null space.
    let mut first = free;
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        let width = scratch.width;
        reduced_force[first..first + width].fill(0.0);
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            let row = &mass_times_r[coordinate * size..(coordinate + 1) * size];
            for c in 0..width {
                let entry = scratch.null[k * width + c];
                if entry != 0.0 {
                    reduced_force[first + c] += entry * forces[coordinate];
                    let out = &mut reduced_mass[(first + c) * size..(first + c + 1) * size];
                    for (value, m) in out.iter_mut().zip(row) {
                        *value += entry * m;
                    }
                }
            }
        }
        first += width;
    }
}

/// (Rᵀ M R) y = Rᵀ Q by Cholesky, then z̈ += R y.
pub fn solve_symmetric(system: &System, ws: &mut Workspace) -> Result<(), Fault> {
    let size = count_independent(system, &ws.blocks);
    let Dense { reduced_mass, reduced_force, .. } = &mut ws.dense;
    let (a, y) = (&mut reduced_mass[..size * size], &mut reduced_force[..size]);
    if let Err(pivot) = linear::cholesky(a, size, INERTIA_TOLERANCE) {
        let coordinate = coordinate_of_pivot(system, &ws.blocks, pivot);
        return Err(Fault::NoInertia { joint: system.joint_of_coordinate(coordinate) as u32, time: f64::NAN });
    }
    linear::solve_lower(a, size, y);
    linear::solve_lower_transposed(a, size, y);
    add_solution(system, ws);
    Ok(())
}

/// (Rᵀ M R) y = Rᵀ Q by LU, then z̈ += R y.
fn solve_unsymmetric(system: &System, ws: &mut Workspace) {
    let size = count_independent(system, &ws.blocks);
    if size == 0 {
        return;
    }
    let Dense { reduced_mass, reduced_force, exchanges, .. } = &mut ws.dense;
    let (a, y) = (&mut reduced_mass[..size * size], &mut reduced_force[..size]);
    linear::factor(a, size, exchanges);
    linear::solve_lu(a, size, exchanges, y);
    add_solution(system, ws);
}

/// z̈ += R y for the y in `ws.dense.reduced_force`.
fn add_solution(system: &System, ws: &mut Workspace) {
    let Workspace { blocks, accelerations, dense, .. } = ws;
    let (zdd, y) = (&mut accelerations.zdd, &dense.reduced_force);
    for (c, &coordinate) in system.free.iter().enumerate() {
        zdd[coordinate] += y[c];
    }
    let mut first = system.free.len();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        let width = scratch.width;
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            for c in 0..width {
                zdd[coordinate] += scratch.null[k * width + c] * y[first + c];
            }
        }
        first += width;
    }
}

/// Visits the entries of column `c` of R: velocity coordinate and value.
pub(super) fn visit_column(system: &System, blocks: &[BlockScratch], c: usize, mut visit: impl FnMut(usize, f64)) {
    if let Some(&v) = system.free.get(c) {
        return visit(v, 1.0);
    }
    let mut first = system.free.len();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        if c < first + scratch.width {
            for (k, &v) in block.coordinates.iter().enumerate() {
                visit(v, scratch.null[k * scratch.width + c - first]);
            }
            return;
        }
        first += scratch.width;
    }
}

/// The velocity coordinate that moves most in reduced direction `pivot`.
fn coordinate_of_pivot(system: &System, blocks: &[BlockScratch], pivot: usize) -> usize {
    if pivot < system.free.len() {
        return system.free[pivot];
    }
    let mut first = system.free.len();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        if pivot < first + scratch.width {
            let size = |k: usize| scratch.null[k * scratch.width + pivot - first].abs();
            let mut largest = 0;
            for k in 1..block.coordinates.len() {
                if size(k) > size(largest) {
                    largest = k;
                }
            }
            return block.coordinates[largest];
        }
        first += scratch.width;
    }
    0
}
