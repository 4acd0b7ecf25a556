//! A model and an interface for the unit tests of the packager.

use ballesta::model::schema::Model;
use ballesta::system::{InputInfo, Interface, OutputInfo, ParameterInfo, ScalarKind, StateInfo, StatePlace};

/// `tests/fragments/sample.toml`.
pub fn model() -> Model {
    toml::from_str(include_str!("../../../tests/fragments/sample.toml")).expect("a valid model")
}

/// A parameter, two inputs, three outputs of different kinds, two states.
pub fn interface() -> Interface {
    let text = |text: &str| text.to_string();
    // Every optional attribute occurs once: limits, nominal value, tunable parameter, description.
    let input = |name: &str| InputInfo {
        name: text(name),
        unit: text("N"),
        start: 0.1,
        min: Some(-2.0),
        max: Some(2.0),
        description: text("Push"),
    };
    let output = |name: &str, unit: &str, kind, dependencies| OutputInfo {
        name: text(name),
        unit: text(unit),
        kind,
        initial_dependencies: vec![0],
        initial_by_forces: true,
        dependencies,
        nominal: None,
        description: String::new(),
        element: None,
    };
    let state = |name: &str, unit: &str, nominal, place| StateInfo {
        name: text(name),
        unit: text(unit),
        nominal,
        description: format!("{name} of the hinge"),
        place,
        rate: None,
    };
    // The output `drive` depends directly on both inputs; `angle` does not.
    Interface {
        inputs: vec![input("F"), input("G")],
        parameters: vec![ParameterInfo {
            name: text("d"),
            unit: text("N.s/m"),
            start: 1e-7,
            tunable: true,
            min: Some(0.0),
            max: None,
            description: text("Damping <of all>"),
        }],
        rheonomic: false,
        states: vec![
            state("state.position.A", "rad", 1.0, StatePlace::Position(0)),
            state("state.speed.A", "rad/s", 1.0, StatePlace::Speed(0)),
        ],
        not_continuous: None,
        hold_mode: false,
        constant_parameters: false,
        outputs: vec![
            output("angle", "rad", ScalarKind::Real, vec![]),
            output("drive", "N", ScalarKind::Real, vec![0, 1]),
            output("singular", "1", ScalarKind::Boolean, vec![]),
        ],
    }
}
