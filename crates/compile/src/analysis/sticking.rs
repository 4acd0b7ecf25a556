//! Explicit steps that sticking friction allows.
//!
//! A sticking coordinate has a breakaway force F, a travel φ, a time τ and an acceleration A per effort. It is an
//! oscillator of ω² = A F/φ and the damping ratio ½ ω τ. If the scheme were not stable for this oscillator, the
//! coordinate would creep and chatter without notice: such models are rejected. Several frictions on one motion add up
//! (row sums). The step must be stable for ω² times [`MARGIN`], because A changes with the position.
//!
//! Verified by: tests/motion/verification/friction.rs. Offline: allocates.

use ballesta_model::{Diagnostic, Document};
use ballesta_solver::assembly::sticking;
use ballesta_solver::force::Element;
use ballesta_solver::system::{Integrator, State, System, Workspace};

/// Factor on ω² for which a step must be stable.
const MARGIN: f64 = 1.5;

/// The reason why the scheme must not be used with the bristles of a `[[friction]]`, if there is one.
pub fn refusal(system: &System, state: &State, ws: &mut Workspace, document: &Document) -> Option<Diagnostic> {
    let explicit = system.integrator.scheme().explicit;
    let dry = |element: &Element| matches!(element, Element::Friction(friction) if friction.bristle.is_some());
    if !explicit || !system.elements.iter().any(dry) {
        return None;
    }
    // A coordinate that slides at the start will stick later.
    let still = State { v: vec![0.0; system.nv], ..state.clone() };
    let oscillators = sticking::oscillators(system, &still, ws).ok()?;
    let surroundings = ws.surroundings(&still);
    let h = system.step;
    for (element, square) in oscillators {
        let Element::Friction(friction) = &system.elements[element] else { continue };
        let Some(index) = document.model.frictions.iter().position(|table| table.name == friction.name) else {
            continue;
        };
        let Some(bristle) = &friction.bristle else { continue };
        let (travel, time) = (bristle.travel, bristle.time);
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
        let largest = largest_square(system.integrator, h, time) / MARGIN;
        if square > largest {
            let force = friction.holding(&surroundings);
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
}
