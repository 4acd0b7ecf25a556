//! The schemas of model files and subassemblies in the FMU's library, see [`document::compact()`].

use super::Model;
use super::assembly::{Assembly, keep_tables_of_many};
use crate::document;
use serde_json::Value;

impl Model {
    /// The schema compacted by [`document::compact()`]; `compact.json` is generated from the types.
    pub fn compact_schema() -> Value {
        document::embedded(include_str!("compact.json"))
    }
}

impl Assembly {
    /// The schema compacted by [`document::compact()`].
    pub fn compact_schema() -> Value {
        let mut schema = Model::compact_schema();
        schema.as_object_mut().into_iter().for_each(keep_tables_of_many);
        schema
    }
}

/// Maximum number of items of a table, including subassemblies. Offline work grows with the square: checks of a chain
/// of this length take a second and 400 MB.
pub const MAX_ITEMS: usize = 4000;
/// Advice if a model has more.
pub const FEWER_ITEMS: &str = "use fewer items in one model; a flexible body can replace many small bodies";

impl document::FileSchema for Model {
    fn reading_schema() -> Value {
        Model::compact_schema()
    }

    const MAX_TABLES: usize = MAX_ITEMS;
    const FEWER: &'static str = FEWER_ITEMS;
}

impl document::FileSchema for Assembly {
    fn reading_schema() -> Value {
        Assembly::compact_schema()
    }

    const MAX_TABLES: usize = MAX_ITEMS;
    const FEWER: &'static str = FEWER_ITEMS;
}
