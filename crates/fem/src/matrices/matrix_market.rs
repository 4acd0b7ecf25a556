//! Matrix Market: a header, comments, a size line, then entries (coordinate) or values by columns (array).
//!
//! Source: Boisvert, Pozo, Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.

use super::data_lines::{Field, Line, Lines};
use super::dof_map::DofMap;
use super::triplets::{Entry, Storage, Triplets};
use ballesta::document::Diagnostic;

const HEADER: &str = "write the first line `%%MatrixMarket matrix coordinate real symmetric`, with `array` for full \
                      matrices and `general` when both halves are given";

struct Header {
    array: bool,
    storage: Storage,
}

/// Reads a square real matrix with the rows of `map`.
pub fn read(lines: Lines, map: &DofMap) -> Result<Triplets, Diagnostic> {
    read_between(lines, map, map)
}

/// Reads a real matrix with the rows and columns of two maps.
pub fn read_between(mut lines: Lines, rows: &DofMap, map: &DofMap) -> Result<Triplets, Diagnostic> {
    // Format: https://math.nist.gov/MatrixMarket/formats.html. The header precedes comments and the size line.
    let header = match lines.next()? {
        Some(line) => header(line)?,
        None => return Err(lines.at_end("the file is empty", HEADER)),
    };
    // A rectangular matrix has different maps for rows and columns and cannot be symmetric.
    let square = std::ptr::eq(rows, map);
    let (size, columns, count) = loop {
        match lines.next()? {
            Some(line) if line.text.starts_with('%') || line.text.trim().is_empty() => {}
            Some(line) if !square && header.storage == Storage::Half => {
                let expected = "write `general`; rows and columns differ";
                return Err(line.complain(0, "the header declares this rectangular matrix symmetric", expected));
            }
            Some(line) => break size(line, &header, rows, map)?,
            None => return Err(lines.at_end("the file ends before its size line", "copy the file again")),
        }
    };
    // The size line is not trusted for the allocation: a damaged file may give any count.
    let file = lines.file().to_string();
    let mut entries = Vec::with_capacity(count.min(1 << 24));
    let mut places = array_places(size, columns, header.storage);
    let mut entries_read = 0;
    while let Some(line) = lines.next()? {
        if line.text.trim().is_empty() {
            continue;
        }
        entries_read += 1;
        if entries_read > count {
            let expected = format!("correct the size line ({count} entries), or remove the extra entries");
            return Err(line.complain(0, "more entries than the size line gives", expected));
        }
        // Array format lists values by column without indices; coordinate format has the indices of each entry.
        let (row, column, value) = if header.array {
            let [value] = line.exactly("value")?;
            let (row, column) = places.next().unwrap_or_default();
            (row, column, value.number()?)
        } else {
            let [row, column, value] = line.exactly("row column value")?;
            (rows.numbered(row, "the row")?, map.numbered(column, "the column")?, value.number()?)
        };
        // Zeros of a dense matrix would fill the sparse one.
        if value != 0.0 || !header.array {
            entries.push(Entry { row, column, value, line: line.number });
        }
    }
    // Fewer entries than announced mean a truncated file.
    if entries_read < count {
        let found = format!("truncated file: {entries_read} of {count} entries");
        return Err(lines.at_end(found, "copy the file again"));
    }
    Ok(Triplets { file, storage: header.storage, entries })
}

fn header(line: Line<'_>) -> Result<Header, Diagnostic> {
    // `%%MatrixMarket object format field symmetry`.
    let words: Vec<Field<'_>> = line.words().collect();
    let names: Vec<String> = words.iter().map(|word| word.text.to_ascii_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ["%%matrixmarket", object, form, numbers, symmetry] = names[..] else {
        return Err(line.complain(0, "not a Matrix Market header", HEADER));
    };
    let refuse = |word: usize, reason: &str| Err(words[word].complain(format!("found `{}`", words[word].text), reason));
    if object != "matrix" {
        return refuse(1, "write a matrix");
    }
    // Coordinate format is sparse, array format is dense.
    let array = match form {
        "coordinate" => false,
        "array" => true,
        _ => return refuse(2, "write `coordinate` or `array`"),
    };
    // Stiffness and mass are real; the imaginary part of a complex stiffness is structural damping.
    match numbers {
        "real" | "integer" | "double" => {}
        "pattern" => return refuse(3, "write the values; a pattern has none"),
        "complex" => {
            return refuse(3, "write the real part; the reduction adds structural damping (the imaginary part)");
        }
        _ => return refuse(3, "write `real` or `integer`"),
    }
    // Half storage has the lower triangle only.
    let storage = match symmetry {
        "general" => Storage::Full,
        "symmetric" => Storage::Half,
        "skew-symmetric" | "hermitian" => return refuse(4, "stiffness and mass must be symmetric and real"),
        _ => return refuse(4, "write `symmetric` or `general`"),
    };
    Ok(Header { array, storage })
}

/// Size of the matrix and number of values that follow.
fn size(line: Line<'_>, header: &Header, row_map: &DofMap, map: &DofMap) -> Result<(usize, usize, usize), Diagnostic> {
    // The size line has no entry count in array format.
    let (rows, columns, count) = if header.array {
        let [rows, columns] = line.exactly("rows columns")?;
        (rows, columns, None)
    } else {
        let [rows, columns, count] = line.exactly("rows columns entries")?;
        (rows, columns, Some(count.positive("the number of entries")?))
    };
    // Sizes must fit the degrees of freedom of rows and columns.
    let (n, m) = (rows.positive("the number of rows")?, columns.positive("the number of columns")?);
    let square = std::ptr::eq(row_map, map);
    if !square && (n, m) != (row_map.rows.len(), map.rows.len()) {
        let found = format!("found {n} rows and {m} columns");
        let expected = format!(
            "write one row for each of the {} rows of `{}`, and one column for each of the {} coordinates of the \
             matrices",
            row_map.rows.len(),
            row_map.file,
            map.rows.len()
        );
        return Err(rows.complain(found, expected));
    }
    if square && n != m {
        return Err(rows.complain(format!("found {n} rows and {m} columns"), "stiffness and mass must be square"));
    }
    if square {
        map.expect_numbers(rows)?;
    }
    if square && n != map.rows.len() {
        let found = format!("found {n} rows, but the DoF map `{}` has {}", map.file, map.rows.len());
        return Err(rows.complain(found, "give stiffness, mass and map of the same degrees of freedom"));
    }
    // A dense symmetric matrix has only its lower triangle.
    let dense = if header.storage == Storage::Half { n * (n + 1) / 2 } else { n * m };
    Ok((n, m, count.unwrap_or(dense)))
}

/// Positions of the values of an array: by columns, from the diagonal down if only the lower half is given.
fn array_places(size: usize, columns: usize, storage: Storage) -> impl Iterator<Item = (usize, usize)> {
    let top = move |column| if storage == Storage::Half { column } else { 0 };
    (0..columns).flat_map(move |column| (top(column)..size).map(move |row| (row, column)))
}
