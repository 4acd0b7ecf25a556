//! Structures of the gallery, reduced.

use ballesta::rom::rom_schema::Source;
use ballesta_fem::model::FiniteElementModel;
use ballesta_fem::reduction::{Damping, ModeChoice, Reducer, Reduction, Refusal, ResidualLoads, Settings};
use ballesta_fem::structure::{self, Structure};
use std::path::Path;

/// All structures of the gallery.
pub const GALLERY: [&str; 7] = ["truss", "cantilever", "crane", "frame", "slender_beam", "space_frame", "solid"];

/// A structure of the gallery.
pub fn load(name: &str) -> (Structure, FiniteElementModel) {
    let structure = structure::load(&Path::new("models/structures").join(name)).unwrap_or_else(|e| panic!("{e}"));
    let model = structure::build(&structure).unwrap_or_else(|e| panic!("{e}"));
    (structure, model)
}

/// A structure as text.
pub fn parse(text: &str) -> FiniteElementModel {
    let structure = structure::parse(text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
    structure::build(&structure).unwrap_or_else(|e| panic!("{e}"))
}

/// Settings with this choice of modes and nothing else.
pub fn settings(modes: ModeChoice) -> Settings {
    Settings { modes, residual: ResidualLoads::default(), damping: Damping::None, support: None }
}

/// The reduction of a model.
pub fn try_reduce(model: &FiniteElementModel, settings: &Settings) -> Result<Reduction, Refusal> {
    let source = Source {
        program: "tests".into(),
        file: "structure.toml".into(),
        sha256: "0".repeat(64),
        dimension: if model.dimension.directions().len() == 3 { 2 } else { 3 },
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    };
    Reducer::new(model)?.reduce(settings, source)
}

/// The reduction of a model that can be reduced.
pub fn reduce(model: &FiniteElementModel, modes: ModeChoice) -> Reduction {
    try_reduce(model, &settings(modes)).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}
