//! Derivatives of steps and of runs against extrapolated central differences of the same steps and runs.

use crate::check::larger;
use crate::models;
use crate::verification::support::{compile, model_text, models_folder, parse};
use ballesta::analysis::step_derivatives::{StepDerivatives, StepMethod};
use ballesta::simulate::Simulator;
use ballesta::simulate::sensitivity::{Direction, Sensitivities};
use ballesta::system::ScalarKind;
use std::sync::Arc;

/// Every model of the gallery, including tyres, flexible bodies and single laws.
fn gallery() -> Vec<String> {
    let names = |folder: &str| {
        let entries = std::fs::read_dir(models_folder().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut all: Vec<String> =
        names("").into_iter().filter(|name| models_folder().join(name).join("model.toml").exists()).collect();
    // An undamaged bushing is at a corner of its law.
    let laws = names("laws").into_iter().filter(|name| name != "breaking_hook.toml");
    all.extend(laws.map(|name| format!("laws/{name}")));
    all.sort();
    all
}

/// A simulator at the start of a model of the gallery.
fn start(name: &str) -> Simulator {
    let document = models::load(models_folder().join(name));
    let system = models::compiled(&document);
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(document.model.experiment.start).unwrap();
    simulator
}

/// What a comparison of matrices found.
#[derive(Default)]
struct Found {
    /// Largest difference in units of the largest entry of its row, of entries that differences know to 1e-6 of it.
    worst: f64,
    /// Where that is.
    place: String,
    /// Entries of A that differences know so well, and all of A.
    known: usize,
    all: usize,
    /// Largest difference in units of what differences know, of the others.
    beyond: f64,
}

/// A, B and P against differences.
fn compare(exact: &StepDerivatives, differences: &StepDerivatives) -> Found {
    let mut found = Found::default();
    let matrices = [(&exact.a, &differences.a), (&exact.b, &differences.b), (&exact.p, &differences.p)];
    let names = [&exact.states, &exact.inputs, &exact.parameters];
    for (matrix, (exact_rows, other_rows)) in matrices.into_iter().enumerate() {
        for (i, (row, other)) in exact_rows.iter().zip(other_rows).enumerate() {
            let size = row.iter().map(|value| value.abs()).fold(0.0, larger);
            for (j, (a, b)) in row.iter().zip(other).enumerate() {
                let (apart, doubt) = ((a - b).abs(), differences.errors[matrix][i][j]);
                found.all += usize::from(matrix == 0);
                if doubt > 1e-6 * size {
                    found.beyond = larger(found.beyond, apart / doubt);
                    continue;
                }
                found.known += usize::from(matrix == 0);
                if !(apart <= found.worst * size) {
                    found.worst = apart / size;
                    found.place = format!("{} by {}: {a:e} and {b:e}", exact.states[i], names[matrix][j]);
                }
            }
        }
    }
    found
}

/// Largest difference of the rows of speeds of A, in units of their largest entry, from central differences over 1e-6
/// rad or m and 1e-5 rad/s or m/s.
fn compare_columns(simulator: &mut Simulator, exact: &StepDerivatives, h: f64) -> f64 {
    let (begin, state) = (simulator.time(), simulator.state().clone());
    let coordinates = simulator.independent_coordinates().unwrap();
    let n = coordinates.len();
    let mut speeds = |direction: Direction, amount: f64| -> Vec<f64> {
        simulator.set_state(&state);
        simulator.change_along(direction, amount).unwrap();
        simulator.advance(begin + h).unwrap();
        coordinates.iter().map(|&(_, v)| simulator.state().v[v]).collect()
    };
    let mut worst = 0.0;
    for (j, &(_, v)) in coordinates.iter().enumerate() {
        for (column, direction, amount) in [(j, Direction::Position(v), 1e-6), (n + j, Direction::Speed(v), 1e-5)] {
            let (ahead, behind) = (speeds(direction, amount), speeds(direction, -amount));
            for (i, (ahead, behind)) in ahead.iter().zip(behind).enumerate() {
                let size = exact.a[n + i].iter().map(|value| value.abs()).fold(0.0, larger);
                worst = larger(worst, (exact.a[n + i][column] - (ahead - behind) / (2.0 * amount)).abs() / size);
            }
        }
    }
    worst
}

#[test]
fn derivatives_of_a_step_are_those_of_differences_for_every_model() {
    let (mut exactly, mut differenced) = (0, 0);
    for name in gallery() {
        let mut simulator = start(&name);
        let h = simulator.system().step();
        // Brakes, their lines and clutches have corners where they let go.
        let inputs = simulator.system().interface().inputs.clone();
        let corners = [("brake_torque", 20.0), ("brake_pedal", 0.1), ("brake_valve", 0.1), ("lock_up", 0.1)];
        for (k, input) in inputs.iter().enumerate() {
            if let Some((_, value)) = corners.iter().find(|(name, _)| input.name.ends_with(name)) {
                simulator.set_input(k, *value);
            }
        }
        // A way from the start, where springs are at rest and tyres do not slip yet.
        if let Err(fault) = simulator.advance(simulator.time() + 20.0 * h) {
            panic!("{name}: {}", simulator.describe(&fault));
        }
        let before = simulator.state().clone();
        let best = simulator.step_derivatives(h, StepMethod::Best).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(*simulator.state() == before, "{name} has moved");
        let states = best.states.len();
        if let Some(reason) = &best.differenced {
            let doubt = |(row, errors): (&Vec<f64>, &Vec<f64>)| {
                let size = row.iter().map(|value| value.abs()).fold(0.0, larger);
                errors.iter().map(|error| error.abs()).fold(0.0, larger) / if size > 0.0 { size } else { 1.0 }
            };
            let doubt = best.a.iter().zip(&best.errors[0]).map(doubt).fold(0.0, larger);
            println!("{name}: {states} states, {reason}, error by its estimate {doubt:.1e} of a row");
            assert!(best.a.iter().chain(&best.b).flatten().all(|value| value.is_finite()), "{name}");
            differenced += 1;
            continue;
        }
        let differences = simulator.step_derivatives(h, StepMethod::Differences).unwrap();
        let Found { worst, place, known, all, beyond } = compare(&best, &differences);
        println!("{name}: {states} states, {worst:.1e} ({place}), {known} of {all} entries of A, others {beyond:.1}");
        exactly += 1;
        assert!(2 * known >= all, "{name}");
        if ["truck", "van"].contains(&name.as_str()) {
            // Tyres have corners within the width of these differences.
            assert!(worst < 1e-5, "{name}");
            let worst = compare_columns(&mut simulator, &best, h);
            println!("{name}: by short differences {worst:.1e}");
            assert!(worst < 1e-6, "{name}");
        } else {
            assert!(worst < 1e-6 && beyond < 30.0, "{name}");
        }
    }
    assert!(exactly >= 40 && differenced >= 10);
}

#[test]
fn steps_of_heun_and_of_filters_have_the_derivatives_of_differences() {
    for name in ["bushing_mount", "four_bar", "slider_crank", "camera_gimbal"] {
        for integrator in ["heun", "rk4"] {
            let text = model_text(name).replace("integrator = \"rk4\"", &format!("integrator = \"{integrator}\""));
            let place = text.find("[[output]]").unwrap() + "[[output]]".len();
            let (before, after) = text.split_at(place);
            let filtered = [before, "\nlow_pass = { cutoff_hz = 30, order = 3 }", after].concat();
            let mut simulator = Simulator::new(Arc::new(compile(&parse(&filtered))));
            simulator.initialize(0.0).unwrap();
            let h = simulator.system().step();
            simulator.advance(20.0 * h).unwrap();
            // More than one internal step, and a rest.
            let best = simulator.step_derivatives(2.5 * h, StepMethod::Best).unwrap();
            let differences = simulator.step_derivatives(2.5 * h, StepMethod::Differences).unwrap();
            assert_eq!(best.differenced, None, "{name}");
            let Found { worst, place, known, all, beyond } = compare(&best, &differences);
            println!("{name}, {integrator}: {worst:.1e} ({place}), {known} of {all} entries of A, others {beyond:.1}");
            assert!(best.states.iter().any(|state| state.starts_with("low_pass(")), "{name}");
            assert!(worst < 1e-6 && beyond < 30.0 && 2 * known >= all, "{name}");
        }
    }
}

/// With the camshaft as a flywheel: slopes and curvatures of laws change along the motion, and with them the
/// multipliers.
#[test]
fn laws_of_couplers_have_the_derivatives_of_differences() {
    let guide = "[[guided]]\nname = \"camshaft\"\njoint = \"camshaft\"\nmotion = { speed = 31.41592653589793 }\n";
    let effort = "[[output]]\nname = \"camshaft.torque\"\nguided = \"camshaft\"\nquantity = \"effort\"\n";
    let joint = "point = \"shaft\"\naxis = [1, 0, 0]\n";
    let text = model_text("cam");
    assert!([guide, effort, joint].iter().all(|part| text.contains(part)));
    let free = text.replace(guide, "").replace(effort, "").replace(joint, &format!("{joint}speed = 30\n"));
    let mut simulator = Simulator::new(Arc::new(compile(&parse(&free))));
    simulator.initialize(0.0).unwrap();
    let h = simulator.system().step();
    simulator.advance(40.0 * h).unwrap();
    let best = simulator.step_derivatives(h, StepMethod::Best).unwrap();
    let differences = simulator.step_derivatives(h, StepMethod::Differences).unwrap();
    assert_eq!((best.differenced.as_deref(), best.states.len()), (None, 2));
    let Found { worst, place, known, all, beyond } = compare(&best, &differences);
    println!("free camshaft: {worst:.1e} ({place}), {known} of {all} entries of A, others {beyond:.1}");
    assert!(worst < 1e-6 && beyond < 30.0 && known == all);
}

/// Outputs of `simulator` at its end, after 10 communication steps of `h`.
fn ended(mut simulator: Simulator, h: f64) -> Vec<f64> {
    let begin = simulator.time();
    for k in 1..=10 {
        let end = begin + h * f64::from(k);
        simulator.advance(end).unwrap_or_else(|fault| panic!("{}", simulator.describe(&fault)));
    }
    let mut outputs = vec![0.0; simulator.system().interface().outputs.len()];
    simulator.outputs(&mut outputs).unwrap();
    outputs
}

#[test]
fn sensitivities_of_a_run_are_those_of_differences() {
    for (name, h) in [
        ("pendulum", 0.05),
        ("four_bar", 0.05),
        ("delta_robot", 0.02),
        ("slider_crank", 0.05),
        ("double_wishbone_axle", 0.02),
        ("driven_arm", 0.02),
        ("stick_slip", 0.02),
        ("three_link_leaf", 0.01),
        ("spatial_double_pendulum", 0.05),
        ("bushing_mount", 0.02),
        ("camera_gimbal", 0.02),
        ("gear_train", 0.02),
    ] {
        let mut simulator = start(name);
        let system = simulator.system().clone();
        let interface = system.interface();
        let tunable = (0..interface.parameters.len()).filter(|&k| interface.parameters[k].tunable);
        let mut directions: Vec<Direction> = tunable.map(Direction::Parameter).collect();
        directions.extend((0..interface.inputs.len()).map(Direction::Input));
        for (_, v) in simulator.independent_coordinates().unwrap() {
            directions.extend([Direction::Position(v), Direction::Speed(v)]);
        }
        let mut along = Sensitivities::new(&system, &directions);
        simulator.begin_sensitivities(&mut along, false).unwrap();
        let begin = simulator.time();
        for k in 1..=10 {
            simulator.advance_along(begin + h * f64::from(k), &mut along).unwrap();
        }
        let count = interface.outputs.len();
        let mut exact = vec![0.0; directions.len() * count];
        simulator.outputs_along(&mut along, &mut exact);
        assert_eq!(along.obstacle(), None, "{name}");
        let mut worst = (0.0, String::new());
        for (&direction, exact) in directions.iter().zip(exact.chunks(count)) {
            let value = match direction {
                Direction::Parameter(k) => simulator.parameter(k),
                Direction::Input(k) => simulator.input(k),
                _ => 1.0,
            };
            let amount = 1e-4 * if value == 0.0 { 1.0 } else { value.abs() };
            let beside = |amount: f64| {
                let mut other = start(name);
                let start_changes = matches!(direction, Direction::Position(_) | Direction::Speed(_));
                other.change_along(direction, amount).unwrap();
                if !start_changes {
                    other.initialize(begin).unwrap();
                }
                ended(other, h)
            };
            let slopes = |amount: f64| -> Vec<f64> {
                let pairs = beside(amount).into_iter().zip(beside(-amount));
                pairs.map(|(ahead, behind)| (ahead - behind) / (2.0 * amount)).collect()
            };
            let (near, far) = (slopes(amount), slopes(2.0 * amount));
            let largest = ended(start(name), h).iter().map(|value| value.abs()).fold(0.0, larger);
            for (k, exact) in exact.iter().enumerate().filter(|(_, exact)| exact.is_finite()) {
                if interface.outputs[k].kind != ScalarKind::Real {
                    continue;
                }
                let found = near[k] + (near[k] - far[k]) / 3.0;
                // Of the derivative itself, and of what rounding leaves of the largest output.
                let error = (exact - found).abs() / (found.abs() + 1e-7 * largest / amount);
                if !(error <= worst.0) {
                    worst = (error, format!("{} by {direction:?}: {exact:e} and {found:e}", interface.outputs[k].name));
                }
            }
        }
        println!("{name}: {} directions, {:.1e} ({})", directions.len(), worst.0, worst.1);
        assert!(worst.0 < 1e-6, "{name}");
    }
}
