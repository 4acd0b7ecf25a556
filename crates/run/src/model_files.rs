//! All files of a model with their contents, for pages that edit the model.

use super::model;
use super::templates::Template;
use ballesta::document::file::{self, read, read_text};
use ballesta::model::files::is_inside;
use ballesta::model::{self as models, DataFile, Diagnostic, Diagnostics, Document};
use ballesta_files::failure::Failure;
use ballesta_files::kind::{self, Kind};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelFiles {
    /// Paths relative to the folder of the model file, with `/` between folders, and contents; the model file first.
    pub files: Vec<(String, Vec<u8>)>,
    /// The folder of the model file.
    pub folder: PathBuf,
}

impl ModelFiles {
    /// The files of a model on disk. A model with errors is accepted: its files are then all files that its texts name
    /// in quotes.
    ///
    /// # Errors
    /// A file that cannot be read, or a file of another kind.
    pub fn read(typed: &Path) -> Result<ModelFiles, Failure> {
        let file = model::readable(typed)?;
        let text = read_text(&file).map_err(|error| Failure::file("read", &file, error))?;
        let bytes = read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut all = ModelFiles { files: vec![(name, bytes)], folder };
        match ballesta::model::load(&file) {
            Ok(document) => all.take_used(document)?,
            Err(_) => {
                if let Some(other) = kind::other(&file, Kind::Model) {
                    return Err(other);
                }
                all.take_named(&text)?;
            }
        }
        Ok(all)
    }

    /// The files of a template.
    pub fn of_template(template: &Template) -> ModelFiles {
        let files = template.files().into_iter().map(|(path, text)| (path.to_string(), text.into_bytes())).collect();
        ModelFiles { files, folder: PathBuf::new() }
    }

    /// Paths of the files on disk.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(path, _)| self.folder.join(path)).collect()
    }

    /// The files in one piece, compressed as gzip: a line with the JSON array of paths and lengths in bytes, then all
    /// contents.
    pub fn packed(&self) -> Vec<u8> {
        let index: Vec<(&str, usize)> = self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.len())).collect();
        let index = serde_json::to_vec(&index).expect("texts and numbers can be serialized");
        let contents = self.files.iter().map(|(_, bytes)| bytes.as_slice());
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        for part in [index.as_slice(), b"\n"].into_iter().chain(contents) {
            gzip.write_all(part).expect("memory takes all bytes");
        }
        gzip.finish().expect("memory takes all bytes")
    }

    fn contains(&self, path: &str) -> bool {
        self.files.iter().any(|(known, _)| known == path)
    }

    /// Adds the files that a document uses. A missing mesh is an error that the page shows.
    fn take_used(&mut self, document: Document) -> Result<(), Failure> {
        let Document { files, model, .. } = document;
        self.files.extend(files.into_iter().map(|DataFile { path, bytes, .. }| (path, bytes)));
        for mesh in model.shapes.iter().filter_map(|shape| shape.file.as_deref()) {
            self.take(mesh)?;
        }
        Ok(())
    }

    /// Adds the existing files that a text names in quotes, and the files that these files name.
    fn take_named(&mut self, text: &str) -> Result<(), Failure> {
        let mut texts = vec![text.to_string()];
        while let Some(text) = texts.pop() {
            for path in text.lines().flat_map(|line| line.split(['"', '\''])) {
                if self.take(path)? && path.ends_with(".toml") {
                    let (_, bytes) = &self.files[self.files.len() - 1];
                    texts.push(String::from_utf8_lossy(bytes).into_owned());
                }
            }
        }
        Ok(())
    }

    /// Adds an existing file inside the folder; whether it is new.
    fn take(&mut self, path: &str) -> Result<bool, Failure> {
        let file = self.folder.join(path);
        if !is_inside(path) || self.contains(path) || !file.is_file() {
            return Ok(false);
        }
        let bytes = read(&file).map_err(|error| Failure::file("read", &file, error))?;
        self.files.push((path.to_string(), bytes));
        Ok(true)
    }
}

/// The model file or template that a user names: an existing path has precedence.
///
/// # Errors
/// No such path or template; a template without a model; errors of [`ModelFiles::read`].
pub fn named(typed: &Path) -> Result<ModelFiles, Failure> {
    let name = typed.to_str().map(|name| name.replace('_', "-")).unwrap_or_default();
    match Template::named(&name).filter(|_| !typed.exists()) {
        Some(template) if template.is_model() => Ok(ModelFiles::of_template(&template)),
        Some(_) => Err(Failure::Usage(format!(
            "{} is the template of a structure; give a model, or one of the templates {}",
            typed.display(),
            Template::models().map(|template| template.name).collect::<Vec<_>>().join(", ")
        ))),
        None => ModelFiles::read(typed),
    }
}

