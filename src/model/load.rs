//! Reading a model file: text → spanned TOML → checked against the schema → plain types → validated.

use super::reader::Reader;
use super::schema::Model;
use super::{Diagnostic, Diagnostics, Document, validate};
use std::path::Path;
use toml::de::DeTable;

/// Name of the model file in a model's folder.
pub const FILE_NAME: &str = "model.toml";

/// Loads `path`, a model file or a folder with a `model.toml`.
pub fn load(path: &Path) -> Result<Document, Diagnostics> {
    let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_path_buf() };
    let name = file.display().to_string();
    match std::fs::read(&file) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => parse(&text, &name),
            Err(error) => Err(not_utf8(&error, name)),
        },
        Err(error) => Err(whole_file(name, format!("cannot be read: {error}"), "name a model file or its folder")),
    }
}

/// Parses and validates the text of a model file; `file` is the name that diagnostics show.
///
/// All errors of the file come back at once, in the order of the file. Checks that join several tables are left out
/// where a broken table would make them complain about what is right.
pub fn parse(text: &str, file: &str) -> Result<Document, Diagnostics> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(syntax(text, file, &errors));
    }
    let (value, report) = Reader::read(text, file, &table);
    let source = report.source;
    let mut diagnostics = Diagnostics(report.diagnostics);
    let model: Model = match serde_json::from_value(value) {
        Ok(model) => model,
        // The reader answers for the shape; this arm keeps a gap between the two from becoming a panic.
        Err(error) => {
            diagnostics.0.push(source.at("", error.to_string(), "correct the value"));
            return Err(diagnostics.sorted());
        }
    };
    diagnostics.0.extend(validate::validate(&model, &source, &report.replaced));
    diagnostics.into_result(Document { model, source })
}

fn whole_file(file: String, found: String, expected: &str) -> Diagnostics {
    let key = String::new();
    Diagnostics(vec![Diagnostic { file, line: 0, column: 0, key, found, expected: expected.into() }])
}

fn not_utf8(error: &std::string::FromUtf8Error, file: String) -> Diagnostics {
    let valid = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
    let (line, column) = LineIndex::new(&before).position(before.len());
    let found = format!("byte 0x{:02X} is not UTF-8", error.as_bytes()[valid]);
    let expected = "save the file in the encoding UTF-8".into();
    Diagnostics(vec![Diagnostic { file, line, column, key: String::new(), found, expected }])
}

fn syntax(text: &str, file: &str, errors: &[toml::de::Error]) -> Diagnostics {
    let lines = LineIndex::new(text);
    let diagnostics = errors.iter().map(|error| {
        let (line, column) = lines.position(error.span().map_or(0, |span| span.start));
        let (file, key) = (file.to_string(), String::new());
        // Messages read "what is wrong, expected this or that"; some stop after the first half.
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        let written = error.span().and_then(|span| text.get(span)).unwrap_or_default();
        let (found, expected) = match message.split_once(", expected ") {
            _ if message.starts_with("string values must be quoted") => {
                let expected = "write a number or, in quotes, a text; put commas between the entries of an array";
                (format!("found `{written}`"), expected.to_string())
            }
            Some((found, expected)) => (found.to_string(), format!("TOML expects {expected} here")),
            None if message == "duplicate key" => (message, "write each key of a table once".to_string()),
            None => (message, "correct the TOML".to_string()),
        };
        Diagnostic { file, line, column, key, found, expected }
    });
    Diagnostics(diagnostics.collect())
}

/// Byte offsets to lines and columns.
pub(super) struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        LineIndex { text, starts }
    }

    /// 1-based line and 1-based column in characters of a byte offset.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let characters = self.text.as_bytes()[start..offset].iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
        (line, characters + 1)
    }
}
