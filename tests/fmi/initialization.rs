//! The start of an FMU: what its outputs depend on in Initialization Mode, their derivatives, and what is kept while a
//! host iterates.

use crate::models;
use std::path::Path;

use crate::support::{H, Resources, fmi2Error, fmi2OK};
use ballesta::fmi::variables::Causality;

/// A body at a guided angle with a guided speed, and a coordinate beside it that nothing guides.
const GUIDED_START: &str = r#"
[model]
name = "guided_start"
gravity = [0, 0, -9.81]
version = "1.2"
author = "A & B"
license = "MIT"
copyright = "(c) A"

[[parameter]]
name = "length"
value = 2.0
min = 2.0
unit = "m"

[[input]]
name = "angle"
unit = "rad"
start = 0.3

[[input]]
name = "speed"
unit = "rad/s"
start = 0.5

[[input]]
name = "acceleration"
unit = "rad/s2"

[[input]]
name = "push"
unit = "N"

[points]
tip = ["length", 0, 0]

[[body]]
name = "arm"
mass = 1
com = [1, 0, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]

[[body]]
name = "slider"
mass = 2
com = [0, 1, 0]

[[joint]]
name = "hinge"
type = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = [0, 1, 0]

[[joint]]
name = "rail"
type = "prismatic"
bodies = ["ground", "slider"]
axis = [1, 0, 0]

[[guided]]
name = "turn"
joint = "hinge"
inputs = ["angle", "speed", "acceleration"]

[[force]]
name = "push"
body = "slider"
point = [0, 1, 0]
value = ["push", 0, 0]

[[output]]
name = "height"
body = "arm"
point = "tip"
quantity = "position"
component = "z"

[[output]]
name = "rise"
body = "arm"
point = "tip"
quantity = "velocity"
component = "z"

[[output]]
name = "way"
joint = "rail"
quantity = "position"

[[output]]
name = "pull"
joint = "rail"
quantity = "acceleration"
"#;

#[test]
fn directional_derivatives_of_the_start_go_through_the_initialization() {
    let resources = Resources::from_text(GUIDED_START);
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    let before = (instance.bits(), instance.serialized());
    let derivative = |unknown: &str, knowns: &[&str], seed: &[f64]| {
        let (status, value) = instance.directional(unknown, knowns, seed);
        assert_eq!(status, fmi2OK, "{}", instance.messages.text());
        value
    };
    let close = |value: f64, expected: f64, what: &str| {
        assert!((value - expected).abs() < 1e-8 * expected.abs().max(1.0), "{what}: {value} {expected}");
    };
    // z = -l sin a about the y axis, and its rate.
    let (length, angle, speed) = (2.0, 0.3f64, 0.5);
    close(derivative("height", &["angle"], &[1.0]), -length * angle.cos(), "height by angle");
    close(derivative("rise", &["angle"], &[2.0]), 2.0 * length * angle.sin() * speed, "rise by angle");
    close(derivative("rise", &["speed"], &[1.0]), -length * angle.cos(), "rise by speed");
    close(derivative("pull", &["push", "push"], &[1.0, 1.0]), 1.0, "pull by push");
    close(derivative("way", &["push", "angle"], &[1.0, 1.0]), 0.0, "way");
    // The parameter is at its limit and fixed: one-sided, with another system.
    let (status, value) = instance.directional("height", &["length"], &[1.0]);
    assert_eq!(status, fmi2OK, "{}", instance.messages.text());
    close(value, -angle.sin(), "height by length");
    assert_eq!((instance.bits(), instance.serialized()), before, "nothing else changed");
    assert_eq!(instance.exit(), fmi2OK);
    assert_eq!(instance.directional("height", &["length"], &[1.0]).0, fmi2Error, "between steps inputs alone");
}

#[test]
fn initial_dependencies_name_all_that_changes_the_start_and_no_other_input() {
    let resources = Resources::from_text(GUIDED_START);
    let names = |indices: &[usize]| {
        indices.iter().map(|index| resources.variables[index - 1].name.as_str()).collect::<Vec<_>>().join(" ")
    };
    for (output, expected) in
        [("height", "length angle"), ("rise", "length angle speed"), ("way", "length"), ("pull", "length push")]
    {
        let variable = resources.variables.iter().find(|variable| variable.name == output).unwrap();
        assert_eq!(names(&variable.initial_dependencies), expected, "{output}");
    }
    // Every input that moves an initial output is among its dependencies.
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    for variable in resources.variables.iter().filter(|variable| variable.causality == Causality::Output) {
        let before = instance.get(&variable.name);
        for input in resources.variables.iter().filter(|other| other.causality == Causality::Input) {
            let start = instance.get(&input.name);
            assert_eq!(instance.set(&input.name, start + 0.1), fmi2OK);
            let moved = instance.get(&variable.name) != before;
            let index = input.value_reference as usize + 1;
            assert_eq!(moved, variable.initial_dependencies.contains(&index), "{} by {}", variable.name, input.name);
            instance.set(&input.name, start);
        }
    }
}

