//! Residuals of the equations of motion at given accelerations, and these accelerations.
//!
//! Sizes: nv coordinates; wrenches about the o of the branch, world axes.

use super::{closure, flexible, kinematics};
use crate::math::scalar::Scalar;
use crate::math::spatial::Wrench;
use crate::system::workspace::{FlexibleScratch, Kinematics, Residuals};
use crate::system::{Rod, State, System, Workspace};

/// Accelerations with zero independent z̈, prescribed accelerations, and dependent accelerations from the closure.
pub fn calc_bias_accelerations(system: &System, state: &State, ws: &mut Workspace) {
    ws.accelerations.zdd.fill(0.0);
    continue_accelerations(system, state, ws);
}

/// Accelerations with the present independent z̈, prescribed accelerations, and dependent accelerations from the
/// closure.
pub(crate) fn continue_accelerations(system: &System, state: &State, ws: &mut Workspace) {
    let Workspace { stage, kinematics, accelerations, .. } = ws;
    for (guided, motion) in system.guided.iter().zip(&stage.guided) {
        accelerations.zdd[guided.coordinate.velocity] = motion[2];
    }
    kinematics::calc_accelerations(system, &stage.v, kinematics, accelerations);
    if !system.blocks.is_empty() {
        closure::close_accelerations(system, state, ws);
    }
}

/// Inertia force minus load of every body at `ws.accelerations`: M̄ Ż + Z ⨯* (M̄ Z) − load, rods' coupling included;
/// the momenta M̄ Z likewise. Of every coordinate: armature · z̈ − effort. The loads must belong to this stage.
pub fn calc_residuals<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    let Workspace { kinematics, inertias, loads, accelerations, residuals, .. } = ws;
    residuals.bodies[0] = Wrench::zero();
    for body in 1..system.bodies.len() {
        let (inertia, z) = (&inertias.bodies[body], &kinematics.bodies[body].velocity);
        let momentum = inertia.apply(z);
        let force = inertia.apply(&accelerations.bodies[body]) + z.cross_force(&momentum);
        residuals.bodies[body] = force - loads.wrenches[body];
        residuals.momenta[body] = momentum;
    }
    let couples = |rod: &Rod| rod.mass != 0.0 && !rod.bodies.contains(&0);
    for (rod, r) in system.rods.iter().zip(&loads.rod_ends).filter(|(rod, _)| couples(rod)) {
        let sixth = S::from_f64(rod.mass / 6.0);
        for end in 0..2 {
            let (body, other) = (rod.bodies[end], rod.bodies[1 - end]);
            let (motion, r_other) = (&kinematics.bodies[other], &r[1 - end]);
            let acceleration = kinematics::point_acceleration(motion, &accelerations.bodies[other], r_other);
            residuals.bodies[body] += Wrench::at(&r[end], acceleration * sixth);
            residuals.momenta[body] += Wrench::at(&r[end], motion.velocity.at(r_other) * sixth);
        }
    }
    let zdd = system.armature.iter().zip(&accelerations.zdd);
    for (residual, ((armature, zdd), effort)) in residuals.efforts.iter_mut().zip(zdd.zip(&loads.efforts)) {
        *residual = *zdd * *armature - *effort;
    }
    flexible::calc_residuals(system, ws);
}

/// Accelerations of the bodies and residuals at the final z̈; an evaluation leaves the values from before the solution.
pub fn calc_final_residuals<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    kinematics::calc_accelerations(system, &ws.stage.v, &ws.kinematics, &mut ws.accelerations);
    calc_residuals(system, ws);
}

/// Adds the residuals of outboard bodies to those inboard.
pub(crate) fn accumulate_residuals<S: Scalar>(system: &System, residuals: &mut [Wrench<S>]) {
    for body in (1..system.bodies.len()).rev() {
        let parent = system.bodies[body].parent;
        let outboard = residuals[body];
        if parent != 0 {
            residuals[parent] += outboard;
        }
    }
}

/// Q_open = efforts − armature · z̈⁰ − bᵀ Σ_outboard (M̄ Ż⁰ + Z ⨯* M̄ Z − load) − residuals of the modes, into
/// `ws.residuals.force`.
pub fn calc_open_forces<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    let Workspace { kinematics, flexible, residuals, .. } = ws;
    accumulate_residuals(system, &mut residuals.bodies);
    calc_missing_efforts(system, kinematics, flexible, residuals);
    residuals.force.iter_mut().for_each(|force| *force = -*force);
}

/// Residual of every coordinate's equation, into `residuals.force`: bᵀ Σ_outboard residuals + residuals of the modes
/// and of the coordinate itself.
pub(crate) fn calc_missing_efforts<S: Scalar>(
    system: &System,
    kinematics: &Kinematics<S>,
    flexible: &[FlexibleScratch<S>],
    residuals: &mut Residuals<S>,
) {
    let Residuals { bodies, efforts, force, .. } = residuals;
    force.copy_from_slice(efforts);
    for (joint, tree) in system.joints.iter().enumerate() {
        for (k, slot) in tree.v_range().zip(tree.slot_range()) {
            force[k] += kinematics.columns[slot].dot(&bodies[joint + 1]);
        }
    }
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        for (k, residual) in body.v.clone().zip(&scratch.residual) {
            force[k] += *residual;
        }
    }
}
