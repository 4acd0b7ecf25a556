//! The point about which a system is analysed: its independent coordinates, their sizes, and evaluations near it.
//!
//! Independent velocity coordinates are the coordinates outside all blocks
//! ([`System::free`](ballesta_solver::system::System)) and, for every block, the coordinates that its stored order
//! leaves independent; this is the order of the reduced equations. Blocks that are closed by least change, near a
//! singular position, are partitioned here; at a singular position there are no independent coordinates, and the
//! analysis ends with [`AnalysisError::Singular`]. Offline: allocates.

use ballesta_solver::dynamics::{choice, close_stage, evaluate_dense, load_stage};
use ballesta_solver::joint::TreeJoint;
use ballesta_solver::system::{Fault, State, System, Workspace};
use std::fmt;

/// Step of central differences over positions and velocities, in units of [`OperatingPoint::units`]: the cube root of
/// the rounding error.
pub const DIFFERENCE: f64 = 6e-6;

/// Why a system cannot be analysed at a point, or has no equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub enum AnalysisError {
    /// An evaluation failed, in words.
    Fault(String),
    /// The loops with these names are in a singular position.
    Singular { loops: String },
    /// A net force that no stiffness balances acts along this coordinate; `unit` is N or N m.
    Unsupported { coordinate: String, force: f64, unit: &'static str },
    /// The iteration ended with this remaining net force along this coordinate.
    NotFound { coordinate: String, force: f64, unit: &'static str, iterations: usize },
    /// The iteration ended while a state of this force element changes at this rate, in its unit per s.
    Drifting { element: String, rate: f64, iterations: usize },
    /// There is no steady motion for this reason; `left`: the remaining residual.
    Steady { cause: String, left: Box<AnalysisError> },
    /// At this speed (m/s) a speed control would need a torque (N m) beyond its limits.
    TooWeak { control: String, torque: f64, limits: [f64; 2], speed: f64 },
    /// The system has more independent coordinates than the analysis supports.
    TooLarge { coordinates: usize, limit: usize },
    /// The eigenvalues could not be computed: the matrix is not finite, or the iteration did not converge.
    NoEigenvalues,
}

impl fmt::Display for AnalysisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each message names the coordinate or element and, where possible, a remedy.
        match self {
            AnalysisError::Fault(words) => f.write_str(words),
            AnalysisError::Singular { loops } => {
                write!(f, "the loops closed by {loops} are in a singular position and cannot be linearized there")
            }
            AnalysisError::Unsupported { coordinate, force, unit } => {
                write!(f, "no equilibrium: nothing balances the net force of {force:.6e} {unit} along `{coordinate}`")
            }
            AnalysisError::NotFound { coordinate, force, unit, iterations } => write!(
                f,
                "no equilibrium found in {iterations} iterations: a net force of {force:.6e} {unit} remains along \
                 `{coordinate}`"
            ),
            AnalysisError::Drifting { element, rate, iterations } => write!(
                f,
                "no steady state found in {iterations} iterations: a state of `{element}` still changes at {rate:.6e} \
                 per s"
            ),
            AnalysisError::Steady { cause, left } => write!(f, "{cause}; {left}"),
            AnalysisError::TooWeak { control, torque, limits: [lower, upper], speed } => write!(
                f,
                "no steady driving at {speed} m/s: speed control `{control}` would need {torque:.6e} N m, outside its \
                 limits of {lower} and {upper} N m; change the start speed or widen the limits"
            ),
            AnalysisError::TooLarge { coordinates, limit } => {
                write!(f, "the model has {coordinates} independent coordinates; the analysis accepts at most {limit}")
            }
            AnalysisError::NoEigenvalues => f.write_str(
                "the eigenvalues of the linearized system could not be \
                                                         computed",
            ),
        }
    }
}

impl std::error::Error for AnalysisError {}

/// A state with its independent coordinates.
pub struct OperatingPoint<'a> {
    /// The system.
    pub system: &'a System,
    /// The state, all blocks closed by partition.
    pub state: State,
    /// Independent velocity coordinates, n.
    pub coordinates: Vec<usize>,
    /// Size of every velocity coordinate, nv: 1 rad for rotations, the greatest distance of the mechanism in m for
    /// translations, this distance times the root of the mass for mass-normalised elastic coordinates.
    pub units: Vec<f64>,
    /// Greatest distance of the mechanism, m.
    pub length: f64,
    /// R, nv × n: velocities of all coordinates from the independent ones, with driven coordinates fixed.
    pub motion: Vec<f64>,
    /// Rᵀ M R, n × n.
    pub mass: Vec<f64>,
    /// Its Cholesky factor, lower.
    pub mass_factor: Vec<f64>,
}

