//! `[[plot]]` as plain data.

use super::kinds::*;
use crate::geometry::{Geometry, New};
use serde::{Deserialize, Serialize};

/// `[[plot]]`: a panel in the picture of `ballesta run --plot`. It does not affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Plot {
    /// Heading. Default: the quantity that the unit measures.
    pub title: Option<Text>,
    /// Names of outputs with the same unit. The name of a vector selects all its components; `name.x` selects one.
    pub outputs: Vec<OutputName>,
    /// Names in the legend, one per curve. Default: the names of the outputs.
    pub labels: Option<Vec<Text>>,
    /// Unit of the values, such as `deg` for angles. Default: the unit of the outputs.
    pub unit: Option<Text>,
    /// Output on the horizontal axis, as for a path. Default: time.
    pub against: Option<OutputName>,
    /// Label of the horizontal axis. Default: the name of the output `against`.
    pub against_label: Option<Text>,
    /// Unit of the horizontal axis. Default: the unit of the output `against`.
    pub against_unit: Option<Text>,
    /// Whether both axes have the same scale. Default: true if both are lengths, as for a path.
    pub equal_scales: Option<bool>,
}
