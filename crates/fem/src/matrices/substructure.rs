//! Substructures of Abaqus and CalculiX, `*SUBSTRUCTURE MATRIX OUTPUT`: an element of the user with its matrices.
//!
//! ```text
//! *USER ELEMENT, NODES=2, LINEAR
//! ** ELEMENT NODES
//! ** 17, 42
//! 1, 2, 3, 4, 5, 6              directions of the first node, and of the next ones
//! 2, 1, 2, 3                    from the second node on: other directions
//! *MATRIX, TYPE=STIFFNESS
//! ...                           the lower triangle by rows
//! ```
//!
//! Nodes with labels below 1 and directions above 6 are generalized coordinates: modal coordinates in their order.

use super::data_lines::{Line, Lines};
use super::dof_map::{DofMap, MapRow};
use super::triplets::{Entry, Storage, Triplets};
use crate::model::MODAL;
use ballesta::document::Diagnostic;

/// The lines before the first matrix.
#[derive(Default)]
struct Head {
    /// Labels of the nodes, each with its line.
    nodes: Vec<(i64, usize)>,
    /// Directions from a node on, counted from 1.
    directions: Vec<(usize, Vec<usize>)>,
}

/// Reads the matrix whose type begins with `initial` (stiffness K, mass M, damping B), after the line `*USER ELEMENT`.
pub fn read(mut lines: Lines, initial: char, map: &mut DofMap) -> Result<Triplets, Diagnostic> {
    let file = lines.file().to_string();
    let wanted = match initial {
        'K' => "STIFFNESS",
        'M' => "MASS",
        _ => "DAMPING",
    };
    let (mut head, mut in_nodes, mut kinds) = (Head::default(), false, Vec::new());
    let mut values: Vec<(f64, usize)> = Vec::new();
    while let Some(line) = lines.next()? {
        let text = line.text.trim();
        if let Some(comment) = text.strip_prefix("**") {
            let numbers: Option<Vec<i64>> = words(comment).map(|word| word.parse().ok()).collect();
            match numbers.filter(|numbers| in_nodes && !numbers.is_empty()) {
                Some(numbers) => head.nodes.extend(numbers.into_iter().map(|node| (node, line.number))),
                None => in_nodes = comment.to_uppercase().contains("ELEMENT NODES"),
            }
            continue;
        }
        in_nodes = false;
        if text.starts_with('*') {
            let keyword: String = text.to_uppercase().split_whitespace().collect();
            if keyword.starts_with("*USERELEMENT") {
                let expected = "write one substructure per file";
                return Err(line.complain(0, "a second *USER ELEMENT", expected));
            }
            if keyword.starts_with("*MATRIX") {
                let kind = keyword.split("TYPE=").nth(1).unwrap_or_default();
                kinds.push(kind.split(',').next().unwrap_or_default().to_string());
            }
            continue;
        }
        match kinds.last() {
            None if !text.is_empty() => head.directions(line)?,
            Some(kind) if kind.contains(wanted) => {
                for word in line.words() {
                    values.push((word.number()?, line.number));
                }
            }
            _ => {}
        }
    }
    if !kinds.iter().any(|kind| kind.contains(wanted)) {
        let found = format!("the file has no *MATRIX, TYPE={wanted}; it has {}", kinds.join(", "));
        let expected =
            "write stiffness and mass (`STIFFNESS=YES, MASS=YES`); CalculiX writes no mass of a substructure";
        return Err(lines.at_end(found, expected));
    }
    lines.expect_whole_last_line()?;
    let rows = head.rows(&lines, map)?;
    let count = rows.len() * (rows.len() + 1) / 2;
    if values.len() != count {
        let found = format!("{} numbers of TYPE={wanted} for {} directions", values.len(), rows.len());
        return Err(lines.at_end(found, format!("expected {count}, the lower triangle; copy the file again")));
    }
    let places = (0..rows.len()).flat_map(|row| (0..=row).map(move |column| (row, column)));
    let entries = places
        .zip(values)
        .filter(|(_, (value, _))| *value != 0.0)
        .map(|((row, column), (value, line))| Entry { row: rows[row], column: rows[column], value, line });
    Ok(Triplets { file, storage: Storage::Half, entries: entries.collect() })
}

/// Parts between blanks and commas.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty())
}

impl Head {
    /// A line of directions: of the first node, then with the number of the node from which they apply.
    fn directions(&mut self, line: Line<'_>) -> Result<(), Diagnostic> {
        let mut numbers = Vec::new();
        for word in line.words() {
            numbers.push(word.positive("the number of a node or direction")?);
        }
        let from = if self.directions.is_empty() { 1 } else { numbers.remove(0) };
        self.directions.push((from, numbers));
        Ok(())
    }

