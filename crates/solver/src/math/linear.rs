//! Dense factorisations on the caller's memory: row-major slices, no allocation, bounded work.
//!
//! For masses, metrics and the choice of pivots; the closure equations of a block have factors within a skyline
//! ([`super::skyline`]). At sizes of tens of rows, branches and calls dominate the cost, so the kernels are plain loops
//! over slices. `n × m` means n rows, m columns, entry (i, j) at `i * m + j`.

use crate::math::elementary::sqrt;

/// Result of [`select_pivots`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// Number of pivots above the tolerance.
    pub rank: usize,
    /// Magnitude of the smallest of these pivots, 0 without any.
    pub smallest: f64,
    /// Magnitude of the largest of these pivots, 0 without any.
    pub largest: f64,
}

/// Thresholds below which [`select_pivots`] accepts no pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a fraction of the largest pivot so far.
    pub relative: f64,
    /// In the units of the matrix. A matrix that contains only round-off has no pivot as a reference, so the caller
    /// provides the size of its entries before cancellation.
    pub absolute: f64,
}

/// The best pivot candidate of a row, stored by [`select_pivots`] for every row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    class: u8,
    size: f64,
    column: u32,
}

impl Candidate {
    /// Overwrites the size with `value` and integers with the largest of their type. A test uses it to prove that a
    /// choice keeps no old data.
    pub(crate) fn fill(&mut self, value: f64) {
        *self = Candidate { class: u8::MAX, size: value, column: u32::MAX };
    }

    fn beats(&self, other: &Candidate) -> bool {
        let better = self.class < other.class || (self.class == other.class && self.size > other.size);
        self.size > 0.0 && (other.size == 0.0 || better)
    }

    /// The better of two candidates in a row; with equal entries, the candidate in the lower column.
    fn or(self, other: Candidate) -> Candidate {
        let tie = other.class == self.class && other.size == self.size && other.column < self.column;
        if other.beats(&self) || tie { other } else { self }
    }
}

/// Gaussian elimination with full pivoting on the `n × m` matrix `a` (overwritten); `candidates` is scratch of n
/// entries.
///
/// On return the first `rank` entries of `rows` and `columns` (permutations of 0..n and 0..m) name the pivots in order.
/// A column `j` with a higher `class[j]` becomes a pivot only when no lower class offers one above `tolerance`: this is
/// how preferred coordinates stay independent. Ties go to the lowest row, then the lowest column, so the result is
/// deterministic. Only rows with an entry in the pivot's column are touched, in the columns in which the pivot's row
/// has entries: in a sparse matrix the work is far less than n · m · rank.
pub fn select_pivots(
    a: &mut [f64],
    (n, m): (usize, usize),
    class: &[u8],
    tolerance: Tolerance,
    (rows, columns): (&mut [u32], &mut [u32]),
    candidates: &mut [Candidate],
) -> Selection {
    (0u32..).zip(rows.iter_mut()).for_each(|(i, row)| *row = i);
    (0u32..).zip(columns.iter_mut()).for_each(|(j, column)| *column = j);
    let mut selection = Selection { rank: 0, smallest: 0.0, largest: 0.0 };
    // The best entry of every row.
    for i in 0..n {
        candidates[i] = candidate(&a[i * m..(i + 1) * m], class, columns, tolerance.absolute);
    }
    for k in 0..n.min(m) {
        // The best row; a candidate below the threshold is searched again with the threshold.
        let threshold = tolerance.absolute.max(tolerance.relative * selection.largest);
        let mut best = (k, Candidate::default());
        for place in k..n {
            let row = rows[place] as usize;
            if candidates[row].size > 0.0 && candidates[row].size <= threshold {
                candidates[row] = candidate(&a[row * m..(row + 1) * m], class, &columns[k..], threshold);
            }
            let tie = candidates[row].class == best.1.class && candidates[row].size == best.1.size;
            if candidates[row].beats(&best.1) || tie && rows[place] < rows[best.0] {
                best = (place, candidates[row]);
            }
        }
        let (place, Candidate { size, column, .. }) = best;
        if size == 0.0 {
            break;
        }
        // Swap the pivot to position k.
        rows.swap(k, place);
        let position = (k..m).find(|&j| columns[j] == column).unwrap_or(k);
        columns.swap(k, position);
        selection.largest = selection.largest.max(size);
        selection.smallest = if k == 0 { size } else { selection.smallest.min(size) };
        selection.rank = k + 1;
        let (pivot_row, pivot_column) = (rows[k] as usize, column as usize);
        let pivot = a[pivot_row * m + pivot_column];
        // The columns changed by the pivot's row are first.
        let mut changed = k + 1;
        for place in k + 1..m {
            if a[pivot_row * m + columns[place] as usize] != 0.0 {
                columns.swap(changed, place);
                changed += 1;
            }
        }
        // Eliminate the column from the remaining rows and update their candidates.
        for &row in &rows[k + 1..n] {
            let row = row as usize;
            let factor = a[row * m + pivot_column] / pivot;
            if factor == 0.0 && candidates[row].column != column {
                continue;
            }
            let chosen = candidates[row].column;
            let mut lost = chosen == column || candidates[row].size == 0.0;
            if factor != 0.0 {
                for &j in &columns[k + 1..changed] {
                    a[row * m + j as usize] -= factor * a[pivot_row * m + j as usize];
                    lost |= j == chosen;
                }
            }
            let row_values = &a[row * m..(row + 1) * m];
            candidates[row] = match lost {
                true => candidate(row_values, class, &columns[k + 1..], threshold),
                false => candidates[row].or(candidate(row_values, class, &columns[k + 1..changed], threshold)),
            };
        }
    }
    selection
}

