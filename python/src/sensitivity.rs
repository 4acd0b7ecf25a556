//! Sensitivities of runs: exact with the steps if these have derivatives, otherwise by differences of whole runs.

use crate::convert::{self, Signals, did_you_mean};
use crate::errors;
use crate::model::{Inputs, Model, Prepared};
use ballesta::analysis::step_derivatives;
use ballesta::simulate::Simulator as Solver;
use ballesta::simulate::sensitivity::Direction;
use ballesta_files::Failure;
use ballesta_run::model::Assignment;
use ballesta_run::simulation::{self, Clock, StopReason};
use ballesta_run::{Excitation, Grid, inputs, operating};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Relative change for finite differences.
const DIFFERENCE: f64 = 1e-4;

/// Meaning of a name.
#[derive(Clone)]
enum Wanted {
    /// Differentiated with the steps.
    Step(Direction),
    /// A fixed parameter: the model is recompiled for every value.
    Fixed(String, f64),
}

/// A run to differentiate.
struct Run<'a> {
    model: &'a Model,
    prepared: Prepared,
    set: Vec<Assignment>,
    table: Option<inputs::Inputs>,
    trim: bool,
    grid: Grid,
}

/// Derivatives of one name: all outputs at every point, estimates of their errors (none if exact), and the method.
type Derivative = (Vec<f64>, Option<Vec<f64>>);

/// With the steps: directions × points of all outputs, and the largest error of the start.
type Exact = (Vec<Vec<f64>>, f64);

