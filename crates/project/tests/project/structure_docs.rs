//! What is generated from the structure file's types: the tables in `docs/structure-format.md`
//! (`BALLESTA_REWRITE=1` writes them anew).

use crate::reference_page::{compare_tables, examples, keys, string, words};
use ballesta::document::json_schema;
use ballesta_fem::structure::{self, structure_schema::StructureFile};
use serde_json::Value;

const PAGE: &str = "docs/structure-format.md";

#[test]
fn tables_of_the_reference_are_current() {
    crate::root::at_root();
    let schema = json_schema::<StructureFile>();
    compare_tables(PAGE, &schema, |name| match name.split_once(' ') {
        Some((_, kind)) => words(&schema["definitions"][kind]),
        None => keys(&schema["definitions"][name], |property| kind(&schema, property)),
    });
}

#[test]
fn examples_of_the_reference_are_one_valid_structure() {
    crate::root::at_root();
    let structure = structure::parse(&examples(PAGE), "examples").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    if let Err(diagnostics) = structure::build(&structure) {
        panic!("{diagnostics}");
    }
    // Matrices are instead of elements: docs/foreign-matrices.md shows them.
    let schema = json_schema::<StructureFile>();
    for key in schema["properties"].as_object().expect("tables").keys().filter(|key| *key != "matrices") {
        let written = structure.source.contains(key) || structure.source.contains(&format!("{key}[0]"));
        assert!(written, "no example for {key}");
    }
}

/// Type of a key in the words of the reference.
fn kind(schema: &Value, property: &Value) -> String {
    if let Some([only]) = property["allOf"].as_array().map(Vec::as_slice) {
        // A table, not an array of tables.
        return kind(schema, only).replace("tables", "table");
    }
    if let Some(reference) = property["$ref"].as_str() {
        let definition = schema.pointer(reference.trim_start_matches('#')).expect("a definition");
        let Some(words) = definition["oneOf"].as_array() else { return "tables".to_string() };
        return words.iter().map(|word| format!("`{}`", string(&word["const"]))).collect::<Vec<_>>().join(", ");
    }
    match property["type"].as_str() {
        Some("array") => {
            let item = kind(schema, &property["items"]);
            match property["maxItems"].as_u64() {
                Some(length) => format!("{length} × ({item})").replace("(number)", "number").replace("(text)", "text"),
                None => format!("array of {item}"),
            }
        }
        Some("number") => "number".to_string(),
        Some("integer") => "whole number".to_string(),
        Some("boolean") => "`true`, `false`".to_string(),
        Some("string") => "text".to_string(),
        _ => "table".to_string(),
    }
}
