//! `ballesta modes`: natural frequencies of a structure or of a reduced model.

use super::arguments;
use super::failure::Failure;
use super::reduce::write;
use super::{shapes, structure, text};
use crate::fem::model::FiniteElementModel;
use crate::fem::natural::natural_modes;
use crate::fem::structure::Structure;
use crate::rom::{self, Rom};
use serde::Serialize;
use std::f64::consts::TAU;

/// What `ballesta modes` is going to report.
pub struct Plan {
    subject: Subject,
    typed: arguments::Modes,
}

enum Subject {
    Structure(Box<(Structure, FiniteElementModel)>),
    Rom(Box<Rom>),
}

#[derive(Serialize)]
struct Findings {
    name: String,
    held: bool,
    rigid_modes: usize,
    frequencies_hz: Vec<f64>,
}

impl Plan {
    /// Reads the structure or the reduced model.
    pub fn resolve(typed: arguments::Modes) -> Result<Plan, Failure> {
        let subject = if typed.subject.to_string_lossy().ends_with(".rom.toml") {
            std::fs::File::open(&typed.subject).map_err(|error| Failure::file("read", &typed.subject, error))?;
            if typed.svg.is_some() || typed.supported {
                let message = "--svg and --supported need a structure: a reduced model has neither shapes nor supports";
                return Err(Failure::Usage(message.into()));
            }
            Subject::Rom(Box::new(rom::load(&typed.subject)?))
        } else {
            Subject::Structure(Box::new(structure::open(&typed.subject)?))
        };
        Ok(Plan { subject, typed })
    }

    /// Computes and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let findings = match &self.subject {
            Subject::Structure(opened) => self.of_structure(&opened.0, &opened.1)?,
            Subject::Rom(rom) => self.of_rom(rom)?,
        };
        if self.typed.json {
            return text::say_json(&findings);
        }
        let held = if findings.held { "held by its supports" } else { "free" };
        let mut page = format!("{}, {held}: {}\n", findings.name, text::count(findings.rigid_modes, "rigid motion"));
        let mut rows = vec![vec!["mode".to_string(), "Hz".into(), "rad/s".into()]];
        for (i, frequency) in findings.frequencies_hz.iter().enumerate() {
            rows.push(vec![(i + 1).to_string(), text::short(*frequency, 9), text::short(TAU * frequency, 9)]);
        }
        page.push_str(&text::table(&rows));
        text::say(&page)
    }

    fn of_structure(&self, structure: &Structure, model: &FiniteElementModel) -> Result<Findings, Failure> {
        if self.typed.supported && model.supports.is_empty() {
            return Err(Failure::Usage("--supported: the structure has no supports".into()));
        }
        let modes = natural_modes(model, self.typed.supported, self.typed.count)
            .map_err(|error| structure::unfactorised(&structure.source, model, error))?;
        if let Some(path) = &self.typed.svg {
            let note = if self.typed.supported { "modes, held by the supports" } else { "free modes" };
            write(path, &shapes::draw(&model.name, note, model, &modes.shapes, &modes.frequencies_hz))?;
        }
        Ok(Findings {
            name: model.name.clone(),
            held: self.typed.supported,
            rigid_modes: modes.rigid,
            frequencies_hz: modes.frequencies_hz,
        })
    }

    fn of_rom(&self, rom: &Rom) -> Result<Findings, Failure> {
        let elastic = rom
            .elastic_modes()
            .map_err(|error| Failure::Usage(format!("{}: {error}", self.typed.subject.display())))?;
        Ok(Findings {
            name: rom.name.clone(),
            held: false,
            rigid_modes: rom.independent_rigid_motions().ncols(),
            frequencies_hz: elastic.omega.iter().take(self.typed.count).map(|omega| omega / TAU).collect(),
        })
    }
}
