//! Low-pass filters behind outputs, with every integrator: exact for outputs that are linear between the points of a
//! step ([`crate::system::LowPass`]).
//!
//! Cost. The outputs are evaluated at the start of the step too, with the inputs and parameters valid from there on, so
//! that a jump is not treated as a ramp. This takes two evaluations per step, only in models with filters. The
//! evaluation at the start is also the first stage of an explicit scheme.

use super::*;
use crate::dynamics::observe::calc_unfiltered;
use crate::system::workspace::Unfiltered;

/// Inputs of the filters at the start of the step.
pub(super) fn read_start(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    if system.filters.is_empty() {
        return Ok(());
    }
    calc_unfiltered(system, state, ws)?;
    ws.unfiltered.start.copy_from_slice(&ws.unfiltered.now);
    Ok(())
}

/// The step of the filters, after all others: `state` is at the end of the step except for the filters.
///
/// If the outputs cannot be evaluated, the inputs are unchanged; the next step meets this fault at its start and
/// reports it.
pub(super) fn advance(system: &System, state: &mut State, ws: &mut Workspace, h: f64) {
    if system.filters.is_empty() {
        return;
    }
    let ended = calc_unfiltered(system, state, ws);
    let Unfiltered { now, start } = &mut ws.unfiltered;
    if ended.is_err() {
        now.copy_from_slice(start);
    }
    for ((filter, &start), &end) in system.filters.iter().zip(&*start).zip(&*now) {
        let states = &mut state.auxiliary[filter.states()];
        filter.advance(states, start, end, h);
        states.iter_mut().filter(|value| value.abs() < MIN_MAGNITUDE).for_each(|value| *value = 0.0);
    }
}
