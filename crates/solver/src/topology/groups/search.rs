//! Rounds of the search: single links, pairs of links, then the blocks of the remaining form.

use super::assignment::{Assignment, UNKNOWNS};
use super::triangular::{reached, strong_components};
use super::{Adjacency, Group, Structure};
use crate::topology::DisjointSets;
use alloc::{vec, vec::Vec};

/// The structural groups of a plane chain.
pub fn analyse(adjacency: &Adjacency) -> Structure {
    let mut known = vec![false; adjacency.links];
    known[adjacency.ground] = true;
    let mut search = Search { adjacency, known, number: vec![0; adjacency.links], structure: Structure::default() };
    let from_ground = adjacency.pairs_of(adjacency.ground).iter().map(|&pair| adjacency.pairs[pair]);
    search.structure.handed = from_ground.map(|pair| (adjacency.ground, pair.other(adjacency.ground))).collect();
    while search.known.contains(&false) {
        let mut chains = search.single();
        if chains.is_empty() {
            chains = search.double();
        }
        if chains.is_empty() {
            chains = search.determined();
        }
        if chains.is_empty() {
            chains = search.rest();
        }
        chains.sort_by_key(|chain| (chain.len(), chain[0]));
        chains.into_iter().for_each(|chain| search.add(chain));
    }
    let mut structure = search.structure;
    let (pairs, links) = (&adjacency.pairs, adjacency.links as isize - 1);
    let freedom: usize = pairs.iter().map(|pair| pair.freedom).sum();
    structure.mobility = freedom as isize - 3 * (pairs.len() as isize - links);
    structure.inputs = pairs.iter().map(|pair| pair.inputs).sum();
    structure
}

struct Search<'a> {
    adjacency: &'a Adjacency,
    /// The ground and the links of the groups found.
    known: Vec<bool>,
    /// The groups found.
    number: Vec<usize>,
    structure: Structure,
}

