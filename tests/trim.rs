//! Trim of vehicles on tyres: at rest on a road, and at speed.

#[allow(dead_code)]
#[path = "../src/math/check.rs"]
mod check;

use ballesta::dynamics::equilibrium::Equilibrium;
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::system::System;
use check::larger;
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

/// One corner of a rigid car with a wheel on a sprung hub.
fn corner(name: &str, x: f64, y: f64, side: &str) -> String {
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
inertia = [0.5, 0.9, 0.5, 0, 0, 0]
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
axis = [0, 1, 0]
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
"#
    )
}

/// A car with two axles: wheelbase 2.6 m, centre of mass 1.1 m behind the front axle, `lift` above its design height.
fn car(speed: f64, lift: f64, road: &str) -> String {
    let corners =
        [("fl", 1.1, 0.7, "left"), ("fr", 1.1, -0.7, "right"), ("rl", -1.5, 0.7, "left"), ("rr", -1.5, -0.7, "right")];
    let corners: String = corners.iter().map(|(name, x, y, side)| corner(name, *x, *y, side)).collect();
    format!(
        r#"
[model]
name = "car"
gravity = [0, 0, -9.81]
step = 1e-3
[[parameter]]
name = "v0"
value = {speed}
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
    let document = model::parse(text, "tests/tyres/trim.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let system = System::compile(&document, &document.model.parameter_values());
    let mut simulator = Simulator::new(Arc::new(system.unwrap_or_else(|diagnostics| panic!("{diagnostics}"))));
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
        car(speed, 0.0, "")
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
