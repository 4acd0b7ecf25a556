//! Outputs of the file, resolved: what to read, which component, on which inputs it depends.

use super::names::Names;
use super::{Constraint, InputInfo, OutputInfo, ScalarKind};
use crate::force::{Element, Lookup};
use crate::math::Vec3;
use crate::model::schema::{self, Component, Quantity};

pub use crate::model::schema::Axes;

/// What an output reads; the component of a vector or quaternion is chosen afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Readout {
    /// Position coordinate.
    Position(usize),
    /// Velocity coordinate.
    Speed(usize),
    /// Its acceleration.
    Acceleration(usize),
    /// Force of a joint of the file on its second body.
    ReactionForce(usize),
    /// Moment of a joint of the file on its second body about the joint's point.
    ReactionMoment(usize),
    /// Quantity of a point fixed in a body (coordinates in B).
    Point { body: usize, point: Vec3, quantity: PointQuantity },
    /// Length of the spring or joint spring with this element number.
    SpringLength(usize),
    /// Its speed.
    SpringSpeed(usize),
    /// Its force.
    SpringForce(usize),
    /// Deformation of the bushing with this element number, in its own axes.
    BushingDeformation(usize),
    /// Its force on the second body.
    BushingForce(usize),
    /// Its torque on the second body.
    BushingTorque(usize),
    /// Effort of the drive with this element number.
    DriveEffort(usize),
    /// Power of it.
    DrivePower(usize),
    /// Tension of a rod, or effort of a coupler on its second coordinate.
    ConstraintForce(usize),
    /// Force of a constraint on its second body.
    ConstraintReactionForce(usize),
    /// Moment of a constraint on its second body about its point.
    ConstraintReactionMoment(usize),
    /// Largest gap of a constraint.
    ConstraintGap(usize),
    /// Effort of a guided coordinate (number of the guided coordinate).
    GuidedEffort(usize),
    /// A quantity of the whole system.
    System(SystemQuantity),
}

/// Quantity of a point of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointQuantity {
    /// Position in W, m.
    Position,
    /// m/s.
    Velocity,
    /// m/s².
    Acceleration,
    /// Unit quaternion.
    Rotation,
    /// rad/s.
    AngularVelocity,
    /// rad/s².
    AngularAcceleration,
}

/// Quantity of the whole system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemQuantity {
    /// J.
    KineticEnergy,
    /// J.
    PotentialEnergy,
    /// J.
    DissipatedEnergy,
    /// J.
    InputWork,
    /// J.
    EnergyBalance,
    /// m.
    Gap,
    /// m/s.
    VelocityGap,
    /// Boolean.
    NearSingular,
    /// Integer.
    Repartitions,
}

/// One scalar output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// What is read.
    pub readout: Readout,
    /// Index into the vector or quaternion; 0 for scalars.
    pub component: usize,
    /// Axes of a vector.
    pub axes: Axes,
    /// Body whose axes are meant by [`Axes::Body`].
    pub body: usize,
}

/// Level of the motion on which a readout depends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    State,
    Position,
    Velocity,
    Acceleration,
}

/// Which inputs act where: what exact dependencies are derived from.
pub struct Influence<'a> {
    /// Component of every body: bodies with the same number exchange reactions at once. 0: the ground alone.
    pub component: &'a [usize],
    /// Body that owns every velocity coordinate.
    pub body_of_coordinate: &'a [usize],
    /// Per input: (component it acts on, level from which on motion depends on it: 0 position, 1 velocity, 2 acceleration).
    pub acts: &'a [Vec<(usize, u8)>],
}

