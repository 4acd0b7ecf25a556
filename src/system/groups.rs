//! Structural groups of a compiled system, in space: which bodies have to be placed together, and in which order.
//!
//! Problem. A block of m closure equations in n coordinates has a Jacobian Φ_z of rank r. Its independent coordinates and the guided
//! ones are inputs; r dependent ones follow from r of the equations. Unlike [`crate::topology::groups`], nothing is counted: what
//! an equation determines is read off the actual Jacobian, so that loops whose equations depend on each other (plane loops
//! written in space, Bricard's linkage, parallelograms) have the groups in which they really move.
//!
//! Method. An entry counts as zero when it is zero at all samples: the assembled position and closed positions beside it, so that
//! zeros by chance at the start count for nothing. Equations with few dependent coordinates are taken first, as long as they are
//! independent at the most regular sample (Gram-Schmidt); the rest is redundant. Each is matched with a dependent coordinate.
//! A body needs its inboard body, and all bodies that move in the equations that are matched with its coordinates. The strongly
//! connected components of "needs" are the groups ([`crate::topology::groups::triangular`]), those that are ready first and smaller
//! ones before larger ones. For plane mechanisms they are those of the paper; the relative coordinates of a group may come apart
//! further, into the systems of [`SpatialGroup::systems`], because a loop can be closed before it is known where it stands.
//!
//! Frames. Equations in the axes in which the solver writes them; coordinates scaled to m by [`super::Block::unit_size`].
//!
//! Cost. Offline; O(m² n) per block.
//!
//! Limits. What has been found to be zero at a handful of positions is taken to be zero. Bodies that are welded together are one.
//!
//! Proved by: tests/groups.rs.

use super::{Block, System};
use crate::joint::Row;
use crate::math::linear::select_pivots;
use crate::topology::Groups as DisjointSets;
use crate::topology::groups::triangular::{block_triangular, strong_components};

/// Entries of a Jacobian below this part of its largest are round-off.
const ZERO: f64 = 1e-9;
/// Pivots below this part of the largest are zero.
const RANK: f64 = 1e-8;
/// Equations of which less than this part is left are combinations of those before.
const DEPENDENT: f64 = 1e-7;

/// The groups of a system in the order in which they can be placed; number 1 is the first (0 is the ground).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpatialGroups {
    /// The groups.
    pub groups: Vec<SpatialGroup>,
    /// Equations between bodies that cannot move: constraint and number of its equations, all redundant.
    pub idle: Vec<(String, usize)>,
}

/// Bodies that are placed together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpatialGroup {
    /// Its bodies, rods included.
    pub bodies: Vec<String>,
    /// Joints that carry its bodies.
    pub joints: Vec<String>,
    /// What closes its loops: cut joints, rods, couplers, points on lines and in planes.
    pub loops: Vec<String>,
    /// Coordinates that its equations determine; as many as the rank of their Jacobian.
    pub unknowns: Vec<String>,
    /// Coordinates that are given: guided, or independent, so that the integrator has them.
    pub driven: Vec<Driven>,
    /// Number of coordinates among the driven ones that deform bodies; they are not listed there.
    pub elastic: usize,
    /// Closure equations.
    pub equations: usize,
    /// Constraints with equations that follow from others, with the number of these.
    pub redundant: Vec<(String, usize)>,
    /// Rank of the Jacobian of its equations with respect to its unknowns at the assembled position: less than the number of unknowns
    /// where that is singular.
    pub rank_at_start: usize,
    /// Numbers of unknowns of the systems that are solved one after the other.
    pub systems: Vec<usize>,
    /// Numbers of the groups that have to be placed before, ascending; 0 is the ground.
    pub predecessors: Vec<usize>,
}

/// Given coordinates of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// The joint.
    pub joint: String,
    /// How many of its coordinates.
    pub coordinates: usize,
    /// Given in time or by an input, not a degree of freedom.
    pub guided: bool,
}

impl SpatialGroup {
    /// Number of given coordinates.
    pub fn given(&self) -> usize {
        self.elastic + self.driven.iter().map(|driven| driven.coordinates).sum::<usize>()
    }

    /// Mobility by counting: coordinates less equations.
    pub fn counted(&self) -> isize {
        (self.unknowns.len() + self.given()) as isize - self.equations as isize
    }

    /// Number of redundant equations: by so much counting misleads.
    pub fn surplus(&self) -> usize {
        self.equations - self.unknowns.len()
    }
}

