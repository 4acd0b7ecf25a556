//! Opens a model and sets its parameters and inputs.

use super::templates::Template;
use ballesta::compile;
use ballesta::model::{self, Document};
use ballesta::system::System;
use ballesta_files::failure::Failure;
use ballesta_files::kind::{self, Kind};
use ballesta_files::words;
use ballesta_mesh as mesh;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Reads a model. A missing or unreadable file is a file-system error, not an error of the model.
pub fn open(typed: &Path) -> Result<Document, Failure> {
    let file = readable(typed)?;
    let mut document = model::load(&file).map_err(|wrong| kind::refused(&file, Kind::Model, wrong))?;
    mesh::load(&mut document, file.parent().unwrap_or(Path::new("")))?;
    Ok(document)
}

/// Model file for a path, which can be opened.
///
/// # Errors
/// The error of the file system, or the kind of a folder without a model.
pub fn readable(typed: &Path) -> Result<PathBuf, Failure> {
    let file = model_file(typed);
    let unread = |error| match typed.is_dir() {
        true => kind::other(typed, Kind::Model).unwrap_or(Failure::file("read", &file, error)),
        false => Failure::file("read", &file, or_template(typed, error)),
    };
    ballesta::document::file::open(&file).map_err(unread)?;
    Ok(file)
}

/// A hint for a missing file whose name is the name of a template.
fn or_template(typed: &Path, error: io::Error) -> io::Error {
    let name = typed.to_str().map(|name| name.trim_end_matches(".toml").replace('_', "-"));
    match name.and_then(|name| Template::named(&name)).filter(|_| error.kind() == io::ErrorKind::NotFound) {
        Some(template) => io::Error::new(
            io::ErrorKind::NotFound,
            format!(
                "file not found; {0} is a template: `ballesta new {0}` writes it to the folder {1}",
                template.name,
                template.folder()
            ),
        ),
        None => error,
    }
}

/// Model file for a path, which is a folder or a file.
pub fn model_file(typed: &Path) -> PathBuf {
    if typed.is_dir() { typed.join("model.toml") } else { typed.to_path_buf() }
}

/// All files of a model: model file, subassemblies, reduced models, tyres, maps, meshes.
pub fn files(typed: &Path, document: &Document) -> Vec<PathBuf> {
    let file = model_file(typed);
    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let data = document.files.iter().map(|data| folder.join(&data.path));
    let meshes = document.model.shapes.iter().filter_map(|shape| Some(folder.join(shape.file.as_ref()?)));
    std::iter::once(file.clone()).chain(data).chain(meshes).collect()
}

/// Assignment to a parameter or an input, `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Name of a parameter or input.
    pub name: String,
    /// Finite value.
    pub value: f64,
}

/// Values of parameters and inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct AssignedValues {
    /// Values of all parameters of the model, in the order of the file.
    pub parameters: Vec<f64>,
    /// Index and value of the assigned inputs.
    pub inputs: Vec<(usize, f64)>,
}

/// A rejected assignment as a message: name, fault, correction.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongAssignment {
    /// Name that was given.
    pub name: String,
    /// The value, if it is the fault.
    pub value: Option<f64>,
    /// The fault and the correction.
    pub message: String,
}

impl fmt::Display for WrongAssignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.map_or(String::new(), |value| format!("={value}"));
        write!(f, "{}{value}: {}", self.name, self.message)
    }
}

/// Resolves the names of `set` among the parameters of a model, and with `inputs_too` among its inputs. The last
/// assignment to a name counts.
pub fn assign(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<AssignedValues, WrongAssignment> {
    let mut parameters: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let mut inputs = Vec::new();
    for Assignment { name, value } in set {
        let wrong = |value, message| WrongAssignment { name: name.clone(), value, message };
        if let Some(index) = document.model.parameters.iter().position(|parameter| parameter.name == *name) {
            let parameter = &document.model.parameters[index];
            let (min, max) = (parameter.min.unwrap_or(f64::NEG_INFINITY), parameter.max.unwrap_or(f64::INFINITY));
            if !(*value >= min && *value <= max) {
                return Err(wrong(Some(*value), format!("outside of the range {min} to {max}")));
            }
            parameters[index] = *value;
        } else if let Some(index) = document.model.inputs.iter().position(|input| input.name == *name && inputs_too) {
            inputs.push((index, *value));
        } else {
            return Err(wrong(None, unknown_name(document, name, inputs_too)));
        }
    }
    Ok(AssignedValues { parameters, inputs })
}

/// Message for a name that the model does not have.
pub fn unknown_name(document: &Document, name: &str, inputs_too: bool) -> String {
    let parameters = document.model.parameters.iter().map(|parameter| parameter.name.as_str());
    let inputs = document.model.inputs.iter().map(|input| input.name.as_str()).filter(|_| inputs_too);
    let known: Vec<&str> = parameters.chain(inputs).collect();
    let kind = if inputs_too { "parameter or input" } else { "parameter" };
    let hint = match words::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("the model has no {kind}"),
        None => format!("expected one of {}", known.join(", ")),
    };
    format!("no such {kind}; {hint}")
}

/// A compiled model with its assigned values.
pub struct Compiled {
    /// The model.
    pub system: System,
    /// Values of assigned inputs, by index.
    pub inputs: Vec<(usize, f64)>,
}

/// Compiles `document` with parameters from `--set`; assignments to inputs are accepted with `inputs_too`.
pub fn compile(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<Compiled, Failure> {
    let AssignedValues { parameters, inputs } = assigned(document, set, inputs_too)?;
    Ok(Compiled { system: compile::compile(document, &parameters)?, inputs })
}

/// Values of all parameters, with the assignments of `--set`.
pub fn parameters(document: &Document, set: &[Assignment]) -> Result<Vec<f64>, Failure> {
    Ok(assigned(document, set, true)?.parameters)
}

fn assigned(document: &Document, set: &[Assignment], inputs_too: bool) -> Result<AssignedValues, Failure> {
    assign(document, set, inputs_too).map_err(|wrong| Failure::Usage(format!("--set {wrong}")))
}
