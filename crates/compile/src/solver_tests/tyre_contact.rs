use crate::check::elements::{close, close_vector};
use crate::check::numbers::derivative;
use ballesta_solver::force::road::Road;
use ballesta_solver::force::tyre::contact::*;
use ballesta_solver::math::Vec3;
use ballesta_solver::math::rotation;
use ballesta_solver::math::scalar::{Dual, Scalar, lift};

const RADIUS: f64 = 0.376;

fn road(text: &str) -> Road {
    let text = format!("[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n{text}");
    let document = ballesta_model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    crate::elements::road(&document.model.roads[0], [None, None], &|number| document.model.resolve(number, &[]))
}

fn wheel(centre: Vec3, axis: Vec3) -> Wheel {
    Wheel { centre, axis, velocity: Vec3::zeros(), spin: Vec3::zeros(), radius: RADIUS }
}

#[test]
fn on_a_slope_the_contact_is_the_foot_of_the_perpendicular() {
    let (slope, centre) = (0.1f64, Vec3::new(2.0, -1.0, 0.55));
    let contact = WheelContact::new(&road("slope = 0.1"), 0.0, &wheel(centre, Vec3::y())).expect("a contact");
    let normal = Vec3::new(-slope, 0.0, 1.0) / slope.hypot(1.0);
    let distance = (centre.z - slope * centre.x) / slope.hypot(1.0);
    close_vector(&contact.arm, &(-normal * distance), 1e-12);
    close_vector(&contact.axes[2], &normal, 1e-12);
    close_vector(&contact.axes[1], &Vec3::y(), 1e-12);
    close(contact.deflection, RADIUS - distance, 1e-12);
    close(contact.loaded_radius, distance, 1e-12);
    close(contact.camber, 0.0, 1e-12);
}

#[test]
fn a_cambered_wheel_touches_where_its_plane_meets_the_road() {
    let (camber, height) = (0.2f64, 0.34);
    let axis = rotation::about(&Vec3::x(), camber) * Vec3::y();
    let contact =
        WheelContact::new(&Road::flat(), 0.01, &wheel(Vec3::new(3.0, 0.0, height + 0.01), axis)).expect("a contact");
    close_vector(&contact.arm, &Vec3::new(0.0, height * camber.tan(), -height), 1e-12);
    close(contact.loaded_radius, height / camber.cos(), 1e-12);
    close(contact.deflection, RADIUS * camber.cos() - height, 1e-12);
    close(contact.camber, camber, 1e-12);
}

#[test]
fn on_a_round_bump_the_contact_lies_towards_the_centre_of_its_arc() {
    let (length, rise, start) = (3.7f64, 0.1, 10.0);
    let bump = road("[[road.bump]]\nkind = \"round\"\nstart = 10\nlength = 3.7\nheight = 0.1");
    let arc = (0.25 * length * length + rise * rise) / (2.0 * rise);
    let middle = Vec3::new(start + 0.5 * length, 0.0, rise - arc);
    for offset in [-1.2, -0.4, 0.0, 0.9] {
        let centre = middle + Vec3::new(offset, 0.0, arc + 0.33);
        let contact = WheelContact::new(&bump, 0.0, &wheel(centre, Vec3::y())).expect("a contact");
        let distance = (centre - middle).norm();
        close_vector(&contact.axes[2], &((centre - middle) / distance), 1e-9);
        close(contact.deflection, RADIUS - (distance - arc), 1e-9);
    }
}

#[test]
fn rate_is_the_change_of_the_deflection_on_a_plane() {
    let road = road("slope = 0.1\nbank = -0.05");
    let (velocity, spin) = (Vec3::new(8.0, -0.7, 0.4), Vec3::new(0.3, 25.0, -0.5));
    let at = |dt: f64| {
        let turn = rotation::about(&spin.normalize(), spin.norm() * dt) * rotation::about(&Vec3::x(), 0.15);
        let mut wheel = wheel(Vec3::new(1.0, 2.0, 0.35) + velocity * dt, turn * Vec3::y());
        (wheel.velocity, wheel.spin) = (velocity, spin);
        WheelContact::new(&road, 0.0, &wheel).expect("a contact")
    };
    close(at(0.0).rate, derivative(|dt| vec![at(dt).deflection])[0], 1e-7);
}

#[test]
fn derivatives_follow_the_contact_on_a_crest_too_where_the_iteration_ends_at_once() {
    let bump = road("[[road.bump]]\nkind = \"sinusoidal\"\nstart = 10\nlength = 3.7\nheight = 0.1");
    let axis = rotation::about(&Vec3::z(), 0.3) * Vec3::y();
    fn of<S: Scalar>(contact: &WheelContact<S>) -> Vec<S> {
        [&contact.arm, &contact.axes[2]].into_iter().flatten().copied().chain([contact.deflection]).collect()
    }
    for offset in [0.0, 0.4, -1.1] {
        let middle = Vec3::new(11.85 + offset, 0.0, 0.43 - 0.02 * offset * offset);
        let plain = |d: f64| of(&WheelContact::new(&bump, d, &wheel(middle + Vec3::x() * d, axis)).expect("a contact"));
        let moving = Wheel {
            centre: Vec3::new(Dual::new(middle.x, [1.0]), Dual::from_f64(middle.y), Dual::from_f64(middle.z)),
            axis: lift(&axis),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            radius: Dual::from_f64(RADIUS),
        };
        let found = of(&WheelContact::new(&bump, Dual::new(0.0, [1.0]), &moving).expect("a contact"));
        for ((dual, value), change) in found.iter().zip(plain(0.0)).zip(derivative(plain)) {
            assert_eq!(dual.value.to_bits(), value.to_bits());
            close(dual.slopes[0], change, 1e-7);
        }
    }
}

#[test]
fn the_tread_leaves_the_road_smoothly() {
    assert_eq!(tread(LEANS), [1.0, 0.0]);
    // Not nearer to the ends than the differences reach.
    for cosine in [0.495, 0.45, 0.3, 0.205] {
        close(tread(cosine)[1], derivative(|d| vec![tread(cosine + d)[0]])[0], 1e-6);
    }
    assert!(tread(0.2 + 1e-9)[0] < 1e-15);
}

#[test]
fn a_wheel_that_lies_flat_does_not_touch() {
    let axis = rotation::about(&Vec3::x(), 1.5) * Vec3::y();
    assert!(WheelContact::new(&Road::flat(), 0.0, &wheel(Vec3::new(0.0, 0.0, 0.1), axis)).is_none());
}
