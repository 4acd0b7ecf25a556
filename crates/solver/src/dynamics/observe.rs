//! Outputs from a complete evaluation in the workspace.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::closure::{complete_rows, gaps};
use super::flexible::section_recovery;
use super::kinematics::{calc_accelerations, point_acceleration};
use super::shared_evaluation::calc_first_stage;
use super::{energy, evaluate, reactions};
use crate::force;
use crate::math::elementary::round;
use crate::math::rotation::{product, quaternion, roll_pitch_yaw};
use crate::math::scalar::{Scalar, lift};
use crate::math::{Vec3, larger};
use crate::system::{
    Angles, Axes, DISSIPATED, Fault, FlexibleQuantity, INPUT_WORK, Output, PointQuantity, Readout, State, System,
    SystemQuantity, Workspace,
};
use core::f64::consts::TAU;

/// Quantities for the outputs of the whole system and for the quality figures of a run, each computed once per
/// evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary<S = f64> {
    /// Kinetic, potential and dissipated energy, and input work, J.
    pub energies: [S; 4],
    /// Largest closure error in m and largest rate in m/s over all rows.
    pub gaps: [S; 2],
}

impl<S: Scalar> Summary<S> {
    /// From the complete evaluation in the workspace, rows included.
    fn new(system: &System, parameters: &[S], ws: &Workspace<S>) -> Summary<S> {
        let [dissipated, input] = [DISSIPATED, INPUT_WORK].map(|k| ws.stage.auxiliary[k]);
        Summary {
            energies: [
                energy::kinetic(system, ws),
                energy::evaluated_potential(system, parameters, ws),
                dissipated,
                input,
            ],
            gaps: gaps(system, &ws.stage, &ws.kinematics, &ws.closure.rows),
        }
    }

    /// Kinetic + potential + dissipated energy − input work, J.
    pub fn balance(&self) -> S {
        let [kinetic, potential, dissipated, input] = self.energies;
        kinetic + potential + dissipated - input
    }
}

/// Writes all outputs of `state` with the inputs held in it. `out`: one entry per output. The evaluation is kept for
/// the next step.
pub fn calc_outputs(system: &System, state: &State, ws: &mut Workspace, out: &mut [f64]) -> Result<Summary, Fault> {
    calc_first_stage(system, state, ws)?;
    complete(system, state, ws);
    Ok(read_all(system, state, ws, out))
}

/// Writes all outputs for any stage in the workspace, at time `t`, without storing the evaluation.
pub fn calc_stage_outputs(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    t: f64,
    out: &mut [f64],
) -> Result<Summary, Fault> {
    evaluate(system, state, ws, t)?;
    complete(system, state, ws);
    Ok(read_all(system, state, ws, out))
}

/// All outputs of the complete evaluation in the workspace, and the rates of their filters.
fn read_all(system: &System, state: &State, ws: &mut Workspace, out: &mut [f64]) -> Summary {
    read_outputs(system, state, &state.parameters, ws, out)
}

/// All outputs for any number type, with the present values of all parameters; turns and flags are from `state`.
pub(super) fn read_outputs<S: Scalar>(
    system: &System,
    state: &State,
    parameters: &[S],
    ws: &mut Workspace<S>,
    out: &mut [S],
) -> Summary<S> {
    let summary = Summary::new(system, parameters, ws);
    let (mut components, mut last) = ([S::zero(); 4], Last::new());
    for (value, output) in out.iter_mut().zip(&system.outputs) {
        if !output.again {
            components = read(system, (state, parameters), ws, output, &summary, &mut last);
        }
        *value = component(state, output, &components);
    }
    for filter in &system.filters {
        let unfiltered = core::mem::replace(&mut out[filter.output], ws.stage.auxiliary[filter.last()]);
        let Workspace { stage, rates, .. } = ws;
        filter.calc_rates(&stage.auxiliary[filter.states()], unfiltered, &mut rates.auxiliary[filter.states()]);
    }
    summary
}

