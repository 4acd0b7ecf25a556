//! Joints, modes and rods that are eliminated together: the clusters of [`crate::system::Cluster`], from the loops of a
//! mechanism.

use super::Layout;
use super::blocks::Loops;
use super::numbering::Numbering;
use crate::joint::{Row, TreeJoint};
use crate::system::{Block, Cluster, ClusterMap, ClusterRod, Drive, Elastic, Flexible, Member, Part, Rod};
use crate::topology::{DisjointSets, loop_legs};
use alloc::{vec, vec::Vec};

/// Data from which clusters are formed.
struct Chains<'a> {
    /// Inboard body of every body.
    parents: &'a [usize],
    joints: &'a [TreeJoint],
    flexible: &'a [Flexible],
    /// Per velocity coordinate.
    armature: &'a [f64],
    loops: &'a Loops,
}

impl Chains<'_> {
    /// Owner of velocity coordinate `v`: a joint, or after all joints a flexible body.
    fn owner(&self, v: usize) -> usize {
        match self.flexible.iter().position(|body| body.v.contains(&v)) {
            Some(index) => self.joints.len() + index,
            None => {
                let joint = self.joints.iter().position(|joint| joint.v_range().contains(&v));
                joint.expect("a coordinate outside flexible bodies belongs to a joint")
            }
        }
    }

    fn parent(&self, joint: usize) -> usize {
        self.parents[joint + 1]
    }

    /// Joints between two bodies and the first body that carries both.
    fn between(&self, a: usize, b: usize) -> Vec<usize> {
        let (first, second) = loop_legs(self.parents, a, b);
        first.into_iter().chain(second).map(|body| body - 1).collect()
    }

    /// Joints and flexible bodies that are eliminated together: per joint, then per flexible body, the first member of
    /// its set.
    fn sets(&self, together: &[Vec<usize>]) -> Vec<usize> {
        let count = self.joints.len() + self.flexible.len();
        let mut groups = DisjointSets::new(count);
        let mut join = |list: Vec<usize>| list.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        for constraint in &self.loops.constraints {
            match self.loops.rows.get(constraint.rows.start) {
                Some(Row::Coupled { terms, .. }) => {
                    let trees: Vec<usize> = terms.iter().map(|term| self.owner(term.velocity)).collect();
                    for pair in trees.windows(2) {
                        let mut path = self.between(self.parent(pair[0]), self.parent(pair[1]));
                        path.extend(pair);
                        join(path);
                    }
                }
                _ => join(self.between(constraint.bodies[0], constraint.bodies[1])),
            }
        }
        for rod in &self.loops.rods {
            join(self.between(rod.bodies[0], rod.bodies[1]));
        }
        for block in &self.loops.blocks {
            join(block.coordinates.iter().map(|&v| self.owner(v)).collect());
        }
        for (joint, tree) in self.joints.iter().enumerate() {
            join(tree.link.iter().flat_map(|link| [joint, self.joints.len() + link.flexible]).collect());
        }
        for set in together {
            set.windows(2).for_each(|pair| join(self.between(pair[0], pair[1])));
        }
        (0..count).map(|item| groups.leader(item)).collect()
    }

    /// The cluster of the set whose first member is `leader`.
    fn cluster(&self, sets: &[usize], leader: usize) -> Cluster {
        let joints = self.joints.len();
        let list: Vec<usize> = (0..joints).filter(|&joint| sets[joint] == leader).collect();
        let elastic: Vec<usize> = (0..self.flexible.len()).filter(|&body| sets[joints + body] == leader).collect();
        let place = |body: usize| list.iter().position(|&joint| joint + 1 == body);
        let of_joints = list.iter().map(|&joint| &self.joints[joint]).filter(|tree| tree.link.is_none());
        let of_joints = of_joints.flat_map(TreeJoint::v_range);
        let of_modes = elastic.iter().flat_map(|&body| self.flexible[body].v.clone());
        let free: Vec<usize> = of_joints.chain(of_modes).filter(|v| self.loops.free.contains(v)).collect();
        let in_set = |block: &Block| block.coordinates.first().is_some_and(|&v| sets[self.owner(v)] == leader);
        let blocks: Vec<usize> =
            (0..self.loops.blocks.len()).filter(|&block| in_set(&self.loops.blocks[block])).collect();
        let within = |list: &[usize], joint: usize| -> Vec<(usize, usize)> {
            let tree = &self.joints[joint];
            let number = |(v, slot)| list.iter().position(|&other| other == v).map(|number| (number, slot));
            tree.v_range().zip(tree.slot_range()).filter_map(number).collect()
        };
        let part = |(block, &index): (usize, &usize), joint: usize| {
            let coordinates = within(&self.loops.blocks[index].coordinates, joint);
            (!coordinates.is_empty()).then_some(Part { block, coordinates })
        };
        let member = |&joint: &usize| Member {
            joint,
            inboard: place(self.parent(joint)),
            free: within(&free, joint),
            parts: blocks.iter().enumerate().filter_map(|pair| part(pair, joint)).collect(),
        };
        let members: Vec<Member> = list.iter().map(member).collect();
        let mut coordinates: Vec<(usize, Drive)> = free.iter().enumerate().map(|(c, &v)| (v, Drive::Free(c))).collect();
        for (block, &index) in blocks.iter().enumerate() {
            let of_block = self.loops.blocks[index].coordinates.iter().enumerate();
            coordinates.extend(of_block.map(|(k, &v)| (v, Drive::Block { block, k })));
        }
        let modes = |body: &Flexible| {
            let drive = |(mode, v)| coordinates.iter().find(|item| item.0 == v).map(|item| (mode, item.1));
            body.v.clone().enumerate().filter_map(drive).collect()
        };
        let elastic_body = |&flexible: &usize| {
            let body = &self.flexible[flexible];
            Elastic { flexible, frame: place(body.body), modes: modes(body) }
        };
        let elastic: Vec<Elastic> = elastic.iter().map(elastic_body).collect();
        // A rod belongs to the cluster of the joints between its ends, which may be attached to a body of another
        // cluster.
        let held = |rod: &Rod| {
            let path = self.between(rod.bodies[0], rod.bodies[1]);
            rod.mass != 0.0 && path.first().is_some_and(|&joint| sets[joint] == leader)
        };
        let rods = (0..self.loops.rods.len()).filter(|&rod| held(&self.loops.rods[rod]));
        let rods = rods.map(|rod| ClusterRod { rod, ends: self.loops.rods[rod].bodies.map(place) }).collect();
        let most = free.len() + blocks.iter().map(|&block| self.loops.blocks[block].coordinates.len()).sum::<usize>();
        let single = members.len() == 1 && free.len() == 1 && blocks.is_empty() && elastic.is_empty();
        Cluster {
            base: match list.first() {
                Some(&joint) => self.parent(joint),
                None => self.flexible[elastic.first().expect("a set without joints is a flexible body").flexible].body,
            },
            members,
            single: single.then(|| free[0]),
            armatures: coordinates
                .iter()
                .map(|&(v, drive)| (self.armature[v], drive))
                .filter(|&(armature, _)| armature != 0.0)
                .collect(),
            free,
            blocks,
            coordinates,
            elastic,
            rods,
            most,
        }
    }
}

