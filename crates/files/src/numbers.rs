//! Tables of numbers from other programs: a header with names, and rows with one number per name.
//!
//! Columns are separated by semicolons, tabulators or commas, whichever the header contains first in this order, or by
//! the character of a first line `sep=;`. Numbers have a decimal point or, if the comma does not separate columns, a
//! decimal comma, the same in the whole file. Units are given behind the names (`force [kN]`, `force (kN)`) or in a
//! second line. A byte order mark, empty lines and an empty last column are skipped. Faults are reported with line and
//! column.

use super::words;
use ballesta_model::{Diagnostic, Diagnostics, units};
use std::borrow::Cow;
use std::iter::Peekable;

/// A table after reading its header.
pub struct Numbers<'a> {
    /// Line of the header.
    pub line: usize,
    /// Its text.
    pub header: &'a str,
    /// Its names, at least one.
    pub names: Vec<Cell<'a>>,
    /// Line and place of the unit of each column, if it has one.
    units: Vec<Option<(usize, Cell<'a>)>>,
    /// Faults so far.
    pub complaints: Complaints<'a>,
    lines: Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
    separator: char,
    /// Whether rows end with a separator, as the header does.
    ends_empty: bool,
    /// Decimal sign and the line of its first occurrence.
    decimal: Option<(char, usize)>,
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
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let lines: Box<dyn Iterator<Item = (usize, &'a str)> + 'a> = Box::new(lines);
        let mut lines = lines.peekable();
        // Spreadsheets write and read a first line with the separator.
        let named = lines.next_if(|(_, line)| line.trim().len() == 5 && line.trim().to_lowercase().starts_with("sep="));
        let named = named.and_then(|(_, line)| line.trim().chars().last());
        let Some((line, header)) = lines.next() else {
            complaints.add(0, 0, "", "the file is empty", expected);
            return Err(complaints.found);
        };
        let separator = named.unwrap_or_else(|| separator(header));
        let mut names: Vec<Cell> = cells(header, separator).collect();
        let ends_empty = separator != ',' && names.len() > 1 && names.last().is_some_and(|last| last.text.is_empty());
        names.truncate(names.len() - usize::from(ends_empty));
        let (names, units) = names.into_iter().map(|cell| cell.without_unit(line)).unzip();
        let mut table = Numbers { line, header, names, units, complaints, lines, separator, ends_empty, decimal: None };
        table.take_units();
        Ok(table)
    }

    /// Takes a second header line with units, as `--units` writes it, if present.
    fn take_units(&mut self) {
        let first = |row: &str| cells(row, self.separator).next().and_then(|cell| units::read(cell.unit()));
        let begins = |(_, row): &(usize, &str)| first(row).is_some_and(|(unit, _)| unit != "1");
        let Some((line, row)) = self.lines.next_if(begins) else { return };
        let row = self.cells_of(row);
        if self.fits(line, &row, "unit") {
            let unit = |cell: Cell<'a>| (!cell.text.is_empty()).then(|| (line, Cell { text: cell.unit(), ..cell }));
            self.units = row.into_iter().map(unit).collect();
        }
    }

    /// The number by which the values of a column are divided to get them in `unit`, a unit of models or none. A unit
    /// of another quantity is reported.
    pub fn divisor(&mut self, column: usize, unit: &str) -> f64 {
        let Some((line, cell)) = self.units[column] else { return 1.0 };
        let wanted = if unit.is_empty() { "1" } else { unit };
        match units::read(cell.text) {
            _ if cell.text == unit => 1.0,
            Some((of, divisor)) if of == wanted => divisor,
            _ => {
                let known: Vec<String> = units::shown_units(wanted).iter().map(|unit| format!("`{unit}`")).collect();
                let expected = format!("expected {}", known.join(" or "));
                let found = format!("found the unit `{}`", cell.text);
                self.complaints.add(line, cell.column, self.names[column].text, found, expected);
                1.0
            }
        }
    }

    /// Reports units that are not those of models, for tables whose columns have no known quantity.
    pub fn expect_base_units(&mut self) {
        for column in 0..self.names.len() {
            let Some((line, cell)) = self.units[column] else { continue };
            if !units::read(cell.text).is_some_and(|(_, divisor)| divisor == 1.0) {
                let found = format!("found the unit `{}`", cell.text);
                let expected = "expected the unit of the model, without a prefix";
                self.complaints.add(line, cell.column, self.names[column].text, found, expected);
            }
        }
    }

    /// The next row; rows whose number of cells differs from the header are reported and skipped.
    pub fn row(&mut self) -> Option<Row> {
        loop {
            let (line, row) = self.lines.next()?;
            let row = self.cells_of(row);
            // Spreadsheets leave rows of empty cells.
            if row.len() > 1 && row.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            if self.fits(line, &row, "value") {
                let column = row[0].column;
                let values = (0..row.len()).map(|i| self.number(line, &row[i], self.names[i].text)).collect();
                return Some(Row { line, column, values });
            }
        }
    }

    /// Cells of a row, without an empty one at the end if the header has one.
    fn cells_of(&self, row: &'a str) -> Vec<Cell<'a>> {
        let mut row: Vec<Cell> = cells(row, self.separator).collect();
        if self.ends_empty && row.len() == self.names.len() + 1 && row.last().is_some_and(|last| last.text.is_empty()) {
            row.pop();
        }
        row
    }

    /// Whether a row has as many cells as the header; otherwise the row is reported; `singular` is the noun for the
    /// content of a cell.
    fn fits(&mut self, line: usize, row: &[Cell], singular: &str) -> bool {
        if row.len() == self.names.len() {
            return true;
        }
        let found = format!("{} in this row", words::count(row.len(), singular));
        let expected = format!("expected {}, one per column of the header", self.names.len());
        self.complaints.add(line, row.last().map_or(1, |cell| cell.column), "", found, expected);
        false
    }

    /// The number in a cell of the column `name`; a value that is not finite is reported, and a second decimal sign.
    fn number(&mut self, line: usize, cell: &Cell, name: &str) -> f64 {
        let signs: Vec<char> = cell.text.chars().filter(|c| matches!(c, ',' | '.')).collect();
        let text = match signs[..] {
            [','] => Cow::Owned(cell.text.replace(',', ".")),
            _ => Cow::Borrowed(cell.text),
        };
        let value = text.parse().unwrap_or(f64::NAN);
        if !value.is_finite() {
            let found = match cell.text.chars().count() {
                length if length > 40 => {
                    format!("found `{}…` of {length} characters", cell.text.chars().take(12).collect::<String>())
                }
                _ => format!("found `{}`", cell.text),
            };
            let expected = match signs.len() {
                0 | 1 => "expected a finite number",
                _ => "expected a finite number without separators of thousands",
            };
            self.complaints.add(line, cell.column, name, found, expected);
        } else if let [sign] = signs[..] {
            let (known, first) = *self.decimal.get_or_insert((sign, line));
            if known != sign {
                let found = format!("found `{}` after decimal signs `{known}` from line {first} on", cell.text);
                self.complaints.add(line, cell.column, name, found, "expected one decimal sign in the whole file");
            }
        }
        value
    }

    /// Reports a table without rows.
    pub fn without_rows(&mut self) {
        self.complaints.add(self.line, 1, "", "no rows after the header", "expected at least one row of values");
    }

    /// Whether the first column is the time: `time` or `t`, in any case.
    pub fn begins_with_time(&self) -> bool {
        let name = self.names[0].text;
        name.eq_ignore_ascii_case("time") || name.eq_ignore_ascii_case("t")
    }
}

/// A field of a row: its text without surrounding blanks and quotes, and its 1-based column in characters.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    pub text: &'a str,
    pub column: usize,
}

