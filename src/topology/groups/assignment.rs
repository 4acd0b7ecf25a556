//! Maximum assignment of the equations of pairs to the unknowns of links.
//!
//! Every link has three unknowns, every pair some equations, each of which can be assigned to an unknown of either link
//! of the pair. All three unknowns of a link occur in all equations of its pairs, so counting per link is enough.
//! Augmenting paths, O(P + N) each, one per equation.

use super::Adjacency;
use std::collections::VecDeque;

/// Unknown positions of a link in the plane.
pub(crate) const UNKNOWNS: usize = 3;

/// Which equations determine which link; links that are `known` need none.
pub(crate) struct Assignment<'a> {
    adjacency: &'a Adjacency,
    known: &'a [bool],
    /// Per pair: equations assigned to its first and second link.
    units: Vec<[usize; 2]>,
    /// Per link: equations assigned to it.
    load: Vec<usize>,
}

impl<'a> Assignment<'a> {
    /// As many equations as possible are assigned.
    pub(crate) fn new(adjacency: &'a Adjacency, known: &'a [bool]) -> Self {
        let units = vec![[0; 2]; adjacency.pairs.len()];
        let mut assignment = Assignment { adjacency, known, units, load: vec![0; adjacency.links] };
        for (index, pair) in adjacency.pairs.iter().enumerate() {
            for _ in 0..pair.equations() {
                assignment.augment(index);
            }
        }
        assignment
    }

    /// Assigns one equation (more) of `pair`; `false` when every unknown it could determine is determined already.
    pub(crate) fn augment(&mut self, pair: usize) -> bool {
        // Per link: the pair by whose equation the search came.
        let mut came_by = vec![None; self.adjacency.links];
        let mut queue: VecDeque<usize> = VecDeque::new();
        for &end in &self.adjacency.pairs[pair].links {
            if !self.known[end] {
                came_by[end] = Some(pair);
                queue.push_back(end);
            }
        }
        while let Some(link) = queue.pop_front() {
            if self.load[link] < UNKNOWNS {
                self.shift(link, pair, &came_by);
                return true;
            }
            for &held in self.adjacency.pairs_of(link) {
                let other = self.adjacency.pairs[held].other(link);
                if self.units[held][self.side(held, link)] > 0 && !self.known[other] && came_by[other].is_none() {
                    came_by[other] = Some(held);
                    queue.push_back(other);
                }
            }
        }
        false
    }

    /// Gives `link` the equation by which the search came to it, the link before it the one before, back to `first`.
    fn shift(&mut self, mut link: usize, first: usize, came_by: &[Option<usize>]) {
        self.load[link] += 1;
        while let Some(pair) = came_by[link] {
            let side = self.side(pair, link);
            self.units[pair][side] += 1;
            if pair == first {
                return;
            }
            self.units[pair][1 - side] -= 1;
            link = self.adjacency.pairs[pair].other(link);
        }
    }

    fn side(&self, pair: usize, link: usize) -> usize {
        usize::from(self.adjacency.pairs[pair].links[1] == link)
    }

    /// Links that have to be known, at the latest together with `link`: the other ends of its equations.
    pub(crate) fn needs(&self, link: usize) -> Vec<usize> {
        let pairs = self.adjacency.pairs_of(link).iter();
        let assigned = pairs.filter(|&&pair| self.units[pair][self.side(pair, link)] > 0);
        let others = assigned.map(|&pair| self.adjacency.pairs[pair].other(link));
        others.filter(|&other| !self.known[other]).collect()
    }

    /// Unknown links at an equation that is assigned to nothing.
    pub(crate) fn surplus(&self) -> Vec<usize> {
        let left = |(pair, units): (usize, &[usize; 2])| {
            let all = self.adjacency.pairs[pair].equations();
            (units[0] + units[1] < all).then_some(self.adjacency.pairs[pair].links)
        };
        self.units.iter().enumerate().filter_map(left).flatten().filter(|&link| !self.known[link]).collect()
    }

    /// Whether all unknowns of `link` are determined.
    pub(crate) fn is_full(&self, link: usize) -> bool {
        self.load[link] == UNKNOWNS
    }
}
