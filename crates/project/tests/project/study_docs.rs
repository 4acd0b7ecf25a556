//! What is generated from the study file's types: the tables in `docs/study-format.md` (`BALLESTA_REWRITE=1` writes
//! them anew).

use crate::reference_page::{compare_tables, examples, keys, string, words};
use ballesta::document::json_schema;
use ballesta_study::{Study, study_schema::StudyFile};
use serde_json::Value;

const PAGE: &str = "docs/study-format.md";

#[test]
fn tables_of_the_reference_are_current() {
    crate::root::at_root();
    let schema = json_schema::<StudyFile>();
    compare_tables(PAGE, &schema, |name| match name.split_once(' ') {
        Some((_, kind)) => words(&schema["definitions"][kind]),
        None => keys(&schema["definitions"][name], |property| kind(&schema, property)),
    });
}

#[test]
fn examples_of_the_reference_are_one_valid_study() {
    crate::root::at_root();
    let study = Study::parse(&examples(PAGE), "models/studies/pendulum/examples.toml");
    let study = study.unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(study.runs(), 960);
    assert!(study.kept().iter().any(|kept| kept.name == "bob.x.final"));
    assert!(study.kept().iter().any(|kept| kept.name == "angle.p95"));
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
    match property["type"].as_str() {
        Some("array") => format!("array of {}", kind(schema, &property["items"])),
        Some("number") => "number".to_string(),
        Some("integer") => "whole number".to_string(),
        Some("boolean") => "`true`, `false`".to_string(),
        Some("string") => "text".to_string(),
        _ => "table of numbers".to_string(),
    }
}
