//! The equations of motion near a point, to first order: ẋ = A x + B u, y = C x + D u.
//!
//! x contains the changes of the n independent positions and velocities, of the states of filtered prescribed motions,
//! of force elements and of low-pass filters. u contains the changes of the inputs, y the changes of the outputs; time
//! is constant. Positions of free rotations are changed by small rotations about the axes in which their velocities are
//! given, measured from the moving point. The matrices are derivatives of complete evaluations with the loops closed,
//! exact to rounding ([`ballesta_solver::dynamics::tangent`]), so they contain all effects that the solver computes. At
//! a corner of a law they are the one-sided derivatives of the active branch. Reactions that redundant equations leave
//! undetermined have rows of central differences, because their split is not a function of the motion alone. Outputs
//! that are not Real numbers have zero rows.
//!
//! Cost: some 4 (2n + auxiliary states + inputs) evaluations. Offline: allocates.
//!
//! Verified by: tests/motion/verification/linear.rs, dynamics::tests (small motions of every model).

use super::operating_point::{AnalysisError, DIFFERENCE, OperatingPoint};
use super::steady::has_tyres;
use ballesta_solver::dynamics::tangent::{LANES, Tangent, Variable};
use ballesta_solver::dynamics::{load_stage, observe};
use ballesta_solver::math::{Vec3, linear};
use ballesta_solver::system::{Guide, ScalarKind, State, System, Workspace};

#[cfg(test)]
mod difference_tests;

/// Matrices of the linearized system, row-major, with the names of their rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// Time of the point, s.
    pub time: f64,
    /// Names of the independent coordinates, n, as `check` prints them.
    pub coordinates: Vec<String>,
    /// Names of the states: the coordinates, their speeds `der(…)`, the states of filters.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Names of the tunable parameters.
    pub parameters: Vec<String>,
    /// A, states × states.
    pub a: Vec<Vec<f64>>,
    /// B, states × inputs.
    pub b: Vec<Vec<f64>>,
    /// C, outputs × states.
    pub c: Vec<Vec<f64>>,
    /// D, outputs × inputs.
    pub d: Vec<Vec<f64>>,
    /// E, states × parameters: ∂ẋ/∂p at the same state.
    pub e: Vec<Vec<f64>>,
    /// F, outputs × parameters: ∂y/∂p at the same state.
    pub f: Vec<Vec<f64>>,
    /// Reduced mass matrix Rᵀ M R of the independent coordinates, n × n.
    pub mass: Vec<f64>,
    /// Names of the states as motions, where these say more than the name of the coordinate: "yaw of chassis".
    pub motions: Vec<String>,
    /// ω of every filtered prescribed motion, rad/s.
    pub filters: Vec<f64>,
    /// Number of states of force elements; they follow the states of the prescribed motions.
    pub element_states: usize,
    /// K in rad/s and number of poles of every low-pass filter; their states are the last.
    pub low_pass: Vec<(f64, usize)>,
    /// Contribution of the rotation of a body to its velocity in the world frame: speed i minus Σ factor · position j
    /// is the velocity relative to the rotating body; (i, j, factor).
    pub turning: Vec<(usize, usize, f64)>,
    /// Sizes of the independent coordinates, which scale the differences.
    pub units: Vec<f64>,
    /// Work of the loads over the size of the mechanism, J, which scales their rounding.
    pub load_energy: f64,
    /// Stiffness −∂(Rᵀ Q)/∂z of the independent coordinates, at constant accelerations, n × n, row-major: M times the
    /// block −∂z̈/∂z of A.
    pub stiffness: Vec<f64>,
}

impl Linearization {
    /// Number n of independent coordinates.
    pub fn size(&self) -> usize {
        self.coordinates.len()
    }