#[test]
fn settings_that_come_back_give_the_same_initial_bits() {
    let resources = Resources::driven();
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    let first = (instance.bits(), instance.serialized());
    for torque in [1.0, 2.0] {
        assert_eq!(instance.set("torque", torque), fmi2OK);
        assert_ne!(instance.bits(), first.0);
        assert_eq!(instance.set("load", 0.5 + torque), fmi2OK);
        instance.bits();
        assert_eq!([instance.set("load", 0.5), instance.set("torque", 0.0)], [fmi2OK; 2]);
        assert_eq!((instance.bits(), instance.serialized()), first);
    }
    // What goes on from a state that was kept is what goes on from one that was computed.
    assert_eq!(instance.exit(), fmi2OK);
    instance.steps(0.0, H, 10);
    let fresh = resources.initialized();
    fresh.steps(0.0, H, 10);
    assert_eq!((instance.bits(), instance.serialized()), (fresh.bits(), fresh.serialized()));
}

#[test]
fn every_variable_has_a_description_of_its_own() {
    let resources = Resources::from_text(GUIDED_START);
    let all: Vec<&str> = resources.variables.iter().map(|variable| variable.description.as_str()).collect();
    assert!(all.iter().all(|description| !description.is_empty()), "{all:?}");
    assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])), "{all:?}");
}

fn gallery(name: &str) -> Resources {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
    Resources::with_roms_of(&std::fs::read_to_string(folder.join("model.toml")).unwrap(), &folder)
}

#[test]
fn a_trimmed_start_follows_the_inputs_that_the_trim_takes() {
    let resources = gallery("van");
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    let speed = instance.get("chassis.velocity.x");
    // The speed at the start is a parameter; the driver's target does not change it, as the trim finds the torque that
    // holds it.
    for (known, expected) in [("speed", 1.0), ("target_speed", 0.0)] {
        let (status, value) = instance.directional("chassis.velocity.x", &[known], &[1.0]);
        assert_eq!(status, fmi2OK, "{}", instance.messages.text());
        assert!((value - expected).abs() < 1e-6, "{known}: {value}");
    }
    let index = |name: &str| resources.reference(name) as usize + 1;
    let output = &resources.variables[index("chassis.velocity.x") - 1];
    assert!(output.initial_dependencies.contains(&index("target_speed")));
    assert!(!output.dependencies.contains(&index("target_speed")), "no feedthrough");
    // There and back: the trim of the first setting was kept.
    assert_eq!(instance.set("speed", 21.0), fmi2OK);
    assert!((instance.get("chassis.velocity.x") - speed - 1.0).abs() < 1e-6);
    assert_eq!(instance.set("speed", 20.0), fmi2OK);
    assert_eq!(instance.get("chassis.velocity.x").to_bits(), speed.to_bits());
}

