//! Names of a vehicle's model that are words of the program: equal results, or a message.

use ballesta::model::Document;
use ballesta::simulate::Simulator;
use ballesta_run::model;
use ballesta_run::simulation::Clock;
use ballesta_vehicle::manoeuvre::{Choices, Manoeuvre, ManoeuvrePlan, ManoeuvreRun};
use serde_json::{Value, json};
use std::path::Path;

/// Steers by both words, and measures channels and an output of the model.
const MANOEUVRE: &str = r#"
[manoeuvre]
title = "t"
speed = 15
stop = 0.4
amplitude = 0.5

[[signal]]
input = "steer"
points = [[0.05, 0], [0.1, 1]]

[[signal]]
input = "target"
points = [[0.2, 1], [0.2, 0.9]]

[[signal]]
input = "brake"
points = [[0.2, 0], [0.3, 0.1]]

[[event]]
name = "turns"
channel = "yaw_rate"
crosses = 0.01
"#;

/// Channels that are measured.
const CHANNELS: [&str; 17] = [
    "x",
    "y",
    "yaw",
    "speed",
    "lateral_velocity",
    "sideslip",
    "longitudinal_acceleration",
    "lateral_acceleration",
    "roll",
    "pitch",
    "roll_rate",
    "yaw_rate",
    "curvature",
    "steer",
    "brake",
    "understeer",
    "path_error",
];
/// Other words of the program.
const WORDS: [&str; 10] = [
    "target",
    "manoeuvre",
    "manoeuvre.yaw_rate",
    "manoeuvre.position",
    "model.steer",
    "model",
    "time",
    "towed1.yaw_rate",
    "vehicle",
    "turns",
];

/// What of the model is renamed: table and present name; none: the output that is added.
const KINDS: [(&str, &str); 7] = [
    ("input", "steering_wheel.angle"),
    ("input", "target_speed"),
    ("input", "axle1.left.brake_torque"),
    ("parameter", "speed"),
    ("output", "kinetic"),
    ("body", "chassis"),
    ("joint", "column"),
];

/// Replaces texts and keys that are a name.
fn rename(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text == from => *text = to.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Value::Object(table) => {
            // A quantity may be called like a parameter.
            let named = table.iter_mut().filter(|(key, _)| *key != "quantity");
            named.for_each(|(_, item)| rename(item, from, to));
            if from.contains('.')
                && let Some(item) = table.remove(from)
            {
                table.insert(to.into(), item);
            }
        }
        _ => {}
    }
}

/// Measures and events of the vehicle with one of its names replaced.
fn measured(document: &Document, (table, from): (&str, &str), to: &str) -> Result<Vec<Option<f64>>, String> {
    let mut document = document.clone();
    let mut tree = serde_json::to_value(&document.model).expect("plain data");
    let output = json!({ "name": "kinetic", "quantity": "kinetic_energy" });
    tree["output"].as_array_mut().expect("a table").push(output);
    // A name belongs to its table: an input may be called like a body.
    match table {
        "output" => rename(&mut tree["output"], from, to),
        _ => rename(&mut tree, from, to),
    }
    document.model = serde_json::from_value(tree).map_err(|error| error.to_string())?;
    let own = if (table, from) == ("output", "kinetic") { to } else { "kinetic" };
    let measure = |name: &str, channel: &str| {
        format!("\n[[measure]]\nname = \"{name}\"\nwhat = \"at\"\nat = 0.35\nchannel = \"{channel}\"\n")
    };
    let channels: String = CHANNELS.iter().map(|channel| measure(channel, channel)).collect();
    let text = format!("{MANOEUVRE}{channels}{}", measure("own", &format!("model.{own}")));
    let manoeuvre = Manoeuvre::parse(&text, "m.toml").map_err(|wrong| wrong.to_string())?;
    let choices = Choices { speed: None, stop: None, factor: None };
    let plan =
        ManoeuvrePlan::new(manoeuvre, document, "model.toml", &[], choices).map_err(|failure| failure.to_string())?;
    let drive = plan.drives().map_err(|failure| failure.to_string())?.remove(0);
    let mut simulator = Simulator::new(plan.subject.system.clone());
    let driven = drive.run(&mut simulator, &mut Clock::default(), |_, _, _, _| Ok(()));
    let made = ManoeuvreRun::new(drive, driven, &simulator).map_err(|failure| failure.to_string())?;
    Ok(made.found.iter().map(|found| found.value).chain(made.driven.events).collect())
}

/// Tries every `part`-th pair of a kind and a word; how many gave results, and how many were rejected.
fn compare(part: usize, first: usize) -> [usize; 2] {
    crate::root::at_root();
    let document = model::open(Path::new("models/car")).unwrap_or_else(|failure| panic!("{failure}"));
    let plain = measured(&document, ("output", "kinetic"), "kinetic").unwrap_or_else(|why| panic!("{why}"));
    assert!(plain.iter().filter(|value| value.is_some_and(|value| value != 0.0)).count() >= 17, "{plain:?}");
    let words = CHANNELS.iter().chain(&WORDS);
    let pairs = KINDS.iter().flat_map(|kind| words.clone().map(move |word| (kind, *word)));
    let (mut equal, mut rejected) = (0, 0);
    let model = &document.model;
    let inputs = model.inputs.iter().map(|input| &input.name);
    let parameters = model.parameters.iter().map(|parameter| &parameter.name);
    let names = inputs.chain(parameters).chain(model.outputs.iter().map(|output| &output.name));
    let taken: Vec<&String> = names.collect();
    for (kind, word) in pairs.skip(first).step_by(part).filter(|(_, word)| taken.iter().all(|name| name != word)) {
        match measured(&document, *kind, word) {
            Ok(found) => {
                let same = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
                    (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1.0),
                    (a, b) => a == b,
                };
                let equals = found.len() == plain.len() && found.iter().zip(&plain).all(same);
                assert!(equals, "{kind:?} called {word}: {found:?}, not {plain:?}");
                equal += 1;
            }
            Err(why) => {
                assert!(why.contains(&format!("\"{word}\"")) || why.contains(&format!("`{word}`")), "{word}: {why}");
                rejected += 1;
            }
        }
    }
    [equal, rejected]
}

#[test]
fn words_of_the_program_mean_the_program_whatever_the_model_calls_its_own() {
    let [equal, rejected] = compare(13, 0);
    assert!(equal >= 8 && rejected <= 4, "{equal} {rejected}");
}

#[test]
#[ignore = "takes a minute"]
fn every_word_of_the_program_as_every_name() {
    let [equal, rejected] = compare(1, 0);
    println!("{equal} equal, {rejected} rejected");
    assert!(equal >= 130 && rejected <= 30, "{equal} {rejected}");
}
