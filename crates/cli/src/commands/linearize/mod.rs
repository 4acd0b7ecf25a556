//! `ballesta linearize`: matrices A, B, C, D of a model at its start or equilibrium, and the eigenvalues of A.

pub mod arguments;

use crate::commands::export::notice;
use crate::operating::{self, Operating};
use crate::text;
use arguments::ReductionMethod;
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{self, Mode, Modes};
use ballesta::analysis::truncation::{self, Method, Target};
use ballesta_files::Failure;
use ballesta_files::output_file::{self, write};
use ballesta_run::model;
use ballesta_run::modes::moves;
use ballesta_run::reduction::{self, Reduction, ReductionRequest, Report};
use serde::Serialize;
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
        // Work is an integral over the run; its output equation has no derivative with respect to the states.
        for output in document.model.outputs.iter().filter(|output| reduction::is_work(document, &output.name)) {
            notice(&format!(
                "output `{}` has no linear model, because the work since the start is not a state: its rows in C \
                 and D are not its derivatives",
                output.name
            ));
        }
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
        let mut page = findings.page(&modes, &motions);
        if let Some(path) = &self.output {
            page += &format!("\nWrote {}.\n", path.display());
        }
        text::say(&page)
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

/// The object of `linearize --json`.
#[derive(Serialize)]
struct LinearizationReport {
    model: String,
    time_s: f64,
    states: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    parameters: Vec<String>,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
    d: Vec<Vec<f64>>,
    e: Vec<Vec<f64>>,
    f: Vec<Vec<f64>>,
    eigenvalues: Vec<Eigenvalue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduction: Option<Report>,
}

#[derive(Serialize)]
struct Eigenvalue {
    re: f64,
    im: f64,
    frequency_hz: f64,
    damping: f64,
    /// Relative error of the eigenvalue; unknown for a reduced model.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertainty: Option<f64>,
    /// Largest shares, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
}

/// Both eigenvalues of a conjugate pair, or of a motion without stiffness.
fn eigenvalues(mode: &Mode, motions: Option<&[String]>) -> impl Iterator<Item = Eigenvalue> {
    let one = |sign: f64| Eigenvalue {
        re: mode.eigenvalue.re,
        im: sign * mode.eigenvalue.im,
        frequency_hz: mode.frequency_hz(),
        damping: mode.damping(),
        uncertainty: motions.map(|_| mode.uncertainty),
        moves: motions.map(|motions| moves(mode, motions)),
    };
    let second = (mode.count == 2).then(|| one(if mode.oscillates() { -1.0 } else { 1.0 }));
    [Some(one(1.0)), second].into_iter().flatten()
}

impl LinearizationReport {
    fn new(name: &str, model: Linearization, modes: &Modes) -> LinearizationReport {
        let eigenvalues = modes.modes.iter().flat_map(|mode| eigenvalues(mode, Some(&model.motions))).collect();
        let Linearization { time, states, inputs, outputs, parameters, a, b, c, d, e, f, .. } = model;
        let model = name.to_string();
        LinearizationReport {
            model,
            time_s: time,
            states,
            inputs,
            outputs,
            parameters,
            a,
            b,
            c,
            d,
            e,
            f,
            eigenvalues,
            reduction: None,
        }
    }

    /// Exactly kept eigenvalues, followed by the eigenvalues of the balanced part.
    fn reduced(name: &str, model: &Linearization, modes: &Modes, found: Reduction) -> LinearizationReport {
        let kept = found.report.kept_modes.iter().map(|&k| &modes.modes[k]);
        let mut listed: Vec<Eigenvalue> = kept.flat_map(|mode| eigenvalues(mode, Some(&model.motions))).collect();
        for &eigenvalue in found.system.balanced.iter().filter(|value| value.im >= 0.0) {
            let count = if eigenvalue.im > 0.0 { 2 } else { 1 };
            listed.extend(eigenvalues(&Mode { eigenvalue, count, shares: Vec::new(), uncertainty: 0.0 }, None));
        }
        let Reduction { states, inputs, outputs, parameters, system, report } = found;
        let truncation::Reduced { a, b, c, d, e, f, .. } = system;
        let (model, time_s) = (name.to_string(), model.time);
        let (eigenvalues, reduction) = (listed, Some(report));
        LinearizationReport {
            model,
            time_s,
            states,
            inputs,
            outputs,
            parameters,
            a,
            b,
            c,
            d,
            e,
            f,
            eigenvalues,
            reduction,
        }
    }

