//! Outputs from a complete evaluation in the workspace.

use super::flexible::recovery;
use super::kinematics::{calc_accelerations, point_acceleration};
use super::{closure, energy, evaluate, inputs_move_guides, load_stage, reactions};
use crate::force::{Element, Surroundings, TyreReadout, Vehicle};
use crate::math::rotation::{product, quaternion, roll_pitch_yaw};
use crate::math::{Vec3, larger};
use crate::system::{
    Axes, Fault, FlexibleQuantity, Output, PointQuantity, Readout, State, System, SystemQuantity, TyreQuantity,
    Workspace,
};
use std::f64::consts::TAU;

/// Writes all outputs of `state` at time `t` with the inputs held in it. `out`: one entry per output.
pub fn calc_outputs(system: &System, state: &State, ws: &mut Workspace, t: f64, out: &mut [f64]) -> Result<(), Fault> {
    load_stage(system, state, ws, t);
    calc_stage_outputs(system, state, ws, t, inputs_move_guides(system), out)
}

/// The same for whatever stage is in the workspace.
pub fn calc_stage_outputs(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    close: bool,
    out: &mut [f64],
) -> Result<(), Fault> {
    evaluate_to_read(system, state, ws, t, close)?;
    let mut tyre = None;
    for (value, output) in out.iter_mut().zip(&system.outputs) {
        *value = read(system, state, ws, output, &mut tyre);
    }
    for filter in &system.filters {
        let unfiltered = std::mem::replace(&mut out[filter.output], ws.auxiliary[filter.last()]);
        let Workspace { auxiliary, rates, .. } = ws;
        filter.calc_rates(&auxiliary[filter.states()], unfiltered, &mut rates.auxiliary[filter.states()]);
    }
    Ok(())
}

/// What goes into every low-pass filter at `state` and the inputs held in it, into `out`.
pub fn calc_unfiltered(system: &System, state: &State, ws: &mut Workspace, out: &mut [f64]) -> Result<(), Fault> {
    load_stage(system, state, ws, state.time);
    evaluate_to_read(system, state, ws, state.time, inputs_move_guides(system))?;
    let mut tyre = None;
    for (value, filter) in out.iter_mut().zip(&system.filters) {
        *value = read(system, state, ws, &system.outputs[filter.output], &mut tyre);
    }
    Ok(())
}

/// Counts the turns of the angles on, to the positions in the workspace: from one step to the next they move by less than half a
/// turn.
pub fn follow_angles(system: &System, state: &mut State, ws: &Workspace) {
    for output in &system.outputs {
        if let Some(place) = output.turns {
            state.angles[place] = angle_near(ws, output, state.angles[place]);
        }
    }
}

/// The angle of an output, by as many full turns as bring it next to `last`.
fn angle_near(ws: &Workspace, output: &Output, last: f64) -> f64 {
    let angle = angles(ws, &output.readout)[output.component];
    angle + TAU * ((last - angle) / TAU).round()
}

/// Roll, pitch and yaw, each within one turn.
fn angles(ws: &Workspace, readout: &Readout) -> Vec3 {
    match readout {
        Readout::RelativeAngles([first, second]) => {
            let first = &ws.bodies[*first].rotation;
            roll_pitch_yaw(&first.tr_mul(&ws.bodies[*second].rotation))
        }
        Readout::Point { body, .. } => roll_pitch_yaw(&ws.bodies[*body].rotation),
        _ => Vec3::zeros(),
    }
}

/// Quaternion of a body, of the sign that is continuous in the coordinates: the product of those of the joints that carry it.
fn body_quaternion(system: &System, ws: &Workspace, body: usize) -> [f64; 4] {
    let (value, mut followed, mut outer) = (quaternion(&ws.bodies[body].rotation), [1.0, 0.0, 0.0, 0.0], body);
    while outer != 0 {
        let (joint, parent) = (&system.joints[outer - 1], system.bodies[outer].parent);
        let turn = match joint.link {
            // A small rotation: w is positive.
            Some(_) => quaternion(&ws.bodies[parent].rotation.tr_mul(&ws.bodies[outer].rotation)),
            None => joint.quaternion(&ws.q),
        };
        followed = product(&turn, &followed);
        outer = parent;
    }
    let along: f64 = value.iter().zip(&followed).map(|(a, b)| a * b).sum();
    if along < 0.0 { value.map(|part| -part) } else { value }
}

/// Starts the angles, each within one turn, and puts all low-pass filters where they rest with the outputs of `state`. The
/// workspace holds the evaluation of `state`.
pub fn settle_filters(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    state.angles.fill(0.0);
    follow_angles(system, state, ws);
    if system.filters.is_empty() {
        return Ok(());
    }
    let mut unfiltered = std::mem::take(&mut ws.unfiltered);
    let done = calc_unfiltered(system, state, ws, &mut unfiltered);
    for (filter, &value) in system.filters.iter().zip(&unfiltered) {
        state.auxiliary[filter.states()].fill(value);
    }
    ws.unfiltered = unfiltered;
    done
}

