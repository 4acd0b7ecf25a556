//! Broken structure files and their messages, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them anew).

use crate::transcripts::files;
use ballesta::document::Diagnostics;
use ballesta_fem::structure;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that is said about a file, by the loader, then by the assembly.
fn complaints(path: &Path) -> Result<(), Diagnostics> {
    structure::build(&structure::load(path)?).map(|_| ())
}

/// Structure files of the gallery.
fn gallery() -> Vec<PathBuf> {
    let folders = fs::read_dir("models/structures").expect("the gallery is there");
    let files = folders.map(|entry| entry.expect("readable").path().join(structure::FILE_NAME));
    let mut files: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    files.sort();
    assert!(files.len() >= 5);
    files
}

#[test]
fn every_broken_structure_is_refused_with_its_transcript() {
    crate::root::at_root();
    let broken = files("tests/broken_structures", "toml");
    assert!(broken.len() >= 20);
    crate::transcripts::compare(&broken, "txt", complaints);
}

#[test]
fn every_structure_of_the_gallery_loads_and_assembles() {
    crate::root::at_root();
    let complaints: Vec<String> =
        gallery().iter().filter_map(|path| complaints(path).err()).map(|diagnostics| diagnostics.to_string()).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Deterministic pseudo-random numbers (a 64-bit linear congruential generator, Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// Drops, swaps or repeats a line, or gives a key another value.
fn damage(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, other),
        2 => lines.insert(at, lines[other].clone()),
        _ => {
            let values = ["0", "-1", "1e300", "\"A\"", "[]", "[\"A\", \"A\"]", "true", "2", "[0, 0, 0]"];
            let key = lines[at].split('=').next().unwrap_or_default().to_string();
            lines[at] = format!("{key} = {}", values[random.below(values.len())]);
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_structures_never_panic() {
    crate::root::at_root();
    let mut random = Random(1);
    let mut refused = 0;
    let slender = Path::new("models/structures/slender_beam/structure.toml");
    for path in gallery().iter().filter(|path| *path != slender).chain(&files("tests/broken_structures", "toml")) {
        let original = fs::read_to_string(path).expect("readable");
        for _ in 0..40 {
            let mut text = original.clone();
            for _ in 0..=random.below(2) {
                text = damage(&text, &mut random);
            }
            let result = structure::parse(&text, "damaged.toml").and_then(|structure| structure::build(&structure));
            if let Err(diagnostics) = result {
                assert!(!diagnostics.0.is_empty(), "refused without a reason:\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100);
}
