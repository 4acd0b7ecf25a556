//! Links and pairs.

use alloc::{vec, vec::Vec};

/// Meaning of an entry of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Degrees of freedom that the pair allows.
    pub freedom: usize,
    /// Number of these freedoms that are inputs.
    pub inputs: usize,
    /// Description.
    pub words: &'static str,
}

/// Pairs by their code, table 1 of Saura et al.; the printed table has misprints, these codes fit the text and the
/// worked example. Code 0 means no pair.
pub const CODES: [Code; 6] = [
    Code { freedom: 3, inputs: 0, words: "no pair" },
    Code { freedom: 1, inputs: 0, words: "lower pair" },
    Code { freedom: 2, inputs: 0, words: "higher pair" },
    Code { freedom: 1, inputs: 1, words: "lower pair with an input" },
    Code { freedom: 2, inputs: 1, words: "higher pair with an input" },
    Code { freedom: 2, inputs: 2, words: "higher pair with two inputs" },
];

/// A pair between two links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The two links, ascending.
    pub links: [usize; 2],
    /// Degrees of freedom of the pair: 1 (lower) or 2 (higher).
    pub freedom: usize,
    /// Number of these freedoms that are inputs.
    pub inputs: usize,
}

impl Pair {
    /// Equations among the positions of its links.
    pub(crate) fn equations(&self) -> usize {
        3 - self.freedom + self.inputs
    }

    /// The link on the other side of `link`.
    pub(crate) fn other(&self, link: usize) -> usize {
        if self.links[0] == link { self.links[1] } else { self.links[0] }
    }
}

/// A plane chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// Number of links, the ground included.
    pub links: usize,
    /// The link that does not move.
    pub ground: usize,
    /// All pairs, by their links.
    pub pairs: Vec<Pair>,
    /// Per link: its pairs.
    pairs_of: Vec<Vec<usize>>,
}

impl Adjacency {
    /// The chain of a square matrix of codes. Only the part above the diagonal is read; a code above 5 means no pair.
    pub fn new(codes: &[Vec<u8>], ground: usize) -> Adjacency {
        let links = codes.len();
        let mut pairs = Vec::new();
        let mut pairs_of = vec![Vec::new(); links];
        for (i, row) in codes.iter().enumerate() {
            for (j, &code) in row.iter().enumerate().skip(i + 1) {
                if let Some(&Code { freedom, inputs, .. }) = CODES.get(code as usize).filter(|_| code > 0) {
                    pairs_of[i].push(pairs.len());
                    pairs_of[j].push(pairs.len());
                    pairs.push(Pair { links: [i, j], freedom, inputs });
                }
            }
        }
        Adjacency { links, ground, pairs, pairs_of }
    }

    /// The pairs of a link, ascending.
    pub fn pairs_of(&self, link: usize) -> &[usize] {
        &self.pairs_of[link]
    }

    /// Number of equations of the pairs between the links of `chain` and with links that are `known`.
    pub(super) fn equations(&self, chain: &[usize], known: &[bool]) -> usize {
        self.counted(chain, known).map(|pair| self.pairs[pair].equations()).sum()
    }

    /// The pairs counted for `chain`, each once: pairs between its links, and pairs with `known` links.
    pub(super) fn counted<'a>(&'a self, chain: &'a [usize], known: &'a [bool]) -> impl Iterator<Item = usize> + 'a {
        chain.iter().flat_map(move |&link| {
            self.pairs_of[link].iter().copied().filter(move |&pair| {
                let other = self.pairs[pair].other(link);
                known[other] || (link < other && chain.contains(&other))
            })
        })
    }
}
