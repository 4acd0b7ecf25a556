//! Arguments of `ballesta check`.

use crate::arguments::assignment;
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta check`
#[derive(Debug, Args)]
#[command(after_help = "\
The command assembles the mechanism in its initial position and analyses its loops; it does not simulate.
If the experiment of the model requests a trim, the model is trimmed too. If the model cannot start, the
report states the cause and the exit code is 3.

Examples:
  ballesta check models/four_bar
  ballesta check models/four_bar --json | jq .redundant
  ballesta check models/four_bar --svg topology.svg
  ballesta check models/five_link_suspension --trim
  ballesta check wishbone.toml --set spring.stiffness=25000")]
pub struct Check {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Draw bodies, joints and loops (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Report the static equilibrium near the initial position
    #[arg(long)]
    pub trim: bool,
    /// Set a parameter, or an input for the equilibrium; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
}
