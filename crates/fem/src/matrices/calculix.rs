//! CalculiX `*FREQUENCY, SOLVER=MATRIXSTORAGE`: lines `row column value` of the upper half, counted from 1.

use super::data_lines::Lines;
use super::dof_map::DofMap;
use super::triplets::{Entry, Storage, Triplets};
use ballesta::document::Diagnostic;

/// Reads a `.sti` or `.mas` file with the rows of `map`.
pub fn read(mut lines: Lines, map: &DofMap) -> Result<Triplets, Diagnostic> {
    let file = lines.file().to_string();
    let mut entries = Vec::new();
    while let Some(line) = lines.next()? {
        let [row, column, value] = line.exactly("row column value")?;
        map.expect_numbers(row)?;
        let (row, column) = (map.numbered(row, "the row")?, map.numbered(column, "the column")?);
        entries.push(Entry { row, column, value: value.number()?, line: line.number });
    }
    if entries.is_empty() {
        return Err(lines.at_end("the file has no entries", "export the matrix again"));
    }
    lines.expect_whole_last_line()?;
    Ok(Triplets { file, storage: Storage::Half, entries })
}
