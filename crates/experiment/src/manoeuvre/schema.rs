//! The file of a manoeuvre as plain types; its JSON schema derives from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A manoeuvre: how a vehicle is driven, and what is measured of it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManoeuvreFile {
    /// Title, speed, time, and the size of the steering.
    pub manoeuvre: General,
    /// What goes to the inputs over time. Those of one input are added.
    #[serde(default, rename = "signal")]
    pub signals: Vec<Signal>,
    /// Moments at which something measured crosses a value: times of signals and measures may count from them.
    #[serde(default, rename = "event")]
    pub events: Vec<Event>,
    /// A driver who steers along a path, in place of signals of `steer`.
    pub driver: Option<Driver>,
    /// Lanes between cones, which the outline of the vehicle must not leave.
    #[serde(default, rename = "lane")]
    pub lanes: Vec<Lane>,
    /// Numbers that are found after the run, each by the ones before it at will.
    #[serde(default, rename = "measure")]
    pub measures: Vec<Measure>,
}

impl ballesta::document::FileSchema for ManoeuvreFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::derived::<ManoeuvreFile>()
    }
}

/// `[manoeuvre]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// One line: what it is, and which standard describes it.
    pub title: String,
    /// Speed at the start in m/s, which is held unless a signal of `target` says otherwise.
    pub speed: f64,
    /// Stop time in s; the manoeuvre starts at 0.
    pub stop: f64,
    /// Interval in s at which inputs are given, the driver looks, and everything is measured. Default 0.01.
    #[serde(default = "interval")]
    pub step: f64,
    /// What 1 means in signals of `steer`, in rad, positive. Default 1.
    pub amplitude: Option<f64>,
    /// The same as that angle with which the vehicle goes round in a circle, steadily at the speed of the start, with
    /// this lateral acceleration in m/s², positive: to the left.
    pub lateral_acceleration: Option<f64>,
    /// One run for each: the amplitude is multiplied by it. A negative factor drives the mirror image of the manoeuvre.
    /// Default: one run with 1.
    #[serde(default = "once")]
    pub factors: Vec<f64>,
    /// The steering wheel turns no faster than this, in rad/s. Default: no limit.
    pub steering_rate: Option<f64>,
}

fn interval() -> f64 {
    0.01
}

fn once() -> Vec<f64> {
    vec![1.0]
}

/// `[[signal]]`: one of `points`, `sine` and `sweep`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// `steer`, in parts of the amplitude; `target`, in parts of the speed at the start; `brake`, in parts of the
    /// torques of `[vehicle] brakes`; or another input of the model, in its unit (`model.steer`: one called `steer`).
    pub input: String,
    /// Event from which times count; before it the signal is 0. Default: the start.
    pub after: Option<String>,
    /// Times in s and values: straight lines between them, held before and after; two points at one time are a jump.
    pub points: Option<Vec<[f64; 2]>>,
    /// Periods of a sine.
    pub sine: Option<Sine>,
    /// A sine whose frequency grows steadily.
    pub sweep: Option<Sweep>,
}

/// `sine` of a `[[signal]]`: sin(2π f (t − start)) for so many periods, 0 elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// When it begins, s.
    pub start: f64,
    /// Hz.
    pub frequency: f64,
    /// Number of periods. Default 1.
    #[serde(default = "one")]
    pub periods: f64,
    /// How long the value is held at the peak three quarters of a period after the beginning, s. Default 0.
    #[serde(default)]
    pub dwell: f64,
}

fn one() -> f64 {
    1.0
}

/// `sweep` of a `[[signal]]`: a sine from `start` to `stop`, 0 elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// When it begins, s.
    pub start: f64,
    /// When it ends, s.
    pub stop: f64,
    /// Frequency at the beginning, Hz.
    pub from: f64,
    /// Frequency at the end, Hz.
    pub to: f64,
}

/// `[[event]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Name of the event.
    pub name: String,
    /// What is watched: a channel, or an output of the model (`model.roll`: one called `roll`).
    pub channel: String,
    /// Value that it crosses, in its unit.
    pub crosses: f64,
    /// From which side. Default: from either.
    #[serde(default)]
    pub direction: Direction,
    /// Time in s from which on it is watched. Default 0.
    #[serde(default)]
    pub from: f64,
}

/// Direction of a crossing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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

