//! Derivatives of one step: x' = A x + B u + P p for small changes x of the state at its start, u of the inputs,
//! constant over the step, and p of tunable parameters. x' is the change at its end; y = C x + D u at its start.
//!
//! x is ordered as in [`super::linearize`]: increments of the n independent positions (of free rotations small
//! rotations about the axes in which their velocities are given), their speeds, and the states of filters of prescribed
//! motions, force elements and low-pass filters. Rows belong to the coordinates that are independent at the start, even
//! if others are chosen during the step. Data that an implicit scheme stores from the last step are states as well and
//! follow: accelerations, and for the generalized-alpha method their offsets, the rates of force elements' states and
//! the last changes of modes.
//!
//! Method. The schemes `rk4` and `heun` are differentiated themselves ([`ballesta_solver::integrate::along`]). Where
//! that is not possible (another scheme, a block near a singular position, a brake that locks), central differences D
//! of the real step over ε and 2 ε are extrapolated to D(ε) + (D(ε) − D(2 ε))/3. The error estimate is |D(ε) − D(2
//! ε)|/3 plus the rounding of the states over ε. The partition of a halved step is kept. C and D are the matrices of
//! the linearization.
//!
//! Cost: some 16 evaluations per four columns and step of `rk4`; four steps per column by differences. Offline:
//! allocates.
//!
//! Verified by: tests/motion/verification/step_derivatives.rs.

use super::linearize::{linearize, other_states};
use super::operating_point::{AnalysisError, OperatingPoint};
use ballesta_solver::dynamics::tangent::{Changes, Known, LANES};
use ballesta_solver::dynamics::{close_stage, load_stage, start_values};
use ballesta_solver::integrate::along::{Along, Obstacle};
use ballesta_solver::integrate::{self, Part, watched_step};
use ballesta_solver::math::larger;
use ballesta_solver::system::{Fault, State, System, Workspace};

/// Step of the differences, in sizes of the changed quantities: with the extrapolation the fifth root of rounding is
/// best for smooth laws; a smaller step avoids corners.
const DIFFERENCE: f64 = 3e-5;

/// Rounding of a state at the end of a step, relative to its contributions.
const ROUNDING: f64 = 1e-15;

/// How derivatives of a step are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMethod {
    /// Exactly if possible, otherwise by differences.
    Best,
    /// By differences of the step.
    Differences,
}

/// Matrices of a step, row-major, with the names of their rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDerivatives {
    /// Start time and length, s.
    pub time: f64,
    pub length: f64,
    /// Names of the states, inputs, tunable parameters and outputs.
    pub states: Vec<String>,
    pub inputs: Vec<String>,
    pub parameters: Vec<String>,
    pub outputs: Vec<String>,
    /// A (states × states), B (states × inputs), P (states × parameters).
    pub a: Vec<Vec<f64>>,
    pub b: Vec<Vec<f64>>,
    pub p: Vec<Vec<f64>>,
    /// C (outputs × states), D (outputs × inputs), at the start.
    pub c: Vec<Vec<f64>>,
    pub d: Vec<Vec<f64>>,
    /// The reason why A, B and P are computed by differences; `None` if they are exact.
    pub differenced: Option<String>,
    /// Estimates of the errors of A, B, P by differences; 0 where they are exact.
    pub errors: [Vec<Vec<f64>>; 3],
}

/// The quantity that a column is the derivative with respect to.
#[derive(Clone, Copy)]
enum Column {
    Position(usize),
    Speed(usize),
    Auxiliary(usize),
    Acceleration(usize),
    Offset(usize),
    /// In `State::last_step`.
    Kept(usize),
    Input(usize),
    Parameter(usize),
}

/// The point and its variations.
struct VariedPoint<'a> {
    point: OperatingPoint<'a>,
    /// Auxiliary states.
    others: Vec<usize>,
    /// Stored accelerations, offsets and other data of the last step.
    accelerations: bool,
    offsets: bool,
    kept: std::ops::Range<usize>,
    columns: Vec<Column>,
}