    fn page(&self, modes: &Modes, motions: &[String]) -> String {
        let mut page = format!(
            "{} at t = {} s: {}, {}, {}\n",
            self.model,
            self.time_s,
            text::count(self.states.len(), "state"),
            text::count(self.inputs.len(), "input"),
            text::count(self.outputs.len(), "output"),
        );
        page += &matrix("A", &self.states, &self.states, &self.a);
        page += &matrix("B", &self.states, &self.inputs, &self.b);
        page += &matrix("C", &self.outputs, &self.states, &self.c);
        page += &matrix("D", &self.outputs, &self.inputs, &self.d);
        page += &matrix("E", &self.states, &self.parameters, &self.e);
        page += &matrix("F", &self.outputs, &self.parameters, &self.f);
        match &self.reduction {
            None => {
                page += "\nEigenvalues of A\n";
                page += &operating::mode_table(modes, motions, usize::MAX);
            }
            Some(report) => page += &self.reduction_lines(report, modes, motions),
        }
        page
    }

    /// Eigenvalues, figures and the table for the choice of the order.
    fn reduction_lines(&self, report: &Report, modes: &Modes, motions: &[String]) -> String {
        // The largest error is at infinite frequency if only the direct transmission differs.
        let (full, order, kept) = (report.full_states.len(), self.states.len(), report.kept_states);
        let number = |value: Option<f64>| value.map_or("none".to_string(), |value| text::short(value, 4));
        let frequency = |hertz: f64| match hertz.is_finite() {
            true => format!("at {} Hz", text::short(hertz, 6)),
            false => "at high frequencies".to_string(),
        };
        // Conjugate pairs are listed once, by the eigenvalue with a positive imaginary part.
        let mut rows = vec![vec!["eigenvalue in 1/s".to_string(), "Hz".into(), "damping".into(), "moves".into()]];
        for value in self.eigenvalues.iter().filter(|value| value.im >= 0.0) {
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
                format!(
                    "largest gain {} {}",
                    number(Some(report.stable_gain)),
                    frequency(report.stable_gain_frequency_hz)
                ),
            ),
        ];
        page += &text::table(&facts.map(|(name, value)| vec![name.to_string(), value]));
        // Balanced truncation ranks states by Hankel singular values, modal truncation ranks modes by contribution.
        page + &match report.contributions.is_empty() {
            true => hankel_table(report, order),
            false => contribution_table(report, modes, motions),
        }
    }

    /// MATLAB or Octave: `A`, `B`, `C`, `D`, `E`, `F` and the names as cell arrays.
    fn script(&self) -> String {
        // The header states the point of linearization and, after a reduction, the error bound.
        let mut script = format!(
            "% {} linearized at t = {} s: dx/dt = A x + B u + E p, y = C x + D u + F p\n",
            self.model, self.time_s
        );
        if let Some(report) = &self.reduction {
            let bound = report.error_bound.map_or("none".to_string(), |bound| format!("{bound:e}"));
            script +=
                &format!("% reduced, {}: error bound {bound}; x is about to_full z, z = from_full x\n", report.method);
        }
        // In a MATLAB string, a quote is doubled.
        let names = [
            ("states", &self.states),
            ("inputs", &self.inputs),
            ("outputs", &self.outputs),
            ("parameters", &self.parameters),
        ];
        for (name, list) in names {
            let quoted: Vec<String> = list.iter().map(|item| format!("'{}'", item.replace('\'', "''"))).collect();
            script += &format!("{name} = {{{}}};\n", quoted.join(", "));
        }
        // A reduction adds the projections between the full and the reduced state.
        let mut matrices = [
            ("A", &self.a, self.states.len()),
            ("B", &self.b, self.inputs.len()),
            ("C", &self.c, self.states.len()),
            ("D", &self.d, self.inputs.len()),
            ("E", &self.e, self.parameters.len()),
            ("F", &self.f, self.parameters.len()),
        ]
        .to_vec();
        if let Some(report) = &self.reduction {
            matrices.push(("to_full", &report.to_full, self.states.len()));
            matrices.push(("from_full", &report.from_full, report.full_states.len()));
        }
        // `[]` would lose the number of rows or columns, so empty matrices are written as `zeros`.
        for (name, matrix, columns) in matrices {
            let rows = matrix.len();
            if rows == 0 || columns == 0 {
                script += &format!("{name} = zeros({rows}, {columns});\n");
                continue;
            }
            script += &format!("{name} = [\n");
            for row in matrix {
                let numbers: Vec<String> = row.iter().map(|value| format!("{value:e}")).collect();
                script += &format!("  {}\n", numbers.join(" "));
            }
            script += "];\n";
        }
        script
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
