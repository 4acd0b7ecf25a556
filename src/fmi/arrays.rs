//! Variables as FMI 3.0 has them: vectors as arrays, and the time.
//!
//! They are derived from the table of [`super::variables`], whose value references are unchanged:
//!
//! | variable | value reference |
//! |---|---|
//! | scalar | as in the table and in FMI 2.0 |
//! | vector, from a vector quantity of the model file | reference of its first element; the others do not exist |
//!
//! Only outputs are vectors. An Integer is an Int32. Before the initialization, outputs, states and the time have no
//! value, because they have no start value either; reading one discards the call.
//!
//! **Dependencies.** Knowns of an output at communication points are inputs and states, as in FMI 2.0, and parameters
//! and the time, which FMI 3.0 adds. An output depends on the inputs of FMI 2.0, on all parameters from which its
//! initial value follows, and on all states. It depends on the time if a prescribed motion is given in time. A
//! derivative depends on all knowns, so the description omits its list.
//!
//! **Derivatives.** Knowns of directional and adjoint derivatives are the same as in FMI 2.0: inputs between steps,
//! inputs and parameters in initialization mode. Derivatives with respect to the time are an error.

use super::access::Wanted;
use super::instance::Instance;
use super::states::State;
use super::status::Problem;
use super::variables::{Binding, TIME, Variable, states};
use crate::system::ScalarKind;

/// A variable of FMI 3.0: a scalar, or the elements of a vector in their order.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Structured name.
    pub name: &'a str,
    /// Short description.
    pub description: &'a str,
    /// Number of elements; `None` for a scalar.
    pub length: Option<usize>,
    /// The scalar, or the first element: type, unit, causality and dependencies are the same for all.
    pub first: &'a Variable,
}

/// All variables of FMI 3.0, in the order of `ModelVariables`.
pub fn arrays(variables: &[Variable]) -> impl Iterator<Item = Array<'_>> {
    variables.iter().filter_map(|first| match &first.element {
        None => Some(Array { name: &first.name, description: &first.description, length: None, first }),
        Some(element) if element.index == 0 => Some(Array {
            name: &element.vector,
            description: &element.description,
            length: Some(element.length),
            first,
        }),
        Some(_) => None,
    })
}

/// Value reference of the time.
pub(crate) fn time_reference(variables: &[Variable]) -> u32 {
    let time = variables.iter().find(|variable| variable.binding == Binding::Time);
    time.map_or(u32::MAX, |time| time.value_reference)
}

/// Value references on which an output depends, ascending: between steps, or initially.
pub fn dependencies<'a>(
    output: &'a Variable,
    variables: &'a [Variable],
    rheonomic: bool,
    initially: bool,
) -> impl Iterator<Item = u32> + 'a {
    let is_parameter = |index: &usize| matches!(variables[index - 1].binding, Binding::Parameter(_));
    let parameters = output.initial_dependencies.iter().filter(move |index| is_parameter(index));
    let inputs = if initially { &output.initial_dependencies } else { &output.dependencies };
    let inputs = inputs.iter().filter(move |index| !is_parameter(index));
    let time = (rheonomic && output.binding.is_output()).then(|| time_reference(variables));
    let states = states(variables).filter(move |_| output.binding.is_output() && !initially);
    let reference = |index: usize| (index - 1) as u32;
    parameters.chain(inputs).copied().map(reference).chain(time).chain(states.map(reference))
}

/// Value references on which a state or a derivative may depend, ascending. Between steps a derivative depends on its
/// list or else on all knowns, and a state on none. Initially both depend on parameters and inputs.
fn dependencies_of_state<'a>(
    variable: &'a Variable,
    variables: &'a [Variable],
    initially: bool,
) -> impl Iterator<Item = u32> + 'a {
    let derivative = matches!(variable.binding, Binding::Derivative(_));
    let state = matches!(variable.binding, Binding::State(_));
    let known = move |other: &&Variable| match other.binding {
        Binding::Parameter(_) | Binding::Input(_) => derivative || state && initially,
        Binding::HoldOnFault => derivative,
        Binding::Time | Binding::State(_) => derivative && !initially,
        Binding::Output(_) | Binding::Derivative(_) | Binding::Fault => false,
    };
    let own = variable.rate_dependencies.as_ref().filter(|_| !initially);
    let listed = move |other: &&Variable| own.is_none_or(|list| list.contains(&other.index()));
    variables.iter().filter(known).filter(listed).map(|other| other.value_reference)
}

