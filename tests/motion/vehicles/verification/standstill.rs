//! Stopping, standing on a slope, starting again, and braking on a road that is slippery on one side.

use super::*;
use crate::check::larger;
use crate::models;
use ballesta::math;
use ballesta::model::schema::{Integrator, Number};
use ballesta::tyre;

const BRAKES: [(&str, f64); 4] =
    [("axle1.left", 3000.0), ("axle1.right", 3000.0), ("axle2.left", 2000.0), ("axle2.right", 2000.0)];

fn van_on(road: &str) -> Document {
    let text = text("van", "model.toml").replacen(
        "[[road]]\nname = \"road\"\n",
        &format!("[[road]]\nname = \"road\"\n{road}\n"),
        1,
    );
    document("van", &text)
}

fn brake(van: &mut Vehicle, share: f64) {
    for (wheel, torque) in BRAKES {
        van.set(&format!("{wheel}.brake_torque"), share * torque);
    }
}

#[test]
fn the_van_stops_on_a_slope_stays_there_and_starts_again() {
    for slope in [0.1, -0.1] {
        // A plane, and from x = 5 m on the slope.
        let ramp = format!(
            "[[road.bump]]\nkind = \"flat_top\"\nstart = 5\nlength = 1000\nramp = 400\nheight = {}\nblend = 2",
            400.0 * slope
        );
        let mut van = Vehicle::new(&van_on(&ramp), 5.0, 1e-3, &[]);
        van.advance(4.0);
        van.set("target_speed", 0.0);
        brake(&mut van, 1.0);
        // It stands, and has swung out.
        let time = 9.0;
        van.advance(time);
        let stood = van.vector("chassis.position");
        let mut crept = 0.0f64;
        for i in 1..=100 {
            van.advance(time + 0.1 * f64::from(i));
            crept = larger(crept, (van.vector("chassis.position") - stood).norm());
        }
        let speed = van.vector("chassis.velocity").norm();
        // Off again.
        brake(&mut van, 0.0);
        van.set("target_speed", 5.0);
        van.advance(time + 18.0);
        let driven = van.get("chassis.velocity.x");
        println!(
            "van on a slope of {slope}: creeps {crept:.1e} m in 10 s, {speed:.1e} m/s at the end; then drives off to \
             {driven:.3} m/s"
        );
        assert!(crept <= 1e-3 && speed < 1e-4 && driven > 4.5, "{crept} {speed} {driven}");
    }
}

#[test]
fn tyres_of_the_cruising_van_slip_as_steady_rolling_says() {
    let van = Vehicle::new(&document("van", &text("van", "model.toml")), 20.0, 1e-3, &[]);
    let properties = ballesta::model::tir::read(&text("van", "van.tir"), "van.tir")
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let law = tyre::Law::new(&properties, tyre::Side::Left);
    let mut largest = 0.0f64;
    for (wheel, tyres) in [("axle1.left", 1.0), ("axle2.left", 2.0)] {
        let get = |name: &str| van.get(&format!("{wheel}.{name}"));
        let (kappa, alpha, gamma) = (get("tyre.longitudinal_slip"), get("tyre.slip_angle"), get("tyre.camber"));
        let (load, spin) = (get("tyre.Fz") / tyres, get("wheel.speed"));
        // The van goes straight: along the wheel is the cosine of its toe.
        let forward = get("hub_velocity.x") * alpha.cos();
        let rolling = law.effective_radius(load, spin, 0.0) * spin / forward - 1.0;
        let input = tyre::Input { kappa, alpha, gamma, speed: forward, ..law.straight_ahead(load) };
        let output = law.forces(&input);
        largest = larger(largest, (kappa - rolling).abs());
        let off = math::largest([get("tyre.Fx") / tyres - output.fx, get("tyre.Fy") / tyres - output.fy]);
        println!("{wheel}: slip {kappa:.6}, by speed and effective radius {rolling:.6}; forces off by {off:.1e} N");
        assert!(off <= 1e-6);
    }
    assert!(largest <= 1e-9, "{largest}");
}

