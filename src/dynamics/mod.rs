//! Semi-recursive dynamics with the double velocity transformation: one evaluation of z̈ and of all rates.
//!
//! Problem. For given positions q, velocities ż, inputs and time, find z̈ of all relative coordinates so that the loops stay
//! closed: (R_zᵀ M_open R_z) z̈^i = R_zᵀ Q_open with the bias accelerations inside Q_open (Hidalgo & García de Jalón 2013,
//! eqs 16-29; theory sections 2-6). Sizes: nv velocity coordinates, blocks of m rows and n coordinates each.
//!
//! Frames. World axes; the reference point o of a branch is the ground point of its root joint, or the present position of
//! its root body when that floats, so nothing degrades far from the world's origin.
//!
//! Cost and real-time properties. No allocation, no lock, no clock, no panic; Newton's iterations are bounded. Joints and modes
//! are eliminated from the leaves ([`articulated`]) and the loops of a block factored within a skyline, which is linear
//! in the number of joints of chains, open or of loops. The dense product R_zᵀ M R_z, O(nv² · dof) in the worst case, is formed where
//! all forces are implicit, and in implicit steps in which bodies turn fast. A block near a singular position is closed by least change of all its coordinates: a choice of pivots more, which looks at all m n entries of its Jacobian.
//!
//! Proved by: tests/motion/verification (references, conservation, invariance), dynamics::tests (derivatives, balance).

pub mod articulated;
pub mod augmented;
pub mod closure;
pub mod energy;
pub mod first_stage;
pub(crate) mod flexible;
pub mod gyroscopic;
pub mod implicit;
pub mod kinematics;
pub(crate) mod least_change;
pub mod mass;
pub mod observe;
pub(crate) mod pieces;
pub mod projection;
pub mod reactions;
pub mod residual;
pub(crate) mod start;

use crate::force::{Loads, Surroundings};
use crate::math::linear;
use crate::math::spatial::{Inertia, Wrench};
use crate::model::schema::Implicit;
use crate::system::{BlockScratch, Fault, Guide, Rod, State, System, Workspace};
use gyroscopic::Treatment;

/// Reduced pivots below this part of their diagonal entry count as no inertia.
const NO_INERTIA: f64 = 1e-13;

/// Copies a state into the stage of the workspace, with the inputs at time `t`.
pub fn load_stage(system: &System, state: &State, ws: &mut Workspace, t: f64) {
    ws.q.copy_from_slice(&state.q);
    ws.v.copy_from_slice(&state.v);
    ws.auxiliary.copy_from_slice(&state.auxiliary);
    prepare_stage(system, state, ws, t);
}

/// Inputs at time `t`, the method of closing every block, and the guided coordinates, which overwrite what the integrator
/// wrote for them.
pub fn prepare_stage(system: &System, state: &State, ws: &mut Workspace, t: f64) {
    for i in 0..ws.inputs.len() {
        ws.inputs[i] = state.input_at(i, t);
    }
    for (block, &least) in ws.blocks.iter_mut().zip(&state.least_change) {
        block.least_change = least != 0;
    }
    for (index, guided) in system.guided.iter().enumerate() {
        let motion = guided.guide.motion(t, &ws.inputs, &ws.auxiliary);
        ws.guided[index] = motion;
        ws.q[guided.coordinate.position] = motion[0];
        ws.v[guided.coordinate.velocity] = motion[1];
    }
}

/// Whether the state of a step's start may have been opened by new inputs since it was closed.
pub fn inputs_move_guides(system: &System) -> bool {
    system.guided.iter().any(|guided| matches!(guided.guide, Guide::Inputs { .. }))
}

/// Positions and velocities of the stage, loops closed, and the columns of R_z.
pub fn settle(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    kinematics::calc_positions(system, ws);
    closure::close_positions(system, state, ws).map_err(|fault| at_time(fault, t))?;
    closure::calc_null_spaces(system, state, ws);
    closure::close_velocities(system, state, ws);
    Ok(())
}

