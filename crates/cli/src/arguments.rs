//! The command line as a whole, and what the arguments of several commands share. No default depends on a model.

use crate::commands::Command;
use ballesta_package::Platform;
use ballesta_run::model::Assignment;
use clap::Parser;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
First steps:
  ballesta demo                          export, test and plot a built-in model
  ballesta new pendulum                  create a model to edit; `ballesta new` lists the templates
  ballesta check models/four_bar         assemble a model and report its topology
  ballesta run models/four_bar --plot four_bar.svg
  ballesta export models/four_bar -o four_bar.fmu
  ballesta reduce models/structures/frame   reduce a structure to a flexible body, offline

Exit codes:
  0  success
  1  invalid model or input file
  2  usage or file-system error
  3  simulation fault (results up to the fault are kept), or a result known to be wrong;
     with --strict also a questionable result
With --json the last line of stderr describes the failure as one JSON object.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "ballesta",
    version,
    about = "Simulate multibody models in real time and export them as FMUs",
    after_help = AFTER_HELP,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// `PLATFORM=PATH`
#[derive(Clone, Debug, PartialEq)]
pub struct Library {
    /// Platform that the library runs on.
    pub platform: Platform,
    /// The library file.
    pub path: PathBuf,
}

pub(crate) fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("must be finite".into()),
        Err(_) => Err("not a number".into()),
    }
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let value = finite(text)?;
    if value > 0.0 { Ok(value) } else { Err("must be greater than 0".into()) }
}

pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    let value = finite(text)?;
    if value >= 0.0 { Ok(value) } else { Err("must not be negative".into()) }
}

pub(crate) fn assignment(text: &str) -> Result<Assignment, String> {
    // The value has no `=`, a quoted FMI name may have one.
    let (name, value) = text.rsplit_once('=').ok_or("expected NAME=VALUE, such as spring.stiffness=25000")?;
    let value =
        finite(value.trim()).map_err(|error| format!("value `{}` of `{}`: {error}", value.trim(), name.trim()))?;
    Ok(Assignment { name: name.trim().to_string(), value })
}

pub(crate) fn library(text: &str) -> Result<Library, String> {
    let (platform, path) = text.split_once('=').ok_or("expected PLATFORM=PATH, such as win64=build/ballesta.dll")?;
    if path.is_empty() {
        return Err("the path is empty".into());
    }
    Ok(Library { platform: platform.parse()?, path: PathBuf::from(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn assignments_are_split_at_the_last_equals_sign() {
        assert_eq!(assignment("a.b = 2e3"), Ok(Assignment { name: "a.b".into(), value: 2e3 }));
        assert_eq!(assignment("'a=b'=1").map(|a| a.name), Ok("'a=b'".into()));
        assert!(assignment("a").is_err());
        assert!(assignment("a=x").unwrap_err().contains("`x`"));
        assert!(assignment("a=inf").unwrap_err().contains("finite"));
    }

    #[test]
    fn libraries_name_a_platform_that_fmus_know() {
        let expected = Library { platform: Platform::Win64, path: "a=b.dll".into() };
        assert_eq!(library("win64=a=b.dll"), Ok(expected));
        assert!(library("win=x").unwrap_err().contains("linux64"));
        assert!(library("win64").is_err());
        assert!(library("win64=").is_err());
    }
}
