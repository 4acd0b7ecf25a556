//! Text → spanned TOML → checked against the schema → plain types.

use super::file::MARK;
use super::numbers::{Arrays, take_long_arrays};
use super::reader::{Reader, Report};
use super::values::from_value;
use super::{Diagnostic, Diagnostics, FileSchema, Source};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Longest TOML text without its long arrays of numbers, bytes: its tree takes fifty times as much.
const MAX_TEXT_BYTES: usize = 8 << 20;
/// Longest TOML text with them, bytes: reduced models of 2000 coordinates.
const MAX_TEXT_WITH_ARRAYS_BYTES: usize = 256 << 20;

/// The result of a reading: a value of the right shape, and the errors found.
#[derive(Clone, Debug)]
pub struct Reading<T> {
    /// The value; parts that did not fit the schema are replaced by valid values.
    pub value: T,
    /// Positions of the keys.
    pub source: Source,
    /// Paths of the keys whose value was replaced: later checks must not report them.
    pub replaced: Vec<String>,
    /// Parts that do not fit the schema.
    pub diagnostics: Diagnostics,
}

/// The text of a file; `what` names it in the message if it cannot be read ("a model file or its folder").
pub fn text_of(file: &Path, what: &str) -> Result<String, Diagnostics> {
    let name = file.display().to_string();
    match super::file::read_within(file, MAX_TEXT_WITH_ARRAYS_BYTES as u64) {
        Ok(bytes) => match super::file::other_encoding(&bytes) {
            Some(encoding) => Err(whole_file(name, format!("the file is in {encoding}"), "save it as UTF-8")),
            None => String::from_utf8(bytes).map_err(|error| not_utf8(&error, name)),
        },
        Err(error) => Err(whole_file(name, format!("cannot be read: {error}"), format!("name {what}"))),
    }
}

/// Reads the text of a file as a `T`; `file` is the name that diagnostics show.
///
/// # Errors
/// Text that is not TOML, or longer than 8 MiB. TOML that does not fit the schema of `T` is reported in
/// [`Reading::diagnostics`].
pub fn read<T: FileSchema + DeserializeOwned>(text: &str, file: &str) -> Result<Reading<T>, Diagnostics> {
    not_too_long(text.len(), MAX_TEXT_BYTES, file)?;
    read_with(text, file, text, Arrays::new())
}

/// Rejects a text of `length` bytes if the limit is `most`.
fn not_too_long(length: usize, most: usize, file: &str) -> Result<(), Diagnostics> {
    if length <= most {
        return Ok(());
    }
    let found = format!("the file has {length} bytes");
    Err(whole_file(
        file,
        found,
        format!("TOML files may have at most {most} bytes, not counting long arrays of numbers"),
    ))
}

/// [`read`] for files with long arrays of numbers, an order of magnitude faster. The entries of such an array have no
/// separate position in [`Reading::source`]; errors in them are reported as precisely as by [`read`].
///
/// # Errors
/// As [`read`].
pub fn read_long<T: FileSchema + DeserializeOwned>(text: &str, file: &str) -> Result<Reading<T>, Diagnostics> {
    not_too_long(text.len(), MAX_TEXT_WITH_ARRAYS_BYTES, file)?;
    let (blank, arrays) = take_long_arrays(text);
    not_too_long(blank.bytes().filter(|byte| *byte != b' ').count(), MAX_TEXT_BYTES, file)?;
    match read_with(text, file, &blank, arrays) {
        Ok(reading) if reading.diagnostics.0.is_empty() => Ok(reading),
        // The full reading reports all errors with their positions, up to its size limit.
        abridged if text.len() > MAX_TEXT_BYTES => abridged,
        _ => read(text, file),
    }
}

/// Reads `parsed`, which is `text` without the `arrays`.
fn read_with<T: FileSchema + DeserializeOwned>(
    text: &str,
    file: &str,
    parsed: &str,
    arrays: Arrays,
) -> Result<Reading<T>, Diagnostics> {
    let (value, report) = checked(&T::reading_schema(), (T::MAX_TABLES, T::FEWER), text, file, parsed, arrays)?;
    let (source, replaced) = (report.source, report.replaced);
    let mut diagnostics = Diagnostics(report.diagnostics);
    match from_value(value) {
        Ok(value) => Ok(Reading { value, source, replaced, diagnostics }),
        // The reader guarantees the shape; this arm prevents a panic if the reader and the type disagree.
        Err(error) => {
            diagnostics.0.push(source.at("", error.to_string(), "correct the value"));
            Err(diagnostics.sorted())
        }
    }
}

