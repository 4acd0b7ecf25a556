//! Model Exchange: the functions that the importer's integrator calls.
//!
//! [`crate::simulate::continuous`] defines the states and derivatives, and how loops are kept closed.
//!
//! **Modes.** After the initialization an instance is in event mode; it enters continuous-time mode when the importer
//! requests it. There are no discrete states, no event indicators and no time events: fmi2NewDiscreteStates changes
//! nothing, and fmi2CompletedIntegratorStep requests no event. The instance never changes states and nominals.
//!
//! **Time.** fmi2SetTime may go back, because integrators repeat steps. Times beyond the stop time are accepted,
//! because integrators look ahead of it.
//!
//! **Values** follow time, states, inputs and parameters at once: a value is evaluated when it is read after a change.
//! Derivatives are not computed with the outputs; each is one evaluation of the solver. Nothing allocates.
//!
//! **Faults** of an evaluation (the loop cannot be closed there, or a number is not finite) discard the call, so that
//! the integrator can take a shorter step. A state that is not finite discards fmi2SetContinuousStates. A NaN input is
//! an error. A fault in fmi2CompletedIntegratorStep is an error too, because the integrator cannot go back. In the hold
//! mode ([`super::hold`]) the first of all these begins the hold instead: derivatives are zero, outputs keep their
//! values.
//!
//! **Completed steps.** The importer must report each accepted step (`completedIntegratorStepNotNeeded` is false). The
//! instance then counts turns of angles, checks the choice of coordinates, and updates the quality record of the run.

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

    /// Marks the values that follow from time, states, inputs and parameters as outdated. In Co-Simulation, outputs
    /// keep their values of the last step.
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
            _ => Err(Problem::error(format!("this FMU has no event indicators; {count} were requested"))),
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
                "'{}' may have rotated by {turn:.1} rad in the integrator step of {elapsed} s, too far to count the \
                 revolutions of its output angles; limit the integrator's step size",
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
            false => Err(Problem::error(format!(
                "this FMU has {} continuous states; {count} were requested",
                self.number_of_states()
            ))),
        }
    }
}