#[test]
fn a_guided_coordinate_depends_on_its_own_guide() {
    let resources = gallery("camera_gimbal");
    let names = |indices: &[usize]| {
        let all = indices.iter().map(|index| &resources.variables[index - 1]);
        let inputs = all.filter(|variable| variable.causality == Causality::Input);
        inputs.map(|input| input.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    for (output, direct, initial) in
        [("yaw.angle", "", ""), ("pitch.angle", "", "pitch.command"), ("roll.angle", "roll.position", "roll.position")]
    {
        let variable = &resources.variables[resources.reference(output) as usize];
        assert_eq!(
            (names(&variable.dependencies).as_str(), names(&variable.initial_dependencies).as_str()),
            (direct, initial)
        );
    }
    let instance = resources.instantiate();
    instance.setup(0.0, None);
    instance.enter();
    for (output, input) in [("pitch.angle", "pitch.command"), ("roll.angle", "roll.position")] {
        let (status, value) = instance.directional(output, &[input], &[1.0]);
        assert_eq!(status, fmi2OK, "{}", instance.messages.text());
        assert!((value - 1.0).abs() < 1e-9, "{output}: {value}");
    }
}

/// Missing dependencies let an importer read what has yet to be set.
#[test]
fn no_input_of_the_gallery_moves_a_start_that_does_not_name_it() {
    let mut compared = 0;
    for entry in std::fs::read_dir("models").expect("the gallery") {
        let folder = entry.expect("readable").path();
        if !folder.join("model.toml").is_file() {
            continue;
        }
        let document = models::load(&folder);
        let system = std::sync::Arc::new(models::compiled(&document));
        let interface = system.interface();
        let start = |moved: Option<(usize, f64)>| {
            let mut simulator = ballesta::simulate::Simulator::new(system.clone());
            for (index, input) in interface.inputs.iter().enumerate() {
                simulator.set_input(index, input.start);
            }
            if let Some((index, change)) = moved {
                simulator.set_input(index, interface.inputs[index].start + change);
            }
            let mut outputs = vec![0.0; interface.outputs.len()];
            let begun = simulator.initialize(document.model.experiment.start);
            begun.and_then(|()| simulator.outputs(&mut outputs)).ok().map(|()| outputs)
        };
        let base = start(None).unwrap_or_else(|| panic!("{} starts", system.name()));
        for index in 0..interface.inputs.len() {
            // Some inputs take the vehicle where it cannot be trimmed.
            let Some(moved) = [1e-2, -1e-2].into_iter().find_map(|change| start(Some((index, change)))) else {
                continue;
            };
            for ((info, a), b) in interface.outputs.iter().zip(&base).zip(&moved) {
                let named = info.initial_dependencies.contains(&index);
                let name = (system.name(), &info.name, &interface.inputs[index].name);
                assert!(named || (a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{name:?}: {a} becomes {b}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn no_tunable_parameter_of_the_gallery_moves_a_start_that_follows_from_no_force() {
    let (mut kept, mut moved) = (0, 0);
    for entry in std::fs::read_dir("models").expect("the gallery") {
        let folder = entry.expect("readable").path();
        if !folder.join("model.toml").is_file() {
            continue;
        }
        let document = models::load(&folder);
        let system = std::sync::Arc::new(models::compiled(&document));
        let interface = system.interface();
        let start = |changed: Option<(usize, f64)>| {
            let mut simulator = ballesta::simulate::Simulator::new(system.clone());
            if let Some((index, value)) = changed {
                simulator.set_parameter(index, value);
            }
            let mut outputs = vec![0.0; interface.outputs.len()];
            let begun = simulator.initialize(document.model.experiment.start);
            begun.and_then(|()| simulator.outputs(&mut outputs)).ok().map(|()| outputs)
        };
        let base = start(None).unwrap_or_else(|| panic!("{} starts", system.name()));
        for (index, parameter) in interface.parameters.iter().enumerate().filter(|(_, parameter)| parameter.tunable) {
            let requested =
                [1.25, 0.75].map(|factor| if parameter.start == 0.0 { factor } else { factor * parameter.start });
            let Some(value) = requested.into_iter().find(|value| parameter.admits(*value)) else { continue };
            let Some(other) = start(Some((index, value))) else { continue };
            for ((info, a), b) in interface.outputs.iter().zip(&base).zip(&other) {
                let name = (system.name(), &info.name, &parameter.name);
                assert!(info.initial_by_forces || a.to_bits() == b.to_bits(), "{name:?}: {a} becomes {b}");
                kept += usize::from(!info.initial_by_forces);
                moved += usize::from(a.to_bits() != b.to_bits());
            }
        }
    }
    assert!(kept > 20 && moved > 10, "{kept} kept, {moved} moved");
}

#[test]
fn positions_and_speeds_name_no_tunable_parameter_and_accelerations_do() {
    let resources = gallery("driven_arm");
    for (output, expected) in
        [("elbow.angle", false), ("elbow.speed", false), ("tool.x", false), ("elbow.acceleration", true)]
    {
        let variable = resources.variables.iter().find(|variable| variable.name == output).expect(output);
        let names: Vec<&str> =
            variable.initial_dependencies.iter().map(|index| resources.variables[index - 1].name.as_str()).collect();
        assert!(names.contains(&"payload.mass") && names.contains(&"tool.height"), "{output}: {names:?}");
        assert_eq!(names.contains(&"elbow.damping"), expected, "{output}: {names:?}");
    }
}
