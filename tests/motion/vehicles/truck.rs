//! The tractor with semitrailer of the gallery: its size, how it stands, and its manoeuvres.

use crate::check::larger;
use crate::models;
use crate::verification::verification_page::figure_in;
use ballesta::analysis::modal::{self, Mode};
use ballesta::model::{self, Document};
use ballesta::simulate::Simulator;
use ballesta::system::System;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
/// Closure errors stay below this, m.
const CLOSED: f64 = 1e-9;
/// Without cargo: stacks of 0 kg, air springs let down to what is left.
const UNLOADED: &[(&str, f64)] =
    &[("cargo.stack_mass", 0.0), ("drive_axle.spring_load", 25700.0), ("trailer.spring_load", 7900.0)];
const WHEELS: [&str; 10] = [
    "axle1.left",
    "axle1.right",
    "axle2.left",
    "axle2.right",
    "axle3.left",
    "axle3.right",
    "axle4.left",
    "axle4.right",
    "axle5.left",
    "axle5.right",
];

fn folder() -> PathBuf {
    gallery("truck")
}

fn gallery(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)
}

fn load(name: &str) -> Document {
    models::load(gallery(name))
}

/// A model with other values of some parameters.
fn compile(document: &Document, set: &[(&str, f64)]) -> System {
    let value = |name: &str, value: f64| set.iter().find(|(n, _)| *n == name).map_or(value, |(_, v)| *v);
    let values: Vec<f64> = document.model.parameters.iter().map(|p| value(&p.name, p.value)).collect();
    models::compiled_with(document, &values)
}

/// A truck that is driven.
struct Truck {
    simulator: Simulator,
    outputs: HashMap<String, usize>,
    values: Vec<f64>,
}

impl Truck {
    /// The rigid truck, trimmed at a speed in m/s.
    fn new(speed: f64, set: &[(&str, f64)]) -> Truck {
        Truck::of(&load("truck"), speed, set)
    }

    /// A truck of the gallery, trimmed at a speed in m/s.
    fn of(document: &Document, speed: f64, set: &[(&str, f64)]) -> Truck {
        let set: Vec<(&str, f64)> = set.iter().copied().chain([("speed", speed)]).collect();
        let simulator = Simulator::new(Arc::new(compile(document, &set)));
        let names = simulator.system().interface().outputs.iter().enumerate();
        let outputs: HashMap<String, usize> = names.map(|(index, output)| (output.name.clone(), index)).collect();
        let values = vec![0.0; outputs.len()];
        let mut truck = Truck { simulator, outputs, values };
        let target = truck.input("target_speed");
        truck.simulator.set_input(target, speed);
        truck.simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
        truck.read();
        truck
    }

    fn input(&self, name: &str) -> usize {
        let inputs = &self.simulator.system().interface().inputs;
        inputs.iter().position(|input| input.name == name).unwrap_or_else(|| panic!("no input {name}"))
    }

    fn read(&mut self) {
        self.simulator.outputs(&mut self.values).expect("outputs");
    }

    fn get(&self, name: &str) -> f64 {
        self.values[*self.outputs.get(name).unwrap_or_else(|| panic!("no output {name}"))]
    }

    /// Sum of the wheel loads of an axle, N.
    fn axle(&self, axle: usize) -> f64 {
        self.get(&format!("axle{axle}.left.tyre.Fz")) + self.get(&format!("axle{axle}.right.tyre.Fz"))
    }
}

