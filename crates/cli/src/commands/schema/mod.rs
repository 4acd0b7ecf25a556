//! `ballesta schema`: JSON Schemas of the file formats.

pub mod arguments;

use crate::text;
use arguments::FileKind;
use ballesta::document::json_schema;
use ballesta::model::schema::{Assembly, Model};
use ballesta::rom::Rom;
use ballesta_fem::structure::schema::StructureFile;
use ballesta_files::Failure;
use ballesta_run::adjacency::AdjacencyFile;
use serde_json::Value;

/// Resolved `ballesta schema` command: the schema.
pub struct Plan(Value);

impl Plan {
    /// Derives the schema.
    pub fn resolve(typed: arguments::Schema) -> Result<Plan, Failure> {
        of(typed.kind).map(Plan)
    }

    /// Prints it for editors.
    pub fn execute(self) -> Result<(), Failure> {
        text::say_json(&self.0)
    }
}

/// Schema of a file format; a failure if this program does not have it.
pub fn of(kind: FileKind) -> Result<Value, Failure> {
    Ok(match kind {
        FileKind::Model => json_schema::<Model>(),
        FileKind::Assembly => json_schema::<Assembly>(),
        FileKind::Structure => json_schema::<StructureFile>(),
        FileKind::Rom => json_schema::<Rom>(),
        FileKind::Recovery => json_schema::<ballesta_files::recovery::Recovery>(),
        FileKind::Adjacency => json_schema::<AdjacencyFile>(),
        FileKind::Manoeuvre => json_schema::<ballesta_vehicle::manoeuvre::schema::ManoeuvreFile>(),
        #[cfg(feature = "parquet")]
        FileKind::Study => json_schema::<ballesta_study::schema::StudyFile>(),
        #[cfg(not(feature = "parquet"))]
        FileKind::Study => return Err(crate::commands::study::left_out()),
    })
}
