//! Linear models of fewer states.

use crate::errors;
use crate::model::matrix;
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal;
use ballesta::analysis::truncation::{Method, Target};
use ballesta::model::Document;
use ballesta::system::System;
use ballesta_run::operating;
use ballesta_run::reduction::{self, ChannelSelection, ReductionRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Names, or a dictionary of names with their scales.
pub fn selected(given: Option<Bound<'_, PyAny>>) -> PyResult<Vec<ChannelSelection>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if let Ok(name) = given.extract::<String>() {
        return Ok(vec![ChannelSelection { name, scale: None }]);
    }
    if let Ok(scales) = given.cast::<PyDict>() {
        let one = |(name, scale): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<ChannelSelection> {
            Ok(ChannelSelection { name: name.extract()?, scale: Some(scale.extract()?) })
        };
        return scales.iter().map(one).collect();
    }
    Ok(given.extract::<Vec<String>>()?.into_iter().map(|name| ChannelSelection { name, scale: None }).collect())
}

/// The requested reduction; `None` without an order or a bound.
pub fn wanted(
    py: Python<'_>,
    target: (Option<usize>, Option<f64>),
    method: &str,
    static_correction: bool,
    (from, to): (Vec<ChannelSelection>, Vec<ChannelSelection>),
) -> PyResult<Option<ReductionRequest>> {
    let method = match method {
        "balanced" => Method::Balanced,
        "modal" => Method::Modal,
        other => return Err(errors::usage(py, format!("reduction `{other}`: expected balanced or modal"))),
    };
    let target = match target {
        (Some(_), Some(_)) => return Err(errors::usage(py, "give reduce or reduce_to_error, not both")),
        (Some(order), None) => Target::Order(order),
        (None, Some(bound)) if bound > 0.0 && bound.is_finite() => Target::Error(bound),
        (None, Some(bound)) => {
            return Err(errors::usage(py, format!("reduce_to_error {bound}: expected a number greater than 0")));
        }
        (None, None) => {
            let given = method == Method::Modal || static_correction || !from.is_empty() || !to.is_empty();
            let message = "reduction, static_correction, inputs and outputs need reduce or reduce_to_error";
            return if given { Err(errors::usage(py, message)) } else { Ok(None) };
        }
    };
    Ok(Some(ReductionRequest { method, target, static_correction, from, to }))
}

/// The reduced linear model; its warnings are warnings of Python.
pub fn reduced<'py>(
    py: Python<'py>,
    document: &Document,
    system: &System,
    model: &Linearization,
    wanted: &ReductionRequest,
) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| {
        let modes = modal::modes(model).map_err(operating::failure)?;
        reduction::reduce(document, system, model, &modes, wanted)
    });
    let found = found.map_err(|failure| errors::failure(py, failure))?;
    for warning in &found.report.warnings {
        errors::warn(py, warning)?;
    }
    let (part, report) = (&found.system, &found.report);
    let matrices = [&part.a, &part.b, &part.c, &part.d, &part.e, &part.f];
    let dict = state_space(py, matrices, &found.states, &found.inputs, &found.outputs, &found.parameters)?;
    let facts = PyDict::new(py);
    facts.set_item("method", report.method)?;
    facts.set_item("states", report.full_states.clone())?;
    facts.set_item("kept", report.kept_states)?;
    facts.set_item("hankel", report.hankel_singular_values.clone())?;
    facts.set_item("bound", report.error_bound)?;
    facts.set_item("error", report.error)?;
    facts.set_item("error_hz", report.error_frequency_hz)?;
    facts.set_item("to_full", matrix(py, &report.to_full, found.states.len())?)?;
    facts.set_item("from_full", matrix(py, &report.from_full, report.full_states.len())?)?;
    dict.set_item("reduction", facts)?;
    Ok(dict)
}

/// Matrices and names, as the class `Linearization` takes them.
pub fn state_space<'py>(
    py: Python<'py>,
    [a, b, c, d, e, f]: [&Vec<Vec<f64>>; 6],
    states: &[String],
    inputs: &[String],
    outputs: &[String],
    parameters: &[String],
) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (name, entries, columns) in [
        ("a", a, states),
        ("b", b, inputs),
        ("c", c, states),
        ("d", d, inputs),
        ("e", e, parameters),
        ("f", f, parameters),
    ] {
        found.set_item(name, matrix(py, entries, columns.len())?)?;
    }
    for (name, names) in [("states", states), ("inputs", inputs), ("outputs", outputs), ("parameters", parameters)] {
        found.set_item(name, names.to_vec())?;
    }
    Ok(found)
}
