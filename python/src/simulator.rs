//! One instance of a model, stepped from Python.

use crate::convert::{self, Signals, did_you_mean};
use crate::model::{Compiled, Model, Prepared, matrix, vectors, warnings_at_start};
use crate::state::State;
use crate::{errors, reduction};
use ballesta::analysis::modal;
use ballesta::analysis::operating_point::{Named, named_positions, named_speeds};
use ballesta::analysis::step_derivatives::StepMethod;
use ballesta::simulate::Simulator as Solver;
use ballesta::system::Fault;
use ballesta_run::modes::ModeReport;
use ballesta_run::operating::{self, EquilibriumReport};
use ballesta_run::{Outcome, judgement};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;

/// Internal steps between two signal checks, and the number from which the lock is released.
const STEPS_BETWEEN_SIGNAL_CHECKS: usize = 256;

/// Meaning of a name.
#[derive(Clone, Copy)]
enum Place {
    Output(usize),
    /// First output, and number of elements.
    Vector(usize, usize),
    Input(usize),
    Parameter(usize),
}

/// A running instance of a model, made by `Model.simulator`.
///
/// Variables can be read and set between steps, and the state can be saved and restored. Inputs keep their values until
/// they are set again. `Model.run` and exported FMUs use the same solver: the same steps give the same bits.
#[pyclass(module = "ballesta", name = "Simulator")]
pub struct Simulator {
    model: Py<Model>,
    compiled: Arc<Compiled>,
    solver: Solver,
    places: Arc<HashMap<String, Place>>,
    /// Default length of a step, s.
    step: f64,
    /// Outputs at the current time; valid only if `known`.
    outputs: Vec<f64>,
    known: bool,
    /// Whether the diagnostics include the current time.
    judged: bool,
    /// Whether the warning was issued.
    warned: bool,
    begin: State,
}

impl Simulator {
    /// A simulator at the start of the experiment, or at the time `start` in s.
    pub fn start(
        py: Python<'_>,
        model: Py<Model>,
        prepared: Prepared,
        start: Option<f64>,
        trim: bool,
    ) -> PyResult<Simulator> {
        let Prepared { compiled, constants } = prepared;
        let experiment = &model.get().document.model.experiment;
        let (start, step) = (start.unwrap_or(experiment.start), model.get().communication());
        let mut solver = Solver::new(compiled.system.clone());
        constants.iter().for_each(|&(index, value)| solver.set_input(index, value));
        let begun = py.detach(|| solver.initialize(start));
        begun.map_err(|fault| errors::fault(py, &solver.describe(&fault), Some(start)))?;
        if trim {
            let found = py.detach(|| solver.trim());
            found.map_err(|error| errors::failure(py, operating::failure(error)))?;
        }
        let interface = compiled.system.interface();
        let mut places = HashMap::new();
        let parameters = interface.parameters.iter().map(|parameter| &parameter.name);
        places.extend(parameters.enumerate().map(|(index, name)| (name.clone(), Place::Parameter(index))));
        let inputs = interface.inputs.iter().map(|input| &input.name);
        places.extend(inputs.enumerate().map(|(index, name)| (name.clone(), Place::Input(index))));
        places.extend(vectors(interface).into_iter().map(|(name, first, length)| (name, Place::Vector(first, length))));
        let outputs = interface.outputs.iter().map(|output| &output.name);
        places.extend(outputs.enumerate().map(|(index, name)| (name.clone(), Place::Output(index))));
        let begin = State::of(&compiled, &solver);
        Ok(Simulator {
            outputs: vec![0.0; interface.outputs.len()],
            places: Arc::new(places),
            known: false,
            judged: false,
            warned: false,
            model,
            compiled,
            solver,
            step,
            begin,
        })
    }

    fn fault(&self, py: Python<'_>, fault: &Fault) -> PyErr {
        errors::fault(py, &self.solver.describe(fault), Some(self.solver.time()))
    }

    /// The outputs at the current time, recomputed after changes. Diagnostics use every point once.
    fn calc_outputs(&mut self, py: Python<'_>) -> PyResult<&[f64]> {
        if !self.known {
            let judged = self.judged;
            let done = match judged {
                false => self.solver.outputs(&mut self.outputs),
                true => self.solver.intermediate_outputs(&mut self.outputs),
            };
            done.map_err(|fault| self.fault(py, &fault))?;
            (self.known, self.judged) = (true, true);
            if !judged {
                self.warn(py)?;
            }
        }
        Ok(&self.outputs)
    }

