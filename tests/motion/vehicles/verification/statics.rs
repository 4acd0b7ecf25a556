//! Vehicles at rest and at constant speed: weight, levers, and that nothing moves that should not.

use super::*;
use crate::check::larger;
use ballesta::math::largest;

/// Largest balances that are left, relative to the weight (moments over 1 m).
const BALANCED: f64 = 1e-9;

/// Largest change of height and attitude of the bodies over `time` s, and at rest of their place too: m, rad. At speed
/// the heading may change evenly: a truck with its drag link on one side goes round in a circle, here of 440 km.
fn drift(vehicle: &mut Vehicle, bodies: &[&str], time: f64) -> (f64, f64) {
    let at_rest = vehicle.get("energy.kinetic") == 0.0;
    let pose = |vehicle: &Vehicle, body: &str| {
        let place = vehicle.vector(&format!("watch.{body}.position"));
        let turn = vehicle.rotation(&format!("watch.{body}.rotation"));
        (if at_rest { place } else { Vec3::new(0.0, 0.0, place.z) }, turn)
    };
    let start: Vec<_> = bodies.iter().map(|body| pose(vehicle, body)).collect();
    let heading = |vehicle: &Vehicle| {
        let turn = vehicle.rotation(&format!("watch.{}.rotation", bodies[0]));
        if at_rest { 0.0 } else { turn[(1, 0)].atan2(turn[(0, 0)]) }
    };
    let (mut moved, mut turned) = (0.0f64, 0.0f64);
    let (begun, mut rate) = (heading(vehicle), None);
    for i in 1..=20 {
        vehicle.advance(time * f64::from(i) / 20.0);
        let change = heading(vehicle) - begun;
        let (sine, cosine) = (-change).sin_cos();
        let back = Mat3::new(cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0);
        turned = larger(turned, (change - f64::from(i) * *rate.get_or_insert(change)).abs());
        for (body, (place, turn)) in bodies.iter().zip(&start) {
            let (now, turn_now) = pose(vehicle, body);
            moved = larger(moved, largest(&(now - place)));
            turned = larger(turned, largest(&(back * turn_now - turn)));
        }
    }
    (moved, turned)
}

#[test]
fn axle_loads_of_the_van_are_those_of_the_lever_rule() {
    let van = Vehicle::new(&watched("van", |text| text), 0.0, 1e-3, &[]);
    let (mass, centre) = van.centre(|_| true);
    let weight = mass * GRAVITY;
    let axle = |axle: usize| -> (f64, f64) {
        let tyres = ["left", "right"].map(|side| format!("axle{axle}.{side}.tyre"));
        let load: f64 = tyres.iter().map(|tyre| van.get(&format!("{tyre}.Fz"))).sum();
        (
            load,
            tyres.iter().map(|tyre| van.get(&format!("{tyre}.Fz")) * van.get(&format!("watch.{tyre}.x"))).sum::<f64>()
                / load,
        )
    };
    let ((front, x1), (rear, x2)) = (axle(1), axle(2));
    let sum = (front + rear - weight).abs() / weight;
    let lever = (front - weight * (centre.x - x2) / (x1 - x2)).abs() / weight;
    println!(
        "van at rest: {mass:.3} kg, front {front:.3} N, rear {rear:.3} N; sum off by {sum:.1e}, lever rule by \
         {lever:.1e} of the weight"
    );
    assert!(sum <= BALANCED && lever <= BALANCED);
}

#[test]
fn tractor_and_trailer_are_balanced_by_their_tyres_and_the_fifth_wheel() {
    let extra = "[[output]]\nname = \"watch.fifth_wheel\"\nbody = \"trailer\"\npoint = \"fifth_wheel\"\nquantity = \
        \"position\"\n";
    for (state, set) in [("loaded", &[][..]), ("unloaded", UNLOADED)] {
        let truck = Vehicle::new(&watched("truck", |text| text + "\n" + extra), 0.0, 1e-3, set);
        let (mass, centre) = truck.centre(|_| true);
        let weight = mass * GRAVITY;
        let loads: Vec<f64> = truck.model.tyres.iter().map(|tyre| truck.get(&format!("{}.Fz", tyre.name))).collect();
        let sum = (loads.iter().sum::<f64>() - weight).abs() / weight;
        let (_, moment) = truck.balance(|_| true, &centre);
        let lever = moment.norm() / weight;
        println!(
            "truck at rest, {state}: {mass:.3} kg, wheel loads {loads:.1?} N; sum off by {sum:.1e}, moments by \
             {lever:.1e} m of the weight"
        );
        assert!(sum <= BALANCED && lever <= BALANCED);
        // Tractor and trailer each as a free body; the fifth wheel carries no moment.
        let force = truck.rotation("watch.trailer.rotation") * truck.vector("fifth_wheel.force");
        let pin = truck.vector("watch.fifth_wheel");
        for (unit, sign) in [("trailer", 1.0), ("tractor", -1.0)] {
            let (left, moment) = truck.balance(|name| trailer(name) == (unit == "trailer"), &pin);
            let off = larger((left + force * sign).norm(), moment.norm()) / weight;
            println!("{unit}: fifth wheel {:.1} N, balance off by {off:.1e} of the weight", sign * force.z);
            assert!(off <= BALANCED, "{left} {moment} {force}");
        }
    }
}

/// Whether something is part of the trailer.
fn trailer(name: &str) -> bool {
    ["trailer", "cargo", "axle3", "axle4", "axle5"].iter().any(|prefix| name.starts_with(prefix))
}

#[test]
fn trimmed_vehicles_stay_where_they_are_and_keep_their_attitude_at_speed() {
    for (name, bodies) in [("van", &["chassis", "engine", "axle2.axle"][..]), ("truck", &["frame", "cab", "trailer"])] {
        let document = watched(name, |text| text);
        for speed in [0.0, 20.0] {
            let mut vehicle = Vehicle::new(&document, speed, 1e-3, &[]);
            let (moved, turned) = drift(&mut vehicle, bodies, 10.0);
            println!("{name} at {speed} m/s for 10 s: bodies move by {moved:.1e} m and turn by {turned:.1e} rad");
            assert!(moved <= 1e-6 && turned <= 1e-6);
        }
    }
}
