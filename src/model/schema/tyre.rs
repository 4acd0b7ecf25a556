//! `[[tyre]]` as plain data.

use super::Number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[tyre]]`: a tyre, or a pair of twin tyres, on a wheel that turns in a revolute joint.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tyre {
    /// Unique name.
    pub name: String,
    /// The wheel's revolute joint: its second body is the wheel, its point the wheel's centre, its axis points to the
    /// left of the vehicle, so that a wheel that rolls forward has a positive speed.
    pub joint: String,
    /// Tyre property file (`.tir`): a path from the folder of the model file that stays inside it.
    pub file: String,
    /// Name of the road. Default: the only road of the model.
    pub road: Option<String>,
    /// Side of the vehicle on which the tyre is mounted; the formula of a tyre that was measured on the other side is
    /// mirrored.
    pub side: Side,
    /// Distance in m of the two tyres of a pair, which is centred on the wheel's centre. Default: one tyre.
    pub twin_spacing: Option<Number>,
    /// Inflation pressure in Pa, where the property file knows its influence. Default: that of the file.
    pub pressure: Option<Number>,
    /// Whether turn slip acts: the torque of a wheel that is steered at a standstill, and what tight curves do to
    /// forces. Default: as `USE_MODE` of the file says.
    pub turn_slip: Option<bool>,
    /// Whether the tyre envelops obstacles that are short beside its footprint: cleats, edges, stones. It then feels
    /// the height and slope that two elliptical cams find, in place of those of one point. Default: as the road says.
    pub enveloping: Option<bool>,
    /// Height in m by which the road under this tyre is raised: a number, an input or a parameter. Default 0.
    #[serde(default = "super::zero")]
    pub road_height: Number,
    /// Factor on the friction of the road under this tyre: a number, an input or a parameter. Default 1.
    #[serde(default = "super::one")]
    pub friction: Number,
}

/// Side of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Left, +y.
    Left,
    /// Right, −y.
    Right,
}
