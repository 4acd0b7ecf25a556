//! `Simulator`: one running instance of a system. The command line and the FMU step through the same functions.

#![cfg_attr(not(test), deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod bending;
pub mod continuous;
pub mod derivatives;
pub mod driving;
mod judgement;
pub mod left_out;
pub mod passing;
pub mod sensitivity;
pub mod spinning;

pub use judgement::{EnergyCause, Finding, Judgement, MAX_HALVINGS};

use std::sync::Arc;

use crate::analysis::equilibrium::{self, Equilibrium};
use crate::analysis::linearize::{self, Linearization};
use crate::analysis::operating_point::AnalysisError;
use crate::analysis::steady;
use crate::analysis::step_derivatives::{self, StepDerivatives, StepMethod};
use crate::assembly;
use crate::dynamics::{load_stage, observe, prepare_stage, residual_modes, start_values};
use crate::integrate::{self, Part};
use crate::system::{Fault, Figure, Readout, ScalarKind, State, System, Workspace};

/// Largest number of internal steps of one communication step: minutes to hours of computing time. A larger number is a
/// mistyped time.
pub(crate) const MAX_STEPS: f64 = 1e8;
/// Remainders of a communication step below this fraction of the internal step are absorbed.
const REMAINDER_TOLERANCE: f64 = 1e-9;
/// Whole internal steps are lengthened by up to this fraction if that saves a step for the remainder: clocks of hosts
/// are rounded.
const MAX_STRETCH: f64 = 1e-6;
/// Time interval of central differences along the motion, relative to the internal step.
const TIME_DIFFERENCE: f64 = 1e-2;

/// The remaining internal steps of a communication step.
#[derive(Clone, Copy, Debug)]
pub struct InternalSteps {
    /// Start and end time, s.
    start: f64,
    end: f64,
    /// Length of a whole step, s.
    h: f64,
    /// Number of whole steps, and number of completed steps.
    full: f64,
    done: f64,
    /// Length of the last, shorter step, s; 0 if there is none or it is already made.
    rest: f64,
    /// Whether the present step was begun and ended early, by [`Simulator::make_step_until`].
    cut: bool,
    /// Whether a completed step passed a singular position.
    singular: bool,
}

impl InternalSteps {
    /// End of the next step, s; `None` if all were made.
    pub fn next_end(&self) -> Option<f64> {
        let last = match self.rest > 0.0 {
            true => self.done == self.full,
            false => self.done + 1.0 >= self.full,
        };
        let left = self.done < self.full || self.rest > 0.0;
        left.then_some(if last { self.end } else { self.start + (self.done + 1.0) * self.h })
    }
}

/// A system, its state and its scratch memory. Allocates when built, never afterwards.
pub struct Simulator {
    system: Arc<System>,
    state: State,
    workspace: Workspace,
    /// State to differentiate around.
    probe: State,
    /// Outputs on both sides of a difference.
    sides: [Vec<f64>; 2],
    /// The reason why the last start could not be trimmed.
    not_trimmed: Option<AnalysisError>,
    /// Figures of the run; not part of the state, because the motion does not depend on them.
    judgement: Judgement,
    /// Data of the system for the judgement.
    fixed: judgement::Fixed,
    /// Outputs that return its figures.
    figures: Vec<(usize, Figure)>,
    /// Memory for derivatives, once they are requested.
    directions: Option<Box<derivatives::Directions>>,
}

impl Simulator {
    /// A simulator in the assembled start state of `system`, inputs at their start values.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "before the first step")]
    pub fn new(system: Arc<System>) -> Simulator {
        let state = system.initial.clone();
        let workspace = Workspace::new(&system);
        let outputs = vec![0.0; system.outputs.len()];
        let figure = |(index, output): (usize, &crate::system::Output)| match output.readout {
            Readout::Run(figure) => Some((index, figure)),
            _ => None,
        };
        Simulator {
            probe: state.clone(),
            state,
            workspace,
            sides: [outputs.clone(), outputs],
            judgement: Judgement::new(),
            fixed: judgement::Fixed::new(&system),
            figures: system.outputs.iter().enumerate().filter_map(figure).collect(),
            system,
            not_trimmed: None,
            directions: None,
        }
    }

