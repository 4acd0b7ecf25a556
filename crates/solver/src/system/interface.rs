//! Interface of a compiled system: inputs, parameters and outputs, each a scalar with name and unit.

pub use super::readout::ScalarKind;
use alloc::{string::String, vec::Vec};

/// A scalar input (always Real).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct InputInfo {
    /// Structured name.
    pub name: String,
    /// Unit symbol from `ballesta::units`, empty when none was given.
    pub unit: String,
    /// Value before the importer sets one.
    pub start: f64,
    /// Smallest meaningful value.
    pub min: Option<f64>,
    /// Largest meaningful value.
    pub max: Option<f64>,
    /// Short description.
    pub description: String,
}

/// A scalar parameter (always Real).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct ParameterInfo {
    /// Structured name.
    pub name: String,
    /// Unit symbol, empty when none was given.
    pub unit: String,
    /// Value of the file.
    pub start: f64,
    /// Whether the parameter may change between steps.
    pub tunable: bool,
    /// Smallest admissible value.
    pub min: Option<f64>,
    /// Largest admissible value.
    pub max: Option<f64>,
    /// Short description.
    pub description: String,
}

impl ParameterInfo {
    /// Whether the parameter may have this value: finite and within `min` and `max`.
    pub fn admits(&self, value: f64) -> bool {
        value.is_finite() && self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// Vector and index of a scalar output.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct VectorElement {
    /// Structured name of the vector.
    pub vector: String,
    /// Position in the vector, 0-based; the elements of a vector follow each other in the list of outputs.
    pub index: usize,
    /// Number of elements of the vector.
    pub length: usize,
    /// One line about the vector for people, which names the elements in their order.
    pub description: String,
}

/// A scalar output.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct OutputInfo {
    /// Structured name, unique; vectors are already split into components.
    pub name: String,
    /// Unit symbol, `1` for numbers without dimension.
    pub unit: String,
    /// Type at the FMI boundary.
    pub kind: ScalarKind,
    /// Indices of the inputs on which the output depends directly (feedthrough), ascending.
    pub dependencies: Vec<usize>,
    /// Indices of the inputs on which the initial value depends, ascending: directly, or through the initial state.
    pub initial_dependencies: Vec<usize>,
    /// Whether the initial value may depend on tunable parameters, which are coefficients of force elements. It may
    /// depend on all other parameters.
    pub initial_by_forces: bool,
    /// Typical magnitude of the output in its unit, positive. `None` for dimensionless numbers, and for units outside
    /// the table of units.
    pub nominal: Option<f64>,
    /// Short description.
    pub description: String,
    /// The vector to which the output belongs; `None` for an output that is a scalar in the model file as well.
    pub element: Option<VectorElement>,
}

/// Location of a continuous state; the index refers to the respective list of [`super::State`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum StatePlace {
    /// `State::q[i]`.
    Position(usize),
    /// `State::v[i]`.
    Speed(usize),
    /// `State::auxiliary[i]`.
    Auxiliary(usize),
}

/// A continuous state of the equations of motion, for an integrator outside of the solver.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct StateInfo {
    /// Structured name, unique among the states.
    pub name: String,
    /// Unit symbol from `ballesta::units`, empty where the table has none.
    pub unit: String,
    /// Typical magnitude of the state in its unit, positive.
    pub nominal: f64,
    /// Short description.
    pub description: String,
    /// Location of its value.
    pub place: StatePlace,
    /// Dependencies of its derivative; `None` if it depends on everything.
    pub rate: Option<Knowns>,
}

/// States and inputs, by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Knowns {
    /// States, ascending.
    pub states: Vec<usize>,
    /// Inputs, ascending.
    pub inputs: Vec<usize>,
}

/// The complete interface of a system, in the order of the model file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Interface {
    /// Inputs.
    pub inputs: Vec<InputInfo>,
    /// Parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Outputs.
    pub outputs: Vec<OutputInfo>,
    /// Whether a prescribed motion is a function of time, so that outputs depend on the time directly, not only through
    /// the state.
    pub rheonomic: bool,
    /// Continuous states for an integrator outside of the solver; empty if `not_continuous` gives a reason.
    pub states: Vec<StateInfo>,
    /// The reason why the motion does not consist of continuous states alone, so that no other integrator can compute
    /// it; `None` if it does.
    pub not_continuous: Option<String>,
    /// Whether the FMU has the hold mode, with its parameter and its output.
    pub hold_mode: bool,
    /// Whether the FMU has constants instead of fixed parameters.
    pub constant_parameters: bool,
}
