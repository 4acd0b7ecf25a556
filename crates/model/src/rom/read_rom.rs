//! Reads a reduced-order model and validates it.

use super::rom_schema::{FORMAT, Rom, VERSION};
use super::validate::validate;
use crate::document::{self, Diagnostics, Reading, text_of};
use std::path::Path;

/// Loads a file.
///
/// # Errors
/// All errors of the file; only the format or version, if these differ.
pub fn load(path: &Path) -> Result<Rom, Diagnostics> {
    parse(&text_of(path, "the file of a reduced-order model")?, &path.display().to_string())
}

/// Reads the text of a file; `file` is the name that diagnostics show.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, file: &str) -> Result<Rom, Diagnostics> {
    let reading = document::read_long::<Rom>(text, file)?;
    of_another_format(&reading)?;
    let Reading { value: rom, source, mut diagnostics, .. } = reading;
    // Values that do not fit the schema were replaced by meaningless numbers.
    if diagnostics.0.is_empty() {
        diagnostics.0.extend(validate(&rom, &source));
    }
    diagnostics.into_result(rom)
}

/// Reports a file that is no reduced-order model, or that has another version.
fn of_another_format(reading: &Reading<Rom>) -> Result<(), Diagnostics> {
    let (rom, source) = (&reading.value, &reading.source);
    let replaced = |key: &str| reading.replaced.iter().any(|path| path == key);
    let complaint = if replaced("format") && !source.contains("format") {
        let found = "the file has no key `format`, so it is not a reduced-order model";
        source.at("format", found, format!("start a reduced-order model with `format = \"{FORMAT}\"`"))
    } else if !replaced("format") && rom.format != FORMAT {
        source.at("format", format!("found \"{}\"", rom.format), format!("write \"{FORMAT}\""))
    } else if !replaced("version") && rom.version != VERSION {
        let expected =
            format!("this program reads version {VERSION}; reduce the structure again with `ballesta reduce`");
        source.at("version", format!("found version {}", rom.version), expected)
    } else {
        return Ok(());
    };
    Err(Diagnostics(vec![complaint]))
}
