//! Joints: bodies, geometry, initial coordinates.

use super::check::{Check, Use};
use crate::BodyRef;
use crate::schema::{Joint, PerCoordinate};
use ballesta_solver::joint::coordinates::{Measure, SecondAxis};
use ballesta_solver::math::Vec3;
use ballesta_solver::mechanism::PERPENDICULAR;

pub(super) fn check(check: &mut Check) {
    for (index, joint) in check.model.joints.iter().enumerate() {
        let item = format!("joint[{index}]");
        check.two_bodies(&item, &joint.bodies, "the joint");
        point(check, &item, joint);
        axes(check, &item, joint);
        initial(check, &item, joint);
    }
}

fn point(check: &mut Check, item: &str, joint: &Joint) {
    let key = format!("{item}.point");
    match &joint.point {
        Some(place) => {
            check.place(&key, place);
        }
        None if joint.kind.needs_point() && !at_interface(check, joint) => {
            let found = format!("the {} joint \"{}\" has no point", joint.kind.word(), joint.name);
            check.report(key, found, "add `point`: a point's name or three coordinates in m");
        }
        None => {}
    }
}

/// Whether the joint is, or may be intended to be, at an interface of a flexible body, which is then its default
/// position.
fn at_interface(check: &Check, joint: &Joint) -> bool {
    let is_rigid = |name: &String| matches!(check.body_ref(name), Some(BodyRef::Ground | BodyRef::Rigid(_)));
    !check.model.flexible_bodies.is_empty() && !joint.bodies.iter().all(is_rigid)
}

fn axes(check: &mut Check, item: &str, joint: &Joint) {
    let (key, second_key) = (format!("{item}.axis"), format!("{item}.second_axis"));
    let kind = joint.kind.word();
    let axis = joint.axis.as_ref().and_then(|axis| check.direction(&key, axis));
    let second = joint.second_axis.as_ref().and_then(|axis| check.direction(&second_key, axis));
    if joint.kind.needs_axis() && joint.axis.is_none() {
        let found = format!("the {kind} joint \"{}\" has no axis", joint.name);
        check.report(&key, found, "add `axis`, like [0, 0, 1]");
    }
    if !joint.kind.needs_axis() && joint.axis.is_some() {
        check.report(&key, format!("a {kind} joint has no axis"), "remove `axis`, or choose another type");
    }
    shaft(check, item, joint, axis);
    radius(check, item, joint);
    match (joint.kind.row().second_axis, &joint.second_axis) {
        (SecondAxis::Needed, None) => {
            let found = format!("the {kind} joint \"{}\" has no second axis", joint.name);
            check.report(&second_key, found, "add `second_axis`, perpendicular to `axis`");
        }
        (SecondAxis::None, Some(_)) => {
            check.report(&second_key, format!("a {kind} joint has no second axis"), "remove `second_axis`");
        }
        (_, Some(_)) => perpendicular(check, &second_key, axis, second),
        (_, None) => {}
    }
}

/// The radius of a ball or disc that rolls.
fn radius(check: &mut Check, item: &str, joint: &Joint) {
    let (key, kind) = (format!("{item}.radius"), joint.kind.word());
    match check.optional(&key, &joint.radius, Use::Fixed) {
        Some(_) if !joint.kind.is_rolling() => {
            check.report(key, format!("a {kind} joint has no radius"), "remove `radius`");
        }
        Some(radius) if radius <= 0.0 => {
            check.report(key, format!("found {radius}"), "give a positive radius in m");
        }
        None if joint.kind.is_rolling() && joint.radius.is_none() => {
            let found = format!("the {kind} joint \"{}\" has no radius", joint.name);
            check.report(key, found, "add `radius` in m");
        }
        _ => {}
    }
}

/// The shaft of the second body of a constant-velocity joint.
fn shaft(check: &mut Check, item: &str, joint: &Joint, axis: Option<Vec3>) {
    let key = format!("{item}.second_shaft");
    let Some(shaft) = joint.second_shaft.as_ref().and_then(|shaft| check.direction(&key, shaft)) else { return };
    if !joint.kind.is_bisecting() {
        let found = format!("a {} joint has no second shaft", joint.kind.word());
        return check.report(&key, found, "remove `second_shaft`");
    }
    if joint.second_axis.is_some() {
        let found = "`second_axis` and `second_shaft` are given together";
        check.report(&key, found, "keep one of them; `second_angle` is about `axis` × `second_shaft`");
    }
    let Some(axis) = axis else { return };
    let (sine, cosine) = (axis.cross(&shaft).norm(), axis.dot(&shaft));
    if sine < PERPENDICULAR && cosine > 0.0 {
        check.report(&key, "the two shafts are parallel", "remove `second_shaft`");
    } else if cosine < PERPENDICULAR {
        let angle = (cosine.clamp(-1.0, 1.0).acos().to_degrees() * 1e6).round() / 1e6;
        let found = format!("the angle between the shafts is {angle}°");
        check.report(&key, found, "direct both shafts from the first to the second body, less than 90° apart");
    }
}

