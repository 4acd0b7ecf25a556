//! Elastic modes of a free reduced body: (K − ω² M) φ = 0 without the rigid motions.
//!
//! K and M are N × N, symmetric; K is semidefinite with exactly the rigid motions R (N × r, r = 6, 3 in the plane, or
//! fewer) in its null space; M is positive definite. N is some hundred at most.
//!
//! Rigid motions are removed by geometry, never by a threshold on the frequencies: a soft body may have elastic modes
//! below the round-off of the "zero" ones. Hold r coordinates in which the rigid motions are independent (chosen by
//! pivoting), let E be the columns of the identity for all the others and P = I − R (Rᵀ M R)⁻¹ Rᵀ M. Every elastic
//! motion is φ = P E v, so with M = L Lᵀ and Eᵀ K E = L_K L_Kᵀ
//!
//! ```text
//!     Y = (I − Q Qᵀ) Lᵀ E L_K⁻ᵀ,   Q Qᵀ the projector on the range of Lᵀ R,      Y = U diag(1/ω) Vᵀ,      φ = L⁻ᵀ U
//! ```
//!
//! K and M are never mixed by a full orthogonal transformation and never multiplied out, and the singular values come
//! from one-sided Jacobi rotations. So a body whose stiffnesses differ by many orders of magnitude keeps the relative
//! accuracy of its low and high frequencies (Drmač: accurate computation of the product-induced singular value
//! decomposition, 1998). The cost is some 50 N³ operations.

use ballesta_solver::math::linear;
use nalgebra::{DMatrix, DVector};
use std::fmt;

/// Condition number of M, scaled to a unit diagonal, from which elastic modes are rejected.
pub const MAX_CONDITION_NUMBER: f64 = 1e12;

/// Relative difference below which pivots of rigid motions (columns of largest entry 1) count as equal. Symmetric
/// bodies have equal pivots, and rounding (1e-16 per step, coordinates of a file to 1e-12) must not choose between
/// them.
const PIVOT_TIE_TOLERANCE: f64 = 1e-9;

/// Largest pivot of rigid motions (columns of largest entry 1) that counts as zero, so that the motions are dependent.
/// It is far above the rounding that elimination leaves in a dependent column. It is far below the pivot of an
/// independent column, unless the interfaces are closer than 1e-9 of their distance from the origin of C.
const DEPENDENCE_TOLERANCE: f64 = 1e-9;

/// A symmetric matrix from its lower half row by row, n(n+1)/2 numbers.
///
/// # Panics
/// When the length does not fit.
pub fn unpack(packed: &[f64], n: usize) -> DMatrix<f64> {
    assert_eq!(packed.len(), n * (n + 1) / 2, "a packed symmetric matrix of size {n}");
    DMatrix::from_fn(n, n, |i, j| packed[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)])
}

/// The lower half of a symmetric matrix row by row.
pub fn pack(matrix: &DMatrix<f64>) -> Vec<f64> {
    (0..matrix.nrows()).flat_map(|i| (0..=i).map(move |j| matrix[(i, j)])).collect()
}

/// Natural frequencies and modes of the free body, without rigid motions.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticModes {
    /// ω in rad/s, ascending: N − r values.
    pub omega: Vec<f64>,
    /// One mode per column, N × (N − r): Φᵀ M Φ = I, Rᵀ M Φ = 0; the largest component of each mode is positive.
    pub shapes: DMatrix<f64>,
    /// Condition number of M, scaled to a unit diagonal.
    pub mass_condition: f64,
}

/// The reason why a pencil has no elastic modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModesError {
    /// M is not positive definite: the pivot of this coordinate (from 0) is not positive.
    Mass {
        /// Coordinate.
        coordinate: usize,
    },
    /// K with the rigid motions held is not positive definite: the pivot of this coordinate (from 0) is not positive.
    Stiffness {
        /// Coordinate.
        coordinate: usize,
    },
    /// The columns of R depend on each other.
    Rigid {
        /// Number of independent columns.
        rank: usize,
    },
    /// M is so ill-conditioned that its modes would be noise.
    Condition {
        /// Condition number of M, scaled to a unit diagonal.
        condition: f64,
    },
}

impl fmt::Display for ModesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModesError::Mass { coordinate } => {
                write!(f, "the mass matrix is not positive definite (pivot of coordinate {coordinate})")
            }
            ModesError::Stiffness { coordinate } => {
                write!(f, "the stiffness matrix is not positive definite with the rigid motions held ")?;
                write!(f, "(pivot of coordinate {coordinate})")
            }
            ModesError::Rigid { rank } => write!(f, "only {rank} of the rigid motions are independent"),
            ModesError::Condition { condition } => {
                write!(
                    f,
                    "the mass matrix has the condition number {condition:.1e}; the limit is {MAX_CONDITION_NUMBER:.0e}"
                )
            }
        }
    }
}

