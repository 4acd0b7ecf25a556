//! `ballesta schema`: JSON Schemas of the file formats.
//!
//! The schemas are derived from the types of the files. That code takes long to compile, so the program has the text of
//! the files in `docs`, which a test compares with the types. The file for subassemblies refers to the model's.

pub mod arguments;

use crate::text;
use arguments::FileKind;
use ballesta_files::Failure;
use serde_json::Value;

/// Resolved `ballesta schema` command: the schema.
pub struct Plan(String);

impl Plan {
    /// Selects the schema.
    pub fn resolve(typed: arguments::Schema) -> Result<Plan, Failure> {
        Ok(Plan(of(typed.kind)))
    }

    /// Prints it for editors.
    pub fn execute(self) -> Result<(), Failure> {
        text::say(&self.0)
    }
}

/// Schema of a file format.
pub fn of(kind: FileKind) -> String {
    match kind {
        FileKind::Model => MODEL,
        FileKind::Assembly => return of_assembly(),
        FileKind::Structure => include_str!("../../../../../docs/structure.schema.json"),
        FileKind::Rom => include_str!("../../../../../docs/rom.schema.json"),
        FileKind::Recovery => include_str!("../../../../../docs/recovery.schema.json"),
        FileKind::Adjacency => include_str!("../../../../../docs/adjacency.schema.json"),
        FileKind::Manoeuvre => include_str!("../../../../../docs/manoeuvre.schema.json"),
        FileKind::Study => include_str!("../../../../../docs/study.schema.json"),
    }
    .to_string()
}

const MODEL: &str = include_str!("../../../../../docs/model.schema.json");

/// Schema of subassembly files. The file in `docs` refers to the tables of model files; the answer contains them,
/// because users store it alone.
fn of_assembly() -> String {
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("a test compares the files with the types");
    let mut model = parse(MODEL);
    let mut assembly = parse(include_str!("../../../../../docs/assembly.schema.json"));
    // Replace each reference to a table by the table, then append the definitions that tables refer to.
    for (key, property) in assembly["properties"].as_object_mut().into_iter().flatten() {
        *property = model["properties"][key.as_str()].take();
    }
    assembly["definitions"] = model["definitions"].take();
    format!("{assembly:#}\n")
}
