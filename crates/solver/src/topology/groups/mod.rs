//! Structural groups of plane chains, from their adjacency matrix.
//!
//! Problem. N links, one of them the ground, are joined by pairs; some freedoms of the pairs are inputs. A chain of N_m
//! moving links with P pairs that allow S_c degrees of freedom and n_c inputs is a structural group when its mobility
//! L_c = S_c − 3 (P − N_m) equals n_c and no smaller chain in it has this property. P counts the pairs between the
//! links of the chain and the pairs with outer links that have no freedom left: the ground, and the links of earlier
//! groups. The ordered groups are small systems that can be solved one after the other for the positions of the whole
//! chain.
//!
//! Source. Saura, Celdrán, Dopico, Cuadrado: Análisis estructural computacional de sistemas multicuerpo planos con
//! pares inferiores y superiores, eq. 1 and algorithms 1 to 3. They try chains of growing length; this module counts.
//!
//! Method. A pair of freedom f with n inputs is 3 − f + n equations among the 2 · 3 unknown positions of its links, a
//! lower pair 2 + n, a higher one 1 + n. Among N links without a pair to a known link, at most 3 N − 3 equations are
//! independent, since these links can still move as one body. Eq. 1 does not require this: it accepts a linkage that is
//! driven against itself as determined if the arm that carries it lacks as many inputs. A chain is a group if its
//! number of independent equations equals its number of unknowns and this is true for no part of it. So the groups are
//! the irreducible blocks of the Dulmage-Mendelsohn form of equations and unknowns, found by an assignment of equations
//! to links (`assignment`, the pebble game) and the strongly connected components of "needs" ([`triangular`]). Chains
//! with more equations than unknowns (over-constrained) and chains without enough equations (under-determined) follow
//! from this form; the latter may have redundant equations among links that can move as one body. The partition does
//! not depend on the numbering of the links.
//!
//! Order. In each round all single links that are groups are taken; otherwise all two-link groups; otherwise the blocks
//! of the remaining form, smaller chains first. This is the order of the paper. Over-constrained chains that overlap,
//! or have a pair in common, count as one.
//!
//! Cost. At most N rounds of O(E (N + P)) with E ≤ 3 P equations; 600 links in 300 groups take some hundredths of a
//! second.
//!
//! Limits. Counting ignores geometry: parallelograms with a redundant link, sliders that all slide in one direction,
//! and similar chains move although they count as rigid. `ballesta::analysis::groups` takes the rank of the Jacobian
//! instead.
//!
//! Verified by: crates/run/tests/run/groups/mod.rs (the paper's example, textbook linkages, renumbering,
//! exhaustive search on random chains, ranks of the Jacobian with random dimensions).

mod adjacency;
mod assignment;
mod canonical;
pub mod drivers;
pub mod plane_coordinates;
mod search;
pub mod synthesis;
pub mod triangular;

pub use adjacency::{Adjacency, CODES, Code, Pair};
use alloc::{vec, vec::Vec};
pub use search::analyse;

/// Result of the analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// The groups in their order; number 1 is the first (0 is the ground).
    pub groups: Vec<Group>,
    /// Mobility of the whole chain, 3 N_m − Σ (3 − f), inputs not subtracted.
    pub mobility: isize,
    /// Number of inputs.
    pub inputs: usize,
    /// (giver, receiver) for every pair, in the order in which links pass freedom to other links.
    pub handed: Vec<(usize, usize)>,
}

/// A chain of links that is solved at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its links (N_m), ascending.
    pub links: Vec<usize>,
    /// Its pairs (P), ascending: pairs between its links and outer pairs.
    pub pairs: Vec<usize>,
    /// The outer pairs among them: pairs with the ground or with links of earlier groups.
    pub outer: Vec<usize>,
    /// Pairs of `pairs` with inputs.
    pub driven: Vec<usize>,
    /// Degrees of freedom that the pairs allow, S_c.
    pub freedom: usize,
    /// Inputs, n_c.
    pub inputs: usize,
    /// Numbers of the groups from which it receives freedom, ascending; 0 is the ground.
    pub predecessors: Vec<usize>,
    /// Number of equations that follow from others or contradict them, for all dimensions. It can be positive with an
    /// excess of 0 or below, if links left free by the rest are driven against each other.
    pub redundant: usize,
    /// Under-determined group: pairs that need one more input each to make the group determined (a pair with two
    /// freedoms may occur twice). Other choices may exist, and the freedoms may be too few for all missing inputs.
    pub missing: Vec<usize>,
}

impl Group {
    /// L_c = S_c − 3 (P − N_m).
    pub fn mobility(&self) -> isize {
        self.freedom as isize - 3 * (self.pairs.len() as isize - self.links.len() as isize)
    }

    /// Number of equations minus unknowns, n_c − L_c: 0 for a structural group, positive if over-constrained, negative
    /// if inputs are missing.
    pub fn excess(&self) -> isize {
        self.inputs as isize - self.mobility()
    }

    /// Number of undetermined unknowns.
    pub fn lacking(&self) -> usize {
        self.redundant.saturating_add_signed(-self.excess())
    }

    /// Whether the equations of the group determine its positions without contradiction.
    pub fn is_determined(&self) -> bool {
        self.excess() == 0 && self.redundant == 0
    }
}

impl Structure {
    /// Number of the group of every link; 0 for the ground.
    pub fn group_of_link(&self, links: usize) -> Vec<usize> {
        let mut number = vec![0; links];
        for (index, group) in self.groups.iter().enumerate() {
            group.links.iter().for_each(|&link| number[link] = index + 1);
        }
        number
    }

    /// The matrix *Resultados* of the paper for `links` links. First row: the group of every link. Rows j ≥ 2: entry
    /// (j, i) is 1 if link j passed freedom to link i. The first row is used by the groups, so the freedom from the
    /// ground (the first link) to link c is in the first column, (c, 1), as in algorithm 1 of the paper. With another
    /// link as ground its row and column are exchanged with the first ones.
    pub fn results(&self, links: usize, ground: usize) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..links).collect();
        order.swap(0, ground);
        let number = self.group_of_link(links);
        let mut rows = vec![vec![0; links]; links];
        rows[0] = order.iter().map(|&link| number[link]).collect();
        for &(giver, receiver) in &self.handed {
            let (giver, receiver) = (order[giver], order[receiver]);
            let (row, column) = if giver == 0 { (receiver, 0) } else { (giver, receiver) };
            rows[row][column] = 1;
        }
        rows
    }

    /// Whether every group is determined, without missing inputs or redundant equations.
    pub fn is_determined(&self) -> bool {
        self.groups.iter().all(Group::is_determined)
    }
}
