//! Where the tables of the rows of the tree are in the files of the model.

use ballesta::model::Source;
use ballesta_pictures::page::items::Item;
use serde::Serialize;

/// The table of a row of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Path of the table in the model, like `joint[3]`.
    pub k: String,
    /// Name of the item.
    pub n: String,
    /// Heading of the row.
    pub group: usize,
    /// Index of the row.
    pub item: usize,
    /// File that contains the table.
    pub file: String,
    /// First line of the table, from 1.
    pub line: usize,
    /// Column of the table in characters, from 1.
    pub column: usize,
}

/// The tables of all rows, sorted by file and line. A subassembly that is used several times gives several rows with
/// one position.
pub fn outline(source: &Source, items: &[Item]) -> Vec<Row> {
    let row = |(item, of): (usize, &Item)| {
        let (file, line, column) = source.place(&of.key)?;
        Some(Row { k: of.key.clone(), n: of.n.clone(), group: of.g, item, file: file.to_string(), line, column })
    };
    let mut rows: Vec<Row> = items.iter().enumerate().filter_map(row).collect();
    rows.sort_by(|a, b| (&a.file, a.line, a.item).cmp(&(&b.file, b.line, b.item)));
    rows
}
