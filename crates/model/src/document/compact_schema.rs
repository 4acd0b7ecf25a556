//! The parts of a JSON schema that reading needs: the shapes, and the first sentences that messages quote.
//!
//! The schemas of files derive from their types with the feature `schema`. That code would be an eighth of the library
//! of an FMU, and it would compute the same data at every start. The data are therefore stored next to the types, and
//! `crates/project` compares the two.

use super::reader::first_sentence;
use super::schema_shape::words;
use serde_json::{Map, Value};

/// The type of a file.
pub trait FileSchema {
    /// The schema that files are read against, as [`compact`] leaves it.
    fn reading_schema() -> Value;

    /// Largest number of tables in one top-level array (`[[body]]`): a file with more is rejected before its tables
    /// take memory.
    const MAX_TABLES: usize = usize::MAX;

    /// Hint for a file with more items.
    const FEWER: &'static str = "write fewer";
}

/// The compacted schema that is stored in a file of this source tree.
pub fn embedded(text: &str) -> Value {
    serde_json::from_str(text).expect("a test compares the file with the types")
}

/// A schema without the parts that reading does not use. Reading gives the same result with either, messages included.
pub fn compact(schema: &Value) -> Value {
    part(schema, false)
}

/// Compacts a part of a schema; `quoted`: messages may quote its description.
fn part(whole: &Value, quoted: bool) -> Value {
    let Value::Object(schema) = whole else { return whole.clone() };
    let mut kept = Map::new();
    if let Some(text) = schema.get("description").and_then(Value::as_str).filter(|_| quoted) {
        kept.insert("description".to_string(), first_sentence(text).into());
    }
    if let Some(words) = words(whole) {
        kept.insert("enum".to_string(), words.into());
        return Value::Object(kept);
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, value) in schema {
        let value = match (key.as_str(), value) {
            ("type" | "required" | "maxItems" | "$ref", value) => value.clone(),
            ("properties", Value::Object(entries)) => parts(entries, |name| required.contains(&name)),
            // The type is quoted if a key has no description.
            ("definitions", Value::Object(entries)) => parts(entries, |_| true),
            ("items" | "additionalProperties", Value::Object(_)) => part(value, false),
            ("anyOf", Value::Array(all)) => all.iter().map(|alternative| part(alternative, true)).collect(),
            ("allOf", Value::Array(all)) => all.iter().map(|one| part(one, quoted)).collect(),
            _ => continue,
        };
        kept.insert(key.clone(), value);
    }
    Value::Object(kept)
}

fn parts(entries: &Map<String, Value>, quoted: impl Fn(&str) -> bool) -> Value {
    Value::Object(entries.iter().map(|(name, value)| (name.clone(), part(value, quoted(name)))).collect())
}
