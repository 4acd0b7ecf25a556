//! Changes of a model in memory that must not change its physics.

use crate::verification::support::{numbers, vector};
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Body, Joint, JointKind, Model, Number, PerCoordinate, Place};

/// Applies `change` to every place of the model: hardpoints and coordinates given in place.
pub fn for_each_place(model: &mut Model, mut change: impl FnMut(&mut [Number; 3])) {
    model.points.values_mut().for_each(&mut change);
    let mut places: Vec<&mut Place> = Vec::new();
    places.extend(model.bodies.iter_mut().filter_map(|body| body.com.as_mut()));
    places.extend(model.joints.iter_mut().filter_map(|joint| joint.point.as_mut()));
    places.extend(model.curves.iter_mut().flat_map(|curve| curve.points.iter_mut().flatten().chain(&mut curve.centre)));
    places.extend(model.rods.iter_mut().flat_map(|rod| rod.points.iter_mut()));
    places.extend(model.springs.iter_mut().flat_map(|spring| spring.points.iter_mut()));
    places.extend(model.points_on_line.iter_mut().map(|constraint| &mut constraint.point));
    places.extend(model.points_in_plane.iter_mut().map(|constraint| &mut constraint.point));
    places.extend(model.curves_on_curves.iter_mut().map(|constraint| &mut constraint.point));
    places.extend(model.bushings.iter_mut().map(|bushing| &mut bushing.point));
    places.extend(model.forces.iter_mut().map(|force| &mut force.point));
    places.extend(model.outputs.iter_mut().filter_map(|output| output.point.as_mut()));
    for place in places {
        if let Place::At(v) = place {
            change(v);
        }
    }
}

/// The model moved by `shift` (m); components of zero leave the numbers as they are.
pub fn shifted(model: &Model, shift: Vec3) -> Model {
    let mut moved = model.clone();
    let mut places = Vec::new();
    for_each_place(&mut moved, |place| {
        places.push(place.clone());
        for k in 0..3 {
            if shift[k] != 0.0 {
                let Number::Value(value) = place[k] else { panic!("a parameter gives a coordinate that is shifted") };
                place[k] = Number::Value(value + shift[k]);
            }
        }
    });
    assert!(!places.is_empty());
    moved
}

/// The model with every coordinate rounded to a multiple of 2⁻³³ m (1.2e-10 m), so that a shift by whole metres up to
/// 2²⁰ m is exact.
pub fn rounded(model: &Model) -> Model {
    let mut model = model.clone();
    for_each_place(&mut model, |place| {
        for entry in place {
            if let Number::Value(value) = entry {
                *value = (*value * 2.0_f64.powi(33)).round() * 2.0_f64.powi(-33);
            }
        }
    });
    model
}

/// Whether `turned` can turn this model: forces in world axes from inputs and named coordinates cannot follow.
pub fn can_be_turned(model: &Model) -> bool {
    let has_speed = |joint: &Joint| joint.position.is_some() || joint.position_deg.is_some() || joint.speed.is_some();
    model.forces.is_empty()
        && model.torques.is_empty()
        && !model.joints.iter().any(|joint| joint.kind == JointKind::Planar && has_speed(joint))
        && !model
            .joints
            .iter()
            .any(|j| matches!(j.kind, JointKind::Floating | JointKind::Spherical) && j.position.is_some())
}

/// Whether the model keeps its meaning when `turned` mirrors it: a thread would change its hand.
pub fn can_be_mirrored(model: &Model) -> bool {
    can_be_turned(model)
        && model.bushings.is_empty()
        && !model.joints.iter().any(|j| j.kind == JointKind::Cylindrical && j.speed.is_some())
        && model.couplers.iter().all(|c| c.coordinates[0].joint != c.coordinates[1].joint)
}

/// The model after p → Q p + `shift`, with Q orthogonal; det Q = −1 mirrors it.
pub fn turned(model: &Model, q: &Mat3, shift: Vec3) -> Model {
    let sign = q.determinant().signum();
    let mut new = model.clone();
    for_each_place(&mut new, |place| *place = numbers(q * vector(model, place) + shift));
    let polar = |v: &mut [Number; 3]| *v = numbers(q * vector(model, v));
    let axial = |v: &mut [Number; 3]| *v = numbers(q * vector(model, v) * sign);
    polar(&mut new.general.gravity);
    for body in &mut new.bodies {
        if let Some(j) = &mut body.inertia {
            let j6: Vec<f64> = j.iter().map(|n| crate::verification::support::number(model, n)).collect();
            let m = q * Mat3::new(j6[0], j6[3], j6[5], j6[3], j6[1], j6[4], j6[5], j6[4], j6[2]) * q.transpose();
            // An inertia at the limit of the triangle inequality must not cross it by round-off.
            let clean = |x: f64| if x.abs() < 1e-16 { 0.0 } else { x };
            *j = [m[(0, 0)], m[(1, 1)], m[(2, 2)], m[(0, 1)], m[(1, 2)], m[(0, 2)]].map(|x| clean(x).into());
        }
    }
    for joint in &mut new.joints {
        if let Some(axis) = &mut joint.axis {
            if joint.kind == JointKind::Prismatic { polar(axis) } else { axial(axis) }
        }
        joint.second_axis.iter_mut().for_each(axial);
        joint.second_shaft.iter_mut().for_each(axial);
        joint.up.iter_mut().for_each(polar);
        turn_speed(model, joint, q, sign);
    }
    new.curves.iter_mut().filter_map(|curve| curve.normal.as_mut()).for_each(axial);
    new.points_on_line.iter_mut().for_each(|constraint| polar(&mut constraint.axis));
    new.points_in_plane.iter_mut().for_each(|constraint| polar(&mut constraint.normal));
    for bushing in &mut new.bushings {
        bushing.axis.iter_mut().for_each(polar);
        bushing.second_axis.iter_mut().for_each(polar);
    }
    new
}