    /// As a new simulator of the system.
    pub fn restart(&mut self) {
        let system = self.system.clone();
        self.set_state(&system.initial);
        self.probe.clone_from(&system.initial);
        self.workspace.fill(0.0);
        self.judgement = Judgement::new();
        self.not_trimmed = None;
    }

    /// The system.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Present time in s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Resets to the assembled initial position at `start_time`, with the present inputs and parameters; trimmed if the
    /// model requests it. Energy integrals start at zero. May allocate: it belongs to the initialization.
    pub fn initialize(&mut self, start_time: f64) -> Result<(), Fault> {
        if let Some(input) = self.state.inputs.iter().position(|value| !value.is_finite()) {
            return Err(Fault::BadInput { input: input as u32, time: start_time });
        }
        assembly::initialize(&self.system, &mut self.state, &mut self.workspace, start_time)?;
        self.judgement = Judgement::new();
        if self.system.trim {
            let trimmed = self.trim();
            if let Err(error) = trimmed {
                let fault = self.not_trimmed(&error);
                self.not_trimmed = Some(error);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// The fault of a start that should have been trimmed.
    fn not_trimmed(&self, error: &AnalysisError) -> Fault {
        let error = match error {
            AnalysisError::Steady { left, .. } => left,
            _ => error,
        };
        let (name, left) = match error {
            AnalysisError::Unsupported { coordinate, force, .. }
            | AnalysisError::NotFound { coordinate, force, .. } => (coordinate.as_str(), *force),
            _ => ("", f64::NAN),
        };
        let coordinate = (0..self.system.nv).find(|&v| self.system.coordinate_name(v) == name).map(|v| v as u32);
        Fault::NotTrimmed { coordinate, left, time: self.state.time }
    }

    /// A fault of this simulator in words; for a start that could not be trimmed, with the cause.
    #[expect(clippy::disallowed_macros, reason = "texts, between steps")]
    pub fn describe(&self, fault: &Fault) -> String {
        match (fault, &self.not_trimmed) {
            (Fault::NotTrimmed { time, .. }, Some(error)) => {
                format!("the start at t = {time} s was not trimmed: {error}")
            }
            _ => self.system.describe(fault),
        }
    }

    /// Sets input `index` from now on, with slope zero.
    pub fn set_input(&mut self, index: usize, value: f64) {
        self.state.inputs[index] = value;
        self.state.input_slopes[index] = 0.0;
        self.state.input_times[index] = self.state.time;
    }

    /// Present value of input `index`.
    pub fn input(&self, index: usize) -> f64 {
        let elapsed = self.state.time - self.state.input_times[index];
        self.state.inputs[index] + self.state.input_slopes[index] * elapsed
    }

    /// Slope of input `index` per s from the present time on, until the next [`Simulator::set_input`] of it.
    pub fn set_input_derivative(&mut self, index: usize, slope: f64) {
        self.state.inputs[index] = self.input(index);
        self.state.input_slopes[index] = slope;
        self.state.input_times[index] = self.state.time;
    }

    /// Sets tunable parameter `index` (index into `interface().parameters`).
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        if self.state.parameters[index].to_bits() != value.to_bits() {
            self.judgement.disturb();
        }
        self.state.parameters[index] = value;
    }

    /// Present value of parameter `index`.
    pub fn parameter(&self, index: usize) -> f64 {
        self.state.parameters[index]
    }

    /// Integrates to exactly `end` (s) with internal steps, the last one shortened; a remainder below 1e-9 of the step
    /// is absorbed, and one below 1e-6 of the interval is distributed over the steps. With the augmented Lagrangian all
    /// steps are equal instead: it computes accelerations from positions, so their round-off grows as 1 / h². More than
    /// [`MAX_STEPS`] steps are rejected before the first. On a fault the state remains at the last good internal step.
    pub fn advance(&mut self, end: f64) -> Result<(), Fault> {
        let mut steps = self.internal_steps(end)?;
        while self.make_internal_step(&mut steps)? {}
        Ok(())
    }

    /// The internal steps of [`Simulator::advance`] to `end` (s), to be made in turn by
    /// [`Simulator::make_internal_step`]. The state is unchanged.
    pub fn internal_steps(&self, end: f64) -> Result<InternalSteps, Fault> {
        let (start, mut h) = (self.state.time, self.system.step);
        let span = end - start;
        if !(span >= 0.0) || !span.is_finite() {
            return Err(Fault::BadTime { asked: end, time: start });
        }
        self.check_inputs(end)?;
        let mut full = (span / h + REMAINDER_TOLERANCE).floor();
        if self.system.integrator.scheme().index_3 && span > REMAINDER_TOLERANCE * h {
            full = (span / h - REMAINDER_TOLERANCE).ceil();
            h = span / full;
        } else if span - full * h > REMAINDER_TOLERANCE * h && span - full * h <= MAX_STRETCH * full * h {
            h = span / full;
        }
        if full > MAX_STEPS {
            return Err(Fault::TooManySteps { steps: full, time: start });
        }
        let rest = span - full * h;
        let rest = if rest > REMAINDER_TOLERANCE * h { rest } else { 0.0 };
        Ok(InternalSteps { start, end, h, full, rest, done: 0.0, cut: false, singular: false })
    }

    /// Makes the next of these steps. If none remains, it sets the time to their end and returns `false`. Between two
    /// of them the simulator may only be read, not changed. On a fault the state remains at the last good internal
    /// step.
    pub fn make_internal_step(&mut self, steps: &mut InternalSteps) -> Result<bool, Fault> {
        self.make_watched_step(steps, f64::INFINITY, &mut |_, _| {})
    }

    /// As above, but the step ends at `until`, s, if that is before its end; the next step continues to the original
    /// end. Inputs may be set between these steps.
    pub fn make_step_until(&mut self, steps: &mut InternalSteps, until: f64) -> Result<bool, Fault> {
        self.check_inputs(until.min(steps.end))?;
        self.make_watched_step(steps, until, &mut |_, _| {})
    }

    /// As above; `watch` receives the parts of the step.
    fn make_watched_step(
        &mut self,
        steps: &mut InternalSteps,
        until: f64,
        watch: &mut dyn FnMut(&State, Part),
    ) -> Result<bool, Fault> {
        // After the last internal step only the end time remains.
        let Some(end) = steps.next_end() else {
            self.state.time = steps.end;
            return Ok(false);
        };
        if !(until > self.state.time) {
            return Err(Fault::BadTime { asked: until, time: self.state.time });
        }
        // A step that ends early at `until` is continued by the next call.
        let ends_early = until < end;
        let length = match steps.cut || ends_early {
            true => until.min(end) - self.state.time,
            false if steps.done < steps.full => steps.h,
            false => steps.rest,
        };
        self.step(length, &mut steps.singular, watch)?;
        steps.cut = ends_early;
        self.state.time = if ends_early { until } else { end };
        // The step is counted only when its end is reached.
        if ends_early {
            return Ok(true);
        }
        match steps.done < steps.full {
            true => steps.done += 1.0,
            false => steps.rest = 0.0,
        }
        Ok(true)
    }

    /// One internal step. `singular`: whether a step of the communication step passed a singular position.
    fn step(&mut self, h: f64, singular: &mut bool, watch: &mut dyn FnMut(&State, Part)) -> Result<(), Fault> {
        self.workspace.events.near_singular = false;
        let done = integrate::watched_step(&self.system, &mut self.state, &mut self.workspace, h, watch);
        *singular |= self.workspace.events.near_singular;
        self.state.near_singular = u32::from(*singular);
        done?;
        self.judgement.count_step(&self.system, &self.state, &self.workspace);
        Ok(())
    }

    fn check_inputs(&self, end: f64) -> Result<(), Fault> {
        let state = &self.state;
        for index in 0..state.inputs.len() {
            let last = state.inputs[index] + state.input_slopes[index] * (end - state.input_times[index]);
            if !state.inputs[index].is_finite() || !last.is_finite() {
                return Err(Fault::BadInput { input: index as u32, time: state.time });
            }
        }
        Ok(())
    }

    /// Writes all outputs at the present state and inputs; `out` has `interface().outputs.len()` entries. The run is
    /// judged at this point. An output that is not a finite number is a fault.
    pub fn outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        self.check_inputs(self.state.time)?;
        let summary = observe::calc_outputs(&self.system, &self.state, &mut self.workspace, out)?;
        self.judgement.take(&self.system, (&self.state, &self.workspace, &summary), &mut self.fixed);
        for &(index, figure) in &self.figures {
            out[index] = self.judgement.figure(figure, &self.system);
        }
        match out.iter().position(|value| !value.is_finite()) {
            Some(output) => Err(Fault::OutputNotFinite { output: output as u32, time: self.state.time }),
            None => Ok(()),
        }
    }

    /// As [`Simulator::outputs`], but the call is not recorded: figures of the run include the output points so far and
    /// this one, and the next output point ignores this one.
    pub fn intermediate_outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        let judgement = self.judgement;
        let done = self.outputs(out);
        self.judgement = judgement;
        done
    }

