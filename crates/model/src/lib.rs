//! The model file: schema, loading, validation.
//!
//! [`load()`] reads a `model.toml` (or the folder that contains one) into a [`Document`]: the plain [`schema::Model`]
//! and the [`Source`] with the position of each of its keys in the file. All errors of a file are reported at once.

pub mod assembly;
mod curves;
pub mod document;
pub mod elements;
pub mod expression;
pub mod files;
pub mod flexible_names;
pub mod geometry;
pub mod height_map;
pub mod kept_rods;
pub mod load;
pub mod outputs;
pub mod parameters;
pub mod plots;
pub mod rom;
pub mod runners;
pub mod schema;
pub mod shapes;
pub mod tir;
pub mod tyres;
pub mod units;
mod unused;
pub mod validate;
pub mod wheel_ports;
pub mod write;

pub use document::{Diagnostic, Diagnostics, Source};
pub use files::DataFile;
pub use flexible_names::BodyRef;
pub use load::{flatten, load, parse, parse_with};
pub use unused::Unused;
pub use validate::{formula, validate_with};
pub use write::write;

use ballesta_solver::force::road::HeightMap;
use ballesta_solver::tyre::Properties;
use rom::Rom;
use std::sync::Arc;

/// A model and the text it came from.
#[derive(Clone, Debug)]
pub struct Document {
    /// The parsed model.
    pub model: schema::Model,
    /// Positions of its keys.
    pub source: Source,
    /// The reduced-order model of every flexible body, in the order of the file.
    pub roms: Vec<Rom>,
    /// The properties of every tyre, in the order of the file.
    pub tyres: Vec<Arc<Properties>>,
    /// The height map of every road, in the order of the file; `None` if the road has none.
    pub height_maps: Vec<Option<Arc<HeightMap>>>,
    /// The friction map of every road that has one.
    pub friction_maps: Vec<Option<Arc<HeightMap>>>,
    /// The mesh of every shape, in the order of the file, if the command line has read it; empty otherwise.
    pub meshes: Vec<Option<Arc<shapes::Mesh>>>,
    /// The files that the model names, each once, in the order of their first use.
    pub files: Vec<DataFile>,
}
