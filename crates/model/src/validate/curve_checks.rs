//! Curves, and the joints along them.

use super::check::{Check, Use};
use crate::runners;
use crate::schema::{Curve, CurveOnCurve, Joint, JointKind, PointInPlane};
use ballesta_solver::math::curve;
use ballesta_solver::math::elementary::atan2;
use ballesta_solver::math::moving_frame::MovingFrame;
use ballesta_solver::math::{Vec3, larger};

/// Largest distance of the point of a joint from its curve, as a fraction of the curve's length.
const MAX_DISTANCE_FROM_CURVE: f64 = 1e-3;

/// Smallest sine of the angle between the normal of a plane and the normal of the curve that it touches.
const MIN_NORMAL_SINE: f64 = 1e-3;

/// Largest sine of the angle between the tangents of two curves in contact.
const CROSSING: f64 = 0.1;

/// Smallest difference of their curvatures, times the length of the shorter one.
const MIN_CURVATURE_DIFFERENCE: f64 = 1e-3;

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
    for (index, pair) in model.curves_on_curves.iter().enumerate() {
        meeting(check, &format!("curve_on_curve[{index}]"), pair, &good);
    }
}

/// Whether the curve has a shape.
fn curve(check: &mut Check, item: &str, curve: &Curve) -> bool {
    let key = |name: &str| format!("{item}.{name}");
    let normal = curve.normal.as_ref().map(|normal| check.direction(&key("normal"), normal));
    let offset = curve.offset.as_ref().map(|offset| check.number(&key("offset"), offset, Use::Fixed));
    // A curve is a spline through points, or a circle with centre, radius and normal.
    let circle = [("centre", curve.centre.is_some()), ("radius", curve.radius.is_some())];
    if let Some(degree) = curve.degree.filter(|degree| curve.points.is_none() || ![3, 5].contains(degree)) {
        let of_circle = curve.points.is_none();
        let found = if of_circle { "the curve has no points".into() } else { format!("found {degree}") };
        check.report(key("degree"), found, "write the degree 3 or 5 for a spline through points");
    }
    // The offset of a spline is perpendicular to its normal, so both are needed.
    let good = match &curve.points {
        Some(points) => {
            for (name, _) in circle.iter().filter(|(_, given)| *given) {
                check.report(key(name), "the curve also has points", format!("remove `{name}` or `points`"));
            }
            if normal.is_some() != offset.is_some() {
                let (given, missing) = if offset.is_some() { ("offset", "normal") } else { ("normal", "offset") };
                let found = format!("there is `{given}`, but no `{missing}`");
                check.report(key(given), found, "the offset of a spline needs both; give both or neither");
            }
            spline(check, item, points, curve.closed) && circle.iter().all(|(_, given)| !given)
        }
        None if circle.iter().all(|(_, given)| !given) => {
            check.report(
                item,
                "the curve has no shape",
                "give `points`, or `centre`, `radius` and `normal` for a circle",
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
    // The shape is built only from valid values: a curve with an offset needs a normal.
    let known = good && normal.is_none_or(|normal| normal.is_some()) && offset.is_none_or(|offset| offset.is_some());
    if !known || (curve.offset.is_some() || curve.points.is_none()) && curve.normal.is_none() {
        return false;
    }
    // A roller larger than the smallest radius of curvature would make the path of its centre reverse.
    let shape = check.model.curve_shape(curve, check.values(), &Vec3::zeros());
    if shape.is_none() {
        let found = "a roller of this radius does not fit into the curve: the path of its centre would reverse";
        check.report(key("offset"), found, "give a smaller offset, or change its sign to use the other side");
    }
    shape.is_some()
}

/// Points that a spline passes through.
fn spline(check: &mut Check, item: &str, points: &[crate::schema::Place], closed: bool) -> bool {
    let key = format!("{item}.points");
    let least = if closed { 3 } else { 2 };
    if points.len() < least {
        let what = if closed { "a closed curve" } else { "a curve" };
        check.report(&key, format!("found {}", points.len()), format!("{what} needs at least {least} points"));
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
        check.report(&key, "the points are too far apart", "give coordinates in m");
        return false;
    }
    let same: Vec<usize> = (0..count).filter(|&i| !(lengths(i) > 1e-9 * longest)).collect();
    for &i in &same {
        let found = format!("the point coincides with point {}", if next(i) == 0 { 1 } else { i + 1 });
        let expected = match next(i) {
            0 => "remove it; `closed` returns to the first point",
            _ => "remove it, or give different points",
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

/// A plane touches a curve at one point: the curve is convex, and the plane does not contain it.
fn touching(check: &mut Check, item: &str, plane: &PointInPlane, good: &[bool]) {
    let (Some(name), key) = (&plane.curve, format!("{item}.curve")) else { return };
    let Some(index) = named(check, key.clone(), name).filter(|index| good[*index]) else { return };
    let model = check.model;
    let Some(shape) = model.curve_shape(&model.curves[index], check.values(), &Vec3::zeros()) else { return };
    if shape.is_quintic() {
        let found = format!("the curve \"{name}\" has the degree 5");
        check.report(key, found, "use a circle or a spline of degree 3");
        return;
    }
    let Some(own) = shape.convex() else {
        let found = format!("the curve \"{name}\" is not closed, planar and convex");
        check.report(key, found, "use a circle or a closed curve that is convex everywhere");
        return;
    };
    let normal = model.resolve_vector(&plane.normal, check.values());
    if normal.norm() > 0.0 && own.cross(&normal).norm() < MIN_NORMAL_SINE * normal.norm() {
        let found = format!("the plane is parallel to the plane of the curve \"{name}\"");
        check.report(format!("{item}.normal"), found, "give a normal in the plane of the curve, pointing towards it");
    }
}

/// A joint names a curve if it runs along one, and its point is on the curve. `good`: curves with a shape.
fn along(check: &mut Check, item: &str, joint: &Joint, good: &[bool]) {
    let (key, kind) = (format!("{item}.curve"), joint.kind.word());
    let up = joint.up.as_ref().and_then(|up| check.direction(&format!("{item}.up"), up));
    if joint.up.is_some() && joint.kind != JointKind::AlongCurve {
        check.report(format!("{item}.up"), format!("a {kind} joint has no `up`"), "remove it, or use `along_curve`");
    }
    if !joint.kind.row().curve {
        if joint.curve.is_some() {
            check.report(key, format!("a {kind} joint has no curve"), "remove `curve`, or choose another type");
        }
        return;
    }
    if joint.cut == Some(true) {
        let found = format!("the {kind} joint \"{}\" cannot be cut", joint.name);
        check.report(format!("{item}.cut"), found, "cut another joint of the loop; see `[[curve]]` in the reference");
    }
    let Some(name) = &joint.curve else {
        check.report(
            key,
            format!("the {kind} joint \"{}\" has no curve", joint.name),
            "add `curve`, the name of a \
                                                                                        curve",
        );
        return;
    };
    let model = check.model;
    let Some(index) = named(check, key, name) else { return };
    // An unknown point is reported by its own check.
    let place = joint.point.as_ref().filter(|_| good[index]).map(|place| model.resolve_place(place, check.values()));
    let Some(place) = place.filter(|place| place.iter().all(|x| x.is_finite())) else { return };
    let Some(shape) = model.curve_shape(&model.curves[index], check.values(), &place) else { return };
    beside(check, &format!("{item}.point"), &place, (name, &shape));
    if let Some(s) = up.and_then(|up| MovingFrame::gap(&shape, &up.normalize())) {
        let [x, y, z] = (place + shape.at(s)[0]).into();
        let found = format!("the curve \"{name}\" is parallel to `up` at [{x:.6}, {y:.6}, {z:.6}]");
        let expected = "give a direction that is never tangent to the curve, such as the normal of a planar curve";
        check.report(format!("{item}.up"), found, expected);
    }
}

/// Whether `place` is on a curve whose shape is given relative to it.
fn beside(check: &mut Check, key: &str, place: &Vec3, (name, shape): (&str, &curve::Curve)) -> bool {
    let nearest = shape.at(shape.nearest(&Vec3::zeros()))[0];
    let far = !(nearest.norm() <= MAX_DISTANCE_FROM_CURVE * shape.length());
    if far {
        let [x, y, z] = (place + nearest).into();
        let found = format!("the point is {:.3e} m from the curve \"{name}\"", nearest.norm());
        check.report(key, found, format!("the nearest point of the curve is [{x:.6}, {y:.6}, {z:.6}]"));
    }
    !far
}

/// Two curves touch in one plane, at one point.
fn meeting(check: &mut Check, item: &str, pair: &CurveOnCurve, good: &[bool]) {
    // The constraint creates a follower body and joints, whose names must be free.
    let model = check.model;
    check.two_bodies(item, &pair.bodies, "the constraint");
    for name in runners::names(pair) {
        let bodies = model.bodies.iter().map(|body| &body.name).chain(model.joints.iter().map(|joint| &joint.name));
        if bodies.chain(model.flexible_bodies.iter().map(|body| &body.name)).any(|other| *other == name) {
            let found = format!("the name \"{name}\" of the body or joint that follows the curve is taken");
            check.report(format!("{item}.name"), found, "choose another name");
        }
    }
    // Geometry is checked only if the point and both curves are valid.
    let place = check.place(&format!("{item}.point"), &pair.point);
    let keys = [0, 1].map(|k| format!("{item}.curves[{k}]"));
    let curves = [0, 1].map(|k| named(check, keys[k].clone(), &pair.curves[k]).filter(|index| good[*index]));
    let (Some(place), [Some(_), Some(_)]) = (place, curves) else { return };
    let Some(shapes) = model.touching_curves(pair, check.values()) else { return };
    // Both curves must lie in one plane; a straight line alone does not define it.
    let Some(plane) = shapes[0].plane().or_else(|| shapes[1].plane()) else {
        let expected = "pair a straight line with a curve that bends in the plane of contact";
        check.report(format!("{item}.curves"), "neither curve defines a plane", expected);
        return;
    };
    if let Some(k) = shapes.iter().position(|shape| !shape.lies_in(&plane)) {
        let [x, y, z] = plane.into();
        let found = format!("the curve \"{}\" is not coplanar with the other curve", pair.curves[k]);
        check.report(&keys[k], found, format!("give both curves in a plane with the normal [{x:.6}, {y:.6}, {z:.6}]"));
        return;
    }
    // At the start position the curves must be tangent and touch at one point.
    let key = format!("{item}.point");
    let on = [0, 1].map(|k| beside(check, &key, &place, (&pair.curves[k], &shapes[k])));
    // With equal curvature the contact point would be undetermined.
    let [[t1, k1], [t2, k2]] = shapes.each_ref().map(|shape| shape.curvature(shape.nearest(&Vec3::zeros())));
    if on == [true, true] && t1.cross(&t2).norm() > CROSSING {
        let angle = atan2(t1.cross(&t2).norm(), t1.dot(&t2).abs()).to_degrees();
        let found = format!("the curves cross there at {angle:.1}°");
        check.report(key, found, "place the bodies so that the curves are tangent");
    } else if on == [true, true]
        && (k2 - k1).norm() * shapes[0].length().min(shapes[1].length()) < MIN_CURVATURE_DIFFERENCE
    {
        check.report(
            key,
            "the curves have equal curvature there",
            "curves that touch at a point must differ in curvature",
        );
    }
}