impl Search<'_> {
    fn unknown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.adjacency.links).filter(|&link| !self.known[link])
    }

    /// The unknown links on the other side of the pairs of `link`.
    fn neighbours(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        let others = self.adjacency.pairs_of(link).iter().map(move |&pair| self.adjacency.pairs[pair].other(link));
        others.filter(|&other| !self.known[other])
    }

    fn has_enough(&self, chain: &[usize]) -> bool {
        self.adjacency.equations(chain, &self.known) >= UNKNOWNS * chain.len()
    }

    fn single(&self) -> Vec<Vec<usize>> {
        self.joined(self.unknown().filter(|&link| self.has_enough(&[link])).map(|link| vec![link]).collect())
    }

    fn double(&self) -> Vec<Vec<usize>> {
        let ahead = |link: usize| self.neighbours(link).filter(move |&other| other > link);
        let chains = self.unknown().flat_map(|link| ahead(link).map(move |other| vec![link, other]));
        self.joined(chains.filter(|chain| self.has_enough(chain)).collect())
    }

    /// Chains that overlap or have a pair in common are one; this happens only where there are too many equations.
    fn joined(&self, chains: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut sets = DisjointSets::new(self.adjacency.links);
        let mut inside = vec![false; self.adjacency.links];
        for chain in &chains {
            chain.iter().for_each(|&link| inside[link] = true);
            chain.windows(2).for_each(|two| sets.join(two[0], two[1]));
        }
        self.components(&inside, sets)
    }

    /// The links in `inside`, grouped by the pairs between them.
    fn components(&self, inside: &[bool], mut sets: DisjointSets) -> Vec<Vec<usize>> {
        for link in self.unknown().filter(|&link| inside[link]) {
            self.neighbours(link).filter(|&other| inside[other]).for_each(|other| sets.join(link, other));
        }
        let mut chains = vec![Vec::new(); self.adjacency.links];
        self.unknown().filter(|&link| inside[link]).for_each(|link| chains[sets.leader(link)].push(link));
        chains.retain(|chain| !chain.is_empty());
        chains
    }

    /// Over-constrained chains without missing inputs, and the blocks of the determined part that need no other block.
    fn determined(&self) -> Vec<Vec<usize>> {
        let assignment = Assignment::new(self.adjacency, &self.known, 0..self.adjacency.pairs.len());
        let needs = self.needs(&assignment);
        let short: Vec<bool> =
            (0..self.adjacency.links).map(|link| !self.known[link] && !assignment.is_full(link)).collect();
        let lacking =
            |block: &[usize]| reached(&needs, block).iter().zip(&short).any(|(&needed, &short)| needed && short);
        let surplus: Vec<usize> = assignment.surplus().into_iter().filter(|ends| !lacking(ends)).flatten().collect();
        let over = reached(&needs, &surplus);
        let mut chains = self.components(&over, DisjointSets::new(self.adjacency.links));
        for block in strong_components(&needs) {
            let alone = block.iter().flat_map(|&link| &needs[link]).all(|other| block.contains(other));
            if !self.known[block[0]] && !over[block[0]] && alone && !lacking(&block) {
                chains.push(block);
            }
        }
        chains
    }

    fn needs(&self, assignment: &Assignment) -> Vec<Vec<usize>> {
        let of_link = |link: usize| if self.known[link] { Vec::new() } else { assignment.needs(link) };
        (0..self.adjacency.links).map(of_link).collect()
    }

    /// The remaining links have too few equations.
    fn rest(&self) -> Vec<Vec<usize>> {
        let inside: Vec<bool> = self.known.iter().map(|known| !known).collect();
        self.components(&inside, DisjointSets::new(self.adjacency.links))
    }

    fn add(&mut self, links: Vec<usize>) {
        // Pairs of the group, and the groups before it that they connect to.
        let mut pairs: Vec<usize> = self.adjacency.counted(&links, &self.known).collect();
        pairs.sort_unstable();
        let all = pairs.iter().map(|&pair| self.adjacency.pairs[pair]);
        let known_end = |pair: &usize| self.adjacency.pairs[*pair].links.into_iter().find(|&link| self.known[link]);
        let mut predecessors: Vec<usize> = pairs.iter().filter_map(known_end).map(|link| self.number[link]).collect();
        predecessors.sort_unstable();
        predecessors.dedup();
        // The group with its freedoms and inputs.
        let mut group = Group {
            freedom: all.clone().map(|pair| pair.freedom).sum(),
            inputs: all.map(|pair| pair.inputs).sum(),
            outer: pairs.iter().copied().filter(|pair| known_end(pair).is_some()).collect(),
            driven: pairs.iter().copied().filter(|&pair| self.adjacency.pairs[pair].inputs > 0).collect(),
            predecessors,
            redundant: 0,
            missing: Vec::new(),
            pairs,
            links,
        };
        self.compare_with_rank(&mut group);
        // Its links are now known, and are handed to the neighbours.
        let number = self.structure.groups.len() + 1;
        for &link in &group.links {
            self.known[link] = true;
            self.number[link] = number;
        }
        for &link in &group.links {
            let receivers: Vec<usize> = self.neighbours(link).collect();
            self.structure.handed.extend(receivers.into_iter().map(|receiver| (link, receiver)));
        }
        self.structure.groups.push(group);
    }

    /// The number of dependent equations of a group, and the pairs whose freedoms could be inputs for undetermined
    /// unknowns. Tries each pair in turn, outer pairs first.
    fn compare_with_rank(&self, group: &mut Group) {
        let mut assignment = Assignment::new(self.adjacency, &self.known, group.pairs.iter().copied());
        let equations: usize = group.pairs.iter().map(|&pair| self.adjacency.pairs[pair].equations()).sum();
        group.redundant = equations - assignment.rank();
        let inner = group.pairs.iter().filter(|pair| !group.outer.contains(pair));
        let order: Vec<usize> = group.outer.iter().chain(inner).copied().collect();
        for pair in order {
            let place = self.adjacency.pairs[pair];
            let possible = (place.inputs..place.freedom).take_while(|_| assignment.augment(pair)).count();
            group.missing.extend(core::iter::repeat_n(pair, possible));
        }
    }
}
