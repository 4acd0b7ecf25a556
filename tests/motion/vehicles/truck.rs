//! The tractor with semitrailer of the gallery: its size, how it stands, and its manoeuvres.

use crate::check::larger;
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

/// A model of the gallery, with other values of some parameters.
fn compile(name: &str, set: &[(&str, f64)]) -> (Document, System) {
    let document = model::load(&gallery(name)).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let value = |name: &str, value: f64| set.iter().find(|(n, _)| *n == name).map_or(value, |(_, v)| *v);
    let values: Vec<f64> = document.model.parameters.iter().map(|p| value(&p.name, p.value)).collect();
    let system = System::compile(&document, &values).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    (document, system)
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
        Truck::of("truck", speed, set)
    }

    /// A truck of the gallery, trimmed at a speed in m/s.
    fn of(name: &str, speed: f64, set: &[(&str, f64)]) -> Truck {
        let set: Vec<(&str, f64)> = set.iter().copied().chain([("speed", speed)]).collect();
        let simulator = Simulator::new(Arc::new(compile(name, &set).1));
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

/// Drives a manoeuvre and gives the outputs `names` at every row of its file; loops stay closed.
fn drive(manoeuvre: &str, set: &[(&str, f64)], names: &[&str]) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder().join(format!("manoeuvres/{manoeuvre}.csv"))).expect("the manoeuvre");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    let speed = rows[0][header.iter().position(|name| *name == "target_speed").expect("a speed")];
    let mut truck = Truck::new(speed, set);
    let inputs: Vec<usize> = header[1..].iter().map(|name| truck.input(name)).collect();
    let mut history = Vec::new();
    for (row, next) in rows.iter().zip(&rows[1..]) {
        for (k, &input) in inputs.iter().enumerate() {
            truck.simulator.set_input(input, row[k + 1]);
            truck.simulator.set_input_derivative(input, (next[k + 1] - row[k + 1]) / (next[0] - row[0]));
        }
        truck.simulator.advance(next[0]).unwrap_or_else(|fault| panic!("{manoeuvre} at {}: {fault:?}", next[0]));
        truck.read();
        assert!(truck.get("gap") <= CLOSED, "{manoeuvre} at {}: gap {}", next[0], truck.get("gap"));
        history.push(names.iter().map(|name| truck.get(name)).collect());
    }
    history
}

/// Largest magnitude of a column.
fn largest(history: &[Vec<f64>], column: usize) -> f64 {
    history.iter().fold(0.0, |a, row| larger(a, row[column].abs()))
}

