//! Van and truck in the sizes of Hidalgo & García de Jalón (2013): the published counts, and the motion of the models
//! with fewer coordinates.

use crate::check::larger;
use crate::models;
use ballesta::simulate::Simulator;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Difference of two models over the range of an output.
const AGREEMENT: f64 = 1e-6;
/// Round-off where an output hardly moves: in its unit, and relative to its largest value.
const FLOOR: [f64; 2] = [1e-8, 1e-9];
/// Closure errors stay below this, m.
const CLOSED: f64 = 1e-9;
/// Communication interval, s.
const INTERVAL: f64 = 0.01;

fn folder(vehicle: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(vehicle)
}

/// A way to drive a vehicle.
#[derive(Clone, Copy)]
struct Drive<'a> {
    vehicle: &'a str,
    /// Speed at the start and of the driver, m/s.
    speed: f64,
    /// File of inputs in the folder `manoeuvres`.
    inputs: Option<&'a str>,
    stop: f64,
    /// Internal step, s.
    step: f64,
}

/// All outputs at all communication points, by name.
type Record = BTreeMap<String, Vec<f64>>;

/// Drives the model in `text`, whose files are those of the vehicle.
fn drive(text: &str, drive: Drive) -> Record {
    let folder = folder(drive.vehicle);
    let place = folder.join("model.toml").display().to_string();
    let mut document = models::parse(text, &place);
    document.model.general.step = drive.step;
    let parameters = document.model.parameters.iter();
    let values: Vec<f64> = parameters.map(|p| if p.name == "speed" { drive.speed } else { p.value }).collect();
    let system = models::compiled_with(&document, &values);
    let mut simulator = Simulator::new(Arc::new(system));
    let input = |simulator: &Simulator, name: &str| {
        let inputs = &simulator.system().interface().inputs;
        inputs.iter().position(|input| input.name == name).unwrap_or_else(|| panic!("no input {name}"))
    };
    let target = input(&simulator, "target_speed");
    simulator.set_input(target, drive.speed);
    let file = drive.inputs.map(|name| std::fs::read_to_string(folder.join("manoeuvres").join(name)).unwrap());
    let table = file.as_deref().unwrap_or("time\n0");
    let mut lines = table.lines();
    let header: Vec<usize> = lines.next().unwrap().split(',').skip(1).map(|name| input(&simulator, name)).collect();
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
    let names: Vec<String> = simulator.system().interface().outputs.iter().map(|output| output.name.clone()).collect();
    let mut values = vec![0.0; names.len()];
    let mut record: Record = names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for point in 0..=(drive.stop / INTERVAL).round() as usize {
        let t = point as f64 * INTERVAL;
        simulator.advance(t).unwrap_or_else(|fault| panic!("at {t}: {fault:?}"));
        simulator.outputs(&mut values).expect("outputs");
        for (name, &value) in names.iter().zip(&values) {
            record.get_mut(name).unwrap().push(value);
        }
        // Values between the rows of the file are linear in time.
        let Some(next) = rows.iter().position(|row| row[0] > t + 1e-9).filter(|&next| next > 0) else { continue };
        let (before, after) = (&rows[next - 1], &rows[next]);
        for (k, &index) in header.iter().enumerate() {
            let slope = (after[k + 1] - before[k + 1]) / (after[0] - before[0]);
            simulator.set_input(index, before[k + 1] + slope * (t - before[0]));
            simulator.set_input_derivative(index, slope);
        }
    }
    record
}

/// Path and heading seen from the pose of the tractor at the start: trimming leaves both free on a plane, so that
/// models with other coordinates start a little beside each other.
fn from_the_start(mut record: Record) -> Record {
    let start = |name: &str| record[name][0];
    let (x, y, yaw) = (start("tractor.x"), start("tractor.y"), start("tractor.angles.yaw"));
    for name in ["tractor.angles.yaw", "trailer.angles.yaw", "cab.yaw"] {
        record.get_mut(name).unwrap().iter_mut().for_each(|value| *value -= yaw);
    }
    for unit in ["tractor", "trailer"] {
        let path = [format!("{unit}.x"), format!("{unit}.y")].map(|name| record[&name].clone());
        let seen = |along: f64, across: f64| {
            let points = path[0].iter().zip(&path[1]);
            points.map(|(px, py)| along * (px - x) + across * (py - y)).collect::<Vec<f64>>()
        };
        let turned = [seen(yaw.cos(), yaw.sin()), seen(-yaw.sin(), yaw.cos())];
        for (axis, values) in ["x", "y"].iter().zip(turned) {
            record.insert(format!("{unit}.{axis}"), values);
        }
    }
    record
}

