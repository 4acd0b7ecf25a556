//! What the compilation of a mechanism found, for people: plain data.

/// Topology, loops, redundancy and assembly of a compiled system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Degrees of freedom.
    pub dof: usize,
    /// Speeds of the tree joints (relative coordinates).
    pub coordinates: usize,
    /// Position coordinates of the tree joints; more than `coordinates` where there are quaternions.
    pub positions: usize,
    /// Bodies, the ground not counted.
    pub bodies: usize,
    /// Joints of the file.
    pub joints: usize,
    /// Joints of the spanning tree, in its order.
    pub tree_joints: Vec<String>,
    /// Joints that were cut.
    pub cuts: Vec<String>,
    /// Rods.
    pub rods: usize,
    /// Independent loops.
    pub loops: usize,
    /// Guided coordinates.
    pub guided: usize,
    /// Constraint equations of all blocks.
    pub constraints: usize,
    /// Equations that follow from the others.
    pub redundant: usize,
    /// Loops that are coupled with each other, block by block.
    pub blocks: Vec<BlockReport>,
    /// Bodies without mass.
    pub massless_bodies: usize,
    /// Joints with one degree of freedom.
    pub one_dof_joints: usize,
    /// Largest change of a coordinate in the assembly, from the design position or the wish, in rad or m.
    pub assembly_change: f64,
    /// Remarks of the compilation, one line each.
    pub notes: Vec<String>,
}

/// Loops that have to be closed together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockReport {
    /// Names of the cuts and constraints that are closed in it.
    pub loops: Vec<String>,
    /// Tree joints that move in it.
    pub joints: Vec<String>,
    /// Number of coordinates (columns of its Jacobian).
    pub coordinates: usize,
    /// Number of equations (rows of its Jacobian).
    pub equations: usize,
    /// Rank of its Jacobian in the assembled position.
    pub rank: usize,
    /// Coordinates that were chosen as independent.
    pub independent: Vec<String>,
    /// Coordinates that follow from them.
    pub dependent: Vec<String>,
    /// Where equations are redundant.
    pub redundant: Vec<Redundancy>,
}

/// Redundant equations of one constraint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redundancy {
    /// Name of the cut or constraint.
    pub constraint: String,
    /// How many of its equations follow from the others.
    pub equations: usize,
    /// Joints of the loop they belong to.
    pub joints: Vec<String>,
}
