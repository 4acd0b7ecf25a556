//! Inputs to begin with: the files of the gallery and of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use ballesta::package::archive::{self, Entry};

use super::fmu;
use super::targets::{LONGEST, NEXT_FILE, root};

/// Files below `folder` of the repository whose names `fits` accepts, in the order of their paths.
fn files(folder: &str, fits: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    fn collect(folder: &Path, fits: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, fits, found);
            } else if path.file_name().is_some_and(|name| fits(&name.to_string_lossy())) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join(folder), fits, &mut found);
    found.sort();
    found
}

/// The files whose names end so.
fn ending(folder: &str, end: &str) -> Vec<PathBuf> {
    files(folder, &|name| name.ends_with(end))
}

/// The bytes of files.
fn contents(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    files.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// The texts of files, each with a line in front that names its folder for [`super::targets`].
fn with_folders(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    let root = root();
    let seed = |path: &PathBuf| {
        let folder = path.parent()?.strip_prefix(&root).ok()?.display().to_string().replace('\\', "/");
        Some([format!("# folder {folder}\n").as_bytes(), &fs::read(path).ok()?].concat())
    };
    files.iter().filter_map(seed).collect()
}

/// Structure files with matrices, each with the files that it names in one text.
fn matrices() -> Vec<Vec<u8>> {
    let seed = |path: &PathBuf| {
        let structure = fs::read_to_string(path).ok()?;
        let folder = path.parent()?;
        let named = structure.split('"').skip(1).step_by(2);
        let files = named.filter_map(|name| Some((name, fs::read_to_string(folder.join(name)).ok()?)));
        let parts: Vec<String> = files.map(|(name, text)| format!("{NEXT_FILE}{name}\n{text}")).collect();
        Some(format!("{NEXT_FILE}structure.toml\n{structure}{}", parts.concat()).into_bytes())
    };
    ending("tests/broken_matrices", ".toml").iter().filter_map(seed).collect()
}

/// Archives as FMUs are: a description, a model, a library that is none.
fn archives() -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("ballesta-fuzz-seeds-{}", std::process::id()));
    let archive = |entries: &[Entry]| {
        let file = folder.join("seed.fmu");
        fs::create_dir_all(&folder).ok()?;
        archive::write(entries, &file).ok()?;
        fs::read(&file).ok()
    };
    let description = fs::read(root().join("modelDescription.xml")).unwrap_or_default();
    let small = [Entry::new("modelDescription.xml", &b"<fmiModelDescription fmiVersion=\"2.0\"/>"[..])];
    let whole = [
        Entry::new("modelDescription.xml", description),
        Entry::new("resources/model.toml", &b"[model]\n"[..]),
        Entry::library("binaries/linux64/model.so", &b"\x7fELF"[..]),
    ];
    let outside = [Entry::new("../outside", &b"1"[..]), Entry::new("/outside", &b"2"[..])];
    let made = [archive(&small), archive(&whole), archive(&outside), archive(&[])];
    // Left behind it does no harm.
    let _ = fs::remove_dir_all(folder);
    made.into_iter().flatten().collect()
}

/// The seeds of a target, in a fixed order; none longer than [`LONGEST`].
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let map = b"0,-1,0,1\n0,0,0,0\n1,0,0.1,0\n2,0,0,0\n3,0.1,0,0.1\n";
    let mut seeds = match target {
        "model" => with_folders(ending("models", "model.toml")),
        "structure" => with_folders(files("models", &|name| name == "structure.toml")),
        "rom" => contents([ending("models", ".rom.toml"), ending("tests/roms", ".toml")].concat()),
        "matrices" => matrices(),
        "tyre" => contents([ending("models", ".tir"), ending("tests/tyres", ".tir")].concat()),
        "inputs" => contents(ending("models/van/manoeuvres", ".csv")),
        "height_map" => [contents(ending("tests/broken/maps", ".csv")), vec![map.to_vec()]].concat(),
        "adjacency" => {
            contents([ending("models/adjacency", ".toml"), ending("tests/broken_adjacency", ".toml")].concat())
        }
        "fmu_archive" => archives(),
        "fmu_description" => contents(vec![root().join("modelDescription.xml")]),
        "fmu_state" => fmu::states(),
        "fmu_calls" => fmu::sequences(),
        _ => Vec::new(),
    };
    seeds.retain(|seed| seed.len() <= LONGEST);
    seeds
}
