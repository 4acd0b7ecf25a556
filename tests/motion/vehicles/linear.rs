//! Vehicles linearized: every eigenvalue of A, the handling modes and what they are called, and the answer to a step of
//! the steering wheel beside that of the nonlinear model.

use crate::check::larger;
use crate::models;
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{self, Mode};
use ballesta::simulate::Simulator;
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

/// A vehicle of the gallery, trimmed at a speed in m/s.
fn vehicle(file: &str, speed: f64) -> Simulator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(file);
    let document = models::load(&path);
    let value = |name: &str, value: f64| if name == "speed" { speed } else { value };
    let values: Vec<f64> = document.model.parameters.iter().map(|p| value(&p.name, p.value)).collect();
    let system = models::compiled_with(&document, &values);
    let mut simulator = Simulator::new(Arc::new(system));
    let target = input(&simulator, "target_speed");
    simulator.set_input(target, speed);
    simulator.initialize(0.0).unwrap_or_else(|fault| panic!("{fault:?}"));
    simulator
}

fn input(simulator: &Simulator, name: &str) -> usize {
    simulator.system().interface().inputs.iter().position(|input| input.name == name).expect("an input")
}

fn moves(model: &Linearization, mode: &Mode) -> Vec<String> {
    mode.shares.iter().take(3).map(|&(state, _)| model.motions[state].clone()).collect()
}

#[test]
fn eigenvalues_of_the_vehicles_are_those_of_the_whole_matrix() {
    let files = [
        "van/model.toml",
        "van/bumps.toml",
        "van/paper.toml",
        "truck/model.toml",
        "truck/paper.toml",
        "truck/flexible.toml",
    ];
    for file in files {
        let model = vehicle(file, 20.0).linearize().unwrap_or_else(|error| panic!("{file}: {error}"));
        let values = modal::modes(&model).unwrap_or_else(|error| panic!("{file}: {error}")).eigenvalues();
        let trace: f64 = (0..model.states.len()).map(|k| model.a[k][k]).sum();
        let sum: f64 = values.iter().map(|value| value.re).sum();
        let size: f64 = values.iter().map(|value| value.norm()).sum();
        println!("{file}: {} states, trace {trace:.6e}, sum {sum:.6e}", model.states.len());
        assert_eq!(values.len(), model.states.len(), "{file}");
        assert!((sum - trace).abs() < 1e-9 * size, "{file}: {sum} {trace}");
    }
}

#[test]
fn handling_modes_of_the_truck_are_listed_with_what_moves_in_them() {
    let model = vehicle("truck/model.toml", 20.0).linearize().expect("a linear model");
    let modes = modal::modes(&model).expect("modes");
    for wanted in [0.37, 0.88] {
        let near = |mode: &&Mode| mode.oscillates() && (mode.frequency_hz() - wanted).abs() < 0.006;
        let found: Vec<&Mode> = modes.modes.iter().filter(near).collect();
        let [mode] = found[..] else { panic!("{wanted} Hz: {found:?}") };
        let names = moves(&model, mode);
        println!("{:.4} Hz, damping {:.3}: {names:?}", mode.frequency_hz(), mode.damping());
        let handling = |name: &String| ["yaw of ", "lateral of "].iter().any(|motion| name.starts_with(motion));
        assert!(names.iter().take(2).any(handling), "{names:?}");
    }
}

