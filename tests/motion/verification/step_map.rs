//! Step limits from the step itself, against the schemes' formulas and against simulations.

use crate::models;
use crate::verification::support::{Run, compile, gallery, load, models_folder, parse};
use crate::verification::verification_page::went_through;
use ballesta::analysis::stability::{StepLimit, explicit_limit};
use ballesta::analysis::step_map::{AnalysisExtent, StepMap, step_limit};
use ballesta::math::larger;
use ballesta::model::schema::{Integrator, Model};
use ballesta::simulate::Simulator;
use ballesta::system::Workspace;
use std::sync::Arc;

fn state(model: &Model) -> Simulator {
    let mut simulator = Simulator::new(Arc::new(compile(model)));
    simulator.initialize(model.experiment.start).expect("starts");
    simulator
}

/// The limit from the step, for any scheme.
fn mapped(model: &Model) -> StepLimit {
    let (system, simulator) = (compile(model), state(model));
    let mut ws = Workspace::new(&system);
    let map = StepMap::new(&system, simulator.state(), &mut ws).unwrap_or_else(|error| panic!("{error}"));
    map.limit(&mut ws, AnalysisExtent::Longest).unwrap_or_else(|error| panic!("{error}"))
}

/// A rotor in a gimbal that springs and dampers hold: gyroscopic terms, damping, friction.
fn gimbal(integrator: Integrator, damping: f64) -> Model {
    let mut model = parse(&format!(
        r#"
        [model]
        name = "gimbal"
        step = 1e-3
        [[body]]
        name = "ring"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.01, 0.01, 0, 0, 0]
        [[body]]
        name = "rotor"
        mass = 1
        com = [0, 0, 0]
        inertia = [0.01, 0.01, 0.02, 0, 0, 0]
        [[joint]]
        name = "u"
        type = "universal"
        bodies = ["ground", "ring"]
        point = [0, 0, 0]
        axis = [1, 0, 0]
        second_axis = [0, 1, 0]
        [[joint]]
        name = "spin"
        type = "revolute"
        bodies = ["ring", "rotor"]
        point = [0, 0, 0]
        axis = [0, 0, 1]
        speed = 300
        [[joint_spring]]
        name = "first"
        joint = "u"
        coordinate = "angle"
        stiffness = 20
        damping = {damping}
        [[joint_spring]]
        name = "second"
        joint = "u"
        coordinate = "second_angle"
        stiffness = 30
        damping = {damping}
        "#
    ));
    model.general.integrator = integrator;
    model
}

#[test]
fn limits_of_semi_implicit_euler_are_not_longer_than_those_of_its_steps() {
    let (mut compared, mut worst) = (0, 0.0);
    let mut models: Vec<Model> = gallery().iter().map(|name| load(name)).collect();
    models.push(gimbal(Integrator::Rk4, 0.5));
    for mut model in models {
        model.general.integrator = Integrator::SemiImplicitEuler;
        let name = &model.general.name;
        let (system, simulator) = (compile(&model), state(&model));
        let Ok(limit) = explicit_limit(&system, simulator.state(), &mut Workspace::new(&system)) else { continue };
        let mut ws = Workspace::new(&system);
        let Ok(map) = StepMap::new(&system, simulator.state(), &mut ws) else { continue };
        let Ok(own) = map.limit(&mut ws, AnalysisExtent::Longest) else { continue };
        // Filters of prescribed motions have a limit of their own, 2/ω.
        // Of the friction at rest in `rack_steering` the differences of the step give a limit of 8 ms instead of 14 ms.
        let fails = own.coordinate == "a step that fails" || !model.guided.is_empty() || name == "rack_steering";
        if !own.step.is_finite() || fails || limit.step > 32.0 * model.general.step {
            println!(
                "{name}: {:.3e} s by formula, {:.3e} s of the step, not compared: `{}`",
                limit.step, own.step, own.coordinate
            );
            continue;
        }
        let ratio = limit.step / own.step;
        println!(
            "{name}: {:.3e} s by formula, {:.3e} s of the step, slow growth {:.1e} 1/s",
            limit.step, own.step, limit.growth
        );
        // The bracket of the step is 3 % wide. In motion the formula may be the shorter one.
        assert!(ratio < 1.08, "{name}: {ratio}");
        worst = larger(worst, ratio);
        compared += 1;
    }
    println!("{compared} models, formula at most {worst:.3} times the step's");
    assert!(compared >= 7, "{compared}");
}

#[test]
fn the_step_itself_and_the_stability_function_give_the_same_limit_with_gyroscopic_terms_and_damping() {
    for damping in [0.0, 0.5, 3.0, 20.0] {
        let model = gimbal(Integrator::Rk4, damping);
        let system = compile(&model);
        let formula = explicit_limit(&system, state(&model).state(), &mut Workspace::new(&system)).expect("judged");
        let found = mapped(&model);
        println!("damping {damping}: {:.3e} s from the eigenvalues, {:.3e} s from the step", formula.step, found.step);
        // Five halvings of a bracket of a factor 2.
        assert!((found.step / formula.step - 1.0).abs() < 0.05, "{damping}");
    }
}

