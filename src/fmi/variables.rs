//! The variables of an FMU: one table for `modelDescription.xml` and for fmi2Get/fmi2Set.
//!
//! [`table`] lists the interface of a [`System`](crate::system::System) ([`Interface`]) as FMI variables, in this
//! order: parameters, inputs, outputs, the time, for Model Exchange the continuous states and their derivatives. The
//! parameter and the output of the hold mode ([`super::hold`]) follow where the FMU has it. [`super::arrays`] derives
//! the variables of FMI 3.0 from the table. The 1-based position in the table is the index that `ModelStructure` uses;
//! value reference = index − 1. The two numberings differ by a constant because importers have mixed them up.
//!
//! Which (causality, variability, initial) triples occur (FMI 2.0, section 2.2.7, all of them legal):
//!
//! | variable | causality | variability | initial | start |
//! |---|---|---|---|---|
//! | parameter | parameter | fixed or tunable | exact | yes |
//! | fixed parameter of an FMU with C sources | local | constant | exact | yes |
//! | input | input | continuous | – | yes |
//! | Real output | output | continuous | calculated | – |
//! | Integer or Boolean output | output | discrete | calculated | – |
//! | time | independent | continuous | – | – |
//! | state, derivative of a state | local | continuous | calculated | – |
//! | `hold_on_fault` | parameter | fixed | exact | yes |
//! | `fault` | output | discrete | calculated | – |
//!
//! States start where the assembly puts them, so none has a start value that could be set. Their order is the order of
//! fmi2GetContinuousStates; the derivatives have the same order.

use super::hold::{FAULT, HOLD_ON_FAULT};
use crate::math::larger;
use crate::system::{Interface, Knowns, ParameterInfo, ScalarKind, StateInfo, VectorElement};
use crate::units;

/// Name of the time, which no variable of a model may have.
pub(crate) const TIME: &str = "time";

/// FMI causality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// Set by the importer, constant during a communication step.
    Parameter,
    /// Set by the importer at communication points.
    Input,
    /// Computed.
    Output,
    /// Computed, without meaning outside except as a state or its derivative.
    Local,
    /// The time.
    Independent,
}

impl Causality {
    /// The term of the standard.
    pub fn as_str(self) -> &'static str {
        match self {
            Causality::Parameter => "parameter",
            Causality::Input => "input",
            Causality::Output => "output",
            Causality::Local => "local",
            Causality::Independent => "independent",
        }
    }
}

/// FMI variability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    /// Never changes.
    Constant,
    /// Constant after initialization.
    Fixed,
    /// May be set between steps.
    Tunable,
    /// Changes at steps only.
    Discrete,
    /// Changes at any time.
    Continuous,
}

impl Variability {
    /// The term of the standard.
    pub fn as_str(self) -> &'static str {
        match self {
            Variability::Constant => "constant",
            Variability::Fixed => "fixed",
            Variability::Tunable => "tunable",
            Variability::Discrete => "discrete",
            Variability::Continuous => "continuous",
        }
    }
}

/// FMI attribute `initial`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// The start value is exact.
    Exact,
    /// Computed during initialization.
    Calculated,
}

impl Initial {
    /// The term of the standard.
    pub fn as_str(self) -> &'static str {
        match self {
            Initial::Exact => "exact",
            Initial::Calculated => "calculated",
        }
    }
}

/// Location of a variable's value; the index counts within the respective list of [`Interface`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `Interface::parameters[i]`.
    Parameter(usize),
    /// `Interface::inputs[i]`.
    Input(usize),
    /// `Interface::outputs[i]`.
    Output(usize),
    /// The time.
    Time,
    /// `Interface::states[i]`.
    State(usize),
    /// The derivative of `Interface::states[i]`.
    Derivative(usize),
    /// Whether the hold mode is on.
    HoldOnFault,
    /// Whether the motion has had a fault.
    Fault,
}

impl Binding {
    /// Whether it is an output.
    pub fn is_output(self) -> bool {
        matches!(self, Binding::Output(_) | Binding::Fault)
    }

    /// Whether the importer may set it, in some state.
    pub(crate) fn is_set(self) -> bool {
        matches!(self, Binding::Parameter(_) | Binding::Input(_) | Binding::HoldOnFault)
    }
}

