//! The damping matrix of a reduced model. Rigid motions are never damped.

use super::Refusal;
use ballesta::rom::elastic_modes::ElasticModes;
use nalgebra::DMatrix;

/// Damping of a reduced model.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Damping {
    /// No damping.
    #[default]
    None,
    /// One ratio ζ for all elastic modes of the free body.
    Ratio(f64),
    /// A ratio for each of the lowest elastic modes of the free body; the last ratio applies to all further modes.
    Ratios(Vec<f64>),
    /// C = α M + β K, with the rigid motions removed from M: α in 1/s, β in s.
    Rayleigh(f64, f64),
}

/// C (N × N) of a body with K, M, rigid motions R (N × r) and elastic modes.
///
/// Modal: C = M V diag(2 ζ ω) Vᵀ M with the elastic modes V of the whole reduced pencil, so that constraint modes are
/// damped too.
pub(super) fn matrix(
    damping: &Damping,
    k: &DMatrix<f64>,
    m: &DMatrix<f64>,
    rigid: &DMatrix<f64>,
    elastic: &ElasticModes,
) -> Result<DMatrix<f64>, Refusal> {
    let modal = |ratio: &dyn Fn(usize) -> f64| {
        let image = m * &elastic.shapes;
        let rates = nalgebra::DVector::from_fn(elastic.omega.len(), |i, _| 2.0 * ratio(i) * elastic.omega[i]);
        &image * DMatrix::from_diagonal(&rates) * image.transpose()
    };
    let c = match damping {
        Damping::None => DMatrix::zeros(k.nrows(), k.nrows()),
        Damping::Ratio(ratio) => modal(&|_| *ratio),
        Damping::Ratios(ratios) => match ratios.last() {
            Some(last) => modal(&|i| ratios.get(i).copied().unwrap_or(*last)),
            None => return Err(Refusal::new("damping.ratios", "no ratio is given", "give at least one ratio")),
        },
        Damping::Rayleigh(alpha, beta) => {
            let image = m * rigid;
            let gram = rigid.tr_mul(&image);
            let inverse = gram.try_inverse().ok_or_else(|| {
                Refusal::new("damping.rayleigh", "the rigid motions have zero mass", "add mass to the structure")
            })?;
            (m - &image * inverse * image.transpose()) * *alpha + k * *beta
        }
    };
    Ok((&c + c.transpose()) * 0.5)
}

/// Damping of rigid motions, relative to the largest entries of C and R, below which it is round-off.
const RIGID_DAMPING_TOLERANCE: f64 = 1e-12;

/// The part of a damping matrix C (N × N) that does not resist rigid motions R (N × r): EᵀC E, E = I − R (Rᵀ M R)⁻¹ Rᵀ
/// M.
pub(super) fn elastic(c: &DMatrix<f64>, m: &DMatrix<f64>, rigid: &DMatrix<f64>) -> Result<DMatrix<f64>, Refusal> {
    if (c * rigid).amax() <= RIGID_DAMPING_TOLERANCE * c.amax() * rigid.amax() {
        return Ok((c + c.transpose()) * 0.5);
    }
    let image = m * rigid;
    let inverse = rigid.tr_mul(&image).try_inverse().ok_or_else(|| {
        Refusal::new("matrices.mass", "the rigid motions have zero mass", "give the mass matrix of the whole body")
    })?;
    let elastic = DMatrix::identity(m.nrows(), m.nrows()) - rigid * inverse * image.transpose();
    let c = elastic.tr_mul(&(c * &elastic));
    Ok((&c + c.transpose()) * 0.5)
}
