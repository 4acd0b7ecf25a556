//! `ballesta schema`: JSON Schemas of the file formats.
//!
//! The schemas are derived from the types of the files. That code takes long to compile, so the program has the text of
//! the files in `docs`, which a test compares with the types.

pub mod arguments;

use crate::text;
use arguments::FileKind;
use ballesta_files::Failure;

/// Resolved `ballesta schema` command: the schema.
pub struct Plan(&'static str);

impl Plan {
    /// Selects the schema.
    pub fn resolve(typed: arguments::Schema) -> Result<Plan, Failure> {
        Ok(Plan(of(typed.kind)))
    }

    /// Prints it for editors.
    pub fn execute(self) -> Result<(), Failure> {
        text::say(self.0)
    }
}

/// Schema of a file format.
pub fn of(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Model => include_str!("../../../../../docs/model.schema.json"),
        FileKind::Assembly => include_str!("../../../../../docs/assembly.schema.json"),
        FileKind::Structure => include_str!("../../../../../docs/structure.schema.json"),
        FileKind::Rom => include_str!("../../../../../docs/rom.schema.json"),
        FileKind::Recovery => include_str!("../../../../../docs/recovery.schema.json"),
        FileKind::Adjacency => include_str!("../../../../../docs/adjacency.schema.json"),
        FileKind::Manoeuvre => include_str!("../../../../../docs/manoeuvre.schema.json"),
        FileKind::Study => include_str!("../../../../../docs/study.schema.json"),
    }
}
