//! `ballesta reduce`: reduces a structure to a reduced-order model and reports kept modes and checks.

pub mod arguments;
mod reduction_text;

use crate::commands::export::notice;
use crate::text;
use ballesta_fem::comparison;
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::reduce::{self, Options};
use ballesta_fem::reduction::Prediction;
use ballesta_fem::structure::{self, Structure};
use ballesta_files::{Failure, output_file};
use ballesta_pictures::{mode_shapes, picture};
use std::path::PathBuf;

/// Number of drawn modes.
const MAX_DRAWN_MODES: usize = 9;

/// Resolved `ballesta reduce` command.
pub struct Plan {
    structure: Structure,
    model: FiniteElementModel,
    output: PathBuf,
    svg: Option<PathBuf>,
    options: Options,
    json: bool,
}

impl Plan {
    /// Reads and assembles the structure.
    pub fn resolve(typed: arguments::Reduce) -> Result<Plan, Failure> {
        let (structure, mut model) = structure::open(&typed.structure)?;
        let output = typed.output.unwrap_or_else(|| PathBuf::from(format!("{}.rom.toml", model.name)));
        let outputs = [
            ("--output", Some(output.as_path())),
            ("--svg", typed.svg.as_deref()),
            ("--recovery", typed.recovery.as_deref()),
        ];
        output_file::keep_apart(&outputs, &structure.files())?;
        let recovery = typed.recovery.map(|path| (path, structure::recover_everything(&structure, &mut model)));
        let options = Options { modes: typed.modes, compare: !typed.no_comparison, recovery };
        Ok(Plan { structure, model, output, svg: typed.svg, options, json: typed.json })
    }

    /// Reduces, writes the model and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let model = &self.model;
        let predicted = |prediction: &Prediction| self.predict(prediction);
        let (reduction, findings) = reduce::reduce(&self.structure, model, &self.output, &self.options, predicted)?;
        if let Some(path) = &self.svg {
            let count = MAX_DRAWN_MODES.min(reduction.elastic.omega.len());
            let drawn = comparison::shapes(&reduction, count);
            let note = format!("free modes of the reduced model, {} coordinates", reduction.rom.matrices.size);
            picture::write(
                path,
                &mode_shapes::draw(&model.name, &note, model, &drawn, &reduction.rom.checks.free_frequencies_hz),
            )?;
        }
        if self.json { text::say_json(&findings) } else { text::say(&reduction_text::page(&findings)) }
    }

    /// Reports the predicted memory.
    fn predict(&self, prediction: &Prediction) {
        if !self.json {
            notice(&format!(
                "{} interior and {} interface degrees of freedom; {} entries in the factor; required memory \
                 {}",
                prediction.interior,
                prediction.interface,
                prediction.fill,
                text::size(prediction.bytes as u64)
            ));
        }
    }
}
