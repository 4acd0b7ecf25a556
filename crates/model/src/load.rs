//! Reading a model file.

use super::files::{Files, errors_inside};
use super::outputs::wrong_words;
use super::schema::{FEWER_ITEMS, MAX_ITEMS, Model};
use super::{DataFile, Diagnostic, Diagnostics, Document, Source, assembly, height_map, tyres, validate, wheel_ports};
use crate::document::{self, text_of};
use crate::rom::{self, Rom};
use std::path::{Path, PathBuf};

/// Name of the model file in a model's folder.
pub const FILE_NAME: &str = "model.toml";
/// Hint for a missing file.
const KIND: &str = "a model file or its folder";

/// Loads `path`, a model file or a folder with a `model.toml`.
pub fn load(path: &Path) -> Result<Document, Diagnostics> {
    let file = file_of(path);
    parse(&text_of(&file, KIND)?, &file.display().to_string())
}

/// The model at `path` as one flat file: subassemblies expanded, wheel ports unchanged. It compiles to the same system.
///
/// # Errors
/// The errors of [`load`].
pub fn flatten(path: &Path) -> Result<Model, Diagnostics> {
    load(path)?;
    let file = file_of(path);
    let shown = file.display().to_string();
    let mut reading = document::read::<Model>(&text_of(&file, KIND)?, &shown)?;
    assembly::expand(&mut reading, &mut Files::beside(&shown));
    reading.diagnostics.into_result(reading.value)
}

fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() }
}

/// Parses and validates the text of a model file; `file` is the name that diagnostics show. The files that it names are
/// read from the folder of `file`.
///
/// All errors of the file are returned at once, in the order of the file. Checks across several tables are skipped
/// where a broken table would make them report false errors. Errors in the file of a reduced-order model follow.
pub fn parse(text: &str, file: &str) -> Result<Document, Diagnostics> {
    parse_beside(text, file, Files::beside(file))
}

/// As [`parse`], from memory alone: `files` are all files that the model names, with their paths relative to its
/// folder, such as [`Document::files`]. A file that is not among them is an error.
pub fn parse_with(text: &str, file: &str, files: Vec<DataFile>) -> Result<Document, Diagnostics> {
    parse_beside(text, file, Files::given(file, files))
}

fn parse_beside(text: &str, file: &str, mut files: Files) -> Result<Document, Diagnostics> {
    let mut reading = document::read::<Model>(text, file)?;
    wrong_words::suggest(&reading.value.outputs, &mut reading.diagnostics.0);
    assembly::expand(&mut reading, &mut files);
    let beyond = reading.source.beyond(MAX_ITEMS).into_iter().map(|path| {
        let table = path.split('[').next().unwrap_or_default();
        reading.source.at(path, format!("the model has more than {MAX_ITEMS} tables [[{table}]]"), FEWER_ITEMS)
    });
    let beyond: Vec<Diagnostic> = beyond.collect();
    if !beyond.is_empty() {
        return Err(Diagnostics(reading.source.merged(beyond)));
    }
    wheel_ports::expand(&mut reading);
    let (model, source, mut diagnostics) = (reading.value, reading.source, reading.diagnostics);
    let roms = roms(&model, &source, &reading.replaced, &mut files, &mut diagnostics.0);
    let tyres = tyres::load(&model, &source, &reading.replaced, &mut files, &mut diagnostics.0);
    let [height_maps, friction_maps] =
        height_map::load(&model, &source, &reading.replaced, &mut files, &mut diagnostics.0);
    let known: Vec<Option<&Rom>> = roms.iter().map(Option::as_ref).collect();
    diagnostics.0.extend(validate::validate(&model, &source, &reading.replaced, known));
    let diagnostics = Diagnostics(source.merged(diagnostics.0));
    // A missing one has a diagnostic.
    let roms = roms.into_iter().flatten().collect();
    diagnostics.into_result(Document {
        model,
        source,
        roms,
        tyres,
        height_maps,
        friction_maps,
        meshes: Vec::new(),
        files: files.into_list(),
    })
}

/// The reduced-order model of every flexible body, each file parsed once; `None` if it cannot be read, which is
/// reported.
/// reported.
fn roms(
    model: &Model,
    source: &Source,
    replaced: &[String],
    files: &mut Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Option<Rom>> {
    const HINT: &str = "`ballesta reduce` writes reduced-order models";
    const MNF: &str = "an MNF file is binary and proprietary; export reduced stiffness and mass matrices from the \
                       program that wrote it, and convert them with `ballesta reduce`";
    let bodies = &model.flexible_bodies;
    let mut roms: Vec<Option<Rom>> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let key = format!("flexible_body[{index}].rom");
        if replaced.contains(&key) {
            roms.push(None);
            continue;
        }
        if let Some(first) = (0..index).find(|first| bodies[*first].rom == body.rom && roms[*first].is_some()) {
            roms.push(roms[first].clone());
            continue;
        }
        let hint = if body.rom.to_ascii_lowercase().ends_with(".mnf") { MNF } else { HINT };
        let shown = files.shown(&body.rom);
        let rom = files.read_utf8(source, &key, &body.rom, hint).map(|text| rom::parse(text, &shown));
        match rom {
            Ok(Ok(rom)) => {
                roms.push(Some(rom));
                continue;
            }
            // The errors of a file are reported once.
            Ok(Err(_)) if bodies[..index].iter().any(|earlier| earlier.rom == body.rom) => {}
            Ok(Err(mut inside)) => {
                diagnostics.push(errors_inside(source, &key, &body.rom, &inside, HINT));
                diagnostics.append(&mut inside.0);
            }
            Err(complaint) => diagnostics.push(complaint),
        }
        roms.push(None);
    }
    roms
}