/// Drives a manoeuvre and gives the outputs `names` at every row of its file; loops stay closed, and the row of the
/// documentation, which the name of the manoeuvre begins, says how large lateral acceleration, articulation and load
/// get.
fn drive(manoeuvre: &str, set: &[(&str, f64)], names: &[&str]) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder().join(format!("manoeuvres/{manoeuvre}.csv"))).expect("the manoeuvre");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    let speed = rows[0][header.iter().position(|name| *name == "target_speed").expect("a speed")];
    let mut truck = Truck::new(speed, set);
    let inputs: Vec<usize> = header[1..].iter().map(|name| truck.input(name)).collect();
    let (mut history, mut sizes, mut lightest) = (Vec::new(), [0.0; 3], f64::INFINITY);
    for (row, next) in rows.iter().zip(&rows[1..]) {
        for (k, &input) in inputs.iter().enumerate() {
            truck.simulator.set_input(input, row[k + 1]);
            truck.simulator.set_input_derivative(input, (next[k + 1] - row[k + 1]) / (next[0] - row[0]));
        }
        truck.simulator.advance(next[0]).unwrap_or_else(|fault| panic!("{manoeuvre} at {}: {fault:?}", next[0]));
        truck.read();
        assert!(truck.get("gap") <= CLOSED, "{manoeuvre} at {}: gap {}", next[0], truck.get("gap"));
        let now = ["tractor.acceleration.y", "trailer.acceleration.y", "articulation.yaw"].map(|name| truck.get(name));
        sizes = [0, 1, 2].map(|k| larger(sizes[k], now[k].abs()));
        lightest = WHEELS.iter().fold(lightest, |a, wheel| a.min(truck.get(&format!("{wheel}.tyre.Fz"))));
        history.push(names.iter().map(|name| truck.get(name)).collect());
    }
    let [tractor, trailer, angle] = sizes;
    let cells = [
        format!("{tractor:.1}, {trailer:.1} m/s²"),
        format!("{:.1}°", angle.to_degrees()),
        format!("{:.1} kN", lightest / 1e3),
    ];
    let is_row = |cells: &[&str]| cells[0].replace(" a ", " ").starts_with(&manoeuvre.replace('_', " "));
    for (k, found) in cells.iter().enumerate() {
        figure_in("docs/vehicles/truck.md", "Manoeuvres", is_row, 2 + k, found);
    }
    history
}

/// Largest magnitude of a column.
fn largest(history: &[Vec<f64>], column: usize) -> f64 {
    history.iter().fold(0.0, |a, row| larger(a, row[column].abs()))
}

#[test]
fn the_truck_has_forty_degrees_of_freedom_besides_its_steering() {
    let document = load("truck");
    let system = compile(&document, &[]);
    let report = system.report();
    assert_eq!(report.dof, 40);
    assert_eq!((report.guided, report.redundant), (1, 0));
    // Frame, engine, cab with its lift, trailer with four stacks, five axles, two knuckles, pitman arm, ten wheels.
    assert_eq!(report.bodies, 1 + 1 + 2 + 5 + 5 + 2 + 1 + 10);
    // Two half leaves, tie rod, drag link; four rods at each of four axles.
    assert_eq!((report.rods, report.constraints), (20, 20));
    // Frame and axles float: five joints of the tree that hold nothing.
    assert_eq!(report.loops, 20 - 5);
    assert_eq!(document.model.published.expect("counts of the paper").dof, Some(40));
    // Front axle in one block, the others each in one of their own: heave and roll are left.
    assert_eq!(report.blocks.len(), 5);
    let free: Vec<usize> = report.blocks.iter().map(|block| block.independent.len()).collect();
    assert_eq!(free, [4, 2, 2, 2, 2]);
}

#[test]
fn sprung_masses_add_up_to_those_of_the_reference_set() {
    let model = load("truck").model;
    let number = |number: &model::schema::Number| match number {
        model::schema::Number::Value(value) => *value,
        model::schema::Number::Parameter(name) => {
            model.parameters.iter().find(|p| p.name == *name).expect("a parameter").value
        }
    };
    /// Bodies, mass, x and z of the centre of mass above the front axle of the set, moments of inertia.
    type Unit = (&'static [&'static str], f64, [f64; 2], [f64; 3]);
    let units: [Unit; 2] = [
        (&["frame", "engine", "cab"], 10000.0, [-2.0, 0.8 + 0.528], [3441.0, 28485.0, 29395.0]),
        (
            &["trailer", "cargo1", "cargo2", "cargo3", "cargo4"],
            20000.0,
            [-10.6, 2.0 + 0.528],
            [23904.0, 322240.0, 320011.0],
        ),
    ];
    for (names, mass, com, inertia) in units {
        let mut bodies = Vec::new();
        for body in model.bodies.iter().filter(|body| names.contains(&body.name.as_str())) {
            let model::schema::Place::At(place) = body.com.as_ref().expect("a centre of mass") else { panic!() };
            let own = body.inertia.as_ref().map_or([0.0; 3], |j| [number(&j[0]), number(&j[1]), number(&j[2])]);
            bodies.push((number(&body.mass), [number(&place[0]), number(&place[1]), number(&place[2])], own));
        }
        let total: f64 = bodies.iter().map(|(m, ..)| m).sum();
        assert!((total - mass).abs() < 1e-9);
        let centre: Vec<f64> = (0..3).map(|k| bodies.iter().map(|(m, c, _)| m * c[k]).sum::<f64>() / total).collect();
        assert!((centre[0] - com[0]).abs() < 1e-6 && centre[1].abs() < 1e-9 && (centre[2] - com[1]).abs() < 1e-6);
        for axis in 0..3 {
            let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
            let about = |(m, c, own): &(f64, [f64; 3], [f64; 3])| {
                own[axis] + m * ((c[a] - centre[a]).powi(2) + (c[b] - centre[b]).powi(2))
            };
            let sum: f64 = bodies.iter().map(about).sum();
            assert!((sum / inertia[axis] - 1.0).abs() < 1e-5, "{names:?}: {sum} {}", inertia[axis]);
        }
    }
}

