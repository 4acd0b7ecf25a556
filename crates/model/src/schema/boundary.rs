//! Inputs and parameters of a model as plain data.

use serde::{Deserialize, Serialize};

/// `[[input]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Unique structured name, `a.b[1].c`.
    pub name: String,
    /// Symbol of the unit, from the table of units. Information only; values are not converted.
    pub unit: Option<String>,
    /// Initial value. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Smallest useful value. Information for importers; smaller values are accepted.
    pub min: Option<f64>,
    /// Largest useful value. Information for importers; larger values are accepted.
    pub max: Option<f64>,
    /// Short description.
    #[serde(default)]
    pub description: String,
}

/// `[[parameter]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Unique structured name.
    pub name: String,
    /// Value, unless the importer sets another value.
    pub value: f64,
    /// Symbol of the unit, from the table of units. Information only; values are not converted.
    pub unit: Option<String>,
    /// `true`: may change during a simulation. Only coefficients of forces, springs, friction and drives may use it.
    /// Default `false`: fixed after initialization.
    #[serde(default)]
    pub tunable: bool,
    /// Smallest admissible value.
    pub min: Option<f64>,
    /// Largest admissible value.
    pub max: Option<f64>,
    /// Short description.
    #[serde(default)]
    pub description: String,
}