impl<'a> OperatingPoint<'a> {
    /// The point of `state`, evaluated. With `at_rest`, all speeds and accelerations of driven coordinates are zero.
    pub fn new(
        system: &'a System,
        state: &State,
        ws: &mut Workspace,
        at_rest: bool,
    ) -> Result<OperatingPoint<'a>, AnalysisError> {
        // Close the loops, then use independent coordinates that are well conditioned at this position.
        let mut state = state.clone();
        let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
        load_stage(system, &state, ws, state.time);
        close_stage(system, &state, ws, state.time).map_err(fault)?;
        let (mut tree, blocks) = ws.open_tree();
        for index in 0..system.blocks.len() {
            let chosen = state.least_change[index] == 0;
            if !chosen && !choice::force_partition(system, &mut state, &mut tree, blocks, index) {
                return Err(singular(system, index));
            }
        }
        // Independent coordinates: tree coordinates outside of loops, then coordinates of each loop block.
        let mut coordinates = system.free.clone();
        for block in &system.blocks {
            let columns = &state.orders[block.column_order()];
            coordinates.extend(columns[block.rank..].iter().map(|&k| block.coordinates[k as usize]));
        }
        let mut point = OperatingPoint {
            system,
            state,
            coordinates,
            units: Vec::new(),
            length: 1.0,
            motion: Vec::new(),
            mass: Vec::new(),
            mass_factor: Vec::new(),
        };
        // For an equilibrium, prescribed speeds and accelerations are zero.
        if at_rest {
            point.load_at_rest(ws)
        } else {
            point.load(ws)
        };
        // Forces, reduced mass matrix and scales at the point.
        point.evaluate(ws)?;
        point.measure(ws);
        Ok(point)
    }

    /// Number of independent coordinates.
    pub fn size(&self) -> usize {
        self.coordinates.len()
    }

    /// Name of independent coordinate `i`, as `check` prints it.
    pub fn name(&self, i: usize) -> String {
        self.system.coordinate_name(self.coordinates[i])
    }

    /// Unit of the force along independent coordinate `i`.
    pub fn force_unit(&self, i: usize) -> &'static str {
        let coordinate = self.coordinates[i];
        match self.system.joint_with(coordinate) {
            Some(joint) if TreeJoint::is_rotation(joint.kind, coordinate - joint.v) => "N m",
            _ => "N",
        }
    }

    /// Loads the point into the workspace.
    pub fn load(&self, ws: &mut Workspace) {
        load_stage(self.system, &self.state, ws, self.state.time);
    }

    /// Loads its positions with all velocities zero.
    pub fn load_at_rest(&self, ws: &mut Workspace) {
        self.load(ws);
        ws.stage.v.fill(0.0);
        ws.stage.guided.iter_mut().for_each(|motion| (motion[1], motion[2]) = (0.0, 0.0));
    }

    /// Evaluates the stage of the workspace, loops closed.
    pub fn evaluate(&self, ws: &mut Workspace) -> Result<(), AnalysisError> {
        evaluate_dense(self.system, &self.state, ws, self.state.time)
            .map_err(|fault| AnalysisError::Fault(self.system.describe(&fault)))?;
        self.check(ws)
    }

    /// Ends the analysis if an evaluation has left the partition of a block.
    pub fn check(&self, ws: &Workspace) -> Result<(), AnalysisError> {
        match ws.blocks.iter().position(|block| block.least_change) {
            Some(index) => Err(singular(self.system, index)),
            None => Ok(()),
        }
    }

    /// Moves the positions in the workspace by `change` of the independent coordinates; dependent ones follow to first
    /// order, so that closing them takes one iteration.
    pub fn displace(&self, ws: &mut Workspace, change: &[f64]) {
        let n = self.size();
        for coordinate in 0..self.system.nv {
            let row = &self.motion[coordinate * n..(coordinate + 1) * n];
            let amount: f64 = row.iter().zip(change).map(|(r, d)| r * d).sum();
            if amount != 0.0 {
                self.system.add_increment(&mut ws.stage.q, coordinate, amount);
            }
        }
    }

    /// Rᵀ Q of the evaluation in the workspace, in N or N m: the forces that balance (Rᵀ M R) z̈, inertia forces
    /// included.
    pub fn reduced_force(&self, ws: &Workspace) -> Vec<f64> {
        let n = self.size();
        let (l, y) = (&ws.dense.reduced_mass, &ws.dense.reduced_force);
        let inner: Vec<f64> = (0..n).map(|j| (j..n).map(|i| l[i * n + j] * y[i]).sum()).collect();
        (0..n).map(|i| (0..=i).map(|j| l[i * n + j] * inner[j]).sum()).collect()
    }

    /// Work in J of the present loads over the size of the mechanism: forces are known to rounding relative to this.
    pub fn load_energy(&self, ws: &Workspace) -> f64 {
        let mut energy = 0.0;
        for (index, body) in self.system.bodies.iter().enumerate().skip(1) {
            let load = &ws.loads.wrenches[index];
            let moment = load.moment - ws.kinematics.bodies[index].position.cross(&load.force);
            energy += (load.force.norm() + body.mass * self.system.gravity.norm()) * self.length + moment.norm();
        }
        energy + ws.loads.efforts.iter().zip(&self.units).map(|(effort, unit)| effort.abs() * unit).sum::<f64>()
    }

    /// Sizes, R and the reduced mass of the evaluation in the workspace.
    fn measure(&mut self, ws: &Workspace) {
        // The size of the mechanism is the unit of translations, so that residuals of both kinds are comparable.
        let (system, n) = (self.system, self.size());
        let mut length = system.blocks.iter().map(|block| block.size).fold(0.0, f64::max);
        for place in ws.kinematics.bodies.iter().skip(1).map(|body| &body.position).chain(&ws.kinematics.points) {
            length = length.max(place.norm());
        }
        self.length = if length > 1e-9 { length } else { 1.0 };
        // Modal coordinates of flexible bodies contain the square root of the mass.
        let mass: f64 =
            system.bodies.iter().map(|body| body.mass).chain(system.flexible.iter().map(|body| body.mass)).sum();
        self.units = (0..system.nv)
            .map(|coordinate| match system.joint_with(coordinate) {
                Some(joint) if TreeJoint::is_rotation(joint.kind, coordinate - joint.v) => 1.0,
                Some(_) => self.length,
                None => self.length * mass.sqrt(),
            })
            .collect();
        // R maps independent to all velocities: identity for free coordinates, null space of each loop block.
        self.motion = vec![0.0; system.nv * n];
        for (c, &coordinate) in system.free.iter().enumerate() {
            self.motion[coordinate * n + c] = 1.0;
        }
        let mut first = system.free.len();
        for (block, scratch) in system.blocks.iter().zip(&ws.blocks) {
            for (k, &coordinate) in block.coordinates.iter().enumerate() {
                self.motion[coordinate * n + first..coordinate * n + first + scratch.width]
                    .copy_from_slice(&scratch.null[k * scratch.width..(k + 1) * scratch.width]);
            }
            first += scratch.width;
        }
        // The workspace holds the Cholesky factor of the reduced mass matrix; the product gives M = L Lᵀ.
        let mut factor = ws.dense.reduced_mass[..n * n].to_vec();
        (0..n).for_each(|i| factor[i * n + i + 1..(i + 1) * n].fill(0.0));
        self.mass = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                self.mass[i * n + j] = (0..=i.min(j)).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
            }
        }
        self.mass_factor = factor;
    }
}

