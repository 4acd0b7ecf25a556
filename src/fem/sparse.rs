//! Sparse matrices of structures: symmetric ones by columns (both halves stored), and rectangular ones by rows.
//!
//! Duplicates are summed in a fixed order, so that the same input gives the same bits.

use faer::{Mat, MatRef};

/// Vectors that are multiplied at once.
const BLOCK: usize = 4;

/// A symmetric n × n matrix in compressed columns; both halves are stored, rows ascend within a column.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseSymmetric {
    size: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

/// A rectangular matrix in compressed rows, columns ascending within a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl SparseSymmetric {
    /// From entries (row, column, value) of the lower or upper half, in any order; duplicates add up. An entry off the diagonal
    /// stands for both halves.
    pub fn from_half(size: usize, entries: &[(usize, usize, f64)]) -> Self {
        let mut counts = vec![0; size + 1];
        for (row, column, _) in entries {
            counts[column + 1] += 1;
            if row != column {
                counts[row + 1] += 1;
            }
        }
        for i in 0..size {
            counts[i + 1] += counts[i];
        }
        let mut next = counts.clone();
        let mut unsorted = vec![(0, 0.0); counts[size]];
        let mut put = |row: usize, column: usize, value: f64| {
            unsorted[next[column]] = (row, value);
            next[column] += 1;
        };
        for (row, column, value) in entries {
            put(*row, *column, *value);
            if row != column {
                put(*column, *row, *value);
            }
        }
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in 0..size {
            let entries = &mut unsorted[counts[column]..counts[column + 1]];
            // The sort is stable: duplicates are summed in the order in which they came.
            entries.sort_by_key(|(row, _)| *row);
            let first = rows.len();
            for (row, value) in entries.iter() {
                if rows.len() > first && rows.last() == Some(row) {
                    *values.last_mut().expect("a row was pushed before") += value;
                } else {
                    rows.push(*row);
                    values.push(*value);
                }
            }
            starts.push(rows.len());
        }
        SparseSymmetric { size, starts, rows, values }
    }

    /// n.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of stored entries, both halves.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// (row, value) of a column, rows ascending.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Compressed-column arrays: starts (n + 1), rows, values.
    pub fn compressed(&self) -> (&[usize], &[usize], &[f64]) {
        (&self.starts, &self.rows, &self.values)
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let at = |i: usize| self.column(i).find(|(row, _)| *row == i).map_or(0.0, |(_, value)| value);
        (0..self.size).map(at).collect()
    }

    /// Largest absolute entry.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |most, value| most.max(value.abs()))
    }

    /// A·x for a block of vectors, n × k.
    pub fn multiply(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let mut y = Mat::zeros(self.size, x.ncols());
        let mut first = 0;
        while first < x.ncols() {
            let width = (x.ncols() - first).min(BLOCK);
            // The vectors of a block lie side by side, so that the matrix is read once for all of them.
            let mut beside = vec![[0.0; BLOCK]; self.size];
            for k in 0..width {
                beside.iter_mut().zip(x.col(first + k).iter()).for_each(|(at, value)| at[k] = *value);
            }
            for i in 0..self.size {
                // By symmetry, column i is row i.
                let mut sum = [0.0; BLOCK];
                for (j, value) in self.column(i) {
                    (0..BLOCK).for_each(|k| sum[k] += value * beside[j][k]);
                }
                (0..width).for_each(|k| y[(i, first + k)] = sum[k]);
            }
            first += width;
        }
        y
    }

    /// The rows and columns `kept`, in that order, as a symmetric matrix.
    pub fn principal(&self, kept: &[usize]) -> SparseSymmetric {
        let mut place = vec![usize::MAX; self.size];
        for (new, old) in kept.iter().enumerate() {
            place[*old] = new;
        }
        let mut entries = Vec::new();
        for (new, old) in kept.iter().enumerate() {
            entries
                .extend(self.column(*old).filter(|(row, _)| place[*row] <= new).map(|(row, v)| (place[row], new, v)));
        }
        SparseSymmetric::from_half(kept.len(), &entries)
    }

    /// The block of rows `rows` and columns `columns`, dense.
    pub fn block(&self, rows: &[usize], columns: &[usize]) -> Mat<f64> {
        let mut place = vec![usize::MAX; self.size];
        for (new, old) in rows.iter().enumerate() {
            place[*old] = new;
        }
        let mut block = Mat::zeros(rows.len(), columns.len());
        for (new, old) in columns.iter().enumerate() {
            for (row, value) in self.column(*old).filter(|(row, _)| place[*row] != usize::MAX) {
                block[(place[row], new)] = value;
            }
        }
        block
    }

    /// `self + factor · other`.
    pub fn plus(&self, factor: f64, other: &SparseSymmetric) -> SparseSymmetric {
        let upper = |matrix: &SparseSymmetric, factor: f64| {
            let columns = (0..matrix.size).flat_map(|j| matrix.column(j).map(move |(i, value)| (i, j, value)));
            columns.filter(|(i, j, _)| i <= j).map(|(i, j, value)| (i, j, factor * value)).collect::<Vec<_>>()
        };
        let mut entries = upper(self, 1.0);
        entries.extend(upper(other, factor));
        SparseSymmetric::from_half(self.size, &entries)
    }

    /// Tᵀ·A·T, where row i of `t` says what degree of freedom i is in terms of others.
    pub fn congruence(&self, t: &SparseRows) -> SparseSymmetric {
        let mut entries = Vec::new();
        for j in 0..self.size {
            for (i, value) in self.column(j) {
                for (q, right) in t.row(j) {
                    // Both halves of A are visited, so each pair of the result is met from both sides: keep one.
                    entries.extend(t.row(i).filter(|(p, _)| *p <= q).map(|(p, left)| (p, q, left * value * right)));
                }
            }
        }
        SparseSymmetric::from_half(t.columns, &entries)
    }
}

