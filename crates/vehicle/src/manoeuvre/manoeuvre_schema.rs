//! The file of a manoeuvre as plain types; its JSON schema derives from them.

use serde::{Deserialize, Serialize};

/// A manoeuvre: signals or a driver for a vehicle, and measures.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ManoeuvreFile {
    /// Title, speed, time and steering amplitude.
    pub manoeuvre: General,
    /// Signals of inputs over time. Signals of the same input are added.
    #[serde(default, rename = "signal")]
    pub signals: Vec<Signal>,
    /// Events: a channel crosses a value. Times of signals and measures may be relative to an event.
    #[serde(default, rename = "event")]
    pub events: Vec<Event>,
    /// Driver that steers along a path, instead of signals of `steer`.
    pub driver: Option<Driver>,
    /// Lanes between cones that the outline of the vehicle must not leave.
    #[serde(default, rename = "lane")]
    pub lanes: Vec<Lane>,
    /// Measures computed after the run. A measure may use earlier ones.
    #[serde(default, rename = "measure")]
    pub measures: Vec<Measure>,
}

impl ballesta::document::FileSchema for ManoeuvreFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::embedded(include_str!("compact.json"))
    }
}

/// `[manoeuvre]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Title in one line: manoeuvre and standard.
    pub title: String,
    /// Initial speed in m/s, held unless a signal of `target` changes it.
    pub speed: f64,
    /// Stop time in s; the manoeuvre starts at 0.
    pub stop: f64,
    /// Interval in s of inputs, driver and measurements. Default 0.01.
    #[serde(default = "interval")]
    pub step: f64,
    /// Steering wheel angle in rad for the value 1 of `steer` signals, positive. Default 1.
    pub amplitude: Option<f64>,
    /// Amplitude as a lateral acceleration in m/s²: the steering wheel angle of a steady circle to the left at the
    /// initial speed with this acceleration, positive.
    pub lateral_acceleration: Option<f64>,
    /// Factors on the amplitude, one run each. A negative factor drives the mirror image. Default: one run with 1.
    #[serde(default = "once")]
    pub factors: Vec<f64>,
    /// Largest steering wheel rate in rad/s. Default: no limit.
    pub steering_rate: Option<f64>,
}

fn interval() -> f64 {
    0.01
}

fn once() -> Vec<f64> {
    vec![1.0]
}

/// `[[signal]]`: one of `points`, `sine` and `sweep`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// `steer` (fraction of the amplitude), `target` (fraction of the initial speed), `brake` (fraction of the torques
    /// of `[vehicle] brakes`), or another input of the model in its unit; `model.steer` for an input named `steer`.
    pub input: String,
    /// Event to which times are relative. The signal is 0 before it. Default: the start.
    pub after: Option<String>,
    /// Times in s and values, linear between points and constant before and after. Two points at the same time are a
    /// jump.
    pub points: Option<Vec<[f64; 2]>>,
    /// Periods of a sine.
    pub sine: Option<Sine>,
    /// Sine with a continuously increasing frequency.
    pub sweep: Option<Sweep>,
}

/// `sine` of a `[[signal]]`: sin(2π f (t − start)) for `periods` periods, 0 elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// Start time in s.
    pub start: f64,
    /// Frequency in Hz.
    pub frequency: f64,
    /// Number of periods. Default 1.
    #[serde(default = "one")]
    pub periods: f64,
    /// Dwell in s at the peak three quarters of a period after the start. Default 0.
    #[serde(default)]
    pub dwell: f64,
}

fn one() -> f64 {
    1.0
}

/// `sweep` of a `[[signal]]`: a sine from `start` to `stop`, 0 elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Start time in s.
    pub start: f64,
    /// End time in s.
    pub stop: f64,
    /// Initial frequency in Hz.
    pub from: f64,
    /// Final frequency in Hz.
    pub to: f64,
}

/// `[[event]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Name of the event.
    pub name: String,
    /// Channel, or output of the model (`model.roll` for an output named `roll`).
    pub channel: String,
    /// Value of the crossing, in the unit of the channel.
    pub crosses: f64,
    /// Direction of the crossing. Default: either.
    #[serde(default)]
    pub direction: Direction,
    /// Time in s from which crossings are detected. Default 0.
    #[serde(default)]
    pub from: f64,
}