/// A `ScalarVariable`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Unique structured name.
    pub name: String,
    /// Position in the table, 0-based.
    pub value_reference: u32,
    /// FMI causality.
    pub causality: Causality,
    /// FMI variability.
    pub variability: Variability,
    /// FMI initial; `None` where the attribute must not be written.
    pub initial: Option<Initial>,
    /// Real, Integer or Boolean.
    pub kind: ScalarKind,
    /// Unit symbol from [`crate::units`], for derivatives also followed by `/s`; empty for none (coordinates of modes,
    /// which are scaled by their mass), always empty unless Real.
    pub unit: String,
    /// Start value, SI, where the standard requires one.
    pub start: Option<f64>,
    /// Smallest admissible value.
    pub min: Option<f64>,
    /// Largest admissible value.
    pub max: Option<f64>,
    /// For a state, and for an output, in its unit: the nominal size.
    pub nominal: Option<f64>,
    /// Short description.
    pub description: String,
    /// Location of the value.
    pub binding: Binding,
    /// For an output: 1-based indices, ascending, of the inputs on which it depends directly. Empty otherwise.
    pub dependencies: Vec<usize>,
    /// For an output: indices, ascending, of the parameters and inputs on which its initial value depends. Empty
    /// otherwise.
    pub initial_dependencies: Vec<usize>,
    /// For the derivative of a state: 1-based indices, ascending, of the only inputs and states on which it depends
    /// between steps. `None` if it depends on everything, and for other variables.
    pub rate_dependencies: Option<Vec<usize>>,
    /// The vector of which it is an element, if there is one whose name is free.
    pub element: Option<VectorElement>,
}

impl Variable {
    /// 1-based position in `ModelVariables`, as `ModelStructure` counts.
    pub fn index(&self) -> usize {
        self.value_reference as usize + 1
    }
}

/// All variables of a system, in the order of `ModelVariables`.
pub fn table(interface: &Interface) -> Vec<Variable> {
    let first_input = 1 + interface.parameters.len();
    let mut variables: Vec<Variable> = Vec::new();
    let described = |own: &str, otherwise: String| if own.trim().is_empty() { otherwise } else { own.to_string() };
    // Outputs in the unit of states have the largest nominal size of these states, others their own. Outputs without a
    // unit need not be comparable.
    let nominal = |unit: &str| {
        let alike = interface.states.iter().filter(|state| !unit.is_empty() && state.unit == unit);
        alike.map(|state| state.nominal).reduce(larger)
    };
    let constant = |parameter: &ParameterInfo| interface.constant_parameters && !parameter.tunable;
    for (i, parameter) in interface.parameters.iter().enumerate() {
        variables.push(Variable {
            name: parameter.name.clone(),
            value_reference: variables.len() as u32,
            causality: if constant(parameter) { Causality::Local } else { Causality::Parameter },
            variability: match parameter.tunable {
                true => Variability::Tunable,
                false if interface.constant_parameters => Variability::Constant,
                false => Variability::Fixed,
            },
            initial: Some(Initial::Exact),
            kind: ScalarKind::Real,
            unit: parameter.unit.clone(),
            start: Some(parameter.start),
            min: parameter.min,
            max: parameter.max,
            nominal: None,
            description: described(&parameter.description, format!("Parameter `{}`", parameter.name)),
            binding: Binding::Parameter(i),
            dependencies: Vec::new(),
            initial_dependencies: Vec::new(),
            rate_dependencies: None,
            element: None,
        });
    }
    for (i, input) in interface.inputs.iter().enumerate() {
        variables.push(Variable {
            name: input.name.clone(),
            value_reference: variables.len() as u32,
            causality: Causality::Input,
            variability: Variability::Continuous,
            initial: None,
            kind: ScalarKind::Real,
            unit: input.unit.clone(),
            start: Some(input.start),
            min: input.min,
            max: input.max,
            nominal: None,
            description: described(&input.description, format!("Input `{}`", input.name)),
            binding: Binding::Input(i),
            dependencies: Vec::new(),
            initial_dependencies: Vec::new(),
            rate_dependencies: None,
            element: None,
        });
    }
    for (i, output) in interface.outputs.iter().enumerate() {
        let real = output.kind == ScalarKind::Real;
        variables.push(Variable {
            name: output.name.clone(),
            value_reference: variables.len() as u32,
            causality: Causality::Output,
            variability: if real { Variability::Continuous } else { Variability::Discrete },
            initial: Some(Initial::Calculated),
            kind: output.kind,
            unit: if real { output.unit.clone() } else { String::new() },
            start: None,
            min: None,
            max: None,
            nominal: if real { nominal(&output.unit).or(output.nominal) } else { None },
            description: output.description.clone(),
            binding: Binding::Output(i),
            dependencies: output.dependencies.iter().map(|input| first_input + input).collect(),
            // The assembly uses the geometry of all bodies, so it may depend on every parameter except pure
            // coefficients of force elements, which are the tunable ones.
            initial_dependencies: (1..first_input)
                .filter(|index| {
                    let parameter = &interface.parameters[index - 1];
                    !constant(parameter) && (output.initial_by_forces || !parameter.tunable)
                })
                .chain(output.initial_dependencies.iter().map(|input| first_input + input))
                .collect(),
            rate_dependencies: None,
            element: output.element.clone(),
        });
    }
    name_alike(&mut variables);
    keep_names_unique(&mut variables);
    add_computed(interface, &mut variables);
    if interface.hold_mode {
        add_hold_mode(&mut variables);
    }
    variables
}