    /// Changes of the outputs per change of each input while the forces stay balanced at rest, outputs × inputs: D +
    /// C_z K⁻¹ M B_v, in units of the output per unit of the input. States of force elements, filters and prescribed
    /// motions are unchanged, so dry friction carries no additional load. `None`: a coordinate has no stiffness.
    pub fn static_gains(&self) -> Option<Vec<Vec<f64>>> {
        let n = self.size();
        let (mut factors, mut exchanges) = (self.stiffness.clone(), vec![0; n]);
        let smallest = linear::factor(&mut factors, n, &mut exchanges);
        if n > 0 && !(smallest > 0.0) {
            return None;
        }
        let mut gains = self.d.clone();
        for input in 0..self.inputs.len() {
            let rate = |j: usize| self.b[n + j][input];
            let mut change: Vec<f64> = (0..n).map(|i| (0..n).map(|j| self.mass[i * n + j] * rate(j)).sum()).collect();
            linear::solve_lu(&factors, n, &exchanges, &mut change);
            for (row, c) in gains.iter_mut().zip(&self.c) {
                row[input] += change.iter().zip(c).map(|(x, c)| x * c).sum::<f64>();
            }
        }
        Some(gains)
    }
}

/// Linearizes the system at `state`, with its inputs.
pub fn linearize(system: &System, state: &State, ws: &mut Workspace) -> Result<Linearization, AnalysisError> {
    let point = OperatingPoint::new(system, state, ws, false)?;
    let load_energy = point.load_energy(ws);
    let n = point.size();
    // Sizes and names. The states are positions, speeds, and states of filters and elements.
    let AuxiliaryStates { indices: filters, names, omegas } = AuxiliaryStates::new(system);
    let (states, inputs, outputs) =
        (2 * n + filters.len(), system.interface.inputs.len(), system.interface.outputs.len());
    let parameters = &system.interface.parameters;
    let tunable: Vec<usize> = (0..parameters.len()).filter(|&i| parameters[i].tunable).collect();
    let mut model = Linearization {
        time: state.time,
        coordinates: (0..n).map(|i| point.name(i)).collect(),
        states: Vec::new(),
        inputs: system.interface.inputs.iter().map(|input| input.name.clone()).collect(),
        outputs: system.interface.outputs.iter().map(|output| output.name.clone()).collect(),
        parameters: tunable.iter().map(|&i| parameters[i].name.clone()).collect(),
        a: vec![vec![0.0; states]; states],
        b: vec![vec![0.0; inputs]; states],
        c: vec![vec![0.0; states]; outputs],
        d: vec![vec![0.0; inputs]; outputs],
        e: vec![vec![0.0; tunable.len()]; states],
        f: vec![vec![0.0; tunable.len()]; outputs],
        mass: point.mass.clone(),
        stiffness: vec![0.0; n * n],
        units: point.coordinates.iter().map(|&coordinate| point.units[coordinate]).collect(),
        motions: Vec::new(),
        filters: omegas,
        element_states: system.element_states.len(),
        low_pass: system.filters.iter().map(|filter| (filter.rate(), filter.states().len())).collect(),
        turning: turning(&point, ws),
        load_energy,
    };
    // Names of the states, and of the motions that they describe.
    model.states = model.coordinates.clone();
    model.states.extend(model.coordinates.iter().map(|name| format!("der({name})")));
    model.states.extend(names);
    model.motions = model.states.clone();
    for i in 0..n {
        let motion = motion(system, point.coordinates[i]);
        model.motions[n + i] = format!("der({motion})");
        model.motions[i] = motion;
    }
    // Derivatives with respect to states, inputs and tunable parameters, several per evaluation by dual numbers.
    let mut tangent = Tangent::new(system);
    let variables: Vec<Variable> = (0..states + inputs + tunable.len())
        .map(|j| match j {
            _ if j < n => Variable::Position(point.coordinates[j]),
            _ if j < 2 * n => Variable::Speed(point.coordinates[j - n]),
            _ if j < states => Variable::Auxiliary(filters[j - 2 * n]),
            _ if j < states + inputs => Variable::Input(j - states),
            _ => Variable::Parameter(tunable[j - states - inputs]),
        })
        .collect();
    for (part, directions) in variables.chunks(LANES).enumerate() {
        tangent.clear();
        directions.iter().enumerate().for_each(|(lane, &variable)| tangent.seed(lane, variable, 1.0));
        tangent.evaluate(system, &point.state, ws, point.state.time);
        // Each lane is one column of A and C, of B and D, or of E and F.
        for lane in 0..directions.len() {
            let j = part * LANES + lane;
            let (of_rates, of_outputs, column) = match j {
                _ if j < states => (&mut model.a, &mut model.c, j),
                _ if j < states + inputs => (&mut model.b, &mut model.d, j - states),
                _ => (&mut model.e, &mut model.f, j - states - inputs),
            };
            let accelerations = point.coordinates.iter().map(|&v| &tangent.accelerations()[v]);
            let rates = accelerations.chain(filters.iter().map(|&index| &tangent.auxiliary_rates()[index]));
            of_rates[n..].iter_mut().zip(rates).for_each(|(row, rate)| row[column] = rate.slopes[lane]);
            for ((row, value), output) in of_outputs.iter_mut().zip(tangent.outputs()).zip(&system.interface.outputs) {
                row[column] = if output.kind == ScalarKind::Real { value.slopes[lane] } else { 0.0 };
            }
            if j < n {
                (0..n).for_each(|i| model.stiffness[i * n + j] = tangent.held()[i][lane]);
            }
        }
    }
    // Outputs that the dual numbers do not cover are differenced.
    let open = system.open_outputs();
    for (j, &variable) in variables.iter().enumerate().filter(|_| !open.is_empty()) {
        let (of_outputs, column) = match j {
            _ if j < states => (&mut model.c, j),
            _ if j < states + inputs => (&mut model.d, j - states),
            _ => (&mut model.f, j - states - inputs),
        };
        let unit = match variable {
            Variable::Position(_) => model.units[j],
            Variable::Parameter(index) if point.state.parameters[index] != 0.0 => point.state.parameters[index].abs(),
            _ => 1.0,
        };
        let derivatives = outputs_by_differences(&point, ws, variable, unit)?;
        open.iter().for_each(|&output| of_outputs[output][column] = derivatives[output]);
    }
    add_kinematics(&point, &mut model);
    Ok(model)
}

