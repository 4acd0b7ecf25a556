//! One pass over the TOML document and its schema: checks the shape, records the position of each key, and yields clean
//! JSON.
//!
//! Errors are reported, and the value is replaced by a value that fits the schema. The rest of the file is still read,
//! and its errors are reported in the same run. Replaced keys are recorded, and no later check reads them.

use super::nearest::{did_you_mean, list};
use super::numbers::Arrays;
use super::read::LineIndex;
use super::schema_shape::{Shape, description, shape};
use super::{Diagnostic, Source};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// The results of a reading in addition to the values.
pub(super) struct Report {
    /// Positions of the keys.
    pub source: Source,
    /// Parts that do not fit the schema.
    pub diagnostics: Vec<Diagnostic>,
    /// Paths of the keys whose value was replaced.
    pub replaced: Vec<String>,
}

/// The state of a reading.
pub(super) struct Reader<'t> {
    lines: LineIndex<'t>,
    file: &'t str,
    schema: &'t Value,
    /// Arrays that were read before; the document contains empty ones in their place.
    arrays: Arrays,
    positions: Vec<(String, usize, usize, usize)>,
    diagnostics: Vec<Diagnostic>,
    replaced: Vec<String>,
}

impl<'t> Reader<'t> {
    /// Reads a parsed file against a schema.
    pub(super) fn read(
        schema: &'t Value,
        text: &'t str,
        file: &'t str,
        document: &Spanned<DeTable<'_>>,
        arrays: Arrays,
    ) -> (Value, Report) {
        let mut reader = Reader {
            lines: LineIndex::new(text),
            file,
            schema,
            arrays,
            positions: vec![(String::new(), 1, 1, 0)],
            diagnostics: Vec::new(),
            replaced: Vec::new(),
        };
        let value = match shape(schema, schema) {
            Shape::Table { properties, required } => reader.table("", 0, document.get_ref(), properties, &required),
            _ => Value::Null,
        };
        let Reader { positions, diagnostics, replaced, .. } = reader;
        (value, Report { source: Source::new(file, positions), diagnostics, replaced })
    }

