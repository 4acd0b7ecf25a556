//! Inputs and parameters of a model as plain data.

use super::kinds::*;
use crate::geometry::{Geometry, New};
use serde::{Deserialize, Serialize};

/// `[[input]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Input {
    /// Unique structured name, `a.b[1].c`.
    pub name: VariableName,
    /// Symbol of the unit, from the table of units. Information only; values are not converted.
    pub unit: Option<Text>,
    /// Initial value. Default 0.
    #[serde(default)]
    pub start: Constant,
    /// Smallest useful value. Information for importers; smaller values are accepted.
    pub min: Option<Constant>,
    /// Largest useful value. Information for importers; larger values are accepted.
    pub max: Option<Constant>,
    /// Short description.
    #[serde(default)]
    pub description: Text,
}

/// `[[parameter]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Parameter {
    /// Unique structured name.
    pub name: VariableName,
    /// Value, unless the importer sets another value.
    pub value: Constant,
    /// Symbol of the unit, from the table of units. Information only; values are not converted.
    pub unit: Option<Text>,
    /// `true`: may change during a simulation. Only coefficients of forces, springs, friction and drives may use it.
    /// Default `false`: fixed after initialization.
    #[serde(default)]
    pub tunable: bool,
    /// Smallest admissible value.
    pub min: Option<Constant>,
    /// Largest admissible value.
    pub max: Option<Constant>,
    /// Short description.
    #[serde(default)]
    pub description: Text,
}
