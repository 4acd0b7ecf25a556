//! Data files line by line: fields with their positions, numbers in the notations of Fortran and C, and errors.

use ballesta::document::{Diagnostic, MAX_NUMBER};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A file that is read line by line, because it may be very large.
pub struct Lines {
    file: String,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    number: usize,
    whole: bool,
}

/// A line without its line break.
#[derive(Clone, Copy)]
pub struct Line<'l> {
    /// Name of the file.
    pub file: &'l str,
    /// 1-based.
    pub number: usize,
    /// Text.
    pub text: &'l str,
}

/// A part of a line.
#[derive(Clone, Copy)]
pub struct Field<'l> {
    /// Line of the field.
    pub line: Line<'l>,
    /// Byte offset in the line.
    pub offset: usize,
    /// Without surrounding blanks.
    pub text: &'l str,
}

/// An error in a data file; line 0 means the whole file.
pub fn complaint(
    file: &str,
    (line, column): (usize, usize),
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        file: file.to_string(),
        line,
        column,
        key: String::new(),
        found: found.into(),
        expected: expected.into(),
    }
}

/// An empty line, or one that begins with #, % or **.
pub fn is_comment(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with(['#', '%']) || text.starts_with("**")
}

impl Lines {
    /// Opens a file; the error is the message of the system.
    pub fn open(path: &Path) -> Result<Self, std::io::Error> {
        let reader = BufReader::with_capacity(1 << 16, ballesta::document::file::open(path)?);
        Ok(Lines { file: path.display().to_string(), reader, buffer: Vec::new(), number: 0, whole: true })
    }

    /// Name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The next line, `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read further, or the line is not UTF-8.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, Diagnostic> {
        self.buffer.clear();
        if let Err(error) = self.reader.read_until(b'\n', &mut self.buffer) {
            let place = (self.number + 1, 1);
            return Err(complaint(&self.file, place, format!("cannot be read: {error}"), "give a readable text file"));
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.whole = self.buffer.ends_with(b"\n");
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => {
                let mark = if self.number == 1 { '\u{feff}' } else { '\n' };
                let text = text.trim_end_matches(['\n', '\r']).trim_start_matches(mark);
                Ok(Some(Line { file: &self.file, number: self.number, text }))
            }
            Err(error) => {
                let column = String::from_utf8_lossy(&self.buffer[..error.valid_up_to()]).chars().count() + 1;
                let found = format!("found byte 0x{:02X}, not text", self.buffer[error.valid_up_to()]);
                let expected = "give the text file, not the binary results";
                Err(complaint(&self.file, (self.number, column), found, expected))
            }
        }
    }

    /// An error at the last line or the end of the file.
    pub fn at_end(&self, found: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        complaint(&self.file, (self.number, 1), found, expected)
    }

    /// Rejects a file whose last line has no line break, because such a file is truncated.
    pub fn expect_whole_last_line(&self) -> Result<(), Diagnostic> {
        if self.whole {
            return Ok(());
        }
        let found = "truncated file: the file ends within this line";
        Err(self.at_end(found, "copy the file again, or add a line break at its end"))
    }
}

impl<'l> Line<'l> {
    /// An error at a byte offset.
    pub fn complain(&self, offset: usize, found: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        let column = self.text[..offset.min(self.text.len())].chars().count() + 1;
        complaint(self.file, (self.number, column), found, expected)
    }

    /// Parts between blanks or commas.
    pub fn words(self) -> impl Iterator<Item = Field<'l>> {
        let separator = |c: char| c.is_whitespace() || c == ',';
        self.text.split(separator).filter(|text| !text.is_empty()).map(move |text| self.field(text))
    }

    /// Parts between commas, without surrounding blanks; they may be empty.
    pub fn cells(self) -> impl Iterator<Item = Field<'l>> {
        self.text.split(',').map(move |text| self.field(text))
    }

    /// A part of this line's text, without surrounding blanks.
    pub fn field(self, part: &'l str) -> Field<'l> {
        let text = part.trim_start();
        Field { line: self, offset: text.as_ptr() as usize - self.text.as_ptr() as usize, text: text.trim_end() }
    }

    /// Exactly N words; `form` describes the line.
    pub fn exactly<const N: usize>(self, form: &str) -> Result<[Field<'l>; N], Diagnostic> {
        let mut fields = [Field { line: self, offset: 0, text: "" }; N];
        let mut count = 0;
        for word in self.words() {
            if count < N {
                fields[count] = word;
            }
            count += 1;
        }
        if count == N {
            return Ok(fields);
        }
        let found = if count == 0 { "found an empty line".to_string() } else { format!("found {count} fields") };
        Err(self.complain(0, found, format!("write each line as `{form}`")))
    }
}

