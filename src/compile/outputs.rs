//! Outputs of the file, resolved: what to read, which component, on which inputs it depends.

use super::names::Names;
use crate::force::{CoordinateIx, Element, Lookup};
use crate::math::Vec3;
use crate::model::flexible::BodyRef;
use crate::model::outputs::{Size, Target};
use crate::model::schema::{self, Component, Quantity};
use crate::rom::Rom;
use crate::system::{
    Constraint, Figure, FlexibleQuantity, Guide, Guided, InputInfo, Output, OutputInfo, PointQuantity, Readout,
    ScalarKind, SystemQuantity, TyreQuantity,
};

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
    /// Guided coordinates.
    pub guided: &'a [Guided],
    /// The same numbers for bodies between which force elements act as well.
    pub coupled: &'a [usize],
    /// The initial state follows from forces too: it is trimmed, or bodies or elements start in equilibrium.
    pub balanced: bool,
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
        let (readout, body) = resolve(names, elements, constraints, output);
        let quaternion = output.rule().is_some_and(|rule| rule.size == Size::Quaternion);
        let first = match output.component {
            None | Some(Component::W) => 0,
            Some(Component::X) => usize::from(quaternion),
            Some(Component::Y) => 1 + usize::from(quaternion),
            Some(Component::Z) => 2 + usize::from(quaternion),
        };
        // What a filter gives depends on its state alone.
        let direct = dependencies(&readout, elements, constraints, names, influence, inputs.len());
        let initial = initial_dependencies(&direct, &readout, elements, constraints, names, influence);
        let dependencies = if output.low_pass.is_some() { Vec::new() } else { direct };
        let kind = match readout {
            Readout::System(SystemQuantity::NearSingular | SystemQuantity::Judgement(Figure::Questionable)) => {
                ScalarKind::Boolean
            }
            Readout::System(
                SystemQuantity::Repartitions
                | SystemQuantity::Judgement(Figure::NearSingularSteps | Figure::HalvedSteps),
            ) => ScalarKind::Integer,
            _ => ScalarKind::Real,
        };
        let descriptions = names.model.variable_descriptions(output);
        for ((component, name), description) in (first..).zip(output.variable_names()).zip(descriptions) {
            let again = component != first;
            infos.push(OutputInfo {
                name,
                unit: names.model.output_unit(output).to_string(),
                kind,
                dependencies: dependencies.clone(),
                initial_dependencies: initial.clone(),
                initial_by_forces: influence.balanced || !is_of_motion(&readout),
                description,
            });
            // Pitch stays within a quarter of a turn.
            let angle = output.rule().is_some_and(|rule| rule.size == Size::Angles) && component != 1;
            let turns = angle.then(|| outputs.iter().filter(|other: &&Output| other.turns.is_some()).count());
            outputs.push(Output { readout: readout.clone(), component, axes: output.axes, body, again, turns });
        }
    }
    (outputs, infos)
}