/// Writes the input of every low-pass filter at `state` and its held inputs to `ws.unfiltered.now`. A value that is not
/// finite is a fault, since a filter would keep it.
pub(crate) fn calc_unfiltered(system: &System, state: &State, ws: &mut Workspace) -> Result<(), Fault> {
    calc_first_stage(system, state, ws)?;
    complete(system, state, ws);
    let (summary, mut last) = (Summary::new(system, &state.parameters, ws), Last::new());
    for (k, filter) in system.filters.iter().enumerate() {
        let output = &system.outputs[filter.output];
        let value =
            component(state, output, &read(system, (state, &state.parameters), ws, output, &summary, &mut last));
        if !value.is_finite() {
            return Err(Fault::OutputNotFinite { output: filter.output as u32, time: state.time });
        }
        ws.unfiltered.now[k] = value;
    }
    Ok(())
}

/// Updates the turn counts of the angles for the positions in the workspace. Angles must change by less than half a
/// turn per step.
pub fn follow_angles(system: &System, state: &mut State, ws: &Workspace) {
    let mut rpy = Vec3::zeros();
    // For each body or joint, roll precedes yaw.
    for output in &system.outputs {
        if let Some((of, place)) = output.turns {
            if !output.again || output.component == 0 {
                rpy = angles(ws, of);
            }
            state.angles[place] = near(rpy[output.component], state.angles[place]);
        }
    }
}

/// The angle `angle` plus the number of full turns that brings it closest to `last`.
fn near<S: Scalar>(angle: S, last: f64) -> S {
    angle + TAU * round((last - angle.value()) / TAU)
}

/// Roll, pitch and yaw, each within one turn.
fn angles<S: Scalar>(ws: &Workspace<S>, of: Angles) -> Vec3<S> {
    let bodies = &ws.kinematics.bodies;
    match of {
        Angles::Relative([first, second]) => roll_pitch_yaw(&bodies[first].rotation.tr_mul(&bodies[second].rotation)),
        Angles::OfBody(body) => roll_pitch_yaw(&bodies[body].rotation),
    }
}

/// Quaternion of a body, with the sign that is continuous in the coordinates: the product of the quaternions of the
/// joints that carry it.
fn body_quaternion<S: Scalar>(system: &System, ws: &Workspace<S>, body: usize) -> [S; 4] {
    let start = [S::one(), S::zero(), S::zero(), S::zero()];
    let (value, mut followed, mut outer) = (quaternion(&ws.kinematics.bodies[body].rotation), start, body);
    while outer != 0 {
        let (joint, parent) = (&system.joints[outer - 1], system.bodies[outer].parent);
        let turn = match joint.link {
            // A small rotation: w is positive.
            Some(_) => quaternion(&ws.kinematics.bodies[parent].rotation.tr_mul(&ws.kinematics.bodies[outer].rotation)),
            None => joint.quaternion(&ws.stage.q),
        };
        followed = product(&turn, &followed);
        outer = parent;
    }
    // Of the two quaternions of the rotation, the one on the side of the product.
    let agreement: S = value.iter().zip(&followed).map(|(&a, &b)| a * b).sum();
    if agreement < 0.0 { value.map(|part| -part) } else { value }
}

/// Starts the angles, each within one turn, and sets all low-pass filters to their steady state for the outputs of
/// `state`. The workspace holds the evaluation of `state`.
pub fn settle_filters(system: &System, state: &mut State, ws: &mut Workspace) -> Result<(), Fault> {
    state.angles.fill(0.0);
    follow_angles(system, state, ws);
    if system.filters.is_empty() {
        return Ok(());
    }
    calc_unfiltered(system, state, ws)?;
    for (filter, &value) in system.filters.iter().zip(&ws.unfiltered.now) {
        state.auxiliary[filter.states()].fill(value);
    }
    Ok(())
}

