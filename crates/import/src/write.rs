//! The model file.

use crate::robot::{self, Form, Robot, identifier};
use crate::solids::{self, Contact};
use ballesta::math::Vec3;
use ballesta::model::schema::{
    BallStop, Body, BumpStop, Cable, CableSense, CoupledCoordinate, Coupler, Experiment, Friction, General, Guided,
    Integrator, Joint, Model, Motion, Number, Output, PerCoordinate, Quantity, Shape, ShapeKind, Solid, SolidContact,
    SolidKind, Vector, numbers,
};
use std::collections::BTreeMap;

/// End of the name of a contact's output.
pub const NORMAL_FORCE: &str = ".normal_force";

/// The text of the model file of `robot`, imported from `source`; `notes` lists the parts that were not imported.
pub fn model(robot: &Robot, source: &str, notes: &[String]) -> String {
    let mut head = format!("Written by `ballesta import` from {}.\n", source.escape_debug());
    head += "All joint coordinates are zero in the design position; W is the frame of the root link.\n";
    if !notes.is_empty() {
        head += "\nNot converted, with file and lines:\n";
        head.extend(notes.iter().map(|note| format!("  {}\n", note.escape_debug())));
    }
    let mut comments = Vec::new();
    let mut general = General { gravity: numbers(robot.gravity), ..General::new(identifier(&robot.name)) };
    general.step = robot.model_step();
    if robot.is_stiff() {
        let why = "Stops, friction and dampers of light links are too stiff for an explicit scheme.";
        comments.push(("model.integrator".to_string(), why.to_string()));
        general.integrator = Integrator::GeneralizedAlpha;
    }
    let (contacts, mobilities) = (robot.contacts(), robot.mobilities());
    for (index, Contact { weight, depth, .. }) in contacts.iter().enumerate() {
        let (weight, depth) = (short(*weight), short(1e3 * depth));
        let words = "the weight of the lighter side, compresses a contact point by";
        comments.push((format!("solid_contact[{index}]"), format!("A force of {weight} N, {words} {depth} mm.")));
    }
    let forces = contacts.iter().map(|contact| Output {
        contact: Some(contact.name.clone()),
        ..Output::new(format!("{}{NORMAL_FORCE}", contact.name), Quantity::NormalForce)
    });
    let model = Model {
        experiment: Experiment { step: Some(0.01), ..Experiment::default() },
        bodies: robot.bodies.iter().map(body).collect(),
        joints: robot.joints.iter().map(|item| joint(robot, item)).collect(),
        couplers: robot.couplers.iter().map(coupler).chain(robot.sums.iter().map(sum)).collect(),
        guided: robot.held.iter().map(held).chain(robot.prescribed.iter().map(prescribed)).collect(),
        bump_stops: robot.stops.iter().filter_map(|stop| bump_stop(robot, stop, &mobilities)).collect(),
        joint_springs: robot.springs.clone(),
        bushings: robot.bushings.clone(),
        forces: robot.forces.clone(),
        frictions: robot.frictions.iter().filter_map(|(joint, effort)| friction(robot, joint, *effort)).collect(),
        drives: robot.drives.clone(),
        cables: robot
            .cables
            .iter()
            .cloned()
            .chain(robot.tendon_stops.iter().flat_map(|stop| tendon_stop(robot, stop)))
            .collect(),
        ball_stops: robot.ball_stops.iter().filter_map(|stop| ball_stop(robot, stop)).collect(),
        solids: robot.solids.iter().map(solid).collect(),
        solid_contacts: contacts.iter().map(|contact| solid_contact(robot, contact)).collect(),
        inputs: robot.inputs.clone(),
        outputs: robot.outputs.iter().cloned().chain(forces).collect(),
        shapes: robot.shapes.iter().map(shape).collect(),
        ..Model::new(general)
    };
    ballesta::model::write(&model, &head, &comments)
}

/// The text of a model without loads and shapes, with the smallest distance of each of `contacts` as its output.
pub fn distances(robot: &Robot, contacts: &[Contact]) -> String {
    let output = |contact: &Contact| Output {
        contact: Some(contact.name.clone()),
        ..Output::new(format!("{}.distance", contact.name), Quantity::Distance)
    };
    let model = Model {
        bodies: robot.bodies.iter().map(body).collect(),
        joints: robot.joints.iter().map(|item| joint(robot, item)).collect(),
        couplers: robot.couplers.iter().map(coupler).chain(robot.sums.iter().map(sum)).collect(),
        guided: robot.held.iter().map(held).chain(robot.prescribed.iter().map(prescribed)).collect(),
        solids: robot.solids.iter().map(solid).collect(),
        solid_contacts: contacts.iter().map(|contact| solid_contact(robot, contact)).collect(),
        inputs: robot.inputs.clone(),
        outputs: contacts.iter().map(output).collect(),
        ..Model::new(General { step: robot.model_step(), ..General::new("start".to_string()) })
    };
    ballesta::model::write(&model, "", &[])
}