/// Result of the steps and of their derivatives.
struct StepResult {
    /// All columns by the derivative of the scheme; meaningless if there is an obstacle.
    columns: Vec<Vec<f64>>,
    /// The reason why there are none.
    obstacle: Option<Obstacle>,
    /// Lengths of the parts in which the steps were made, s; `None` if the state determines where a part ends.
    parts: Option<Vec<f64>>,
}

/// Derivatives of internal steps of the lengths `steps` (s) from `state` with its inputs.
pub fn step_derivatives(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    steps: &[f64],
    way: StepMethod,
) -> Result<StepDerivatives, AnalysisError> {
    let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
    let near_singular = ws.events.near_singular;
    // The outputs follow from the linearization; auxiliary states are added to its states.
    let model = linearize(system, state, ws)?;
    let question = VariedPoint::new(system, state, ws)?;
    let tunable: Vec<usize> = tunable(system);
    let names = |list: &[usize]| list.iter().map(|&k| system.interface.parameters[k].name.clone()).collect();
    let (size, inputs) = (question.size(), model.inputs.len());
    let mut states = model.states;
    states.extend(question.names(&model.coordinates));
    let widths = [size, inputs, tunable.len()];
    let zeros = || widths.map(|width| vec![vec![0.0; width]; size]);
    // One matrix each for states, inputs and parameters.
    let (mut found, mut errors) = (zeros(), zeros());
    let place = |j: usize| match j {
        _ if j < size => (0, j),
        _ if j < size + inputs => (1, j - size),
        _ => (2, j - size - inputs),
    };
    // All columns by the derivative of the scheme, unless an obstacle prevents it.
    let StepResult { columns, obstacle, parts } = question.follow(ws, steps).map_err(fault)?;
    let differenced = match (way, obstacle) {
        (StepMethod::Best, None) => None,
        (StepMethod::Best, Some(obstacle)) => Some(words(system, &obstacle)),
        (StepMethod::Differences, _) => Some("asked for".to_string()),
    };
    // Otherwise column by column, by differences.
    for j in 0..question.columns.len() {
        let (matrix, column) = place(j);
        if differenced.is_none() {
            (0..size).for_each(|i| found[matrix][i][column] = columns[j][i]);
            continue;
        }
        let (values, doubts) = question.difference(ws, steps, parts.as_deref(), j).map_err(fault)?;
        for i in 0..size {
            (found[matrix][i][column], errors[matrix][i][column]) = (values[i], doubts[i]);
        }
    }
    ws.events.near_singular = near_singular;
    // The error of a difference includes the rounding of the states.
    if differenced.is_some() {
        let rounding = question.rounding(&found[0]);
        for (j, &column) in question.columns.iter().enumerate() {
            let ((matrix, place), amount) = (place(j), question.amount(column, steps));
            errors[matrix].iter_mut().zip(&rounding).for_each(|(row, rounding)| row[place] += rounding / amount);
        }
    }
    let [a, b, p] = found;
    let mut c = model.c;
    c.iter_mut().for_each(|row| row.resize(size, 0.0));
    Ok(StepDerivatives {
        time: state.time,
        length: steps.iter().sum(),
        states,
        inputs: model.inputs,
        parameters: names(&tunable),
        outputs: model.outputs,
        a,
        b,
        p,
        c,
        d: model.d,
        differenced,
        errors,
    })
}

/// `state` with the position or the speed of independent velocity coordinate `v` changed by `amount`, loops closed.
/// Stored data of implicit schemes are reset.
pub fn displaced(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (v, speed): (usize, bool),
    amount: f64,
) -> Result<State, AnalysisError> {
    let question = VariedPoint::new(system, state, ws)?;
    let fault = |fault: Fault| AnalysisError::Fault(system.describe(&fault));
    let Some(i) = question.point.coordinates.iter().position(|&coordinate| coordinate == v) else {
        let name = system.coordinate_name(v);
        return Err(AnalysisError::Fault(format!("{name} is a dependent coordinate of its loop")));
    };
    let column = if speed { Column::Speed(i) } else { Column::Position(i) };
    let mut state = question.change(ws, column, amount).map_err(fault)?;
    start_values::begin(system, &mut state, ws).map_err(fault)?;
    Ok(state)
}

