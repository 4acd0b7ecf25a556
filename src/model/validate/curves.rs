//! Curves, and the joints along them.

use super::check::{Check, Use, word};
use crate::math::{Vec3, larger};
use crate::model::schema::{Curve, Joint, PointInPlane};

/// Part of the length of a curve by which the point of a joint may be beside it.
const BESIDE: f64 = 1e-3;

/// Smallest sine between the normal of a plane and that of the curve that it touches.
const FLAT: f64 = 1e-3;

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    let good: Vec<bool> =
        model.curves.iter().enumerate().map(|(i, item)| curve(check, &format!("curve[{i}]"), item)).collect();
    for (index, joint) in model.joints.iter().enumerate() {
        along(check, &format!("joint[{index}]"), joint, &good);
    }
    for (index, plane) in model.points_in_plane.iter().enumerate() {
        touching(check, &format!("point_in_plane[{index}]"), plane, &good);
    }
}

/// Whether the curve has a shape.
fn curve(check: &mut Check, item: &str, curve: &Curve) -> bool {
    let key = |name: &str| format!("{item}.{name}");
    let normal = curve.normal.as_ref().map(|normal| check.direction(&key("normal"), normal));
    let offset = curve.offset.as_ref().map(|offset| check.number(&key("offset"), offset, Use::Fixed));
    let circle = [("centre", curve.centre.is_some()), ("radius", curve.radius.is_some())];
    let good = match &curve.points {
        Some(points) => {
            for (name, _) in circle.iter().filter(|(_, given)| *given) {
                check.report(key(name), "the curve has points as well", format!("remove `{name}` or `points`"));
            }
            if normal.is_some() != offset.is_some() {
                let (given, missing) = if offset.is_some() { ("offset", "normal") } else { ("normal", "offset") };
                let found = format!("there is `{given}`, but no `{missing}`");
                check.report(key(given), found, "the distance to a spline needs both; give both or none");
            }
            spline(check, item, points, curve.closed) && circle.iter().all(|(_, given)| !given)
        }
        None if circle.iter().all(|(_, given)| !given) => {
            check.report(
                item,
                "the curve has no shape",
                "give `points`, or `centre`, `radius` and `normal` of a circle",
            );
            false
        }
        None => {
            let all = [circle[0], circle[1], ("normal", curve.normal.is_some())];
            for (name, _) in all.iter().filter(|(_, given)| !given) {
                let found = format!("the circle has no {name}");
                check.report(key(name), found, "a circle needs `centre`, `radius` and `normal`");
            }
            if curve.closed {
                check.report(key("closed"), "a circle is closed", "remove `closed`");
            }
            let centre = curve.centre.as_ref().and_then(|centre| check.place(&key("centre"), centre));
            let radius = curve.radius.as_ref().and_then(|radius| check.number(&key("radius"), radius, Use::Fixed));
            if let Some(radius) = radius.filter(|radius| *radius <= 0.0) {
                check.report(key("radius"), format!("found {radius}"), "give a radius above 0");
            }
            centre.is_some() && radius.is_some_and(|radius| radius > 0.0)
        }
    };
    let known = good && normal.is_none_or(|normal| normal.is_some()) && offset.is_none_or(|offset| offset.is_some());
    if !known || (curve.offset.is_some() || curve.points.is_none()) && curve.normal.is_none() {
        return false;
    }
    let found = check.model.curve_shape(curve, check.values(), &Vec3::zeros());
    if found.is_none() {
        let found = "a roller with this radius does not fit into the curve: its centre would turn back";
        check.report(key("offset"), found, "give a smaller offset, or another sign, which is another side");
    }
    found.is_some()
}

