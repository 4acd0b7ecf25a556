//! Friction and brakes that stick: initial deflections of their bristles.
//!
//! Coordinates that are at rest at the start and that their friction can hold are held from the first instant on. With
//! the accelerations a(ζ) = a⁰ + G ζ of the resting coordinates, affine in the bristles' states, find
//!
//! ```text
//!     |ζ_i| ≤ 1,    a_i = 0 where |ζ_i| < 1,    a_i against the friction where |ζ_i| = 1
//! ```
//!
//! (Coulomb's law at rest, a complementarity problem) by projected Gauss-Seidel: −G scaled by the forces is symmetric
//! and positive semidefinite, so that it converges. With ζ = 0 instead, every load would act as if applied suddenly and
//! overshoot up to twice the force to be held.
//!
//! If several frictions hold one motion, the accelerations are determined but the shares are not. The shares with the
//! least energy Σ ½ F_i φ_i ζ_i² in the bristles are used (`share`), as for springs deflected together by one small
//! displacement. They do not depend on the order of the elements.
//!
//! Verified by: tests/motion/verification/friction.rs. Offline: allocates.

use crate::dynamics::{evaluate_closed, load_stage};
use crate::force::{Bristles, CoordinateIx, Element, Surroundings};
use crate::math::elementary::sqrt;
use crate::math::larger;
use crate::system::{Fault, State, System, Workspace};
use alloc::{vec, vec::Vec};

mod share;

/// Largest number of sweeps of the Gauss-Seidel method.
const MAX_SWEEPS: usize = 20_000;
/// Changes of ζ below which the iteration ends.
const IMPULSE_TOLERANCE: f64 = 1e-14;
/// Diagonal entries of G below this fraction of the largest count as zero: the friction cannot hold anything there.
const DIAGONAL_TOLERANCE: f64 = 1e-12;

/// Bristles on a resting coordinate.
struct RestingCoordinate {
    element: usize,
    coordinate: CoordinateIx,
    state: usize,
}

/// Accelerations of the resting coordinates: a⁰, and G by rows.
struct Response {
    resting: Vec<RestingCoordinate>,
    offset: Vec<f64>,
    gains: Vec<Vec<f64>>,
}

/// Deflects the bristles of the coordinates at rest in `state` (loops closed) as the loads require.
pub(super) fn start(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    let Some(response) = respond(system, state, ws)? else { return Ok(()) };
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let energies = response.resting.iter().map(|resting| {
        let element = &system.elements[resting.element];
        let travel = element.bristles().map_or(0.0, |bristles| bristles.law.travel);
        travel * element.rest_level(&surroundings) * element.breakaway(&surroundings)
    });
    let energies: Vec<f64> = energies.collect();
    let levels: Vec<f64> = response.levels(system, &surroundings);
    let mut zeta = response.balance();
    share::spread(&response.gains, &response.offset, &energies, &mut zeta);
    for (resting, (share, level)) in response.resting.iter().zip(zeta.into_iter().zip(levels)) {
        state.auxiliary[resting.state] = share * level;
    }
    Ok(())
}

/// Resets the bristles of coordinates that are not held, for the search of an equilibrium, where friction has no
/// direction yet.
pub fn release(system: &System, state: &mut State, ws: &mut Workspace) {
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let levels: Vec<f64> = system.elements.iter().map(|element| element.rest_level(&surroundings)).collect();
    for (element, level) in system.elements.iter().zip(levels) {
        let Some(bristles) = element.bristles() else { continue };
        if state.auxiliary[bristles.state].abs() >= level {
            state.auxiliary[bristles.state] = 0.0;
        }
    }
}

/// The oscillators that the bristles of the coordinates at rest in `state` form with what they hold: element, and ω² in
/// 1/s². Loads the stage of `state`.
pub fn oscillators(system: &System, state: &State, ws: &mut Workspace) -> Result<Vec<(usize, f64)>, Fault> {
    let Some(response) = respond(system, state, ws)? else { return Ok(Vec::new()) };
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let square =
        |(row, resting): (usize, &RestingCoordinate)| (resting.element, response.square(row, system, &surroundings));
    Ok(response.resting.iter().enumerate().map(square).collect())
}

