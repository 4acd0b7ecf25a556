//! What is wrong with a file, where, and what would be right.

use std::fmt;

/// One complaint about one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// File as the user named it.
    pub file: String,
    /// 1-based line; 0 when the whole file is meant.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// Path of the key, like `joint[2].axis` (empty: the whole file).
    pub key: String,
    /// What was found and what is wrong with it.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": error: ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}; {}", self.found, self.expected)
    }
}

/// Everything that is wrong with an input, in the order of the file; what is wrong with files that it names follows. Never empty when returned as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// `Ok(value)` when nothing was found to be wrong.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.0.is_empty() { Ok(value) } else { Err(self.sorted()) }
    }

    /// In the order of the file; several files in the order in which they come up.
    pub(super) fn sorted(mut self) -> Self {
        let mut files: Vec<String> = Vec::new();
        for diagnostic in &self.0 {
            if !files.contains(&diagnostic.file) {
                files.push(diagnostic.file.clone());
            }
        }
        self.0.sort_by_key(|a| (files.iter().position(|file| *file == a.file), a.line, a.column));
        self
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