/// Largest entry of a row among `columns`, taken from the lowest class that has an entry above `threshold`.
fn candidate(row: &[f64], class: &[u8], columns: &[u32], threshold: f64) -> Candidate {
    let mut best = Candidate::default();
    for &column in columns {
        let size = row[column as usize].abs();
        if size > threshold {
            best = best.or(Candidate { class: class[column as usize], size, column });
        }
    }
    best
}

/// LU factors of the `n × n` matrix `a` with partial pivoting: P a = L U, unit lower L and U share `a`. `exchanges[k]`
/// is the row with which row k changed places. The columns keep their order.
///
/// Returns the smallest pivot in magnitude; the factors are unusable when it is 0 or NaN. Without row exchanges, an
/// order that was good at other positions can let the factors grow exponentially with n, long before a pivot becomes
/// small.
pub fn factor(a: &mut [f64], n: usize, exchanges: &mut [u32]) -> f64 {
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        // The largest entry of the column is the pivot.
        let mut chosen = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[chosen * n + k].abs() {
                chosen = i;
            }
        }
        exchanges[k] = chosen as u32;
        if chosen != k {
            for j in 0..n {
                a.swap(k * n + j, chosen * n + j);
            }
        }
        // The smallest pivot is the result. NaN must not be lost in a comparison.
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let pivot_row = &head[k * n..];
        let pivot = pivot_row[k];
        let size = pivot.abs();
        if size.is_nan() || size < smallest {
            smallest = size;
        }
        if size == 0.0 || size.is_nan() {
            return size;
        }
        // Eliminate the column below the pivot; the factors replace its entries.
        for row in tail.chunks_exact_mut(n) {
            let factor = row[k] / pivot;
            row[k] = factor;
            if factor != 0.0 {
                for j in k + 1..n {
                    row[j] -= factor * pivot_row[j];
                }
            }
        }
    }
    smallest
}

/// Solves a x = b in place from the factors of [`factor`].
pub fn solve_lu(lu: &[f64], n: usize, exchanges: &[u32], x: &mut [f64]) {
    for (k, &other) in exchanges[..n].iter().enumerate() {
        x.swap(k, other as usize);
    }
    for i in 1..n {
        let mut sum = x[i];
        for j in 0..i {
            sum -= lu[i * n + j] * x[j];
        }
        x[i] = sum;
    }
    for i in (0..n).rev() {
        let mut sum = x[i];
        for j in i + 1..n {
            sum -= lu[i * n + j] * x[j];
        }
        x[i] = sum / lu[i * n + i];
    }
}

/// Cholesky factor L (lower triangle of `a`) of a symmetric positive definite `n × n` matrix whose lower triangle is in
/// `a`. `Err(k)` names the first pivot that is not above `tolerance` times its diagonal entry: that coordinate has no
/// inertia that is independent of the coordinates before it.
pub fn cholesky(a: &mut [f64], n: usize, tolerance: f64) -> Result<(), usize> {
    for k in 0..n {
        let (head, tail) = a.split_at_mut(k * n);
        let row = &mut tail[..n];
        for j in 0..k {
            let other = &head[j * n..j * n + j + 1];
            let mut sum = row[j];
            for i in 0..j {
                sum -= row[i] * other[i];
            }
            row[j] = sum / other[j];
        }
        let diagonal = row[k];
        let mut sum = diagonal;
        for value in &row[..k] {
            sum -= value * value;
        }
        // The comparison also rejects NaN.
        if !(sum > tolerance * diagonal && sum > 0.0) {
            return Err(k);
        }
        row[k] = sqrt(sum);
    }
    Ok(())
}