/// All scalar outputs of the model, in file order, vectors split.
pub fn outputs(
    names: &Names,
    elements: &[Element],
    constraints: &[Constraint],
    influence: &Influence,
    inputs: &[InputInfo],
) -> (Vec<Output>, Vec<OutputInfo>) {
    let (mut outputs, mut infos) = (Vec::new(), Vec::new());
    for output in &names.model.outputs {
        let (readout, unit, body) = resolve(names, elements, constraints, output);
        let labels: &[(&str, usize)] = match size(&readout) {
            1 => &[("", 0)],
            3 => &[(".x", 0), (".y", 1), (".z", 2)],
            _ => &[(".w", 0), (".x", 1), (".y", 2), (".z", 3)],
        };
        let wanted = output.component.map(|component| match (component, labels.len()) {
            (Component::W, _) => 0,
            (Component::X, 4) => 1,
            (Component::Y, 4) => 2,
            (Component::Z, 4) => 3,
            (Component::X, _) => 0,
            (Component::Y, _) => 1,
            (Component::Z, _) => 2,
        });
        let dependencies = dependencies(&readout, elements, constraints, names, influence, inputs.len());
        for (suffix, component) in labels {
            if wanted.is_some_and(|w| w != *component) {
                continue;
            }
            let name = if wanted.is_some() { output.name.clone() } else { format!("{}{suffix}", output.name) };
            let kind = match readout {
                Readout::System(SystemQuantity::NearSingular) => ScalarKind::Boolean,
                Readout::System(SystemQuantity::Repartitions) => ScalarKind::Integer,
                _ => ScalarKind::Real,
            };
            infos.push(OutputInfo {
                name,
                unit: unit.to_string(),
                kind,
                dependencies: dependencies.clone(),
                description: output.description.clone(),
            });
            outputs.push(Output { readout: readout.clone(), component: *component, axes: output.axes, body });
        }
    }
    (outputs, infos)
}

fn size(readout: &Readout) -> usize {
    match readout {
        Readout::Point { quantity: PointQuantity::Rotation, .. } => 4,
        Readout::Point { .. }
        | Readout::ReactionForce(_)
        | Readout::ReactionMoment(_)
        | Readout::BushingDeformation(_)
        | Readout::BushingForce(_)
        | Readout::BushingTorque(_)
        | Readout::ConstraintReactionForce(_)
        | Readout::ConstraintReactionMoment(_) => 3,
        _ => 1,
    }
}

