//! Friction and brakes that stick: initial deflections of their bristles, and the explicit steps that they allow.
//!
//! # Start
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
//! # Steps
//!
//! A sticking coordinate with the breakaway force F, the travel φ and the time τ is an oscillator of ω² = A F/φ, A its
//! acceleration per effort, and the damping ratio ½ ω τ. If the scheme were not stable for this oscillator, the
//! coordinate would creep and chatter without notice: such models are rejected. Several frictions on one motion add up
//! (row sums). The step must be stable for ω² times [`MARGIN`], because A changes with the position.
//!
//! Verified by: tests/motion/verification/friction.rs. Offline: allocates.

use ballesta_model::{Diagnostic, Document};
use ballesta_solver::dynamics::{evaluate_closed, load_stage};
use ballesta_solver::force::{CoordinateIx, Element, ForceElement, Surroundings};
use ballesta_solver::system::Integrator;
use ballesta_solver::system::{Fault, State, System, Workspace};

mod share;

/// Factor on ω² for which a step must be stable.
const MARGIN: f64 = 1.5;
/// Largest number of sweeps of the Gauss-Seidel method.
const SWEEPS: usize = 20_000;
/// Changes of ζ below which the iteration ends.
const SETTLED: f64 = 1e-14;
/// Diagonal entries of G below this fraction of the largest count as zero: the friction cannot hold anything there.
const NO_EFFECT: f64 = 1e-12;

/// Bristles on a resting coordinate.
struct Resting {
    element: usize,
    coordinate: CoordinateIx,
    state: usize,
}

/// Accelerations of the resting coordinates: a⁰, and G by rows.
struct Response {
    resting: Vec<Resting>,
    offset: Vec<f64>,
    gains: Vec<Vec<f64>>,
}

/// Deflects the bristles of the coordinates at rest in `state` (loops closed) as the loads require.
pub fn start(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    let Some(response) = respond(system, state, ws)? else { return Ok(()) };
    load_stage(system, state, ws, state.time);
    let surroundings = ws.surroundings(state);
    let energies = response.resting.iter().map(|resting| {
        let element = &system.elements[resting.element];
        travel_and_time(element).map_or(0.0, |(travel, _)| travel * element.breakaway(&surroundings))
    });
    let energies: Vec<f64> = energies.collect();
    let mut bent = response.balance();
    share::spread(&response.gains, &response.offset, &energies, &mut bent);
    for (resting, share) in response.resting.iter().zip(bent) {
        state.auxiliary[resting.state] = share;
    }
    Ok(())
}

/// Resets the bristles of coordinates that are not held, for the search of an equilibrium, where friction has no
/// direction yet.
pub fn release(system: &System, state: &mut State) {
    for (_, index) in system.elements.iter().filter_map(Element::bristle) {
        if state.auxiliary[index].abs() >= 1.0 {
            state.auxiliary[index] = 0.0;
        }
    }
}

/// The reason why the scheme must not be used with the bristles of a `[[friction]]`, if there is one.
pub fn refusal(system: &System, state: &State, ws: &mut Workspace, document: &Document) -> Option<Diagnostic> {
    let explicit = system.integrator.scheme().explicit;
    let dry = |element: &Element| matches!(element, Element::Friction(friction) if friction.bristle.is_some());
    if !explicit || !system.elements.iter().any(dry) {
        return None;
    }
    // A coordinate that slides at the start will stick later.
    let still = State { v: vec![0.0; system.nv], ..state.clone() };
    let response = respond(system, &still, ws).ok()??;
    load_stage(system, &still, ws, still.time);
    let surroundings = ws.surroundings(&still);
    let h = system.step;
    for (row, resting) in response.resting.iter().enumerate() {
        let Element::Friction(friction) = &system.elements[resting.element] else { continue };
        let Some(index) = document.model.frictions.iter().position(|table| table.name == friction.name) else {
            continue;
        };
        let Some((travel, time)) = travel_and_time(&system.elements[resting.element]) else { continue };
        let shortest = shortest_time(system.integrator, h);
        if time < shortest {
            return Some(document.source.at(
                format!("friction[{index}].time"),
                format!("the step of {h} s is too long for bristles with a `time` of {time} s"),
                format!(
                    "use a `time` of at least {shortest:.3e} s, a shorter step, or `integrator = \"generalized_alpha\"`"
                ),
            ));
        }
        let square = response.square(row, system, &surroundings);
        let largest = largest_square(system.integrator, h, time) / MARGIN;
        if square > largest {
            let force = friction.breakaway(&surroundings);
            return Some(document.source.at(
                format!("friction[{index}].presliding"),
                format!(
                    "the step of {h} s is too long for a breakaway force of {force} at a travel of {travel}: the \
                     friction would creep (equivalent spring: {:.3} Hz)",
                    square.sqrt() / std::f64::consts::TAU
                ),
                format!(
                    "use a travel of at least {:.2e}, a step of at most {:.2e} s, or `integrator = \
                     \"generalized_alpha\"`",
                    travel * square / largest,
                    h * longest_part(system.integrator, h, time, square)
                ),
            ));
        }
    }
    None
}