/// Adds the parameter and the output of the hold mode after all others, whose value references are unchanged.
fn add_hold_mode(variables: &mut Vec<Variable>) {
    // A fixed Boolean parameter that selects the hold mode.
    let hold = Variable {
        name: HOLD_ON_FAULT.to_string(),
        value_reference: variables.len() as u32,
        causality: Causality::Parameter,
        variability: Variability::Fixed,
        initial: Some(Initial::Exact),
        kind: ScalarKind::Boolean,
        unit: String::new(),
        start: Some(0.0),
        min: None,
        max: None,
        nominal: None,
        description: "After a fault, hold the outputs and continue instead of ending the simulation".into(),
        binding: Binding::HoldOnFault,
        dependencies: Vec::new(),
        initial_dependencies: Vec::new(),
        rate_dependencies: None,
        element: None,
    };
    // A discrete Boolean output that reports the fault.
    let fault = Variable {
        name: FAULT.to_string(),
        value_reference: hold.value_reference + 1,
        causality: Causality::Output,
        variability: Variability::Discrete,
        initial: Some(Initial::Calculated),
        start: None,
        description: "A fault has occurred; all outputs hold their values from before it".into(),
        binding: Binding::Fault,
        ..hold.clone()
    };
    variables.extend([hold, fault]);
}

/// Adds the time, the states and their derivatives after all variables that the model file defines.
fn add_computed(interface: &Interface, variables: &mut Vec<Variable>) {
    // The time is the pattern for the other variables.
    let time = Variable {
        name: TIME.to_string(),
        value_reference: variables.len() as u32,
        causality: Causality::Independent,
        variability: Variability::Continuous,
        initial: None,
        kind: ScalarKind::Real,
        unit: "s".to_string(),
        start: None,
        min: None,
        max: None,
        nominal: None,
        description: "Simulation time".to_string(),
        binding: Binding::Time,
        dependencies: Vec::new(),
        initial_dependencies: Vec::new(),
        rate_dependencies: None,
        element: None,
    };
    let local = |name: String, unit: &str, description: String, binding| Variable {
        name,
        causality: Causality::Local,
        initial: Some(Initial::Calculated),
        unit: unit.to_string(),
        description,
        binding,
        ..time.clone()
    };
    // States, then their derivatives in the same order.
    let prefix = free_prefix(variables);
    let name = |info: &StateInfo| format!("{prefix}{}", info.name);
    let mut added = vec![time.clone()];
    for (i, info) in interface.states.iter().enumerate() {
        let nominal = Some(info.nominal);
        added.push(Variable { nominal, ..local(name(info), &info.unit, info.description.clone(), Binding::State(i)) });
    }
    for (i, info) in interface.states.iter().enumerate() {
        let of = name(info);
        let description = format!("Derivative of `{of}`");
        let unit = units::rate_symbol(&info.unit);
        added.push(local(format!("der({of})"), &unit, description, Binding::Derivative(i)));
    }
    // A value reference is the position in the list.
    for variable in added {
        variables.push(Variable { value_reference: variables.len() as u32, ..variable });
    }
    // Derivatives depend on the inputs and states that the solver names.
    for index in 0..variables.len() {
        let Binding::Derivative(state) = variables[index].binding else { continue };
        let known = |knowns: &Knowns, other: &Variable| match other.binding {
            Binding::Input(input) => knowns.inputs.contains(&input),
            Binding::State(state) => knowns.states.contains(&state),
            _ => false,
        };
        let rate = interface.states[state].rate.as_ref();
        let of = |knowns| variables.iter().filter(|other| known(knowns, other)).map(Variable::index).collect();
        variables[index].rate_dependencies = rate.map(of);
    }
}

