//! Classical Runge-Kutta, order 4, the scheme of Hidalgo & García de Jalón (2013).

use super::*;

/// Leaves the stage of the workspace at the end of the step, not yet closed.
pub(super) fn advance(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Result<(), Fault> {
    calc_first_rates(system, state, ws)?;
    start_sum(&mut ws.integration.sum, &ws.rates, 1.0 / 6.0);
    next_rates(system, state, ws, 0.5 * h, 0.5 * h)?;
    add_to_sum(&mut ws.integration.sum, &ws.rates, 1.0 / 3.0);
    ws.integration.disagreement.copy_from_slice(&ws.rates.v);
    next_rates(system, state, ws, 0.5 * h, 0.5 * h)?;
    add_to_sum(&mut ws.integration.sum, &ws.rates, 1.0 / 3.0);
    ws.integration.disagreement.iter_mut().zip(&ws.rates.v).for_each(|(second, third)| *second = h * (third - *second));
    next_rates(system, state, ws, h, h)?;
    add_to_sum(&mut ws.integration.sum, &ws.rates, 1.0 / 6.0);
    finish_with_sum(state, ws, h);
    Ok(())
}
