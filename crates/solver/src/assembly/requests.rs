//! Requested positions and speeds that the assembly could not keep, and the largest change that it made.

use super::start::request_speeds;
use super::{GAP_TOLERANCE, ROUND_OFF_TOLERANCE};
use crate::math::larger;
use crate::system::{AssemblyChange, State, System};
use alloc::{format, string::String, string::ToString, vec::Vec};

/// Fraction of the largest requested speed that may be lost without a warning.
const SPEED_TOLERANCE: f64 = 1e-3;
/// A requested position (m, rad) counts as kept if the assembly changes it by less than this: loops need not close
/// better than to [`GAP_TOLERANCE`]. For a speed (m/s, rad/s) the limit is the same, plus the same fraction of its
/// value.
const POSITION_TOLERANCE: f64 = GAP_TOLERANCE;

/// Names every request that the assembled `state` does not keep. Requests that change the motion are in `warnings`, the
/// others in `notes`.
pub(super) fn note_lost(system: &System, state: &State, notes: &mut Vec<String>, warnings: &mut Vec<String>) {
    let name = |q: usize| {
        let tree = system.joints.iter().position(|joint| joint.q_range().contains(&q));
        system.joint_name(tree.expect("requests are of joints in the tree")).to_string()
    };
    // Positions that the loops have changed.
    for &(q, request) in &system.requests.positions {
        if !((state.q[q] - request).abs() > POSITION_TOLERANCE) {
            continue;
        }
        notes.push(match system.guided.iter().find(|guided| guided.coordinate.position == q) {
            None => format!("joint `{}`: position {request} was requested, but {} was assembled", name(q), state.q[q]),
            Some(guided) => format!(
                "joint `{}`: position {request} was requested, but its prescribed motion `{}` starts at {}",
                name(q),
                guided.name,
                state.q[q]
            ),
        });
    }
    // Speeds that the loops do not allow.
    let mut requested = state.clone();
    request_speeds(system, &mut requested);
    let fastest = system.requests.speeds.iter().map(|&(v, _)| requested.v[v].abs()).fold(0.0, larger);
    for &(v, _) in &system.requests.speeds {
        let request = requested.v[v];
        if (state.v[v] - request).abs() > POSITION_TOLERANCE * (1.0 + request.abs()) {
            // A deviation above a fraction of the largest speed is no rounding of the file but another motion.
            let lost = (state.v[v] - request).abs() > SPEED_TOLERANCE * fastest;
            let assembled = if state.v[v].abs() > ROUND_OFF_TOLERANCE * fastest { state.v[v] } else { 0.0 };
            let line = format!(
                "joint `{}`: speed {request} was requested, but the loops require {assembled}",
                system.coordinate_name(v)
            );
            if lost { warnings.push(line) } else { notes.push(line) }
        }
    }
}

/// The coordinate that the assembly changed most from the design position or the request.
pub(super) fn largest_change(system: &System, state: &State) -> AssemblyChange {
    let request =
        |q: usize| system.requests.positions.iter().find(|request| request.0 == q).map_or(0.0, |request| request.1);
    let mut largest = AssemblyChange::default();
    for (tree, joint) in system.joints.iter().enumerate() {
        for (number, coordinate) in joint.kind.coordinates().iter().enumerate() {
            let q = joint.q + number;
            let amount = (state.q[q] - request(q)).abs();
            // A NaN is the largest.
            if !largest.amount.is_nan() && !(amount <= largest.amount) {
                let dotted = |name| format!("{}.{name}", system.joint_name(tree));
                let is_single = joint.kind.coordinates().len() == 1;
                let name = if is_single { system.joint_name(tree).into() } else { dotted(coordinate.name) };
                largest = AssemblyChange { amount, coordinate: name, unit: coordinate.measure.position_unit().into() };
            }
        }
    }
    largest
}