    /// The judgement of the run up to the last output point.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// Restores the quality figures of a run, which belong to the restored state.
    pub fn set_judgement(&mut self, judgement: &Judgement) {
        self.judgement = *judgement;
    }

    /// First time derivatives of all outputs along the motion, by central differences over a hundredth of the internal
    /// step with the present rates; 0 for Integer and Boolean outputs.
    pub fn output_derivatives(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        let (system, ws, t) = (&self.system, &mut self.workspace, self.state.time);
        load_stage(system, &self.state, ws, t);
        observe::calc_stage_outputs(system, &self.state, ws, t, &mut self.sides[0])?;
        // The rates are kept in the probe, because the evaluations on both sides overwrite them.
        let rates = &mut self.probe;
        rates.q.copy_from_slice(&ws.rates.q);
        rates.v.copy_from_slice(&ws.rates.v);
        rates.auxiliary.copy_from_slice(&ws.rates.auxiliary);
        let ahead = TIME_DIFFERENCE * system.step;
        for (change, side) in [ahead, -ahead].into_iter().zip(&mut self.sides) {
            load_stage(system, &self.state, ws, t);
            for (stage, rates) in
                [(&mut ws.stage.q, &rates.q), (&mut ws.stage.v, &rates.v), (&mut ws.stage.auxiliary, &rates.auxiliary)]
            {
                stage.iter_mut().zip(rates).for_each(|(value, rate)| *value += change * rate);
            }
            prepare_stage(system, &self.state, ws, t + change);
            observe::calc_stage_outputs(system, &self.state, ws, t + change, side)?;
        }
        for (index, value) in out.iter_mut().enumerate() {
            *value = match system.interface.outputs[index].kind {
                ScalarKind::Real => (self.sides[0][index] - self.sides[1][index]) / (2.0 * ahead),
                _ => 0.0,
            };
        }
        Ok(())
    }

