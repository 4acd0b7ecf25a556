//! Steps made in halves: where they are needed and nowhere else, with the order of the scheme, the same whichever way
//! they are reached.

use crate::models;
use crate::verification::support::{Run, add_system_output, compile, gallery, in_parallel, load};
use crate::verification::verification_page::went_through;
use ballesta::math::larger;
use ballesta::model::schema::{Integrator, Model, PerCoordinate, Quantity};
use ballesta::simulate::{Judgement, Simulator};
use ballesta::system::System;
use std::sync::Arc;

/// Length of the motion and distance of its points, s.
const STOP: f64 = 0.7;
const POINTS: u32 = 70;

/// The Delta robot without its springs, pushed at −9, −9 and 8 rad/s.
fn pushed() -> Model {
    let mut model = load("delta_robot");
    model.joint_springs.clear();
    for (joint, speed) in model.joints.iter_mut().zip([-9.0, -9.0, 8.0]) {
        joint.speed = Some(PerCoordinate::One(speed.into()));
    }
    model
}

/// The same with another step and limit of halvings.
fn robot(step: f64, halvings: Option<u32>) -> System {
    let mut model = pushed();
    (model.general.step, model.general.step_halvings) = (step, halvings);
    compile(&model)
}

/// The outputs of every point, and what the run says of itself.
fn run(system: System) -> (Vec<Vec<f64>>, Judgement) {
    let mut simulator = Simulator::new(Arc::new(system));
    let mut outputs = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.initialize(0.0).unwrap();
    let rows = (0..=POINTS).map(|point| {
        simulator.advance(STOP * f64::from(point) / f64::from(POINTS)).unwrap();
        simulator.outputs(&mut outputs).unwrap();
        outputs.clone()
    });
    (rows.collect(), *simulator.judgement())
}

/// Energy error in parts of the energy exchanged.
fn error(judgement: &Judgement) -> f64 {
    judgement.energy_change().abs() / judgement.energy_exchanged()
}

/// Largest distance of the platform in two runs, m.
fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let distance = |(a, b): (&Vec<f64>, &Vec<f64>)| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    a.iter().zip(b).map(distance).fold(0.0, larger)
}

#[test]
fn a_few_halved_steps_save_the_energy_of_a_robot_whose_rods_whip_round() {
    let (_, halved) = run(robot(1e-3, None));
    let (_, whole) = run(robot(1e-3, Some(0)));
    println!(
        "{} of {} steps in halves, energy {:.1e}; none {:.1e} of what is exchanged",
        halved.halved_steps(),
        halved.steps(),
        error(&halved),
        error(&whole)
    );
    assert_eq!(whole.halved_steps(), 0.0);
    assert!((1.0..=20.0).contains(&halved.halved_steps()) && halved.steps() == 700.0);
    assert!(error(&halved) <= 1e-5 && error(&whole) >= 1e-3);
}

#[test]
fn halved_steps_keep_the_order_of_the_scheme() {
    let runs = [1e-3, 0.5e-3, 0.25e-3].map(|step| {
        let mut system = robot(step, None);
        system.halve_as_with(1e-3);
        run(system).0
    });
    let differences = [apart(&runs[0], &runs[1]), apart(&runs[1], &runs[2])];
    let order = (differences[0] / differences[1]).log2();
    println!("platform differs by {:.1e} and {:.1e} m: order {order:.2}", differences[0], differences[1]);
    assert!(order >= 3.5 && differences[0] <= 1e-4);
}

/// A spatial four-bar with a spring over 100 s, which whips round some 700 times.
#[test]
fn the_energy_of_a_long_run_gets_better_with_every_shorter_step() {
    let place = std::path::Path::new("tests/trust/rssr_rod_spring.toml");
    let steps = [2e-3, 1e-3, 0.5e-3, 0.25e-3];
    let drifts = in_parallel(&steps, |&step| {
        let mut document = models::load(place);
        document.model.general.take_step(step);
        let mut simulator = Simulator::new(Arc::new(compile(&document.model)));
        simulator.initialize(0.0).unwrap();
        let mut outputs = vec![0.0; simulator.system().interface().outputs.len()];
        for second in 0..=100 {
            simulator.advance(f64::from(second)).unwrap();
            simulator.outputs(&mut outputs).unwrap();
        }
        let judgement = *simulator.judgement();
        (judgement.energy_change().abs(), judgement.halved_steps() / judgement.steps())
    });
    println!("drift in J and part of the steps in halves at {steps:?} s: {drifts:?}");
    for pair in drifts.windows(2) {
        assert!(pair[1].0 < pair[0].0 / 8.0, "{drifts:?}");
    }
    assert!(drifts.iter().all(|(_, halved)| (0.01..0.05).contains(halved)), "{drifts:?}");
}

/// As docs/model-format.md says.
#[test]
fn the_page_names_the_rigid_models_of_the_gallery_that_halve_steps() {
    let names = gallery();
    let halved = in_parallel(&names, |name| {
        let mut model = load(name);
        model.outputs.clear();
        add_system_output(&mut model, "halved", Quantity::HalvedSteps);
        let mut run = Run::new(&model);
        run.advance(model.experiment.stop);
        run.get("halved")
    });
    let some: Vec<String> = (names.iter().zip(&halved))
        .filter(|(_, halved)| **halved != 0.0)
        .map(|(name, halved)| format!("{name} ({halved})"))
        .collect();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/model-format.md")).expect("the page");
    let sentence = format!("halved steps in the experiments of the gallery: {}.", some.join(", "));
    assert!(page.contains(&sentence), "docs/model-format.md does not say: {sentence}");
    went_through("steps in halves", &names.iter().collect::<Vec<_>>());
}

#[test]
fn other_schemes_and_mechanisms_without_loops_make_no_halves() {
    let mut trees = load("spatial_double_pendulum");
    trees.general.step = 20e-3;
    let (_, judgement) = run(compile(&trees));
    assert_eq!(judgement.halved_steps(), 0.0);
    let mut heun = pushed();
    heun.general.integrator = Integrator::Heun;
    let (_, judgement) = run(compile(&heun));
    assert_eq!(judgement.halved_steps(), 0.0);
}