/// Derivatives of all outputs by central differences, for outputs that redundant equations leave undetermined: their
/// split is computed anew at every point.
fn outputs_by_differences(
    point: &OperatingPoint,
    ws: &mut Workspace,
    variable: Variable,
    unit: f64,
) -> Result<Vec<f64>, AnalysisError> {
    let step = DIFFERENCE * unit;
    let sides = [step, -step].map(|amount| outputs_beside(point, ws, variable, amount));
    let [ahead, behind] = sides;
    Ok(ahead?.iter().zip(&behind?).map(|(ahead, behind)| (ahead - behind) / (2.0 * step)).collect())
}

/// All outputs where `variable` is changed by `amount`; the evaluation is left in the workspace.
fn outputs_beside(
    point: &OperatingPoint,
    ws: &mut Workspace,
    variable: Variable,
    amount: f64,
) -> Result<Vec<f64>, AnalysisError> {
    let system = point.system;
    let mut state = point.state.clone();
    match variable {
        Variable::Auxiliary(index) => state.auxiliary[index] += amount,
        Variable::Input(index) => state.inputs[index] += amount,
        Variable::Parameter(index) => state.parameters[index] += amount,
        Variable::Position(_) | Variable::Speed(_) => {}
    }
    load_stage(system, &state, ws, state.time);
    match variable {
        Variable::Position(coordinate) => {
            let own = |&v: &usize| if v == coordinate { amount } else { 0.0 };
            let change: Vec<f64> = point.coordinates.iter().map(own).collect();
            point.displace(ws, &change);
        }
        Variable::Speed(coordinate) => ws.stage.v[coordinate] += amount,
        _ => {}
    }
    let mut outputs = vec![0.0; system.outputs.len()];
    observe::calc_stage_outputs(system, &state, ws, state.time, &mut outputs)
        .map_err(|fault| AnalysisError::Fault(system.describe(&fault)))?;
    Ok(outputs)
}

