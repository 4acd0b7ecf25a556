//! Shapes: the keys of each kind, sizes, colours, names of files. The command line reads the files themselves when it
//! draws them.

use super::check::{Check, Use, word};
use super::constraints::distance;
use super::flexible_checks::axes;
use super::name_checks::MAX_NAME_BYTES;
use crate::document::nearest::list;
use crate::files::is_inside;
use crate::schema::{Number, Shape, ShapeKind};

/// Endings of files with meshes.
pub const MESH_ENDINGS: [&str; 4] = ["stl", "obj", "glb", "gltf"];

pub(super) fn check(check: &mut Check) {
    let model = check.model;
    for (index, shape) in model.shapes.iter().enumerate() {
        self::shape(check, &format!("shape[{index}]"), shape);
    }
}

fn shape(check: &mut Check, item: &str, shape: &Shape) {
    check.body(&format!("{item}.body"), &shape.body);
    own_keys(check, item, shape);
    if let Some(place) = &shape.point {
        check.place(&format!("{item}.point"), place);
    }
    if let Some(points) = &shape.points {
        distance(check, item, points, "the axis is the line between the points");
    }
    if let Some(axis) = &shape.axis {
        check.direction(&format!("{item}.axis"), axis);
    }
    axes(check, item, &shape.x_axis, &shape.y_axis);
    for (key, number) in [("radius", &shape.radius), ("length", &shape.length), ("scale", &shape.scale)] {
        positive(check, &format!("{item}.{key}"), number.as_ref());
    }
    for (index, number) in shape.size.iter().flatten().enumerate() {
        positive(check, &format!("{item}.size[{index}]"), Some(number));
    }
    look(check, item, shape);
}

/// Keys that the kind requires, and keys that it does not have.
fn own_keys(check: &mut Check, item: &str, shape: &Shape) {
    // Each kind of shape has its own required and optional keys.
    let given = |key: &str| match key {
        "point" => shape.point.is_some(),
        "points" => shape.points.is_some(),
        "axis" => shape.axis.is_some(),
        "x_axis" => shape.x_axis.is_some(),
        "y_axis" => shape.y_axis.is_some(),
        "size" => shape.size.is_some(),
        "radius" => shape.radius.is_some(),
        "length" => shape.length.is_some(),
        "file" => shape.file.is_some(),
        "scale" => shape.scale.is_some(),
        _ => shape.mirrored,
    };
    // Cylinders and capsules have two end points, or a centre with axis and length.
    let (needed, further): (&[&str], &[&str]) = match shape.kind {
        ShapeKind::Box => (&["point", "size"], &["x_axis", "y_axis"]),
        ShapeKind::Sphere => (&["point", "radius"], &[]),
        ShapeKind::Mesh => (&["file"], &["point", "x_axis", "y_axis", "scale", "mirrored"]),
        ShapeKind::Cylinder | ShapeKind::Capsule if shape.points.is_some() => (&["points", "radius"], &[]),
        ShapeKind::Cylinder | ShapeKind::Capsule => (&["point", "radius", "length"], &["axis"]),
    };
    let kind = word(shape.kind);
    for key in needed.iter().filter(|key| !given(key)) {
        let expected = match shape.kind {
            ShapeKind::Cylinder | ShapeKind::Capsule => {
                "give `radius` with `points`, or with `point`, `axis` and `length`"
            }
            _ => &format!("add `{key}`"),
        };
        check.report(item, format!("the {kind} has no `{key}`"), expected);
    }
    const KEYS: [&str; 11] =
        ["point", "points", "axis", "x_axis", "y_axis", "size", "radius", "length", "file", "scale", "mirrored"];
    let known: Vec<&str> = needed.iter().chain(further).copied().collect();
    for key in KEYS.iter().filter(|key| given(key) && !known.contains(key)) {
        let beside = if shape.points.is_some() { " with `points`" } else { "" };
        let found = format!("a {kind}{beside} has no `{key}`");
        check.report(format!("{item}.{key}"), found, format!("remove it; {kind}: {}", list(&known)));
    }
}

fn positive(check: &mut Check, key: &str, number: Option<&Number>) {
    if let Some(value) = number.and_then(|number| check.number(key, number, Use::Fixed))
        && value <= 0.0
    {
        check.report(key, format!("found {value}"), "write a positive number");
    }
}

fn look(check: &mut Check, item: &str, shape: &Shape) {
    if let Some(colour) = shape.colour.as_ref().filter(|_| shape.rgb().is_none()) {
        let found = format!("\"{}\" is not a colour", colour.escape_debug());
        check.report(
            format!("{item}.colour"),
            found,
            "write # and two hexadecimal digits each for red, green and blue, like \"#d06020\"",
        );
    }
    // Compared as integers: the compiler may evaluate the comparison before the test for presence. Then a NaN would
    // stop a program that traps floating-point exceptions.
    let outside = |opacity: &f64| opacity.total_cmp(&-0.0).is_lt() || opacity.total_cmp(&1.0).is_gt();
    if let Some(opacity) = shape.opacity.filter(outside) {
        check.report(
            format!("{item}.opacity"),
            format!("found {opacity}"),
            "write a number from 0 (invisible) to 1 \
                                                                             (opaque)",
        );
    }
    if let Some(group) = &shape.group
        && (group.trim().is_empty() || group.len() > MAX_NAME_BYTES || group.chars().any(char::is_control))
    {
        let expected = format!("use 1 to {MAX_NAME_BYTES} bytes without control characters");
        check.report(format!("{item}.group"), "this is not a valid group name", expected);
    }
    if let Some(file) = &shape.file {
        let ending = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if !MESH_ENDINGS.contains(&ending.as_str()) {
            let endings = MESH_ENDINGS.map(|ending| format!(".{ending}")).join(", ");
            let found = format!("\"{}\" has no known file extension", file.escape_debug());
            check.report(format!("{item}.file"), found, format!("name a file with one of the extensions {endings}"));
        } else if !is_inside(file) {
            let found = format!("\"{}\" is not a path to a file in the model's folder", file.escape_debug());
            let expected = "write a relative path with `/` between folders and without `..`";
            check.report(format!("{item}.file"), found, expected);
        }
    }
}
