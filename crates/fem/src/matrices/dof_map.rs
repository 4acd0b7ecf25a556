//! Degrees of freedom of matrix rows, from a separate map or from labels in the matrix files.

use super::data_lines::{Field, Lines, is_comment};
use crate::model::{DIRECTIONS, MODAL};
use ballesta::document::Diagnostic;
use std::collections::BTreeMap;

/// Format of a line of a map.
const LINES: &str =
    "write `row node direction` or `node.direction`; for modal coordinates `row modal number` or `modal.number`";

/// Largest distance of a numeric label from hundredths, relative to a hundredth: STABIL compares labels with 1e-4.
const LABEL_TOLERANCE: f64 = 1e-2;

/// Largest numeric label: up to this value, hundredths are exact in a number.
const MAX_LABEL: f64 = 1e12;

/// A row of the matrices: a direction of a node, and the line that defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRow {
    /// Number of the node, or of the modal coordinate.
    pub node: usize,
    /// Direction 0..6, or [`MODAL`].
    pub direction: usize,
    /// 1-based line of the map, or of the matrix that names the row first.
    pub line: usize,
}

/// The rows of both matrices.
pub struct DofMap {
    /// File of the map, or of the matrix whose labels make the map.
    pub file: String,
    /// In the order of the rows.
    pub rows: Vec<MapRow>,
    index: BTreeMap<(usize, usize), usize>,
    /// Whether the matrix files contain row labels.
    labelled: bool,
    /// Whether the map has all rows.
    complete: bool,
}

impl DofMap {
    /// An empty map, to be filled by the labels of the stiffness matrix in `file`.
    pub fn of_labels(file: String) -> Self {
        DofMap { file, rows: Vec::new(), index: BTreeMap::new(), labelled: true, complete: false }
    }

    /// Reads a map: a line for each row, `row node direction` (in any order) or `node.direction` (in the order of the
    /// rows); of modal coordinates `row modal number` or `modal.number`. Labels of STABIL and of the Structural
    /// Dynamics Toolbox are numbers with the direction in hundredths: 1.01 to 1.06. Empty lines, lines that begin with
    /// #, % or **, and headings before the first row (Ansys writes one) are skipped.
    ///
    /// # Errors
    /// Invalid lines, duplicate rows or degrees of freedom, missing rows, labels of both forms in one file.
    pub fn read(mut lines: Lines) -> Result<Self, Diagnostic> {
        // Rows can be given in any order, so they are sorted by number.
        let mut map = DofMap { labelled: false, complete: true, ..DofMap::of_labels(lines.file().to_string()) };
        let mut placed: BTreeMap<usize, MapRow> = BTreeMap::new();
        let mut forms: Option<(LabelForm, usize)> = None;
        while let Some(line) = lines.next()? {
            // A line is a comment, a heading, `row node direction` or a label without a row number.
            let words: Vec<Field<'_>> = line.words().collect();
            let (row, entry) = match words.as_slice() {
                _ if is_comment(line.text) => continue,
                heading if placed.is_empty() && heading.iter().all(|word| is_heading(word.text)) => continue,
                [row, node, direction] => (row.positive("the number of a row")? - 1, map_row(*node, *direction)?),
                [label] => {
                    // The label forms number directions differently, so one file must use one form.
                    let form = LabelForm::of(label.text);
                    let (first, line) = *forms.get_or_insert((form, line.number));
                    if first != form {
                        let found = format!("found `{}`, a different label form than in line {line}", label.text);
                        let expected = "write all labels in one form: 1.1 (direction after the point) or 1.01 \
                                        (direction in hundredths)";
                        return Err(label.complain(found, expected));
                    }
                    (placed.len(), form.read(*label)?)
                }
                _ => {
                    let found = format!("found {} fields", words.len());
                    return Err(line.complain(0, found, LINES));
                }
            };
            // Rows and degrees of freedom must correspond one to one.
            if let Some(first) = placed.insert(row, entry) {
                let found = format!("duplicate row {}, first in line {}", row + 1, first.line);
                return Err(words[0].complain(found, "give one line for each row of the matrices"));
            }
            if let Some(first) = map.index.insert((entry.node, entry.direction), row) {
                let found = format!("{} is also row {}", dof_name(&entry), first + 1);
                let expected = match entry.direction {
                    MODAL => "map each modal coordinate to one row of the matrices",
                    _ => {
                        "map each degree of freedom to one row of the matrices; CalculiX repeats the nodes of shells \
                         and beams, which it expands: use solid elements"
                    }
                };
                return Err(words[0].complain(found, expected));
            }
        }
        // Every row of the matrices must have a degree of freedom.
        let missing = (0..placed.len()).zip(placed.keys()).find(|(expected, row)| expected != *row);
        if let Some((row, _)) = missing {
            return Err(lines.at_end(format!("row {} is missing", row + 1), "map every row of the matrices"));
        }
        if placed.is_empty() {
            return Err(lines.at_end("the file maps no rows", LINES));
        }
        map.rows = placed.into_values().collect();
        Ok(map)
    }

