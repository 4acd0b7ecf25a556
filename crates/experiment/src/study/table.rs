//! A design that was made elsewhere: a CSV file with a column per parameter or input, and a row per combination of their values.

use crate::inputs::{Complaints, cells};
use crate::words;
use ballesta::model::Diagnostics;

/// The columns of a design, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Names of parameters or inputs.
    pub names: Vec<String>,
    /// Values of each, in the units of the model; all as long, at least 1.
    pub values: Vec<Vec<f64>>,
}

/// Reads a text that is known as `file`; everything wrong with it is reported at once.
pub fn parse(text: &str, file: &str) -> Result<Columns, Diagnostics> {
    let mut complaints = Complaints { file, found: Vec::new() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((head, header)) = lines.next() else {
        complaints.add(
            0,
            0,
            "",
            "the file is empty",
            "expected a header with names of parameters or inputs, and rows of values",
        );
        return Err(complaints.finish());
    };
    let names: Vec<String> = cells(header).map(|cell| cell.text.to_string()).collect();
    for (index, cell) in cells(header).enumerate() {
        if cell.text.is_empty() {
            complaints.add(head, cell.column, "", "a column without a name", "expected one of a parameter or an input");
        } else if names[..index].iter().any(|other| other == cell.text) {
            let found = format!("column `{}` appears twice", cell.text);
            complaints.add(head, cell.column, cell.text, found, "expected one column per parameter or input");
        }
    }
    let mut values = vec![Vec::new(); names.len()];
    for (line, row) in lines {
        let count = cells(row).count();
        if count != names.len() {
            let found = format!("{} in this row", words::count(count, "value"));
            let expected = format!("expected {}, one per column of the header", names.len());
            complaints.add(line, 1, "", found, expected);
            continue;
        }
        for ((cell, name), values) in cells(row).zip(&names).zip(&mut values) {
            let value = cell.text.parse::<f64>().unwrap_or(f64::NAN);
            if !value.is_finite() {
                complaints.add(line, cell.column, name, format!("found `{}`", cell.text), "expected a finite number");
            }
            values.push(value);
        }
    }
    if complaints.found.is_empty() && values[0].is_empty() {
        complaints.add(head, 1, "", "no rows after the header", "expected at least one row of values");
    }
    match complaints.found.is_empty() {
        true => Ok(Columns { names, values }),
        false => Err(complaints.finish()),
    }
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
                "d.csv:1:5: error: a column without a name; expected one of a parameter or an input",
                "d.csv:2:5: error: found `nan`; expected a finite number",
                "d.csv:3:1: error: 2 values in this row; expected 3, one per column of the header",
            ]
        );
        assert_eq!(wrong("a\n"), ["d.csv:1:1: error: no rows after the header; expected at least one row of values"]);
        assert_eq!(wrong("").len(), 1);
    }
}