/// The part of a reading that does not depend on the type: a value that fits the schema. `(most, fewer)`: limit of the
/// tables of one name, and the hint for a file with more.
fn checked(
    schema: &Value,
    (most, fewer): (usize, &str),
    text: &str,
    file: &str,
    parsed: &str,
    arrays: Arrays,
) -> Result<(Value, Report), Diagnostics> {
    not_too_many(most, fewer, headers(parsed), file, text)?;
    let (table, errors) = DeTable::parse_recoverable(parsed);
    if !errors.is_empty() {
        return Err(other_format(text, file).unwrap_or_else(|| syntax(text, file, &errors)));
    }
    let arrays_of_tables = table.get_ref().iter().flat_map(|(name, value)| match value.get_ref() {
        DeValue::Array(items) => items.iter().map(|item| (name.get_ref().as_ref(), item.span().start)).collect(),
        _ => Vec::new(),
    });
    not_too_many(most, fewer, arrays_of_tables, file, text)?;
    Ok(Reader::read(schema, text, file, &table, arrays))
}

/// Names of the arrays of tables whose items begin in a text, with the byte of the name: lines `[[name]]`.
fn headers(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((line, *end - line.len()))
    });
    lines.filter_map(|(line, begin)| {
        let indent = line.len() - line.trim_start().len();
        let name = line[indent..].strip_prefix("[[")?.split(']').next()?.trim();
        (!name.contains(['.', '"'])).then_some((name, begin + indent))
    })
}

/// Rejects a text in which one name begins more than `most` items; `fewer`: the hint.
fn not_too_many<'n>(
    most: usize,
    fewer: &str,
    items: impl Iterator<Item = (&'n str, usize)>,
    file: &str,
    text: &str,
) -> Result<(), Diagnostics> {
    if most == usize::MAX {
        return Ok(());
    }
    let mut counts = BTreeMap::new();
    for (name, at) in items {
        let count = counts.entry(name).or_insert(0);
        if *count == most {
            let (line, column) = LineIndex::new(text).position(at);
            let (file, key) = (file.to_string(), format!("{name}[{most}]"));
            let found = format!("more than {most} tables [[{name}]]");
            return Err(Diagnostics(vec![Diagnostic { file, line, column, key, found, expected: fewer.to_string() }]));
        }
        *count += 1;
    }
    Ok(())
}

/// The diagnostics of a text in another format, detected by its first characters; none for text that may be TOML.
fn other_format(text: &str, file: &str) -> Option<Diagnostics> {
    let begin = text.trim_start_matches(MARK).trim_start();
    let inside = begin.strip_prefix('[').map(str::trim_start);
    let (found, expected) = if begin.starts_with('<') {
        ("the file is XML", "give a TOML file, with tables such as `[model]` and entries such as `key = value`")
    } else if begin.starts_with('{') || inside.is_some_and(|inside| inside.starts_with('{')) {
        let expected = "write it as TOML: `[model]` for an object, `key = value` for an entry, no enclosing braces";
        ("the file is JSON", expected)
    } else {
        return None;
    };
    let (line, column) = LineIndex::new(text).position(text.len() - begin.len());
    let (file, key) = (file.to_string(), String::new());
    Some(Diagnostics(vec![Diagnostic { file, line, column, key, found: found.into(), expected: expected.into() }]))
}

