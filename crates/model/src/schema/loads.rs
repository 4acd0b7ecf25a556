//! `[[force]]` and `[[torque]]` as plain data.

use super::kinds::*;
use super::{Model, Place};
use crate::elements::ForceTable;
use crate::geometry::{Geometry, New};
pub use ballesta_solver::force::Axes;
use serde::{Deserialize, Serialize};

/// Axes of a vector.
#[derive(Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Axes", rename_all = "snake_case")]
pub(super) enum AxesName {
    /// The global frame W.
    World,
    /// The frame of the body.
    Body,
}

super::named::named!(AxesName => Axes: World, Body);

/// `[[force]]`: a force at a point of a body. Strings in `value` name inputs or parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Force {
    /// Unique name.
    pub name: ForceName,
    /// Body on which the load acts.
    pub body: BodyName,
    /// Point of action on the body, in the design position.
    pub point: Place,
    /// Components in N; each a number, an input or a parameter.
    pub value: Polar,
    /// Frame of `value` and of the numbers in `point`, in the design position. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Axes of the components. Default `world`.
    #[serde(default, with = "super::named")]
    #[cfg_attr(feature = "schema", schemars(with = "AxesName"))]
    pub axes: Axes,
}

impl ForceTable for Force {
    const WORD: &str = "force";

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![vec![&self.body]]
    }
}

/// `[[torque]]`: a torque on a body.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry, New)]
pub struct Torque {
    /// Unique name.
    pub name: ForceName,
    /// Body on which the load acts.
    pub body: BodyName,
    /// Components in N m; each a number, an input or a parameter.
    pub value: Axial,
    /// Frame of `value`, in the design position. Default: W.
    #[serde(rename = "in")]
    pub inside: Option<FrameName>,
    /// Axes of the components. Default `world`.
    #[serde(default, with = "super::named")]
    #[cfg_attr(feature = "schema", schemars(with = "AxesName"))]
    pub axes: Axes,
}

impl ForceTable for Torque {
    const WORD: &str = "torque";

    fn between<'m>(&'m self, _: &'m Model) -> Vec<Vec<&'m String>> {
        vec![vec![&self.body]]
    }
}
