//! Arguments of `ballesta demo`.

use crate::arguments::{Library, library};
use clap::Args;
use std::path::PathBuf;

/// `ballesta demo`
#[derive(Debug, Args)]
#[command(after_help = "\
The model is the four-bar linkage of models/four_bar. It is built in, so the command works in any folder.

Examples:
  ballesta demo
  ballesta demo --live
  ballesta demo --out /tmp/first-fmu")]
pub struct Demo {
    /// Folder for the model, FMU, results, plot and 3-D page [default: ballesta-demo; in a source tree: target/demo]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Also write an interactive page that contains the solver, as view --live does
    #[arg(long)]
    pub live: bool,
    /// Library to pack instead of the library for this machine
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Option<Library>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
