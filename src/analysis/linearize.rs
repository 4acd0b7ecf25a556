//! The equations of motion beside a point, to first order: ẋ = A x + B u, y = C x + D u.
//!
//! x = (changes of the n independent positions, of the n independent velocities, of the states of filtered guides, of
//! force elements and of low-pass filters), u the changes of the inputs, y those of the outputs, time held. Positions
//! of free rotations are changed by small rotations about the axes in which their velocities are given, measured from
//! the moving point. Matrices are extrapolated central differences of complete evaluations with the loops closed, so
//! that everything that the solver computes is in them; the first n rows are kinematics and exact. Outputs that are no
//! Real numbers have zero rows.
//!
//! Cost: 6 (2n + auxiliary states + inputs) evaluations. Offline: allocates.
//!
//! Proved by: tests/motion/verification/linear.rs, dynamics::tests (small motions of every model).

use super::operating_point::{AnalysisError, DIFFERENCE, OperatingPoint};
use super::steady::has_tyres;
use crate::dynamics::observe;
use crate::math::Vec3;
use crate::system::{Fault, Guide, ScalarKind, State, System, Workspace};

/// Relative size of central differences over inputs: the cube root of the rounding error.
const INPUT_DIFFERENCE: f64 = 6e-6;

/// Matrices of the linearized system, row-major, with the names of what they relate.
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
    /// A, states × states.
    pub a: Vec<Vec<f64>>,
    /// B, states × inputs.
    pub b: Vec<Vec<f64>>,
    /// C, outputs × states.
    pub c: Vec<Vec<f64>>,
    /// D, outputs × inputs.
    pub d: Vec<Vec<f64>>,
    /// Reduced mass matrix Rᵀ M R of the independent coordinates, n × n.
    pub mass: Vec<f64>,
    /// What the states are called as motions, where that says more than the name of the coordinate: "yaw of chassis".
    pub motions: Vec<String>,
    /// ω of every filtered guide, rad/s.
    pub(crate) filters: Vec<f64>,
    /// Number of states of force elements; they stand behind those of the guides.
    pub(crate) element_states: usize,
    /// K in rad/s and number of poles of every low-pass filter; their states are the last.
    pub(crate) low_pass: Vec<(f64, usize)>,
    /// What a turned body adds to its velocity as seen from the world: speed i less Σ factor · position j is that seen
    /// by one who turns with the body; (i, j, factor).
    pub(crate) turning: Vec<(usize, usize, f64)>,
    /// Sizes of the independent coordinates, which scale the differences.
    pub(crate) units: Vec<f64>,
    /// Work of the loads over the size of the mechanism, J, which scales their rounding.
    pub(crate) load_energy: f64,
    /// What the entries of A below the first n rows may be wrong by.
    pub(crate) doubts: Vec<Vec<f64>>,
}

impl Linearization {
    /// Number n of independent coordinates.
    pub fn size(&self) -> usize {
        self.coordinates.len()
    }
}

/// Linearizes the system at `state`, with its inputs.
pub(crate) fn linearize(system: &System, state: &State, ws: &mut Workspace) -> Result<Linearization, AnalysisError> {
    let point = OperatingPoint::new(system, state, ws, false)?;
    let load_energy = point.load_energy(ws);
    let n = point.size();
    let AuxiliaryStates { indices: filters, names, omegas } = AuxiliaryStates::new(system);
    let (states, inputs, outputs) =
        (2 * n + filters.len(), system.interface.inputs.len(), system.interface.outputs.len());
    let mut model = Linearization {
        time: state.time,
        coordinates: (0..n).map(|i| point.name(i)).collect(),
        states: Vec::new(),
        inputs: system.interface.inputs.iter().map(|input| input.name.clone()).collect(),
        outputs: system.interface.outputs.iter().map(|output| output.name.clone()).collect(),
        a: vec![vec![0.0; states]; states],
        b: vec![vec![0.0; inputs]; states],
        c: vec![vec![0.0; states]; outputs],
        d: vec![vec![0.0; inputs]; outputs],
        mass: point.mass.clone(),
        doubts: vec![vec![0.0; states]; states - n],
        units: point.coordinates.iter().map(|&coordinate| point.units[coordinate]).collect(),
        motions: Vec::new(),
        filters: omegas,
        element_states: system.element_states.len(),
        low_pass: system.filters.iter().map(|filter| (filter.rate(), filter.states().len())).collect(),
        turning: turning(&point, ws),
        load_energy,
    };
    model.states = model.coordinates.clone();
    model.states.extend(model.coordinates.iter().map(|name| format!("der({name})")));
    model.states.extend(names);
    model.motions = model.states.clone();
    for i in 0..n {
        let motion = motion(system, point.coordinates[i]);
        model.motions[n + i] = format!("der({motion})");
        model.motions[i] = motion;
    }
    let mut differences = Differences { point: &point, filters: &filters, sides: [vec![], vec![]] };
    for j in 0..states {
        let step = match j {
            _ if j < 2 * n => DIFFERENCE * model.units[j % n],
            _ => DIFFERENCE * f64::max(1.0, state.auxiliary[filters[j - 2 * n]].abs()),
        };
        let column = differences.column(ws, step, |ws, amount| {
            if j < n {
                let mut change = vec![0.0; n];
                change[j] = amount;
                point.displace(ws, &change);
            } else if j < 2 * n {
                ws.stage.v[point.coordinates[j - n]] += amount;
            } else {
                ws.stage.auxiliary[filters[j - 2 * n]] += amount;
                point.follow_guides(ws);
            }
        })?;
        set_column(&mut model.a[n..], j, &column[..states - n]);
        set_column(&mut model.c, j, &column[states - n..]);
        model.doubts.iter_mut().zip(&column).for_each(|(row, value)| row[j] = value.1);
    }
    let mut probe = point.state.clone();
    for j in 0..inputs {
        let step = input_step(&point.state, &[j], &[1.0]);
        let column = differences.column(ws, step, |ws, amount| {
            probe.clone_from(&point.state);
            probe.inputs[j] += amount;
            crate::dynamics::load_stage(system, &probe, ws, probe.time);
        })?;
        set_column(&mut model.b[n..], j, &column[..states - n]);
        set_column(&mut model.d, j, &column[states - n..]);
    }
    add_kinematics(&point, &mut model);
    Ok(model)
}

