//! What was typed behind `ballesta new`.

use ballesta_experiment::templates::{TEMPLATES, Template};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// `ballesta new`
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A template is a folder with a model that runs as it is, and comments that say what to change; nothing is overwritten.

With --adjacency: one body per moving link, one joint per pair, one guided coordinate per input. The matrix has no geometry: the
places of the joints are chosen so that the mechanism stands far from singular positions, and are parameters of the model. Lower
pairs are revolute joints unless --prismatic says otherwise. Of a higher pair a point of the second link runs along a round curve
of the first, whose points are there to be replaced, unless --gear makes them wheels. Springs stand for missing inputs, inputs that
are too many are left out, and the first lines of the model say so. A chain that cannot move is refused.

Examples:
  ballesta new pendulum -o swing && ballesta run swing --plot swing.svg
  ballesta new vehicle -o my_van
  ballesta new --adjacency models/adjacency/watt_I_six_bar.toml -o watt.toml && ballesta run watt.toml --plot watt.svg
  ballesta new --adjacency models/adjacency/slider_crank.toml --prismatic 0,3 -o slider_crank.toml
  ballesta new --adjacency models/adjacency/planetary_gear.toml --gear sun,planet,24,24 --gear ring,planet,-72,24 -o gear.toml"
)]
pub struct New {
    /// What to begin with
    #[arg(value_parser = template(), required_unless_present = "adjacency", conflicts_with_all = ["adjacency", "prismatic", "gear"])]
    pub template: Option<Template>,
    /// File with the adjacency matrix of a plane chain
    #[arg(long, value_name = "FILE")]
    pub adjacency: Option<PathBuf>,
    /// The pair between these two links is a prismatic joint; may be repeated
    #[arg(long, value_name = "LINK,LINK")]
    pub prismatic: Vec<String>,
    /// The higher pair between these two links is wheels with so many teeth, negative for those inside of a ring; may
    /// be repeated
    #[arg(long, value_name = "LINK,LINK,TEETH,TEETH", allow_hyphen_values = true)]
    pub gear: Vec<String>,
    /// The folder of a template [default: its name], or the model file of a chain [default: stdout]
    #[arg(short, long, value_name = "FOLDER | MODEL.TOML")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead: what was written, or the text that would go to stdout
    #[arg(long)]
    pub json: bool,
}

/// The names of templates, with a word about each.
fn template() -> impl TypedValueParser<Value = Template> {
    let known =
        TEMPLATES.iter().map(|template| PossibleValue::new(template.name).help(template.about).aliases(template.alias));
    PossibleValuesParser::new(known).try_map(|name| Template::named(&name).ok_or("there is no such template"))
}
