//! What the tests of generated reference pages share: comparing with the file, and tables from JSON schemas.

use serde_json::Value;
use std::fmt::Write;
use std::fs;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Compares a file with what it should hold; writes it when asked to.
pub fn compare(path: &str, wanted: &str) {
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::write(path, wanted).expect("writable");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "{path} is out of date: run this test with BALLESTA_REWRITE=1");
}

/// Compares the generated parts of a page with what `section` makes for their names, and asserts that every definition
/// of a table in `schema` has one.
pub fn compare_tables(path: &str, schema: &Value, section: impl Fn(&str) -> String) {
    let page = fs::read_to_string(path).expect("the page is there");
    let (mut wanted, mut rest, mut sections) = (String::new(), page.as_str(), Vec::new());
    while let Some(begin) = rest.find(BEGIN) {
        let name_end = begin + rest[begin..].find(" -->").expect("a closed comment");
        let name = &rest[begin + BEGIN.len()..name_end];
        let end = begin + rest[begin..].find(END).expect("an end marker");
        let _ = write!(wanted, "{}{BEGIN}{name} -->\n{}{END}", &rest[..begin], section(name));
        sections.push(name.to_string());
        rest = &rest[end + END.len()..];
    }
    wanted += rest;
    compare(path, &wanted);
    let tables = schema["definitions"].as_object().expect("definitions");
    for (name, _) in tables.iter().filter(|(_, definition)| definition.get("properties").is_some()) {
        assert!(sections.contains(name), "{path} does not describe {name}");
    }
}

/// The examples of a page, one after the other.
pub fn examples(path: &str) -> String {
    let page = fs::read_to_string(path).expect("the page is there");
    let blocks = page.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    blocks.collect::<Vec<_>>().join("\n")
}

/// Table of the words of an enumeration.
pub fn words(definition: &Value) -> String {
    let mut text = "| Word | Meaning |\n|---|---|\n".to_string();
    for variant in definition["oneOf"].as_array().expect("words") {
        let _ = writeln!(text, "| `{}` | {} |", string(&variant["const"]), one_line(string(&variant["description"])));
    }
    text
}

/// Table of the keys of a definition; `kind` says in words what a key takes.
pub fn keys(definition: &Value, kind: impl Fn(&Value) -> String) -> String {
    let properties = definition["properties"].as_object().expect("a table with keys");
    let required: Vec<&str> = definition["required"].as_array().into_iter().flatten().map(string).collect();
    let mut text = "| Key | Type | Default | Meaning |\n|---|---|---|---|\n".to_string();
    for (key, property) in properties {
        let (meaning, default) = split_default(&one_line(string(&property["description"])));
        let default = match (required.contains(&key.as_str()), property.get("default")) {
            (true, _) => "required".to_string(),
            (false, _) if !default.is_empty() => default,
            (false, Some(Value::Number(number))) => format!("{number}"),
            (false, Some(Value::String(word))) if !word.is_empty() => format!("`{word}`"),
            (false, Some(Value::Bool(flag))) => format!("`{flag}`"),
            _ => String::new(),
        };
        let _ = writeln!(text, "| `{key}` | {} | {} | {meaning} |", kind(property), dash(&default));
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

/// A text, or nothing.
pub fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Text for a cell of a table.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A cell that is never empty.
pub fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
