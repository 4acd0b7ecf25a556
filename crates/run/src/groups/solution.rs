//! Positions of a model group by group, as data: at one position of the given coordinates, over a sweep of one of them,
//! and over the motion of a run.
//!
//! Every position is compared with the position of the simulator, from its assembly or from the run.

use super::{Redundant, redundant};
use crate::grid::Grid;
use crate::model::Assignment;
use crate::simulation::{Clock, Excitation, StopReason, simulate_timed};
use ballesta::analysis::groups::solve::{
    GroupSolution, GroupSolver, equation_of, largest_difference, name_of, position_of, value_of,
};
use ballesta::analysis::groups::{SpatialGroup, SpatialGroups};
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, Guide, System};
use ballesta_files::failure::Failure;
use ballesta_files::words::nearest;
use serde::Serialize;
use std::sync::Arc;

/// Difference from the simulator, rad or m, above which the groups are on another branch.
const MAX_DIFFERENCE: f64 = 1e-6;

/// A compiled model with its groups.
pub struct GroupedModel {
    /// The model.
    pub system: Arc<System>,
    /// Its groups.
    pub groups: SpatialGroups,
    /// Index and value of inputs that are set.
    pub inputs: Vec<(usize, f64)>,
}

/// A sweep of a given coordinate with equal intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Name of the coordinate.
    pub name: String,
    /// First value, rad or m.
    pub from: f64,
    /// Last value.
    pub to: f64,
}

/// The object of `groups --solve --json`.
#[derive(Serialize)]
pub struct Solution {
    model: String,
    kind: &'static str,
    /// Time in s.
    pub time: f64,
    /// Groups in the order of solution.
    pub groups: Vec<SolvedGroup>,
    /// Largest gap of all closure equations, including redundant equations, m.
    pub gap: f64,
    /// Largest difference from the assembly of the simulator, rad or m.
    pub difference: f64,
}

/// A group with its values.
#[derive(Serialize)]
pub struct SolvedGroup {
    pub number: usize,
    pub bodies: Vec<String>,
    pub predecessors: Vec<usize>,
    pub given: Vec<Value>,
    pub unknowns: Vec<Value>,
    pub equations: Vec<Equation>,
    /// Redundant equations.
    pub redundant: Vec<Redundant>,
    pub iterations: usize,
    /// Ratio of the extreme singular values of the Jacobian, columns scaled to m.
    pub condition: f64,
    /// m.
    pub residual: f64,
}

/// A coordinate with its value.
#[derive(Serialize)]
pub struct Value {
    pub coordinate: String,
    pub value: f64,
    pub unit: &'static str,
}

/// An equation of a group.
#[derive(Serialize)]
pub struct Equation {
    pub constraint: String,
    pub equation: String,
}

/// One position of a motion; iterations and condition per group follow the values.
pub struct Row {
    /// Time in s, or value of the swept coordinate.
    pub at: f64,
    /// One value per name of [`GroupedModel::columns`].
    pub values: Vec<f64>,
    /// Largest difference from the position of the simulator, rad or m.
    pub difference: f64,
}

impl Row {
    /// Fails if the motion passed a singular position and the groups and the simulator are on different branches.
    fn on_one_branch(&self, what: &str) -> Result<(), Failure> {
        let Row { at, difference, .. } = self;
        match *difference <= MAX_DIFFERENCE {
            true => Ok(()),
            false => Err(Failure::Fault(format!(
                "at {what} = {at} the groups and the run differ by {difference:.3e} rad or m: the two solutions took \
                 different branches after a singular position"
            ))),
        }
    }
}

impl GroupedModel {
    /// Solves the positions with changed values of some given coordinates.
    ///
    /// # Errors
    /// Names that are not given coordinates; positions that cannot be reached.
    pub fn solve(&self, at: &[Assignment]) -> Result<Solution, Failure> {
        let system = &*self.system;
        let mut simulator = self.simulator(&self.system, system.initial().time)?;
        let mut solver = GroupSolver::new(system, &self.groups);
        let mut target = simulator.state().q.clone();
        solver.restart(&target);
        self.set(&mut target, at)?;
        if at.is_empty() {
            solver.disturb();
        } else {
            simulator = self.simulator(&self.frozen(&target, None), simulator.time())?;
            self.place(&mut simulator, &target, solver.increments(&target))?;
        }
        let solved = solver.solve(&target).map_err(|error| Failure::Fault(error.to_string()))?;
        let groups = self.groups.groups.iter().zip(&solved).enumerate();
        Ok(Solution {
            model: system.name().to_string(),
            kind: "solution",
            time: simulator.time(),
            groups: groups.map(|(index, (group, solution))| self.group(index, group, solution, &solver)).collect(),
            gap: solver.gap(),
            difference: largest_difference(system, solver.positions(), &simulator.state().q),
        })
    }