/// Direction of a crossing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// From either side.
    #[default]
    Any,
}

/// `[driver]`: steers according to the distance between the path and the point reached after `preview` straight ahead
/// at the present speed. The steering angle for a curvature is the angle of a steady circle, computed before the run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Points x, y of the path in m, in driving order with increasing x, joined with continuous slope and curvature.
    /// Alternative to `radius`.
    #[serde(default)]
    pub path: Vec<[f64; 2]>,
    /// Radius in m of a circle driven repeatedly, starting at the origin along x. Negative: to the right.
    pub radius: Option<f64>,
    /// Preview time in s. Default 0.8.
    #[serde(default = "preview")]
    pub preview: f64,
    /// Steering lag in s. Default 0.1.
    #[serde(default = "lag")]
    pub lag: f64,
}

fn preview() -> f64 {
    0.8
}

fn lag() -> f64 {
    0.1
}

/// `[[lane]]`: a range of x with limits in y, in m, which may depend on the width of the vehicle.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// Start of the lane, x in m.
    pub from: f64,
    /// End of the lane, x in m.
    pub to: f64,
    /// y of the right side in m for a vehicle of zero width.
    pub right: f64,
    /// y of the left side in m for a vehicle of zero width.
    pub left: f64,
    /// Change of `right` per metre of vehicle width. Default 0.
    #[serde(default)]
    pub right_widths: f64,
    /// Change of `left` per metre of vehicle width. Default 0.
    #[serde(default)]
    pub left_widths: f64,
}

/// `[[measure]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Unique name.
    pub name: String,
    /// Kind of measure.
    pub what: What,
    /// Channel, or output of the model (`model.roll` for an output named `roll`).
    pub channel: Option<String>,
    /// For `slope`, `gain` and `phase`: reference channel.
    pub against: Option<String>,
    /// For `slope`: range of the absolute values of `against`. Default: all.
    pub range: Option<[f64; 2]>,
    /// For `at`: time in s.
    pub at: Option<f64>,
    /// Start of the evaluated time in s. Default: the start.
    pub from: Option<f64>,
    /// End of the evaluated time in s. Default: the stop.
    pub to: Option<f64>,
    /// Event to which `at`, `from` and `to` are relative. Default: the start.
    pub after: Option<String>,
    /// For `reach`: fraction of `of`, or without `of` the value itself.
    pub part: Option<f64>,
    /// For `reach`, `ratio`, `difference` and `excess`: an earlier measure.
    pub of: Option<String>,
    /// For `ratio`, `difference` and `excess`: the earlier measure used as reference.
    pub base: Option<String>,
    /// For `gain` and `phase`: frequency in Hz.
    pub frequency: Option<f64>,
    /// Factor on the result. Default 1.
    #[serde(default = "one")]
    pub scale: f64,
    /// Unit of the scaled result in the table.
    #[serde(default)]
    pub unit: String,
    /// Lower limit of the scaled result; below it the manoeuvre fails.
    pub at_least: Option<f64>,
    /// Upper limit of the scaled result; above it the manoeuvre fails.
    pub at_most: Option<f64>,
    /// Smallest absolute factor to which the limits apply. Default: all factors.
    pub limits_from: Option<f64>,
}

/// Kind of measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Value at the time `at`, linear between samples.
    At,
    /// The arithmetic mean.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// Value farthest from 0, with its sign.
    Peak,
    /// The largest absolute value.
    Largest,
    /// Time of the peak, in s after `from`.
    TimeOfPeak,
    /// First time at which `part` of `of` is reached, in s after `from`.
    Reach,
    /// Slope of the least-squares line of `channel` over `against`.
    Slope,
    /// Ratio of the amplitudes of `channel` and `against` at `frequency`, from Fourier integrals.
    Gain,
    /// Phase lead of `channel` over `against` at `frequency`, in rad from −π to π.
    Phase,
    /// `of` divided by `base`.
    Ratio,
    /// `of` minus `base`.
    Difference,
    /// `of` divided by `base`, minus 1.
    Excess,
    /// Largest distance in m by which the outline leaves the lanes. Negative: smallest distance to the cones.
    Outside,
}

impl What {
    /// Name in the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|word| word.as_str().map(str::to_string)).unwrap_or_default()
    }
}
