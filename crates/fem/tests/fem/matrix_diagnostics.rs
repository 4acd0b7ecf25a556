//! Broken matrix files and their messages, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them anew).

use crate::transcripts::files;
use ballesta::document::{self, Diagnostics, FileSchema};
use ballesta_fem::matrices::{self, matrices_schema::MatricesTable};
use ballesta_fem::structure::structure_schema::StructureFile;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/broken_matrices";

/// A structure file with nothing but matrices.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    matrices: MatricesTable,
}

impl FileSchema for File {
    fn reading_schema() -> serde_json::Value {
        let mut schema = StructureFile::reading_schema();
        schema["required"] = serde_json::json!(["matrices"]);
        schema["properties"].as_object_mut().expect("keys").retain(|key, _| key == "matrices");
        schema
    }
}

fn complaints(path: &Path) -> Result<(), Diagnostics> {
    let name = path.display().to_string();
    let text = document::text_of(path, "a structure file")?;
    let reading = document::read::<File>(&text, &name)?;
    if !reading.diagnostics.0.is_empty() {
        return Err(reading.diagnostics);
    }
    matrices::read(&reading.value.matrices, &reading.source, path.parent().expect("in a folder")).map(|_| ())
}

/// The files that are broken; `good.toml` is what they were before.
fn broken() -> Vec<PathBuf> {
    files(FOLDER, "toml").into_iter().filter(|path| !path.ends_with("good.toml")).collect()
}

#[test]
fn what_the_broken_files_were_before_is_accepted() {
    crate::root::at_root();
    complaints(&Path::new(FOLDER).join("good.toml")).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
}

#[test]
fn every_broken_matrix_is_refused_with_its_transcript() {
    crate::root::at_root();
    assert!(broken().len() >= 30);
    crate::transcripts::compare(&broken(), "transcript", complaints);
}

#[test]
fn every_message_says_where_what_and_what_would_be_right() {
    crate::root::at_root();
    for path in broken() {
        for diagnostic in complaints(&path).expect_err("broken").0 {
            assert!(!diagnostic.found.is_empty() && !diagnostic.expected.is_empty(), "{diagnostic}");
            let bytes = fs::read(&diagnostic.file).expect("the message names a file that is there");
            let text = String::from_utf8_lossy(&bytes);
            let line = text.lines().nth(diagnostic.line.max(1) - 1).unwrap_or_default();
            assert!(diagnostic.line <= text.lines().count().max(1), "{diagnostic}");
            assert!(
                diagnostic.line == 0 || (1..=line.chars().count() + 1).contains(&diagnostic.column),
                "{diagnostic}"
            );
        }
    }
}

#[test]
fn a_damaged_file_never_panics() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        // Knuth's linear congruential generator.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % bound
    };
    for structure in files(FOLDER, "toml") {
        let text = fs::read_to_string(&structure).expect("readable");
        let Ok(reading) = document::read::<File>(&text, "damaged.toml") else { continue };
        let table = &reading.value.matrices;
        let names = [Some(&table.stiffness), Some(&table.mass), table.dof_map.as_ref(), Some(&table.nodes)];
        for name in names.into_iter().flatten() {
            // One of the files is broken by being missing.
            fs::copy(Path::new(FOLDER).join(name), folder.path().join(name)).ok();
        }
        for _ in 0..20 {
            let name = names[below(4)].unwrap_or(&table.nodes);
            let file = folder.path().join(name);
            let Ok(mut bytes) = fs::read(&file) else { continue };
            for _ in 0..=below(3) {
                let at = below(bytes.len().max(1)).min(bytes.len());
                match below(4) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, b"*,.-19 \nx%$\xFF\tGe"[below(15)]),
                    2 if at < bytes.len() => drop(bytes.remove(at)),
                    _ => bytes.splice(at..at, *b"\xC3\xA9").for_each(drop),
                }
            }
            fs::write(&file, bytes).expect("writable");
            if let Err(diagnostics) = matrices::read(table, &reading.source, folder.path()) {
                assert!(!diagnostics.0.is_empty());
            }
        }
    }
}
