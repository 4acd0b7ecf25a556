//! `[[plot]]` as plain data.

use serde::{Deserialize, Serialize};

/// `[[plot]]`: a panel in the picture of `ballesta run --plot`. It does not affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Heading. Default: the quantity that the unit measures.
    pub title: Option<String>,
    /// Names of outputs with the same unit. The name of a vector selects all its components; `name.x` selects one.
    pub outputs: Vec<String>,
    /// Names in the legend, one per curve. Default: the names of the outputs.
    pub labels: Option<Vec<String>>,
    /// Unit of the values, such as `deg` for angles. Default: the unit of the outputs.
    pub unit: Option<String>,
    /// Output on the horizontal axis, as for a path. Default: time.
    pub against: Option<String>,
    /// Label of the horizontal axis. Default: the name of the output `against`.
    pub against_label: Option<String>,
    /// Unit of the horizontal axis. Default: the unit of the output `against`.
    pub against_unit: Option<String>,
    /// Whether both axes have the same scale. Default: true if both are lengths, as for a path.
    pub equal_scales: Option<bool>,
}
