//! Selection of the steps of an explicit scheme to be halved.
//!
//! Problem. A mechanism with loops sometimes moves much faster than on average: a light fork or rod swings round, or a
//! loop passes close to a singular position. A step that resolves the rest of the motion then has an error of several
//! per cent of the energy within a few milliseconds. If the stages of a step disagree, it is repeated as two steps of
//! half its length, recursively at most `model.step_halvings` times.
//!
//! Measures. The accelerations of the second and the third stage of the Runge-Kutta scheme belong to one instant. Their
//! difference times the step, a velocity d, is of order h³. The change of the final velocities by the closure, from v*
//! of the scheme to the closed v, is the part of the scheme's error perpendicular to the closed motions, of order h⁵.
//! In the metric of the mass matrix M of the step's end, with the change Δv of the velocity in the step,
//!
//! ```text
//!     r² = dᵀ M d / e,    s² = (v − v*)ᵀ M (v − v*) / e,    e = max(vᵀ M v, Δvᵀ M Δv, m (REST_SPEED l)²),
//! ```
//!
//! so they do not depend on coordinates or units, and motions without energy do not count; m is the mass of all bodies
//! and l the size of the largest loop, so that a mechanism at rest is not halved for its round-off. An oscillation with
//! a turned angle of h ω per step has r ≈ (h ω)³ / 4: `MAX_STAGE_DISAGREEMENT` corresponds to h ω = 0.18, where the
//! scheme loses 1e-6 of the energy per step, as does a projection with s = `MAX_PROJECTION`. Half the step divides r by
//! 8 and s by 32; a step that needs more than one halving by this measure is not computed in between.
//!
//! The results are still a function of state and inputs alone, with the same bits everywhere. A step that meets a fault
//! is halved likewise. Cost: four sweeps over the bodies per step, no allocation; with s halvings at most 2^(s + 1) − 1
//! steps are computed.
//!
//! Convergence. A fixed limit would hold halved steps to a fixed error for every step; [`System::halve_as_with`] scales
//! it with the order of the measure, which halves the same parts of a motion for every step, so that the observed order
//! equals the order of the scheme. Steps that differ from the step of the file (`run --internal-step`, `verify`) use
//! this scaling: `ballesta::model::schema::General::take_step`.
//!
//! Limits. Steps of mechanisms without loops, and of other schemes, are not halved.
//!
//! Source: own derivation. Verified by: tests/motion/robots/mod.rs, tests/motion/verification/halvings.rs.

use crate::dynamics::energy::twice_kinetic_of;
use crate::dynamics::projection;
use crate::math::larger;
use crate::system::workspace::{Integration, Stage};
use crate::system::{State, System, Workspace};

/// Largest number of halvings of a step.
pub const MAX_HALVINGS: u32 = 8;

/// Largest r of a step that is accepted. Of 1008 random robots 94.6 % change their energy by at most 1e-4 with 0.01,
/// 97.6 % with 0.004, 98.8 % with this value, 90.7 % without halvings.
const MAX_STAGE_DISAGREEMENT: f64 = 1.5e-3;
/// Largest s; with it 99.0 % do.
const MAX_PROJECTION: f64 = 1e-3;

/// Speed below which a mechanism counts as at rest, in sizes of its largest loop per step.
const REST_SPEED: f64 = 1e-9;

/// Largest number of halvings of a step of `system`.
pub(crate) fn halvings(system: &System) -> u32 {
    let halves = system.integrator.scheme().halves_steps && projection::is_needed(system);
    if halves { system.step_halvings } else { 0 }
}

/// How often the step whose end is in the workspace should be halved: 0 if it is resolved. NaN counts as unresolved.
pub(super) fn needed(system: &System, state: &State, ws: &mut Workspace) -> u32 {
    let Workspace { stage: Stage { v, .. }, kinematics, inertias, flexible, integration, .. } = ws;
    let Integration { disagreement, predicted, swept, .. } = integration;
    let metric = (&*kinematics, &*inertias, &flexible[..]);
    let apart = twice_kinetic_of(system, metric, swept, |k| disagreement[k]);
    let closing = twice_kinetic_of(system, metric, swept, |k| v[k] - predicted[k]);
    let end = twice_kinetic_of(system, metric, swept, |k| v[k]);
    let change = twice_kinetic_of(system, metric, swept, |k| v[k] - state.v[k]);
    let size = system.blocks.iter().map(|block| block.size).fold(0.0, larger);
    let speed = REST_SPEED * size * system.halving_scale / system.step;
    let rest = system.mass() * speed * speed;
    let scale = larger(larger(end, change), rest);
    let mut halvings = 0;
    for (measured, limit, order) in [(apart, MAX_STAGE_DISAGREEMENT, 3), (closing, MAX_PROJECTION, 5)] {
        let limit = (0..order).fold(limit, |limit, _| limit * system.halving_scale);
        let mut allowed = limit * limit * scale;
        let mut count = 0;
        while !(measured <= allowed) && count < MAX_HALVINGS {
            allowed *= f64::from(1u32 << (2 * order));
            count += 1;
        }
        halvings = halvings.max(count);
    }
    halvings
}