/// A pendulum so short that its weight is a stiff spring, which the generalized-alpha method leaves explicit.
fn short_pendulum(step: f64) -> Model {
    parse(&format!(
        r#"
        [model]
        name = "pendulum"
        gravity = [0, 0, -9.81]
        integrator = "generalized_alpha"
        spectral_radius = 1.0
        step = {step}
        [[body]]
        name = "bob"
        mass = 1
        com = [0, 0, -0.001]
        inertia = [0, 0, 0, 0, 0, 0]
        [[joint]]
        name = "hinge"
        type = "revolute"
        bodies = ["ground", "bob"]
        point = [0, 0, 0]
        axis = [0, 1, 0]
        position = 1e-4
        [[output]]
        name = "angle"
        joint = "hinge"
        quantity = "position"
        "#
    ))
}

#[test]
fn what_the_implicit_scheme_leaves_explicit_limits_its_step_where_a_run_begins_to_grow() {
    let limit = mapped(&short_pendulum(1e-3));
    // Amplification by e⁴ within 4000 steps shows what is beyond; what is inside grows by less than the tolerance.
    let grown = |step: f64| {
        let mut run = Run::new(&short_pendulum(step));
        let mut most = 0.0;
        for k in 0..4000 {
            run.advance(f64::from(k + 1) * step);
            let angle = run.get("angle").abs();
            assert!(angle.is_finite());
            if angle > most {
                most = angle;
            }
        }
        most / 1e-4
    };
    let omega = 9810f64.sqrt();
    let (inside, outside) = (grown(0.5 * limit.step), grown(2.0 * limit.step));
    println!("pendulum: h ω = {:.3}; grows to {inside:.2} at half of it, {outside:.1} at twice", limit.step * omega);
    assert!(limit.coordinate.contains("hinge"), "{}", limit.coordinate);
    assert!(inside < 2.0 && outside > 50.0, "{inside}, {outside}");
}

#[test]
fn springs_and_fast_rotors_do_not_limit_the_step_of_the_implicit_scheme() {
    for damping in [0.0, 3.0] {
        let limit = mapped(&gimbal(Integrator::GeneralizedAlpha, damping));
        println!("gimbal, damping {damping}: {limit:?}");
        assert_eq!((limit.step, limit.tried), (f64::INFINITY, 0.064));
    }
}

#[test]
fn no_rigid_model_of_the_gallery_is_refused_with_the_implicit_scheme_at_its_own_step() {
    let names = gallery();
    let mut judged = Vec::new();
    for name in &names {
        let mut model = load(name);
        if model.general.integrator == Integrator::Exponential || name.contains("windows") {
            continue;
        }
        model.general.integrator = Integrator::GeneralizedAlpha;
        let system = compile(&model);
        match step_limit(&system, state(&model).state(), &mut Workspace::new(&system), AnalysisExtent::OwnStep) {
            Ok(limit) => {
                println!("{name}: step {}, {limit:?}", model.general.step);
                assert!(limit.step >= model.general.step, "{name}: {limit:?}");
                judged.push(name);
            }
            Err(error) => println!("{name}: {error}"),
        }
    }
    assert!(judged.len() > 20, "{judged:?}");
    went_through("step limit of generalized-alpha", &judged);
}

#[test]
fn the_longest_step_of_vehicles_is_known_with_the_implicit_scheme_at_any_speed() {
    for (name, speeds) in [("van", &[5.0, 10.0, 15.0, 20.0, 25.0, 30.0][..]), ("truck", &[10.0, 25.0])] {
        for &speed in speeds {
            let mut document = models::load(models_folder().join(name));
            document.model.general.integrator = Integrator::GeneralizedAlpha;
            let mut values = document.model.parameter_values();
            let place = document.model.parameters.iter().position(|parameter| parameter.name == "speed");
            values[place.expect("a parameter of the vehicle")] = speed;
            let system = Arc::new(models::compiled_with(&document, &values));
            let (mut simulator, mut ws) = (Simulator::new(system.clone()), Workspace::new(&system));
            simulator.initialize(0.0).expect("trimmed");
            let map = StepMap::new(&system, simulator.state(), &mut ws).unwrap_or_else(|error| panic!("{error}"));
            let limit =
                map.limit(&mut ws, AnalysisExtent::Longest).unwrap_or_else(|error| panic!("{name}, {speed}: {error}"));
            println!("{name} at {speed} m/s: {:.5} s, {}", limit.step, limit.coordinate);
            assert!(limit.step > system.step() && limit.step < 0.1, "{name}, {speed}: {}", limit.step);
            assert!(!limit.coordinate.is_empty(), "{name}, {speed}");
        }
    }
}
