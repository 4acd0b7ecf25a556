//! Models of the gallery whose motion, or a relation of it, is known in closed form.

use crate::check::larger;
use crate::verification::page::figure;
use crate::verification::support::{Run, load, output_times};
use ballesta::math::largest;
use ballesta::model::schema::{Body, JointKind, Model};

/// The row of the page on a relation that a model keeps.
fn says(model: &str, relation: &str, found: &str) {
    figure("Closed forms", |cells| cells[0] == model && cells[1].starts_with(relation), 2, found);
}

/// Largest |f| over the experiment of a model.
fn worst(model: &Model, mut f: impl FnMut(&Run, f64) -> f64) -> f64 {
    let mut run = Run::new(model);
    let mut worst = f(&run, model.experiment.start).abs();
    for time in output_times(model) {
        run.advance(time);
        let value = f(&run, time).abs();
        assert!(value.is_finite(), "not finite at {time} s");
        worst = larger(worst, value);
    }
    worst
}

#[test]
fn the_lead_screw_falls_with_constant_acceleration() {
    let lead = 0.02 / std::f64::consts::TAU;
    let acceleration = -9.81 * 2.0 / (2.0 + 0.002 / (lead * lead));
    let error = worst(&load("lead_screw"), |run, t| run.get("nut.travel") - 0.5 * acceleration * t * t);
    println!("lead screw: travel error {error:.1e} m of {:.3} m", 0.5 * acceleration.abs() * 16.0);
    says("lead_screw", "constant", &format!("{error:.1e} m"));
    assert!(error <= 1e-11);
}

#[test]
fn the_gear_train_is_a_harmonic_oscillator() {
    let ratio: f64 = 1.0 / 12.0;
    let inertia = 2e-4 + 4e-3 / 16.0 + 0.36 * ratio * ratio;
    let omega = (30.0 * ratio * ratio / inertia).sqrt();
    let error = worst(&load("gear_train"), |run, t| run.get("motor.angle") - 60.0 / omega * (omega * t).sin());
    let relations = worst(&load("gear_train"), |run, _| {
        let motor = run.get("motor.angle");
        largest([run.get("layshaft.angle") + motor / 4.0, run.get("load.angle") - motor / 12.0])
    });
    println!("gear train: motor angle error {error:.1e} rad of {:.2} rad, ratios to {relations:.1e} rad", 60.0 / omega);
    says("gear_train", "harmonic", &format!("{error:.1e} rad of {:.1} rad", 60.0 / omega));
    says("gear_train", "ratios", &format!("{relations:.1e} rad"));
    assert!(error <= 1e-7 && relations <= 1e-12);
}

#[test]
fn the_scotch_yoke_moves_as_the_cosine_of_its_crank() {
    let error =
        worst(&load("scotch_yoke"), |run, _| run.get("yoke.travel") - 0.1 * (run.get("crank.angle").cos() - 1.0));
    println!("scotch yoke: travel against r (cos(angle) − 1): {error:.1e} m");
    says("scotch_yoke", "travel", &format!("{error:.1e} m"));
    assert!(error <= 1e-12);
}

#[test]
fn the_double_cardan_shaft_turns_at_constant_ratio() {
    let error = worst(&load("cardan_shaft"), |run, _| run.get("output_shaft.angle") - run.get("input_shaft.angle"));
    println!("cardan shaft: output angle less input angle {error:.1e} rad");
    says("cardan_shaft", "output", &format!("{error:.1e} rad"));
    assert!(error <= 1e-10);
}

#[test]
fn the_coupler_of_the_parallelogram_does_not_turn() {
    let error = worst(&load("parallelogram_redundant_rod"), |run, _| run.vector("coupler.angular_velocity").norm());
    println!("parallelogram with a third rod: angular velocity of the coupler {error:.1e} rad/s");
    says("parallelogram_redundant_rod", "the coupler", &format!("{error:.1e} rad/s"));
    assert!(error <= 1e-9);
}

#[test]
fn the_coupled_wheelsets_turn_together() {
    let error = worst(&load("two_rods_redundant"), |run, _| run.get("front.angle") - run.get("rear.angle"));
    println!("two wheelsets: difference of their angles {error:.1e} rad");
    says("two_rods_redundant", "both", &format!("{error:.1e} rad"));
    assert!(error <= 1e-9);
}