/// A complete evaluation, with everything that outputs read.
fn evaluate_to_read(system: &System, state: &State, ws: &mut Workspace, t: f64, close: bool) -> Result<(), Fault> {
    evaluate(system, state, ws, t, close)?;
    if system.needs_reactions {
        reactions::calc_reactions(system, state, ws);
    } else {
        calc_accelerations(system, ws);
    }
    Ok(())
}

/// A tyre that was read, so that its outputs, which stand together, cost one evaluation of it.
type LastTyre = Option<(usize, TyreReadout)>;

fn read(system: &System, state: &State, ws: &Workspace, output: &Output, last: &mut LastTyre) -> f64 {
    let surroundings = ws.surroundings(state);
    let vector = |v: Vec3| match output.axes {
        Axes::World => v[output.component],
        Axes::Body => ws.bodies[output.body].rotation.tr_mul(&v)[output.component],
    };
    match &output.readout {
        Readout::Position(q) => ws.q[*q],
        Readout::Speed(v) => ws.v[*v],
        Readout::Acceleration(v) => ws.zdd[*v],
        Readout::RelativeAngles(_) | Readout::Point { quantity: PointQuantity::Angles, .. } => match output.turns {
            Some(place) => angle_near(ws, output, state.angles[place]),
            None => angles(ws, &output.readout)[output.component],
        },
        Readout::ReactionForce(joint) => vector(reactions::joint_reaction(system, ws, *joint).0),
        Readout::ReactionMoment(joint) => vector(reactions::joint_reaction(system, ws, *joint).1),
        Readout::Point { body, quantity: PointQuantity::Rotation, .. } => {
            body_quaternion(system, ws, *body)[output.component]
        }
        Readout::Point { body, point, quantity } => vector(point_quantity(system, ws, *body, point, *quantity)),
        Readout::SpringLength(e) => spring(&system.elements[*e], &surroundings)[0],
        Readout::SpringSpeed(e) => spring(&system.elements[*e], &surroundings)[1],
        Readout::SpringForce(e) => spring(&system.elements[*e], &surroundings)[2],
        Readout::Pressure(e) => pressure(&system.elements[*e], &surroundings),
        Readout::DragForce(e) => vector(drag(&system.elements[*e], &surroundings)),
        Readout::BushingDeformation(e) => bushing(&system.elements[*e], &surroundings)[0][output.component],
        Readout::BushingForce(e) => vector(bushing(&system.elements[*e], &surroundings)[1]),
        Readout::BushingTorque(e) => vector(bushing(&system.elements[*e], &surroundings)[2]),
        Readout::DriveEffort(e) => drive(&system.elements[*e], &surroundings)[0],
        Readout::DrivePower(e) => drive(&system.elements[*e], &surroundings)[1],
        Readout::Tyre(e, quantity) => {
            let Element::Tyre(tyre) = &system.elements[*e] else { return 0.0 };
            let known = last.filter(|(element, _)| element == e).map(|(_, readout)| readout);
            let readout = known.unwrap_or_else(|| tyre.readout(&surroundings));
            *last = Some((*e, readout));
            match quantity {
                TyreQuantity::Force => readout.force[output.component],
                TyreQuantity::Torque => readout.torque[output.component],
                TyreQuantity::ContactPoint => vector(readout.contact),
                TyreQuantity::LongitudinalSlip => readout.longitudinal_slip,
                TyreQuantity::SlipAngle => readout.slip_angle,
                TyreQuantity::Camber => readout.camber,
                TyreQuantity::Deflection => readout.deflection,
                TyreQuantity::LoadedRadius => readout.loaded_radius,
            }
        }
        Readout::ConstraintForce(c) => reactions::constraint_force(system, ws, *c),
        Readout::ConstraintReactionForce(c) => vector(reactions::constraint_reaction(system, ws, *c).0),
        Readout::ConstraintReactionMoment(c) => vector(reactions::constraint_reaction(system, ws, *c).1),
        Readout::ConstraintGap(c) => {
            let rows = system.constraints[*c].rows.clone();
            rows.map(|row| system.rows[row].state(&ws.bodies, &ws.q).gap.abs()).fold(0.0, larger)
        }
        Readout::GuidedEffort(g) => reactions::guided_effort(system, ws, *g),
        Readout::Flexible { body, quantity } => flexible(system, ws, *body, *quantity, output),
        Readout::System(quantity) => system_quantity(system, state, ws, *quantity),
    }
}

