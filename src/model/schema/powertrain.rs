//! Powertrain and brake lines as plain data.

use super::{CoupledCoordinate, Number, Place, Signal, Vector, one, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[brake_line]]`: pressure at a wheel, which is given to an input of its brake; with valve and slip control.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrakeLine {
    /// Unique name.
    pub name: String,
    /// Joint in which the wheel turns.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Pressure that is asked for: a number, an input or a parameter, in bar, Pa or parts of the full one. Below 0 it
    /// is 0.
    pub demand: Signal,
    /// Input of the brake, which starts at 0: what the line gives is added to it.
    pub input: String,
    /// What the input gets per unit of pressure.
    pub gain: Number,
    /// Time constant of the pressure in s. Default 0.02.
    #[serde(default = "default_line_time")]
    pub time: Number,
    /// Fastest rise of the pressure, its unit per s. Default: no limit.
    pub build_rate: Option<Number>,
    /// Fastest fall of the pressure, its unit per s. Default: no limit.
    pub release_rate: Option<Number>,
    /// Valve: a number, an input or a parameter; 0 open, 0.5 closed (the pressure is held), 1 released. Default 0.
    #[serde(default = "zero")]
    pub valve: Signal,
    /// With slip control: body of the point whose speed counts as that of the vehicle.
    pub body: Option<String>,
    /// With slip control: that point, such as the wheel's centre.
    pub point: Option<Place>,
    /// Forward direction, fixed in the body. Default [1, 0, 0].
    pub axis: Option<Vector>,
    /// With slip control: rolling radius of the wheel in m, negative where positive speed of the coordinate is
    /// backwards.
    pub radius: Option<Number>,
    /// With slip control: slip up to which the whole demand is let through, and slip from which on nothing is.
    pub slip: Option<[Number; 2]>,
    /// Speed in m/s below which slip is not controlled; it sets in fully at twice that. Default 1.5.
    #[serde(default = "default_min_speed")]
    pub min_speed: Number,
}

fn default_line_time() -> Number {
    Number::Value(0.02)
}

fn default_min_speed() -> Number {
    Number::Value(1.5)
}

/// `[[engine]]`: engine or motor, torque on a joint coordinate by a map of speed and throttle.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Unique name.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Coordinate of the joint; needed when it has more than one.
    pub coordinate: Option<String>,
    /// Speed of the engine over that of the coordinate, −1 where positive speed is backwards. Default 1.
    pub ratio: Option<Number>,
    /// Speeds in rad/s, ascending: a row of `torques` each.
    pub speeds: Vec<f64>,
    /// Throttles, ascending from 0 on, mostly to 1: a column of `torques` each. That of 0 is the drag.
    pub throttles: Vec<f64>,
    /// Torques in N m, a row per speed with a number per throttle.
    pub torques: Vec<Vec<f64>>,
    /// Throttle: a number, an input or a parameter.
    pub throttle: Signal,
    /// Speed in rad/s below which a governor opens the throttle. Default: no governor.
    pub idle_speed: Option<Number>,
    /// Throttle that the governor gives at the idle speed and below. Default 0.2.
    #[serde(default = "default_idle_throttle")]
    pub idle_throttle: Number,
    /// Time constant of the torque in s. Default 0.1.
    #[serde(default = "default_engine_time")]
    pub time: Number,
}

fn default_idle_throttle() -> Number {
    Number::Value(0.2)
}

fn default_engine_time() -> Number {
    Number::Value(0.1)
}

/// `[[clutch]]`: friction between joint coordinates, which locks: a clutch, or the lock of a differential.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clutch {
    /// Unique name.
    pub name: String,
    /// The coordinates, each `{ joint = "…", coordinate = "…", ratio = … }`: the slip is the sum of ratio times speed,
    /// so that two shafts of one sense have the ratios 1 and −1.
    pub coordinates: Vec<CoupledCoordinate>,
    /// Largest torque or force that is carried without sliding, at the ratio 1, in N m or N.
    pub torque: Signal,
    /// Factor on it, such as 0 to 1: a number, an input or a parameter. Default 1.
    #[serde(default = "one")]
    pub engagement: Signal,
    /// Torque bias ratio of a differential, 1 or more: with three coordinates, an input and two outputs with one ratio,
    /// the slower output gets so many times the torque of the faster one. Default: there is none.
    pub bias: Option<Number>,
    /// Torque per slip beside it in N m s/rad or N s/m. Default 0.
    #[serde(default = "zero")]
    pub viscous: Number,
    /// Angle or travel in rad or m by which the clutch yields elastically before it slides. Default 0.02.
    #[serde(default = "default_presliding")]
    pub presliding: Number,
    /// Time constant in s of the damping when it is locked. Default 0.002.
    #[serde(default = "default_bristle_time")]
    pub time: Number,
}

fn default_presliding() -> Number {
    Number::Value(0.02)
}

fn default_bristle_time() -> Number {
    Number::Value(0.002)
}

/// `[[gearbox]]`: gears between two joint coordinates, shifted by a signal.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gearbox {
    /// Unique name.
    pub name: String,
    /// Input and output, each `{ joint = "…", coordinate = "…" }`, with `ratio = -1` where positive speed is backwards.
    pub coordinates: [CoupledCoordinate; 2],
    /// Speed of the input over that of the output, from the first gear on.
    pub ratios: Vec<Number>,
    /// The same of the reverse gear, positive. Default: there is none.
    pub reverse: Option<Number>,
    /// Gear: a number, an input or a parameter; 1 and up forward, 0 neutral, −1 reverse. Half-way nothing is carried.
    /// With `shifts` the highest gear forward.
    pub gear: Signal,
    /// Automatic shifts between the gears forward.
    pub shifts: Option<Shifts>,
    /// Largest torque at the input that gears and synchronisers carry, in N m.
    pub torque: Number,
    /// Angle at the input in rad by which the box yields elastically at that torque. Default 0.02.
    #[serde(default = "default_presliding")]
    pub presliding: Number,
    /// Time constant in s of the damping when a gear is engaged. Default 0.002.
    #[serde(default = "default_bristle_time")]
    pub time: Number,
}

/// `[gearbox.shifts]`: when a gearbox shifts by itself.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shifts {
    /// Throttle: a number, an input or a parameter.
    pub throttle: Signal,
    /// Throttles, ascending: a column of `up` and `down` each.
    pub throttles: Vec<f64>,
    /// Speeds of the output in rad/s above which it shifts up from the first gear, from the second, and so on: a row
    /// per gear but the last, with a number per throttle.
    pub up: Vec<Vec<f64>>,
    /// Speeds below which it shifts down to the first gear, to the second, and so on, each below that of `up`.
    pub down: Vec<Vec<f64>>,
    /// Duration of a shift in s. Default 0.3.
    #[serde(default = "default_shift_time")]
    pub time: Number,
}

fn default_shift_time() -> Number {
    Number::Value(0.3)
}

/// `[[torque_converter]]`: hydrodynamic torque converter between two joint coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorqueConverter {
    /// Unique name.
    pub name: String,
    /// Pump and turbine, each `{ joint = "…", coordinate = "…" }`, with `ratio = -1` where positive speed is backwards.
    pub coordinates: [CoupledCoordinate; 2],
    /// Rows of the speed of the turbine over that of the pump, ascending; of the torque of the pump over the square of
    /// its speed in N m s²/rad², negative where the turbine drives; and of the torque of the turbine over that of the
    /// pump.
    pub table: Vec<[f64; 3]>,
}
