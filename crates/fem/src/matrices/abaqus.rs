//! Abaqus `*MATRIX OUTPUT`: MATRIX INPUT and LABELS (`node, direction, node, direction, value`), or COORDINATE (`row
//! column value`, which needs a map of the rows). Files of [`substructure`] are recognized.
//!
//! The first line shows the format. The entries show whether the file has one half or both halves.

use super::data_lines::Lines;
use super::dof_map::DofMap;
use super::substructure;
use super::triplets::{Entry, Storage, Triplets};
use ballesta::document::Diagnostic;

/// Reads a matrix; its labels extend `map` if it is not yet complete. `initial`: K, M or B for a file with several.
pub fn read(mut lines: Lines, initial: char, map: &mut DofMap) -> Result<Triplets, Diagnostic> {
    let file = lines.file().to_string();
    let mut entries = Vec::new();
    let mut labelled = None;
    while let Some(line) = lines.next()? {
        let text = line.text.trim();
        // Comments of Abaqus start with two asterisks.
        if text.is_empty() || text.starts_with("**") {
            continue;
        }
        if text.to_uppercase().split_whitespace().collect::<String>().starts_with("*USERELEMENT") {
            map.expect_labels(line.field(text))?;
            return substructure::read(lines, initial, map);
        }
        // Keywords and other formats are recognized for a helpful message.
        if text.starts_with('*') {
            let expected = "name the `.mtx` file written by *MATRIX OUTPUT or *SUBSTRUCTURE MATRIX OUTPUT";
            return Err(line.complain(0, format!("found the keyword line `{text}`"), expected));
        }
        if text.starts_with("%%") {
            return Err(line.complain(0, "this is a Matrix Market file", "write `format = \"matrix_market\"`"));
        }
        // The first line decides whether rows are numbers or labels of node and direction.
        let labels = *labelled.get_or_insert_with(|| line.words().count() != 3);
        let (row, column, value) = if labels {
            let form = "node, direction, node, direction, value` (MATRIX INPUT, LABELS) or `row column value";
            let [node, direction, other, other_direction, value] = line.exactly(form)?;
            map.expect_labels(node)?;
            (map.labelled(node, direction)?, map.labelled(other, other_direction)?, value)
        } else {
            let [row, column, value] = line.exactly("row column value")?;
            map.expect_numbers(row)?;
            (map.numbered(row, "the row")?, map.numbered(column, "the column")?, value)
        };
        entries.push(Entry { row, column, value: value.number()?, line: line.number });
    }
    // A truncated last line would give a wrong number.
    if entries.is_empty() {
        return Err(lines.at_end("the file has no entries", "export the matrix again"));
    }
    lines.expect_whole_last_line()?;
    Ok(Triplets { file, storage: Storage::Unknown, entries })
}
