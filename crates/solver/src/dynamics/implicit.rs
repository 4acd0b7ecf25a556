//! Linearly implicit evaluation: z̈ at the end of a step with implicit stiff forces.
//!
//! Problem. An implicit step changes the positions and velocities at its end, per change δz̈ of the accelerations
//! there, by β′h² δz̈ and γ′h δz̈. Starting from a prediction with the accelerations z̈₀ of the last step, the
//! equations of motion are linearized in δz̈ = R δy, z̈ = z̈₀ + δz̈ (z̈₀ closed: its dependent coordinates as the loops
//! demand at the prediction):
//!
//! ```text
//!     Rᵀ (M + S) R δy = Rᵀ (Q − M z̈₀),    S = γ′h C + β′h² K,
//! ```
//!
//! everything at the prediction, Q with the bias accelerations (sizes as in [`super`]). K and C are the stiffness and
//! the damping of the modes of flexible bodies, and of the force elements: Σ k g gᵀ and Σ c g gᵀ over the directions of
//! [`crate::force::Tangent`], g = Σ bᵀ w over the coordinates between the two bodies. Negative k or c are left out.
//!
//! Method. One evaluation, one Cholesky factorisation of the size of the explicit one: M + S is positive definite
//! because S is positive semidefinite. Where bodies turn fast, their gyroscopic terms are added
//! ([`super::gyroscopic`]). The other terms (geometric stiffness, follower forces, slower velocity-dependent inertia
//! forces) are explicit at the prediction. This does not reduce the order, but such terms must be slow relative to the
//! step.
//!
//! With `implicit = "all"`, S is the derivative of all forces of the open chain, inertia forces included, with respect
//! to every coordinate: by forward differences, one evaluation of the open chain each; M + S is then factored by LU.
//! Only the rotation of the closure's directions is neglected, i.e. the geometric stiffness of loops.
//!
//! Cost and real-time properties. O(nv + path²) per direction. No allocation, no iteration.
//!
//! Verified by: tests/motion/verification/implicit.rs (order, stiff limits, conservation),
//! crates/compile/src/solver_tests/implicit.rs (S against differences).

use super::loads::calc_loads;
use super::mass::calc_inertias;
use super::{energy, evaluate_open_tree};
use crate::force::{Direction, Tangent};
use crate::math::spatial::Wrench;
use crate::math::{larger, largest};
use crate::system::Implicit;
use crate::system::workspace::Dense;
use crate::system::{State, System, Workspace};

/// Change of the velocities in differences, relative to the fastest one (at least 1 m/s or rad/s). One-sided: an error
/// of this size by curvature, and of 2e-16 over it by rounding.
const DIFFERENCE: f64 = 1e-6;

/// Effect of a change of the accelerations by 1 m/s² (rad/s²) at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// γ′h: velocities, s.
    pub velocity: f64,
    /// β′h²: positions, s².
    pub position: f64,
    /// h, s.
    pub step: f64,
}

impl Lengths {
    /// Inertia equivalent of a stiffness and damping along their direction over the step; zero if they are not
    /// positive.
    pub(super) fn weight(&self, tangent: &Tangent) -> Option<f64> {
        let weight = self.position * tangent.stiffness.max(0.0) + self.velocity * tangent.damping.max(0.0);
        (weight > 0.0 && weight.is_finite()).then_some(weight)
    }
}

/// M ← M + S.
pub(super) fn add_stiffness(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    match system.implicit {
        Implicit::Stiff => add_stiff_terms(system, state, ws, lengths),
        Implicit::All => add_all_terms(system, state, ws, lengths),
    }
}

