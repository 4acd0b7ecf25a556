//! Multipliers and joint reactions (theory section 7).
//!
//! Φ_zᵀ λ = M_open z̈ − Q_open gives the multipliers of the independent rows. Redundant rows get zero, unless an output
//! reads an undetermined reaction, which [`super::least_stress`] distributes. The backward recursion of inertia force
//! minus load minus constraint force then gives the wrench that each tree joint transmits to its outboard body: the
//! reaction together with the efforts of springs, friction and drives on the joint's own coordinates.

use super::closure::{calc_multipliers, complete_rows};
use super::kinematics::point_acceleration;
use super::least_stress;
use super::residuals::{accumulate_residuals, calc_final_residuals, calc_missing_efforts};
use crate::joint::{Row, RowState};
use crate::math::Vec3;
use crate::math::elementary::atan2;
use crate::math::scalar::{Scalar, lift, norm};
use crate::math::spatial::Wrench;
use crate::system::workspace::Reactions;
use crate::system::{Constraint, State, System, Workspace};

/// Fills `ws.reactions.multipliers`, and `ws.residuals.bodies` with the wrench that every tree joint transmits to its
/// outboard body, about o. The workspace must hold a complete evaluation.
pub fn calc_reactions(system: &System, state: &State, ws: &mut Workspace) {
    calc_final_residuals(system, ws);
    transmit(system, state, ws);
    least_stress::split(system, state, ws);
}

/// Computes the reactions from the residuals of the bodies, not yet accumulated, at the final accelerations.
pub(super) fn transmit(system: &System, state: &State, ws: &mut Workspace) {
    let Workspace { stage, kinematics, closure, blocks, flexible, residuals, reactions, .. } = &mut *ws;
    let Reactions { open_residuals, multipliers, .. } = reactions;
    open_residuals.copy_from_slice(&residuals.bodies);
    accumulate_residuals(system, &mut residuals.bodies);
    calc_missing_efforts(system, kinematics, flexible, residuals);
    if system.rows.is_empty() {
        return;
    }
    complete_rows(system, &stage.q, kinematics, &mut closure.rows);
    calc_multipliers(system, state, blocks, &residuals.force, multipliers);
    load_bodies(system, ws);
}

/// Wrenches transmitted by the joints with the present multipliers.
pub(super) fn load_bodies(system: &System, ws: &mut Workspace) {
    let Workspace { closure, residuals, reactions, .. } = ws;
    let bodies = &mut residuals.bodies;
    bodies.copy_from_slice(&reactions.open_residuals);
    subtract_rows(system, &closure.rows, &reactions.multipliers, bodies);
    accumulate_residuals(system, bodies);
}

/// Subtracts the forces of the closure rows with these multipliers from the residuals of the bodies.
pub(super) fn subtract_rows<S: Scalar>(
    system: &System,
    rows: &[RowState<S>],
    multipliers: &[S],
    bodies: &mut [Wrench<S>],
) {
    for (row, (state, &lambda)) in system.rows.iter().zip(rows.iter().zip(multipliers)) {
        load_row(row, state, lambda, bodies);
    }
}

/// Subtracts the force of a row with multiplier `lambda` from the residuals of its bodies.
pub(super) fn load_row<S: Scalar>(row: &Row, state: &RowState<S>, lambda: S, bodies: &mut [Wrench<S>]) {
    let Some((first, second)) = row.bodies() else { return };
    if second != 0 {
        bodies[second] -= state.on_second * lambda;
    }
    if first != 0 {
        bodies[first] += state.on_first * lambda;
    }
}

/// Force on the second body and moment about the joint's point, of a joint of the file.
pub(crate) fn joint_reaction<S: Scalar>(system: &System, ws: &Workspace<S>, file_joint: usize) -> (Vec3<S>, Vec3<S>) {
    let place = &system.joint_places[file_joint];
    match (place.tree, place.cut) {
        (Some(tree), _) => {
            let wrench = &ws.residuals.bodies[tree + 1];
            let moment = wrench.moment_about(&ws.kinematics.points[tree]);
            if system.joints[tree].reversed { (-wrench.force, -moment) } else { (wrench.force, moment) }
        }
        (None, Some(constraint)) => constraint_reaction(system, ws, constraint),
        (None, None) => (Vec3::zeros(), Vec3::zeros()),
    }
}