#[test]
fn tyres_carry_the_weight_and_axles_what_the_lever_rule_says() {
    // Axles with wheels and rods: (mass, x).
    let front = 581.0 + 2.0 * (68.0 + 134.705 + 20.0) + 4.0 + 10.0;
    let drive = 717.0 + 2.0 * 254.705 + 56.0;
    let trailer = 500.0 + 2.0 * 114.005 + 56.0;
    for (set, cargo) in [(&[][..], 14000.0), (UNLOADED, 0.0)] {
        let truck = Truck::new(0.0, set);
        let weight = (10000.0 + 6000.0 + cargo + front + drive + 3.0 * trailer) * GRAVITY;
        let carried: f64 = (1..=5).map(|axle| truck.axle(axle)).sum();
        assert!((carried / weight - 1.0).abs() < 1e-9, "{carried} {weight}");
        // The trailer about the fifth wheel, then the tractor about its rear axle. The three axles of the trailer carry
        // alike but for its pitch: their sum acts near the middle one.
        let sprung = 6000.0 * (10.83333333 - 4.64) + cargo * (10.5 - 4.64);
        let axles = (sprung / (12.23 - 4.64) + 3.0 * trailer) * GRAVITY;
        let measured: f64 = (3..=5).map(|axle| truck.axle(axle)).sum();
        assert!((measured / axles - 1.0).abs() < 0.01, "trailer: {measured} {axles}");
        let kingpin = (6000.0 + cargo + 3.0 * trailer) * GRAVITY - measured;
        let steer = (10000.0 * GRAVITY * (4.78 - 2.0) + kingpin * (4.78 - 4.64)) / 4.78 + front * GRAVITY;
        assert!((truck.axle(1) / steer - 1.0).abs() < 0.005, "front: {} {steer}", truck.axle(1));
        // Legal: 8 t in front, 11.5 t on the driven axle, 24 t on three axles 1.31 m apart, a quarter of the weight
        // driven.
        assert!(truck.axle(1) < 8000.0 * GRAVITY && truck.axle(2) < 11500.0 * GRAVITY && measured < 24000.0 * GRAVITY);
        assert!(truck.axle(2) > 0.25 * weight);
    }
}

#[test]
fn the_truck_stands_where_it_was_trimmed() {
    let mut truck = Truck::new(0.0, &[]);
    let start = truck.simulator.state().q.clone();
    for i in 1..=20 {
        truck.simulator.advance(0.5 * f64::from(i)).expect("steps");
        let moved = truck.simulator.state().q.iter().zip(&start).fold(0.0f64, |a, (q, s)| larger(a, (q - s).abs()));
        assert!(moved < 1e-6, "{moved} after {} s", 0.5 * f64::from(i));
    }
}

/// The slalom has its second opinion in `paper`: the truck in the sizes of the paper drives it alike.
#[test]
fn in_a_slalom_all_wheels_stay_on_the_road() {
    let loads = WHEELS.map(|wheel| format!("{wheel}.tyre.Fz"));
    let history = drive("slalom", &[], &loads.each_ref().map(String::as_str));
    for (k, name) in loads.iter().enumerate() {
        assert!(history.iter().all(|row| row[k] > 0.0), "{name} leaves the road");
    }
}

