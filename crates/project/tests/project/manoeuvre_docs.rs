//! What is generated from the types of a manoeuvre's file: the tables in `docs/manoeuvres.md`
//! (`BALLESTA_REWRITE=1` writes them anew).

use crate::reference_page::{compare_tables, examples, keys, string, words};
use ballesta::document::json_schema;
use ballesta_vehicle::manoeuvre::{BUILT_IN, Manoeuvre, manoeuvre_schema::ManoeuvreFile};
use serde_json::Value;

const PAGE: &str = "docs/manoeuvres.md";

#[test]
fn tables_of_the_reference_are_current() {
    crate::root::at_root();
    let schema = json_schema::<ManoeuvreFile>();
    compare_tables(PAGE, &schema, |name| match name.split_once(' ') {
        Some((_, kind)) => words(&schema["definitions"][kind]),
        None if name == "list" => list(),
        None => keys(&schema["definitions"][name], |property| kind(&schema, property)),
    });
}

#[test]
fn examples_of_the_reference_are_one_valid_manoeuvre() {
    crate::root::at_root();
    let read = Manoeuvre::parse(&examples(PAGE), "examples.toml").unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!((read.file.signals.len(), read.file.events.len(), read.file.lanes.len()), (3, 1, 1));
}

fn list() -> String {
    let row = |known: &ballesta_vehicle::manoeuvre::BuiltIn| {
        let read = Manoeuvre::parse(known.text, known.name).unwrap_or_else(|wrong| panic!("{wrong}"));
        format!("| `{}` | {} |\n", known.name, read.file.manoeuvre.title)
    };
    format!("| Name | Manoeuvre |\n|---|---|\n{}", BUILT_IN.iter().map(row).collect::<String>())
}

/// Type of a key in the words of the reference.
fn kind(schema: &Value, property: &Value) -> String {
    if let Some([only]) = property["allOf"].as_array().map(Vec::as_slice) {
        return kind(schema, only);
    }
    if let Some(reference) = property["$ref"].as_str() {
        let definition = schema.pointer(reference.trim_start_matches('#')).expect("a definition");
        let Some(words) = definition["oneOf"].as_array() else { return "table".to_string() };
        return words.iter().map(|word| format!("`{}`", string(&word["const"]))).collect::<Vec<_>>().join(", ");
    }
    match (property["type"].as_str(), property["maxItems"].as_u64()) {
        (Some("array"), Some(2)) => "two numbers".to_string(),
        (Some("array"), _) => {
            format!("array of {}", kind(schema, &property["items"]).replacen("two numbers", "pairs of numbers", 1))
        }
        (Some("number"), _) => "number".to_string(),
        (Some("string"), _) => "text".to_string(),
        other => panic!("{other:?}"),
    }
}
