//! `[vehicle]` and `[[driver]]` as plain data.

use super::{Number, Place, Signal, Vector, one, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[vehicle]`: what a manoeuvre (`ballesta manoeuvre`) drives and measures. It changes no result.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vehicle {
    /// Body whose motion is measured. In the design position it looks along x.
    pub body: String,
    /// Point of the body whose motion is measured. Default: its centre of mass.
    pub point: Option<Place>,
    /// Input with the angle of the steering wheel in rad, positive to the left.
    pub steer: String,
    /// Input with the speed in m/s that a `[[speed_control]]` holds.
    pub target: String,
    /// Parameter with the speed at the start in m/s.
    pub speed: String,
    /// Inputs of the brakes, each with its torque in N m where the demand is 1.
    #[serde(default)]
    pub brakes: BTreeMap<String, f64>,
    /// Bodies that are towed, from the front: what is measured of them is called `towed1` and so on.
    #[serde(default)]
    pub towed: Vec<String>,
    /// Distance of the front axle from the rear axle, or from the middle of the rear axles, in m.
    pub wheelbase: Option<f64>,
    /// Angle of the steering wheel over that of the road wheels.
    pub steering_ratio: Option<f64>,
    /// Foremost and rearmost x in the design position, and width, in m: what stays between cones.
    pub outline: Option<[f64; 3]>,
}

/// `[[driver]]`: a driver who follows a path, keeps to speed limits and stops at lines. What he gives is added to
/// inputs of the model, which start at 0.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Unique name.
    pub name: String,
    /// The body that follows the path.
    pub body: String,
    /// Point of the body that follows the path.
    pub point: Place,
    /// Forward direction, fixed in the body. Default [1, 0, 0].
    pub axis: Option<Vector>,
    /// The path: a `[[curve]]`, fixed to the ground, of which x and y count. Places along it are lengths of the
    /// straight lines between its points, in m.
    pub curve: String,
    /// `true`: he drives along it backwards. Default `false`.
    #[serde(default)]
    pub reverse: bool,
    /// Where the path goes on: he stops at the end of each curve, and for good at that of the last.
    #[serde(default, rename = "leg")]
    pub legs: Vec<DrivenLeg>,
    /// Input with the angle of the steering wheel in rad, positive to the left. Default: he does not steer.
    pub steer: Option<String>,
    /// Angle of the steering wheel over that of the road wheels, negative where a positive one steers to the right.
    /// Default 1.
    #[serde(default = "one")]
    pub steering_ratio: Number,
    /// Distance of the front axle from the rear axle, or from the middle of the rear axles, in m.
    pub wheelbase: Number,
    /// Angle of the road wheels per lateral acceleration beyond that of the wheelbase, rad s²/m. Default 0.
    #[serde(default = "zero")]
    pub understeer: Number,
    /// How far ahead he wants to be on the path again, s. Default 0.6.
    #[serde(default = "default_preview")]
    pub preview: Number,
    /// Time by which the vehicle is late, for each m/s of its speed, s²/m: he steers as much earlier. Default 0.01.
    #[serde(default = "default_lead")]
    pub lead: Number,
    /// Time by which the hands lag behind, s. Default 0.05.
    #[serde(default = "default_steering_lag")]
    pub steering_lag: Number,
    /// Largest angle of the steering wheel, rad. Default: no limit.
    pub max_angle: Option<Number>,
    /// Largest rate of the steering wheel, rad/s. Default: no limit.
    pub max_rate: Option<Number>,
    /// Input with the speed in m/s that a `[[speed_control]]` holds. Default: he has no throttle.
    pub target: Option<String>,
    /// Wanted speed in m/s: a number, an input or a parameter. With 0 he stands.
    pub speed: Signal,
    /// Speed limits: rows of the place along the path from which on a limit holds, and the limit in m/s. Default: none.
    #[serde(default)]
    pub limits: Vec<[Number; 2]>,
    /// Acceleration in m/s². Default 1.5.
    #[serde(default = "default_acceleration")]
    pub acceleration: Number,
    /// Deceleration before limits and stops in m/s². Default 2.5.
    #[serde(default = "default_deceleration")]
    pub deceleration: Number,
    /// Where he stops.
    #[serde(default, rename = "stop")]
    pub stops: Vec<Stop>,
    /// Inputs of the brakes, each `{ input = "…", gain = … }`. Default: he does not brake.
    #[serde(default)]
    pub brakes: Vec<DrivenBrake>,
    /// Deceleration in m/s² where the demand of the brakes is 1. Default 8.
    #[serde(default = "default_full_braking")]
    pub full_braking: Number,
    /// Time by which the foot lags behind, s. Default 0.1.
    #[serde(default = "default_brake_lag")]
    pub brake_lag: Number,
}

/// `[[driver.stop]]`: a line at which the driver stops.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Place along the path where the point of the driver comes to rest, m.
    pub at: Number,
    /// How long he stands there, s. Default: to the end.
    pub hold: Option<Number>,
}

/// `[[driver.leg]]`: a part of the path that begins where the one before it ends.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrivenLeg {
    /// A `[[curve]]` with ends, in the direction of travel. Places along the path count on.
    pub curve: String,
    /// `true`: he drives along it backwards. Default `false`.
    #[serde(default)]
    pub reverse: bool,
    /// Largest speed on it in m/s. Default: no limit.
    pub speed: Option<Number>,
    /// How long he stands before it begins, s. Default 1.
    #[serde(default = "one")]
    pub hold: Number,
}

/// An input of a brake that a driver presses.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrivenBrake {
    /// Name of the input.
    pub input: String,
    /// Its value where the demand is 1, such as a torque in N m.
    pub gain: Number,
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
