//! The places and directions of a model that a page can drag, and where their numbers are in its files.
//!
//! A handle is a vector that is written in a file: a point of `[points]`, a place in a table (`com`, `point`), or the
//! `axis` of a joint. A file that is used several times gives several handles with one position in the text. They move
//! together, each with its own matrix.

use ballesta::model::Document;
use ballesta::model::document::{Span, Transform};
use ballesta::model::geometry::{Item as Table, View};
use ballesta::model::schema::{Place, Vector};
use ballesta_pictures::page::items::Item;
use serde::Serialize;
use std::collections::BTreeMap;

/// Largest difference between a number of the file and the placed value taken back to the file, as a fraction of
/// the value. A larger one means that something else has changed the value.
const PLACED_TOLERANCE: f64 = 1e-9;

/// Kind of the vector of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A point of `[points]`.
    Point,
    /// The centre of mass of a body.
    Com,
    /// Another place in a table.
    Place,
    /// The direction of the axis of a joint.
    Axis,
}

/// A vector that is written in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Handle {
    /// Path in the model: `points.A`, `body[3].com`, `joint[2].axis`.
    pub k: String,
    /// Name of the point or of the table, with the prefixes of all uses.
    pub n: String,
    /// Kind of vector.
    pub kind: Kind,
    /// Row of the tree, if its table has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub i: Option<usize>,
    /// File that contains the value.
    pub file: String,
    /// First line of the value, from 1.
    pub line: usize,
    /// Column of the value in characters, from 1.
    pub column: usize,
    /// Positions of its three numbers. A number that cannot be changed has none; all are missing without `drag`.
    pub values: Vec<Option<NumberSpan>>,
    /// Its numbers in the file, in m; a direction has any length.
    pub v: [f64; 3],
    /// Its design position or direction in W.
    pub p: [f64; 3],
    /// Change of `p` for a change of `v`, by rows. An orthogonal matrix; missing if it is the unit matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub m: Option<[[f64; 3]; 3]>,
    /// Whether other numbers in the file move it.
    pub drag: bool,
    /// The reason why it cannot be dragged, or why some of its coordinates cannot be changed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
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

/// The handles of a model. `items` are the rows of the tree, `values` the parameters; `text` returns the text of a
/// file.
pub fn handles<'t>(
    document: &Document,
    items: &[Item],
    values: &[f64],
    text: impl Fn(&str) -> Option<&'t str>,
) -> Vec<Handle> {
    let rows: BTreeMap<&str, usize> = items.iter().enumerate().map(|(row, item)| (item.key.as_str(), row)).collect();
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let vectors = vectors(document);
    let handles = vectors.iter().filter_map(|one| {
        let row = rows.get(one.item.as_str()).copied();
        // Other places are shown with the row of their table: a curve has hundreds, and none.
        let span = document.source.span(&one.key).filter(|_| one.kind != Kind::Place || row.is_some())?;
        let lines = files.entry(span.file).or_insert_with(|| text(span.file).unwrap_or_default().lines().collect());
        let p: [f64; 3] = document.model.resolve_vector(&one.vector, values).into();
        p.iter().all(|x| x.is_finite()).then(|| handle(document, one, span, lines, p, row))
    });
    handles.collect()
}

/// A vector of the model.
struct Written {
    key: String,
    /// The table that frames and uses have placed.
    item: String,
    name: String,
    kind: Kind,
    vector: Vector,
}

/// All points, places and axes of joints.
fn vectors(document: &Document) -> Vec<Written> {
    let model = &document.model;
    let points = model.points.iter().map(|(name, vector)| {
        let key = format!("points.{name}");
        Written { item: key.clone(), key, name: name.clone(), kind: Kind::Point, vector: vector.clone() }
    });
    let mut vectors: Vec<Written> = points.collect();
    // The views of the tables need a model that can be changed.
    let mut tables = model.clone();
    for table in tables.fields() {
        let key = table.key;
        let View::List(list) = table.value.view() else { continue };
        for index in 0..list.count() {
            let Some(View::Table(item)) = list.get(index) else { continue };
            places(item, &format!("{key}[{index}]"), &mut vectors);
        }
    }
    for (index, joint) in model.joints.iter().enumerate() {
        let Some(vector) = joint.axis.clone() else { continue };
        let item = format!("joint[{index}]");
        vectors.push(Written { key: format!("{item}.axis"), item, name: joint.name.clone(), kind: Kind::Axis, vector });
    }
    vectors
}