fn type_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Real => "Float64",
        ScalarKind::Integer => "Int32",
        ScalarKind::Boolean => "Boolean",
    }
}

impl Instance {
    /// Whether a value reference is the reference of the time.
    fn is_time(&self, reference: u32) -> bool {
        self.variables.get(reference as usize).is_some_and(|variable| variable.binding == Binding::Time)
    }

    /// Number of elements of the variable with this value reference, which must have this type.
    fn length(&self, reference: u32, kind: ScalarKind) -> Result<usize, Problem> {
        let missing = || Problem::error(format!("value reference {reference} does not exist in this FMU"));
        let variable = self.variables.get(reference as usize).ok_or_else(missing)?;
        let (name, length) = match &variable.element {
            None => (&variable.name, 1),
            Some(element) if element.index == 0 => (&element.vector, element.length),
            Some(_) => return Err(missing()),
        };
        if variable.kind != kind {
            let (is, asked) = (type_name(variable.kind), type_name(kind));
            return Err(Problem::error(format!(
                "variable '{name}' (value reference {reference}) is {is}, not {asked}"
            )));
        }
        Ok(length)
    }

    /// Checks that `count` values are as many as the variables have elements.
    fn check_count(&self, references: &[u32], kind: ScalarKind, count: usize, name: &str) -> Result<(), Problem> {
        let mut needed = 0;
        for &reference in references {
            needed += self.length(reference, kind)?;
        }
        if needed == count {
            return Ok(());
        }
        Err(Problem::error(format!("{name} has {count} elements, but the variables have {needed}")))
    }

    /// Values of variables in sequence; `convert` converts the numbers of the solver.
    fn get_arrays<T>(
        &mut self,
        references: &[u32],
        kind: ScalarKind,
        values: &mut [T],
        convert: impl Fn(f64) -> T,
    ) -> Result<(), Problem> {
        // FMI 3 passes values of several arrays in one sequence.
        self.check_count(references, kind, values.len(), "values")?;
        let bindings = references.iter().map(|&reference| &self.variables[reference as usize]);
        // Before initialization only values that the importer set exist.
        if self.memory.state == State::Instantiated
            && let Some(computed) = bindings.clone().find(|variable| !variable.binding.is_set())
        {
            return Err(Problem::discard(format!("'{}' has no value before initialization", computed.name)));
        }
        // Within a step only intermediate variables can be read.
        let within_step = self.memory.state == State::IntermediateUpdate;
        if within_step {
            self.check_intermediate(references)?;
        }
        // Compute what these variables need, once for all of them.
        let bindings = references.iter().map(|&reference| self.variables[reference as usize].binding);
        let wanted = Wanted::of(bindings);
        self.require(wanted)?;
        let mut values = values.iter_mut();
        for &reference in references {
            let length = self.length(reference, kind)?;
            for (index, value) in (reference as usize..).zip(values.by_ref().take(length)) {
                let binding = self.variables[index].binding;
                *value = convert(if within_step { self.intermediate_number(binding) } else { self.number(binding) });
            }
        }
        Ok(())
    }

    /// fmi3GetFloat64
    pub(crate) fn get_float64(&mut self, references: &[u32], values: &mut [f64]) -> Result<(), Problem> {
        self.get_arrays(references, ScalarKind::Real, values, |number| number)
    }

    /// fmi3GetInt32
    pub(crate) fn get_int32(&mut self, references: &[u32], values: &mut [i32]) -> Result<(), Problem> {
        self.get_arrays(references, ScalarKind::Integer, values, |number| number as i32)
    }

    /// fmi3GetBoolean: 0 or 1.
    pub(crate) fn get_boolean(&mut self, references: &[u32], values: &mut [u8]) -> Result<(), Problem> {
        self.get_arrays(references, ScalarKind::Boolean, values, |number| u8::from(number != 0.0))
    }

    /// fmi3SetBoolean: any number but 0 is true.
    pub(crate) fn set_boolean(&mut self, references: &[u32], values: &[u8]) -> Result<(), Problem> {
        if self.has_hold_mode() {
            self.check_count(references, ScalarKind::Boolean, values.len(), "values")?;
        }
        self.set_truths(references, values, |value| *value != 0)
    }

