//! Broken files and what is said about them, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them anew).

use ballesta::document::Diagnostics;
use std::fs;
use std::path::{Path, PathBuf};

/// Files with this extension in a folder, sorted.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

/// Asserts that each of `broken` is refused, with the words of the transcript beside it, whose extension is
/// `transcript`; and that no transcript in their folder is left over.
pub fn compare(broken: &[PathBuf], transcript: &str, complaints: impl Fn(&Path) -> Result<(), Diagnostics>) {
    let rewrite = std::env::var_os("BALLESTA_REWRITE").is_some();
    let mut different = Vec::new();
    for path in broken {
        let Err(diagnostics) = complaints(path) else { panic!("{} was accepted", path.display()) };
        assert!(!diagnostics.0.is_empty());
        let text = format!("{diagnostics}\n");
        let transcript = path.with_extension(transcript);
        if rewrite {
            fs::write(&transcript, &text).expect("writable");
        }
        if fs::read_to_string(&transcript).unwrap_or_default() != text {
            different.push(text);
        }
    }
    assert!(different.is_empty(), "messages differ from their transcripts:\n{}", different.join("\n"));
    let first = broken.first().expect("at least one file");
    let folder = first.parent().expect("a folder");
    for path in files(&folder.to_string_lossy(), transcript) {
        assert!(
            path.with_extension(first.extension().unwrap_or_default()).exists(),
            "{} belongs to no file",
            path.display()
        );
    }
}
