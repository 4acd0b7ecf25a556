//! `[vehicle]` and `[[driver]]` as plain data.

use super::kinds::*;
use super::{Number, Place, one, zero};
use crate::elements::ForceTable;
use crate::geometry::Geometry;
use crate::outputs::Target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[vehicle]`: inputs and measured bodies for `ballesta manoeuvre`. It does not affect results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vehicle {
    /// Measured body. Its forward direction in the design position is x.
    pub body: String,
    /// Measured point of the body. Default: its centre of mass.
    pub point: Option<Place>,
    /// Input with the steering wheel angle in rad, positive to the left.
    pub steer: String,
    /// Input with the target speed of a `[[speed_control]]` in m/s.
    pub target: String,
    /// Parameter with the initial speed in m/s.
    pub speed: String,
    /// Inputs of the brakes, each with its torque in N m at full demand.
    #[serde(default)]
    pub brakes: BTreeMap<String, f64>,
    /// Towed bodies, from the front. Their measures are named `towed1` and so on.
    #[serde(default)]
    pub towed: Vec<String>,
    /// Distance in m from the front axle to the rear axle, or to the middle of the rear axles.
    pub wheelbase: Option<f64>,
    /// Steering wheel angle per road wheel angle.
    pub steering_ratio: Option<f64>,
    /// Foremost and rearmost x in the design position, and width, in m, for the distance from cones.
    pub outline: Option<[f64; 3]>,
}

/// `[[driver]]`: a driver model that follows a path, keeps speed limits and stops at lines. Its commands are added to
/// inputs of the model, which start at 0.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Driver {
    /// Unique name.
    pub name: ForceName,
    /// Body that follows the path.
    pub body: BodyName,
    /// Point of the body that follows the path.
    pub point: Place,
    /// Forward direction, fixed in the body. Default [1, 0, 0].
    #[geometry(default = X)]
    pub axis: Option<Polar>,
    /// Path: a `[[curve]]` fixed to the ground, of which x and y are used. Positions along it are lengths of the chords
    /// between its points, in m.
    pub curve: CurveName,
    /// `true`: drives backwards along the curve. Default `false`.
    #[serde(default)]
    pub reverse: bool,
    /// Further legs of the path. The driver stops at the end of every leg.
    #[serde(default, rename = "leg")]
    pub legs: Vec<DrivenLeg>,
    /// Input with the steering wheel angle in rad, positive to the left. Default: no steering.
    pub steer: Option<VariableName>,
    /// Steering wheel angle per road wheel angle, negative if a positive angle steers to the right. Default 1.
    #[serde(default = "one")]
    pub steering_ratio: SteeringRatio,
    /// Distance in m from the front axle to the rear axle, or to the middle of the rear axles.
    pub wheelbase: Scalar,
    /// Understeer gradient: road wheel angle per lateral acceleration in addition to the kinematic angle, rad s²/m.
    /// Default 0.
    #[serde(default = "zero")]
    pub understeer: Scalar,
    /// Preview time in s, over which the driver returns to the path. Default 0.6.
    #[serde(default = "default_preview")]
    pub preview: Scalar,
    /// Response delay of the vehicle per m/s of speed, in s²/m. The driver steers earlier by this delay. Default 0.01.
    #[serde(default = "default_lead")]
    pub lead: Scalar,
    /// First-order lag of the steering in s. Default 0.05.
    #[serde(default = "default_steering_lag")]
    pub steering_lag: Scalar,
    /// Largest steering wheel angle in rad. Default: no limit.
    pub max_angle: Option<Scalar>,
    /// Largest steering wheel rate in rad/s. Default: no limit.
    pub max_rate: Option<Scalar>,
    /// Input with the target speed of a `[[speed_control]]` in m/s. Default: no speed command.
    pub target: Option<VariableName>,
    /// Desired speed in m/s: a number, an input or a parameter. 0 is standstill.
    pub speed: Signal,
    /// Speed limits: rows of the position along the path in m from which a limit applies, and the limit in m/s.
    /// Default: none.
    #[serde(default)]
    pub limits: Vec<[Scalar; 2]>,
    /// Acceleration in m/s². Default 1.5.
    #[serde(default = "default_acceleration")]
    pub acceleration: Scalar,
    /// Deceleration before limits and stops in m/s². Default 2.5.
    #[serde(default = "default_deceleration")]
    pub deceleration: Scalar,
    /// Stops along the path.
    #[serde(default, rename = "stop")]
    pub stops: Vec<Stop>,
    /// Inputs of the brakes, each `{ input = "…", gain = … }`. Default: no braking.
    #[serde(default)]
    pub brakes: Vec<DrivenBrake>,
    /// Deceleration in m/s² at the brake demand 1. Default 8.
    #[serde(default = "default_full_braking")]
    pub full_braking: Scalar,
    /// First-order lag of the brake demand in s. Default 0.1.
    #[serde(default = "default_brake_lag")]
    pub brake_lag: Scalar,
}

impl ForceTable for Driver {
    const WORD: &str = "driver";
    const READ_BY: Option<Target> = Some(Target::Driver);
}

/// `[[driver.stop]]`: a stop along the path.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct Stop {
    /// Position along the path in m at which the driver's point comes to rest.
    pub at: Scalar,
    /// Duration of the stop in s. Default: to the end.
    pub hold: Option<Scalar>,
}

/// `[[driver.leg]]`: a part of the path that begins at the end of the previous part.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct DrivenLeg {
    /// An open `[[curve]]` in the direction of travel. Positions along the path continue from the previous leg.
    pub curve: CurveName,
    /// `true`: drives backwards along the curve. Default `false`.
    #[serde(default)]
    pub reverse: bool,
    /// Largest speed on this leg in m/s. Default: no limit.
    pub speed: Option<Scalar>,
    /// Duration of the stop before this leg in s. Default 1.
    #[serde(default = "one")]
    pub hold: Scalar,
}

/// An input of a brake that a driver applies.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[derive(Geometry)]
pub struct DrivenBrake {
    /// Name of the input.
    pub input: VariableName,
    /// Value of the input at the demand 1, such as a torque in N m.
    pub gain: Scalar,
}

fn default_preview() -> Number {
    Number::Value(0.6)
}

fn default_lead() -> Number {
    Number::Value(0.01)
}

fn default_steering_lag() -> Number {
    Number::Value(0.05)
}

fn default_acceleration() -> Number {
    Number::Value(1.5)
}

fn default_deceleration() -> Number {
    Number::Value(2.5)
}

fn default_full_braking() -> Number {
    Number::Value(8.0)
}

fn default_brake_lag() -> Number {
    Number::Value(0.1)
}
