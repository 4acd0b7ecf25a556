//! Manoeuvres to both sides: a mirrored vehicle with mirrored steering has mirrored or equal measures.

use ballesta::model::Document;
use ballesta::model::schema::Number;
use ballesta::simulate::Simulator;
use ballesta_run::model;
use ballesta_run::simulation::Clock;
use ballesta_vehicle::manoeuvre::{BUILT_IN, Choices, Manoeuvre, ManoeuvrePlan, ManoeuvreRun, MeasuredValue};
use std::fs;
use std::path::Path;

/// Fraction of a measure (at least of 1) by which mirrored runs may differ.
const TOLERANCE: f64 = 1e-6;
/// The same for a vehicle with a flexible axle, which cannot be mirrored: the frame of its reduced model is at one end.
const FLEXIBLE_TOLERANCE: f64 = 1e-3;

/// Measures of a run, and times of its events, s.
type Measured = (Vec<MeasuredValue>, Vec<Option<f64>>);

/// Measures and events of the runs with `factor`, or why there are none.
fn measured(document: Document, manoeuvre: &str, choices: Choices) -> Result<Vec<Measured>, String> {
    let read = Manoeuvre::open(Path::new(manoeuvre)).map_err(|failure| failure.to_string())?;
    let plan = ManoeuvrePlan::new(read, document, "model.toml", &[], choices).map_err(|failure| failure.to_string())?;
    let mut all = Vec::new();
    for drive in plan.drives().map_err(|failure| failure.to_string())? {
        let mut simulator = Simulator::new(plan.subject.system.clone());
        let driven = drive.run(&mut simulator, &mut Clock::default(), |_, _, _, _| Ok(()));
        let made = ManoeuvreRun::new(drive, driven, &simulator).map_err(|failure| failure.to_string())?;
        all.push((made.found, made.driven.events));
    }
    Ok(all)
}

/// A model of the gallery.
fn opened(path: &str) -> Document {
    crate::root::at_root();
    model::open(Path::new(path)).unwrap_or_else(|failure| panic!("{path}: {failure}"))
}

/// The same as one mirrored subassembly: the steering columns of cars are not symmetric. Flexible bodies cannot be
/// mirrored and stay outside; they are symmetric.
fn mirrored(path: &str) -> Document {
    crate::root::at_root();
    let file = if path.ends_with(".toml") { path.into() } else { format!("{path}/model.toml") };
    let file = Path::new(&file);
    let (folder, scratch) = (file.parent().expect("a folder"), tempfile::tempdir().expect("writable"));
    copy(folder, scratch.path());
    let text = fs::read_to_string(file).expect("a model");
    let mut part: toml::Table = toml::from_str(&text).expect("TOML");
    let mut whole = toml::Table::new();
    for name in ["model", "experiment", "published", "page", "vehicle"] {
        whole.extend(part.remove(name).map(|table| (name.to_string(), table)));
    }
    let uses = part.remove("use").and_then(|uses| uses.as_array().cloned()).unwrap_or_default();
    let (mut outside, inside): (Vec<_>, Vec<_>) = uses.into_iter().partition(|placement| {
        let used = folder.join(placement["file"].as_str().expect("a path"));
        fs::read_to_string(used).expect("a subassembly").contains("[[flexible_body]]")
    });
    part.insert("use".into(), inside.into());
    let parameters: Vec<toml::Value> =
        part.get("parameter").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let names = parameters.iter().map(|table| table["name"].clone());
    let same: toml::Table = names.map(|name| (name.as_str().expect("a name").to_string(), name)).collect();
    whole.insert("parameter".into(), parameters.into());
    let placement = toml::Table::from_iter([
        ("file".to_string(), "mirrored.part.toml".into()),
        ("mirror".to_string(), "y".into()),
        ("parameters".to_string(), same.into()),
    ]);
    outside.push(placement.into());
    whole.insert("use".into(), outside.into());
    let write = |name: &str, table: &toml::Table| {
        fs::write(scratch.path().join(name), toml::to_string(table).expect("TOML")).expect("writable");
    };
    write("mirrored.part.toml", &part);
    write("mirrored.toml", &whole);
    model::open(&scratch.path().join("mirrored.toml")).unwrap_or_else(|failure| panic!("{path}, mirrored: {failure}"))
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("writable");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("writable");
        }
    }
}

/// With the centre of mass of the chassis off the middle plane, so that the sides differ.
fn offset(mut document: Document, y: f64) -> Document {
    let body = document.model.vehicle.as_ref().expect("a vehicle").body.clone();
    for point in document.model.points.iter_mut().filter(|(name, _)| **name == format!("{body}_com")) {
        point.1[1] = Number::Value(y);
    }
    document
}

/// With a steering wheel that steers to the right where its angle is positive.
fn reversed(mut document: Document) -> Document {
    let steer = document.model.vehicle.as_ref().expect("a vehicle").steer.clone();
    let guides = document.model.guided.iter_mut().filter(|guided| guided.input.as_ref() == Some(&steer));
    for guided in guides {
        let own = serde_json::to_value(&guided.gain).expect("plain data").as_f64().unwrap_or(1.0);
        guided.gain = serde_json::from_value(serde_json::json!(-own)).expect("a number");
    }
    document
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(1.0)
}

