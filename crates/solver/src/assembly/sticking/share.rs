//! Distribution of the load over several frictions that hold one motion: the least energy in their bristles.
//!
//! Problem. Given shares ζ with |ζ_i| ≤ 1 that solve the problem at rest, find the shares with the same accelerations
//! and
//!
//! ```text
//!     min Σ ½ E_i ζ_i²,    G (ζ − ζ⁰) = 0,    |ζ_i| ≤ 1,    ζ_i = ζ_i⁰ where a_i ≠ 0,
//! ```
//!
//! with E_i = F_i φ_i. The solution is unique. Method: active set. In the variables x = √E ζ of the shares that are at
//! no bound, the step to the least energy is the part of −x orthogonal to the rows of G (Gram-Schmidt). A step that
//! would leave a bound ends there. At its end a bound that prevents descent is released, the most restrictive first.
//! Values that are already determined are unchanged, bit for bit.
//!
//! Source: J. Nocedal, S. J. Wright, Numerical Optimization, 2nd ed., section 16.5. Offline: allocates.

use crate::math::elementary::sqrt;
use alloc::vec::Vec;

/// Relative size below which accelerations count as zero.
const ACCELERATION_TOLERANCE: f64 = 1e-9;
/// Rows of G whose remainder after orthogonalisation is below this fraction depend on the previous ones.
const DEPENDENCE_TOLERANCE: f64 = 1e-9;
/// Changes of a share that are round-off.
const CHANGE_TOLERANCE: f64 = 1e-12;

/// `gains`: G by rows; `offset`: a⁰; `energies`: E (J); `zeta`: ζ⁰, replaced by ζ. Frictions without energy keep their
/// shares.
pub(super) fn spread(gains: &[Vec<f64>], offset: &[f64], energies: &[f64], zeta: &mut [f64]) {
    let n = zeta.len();
    // Frictions on a coordinate that rests, in the variables x = √E ζ with |x| ≤ √E.
    let rests = |i: usize| {
        let parts = gains[i].iter().zip(&*zeta).map(|(gain, share)| gain * share);
        let size: f64 = offset[i].abs() + parts.clone().map(f64::abs).sum::<f64>();
        (offset[i] + parts.sum::<f64>()).abs() <= ACCELERATION_TOLERANCE * size
    };
    let loose: Vec<usize> = (0..n).filter(|&i| rests(i) && energies[i] > 0.0).collect();
    let scaled = |row: &Vec<f64>| loose.iter().map(|&i| row[i] / sqrt(energies[i])).collect();
    let rows: Vec<Vec<f64>> = gains.iter().map(scaled).collect();
    let mut x: Vec<f64> = loose.iter().map(|&i| zeta[i] * sqrt(energies[i])).collect();
    let bounds: Vec<f64> = loose.iter().map(|&i| sqrt(energies[i])).collect();
    let mut at_bound: Vec<bool> = x.iter().zip(&bounds).map(|(x, bound)| x.abs() >= *bound).collect();
    // Least energy with the same accelerations: move to the minimum or to the first bound.
    for _ in 0..20 * (n + 1) {
        let across = across(&rows, &at_bound, &x);
        let part = |k: usize| {
            let room = if across[k] > 0.0 { -bounds[k] } else { bounds[k] };
            ((x[k] - room) / across[k]).clamp(0.0, 1.0)
        };
        let moving = |k: &usize| !at_bound[*k] && across[*k].abs() > CHANGE_TOLERANCE * bounds[*k];
        let first = (0..x.len()).filter(moving).map(|k| (part(k), k)).min_by(|a, b| a.0.total_cmp(&b.0));
        match first {
            Some((part, blocking)) => {
                (0..x.len()).filter(moving).collect::<Vec<_>>().into_iter().for_each(|k| x[k] -= part * across[k]);
                if part < 1.0 {
                    at_bound[blocking] = true;
                    x[blocking] = bounds[blocking].copysign(x[blocking]);
                }
            }
            None => {
                // A bound from which the descent leads away: the energy decreases when the share becomes smaller.
                let pull = |k: &usize| across[*k] * x[*k].signum() / bounds[*k];
                let pulled = (0..x.len()).filter(|k| at_bound[*k] && pull(k) > CHANGE_TOLERANCE);
                let Some(most) = pulled.max_by(|a, b| pull(a).total_cmp(&pull(b))) else { break };
                at_bound[most] = false;
            }
        }
    }
    // Back to ζ.
    for (&i, (x, bound)) in loose.iter().zip(x.iter().zip(&bounds)) {
        let share = (x / bound).clamp(-1.0, 1.0);
        if (share - zeta[i]).abs() > CHANGE_TOLERANCE {
            zeta[i] = share;
        }
    }
}