impl Run<'_> {
    fn excitation(&self, prepared: &Prepared) -> Excitation {
        Excitation { constants: prepared.constants.clone(), table: self.table.clone(), trim: self.trim }
    }

    fn find(&self, names: &[String]) -> Result<Vec<Wanted>, Failure> {
        let system = &self.prepared.compiled.system;
        let interface = system.interface();
        let mut solver = Solver::new(system.clone());
        let mut independent = None;
        names
            .iter()
            .map(|name| {
                if let Some(k) = interface.parameters.iter().position(|parameter| parameter.name == *name) {
                    return Ok(match interface.parameters[k].tunable {
                        true => Wanted::Step(Direction::Parameter(k)),
                        false => Wanted::Fixed(name.clone(), self.prepared.compiled.values[k]),
                    });
                }
                if let Some(k) = interface.inputs.iter().position(|input| input.name == *name) {
                    return Ok(Wanted::Step(Direction::Input(k)));
                }
                if independent.is_none() {
                    let begun = simulation::begin(&mut solver, &self.grid, &self.excitation(&self.prepared));
                    begun.map_err(|stop| failure(&solver, stop))?;
                    independent = Some(solver.independent_coordinates().map_err(operating::failure)?);
                }
                let coordinates = independent.iter().flatten();
                let start = |direction: &dyn Fn(usize) -> Direction, text: &dyn Fn(&str) -> String| {
                    let mut found = coordinates.clone().filter(|(coordinate, _)| text(coordinate) == *name);
                    found.next().map(|&(_, v)| Wanted::Step(direction(v)))
                };
                let position = start(&Direction::Position, &|name| format!("initial({name})"));
                let speed = || start(&Direction::Speed, &|name| format!("initial(der({name}))"));
                position.or_else(speed).ok_or_else(|| {
                    let known = interface.parameters.iter().map(|parameter| parameter.name.clone());
                    let known = known.chain(interface.inputs.iter().map(|input| input.name.clone()));
                    let starts = coordinates.clone();
                    let starts =
                        starts.flat_map(|(name, _)| [format!("initial({name})"), format!("initial(der({name}))")]);
                    let known: Vec<String> = known.chain(starts).collect();
                    let hint = did_you_mean(name, known.iter().map(String::as_str));
                    let what = "no such parameter, input or independent coordinate at the start";
                    Failure::Usage(format!("sensitivity: {name}: {what}; {hint}"))
                })
            })
            .collect()
    }

    /// Derivatives with the steps, or the reason why there are none.
    fn exact(&self, directions: &[Direction], signals: &mut Signals) -> Result<Result<Exact, String>, Failure> {
        let mut solver = Solver::new(self.prepared.compiled.system.clone());
        let count = solver.system().interface().outputs.len();
        let mut found = vec![Vec::new(); directions.len()];
        let excitation = self.excitation(&self.prepared);
        let along = simulation::simulate_along(&mut solver, &self.grid, &excitation, directions, |derivatives| {
            for (list, row) in found.iter_mut().zip(derivatives.chunks(count.max(1))) {
                list.extend_from_slice(row);
            }
            go_on(signals)
        });
        let along = along.map_err(|stop| failure(&solver, stop))?;
        match along.obstacle() {
            Some(obstacle) => Ok(Err(step_derivatives::words(solver.system(), &obstacle))),
            None => Ok(Ok((found, along.start_error()))),
        }
    }

    /// All outputs at every point of the run with `wanted` changed by `amount`.
    fn changed(&self, wanted: &Wanted, amount: f64, signals: &mut Signals) -> Result<Vec<f64>, Failure> {
        let mut set = self.set.clone();
        if let Wanted::Fixed(name, value) = wanted {
            set.push(Assignment { name: name.clone(), value: value + amount });
        }
        let prepared = self.model.prepare(&set, self.trim)?;
        let mut solver = Solver::new(prepared.compiled.system.clone());
        let (mut excitation, mut moved) = (self.excitation(&prepared), Vec::new());
        match *wanted {
            Wanted::Step(Direction::Parameter(k)) => solver.set_parameter(k, solver.parameter(k) + amount),
            Wanted::Step(Direction::Input(k)) => {
                excitation.table.iter_mut().for_each(|table| table.shift(k, amount));
                let given = excitation.constants.iter().position(|(index, _)| *index == k);
                match given {
                    Some(place) => excitation.constants[place].1 += amount,
                    None => excitation.constants.push((k, solver.input(k) + amount)),
                }
            }
            Wanted::Step(direction) => moved.push((direction, amount)),
            Wanted::Fixed(..) => {}
        }
        let (mut found, mut clock) = (Vec::new(), Clock::default());
        let done =
            simulation::simulate_from(&mut solver, &self.grid, &excitation, &moved, &mut clock, |_, outputs, _| {
                found.extend_from_slice(outputs);
                go_on(signals)
            });
        done.map_err(|stop| failure(&solver, stop))?;
        Ok(found)
    }

    /// Extrapolated central differences of the run, with error estimates.
    fn differences(&self, wanted: &Wanted, signals: &mut Signals) -> Result<Derivative, Failure> {
        let (system, state) = (&self.prepared.compiled.system, self.prepared.compiled.system.initial());
        let value = match *wanted {
            Wanted::Step(Direction::Parameter(k)) => state.parameters[k],
            Wanted::Step(Direction::Input(k)) => {
                let given = self.prepared.constants.iter().find(|(index, _)| *index == k);
                given.map_or(system.interface().inputs[k].start, |(_, value)| *value)
            }
            Wanted::Step(_) => 1.0,
            Wanted::Fixed(_, value) => value,
        };
        let amount = DIFFERENCE * if value == 0.0 { 1.0 } else { value.abs() };
        let mut slopes = |amount: f64| -> Result<Vec<f64>, Failure> {
            let (behind, ahead) = (self.changed(wanted, -amount, signals)?, self.changed(wanted, amount, signals)?);
            Ok(ahead.iter().zip(&behind).map(|(ahead, behind)| (ahead - behind) / (2.0 * amount)).collect())
        };
        let (near, far) = (slopes(amount)?, slopes(2.0 * amount)?);
        let values = near.iter().zip(&far).map(|(near, far)| near + (near - far) / 3.0).collect();
        let doubts = near.iter().zip(&far).map(|(near, far)| (near - far).abs() / 3.0).collect();
        Ok((values, Some(doubts)))
    }
}