fn singular(system: &System, block: usize) -> AnalysisError {
    let names = system.blocks[block].constraints.iter().map(|&c| format!("`{}`", system.constraints[c].name));
    AnalysisError::Singular { loops: names.collect::<Vec<_>>().join(", ") }
}

/// A position or a speed of a system, with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Index of the position (in q), or velocity coordinate.
    pub index: usize,
    /// Whether it has a prescribed motion.
    pub guided: bool,
}

/// Names and values of all positions: of joints in rad or m, a free rotation with the four numbers of its quaternion;
/// of the modes of flexible bodies in m·√kg.
pub fn positions(system: &System, state: &State) -> Vec<(String, f64)> {
    named_positions(system).into_iter().map(|named| (named.name, state.q[named.index])).collect()
}

/// The positions of [`positions`] by their indices.
pub fn named_positions(system: &System) -> Vec<Named> {
    let mut list = Vec::new();
    let guided = |q: usize| system.guided.iter().any(|guided| guided.coordinate.position == q);
    for (tree, joint) in system.joints.iter().enumerate().filter(|(_, joint)| joint.link.is_none()) {
        for (k, position) in joint.kind.position_names().iter().enumerate() {
            let of_quaternion = joint.kind.quaternion().is_some_and(|first| k >= first);
            let name = match of_quaternion {
                true => format!("{}.{position}", system.joint_name(tree)),
                false => system.coordinate_name(joint.v + k),
            };
            list.push(Named { name, index: joint.q + k, guided: guided(joint.q + k) });
        }
    }
    for body in &system.flexible {
        let modes = body.q.clone().zip(body.v.clone());
        list.extend(modes.map(|(index, v)| Named { name: system.coordinate_name(v), index, guided: false }));
    }
    list
}

/// The speeds of all velocity coordinates, `der(name)`: of joints in rad/s or m/s, a free rotation about the axes of
/// the joint's second body; of modes in m·√kg/s.
pub fn named_speeds(system: &System) -> Vec<Named> {
    let guided = |v: usize| system.guided.iter().any(|guided| guided.coordinate.velocity == v);
    let joints = system.joints.iter().filter(|joint| joint.link.is_none()).flat_map(|joint| joint.v_range());
    let all = joints.chain(system.flexible.iter().flat_map(|body| body.v.clone()));
    let named = |v: usize| Named { name: format!("der({})", system.coordinate_name(v)), index: v, guided: guided(v) };
    all.map(named).collect()
}
