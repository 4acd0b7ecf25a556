//! Where each key of a model stands in its file.

use super::diagnostic::Diagnostic;

/// Name and text of a file, with the position of every key path such as `joint[2].axis` or `points.A`.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// File as the user named it.
    pub file: String,
    /// (key path, 1-based line, 1-based column), sorted by path.
    positions: Vec<(String, usize, usize)>,
}

impl Source {
    /// Positions from (path, line, column) triples in any order.
    pub fn new(file: impl Into<String>, mut positions: Vec<(String, usize, usize)>) -> Self {
        positions.sort();
        Source { file: file.into(), positions }
    }

    /// Whether the file wrote this key.
    pub fn contains(&self, key: &str) -> bool {
        self.positions.binary_search_by(|(path, _, _)| path.as_str().cmp(key)).is_ok()
    }

    /// Line and column of `key`; of its nearest enclosing table where the key itself was not written.
    pub fn position(&self, key: &str) -> (usize, usize) {
        let mut path = key;
        loop {
            if let Ok(i) = self.positions.binary_search_by(|(p, _, _)| p.as_str().cmp(path)) {
                return (self.positions[i].1, self.positions[i].2);
            }
            match path.rfind(['.', '[']) {
                Some(cut) => path = &path[..cut],
                None if path.is_empty() => return (0, 0),
                None => path = "",
            }
        }
    }

    /// A diagnostic at `key`.
    pub fn at(&self, key: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        let key = key.into();
        let (line, column) = self.position(&key);
        Diagnostic { file: self.file.clone(), line, column, key, found: found.into(), expected: expected.into() }
    }
}
