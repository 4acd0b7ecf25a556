//! `ballesta expand`: a model with its subassemblies as one flat file.

use super::arguments::Expand;
use super::failure::Failure;
use super::output_file::write;
use super::{model, text};
use crate::model::{DataFile, flatten};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What is to be written.
pub struct Plan {
    text: String,
    /// The flat file and the copies beside it; none for stdout.
    output: Option<(PathBuf, Vec<(PathBuf, DataFile)>)>,
}

impl Plan {
    /// Reads the model and looks at what is where the copies go.
    pub fn resolve(typed: Expand) -> Result<Plan, Failure> {
        let document = model::open(&typed.model)?;
        let file = model::model_file(&typed.model);
        let text = format!("# {} with its subassemblies, by `ballesta expand`.\n\n{}", file.display(), flat(&file)?);
        let Some(output) = typed.output else { return Ok(Plan { text, output: None }) };
        let folder = output.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut copies = Vec::new();
        // Subassemblies are in the text.
        for data in document.files.into_iter().filter(|data| !data.key.starts_with("use[")) {
            let path = folder.join(&data.path);
            match crate::document::file::read(&path) {
                Ok(present) if present == data.bytes => {}
                Ok(_) => {
                    let message = format!("{}: is there with another content than the model's file", path.display());
                    return Err(Failure::Usage(message));
                }
                Err(_) => copies.push((path, data)),
            }
        }
        Ok(Plan { text, output: Some((output, copies)) })
    }

    /// Writes the copies, then the flat file, which needs them.
    pub fn execute(self) -> Result<(), Failure> {
        let Some((output, copies)) = self.output else { return text::say(&self.text) };
        for (path, data) in copies {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, error))?;
            }
            write(&path, &data.bytes)?;
        }
        write(&output, self.text.as_bytes())
    }
}

/// The flat model as TOML, without empty tables and keys that are not given.
fn flat(file: &Path) -> Result<String, Failure> {
    let unwritable = |error: String| Failure::Usage(format!("{}: cannot be written as TOML: {error}", file.display()));
    let mut model = serde_json::to_value(flatten(file)?).map_err(|error| unwritable(error.to_string()))?;
    prune(&mut model);
    toml::to_string(&model).map_err(|error| unwritable(error.to_string()))
}

/// Removes what stands for nothing: nulls, empty arrays of tables, empty strings.
fn prune(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.retain(|_, entry| match entry {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(items) => !items.is_empty(),
                Value::Object(entries) => !entries.is_empty(),
                _ => true,
            });
            entries.values_mut().for_each(prune);
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}