impl std::error::Error for ModesError {}

/// Elastic modes of K (N × N, N/m and the like), M (N × N, kg and the like) with rigid motions `rigid` (N × r,
/// independent columns only; r = 0 for a supported body).
///
/// # Errors
/// See [`ModesError`].
pub fn elastic_modes(k: &DMatrix<f64>, m: &DMatrix<f64>, rigid: &DMatrix<f64>) -> Result<ElasticModes, ModesError> {
    let mass_condition = scaled_condition(m)?;
    if mass_condition > MAX_CONDITION_NUMBER {
        return Err(ModesError::Condition { condition: mass_condition });
    }
    let (lt, y) = inverse_map(k, m, rigid)?;
    let (sigma, u) = jacobi(y);
    let mut shapes = lt.solve_upper_triangular(&u).expect("a Cholesky factor has a positive diagonal");
    for mut shape in shapes.column_iter_mut() {
        if sign(shape.as_slice()) < 0.0 {
            shape.neg_mut();
        }
    }
    Ok(ElasticModes { omega: sigma.iter().map(|sigma| 1.0 / sigma).collect(), shapes, mass_condition })
}

/// Σ 1/ω² in s² over the elastic modes, without computing the modes.
///
/// # Errors
/// See [`ModesError`].
pub(super) fn inverse_frequencies(k: &DMatrix<f64>, m: &DMatrix<f64>, rigid: &DMatrix<f64>) -> Result<f64, ModesError> {
    Ok(inverse_map(k, m, rigid)?.1.norm_squared())
}

/// Lᵀ, and Y, whose singular values are 1/ω.
fn inverse_map(
    k: &DMatrix<f64>,
    m: &DMatrix<f64>,
    rigid: &DMatrix<f64>,
) -> Result<(DMatrix<f64>, DMatrix<f64>), ModesError> {
    let l = cholesky(m).map_err(|coordinate| ModesError::Mass { coordinate })?;
    let (kept, l_k) = held_stiffness(k, rigid)?;

    // Lᵀ E less its part in the range of Lᵀ R.
    let lt = l.transpose();
    let mut motions = lt.select_columns(&kept);
    if rigid.ncols() > 0 {
        let q = (&lt * unit_columns(rigid)).qr().q();
        // A second pass removes the round-off of the first.
        for _ in 0..2 {
            motions -= &q * q.tr_mul(&motions);
        }
    }
    // Y L_Kᵀ = motions, column by column from the left.
    let y = l_k
        .solve_lower_triangular(&motions.transpose())
        .expect("a Cholesky factor has a positive diagonal")
        .transpose();
    Ok((lt, y))
}

/// The remaining coordinates E when the rigid motions are held, and the Cholesky factor of Eᵀ K E.
///
/// # Errors
/// Rigid motions that depend on each other, or a K that has another motion in its null space.
pub(super) fn held_stiffness(k: &DMatrix<f64>, rigid: &DMatrix<f64>) -> Result<(Vec<usize>, DMatrix<f64>), ModesError> {
    let kept = kept_coordinates(rigid)?;
    let held = k.select_rows(&kept).select_columns(&kept);
    let l_k = cholesky(&held).map_err(|at| ModesError::Stiffness { coordinate: kept[at] })?;
    Ok((kept, l_k))
}