/// Jacobian of every block (m × n, row-major, scaled as in [`super::BlockScratch::jacobian`]) at one closed position.
pub type Sample = Vec<Vec<f64>>;

impl System {
    /// The groups, from the Jacobians at the assembled position (`samples[0]`) and at closed positions beside it.
    pub fn structural_groups(&self, samples: &[Sample]) -> SpatialGroups {
        let bodies = Bodies::new(self);
        let solved: Vec<Solved> = (0..self.blocks.len()).map(|block| Solved::new(self, block, samples)).collect();
        let order = order(self, &bodies, &solved);
        describe(self, &bodies, &solved, &order)
    }
}

/// Bodies that move as one have one leader: welded ones, and the parts of a flexible body.
struct Bodies {
    leader: Vec<usize>,
}

impl Bodies {
    fn new(system: &System) -> Bodies {
        let mut sets = DisjointSets::new(system.bodies.len());
        for (tree, joint) in system.joints.iter().enumerate() {
            if joint.link.is_some() || joint.v_range().is_empty() {
                sets.join(tree + 1, system.bodies[tree + 1].parent);
            }
        }
        Bodies { leader: (0..system.bodies.len()).map(|body| sets.leader(body)).collect() }
    }

    fn of_coordinate(&self, system: &System, v: usize) -> usize {
        self.leader[system.joint_of_coordinate(v) + 1]
    }
}

/// What determines what in a block.
struct Solved {
    /// Per row: columns that are not zero.
    pattern: Vec<Vec<usize>>,
    /// Systems of (row, column), in the order in which the relative coordinates can be solved.
    systems: Vec<Vec<(usize, usize)>>,
    /// Rank of each at the assembled position.
    ranks_at_start: Vec<usize>,
}

impl Solved {
    fn new(system: &System, index: usize, samples: &[Sample]) -> Solved {
        let block = &system.blocks[index];
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let jacobians: Vec<&[f64]> = samples.iter().map(|sample| &sample[index][..]).collect();
        let mut pattern = vec![Vec::new(); m];
        for jacobian in &jacobians {
            let largest = jacobian.iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
            for (place, _) in jacobian.iter().enumerate().filter(|(_, entry)| entry.abs() > ZERO * largest) {
                pattern[place / n].push(place % n);
            }
        }
        for columns in &mut pattern {
            columns.sort_unstable();
            columns.dedup();
        }
        let regular = jacobians.iter().map(|jacobian| pivots(jacobian, (m, n), &block.class, block.rank)).enumerate();
        let best = regular.max_by(|a, b| a.1.0.total_cmp(&b.1.0).then(b.0.cmp(&a.0)));
        let (sample, (_, fresh)) = best.unwrap_or_default();
        let jacobian = jacobians.get(sample).copied().unwrap_or_default();
        let dependent = dependent(system, block, jacobian, fresh);
        let rows = independent_rows(&pattern, jacobian, n, &dependent);
        let column_of = |k: &usize| dependent.iter().position(|column| column == k);
        let square: Vec<Vec<usize>> =
            rows.iter().map(|&row| pattern[row].iter().filter_map(column_of).collect()).collect();
        let systems: Vec<Vec<(usize, usize)>> = block_triangular(&square, dependent.len())
            .into_iter()
            .map(|entries| entries.into_iter().map(|(row, column)| (rows[row], dependent[column])).collect())
            .collect();
        let rank = |entries: &Vec<(usize, usize)>| rank_of(jacobians[0], n, entries);
        let ranks_at_start = systems.iter().map(rank).collect();
        Solved { pattern, systems, ranks_at_start }
    }
}

/// Smallest of `rank` pivots (0 if there are not so many), and the columns with pivots.
fn pivots(jacobian: &[f64], (m, n): (usize, usize), class: &[u8], rank: usize) -> (f64, Vec<usize>) {
    let mut copy = jacobian.to_vec();
    let (mut rows, mut columns) = (vec![0; m], vec![0; n]);
    let found = select_pivots(&mut copy, (m, n), class, RANK, &mut rows, &mut columns);
    let columns = columns[..found.rank.min(rank)].iter().map(|&column| column as usize).collect();
    (if found.rank >= rank { found.smallest } else { 0.0 }, columns)
}

