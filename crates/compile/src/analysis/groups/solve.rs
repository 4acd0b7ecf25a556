//! Positions of a system group by group: Newton's method on the equations of one group after the other. Offline.
//!
//! Problem. The given coordinates of all groups have values. The unknowns z_k of group k follow from an equal number of
//! its equations, φ_k(z_k; z_1 … z_{k−1}, given) = 0, when the groups before it are solved (Saura et al., section 1).
//! The equations are the closure rows of the system, the unknowns its relative coordinates, as [`SpatialGroup::rows`]
//! and [`SpatialGroup::coordinates`] list them.
//!
//! Method. Given coordinates are moved to their values in increments, so that every loop remains on its assembly
//! branch. At every increment each group is solved by Newton's method with a dense Jacobian, n × n, columns scaled to
//! m. This is neither the closure of a step (`dynamics::closure`) nor the assembly (`solver::assembly`), which treat a
//! block of loops as a whole: the three check each other.
//!
//! Condition. Ratio of the largest and the smallest singular value of the scaled Jacobian at the solution. It tends to
//! infinity at a singular position, for example a dead centre.
//!
//! Limits. A position in which the unknowns of a group are singular ends with [`SolveError`]; another coordinate must
//! be given there.
//!
//! Verified by: crates/run/tests/run/groups/solve.rs (hand calculation of the paper's worked example,
//! assembly of every model of the gallery), crates/cli/tests/cli/groups.rs.

use super::{SpatialGroup, SpatialGroups, unit};
use ballesta_solver::dynamics::kinematics::calc_positions;
use ballesta_solver::dynamics::{closure, load_stage};
use ballesta_solver::joint::{Row, TreeJoint};
use ballesta_solver::math::elementary::atan2;
use ballesta_solver::math::linear::{factor, solve_lu};
use ballesta_solver::math::svd::orthogonalise_rows;
use ballesta_solver::math::{Vec3, larger};
use ballesta_solver::system::{System, Workspace};
use std::fmt;

/// Longest increment of a given coordinate, rad or as a fraction of the size of a block.
const MAX_INCREMENT: f64 = 0.05;
/// Largest number of increments: 50 rad, or as many sizes of a block, at [`MAX_INCREMENT`].
const MAX_INCREMENTS: usize = 1000;
/// Largest number of Newton iterations per group and increment.
const MAX_ITERATIONS: usize = 30;
/// Largest change of an unknown in an iteration, as a fraction of the size of a block.
const MAX_CHANGE: f64 = 0.3;
/// Residual, as a fraction of the size of a block, that is round-off.
const RESIDUAL_TOLERANCE: f64 = 1e-16;
/// Residual, as a fraction of the size of a block, above which a group is not solved.
const MAX_RESIDUAL: f64 = 1e-12;
/// Condition number above which a group is singular: half of the digits are lost.
const MAX_CONDITION: f64 = 1e8;
/// Disturbance of the unknowns in [`GroupSolver::disturb`], rad or as a fraction of the size of a block.
const DISTURBANCE: f64 = 0.01;
/// Difference in rad below which a given free rotation has reached its value.
const ROTATION_TOLERANCE: f64 = 1e-14;
/// Number of additional solutions of the groups where a free rotation is partly given and partly unknown.
const MAX_PASSES: usize = 8;

/// Solution data of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupSolution {
    /// Newton iterations, summed over all increments.
    pub iterations: usize,
    /// Ratio of the largest and the smallest singular value of its Jacobian; 1 for a group without unknowns.
    pub condition: f64,
    /// Largest residual of its equations in m.
    pub residual: f64,
}

/// Why the positions could not be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveError {
    /// Number of the group, from 1.
    pub group: usize,
    /// Newton iterations of the last increment.
    pub iterations: usize,
    /// Remaining residual, m.
    pub residual: f64,
    /// Condition of the Jacobian; infinite if it has no inverse.
    pub condition: f64,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SolveError { group, iterations, residual, condition } = *self;
        if condition > MAX_CONDITION {
            return write!(f, "group {group} is in a singular position (condition number {condition:.1e})");
        }
        write!(f, "group {group} cannot be closed: a gap of {residual:.3e} m remains after {iterations} iterations")
    }
}

impl std::error::Error for SolveError {}

/// Solves positions group by group.
pub struct GroupSolver<'a> {
    system: &'a System,
    groups: &'a [SpatialGroup],
    /// Per group: the blocks of its equations.
    blocks: Vec<Vec<usize>>,
    given: Vec<usize>,
    ws: Workspace,
}

