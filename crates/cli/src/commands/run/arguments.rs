//! Arguments of `ballesta run`.

use crate::arguments::{assignment, finite, positive};
use ballesta_pictures::picture;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta run`
#[derive(Debug, Args)]
#[command(after_help = "\
Outputs are written at every communication point, from the start time on. The CSV header is
`time,<output names>`; numbers have full precision. The input file has the header `time,<input names>`.
Inputs are linear between two rows and constant before the first and after the last row. Two rows with the
same time are a jump. With --trim the inputs of the start time determine the equilibrium.

The report ends with constraint violations, energy balance error, near-singular steps and changes of the
independent coordinates. A value above its limit is a warning on stderr; with --strict the exit code is 3.
An energy error of the integration above 10 % of the energy exchanged always gives exit code 3.
The results are written in every case.

Examples:
  ballesta run models/four_bar --csv four_bar.csv --plot four_bar.svg
  ballesta run models/four_bar --html four_bar.html --glb four_bar.glb
  ballesta run models/four_bar --stop 2 --step 1e-3 --csv - | head
  ballesta run models/spinup_beam/model_1.toml --compare models/spinup_beam/model_3.toml
  ballesta run wishbone.toml --inputs road.csv --set spring.stiffness=25000 --csv out.csv")]
pub struct Run {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// Stop time in s [default: from the model]
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Communication step in s: interval between outputs [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Internal step in s, limited to the communication step [default: from the model]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub internal_step: Option<f64>,
    /// Start in the static equilibrium near the initial position (vehicles: steady driving)
    #[arg(long)]
    pub trim: bool,
    /// Inputs over time: a table with the columns time,<input names> (.csv, .csv.gz or .parquet)
    #[arg(long, value_name = "IN.CSV")]
    pub inputs: Option<PathBuf>,
    /// Write the outputs (.csv, .csv.gz or .parquet); `-` writes CSV to stdout
    #[arg(long, value_name = "TABLE")]
    pub csv: Option<PathBuf>,
    /// Write the units in the second line of the CSV; Parquet always contains them
    #[arg(long)]
    pub units: bool,
    /// Plot the outputs over time (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub plot: Option<PathBuf>,
    /// Write the run as a 3-D page for any browser, usable offline
    #[arg(long, value_name = "OUT.HTML")]
    pub html: Option<PathBuf>,
    /// Write the motion as a glTF 2.0 binary file for viewers and renderers
    #[arg(long, value_name = "OUT.GLB")]
    pub glb: Option<PathBuf>,
    /// Compare outputs of the same name with another model, or with this model and another reduced model; --plot
    /// draws both curves and their difference
    #[arg(long, value_name = "MODEL | ROM")]
    pub compare: Option<PathBuf>,
    /// Recovery file of a flexible body: adds its largest displacement and stress to the report, and the structure,
    /// coloured by stress, to the page; repeatable
    #[arg(long, value_name = "FILE")]
    pub recovery: Vec<PathBuf>,
    /// Add displacements, forces and stresses of a node or section as outputs; repeatable
    #[arg(long, value_name = "NAME")]
    pub recover: Vec<String>,
    /// Exit with code 3 instead of a warning if the result is questionable
    #[arg(long)]
    pub strict: bool,
    /// Set a parameter, or an input that the input file does not contain; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print only warnings and errors
    #[arg(long, short, conflicts_with = "json")]
    pub quiet: bool,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
