//! Structural groups of a compiled system, in space: the bodies that must be placed together, and their order.
//!
//! Problem. A block of m closure equations in n coordinates has a Jacobian Φ_z of rank r. Its independent and driven
//! coordinates are inputs; r dependent coordinates follow from r of the equations. Unlike
//! [`ballesta_solver::topology::groups`], no mobility is counted: the actual Jacobian shows which coordinates an
//! equation determines. So loops with dependent equations (plane loops written in space, Bricard's linkage,
//! parallelograms) have the groups in which they really move.
//!
//! Method. An entry counts as zero when it is zero at all samples: the assembled position and positions next to it,
//! closed and not closed. So accidental zeros at the start, and zeros of one of several ways to close a loop (a rod of
//! a parallelogram keeps its direction), do not count. Equations with few dependent coordinates are selected first, if
//! they are independent at the most regular sample (Gram-Schmidt). The others are redundant. Each is matched with a
//! dependent coordinate. A body needs its inboard body, and all bodies that move in the equations that are matched with
//! its coordinates. The strongly connected components of "needs" are the groups
//! ([`ballesta_solver::topology::groups::triangular`]), ordered by readiness, smaller groups before larger ones. For
//! plane mechanisms they equal the groups of the paper. The relative coordinates of a group may split further, into the
//! systems of [`SpatialGroup::systems`], because a loop can be closed before its absolute position is known.
//!
//! Frames. Equations in the axes in which the solver writes them; coordinates scaled to m by
//! [`ballesta_solver::system::Block::unit_size`].
//!
//! Cost. Offline; O(m² n) per block.
//!
//! Limits. Entries that are zero at a handful of positions are assumed to be zero. Bodies that are welded together
//! count as one.
//!
//! Verified by: crates/run/tests/run/groups/mod.rs.

use ballesta_solver::joint::Row;
use ballesta_solver::math::linear::{Candidate, select_pivots};
use ballesta_solver::system::{Block, RANK, System};
use ballesta_solver::topology::groups::triangular::{block_triangular, strong_components};
use ballesta_solver::topology::{DisjointSets, loop_legs};

/// Entries of a Jacobian below this fraction of its largest entry are round-off.
const JACOBIAN_TOLERANCE: f64 = 1e-9;
/// Equations whose remainder after orthogonalisation is below this fraction depend on the previous ones.
const DEPENDENCE_TOLERANCE: f64 = 1e-7;

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
    /// Constraints that close its loops: cut joints, rods, couplers, points on lines and in planes.
    pub loops: Vec<String>,
    /// Coordinates determined by its equations; their number is the rank of the Jacobian.
    pub unknowns: Vec<String>,
    /// Velocity coordinates of the unknowns, ascending.
    pub coordinates: Vec<usize>,
    /// Closure rows that determine them, the same number, ascending.
    pub rows: Vec<usize>,
    /// Given coordinates: driven ones, and independent ones, which the integrator computes.
    pub driven: Vec<Driven>,
    /// Velocity coordinates that are given, ascending.
    pub inputs: Vec<usize>,
    /// Number of driven coordinates that deform bodies; they are not listed there.
    pub elastic: usize,
    /// Closure equations.
    pub equations: usize,
    /// Constraints with dependent equations, with the number of these equations.
    pub redundant: Vec<(String, usize)>,
    /// Rank of the Jacobian of its equations with respect to its unknowns at the assembled position. It is less than
    /// the number of unknowns if that position is singular.
    pub rank_at_start: usize,
    /// Numbers of unknowns of the systems that are solved in turn.
    pub systems: Vec<usize>,
    /// Numbers of the previous groups to which it is connected by joints or constraints, ascending; 0 is the ground.
    pub predecessors: Vec<usize>,
}

/// Given coordinates of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// The joint.
    pub joint: String,
    /// Number of its coordinates.
    pub coordinates: usize,
    /// Prescribed in time or by an input, not a degree of freedom.
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

    /// Number of redundant equations: the error of the mobility count.
    pub fn surplus(&self) -> usize {
        self.equations - self.unknowns.len()
    }
}

/// Jacobian of every block (m × n, row-major, scaled as in [`ballesta_solver::system::BlockScratch::jacobian`]) at one
/// position. Entries that are round-off after cancellation are 0.
pub type Sample = Vec<Vec<f64>>;