/// Solves L x = b in place.
pub fn solve_lower(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let mut sum = x[i];
        for j in 0..i {
            sum -= l[i * n + j] * x[j];
        }
        x[i] = sum / l[i * n + i];
    }
}

/// Solves Lᵀ x = b in place.
pub fn solve_lower_transposed(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        let mut sum = x[i];
        for j in i + 1..n {
            sum -= l[j * n + i] * x[j];
        }
        x[i] = sum / l[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(n: usize, m: usize) -> Vec<f64> {
        (0..n * m).map(|i| ((i * 7919 + 13) % 101) as f64 / 101.0 - 0.5).collect()
    }

    #[test]
    fn full_pivoting_finds_the_rank_of_a_product() {
        let (n, m, rank) = (7, 9, 4);
        let (left, right) = (sample(n, rank), sample(rank, m));
        let mut a = vec![0.0; n * m];
        for i in 0..n {
            for j in 0..m {
                a[i * m + j] = (0..rank).map(|k| left[i * rank + k] * right[k * m + j]).sum();
            }
        }
        let (mut rows, mut columns) = (vec![0; n], vec![0; m]);
        let found = select_pivots(
            &mut a,
            (n, m),
            &vec![0; m],
            Tolerance { relative: 1e-12, absolute: 0.0 },
            (&mut rows, &mut columns),
            &mut vec![Candidate::default(); n],
        );
        assert_eq!(found.rank, rank);
    }

    #[test]
    fn a_preferred_column_stays_independent_when_others_suffice() {
        let mut a = vec![10.0, 1.0, 0.5];
        let (mut rows, mut columns) = (vec![0; 1], vec![0; 3]);
        let tolerance = Tolerance { relative: 1e-9, absolute: 0.0 };
        select_pivots(&mut a, (1, 3), &[1, 0, 0], tolerance, (&mut rows, &mut columns), &mut [Candidate::default()]);
        assert_eq!(columns[0], 1);
    }

    #[test]
    fn a_matrix_of_round_off_has_no_rank() {
        let mut a: Vec<f64> = sample(5, 3).iter().map(|value| 1e-17 * value).collect();
        let (mut rows, mut columns) = (vec![0; 5], vec![0; 3]);
        let tolerance = Tolerance { relative: 1e-9, absolute: 1e-13 };
        let mut candidates = [Candidate::default(); 5];
        let found = select_pivots(&mut a, (5, 3), &[0; 3], tolerance, (&mut rows, &mut columns), &mut candidates);
        assert_eq!(found, Selection { rank: 0, smallest: 0.0, largest: 0.0 });
    }

    #[test]
    fn lu_solves() {
        let n = 6;
        let mut a = sample(n, n);
        for i in 0..n {
            // Large off-diagonal entries, so that rows must be exchanged.
            a[i * n + (i + 2) % n] += 3.0;
        }
        let mut exchanges = vec![0; n];
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect();
        assert!(factor(&mut a, n, &mut exchanges) > 1.0);
        solve_lu(&a, n, &exchanges, &mut b);
        for (have, want) in b.iter().zip(&x) {
            assert!((have - want).abs() < 1e-13);
        }
    }

    #[test]
    fn cholesky_solves_and_names_the_pivot_that_fails() {
        let n = 5;
        let g = sample(n, n);
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] =
                    (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum::<f64>() + if i == j { 1.0 } else { 0.0 };
            }
        }
        let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect();
        let mut l = a.clone();
        cholesky(&mut l, n, 1e-14).unwrap();
        solve_lower(&l, n, &mut b);
        solve_lower_transposed(&l, n, &mut b);
        for (have, want) in b.iter().zip(&x) {
            assert!((have - want).abs() < 1e-12);
        }
        for j in 0..n {
            a[3 * n + j] = a[2 * n + j];
            a[j * n + 3] = a[j * n + 2];
        }
        a[3 * n + 3] = a[2 * n + 2];
        assert_eq!(cholesky(&mut a, n, 1e-12), Err(3));
    }
}
