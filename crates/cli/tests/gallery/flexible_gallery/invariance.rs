//! What must not change the motion of flexible bodies, and the energy balance.

use crate::check::larger;
use crate::flexible_gallery::support::*;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::Document;
use ballesta::model::schema::{Deformation, JointKind, Number, PerCoordinate, Place};

/// A gallery model with the positions of its interfaces as outputs.
fn observed(name: &str) -> (Document, Vec<String>) {
    let document = load_with(name, &interface_outputs(&load(name)));
    let names = interfaces(&document);
    (document, names)
}

/// Time over which two versions of a model are compared, s.
fn end_of(name: &str) -> f64 {
    if name == "flexible_slider_crank" { 0.1 } else { 0.5 }
}

fn compare(name: &str, change: impl Fn(&Document) -> Document, turn: &Mat3, shift: &Vec3) -> f64 {
    let (document, names) = observed(name);
    distance(&document, &change(&document), &names, end_of(name), turn, shift)
}

#[test]
fn the_energy_balance_closes_with_order_two_damping_counted() {
    crate::root::at_root();
    for name in MOVING {
        let end = end_of(name);
        let errors = [1.0, 0.5].map(|part| {
            let document = all_dynamic(load(name));
            let step = document.model.general.step * part;
            let mut run = Run::new(&with_step(document, step));
            let start = run.value("energy_balance");
            let mut worst = 0.0f64;
            for time in times(end, end / 50.0) {
                run.advance(time);
                worst = larger(worst, (run.value("energy_balance") - start).abs());
            }
            worst
        });
        println!("{name}: energy balance off by {:.1e} J, {:.1e} J with half the step", errors[0], errors[1]);
        let order = (errors[0] / errors[1]).log2();
        assert!(order > 1.6 || errors[0] < 1e-9, "{name}: order {order}");
    }
}

/// Lists in the opposite order.
fn permuted(document: &Document) -> Document {
    let mut new = document.clone();
    new.model.flexible_bodies.reverse();
    new.roms.reverse();
    new.model.bodies.reverse();
    new.model.joints.reverse();
    new.model.bushings.reverse();
    new.model.outputs.reverse();
    new
}

#[test]
fn the_order_of_the_file_does_not_matter() {
    crate::root::at_root();
    for name in MOVING {
        let apart = compare(name, permuted, &Mat3::identity(), &Vec3::zeros());
        println!("{name}, opposite order: {apart:.1e} m");
        assert!(apart < 1e-8, "{name}: {apart:e}");
    }
}

/// The model after p → Q p + shift.
fn turned(document: &Document, q: &Mat3, shift: &Vec3) -> Document {
    let old = &document.model;
    let mut new = document.clone();
    let turn = |v: &[Number; 3]| numbers(q * vector(old, v));
    let place = |at: &Place| Place::At(numbers(q * point(old, at) + shift));
    new.model.general.gravity = turn(&old.general.gravity);
    new.model.points.values_mut().for_each(|v| *v = numbers(q * vector(old, v) + shift));
    for body in &mut new.model.bodies {
        if let Some(Place::At(_)) = &body.com {
            body.com = body.com.as_ref().map(place);
        }
        if let Some(j) = &mut body.inertia {
            let matrix = inertia_matrix(j.each_ref().map(|n| number(old, n)));
            *j = inertia_numbers(&(q * matrix * q.transpose()));
        }
    }
    for body in &mut new.model.flexible_bodies {
        let (rotation, origin) = frame_of(old, body);
        body.position = Some(Place::At(numbers(q * origin + shift)));
        body.x_axis = Some(numbers(q * rotation.column(0)));
        body.y_axis = Some(numbers(q * rotation.column(1)));
    }
    for joint in &mut new.model.joints {
        joint.axis = joint.axis.as_ref().map(turn);
        if let Some(Place::At(_)) = &joint.point {
            joint.point = joint.point.as_ref().map(place);
        }
        if let (JointKind::Floating, Some(PerCoordinate::Each(speeds))) = (joint.kind, &mut joint.speed) {
            let part = |k: usize| turn(&[speeds[k].clone(), speeds[k + 1].clone(), speeds[k + 2].clone()]);
            *speeds = [part(0), part(3)].concat();
        }
    }
    for bushing in &mut new.model.bushings {
        bushing.axis = Some(numbers(q * Vec3::x()));
        bushing.second_axis = Some(numbers(q * Vec3::y()));
    }
    new
}

#[test]
fn the_axes_of_the_world_do_not_matter() {
    crate::root::at_root();
    let (w, v) = (0.5f64, Vec3::<f64>::new(0.3, -0.7, 0.41));
    let n = (w * w + v.norm_squared()).sqrt();
    let (w, v) = (w / n, v / n);
    let skew = Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0);
    let q = Mat3::identity() + skew * (2.0 * w) + skew * skew * 2.0;
    let shift = Vec3::new(3.0, -1.0, 7.0);
    for name in MOVING {
        let apart = compare(name, |document| turned(document, &q, &shift), &q, &shift);
        println!("{name}, world turned: {apart:.1e} m");
        assert!(apart < 1e-8, "{name}: {apart:e}");
    }
}

#[test]
fn flexible_bodies_move_alike_100_km_away() {
    crate::root::at_root();
    let shift = Vec3::new(8e4, -6e4, 0.0);
    for name in MOVING {
        let apart = compare(name, |document| turned(document, &Mat3::identity(), &shift), &Mat3::identity(), &shift);
        println!("{name}, 100 km away: {apart:.1e} m");
        assert!(apart < 1e-7, "{name}: {apart:e}");
    }
}

#[test]
fn it_does_not_matter_which_body_of_a_joint_comes_first() {
    crate::root::at_root();
    let exchanged = |document: &Document| {
        let mut new = document.clone();
        for joint in new.model.joints.iter_mut().filter(|joint| joint.kind != JointKind::Floating) {
            let nowhere = joint.point.is_none() && !joint.bodies.iter().any(|body| body.contains('.'));
            if nowhere && joint.bodies[0] != "ground" {
                continue;
            }
            joint.bodies.reverse();
            joint.axis = joint.axis.as_ref().map(|v| numbers(-vector(&document.model, v)));
        }
        new
    };
    for name in MOVING {
        let apart = compare(name, exchanged, &Mat3::identity(), &Vec3::zeros());
        println!("{name}, bodies of the joints exchanged: {apart:.1e} m");
        assert!(apart < 1e-8, "{name}: {apart:e}");
    }
}

#[test]
fn the_floating_frame_is_only_a_description() {
    crate::root::at_root();
    // From the undeformed start: a static one has no elastic speeds, which means another motion in every frame. Bars in
    // m.
    for (name, frame, bar) in
        [("flexible_four_bar", "first", 2e-7), ("serial_arm", "root", 2e-6), ("tumbling_beam", "middle", 4e-7)]
    {
        let (mut document, names) = observed(name);
        document = all_dynamic(document);
        document.model.flexible_bodies.iter_mut().for_each(|body| body.deformation = Deformation::None);
        let mut other = document.clone();
        other.model.flexible_bodies.iter_mut().for_each(|body| body.frame = Some(frame.into()));
        let apart = distance(&document, &other, &names, end_of(name), &Mat3::identity(), &Vec3::zeros());
        let bent = distance(&document, &rigid_twin(&document), &names, end_of(name), &Mat3::identity(), &Vec3::zeros());
        println!("{name}: mean axis and {frame} {apart:.1e} m apart, flexible and rigid {bent:.1e} m");
        assert!(apart < bar, "{name}: {apart:e}");
    }
}