fn respond(system: &System, state: &State, ws: &mut Workspace) -> Result<Option<Response>, Fault> {
    let rests = |(element, found): (usize, &Element)| {
        let (coordinate, index) = found.bristle()?;
        let rests = found.bristle_law()?.rests(state.v[coordinate.velocity]);
        rests.then_some(Resting { element, coordinate, state: index })
    };
    let resting: Vec<Resting> = system.elements.iter().enumerate().filter_map(rests).collect();
    if resting.is_empty() {
        return Ok(None);
    }
    let mut probe = state.clone();
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
        probe.auxiliary[r.state] = 1.0;
        let ahead = accelerations(&probe, ws)?;
        probe.auxiliary[r.state] = -1.0;
        let behind = accelerations(&probe, ws)?;
        probe.auxiliary[r.state] = 0.0;
        for (row, (ahead, behind)) in gains.iter_mut().zip(ahead.iter().zip(&behind)) {
            row[j] = 0.5 * (ahead - behind);
        }
    }
    Ok(Some(Response { resting, offset, gains }))
}

impl Response {
    /// ζ of the resting coordinates.
    fn balance(&self) -> Vec<f64> {
        let n = self.offset.len();
        let mut bent = vec![0.0f64; n];
        let effective = |i: usize| {
            let row = self.gains[i].iter().fold(0.0f64, |a, b| a.max(b.abs()));
            -self.gains[i][i] > NO_EFFECT * row.max(self.offset[i].abs())
        };
        let active: Vec<usize> = (0..n).filter(|&i| effective(i)).collect();
        for _ in 0..SWEEPS {
            let mut changed = 0.0f64;
            for &i in &active {
                let left: f64 = self.offset[i] + self.gains[i].iter().zip(&bent).map(|(g, z)| g * z).sum::<f64>();
                let next = (bent[i] - left / self.gains[i][i]).clamp(-1.0, 1.0);
                changed = changed.max((next - bent[i]).abs());
                bent[i] = next;
            }
            if changed < SETTLED {
                break;
            }
        }
        bent
    }

    /// ω² of row `i`: Σ_j |A_ij| √(k_i k_j), k = F/φ.
    fn square(&self, i: usize, system: &System, s: &Surroundings) -> f64 {
        let of = |j: usize| {
            let element = &system.elements[self.resting[j].element];
            let (force, travel) = (element.breakaway(s), travel_and_time(element).map_or(1.0, |(travel, _)| travel));
            (force, force / travel)
        };
        let (_, own) = of(i);
        let part = |(j, gain): (usize, &f64)| {
            let (force, stiffness) = of(j);
            if force > 0.0 { gain.abs() / force * (own * stiffness).sqrt() } else { 0.0 }
        };
        self.gains[i].iter().enumerate().map(part).sum()
    }
}

fn travel_and_time(element: &Element) -> Option<(f64, f64)> {
    element.bristle_law().map(|bristle| (bristle.travel, bristle.time))
}

/// Smallest τ for the state of sliding bristles, with the margin, s.
fn shortest_time(integrator: Integrator, h: f64) -> f64 {
    integrator.scheme().bristle_time * h
}

/// The largest ω² at which a step `h` is stable with the time τ, 1/s².
fn largest_square(integrator: Integrator, h: f64, time: f64) -> f64 {
    // Largest (ωh)²: 8 for an undamped oscillation in the classical Runge-Kutta method.
    greatest(8.5, |x| is_stable(integrator, x, time / h)) / (h * h)
}

/// The longest stable step with the margin, as a fraction of `h`.
fn longest_part(integrator: Integrator, h: f64, time: f64, square: f64) -> f64 {
    greatest(1.0, |part| {
        let h = part * h;
        is_stable(integrator, MARGIN * square * h * h, time / h) && time >= shortest_time(integrator, h)
    })
}

/// The largest number up to `most` for which all smaller ones pass.
fn greatest(most: f64, passes: impl Fn(f64) -> bool) -> f64 {
    let (mut inside, mut outside) = (0.0, most);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if passes(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// Whether one step keeps a sticking coordinate with x = (ωh)² and τ/h within bounds.
fn is_stable(integrator: Integrator, x: f64, time: f64) -> bool {
    // The step of ζ and of the speed times h/φ, h = 1: ζ' = u, u' = −x (ζ + τ u).
    let rate = [[0.0, 1.0], [-x, -x * time]];
    let order = integrator.scheme().order;
    let mut step = [[1.0, 0.0], [0.0, 1.0]];
    let mut term = step;
    for k in 1..=order {
        let product = |i: usize, j: usize| (term[i][0] * rate[0][j] + term[i][1] * rate[1][j]) / f64::from(k);
        term = [[product(0, 0), product(0, 1)], [product(1, 0), product(1, 1)]];
        (0..2).for_each(|i| (0..2).for_each(|j| step[i][j] += term[i][j]));
    }
    let (trace, determinant) = (step[0][0] + step[1][1], step[0][0] * step[1][1] - step[0][1] * step[1][0]);
    determinant <= 1.0 && trace.abs() <= 1.0 + determinant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_steps_are_those_of_the_schemes() {
        // Undamped, the classical Runge-Kutta method reaches 2 √2; a real eigenvalue −2 ends Heun's method.
        assert!((largest_square(Integrator::Rk4, 1.0, 1e-9) - 8.0).abs() < 1e-6);
        for (x, stable) in [(1.33, true), (1.34, false)] {
            assert_eq!(is_stable(Integrator::Heun, x, 2.0), stable);
            assert_eq!(is_stable(Integrator::SemiImplicitEuler, x, 2.0), stable);
        }
        assert!(!is_stable(Integrator::SemiImplicitEuler, 0.1, 0.9));
    }

    #[test]
    fn several_frictions_share_what_they_can_hold_and_yield_together() {
        let row = |a: f64, b: f64| vec![-a, -b];
        let resting = |element| {
            let coordinate = CoordinateIx { position: element, velocity: element };
            Resting { element, coordinate, state: element }
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
