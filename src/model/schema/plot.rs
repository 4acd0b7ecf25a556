//! `[[plot]]` as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[plot]]`: a panel of the picture that `ballesta run --plot` draws. It changes no result.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Heading. Default: what the unit measures.
    pub title: Option<String>,
    /// What is drawn: names of outputs, of one unit. A vector's name means its components; `name.x` one of them.
    pub outputs: Vec<String>,
    /// Names in the legend, one per curve. Default: those of the outputs.
    pub labels: Option<Vec<String>>,
    /// Unit in which values are shown, such as `deg` for angles. Default: that of the outputs.
    pub unit: Option<String>,
    /// Output along the horizontal axis, as for a path. Default: time.
    pub against: Option<String>,
    /// Name of the horizontal axis. Default: that of the output `against`.
    pub against_label: Option<String>,
    /// Unit of the horizontal axis. Default: that of the output `against`.
    pub against_unit: Option<String>,
    /// Whether both axes have the same scale. Default: true when both are lengths, as of a path.
    pub equal_scales: Option<bool>,
}
