//! The points of a model, and where their numbers are in its files.

use ballesta::model::Document;
use ballesta::model::document::Span;
use serde::Serialize;
use std::collections::BTreeMap;

/// An entry of `[points]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Name in the model, with the prefixes of all uses.
    pub n: String,
    /// File that contains the entry.
    pub file: String,
    /// First line of the value, from 1.
    pub line: usize,
    /// Column of the value in characters, from 1.
    pub column: usize,
    /// Positions of its three numbers; none if the point cannot be dragged.
    pub values: Vec<NumberSpan>,
    /// Design position in W, m.
    pub p: [f64; 3],
    /// Whether other numbers in the file move the point, and nothing else.
    pub drag: bool,
    /// The reason why the point cannot be dragged.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub why: &'static str,
}

/// Position of a number, which is on one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NumberSpan {
    /// Line, from 1.
    pub line: usize,
    /// Column of its first character, in characters from 1.
    pub column: usize,
    /// Column after its last character.
    pub end: usize,
}

/// The points of a model. `values` are the parameters, `text` returns the text of a file.
pub fn points<'t>(document: &Document, values: &[f64], text: impl Fn(&str) -> Option<&'t str>) -> Vec<Point> {
    let (model, source) = (&document.model, &document.source);
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let points = model.points.iter().filter_map(|(name, vector)| {
        let item = format!("points.{name}");
        let whole = source.span(&item)?;
        let lines = files.entry(whole.file).or_insert_with(|| text(whole.file).unwrap_or_default().lines().collect());
        let numbers: Vec<NumberSpan> =
            (0..3).filter_map(|k| number(source.span(&format!("{item}[{k}]"))?, lines)).collect();
        let why = if numbers.len() != 3 {
            "a coordinate is a parameter or is not written as a decimal number"
        } else if source.is_moved(&item) {
            "the point is given in a frame, or its file is used with `mirror`, `translate` or `in`"
        } else if source.is_repeated(&item) {
            "the file of the point is used more than once"
        } else {
            ""
        };
        Some(Point {
            n: name.clone(),
            file: whole.file.to_string(),
            line: whole.line,
            column: whole.column,
            values: if why.is_empty() { numbers } else { Vec::new() },
            p: model.resolve_vector(vector, values).into(),
            drag: why.is_empty(),
            why,
        })
    });
    points.collect()
}

/// Position of a value, if it is a decimal number.
fn number(span: Span, lines: &[&str]) -> Option<NumberSpan> {
    let line = lines.get(span.line.checked_sub(1)?)?;
    // The text of a number is ASCII, so that its bytes are its characters.
    let written: String = line.chars().skip(span.column - 1).take(span.length).filter(|c| *c != '_').collect();
    written.parse::<f64>().ok()?;
    Some(NumberSpan { line: span.line, column: span.column, end: span.column + span.length })
}
