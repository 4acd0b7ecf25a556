//! Outputs of the file, resolved: the quantity, its component, and the inputs on which it depends.

use super::elements::{self, Lookup};
use super::influence::{Influence, element_bodies};
use super::names::Names;
use ballesta_model::flexible_names::BodyRef;
use ballesta_model::outputs::{Level, Rule, Size, Target};
use ballesta_model::schema::{self, Component, Quantity};
use ballesta_solver::force::{self, Element};
use ballesta_solver::math::Vec3;
use ballesta_solver::system::{
    Angles, Constraint, Figure, FlexibleQuantity, Guide, Guided, Output, OutputInfo, PointQuantity, Readout, System,
    SystemQuantity, VectorElement,
};

/// All scalar outputs of the model, in file order, vectors split.
pub(super) fn outputs(names: &Names, system: &System, influence: &Influence) -> (Vec<Output>, Vec<OutputInfo>) {
    let (elements, constraints) = (&system.elements[..], &system.constraints[..]);
    let (mut outputs, mut infos) = (Vec::new(), Vec::new());
    for output in &names.model.outputs {
        let rule = output.rule().expect("validated");
        let (readout, body) = resolve(names, elements, constraints, output, rule);
        let quaternion = rule.size == Size::Quaternion;
        let first = match output.component {
            None | Some(Component::W) => 0,
            Some(Component::X) => usize::from(quaternion),
            Some(Component::Y) => 1 + usize::from(quaternion),
            Some(Component::Z) => 2 + usize::from(quaternion),
        };
        // The value of a filter depends on its state alone.
        let reach = reach(&readout, rule.level, elements, constraints, names, influence);
        let direct = dependencies(&readout, &reach, elements, influence);
        let initial = initial_dependencies(&direct, &readout, &reach, influence);
        let dependencies = if output.low_pass.is_some() { Vec::new() } else { direct };
        let descriptions = names.model.variable_descriptions(output);
        let variables = output.variable_names();
        let length = variables.len();
        for ((component, name), description) in (first..).zip(variables).zip(descriptions) {
            let again = component != first;
            infos.push(OutputInfo {
                name,
                unit: names.model.output_unit(output).to_string(),
                kind: rule.kind,
                dependencies: dependencies.clone(),
                initial_dependencies: initial.clone(),
                initial_by_forces: influence.balanced || !is_of_motion(rule),
                nominal: None,
                description,
                element: (length > 1).then(|| VectorElement {
                    vector: output.name.clone(),
                    index: component - first,
                    length,
                    description: names.model.vector_description(output),
                }),
            });
            // Pitch stays within a quarter of a turn.
            let angle = rule.size == Size::Angles && component != 1;
            let turns = match readout {
                Readout::Angles(angles) if angle => {
                    Some((angles, outputs.iter().filter(|other: &&Output| other.turns.is_some()).count()))
                }
                _ => None,
            };
            outputs.push(Output { readout: readout.clone(), component, axes: output.axes, body, again, turns });
        }
    }
    (outputs, infos)
}

