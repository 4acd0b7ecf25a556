//! `ballesta new`: a new model from a template or from the adjacency matrix of a planar chain.

pub mod arguments;
mod chain;
mod chain_layout;

use crate::commands::schema;
use crate::commands::schema::arguments::FileKind;
use crate::text;
use arguments::New;
use ballesta_files::{Failure, output_file};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Resolved `ballesta new` command.
pub struct Plan {
    subject: Subject,
    json: bool,
}

enum Subject {
    /// Files of a template and their folder.
    Template(PathBuf, Vec<(String, String)>),
    /// Model of a chain and its file; `None` for stdout.
    Chain(String, Option<PathBuf>),
}

/// Format of a template file and name of its schema; `None` for files that are not edited.
fn schema_of(path: &str) -> Option<(FileKind, &'static str)> {
    match path {
        "model.toml" | "saloon.toml" | "pickup.toml" => Some((FileKind::Model, "model.schema.json")),
        "structure.toml" => Some((FileKind::Structure, "structure.schema.json")),
        _ if path.starts_with("parts/") || path.starts_with("hardpoints/") => {
            Some((FileKind::Assembly, "assembly.schema.json"))
        }
        _ => None,
    }
}

/// Template files with a first line that names their schema for editors, and the schemas.
fn with_schemas(files: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    let (mut own, mut schemas) = (Vec::new(), Vec::new());
    for (path, content) in files {
        let Some((kind, name)) = schema_of(path) else {
            own.push((path.to_string(), content));
            continue;
        };
        let up = if path.contains('/') { "../" } else { "./" };
        own.push((path.to_string(), format!("#:schema {up}{name}\n{content}")));
        if !schemas.iter().any(|(known, _)| known == name) {
            schemas.push((name.to_string(), schema::of(kind)));
        }
    }
    own.append(&mut schemas);
    own
}

impl Plan {
    /// Builds the model and checks existing files at its destination.
    pub fn resolve(typed: New) -> Result<Plan, Failure> {
        let subject = match (typed.template, &typed.adjacency) {
            (Some(template), _) => {
                let folder = typed.output.unwrap_or_else(|| PathBuf::from(template.folder()));
                let files = with_schemas(template.files());
                if let Some(taken) = files.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists()) {
                    let message = format!("{} exists already; choose another folder with -o", taken.display());
                    return Err(Failure::Usage(message));
                }
                Subject::Template(folder, files)
            }
            (None, Some(file)) => {
                output_file::keep_apart(&[("--output", typed.output.as_deref())], std::slice::from_ref(file))?;
                Subject::Chain(chain::model(file, &typed.prismatic, &typed.gear)?, typed.output)
            }
            // Clap requires one of them.
            (None, None) => return Err(Failure::Usage("give a template, or --adjacency FILE".into())),
        };
        Ok(Plan { subject, json: typed.json })
    }

    /// Writes it.
    pub fn execute(self) -> Result<(), Failure> {
        match &self.subject {
            Subject::Template(folder, files) => self.write(folder, files),
            Subject::Chain(model, Some(path)) => {
                output_file::write(path, model)?;
                text::answer(self.json, "", &[path], Value::Null)
            }
            Subject::Chain(model, None) => text::answer(self.json, model, &[], json!({"text": model})),
        }
    }

    fn write(&self, folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
        for (path, (_, content)) in paths.iter().zip(files) {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|error| Failure::file("create the folder", parent, error))?;
            }
            output_file::write(path, content)?;
        }
        let folder = folder.display();
        let next = match files.iter().any(|(name, _)| name == "model.toml") {
            true => [format!("ballesta check {folder}"), format!("ballesta run {folder} --html {folder}/run.html")],
            false => [format!("ballesta modes {folder}"), format!("ballesta reduce {folder}")],
        };
        let list: String = paths.iter().map(|path| format!("Wrote {}.\n", path.display())).collect();
        let report = format!("{list}Next:\n  {}\n", next.join("\n  "));
        let written: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        text::answer(self.json, &report, &written, json!({"next": next}))
    }
}
