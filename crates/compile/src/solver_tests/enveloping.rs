use crate::check::elements::{close, close_vector};
use crate::check::numbers::derivative;
use ballesta_model::schema::Number;
use ballesta_solver::force::road::Road;
use ballesta_solver::force::tyre::contact::{Wheel, WheelContact};
use ballesta_solver::force::tyre::enveloping::*;
use ballesta_solver::math::Vec3;
use ballesta_solver::math::rotation;
use ballesta_solver::math::scalar::Scalar;
use ballesta_solver::math::scalar::{Dual, lift};
use ballesta_solver::tyre::Cams;

const RADIUS: f64 = 0.376;
const CAMS: Cams = Cams { half_length: RADIUS, half_height: RADIUS, order: 1.8, distance: 0.12, highest: 0.05 };

fn road(text: &str) -> Road {
    let text = format!("[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n{text}");
    let document = ballesta_model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    crate::elements::road(&document.model.roads[0], [None, None], &|number| document.model.resolve(number, &[]))
}

/// A plateau from 0 to `length` m, `height` m high, with edges that are as good as sharp.
fn plateau(length: f64, height: f64) -> Road {
    let text = format!(
        "[model]\nname = \"m\"\n[[road]]\nname = \"r\"\n[[road.bump]]\nkind = \"flat_top\"\nstart = 0\n\
         length = {length}\nramp = {}\nheight = {height}\nblend = 100",
        0.4 * length
    );
    let mut document = ballesta_model::parse(&text, "road.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let bump = &mut document.model.roads[0].bumps[0];
    // Sharper than a point of contact may meet.
    (bump.blend, bump.ramp) = (Number::Value(1e-5), Some(Number::Value(1e-4)));
    crate::elements::road(&document.model.roads[0], [None, None], &|number| document.model.resolve(number, &[]))
}

fn wheel(centre: Vec3, axis: Vec3) -> Wheel {
    Wheel { centre, axis, velocity: Vec3::zeros(), spin: Vec3::zeros(), radius: RADIUS }
}

fn contact(road: &Road, wheel: &Wheel) -> WheelContact {
    Envelope::new(&CAMS).contact(road, 0.0, wheel).expect("a contact")
}

#[test]
fn a_plane_is_felt_as_it_is() {
    let road = road("slope = 0.1\nbank = -0.05\nfriction = 0.8");
    let mut wheel = wheel(Vec3::new(1.0, 2.0, 0.35), rotation::about(&Vec3::new(0.6, 0.0, 0.8), 0.3) * Vec3::y());
    (wheel.velocity, wheel.spin) = (Vec3::new(8.0, -0.7, 0.4), Vec3::new(0.3, 25.0, -0.5));
    let (found, wanted) = (contact(&road, &wheel), WheelContact::new(&road, 0.0, &wheel).expect("a contact"));
    close_vector(&found.arm, &wanted.arm, 1e-12);
    close_vector(&found.axes[2], &wanted.axes[2], 1e-12);
    close_vector(&found.axes[0], &wanted.axes[0], 1e-12);
    close(found.deflection, wanted.deflection, 1e-12);
    close(found.rate, wanted.rate, 1e-11);
    close(found.friction, 0.8, 1e-12);
}

/// Height of a cam on a plateau from `from` to `to` (m), its middle at `at`.
fn on_edges(at: f64, [from, to]: [f64; 2], height: f64) -> f64 {
    let away = (from - at).max(at - to).max(0.0);
    let rise = RADIUS - RADIUS * (1.0 - (away / RADIUS).powf(1.8)).powf(1.0 / 1.8);
    (height - rise).max(0.0)
}

#[test]
fn steps_and_cleats_are_felt_as_the_closed_forms_of_the_cams() {
    for (length, height) in [(10.0, 0.03), (0.05, 0.01), (0.02, 0.02)] {
        let road = plateau(length, height);
        for k in -60..=60 {
            let x = 0.005 * f64::from(k) + 1.3e-4;
            let found = contact(&road, &wheel(Vec3::new(x, 0.0, 0.36), Vec3::y()));
            let heights = [0.06, -0.06].map(|ahead| on_edges(x + ahead, [1e-4, length - 1e-4], height));
            let (w, slope) = (0.5 * (heights[0] + heights[1]), (heights[0] - heights[1]) / 0.12);
            close(found.axes[2].x / found.axes[2].z, -slope, 2e-3);
            close((0.36 - w) * found.axes[2].z, RADIUS - found.deflection, 1e-4);
        }
    }
}

#[test]
fn the_rate_is_the_change_of_the_deflection_on_the_way_over_an_edge() {
    let bump = road("[[road.bump]]\nkind = \"sinusoidal\"\nstart = 10\nlength = 2.5\nheight = 0.1");
    let (velocity, spin) = (Vec3::new(8.0, 0.0, 0.4), Vec3::new(0.5, 25.0, 0.0));
    for start in [10.3, 10.9, 11.6, 12.2] {
        let at = |dt: f64| {
            let turn = rotation::about(&spin.normalize(), spin.norm() * dt) * rotation::about(&Vec3::x(), 0.1);
            let mut wheel = wheel(Vec3::new(start, 0.0, 0.4) + velocity * dt, turn * Vec3::y());
            (wheel.velocity, wheel.spin) = (velocity, spin);
            contact(&bump, &wheel)
        };
        // The slope across, which a turn of the wheel changes, is the road's along it: not in the rate.
        close(at(0.0).rate, derivative(|dt| vec![at(dt).deflection])[0], 0.02);
    }
}

#[test]
fn derivatives_of_height_and_slope_are_exact_between_the_kinks() {
    let bump = road("[[road.bump]]\nkind = \"round\"\nstart = 10\nlength = 3.7\nheight = 0.1");
    let axis = rotation::about(&Vec3::z(), 0.3) * Vec3::y();
    for x in [10.4, 11.2, 12.9] {
        let of = |centre: Vec3<Dual<1>>| {
            let (velocity, spin) = (Vec3::zeros(), Vec3::zeros());
            let wheel = Wheel { centre, axis: lift(&axis), velocity, spin, radius: Dual::from_f64(RADIUS) };
            let contact = Envelope::new(&CAMS).contact(&bump, Dual::from_f64(0.0), &wheel).expect("a contact");
            [contact.deflection, contact.arm.x, contact.arm.z]
        };
        let plain = |d: f64| {
            let contact = contact(&bump, &wheel(Vec3::new(x + d, 0.0, 0.43), axis));
            vec![contact.deflection, contact.arm.x, contact.arm.z]
        };
        let found = of(Vec3::new(Dual::new(x, [1.0]), Dual::from_f64(0.0), Dual::from_f64(0.43)));
        for ((dual, value), change) in found.iter().zip(plain(0.0)).zip(derivative(plain)) {
            assert_eq!(dual.value.to_bits(), value.to_bits());
            close(dual.slopes[0], change, 1e-4);
        }
    }
}

#[test]
fn cams_of_any_numbers_stay_within_their_places() {
    for cams in [
        Cams { distance: 1e-9, ..CAMS },
        Cams { distance: 1e12, ..CAMS },
        Cams { half_length: 1e-6, half_height: 1e-6, order: 10.0, ..CAMS },
        Cams { half_length: 1e12, half_height: 1e15, order: 1.0, ..CAMS },
    ] {
        let envelope = Envelope::new(&cams);
        assert!(envelope.rises.len() + envelope.ahead <= MOST + 1, "{cams:?}");
        let contact = envelope.contact(&plateau(1.0, 0.02), 0.0, &wheel(Vec3::new(0.1, 0.0, 0.36), Vec3::y()));
        assert!(contact.expect("a contact").deflection.is_finite());
    }
}