/// The quantity that an output of a validated model reads, and the body whose axes are used.
fn resolve(
    names: &Names,
    elements: &[Element],
    constraints: &[Constraint],
    output: &schema::Output,
    rule: &Rule,
) -> (Readout, usize) {
    let name = output.targets().first().map_or("", |(_, name)| *name);
    // Names are unique within a key only: a spring and a drive may both be called `elbow`.
    let element = || {
        let is_it = |element: &Element| elements::is_read_by(element, rule.target) && element.name() == name;
        elements.iter().position(is_it).expect("validated")
    };
    let constraint = || {
        let is_it = |constraint: &Constraint| constraint.joint.is_none() && constraint.name == name;
        constraints.iter().position(is_it).expect("validated")
    };
    let coupled = || names.model.coupled_places(output).first().copied().unwrap_or(0);
    let of_joint = || names.joint(name);
    let guided = || names.model.guided.iter().position(|guided| guided.name == name).expect("validated");
    let body = || flexible_body(names, name);
    let rom = || &names.document.roms[body()];
    let section = || {
        let sections = &rom().sections;
        sections.iter().position(|section| output.section.as_ref() == Some(&section.name)).expect("validated")
    };
    let node = || rom().nodes.iter().position(|node| output.node.as_ref() == Some(&node.name)).expect("validated");
    let mode = || output.mode.expect("validated") - 1;
    let coordinate = || match rule.target {
        Target::Guided => {
            let guided = &names.model.guided[guided()];
            names.coordinate(&guided.joint, guided.coordinate.as_deref())
        }
        _ => names.coordinate(name, output.coordinate.as_deref()),
    };
    let flexible = |quantity| Readout::Flexible { body: body(), quantity };
    let point =
        |quantity| Readout::Point { body: names.body(name).0, point: point_of_body(names, output, name), quantity };
    let readout = match (rule.target, rule.quantity) {
        (Target::Joint | Target::Guided, Quantity::Position) => Readout::Position(coordinate().position),
        (Target::Joint | Target::Guided, Quantity::Speed) => Readout::Speed(coordinate().velocity),
        (Target::Joint | Target::Guided, Quantity::Acceleration) => Readout::Acceleration(coordinate().velocity),
        (Target::Joint, Quantity::Angles) => {
            Readout::Angles(Angles::Relative(names.layout.joint_places()[of_joint()].bodies))
        }
        (Target::Joint, Quantity::ReactionForce) => Readout::ReactionForce(of_joint()),
        (Target::Joint, Quantity::ReactionMoment) => Readout::ReactionMoment(of_joint()),
        (Target::Guided, Quantity::Effort) => Readout::GuidedEffort(guided()),
        (Target::Body, Quantity::Position) => point(PointQuantity::Position),
        (Target::Body, Quantity::Velocity) => point(PointQuantity::Velocity),
        (Target::Body, Quantity::Acceleration) => point(PointQuantity::Acceleration),
        (Target::Body, Quantity::AngularVelocity) => point(PointQuantity::AngularVelocity),
        (Target::Body, Quantity::AngularAcceleration) => point(PointQuantity::AngularAcceleration),
        (Target::Body, Quantity::Angles) => Readout::Angles(Angles::OfBody(names.body(name).0)),
        (Target::Body, Quantity::Rotation) => Readout::Rotation(names.body(name).0),
        (Target::Constraint, Quantity::Force) => Readout::ConstraintForce(constraint(), coupled()),
        (Target::Constraint, Quantity::TangentialForce) => Readout::ConstraintForce(constraint(), 1),
        (Target::Constraint, Quantity::FrictionAngle) => Readout::ConstraintForce(constraint(), 2),
        (Target::Constraint, Quantity::Power) => Readout::ConstraintPower(constraint(), coupled()),
        (Target::Constraint, Quantity::ReactionForce) => Readout::ConstraintReactionForce(constraint()),
        (Target::Constraint, Quantity::Gap) => Readout::ConstraintGap(constraint()),
        (Target::Section, Quantity::SectionForce) => flexible(FlexibleQuantity::SectionForce(section())),
        (Target::Section, Quantity::SectionMoment) => flexible(FlexibleQuantity::SectionMoment(section())),
        (Target::Section, Quantity::Stress) => {
            let points = &rom().sections[section()].points;
            let point = points.iter().position(|point| output.stress_point.as_ref() == Some(&point.name));
            flexible(FlexibleQuantity::Stress(section(), point.expect("validated")))
        }
        (Target::Node, Quantity::Displacement) => flexible(FlexibleQuantity::Displacement(node())),
        (Target::Node, Quantity::RotationAngles) => flexible(FlexibleQuantity::RotationAngles(node())),
        (Target::Node, Quantity::Position) => flexible(FlexibleQuantity::NodePosition(node())),
        (Target::Mode, Quantity::Amplitude) => flexible(FlexibleQuantity::Amplitude(mode())),
        (Target::Mode, Quantity::AmplitudeSpeed) => flexible(FlexibleQuantity::AmplitudeSpeed(mode())),
        (Target::FlexibleBody, Quantity::StrainEnergy) => flexible(FlexibleQuantity::StrainEnergy),
        (Target::System, quantity) => of_system(quantity).expect("a row of the rules"),
        (_, quantity) => {
            let element = element();
            let quantity = of_element(rule.target, quantity)
                .filter(|quantity| elements[element].kind().quantities().contains(quantity))
                .unwrap_or_else(|| panic!("{name} does not have the quantity of `{}`", output.name));
            Readout::Element { element, quantity }
        }
    };
    let axes_of = match rule.target {
        Target::Joint => names.layout.joint_places()[of_joint()].bodies[1],
        Target::Body => names.body(name).0,
        Target::Bushing | Target::Contact => elements[element()].bodies()[1].0,
        Target::Tyre | Target::AerodynamicDrag => elements[element()].bodies()[0].0,
        // A body that runs along the curve turns with it.
        Target::Constraint if constraints[constraint()].touching => {
            names.layout.bodies()[constraints[constraint()].bodies[1]].parent
        }
        Target::Constraint => constraints[constraint()].bodies[1],
        Target::FlexibleBody | Target::Section | Target::Node | Target::Mode => {
            names.layout.body(BodyRef::Frame(body())).0
        }
        Target::System | Target::Guided | Target::Spring | Target::Drive | Target::Driver => 0,
    };
    (readout, axes_of)
}