/// The same for the end of a step: an explicit scheme's positions and velocities are projected ([`projection`]).
pub fn settle_end(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    if !system.integrator.scheme().explicit {
        return settle(system, state, ws, t);
    }
    kinematics::calc_positions(system, ws);
    projection::project_positions(system, state, ws);
    closure::close_positions(system, state, ws).map_err(|fault| at_time(fault, t))?;
    closure::calc_null_spaces(system, state, ws);
    projection::project_velocities(system, state, ws);
    closure::close_velocities(system, state, ws);
    Ok(())
}

/// One evaluation at the stage in the workspace: z̈ into `ws.zdd`, all rates into `ws.rates`. `close`: the stage comes from an
/// integrator and has to be closed first; otherwise it is closed already.
pub fn evaluate(system: &System, state: &State, ws: &mut Workspace, t: f64, close: bool) -> Result<(), Fault> {
    evaluate_with(system, state, ws, t, close, None, system.clusters.is_empty())
}

/// The same by way of the dense mass matrix: for what reads M, its factor or the reduced forces afterwards.
pub fn evaluate_dense(system: &System, state: &State, ws: &mut Workspace, t: f64, close: bool) -> Result<(), Fault> {
    evaluate_with(system, state, ws, t, close, None, true)
}

/// One evaluation with z̈ at the end of a linearly implicit step, see [`implicit`].
pub fn evaluate_implicit(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    close: bool,
    lengths: implicit::Lengths,
) -> Result<(), Fault> {
    evaluate_with(system, state, ws, t, close, Some(lengths), system.clusters.is_empty())
}

fn evaluate_with(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    close: bool,
    step: Option<implicit::Lengths>,
    dense: bool,
) -> Result<(), Fault> {
    if close {
        settle(system, state, ws, t)?;
    } else {
        kinematics::calc_positions(system, ws);
        closure::factor_blocks(system, state, ws);
        closure::calc_null_spaces(system, state, ws);
        kinematics::calc_velocities(system, ws);
    }
    if let Some(lengths) = step {
        implicit::follow_sticking(system, state, ws, lengths.step);
    }
    mass::calc_inertias(system, ws);
    let stiff = step.filter(|_| system.implicit == Implicit::Stiff);
    let treatment = stiff.map_or(Treatment::Explicit, |lengths| gyroscopic::treatment(system, ws, lengths));
    if !dense && treatment != Treatment::Matrix {
        calc_loads(system, state, ws);
        calc_bias_accelerations(system, state, ws, step.is_some());
        calc_residuals(system, ws);
        articulated::reduce(system, state, ws, step).map_err(|fault| at_time(overflown(fault, ws), t))?;
        let corrected = stiff.filter(|_| treatment == Treatment::Corrections);
        let solved = match corrected {
            Some(lengths) => gyroscopic::solve(system, state, ws, lengths),
            None => {
                articulated::solve(system, ws, step);
                true
            }
        };
        if solved {
            if step.is_none() {
                add_guided_power(system, ws);
            }
            calc_rates(system, ws, false);
            return Ok(());
        }
    }
    let gyroscopic = stiff.filter(|_| treatment != Treatment::Explicit);
    mass::calc_composites(system, ws);
    mass::calc_mass(system, ws);
    calc_loads(system, state, ws);
    calc_bias_accelerations(system, state, ws, step.is_some());
    calc_residuals(system, ws);
    calc_open_forces(system, ws);
    if let Some(lengths) = step {
        implicit::add_stiffness(system, state, ws, lengths);
    }
    calc_reduced(system, ws);
    if let Some(lengths) = gyroscopic {
        gyroscopic::add(system, state, ws, lengths);
    }
    let symmetric = gyroscopic.is_none() && (step.is_none() || system.implicit == Implicit::Stiff);
    solve_reduced(system, ws, symmetric).map_err(|fault| at_time(overflown(fault, ws), t))?;
    calc_rates(system, ws, step.is_none());
    Ok(())
}