impl<'a> GroupSolver<'a> {
    /// A solver at the assembled position of `system`, with its `groups`.
    pub fn new(system: &'a System, groups: &'a SpatialGroups) -> GroupSolver<'a> {
        let mut ws = Workspace::new(system);
        load_stage(system, &system.initial, &mut ws, system.initial.time);
        let groups = &groups.groups[..];
        let holds =
            |group: &SpatialGroup, index: usize| group.rows.iter().any(|row| system.blocks[index].rows.contains(row));
        let blocks_of = |group| (0..system.blocks.len()).filter(|&index| holds(group, index)).collect();
        let unknown = |v: &usize| groups.iter().any(|group| group.coordinates.binary_search(v).is_ok());
        GroupSolver {
            blocks: groups.iter().map(blocks_of).collect(),
            given: (0..system.nv).filter(|v| !unknown(v)).collect(),
            system,
            groups,
            ws,
        }
    }

    /// Positions of all coordinates, nq.
    pub fn positions(&self) -> &[f64] {
        &self.ws.stage.q
    }

    /// Velocity coordinates that are given, ascending.
    pub fn given(&self) -> &[usize] {
        &self.given
    }

    /// Sets the positions of all coordinates to `positions`, nq. They need not satisfy the closure equations.
    pub fn restart(&mut self, positions: &[f64]) {
        self.ws.stage.q.copy_from_slice(positions);
    }

    /// Moves all unknowns by 0.01 rad or 1 % of the size of the mechanism, so that the next solution has to iterate.
    pub fn disturb(&mut self) {
        for &v in self.groups.iter().flat_map(|group| &group.coordinates) {
            self.system.add_increment(&mut self.ws.stage.q, v, DISTURBANCE * unit(self.system, v));
        }
    }

    /// Moves the given coordinates to their values in `target`, nq, and solves the groups in order. Returns one
    /// solution per group. The unknowns in `target` are ignored.
    ///
    /// # Errors
    /// The first group that has no solution near the solution of the previous increment.
    pub fn solve(&mut self, target: &[f64]) -> Result<Vec<GroupSolution>, SolveError> {
        let mut solutions = vec![GroupSolution { condition: 1.0, ..GroupSolution::default() }; self.groups.len()];
        for left in (1..=self.increments(target)).rev() {
            self.move_given(target, left);
            self.solve_groups(&mut solutions)?;
        }
        for _ in 0..MAX_PASSES {
            if self.given.iter().all(|&v| self.distance(target, v).abs() <= ROTATION_TOLERANCE) {
                break;
            }
            self.move_given(target, 1);
            self.solve_groups(&mut solutions)?;
        }
        Ok(solutions)
    }

    /// Number of increments of 0.05 rad, or 5 % of the size of the mechanism, to `target`.
    pub fn increments(&self, target: &[f64]) -> usize {
        // A coordinate without a unit is in no loop.
        let distance = |v: &usize| match unit(self.system, *v) {
            0.0 => 0.0,
            unit => self.distance(target, *v).abs() / unit,
        };
        let farthest = self.given.iter().map(distance).fold(0.0, larger);
        ((farthest / MAX_INCREMENT).ceil() as usize).clamp(1, MAX_INCREMENTS)
    }

    /// Difference of the given coordinate `v` from `target`.
    fn distance(&self, target: &[f64], v: usize) -> f64 {
        self.system.increment_between(&self.ws.stage.q, target, v)
    }

    /// Moves the given coordinates by one of `left` increments towards `target`. The last increment sets them to the
    /// exact values.
    fn move_given(&mut self, target: &[f64], left: usize) {
        for &v in &self.given {
            let increment = self.distance(target, v) / left as f64;
            match position_of(self.system, v).filter(|_| left == 1) {
                Some(q) => self.ws.stage.q[q] = target[q],
                None => self.system.add_increment(&mut self.ws.stage.q, v, increment),
            }
        }
    }

    fn solve_groups(&mut self, solutions: &mut [GroupSolution]) -> Result<(), SolveError> {
        for (index, solution) in solutions.iter_mut().enumerate().filter(|(i, _)| !self.groups[*i].rows.is_empty()) {
            let solved = self.solve_group(index)?;
            *solution = GroupSolution { iterations: solution.iterations + solved.iterations, ..solved };
        }
        calc_positions(self.system, &mut self.ws.stage.q, &mut self.ws.kinematics);
        Ok(())
    }

    /// Newton's method on one group.
    fn solve_group(&mut self, index: usize) -> Result<GroupSolution, SolveError> {
        // The size of the loops makes lengths and tolerances relative.
        let (system, group) = (self.system, &self.groups[index]);
        let n = group.rows.len();
        let size = self.blocks[index].iter().map(|&block| system.blocks[block].size).fold(0.0, larger);
        let (mut jacobian, mut exchanges) = (vec![0.0; n * n], vec![0; n]);
        let mut previous = f64::INFINITY;
        for iterations in 0..=MAX_ITERATIONS {
            // Gaps and Jacobian of the closure equations of this group only; preceding groups are solved.
            self.calc_jacobian(index, &mut jacobian);
            let mut change: Vec<f64> = group.rows.iter().map(|&row| -self.ws.closure.rows[row].gap).collect();
            let residual = change.iter().fold(0.0, |worst, gap| larger(worst, gap.abs()));
            // Without further decrease the residual has reached round-off.
            let stalled = residual >= 0.5 * previous && residual <= MAX_RESIDUAL * size;
            if residual <= RESIDUAL_TOLERANCE * size || stalled || iterations == MAX_ITERATIONS || residual.is_nan() {
                let condition = condition(&jacobian, n);
                let solved = residual <= MAX_RESIDUAL * size && condition <= MAX_CONDITION;
                return match solved {
                    true => Ok(GroupSolution { iterations, condition, residual }),
                    false => Err(SolveError { group: index + 1, iterations, residual, condition }),
                };
            }
            previous = residual;
            let mut factors = jacobian.clone();
            // A singular Jacobian: the group is in a singular position.
            if !(factor(&mut factors, n, &mut exchanges) > 0.0) {
                return Err(SolveError { group: index + 1, iterations, residual, condition: f64::INFINITY });
            }
            solve_lu(&factors, n, &exchanges, &mut change);
            // Long changes are shortened: far from the solution the linearization is not valid.
            let longest = change.iter().fold(0.0, |worst, part| larger(worst, part.abs()));
            let share = if longest > MAX_CHANGE * size { MAX_CHANGE * size / longest } else { 1.0 };
            for (&v, part) in group.coordinates.iter().zip(&change) {
                let per_size = self.blocks[index].iter().find_map(|&block| scale(system, block, v)).unwrap_or(1.0);
                system.add_increment(&mut self.ws.stage.q, v, share * part * per_size);
            }
        }
        Err(SolveError { group: index + 1, iterations: MAX_ITERATIONS, residual: previous, condition: f64::NAN })
    }

    /// Gaps of the rows of a group, in the workspace, and its scaled Jacobian, n × n, row-major.
    fn calc_jacobian(&mut self, index: usize, jacobian: &mut [f64]) {
        let (system, group) = (self.system, &self.groups[index]);
        let n = group.rows.len();
        let (mut tree, scratches) = self.ws.open_tree();
        calc_positions(system, &mut tree.stage.q, tree.kinematics);
        jacobian.fill(0.0);
        for &number in &self.blocks[index] {
            let (block, scratch) = (&system.blocks[number], &mut scratches[number]);
            closure::calc_jacobian(system, &mut tree, block, scratch);
            for (line, &row) in group.rows.iter().enumerate().filter(|(_, row)| block.rows.contains(row)) {
                for (column, value) in block.row(&scratch.jacobian, row - block.rows.start) {
                    if let Ok(place) = group.coordinates.binary_search(&block.coordinates[column]) {
                        jacobian[line * n + place] = value;
                    }
                }
            }
        }
    }

    /// Largest gap of all closure equations at the present positions, including the redundant ones, m.
    pub fn gap(&mut self) -> f64 {
        let system = self.system;
        let (tree, _) = self.ws.open_tree();
        calc_positions(system, &mut tree.stage.q, tree.kinematics);
        let gap = |row: &Row| row.state(&tree.kinematics.bodies, &tree.stage.q).gap.abs();
        system.rows.iter().map(gap).fold(0.0, larger)
    }
}

