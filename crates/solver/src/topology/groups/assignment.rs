//! Assignment of the equations of pairs to links: the pebble game for rigid bodies in the plane.
//!
//! Every link has three unknowns, every pair some equations among those of its two links. Equations are dependent for
//! all dimensions if a part of the chain has too many of them. The limit is 3 N next to known links, which are fixed,
//! but 3 N − 3 among N unknown links, because these can still move as one body. In general position there is no other
//! cause of dependence (Tay; Whiteley: the union of three forests). The known links together are one more vertex here,
//! so that one bound, 3 N − 3 for N vertices, holds for all parts.
//!
//! Method. Every vertex holds three pebbles; an equation that is assigned to a link takes one of its pebbles. An
//! equation is independent of those before exactly when four pebbles can be gathered on its two ends, along equations
//! that can be assigned to their other end instead. At the end the known vertex gets its three pebbles back, which is
//! always possible; the remaining pebbles of the links are then the undetermined unknowns. A search for a pebble is
//! O(P + N), at most four per equation.
//!
//! Source: D. J. Jacobs, B. Hendrickson, An algorithm for two-dimensional rigidity percolation: the pebble game, J.
//! Computational Physics 137 (1997) 346-365; A. Lee, I. Streinu, Pebble game algorithms and sparse graphs, Discrete
//! Mathematics 308 (2008) 1425-1437; T.-S. Tay, Rigidity of multi-graphs, J. Combinatorial Theory B 36 (1984) 95-112.

use super::{Adjacency, Pair};
use alloc::{collections::VecDeque, vec, vec::Vec};

/// Unknown positions of a link in the plane.
pub(crate) const UNKNOWNS: usize = 3;

/// Assignment of equations to links; `known` links need no equations.
pub(crate) struct Assignment<'a> {
    adjacency: &'a Adjacency,
    known: &'a [bool],
    /// Per pair: equations assigned to its first and second link.
    units: Vec<[usize; 2]>,
    /// Per vertex: pebbles, the unknowns not determined by an equation.
    free: Vec<usize>,
    /// Per vertex: its pairs with other vertices.
    pairs_of: Vec<Vec<usize>>,
}

impl<'a> Assignment<'a> {
    /// Assigns all independent equations of `pairs`.
    pub(crate) fn new(adjacency: &'a Adjacency, known: &'a [bool], pairs: impl Iterator<Item = usize>) -> Self {
        let units = vec![[0; 2]; adjacency.pairs.len()];
        let (free, pairs_of) = (vec![UNKNOWNS; adjacency.links], vec![Vec::new(); adjacency.links]);
        let mut assignment = Assignment { adjacency, known, units, free, pairs_of };
        for pair in pairs {
            let [a, b] = assignment.ends(pair);
            if a != b {
                assignment.pairs_of[a].push(pair);
                assignment.pairs_of[b].push(pair);
            }
            for _ in 0..adjacency.pairs[pair].equations() {
                assignment.add(pair);
            }
        }
        assignment.release_known();
        assignment
    }

    /// The vertex of a link: the ground represents all known links.
    fn vertex(&self, link: usize) -> usize {
        if self.known[link] { self.adjacency.ground } else { link }
    }

    fn ends(&self, pair: usize) -> [usize; 2] {
        self.adjacency.pairs[pair].links.map(|link| self.vertex(link))
    }

    /// The end of `pair` that is not `vertex`.
    fn other(&self, pair: usize, vertex: usize) -> usize {
        let [a, b] = self.ends(pair);
        if a == vertex { b } else { a }
    }

    /// Assigns one (more) equation of `pair`; `false` when it follows from the assigned equations.
    fn add(&mut self, pair: usize) -> bool {
        let [a, b] = self.ends(pair);
        if a == b {
            return false;
        }
        while self.free[a] < UNKNOWNS && self.gather(a, b) {}
        while self.free[a] + self.free[b] <= UNKNOWNS && self.gather(b, a) {}
        if self.free[a] + self.free[b] <= UNKNOWNS {
            return false;
        }
        let side = usize::from(self.free[a] == 0);
        self.units[pair][side] += 1;
        self.free[[a, b][side]] -= 1;
        true
    }

    /// Assigns one more equation of `pair`, an input that it does not have; `false` when that would determine nothing.
    pub(crate) fn augment(&mut self, pair: usize) -> bool {
        let added = self.add(pair);
        self.release_known();
        added
    }

    fn release_known(&mut self) {
        let ground = self.adjacency.ground;
        while self.free[ground] < UNKNOWNS && self.gather(ground, ground) {}
    }

    /// Moves a pebble to `start`, none of those on `start` and `kept`; `false` when none can be reached.
    fn gather(&mut self, start: usize, kept: usize) -> bool {
        // Per vertex: the pair over which the search came.
        let mut came_by = vec![None; self.adjacency.links];
        let mut queue = VecDeque::from([start]);
        while let Some(vertex) = queue.pop_front() {
            if self.free[vertex] > 0 && vertex != start && vertex != kept {
                self.shift(vertex, start, &came_by);
                return true;
            }
            for index in 0..self.pairs_of[vertex].len() {
                let pair = self.pairs_of[vertex][index];
                let other = self.other(pair, vertex);
                if self.units[pair][self.side(pair, vertex)] > 0 && other != start && came_by[other].is_none() {
                    came_by[other] = Some(pair);
                    queue.push_back(other);
                }
            }
        }
        false
    }

    /// The pebble of `vertex` pays the equation over which the search came there, what that had paid the one before,
    /// back to `start`.
    fn shift(&mut self, mut vertex: usize, start: usize, came_by: &[Option<usize>]) {
        self.free[vertex] -= 1;
        while let Some(pair) = came_by[vertex] {
            let side = self.side(pair, vertex);
            self.units[pair][side] += 1;
            self.units[pair][1 - side] -= 1;
            vertex = self.other(pair, vertex);
        }
        self.free[start] += 1;
    }

    fn side(&self, pair: usize, vertex: usize) -> usize {
        usize::from(self.ends(pair)[1] == vertex)
    }

    /// Links that have to be known, at the latest together with `link`: the other ends of its equations.
    pub(crate) fn needs(&self, link: usize) -> Vec<usize> {
        let pairs = self.adjacency.pairs_of(link).iter();
        let assigned = pairs.filter(|&&pair| self.units[pair][self.side(pair, link)] > 0);
        let others = assigned.map(|&pair| self.adjacency.pairs[pair].other(link));
        others.filter(|&other| !self.known[other]).collect()
    }

    /// Number of equations that are assigned.
    pub(crate) fn rank(&self) -> usize {
        self.units.iter().map(|units| units[0] + units[1]).sum()
    }

    /// The unknown links of every pair with an equation that is assigned to nothing.
    pub(crate) fn surplus(&self) -> Vec<Vec<usize>> {
        let left = |(pair, units): (&Pair, &[usize; 2])| {
            let unknown = || pair.links.into_iter().filter(|&link| !self.known[link]);
            (units[0] + units[1] < pair.equations()).then(|| unknown().collect())
        };
        let found = self.adjacency.pairs.iter().zip(&self.units).filter_map(left);
        found.filter(|links: &Vec<usize>| !links.is_empty()).collect()
    }

    /// Whether all unknowns of `link` are determined.
    pub(crate) fn is_full(&self, link: usize) -> bool {
        self.free[link] == 0
    }
}
