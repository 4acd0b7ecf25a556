//! Nastran bulk data: cards of fields, in short (8 columns), long (16 columns) and free (commas) form; matrices as
//! DMIG cards.
//!
//! `DMIG, name, 0, form, type, …` opens a matrix: form 1 square, 6 symmetric (one half); type 1 or 2 real.
//! `DMIG, name, gj, cj, , g1, c1, a1, b1, g2, …` gives a column: node and direction of the column, then of each row,
//! with the value.

use super::data_lines::{Field, Line, Lines};
use super::dof_map::DofMap;
use super::triplets::{Entry, Storage, Triplets};
use ballesta::document::Diagnostic;

/// The name of a card without its `*` (empty: a continuation) and its data fields; `None` for comments and empty lines.
pub fn card<'l>(line: Line<'l>) -> Option<(&'l str, Vec<Field<'l>>)> {
    let text = line.text.split('$').next().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    let mut fields: Vec<Field<'l>> = if text.contains(',') {
        text.split(',').map(|part| line.field(part)).collect()
    } else {
        let name = part(text, 0, 8);
        let width = if name.contains('*') { 16 } else { 8 };
        let data = (0..64 / width).map(|i| part(text, 8 + i * width, width));
        std::iter::once(name).chain(data).map(|part| line.field(part)).collect()
    };
    let name = fields.remove(0).text.trim_end_matches('*').trim_start_matches('+');
    // A continuation may have a separate mark.
    let known = name.chars().all(|c| c.is_ascii_alphanumeric()) && name.starts_with(|c: char| c.is_ascii_alphabetic());
    Some((if known && !line.text.starts_with(['+', '*']) { name } else { "" }, fields))
}

/// Characters `from..from + width`; `None` if non-ASCII characters shift the columns.
fn part(text: &str, from: usize, width: usize) -> &str {
    let end = (from + width).min(text.len());
    text.get(from.min(end)..end).unwrap_or(&text[text.len()..])
}

struct Matrix {
    name: String,
    storage: Storage,
    entries: Vec<Entry>,
}

/// Reads the only matrix of a punch file, or the one whose name begins with `initial` (K or M). Names that begin with
/// K4 are structural damping (K4AAX next to KAAX), not stiffness.
pub fn read(mut lines: Lines, initial: char, map: &mut DofMap) -> Result<Triplets, Diagnostic> {
    let file = lines.file().to_string();
    let names = names(Lines::open(file.as_ref()).map_err(|error| lines.at_end(format!("{error}"), "name a file"))?)?;
    let begins = |name: &&String| {
        let name = name.to_ascii_uppercase();
        name.starts_with(initial) && !name.starts_with("K4")
    };
    let chosen: Vec<&String> = names.iter().filter(begins).collect();
    let name = match (names.as_slice(), chosen.as_slice()) {
        ([only], _) => only.clone(),
        (_, [only]) => (*only).clone(),
        _ => {
            let found = format!("the file defines the DMIG matrices {names:?}");
            let expected =
                format!("give one matrix, or exactly one whose name begins with {initial} (not K4: damping)");
            return Err(super::data_lines::complaint(&file, (0, 0), found, expected));
        }
    };
    let mut matrix: Option<Matrix> = None;
    // Column that the entries belong to; `None` within other cards.
    let mut column = None;
    while let Some(line) = lines.next()? {
        let Some((card, fields)) = card(line) else { continue };
        let rows = match card {
            "" => &fields[..],
            "DMIG" if fields.first().is_some_and(|field| field.text == name) => {
                let at = |i: usize| fields.get(i).copied().unwrap_or(Field { text: "", ..fields[0] });
                if at(1).text == "0" {
                    matrix = Some(header(name.clone(), at(2), at(3), at(1))?);
                    column = None;
                    continue;
                }
                if matrix.is_none() {
                    return Err(at(1).complain("a column comes before its header", "begin with `DMIG name 0 6 2 0`"));
                }
                map.expect_labels(at(1))?;
                column = Some(map.labelled(at(1), at(2))?);
                fields.get(4..).unwrap_or_default()
            }
            _ => {
                column = None;
                continue;
            }
        };
        let (Some(column), Some(matrix)) = (column, matrix.as_mut()) else { continue };
        for row in rows.chunks(4).filter(|row| row.iter().any(|field| !field.text.is_empty())) {
            let [node, direction, value, ..] = row else {
                return Err(row[0].complain("the card ends within an entry", "write node, direction and value"));
            };
            let row = map.labelled(*node, *direction)?;
            matrix.entries.push(Entry { row, column, value: value.number()?, line: line.number });
        }
    }
    match matrix {
        Some(Matrix { storage, entries, .. }) if !entries.is_empty() => {
            lines.expect_whole_last_line()?;
            Ok(Triplets { file, storage, entries })
        }
        Some(matrix) => Err(lines.at_end(format!("the matrix {} has no entries", matrix.name), "export it again")),
        None => Err(lines.at_end("the file has no DMIG card", "name a punch file with DMIG matrices")),
    }
}

/// Names of the matrices of a file, in the order of their headers.
fn names(mut lines: Lines) -> Result<Vec<String>, Diagnostic> {
    let mut names: Vec<String> = Vec::new();
    while let Some(line) = lines.next()? {
        let Some(("DMIG", fields)) = card(line) else { continue };
        let name = fields.first().map_or("", |field| field.text);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }
    if names.is_empty() {
        return Err(lines.at_end("the file has no DMIG card", "name a punch file with DMIG matrices"));
    }
    Ok(names)
}

fn header(name: String, form: Field<'_>, kind: Field<'_>, at: Field<'_>) -> Result<Matrix, Diagnostic> {
    let storage = match form.text {
        "1" => Storage::Full,
        "6" => Storage::Half,
        "2" | "9" => {
            return Err(at.complain(format!("form {} is rectangular", form.text), "write a matrix of form 6 or 1"));
        }
        other => {
            return Err(
                at.complain(format!("found form `{other}`"), "write a matrix of form 6 (symmetric) or 1 (square)")
            );
        }
    };
    match kind.text {
        "1" | "2" => Ok(Matrix { name, storage, entries: Vec::new() }),
        "3" | "4" => {
            let expected = "write the real part; the reduction adds structural damping (the imaginary part)";
            Err(kind.complain(format!("type {} is complex", kind.text), expected))
        }
        other => Err(at.complain(format!("found type `{other}`"), "write a matrix of type 1 or 2 (real)")),
    }
}
