//! Reading of tyre property files (`.tir`).
//!
//! A file is lines `KEY = value` in sections `[NAME]`, with comments from `$` or `!`, texts in quotes, and tables of
//! numbers in some sections. Keys and sections are read in any case, keys with or without underscores, and in any
//! section, because vendors distribute them differently. Content beyond [`keys::ROWS`] is a [`TyreNote`], not an error.
//!
//! # Use
//!
//! ```
//! use ballesta_model::tir;
//! use ballesta_solver::tyre::{Input, Law, Side};
//! let text = std::fs::read("../../tests/tyres/mf_185_80R14.tir").unwrap();
//! let properties = tir::read(&tir::decode(&text), "mf_185_80R14.tir").unwrap();
//! let law = Law::new(&properties, Side::Left);                      // once; allocates
//! let input = Input { alpha: 0.05, ..law.straight_ahead(3800.0) };  // N, rad
//! let output = law.forces(&input);                                  // per evaluation; allocates nothing
//! assert!(output.fy < 0.0 && output.mz > 0.0);
//! let vertical = law.vertical(0.02, 0.0, &Default::default());      // m, m/s
//! assert!(vertical.force > 0.0);
//! ```

mod lines;
mod range_checks;
mod tir_units;

use crate::document::nearest::list;
use crate::document::{Diagnostic, Diagnostics};
use ballesta_solver::tyre::keys::{self, ALIASES, Coefficients, MissingKey, ROWS, Row};
use ballesta_solver::tyre::vertical::slope_at_load;
use ballesta_solver::tyre::{Formula, Law, Mode, Properties, Side, TyreNote, WrittenKey};
use lines::{Line, Value};
use tir_units::Units;

/// Largest number that is read, in SI units. Real tyres have smaller values, and the products of the law remain finite.
const MAX_NUMBER: f64 = 1e15;

/// Smallest divisor, in SI units.
const MIN_DIVISOR: f64 = 1e-6;

/// Largest exponent of load and pressure in the rolling resistance: 1e15 N divided by a small nominal load remains
/// finite.
const MAX_EXPONENT: f64 = 10.0;

/// Text of the bytes of a file: UTF-8 if valid, otherwise Latin-1, as in the comments of many tyre files.
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Reads the text of a tyre file.
///
/// * `file`: name for the messages
///
/// # Errors
///
/// All errors of the file: unknown formula or units, text for numbers, missing, duplicate or impossible values.
pub fn read(text: &str, file: &str) -> Result<Properties, Diagnostics> {
    let mut reader = Reader::new(file);
    let lines = lines::split(text);
    for line in &lines {
        if let Line::Key { section, key, value, .. } = line
            && section == "UNITS"
        {
            reader.unit(key, value);
        }
    }
    lines.iter().for_each(|line| reader.line(line));
    reader.finish()
}

