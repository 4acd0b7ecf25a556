//! `ballesta run --compare`: outputs of two models over time, and their differences.
//!
//! The other model gets the same stop time, communication step, inputs and parameters. Outputs of the same name and
//! unit are compared at every communication point: difference = model − other model. The relative difference is
//! relative to the range (maximum − minimum) of the other output, because positions have an offset. Gaps and counts of
//! the computation are not compared.

use super::arguments::Run;
use crate::{operating, text};
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::model::{Document, validate_with};
use ballesta::rom;
use ballesta::simulate::Simulator;
use ballesta::system::{OutputInfo, System};
use ballesta_files::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_pictures::plot::{self, Curve, Panel};
use ballesta_run::inputs::Inputs;
use ballesta_run::simulation::{self, Clock, Excitation, Recording};
use ballesta_run::{Grid, Outcome, model};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reference model of the comparison.
pub struct Other {
    path: PathBuf,
    system: Arc<System>,
    excitation: Excitation,
}

/// Outputs of the other model next to the outputs of the run.
pub struct Overlay {
    other: String,
    times: Vec<f64>,
    outputs: Vec<ComparedOutput>,
    outcome: Outcome,
}

/// An output of both models.
struct ComparedOutput {
    name: String,
    unit: String,
    description: String,
    own: Vec<f64>,
    other: Vec<f64>,
    difference: Vec<f64>,
}

/// The largest difference of an output, for `--json`.
#[derive(Serialize)]
struct LargestDifference<'a> {
    name: &'a str,
    unit: &'a str,
    /// In `unit`, with its sign.
    difference: f64,
    at_s: f64,
    /// Maximum minus minimum of the other output, in `unit`.
    range: f64,
    /// Size as a fraction of the range; `None` for a constant output of the other model.
    relative: Option<f64>,
}

impl Other {
    /// Reads the other model: a model, or a reduced model that replaces the one of the flexible body.
    pub fn resolve(path: &Path, typed: &Run) -> Result<Other, Failure> {
        let mut document = match Kind::of(path) {
            Some(Kind::Rom) => {
                let document = with_rom(model::open(&typed.model)?, path)?;
                // Interfaces that joints and outputs name may be missing in the other reduced model.
                validate_with(&document, &model::parameters(&document, &typed.set)?).map_err(Failure::Input)?;
                document
            }
            _ => model::open(path)?,
        };
        if let Some(step) = typed.internal_step {
            document.model.general.take_step(step);
        }
        let model::Compiled { system, inputs: constants } = model::compile(&document, &typed.set, true)?;
        let _ = operating::refuse_long_step(&document, &system, &constants, typed.trim, AnalysisExtent::OwnStep)?;
        let table = typed.inputs.as_ref().map(|file| Inputs::read(file, system.interface())).transpose()?;
        let excitation = Excitation { constants, table, trim: typed.trim };
        Ok(Other { path: path.to_path_buf(), system: Arc::new(system), excitation })
    }

    /// Path of the other model's file.
    pub fn file(&self) -> PathBuf {
        model::model_file(&self.path)
    }

    /// Pairs of outputs, of the run and of the other model, with the same name and unit. Outputs about the computation,
    /// marked by `diagnostic`, are omitted.
    fn pairs(&self, system: &System, diagnostic: &[bool]) -> Vec<(usize, usize)> {
        let others = &self.system.interface().outputs;
        let same = |output: &OutputInfo| {
            others.iter().position(|other| (&other.name, &other.unit) == (&output.name, &output.unit))
        };
        let outputs = system.interface().outputs.iter().zip(diagnostic).enumerate();
        let moving = outputs.filter(|(_, (_, diagnostic))| !**diagnostic);
        moving.filter_map(|(own, (output, _))| same(output).map(|other| (own, other))).collect()
    }

    /// Rejects a model without a common output.
    pub fn expect_outputs(&self, system: &System, diagnostic: &[bool]) -> Result<(), Failure> {
        if !self.pairs(system, diagnostic).is_empty() {
            return Ok(());
        }
        let names = |system: &System| {
            let outputs = system.interface().outputs.iter().map(|output| format!("{} ({})", output.name, output.unit));
            outputs.collect::<Vec<_>>().join(", ")
        };
        let (own, others) = (names(system), names(&self.system));
        Err(Failure::Usage(format!(
            "--compare {}: the models have no output with the same name and unit; this model has {own}, the \
             other model {others}",
            self.path.display()
        )))
    }

    /// Simulates the other model over the points of the run.
    pub fn simulate(&self, grid: &Grid) -> Result<(Recording, Outcome), Failure> {
        let mut recording = Recording::new(self.system.interface().outputs.len(), grid.intervals() + 1);
        let mut simulator = Simulator::new(self.system.clone());
        let at_point = |time: f64, outputs: &[f64], _: &Simulator| {
            recording.push(time, outputs);
            Ok(())
        };
        let mut clock = Clock::default();
        let ending = simulation::run(&mut simulator, grid, &self.excitation, &mut clock, at_point, &mut || true);
        match ending.stopped {
            None => {
                let warning = ending.warning.map(|warning| format!("--compare {}: {warning}", self.path.display()));
                Ok((recording, Outcome::new(warning, ending.wrong)))
            }
            Some(Failure::Fault(fault)) => Err(Failure::Fault(format!("--compare {}: {fault}", self.path.display()))),
            Some(failure) => Err(failure),
        }
    }

