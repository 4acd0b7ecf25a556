//! `[vehicle]` as plain data.

use super::Place;
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
