//! Opening a model: from what was typed to a compiled system, its experiment and the values that `--set` gave.

use super::arguments::Assignment;
use super::failure::Failure;
use super::text;
use crate::model::{self, Document, schema::Experiment};
use crate::system::System;
use std::path::{Path, PathBuf};

/// Reads a model. A missing or unreadable file is a matter of the file system, not of the model.
pub fn open(typed: &Path) -> Result<Document, Failure> {
    let file = model_file(typed);
    std::fs::File::open(&file).map_err(|error| Failure::file("read", &file, error))?;
    Ok(model::load(&file)?)
}

/// The model file that a folder or a file stands for.
pub fn model_file(typed: &Path) -> PathBuf {
    if typed.is_dir() { typed.join("model.toml") } else { typed.to_path_buf() }
}

/// A compiled model with the values that were set.
pub struct Compiled {
    /// The model.
    pub system: System,
    /// Values of inputs that were set, by their index.
    pub inputs: Vec<(usize, f64)>,
}

/// Compiles `document` with parameters from `set`; names that are inputs are kept when `inputs_too`.
pub fn compile(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<Compiled, Failure> {
    let mut parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let mut inputs = Vec::new();
    for Assignment { name, value } in set {
        if let Some(index) = document.model.parameters.iter().position(|parameter| parameter.name == *name) {
            let parameter = &document.model.parameters[index];
            let (min, max) = (parameter.min.unwrap_or(f64::NEG_INFINITY), parameter.max.unwrap_or(f64::INFINITY));
            if *value < min || *value > max {
                return Err(Failure::Usage(format!("--set {name}={value}: outside of the range {min} to {max}")));
            }
            parameters[index] = *value;
        } else if let Some(index) = document.model.inputs.iter().position(|input| input.name == *name && inputs_too) {
            inputs.push((index, *value));
        } else {
            return Err(Failure::Usage(unknown_name(document, name, inputs_too)));
        }
    }
    Ok(Compiled { system: System::compile(document, &parameters)?, inputs })
}

fn unknown_name(document: &Document, name: &str, inputs_too: bool) -> String {
    let parameters = document.model.parameters.iter().map(|parameter| parameter.name.as_str());
    let inputs = document.model.inputs.iter().map(|input| input.name.as_str()).filter(|_| inputs_too);
    let known: Vec<&str> = parameters.chain(inputs).collect();
    let kind = if inputs_too { "parameter or input" } else { "parameter" };
    let hint = match text::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("the model has no {kind}"),
        None => format!("known are {}", known.join(", ")),
    };
    format!("--set {name}: no such {kind}; {hint}")
}

/// Communication points: `start`, `start + step`, ..., `stop`. A last interval shorter than 1e-9 of the step is joined
/// to the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// First point in s.
    pub start: f64,
    /// Interval in s.
    pub step: f64,
    /// Last point in s.
    pub stop: f64,
}

impl Grid {
    /// The experiment of a model with the interval `internal` where it names none, changed by what was typed.
    pub fn new(experiment: &Experiment, internal: f64, stop: Option<f64>, step: Option<f64>) -> Result<Grid, Failure> {
        let grid = Grid {
            start: experiment.start,
            step: step.or(experiment.step).unwrap_or(internal),
            stop: stop.unwrap_or(experiment.stop),
        };
        if grid.stop < grid.start {
            let message = format!("the stop time {} s lies before the start time {} s", grid.stop, grid.start);
            return Err(Failure::Usage(message));
        }
        if grid.intervals_f64() > MOST_INTERVALS {
            return Err(Failure::Usage(format!(
                "{:.3e} communication steps of {} s are too many; give a longer --step",
                grid.intervals_f64(),
                grid.step
            )));
        }
        Ok(grid)
    }

    /// Number of communication steps.
    pub fn intervals(&self) -> usize {
        self.intervals_f64() as usize
    }

    /// Point `i`, by multiplication, so that round-off does not add up; the last one is `stop` exactly.
    pub fn point(&self, i: usize) -> f64 {
        if i >= self.intervals() { self.stop } else { self.start + i as f64 * self.step }
    }

    fn intervals_f64(&self) -> f64 {
        ((self.stop - self.start) / self.step - 1e-9).ceil().max(0.0)
    }
}

/// More rows than this are a mistyped step, not an experiment.
const MOST_INTERVALS: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(stop: f64, step: f64) -> Grid {
        Grid::new(&Experiment { start: 1.0, stop, step: Some(step) }, 1e-3, None, None).unwrap()
    }

    #[test]
    fn the_last_point_is_the_stop_time_exactly() {
        let grid = grid(2.0, 0.3);
        let points: Vec<f64> = (0..=grid.intervals()).map(|i| grid.point(i)).collect();
        assert_eq!(points, [1.0, 1.3, 1.6, 1.0 + 3.0 * 0.3, 2.0]);
    }

    #[test]
    fn round_off_adds_no_interval() {
        assert_eq!(grid(1.0 + 0.1 + 0.2, 0.1).intervals(), 3);
        assert_eq!(grid(1.0, 0.1).intervals(), 0);
        assert_eq!(grid(11.0, 1e-3).intervals(), 10_000);
    }

    #[test]
    fn a_stop_before_the_start_is_refused() {
        let experiment = Experiment { start: 1.0, stop: 2.0, step: None };
        assert!(Grid::new(&experiment, 1e-3, Some(0.5), None).is_err());
    }
}
