//! Tables of numbers from other programs: a header with names, and rows with one number per name. A byte order mark and
//! empty lines are skipped. Faults are reported with line and column.

use super::words;
use ballesta_model::{Diagnostic, Diagnostics};
use std::iter::Peekable;

/// A table after reading its header.
pub struct Numbers<'a> {
    /// Line of the header.
    pub line: usize,
    /// Its text.
    pub header: &'a str,
    /// Its names, at least one.
    pub names: Vec<Cell<'a>>,
    /// Faults so far.
    pub complaints: Complaints<'a>,
    lines: Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
}

/// A row of the table.
pub struct Row {
    /// Its line.
    pub line: usize,
    /// Column of its first number.
    pub column: usize,
    /// One number per name; numbers that are not finite were reported.
    pub values: Vec<f64>,
}

impl<'a> Numbers<'a> {
    /// Reads the header of a text; `file` is the name for diagnostics. `expected` describes the header, for the message
    /// about an empty text.
    pub fn new(text: &'a str, file: &'a str, expected: &str) -> Result<Numbers<'a>, Diagnostics> {
        let mut complaints = Complaints { file, found: Diagnostics::default() };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let Some((line, header)) = lines.next() else {
            complaints.add(0, 0, "", "the file is empty", expected);
            return Err(complaints.found);
        };
        let lines: Box<dyn Iterator<Item = (usize, &'a str)> + 'a> = Box::new(lines);
        Ok(Numbers { line, header, names: cells(header).collect(), complaints, lines: lines.peekable() })
    }

    /// Line and cells of a second header line with units, as `--units` writes it, if present.
    pub fn units(&mut self) -> Option<(usize, Vec<Cell<'a>>)> {
        let begins = |(_, row): &(usize, &str)| cells(row).next().is_some_and(|cell| cell.text == "s");
        self.lines.next_if(begins).map(|(line, row)| (line, cells(row).collect()))
    }

    /// The next row; rows whose number of cells differs from the header are reported and skipped.
    pub fn row(&mut self) -> Option<Row> {
        loop {
            let (line, row) = self.lines.next()?;
            let row: Vec<Cell> = cells(row).collect();
            if self.fits(line, &row, "value") {
                let named = row.iter().zip(&self.names);
                let values = named.map(|(cell, name)| self.complaints.number(line, cell, name.text)).collect();
                return Some(Row { line, column: row[0].column, values });
            }
        }
    }

    /// Whether a row has as many cells as the header; otherwise the row is reported; `singular` is the noun for the
    /// content of a cell.
    pub fn fits(&mut self, line: usize, row: &[Cell], singular: &str) -> bool {
        if row.len() == self.names.len() {
            return true;
        }
        let found = format!("{} in this row", words::count(row.len(), singular));
        let expected = format!("expected {}, one per column of the header", self.names.len());
        self.complaints.add(line, row.last().map_or(1, |cell| cell.column), "", found, expected);
        false
    }

    /// Reports a table without rows.
    pub fn without_rows(&mut self) {
        self.complaints.add(self.line, 1, "", "no rows after the header", "expected at least one row of values");
    }
}

/// A field of a row: its text without surrounding blanks and quotes, and its 1-based column in characters.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    pub text: &'a str,
    pub column: usize,
}

/// The fields of a line. A comma inside double quotes (`"m[1,2]"`) belongs to the field.
fn cells(line: &str) -> impl Iterator<Item = Cell<'_>> {
    let mut quoted = false;
    let separator = move |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    line.split(separator).scan(0, |offset, field| {
        let column = *offset + field.chars().take_while(|c| c.is_whitespace()).count() + 1;
        *offset += field.chars().count() + 1;
        let text = field.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        Some(Cell { text, column })
    })
}

/// Faults of a table, with line and column.
pub struct Complaints<'a> {
    file: &'a str,
    pub found: Diagnostics,
}

/// Largest number of faults that are kept.
const MAX_COMPLAINTS: usize = 1000;

impl Complaints<'_> {
    /// Whether no further fault is kept.
    pub fn full(&self) -> bool {
        self.found.0.len() >= MAX_COMPLAINTS
    }

    pub fn add(
        &mut self,
        line: usize,
        column: usize,
        key: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        if self.full() {
            return;
        }
        self.found.0.push(Diagnostic {
            file: self.file.to_string(),
            line,
            column,
            key: key.to_string(),
            found: found.into(),
            expected: expected.into(),
        });
    }

    /// The number in a cell of the column `name`; a value that is not finite is reported.
    fn number(&mut self, line: usize, cell: &Cell, name: &str) -> f64 {
        let value = cell.text.parse().unwrap_or(f64::NAN);
        if !value.is_finite() {
            let found = match cell.text.chars().count() {
                length if length > 40 => {
                    format!("found `{}…` of {length} characters", cell.text.chars().take(12).collect::<String>())
                }
                _ => format!("found `{}`", cell.text),
            };
            self.add(line, cell.column, name, found, "expected a finite number");
        }
        value
    }

    /// Returns `value` if there is no fault.
    pub fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.found.0.is_empty() { Ok(value) } else { Err(self.found) }
    }
}