fn failure(solver: &Solver, stop: StopReason) -> Failure {
    match stop {
        StopReason::Failure(failure) => failure,
        StopReason::Fault(fault) => Failure::Fault(solver.describe(&fault)),
    }
}

fn go_on(signals: &mut Signals) -> Result<(), Failure> {
    match signals.stop() {
        true => Err(Failure::Interrupted { signal: 2, message: String::new() }),
        false => Ok(()),
    }
}

/// Derivatives of all outputs at the points of a run by `names`: a dictionary with `data` and `uncertainty` (names ×
/// points × outputs), `methods` and `reasons` per name.
#[pyfunction]
#[pyo3(signature = (model, stop, step, inputs, set, trim, names))]
#[allow(clippy::too_many_arguments)]
pub fn sensitivity<'py>(
    py: Python<'py>,
    model: Bound<'py, Model>,
    stop: Option<f64>,
    step: Option<f64>,
    inputs: Option<PyRef<'py, Inputs>>,
    set: Vec<(String, f64)>,
    trim: bool,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let (set, table, model) = (convert::assignments(set), inputs.map(|inputs| inputs.0.clone()), model.get());
    let mut signals = Signals::new();
    let found = py.detach(|| -> Result<_, Failure> {
        let prepared = model.prepare(&set, trim)?;
        let grid = Grid::new(&model.document.model.experiment, prepared.compiled.system.step(), stop, step)?;
        grid.fits(prepared.compiled.system.interface().outputs.len() * 2 * names.len().max(1))?;
        let run = Run { model, prepared, set, table, trim, grid };
        let wanted = run.find(&names)?;
        let directions: Vec<Direction> = wanted
            .iter()
            .filter_map(|wanted| match wanted {
                Wanted::Step(direction) => Some(*direction),
                Wanted::Fixed(..) => None,
            })
            .collect();
        let exact = match directions.is_empty() {
            true => Ok((Vec::new(), 0.0)),
            false => run.exact(&directions, &mut signals)?,
        };
        let (mut exact, reason) = match exact {
            Ok((exact, error)) => (Some((exact.into_iter(), error)), None),
            Err(reason) => (None, Some(reason)),
        };
        let mut all = Vec::new();
        for wanted in &wanted {
            let own = match (wanted, &mut exact) {
                (Wanted::Step(_), Some((exact, _))) => exact.next(),
                _ => None,
            };
            let why = match wanted {
                Wanted::Fixed(..) => "a fixed parameter: the model is recompiled".to_string(),
                Wanted::Step(_) => reason.clone().unwrap_or_default(),
            };
            all.push(match own {
                Some(values) => ((values, None), String::new()),
                None => (run.differences(wanted, &mut signals)?, why),
            });
        }
        let error = exact.map_or(0.0, |(_, error)| error);
        Ok((all, error, run.grid, run.prepared.compiled.system.interface().outputs.len()))
    });
    if let Some(raised) = signals.raised.take() {
        return Err(raised);
    }
    let (all, start_error, grid, outputs) = found.map_err(|failure| errors::failure(py, failure))?;
    let shape = [all.len(), grid.intervals() + 1, outputs];
    let (mut data, mut doubts, mut methods, mut reasons) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ((values, doubt), reason) in all {
        methods.push(if doubt.is_some() { "differences" } else { "exact" });
        reasons.push(reason);
        doubts.extend(doubt.unwrap_or_else(|| values.iter().map(|value| start_error * value.abs()).collect()));
        data.extend(values);
    }
    let result = PyDict::new(py);
    result.set_item("data", PyArray1::from_vec(py, data).reshape(shape)?)?;
    result.set_item("uncertainty", PyArray1::from_vec(py, doubts).reshape(shape)?)?;
    result.set_item("methods", methods)?;
    result.set_item("reasons", reasons)?;
    Ok(result)
}