    /// The row of the map for each row of the matrices.
    fn rows(&self, lines: &Lines, map: &mut DofMap) -> Result<Vec<usize>, Diagnostic> {
        let (mut rows, mut modal) = (Vec::new(), 0);
        for (position, (label, line)) in (1..).zip(&self.nodes) {
            let of = self.directions.iter().rev().find(|(from, _)| *from <= position);
            for direction in of.map(|(_, directions)| directions).into_iter().flatten() {
                let is_modal = *label < 1 || *direction > 6;
                modal += usize::from(is_modal);
                let entry = match is_modal {
                    true => MapRow { node: modal, direction: MODAL, line: *line },
                    false => MapRow { node: label.unsigned_abs() as usize, direction: direction - 1, line: *line },
                };
                rows.push(map.row(entry).map_err(|found| {
                    let expected = "write stiffness and mass of the same substructure";
                    super::data_lines::complaint(lines.file(), (*line, 1), found, expected)
                })?);
            }
        }
        if rows.is_empty() {
            let expected = "write the file by *SUBSTRUCTURE MATRIX OUTPUT, with the comment ** ELEMENT NODES";
            return Err(lines.at_end("the file names no nodes and directions", expected));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "** a substructure\n*USER ELEMENT,NODES=   3,LINEAR\n** ELEMENT NODES\n**  17, 42,\n** -1\n1, 2\n2, 6\n3, 1\n\
                        *MATRIX,TYPE=STIFFNESS\n 4.0,\n 1.0, 5.0,\n 0.0, 2.0D0, 6.0,\n 0.0, 0.0, 0.0, 9.0,\n\
                        *MATRIX, TYPE=MASS\n 1.0\n 0.5, 1.0\n 0.0, 0.0, 1.0\n 0.0, 0.0, 0.0,\n 1.0\n";

    fn read_text(text: &str, initial: char, map: &mut DofMap) -> Result<Triplets, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("z1.mtx");
        std::fs::write(&path, text).expect("writable");
        let read = super::super::abaqus::read(Lines::open(&path).expect("readable"), initial, map);
        read.map_err(|wrong| format!("{}: {}; {}", wrong.line, wrong.found, wrong.expected))
    }

    #[test]
    fn both_matrices_of_a_substructure_have_the_same_rows() {
        let mut map = DofMap::of_labels("z1.mtx".into());
        let stiffness = read_text(TEXT, 'K', &mut map).expect("a stiffness");
        map.complete();
        let rows: Vec<(usize, usize)> = map.rows.iter().map(|row| (row.node, row.direction)).collect();
        assert_eq!(rows, [(17, 0), (17, 1), (42, 5), (1, MODAL)]);
        let of = |matrix: &Triplets| matrix.entries.iter().map(|e| (e.row, e.column, e.value)).collect::<Vec<_>>();
        assert_eq!(of(&stiffness), [(0, 0, 4.0), (1, 0, 1.0), (1, 1, 5.0), (2, 1, 2.0), (2, 2, 6.0), (3, 3, 9.0)]);
        let mass = read_text(TEXT, 'M', &mut map).expect("a mass");
        assert_eq!(of(&mass), [(0, 0, 1.0), (1, 0, 0.5), (1, 1, 1.0), (2, 2, 1.0), (3, 3, 1.0)]);
        assert_eq!(mass.entries[4].line, 19);
    }

    #[test]
    fn incomplete_substructures_are_explained() {
        let wrong = |text: &str, initial: char| {
            read_text(text, initial, &mut DofMap::of_labels("z1.mtx".into())).expect_err(text)
        };
        assert!(wrong(TEXT, 'B').contains("no *MATRIX, TYPE=DAMPING; it has STIFFNESS, MASS"));
        assert!(wrong(&TEXT.replace("** ELEMENT NODES", "** NODES"), 'K').contains("no nodes and directions"));
        assert!(
            wrong(&TEXT.replace(" 9.0,", ""), 'K')
                .contains("9 numbers of TYPE=STIFFNESS for 4 directions; expected 10")
        );
        assert!(wrong(&TEXT.replace("2, 6\n", "2, x\n"), 'K').starts_with("7: found `x`"));
        let twice = TEXT.replace("*MATRIX, TYPE=MASS", "*USER ELEMENT, NODES=1");
        assert!(wrong(&twice, 'K').contains("second *USER ELEMENT"));
    }
}
