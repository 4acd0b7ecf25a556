//! Report of `ballesta verify`: text, tables and picture.

use crate::text;
use ballesta_pictures::plot::{self, Curve};
use ballesta_run::verify::{OutputReport, RunReport, VerificationReport};
use std::path::Path;

/// Largest number of curves in the picture, worst first.
const MAX_CURVES: usize = 6;

/// The report.
pub fn page(findings: &VerificationReport, svg: Option<&Path>) -> String {
    // Three runs with halved steps give the observed order and the error (Richardson extrapolation).
    let short = |value: f64| text::short(value, 3);
    let mut page = format!(
        "{}: {} s to {} s with {} (order {}), steps {}, {} and {} s\n",
        findings.model,
        findings.start,
        findings.stop,
        findings.integrator,
        findings.order,
        text::short(findings.step, 6),
        text::short(findings.step / 2.0, 6),
        text::short(findings.step / 4.0, 6),
    );
    page += &format!("\nRuns\n{}", text::table(&runs(&findings.runs)));
    // Error, order and step for the tolerance per output.
    let head = ["output", "unit", "error at h", "relative", "order", "step for tolerance", "other integrator", ""];
    let mut rows = vec![head.map(String::from).to_vec()];
    for output in &findings.outputs {
        rows.push(vec![
            output.name.clone(),
            output.unit.clone(),
            short(output.error),
            text::short(output.relative_error, 2),
            output.order.map_or("-".into(), |order| format!("{order:.1}")),
            output.step_for_tolerance.map_or("-".into(), |step| step_for_tolerance(step, findings.step)),
            output.second_difference.map_or("-".into(), short),
            output.words.clone(),
        ]);
    }
    page += &format!(
        "\nOutputs: estimated error with h = {} s, tolerance {} of the peak\n{}",
        text::short(findings.step, 6),
        short(findings.tolerance),
        text::table(&rows)
    );
    // Conclusion and remarks.
    page += &format!("\n{}\n", conclusion(findings));
    for remark in &findings.remarks {
        page += &format!("Note: {remark}.\n");
    }
    if let Some(path) = svg {
        page += &format!("Wrote {}.\n", path.display());
    }
    page
}

fn step_for_tolerance(step: f64, h: f64) -> String {
    // The estimate ends here; longer steps were not tested.
    let beyond = if step >= 3.999 * h { "≥ " } else { "" };
    format!("{beyond}{} s", text::short(step, 2))
}

fn runs(runs: &[RunReport]) -> Vec<Vec<String>> {
    // One row per run, with the quality figures that a comparison needs.
    let head = [
        "integrator",
        "step in s",
        "steps",
        "gap in m",
        "velocity gap in m/s",
        "energy error in J",
        "of exchanged",
        "near singular",
        "halved",
        "changes",
        "µs per step",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    for run in runs {
        let part = if run.energy_exchanged > 0.0 { run.energy_change / run.energy_exchanged } else { 0.0 };
        let mut row = vec![
            run.integrator.to_string(),
            text::short(run.step, 6),
            format!("{}", run.steps),
            text::short(run.largest_gap, 2),
            text::short(run.largest_velocity_gap, 2),
            text::short(run.energy_change, 3),
            text::short(part, 2),
            format!("{}", run.near_singular_steps),
            format!("{}", run.halved_steps),
            format!("{}", run.coordinate_changes),
            text::short(run.microseconds_per_step, 3),
        ];
        row.extend(run.fault.iter().map(|_| "stopped by a fault".to_string()));
        rows.push(row);
    }
    rows
}

fn conclusion(findings: &VerificationReport) -> String {
    if !findings.converges {
        return format!("Not verified: {}.", findings.failures.join("; "));
    }
    let worst = findings.outputs.iter().max_by(|a, b| a.relative_error.total_cmp(&b.relative_error));
    let Some(worst) = worst else { return "Verified: no output changes.".into() };
    let reach = match findings.step_for_tolerance {
        Some(step) if step < findings.step => format!("the tolerance needs a step of {} s", text::short(step, 2)),
        Some(step) => format!("the tolerance allows a step of {}", step_for_tolerance(step, findings.step)),
        None => "the step for the tolerance is unknown".into(),
    };
    let error = text::short(worst.relative_error, 2);
    format!("Verified: all results converge; largest relative error {error} (`{}`); {reach}.", worst.name)
}

/// Errors over the step, both as powers of ten.
pub fn drawing(findings: &VerificationReport) -> String {
    // Zero errors have no logarithm, so errors are bounded below.
    let log = |value: f64| value.max(1e-18).log10();
    let mut shown: Vec<&OutputReport> =
        findings.outputs.iter().filter(|output| output.order.is_some() && output.error.is_finite()).collect();
    // The outputs with the largest errors are shown.
    shown.sort_by(|a, b| b.relative_error.total_cmp(&a.relative_error));
    shown.truncate(MAX_CURVES);
    // The order of convergence is the slope of the curve.
    let steps = [4.0, 2.0, 1.0].map(|part| log(findings.step / part));
    let series: Vec<Vec<f64>> = shown
        .iter()
        .map(|output| output.estimate.errors().iter().rev().map(|error| log(error / output.size)).collect())
        .collect();
    let curve =
        |(output, values): (&&OutputReport, &Vec<f64>)| (output.name.clone(), output.words.clone(), values.clone());
    let owned: Vec<(String, String, Vec<f64>)> = shown.iter().zip(&series).map(curve).collect();
    let curves: Vec<Curve> = owned
        .iter()
        .map(|(name, words, values)| Curve {
            name,
            unit: "1",
            description: words,
            stepped: false,
            diagnostic: false,
            values,
        })
        .collect();
    let note = format!("log10 of the relative error over log10 of the step in s; {}", conclusion(findings));
    let panel = plot::Panel {
        title: Some("log10 of the relative error"),
        unit: "1",
        factor: 1.0,
        curves,
        low: false,
        along: None,
    };
    plot::draw_panels(("log10 of the step", "s"), &findings.model, &note, &steps, &[panel])
}
