//! A compiled model.

use crate::convert::{self, Signals, did_you_mean};
use crate::errors;
use crate::simulator::Simulator;
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::compile;
use ballesta::fmi::guid::guid;
use ballesta::model::Document;
use ballesta::simulate::Simulator as Solver;
use ballesta::system::{Interface, ScalarKind, System};
use ballesta_files::Failure;
use ballesta_package::packed_library::page_parts;
use ballesta_package::{Companion, companion_of};
use ballesta_pictures::page::workshop::{EditSource, FmuSource, of_edit};
use ballesta_pictures::page::{self, Recorder, Subject};
use ballesta_pictures::run_curves;
use ballesta_run::model::{self as opened, Assignment};
use ballesta_run::model_files::ModelFiles;
use ballesta_run::recovered_run::{self, RecoveredBody};
use ballesta_run::simulation::{self, Clock, Recording};
use ballesta_run::{Excitation, Grid, inputs, judgement, operating};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// A system with its parameter values, and the identity of its states.
pub struct Compiled {
    /// The system.
    pub system: Arc<System>,
    /// Values of all parameters.
    pub values: Vec<f64>,
    /// GUID of text, files and variables, with the version of the solver; bits of the internal step and of the
    /// fixed parameters. Tunable ones are part of a state.
    pub identity: (String, Vec<u64>),
    /// Whether the internal step is stable at the assembled start. It is then not checked again with inputs or in an
    /// equilibrium.
    stable: bool,
}

/// Inputs over time, checked against a model.
#[pyclass(module = "ballesta._native", frozen)]
pub struct Inputs(pub inputs::Inputs);

/// A compiled model; use `ballesta.Model`.
#[pyclass(module = "ballesta._native", frozen)]
pub struct Model {
    pub document: Document,
    pub source: String,
    pub file: PathBuf,
    /// Given parameters.
    pub set: Vec<Assignment>,
    /// Results of recovery files.
    pub recovered: Vec<RecoveredBody>,
    /// Whether the internal step differs from the file.
    pub step_given: bool,
    pub compiled: Arc<Compiled>,
}

/// Start of a simulation.
pub struct Prepared {
    pub compiled: Arc<Compiled>,
    /// Index and value of inputs from `set`.
    pub constants: Vec<(usize, f64)>,
}

