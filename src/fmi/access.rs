//! Reading and setting variables of an instance, and derivatives of outputs.
//!
//! Whether a variable may be set depends on its causality, its variability and the state:
//!
//! | variable | instantiated, initialization | between steps, in event mode |
//! |---|---|---|
//! | input | yes | yes, for the next step |
//! | tunable parameter | yes | yes, from the next step on |
//! | fixed parameter, also `hold_on_fault` | yes | fmi2Error; fmi2Warning if it has that value already |
//! | output, time, state, derivative | fmi2Error | fmi2Error |
//!
//! The standard does not allow inputs to be set before initialization. Importers do it, so it is accepted. A NaN input
//! is accepted here, because hosts send NaN before their first tick; the step rejects or holds it. A parameter must be
//! finite and within `min` and `max`. A call that returns fmi2Error has changed no variable.
//!
//! Inputs and parameters read back as they were set. In Co-Simulation, outputs have their values at the last
//! communication point; a derivative of a state uses the inputs that are set when it is read. In initialization mode
//! and in Model Exchange, outputs always follow the values set. In continuous-time mode only inputs may be set. States
//! are set all at once, by fmi2SetContinuousStates.

use super::hold::Cause;
use super::instance::{Instance, Scratch, Settings};
use super::states::{Kind, State};
use super::status::Problem;
use super::types::{fmi2Boolean, fmi2False, fmi2Integer, fmi2Real, fmi2True, fmi2ValueReference};
use super::variables::{Binding, Variability, Variable};
use crate::simulate::derivatives::Known;
use crate::system::ScalarKind;

/// Relative change of an initial value for a difference of initializations: the cube root of the rounding error.
const INITIAL_DIFFERENCE: f64 = 6e-6;
/// Relative change where a trim follows, which leaves residual forces of about 1e-9: the errors of the difference,
/// step² and 1e-9 / step, are then of equal size.
const TRIMMED_DIFFERENCE: f64 = 1e-3;

/// The unknown of a directional derivative.
enum Unknown {
    /// An output.
    Output(usize),
    /// The derivative of a continuous state.
    Rate(usize),
}

/// A C type in which variables are read: Real, Integer or Boolean.
pub(crate) trait Scalar {
    /// The kind of the variables that have this type.
    const KIND: ScalarKind;
    /// Converts from the number in the solver.
    fn from_number(number: f64) -> Self;
}

/// fmi2Real
impl Scalar for fmi2Real {
    const KIND: ScalarKind = ScalarKind::Real;
    fn from_number(number: f64) -> fmi2Real {
        number
    }
}

/// fmi2Integer; see [`Truth`] for fmi2Boolean, which is the same type in C.
impl Scalar for fmi2Integer {
    const KIND: ScalarKind = ScalarKind::Integer;
    fn from_number(number: f64) -> fmi2Integer {
        number as fmi2Integer
    }
}

/// fmi2Boolean as a separate type.
#[repr(transparent)]
pub(crate) struct Truth(fmi2Boolean);

impl Scalar for Truth {
    const KIND: ScalarKind = ScalarKind::Boolean;
    fn from_number(number: f64) -> Truth {
        Truth(if number != 0.0 { fmi2True } else { fmi2False })
    }
}

/// Data of an instance that are read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    outputs: bool,
    states: bool,
    derivatives: bool,
}

impl Wanted {
    /// The data that these values require.
    pub(super) fn of(bindings: impl Iterator<Item = Binding>) -> Wanted {
        let mut wanted = Wanted::default();
        for binding in bindings {
            match binding {
                Binding::Output(_) => wanted.outputs = true,
                Binding::State(_) => wanted.states = true,
                Binding::Derivative(_) => wanted.derivatives = true,
                Binding::Parameter(_) | Binding::Input(_) | Binding::Time | Binding::HoldOnFault | Binding::Fault => (),
            }
        }
        wanted
    }
}

fn kind_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Real => "Real",
        ScalarKind::Integer => "Integer",
        ScalarKind::Boolean => "Boolean",
    }
}

impl Instance {
    /// The variable with this value reference, if it is of this kind.
    pub(super) fn variable(&self, reference: fmi2ValueReference, kind: ScalarKind) -> Result<&Variable, Problem> {
        match self.variables.get(reference as usize) {
            Some(variable) if variable.kind == kind => Ok(variable),
            Some(variable) => Err(Problem::error(format!(
                "variable '{}' (value reference {reference}) is {}, not {}",
                variable.name,
                kind_name(variable.kind),
                kind_name(kind)
            ))),
            None => Err(Problem::error(format!(
                "value reference {reference} does not exist; this FMU has {} variables, counted from 0",
                self.variables.len()
            ))),
        }
    }

