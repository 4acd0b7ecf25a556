//! What is generated from the structure file's types: the tables in `docs/structure-format.md` and `docs/structure.schema.json`
//! (`BALLESTA_REWRITE=1` writes them anew).
#![cfg(feature = "fem")]

use ballesta::document::json_schema;
use ballesta::fem::structure::{self, schema::StructureFile};
use serde_json::Value;
use std::fmt::Write;
use std::fs;

const PAGE: &str = "docs/structure-format.md";
const SCHEMA: &str = "docs/structure.schema.json";
const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Compares a file with what it should hold; writes it when asked to.
fn compare(path: &str, wanted: &str) {
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::write(path, wanted).expect("writable");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "{path} is out of date: run this test with BALLESTA_REWRITE=1");
}

#[test]
fn schema_file_is_current() {
    let text = serde_json::to_string_pretty(&json_schema::<StructureFile>()).expect("plain JSON");
    compare(SCHEMA, &(text + "\n"));
}

#[test]
fn tables_of_the_reference_are_current() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let schema = json_schema::<StructureFile>();
    let (mut wanted, mut rest, mut sections) = (String::new(), page.as_str(), Vec::new());
    while let Some(begin) = rest.find(BEGIN) {
        let name_end = begin + rest[begin..].find(" -->").expect("a closed comment");
        let name = &rest[begin + BEGIN.len()..name_end];
        let end = begin + rest[begin..].find(END).expect("an end marker");
        let table = match name.split_once(' ') {
            Some((_, kind)) => words(&schema["definitions"][kind]),
            None => keys(&schema, &schema["definitions"][name]),
        };
        let _ = write!(wanted, "{}{BEGIN}{name} -->\n{table}{END}", &rest[..begin]);
        sections.push(name.to_string());
        rest = &rest[end + END.len()..];
    }
    wanted += rest;
    compare(PAGE, &wanted);
    let tables = schema["definitions"].as_object().expect("definitions");
    for (name, _) in tables.iter().filter(|(_, definition)| definition.get("properties").is_some()) {
        assert!(sections.contains(name), "{PAGE} does not describe {name}");
    }
}

#[test]
fn examples_of_the_reference_are_one_valid_structure() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let blocks = page.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let text: String = blocks.collect::<Vec<_>>().join("\n");
    let structure = structure::parse(&text, "examples").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
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

fn words(definition: &Value) -> String {
    let mut text = "| Word | Meaning |\n|---|---|\n".to_string();
    for variant in definition["oneOf"].as_array().expect("words") {
        let _ = writeln!(text, "| `{}` | {} |", string(&variant["const"]), one_line(string(&variant["description"])));
    }
    text
}

/// Table of the keys of a definition.
fn keys(schema: &Value, definition: &Value) -> String {
    let properties = definition["properties"].as_object().expect("a table with keys");
    let required: Vec<&str> = definition["required"].as_array().into_iter().flatten().map(string).collect();
    let mut text = "| Key | Type | Default | Meaning |\n|---|---|---|---|\n".to_string();
    for (key, property) in properties {
        let (meaning, default) = split_default(&one_line(string(&property["description"])));
        let default = if required.contains(&key.as_str()) { "required".to_string() } else { default };
        let default = if default.is_empty() { "–" } else { &default };
        let _ = writeln!(text, "| `{key}` | {} | {default} | {meaning} |", kind(schema, property));
    }
    text
}

/// Takes the sentence that begins with "Default" out of a description.
fn split_default(description: &str) -> (String, String) {
    let Some(at) = description.find("Default") else { return (description.to_string(), String::new()) };
    let (before, sentence) = description.split_at(at);
    let end = sentence.find(". ").map_or(sentence.len(), |end| end + 1);
    let default = sentence[..end].trim_start_matches("Default").trim_start_matches(':').trim().trim_end_matches('.');
    (format!("{before}{}", &sentence[end..]).trim().to_string(), default.to_string())
}

/// Type of a key in the words of the reference.
fn kind(schema: &Value, property: &Value) -> String {
    if let Some([only]) = property["allOf"].as_array().map(Vec::as_slice) {
        return kind(schema, only);
    }
    if let Some(reference) = property["$ref"].as_str() {
        let definition = schema.pointer(reference.trim_start_matches('#')).expect("a definition");
        let words = definition["oneOf"].as_array().expect("words");
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

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