    /// Whether a row is a modal coordinate.
    pub fn has_modal(&self) -> bool {
        self.rows.iter().any(|row| row.direction == MODAL)
    }

    /// Closes the map: labels then refer to existing rows only.
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Row for a row number in a matrix file.
    ///
    /// # Errors
    /// The number is not in the map.
    pub fn numbered(&self, field: Field<'_>, what: &str) -> Result<usize, Diagnostic> {
        let number = field.positive(what)?;
        if number > self.rows.len() {
            let found = format!("{number} is not in the DoF map `{}`, which has {} rows", self.file, self.rows.len());
            return Err(field.complain(found, "give the complete map of these matrices"));
        }
        Ok(number - 1)
    }

    /// Row for a degree of freedom in a matrix file; direction 0 is a scalar point, which is a modal coordinate.
    ///
    /// # Errors
    /// No such degree of freedom, in a matrix after the first.
    pub fn labelled(&mut self, node: Field<'_>, direction: Field<'_>) -> Result<usize, Diagnostic> {
        let number = if direction.text == "0" { MODAL } else { direction.direction()? };
        let entry = MapRow { node: node.node()?, direction: number, line: node.line.number };
        let expected = "export stiffness and mass for the same degrees of freedom, in one run";
        self.row(entry).map_err(|found| node.complain(found, expected))
    }

    /// Row for a degree of freedom, which extends the map until it is complete.
    ///
    /// # Errors
    /// No such degree of freedom, in a matrix after the first: the fault.
    pub fn row(&mut self, entry: MapRow) -> Result<usize, String> {
        let new = self.rows.len();
        match self.index.get(&(entry.node, entry.direction)) {
            Some(row) => Ok(*row),
            None if self.complete => {
                Err(format!("{} is not in the stiffness matrix `{}`", dof_name(&entry), self.file))
            }
            None => {
                self.index.insert((entry.node, entry.direction), new);
                self.rows.push(entry);
                Ok(new)
            }
        }
    }

    /// Rejects a matrix with numbered rows if there is no map.
    pub fn expect_numbers(&self, at: Field<'_>) -> Result<(), Diagnostic> {
        if !self.labelled {
            return Ok(());
        }
        let found = "the rows of this matrix are numbered, without node and direction";
        Err(at.complain(found, "give the map of degrees of freedom with the key `dof_map`"))
    }

    /// Rejects a map for matrices with labelled rows.
    pub fn expect_labels(&self, at: Field<'_>) -> Result<(), Diagnostic> {
        if self.labelled {
            return Ok(());
        }
        Err(at.complain("this matrix already contains nodes and directions", "remove the key `dof_map`"))
    }

    /// Name of a row's degree of freedom for messages.
    pub fn label(&self, row: &MapRow) -> String {
        dof_name(row)
    }

    /// Name of a row for messages.
    pub fn name(&self, row: usize) -> String {
        let name = dof_name(&self.rows[row]);
        if self.labelled { name } else { format!("row {} ({name})", row + 1) }
    }
}

/// Forms of a one-word label of node and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelForm {
    /// `1.1`, `1.x`, `modal.3`: the direction follows the point.
    Text,
    /// `1.01`: a number, the direction in hundredths (STABIL, Structural Dynamics Toolbox), in any notation of numbers:
    /// `1.0100`, `1.01e+00`, `1.0600000000000001`.
    Number,
}

impl LabelForm {
    fn of(label: &str) -> Self {
        let mantissa = label.split(['e', 'E', 'd', 'D']).next().unwrap_or_default();
        let fraction = mantissa.split_once('.').map_or("", |(_, fraction)| fraction);
        // Directions have one digit as text: two or more are the hundredths of a number.
        let is_number = label.bytes().all(|byte| byte.is_ascii_digit() || b"+-.dDeE".contains(&byte));
        match is_number && (fraction.starts_with('0') || fraction.len() > 2 || mantissa != label) {
            true => LabelForm::Number,
            false => LabelForm::Text,
        }
    }

