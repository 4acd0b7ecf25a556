//! Graph of bodies and joints: spanning tree, cuts, paths.
//!
//! The tree is grown from the ground by Prim's rule with the key (request of the user, degrees of freedom, depth,
//! position in the file). Joints with many degrees of freedom are left over and become the cuts: a cut joint with f
//! degrees of freedom costs 6 − f equations and saves f coordinates, so this keeps the closed-loop equations few; among
//! equals the tree stays shallow. The result depends only on the model file, never on hashing or addresses.

use alloc::{vec, vec::Vec};

pub mod bandwidth;
pub mod groups;

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// First body (0 is the ground).
    pub first: usize,
    /// Second body.
    pub second: usize,
    /// Degrees of freedom of the joint.
    pub freedom: usize,
    /// Whether it should be in the tree.
    pub request: Request,
}

/// Tree request for a joint, in the order in which edges are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// The joint connects parts of one body: in the tree before all others.
    Inseparable,
    /// The coordinates of the joint are used elsewhere, or the user keeps it: in the tree.
    Tree,
    /// No request.
    Free,
    /// A cut if possible.
    Cut,
}

/// A tree edge, oriented from the ground outward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// Index of the edge.
    pub edge: usize,
    /// Inboard body, in the caller's numbering.
    pub parent: usize,
    /// Outboard body, in the caller's numbering.
    pub child: usize,
}

/// Spanning tree of the bodies that are connected to the ground.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Tree edges, parents before children.
    pub branches: Vec<Branch>,
    /// Edges outside the tree, in the order of the input.
    pub cuts: Vec<usize>,
}

/// The spanning tree of `bodies` bodies (0 is the ground) that the module's rule selects.
pub(crate) fn spanning_tree(bodies: usize, edges: &[Edge]) -> Tree {
    let mut depth = vec![None; bodies];
    depth[0] = Some(0usize);
    let mut in_tree = vec![false; edges.len()];
    let mut tree = Tree::default();
    loop {
        let mut best: Option<((Request, usize, usize, usize), Branch)> = None;
        for (index, edge) in edges.iter().enumerate() {
            let (parent, child) = match (depth[edge.first], depth[edge.second]) {
                (Some(_), None) => (edge.first, edge.second),
                (None, Some(_)) => (edge.second, edge.first),
                _ => continue,
            };
            let key = (edge.request, edge.freedom, depth[parent].unwrap_or(0), index);
            if best.is_none_or(|(other, _)| key < other) {
                best = Some((key, Branch { edge: index, parent, child }));
            }
        }
        let Some((_, branch)) = best else { break };
        depth[branch.child] = depth[branch.parent].map(|d| d + 1);
        in_tree[branch.edge] = true;
        tree.branches.push(branch);
    }
    tree.cuts = (0..edges.len()).filter(|&i| !in_tree[i]).collect();
    tree
}

/// Bodies from `body` (included) to the ground (excluded); `parent[b]` is the inboard body of b.
pub fn path_to_ground(parent: &[usize], mut body: usize) -> Vec<usize> {
    let mut path = Vec::new();
    while body != 0 {
        path.push(body);
        body = parent[body];
    }
    path
}

/// The two legs of the loop that joins bodies `a` and `b`: bodies from each end up to, not including, the lowest common
/// ancestor. Joints inboard of the ancestor do not move `a` relative to `b`.
pub fn loop_legs(parent: &[usize], a: usize, b: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut leg_a, mut leg_b) = (path_to_ground(parent, a), path_to_ground(parent, b));
    while let (Some(x), Some(y)) = (leg_a.last(), leg_b.last()) {
        if x != y {
            break;
        }
        leg_a.pop();
        leg_b.pop();
    }
    (leg_a, leg_b)
}

/// Disjoint sets with path halving; the representative is the smallest member.
pub struct DisjointSets {
    leader: Vec<usize>,
}

impl DisjointSets {
    /// `count` sets of one member each.
    pub fn new(count: usize) -> Self {
        DisjointSets { leader: (0..count).collect() }
    }
    /// Smallest member of the set of `i`.
    pub fn leader(&mut self, mut i: usize) -> usize {
        while self.leader[i] != i {
            self.leader[i] = self.leader[self.leader[i]];
            i = self.leader[i];
        }
        i
    }
    /// Joins two sets.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.leader[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(first: usize, second: usize, freedom: usize) -> Edge {
        Edge { first, second, freedom, request: Request::Free }
    }

    #[test]
    fn the_joint_with_most_freedom_becomes_the_cut() {
        // Slider-crank: crank 1, rod 2, slider 3; the spherical joint (3) between rod and slider is cut.
        let edges = [edge(0, 1, 1), edge(1, 2, 2), edge(2, 3, 3), edge(0, 3, 1)];
        assert_eq!(spanning_tree(4, &edges).cuts, vec![2]);
    }

    #[test]
    fn among_equal_joints_the_tree_stays_shallow_and_requests_win() {
        let mut edges = [edge(0, 1, 1), edge(1, 2, 1), edge(2, 3, 1), edge(0, 3, 1)];
        assert_eq!(spanning_tree(4, &edges).cuts, vec![2]);
        edges[0].request = Request::Cut;
        assert_eq!(spanning_tree(4, &edges).cuts, vec![0]);
        edges[0].request = Request::Free;
        edges[2].request = Request::Tree;
        assert!(!spanning_tree(4, &edges).cuts.contains(&2));
    }

    #[test]
    fn legs_of_a_loop_stop_at_the_common_ancestor() {
        // 0 – 1 – 2 – 3 and 1 – 4.
        let parent = [0, 0, 1, 2, 1];
        assert_eq!(loop_legs(&parent, 3, 4), (vec![3, 2], vec![4]));
        assert_eq!(loop_legs(&parent, 3, 1), (vec![3, 2], vec![]));
    }
}
