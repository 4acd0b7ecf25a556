//! Energies of the system and the power of its prescribed coordinates.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::flexible;
use crate::force::Element;
use crate::math::Vec3;
use crate::math::scalar::{Scalar, lift};
use crate::math::spatial::{self, Motion, SixNumbers, Wrench};
use crate::system::workspace::{FlexibleScratch, Inertias, Kinematics};
use crate::system::{State, System, Workspace};

/// Kinetic energy in J: ½ Σ Z·M̄Z, m/6 v_P·v_Q of every rod in addition to the point masses in M̄, and ½ armature · ż².
pub fn kinetic<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let mut energy = S::zero();
    for body in 1..system.bodies.len() {
        let z = &ws.kinematics.bodies[body].velocity;
        energy += z.dot(&ws.inertias.bodies[body].apply(z)) * 0.5;
    }
    for rod in &system.rods {
        let [v_p, v_q] = [0, 1].map(|end| {
            let body = &ws.kinematics.bodies[rod.bodies[end]];
            body.velocity.at(&body.point(&rod.points[end]))
        });
        energy += v_p.dot(&v_q) * (rod.mass / 6.0);
    }
    for (armature, rate) in system.armature.iter().zip(&ws.stage.v) {
        energy += *rate * *rate * (0.5 * armature);
    }
    energy + flexible::kinetic(system, ws)
}

/// Twice the kinetic energy in J for the velocities `speed(v)` of all coordinates v: żᵀ M ż by one sweep from the root.
/// For given columns and inertias. `velocities`: scratch, an entry per body.
pub fn twice_kinetic_of(
    system: &System,
    (kinematics, inertias, flexible): (&Kinematics, &Inertias, &[FlexibleScratch]),
    velocities: &mut [SixNumbers],
    speed: impl Fn(usize) -> f64,
) -> f64 {
    let mut energy = 0.0;
    velocities[0] = [0.0; 6];
    // Rigid bodies and the rigid part of flexible bodies.
    for (joint, tree) in system.joints.iter().enumerate() {
        let mut velocity = velocities[system.bodies[joint + 1].parent];
        for (v, slot) in tree.v_range().zip(tree.slot_range()) {
            spatial::add_scaled(&mut velocity, speed(v), &kinematics.columns[slot].six());
        }
        velocities[joint + 1] = velocity;
        let velocity = Motion::from_six(&velocity);
        energy += velocity.dot(&inertias.bodies[joint + 1].apply(&velocity));
    }
    // The coupling of the two ends of a rod; each end body already carries a third of the mass.
    for rod in system.rods.iter().filter(|rod| rod.mass != 0.0) {
        let [v_P_W, v_Q_W] = [0, 1].map(|end| {
            let p_oP_W = kinematics.bodies[rod.bodies[end]].point(&rod.points[end]);
            Motion::from_six(&velocities[rod.bodies[end]]).at(&p_oP_W)
        });
        energy += rod.mass / 3.0 * v_P_W.dot(&v_Q_W);
    }
    for (v, armature) in system.armature.iter().enumerate().filter(|(_, armature)| **armature != 0.0) {
        energy += armature * speed(v) * speed(v);
    }
    // Modes, with unit modal mass, and their coupling to the frame.
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        for (v, coupling) in body.v.clone().zip(&scratch.coupling) {
            let rate = speed(v);
            energy += rate * (2.0 * spatial::dot(&velocities[body.body], &coupling.six()) + rate);
        }
    }
    energy
}

/// Momentum in N s and angular momentum in N m s about the model's origin, world axes, of the whole system.
pub fn momentum(system: &System, ws: &Workspace) -> (Vec3, Vec3) {
    let mut sum = Wrench::zero();
    let mut add = |body: usize, momentum: Wrench| {
        let reference = ws.kinematics.bodies[body].reference;
        sum += Wrench { force: momentum.force, moment: momentum.moment + reference.cross(&momentum.force) };
    };
    for body in 1..system.bodies.len() {
        add(body, ws.inertias.bodies[body].apply(&ws.kinematics.bodies[body].velocity));
    }
    for (body, scratch) in system.flexible.iter().zip(&ws.flexible) {
        for (coupling, rate) in scratch.coupling.iter().zip(&ws.stage.v[body.v.clone()]) {
            add(body.body, *coupling * *rate);
        }
    }
    // A rod adds m/6 times the velocity of the other end at each end; the bodies carry m/3.
    for rod in &system.rods {
        for end in 0..2 {
            let (own, other) = (&ws.kinematics.bodies[rod.bodies[end]], &ws.kinematics.bodies[rod.bodies[1 - end]]);
            let v_other_W = other.velocity.at(&other.point(&rod.points[1 - end]));
            add(rod.bodies[end], Wrench::at(&own.point(&rod.points[end]), v_other_W * (rod.mass / 6.0)));
        }
    }
    (sum.force, sum.moment)
}

