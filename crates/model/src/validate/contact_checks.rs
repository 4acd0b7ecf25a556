//! `[[contact]]`: the keys of each surface, sizes, laws.

use super::check::{Check, Use, word};
use super::flexible_checks::axes;
use super::tyre_checks::road;
use crate::document::nearest::list;
use crate::schema::{Contact, Integrator, Number, SurfaceKind};

/// Largest number of points of one contact: each costs three states and an evaluation in every stage.
const MAX_POINTS: usize = 64;

pub(super) fn contact(check: &mut Check, item: &str, contact: &Contact) {
    for (index, body) in contact.bodies.iter().enumerate() {
        check.body(&format!("{item}.bodies[{index}]"), body);
    }
    if contact.bodies[0] == contact.bodies[1] {
        check.report(format!("{item}.bodies"), "a body is in contact with itself", "name two different bodies");
    }
    if contact.points.is_empty() || contact.points.len() > MAX_POINTS {
        let found = format!("found {} points", contact.points.len());
        check.report(format!("{item}.points"), found, format!("give 1 to {MAX_POINTS}"));
    }
    for (index, place) in contact.points.iter().enumerate() {
        check.place(&format!("{item}.points[{index}]"), place);
    }
    surface(check, item, contact);
    check.not_negative(&format!("{item}.radius"), &contact.radius, Use::Fixed, "write 0 or more");
    law(check, item, contact);
}

/// Keys that the surface requires, and keys that it does not have.
fn surface(check: &mut Check, item: &str, contact: &Contact) {
    let given = [
        ("road", contact.road.is_some()),
        ("point", contact.point.is_some()),
        ("axis", contact.axis.is_some()),
        ("x_axis", contact.x_axis.is_some()),
        ("y_axis", contact.y_axis.is_some()),
        ("size", contact.size.is_some()),
        ("surface_radius", contact.surface_radius.is_some()),
        ("length", contact.length.is_some()),
    ];
    // Each kind of surface has its own required and optional keys.
    let (needed, further): (&[&str], &[&str]) = match contact.surface {
        SurfaceKind::Road => (&[], &["road"]),
        SurfaceKind::Plane => (&["point"], &["axis"]),
        SurfaceKind::Sphere => (&["point", "surface_radius"], &[]),
        SurfaceKind::Capsule | SurfaceKind::Cylinder => (&["point", "surface_radius", "length"], &["axis"]),
        SurfaceKind::Box => (&["point", "size"], &["x_axis", "y_axis"]),
    };
    let kind = word(contact.surface);
    for key in needed.iter().filter(|key| !given.contains(&(**key, true))) {
        check.report(item, format!("the {kind} has no `{key}`"), format!("add `{key}`"));
    }
    let known: Vec<&str> = needed.iter().chain(further).copied().collect();
    for (key, _) in given.iter().filter(|(key, is)| *is && !known.contains(key)) {
        let found = format!("a {kind} has no `{key}`");
        check.report(format!("{item}.{key}"), found, format!("remove it; {kind}: {}", list(&known)));
    }
    // Roads are fixed to the ground.
    if contact.surface == SurfaceKind::Road {
        road(check, item, contact.road.as_deref());
        if contact.bodies[0] != "ground" {
            let found = format!("\"{}\" has no road", contact.bodies[0]);
            check.report(format!("{item}.bodies[0]"), found, "write \"ground\"; roads belong to it");
        }
    }
    // Position, orientation and dimensions of the surface.
    if let Some(place) = &contact.point {
        check.place(&format!("{item}.point"), place);
    }
    if let Some(axis) = &contact.axis {
        check.direction(&format!("{item}.axis"), axis);
    }
    axes(check, item, &contact.x_axis, &contact.y_axis);
    let lengths = [("surface_radius", &contact.surface_radius), ("length", &contact.length)];
    let sizes = contact.size.iter().flatten().enumerate().map(|(k, one)| (format!("{item}.size[{k}]"), one));
    let lengths = lengths.into_iter().filter_map(|(key, one)| Some((format!("{item}.{key}"), one.as_ref()?)));
    for (key, number) in lengths.chain(sizes).collect::<Vec<_>>() {
        if let Some(value) = check.number(&key, number, Use::Fixed)
            && value <= 0.0
        {
            check.report(key, format!("found {value}"), "write a positive length in m");
        }
    }
}

fn law(check: &mut Check, item: &str, contact: &Contact) {
    let key = |name: &str| format!("{item}.{name}");
    check.not_negative(
        &key("stiffness"),
        &contact.stiffness,
        Use::Coefficient,
        "write 0 or more; a contact cannot pull",
    );
    let exponent = check.number(&key("exponent"), &contact.exponent, Use::Coefficient);
    if let Some(exponent) = exponent.filter(|exponent| *exponent < 1.0) {
        let expected = "write 1 or more; the stiffness must be finite at first contact";
        check.report(key("exponent"), format!("found {exponent}"), expected);
    }
    sliding(
        check,
        item,
        [&contact.restitution, &contact.impact_speed, &contact.time, &contact.friction],
        contact.tangential_stiffness.as_ref(),
    );
    if contact.tangential_stiffness.is_none() {
        if exponent.is_some_and(|exponent| exponent != 1.0) {
            let expected = "give it in N/m; `stiffness` can replace it only where `exponent` is 1";
            check.report(item, "the contact has no `tangential_stiffness`", expected);
        } else {
            check.number(&key("stiffness"), &contact.stiffness, Use::Fixed);
        }
    }
}

/// An optional number that must be positive.
pub(super) fn positive(check: &mut Check, key: &str, number: Option<&Number>, expected: &str) {
    if let Some(value) = number.and_then(|number| check.number(key, number, Use::Fixed))
        && value <= 0.0
    {
        check.report(key, format!("found {value}"), expected);
    }
}

/// Keys of all contacts: `restitution`, `impact_speed`, `time` and `friction`; `tangential_stiffness`.
pub(super) fn sliding(check: &mut Check, item: &str, numbers: [&Number; 4], tangential: Option<&Number>) {
    let key = |name: &str| format!("{item}.{name}");
    let [restitution, impact_speed, time, friction] = numbers;
    let restitution = check.number(&key("restitution"), restitution, Use::Fixed);
    if let Some(value) = restitution.filter(|value| !(0.05..=1.0).contains(value)) {
        check.report(
            key("restitution"),
            format!("found {value}"),
            "write a restitution from 0.05 to 1: rebound speed divided by impact speed",
        );
    }
    positive(check, &key("impact_speed"), Some(impact_speed), "write a positive number");
    positive(check, &key("time"), Some(time), "write a positive number");
    let friction = check.number(&key("friction"), friction, Use::Signal);
    if let Some(value) = friction.filter(|value| *value < 0.0) {
        check.report(key("friction"), format!("found {value}"), "write 0 or more; friction opposes motion");
    }
    positive(check, &key("tangential_stiffness"), tangential, "write a positive stiffness in N/m");
    let general = &check.model.general;
    if general.integrator != Integrator::GeneralizedAlpha
        && let Some(time) = check.value(time).filter(|time| *time > 0.0 && *time < general.step)
    {
        let found = format!("the time of {time} s is shorter than the step of {} s", general.step);
        check.report(key("time"), found, "give at least one step; sliding relaxes with this time");
    }
}
