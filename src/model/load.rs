//! Reading a model file.

use super::schema::Model;
use super::{Diagnostic, Diagnostics, Document, RomFile, validate};
use crate::document::{self, text_of};
use crate::rom::{self, Rom};
use std::path::Path;

/// Name of the model file in a model's folder.
pub const FILE_NAME: &str = "model.toml";

/// Loads `path`, a model file or a folder with a `model.toml`.
pub fn load(path: &Path) -> Result<Document, Diagnostics> {
    let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
    parse(&text_of(&file, "a model file or its folder")?, &file.display().to_string())
}

/// Parses and validates the text of a model file; `file` is the name that diagnostics show. Reduced-order models are read from
/// the folder of `file`.
///
/// All errors of the file come back at once, in the order of the file. Checks that join several tables are left out
/// where a broken table would make them complain about what is right. Errors in the file of a reduced-order model follow behind.
pub fn parse(text: &str, file: &str) -> Result<Document, Diagnostics> {
    let reading = document::read::<Model>(text, file)?;
    let (model, source, mut diagnostics) = (reading.value, reading.source, reading.diagnostics);
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let mut roms = Roms::default();
    for (index, body) in model.flexible_bodies.iter().enumerate() {
        let key = format!("flexible_body[{index}].rom");
        if reading.replaced.contains(&key) {
            roms.of_bodies.push(None);
        } else if let Err(mut found) = roms.load(folder, &body.rom) {
            let complaint = source.at(key, found.found, found.expected);
            diagnostics.0.push(complaint);
            diagnostics.0.append(&mut found.inside);
        }
    }
    let known: Vec<Option<&Rom>> = roms.of_bodies.iter().map(Option::as_ref).collect();
    diagnostics.0.extend(validate::validate(&model, &source, &reading.replaced, known));
    let files = roms.files.into_iter().map(|(path, text, _)| RomFile { path, text }).collect();
    // Where one is missing there is a diagnostic.
    let roms = roms.of_bodies.into_iter().flatten().collect();
    diagnostics.into_result(Document { model, source, roms, rom_files: files })
}

/// The reduced-order models read so far.
#[derive(Default)]
struct Roms {
    of_bodies: Vec<Option<Rom>>,
    /// Path, text, and the first body that names it.
    files: Vec<(String, String, usize)>,
}

/// Why a flexible body has no reduced-order model.
struct NoRom {
    found: String,
    expected: String,
    /// What is wrong in its file.
    inside: Vec<Diagnostic>,
}

impl Roms {
    /// Loads the reduced-order model of the next body; a file that was read before is not read again.
    fn load(&mut self, folder: &Path, path: &str) -> Result<(), NoRom> {
        let body = self.of_bodies.len();
        self.of_bodies.push(None);
        if let Some((_, _, first)) = self.files.iter().find(|(known, ..)| known == path) {
            self.of_bodies[body] = self.of_bodies[*first].clone();
            return Ok(());
        }
        if !is_inside(path) {
            let found = format!("\"{}\" does not lead to a file in the model's folder", path.escape_debug());
            let expected = "write a path from there with `/` between folders, without `..`: the file goes into the FMU";
            return Err(NoRom { found, expected: expected.into(), inside: Vec::new() });
        }
        let file = folder.join(path);
        let text = text_of(&file, "a reduced-order model").map_err(|unreadable| {
            let why: String = unreadable.0.into_iter().map(|diagnostic| diagnostic.found).collect();
            let found = format!("\"{path}\" {why}");
            let expected = "name a file from the model's folder; `ballesta reduce` writes reduced-order models";
            NoRom { found, expected: expected.into(), inside: Vec::new() }
        })?;
        let rom = rom::parse(&text, &file.display().to_string());
        self.files.push((path.to_string(), text, body));
        match rom {
            Ok(rom) => {
                self.of_bodies[body] = Some(rom);
                Ok(())
            }
            Err(inside) => {
                let count = inside.0.len();
                let found = format!("\"{path}\" has {count} error{}", if count == 1 { "" } else { "s" });
                let expected = "see there; `ballesta reduce` writes reduced-order models";
                Err(NoRom { found, expected: expected.into(), inside: inside.0 })
            }
        }
    }
}

/// Whether a path, relative to a folder, stays inside it on every system.
fn is_inside(path: &str) -> bool {
    !path.contains(['\\', ':', '\0']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn only_paths_inside_the_folder_of_the_model_are_followed() {
        for good in ["beam.toml", "roms/beam.toml", "a/b/..c", "é.rom"] {
            assert!(is_inside(good), "{good}");
        }
        for bad in ["", "/beam.toml", "../beam.toml", "a/../b", "./beam.toml", "a//b", "C:/b", "a\\b", "a/", ".."] {
            assert!(!is_inside(bad), "{bad}");
        }
    }
}
