//! Fixed-step schemes on all coordinates, closed at every stage.
//!
//! Every scheme advances all coordinates of q, ż and the auxiliary states by their rates; the closure then replaces the
//! dependent ones. Where blocks are closed by partition this is the scheme on the independent coordinates, with good
//! first guesses for Newton; near singular positions all coordinates are used. (The generalized-alpha method advances
//! positions and velocities by accelerations and counts on one evaluation at the end of the step; the augmented
//! Lagrangian formulation iterates on the end of the step with the loops as constraints.) The end of the step is closed
//! too, so that every output point is.

pub mod along;
mod augmented_lagrangian;
mod exponential;
mod filters;
mod generalized_alpha;
mod heun;
mod locking;
pub mod refinement;
mod rk4;
mod semi_implicit_euler;

use crate::dynamics::shared_evaluation::calc_first_rates;
use crate::dynamics::{choice, close_end, close_stage, closure, evaluate, load_stage, observe, prepare_stage};
use crate::joint::TreeJoint;
use crate::math::larger;
use crate::system::Integrator;
use crate::system::{DISSIPATED, ENERGIES, Fault, INPUT_WORK, Rates, State, System, Workspace};

/// Numbers smaller than this in magnitude are set to zero at the end of a step: decaying states must not become
/// denormal, which would slow every later step many times.
const MIN_MAGNITUDE: f64 = 1e-200;

/// One step of length `h` (s), halved if [`refinement`] requires it. On a fault the state is the state of the last good
/// part.
pub fn step(system: &System, state: &mut State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    watched_step(system, state, ws, h, &mut |_, _| {})
}

/// One step of length `h` (s); `watch` receives every part of the step: the state at its start, and the part.
pub fn watched_step(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    h: f64,
    watch: &mut dyn FnMut(&State, Part),
) -> Result<(), Fault> {
    ws.events.halved = false;
    step_in_parts(system, state, ws, h, [0, refinement::halvings(system)], watch)
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// One application of the scheme over this time, s.
    Whole(f64),
    /// A part that ends when a brake locks; its length depends on the state.
    Stop,
}

/// One step of length `h` (s) whose end is in the workspace: divided if brakes lock.
fn accept_stops(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    h: f64,
    watch: &mut dyn FnMut(&State, Part),
) -> Result<(), Fault> {
    let (end, mut rest) = (state.time + h, h);
    for _ in 0..system.elements.len() {
        let Some(velocity) = locking::first(system, state, ws) else { break };
        watch(state, Part::Stop);
        rest -= locking::stop(system, state, ws, rest, velocity)?;
        find_end(system, state, ws, rest)?;
    }
    watch(state, Part::Whole(rest));
    accept(system, state, ws, rest);
    state.time = end;
    Ok(())
}

/// The step, halved within the limits `halvings`.
fn step_in_parts(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    h: f64,
    [least, most]: [u32; 2],
    watch: &mut dyn FnMut(&State, Part),
) -> Result<(), Fault> {
    let mut needed = least;
    if needed == 0 {
        let passed = ws.events.near_singular;
        let done = find_end(system, state, ws, h);
        if most > 0 {
            needed = if done.is_ok() { refinement::needed(system, state, ws) } else { 1 };
        }
        if needed == 0 {
            done?;
            return accept_stops(system, state, ws, h, watch);
        }
        ws.events.near_singular = passed;
    }
    ws.events.halved = true;
    let (end, halvings) = (state.time + h, [needed.min(most) - 1, most - 1]);
    step_in_parts(system, state, ws, 0.5 * h, halvings, watch)?;
    step_in_parts(system, state, ws, 0.5 * h, halvings, watch)?;
    state.time = end;
    Ok(())
}

/// One step of length `h` (s) that is never halved. `state` is unchanged on a fault.
pub fn whole_step(system: &System, state: &mut State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    step_in_parts(system, state, ws, h, [0, 0], &mut |_, _| {})
}

/// The end of the step in the workspace, closed and finite.
fn find_end(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    filters::read_start(system, state, ws)?;
    // Predict the end with the scheme.
    match system.integrator {
        Integrator::Rk4 => rk4::advance(system, state, ws, h)?,
        Integrator::Heun => heun::advance(system, state, ws, h)?,
        Integrator::SemiImplicitEuler => semi_implicit_euler::advance(system, state, ws, h)?,
        Integrator::GeneralizedAlpha => generalized_alpha::advance(system, state, ws, h)?,
        Integrator::Exponential => exponential::advance(system, state, ws, h),
        Integrator::AugmentedLagrangian => augmented_lagrangian::advance(system, state, ws, h)?,
    }
    // Close the loops at the end.
    let end = state.time + h;
    if system.integrator.scheme().index_3 {
        // The scheme has closed the loops; the factors are for the choice of coordinates used to evaluate outputs.
        let (mut tree, blocks) = ws.open_tree();
        closure::factor_blocks(system, state, &mut tree, blocks);
        closure::calc_null_spaces(system, state, blocks);
    } else {
        prepare_stage(system, state, ws, end);
        ws.integration.predicted.copy_from_slice(&ws.stage.v);
        match system.integrator.scheme().explicit {
            true => close_end(system, state, ws, end)?,
            false => close_stage(system, state, ws, end)?,
        }
    }
    match system.integrator {
        Integrator::GeneralizedAlpha => generalized_alpha::finish(system, state, ws, h)?,
        Integrator::AugmentedLagrangian => augmented_lagrangian::finish(system, state, ws, h),
        _ => {}
    }
    check_finite(system, ws, end)
}

