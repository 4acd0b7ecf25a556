//! Closure equations sorted into blocks that share unknown coordinates.

use super::Layout;
use super::constraints::{Closure, Constraints};
use crate::joint::{Row, Term, TreeJoint};
use crate::math::larger;
use crate::system::flexible::LinkShape;
use crate::system::{Block, Constraint, Entry, Flexible, Guided, Moving, Rod};
use crate::topology::bandwidth::bandwidth_order;
use crate::topology::{DisjointSets, path_to_ground};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Class of an elastic coordinate: it is chosen as independent before the coordinates of joints marked as independent
/// (1) and all others (0).
const ELASTIC: u8 = 2;

/// Loops of the mechanism, rows numbered block by block.
pub(super) struct Loops {
    pub(super) constraints: Vec<Constraint>,
    pub(super) rows: Vec<Row>,
    pub(super) rods: Vec<Rod>,
    pub(super) blocks: Vec<Block>,
    /// Velocity coordinates in no block and without prescribed motion.
    pub(super) free: Vec<usize>,
}

impl Loops {
    pub(super) fn new(layout: &Layout, constraints: Constraints, guided: &[Guided]) -> Loops {
        let Constraints { mut closures, mut rods, size } = constraints;
        let is_guided = |v: &usize| guided.iter().any(|item| item.coordinate.velocity == *v);
        let joints = &layout.numbering.joints;
        let unknown = |closure: &Closure| -> Vec<usize> {
            movers(closure, joints).into_iter().map(|(v, _, _)| v).filter(|v| !is_guided(v)).collect()
        };
        let unknowns: Vec<Vec<usize>> = closures.iter().map(unknown).collect();
        let (mut rows, mut blocks): (Vec<Row>, Vec<Block>) = (Vec::new(), Vec::new());
        for members in groups(&unknowns, layout.numbering.nv) {
            let start = rows.len();
            for &c in &members {
                let first = rows.len();
                rows.extend_from_slice(&closures[c].rows);
                closures[c].constraint.rows = first..rows.len();
            }
            let draft = Draft {
                layout,
                closures: members.iter().map(|&c| &closures[c]).collect(),
                coordinates: sorted(members.iter().flat_map(|&c| unknowns[c].iter().copied())),
                size,
            };
            let order = blocks.last().map_or(0, |block| block.column_order().end);
            blocks.push(draft.into_block(blocks.len(), order, members, start..rows.len()));
        }
        for rod in &mut rods {
            rod.row = closures[rod.row].constraint.rows.start;
        }
        let in_block = |v: &usize| blocks.iter().any(|block| block.coordinates.contains(v));
        let free = (0..layout.numbering.nv).filter(|v| !in_block(v) && !is_guided(v)).collect();
        let constraints = closures.into_iter().map(|closure| closure.constraint).collect();
        Loops { constraints, rows, rods, blocks, free }
    }
}

/// Constraints that share unknown coordinates, by the smallest of these. A constraint without unknown coordinates is a
/// separate block, which can only be checked.
fn groups(unknowns: &[Vec<usize>], nv: usize) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(nv);
    for list in unknowns {
        list.windows(2).for_each(|pair| sets.join(pair[0], pair[1]));
    }
    let key = |(c, list): (usize, &Vec<usize>)| (list.first().map_or(nv + c, |&v| sets.leader(v)), c);
    let mut keys: Vec<(usize, usize)> = unknowns.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk.iter().map(|&(_, c)| c).collect()).collect()
}

