//! Diagnostics: the error in a file, its position, and the correction.

use serde::Serialize;
use std::fmt;

/// One error at one position of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// File as the user named it.
    pub file: String,
    /// 1-based line; 0 for the whole file.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// Path of the key, like `joint[2].axis` (empty: the whole file).
    pub key: String,
    /// The value or text found, and the error.
    pub found: String,
    /// The correction.
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
            write!(f, "{}: ", Shown(&self.key))?;
        }
        write!(f, "{}; {}", Shown(&self.found), Shown(&self.expected))
    }
}

/// A text of a file as a message shows it: control characters as escapes, and a long text shortened to both ends.
struct Shown<'t>(&'t str);

/// Longest text that is shown whole, and the number of characters shown of each end of a longer text.
const MAX_SHOWN_CHARACTERS: usize = 1000;
const END: usize = 400;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |f: &mut fmt::Formatter<'_>, text: &str| {
            text.chars().try_for_each(|letter| match letter.is_control() {
                true => write!(f, "{}", letter.escape_default()),
                false => write!(f, "{letter}"),
            })
        };
        let count = self.0.chars().count();
        if count <= MAX_SHOWN_CHARACTERS {
            return write(f, self.0);
        }
        let at = |number: usize| self.0.char_indices().nth(number).map_or(self.0.len(), |(at, _)| at);
        write(f, &self.0[..at(END)])?;
        write!(f, " … {} characters … ", count - 2 * END)?;
        write(f, &self.0[at(count - END)..])
    }
}

/// All errors of an input, in the order of the file; errors of files that it names follow. Never empty when returned as
/// an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// `Ok(value)` if there are no errors.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.0.is_empty() { Ok(value) } else { Err(self.sorted()) }
    }

    /// In the order of the file; several files in the order in which they occur.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_file_are_shown_short_and_without_control_characters() {
        let of = |found: String| Diagnostic {
            file: "m.toml".into(),
            line: 1,
            column: 2,
            key: "a".into(),
            found,
            expected: "b".into(),
        };
        assert_eq!(of("\u{1b}[2J".into()).to_string(), "m.toml:1:2: error: a: \\u{1b}[2J; b");
        let long = of("é".repeat(1_000_000)).to_string();
        assert!(long.chars().count() < 900 && long.contains(" … 999200 characters … "), "{long}");
    }
}