/// Adds the data for outputs to a complete evaluation: all rows, the accelerations and the reactions.
fn complete(system: &System, state: &State, ws: &mut Workspace) {
    if system.needs_reactions {
        reactions::calc_reactions(system, state, ws);
    } else {
        let Workspace { stage, kinematics, closure, accelerations, .. } = ws;
        calc_accelerations(system, &stage.v, kinematics, accelerations);
        complete_rows(system, &stage.q, kinematics, &mut closure.rows);
    }
}

/// The element that was read last: outputs of one element are adjacent.
struct Last<S> {
    element: Option<usize>,
    values: force::Values<S>,
}

impl<S: Scalar> Last<S> {
    fn new() -> Last<S> {
        Last { element: None, values: force::Values::default() }
    }
}

/// Components of a vector or quaternion; a scalar is the first of them.
type Components<S> = [S; 4];

/// An output from the components of its quantity.
fn component<S: Scalar>(state: &State, output: &Output, components: &Components<S>) -> S {
    let value = components[output.component];
    output.turns.map_or(value, |(_, place)| near(value, state.angles[place]))
}

/// All components of the quantity of an output.
fn read<S: Scalar>(
    system: &System,
    (state, parameters): (&State, &[S]),
    ws: &Workspace<S>,
    output: &Output,
    summary: &Summary<S>,
    last: &mut Last<S>,
) -> Components<S> {
    // A scalar is the first component; vectors are in world axes or in the axes of the output's body.
    let surroundings = ws.stage.surroundings(&ws.kinematics, parameters);
    let zero = S::zero();
    let scalar = |value: S| [value, zero, zero, zero];
    let plain = |v: Vec3<S>| [v.x, v.y, v.z, zero];
    let vector = |v: Vec3<S>| match output.axes {
        Axes::World => plain(v),
        Axes::Body => plain(ws.kinematics.bodies[output.body].rotation.tr_mul(&v)),
    };
    // Each quantity from the workspace of the complete evaluation.
    match &output.readout {
        Readout::Position(q) => scalar(ws.stage.q[*q]),
        Readout::Speed(v) => scalar(ws.stage.v[*v]),
        Readout::Acceleration(v) => scalar(ws.accelerations.zdd[*v]),
        Readout::Angles(of) => plain(angles(ws, *of)),
        Readout::Rotation(body) => body_quaternion(system, ws, *body),
        Readout::ReactionForce(joint) => vector(reactions::joint_reaction(system, ws, *joint).0),
        Readout::ReactionMoment(joint) => vector(reactions::joint_reaction(system, ws, *joint).1),
        Readout::Point { body, point, quantity } => vector(point_quantity(system, ws, *body, point, *quantity)),
        Readout::Element { element, quantity } => {
            if last.element != Some(*element) {
                system.elements[*element].read(&surroundings, &ws.loads.patches, &mut last.values);
                last.element = Some(*element);
            }
            match last.values.get(*quantity) {
                force::Value::Scalar(value) => scalar(value),
                force::Value::World(value) => vector(value),
                force::Value::Own(value) => plain(value),
            }
        }
        Readout::ConstraintForce(c, term) => scalar(reactions::constraint_force(system, ws, *c, *term)),
        Readout::ConstraintPower(c, term) => {
            let row = &system.rows[system.constraints[*c].rows.start];
            scalar(reactions::constraint_force(system, ws, *c, *term) * ws.stage.v[row.terms()[*term].velocity])
        }
        Readout::ConstraintReactionForce(c) => vector(reactions::constraint_reaction(system, ws, *c).0),
        Readout::ConstraintGap(c) => {
            let rows = &ws.closure.rows[system.constraints[*c].rows.clone()];
            scalar(rows.iter().map(|row| row.gap.abs()).fold(zero, larger))
        }
        Readout::GuidedEffort(g) => scalar(reactions::guided_effort(system, ws, *g)),
        Readout::Flexible { body, quantity } => flexible(system, ws, *body, *quantity, output),
        Readout::System(quantity) => scalar(system_quantity(state, summary, *quantity)),
        // Figures of a run, not of a state: the simulator writes them.
        Readout::Run(_) => scalar(zero),
    }
}

