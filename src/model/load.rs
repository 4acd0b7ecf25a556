//! Reading a model file.

use super::schema::Model;
use super::{Diagnostics, Document, validate};
use crate::document::{self, text_of};
use crate::rom;
use std::path::Path;

/// Name of the model file in a model's folder.
pub const FILE_NAME: &str = "model.toml";

/// Loads `path`, a model file or a folder with a `model.toml`.
pub fn load(path: &Path) -> Result<Document, Diagnostics> {
    let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
    parse(&text_of(&file, "a model file or its folder")?, &file.display().to_string())
}

/// Parses and validates the text of a model file; `file` is the name that diagnostics show.
///
/// All errors of the file come back at once, in the order of the file. Checks that join several tables are left out
/// where a broken table would make them complain about what is right.
pub fn parse(text: &str, file: &str) -> Result<Document, Diagnostics> {
    let reading = document::read::<Model>(text, file)?;
    let (model, source, mut diagnostics) = (reading.value, reading.source, reading.diagnostics);
    diagnostics.0.extend(validate::validate(&model, &source, &reading.replaced));
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let mut roms = Vec::new();
    for body in &model.flexible_bodies {
        match rom::load(&folder.join(&body.rom)) {
            Ok(rom) => roms.push(rom),
            Err(found) => diagnostics.0.extend(found.0),
        }
    }
    diagnostics.into_result(Document { model, source, roms })
}
