//! Arguments of `ballesta groups`.

use crate::arguments::{assignment, finite, positive};
use ballesta_pictures::picture;
use ballesta_run::groups::solution::Sweep;
use ballesta_run::model::Assignment;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `ballesta groups`
#[derive(Debug, Args)]
#[command(after_help = "\
A structural group is a set of links whose positions must be solved together. The command finds the groups and
the order in which they can be solved. For an adjacency matrix (planar chain) it counts degrees of freedom as
in Saura et al.; for a model it uses the rank of the spatial Jacobian and treats the independent coordinates
as inputs. --graph and --drivers require an adjacency matrix, --solve requires a model. --chains and
--structural-groups need no file.

Examples:
  ballesta groups models/adjacency/epicyclic_cam.toml
  ballesta groups models/adjacency/watt_I_six_bar.toml --json | jq .results
  ballesta groups models/adjacency/watt_I_six_bar.toml --drivers all
  ballesta groups models/adjacency/four_bar.toml --graph four_bar.svg
  ballesta groups models/van --svg van.svg
  ballesta groups models/watt_six_bar --solve --at A=0.2
  ballesta groups models/epicyclic_cam --solve --csv positions.csv
  ballesta groups models/watt_six_bar --solve --csv - --sweep A=-0.2:0.2
  ballesta groups --chains 8 --mobility 1 -o chains
  ballesta groups --structural-groups 4
  ballesta groups models/bricard --dot bricard.dot && dot -Tpdf bricard.dot -o bricard.pdf")]
pub struct Groups {
    /// Model (file, or folder with a model.toml) or adjacency file
    #[arg(value_name = "MODEL | ADJACENCY", required_unless_present_any = ["chains", "structural_groups"])]
    pub subject: Option<PathBuf>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
    /// Write the structural diagram for Graphviz
    #[arg(long, value_name = "OUT.DOT")]
    pub dot: Option<PathBuf>,
    /// Draw the structural diagram (.svg or .png)
    #[arg(long, value_name = "PICTURE", value_parser = picture::parse)]
    pub svg: Option<PathBuf>,
    /// Write the structural graph of links and pairs (.dot, .svg or .png); repeatable
    #[arg(long, value_name = "OUT.DOT | PICTURE")]
    pub graph: Vec<PathBuf>,
    /// Draw the structural diagram as in the paper: with circles, and the ground as 0
    #[arg(long)]
    pub circles: bool,
    /// Report unknowns and equations of each group in relative, natural and reference-point coordinates
    #[arg(long)]
    pub coordinates: bool,
    /// Compare all choices of drivers of a planar chain
    #[arg(
        long, value_enum, value_name = "all", hide_possible_values = true, conflicts_with_all = ["dot", "svg", "graph"]
    )]
    pub drivers: Option<Drivers>,
    /// Set a parameter of a model, or with --solve an input; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    #[command(flatten)]
    pub solve: Solve,
    #[command(flatten)]
    pub synthesis: Synthesis,
}

/// Positions of a model, group by group.
#[derive(Debug, Args)]
#[command(next_help_heading = "Positions group by group")]
pub struct Solve {
    /// Solve the positions of a model group by group and compare them with the assembly
    #[arg(long, conflicts_with_all = ["drivers", "dot", "svg", "graph", "coordinates", "chains", "structural_groups"])]
    pub solve: bool,
    /// Value of a given coordinate in rad or m [default: the assembled value]; repeatable
    #[arg(long, value_name = "COORDINATE=VALUE", value_parser = assignment, requires = "solve")]
    pub at: Vec<Assignment>,
    /// Write the positions of the motion of `ballesta run`, or of a sweep, as CSV; `-` writes to stdout
    #[arg(long, value_name = "OUT.CSV", requires = "solve")]
    pub csv: Option<PathBuf>,
    /// Given coordinate and its range in rad or m
    #[arg(long, value_name = "COORDINATE=FROM:TO", value_parser = sweep, requires = "csv")]
    pub sweep: Option<Sweep>,
    /// Number of positions of the sweep
    #[arg(
        long, value_name = "N", default_value_t = 101, requires = "sweep",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
    )]
    pub points: usize,
    /// Stop time of the motion in s [default: from the model]
    #[arg(
        long, value_name = "T", value_parser = finite, allow_negative_numbers = true,
        requires = "csv", conflicts_with_all = ["sweep", "at"]
    )]
    pub stop: Option<f64>,
    /// Interval of the rows in s [default: from the model]
    #[arg(
        long, value_name = "H", value_parser = positive, allow_negative_numbers = true,
        requires = "csv", conflicts_with_all = ["sweep", "at"]
    )]
    pub step: Option<f64>,
}

/// Enumeration of planar chains or groups.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Structural synthesis",
    group = clap::ArgGroup::new("enumerated").args(["chains", "structural_groups"])
)]
pub struct Synthesis {
    /// Enumerate all closed planar chains with N links, including the ground
    #[arg(
        long, value_name = "N",
        conflicts_with_all = ["subject", "structural_groups", "drivers", "dot", "svg", "graph", "set", "coordinates"]
    )]
    pub chains: Option<usize>,
    /// Enumerate all planar structural groups with N moving links
    #[arg(
        long, value_name = "N",
        conflicts_with_all = ["subject", "drivers", "dot", "svg", "graph", "set", "coordinates"]
    )]
    pub structural_groups: Option<usize>,
    /// Mobility of the chains or groups; also the inputs of a group [default: chains 1, groups 0]
    #[arg(long, value_name = "M", requires = "enumerated")]
    pub mobility: Option<usize>,
    /// Number of higher pairs; the others are lower pairs
    #[arg(long, value_name = "J", default_value_t = 0, requires = "enumerated")]
    pub higher: usize,
    /// Write one adjacency file per result to this folder
    #[arg(short, long, value_name = "FOLDER", requires = "enumerated")]
    pub output: Option<PathBuf>,
}

/// Choices of drivers to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drivers {
    /// All choices
    All,
}

fn sweep(text: &str) -> Result<Sweep, String> {
    let expected = "expected COORDINATE=FROM:TO, such as crank=0:6.283";
    let (name, range) = text.rsplit_once('=').ok_or(expected)?;
    let (from, to) = range.split_once(':').ok_or(expected)?;
    let value = |text: &str| finite(text.trim()).map_err(|error| format!("`{}`: {error}", text.trim()));
    Ok(Sweep { name: name.trim().to_string(), from: value(from)?, to: value(to)? })
}