/// Where a missing inertia comes from one that is infinite or NaN, because a body is too far away to be computed with: that.
fn overflown(fault: Fault, ws: &Workspace) -> Fault {
    let finite = |inertia: &Inertia| inertia.second.iter().chain(inertia.first.iter()).all(|value| value.is_finite());
    let body = ws.inertias.iter().skip(1).position(|inertia| !finite(inertia));
    match (fault, body) {
        (Fault::NoInertia { time, .. }, Some(body)) => Fault::NotFinite { joint: body as u32, time },
        (fault, _) => fault,
    }
}

fn at_time(fault: Fault, t: f64) -> Fault {
    match fault {
        Fault::LoopOpen { block, gap, .. } => Fault::LoopOpen { block, gap, time: t },
        Fault::NoInertia { joint, .. } => Fault::NoInertia { joint, time: t },
        Fault::NotFinite { joint, .. } => Fault::NotFinite { joint, time: t },
        other => other,
    }
}

/// Weight and force elements; ends of the rods.
pub fn calc_loads(system: &System, state: &State, ws: &mut Workspace) {
    for (body, load) in ws.loads.iter_mut().enumerate() {
        *load = Wrench::at(&ws.bodies[body].position, system.gravity * system.bodies[body].mass);
    }
    for (rod, ends) in system.rods.iter().zip(&mut ws.rod_ends) {
        for end in 0..2 {
            ends[end] = ws.bodies[rod.bodies[end]].point(&rod.points[end]);
            ws.loads[rod.bodies[end]] += Wrench::at(&ends[end], system.gravity * (0.5 * rod.mass));
        }
    }
    flexible::add_weight(system, ws);
    ws.efforts.fill(0.0);
    let Workspace { bodies, q, v, inputs, auxiliary, loads, efforts, rates, patches, .. } = ws;
    let surroundings = Surroundings { bodies, q, v, parameters: &state.parameters, inputs, auxiliary };
    let rates = &mut rates.auxiliary;
    let mut loads = Loads { wrenches: loads, efforts, dissipated_power: 0.0, input_power: 0.0, rates, patches };
    for element in &system.elements {
        element.add_loads(&surroundings, &mut loads);
    }
    let (dissipated, input) = (loads.dissipated_power, loads.input_power);
    ws.powers = [dissipated + flexible::damping_power(system, ws), input];
}

/// Accelerations with all independent z̈ zero, or, `continued`, as they stand in `ws.zdd`: guided ones as given, dependent ones
/// as the closure demands.
pub fn calc_bias_accelerations(system: &System, state: &State, ws: &mut Workspace, continued: bool) {
    if !continued {
        ws.zdd.fill(0.0);
    }
    for (index, guided) in system.guided.iter().enumerate() {
        ws.zdd[guided.coordinate.velocity] = ws.guided[index][2];
    }
    kinematics::calc_accelerations(system, ws);
    if !system.blocks.is_empty() {
        closure::close_accelerations(system, state, ws);
    }
}

/// Inertia force minus load of every body at `ws.accelerations`: M̄ Ż + Z ⨯* (M̄ Z) − load, rods' coupling included; the momenta
/// M̄ Z likewise. The loads must be those of the same stage.
pub fn calc_residuals(system: &System, ws: &mut Workspace) {
    ws.residuals[0] = Wrench::zero();
    for body in 1..system.bodies.len() {
        let (inertia, z) = (&ws.inertias[body], &ws.bodies[body].velocity);
        let momentum = inertia.apply(z);
        ws.residuals[body] = inertia.apply(&ws.accelerations[body]) + z.cross_force(&momentum) - ws.loads[body];
        ws.momenta[body] = momentum;
    }
    let couples = |rod: &Rod| rod.mass != 0.0 && !rod.bodies.contains(&0);
    for (rod, r) in system.rods.iter().zip(&ws.rod_ends).filter(|(rod, _)| couples(rod)) {
        let sixth = rod.mass / 6.0;
        for end in 0..2 {
            let (body, other) = (rod.bodies[end], rod.bodies[1 - end]);
            let (motion, r_other) = (&ws.bodies[other], &r[1 - end]);
            let acceleration = kinematics::point_acceleration(motion, &ws.accelerations[other], r_other);
            ws.residuals[body] += Wrench::at(&r[end], acceleration * sixth);
            ws.momenta[body] += Wrench::at(&r[end], motion.velocity.at(r_other) * sixth);
        }
    }
    flexible::calc_residuals(system, ws);
}