/// A quantity of the whole system or of its run.
fn of_system(quantity: Quantity) -> Option<Readout> {
    let system = match quantity {
        Quantity::KineticEnergy => SystemQuantity::KineticEnergy,
        Quantity::PotentialEnergy => SystemQuantity::PotentialEnergy,
        Quantity::DissipatedEnergy => SystemQuantity::DissipatedEnergy,
        Quantity::InputWork => SystemQuantity::InputWork,
        Quantity::EnergyBalance => SystemQuantity::EnergyBalance,
        Quantity::Gap => SystemQuantity::Gap,
        Quantity::VelocityGap => SystemQuantity::VelocityGap,
        Quantity::NearSingular => SystemQuantity::NearSingular,
        Quantity::Repartitions => SystemQuantity::Repartitions,
        _ => {
            return Some(Readout::Run(match quantity {
                Quantity::LargestGap => Figure::LargestGap,
                Quantity::LargestVelocityGap => Figure::LargestVelocityGap,
                Quantity::EnergyChange => Figure::EnergyChange,
                Quantity::EnergyExchanged => Figure::EnergyExchanged,
                Quantity::NearSingularSteps => Figure::NearSingularSteps,
                Quantity::HalvedSteps => Figure::HalvedSteps,
                Quantity::Questionable => Figure::Questionable,
                _ => return None,
            }));
        }
    };
    Some(Readout::System(system))
}

/// The quantity of a force element that a word of the file means for this target.
fn of_element(target: Target, quantity: Quantity) -> Option<force::Quantity> {
    Some(match quantity {
        Quantity::Position if target == Target::Bushing => force::Quantity::Deformation,
        Quantity::Position => force::Quantity::ContactPoint,
        Quantity::Length => force::Quantity::Length,
        Quantity::Speed => force::Quantity::Speed,
        Quantity::Force => force::Quantity::Force,
        Quantity::Torque => force::Quantity::Torque,
        Quantity::Effort => force::Quantity::Effort,
        Quantity::Power => force::Quantity::Power,
        Quantity::Pressure => force::Quantity::Pressure,
        Quantity::Gear => force::Quantity::Gear,
        Quantity::NormalForce => force::Quantity::NormalForce,
        Quantity::Distance => force::Quantity::Distance,
        Quantity::LongitudinalSlip => force::Quantity::LongitudinalSlip,
        Quantity::SlipAngle => force::Quantity::SlipAngle,
        Quantity::Camber => force::Quantity::Camber,
        Quantity::Deflection => force::Quantity::Deflection,
        Quantity::LoadedRadius => force::Quantity::LoadedRadius,
        Quantity::PathPosition => force::Quantity::PathPosition,
        Quantity::PathError => force::Quantity::PathError,
        Quantity::SteeringAngle => force::Quantity::SteeringAngle,
        Quantity::WantedSpeed => force::Quantity::TargetSpeed,
        Quantity::BrakeDemand => force::Quantity::BrakeDemand,
        _ => return None,
    })
}

/// The point of a body that an output reads, in the body's frame.
fn point_of_body(names: &Names, output: &schema::Output, name: &str) -> Vec3 {
    let body = names.body(name);
    match (&output.point, names.document.body_ref(name)) {
        (Some(place), _) => names.body_point(body, place),
        // The frame that is tangent to an interface has its origin elsewhere.
        (None, Some(BodyRef::Interface(index, interface))) => {
            let node = names.document.interface_design(index, interface, names.parameters);
            names.layout.body_point(body, &node)
        }
        (None, _) => Vec3::zeros(),
    }
}

fn flexible_body(names: &Names, name: &str) -> usize {
    names.model.flexible_bodies.iter().position(|body| body.name == name).expect("validated")
}

