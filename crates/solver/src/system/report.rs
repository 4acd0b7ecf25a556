//! The data of a compiled system that `check` reports.

use alloc::{string::String, vec::Vec};

/// Sizes, loops, redundancy and the initial assembly.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Report {
    /// Degrees of freedom, guided coordinates not counted.
    pub dof: usize,
    /// Relative velocity coordinates of the open tree, guided ones included.
    pub coordinates: usize,
    /// Relative positions (quaternions count four).
    pub positions: usize,
    /// Moving bodies.
    pub bodies: usize,
    /// Joints of the file.
    pub joints: usize,
    /// Joints kept in the spanning tree.
    pub tree_joints: Vec<String>,
    /// Joints cut to open loops.
    pub cuts: Vec<String>,
    /// Rods.
    pub rods: usize,
    /// Independent loops of bodies, by joints, rods and points on lines or in planes; couplers are none.
    pub loops: usize,
    /// Guided coordinates.
    pub guided: usize,
    /// Closure equations.
    pub constraints: usize,
    /// Closure equations that depend on others.
    pub redundant: usize,
    /// Loops that share coordinates, closed together.
    pub blocks: Vec<BlockReport>,
    /// Bodies without mass and inertia.
    pub massless_bodies: usize,
    /// Joints if each of the tree were written as one-degree-of-freedom joints with massless bodies between them, and
    /// the cut ones (the count of Hidalgo & García de Jalón).
    pub one_dof_joints: usize,
    /// The massless bodies between the bodies of the tree.
    pub massless_between: usize,
    /// Part of the entries of the Jacobian of the closure equations with respect to the dependent coordinates that are
    /// not zero at the start; 1 without closure equations.
    pub density: f64,
    /// Fraction of these entries that are not structurally zero: entries of a coordinate on the loop of an equation.
    pub density_by_structure: f64,
    /// Largest change of a coordinate during assembly from the design position or the request.
    pub assembly_change: AssemblyChange,
    /// Positions that could not be kept, and other remarks.
    pub notes: Vec<String>,
    /// Reasons why the motion differs from the request of the file: requested speeds that the loops do not allow, loops
    /// that a misalignment locks.
    pub warnings: Vec<String>,
    /// Names of the scalar outputs that redundant loop equations leave undetermined: reactions and efforts of which
    /// only a sum over several joints follows from the motion.
    pub undetermined: Vec<String>,
    /// Flexible bodies, in the order of the file.
    pub flexible: Vec<FlexibleReport>,
}

/// Change of a coordinate by the assembly.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AssemblyChange {
    /// In `unit`; 0 if no coordinate changed.
    pub amount: f64,
    /// The joint, with the name of the coordinate where it has several; empty, if nothing was changed.
    pub coordinate: String,
    /// `rad` or `m`.
    pub unit: String,
}

/// One flexible body.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct FlexibleReport {
    /// Name in the file.
    pub name: String,
    /// File of its reduced-order model, as the file names it.
    pub rom: String,
    /// Interface that its floating frame follows, or `mean_axis`.
    pub frame: String,
    /// How internal forces stiffen it, in the word of the model file.
    pub stiffening: String,
    /// Its elastic modes, ascending.
    pub modes: Vec<ModeReport>,
}

/// One elastic mode of a flexible body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct ModeReport {
    /// Natural frequency of the undamped mode with the floating frame held, Hz.
    pub frequency_hz: f64,
    /// Damping ratio.
    pub damping_ratio: f64,
    /// Angular frequency times internal step.
    pub omega_h: f64,
    /// Whether it only gives way to its load instead of oscillating.
    pub quasi_static: bool,
}

/// One block of loops.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct BlockReport {
    /// Names of what closes its loops.
    pub loops: Vec<String>,
    /// Joints that move in it.
    pub joints: Vec<String>,
    /// Unknown coordinates.
    pub coordinates: usize,
    /// Closure equations.
    pub equations: usize,
    /// Rank of their Jacobian at regular positions.
    pub rank: usize,
    /// Systems of equations in which it is closed, one after the other; 1: as a whole.
    pub pieces: usize,
    /// Coordinates chosen as independent at the start.
    pub independent: Vec<String>,
    /// Coordinates computed from them.
    pub dependent: Vec<String>,
    /// Which equations are redundant.
    pub redundant: Vec<Redundancy>,
}

/// Redundant equations of one constraint.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Redundancy {
    /// Cut joint, rod or other constraint.
    pub constraint: String,
    /// Number of its equations that follow from others.
    pub equations: usize,
    /// Joints of its loop.
    pub joints: Vec<String>,
}