/// What an output of a validated model reads, and the body whose axes count.
fn resolve(
    names: &Names,
    elements: &[Element],
    constraints: &[Constraint],
    output: &schema::Output,
) -> (Readout, usize) {
    // Names are unique within a kind only: a spring and a drive may both be called `elbow`.
    let element = |name: &str, key: Target| {
        let is_it = |element: &Element| element.is_read_by(key) && element.name() == name;
        elements.iter().position(is_it).expect("validated")
    };
    let quantity = output.quantity;
    match output.targets().first() {
        Some(&(Target::Joint, name)) => {
            let file = names.joint(name);
            let readout = match quantity {
                Quantity::ReactionForce => Readout::ReactionForce(file),
                Quantity::ReactionMoment => Readout::ReactionMoment(file),
                Quantity::Angles => Readout::RelativeAngles(names.joint_places[file].bodies),
                _ => coordinate_readout(quantity, &names.coordinate(name, output.coordinate.as_deref())),
            };
            (readout, names.joint_places[file].bodies[1])
        }
        Some(&(Target::Guided, name)) => {
            let index = names.model.guided.iter().position(|guided| guided.name == name).unwrap_or(0);
            let guided = &names.model.guided[index];
            let readout = match quantity {
                Quantity::Effort => Readout::GuidedEffort(index),
                _ => coordinate_readout(quantity, &names.coordinate(&guided.joint, guided.coordinate.as_deref())),
            };
            (readout, 0)
        }
        Some(&(Target::Body, name)) => {
            let body = names.body(name);
            let point = match (&output.point, names.document.body_ref(name)) {
                (Some(place), _) => names.body_point(body, place),
                // The frame that is tangent to an interface has its origin elsewhere.
                (None, Some(BodyRef::Interface(index, interface))) => {
                    let node = names.document.interface_design(index, interface, names.parameters);
                    node - names.origin - names.centres[body.0]
                }
                (None, _) => Vec3::zeros(),
            };
            let quantity = match quantity {
                Quantity::Position => PointQuantity::Position,
                Quantity::Velocity => PointQuantity::Velocity,
                Quantity::Acceleration => PointQuantity::Acceleration,
                Quantity::Rotation => PointQuantity::Rotation,
                Quantity::Angles => PointQuantity::Angles,
                Quantity::AngularVelocity => PointQuantity::AngularVelocity,
                _ => PointQuantity::AngularAcceleration,
            };
            (Readout::Point { body: body.0, point, quantity }, body.0)
        }
        Some(&(Target::Spring, name)) => {
            let index = element(name, Target::Spring);
            let readout = match quantity {
                Quantity::Pressure => Readout::Pressure(index),
                Quantity::Length => Readout::SpringLength(index),
                Quantity::Speed => Readout::SpringSpeed(index),
                _ => Readout::SpringForce(index),
            };
            (readout, 0)
        }
        Some(&(Target::Bushing, name)) => {
            let index = element(name, Target::Bushing);
            let readout = match quantity {
                Quantity::Force => Readout::BushingForce(index),
                Quantity::Torque => Readout::BushingTorque(index),
                _ => Readout::BushingDeformation(index),
            };
            (readout, elements[index].bodies()[1].0)
        }
        Some(&(Target::Drive, name)) => {
            let index = element(name, Target::Drive);
            let power = quantity == Quantity::Power;
            (if power { Readout::DrivePower(index) } else { Readout::DriveEffort(index) }, 0)
        }
        Some(&(Target::Tyre, name)) => {
            let index = element(name, Target::Tyre);
            let quantity = match quantity {
                Quantity::Force => TyreQuantity::Force,
                Quantity::Torque => TyreQuantity::Torque,
                Quantity::Position => TyreQuantity::ContactPoint,
                Quantity::LongitudinalSlip => TyreQuantity::LongitudinalSlip,
                Quantity::SlipAngle => TyreQuantity::SlipAngle,
                Quantity::Camber => TyreQuantity::Camber,
                Quantity::Deflection => TyreQuantity::Deflection,
                _ => TyreQuantity::LoadedRadius,
            };
            (Readout::Tyre(index, quantity), elements[index].bodies()[0].0)
        }
        Some(&(Target::AerodynamicDrag, name)) => {
            let index = element(name, Target::AerodynamicDrag);
            (Readout::DragForce(index), elements[index].bodies()[0].0)
        }
        Some(&(Target::Constraint, name)) => {
            let is_it = |constraint: &Constraint| constraint.joint.is_none() && constraint.name == name;
            let index = constraints.iter().position(is_it).unwrap_or(0);
            let readout = match quantity {
                Quantity::Gap => Readout::ConstraintGap(index),
                Quantity::ReactionForce => Readout::ConstraintReactionForce(index),
                Quantity::ReactionMoment => Readout::ConstraintReactionMoment(index),
                _ => Readout::ConstraintForce(index),
            };
            (readout, constraints[index].bodies[1])
        }
        Some(&(Target::FlexibleBody | Target::Section | Target::Node | Target::Mode, name)) => {
            let body = names.model.flexible_bodies.iter().position(|body| body.name == name).unwrap_or(0);
            let quantity = flexible_quantity(&names.document.roms[body], output);
            (Readout::Flexible { body, quantity }, names.frame_numbers[body])
        }
        Some(&(Target::System, _)) | None => {
            let quantity = match quantity {
                Quantity::KineticEnergy => SystemQuantity::KineticEnergy,
                Quantity::PotentialEnergy => SystemQuantity::PotentialEnergy,
                Quantity::DissipatedEnergy => SystemQuantity::DissipatedEnergy,
                Quantity::InputWork => SystemQuantity::InputWork,
                Quantity::EnergyBalance => SystemQuantity::EnergyBalance,
                Quantity::VelocityGap => SystemQuantity::VelocityGap,
                Quantity::NearSingular => SystemQuantity::NearSingular,
                Quantity::Repartitions => SystemQuantity::Repartitions,
                Quantity::LargestGap => SystemQuantity::Judgement(Figure::LargestGap),
                Quantity::LargestVelocityGap => SystemQuantity::Judgement(Figure::LargestVelocityGap),
                Quantity::EnergyChange => SystemQuantity::Judgement(Figure::EnergyChange),
                Quantity::EnergyExchanged => SystemQuantity::Judgement(Figure::EnergyExchanged),
                Quantity::NearSingularSteps => SystemQuantity::Judgement(Figure::NearSingularSteps),
                Quantity::HalvedSteps => SystemQuantity::Judgement(Figure::HalvedSteps),
                Quantity::Questionable => SystemQuantity::Judgement(Figure::Questionable),
                _ => SystemQuantity::Gap,
            };
            (Readout::System(quantity), 0)
        }
    }
}

