//! LU factors of sparse matrices whose rows are stored from their first to their last entry, on the caller's memory.
//!
//! A matrix in block lower triangular form is factored piece by piece: only the diagonal blocks have factors, the
//! entries left of them are used unchanged when equations are solved. Within a piece rows change places for stability
//! as in the dense algorithm, but only among those that have an entry in the pivot's column, so that work and fill stay
//! within the skyline: n · b² for a bandwidth of b. A full piece is factored by dense loops. So is a piece of up to
//! `FULL` rows, where tracking the entries would cost more than it saves. The columns keep their order. Rows are not
//! moved in memory; only their positions change.

use super::POISON;
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Up to this many rows a piece counts as full. Dense loops then need less than half the instructions of the skyline
/// code.
const FULL: usize = 6;

/// A square matrix and then its factors, P A = L U with unit lower L, per piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skyline {
    size: usize,
    /// Row i begins at i · size.
    values: Vec<f64>,
    /// Per row: column of its first entry.
    first: Vec<usize>,
    /// Per row: column behind its last entry.
    end: Vec<usize>,
    /// Per place: the row in it.
    rows: Vec<usize>,
    /// Per column: last position of a row that begins in it or before it.
    reach: Vec<usize>,
    /// Per place: reciprocal of the pivot.
    inverse: Vec<f64>,
    /// Number of pieces, and the end position of each.
    pieces: usize,
    ends: Vec<usize>,
    /// Whether the matrix was begun as one piece.
    whole: bool,
}

impl Skyline {
    /// Memory for matrices of up to `size` rows, filled with NaN.
    #[expect(clippy::disallowed_macros, reason = "scratch memory, before the first step")]
    pub(crate) fn new(size: usize) -> Skyline {
        Skyline {
            size: 0,
            values: vec![f64::NAN; size * size],
            first: vec![0; size],
            end: vec![0; size],
            rows: vec![0; size],
            reach: vec![0; size],
            inverse: vec![f64::NAN; size],
            pieces: 0,
            ends: vec![0; size],
            whole: false,
        }
    }

    /// Overwrites every number with `value`, whole ones with [`POISON`].
    pub(crate) fn fill(&mut self, value: f64) {
        self.values.fill(value);
        self.inverse.fill(value);
        for list in [&mut self.first, &mut self.end, &mut self.rows, &mut self.reach, &mut self.ends] {
            list.fill(POISON);
        }
        (self.size, self.pieces) = (POISON, POISON);
    }

