//! What is generated from the model's types: the tables in `docs/model-format.md` and `docs/model.schema.json`
//! (`BALLESTA_REWRITE=1` writes them anew).

use ballesta::document::json_schema;
use ballesta::model::coordinates::Measure;
use ballesta::model::outputs::{OutputUnit, RULES, Size};
use ballesta::model::schema::JointKind;
use ballesta::model::{self, schema::Model};
use ballesta::system::System;
use ballesta::units::UNITS;
use serde_json::Value;
use std::fmt::Write;
use std::fs;

const PAGE: &str = "docs/model-format.md";
const SCHEMA: &str = "docs/model.schema.json";
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
    let text = serde_json::to_string_pretty(&json_schema::<Model>()).expect("plain JSON");
    compare(SCHEMA, &(text + "\n"));
}

#[test]
fn outputs_of_the_gallery_have_the_names_and_units_of_the_reference() {
    let entries = fs::read_dir("models").expect("the gallery is there").map(|entry| entry.expect("readable").path());
    for folder in entries.filter(|path| path.join("model.toml").is_file()) {
        let document = model::load(&folder).unwrap_or_else(|error| panic!("{error}"));
        let model = &document.model;
        let system = System::compile(&document, &model.parameter_values()).unwrap_or_else(|error| panic!("{error}"));
        let compiled = system.interface().outputs.iter().map(|info| (info.name.clone(), info.unit.as_str()));
        let described = model.outputs.iter().flat_map(|output| {
            let unit = model.output_unit(output);
            output.variable_names().into_iter().map(move |name| (name, unit))
        });
        assert_eq!(compiled.collect::<Vec<_>>(), described.collect::<Vec<_>>(), "{}", model.general.name);
    }
}

#[test]
fn tables_of_the_reference_are_current() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let schema = json_schema::<Model>();
    let mut wanted = String::new();
    let mut rest = page.as_str();
    let mut sections = Vec::new();
    while let Some(begin) = rest.find(BEGIN) {
        let name_end = begin + rest[begin..].find(" -->").expect("a closed comment");
        let name = &rest[begin + BEGIN.len()..name_end];
        let end = begin + rest[begin..].find(END).expect("an end marker");
        let _ = write!(wanted, "{}{BEGIN}{name} -->\n{}{END}", &rest[..begin], section(&schema, name));
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
fn examples_of_the_reference_are_one_valid_model() {
    let page = fs::read_to_string(PAGE).expect("the page is there");
    let blocks = page.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap_or_default());
    let text: String = blocks.collect::<Vec<_>>().join("\n");
    let document = model::parse(&text, "examples").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let values = document.model.parameter_values();
    if let Err(diagnostics) = System::compile(&document, &values) {
        panic!("{diagnostics}");
    }
    for key in json_schema::<Model>()["properties"].as_object().expect("tables").keys() {
        assert!(
            document.source.contains(key) || document.source.contains(&format!("{key}[0]")),
            "no example for {key}"
        );
    }
}

fn section(schema: &Value, name: &str) -> String {
    match name.split_once(' ') {
        Some(("words", kind)) => words(&schema["definitions"][kind]),
        _ if name == "joints" => joints(schema),
        _ if name == "outputs" => outputs(),
        _ if name == "units" => units(),
        _ => keys(schema, &schema["definitions"][name]),
    }
}

fn units() -> String {
    let mut text = "| Unit | Of |\n|---|---|\n".to_string();
    for unit in UNITS {
        let _ = writeln!(text, "| `{}` | {} |", unit.symbol, unit.meaning);
    }
    text
}

fn words(definition: &Value) -> String {
    let mut text = "| Word | Meaning |\n|---|---|\n".to_string();
    for variant in definition["oneOf"].as_array().expect("words") {
        let _ = writeln!(text, "| `{}` | {} |", string(&variant["const"]), one_line(string(&variant["description"])));
    }
    text
}

fn joints(schema: &Value) -> String {
    let mut text =
        "| `type` | Motion | Scalar coordinates | `position` | `speed` |\n|---|---|---|---|---|\n".to_string();
    for kind in JointKind::ALL {
        let word = serde_json::to_value(kind).expect("a word");
        let variants = schema["definitions"]["JointKind"]["oneOf"].as_array().expect("words");
        let variant = variants.iter().find(|variant| variant["const"] == word).expect("every kind");
        let motion = one_line(string(&variant["description"]));
        let motion = motion.split(" (").next().unwrap_or_default().trim_end_matches('.');
        let scalars = kind.coordinates().iter().map(|coordinate| {
            let unit = if coordinate.measure == Measure::Angle { "rad" } else { "m" };
            format!("`{}` ({unit})", coordinate.name)
        });
        let scalars = scalars.collect::<Vec<_>>().join(", ");
        let (positions, speeds) = (kind.position_names().join(", "), kind.speed_names().join(", "));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            format_args!("`{}`", string(&word)),
            motion,
            dash(&scalars),
            dash(&positions),
            dash(&speeds)
        );
    }
    text
}

fn outputs() -> String {
    let mut text =
        "| Target | `quantity` | Size | Unit | `axes` | What it is |\n|---|---|---|---|---|---|\n".to_string();
    for rule in RULES {
        let size = match rule.size {
            Size::Scalar => "1",
            Size::Vector => "3",
            Size::Quaternion => "4",
        };
        let unit = match rule.unit {
            OutputUnit::Always(symbol) => symbol.to_string(),
            unit => format!("{}, {}", unit.symbol(Measure::Angle), unit.symbol(Measure::Length)),
        };
        let quantity = serde_json::to_value(rule.quantity).expect("a word");
        let axes = if rule.axes { "yes" } else { "–" };
        let _ = writeln!(
            text,
            "| {} | `{}` | {size} | {unit} | {axes} | {} |",
            rule.target.key(),
            string(&quantity),
            rule.meaning
        );
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
        let default = match (required.contains(&key.as_str()), property.get("default")) {
            (true, _) => "required".to_string(),
            (false, _) if !default.is_empty() => default,
            (false, Some(Value::Number(number))) => format!("{number}"),
            (false, Some(Value::String(word))) if !word.is_empty() => format!("`{word}`"),
            (false, Some(Value::Bool(flag))) => format!("`{flag}`"),
            _ => String::new(),
        };
        let _ = writeln!(text, "| `{key}` | {} | {} | {meaning} |", kind(schema, property), dash(&default));
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
        return match reference.rsplit('/').next().unwrap_or_default() {
            "Number" => "number".to_string(),
            "Place" => "place".to_string(),
            "PerCoordinate" => "number or array".to_string(),
            "CoordinateRef" => "coordinate".to_string(),
            "JointKind" | "Quantity" => "word, see below".to_string(),
            _ => match definition["oneOf"].as_array() {
                Some(words) => {
                    words.iter().map(|word| format!("`{}`", string(&word["const"]))).collect::<Vec<_>>().join(", ")
                }
                None => "table".to_string(),
            },
        };
    }
    match property["type"].as_str() {
        Some("array") => {
            let item = kind(schema, &property["items"]);
            match property["maxItems"].as_u64() {
                Some(length) => format!("{length} {item}s"),
                None => format!("rows of {item}"),
            }
        }
        Some("number") => "constant".to_string(),
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

fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