fn respond(system: &System, state: &State, ws: &mut Workspace) -> Result<Option<Response>, Fault> {
    // Frictions at rest.
    let rests = |(element, friction): (usize, &Element)| {
        let Bristles { coordinate, state: index, law } = friction.bristles()?;
        law.rests(state.v[coordinate.velocity]).then_some(RestingCoordinate { element, coordinate, state: index })
    };
    let resting: Vec<RestingCoordinate> = system.elements.iter().enumerate().filter_map(rests).collect();
    if resting.is_empty() {
        return Ok(None);
    }
    // Accelerations a⁰ without their forces, and G column by column, per breakaway force.
    let mut probe = state.clone();
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let levels: Vec<f64> = resting.iter().map(|r| system.elements[r.element].rest_level(&surroundings)).collect();
    resting.iter().for_each(|r| probe.auxiliary[r.state] = 0.0);
    let accelerations = |probe: &State, ws: &mut Workspace| -> Result<Vec<f64>, Fault> {
        load_stage(system, probe, ws, probe.time);
        evaluate_closed(system, probe, ws, probe.time)?;
        Ok(resting.iter().map(|r| ws.accelerations.zdd[r.coordinate.velocity]).collect())
    };
    let offset = accelerations(&probe, ws)?;
    let mut gains = vec![vec![0.0; resting.len()]; resting.len()];
    for (j, r) in resting.iter().enumerate() {
        // At full deflection in either direction, so that round-off is small relative to the difference.
        probe.auxiliary[r.state] = levels[j];
        let ahead = accelerations(&probe, ws)?;
        probe.auxiliary[r.state] = -levels[j];
        let behind = accelerations(&probe, ws)?;
        probe.auxiliary[r.state] = 0.0;
        for (row, (ahead, behind)) in gains.iter_mut().zip(ahead.iter().zip(&behind)) {
            row[j] = 0.5 * (ahead - behind);
        }
    }
    Ok(Some(Response { resting, offset, gains }))
}

impl Response {
    /// Deflections at breakaway.
    fn levels(&self, system: &System, s: &Surroundings) -> Vec<f64> {
        self.resting.iter().map(|resting| system.elements[resting.element].rest_level(s)).collect()
    }

    /// ζ of the resting coordinates.
    fn balance(&self) -> Vec<f64> {
        let n = self.offset.len();
        let mut zeta = vec![0.0f64; n];
        let effective = |i: usize| {
            let row = self.gains[i].iter().fold(0.0f64, |a, b| larger(a, b.abs()));
            -self.gains[i][i] > DIAGONAL_TOLERANCE * larger(row, self.offset[i].abs())
        };
        let active: Vec<usize> = (0..n).filter(|&i| effective(i)).collect();
        for _ in 0..MAX_SWEEPS {
            let mut changed = 0.0f64;
            for &i in &active {
                let left: f64 = self.offset[i] + self.gains[i].iter().zip(&zeta).map(|(g, z)| g * z).sum::<f64>();
                let next = (zeta[i] - left / self.gains[i][i]).clamp(-1.0, 1.0);
                changed = larger(changed, (next - zeta[i]).abs());
                zeta[i] = next;
            }
            if changed < IMPULSE_TOLERANCE {
                break;
            }
        }
        zeta
    }

    /// ω² of row `i`: Σ_j |A_ij| √(k_i k_j), k = F/φ.
    fn square(&self, i: usize, system: &System, s: &Surroundings) -> f64 {
        let of = |j: usize| {
            let element = &system.elements[self.resting[j].element];
            let (force, travel) =
                (element.breakaway(s), element.bristles().map_or(1.0, |bristles| bristles.law.travel));
            (force, force / (travel * element.rest_level(s)))
        };
        let (_, own) = of(i);
        let part = |(j, gain): (usize, &f64)| {
            let (force, stiffness) = of(j);
            if force > 0.0 { gain.abs() / force * sqrt(own * stiffness) } else { 0.0 }
        };
        self.gains[i].iter().enumerate().map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_frictions_share_what_they_can_hold_and_yield_together() {
        let row = |a: f64, b: f64| vec![-a, -b];
        let resting = |element| {
            let coordinate = CoordinateIx { position: element, velocity: element };
            RestingCoordinate { element, coordinate, state: element }
        };
        // Two frictions of 3 and 5 N on one mass of 1 kg under 6 N, and under 10 N.
        for (load, expected) in [(6.0, 6.0), (-6.0, -6.0), (10.0, 8.0)] {
            let response = Response {
                resting: vec![resting(0), resting(1)],
                offset: vec![load, load],
                gains: vec![row(3.0, 5.0), row(3.0, 5.0)],
            };
            let bent = response.balance();
            assert!((3.0 * bent[0] + 5.0 * bent[1] - expected).abs() < 1e-12, "{bent:?}");
        }
    }
}