/// A change of coordinate `v` by 1 m in the coordinate's unit, if the block contains it.
fn scale(system: &System, block: usize, v: usize) -> Option<f64> {
    let block = &system.blocks[block];
    block.coordinates.binary_search(&v).ok().map(|column| block.per_size[column])
}

/// Ratio of the extreme singular values of an n × n matrix.
fn condition(matrix: &[f64], n: usize) -> f64 {
    let (mut rows, mut left, mut sigma) = (matrix.to_vec(), vec![0.0; n * n], vec![0.0; n]);
    orthogonalise_rows(&mut rows, &mut left, &mut sigma, (n, n));
    if n == 0 { 1.0 } else { sigma[0] / sigma[n - 1] }
}

/// Index of velocity coordinate `v` among the positions; `None` for a free rotation, which is a quaternion.
pub fn position_of(system: &System, v: usize) -> Option<usize> {
    match system.joint_with(v) {
        Some(joint) => {
            let k = v - joint.v;
            joint.kind.quaternion().is_none_or(|first| k < first).then_some(joint.q + k)
        }
        None => Some(system.nq - system.nv + v),
    }
}

/// Value of velocity coordinate `v` at positions `q`, with its unit. For a free rotation it is the component of the
/// rotation vector.
pub fn value_of(system: &System, q: &[f64], v: usize) -> (f64, &'static str) {
    let Some(joint) = system.joint_with(v) else { return (q[system.nq - system.nv + v], "") };
    let k = v - joint.v;
    let unit = if TreeJoint::is_rotation(joint.kind, k) { "rad" } else { "m" };
    match joint.kind.quaternion() {
        Some(first) if k >= first => {
            let at = joint.q + first;
            let sign = if q[at] < 0.0 { -1.0 } else { 1.0 };
            let axis = Vec3::new(q[at + 1], q[at + 2], q[at + 3]) * sign;
            let sine = axis.norm();
            let per_sine = if sine > 0.0 { 2.0 * atan2(sine, q[at] * sign) / sine } else { 2.0 };
            (axis[k - first] * per_sine, unit)
        }
        _ => (q[joint.q + k], unit),
    }
}

