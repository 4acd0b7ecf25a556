//! Canonical form of a small graph with coloured edges: two graphs have the same form if and only if they are
//! isomorphic.
//!
//! Method. Colours of vertices are refined until vertices of one colour have neighbours of the same colours along every
//! kind of edge. If vertices share a colour, each of them is singled out in turn and the colours are refined again. The
//! orders at the leaves give matrices, and the smallest matrix is the form. Cost: one refinement, O(n²) per round, per
//! vertex of the search tree. The tree has at least as many leaves as the graph has automorphisms.
//!
//! Source: B. D. McKay, A. Piperno, Practical graph isomorphism II, J. Symbolic Computation 60 (2014) 94-112, without
//! the pruning by automorphisms, which graphs of a dozen vertices do not need.

use alloc::{vec, vec::Vec};

/// Largest number of vertices.
pub(super) const MAX_VERTICES: usize = 16;

/// A graph with at most [`MAX_VERTICES`] vertices: symmetric matrix of the kinds of its edges, 0 for none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Graph {
    pub vertices: usize,
    /// Row-major, `vertices` × `vertices`.
    pub kinds: Vec<u8>,
}

/// Colours of the vertices of a graph.
type Colours = [u8; MAX_VERTICES];

impl Graph {
    pub fn new(vertices: usize) -> Graph {
        Graph { vertices, kinds: vec![0; vertices * vertices] }
    }

    pub fn kind(&self, a: usize, b: usize) -> u8 {
        self.kinds[a * self.vertices + b]
    }

    pub fn set(&mut self, a: usize, b: usize, kind: u8) {
        self.kinds[a * self.vertices + b] = kind;
        self.kinds[b * self.vertices + a] = kind;
    }

    /// The graph with `more` additional vertices without edges.
    pub fn extended(&self, more: usize) -> Graph {
        let mut graph = Graph::new(self.vertices + more);
        for a in 0..self.vertices {
            for b in 0..a {
                graph.set(a, b, self.kind(a, b));
            }
        }
        graph
    }

    /// The canonical form. `first`: a vertex that becomes the first vertex and is mapped only to itself.
    pub fn canonical(&self, first: Option<usize>) -> Graph {
        let mut colours = [0; MAX_VERTICES];
        if let Some(first) = first {
            colours[..self.vertices].fill(1);
            colours[first] = 0;
        }
        let mut best = None;
        self.search(colours, &mut best);
        best.unwrap_or_else(|| self.clone())
    }

    fn search(&self, mut colours: Colours, best: &mut Option<Graph>) {
        self.refine(&mut colours);
        let n = self.vertices;
        let mut members = [0u8; MAX_VERTICES];
        colours[..n].iter().for_each(|&colour| members[usize::from(colour)] += 1);
        let Some(shared) = (0..n).find(|&colour| members[colour] > 1) else {
            let graph = self.ordered(&colours);
            if best.as_ref().is_none_or(|best| graph < *best) {
                *best = Some(graph);
            }
            return;
        };
        for vertex in (0..n).filter(|&vertex| usize::from(colours[vertex]) == shared) {
            let mut single = colours;
            let others = (0..n).filter(|&other| usize::from(colours[other]) == shared && other != vertex);
            others.for_each(|other| single[other] += 1);
            self.search(single, best);
        }
    }

    /// Splits colours by the colours of the neighbours. The colour of a class is the number of vertices before it.
    fn refine(&self, colours: &mut Colours) {
        let n = self.vertices;
        let mut classes = 0;
        loop {
            let mut signs = [(0u8, 0u64); MAX_VERTICES];
            for a in 0..n {
                let line = self.kinds[a * n..(a + 1) * n].iter().zip(&colours[..n]).filter(|(kind, _)| **kind > 0);
                let around = line.fold(0u64, |sum, (&kind, &colour)| sum.wrapping_add(mixed(kind, colour)));
                signs[a] = (colours[a], around);
            }
            let mut sorted = signs;
            sorted[..n].sort_unstable();
            let count = (0..n).filter(|&k| k == 0 || sorted[k] != sorted[k - 1]).count();
            for a in 0..n {
                colours[a] = sorted[..n].partition_point(|sign| *sign < signs[a]) as u8;
            }
            if count == classes {
                return;
            }
            classes = count;
        }
    }

    /// The graph with every vertex moved to the position given by its colour.
    fn ordered(&self, colours: &Colours) -> Graph {
        let mut graph = Graph::new(self.vertices);
        for a in 0..self.vertices {
            for b in 0..a {
                graph.set(colours[a].into(), colours[b].into(), self.kind(a, b));
            }
        }
        graph
    }
}

/// A number for an edge to a neighbour, so that sums of them distinguish different neighbourhoods (the finalizer of
/// splitmix64). A collision only leaves a class unsplit.
fn mixed(kind: u8, colour: u8) -> u64 {
    let mut bits = (u64::from(kind) << 8 | u64::from(colour)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All graphs with four vertices and two kinds of edges: the number of forms equals the number of orbits under all
    /// permutations.
    #[test]
    fn graphs_have_one_form_exactly_when_they_are_isomorphic() {
        let places = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let graph = |mut number: usize| {
            let mut graph = Graph::new(4);
            for (a, b) in places {
                graph.set(a, b, (number % 3) as u8);
                number /= 3;
            }
            graph
        };
        let mut orders = Vec::new();
        for code in 0..256usize {
            let order: Vec<usize> = (0..4).map(|k| code >> (2 * k) & 3).collect();
            if (0..4).all(|vertex| order.contains(&vertex)) {
                orders.push(order);
            }
        }
        assert_eq!(orders.len(), 24);
        let smallest = |graph: &Graph| {
            let moved = |order: &Vec<usize>| {
                let mut other = Graph::new(4);
                places.iter().for_each(|&(a, b)| other.set(order[a], order[b], graph.kind(a, b)));
                other
            };
            orders.iter().map(moved).min().expect("24 orders")
        };
        let mut forms = std::collections::BTreeMap::new();
        let mut orbits = std::collections::BTreeSet::new();
        for number in 0..729 {
            let (form, orbit) = (graph(number).canonical(None), smallest(&graph(number)));
            assert!(*forms.entry(form.kinds).or_insert_with(|| orbit.kinds.clone()) == orbit.kinds, "{number}");
            orbits.insert(orbit.kinds);
        }
        assert_eq!(forms.len(), orbits.len());
    }
}
