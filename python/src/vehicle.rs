//! Vehicles: manoeuvres, kinematics and compliance.

use crate::convert::{self, Signals};
use crate::errors;
use crate::model::Model;
use ballesta::simulate::Simulator;
use ballesta_files::Failure;
use ballesta_run::simulation::Clock;
use ballesta_vehicle::manoeuvre::{Choices, Manoeuvre, ManoeuvrePlan, ManoeuvreRun};
use ballesta_vehicle::rig::kc::Ranges;
use ballesta_vehicle::rig::{self, Rig, Setup, rig_results};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Findings of `ballesta rig MODEL kc`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn kc<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    travel: f64,
    steer_range: Option<f64>,
    points: usize,
    steering: Option<String>,
    wheels: Vec<String>,
    radius: Option<f64>,
    fixed: Vec<String>,
    without: Vec<String>,
    set: Vec<(String, f64)>,
) -> PyResult<Bound<'py, PyAny>> {
    let model = model.get();
    let (set, setup) = (model.assignments(set), Setup { wheels, radius, fixed, without, steering });
    let found = py.detach(|| {
        let mut on_rig = Rig::new(&model.document, &set, &setup)?;
        if steer_range.is_some() && on_rig.steering.is_none() {
            return Err(Failure::Usage(
                "steer_range: the model has no known steering input; name it with `steering`".into(),
            ));
        }
        let report = rig::kc::run(&mut on_rig, &Ranges { travel, steering: steer_range, points: points | 1 })?;
        Ok(rig_results::of(&on_rig, &report))
    });
    crate::questions::answer(py, found)
}

/// Times and columns of a run by name, and warning or None.
type Run<'py> = (Bound<'py, PyDict>, Option<String>);

/// Findings of `ballesta manoeuvre`, and its runs.
#[pyfunction]
pub fn manoeuvre<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    file: PathBuf,
    speed: Option<f64>,
    stop: Option<f64>,
    factor: Option<f64>,
    set: Vec<(String, f64)>,
) -> PyResult<(Bound<'py, PyAny>, Vec<Run<'py>>)> {
    let model = model.get();
    let (set, choices) = (model.assignments(set), Choices { speed, stop, factor });
    let mut signals = Signals::new();
    let planned = py.detach(|| {
        ManoeuvrePlan::new(
            Manoeuvre::open(&file)?,
            model.document.clone(),
            &model.file.display().to_string(),
            &set,
            choices,
        )
    });
    let plan = planned.map_err(|failure| errors::failure(py, failure))?;
    let made = py.detach(|| {
        let mut made = Vec::with_capacity(plan.runs());
        for drive in plan.drives()? {
            let mut simulator = Simulator::new(plan.subject.system.clone());
            let driven = drive.run(&mut simulator, &mut Clock::default(), |_, _, _, _| match signals.stop() {
                true => Err(Failure::Usage("stopped".into())),
                false => Ok(()),
            });
            made.push(ManoeuvreRun::new(drive, driven, &simulator)?);
        }
        Ok(made)
    });
    if let Some(raised) = signals.raised.take() {
        return Err(raised);
    }
    let made = made.map_err(|failure| errors::failure(py, failure))?;
    let columns = plan.subject.columns();
    let mut runs = Vec::with_capacity(made.len());
    for one in &made {
        let (recording, series) = (&one.driven.recording, PyDict::new(py));
        series.set_item("time", PyArray1::from_slice(py, &recording.times))?;
        for (column, values) in columns.iter().zip(&recording.series) {
            series.set_item(&column.name, PyArray1::from_slice(py, values))?;
        }
        runs.push((series, one.outcome().reason().map(str::to_string)));
    }
    Ok((convert::json(py, &plan.findings(&made))?, runs))
}
