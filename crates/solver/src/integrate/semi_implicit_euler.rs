//! Semi-implicit Euler, order 1: new velocities from the old positions, new positions from the new velocities.

use super::*;

/// Leaves the stage of the workspace at the end of the step, not yet closed.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    calc_first_rates(system, state, ws)?;
    advance_by(&state.v, h, &ws.rates.v, &mut ws.stage.v);
    advance_by(&state.auxiliary, h, &ws.rates.auxiliary, &mut ws.stage.auxiliary);
    for joint in &system.joints {
        joint.calc_position_rate(&state.q, &ws.stage.v, &mut ws.rates.q);
    }
    advance_by(&state.q, h, &ws.rates.q, &mut ws.stage.q);
    Ok(())
}