/// Force on the second body and moment about the constraint's point, from its multipliers; for a rod its weight and
/// inertia included.
pub(crate) fn constraint_reaction<S: Scalar>(system: &System, ws: &Workspace<S>, index: usize) -> (Vec3<S>, Vec3<S>) {
    let constraint = &system.constraints[index];
    let mut wrench = Wrench::zero();
    for row in constraint.rows.clone() {
        wrench += ws.closure.rows[row].on_second * ws.reactions.multipliers[row];
    }
    let body = &ws.kinematics.bodies[constraint.bodies[1]];
    let moment = wrench.moment_about(&body.point(&constraint.points[1]));
    (wrench.force + rod_inertia_force(system, ws, constraint), moment)
}

/// Weight and inertia of a rod at its second end: m g / 2 − m/3 a_Q − m/6 a_P. Zero for other constraints.
fn rod_inertia_force<S: Scalar>(system: &System, ws: &Workspace<S>, constraint: &Constraint) -> Vec3<S> {
    // A joint without restrictions has no rows; its empty range begins where the rows of another joint start.
    let Some(rod) = system.rods.iter().find(|rod| constraint.rows.contains(&rod.row)) else { return Vec3::zeros() };
    let [a_p, a_q] = [0, 1].map(|end| {
        let body = &ws.kinematics.bodies[rod.bodies[end]];
        point_acceleration(body, &ws.accelerations.bodies[rod.bodies[end]], &body.point(&rod.points[end]))
    });
    let [third, sixth] = [rod.mass / 3.0, rod.mass / 6.0].map(S::from_f64);
    lift(&(system.gravity * (0.5 * rod.mass))) - a_q * third - a_p * sixth
}

/// Scalar force of a constraint: tension of a rod in N (axial multiplier), effort of a coupler on its coordinate `term`
/// in N m or N; pressure of a face on a curve in N; for two curves the quantity selected by `term`; otherwise the
/// magnitude of the force.
pub fn constraint_force<S: Scalar>(system: &System, ws: &Workspace<S>, index: usize, term: usize) -> S {
    let constraint = &system.constraints[index];
    let row = constraint.rows.start;
    if constraint.touching {
        let (pressure, friction) = (ws.reactions.multipliers[row], ws.reactions.multipliers[row + 1]);
        return match term {
            0 => pressure,
            1 => friction,
            _ if pressure.value() == 0.0 && friction.value() == 0.0 => S::zero(),
            _ => atan2(friction.abs(), pressure),
        };
    }
    match &system.rows[row] {
        coupled @ Row::Coupled { .. } => ws.reactions.multipliers[row] * coupled.slope(&ws.closure.rows[row], term),
        Row::Touching { .. } => ws.reactions.multipliers[row],
        Row::Distance { .. } => -ws.reactions.multipliers[row] * norm(&ws.closure.rows[row].on_second.force),
        _ => norm(&constraint_reaction(system, ws, index).0),
    }
}

/// Effort in N m or N that drives a prescribed coordinate, given by its number.
pub(crate) fn guided_effort<S: Scalar>(system: &System, ws: &Workspace<S>, index: usize) -> S {
    let coordinate = system.guided[index].coordinate.velocity;
    let tree = system.joint_of_coordinate(coordinate);
    let mut effort =
        ws.kinematics.columns[coordinate].dot(&ws.residuals.bodies[tree + 1]) + ws.residuals.efforts[coordinate];
    for ((row, state), lambda) in system.rows.iter().zip(&ws.closure.rows).zip(&ws.reactions.multipliers) {
        let own = row.terms().iter().enumerate().filter(|(_, term)| term.velocity == coordinate);
        own.for_each(|(k, _)| effort -= *lambda * row.slope(state, k));
    }
    effort
}
