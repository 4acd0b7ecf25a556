//! Intermediate update of FMI 3.0 (section 4.2.2): within fmi3DoStep, a callback informs the importer of every internal
//! step, and the importer may read outputs there.
//!
//! The callback is called after each internal step, including the last of the communication step, with its time and
//! with the flags of an accepted step: outputs may be read, no inputs are requested, the step cannot return early.
//! Meanwhile the instance is in [`State::IntermediateUpdate`](super::states::State::IntermediateUpdate), and the
//! importer may call into it from the callback.
//!
//! **Readable variables**: continuous outputs, which the description marks with `intermediateUpdate`. Of these, the
//! variables in `requiredIntermediateVariables` can be read, or all if the list is empty. Their values are the same as
//! at a communication point at that time. Two kinds keep the last communication point: figures of the run (loop gap,
//! energies, counts) cover the run up to that point and this internal step; `near_singular` is an Integer or Boolean
//! and cannot be read.
//!
//! **No side effects.** The motion, the outputs at communication points and the quality figures of the run have the
//! same bits with and without a callback, whichever variables it reads. Outputs are evaluated when the first of them is
//! read, into a separate buffer.
//!
//! **Real time.** Nothing here allocates. The time of the callback is the importer's.

use super::guard::Entry;
use super::instance::Instance;
use super::status::Problem;
use super::types::{fmi3False, fmi3InstanceEnvironment, fmi3IntermediateUpdateCallback, fmi3True};
use super::variables::{Binding, Variability, Variable};

/// The importer's request for intermediate updates.
pub(super) struct Intermediate {
    callback: fmi3IntermediateUpdateCallback,
    /// First argument of the callback, which belongs to the importer.
    environment: fmi3InstanceEnvironment,
    /// Value references that may be read, ascending.
    readable: Vec<u32>,
    /// One per output, SI.
    pub(super) outputs: Vec<f64>,
    /// They belong to the present internal step.
    pub(super) outputs_known: bool,
}

impl Intermediate {
    /// No request.
    pub(super) fn none() -> Intermediate {
        Intermediate {
            callback: None,
            environment: std::ptr::null_mut(),
            readable: Vec::new(),
            outputs: Vec::new(),
            outputs_known: false,
        }
    }
}

/// Whether a variable can be read in intermediate updates.
pub fn is_intermediate(variable: &Variable) -> bool {
    variable.binding.is_output() && variable.variability == Variability::Continuous
}

impl Instance {
    /// Stores the callback of fmi3InstantiateCoSimulation with its first argument, and the value references that it
    /// will read.
    pub(crate) fn set_intermediate_update(
        &mut self,
        callback: fmi3IntermediateUpdateCallback,
        environment: fmi3InstanceEnvironment,
        required: &[u32],
    ) -> Result<(), Problem> {
        // The importer announces the variables that it will read in the callback.
        for &reference in required {
            match super::arrays::arrays(&self.variables).find(|array| array.first.value_reference == reference) {
                Some(array) if is_intermediate(array.first) => (),
                Some(array) => {
                    return Err(Problem::error(format!(
                        "requiredIntermediateVariables names '{}' (value reference {reference}), which has no \
                         intermediateUpdate: only continuous \
                         outputs can be read within a step",
                        array.name
                    )));
                }
                None => {
                    return Err(Problem::error(format!(
                        "requiredIntermediateVariables names value reference {reference}, which does not exist in \
                         this FMU"
                    )));
                }
            }
        }
        // Without an announcement all intermediate variables can be read.
        let mut readable = required.to_vec();
        if required.is_empty() {
            let all = super::arrays::arrays(&self.variables).map(|array| array.first);
            readable.extend(all.filter(|first| is_intermediate(first)).map(|first| first.value_reference));
        }
        // The list is sorted for the search by bisection in the callback.
        readable.sort_unstable();
        let outputs = vec![0.0; self.memory.outputs.len()];
        self.intermediate = Intermediate { callback, environment, readable, outputs, outputs_known: false };
        Ok(())
    }

    /// Whether these variables can be read now, in intermediate update mode.
    pub(super) fn check_intermediate(&self, references: &[u32]) -> Result<(), Problem> {
        match references.iter().find(|reference| self.intermediate.readable.binary_search(reference).is_err()) {
            None => Ok(()),
            Some(&reference) => {
                let variable = &self.variables[reference as usize];
                let why = match is_intermediate(variable) {
                    true => "it is not in requiredIntermediateVariables",
                    false => "it is not a continuous output",
                };
                Err(Problem::error(format!(
                    "variable '{}' (value reference {reference}) cannot be read within a step: {why}",
                    variable.name
                )))
            }
        }
    }

    /// Evaluates the outputs of the present internal step, unless they are current.
    pub(super) fn require_intermediate_outputs(&mut self) -> Result<(), Problem> {
        if !self.intermediate.outputs_known {
            let fresh = &mut self.scratch.derivatives;
            if let Err(fault) = self.simulator.intermediate_outputs(fresh) {
                return Err(self.fault(fault));
            }
            self.intermediate.outputs.copy_from_slice(fresh);
            self.intermediate.outputs_known = true;
        }
        Ok(())
    }

    /// The value of a variable in intermediate update mode.
    pub(super) fn intermediate_number(&self, binding: Binding) -> f64 {
        match binding {
            Binding::Output(i) => self.intermediate.outputs[i],
            other => self.number(other),
        }
    }
}

/// fmi3DoStep: from `current` over `step`, s, with a callback after each internal step if there is one. A requested
/// early return is ignored with a warning.
pub(crate) fn do_step(entry: &mut Entry<'_>, current: f64, step: f64) -> Result<(), Problem> {
    let Some(callback) = entry.intermediate.callback else { return entry.do_step(current, step) };
    let environment = entry.intermediate.environment;
    let Some(end) = entry.begin_step(current, step)? else { return Ok(()) };
    let mut early_return = false;
    let advanced = match entry.simulator.internal_steps(end) {
        Err(fault) => Err(fault),
        Ok(mut steps) => loop {
            match entry.simulator.make_internal_step(&mut steps) {
                Ok(true) => (),
                Ok(false) => break Ok(()),
                Err(fault) => break Err(fault),
            }
            entry.intermediate.outputs_known = false;
            // The clock of the importer may be ahead by a rounding error.
            let time = entry.time().max(current);
            let (mut asked, mut at) = (fmi3False, time);
            entry.let_in(|| {
                // SAFETY: the importer warrants that the callback may be called with its environment from the thread
                // that called into the FMU, while the instance lives. Both results live during the call, and nothing of
                // the instance is borrowed.
                unsafe { callback(environment, time, fmi3False, fmi3True, fmi3True, fmi3False, &mut asked, &mut at) }
            })?;
            early_return |= asked != fmi3False;
        },
    };
    entry.end_step(advanced, end)?;
    match early_return {
        true => Err(Problem::warning(
            "the importer requested an early return, but canReturnEarly was false; the step was completed",
        )),
        false => Ok(()),
    }
}
