//! The questions of the command line about a model: check, verify, groups; a structure's reduction; an FMU; templates.

use crate::convert::{self, did_you_mean};
use crate::errors;
use crate::model::{Inputs, Model};
use ballesta::analysis::groups::structural_groups;
use ballesta::analysis::step_map::Question;
use ballesta_cli::answers;
use ballesta_cli::arguments::{Reduce, Verify};
use ballesta_experiment::check::{Answer, Check};
use ballesta_experiment::model::{self as opened, Assignment};
use ballesta_experiment::{Failure, operating};
use ballesta_package::Version;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;

impl Model {
    /// The parameters of the model, and what is set for one question.
    fn assignments(&self, set: Vec<(String, f64)>) -> Vec<Assignment> {
        self.set.iter().cloned().chain(convert::assignments(set)).collect()
    }
}

fn answer<'py>(py: Python<'py>, found: Result<serde_json::Value, Failure>) -> PyResult<Bound<'py, PyAny>> {
    found.map_err(|failure| errors::failure(py, failure)).and_then(|value| convert::json(py, &value))
}

/// Findings of `ballesta check`, warning or None, fault or None.
#[pyfunction]
pub fn check<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    set: Vec<(String, f64)>,
    trim: bool,
) -> PyResult<(Bound<'py, PyAny>, Option<String>, Option<String>)> {
    let model = model.get();
    let set = model.assignments(set);
    let found = py.detach(|| Check::new(model.document.clone(), model.file.clone(), &set, trim)?.answer());
    let Answer { findings, warning, fault, .. } = found.map_err(|failure| errors::failure(py, failure))?;
    Ok((convert::json(py, &json!(findings))?, warning, fault))
}

/// Findings of `ballesta groups`.
#[pyfunction]
pub fn groups<'py>(py: Python<'py>, model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyAny>> {
    let model = model.get();
    let found = py.detach(|| {
        let system = opened::compile(&model.document, &model.set, false)?.system;
        Ok(json!(ballesta_experiment::groups::findings(&system, &structural_groups(&system))))
    });
    answer(py, found)
}

/// Findings of `ballesta verify`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn verify<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    stop: Option<f64>,
    step: Option<f64>,
    internal_step: Option<f64>,
    tolerance: f64,
    inputs: Option<PyRef<'py, Inputs>>,
    set: Vec<(String, f64)>,
    trim: bool,
    one_integrator: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (model, table) = (model.get(), inputs.map(|inputs| inputs.0.clone()));
    let mut document = model.document.clone();
    if let Some(step) = internal_step {
        document.model.general.step = step;
    }
    let typed = Verify {
        model: model.file.clone(),
        stop,
        step,
        internal_step,
        tolerance,
        trim,
        inputs: None,
        set: model.assignments(set),
        one_integrator,
        svg: None,
        json: true,
    };
    let found = py.detach(|| answers::verify(document, typed, table));
    answer(py, found)
}

/// Facts about the FMU that was written, and remarks. `program`: that of the installation, or a file in the target
/// folder of Cargo.
#[pyfunction]
pub fn export_fmu<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    path: PathBuf,
    fmi: &str,
    program: Option<PathBuf>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let model = model.get();
    let version: Version = fmi.parse().map_err(|wrong| errors::usage(py, format!("fmi: {wrong}")))?;
    if model.step_given || !model.set.is_empty() {
        let message = "an FMU holds the model file as it is, and this model was loaded with other parameters or \
            another step; \
                       write them into the file, or load it without";
        return Err(errors::usage(py, message));
    }
    let mut remarks = Vec::new();
    let found = py.detach(|| {
        let system = &model.compiled.system;
        let _ = operating::refuse_long_step(&model.document, system, &[], false, Question::OwnStep)?;
        answers::export(&model.document, &model.source, &path, version, program.as_deref(), &mut remarks)
    });
    Ok((answer(py, found)?, remarks))
}

/// Findings of `ballesta reduce`, which writes `output`.
#[pyfunction]
pub fn reduce<'py>(
    py: Python<'py>,
    structure: PathBuf,
    output: PathBuf,
    modes: Option<usize>,
    comparison: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let typed = Reduce { structure, output: Some(output), svg: None, modes, no_comparison: !comparison, json: true };
    let found = py.detach(|| answers::reduce(typed));
    answer(py, found)
}

/// Writes a drawing as SVG or PNG, by the ending of `path`.
#[pyfunction]
pub fn write_picture(py: Python<'_>, path: &str, svg: &str) -> PyResult<()> {
    py.detach(|| answers::write_picture(path, svg)).map_err(|failure| errors::failure(py, failure))
}

/// Names of the models that come with the package, with a line about each.
#[pyfunction]
pub fn templates() -> Vec<(String, String)> {
    answers::templates()
}

/// Path and text of the files of such a model.
#[pyfunction]
pub fn template(py: Python<'_>, name: &str) -> PyResult<Vec<(&'static str, String)>> {
    answers::template(&name.replace('_', "-")).ok_or_else(|| {
        let known: Vec<String> = answers::templates().into_iter().map(|(name, _)| name).collect();
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        let message = format!("{name}: no such file or folder, and no model of this name comes with ballesta; {hint}");
        errors::usage(py, message)
    })
}
