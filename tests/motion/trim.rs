//! Trim of vehicles on tyres: at rest on a road, and at speed.

use crate::check::larger;
use crate::models;
use ballesta::analysis::equilibrium::Equilibrium;
use ballesta::simulate::Simulator;
use std::sync::Arc;

const GRAVITY: f64 = 9.81;

/// A quarter of a car: a sprung mass that goes up and down, a wheel below it.
const QUARTER: &str = r#"
[model]
name = "quarter"
gravity = [0, 0, -9.81]
step = 1e-3
[[road]]
name = "road"
[[body]]
name = "car"
mass = 350
com = [0, 0, 0.8]
inertia = [1, 1, 1, 0, 0, 0]
[[body]]
name = "wheel"
mass = 30
com = [0, 0, 0.3]
inertia = [0.5, 0.9, 0.5, 0, 0, 0]
[[joint]]
name = "travel"
type = "prismatic"
bodies = ["ground", "car"]
axis = [0, 0, 1]
[[body]]
name = "hub"
mass = 10
com = [0, 0, 0.3]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joint]]
name = "suspension"
type = "prismatic"
bodies = ["car", "hub"]
axis = [0, 0, 1]
[[joint]]
name = "spin"
type = "revolute"
bodies = ["hub", "wheel"]
point = [0, 0, 0.3]
axis = [0, 1, 0]
[[joint_spring]]
name = "spring"
joint = "suspension"
stiffness = 20000
damping = 1500
[[tyre]]
name = "tyre"
joint = "spin"
side = "left"
file = "mf_185_80R14.tir"
"#;

/// One corner of a rigid car with a braked wheel, turned by `steer` rad, on a sprung hub.
fn corner(name: &str, x: f64, y: f64, side: &str, steer: f64) -> String {
    let axis = [-steer.sin(), steer.cos()];
    format!(
        r#"
[[body]]
name = "{name}_hub"
mass = 12
com = [{x}, {y}, 0.3]
inertia = [0.2, 0.2, 0.2, 0, 0, 0]
[[body]]
name = "{name}_wheel"
mass = 18
com = [{x}, {y}, 0.3]
inertia = [0.9, 0.9, 0.9, 0, 0, 0]
[[joint]]
name = "{name}_travel"
type = "prismatic"
bodies = ["car", "{name}_hub"]
axis = [0, 0, 1]
[[joint]]
name = "{name}_spin"
type = "revolute"
bodies = ["{name}_hub", "{name}_wheel"]
point = [{x}, {y}, 0.3]
axis = [{}, {}, 0]
[[brake]]
name = "{name}_brake"
joint = "{name}_spin"
torque = "brake"
[[joint_spring]]
name = "{name}_spring"
joint = "{name}_travel"
stiffness = 25000
damping = 2000
[[tyre]]
name = "{name}_tyre"
joint = "{name}_spin"
side = "{side}"
file = "mf_185_80R14.tir"
[[output]]
name = "{name}.F"
tyre = "{name}_tyre"
quantity = "force"
"#,
        axis[0], axis[1]
    )
}

/// A car with two axles: wheelbase 2.6 m, centre of mass 1.1 m behind the front axle, `lift` above its design height.
fn car(speed: f64, lift: f64, road: &str) -> String {
    steered_car(speed, lift, road, 0.0, 0.0)
}

/// The same with the front wheels turned by `steer` rad and every brake held with `brake` N m.
fn steered_car(speed: f64, lift: f64, road: &str, steer: f64, brake: f64) -> String {
    let corners =
        [("fl", 1.1, 0.7, "left"), ("fr", 1.1, -0.7, "right"), ("rl", -1.5, 0.7, "left"), ("rr", -1.5, -0.7, "right")];
    let corners =
        corners.iter().map(|(name, x, y, side)| corner(name, *x, *y, side, if *x > 0.0 { steer } else { 0.0 }));
    let corners: String = corners.collect();
    format!(
        r#"
[model]
name = "car"
gravity = [0, 0, -9.81]
step = 1e-3
[[parameter]]
name = "v0"
value = {speed}
[[parameter]]
name = "brake"
value = {brake}
[[road]]
name = "road"
{road}
[[body]]
name = "car"
mass = 1200
com = [0, 0, 0.6]
inertia = [400, 1600, 1800, 0, 0, 0]
[[joint]]
name = "chassis"
type = "floating"
bodies = ["ground", "car"]
position = [0, 0, {lift}, 1, 0, 0, 0]
speed = ["v0", 0, 0, 0, 0, 0]
{corners}
"#
    )
}