    /// fmi2GetReal, fmi2GetInteger, fmi2GetBoolean
    pub(crate) fn get<T: Scalar>(
        &mut self,
        references: &[fmi2ValueReference],
        values: &mut [T],
    ) -> Result<(), Problem> {
        for &reference in references {
            self.variable(reference, T::KIND)?;
        }
        let bindings = references.iter().map(|&reference| self.variables[reference as usize].binding);
        let wanted = Wanted::of(bindings);
        self.require(wanted)?;
        for (&reference, value) in references.iter().zip(values) {
            *value = T::from_number(self.number(self.variables[reference as usize].binding));
        }
        Ok(())
    }

    /// The number at a position, unconverted.
    pub(super) fn number(&self, binding: Binding) -> f64 {
        match binding {
            Binding::Parameter(i) => self.memory.settings.parameters[i],
            Binding::Input(i) => self.memory.settings.inputs[i],
            Binding::Output(i) => self.memory.outputs[i],
            Binding::Time => self.time(),
            Binding::State(i) => {
                let system = self.simulator.system();
                self.simulator.continuous_state(system.interface().states[i].place)
            }
            Binding::Derivative(i) => self.derivatives.values[i],
            Binding::HoldOnFault => f64::from(u8::from(self.memory.hold_on_fault)),
            Binding::Fault => f64::from(u8::from(self.has_fault())),
        }
    }

    /// Computes the values to be read, unless they are current.
    pub(super) fn require(&mut self, wanted: Wanted) -> Result<(), Problem> {
        let Wanted { outputs, states, derivatives } = wanted;
        match self.memory.state {
            State::Initialization if outputs || states || derivatives => self.require_outputs()?,
            State::EventMode | State::ContinuousTime | State::Terminated if outputs => {
                self.require_present_outputs()?
            }
            State::IntermediateUpdate if outputs => self.require_intermediate_outputs()?,
            _ => (),
        }
        if derivatives { self.require_derivatives() } else { Ok(()) }
    }

    /// Present time in s: of the solver, before initialization the start time, in a hold the importer's.
    pub(crate) fn time(&self) -> f64 {
        match self.memory.experiment {
            Some(experiment) if !self.memory.initialized => experiment.start,
            _ => self.memory.held.unwrap_or(self.simulator.time()),
        }
    }

    /// fmi2SetReal
    pub(crate) fn set_real(&mut self, references: &[fmi2ValueReference], values: &[fmi2Real]) -> Result<(), Problem> {
        let mut remark = Ok(());
        for (&reference, &value) in references.iter().zip(values) {
            remark = remark.and(self.check_set(reference, value)?);
        }
        for (&reference, &value) in references.iter().zip(values) {
            match self.variables[reference as usize].binding {
                Binding::Parameter(i) => self.set_parameter(i, value),
                Binding::Input(i) => self.set_input(i, value),
                _ => unreachable!("refused by check_set"),
            }
        }
        remark
    }

    /// Outer error: the variable may not be set to `value` now. Inner: it may, with a warning.
    fn check_set(&self, reference: fmi2ValueReference, value: f64) -> Result<Result<(), Problem>, Problem> {
        // Inputs can always be set; other variables only if they are parameters.
        let variable = self.variable(reference, ScalarKind::Real)?;
        let name = &variable.name;
        let index = match variable.binding {
            Binding::Input(_) => return Ok(Ok(())),
            Binding::Parameter(index) if variable.variability != Variability::Constant => index,
            Binding::Parameter(_) => {
                return Err(Problem::error(format!(
                    "'{name}' cannot be set: it is constant in an FMU with C sources; export another FMU with its new value"
                )));
            }
            _ => {
                let causality = variable.causality.as_str();
                return Err(Problem::error(format!("'{name}' cannot be set: its causality is {causality}")));
            }
        };
        // The value must be within the range of the model description.
        if !self.simulator.system().interface().parameters[index].admits(value) {
            let (min, max) = (variable.min.unwrap_or(f64::NEG_INFINITY), variable.max.unwrap_or(f64::INFINITY));
            return Err(Problem::error(format!(
                "parameter '{name}' cannot be {value}; the value must be finite and from {min} to {max}"
            )));
        }
        // FMI 2.0 allows tunable parameters in Model Exchange only in event mode.
        if variable.variability == Variability::Tunable && self.memory.state == State::ContinuousTime {
            return Err(Problem::error(format!(
                "tunable parameter '{name}' can only be set in event mode, not between events"
            )));
        }
        // Fixed parameters can be set until initialization; the same value again is harmless.
        if variable.variability == Variability::Fixed && self.memory.state.is_initialized() {
            if self.memory.settings.parameters[index] == value {
                return Ok(Err(Problem::warning(format!(
                    "fixed parameter '{name}' was set after initialization, to the value that it already has"
                ))));
            }
            return Err(Problem::error(format!(
                "fixed parameter '{name}' cannot be set after the initialization mode"
            )));
        }
        Ok(Ok(()))
    }

