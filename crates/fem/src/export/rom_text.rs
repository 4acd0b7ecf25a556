//! TOML layout of the files of reduced-order models: wrapped rows, shortest numbers, comments before the entries.

use std::fmt::Write;

/// Longest line of numbers.
const WIDTH: usize = 120;

/// The text so far.
#[derive(Default)]
pub(super) struct Text(pub String);

impl Text {
    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn comment(&mut self, text: &str) {
        self.line(&format!("# {text}"));
    }

    pub(super) fn table(&mut self, header: &str) {
        self.line(&format!("\n{header}"));
    }

    pub(super) fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        self.line(&format!("{key} = {value}"));
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, quoted(value));
    }

    /// A few numbers, on one line if they fit.
    pub(super) fn vector(&mut self, key: &str, values: &[f64], meaning: &str) {
        let written: Vec<String> = values.iter().map(|value| number(*value)).collect();
        let line = format!("{key} = [{}]", written.join(", "));
        if line.len() > WIDTH {
            self.array(key, values, meaning);
        } else if line.len() + meaning.len() < WIDTH {
            self.line(&format!("{line} # {meaning}"));
        } else {
            self.comment(meaning);
            self.line(&line);
        }
    }

    /// Any number of values.
    pub(super) fn array(&mut self, key: &str, values: &[f64], meaning: &str) {
        self.open(key, meaning);
        self.numbers(values);
        self.line("]");
    }

    pub(super) fn rows<R: AsRef<[f64]>>(&mut self, key: &str, rows: &[R], meaning: &str) {
        self.open(key, meaning);
        for row in rows {
            let line: Vec<String> = row.as_ref().iter().map(|value| number(*value)).collect();
            let line = format!(" [{}],", line.join(", "));
            if line.len() <= WIDTH {
                self.line(&line);
            } else {
                self.line(" [");
                self.numbers(row.as_ref());
                self.line(" ],");
            }
        }
        self.line("]");
    }

    pub(super) fn packed(&mut self, key: &str, packed: &[f64], meaning: &str) {
        self.open(key, meaning);
        self.triangle(packed);
        self.line("]");
    }

    pub(super) fn packed_blocks(&mut self, key: &str, blocks: &[Vec<f64>], meaning: &str) {
        self.open(key, meaning);
        for block in blocks {
            self.line(" [");
            self.triangle(block);
            self.line(" ],");
        }
        self.line("]");
    }

    /// Blocks of rows of `columns` numbers.
    pub(super) fn blocks(&mut self, key: &str, blocks: &[Vec<f64>], columns: usize, meaning: &str) {
        self.open(key, meaning);
        for block in blocks {
            self.line(" [");
            block.chunks(columns.max(1)).for_each(|row| self.numbers(row));
            self.line(" ],");
        }
        self.line("]");
    }

    fn open(&mut self, key: &str, meaning: &str) {
        self.comment(meaning);
        self.line(&format!("{key} = ["));
    }

    /// Row i of a packed matrix has i numbers.
    fn triangle(&mut self, mut packed: &[f64]) {
        let mut length = 1;
        while !packed.is_empty() {
            let (row, rest) = packed.split_at(length.min(packed.len()));
            self.numbers(row);
            (packed, length) = (rest, length + 1);
        }
    }

    /// Numbers with a comma after each, wrapped.
    fn numbers(&mut self, values: &[f64]) {
        let mut column = 0;
        for value in values {
            let start = self.0.len();
            // Writing into a String does not fail.
            let _ = write!(self.0, " {:?},", value + 0.0);
            let length = self.0.len() - start;
            if column + length > WIDTH {
                self.0.replace_range(start..start + 1, "\n ");
                column = 0;
            }
            column += length;
        }
        if column > 0 {
            self.0.push('\n');
        }
    }
}

/// The shortest decimal that reads back to the same bits, with a point or an exponent; −0 + 0 is 0.
pub(super) fn number(value: f64) -> String {
    format!("{:?}", value + 0.0)
}

/// A basic string of TOML.
pub(super) fn quoted(text: &str) -> String {
    // JSON escapes all characters that TOML requires to be escaped, except the delete character.
    serde_json::Value::from(text).to_string().replace('\u{7F}', "\\u007F")
}
