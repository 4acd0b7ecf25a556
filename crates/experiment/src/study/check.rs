//! Complaints about a study's file while it is checked.

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

    /// Whether the value of a key, or of one around it, was wrong already.
    pub fn replaced(&self, key: &str) -> bool {
        self.replaced
            .iter()
            .any(|path| key == path || key.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with(['.', '['])))
    }

    /// Whether nothing was found yet.
    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds a complaint at a key.
    pub fn complain(&mut self, key: &str, found: impl Into<String>, expected: impl Into<String>) {
        if !self.replaced(key) {
            self.found.push(self.source.at(key, found, expected));
        }
    }

    /// Adds the faults of a file that a key names.
    pub fn inside(&mut self, key: &str, path: &str, mut inside: Diagnostics, hint: &str) {
        self.found.push(ballesta::model::files::errors_inside(self.source, key, path, &inside, hint));
        self.found.append(&mut inside.0);
    }

    /// All of it.
    pub fn finish(self) -> Diagnostics {
        Diagnostics(self.found)
    }
}