/// Ascending, each once.
fn sorted(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut list: Vec<usize> = numbers.collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Coordinates that move the rows of a constraint: velocity coordinates with their columns, and whether they are on the
/// second body's leg.
fn movers(closure: &Closure, joints: &[TreeJoint]) -> Vec<(usize, usize, bool)> {
    if let Some(Row::Coupled { terms, laws, .. }) = closure.rows.first() {
        // A coordinate without a law, which has the slope 1, counts as on the second leg.
        let mover = |(k, term): (usize, &Term)| (term.velocity, term.velocity, k > 0 || laws.is_empty());
        return terms.iter().enumerate().map(mover).collect();
    }
    let pairs = |&tree: &usize| joints[tree].v_range().zip(joints[tree].slot_range());
    let leg = |leg: usize| closure.legs[leg].iter().flat_map(pairs).map(move |(v, slot)| (v, slot, leg == 1));
    leg(0).chain(leg(1)).collect()
}

/// Data of a block under construction.
struct Draft<'a> {
    layout: &'a Layout,
    closures: Vec<&'a Closure>,
    /// Unknown coordinates, ascending.
    coordinates: Vec<usize>,
    /// Size, m.
    size: f64,
}

impl Draft<'_> {
    fn into_block(self, number: usize, order: usize, constraints: Vec<usize>, rows: Range<usize>) -> Block {
        let owners: Vec<usize> = self.coordinates.iter().map(|v| self.owner(v)).collect();
        let unit_size: Vec<f64> =
            self.coordinates.iter().zip(&owners).map(|(v, &owner)| self.unit_size(*v, owner)).collect();
        let class: Vec<u8> = owners.iter().map(|&tree| self.class(tree)).collect();
        let (mut entries, mut guided) = (Vec::new(), Vec::new());
        for closure in &self.closures {
            for row in &closure.rows {
                let (free, driven) = self.entries(closure, row, &unit_size);
                entries.push(free);
                guided.push(driven);
            }
        }
        if guided.iter().all(Vec::is_empty) {
            guided.clear();
        }
        let pattern = pattern(&mut entries);
        let mut places = vec![0; self.coordinates.len()];
        for (place, column) in bandwidth_order(places.len(), &pattern).into_iter().enumerate() {
            places[column] = place;
        }
        let ends = pattern.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        });
        let moving = self.moving();
        Block {
            number,
            carried: self.coordinates.iter().map(|v| self.carried(&moving, *v)).collect(),
            supports: self.closures.iter().map(|closure| self.supports(&moving, closure)).collect(),
            supports_of: self.closures.iter().enumerate().flat_map(|(i, of)| vec![i; of.rows.len()]).collect(),
            starts: core::iter::once(0).chain(ends).collect(),
            columns: pattern.concat(),
            places,
            constraints,
            rows,
            class_without_requests: class.iter().map(|&class| if class == ELASTIC { ELASTIC } else { 0 }).collect(),
            class,
            per_size: unit_size.iter().map(|size| 1.0 / size).collect(),
            unit_size,
            owners,
            joints: sorted(self.closures.iter().flat_map(|closure| closure.legs.iter().flatten().copied())),
            moving,
            guided,
            entries,
            size: self.size,
            rank: 0,
            regular_pivot: 0.0,
            in_pieces: false,
            order,
            coordinates: self.coordinates,
        }
    }

    /// The tree joint of a coordinate: for an elastic one the first link of its body.
    fn owner(&self, v: &usize) -> usize {
        let owner = self.layout.numbering.joints.iter().position(|joint| joint.v_range().contains(v));
        owner.expect("coordinates of loops belong to tree joints")
    }

    fn class(&self, owner: usize) -> u8 {
        match self.layout.numbering.joint_of_tree[owner] {
            Some(joint) => u8::from(self.layout.mechanism.joints[joint].independent),
            None => ELASTIC,
        }
    }

    /// Size in m of a unit of a coordinate.
    fn unit_size(&self, v: usize, owner: usize) -> f64 {
        let joint = &self.layout.numbering.joints[owner];
        match joint.link {
            Some(link) => elastic_size(&self.layout.numbering.flexible[link.flexible], v - joint.v, self.size),
            None if TreeJoint::is_rotation(joint.kind, v - joint.v) => self.size,
            None => 1.0,
        }
    }

    /// Tree joints that move with the coordinates. Links of a flexible body all have its elastic coordinates.
    fn moving(&self) -> Vec<Moving> {
        let mut moving: Vec<Moving> = Vec::new();
        for (joint, tree) in self.layout.numbering.joints.iter().enumerate() {
            let inboard = self.layout.graph.parents[joint + 1];
            let carried = moving.iter().any(|moving| moving.joint + 1 == inboard);
            let own = self.coordinates.iter().enumerate().filter(|(_, v)| tree.v_range().contains(v));
            let columns: Vec<(usize, usize)> = own.map(|(k, v)| (k, tree.slot_range().start + v - tree.v)).collect();
            if carried || !columns.is_empty() {
                moving.push(Moving { joint, inboard: if carried { inboard } else { 0 }, columns });
            }
        }
        moving
    }

    /// Moving joints that coordinate `v` moves, and those outboard of them.
    fn carried(&self, moving: &[Moving], v: usize) -> Vec<usize> {
        let moved = |body: &usize| self.layout.numbering.joints[body - 1].v_range().contains(&v);
        let trees = moving.iter().map(|moving| moving.joint);
        trees.filter(|tree| path_to_ground(&self.layout.graph.parents, tree + 1).iter().any(moved)).collect()
    }

    /// Moving joints that determine the position of a constraint's bodies.
    fn supports(&self, moving: &[Moving], closure: &Closure) -> Vec<usize> {
        let bodies = closure.rows.iter().filter_map(Row::bodies).flat_map(|(first, second)| [first, second]);
        let paths: Vec<usize> = bodies.flat_map(|body| path_to_ground(&self.layout.graph.parents, body)).collect();
        moving.iter().map(|moving| moving.joint).filter(|tree| paths.contains(&(tree + 1))).collect()
    }

    /// Entries of a row in the columns of the block, and entries of driven coordinates, which have no column. The
    /// positions of their values are set later.
    fn entries(&self, closure: &Closure, row: &Row, unit_size: &[f64]) -> (Vec<Entry>, Vec<Entry>) {
        let (mut free, mut guided) = (Vec::new(), Vec::new());
        for (k, (v, slot, on_second)) in movers(closure, &self.layout.numbering.joints).into_iter().enumerate() {
            let slope = match row {
                Row::Coupled { terms, scale, .. } => terms[k].ratio * scale,
                _ if on_second => 1.0,
                _ => -1.0,
            };
            let entry = |column, factor| Entry { column, slot, on_second, place: 0, first: true, factor };
            match self.coordinates.binary_search(&v) {
                Ok(column) => free.push(entry(column, slope / unit_size[column])),
                Err(_) => guided.push(entry(v, slope)),
            }
        }
        (free, guided)
    }
}

/// Size in m of a unit of elastic coordinate `k`: the displacement of the interfaces, rotations multiplied by `size`.
fn elastic_size(flexible: &Flexible, k: usize, size: f64) -> f64 {
    let reach = |link: &LinkShape| {
        let part = |range: Range<usize>| range.map(|j| link.shape[j][k].abs()).fold(0.0, larger);
        larger(part(0..3), size * part(3..6))
    };
    let reach = flexible.links.iter().map(reach).fold(0.0, larger);
    if reach > 0.0 { reach } else { 1.0 }
}

/// Columns of every row, ascending; sets the positions of the values of the entries.
fn pattern(entries: &mut [Vec<Entry>]) -> Vec<Vec<usize>> {
    let mut start = 0;
    let mut pattern = Vec::new();
    for row in entries {
        let columns = sorted(row.iter().map(|entry| entry.column));
        let mut seen = vec![false; columns.len()];
        for entry in row {
            let place = columns.binary_search(&entry.column).expect("every entry has a column");
            (entry.place, entry.first) = (start + place, !core::mem::replace(&mut seen[place], true));
        }
        start += columns.len();
        pattern.push(columns);
    }
    pattern
}
