//! Arguments of `ballesta new`.

use ballesta_run::templates::{TEMPLATES, Template};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// `ballesta new`
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
A template is a folder with a complete model; comments explain what to change. Existing files are not
overwritten.

With --adjacency the model has one body per moving link, one joint per pair and one prescribed motion per input.
The matrix has no geometry: the joint positions are chosen far from singular positions and are parameters of the
model. Lower pairs become revolute joints, or prismatic joints with --prismatic. In a higher pair a point of the
second link moves along a round curve of the first, whose points you replace; with --gear the links become
wheels. Springs replace missing inputs and surplus inputs are omitted; the first lines of the model list them.
A chain that cannot move is rejected.

Examples:
  ballesta new pendulum -o swing && ballesta run swing --plot swing.svg
  ballesta new vehicle -o my_van
  ballesta new --adjacency models/adjacency/watt_I_six_bar.toml -o watt.toml && ballesta run watt.toml --plot watt.svg
  ballesta new --adjacency models/adjacency/slider_crank.toml --prismatic 0,3 -o slider_crank.toml
  ballesta new --adjacency models/adjacency/planetary_gear.toml --gear sun,planet,24,24 \
--gear ring,planet,-72,24 -o gear.toml"
)]
pub struct New {
    /// Template to copy
    #[arg(value_parser = template(), required_unless_present = "adjacency", conflicts_with_all = ["adjacency", "prismatic", "gear"])]
    pub template: Option<Template>,
    /// Adjacency file of a planar chain
    #[arg(long, value_name = "FILE")]
    pub adjacency: Option<PathBuf>,
    /// Make the pair between these two links a prismatic joint; repeatable
    #[arg(long, value_name = "LINK,LINK")]
    pub prismatic: Vec<String>,
    /// Make the higher pair between two links gear wheels; negative teeth: ring gear; repeatable
    #[arg(long, value_name = "LINK,LINK,TEETH,TEETH", allow_hyphen_values = true)]
    pub gear: Vec<String>,
    /// Folder for the template [default: its name], or model file for the chain [default: stdout]
    #[arg(short, long, value_name = "FOLDER | MODEL.TOML")]
    pub output: Option<PathBuf>,
    /// Print one JSON object with the written files, or with the text for stdout
    #[arg(long)]
    pub json: bool,
}

/// Template names with their descriptions.
fn template() -> impl TypedValueParser<Value = Template> {
    let known =
        TEMPLATES.iter().map(|template| PossibleValue::new(template.name).help(template.about).aliases(template.alias));
    PossibleValuesParser::new(known).try_map(|name| Template::named(&name).ok_or("unknown template"))
}
