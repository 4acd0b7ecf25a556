//! What was typed behind `ballesta import`.

use ballesta_import::Contacts;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `ballesta import`
#[derive(Debug, Args)]
#[command(after_help = "\
The folder gets a model.toml and the meshes that it names. Links and bodies, joints and loops, inertias, limits (as stops), damping,
friction, armature, mimic joints and equality constraints, actuators (as inputs), sensors (as outputs) and contacts of an MJCF are
carried over; what is not is listed with its line, here and at the head of the model.

Examples:
  ballesta import robot.urdf -o arm && ballesta view arm
  ballesta import robot.urdf -o drawn --package arm_description=~/ros/src/arm_description
  ballesta import robot.urdf --floating
  ballesta import scene.xml --keyframe crouch
  ballesta import scene.xml --contacts ground -o on_the_floor")]
pub struct Import {
    /// Robot: a file in URDF (.urdf), or in MJCF (.xml)
    pub file: PathBuf,
    /// The folder of the model [default: the name of the file without its ending]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Write into a folder that is there already, over its model
    #[arg(long)]
    pub force: bool,
    /// Folder of a package, for meshes at package://NAME/; without it the folders above the file are looked at; may be
    /// repeated
    #[arg(long = "package", value_name = "NAME=FOLDER", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
    /// Of a URDF: the root moves freely, instead of being fixed to the ground
    #[arg(long)]
    pub floating: bool,
    /// Take the mean moment in place of inertias that no mass distribution can have
    #[arg(long)]
    pub mend_inertias: bool,
    /// Of an MJCF: start from this keyframe, instead of the zero position
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,
    /// Of an MJCF, which geoms touch: all that do in MuJoCo, those of them that touch what is fixed to the world, none
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Touching::All)]
    pub contacts: Touching,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// Which geoms of an MJCF file touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Touching {
    All,
    Ground,
    None,
}

impl From<Touching> for Contacts {
    fn from(typed: Touching) -> Contacts {
        match typed {
            Touching::All => Contacts::All,
            Touching::Ground => Contacts::Ground,
            Touching::None => Contacts::None,
        }
    }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok((name.to_string(), folder.into())),
        _ => Err("write NAME=FOLDER".to_string()),
    }
}
