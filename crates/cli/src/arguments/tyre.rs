//! What was typed behind `ballesta tyre`.

use super::{finite, picture, positive};
use ballesta_experiment::tyre::Point;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `--side`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// At positive y
    Left,
    /// At negative y
    Right,
}

/// `ballesta tyre`
#[derive(Debug, Args)]
#[command(after_help = "\
Axes and signs are those of ISO 8855 W, as on the road (docs/tyres.md): driving gives kappa > 0 and Fx > 0, a contact
point that slides to the left alpha > 0 and Fy < 0. The report has sizes, ranges, remarks, and at each load friction,
stiffnesses, trail and relaxation lengths. The picture: Fx over kappa; Fy, Mz and Mx over alpha; Fy with camber; Fy over
Fx at combined slip; carpets of Fy over slip angle and load, and over camber and load. The table: load, camber, kappa,
alpha, and Fx, Fy, Mx, My, Mz of every file. What is questionable (ranges that are left, friction without a peak,
stiffnesses of the wrong sign) stands on stderr with file, line and key.

Keys of --at: kappa, alpha (alpha_deg), camber (camber_deg), load, pressure, speed, friction; in SI units. What is left
out is 0, the nominal load, pressure and LONGVL of the file, friction 1.

Examples:
  ballesta tyre models/van/van.tir
  ballesta tyre models/van/van.tir --at kappa=0.05,alpha_deg=3,load=6000 --at speed=-5
  ballesta tyre models/truck/tyre_12R20.tir models/truck/tyre_385_65R22.5.tir --loads 2e4,4e4 --plot tyres.svg
  ballesta tyre models/van/van.tir --cambers -4deg,0,4deg --json | jq .tyres[0].loads[1].driving.peak")]
pub struct Tyre {
    /// Tyre property files
    #[arg(value_name = "FILE.TIR", required = true)]
    pub files: Vec<PathBuf>,
    /// Values at a point; may be repeated
    #[arg(long, value_name = "KEY=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<Point>,
    /// Loads in N, separated by commas [default: 0.5, 1 and 1.5 of the nominal load of the first file]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = positive, allow_hyphen_values = true)]
    pub loads: Vec<f64>,
    /// Inclination angles of the curves in rad, or like 4deg [default: 0 and 4deg to both sides, within the range of
    /// the first file]
    #[arg(long, value_name = "RAD,...", value_delimiter = ',', value_parser = angle, allow_hyphen_values = true)]
    pub cambers: Vec<f64>,
    /// Longitudinal slip at the ends of the curves [default: the ranges of the files, 0.5 at the furthest]
    #[arg(long, value_name = "KAPPA", value_parser = positive, allow_negative_numbers = true)]
    pub kappa: Option<f64>,
    /// Slip angle at the ends of the curves in rad, or like 15deg [default: the ranges of the files, 0.3 at the
    /// furthest]
    #[arg(long, value_name = "RAD", value_parser = positive_angle, allow_hyphen_values = true)]
    pub alpha: Option<f64>,
    /// Inflation pressure of the curves in Pa [default: that of each file]
    #[arg(long, value_name = "PA", value_parser = positive, allow_negative_numbers = true)]
    pub pressure: Option<f64>,
    /// Side of the vehicle on which the tyre is looked at [default: the side of the measurement]
    #[arg(long, value_enum, value_name = "SIDE")]
    pub side: Option<Side>,
    /// Draw curves and carpets, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the curves: .csv, .csv.gz or .parquet by the ending; `-` is CSV on stdout, in place of the report
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in a second line of the CSV; a Parquet file always has them
    #[arg(long, requires = "csv")]
    pub units: bool,
    /// End with exit code 3 where something is questionable: what is otherwise a warning
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// An angle in rad, or in degrees with `deg` behind it.
fn angle(text: &str) -> Result<f64, String> {
    match text.trim().strip_suffix("deg") {
        Some(degrees) => finite(degrees.trim()).map(f64::to_radians),
        None => finite(text.trim()),
    }
}

fn positive_angle(text: &str) -> Result<f64, String> {
    let value = angle(text)?;
    if value > 0.0 { Ok(value) } else { Err("must be greater than 0".into()) }
}