#[test]
fn the_truck_has_forty_degrees_of_freedom_besides_its_steering() {
    let (document, system) = compile("truck", &[]);
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
    let model = compile("truck", &[]).0.model;
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
        // The trailer about the fifth wheel, then the tractor about its rear axle. The three axles of the trailer carry alike
        // but for its pitch: their sum acts near the middle one.
        let sprung = 6000.0 * (10.83333333 - 4.64) + cargo * (10.5 - 4.64);
        let axles = (sprung / (12.23 - 4.64) + 3.0 * trailer) * GRAVITY;
        let measured: f64 = (3..=5).map(|axle| truck.axle(axle)).sum();
        assert!((measured / axles - 1.0).abs() < 0.01, "trailer: {measured} {axles}");
        let kingpin = (6000.0 + cargo + 3.0 * trailer) * GRAVITY - measured;
        let steer = (10000.0 * GRAVITY * (4.78 - 2.0) + kingpin * (4.78 - 4.64)) / 4.78 + front * GRAVITY;
        assert!((truck.axle(1) / steer - 1.0).abs() < 0.005, "front: {} {steer}", truck.axle(1));
        // Legal: 8 t in front, 11.5 t on the driven axle, 24 t on three axles 1.31 m apart, a quarter of the weight driven.
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

#[test]
fn in_a_slalom_all_wheels_stay_on_the_road_and_the_trailer_swings_more_than_the_tractor() {
    let loads = WHEELS.map(|wheel| format!("{wheel}.tyre.Fz"));
    let mut names = vec!["tractor.acceleration.y", "trailer.acceleration.y", "articulation.yaw"];
    names.extend(loads.iter().map(String::as_str));
    let history = drive("slalom", &[], &names);
    let (tractor, trailer) = (largest(&history, 0), largest(&history, 1));
    assert!((1.0..2.5).contains(&tractor) && (1.0..2.5).contains(&trailer), "{tractor} {trailer}");
    assert!((0.01..0.2).contains(&largest(&history, 2)));
    for (k, name) in loads.iter().enumerate() {
        assert!(history.iter().all(|row| row[3 + k] > 0.0), "{name} leaves the road");
    }
}

#[test]
fn a_step_steer_ends_in_a_steady_turn_with_the_trailer_on_the_track_of_the_tractor() {
    let names = [
        "tractor.acceleration.y",
        "trailer.acceleration.y",
        "tractor.angular_velocity.z",
        "trailer.angular_velocity.z",
    ];
    let history = drive("step_steer", &[], &names);
    let end = history.last().expect("rows");
    assert!((1.0..2.5).contains(&end[0]), "{end:?}");
    assert!((end[1] / end[0] - 1.0).abs() < 0.1 && (end[3] / end[2] - 1.0).abs() < 0.1, "{end:?}");
}

#[test]
fn a_double_lane_change_returns_to_its_lane() {
    let history = drive("double_lane_change", &[], &["tractor.y", "trailer.y", "articulation.yaw"]);
    for column in [0, 1] {
        let offset = history.iter().fold(0.0f64, |a, row| larger(a, row[column]));
        assert!((3.0..4.2).contains(&offset), "{offset}");
        assert!(history.last().expect("rows")[column].abs() < 0.5);
    }
    assert!(largest(&history, 2) < 0.1);
}

#[test]
fn braking_in_a_turn_slows_the_truck_down_without_jackknifing() {
    let names = ["tractor.velocity.x", "articulation.yaw", "tractor.angles.yaw", "tractor.acceleration.x"];
    let history = drive("braking_in_turn", &[], &names);
    let end = history.last().expect("rows");
    assert!((history[390][0] - 16.7).abs() < 0.5 && end[0] < 6.5, "{} {}", history[390][0], end[0]);
    assert!(largest(&history, 1) < 0.25 && end[2] > 0.3, "{end:?}");
    let braking = history[450..700].iter().map(|row| row[3]).sum::<f64>() / 250.0;
    assert!((-3.6..-2.4).contains(&braking), "{braking}");
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
    println!("damping ratio {damping}, extremes {extremes:?}");
    assert!((0.02..0.2).contains(&damping), "{damping}");
}

#[test]
fn a_flexible_frame_twists_over_diagonal_bumps_and_changes_the_loads_of_the_tractor_only() {
    let bumps = [("speed", 10.0), ("bumps.left", 20.0), ("bumps.right", 24.78)];
    let run = |name: &str| {
        let mut truck = Truck::of(name, 10.0, &bumps);
        let mut loads = Vec::new();
        for i in 1..=50 {
            truck.simulator.advance(2.0 + 0.05 * f64::from(i)).expect("steps");
            truck.read();
            assert!(truck.get("gap") <= CLOSED);
            loads.push(WHEELS.map(|wheel| truck.get(&format!("{wheel}.tyre.Fz"))));
        }
        (truck.simulator.system().report().dof, loads)
    };
    let ((rigid_dof, rigid), (flexible_dof, flexible)) = (run("truck"), run("truck/flexible.toml"));
    assert_eq!((rigid_dof, flexible_dof), (40, 48));
    let difference = |wheel: usize| {
        let squares: f64 = rigid.iter().zip(&flexible).map(|(a, b)| (a[wheel] - b[wheel]).powi(2)).sum();
        (squares / rigid.len() as f64).sqrt()
    };
    let drive = difference(2).max(difference(3));
    let trailer = (4..10).map(difference).fold(0.0, larger);
    assert!((300.0..4000.0).contains(&drive) && trailer < 0.3 * drive, "{drive} {trailer}");
}