    /// Both recordings and their difference over their common time. `diagnostic` has one entry per output of the run.
    pub fn overlay(
        &self,
        system: &System,
        own: &Recording,
        (other, outcome): (Recording, Outcome),
        diagnostic: &[bool],
    ) -> Overlay {
        let outputs = self.pairs(system, diagnostic).into_iter().map(|(i, j)| {
            let output = &system.interface().outputs[i];
            let own = own.series[i].clone();
            // A stopped run is compared up to its end.
            let other: Vec<f64> = other.series[j].iter().take(own.len()).copied().collect();
            let difference = own.iter().zip(&other).map(|(a, b)| a - b).collect();
            ComparedOutput {
                name: output.name.clone(),
                unit: output.unit.clone(),
                description: output.description.clone(),
                own,
                other,
                difference,
            }
        });
        let other = self.path.display().to_string();
        Overlay { other, times: own.times.clone(), outputs: outputs.collect(), outcome }
    }
}

/// The model with another reduced model for its only flexible body, or for the bodies whose reduced model has this
/// name.
fn with_rom(mut document: Document, path: &Path) -> Result<Document, Failure> {
    let rom = rom::load(path).map_err(|wrong| kind::refused(path, Kind::Rom, wrong))?;
    let only = document.roms.len() == 1;
    let mut replaced = 0;
    for own in document.roms.iter_mut().filter(|own| only || own.name == rom.name) {
        *own = rom.clone();
        replaced += 1;
    }
    if replaced > 0 {
        return Ok(document);
    }
    let names: Vec<&str> = document.roms.iter().map(|own| own.name.as_str()).collect();
    let hint = match names.is_empty() {
        true => "the model has none".to_string(),
        false => format!("expected one of {}", names.join(", ")),
    };
    let found = format!("--compare {}: no flexible body of the model uses a reduced model", path.display());
    Err(Failure::Usage(format!("{found} with the name `{}`; {hint}", rom.name)))
}

impl ComparedOutput {
    fn largest(&self, times: &[f64]) -> LargestDifference<'_> {
        let mut at = 0;
        for (i, value) in self.difference.iter().enumerate() {
            // A difference that is not a number counts as the largest.
            if !(value.abs() <= self.difference[at].abs()) {
                at = i;
            }
        }
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (least, most) = self.other.iter().fold(ends, |(l, u), value| (l.min(*value), u.max(*value)));
        let (difference, range) = (self.difference[at], most - least);
        let relative = (range > 0.0).then(|| difference.abs() / range);
        LargestDifference { name: &self.name, unit: &self.unit, difference, at_s: times[at], range, relative }
    }
}

impl Overlay {
    /// Quality of the other model's run.
    pub fn outcome(&self) -> Outcome {
        self.outcome.clone()
    }

    /// The largest difference of every output, for the report.
    pub fn page(&self) -> String {
        let mut rows = vec![["", "largest difference", "", "at t", "of the range"].map(String::from).to_vec()];
        for LargestDifference { name, unit, difference, at_s, relative, .. } in self.largest() {
            let part = relative.map_or(String::new(), |part| text::short(part, 3));
            let at = format!("{} s", text::short(at_s, 6));
            rows.push(vec![name.to_string(), text::short(difference, 6), unit.to_string(), at, part]);
        }
        format!("\nCompared with {}\n{}", self.other, text::table(&rows))
    }

    /// The largest differences for `--json`.
    pub fn findings(&self) -> serde_json::Value {
        serde_json::json!({"with": self.other, "outputs": self.largest().collect::<Vec<_>>()})
    }

    fn largest(&self) -> impl Iterator<Item = LargestDifference<'_>> {
        self.outputs.iter().map(|output| output.largest(&self.times))
    }

    /// Both curves of every output in one panel, and their difference in the next.
    pub fn draw(&self, name: &str, note: &str) -> String {
        let label = |output: &ComparedOutput| {
            let name = &output.name;
            [name.clone(), format!("{name}, {}", self.other), format!("{name}: difference")]
        };
        let labels: Vec<[String; 3]> = self.outputs.iter().map(label).collect();
        let mut panels = Vec::new();
        for (output, [own, other, difference]) in self.outputs.iter().zip(&labels) {
            let of = |name, values| Curve {
                name,
                unit: &output.unit,
                description: &output.description,
                stepped: false,
                diagnostic: false,
                values,
            };
            let panel =
                |curves| Panel { title: None, unit: &output.unit, factor: 1.0, curves, low: false, along: None };
            panels.push(panel(vec![of(own, &output.own), of(other, &output.other)]));
            panels.push(panel(vec![of(difference, &output.difference)]));
        }
        plot::draw_panels(("time", "s"), &format!("{name} and {}", self.other), note, &self.times, &panels)
    }
}
