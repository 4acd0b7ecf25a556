//! LU factors of sparse matrices whose rows are stored from their first to their last entry, on the caller's memory.
//!
//! Rows change places for stability as in the dense algorithm, but only among those that have an entry in the pivot's
//! column, so that work and fill stay within the skyline: n · b² for a bandwidth of b. A full matrix is factored as by a dense
//! code, and so is a matrix of up to [`FULL`] rows, whose entries are not worth the books that would be kept of them. The
//! columns keep their order, the rows are not moved: their places change.

/// Up to this many rows a matrix counts as full, which takes less than half the instructions of what follows a skyline.
const FULL: usize = 6;

/// A square matrix and then its factors, P A = L U with unit lower L.
#[derive(Clone, Debug, Default)]
pub struct Skyline {
    size: usize,
    /// Row i begins at i · size.
    values: Vec<f64>,
    /// Per row: column of its first entry.
    first: Vec<usize>,
    /// Per row: column behind its last entry.
    end: Vec<usize>,
    /// Per place: the row in it.
    rows: Vec<usize>,
    /// Per column: last place of a row that begins in it or before it.
    reach: Vec<usize>,
    /// Per place: reciprocal of the pivot.
    inverse: Vec<f64>,
}

impl Skyline {
    /// Memory for matrices of up to `size` rows, filled with NaN.
    pub fn new(size: usize) -> Skyline {
        Skyline {
            size: 0,
            values: vec![f64::NAN; size * size],
            first: vec![0; size],
            end: vec![0; size],
            rows: vec![0; size],
            reach: vec![0; size],
            inverse: vec![f64::NAN; size],
        }
    }

    /// Overwrites every number with `value`.
    pub fn fill(&mut self, value: f64) {
        self.values.fill(value);
        self.inverse.fill(value);
    }

    /// Begins a matrix of `size` rows, not more than there is memory for.
    pub fn begin(&mut self, size: usize) {
        self.size = size;
    }

    /// Sets row `i` to `values` in `columns`, at most one per column, where `places` tells the place of a column; what lies behind
    /// the last place is left out.
    pub fn set_row(&mut self, i: usize, columns: &[usize], values: &[f64], places: &[usize]) {
        let n = self.size;
        let (mut first, mut end) = if n <= FULL { (0, n) } else { (n, 0) };
        if n > FULL {
            for place in columns.iter().map(|&column| places[column]).filter(|&place| place < n) {
                (first, end) = (first.min(place), end.max(place + 1));
            }
        }
        let row = &mut self.values[i * n..(i + 1) * n];
        row[first.min(end)..end].fill(0.0);
        for (&column, &value) in columns.iter().zip(values) {
            if let Some(entry) = row.get_mut(places[column]) {
                *entry = value;
            }
        }
        (self.first[i], self.end[i], self.rows[i]) = (first, end, i);
    }

    /// The row of the matrix whose equation is solved in place `k`.
    pub fn row(&self, k: usize) -> usize {
        self.rows[k]
    }

    /// Factors the matrix and returns the smallest pivot in magnitude; the factors are unusable when it is 0 or NaN.
    pub fn factor(&mut self) -> f64 {
        let n = self.size;
        let Skyline { values, rows, inverse, .. } = self;
        // With the size known to the compiler its loops disappear.
        match n {
            1 => return factor_full(1, values, rows, inverse),
            2 => return factor_full(2, values, rows, inverse),
            3 => return factor_full(3, values, rows, inverse),
            4 => return factor_full(4, values, rows, inverse),
            5 => return factor_full(5, values, rows, inverse),
            FULL => return factor_full(FULL, values, rows, inverse),
            _ => {}
        }
        self.reach[..n].fill(0);
        for (i, &first) in self.first[..n].iter().enumerate() {
            if first < n {
                self.reach[first] = i;
            }
        }
        let (mut smallest, mut last) = (f64::INFINITY, 0);
        let Skyline { values, first, end, rows, reach, inverse, .. } = self;
        let (first, end, rows) = (&first[..n], &mut end[..n], &mut rows[..n]);
        let entry = |values: &[f64], end: &[usize], row: usize, k: usize| {
            if first[row] <= k && k < end[row] { values[row * n + k] } else { 0.0 }
        };
        for k in 0..n {
            last = last.max(reach[k]).max(k);
            let (chosen, size) = largest(k..last + 1, |place| entry(values, end, rows[place], k));
            if size == 0.0 || size.is_nan() {
                return size;
            }
            smallest = smallest.min(size);
            rows.swap(k, chosen);
            let row = rows[k];
            inverse[k] = 1.0 / values[row * n + k];
            for &other in &rows[k + 1..last + 1] {
                let entry = entry(values, end, other, k);
                if entry != 0.0 {
                    // The factor is that entry of L.
                    let factor = entry * inverse[k];
                    values[other * n + k] = factor;
                    for j in end[other]..end[row] {
                        values[other * n + j] = 0.0;
                    }
                    end[other] = end[other].max(end[row]);
                    subtract_row(values, (row * n + k + 1, other * n + k + 1), end[row] - k - 1, factor);
                }
            }
        }
        smallest
    }