fn body(body: &robot::Body) -> Body {
    let i = &body.inertia;
    // The two halves of a product are rounded differently.
    let entries = [i.m11, i.m22, i.m33, 0.5 * (i.m12 + i.m21), 0.5 * (i.m23 + i.m32), 0.5 * (i.m13 + i.m31)];
    let inertia = (entries != [0.0; 6]).then(|| numbers(entries));
    let impossible_inertia = body.keeps_inertia;
    Body { mass: body.mass.into(), com: Some(body.com.into()), inertia, impossible_inertia, ..Body::new(&body.name) }
}

fn joint(robot: &Robot, joint: &robot::Joint) -> Joint {
    let per_coordinate = |numbers: &[f64]| match numbers {
        [] => None,
        [one] => Some(PerCoordinate::One((*one).into())),
        all => Some(PerCoordinate::Each(all.iter().map(|value| Number::Value(*value)).collect())),
    };
    let (position, speed) = (per_coordinate(&joint.position), per_coordinate(&joint.speed));
    let armature = Some(robot.armature(&joint.name)).filter(|armature| *armature > 0.0);
    Joint {
        point: Some(joint.point.into()),
        axis: joint.axis.map(numbers),
        cut: joint.is_closure.then_some(true),
        position,
        speed,
        armature: armature.map(|armature| PerCoordinate::One(armature.into())),
        ..Joint::new(&joint.name, joint.kind, joint.bodies.clone())
    }
}

fn coupler(coupler: &robot::Coupler) -> Coupler {
    let coordinates: Vec<_> = coupler.joints.iter().map(CoupledCoordinate::new).collect();
    let of_law = Coupler::new(&coupler.name, coordinates);
    match coupler.table.is_empty() {
        true => Coupler { ratio: Some(coupler.ratio.into()), offset: coupler.offset.into(), ..of_law },
        false => Coupler { table: Some(coupler.table.clone()), ..of_law },
    }
}

fn sum(sum: &robot::CoordinateSum) -> Coupler {
    let term = |(joint, ratio): (&String, f64)| {
        let coordinate = CoupledCoordinate::new(joint);
        CoupledCoordinate { ratio: Some(ratio.into()), ..coordinate }
    };
    let terms = sum.terms.iter().map(|(joint, factor)| (joint, *factor)).chain([(&sum.joint, -1.0)]);
    Coupler::new(&sum.name, terms.map(term).collect::<Vec<_>>())
}

fn held((joint, position): &(String, f64)) -> Guided {
    Guided { motion: Some(Motion { offset: (*position).into(), ..Motion::new() }), ..Guided::new(joint, joint) }
}

/// Corner frequency in Hz of the filter of a prescribed position.
const FILTER_FREQUENCY: f64 = 5.0;

fn prescribed((joint, input): &(String, String)) -> Guided {
    let filter_frequency = Some(FILTER_FREQUENCY.into());
    Guided { input: Some(input.clone()), filter_frequency, ..Guided::new(joint, joint) }
}

fn bump_stop(robot: &Robot, stop: &robot::JointStop, mobilities: &BTreeMap<String, f64>) -> Option<BumpStop> {
    let [stiffness, damping, depth] = robot.stop_law(stop, mobilities)?;
    Some(BumpStop {
        joint: Some(stop.joint.clone()),
        lower: stop.lower.map(Number::Value),
        upper: stop.upper.map(Number::Value),
        stiffness: Some(short(stiffness).into()),
        damping: short(damping).into(),
        damping_depth: if damping > 0.0 { depth } else { 0.0 }.into(),
        ..BumpStop::new(format!("{}.stop", stop.joint))
    })
}

fn ball_stop(robot: &Robot, (joint, largest): &(String, f64)) -> Option<BallStop> {
    let joint = robot.joint(joint)?;
    let [stiffness, damping] = robot.ball_stop_law(joint);
    Some(BallStop {
        rotation: Some((*largest).into()),
        damping: short(damping).into(),
        ..BallStop::new(format!("{}.stop", joint.name), joint.bodies.clone(), short(stiffness))
    })
}

fn tendon_stop(robot: &Robot, stop: &robot::TendonStop) -> [Cable; 2] {
    let [stiffness, damping] = robot.tendon_stop_law(&stop.path).map(short);
    let of = |name: String, acts: CableSense, free: f64| Cable {
        stiffness: stiffness.into(),
        damping: damping.into(),
        free_length: Some(free.into()),
        ..stop.path.cable(name, acts)
    };
    let [lower, upper] = stop.range;
    let name = &stop.name;
    [
        of(format!("{name}.lower"), CableSense::Compression, lower.max(0.0)),
        of(format!("{name}.upper"), CableSense::Tension, upper.max(0.0)),
    ]
}

