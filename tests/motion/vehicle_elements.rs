//! Force elements of vehicles in whole models: equality with mechanisms, statics, balance of energies, the fifth wheel.

use crate::models;
use ballesta::model::{self, parse};
use ballesta::simulate::Simulator;
use std::path::Path;
use std::sync::Arc;

struct Run {
    simulator: Simulator,
    names: Vec<String>,
    values: Vec<f64>,
}

impl Run {
    fn new(document: model::Document) -> Run {
        let system = models::compiled(&document);
        let names = system.interface().outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        let values = vec![0.0; names.len()];
        let mut simulator = Simulator::new(Arc::new(system));
        simulator.initialize(0.0).expect("the model assembles");
        Run { simulator, names, values }
    }

    fn gallery(name: &str) -> Run {
        let document = model::load(&Path::new("models").join(name));
        Run::new(document.unwrap_or_else(|diagnostics| panic!("{diagnostics}")))
    }

    fn text(text: &str) -> Run {
        Run::new(parse(text, "model.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}")))
    }

    fn output(&mut self, name: &str) -> f64 {
        self.simulator.outputs(&mut self.values).expect("the model gives outputs");
        self.values[self.names.iter().position(|found| found == name).expect("a name of the model")]
    }
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} within {tolerance}");
}

#[test]
fn anti_roll_bar_as_a_force_equals_half_bars_with_drop_links_for_small_motions() {
    let mut run = Run::gallery("anti_roll_bar");
    run.simulator.trim().expect("an equilibrium");
    // One side loaded: travels (F/2)(1/k + 1/(k + 2 k_b)) and (F/2)(1/k − 1/(k + 2 k_b)) with k = 20 kN/m, k_b = 8
    // kN/m.
    let (both, apart) = (50.0 / 20_000.0, 50.0 / 36_000.0);
    close(run.output("left_beside.travel"), both + apart, 1e-12);
    close(run.output("right_beside.travel"), both - apart, 1e-12);
    close(run.output("bar_beside.force"), 8000.0 * 2.0 * apart, 1e-8);
    for side in ["left", "right"] {
        let (bar, force) = (run.output(&format!("{side}.travel")), run.output(&format!("{side}_beside.travel")));
        close(bar, force, 1e-3 * force);
    }
}

#[test]
fn leaf_spring_as_three_links_has_the_vertical_stiffness_of_the_element() {
    let mut run = Run::gallery("three_link_leaf");
    run.simulator.trim().expect("an equilibrium");
    close(run.output("leaves.deflection"), 1e-3, 1e-12);
    close(run.output("leaves.force"), 100.0, 1e-7);
    close(run.output("links.deflection"), 1e-3, 1e-6);
}

