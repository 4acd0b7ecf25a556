//! `ballesta modes`: natural frequencies of a structure or of a reduced model, modes of a model.

pub mod arguments;
#[cfg(feature = "fem")]
mod structure_modes;

use crate::operating::{self, Operating};
use crate::text;
use ballesta::analysis::modal;
use ballesta::rom::{self, Rom};
use ballesta::system::System;
use ballesta_files::Failure;
use ballesta_files::kind::Kind;
use ballesta_files::output_file::{keep_apart, write};
use ballesta_pictures::page;
use ballesta_run::model;
use ballesta_run::modes::{ModesReport, moves};
use serde::Serialize;
use std::f64::consts::TAU;
use std::path::Path;

/// Resolved `ballesta modes` command.
pub struct Plan {
    subject: Subject,
    typed: arguments::Modes,
}

enum Subject {
    #[cfg(feature = "fem")]
    Structure(Box<structure_modes::Subject>),
    Rom(Box<Rom>),
    Model(Box<Operating>),
}

#[derive(Serialize)]
struct StructureModesReport {
    name: String,
    held: bool,
    rigid_modes: usize,
    frequencies_hz: Vec<f64>,
}

/// Kind of the file at a path; for an unparsable file from its name and tables.
fn kind_of(path: &Path) -> Option<Kind> {
    let named = |end: &str| path.to_string_lossy().ends_with(end);
    let has_model = || {
        ballesta::document::file::read_text(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "[model]"))
    };
    Kind::of(path).or_else(|| match () {
        () if named(".rom.toml") => Some(Kind::Rom),
        () if named("model.toml") || !path.is_dir() && has_model() => Some(Kind::Model),
        () => None,
    })
}

fn refuse_model_options(typed: &arguments::Modes) -> Result<(), Failure> {
    if typed.trim || !typed.set.is_empty() {
        return Err(Failure::Usage("--trim and --set need a model".into()));
    }
    Ok(())
}

/// Line with the number of integrated modes of flexible bodies; empty without such bodies.
fn integrated_modes(system: &System) -> String {
    let bodies = &system.report().flexible;
    let all: usize = bodies.iter().map(|body| body.modes.len()).sum();
    let held = bodies.iter().flat_map(|body| &body.modes).filter(|mode| mode.quasi_static).count();
    if all == 0 {
        return String::new();
    }
    let note = if held == 0 { "" } else { " (`resolution`), which have no motion of their own here" };
    format!("modes of flexible bodies: {} integrated, {held} quasi-static{note}\n", all - held)
}

impl Plan {
    /// Reads the structure or the reduced model.
    pub fn resolve(typed: arguments::Modes) -> Result<Plan, Failure> {
        if let Some(path) = typed.html.as_ref().filter(|path| !page::is_page(path)) {
            return Err(Failure::Usage(format!("--html {}: expected a name that ends in .html", path.display())));
        }
        let outputs = [("--svg", typed.svg.as_deref()), ("--html", typed.html.as_deref())];
        keep_apart(&outputs, std::slice::from_ref(&typed.subject))?;
        let kind = kind_of(&typed.subject);
        let subject = if kind == Some(Kind::Rom) {
            ballesta::document::file::open(&typed.subject)
                .map_err(|error| Failure::file("read", &typed.subject, error))?;
            if typed.svg.is_some() || typed.supported {
                let message = "--svg and --supported need a structure: a reduced model has neither shapes nor supports";
                return Err(Failure::Usage(message.into()));
            }
            refuse_model_options(&typed)?;
            Subject::Rom(Box::new(rom::load(&typed.subject)?))
        } else if kind == Some(Kind::Model) {
            if typed.svg.is_some() || typed.supported {
                return Err(Failure::Usage("--svg and --supported need a structure; joints support a model".into()));
            }
            Subject::Model(Box::new(Operating::resolve(&typed.subject, &typed.set, typed.trim)?))
        } else {
            refuse_model_options(&typed)?;
            #[cfg(not(feature = "fem"))]
            return Err(super::not_built_in("finite elements"));
            #[cfg(feature = "fem")]
            Subject::Structure(Box::new(structure_modes::open(&typed.subject)?))
        };
        Ok(Plan { subject, typed })
    }

    /// Computes and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let findings = match &self.subject {
            #[cfg(feature = "fem")]
            Subject::Structure(subject) => structure_modes::modes(subject, &self.typed)?,
            Subject::Rom(rom) => self.of_rom(rom)?,
            Subject::Model(operating) => return self.of_model(operating),
        };
        if self.typed.json {
            return text::say_json(&findings);
        }
        let held = if findings.held { "held by its supports" } else { "free" };
        let mut page = format!("{}, {held}: {}\n", findings.name, text::count(findings.rigid_modes, "rigid-body mode"));
        let mut rows = vec![vec!["mode".to_string(), "Hz".into(), "rad/s".into()]];
        for (i, frequency) in findings.frequencies_hz.iter().enumerate() {
            rows.push(vec![(i + 1).to_string(), text::short(*frequency, 9), text::short(TAU * frequency, 9)]);
        }
        page.push_str(&text::table(&rows));
        text::say(&page)
    }

    fn of_model(&self, operating: &Operating) -> Result<(), Failure> {
        // Modes are computed from the linearization about the operating point.
        let mut simulator = operating.start()?.0;
        let model = simulator.linearize().map_err(operating::failure)?;
        let modes = modal::modes(&model).map_err(operating::failure)?;
        // Only oscillating modes have a shape to animate.
        if let Some(path) = &self.typed.html {
            let shown = modes.modes.iter().filter(|mode| mode.oscillates()).take(self.typed.count);
            let shown: Vec<_> = shown.map(|mode| (mode, moves(mode, &model.motions))).collect();
            if shown.is_empty() {
                return Err(Failure::Usage("--html: the model has no oscillating mode to show".into()));
            }
            let values = model::parameters(&operating.document, &self.typed.set)?;
            let subject = page::Subject { document: &operating.document, values: &values };
            let (system, state) = (simulator.system(), simulator.state());
            let page = page::page_shapes::of_model(&subject, system, state, &model, &shown);
            let page =
                page.ok_or_else(|| Failure::Fault("--html: the shape of a mode could not be computed".into()))?;
            write(path, page)?;
        }
        let name = simulator.system().name();
        if self.typed.json {
            return text::say_json(&ModesReport::new(
                simulator.system(),
                &model,
                &modes,
                self.typed.trim,
                self.typed.count,
            ));
        }
        // Equilibrium or initial state, as selected.
        let place = if self.typed.trim || operating.document.model.experiment.trim {
            "its equilibrium"
        } else {
            "its initial state"
        };
        let mut page = format!("{name}, about {place}: {}\n", text::count(model.size(), "degree of freedom"));
        page += &integrated_modes(simulator.system());
        page += &operating::mode_table(&modes, &model.motions, self.typed.count);
        text::say(&page)
    }

    fn of_rom(&self, rom: &Rom) -> Result<StructureModesReport, Failure> {
        let elastic = rom
            .elastic_modes()
            .map_err(|error| Failure::Usage(format!("{}: {error}", self.typed.subject.display())))?;
        let frequencies_hz: Vec<f64> = elastic.omega.iter().take(self.typed.count).map(|omega| omega / TAU).collect();
        if let Some(path) = &self.typed.html {
            write(path, page::page_shapes::of_rom(rom, &elastic.shapes, &frequencies_hz))?;
        }
        Ok(StructureModesReport {
            name: rom.name.clone(),
            held: false,
            rigid_modes: rom.independent_rigid_motions().ncols(),
            frequencies_hz,
        })
    }
}