    /// Solves the positions for `points` values of one given coordinate, the others at the values of `at`.
    ///
    /// # Errors
    /// See [`GroupedModel::solve`].
    pub fn sweep(
        &self,
        at: &[Assignment],
        sweep: &Sweep,
        points: usize,
        mut visit: impl FnMut(Row) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // Start from the assembled position with the given coordinates.
        let system = &*self.system;
        let start = system.initial().time;
        let mut solver = GroupSolver::new(system, &self.groups);
        let mut target = self.simulator(&self.system, start)?.state().q.clone();
        solver.restart(&target);
        self.set(&mut target, at)?;
        // The swept coordinate moves; all other given coordinates are frozen.
        let place = self.given(&sweep.name)?;
        target[place] = sweep.from;
        let mut frozen = self.simulator(&self.frozen(&target, Some((place, sweep))), start)?;
        let is_guided = system.guided.iter().any(|guided| guided.coordinate.position == place);
        // A driven coordinate is moved by its own motion, so that its position is exactly reached.
        for point in 0..points {
            let part = if points > 1 { point as f64 / (points - 1) as f64 } else { 0.0 };
            target[place] = sweep.from + (sweep.to - sweep.from) * part;
            // The last solution and its increments are the next initial guess.
            let increments = solver.increments(&target);
            if is_guided {
                self.initialize(&mut frozen, start + part)?;
                target[place] = frozen.state().q[place];
            }
            self.place(&mut frozen, &target, increments)?;
            // A jump to another assembly mode would give a discontinuous curve.
            let solved = solver.solve(&target);
            let solved =
                solved.map_err(|error| Failure::Fault(format!("{} = {}: {error}", sweep.name, target[place])))?;
            let row = self.row(target[place], &solver, &solved, &frozen);
            row.on_one_branch(&sweep.name)?;
            visit(row)?;
        }
        Ok(())
    }

    /// Solves the positions at the points of a run, with the given coordinates of the run.
    ///
    /// # Errors
    /// Faults of the run; singular positions of a group.
    pub fn follow(
        &self,
        grid: &Grid,
        excitation: &Excitation,
        mut visit: impl FnMut(Row) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut solver = GroupSolver::new(&self.system, &self.groups);
        let mut simulator = Simulator::new(self.system.clone());
        let at_point = |time: f64, _: &[f64], simulator: &Simulator| {
            let solved = solver.solve(&simulator.state().q);
            let solved = solved.map_err(|error| Failure::Fault(format!("at t = {time} s {error}")))?;
            let row = self.row(time, &solver, &solved, simulator);
            row.on_one_branch("t")?;
            visit(row)
        };
        let done = simulate_timed(&mut simulator, grid, excitation, &mut Clock::default(), at_point);
        done.map_err(|stop| match stop {
            StopReason::Fault(fault) => Failure::Fault(simulator.describe(&fault)),
            StopReason::Failure(failure) => failure,
        })
    }

