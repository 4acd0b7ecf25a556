//! Arguments of `ballesta modes`.

use crate::arguments::assignment;
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta modes`
#[derive(Debug, Args)]
#[command(after_help = "\
For a structure or reduced model the command computes the elastic modes of the free body; with --supported it
applies the supports of the structure. For a model the command computes the modes about the initial state, or
with --trim about the static equilibrium near it.

Examples:
  ballesta modes models/structures/truss
  ballesta modes models/structures/truss --supported --count 4 --svg modes.svg
  ballesta modes frame.rom.toml --json | jq .frequencies_hz
  ballesta modes models/five_link_suspension --trim
  ballesta modes models/structures/space_frame --html space_frame.html")]
pub struct Modes {
    /// Structure (file, or folder with a structure.toml), reduced model (.rom.toml), or model (file, or folder with a
    /// model.toml)
    #[arg(value_name = "STRUCTURE | ROM | MODEL")]
    pub subject: PathBuf,
    /// Number of modes to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// Apply the supports of the structure
    #[arg(long)]
    pub supported: bool,
    /// Draw the structure with its mode shapes (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write a 3-D page with animated mode shapes
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Compute the modes of a model about the static equilibrium near its initial position
    #[arg(long)]
    pub trim: bool,
    /// Set a parameter or input of a model; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