/// The dependent columns of the initial state, or `fresh` ones where those are not independent.
fn dependent(system: &System, block: &Block, jacobian: &[f64], fresh: Vec<usize>) -> Vec<usize> {
    let n = block.coordinates.len();
    let order = &system.initial.orders[block.column_order()];
    let mut chosen: Vec<usize> = order[..block.rank].iter().map(|&column| column as usize).collect();
    chosen.sort_unstable();
    let part: Vec<f64> = jacobian.chunks(n.max(1)).flat_map(|row| chosen.iter().map(|&column| row[column])).collect();
    let (smallest, _) = pivots(&part, (block.rows.len(), chosen.len()), &vec![0; chosen.len()], block.rank);
    let mut columns = if smallest > 0.0 || block.rank == 0 { chosen } else { fresh };
    columns.sort_unstable();
    columns
}

/// As many independent rows as there are dependent columns, those with the fewest of them first.
fn independent_rows(pattern: &[Vec<usize>], jacobian: &[f64], n: usize, dependent: &[usize]) -> Vec<usize> {
    let count = |row: usize| pattern[row].iter().filter(|column| dependent.contains(column)).count();
    let mut order: Vec<usize> = (0..pattern.len()).collect();
    order.sort_by_key(|&row| (count(row), row));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut rows = Vec::new();
    for row in order {
        let mut rest: Vec<f64> = dependent.iter().map(|&column| jacobian[row * n + column]).collect();
        let before = norm(&rest);
        for direction in basis.iter().chain(&basis) {
            let part: f64 = rest.iter().zip(direction).map(|(a, b)| a * b).sum();
            rest.iter_mut().zip(direction).for_each(|(a, b)| *a -= part * b);
        }
        let left = norm(&rest);
        if rows.len() < dependent.len() && left > DEPENDENT * before {
            rest.iter_mut().for_each(|entry| *entry /= left);
            basis.push(rest);
            rows.push(row);
        }
    }
    rows
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

fn rank_of(jacobian: &[f64], n: usize, entries: &[(usize, usize)]) -> usize {
    let size = entries.len();
    let largest = jacobian.iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
    let entry = |row: usize, column: usize| {
        let value = jacobian[row * n + column];
        // An entry that is round-off must not become a pivot of a part that is zero.
        if value.abs() > RANK * largest { value } else { 0.0 }
    };
    let mut part: Vec<f64> =
        entries.iter().flat_map(|&(row, _)| entries.iter().map(move |&(_, column)| entry(row, column))).collect();
    let (mut rows, mut columns) = (vec![0; size], vec![0; size]);
    select_pivots(&mut part, (size, size), &vec![0; size], RANK, &mut rows, &mut columns).rank
}

/// Group of every leader (0 for the ground), and the leaders that each one needs.
struct Order {
    number: Vec<usize>,
    count: usize,
    needs: Vec<Vec<usize>>,
}

fn order(system: &System, bodies: &Bodies, solved: &[Solved]) -> Order {
    let count = system.bodies.len();
    let mut needs = vec![Vec::new(); count];
    for body in 1..count {
        needs[bodies.leader[body]].push(bodies.leader[system.bodies[body].parent]);
    }
    for (block, solved) in system.blocks.iter().zip(solved) {
        for &(row, column) in solved.systems.iter().flatten() {
            let needed = solved.pattern[row].iter().map(|&k| bodies.of_coordinate(system, block.coordinates[k]));
            needs[bodies.of_coordinate(system, block.coordinates[column])].extend(needed);
        }
    }
    needs[0].clear();
    for (leader, list) in needs.iter_mut().enumerate() {
        list.sort_unstable();
        list.dedup();
        list.retain(|&needed| needed != leader);
    }
    let mut components = strong_components(&needs);
    components.retain(|component| component[0] != 0 && bodies.leader[component[0]] == component[0]);
    let size = |component: &[usize]| bodies.leader.iter().filter(|leader| component.contains(leader)).count();
    components.sort_by_key(|component| (size(component), component[0]));
    let mut number = vec![usize::MAX; count];
    number[0] = 0;
    let groups = components.len();
    for next in 1..=groups {
        let ready = |component: &Vec<usize>| {
            let mut needed = component.iter().flat_map(|&leader| &needs[leader]);
            needed.all(|&other| number[other] != usize::MAX || component.contains(&other))
        };
        // Something is always ready: components do not need each other in a circle.
        let Some(place) = components.iter().position(ready) else { break };
        components.remove(place).into_iter().for_each(|leader| number[leader] = next);
    }
    Order { number, count: groups, needs }
}

fn describe(system: &System, bodies: &Bodies, solved: &[Solved], order: &Order) -> SpatialGroups {
    let mut found = SpatialGroups { groups: vec![SpatialGroup::default(); order.count], idle: Vec::new() };
    let group_of_body = |body: usize| order.number[bodies.leader[body]];
    let group_of = |v: usize| order.number[bodies.of_coordinate(system, v)];
    for (leader, needs) in
        order.needs.iter().enumerate().filter(|(leader, _)| bodies.leader[*leader] == *leader && *leader != 0)
    {
        let number = order.number[leader];
        let others = needs.iter().map(|&other| order.number[other]).filter(|&other| other != number);
        found.groups[number - 1].predecessors.extend(others);
    }
    for (tree, _) in system.joints.iter().enumerate().filter(|(_, joint)| joint.link.is_none()) {
        if let Some(group) = group_of_body(tree + 1).checked_sub(1) {
            found.groups[group].bodies.push(system.bodies[tree + 1].name.clone());
            found.groups[group].joints.push(system.joint_name(tree).to_string());
        }
    }
    let mut determined = vec![false; system.nv];
    for ((block, solved), constraints) in
        system.blocks.iter().zip(solved).zip(system.blocks.iter().map(|b| &b.constraints))
    {
        let mut group_of_row: Vec<Option<usize>> = vec![None; block.rows.len()];
        for (entries, rank) in solved.systems.iter().zip(&solved.ranks_at_start) {
            let Some(&(_, first)) = entries.first() else { continue };
            let number = group_of(block.coordinates[first]);
            let group = &mut found.groups[number - 1];
            group.systems.push(entries.len());
            group.rank_at_start += rank;
            for &(row, column) in entries {
                group_of_row[row] = Some(number);
                determined[block.coordinates[column]] = true;
            }
        }
        for &index in constraints {
            let constraint = &system.constraints[index];
            let moved = |row: usize, columns: &[usize]| {
                let coordinates = columns.iter().map(|&k| group_of(block.coordinates[k]));
                let guided = match &system.rows[row] {
                    Row::Coupled { first, second, .. } => [group_of(first.1), group_of(second.1)],
                    _ => [0, 0],
                };
                coordinates.chain(guided).chain(constraint.bodies.map(group_of_body)).max().unwrap_or(0)
            };
            let mut latest = 0;
            let mut surplus = vec![0; order.count + 1];
            for row in constraint.rows.clone() {
                let local = row - block.rows.start;
                let number = group_of_row[local].unwrap_or_else(|| {
                    let number = moved(row, &solved.pattern[local]);
                    surplus[number] += 1;
                    number
                });
                latest = latest.max(number);
                if let Some(group) = number.checked_sub(1) {
                    found.groups[group].equations += 1;
                }
            }
            for (number, &equations) in surplus.iter().enumerate().filter(|(_, equations)| **equations > 0) {
                match number.checked_sub(1) {
                    Some(group) => found.groups[group].redundant.push((constraint.name.clone(), equations)),
                    None => found.idle.push((constraint.name.clone(), equations)),
                }
            }
            if let Some(group) = latest.checked_sub(1) {
                found.groups[group].loops.push(constraint.name.clone());
                let rod = system.rods.iter().any(|rod| constraint.rows.contains(&rod.row));
                if rod {
                    found.groups[group].bodies.push(constraint.name.clone());
                }
            }
        }
    }
    for v in 0..system.nv {
        let Some(group) = group_of(v).checked_sub(1) else { continue };
        let group = &mut found.groups[group];
        if determined[v] {
            group.unknowns.push(system.coordinate_name(v));
        } else if system.joint_with(v).is_none() {
            group.elastic += 1;
        } else {
            let guided = system.guided.iter().any(|guided| guided.coordinate.velocity == v);
            let joint = system.joint_name(system.joint_of_coordinate(v)).to_string();
            match group.driven.iter_mut().find(|driven| driven.joint == joint && driven.guided == guided) {
                Some(driven) => driven.coordinates += 1,
                None => group.driven.push(Driven { joint, coordinates: 1, guided }),
            }
        }
    }
    for group in &mut found.groups {
        group.predecessors.sort_unstable();
        group.predecessors.dedup();
    }
    found
}
