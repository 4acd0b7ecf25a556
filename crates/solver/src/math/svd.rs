//! Singular values of a small dense matrix by one-sided Jacobi rotations (Hestenes), on the caller's memory.
//!
//! The method is slow compared with bidiagonalisation but computes small singular values to high relative accuracy, and
//! its work is bounded by the number of sweeps. It is used by analyses and as the reference for
//! [`super::sparse_least_change`]; m² n operations per sweep are too many for a time step.

use crate::math::elementary::sqrt;

/// Sweeps after which the rotations stop.
const SWEEPS: usize = 30;
/// Two rows count as orthogonal if the square of their cosine is below this value. Multiplied by the length of the
/// rows, this is the level of rounding.
const ORTHOGONALITY_TOLERANCE: f64 = 1e-33;

/// Orthogonalises the `count` rows of `y`, each of `width` entries, by plane rotations: on return row k holds σ_k v_kᵀ,
/// the singular value and right singular vector of the matrix that was in `y` (`count × width`), sorted by falling σ,
/// and row k of `w` (`count × count`) the left singular vector u_k. `sigma` receives the singular values.
pub fn orthogonalise_rows(y: &mut [f64], w: &mut [f64], sigma: &mut [f64], (count, width): (usize, usize)) {
    // Start: w is the identity, sigma the squares of the row norms.
    w[..count * count].fill(0.0);
    for k in 0..count {
        w[k * count + k] = 1.0;
    }
    for k in 0..count {
        sigma[k] = norm2(&y[k * width..(k + 1) * width]);
    }
    // A row this small (1e-14 of the matrix) is rounding: a redundant equation. Rotating noise against noise would not
    // converge.
    let floor = sigma[..count].iter().sum::<f64>() * 1e-28;
    // Sweeps of plane rotations over all pairs of rows.
    let mut previous = f64::INFINITY;
    for _ in 0..SWEEPS {
        let mut largest = 0.0f64;
        for p in 0..count {
            for q in p + 1..count {
                if sigma[p] > floor && sigma[q] > floor {
                    largest = largest.max(rotate_pair(y, w, sigma, (count, width), p, q));
                }
            }
        }
        // In long rows the cosines remain at the rounding of their sums; further sweeps would not reduce them.
        if largest <= ORTHOGONALITY_TOLERANCE
            || largest <= ORTHOGONALITY_TOLERANCE * width as f64 && largest >= 0.25 * previous
        {
            break;
        }
        previous = largest;
    }
    // Singular values, sorted.
    sigma[..count].iter_mut().for_each(|square| *square = sqrt(*square));
    for k in 0..count {
        let mut largest = k;
        for i in k + 1..count {
            if sigma[i] > sigma[largest] {
                largest = i;
            }
        }
        if largest != k {
            sigma.swap(k, largest);
            for j in 0..width {
                y.swap(k * width + j, largest * width + j);
            }
            for j in 0..count {
                w.swap(k * count + j, largest * count + j);
            }
        }
    }
}

/// Makes rows p and q orthogonal; `squares` holds the squares of the norms of all rows. Returns the square of their
/// cosine before the rotation.
fn rotate_pair(
    y: &mut [f64],
    w: &mut [f64],
    squares: &mut [f64],
    (count, width): (usize, usize),
    p: usize,
    q: usize,
) -> f64 {
    let (a, b) = (squares[p], squares[q]);
    let c = dot(&y[p * width..(p + 1) * width], &y[q * width..(q + 1) * width]);
    let cosine_squared = c * c / (a * b);
    if !(cosine_squared > ORTHOGONALITY_TOLERANCE) {
        return 0.0;
    }
    let zeta = (b - a) / (2.0 * c);
    let t = zeta.signum() / (zeta.abs() + sqrt(1.0 + zeta * zeta));
    let cosine = 1.0 / sqrt(1.0 + t * t);
    let sine = cosine * t;
    rotate_rows(y, width, p, q, cosine, sine);
    rotate_rows(w, count, p, q, cosine, sine);
    for k in [p, q] {
        squares[k] = norm2(&y[k * width..(k + 1) * width]);
    }
    cosine_squared
}

