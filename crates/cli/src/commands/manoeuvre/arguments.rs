//! Arguments of `ballesta manoeuvre`.

use crate::arguments::{finite, not_negative, positive};
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta manoeuvre`
#[derive(Debug, Args)]
#[command(after_help = "\
[vehicle] in the model names the steering input, the input for the speed, and the measured body; see
docs/manoeuvres.md for these keys and for the format of manoeuvre files. A run starts in steady driving at the
speed of the manoeuvre. If the file has several factors, there is one run per factor; --factor selects one.
Tables contain the outputs of the model and the vehicle quantities, in columns with the prefix `manoeuvre.`.

Examples:
  ballesta manoeuvre --list
  ballesta manoeuvre models/van step_steer --plot step_steer.svg
  ballesta manoeuvre models/van sine_with_dwell
  ballesta manoeuvre models/van double_lane_change --speed 20 --html lane_change.html
  ballesta manoeuvre --print step_steer > my_step.toml")]
pub struct Manoeuvre {
    /// Model with a `[vehicle]`: file, or folder with a model.toml
    #[arg(required_unless_present_any = ["list", "print"])]
    pub model: Option<PathBuf>,
    /// Manoeuvre: a name from --list, or a file
    #[arg(value_name = "NAME | FILE", required_unless_present_any = ["list", "print"])]
    pub manoeuvre: Option<PathBuf>,
    /// List the built-in manoeuvres
    #[arg(long, conflicts_with_all = ["print", "model"])]
    pub list: bool,
    /// Print the file of a built-in manoeuvre
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    pub print: Option<String>,
    /// Initial speed in m/s [default: from the manoeuvre]
    #[arg(long, value_name = "V", value_parser = not_negative, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// Stop time in s [default: from the manoeuvre]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Steering factor of a single run [default: all factors of the manoeuvre]
    #[arg(long, value_name = "X", value_parser = finite, allow_negative_numbers = true)]
    pub factor: Option<f64>,
    /// Write outputs and channels (.csv, .csv.gz or .parquet); `-` writes CSV to stdout
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in the second line of the CSV; Parquet always contains them
    #[arg(long)]
    pub units: bool,
    /// Plot steering, speed, accelerations, angles and path (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the run as a 3-D page for any browser, usable offline
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Exit with code 3 if a run is questionable or exceeds a limit
    #[arg(long)]
    pub strict: bool,
    /// Set a parameter, or an input that the manoeuvre does not drive; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = crate::arguments::assignment)]
    pub set: Vec<Assignment>,
    /// Print only warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