/// Reports a second axis that is not perpendicular to the first (both of unit length).
pub(super) fn perpendicular(check: &mut Check, key: &str, first: Option<Vec3>, second: Option<Vec3>) {
    let (Some(first), Some(second)) = (first, second) else { return };
    let cosine = first.dot(&second);
    if cosine.abs() > PERPENDICULAR {
        let angle = (cosine.clamp(-1.0, 1.0).acos().to_degrees() * 1e6).round() / 1e6;
        let found = format!("the angle between the axes is {angle}°");
        check.report(key, found, "make `second_axis` perpendicular to `axis`");
    }
}

fn initial(check: &mut Check, item: &str, joint: &Joint) {
    let kind = joint.kind;
    let (position, degrees) = (format!("{item}.position"), format!("{item}.position_deg"));
    if joint.position.is_some() && joint.position_deg.is_some() {
        check.report(&degrees, "both `position` and `position_deg` are given", "give one of them");
    }
    if joint.position_deg.is_some() && !kind.coordinates().iter().any(|c| c.measure == Measure::Angle) {
        let found = format!("a {} joint has no coordinate that is an angle", kind.word());
        check.report(&degrees, found, "use `position`");
    } else {
        values(check, &degrees, joint, &joint.position_deg, kind.position_names());
    }
    let numbers = values(check, &position, joint, &joint.position, kind.position_names());
    if let (Some(at), Some(numbers)) = (kind.quaternion(), numbers) {
        let norm = numbers[at..at + 4].iter().map(|number| number * number).sum::<f64>().sqrt();
        if (norm - 1.0).abs() > 1e-6 {
            let found = format!("the quaternion has the length {norm}");
            check.report(&position, found, "give a unit quaternion w, x, y, z; [1, 0, 0, 0] is the identity");
        }
    }
    values(check, &format!("{item}.speed"), joint, &joint.speed, kind.speed_names());
    armature(check, &format!("{item}.armature"), joint);
}

/// Armatures are not negative, and equal for the three speeds of a free rotation.
fn armature(check: &mut Check, key: &str, joint: &Joint) {
    let (kind, names) = (joint.kind, joint.kind.speed_names());
    let given = joint.armature.as_ref().map_or(&[][..], PerCoordinate::as_slice);
    let all: Vec<_> = names.iter().flat_map(|_| given.first().cloned()).collect();
    let each =
        if given.len() == 1 && names.len() > 1 { Some(PerCoordinate::Each(all)) } else { joint.armature.clone() };
    let Some(numbers) = values(check, key, joint, &each, names) else { return };
    if let Some(negative) = numbers.iter().find(|number| **number < 0.0) {
        check.report(key, format!("found {negative}"), "give 0 or more: kg m² for a rotation, kg for a translation");
    }
    let turns: Vec<f64> = (0..numbers.len()).filter(|&k| kind.is_rotation(k)).map(|k| numbers[k]).collect();
    if kind.quaternion().is_some() && turns.windows(2).any(|pair| pair[0] != pair[1]) {
        let found = format!("found {turns:?} for a free rotation");
        check.report(key, found, "give the same number for the three angular velocities");
    }
}

/// One number per name; all of them if all are valid.
fn values(
    check: &mut Check,
    key: &str,
    joint: &Joint,
    values: &Option<PerCoordinate>,
    names: &[&str],
) -> Option<Vec<f64>> {
    let values = values.as_ref()?;
    let numbers = values.as_slice();
    if numbers.len() != names.len() {
        let what = if numbers.len() == 1 { "1 number".to_string() } else { format!("{} numbers", numbers.len()) };
        let found = format!("found {what} for the {} joint \"{}\"", joint.kind.word(), joint.name);
        let expected = match names {
            [] => "remove it; the joint does not move".to_string(),
            [name] => format!("give 1 number: {name}"),
            _ => format!("give {} numbers: {}", names.len(), names.join(", ")),
        };
        check.report(key, found, expected);
        return None;
    }
    let each = |(index, number)| {
        let key = if matches!(values, PerCoordinate::One(_)) { key.to_string() } else { format!("{key}[{index}]") };
        check.number(&key, number, Use::Fixed)
    };
    numbers.iter().enumerate().map(each).collect::<Vec<_>>().into_iter().collect()
}
