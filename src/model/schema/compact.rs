//! The schemas of model files and subassemblies as the library of an FMU holds them, see [`document::compact()`].

use super::Model;
use super::assembly::{Assembly, keep_tables_of_many};
use crate::document;
use serde_json::Value;

impl Model {
    /// What [`document::compact()`] leaves of the schema; `compact.json` is generated from the types.
    pub fn compact_schema() -> Value {
        document::embedded(include_str!("compact.json"))
    }
}

impl Assembly {
    /// What [`document::compact()`] leaves of the schema.
    pub fn compact_schema() -> Value {
        let mut schema = Model::compact_schema();
        schema.as_object_mut().into_iter().for_each(keep_tables_of_many);
        schema
    }
}

/// Items of a table at most, those of subassemblies included. Offline the work grows with their square: the checks of a
/// chain of as many bodies take a second and 400 MB.
pub(crate) const MOST_ITEMS: usize = 4000;
/// What to do instead.
pub(crate) const FEWER_ITEMS: &str = "describe less in one model; a flexible body stands for many small ones";

impl document::FileSchema for Model {
    fn reading_schema() -> Value {
        Model::compact_schema()
    }

    const MOST_TABLES: usize = MOST_ITEMS;
    const FEWER: &'static str = FEWER_ITEMS;
}

impl document::FileSchema for Assembly {
    fn reading_schema() -> Value {
        Assembly::compact_schema()
    }

    const MOST_TABLES: usize = MOST_ITEMS;
    const FEWER: &'static str = FEWER_ITEMS;
}