/// Prefix of the names of states, `state.…`, chosen so that no name of the model file begins with it; empty without a
/// conflict.
fn free_prefix(variables: &[Variable]) -> String {
    let mut prefix = String::new();
    while variables.iter().any(|variable| variable.name.starts_with(&format!("{prefix}state."))) {
        prefix.push_str("solver_");
    }
    prefix
}

/// 1-based positions of all states.
pub fn states(variables: &[Variable]) -> impl Iterator<Item = usize> + '_ {
    variables.iter().filter(|variable| matches!(variable.binding, Binding::State(_))).map(Variable::index)
}

/// 1-based position of the state whose derivative a variable is.
pub fn state_of(variable: &Variable, variables: &[Variable]) -> Option<usize> {
    let Binding::Derivative(i) = variable.binding else { return None };
    variables.iter().find(|other| other.binding == Binding::State(i)).map(Variable::index)
}

/// Splits vectors whose name equals the name of another variable or vector: `a` may exist next to `a.x`, `a.y`, `a.z`.
fn keep_names_unique(variables: &mut [Variable]) {
    let starts_vector = |variable: &&Variable| variable.element.as_ref().is_some_and(|element| element.index == 0);
    let vectors = variables.iter().filter(starts_vector).filter_map(|variable| variable.element.as_ref());
    let names = variables.iter().filter(|variable| variable.element.is_none()).map(|variable| &variable.name);
    let mut names: Vec<String> = names.chain(vectors.map(|element| &element.vector)).cloned().collect();
    names.sort();
    let taken: Vec<&String> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    for variable in variables {
        variable.element = variable.element.take().filter(|element| !taken.contains(&&element.vector));
    }
}