    /// Solves A X = B in place for `width` right-hand sides, row-major; row k of `x` holds the equation of [`Skyline::row`] k.
    pub fn solve(&self, x: &mut [f64], width: usize) {
        let n = self.size;
        let (rows, first, end, inverse) = (&self.rows[..n], &self.first[..n], &self.end[..n], &self.inverse[..n]);
        if n <= FULL {
            for c in 0..width {
                let mut column = [0.0; FULL];
                (0..n).for_each(|k| column[k] = x[k * width + c]);
                match n {
                    1 => solve_full(1, &self.values, rows, inverse, &mut column),
                    2 => solve_full(2, &self.values, rows, inverse, &mut column),
                    3 => solve_full(3, &self.values, rows, inverse, &mut column),
                    4 => solve_full(4, &self.values, rows, inverse, &mut column),
                    5 => solve_full(5, &self.values, rows, inverse, &mut column),
                    _ => solve_full(n, &self.values, rows, inverse, &mut column),
                }
                (0..n).for_each(|k| x[k * width + c] = column[k]);
            }
            return;
        }
        if width == 1 {
            let x = &mut x[..n];
            for k in 0..n {
                let line = &self.values[rows[k] * n..][..n];
                let mut sum = x[k];
                for j in first[rows[k]]..k {
                    sum -= line[j] * x[j];
                }
                x[k] = sum;
            }
            for k in (0..n).rev() {
                let line = &self.values[rows[k] * n..][..n];
                let mut sum = x[k];
                for j in k + 1..end[rows[k]].min(n) {
                    sum -= line[j] * x[j];
                }
                x[k] = sum * inverse[k];
            }
            return;
        }
        for k in 0..n {
            let begin = first[rows[k]].min(k);
            subtract(x, width, k, begin, &self.values[rows[k] * n + begin..rows[k] * n + k]);
        }
        for k in (0..n).rev() {
            subtract(x, width, k, k + 1, &self.values[rows[k] * n + k + 1..rows[k] * n + end[rows[k]]]);
            x[k * width..(k + 1) * width].iter_mut().for_each(|value| *value *= inverse[k]);
        }
    }

    /// Solves Aᵀ x = b in place; entry k of the solution belongs to [`Skyline::row`] k.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        let n = self.size;
        for k in 0..n {
            let row = self.rows[k];
            x[k] *= self.inverse[k];
            let (value, entries) = (x[k], &self.values[row * n + k + 1..row * n + self.end[row]]);
            x[k + 1..].iter_mut().zip(entries).for_each(|(other, entry)| *other -= entry * value);
        }
        for k in (0..n).rev() {
            let (row, value) = (self.rows[k], x[k]);
            let first = self.first[row];
            let entries = &self.values[row * n + first..row * n + k.max(first)];
            x[first..].iter_mut().zip(entries).for_each(|(other, entry)| *other -= entry * value);
        }
    }
}

/// The place with the largest entry, and its size. A NaN is not passed over for what stands before it.
#[inline(always)]
fn largest(places: std::ops::Range<usize>, entry: impl Fn(usize) -> f64) -> (usize, f64) {
    let (mut chosen, mut size) = (places.start, 0.0);
    for place in places {
        let other = entry(place).abs();
        if !(other <= size) {
            (chosen, size) = (place, other);
        }
    }
    (chosen, size)
}

/// Takes `factor` times the `count` values from the first place on off those from the second place on.
fn subtract_row(values: &mut [f64], (from, to): (usize, usize), count: usize, factor: f64) {
    if count <= 8 {
        // Shorter than what it takes to begin in pairs.
        for j in 0..count {
            values[to + j] -= factor * values[from + j];
        }
        return;
    }
    let (source, target) = if from < to {
        let (head, tail) = values.split_at_mut(to);
        (&head[from..from + count], &mut tail[..count])
    } else {
        let (head, tail) = values.split_at_mut(from);
        (&tail[..count], &mut head[to..to + count])
    };
    target.iter_mut().zip(source).for_each(|(value, other)| *value -= factor * other);
}

/// [`Skyline::factor`] of a full matrix of `n` rows, at most [`FULL`].
#[inline(always)]
fn factor_full(n: usize, values: &mut [f64], rows: &mut [usize], inverse: &mut [f64]) -> f64 {
    let (values, rows, inverse) = (&mut values[..n * n], &mut rows[..n], &mut inverse[..n]);
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        let (chosen, size) = largest(k..n, |place| values[rows[place] * n + k]);
        if size == 0.0 || size.is_nan() {
            return size;
        }
        smallest = smallest.min(size);
        rows.swap(k, chosen);
        let mut pivot = [0.0; FULL];
        pivot[..n].copy_from_slice(&values[rows[k] * n..][..n]);
        inverse[k] = 1.0 / pivot[k];
        for &other in &rows[k + 1..] {
            let row = &mut values[other * n..][..n];
            let factor = row[k] * inverse[k];
            row[k] = factor;
            for j in k + 1..n {
                row[j] -= factor * pivot[j];
            }
        }
    }
    smallest
}

