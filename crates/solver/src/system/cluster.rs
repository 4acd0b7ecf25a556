//! Clusters: sets of tree joints whose coordinates are eliminated together, from the leaves to the root.
//!
//! A loop couples the joints on its legs, so these form one cluster with all joints between them and their lowest
//! common ancestor, its base. A joint on no loop is a cluster of its own. The elastic coordinates of a flexible body
//! move all its links, which form one cluster with them; its base is the body's floating frame, unless a loop includes
//! the frame or the tree reaches the frame through a link. The bodies of a cluster are the bodies that its joints
//! carry; clusters further out have one of these as their base, so the clusters are a tree again (the aggregated bodies
//! of A. Jain, Multibody graph transformations and analysis, Nonlinear Dynamics 67, 2012).

use alloc::vec::Vec;

/// Coordinates that move a joint of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) enum Drive {
    /// The reduced coordinate of this number within the cluster.
    Free(usize),
    /// Coordinate `k` of the cluster's block number `block`: a row of its null space.
    Block { block: usize, k: usize },
}

/// Coordinates of a joint that one block of its cluster moves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Part {
    /// Number of the block within the cluster.
    pub block: usize,
    /// For every coordinate: its number k within the block, and its column.
    pub coordinates: Vec<(usize, usize)>,
}

/// One joint of a cluster with the body it carries. Guided coordinates are left out: their acceleration is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Member {
    /// Tree joint; the body is `joint + 1`.
    pub joint: usize,
    /// Index of the inboard body among the members; `None` for the base.
    pub inboard: Option<usize>,
    /// Coordinates of the joint on no loop: the reduced coordinate, and its column.
    pub free: Vec<(usize, usize)>,
    /// The coordinates on loops, block by block.
    pub parts: Vec<Part>,
}

/// A flexible body whose elastic coordinates belong to a cluster. Held coordinates are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Elastic {
    /// Index of the flexible body.
    pub flexible: usize,
    /// Index of its floating frame among the members; `None` for the base.
    pub frame: Option<usize>,
    /// Number of every mode in the body, with the coordinates that move it.
    pub modes: Vec<(usize, Drive)>,
}

/// A rod with mass between bodies of a cluster and its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct ClusterRod {
    /// Index of the rod.
    pub rod: usize,
    /// Indices of the bodies at its ends; `None` for the base.
    pub ends: [Option<usize>; 2],
}

/// Joints that are eliminated together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct Cluster {
    /// Common inboard body of these joints.
    pub base: usize,
    /// Its joints, inboard before outboard.
    pub members: Vec<Member>,
    /// Its velocity coordinates that are on no loop.
    pub free: Vec<usize>,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// All its velocity coordinates and their movers.
    pub coordinates: Vec<(usize, Drive)>,
    /// Flexible bodies whose modes belong to it.
    pub elastic: Vec<Elastic>,
    /// Rods whose inertia couples its bodies.
    pub rods: Vec<ClusterRod>,
    /// Armatures of its coordinates, kg m² or kg.
    pub armatures: Vec<(f64, Drive)>,
    /// Largest possible number of reduced coordinates.
    pub most: usize,
    /// Its only coordinate, when it is one joint with one coordinate on no loop.
    pub single: Option<usize>,
}

/// Indices of bodies and coordinates in the clusters; empty without clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct ClusterMap {
    /// Per body: its cluster and its index among the members; `None` for the ground.
    pub bodies: Vec<Option<(usize, usize)>>,
    /// Per velocity coordinate: its cluster and its mover; `None` for driven coordinates.
    pub coordinates: Vec<Option<(usize, Drive)>>,
    /// Per block: its cluster and its number within that.
    pub blocks: Vec<Option<(usize, usize)>>,
}
