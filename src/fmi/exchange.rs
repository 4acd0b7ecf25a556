//! Model Exchange: what the importer's integrator asks of an instance.
//!
//! States and derivatives are those of [`crate::simulate::continuous`], which says what they are and how loops are kept
//! closed.
//!
//! **Modes.** After the initialization an instance is in event mode, and in continuous-time mode when the importer has
//! said so. There are no discrete states, no event indicators and no time events: fmi2NewDiscreteStates finds nothing
//! to do, and fmi2CompletedIntegratorStep asks for no event. States and nominals are never changed by the instance.
//!
//! **Time.** fmi2SetTime may go back, as integrators do that try a step again. Nothing is refused beyond the stop time,
//! since integrators look ahead of it.
//!
//! **Values** follow time, states, inputs and parameters at once: what is read is evaluated where something has changed
//! since. Derivatives are not those of the outputs' evaluation; each is one evaluation of the solver. Nothing
//! allocates.
//!
//! **Faults** of an evaluation discard the call, so that the integrator can take a shorter step: the loop cannot be
//! closed there, or a number is not finite. A state that is not finite discards fmi2SetContinuousStates. A NaN input is
//! an error, and so is a fault in fmi2CompletedIntegratorStep, after which there is nothing to go back to. In the hold
//! mode ([`super::hold`]) the first of all these begins the hold instead: derivatives are zero, outputs stay.
//!
//! **Completed steps.** The importer must say when it has accepted a step (`completedIntegratorStepNotNeeded` is
//! false): turns of angles are counted, the choice of coordinates is looked at, and the run is judged there.

use super::hold::Cause;
use super::instance::Instance;
use super::states::{Kind, State};
use super::status::Problem;
use crate::simulate::continuous::Completed;
use crate::system::Fault;

impl Instance {
    /// Number of continuous states.
    pub(crate) fn number_of_states(&self) -> usize {
        self.derivatives.values.len()
    }

    /// fmi2EnterEventMode
    pub(crate) fn enter_event_mode(&mut self) {
        self.memory.state = State::EventMode;
    }

    /// fmi2EnterContinuousTimeMode
    pub(crate) fn enter_continuous_time(&mut self) {
        self.memory.state = State::ContinuousTime;
    }

    /// What follows from time, states, inputs and parameters is old: in Co-Simulation outputs are those of the last
    /// step all the same.
    pub(super) fn settings_changed(&mut self) {
        self.derivatives.known = false;
        if self.kind == Kind::ModelExchange {
            self.memory.outputs_known = false;
        }
    }

    /// fmi2SetTime
    pub(crate) fn set_time(&mut self, time: f64) -> Result<(), Problem> {
        if !time.is_finite() {
            return Err(Problem::error(format!("time {time} is not finite")));
        }
        if self.is_held() {
            self.memory.held = Some(time);
        } else if time.to_bits() != self.simulator.time().to_bits() {
            self.simulator.set_time(time);
            self.settings_changed();
        }
        Ok(())
    }

    /// fmi2SetContinuousStates
    pub(crate) fn set_continuous_states(&mut self, x: &[f64]) -> Result<(), Problem> {
        self.check_states(x.len())?;
        match self.simulator.set_continuous_states(x) {
            Ok(()) => {
                self.settings_changed();
                Ok(())
            }
            Err(_) if self.is_held() => Ok(()),
            Err(index) if self.hold(Cause::State(index), self.time()) => Ok(()),
            Err(index) => {
                let name = &self.simulator.system().interface().states[index].name;
                Err(Problem::discard(format!("'{name}' is {}", x[index])))
            }
        }
    }

    /// fmi2GetContinuousStates: as they were set.
    pub(crate) fn continuous_states(&mut self, x: &mut [f64]) -> Result<(), Problem> {
        self.check_states(x.len())?;
        if self.memory.state == State::Initialization {
            self.require_outputs()?;
        }
        self.simulator.continuous_states(x);
        Ok(())
    }