/// [`Skyline::solve`] with such factors for one right-hand side.
#[inline(always)]
fn solve_full(n: usize, values: &[f64], rows: &[usize], inverse: &[f64], x: &mut [f64; FULL]) {
    let (values, rows, inverse, x) = (&values[..n * n], &rows[..n], &inverse[..n], &mut x[..n]);
    for k in 1..n {
        let line = &values[rows[k] * n..][..n];
        for j in 0..k {
            x[k] -= line[j] * x[j];
        }
    }
    for k in (0..n).rev() {
        let line = &values[rows[k] * n..][..n];
        for j in k + 1..n {
            x[k] -= line[j] * x[j];
        }
        x[k] *= inverse[k];
    }
}

/// Row k of X less `entries` times its rows from `first` on.
fn subtract(x: &mut [f64], width: usize, k: usize, first: usize, entries: &[f64]) {
    for (i, &entry) in entries.iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
        let other = first + i;
        let (head, tail) = x.split_at_mut(k.max(other) * width);
        let (source, target) = match other < k {
            true => (&head[other * width..(other + 1) * width], &mut tail[..width]),
            false => (&tail[..width], &mut head[k * width..(k + 1) * width]),
        };
        target.iter_mut().zip(source).for_each(|(value, other)| *value -= entry * other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::check::Random;

    /// A matrix of `n` rows with entries up to `band` beside the diagonal, rows shuffled within reach of each other, and how many
    /// entries its rows have.
    fn banded(n: usize, band: usize, random: &mut Random) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in i.saturating_sub(band)..(i + band + 1).min(n) {
                a[i * n + j] = random.numbers(1)[0];
            }
        }
        for i in (0..n.saturating_sub(1)).step_by(2) {
            for j in 0..n {
                a.swap(i * n + j, (i + 1) * n + j);
            }
        }
        a
    }

    fn skyline(a: &[f64], n: usize) -> Skyline {
        let mut factors = Skyline::new(n + 2);
        factors.begin(n);
        let places: Vec<usize> = (0..n).collect();
        for i in 0..n {
            let columns: Vec<usize> = (0..n).filter(|&j| a[i * n + j] != 0.0).collect();
            let values: Vec<f64> = columns.iter().map(|&j| a[i * n + j]).collect();
            factors.set_row(i, &columns, &values, &places);
        }
        factors
    }

    #[test]
    fn factors_of_full_and_banded_matrices_solve() {
        let mut random = Random(5);
        for (n, band) in [(1, 0), (2, 1), (7, 6), (12, 3), (40, 2), (40, 39)] {
            let a = banded(n, band, &mut random);
            let mut factors = skyline(&a, n);
            assert!(factors.factor() > 1e-6);
            for width in [1, 3] {
                let x = random.numbers(n * width);
                let product = |i: usize, c: usize| (0..n).map(|j| a[i * n + j] * x[j * width + c]).sum::<f64>();
                let mut b: Vec<f64> =
                    (0..n * width).map(|place| product(factors.row(place / width), place % width)).collect();
                factors.solve(&mut b, width);
                b.iter().zip(&x).for_each(|(have, want)| assert!((have - want).abs() < 1e-10, "{n} {band} {width}"));
            }
            let x = random.numbers(n);
            let mut b: Vec<f64> = (0..n).map(|j| (0..n).map(|i| a[i * n + j] * x[i]).sum()).collect();
            factors.solve_transposed(&mut b);
            (0..n).for_each(|k| assert!((b[k] - x[factors.row(k)]).abs() < 1e-10, "{n} {band} transposed"));
        }
    }

    #[test]
    fn fill_stays_within_the_skyline() {
        let (n, band) = (60, 2);
        let a = banded(n, band, &mut Random(8));
        let mut factors = skyline(&a, n);
        factors.factor();
        assert!(factors.values.iter().filter(|value| !value.is_nan()).count() <= n * (3 * band + 4));
    }

    #[test]
    fn a_row_without_entries_and_equal_rows_are_singular() {
        for a in [[1.0, 2.0, 0.0, 0.0], [0.5, 3.0, 0.5, 3.0], [0.0, 1.0, 0.0, 2.0]] {
            assert_eq!(skyline(&a, 2).factor(), 0.0);
        }
        assert!(skyline(&[1.0, f64::NAN, f64::NAN, 2.0], 2).factor().is_nan());
    }

    #[test]
    fn columns_without_a_place_are_left_out() {
        let mut factors = Skyline::new(3);
        factors.begin(2);
        factors.set_row(0, &[0, 1, 2], &[7.0, 2.0, 4.0], &[2, 1, 0]);
        factors.set_row(1, &[0, 1], &[8.0, 5.0], &[2, 1, 0]);
        assert_eq!(factors.factor(), 4.0);
        let mut x = [8.0, 10.0];
        factors.solve(&mut x, 1);
        assert_eq!(x, [1.0, 2.0]);
    }
}