fn flexible(system: &System, ws: &Workspace, index: usize, quantity: FlexibleQuantity, output: &Output) -> f64 {
    let body = &system.flexible[index];
    let k = output.component;
    let section = |section: usize| recovery::section_forces(system, ws, index, &body.sections[section]);
    match quantity {
        FlexibleQuantity::SectionForce(index) => section(index)[k],
        FlexibleQuantity::SectionMoment(index) => section(index)[3 + k],
        FlexibleQuantity::Stress(index, point) => {
            let normal = &body.sections[index].points[point].1;
            normal.iter().zip(section(index)).map(|(factor, force)| factor * force).sum()
        }
        FlexibleQuantity::Displacement(node) => recovery::node_displacement(ws, body, &body.nodes[node])[k],
        FlexibleQuantity::RotationAngles(node) => recovery::node_displacement(ws, body, &body.nodes[node])[3 + k],
        FlexibleQuantity::NodePosition(node) => {
            let position = recovery::node_position(ws, body, &body.nodes[node]) + system.origin;
            match output.axes {
                Axes::World => position[k],
                Axes::Body => ws.bodies[output.body].rotation.tr_mul(&position)[k],
            }
        }
        FlexibleQuantity::Amplitude(mode) => ws.q[body.q.start + mode],
        FlexibleQuantity::AmplitudeSpeed(mode) => ws.v[body.v.start + mode],
        FlexibleQuantity::StrainEnergy => recovery::strain_energy(ws, body),
    }
}

fn point_quantity(system: &System, ws: &Workspace, body: usize, point: &Vec3, quantity: PointQuantity) -> Vec3 {
    let motion = &ws.bodies[body];
    let r = motion.point(point);
    match quantity {
        PointQuantity::Position => r + motion.reference + system.origin,
        PointQuantity::Velocity => motion.velocity.at(&r),
        PointQuantity::Acceleration => point_acceleration(motion, &ws.accelerations[body], &r),
        PointQuantity::AngularVelocity => motion.velocity.ang,
        PointQuantity::AngularAcceleration => ws.accelerations[body].ang,
        PointQuantity::Rotation | PointQuantity::Angles => Vec3::zeros(),
    }
}

fn spring(element: &Element, surroundings: &Surroundings) -> [f64; 3] {
    let readout = match element {
        Element::Spring(spring) => spring.readout(surroundings),
        Element::JointSpring(spring) => spring.readout(surroundings),
        Element::BumpStop(stop) => stop.readout(surroundings),
        Element::Vehicle(element) => element.readout(surroundings),
        _ => return [0.0; 3],
    };
    [readout.length, readout.speed, readout.force]
}

fn pressure(element: &Element, surroundings: &Surroundings) -> f64 {
    match element {
        Element::Vehicle(Vehicle::AirSpring(spring)) => spring.pressure(surroundings),
        _ => 0.0,
    }
}

fn drag(element: &Element, surroundings: &Surroundings) -> Vec3 {
    match element {
        Element::Vehicle(Vehicle::AerodynamicDrag(drag)) => drag.force(surroundings).0,
        _ => Vec3::zeros(),
    }
}

fn bushing(element: &Element, surroundings: &Surroundings) -> [Vec3; 3] {
    match element {
        Element::Bushing(bushing) => {
            let readout = bushing.readout(surroundings);
            [readout.axes.tr_mul(&readout.deformation), readout.force, readout.torque]
        }
        _ => [Vec3::zeros(); 3],
    }
}

fn drive(element: &Element, surroundings: &Surroundings) -> [f64; 2] {
    match element {
        Element::Drive(drive) => [drive.effort(surroundings), drive.power(surroundings)],
        Element::Vehicle(element) => {
            let readout = element.readout(surroundings);
            [readout.force, readout.force * readout.speed]
        }
        _ => [0.0; 2],
    }
}

fn system_quantity(system: &System, state: &State, ws: &Workspace, quantity: SystemQuantity) -> f64 {
    match quantity {
        SystemQuantity::KineticEnergy => energy::kinetic(system, ws),
        SystemQuantity::PotentialEnergy => energy::potential(system, state, ws),
        SystemQuantity::DissipatedEnergy => ws.auxiliary[0],
        SystemQuantity::InputWork => ws.auxiliary[1],
        SystemQuantity::EnergyBalance => {
            energy::kinetic(system, ws) + energy::potential(system, state, ws) + ws.auxiliary[0] - ws.auxiliary[1]
        }
        SystemQuantity::Gap => closure::gaps(system, ws).0,
        SystemQuantity::VelocityGap => closure::gaps(system, ws).1,
        SystemQuantity::NearSingular => f64::from(state.near_singular),
        SystemQuantity::Repartitions => f64::from(state.repartitions),
        // Of a run, not of a state: the simulator writes them.
        SystemQuantity::Judgement(_) => 0.0,
    }
}
