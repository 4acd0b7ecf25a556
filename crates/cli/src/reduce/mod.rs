//! `ballesta reduce`: a structure to a reduced-order model, with a report of what was kept and what was checked.

mod report;

use super::arguments;
use super::export::notice;
use super::failure::Failure;
use super::output_file::{self, write};
use super::picture;
use super::{shapes, structure, text};
use ballesta::document::Diagnostics;
use ballesta_fem::comparison::{self, Pair};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::reduction::{ModeChoice, Prediction, Reducer, Reduction};
use ballesta_fem::structure::Structure;
use report::Findings;
use std::path::PathBuf;
use std::time::Instant;

/// Modes whose full and reduced frequencies are compared, at most.
const MOST_COMPARED: usize = 20;

/// Modes that are drawn.
const MOST_DRAWN: usize = 9;

/// What `ballesta reduce` is going to do.
pub struct Plan {
    structure: Structure,
    model: FiniteElementModel,
    output: PathBuf,
    svg: Option<PathBuf>,
    modes: Option<usize>,
    compare: bool,
    json: bool,
}

impl Plan {
    /// Reads and assembles the structure.
    pub fn resolve(typed: arguments::Reduce) -> Result<Plan, Failure> {
        let (structure, model) = structure::open(&typed.structure)?;
        let output = typed.output.unwrap_or_else(|| PathBuf::from(format!("{}.rom.toml", model.name)));
        let outputs = [("--output", Some(output.as_path())), ("--svg", typed.svg.as_deref())];
        let read: Vec<PathBuf> =
            std::iter::once(structure::file(&typed.structure)).chain(structure.matrix_files()).collect();
        output_file::keep_apart(&outputs, &read)?;
        let (svg, modes) = (typed.svg, typed.modes);
        Ok(Plan { structure, model, output, svg, modes, compare: !typed.no_comparison, json: typed.json })
    }

    /// Reduces, writes the model and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let findings = self.reduce()?;
        if self.json { text::say_json(&findings) } else { text::say(&findings.page()) }
    }

    /// Reduces and writes the model.
    pub fn reduce(&self) -> Result<Findings, Failure> {
        let start = Instant::now();
        let (model, source) = (&self.model, &self.structure.source);
        let refuse = |refusal| structure::refused(source, refusal);
        let (mut settings, step_s) = structure::settings(&self.structure)?;
        if let Some(count) = self.modes {
            settings.modes = ModeChoice::Count(count);
        }
        let reducer = Reducer::new(model).map_err(refuse)?;
        self.fit(&reducer.prediction(structure::expected_modes(&settings)))?;
        let reduction = reducer.reduce(&settings, structure::provenance(&self.structure, model)?).map_err(refuse)?;
        let seconds = start.elapsed().as_secs_f64();
        let pairs = if self.compare { self.pairs(&reduction)? } else { Vec::new() };
        let written = ballesta_fem::export::to_toml(&reduction.rom);
        readable(&written, &source.file)?;
        write(&self.output, written.as_bytes())?;
        if let Some(path) = &self.svg {
            let count = MOST_DRAWN.min(reduction.elastic.omega.len());
            let drawn = comparison::shapes(&reduction, count);
            let note = format!("free modes of the reduced model, {} coordinates", reduction.rom.matrices.size);
            picture::write(
                path,
                &shapes::draw(&model.name, &note, model, &drawn, &reduction.rom.checks.free_frequencies_hz),
            )?;
        }
        Ok(Findings::new(&reduction, &self.output, pairs, step_s, seconds))
    }

    /// Says what the reduction needs, and refuses what cannot fit.
    fn fit(&self, prediction: &Prediction) -> Result<(), Failure> {
        if !self.json {
            notice(&format!(
                "{} interior and {} interface degrees of freedom; the factor will have {} entries, the reduction \
                 needs {}",
                prediction.interior,
                prediction.interface,
                prediction.fill,
                text::size(prediction.bytes as u64)
            ));
        }
        match structure::available_memory() {
            Some(available) => fits(prediction.bytes as u64, available),
            None => Ok(()),
        }
    }

    fn pairs(&self, reduction: &Reduction) -> Result<Vec<Pair>, Failure> {
        comparison::compare(&self.model, reduction, MOST_COMPARED)
            .map_err(|error| structure::unfactorised(&self.structure.source, &self.model, error))
    }
}

/// Refuses what needs more bytes than are free.
fn fits(needed: u64, available: u64) -> Result<(), Failure> {
    if needed <= available {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the reduction needs {} of memory, and {} are free; use a coarser mesh, or a machine with more memory",
        text::size(needed),
        text::size(available)
    )))
}

/// Refuses a reduced model that could not be read again, with the reasons, at the structure that it comes from.
fn readable(written: &str, structure: &str) -> Result<(), Failure> {
    let Err(Diagnostics(mut found)) = ballesta::rom::parse(written, structure) else { return Ok(()) };
    for diagnostic in &mut found {
        (diagnostic.line, diagnostic.column) = (0, 0);
        diagnostic.found = format!("in the reduced model, which is not written: {}", diagnostic.found);
    }
    Err(Failure::Input(Diagnostics(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_refused_with_both_numbers() {
        assert!(fits(8_000_000, 8_000_000).is_ok());
        let refusal = fits(31_000_000_000, 8_000_000_000).unwrap_err().to_string();
        assert!(refusal.contains("31000 MB") && refusal.contains("8000 MB are free"), "{refusal}");
    }
}
