//! The property files of a model's tyres.

use super::files::{Files, errors_inside};
use super::schema::Model;
use super::{Diagnostic, Document, Source};
use ballesta_solver::tyre::Properties;
use std::sync::Arc;

const HINT: &str = "tyre property files end in `.tir`";

/// The properties of every tyre, each file parsed once. A tyre whose file cannot be read is left out and reported.
pub(super) fn load(
    model: &Model,
    source: &Source,
    replaced: &[String],
    files: &mut Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Arc<Properties>> {
    // All wheels of a vehicle usually use one file, which is read once.
    let mut known: Vec<(&str, Option<Arc<Properties>>)> = Vec::new();
    let mut tyres = Vec::new();
    for (index, tyre) in model.tyres.iter().enumerate() {
        let (key, path) = (format!("tyre[{index}].file"), tyre.file.as_str());
        if replaced.contains(&key) {
            continue;
        }
        if let Some((_, properties)) = known.iter().find(|(earlier, _)| *earlier == path) {
            tyres.extend(properties.clone());
            continue;
        }
        // Errors inside the file are reported together with the key that names it.
        let shown = files.shown(path);
        let properties = match files.read(source, &key, path, HINT).map(|file| crate::tir::read(&file.text(), &shown)) {
            Ok(Ok(properties)) => Some(Arc::new(properties)),
            Ok(Err(mut inside)) => {
                diagnostics.push(errors_inside(source, &key, path, &inside, HINT));
                diagnostics.append(&mut inside.0);
                None
            }
            Err(complaint) => {
                diagnostics.push(complaint);
                None
            }
        };
        tyres.extend(properties.clone());
        known.push((path, properties));
    }
    tyres
}

/// Notes of the readers of the tyre files, each file once.
pub fn notes(document: &Document) -> Vec<String> {
    let mut files: Vec<&str> = Vec::new();
    let mut notes = Vec::new();
    for (tyre, properties) in document.model.tyres.iter().zip(&document.tyres) {
        if files.contains(&tyre.file.as_str()) {
            continue;
        }
        files.push(&tyre.file);
        notes.extend(properties.notes.iter().map(|note| match note.line {
            0 => format!("{}: {}: {}", tyre.file, note.key, note.text),
            line => format!("{}:{line}: {}: {}", tyre.file, note.key, note.text),
        }));
    }
    notes
}
