//! `[[force]]` and `[[torque]]` as plain data.

use super::{Number, Place};
pub use crate::force::Axes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Axes in which a vector is given or read.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename = "Axes", rename_all = "snake_case")]
pub(super) enum AxesName {
    /// The global frame W.
    World,
    /// The frame of the body.
    Body,
}

named!(AxesName => Axes: World, Body);

/// A number, a parameter or an input.
pub type Signal = Number;

/// `[[force]]`: a force at a point of a body. Strings in `value` name inputs or parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// Unique name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// Where it acts (a point of the body, in the design position).
    pub point: Place,
    /// Components in N; each a number, an input or a parameter.
    pub value: [Signal; 3],
    /// Frame in which `value` and the numbers of `point` are given, as it stands in the design position. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Axes of the components. Default `world`.
    #[serde(default, with = "super::named")]
    #[schemars(with = "AxesName")]
    pub axes: Axes,
}

/// `[[torque]]`: a torque on a body.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torque {
    /// Unique name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// Components in N m; each a number, an input or a parameter.
    pub value: [Signal; 3],
    /// Frame in which `value` is given, as it stands in the design position. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<String>,
    /// Axes of the components. Default `world`.
    #[serde(default, with = "super::named")]
    #[schemars(with = "AxesName")]
    pub axes: Axes,
}