    /// Names of the values of a [`Row`].
    pub fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = self.coordinates().map(|v| name_of(&self.system, v)).collect();
        for number in 1..=self.groups.groups.len() {
            names.extend(["iterations", "condition"].map(|what| format!("group {number} {what}")));
        }
        names.push("difference".into());
        names
    }

    /// Given coordinates and unknowns of all groups, in their order.
    fn coordinates(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.groups.iter().flat_map(|group| group.inputs.iter().chain(&group.coordinates).copied())
    }

    fn row(&self, at: f64, solver: &GroupSolver, solved: &[GroupSolution], simulator: &Simulator) -> Row {
        let system = &*self.system;
        let difference = largest_difference(system, solver.positions(), &simulator.state().q);
        let mut values: Vec<f64> = self.coordinates().map(|v| value_of(system, solver.positions(), v).0).collect();
        for solution in solved {
            values.extend([solution.iterations as f64, solution.condition]);
        }
        values.push(difference);
        Row { at, values, difference }
    }

    fn group(&self, index: usize, group: &SpatialGroup, solution: &GroupSolution, solver: &GroupSolver) -> SolvedGroup {
        let value = |&v: &usize| {
            let (value, unit) = value_of(&self.system, solver.positions(), v);
            Value { coordinate: name_of(&self.system, v), value, unit }
        };
        let equation = |&row: &usize| {
            let (constraint, equation) = equation_of(&self.system, row);
            Equation { constraint: constraint.to_string(), equation }
        };
        SolvedGroup {
            number: index + 1,
            bodies: group.bodies.clone(),
            predecessors: group.predecessors.clone(),
            given: group.inputs.iter().map(value).collect(),
            unknowns: group.coordinates.iter().map(value).collect(),
            equations: group.rows.iter().map(equation).collect(),
            redundant: redundant(&group.redundant),
            iterations: solution.iterations,
            condition: solution.condition,
            residual: solution.residual,
        }
    }

    /// A simulator with the inputs of the subject, assembled at `time`, s.
    fn simulator(&self, system: &Arc<System>, time: f64) -> Result<Simulator, Failure> {
        let mut simulator = Simulator::new(system.clone());
        self.inputs.iter().for_each(|&(index, value)| simulator.set_input(index, value));
        self.initialize(&mut simulator, time)?;
        Ok(simulator)
    }

    fn initialize(&self, simulator: &mut Simulator, time: f64) -> Result<(), Failure> {
        simulator.initialize(time).map_err(|fault| self.fault(simulator, &fault))
    }

    fn fault(&self, simulator: &Simulator, fault: &Fault) -> Failure {
        Failure::Fault(simulator.describe(fault))
    }

    /// Moves the independent coordinates of the simulator to `target` in increments; driven coordinates follow their
    /// prescribed motions.
    fn place(&self, simulator: &mut Simulator, target: &[f64], increments: usize) -> Result<(), Failure> {
        let start = simulator.state().q.clone();
        let guided = |q: &usize| self.system.guided.iter().any(|guided| guided.coordinate.position == *q);
        let given = self.groups.groups.iter().flat_map(|group| &group.inputs);
        let places: Vec<usize> = given.filter_map(|&v| position_of(&self.system, v)).filter(|q| !guided(q)).collect();
        if places.iter().all(|&q| start[q] == target[q]) {
            return Ok(());
        }
        for increment in 1..=increments {
            let part = increment as f64 / increments as f64;
            let value =
                |q: usize| if increment == increments { target[q] } else { start[q] + part * (target[q] - start[q]) };
            let positions: Vec<(usize, f64)> = places.iter().map(|&q| (q, value(q))).collect();
            simulator.place(&positions, &[]).map_err(|fault| self.fault(simulator, &fault))?;
        }
        Ok(())
    }

    /// The system with every driven coordinate constant at its value in `target`. The swept coordinate moves from its
    /// first to its last value during the first second.
    fn frozen(&self, target: &[f64], sweep: Option<(usize, &Sweep)>) -> Arc<System> {
        let mut system = (*self.system).clone();
        let start = system.initial().time;
        for guided in &mut system.guided {
            let place = guided.coordinate.position;
            let speed = sweep.filter(|(swept, _)| *swept == place).map_or(0.0, |(_, sweep)| sweep.to - sweep.from);
            let offset = target[place] - speed * start;
            guided.guide = Guide::Motion { offset, speed, amplitude: 0.0, omega: 0.0, phase: 0.0 };
        }
        Arc::new(system)
    }

    /// Sets given coordinates in positions.
    fn set(&self, positions: &mut [f64], at: &[Assignment]) -> Result<(), Failure> {
        at.iter().try_for_each(|Assignment { name, value }| {
            positions[self.given(name)?] = *value;
            Ok(())
        })
    }

    /// Index of the given coordinate with this name among the positions.
    fn given(&self, name: &str) -> Result<usize, Failure> {
        let groups = &self.groups.groups;
        let wrong = |message: String| Failure::Usage(format!("`{name}`: {message}"));
        let named = |v: &&usize| name_of(&self.system, **v) == name;
        if let Some(v) = groups.iter().flat_map(|group| &group.inputs).find(named) {
            let message = "a free rotation has no single angle; set the position of the joint in the model";
            return position_of(&self.system, *v).ok_or_else(|| wrong(message.into()));
        }
        let given: Vec<String> =
            groups.iter().flat_map(|group| &group.inputs).map(|&v| name_of(&self.system, v)).collect();
        let list = format!("given are {}", given.join(", "));
        Err(match groups.iter().position(|group| group.coordinates.iter().any(|v| named(&v))) {
            Some(index) => wrong(format!("the coordinate is an unknown of group {}; {list}", index + 1)),
            None => match nearest(name, given.iter().map(String::as_str)) {
                Some(near) => wrong(format!("the model has no such coordinate; did you mean `{near}`?")),
                None => wrong(format!("the model has no such coordinate; {list}")),
            },
        })
    }
}
