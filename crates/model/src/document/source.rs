//! The position of each key of a model in its file, or in the added file that contains its table.

use super::diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Name of a file, with the position of every key path such as `joint[2].axis` or `points.A`, and which tables came
/// from other files.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// File as the user named it.
    pub file: String,
    /// (key path, 1-based line, 1-based column, length in bytes), sorted by path.
    positions: Vec<(String, usize, usize, usize)>,
    /// Files whose tables were added to this one, once for every time they were.
    parts: Vec<Part>,
    /// Added items (`joint[7]`): the addition, and their path in its file (`joint[2]`).
    items: BTreeMap<String, (usize, String)>,
    /// Items whose values a frame or a use has changed.
    placed: BTreeMap<String, Transform>,
}

/// How frames and uses placed the numbers of an item in W: r ↦ S r + t for places, S r or det(S) S r for directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// S by rows, orthogonal.
    pub matrix: [[f64; 3]; 3],
    /// t, m.
    pub shift: [f64; 3],
}

impl Transform {
    /// The values are those of the file.
    pub const IDENTITY: Transform =
        Transform { matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], shift: [0.0; 3] };
}

/// A value in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'s> {
    /// File that contains the value.
    pub file: &'s str,
    /// Line of the first character, from 1.
    pub line: usize,
    /// Column of the first character, in characters from 1.
    pub column: usize,
    /// Length of the value, bytes.
    pub length: usize,
}

/// A file whose tables were added to another.
#[derive(Clone, Debug)]
struct Part {
    source: Arc<Source>,
    /// Ends the sentence of the error: identifies one of several additions of this file.
    note: String,
}

impl Source {
    /// Positions from (path, line, column, length in bytes) in any order.
    pub fn new(file: impl Into<String>, mut positions: Vec<(String, usize, usize, usize)>) -> Self {
        positions.sort();
        Source { file: file.into(), positions, ..Source::default() }
    }

    /// Tables that hold more than `most` items, items of added files included: paths of the first item beyond
    /// (`joint[4000]`).
    pub fn beyond(&self, most: usize) -> Vec<&str> {
        let end = format!("[{most}]");
        let paths = self.positions.iter().map(|(path, ..)| path).chain(self.items.keys());
        let beyond: BTreeSet<&str> =
            paths.map(String::as_str).filter(|path| path.ends_with(&end) && !path.contains('.')).collect();
        beyond.into_iter().collect()
    }

    /// Announces that tables of another file are added; `note` ends the sentences about this addition (may be empty).
    /// Returns the number of the addition.
    pub fn add_part(&mut self, source: Arc<Source>, note: String) -> usize {
        self.parts.push(Part { source, note });
        self.parts.len() - 1
    }

    /// Records that the item `item` is the item `local` of an added file.
    pub fn add_item(&mut self, item: String, part: usize, local: String) {
        self.items.insert(item, (part, local));
    }

    /// Records that frames or uses have placed an item (`joint[3]`, `points.A`).
    pub fn place_item(&mut self, item: String, by: Transform) {
        self.placed.insert(item, by);
    }

    /// How frames and uses placed an item.
    pub fn transform(&self, item: &str) -> Transform {
        self.placed.get(item).copied().unwrap_or(Transform::IDENTITY)
    }

    /// The addition from which an item came, and its path in that file; `None` for items of this file.
    pub fn added(&self, item: &str) -> Option<(usize, &str)> {
        self.items.get(item).map(|(part, local)| (*part, local.as_str()))
    }

