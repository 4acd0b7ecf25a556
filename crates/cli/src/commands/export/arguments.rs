//! Arguments of `ballesta export`.

use crate::arguments::{Library, library, positive};
use ballesta_package::Version;
use ballesta_package::reference::DEFAULT_SECONDS;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What C sources contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sources {
    /// What initialization and steps need; fixed parameters are constants
    Steps,
    /// The compiler of models too; fixed parameters can be set
    Full,
}

/// `ballesta export`
#[derive(Debug, Args)]
#[command(after_help = "\
The FMU contains the solver library, the model as a resource, the model description, a documentation page and
licences. It runs on every platform whose library it contains. By default it contains all libraries built by
scripts/platforms.sh or installed with the program, and the library of this machine, which is built if it is
missing. With --library it contains the named libraries and the library of this machine.

--hold-mode adds two Boolean variables. If the parameter hold_on_fault is true, all outputs hold their last
valid values after a fault, the output fault is true, and steps return OK: see docs/hil.md.

--sources adds C99 sources with the same bits as the library. They need no operating system and allocate nothing.
See docs/c-sources.md.

Examples:
  ballesta export models/four_bar -o four_bar.fmu
  ballesta export models/four_bar -o four_bar.fmu --sources
  ballesta export models/four_bar -o four_bar.fmu --hold-mode
  ballesta export models/four_bar -o four_bar_fmi3.fmu --fmi 3.0
  ballesta export models/four_bar -o four_bar.fmu --library win64=build/ballesta.dll")]
pub struct Export {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// FMU to write [default: NAME.fmu in the current folder]
    #[arg(short, long, value_name = "OUT.FMU")]
    pub output: Option<PathBuf>,
    /// FMI version: 2.0 or 3.0
    #[arg(long, value_name = "VERSION", default_value_t)]
    pub fmi: Version,
    /// Library for a platform: linux64, aarch64-linux, win64, darwin64 or aarch64-darwin; repeatable
    #[arg(long, value_name = "PLATFORM=PATH", value_parser = library)]
    pub library: Vec<Library>,
    /// Add the parameter hold_on_fault (default false) and the output fault
    #[arg(long)]
    pub hold_mode: bool,
    /// Add C sources, for systems that cannot load a library: `steps` makes fixed parameters constants, `full` can
    /// compile the model again
    #[arg(
        long, value_enum, value_name = "EXTENT", num_args = 0..=1, require_equals = true,
        default_missing_value = "steps", hide_possible_values = true
    )]
    pub sources: Option<Sources>,
    /// C sources without libraries
    #[arg(long, conflicts_with = "library")]
    pub sources_only: bool,
    /// Omit the reference trajectory extra/org.ballesta/reference.csv
    #[arg(long)]
    pub no_reference: bool,
    /// Limit of the computing time for the reference trajectory in s
    #[arg(
        long, value_name = "S", value_parser = positive, default_value_t = DEFAULT_SECONDS, conflicts_with = "no_reference"
    )]
    pub reference_seconds: f64,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