impl<'a> Cell<'a> {
    /// The text without brackets around it.
    fn unit(&self) -> &'a str {
        let inner = |open, close| self.text.strip_prefix(open)?.strip_suffix(close);
        inner('[', ']').or_else(|| inner('(', ')')).unwrap_or(self.text).trim()
    }

    /// A name, and its unit in brackets after a blank: names of variables have no blanks. `line`: line of the header.
    fn without_unit(self, line: usize) -> (Cell<'a>, Option<(usize, Cell<'a>)>) {
        let Some((name, unit)) = self.text.rsplit_once([' ', '\t']).filter(|(_, unit)| unit.starts_with(['[', '(']))
        else {
            // A unit with blanks: `torque [N m]`.
            let found = self.text.find(" [").or_else(|| self.text.find(" ("));
            return found.map_or((self, None), |at| self.divided(at, line));
        };
        if unit.ends_with([']', ')']) { self.divided(name.len(), line) } else { (self, None) }
    }

    /// The name before the byte `at`, and the unit after it.
    fn divided(self, at: usize, line: usize) -> (Cell<'a>, Option<(usize, Cell<'a>)>) {
        let (name, unit) = self.text.split_at(at);
        let column = self.column + name.chars().count() + 1;
        let unit = Cell { text: unit.trim(), column };
        (Cell { text: name.trim(), ..self }, Some((line, Cell { text: unit.unit(), column })))
    }
}

