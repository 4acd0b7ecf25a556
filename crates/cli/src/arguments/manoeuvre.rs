//! What was typed behind `ballesta manoeuvre`.

use super::{Assignment, finite, not_negative, positive};
use ballesta_pictures::picture;
use clap::Args;
use std::path::PathBuf;

/// `ballesta manoeuvre`
#[derive(Debug, Args)]
#[command(after_help = "\
The model says in [vehicle] which input steers, which one holds the speed, and which body is measured; docs/manoeuvres.md \
has
these keys and those of a manoeuvre's file. A run starts in steady driving at the speed of the manoeuvre. Where the file \
gives
several factors, there is a run for each; --factor takes one. A table has the outputs of the model, and behind them what is
measured of the vehicle, in columns that begin with `manoeuvre.`.

Examples:
  ballesta manoeuvre --list
  ballesta manoeuvre models/van step_steer --plot step_steer.svg
  ballesta manoeuvre models/van sine_with_dwell
  ballesta manoeuvre models/van double_lane_change --speed 20 --html lane_change.html
  ballesta manoeuvre --print step_steer > my_step.toml")]
pub struct Manoeuvre {
    /// Model with a `[vehicle]`: a model.toml, or the folder that holds one
    #[arg(required_unless_present_any = ["list", "print"])]
    pub model: Option<PathBuf>,
    /// Manoeuvre: a name of --list, or a file
    #[arg(value_name = "NAME | FILE", required_unless_present_any = ["list", "print"])]
    pub manoeuvre: Option<PathBuf>,
    /// Print the manoeuvres that come with the program
    #[arg(long, conflicts_with_all = ["print", "model"])]
    pub list: bool,
    /// Print the file of one of them, to start from
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    pub print: Option<String>,
    /// Speed at the start in m/s, in place of the manoeuvre's
    #[arg(long, value_name = "V", value_parser = not_negative, allow_negative_numbers = true)]
    pub speed: Option<f64>,
    /// Stop time in s, in place of the manoeuvre's
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Make one run, with the steering this many times as large, in place of the manoeuvre's factors
    #[arg(long, value_name = "X", value_parser = finite, allow_negative_numbers = true)]
    pub factor: Option<f64>,
    /// Write outputs and channels: .csv, .csv.gz or .parquet by the ending; `-` is CSV on stdout
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in a second line of the CSV; a Parquet file always has them
    #[arg(long)]
    pub units: bool,
    /// Draw steering, speed, accelerations, angles and path, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the run as a 3-D page that opens in any browser, without a network
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// End with exit code 3 where a run is questionable or fails a limit: what is otherwise told
    #[arg(long)]
    pub strict: bool,
    /// Value of a parameter, or of an input that the manoeuvre does not drive; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = super::assignment)]
    pub set: Vec<Assignment>,
    /// Print nothing but warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