/// Differences between two runs of a manoeuvre, one in the mirror.
fn differences(one: &Measured, other: &Measured, tolerance: f64) -> Vec<String> {
    let mut wrong = Vec::new();
    for (a, b) in one.0.iter().zip(&other.0) {
        let same = match (a.value, b.value) {
            (Some(x), Some(y)) => close(x, y, tolerance) || close(x, -y, tolerance),
            (x, y) => x == y,
        };
        if !same || a.verdict() != b.verdict() {
            wrong.push(format!("{}: {:?} {:?}, {:?} {:?}", a.name, a.value, b.value, a.verdict(), b.verdict()));
        }
    }
    let same = one.1.len() == other.1.len()
        && one.1.iter().zip(&other.1).all(|pair| match pair {
            (Some(a), Some(b)) => a == b || tolerance > TOLERANCE && close(*a, *b, tolerance),
            (a, b) => a == b,
        });
    if !same {
        wrong.push(format!("events: {:?} {:?}", one.1, other.1));
    }
    wrong
}

/// Compares a vehicle with its mirror images: the measures of the first.
fn compare(path: &str, name: &str, choices: Choices, offsets: &[f64]) -> Result<Vec<MeasuredValue>, String> {
    let opposite = Choices { factor: Some(-choices.factor.unwrap_or(1.0)), ..choices };
    let choices = Choices { factor: Some(choices.factor.unwrap_or(1.0)), ..choices };
    let mut first = Vec::new();
    for &y in offsets {
        let one = measured(offset(opened(path), y), name, choices)?;
        let other = measured(offset(mirrored(path), -y), name, opposite)?;
        let turned = measured(reversed(offset(opened(path), y)), name, choices)?;
        let flexible = if path == "models/car" { FLEXIBLE_TOLERANCE } else { TOLERANCE };
        for (image, what, tolerance) in
            [(&other, "mirrored vehicle", flexible), (&turned, "reversed steering wheel", TOLERANCE)]
        {
            for (one, image) in one.iter().zip(image) {
                let wrong = differences(one, image, tolerance);
                assert!(wrong.is_empty(), "{path} {name} with {choices:?}, {what}, offset {y} m: {wrong:#?}");
            }
        }
        first.extend(one.into_iter().flat_map(|run| run.0));
    }
    Ok(first)
}

#[test]
fn the_van_turns_to_both_sides_alike() {
    let with = |factor, stop| Choices { speed: None, stop: Some(stop), factor: Some(factor) };
    for (name, choices, offset) in [
        ("sine_with_dwell", with(3.0, 4.8), 0.0),
        ("fishhook", with(2.0, 4.0), 0.05),
        ("double_lane_change", with(1.0, 4.5), 0.0),
    ] {
        let found = compare("models/van", name, choices, &[offset]).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(found.iter().filter(|found| found.value.is_some()).count() >= 3, "{name}: {found:?}");
    }
}

#[test]
fn signs_and_limits_of_a_negative_factor_are_those_of_the_run() {
    let document = || offset(opened("models/car"), 0.0);
    let run = |factor| {
        let choices = Choices { speed: None, stop: Some(4.8), factor: Some(factor) };
        measured(document(), "sine_with_dwell", choices).unwrap_or_else(|why| panic!("{why}")).remove(0).0
    };
    let (left, right) = (run(5.0), run(-5.0));
    let find =
        |all: &[MeasuredValue], name: &str| all.iter().find(|found| found.name == name).cloned().expect("a measure");
    // The joints of the steering column are not symmetric: the turns of this car to both sides differ by up to 0.5 %.
    for name in ["second peak of the yaw rate", "lateral displacement after 1.07 s", "largest sideslip"] {
        let [a, b] = [&left, &right].map(|all| find(all, name).value.expect("a value"));
        assert!((a + b).abs() < 0.005 * a.abs(), "{name}: {a} {b}");
    }
    let [a, b] = [&left, &right].map(|all| find(all, "yaw rate ratio 1 s after").value.expect("a value"));
    assert!((a - b).abs() < 0.1, "{a} {b}");
    let [a, b] = [&left, &right].map(|all| find(all, "lateral displacement after 1.07 s"));
    assert_eq!([a.limits, b.limits], [[Some(1.83), None], [None, Some(-1.83)]]);
    assert!(a.verdict().is_some() && a.verdict() == b.verdict());
}

/// Every manoeuvre with one vehicle to both sides; prints the measures.
fn turns_alike_in_all_manoeuvres(path: &str) {
    let speed = (path == "models/truck").then_some(14.0);
    let (mut compared, mut rejected) = (0, Vec::new());
    for known in BUILT_IN {
        match compare(path, known.name, Choices { speed, stop: None, factor: None }, &[0.0, 0.05]) {
            Ok(found) => {
                compared += 1;
                let values: Vec<String> =
                    found.iter().map(|found| format!("{} {:?}", found.name, found.value)).collect();
                println!("{path} {}: {}", known.name, values.join("; "));
            }
            Err(why) => rejected.push(format!("{path} {}: {why}", known.name)),
        }
    }
    println!("{path}: {compared} compared, not driven:\n{}", rejected.join("\n"));
    // Without a trailer there is no rearward amplification; the truck rolls over in turns that cars drive.
    assert_eq!(compared, if path == "models/truck" { 7 } else { BUILT_IN.len() - 1 });
}

macro_rules! vehicles {
    ($($name:ident: $path:literal,)*) => {$(
        #[test]
        #[ignore = "takes minutes"]
        fn $name() {
            turns_alike_in_all_manoeuvres($path);
        }
    )*};
}

vehicles! {
    the_van_turns_alike_in_all_manoeuvres: "models/van",
    the_van_with_brake_control_turns_alike_in_all_manoeuvres: "models/van/abs.toml",
    the_compact_turns_alike_in_all_manoeuvres: "models/car",
    the_saloon_turns_alike_in_all_manoeuvres: "models/car/saloon.toml",
    the_pickup_turns_alike_in_all_manoeuvres: "models/car/pickup.toml",
    the_truck_turns_alike_in_all_manoeuvres: "models/truck",
}