/// Parameters that may be set during a run.
fn tunable(system: &System) -> Vec<usize> {
    (0..system.interface.parameters.len()).filter(|&k| system.interface.parameters[k].tunable).collect()
}

/// The reason why there is no exact derivative, in words.
pub fn words(system: &System, obstacle: &Obstacle) -> String {
    match *obstacle {
        Obstacle::Scheme => format!(
            "integrator {} has no exact derivatives; finite differences are used",
            system.integrator.scheme().name
        ),
        Obstacle::Singular { block, time } => system.describe(&Fault::Singular { block, time }),
        Obstacle::Locking { time } => format!("a brake locks in the step from t = {time} s"),
        Obstacle::Fault(fault) => system.describe(&fault),
    }
}

impl<'a> VariedPoint<'a> {
    fn new(system: &'a System, state: &State, ws: &mut Workspace) -> Result<VariedPoint<'a>, AnalysisError> {
        // Independent coordinates at the point.
        let point = OperatingPoint::new(system, state, ws, false)?;
        // Generalized alpha keeps accelerations, offsets and rates from step to step; they are states of the map.
        let alpha = system.integrator.is_linearly_implicit();
        let kept = match alpha {
            true => system.memory().element_rates.start..state.last_step.len(),
            false => 0..0,
        };
        let mut question = VariedPoint {
            others: other_states(system),
            accelerations: !state.accelerations.is_empty(),
            offsets: alpha,
            kept,
            point,
            columns: Vec::new(),
        };
        // Order of the columns: states of the step map, then inputs and tunable parameters.
        let n = question.point.size();
        let mut columns: Vec<Column> = (0..n).map(Column::Position).collect();
        columns.extend((0..n).map(Column::Speed));
        columns.extend(question.others.iter().copied().map(Column::Auxiliary));
        if question.accelerations {
            columns.extend((0..n).map(Column::Acceleration));
        }
        if question.offsets {
            columns.extend((0..n).map(Column::Offset));
        }
        columns.extend(question.kept.clone().map(Column::Kept));
        columns.extend((0..state.inputs.len()).map(Column::Input));
        columns.extend(tunable(system).into_iter().map(Column::Parameter));
        question.columns = columns;
        Ok(question)
    }

    /// Number of states.
    fn size(&self) -> usize {
        let n = self.point.size();
        let kept = usize::from(self.accelerations) + usize::from(self.offsets);
        (2 + kept) * n + self.others.len() + self.kept.len()
    }

    /// Names of the data stored from the last step; `coordinates`: names of the independent coordinates.
    fn names(&self, coordinates: &[String]) -> Vec<String> {
        let system = self.point.system;
        let mut names = Vec::new();
        if self.accelerations {
            names.extend(coordinates.iter().map(|name| format!("der({name},2)")));
        }
        if self.offsets {
            names.extend(coordinates.iter().map(|name| format!("algorithmic der({name},2)")));
        }
        if !self.kept.is_empty() {
            for element in &system.elements {
                let name = element.name();
                names.extend((1..=element.states().len()).map(|k| format!("der(state({name},{k}))")));
            }
            let elastic = system.flexible.iter().flat_map(|body| body.v.clone());
            names.extend(elastic.map(|v| format!("change of {}", system.coordinate_name(v))));
        }
        names
    }

    /// The steps themselves, with their derivatives.
    fn follow(&self, ws: &mut Workspace, steps: &[f64]) -> Result<StepResult, Fault> {
        let system = self.point.system;
        let mut along = Along::new(system);
        let mut chunks: Vec<(Changes, Known)> = self.columns.chunks(LANES).map(|columns| self.seeds(columns)).collect();
        let (mut obstacle, mut parts) = (None, Some(Vec::new()));
        let mut state = self.point.state.clone();
        for &h in steps {
            watched_step(system, &mut state, ws, h, &mut |begin, part| {
                let Part::Whole(h) = part else {
                    (obstacle, parts) = (obstacle.or(Some(Obstacle::Locking { time: begin.time })), None);
                    return;
                };
                parts.iter_mut().for_each(|parts| parts.push(h));
                for (changes, known) in &mut chunks {
                    if obstacle.is_none() {
                        obstacle = along.follow(system, begin, h, (changes, known)).err();
                    }
                }
            })?;
        }
        let column = |j: usize| {
            let ((changes, _), lane) = (&chunks[j / LANES], j % LANES);
            let coordinates = &self.point.coordinates;
            let positions = coordinates.iter().map(|&v| changes.positions[v][lane]);
            let speeds = coordinates.iter().map(|&v| changes.speeds[v][lane]);
            positions.chain(speeds).chain(self.others.iter().map(|&k| changes.auxiliary[k][lane])).collect()
        };
        Ok(StepResult { columns: (0..self.columns.len()).map(column).collect(), obstacle, parts })
    }

    /// Unit changes of up to [`LANES`] columns.
    fn seeds(&self, columns: &[Column]) -> (Changes, Known) {
        let (mut changes, mut known) = (Changes::new(self.point.system), Known::new(self.point.system));
        for (lane, column) in columns.iter().enumerate() {
            match *column {
                Column::Position(i) => changes.positions[self.point.coordinates[i]][lane] = 1.0,
                Column::Speed(i) => changes.speeds[self.point.coordinates[i]][lane] = 1.0,
                Column::Auxiliary(k) => changes.auxiliary[k][lane] = 1.0,
                Column::Input(k) => known.inputs[k][lane] = 1.0,
                Column::Parameter(k) => known.parameters[k][lane] = 1.0,
                Column::Acceleration(_) | Column::Offset(_) | Column::Kept(_) => {}
            }
        }
        (changes, known)
    }

    /// Column `j` by extrapolated central differences, with the estimate of its error.
    fn difference(
        &self,
        ws: &mut Workspace,
        steps: &[f64],
        parts: Option<&[f64]>,
        j: usize,
    ) -> Result<(Vec<f64>, Vec<f64>), Fault> {
        let (system, column) = (self.point.system, self.columns[j]);
        let amount = self.amount(column, steps);
        let mut beside = |amount: f64| -> Result<State, Fault> {
            let mut state = self.change(ws, column, amount)?;
            match parts {
                Some(parts) => parts.iter().try_for_each(|&h| integrate::whole_step(system, &mut state, ws, h))?,
                None => steps.iter().try_for_each(|&h| integrate::step(system, &mut state, ws, h))?,
            }
            Ok(state)
        };
        let mut slopes = |amount: f64| -> Result<Vec<f64>, Fault> {
            let (behind, ahead) = (beside(-amount)?, beside(amount)?);
            Ok(self.apart(&behind, &ahead).iter().map(|apart| apart / (2.0 * amount)).collect())
        };
        let (near, far) = (slopes(amount)?, slopes(2.0 * amount)?);
        let corrections: Vec<f64> = near.iter().zip(&far).map(|(near, far)| (near - far) / 3.0).collect();
        let values = near.iter().zip(&corrections).map(|(near, correction)| near + correction).collect();
        Ok((values, corrections.iter().map(|correction| correction.abs()).collect()))
    }

    /// Round-off of the states at the end of steps with the matrix `a`: their own, and the round-off at the start
    /// propagated by the steps.
    fn rounding(&self, a: &[Vec<f64>]) -> Vec<f64> {
        let magnitudes = self.magnitudes();
        let row = |(row, own): (&Vec<f64>, &f64)| {
            let carried: f64 = row.iter().zip(&magnitudes).map(|(entry, magnitude)| entry.abs() * magnitude).sum();
            ROUNDING * (own + carried)
        };
        a.iter().zip(&magnitudes).map(row).collect()
    }

    /// Contributions to the states, in their units: the round-off is a fraction of these.
    fn magnitudes(&self) -> Vec<f64> {
        let (state, n) = (&self.point.state, self.point.size());
        let most = |list: &[f64]| list.iter().map(|value| value.abs()).fold(0.0, larger);
        let turned = most(&state.q);
        let mut found: Vec<f64> = self.point.coordinates.iter().map(|&c| larger(self.point.units[c], turned)).collect();
        found.extend(std::iter::repeat_n(most(&state.v), n));
        found.extend(self.others.iter().map(|&k| larger(state.auxiliary[k].abs(), 1.0)));
        let accelerations = most(&state.accelerations);
        found.extend(std::iter::repeat_n(accelerations, self.size() - found.len() - self.kept.len()));
        found.extend(self.kept.clone().map(|k| larger(state.last_step[k].abs(), most(&state.v))));
        found
    }

    /// Step of the differences.
    fn amount(&self, column: Column, steps: &[f64]) -> f64 {
        DIFFERENCE * self.unit(column, steps.iter().sum())
    }

    /// Size of the changed quantity.
    fn unit(&self, column: Column, h: f64) -> f64 {
        let (state, system) = (&self.point.state, self.point.system);
        let length = |i: usize| self.point.units[self.point.coordinates[i]];
        let own = |value: f64| if value == 0.0 { 1.0 } else { value.abs() };
        match column {
            Column::Position(i) => length(i),
            // Friction and tyres change within mm/s.
            Column::Speed(i) => length(i) / h * h.min(1.0),
            Column::Auxiliary(k) => state.auxiliary[k].abs().max(1.0),
            Column::Acceleration(i) | Column::Offset(i) => length(i) / (h * h),
            Column::Kept(k) => {
                let mut elastic = system.flexible.iter().flat_map(|body| body.v.clone());
                let mode = k.checked_sub(system.memory().mode_changes.start).and_then(|k| elastic.nth(k));
                mode.map_or(1.0 / h, |v| self.point.units[v])
            }
            Column::Input(k) => state.inputs[k].abs().max(1.0),
            Column::Parameter(k) => own(state.parameters[k]),
        }
    }

    /// The state with `column` changed by `amount`, loops closed.
    fn change(&self, ws: &mut Workspace, column: Column, amount: f64) -> Result<State, Fault> {
        let (system, n) = (self.point.system, self.point.size());
        // A change of independent coordinates moves the dependent ones by the columns of R.
        let mut state = self.point.state.clone();
        let add_column = |list: &mut [f64], c: usize| {
            for (k, value) in list.iter_mut().enumerate() {
                *value += amount * self.point.motion[k * n + c];
            }
        };
        // Displaced positions are already loaded into the workspace.
        match column {
            Column::Position(i) => {
                self.point.load(ws);
                let mut change = vec![0.0; n];
                change[i] = amount;
                self.point.displace(ws, &change);
            }
            Column::Speed(i) => add_column(&mut state.v, i),
            Column::Auxiliary(k) => state.auxiliary[k] += amount,
            Column::Acceleration(i) => add_column(&mut state.accelerations, i),
            Column::Offset(i) => add_column(&mut state.offsets, i),
            Column::Kept(k) => state.last_step[k] += amount,
            Column::Input(k) => state.inputs[k] += amount,
            Column::Parameter(k) => state.parameters[k] += amount,
        }
        if !matches!(column, Column::Position(_)) {
            load_stage(system, &state, ws, state.time);
        }
        // Closing the loops makes the changed state consistent.
        close_stage(system, &state, ws, state.time)?;
        state.q.copy_from_slice(&ws.stage.q);
        state.v.copy_from_slice(&ws.stage.v);
        Ok(state)
    }

    /// Difference of the states of `to` and `from`.
    fn apart(&self, from: &State, to: &State) -> Vec<f64> {
        let (system, coordinates) = (self.point.system, &self.point.coordinates);
        let mut out: Vec<f64> = coordinates.iter().map(|&c| system.increment_between(&from.q, &to.q, c)).collect();
        out.extend(coordinates.iter().map(|&c| to.v[c] - from.v[c]));
        out.extend(self.others.iter().map(|&k| to.auxiliary[k] - from.auxiliary[k]));
        if self.accelerations {
            out.extend(coordinates.iter().map(|&c| to.accelerations[c] - from.accelerations[c]));
        }
        if self.offsets {
            out.extend(coordinates.iter().map(|&c| to.offsets[c] - from.offsets[c]));
        }
        out.extend(self.kept.clone().map(|k| to.last_step[k] - from.last_step[k]));
        out
    }
}