/// The groups. `closed`: at the assembled position, which is first, and at closed positions next to it, for the
/// ranks; `disturbed`: at further positions, which need not be closed, for the zeros.
pub fn structural_groups(system: &System, closed: &[Sample], disturbed: &[Sample]) -> SpatialGroups {
    let bodies = Bodies::new(system);
    let solved: Vec<SolutionOrder> =
        (0..system.blocks.len()).map(|block| SolutionOrder::new(system, block, closed, disturbed)).collect();
    let order = order(system, &bodies, &solved);
    describe(system, &bodies, &solved, &order)
}

/// Bodies that move as one have one leader: welded bodies, and the parts of a flexible body. A flexible body is not
/// welded to its support: it moves by its elastic coordinates.
struct Bodies {
    leader: Vec<usize>,
}

impl Bodies {
    fn new(system: &System) -> Bodies {
        let mut flexible = vec![false; system.bodies.len()];
        system.flexible.iter().for_each(|body| flexible[body.body] = true);
        let mut sets = DisjointSets::new(system.bodies.len());
        for (tree, _) in system.joints.iter().enumerate().filter(|(_, joint)| joint.link.is_some()) {
            let parts = [tree + 1, system.bodies[tree + 1].parent];
            sets.join(parts[0], parts[1]);
            parts.into_iter().for_each(|part| flexible[part] = true);
        }
        for (tree, joint) in system.joints.iter().enumerate() {
            if joint.v_range().is_empty() && !flexible[tree + 1] {
                sets.join(tree + 1, system.bodies[tree + 1].parent);
            }
        }
        Bodies { leader: (0..system.bodies.len()).map(|body| sets.leader(body)).collect() }
    }

    fn of_coordinate(&self, system: &System, v: usize) -> usize {
        self.leader[system.joint_of_coordinate(v) + 1]
    }
}

/// Which equations of a block determine which coordinates.
struct SolutionOrder {
    /// Per row: columns that are not zero.
    pattern: Vec<Vec<usize>>,
    /// Systems of (row, column), in the order in which the relative coordinates can be solved.
    systems: Vec<Vec<(usize, usize)>>,
    /// Rank of each at the assembled position.
    ranks_at_start: Vec<usize>,
}

impl SolutionOrder {
    fn new(system: &System, index: usize, closed: &[Sample], disturbed: &[Sample]) -> SolutionOrder {
        // The pattern of the Jacobian is the union over sample positions, so that zeros by chance do not count.
        let block = &system.blocks[index];
        let (m, n) = (block.rows.len(), block.coordinates.len());
        let jacobians: Vec<&[f64]> = closed.iter().map(|sample| &sample[index][..]).collect();
        let mut pattern = vec![Vec::new(); m];
        for jacobian in closed.iter().chain(disturbed).map(|sample| &sample[index]) {
            let largest = jacobian.iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
            for (place, _) in
                jacobian.iter().enumerate().filter(|(_, entry)| entry.abs() > JACOBIAN_TOLERANCE * largest)
            {
                pattern[place / n].push(place % n);
            }
        }
        for columns in &mut pattern {
            columns.sort_unstable();
            columns.dedup();
        }
        // Select dependent coordinates at the sample with the best conditioned pivots.
        let regular = jacobians.iter().map(|jacobian| pivots(jacobian, (m, n), &block.class, block.rank)).enumerate();
        let best = regular.max_by(|a, b| a.1.0.total_cmp(&b.1.0).then(b.0.cmp(&a.0)));
        let (sample, (_, fresh)) = best.unwrap_or_default();
        let jacobian = jacobians.get(sample).copied().unwrap_or_default();
        let dependent = dependent(system, block, jacobian, fresh);
        // Redundant rows are removed, then the square system is permuted to block triangular form.
        let rows = independent_rows(&pattern, jacobian, n, &dependent);
        let column_of = |k: &usize| dependent.iter().position(|column| column == k);
        let square: Vec<Vec<usize>> =
            rows.iter().map(|&row| pattern[row].iter().filter_map(column_of).collect()).collect();
        let systems: Vec<Vec<(usize, usize)>> = block_triangular(&square, dependent.len())
            .into_iter()
            .map(|entries| entries.into_iter().map(|(row, column)| (rows[row], dependent[column])).collect())
            .collect();
        // The rank at the start position shows singular starts.
        let rank = |entries: &Vec<(usize, usize)>| rank_of(jacobians[0], n, entries);
        let ranks_at_start = systems.iter().map(rank).collect();
        SolutionOrder { pattern, systems, ranks_at_start }
    }
}

