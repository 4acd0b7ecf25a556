//! The evaluation at a state, shared by outputs and the first stage of the next step ([`crate::system::FirstStage`]).

use super::{evaluate, evaluate_closed, inputs_move_guides, load_stage};
use crate::system::{Fault, State, System, Workspace};

/// A complete evaluation at `state`; its rates are kept. Afterwards the workspace contains all data for outputs.
pub(crate) fn calc_first_stage(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    ws.first_stage.forget();
    let passed = core::mem::replace(&mut ws.events.near_singular, false);
    load_stage(system, state, ws, state.time);
    let done = match inputs_move_guides(system) {
        true => evaluate(system, state, ws, state.time),
        false => evaluate_closed(system, state, ws, state.time),
    };
    let near_singular = ws.events.near_singular;
    ws.events.near_singular |= passed;
    done?;
    ws.first_stage.keep(state, &ws.rates, near_singular);
    Ok(())
}

/// The rates at `state`, kept or evaluated, into `ws.rates`. The other contents of the workspace are undefined.
pub(crate) fn calc_first_rates(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    if !ws.first_stage.is_of(state) {
        return calc_first_stage(system, state, ws);
    }
    let (rates, near_singular) = ws.first_stage.rates();
    ws.rates.copy_from(rates);
    ws.events.near_singular |= near_singular;
    Ok(())
}