/// Points that a spline goes through.
fn spline(check: &mut Check, item: &str, points: &[crate::model::schema::Place], closed: bool) -> bool {
    let key = format!("{item}.points");
    let least = if closed { 3 } else { 2 };
    if points.len() < least {
        let what = if closed { "a closed curve" } else { "a curve" };
        check.report(&key, format!("found {}", points.len()), format!("{what} goes through at least {least} points"));
        return false;
    }
    let places: Vec<_> =
        points.iter().enumerate().map(|(i, place)| check.place(&format!("{key}[{i}]"), place)).collect();
    let Some(places) = places.into_iter().collect::<Option<Vec<Vec3>>>() else { return false };
    let next = |i: usize| if i + 1 < places.len() { i + 1 } else { 0 };
    let lengths = |i: usize| (places[next(i)] - places[i]).norm();
    let count = places.len() - usize::from(!closed);
    let longest = (0..count).map(lengths).fold(0.0, larger);
    if !longest.is_finite() {
        check.report(&key, "the points are too far apart for numbers", "give coordinates in m");
        return false;
    }
    let same: Vec<usize> = (0..count).filter(|&i| !(lengths(i) > 1e-9 * longest)).collect();
    for &i in &same {
        let found = format!("the point is where point {} is", if next(i) == 0 { 1 } else { i + 1 });
        let expected = match next(i) {
            0 => "leave it out: `closed` returns to the first point",
            _ => "leave it out, or give points that are apart",
        };
        check.report(format!("{key}[{}]", if next(i) == 0 { i } else { i + 1 }), found, expected);
    }
    same.is_empty()
}

/// The curve of a name.
fn named(check: &mut Check, key: String, name: &str) -> Option<usize> {
    let model = check.model;
    let index = model.curves.iter().position(|curve| curve.name == *name);
    if index.is_none() {
        let known: Vec<&str> = model.curves.iter().map(|curve| curve.name.as_str()).collect();
        let expected = crate::document::nearest::did_you_mean(name, &known);
        check.report(key, format!("there is no curve \"{name}\""), expected);
    }
    index
}

/// A plane touches a curve at one point: it is convex, and the plane is not its own.
fn touching(check: &mut Check, item: &str, plane: &PointInPlane, good: &[bool]) {
    let (Some(name), key) = (&plane.curve, format!("{item}.curve")) else { return };
    let Some(index) = named(check, key.clone(), name).filter(|index| good[*index]) else { return };
    let model = check.model;
    let Some(shape) = model.curve_shape(&model.curves[index], check.values(), &Vec3::zeros()) else { return };
    let Some(own) = shape.convex() else {
        let found = format!("the curve \"{name}\" is not closed, plane and convex");
        check.report(key, found, "let a face touch a circle or a closed curve that turns to one side all along");
        return;
    };
    let normal = model.resolve_vector(&plane.normal, check.values());
    if normal.norm() > 0.0 && own.cross(&normal).norm() < FLAT * normal.norm() {
        let found = format!("the plane is that of the curve \"{name}\"");
        check.report(format!("{item}.normal"), found, "give a normal in the plane of the curve, towards it");
    }
}

/// A joint names a curve if it runs along one, and is there. `good`: curves with a shape.
fn along(check: &mut Check, item: &str, joint: &Joint, good: &[bool]) {
    let (key, kind) = (format!("{item}.curve"), word(joint.kind));
    if !joint.kind.row().curve {
        if joint.curve.is_some() {
            check.report(key, format!("a {kind} joint has no curve"), "remove `curve`, or choose another type");
        }
        return;
    }
    if joint.cut == Some(true) {
        let found = format!("the {kind} joint \"{}\" cannot be cut", joint.name);
        check.report(format!("{item}.cut"), found, "cut another joint of the loop: see `[[curve]]` in the reference");
    }
    let Some(name) = &joint.curve else {
        check.report(key, format!("the {kind} joint \"{}\" has no curve", joint.name), "add `curve`, a curve's name");
        return;
    };
    let model = check.model;
    let Some(index) = named(check, key, name) else { return };
    // Its own check reports a place that is not known.
    let place = joint.point.as_ref().filter(|_| good[index]).map(|place| model.resolve_place(place, check.values()));
    let Some(place) = place.filter(|place| place.iter().all(|x| x.is_finite())) else { return };
    let Some(shape) = model.curve_shape(&model.curves[index], check.values(), &place) else { return };
    let nearest = shape.at(shape.nearest(&Vec3::zeros()))[0];
    if !(nearest.norm() <= BESIDE * shape.length()) {
        let [x, y, z] = (place + nearest).into();
        let found = format!("the point is {:.3e} m from the curve \"{name}\"", nearest.norm());
        check.report(format!("{item}.point"), found, format!("the nearest point of it is [{x:.6}, {y:.6}, {z:.6}]"));
    }
}
