//! One evaluation of z̈ and all rates at the stage in the workspace: the pipeline, one line per stage.
//!
//! | function | the stage | z̈ |
//! |---|---|---|
//! | [`evaluate`] | comes from an integrator: closed first | at the stage, by elimination from the leaves |
//! | [`evaluate_closed`] | closed already | the same |
//! | [`evaluate_implicit`] | comes from an implicit scheme: closed first | at the end of the step, with the stiffness |
//! | `evaluate_dense` | as for `evaluate` | by the dense mass matrix, which is read afterwards |
//!
//! All functions write z̈ to `ws.accelerations.zdd` and the rates to `ws.rates`.

use super::gyroscopic::{self, GyroscopicTreatment};
use super::implicit::{self, Lengths};
use super::joint_loads::calc_load_rates;
use super::loads::calc_loads;
use super::residuals::{calc_bias_accelerations, calc_open_forces, calc_residuals, continue_accelerations};
use super::stage::{close_stage, follow_closed_stage};
use super::{articulated, dense, energy, kinematics, mass};
use crate::math::spatial::Inertia;
use crate::system::Implicit;
use crate::system::workspace::Inertias;
use crate::system::{ENERGIES, Fault, State, System, Workspace};

/// z̈ and rates at a stage whose loops are not yet closed; `t` in s is the time for messages.
pub fn evaluate(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    close_stage(system, state, ws, t)?;
    calc_forward(system, state, ws).map_err(|fault| located(fault, ws, t))
}

/// z̈ and rates at a stage whose loops are closed.
pub fn evaluate_closed(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    follow_closed_stage(system, state, ws);
    calc_forward(system, state, ws).map_err(|fault| located(fault, ws, t))
}

/// z̈ and rates of a stage with given velocities.
fn calc_forward(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.clusters.is_empty() {
        return dense::calc_forward(system, state, ws);
    }
    calc_inertias(system, ws);
    calc_loads(system, &state.parameters, ws);
    calc_bias_accelerations(system, state, ws);
    calc_residuals(system, ws);
    articulated::reduce(system, ws)?;
    articulated::solve(system, ws);
    add_guided_power(system, ws);
    calc_rates(system, ws);
    calc_load_rates(system, state, ws);
    Ok(())
}

/// [`evaluate`] with the dense mass matrix, for callers that then read M, its factor or the reduced forces.
pub fn evaluate_dense(system: &System, state: &State, ws: &mut Workspace, t: f64) -> Result<(), Fault> {
    close_stage(system, state, ws, t)?;
    dense::calc_forward(system, state, ws).map_err(|fault| located(fault, ws, t))
}

/// z̈ at the end of a linearly implicit step from predicted accelerations, see [`implicit`]; the power of prescribed
/// coordinates is not added.
pub fn evaluate_implicit(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    lengths: Lengths,
) -> Result<(), Fault> {
    close_stage(system, state, ws, t)?;
    calc_implicit(system, state, ws, lengths).map_err(|fault| located(fault, ws, t))
}

/// [`evaluate_implicit`] with the dense mass matrix, for comparisons.
pub fn evaluate_implicit_dense(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    lengths: Lengths,
) -> Result<(), Fault> {
    close_stage(system, state, ws, t)?;
    dense::calc_implicit(system, state, ws, lengths).map_err(|fault| located(fault, ws, t))
}

fn calc_implicit(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) -> Result<(), Fault> {
    if system.clusters.is_empty() {
        return dense::calc_implicit(system, state, ws, lengths);
    }
    implicit::follow_sticking(system, state, ws, lengths.step);
    calc_inertias(system, ws);
    let treatment = gyroscopic_treatment(system, ws, lengths);
    if treatment == GyroscopicTreatment::Matrix {
        return dense::solve_implicit(system, state, ws, lengths, treatment);
    }
    calc_loads(system, &state.parameters, ws);
    continue_accelerations(system, state, ws);
    calc_residuals(system, ws);
    articulated::reduce_implicit(system, state, ws, lengths)?;
    if treatment == GyroscopicTreatment::Explicit {
        articulated::solve_implicit(system, ws);
    } else if !gyroscopic::solve(system, state, ws, lengths, treatment) {
        return dense::solve_implicit(system, state, ws, lengths, treatment);
    }
    calc_rates(system, ws);
    calc_load_rates(system, state, ws);
    Ok(())
}

/// Treatment of the gyroscopic terms of an implicit step; with `implicit = "all"` its derivatives contain them.
pub(super) fn gyroscopic_treatment(system: &System, ws: &Workspace, lengths: Lengths) -> GyroscopicTreatment {
    match system.implicit {
        Implicit::Stiff => gyroscopic::treatment(system, ws, lengths),
        Implicit::All => GyroscopicTreatment::Explicit,
    }
}

/// Open forces of the stage's q and ż with the accelerations `ws.accelerations.zdd`, into `ws.residuals.force`. Loops
/// are not closed.
pub(crate) fn evaluate_open_tree(system: &System, state: &State, ws: &mut Workspace) {
    kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
    kinematics::calc_velocities(system, &ws.stage.v, &mut ws.kinematics);
    calc_inertias(system, ws);
    calc_loads(system, &state.parameters, ws);
    kinematics::calc_accelerations(system, &ws.stage.v, &ws.kinematics, &mut ws.accelerations);
    calc_residuals(system, ws);
    calc_open_forces(system, ws);
}

/// Inertias of the stage.
pub fn calc_inertias(system: &System, ws: &mut Workspace) {
    mass::calc_inertias(system, &ws.stage.q, &ws.kinematics, &mut ws.flexible, &mut ws.inertias);
}

/// Adds the power of the prescribed coordinates, after [`articulated::solve`]: part by part, without a further sweep.
pub fn add_guided_power(system: &System, ws: &mut Workspace) {
    if !system.guided.is_empty() {
        ws.loads.powers[1] += energy::residual_power(system, ws) + energy::change_power(system, ws);
    }
}

/// Rates of all states from z̈ and the powers.
pub fn calc_rates(system: &System, ws: &mut Workspace) {
    let Workspace { stage, loads, accelerations, rates, .. } = ws;
    for tree in system.joints.iter().filter(|tree| tree.link.is_none()) {
        tree.calc_position_rate(&stage.q, &stage.v, &mut rates.q);
    }
    for body in &system.flexible {
        rates.q[body.q.clone()].copy_from_slice(&stage.v[body.v.clone()]);
    }
    rates.v.copy_from_slice(&accelerations.zdd);
    rates.auxiliary[ENERGIES].copy_from_slice(&loads.powers);
    // The filters of outputs do not affect the motion and are stepped separately.
    for filter in &system.filters {
        rates.auxiliary[filter.states()].fill(0.0);
    }
    for guided in &system.guided {
        guided.guide.calc_rates(&stage.inputs, &stage.auxiliary, &mut rates.auxiliary);
    }
}

/// A fault of the solution with the time of the stage. If the missing inertia is caused by an infinite or NaN inertia,
/// because a body is too far away, the fault names that cause.
fn located(fault: Fault, ws: &Workspace, t: f64) -> Fault {
    overflown(fault, &ws.inertias).at(t)
}

fn overflown(fault: Fault, inertias: &Inertias) -> Fault {
    let finite = |inertia: &Inertia| inertia.second.iter().chain(inertia.first.iter()).all(|value| value.is_finite());
    let body = inertias.bodies.iter().skip(1).position(|inertia| !finite(inertia));
    match (fault, body) {
        (Fault::NoInertia { time, .. }, Some(body)) => Fault::NotFinite { joint: body as u32, time },
        (fault, _) => fault,
    }
}
