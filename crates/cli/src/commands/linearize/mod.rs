//! `ballesta linearize`: matrices A, B, C, D of a model at its start or equilibrium, and the eigenvalues of A.

pub mod arguments;

use crate::commands::export::notice;
use crate::operating::{self, Operating};
use crate::text;
use arguments::ReductionMethod;
use ballesta::analysis::modal::{self, Modes};
use ballesta::analysis::truncation::{Method, Target};
use ballesta_files::Failure;
use ballesta_files::output_file::{self, write};
use ballesta_run::linearization::{self, LinearizationReport};
use ballesta_run::model;
use ballesta_run::modes::moves;
use ballesta_run::reduction::{self, ReductionRequest, Report};
use std::path::PathBuf;

/// Rows of the table of Hankel singular values beyond the selected order.
const EXTRA_HANKEL_ROWS: usize = 8;

/// Resolved `ballesta linearize` command.
pub struct Plan {
    operating: Operating,
    json: bool,
    output: Option<PathBuf>,
    reduction: Option<ReductionRequest>,
}

impl Plan {
    /// Reads and compiles the model.
    pub fn resolve(typed: arguments::Linearize) -> Result<Plan, Failure> {
        let operating = Operating::resolve(&typed.model, &typed.set, typed.trim)?;
        let known = |path: &&PathBuf| !path.extension().is_some_and(|ending| ending == "m" || ending == "json");
        if let Some(path) = typed.output.as_ref().filter(known) {
            let message = format!("--output {}: expected a name that ends in .json or .m", path.display());
            return Err(Failure::Usage(message));
        }
        output_file::keep_apart(&[("--output", typed.output.as_deref())], &[model::model_file(&typed.model)])?;
        let reduction = wanted(&typed)?;
        Ok(Plan { operating, json: typed.json, output: typed.output, reduction })
    }

    /// Linearizes and reports.
    pub fn execute(self) -> Result<(), Failure> {
        // Linear model and its modes about the operating point.
        let mut simulator = self.operating.start()?.0;
        let model = simulator.linearize().map_err(operating::failure)?;
        let modes = modal::modes(&model).map_err(operating::failure)?;
        let motions = model.motions.clone();
        let document = &self.operating.document;
        linearization::notes(document).iter().for_each(|note| notice(note));
        // The reduction, if one was requested, replaces the full model.
        let findings = match &self.reduction {
            None => LinearizationReport::new(simulator.system().name(), model, &modes),
            Some(wanted) => {
                let reduced = reduction::reduce(document, simulator.system(), &model, &modes, wanted)?;
                reduced.report.warnings.iter().for_each(|warning| notice(warning));
                LinearizationReport::reduced(simulator.system().name(), &model, &modes, reduced)
            }
        };
        // The ending of the output selects a script or JSON.
        if let Some(path) = &self.output {
            let text =
                if path.extension().is_some_and(|ending| ending == "m") { findings.script() } else { json(&findings) };
            write(path, &text)?;
        }
        if self.json {
            return text::say_json(&findings);
        }
        let mut report = page(&findings, &modes, &motions);
        if let Some(path) = &self.output {
            report += &format!("\nWrote {}.\n", path.display());
        }
        text::say(&report)
    }
}

/// Requested reduction; `None` without `--reduce` and `--reduce-to-error`.
fn wanted(typed: &arguments::Linearize) -> Result<Option<ReductionRequest>, Failure> {
    let target = match (typed.reduce, typed.reduce_to_error) {
        (Some(order), _) => Target::Order(order),
        (None, Some(bound)) => Target::Error(bound),
        (None, None) => {
            let given = [
                ("--from", !typed.from.is_empty()),
                ("--to", !typed.to.is_empty()),
                ("--static-correction", typed.static_correction),
                ("--reduction modal", typed.reduction == ReductionMethod::Modal),
            ];
            return match given.iter().find(|option| option.1) {
                Some((option, _)) => {
                    Err(Failure::Usage(format!("{option} needs a reduction: add --reduce or --reduce-to-error")))
                }
                None => Ok(None),
            };
        }
    };
    let method = match typed.reduction {
        ReductionMethod::Balanced => Method::Balanced,
        ReductionMethod::Modal => Method::Modal,
    };
    let (from, to, static_correction) = (typed.from.clone(), typed.to.clone(), typed.static_correction);
    Ok(Some(ReductionRequest { method, target, static_correction, from, to }))
}

fn json(findings: &LinearizationReport) -> String {
    serde_json::to_string_pretty(findings).expect("plain data with text keys is always valid JSON") + "\n"
}

/// The report as text.
fn page(findings: &LinearizationReport, modes: &Modes, motions: &[String]) -> String {
    let mut page = format!(
        "{} at t = {} s: {}, {}, {}\n",
        findings.model,
        findings.time_s,
        text::count(findings.states.len(), "state"),
        text::count(findings.inputs.len(), "input"),
        text::count(findings.outputs.len(), "output"),
    );
    page += &matrix("A", &findings.states, &findings.states, &findings.a);
    page += &matrix("B", &findings.states, &findings.inputs, &findings.b);
    page += &matrix("C", &findings.outputs, &findings.states, &findings.c);
    page += &matrix("D", &findings.outputs, &findings.inputs, &findings.d);
    page += &matrix("E", &findings.states, &findings.parameters, &findings.e);
    page += &matrix("F", &findings.outputs, &findings.parameters, &findings.f);
    match &findings.reduction {
        None => {
            page += "\nEigenvalues of A\n";
            page += &operating::mode_table(modes, motions, usize::MAX);
        }
        Some(report) => page += &reduction_lines(findings, report, modes, motions),
    }
    page
}

