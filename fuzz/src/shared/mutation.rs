//! Mutations of an input that keep it close to valid input, from a seed alone.
//!
//! A text is changed at its tokens: numbers become zero, huge or not finite, names become empty, long or another name
//! of the text (which makes references dangling or circular), elements of arrays and whole tables are removed, repeated
//! and moved. TOML, tyre files, matrices, CSV and XML all consist of such tokens, so there is one mutator for them all.

use super::targets::Form;

/// Numbers from a seed (SplitMix64), the same on every machine.
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// A number below `count`; 0 when that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        if count == 0 { 0 } else { (self.bits() % count as u64) as usize }
    }

    /// One of `choices`.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        choices.get(self.below(choices.len()))
    }
}

/// Replacements of numbers.
const NUMBERS: [&str; 27] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1e-9",
    "1e9",
    "-1e9",
    "1e-308",
    "1e308",
    "-1e308",
    "1e155",
    "1e-155",
    "1e400",
    "5e-324",
    "nan",
    "inf",
    "-inf",
    "255",
    "65536",
    "4294967296",
    "2147483647",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
];

/// Replacements of names.
const NAMES: [&str; 12] = [
    "",
    " ",
    "ground",
    "\u{e9}",
    "\u{65e5}\u{672c}",
    "\u{1f697}",
    "a\u{301}",
    "..",
    "/",
    "a.b[0]",
    "\\u0000",
    "x,y;<&'",
];

/// Part of a text, bytes.
type Span = std::ops::Range<usize>;

/// The tokens of a text that a mutation changes.
#[derive(Default)]
struct Tokens {
    numbers: Vec<Span>,
    /// Texts between quotation marks.
    names: Vec<Span>,
    /// Words without quotation marks.
    words: Vec<Span>,
    /// Texts between brackets in one line.
    arrays: Vec<Span>,
    /// Lines with their ends.
    lines: Vec<Span>,
    /// Tables: from a line that begins with a bracket to the next one.
    tables: Vec<Span>,
}

impl Tokens {
    fn of(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        let mut at = 0;
        let mut table = 0;
        for line in text.split_inclusive('\n') {
            let span = at..at + line.len();
            if line.starts_with('[') && span.start > table {
                tokens.tables.push(table..span.start);
                table = span.start;
            }
            tokens.read_line(text, span.clone());
            at = span.end;
            tokens.lines.push(span);
        }
        tokens.tables.push(table..at);
        tokens
    }