impl Field<'_> {
    /// An error at this field.
    pub fn complain(&self, found: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
        self.line.complain(self.offset, found, expected)
    }

    /// A finite number: `1.5`, `1.5e-3`, with the exponents of Fortran `1.5D-3` and of Nastran `1.5-3`.
    pub fn number(&self) -> Result<f64, Diagnostic> {
        let refusal = |expected: &str| Err(self.complain(format!("found `{}`", self.text), expected));
        match self.text.parse::<f64>().ok().or_else(|| fortran(self.text)) {
            Some(number) if number.abs() <= MAX_NUMBER => Ok(number),
            Some(number) if number.is_finite() => refusal(&format!("write a number of at most {MAX_NUMBER:e}")),
            Some(_) => refusal("write a finite number; check the run that wrote this file"),
            None => refusal("write a number"),
        }
    }

    /// An integer of at least 1; `what` is its name for messages.
    pub fn positive(&self, what: &str) -> Result<usize, Diagnostic> {
        match self.text.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => {
                let found = format!("found `{}`", self.text);
                Err(self.complain(found, format!("write {what}: a whole number of 1 or more")))
            }
        }
    }

    /// Number of a node.
    ///
    /// # Errors
    /// Numbers below 1, which programs use for internal nodes without a position.
    pub fn node(&self) -> Result<usize, Diagnostic> {
        if self.text.starts_with('-') && self.text[1..].parse::<usize>().is_ok() {
            let found = format!("found node {}: negative numbers are internal nodes of the FE program", self.text);
            let expected = "export the matrices without Lagrange multipliers and rigid bodies, which create such nodes";
            return Err(self.complain(found, expected));
        }
        self.positive("the number of a node")
    }

    /// Direction 0..6 from 1 to 6, or x, y, z, rx, ry, rz and their common variants.
    pub fn direction(&self) -> Result<usize, Diagnostic> {
        let name = self.text.to_ascii_lowercase();
        let direction = match name.as_str() {
            "1" | "x" | "ux" => 0,
            "2" | "y" | "uy" => 1,
            "3" | "z" | "uz" => 2,
            "4" | "rx" | "urx" | "rotx" => 3,
            "5" | "ry" | "ury" | "roty" => 4,
            "6" | "rz" | "urz" | "rotz" => 5,
            _ => {
                let found = format!("found the direction `{}`", self.text);
                let expected = "write 1 to 6 or x, y, z, rx, ry, rz; other degrees of freedom (temperature, pressure, \
                                warping) are not supported";
                return Err(self.complain(found, expected));
            }
        };
        Ok(direction)
    }
}

/// `1.5D-3` and `1.5-3`.
fn fortran(text: &str) -> Option<f64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.dDeE".contains(&byte)) {
        return None;
    }
    let text = text.replace(['d', 'D'], "e");
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let sign = text.rfind(['+', '-']).filter(|at| *at > 0)?;
    format!("{}e{}", &text[..sign], &text[sign..]).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<f64> {
        let line = Line { file: "f", number: 1, text };
        line.field(text).number().ok()
    }

    #[test]
    fn numbers_of_fortran_and_nastran_are_read_and_others_are_not() {
        for (text, value) in
            [("1", 1.0), ("-1.5D-3", -1.5e-3), ("1.5-3", 1.5e-3), ("-.5+2", -50.0), ("7.e2", 700.0), ("2.d0", 2.0)]
        {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "nan", "inf", "-Infinity", "1e999", "1,5", "--1", "1-", "d", "1e5-3", "+-1", "*****"] {
            assert_eq!(number(text), None, "{text}");
        }
        for text in ["1e61", "-1.8e308", "2.d+300", "1+200"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn places_count_characters() {
        let line = Line { file: "f", number: 7, text: "é  1, x" };
        let fields: Vec<_> = line.words().collect();
        assert_eq!(fields[2].complain("", "").column, 7);
        assert_eq!(line.cells().nth(1).expect("there").text, "x");
    }
}
