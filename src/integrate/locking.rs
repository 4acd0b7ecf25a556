//! Brakes that lock: a wheel that stops under its brake sticks instead of springing back.
//!
//! Problem. While a brake slides its bristles are bent to the full, ζ = ±1. On a slippery road much less holds the
//! wheel once it stands, and bristles that stayed as they are would throw it back by √(T_c φ/J), some rad/s, until they
//! have swung to what the load demands: an elastic brake does that, but a presliding travel is a means to hold
//! something still, and no such spring.
//!
//! Method. A step in which the coordinate of a sliding brake would change its direction is made in two parts that meet
//! where it stops, found by regula falsi (Illinois), [`SEARCHES`] steps at most. There the accelerations are affine in
//! the force of the brake, a = a⁰ + B f: two evaluations give the share f = −a⁰/B that holds the coordinate, and the
//! bristles are left with it, or with ±1 where the brake cannot hold (Coulomb's law at rest). Without a speed nothing
//! is gained or lost by that: a brake books its power alone.
//!
//! The generalized-alpha method goes on from the accelerations that belong to that share.
//!
//! What holds a wheel from there on is the brake's spring of T_c/φ: where the load changes by a share Δ of T_c, as
//! behind an axle that unwinds once its wheels lock, the wheel turns against its brake by φ Δ, at most 2 φ.
//!
//! Limits. Explicit schemes and generalized-alpha; a brake on a coordinate that is guided or depends on others in a
//! loop is treated like any other. Brakes that stop at one instant are held one after the other.
//!
//! Proved by: tests/motion/vehicles/verification/standstill.rs.

use super::{accept, find_end};
use crate::dynamics::{evaluate_closed, load_stage};
use crate::force::{Bristle, CoordinateIx, Element};
use crate::system::{Fault, State, System, Workspace};

/// Steps to find where a coordinate stops, at most.
const SEARCHES: usize = 6;
/// Speed, as a part of that at the begin of the step, at which it stands.
const STOPPED: f64 = 1e-3;

/// What the search needs of a brake.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    coordinate: CoordinateIx,
    bristle: Bristle,
    state: usize,
}

/// The brake that stops first in the step from `state` to the end in the workspace; none where none does.
pub(super) fn first(system: &System, state: &State, ws: &Workspace) -> Option<Stop> {
    let mut found: Option<(f64, Stop)> = None;
    if !system.integrator.scheme().holds_brakes {
        return None;
    }
    for element in &system.elements {
        let Element::Brake(brake) = element else { continue };
        let v = brake.coordinate.velocity;
        let (before, after, bent) = (state.v[v], ws.stage.v[v], state.auxiliary[brake.state]);
        let slides = (bent + brake.bristle.time * before / brake.bristle.travel).abs() >= 1.0;
        if before * after < 0.0 && bent * before > 0.0 && slides && brake.capacity(&ws.surroundings(state)) > 0.0 {
            let part = before / (before - after);
            if found.is_none_or(|(first, _)| part < first) {
                found = Some((part, Stop { coordinate: brake.coordinate, bristle: brake.bristle, state: brake.state }));
            }
        }
    }
    found.map(|(_, stop)| stop)
}

/// Moves `state` to where the coordinate of `stop` stands within the step of length `h` whose end is in the workspace,
/// and leaves the bristles with what holds it there. Returns the length that was made.
pub(super) fn stop(system: &System, state: &mut State, ws: &mut Workspace, h: f64, stop: &Stop) -> Result<f64, Fault> {
    let v = stop.coordinate.velocity;
    let start = state.v[v];
    let (mut ahead, mut behind) = ((0.0, start), (1.0, ws.stage.v[v]));
    let mut part = 1.0;
    for _ in 0..SEARCHES {
        part = ahead.0 + (behind.0 - ahead.0) * (ahead.1 / (ahead.1 - behind.1));
        find_end(system, state, ws, part * h)?;
        let speed = ws.stage.v[v];
        if !(speed.abs() > STOPPED * start.abs()) {
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
    hold(system, state, ws, stop)?;
    Ok(part * h)
}

/// Bends the bristles as the load on the standing coordinate demands, as far as they can.
fn hold(system: &System, state: &mut State, ws: &mut Workspace, stop: &Stop) -> Result<(), Fault> {
    let (v, bent) = (stop.coordinate.velocity, state.auxiliary[stop.state]);
    let mut ends = [(0.0, 0.0); 2];
    for (end, share) in ends.iter_mut().zip([bent, 0.0]) {
        state.auxiliary[stop.state] = share;
        load_stage(system, state, ws, state.time);
        let evaluated = evaluate_closed(system, state, ws, state.time);
        if let Err(fault) = evaluated {
            state.auxiliary[stop.state] = bent;
            return Err(fault);
        }
        *end = (stop.bristle.share(state.v[v], share, 1.0), ws.accelerations.zdd[v]);
    }
    let [(full, braked), (none, free)] = ends;
    let share = none - free * (full - none) / (braked - free);
    // A coordinate that the brake cannot move keeps its bristles.
    state.auxiliary[stop.state] = if share.is_finite() { share.clamp(-1.0, 1.0) } else { bent };
    if !system.integrator.scheme().explicit {
        // The next step starts from the accelerations that the hold leaves, not from those that the brake made.
        load_stage(system, state, ws, state.time);
        evaluate_closed(system, state, ws, state.time)?;
        state.accelerations.copy_from_slice(&ws.accelerations.zdd);
    }
    Ok(())
}