/// An error of a file as a whole.
pub fn whole_file(file: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Diagnostics {
    let (file, key) = (file.into(), String::new());
    Diagnostics(vec![Diagnostic { file, line: 0, column: 0, key, found: found.into(), expected: expected.into() }])
}

fn not_utf8(error: &std::string::FromUtf8Error, file: String) -> Diagnostics {
    let valid = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
    let (line, column) = LineIndex::new(&before).position(before.len());
    let found = format!("byte 0x{:02X} is not UTF-8", error.as_bytes()[valid]);
    let expected = "save the file as UTF-8".into();
    Diagnostics(vec![Diagnostic { file, line, column, key: String::new(), found, expected }])
}

/// Errors of the parser: duplicate keys, up to the first other error. The parser guesses after that error.
fn syntax(text: &str, file: &str, errors: &[toml::de::Error]) -> Diagnostics {
    let lines = LineIndex::new(text);
    let begin = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let mut errors: Vec<&toml::de::Error> = errors.iter().collect();
    errors.sort_by_key(|error| begin(error));
    let first = errors.iter().position(|error| error.message() != DUPLICATE);
    errors.truncate(first.map_or(errors.len(), |first| first + 1));
    let diagnostics = errors.iter().map(|error| {
        let (file, key) = (file.to_string(), String::new());
        let (at, found, expected) = words(text, error, begin(error));
        let (line, column) = lines.position(at);
        Diagnostic { file, line, column, key, found, expected }
    });
    Diagnostics(diagnostics.collect())
}

/// Message of the parser for a duplicate key.
const DUPLICATE: &str = "duplicate key";

/// Position of an error that the parser reported `at` a byte, the mistake, and the correction.
fn words(text: &str, error: &toml::de::Error, at: usize) -> (usize, String, String) {
    // Messages read "error, expected this or that"; some end after the first half.
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let written = error.span().and_then(|span| text.get(span)).unwrap_or_default();
    if let Some(bracket) = unclosed_bracket(text, at) {
        let found = "the array that begins here has no `]` before the next key";
        return (bracket, found.to_string(), "add `]` after its last entry".to_string());
    }
    let (found, expected) = match message.split_once(", expected ") {
        _ if message.starts_with("string values must be quoted") => {
            let expected = "write a number or a quoted text, and separate array entries by commas";
            (format!("found `{written}`"), expected.to_string())
        }
        Some(_) if is_decimal_comma(text, at) => {
            let expected = "write a decimal point, as in 1.5, and write arrays in brackets";
            ("found a comma after a number".to_string(), expected.to_string())
        }
        Some((found, expected)) => (found.to_string(), format!("TOML expects {expected} here")),
        None if message == DUPLICATE => (message, "write each key of a table only once".to_string()),
        None => (message, "correct the TOML".to_string()),
    };
    (at, found, expected)
}

/// The bracket of the array that is still open before the line of this byte, if that line begins a key or a table.
fn unclosed_bracket(text: &str, at: usize) -> Option<usize> {
    let begin = text.get(..at)?.rfind('\n')? + 1;
    let line = text.get(begin..)?.lines().next()?.trim_start();
    let key: String = line.chars().take_while(|c| c.is_alphanumeric() || "_-.\"'".contains(*c)).collect();
    let begins_key = !key.is_empty() && line[key.len()..].trim_start().starts_with('=');
    let begins_table = line.strip_prefix('[').is_some_and(|rest| {
        rest.trim_start_matches('[').starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains(']')
    });
    let mut open = Vec::new();
    let mut rest = text.char_indices().take_while(|(place, _)| *place < begin).peekable();
    while let Some((place, c)) = rest.next() {
        match c {
            '#' => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '"' | '\'' => {
                let quotes = if c == '"' { "\"\"\"" } else { "'''" };
                if text[place..].starts_with(quotes) {
                    // A text over several lines.
                    let end = text[place + 3..].find(quotes).map_or(begin, |length| place + length + 6);
                    while rest.next_if(|(inside, _)| *inside < end).is_some() {}
                    continue;
                }
                while let Some((_, inside)) = rest.next_if(|(_, inside)| *inside != c && *inside != '\n') {
                    if inside == '\\' && c == '"' {
                        rest.next();
                    }
                }
                rest.next_if(|(_, inside)| *inside == c);
            }
            '[' => open.push(place),
            ']' => drop(open.pop()),
            _ => {}
        }
    }
    open.last().copied().filter(|_| begins_key || begins_table)
}

/// Whether there is a comma between two digits here.
fn is_decimal_comma(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    bytes.get(at) == Some(&b',') && digit(at.checked_sub(1)) && digit(Some(at + 1))
}

/// Number of bytes between two positions whose character count is stored.
const STRIDE: usize = 1024;

/// Byte offsets to lines and columns, in a time that does not depend on the length of a line.
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// Characters before every STRIDE-th byte.
    characters: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Index of a text.
    pub fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let before = text.as_bytes().chunks(STRIDE).scan(0, |sum, chunk| {
            let before = *sum;
            *sum += characters(chunk);
            Some(before)
        });
        LineIndex { text, starts, characters: before.collect() }
    }

    /// 1-based line and 1-based column in characters of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        (line, self.characters_before(offset) - self.characters_before(start) + 1)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let chunk = offset / STRIDE;
        // A text of whole chunks has no further chunk at its end.
        let Some(before) = self.characters.get(chunk) else { return self.text.chars().count() };
        before + characters(&self.text.as_bytes()[chunk * STRIDE..offset])
    }
}

/// Characters that begin in these bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}
