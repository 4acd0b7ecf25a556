//! Derivatives of steps and of runs against extrapolated central differences of the same steps and runs.

use crate::check::larger;
use crate::verification::support::models_folder;
use ballesta::analysis::step_derivatives::{StepDerivatives, Way};
use ballesta::model;
use ballesta::simulate::Simulator;
use ballesta::simulate::sensitivity::{Direction, Sensitivities};
use ballesta::system::{ScalarKind, System};
use std::sync::Arc;

/// Every model of the gallery, those with tyres and flexible bodies too.
fn gallery() -> Vec<String> {
    let entries = std::fs::read_dir(models_folder()).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().join("model.toml").exists());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A simulator at the start of a model of the gallery.
fn start(name: &str) -> Simulator {
    let document = model::load(&models_folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let values: Vec<f64> = document.model.parameters.iter().map(|parameter| parameter.value).collect();
    let system = System::compile(&document, &values).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(document.model.experiment.start).unwrap();
    simulator
}

/// Largest difference of entries of A, B and P, in units of the largest entry of its row in its matrix and of the
/// size of the column; and where it is.
fn apart(exact: &StepDerivatives, differences: &StepDerivatives) -> (f64, String) {
    let mut worst = (0.0, String::new());
    let matrices = [(&exact.a, &differences.a), (&exact.b, &differences.b), (&exact.p, &differences.p)];
    let names = [&exact.states, &exact.inputs, &exact.parameters];
    for (matrix, (exact_rows, other_rows)) in matrices.into_iter().enumerate() {
        for (i, (row, other)) in exact_rows.iter().zip(other_rows).enumerate() {
            let size = row.iter().map(|value| value.abs()).fold(0.0, larger);
            for (j, (a, b)) in row.iter().zip(other).enumerate() {
                let error = (a - b).abs() / if size > 0.0 { size } else { 1.0 };
                if !(error <= worst.0) {
                    worst = (error, format!("{} by {}: {a:e} and {b:e}", exact.states[i], names[matrix][j]));
                }
            }
        }
    }
    worst
}

#[test]
fn derivatives_of_a_step_are_those_of_differences_for_every_model() {
    for name in gallery() {
        let mut simulator = start(&name);
        let h = simulator.system().step();
        if let Err(fault) = simulator.advance(simulator.time() + 20.0 * h) {
            panic!("{name}: {}", simulator.describe(&fault));
        }
        let best = match simulator.step_derivatives(h, Way::Best) {
            Ok(best) => best,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        if let Some(reason) = &best.differenced {
            let doubt = best.errors[0].iter().flatten().copied().fold(0.0, larger);
            println!("{name}: {} states, differences: {reason}; {doubt:.1e}", best.states.len());
            continue;
        }
        let differences = simulator.step_derivatives(h, Way::Differences).unwrap();
        let (error, place) = apart(&best, &differences);
        println!("{name}: {} states, {error:.1e} ({place})", best.states.len());
    }
}