/// A row of variables: name, unit, kind, start, description.
type Row = (String, String, &'static str, Option<f64>, String);

impl Model {
    fn compile(&self, set: &[Assignment]) -> Result<Prepared, Failure> {
        let all: Vec<Assignment> = self.set.iter().chain(set).cloned().collect();
        let assigned = opened::assign(&self.document, &all, true);
        let assigned = assigned.map_err(|wrong| Failure::Usage(wrong.to_string()))?;
        let same = assigned.parameters.iter().zip(&self.compiled.values).all(|(a, b)| a.to_bits() == b.to_bits());
        let compiled = match same {
            true => self.compiled.clone(),
            false => Arc::new(compile(&self.document, &self.source, assigned.parameters)?),
        };
        Ok(Prepared { compiled, constants: assigned.inputs })
    }

    /// The system with the values of `set`, recompiled for parameters. Rejects a step that is too long at the start.
    pub fn prepare(&self, set: &[Assignment], trim: bool) -> Result<Prepared, Failure> {
        let prepared = self.compile(set)?;
        let (compiled, constants) = (&prepared.compiled, &prepared.constants);
        if !compiled.stable {
            let _ = operating::refuse_long_step(
                &self.document,
                &compiled.system,
                constants,
                trim,
                AnalysisExtent::OwnStep,
            )?;
        }
        Ok(prepared)
    }

    /// Default communication step, s.
    pub fn communication(&self) -> f64 {
        self.document.model.experiment.step.unwrap_or(self.compiled.system.step())
    }
}

fn compile(document: &Document, source: &str, values: Vec<f64>) -> Result<Compiled, Failure> {
    let system = compile::compile(document, &values)?;
    let stable = operating::refuse_long_step(document, &system, &[], false, AnalysisExtent::OwnStep).is_ok();
    let mut bits = vec![system.step().to_bits()];
    let all = system.interface().parameters.iter().zip(&values);
    bits.extend(all.filter(|(parameter, _)| !parameter.tunable).map(|(_, value)| value.to_bits()));
    let identity = (guid(source, &document.files, system.interface()), bits);
    Ok(Compiled { system: Arc::new(system), values, identity, stable })
}

/// A completed simulation, or one that stopped with a fault.
struct Ran {
    recording: Recording,
    stopped: Option<Failure>,
    warnings: Vec<String>,
    judgement: serde_json::Value,
    seconds: f64,
    page: Option<String>,
    raised: Option<PyErr>,
    time: f64,
}

impl Model {
    fn simulate(&self, prepared: &Prepared, grid: &Grid, excitation: &Excitation, page: bool) -> Ran {
        let system = &prepared.compiled.system;
        let mut simulator = Solver::new(system.clone());
        let mut recording = Recording::new(system.interface().outputs.len(), grid.intervals() + 1);
        let mut recorder =
            page.then(|| Recorder::new(system.clone(), grid.start, grid.stop, grid.step).watching(&self.recovered));
        let (mut clock, signals) = (Clock::default(), RefCell::new(Signals::new()));
        let (begin, mut seconds) = (Instant::now(), 0.0);
        let at_point = |time: f64, outputs: &[f64], simulator: &Solver| {
            recording.push(time, outputs);
            seconds = begin.elapsed().as_secs_f64();
            if let Some(recorder) = &mut recorder {
                recorder.look(simulator.state());
            }
            match signals.borrow_mut().stop() {
                true => Err(Failure::Interrupted { signal: 2, message: String::new() }),
                false => Ok(()),
            }
        };
        let goes_on = &mut || !signals.borrow_mut().stop();
        let ending = simulation::run(&mut simulator, grid, excitation, &mut clock, at_point, goes_on);
        let fault = ending.stopped.as_ref().map(|stopped| match stopped {
            Failure::Fault(message) => message.clone(),
            other => other.to_string(),
        });
        let page = recorder.map(|mut recorder| {
            if fault.is_some() {
                recorder.look_at_end(simulator.state());
            }
            let subject = Subject { document: &self.document, values: &prepared.compiled.values };
            page::of_run(&subject, recorder, &recording, fault)
        });
        let judgement = judgement::findings(simulator.judgement(), system, ending.cause, &ending.outcome());
        Ran {
            page,
            recording,
            stopped: ending.stopped,
            warnings: ending.warning.into_iter().collect(),
            judgement,
            seconds,
            raised: signals.into_inner().raised,
            time: simulator.time(),
        }
    }
}

#[pymethods]
impl Model {
    /// Opens the model in `path` with `parameters`, unless None another internal step in s, recovery files, and nodes
    /// and sections whose displacements and stresses become outputs.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        parameters: Vec<(String, f64)>,
        step: Option<f64>,
        recovery: Vec<PathBuf>,
        recover: Vec<String>,
    ) -> PyResult<Model> {
        let set = convert::assignments(parameters);
        let open = || -> Result<Model, Failure> {
            let mut document = opened::open(&path)?;
            let file = opened::model_file(&path);
            let read = ballesta::document::file::read_text(&file);
            let source = read.map_err(|error| Failure::file("read", &file, error))?;
            if let Some(step) = step {
                document.model.general.take_step(step);
            }
            let assigned = opened::assign(&document, &set, false);
            let assigned = assigned.map_err(|wrong| Failure::Usage(format!("parameters: {wrong}")))?;
            let recovered = recovered_run::take(&mut document, &recovery)?;
            recovered_run::add_outputs(&mut document, &recovered, &recover, &assigned.parameters)?;
            let compiled = Arc::new(compile(&document, &source, assigned.parameters)?);
            Ok(Model { document, source, file, set, recovered, step_given: step.is_some(), compiled })
        };
        py.detach(open).map_err(|failure| errors::failure(py, failure))
    }

    #[getter]
    fn name(&self) -> &str {
        self.compiled.system.name()
    }

    #[getter]
    fn description(&self) -> &str {
        self.document.model.general.description.trim()
    }

    #[getter]
    fn file(&self) -> PathBuf {
        self.file.clone()
    }

    /// Internal step, s.
    #[getter]
    fn step(&self) -> f64 {
        self.compiled.system.step()
    }

    /// Name of the integrator.
    #[getter]
    fn integrator(&self) -> &'static str {
        self.compiled.system.integrator().scheme().name
    }

    /// Start, stop, communication step in s, and whether the model starts in its equilibrium.
    #[getter]
    fn experiment(&self) -> (f64, f64, f64, bool) {
        let experiment = &self.document.model.experiment;
        (experiment.start, experiment.stop, self.communication(), experiment.trim)
    }

    /// Numbers of degrees of freedom, bodies, joints, independent loops.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let report = self.compiled.system.report();
        (report.dof, report.bodies, report.joints, report.loops)
    }

    /// Warnings of the start.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        warnings_at_start(&self.compiled.system)
    }

    fn inputs(&self) -> Vec<Row> {
        let row = |input: &ballesta::system::InputInfo| {
            (input.name.clone(), input.unit.clone(), "real", Some(input.start), input.description.clone())
        };
        self.compiled.system.interface().inputs.iter().map(row).collect()
    }

    fn outputs(&self) -> Vec<Row> {
        let row = |output: &ballesta::system::OutputInfo| {
            let kind = match output.kind {
                ScalarKind::Real => "real",
                ScalarKind::Integer => "integer",
                ScalarKind::Boolean => "boolean",
            };
            (output.name.clone(), output.unit.clone(), kind, None, output.description.clone())
        };
        self.compiled.system.interface().outputs.iter().map(row).collect()
    }

    /// Rows as for inputs, with the values in this model and the limits.
    fn parameters(&self) -> Vec<(Row, Option<f64>, Option<f64>)> {
        let row = |(parameter, value): (&ballesta::system::ParameterInfo, &f64)| {
            let kind = if parameter.tunable { "tunable" } else { "fixed" };
            let row =
                (parameter.name.clone(), parameter.unit.clone(), kind, Some(*value), parameter.description.clone());
            (row, parameter.min, parameter.max)
        };
        self.compiled.system.interface().parameters.iter().zip(&self.compiled.values).map(row).collect()
    }

    /// Name, first output and number of elements of every vector.
    fn vectors(&self) -> Vec<(String, usize, usize)> {
        vectors(self.compiled.system.interface())
    }

    /// The inputs of a CSV text; `name` is the file for messages.
    fn parse_inputs(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<Inputs> {
        let read = inputs::Inputs::parse(text, name, self.compiled.system.interface());
        read.map(Inputs).map_err(|wrong| errors::failure(py, wrong.into()))
    }

    /// The inputs of a file of CSV or Parquet, as for `ballesta run --inputs`.
    fn read_inputs(&self, py: Python<'_>, path: PathBuf) -> PyResult<Inputs> {
        let read = inputs::Inputs::read(&path, self.compiled.system.interface());
        read.map(Inputs).map_err(|failure| errors::failure(py, failure))
    }

    /// Inputs over `times` in s, ascending; columns of the same length.
    fn table(&self, py: Python<'_>, times: Vec<f64>, columns: Vec<(String, Vec<f64>)>) -> PyResult<Inputs> {
        let known = &self.compiled.system.interface().inputs;
        let mut found = Vec::new();
        for (name, values) in columns {
            let index = known.iter().position(|input| input.name == name).ok_or_else(|| {
                let hint = did_you_mean(&name, known.iter().map(|input| input.name.as_str()));
                errors::usage(py, format!("inputs: {name}: no such input; {hint}"))
            })?;
            found.push((index, values));
        }
        let table = inputs::Inputs::from_columns(times, found);
        table.map(Inputs).map_err(|wrong| errors::usage(py, format!("inputs: {wrong}")))
    }

    /// Simulates from the start to `stop`, like `ballesta run`. Returns a dictionary with `time`, `data` (outputs ×
    /// points), `warnings` (of the run, not of its start), `judgement`, `fault` or None, `fault_time`, `seconds`, and
    /// `page` or None.
    #[pyo3(signature = (stop, step, inputs, set, trim, page))]
    #[allow(clippy::too_many_arguments)]
    fn run<'py>(
        &self,
        py: Python<'py>,
        stop: Option<f64>,
        step: Option<f64>,
        inputs: Option<PyRef<'py, Inputs>>,
        set: Vec<(String, f64)>,
        trim: bool,
        page: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (set, table) = (convert::assignments(set), inputs.map(|inputs| inputs.0.clone()));
        let ran = py.detach(|| -> Result<Ran, Failure> {
            let prepared = self.prepare(&set, trim)?;
            let system = &prepared.compiled.system;
            let grid = Grid::new(&self.document.model.experiment, system.step(), stop, step)?;
            grid.fits(system.interface().outputs.len())?;
            let given = |index: &usize| prepared.constants.iter().any(|(constant, _)| constant == index);
            if let Some(both) = table.iter().flat_map(inputs::Inputs::indices).find(given) {
                let name = &system.interface().inputs[both].name;
                return Err(Failure::Usage(format!("set: {name}: the inputs already have a column with this name")));
            }
            let excitation = Excitation { constants: prepared.constants.clone(), table, trim };
            Ok(self.simulate(&prepared, &grid, &excitation, page))
        });
        let mut ran = ran.map_err(|failure| errors::failure(py, failure))?;
        if let Some(raised) = ran.raised {
            return Err(raised);
        }
        let fault = match ran.stopped.take() {
            None => None,
            Some(Failure::Fault(message)) => Some(message),
            Some(other) => return Err(errors::failure(py, other)),
        };
        let (outputs, points) = (ran.recording.series.len(), ran.recording.times.len());
        let data = PyArray1::from_vec(py, ran.recording.series.concat());
        let result = PyDict::new(py);
        result.set_item("time", PyArray1::from_vec(py, ran.recording.times))?;
        result.set_item("data", data.reshape([outputs, points])?)?;
        result.set_item("warnings", ran.warnings)?;
        result.set_item("judgement", convert::json(py, &ran.judgement)?)?;
        result.set_item("fault_time", fault.as_ref().map(|_| ran.time))?;
        result.set_item("fault", fault)?;
        result.set_item("seconds", ran.seconds)?;
        result.set_item("page", ran.page)?;
        Ok(result)
    }

    /// Plot of outputs by index; default: the plots of the model file.
    fn plot<'py>(
        &self,
        py: Python<'py>,
        times: Vec<f64>,
        data: numpy::PyReadonlyArray2<'py, f64>,
        chosen: Vec<usize>,
        note: Option<String>,
    ) -> PyResult<String> {
        let data = data.as_array();
        let outputs = self.compiled.system.interface().outputs.len();
        if data.nrows() != outputs || data.ncols() != times.len() || chosen.iter().any(|index| *index >= outputs) {
            return Err(errors::usage(py, "the data do not belong to a run of this model"));
        }
        let series: Vec<Vec<f64>> = data.rows().into_iter().map(|row| row.to_vec()).collect();
        let recording = Recording { times, series };
        let model = &self.document.model;
        let note = note.as_deref().unwrap_or(&model.general.description);
        Ok(run_curves::draw(model, &self.compiled.system, &recording, &chosen, note))
    }

    /// A simulator at its start.
    fn simulator(slf: Bound<'_, Self>, start: Option<f64>, set: Vec<(String, f64)>, trim: bool) -> PyResult<Simulator> {
        let (py, model) = (slf.py(), slf.get());
        let set = convert::assignments(set);
        let prepared = py.detach(|| model.prepare(&set, trim)).map_err(|failure| errors::failure(py, failure))?;
        Simulator::start(py, slf.clone().unbind(), prepared, start, trim)
    }

    /// The workshop page with the files of the model, and the solver library of the installation or source tree of
    /// `program`; remarks about omitted libraries of FMUs. With `with_fmu` the page writes FMUs.
    fn workshop(&self, py: Python<'_>, program: PathBuf, with_fmu: bool) -> PyResult<(String, Vec<String>)> {
        let model = ModelFiles::read(&self.file).map_err(|failure| errors::failure(py, failure))?;
        let library =
            companion_of(Some(&program), Companion::Pages).map_err(|error| errors::usage(py, error.to_string()))?;
        let mut remarks = Vec::new();
        let parts = py.detach(|| {
            with_fmu.then(|| page_parts(Some(&program), &mut |line| remarks.push(line.to_string()))).transpose()
        });
        let parts = parts.map_err(|failure| errors::failure(py, failure))?;
        let fmu = parts.as_ref().map(|parts| FmuSource {
            packer: &parts.packer,
            libraries: &parts.libraries,
            platforms: &parts.platforms,
        });
        Ok((of_edit(&EditSource { model: Some(&model), gallery: &[], library: &library, fmu }), remarks))
    }

    /// The 3-D page of the model at its start. With `live` the page contains the solver library of the installation or
    /// source tree of this program.
    #[pyo3(signature = (live = None))]
    fn page(&self, py: Python<'_>, live: Option<PathBuf>) -> PyResult<String> {
        let mut simulator = Solver::new(self.compiled.system.clone());
        let begun = simulator.initialize(self.document.model.experiment.start);
        begun.map_err(|fault| errors::fault(py, &simulator.describe(&fault), Some(simulator.time())))?;
        let subject = Subject { document: &self.document, values: &self.compiled.values };
        let Some(program) = live else {
            let recorder = page::at_rest(simulator.system(), simulator.state());
            return Ok(page::of_start(&subject, recorder));
        };
        if self.step_given {
            return Err(errors::usage(py, "a live page uses the step of the file; load the model without `step`"));
        }
        let library =
            companion_of(Some(&program), Companion::Pages).map_err(|error| errors::usage(py, error.to_string()))?;
        let typed = self.file.display().to_string();
        let source = page::live::Source { text: &self.source, typed, library: &library };
        let page = page::of_live(&subject, &mut simulator, &source);
        page.map_err(|fault| errors::fault(py, &simulator.describe(&fault), Some(simulator.time())))
    }
}

/// Warnings of the start, with the name of the model.
pub fn warnings_at_start(system: &System) -> Vec<String> {
    system.report().warnings.iter().map(|warning| format!("{}: {warning}", system.name())).collect()
}

/// Name, first output and number of elements of every vector among the outputs.
pub fn vectors(interface: &Interface) -> Vec<(String, usize, usize)> {
    let vector = |(index, output): (usize, &ballesta::system::OutputInfo)| {
        let element = output.element.as_ref().filter(|element| element.index == 0)?;
        Some((element.vector.clone(), index, element.length))
    };
    interface.outputs.iter().enumerate().filter_map(vector).collect()
}

/// A Python array of a matrix with names of its rows; no rows give 0 × `columns`.
pub fn matrix<'py>(py: Python<'py>, rows: &[Vec<f64>], columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, rows.concat()).reshape([rows.len(), columns])
}
