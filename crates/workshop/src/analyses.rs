//! Analyses of the model in a page: check, equilibrium, modes, linearization and verification, computed as by the
//! commands of the program.
//!
//! A page runs them in a second worker with its own copy of the files, so that the first one can step the model.

use crate::workshop::{Workshop, json};
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal;
use ballesta::compile;
use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta::system::System;
use ballesta_files::Failure;
use ballesta_pictures::page::live::{is_appended, with_pulls_in};
use ballesta_pictures::page::{self, Subject, page_shapes};
use ballesta_run::check::Check;
use ballesta_run::linearization::{self, LinearizationReport};
use ballesta_run::model::{self, Assignment};
use ballesta_run::model_files;
use ballesta_run::modes::{ModesReport, moves};
use ballesta_run::operating::{self, EquilibriumReport, Operating};
use ballesta_run::verify::{Options, Verification};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A requested analysis.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// `check`, `trim`, `modes`, `linearize`, `verify`, or `state`: the present state of the session.
    analysis: String,
    /// The main file.
    #[serde(default)]
    main: String,
    /// Values of parameters, as by `--set`.
    #[serde(default)]
    set: Vec<(String, f64)>,
    /// Whether the analysis starts at the equilibrium.
    #[serde(default)]
    trim: bool,
    /// Number of modes.
    #[serde(default)]
    count: usize,
    /// Of `verify`: stop time in s, largest acceptable relative error, and whether the second integrator is omitted.
    #[serde(default)]
    stop: Option<f64>,
    #[serde(default)]
    tolerance: f64,
    #[serde(default)]
    one_integrator: bool,
    /// Of `linearize`: a state in place of the start.
    #[serde(default)]
    state: Option<SessionState>,
}

/// The state of a session, and the parameter values that its system depends on.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SessionState {
    /// Values with which the forces that pull bodies were appended.
    opened: Vec<f64>,
    /// Values with which the system was compiled.
    compiled: Vec<f64>,
    /// Bytes of the state, two hexadecimal digits each.
    state: String,
}

/// The result of an analysis.
#[derive(Default)]
struct Answer {
    /// The JSON object of the command.
    report: String,
    /// The script for MATLAB or Octave.
    script: Option<String>,
    /// Notes that the command prints.
    notes: Vec<String>,
    /// Data of the page that shows the result, as JSON.
    drawing: Option<String>,
}

impl Answer {
    fn json(self) -> String {
        let Answer { report, script, notes, drawing } = self;
        let drawing = drawing.unwrap_or_else(|| "null".into());
        let [report, script, notes] = [json(&report), json(&script), json(&notes)];
        format!("{{\"report\":{report},\"script\":{script},\"notes\":{notes},\"drawing\":{drawing}}}")
    }
}

/// The report as the commands print it with `--json`.
fn report(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("numbers and texts can be serialized") + "\n"
}

impl Workshop {
    /// Computes an analysis of the model whose files are in memory. `request` is a JSON object with `analysis` and its
    /// options. Returns a JSON object: `report` (text of the JSON object of the command), `script` (for MATLAB or
    /// Octave, or null), `notes`, and `drawing` (data of a page that shows the result, or null). The report of `trim`
    /// is `equilibrium` of `check --trim --json`. The session stays as it is.
    ///
    /// The analysis `state` returns the present state of the session, which `linearize` accepts as `state`.
    ///
    /// # Errors
    /// The message of the command, as text.
    pub fn analyse(&self, request: &str) -> Result<String, String> {
        let request: Request = serde_json::from_str(request).map_err(|error| error.to_string())?;
        if request.analysis == "state" {
            return self.present_state();
        }
        let document = model_files::document(&request.main, &self.files);
        let (document, _) = document.map_err(|wrong| Failure::Input(wrong).to_string())?;
        let answer = match request.analysis.as_str() {
            "check" => check(document, &request),
            "trim" => trim(document, &request),
            "modes" => modes(document, &request),
            "linearize" => linearize(document, &request),
            "verify" => verify(document, request),
            other => Err(Failure::Usage(format!("unknown analysis `{other}`"))),
        };
        // The words for the kind of a failure are for a terminal.
        let words = |failure: Failure| match failure {
            Failure::Usage(message) | Failure::Fault(message) => message,
            other => other.to_string(),
        };
        answer.map(Answer::json).map_err(words)
    }

    fn present_state(&self) -> Result<String, String> {
        let (session, opened) = self.opened_session().ok_or("no model is compiled")?;
        let bytes = session.state().to_bytes();
        let state = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(json(&SessionState { opened: opened.to_vec(), compiled: session.compiled_parameters().to_vec(), state }))
    }
}

fn assignments(request: &Request) -> Vec<Assignment> {
    request.set.iter().map(|(name, value)| Assignment { name: name.clone(), value: *value }).collect()
}

fn check(document: Document, request: &Request) -> Result<Answer, Failure> {
    let check = Check::new(document, PathBuf::from(&request.main), &assignments(request), request.trim)?;
    Ok(Answer { report: report(&check.answer()?.findings), ..Answer::default() })
}

