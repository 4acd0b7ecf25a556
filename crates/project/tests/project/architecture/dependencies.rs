//! The tables of ARCHITECTURE.md that repeat all `Cargo.toml`: the crates of the workspace with those that they use,
//! and every crate of others with where it is used. The lock file of `fuzz/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const OTHERS: &str = "| crate | in | used in | job | why this one |\n";
const OWN: &str = "| crate | folder | what | uses |\n";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn manifest(folder: &Path) -> Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().expect("TOML")
}

/// Folders of the workspace's packages from the root, which comes first, with their manifests.
fn members() -> Vec<(PathBuf, Table)> {
    let crates = std::fs::read_dir(root().join("crates")).expect("readable");
    let mut folders: Vec<PathBuf> =
        crates.map(|entry| Path::new("crates").join(entry.expect("readable").file_name())).collect();
    folders.sort();
    folders.insert(0, PathBuf::new());
    folders.push("python".into());
    folders.into_iter().map(|folder| (folder.clone(), manifest(&folder))).collect()
}

/// Entries of a table of dependencies.
fn entries(table: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    table.and_then(Value::as_table).into_iter().flatten()
}

fn is_own(name: &str) -> bool {
    name == "ballesta" || name.starts_with("ballesta-")
}

/// Rows of the table of ARCHITECTURE.md with that head, cell by cell.
fn rows(head: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let (_, table) = page.split_once(head).expect("the table");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with("| "));
    let cells = |row: &str| row.trim_matches(['|', ' ']).split(" | ").map(str::to_string).collect::<Vec<_>>();
    rows.map(cells).inspect(|cells| assert_eq!(cells.len(), head.matches(" | ").count() + 1, "{cells:?}")).collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Crate of others → what needs it, in the words of the table.
fn declared() -> BTreeMap<String, String> {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |name: &str, place: String| {
        let places = declared.entry(name.to_string()).or_default();
        if !is_own(name) && !places.contains(&place) {
            places.push(place);
        }
    };
    let members = members();
    for (folder, manifest) in &members {
        let word = match folder.to_str().expect("UTF-8") {
            "" => "FMU",
            "python" => "Python",
            other => other.trim_start_matches("crates/"),
        };
        for (name, value) in entries(manifest.get("dependencies")) {
            let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
            let has = |parts: &Value| parts.as_array().expect("a list").contains(&format!("dep:{name}").into());
            let feature = entries(manifest.get("features")).find(|(_, parts)| has(parts));
            assert_eq!(optional, feature.is_some(), "{name} is optional, and a feature has it, or neither");
            add(name, feature.map_or(word.to_string(), |(feature, _)| format!("{word} ({feature})")));
        }
        for (condition, target) in entries(manifest.get("target")) {
            let system = match condition.as_str() {
                "cfg(target_os = \"linux\")" => "Linux",
                "cfg(unix)" => "Unix",
                "cfg(windows)" => "Windows",
                other => panic!("the table has no word for {other}"),
            };
            entries(target.get("dependencies")).for_each(|(name, _)| add(name, format!("{word} ({system})")));
        }
        assert!(!manifest.contains_key("build-dependencies"), "{word}: who builds the program needs no generators");
    }
    for (_, manifest) in &members {
        entries(manifest.get("dev-dependencies")).for_each(|(name, _)| add(name, "tests".to_string()));
    }
    let importer = manifest(Path::new("tests/importer"));
    for table in ["dependencies", "dev-dependencies"] {
        entries(importer.get(table)).for_each(|(name, _)| add(name, "importer".to_string()));
    }
    for (name, _) in entries(members[0].1["workspace"].get("dependencies")) {
        assert!(declared.contains_key(name), "{name} stands in the workspace, and no package uses it");
    }
    declared.retain(|name, _| !is_own(name));
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
    let mut written = BTreeMap::new();
    for cells in rows(OTHERS) {
        assert!(cells.iter().all(|cell| cell.len() > 2), "{cells:?}");
        let name = cells[0].trim_matches('`');
        let places = quoted(&cells[2]);
        assert!(!places.is_empty(), "{cells:?}");
        for place in places {
            let path = root().join(place);
            assert!(path.exists(), "{place} in the row of {name}");
            assert!(has_word(&path, &name.replace('-', "_")), "{place} does not use {name}");
        }
        assert!(written.insert(name.to_string(), cells[1].to_string()).is_none(), "{name} stands there twice");
    }
    assert_eq!(
        written,
        declared(),
        "ARCHITECTURE.md (left) and the Cargo.toml of the workspace and of tests/importer (right)"
    );
}

