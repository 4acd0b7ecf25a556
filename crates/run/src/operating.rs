//! The operating point of analyses and runs: the start of the model, or the equilibrium near it.

use super::model::{self, Assignment};
use ballesta::analysis::equilibrium::{Driving, Equilibrium};
use ballesta::analysis::operating_point::{AnalysisError, positions};
use ballesta::analysis::stability::StepLimit;
use ballesta::analysis::step_map::{self, AnalysisExtent};
use ballesta::model::{Diagnostics, Document};
use ballesta::simulate::{self, Simulator};
use ballesta::system::{System, Workspace};
use ballesta_files::failure::Failure;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A failed analysis ends like a simulation fault.
pub fn failure(error: AnalysisError) -> Failure {
    Failure::Fault(error.to_string())
}

/// Longest stable step at the start of the run, or the reason why it is unknown. Rejects a model whose step is longer.
/// The run starts at the assembled position, with values of `inputs`, or, if the model or `trim` requires it, at the
/// equilibrium near this position.
pub fn refuse_long_step(
    document: &Document,
    system: &System,
    inputs: &[(usize, f64)],
    trim: bool,
    question: AnalysisExtent,
) -> Result<Result<StepLimit, AnalysisError>, Failure> {
    let mut ws = Workspace::new(system);
    let mut state = system.initial().clone();
    let mut limit = step_map::step_limit(system, &state, &mut ws, question);
    let refusal = |limit: &Result<StepLimit, AnalysisError>| {
        limit.as_ref().ok().and_then(|limit| limit.refusal(document, system))
    };
    if refusal(&limit).is_some() && (trim || document.model.experiment.trim) {
        inputs.iter().for_each(|&(index, value)| state.inputs[index] = value);
        match simulate::trimmed(system, &state, &mut ws) {
            Ok((trimmed, _)) => limit = step_map::step_limit(system, &trimmed, &mut ws, question),
            // The run reports this error at its start.
            Err(error) => return Ok(Err(error)),
        }
    }
    match refusal(&limit) {
        Some(refusal) => Err(Failure::Input(Diagnostics(vec![refusal]))),
        None => Ok(limit),
    }
}

/// A compiled model with the values of its inputs.
pub struct Operating {
    /// The file.
    pub document: Document,
    system: Arc<System>,
    inputs: Vec<(usize, f64)>,
    start: f64,
    trim: bool,
}

impl Operating {
    /// Reads and compiles a model; `set`: parameters and inputs.
    pub fn resolve(path: &Path, set: &[Assignment], trim: bool) -> Result<Operating, Failure> {
        Operating::new(model::open(path)?, set, trim)
    }

    /// Compiles a model; `set`: parameters and inputs.
    pub fn new(document: Document, set: &[Assignment], trim: bool) -> Result<Operating, Failure> {
        let model::Compiled { system, inputs } = model::compile(&document, set, true)?;
        let start = document.model.experiment.start;
        Ok(Operating { document, system: Arc::new(system), inputs, start, trim })
    }

    /// A simulator at the operating point, and the equilibrium if it was requested.
    pub fn start(&self) -> Result<(Simulator, Option<Equilibrium>), Failure> {
        let mut simulator = Simulator::new(self.system.clone());
        for &(index, value) in &self.inputs {
            simulator.set_input(index, value);
        }
        let begun = simulator.initialize(self.start);
        begun.map_err(|fault| Failure::Fault(simulator.describe(&fault)))?;
        let found = if self.trim { Some(simulator.trim().map_err(failure)?) } else { None };
        Ok((simulator, found))
    }
}

/// The equilibrium in the JSON.
#[derive(Serialize)]
pub struct EquilibriumReport {
    iterations: usize,
    /// In J.
    potential_energy: f64,
    unstable_directions: usize,
    /// All joint positions, in rad or m.
    coordinates: BTreeMap<String, f64>,
    /// Along the independent coordinates, in N m or N.
    forces_left: BTreeMap<String, f64>,
    driving: Option<SteadyDriving>,
}

impl EquilibriumReport {
    /// The present equilibrium of `simulator`.
    pub fn new(simulator: &Simulator, found: &Equilibrium) -> EquilibriumReport {
        EquilibriumReport {
            iterations: found.iterations,
            potential_energy: found.energy,
            unstable_directions: found.unstable,
            coordinates: positions(simulator.system(), simulator.state()).into_iter().collect(),
            forces_left: found.forces.iter().cloned().collect(),
            driving: found.driving.as_ref().map(SteadyDriving::from),
        }
    }
}

/// Steady driving in `check --json`.
#[derive(Serialize)]
pub struct SteadyDriving {
    speed_m_s: f64,
    turning_rad_s: f64,
    torque_nm: Option<f64>,
    held_n: f64,
    target_m_s: Option<f64>,
    weight_turns: bool,
}

impl From<&Driving> for SteadyDriving {
    fn from(driving: &Driving) -> SteadyDriving {
        SteadyDriving {
            speed_m_s: driving.speed,
            turning_rad_s: driving.turning,
            torque_nm: driving.torque,
            held_n: driving.held,
            target_m_s: driving.target,
            weight_turns: driving.weight_turns,
        }
    }
}