fn simulator(text: &str) -> Simulator {
    let document = models::parse(text, "tests/tyres/trim.toml");
    let mut simulator = Simulator::new(Arc::new(models::compiled(&document)));
    simulator.initialize(0.0).expect("assembled");
    simulator
}

fn trimmed(text: &str) -> (Simulator, Equilibrium) {
    let mut simulator = simulator(text);
    let found = simulator.trim().unwrap_or_else(|error| panic!("{error}"));
    println!("{} iterations, {:?}", found.iterations, found.driving);
    (simulator, found)
}

/// Largest difference of the positions `which` (all where it is empty) from those at the start, over a time in s.
fn drift(simulator: &mut Simulator, which: &[usize], time: f64) -> f64 {
    let start = simulator.state().q.clone();
    let all: Vec<usize> = (0..start.len()).collect();
    let which = if which.is_empty() { &all } else { which };
    let mut largest = 0.0f64;
    for i in 1..=100 {
        simulator.advance(time * f64::from(i) / 100.0).expect("steps");
        largest = which.iter().fold(largest, |a, &k| larger(a, (simulator.state().q[k] - start[k]).abs()));
    }
    largest
}

fn loads(simulator: &mut Simulator) -> Vec<f64> {
    let mut out = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.outputs(&mut out).expect("outputs");
    (0..4).map(|tyre| out[3 * tyre + 2]).collect()
}

#[test]
fn a_quarter_car_carries_its_weight_and_stays_where_it_is() {
    let (mut simulator, found) = trimmed(QUARTER);
    assert!(found.driving.expect("tyres").acceleration <= 1e-9);
    assert!(drift(&mut simulator, &[], 10.0) < 1e-6);
}

#[test]
fn a_car_at_rest_divides_its_weight_by_the_lever_rule_and_does_not_move() {
    for lift in [0.0, 0.5, -0.2] {
        let (mut simulator, _) = trimmed(&car(0.0, lift, ""));
        let loads = loads(&mut simulator);
        let (body, corner) = (1200.0 * GRAVITY, 30.0 * GRAVITY);
        let (front, rear) = (body * 1.5 / 2.6 / 2.0 + corner, body * 1.1 / 2.6 / 2.0 + corner);
        println!("{loads:?} {front} {rear}");
        assert!((loads.iter().sum::<f64>() - body - 4.0 * corner).abs() < 1e-9 * body);
        // The pitch angle moves the levers a little.
        assert!((loads[0] / front - 1.0).abs() < 5e-3 && (loads[3] / rear - 1.0).abs() < 5e-3);
        let drift = drift(&mut simulator, &[], 10.0);
        assert!(drift < 1e-6, "{drift}");
    }
}

#[test]
fn a_car_at_speed_keeps_its_attitude() {
    let (mut simulator, found) = trimmed(&car(20.0, 0.0, ""));
    let driving = found.driving.expect("tyres");
    assert_eq!(driving.speed, 20.0);
    assert!(driving.acceleration <= 1e-9 && driving.held > 0.0 && driving.held < 1000.0, "{driving:?}");
    // Rolling resistance slows it down: attitude and height stay for a while.
    let drift = drift(&mut simulator, &[2, 4, 5, 6], 0.1);
    println!("{drift}");
    assert!(drift < 1e-4, "{drift}");
}

/// The car with all wheels driven by a control that holds `target` m/s.
fn driven_car(speed: f64, target: f64, experiment: &str) -> String {
    driven(&car(speed, 0.0, ""), target, experiment)
}

fn driven(car: &str, target: f64, experiment: &str) -> String {
    format!(
        r#"{}
[experiment]
{experiment}
[[speed_control]]
name = "driver"
body = "car"
point = [0, 0, 0.6]
target = {target}
proportional = 400
integral = 100
drives = [{{ joint = "rl_spin" }}, {{ joint = "rr_spin" }}]
"#,
        car
    )
}

