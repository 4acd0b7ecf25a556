//! The point at which a run begins: its start, or the equilibrium near it.

use super::failure::Failure;
use ballesta::analysis::operating_point::AnalysisError;
use ballesta::analysis::stability::StepLimit;
use ballesta::analysis::step_map::{self, Question};
use ballesta::model::{Diagnostics, Document};
use ballesta::simulate;
use ballesta::system::{System, Workspace};

/// An analysis that found nothing ends like a simulation that stopped.
pub fn failure(error: AnalysisError) -> Failure {
    Failure::Fault(error.to_string())
}

/// The longest stable step where the run begins, or why it is not known; refuses a model whose step is longer. The run begins at
/// the assembled start, with values of `inputs`, or at the equilibrium near it where the model or `trim` asks for that.
pub fn refuse_long_step(
    document: &Document,
    system: &System,
    inputs: &[(usize, f64)],
    trim: bool,
    question: Question,
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
            // The run ends with this error where it begins.
            Err(error) => return Ok(Err(error)),
        }
    }
    match refusal(&limit) {
        Some(refusal) => Err(Failure::Input(Diagnostics(vec![refusal]))),
        None => Ok(limit),
    }
}
