//! Broken model files and their messages, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them anew).

use crate::models;
use crate::transcripts::files;
use ballesta::compile;
use ballesta::model::{self, Diagnostics};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that is said about a file before its first step: by the loader, then by the compiler.
fn complaints(path: &Path) -> Result<(), Diagnostics> {
    let document = model::load(path)?;
    compile::compile(&document, &document.model.parameter_values()).map(|_| ())
}

/// Model files of the gallery.
fn gallery() -> Vec<PathBuf> {
    let folders = fs::read_dir("models").expect("the gallery is there").map(|entry| entry.expect("readable").path());
    let mut models: Vec<PathBuf> =
        folders.map(|folder| folder.join(model::load::FILE_NAME)).filter(|f| f.exists()).collect();
    models.sort();
    assert!(!models.is_empty());
    models
}

#[test]
fn every_broken_file_is_refused_with_its_transcript() {
    let broken = files("tests/broken", "toml");
    assert!(broken.len() >= 50);
    crate::transcripts::compare(&broken, "txt", complaints);
}

#[test]
fn every_message_says_where_what_and_what_would_be_right() {
    for path in files("tests/broken", "toml") {
        for diagnostic in complaints(&path).expect_err("broken").0 {
            // Reduced-order models that a model names have messages of their own.
            let text = String::from_utf8_lossy(&fs::read(&diagnostic.file).expect("readable")).into_owned();
            let line = text.lines().nth(diagnostic.line - 1).unwrap_or_default();
            assert!(diagnostic.line <= text.lines().count().max(1), "{diagnostic}");
            assert!((1..=line.chars().count() + 1).contains(&diagnostic.column), "{diagnostic}");
            assert!(!diagnostic.found.is_empty() && !diagnostic.expected.is_empty(), "{diagnostic}");
        }
    }
}

#[test]
fn every_model_of_the_gallery_loads_and_compiles() {
    let complaints: Vec<String> =
        gallery().iter().filter_map(|path| complaints(path).err()).map(|diagnostics| diagnostics.to_string()).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn values_that_an_importer_sets_are_validated_too() {
    let document = models::load("models/driven_arm");
    let mut values = document.model.parameter_values();
    assert_eq!(model::validate_with(&document, &values), Ok(()));
    let mass = document.model.parameters.iter().position(|parameter| parameter.name == "payload.mass");
    values[mass.expect("the arm's payload has a parameter")] = -1.0;
    let diagnostics = model::validate_with(&document, &values).expect_err("a negative mass").0;
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].key.ends_with(".mass"), "{}", diagnostics[0]);
}

#[test]
fn a_missing_file_is_a_diagnostic_without_line() {
    let error = complaints(Path::new("models/there_is_none")).expect_err("missing");
    assert_eq!(error.0.len(), 1);
    assert_eq!((error.0[0].line, error.0[0].file.as_str()), (0, "models/there_is_none"));
}

/// Deterministic pseudo-random numbers (a 64-bit linear congruential generator, Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// Changes a file the way a slip of the hand does.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.push(String::new());
    let at = random.below(lines.len());
    let other = random.below(lines.len());
    match random.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, other),
        2 => lines.insert(at, text.lines().nth(other).unwrap_or_default().to_string()),
        3 => {
            let mut tokens: Vec<&str> = lines[at].split_whitespace().collect();
            if tokens.len() > 1 {
                let (a, b) = (random.below(tokens.len()), random.below(tokens.len()));
                tokens.swap(a, b);
            }
            lines[at] = tokens.join(" ");
        }
        4 => {
            let kept = random.below(lines[at].chars().count() + 1);
            lines[at] = lines[at].chars().take(kept).collect();
        }
        5 => {
            let values =
                ["nan", "-1", "\"ground\"", "[]", "true", "{}", "1e999", "\"é\"", "[[1, 2], [0, 3]]", "1979-05-27"];
            let key = lines[at].split('=').next().unwrap_or_default().to_string();
            lines[at] = format!("{key} = {}", values[random.below(values.len())]);
        }
        _ => {
            let mut characters: Vec<char> = lines[at].chars().collect();
            let here = random.below(characters.len() + 1);
            characters.insert(here, ['"', '[', ']', '=', '.', '\u{0}', 'é', '{'][random.below(8)]);
            lines[at] = characters.into_iter().collect();
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_files_never_panic() {
    let mut random = Random(1);
    let (mut refused, mut accepted) = (0, 0);
    for path in gallery().iter().chain(&files("tests/broken", "toml")) {
        let original = String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned();
        for _ in 0..60 {
            let mut text = original.clone();
            for _ in 0..=random.below(3) {
                text = mutate(&text, &mut random);
            }
            match model::parse(&text, "damaged.toml") {
                Ok(_) => accepted += 1,
                Err(diagnostics) => {
                    assert!(!diagnostics.0.is_empty(), "refused without a reason:\n{text}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 10 * accepted.min(1), "{refused} refused, {accepted} accepted");
}
