//! Unknowns and equations of plane structural groups in three kinds of coordinates.
//!
//! Each group contributes its unknowns and equations to the model, in whichever coordinates it is written (Saura et
//! al., section 1 and figure 1). The numbers for each kind follow from the pairs of the group alone. Coordinates of
//! known links and values of inputs are known.
//!
//! | coordinates | unknowns | equations |
//! |---|---|---|
//! | relative | freedoms of a spanning tree of pairs, no inputs | 3 − f + n per pair that closes a loop |
//! | natural | x, y per point of a lower pair | 2 k − 3 per link of k points, 1 per higher pair and input |
//! | reference point | x, y, angle per link | 3 − f + n per pair |
//!
//! Spanning trees have the fewest unknowns. Points are shared by the links of a lower pair, so a revolute pair has no
//! equation. A prismatic pair has the same numbers: a point on a line and a direction replace a common point. A link
//! with fewer than two points has others in addition, up to two. In natural coordinates an input adds one known mixed
//! coordinate and the equation that relates it to the points.
//!
//! In all three the equations exceed the unknowns by [`Group::excess`].
//!
//! Source: J. García de Jalón, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, Springer 1994.
//!
//! Verified by: crates/run/tests/run/groups/group_coordinates.rs.

use super::{Adjacency, Group, Structure};
use crate::topology::DisjointSets;
use alloc::vec::Vec;

/// Unknowns and equations of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Unknown coordinates.
    pub unknowns: usize,
    /// Equations among them, redundant ones included.
    pub equations: usize,
}

/// A group in the three kinds of coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Relative coordinates, with loops closed by cut pairs.
    pub relative: Size,
    /// Natural coordinates: points.
    pub natural: Size,
    /// Reference-point coordinates: position and angle of every link.
    pub reference_point: Size,
}

/// The sizes of all groups, in the order of the groups.
pub fn sizes(adjacency: &Adjacency, structure: &Structure) -> Vec<Sizes> {
    let of_link = structure.group_of_link(adjacency.links);
    let size = |(index, group): (usize, &Group)| Sizes {
        relative: relative(adjacency, group),
        natural: natural(adjacency, group, &of_link, index + 1),
        reference_point: reference_point(adjacency, group),
    };
    structure.groups.iter().enumerate().map(size).collect()
}

fn reference_point(adjacency: &Adjacency, group: &Group) -> Size {
    let equations = group.pairs.iter().map(|&pair| adjacency.pairs[pair].equations()).sum();
    Size { unknowns: 3 * group.links.len(), equations }
}

fn relative(adjacency: &Adjacency, group: &Group) -> Size {
    let vertex = |link: usize| if group.links.contains(&link) { link } else { adjacency.ground };
    let unknowns = |pair: &usize| adjacency.pairs[*pair].freedom - adjacency.pairs[*pair].inputs;
    let mut order = group.pairs.clone();
    order.sort_by_key(|pair| (unknowns(pair), *pair));
    let mut sets = DisjointSets::new(adjacency.links);
    let mut size = Size::default();
    for pair in order {
        let [a, b] = adjacency.pairs[pair].links.map(vertex);
        if sets.leader(a) == sets.leader(b) {
            size.equations += adjacency.pairs[pair].equations();
        } else {
            sets.join(a, b);
            size.unknowns += unknowns(&pair);
        }
    }
    // A part without a pair to the known links has a floating link.
    let mut leaders: Vec<usize> = group.links.iter().map(|&link| sets.leader(link)).collect();
    leaders.sort_unstable();
    leaders.dedup();
    size.unknowns += 3 * leaders.iter().filter(|&&leader| leader != sets.leader(adjacency.ground)).count();
    size
}

fn natural(adjacency: &Adjacency, group: &Group, of_link: &[usize], number: usize) -> Size {
    let mut size = Size::default();
    for &link in &group.links {
        let is_lower = |pair: &&usize| adjacency.pairs[**pair].freedom == 1;
        let lower: Vec<usize> = adjacency.pairs_of(link).iter().filter(is_lower).copied().collect();
        // A point counts where the first of its links is placed, once.
        let is_new = |pair: &&usize| {
            let other = adjacency.pairs[**pair].other(link);
            of_link[other] > number || of_link[other] == number && link < other
        };
        let added = 2usize.saturating_sub(lower.len());
        size.unknowns += 2 * (lower.iter().filter(is_new).count() + added);
        size.equations += 2 * (lower.len() + added) - 3;
    }
    let higher = group.pairs.iter().filter(|&&pair| adjacency.pairs[pair].freedom == 2).count();
    size.equations += higher + group.inputs;
    size
}
