//! `[[tyre]]` as plain data.

use super::kinds::*;
use crate::elements::{ForceTable, JointCoordinate};
use crate::geometry::Geometry;
use crate::outputs::Target;
use serde::{Deserialize, Serialize};

/// `[[tyre]]`: a tyre, or a pair of twin tyres, on a wheel with a revolute joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Tyre {
    /// Unique name.
    pub name: ForceName,
    /// Revolute joint of the wheel: the second body is the wheel, the point its centre. The axis points to the left, so
    /// that the speed is positive in forward rolling.
    pub joint: JointName,
    /// Tyre property file (`.tir`). The path is relative to the folder of the model file and inside it.
    pub file: Text,
    /// Name of the road. Default: the only road of the model.
    pub road: Option<RoadName>,
    /// Side of the vehicle. The formula of a tyre measured on the other side is mirrored.
    pub side: Side,
    /// Distance in m between the two tyres of a pair centred on the wheel. Default: one tyre.
    pub twin_spacing: Option<Scalar>,
    /// Inflation pressure in Pa, if the property file models its influence. Default: the pressure of the file.
    pub pressure: Option<Scalar>,
    /// Whether turn slip acts: torque of a wheel steered at standstill, and effect of tight curves on forces. Default:
    /// `USE_MODE` of the file.
    pub turn_slip: Option<bool>,
    /// Whether the tyre envelops obstacles shorter than its footprint (cleats, edges, stones). It then uses the height
    /// and slope under two elliptical cams instead of one point. Default: the value of the road.
    pub enveloping: Option<bool>,
    /// Height in m added to the road under this tyre: a number, an input or a parameter. Default 0.
    #[serde(default = "super::zero")]
    pub road_height: Scalar,
    /// Factor on the friction of the road under this tyre: a number, an input or a parameter. Default 1.
    #[serde(default = "super::one")]
    pub friction: Scalar,
}

impl ForceTable for Tyre {
    const WORD: &str = "tyre";
    const READ_BY: Option<Target> = Some(Target::Tyre);

    fn coordinates(&self) -> Vec<JointCoordinate<'_>> {
        vec![(&self.joint, None)]
    }
}

/// Side of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Left, +y.
    Left,
    /// Right, −y.
    Right,
}
