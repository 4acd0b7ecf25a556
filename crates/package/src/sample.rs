//! A model and a boundary that the unit tests of the packager share.

use ballesta::model::schema::Model;
use ballesta::system::{InputInfo, Interface, OutputInfo, ParameterInfo, ScalarKind, StateInfo, StatePlace};

/// Spatial slider-crank with a tie rod, a weight on a spring, and names that need escaping.
pub fn model() -> Model {
    toml::from_str(
        r#"
        [model]
        name = "sample"
        description = "Crank & rod,\n  2 < 3 \"loops\""
        [experiment]
        stop = 2
        step = 0.01
        [[body]]
        name = "crank"
        mass = 1.5
        [[body]]
        name = "rod_a"
        [[body]]
        name = "slider"
        mass = "m"
        [[body]]
        name = "weight"
        mass = 2
        [[joint]]
        name = "A"
        type = "revolute"
        bodies = ["ground", "crank"]
        [[joint]]
        name = "B"
        type = "universal"
        bodies = ["crank", "rod_a"]
        [[joint]]
        name = "C"
        type = "spherical"
        bodies = ["rod_a", "slider"]
        [[joint]]
        name = "guide"
        type = "prismatic"
        bodies = ["ground", "slider"]
        [[rod]]
        name = "tie"
        bodies = ["ground", "crank"]
        points = [[0, 0, 0], [1, 0, 0]]
        [[spring]]
        name = "spring <1>"
        bodies = ["crank", "weight"]
        points = [[0, 0, 0], [1, 0, 0]]
        stiffness = 10
        [[joint_spring]]
        name = "hinge_spring"
        joint = "A"
        stiffness = 1
        [[force]]
        name = "push"
        body = "slider"
        point = [0, 0, 0]
        value = ["F", 0, 0]
        "#,
    )
    .expect("the sample follows the schema")
}

/// A parameter, two inputs, three outputs of different kinds, two states.
pub fn interface() -> Interface {
    let text = |text: &str| text.to_string();
    let input = |name: &str| InputInfo { name: text(name), unit: text("N"), start: 0.1, description: text("Push") };
    let output = |name: &str, unit: &str, kind, dependencies| OutputInfo {
        name: text(name),
        unit: text(unit),
        kind,
        initial_dependencies: vec![0],
        initial_by_forces: true,
        dependencies,
        description: String::new(),
        element: None,
    };
    let state = |name: &str, unit: &str, nominal, place| StateInfo {
        name: text(name),
        unit: text(unit),
        nominal,
        description: format!("{name} of the hinge"),
        place,
    };
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
        outputs: vec![
            output("angle", "rad", ScalarKind::Real, vec![]),
            output("drive", "N", ScalarKind::Real, vec![0, 1]),
            output("singular", "1", ScalarKind::Boolean, vec![]),
        ],
    }
}
