//! Arguments of `ballesta expand`.

use clap::Args;
use std::path::PathBuf;

/// `ballesta expand`
#[derive(Debug, Args)]
#[command(after_help = "\
Every subassembly is inserted with its prefix, mirror, position and parameters. Parameters of the model itself
remain parameters. Values in local frames are converted to the global frame. The flat file describes the same
system, bit for bit. Files that the model names (tyres, reduced models, height maps) are copied next to the
flat file with the same relative paths. An existing file with other content is not overwritten.

--keep-rods converts every rod to a body with its mass between a universal and a spherical joint. The motion
does not change. Each rod then has two more coordinates and three equations instead of one. Outputs of rods
are omitted; the first lines of the file list them.

Examples:
  ballesta expand models/van -o flat/van.toml
  ballesta expand models/van --keep-rods -o flat/van_with_rods.toml
  ballesta expand models/van | less")]
pub struct Expand {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Flat file to write [default: stdout, without copies of other files]
    #[arg(short, long, value_name = "FLAT.TOML")]
    pub output: Option<PathBuf>,
    /// Convert rods to bodies with joints
    #[arg(long)]
    pub keep_rods: bool,
    /// Print one JSON object with the written files, or with the text for stdout
    #[arg(long)]
    pub json: bool,
}