    /// Row for a label.
    ///
    /// # Errors
    /// The label has no node or no direction.
    fn read(self, label: Field<'_>) -> Result<MapRow, Diagnostic> {
        if self == LabelForm::Text {
            // As text: as a number, 1.10 would be ambiguous.
            let (node, direction) = label.text.split_once('.').ok_or_else(|| {
                let expected = "write the label as `node.direction`; numbers like 1000.01 need two decimals, `%.2f`";
                label.complain(format!("found `{}`", label.text), expected)
            })?;
            return map_row(label.line.field(node), label.line.field(direction));
        }
        let number = label.number()?;
        let hundredths = (number * 100.0).round();
        let expected = "write node.0direction, 1.01 to 1.06 for x, y, z, rx, ry, rz of node 1";
        if !(100.0..100.0 * MAX_LABEL).contains(&hundredths) || (number * 100.0 - hundredths).abs() > LABEL_TOLERANCE {
            return Err(label.complain(format!("found `{}`", label.text), expected));
        }
        // Both are whole and below 2^53.
        let hundredths = hundredths as usize;
        match (hundredths / 100, hundredths % 100) {
            (node, direction @ 1..=6) => Ok(MapRow { node, direction: direction - 1, line: label.line.number }),
            (node, 0) => {
                Err(label.complain(format!("`{}` names node {node} without a direction", label.text), expected))
            }
            (_, direction) => {
                let found = format!("found the direction {direction:02} in `{}`", label.text);
                Err(label.complain(found, format!("{expected}; a flexible body has no other directions")))
            }
        }
    }
}

/// Row for two fields: node and direction, or `modal` and a number.
fn map_row(node: Field<'_>, direction: Field<'_>) -> Result<MapRow, Diagnostic> {
    let line = node.line.number;
    match node.text.eq_ignore_ascii_case("modal") {
        true => Ok(MapRow { node: direction.positive("the number of a modal coordinate")?, direction: MODAL, line }),
        false => Ok(MapRow { node: node.node()?, direction: direction.direction()?, line }),
    }
}

/// A word of letters: every row has a digit.
fn is_heading(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !word.chars().any(|c| c.is_ascii_digit())
}

fn dof_name(row: &MapRow) -> String {
    if row.direction == MODAL {
        return format!("modal coordinate {}", row.node);
    }
    format!("node {}, direction {}", row.node, DIRECTIONS[row.direction])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes and directions of a map, or the first line of the error.
    fn read(text: &str) -> Result<Vec<(usize, usize)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("map");
        std::fs::write(&path, text).expect("writable");
        let map = DofMap::read(Lines::open(&path).expect("readable")).map_err(|wrong| {
            let Diagnostic { line, column, found, expected, .. } = wrong;
            format!("{line}:{column}: {found}; {expected}")
        })?;
        Ok(map.rows.iter().map(|row| (row.node, row.direction)).collect())
    }

    #[test]
    fn labels_with_the_direction_in_hundredths_are_numbers() {
        let plane = read("1.x\n1.y\n1.rz\n12.1\n12.6\n").expect("text");
        assert_eq!(plane, [(1, 0), (1, 1), (1, 5), (12, 0), (12, 5)]);
        // Labels printed by STABIL, by MATLAB's `save -ascii` and with `%.17g`, with a heading.
        for map in [
            "1.01\n1.02\n1.06\n12.01\n12.06\n",
            "   1.0100000e+00\n   1.0200000e+00\n   1.0600000e+00\n   1.2010000e+01\n   1.2060000e+01\n",
            "% DOF\nDOF\n1.01\n1.02\n1.0600000000000001\n12.01\n12.059999999999999\n",
            "1.0100 \n1.0200 \n1.0600 \n12.0100 \n12.0600\n",
        ] {
            assert_eq!(read(map).as_ref(), Ok(&plane), "{map}");
        }
        assert_eq!(read("9999999.06\n"), Ok(vec![(9_999_999, 5)]));
    }

    #[test]
    fn labels_without_a_usable_direction_are_refused_with_the_place() {
        for (map, place, word) in [
            ("1.01\n1.07\n", "2:1: found the direction 07 in `1.07`", "1.01 to 1.06"),
            ("1.00\n", "1:1: `1.00` names node 1 without a direction", "1.01 to 1.06"),
            ("0.03\n", "1:1: found `0.03`", "1.01 to 1.06"),
            ("1.015\n", "1:1: found `1.015`", "1.01 to 1.06"),
            ("-1.01\n", "1:1: found `-1.01`", "1.01 to 1.06"),
            ("1000\n", "1:1: found `1000`", "%.2f"),
            ("1.1\n1.02\n", "2:1: found `1.02`, a different label form than in line 1", "one form"),
            ("1.01\n  1.2\n", "2:3: found `1.2`, a different label form than in line 1", "one form"),
            ("1.01\n1.0100\n", "2:1: node 1, direction x is also row 1", "one row"),
            ("1.10\n", "1:3: found the direction `10`", "1 to 6"),
        ] {
            let complaint = read(map).expect_err(map);
            assert!(complaint.starts_with(place) && complaint.contains(word), "{map}: {complaint}");
        }
    }
}