/// Smallest of `rank` pivots (0 if there are fewer), and the columns with pivots.
fn pivots(jacobian: &[f64], (m, n): (usize, usize), class: &[u8], rank: usize) -> (f64, Vec<usize>) {
    let mut copy = jacobian.to_vec();
    let (mut rows, mut columns) = (vec![0; m], vec![0; n]);
    let found =
        select_pivots(&mut copy, (m, n), class, RANK, (&mut rows, &mut columns), &mut vec![Candidate::default(); m]);
    let columns = columns[..found.rank.min(rank)].iter().map(|&column| column as usize).collect();
    (if found.rank >= rank { found.smallest } else { 0.0 }, columns)
}

/// The dependent columns of the initial state, or `fresh` ones if those are not independent.
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

/// As many independent rows as there are dependent columns; rows with the fewest dependent columns first.
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
        if rows.len() < dependent.len() && left > DEPENDENCE_TOLERANCE * before {
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
    let entry = |row: usize, column: usize| jacobian[row * n + column];
    let mut part: Vec<f64> =
        entries.iter().flat_map(|&(row, _)| entries.iter().map(move |&(_, column)| entry(row, column))).collect();
    let (mut rows, mut columns) = (vec![0; size], vec![0; size]);
    let mut candidates = vec![Candidate::default(); size];
    select_pivots(&mut part, (size, size), &vec![0; size], RANK, (&mut rows, &mut columns), &mut candidates).rank
}

/// Group of every leader (0 for the ground), and how many groups there are.
struct Order {
    number: Vec<usize>,
    count: usize,
}