#[test]
fn a_driven_car_keeps_speed_and_attitude() {
    let (mut simulator, found) = trimmed(&driven_car(20.0, 20.0, ""));
    let driving = found.driving.expect("tyres");
    // The control measures along the car's own axis, which is pitched by 0.016 rad.
    assert!(driving.held == 0.0 && (driving.speed - 20.0).abs() < 5e-3, "{driving:?}");
    let start = simulator.state().v.clone();
    // Height and attitude.
    let drift = drift(&mut simulator, &[2, 4, 5, 6], 10.0);
    let slower = simulator.state().v.iter().zip(&start).map(|(a, b)| (a - b).abs()).fold(0.0, larger);
    println!("{drift} {slower}");
    assert!(drift < 1e-6 && slower < 1e-6, "{drift} {slower}");
}

#[test]
fn a_model_may_ask_for_a_trimmed_start() {
    let (asked, _) = trimmed(&driven_car(15.0, 15.0, ""));
    let itself = simulator(&driven_car(15.0, 15.0, "trim = true"));
    assert_eq!(asked.state().q, itself.state().q);
    assert_eq!(asked.state().v, itself.state().v);
}

#[test]
fn a_car_on_a_slope_without_brakes_is_refused_with_the_coordinate() {
    let mut simulator = simulator(&car(0.0, 0.0, "slope = 0.1"));
    let error = simulator.trim().expect_err("it rolls").to_string();
    println!("{error}");
    assert!(error.contains("chassis") || error.contains("spin"), "{error}");
}

/// Largest change of the velocities of the chassis in its own axes (forward, left, up, roll, pitch, yaw) over a time in
/// s.
fn unsteadiness(simulator: &mut Simulator, time: f64) -> f64 {
    let own = |simulator: &Simulator| {
        let (q, v) = (&simulator.state().q, &simulator.state().v);
        let attitude = ballesta::math::rotation::matrix(&[q[3], q[4], q[5], q[6]]);
        let linear = attitude.transpose() * ballesta::math::Vec3::new(v[0], v[1], v[2]);
        [linear.x, linear.y, linear.z, v[3], v[4], v[5]]
    };
    let start = own(simulator);
    let mut largest = 0.0;
    for i in 1..=50 {
        simulator.advance(time * f64::from(i) / 50.0).expect("steps");
        for (now, before) in own(simulator).iter().zip(start) {
            assert!(now.is_finite());
            largest = larger(largest, (now - before).abs());
        }
    }
    largest
}

#[test]
fn a_car_climbs_and_descends_slopes_steadily_at_any_speed() {
    for slope in [-0.3, -0.15, 0.05, 0.3] {
        for speed in [0.5, 5.0, 30.0] {
            let road = format!("slope = {slope}");
            let (mut simulator, found) = trimmed(&driven(&car(speed, 0.0, &road), speed, ""));
            let driving = found.driving.expect("tyres");
            // The weight of 1320 kg along the road, on a loaded radius of 0.358 m.
            let weight = 1320.0 * GRAVITY * slope / (1.0f64 + slope * slope).sqrt();
            let torque = driving.torque.expect("a driver");
            assert!(
                (torque - 0.358 * weight).abs() < 0.05 * (0.358 * weight).abs() + 100.0,
                "{slope} {speed}: {torque}"
            );
            assert!((driving.speed - speed).abs() < 1e-2 * speed && driving.target.is_none(), "{driving:?}");
            let change = unsteadiness(&mut simulator, 5.0);
            assert!(change < 1e-6, "{slope} at {speed} m/s: {change}");
        }
    }
}

#[test]
fn a_car_goes_along_a_bank_without_vibrations() {
    for bank in [-0.15, 0.05, 0.15] {
        let road = format!("bank = {bank}");
        let (mut simulator, found) = trimmed(&driven(&car(20.0, 0.0, &road), 20.0, ""));
        let driving = found.driving.expect("tyres");
        // Its wheels are straight: it turns slowly and with it the weight, which is said.
        assert!(driving.turning.abs() < 0.1 && driving.weight_turns == (driving.turning.abs() > 1e-9), "{driving:?}");
        let change = unsteadiness(&mut simulator, 0.2);
        assert!(change < 2e-3, "{bank}: {change}");
    }
}