    /// The solver was moved to another state with its diagnostics; warnings from the abandoned trajectory are dropped.
    fn jump(&mut self) {
        (self.known, self.judged) = (false, false);
        self.warned &= self.solver.judgement().is_questionable(&self.compiled.system, false);
    }

    /// Warns once about a questionable run, at the line that reads it.
    fn warn(&mut self, py: Python<'_>) -> PyResult<()> {
        let (system, judgement) = (&self.compiled.system, self.solver.judgement());
        if self.warned || !judgement.is_questionable(system, false) {
            return Ok(());
        }
        self.warned = true;
        match judgement.warning(system, false) {
            Some(words) => errors::warn(py, &format!("questionable up to t = {} s: {words}", self.solver.time())),
            None => Ok(()),
        }
    }

    fn assign(&mut self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        if !value.is_finite() {
            return Err(errors::usage(py, format!("{name}: found {value}; expected a finite number")));
        }
        match self.places.get(name) {
            Some(&Place::Input(index)) => self.solver.set_input(index, value),
            Some(&Place::Parameter(index)) => {
                let parameter = &self.compiled.system.interface().parameters[index];
                if !parameter.tunable {
                    let right = "pass it to `load` in `parameters`";
                    return Err(errors::usage(py, format!("{name}: the parameter is fixed before the start; {right}")));
                }
                if !parameter.admits(value) {
                    let bound = |value: Option<f64>, none: f64| value.unwrap_or(none);
                    let (min, max) = (bound(parameter.min, f64::NEG_INFINITY), bound(parameter.max, f64::INFINITY));
                    let message = format!("{name}: {value} is outside the range {min} to {max}");
                    return Err(errors::usage(py, message));
                }
                self.solver.set_parameter(index, value);
            }
            Some(Place::Output(_) | Place::Vector(..)) => {
                let message = format!("{name}: outputs cannot be set; expected an input or tunable parameter");
                return Err(errors::usage(py, message));
            }
            None => {
                let settable = self.places.iter().filter(|(_, place)| match place {
                    Place::Input(_) => true,
                    Place::Parameter(index) => self.compiled.system.interface().parameters[*index].tunable,
                    _ => false,
                });
                let mut names: Vec<&str> = settable.map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                let hint = did_you_mean(name, names.into_iter());
                return Err(errors::usage(py, format!("{name}: no such input or tunable parameter; {hint}")));
            }
        }
        self.known = false;
        Ok(())
    }
}

#[pymethods]
impl Simulator {
    /// Current time in s.
    #[getter]
    fn time(&self) -> f64 {
        self.solver.time()
    }