/// From the angle of the front wheels to the acceleration, each link by a formula of its own.
#[test]
fn a_step_steer_ends_in_a_steady_turn_with_the_trailer_on_the_track_of_the_tractor() {
    let mut names: Vec<String> = Vec::new();
    for unit in ["tractor", "trailer"] {
        names.extend(["acceleration.y", "angular_velocity.z", "velocity.x"].map(|output| format!("{unit}.{output}")));
    }
    names.extend(["left", "right"].map(|side| format!("axle1.{side}.steer_angle")));
    let outputs = ["tyre.Fy", "tyre.Fz", "tyre.slip_angle"];
    names.extend(WHEELS.iter().flat_map(|wheel| outputs.map(|output| format!("{wheel}.{output}"))));
    let history = drive("step_steer", &[], &names.iter().map(String::as_str).collect::<Vec<_>>());
    // The mean of the last period of the trailer's yaw, 1/0.37 Hz, which has not died out.
    let rows = &history[history.len() - 270..];
    let mean = |name: &str| {
        let column = names.iter().position(|other| other == name).expect("an output");
        rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64
    };
    let near = |what: &str, found: f64, expected: f64, tolerance: f64| {
        println!("step steer, {what}: {found:.4}, expected {expected:.4}");
        assert!((found / expected - 1.0).abs() < tolerance, "{what}: {found} {expected}");
    };
    // On a circle a = ω v. What is left of the swinging is 1 % of the trailer's.
    let of = |unit: &str| ["acceleration.y", "angular_velocity.z", "velocity.x"].map(|o| mean(&format!("{unit}.{o}")));
    let (tractor, trailer) = (of("tractor"), of("trailer"));
    near("acceleration of the tractor", tractor[0], tractor[1] * tractor[2], 0.005);
    near("acceleration of the trailer", trailer[0], trailer[1] * trailer[2], 0.02);
    near("yaw rate of the trailer", trailer[1], tractor[1], 0.02);
    // All side forces hold the whole mass on the circle.
    let all = |output: &str| WHEELS.iter().map(|wheel| mean(&format!("{wheel}.tyre.{output}"))).sum::<f64>();
    near("side forces", all("Fy") / (all("Fz") / GRAVITY), 0.5 * (tractor[0] + trailer[0]), 0.005);
    // Bicycle: L / R = δ + α₁ − α₂; rolling with the tractor, rigid axles on rods steer by some 1e-4 rad more or less.
    let slip = |axle: usize| {
        0.5 * ["left", "right"].map(|s| mean(&format!("axle{axle}.{s}.tyre.slip_angle"))).iter().sum::<f64>()
    };
    let steer = 0.5 * (mean("axle1.left.steer_angle") - mean("axle1.right.steer_angle"));
    near("curvature", 4.78 * tractor[1] / tractor[2], steer + slip(1) - slip(2), 0.03);
    // Cornering stiffness of the .tir file, PKY1 FNOMIN sin(2 atan(Fz / (PKY2 FNOMIN))); at 2° the curve is 3 % below
    // its tangent, and camber takes less.
    for (wheel, tyres) in [("axle1.left", 1.0), ("axle1.right", 1.0), ("axle2.left", 2.0), ("axle2.right", 2.0)] {
        let [side, load, slip] = outputs.map(|output| mean(&format!("{wheel}.{output}")));
        let stiffness = tyres * 9.5 * 33000.0 * (2.0 * (load / tyres / (3.0 * 33000.0)).atan()).sin();
        near(wheel, side, -0.97 * stiffness * slip, 0.01);
    }
}