fn trim(document: Document, request: &Request) -> Result<Answer, Failure> {
    let set = assignments(request);
    let operating = Operating::new(document, &set, true)?;
    let (simulator, found) = operating.start()?;
    let found = found.expect("the equilibrium was requested");
    let values = model::parameters(&operating.document, &set)?;
    let subject = Subject { document: &operating.document, values: &values };
    let drawing = page::data_of_state(&subject, simulator.system(), simulator.state());
    let report = report(&EquilibriumReport::new(&simulator, &found));
    Ok(Answer { report, drawing: Some(drawing), ..Answer::default() })
}

fn modes(document: Document, request: &Request) -> Result<Answer, Failure> {
    // Modes of the linearization about the operating point, as in `modes`.
    let set = assignments(request);
    let operating = Operating::new(document, &set, request.trim)?;
    let mut simulator = operating.start()?.0;
    let linear = simulator.linearize().map_err(operating::failure)?;
    let modes = modal::modes(&linear).map_err(operating::failure)?;
    let report = report(&ModesReport::new(simulator.system(), &linear, &modes, request.trim, request.count));
    // Only oscillating modes have a shape to animate.
    let shown = modes.modes.iter().filter(|mode| mode.oscillates()).take(request.count);
    let shown: Vec<_> = shown.map(|mode| (mode, moves(mode, &linear.motions))).collect();
    if shown.is_empty() {
        return Ok(Answer { report, ..Answer::default() });
    }
    let values = model::parameters(&operating.document, &set)?;
    let subject = Subject { document: &operating.document, values: &values };
    let (system, state) = (simulator.system(), simulator.state());
    let drawing = page_shapes::data_of_model(&subject, system, state, &linear, &shown);
    let missing = drawing.is_none().then(|| "the shape of a mode could not be computed".to_string());
    Ok(Answer { report, drawing, notes: missing.into_iter().collect(), script: None })
}

fn linearize(document: Document, request: &Request) -> Result<Answer, Failure> {
    let notes = linearization::notes(&document);
    let (system, linear) = match &request.state {
        Some(state) => {
            let mut simulator = at_state(&document, state)?;
            let mut linear = simulator.linearize().map_err(operating::failure)?;
            remove_pulls(&mut linear, &document, simulator.system());
            (simulator.system().clone(), linear)
        }
        None => {
            let mut simulator = Operating::new(document, &assignments(request), request.trim)?.start()?.0;
            let linear = simulator.linearize().map_err(operating::failure)?;
            (simulator.system().clone(), linear)
        }
    };
    let modes = modal::modes(&linear).map_err(operating::failure)?;
    let found = LinearizationReport::new(system.name(), linear, &modes);
    Ok(Answer { report: report(&found), script: Some(found.script()), notes, drawing: None })
}

/// A simulator in the state of a session of the document.
fn at_state(document: &Document, saved: &SessionState) -> Result<Simulator, Failure> {
    let unfit = || Failure::Usage("the state belongs to another model: wait until the model is compiled".into());
    let bytes: Option<Vec<u8>> =
        (0..saved.state.len() / 2).map(|k| u8::from_str_radix(saved.state.get(2 * k..2 * k + 2)?, 16).ok()).collect();
    let count = document.model.parameters.len();
    if saved.opened.len() != count || saved.compiled.len() != count {
        return Err(unfit());
    }
    let pulled = with_pulls_in(document, &saved.opened);
    // A session has the forces that pull bodies if it can have them.
    for document in pulled.iter().chain([document]) {
        let Ok(system) = compile::compile(document, &saved.compiled) else { continue };
        let mut simulator = Simulator::new(Arc::new(system));
        if bytes.as_ref().is_some_and(|bytes| simulator.restore_bytes(bytes)) {
            return Ok(simulator);
        }
    }
    Err(unfit())
}

/// Removes the inputs of the forces that pull bodies.
fn remove_pulls(linear: &mut Linearization, document: &Document, system: &System) {
    let kept: Vec<bool> = linear.inputs.iter().map(|name| !is_appended(document, system, name)).collect();
    let retain = |row: &mut Vec<f64>| {
        let mut kept = kept.iter();
        row.retain(|_| *kept.next().expect("a column per input"));
    };
    linear.b.iter_mut().chain(&mut linear.d).for_each(retain);
    let mut kept = kept.iter();
    linear.inputs.retain(|_| *kept.next().expect("one per input"));
}

fn verify(document: Document, request: Request) -> Result<Answer, Failure> {
    let set = assignments(&request);
    let Request { stop, tolerance, trim, one_integrator, .. } = request;
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Failure::Usage(format!("the tolerance {tolerance} is not a positive number")));
    }
    let options = Options { stop, step: None, tolerance, trim, set, one_integrator };
    let verification = Verification::new(document, options, |_| Ok(None))?;
    let found = verification.findings(&|_, _| Box::new(|| ()))?;
    let notes = found.warnings.clone();
    Ok(Answer { report: report(&found), notes, ..Answer::default() })
}