/// The readout, its unit, and the body whose axes count.
fn resolve(
    names: &Names,
    elements: &[Element],
    constraints: &[Constraint],
    output: &schema::Output,
) -> (Readout, &'static str, usize) {
    // Names are unique within a kind only: a spring and a drive may both be called `elbow`.
    let element = |name: &str, is_kind: fn(&Element) -> bool| {
        elements.iter().position(|element| is_kind(element) && element.name() == name).unwrap_or(0)
    };
    let coordinate = output.coordinate.as_deref();
    if let Some(joint) = &output.joint {
        let file = names.joint(joint);
        let kind = names.model.joints[file].kind;
        let angle = Names::is_angle(kind, coordinate);
        let second = names.joint_places[file].bodies[1];
        let ix = || names.coordinate(joint, coordinate);
        return match output.quantity {
            Quantity::ReactionForce => (Readout::ReactionForce(file), "N", second),
            Quantity::ReactionMoment => (Readout::ReactionMoment(file), "N.m", second),
            quantity => (coordinate_readout(quantity, &ix()), coordinate_unit(quantity, angle), second),
        };
    }
    if let Some(name) = &output.guided {
        let index = names.model.guided.iter().position(|guided| &guided.name == name).unwrap_or(0);
        let guided = &names.model.guided[index];
        let kind = names.model.joints[names.joint(&guided.joint)].kind;
        let angle = Names::is_angle(kind, guided.coordinate.as_deref());
        let ix = names.coordinate(&guided.joint, guided.coordinate.as_deref());
        return match output.quantity {
            Quantity::Effort => (Readout::GuidedEffort(index), if angle { "N.m" } else { "N" }, 0),
            quantity => (coordinate_readout(quantity, &ix), coordinate_unit(quantity, angle), 0),
        };
    }
    if let Some(name) = &output.body {
        let body = names.body(name).0;
        let point = output.point.as_ref().map_or(Vec3::zeros(), |place| names.body_point(names.body(name), place));
        let (quantity, unit) = match output.quantity {
            Quantity::Position => (PointQuantity::Position, "m"),
            Quantity::Velocity => (PointQuantity::Velocity, "m/s"),
            Quantity::Acceleration => (PointQuantity::Acceleration, "m/s2"),
            Quantity::Rotation => (PointQuantity::Rotation, "1"),
            Quantity::AngularVelocity => (PointQuantity::AngularVelocity, "rad/s"),
            _ => (PointQuantity::AngularAcceleration, "rad/s2"),
        };
        return (Readout::Point { body, point, quantity }, unit, body);
    }
    if let Some(name) = &output.spring {
        let index = element(name, |element| matches!(element, Element::Spring(_) | Element::JointSpring(_)));
        let angle = match &elements[index] {
            Element::JointSpring(_) => {
                let spring = names.model.joint_springs.iter().find(|spring| &spring.name == name);
                spring.is_some_and(|spring| {
                    let kind = names.model.joints[names.joint(&spring.joint)].kind;
                    Names::is_angle(kind, spring.coordinate.as_deref())
                })
            }
            _ => false,
        };
        return match output.quantity {
            Quantity::Length => (Readout::SpringLength(index), if angle { "rad" } else { "m" }, 0),
            Quantity::Speed => (Readout::SpringSpeed(index), if angle { "rad/s" } else { "m/s" }, 0),
            _ => (Readout::SpringForce(index), if angle { "N.m" } else { "N" }, 0),
        };
    }
    if let Some(name) = &output.bushing {
        let index = element(name, |element| matches!(element, Element::Bushing(_)));
        let second = match &elements[index] {
            Element::Bushing(_) => {
                let bushing = names.model.bushings.iter().find(|bushing| &bushing.name == name);
                bushing.map_or(0, |bushing| names.body(&bushing.bodies[1]).0)
            }
            _ => 0,
        };
        return match output.quantity {
            Quantity::Force => (Readout::BushingForce(index), "N", second),
            Quantity::Torque => (Readout::BushingTorque(index), "N.m", second),
            _ => (Readout::BushingDeformation(index), "m", second),
        };
    }
    if let Some(name) = &output.drive {
        let index = element(name, |element| matches!(element, Element::Drive(_)));
        let drive = names.model.drives.iter().find(|drive| &drive.name == name);
        let angle = drive.is_some_and(|drive| {
            let kind = names.model.joints[names.joint(&drive.joint)].kind;
            Names::is_angle(kind, drive.coordinate.as_deref())
        });
        return match output.quantity {
            Quantity::Power => (Readout::DrivePower(index), "W", 0),
            _ => (Readout::DriveEffort(index), if angle { "N.m" } else { "N" }, 0),
        };
    }
    if let Some(name) = &output.constraint {
        let index = constraints
            .iter()
            .position(|constraint| constraint.joint.is_none() && &constraint.name == name)
            .unwrap_or(0);
        let second = constraints[index].bodies[1];
        let coupler = names.model.couplers.iter().find(|coupler| &coupler.name == name);
        let angle = coupler.is_some_and(|coupler| {
            let driven = &coupler.coordinates[1];
            Names::is_angle(names.model.joints[names.joint(&driven.joint)].kind, driven.coordinate.as_deref())
        });
        return match output.quantity {
            Quantity::Gap => (Readout::ConstraintGap(index), "m", second),
            Quantity::ReactionForce => (Readout::ConstraintReactionForce(index), "N", second),
            Quantity::ReactionMoment => (Readout::ConstraintReactionMoment(index), "N.m", second),
            _ => (Readout::ConstraintForce(index), if angle { "N.m" } else { "N" }, second),
        };
    }
    let (quantity, unit) = match output.quantity {
        Quantity::KineticEnergy => (SystemQuantity::KineticEnergy, "J"),
        Quantity::PotentialEnergy => (SystemQuantity::PotentialEnergy, "J"),
        Quantity::DissipatedEnergy => (SystemQuantity::DissipatedEnergy, "J"),
        Quantity::InputWork => (SystemQuantity::InputWork, "J"),
        Quantity::EnergyBalance => (SystemQuantity::EnergyBalance, "J"),
        Quantity::VelocityGap => (SystemQuantity::VelocityGap, "m/s"),
        Quantity::NearSingular => (SystemQuantity::NearSingular, "1"),
        Quantity::Repartitions => (SystemQuantity::Repartitions, "1"),
        _ => (SystemQuantity::Gap, "m"),
    };
    (Readout::System(quantity), unit, 0)
}

fn coordinate_readout(quantity: Quantity, ix: &crate::force::CoordinateIx) -> Readout {
    match quantity {
        Quantity::Speed => Readout::Speed(ix.velocity),
        Quantity::Acceleration => Readout::Acceleration(ix.velocity),
        _ => Readout::Position(ix.position),
    }
}

