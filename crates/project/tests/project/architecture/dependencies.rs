//! The table of dependencies in ARCHITECTURE.md names every crate of all `Cargo.toml`, and where it is used.

use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

const HEAD: &str = "| crate | in | used in | job | why this one |\n";

fn read(path: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names in a table of dependencies, with whether they are optional.
fn names(table: Option<&Value>) -> Vec<(String, bool)> {
    let optional = |value: &Value| value.get("optional").and_then(Value::as_bool) == Some(true);
    table.and_then(Value::as_table).into_iter().flatten().map(|(name, value)| (name.clone(), optional(value))).collect()
}

/// Crate → what needs it, in the words of the table.
fn declared() -> BTreeMap<String, String> {
    let manifest: Table = read("Cargo.toml").parse().expect("TOML");
    let feature_of = |name: &str| {
        let features = manifest["features"].as_table().expect("features");
        let found = features.iter().find(|(_, parts)| {
            parts.as_array().expect("a list").iter().any(|part| part.as_str() == Some(&format!("dep:{name}")))
        });
        found.unwrap_or_else(|| panic!("{name} is optional, and no feature has it")).0.clone()
    };
    let place = |name: &str, optional: bool| if optional { feature_of(name) } else { "FMU".to_string() };
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, optional) in names(manifest.get("dependencies")) {
        let place = place(&name, optional);
        declared.entry(name).or_default().push(place);
    }
    for (condition, target) in manifest.get("target").and_then(Value::as_table).into_iter().flatten() {
        let system = match condition.as_str() {
            "cfg(target_os = \"linux\")" => "Linux",
            "cfg(unix)" => "Unix",
            "cfg(windows)" => "Windows",
            other => panic!("the table has no word for {other}"),
        };
        for (name, optional) in names(target.get("dependencies")) {
            let place = place(&name, optional);
            declared.entry(name).or_default().extend([place, system.to_string()]);
        }
    }
    for (name, _) in names(manifest.get("dev-dependencies")) {
        declared.entry(name).or_default().push("tests".to_string());
    }
    for (name, optional) in names(manifest.get("build-dependencies")) {
        assert!(optional, "{name}: those who build the program need no generators");
        declared.entry(name.clone()).or_default().push(feature_of(&name));
    }
    let importer: Table = read("tests/importer/Cargo.toml").parse().expect("TOML");
    for table in ["dependencies", "dev-dependencies"] {
        for (name, _) in names(importer.get(table)) {
            declared.entry(name).or_default().push("importer".to_string());
        }
    }
    let python: Table = read("python/Cargo.toml").parse().expect("TOML");
    for (name, _) in names(python.get("dependencies")).into_iter().filter(|(name, _)| name != "ballesta") {
        declared.entry(name).or_default().push("Python".to_string());
    }
    declared.into_iter().map(|(name, places)| (name, places.join(", "))).collect()
}

/// Whether a file, or a file of a folder and what lies below it, has the word.
fn has_word(path: &Path, word: &str) -> bool {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path());
        return entries.into_iter().any(|entry| has_word(&entry, word));
    }
    path.extension().is_some_and(|extension| extension == "rs")
        && super::source::words(&std::fs::read_to_string(path).expect("text")).any(|found| found == word)
}

#[test]
fn every_dependency_stands_in_the_table_with_its_places_job_and_reason() {
    crate::root::at_root();
    let page = read("ARCHITECTURE.md");
    let (_, table) = page.split_once(HEAD).expect("the table of dependencies");
    let mut written = BTreeMap::new();
    for row in table.lines().skip(1).take_while(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        assert!(cells.len() == 5 && cells.iter().all(|cell| cell.len() > 2), "{row}");
        let name = cells[0].trim_matches('`');
        let places: Vec<&str> = cells[2].split('`').skip(1).step_by(2).collect();
        assert!(!places.is_empty(), "{row}");
        for place in places {
            let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(place);
            assert!(path.exists(), "{place} in the row of {name}");
            assert!(has_word(&path, &name.replace('-', "_")), "{place} does not use {name}");
        }
        assert!(written.insert(name.to_string(), cells[1].to_string()).is_none(), "{name} stands there twice");
    }
    assert_eq!(
        written,
        declared(),
        "ARCHITECTURE.md (left) and Cargo.toml with those of tests/importer and python (right)"
    );
}