    fn read_line(&mut self, text: &str, line: Span) {
        let bytes = text.as_bytes();
        let (mut at, mut open) = (line.start, Vec::new());
        while at < line.end {
            let from = at;
            let run = |mut at: usize, belongs: fn(u8) -> bool| {
                while at < line.end && belongs(bytes[at]) {
                    at += 1;
                }
                at
            };
            match bytes[at] {
                b'"' => {
                    let end = run(at + 1, |byte| byte != b'"' && byte != b'\n');
                    self.names.push(at + 1..end);
                    at = end + 1;
                }
                b'0'..=b'9' | b'-' | b'+' | b'.' => {
                    at = run(at + 1, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
                    self.numbers.push(from..at);
                }
                byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                    at = run(at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    self.words.push(from..at);
                }
                b'[' => {
                    open.push(at + 1);
                    at += 1;
                }
                b']' => {
                    self.arrays.extend(open.pop().map(|start| start..at));
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }
}

/// A copy of an input, changed according to its form; not longer than `most` bytes. Input that is not text is changed
/// as bytes.
pub fn changed(input: &[u8], form: Form, random: &mut Random, most: usize) -> Vec<u8> {
    match (form, std::str::from_utf8(input)) {
        (Form::Text, Ok(input)) => text(input, random, most).into_bytes(),
        (Form::Archive, _) => archive(input, random, most),
        _ => bytes(input, random, most),
    }
}

/// A copy of `text` with one to four changes; not longer than `most` bytes.
pub fn text(text: &str, random: &mut Random, most: usize) -> String {
    let mut changed = text.to_string();
    for _ in 0..1 + random.below(4) {
        let next = change(&changed, random);
        if next.len() <= most {
            changed = next;
        }
    }
    changed
}

fn replaced(text: &str, span: &Span, by: &str) -> String {
    [&text[..span.start], by, &text[span.end..]].concat()
}

fn change(text: &str, random: &mut Random) -> String {
    let tokens = Tokens::of(text);
    let kind = random.below(16);
    let spans = match kind {
        0..=5 => &tokens.numbers,
        6..=8 => &tokens.names,
        9 => &tokens.words,
        10 | 11 => &tokens.arrays,
        12 | 13 => &tokens.lines,
        _ => &tokens.tables,
    };
    let Some(span) = random.pick(spans) else { return text.to_string() };
    let part = &text[span.clone()];
    match kind {
        0..=3 => replaced(text, span, random.pick(&NUMBERS).copied().unwrap_or_default()),
        4 => replaced(text, span, &scaled(part, random)),
        // Another number, name or word of the same text.
        5 | 6 | 9 => replaced(text, span, random.pick(spans).map_or("", |other| &text[other.clone()])),
        7 => replaced(text, span, &name(part, random)),
        8 => replaced(text, span, random.pick(&NAMES).copied().unwrap_or_default()),
        10 | 11 => replaced(text, span, &array(part, random)),
        _ => match random.below(3) {
            0 => replaced(text, span, ""),
            1 => replaced(text, span, &[part, part].concat()),
            _ => {
                let place = random.pick(spans).map_or(0, |other| other.start);
                [&text[..place], part, &text[place..]].concat()
            }
        },
    }
}

/// A nearby number, or a number of another order of magnitude.
fn scaled(number: &str, random: &mut Random) -> String {
    let Ok(value) = number.parse::<f64>() else { return "1".into() };
    let factor = [-1.0, 0.5, 2.0, 10.0, 1e-3, 1e3, 1e-6, 1e6, 1.0 + 1e-9][random.below(9)];
    let value = value * factor;
    // An integer remains an integer.
    if number.bytes().all(|byte| byte.is_ascii_digit()) && value.abs() < 1e15 {
        return format!("{}", value as i64);
    }
    format!("{value:e}")
}

/// A name that is longer, cut, or written in another case.
fn name(part: &str, random: &mut Random) -> String {
    match random.below(4) {
        0 => part.repeat(1 + random.below(200)),
        1 => part.chars().skip(1).collect(),
        2 => part.to_uppercase(),
        _ => format!("{part}2"),
    }
}

/// An array with an element removed, repeated or two exchanged; or cut, extended, nested or empty.
fn array(part: &str, random: &mut Random) -> String {
    let mut elements: Vec<&str> = part.split(',').collect();
    let at = random.below(elements.len());
    match random.below(8) {
        0 => drop(elements.remove(at)),
        1 => elements.insert(at, elements[at]),
        2 => {
            let other = random.below(elements.len());
            elements.swap(at, other);
        }
        3 => elements.clear(),
        4 => elements.truncate(at),
        5 => elements = elements.repeat(2 + random.below(50)),
        6 => return format!("[{part}]"),
        _ => return format!("[{part}], [{part}]"),
    }
    elements.join(",")
}

/// A copy of `bytes` with one to four changes of bytes, words of eight bytes, and pieces; not longer than `most`.
pub fn bytes(bytes: &[u8], random: &mut Random, most: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(changed.len());
        let length = 1 + random.below(16);
        let end = (at + length).min(changed.len());
        match random.below(6) {
            _ if changed.is_empty() => changed.push(random.bits() as u8),
            0 => changed[at] ^= 1 << random.below(8),
            1 => changed[at] = random.bits() as u8,
            2 => {
                let number = [0.0, -1.0, 1e308, 5e-324, f64::NAN, f64::INFINITY, 1e-3, 1e9][random.below(8)];
                let word = if random.below(2) == 0 { number.to_bits() } else { random.bits() >> random.below(64) };
                let at = at / 8 * 8;
                changed[at..].iter_mut().zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            }
            3 => drop(changed.drain(at..end)),
            4 => {
                let piece = changed[at..end].to_vec();
                let place = random.below(changed.len());
                changed.splice(place..place, piece);
            }
            _ => changed.truncate(at),
        }
    }
    changed.truncate(most);
    changed
}

/// A change of `bytes` aimed at the headers of a ZIP archive: sizes, offsets and flags become extreme or are exchanged,
/// names lead out of the archive or are duplicated, headers are repeated. Not longer than `most`.
pub fn archive(archive: &[u8], random: &mut Random, most: usize) -> Vec<u8> {
    /// Signature, length of the fixed part, position of the length of the name if there is one.
    const HEADERS: [(&[u8; 4], usize, Option<usize>); 3] =
        [(b"PK\x03\x04", 30, Some(26)), (b"PK\x01\x02", 46, Some(28)), (b"PK\x05\x06", 22, None)];
    const NAMES: [&[u8]; 9] =
        [b"../x", b"/x", b"..\\x", b"C:x", b"a/", b"\0", b"modelDescription.xml", b"a/../../x", b"\xff\xfe"];
    let starts = |(signature, length, name): (&[u8; 4], usize, Option<usize>)| {
        let found = archive.windows(4).enumerate().filter(move |(_, part)| part == signature);
        found.map(move |(at, _)| (at, length, name)).collect::<Vec<_>>()
    };
    let headers: Vec<(usize, usize, Option<usize>)> = HEADERS.into_iter().flat_map(starts).collect();
    let Some(&(at, length, name)) = random.pick(&headers) else { return bytes(archive, random, most) };
    if at + length > archive.len() {
        return bytes(archive, random, most);
    }
    let mut changed = archive.to_vec();
    let word = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
    let named = name.map(|place| at + length..(at + length + word(at + place)).min(archive.len()));
    match (random.below(8), named) {
        (0..=3, _) => {
            let size = 2 + 2 * random.below(2);
            let place = at + 4 + 2 * random.below((length - 4 - size) / 2 + 1);
            let number =
                [0, 1, 8, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, archive.len() as u32, random.bits() as u32];
            let number = random.pick(&number).copied().unwrap_or_default().to_le_bytes();
            changed[place..place + size].copy_from_slice(&number[..size]);
        }
        (4 | 5, Some(named)) => {
            let new = random.pick(&NAMES).copied().unwrap_or_default();
            let place = at + name.unwrap_or_default();
            changed[place..place + 2].copy_from_slice(&(new.len() as u16).to_le_bytes());
            changed.splice(named, new.iter().copied());
        }
        (6, Some(named)) => {
            let header = archive[at..named.end].to_vec();
            changed.splice(at..at, header);
        }
        _ => return bytes(archive, random, most),
    }
    changed.truncate(most);
    changed
}