/// Turns the initial speeds of spherical and floating joints, which are vectors in W.
fn turn_speed(model: &Model, joint: &mut Joint, q: &Mat3, sign: f64) {
    let Some(PerCoordinate::Each(speeds)) = &mut joint.speed else { return };
    let vector_at = |speeds: &[Number], at: usize| {
        vector(model, &[speeds[at].clone(), speeds[at + 1].clone(), speeds[at + 2].clone()])
    };
    let turned = match joint.kind {
        JointKind::Spherical => vec![q * vector_at(speeds, 0) * sign],
        JointKind::Floating => vec![q * vector_at(speeds, 0), q * vector_at(speeds, 3) * sign],
        _ => return,
    };
    *speeds = turned.into_iter().flat_map(numbers).collect();
}

/// The same mechanism with bodies, joints and all other lists written in the opposite order.
pub fn reordered(model: &Model) -> Model {
    let mut new = model.clone();
    new.bodies.reverse();
    new.joints.reverse();
    new.rods.reverse();
    new.couplers.reverse();
    new.springs.reverse();
    new.joint_springs.reverse();
    new.bushings.reverse();
    new.points_in_plane.reverse();
    new.points_on_line.reverse();
    new.curves_on_curves.reverse();
    new
}

/// The same mechanism with the two bodies of every joint exchanged. The axes are reversed with them, so the coordinates
/// of joints with one axis keep their meaning; `None` when a joint has coordinates that would change theirs, or is
/// floating or along a
/// curve: those are written with the ground or the body of the curve first.
pub fn exchanged(model: &Model) -> Option<Model> {
    let mut new = model.clone();
    let reversed = |v: &[Number; 3]| numbers(-vector(model, v));
    for joint in &mut new.joints {
        let requested = joint.speed.is_some() || joint.position.is_some() || joint.position_deg.is_some();
        match joint.kind {
            JointKind::Universal => {
                let axes = (joint.axis.take(), joint.second_axis.take());
                joint.axis = axes.1.as_ref().map(reversed);
                joint.second_axis = axes.0.as_ref().map(reversed);
                for request in [&mut joint.speed, &mut joint.position, &mut joint.position_deg].into_iter().flatten() {
                    if let PerCoordinate::Each(values) = request {
                        values.reverse();
                    }
                }
            }
            // Without a second shaft the second axis would turn round.
            JointKind::ConstantVelocity if joint.second_shaft.is_none() => return None,
            JointKind::ConstantVelocity => std::mem::swap(&mut joint.axis, &mut joint.second_shaft),
            JointKind::Floating => return None,
            _ if joint.curve.is_some() => return None,
            JointKind::Planar | JointKind::Spherical if requested => return None,
            _ => {
                if let Some(axis) = &mut joint.axis {
                    *axis = reversed(axis);
                }
            }
        }
        joint.bodies.reverse();
    }
    // The point of a prismatic joint is by default the second body's centre of mass: name it.
    for (old, new) in model.joints.iter().zip(&mut new.joints) {
        if old.point.is_none() {
            let second = model.bodies.iter().find(|body| body.name == old.bodies[1]);
            new.point = second.and_then(|body| body.com.clone());
        }
    }
    Some(new)
}

/// The mechanism with every body split in two halves, one upon the other, joined by a fixed joint. The body is the
/// second of its carrier joint and the first of others: the halves share what is attached to it in turn.
pub fn split(model: &Model) -> Model {
    let mut new = model.clone();
    let half = |n: &Number| Number::Value(0.5 * crate::verification::support::number(model, n));
    for body in &model.bodies {
        let twin = format!("{}_twin", body.name);
        let position = new.bodies.iter().position(|b| b.name == body.name).expect("copied");
        let com = model.centre_of_mass(body).cloned().expect("a body has a centre of mass");
        new.bodies[position].mass = half(&body.mass);
        new.bodies[position].inertia = body.inertia.as_ref().map(|j| j.each_ref().map(half));
        let copy = Body { name: twin.clone(), ..new.bodies[position].clone() };
        new.bodies.push(copy);
        for joint in new.joints.iter_mut().filter(|joint| joint.bodies[0] == body.name) {
            joint.bodies[0].clone_from(&twin);
        }
        new.joints.push(Joint {
            point: Some(com),
            ..Joint::new(format!("{}_weld", body.name), JointKind::Fixed, [body.name.clone(), twin])
        });
    }
    new
}
