//! What the commands find, as data: for the Python package, which asks the same questions and prints nothing.
//!
//! Every function here calls what the command of its name calls, and gives the object that its `--json` prints.

use super::arguments::{Reduce, Template, Verify};
use super::failure::Failure;
use super::simulation::Recording;
use super::{export, new, page, picture, plot, reduce, verify};
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta::system::{State, System};
use ballesta_experiment::Grid;
use ballesta_experiment::Inputs;
use ballesta_package::Version;
use ballesta_pictures::curves::curves;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

fn value(findings: &impl Serialize) -> Value {
    serde_json::to_value(findings).expect("plain data with text keys is always valid JSON")
}

/// `ballesta verify` of a model; `typed.inputs` is left aside, `table` are the inputs over time.
pub fn verify(document: Document, typed: Verify, table: Option<Inputs>) -> Result<Value, Failure> {
    Ok(value(&verify::Plan::new(document, typed, table)?.findings()?))
}

/// `ballesta reduce`: writes the reduced model.
pub fn reduce(typed: Reduce) -> Result<Value, Failure> {
    Ok(value(&reduce::Plan::resolve(typed)?.reduce()?))
}

/// `ballesta export` with the libraries that belong to the installation or source tree of `program`. Remarks for people
/// go to `notices`.
pub fn export(
    document: &Document,
    source: &str,
    output: &Path,
    version: Version,
    program: Option<&Path>,
    notices: &mut Vec<String>,
) -> Result<Value, Failure> {
    let mut notice = |line: &str| notices.push(line.to_string());
    let libraries =
        ballesta_package::libraries_of(program, &mut notice).map_err(|error| Failure::Usage(error.to_string()))?;
    let summary = export::write(document, source, &libraries, output, true, version)?;
    notices.extend(export::remarks(&summary));
    Ok(export::facts(version, &summary))
}

/// Names of the templates that are models, with a word about each.
pub fn templates() -> Vec<(String, String)> {
    let known = Template::value_variants().iter().filter(|template| **template != Template::Structure);
    let named = |template: &Template| {
        let value = template.to_possible_value()?;
        Some((value.get_name().to_string(), value.get_help().map_or(String::new(), |help| help.to_string())))
    };
    known.filter_map(named).collect()
}

/// Path and content of the files of a template by its name; None: there is no such template.
pub fn template(name: &str) -> Option<Vec<(&'static str, String)>> {
    Template::from_str(name, false).ok().filter(|template| *template != Template::Structure).map(new::files)
}

/// A run as a picture: the outputs `chosen` by their index, or, where there are none, the panels of the model file or
/// all outputs.
pub fn plot(
    document: &Document,
    system: &System,
    recording: &Recording,
    chosen: &[usize],
    note: Option<&str>,
) -> String {
    let model = &document.model;
    let curves = curves(recording, system.interface(), model);
    let named: Vec<plot::Curve> = chosen.iter().filter_map(|index| curves.get(*index).copied()).collect();
    let panels = match named.is_empty() {
        false => plot::panels(&named),
        true => {
            Some(plot::chosen(model, &curves)).filter(|all| !all.is_empty()).unwrap_or_else(|| plot::panels(&curves))
        }
    };
    let note = note.unwrap_or(&model.general.description);
    plot::draw_panels(("time", "s"), system.name(), note, &recording.times, &panels)
}

/// Writes a picture as SVG or PNG, by the ending of `path`.
pub fn write_picture(path: &str, svg: &str) -> Result<(), Failure> {
    let path = picture::parse(path).map_err(|wrong| Failure::Usage(format!("{path}: {wrong}")))?;
    picture::write(&path, svg)
}

/// Takes the motion of a run for its 3-D page.
pub struct Film<'a> {
    subject: page::Subject<'a>,
    recorder: page::Recorder,
}

impl<'a> Film<'a> {
    /// For a run over the points of `grid` of a model with these parameters.
    pub fn new(document: &'a Document, values: &'a [f64], system: &Arc<System>, grid: &Grid) -> Film<'a> {
        let recorder = page::Recorder::new(system.clone(), grid.start, grid.stop, grid.step);
        Film { subject: page::Subject { document, values }, recorder }
    }

    /// Looks at the state at a communication point.
    pub fn look(&mut self, state: &State) {
        self.recorder.look(state);
    }

    /// The page of `ballesta run --html`; `fault`: what ended the run early.
    pub fn page(mut self, end: &Simulator, recording: &Recording, fault: Option<String>) -> String {
        if fault.is_some() {
            self.recorder.look_at_end(end.state());
        }
        page::of_run(&self.subject, self.recorder, recording, fault)
    }
}

/// The page of `ballesta view` of a model where `simulator` stands.
pub fn page_of_start(document: &Document, values: &[f64], simulator: &Simulator) -> String {
    let recorder = page::at_rest(simulator.system(), simulator.state());
    page::of_start(&page::Subject { document, values }, recorder)
}
