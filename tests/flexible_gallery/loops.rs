//! Flexible four-bar and slider-crank: convergence with step and modes, loop gaps (issue 4, Show 6). The numbers that
//! docs/flexible-mechanisms.md plots come from here (`BALLESTA_REWRITE=1`).

use crate::support::{Run, all_dynamic, load, times, with_step};
use ballesta::model::Document;
use std::fmt::Write;

/// Model, output that is compared, and its largest step.
const MECHANISMS: [(&str, &str, f64); 2] =
    [("flexible_four_bar", "coupler.deflection", 1e-3), ("flexible_slider_crank", "rod.deflection", 4e-4)];
/// Time over which they are compared, s.
const END: f64 = 0.4;

/// `name` at every largest step.
fn series(document: &Document, name: &str, interval: f64) -> Vec<f64> {
    let mut run = Run::new(document);
    times(END, interval)
        .map(|time| {
            run.advance(time);
            run.value(name)
        })
        .collect()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// Step in s and error relative to the largest value, against a step of a 32nd.
fn step_errors(name: &str, output: &str, longest: f64) -> Vec<(f64, f64)> {
    let at = |step: f64| series(&with_step(all_dynamic(load(name)), step), output, longest);
    let reference = at(longest / 32.0);
    let steps = [1.0, 2.0, 4.0, 8.0].map(|part| longest / part);
    steps.map(|step| (step, apart(&at(step), &reference) / largest(&reference))).to_vec()
}

/// Number of modes per body, and error relative to the largest value, against all modes at the same step.
fn mode_errors(name: &str, output: &str, longest: f64) -> Vec<(f64, f64)> {
    let at = |modes: Option<usize>| {
        let mut document = with_step(all_dynamic(load(name)), longest / 8.0);
        document.model.flexible_bodies.iter_mut().for_each(|body| body.modes = modes);
        series(&document, output, longest)
    };
    let reference = at(None);
    (1..=6).map(|modes| (modes as f64, apart(&at(Some(modes)), &reference) / largest(&reference))).collect()
}

#[test]
fn the_error_falls_with_the_square_of_the_step() {
    for (name, output, longest) in MECHANISMS {
        let errors = step_errors(name, output, longest);
        record(name, "step", &errors);
        for pair in errors.windows(2) {
            let order = (pair[0].1 / pair[1].1).log2();
            println!("{name}: step {:.1e} s, error {:.2e}, order {order:.2}", pair[1].0, pair[1].1);
            assert!((order - 2.0).abs() < 0.3, "{name}: {order}");
        }
    }
}

#[test]
fn the_error_falls_with_the_number_of_modes() {
    for (name, output, longest) in MECHANISMS {
        let errors = mode_errors(name, output, longest);
        record(name, "modes", &errors);
        for (modes, error) in &errors {
            println!("{name}: {modes} modes, error {error:.2e}");
        }
        assert!(errors[4].1 < 0.1 * errors[0].1, "{name}");
    }
}

/// Writes the points of a plot, where they are asked for.
fn record(name: &str, against: &str, points: &[(f64, f64)]) {
    if std::env::var_os("BALLESTA_REWRITE").is_none() {
        return;
    }
    let mut text = format!("{against},error\n");
    points.iter().for_each(|(x, error)| writeln!(text, "{x},{error:.3e}").expect("text"));
    std::fs::create_dir_all("docs/flexible-mechanisms").expect("writable");
    std::fs::write(format!("docs/flexible-mechanisms/{name}.{against}.csv"), text).expect("writable");
}

#[test]
fn loops_are_closed_at_every_output_point() {
    for (name, _, _) in MECHANISMS {
        for document in [load(name), all_dynamic(load(name))] {
            let mut run = Run::new(&document);
            let mut worst = run.value("gap");
            // No multiple of the step.
            for time in times(document.model.experiment.stop, 0.7e-3) {
                run.advance(time);
                worst = worst.max(run.value("gap"));
            }
            println!("{name}: gap {worst:.1e} m");
            assert!(worst <= 1e-9, "{name}: {worst:e} m");
        }
    }
}