/// `[driver]`: steers by the distance of the path from the point that is reached after `preview` at the present speed
/// straight ahead. The angle that belongs to a curvature is that of a steady circle, found before the run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driver {
    /// Points x, y in m of the path, in the order in which they are passed, x growing; between them y goes over without
    /// kink or jump of the curvature. This or `radius`.
    #[serde(default)]
    pub path: Vec<[f64; 2]>,
    /// Radius in m of a circle, round after round, which begins at the origin along x; negative: to the right.
    pub radius: Option<f64>,
    /// How far the driver looks ahead, s. Default 0.8.
    #[serde(default = "preview")]
    pub preview: f64,
    /// Time in s by which the hands lag behind. Default 0.1.
    #[serde(default = "lag")]
    pub lag: f64,
}

fn preview() -> f64 {
    0.8
}

fn lag() -> f64 {
    0.1
}

/// `[[lane]]`: from one x to another, between two y, all in m, which may grow with the width of the vehicle.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// Where it begins, x in m.
    pub from: f64,
    /// Where it ends, x in m.
    pub to: f64,
    /// y of the right side for a vehicle without width, m.
    pub right: f64,
    /// y of the left side for a vehicle without width, m.
    pub left: f64,
    /// What is added to `right` for each metre of the width of the vehicle. Default 0.
    #[serde(default)]
    pub right_widths: f64,
    /// What is added to `left` for each metre of the width of the vehicle. Default 0.
    #[serde(default)]
    pub left_widths: f64,
}

/// `[[measure]]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Name, unique.
    pub name: String,
    /// What is done.
    pub what: What,
    /// What is measured: a channel, or an output of the model (`model.roll`: one called `roll`).
    pub channel: Option<String>,
    /// Of `slope`, `gain` and `phase`: the channel to which it is compared.
    pub against: Option<String>,
    /// Of `slope`: from and to of the absolute values of `against` that are taken. Default: all.
    pub range: Option<[f64; 2]>,
    /// Of `at`: the time in s.
    pub at: Option<f64>,
    /// Begin of the time that is looked at, s. Default: the start.
    pub from: Option<f64>,
    /// End of the time that is looked at, s. Default: the stop.
    pub to: Option<f64>,
    /// Event from which `at`, `from` and `to` count. Default: the start.
    pub after: Option<String>,
    /// Of `reach`: the part of `of` that is reached; without `of` the value itself.
    pub part: Option<f64>,
    /// Of `reach`, `ratio`, `difference` and `excess`: an earlier measure.
    pub of: Option<String>,
    /// Of `ratio`, `difference` and `excess`: the earlier measure that it is compared to.
    pub base: Option<String>,
    /// Of `gain` and `phase`: the frequency in Hz.
    pub frequency: Option<f64>,
    /// The result is multiplied by this. Default 1.
    #[serde(default = "one")]
    pub scale: f64,
    /// Unit of the scaled result, for the table.
    #[serde(default)]
    pub unit: String,
    /// The scaled result is at least this, or the manoeuvre is failed.
    pub at_least: Option<f64>,
    /// The scaled result is at most this, or the manoeuvre is failed.
    pub at_most: Option<f64>,
    /// The limits hold for factors of this size and larger ones, of either sign. Default: for all.
    pub limits_from: Option<f64>,
}

/// What a measure does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The value at the time `at`, linear between the samples.
    At,
    /// The arithmetic mean.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The value that is farthest from 0, with its sign.
    Peak,
    /// The largest absolute value.
    Largest,
    /// When that is, in s after `from`.
    TimeOfPeak,
    /// When `part` of `of` is reached first, in s after `from`.
    Reach,
    /// Slope of the straight line with the least squares of `channel` over `against`.
    Slope,
    /// Amplitude of `channel` over that of `against` at `frequency`, by their Fourier integrals.
    Gain,
    /// By how much `channel` is ahead of `against` at `frequency`, rad, from −π to π.
    Phase,
    /// `of` divided by `base`.
    Ratio,
    /// `of` less `base`.
    Difference,
    /// `of` divided by `base`, less 1.
    Excess,
    /// Largest distance by which the outline leaves the lanes, m; negative: the smallest distance to their cones.
    Outside,
}

impl What {
    /// The word of the file.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|word| word.as_str().map(str::to_string)).unwrap_or_default()
    }
}
