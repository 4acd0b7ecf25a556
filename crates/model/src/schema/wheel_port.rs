//! `[[wheel_port]]` as plain data.

use super::kinds::*;
use crate::elements::ForceTable;
use crate::geometry::Geometry;
use serde::{Deserialize, Serialize};

/// `[[wheel_port]]`: a wheel with an external tyre model. The motion of the wheel is an output, and the load of the
/// road is an input. Loading adds these variables.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct WheelPort {
    /// Unique structured name and prefix of the variables, such as `wheel_FL.pos.x`.
    pub name: ForceName,
    /// Revolute joint of the wheel: the second body is the wheel, the point its centre. A `[[tyre]]` on this joint and
    /// its outputs are removed.
    pub joint: JointName,
}

impl ForceTable for WheelPort {
    const WORD: &str = "wheel port";
}
