//! Arguments of `ballesta tyre`.

use crate::arguments::{finite, positive};
use ballesta_pictures::picture;
#[cfg(feature = "vehicle")]
use ballesta_vehicle::tyre::Point;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
#[cfg(not(feature = "vehicle"))]
use std::string::String as Point;

/// `--side`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// Positive y
    Left,
    /// Negative y
    Right,
}

/// `ballesta tyre`
#[derive(Debug, Args)]
#[command(after_help = "\
Axes and signs follow ISO 8855 W, as on the road (docs/tyres.md): driving gives kappa > 0 and Fx > 0; a contact
point that slides to the left gives alpha > 0 and Fy < 0.

Report: sizes, ranges, notes, and at each load friction, stiffnesses, trail and relaxation lengths.
Picture: Fx over kappa; Fy, Mz and Mx over alpha; Fy with camber; Fy over Fx at combined slip; Fy over slip angle
and load, and over camber and load (carpet plots).
Table: load, camber, kappa, alpha, and Fx, Fy, Mx, My, Mz of each file.
Questionable data (values outside the ranges, friction without a peak, stiffnesses of the wrong sign) are
reported on stderr with file, line and key.

Keys of --at, in SI units: kappa, alpha (alpha_deg), camber (camber_deg), load, pressure, speed, friction.
Defaults: 0 for slip and camber; nominal load, pressure and LONGVL of the file; friction 1.

Examples:
  ballesta tyre models/van/van.tir
  ballesta tyre models/van/van.tir --at kappa=0.05,alpha_deg=3,load=6000 --at speed=-5
  ballesta tyre models/truck/tyre_12R20.tir models/truck/tyre_385_65R22.5.tir --loads 2e4,4e4 --plot tyres.svg
  ballesta tyre models/van/van.tir --cambers -4deg,0,4deg --json | jq .tyres[0].loads[1].driving.peak")]
pub struct Tyre {
    /// Tyre property files
    #[arg(value_name = "FILE.TIR", required = true)]
    pub files: Vec<PathBuf>,
    /// Print forces and moments at this operating point; repeatable
    #[arg(long, value_name = "KEY=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<Point>,
    /// Loads in N, comma-separated [default: 0.5, 1 and 1.5 times the nominal load of the first file]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = positive, allow_hyphen_values = true)]
    pub loads: Vec<f64>,
    /// Camber angles of the curves in rad, or as 4deg [default: -4deg,0,4deg within the range of the first file]
    #[arg(long, value_name = "RAD,...", value_delimiter = ',', value_parser = angle, allow_hyphen_values = true)]
    pub cambers: Vec<f64>,
    /// Largest longitudinal slip of the curves [default: ranges of the files, at most 0.5]
    #[arg(long, value_name = "KAPPA", value_parser = positive, allow_negative_numbers = true)]
    pub kappa: Option<f64>,
    /// Largest slip angle of the curves in rad, or as 15deg [default: ranges of the files, at most 0.3 rad]
    #[arg(long, value_name = "RAD", value_parser = positive_angle, allow_hyphen_values = true)]
    pub alpha: Option<f64>,
    /// Inflation pressure of the curves in Pa [default: from each file]
    #[arg(long, value_name = "PA", value_parser = positive, allow_negative_numbers = true)]
    pub pressure: Option<f64>,
    /// Side of the vehicle on which the tyre is mounted [default: side of the measurement]
    #[arg(long, value_enum, value_name = "SIDE")]
    pub side: Option<Side>,
    /// Plot curves and carpets (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the curves (.csv, .csv.gz or .parquet); `-` writes CSV to stdout instead of the report
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in the second line of the CSV; Parquet always contains them
    #[arg(long, requires = "csv")]
    pub units: bool,
    /// Exit with code 3 instead of a warning if data are questionable
    #[arg(long)]
    pub strict: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// Parses an angle in rad, or in degrees with the suffix `deg`.
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
