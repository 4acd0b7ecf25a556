//! Loads that joints transmit, for frictions that grow with them ([`crate::force::LoadFriction`]).
//!
//! The load P of a bearing depends on the accelerations. Its filtered value Λ is a state, T Λ' = P − Λ, so the
//! evaluation remains explicit: loads, accelerations, reactions, then Λ'. Cost per evaluation: the reactions of all
//! joints, if the model has such a friction.
//!
//! Verified by: tests/motion/load_friction.rs.

use super::reactions::{calc_reactions, joint_reaction};
use super::{evaluate_closed, load_stage};
use crate::force::{CoordinateIx, LoadFriction};
use crate::math::larger;
use crate::math::scalar::Scalar;
use crate::system::{Fault, State, System, Workspace};

/// Evaluations at the start, in each of which the loads follow from the friction of the previous one.
const PASSES: usize = 8;
/// Change of the loads, relative to the largest, below which they are accepted.
const LOAD_TOLERANCE: f64 = 1e-12;

impl System {
    /// Frictions that grow with the loads of their joints: coordinate, index of Λ, and law.
    pub(crate) fn load_frictions(&self) -> impl Iterator<Item = (CoordinateIx, usize, &LoadFriction)> {
        self.load_frictions.iter().filter_map(|&element| self.elements[element].load_friction())
    }
}

/// Λ' of all frictions, after the accelerations; the workspace contains the reactions afterwards.
pub(crate) fn calc_load_rates(system: &System, state: &State, ws: &mut Workspace) {
    if !system.load_frictions.is_empty() {
        calc_reactions(system, state, ws);
        rate_loads(system, ws);
    }
}

/// Λ' of all frictions from the reactions in the workspace.
pub(super) fn rate_loads<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    for (coordinate, index, law) in system.load_frictions() {
        let load = calc_load(system, ws, coordinate, law);
        ws.rates.auxiliary[index] = (load - ws.stage.auxiliary[index]) * S::from_f64(1.0 / law.time);
    }
}

/// P from the reactions in the workspace, N m or N.
pub(crate) fn calc_load<S: Scalar>(
    system: &System,
    ws: &Workspace<S>,
    coordinate: CoordinateIx,
    law: &LoadFriction,
) -> S {
    let (force, moment) = joint_reaction(system, ws, law.joint);
    let column = &ws.kinematics.columns[coordinate.velocity];
    law.load(if law.rotation { &column.ang } else { &column.lin }, &force, &moment)
}

/// Sets Λ of all frictions to P at `state`, loops closed. Offline: evaluates repeatedly.
pub(crate) fn settle_loads(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.load_frictions.is_empty() {
        return Ok(());
    }
    for _ in 0..PASSES {
        load_stage(system, state, ws, state.time);
        evaluate_closed(system, state, ws, state.time)?;
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for (coordinate, index, law) in system.load_frictions() {
            let load = calc_load(system, ws, coordinate, law);
            change = larger(change, (load - state.auxiliary[index]).abs());
            largest = larger(largest, load);
            state.auxiliary[index] = load;
        }
        if change <= LOAD_TOLERANCE * largest {
            break;
        }
    }
    Ok(())
}