    /// fmi3SetFloat64
    pub(crate) fn set_float64(&mut self, references: &[u32], values: &[f64]) -> Result<(), Problem> {
        self.check_count(references, ScalarKind::Real, values.len(), "values")?;
        if references.iter().any(|&reference| self.is_time(reference)) {
            return Err(Problem::error(format!("'{TIME}' cannot be set: its causality is independent")));
        }
        // An output among them is rejected before values and references could be misaligned.
        self.set_real(references, values)
    }

    /// fmi3GetFloat32 and the like: there are no such variables.
    pub(crate) fn get_none(&self, references: &[u32], type_name: &str) -> Result<(), Problem> {
        match references.first() {
            None => Ok(()),
            Some(reference) => {
                Err(Problem::error(format!("value reference {reference}: this FMU has no {type_name} variables")))
            }
        }
    }

    /// Checks the seed of knowns, which are scalars.
    fn check_knowns(&self, knowns: &[u32], count: usize, name: &str) -> Result<(), Problem> {
        self.check_count(knowns, ScalarKind::Real, count, name)?;
        if knowns.iter().any(|&reference| self.is_time(reference)) {
            return Err(Problem::error(format!("derivatives with respect to '{TIME}' are not available")));
        }
        Ok(())
    }

    /// fmi3GetDirectionalDerivative: one entry of the result per element of the unknowns.
    pub(crate) fn directional_derivative_of_arrays(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), Problem> {
        self.check_count(unknowns, ScalarKind::Real, result.len(), "sensitivity")?;
        self.check_knowns(knowns, seed.len(), "seed")?;
        self.calc_directional_derivatives(knowns, seed)?;
        self.read_derivatives(unknowns, result)
    }

    /// fmi3GetAdjointDerivative: for every known, the sum over all elements of the unknowns of seed · ∂element/∂known.
    pub(crate) fn adjoint_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), Problem> {
        self.check_count(unknowns, ScalarKind::Real, seed.len(), "seed")?;
        self.check_knowns(knowns, result.len(), "sensitivity")?;
        for (&known, sum) in knowns.iter().zip(result) {
            self.calc_directional_derivatives(&[known], &[1.0])?;
            *sum = 0.0;
            let mut seed = seed.iter();
            for &unknown in unknowns {
                for (element, seed) in (unknown..).zip(seed.by_ref().take(self.length(unknown, ScalarKind::Real)?)) {
                    *sum += seed * self.derivative(element)?;
                }
            }
        }
        Ok(())
    }

    /// fmi3GetOutputDerivatives: first time derivatives; one order per variable, one value per element.
    pub(crate) fn output_derivatives_of_arrays(
        &mut self,
        references: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Problem> {
        self.check_count(references, ScalarKind::Real, values.len(), "values")?;
        orders.iter().try_for_each(|&order| super::access::check_order(order))?;
        if self.memory.state == State::IntermediateUpdate {
            self.check_intermediate(references)?;
        }
        if references.is_empty() {
            return Ok(());
        }
        self.calc_output_derivatives()?;
        self.read_derivatives(references, values)
    }

    /// Derivatives of outputs that were just computed, element by element.
    fn read_derivatives(&self, references: &[u32], values: &mut [f64]) -> Result<(), Problem> {
        let mut values = values.iter_mut();
        for &reference in references {
            let length = self.length(reference, ScalarKind::Real)?;
            for (element, value) in (reference..).zip(values.by_ref().take(length)) {
                *value = self.derivative(element)?;
            }
        }
        Ok(())
    }

    /// fmi3GetNumberOfVariableDependencies and fmi3GetVariableDependencies: the knowns on which all elements of a
    /// variable depend; until the initialization mode ends, initially.
    pub(crate) fn variable_dependencies(&self, reference: u32) -> Result<impl Iterator<Item = u32>, Problem> {
        let variable = match self.variables.get(reference as usize) {
            Some(variable) if variable.element.as_ref().is_none_or(|element| element.index == 0) => variable,
            _ => return Err(Problem::error(format!("value reference {reference} does not exist in this FMU"))),
        };
        let initially = matches!(self.memory.state, State::Instantiated | State::Initialization);
        let rheonomic = self.simulator.system().interface().rheonomic;
        let of_output = dependencies(variable, &self.variables, rheonomic, initially);
        Ok(of_output.chain(dependencies_of_state(variable, &self.variables, initially)))
    }
}