/// The document in the file `main` of files in memory, with its meshes, and its text. Paths use `/` between folders;
/// the model names files in the folder of `main` and below.
///
/// # Errors
/// Diagnostics of the model, also for a missing file.
pub fn document(main: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<(Document, String), Diagnostics> {
    let wrong = |found: String, expected: &str| {
        let expected = expected.to_string();
        let (file, key) = (main.to_string(), String::new());
        Diagnostics(vec![Diagnostic { file, line: 0, column: 0, key, found, expected }])
    };
    let bytes = files.get(main).cloned();
    let bytes = bytes.ok_or_else(|| wrong("the file does not exist".into(), "add it, or choose another file"))?;
    let text = file::text(bytes).map_err(|error| wrong(error.to_string(), "a model file is text in UTF-8"))?;
    let mut document = models::parse_with(&text, main, files_beside(main, files))?;
    let folder = folder_of(main);
    ballesta_mesh::load_with(&mut document, |path| files.get(&format!("{folder}{path}")).map(Vec::as_slice))?;
    Ok((document, text))
}

/// The files in the folder of `main` and below, with their paths relative to it.
pub fn files_beside(main: &str, files: &BTreeMap<String, Vec<u8>>) -> Vec<DataFile> {
    let folder = folder_of(main);
    let within = files.iter().filter_map(|(path, bytes)| Some((path.strip_prefix(folder)?, bytes)));
    within.map(|(path, bytes)| DataFile { path: path.into(), bytes: bytes.clone(), key: String::new() }).collect()
}

/// The folder of a file, with the `/` at its end; empty for a file without a folder.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn names(all: &ModelFiles) -> Vec<&str> {
        all.files.iter().map(|(path, _)| path.as_str()).collect()
    }

    fn models() -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models")).to_path_buf()
    }

    #[test]
    fn the_files_of_a_model_are_its_used_files() {
        let van = ModelFiles::read(&models().join("van")).unwrap();
        assert_eq!(names(&van)[0], "model.toml");
        for path in ["parts/van.toml", "parts/rear_side.toml", "van.tir"] {
            assert!(van.contains(path), "{path}: {:?}", names(&van));
        }
        for ((_, bytes), path) in van.files.iter().zip(van.paths()) {
            assert_eq!(*bytes, std::fs::read(&path).unwrap(), "{}", path.display());
        }
    }

    #[test]
    fn packed_files_are_an_index_and_the_contents() {
        let files = vec![("model.toml".to_string(), b"[model]\n".to_vec()), ("a/\u{e9}.bin".into(), vec![0, 255])];
        let packed = ModelFiles { files, folder: PathBuf::new() }.packed();
        let mut all = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut all).unwrap();
        assert_eq!(
            all,
            "[[\"model.toml\",8],[\"a/\u{e9}.bin\",2]]\n[model]\n\0".bytes().chain([255]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_model_with_errors_has_the_files_that_its_texts_name() {
        let whole = ModelFiles::read(&models().join("van")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in &whole.files {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        std::fs::write(folder.path().join("unused.toml"), "").unwrap();
        let main = folder.path().join("model.toml");
        let text = std::fs::read_to_string(&main).unwrap() + "\n[[joint]\nit's \"../unused.toml\"\n";
        std::fs::write(&main, &text).unwrap();
        let broken = ModelFiles::read(folder.path()).unwrap();
        assert_eq!(broken.files[0], ("model.toml".to_string(), text.into_bytes()));
        let sorted = |all: &ModelFiles| {
            let mut names: Vec<String> = names(all).into_iter().map(str::to_string).collect();
            names.sort();
            names
        };
        assert_eq!(sorted(&broken), sorted(&whole));
    }

    #[test]
    fn files_of_other_kinds_and_templates_without_a_model_are_refused() {
        let wrong = ModelFiles::read(&models().join("van/van.tir")).unwrap_err().to_string();
        assert!(wrong.contains("not a model"), "{wrong}");
        let wrong = named(Path::new("structure")).unwrap_err().to_string();
        assert!(wrong.contains("pendulum, four-bar"), "{wrong}");
        let missing = named(Path::new("nowhere.toml")).unwrap_err();
        assert!(matches!(missing, Failure::File { .. }), "{missing}");
        assert_eq!(names(&named(Path::new("four_bar")).unwrap()), ["model.toml"]);
    }

    #[test]
    fn the_mark_of_utf8_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, b"\xEF\xBB\xBF[model]\r\n").unwrap();
        assert_eq!(ModelFiles::read(&file).unwrap().files[0].1, b"\xEF\xBB\xBF[model]\r\n");
    }
}
