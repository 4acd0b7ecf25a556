//! What the rows of matrices move: a map beside them, or the labels in the matrix files themselves.

use super::text::{Field, Lines, is_comment};
use crate::model::{DIRECTIONS, MODAL};
use ballesta::document::Diagnostic;
use std::collections::BTreeMap;

/// What a line of a map is.
const LINES: &str = "write `row node direction` or `node.direction`, of modal coordinates `row modal number` or \
                     `modal.number`";

/// A row of the matrices: a direction of a node, and the line that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRow {
    /// Number of the node, or of the modal coordinate.
    pub node: usize,
    /// 0..6, or [`MODAL`].
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
    /// Whether the matrix files name the rows themselves.
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
    /// rows); of modal coordinates `row modal number` or `modal.number`. Empty lines, lines that begin with #, % or
    /// **, and headings before the first row (Ansys writes one) are skipped.
    ///
    /// # Errors
    /// What is not such a line, a row or a degree of freedom that comes twice, rows that are left out.
    pub fn read(mut lines: Lines) -> Result<Self, Diagnostic> {
        let mut map = DofMap { labelled: false, complete: true, ..DofMap::of_labels(lines.file().to_string()) };
        let mut placed: BTreeMap<usize, MapRow> = BTreeMap::new();
        while let Some(line) = lines.next()? {
            let words: Vec<Field<'_>> = line.words().collect();
            let (row, node, direction) = match words.as_slice() {
                _ if is_comment(line.text) => continue,
                heading if placed.is_empty() && heading.iter().all(|word| is_heading(word.text)) => continue,
                [row, node, direction] => (row.positive("the number of a row")? - 1, *node, *direction),
                [label] => {
                    // As text: 1.10 would be another node's direction 1 if it were a number.
                    let (node, direction) = label.text.split_once('.').ok_or_else(|| {
                        label.complain(format!("found `{}`", label.text), "write the label as `node.direction`")
                    })?;
                    (placed.len(), line.field(node), line.field(direction))
                }
                _ => {
                    let found = format!("found {} fields", words.len());
                    return Err(line.complain(0, found, LINES));
                }
            };
            let entry = match node.text.eq_ignore_ascii_case("modal") {
                true => {
                    let node = direction.positive("the number of a modal coordinate")?;
                    MapRow { node, direction: MODAL, line: line.number }
                }
                false => MapRow { node: node.node()?, direction: direction.direction()?, line: line.number },
            };
            if let Some(first) = placed.insert(row, entry) {
                let found = format!("row {} comes twice, first in line {}", row + 1, first.line);
                return Err(words[0].complain(found, "each row of the matrices has one line"));
            }
            if let Some(first) = map.index.insert((entry.node, entry.direction), row) {
                let found = format!("{} is also row {}", dof_name(&entry), first + 1);
                return Err(words[0].complain(found, "each degree of freedom is one row of the matrices"));
            }
        }
        let missing = (0..placed.len()).zip(placed.keys()).find(|(expected, row)| expected != *row);
        if let Some((row, _)) = missing {
            return Err(lines.at_end(format!("row {} is missing", row + 1), "map every row of the matrices"));
        }
        if placed.is_empty() {
            return Err(lines.at_end("the file maps no row", LINES));
        }
        map.rows = placed.into_values().collect();
        Ok(map)
    }

    /// Whether a row is a modal coordinate.
    pub fn has_modal(&self) -> bool {
        self.rows.iter().any(|row| row.direction == MODAL)
    }

    /// From now on, labels name rows that are there, and no new ones.
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Row of a row number in a matrix file.
    ///
    /// # Errors
    /// The number is not in the map.
    pub fn numbered(&self, field: Field<'_>, what: &str) -> Result<usize, Diagnostic> {
        let number = field.positive(what)?;
        if number > self.rows.len() {
            let found = format!("{number} is not in the DoF map `{}`, which has {} rows", self.file, self.rows.len());
            return Err(field.complain(found, "the map belongs to other matrices, or is incomplete"));
        }
        Ok(number - 1)
    }

    /// Row of a degree of freedom that a matrix file names; direction 0 is a scalar point, a modal coordinate.
    ///
    /// # Errors
    /// No such degree of freedom, in a matrix after the first.
    pub fn labelled(&mut self, node: Field<'_>, direction: Field<'_>) -> Result<usize, Diagnostic> {
        let number = if direction.text == "0" { MODAL } else { direction.direction()? };
        let entry = MapRow { node: node.node()?, direction: number, line: node.line.number };
        let new = self.rows.len();
        match self.index.get(&(entry.node, entry.direction)) {
            Some(row) => Ok(*row),
            None if self.complete => {
                let found = format!("{} is not in the stiffness matrix `{}`", dof_name(&entry), self.file);
                Err(node.complain(found, "write stiffness and mass for the same degrees of freedom, from one run"))
            }
            None => {
                self.index.insert((entry.node, entry.direction), new);
                self.rows.push(entry);
                Ok(new)
            }
        }
    }

    /// Refuses a matrix whose rows are numbered without a map.
    pub fn expect_numbers(&self, at: Field<'_>) -> Result<(), Diagnostic> {
        if !self.labelled {
            return Ok(());
        }
        let found = "the rows of this matrix have numbers, which do not say what they move";
        Err(at.complain(found, "name the map of degrees of freedom by the key `dof_map`"))
    }

    /// Refuses a map beside matrices that name their rows.
    pub fn expect_labels(&self, at: Field<'_>) -> Result<(), Diagnostic> {
        if self.labelled {
            return Ok(());
        }
        Err(at.complain("this matrix names nodes and directions itself", "leave out the key `dof_map`"))
    }

    /// How a message names what a row moves.
    pub fn label(&self, row: &MapRow) -> String {
        dof_name(row)
    }

    /// How a message names a row.
    pub fn name(&self, row: usize) -> String {
        let name = dof_name(&self.rows[row]);
        if self.labelled { name } else { format!("row {} ({name})", row + 1) }
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