#[test]
fn every_crate_of_the_workspace_stands_in_the_table_with_those_that_it_uses() {
    crate::root::at_root();
    let folder = |path: &Path| if path == Path::new("") { "src".to_string() } else { path.display().to_string() };
    let declared = members().into_iter().map(|(path, manifest)| {
        let name = manifest["package"]["name"].as_str().expect("a name").to_string();
        let used = entries(manifest.get("dependencies")).map(|(name, _)| name).filter(|name| is_own(name));
        let used = used.map(|name| name.trim_start_matches("ballesta-").to_string());
        (name, (folder(&path), used.collect::<BTreeSet<_>>()))
    });
    let written = rows(OWN).into_iter().map(|cells| {
        let used = quoted(&cells[3]).into_iter().map(str::to_string).collect();
        (quoted(&cells[0]).concat(), (quoted(&cells[1]).concat(), used))
    });
    assert_eq!(
        written.collect::<BTreeMap<_, _>>(),
        declared.collect(),
        "ARCHITECTURE.md (left) and the Cargo.toml of the workspace (right)"
    );
}

#[test]
fn no_product_of_matrices_asks_the_processor_what_it_can() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    // What nalgebra takes with its feature `std`: with FMA it rounds once where it rounds twice without.
    let lock: Table = lock.parse().expect("TOML");
    let packages = lock["package"].as_array().expect("packages");
    let mut found = packages.iter().filter(|package| package["name"].as_str() == Some("nalgebra")).peekable();
    assert!(found.peek().is_some(), "no nalgebra");
    for package in found {
        let uses = package["dependencies"].as_array().expect("dependencies");
        let is_product = |name: &Value| name.as_str().is_some_and(|name| name.starts_with("matrixmultiply"));
        assert!(!uses.iter().any(is_product), "some crate enables the feature std of nalgebra");
    }
}

#[test]
fn the_lock_file_of_the_fuzz_targets_has_every_dependency_of_the_crates() {
    crate::root::at_root();
    // With `--locked`, scripts/fuzz.sh builds nothing when it has not.
    let text = std::fs::read_to_string(root().join("fuzz/Cargo.lock")).expect("the lock file");
    let lock: Table = text.parse().expect("TOML");
    let packages = lock["package"].as_array().expect("packages");
    let of_manifest = |manifest: &Table| packages.iter().find(|locked| locked["name"] == manifest["package"]["name"]);
    let mut seen = 0;
    for (folder, manifest) in members() {
        let Some(locked) = of_manifest(&manifest) else { continue };
        seen += 1;
        // A crate without dependencies has no list.
        let needed = locked.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        // A version stands behind the name where there are several.
        let needed: Vec<&str> = needed.filter_map(|name| name.as_str()?.split(' ').next()).collect();
        let for_systems = entries(manifest.get("target")).flat_map(|(_, system)| entries(system.get("dependencies")));
        let missing: Vec<&String> = entries(manifest.get("dependencies"))
            .chain(for_systems)
            .filter(|(name, value)| value.get("optional").is_none() && !needed.contains(&name.as_str()))
            .map(|(name, _)| name)
            .collect();
        let how = "run `cargo update --workspace --manifest-path fuzz/Cargo.toml`";
        assert!(missing.is_empty(), "{missing:?} of {}: {how}", folder.display());
    }
    assert!(seen >= 5, "only {seen} crates of the workspace are in fuzz/Cargo.lock");
}