fn flexible_quantity(rom: &Rom, output: &schema::Output) -> FlexibleQuantity {
    let section = rom.sections.iter().position(|section| output.section.as_ref() == Some(&section.name)).unwrap_or(0);
    let node = rom.nodes.iter().position(|node| output.node.as_ref() == Some(&node.name)).unwrap_or(0);
    let mode = output.mode.map_or(0, |mode| mode.saturating_sub(1));
    match output.quantity {
        Quantity::SectionForce => FlexibleQuantity::SectionForce(section),
        Quantity::SectionMoment => FlexibleQuantity::SectionMoment(section),
        Quantity::Stress => {
            let points = rom.sections.get(section).map_or(&[][..], |section| &section.points);
            let point = points.iter().position(|point| output.stress_point.as_ref() == Some(&point.name));
            FlexibleQuantity::Stress(section, point.unwrap_or(0))
        }
        Quantity::Displacement => FlexibleQuantity::Displacement(node),
        Quantity::RotationAngles => FlexibleQuantity::RotationAngles(node),
        Quantity::Position => FlexibleQuantity::NodePosition(node),
        Quantity::Amplitude => FlexibleQuantity::Amplitude(mode),
        Quantity::AmplitudeSpeed => FlexibleQuantity::AmplitudeSpeed(mode),
        _ => FlexibleQuantity::StrainEnergy,
    }
}

fn coordinate_readout(quantity: Quantity, ix: &CoordinateIx) -> Readout {
    match quantity {
        Quantity::Speed => Readout::Speed(ix.velocity),
        Quantity::Acceleration => Readout::Acceleration(ix.velocity),
        _ => Readout::Position(ix.position),
    }
}

/// Bodies on whose motion a readout depends, and down to which level.
fn reach(
    readout: &Readout,
    elements: &[Element],
    constraints: &[Constraint],
    names: &Names,
    influence: &Influence,
) -> (Vec<usize>, Level) {
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
    match readout {
        Readout::Position(q) => (vec![position_coordinate(*q)], Level::Position),
        Readout::Speed(v) => (vec![body_of[*v]], Level::Velocity),
        Readout::Acceleration(v) => (vec![body_of[*v]], Level::Acceleration),
        Readout::RelativeAngles(bodies) => (bodies.to_vec(), Level::Position),
        Readout::ReactionForce(file) | Readout::ReactionMoment(file) => {
            (names.joint_places[*file].bodies.to_vec(), Level::Acceleration)
        }
        Readout::Point { body, quantity, .. } => {
            let level = match quantity {
                PointQuantity::Position | PointQuantity::Rotation | PointQuantity::Angles => Level::Position,
                PointQuantity::Velocity | PointQuantity::AngularVelocity => Level::Velocity,
                _ => Level::Acceleration,
            };
            (vec![*body], level)
        }
        Readout::Flexible { body, quantity } => {
            let level = match quantity {
                FlexibleQuantity::SectionForce(_)
                | FlexibleQuantity::SectionMoment(_)
                | FlexibleQuantity::Stress(..) => Level::Acceleration,
                FlexibleQuantity::AmplitudeSpeed(_) => Level::Velocity,
                _ => Level::Position,
            };
            (vec![names.frame_numbers[*body]], level)
        }
        Readout::SpringLength(e) | Readout::Pressure(e) | Readout::BushingDeformation(e) => {
            (element_bodies(&elements[*e], body_of), Level::Position)
        }
        Readout::SpringSpeed(e)
        | Readout::SpringForce(e)
        | Readout::BushingForce(e)
        | Readout::BushingTorque(e)
        | Readout::DragForce(e)
        | Readout::DrivePower(e) => (element_bodies(&elements[*e], body_of), Level::Velocity),
        Readout::Tyre(e, quantity) => {
            let forces = matches!(quantity, TyreQuantity::Force | TyreQuantity::Torque);
            let level = if forces { Level::Velocity } else { Level::Position };
            (element_bodies(&elements[*e], body_of), level)
        }
        Readout::DriveEffort(e) => match &elements[*e] {
            Element::Drive(_) => (vec![], Level::State),
            element => (element_bodies(element, body_of), Level::Velocity),
        },
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
    }
}

