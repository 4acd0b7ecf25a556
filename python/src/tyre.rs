//! Tyre files.

use crate::errors;
use crate::questions::answer;
use ballesta::tyre::Side;
use ballesta_vehicle::tyre::{Options, Point, Tyres};
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// Findings of `ballesta tyre`, and its picture.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn tyre<'py>(
    py: Python<'py>,
    files: Vec<PathBuf>,
    at: Vec<Vec<(String, f64)>>,
    loads: Vec<f64>,
    cambers: Vec<f64>,
    kappa: Option<f64>,
    alpha: Option<f64>,
    pressure: Option<f64>,
    side: Option<&str>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let side = match side {
        None => None,
        Some("left") => Some(Side::Left),
        Some("right") => Some(Side::Right),
        Some(other) => return Err(errors::usage(py, format!("side: found {other}; expected left or right"))),
    };
    let mut points = Vec::with_capacity(at.len());
    for values in at {
        let mut point = Point::default();
        for (key, value) in values {
            point.set(&key, value).map_err(|wrong| errors::usage(py, format!("at: {wrong}")))?;
        }
        points.push(point);
    }
    for (name, value) in [("kappa", kappa), ("alpha", alpha), ("pressure", pressure)] {
        if value.is_some_and(|value| !(value > 0.0 && value.is_finite())) {
            return Err(errors::usage(py, format!("{name} must be greater than 0 and finite")));
        }
    }
    let options = Options { side, loads, cambers, kappa, alpha, pressure, at: points };
    let found = py.detach(|| {
        let tyres = Tyres::open(&files, options)?;
        Ok((json!(tyres.findings()), ballesta_vehicle::tyre::tyre_curves::draw(&tyres)))
    });
    let (findings, picture) = found.map_err(|failure| errors::failure(py, failure))?;
    Ok((answer(py, Ok(findings))?, picture))
}
