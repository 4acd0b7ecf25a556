//! Modes of a structure.

use super::{StructureModesReport, arguments};
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::natural::natural_modes;
use ballesta_fem::structure::{self, Structure};
use ballesta_files::Failure;
use ballesta_files::output_file::write;
use ballesta_pictures::{mode_shapes, page, picture};

pub use ballesta_fem::structure::open;

/// A structure and its matrices.
pub type Subject = (Structure, FiniteElementModel);

/// Computes the modes and draws them.
pub fn modes((structure, model): &Subject, typed: &arguments::Modes) -> Result<StructureModesReport, Failure> {
    if typed.supported && model.supports.is_empty() {
        return Err(Failure::Usage("--supported: the structure has no supports".into()));
    }
    let modes = natural_modes(model, typed.supported, typed.count)
        .map_err(|error| structure::unfactorised(&structure.source, model, error))?;
    let note = if typed.supported { "modes, held by the supports" } else { "free modes" };
    if let Some(path) = &typed.svg {
        picture::write(path, &mode_shapes::draw(&model.name, note, model, &modes.shapes, &modes.frequencies_hz))?;
    }
    if let Some(path) = &typed.html {
        write(path, page::page_structure::page(model, note, &modes.shapes, &modes.frequencies_hz))?;
    }
    Ok(StructureModesReport {
        name: model.name.clone(),
        held: typed.supported,
        rigid_modes: modes.rigid,
        frequencies_hz: modes.frequencies_hz,
    })
}