/// Inputs on which a readout depends at once: those that act on its component at or above its level, and those that the
/// element itself reads; of a guided coordinate those of its guide alone.
fn dependencies(
    readout: &Readout,
    elements: &[Element],
    constraints: &[Constraint],
    names: &Names,
    influence: &Influence,
    inputs: usize,
) -> Vec<usize> {
    if let Some((guide, levels)) = guide_of(readout, influence) {
        let mut own = match guide {
            Guide::Inputs { index, .. } => index[..levels].to_vec(),
            _ => Vec::new(),
        };
        own.sort_unstable();
        own.dedup();
        return own;
    }
    let (bodies, level) = reach(readout, elements, constraints, names, influence);
    let own: Vec<usize> = match readout {
        Readout::DriveEffort(e)
        | Readout::Tyre(e, _)
        | Readout::DrivePower(e)
        | Readout::SpringForce(e)
        | Readout::Pressure(e)
        | Readout::DragForce(e) => elements[*e].inputs(),
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

/// The guide of the coordinate that a readout gives, with how many of position, speed and acceleration take part; none where the
/// coordinate is not guided, or holds a mode that follows from forces.
fn guide_of<'a>(readout: &Readout, influence: &Influence<'a>) -> Option<(&'a Guide, usize)> {
    let found = |position: Option<usize>, velocity: Option<usize>| {
        let is_it =
            |item: &&Guided| position == Some(item.coordinate.position) || velocity == Some(item.coordinate.velocity);
        influence.guided.iter().find(is_it).map(|item| &item.guide)
    };
    let (guide, levels) = match *readout {
        Readout::Position(q) => (found(Some(q), None)?, 1),
        Readout::Speed(v) => (found(None, Some(v))?, 2),
        Readout::Acceleration(v) => (found(None, Some(v))?, 3),
        _ => return None,
    };
    (!matches!(guide, Guide::Residual { .. })).then_some((guide, levels))
}

/// Inputs on which the initial value of a readout depends, besides the `direct` ones those that the initial state follows from:
/// guides and filters of guides, for accelerations whatever acts on bodies that elements couple with its own, and, where the start is
/// balanced, for everything. A guided coordinate starts where its guide has it.
fn initial_dependencies(
    direct: &[usize],
    readout: &Readout,
    elements: &[Element],
    constraints: &[Constraint],
    names: &Names,
    influence: &Influence,
) -> Vec<usize> {
    let mut all = direct.to_vec();
    if let Some((guide, _)) = guide_of(readout, influence) {
        if let Guide::Filtered { input, .. } = guide {
            all.push(*input);
        }
    } else {
        let (bodies, level) = reach(readout, elements, constraints, names, influence);
        // Gaps and flags of the whole system are those of its positions and velocities.
        let level = if matches!(readout, Readout::System(_)) { level.max(Level::Velocity) } else { level };
        let everything = influence.balanced || level == Level::Acceleration;
        let numbers = if everything { influence.coupled } else { influence.component };
        let concerned =
            |body: usize| body != 0 && bodies.iter().any(|&other| other != 0 && numbers[other] == numbers[body]);
        if level > Level::State {
            for item in influence.guided {
                if let Guide::Filtered { input, .. } = item.guide
                    && concerned(influence.body_of_coordinate[item.coordinate.velocity])
                {
                    all.push(input);
                }
            }
            let from = |level: Level| match level {
                Level::State | Level::Position => 0,
                Level::Velocity => 1,
                Level::Acceleration => 2,
            };
            for (input, acts) in influence.acts.iter().enumerate() {
                let acts = acts.iter().filter(|(_, at)| everything || *at <= from(level));
                let mut components = acts.map(|(component, _)| component);
                let concerned = |component: &usize| {
                    (1..numbers.len()).any(|body| influence.component[body] == *component && concerned(body))
                };
                if components.any(concerned) {
                    all.push(input);
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a readout is a position or velocity, which forces reach through the initial state alone.
fn is_of_motion(readout: &Readout) -> bool {
    use PointQuantity::{Angles, AngularVelocity, Position, Rotation, Velocity};
    match readout {
        Readout::Position(_) | Readout::Speed(_) | Readout::RelativeAngles(_) | Readout::ConstraintGap(_) => true,
        Readout::Point { quantity, .. } => {
            matches!(quantity, Position | Velocity | Rotation | Angles | AngularVelocity)
        }
        _ => false,
    }
}

/// Bodies on which the motion that an element reads depends.
fn element_bodies(element: &Element, body_of_coordinate: &[usize]) -> Vec<usize> {
    let coordinates = element.coordinates();
    let of_coordinates = coordinates.iter().map(|ix| body_of_coordinate[ix.velocity]);
    element.bodies().iter().map(|body| body.0).chain(of_coordinates).collect()
}

#[cfg(test)]
mod tests {
    use crate::model::parse;
    use crate::system::System;

    /// Two beams at the ground, the first of them with `tables`; outputs of every quantity of both.
    fn dependencies_with(tables: &str) -> Vec<Vec<(String, Vec<usize>)>> {
        let mut text = format!(
            "[model]
            name = 'm'
            step = 1e-6
            [[joint]]
            name = 'hinge'
            type = 'revolute'
            bodies = ['ground', 'first.root']
            axis = [0, 1, 0]
            [[joint]]
            name = 'other'
            type = 'revolute'
            bodies = ['ground', 'second.root']
            axis = [0, 1, 0]
            {tables}\n"
        );
        for body in ["first", "second"] {
            text += &format!("[[flexible_body]]\nname = '{body}'\nrom = 'boom.toml'\n");
            for (quantity, keys) in [
                ("section_force", "section = 'clamp'"),
                ("section_moment", "section = 'clamp'"),
                ("stress", "section = 'clamp'\nstress_point = 'top'"),
                ("displacement", "node = 'middle'"),
                ("rotation_angles", "node = 'middle'"),
                ("position", "node = 'middle'"),
                ("amplitude", "mode = 1"),
                ("amplitude_speed", "mode = 1"),
                ("strain_energy", ""),
            ] {
                let name = format!("{body}.{quantity}");
                text += &format!(
                    "[[output]]\nname = '{name}'\nquantity = '{quantity}'\nflexible_body = '{body}'\n{keys}\n"
                );
            }
        }
        let document = parse(&text, "tests/roms/model.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let system = System::compile(&document, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let outputs = &system.interface().outputs;
        let of = |body: &str| {
            let own = outputs.iter().filter(|output| output.name.starts_with(body));
            own.map(|output| (output.name.clone(), output.dependencies.clone())).collect()
        };
        vec![of("first"), of("second")]
    }

    #[test]
    fn forces_reach_what_follows_from_accelerations_of_their_own_body() {
        let force = "[[input]]
            name = 'f'
            [[force]]
            name = 'push'
            body = 'first.tip'
            point = [0.4, 0, 0]
            value = [0, 0, 'f']";
        let [first, second] = &dependencies_with(force)[..] else { panic!("two bodies") };
        assert_eq!(first.len(), 3 + 3 + 1 + 3 + 3 + 3 + 1 + 1 + 1);
        for (name, inputs) in first {
            let section = name.contains(".section") || name.contains(".stress");
            assert_eq!(inputs.as_slice(), if section { &[0][..] } else { &[] }, "{name}");
        }
        assert!(second.iter().all(|(_, inputs)| inputs.is_empty()));
    }

    #[test]
    fn guided_motions_reach_every_quantity_of_their_level() {
        let guide = "[[input]]
            name = 'angle'
            [[input]]
            name = 'speed'
            [[input]]
            name = 'acceleration'
            [[guided]]
            name = 'turn'
            joint = 'hinge'
            inputs = ['angle', 'speed', 'acceleration']";
        let [first, second] = &dependencies_with(guide)[..] else { panic!("two bodies") };
        for (name, inputs) in first {
            let level = match name {
                _ if name.contains(".section") || name.contains(".stress") => 3,
                _ if name.contains("amplitude_speed") => 2,
                _ => 1,
            };
            assert_eq!(*inputs, (0..level).collect::<Vec<_>>(), "{name}");
        }
        assert!(second.iter().all(|(_, inputs)| inputs.is_empty()));
    }
}