fn friction(robot: &Robot, joint: &str, effort: f64) -> Option<Friction> {
    let presliding = Some(short(robot.presliding(joint, effort)?).into());
    Some(Friction { coulomb: effort.into(), presliding, ..Friction::new(format!("{joint}.friction"), joint) })
}

fn solid(solid: &solids::Solid) -> Solid {
    let column = |index: usize, usual: Vec3| -> Option<Vector> {
        let column = solid.pose.turn.column(index).into_owned();
        (column != usual).then(|| numbers(column))
    };
    let of_kind =
        |kind: SolidKind| Solid { point: Some(solid.pose.at.into()), ..Solid::new(&solid.name, &solid.body, kind) };
    let round = |kind: SolidKind, [radius, length]: [f64; 2]| Solid {
        axis: column(2, Vec3::z()),
        radius: Some(radius.into()),
        length: Some(length.into()),
        ..of_kind(kind)
    };
    match &solid.kind {
        solids::SolidKind::Plane => Solid { axis: column(2, Vec3::z()), ..of_kind(SolidKind::Plane) },
        solids::SolidKind::Sphere(radius) => Solid { radius: Some((*radius).into()), ..of_kind(SolidKind::Sphere) },
        solids::SolidKind::Capsule(sizes) => round(SolidKind::Capsule, *sizes),
        solids::SolidKind::Cylinder(sizes) => round(SolidKind::Cylinder, *sizes),
        solids::SolidKind::Box(size) => Solid {
            x_axis: column(0, Vec3::x()),
            y_axis: column(1, Vec3::y()),
            size: Some(numbers(*size)),
            ..of_kind(SolidKind::Box)
        },
        solids::SolidKind::Hull(points) => Solid {
            point: None,
            points: points.iter().map(|point| (*point).into()).collect(),
            ..of_kind(SolidKind::Hull)
        },
    }
}

fn solid_contact(robot: &Robot, contact: &Contact) -> SolidContact {
    let names = |of: &[usize]| of.iter().map(|solid| robot.solids[*solid].name.clone()).collect::<Vec<_>>();
    let law = &contact.law;
    let slides = [law.friction, law.rolling, law.spinning] != [0.0; 3];
    SolidContact {
        others: names(&contact.others),
        friction: law.friction.into(),
        tangential_stiffness: slides.then(|| short(contact.tangential).into()),
        rolling_resistance: law.rolling.into(),
        spinning_resistance: law.spinning.into(),
        ..SolidContact::new(&contact.name, names(&contact.solids), contact.stiffness, contact.restitution)
    }
}

/// Three digits, for values of a rule of thumb.
pub fn short(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn shape(shape: &robot::Shape) -> Shape {
    let column = |index: usize| -> Option<Vector> { Some(numbers(shape.pose.turn.column(index).into_owned())) };
    let colour = shape.colour.map(|rgba| {
        let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        format!("#{:02x}{:02x}{:02x}", byte(rgba[0]), byte(rgba[1]), byte(rgba[2]))
    });
    let of_kind = |kind: ShapeKind| Shape {
        group: (!shape.group.is_empty()).then(|| shape.group.clone()),
        point: Some(shape.pose.at.into()),
        colour: colour.clone(),
        opacity: shape.colour.map(|rgba| rgba[3].clamp(0.0, 1.0)).filter(|opacity| *opacity < 1.0),
        ..Shape::new(&shape.body, kind)
    };
    let turned = |kind: ShapeKind| Shape { x_axis: column(0), y_axis: column(1), ..of_kind(kind) };
    let round = |kind: ShapeKind, [radius, length]: [f64; 2]| Shape {
        axis: column(2),
        radius: Some(radius.into()),
        length: Some(length.into()),
        ..of_kind(kind)
    };
    match &shape.form {
        Form::Box(size) => Shape { size: Some(numbers(*size)), ..turned(ShapeKind::Box) },
        Form::Sphere(radius) => Shape { radius: Some((*radius).into()), ..of_kind(ShapeKind::Sphere) },
        Form::Cylinder(sizes) => round(ShapeKind::Cylinder, *sizes),
        Form::Capsule(sizes) => round(ShapeKind::Capsule, *sizes),
        Form::Mesh { file, scale, mirrored } => Shape {
            file: Some(file.clone()),
            scale: (*scale != 1.0).then(|| (*scale).into()),
            mirrored: *mirrored,
            ..turned(ShapeKind::Mesh)
        },
    }
}
