//! Stresses at points of a section, and invariants of stress tensors.

use crate::math::scalar::Scalar;

/// Sweeps of Jacobi's method. Each one about squares the off-diagonal entries, as fractions of the largest entry.
const JACOBI_SWEEPS: usize = 8;

/// A stress as a function of the six internal forces of a section (N, Vy, Vz in N, T, My, Mz in N m), or of the six
/// components xx, yy, zz, xy, yz, xz of a tensor in Pa.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum StressLaw {
    /// Normal stress, or a component of a tensor: a linear form.
    Normal([f64; 6]),
    /// Magnitude of the shear stress with the components xy and xz, each a linear form.
    Shear([[f64; 6]; 2]),
    /// Von Mises stress √(σ² + 3 τ²) of a normal and a shear stress.
    Beam([f64; 6], [[f64; 6]; 2]),
    /// An invariant of a tensor.
    Tensor(TensorInvariant),
}

/// Invariants of a stress tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum TensorInvariant {
    /// Von Mises stress.
    VonMises,
    /// Largest shear stress (Tresca): half of the difference of the largest and smallest principal stress.
    MaxShear,
    /// Largest, middle (1) and smallest (2) principal stress, tension positive.
    Principal(usize),
}

impl StressLaw {
    /// The stress in Pa.
    pub fn value<S: Scalar>(&self, forces: &[S; 6]) -> S {
        match self {
            StressLaw::Normal(row) => linear(row, forces),
            StressLaw::Shear(rows) => norm([linear(&rows[0], forces), linear(&rows[1], forces), S::zero()]),
            StressLaw::Beam(row, rows) => {
                let [y, z] = [linear(&rows[0], forces), linear(&rows[1], forces)];
                norm([linear(row, forces), y * SQRT_3, z * SQRT_3])
            }
            StressLaw::Tensor(TensorInvariant::VonMises) => von_mises(forces),
            StressLaw::Tensor(TensorInvariant::MaxShear) => {
                let [largest, _, smallest] = principal_stresses(forces);
                largest * 0.5 - smallest * 0.5
            }
            StressLaw::Tensor(TensorInvariant::Principal(k)) => principal_stresses(forces)[(*k).min(2)],
        }
    }

    /// Whether the stress depends on force `i`.
    pub fn depends_on(&self, i: usize) -> bool {
        match self {
            StressLaw::Normal(row) => row[i] != 0.0,
            StressLaw::Shear(rows) => rows.iter().any(|row| row[i] != 0.0),
            StressLaw::Beam(row, rows) => row[i] != 0.0 || rows.iter().any(|row| row[i] != 0.0),
            StressLaw::Tensor(_) => true,
        }
    }
}

const SQRT_3: f64 = 1.732_050_807_568_877_2;

fn linear<S: Scalar>(row: &[f64; 6], forces: &[S; 6]) -> S {
    row.iter().zip(forces).map(|(factor, force)| *force * *factor).sum()
}

/// Largest magnitude, which scales the numbers so that squares neither overflow nor underflow; 0 if all are 0.
fn scale<S: Scalar>(numbers: &[S]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| f64::max(largest, number.value().abs()))
}

fn norm<S: Scalar>(numbers: [S; 3]) -> S {
    let scale = scale(&numbers);
    if !(scale > 0.0) {
        return S::zero();
    }
    let square = |x: S| (x / scale) * (x / scale);
    (square(numbers[0]) + square(numbers[1]) + square(numbers[2])).sqrt() * scale
}

/// Von Mises stress of the tensor xx, yy, zz, xy, yz, xz: √(½ ((xx − yy)² + (yy − zz)² + (zz − xx)²) + 3 (xy² + yz² +
/// xz²)).
pub fn von_mises<S: Scalar>(tensor: &[S; 6]) -> S {
    let scale = scale(tensor);
    if !(scale > 0.0) {
        return S::zero();
    }
    let [xx, yy, zz, xy, yz, xz] = tensor.map(|entry| entry / scale);
    let square = |x: S| x * x;
    let normal = square(xx - yy) + square(yy - zz) + square(zz - xx);
    (normal * 0.5 + (square(xy) + square(yz) + square(xz)) * 3.0).sqrt() * scale
}

