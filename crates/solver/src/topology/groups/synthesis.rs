//! Structural synthesis: all plane chains and structural groups with given numbers of links, inputs and higher pairs.
//!
//! Problem. A closed chain of N links with J₁ lower and J₂ higher pairs has the mobility M = 3 (N − 1) − 2 J₁ − J₂
//! (Grübler). The module enumerates all chains in which every link has at least two pairs and no part of two or more
//! links is rigid: the mobility of a proper part is one or more. Each chain is listed once, whatever its numbering.
//! With M = 0 the whole chain is rigid but no part of it is: a Baranov truss. With one of its links as the ground, it
//! is an Assur group.
//!
//! Method. A connected graph of L loops without dangling links is a graph of L − 1 loops with an ear (a string of k new
//! links between two links or back to the same link), or with a new loop on a string. A chain without a rigid part has
//! none after an ear is removed. So the chains of L loops are built from the chains of L − 1 loops, starting with a
//! single loop, and rigid chains are dropped as they arise. An ear with h higher pairs changes the mobility by k − 2 +
//! h. So it suffices to know, for every two links, the smallest mobility of a part that contains both. Duplicates are
//! detected by their canonical form.
//!
//! Groups. A structural group of N_m links with mobility L_c = n_c is a chain of N_m + 1 links, one of which represents
//! all known links, with the mobility L_c and as many inputs, placed so that it contains no smaller group. A link may
//! have two higher pairs with the known links, since these may be two known links.
//!
//! Limits. Between two links there is one pair. Only the kinds of pairs count: a revolute and a prismatic pair are both
//! lower pairs, multiple joints are separate pairs. At most [`MAX_LINKS`] links.
//!
//! Sources: T. S. Mruthyunjaya, Kinematic structure of mechanisms revisited, Mechanism and Machine Theory 38 (2003)
//! 279-320 (methods and numbers of chains); E. E. Peisakh, An algorithmic description of the structural synthesis of
//! planar Assur groups, J. Machinery Manufacture and Reliability 36 (2007) 505-514 (numbers of groups).
//!
//! Verified by: crates/run/tests/run/groups/synthesis_literature.rs (numbers of the literature; exhaustive search
//! over all graphs of up to six links).

use super::CODES;
use super::canonical::Graph;
use alloc::{collections::BTreeSet, vec, vec::Vec};

/// Largest number of links of a chain.
pub(crate) const MAX_LINKS: usize = 12;
/// Largest number of candidates compared: about ten seconds of computing time.
const MAX_CANDIDATES: usize = 4_000_000;
/// Kind of an edge that represents two higher pairs: their two codes as digits. A single pair has its code.
const TWO_HIGHER: u8 = 22;

/// The request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Links, the ground included.
    pub links: usize,
    /// Mobility of the chain.
    pub mobility: usize,
    /// Number of higher pairs; the others are lower pairs.
    pub higher: usize,
}

/// A chain without a ground or inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SynthesizedChain {
    /// Codes of its pairs, 0, 1 or 2.
    pub codes: Vec<Vec<u8>>,
    /// Links that give different mechanisms if grounded, one of every class.
    pub grounds: Vec<usize>,
}

/// A structural group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SynthesizedGroup {
    /// Codes of the pairs between its links, N_m × N_m.
    pub codes: Vec<Vec<u8>>,
    /// Per link: codes of its pairs with known links.
    pub outer: Vec<Vec<u8>>,
}

/// Reason why the enumeration failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SynthesisError {
    /// Fewer links than two or more than [`MAX_LINKS`].
    Links(usize),
    /// 3 (N − 1) − M − J₂ is odd or negative: no number of lower pairs gives the mobility.
    Pairs(Wanted),
    /// There are too many candidates.
    TooMany,
}

