//! A design from another program: a CSV file with one column per parameter or input and one row per combination of
//! values.

use ballesta::model::Diagnostics;
use ballesta_files::numbers::Numbers;
use std::collections::BTreeSet;

/// The columns of a design, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Names of parameters or inputs.
    pub names: Vec<String>,
    /// Values of each name, in the units of the model; equal lengths, at least 1.
    pub values: Vec<Vec<f64>>,
}

/// Reads a text and reports all faults at once; `file` is the name for diagnostics.
pub fn parse(text: &str, file: &str) -> Result<Columns, Diagnostics> {
    let expected = "expected a header with names of parameters or inputs, and rows of values";
    let mut table = Numbers::new(text, file, expected)?;
    let Numbers { line, names, complaints, .. } = &mut table;
    let mut seen = BTreeSet::new();
    for cell in names.iter() {
        let mut complain = |found: String, right| complaints.add(*line, cell.column, cell.text, found, right);
        if cell.text.is_empty() {
            complain("a column without a name".into(), "expected the name of a parameter or input");
        } else if !seen.insert(cell.text) {
            complain(format!("column `{}` appears twice", cell.text), "expected one column per parameter or input");
        }
    }
    let names: Vec<String> = names.iter().map(|cell| cell.text.to_string()).collect();
    table.expect_base_units();
    let mut values = vec![Vec::new(); names.len()];
    while let Some(row) = table.row() {
        values.iter_mut().zip(row.values).for_each(|(column, value)| column.push(value));
    }
    if table.complaints.found.0.is_empty() && values[0].is_empty() {
        table.without_rows();
    }
    table.complaints.finish(Columns { names, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_is_read_by_columns() {
        let columns = parse("\u{feff}a, \"b[1,2]\"\n1,2\n\n3,-4e-1\r\n", "d.csv").unwrap();
        assert_eq!(columns.names, ["a", "b[1,2]"]);
        assert_eq!(columns.values, [vec![1.0, 3.0], vec![2.0, -0.4]]);
    }

    #[test]
    fn every_wrong_place_is_reported() {
        let wrong =
            |text: &str| parse(text, "d.csv").unwrap_err().0.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            wrong("a,a,\n1,2,nan\n1,2\n"),
            [
                "d.csv:1:3: error: a: column `a` appears twice; expected one column per parameter or input",
                "d.csv:1:5: error: a column without a name; expected the name of a parameter or input",
                "d.csv:2:5: error: found `nan`; expected a finite number",
                "d.csv:3:3: error: 2 values in this row; expected 3, one per column of the header",
            ]
        );
        assert_eq!(
            wrong("a [m];b [mm]\n1;2\n"),
            ["d.csv:1:9: error: b: found the unit `mm`; expected the unit of the model, without a prefix"]
        );
        assert_eq!(wrong("a\n"), ["d.csv:1:1: error: no rows after the header; expected at least one row of values"]);
        assert_eq!(wrong("").len(), 1);
    }
}
