//! Arguments of `ballesta view`.

use crate::arguments::assignment;
use ballesta_run::model::Assignment;
use clap::Args;
use std::path::PathBuf;

/// `ballesta view`
#[derive(Debug, Args)]
#[command(after_help = "\
The command draws the model at the start of its experiment: assembled, and trimmed if the experiment requests it.
A picture has side, front and top view at one scale. Bodies are outlines around their joints and force elements,
with a mark at the centre of mass. Joints have a symbol for their kind, and wheels the size of their tyres.
Names that do not fit appear when you point at a part.

A name with .html writes a 3-D page in one file, usable offline; sliders move the joints outside closed loops.
With --live the page also contains the solver: the model runs with sliders, keys or a gamepad as inputs, bodies
can be pulled, and the inputs can be saved as a file for run --inputs. A name with .glb writes a glTF 2.0 binary
file. Pages and glTF files contain the shapes of the model file; pictures do not.

Examples:
  ballesta view models/van -o van.svg
  ballesta view models/van -o van.html
  ballesta view models/van --live -o drive.html
  ballesta view models/driven_arm -o arm.glb
  ballesta view models/five_link_suspension -o suspension.svg --set contact.force.z=6000")]
pub struct View {
    /// Model file, or folder with a model.toml
    pub model: PathBuf,
    /// File to write (.svg, .png, .html or .glb) [default: NAME.svg in the current folder]
    #[arg(short, long, value_name = "PICTURE | OUT.HTML | OUT.GLB")]
    pub output: Option<PathBuf>,
    /// Include the solver in the page, so that the model runs in it [default output: NAME.html]
    #[arg(long)]
    pub live: bool,
    /// Recovery file of a flexible body: shows its structure, coloured by stress, in the page; repeatable
    #[arg(long, value_name = "FILE", conflicts_with = "live")]
    pub recovery: Vec<PathBuf>,
    /// Set a parameter, or an input at the start; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
