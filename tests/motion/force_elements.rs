//! Force elements in a whole model: closed forms, and the balance of energies of every kind of element.

use crate::check::larger;
use crate::models;
use ballesta::model::parse;
use ballesta::simulate::Simulator;
use std::sync::Arc;

/// A run of a model.
pub struct Run {
    simulator: Simulator,
    names: Vec<String>,
    values: Vec<f64>,
}

impl Run {
    pub fn new(text: &str) -> Run {
        let document = parse(text, "model.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let system = models::compiled(&document);
        let names = system.interface().outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        let values = vec![0.0; names.len()];
        let mut simulator = Simulator::new(Arc::new(system));
        simulator.initialize(0.0).expect("the model assembles");
        Run { simulator, names, values }
    }

    pub fn advance(&mut self, time: f64) {
        self.simulator.advance(time).expect("the model runs");
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn output(&mut self, name: &str) -> f64 {
        self.simulator.outputs(&mut self.values).expect("the model gives outputs");
        let index = self.names.iter().position(|found| found == name).expect("a name of the model");
        self.values[index]
    }
}

const OSCILLATOR: &str = r#"
    [model]
    name = "oscillator"
    step = 1e-3

    [[body]]
    name = "mass"
    mass = 2.0
    com = [1.0, 0.0, 0.0]

    [[joint]]
    name = "slide"
    type = "prismatic"
    bodies = ["ground", "mass"]
    axis = [1.0, 0.0, 0.0]
    position = 0.1

    [[output]]
    name = "x"
    quantity = "position"
    joint = "slide"
"#;

/// Displacement at `t` of m ẍ + c ẋ + k x = 0 from x₀ at rest, less than critically damped.
fn decay(m: f64, c: f64, k: f64, start: f64, t: f64) -> f64 {
    let rate = c / (2.0 * m);
    let omega = (k / m - rate * rate).sqrt();
    start * (-rate * t).exp() * ((omega * t).cos() + rate / omega * (omega * t).sin())
}

#[test]
fn mass_on_a_spring_damper_follows_the_closed_form() {
    let spring = r#"
        [[spring]]
        name = "spring"
        bodies = ["ground", "mass"]
        points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
        stiffness = 200.0
        damping = 4.0
    "#;
    let mut run = Run::new(&format!("{OSCILLATOR}{spring}"));
    for i in 1..=20 {
        let t = 0.1 * f64::from(i);
        run.advance(t);
        let error = (run.output("x") - decay(2.0, 4.0, 200.0, 0.1, t)).abs();
        assert!(error < 1e-10, "{error} m at {t} s");
    }
}

#[test]
fn joint_spring_bushing_and_table_give_the_same_motion_as_the_spring() {
    let elements = [
        r#"
        [[joint_spring]]
        name = "spring"
        joint = "slide"
        stiffness = 200.0
        damping = 4.0
        "#,
        r#"
        [[bushing]]
        name = "mount"
        bodies = ["ground", "mass"]
        point = [1.0, 0.0, 0.0]
        stiffness = [200.0, 9.0, 9.0, 9.0, 9.0, 9.0]
        damping = [4.0, 9.0, 9.0, 9.0, 9.0, 9.0]
        "#,
        r#"
        [[spring]]
        name = "spring"
        bodies = ["mass", "ground"]
        points = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        force_table = [[-0.05, -10.0], [0.02, 4.0], [0.03, 6.0]]
        damping_table = [[-1.0, -4.0], [0.5, 2.0]]
        "#,
        r#"
        [[joint_spring]]
        name = "spring"
        joint = "slide"
        stiffness = 200.0
        free_position = -0.3
        preload = -60.0

        [[friction]]
        name = "oil"
        joint = "slide"
        viscous = 4.0
        "#,
    ];
    for element in elements {
        let mut run = Run::new(&format!("{OSCILLATOR}{element}"));
        for i in 1..=10 {
            let t = 0.2 * f64::from(i);
            run.advance(t);
            let error = (run.output("x") - decay(2.0, 4.0, 200.0, 0.1, t)).abs();
            assert!(error < 1e-10, "{error} m at {t} s with {element}");
        }
    }
}

/// A hinged arm, a block that slides in it, and a free plate; no gravity, everything in motion.
const MECHANISM: &str = r#"
    [model]
    name = "mechanism"
    step = 1e-3

    [[input]]
    name = "u"
    start = 3.0

    [[body]]
    name = "arm"
    mass = 2.0
    com = [0.5, 0.0, 0.0]
    inertia = [0.02, 0.2, 0.2, 0.0, 0.0, 0.0]

    [[body]]
    name = "block"
    mass = 0.5
    com = [0.6, 0.0, 0.1]
    inertia = [0.01, 0.02, 0.015, 0.0, 0.0, 0.0]

    [[body]]
    name = "plate"
    mass = 1.0
    com = [0.9, 0.3, 0.2]
    inertia = [0.03, 0.05, 0.07, 0.002, 0.0, 0.001]

    [[joint]]
    name = "hinge"
    type = "revolute"
    bodies = ["ground", "arm"]
    point = [0.0, 0.0, 0.0]
    axis = [0.0, 1.0, 0.0]
    speed = 1.5

    [[joint]]
    name = "slide"
    type = "prismatic"
    bodies = ["arm", "block"]
    axis = [1.0, 0.0, 0.0]
    speed = 0.8

    [[joint]]
    name = "free"
    type = "floating"
    bodies = ["ground", "plate"]
    speed = [0.3, -0.2, 0.1, 2.0, -3.0, 2.5]

    [[output]]
    name = "balance"
    quantity = "energy_balance"

    [[output]]
    name = "kinetic"
    quantity = "kinetic_energy"

    [[output]]
    name = "potential"
    quantity = "potential_energy"

    [[output]]
    name = "dissipated"
    quantity = "dissipated_energy"

    [[output]]
    name = "work"
    quantity = "input_work"
"#;

/// Which energies an element must have moved, as extrema over the run.
#[derive(Default)]
struct Moved {
    potential: f64,
    dissipated: f64,
    work: f64,
    drift: f64,
}

fn run_mechanism(element: &str) -> Moved {
    let mut run = Run::new(&format!("{MECHANISM}{element}"));
    let start = run.output("balance");
    let mut moved = Moved::default();
    for i in 1..=100 {
        run.advance(0.02 * f64::from(i));
        moved.potential = larger(moved.potential, run.output("potential").abs());
        moved.dissipated = larger(moved.dissipated, run.output("dissipated"));
        moved.work = larger(moved.work, run.output("work").abs());
        moved.drift = larger(moved.drift, (run.output("balance") - start).abs());
    }
    moved
}

#[test]
fn energies_balance_with_smooth_elastic_and_damping_elements() {
    let spring = r#"
        [[spring]]
        name = "strut"
        bodies = ["arm", "plate"]
        points = [[0.7, 0.1, 0.0], [1.0, 0.4, 0.3]]
        stiffness = 40.0
        damping = 0.5
        free_length = 0.3
        preload = 2.0
    "#;
    let bushing = r#"
        [[bushing]]
        name = "mount"
        bodies = ["block", "plate"]
        point = [0.8, 0.2, 0.2]
        axis = [1.0, 1.0, 0.0]
        stiffness = [60.0, 40.0, 50.0, 1.0, 3.0, 2.0]
        damping = [0.2, 0.3, 0.1, 0.01, 0.02, 0.03]
        preload = [1.0, 0.5, -1.0, 0.1, 0.2, -0.1]
    "#;
    let joint_spring = r#"
        [[joint_spring]]
        name = "torsion"
        joint = "hinge"
        stiffness = 6.0
        damping = 0.2
        free_position = -0.3
        preload = 1.0
    "#;
    for element in [spring, bushing, joint_spring] {
        let moved = run_mechanism(element);
        assert!(moved.potential > 0.3 && moved.dissipated > 0.1, "{} J, {} J", moved.potential, moved.dissipated);
        assert!(moved.drift < 1e-9, "{} J with {element}", moved.drift);
    }
}

#[test]
fn energies_balance_with_friction_and_applied_loads() {
    let friction = r#"
        [[friction]]
        name = "seal"
        joint = "slide"
        coulomb = 0.6
        presliding = 0.01
        viscous = 0.05
    "#;
    let applied = r#"
        [[force]]
        name = "push"
        body = "plate"
        point = [1.0, 0.2, 0.1]
        value = ["u", 1.0, -0.5]
        axes = "body"

        [[force]]
        name = "pull"
        body = "arm"
        point = [1.0, 0.0, 0.0]
        value = [0.0, 0.0, "u"]

        [[torque]]
        name = "twist"
        body = "plate"
        value = [0.1, -0.2, 0.1]
        axes = "body"
    "#;
    let drive = r#"
        [[drive]]
        name = "motor"
        joint = "hinge"
        value = "u"
        gain = -0.7
    "#;
    let moved = run_mechanism(friction);
    // 5e-14 J of 0.85 J are found, 7e-13 J with twice the step: the block slides all the time, without a kink of the
    // law.
    assert!(moved.dissipated > 0.05 && moved.drift < 1e-9, "{} J, {} J", moved.dissipated, moved.drift);
    for element in [applied, drive] {
        let moved = run_mechanism(element);
        assert!(moved.work > 0.5 && moved.dissipated == 0.0 && moved.potential == 0.0, "{} J", moved.work);
        assert!(moved.drift < 1e-9 * moved.work.max(1.0), "{} J with {element}", moved.drift);
    }
}

#[test]
fn energies_balance_through_tables_and_stops_up_to_the_kinks_they_have() {
    let table = r#"
        [[spring]]
        name = "strut"
        bodies = ["ground", "plate"]
        points = [[0.7, 0.1, 0.0], [1.0, 0.4, 0.3]]
        force_table = [[-0.2, -12.0], [0.0, 0.0], [0.2, 6.0], [0.4, 30.0]]
        damping_table = [[-1.0, -0.4], [0.0, 0.0], [1.0, 0.8]]
    "#;
    let elastic_stop = r#"
        [[bump_stop]]
        name = "stop"
        joint = "slide"
        lower = -0.1
        upper = 0.1
        stiffness = 2000.0
        exponent = 1.5
    "#;
    let damped_stop = r#"
        [[bump_stop]]
        name = "stop"
        joint = "slide"
        lower = -0.1
        upper = 0.1
        stiffness = 500.0
        damping = 10.0
    "#;
    for (element, tolerance) in [(table, 1e-6), (elastic_stop, 1e-5), (damped_stop, 3e-5)] {
        let moved = run_mechanism(element);
        assert!(moved.potential > 0.02, "{} J", moved.potential);
        assert!(moved.drift < tolerance, "{} J with {element}", moved.drift);
    }
}
