//! Sparse matrices of structures: symmetric ones by columns (both halves stored), and rectangular ones by rows.
//!
//! Duplicates are summed in a fixed order, so that the same input gives the same bits.

use faer::{Mat, MatMut, MatRef};

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
    /// From entries (row, column, value) of the lower or upper half, in any order; duplicates add up. An entry off the
    /// diagonal represents both halves.
    pub fn from_half(size: usize, entries: &[(usize, usize, f64)]) -> Self {
        // By columns of the upper half, within a column in the order of insertion.
        let mut starts = vec![0; size + 1];
        entries.iter().for_each(|(row, column, _)| starts[row.max(column) + 1] += 1);
        for i in 0..size {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0.0); entries.len()];
        for (row, column, value) in entries {
            let (low, high) = (*row.min(column), *row.max(column));
            sorted[next[high]] = (low, *value);
            next[high] += 1;
        }
        let mut upper = UpperColumns::new(size);
        let mut sum = Accumulator::new(size);
        for column in 0..size {
            sorted[starts[column]..starts[column + 1]].iter().for_each(|(row, value)| sum.add(*row, *value));
            upper.push(sum.take());
        }
        drop(sorted);
        upper.mirrored()
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
            let width = (x.ncols() - first).min(8);
            let (x, y) = (x.subcols(first, width), y.as_mut().subcols_mut(first, width));
            match width {
                1 => self.multiply_beside::<1>(x, y),
                2..=4 => self.multiply_beside::<4>(x, y),
                5 | 6 => self.multiply_beside::<6>(x, y),
                _ => self.multiply_beside::<8>(x, y),
            }
            first += width;
        }
        y
    }

    /// A·x for up to W interleaved vectors, so that the matrix is read once for all of them.
    fn multiply_beside<const W: usize>(&self, x: MatRef<'_, f64>, mut y: MatMut<'_, f64>) {
        let mut beside = vec![[0.0; W]; self.size];
        for k in 0..x.ncols() {
            beside.iter_mut().zip(x.col(k).iter()).for_each(|(at, value)| at[k] = *value);
        }
        for i in 0..self.size {
            // By symmetry, column i is row i.
            let mut sum = [0.0; W];
            for (j, value) in self.column(i) {
                let at = &beside[j];
                (0..W).for_each(|k| sum[k] += value * at[k]);
            }
            (0..y.ncols()).for_each(|k| y[(i, k)] = sum[k]);
        }
    }

    /// The rows and columns `kept`, in that order, as a symmetric matrix.
    pub fn principal(&self, kept: &[usize]) -> SparseSymmetric {
        let mut place = vec![usize::MAX; self.size];
        for (new, old) in kept.iter().enumerate() {
            place[*old] = new;
        }
        let mut upper = UpperColumns::new(kept.len());
        for (new, old) in kept.iter().enumerate() {
            upper.push(self.column(*old).filter(|(row, _)| place[*row] <= new).map(|(row, value)| (place[row], value)));
        }
        upper.mirrored()
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
        // The sum has at most the entries of both.
        let most = self.entries() + other.entries();
        let mut sum = SparseSymmetric {
            size: self.size,
            starts: Vec::with_capacity(self.size + 1),
            rows: Vec::with_capacity(most),
            values: Vec::with_capacity(most),
        };
        sum.starts.push(0);
        for column in 0..self.size {
            // Merge the sorted row indices of each column.
            let (mut left, mut right) = (self.column(column).peekable(), other.column(column).peekable());
            loop {
                let rows =
                    (left.peek().map_or(usize::MAX, |entry| entry.0), right.peek().map_or(usize::MAX, |entry| entry.0));
                let row = rows.0.min(rows.1);
                if row == usize::MAX {
                    break;
                }
                let own = left.next_if(|entry| entry.0 == row).map(|entry| entry.1);
                let added = right.next_if(|entry| entry.0 == row).map(|entry| factor * entry.1);
                sum.rows.push(row);
                sum.values.push(match (own, added) {
                    (Some(own), Some(added)) => own + added,
                    (one, another) => one.or(another).unwrap_or_default(),
                });
            }
            sum.starts.push(sum.rows.len());
        }
        sum.rows.shrink_to_fit();
        sum.values.shrink_to_fit();
        sum
    }

    /// Tᵀ·A·T, where row i of `t` expresses degree of freedom i in terms of others.
    pub fn congruence(&self, t: &SparseRows) -> SparseSymmetric {
        let across = t.transposed();
        let mut upper = UpperColumns::new(t.columns);
        let mut sum = Accumulator::new(t.columns);
        for q in 0..t.columns {
            for (j, right) in across.row(q) {
                for (i, value) in self.column(j) {
                    t.row(i).take_while(|(p, _)| *p <= q).for_each(|(p, left)| sum.add(p, left * value * right));
                }
            }
            upper.push(sum.take());
        }
        upper.mirrored()
    }
}