impl core::fmt::Display for SynthesisError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            SynthesisError::Links(links) => {
                write!(f, "the enumeration accepts 2 to {MAX_LINKS} links, including the ground; found {links}")
            }
            SynthesisError::Pairs(Wanted { links, mobility, higher }) => write!(
                f,
                "no chain of {links} links with {higher} higher pairs has the mobility {mobility}: 3 ({links} − 1) − \
                 {mobility} − {higher} must be even and not negative; change one of them by 1"
            ),
            SynthesisError::TooMany => {
                write!(f, "there are more than {MAX_CANDIDATES} candidates; use fewer links or higher pairs")
            }
        }
    }
}

impl core::error::Error for SynthesisError {}

/// All chains, each once, in a reproducible order.
///
/// # Errors
/// See [`SynthesisError`].
pub fn chains(wanted: Wanted) -> Result<Vec<SynthesizedChain>, SynthesisError> {
    let chain = |graph: &Graph| SynthesizedChain { codes: matrix(graph, 0), grounds: grounds(graph) };
    Ok(graphs(wanted, false)?.iter().map(chain).collect())
}

/// All structural groups of `wanted.links` − 1 links with `wanted.mobility` inputs, each once.
///
/// # Errors
/// See [`SynthesisError`].
pub fn groups(wanted: Wanted) -> Result<Vec<SynthesizedGroup>, SynthesisError> {
    if wanted.links == 2 {
        return Ok(single_links(wanted));
    }
    let mut found = BTreeSet::new();
    for graph in graphs(wanted, true)? {
        for ground in grounds(&graph) {
            let rooted = graph.canonical(Some(ground));
            let doubled = |a: usize, b: usize| rooted.kind(a, b) == TWO_HIGHER;
            if (1..wanted.links).all(|a| (1..a).all(|b| !doubled(a, b))) {
                add_driven(&rooted, wanted.mobility, &mut found);
            }
        }
    }
    let group = |graph: &Graph| SynthesizedGroup {
        codes: matrix(graph, 1),
        outer: (1..graph.vertices).map(|link| codes_of(graph.kind(0, link)).collect()).collect(),
    };
    Ok(found.iter().map(group).collect())
}

/// Groups of one link, whose pairs with known links remove all three freedoms.
fn single_links(wanted: Wanted) -> Vec<SynthesizedGroup> {
    let possible: [&[u8]; 5] = [&[3], &[1, 2], &[2, 2, 2], &[2, 4], &[5]];
    let sum = |codes: &[u8], of: fn(&super::Code) -> usize| -> usize {
        codes.iter().map(|&code| of(&CODES[usize::from(code)])).sum()
    };
    let fits = |codes: &&&[u8]| {
        sum(codes, |code| code.inputs) == wanted.mobility
            && sum(codes, |code| usize::from(code.freedom == 2)) == wanted.higher
    };
    let group = |codes: &&[u8]| SynthesizedGroup { codes: vec![vec![0]], outer: vec![codes.to_vec()] };
    possible.iter().filter(fits).map(group).collect()
}

/// Codes of the pairs between the links from `first` on.
fn matrix(graph: &Graph, first: usize) -> Vec<Vec<u8>> {
    (first..graph.vertices).map(|a| (first..graph.vertices).map(|b| graph.kind(a, b)).collect()).collect()
}

/// One link of every class of links that an automorphism maps to each other.
fn grounds(graph: &Graph) -> Vec<usize> {
    let mut forms = BTreeSet::new();
    (0..graph.vertices).filter(|&link| forms.insert(graph.canonical(Some(link)))).collect()
}

/// Codes of the pairs that an edge represents.
fn codes_of(kind: u8) -> impl Iterator<Item = u8> {
    [kind / 10, kind % 10].into_iter().filter(|&code| code > 0)
}

/// Equations of an edge, and the higher pairs that it represents.
fn cost(kind: u8) -> (isize, usize) {
    let codes = || codes_of(kind).map(|code| CODES[usize::from(code)]);
    let equations: usize = codes().map(|code| 3 - code.freedom + code.inputs).sum();
    (equations as isize, codes().filter(|code| code.freedom == 2).count())
}

fn higher_pairs(graph: &Graph) -> usize {
    graph.kinds.iter().map(|&kind| cost(kind).1).sum::<usize>() / 2
}