    /// Reads the value at `path`; an invalid value is replaced.
    fn value(&mut self, path: &str, schema: &Value, value: &Spanned<DeValue<'_>>) -> Value {
        let root = self.schema;
        // The position of every key is kept for messages that later checks report.
        let (offset, length) = (value.span().start, value.span().len());
        let (line, column) = self.lines.position(offset);
        self.positions.push((path.to_string(), line, column, length));
        match (shape(root, schema), value.get_ref()) {
            // Objects: keys of a table are fixed by the schema, keys of a dictionary are free.
            (Shape::Table { properties, required }, DeValue::Table(table)) => {
                self.table(path, offset, table, properties, &required)
            }
            (Shape::Dictionary { values }, DeValue::Table(table)) => {
                let entries = table.iter().map(|(key, value)| {
                    let entry = self.value(&join(path, key.get_ref()), values, value);
                    (key.get_ref().to_string(), entry)
                });
                Value::Object(entries.collect())
            }
            // Long arrays were extracted before parsing, because the TOML parser is slow for them.
            (Shape::Array { .. }, DeValue::Array(_)) if self.arrays.contains_key(&offset) => {
                let array = self.arrays.remove(&offset).unwrap_or_default();
                if !fits_numbers(root, schema, &array) {
                    let expected = format!("write {}", self.describe(schema));
                    self.report(path, offset, "found other numbers".to_string(), expected);
                }
                array
            }
            (Shape::Array { items, length }, DeValue::Array(array)) => {
                self.array(path, offset, schema, array, items, length)
            }
            // Scalars and words of a fixed set.
            (Shape::Number, DeValue::Float(_) | DeValue::Integer(_)) => self.number(path, offset, value.get_ref()),
            (Shape::Integer, DeValue::Integer(integer)) => {
                match u64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(number) => Value::from(number),
                    Err(_) => self.wrong_type(path, offset, schema, value.get_ref()),
                }
            }
            (Shape::Text, DeValue::String(text)) => Value::String(text.to_string()),
            (Shape::Boolean, DeValue::Boolean(flag)) => Value::Bool(*flag),
            (Shape::Word(words), DeValue::String(text)) => {
                if !words.contains(&text.as_ref()) {
                    self.report(path, offset, format!("found \"{text}\""), did_you_mean(text, &words));
                    return self.replace(path, schema);
                }
                Value::String(text.to_string())
            }
            // The first alternative that fits the type decides, for example number or parameter name.
            (Shape::Either(alternatives), found) => {
                match alternatives.iter().find(|alternative| fits(root, alternative, found)) {
                    Some(alternative) => self.alternative(path, alternative, value),
                    None => self.wrong_type(path, offset, schema, found),
                }
            }
            (_, found) => self.wrong_type(path, offset, schema, found),
        }
    }

    /// Reads a value as one of several alternatives; its position is already recorded.
    fn alternative(&mut self, path: &str, schema: &Value, value: &Spanned<DeValue<'_>>) -> Value {
        self.positions.pop();
        self.value(path, schema, value)
    }

    fn table(
        &mut self,
        path: &str,
        offset: usize,
        table: &DeTable<'_>,
        properties: &Map<String, Value>,
        required: &[&str],
    ) -> Value {
        let mut object = Map::new();
        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut misspelt = Vec::new();
        // Known keys are read; unknown keys are reported with their nearest spelling or their successor.
        for (key, value) in table.iter() {
            let name = key.get_ref().as_ref();
            let path = join(path, name);
            match properties.get(name) {
                Some(schema) => {
                    let value = self.value(&path, schema, value);
                    object.insert(name.to_string(), value);
                }
                None => {
                    let found = format!("unknown key `{}`", name.escape_debug());
                    let offset = key.span().start;
                    if let Some(successor) = successor(&path) {
                        self.report(&path, offset, found, successor.to_string());
                        continue;
                    }
                    match super::nearest::nearest(name, &known) {
                        Some(near) => {
                            misspelt.push(near.to_string());
                            self.replaced.push(path.clone());
                            self.report(&path, offset, found, format!("did you mean `{near}`?"));
                        }
                        None => self.report(&path, offset, found, format!("expected one of the keys {}", list(&known))),
                    }
                }
            }
        }
        // Missing keys are replaced by valid values. A key that was misspelt is not reported again as missing.
        for key in required.iter().filter(|key| !table.contains_key(**key)) {
            let schema = &properties[*key];
            let path = join(path, key);
            if !misspelt.iter().any(|near| near == key) {
                let meaning = description(self.schema, schema).map(first_sentence).unwrap_or_default();
                let expected = format!("add it: {} ({meaning})", self.describe(schema));
                self.report(&path, offset, format!("key `{key}` is missing"), expected);
            }
            let value = self.replace(&path, schema);
            object.insert(key.to_string(), value);
        }
        Value::Object(object)
    }

    fn array(
        &mut self,
        path: &str,
        at: usize,
        schema: &Value,
        array: &DeArray<'_>,
        items: &Value,
        length: Option<usize>,
    ) -> Value {
        let mut values: Vec<Value> = Vec::with_capacity(array.len());
        for (i, item) in array.iter().enumerate() {
            let value = self.value(&format!("{path}[{i}]"), items, item);
            values.push(value);
        }
        match length {
            Some(length) if array.len() != length => {
                let found = format!("found {}", count(array.len(), "entry", "entries"));
                let expected = format!("write {}", self.describe(schema));
                self.report(path, at, found, expected);
                self.replace(path, schema)
            }
            _ => Value::Array(values),
        }
    }

    fn number(&mut self, path: &str, at: usize, value: &DeValue<'_>) -> Value {
        let (text, number) = match value {
            DeValue::Integer(integer) => {
                // Integers with more digits than i128 holds are read as floats; in other bases they are treated as
                // infinite.
                let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|number| number as f64);
                let float = || integer.as_str().parse().ok().filter(|_| integer.radix() == 10);
                (integer.to_string(), number.or_else(float).unwrap_or(f64::INFINITY))
            }
            DeValue::Float(float) => (float.to_string(), float.as_str().parse().unwrap_or(f64::NAN)),
            _ => (String::new(), f64::NAN),
        };
        match Number::from_f64(number) {
            Some(number) => Value::Number(number),
            None => {
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                let (found, expected) = if digits > MAX_DIGITS {
                    let begin: String = text.chars().take(12).collect();
                    (format!("found {begin}… with {digits} digits"), "write a finite number; the largest is 1.79e308")
                } else {
                    (format!("found {text}"), "write a finite number")
                };
                self.report(path, at, found, expected.to_string());
                self.replaced.push(path.to_string());
                Value::from(1.0)
            }
        }
    }

    fn wrong_type(&mut self, path: &str, at: usize, schema: &Value, found: &DeValue<'_>) -> Value {
        let found = match found {
            DeValue::String(text) => format!("found the text \"{text}\""),
            DeValue::Integer(number) => format!("found the number {number}"),
            DeValue::Float(number) => format!("found the number {number}"),
            DeValue::Boolean(flag) => format!("found {flag}"),
            DeValue::Datetime(date) => format!("found the date {date}"),
            DeValue::Array(array) => format!("found an array of {}", count(array.len(), "entry", "entries")),
            DeValue::Table(_) => "found a table".to_string(),
        };
        let expected = match self.describe(schema) {
            tables if tables == TABLES => format!("write {TABLES}: `[[{path}]]` with two brackets"),
            description => format!("write {description}"),
        };
        self.report(path, at, found, expected);
        self.replace(path, schema)
    }

    fn report(&mut self, path: &str, at: usize, found: String, expected: String) {
        let (line, column) = self.lines.position(at);
        let (file, key) = (self.file.to_string(), path.to_string());
        self.diagnostics.push(Diagnostic { file, line, column, key, found, expected });
    }

    /// A value that fits the schema, as a replacement for an invalid one.
    fn replace(&mut self, path: &str, schema: &Value) -> Value {
        self.replaced.push(path.to_string());
        placeholder(self.schema, schema)
    }

    /// Describes the valid values.
    fn describe(&self, schema: &Value) -> String {
        describe(self.schema, schema)
    }
}