/// The dependency graph, and the order of its components.
fn order(system: &System, bodies: &Bodies, solved: &[SolutionOrder]) -> Order {
    let count = system.bodies.len();
    let mut needs = vec![Vec::new(); count];
    for body in 1..count {
        needs[bodies.leader[body]].push(bodies.leader[system.bodies[body].parent]);
    }
    for (block, solved) in system.blocks.iter().zip(solved) {
        for &(row, column) in solved.systems.iter().flatten() {
            let needed = solved.pattern[row].iter().map(|&k| block.coordinates[k]);
            let needed = needed.chain(guided_in(system, block.rows.start + row));
            let leader = bodies.of_coordinate(system, block.coordinates[column]);
            needs[leader].extend(needed.map(|v| bodies.of_coordinate(system, v)));
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
        // At least one component is always ready: the dependencies between components have no cycle.
        let Some(place) = components.iter().position(ready) else { break };
        components.remove(place).into_iter().for_each(|leader| number[leader] = next);
    }
    Order { number, count: groups }
}

/// Driven coordinates that move the bodies of an equation relative to each other; no block contains them.
fn guided_in(system: &System, row: usize) -> Vec<usize> {
    let guided = system.guided.iter().map(|guided| guided.coordinate.velocity);
    match (&system.rows[row], system.rows[row].bodies()) {
        (Row::Coupled { terms, .. }, _) => guided.filter(|&v| terms.iter().any(|term| term.velocity == v)).collect(),
        (_, Some((first, second))) => {
            let parents: Vec<usize> = system.bodies.iter().map(|body| body.parent).collect();
            let (leg, other) = loop_legs(&parents, first, second);
            guided
                .filter(|&v| leg.iter().chain(&other).any(|&body| body == system.joint_of_coordinate(v) + 1))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn describe(system: &System, bodies: &Bodies, solved: &[SolutionOrder], order: &Order) -> SpatialGroups {
    let groups = vec![SpatialGroup::default(); order.count];
    let mut description = Description {
        system,
        bodies,
        order,
        found: SpatialGroups { groups, idle: Vec::new() },
        unknown: vec![false; system.nv],
    };
    description.add_bodies();
    for (block, solved) in system.blocks.iter().zip(solved) {
        description.add_block(block, solved);
    }
    description.add_coordinates();
    let mut found = description.found;
    for (index, group) in found.groups.iter_mut().enumerate() {
        group.predecessors.sort_unstable();
        group.predecessors.dedup();
        group.predecessors.retain(|&number| number <= index);
        group.rows.sort_unstable();
    }
    found
}

/// Name of a body in the file; for a part of a flexible body, the name of the flexible body.
fn name_of(system: &System, body: usize) -> String {
    let flexible = system.joints.iter().enumerate().find_map(|(tree, joint)| {
        let part = tree + 1 == body || system.bodies[tree + 1].parent == body;
        joint.link.as_ref().filter(|_| part).map(|link| &system.flexible[link.flexible].name)
    });
    flexible.unwrap_or(&system.bodies[body].name).clone()
}

/// Data for the description of the groups in words.
struct Description<'a> {
    system: &'a System,
    bodies: &'a Bodies,
    order: &'a Order,
    found: SpatialGroups,
    /// Per coordinate: whether an equation determines it.
    unknown: Vec<bool>,
}

impl Description<'_> {
    fn of_body(&self, body: usize) -> usize {
        self.order.number[self.bodies.leader[body]]
    }

    fn of_coordinate(&self, v: usize) -> usize {
        self.order.number[self.bodies.of_coordinate(self.system, v)]
    }

    /// The group with this number; `None` for the ground.
    fn group(&mut self, number: usize) -> Option<&mut SpatialGroup> {
        self.found.groups.get_mut(number.checked_sub(1)?)
    }

    fn add_bodies(&mut self) {
        let system = self.system;
        for (tree, joint) in system.joints.iter().enumerate() {
            let (number, before) = (self.of_body(tree + 1), self.of_body(system.bodies[tree + 1].parent));
            let Some(group) = self.group(number) else { continue };
            group.predecessors.push(before);
            if joint.link.is_none() {
                group.bodies.push(name_of(system, tree + 1));
                group.joints.push(system.joint_name(tree).to_string());
            }
        }
    }

    fn add_block(&mut self, block: &Block, solved: &SolutionOrder) {
        let mut number_of_row: Vec<Option<usize>> = vec![None; block.rows.len()];
        for (entries, rank) in solved.systems.iter().zip(&solved.ranks_at_start) {
            let number = entries.first().map_or(0, |&(_, column)| self.of_coordinate(block.coordinates[column]));
            if let Some(group) = self.group(number) {
                group.systems.push(entries.len());
                group.rank_at_start += rank;
            }
            for &(row, column) in entries {
                number_of_row[row] = Some(number);
                if let Some(group) = self.group(number) {
                    group.rows.push(block.rows.start + row);
                }
                self.unknown[block.coordinates[column]] = true;
            }
        }
        for &index in &block.constraints {
            self.add_constraint(index, block, solved, &number_of_row);
        }
    }

    fn add_constraint(&mut self, index: usize, block: &Block, solved: &SolutionOrder, number_of_row: &[Option<usize>]) {
        // The row belongs to the group that solves it; a redundant row to the last group that moves its bodies.
        let constraint = &self.system.constraints[index];
        let mut latest = 0;
        for row in constraint.rows.clone() {
            let ends: Vec<usize> = match &self.system.rows[row] {
                Row::Coupled { terms, .. } => terms.iter().map(|term| self.of_coordinate(term.velocity)).collect(),
                _ => constraint.bodies.iter().map(|&body| self.of_body(body)).collect(),
            };
            let local = row - block.rows.start;
            let moved = solved.pattern[local].iter().map(|&k| self.of_coordinate(block.coordinates[k]));
            let last = moved.chain(ends.iter().copied()).max().unwrap_or(0);
            let number = number_of_row[local].unwrap_or(last);
            latest = latest.max(number);
            // Rows between bodies that no group moves are idle.
            let redundant = match self.group(number) {
                Some(group) => {
                    group.equations += 1;
                    group.predecessors.extend(ends);
                    &mut group.redundant
                }
                None => &mut self.found.idle,
            };
            // Redundant equations are counted per constraint.
            if number_of_row[local].is_none() {
                match redundant.last_mut().filter(|(name, _)| *name == constraint.name) {
                    Some((_, equations)) => *equations += 1,
                    None => redundant.push((constraint.name.clone(), 1)),
                }
            }
        }
        // The constraint closes its loop in the last of its groups; a rod is a body there.
        let rod = self.system.rods.iter().any(|rod| constraint.rows.contains(&rod.row));
        if let Some(group) = self.group(latest) {
            group.loops.push(constraint.name.clone());
            if rod {
                group.bodies.push(constraint.name.clone());
            }
        }
    }

    fn add_coordinates(&mut self) {
        let system = self.system;
        for v in 0..system.nv {
            let (number, unknown) = (self.of_coordinate(v), self.unknown[v]);
            let Some(group) = self.group(number) else { continue };
            if unknown {
                group.unknowns.push(system.coordinate_name(v));
                group.coordinates.push(v);
                continue;
            }
            group.inputs.push(v);
            if system.joint_with(v).is_none() {
                group.elastic += 1;
            } else {
                let guided = system.guided.iter().any(|guided| guided.coordinate.velocity == v);
                let joint = system.joint_name(system.joint_of_coordinate(v));
                match group.driven.iter_mut().find(|driven| driven.joint == joint && driven.guided == guided) {
                    Some(driven) => driven.coordinates += 1,
                    None => group.driven.push(Driven { joint: joint.to_string(), coordinates: 1, guided }),
                }
            }
        }
    }
}