/// Mobility of every part of a chain; the bits of the index are its links.
fn mobilities(graph: &Graph) -> Vec<isize> {
    let mut all = vec![0isize; 1 << graph.vertices];
    for part in 1..all.len() {
        let last = part.ilog2() as usize;
        let rest = part & !(1 << last);
        let taken: isize = (0..last).filter(|&b| rest >> b & 1 == 1).map(|b| cost(graph.kind(last, b)).0).sum();
        all[part] = if rest == 0 { 0 } else { all[rest] + 3 - taken };
    }
    all
}

/// Adds the chain for every placement of its inputs that makes it one group; link 0 represents the known links.
fn add_driven(graph: &Graph, inputs: usize, found: &mut BTreeSet<Graph>) {
    let n = graph.vertices;
    let pairs: Vec<(usize, usize)> = (1..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(|&(a, b)| graph.kind(a, b) > 0).collect();
    let mut driven = graph.clone();
    distribute(&mut driven, &pairs, inputs, &mut |driven| {
        let parts = mobilities(driven);
        let whole = parts.len() - 1;
        let sound = |(part, &mobility): (usize, &isize)| match part {
            _ if part == whole => mobility == 0,
            _ if part & 1 == 1 && part > 1 => mobility >= 1,
            _ => mobility >= 0,
        };
        if parts.iter().enumerate().all(sound) {
            found.insert(driven.canonical(Some(0)));
        }
    });
}

/// Calls `visit` for every placement of `inputs` inputs at the pairs.
fn distribute(graph: &mut Graph, pairs: &[(usize, usize)], inputs: usize, visit: &mut dyn FnMut(&Graph)) {
    let Some((&(a, b), rest)) = pairs.split_first() else {
        return if inputs == 0 {
            visit(graph)
        };
    };
    let bare = graph.kind(a, b);
    let with_inputs: &[u8] = match bare {
        1 => &[1, 3],
        2 => &[2, 4, 5],
        _ => &[22, 24, 25, 44, 45, 55],
    };
    for &kind in with_inputs {
        let count = codes_of(kind).map(|code| CODES[usize::from(code)].inputs).sum();
        if let Some(left) = inputs.checked_sub(count) {
            graph.set(a, b, kind);
            distribute(graph, rest, left, visit);
        }
    }
    graph.set(a, b, bare);
}

/// The graphs of all chains. `doubles`: two higher pairs may join the same links, as one edge.
fn graphs(wanted: Wanted, doubles: bool) -> Result<Vec<Graph>, SynthesisError> {
    let Wanted { links, mobility, higher } = wanted;
    if !(2..=MAX_LINKS).contains(&links) {
        return Err(SynthesisError::Links(links));
    }
    let equations = (3 * (links - 1)).checked_sub(mobility + higher).filter(|equations| equations % 2 == 0);
    let lower = equations.ok_or(SynthesisError::Pairs(wanted))? / 2;
    let loops = (lower + higher + 1).saturating_sub(links);
    let mut search = Search { wanted, doubles, candidates: 0, found: BTreeSet::new() };
    search.add_loops();
    let mut complete = Vec::new();
    for number in 1..=loops {
        for graph in core::mem::take(&mut search.found) {
            if search.is_complete(&graph) {
                complete.push(graph);
            } else if number < loops {
                search.extend(&graph);
            }
            if search.candidates > MAX_CANDIDATES {
                return Err(SynthesisError::TooMany);
            }
        }
    }
    Ok(complete)
}

/// Enumerates the chains by increasing number of loops.
struct Search {
    wanted: Wanted,
    doubles: bool,
    candidates: usize,
    found: BTreeSet<Graph>,
}

impl Search {
    fn is_complete(&self, graph: &Graph) -> bool {
        let Wanted { links, mobility, higher } = self.wanted;
        let whole = mobilities(graph).pop();
        graph.vertices == links && higher_pairs(graph) == higher && whole == Some(mobility as isize)
    }

    /// Adds a chain whose proper parts are mobile, unless the whole chain is rigid and the request excludes rigid
    /// chains.
    fn add(&mut self, coloured: &ColouredGraph, mobility: isize) {
        let ColouredGraph { graph, left, .. } = coloured;
        let wanted_rigid = self.wanted.mobility == 0 && graph.vertices == self.wanted.links && *left == 0;
        if mobility >= 1 || mobility == 0 && wanted_rigid {
            self.candidates += 1;
            self.found.insert(graph.canonical(None));
        }
    }

    /// All single loops.
    fn add_loops(&mut self) {
        for links in 3..=self.wanted.links {
            let path: Vec<usize> = (0..links).chain([0]).collect();
            for coloured in self.coloured(Graph::new(links), &path, self.wanted.higher) {
                self.add(&coloured, 3 * (links as isize - 1) - coloured.taken);
            }
        }
    }

    /// Adds all chains with one more loop.
    fn extend(&mut self, graph: &Graph) {
        let old = graph.vertices;
        let (room, higher) = (self.wanted.links - old, self.wanted.higher - higher_pairs(graph));
        let parts = mobilities(graph);
        let whole = parts.len() - 1;
        for a in 0..old {
            for b in 0..=a {
                let both = 1 << a | 1 << b;
                let proper = parts[..whole].iter().enumerate().filter(|(part, _)| part & both == both);
                let smallest = proper.map(|(_, &mobility)| mobility).min().unwrap_or(parts[whole]);
                let shortest = if a == b { 2 } else { usize::from(graph.kind(a, b) > 0) };
                for k in shortest..=room {
                    let path: Vec<usize> = [a].into_iter().chain(old..old + k).chain([b]).collect();
                    for coloured in self.coloured(graph.extended(k), &path, higher) {
                        let change = 3 * k as isize - coloured.taken;
                        if smallest + change >= 1 {
                            self.add(&coloured, parts[whole] + change);
                        }
                    }
                }
            }
            self.extend_by_loops(graph, a, parts[whole]);
        }
    }

    /// Adds all chains with a new loop of `c` links on a string of `k` new links from link `a`.
    fn extend_by_loops(&mut self, graph: &Graph, a: usize, mobility: isize) {
        let old = graph.vertices;
        let (room, higher) = (self.wanted.links - old, self.wanted.higher - higher_pairs(graph));
        for c in 3..=room {
            for k in 0..=room - c {
                let string: Vec<usize> = [a].into_iter().chain(old..=old + k).collect();
                let around: Vec<usize> = (old + k..old + k + c).chain([old + k]).collect();
                for lead in self.coloured(graph.extended(k + c), &string, higher) {
                    for coloured in self.coloured(lead.graph, &around, lead.left) {
                        let own = 3 * (c as isize - 1) - coloured.taken;
                        if own >= 1 {
                            self.add(&coloured, mobility + 3 * (k as isize + 1) - lead.taken + own);
                        }
                    }
                }
            }
        }
    }

    /// The graph with pairs of every kind along `path`, of which `higher` at most are higher pairs.
    fn coloured(&self, graph: Graph, path: &[usize], higher: usize) -> Vec<ColouredGraph> {
        let mut all = vec![ColouredGraph { graph, left: higher, taken: 0 }];
        for ends in path.windows(2) {
            let mut longer = Vec::with_capacity(2 * all.len());
            for ColouredGraph { graph, left, taken } in all {
                for kind in if self.doubles { &[1, 2, TWO_HIGHER][..] } else { &[1, 2] } {
                    let (equations, pairs) = cost(*kind);
                    if pairs <= left {
                        let mut graph = graph.clone();
                        graph.set(ends[0], ends[1], *kind);
                        longer.push(ColouredGraph { graph, left: left - pairs, taken: taken + equations });
                    }
                }
            }
            all = longer;
        }
        all
    }
}

/// A graph with a new string of pairs.
struct ColouredGraph {
    graph: Graph,
    /// Number of higher pairs that may still be added.
    left: usize,
    /// Equations of the new pairs.
    taken: isize,
}