fn flexible<S: Scalar>(
    system: &System,
    ws: &Workspace<S>,
    index: usize,
    quantity: FlexibleQuantity,
    output: &Output,
) -> Components<S> {
    let zero = S::zero();
    let body = &system.flexible[index];
    // Section loads from the amplitudes; quantities of nodes from their shapes.
    let section = |section: usize| section_recovery::section_forces(system, ws, index, &body.sections[section]);
    let three = |values: [S; 6], first: usize| [values[first], values[first + 1], values[first + 2], zero];
    let scalar = |value: S| [value, zero, zero, zero];
    match quantity {
        FlexibleQuantity::SectionForce(index) => three(section(index), 0),
        FlexibleQuantity::SectionMoment(index) => three(section(index), 3),
        FlexibleQuantity::Stress(index, point) => scalar(body.sections[index].points[point].1.value(&section(index))),
        FlexibleQuantity::Displacement(node) => {
            three(section_recovery::node_displacement(ws, body, &body.nodes[node]), 0)
        }
        FlexibleQuantity::RotationAngles(node) => {
            three(section_recovery::node_displacement(ws, body, &body.nodes[node]), 3)
        }
        FlexibleQuantity::NodePosition(node) => {
            // Node N from the model's origin, in the axes of the output.
            let p_WN = section_recovery::node_position(ws, body, &body.nodes[node]) + lift(&system.origin);
            let p_WN_out = match output.axes {
                Axes::World => p_WN,
                Axes::Body => ws.kinematics.bodies[output.body].rotation.tr_mul(&p_WN),
            };
            [p_WN_out.x, p_WN_out.y, p_WN_out.z, zero]
        }
        FlexibleQuantity::Amplitude(mode) => scalar(ws.stage.q[body.q.start + mode]),
        FlexibleQuantity::AmplitudeSpeed(mode) => scalar(ws.stage.v[body.v.start + mode]),
        FlexibleQuantity::StrainEnergy => scalar(section_recovery::strain_energy(ws, body)),
    }
}

fn point_quantity<S: Scalar>(
    system: &System,
    ws: &Workspace<S>,
    body: usize,
    point: &Vec3,
    quantity: PointQuantity,
) -> Vec3<S> {
    let motion = &ws.kinematics.bodies[body];
    let p_oP_W = motion.point(point);
    match quantity {
        PointQuantity::Position => p_oP_W + motion.reference + lift(&system.origin),
        PointQuantity::Velocity => motion.velocity.at(&p_oP_W),
        PointQuantity::Acceleration => point_acceleration(motion, &ws.accelerations.bodies[body], &p_oP_W),
        PointQuantity::AngularVelocity => motion.velocity.ang,
        PointQuantity::AngularAcceleration => ws.accelerations.bodies[body].ang,
    }
}

fn system_quantity<S: Scalar>(state: &State, summary: &Summary<S>, quantity: SystemQuantity) -> S {
    match quantity {
        SystemQuantity::KineticEnergy => summary.energies[0],
        SystemQuantity::PotentialEnergy => summary.energies[1],
        SystemQuantity::DissipatedEnergy => summary.energies[2],
        SystemQuantity::InputWork => summary.energies[3],
        SystemQuantity::EnergyBalance => summary.balance(),
        SystemQuantity::Gap => summary.gaps[0],
        SystemQuantity::VelocityGap => summary.gaps[1],
        SystemQuantity::NearSingular => S::from_f64(f64::from(state.near_singular)),
        SystemQuantity::Repartitions => S::from_f64(f64::from(state.repartitions)),
    }
}
