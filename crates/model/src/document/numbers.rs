//! Long arrays of numbers, read before the TOML parser sees them.
//!
//! A file of matrices has some hundred thousand numbers. The TOML parser makes a node with a position for each of them,
//! which takes longer than the rest of the reading. [`take_long_arrays`] finds the arrays of numbers that are values of
//! keys, reads them, and leaves `[      ]` in their place, so that all other text keeps its position. It reads only
//! plain values: finite decimal numbers, in arrays up to eight deep. The parser reads everything else, right or wrong.

use serde_json::{Number, Value};
use std::collections::BTreeMap;
use std::ops::Range;

/// The parser reads arrays with fewer bytes than this: keys of about 16 numbers keep the position of each number.
const MIN_ARRAY_BYTES: usize = 400;
/// The parser also reads arrays nested deeper than this; the parser has another limit. Every level uses a part of the
/// stack.
const MAX_DEPTH: usize = 8;

/// The arrays of a text by the position of their first bracket.
pub(super) type Arrays = BTreeMap<usize, Value>;

/// The text with its long arrays of numbers blanked out, and the arrays.
pub(super) fn take_long_arrays(text: &str) -> (String, Arrays) {
    let bytes = text.as_bytes();
    let mut arrays = Arrays::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut offset = 0;
    let mut after_equals = false;
    while offset < bytes.len() {
        match bytes[offset] {
            // Comments and strings can contain brackets; they are skipped.
            b'#' => offset = line_end(bytes, offset),
            quote @ (b'"' | b'\'') => {
                let Some(end) = string_end(bytes, offset, quote) else { break };
                (offset, after_equals) = (end, false);
            }
            // Only arrays that are values of keys are read; short ones remain for the parser.
            b'[' if after_equals => {
                after_equals = false;
                let mut scanner = Scanner { bytes, text, at: offset };
                match scanner.array(1) {
                    Some(array) if scanner.at - offset >= MIN_ARRAY_BYTES => {
                        arrays.insert(offset, array);
                        taken.push(offset + 1..scanner.at - 1);
                        offset = scanner.at;
                    }
                    _ => offset += 1,
                }
            }
            byte => {
                // Only white space may be between the equals sign and the bracket.
                after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
                offset += 1;
            }
        }
    }
    (blanked(text, &taken), arrays)
}

/// The text with spaces in these ranges, which hold ASCII or comments.
fn blanked(text: &str, ranges: &[Range<usize>]) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        blank.push_str(&text[from..range.start]);
        blank.push_str(&" ".repeat(range.len()));
        from = range.end;
    }
    blank.push_str(&text[from..]);
    blank
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The byte after a string that begins at `at`, if it ends.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let three = [quote; 3];
    let long = bytes[at..].starts_with(&three);
    let mut at = at + if long { 3 } else { 1 };
    loop {
        match bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b'\n' if !long => return None,
            byte if *byte == quote && !long => return Some(at + 1),
            byte if *byte == quote && bytes[at..].starts_with(&three) => {
                // Up to two quotes may precede the three that end the string.
                let quotes = bytes[at..].iter().take(5).take_while(|byte| **byte == quote).count();
                return Some(at + quotes);
            }
            _ => at += 1,
        }
    }
}

/// Reads one array of plain numbers.
struct Scanner<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    /// From the opening bracket to after the closing one; `None` if anything but plain numbers is in between.
    fn array(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            match self.bytes.get(self.at)? {
                b']' => break,
                b'[' => items.push(self.array(depth + 1)?),
                _ => items.push(self.number()?),
            }
            self.skip_blank();
            match self.bytes.get(self.at)? {
                b',' => self.at += 1,
                b']' => break,
                _ => return None,
            }
        }
        self.at += 1;
        Some(Value::Array(items))
    }

    fn skip_blank(&mut self) {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n') => self.at += 1,
                Some(b'\r') if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                // The parser reports characters that TOML forbids in a comment.
                Some(b'#') => {
                    let end = line_end(self.bytes, self.at);
                    if self.bytes[self.at..end].iter().any(|byte| !(0x20..0x7F).contains(byte) && *byte != b'\t') {
                        return;
                    }
                    self.at = end;
                }
                _ => return,
            }
        }
    }

    /// A decimal number as TOML writes it, without underscores, finite.
    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
        let first = self.bytes.get(self.at).copied();
        let whole = self.digits()?;
        if whole > 1 && first == Some(b'0') {
            return None;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Number::from_f64(self.text[start..self.at].parse().ok()?).map(Value::Number)
    }

    /// The number of digits from this position on, at least one.
    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(self.at - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(array: &str) -> String {
        let rest = "1.5, ".repeat(100);
        format!("a = [{array}, {rest}]")
    }

    #[test]
    fn plain_arrays_are_taken_and_everything_keeps_its_position() {
        let rest = "0.5, -2e-3,\n".repeat(60);
        let text = format!("x = 1\nm = [ # size\n  [1, 2.5],\n  [{rest}], ]\ny = \"é\" # [\n");
        let (blank, arrays) = take_long_arrays(&text);
        assert_eq!(blank.len(), text.len());
        let start = text.find("[ #").expect("there");
        assert_eq!(arrays.keys().copied().collect::<Vec<_>>(), [start]);
        assert_eq!(arrays[&start][0], serde_json::json!([1.0, 2.5]));
        assert_eq!(arrays[&start][1].as_array().map(Vec::len), Some(120));
        assert_eq!(blank.find("y ="), text.find("y ="));
        assert!(blank[start..].starts_with("[    "));
    }

    #[test]
    fn anything_unusual_stays_for_the_parser() {
        for entry in
            ["nan", "0x10", "1_000", "1.", ".5", "01", "1e400", "\"a\"", "true", "1 2", "{}", "# é\n 1", "1e", "-"]
        {
            let (blank, arrays) = take_long_arrays(&long(entry));
            assert!(arrays.is_empty() && blank == long(entry), "{entry}");
        }
        for entry in ["+1", "-0.0", "1E5", "0", "1.25e-300"] {
            assert_eq!(take_long_arrays(&long(entry)).1.len(), 1, "{entry}");
        }
    }

    #[test]
    fn deep_arrays_stay_for_the_parser() {
        let nested = |depth: usize| format!("a = {}{}{}", "[".repeat(depth), "1.5, ".repeat(100), "]".repeat(depth));
        assert_eq!(take_long_arrays(&nested(MAX_DEPTH)).1.len(), 1);
        for depth in [MAX_DEPTH + 1, 1_000_000] {
            assert!(take_long_arrays(&nested(depth)).1.is_empty());
        }
    }

    #[test]
    fn arrays_in_texts_and_comments_are_not_arrays() {
        for frame in ["t = '''\nX\n'''", "t = \"\"\"\nX \\\"\"\"\"\"\"", "# X", "t = 'X'"] {
            let text = frame.replace('X', &long("1"));
            assert!(take_long_arrays(&text).1.is_empty(), "{frame}");
            let text = format!("{text}\n{}", long("1"));
            assert_eq!(take_long_arrays(&text).1.len(), 1, "{frame}");
        }
        // In an unterminated text: the parser reads the rest.
        assert!(take_long_arrays(&format!("t = \"\n{}", long("1"))).1.is_empty());
    }
}