impl SparseRows {
    /// From the entries (column, value) of each row; duplicates add up.
    pub fn new(columns: usize, rows: impl IntoIterator<Item = Vec<(usize, f64)>>) -> Self {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for mut row in rows {
            row.sort_by_key(|(column, _)| *column);
            let first = indices.len();
            for (column, value) in row {
                if indices.len() > first && indices.last() == Some(&column) {
                    *values.last_mut().expect("a column was pushed before") += value;
                } else {
                    indices.push(column);
                    values.push(value);
                }
            }
            starts.push(indices.len());
        }
        SparseRows { columns, starts, indices, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// (column, value) of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// A·x for a block of vectors.
    pub fn multiply(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(self.rows(), x.ncols(), |i, k| self.row(i).map(|(j, value)| value * x[(j, k)]).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(matrix: &SparseSymmetric) -> Mat<f64> {
        let all: Vec<usize> = (0..matrix.size()).collect();
        matrix.block(&all, &all)
    }

    #[test]
    fn halves_are_mirrored_and_duplicates_are_summed() {
        let matrix = SparseSymmetric::from_half(3, &[(0, 0, 1.0), (1, 0, 2.0), (2, 1, 3.0), (1, 0, 0.5), (2, 2, 4.0)]);
        let expected = [[1.0, 2.5, 0.0], [2.5, 0.0, 3.0], [0.0, 3.0, 4.0]];
        assert_eq!(dense(&matrix), Mat::from_fn(3, 3, |i, j| expected[i][j]));
        assert_eq!(
            matrix.multiply(Mat::from_fn(3, 1, |i, _| i as f64).as_ref()),
            Mat::from_fn(3, 1, |i, _| [2.5, 6.0, 11.0][i])
        );
        assert_eq!(matrix.diagonal(), [1.0, 0.0, 4.0]);
        assert_eq!(dense(&matrix.principal(&[2, 1])), Mat::from_fn(2, 2, |i, j| [[4.0, 3.0], [3.0, 0.0]][i][j]));
        assert_eq!(dense(&matrix.plus(-1.0, &matrix)), Mat::<f64>::zeros(3, 3));
    }

    #[test]
    fn a_congruence_equals_the_dense_product() {
        let matrix = SparseSymmetric::from_half(3, &[(0, 0, 1.0), (1, 0, 2.0), (1, 1, 5.0), (2, 1, 3.0), (2, 2, 4.0)]);
        let t = SparseRows::new(2, [vec![(0, 1.0)], vec![(1, 2.0), (0, -1.0)], vec![(1, 0.5)]]);
        let full = t.multiply(Mat::<f64>::identity(2, 2).as_ref());
        let expected = full.transpose() * dense(&matrix) * &full;
        assert!((dense(&matrix.congruence(&t)) - expected).norm_max() < 1e-15);
    }
}