/// Of a vehicle that answers linearly the way to the side of a period of a sine A sin(2π t / T) at the steering wheel
/// is G A T² / 2π, whatever its dynamics: G is its lateral acceleration in a steady turn, per angle of the wheel.
#[test]
fn a_double_lane_change_goes_as_far_as_a_steady_turn_says_and_returns_to_its_lane() {
    let (angle, amplitude, period) = (0.1, 0.33, 4.0);
    let mut turning = Truck::new(19.4, &[]);
    let wheel = turning.input("axle1.steering_wheel.angle");
    turning.simulator.set_input(wheel, angle);
    turning.simulator.advance(15.0).expect("steps");
    turning.read();
    let gain = turning.get("tractor.angular_velocity.z") * turning.get("tractor.velocity.x") / angle;
    let expected = gain * amplitude * period * period / std::f64::consts::TAU;
    let history = drive("double_lane_change", &[], &["tractor.y", "trailer.y"]);
    for column in [0, 1] {
        // Before the way back, 1.5 s after the sine: tyres have lost 2 % of their stiffness in between.
        let (offset, end) = (history[648][column], history[history.len() - 1][column]);
        println!("lane change: {offset:.3} m, expected {expected:.3}; at the end {end:.3}");
        assert!((offset / expected - 1.0).abs() < 0.025, "{offset} {expected}");
        // The same on the way back, and what is left of the heading over the last 70 m.
        assert!(end.abs() < 0.3, "{end}");
    }
}

#[test]
fn braking_in_a_turn_slows_the_truck_down_as_its_brakes_say_without_jackknifing() {
    let history = drive(
        "braking_in_turn",
        &[],
        &["tractor.velocity.x", "articulation.yaw", "tractor.angles.yaw", "tractor.acceleration.x"],
    );
    // Per axle: brake torque of a wheel (3 m/s² of write.py), height of the centre, moment of inertia of a wheel.
    let trailer = (3.0 * 1550.0, 0.5092, 17.02952);
    let axles = [(3.0 * 1800.0, 0.5266, 21.67072), (3.0 * 2500.0, 0.5373, 43.66792), trailer, trailer, trailer];
    let front = 581.0 + 2.0 * (68.0 + 134.705 + 20.0) + 4.0 + 10.0;
    let mass = 30000.0 + front + 717.0 + 2.0 * 254.705 + 56.0 + 3.0 * (500.0 + 2.0 * 114.005 + 56.0);
    let brakes: f64 = axles.iter().map(|(torque, radius, _)| 2.0 * torque / radius).sum();
    let inertia: f64 = axles.iter().map(|(_, radius, inertia)| 2.0 * inertia / (radius * radius)).sum();
    // The driver brakes with 4000 N m of the engine, tyres roll with 0.007 of their load, the air at 10 m/s takes 1 %.
    let expected = (brakes + 4000.0 / 0.5373 + 0.007 * mass * GRAVITY) / (mass + inertia);
    let braking = -history[450..700].iter().map(|row| row[3]).sum::<f64>() / 250.0;
    println!("braking in a turn: {braking:.3} m/s², expected {expected:.3}");
    // Side forces of 1.5 m/s² at wheels that are steered by 0.03 rad are 1 % of it.
    assert!((braking / expected - 1.0).abs() < 0.015, "{braking} {expected}");
    // The driver holds the speed until then; the brakes take 0.4 s to come.
    let (before, end) = (history[390][0], history.last().expect("rows"));
    assert!((before - 16.7).abs() < 0.05, "{before}");
    let speed = before - expected * (8.0 - 4.2);
    assert!((end[0] - speed).abs() < 0.2, "{} {speed}", end[0]);
    // Stretched: the angle never gets larger than in the turn before, and dies out with the side force.
    let turning = largest(&history[..400], 1);
    assert!(largest(&history, 1) < 1.01 * turning && end[1].abs() < 0.7 * turning && end[2] > 0.3, "{turning} {end:?}");
}

#[test]
fn after_a_push_at_the_steering_wheel_the_unloaded_trailer_swings_for_long() {
    let history = drive("tank_slapper", UNLOADED, &["trailer.angular_velocity.z"]);
    let rate: Vec<f64> = history.iter().map(|row| row[0]).collect();
    // Extremes of the yaw rate, one per half period.
    let mut extremes: Vec<f64> = Vec::new();
    for k in 300..rate.len() - 1 {
        if (rate[k] - rate[k - 1]) * (rate[k + 1] - rate[k]) < 0.0 {
            extremes.push(rate[k].abs());
        }
    }
    assert!(extremes.len() >= 5, "{extremes:?}");
    let decrement = (extremes[0] / extremes[4]).ln() / 4.0;
    let damping = decrement / decrement.hypot(std::f64::consts::PI);
    let linear = Truck::new(36.1, UNLOADED).simulator.linearize().expect("a linear model");
    let modes = modal::modes(&linear).expect("modes").modes;
    // The only mode so slow that hardly is damped.
    let slow = |mode: &&Mode| mode.oscillates() && mode.frequency_hz() < 1.0 && mode.damping() < 0.5;
    let found: Vec<&Mode> = modes.iter().filter(slow).collect();
    let [mode] = found[..] else { panic!("{found:?}") };
    println!("damping ratio {damping:.4}, of the linear model {:.4}; extremes {extremes:?}", mode.damping());
    // Five extremes of 10 ms resolution, each found to 1e-4, and tyres that are 1 % softer at the first ones.
    assert!((damping / mode.damping() - 1.0).abs() < 0.03, "{damping}");
}