/// Adds the name to descriptions that several variables share: hosts list variables by their descriptions.
fn name_alike(variables: &mut [Variable]) {
    let mut order: Vec<usize> = (0..variables.len()).collect();
    order.sort_by(|&a, &b| variables[a].description.cmp(&variables[b].description));
    let alike: Vec<usize> = order
        .chunk_by(|&a, &b| variables[a].description == variables[b].description)
        .filter(|group| group.len() > 1)
        .flatten()
        .copied()
        .collect();
    for index in alike {
        let Variable { name, description, .. } = &variables[index];
        variables[index].description = format!("`{name}`: {description}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{InputInfo, OutputInfo, ParameterInfo, StatePlace};

    fn interface() -> Interface {
        let parameter = |name: &str, tunable| ParameterInfo {
            name: name.into(),
            unit: "N/m".into(),
            start: 3.0,
            tunable,
            min: Some(0.0),
            max: None,
            description: String::new(),
        };
        let input = |name: &str| InputInfo { name: name.into(), unit: "N".into(), start: 1.5, ..InputInfo::default() };
        let output = |name: &str, kind, dependencies: Vec<usize>| OutputInfo {
            name: name.into(),
            unit: "1".into(),
            kind,
            initial_dependencies: dependencies.clone(),
            initial_by_forces: kind == ScalarKind::Real,
            dependencies,
            nominal: None,
            description: String::new(),
            element: None,
        };
        Interface {
            inputs: vec![input("f"), input("g")],
            parameters: vec![parameter("k", false), parameter("c", true)],
            rheonomic: false,
            states: vec![StateInfo {
                name: "state.position.A".into(),
                unit: "m".into(),
                nominal: 0.5,
                description: "Position of A".into(),
                place: StatePlace::Position(0),
                rate: None,
            }],
            not_continuous: None,
            hold_mode: false,
            constant_parameters: false,
            outputs: vec![output("a", ScalarKind::Real, vec![0, 1]), output("flag", ScalarKind::Boolean, vec![])],
        }
    }

    #[test]
    fn value_references_count_the_table_from_zero() {
        let variables = table(&interface());
        let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["k", "c", "f", "g", "a", "flag", "time", "state.position.A", "der(state.position.A)"]);
        for (i, variable) in variables.iter().enumerate() {
            assert_eq!((variable.value_reference as usize, variable.index()), (i, i + 1));
        }
    }

    #[test]
    fn dependencies_are_the_one_based_positions_of_the_inputs() {
        let variables = table(&interface());
        let a = variables.iter().find(|v| v.name == "a").unwrap();
        let inputs: Vec<&str> = a.dependencies.iter().map(|&i| variables[i - 1].name.as_str()).collect();
        assert_eq!(inputs, ["f", "g"]);
        assert!(variables.iter().find(|v| v.name == "flag").unwrap().dependencies.is_empty());
        let initially = |name: &str| {
            let all = &variables.iter().find(|v| v.name == name).unwrap().initial_dependencies;
            all.iter().map(|&i| variables[i - 1].name.as_str()).collect::<Vec<_>>()
        };
        // `c` is tunable, and `flag` depends on no force.
        assert_eq!((initially("a"), initially("flag")), (vec!["k", "c", "f", "g"], vec!["k"]));
    }

    #[test]
    fn a_derivative_has_the_unit_of_a_rate_and_knows_its_state() {
        let variables = table(&interface());
        let [state, derivative] = &variables[7..] else { panic!("one state") };
        assert_eq!((state.unit.as_str(), state.nominal, derivative.unit.as_str()), ("m", Some(0.5), "m/s"));
        assert_eq!((state_of(derivative, &variables), state_of(state, &variables)), (Some(state.index()), None));
        assert_eq!(states(&variables).collect::<Vec<_>>(), [state.index()]);
    }

    #[test]
    fn names_of_states_give_way_to_those_of_the_model() {
        let mut interface = interface();
        interface.outputs[0].name = "state.position.A".into();
        let variables = table(&interface);
        let names: Vec<&str> = variables[7..].iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["solver_state.position.A", "der(solver_state.position.A)"]);
    }

    #[test]
    fn a_vector_whose_name_is_taken_stays_in_pieces() {
        let mut interface = interface();
        for (vector, suffixes) in [("k", ["x", "y"]), ("v", ["x", "y"]), ("w", ["Fx", "Fy"]), ("w", ["x", "y"])] {
            for (index, suffix) in suffixes.into_iter().enumerate() {
                let element = VectorElement { vector: vector.into(), index, length: 2, description: String::new() };
                let name = format!("{vector}.{suffix}");
                interface.outputs.push(OutputInfo { name, element: Some(element), ..interface.outputs[0].clone() });
            }
        }
        let variables = table(&interface);
        let vectors: Vec<&str> = variables.iter().filter(|v| v.element.is_some()).map(|v| v.name.as_str()).collect();
        assert_eq!(vectors, ["v.x", "v.y"]);
    }

    #[test]
    fn every_variable_has_a_description_of_its_own() {
        let mut interface = interface();
        interface.outputs.iter_mut().for_each(|output| output.description = "Load".into());
        let variables = table(&interface);
        let all: Vec<&str> = variables.iter().map(|v| v.description.as_str()).collect();
        let named = ["Parameter `k`", "Parameter `c`", "Input `f`", "Input `g`", "`a`: Load", "`flag`: Load"];
        assert_eq!(all[..6], named);
        let computed = ["Simulation time", "Position of A", "Derivative of `state.position.A`"];
        assert_eq!(all[6..], computed);
    }

    #[test]
    fn attributes_follow_the_table_of_the_standard() {
        for variable in table(&interface()) {
            match variable.causality {
                Causality::Parameter => {
                    assert!(matches!(variable.variability, Variability::Fixed | Variability::Tunable));
                    assert_eq!((variable.initial, variable.start), (Some(Initial::Exact), Some(3.0)));
                }
                Causality::Input => assert_eq!((variable.initial, variable.start), (None, Some(1.5))),
                Causality::Output => {
                    assert_eq!((variable.initial, variable.start), (Some(Initial::Calculated), None));
                    assert_eq!(variable.kind == ScalarKind::Real, variable.variability == Variability::Continuous);
                    assert_eq!(variable.kind == ScalarKind::Real, !variable.unit.is_empty());
                }
                Causality::Local => {
                    assert_eq!((variable.initial, variable.start), (Some(Initial::Calculated), None));
                    assert_eq!(matches!(variable.binding, Binding::State(_)), variable.nominal.is_some());
                }
                Causality::Independent => assert_eq!((variable.initial, variable.start), (None, None)),
            }
        }
    }
}