    /// Replaces the state by a static equilibrium near it: all speeds zero, driven coordinates and inputs unchanged;
    /// for a vehicle on tyres, by steady driving at its present speed ([`steady`]). On an error the state is unchanged.
    /// Allocates: it belongs to the preparation.
    pub fn trim(&mut self) -> Result<Equilibrium, AnalysisError> {
        let (state, found) = trimmed(&self.system, &self.state, &mut self.workspace)?;
        (self.state, self.judgement) = (state, Judgement::new());
        Ok(found)
    }

    /// A, B, C, D at the present state and inputs. Allocates.
    pub fn linearize(&mut self) -> Result<Linearization, AnalysisError> {
        linearize::linearize(&self.system, &self.state, &mut self.workspace)
    }

    /// Derivatives of what the internal steps of a communication step of `length` s compute from the present state and
    /// inputs; nothing moves. Allocates.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "derivatives, between steps")]
    pub fn step_derivatives(&mut self, length: f64, way: StepMethod) -> Result<StepDerivatives, AnalysisError> {
        let steps = self.internal_steps(self.state.time + length);
        let steps = steps.map_err(|fault| AnalysisError::Fault(self.system.describe(&fault)))?;
        let mut lengths = vec![steps.h; steps.full as usize];
        lengths.extend((steps.rest > 0.0).then_some(steps.rest));
        step_derivatives::step_derivatives(&self.system, &self.state, &mut self.workspace, &lengths, way)
    }