fn rotate_rows(m: &mut [f64], width: usize, p: usize, q: usize, cosine: f64, sine: f64) {
    let (head, tail) = m.split_at_mut(q * width);
    for (x, z) in head[p * width..(p + 1) * width].iter_mut().zip(&mut tail[..width]) {
        (*x, *z) = (cosine * *x - sine * *z, sine * *x + cosine * *z);
    }
}

fn norm2(row: &[f64]) -> f64 {
    dot(row, row)
}

/// Four independent sums; dependent additions would take most of the time.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, others) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = fours.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in fours.zip(others) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
/// Completes `kept` orthonormal rows of `v` (each of `width` entries) to an orthonormal basis: rows `kept..width` are
/// written. Deterministic: the next row is always the unit vector with the largest remainder, orthogonalised twice.
pub(crate) fn complete_basis(v: &mut [f64], kept: usize, width: usize) {
    for k in kept..width {
        // The unit vector with the largest remainder.
        let (mut best, mut remainder) = (0, -1.0);
        for j in 0..width {
            let mut left = 1.0;
            for i in 0..k {
                left -= v[i * width + j] * v[i * width + j];
            }
            if left > remainder + 1e-12 {
                (best, remainder) = (j, left);
            }
        }
        let (done, rest) = v.split_at_mut(k * width);
        let row = &mut rest[..width];
        row.fill(0.0);
        row[best] = 1.0;
        // Orthogonalise twice, since once leaves the rounding of a short remainder.
        for _ in 0..2 {
            for other in done.chunks_exact(width) {
                let mut c = 0.0;
                for j in 0..width {
                    c += other[j] * row[j];
                }
                for j in 0..width {
                    row[j] -= c * other[j];
                }
            }
            let scale = 1.0 / norm2(row).sqrt();
            for value in row.iter_mut() {
                *value *= scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_singular_values_keep_their_digits() {
        // Rows (1, 1) and (1, 1 + 1e-9): the small singular value is 5e-10 to first order.
        let mut y = [1.0, 1.0, 1.0, 1.0 + 1e-9];
        let (mut w, mut sigma) = ([0.0; 4], [0.0; 2]);
        orthogonalise_rows(&mut y, &mut w, &mut sigma, (2, 2));
        let product: f64 = sigma[0] * sigma[1];
        assert!((product - ((1.0f64 + 1e-9) - 1.0)).abs() < 1e-9 * 1e-6);
    }

    #[test]
    fn factors_reproduce_the_matrix_and_are_orthogonal() {
        let (n, m) = (5, 7);
        let a = crate::check::numbers::Random(3).numbers(n * m);
        let (mut y, mut w, mut sigma) = (a.clone(), vec![0.0; n * n], vec![0.0; n]);
        orthogonalise_rows(&mut y, &mut w, &mut sigma, (n, m));
        for i in 0..n {
            for j in 0..m {
                let back: f64 = (0..n).map(|k| w[k * n + i] * y[k * m + j]).sum();
                assert!((back - a[i * m + j]).abs() < 1e-12);
            }
        }
        assert!(sigma.windows(2).all(|pair| pair[0] >= pair[1]));
        for k in 0..n {
            for j in 0..m {
                y[k * m + j] /= sigma[k];
            }
        }
        let mut basis = vec![0.0; m * m];
        basis[..n * m].copy_from_slice(&y);
        complete_basis(&mut basis, n, m);
        for i in 0..m {
            for k in 0..m {
                let dot: f64 = (0..m).map(|j| basis[i * m + j] * basis[k * m + j]).sum();
                assert!((dot - if i == k { 1.0 } else { 0.0 }).abs() < 1e-13);
            }
        }
    }
}
