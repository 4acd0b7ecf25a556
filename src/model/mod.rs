//! The model file: schema, loading, validation.
//!
//! [`load()`] reads a `model.toml` (or the folder that holds one) into a [`Document`]: the plain [`schema::Model`] and the
//! [`Source`] that knows where each of its keys stands in the file. Everything wrong with a file is reported at once.

pub mod coordinates;
pub mod flexible;
pub mod load;
pub mod outputs;
pub mod parameters;
pub mod plots;
pub mod schema;
pub mod validate;

pub use crate::document::{Diagnostic, Diagnostics, Source};
pub use flexible::BodyRef;
pub use load::{load, parse};
pub use validate::validate_with;

use crate::rom::Rom;

/// A model and the text it came from.
#[derive(Clone, Debug)]
pub struct Document {
    /// The parsed model.
    pub model: schema::Model,
    /// Where its keys stand.
    pub source: Source,
    /// The reduced-order model of every flexible body, in the order of the file.
    pub roms: Vec<Rom>,
    /// The files of the reduced-order models, each once, in the order in which the file names them first.
    pub rom_files: Vec<RomFile>,
}

/// A file of a reduced-order model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RomFile {
    /// Path from the folder of the model file, with `/` between folders.
    pub path: String,
    /// Its text.
    pub text: String,
}