#[test]
fn a_braked_car_stands_on_slopes_and_banks_and_does_not_move() {
    for (slope, bank) in [(0.3, 0.0), (-0.3, 0.0), (0.0, 0.15), (0.3, -0.15), (0.1, 0.15)] {
        let road = format!("slope = {slope}\nbank = {bank}");
        let (mut simulator, found) = trimmed(&steered_car(0.0, 0.0, &road, 0.0, 3000.0));
        assert!(found.driving.expect("tyres").acceleration <= 1e-9);
        let loads: f64 = loads(&mut simulator).iter().sum();
        let weight = 1320.0 * GRAVITY / (1.0f64 + slope * slope + bank * bank).sqrt();
        assert!((loads / weight - 1.0).abs() < 1e-6, "{loads} {weight}");
        let drift = drift(&mut simulator, &[], 10.0);
        assert!(drift < 1e-6, "slope {slope}, bank {bank}: {drift}");
    }
}

#[test]
fn a_car_with_its_wheels_turned_goes_round_in_a_steady_circle() {
    for (steer, speed) in [(0.02, 20.0), (-0.05, 10.0), (0.3, 2.0), (0.03, 15.0)] {
        let (mut simulator, found) = trimmed(&driven(&steered_car(speed, 0.0, "", steer, 0.0), speed, ""));
        let driving = found.driving.expect("tyres");
        assert!(!driving.weight_turns && driving.turning * steer > 0.0, "{driving:?}");
        // Without slip the yaw rate is V tan δ / L; slip angles change it by their gradient.
        let geometric = speed * steer.tan() / 2.6;
        let ratio = driving.turning / geometric;
        assert!(ratio > 0.4 && ratio < 1.6, "{steer} at {speed} m/s: {ratio}");
        let change = unsteadiness(&mut simulator, 5.0);
        assert!(change < 1e-6, "{steer} at {speed} m/s: {change}");
    }
}

#[test]
fn a_run_starts_at_the_speed_of_the_start_and_what_the_driver_wants_is_told() {
    let (mut simulator, found) = trimmed(&driven_car(10.0, 12.0, ""));
    let driving = found.driving.expect("tyres");
    assert!((driving.speed - 10.0).abs() < 5e-3 && driving.target == Some(12.0), "{driving:?}");
    // Then the driver goes there, smoothly.
    let speed = simulator.state().v[0];
    simulator.advance(0.01).expect("steps");
    assert!((simulator.state().v[0] - speed).abs() < 1e-3);
    simulator.advance(60.0).expect("steps");
    assert!((simulator.state().v[0] - 12.0).abs() < 0.05, "{}", simulator.state().v[0]);

    // From a stand, too.
    let (mut simulator, found) = trimmed(&driven_car(0.0, 5.0, ""));
    assert_eq!(found.driving.expect("tyres").target, Some(5.0));
    simulator.advance(0.01).expect("steps");
    assert!(simulator.state().v[0].abs() < 1e-2);
    simulator.advance(60.0).expect("steps");
    assert!((simulator.state().v[0] - 5.0).abs() < 0.05, "{}", simulator.state().v[0]);
}

#[test]
fn without_a_steady_motion_the_message_names_the_cause_and_the_unit() {
    let fails = |text: &str| simulator(text).trim().expect_err("no steady motion").to_string();
    let weak =
        driven(&car(20.0, 0.0, "slope = 0.3"), 20.0, "").replace("integral = 100", "integral = 100\nmax_torque = 500");
    let weak = fails(&weak);
    println!("{weak}");
    assert!(weak.contains("`driver`") && weak.contains("500 N m"), "{weak}");
    let fast = fails(&driven(&steered_car(30.0, 0.0, "", 0.3, 0.0), 30.0, ""));
    println!("{fast}");
    assert!(fast.contains("no steady driving at 30") && fast.contains(" N"), "{fast}");
    let rolling = fails(&steered_car(0.0, 0.0, "slope = 0.1", 0.0, 0.0));
    println!("{rolling}");
    assert!(rolling.contains("on a slope of 10.0 %") && rolling.contains("0 N m"), "{rolling}");
    let slipping = fails(&steered_car(0.0, 0.0, "slope = 0.3", 0.0, 100.0));
    println!("{slipping}");
    assert!(slipping.contains("400 N m in total"), "{slipping}");
}
