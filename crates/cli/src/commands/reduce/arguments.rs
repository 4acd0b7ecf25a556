//! Arguments of `ballesta reduce`.

use ballesta_pictures::picture;
use clap::Args;
use std::path::PathBuf;

/// `ballesta reduce`
#[derive(Debug, Args)]
#[command(after_help = "\
[reduction] in the structure file sets the number of modes. The reduction does not need supports. It keeps the
motions of the interfaces and the lowest or the selected modes with fixed interfaces. The required memory is
reported before the computation starts.

Examples:
  ballesta reduce models/structures/frame -o frame.rom.toml --svg frame.svg
  ballesta reduce models/structures/solid --json | jq .frequencies_hz")]
pub struct Reduce {
    /// Structure file, or folder with a structure.toml
    pub structure: PathBuf,
    /// Reduced model to write [default: NAME.rom.toml in the current folder]
    #[arg(short, long, value_name = "ROM")]
    pub output: Option<PathBuf>,
    /// Write the recovery matrices of displacements and stresses, for run --recovery
    #[arg(long, value_name = "FILE")]
    pub recovery: Option<PathBuf>,
    /// Draw the structure with its mode shapes (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Number of internal modes, lowest first [default: from the structure]
    #[arg(long, value_name = "N")]
    pub modes: Option<usize>,
    /// Skip the comparison with the full structure, which needs another factorisation
    #[arg(long)]
    pub no_comparison: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