    /// Names of the inputs, in the order of `inputs`.
    #[getter]
    fn input_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.compiled.system.interface().inputs.iter().map(|input| input.name.as_str()))
    }

    /// Names of the scalar outputs, in the order of `outputs()`.
    #[getter]
    fn output_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.compiled.system.interface().outputs.iter().map(|output| output.name.as_str()))
    }

    /// Values of all inputs, shape (inputs,), as a read-only copy; assign an array to set them all.
    #[getter(inputs)]
    fn get_inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let count = self.compiled.system.interface().inputs.len();
        let array = PyArray1::from_iter(py, (0..count).map(|index| self.solver.input(index)));
        let _ = array.readwrite().make_nonwriteable();
        Ok(array)
    }

    #[setter(inputs)]
    fn set_inputs(&mut self, py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (values, names) = (values.as_array(), &self.compiled.system.interface().inputs);
        if values.len() != names.len() {
            let message = format!("inputs: found {} values; expected {}", values.len(), names.len());
            return Err(errors::usage(py, message));
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let (name, value) = (&names[index].name, values[index]);
            return Err(errors::usage(py, format!("{name}: found {value}; expected a finite number")));
        }
        values.iter().enumerate().for_each(|(index, value)| self.solver.set_input(index, *value));
        self.known = false;
        Ok(())
    }

    /// Sets an input or tunable parameter, or several as a dictionary, from the current time on. All names and values
    /// are checked before the first one is set.
    #[pyo3(signature = (name, value = None))]
    fn set(&mut self, py: Python<'_>, name: &Bound<'_, PyAny>, value: Option<f64>) -> PyResult<()> {
        if let Ok(name) = name.extract::<&str>() {
            let Some(value) = value else {
                return Err(errors::usage(py, format!("{name}: no value given")));
            };
            return self.assign(py, name, value);
        }
        let pairs: Vec<(String, f64)> = name
            .cast::<PyDict>()?
            .iter()
            .map(|(name, value)| Ok((name.extract()?, value.extract()?)))
            .collect::<PyResult<_>>()?;
        if value.is_some() {
            return Err(errors::usage(py, "a dictionary contains the values; give no second argument"));
        }
        // An invalid value sets nothing: the previous values are restored.
        let before = (self.solver.state().clone(), *self.solver.judgement());
        for (name, value) in pairs {
            if let Err(error) = self.assign(py, &name, value) {
                self.solver.set_state(&before.0);
                self.solver.set_judgement(&before.1);
                self.known = false;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns the current value of an output, input or parameter: a number, or an array of shape (3,) for a vector
    /// such as `chassis.position`.
    fn get<'py>(&mut self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.places.get(name).copied() {
            Some(Place::Output(index)) => self.calc_outputs(py)?[index].into_bound_py_any(py),
            Some(Place::Vector(first, length)) => {
                Ok(PyArray1::from_slice(py, &self.calc_outputs(py)?[first..first + length]).into_any())
            }
            Some(Place::Input(index)) => self.solver.input(index).into_bound_py_any(py),
            Some(Place::Parameter(index)) => self.solver.parameter(index).into_bound_py_any(py),
            None => {
                let mut names: Vec<&str> = self.places.keys().map(String::as_str).collect();
                names.sort_unstable();
                let hint = did_you_mean(name, names.into_iter());
                Err(errors::usage(py, format!("{name}: no such output, input or parameter; {hint}")))
            }
        }
    }

    /// Returns the current values of all scalar outputs, shape (outputs,). With `out` they are written to this array.
    #[pyo3(signature = (out = None))]
    fn outputs<'py>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray1<f64>>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = self.calc_outputs(py)?;
        let Some(out) = out else { return Ok(PyArray1::from_slice(py, values)) };
        let mut target: PyReadwriteArray1<'py, f64> = out.try_readwrite()?;
        let mut view = target.as_array_mut();
        if view.len() != values.len() {
            let message = format!("out: found {} elements; expected {}", view.len(), values.len());
            return Err(errors::usage(py, message));
        }
        view.iter_mut().zip(values).for_each(|(place, value)| *place = *value);
        drop(target);
        Ok(out)
    }

    /// Simulates for `h` s, or up to the time `until` in s. Default: one communication step of the model.
    ///
    /// The solver makes internal steps and shortens the last one. A fault raises `Fault`; the simulator then has the
    /// state of the last valid internal step.
    #[pyo3(signature = (h = None, *, until = None))]
    fn step(&mut self, py: Python<'_>, h: Option<f64>, until: Option<f64>) -> PyResult<()> {
        let time = self.solver.time();
        let end = match (h, until) {
            (Some(_), Some(_)) => return Err(errors::usage(py, "step: give h or until, not both")),
            (Some(h), None) if !(h > 0.0 && h.is_finite()) => {
                return Err(errors::usage(py, format!("step: found {h} s; expected a positive number")));
            }
            (None, Some(until)) if !(until > time && until.is_finite()) => {
                let message = format!("step: until {until} s must be later than the current time, {time} s");
                return Err(errors::usage(py, message));
            }
            (None, Some(until)) => until,
            (h, None) => time + h.unwrap_or(self.step),
        };
        self.known = false;
        let mut steps = self.solver.internal_steps(end).map_err(|fault| self.fault(py, &fault))?;
        // A few steps finish before another thread could take the lock.
        for _ in 0..STEPS_AT_ONCE {
            match self.solver.make_internal_step(&mut steps) {
                Ok(true) => self.judged = false,
                Ok(false) => return Ok(()),
                Err(fault) => return Err(self.fault(py, &fault)),
            }
        }
        let solver = &mut self.solver;
        let mut signals = Signals::new();
        let done = py.detach(|| {
            let mut count = 0;
            while solver.make_internal_step(&mut steps)? {
                count += 1;
                if count % STEPS_BETWEEN_SIGNAL_CHECKS == 0 && signals.stop() {
                    break;
                }
            }
            Ok(())
        });
        match (done, signals.raised) {
            (Err(fault), _) => Err(self.fault(py, &fault)),
            (Ok(()), Some(raised)) => Err(raised),
            (Ok(()), None) => Ok(()),
        }
    }

    /// Returns the current state, which any simulator of the model can restore.
    fn save(&self) -> State {
        State::of(&self.compiled, &self.solver)
    }

    /// Restores a state from `save`, including its time, inputs and tunable parameters.
    fn restore(&mut self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<()> {
        state.put(&self.compiled, &mut self.solver).map_err(|wrong| errors::usage(py, wrong))?;
        self.jump();
        Ok(())
    }

    /// Restores the initial state of this simulator, including its initial inputs and parameters.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.begin.put(&self.compiled, &mut self.solver).map_err(|wrong| errors::usage(py, wrong))?;
        self.jump();
        Ok(())
    }

    /// Returns the diagnostics of the run so far, as in `ballesta run --json`.
    fn judgement<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (judgement, system) = (self.solver.judgement(), &self.compiled.system);
        let outcome = Outcome::new(judgement.warning(system, true), judgement.is_wrong(system, None));
        convert::json(py, &judgement::findings(judgement, system, None, &outcome))
    }

    /// Returns the reasons why the run so far is questionable; empty if there are none.
    fn warnings(&self) -> Vec<String> {
        let judged = self.solver.judgement().warning(&self.compiled.system, true);
        warnings_at_start(&self.compiled.system).into_iter().chain(judged).collect()
    }

    /// Replaces the state by the static equilibrium near it, or by steady driving for a vehicle on tyres. Returns the
    /// same dictionary as `Model.trim`.
    fn trim<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let solver = &mut self.solver;
        let found = py.detach(|| solver.trim()).map_err(|error| errors::failure(py, operating::failure(error)))?;
        self.jump();
        convert::json(py, &json!(EquilibriumReport::new(&self.solver, &found)))
    }

    /// Returns the matrices A to F at the current state and inputs, reduced to fewer states on request.
    #[pyo3(signature = (*, reduce=None, reduce_to_error=None, reduction="balanced", static_correction=false,
                        inputs=None, outputs=None))]
    #[allow(clippy::too_many_arguments)]
    fn linearize<'py>(
        &mut self,
        py: Python<'py>,
        reduce: Option<usize>,
        reduce_to_error: Option<f64>,
        reduction: &str,
        static_correction: bool,
        inputs: Option<Bound<'py, PyAny>>,
        outputs: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (from, to) = (reduction::selected(inputs)?, reduction::selected(outputs)?);
        let wanted = reduction::wanted(py, (reduce, reduce_to_error), reduction, static_correction, (from, to))?;
        let solver = &mut self.solver;
        let model = py.detach(|| solver.linearize()).map_err(|error| errors::failure(py, operating::failure(error)))?;
        self.known = false;
        let found = match wanted {
            Some(wanted) => reduction::reduced(py, &self.model.get().document, self.solver.system(), &model, &wanted)?,
            None => {
                let matrices = [&model.a, &model.b, &model.c, &model.d, &model.e, &model.f];
                reduction::state_space(py, matrices, &model.states, &model.inputs, &model.outputs, &model.parameters)?
            }
        };
        found.set_item("time", model.time)?;
        py.import("ballesta.model")?.getattr("Linearization")?.call1((found,))
    }

    /// Returns the derivatives of a step of `h` s (default: the communication step). The state does not change.
    ///
    /// The derivatives are exact for `rk4` and `heun`. For other integrators, and with `differences`, they are finite
    /// differences of the step.
    #[pyo3(signature = (h = None, *, differences = false))]
    fn step_derivatives<'py>(
        &mut self,
        py: Python<'py>,
        h: Option<f64>,
        differences: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let h = h.unwrap_or(self.step);
        if !(h > 0.0 && h.is_finite()) {
            return Err(errors::usage(py, format!("step_derivatives: found {h} s; expected a positive number")));
        }
        let (solver, way) = (&mut self.solver, if differences { StepMethod::Differences } else { StepMethod::Best });
        let found = py.detach(|| solver.step_derivatives(h, way));
        let found = found.map_err(|error| errors::failure(py, operating::failure(error)))?;
        let result = PyDict::new(py);
        let (states, inputs, parameters) = (found.states.len(), found.inputs.len(), found.parameters.len());
        let [a, b, p] = &found.errors;
        for (name, rows, columns) in [
            ("a", &found.a, states),
            ("b", &found.b, inputs),
            ("p", &found.p, parameters),
            ("c", &found.c, states),
            ("d", &found.d, inputs),
            ("a_uncertainty", a, states),
            ("b_uncertainty", b, inputs),
            ("p_uncertainty", p, parameters),
        ] {
            result.set_item(name, matrix(py, rows, columns)?)?;
        }
        result.set_item("time", found.time)?;
        result.set_item("length", found.length)?;
        result.set_item("states", found.states)?;
        result.set_item("inputs", found.inputs)?;
        result.set_item("parameters", found.parameters)?;
        result.set_item("outputs", found.outputs)?;
        result.set_item("reason", found.differenced)?;
        py.import("ballesta.model")?.getattr("StepDerivatives")?.call1((result,))
    }

    /// Returns the positions of all coordinates by name, in rad or m, and their speeds `der(…)`. A free rotation is a
    /// quaternion.
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (system, state, found) = (&self.compiled.system, self.solver.state(), PyDict::new(py));
        for Named { name, index, .. } in named_positions(system) {
            found.set_item(name, state.q[index])?;
        }
        for Named { name, index, .. } in named_speeds(system) {
            found.set_item(name, state.v[index])?;
        }
        Ok(found)
    }

    /// Moves the mechanism to other coordinates at the current time. Names are as in `coordinates`, values in rad, m,
    /// rad/s or m/s.
    ///
    /// The other coordinates change as little as the loops allow. If the given values are inconsistent or a coordinate
    /// is driven, `UsageError` is raised and nothing changes. States of force elements and filters are kept, and the
    /// diagnostics of the run start again.
    fn set_coordinates(&mut self, py: Python<'_>, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let system = &self.compiled.system;
        let lists = [named_positions(system), named_speeds(system)];
        let mut places = [Vec::new(), Vec::new()];
        for (name, value) in values.iter() {
            let (name, value): (String, f64) = (name.extract()?, value.extract()?);
            if !value.is_finite() {
                return Err(errors::usage(py, format!("{name}: found {value}; expected a finite number")));
            }
            let own = |list: &Vec<Named>| list.iter().find(|named| named.name == name).cloned();
            let Some((which, named)) = lists.iter().enumerate().find_map(|(k, list)| Some((k, own(list)?))) else {
                let known = lists.iter().flatten().filter(|named| !named.guided).map(|named| named.name.as_str());
                return Err(errors::usage(py, format!("{name}: no such coordinate; {}", did_you_mean(&name, known))));
            };
            if named.guided {
                return Err(errors::usage(py, format!("{name}: the coordinate is driven; set its input")));
            }
            places[which].push((named.index, value));
        }
        let [positions, speeds] = places;
        let solver = &mut self.solver;
        if let Err(fault) = py.detach(|| solver.place(&positions, &speeds)) {
            let words = self.solver.describe(&fault);
            return Err(errors::usage(py, format!("the coordinates are inconsistent: {words}")));
        }
        self.jump();
        Ok(())
    }

    /// Returns the modes about the current state, by ascending |λ|.
    fn modes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let solver = &mut self.solver;
        let found = py.detach(|| {
            let model = solver.linearize()?;
            let modes = modal::modes(&model)?;
            Ok((model, modes))
        });
        let (model, modes) = found.map_err(|error| errors::failure(py, operating::failure(error)))?;
        self.known = false;
        let rows: Vec<_> = modes.modes.iter().map(|mode| ModeReport::new(mode, &model)).collect();
        let rows = convert::json(py, &json!(rows))?;
        py.import("ballesta.model")?.getattr("_modes")?.call1((rows,))
    }

    fn __repr__(&self) -> String {
        format!("<ballesta.Simulator of {} at {} s>", self.model.get().compiled.system.name(), self.solver.time())
    }
}

/// Largest number of internal steps with the interpreter lock held.
const STEPS_AT_ONCE: usize = 4;