    /// fmi2GetDerivatives
    pub(crate) fn calc_derivatives(&mut self, derivatives: &mut [f64]) -> Result<(), Problem> {
        self.check_states(derivatives.len())?;
        if self.memory.state == State::Initialization {
            self.require_outputs()?;
        }
        self.require_derivatives()?;
        derivatives.copy_from_slice(&self.derivatives.values);
        Ok(())
    }

    /// fmi2GetNominalsOfContinuousStates
    pub(crate) fn nominals(&self, nominals: &mut [f64]) -> Result<(), Problem> {
        self.check_states(nominals.len())?;
        for (nominal, info) in nominals.iter_mut().zip(&self.simulator.system().interface().states) {
            *nominal = info.nominal;
        }
        Ok(())
    }

    /// fmi2GetEventIndicators: there are none.
    pub(crate) fn check_event_indicators(&self, count: usize) -> Result<(), Problem> {
        match count {
            0 => Ok(()),
            _ => Err(Problem::error(format!("this FMU has no event indicators, not {count}"))),
        }
    }

    /// fmi2CompletedIntegratorStep
    pub(crate) fn complete_integrator_step(&mut self) -> Result<(), Problem> {
        if self.is_held_with_inputs() {
            return Ok(());
        }
        self.check_inputs()?;
        let elapsed = self.simulator.time() - self.memory.completed;
        // The choice of coordinates may change.
        self.settings_changed();
        let fresh = &mut self.scratch.derivatives;
        let completed = match self.simulator.complete_step(elapsed, fresh) {
            Err(fault) if self.hold(Cause::Fault(fault), self.time()) => return Ok(()),
            completed => completed.map_err(|fault| self.fault(fault))?,
        };
        match completed {
            Completed::TurnedTooFar { body, .. } if self.hold(Cause::Turned(body), self.time()) => Ok(()),
            Completed::Done => {
                self.memory.outputs.copy_from_slice(&self.scratch.derivatives);
                self.memory.outputs_known = true;
                self.memory.completed = self.simulator.time();
                Ok(())
            }
            Completed::TurnedTooFar { body, turn } => Err(Problem::error(format!(
                "'{}' may have turned by {turn:.1} rad in the integrator step of {elapsed} s, too far to count the \
                 turns of its \
                 angles, which are outputs; give the integrator a longest step",
                self.simulator.system().bodies[body].name
            ))),
        }
    }

    /// Outputs at the present time, states and inputs.
    pub(super) fn require_present_outputs(&mut self) -> Result<(), Problem> {
        if self.kind == Kind::CoSimulation || self.memory.outputs_known || self.is_held_with_inputs() {
            return Ok(());
        }
        self.check_inputs()?;
        let fresh = &mut self.scratch.derivatives;
        match self.simulator.continuous_outputs(fresh) {
            Err(fault) if self.hold(Cause::Fault(fault), self.time()) => return Ok(()),
            evaluated => evaluated.map_err(|fault| self.not_evaluated(fault))?,
        }
        self.memory.outputs.copy_from_slice(&self.scratch.derivatives);
        self.memory.outputs_known = true;
        Ok(())
    }

    /// Derivatives at the present time, states and inputs.
    pub(super) fn require_derivatives(&mut self) -> Result<(), Problem> {
        if self.derivatives.known {
            return Ok(());
        }
        if !self.is_held_with_inputs() {
            self.check_inputs()?;
            match self.simulator.derivatives(&mut self.derivatives.values) {
                Err(fault) if self.hold(Cause::Fault(fault), self.time()) => (),
                evaluated => evaluated.map_err(|fault| self.not_evaluated(fault))?,
            }
        }
        if self.is_held() {
            self.derivatives.values.fill(0.0);
        }
        self.derivatives.known = true;
        Ok(())
    }

    fn not_evaluated(&self, fault: Fault) -> Problem {
        let problem = self.fault(fault);
        match fault {
            Fault::BadInput { .. } | Fault::BadTime { .. } => problem,
            _ => Problem::discard(problem.message),
        }
    }

    fn check_states(&self, count: usize) -> Result<(), Problem> {
        match count == self.number_of_states() {
            true => Ok(()),
            false => {
                Err(Problem::error(format!("this FMU has {} continuous states, not {count}", self.number_of_states())))
            }
        }
    }
}
