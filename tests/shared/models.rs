//! Documents and systems of models that are valid.

use ballesta::compile;
use ballesta::model::{self, Document};
use ballesta::system::System;
use std::path::Path;

/// The document of a file or folder.
pub fn load(path: impl AsRef<Path>) -> Document {
    model::load(path.as_ref()).unwrap_or_else(|errors| panic!("{}: {errors}", path.as_ref().display()))
}

/// The document of a text; paths in it are relative to the folder of `file`.
pub fn parse(text: &str, file: &str) -> Document {
    model::parse(text, file).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The system of a document with its own parameter values.
pub fn compiled(document: &Document) -> System {
    compiled_with(document, &document.model.parameter_values())
}

/// The system of a document with other parameter values.
pub fn compiled_with(document: &Document, values: &[f64]) -> System {
    compile::compile(document, values).unwrap_or_else(|errors| panic!("{errors}"))
}
