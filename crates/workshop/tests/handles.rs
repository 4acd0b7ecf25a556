//! Handles of a page: a change of their numbers in the text moves them by the same vector in the world.

use ballesta::math::larger;
use ballesta::model::{self, DataFile, Document};
use ballesta_pictures::page::items::Items;
use ballesta_workshop::{Handle, Kind, NumberSpan, handles};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Points of the vehicles, and how many of them can be dragged.
const VEHICLES: [(&str, [usize; 2]); 5] = [
    ("van/model.toml", [44, 44]),
    ("truck/model.toml", [97, 97]),
    ("car/model.toml", [42, 42]),
    ("car/saloon.toml", [80, 80]),
    ("car/pickup.toml", [54, 54]),
];
/// Vectors in the text of all models that are moved at least.
const MIN_ENTRIES: usize = 1800;

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
    let items = Items::new(&document, &values, &[]);
    let handles = handles(&document, &items.list, &values, text);
    Some((document, handles))
}

/// A number at a position of a file.
type Change<'h> = (&'h NumberSpan, f64);

/// The text with other numbers.
fn changed(text: &str, mut changes: Vec<Change>) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
    changes.sort_by_key(|(span, _)| std::cmp::Reverse((span.line, span.column)));
    for (span, number) in changes {
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
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, larger)
}

/// Handles of a kind, and how many of them can be dragged.
fn counted(handles: &[Handle], kind: Kind) -> [usize; 2] {
    let of = handles.iter().filter(|handle| handle.kind == kind);
    [of.clone().count(), of.filter(|handle| handle.drag).count()]
}

/// A vector in a file, which several handles can have, and its change.
struct Entry<'h> {
    copies: Vec<&'h Handle>,
    by: [f64; 3],
}

/// The entries of all handles that can be dragged, each with a change of its own.
fn entries(handles: &[Handle]) -> Vec<Entry<'_>> {
    let mut places: BTreeMap<(&str, usize, usize), Vec<&Handle>> = BTreeMap::new();
    for handle in handles.iter().filter(|handle| handle.drag) {
        places.entry((&handle.file, handle.line, handle.column)).or_default().push(handle);
    }
    let mut entries = Vec::new();
    for (k, copies) in places.into_values().enumerate() {
        let by = [3.0, -2.0, 1.0].map(|part| part * (1e-4 + 1e-6 * k as f64));
        let by = [0, 1, 2].map(|i| if copies[0].values[i].is_some() { by[i] } else { 0.0 });
        entries.push(Entry { copies, by });
    }
    entries
}

/// Changes entries of a model in its text, and compares all handles. A wrong text is tried in two halves. Returns
/// the number of entries that were moved: a few must stay because of other keys.
fn moved(files: &mut Folder, main: &str, before: &[Handle], entries: &[Entry]) -> usize {
    let originals = files.clone();
    let mut changes: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
    for Entry { copies, by } in entries {
        let first = copies[0];
        let numbers = (0..3).filter_map(|k| Some((first.values[k].as_ref()?, first.v[k] + by[k])));
        changes.entry(&first.file).or_default().extend(numbers);
    }
    for (file, changes) in changes {
        let text = std::str::from_utf8(&originals[file]).expect("text");
        files.insert(file.to_string(), changed(text, changes).into_bytes());
    }
    let after = parsed(files, main);
    *files = originals;
    let Some((_, after)) = after else {
        let (one, other) = entries.split_at(entries.len() / 2);
        return if one.is_empty() { 0 } else { moved(files, main, before, one) + moved(files, main, before, other) };
    };
    let expected: BTreeMap<&str, [f64; 3]> = entries
        .iter()
        .flat_map(|Entry { copies, by }| copies.iter().map(|copy| (copy.k.as_str(), times(copy.m, *by))))
        .collect();
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((&old.k, old.drag, old.m), (&new.k, new.drag, new.m), "{main}");
        let by = expected.get(old.k.as_str()).copied().unwrap_or_default();
        let error = distance(new.p, [0, 1, 2].map(|k| old.p[k] + by[k]));
        assert!(error < 1e-12, "{main}: {} should move by {by:?}; the error is {error}", old.k);
    }
    entries.len()
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
    /// All, and those that were moved.
    entries: [usize; 2],
}

/// The handles of all model files in these folders, all moved, by folder and file.
fn all_moved(folders: Vec<(String, Folder)>) -> BTreeMap<String, Counted> {
    let mut counts = BTreeMap::new();
    for (name, mut files) in folders {
        for main in mains(&files) {
            let Some((_, handles)) = parsed(&files, &main) else { panic!("{name}/{main}") };
            let elsewhere = handles.iter().find(|handle| handle.why.contains("another table"));
            assert_eq!(elsewhere, None, "{name}/{main}");
            let all = entries(&handles);
            let entries = [all.len(), moved(&mut files, &main, &handles, &all)];
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
            println!("{name}: points, com, places, axes {kinds:?}, entries {entries:?}");
        }
    }
    // Points of the vehicles: all, and those that can be dragged.
    for (name, points) in VEHICLES {
        assert_eq!(counted(&counts[name].handles, Kind::Point), points, "{name}");
    }
    // Nearly all: a point of an interface, and a plane through a curve, depend on other numbers.
    let sum = counts.values().fold([0, 0], |sum, one| [sum[0] + one.entries[0], sum[1] + one.entries[1]]);
    assert!(sum[1] > MIN_ENTRIES && 100 * sum[1] > 99 * sum[0], "{sum:?} entries");
}