    /// The file that contains a key, its path there, and its addition.
    fn origin<'s>(&'s self, key: &str) -> (&'s Source, String, Option<&'s Part>) {
        let item = prefixes(key).find_map(|path| Some((path.len(), self.items.get(path)?)));
        match item {
            Some((length, (part, local))) => {
                let part = &self.parts[*part];
                (&part.source, format!("{local}{}", &key[length..]), Some(part))
            }
            None => (self, key.to_string(), None),
        }
    }

    /// Whether the file contains this key.
    pub fn contains(&self, key: &str) -> bool {
        let (source, key, _) = self.origin(key);
        source.find(&key).is_some()
    }

    /// Whether any table of the file has a key of this name.
    pub fn has_key(&self, name: &str) -> bool {
        self.positions.iter().any(|(path, ..)| path.rsplit('.').next() == Some(name))
    }

    /// Line and column of `key`, or of its nearest enclosing table if the key itself is not in the file.
    pub fn position(&self, key: &str) -> (usize, usize) {
        let (source, key, _) = self.origin(key);
        prefixes(&key).find_map(|path| source.find(path)).unwrap_or((0, 0))
    }

    /// File, line and column of `key`; `None` if no file contains the key itself.
    pub fn place(&self, key: &str) -> Option<(&str, usize, usize)> {
        let (source, key, _) = self.origin(key);
        source.find(&key).map(|(line, column)| (source.file.as_str(), line, column))
    }

    /// The value of `key` in its file; `None` if no file contains the key itself.
    pub fn span(&self, key: &str) -> Option<Span<'_>> {
        let (source, key, _) = self.origin(key);
        let (_, line, column, length) = source.positions[source.index(&key)?];
        Some(Span { file: &source.file, line, column, length })
    }

    fn find(&self, path: &str) -> Option<(usize, usize)> {
        let (_, line, column, _) = self.positions[self.index(path)?];
        Some((line, column))
    }

    fn index(&self, path: &str) -> Option<usize> {
        self.positions.binary_search_by(|(known, ..)| known.as_str().cmp(path)).ok()
    }

    /// The item `item` as messages about other items name it: `rod[1] (line 12)`, `rod[1] (line 12 of
    /// parts/corner.toml)`. The line is the line of `key`.
    pub fn item_with_line(&self, item: &str, key: &str) -> String {
        let (source, item, part) = self.origin(item);
        match (self.position(key).0, part) {
            (0, _) => item,
            (line, None) => format!("{item} (line {line})"),
            (line, Some(part)) => format!("{item} (line {line} of {}{})", source.file, part.note),
        }
    }

    /// A diagnostic at `key`.
    pub fn at(&self, key: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        let key = key.into();
        let (line, column) = self.position(&key);
        let (source, key, part) = self.origin(&key);
        let found = found.into() + part.map_or("", |part| part.note.as_str());
        Diagnostic { file: source.file.clone(), line, column, key, found, expected: expected.into() }
    }

    /// The diagnostics, first the ones about this file; a diagnostic that is the same for every addition of a file
    /// occurs once.
    pub fn merged(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if self.parts.is_empty() {
            return diagnostics;
        }
        let mut merged: Vec<Diagnostic> = Vec::new();
        for diagnostic in &diagnostics {
            let same = self.parts.iter().filter(|part| part.source.file == diagnostic.file);
            let found = same.clone().find_map(|part| diagnostic.found.strip_suffix(part.note.as_str()));
            let plain = Diagnostic { found: found.unwrap_or(&diagnostic.found).to_string(), ..diagnostic.clone() };
            let of_part = |part: &Part| Diagnostic { found: format!("{}{}", plain.found, part.note), ..plain.clone() };
            let everywhere = same.clone().count() > 0 && same.clone().all(|part| diagnostics.contains(&of_part(part)));
            let diagnostic = if everywhere { plain } else { diagnostic.clone() };
            if !merged.contains(&diagnostic) {
                merged.push(diagnostic);
            }
        }
        merged.sort_by_key(|diagnostic| diagnostic.file != self.file);
        merged
    }
}

/// A key path and the paths of its enclosing tables, from the longest to the empty one.
fn prefixes(key: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(key), |path| match path.rfind(['.', '[']) {
        Some(cut) => Some(&path[..cut]),
        None if path.is_empty() => None,
        None => Some(""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_two_parts() -> Source {
        let mut source = Source::new("model.toml", vec![("".into(), 1, 1, 0), ("body[0]".into(), 3, 1, 0)]);
        let positions = vec![("".into(), 1, 1, 0), ("body[0]".into(), 5, 1, 0), ("body[0].mass".into(), 6, 8, 3)];
        let part = Arc::new(Source::new("corner.toml", positions));
        for (index, note) in [" (use[0])", " (use[1])"].into_iter().enumerate() {
            let number = source.add_part(Arc::clone(&part), note.into());
            source.add_item(format!("body[{}]", index + 1), number, "body[0]".into());
        }
        source
    }

    #[test]
    fn keys_are_found_in_the_file_in_which_they_stand() {
        let source = with_two_parts();
        assert_eq!((source.position("body[0].mass"), source.position("body[2].mass")), ((3, 1), (6, 8)));
        assert!(source.contains("body[1].mass") && !source.contains("body[0].mass"));
        assert_eq!(source.place("body[0]"), Some(("model.toml", 3, 1)));
        assert_eq!(source.place("body[2].mass"), Some(("corner.toml", 6, 8)));
        assert_eq!(source.place("body[0].mass"), None);
        assert_eq!(source.span("body[2].mass"), Some(Span { file: "corner.toml", line: 6, column: 8, length: 3 }));
        let turned = Transform { shift: [0.0, 0.0, 1.0], ..Transform::IDENTITY };
        let mut placed = source.clone();
        placed.place_item("body[2]".into(), turned);
        assert_eq!((placed.transform("body[2]"), placed.transform("body[1]")), (turned, Transform::IDENTITY));
        let diagnostic = source.at("body[2].mass", "found -1", "positive");
        assert_eq!(diagnostic.to_string(), "corner.toml:6:8: error: body[0].mass: found -1 (use[1]); positive");
        assert_eq!(source.item_with_line("body[0]", "body[0].name"), "body[0] (line 3)");
        assert_eq!(source.item_with_line("body[1]", "body[1].name"), "body[0] (line 5 of corner.toml (use[0]))");
    }

    #[test]
    fn what_holds_for_every_addition_is_said_once_and_the_rest_with_its_addition() {
        let source = with_two_parts();
        let at = |key: &str, found: &str| source.at(key, found, "right");
        let all = vec![at("body[1].mass", "a"), at("body[2].mass", "a"), at("body[2].mass", "b"), at("body[0]", "c")];
        let found: Vec<String> = source.merged(all).into_iter().map(|diagnostic| diagnostic.found).collect();
        assert_eq!(found, ["c", "a", "b (use[1])"]);
    }
}
