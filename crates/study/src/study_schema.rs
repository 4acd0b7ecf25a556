//! The file of a parameter study as plain types; its JSON schema derives from them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A study: a model, the varied quantities, and the results kept of every run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// The model, the experiment, and the number of runs.
    pub study: General,
    /// Quantities that vary between runs. Grids, lists and lists of files are crossed; distributions are sampled
    /// together.
    #[serde(default)]
    pub vary: Vec<Vary>,
    /// Results kept of every run. Each one adds one or more columns to the result. Default: the final values of all
    /// outputs.
    #[serde(default)]
    pub keep: Vec<Keep>,
}

impl ballesta::document::FileSchema for StudyFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::embedded(include_str!("compact.json"))
    }
}

/// `[study]`: the model, the experiment, and the number of runs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// File or folder of the model, relative to the folder of the study file, with `/` between folders.
    pub model: String,
    /// Number of points of the distributions; every combination of grids and lists uses the same points. Required with
    /// a distribution, otherwise not allowed.
    pub runs: Option<u64>,
    /// Sampling of the distributions. Default `sobol`.
    pub sampling: Option<Sampling>,
    /// Seed of the sampling. Default 1.
    pub seed: Option<u64>,
    /// Stop time in s. Default: the stop time of the model's experiment.
    pub stop: Option<f64>,
    /// Communication step in s, the interval of evaluated points. Default: the step of the model's experiment, or its
    /// internal step.
    pub step: Option<f64>,
    /// `true`: every run starts in the equilibrium near the assembled position, as with `run --trim`. `false`: at the
    /// assembled position. Default: as in the model.
    pub trim: Option<bool>,
    /// File with inputs over time for all runs, as for `run --inputs`, relative to the folder of the study file.
    pub inputs: Option<String>,
    /// Constant values of parameters and inputs in all runs, in the units of the model.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Number of runs that are computed, stored and distributed together as a row group of the result. Default: a 128th
    /// of all runs, from 1 to 4096, fewer if traces make the rows long.
    pub block: Option<u64>,
}

/// Sampling of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Sobol sequence (directions of Joe and Kuo) from its first point, with a random digital shift per dimension.
    /// Balanced if the number of runs is a power of two.
    Sobol,
    /// Latin hypercube: every dimension has as many equally probable strata as runs, with one point in each stratum, in
    /// random order.
    LatinHypercube,
    /// Independent random points.
    Random,
}

/// `[[vary]]`: `name` or `scale` with `values`, `from` and `to`, or a `distribution`; or `inputs`; or `table`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// Name of a parameter or input of the model.
    pub name: Option<String>,
    /// Name of a column of the study's input file whose values are multiplied by the factor.
    pub scale: Option<String>,
    /// Input files, used in turn instead of `[study] inputs`, relative to the folder of the study file.
    pub inputs: Option<Vec<String>>,
    /// CSV file with a column per parameter or input and a row per combination of values. The header contains the
    /// names. The path is relative to the folder of the study file.
    pub table: Option<String>,
    /// List of values, in the unit of the model.
    pub values: Option<Vec<f64>>,
    /// First value of a grid, in the unit of the model.
    pub from: Option<f64>,
    /// Last value of a grid.
    pub to: Option<f64>,
    /// Number of values of a grid, at least 2.
    pub count: Option<u64>,
    /// Spacing of a grid. Default `linear`.
    pub spacing: Option<Spacing>,
    /// Distribution, sampled at `[study] runs` points.
    pub distribution: Option<Kind>,
    /// Smallest value; truncates `normal` and `log_normal`.
    pub min: Option<f64>,
    /// Largest value; truncates `normal` and `log_normal`.
    pub max: Option<f64>,
    /// Most probable value of `triangular`.
    pub mode: Option<f64>,
    /// Mean of `normal` and of `log_normal` (of the value, not of its logarithm), before truncation.
    pub mean: Option<f64>,
    /// Standard deviation of `normal` and of `log_normal` (of the value, not of its logarithm), before truncation.
    pub standard_deviation: Option<f64>,
}

/// Spacing of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios; `from` and `to` are positive.
    Log,
}

/// Kinds of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Equal density between `min` and `max`.
    Uniform,
    /// Uniform logarithm between `min` and `max`.
    LogUniform,
    /// Normal with `mean` and `standard_deviation`, truncated to `min` and `max` if given.
    Normal,
    /// Normal logarithm; `mean` and `standard_deviation` refer to the value. Truncated to `min` and `max` if given.
    LogNormal,
    /// Triangular density, 0 at `min` and `max`, largest at `mode`.
    Triangular,
}

/// `[[keep]]`: one of `output`, `event` with its `output`, or `trace`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Name of an output variable, or of a vector for all its components.
    pub output: Option<String>,
    /// Statistics kept of the output, one column each. Default `["final"]` without `percentiles`.
    pub what: Option<Vec<What>>,
    /// Percentiles of the output over the communication points, each from 0 to 100, with linear interpolation between
    /// the ordered values.
    pub percentiles: Option<Vec<f64>>,
    /// Name of a column with the time in s of the first crossing of `crosses`, empty without a crossing.
    pub event: Option<String>,
    /// Value of the crossing, in the unit of the output.
    pub crosses: Option<f64>,
    /// Direction of the crossing. Default `any`.
    pub direction: Option<Direction>,
    /// Names of outputs or vectors whose values at communication points are kept as lists.
    pub trace: Option<Vec<String>>,
    /// Number of communication points per point of a trace, counted from the first. Default 1.
    pub every: Option<u64>,
    /// First time of evaluated communication points in s. Default: the start.
    pub from: Option<f64>,
    /// Last time of evaluated communication points in s. Default: the stop.
    pub to: Option<f64>,
    /// First part of the column names. Default: the name of the output.
    pub name: Option<String>,
}

/// Statistics of an output over the communication points of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The last value.
    Final,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The largest absolute value.
    MaxAbs,
    /// The arithmetic mean.
    Mean,
    /// The root of the mean square.
    Rms,
}

impl What {
    /// Name in the file.
    pub fn word(self) -> &'static str {
        match self {
            What::Final => "final",
            What::Min => "min",
            What::Max => "max",
            What::MaxAbs => "max_abs",
            What::Mean => "mean",
            What::Rms => "rms",
        }
    }
}

/// Direction in which an output crosses a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// Either direction.
    #[default]
    Any,
}
