//! The file of a parameter study as plain types; its JSON schema derives from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A study: a model, what is varied, and what is kept of every run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    /// The model, the experiment, and the number of runs.
    pub study: General,
    /// What varies from run to run. Grids, lists and lists of files are crossed; distributions are sampled together.
    #[serde(default)]
    pub vary: Vec<Vary>,
    /// What is kept of every run: a column, or several, of the result. Default: the final values of all outputs.
    #[serde(default)]
    pub keep: Vec<Keep>,
}

impl ballesta::document::FileSchema for StudyFile {
    fn reading_schema() -> serde_json::Value {
        ballesta::document::derived::<StudyFile>()
    }
}

/// `[study]`: the model, the experiment, and the number of runs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Short description, one paragraph.
    #[serde(default)]
    pub description: String,
    /// The model's file or folder, relative to the folder of the study's file, with `/` between folders.
    pub model: String,
    /// Number of points of the distributions. With grids and lists besides, every combination of their values has these
    /// same points. Needed where there is a distribution, and not allowed elsewhere.
    pub runs: Option<u64>,
    /// How the distributions are sampled. Default `sobol`.
    pub sampling: Option<Sampling>,
    /// Seed of the sampling. Default 1.
    pub seed: Option<u64>,
    /// Stop time in s. Default: that of the model's experiment.
    pub stop: Option<f64>,
    /// Communication step in s: the points that are looked at. Default: that of the model's experiment, else its
    /// internal step.
    pub step: Option<f64>,
    /// `true`: every run starts in the equilibrium near the assembled position, as with `run --trim`; `false`: at the
    /// assembled position. Default: as the model says.
    pub trim: Option<bool>,
    /// Inputs over time for all runs: a file as `run --inputs` takes it, relative to the folder of the study's file.
    pub inputs: Option<String>,
    /// Values of parameters and inputs that are the same in all runs, in the units of the model.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Number of runs that are made, stored and sent to other machines together; a row group of the result. Default: a
    /// 128th of all runs, at least 1 and at most 4096, fewer where traces make the rows long.
    pub block: Option<u64>,
}

/// How distributions are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Sobol sequence (directions of Joe and Kuo) from its first point on, with a random digital shift for every
    /// dimension. Balanced when the number of runs is a power of two.
    Sobol,
    /// Latin hypercube: as many strata of equal probability as runs in every dimension, one point in each, in random
    /// order.
    LatinHypercube,
    /// Independent random points.
    Random,
}

/// `[[vary]]`: `name` or `scale` with `values`, `from` and `to`, or a `distribution`; or `inputs`; or `table`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// Name of a parameter or input of the model.
    pub name: Option<String>,
    /// Name of a column of the study's input file, all of whose values are multiplied by the factor.
    pub scale: Option<String>,
    /// Input files, one after the other in place of `[study] inputs`, relative to the folder of the study's file.
    pub inputs: Option<Vec<String>>,
    /// A CSV file with a column per parameter or input and a row per combination of their values, such as another
    /// program's design of experiments; relative to the folder of the study's file. Header: the names.
    pub table: Option<String>,
    /// A list of values, in the unit of the model.
    pub values: Option<Vec<f64>>,
    /// First value of a grid, in the unit of the model.
    pub from: Option<f64>,
    /// Last value of a grid.
    pub to: Option<f64>,
    /// Number of values of a grid, at least 2.
    pub count: Option<u64>,
    /// Spacing of a grid. Default `linear`.
    pub spacing: Option<Spacing>,
    /// A distribution, from which `[study] runs` points are taken.
    pub distribution: Option<Kind>,
    /// Smallest value. `normal` and `log_normal` are truncated there.
    pub min: Option<f64>,
    /// Largest value. `normal` and `log_normal` are truncated there.
    pub max: Option<f64>,
    /// Most probable value of `triangular`.
    pub mode: Option<f64>,
    /// Mean of `normal` and of `log_normal` (of the value, not of its logarithm), before truncation.
    pub mean: Option<f64>,
    /// Standard deviation of `normal` and of `log_normal` (of the value, not of its logarithm), before truncation.
    pub standard_deviation: Option<f64>,
}

/// Spacing of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios; `from` and `to` are positive.
    Log,
}

/// Kinds of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Equal density between `min` and `max`.
    Uniform,
    /// The logarithm is uniform between those of `min` and `max`.
    LogUniform,
    /// Normal with `mean` and `standard_deviation`, truncated to `min` and `max` where they are given.
    Normal,
    /// The logarithm is normal; `mean` and `standard_deviation` are those of the value. Truncated to `min` and `max`
    /// where they are given.
    LogNormal,
    /// Density from 0 at `min` to its largest at `mode` and to 0 at `max`.
    Triangular,
}

/// `[[keep]]`: one of `output`, `event` with its `output`, or `trace`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Name of an output variable, or of a vector, which stands for all its components.
    pub output: Option<String>,
    /// What is kept of the output, one column each. Default `["final"]` where there are no `percentiles`.
    pub what: Option<Vec<What>>,
    /// Percentiles of the output over the communication points, each from 0 to 100: linear interpolation between the
    /// ordered values.
    pub percentiles: Option<Vec<f64>>,
    /// Name of a column with the time in s of the first crossing of `crosses`; empty where there is none.
    pub event: Option<String>,
    /// Value that the output of an event crosses, in its unit.
    pub crosses: Option<f64>,
    /// Direction of the crossing. Default `any`.
    pub direction: Option<Direction>,
    /// Names of outputs or vectors whose values at the communication points are kept as lists.
    pub trace: Option<Vec<String>>,
    /// A trace keeps every so many communication points, from the first on. Default 1.
    pub every: Option<u64>,
    /// Only communication points from this time on, in s. Default: the start.
    pub from: Option<f64>,
    /// Only communication points up to this time, in s. Default: the stop.
    pub to: Option<f64>,
    /// First part of the names of the columns. Default: the name of the output.
    pub name: Option<String>,
}

/// What is kept of an output, over the communication points of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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
    /// The word of the file.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// Either.
    #[default]
    Any,
}
