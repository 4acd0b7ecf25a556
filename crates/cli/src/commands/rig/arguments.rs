//! Arguments of `ballesta rig`.

use crate::arguments::{assignment, positive};
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
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
The rig fixes the bodywork to the ground and removes the tyres. It prescribes the height of each wheel at its
hub, with the wheel locked to its carrier; the suspension determines the rest. Every point is a static
equilibrium without dry friction. Derivatives about it are exact.

Three tests cover all axles: bump (all wheels up and down together), roll (left wheels up and right wheels down
by the same height, and back) and steer (the steering input at height 0). Compliance is measured at height 0
with fixed heights: lateral and braking forces at the contact point, driving forces at the wheel centre, and
aligning torques. Axes and signs follow ISO 8855; toe-in, and camber with the top outward, are positive.

The table has one row per point of the tests. `test` is 1 for bump, 2 for roll and 3 for steer. `along` is the
height of the left wheels in m or the change of the steering input. `time` numbers the points for the 3-D page.

Examples:
  ballesta rig models/van kc
  ballesta rig models/van kc --csv kc.csv --units --svg kc.svg --html kc.html
  ballesta rig models/truck kc --fix trailer --travel 0.06 --json | jq .axles[0].home
  ballesta rig models/double_wishbone_axle kc --fix chassis --wheel left.bearing --wheel right.bearing --radius 0.3 \
--without left.tyre --without right.tyre")]
pub struct Rig {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Test: kc measures kinematics and compliance
    #[arg(value_enum)]
    pub test: RigTest,
    /// Wheel travel above and below the design position in m
    #[arg(long, value_name = "M", value_parser = positive, default_value_t = 0.08, allow_negative_numbers = true)]
    pub travel: f64,
    /// Steering input [default: the only input of a prescribed motion]
    #[arg(long, value_name = "INPUT")]
    pub steering: Option<String>,
    /// Largest change of the steering input [default: wheels at 20 degrees, within the range of the input]
    #[arg(long, value_name = "X", value_parser = positive, allow_negative_numbers = true)]
    pub steer_range: Option<f64>,
    /// Points per test; an even number is increased by one to include 0
    #[arg(long, value_name = "N", default_value_t = 33, value_parser = clap::value_parser!(u32).range(3..=1001))]
    pub points: u32,
    /// Joint about which a wheel spins; repeatable [default: joints of wheels with tyres]
    #[arg(long = "wheel", value_name = "JOINT")]
    pub wheels: Vec<String>,
    /// Radius of all wheels in m [default: loaded radius of the tyre in the design position]
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true)]
    pub radius: Option<f64>,
    /// Fix this body too, such as a trailer [default: bodies on floating joints to the ground]; repeatable
    #[arg(long = "fix", value_name = "BODY")]
    pub fixed: Vec<String>,
    /// Remove this force element, such as a spring that represents a tyre; repeatable
    #[arg(long, value_name = "ELEMENT")]
    pub without: Vec<String>,
    /// Set a parameter or input; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Write the quantities of all points (.csv, .csv.gz or .parquet); `-` writes CSV to stdout
    #[arg(long, value_name = "OUT")]
    pub csv: Option<PathBuf>,
    /// Write the units in the second line of the CSV
    #[arg(long)]
    pub units: bool,
    /// Plot the quantities against height and steering input (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write a 3-D page with the moving suspension
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