/// The clusters of a mechanism, outboard before inboard. `together`: sets of bodies whose relative motion the
/// elimination needs in addition to the loops, for the stiffness of implicit steps.
pub(super) fn clusters(layout: &Layout, loops: &Loops, together: &[Vec<usize>]) -> Vec<Cluster> {
    let Numbering { joints, flexible, armature, .. } = &layout.numbering;
    let chains = Chains { parents: &layout.graph.parents, joints, flexible, armature, loops };
    let sets = chains.sets(together);
    let mut leaders: Vec<usize> = (0..sets.len()).filter(|&item| sets[item] == item).collect();
    // Modes without links follow the joint that carries their frame.
    let key = |item: usize| match item.checked_sub(chains.joints.len()) {
        Some(flexible) => chains.flexible[flexible].body,
        None => item,
    };
    leaders.sort_by_key(|&item| core::cmp::Reverse(key(item)));
    leaders.into_iter().map(|leader| chains.cluster(&sets, leader)).collect()
}

/// The map of `clusters` for these numbers of bodies, velocity coordinates and blocks.
pub(super) fn cluster_map(clusters: &[Cluster], [bodies, nv, blocks]: [usize; 3]) -> ClusterMap {
    let mut map = ClusterMap { bodies: vec![None; bodies], coordinates: vec![None; nv], blocks: vec![None; blocks] };
    for (index, cluster) in clusters.iter().enumerate() {
        for (place, member) in cluster.members.iter().enumerate() {
            map.bodies[member.joint + 1] = Some((index, place));
        }
        for &(v, drive) in &cluster.coordinates {
            map.coordinates[v] = Some((index, drive));
        }
        for (number, &block) in cluster.blocks.iter().enumerate() {
            map.blocks[block] = Some((index, number));
        }
    }
    map
}