/// Potential energy in J of weight and springs; the weight's part is zero in the design position.
pub fn potential(system: &System, state: &State, ws: &Workspace) -> f64 {
    let surroundings = ws.surroundings(state);
    potential_with(system, ws, |element| element.potential(&surroundings))
}

/// Potential energy in J after a complete evaluation, which is not repeated, with the given values of all parameters.
pub(crate) fn evaluated_potential<S: Scalar>(system: &System, parameters: &[S], ws: &Workspace<S>) -> S {
    let surroundings = ws.stage.surroundings(&ws.kinematics, parameters);
    potential_with(system, ws, |element| element.evaluated_potential(&surroundings, &ws.loads.patches))
}

fn potential_with<S: Scalar>(system: &System, ws: &Workspace<S>, of_element: impl Fn(&Element) -> S) -> S {
    let mut energy = S::zero();
    let gravity = lift::<S>(&system.gravity);
    for (body, motion) in system.bodies.iter().zip(&ws.kinematics.bodies).skip(1) {
        energy -= gravity.dot(&(motion.position + motion.reference - lift(&body.design))) * body.mass;
    }
    for rod in &system.rods {
        for end in 0..2 {
            let (body, motion) = (&system.bodies[rod.bodies[end]], &ws.kinematics.bodies[rod.bodies[end]]);
            let rise = motion.point(&rod.points[end]) + motion.reference - lift(&(body.design + rod.points[end]));
            energy -= gravity.dot(&rise) * (0.5 * rod.mass);
        }
    }
    energy + flexible::potential(system, ws) + system.elements.iter().map(of_element).sum::<S>()
}

/// Power in W of `ws.residuals` on the present motion: with the residuals at the final accelerations, the power of the
/// driven coordinates. The residuals of the modes act on the motion of the modes.
pub(super) fn residual_power<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let mut power = flexible::residual_power(system, ws);
    for body in 1..system.bodies.len() {
        power += ws.kinematics.bodies[body].velocity.dot(&ws.residuals.bodies[body]);
    }
    for (residual, speed) in ws.residuals.efforts.iter().zip(&ws.stage.v) {
        power += *residual * *speed;
    }
    power
}

/// Power in W of the inertia forces that belong to `ws.elimination.change` and to the change of the modes'
/// accelerations since their residuals were computed; the second part of [`guided_power`].
pub(super) fn change_power(system: &System, ws: &Workspace) -> f64 {
    let of_bodies: f64 = (1..system.bodies.len())
        .map(|body| spatial::dot(&ws.elimination.change[body], &ws.residuals.momenta[body].six()))
        .sum();
    let armatures = system.armature.iter().enumerate().filter(|(_, armature)| **armature != 0.0);
    let of_armatures = |(v, armature): (usize, &f64)| {
        let before = ws.residuals.efforts[v] + ws.loads.efforts[v];
        (armature * ws.accelerations.zdd[v] - before) * ws.stage.v[v]
    };
    of_bodies + flexible::change_power(system, ws) + armatures.map(of_armatures).sum::<f64>()
}

/// Power in W of the prescribed coordinates: the power absorbed by the bodies minus the power of the applied loads and
/// efforts, including the damping of modes. (Constraint forces do no work.) Leaves `ws.accelerations.bodies` and
/// `ws.residuals.bodies` at the final z̈.
pub(crate) fn guided_power(system: &System, ws: &mut Workspace) -> f64 {
    super::residuals::calc_final_residuals(system, ws);
    residual_power(system, ws)
}
