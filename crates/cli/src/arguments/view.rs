//! What was typed behind `ballesta view`.

use super::{Assignment, assignment};
use clap::Args;
use std::path::PathBuf;

/// `ballesta view`
#[derive(Debug, Args)]
#[command(after_help = "\
The model stands where its experiment starts: assembled, and trimmed when the model says so. Side, front and top view \
have one
scale. Bodies are outlines around their joints and force elements, with a mark at the centre of mass; joints have a sign for
their kind, wheels the size of their tyres. Names are written where they fit; the others show when the pointer rests on a part.
A name that ends in .html makes a 3-D page instead, one file that needs no network; sliders move the joints that are on no loop.
With --live the page holds the solver too: the model runs in it, with sliders, keys or a gamepad for its inputs, and bodies
that can be pulled; what was done can be saved as a file for run --inputs.
One that ends in .glb makes a glTF 2.0 binary file for other programs. The shapes of the model file are in both, not in pictures.

Examples:
  ballesta view models/van -o van.svg
  ballesta view models/van -o van.html
  ballesta view models/van --live -o drive.html
  ballesta view models/driven_arm -o arm.glb
  ballesta view models/five_link_suspension -o suspension.svg --set contact.force.z=6000")]
pub struct View {
    /// Model: a model.toml, or the folder that holds one
    pub model: PathBuf,
    /// What to write, by its ending: .svg or .png, a picture, .html, a 3-D page, or .glb, glTF [default: the name of
    /// the model with .svg, in this folder]
    #[arg(short, long, value_name = "PICTURE | OUT.HTML | OUT.GLB")]
    pub output: Option<PathBuf>,
    /// Put the solver into the page: the model runs while one looks [default output: the name of the model with .html]
    #[arg(long)]
    pub live: bool,
    /// Recovery file of a flexible body, as reduce writes it: the page shows the whole structure, coloured by its
    /// stress; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "live")]
    pub recovery: Vec<PathBuf>,
    /// Value of a parameter, or of an input at the start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}
