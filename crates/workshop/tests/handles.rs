//! Handles of a page: a change of their numbers in the text moves them by the same vector in the world.

use ballesta::model::{self, DataFile, Document};
use ballesta_workshop::{Handle, Kind, handles};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Points of the vehicles, and how many of them can be dragged.
const VEHICLES: [(&str, [usize; 2]); 4] = [
    ("van/model.toml", [44, 44]),
    ("truck/model.toml", [0, 0]),
    ("car/model.toml", [0, 0]),
    ("car/saloon.toml", [0, 0]),
];
/// Numbers in the text of all models that are moved at least.
const MIN_ENTRIES: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files of a folder by their paths.
type Folder = BTreeMap<String, Vec<u8>>;

fn folder(path: &Path) -> Folder {
    let mut found = Folder::new();
    let mut pending = vec![path.to_path_buf()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(&next).expect("readable") {
            let entry = entry.expect("readable").path();
            let name = entry.strip_prefix(path).expect("below").to_string_lossy().replace('\\', "/");
            match entry.is_dir() {
                true => pending.push(entry),
                false => drop(found.insert(name, std::fs::read(&entry).expect("readable"))),
            }
        }
    }
    found
}

fn parsed(files: &Folder, main: &str) -> Option<(Document, Vec<Handle>)> {
    let text = |path: &str| files.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let given =
        files.iter().map(|(path, bytes)| DataFile { path: path.clone(), bytes: bytes.clone(), key: String::new() });
    let document = model::parse_with(text(main)?, main, given.collect()).ok()?;
    let values = document.model.parameter_values();
    let handles = handles(&document, &[], &values, text);
    Some((document, handles))
}

/// The text with other numbers at the positions of a handle.
fn moved(text: &str, handle: &Handle, to: [f64; 3]) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
    let mut spans: Vec<_> = (0..3).filter_map(|k| Some((handle.values[k].as_ref()?, to[k]))).collect();
    spans.sort_by_key(|(span, _)| std::cmp::Reverse((span.line, span.column)));
    for (span, number) in spans {
        let line: Vec<char> = lines[span.line - 1].chars().collect();
        let part = |range: &[char]| range.iter().collect::<String>();
        let (before, after) = (part(&line[..span.column - 1]), part(&line[span.end - 1..]));
        lines[span.line - 1] = format!("{before}{number:?}{after}");
    }
    lines.join("\n")
}

/// M δ.
fn times(matrix: Option<[[f64; 3]; 3]>, by: [f64; 3]) -> [f64; 3] {
    matrix.map_or(by, |m| m.map(|row| row[0] * by[0] + row[1] * by[1] + row[2] * by[2]))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
}

/// Handles of a kind, and how many of them can be dragged.
fn counted(handles: &[Handle], kind: Kind) -> [usize; 2] {
    let of = handles.iter().filter(|handle| handle.kind == kind);
    [of.clone().count(), of.filter(|handle| handle.drag).count()]
}

/// Moves every handle of a model in its text. Returns the number of entries that were moved.
fn moves_as_expected(files: &mut Folder, main: &str) -> usize {
    let (_, before) = parsed(files, main).expect("a model");
    let mut entries: BTreeMap<(String, usize, usize), Vec<usize>> = BTreeMap::new();
    for (k, handle) in before.iter().enumerate().filter(|(_, handle)| handle.drag) {
        entries.entry((handle.file.clone(), handle.line, handle.column)).or_default().push(k);
    }
    let mut count = 0;
    for ((file, ..), copies) in &entries {
        let first = &before[copies[0]];
        let by = [1.25e-3, -0.75e-3, 0.5e-3];
        let by = [0, 1, 2].map(|k| if first.values[k].is_some() { by[k] } else { 0.0 });
        let original = files[file].clone();
        let text = std::str::from_utf8(&original).expect("text");
        let changed = moved(text, first, [0, 1, 2].map(|k| first.v[k] + by[k]));
        assert_eq!(changed.lines().count(), text.lines().count());
        files.insert(file.clone(), changed.into_bytes());
        let after = parsed(files, main);
        files.insert(file.clone(), original);
        // A few places must remain where another key needs them.
        let Some((_, after)) = after else { continue };
        assert_eq!(before.len(), after.len());
        let copies: BTreeSet<usize> = copies.iter().copied().collect();
        for (k, (old, new)) in before.iter().zip(&after).enumerate() {
            assert_eq!((&old.k, old.drag, old.m), (&new.k, new.drag, new.m), "{main}: {}", first.k);
            let expected = if copies.contains(&k) { times(old.m, by) } else { [0.0; 3] };
            let world = [0, 1, 2].map(|k| old.p[k] + expected[k]);
            let error = distance(new.p, world);
            assert!(error < 1e-12, "{main}: {} moves {} by {expected:?} with an error of {error}", first.k, old.k);
        }
        count += 1;
    }
    count
}

/// Model files in a folder.
fn mains(files: &Folder) -> Vec<String> {
    let is_main =
        |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|text| text.lines().any(|line| line == "[model]"));
    files
        .iter()
        .filter(|(path, bytes)| path.ends_with(".toml") && is_main(bytes))
        .map(|(path, _)| path.clone())
        .collect()
}

/// Handles of a model file, and the entries of the text that were moved.
struct Counted {
    handles: Vec<Handle>,
    entries: usize,
}

/// The handles of all model files in these folders, all moved, by folder and file.
fn all_moved(folders: Vec<(String, Folder)>) -> BTreeMap<String, Counted> {
    let mut counts = BTreeMap::new();
    for (name, mut files) in folders {
        for main in mains(&files) {
            let Some((_, handles)) = parsed(&files, &main) else { panic!("{name}/{main}") };
            let elsewhere = handles.iter().find(|handle| handle.why.contains("another table"));
            assert_eq!(elsewhere, None, "{name}/{main}");
            let entries = moves_as_expected(&mut files, &main);
            counts.insert(format!("{name}/{main}"), Counted { handles, entries });
        }
    }
    counts
}

#[test]
fn handles_of_all_models_move_as_their_numbers_also_in_mirrored_and_placed_files() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.join("model.toml").is_file())
        .collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let counts = all_moved(paths.iter().map(|path| (name(path), folder(path))).collect());
    if std::env::var_os("BALLESTA_COUNTS").is_some() {
        for (name, Counted { handles, entries }) in &counts {
            let kinds = [Kind::Point, Kind::Com, Kind::Place, Kind::Axis].map(|kind| counted(handles, kind));
            println!("{name}: points, com, places, axes {kinds:?}, {entries} entries");
        }
    }
    // Points of the vehicles: all, and those that can be dragged.
    for (name, points) in VEHICLES {
        assert_eq!(counted(&counts[name].handles, Kind::Point), points, "{name}");
    }
    let sum = counts.values().map(|one| one.entries).sum::<usize>();
    assert!(sum > MIN_ENTRIES, "{sum} entries");
}
