//! Reading a model file (skeleton; the loader's author replaces this).

use super::{Diagnostics, Document, Source, schema::Model};
use std::path::Path;

/// Loads `path`, a model file or a folder with a `model.toml`.
pub fn load(path: &Path) -> Result<Document, Diagnostics> {
    let file = if path.is_dir() { path.join("model.toml") } else { path.to_path_buf() };
    let text = std::fs::read_to_string(&file).expect("readable");
    parse(&text, &file.display().to_string())
}

/// Parses and validates the text of a model file.
pub fn parse(text: &str, file: &str) -> Result<Document, Diagnostics> {
    let model: Model = toml::from_str(text).expect("valid");
    Ok(Document { model, source: Source::new(file, Vec::new()) })
}
