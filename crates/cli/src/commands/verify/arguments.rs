//! Arguments of `ballesta verify`.

use crate::arguments::{assignment, finite, positive};
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta verify`
#[derive(Debug, Args)]
#[command(after_help = "\
The experiment runs with the internal step h, with h/2 and h/4, and with a second integrator if one applies.
h is the internal step of the model, or the communication step if that is shorter. For each output the
command reports the estimated error at h (Richardson), absolute and relative to the peak, the observed order,
and the step at which the error equals --tolerance.

A model is verified if all runs complete, every output converges with an error at h within the tolerance, the
second integrator agrees, and no warning of the finest run contradicts its result. Otherwise the exit code
is 3. Sensitive (chaotic) motion is reported as such.

Examples:
  ballesta verify models/slider_crank
  ballesta verify models/van --stop 2 --tolerance 1e-2 --svg van.svg
  ballesta verify models/slider_crank --json | jq .outputs[0].order")]
pub struct Verify {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Stop time in s [default: from the model]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s: interval between compared values [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step h in s [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Largest acceptable relative error
    #[arg(long, value_name = "RATIO", value_parser = positive, default_value_t = 1e-3)]
    pub tolerance: f64,
    /// Start in the static equilibrium near the initial position (vehicles: steady driving)
    #[arg(long)]
    pub trim: bool,
    /// Inputs over time: a table with the columns time,<input names> (.csv, .csv.gz or .parquet)
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Set a parameter, or an input that the input file does not contain; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Skip the second integrator
    #[arg(long)]
    pub one_integrator: bool,
    /// Plot the errors over the step (.svg or .png)
    #[arg(short = 'o', long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
