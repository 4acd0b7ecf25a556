//! The files of a study as a portable folder, and their hash.

use sha2::{Digest, Sha256};
use std::path::{Component, Path, PathBuf};

/// Files with their paths below a common root, `/` between folders, sorted by path; the first added file is the entry.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Path and content.
    pub files: Vec<(String, Vec<u8>)>,
    /// Path of the study file.
    pub entry: String,
}

impl Layout {
    /// Arranges files by their paths on this machine; the first is the entry. Duplicates are kept once.
    pub fn new(placed: Vec<(PathBuf, Vec<u8>)>) -> Layout {
        let parts: Vec<Vec<String>> = placed.iter().map(|(path, _)| parts(path)).collect();
        let folders = || parts.iter().map(|parts| &parts[..parts.len().saturating_sub(1)]);
        let mut root = folders().next().unwrap_or_default();
        for folder in folders() {
            let common = root.iter().zip(folder).take_while(|(a, b)| a == b).count();
            root = &root[..common];
        }
        let relative = |parts: &Vec<String>| parts[root.len()..].join("/");
        let entry = parts.first().map(relative).unwrap_or_default();
        let mut files: Vec<(String, Vec<u8>)> =
            parts.iter().map(relative).zip(placed.into_iter().map(|(_, bytes)| bytes)).collect();
        files.sort();
        files.dedup_by(|a, b| a.0 == b.0);
        Layout { files, entry }
    }

    /// SHA-256 over version and sources of the program, the entry, and path and content of every file.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(concat!("ballesta study 1, version ", env!("CARGO_PKG_VERSION")).as_bytes());
        part(ballesta::SOURCES.as_bytes());
        SOURCES.iter().chain(&ballesta_run::SOURCES).for_each(|source| part(source.as_bytes()));
        part(self.entry.as_bytes());
        for (path, bytes) in &self.files {
            part(path.as_bytes());
            part(bytes);
        }
        hash.finalize().into()
    }
}

/// The parts of an absolute path, without `.` and with `..` resolved.
fn parts(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => (),
            Component::ParentDir => {
                parts.pop();
            }
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts
}

/// Sources of this crate that determine the rows of a study.
const SOURCES: [&str; 8] = [
    include_str!("design.rs"),
    include_str!("distribution.rs"),
    include_str!("fold.rs"),
    include_str!("keep.rs"),
    include_str!("read_study.rs"),
    include_str!("rows.rs"),
    include_str!("run.rs"),
    include_str!("vary.rs"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(root: &str, last: &str) -> Layout {
        let at = |path: &str, text: &str| (PathBuf::from(format!("{root}/{path}")), text.as_bytes().to_vec());
        Layout::new(vec![
            at("studies/a.toml", "study"),
            at("studies/../van/model.toml", "model"),
            at("van/model.toml", "model"),
            at("studies/./in.csv", last),
        ])
    }

    #[test]
    fn files_are_laid_out_below_their_common_folder_each_once() {
        let layout = layout("/home/somebody", "inputs");
        let paths: Vec<&str> = layout.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["studies/a.toml", "studies/in.csv", "van/model.toml"]);
        assert_eq!(layout.entry, "studies/a.toml");
    }

    #[test]
    fn the_hash_depends_on_the_content_and_not_on_the_place() {
        assert_eq!(layout("/a", "x").hash(), layout("/b/c", "x").hash());
        assert_ne!(layout("/a", "x").hash(), layout("/a", "y").hash());
    }
}
