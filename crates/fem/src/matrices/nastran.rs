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
        let part = if text.contains('\t') { tabbed_part } else { part };
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

/// Columns `from..from + width`, where a tab fills the columns up to the next multiple of 8, as Nastran reads it.
fn tabbed_part(text: &str, from: usize, width: usize) -> &str {
    let byte_of = |wanted: usize| {
        let mut column = 0;
        for (at, c) in text.char_indices() {
            if column >= wanted {
                return at;
            }
            column = if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 };
        }
        text.len()
    };
    &text[byte_of(from)..byte_of(from + width)]
}

struct Matrix {
    name: String,
    storage: Storage,
    entries: Vec<Entry>,
}

/// A matrix of a file, by its header `DMIG, name, 0, form, …`.
struct Header {
    name: String,
    /// Form of the header; empty if only columns precede it.
    form: String,
    /// 1-based line and column of the name.
    place: (usize, usize),
}

impl Header {
    /// Whether the matrix can be a stiffness, mass or damping. Recovery matrices (MUG1T, MES1T) and loads (PAX) are
    /// rectangular.
    fn is_square(&self) -> bool {
        matches!(self.form.as_str(), "1" | "6")
    }
}

/// Reads the only square matrix of a punch file, or the one whose name begins with `initial` (K or M). Names that begin
/// with K4 are structural damping (K4AAX next to KAAX), not stiffness.
pub fn read(mut lines: Lines, initial: char, map: &mut DofMap) -> Result<Triplets, Diagnostic> {
    let file = lines.file().to_string();
    let headers =
        headers(Lines::open(file.as_ref()).map_err(|error| lines.at_end(format!("{error}"), "name a file"))?)?;
    let name = choose(&headers, initial, &file)?;
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

/// Name of the matrix to read. A file with one matrix is read whatever its form, so that the fault is reported at the
/// header.
fn choose(headers: &[Header], initial: char, file: &str) -> Result<String, Diagnostic> {
    if let [only] = headers {
        return Ok(only.name.clone());
    }
    let square: Vec<&Header> = headers.iter().filter(|header| header.is_square()).collect();
    let begins = |header: &&Header| {
        let name = header.name.to_ascii_uppercase();
        name.starts_with(initial) && !name.starts_with("K4")
    };
    let chosen: Vec<&Header> = square.iter().copied().filter(begins).collect();
    // A rectangular matrix with the right name is reported at its header, instead of reading another one.
    let rectangular: Vec<&Header> = headers.iter().filter(begins).collect();
    match (square.as_slice(), chosen.as_slice(), rectangular.as_slice()) {
        (_, [only], _) | ([_], [], [only]) | ([only], [], _) => Ok(only.name.clone()),
        ([], ..) => {
            let list: Vec<String> =
                headers.iter().map(|header| format!("{} (form {})", header.name, header.form)).collect();
            let found = format!("no DMIG matrix of the file is square: {}", list.join(", "));
            let expected = "write a matrix of form 6 (symmetric) or 1 (square)";
            Err(super::data_lines::complaint(file, headers[0].place, found, expected))
        }
        _ => {
            let names: Vec<&str> = square.iter().map(|header| header.name.as_str()).collect();
            let found = format!("the file defines the DMIG matrices {names:?}");
            let expected =
                format!("give one matrix, or exactly one whose name begins with {initial} (not K4: damping)");
            Err(super::data_lines::complaint(file, (0, 0), found, expected))
        }
    }
}

/// The matrices of a file, in the order of their first cards.
fn headers(mut lines: Lines) -> Result<Vec<Header>, Diagnostic> {
    let mut headers: Vec<Header> = Vec::new();
    while let Some(line) = lines.next()? {
        let Some(("DMIG", fields)) = card(line) else { continue };
        let text = |i: usize| fields.get(i).map_or("", |field| field.text);
        let form = if text(1) == "0" { text(2) } else { "" };
        match headers.iter_mut().find(|known| known.name == text(0)) {
            Some(known) if known.form.is_empty() => known.form = form.to_string(),
            Some(_) => {}
            None => {
                let place = (line.number, fields.first().map_or(1, |field| field.offset + 1));
                headers.push(Header { name: text(0).to_string(), form: form.to_string(), place });
            }
        }
    }
    if headers.is_empty() {
        return Err(lines.at_end("the file has no DMIG card", "name a punch file with DMIG matrices"));
    }
    Ok(headers)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(text: &str, initial: char) -> Result<Vec<f64>, Diagnostic> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.pch");
        std::fs::write(&path, text).expect("writable");
        let mut map = DofMap::of_labels("m.pch".into());
        let triplets = read(Lines::open(&path).expect("readable"), initial, &mut map)?;
        Ok(triplets.entries.iter().map(|entry| entry.value).collect())
    }

    /// A punch of EXTSEOUT(DMIGPCH): name, form and the only value of each matrix.
    const PUNCH: [(&str, usize, &str); 10] = [
        ("KAAX", 6, "1."),
        ("MAAX", 6, "2."),
        ("BAAX", 6, "3."),
        ("K4AAX", 6, "4."),
        ("PAX", 9, "5."),
        ("MUG1T", 9, "6."),
        ("MUG1", 2, "7."),
        ("MES1T", 9, "8."),
        ("MEF1T", 9, "9."),
        ("VAX", 9, "10."),
    ];

    fn punch(matrices: &[(&str, usize, &str)]) -> String {
        let text = |(name, form, value): &(&str, usize, &str)| {
            format!("DMIG,{name},0,{form},2,0\nDMIG,{name},1,1,,1,1,{value}\n")
        };
        matrices.iter().map(text).collect()
    }

    #[test]
    fn recovery_matrices_and_loads_of_a_punch_are_no_candidates() {
        let backwards: Vec<_> = PUNCH.into_iter().rev().collect();
        for text in [punch(&PUNCH), punch(&backwards)] {
            for (initial, value) in [('K', 1.0), ('M', 2.0), ('B', 3.0)] {
                assert_eq!(matrix(&text, initial), Ok(vec![value]), "{initial}");
            }
        }
        assert_eq!(matrix(&punch(&[PUNCH[1], PUNCH[5]]), 'M'), Ok(vec![2.0]));
        let two = matrix(&punch(&[("KAAX", 6, "1."), ("KGG", 6, "1."), ("MUG1T", 9, "1.")]), 'K').expect_err("two");
        assert!(two.found.contains("[\"KAAX\", \"KGG\"]") && two.expected.contains("begins with K"), "{two}");
        let none = matrix(&punch(&PUNCH[4..6]), 'M').expect_err("no square matrix");
        assert!(none.found.ends_with("PAX (form 9), MUG1T (form 9)") && (none.line, none.column) == (1, 6), "{none}");
        let rectangular = matrix(&punch(&PUNCH[5..6]), 'M').expect_err("rectangular");
        assert!(rectangular.found.contains("form 9 is rectangular") && rectangular.line == 1, "{rectangular}");
    }

    #[test]
    fn tabs_fill_columns_up_to_the_next_multiple_of_eight() {
        let cells = |text| {
            let (name, fields) = card(Line { file: "f", number: 1, text }).expect("a card");
            (name.to_string(), fields.iter().map(|field| field.text.to_string()).collect::<Vec<_>>())
        };
        let wanted = cells("GRID           1             0.0     1.5     2.0       5");
        assert_eq!(cells("GRID\t1\t\t0.0\t1.5\t2.0\t5"), wanted);
        assert_eq!(cells("GRID\t       1\t     0.0     1.52.0\t5"), wanted);
        let long = cells("GRID*                  1                             0.0             1.5");
        assert_eq!(cells("GRID*\t1\t\t\t\t0.0\t\t1.5"), long);
        assert_eq!(matrix("DMIG\tKAAX\t0\t6\t2\nDMIG\tKAAX\t1\t1\t\t1\t1\t8.5\n", 'K'), Ok(vec![8.5]));
        let wrong = matrix("DMIG\tKAAX\t0\t6\t2\nDMIG\tKAAX\t1\t1\t\t1\t1\tx\n", 'K').expect_err("no number");
        assert_eq!((wrong.line, wrong.column), (2, 20), "the column counts characters: {wrong}");
    }
}
