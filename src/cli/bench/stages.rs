//! Times of the stages of one evaluation.
//!
//! A step is not interrupted for the clock. Instead, after every timed step, an evaluation is done once more in a workspace
//! of its own, at the second stage of a Runge-Kutta step (half a step ahead along the present rates, loops not yet
//! closed): once as a whole, and once stage by stage, in the order and with the functions of
//! [`crate::dynamics::evaluate`].

use crate::dynamics::{closure, evaluate, kinematics, load_stage, mass, prepare_stage};
use crate::system::{Fault, State, System, Workspace};
use std::time::Instant;

/// Names of the stages, in the order of [`StageTimer::time`].
pub const STAGES: &[&str] = &["evaluation", "positions", "velocities", "null_spaces", "mass", "loads_and_solution"];

/// A workspace in which evaluations are repeated.
pub struct StageTimer {
    workspace: Workspace,
}

impl StageTimer {
    /// For instances of `system`.
    pub fn new(system: &System) -> StageTimer {
        StageTimer { workspace: Workspace::new(system) }
    }

    /// Times the stages of one evaluation near `state`, in s: the evaluation as a whole; positions with their closure;
    /// velocities with theirs; null spaces of the loops; inertias and open mass matrix; and what the whole takes beyond
    /// these four, which is forces, bias accelerations and the solution.
    pub fn time(&mut self, system: &System, state: &State, seconds: &mut [f64]) -> Result<(), Fault> {
        let ws = &mut self.workspace;
        let t = predict(system, state, ws)?;
        let clock = Instant::now();
        evaluate(system, state, ws, t, true)?;
        let evaluation = clock.elapsed().as_secs_f64();

        predict(system, state, ws)?;
        let begin = Instant::now();
        kinematics::calc_positions(system, ws);
        closure::close_positions(system, state, ws)?;
        let positions = Instant::now();
        kinematics::calc_velocities(system, ws);
        closure::close_velocities(system, state, ws);
        let velocities = Instant::now();
        closure::calc_null_spaces(system, state, ws);
        let null_spaces = Instant::now();
        mass::calc_inertias(system, ws);
        mass::calc_mass(system, ws);
        let mass = Instant::now();

        let parts = [positions - begin, velocities - positions, null_spaces - velocities, mass - null_spaces]
            .map(|duration| duration.as_secs_f64());
        seconds[0] = evaluation;
        seconds[1..5].copy_from_slice(&parts);
        seconds[5] = evaluation - parts.iter().sum::<f64>();
        Ok(())
    }
}

/// Brings the workspace half a step ahead of `state` and returns the time there.
fn predict(system: &System, state: &State, ws: &mut Workspace) -> Result<f64, Fault> {
    load_stage(system, state, ws, state.time);
    evaluate(system, state, ws, state.time, true)?;
    let ahead = 0.5 * system.step();
    let Workspace { q, v, auxiliary, rates, .. } = ws;
    for (values, rates) in [(q, &rates.q), (v, &rates.v), (auxiliary, &rates.auxiliary)] {
        values.iter_mut().zip(rates).for_each(|(value, rate)| *value += ahead * rate);
    }
    prepare_stage(system, state, ws, state.time + ahead);
    Ok(state.time + ahead)
}
