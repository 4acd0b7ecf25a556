//! `[[solid]]` and `[[solid_contact]]`: the keys of each kind, sizes, hulls, pairs, laws.

use super::check::{Check, Use, word};
use super::contact_checks::{positive, sliding};
use super::flexible_checks::axes;
use crate::document::nearest::{did_you_mean, list};
use crate::schema::{Solid, SolidContact, SolidKind};
use ballesta_solver::math::Vec3;
use ballesta_solver::math::hull::{MAX_FACES, hull};

/// Largest number of pairs of one contact: each costs six states and an evaluation in every stage.
const MAX_PAIRS: usize = 256;

/// Shortest axis of a cylinder or capsule that is given by its ends, m: shorter ones have no direction.
const MIN_LENGTH: f64 = 1e-9;

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    for (index, item) in model.solids.iter().enumerate() {
        solid(check, &format!("solid[{index}]"), item);
    }
}

fn solid(check: &mut Check, item: &str, solid: &Solid) {
    check.attachable(&format!("{item}.body"), &solid.body);
    let given = [
        ("point", solid.point.is_some()),
        ("points", !solid.points.is_empty()),
        ("axis", solid.axis.is_some()),
        ("x_axis", solid.x_axis.is_some()),
        ("y_axis", solid.y_axis.is_some()),
        ("size", solid.size.is_some()),
        ("radius", solid.radius.is_some()),
        ("length", solid.length.is_some()),
    ];
    // Each kind of solid has its own required and optional keys; `points` can define a long solid by its ends.
    let long = matches!(solid.kind, SolidKind::Capsule | SolidKind::Cylinder);
    let (needed, further): (&[&str], &[&str]) = match solid.kind {
        SolidKind::Plane => (&["point"], &["axis"]),
        SolidKind::Sphere => (&["point", "radius"], &[]),
        SolidKind::Capsule | SolidKind::Cylinder if !solid.points.is_empty() => (&["points", "radius"], &[]),
        SolidKind::Capsule | SolidKind::Cylinder => (&["point", "radius", "length"], &["axis"]),
        SolidKind::Box => (&["point", "size"], &["x_axis", "y_axis"]),
        SolidKind::Hull => (&["points"], &[]),
    };
    let kind = word(solid.kind);
    for key in needed.iter().filter(|key| !given.contains(&(**key, true))) {
        check.report(item, format!("the {kind} has no `{key}`"), format!("add `{key}`"));
    }
    let known: Vec<&str> = needed.iter().chain(further).copied().collect();
    for (key, _) in given.iter().filter(|(key, is)| *is && !known.contains(key)) {
        let found = format!("a {kind} has no `{key}`");
        check.report(format!("{item}.{key}"), found, format!("remove it; {kind}: {}", list(&known)));
    }
    // Position and corners; corners are checked only if all of them are valid.
    if let Some(place) = &solid.point {
        check.place(&format!("{item}.point"), place);
    }
    let places = solid.points.iter().enumerate();
    let points: Vec<_> = places.filter_map(|(k, place)| check.place(&format!("{item}.points[{k}]"), place)).collect();
    if points.len() == solid.points.len() && !points.is_empty() {
        corners(check, &format!("{item}.points"), &points, long);
    }
    // Orientation, dimensions and velocity of the surface.
    if let Some(axis) = &solid.axis {
        check.direction(&format!("{item}.axis"), axis);
    }
    axes(check, item, &solid.x_axis, &solid.y_axis);
    for (key, number) in [("radius", &solid.radius), ("length", &solid.length)] {
        positive(check, &format!("{item}.{key}"), number.as_ref(), "write a positive length in m");
    }
    for (k, number) in solid.size.iter().flatten().enumerate() {
        positive(check, &format!("{item}.size[{k}]"), Some(number), "write a positive length in m");
    }
    for (k, number) in solid.surface_velocity.iter().flatten().enumerate() {
        check.number(&format!("{item}.surface_velocity[{k}]"), number, Use::Signal);
    }
}