/// Loads of all wheels, N, every 10 ms of 10 s over diagonal bumps, and the degrees of freedom; loops stay closed.
fn over_bumps(document: &Document) -> (usize, Vec<[f64; 10]>) {
    let set = [("speed", 10.0), ("bumps.left", 20.0), ("bumps.right", 24.78)];
    let mut truck = Truck::of(document, 10.0, &set);
    let mut loads = Vec::new();
    for i in 1..=1000 {
        truck.simulator.advance(0.01 * f64::from(i)).expect("steps");
        truck.read();
        assert!(truck.get("gap") <= CLOSED);
        loads.push(WHEELS.map(|wheel| truck.get(&format!("{wheel}.tyre.Fz"))));
    }
    (truck.simulator.system().report().dof, loads)
}

/// The documentation has the loads. What the frame changes is what it yields: ever stiffer, it yields in proportion
/// less.
#[test]
fn a_flexible_frame_twists_over_diagonal_bumps_and_changes_the_loads_in_proportion_to_what_it_yields() {
    let (dof, rigid) = over_bumps(&load("truck"));
    let frame = load("truck/flexible.toml");
    let (flexible_dof, flexible) = over_bumps(&frame);
    assert_eq!((dof, flexible_dof), (40, 48));
    let difference = |loads: &[[f64; 10]], wheels: std::ops::Range<usize>| {
        let of = |wheel: usize| rigid.iter().zip(loads).map(move |(a, b)| (a[wheel] - b[wheel]).powi(2));
        (wheels.clone().flat_map(of).sum::<f64>() / (wheels.len() * loads.len()) as f64).sqrt()
    };
    let end = |loads: &[[f64; 10]], wheel: usize, worse: fn(f64, f64) -> f64| {
        loads.iter().map(|row| row[wheel]).reduce(worse).expect("loads") / 1e3
    };
    for (row, wheels) in [("front", 0..2), ("drive", 2..4), ("trailer", 4..10)] {
        let of = |wheel, worse| format!("{:.1}, {:.1}", end(&rigid, wheel, worse), end(&flexible, wheel, worse));
        let range = |worse| [of(wheels.start, worse), of(wheels.start + 1, worse)].join("; ");
        let cells = [range(larger), range(f64::min), format!("{:.2}", difference(&flexible, wheels.clone()) / 1e3)];
        // Of the six wheels of the trailer the page has the difference only.
        for (k, found) in cells.iter().enumerate().skip(if row == "trailer" { 2 } else { 0 }) {
            let is_row = |cells: &[&str]| cells[0].starts_with(row);
            figure_in("docs/vehicles/truck.md", "With a flexible frame", is_row, 1 + k, found);
        }
    }
    // So stiff that its torsion, else at 4.6 Hz, is well above what axles at 14 Hz do; 2 % are left of that.
    let stiffer = [100.0, 300.0].map(|factor: f64| {
        let mut frame = frame.clone();
        for rom in &mut frame.roms {
            rom.matrices.stiffness.iter_mut().for_each(|k| *k *= factor);
            rom.matrices.damping.iter_mut().for_each(|c| *c *= factor.sqrt());
        }
        difference(&over_bumps(&frame).1, 2..4)
    });
    println!("drive axle, r.m.s.: {:.0} N, stiffer {stiffer:.0?} N", difference(&flexible, 2..4));
    assert!((stiffer[0] / stiffer[1] / 3.0 - 1.0).abs() < 0.05, "{stiffer:?}");
}
