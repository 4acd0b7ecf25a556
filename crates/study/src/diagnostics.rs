//! Diagnostics of a study file during its validation.

use ballesta::document::{Diagnostic, Diagnostics, Source};

/// Diagnostics so far.
pub struct Check<'a> {
    source: &'a Source,
    replaced: &'a [String],
    found: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    /// No diagnostics yet. Keys in `replaced` are skipped, because their values do not come from the file.
    pub fn new(source: &'a Source, replaced: &'a [String]) -> Check<'a> {
        Check { source, replaced, found: Vec::new() }
    }

    /// Whether a fault of this key or of an enclosing key was reported before.
    pub fn replaced(&self, key: &str) -> bool {
        self.replaced
            .iter()
            .any(|path| key == path || key.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with(['.', '['])))
    }

    /// Whether there are no diagnostics yet.
    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds a fault at a key.
    pub fn complain(&mut self, key: &str, found: impl Into<String>, expected: impl Into<String>) {
        if !self.replaced(key) {
            self.found.push(self.source.at(key, found, expected));
        }
    }

    /// Adds the faults of a file referenced by a key.
    pub fn inside(&mut self, key: &str, path: &str, mut inside: Diagnostics, hint: &str) {
        self.found.push(ballesta::model::files::errors_inside(self.source, key, path, &inside, hint));
        self.found.append(&mut inside.0);
    }

    /// All diagnostics.
    pub fn finish(self) -> Diagnostics {
        Diagnostics(self.found)
    }
}