/// A sparse vector that accumulates entries in the order of their insertion.
struct Accumulator {
    sums: Vec<f64>,
    met: Vec<bool>,
    rows: Vec<usize>,
}

impl Accumulator {
    fn new(size: usize) -> Self {
        Accumulator { sums: vec![0.0; size], met: vec![false; size], rows: Vec::new() }
    }

    fn add(&mut self, row: usize, value: f64) {
        if !std::mem::replace(&mut self.met[row], true) {
            self.rows.push(row);
        }
        self.sums[row] += value;
    }

    /// Returns (row, sum) of all entries and clears the vector.
    fn take(&mut self) -> impl Iterator<Item = (usize, f64)> {
        self.rows.drain(..).map(|row| {
            self.met[row] = false;
            (row, std::mem::take(&mut self.sums[row]))
        })
    }
}

/// The upper half of a symmetric matrix that is built column by column.
struct UpperColumns {
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl UpperColumns {
    fn new(size: usize) -> Self {
        let mut starts = Vec::with_capacity(size + 1);
        starts.push(0);
        UpperColumns { starts, entries: Vec::new() }
    }

    /// The next column: (row, value), each row once, none below the diagonal.
    fn push(&mut self, column: impl Iterator<Item = (usize, f64)>) {
        let first = self.entries.len();
        self.entries.extend(column);
        self.entries[first..].sort_unstable_by_key(|(row, _)| *row);
        self.starts.push(self.entries.len());
    }

    /// The matrix with both halves.
    fn mirrored(self) -> SparseSymmetric {
        let size = self.starts.len() - 1;
        let columns = || (0..size).map(|column| (column, &self.entries[self.starts[column]..self.starts[column + 1]]));
        let mut starts = vec![0; size + 1];
        for (column, entries) in columns() {
            starts[column + 1] += entries.len();
            entries.iter().filter(|(row, _)| *row != column).for_each(|(row, _)| starts[row + 1] += 1);
        }
        for i in 0..size {
            starts[i + 1] += starts[i];
        }
        let (mut rows, mut values) = (vec![0; starts[size]], vec![0.0; starts[size]]);
        let mut next = starts.clone();
        let mut put = |row: usize, column: usize, value: f64| {
            (rows[next[column]], values[next[column]]) = (row, value);
            next[column] += 1;
        };
        // The entries of a column precede the entries mirrored from later columns, so rows ascend.
        for (column, entries) in columns() {
            for (row, value) in entries {
                put(*row, column, *value);
                if *row != column {
                    put(column, *row, *value);
                }
            }
        }
        SparseSymmetric { size, starts, rows, values }
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

    /// Aᵀ.
    fn transposed(&self) -> SparseRows {
        let mut starts = vec![0; self.columns + 1];
        self.indices.iter().for_each(|column| starts[column + 1] += 1);
        for i in 0..self.columns {
            starts[i + 1] += starts[i];
        }
        let (mut indices, mut values) = (vec![0; self.indices.len()], vec![0.0; self.values.len()]);
        let mut next = starts.clone();
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                (indices[next[column]], values[next[column]]) = (row, value);
                next[column] += 1;
            }
        }
        SparseRows { columns: self.rows(), starts, indices, values }
    }

    /// (column, value) of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// A·B.
    pub fn times(&self, other: &SparseRows) -> SparseRows {
        let row = |i: usize| self.row(i).flat_map(|(j, left)| other.row(j).map(move |(k, right)| (k, left * right)));
        SparseRows::new(other.columns, (0..self.rows()).map(|i| row(i).collect()))
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

    #[test]
    fn vectors_that_are_multiplied_together_give_the_bits_of_each_alone() {
        let entries: Vec<_> = (0..40).map(|k| (k % 9, (k * k + 3) % 9, 0.1 + k as f64)).collect();
        let matrix = SparseSymmetric::from_half(9, &entries);
        let x = Mat::from_fn(9, 19, |i, k| ((i + 1) as f64 * (k + 2) as f64).sqrt());
        for width in 1..=19 {
            let together = matrix.multiply(x.subcols(0, width));
            (0..width).for_each(|k| assert_eq!(together.col(k), matrix.multiply(x.subcols(k, 1)).col(0), "{width}"));
        }
    }
}