#[test]
fn the_swash_plate_pistons_follow_the_plate() {
    // On a plate with normal (0.28, 0, 0.96) that turned by a, a piston at (x, 0) stands 0.28/0.96 x (1 − cos a)
    // higher.
    let model = load("swash_plate");
    let mut largest = 0.0;
    for (piston, x) in [(1, 0.08), (2, -0.08)] {
        let name = format!("piston[{piston}].travel");
        let error = worst(&model, |run, _| run.get(&name) - 0.28 / 0.96 * x * (1.0 - run.get("shaft.angle").cos()));
        println!("swash plate: travel of piston {piston} against the closed form {error:.1e} m");
        assert!(error <= 1e-10);
        largest = larger(largest, error);
    }
    says("swash_plate", "travel", &format!("{largest:.1e} m"));
}

#[test]
fn the_preloaded_mounts_carry_the_engine_without_deflection() {
    let mut model = load("bushing_mount");
    for input in &mut model.inputs {
        input.start = 0.0;
    }
    let error = worst(&model, |run, _| run.vector("engine").z - 0.15);
    println!("bushing mount without excitation: vertical motion {error:.1e} m");
    says("bushing_mount", "preload", &format!("{error:.1e} m"));
    assert!(error <= 1e-14);
}

/// The four beams of the welded frame as one body with the sum of their masses and inertias.
fn lumped_frame() -> Model {
    let mut model = load("welded_frame");
    let (mut mass, mut moment) = (0.0, [0.0; 3]);
    let number = |n: &ballesta::model::schema::Number| crate::verification::support::number(&load("welded_frame"), n);
    let data: Vec<(f64, [f64; 3], Vec<f64>)> = model
        .bodies
        .iter()
        .map(|body| {
            let com = match body.com.as_ref().expect("given") {
                ballesta::model::schema::Place::At(v) => [number(&v[0]), number(&v[1]), number(&v[2])],
                ballesta::model::schema::Place::Point(_) => unreachable!("the frame gives coordinates"),
            };
            (number(&body.mass), com, body.inertia.as_ref().expect("given").iter().map(number).collect())
        })
        .collect();
    for (m, com, _) in &data {
        mass += m;
        for k in 0..3 {
            moment[k] += m * com[k];
        }
    }
    let com = moment.map(|x| x / mass);
    let mut inertia = [0.0; 6];
    for (m, p, j) in &data {
        let d = [p[0] - com[0], p[1] - com[1], p[2] - com[2]];
        let squares = d.iter().map(|x| x * x).sum::<f64>();
        for (entry, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].into_iter().enumerate() {
            inertia[entry] += j[entry] + m * (if a == b { squares } else { 0.0 } - d[a] * d[b]);
        }
    }
    model.bodies = vec![Body {
        name: "top".into(),
        mass: mass.into(),
        com: Some(ballesta::model::schema::Place::At(com.map(Into::into))),
        inertia: Some(inertia.map(Into::into)),
    }];
    model.joints.retain(|joint| joint.kind == JointKind::Universal);
    model.outputs.retain(|output| output.joint.is_some());
    model
}

#[test]
fn the_welded_frame_moves_as_one_body() {
    let mut one = Run::new(&lumped_frame());
    let names = ["hanger.angle", "hanger.second_angle", "hanger.force.x", "hanger.force.y", "hanger.force.z"];
    let error = worst(&load("welded_frame"), |run, t| {
        if t > 0.0 {
            one.advance(t);
        }
        names.iter().map(|name| (run.get(name) - one.get(name)).abs()).fold(0.0, larger)
    });
    println!("welded frame against one rigid body: angles and hanger force to {error:.1e} rad, N");
    says("welded_frame", "moves", &format!("{error:.1e} rad, N"));
    assert!(error <= 1e-8);
}

/// The arm's joint, drive and joint spring are all called `elbow`: each output finds the one it names.
#[test]
fn outputs_of_the_drive_are_those_of_the_drive() {
    let error = worst(&load("driven_arm"), |run, _| {
        let effort = run.get("elbow.effort") + 8.0;
        largest([effort, run.get("elbow.power") - run.get("elbow.effort") * run.get("elbow.speed")])
    });
    println!("driven arm: effort and power of the elbow's drive to {error:.1e}");
    assert!(error <= 1e-12);
}
