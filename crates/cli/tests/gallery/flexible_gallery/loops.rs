//! Flexible four-bar and slider-crank: convergence with step and modes, loop gaps. The plots of
//! docs/flexible-mechanisms.md come from here (`BALLESTA_REWRITE=1`).

use crate::check::larger;
use crate::flexible_gallery::plot;
use crate::flexible_gallery::support::{Run, all_dynamic, load, quasi_static, times, with_step};
use ballesta::model::Document;

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

/// Largest difference from the reference, relative to its largest value.
fn error(found: &[f64], reference: &[f64]) -> f64 {
    let apart = found.iter().zip(reference).map(|(a, b)| (a - b).abs()).fold(0.0, larger);
    apart / reference.iter().fold(0.0f64, |most, x| larger(most, x.abs()))
}

/// Step in s and error, against what a 16th and a 32nd of the longest step extrapolate to with order 2.
fn step_errors(name: &str, output: &str, longest: f64) -> Vec<(f64, f64)> {
    let at = |step: f64| series(&with_step(all_dynamic(load(name)), step), output, longest);
    let (coarse, fine) = (at(longest / 16.0), at(longest / 32.0));
    let reference: Vec<f64> = fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / 3.0).collect();
    [1.0, 2.0, 4.0, 8.0].map(|part| (longest / part, error(&at(longest / part), &reference))).to_vec()
}

/// Number of modes per body and error, against all modes at the same step.
fn mode_errors(name: &str, output: &str, longest: f64) -> Vec<(f64, f64)> {
    let at = |modes: Option<usize>| {
        let mut document = with_step(all_dynamic(load(name)), longest / 8.0);
        document.model.flexible_bodies.iter_mut().for_each(|body| body.modes = modes);
        series(&document, output, longest)
    };
    let reference = at(None);
    (1..=6).map(|modes| (modes as f64, error(&at(Some(modes)), &reference))).collect()
}

/// Compares the plot of the documentation with the errors of both mechanisms, or draws it.
fn plot(file: &str, across: &str, linear: bool, errors: &[Vec<(f64, f64)>]) {
    let path = format!("docs/flexible-mechanisms/{file}.svg");
    let up = "largest error, relative";
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let curves: Vec<plot::Curve> = MECHANISMS.iter().zip(errors).map(|(m, errors)| (m.0, &errors[..])).collect();
        std::fs::create_dir_all("docs/flexible-mechanisms").expect("writable");
        std::fs::write(&path, plot::draw([across, up], linear, &curves)).expect("writable");
    }
    let svg = std::fs::read_to_string(&path).expect("a plot");
    for label in [across, up].into_iter().chain(MECHANISMS.map(|mechanism| mechanism.0)) {
        assert!(svg.contains(&format!(">{label}</text>")), "{path}: {label} (BALLESTA_REWRITE=1)");
    }
    for (k, errors) in errors.iter().enumerate() {
        let drawn = plot::read(&svg, linear, k);
        assert_eq!(drawn.len(), errors.len(), "{path}: points of curve {k} (BALLESTA_REWRITE=1)");
        for ((x, y), (wanted_x, wanted_y)) in drawn.iter().zip(errors) {
            // Places are rounded to a tenth of a pixel, 0.2 % where a decade has 56 of them.
            let near = (x / wanted_x - 1.0).abs() < 0.01 && (y / wanted_y - 1.0).abs() < 0.01;
            assert!(near, "{path}: {x}, {y} for {wanted_x}, {wanted_y} (BALLESTA_REWRITE=1)");
        }
    }
}

#[test]
fn the_error_falls_with_the_square_of_the_step() {
    crate::root::at_root();
    let errors = MECHANISMS.map(|(name, output, longest)| step_errors(name, output, longest));
    for ((name, _, _), errors) in MECHANISMS.iter().zip(&errors) {
        println!("{name}: step {:.1e} s, error {:.2e}", errors[0].0, errors[0].1);
        for (k, pair) in errors.windows(2).enumerate() {
            let order = (pair[0].1 / pair[1].1).log2();
            println!("{name}: step {:.1e} s, error {:.2e}, order {order:.2}", pair[1].0, pair[1].1);
            // At the longest step of the slider-crank the rod follows the tenth harmonic of the crank, 0.6 rad per
            // step: 1.8.
            assert!((order - 2.0).abs() < if k == 0 { 0.25 } else { 0.03 }, "{name}: {order}");
        }
    }
    plot("step", "step in s", false, &errors);
}

#[test]
fn the_error_falls_with_the_number_of_modes() {
    crate::root::at_root();
    let errors = MECHANISMS.map(|(name, output, longest)| mode_errors(name, output, longest));
    for ((name, _, _), errors) in MECHANISMS.iter().zip(&errors) {
        for (modes, error) in errors {
            println!("{name}: {modes} modes, error {error:.2e}");
        }
        assert!(errors[4].1 < 0.1 * errors[0].1, "{name}");
    }
    plot("modes", "modes per body", true, &errors);
}

#[test]
fn loops_are_closed_at_every_output_point() {
    crate::root::at_root();
    for (name, _, _) in MECHANISMS {
        for (what, document) in
            [("quasi-static modes", quasi_static(load(name))), ("all oscillate", all_dynamic(load(name)))]
        {
            let mut run = Run::new(&document);
            let mut worst = run.value("gap");
            // No multiple of the step.
            for time in times(document.model.experiment.stop, 0.7e-3) {
                run.advance(time);
                worst = larger(worst, run.value("gap"));
            }
            println!("{name}, {what}: gap {worst:.1e} m");
            assert!(worst <= 1e-9, "{name}, {what}: {worst:e} m");
        }
    }
}