/// Principal stresses of the tensor xx, yy, zz, xy, yz, xz, descending, tension positive.
///
/// The eigenvectors are computed by Jacobi's method (G. H. Golub, C. F. Van Loan, Matrix Computations, section 8.5)
/// from the values. The eigenvalues are vᵀ σ v, so their derivatives are vᵀ dσ v.
pub fn principal_stresses<S: Scalar>(tensor: &[S; 6]) -> [S; 3] {
    let scale = scale(tensor);
    if !(scale > 0.0) {
        return [S::zero(); 3];
    }
    let scaled = tensor.map(|entry| entry / scale);
    let vectors = eigenvectors(scaled.map(Scalar::value));
    let [xx, yy, zz, xy, yz, xz] = scaled;
    let mut stresses = vectors.map(|[x, y, z]| {
        let direct = xx * (x * x) + yy * (y * y) + zz * (z * z);
        (direct + xy * (2.0 * x * y) + yz * (2.0 * y * z) + xz * (2.0 * x * z)) * scale
    });
    // Three numbers are sorted by three comparisons.
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if stresses[i].value() < stresses[j].value() {
            stresses.swap(i, j);
        }
    }
    stresses
}

/// Orthonormal eigenvectors of a symmetric matrix xx, yy, zz, xy, yz, xz with entries of at most 1.
fn eigenvectors([xx, yy, zz, xy, yz, xz]: [f64; 6]) -> [[f64; 3]; 3] {
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..JACOBI_SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            // The rotation in the plane (p, q) that removes the entry, with the smaller of both angles.
            let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0 / (tau.abs() + (1.0 + tau * tau).sqrt()) * if tau < 0.0 { -1.0 } else { 1.0 };
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            let r = 3 - p - q;
            let (pp, qq, pq) = (a[p][p], a[q][q], a[p][q]);
            (a[p][p], a[q][q]) = (pp - t * pq, qq + t * pq);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            let (rp, rq) = (a[r][p], a[r][q]);
            (a[r][p], a[r][q]) = (c * rp - s * rq, s * rp + c * rq);
            (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
            for k in 0..3 {
                let (vp, vq) = (vectors[p][k], vectors[q][k]);
                (vectors[p][k], vectors[q][k]) = (c * vp - s * vq, s * vp + c * vq);
            }
        }
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, scale: f64) -> bool {
        (found - wanted).abs() <= 1e-14 * scale
    }

    fn invariants(tensor: [f64; 6]) -> [f64; 5] {
        let of = |invariant| StressLaw::Tensor(invariant).value(&tensor);
        let principal = |k| of(TensorInvariant::Principal(k));
        [of(TensorInvariant::VonMises), of(TensorInvariant::MaxShear), principal(0), principal(1), principal(2)]
    }

    #[test]
    fn invariants_of_simple_states_are_their_closed_forms() {
        let t = 123.0;
        for (tensor, wanted) in [
            // Uniaxial, hydrostatic, pure shear in each plane, and no stress.
            ([t, 0.0, 0.0, 0.0, 0.0, 0.0], [t, t / 2.0, t, 0.0, 0.0]),
            ([0.0, -t, 0.0, 0.0, 0.0, 0.0], [t, t / 2.0, 0.0, 0.0, -t]),
            ([-t, -t, -t, 0.0, 0.0, 0.0], [0.0, 0.0, -t, -t, -t]),
            ([0.0, 0.0, 0.0, t, 0.0, 0.0], [SQRT_3 * t, t, t, 0.0, -t]),
            ([0.0, 0.0, 0.0, 0.0, -t, 0.0], [SQRT_3 * t, t, t, 0.0, -t]),
            ([0.0, 0.0, 0.0, 0.0, 0.0, t], [SQRT_3 * t, t, t, 0.0, -t]),
            ([0.0; 6], [0.0; 5]),
        ] {
            for factor in [1.0, 1e-300, 1e300] {
                let found = invariants(tensor.map(|entry| entry * factor));
                let all = found.iter().zip(wanted).all(|(a, b)| close(*a, b * factor, t * factor));
                assert!(all, "{tensor:?} · {factor}: {found:?} instead of {wanted:?}");
            }
        }
    }

    #[test]
    fn principal_stresses_of_rotated_states_are_the_stresses_before_the_rotation() {
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -1.1, 2.0);
        for wanted in
            [[3.0, 1.0, -7.0], [5.0, 5.0, 5.0], [2.0, 2.0, -1.0], [1e9, 1e9 - 1.0, -1e-3], [0.0, -1e-12, -1.0]]
        {
            let diagonal = nalgebra::Matrix3::from_diagonal(&wanted.into());
            let a = turn.matrix() * diagonal * turn.matrix().transpose();
            let found = invariants([a[(0, 0)], a[(1, 1)], a[(2, 2)], a[(0, 1)], a[(1, 2)], a[(0, 2)]]);
            let largest = wanted.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let all = found[2..].iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-14 * largest);
            assert!(all && found[2] >= found[3] && found[3] >= found[4], "{found:?} instead of {wanted:?}");
            assert!((found[1] - 0.5 * (wanted[0] - wanted[2])).abs() <= 1e-14 * largest, "{found:?}");
            let [x, y, z] = wanted;
            let mises = (0.5 * ((x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2))).sqrt();
            assert!((found[0] - mises).abs() <= 1e-14 * largest, "{found:?} instead of {mises}");
        }
    }

    #[test]
    fn the_largest_and_smallest_numbers_give_finite_stresses() {
        let numbers = [0.0, 1e60, -1e60, 5e-324, -1e-200, 1.0];
        for k in 0..6_usize.pow(6) {
            let tensor = core::array::from_fn(|i| numbers[k / 6_usize.pow(i as u32) % 6]);
            let found = invariants(tensor);
            assert!(found.iter().all(|stress| stress.is_finite()), "{tensor:?}: {found:?}");
            assert!(
                found[0] >= 0.0 && found[1] >= 0.0 && found[0] <= 2.0 * found[1] * (1.0 + 1e-12) + 1e46,
                "{found:?}"
            );
        }
    }
    #[test]
    fn derivatives_of_invariants_are_those_of_central_differences() {
        use crate::math::scalar::Dual;
        let laws = [
            StressLaw::Tensor(TensorInvariant::VonMises),
            StressLaw::Tensor(TensorInvariant::MaxShear),
            StressLaw::Tensor(TensorInvariant::Principal(0)),
            StressLaw::Tensor(TensorInvariant::Principal(1)),
            StressLaw::Tensor(TensorInvariant::Principal(2)),
            StressLaw::Shear([[0.3, -1.0, 0.0, 2.0, 0.0, 0.5], [0.0, 0.7, 1.0, -0.4, 0.2, 0.0]]),
            StressLaw::Beam([1.0, 0.0, 0.0, 0.0, -3.0, 2.0], [[0.3, -1.0, 0.0, 2.0, 0.0, 0.5], [0.4; 6]]),
        ];
        let at = [3.0, -1.0, 0.5, 0.7, -2.0, 1.1];
        for law in laws {
            let dual: [Dual<6>; 6] =
                core::array::from_fn(|i| Dual::new(at[i], core::array::from_fn(|k| f64::from(u8::from(i == k)))));
            let found = law.value(&dual);
            assert!((found.value() - law.value(&at)).abs() <= 1e-15 * found.value().abs());
            for k in 0..6 {
                let moved = |step: f64| law.value(&core::array::from_fn(|i| at[i] + if i == k { step } else { 0.0 }));
                // Truncation is 1e-12 and rounding 1e-10.
                let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!((found.slopes[k] - slope).abs() <= 1e-8, "{law:?} {k}: {} {slope}", found.slopes[k]);
            }
        }
    }
}
