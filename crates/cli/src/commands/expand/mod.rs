//! `ballesta expand`: a model with its subassemblies as one flat file.

pub mod arguments;

use crate::text;
use arguments::Expand;
use ballesta::model::kept_rods::keep_rods;
use ballesta::model::{DataFile, Document, flatten, parse};
use ballesta_files::Failure;
use ballesta_files::output_file::{keep_apart, write};
use ballesta_run::model;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Resolved `ballesta expand` command.
pub struct Plan {
    text: String,
    /// The flat file and the copies next to it; `None` for stdout.
    output: Option<(PathBuf, Vec<(PathBuf, DataFile)>)>,
    json: bool,
}

impl Plan {
    /// Reads the model and checks existing files at the destinations of the copies.
    pub fn resolve(typed: Expand) -> Result<Plan, Failure> {
        let document = model::open(&typed.model)?;
        let file = model::model_file(&typed.model);
        let text = flat(&file, typed.keep_rods)?;
        keep_apart(&[("--output", typed.output.as_deref())], &model::files(&typed.model, &document))?;
        let Some(output) = typed.output else { return Ok(Plan { text, output: None, json: typed.json }) };
        let folder = output.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut copies = Vec::new();
        let meshes = meshes(&document, file.parent().unwrap_or(Path::new("")))?;
        // Subassemblies are part of the text.
        for data in document.files.into_iter().filter(|data| !data.key.starts_with("use[")).chain(meshes) {
            let path = folder.join(&data.path);
            match ballesta::document::file::read(&path) {
                Ok(present) if present == data.bytes => {}
                Ok(_) => {
                    let message = format!(
                        "{}: exists with other content; remove the file, or choose another folder",
                        path.display()
                    );
                    return Err(Failure::Usage(message));
                }
                Err(_) => copies.push((path, data)),
            }
        }
        Ok(Plan { text, output: Some((output, copies)), json: typed.json })
    }

    /// Writes the copies, then the flat file, which needs them.
    pub fn execute(self) -> Result<(), Failure> {
        let Some((output, copies)) = self.output else {
            return text::answer(self.json, &self.text, &[], json!({"text": self.text}));
        };
        for (path, data) in &copies {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, error))?;
            }
            write(path, &data.bytes)?;
        }
        write(&output, self.text.as_bytes())?;
        let written = copies.iter().map(|(path, _)| path).chain([&output]);
        text::answer(self.json, "", &written.map(PathBuf::as_path).collect::<Vec<_>>(), Value::Null)
    }
}

/// The files of all shapes, each once.
fn meshes(document: &Document, folder: &Path) -> Result<Vec<DataFile>, Failure> {
    let mut files: Vec<DataFile> = Vec::new();
    for path in document.model.shapes.iter().filter_map(|shape| shape.file.as_ref()) {
        if files.iter().all(|known| known.path != *path) {
            let from = folder.join(path);
            let bytes = ballesta::document::file::read(&from).map_err(|error| Failure::file("read", &from, error))?;
            files.push(DataFile { path: path.to_string(), bytes, key: String::new() });
        }
    }
    Ok(files)
}

/// The flat model as TOML, with a comment as first line.
fn flat(file: &Path, with_rods: bool) -> Result<String, Failure> {
    let mut model = flatten(file)?;
    let mut head = format!("{} with expanded subassemblies, written by `ballesta expand`.\n", file.display());
    if with_rods {
        let refused = |reasons: Vec<String>| Failure::Usage(format!("{}: {}", file.display(), reasons.join("\n")));
        let gone = keep_rods(&mut model).map_err(refused)?;
        head += "Rods are converted to bodies (--keep-rods).\n";
        for name in gone {
            head += &format!("Omitted: output {name}.\n");
        }
    }
    let text = ballesta::model::write(&model, &head, &[]);
    if with_rods {
        // Some joints cannot be at the ends of a rod, for example at an interface without rotations.
        parse(&text, &file.display().to_string()).map_err(|errors| {
            Failure::Usage(format!("{}: the model is not valid with rods as bodies:\n{errors}", file.display()))
        })?;
    }
    Ok(text)
}
