//! Arguments of `ballesta convert`.

use crate::arguments::{assignment, not_negative, positive};
use ballesta_run::model::Assignment;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `ballesta convert`
#[derive(Debug, Args)]
#[command(after_help = "\
--matrices writes K, M and C as Matrix Market, the map of their rows, the positions of the interfaces, and the
structure file that `ballesta reduce` reads.
--simscape writes a MATLAB script with the data of the block Reduced Order Flexible Solid. The script checks
its data when it runs.
--simscape-block writes a MATLAB function that builds a library with this block in a masked subsystem. With
--padding unit the subsystem also contains constraints and small masses.
--state-space writes A, B, C and D. Inputs are forces at the free interfaces; outputs are positions,
velocities and accelerations of interfaces and output nodes. Without a filter the accelerations have a direct
feedthrough.
--base-spring fixes the translations of an interface and adds torsional springs to its rotations. --tip-mass
attaches a point mass to an interface, --tip-inertia a moment of inertia. Modes, rigid motions and damping are
computed for the body mounted in this way. --load prints the static response to constant inputs such as tip.Fy.

Examples:
  ballesta convert arm.rom.toml --matrices arm_matrices.toml
  ballesta convert arm.rom.toml --simscape arm.m --simscape-block arm_block.m
  ballesta convert arm.rom.toml --state-space arm_ss.m --fixed root --filter third --cutoff 5000
  ballesta convert arm.rom.toml --state-space arm.toml --base-spring root=5e5 --tip-mass tip=20 --modes 1 \
--modal-damping 0.01
  ballesta convert arm.rom.toml --state-space arm.toml --fixed root --load tip.Fy=-196.2")]
pub struct Convert {
    /// Reduced-order model (.rom.toml)
    pub rom: PathBuf,
    /// Write the matrices and this structure file, whose name is their prefix
    #[arg(long, value_name = "OUT.TOML")]
    pub matrices: Option<PathBuf>,
    /// Write the data of the Simscape block Reduced Order Flexible Solid
    #[arg(long, value_name = "OUT.M")]
    pub simscape: Option<PathBuf>,
    /// Write a MATLAB function that builds the masked Simscape block with its frame ports
    #[arg(long, value_name = "OUT.M")]
    pub simscape_block: Option<PathBuf>,
    /// Values for directions that interfaces of trusses and planar bodies do not have
    #[arg(long, value_enum, default_value_t = PaddingKind::Rigid)]
    pub padding: PaddingKind,
    /// Write the state space (.toml or .m); repeatable
    #[arg(long, value_name = "OUT.TOML | OUT.M")]
    pub state_space: Vec<PathBuf>,
    /// Fix this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE")]
    pub fixed: Vec<String>,
    /// Mount this interface on torsional springs in N·m/rad in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=N.M/RAD", value_parser = assignment)]
    pub base_spring: Vec<Assignment>,
    /// Attach a point mass in kg to this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=KG", value_parser = assignment)]
    pub tip_mass: Vec<Assignment>,
    /// Attach a moment of inertia in kg·m² about every axis to this interface in the state space; repeatable
    #[arg(long, value_name = "INTERFACE=KG.M2", value_parser = assignment)]
    pub tip_inertia: Vec<Assignment>,
    /// Multiply the stiffness of the body by this factor in the state space
    #[arg(long, value_name = "FACTOR", value_parser = positive)]
    pub stiffness_factor: Option<f64>,
    /// Print the static response of the state space to this input in N or N·m; repeatable
    #[arg(long, value_name = "INPUT=VALUE", value_parser = assignment)]
    pub load: Vec<Assignment>,
    /// Number of elastic modes kept in the state space, lowest first [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub modes: Option<u32>,
    /// Damping ratio of all elastic modes, or one per mode [default: damping of the model]
    #[arg(
        long, value_name = "RATIO,...", value_delimiter = ',', value_parser = not_negative,
        allow_negative_numbers = true
    )]
    pub modal_damping: Vec<f64>,
    /// Omit the rigid-body modes from the state space
    #[arg(long)]
    pub elastic_only: bool,
    /// Low-pass filter for the outputs of the state space
    #[arg(long, value_enum, requires = "cutoff")]
    pub filter: Option<FilterKind>,
    /// Filter constant K in rad/s
    #[arg(long, value_name = "K", value_parser = positive, requires = "filter")]
    pub cutoff: Option<f64>,
    /// Print one JSON object instead of the report
    #[arg(long)]
    pub json: bool,
}

/// `--padding`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaddingKind {
    /// Consistent with rigid-body motion: exactly six zero modes
    Rigid,
    /// Unit stiffness and mass: the number of zero modes is not six
    Unit,
}

/// `--filter`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FilterKind {
    /// K/(s+K) on every output
    First,
    /// K³/(s+K)³ on positions; velocities and accelerations are its derivatives
    Third,
}