/// Accelerations of the bodies and residuals at the final z̈, of which an evaluation leaves those before it was solved for.
pub(crate) fn calc_final_residuals(system: &System, ws: &mut Workspace) {
    kinematics::calc_accelerations(system, ws);
    calc_residuals(system, ws);
}

/// Adds the residuals of outboard bodies to those inboard.
pub(crate) fn accumulate_residuals(system: &System, ws: &mut Workspace) {
    for body in (1..system.bodies.len()).rev() {
        let parent = system.bodies[body].parent;
        let outboard = ws.residuals[body];
        if parent != 0 {
            ws.residuals[parent] += outboard;
        }
    }
}

/// Q_open = applied efforts − bᵀ Σ_outboard (M̄ Ż⁰ + Z ⨯* M̄ Z − load) − residuals of the modes.
pub fn calc_open_forces(system: &System, ws: &mut Workspace) {
    accumulate_residuals(system, ws);
    calc_missing_efforts(system, ws);
    ws.force.iter_mut().for_each(|force| *force = -*force);
}

/// What every coordinate's equation lacks, into `ws.force`: bᵀ Σ_outboard residuals + residuals of the modes − efforts.
pub(crate) fn calc_missing_efforts(system: &System, ws: &mut Workspace) {
    for (force, effort) in ws.force.iter_mut().zip(&ws.efforts) {
        *force = -effort;
    }
    for (joint, tree) in system.joints.iter().enumerate() {
        for (k, slot) in tree.v_range().zip(tree.slot_range()) {
            ws.force[k] += ws.columns[slot].dot(&ws.residuals[joint + 1]);
        }
    }
    for (body, scratch) in system.flexible.iter().zip(&ws.flexible) {
        for (k, residual) in body.v.clone().zip(&scratch.residual) {
            ws.force[k] += residual;
        }
    }
}

/// Adds what the guided coordinates put in to the powers, after [`articulated::solve`]: part by part, without a further sweep.
pub fn add_guided_power(system: &System, ws: &mut Workspace) {
    if !system.guided.is_empty() {
        ws.powers[1] += energy::residual_power(system, ws) + energy::change_power(system, ws);
    }
}

/// Number of independent coordinates.
fn reduced_size(system: &System, ws: &Workspace) -> usize {
    system.free.len() + ws.blocks.iter().map(|block| block.free).sum::<usize>()
}

/// Rᵀ M R and Rᵀ Q of the independent coordinates.
pub fn calc_reduced(system: &System, ws: &mut Workspace) {
    let nv = system.nv;
    let free = system.free.len();
    let size = reduced_size(system, ws);
    for i in 0..nv {
        let row = &ws.mass[i * nv..(i + 1) * nv];
        let out = &mut ws.mass_times_r[i * size..(i + 1) * size];
        for (c, &coordinate) in system.free.iter().enumerate() {
            out[c] = row[coordinate];
        }
        let mut first = free;
        for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
            let width = scratch.free;
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
    ws.reduced_mass[..size * size].fill(0.0);
    for (c, &coordinate) in system.free.iter().enumerate() {
        ws.reduced_mass[c * size..(c + 1) * size]
            .copy_from_slice(&ws.mass_times_r[coordinate * size..(coordinate + 1) * size]);
        ws.reduced_force[c] = ws.force[coordinate];
    }
    let mut first = free;
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        let width = scratch.free;
        ws.reduced_force[first..first + width].fill(0.0);
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            let row = &ws.mass_times_r[coordinate * size..(coordinate + 1) * size];
            for c in 0..width {
                let entry = scratch.null[k * width + c];
                if entry != 0.0 {
                    ws.reduced_force[first + c] += entry * ws.force[coordinate];
                    let out = &mut ws.reduced_mass[(first + c) * size..(first + c + 1) * size];
                    for (value, m) in out.iter_mut().zip(row) {
                        *value += entry * m;
                    }
                }
            }
        }
        first += width;
    }
}