#[test]
fn braking_on_a_road_that_is_slippery_on_one_side_turns_the_van_to_the_other() {
    // Right wheels on a strip with a third of the friction.
    let mut van = Vehicle::new(&van_on("[[road.patch]]\ny = [-10, 0]\nfriction = 0.3"), 20.0, 1e-3, &[]);
    van.set("target_speed", 0.0);
    brake(&mut van, 0.5);
    van.advance(0.5);
    let forces = BRAKES.map(|(wheel, _)| van.get(&format!("{wheel}.tyre.Fx")));
    let loads = BRAKES.map(|(wheel, _)| van.get(&format!("{wheel}.tyre.Fz")));
    let (yaw, rate) = (van.get("chassis.angles.yaw"), van.get("chassis.angular_velocity.z"));
    println!(
        "braking with the right wheels on 0.3 of the friction: Fx {forces:.0?} N at Fz {loads:.0?} N, yaw rate \
         {rate:.3} rad/s"
    );
    // The van turns to the side that holds; the slippery side gives no more than its friction.
    assert!(yaw > 1e-3 && rate > 1e-2, "{yaw} {rate}");
    for [left, right] in [[0, 1], [2, 3]] {
        assert!(forces[left] < forces[right] && forces[right] < 0.0, "{forces:?}");
        assert!(-forces[right] < 0.3 * 1.3 * loads[right], "{forces:?} {loads:?}");
    }
}

/// What the four wheels do against their brakes for 0.8 s of full braking with the right ones on a slippery strip:
/// lowest speed, rad/s, largest angle turned back from where they were the furthest, rad, and how long they stood, ms.
fn locking(travel: f64, integrator: Integrator) -> ([f64; 4], [f64; 4], [i32; 4]) {
    let mut document = van_on("[[road.patch]]\ny = [-10, 0]\nfriction = 0.3");
    document.model.general.integrator = integrator;
    document.model.brakes.iter_mut().for_each(|brake| brake.presliding = Number::Value(travel));
    let mut van = Vehicle::new(&document, 20.0, 1e-3, &[]);
    van.set("target_speed", 0.0);
    brake(&mut van, 1.0);
    let (mut backward, mut unwound, mut locked) = ([0.0f64; 4], [0.0f64; 4], [0; 4]);
    let (mut angle, mut furthest) = ([0.0f64; 4], [0.0f64; 4]);
    for i in 1..=800 {
        van.advance(1e-3 * f64::from(i));
        for (k, (wheel, _)) in BRAKES.iter().enumerate() {
            let speed = van.get(&format!("{wheel}.wheel.speed"));
            backward[k] = larger(backward[k], -speed);
            locked[k] += i32::from(speed.abs() < 0.5);
            angle[k] += 1e-3 * speed;
            furthest[k] = larger(furthest[k], angle[k]);
            unwound[k] = larger(unwound[k], furthest[k] - angle[k]);
        }
    }
    println!(
        "{integrator:?}, presliding {travel}: wheels turn back at {backward:.3?} rad/s at most, by {unwound:.5?} rad, \
         locked for {locked:?} ms of 800"
    );
    (backward, unwound, locked)
}

#[test]
fn wheels_that_lock_on_a_slippery_side_stick_instead_of_turning_back() {
    for integrator in [Integrator::Rk4, Integrator::GeneralizedAlpha] {
        for travel in [0.02, 0.005] {
            let (backward, unwound, locked) = locking(travel, integrator);
            // √(T_c φ/J) is some 6 rad/s; −3.1 rad/s in front before the bristles were left with what holds the wheel.
            assert!(locked[1] > 500 && locked[3] > 400, "{locked:?}");
            assert!(backward[..2].iter().all(|speed| *speed < 0.1), "{backward:?}");
            // At the rear the axle unwinds when its wheels lock, and they yield by as much as the hold does.
            assert!(backward[2..].iter().all(|speed| *speed < 1.0 * travel / 0.02), "{backward:?}");
            assert!(unwound.iter().all(|angle| *angle < travel), "{unwound:?}");
        }
    }
}