fn coordinate_unit(quantity: Quantity, angle: bool) -> &'static str {
    match (quantity, angle) {
        (Quantity::Speed, true) => "rad/s",
        (Quantity::Speed, false) => "m/s",
        (Quantity::Acceleration, true) => "rad/s2",
        (Quantity::Acceleration, false) => "m/s2",
        (_, true) => "rad",
        (_, false) => "m",
    }
}

/// Inputs on which a readout depends at once: those that act on its component at or above its level, and those that the
/// element itself reads.
fn dependencies(
    readout: &Readout,
    elements: &[Element],
    constraints: &[Constraint],
    names: &Names,
    influence: &Influence,
    inputs: usize,
) -> Vec<usize> {
    let bodies_of = |constraint: &Constraint| {
        let mut bodies = constraint.bodies.to_vec();
        for name in &constraint.joints {
            bodies.extend(names.joint_places[names.joint(name)].bodies);
        }
        bodies
    };
    let body_of = influence.body_of_coordinate;
    let position_coordinate =
        |q: usize| names.joints.iter().position(|joint| joint.q_range().contains(&q)).map_or(0, |j| j + 1);
    let (bodies, level): (Vec<usize>, Level) = match readout {
        Readout::Position(q) => (vec![position_coordinate(*q)], Level::Position),
        Readout::Speed(v) => (vec![body_of[*v]], Level::Velocity),
        Readout::Acceleration(v) => (vec![body_of[*v]], Level::Acceleration),
        Readout::ReactionForce(file) | Readout::ReactionMoment(file) => {
            (names.joint_places[*file].bodies.to_vec(), Level::Acceleration)
        }
        Readout::Point { body, quantity, .. } => {
            let level = match quantity {
                PointQuantity::Position | PointQuantity::Rotation => Level::Position,
                PointQuantity::Velocity | PointQuantity::AngularVelocity => Level::Velocity,
                _ => Level::Acceleration,
            };
            (vec![*body], level)
        }
        Readout::SpringLength(e) | Readout::BushingDeformation(e) => {
            (element_bodies(&elements[*e], body_of), Level::Position)
        }
        Readout::SpringSpeed(e)
        | Readout::SpringForce(e)
        | Readout::BushingForce(e)
        | Readout::BushingTorque(e)
        | Readout::DrivePower(e) => (element_bodies(&elements[*e], body_of), Level::Velocity),
        Readout::DriveEffort(_) => (vec![], Level::State),
        Readout::ConstraintForce(c) | Readout::ConstraintReactionForce(c) | Readout::ConstraintReactionMoment(c) => {
            (bodies_of(&constraints[*c]), Level::Acceleration)
        }
        Readout::ConstraintGap(_) => (vec![], Level::State),
        Readout::GuidedEffort(g) => {
            let guided = &names.model.guided[*g];
            (vec![body_of[names.coordinate(&guided.joint, guided.coordinate.as_deref()).velocity]], Level::Acceleration)
        }
        Readout::System(quantity) => {
            let level = match quantity {
                SystemQuantity::PotentialEnergy => Level::Position,
                SystemQuantity::KineticEnergy | SystemQuantity::EnergyBalance => Level::Velocity,
                _ => Level::State,
            };
            ((0..influence.component.len()).collect(), level)
        }
    };
    let own: Vec<usize> = match readout {
        Readout::DriveEffort(e) | Readout::DrivePower(e) => elements[*e].inputs(),
        _ => vec![],
    };
    (0..inputs)
        .filter(|&input| {
            own.contains(&input)
                || influence.acts[input].iter().any(|&(component, from)| {
                    let reached = match level {
                        Level::State => false,
                        Level::Position => from == 0,
                        Level::Velocity => from <= 1,
                        Level::Acceleration => true,
                    };
                    reached && bodies.iter().any(|&body| body != 0 && influence.component[body] == component)
                })
        })
        .collect()
}

/// Bodies on which the motion that an element reads depends.
fn element_bodies(element: &Element, body_of_coordinate: &[usize]) -> Vec<usize> {
    let (bodies, coordinate) = (element.bodies(), element.coordinate());
    bodies.iter().map(|body| body.0).chain(coordinate.map(|ix| body_of_coordinate[ix.velocity])).collect()
}