    fn set_parameter(&mut self, index: usize, value: f64) {
        let same = self.memory.settings.parameters[index].to_bits() == value.to_bits();
        self.memory.settings.parameters[index] = value;
        if !self.memory.state.is_initialized() {
            self.memory.initialized &= same;
        } else if self.simulator.system().interface().parameters[index].tunable {
            self.simulator.set_parameter(index, value);
            self.settings_changed();
        }
    }

    fn set_input(&mut self, index: usize, value: f64) {
        let same = self.memory.settings.inputs[index].to_bits() == value.to_bits();
        self.memory.settings.inputs[index] = value;
        if !self.memory.state.is_initialized() {
            self.memory.initialized &= same;
            return;
        }
        self.simulator.set_input(index, value);
        self.settings_changed();
        // Value and slope may arrive in either order; the solver treats a new value as a constant.
        let slope = self.memory.settings.slopes[index];
        if slope != 0.0 {
            self.simulator.set_input_derivative(index, slope);
        }
    }

    /// fmi2SetInteger, fmi2SetString: there are no such inputs and parameters.
    pub(crate) fn set_none(&self, references: &[fmi2ValueReference], kind: &str) -> Result<(), Problem> {
        match references.first() {
            None => Ok(()),
            Some(reference) => Err(Problem::error(format!(
                "value reference {reference} cannot be set: this FMU has no {kind} inputs or parameters"
            ))),
        }
    }

    /// fmi2GetString: there are no such variables.
    pub(crate) fn get_no_strings(&self, references: &[fmi2ValueReference]) -> Result<(), Problem> {
        match references.first() {
            None => Ok(()),
            Some(reference) => {
                Err(Problem::error(format!("value reference {reference}: this FMU has no String variables")))
            }
        }
    }

    /// fmi2SetRealInputDerivatives: slope per s of inputs from the next communication point on; order 1 only. A slope
    /// is valid until its input is set without one.
    pub(crate) fn set_input_derivatives(
        &mut self,
        references: &[fmi2ValueReference],
        orders: &[fmi2Integer],
        values: &[fmi2Real],
    ) -> Result<(), Problem> {
        for (&reference, &order) in references.iter().zip(orders) {
            self.input(reference)?;
            check_order(order)?;
        }
        for (&reference, &slope) in references.iter().zip(values) {
            let index = self.input(reference)?;
            self.memory.settings.slopes[index] = slope;
            if self.memory.state == State::StepComplete {
                self.simulator.set_input_derivative(index, slope);
            } else {
                self.memory.initialized = false;
            }
        }
        Ok(())
    }

    /// fmi2GetRealOutputDerivatives: first time derivatives of Real outputs.
    pub(crate) fn output_derivatives(
        &mut self,
        references: &[fmi2ValueReference],
        orders: &[fmi2Integer],
        values: &mut [fmi2Real],
    ) -> Result<(), Problem> {
        for (&reference, &order) in references.iter().zip(orders) {
            self.output(reference)?;
            check_order(order)?;
        }
        if !references.is_empty() {
            self.calc_output_derivatives()?;
        }
        for (&reference, value) in references.iter().zip(values) {
            *value = self.derivative(reference)?;
        }
        Ok(())
    }

    /// First time derivatives of all outputs, for [`Instance::derivative`].
    pub(super) fn calc_output_derivatives(&mut self) -> Result<(), Problem> {
        if self.is_held() {
            self.scratch.derivatives.fill(0.0);
            return Ok(());
        }
        let derivatives = &mut self.scratch.derivatives;
        match self.simulator.output_derivatives(derivatives) {
            Err(fault) if self.hold(Cause::Fault(fault), self.time()) => {
                self.scratch.derivatives.fill(0.0);
                Ok(())
            }
            done => done.map_err(|fault| self.fault(fault)),
        }
    }

