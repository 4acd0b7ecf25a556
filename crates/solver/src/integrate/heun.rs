//! Heun's method, order 2: the mean of the rates at both ends.

use super::*;

/// Leaves the stage of the workspace at the end of the step, not yet closed.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    calc_first_rates(system, state, ws)?;
    start_sum(&mut ws.integration.sum, &ws.rates, 0.5);
    next_rates(system, state, ws, h, h)?;
    add_to_sum(&mut ws.integration.sum, &ws.rates, 0.5);
    finish_with_sum(state, ws, h);
    Ok(())
}