/// A key and its field.
type Field = (&'static str, fn(&mut Coefficients) -> &mut f64);

/// Keys of the table of coefficients: other keys do not compile.
macro_rules! fields {
    ($($field:ident)+) => {
        &[$((stringify!($field), |coefficients| &mut coefficients.$field)),+]
    };
}

/// Keys of equations that MF 5.2 does not have. Keys of the pressure act in both formulas, because PAC2002 has them
/// too.
const LATER: &[Field] = fields![
    rbx3 pey5 pky4 pky5 pky6 pky7 ppy5 rby4 qsx4 qsx5 qsx6 qsx7 qsx8 qsx9 qsx10 qsx11 qsx12 qsx13 qsx14 ppmx1 qsy5 qsy6
    qsy7 qsy8 qdz10 qdz11
];

/// Keys of MF 6.2 that 6.1 does not have, as [`keys::normal`] spells them.
const LATER62: [&str; 8] = ["QFCY2", "QCAM", "QCAM1", "QCAM2", "QCAM3", "QFYS1", "QFYS2", "QFYS3"];

/// A key with its data from the file.
struct Entry {
    row: &'static Row,
    name: &'static str,
    /// Normalised spellings.
    normal: Vec<String>,
    /// Line and column of its value, if the file has it.
    found: Option<(usize, usize)>,
    /// Whether its value is a finite number.
    valid: bool,
}

struct Reader {
    file: String,
    diagnostics: Diagnostics,
    notes: Vec<TyreNote>,
    written: Vec<WrittenKey>,
    units: Units,
    entries: Vec<Entry>,
    coefficients: Coefficients,
    format: Option<Value>,
    fittyp: Option<Value>,
    side: Side,
    mode: Mode,
    deflection_load: Vec<[f64; 2]>,
    bottoming: Vec<[f64; 2]>,
    /// Sections that a note already names.
    noted: Vec<String>,
    section: String,
    /// Sections so far, with their lines.
    sections: Vec<(String, usize)>,
    /// The earlier position of a section with this name.
    again: Option<usize>,
    /// Rows of the repeated table.
    repeated: usize,
}

/// Descriptive keys, which no law uses.
const WITHOUT_EFFECT: [&str; 4] = ["width", "rim_width", "aspect_ratio", "mass"];

/// Sections with free text or with the geometry of other models.
const TEXT_SECTIONS: [&str; 4] = ["MDI_HEADER", "SHAPE", "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE"];

/// Texts that only describe a file.
const DESCRIPTIVE: [&str; 11] = [
    "FILETYPE",
    "FILEVERSION",
    "FILEFORMAT",
    "COMMENT",
    "COMMENTS",
    "TYREVERSION",
    "VERSION",
    "FUNCTIONNAME",
    "NMANUFACTURER",
    "USERSUBID",
    "TIREVERSION",
];

impl Reader {
    fn new(file: &str) -> Self {
        let entry = |row: &'static Row, name: &'static str| {
            let others = ALIASES.iter().filter(|(_, key)| *key == name).map(|(alias, _)| keys::normal(alias));
            Entry {
                row,
                name,
                normal: std::iter::once(keys::normal(name)).chain(others).collect(),
                found: None,
                valid: false,
            }
        };
        Reader {
            file: file.to_string(),
            diagnostics: Diagnostics::default(),
            notes: Vec::new(),
            written: Vec::new(),
            units: Units::default(),
            entries: ROWS.iter().flat_map(|row| row.keys.iter().map(move |name| entry(row, name))).collect(),
            coefficients: Coefficients::defaults(),
            format: None,
            fittyp: None,
            side: Side::Left,
            mode: Mode::ALL,
            deflection_load: Vec::new(),
            bottoming: Vec::new(),
            noted: Vec::new(),
            section: String::new(),
            sections: Vec::new(),
            again: None,
            repeated: 0,
        }
    }

    fn error(
        &mut self,
        (line, column): (usize, usize),
        key: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let (found, expected) = (found.into(), expected.into());
        self.diagnostics.0.push(Diagnostic {
            file: self.file.clone(),
            line,
            column,
            key: key.to_string(),
            found,
            expected,
        });
    }

    fn note(&mut self, line: usize, key: &str, text: impl Into<String>) {
        self.notes.push(TyreNote { line, key: key.to_string(), text: text.into() });
    }

    /// A line of `[UNITS]`.
    fn unit(&mut self, key: &str, value: &Value) {
        match self.units.set(key, &value.text) {
            Ok(true) => {}
            Ok(false) => self.note(value.line, key, "this unit is not used"),
            Err(known) => {
                let expected = format!("write one of {}", list(&known));
                self.error((value.line, value.column), key, format!("unknown unit `{}`", value.text), expected);
            }
        }
    }

    fn line(&mut self, line: &Line) {
        match line {
            Line::Section { name, line, column, closed } => {
                self.section = name.clone();
                self.again = self.sections.iter().find(|(known, _)| known == name).map(|(_, line)| *line);
                self.sections.push((name.clone(), *line));
                self.repeated = 0;
                if let Some(first) = self.again.filter(|_| name.ends_with("_CURVE")) {
                    self.note(*line, name, format!("the table already starts in line {first}; its rows are compared"));
                }
                if !closed {
                    self.error((*line, *column), name, "the section name has no closing bracket", "write `[NAME]`");
                }
            }
            Line::Key { section, .. } if section == "UNITS" => {}
            Line::Key { section, key, value, column } => self.key(section, key, value, *column),
            Line::Row { section, values, line, column } => self.row(section, values, *line, *column),
            Line::Text { section, text, line, column } => {
                let silent = section.is_empty() || TEXT_SECTIONS.contains(&section.as_str()) || section == "MODEL";
                if !silent && text.starts_with(['{', '(', '\'', '"']) {
                    return;
                }
                if !silent {
                    self.error(
                        (*line, *column),
                        "",
                        format!("`{}` is not understood", shortened(text)),
                        "write `KEY = value`",
                    );
                } else if section.ends_with("_CURVE") && !text.starts_with(['{', '(']) {
                    let expected = "write two numbers: deflection and load";
                    self.error((*line, *column), section, format!("`{}` is not a row", shortened(text)), expected);
                }
            }
        }
    }

    /// A row of numbers, of a table that is used or of another one.
    fn row(&mut self, section: &str, values: &[f64], line: usize, column: usize) {
        let curve = match section {
            "DEFLECTION_LOAD_CURVE" => &mut self.deflection_load,
            "BOTTOMING_CURVE" => &mut self.bottoming,
            _ => {
                if !self.noted.iter().any(|known| known == section) {
                    self.noted.push(section.to_string());
                    self.note(line, section, "this table is not used");
                }
                return;
            }
        };
        let previous = curve.last().copied();
        let [x, y] = match values {
            [x, y] => [x * self.units.length, y * self.units.force],
            _ => {
                let found = format!("found {} numbers in a row", values.len());
                return self.error((line, column), section, found, "write two: deflection and load");
            }
        };
        if !(x.is_finite() && y.is_finite() && x >= 0.0 && y >= 0.0) {
            return self.error(
                (line, column),
                section,
                "a value is negative or not finite",
                "write deflections and loads ≥ 0",
            );
        }
        if x > MAX_NUMBER || y > MAX_NUMBER {
            let found = "a value is too large for a tyre";
            return self.error((line, column), section, found, format!("write at most {MAX_NUMBER:e} in SI units"));
        }
        if let Some(first) = self.again {
            let same = curve.get(self.repeated) == Some(&[x, y]);
            self.repeated += 1;
            if !same {
                let found = format!("the table already starts in line {first}, with other rows");
                self.error((line, column), section, found, "keep one of them");
            }
            return;
        }
        // The curve needs ascending deflections with a minimum distance, which is a divisor.
        if previous.is_some_and(|[before, load]| x <= before || y < load) {
            let expected = "give strictly increasing deflections and non-decreasing loads";
            return self.error((line, column), section, "the row does not follow the previous row", expected);
        }
        if previous.is_some_and(|[before, _]| x - before < MIN_DIVISOR) {
            let found = format!("the row is less than {MIN_DIVISOR:e} m above the previous row");
            return self.error((line, column), section, found, "remove one of the two");
        }
        curve.push([x, y]);
    }

    fn key(&mut self, section: &str, key: &str, value: &Value, column: usize) {
        let normal = keys::normal(key);
        let known = self.entries.iter().position(|entry| entry.normal.contains(&normal));
        let name = known.map_or_else(|| key.to_lowercase(), |index| self.entries[index].name.to_string());
        self.written.push(WrittenKey { key: name, line: value.line, text: value.text.clone() });
        match normal.as_str() {
            "PROPERTYFILEFORMAT" => self.text(key, value, column, |reader| &mut reader.format),
            "FITTYP" => self.text(key, value, column, |reader| &mut reader.fittyp),
            "TYRESIDE" => match value.text.to_uppercase().as_str() {
                "LEFT" | "SYMMETRIC" => self.side = Side::Left,
                "RIGHT" => self.side = Side::Right,
                other @ ("BOTH" | "UNKNOWN" | "0" | "1") => {
                    let (side, name) = if other == "1" { (Side::Right, "RIGHT") } else { (Side::Left, "LEFT") };
                    self.side = side;
                    let text = format!("`{}` is not a side: '{name}' is used", value.text);
                    self.note(value.line, "TYRESIDE", format!("{text}; write 'LEFT', 'RIGHT' or 'SYMMETRIC'"));
                }
                _ => {
                    let found = format!("unknown side `{}`", value.text);
                    self.error((value.line, value.column), key, found, "write 'LEFT', 'RIGHT' or 'SYMMETRIC'");
                }
            },
            "USEMODE" => self.use_mode(key, value),
            // A crown of two arcs.
            "MCCONTOURA" | "MCCONTOURB" => {
                self.note(
                    value.line,
                    key,
                    "not evaluated: the tread is treated as flat, without the crown of a motorcycle tyre",
                );
            }
            _ if LATER62.contains(&normal.as_str()) => {
                if lines::number(&value.text) != Some(0.0) {
                    let text = "not evaluated: a term of MF 6.2 for the load or the loaded radius";
                    self.note(value.line, key, text);
                }
            }
            _ if DESCRIPTIVE.contains(&normal.as_str()) => {}
            _ => match known {
                Some(index) => self.number(index, key, value, column),
                None => {
                    let text =
                        if section.is_empty() { "not used".to_string() } else { format!("not used, in [{section}]") };
                    self.note(value.line, key, text);
                }
            },
        }
    }

    /// Stores the text of a key that may occur once.
    fn text(&mut self, key: &str, value: &Value, column: usize, slot: fn(&mut Reader) -> &mut Option<Value>) {
        if let Some(first) = slot(self).clone() {
            let same = first.text == value.text;
            return self.duplicate(key, value.line, column, first.line, same);
        }
        *slot(self) = Some(value.clone());
    }

    /// A repeated key: an error, unless its whole section is repeated with the `same` value.
    fn duplicate(&mut self, key: &str, line: usize, column: usize, first: usize, same: bool) {
        if same && self.again.is_some() {
            return self.note(line, key, format!("repeated from line {first}, with the same value"));
        }
        self.error((line, column), key, format!("the key already occurs in line {first}"), "keep one of them");
    }

    /// `USE_MODE`: the last digit is 0 for Fz alone, 1 for Fx and My, 2 for Fy, Mx and Mz. It is 3 for all at pure
    /// slip, 4 for all at combined slip, and 5 with turn slip in addition. 10 is added for forces with relaxation.
    fn use_mode(&mut self, key: &str, value: &Value) {
        let number = match lines::number(&value.text) {
            Some(number) if (0.0..1000.0).contains(&number) && number.fract() == 0.0 => number as u32,
            _ => {
                let text = "not a mode from 0 to 5 (plus 10 with relaxation): combined slip with relaxation is used";
                return self.note(value.line, key, text);
            }
        };
        let (forces, transient) = (number % 10, number / 10 % 10);
        let acts = match forces {
            0 => [false; 2],
            1 => [true, false],
            2 => [false, true],
            _ => [true; 2],
        };
        self.mode = Mode { acts, combined: forces > 3, turns: forces > 4, relaxes: transient > 0 };
        if forces > 5 {
            self.note(value.line, key, "treated as 5: combined slip with turn slip");
        }
        if transient > 1 {
            self.note(value.line, key, "treated as relaxation lengths: no other transient behaviour is available");
        }
    }

    fn number(&mut self, index: usize, key: &str, value: &Value, column: usize) {
        let span = (value.line, value.column);
        let (row, name) = (self.entries[index].row, self.entries[index].name);
        let unit = self.units.factor(row.dimension);
        let parsed = lines::number(&value.text);
        if value.text.is_empty() && row.default != MissingKey::Required {
            return self.note(value.line, key, "empty: treated as missing");
        }
        if parsed.is_none() && WITHOUT_EFFECT.contains(&name) {
            return self.note(value.line, key, "not a number; has no effect");
        }
        // A repeated key is accepted only if its value is identical.
        if let Some((first, _)) = self.entries[index].found {
            let kept = self.coefficients.field_mut(name).map(|field| *field);
            let same = parsed.is_some_and(|number| kept == Some(number * unit));
            return self.duplicate(key, value.line, column, first, same);
        }
        self.entries[index].found = Some(span);
        match parsed {
            _ if value.quoted => {
                self.error(span, key, format!("the text '{}'", value.text), "write a number without quotes")
            }
            None if value.text.is_empty() => {
                self.error(span, key, "no value follows the equals sign", "write a number")
            }
            None => self.error(
                span,
                key,
                format!("`{}` is not a number", shortened(&value.text)),
                "write a number like 1.75E+05",
            ),
            Some(number) if !(number * unit).is_finite() => {
                self.error(span, key, format!("`{}` is not finite", value.text), "write a finite number");
            }
            Some(number) if (number * unit).abs() > MAX_NUMBER => {
                let found = format!("`{}` is too large for a tyre", shortened(&value.text));
                self.error(span, key, found, format!("write a number of at most {MAX_NUMBER:e} in SI units"));
            }
            Some(number) if matches!(name, "qsy7" | "qsy8") && number.abs() > MAX_EXPONENT => {
                let found = format!("the exponent `{}` is too large for a tyre", shortened(&value.text));
                self.error(span, key, found, format!("write a number of at most {MAX_EXPONENT}"));
            }
            Some(number) => {
                self.entries[index].valid = true;
                if let Some(field) = self.coefficients.field_mut(name) {
                    *field = number * unit;
                }
            }
        }
    }

    /// Position of the number of a key.
    fn place(&self, name: &str) -> Option<(usize, usize)> {
        self.entries.iter().find(|entry| entry.name == name && entry.valid).and_then(|entry| entry.found)
    }

    fn finish(mut self) -> Result<Properties, Diagnostics> {
        let formula = self.formula();
        if formula == Some(Formula::Mf52) {
            self.drop_later();
        }
        // Complete and check the coefficients; the order matters, because later rules use derived values.
        self.require();
        self.friction();
        self.zeros();
        self.derive();
        self.one_sided();
        self.check();
        if self.units.unset() {
            self.note(0, "UNITS", "no units are given: metre, newton, radian, kilogram and second are used");
        }
        if formula == Some(Formula::Mf61)
            && self.coefficients.longitudinal_stiffness * self.coefficients.lateral_stiffness == 0.0
        {
            let text = "without carcass stiffness the relaxation lengths follow from PTX and PTY, or are zero";
            self.note(0, "LONGITUDINAL_STIFFNESS, LATERAL_STIFFNESS", text);
        }
        let spin = self.entries.iter().filter(|entry| entry.row.section == "Turn slip");
        if let Some((name, (line, _))) = spin.filter_map(|entry| Some((entry.name, entry.found?))).min_by_key(|x| x.1)
            && !self.mode.turns
        {
            let text = "turn slip is active only if USE_MODE ends in 5 or the model has `turn_slip = true`";
            self.note(line, &name.to_uppercase(), text);
        }
        let properties = Properties {
            formula: formula.unwrap_or(Formula::Mf52),
            side: self.side,
            mode: self.mode,
            coefficients: self.coefficients,
            deflection_load: std::mem::take(&mut self.deflection_load),
            bottoming: std::mem::take(&mut self.bottoming),
            notes: Vec::new(),
            written: Vec::new(),
        };
        self.check_range(&properties);
        self.notes.sort_by_key(|note| note.line);
        let properties = Properties { notes: self.notes, written: self.written, ..properties };
        self.diagnostics.into_result(properties).map(note_of_stiffness)
    }

    /// Checks of the laws over the range of use, for a file without other errors.
    fn check_range(&mut self, properties: &Properties) {
        if !self.diagnostics.0.is_empty() {
            return;
        }
        let law = Law::new(properties, properties.side);
        let place = |reader: &Reader, keys: &[&'static str]| {
            let given = keys.iter().find_map(|key| Some((*key, reader.place(key)?)));
            given.unwrap_or((keys.first().copied().unwrap_or_default(), (0, 0)))
        };
        for finding in range_checks::errors(&law, &properties.coefficients) {
            let (key, at) = place(self, finding.keys);
            self.error(at, &key.to_uppercase(), finding.found, finding.expected);
        }
        if let Some((key, speed, resistance)) = law.self_driving(properties.coefficients.fnomin) {
            let line = self.place(&key.to_lowercase()).map_or(0, |(line, _)| line);
            let text = format!("the rolling resistance is {resistance:.4} under FNOMIN at {speed} m/s");
            self.note(line, key, format!("{text}: the wheel would drive itself; write coefficients that brake it"));
        }
        for finding in range_checks::notes(&properties.coefficients) {
            let (key, (line, _)) = place(self, finding.keys);
            self.note(line, &key.to_uppercase(), format!("{}: {}", finding.found, finding.expected));
        }
    }

    /// The equations that `PROPERTY_FILE_FORMAT` and `FITTYP` name.
    fn formula(&mut self) -> Option<Formula> {
        const EXPECTED: &str =
            "write PROPERTY_FILE_FORMAT = 'PAC2002' (or 'MF_05') or FITTYP = 6 for MF 5.2, FITTYP = 61 for MF 6.1";
        let (format, fittyp) = (self.format.clone(), self.fittyp.clone());
        let by_number = match &fittyp {
            None => None,
            Some(value) => match lines::number(&value.text) {
                Some(5.0 | 6.0 | 21.0 | 51.0 | 52.0) => Some(Formula::Mf52),
                Some(61.0) => Some(Formula::Mf61),
                Some(62.0) => {
                    let text = "evaluated as MF 6.1: the terms of 6.2 (loaded radius and stiffness by camber and Fy: \
                                Q_CAM1..., Q_FYS1..., Q_FCY2) are not used";
                    self.note(value.line, "FITTYP", text);
                    Some(Formula::Mf61)
                }
                _ => {
                    let found = format!("unknown formula `{}`", value.text);
                    self.error(
                        (value.line, value.column),
                        "FITTYP",
                        found,
                        "write 5, 6, 21, 51 or 52 (MF 5.2), 61 or 62 (MF 6.1)",
                    );
                    return None;
                }
            },
        };
        let Some(value) = format else {
            if by_number.is_none() {
                self.error((0, 0), "PROPERTY_FILE_FORMAT", "the file has neither this key nor FITTYP", EXPECTED);
            }
            return by_number;
        };
        // FITTYP decides where the format name covers several versions of the Magic Formula.
        let letters: String = value.text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
        let by_name = match letters.as_str() {
            "PAC2002" | "MF05" | "MF52" => Some(Formula::Mf52),
            "MF61" | "MFTYRE61" | "MFSWIFT61" | "MF62" => Some(Formula::Mf61),
            "MFTYRE" | "DELFT" | "DELFTTYRE" | "MFSWIFT" | "USER" | "TNO" | "SWIFTTYRE" if by_number.is_some() => {
                by_number
            }
            "MFTYRE" | "DELFT" | "DELFTTYRE" => Some(Formula::Mf52),
            _ => {
                let motorcycle =
                    if letters.contains("MC") { ": the crown of motorcycle tyres is not evaluated" } else { "" };
                let found = format!("unknown formula `{}`{motorcycle}", value.text);
                self.error((value.line, value.column), "PROPERTY_FILE_FORMAT", found, EXPECTED);
                return None;
            }
        };
        if by_number.is_some() && by_number != by_name {
            let found = format!("'{}' contradicts FITTYP", value.text);
            self.error((value.line, value.column), "PROPERTY_FILE_FORMAT", found, EXPECTED);
        }
        by_name
    }

    /// Reports required keys that are missing.
    fn require(&mut self) {
        let absent: Vec<(String, &'static str, &'static str)> = self
            .entries
            .iter()
            .filter(|entry| entry.row.default == MissingKey::Required && entry.found.is_none())
            .map(|entry| (entry.name.to_uppercase(), entry.row.meaning, entry.row.dimension.unit()))
            .collect();
        for (key, meaning, unit) in absent {
            self.error((0, 0), &key, "the key is missing", format!("add it ({meaning}; {unit})"));
        }
    }

    /// A negative `PDY1` is friction with the sign of the force: its absolute value is used.
    fn friction(&mut self) {
        let c = &mut self.coefficients;
        if c.pdy1 < 0.0 && c.lmuy > 0.0 {
            (c.pdy1, c.pdy2) = (-c.pdy1, -c.pdy2);
            let line = self.place("pdy1").map_or(0, |(line, _)| line);
            self.note(
                line,
                "PDY1",
                "negative: PDY1 and PDY2 are used with the opposite sign, so that friction is \
                                     positive",
            );
        }
    }

    /// Gives keys that only MF 6.1 has their defaults: other programs write them into files of 5.2 as well.
    fn drop_later(&mut self) {
        let mut defaults = Coefficients::defaults();
        for (key, field) in LATER {
            let (value, default) = (field(&mut self.coefficients), *field(&mut defaults));
            if *value != default {
                *value = default;
                let line = self.place(key).map_or(0, |(line, _)| line);
                self.note(line, &key.to_uppercase(), "not used: MF 5.2 does not have this key");
            }
        }
    }

    /// Slips and angles of measurements with one sign only, for example from braking: the other sign gets the same
    /// range.
    fn one_sided(&mut self) {
        let c = &mut self.coefficients;
        let mut mirrored = Vec::new();
        for (names, least, most) in [
            (["kpumin", "kpumax"], &mut c.kpumin, &mut c.kpumax),
            (["alpmin", "alpmax"], &mut c.alpmin, &mut c.alpmax),
            (["cammin", "cammax"], &mut c.cammin, &mut c.cammax),
        ] {
            if *least < 0.0 && *most == 0.0 {
                *most = -*least;
                mirrored.push((names[1], *most));
            } else if *least == 0.0 && *most > 0.0 {
                *least = -*most;
                mirrored.push((names[0], *least));
            }
        }
        for (name, value) in mirrored {
            let line = self.place(name).map_or(0, |(line, _)| line);
            self.note(line, &name.to_uppercase(), format!("0: treated as {value}, from the range of the other sign"));
        }
    }

    /// Notes zeros that count as missing keys.
    fn zeros(&mut self) {
        let derived = |entry: &Entry| match entry.row.default {
            // An upper bound of 0 for the load is an error.
            MissingKey::Derived(text) if entry.valid && entry.name != "fzmax" => Some((entry.name, entry.found?, text)),
            _ => None,
        };
        let keys: Vec<(&'static str, (usize, usize), &'static str)> = self.entries.iter().filter_map(derived).collect();
        for (name, (line, _), text) in keys {
            if self.coefficients.field_mut(name).is_some_and(|value| *value == 0.0) {
                self.note(line, &name.to_uppercase(), format!("0 is treated as a missing key: {text}"));
            }
        }
    }

    /// Values of missing keys that depend on other keys.
    fn derive(&mut self) {
        let bounds_load = self.place("fzmax").is_some();
        let c = &mut self.coefficients;
        if c.inflpres == 0.0 {
            c.inflpres = c.nompres;
        }
        if c.nompres == 0.0 {
            c.nompres = c.inflpres;
        }
        if !bounds_load {
            c.fzmax = 3.0 * c.fnomin;
        }
        if c.presmax == 0.0 {
            c.presmax = f64::MAX;
        }
        for (size, share) in [(&mut c.pae, c.ellips_length), (&mut c.pbe, c.ellips_height)] {
            if *size == 0.0 {
                *size = share * c.unloaded_radius;
            }
        }
        let ratio = c.unloaded_radius / c.fnomin;
        if c.vertical_stiffness == 0.0 && c.fnomin > 0.0 && c.unloaded_radius > 0.0 {
            let table = slope_at_load(&self.deflection_load, c.fnomin);
            c.vertical_stiffness = table.unwrap_or((c.q_fz1 * c.q_fz1 + 4.0 * c.q_fz2).max(0.0).sqrt() / ratio);
        }
        if c.q_fz1 == 0.0 && c.vertical_stiffness * ratio > 0.0 {
            let square = (c.vertical_stiffness * ratio) * (c.vertical_stiffness * ratio) - 4.0 * c.q_fz2;
            c.q_fz1 = square.max(0.0).sqrt();
        }
    }

    /// Values that are impossible for a tyre.
    fn check(&mut self) {
        let c = self.coefficients;
        // Values that are missing, or unused unless positive.
        let optional = |value: f64| if value > 0.0 { value } else { f64::INFINITY };
        let positive = [
            ("unloaded_radius", c.unloaded_radius),
            ("fnomin", c.fnomin),
            ("longvl", c.longvl),
            ("lfzo", c.lfzo),
            ("pcx1", c.pcx1 * c.lcx),
            ("pdx1", c.pdx1 * c.lmux),
            ("pkx1", c.pkx1 * c.lkx),
            ("pcy1", c.pcy1 * c.lcy),
            ("pdy1", c.pdy1 * c.lmuy),
            ("pky2", c.pky2),
            ("nompres", optional(c.nompres)),
            ("longitudinal_stiffness", optional(c.longitudinal_stiffness)),
            ("lateral_stiffness", optional(c.lateral_stiffness)),
            ("pae", c.pae),
            ("pbe", c.pbe),
            ("ellips_length", c.ellips_length),
            ("ellips_height", c.ellips_height),
            ("ellips_shift", c.ellips_shift),
            ("ellips_max_step", c.ellips_max_step),
        ];
        for (name, value) in positive {
            let Some(place) = self.place(name).filter(|_| value < MIN_DIVISOR) else { continue };
            let key = name.to_uppercase();
            if value <= 0.0 {
                let found = "the value, with its scaling factor, is not positive";
                self.error(place, &key, found, "write a positive number");
            } else {
                let found = format!("{value:e}, with its scaling factor, is too small for a tyre");
                self.error(place, &key, found, format!("write a number of at least {MIN_DIVISOR:e} in SI units"));
            }
        }
        if let Some(place) = self.place("pky1").filter(|_| c.pky1 >= 0.0) {
            let expected = "write a negative number; the file must use the axes W of ISO 8855 (TYDEX W), not SAE axes";
            self.error(place, "PKY1", "the cornering stiffness is not negative", expected);
        }
        let convex = 1.0..=10.0;
        if let Some(place) = self.place("ellips_order").filter(|_| !convex.contains(&c.ellips_order)) {
            self.error(place, "ELLIPS_ORDER", format!("found {}", c.ellips_order), "write an exponent from 1 to 10");
        }
        if self.place("fnomin").is_some()
            && self.place("unloaded_radius").is_some()
            && !(c.vertical_stiffness >= MIN_DIVISOR)
        {
            let place = self.place("vertical_stiffness").unwrap_or((0, 0));
            let expected = "give VERTICAL_STIFFNESS (N/m), Q_FZ1 or a [DEFLECTION_LOAD_CURVE]";
            let found = match c.vertical_stiffness > 0.0 {
                true => "the vertical stiffness is too small for a tyre",
                false => "the file has no positive vertical stiffness",
            };
            self.error(place, "VERTICAL_STIFFNESS", found, expected);
        }
        let ranges = [
            ("kpumin", c.kpumin, "kpumax", c.kpumax),
            ("alpmin", c.alpmin, "alpmax", c.alpmax),
            ("cammin", c.cammin, "cammax", c.cammax),
            ("fzmin", c.fzmin, "fzmax", c.fzmax),
            ("presmin", c.presmin, "presmax", c.presmax),
        ];
        for (low, from, high, to) in ranges {
            let place = self.place(high).or(self.place(low));
            if let Some(place) = place.filter(|_| from >= to) {
                let key = high.to_uppercase();
                self.error(
                    place,
                    &key,
                    format!("the range from {from} to {to} is empty"),
                    "write a value above the lower bound",
                );
            }
        }
    }
}

/// The first characters of a text.
fn shortened(text: &str) -> String {
    const MAX_LISTED: usize = 30;
    if text.chars().count() <= MAX_LISTED {
        text.to_string()
    } else {
        text.chars().take(MAX_LISTED).collect::<String>() + "…"
    }
}

/// Adds a note if a slip stiffness falls to zero between the loads of the file.
fn note_of_stiffness(mut properties: Properties) -> Properties {
    let (law, c) = (Law::new(&properties, properties.side), &properties.coefficients);
    let most = c.fzmax.min(2.0 * c.fnomin);
    let loads = (1..=100).map(|part| 0.01 * most * f64::from(part)).filter(|load| *load >= 0.1 * c.fnomin);
    let grips: Vec<_> = loads.map(|load| (load, law.prepare(&law.straight_ahead(load)).grip().stiffness)).collect();
    for (k, key) in ["PKX1, PKX2, PKX3", "PKY1, PKY2, PKY4"].into_iter().enumerate() {
        if let Some((load, _)) = grips.iter().find(|(_, stiffness)| !(stiffness[k] > 0.0)) {
            let text =
                format!("slip stiffness is zero at a load of {load:.5e} N, below FZMAX: forces there are meaningless");
            properties.notes.insert(0, TyreNote { line: 0, key: key.to_string(), text });
        }
    }
    properties
}
