//! The van of the gallery: its size, how it stands and rolls, its kinematics, and its manoeuvres.

use crate::check::larger;
use crate::models;
use ballesta::model;
use ballesta::model::schema::{Number, Place, Quantity};
use ballesta::simulate::Simulator;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
const WHEELBASE: f64 = 3.3;
/// Closure errors stay below this, m.
const CLOSED: f64 = 1e-9;
const CORNERS: [&str; 4] = ["axle1.left", "axle1.right", "axle2.left", "axle2.right"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/van")
}

/// A van that is driven.
struct Van {
    simulator: Simulator,
    outputs: HashMap<String, usize>,
    values: Vec<f64>,
}

impl Van {
    /// Trimmed at a speed in m/s; `file`: `model.toml` or another one beside it.
    fn new(file: &str, speed: f64) -> Van {
        let document = models::load(folder().join(file));
        let value = |name: &str, value: f64| if name == "speed" { speed } else { value };
        let values: Vec<f64> = document.model.parameters.iter().map(|p| value(&p.name, p.value)).collect();
        let system = models::compiled_with(&document, &values);
        let simulator = Simulator::new(Arc::new(system));
        let names = simulator.system().interface().outputs.iter().enumerate();
        let outputs: HashMap<String, usize> = names.map(|(index, output)| (output.name.clone(), index)).collect();
        let values = vec![0.0; outputs.len()];
        let mut van = Van { simulator, outputs, values };
        let target = van.input("target_speed");
        van.simulator.set_input(target, speed);
        van.simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
        van.read();
        van
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

    fn advance(&mut self, end: f64) {
        self.simulator.advance(end).unwrap_or_else(|fault| panic!("at {end}: {fault:?}"));
        self.read();
        assert!(self.get("gap") <= CLOSED, "gap {} at {end}", self.get("gap"));
    }
}

/// Drives a manoeuvre from its file; `see` gets the van every 10 ms. Loops stay closed.
fn drive(manoeuvre: &str, see: impl FnMut(f64, &Van)) {
    drive_model("model.toml", &format!("manoeuvres/{manoeuvre}"), see);
}

/// The same of another model file beside it.
fn drive_model(file: &str, manoeuvre: &str, mut see: impl FnMut(f64, &Van)) {
    let text = std::fs::read_to_string(folder().join(format!("{manoeuvre}.csv"))).expect("the manoeuvre");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    let mut van = Van::new(file, rows[0][1]);
    let inputs: Vec<usize> = header[1..].iter().map(|name| van.input(name)).collect();
    see(0.0, &van);
    for (row, next) in rows.iter().zip(&rows[1..]).filter(|(row, next)| next[0] > row[0]) {
        for (k, &input) in inputs.iter().enumerate() {
            van.simulator.set_input(input, row[k + 1]);
            van.simulator.set_input_derivative(input, (next[k + 1] - row[k + 1]) / (next[0] - row[0]));
        }
        let points = ((next[0] - row[0]) / 0.01).round().max(1.0);
        for i in 1..=points as usize {
            let end = row[0] + (next[0] - row[0]) * i as f64 / points;
            van.advance(end);
            see(end, &van);
        }
    }
}

/// Mass in kg and centre of mass in m of everything in the design position, rods included.
fn mass_and_centre() -> (f64, [f64; 3]) {
    let model = models::load(folder()).model;
    let number = |number: &Number| match number {
        Number::Value(value) => *value,
        Number::Parameter(name) => model.parameters.iter().find(|p| p.name == *name).expect("a parameter").value,
    };
    let place = |place: &Place| match place {
        Place::At(place) => [0, 1, 2].map(|k| number(&place[k])),
        Place::Point(name) => [0, 1, 2].map(|k| number(&model.points[name][k])),
    };
    let bodies = model.bodies.iter().map(|body| (number(&body.mass), place(body.com.as_ref().expect("a centre"))));
    let rods = model.rods.iter().map(|rod| {
        let [a, b] = [place(&rod.points[0]), place(&rod.points[1])];
        (number(&rod.mass), [0, 1, 2].map(|k| 0.5 * (a[k] + b[k])))
    });
    let (mut mass, mut moment) = (0.0, [0.0; 3]);
    for (m, c) in bodies.chain(rods) {
        mass += m;
        (0..3).for_each(|k| moment[k] += m * c[k]);
    }
    (mass, moment.map(|value| value / mass))
}

#[test]
fn the_van_has_seventeen_degrees_of_freedom_besides_its_steering() {
    let document = models::load(folder());
    let system = models::compiled(&document);
    let report = system.report();
    assert_eq!((report.dof, report.guided, report.redundant), (17, 1, 0));
    // Chassis, engine, rack; two arms, knuckle and wheel twice; axle and two wheels.
    assert_eq!(report.bodies, 3 + 2 * 4 + 3);
    // Upper ball joints; tie rods; front halves of the leaves.
    assert_eq!((report.cuts.len(), report.rods), (2, 4));
    assert_eq!((report.coordinates, report.constraints), (28, 2 * 3 + 4));
    assert_eq!(document.model.published.expect("counts of the paper").dof, Some(17));
    // Each front corner keeps its travel, the rear axle four motions.
    let free: Vec<usize> = report.blocks.iter().map(|block| block.independent.len()).collect();
    assert_eq!(free, [1, 1, 4]);
    // The view of the paper: two floating joints of six, two spherical ones of three, ten of one; two cuts.
    assert_eq!((report.one_dof_joints, report.massless_between), (2 * 6 + 2 * 3 + 10 + 2, 2 * 5 + 2 * 2));
}

#[test]
fn the_van_stands_on_its_wheels_as_its_masses_say() {
    let (mass, centre) = mass_and_centre();
    assert!((mass - 3000.0).abs() < 0.05 && centre[1].abs() < 1e-12, "{mass} {centre:?}");
    let van = Van::new("model.toml", 0.0);
    let weight = mass * GRAVITY;
    let (front, rear) = (van.axle(1), van.axle(2));
    assert!((front + rear - weight).abs() < 1e-9 * weight, "{} N are carried", front + rear);
    // The centre of mass moves with the chassis, by less than 20 µm.
    let lever = weight * -centre[0] / WHEELBASE;
    assert!((rear - lever).abs() < 1e-5 * weight, "rear axle {rear} N, by its lever {lever} N");
    for axle in ["axle1", "axle2"] {
        let [left, right] = ["left", "right"].map(|side| van.get(&format!("{axle}.{side}.tyre.Fz")));
        assert!((left - right).abs() < 1e-6 * weight, "{axle}: {left} N and {right} N");
    }
    // Springs are wound up and tyres are pressed in as the design position says.
    assert!(van.get("axle1.left.lower_arm.angle").abs() < 1e-4);
    assert!(van.get("axle2.left.leaf_spring.deflection").abs() < 1e-4);
    assert!(van.get("chassis.angles.pitch").abs() < 1e-4 && van.get("chassis.angles.roll").abs() < 1e-9);
}

#[test]
fn the_van_stays_where_it_stands_and_keeps_its_attitude_at_speed() {
    for speed in [0.0, 20.0] {
        let mut van = Van::new("model.toml", speed);
        let names = ["chassis.position.z", "chassis.angles.roll", "chassis.angles.pitch", "chassis.angles.yaw"];
        let path = ["chassis.position.x", "chassis.position.y"];
        let state = |van: &Van| -> Vec<f64> {
            let place = path.iter().filter(|_| speed == 0.0);
            names.iter().chain(place).map(|name| van.get(name)).collect()
        };
        let start = state(&van);
        for second in 1..=10 {
            van.advance(f64::from(second));
            for (now, before) in state(&van).iter().zip(&start) {
                assert!((now - before).abs() <= 1e-6, "at {speed} m/s after {second} s: {:?} {start:?}", state(&van));
            }
        }
        assert!((van.get("chassis.velocity.x") - speed).abs() < 1e-6);
    }
}

#[test]
fn every_corner_has_the_same_outputs() {
    let van = Van::new("model.toml", 10.0);
    for corner in CORNERS {
        for name in
            ["tyre.Fx", "tyre.Mz", "tyre.slip_angle", "tyre.longitudinal_slip", "hub.z", "wheel.speed", "damper.force"]
        {
            assert!(van.get(&format!("{corner}.{name}")).is_finite());
        }
    }
    let model = model::load(&folder()).expect("the model").model;
    assert!(model.outputs.iter().any(|output| output.quantity == Quantity::Angles));
}

#[test]
fn a_step_of_the_steering_wheel_turns_the_van_with_little_overshoot() {
    // ISO 7401 at 80 km/h, meant for 4 m/s².
    let mut rates = Vec::new();
    let mut steady = (0.0, 0.0);
    drive("step_steer", |t, van| {
        rates.push((t, van.get("chassis.angular_velocity.z")));
        steady =
            (van.get("chassis.velocity.x") * van.get("chassis.angular_velocity.z"), van.get("chassis.angles.roll"));
    });
    let (acceleration, roll) = steady;
    assert!((3.7..4.3).contains(&acceleration), "{acceleration} m/s²");
    // Outwards: a left turn rolls to the right, which is positive about x.
    let gradient = roll.to_degrees() / acceleration * GRAVITY;
    assert!((5.0..8.0).contains(&gradient), "{gradient} degrees per g");
    let last = rates.last().expect("rows").1;
    let (at, peak) = rates.iter().fold((0.0, 0.0), |best, &row| if row.1 > best.1 { row } else { best });
    let ninety = rates.iter().find(|row| row.1 > 0.9 * last).expect("it turns").0;
    assert!((0.05..0.35).contains(&(ninety - 1.1)), "90 % of the yaw rate {} s after half of the step", ninety - 1.1);
    assert!((0.2..0.8).contains(&(at - 1.1)) && peak / last < 1.3, "peak {} at {at}", peak / last);
}

#[test]
fn the_van_understeers_and_the_more_the_faster_it_turns() {
    // ISO 4138 at 20 m/s: angle of the road wheels beyond that of Ackermann, over the lateral acceleration.
    let mut rows = Vec::new();
    drive("steady_circle", |_, van| {
        let rate = van.get("chassis.angular_velocity.z");
        let speed = van.get("chassis.velocity.x");
        let steer = -van.get("steering.rack") / 0.1279;
        rows.push((speed * rate, steer - WHEELBASE * rate / speed));
    });
    let gradient = |from: f64, to: f64| {
        let near = |wanted: f64| rows.iter().find(|row| row.0 > wanted).unwrap_or_else(|| panic!("{wanted} m/s²"));
        let (a, b) = (near(from), near(to));
        ((b.1 - a.1) / (b.0 - a.0)).to_degrees() * GRAVITY
    };
    let (small, large) = (gradient(0.5, 1.5), gradient(4.5, 5.5));
    assert!((2.0..4.0).contains(&small), "{small} degrees per g");
    assert!(large > 1.5 * small, "{small}, {large} degrees per g");
    let most = rows.iter().map(|row| row.0).fold(0.0, larger);
    assert!((6.0..8.5).contains(&most), "{most} m/s²");
}

#[test]
fn the_van_passes_the_double_lane_change_between_the_cones() {
    // ISO 3888-1 for a van 2.0 m wide with overhangs of 1.0 m and 1.3 m; cones from x = 30 m on.
    let (start, half) = (30.0, 1.0);
    let left = (1.1 * 2.0 * half + 0.25) / 2.0;
    let lanes = [
        (start, start + 15.0, left - (2.2 * half + 0.25), left),
        (start + 45.0, start + 70.0, left + 3.5 - (2.4 * half + 0.25), left + 3.5),
        (start + 95.0, start + 125.0, left - (2.6 * half + 0.25), left),
    ];
    let (mut seen, mut most) = ([false; 3], 0.0f64);
    drive("double_lane_change", |t, van| {
        let [x, y, yaw] = ["chassis.position.x", "chassis.position.y", "chassis.angles.yaw"].map(|name| van.get(name));
        most = larger(most, (van.get("chassis.velocity.x") * van.get("chassis.angular_velocity.z")).abs());
        let (ahead, behind) = (1.8622 + 1.0, 1.8622 - WHEELBASE - 1.3);
        for (dx, dy) in [(ahead, half), (ahead, -half), (behind, half), (behind, -half)] {
            let corner = [x + yaw.cos() * dx - yaw.sin() * dy, y + yaw.sin() * dx + yaw.cos() * dy];
            for (lane, (from, to, low, high)) in lanes.iter().enumerate() {
                if (*from..*to).contains(&corner[0]) {
                    seen[lane] = true;
                    assert!((*low..*high).contains(&corner[1]), "at {t} s: {corner:?} outside of {low} to {high}");
                }
            }
        }
    });
    assert_eq!(seen, [true; 3]);
    assert!((4.0..7.0).contains(&most), "{most} m/s²");
}

#[test]
fn brakes_stop_the_van_in_a_turn_without_spinning_it() {
    let (mut fastest, mut slip, mut stopped) = (0.0f64, 0.0f64, (0.0, 0.0, 0.0));
    let mut at_eight = (0.0, 0.0);
    drive("braking_in_turn", |t, van| {
        let speed = van.get("chassis.velocity.x");
        if (7.0..9.0).contains(&t) {
            at_eight = if at_eight.0 == 0.0 { (t, speed) } else { at_eight };
            stopped.2 = (at_eight.1 - speed) / (t - at_eight.0).max(1e-9);
        }
        if speed > 5.0 {
            fastest = larger(fastest, van.get("chassis.angular_velocity.z").abs());
            slip = larger(slip, (van.get("chassis.velocity.y") / speed).abs());
        }
        (stopped.0, stopped.1) = (speed, van.get("axle1.left.wheel.speed"));
    });
    assert!((3.5..4.6).contains(&stopped.2), "{} m/s²", stopped.2);
    assert!(fastest < 0.35 && slip < 0.06, "yaw rate up to {fastest} rad/s, slip up to {slip} rad");
    assert!(stopped.0.abs() < 0.02 && stopped.1.abs() < 0.05, "{stopped:?}");
}

#[test]
fn the_van_goes_straight_over_speed_bumps() {
    let mut van = Van::new("bumps.toml", 30.0 / 3.6);
    let (mut highest, mut lowest_load, mut pitch) = ([0.0f64; 2], f64::INFINITY, 0.0f64);
    for i in 1..=500 {
        van.advance(f64::from(i) * 0.01);
        for (axle, high) in highest.iter_mut().enumerate() {
            *high = larger(*high, van.get(&format!("axle{}.left.tyre.contact.z", axle + 1)));
        }
        lowest_load = CORNERS.iter().fold(lowest_load, |low, corner| low.min(van.get(&format!("{corner}.tyre.Fz"))));
        pitch = larger(pitch, van.get("chassis.angles.pitch").abs());
        assert!(van.get("chassis.position.y").abs() < 1e-9 && van.get("chassis.angles.roll").abs() < 1e-9);
    }
    assert!(highest.iter().all(|high| (high - 0.1).abs() < 1e-3), "{highest:?}");
    assert!(lowest_load > 0.0 && pitch.to_degrees() < 6.0, "{lowest_load} N, {} degrees", pitch.to_degrees());
    assert!(van.get("chassis.position.x") > 39.0);
}

#[test]
fn a_van_that_rolls_over_comes_to_rest_on_its_side_with_its_energy_accounted_for() {
    let (mut balance, mut exchanged, mut last) = ([f64::INFINITY, f64::NEG_INFINITY], 0.0, [0.0; 4]);
    drive_model("rollover.toml", "rollover", |_, van| {
        let now = van.get("energy_balance");
        balance = [balance[0].min(now), larger(balance[1], now)];
        exchanged = larger(exchanged, van.get("energy.dissipated"));
        let load: f64 = van.get("body.force");
        last = [van.get("energy.kinetic"), van.get("chassis.angles.roll"), load, van.get("chassis.position.z")];
    });
    let change = balance[1] - balance[0];
    println!("rests at {last:?}, energy off by {change:.1e} of {exchanged:.1e} J");
    assert!(last[0] < 1e-3 && (1.3..1.8).contains(&last[1].abs()) && last[2] > 2e4, "{last:?}");
    assert!(change < 1e-5 * exchanged, "{change} {exchanged}");
}