/// Distance between the extremes of a vehicle's place along the road after it has come to a stop with all wheels
/// locked, m.
fn rocking(vehicle: &mut Vehicle, [place, speed]: [&str; 2], torque: f64) -> f64 {
    for input in vehicle.model.inputs.clone() {
        if input.name.ends_with("brake_torque") {
            vehicle.set(&input.name, torque);
        }
    }
    vehicle.set("target_speed", 0.0);
    let start = vehicle.simulator.time();
    let mut k = 0;
    let mut step = |vehicle: &mut Vehicle| {
        k += 1;
        vehicle.advance(start + 5e-3 * f64::from(k));
    };
    while vehicle.get(speed) > 0.0 {
        step(vehicle);
        assert!(vehicle.simulator.time() < start + 10.0, "still {} m/s", vehicle.get(speed));
    }
    let mut ends = [vehicle.get(place); 2];
    for _ in 0..600 {
        step(vehicle);
        let x = vehicle.get(place);
        assert!(x.is_finite());
        ends = [ends[0].min(x), ends[1].max(x)];
    }
    ends[1] - ends[0]
}

#[test]
fn a_vehicle_that_stops_with_locked_wheels_rocks_by_less_than_a_decimetre() {
    let (van, truck) = (["chassis.position.x", "chassis.velocity.x"], ["tractor.x", "tractor.velocity.x"]);
    for (name, outputs, speed, torque) in
        [("van", van, 5.0, 10e3), ("van", van, 15.0, 10e3), ("truck", truck, 5.0, 40e3), ("truck", truck, 15.0, 40e3)]
    {
        let mut vehicle = Vehicle::new(&document(name, &text(name, "model.toml")), speed, 1e-3, &[]);
        vehicle.advance(0.5);
        let rocked = rocking(&mut vehicle, outputs, torque);
        println!("{name} from {speed} m/s with locked wheels: rocks by {:.1} cm", 100.0 * rocked);
        // 13 to 20 cm before the standing carcass had a limit; 1 to 3 cm are wanted. The van's 8 cm hold a pitch swing
        // of 0.05 rad.
        let most = if name == "van" { 0.09 } else { 0.05 };
        assert!(rocked < most, "{name}: {rocked}");
    }
}

/// Angle of a heavy disc with an eccentric mass that two brakes stop, at 0.1 s intervals for 2 s.
fn stopped_by_two(brakes: [(f64, f64); 2], integrator: Integrator) -> Vec<f64> {
    let mut text = String::from(
        r#"
        [model]
        name = "two_brakes"
        gravity = [0, 0, -9.81]
        step = 1e-3
        [[body]]
        name = "disc"
        mass = 2
        com = [0.05, 0, 0]
        inertia = [0.02, 0.03, 0.02, 0, 0, 0]
        [[joint]]
        name = "shaft"
        type = "revolute"
        bodies = ["ground", "disc"]
        point = [0, 0, 0]
        axis = [0, 1, 0]
        speed = 10
        "#,
    );
    for (k, (torque, presliding)) in brakes.iter().enumerate() {
        text += &format!(
            "[[brake]]\nname = \"b{k}\"\njoint = \"shaft\"\ntorque = {torque}\npresliding = {presliding}\ntime = 1e-2\n"
        );
    }
    let mut model = models::parse(&text, "two_brakes.toml").model;
    model.general.integrator = integrator;
    let mut simulator = Simulator::new(Arc::new(crate::verification::support::compile(&model)));
    simulator.initialize(0.0).unwrap();
    let angle = |k: i32| {
        simulator.advance(0.1 * f64::from(k)).unwrap();
        simulator.state().q[0]
    };
    (1..=20).map(angle).collect()
}

#[test]
fn the_order_of_two_brakes_on_one_coordinate_does_not_change_the_motion() {
    for integrator in [Integrator::Rk4, Integrator::GeneralizedAlpha] {
        let brakes = [(1.5, 0.02), (0.8, 0.004)];
        let one = stopped_by_two(brakes, integrator);
        let other = stopped_by_two([brakes[1], brakes[0]], integrator);
        let off = math::largest(one.iter().zip(&other).map(|(a, b)| a - b));
        let crept = math::largest(one[10..].iter().map(|angle| angle - one[19]));
        println!("{integrator:?}: orders differ by {off:.1e} rad, the disc stays within {crept:.1e} rad");
        assert!(off < 1e-9 && crept < 1e-3, "{one:?} {other:?}");
    }
}
