//! Clusters: sets of tree joints whose coordinates are eliminated together, from the leaves to the root.
//!
//! A loop couples the joints on its legs, so these form one cluster with all joints between them and their lowest common
//! ancestor, its base. A joint on no loop is a cluster of its own. The bodies of a cluster are those that its joints carry;
//! clusters further out have one of these as their base, so the clusters are a tree again (the aggregated bodies of
//! A. Jain, Multibody graph transformations and analysis, Nonlinear Dynamics 67, 2012).

use super::{Block, Body, Constraint, Rod};
use crate::joint::{Row, TreeJoint};
use crate::topology::{Groups, loop_legs};

/// What moves a joint of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// The reduced coordinate of this number within the cluster.
    Free(usize),
    /// Coordinate `k` of the cluster's block number `block`: a row of its null space.
    Block { block: usize, k: usize },
}

/// Coordinates of a joint that one block of its cluster moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the block within the cluster.
    pub block: usize,
    /// Of every coordinate its number k within the block, and the velocity coordinate, which is also its column.
    pub coordinates: Vec<(usize, usize)>,
}

/// One joint of a cluster with the body it carries. Guided coordinates are left out: their acceleration is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Tree joint; the body is `joint + 1`.
    pub joint: usize,
    /// Place of the inboard body among the members; none for the base.
    pub inboard: Option<usize>,
    /// Coordinates of the joint on no loop: the reduced coordinate, and the velocity coordinate, which is also its column.
    pub free: Vec<(usize, usize)>,
    /// The others, block by block.
    pub parts: Vec<Part>,
}

impl Member {
    /// Velocity coordinates of the joint with what moves them.
    pub fn drives(&self) -> impl Iterator<Item = (usize, Drive)> {
        let free = self.free.iter().map(|&(c, v)| (v, Drive::Free(c)));
        let of_parts = self.parts.iter().flat_map(|Part { block, coordinates }| {
            coordinates.iter().map(|&(k, v)| (v, Drive::Block { block: *block, k }))
        });
        free.chain(of_parts)
    }
}

/// A rod with mass between bodies of a cluster and its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterRod {
    /// Which rod.
    pub rod: usize,
    /// Places of the bodies at its ends; none for the base.
    pub ends: [Option<usize>; 2],
}

/// Joints that are eliminated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Inboard body of all of them.
    pub base: usize,
    /// Its joints, inboard before outboard.
    pub members: Vec<Member>,
    /// Velocity coordinates of its own that are on no loop.
    pub free: Vec<usize>,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// Rods whose inertia couples bodies of it.
    pub rods: Vec<ClusterRod>,
    /// Most reduced coordinates it can have.
    pub most: usize,
    /// Its only coordinate, when it is one joint with one coordinate on no loop.
    pub single: Option<usize>,
}