/// A number with more digits is not repeated in a message.
const MAX_DIGITS: usize = 40;

/// Whether a TOML value is of the kind that this alternative requires.
fn fits(root: &Value, schema: &Value, value: &DeValue<'_>) -> bool {
    match shape(root, schema) {
        Shape::Table { .. } | Shape::Dictionary { .. } => value.is_table(),
        Shape::Array { .. } => value.is_array(),
        Shape::Number => value.is_float() || value.is_integer(),
        Shape::Integer => value.is_integer(),
        Shape::Text | Shape::Word(_) => value.is_str(),
        Shape::Boolean => value.is_bool(),
        Shape::Either(alternatives) => alternatives.iter().any(|alternative| fits(root, alternative, value)),
    }
}

/// Whether numbers and arrays of them have the lengths that the schema requires.
fn fits_numbers(root: &Value, schema: &Value, value: &Value) -> bool {
    match (shape(root, schema), value) {
        (Shape::Array { items, length }, Value::Array(array)) => {
            let all_numbers = matches!(shape(root, items), Shape::Number) && array.iter().all(Value::is_number);
            length.is_none_or(|length| array.len() == length)
                && (all_numbers || array.iter().all(|item| fits_numbers(root, items, item)))
        }
        (Shape::Number, Value::Number(_)) => true,
        _ => false,
    }
}

fn placeholder(root: &Value, schema: &Value) -> Value {
    match shape(root, schema) {
        Shape::Table { properties, required } => {
            let entry = |key: &&str| (key.to_string(), placeholder(root, &properties[*key]));
            Value::Object(required.iter().map(entry).collect())
        }
        Shape::Dictionary { .. } => Value::Object(Map::new()),
        Shape::Array { items, length } => Value::Array(vec![placeholder(root, items); length.unwrap_or(0)]),
        Shape::Number => Value::from(1.0),
        Shape::Integer => Value::from(1),
        Shape::Text => Value::String(String::new()),
        Shape::Boolean => Value::Bool(false),
        Shape::Word(words) => Value::String(words[0].to_string()),
        Shape::Either(alternatives) => placeholder(root, &alternatives[0]),
    }
}

/// An array whose items are tables, in words.
const TABLES: &str = "an array of tables";

fn describe(root: &Value, schema: &Value) -> String {
    match shape(root, schema) {
        Shape::Table { .. } | Shape::Dictionary { .. } => "a table".to_string(),
        Shape::Array { items, length } => match (length, shape(root, items)) {
            (_, Shape::Table { .. }) => TABLES.to_string(),
            (Some(length), Shape::Array { .. }) => format!("{length} entries, each {}", describe(root, items)),
            (Some(length), _) => format!("an array of {length}, each {}", describe(root, items)),
            (None, _) => format!("an array, each entry {}", describe(root, items)),
        },
        Shape::Number => "a number".to_string(),
        Shape::Integer => "a whole number, not negative".to_string(),
        Shape::Text => "a name or text in quotes".to_string(),
        Shape::Boolean => "`true` or `false`".to_string(),
        Shape::Word(words) => format!("one of {}", list(&words)),
        Shape::Either(alternatives) => {
            let words = alternatives.iter().map(|alternative| match description(root, alternative) {
                Some(meaning) => lower_first(&first_sentence(meaning)),
                None => describe(root, alternative),
            });
            words.collect::<Vec<_>>().join(" or ")
        }
    }
}

/// The text before the first full stop, on one line.
pub(super) fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split(". ").next().unwrap_or_default().trim_end_matches('.').to_string()
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}

fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// Keys of earlier versions, without the numbers of items, and their replacements.
const SUCCESSORS: [(&str, &str); 1] = [(
    "friction[].regularisation",
    "write `presliding` instead: the elastic travel in rad or m before friction slides",
)];

fn successor(path: &str) -> Option<&'static str> {
    let plain: String = path.chars().filter(|c| !c.is_ascii_digit()).collect();
    SUCCESSORS.iter().find(|(key, _)| *key == plain).map(|(_, successor)| *successor)
}