/// x minus its component along the rows, for the columns that are not held; the held columns get the result of the same
/// combination of rows.
fn across(rows: &[Vec<f64>], at_bound: &[bool], x: &[f64]) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let free = a.iter().zip(b).zip(at_bound).filter(|(_, at_bound)| !**at_bound);
        free.map(|((a, b), _)| a * b).sum()
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut left = x.to_vec();
    for row in rows {
        let (mut rest, before) = (row.clone(), sqrt(product(row, row)));
        for direction in basis.iter().chain(&basis) {
            let along = product(&rest, direction);
            rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= along * direction);
        }
        let size = sqrt(product(&rest, &rest));
        if size > DEPENDENCE_TOLERANCE * before {
            rest.iter_mut().for_each(|entry| *entry /= size);
            let along = product(&left, &rest);
            left.iter_mut().zip(&rest).for_each(|(left, direction)| *left -= along * direction);
            basis.push(rest);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frictions of `forces` and `travels` on one mass of 1 kg under `load`, from shares that hold it.
    fn shared(forces: &[f64], travels: &[f64], load: f64, mut bent: Vec<f64>) -> Vec<f64> {
        let row: Vec<f64> = forces.iter().map(|force| -force).collect();
        let energies: Vec<f64> = forces.iter().zip(travels).map(|(force, travel)| force * travel).collect();
        spread(&vec![row; forces.len()], &vec![load; forces.len()], &energies, &mut bent);
        bent
    }

    #[test]
    fn frictions_on_one_motion_share_like_springs_that_were_bent_together() {
        // Stiffnesses F/φ of 1500 and 500 N/m: 4 N bend both by 2 mm.
        for start in [vec![1.0, 0.2], vec![0.0, 0.8], vec![2.0 / 3.0, 0.4]] {
            let found = shared(&[3.0, 5.0], &[0.002, 0.01], 4.0, start);
            assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 0.2).abs() < 1e-12, "{found:?}");
        }
        for start in [vec![1.0, 0.0], vec![0.5, 0.3]] {
            let found = shared(&[3.0, 5.0], &[0.002, 0.01], 3.0, start);
            assert!((found[0] - 0.75).abs() < 1e-12 && (found[1] - 0.15).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn one_at_its_breakaway_leaves_the_rest_to_the_others() {
        // 7 N: together they would bend by 3.5 mm, more than the 2 mm of the first.
        for start in [vec![1.0, 0.8], vec![2.0 / 3.0, 1.0]] {
            let found = shared(&[3.0, 5.0], &[0.002, 0.01], 7.0, start);
            assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 0.8).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn what_slides_and_what_is_determined_keep_their_bits() {
        assert_eq!(shared(&[3.0, 5.0], &[0.002, 0.01], 10.0, vec![1.0, 1.0]), [1.0, 1.0]);
        let mut alone = [0.1 + 0.2];
        spread(&[vec![-10.0]], &[10.0 * alone[0]], &[1.0], &mut alone);
        assert_eq!(alone, [0.1 + 0.2]);
    }
}