/// Rates of velocities and filters, and outputs, on both sides of a change.
struct Differences<'a> {
    point: &'a OperatingPoint<'a>,
    filters: &'a [usize],
    sides: [Vec<f64>; 2],
}

impl Differences<'_> {
    /// The derivatives, and what they may be wrong by. Where differences over one, two and four steps differ as those
    /// of a smooth function do, their error is extrapolated to none (Richardson); where rounding or a corner of a law
    /// is seen instead, the shortest step counts.
    fn column(
        &mut self,
        ws: &mut Workspace,
        step: f64,
        mut change: impl FnMut(&mut Workspace, f64),
    ) -> Result<Vec<(f64, f64)>, AnalysisError> {
        let fine = self.quotients(ws, step, &mut change)?;
        let middle = self.quotients(ws, 2.0 * step, &mut change);
        let coarse = self.quotients(ws, 4.0 * step, &mut change);
        let (Ok(middle), Ok(coarse)) = (middle, coarse) else {
            return Ok(fine.iter().map(|&value| (value, value)).collect());
        };
        let triples = fine.iter().zip(&middle).zip(&coarse);
        Ok(triples.map(|((&fine, &middle), &coarse)| extrapolate([fine, middle, coarse])).collect())
    }

    fn quotients(
        &mut self,
        ws: &mut Workspace,
        step: f64,
        change: &mut impl FnMut(&mut Workspace, f64),
    ) -> Result<Vec<f64>, AnalysisError> {
        let (system, state) = (self.point.system, &self.point.state);
        let mut outputs = vec![0.0; system.outputs.len()];
        for (side, amount) in self.sides.iter_mut().zip([step, -step]) {
            self.point.load(ws);
            change(ws, amount);
            observe::calc_stage_outputs(system, state, ws, state.time, &mut outputs)
                .map_err(|fault| AnalysisError::Fault(system.describe(&fault)))?;
            self.point.check(ws)?;
            side.clear();
            side.extend(self.point.coordinates.iter().map(|&coordinate| ws.accelerations.zdd[coordinate]));
            side.extend(self.filters.iter().map(|&index| ws.rates.auxiliary[index]));
            side.extend(outputs.iter().zip(&system.interface.outputs).map(|(value, output)| match output.kind {
                ScalarKind::Real => *value,
                _ => 0.0,
            }));
        }
        let [ahead, behind] = &self.sides;
        Ok(ahead.iter().zip(behind).map(|(ahead, behind)| (ahead - behind) / (2.0 * step)).collect())
    }
}

/// A derivative and what it may be wrong by, from central differences over one, two and four steps. The error of those
/// of a smooth function grows with the square of the step, by 4 each time.
fn extrapolate([fine, middle, coarse]: [f64; 3]) -> (f64, f64) {
    let (near, far) = (middle - fine, coarse - middle);
    if near * far > 0.0 && (3.0 * near.abs()..5.0 * near.abs()).contains(&far.abs()) {
        (fine - near / 3.0, (far / 4.0 - near) / 3.0)
    } else {
        (fine, near)
    }
}

fn set_column(rows: &mut [Vec<f64>], j: usize, column: &[(f64, f64)]) {
    rows.iter_mut().zip(column).for_each(|(row, value)| row[j] = value.0);
}

/// Rates of the positions are the velocities; a free rotation is seen from the turning point: δ̇ = δω − ω × δ.
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

/// Auxiliary states that belong to the motion: of filtered guides, force elements, low-pass filters.
pub(crate) fn other_states(system: &System) -> Vec<usize> {
    AuxiliaryStates::new(system).indices
}

/// Auxiliary states other than energies: y, ẏ, ÿ of every filtered guide, then the states of force elements and the
/// low-pass filters of outputs.
struct AuxiliaryStates {
    indices: Vec<usize>,
    names: Vec<String>,
    /// ω of the guides, rad/s.
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

/// What coordinate `v` is called as a motion: of vehicles on tyres, those of bodies that turn freely as in ISO 8855.
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

/// Outputs of `state` with inputs `known` changed by `amount` · `seed`; `probe`: scratch. Does not allocate.
pub(crate) fn outputs_beside(
    (system, state): (&System, &State),
    (probe, ws): (&mut State, &mut Workspace),
    (known, seed): (&[usize], &[f64]),
    amount: f64,
    out: &mut [f64],
) -> Result<(), Fault> {
    probe.clone_from(state);
    for (&index, &seed) in known.iter().zip(seed) {
        probe.inputs[index] += amount * seed;
    }
    observe::calc_outputs(system, probe, ws, out).map(drop)
}

/// Factor of `seed` in central differences over the inputs `known`: outputs are affine in forces and torques, for which
/// the differences are exact to rounding; for guided coordinates it is the cube root of the rounding error, relative to
/// the inputs. `seed` has an entry that is not zero.
pub(crate) fn input_step(state: &State, known: &[usize], seed: &[f64]) -> f64 {
    let present = |&index: &usize| {
        (state.inputs[index] + state.input_slopes[index] * (state.time - state.input_times[index])).abs()
    };
    let largest = seed.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    INPUT_DIFFERENCE * known.iter().map(present).fold(1.0, f64::max) / largest
}