/// Rates of the positions are the velocities. For a free rotation they are relative to the rotating point: δ̇ = δω − ω
/// × δ.
fn add_kinematics(point: &OperatingPoint, model: &mut Linearization) {
    let n = point.size();
    for i in 0..n {
        model.a[i][n + i] = 1.0;
        let coordinate = point.coordinates[i];
        let Some(joint) = point.system.joint_with(coordinate) else { continue };
        let Some(first) = joint.kind.quaternion() else { continue };
        let (at, own) = (joint.v + first, coordinate - joint.v);
        if own < first {
            continue;
        }
        let (next, last) = ((own - first + 1) % 3, (own - first + 2) % 3);
        let (omega_next, omega_last) = (point.state.v[at + next], point.state.v[at + last]);
        for j in 0..n {
            let delta = |k: usize| point.motion[(at + k) * n + j];
            model.a[i][j] -= omega_next * delta(last) - omega_last * delta(next);
        }
    }
}

/// Auxiliary states of the motion: of filtered prescribed motions, force elements and low-pass filters.
pub fn other_states(system: &System) -> Vec<usize> {
    AuxiliaryStates::new(system).indices
}

/// Auxiliary states other than energies: y, ẏ, ÿ of every filtered prescribed motion, then the states of force elements
/// and the low-pass filters of outputs.
struct AuxiliaryStates {
    indices: Vec<usize>,
    names: Vec<String>,
    /// ω of the prescribed motions, rad/s.
    omegas: Vec<f64>,
}

impl AuxiliaryStates {
    fn new(system: &System) -> AuxiliaryStates {
        let (mut indices, mut names, mut omegas) = (Vec::new(), Vec::new(), Vec::new());
        for guided in &system.guided {
            if let Guide::Filtered { state, omega, .. } = guided.guide {
                omegas.push(omega);
                indices.extend(state..state + 3);
                let name = &guided.name;
                names.extend([name.clone(), format!("der({name})"), format!("der({name},2)")]);
            }
        }
        for element in &system.elements {
            let first = indices.len();
            indices.extend(element.states());
            let name = element.name();
            names.extend((1..=indices.len() - first).map(|k| format!("state({name},{k})")));
        }
        for filter in &system.filters {
            let name = &system.interface.outputs[filter.output].name;
            indices.extend(filter.states());
            names.extend((1..=filter.states().len()).map(|pole| format!("low_pass({name},{pole})")));
        }
        AuxiliaryStates { indices, names, omegas }
    }
}

/// The name of coordinate `v` as a motion. In models with tyres, motions of free bodies have the names of ISO 8855.
fn motion(system: &System, v: usize) -> String {
    const MOTIONS: [&str; 6] = ["forward", "lateral", "vertical", "roll", "pitch", "yaw"];
    let name = system.coordinate_name(v);
    let Some(joint) = system.joint_with(v).filter(|_| has_tyres(system)) else { return name };
    let Some(first) = joint.kind.quaternion() else { return name };
    format!("{} of {}", MOTIONS[3 + v - joint.v - first], system.joint_name(system.joint_of_coordinate(v)))
}

/// [`Linearization::turning`] of the floating bodies at `point`, whose evaluation is in the workspace: δv − δθ × V,
/// with the body's own axes for δθ.
fn turning(point: &OperatingPoint, ws: &Workspace) -> Vec<(usize, usize, f64)> {
    let number = |v: usize| point.coordinates.iter().position(|&coordinate| coordinate == v);
    let mut list = Vec::new();
    for (tree, joint) in point.system.joints.iter().enumerate() {
        if !joint.root || !joint.kind.is_free() || joint.reversed {
            continue;
        }
        let velocity = Vec3::new(point.state.v[joint.v], point.state.v[joint.v + 1], point.state.v[joint.v + 2]);
        for (k, m) in (0..9).map(|at| (at / 3, at % 3)) {
            let axis = ws.kinematics.bodies[tree + 1].rotation.column(m).into_owned();
            let factor = axis.cross(&velocity)[k];
            if let (Some(speed), Some(turn)) = (number(joint.v + k), number(joint.v + 3 + m))
                && factor != 0.0
            {
                list.push((speed, turn, factor));
            }
        }
    }
    list
}
