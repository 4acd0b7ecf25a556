//! `ballesta schema`: the JSON schemas of the files that users write and read.

use super::arguments::FileKind;
use super::failure::Failure;
use super::text;
use crate::document::json_schema;
use crate::fem::structure::schema::StructureFile;
use crate::model::adjacency::AdjacencyFile;
use crate::model::schema::{Assembly, Model};
use crate::rom::Rom;
use crate::study::schema::StudyFile;

/// Prints the schema that editors check files against.
pub fn execute(kind: FileKind) -> Result<(), Failure> {
    text::say_json(&match kind {
        FileKind::Model => json_schema::<Model>(),
        FileKind::Assembly => json_schema::<Assembly>(),
        FileKind::Structure => json_schema::<StructureFile>(),
        FileKind::Rom => json_schema::<Rom>(),
        FileKind::Adjacency => json_schema::<AdjacencyFile>(),
        FileKind::Study => json_schema::<StudyFile>(),
    })
}
