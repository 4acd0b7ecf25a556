//! What is generated from the model's types: the tables in `docs/model-format.md` (`BALLESTA_REWRITE=1` writes them
//! anew).

use crate::reference_page::{compare_tables, dash, examples, keys, one_line, string, words};
use ballesta::compile;
use ballesta::document::json_schema;
use ballesta::joint::coordinates::Measure;
use ballesta::model::assembly::mirror::mirrored_keys;
use ballesta::model::outputs::{OutputUnit, RULES, Size};
use ballesta::model::schema::JointKind;
use ballesta::model::{self, schema::Model};
use ballesta::units::{SHOWN_UNITS, UNITS};
use serde_json::Value;
use std::fmt::Write;
use std::fs;

const PAGE: &str = "docs/model-format.md";

#[test]
fn outputs_of_the_gallery_have_the_names_and_units_of_the_reference() {
    crate::root::at_root();
    let entries = fs::read_dir("models").expect("the gallery is there").map(|entry| entry.expect("readable").path());
    for folder in entries.filter(|path| path.join("model.toml").is_file()) {
        let document = model::load(&folder).unwrap_or_else(|error| panic!("{error}"));
        let model = &document.model;
        let system = compile::compile(&document, &model.parameter_values()).unwrap_or_else(|error| panic!("{error}"));
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
    crate::root::at_root();
    let schema = json_schema::<Model>();
    compare_tables(PAGE, &schema, |name| section(&schema, name));
}

#[test]
fn examples_of_the_reference_are_one_valid_model() {
    crate::root::at_root();
    let document =
        model::parse(&examples(PAGE), "tests/roms/examples.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let values = document.model.parameter_values();
    if let Err(diagnostics) = compile::compile(&document, &values) {
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
        _ if name == "mirror" => mirror(),
        _ if name == "shown units" => shown_units(),
        _ => keys(&schema["definitions"][name], |property| kind(schema, property)),
    }
}

fn mirror() -> String {
    let mut text = "| Key | What a mirror does to it |\n|---|---|\n".to_string();
    for (key, meaning) in mirrored_keys() {
        let _ = writeln!(text, "| `{key}` | {meaning} |");
    }
    text
}

fn units() -> String {
    let mut text = "| Unit | Of |\n|---|---|\n".to_string();
    for unit in UNITS {
        let _ = writeln!(text, "| `{}` | {} |", unit.symbol, unit.meaning);
    }
    text
}

fn shown_units() -> String {
    let mut text = "| `unit` | Of values in |\n|---|---|\n".to_string();
    for unit in SHOWN_UNITS {
        let _ = writeln!(text, "| `{}` | `{}` |", unit.symbol, unit.of);
    }
    text
}

fn joints(schema: &Value) -> String {
    let mut text =
        "| `type` | Motion | Scalar coordinates | `position` | `speed` |\n|---|---|---|---|---|\n".to_string();
    for kind in JointKind::all() {
        let word = kind.word();
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
            format_args!("`{}`", word),
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
            Size::Vector | Size::Forces | Size::Moments | Size::Angles => "3",
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
        Some("integer") => "whole number".to_string(),
        Some("boolean") => "`true`, `false`".to_string(),
        Some("string") => "text".to_string(),
        _ => "table".to_string(),
    }
}