/// A quarter of a vehicle with a wheel: every element with an energy in one model.
const QUARTER: &str = r#"
    [model]
    name = "quarter"
    gravity = [0, 0, -9.81]
    step = 0.5e-3

    [[body]]
    name = "frame"
    mass = 500
    com = [0, 0, 0.8]
    inertia = [100, 100, 100, 0, 0, 0]
    [[body]]
    name = "axle"
    mass = 60
    com = [0, 0, 0.4]
    inertia = [2, 2, 2, 0, 0, 0]
    [[body]]
    name = "wheel"
    mass = 30
    com = [0, 0.3, 0.4]
    inertia = [0.5, 1, 0.5, 0, 0, 0]
    [[joint]]
    name = "heave"
    type = "prismatic"
    bodies = ["ground", "frame"]
    axis = [0, 0, 1]
    speed = 0.5
    [[joint]]
    name = "travel"
    type = "planar"
    bodies = ["ground", "axle"]
    point = [0, 0, 0.4]
    axis = [0, 1, 0]
    [[joint]]
    name = "hub"
    type = "revolute"
    bodies = ["axle", "wheel"]
    point = [0, 0.3, 0.4]
    axis = [0, 1, 0]
    speed = 40

    [[spring]]
    name = "tyre"
    bodies = ["ground", "axle"]
    points = [[0, 0, -0.6], [0, 0, 0.4]]
    stiffness = 200000
    preload = -5788
    damping = 200
    [[leaf_spring]]
    name = "leaves"
    bodies = ["frame", "axle"]
    point = [0, 0, 0.4]
    stiffness = 20000
    load = 2400
    friction = 150
    friction_coefficient = 0.03
    longitudinal_stiffness = 1e5
    longitudinal_damping = 1000
    wind_up_stiffness = 20000
    wind_up_damping = 50
    [[damper]]
    name = "damper"
    bodies = ["frame", "axle"]
    points = [[0.1, 0, 0.8], [0, 0, 0.4]]
    bump_damping = 1000
    bump_degressivity = 3
    rebound_damping = 3000
    rebound_degressivity = 1
    gas_force = 100
    [[air_spring]]
    name = "bellows"
    bodies = ["axle", "frame"]
    points = [[0, 0, 0.4], [0, 0, 0.65]]
    area = 0.01
    reservoir = 0.002
    force = 2400
    [[bump_stop]]
    name = "stop"
    bodies = ["axle", "frame"]
    points = [[0, 0, 0.4], [0, 0, 0.65]]
    lower = 0.24
    force_table = [[0, 0], [0.01, 200], [0.05, 2000]]
    damping = 300
    damping_depth = 0.02
    [[brake]]
    name = "brake"
    joint = "hub"
    torque = 100
    [[aerodynamic_drag]]
    name = "air"
    body = "frame"
    point = [0, 0, 0.9]
    drag_area = 2
    wind = [10, 0, 3]

    [[output]]
    name = "balance"
    quantity = "energy_balance"
    [[output]]
    name = "dissipated"
    quantity = "dissipated_energy"
    [[output]]
    name = "hub.speed"
    quantity = "speed"
    joint = "hub"
    [[output]]
    name = "brake.torque"
    quantity = "effort"
    drive = "brake"
    [[output]]
    name = "bellows.pressure"
    quantity = "pressure"
    spring = "bellows"
    [[output]]
    name = "leaves.force"
    quantity = "force"
    spring = "leaves"
    [[output]]
    name = "damper.speed"
    quantity = "speed"
    spring = "damper"
    [[output]]
    name = "stop.force"
    quantity = "force"
    spring = "stop"
    [[output]]
    name = "air.force"
    quantity = "force"
    aerodynamic_drag = "air"
"#;

#[test]
fn energy_balance_of_a_quarter_vehicle_with_every_element_closes() {
    let mut run = Run::text(QUARTER);
    close(run.output("bellows.pressure"), 101325.0 + 240_000.0, 1e-6);
    let start = run.output("balance");
    run.simulator.advance(0.2).expect("the model runs");
    close(run.output("brake.torque"), -100.0, 1e-6);
    run.simulator.advance(1.3).expect("the model runs");
    assert!(run.output("hub.speed").abs() < 1.0, "the brake holds the wheel");
    let (lost, drift) = (run.output("dissipated"), run.output("balance") - start);
    assert!(lost > 500.0, "{lost}");
    assert!(drift.abs() < 1e-5 * lost, "{drift:e} J of {lost} J");
    assert!(run.output("stop.force") <= 0.0 && run.output("damper.speed").is_finite());
    close(run.output("air.force.y"), 0.0, 1e-9);
}

const ROAD_TRAIN: &str = r#"
    [model]
    name = "road_train"
    gravity = [0, 0, -9.81]
    [points]
    kingpin = [-4.64, 0, 0.82]
    [[body]]
    name = "tractor"
    mass = 10000
    com = [-2, 0, 0.8]
    inertia = [3441, 28485, 29395, 0, 0, 0]
    [[body]]
    name = "trailer"
    mass = 20000
    com = [-10, 0, 2]
    inertia = [23904, 322240, 320011, 0, 0, 0]
    [[joint]]
    name = "free"
    type = "floating"
    bodies = ["ground", "tractor"]
"#;

/// The TOML blocks of the chapter on fifth wheels.
fn fifth_wheel() -> Vec<String> {
    let page = std::fs::read_to_string("docs/vehicles.md").expect("the page");
    let chapter = page.split("## Fifth wheel").nth(1).expect("the chapter");
    let blocks = chapter.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_string()).collect()
}

#[test]
fn fifth_wheel_of_the_documentation_has_pitch_and_yaw_and_with_a_bushing_stiff_roll() {
    let blocks = fifth_wheel();
    let pitch_only = Run::text(&format!("{ROAD_TRAIN}\n{}", blocks[0]));
    assert_eq!(pitch_only.simulator.system().report().dof, 6 + 2);
    let spherical = "[[joint]]\nname = \"fifth_wheel\"\ntype = \"spherical\"\nbodies = [\"tractor\", \
        \"trailer\"]\npoint = \"kingpin\"\n";
    let with_roll = Run::text(&format!("{ROAD_TRAIN}\n{spherical}\n{}", blocks[1]));
    assert_eq!(with_roll.simulator.system().report().dof, 6 + 3);
}