/// Adds the places of a table that are written as numbers.
fn places(table: &mut dyn Table, path: &str, vectors: &mut Vec<Written>) {
    let mut fields = table.fields();
    let name = fields.iter_mut().find(|field| field.key == "name");
    let name = name.and_then(|field| if let View::Text(name) = field.value.view() { Some(name.clone()) } else { None });
    let name = name.unwrap_or_else(|| path.to_string());
    let mut add = |key: String, view: View| {
        let View::Place(Place::At(vector)) = view else { return };
        let kind = if path.starts_with("body[") && key.ends_with(".com") { Kind::Com } else { Kind::Place };
        vectors.push(Written { key, item: path.to_string(), name: name.clone(), kind, vector: vector.clone() });
    };
    for field in &mut fields {
        let key = format!("{path}.{}", field.key);
        match field.value.view() {
            View::List(list) => {
                for index in 0..list.count() {
                    list.get(index).into_iter().for_each(|view| add(format!("{key}[{index}]"), view));
                }
            }
            view => add(key, view),
        }
    }
}

/// The handle of a vector with the value `p` in W. `lines` is the text of its file.
fn handle(document: &Document, one: &Written, span: Span, lines: &[&str], p: [f64; 3], row: Option<usize>) -> Handle {
    // The numbers in the file, from their text and back from W.
    let numbers = [0, 1, 2].map(|k| {
        let span = document.source.span(&format!("{}[{k}]", one.key));
        span.map(|span| (span, written(span, lines)))
    });
    let placement = document.source.transform(&one.item);
    let (matrix, back) = taken_back(&placement, one.kind, p, |k| numbers[k].as_ref().and_then(|(_, text)| value(text)));
    let (mut spans, mut v, mut reasons, mut elsewhere) = (vec![None; 3], back, Vec::new(), false);
    for k in 0..3 {
        let axis = ["x", "y", "z"][k];
        let Some((span, text)) = &numbers[k] else {
            reasons.push(format!("{axis} is not written in the file"));
            continue;
        };
        match value(text) {
            Some(number) => {
                elsewhere |= (number - back[k]).abs() > PLACED_TOLERANCE * (1.0 + number.abs() + back[k].abs());
                v[k] = number;
                spans[k] = Some(NumberSpan { line: span.line, column: span.column, end: span.column + span.length });
            }
            None if text.starts_with(['"', '\'']) => reasons.push(format!("{axis} is the parameter {text}")),
            None => reasons.push(format!("{axis} is {text}, which is not a decimal number")),
        }
    }
    // Decide whether it can be dragged.
    let mut drag = spans.iter().any(Option::is_some);
    if one.kind == Kind::Axis {
        if document.source.span(&format!("{}.second_axis", one.item)).is_some() {
            reasons.push("`second_axis` must remain perpendicular to it".into());
        }
        drag = reasons.is_empty();
    }
    if elsewhere {
        (drag, reasons) = (false, vec!["another table changes its numbers".into()]);
    }
    Handle {
        k: one.key.clone(),
        n: one.name.clone(),
        kind: one.kind,
        i: row,
        file: span.file.to_string(),
        line: span.line,
        column: span.column,
        values: if drag { spans } else { Vec::new() },
        v,
        p,
        m: (matrix != Transform::IDENTITY.matrix).then_some(matrix),
        drag,
        why: reasons.join(", "),
    }
}

/// The matrix from the file to W, and the value `p` taken back to the file. A direction is not shifted. In a mirror it
/// can be a polar or an axial vector: the numbers of the file decide.
fn taken_back(
    placement: &Transform,
    kind: Kind,
    p: [f64; 3],
    number: impl Fn(usize) -> Option<f64>,
) -> ([[f64; 3]; 3], [f64; 3]) {
    let (s, t) = (placement.matrix, if kind == Kind::Axis { [0.0; 3] } else { placement.shift });
    let back = [0, 1, 2].map(|k| (0..3).map(|i| s[i][k] * (p[i] - t[i])).sum::<f64>());
    let opposite = |k: usize| number(k).is_some_and(|number| (number - back[k]).abs() > (number + back[k]).abs());
    if kind == Kind::Axis && (0..3).any(opposite) {
        return (s.map(|row| row.map(|entry| if entry == 0.0 { 0.0 } else { -entry })), back.map(|x| -x));
    }
    (s, back)
}

/// The text of a value that is on one line.
fn written(span: Span, lines: &[&str]) -> String {
    let line = span.line.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or_default();
    let start = line.char_indices().nth(span.column - 1).map_or(line.len(), |(at, _)| at);
    line.get(start..start + span.length).unwrap_or_default().to_string()
}

/// The number with this text, if it is decimal. Its characters are its bytes.
fn value(text: &str) -> Option<f64> {
    text.chars().filter(|c| *c != '_').collect::<String>().parse().ok()
}