/// Largest difference of two positions over all coordinates, rad or m.
pub fn largest_difference(system: &System, q: &[f64], other: &[f64]) -> f64 {
    (0..system.nv).map(|v| system.increment_between(q, other, v).abs()).fold(0.0, larger)
}

/// A closure row in words: its constraint and its equation.
pub fn equation_of(system: &System, row: usize) -> (&str, String) {
    // Rows belong to constraints; each kind of row has its equation.
    let constraint = system.constraints.iter().find(|constraint| constraint.rows.contains(&row));
    let vector = |v: &Vec3| format!("({}, {}, {})", digits(v.x), digits(v.y), digits(v.z));
    let name = |body: usize| system.bodies[body].name.as_str();
    let words = match &system.rows[row] {
        Row::Along { first, second, e, .. } => {
            format!("e · (p_{} − p_{}) = 0, e = {}", name(*second), name(*first), vector(e))
        }
        Row::Touching { first, second, e, .. } => {
            format!("e · (c_{} − p_{}) = 0, e = {}", name(*second), name(*first), vector(e))
        }
        Row::Perpendicular { first, second, u, w, .. } => {
            format!("u_{} · w_{} = 0, u = {}, w = {}", name(*first), name(*second), vector(u), vector(w))
        }
        Row::Untwisted { first, second, .. } => {
            format!("u₁ · w₁ − u₂ · w₂ = 0, u of {}, w of {}", name(*first), name(*second))
        }
        Row::Distance { first, second, length, .. } => {
            format!("|p_{} − p_{}| = {} m", name(*second), name(*first), digits(*length))
        }
        // A coupler relates coordinates, with nonlinear laws for the first terms.
        Row::Coupled { terms, offset, laws, .. } => {
            let term = |(k, term): (usize, &ballesta_solver::joint::Term)| {
                let coordinate = system.coordinate_name(term.velocity);
                let argument = if k < laws.len() { format!("f({coordinate})") } else { coordinate };
                format!("{} {argument}", digits(term.ratio))
            };
            let sum: Vec<String> = terms.iter().enumerate().map(term).collect();
            format!("{} = {}", sum.join(" + "), digits(*offset))
        }
    };
    (constraint.map_or("", |constraint| &constraint.name), words)
}

/// A number with six digits at most.
fn digits(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 && value.abs() > 1e-12 { format!("{value:.1e}") } else { format!("{}", rounded + 0.0) }
}

/// Name of velocity coordinate `v`: of its joint, with a number if the joint has several coordinates, or of body and
/// mode.
pub fn name_of(system: &System, v: usize) -> String {
    system.coordinate_name(v)
}
