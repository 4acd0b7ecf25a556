//! What crosses the boundary of a model besides its outputs: inputs and parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[input]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Unique structured name, `a.b[1].c`.
    pub name: String,
    /// Symbol of the unit, one of those of the table of units. For readers and importers: no value is converted.
    pub unit: Option<String>,
    /// Value before the importer sets one. Default 0.
    #[serde(default)]
    pub start: f64,
    /// Smallest value that makes sense, for importers and readers: smaller ones are taken as they are given.
    pub min: Option<f64>,
    /// Largest value that makes sense, alike.
    pub max: Option<f64>,
    /// Short description.
    #[serde(default)]
    pub description: String,
}

/// `[[parameter]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Unique structured name.
    pub name: String,
    /// Value, unless the importer sets another one.
    pub value: f64,
    /// Symbol of the unit, one of those of the table of units. For readers and importers: no value is converted.
    pub unit: Option<String>,
    /// `true`: may change during a simulation; only coefficients of forces, springs, friction and drives may use it.
    /// `false`: fixed once the simulation is initialized. Default `false`.
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
