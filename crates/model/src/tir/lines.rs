//! A tyre file as lines: sections, keys with values, rows of numbers, other text.

/// Value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    /// Text without quotes and surrounding blanks.
    pub text: String,
    /// Whether it was quoted.
    pub quoted: bool,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
}

/// A non-empty line; sections in upper case, columns 1-based in characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// `[NAME]`.
    Section { name: String, line: usize, column: usize, closed: bool },
    /// `KEY = value`; `column` is the column of the key.
    Key { section: String, key: String, value: Value, column: usize },
    /// Numbers only.
    Row { section: String, values: Vec<f64>, line: usize, column: usize },
    /// Other text.
    Text { section: String, text: String, line: usize, column: usize },
}

/// The lines of a file without comments and blank lines.
pub(super) fn split(text: &str) -> Vec<Line> {
    // A byte order mark is not part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut section = String::new();
    let mut lines = Vec::new();
    for (line, whole) in (1..).zip(text.split('\n')) {
        // Positions count characters of the original line.
        let content = without_comment(whole);
        let column = column_of(whole, content.len() - content.trim_start().len());
        let trimmed = content.trim();
        if trimmed.is_empty() {
            continue;
        }
        let section_now = section.clone();
        // `[SECTION]`, `KEY = value`, a row of numbers, or other text.
        lines.push(if let Some(rest) = trimmed.strip_prefix('[') {
            let (name, closed) = rest.split_once(']').map_or((rest, false), |(name, _)| (name, true));
            section = name.trim().to_uppercase();
            Line::Section { name: section.clone(), line, column, closed }
        } else if let Some(equals) = content.find('=').filter(|_| !trimmed.starts_with(['\'', '"', '{'])) {
            let (key, after) = (content[..equals].trim(), &content[equals + 1..]);
            let start = equals + 1 + (after.len() - after.trim_start().len());
            let (text, quoted) = unquoted(after.trim());
            let value = Value { text, quoted, line, column: column_of(whole, start) };
            Line::Key { section: section_now, key: key.to_uppercase(), value, column }
        } else {
            let words = trimmed.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            match words.map(number).collect::<Option<Vec<f64>>>() {
                Some(values) if !values.is_empty() => Line::Row { section: section_now, values, line, column },
                _ => Line::Text { section: section_now, text: trimmed.to_string(), line, column },
            }
        });
    }
    lines
}

/// The part of a line before `$` or `!`, unless these are inside closed quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '$' | '!') => return &line[..at],
            (None, '\'' | '"') if line[at + 1..].contains(c) => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
    }
    line
}

/// 1-based column, in characters, of a byte of a line.
fn column_of(line: &str, byte: usize) -> usize {
    line.char_indices().take_while(|(at, _)| *at < byte).count() + 1
}

/// A value without its quotes, and whether it was quoted.
fn unquoted(value: &str) -> (String, bool) {
    for quote in ['\'', '"'] {
        if let Some(inner) = value.strip_prefix(quote) {
            return (inner.split(quote).next().unwrap_or("").trim().to_string(), true);
        }
    }
    (value.to_string(), false)
}

/// A number in Fortran notation: 1.75E+05, 1.75d5, 1.75e+005, +.5, 3.
pub(super) fn number(text: &str) -> Option<f64> {
    let digits = text.chars().all(|c| c.is_ascii_digit() || "+-.eEdD".contains(c));
    let known = ["nan", "inf", "infinity"].contains(&text.trim_start_matches(['+', '-']).to_lowercase().as_str());
    if !(digits || known) {
        return None;
    }
    if known { text.parse().ok() } else { text.replace(['d', 'D'], "e").parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::{Line, number, split};

    #[test]
    fn fortran_numbers_are_read() {
        let cases =
            [("1.75D+05", 1.75e5), ("1.75e+005", 1.75e5), ("+.5", 0.5), ("-3.", -3.0), ("7", 7.0), ("1d-3", 1e-3)];
        for (text, value) in cases {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "abc", "1,5", "0x10", "1.0 m", "e5", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn comments_end_lines_unless_they_stand_in_quotes() {
        let lines = split("\u{feff}$ head\r\n[a]\r\n\tK = 'x ! y'  ! é\r\nL\t=\t2.0$\n 1.0, 2.0 ! row\n");
        let Line::Key { section, key, value, column } = &lines[1] else { panic!("{lines:?}") };
        assert_eq!((section.as_str(), key.as_str(), value.text.as_str(), *column), ("A", "K", "x ! y", 2));
        let Line::Key { value, .. } = &lines[2] else { panic!("{lines:?}") };
        assert_eq!((value.text.as_str(), value.line, value.column), ("2.0", 4, 5));
        assert!(matches!(&lines[3], Line::Row { values, .. } if values == &[1.0, 2.0]));
    }
}