/// Largest difference between the linear and the nonlinear answer to a step of the steering wheel by `angle` over
/// `stop` s, as a part of the largest change of the output, for every output in `names`.
fn step_response((file, wheel): (&str, &str), speed: f64, angle: f64, stop: f64, names: &[&str]) -> Vec<f64> {
    let mut simulator = vehicle(file, speed);
    let model = simulator.linearize().unwrap_or_else(|error| panic!("{file}: {error}"));
    let wheel = input(&simulator, wheel);
    let outputs: Vec<usize> =
        names.iter().map(|name| model.outputs.iter().position(|output| output == name).expect("an output")).collect();
    let mut values = vec![0.0; model.outputs.len()];
    simulator.outputs(&mut values).expect("outputs");
    let start = values.clone();
    simulator.set_input(wheel, angle);
    let (n, h) = (model.states.len(), 5e-4);
    let rate = |x: &[f64]| -> Vec<f64> {
        let row = |i: usize| model.a[i].iter().zip(x).map(|(a, x)| a * x).sum::<f64>() + model.b[i][wheel] * angle;
        (0..n).map(row).collect()
    };
    let ahead = |x: &[f64], k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
    let mut x = vec![0.0; n];
    let (mut worst, mut largest) = (vec![0.0f64; names.len()], vec![0.0f64; names.len()]);
    for step in 1..=(stop / 0.01).round() as usize {
        for _ in 0..20 {
            let k1 = rate(&x);
            let k2 = rate(&ahead(&x, &k1, 0.5 * h));
            let k3 = rate(&ahead(&x, &k2, 0.5 * h));
            let k4 = rate(&ahead(&x, &k3, h));
            x = (0..n).map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])).collect();
        }
        simulator.advance(0.01 * step as f64).expect("steps");
        simulator.outputs(&mut values).expect("outputs");
        for (k, &output) in outputs.iter().enumerate() {
            let linear =
                model.c[output].iter().zip(&x).map(|(c, x)| c * x).sum::<f64>() + model.d[output][wheel] * angle;
            let change = values[output] - start[output];
            assert!(linear.is_finite() && change.is_finite(), "{file}: {}", names[k]);
            worst[k] = larger(worst[k], (linear - change).abs());
            largest[k] = larger(largest[k], change.abs());
        }
    }
    worst.iter().zip(&largest).map(|(worst, largest)| worst / largest).collect()
}

#[test]
fn small_steps_of_the_steering_wheel_are_answered_as_the_linear_model_says() {
    for (file, wheel, names) in [
        (
            "van/model.toml",
            "steering_wheel.angle",
            ["chassis.angular_velocity.z", "chassis.velocity.y", "chassis.angles.roll"],
        ),
        (
            "truck/model.toml",
            "axle1.steering_wheel.angle",
            ["tractor.angular_velocity.z", "articulation.yaw", "trailer.angles.roll"],
        ),
    ] {
        // What is left is of second order in the angle: half of it leaves half as much.
        let [large, small] = [0.02, 0.01].map(|angle| step_response((file, wheel), 20.0, angle, 3.0, &names));
        println!("{file}: {names:?} off by {large:.4?} at 0.02 rad and {small:.4?} at 0.01 rad of the largest change");
        assert!(small.iter().all(|error| *error < 1e-2), "{file}: {small:?}");
        assert!(small.iter().zip(&large).all(|(small, large)| *small < 0.75 * large + 1e-3), "{file}");
    }
}

/// A bicycle model that understeers turns the slower the faster it goes: ω² = C_f C_r l²/(m J v²) + (C_r b − C_f a)/J.
/// Its decay falls as 1/v, but that is shared: rolling takes over the decay of either lateral mode, and tyres that
/// follow within their relaxation length take some of it at low speed. So the decay of one mode says nothing (2.8, 3.4,
/// 3.3 1/s); with a twentieth of the relaxation lengths that of both lateral modes together is 21.7, 11.5, 8.3 1/s, as
/// 1/v.
#[test]
fn the_lateral_mode_of_the_van_gets_slower_with_speed() {
    let mut before = f64::INFINITY;
    for speed in [15.0, 25.0, 35.0] {
        let model = vehicle("van/model.toml", speed).linearize().expect("a linear model");
        let modes = modal::modes(&model).expect("modes");
        let lateral = |mode: &&Mode| {
            let names = moves(&model, mode);
            names[0].starts_with("yaw of ") || names[0].starts_with("lateral of ")
        };
        let slowest = |mode: &&Mode| mode.eigenvalue.norm() > 0.5 && mode.eigenvalue.norm() < 3.0 * TAU;
        let found = modes.modes.iter().filter(lateral).find(slowest).unwrap_or_else(|| panic!("none at {speed} m/s"));
        println!("{speed} m/s: {} {:?}", found.eigenvalue, moves(&model, found));
        assert!(found.eigenvalue.re < 0.0 && found.eigenvalue.norm() < 0.97 * before, "{speed} m/s");
        before = found.eigenvalue.norm();
    }
}
