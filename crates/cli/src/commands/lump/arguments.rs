//! Arguments of `ballesta lump`.

use crate::arguments::{finite, not_negative, positive};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `--joint` of `ballesta lump`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LumpJoint {
    /// Bending in xy
    Revolute,
    /// Bending in xy and xz
    Universal,
    /// Bending in both planes and torsion
    Spherical,
    /// Extension
    Prismatic,
    /// Extension and torsion
    Cylindrical,
    /// Extension, shear and bending in xy
    Planar,
    /// Extension, torsion, shear and bending in both planes
    Bushing,
}

/// `ballesta lump`
#[derive(Debug, Args)]
#[command(after_help = "\
A single beam becomes a cantilever along x that bends in the plane xy, with a joint of stiffness E I / element
length in the middle of each element. The data come from a beam of a structure, whose axes x and z become x
and y, or from --length, --width, --height, --youngs-modulus and --density. Joints of other types have the
stiffness J^T K J of the element: extension E A / L, torsion G J / L, shear 12 E I / L^3, bending E I / L.

A structure with several beams is converted as a whole, unless --beam selects one. Each node becomes a body with
half of each adjacent element; branches become trees and closed rings become loops. Supports, masses, springs,
trusses, rigid ties and hinges are converted too, in the coordinate frame of the structure. The joints of a
planar structure are revolute, or planar with extension and shear; in space they are spherical, universal or
bushings with all stiffnesses. Interfaces and loaded nodes get inputs and outputs.

--compare prints deflections and frequencies over the number of elements. For a whole structure it compares the
load cases with finite elements.

Examples:
  ballesta lump models/structures/cantilever --elements 10 --force -196.2 -o beam.toml
  ballesta lump models/structures/cantilever --elements 10 --base-spring 572957.8 --tip-mass 20 \
--gravity -9.81 -o beam.toml
  ballesta lump models/structures/crane --beam jib_3 --elements 20 --damping-ratio 0.01 -o jib.toml
  ballesta lump models/structures/cantilever --elements 10 --joint bushing -o beam.toml
  ballesta lump models/structures/crane --elements 4 --gravity -9.81 -o crane.toml
  ballesta lump models/structures/crane --elements 4 --joint planar --compare
  ballesta lump --length 0.5 --width 0.05 --height 0.02 --youngs-modulus 6.9e10 --density 2700 --elements 10 \
--compare")]
pub struct Lump {
    /// Structure with the beam: file, or folder with a structure.toml
    pub structure: Option<PathBuf>,
    /// Name of the beam in the structure [default: the only beam]
    #[arg(long, value_name = "NAME", requires = "structure")]
    pub beam: Option<String>,
    /// Length along x in m
    #[arg(
        long, value_name = "M", value_parser = positive, required_unless_present = "structure",
        conflicts_with = "structure"
    )]
    pub length: Option<f64>,
    /// Width of the section along z in m
    #[arg(
        long, value_name = "M", value_parser = positive, required_unless_present = "structure",
        conflicts_with = "structure"
    )]
    pub width: Option<f64>,
    /// Height of the section along y in m
    #[arg(
        long, value_name = "M", value_parser = positive, required_unless_present = "structure",
        conflicts_with = "structure"
    )]
    pub height: Option<f64>,
    /// Young's modulus in Pa
    #[arg(
        long, value_name = "PA", value_parser = positive, required_unless_present = "structure",
        conflicts_with = "structure"
    )]
    pub youngs_modulus: Option<f64>,
    /// Density in kg/m³
    #[arg(
        long, value_name = "KG/M3", value_parser = positive, required_unless_present = "structure",
        conflicts_with = "structure"
    )]
    pub density: Option<f64>,
    /// Convert all beams with supports, masses and springs [default for several beams]
    #[arg(long, requires = "structure", conflicts_with = "beam")]
    pub whole: bool,
    /// Number of elements per beam
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub elements: u32,
    /// Joint in the middle of each element [default: revolute; for a whole structure in space: spherical]
    #[arg(long, value_name = "KIND")]
    pub joint: Option<LumpJoint>,
    /// Bend in both planes: same as --joint universal
    #[arg(long, conflicts_with = "joint")]
    pub both_planes: bool,
    /// Damping ratio of the first mode; other modes in proportion to their frequency
    #[arg(
        long, value_name = "RATIO", default_value_t = 0.0, value_parser = not_negative, allow_negative_numbers = true
    )]
    pub damping_ratio: f64,
    /// Force at the tip along y in N
    #[arg(long, value_name = "N", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub force: f64,
    /// Load case at the start, for a whole structure
    #[arg(long, value_name = "NAME", requires = "structure", conflicts_with = "beam")]
    pub load: Option<String>,
    /// Gravity in m/s² along y; for a whole structure in space, along z
    #[arg(long, value_name = "G", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub gravity: f64,
    /// Torsional spring at the support in N·m/rad [default: rigid support]
    #[arg(long, value_name = "N.M/RAD", value_parser = positive, allow_negative_numbers = true)]
    pub base_spring: Option<f64>,
    /// Mass at the tip in kg; gravity acts on it
    #[arg(long, value_name = "KG", default_value_t = 0.0, value_parser = not_negative, allow_negative_numbers = true)]
    pub tip_mass: f64,
    /// Moment of inertia of the tip mass about every axis in kg·m² [default: 0]
    #[arg(
        long, value_name = "KG.M2", default_value_t = 0.0, hide_default_value = true, value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub tip_inertia: f64,
    /// Print deflections and frequencies over the number of elements
    #[arg(long)]
    pub compare: bool,
    /// Model file to write [default: stdout, or nothing with --compare]
    #[arg(short, long, value_name = "MODEL.TOML")]
    pub output: Option<PathBuf>,
    /// Print one JSON object with the written files, or with the text for stdout
    #[arg(long)]
    pub json: bool,
}