    /// fmi2GetDirectionalDerivative: Σ ∂unknown/∂known · seed. Between steps the knowns are inputs and, in Model
    /// Exchange, continuous states; in initialization mode inputs and parameters. Unknowns are Real outputs and,
    /// outside of initialization mode, derivatives of continuous states.
    pub(crate) fn directional_derivative(
        &mut self,
        unknowns: &[fmi2ValueReference],
        knowns: &[fmi2ValueReference],
        seed: &[fmi2Real],
        result: &mut [fmi2Real],
    ) -> Result<(), Problem> {
        for &reference in unknowns {
            self.unknown(reference)?;
        }
        self.calc_directional_derivatives(knowns, seed)?;
        for (&reference, value) in unknowns.iter().zip(result) {
            *value = self.derivative(reference)?;
        }
        Ok(())
    }

    /// Directional derivatives of all unknowns, for [`Instance::derivative`].
    pub(super) fn calc_directional_derivatives(
        &mut self,
        knowns: &[fmi2ValueReference],
        seed: &[fmi2Real],
    ) -> Result<(), Problem> {
        // In initialization mode, derivatives are with respect to start values.
        if self.memory.state == State::Initialization {
            self.scratch.rates.fill(f64::NAN);
            return self.calc_initial_derivatives(knowns, seed);
        }
        // Validate all knowns before anything is computed.
        for &reference in knowns {
            let variable = self.variable(reference, ScalarKind::Real)?;
            match (variable.binding, self.kind) {
                (Binding::Input(_), _) | (Binding::State(_), Kind::ModelExchange) => {}
                (_, Kind::ModelExchange) => {
                    return Err(Problem::error(format!("'{}' is neither an input nor a state", variable.name)));
                }
                _ => return Err(Problem::error(format!("'{}' is not an input", variable.name))),
            }
        }
        // Held outputs after a fault do not depend on anything.
        if self.is_held() {
            self.scratch.derivatives.fill(0.0);
            self.scratch.rates.fill(0.0);
            return Ok(());
        }
        // The seed is the direction: one evaluation gives all products with the Jacobian.
        let (system, variables) = (self.simulator.system().clone(), &self.variables);
        let known =
            knowns.iter().zip(seed).filter_map(|(&reference, &seed)| match variables[reference as usize].binding {
                Binding::Input(index) => Some((Known::Input(index), seed)),
                Binding::State(index) => Some((Known::State(system.interface().states[index].place), seed)),
                _ => None,
            });
        let Scratch { derivatives, rates } = &mut self.scratch;
        self.simulator.derivatives_along(known, derivatives, rates).map_err(|fault| self.fault(fault))
    }

    /// Derivatives of the initial outputs along the seed, by differences of whole initializations, trim included:
    /// central differences, or one-sided ones where a parameter is at its limit. The step is [`INITIAL_DIFFERENCE`] of
    /// the known with the largest relative change, or [`TRIMMED_DIFFERENCE`] where each side is trimmed, because a trim
    /// ends at a tolerance. The instance is restored afterwards, also on an error. Allocates: it belongs to the
    /// initialization.
    fn calc_initial_derivatives(&mut self, knowns: &[fmi2ValueReference], seed: &[fmi2Real]) -> Result<(), Problem> {
        let mut change = self.memory.settings.clone();
        change.parameters.iter_mut().chain(&mut change.inputs).for_each(|value| *value = 0.0);
        for (&reference, &seed) in knowns.iter().zip(seed) {
            let variable = self.variable(reference, ScalarKind::Real)?;
            match variable.binding {
                Binding::Input(i) => change.inputs[i] += seed,
                Binding::Parameter(i) => change.parameters[i] += seed,
                _ => return Err(Problem::error(format!("'{}' is neither an input nor a parameter", variable.name))),
            }
        }
        self.require_outputs()?;
        let base = self.memory.settings.clone();
        let part = |value: &f64, seed: &f64, least: f64| match seed.abs() > 0.0 {
            true => seed.abs() / value.abs().max(least),
            false => 0.0,
        };
        let inputs = base.inputs.iter().zip(&change.inputs).map(|(value, seed)| part(value, seed, 1.0));
        // A parameter at zero has no size.
        let size = |value: &f64| if *value == 0.0 { 1.0 } else { 0.0 };
        let parameters = base.parameters.iter().zip(&change.parameters);
        let parameters = parameters.map(|(value, seed)| part(value, seed, size(value)));
        let fastest = inputs.chain(parameters).fold(0.0, crate::math::larger);
        if fastest == 0.0 {
            self.scratch.derivatives.fill(0.0);
            return Ok(());
        }
        let trimmed = self.simulator.system().trim;
        let step = if trimmed { TRIMMED_DIFFERENCE } else { INITIAL_DIFFERENCE } / fastest;
        let stored = self.store();
        let sides = [step, -step].map(|amount| self.initial_outputs(&base, &change, amount));
        self.restore(&stored)?;
        let [ahead, behind] = sides;
        let (ahead, behind) = (ahead?, behind?);
        if ahead.is_none() && behind.is_none() {
            return Err(Problem::error("a parameter cannot be varied in either direction: its limits are too close"));
        }
        let width = step * [&ahead, &behind].into_iter().map(|side| f64::from(u8::from(side.is_some()))).sum::<f64>();
        let [ahead, behind] = [&ahead, &behind].map(|side| side.as_deref().unwrap_or(&self.memory.outputs));
        for (index, value) in self.scratch.derivatives.iter_mut().enumerate() {
            *value = (ahead[index] - behind[index]) / width;
        }
        Ok(())
    }

