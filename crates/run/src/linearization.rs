//! A linearized model as data: matrices, names and eigenvalues.

use crate::modes::moves;
use crate::reduction::{Reduction, Report, is_work};
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{Mode, Modes};
use ballesta::analysis::truncation;
use ballesta::model::Document;
use serde::Serialize;

/// The object of `linearize --json`.
#[derive(Serialize)]
pub struct LinearizationReport {
    pub model: String,
    pub time_s: f64,
    pub states: Vec<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub parameters: Vec<String>,
    pub a: Vec<Vec<f64>>,
    pub b: Vec<Vec<f64>>,
    pub c: Vec<Vec<f64>>,
    pub d: Vec<Vec<f64>>,
    pub e: Vec<Vec<f64>>,
    pub f: Vec<Vec<f64>>,
    pub eigenvalues: Vec<Eigenvalue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<Report>,
}

/// An eigenvalue of A, in 1/s.
#[derive(Serialize)]
pub struct Eigenvalue {
    pub re: f64,
    pub im: f64,
    pub frequency_hz: f64,
    pub damping: f64,
    /// Relative error of the eigenvalue; unknown for a reduced model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<f64>,
    /// Largest shares, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
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
    /// The full model.
    pub fn new(name: &str, model: Linearization, modes: &Modes) -> LinearizationReport {
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
    pub fn reduced(name: &str, model: &Linearization, modes: &Modes, found: Reduction) -> LinearizationReport {
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

    /// MATLAB or Octave: `A`, `B`, `C`, `D`, `E`, `F` and the names as cell arrays.
    pub fn script(&self) -> String {
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

/// Notes about outputs without a linear model.
pub fn notes(document: &Document) -> Vec<String> {
    let works = document.model.outputs.iter().filter(|output| is_work(document, &output.name));
    let note = |output: &str| {
        format!(
            "output `{output}` has no linear model, because the work since the start is not a state: its rows in C and \
             D are not its derivatives"
        )
    };
    works.map(|output| note(&output.name)).collect()
}