/// Every output of both models agrees; returns the largest difference over a range, of the outputs that move.
fn agree(lean: &Record, paper: &Record) -> f64 {
    let names = |record: &Record| record.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(lean), names(paper));
    let mut worst = 0.0f64;
    for (name, expected) in lean {
        let found = &paper[name];
        assert_eq!(expected.len(), found.len());
        if name.ends_with("gap") {
            assert!(expected.iter().chain(found).all(|gap| *gap <= CLOSED), "{name}");
            continue;
        }
        let largest = expected.iter().fold(0.0f64, |most, value| larger(most, value.abs()));
        let (low, high) =
            expected.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let floor = FLOOR[0] + FLOOR[1] * largest;
        for (k, (a, b)) in expected.iter().zip(found).enumerate() {
            let difference = (a - b).abs();
            assert!(
                difference <= AGREEMENT * (high - low) + floor,
                "{name} at point {k}: {a} and {b}, {difference:e} apart; range {:e}",
                high - low
            );
            if high - low > 1e3 * floor {
                worst = larger(worst, difference / (high - low));
            }
        }
    }
    worst
}

/// Drives a vehicle as it is in `file` and the one in the paper's sizes.
fn compare(file: &str, change: impl Fn(String) -> String, what: Drive) {
    let read = |file: &str| std::fs::read_to_string(folder(what.vehicle).join(file)).expect("the model");
    let lean = drive(&read(file), what);
    let paper = drive(&change(read("paper.toml")), what);
    let truck = lean.contains_key("tractor.angles.yaw");
    let [lean, paper] = [lean, paper].map(|record| if truck { from_the_start(record) } else { record });
    let moved = lean.values().filter(|values| values.iter().any(|value| (value - values[0]).abs() > 1e-3)).count();
    assert!(moved > 40, "only {moved} outputs moved");
    let worst = agree(&lean, &paper);
    println!("{}, {file}, {:?}: outputs differ by up to {worst:.1e} of their range", what.vehicle, what.inputs);
}

#[test]
fn sizes_of_the_large_models_are_those_of_the_paper() {
    for vehicle in ["van", "truck"] {
        let path = folder(vehicle).join("paper.toml");
        let document = models::load(&path);
        let system = models::compiled(&document);
        let (report, published) = (system.report(), document.model.published.clone().expect("counts of the paper"));
        let between = report.massless_between;
        let found = [
            report.dof,
            report.bodies + between,
            report.massless_bodies + between,
            report.one_dof_joints - report.guided,
            report.guided,
            report.constraints,
            report.constraints - report.redundant,
        ];
        let [rows, columns] = published.jacobian.expect("a size");
        let counts = [published.dof, published.bodies, published.massless_bodies, published.joints, published.guided];
        let counts = counts.map(|count| count.expect("a count"));
        assert_eq!(found, [counts[0], counts[1], counts[2], counts[3], counts[4], rows, columns], "{vehicle}");
        assert!(published.rods.is_none_or(|rods| rods == report.rods), "{vehicle}");
        // Every coordinate is free, dependent or guided.
        assert_eq!(report.coordinates, report.dof + columns + report.guided, "{vehicle}");
        // A joint more than there are coordinates that are not guided: cut.
        assert_eq!(report.cuts.len(), counts[3] - (report.dof + columns), "{vehicle}");
    }
}

#[test]
fn the_van_in_the_sizes_of_the_paper_moves_as_the_lean_one() {
    let straight = Drive { vehicle: "van", speed: 20.0, inputs: None, stop: 5.0, step: 1e-3 };
    let read = |file: &str| std::fs::read_to_string(folder("van").join(file)).expect("the model");
    let lean = drive(&read("model.toml"), straight);
    agree(&lean, &drive(&read("paper.toml"), straight));
    let steer = Drive { speed: 22.2222, inputs: Some("step_steer.csv"), stop: 4.0, ..straight };
    compare("model.toml", |text| text, steer);
    // The place along the road is kept at the centre of mass, which is another one with other bodies: the road goes
    // with it, or 0.3 µm of it were 1.4e-6 of an acceleration.
    let road = read("bumps.toml");
    let bumps = Drive { speed: 8.333, ..straight };
    let paper = |starts: [f64; 3]| {
        let text = road.replace("parts/van.toml", "parts/paper_van.toml");
        let bumps = text.split("[[road.bump]]").enumerate().map(|(k, part)| match k {
            0 => part.to_string(),
            _ => {
                let line = part.lines().find(|line| line.starts_with("start = ")).expect("a start");
                part.replace(line, &format!("start = {:?}", starts[k - 1]))
            }
        });
        bumps.collect::<Vec<_>>().join("[[road.bump]]")
    };
    let starts = [5.0, 17.0, 29.0];
    let place = |text: &str| drive(text, Drive { stop: 0.0, ..bumps })["chassis.position.x"][0];
    let ahead = place(&paper(starts)) - place(&road);
    assert!(ahead.abs() < 1e-6, "{ahead} m");
    compare("bumps.toml", |_| paper(starts.map(|start| start + ahead)), bumps);
}

#[test]
fn the_truck_in_the_sizes_of_the_paper_moves_as_the_lean_one() {
    let straight = Drive { vehicle: "truck", speed: 20.0, inputs: None, stop: 5.0, step: 1e-3 };
    let read = |file: &str| std::fs::read_to_string(folder("truck").join(file)).expect("the model");
    let [lean, paper] = ["model.toml", "paper.toml"].map(|file| from_the_start(drive(&read(file), straight)));
    agree(&lean, &paper);
    compare("model.toml", |text| text, Drive { speed: 16.7, inputs: Some("slalom.csv"), ..straight });
}
