//! Requirements of the exponential integrator: linear flexible bodies fixed to the ground, and loads that do not follow
//! their motion.

use super::check::Check;
use crate::elements;
use crate::flexible_names::{BodyRef, FloatingFrame, find_body};
use crate::schema::{Axes, Place, StiffeningModel};

/// Largest distance of a force from its node, m.
const NODE_TOLERANCE: f64 = 1e-9;

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    // The exponential integrator solves linear equations exactly, so all motions must be linear.
    if !model.general.integrator.scheme().linear_bodies {
        return;
    }
    if model.flexible_bodies.is_empty() {
        let expected = "add a flexible body, or use another integrator";
        check.report("model.integrator", "`exponential` moves only flexible bodies, and the model has none", expected);
    }
    others(check);
    for index in 0..model.flexible_bodies.len() {
        body(check, index);
    }
    // The frame of the body must be fixed to the ground at the interface that carries it.
    for (index, joint) in model.joints.iter().enumerate() {
        let ends = [reference(check, &joint.bodies[0]), reference(check, &joint.bodies[1])];
        let fixes = match ends {
            [Some(BodyRef::Ground), Some(BodyRef::Interface(body, interface))]
            | [Some(BodyRef::Interface(body, interface)), Some(BodyRef::Ground)] => {
                let Some(rom) = check.rom(body) else { continue };
                let frame = model.flexible_bodies[body].floating_frame(rom);
                frame == Some(FloatingFrame::Interface(interface))
            }
            [None, _] | [_, None] => continue,
            _ => false,
        };
        if !fixes || joint.kind.freedom() > 0 {
            let found = format!("joint \"{}\" allows a nonlinear motion", joint.name);
            refuse(
                check,
                &format!("joint[{index}]"),
                found,
                "fix the interface that carries the frame of a body to the ground",
            );
        }
    }
    loads(check);
}

fn refuse(check: &mut Check, key: &str, found: String, expected: &str) {
    check.report(
        key,
        format!("{found}, and the integrator `exponential` accepts only linear models"),
        format!("{expected}, or use another integrator"),
    );
}

fn reference(check: &Check, name: &str) -> Option<BodyRef> {
    find_body(check.model, |body| check.rom(body), name)
}

/// Tables that only give external loads, and tables of wheels, whose joints are rejected.
const LOADS: [&str; 4] = ["force", "torque", "tyre", "wheel_port"];

/// Elements that move by themselves or act by their deformation.
fn others(check: &mut Check) {
    let model = check.model;
    let mut tables = vec![
        ("body", model.bodies.len()),
        ("rod", model.rods.len()),
        ("coupler", model.couplers.len()),
        ("rack_and_pinion", model.racks.len()),
        ("point_on_line", model.points_on_line.len()),
        ("point_in_plane", model.points_in_plane.len()),
        ("curve_on_curve", model.curves_on_curves.len()),
        ("guided", model.guided.len()),
    ];
    let acting = elements::TABLES.iter().filter(|table| !LOADS.contains(&table.name));
    tables.extend(acting.map(|table| (table.name, (table.names)(model).len())));
    for (table, count) in tables {
        for index in 0..count {
            let found = format!("`[[{table}]]` is not part of a linear flexible body");
            refuse(check, &format!("{table}[{index}]"), found, "remove it");
        }
    }
}

/// Tangent frame, no stiffening, one fixed joint.
fn body(check: &mut Check, index: usize) {
    let Some(rom) = check.rom(index) else { return };
    let model = check.model;
    let body = &model.flexible_bodies[index];
    let item = format!("flexible_body[{index}]");
    if body.floating_frame(rom) == Some(FloatingFrame::MeanAxis) {
        let found = format!("the frame of \"{}\" is a mean-axis frame and not a fixed interface", body.name);
        refuse(check, &format!("{item}.frame"), found, "name the interface that is fixed to the ground");
        return;
    }
    let stiffening = body.stiffening_model(rom);
    if stiffening != StiffeningModel::None {
        let found = format!("stiffening `{}` makes \"{}\" nonlinear", stiffening.word(), body.name);
        refuse(check, &format!("{item}.stiffening"), found, "write `stiffening = \"none\"`");
    }
    let of_body =
        |name: &String| matches!(reference(check, name), Some(BodyRef::Interface(other, _)) if other == index);
    let joints = model.joints.iter().filter(|joint| joint.bodies.iter().any(of_body)).count();
    if joints > 1 {
        let found = format!("{joints} joints hold \"{}\", form a loop and restrain its deformation", body.name);
        refuse(check, &item, found, "keep only the fixed joint at its frame");
    }
}

/// Forces at nodes and torques at interfaces, in world axes.
fn loads(check: &mut Check) {
    let model = check.model;
    let forces = model.forces.iter().enumerate();
    let forces =
        forces.map(|(index, load)| (format!("force[{index}]"), &load.name, &load.body, load.axes, Some(&load.point)));
    let torques = model.torques.iter().enumerate();
    let torques = torques.map(|(index, load)| (format!("torque[{index}]"), &load.name, &load.body, load.axes, None));
    for (item, name, body, axes, point) in forces.chain(torques) {
        let Some(BodyRef::Interface(index, interface)) = reference(check, body) else { continue };
        if axes != Axes::World {
            let found = format!("the axes of \"{name}\" rotate with the interface: the load is not linear");
            refuse(check, &format!("{item}.axes"), found, "write `axes = \"world\"`");
        }
        if let Some(distance) = point.and_then(|point| distance(check, index, interface, point))
            && distance > NODE_TOLERANCE
        {
            let found = format!("\"{name}\" acts {distance:.3e} m from the node of `{body}`: the load is not linear");
            refuse(check, &format!("{item}.point"), found, "apply the force at the node and add a `[[torque]]`");
        }
    }
}

/// Distance in m of a point from the node of an interface in the design position, if both are known.
fn distance(check: &Check, body: usize, interface: usize, place: &Place) -> Option<f64> {
    let node = check.rom(body)?.interfaces[interface].position;
    let design = check.model.flexible_design(&check.model.flexible_bodies[body], check.values());
    let distance = (check.model.resolve_place(place, check.values()) - design.point(&node)).norm();
    distance.is_finite().then_some(distance)
}