/// Bodies on whose motion a readout depends, and the lowest level of this motion.
fn reach(
    readout: &Readout,
    level: Level,
    elements: &[Element],
    constraints: &[Constraint],
    names: &Names,
    influence: &Influence,
) -> (Vec<usize>, Level) {
    let bodies_of = |constraint: &Constraint| {
        let mut bodies = constraint.bodies.to_vec();
        for name in &constraint.joints {
            bodies.extend(names.layout.joint_places()[names.joint(name)].bodies);
        }
        bodies
    };
    let body_of = &influence.body_of_coordinate;
    let position_coordinate = |q: usize| {
        let joint = names.layout.joints().iter().position(|joint| joint.q_range().contains(&q));
        joint.expect("only coordinates of joints are read") + 1
    };
    let bodies = match readout {
        Readout::Position(q) => vec![position_coordinate(*q)],
        Readout::Speed(v) | Readout::Acceleration(v) => vec![body_of[*v]],
        Readout::Angles(Angles::Relative(bodies)) => bodies.to_vec(),
        Readout::Angles(Angles::OfBody(body)) | Readout::Rotation(body) => vec![*body],
        Readout::ReactionForce(file) | Readout::ReactionMoment(file) => {
            names.layout.joint_places()[*file].bodies.to_vec()
        }
        Readout::Point { body, .. } => vec![*body],
        Readout::Flexible { body, .. } => vec![names.layout.body(BodyRef::Frame(*body)).0],
        // The effort of a drive is its signal.
        Readout::Element { element, quantity: force::Quantity::Effort }
            if matches!(elements[*element], Element::Drive(_)) =>
        {
            return (Vec::new(), Level::State);
        }
        Readout::Element { element, .. } => element_bodies(elements[*element].kind(), body_of),
        Readout::ConstraintForce(c, _) | Readout::ConstraintPower(c, _) | Readout::ConstraintReactionForce(c) => {
            bodies_of(&constraints[*c])
        }
        Readout::ConstraintGap(_) => Vec::new(),
        Readout::GuidedEffort(g) => {
            let guided = &names.model.guided[*g];
            vec![body_of[names.coordinate(&guided.joint, guided.coordinate.as_deref()).velocity]]
        }
        Readout::System(_) | Readout::Run(_) => (0..influence.component.len()).collect(),
    };
    (bodies, level)
}

/// Inputs on which a readout depends directly: inputs that act on its component at or above its level, and inputs that
/// the element itself reads. A driven coordinate depends only on the inputs of its prescribed motion.
fn dependencies(
    readout: &Readout,
    (bodies, level): &(Vec<usize>, Level),
    elements: &[Element],
    influence: &Influence,
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
    let own: Vec<usize> = match readout {
        // The states of a driver are not inputs, and the length of a spring is motion.
        Readout::Element { quantity: force::Quantity::Length | force::Quantity::Speed, .. } => Vec::new(),
        Readout::Element { element, .. } if !matches!(elements[*element], Element::Driver(_)) => {
            elements[*element].inputs()
        }
        _ => vec![],
    };
    (0..influence.acts.len())
        .filter(|&input| {
            own.contains(&input)
                || influence.acts[input].iter().any(|&(component, from)| {
                    let reached = match *level {
                        Level::State => false,
                        Level::Position => from == 0,
                        Level::Velocity => from <= 1,
                        Level::Acceleration | Level::Reaction => true,
                    };
                    reached && bodies.iter().any(|&body| body != 0 && influence.component[body] == component)
                })
        })
        .collect()
}

/// The prescribed motion of the coordinate that a readout returns, with the number of derivatives involved (position,
/// speed, acceleration). `None` if the coordinate has no prescribed motion, or is a mode that follows from forces.
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

/// Inputs on which the initial value of a readout depends: the `direct` inputs, and the inputs from which the initial
/// state follows. These are inputs of prescribed motions and their filters; for accelerations, inputs that act on
/// bodies coupled to its own; with a balanced start, all inputs. A driven coordinate starts at the value of its
/// prescribed motion.
fn initial_dependencies(
    direct: &[usize],
    readout: &Readout,
    (bodies, level): &(Vec<usize>, Level),
    influence: &Influence,
) -> Vec<usize> {
    let mut all = direct.to_vec();
    if let Some((guide, _)) = guide_of(readout, influence) {
        if let Guide::Filtered { input, .. } = guide {
            all.push(*input);
        }
    } else {
        // Gaps and flags of the whole system follow from its positions and velocities.
        let level = if matches!(readout, Readout::System(_) | Readout::Run(_)) {
            (*level).max(Level::Velocity)
        } else {
            *level
        };
        let everything = influence.balanced || level >= Level::Acceleration;
        let numbers = if everything { &influence.coupled } else { &influence.component };
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
                Level::Acceleration | Level::Reaction => 2,
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

/// Whether a reading is a position or velocity of the mechanism, which forces reach through the initial state alone.
fn is_of_motion(rule: &Rule) -> bool {
    let of_mechanism = matches!(rule.target, Target::Joint | Target::Guided | Target::Body | Target::Constraint);
    of_mechanism && rule.level <= Level::Velocity
}

#[cfg(test)]
mod tests {
    use crate::compile;
    use ballesta_model::parse;

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
        let document =
            parse(&text, "../../tests/roms/model.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let system = compile(&document, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
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