/// Points of a hull, or the ends of a capsule or cylinder.
fn corners(check: &mut Check, key: &str, points: &[Vec3], long: bool) {
    let found = format!("found {} points", points.len());
    match (long, points) {
        (true, [a, b]) if (b - a).amax() < MIN_LENGTH => {
            check.report(key, "the two points coincide", "give two different ends")
        }
        (true, [_, _]) => {}
        (true, _) => check.report(key, found, "give the two ends of the axis"),
        (false, points) if !(4..=MAX_FACES).contains(&points.len()) => {
            check.report(key, found, format!("give 4 to {MAX_FACES} points"))
        }
        (false, points) if hull(points).is_none() => {
            let expected =
                format!("give points that are not coplanar, with a convex hull of at most {MAX_FACES} faces");
            check.report(key, "the points have no convex hull with a volume, or the hull has too many faces", expected);
        }
        _ => {}
    }
}

pub(super) fn solid_contact(check: &mut Check, item: &str, contact: &SolidContact) {
    let key = |name: &str| format!("{item}.{name}");
    // Each solid occurs once in the contact.
    let model = check.model;
    let known: Vec<&str> = model.solids.iter().map(|solid| solid.name.as_str()).collect();
    let lists = [("solids", &contact.solids), ("others", &contact.others)];
    let names = lists.iter().flat_map(|(list, names)| names.iter().enumerate().map(move |(k, name)| (list, k, name)));
    let mut solids: Vec<&Solid> = Vec::new();
    for (list, index, name) in names {
        let place = format!("{item}.{list}[{index}]");
        match model.solids.iter().find(|solid| solid.name == *name) {
            None => check.report(place, format!("there is no solid \"{name}\""), did_you_mean(name, &known)),
            Some(solid) if solids.iter().any(|other| other.name == solid.name) => {
                check.report(place, format!("\"{name}\" is named twice"), "name each solid only once")
            }
            Some(solid) => solids.push(solid),
        }
    }
    // The pairs are checked only if all solids exist.
    if solids.len() == contact.solids.len() + contact.others.len() {
        pairs(check, item, contact, &solids);
    }
    check.not_negative(
        &key("stiffness"),
        &contact.stiffness,
        Use::Coefficient,
        "write 0 or more; a contact cannot pull",
    );
    // Friction is regularized by a tangential stiffness, so resistance needs that stiffness.
    let mut resists = true;
    if let Some(value) = check.value(&contact.friction) {
        resists = value != 0.0;
    }
    for (name, number) in
        [("rolling_resistance", &contact.rolling_resistance), ("spinning_resistance", &contact.spinning_resistance)]
    {
        let value = check.not_negative(&key(name), number, Use::Fixed, "write a length of 0 or more in m");
        resists |= value.is_some_and(|value| value > 0.0);
    }
    if contact.tangential_stiffness.is_none() && resists {
        let expected = "give it in N/m, for example `stiffness` times the area of a contact face";
        check.report(item, "the contact has friction but no `tangential_stiffness`", expected);
    }
    // Rules that all contacts with friction have in common.
    sliding(
        check,
        item,
        [&contact.restitution, &contact.impact_speed, &contact.time, &contact.friction],
        contact.tangential_stiffness.as_ref(),
    );
}

/// The number of pairs, and whether another contact has one of them.
fn pairs(check: &mut Check, item: &str, contact: &SolidContact, solids: &[&Solid]) {
    let found = |name: &str| solids.iter().find(|solid| solid.name == name);
    let touch = |[a, b]: &[&str; 2]| match (found(a), found(b)) {
        (Some(a), Some(b)) => a.body != b.body && (a.kind != SolidKind::Plane || b.kind != SolidKind::Plane),
        _ => false,
    };
    let pairs: Vec<[&str; 2]> = contact.pairs().into_iter().filter(touch).collect();
    let key = format!("{item}.solids");
    if pairs.is_empty() {
        let expected = "name solids of two bodies here or in `others`; two planes cannot touch";
        check.report(&key, "no two of the solids can touch", expected);
    } else if pairs.len() > MAX_PAIRS {
        let expected = format!("name fewer solids (at most {MAX_PAIRS} pairs), or use several contacts");
        check.report(&key, format!("found {} pairs of solids", pairs.len()), expected);
    }
    let model = check.model;
    for earlier in model.solid_contacts.iter().take_while(|other| !std::ptr::eq(*other, contact)) {
        let same = |[a, b]: &&[&str; 2]| earlier.pairs().iter().any(|pair| pair == &[*a, *b] || pair == &[*b, *a]);
        if let Some([a, b]) = pairs.iter().find(same) {
            let found = format!("\"{a}\" and \"{b}\" already touch in \"{}\"", earlier.name);
            check.report(&key, found, "remove one of them, or name the other solids in `others`");
        }
    }
}