/// (Rᵀ M R) y = Rᵀ Q, then z̈ += R y; by Cholesky where M is `symmetric`.
pub fn solve_reduced(system: &System, ws: &mut Workspace, symmetric: bool) -> Result<(), Fault> {
    let free = system.free.len();
    let size = reduced_size(system, ws);
    if size == 0 {
        return Ok(());
    }
    let (a, y) = (&mut ws.reduced_mass[..size * size], &mut ws.reduced_force[..size]);
    if !symmetric {
        linear::factor(a, size, &mut ws.exchanges);
        linear::solve_lu(a, size, &ws.exchanges, y);
    } else if let Err(pivot) = linear::cholesky(a, size, NO_INERTIA) {
        let coordinate = coordinate_of_pivot(system, ws, pivot);
        return Err(Fault::NoInertia { joint: system.joint_of_coordinate(coordinate) as u32, time: f64::NAN });
    } else {
        linear::solve_lower(a, size, y);
        linear::solve_lower_transposed(a, size, y);
    }
    for (c, &coordinate) in system.free.iter().enumerate() {
        ws.zdd[coordinate] += ws.reduced_force[c];
    }
    let mut first = free;
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        let width = scratch.free;
        for (k, &coordinate) in block.coordinates.iter().enumerate() {
            for c in 0..width {
                ws.zdd[coordinate] += scratch.null[k * width + c] * ws.reduced_force[first + c];
            }
        }
        first += width;
    }
    Ok(())
}

/// Visits the entries of column `c` of R: velocity coordinate and value.
fn visit_column(system: &System, blocks: &[BlockScratch], c: usize, mut visit: impl FnMut(usize, f64)) {
    if let Some(&v) = system.free.get(c) {
        return visit(v, 1.0);
    }
    let mut first = system.free.len();
    for (block, scratch) in system.blocks.iter().zip(blocks) {
        if c < first + scratch.free {
            for (k, &v) in block.coordinates.iter().enumerate() {
                visit(v, scratch.null[k * scratch.free + c - first]);
            }
            return;
        }
        first += scratch.free;
    }
}

/// The velocity coordinate that moves most in reduced direction `pivot`.
fn coordinate_of_pivot(system: &System, ws: &Workspace, pivot: usize) -> usize {
    if pivot < system.free.len() {
        return system.free[pivot];
    }
    let mut first = system.free.len();
    for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
        if pivot < first + scratch.free {
            let size = |k: usize| scratch.null[k * scratch.free + pivot - first].abs();
            let mut largest = 0;
            for k in 1..block.coordinates.len() {
                if size(k) > size(largest) {
                    largest = k;
                }
            }
            return block.coordinates[largest];
        }
        first += scratch.free;
    }
    0
}

/// Rates of all states from z̈; with `powers` also those of the energies.
pub fn calc_rates(system: &System, ws: &mut Workspace, powers: bool) {
    for tree in system.joints.iter().filter(|tree| tree.link.is_none()) {
        tree.calc_position_rate(&ws.q, &ws.v, &mut ws.rates.q);
    }
    for body in &system.flexible {
        ws.rates.q[body.q.clone()].copy_from_slice(&ws.v[body.v.clone()]);
    }
    ws.rates.v.copy_from_slice(&ws.zdd);
    if powers && !system.guided.is_empty() {
        ws.powers[1] += energy::guided_power(system, ws);
    }
    ws.rates.auxiliary[..2].copy_from_slice(&ws.powers);
    // The filters of outputs are no part of the motion: their steps are made apart from it.
    for filter in &system.filters {
        ws.rates.auxiliary[filter.states()].fill(0.0);
    }
    for guided in &system.guided {
        guided.guide.calc_rates(&ws.inputs, &ws.auxiliary, &mut ws.rates.auxiliary);
    }
}

#[cfg(test)]
mod tests;