/// S from differences of the open chain's forces at the accelerations `ws.accelerations.zdd`, a column per velocity
/// coordinate.
pub fn add_all_terms(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let fastest = larger(1.0, largest(&ws.stage.v));
    let change = DIFFERENCE * fastest / lengths.velocity;
    ws.rates.q.copy_from_slice(&ws.stage.q);
    ws.rates.v.copy_from_slice(&ws.stage.v);
    ws.dense.reduced_force.copy_from_slice(&ws.residuals.force);
    for k in 0..system.nv {
        system.add_increment(&mut ws.stage.q, k, change * lengths.position);
        ws.stage.v[k] += change * lengths.velocity;
        follow_sticking(system, state, ws, lengths.step);
        evaluate_open_tree(system, state, ws);
        for i in 0..system.nv {
            ws.dense.mass[i * system.nv + k] += (ws.dense.reduced_force[i] - ws.residuals.force[i]) / change;
        }
        ws.stage.q.copy_from_slice(&ws.rates.q);
        ws.stage.v.copy_from_slice(&ws.rates.v);
    }
    follow_sticking(system, state, ws, lengths.step);
    evaluate_open_tree(system, state, ws);
}

/// The bristles of friction and brakes at the stage, deflected by the motion from `state` in the time `h`. An implicit
/// step must not integrate them with predicted speeds, because sticking contacts would creep by the difference.
pub(crate) fn follow_sticking(system: &System, state: &State, ws: &mut Workspace, h: f64) {
    for element in &system.elements {
        let surroundings = ws.surroundings(state);
        if let Some((index, value)) = element.stuck_state(&surroundings, &state.q, &state.auxiliary, h) {
            ws.stage.auxiliary[index] = value;
        }
    }
}

/// M ← M + S of the modes of flexible bodies and of the force elements.
#[expect(clippy::disallowed_methods, reason = "pushes within the reserved capacity")]
pub fn add_stiff_terms(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    // Stiffness and damping of the modes.
    for body in &system.flexible {
        let n = body.modes();
        for (k, i) in body.v.clone().enumerate() {
            ws.dense.mass[i * system.nv + i] += lengths.position * body.stiffness[k];
            for (l, j) in body.v.clone().enumerate() {
                ws.dense.mass[i * system.nv + j] += lengths.velocity * body.damping[k * n + l];
            }
        }
    }
    // Force elements: weight · g gᵀ with the gradient g of each direction.
    let Workspace { stage, kinematics, dense: Dense { mass, gradient, path, .. }, .. } = ws;
    let (surroundings, columns) = (stage.surroundings(kinematics, &state.parameters), &kinematics.columns);
    for element in &system.elements {
        element.visit_tangents(&surroundings, &mut |tangent| {
            let Some(weight) = lengths.weight(tangent) else { return };
            if let Direction::Coordinate(coordinate) = tangent.direction {
                mass[coordinate.velocity * system.nv + coordinate.velocity] += weight;
                return;
            }
            let mut ends = tangent.direction.ends();
            // From all bodies inboard until they meet: a body that carries all of them does not change their distance.
            // The outermost is first, together with the others on the same body.
            path.clear();
            loop {
                let outer = ends.iter().map(|end| end.0).max().unwrap_or(0);
                if ends.iter().all(|end| end.0 == outer) {
                    break;
                }
                let joint = &system.joints[outer - 1];
                let on_outer = |end: &&(usize, Wrench)| end.0 == outer;
                for (k, slot) in joint.v_range().zip(joint.slot_range()) {
                    gradient[path.len()] = ends.iter().filter(on_outer).map(|end| columns[slot].dot(&end.1)).sum();
                    path.push(k);
                }
                let parent = system.bodies[outer].parent;
                ends.iter_mut().filter(|end| end.0 == outer).for_each(|end| end.0 = parent);
            }
            for (a, &i) in path.iter().enumerate() {
                let scaled = weight * gradient[a];
                for (&j, g) in path.iter().zip(gradient.iter()) {
                    mass[i * system.nv + j] += scaled * g;
                }
            }
        });
    }
}

/// Powers at the closed stage with the accelerations `ws.accelerations.zdd`, into `ws.loads.powers`: dissipated, input.
pub(crate) fn calc_powers(system: &System, state: &State, ws: &mut Workspace) {
    calc_loads(system, &state.parameters, ws);
    if !system.guided.is_empty() {
        calc_inertias(system, &ws.stage.q, &ws.kinematics, &mut ws.flexible, &mut ws.inertias);
        ws.loads.powers[1] += energy::guided_power(system, ws);
    }
}
