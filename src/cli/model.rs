//! Opening a model: from what was typed to a compiled system, its experiment and the values that `--set` gave.

use super::arguments::Assignment;
use super::failure::Failure;
use super::kind::{self, Kind};
use super::{mesh, text};
use crate::model::{self, Document, schema::Experiment};
use crate::system::System;
use std::path::{Path, PathBuf};

/// Reads a model. A missing or unreadable file is a matter of the file system, not of the model.
pub fn open(typed: &Path) -> Result<Document, Failure> {
    let file = model_file(typed);
    let unread = |error| match typed.is_dir() {
        true => kind::other(typed, Kind::Model).unwrap_or(Failure::file("read", &file, error)),
        false => Failure::file("read", &file, error),
    };
    crate::document::file::open(&file).map_err(unread)?;
    let mut document = model::load(&file).map_err(|wrong| kind::refused(&file, Kind::Model, wrong))?;
    mesh::load(&mut document, file.parent().unwrap_or(Path::new("")))?;
    Ok(document)
}

/// The model file that a folder or a file stands for.
pub fn model_file(typed: &Path) -> PathBuf {
    if typed.is_dir() { typed.join("model.toml") } else { typed.to_path_buf() }
}

/// Every file that a model is read from: its own, those of subassemblies, reduced models, tyres, maps, meshes.
pub fn files(typed: &Path, document: &Document) -> Vec<PathBuf> {
    let file = model_file(typed);
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let data = document.files.iter().map(|data| folder.join(&data.path));
    let meshes = document.model.shapes.iter().filter_map(|shape| Some(folder.join(shape.file.as_ref()?)));
    std::iter::once(file.clone()).chain(data).chain(meshes).collect()
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

/// Values of all parameters with those of `set`, which [`compile`] has checked.
pub fn parameters(document: &Document, set: &[Assignment]) -> Vec<f64> {
    let value = |parameter: &model::schema::Parameter| {
        set.iter().rev().find(|typed| typed.name == parameter.name).map_or(parameter.value, |typed| typed.value)
    };
    document.model.parameters.iter().map(value).collect()
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

/// Communication points `start + i·step`; a rest that is shorter than a step gives one more point at `stop`, a rest below
/// 1e-9 of a step none. They are those of [`crate::package::reference::communication_points`], by index.
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
        let intervals = (grid.stop - grid.start) / grid.step;
        if intervals > MOST_INTERVALS {
            let message =
                format!("{intervals:.3e} communication steps of {} s are too many; give a longer --step", grid.step);
            return Err(Failure::Usage(message));
        }
        let steps = (grid.stop - grid.start) / internal.min(grid.step);
        if !(steps <= MOST_STEPS) {
            let message = format!(
                "{steps:.3e} internal steps of {:e} s up to {:e} s are more than {MOST_STEPS:.0e}; give an earlier --stop or a longer step",
                internal.min(grid.step),
                grid.stop
            );
            return Err(Failure::Usage(message));
        }
        Ok(grid)
    }

    /// Refuses more values of so many outputs than a run keeps.
    pub fn fits(&self, outputs: usize) -> Result<(), Failure> {
        let numbers = (self.intervals() + 1) as f64 * (outputs + 1) as f64;
        if numbers > MOST_NUMBERS {
            let message = format!(
                "{} rows of {} numbers are more than the {MOST_NUMBERS:.0e} that a run keeps; give a longer --step",
                self.intervals() + 1,
                outputs + 1
            );
            return Err(Failure::Usage(message));
        }
        Ok(())
    }

    /// Number of communication steps.
    pub fn intervals(&self) -> usize {
        let (whole, rest) = self.whole_and_rest();
        whole + usize::from(rest)
    }

    /// Point `i`, by multiplication, so that round-off does not add up.
    pub fn point(&self, i: usize) -> f64 {
        if i > self.whole_and_rest().0 { self.stop } else { self.start + i as f64 * self.step }
    }

    /// Number of whole steps, and whether a shorter one follows.
    fn whole_and_rest(&self) -> (usize, bool) {
        let steps = (self.stop - self.start) / self.step;
        let whole = (steps + 1e-9).floor().max(0.0);
        (whole as usize, steps - whole > 1e-9)
    }
}

/// More rows than this are a mistyped step, not an experiment.
const MOST_INTERVALS: f64 = 1e9;
/// Internal steps of a run: a day of computing at 10 µs each.
const MOST_STEPS: f64 = 1e10;
/// Values that a run keeps, 2 GB.
const MOST_NUMBERS: f64 = 2.5e8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::reference::communication_points;

    fn grid(stop: f64, step: f64) -> Grid {
        Grid::new(&Experiment { start: 1.0, stop, step: Some(step), trim: false }, 1e-3, None, None).unwrap()
    }

    #[test]
    fn the_points_are_those_of_the_reference_trajectory_in_an_fmu() {
        for (stop, step) in [(2.0, 0.3), (1.3, 0.1), (1.0, 0.1), (11.0, 1e-3), (1.5, 0.7), (1.0 + 1e-12, 0.1)] {
            let grid = grid(stop, step);
            let points: Vec<f64> = (0..=grid.intervals()).map(|i| grid.point(i)).collect();
            assert_eq!(points, communication_points(1.0, stop, step).collect::<Vec<f64>>());
        }
    }

    #[test]
    fn round_off_adds_no_interval() {
        assert_eq!(grid(1.0 + 0.1 + 0.2, 0.1).intervals(), 3);
        assert_eq!(grid(1.0, 0.1).intervals(), 0);
        assert_eq!(grid(11.0, 1e-3).intervals(), 10_000);
    }

    #[test]
    fn a_stop_before_the_start_is_refused() {
        let experiment = Experiment { start: 1.0, stop: 2.0, step: None, trim: false };
        assert!(Grid::new(&experiment, 1e-3, Some(0.5), None).is_err());
    }
}
