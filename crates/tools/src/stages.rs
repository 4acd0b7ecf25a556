//! Times of the stages of one evaluation.
//!
//! The clock does not interrupt a step. Instead, an evaluation is repeated after every timed step in a separate
//! workspace. Its state is the second stage of a Runge-Kutta step (half a step ahead along the present rates, loops not
//! yet closed). It is timed once as a whole, and once stage by stage, in the order and with the functions of
//! [`ballesta::dynamics::evaluate`](fn@ballesta::dynamics::evaluate).

use ballesta::dynamics::{self, articulated, closure, dense, evaluate, kinematics, load_stage, mass, prepare_stage};
use ballesta::system::workspace::Stage;
use ballesta::system::{Fault, State, System, Workspace};
use std::time::Instant;

/// Timed parts, in the order of [`StageTimer::time`]: the evaluation as a whole, then its stages. Each stage has the
/// corresponding row of tables 1 and 2 of Hidalgo & García de Jalón (2013). Differences: the solver closes positions by
/// Newton's method in every evaluation, so `closure` contains its iterations. `accelerations` contains the recursion of
/// the bias accelerations, which is in the next row there. Rigid systems form no mass matrix: `mass` is their
/// elimination from the leaves, `solution` the back substitution.
pub const STAGES: [(&str, &str); 10] = [
    ("evaluation", ""),
    ("positions", "b_j, A_i, J_i, M_i, M_i^Σ"),
    ("closure", "Φ_zd, Φ_zi, [L,U] = lu(Φ_zd)"),
    ("null_spaces", "R_z = [−Φ_zd⁻¹ Φ_zi; I]"),
    ("velocities", "ż_d = −Φ_zd⁻¹ Φ_zi ż_i, recVel: Z_i, d_i, d_i^Σ"),
    ("loads", "Q_i, Q̄_i, τ_i"),
    ("accelerations", "c = −Φ̇_z ż, Ṙ_z ż = Φ_zd \\ (−Φ̇_z ż)"),
    ("residuals", "recAccel: Ż_i, Q̄, Q^Σ"),
    ("mass", "M = R_zᵀ R_dᵀ M^Σ R_d R_z, b = R_zᵀ (R_dᵀ Q^Σ − R_dᵀ M^Σ (Ṙ_d ż + R_d Ṙ_z ż_i))"),
    ("solution", "z̈_i = M \\ b"),
];

/// Number of batches of consecutive evaluations, and of evaluations in each.
const BATCHES: [usize; 2] = [200, 20];

/// A workspace for repeated evaluations.
pub struct StageTimer {
    workspace: Workspace,
}

impl StageTimer {
    /// For instances of `system`.
    pub fn new(system: &System) -> StageTimer {
        StageTimer { workspace: Workspace::new(system) }
    }

    /// The first block of loops that the last evaluation closed by least change.
    pub fn near_singular(&self) -> Option<usize> {
        self.workspace.blocks.iter().position(|block| block.least_change)
    }

    /// Times one evaluation near `state`, in s: as a whole, then stage by stage.
    pub fn time(&mut self, system: &System, state: &State, seconds: &mut [f64]) -> Result<(), Fault> {
        let ws = &mut self.workspace;
        let t = predict(system, state, ws)?;
        let clock = Instant::now();
        evaluate(system, state, ws, t)?;
        seconds[0] = clock.elapsed().as_secs_f64();

        predict(system, state, ws)?;
        let mut before = Instant::now();
        let mut lap = || {
            let now = Instant::now();
            (now - std::mem::replace(&mut before, now)).as_secs_f64()
        };
        kinematics::calc_positions(system, &mut ws.stage.q, &mut ws.kinematics);
        seconds[1] = lap();
        let (mut tree, blocks) = ws.open_tree();
        closure::close_positions(system, state, &mut tree, blocks)?;
        seconds[2] = lap();
        closure::calc_null_spaces(system, state, blocks);
        seconds[3] = lap();
        closure::close_velocities(system, state, &mut tree, blocks);
        seconds[4] = lap();
        mass::calc_inertias(system, &ws.stage.q, &ws.kinematics, &mut ws.flexible, &mut ws.inertias);
        seconds[1] += lap();
        dynamics::calc_loads(system, &state.parameters, ws);
        seconds[5] = lap();
        dynamics::calc_bias_accelerations(system, state, ws);
        seconds[6] = lap();
        dynamics::calc_residuals(system, ws);
        seconds[7] = lap();
        if !system.has_clusters() {
            dense::calc_mass(system, ws);
            dynamics::calc_open_forces(system, ws);
            dense::reduce(system, &ws.blocks, &ws.residuals.force, &mut ws.dense);
            seconds[8] = lap();
            dense::solve_symmetric(system, ws)?;
            dense::add_guided_power(system, ws);
        } else {
            articulated::reduce(system, ws)?;
            seconds[8] = lap();
            articulated::solve(system, ws);
            evaluate::add_guided_power(system, ws);
        }
        evaluate::calc_rates(system, ws);
        seconds[9] = lap();
        Ok(())
    }
}

/// Times in s of consecutive evaluations, all half a step ahead of `state`: the mean of every batch.
pub fn time_in_a_row(system: &System, state: &State) -> Result<Vec<f64>, Fault> {
    let mut ws = Workspace::new(system);
    let t = predict(system, state, &mut ws)?;
    let (q, v, auxiliary) = (ws.stage.q.clone(), ws.stage.v.clone(), ws.stage.auxiliary.clone());
    let [batches, evaluations] = BATCHES;
    let mut times = Vec::with_capacity(batches);
    for _ in 0..batches {
        let clock = Instant::now();
        for _ in 0..evaluations {
            ws.stage.q.copy_from_slice(&q);
            ws.stage.v.copy_from_slice(&v);
            ws.stage.auxiliary.copy_from_slice(&auxiliary);
            evaluate(system, state, &mut ws, t)?;
        }
        times.push(clock.elapsed().as_secs_f64() / evaluations as f64);
    }
    Ok(times)
}

/// Advances the workspace by half a step from `state` and returns the time there.
pub fn predict(system: &System, state: &State, ws: &mut Workspace) -> Result<f64, Fault> {
    load_stage(system, state, ws, state.time);
    evaluate(system, state, ws, state.time)?;
    let ahead = 0.5 * system.step();
    let Workspace { stage: Stage { q, v, auxiliary, .. }, rates, .. } = ws;
    for (values, rates) in [(q, &rates.q), (v, &rates.v), (auxiliary, &rates.auxiliary)] {
        values.iter_mut().zip(rates).for_each(|(value, rate)| *value += ahead * rate);
    }
    prepare_stage(system, state, ws, state.time + ahead);
    Ok(state.time + ahead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ballesta::compile;
    use ballesta::model;

    #[test]
    fn stages_one_by_one_give_the_bits_of_the_evaluation() {
        let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("models/four_bar");
        let document = model::load(&folder).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let system = compile::compile(&document, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let mut timer = StageTimer::new(&system);
        let mut seconds = [f64::NAN; STAGES.len()];
        timer.time(&system, system.initial(), &mut seconds).unwrap();
        assert!(seconds.iter().all(|seconds| *seconds >= 0.0), "{seconds:?}");
        let mut ws = Workspace::new(&system);
        let t = predict(&system, system.initial(), &mut ws).unwrap();
        evaluate(&system, system.initial(), &mut ws, t).unwrap();
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&timer.workspace.rates.v), bits(&ws.rates.v));
        assert_eq!(bits(&timer.workspace.rates.auxiliary), bits(&ws.rates.auxiliary));
    }
}
