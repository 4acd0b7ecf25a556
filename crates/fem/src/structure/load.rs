//! Reads a structure file.

use super::structure_schema::StructureFile;
use super::{Structure, validate};
use ballesta::document::{self, Diagnostics, text_of};
use std::path::Path;

/// Name of the structure file in a structure's folder.
pub const FILE_NAME: &str = "structure.toml";

/// Loads `path`, a structure file or a folder with a `structure.toml`.
pub fn load(path: &Path) -> Result<Structure, Diagnostics> {
    let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
    parse(&text_of(&file, "a structure file or its folder")?, &file.display().to_string())
}

/// Parses and validates the text of a structure file; `file` is the name for diagnostics.
///
/// All errors of the file at once, in the order of the file.
pub fn parse(text: &str, file: &str) -> Result<Structure, Diagnostics> {
    let reading = document::read::<StructureFile>(text, file)?;
    let mut diagnostics = reading.diagnostics;
    let structure = Structure { file: reading.value, source: reading.source, text: text.to_string() };
    diagnostics.0.extend(validate::validate(&structure, &reading.replaced));
    diagnostics.into_result(structure)
}