    /// Begins a matrix of `size` rows, which must not exceed the allocated size. Row i has entries in `columns(i)`, and
    /// `places` gives the position of each column. Columns after the last position are ignored. A piece ends at each
    /// row for which neither it nor an earlier row has an entry further right.
    pub(crate) fn begin<'a>(&mut self, size: usize, columns: impl Fn(usize) -> &'a [usize], places: &[usize]) {
        (self.size, self.pieces, self.whole) = (size, 0, false);
        if size == 0 {
            return;
        }
        let mut most = 0;
        for i in 0..size {
            let (mut first, mut end) = (size, 0);
            for place in columns(i).iter().map(|&column| places[column]).filter(|&place| place < size) {
                (first, end) = (first.min(place), end.max(place + 1));
            }
            (self.first[i], self.end[i]) = (first, end);
            most = most.max(end);
            if most <= i + 1 {
                self.ends[self.pieces] = i + 1;
                self.pieces += 1;
            }
        }
        if self.pieces == 0 || self.ends[self.pieces - 1] < size {
            self.ends[self.pieces] = size;
            self.pieces += 1;
        }
    }

    /// Begins a matrix of `size` rows that is one piece, whatever its entries are.
    pub(crate) fn begin_whole(&mut self, size: usize) {
        (self.size, self.pieces, self.whole) = (size, size.min(1), true);
        if size > 0 {
            self.ends[0] = size;
        }
    }

    /// Number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Rows and columns of piece `index`.
    pub(crate) fn piece(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    /// Sets row `i` of `piece` to `values` in `columns`, its initial columns, at most one value per column.
    pub fn set_row(&mut self, i: usize, piece: &Range<usize>, columns: &[usize], values: &[f64], places: &[usize]) {
        let n = self.size;
        let (mut first, mut end) = if self.whole { (n, 0) } else { (self.first[i], self.end[i]) };
        if piece.len() <= FULL {
            (first, end) = (first.min(piece.start), piece.end);
        } else if self.whole {
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
    pub(crate) fn row(&self, k: usize) -> usize {
        self.rows[k]
    }

    /// Factors all pieces and returns the smallest pivot in magnitude; the factors are unusable when it is 0 or NaN.
    pub(crate) fn factor(&mut self) -> f64 {
        let mut smallest = f64::INFINITY;
        for index in 0..self.pieces {
            let pivot = self.factor_piece(index);
            if pivot == 0.0 || pivot.is_nan() {
                return pivot;
            }
            smallest = smallest.min(pivot);
        }
        smallest
    }

    /// Factors one piece and returns its smallest pivot in magnitude.
    pub(crate) fn factor_piece(&mut self, index: usize) -> f64 {
        let (n, piece) = (self.size, self.piece(index));
        let Skyline { values, rows, inverse, .. } = self;
        // A compile-time size lets the compiler unroll the loops.
        let memory = (&mut values[..n * n], &mut rows[piece.clone()], &mut inverse[piece.clone()]);
        let layout = (n, piece.start);
        match (piece.len(), n) {
            (1, _) => return factor_full(1, layout, memory),
            (2, 2) => return factor_full(2, (2, 0), memory),
            (3, 3) => return factor_full(3, (3, 0), memory),
            (4, 4) => return factor_full(4, (4, 0), memory),
            (5, 5) => return factor_full(5, (5, 0), memory),
            (2, _) => return factor_full(2, layout, memory),
            (3, _) => return factor_full(3, layout, memory),
            (4, _) => return factor_full(4, layout, memory),
            (5, _) => return factor_full(5, layout, memory),
            (FULL, _) => return factor_full(FULL, layout, memory),
            _ => {}
        }
        // `reach[k]`: the last row whose first entry is in column k.
        self.reach[piece.clone()].fill(0);
        for i in piece.clone() {
            let first = self.first[i].max(piece.start);
            if first < piece.end {
                self.reach[first] = i;
            }
        }
        let (mut smallest, mut last) = (f64::INFINITY, 0);
        let Skyline { values, first, end, rows, reach, inverse, .. } = self;
        let (first, end, rows) = (&first[..n], &mut end[..n], &mut rows[..n]);
        let entry = |values: &[f64], end: &[usize], row: usize, k: usize| {
            if first[row] <= k && k < end[row] { values[row * n + k] } else { 0.0 }
        };
        // Elimination with partial pivoting among the rows that reach column k.
        for k in piece {
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
                    // The factor is the entry of L.
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

    /// Solves A X = B in place for `width` right-hand sides, row-major; row k of `x` holds the equation of
    /// [`Skyline::row`] k.
    pub(crate) fn solve(&self, x: &mut [f64], width: usize) {
        for index in 0..self.pieces {
            if index > 0 {
                self.move_known(self.piece(index), x, width);
            }
            self.solve_piece(index, x, width);
        }
    }

    /// Subtracts the contribution of the preceding unknowns from the right-hand sides of a piece.
    fn move_known(&self, piece: Range<usize>, x: &mut [f64], width: usize) {
        for k in piece.clone() {
            let row = self.rows[k];
            let first = self.first[row].min(piece.start);
            let entries = &self.values[row * self.size + first..row * self.size + piece.start];
            if width == 1 {
                let mut sum = x[k];
                entries.iter().zip(&x[first..piece.start]).for_each(|(entry, x)| sum -= entry * x);
                x[k] = sum;
            } else {
                subtract(x, width, k, first, entries);
            }
        }
    }

    /// Solves the equations of one piece, with zero for the preceding unknowns. `x` has the length of the whole system.
    pub(crate) fn solve_piece(&self, index: usize, x: &mut [f64], width: usize) {
        let (n, piece) = (self.size, self.piece(index));
        let (start, stop) = (piece.start, piece.end);
        let (rows, inverse) = (&self.rows[..n], &self.inverse[..n]);
        // Small pieces are stored without gaps. Sizes known to the compiler let it unroll the loops.
        if piece.len() <= FULL {
            let factors = (&self.values[..n * n], &rows[piece.clone()], &inverse[piece.clone()]);
            if width == 1 {
                let (layout, x) = ((n, start), &mut x[piece]);
                match (x.len(), n) {
                    (1, _) => x[0] *= factors.2[0],
                    (2, 2) => solve_full(2, (2, 0), factors, x),
                    (4, 4) => solve_full(4, (4, 0), factors, x),
                    (2, _) => solve_full(2, layout, factors, x),
                    (3, _) => solve_full(3, layout, factors, x),
                    (4, _) => solve_full(4, layout, factors, x),
                    (5, _) => solve_full(5, layout, factors, x),
                    (size, _) => solve_full(size, layout, factors, x),
                }
                return;
            }
            // Several right-hand sides: the columns of a piece are copied, solved and written back.
            for c in 0..width {
                let mut column = [0.0; FULL];
                piece.clone().for_each(|k| column[k - start] = x[k * width + c]);
                match piece.len() {
                    1 => solve_full(1, (n, start), factors, &mut column),
                    2 => solve_full(2, (n, start), factors, &mut column),
                    3 => solve_full(3, (n, start), factors, &mut column),
                    4 => solve_full(4, (n, start), factors, &mut column),
                    5 => solve_full(5, (n, start), factors, &mut column),
                    size => solve_full(size, (n, start), factors, &mut column),
                }
                piece.clone().for_each(|k| x[k * width + c] = column[k - start]);
            }
            return;
        }
        // Large pieces: only entries between the first and the last entry of each row are read.
        let (first, end) = (&self.first[..n], &self.end[..n]);
        // One right-hand side: forward, then backward substitution.
        if width == 1 {
            let x = &mut x[..n];
            // Several right-hand sides: the same, with whole rows of x.
            for k in start..stop {
                let line = &self.values[rows[k] * n..][..n];
                let mut sum = x[k];
                for j in first[rows[k]].max(start)..k {
                    sum -= line[j] * x[j];
                }
                x[k] = sum;
            }
            for k in (start..stop).rev() {
                let line = &self.values[rows[k] * n..][..n];
                let mut sum = x[k];
                for j in k + 1..end[rows[k]].min(n) {
                    sum -= line[j] * x[j];
                }
                x[k] = sum * inverse[k];
            }
            return;
        }
        for k in start..stop {
            let begin = first[rows[k]].max(start).min(k);
            subtract(x, width, k, begin, &self.values[rows[k] * n + begin..rows[k] * n + k]);
        }
        for k in (start..stop).rev() {
            subtract(x, width, k, k + 1, &self.values[rows[k] * n + k + 1..rows[k] * n + end[rows[k]]]);
            x[k * width..(k + 1) * width].iter_mut().for_each(|value| *value *= inverse[k]);
        }
    }

    /// Solves Aᵀ x = b in place; entry k of the solution belongs to [`Skyline::row`] k.
    pub(crate) fn solve_transposed(&self, x: &mut [f64]) {
        let n = self.size;
        for index in (0..self.pieces).rev() {
            let piece = self.piece(index);
            for k in piece.clone() {
                let row = self.rows[k];
                x[k] *= self.inverse[k];
                let (value, entries) = (x[k], &self.values[row * n + k + 1..row * n + self.end[row]]);
                x[k + 1..].iter_mut().zip(entries).for_each(|(other, entry)| *other -= entry * value);
            }
            for k in piece.clone().rev() {
                let row = self.rows[k];
                let first = self.first[row].max(piece.start);
                take_row(x, &self.values[row * n..(row + 1) * n], first..k.max(first), x[k]);
            }
            for k in piece.clone() {
                let row = self.rows[k];
                let first = self.first[row].min(piece.start);
                take_row(x, &self.values[row * n..(row + 1) * n], first..piece.start, x[k]);
            }
        }
    }
}

/// Subtracts `value` times the entries `columns` of a row from the same entries of `x`.
fn take_row(x: &mut [f64], row: &[f64], columns: Range<usize>, value: f64) {
    x[columns.clone()].iter_mut().zip(&row[columns]).for_each(|(other, entry)| *other -= entry * value);
}

/// The position of the largest entry, and its magnitude. A NaN is not skipped in favour of earlier entries.
#[inline(always)]
fn largest(places: core::ops::Range<usize>, entry: impl Fn(usize) -> f64) -> (usize, f64) {
    let (mut chosen, mut size) = (places.start, 0.0);
    for place in places {
        let other = entry(place).abs();
        if !(other <= size) {
            (chosen, size) = (place, other);
        }
    }
    (chosen, size)
}

/// Subtracts `factor` times the `count` values starting at the first position from the values starting at the second.
fn subtract_row(values: &mut [f64], (from, to): (usize, usize), count: usize, factor: f64) {
    if count <= 8 {
        // Too short for processing in pairs.
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

/// [`Skyline::factor_piece`] of a full piece of `n` rows, at most [`FULL`], in a matrix of `size` columns. The piece
/// has the columns from `start` on. Returns the rows and the reciprocal pivots.
#[inline(always)]
fn factor_full(
    n: usize,
    (size, start): (usize, usize),
    (values, rows, inverse): (&mut [f64], &mut [usize], &mut [f64]),
) -> f64 {
    let (rows, inverse) = (&mut rows[..n], &mut inverse[..n]);
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        let (chosen, most) = largest(k..n, |place| values[rows[place] * size + start + k]);
        if most == 0.0 || most.is_nan() {
            return most;
        }
        smallest = smallest.min(most);
        rows.swap(k, chosen);
        let mut pivot = [0.0; FULL];
        pivot[..n].copy_from_slice(&values[rows[k] * size + start..][..n]);
        inverse[k] = 1.0 / pivot[k];
        for &other in &rows[k + 1..] {
            let row = &mut values[other * size + start..][..n];
            let factor = row[k] * inverse[k];
            row[k] = factor;
            for j in k + 1..n {
                row[j] -= factor * pivot[j];
            }
        }
    }
    smallest
}

/// [`Skyline::solve_piece`] with such factors for one right-hand side.
#[inline(always)]
fn solve_full(
    n: usize,
    (size, start): (usize, usize),
    (values, rows, inverse): (&[f64], &[usize], &[f64]),
    x: &mut [f64],
) {
    let (rows, inverse, x) = (&rows[..n], &inverse[..n], &mut x[..n]);
    for k in 1..n {
        let line = &values[rows[k] * size + start..][..n];
        for j in 0..k {
            x[k] -= line[j] * x[j];
        }
    }
    for k in (0..n).rev() {
        let line = &values[rows[k] * size + start..][..n];
        for j in k + 1..n {
            x[k] -= line[j] * x[j];
        }
        x[k] *= inverse[k];
    }
}

/// Row k of X minus `entries` times the rows of X from `first` on.
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
    use crate::check::numbers::Random;

    /// A matrix of `n` rows with entries up to `band` from the diagonal and rows shuffled within this distance. Also
    /// returns the number of entries per row.
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
        let places: Vec<usize> = (0..n).collect();
        let columns: Vec<Vec<usize>> = (0..n).map(|i| (0..n).filter(|&j| a[i * n + j] != 0.0).collect()).collect();
        factors.begin(n, |i| &columns[i], &places);
        for piece in (0..factors.pieces()).map(|index| factors.piece(index)).collect::<Vec<_>>() {
            for i in piece.clone() {
                let values: Vec<f64> = columns[i].iter().map(|&j| a[i * n + j]).collect();
                factors.set_row(i, &piece, &columns[i], &values, &places);
            }
        }
        factors
    }

    #[test]
    fn factors_of_full_and_banded_matrices_solve() {
        let mut random = Random(5);
        for (n, band, cuts) in [
            (1, 0, &[][..]),
            (2, 1, &[]),
            (7, 6, &[]),
            (12, 3, &[]),
            (40, 2, &[]),
            (40, 39, &[]),
            (6, 5, &[2, 4]),
            (40, 39, &[2, 10, 18, 19, 30]),
            (40, 3, &[4, 20, 24]),
        ] {
            let mut a = banded(n, band, &mut random);
            // Rows before a cut have no entries after it. Rows after a cut have few entries before it; otherwise the
            // condition number would grow with every piece.
            for &cut in cuts {
                (0..cut).for_each(|i| a[i * n + cut..(i + 1) * n].fill(0.0));
                (cut..n).for_each(|i| a[i * n..i * n + cut].iter_mut().for_each(|entry| *entry *= 0.1));
            }
            let mut factors = skyline(&a, n);
            assert!(factors.pieces() > cuts.len(), "{n} {band}: {} pieces", factors.pieces());
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
        let (columns, places) = ([&[0, 1, 2][..], &[0, 1]], [2, 1, 0]);
        factors.begin_whole(2);
        factors.set_row(0, &(0..2), columns[0], &[7.0, 2.0, 4.0], &places);
        factors.set_row(1, &(0..2), columns[1], &[8.0, 5.0], &places);
        assert_eq!(factors.factor(), 4.0);
        let mut x = [8.0, 10.0];
        factors.solve(&mut x, 1);
        assert_eq!(x, [1.0, 2.0]);
    }
}