/// Eigenvalues, figures and the table for the choice of the order.
fn reduction_lines(findings: &LinearizationReport, report: &Report, modes: &Modes, motions: &[String]) -> String {
    // The largest error is at infinite frequency if only the direct transmission differs.
    let (full, order, kept) = (report.full_states.len(), findings.states.len(), report.kept_states);
    let number = |value: Option<f64>| value.map_or("none".to_string(), |value| text::short(value, 4));
    let frequency = |hertz: f64| match hertz.is_finite() {
        true => format!("at {} Hz", text::short(hertz, 6)),
        false => "at high frequencies".to_string(),
    };
    // Conjugate pairs are listed once, by the eigenvalue with a positive imaginary part.
    let mut rows = vec![vec!["eigenvalue in 1/s".to_string(), "Hz".into(), "damping".into(), "moves".into()]];
    for value in findings.eigenvalues.iter().filter(|value| value.im >= 0.0) {
        let (re, im) = (text::short(value.re, 6), text::short(value.im, 6));
        rows.push(vec![
            if value.im > 0.0 { format!("{re} ± {im} i") } else { re },
            text::short(value.frequency_hz, 6),
            text::short(value.damping, 4),
            value.moves.clone().unwrap_or("balanced part".into()),
        ]);
    }
    let mut page = format!("\nEigenvalues of the reduced A\n{}\nReduction\n", text::table(&rows));
    // An unstable error system has no largest gain.
    let error = match report.error {
        Some(error) => format!("{} {}", text::short(error, 4), frequency(report.error_frequency_hz.unwrap_or(0.0))),
        None => "unbounded".to_string(),
    };
    let correction = if report.static_correction { ", static correction" } else { "" };
    let facts = [
        ("method", format!("{}{correction}", report.method)),
        ("states", format!("{order} of {full}, {kept} of them kept exactly")),
        ("error bound", number(report.error_bound)),
        ("largest error", error),
        (
            "stable part",
            format!("largest gain {} {}", number(Some(report.stable_gain)), frequency(report.stable_gain_frequency_hz)),
        ),
    ];
    page += &text::table(&facts.map(|(name, value)| vec![name.to_string(), value]));
    // Balanced truncation ranks states by Hankel singular values, modal truncation ranks modes by contribution.
    page + &match report.contributions.is_empty() {
        true => hankel_table(report, order),
        false => contribution_table(report, modes, motions),
    }
}

/// A matrix with the names of its rows and columns; empty if it has no entries.
fn matrix(name: &str, rows: &[String], columns: &[String], entries: &[Vec<f64>]) -> String {
    if rows.is_empty() || columns.is_empty() {
        return String::new();
    }
    let mut table = vec![std::iter::once(String::new()).chain(columns.iter().cloned()).collect::<Vec<_>>()];
    for (row, entries) in rows.iter().zip(entries) {
        table.push(std::iter::once(row.clone()).chain(entries.iter().map(|value| text::short(*value, 6))).collect());
    }
    format!("\n{name}\n{}", text::table(&table))
}

/// Hankel singular values of the stable part, and the error bound of every order, with some rows beyond the kept
/// states.
fn hankel_table(report: &Report, order: usize) -> String {
    let values = &report.hankel_singular_values;
    let mut rows = vec![["states", "singular value", "error bound"].map(String::from).to_vec()];
    let full = report.full_states.len();
    let first = full - values.len();
    for (k, value) in values.iter().enumerate().take(order - report.kept_states + EXTRA_HANKEL_ROWS) {
        let bound = 2.0 * values[k + 1..].iter().sum::<f64>();
        rows.push(vec![(first + k + 1).to_string(), text::short(*value, 4), text::short(bound, 4)]);
    }
    let mut table = format!("\nHankel singular values of the stable part\n{}", text::table(&rows));
    if rows.len() <= values.len() {
        table += &format!("  and {} smaller\n", values.len() + 1 - rows.len());
    }
    table
}

/// Contribution of every mode, and whether it is kept.
fn contribution_table(report: &Report, modes: &Modes, motions: &[String]) -> String {
    let mut rows = vec![["mode", "Hz", "damping", "contribution", "", "moves"].map(String::from).to_vec()];
    for (k, (mode, contribution)) in modes.modes.iter().zip(&report.contributions).enumerate() {
        rows.push(vec![
            (k + 1).to_string(),
            text::short(mode.frequency_hz(), 6),
            text::short(mode.damping(), 4),
            if contribution.is_finite() { text::short(*contribution, 4) } else { "does not decay".into() },
            if report.kept_modes.contains(&k) { "kept" } else { "left out" }.into(),
            moves(mode, motions),
        ]);
    }
    format!("\nModes\n{}", text::table(&rows))
}
