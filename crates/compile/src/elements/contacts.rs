//! Contacts of points and of solids from their tables.

use super::{Lookup, marker};
use ballesta_model::schema::{self, SolidKind, SurfaceKind};
use ballesta_solver::force::contact::{Contact, ContactShape, ContactSurface, loss};
use ballesta_solver::force::solids::{Cylinder, Form, Pair, Solid, SolidContact};
use ballesta_solver::math::hull::{self, Polytope, hull};
use ballesta_solver::math::rotation::complement;
use ballesta_solver::math::{Mat3, Vec3};

/// Builds the contact of a validated table.
pub fn contact(table: &schema::Contact, lookup: &dyn Lookup) -> Contact {
    let on = lookup.body(&table.bodies[0]);
    let number = |number: &Option<schema::Number>| number.as_ref().map_or(0.0, |number| lookup.number(number));
    let direction = |vector: &Option<schema::Vector>, usual: Vec3| {
        let given = vector.as_ref().map(|vector| Vec3::from(vector.each_ref().map(|part| lookup.number(part))));
        given.unwrap_or(usual).normalize()
    };
    // The surface: its shape, then its position and axes on the body that carries it.
    let (radius, half) = (number(&table.surface_radius), 0.5 * number(&table.length));
    let solid = match table.surface {
        SurfaceKind::Road => None,
        SurfaceKind::Plane => Some(ContactShape::Plane),
        SurfaceKind::Sphere => Some(ContactShape::Sphere(radius)),
        SurfaceKind::Capsule => Some(ContactShape::Capsule(radius, half)),
        SurfaceKind::Cylinder => Some(ContactShape::Cylinder(radius, half)),
        SurfaceKind::Box => {
            let size = table.size.as_ref().map_or([1.0; 3], |size| size.each_ref().map(|one| lookup.number(one)));
            Some(ContactShape::Box(0.5 * Vec3::from(size)))
        }
    };
    let surface = match solid {
        None => ContactSurface::Road(lookup.road(table.road.as_deref()), lookup.origin()),
        Some(solid) => {
            let axes = if table.surface == SurfaceKind::Box {
                let x = direction(&table.x_axis, Vec3::x());
                let z = x.cross(&direction(&table.y_axis, Vec3::y())).normalize();
                Mat3::from_columns(&[x, z.cross(&x), z])
            } else {
                let z = direction(&table.axis, Vec3::z());
                let (x, y) = complement(&z);
                Mat3::from_columns(&[x, y, z])
            };
            let place = table.point.as_ref().map_or(Vec3::zeros(), |place| lookup.body_point(on, place));
            ContactSurface::Shape(solid, place, axes)
        }
    };
    // Without a tangential stiffness the normal stiffness is used.
    let stiffness = lookup.coefficient(&table.stiffness);
    let tangential = table.tangential_stiffness.as_ref().unwrap_or(&table.stiffness);
    Contact {
        name: table.name.clone(),
        on,
        surface,
        points: table.points.iter().map(|place| marker(lookup, &table.bodies[1], place)).collect(),
        radius: lookup.number(&table.radius),
        stiffness,
        exponent: lookup.coefficient(&table.exponent),
        loss: loss(lookup.number(&table.restitution), lookup.number(&table.impact_speed)),
        speed: lookup.number(&table.impact_speed),
        friction: lookup.coefficient(&table.friction),
        tangential: lookup.number(tangential),
        time: lookup.number(&table.time),
        first: 0,
    }
}

fn solid(solid: &schema::Solid, lookup: &dyn Lookup) -> Solid {
    // Numbers and points in axes of the body, with the defaults of the file format.
    let body = lookup.body(&solid.body);
    let number = |number: &Option<schema::Number>| number.as_ref().map_or(0.0, |number| lookup.number(number));
    let vector = |vector: &schema::Vector| Vec3::from(vector.each_ref().map(|part| lookup.number(part)));
    let direction = |given: &Option<_>, usual: Vec3| given.as_ref().map_or(usual, vector).normalize();
    let (radius, mut half) = (number(&solid.radius), 0.5 * number(&solid.length));
    let mut place = solid.point.as_ref().map_or(Vec3::zeros(), |place| lookup.body_point(body, place));
    let mut axis = direction(&solid.axis, Vec3::z());
    let mut points: Vec<Vec3> = solid.points.iter().map(|place| lookup.body_point(body, place)).collect();
    // Two end points of a capsule or cylinder replace centre, axis and length.
    if solid.kind != SolidKind::Hull
        && let [a, b] = points[..]
    {
        (place, axis, half) = (0.5 * (a + b), (b - a).normalize(), 0.5 * (b - a).norm());
    }
    // Axes of the shape: the second axis of a box is made perpendicular to the first.
    let axes = match solid.kind {
        SolidKind::Box => {
            let x = direction(&solid.x_axis, Vec3::x());
            let z = x.cross(&direction(&solid.y_axis, Vec3::y())).normalize();
            Mat3::from_columns(&[x, z.cross(&x), z])
        }
        SolidKind::Hull => Mat3::identity(),
        _ => {
            let (x, y) = complement(&axis);
            Mat3::from_columns(&[x, y, axis])
        }
    };
    // Flat shapes have faces; spheres and capsules have a centre line and a radius.
    let form = match solid.kind {
        SolidKind::Plane => Form::Faces(Polytope::half_space(), Some(ContactShape::Plane)),
        SolidKind::Box => {
            let half = solid.size.as_ref().map_or(Vec3::zeros(), vector) * 0.5;
            Form::Faces(hull::cuboid(&half).expect("a box"), Some(ContactShape::Box(half)))
        }
        SolidKind::Cylinder => Form::Cylinder(Cylinder { radius, half }),
        SolidKind::Hull => {
            // The origin of a hull is the mean of its corners.
            place = points.iter().sum::<Vec3>() / points.len() as f64;
            points.iter_mut().for_each(|point| *point -= place);
            Form::Faces(hull(&points).expect("validated"), None)
        }
        SolidKind::Sphere => Form::Round(radius, 0.0),
        SolidKind::Capsule => Form::Round(radius, half),
    };
    // The surface velocity models conveyor belts.
    let belt = solid.surface_velocity.as_ref().map(|belt| belt.each_ref().map(|part| lookup.coefficient(part)));
    Solid::new(solid.name.clone(), body, (place, axes), form, belt)
}

/// Builds the contact of a validated table.
pub fn solid_contact(contact: &schema::SolidContact, lookup: &dyn Lookup) -> SolidContact {
    let named = |name: &String| (name.clone(), solid(lookup.solid(name), lookup));
    let (names, solids): (Vec<String>, Vec<Solid>) = contact.solids.iter().chain(&contact.others).map(named).unzip();
    let number = |name: &str| names.iter().position(|known| known == name);
    let ends = contact.pairs().into_iter().filter_map(|[a, b]| Some([number(a)?, number(b)?]));
    let pairs = ends.filter_map(|ends| Pair::between(&solids, ends)).collect();
    SolidContact {
        name: contact.name.clone(),
        solids,
        pairs,
        stiffness: lookup.coefficient(&contact.stiffness),
        loss: loss(lookup.number(&contact.restitution), lookup.number(&contact.impact_speed)),
        speed: lookup.number(&contact.impact_speed),
        friction: lookup.coefficient(&contact.friction),
        tangential: contact.tangential_stiffness.as_ref().map_or(1.0, |number| lookup.number(number)),
        time: lookup.number(&contact.time),
        rolling: lookup.number(&contact.rolling_resistance),
        spinning: lookup.number(&contact.spinning_resistance),
        first: 0,
    }
}
