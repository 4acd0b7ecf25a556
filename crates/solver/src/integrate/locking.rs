//! Brakes that lock: a wheel that stops under its brake sticks instead of springing back.
//!
//! Problem. While a brake slides its bristles are fully deflected, ζ = ±1. On a slippery road a much smaller torque
//! holds the stopped wheel. Unchanged bristles would throw the wheel back at √(T_c φ/J), some rad/s, until they have
//! settled at the load. An elastic brake would do that, but the presliding travel only serves to hold the coordinate
//! and does not model such a spring.
//!
//! Method. A step in which the coordinate of a sliding brake would change its direction is divided at the instant at
//! which it stops. Regula falsi (Illinois) locates this instant in at most [`SEARCHES`] steps. There the accelerations
//! are affine in the force of the brake, a = a⁰ + B f: two evaluations give the share f = −a⁰/B that holds the
//! coordinate, and the bristles are set to it, or to ±1 if the brake cannot hold (Coulomb's law at rest). Several
//! brakes of one coordinate hold it together, each with the same fraction of its force. At zero speed this changes no
//! energy: a brake accounts for its power only.
//!
//! The generalized-alpha method continues from the accelerations of this share.
//!
//! Afterwards the brake's spring of T_c/φ holds the wheel. If the load changes by a fraction Δ of T_c, for example when
//! an axle unwinds after its wheels lock, the wheel turns relative to its brake by φ Δ, at most 2 φ.
//!
//! Limits. Explicit schemes and generalized-alpha; a brake on a prescribed coordinate or on a dependent coordinate of a
//! loop is treated like any other. Brakes that stop at the same instant are locked one after the other.
//!
//! Verified by: tests/motion/vehicles/verification/standstill.rs.

use super::{accept, find_end};
use crate::dynamics::{evaluate_closed, load_stage};
use crate::force::Element;
use crate::force::vehicle::Brake;
use crate::system::{Fault, State, System, Workspace};

/// Largest number of steps to locate the instant at which a coordinate stops.
const SEARCHES: usize = 6;
/// Speed at which a coordinate counts as stopped, as a fraction of the speed at the start of the step.
const STOP_SPEED_FRACTION: f64 = 1e-3;

/// The velocity, by its index, that brakes bring to zero first in the step from `state` to the end in the workspace;
/// `None` if none stops.
pub(super) fn first(system: &System, state: &State, ws: &Workspace) -> Option<usize> {
    let mut found: Option<(f64, usize)> = None;
    if !system.integrator.scheme().holds_brakes {
        return None;
    }
    for brake in brakes(system) {
        let v = brake.coordinate.velocity;
        let (before, after, zeta) = (state.v[v], ws.stage.v[v], state.auxiliary[brake.state]);
        let slides = (zeta + brake.bristle.time * before / brake.bristle.travel).abs() >= 1.0;
        if before * after < 0.0 && zeta * before > 0.0 && slides && brake.capacity(&ws.surroundings(state)) > 0.0 {
            let part = before / (before - after);
            if found.is_none_or(|(first, _)| part < first) {
                found = Some((part, v));
            }
        }
    }
    found.map(|(_, v)| v)
}

fn brakes(system: &System) -> impl Iterator<Item = &Brake> {
    system.elements.iter().filter_map(|element| match element {
        Element::Brake(brake) => Some(brake),
        _ => None,
    })
}

/// Moves `state` to the point where the velocity `v` is zero within the step of length `h` whose end is in the
/// workspace, and sets the bristles to the force that holds it there. Returns the length of this part of the step.
pub(super) fn stop(system: &System, state: &mut State, ws: &mut Workspace, h: f64, v: usize) -> Result<f64, Fault> {
    let start = state.v[v];
    let (mut ahead, mut behind) = ((0.0, start), (1.0, ws.stage.v[v]));
    let mut part = 1.0;
    for _ in 0..SEARCHES {
        part = ahead.0 + (behind.0 - ahead.0) * (ahead.1 / (ahead.1 - behind.1));
        find_end(system, state, ws, part * h)?;
        let speed = ws.stage.v[v];
        if !(speed.abs() > STOP_SPEED_FRACTION * start.abs()) {
            break;
        }
        if speed * start > 0.0 {
            ahead = (part, speed);
            behind.1 *= 0.5;
        } else {
            behind = (part, speed);
            ahead.1 *= 0.5;
        }
    }
    accept(system, state, ws, part * h);
    hold(system, state, ws, v, start)?;
    Ok(part * h)
}

/// Sets the bristles of the brakes that act against the speed `start` of the coordinate `v`: a common factor on their
/// bends makes the acceleration zero, as far as the brakes can.
fn hold(system: &System, state: &mut State, ws: &mut Workspace, v: usize, start: f64) -> Result<(), Fault> {
    let braked = calc_acceleration(system, state, ws, v)?;
    // Doubling restores the halved bends without rounding.
    bend(system, state, ws, v, start, |zeta| 0.5 * zeta);
    let released = calc_acceleration(system, state, ws, v);
    bend(system, state, ws, v, start, |zeta| 2.0 * zeta);
    let factor = 1.0 - 0.5 * braked / (braked - released?);
    // A coordinate that its brakes cannot move keeps their bristles.
    if factor.is_finite() {
        bend(system, state, ws, v, start, |zeta| (factor * zeta).clamp(-1.0, 1.0));
    }
    if !system.integrator.scheme().explicit {
        // The next step starts from the accelerations of the held state, not from the accelerations of braking.
        calc_acceleration(system, state, ws, v)?;
        state.accelerations.copy_from_slice(&ws.accelerations.zdd);
    }
    Ok(())
}

/// z̈ of the coordinate `v` at `state`; all accelerations are in the workspace.
fn calc_acceleration(system: &System, state: &State, ws: &mut Workspace, v: usize) -> Result<f64, Fault> {
    load_stage(system, state, ws, state.time);
    evaluate_closed(system, state, ws, state.time)?;
    Ok(ws.accelerations.zdd[v])
}

/// Changes the bristles of the applied brakes of the coordinate `v` that are bent in the direction of `start`.
fn bend(system: &System, state: &mut State, ws: &Workspace, v: usize, start: f64, change: impl Fn(f64) -> f64) {
    for brake in brakes(system).filter(|brake| brake.coordinate.velocity == v) {
        let zeta = state.auxiliary[brake.state];
        if zeta * start > 0.0 && brake.capacity(&ws.surroundings(state)) > 0.0 {
            state.auxiliary[brake.state] = change(zeta);
        }
    }
}
