//! The files that a model names: reduced-order models, subassemblies, tyres, height maps.
//!
//! Every path is relative to the folder of the model file and stays inside it, also on systems with other separators,
//! because the files become resources of an FMU at the same paths. A file that is named several times is read once.

use super::{Diagnostic, Diagnostics, Source};
use crate::document::file::MARK;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A file named by the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// Path from the folder of the model file, with `/` between folders.
    pub path: String,
    /// Its unmodified content.
    pub bytes: Vec<u8>,
    /// The first key that names it, like `flexible_body[0].rom`.
    pub key: String,
}

impl DataFile {
    /// Its text. A file that is not UTF-8 is read as Latin-1, so that every byte is one character and positions are
    /// correct: files of other programs have such bytes in their comments.
    pub fn text(&self) -> Cow<'_, str> {
        text_of(&self.bytes)
    }
}

/// The text of a file, as [`DataFile::text`].
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// The files that a model has named so far, each once, in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct Files {
    folder: PathBuf,
    read: Vec<DataFile>,
    /// The only files that exist, if none is read from disk.
    given: Option<Vec<DataFile>>,
}

impl Files {
    /// Files named by a model file.
    pub fn beside(model_file: &str) -> Files {
        let folder = Path::new(model_file).parent().unwrap_or(Path::new("")).to_path_buf();
        Files { folder, read: Vec::new(), given: None }
    }

    /// The only files that exist, in memory: nothing is read from disk.
    pub fn given(model_file: &str, files: Vec<DataFile>) -> Files {
        Files { given: Some(files), ..Files::beside(model_file) }
    }

    /// The name of a file in diagnostics.
    pub fn shown(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }

    /// The file that `key` names as `path`; `hint` says how such files are created ("`ballesta reduce` writes …").
    ///
    /// # Errors
    /// A diagnostic at `key` if the path leaves the folder of the model or the file cannot be read.
    pub fn read(&mut self, source: &Source, key: &str, path: &str, hint: &str) -> Result<&DataFile, Diagnostic> {
        if let Some(known) = self.read.iter().position(|file| file.path == path) {
            return Ok(&self.read[known]);
        }
        if !is_inside(path) {
            let found = format!("\"{}\" is not a path to a file in the model's folder", path.escape_debug());
            let expected = "write a relative path with `/` between folders and without `..`: the file is packed into \
                            the FMU";
            return Err(source.at(key, found, expected));
        }
        let bytes = match &self.given {
            Some(given) => {
                given.iter().find(|file| file.path == path).map(|file| file.bytes.clone()).ok_or_else(|| {
                    let found = format!("\"{path}\" is not among the files in memory");
                    source.at(key, found, "give its content together with the model")
                })
            }
            None => crate::document::file::read(&self.folder.join(path)).map_err(|error| {
                let expected = format!("name a file relative to the model's folder; {hint}");
                source.at(key, format!("\"{path}\" cannot be read: {error}"), expected)
            }),
        }?;
        self.read.push(DataFile { path: path.to_string(), bytes, key: key.to_string() });
        Ok(&self.read[self.read.len() - 1])
    }

    /// [`Files::read`] for files that must be UTF-8, as TOML is.
    ///
    /// # Errors
    /// As [`Files::read`], and for a byte that is not UTF-8.
    pub fn read_utf8(&mut self, source: &Source, key: &str, path: &str, hint: &str) -> Result<&str, Diagnostic> {
        let file = self.read(source, key, path, hint)?;
        std::str::from_utf8(&file.bytes).map_err(|error| {
            let found = format!("\"{path}\" byte 0x{:02X} is not UTF-8", file.bytes[error.valid_up_to()]);
            source.at(key, found, format!("name a file relative to the model's folder; {hint}"))
        })
    }

    /// The files that the model names, in the order of their first use.
    pub fn into_list(self) -> Vec<DataFile> {
        self.read
    }
}

/// A diagnostic at the key that names a file with an error; the error is appended.
pub fn errors_inside(source: &Source, key: &str, path: &str, inside: &Diagnostics, hint: &str) -> Diagnostic {
    let count = inside.0.len();
    let found = format!("\"{path}\" has {count} error{}", if count == 1 { "" } else { "s" });
    source.at(key, found, format!("correct that file; {hint}"))
}

/// Whether a path, relative to a folder, stays inside it on every system.
pub fn is_inside(path: &str) -> bool {
    !path.contains(['\\', ':', '\0']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_folder_of_the_model_are_followed() {
        for good in ["beam.toml", "roms/beam.toml", "a/b/..c", "é.rom"] {
            assert!(is_inside(good), "{good}");
        }
        for bad in ["", "/beam.toml", "../beam.toml", "a/../b", "./beam.toml", "a//b", "C:/b", "a\\b", "a/", ".."] {
            assert!(!is_inside(bad), "{bad}");
        }
    }

    #[test]
    fn a_file_is_read_once_and_its_bytes_are_kept() {
        let folder = std::env::temp_dir().join(format!("ballesta-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a scratch folder");
        let bytes = b"$ R\xF6der\n[UNITS]\n";
        std::fs::write(folder.join("a.tir"), bytes).expect("a scratch file");
        let mut files = Files::beside(&folder.join("model.toml").display().to_string());
        let source = Source::default();
        let file = files.read(&source, "tyre[0].file", "a.tir", "").expect("there");
        assert_eq!((file.text().as_ref(), file.bytes.as_slice()), ("$ Röder\n[UNITS]\n", &bytes[..]));
        std::fs::remove_dir_all(&folder).expect("removable");
        assert!(files.read(&source, "tyre[1].file", "a.tir", "").is_ok());
        assert!(files.read_utf8(&source, "tyre[1].file", "a.tir", "").unwrap_err().found.contains("0xF6"));
        assert!(files.read(&source, "tyre[1].file", "b.tir", "").is_err());
        let list = files.into_list();
        assert_eq!((list.len(), list[0].key.as_str()), (1, "tyre[0].file"));
    }

    #[test]
    fn files_in_memory_are_the_only_ones() {
        let file = |path: &str| DataFile { path: path.into(), bytes: vec![1], key: String::new() };
        let given = ["unused.csv", "beam.toml", "a.tir"].map(file).to_vec();
        let mut files = Files::given(concat!(env!("CARGO_MANIFEST_DIR"), "/model.toml"), given);
        let source = Source::default();
        assert!(files.read(&source, "tyre[1].file", "a.tir", "").is_ok());
        assert!(files.read(&source, "flexible_body[0].rom", "beam.toml", "").is_ok());
        let missing = files.read(&source, "tyre[0].file", "Cargo.toml", "").expect_err("it is on disk only");
        assert!(missing.found.contains("\"Cargo.toml\" is not among the files in memory"), "{missing}");
        // As from disk: the files that are used, in the order of their first use, with the key that names them.
        let used: Vec<DataFile> = files.into_list();
        let used: Vec<(&str, &str)> = used.iter().map(|file| (file.path.as_str(), file.key.as_str())).collect();
        assert_eq!(used, [("a.tir", "tyre[1].file"), ("beam.toml", "flexible_body[0].rom")]);
    }
}