/// The clusters of a system of rigid bodies, outboard before inboard. `together`: sets of bodies whose relative motion the
/// elimination has to know beside the loops, for the stiffness of implicit steps.
#[allow(clippy::too_many_arguments)]
pub fn clusters(
    bodies: &[Body],
    joints: &[TreeJoint],
    constraints: &[Constraint],
    rows: &[Row],
    blocks: &[Block],
    rods: &[Rod],
    free: &[usize],
    together: &[Vec<usize>],
) -> Vec<Cluster> {
    let parents: Vec<usize> = bodies.iter().map(|body| body.parent).collect();
    let owner = |v: usize| joints.iter().position(|joint| joint.v_range().contains(&v)).unwrap_or(0);
    let mut groups = Groups::new(joints.len());
    let mut join = |list: Vec<usize>| list.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
    let between = |a: usize, b: usize| -> Vec<usize> {
        let (first, second) = loop_legs(&parents, a, b);
        first.into_iter().chain(second).map(|body| body - 1).collect()
    };
    for constraint in constraints {
        match rows.get(constraint.rows.start) {
            Some(Row::Coupled { first, second, .. }) => {
                let trees = [owner(first.1), owner(second.1)];
                let mut path = between(parents[trees[0] + 1], parents[trees[1] + 1]);
                path.extend(trees);
                join(path);
            }
            _ => join(between(constraint.bodies[0], constraint.bodies[1])),
        }
    }
    for rod in rods {
        join(between(rod.bodies[0], rod.bodies[1]));
    }
    for block in blocks {
        join(block.owners.clone());
    }
    for set in together {
        set.windows(2).for_each(|pair| join(between(pair[0], pair[1])));
    }
    let leaders: Vec<usize> = (0..joints.len()).map(|joint| groups.leader(joint)).collect();
    let mut clusters: Vec<Cluster> = Vec::new();
    for leader in (0..joints.len()).rev().filter(|&joint| leaders[joint] == joint) {
        let list: Vec<usize> = (leader..joints.len()).filter(|&joint| leaders[joint] == leader).collect();
        let place = |body: usize| list.iter().position(|&joint| joint + 1 == body);
        let own: Vec<usize> =
            list.iter().flat_map(|&joint| joints[joint].v_range()).filter(|v| free.contains(v)).collect();
        let its_blocks: Vec<usize> = (0..blocks.len())
            .filter(|&block| blocks[block].owners.first().is_some_and(|owner| list.contains(owner)))
            .collect();
        let within = |list: &[usize], joint: usize| -> Vec<(usize, usize)> {
            let number = |v| list.iter().position(|&other| other == v).map(|number| (number, v));
            joints[joint].v_range().filter_map(number).collect()
        };
        let part = |(block, &index): (usize, &usize), joint: usize| {
            let coordinates = within(&blocks[index].coordinates, joint);
            (!coordinates.is_empty()).then_some(Part { block, coordinates })
        };
        let member = |&joint: &usize| Member {
            joint,
            inboard: place(parents[joint + 1]),
            free: within(&own, joint),
            parts: its_blocks.iter().enumerate().filter_map(|pair| part(pair, joint)).collect(),
        };
        let members: Vec<Member> = list.iter().map(member).collect();
        // A rod lies in the cluster of the joints between its ends, which may hang on a body of another one.
        let held = |&rod: &usize| {
            let path = between(rods[rod].bodies[0], rods[rod].bodies[1]);
            rods[rod].mass != 0.0 && path.first().is_some_and(|&joint| leaders[joint] == leader)
        };
        let held = (0..rods.len()).filter(held);
        let rods = held.map(|rod| ClusterRod { rod, ends: rods[rod].bodies.map(place) }).collect();
        let most = own.len() + its_blocks.iter().map(|&block| blocks[block].coordinates.len()).sum::<usize>();
        let single = (members.len() == 1 && own.len() == 1 && its_blocks.is_empty()).then(|| own[0]);
        clusters.push(Cluster {
            base: parents[leader + 1],
            members,
            free: own,
            blocks: its_blocks,
            rods,
            most,
            single,
        });
    }
    clusters
}

/// Where bodies and coordinates are among the clusters; empty without clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterMap {
    /// Per body: its cluster and its place among the members; none for the ground.
    pub bodies: Vec<Option<(usize, usize)>>,
    /// Per velocity coordinate: its cluster and what moves it; none for guided ones.
    pub coordinates: Vec<Option<(usize, Drive)>>,
}

impl ClusterMap {
    /// The map of `clusters`.
    pub fn new(clusters: &[Cluster], bodies: usize, nv: usize) -> ClusterMap {
        let mut map = ClusterMap { bodies: vec![None; bodies], coordinates: vec![None; nv] };
        for (index, cluster) in clusters.iter().enumerate() {
            for (place, member) in cluster.members.iter().enumerate() {
                map.bodies[member.joint + 1] = Some((index, place));
                for (v, drive) in member.drives() {
                    map.coordinates[v] = Some((index, drive));
                }
            }
        }
        map
    }
}