/// The separator of a header.
fn separator(header: &str) -> char {
    let mut quoted = false;
    let outside: Vec<char> = header
        .chars()
        .filter(|c| {
            quoted ^= *c == '"';
            !quoted
        })
        .collect();
    [';', '\t'].into_iter().find(|c| outside.contains(c)).unwrap_or(',')
}

/// The fields of a line. A separator inside double quotes (`"m[1,2]"`) belongs to the field.
fn cells(line: &str, separator: char) -> impl Iterator<Item = Cell<'_>> {
    let mut quoted = false;
    let separates = move |c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    };
    line.split(separates).scan(0, |offset, field| {
        let column = *offset + field.chars().take_while(|c| c.is_whitespace()).count() + 1;
        *offset += field.chars().count() + 1;
        let text = field.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim();
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

    /// Returns `value` if there is no fault.
    pub fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.found.0.is_empty() { Ok(value) } else { Err(self.found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, divisors for some units, and rows.
    type Content = (Vec<String>, Vec<f64>, Vec<Vec<f64>>);

    /// The content, or the faults.
    fn read(text: &str, units: &[&str]) -> Result<Content, Vec<String>> {
        let lines = |wrong: Diagnostics| wrong.0.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut table = Numbers::new(text, "t.csv", "expected a header").map_err(lines)?;
        let names = table.names.iter().map(|name| name.text.to_string()).collect();
        let divisors = units.iter().enumerate().map(|(i, unit)| table.divisor(i, unit)).collect();
        let rows = std::iter::from_fn(|| table.row().map(|row| row.values)).collect();
        table.complaints.finish((names, divisors, rows)).map_err(lines)
    }

    #[test]
    fn spreadsheets_of_all_languages_give_the_same_numbers() {
        let expected = (vec!["time".to_string(), "a.b[1,2]".to_string()], vec![1.0, 1e-3], vec![vec![0.5, -1.25e3]]);
        for text in [
            "time,\"a.b[1,2] [kN]\"\n0.5,-1.25e3\n",
            "time;a.b[1,2] [kN]\n0,5;-1250\n",
            "\u{feff}time [s];a.b[1,2] (kN)\r\n0,5;-1,25E+03\r\n;\r\n",
            "time\ta.b[1,2]\n[s]\t[kN]\n0,5\t-1250,0\n",
            "sep=;\ntime;a.b[1,2];\ns;kN;\n0.5;-1250.0;\n",
            "time,\"a.b[1,2]\"\ns,kN\n\"0,5\",\"-1250,0\"\n",
        ] {
            assert_eq!(read(text, &["s", "N"]), Ok(expected.clone()), "{text}");
        }
        let milliseconds = read("time [ms],torque [N m]\n2,3\n", &["s", "N.m"]);
        assert_eq!(milliseconds, Ok((vec!["time".into(), "torque".into()], vec![1e3, 1.0], vec![vec![2.0, 3.0]])));
    }

    #[test]
    fn mixed_decimal_signs_thousands_and_units_of_other_quantities_are_refused() {
        assert_eq!(
            read("time;a\n0,5;1\n1.5;2\n2,5;1.000,5\n", &[]).unwrap_err(),
            [
                "t.csv:3:1: error: time: found `1.5` after decimal signs `,` from line 2 on; expected one decimal sign in \
                 the whole file",
                "t.csv:4:5: error: a: found `1.000,5`; expected a finite number without separators of thousands",
            ]
        );
        assert_eq!(
            read("time;a [mm]\n0;1\n", &["s", "N"]).unwrap_err(),
            ["t.csv:1:8: error: a: found the unit `mm`; expected `N` or `kN`"]
        );
        assert_eq!(
            read("time,a\ns,furlong\n0,1\n", &["s", "1"]).unwrap_err(),
            ["t.csv:2:3: error: a: found the unit `furlong`; expected `1` or `%`"]
        );
    }
}