/// Condition number of a symmetric positive definite matrix scaled to a unit diagonal.
///
/// # Errors
/// The matrix is not positive definite.
pub fn scaled_condition(m: &DMatrix<f64>) -> Result<f64, ModesError> {
    if let Some(coordinate) = (0..m.nrows()).find(|i| !(m[(*i, *i)] > 0.0)) {
        return Err(ModesError::Mass { coordinate });
    }
    let scale: Vec<f64> = m.diagonal().iter().map(|diagonal| diagonal.sqrt()).collect();
    let scaled = DMatrix::from_fn(m.nrows(), m.nrows(), |i, j| m[(i, j)] / (scale[i] * scale[j]));
    cholesky(&scaled).map_err(|coordinate| ModesError::Mass { coordinate })?;
    let values = scaled.symmetric_eigenvalues();
    let (least, most) = values.iter().fold((f64::INFINITY, 1.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
    Ok(if values.is_empty() { 1.0 } else { most / least.max(f64::EPSILON * f64::EPSILON) })
}

/// Lower factor L of L Lᵀ; the row of the first pivot that is not positive as error.
pub fn cholesky(matrix: &DMatrix<f64>) -> Result<DMatrix<f64>, usize> {
    let n = matrix.nrows();
    let mut rows: Vec<f64> = (0..n * n).map(|at| matrix[(at / n, at % n)]).collect();
    linear::cholesky(&mut rows, n, 0.0)?;
    Ok(DMatrix::from_fn(n, n, |i, j| if j <= i { rows[i * n + j] } else { 0.0 }))
}

/// All coordinates but r in which the rigid motions are independent: Gaussian elimination on Rᵀ with full pivoting.
fn kept_coordinates(rigid: &DMatrix<f64>) -> Result<Vec<usize>, ModesError> {
    let mut work = unit_columns(rigid);
    let (n, r) = work.shape();
    let mut held = vec![false; n];
    for step in 0..r {
        let mut best = (0.0, 0, 0);
        for j in step..r {
            for i in (0..n).filter(|i| !held[*i]) {
                // Pivots that are equal within round-off: the first position is used.
                if work[(i, j)].abs() > best.0 * (1.0 + PIVOT_TIE_TOLERANCE) {
                    best = (work[(i, j)].abs(), i, j);
                }
            }
        }
        if best.0 < DEPENDENCE_TOLERANCE {
            return Err(ModesError::Rigid { rank: step });
        }
        let (_, row, column) = best;
        held[row] = true;
        work.swap_columns(step, column);
        for j in step + 1..r {
            let factor = work[(row, j)] / work[(row, step)];
            for i in 0..n {
                work[(i, j)] -= factor * work[(i, step)];
            }
        }
    }
    Ok((0..n).filter(|i| !held[*i]).collect())
}

/// The columns scaled to a largest entry of 1.
fn unit_columns(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let mut scaled = matrix.clone();
    for mut column in scaled.column_iter_mut() {
        let largest = column.amax();
        if largest > 0.0 {
            column /= largest;
        }
    }
    scaled
}

/// Singular values, descending, and left singular vectors of Y (full column rank) by one-sided Jacobi rotations. Unlike
/// [`ballesta_solver::math::svd`], it has no threshold below which a column is round-off: small columns here are high
/// frequencies.
fn jacobi(y: DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
    const SWEEPS: usize = 60;
    let (n, columns) = y.shape();
    let mut y: Vec<DVector<f64>> = y.column_iter().map(|column| column.into_owned()).collect();
    let enough = f64::EPSILON * (n as f64).sqrt();
    for _ in 0..SWEEPS {
        y.sort_by(|a, b| b.norm_squared().total_cmp(&a.norm_squared()));
        let mut rotated = false;
        for p in 0..columns {
            for q in p + 1..columns {
                let (before, after) = y.split_at_mut(q);
                rotated |= rotate(&mut before[p], &mut after[0], enough);
            }
        }
        if !rotated {
            break;
        }
    }
    y.sort_by(|a, b| b.norm_squared().total_cmp(&a.norm_squared()));
    let sigma: Vec<f64> = y.iter().map(|column| column.norm()).collect();
    let u = DMatrix::from_fn(n, columns, |i, j| y[j][i] / sigma[j]);
    (sigma, u)
}

/// Makes two columns orthogonal. Returns whether they were not.
fn rotate(a: &mut DVector<f64>, b: &mut DVector<f64>, enough: f64) -> bool {
    let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(b));
    if ab.abs() <= enough * (aa * bb).sqrt() {
        return false;
    }
    let zeta = (bb - aa) / (2.0 * ab);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for (x, y) in a.iter_mut().zip(b.iter_mut()) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    true
}

/// Sign of the largest component; if several are equal within round-off, sign of the first.
fn sign(vector: &[f64]) -> f64 {
    let largest = vector.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    vector.iter().find(|x| x.abs() >= largest * (1.0 - 1e-6)).map_or(1.0, |x| x.signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K = L Λ Lᵀ and M = L Lᵀ with a unit lower triangle of small whole numbers: exact in f64, eigenvalues exactly Λ.
    fn graded(lambda: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
        let n = lambda.len();
        let l = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => ((i * 7 + j * 3) % 3) as f64 - 1.0,
            std::cmp::Ordering::Less => 0.0,
        });
        (&l * DMatrix::from_diagonal(&DVector::from_column_slice(lambda)) * l.transpose(), &l * l.transpose())
    }

    /// A free chain of n masses m with springs k between neighbours, and its translation.
    fn chain(n: usize, k: f64, m: f64) -> (DMatrix<f64>, DMatrix<f64>, DMatrix<f64>) {
        let stiffness = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 if i == 0 || i == n - 1 => k,
            0 => 2.0 * k,
            1 => -k,
            _ => 0.0,
        });
        (stiffness, DMatrix::from_diagonal_element(n, n, m), DMatrix::from_element(n, 1, 1.0))
    }

    #[test]
    fn graded_pencils_keep_the_relative_accuracy_of_all_frequencies() {
        let lambda: Vec<f64> = (0..15).map(|i| 10.0_f64.powi(i)).collect();
        let (k, m) = graded(&lambda);
        let modes = elastic_modes(&k, &m, &DMatrix::zeros(15, 0)).expect("definite");
        for (omega, lambda) in modes.omega.iter().zip(&lambda) {
            assert!((omega * omega / lambda - 1.0).abs() < 1e-12, "{} for {lambda}", omega * omega);
        }
    }

    #[test]
    fn a_free_chain_of_masses_has_its_closed_form_and_no_rigid_mode() {
        let n = 40;
        let (k, m, rigid) = chain(n, 3e5, 0.2);
        let modes = elastic_modes(&k, &m, &rigid).expect("definite");
        assert_eq!(modes.omega.len(), n - 1);
        for (j, omega) in modes.omega.iter().enumerate() {
            let angle = (j + 1) as f64 * std::f64::consts::PI / (2.0 * n as f64);
            let closed_form = 2.0 * (3e5_f64 / 0.2).sqrt() * angle.sin();
            assert!((omega / closed_form - 1.0).abs() < 1e-12, "{omega} for {closed_form}");
        }
        let identity = modes.shapes.tr_mul(&(&m * &modes.shapes));
        assert!((identity - DMatrix::identity(n - 1, n - 1)).amax() < 1e-13);
        assert!(rigid.tr_mul(&(&m * &modes.shapes)).amax() < 1e-13);
        let residual = &k * modes.shapes.column(0) - &m * modes.shapes.column(0) * modes.omega[0].powi(2);
        assert!(residual.amax() < 1e-13 * k.amax());
        assert!(modes.shapes.column_iter().all(|shape| sign(shape.as_slice()) > 0.0));
    }

    #[test]
    fn units_and_softness_do_not_matter() {
        // This chain has one coordinate in µm and is so soft that a threshold would mistake modes for rigid motions.
        let n = 12;
        let (k, m, rigid) = chain(n, 3e-9, 0.2);
        let scale = DMatrix::from_diagonal(&DVector::from_fn(n, |i, _| if i % 3 == 1 { 1e-6 } else { 1.0 }));
        let (k, m) = (&scale * k * &scale, &scale * m * &scale);
        let rigid = scale.try_inverse().expect("diagonal") * rigid;
        let modes = elastic_modes(&k, &m, &rigid).expect("definite");
        let closed_form = 2.0 * (3e-9_f64 / 0.2).sqrt() * (std::f64::consts::PI / 24.0).sin();
        assert!((modes.omega[0] / closed_form - 1.0).abs() < 1e-12, "{} for {closed_form}", modes.omega[0]);
    }

    #[test]
    fn matrices_that_are_no_body_are_refused() {
        let (k, m, rigid) = chain(4, 1.0, 1.0);
        let mut negative = m.clone();
        negative[(2, 2)] = -1.0;
        assert_eq!(elastic_modes(&k, &negative, &rigid), Err(ModesError::Mass { coordinate: 2 }));
        assert!(matches!(elastic_modes(&-&k, &m, &rigid), Err(ModesError::Stiffness { .. })));
        let twice = DMatrix::from_element(4, 2, 1.0);
        assert_eq!(elastic_modes(&k, &m, &twice), Err(ModesError::Rigid { rank: 1 }));
        let mut coupled = m.clone();
        coupled[(0, 1)] = 1.0 - 1e-14;
        coupled[(1, 0)] = coupled[(0, 1)];
        assert!(matches!(elastic_modes(&k, &coupled, &rigid), Err(ModesError::Condition { .. })));
        // Without its spring the chain has two parts, and so a second rigid motion that the data do not contain.
        let (mut parts, one) = (k.clone(), k[(0, 0)]);
        (parts[(1, 2)], parts[(2, 1)]) = (0.0, 0.0);
        (parts[(1, 1)], parts[(2, 2)]) = (one, one);
        assert!(matches!(elastic_modes(&parts, &m, &rigid), Err(ModesError::Stiffness { .. })));
    }

    #[test]
    fn packing_is_the_inverse_of_unpacking() {
        let packed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(unpack(&packed, 3)[(0, 2)], 4.0);
        assert_eq!(pack(&unpack(&packed, 3)), packed);
    }
}