/// `state` becomes the end of the step in the workspace.
fn accept(system: &System, state: &mut State, ws: &mut Workspace, h: f64) {
    let end = state.time + h;
    match system.integrator {
        Integrator::GeneralizedAlpha => generalized_alpha::remember(system, state, ws, h),
        Integrator::AugmentedLagrangian => augmented_lagrangian::remember(system, state, ws),
        _ => {}
    }
    state.q.copy_from_slice(&ws.stage.q);
    state.v.copy_from_slice(&ws.stage.v);
    state.auxiliary.copy_from_slice(&ws.stage.auxiliary);
    let State { v, auxiliary, accelerations, offsets, multipliers, .. } = state;
    for value in v.iter_mut().chain(auxiliary).chain(accelerations).chain(offsets).chain(multipliers) {
        if value.abs() < MIN_MAGNITUDE {
            *value = 0.0;
        }
    }
    state.time = end;
    observe::follow_angles(system, state, ws);
    let (mut tree, blocks) = ws.open_tree();
    choice::choose_coordinates(system, state, &mut tree, blocks, false);
    filters::advance(system, state, ws, h);
}

/// Evaluations of the dynamics per step without outputs, per iteration where a scheme iterates; with low-pass filters
/// one more at the end of the step and, unless the scheme begins with it, one at its start.
pub fn evaluations(system: &System) -> usize {
    let scheme = system.integrator.scheme();
    let filters = if system.filters.is_empty() { 0 } else { 2 - usize::from(scheme.explicit) };
    filters + scheme.evaluations
}

/// Rates at `state` + `factor` · (present rates), at `state.time` + `ahead`.
fn next_rates(system: &System, state: &State, ws: &mut Workspace, factor: f64, ahead: f64) -> Result<(), Fault> {
    advance_by(&state.q, factor, &ws.rates.q, &mut ws.stage.q);
    advance_by(&state.v, factor, &ws.rates.v, &mut ws.stage.v);
    advance_by(&state.auxiliary, factor, &ws.rates.auxiliary, &mut ws.stage.auxiliary);
    let t = state.time + ahead;
    prepare_stage(system, state, ws, t);
    evaluate(system, state, ws, t)
}

/// out = base + factor · rate.
fn advance_by(base: &[f64], factor: f64, rate: &[f64], out: &mut [f64]) {
    for ((out, base), rate) in out.iter_mut().zip(base).zip(rate) {
        *out = base + factor * rate;
    }
}

/// sum = rates · weight.
fn start_sum(sum: &mut Rates, rates: &Rates, weight: f64) {
    for (sum, rates) in [(&mut sum.q, &rates.q), (&mut sum.v, &rates.v), (&mut sum.auxiliary, &rates.auxiliary)] {
        sum.iter_mut().zip(rates).for_each(|(sum, rate)| *sum = weight * rate);
    }
}

/// sum += rates · weight.
fn add_to_sum(sum: &mut Rates, rates: &Rates, weight: f64) {
    for (sum, rates) in [(&mut sum.q, &rates.q), (&mut sum.v, &rates.v), (&mut sum.auxiliary, &rates.auxiliary)] {
        sum.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += weight * rate);
    }
}

/// The stage = state + h · sum.
fn finish_with_sum(state: &State, ws: &mut Workspace, h: f64) {
    advance_by(&state.q, h, &ws.integration.sum.q, &mut ws.stage.q);
    advance_by(&state.v, h, &ws.integration.sum.v, &mut ws.stage.v);
    advance_by(&state.auxiliary, h, &ws.integration.sum.auxiliary, &mut ws.stage.auxiliary);
}

/// Energies at the end of the step, by the trapezoidal rule from the powers of the last step and those in the
/// workspace.
fn integrate_powers(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    let before = &state.last_step[system.memory().powers];
    for ((k, power), before) in ENERGIES.zip(ws.loads.powers).zip(before) {
        ws.stage.auxiliary[k] = state.auxiliary[k] + 0.5 * h * (before + power);
    }
}

/// Checks that all integrated quantities are finite at the end of a step and that no joint is beyond its curve.
fn check_finite(system: &System, ws: &Workspace, t: f64) -> Result<(), Fault> {
    let finite = |q: core::ops::Range<usize>, v: core::ops::Range<usize>| {
        ws.stage.q[q].iter().chain(&ws.stage.v[v]).all(|value| value.is_finite())
    };
    for (index, joint) in system.joints.iter().enumerate() {
        if joint.link.is_none() && !finite(joint.q_range(), joint.v_range()) {
            return Err(Fault::NotFinite { joint: index as u32, time: t });
        }
        if joint.is_beyond_path(&ws.stage.q) {
            return Err(Fault::BeyondCurve { joint: index as u32, time: t });
        }
    }
    for body in &system.flexible {
        if !finite(body.q.clone(), body.v.clone()) {
            return Err(Fault::NotFinite { joint: (body.body - 1) as u32, time: t });
        }
    }
    match ws.stage.auxiliary.iter().position(|value| !value.is_finite()) {
        Some(state) => Err(Fault::StateNotFinite { state: state as u32, time: t }),
        None => Ok(()),
    }
}