    /// Outputs of the initial state with the settings changed by `amount` of `change`; `None` if a parameter would pass
    /// its limits.
    fn initial_outputs(
        &mut self,
        base: &Settings,
        change: &Settings,
        amount: f64,
    ) -> Result<Option<Vec<f64>>, Problem> {
        let moved = |values: &[f64], change: &[f64]| -> Vec<f64> {
            values.iter().zip(change).map(|(value, change)| value + amount * change).collect()
        };
        let parameters = moved(&base.parameters, &change.parameters);
        let infos = &self.simulator.system().interface().parameters;
        if infos.iter().zip(&parameters).any(|(info, value)| !info.admits(*value)) {
            return Ok(None);
        }
        let inputs = moved(&base.inputs, &change.inputs);
        self.memory.settings = Settings { parameters, inputs, slopes: base.slopes.clone() };
        self.memory.initialized = false;
        self.require_outputs()?;
        Ok(Some(self.memory.outputs.clone()))
    }

    /// The derivative of an unknown, after a function that computes the derivatives of all unknowns.
    pub(super) fn derivative(&self, reference: fmi2ValueReference) -> Result<f64, Problem> {
        let value = match self.unknown(reference)? {
            Unknown::Output(index) => self.scratch.derivatives[index],
            Unknown::Rate(index) => self.scratch.rates[index],
        };
        if value.is_finite() {
            return Ok(value);
        }
        let name = &self.variables[reference as usize].name;
        Err(Problem::error(match self.simulator.system().report().undetermined.contains(name) {
            true => format!("'{name}' has no derivative, because redundant loop equations do not determine its value"),
            false => format!("the derivative of '{name}' is not finite, or not available in this mode"),
        }))
    }

    /// The unknown with this value reference.
    fn unknown(&self, reference: fmi2ValueReference) -> Result<Unknown, Problem> {
        let variable = self.variable(reference, ScalarKind::Real)?;
        match variable.binding {
            Binding::Output(index) => Ok(Unknown::Output(index)),
            Binding::Derivative(index) => Ok(Unknown::Rate(index)),
            _ => Err(Problem::error(format!("'{}' is neither an output nor the derivative of a state", variable.name))),
        }
    }

    /// Index of the input with this value reference.
    fn input(&self, reference: fmi2ValueReference) -> Result<usize, Problem> {
        let variable = self.variable(reference, ScalarKind::Real)?;
        match variable.binding {
            Binding::Input(index) => Ok(index),
            _ => Err(Problem::error(format!("'{}' is not an input", variable.name))),
        }
    }

    /// Index of the Real output with this value reference.
    fn output(&self, reference: fmi2ValueReference) -> Result<usize, Problem> {
        let variable = self.variable(reference, ScalarKind::Real)?;
        match variable.binding {
            Binding::Output(index) => Ok(index),
            _ => Err(Problem::error(format!("'{}' is not an output", variable.name))),
        }
    }
}

pub(super) fn check_order(order: fmi2Integer) -> Result<(), Problem> {
    if order == 1 { Ok(()) } else { Err(Problem::error(format!("derivatives must have order 1, not {order}"))) }
}
