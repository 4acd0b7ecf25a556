//! What was typed behind `ballesta rig`.

use super::{Assignment, assignment, picture, positive};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Tests of a rig.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RigTest {
    /// Kinematics and compliance of all axles
    Kc,
}

/// `ballesta rig`
#[derive(Debug, Args)]
#[command(after_help = "\
The bodywork is fixed to the ground, the tyres are off, and the rig holds every wheel at its hub, locked against its carrier:
its height is prescribed, the rest is left to the suspension. At every point the static equilibrium is found, without
dry friction, and the exact derivatives about it. Three tests of all axles: bump (all wheels up and down together), roll (left
wheels up, right ones as far down, and back) and steer (the steering input at height 0); and the compliance at height 0, with
the heights held, from lateral and braking forces at the contact, driving forces at the wheel's centre, and aligning torques.
Axes and signs are those of ISO 8855; toe-in, and camber with the top outward, are positive.

The table has one row per point of the tests, one after the other: `test` is 1 for bump, 2 for roll, 3 for steer, `along` the
height of the left wheels in m or the change of the steering input, `time` numbers the points for the page, which shows the
suspension moving.

Examples:
  ballesta rig models/van kc
  ballesta rig models/van kc --csv kc.csv --units --svg kc.svg --html kc.html
  ballesta rig models/truck kc --fix trailer --travel 0.06 --json | jq .axles[0].home
  ballesta rig models/double_wishbone_axle kc --fix chassis --wheel left.bearing --wheel right.bearing --radius 0.3 \
--without left.tyre --without right.tyre")]
pub struct Rig {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// What the rig measures
    #[arg(value_enum)]
    pub test: RigTest,
    /// Largest height of the wheels above and below the design position, m
    #[arg(long, value_name = "M", value_parser = positive, default_value_t = 0.08, allow_negative_numbers = true)]
    pub travel: f64,
    /// Input that steers [default: the only one that leads a guided coordinate]
    #[arg(long, value_name = "INPUT")]
    pub steering: Option<String>,
    /// Largest change of the steering input [default: what turns the wheels by 20 degrees, within the input's range]
    #[arg(long, value_name = "X", value_parser = positive, allow_negative_numbers = true)]
    pub steer_range: Option<f64>,
    /// Points of every test; one is added to an even number, so that one is at 0
    #[arg(long, value_name = "N", default_value_t = 33, value_parser = clap::value_parser!(u32).range(3..=1001))]
    pub points: u32,
    /// Joint in which a wheel turns; may be repeated [default: those with tyres]
    #[arg(long = "wheel", value_name = "JOINT")]
    pub wheels: Vec<String>,
    /// Radius of all wheels, m [default: that of the tyre under its load in the design position]
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true)]
    pub radius: Option<f64>,
    /// Body that is fixed beside those on floating joints to the ground, such as a trailer; may be repeated
    #[arg(long = "fix", value_name = "BODY")]
    pub fixed: Vec<String>,
    /// Force element that is taken off, such as a spring in place of a tyre; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    pub without: Vec<String>,
    /// Value of a parameter or of an input; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Write the figures of all points, .csv, .csv.gz or .parquet by the ending; `-`: CSV on stdout
    #[arg(long, value_name = "OUT")]
    pub csv: Option<PathBuf>,
    /// Write the units into a second line of the CSV
    #[arg(long)]
    pub units: bool,
    /// Draw the figures over height and steering input, SVG or PNG by the ending
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write a 3-D page in which the suspension moves
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