    /// Sets positions (index of q, and value in rad or m) and speeds (velocity coordinate, and rad/s or m/s) at the
    /// present time. The other coordinates change as little as the loops allow; driven coordinates follow their
    /// prescribed motions. Stored accelerations of an implicit scheme are reset; states of elements and filters, and
    /// energies, are kept. On a fault the state is unchanged. Allocates: it belongs to the preparation.
    pub fn place(&mut self, positions: &[(usize, f64)], speeds: &[(usize, f64)]) -> Result<(), Fault> {
        self.probe.clone_from(&self.state);
        assembly::place(&self.system, &mut self.probe, &mut self.workspace, positions, speeds)?;
        self.state.clone_from(&self.probe);
        self.judgement = Judgement::new();
        Ok(())
    }

    /// The state, to copy (`clone_from` does not allocate between states of one system).
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Restores a state of the same system.
    pub fn set_state(&mut self, state: &State) {
        self.state.clone_from(state);
    }

    /// Restores a state from the bytes of [`State::to_bytes`]; `false`, with the state unchanged, if they do not fit
    /// the system.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> bool {
        self.state.copy_from_bytes(bytes, &self.system)
    }

    /// Fills the scratch memory with NaN, and discards evaluated values: results must not change.
    pub fn poison_workspace(&mut self) {
        self.workspace.fill(f64::NAN);
    }

    /// Fills the scratch memory with NaN, except the evaluation of the last outputs, which the next step may reuse:
    /// results must not change.
    pub fn poison_scratch(&mut self) {
        self.workspace.fill_scratch(f64::NAN);
    }

    /// Whether the next step reuses the evaluation that was made for the outputs of the present state.
    pub fn knows_first_stage(&self) -> bool {
        self.workspace.knows_first_stage(&self.state)
    }
}

/// The static equilibrium or steady driving near `state`, see [`Simulator::trim`]. Allocates.
pub fn trimmed(system: &System, state: &State, ws: &mut Workspace) -> Result<(State, Equilibrium), AnalysisError> {
    let find = match steady::has_tyres(system) {
        true => steady::find,
        false => equilibrium::find,
    };
    let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
    let (mut state, mut found) = find(system, state, ws)?;
    if system.flexible.iter().any(|body| body.residual > 0) {
        // Residual modes deflect under the load of the equilibrium, so the equilibrium is computed again.
        residual_modes::find_equilibrium(system, &mut state, ws).map_err(fault)?;
        (state, found) = find(system, &state, ws)?;
    }
    start_values::begin(system, &mut state, ws).map_err(fault)?;
    observe::settle_filters(system, &mut state, ws).map_err(fault)?;
    Ok((state, found))
}
