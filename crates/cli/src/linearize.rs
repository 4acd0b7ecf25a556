//! `ballesta linearize`: A, B, C, D of a model at its start or equilibrium, with the eigenvalues of A.

use super::arguments;
use super::export::notice;
use super::failure::Failure;
use super::operating::{self, Operating};
use super::output_file::{self, write};
use super::{model, text};
use ballesta::analysis::linearize::Linearization;
use ballesta::analysis::modal::{self, Mode, Modes};
use ballesta::model::schema::Quantity;
use ballesta_experiment::modes::moves;
use serde::Serialize;
use std::path::PathBuf;

/// What `ballesta linearize` is going to do.
pub struct Plan {
    operating: Operating,
    json: bool,
    output: Option<PathBuf>,
}

impl Plan {
    /// Reads and compiles the model.
    pub fn resolve(typed: arguments::Linearize) -> Result<Plan, Failure> {
        let operating = Operating::resolve(&typed.model, &typed.set, typed.trim)?;
        let known = |path: &&PathBuf| !path.extension().is_some_and(|ending| ending == "m" || ending == "json");
        if let Some(path) = typed.output.as_ref().filter(known) {
            let message =
                format!("--output {}: a state space is one of .json, .m by the ending of its name", path.display());
            return Err(Failure::Usage(message));
        }
        output_file::keep_apart(&[("--output", typed.output.as_deref())], &[model::model_file(&typed.model)])?;
        Ok(Plan { operating, json: typed.json, output: typed.output })
    }

    /// Linearizes and reports.
    pub fn execute(self) -> Result<(), Failure> {
        let mut simulator = self.operating.start()?.0;
        let model = simulator.linearize().map_err(operating::failure)?;
        let modes = modal::modes(&model).map_err(operating::failure)?;
        let motions = model.motions.clone();
        for output in self.operating.document.model.outputs.iter().filter(|output| is_work(output.quantity)) {
            notice(&format!(
                "output `{}` has no linear model: work since the start is not one of the states, and its rows in C \
                 and D are not its derivatives",
                output.name
            ));
        }
        let findings = Findings::new(simulator.system().name(), model, &modes);
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

/// Whether a quantity is, or contains, work that has been done since the start.
fn is_work(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::DissipatedEnergy | Quantity::InputWork | Quantity::EnergyBalance)
}

fn json(findings: &Findings) -> String {
    serde_json::to_string_pretty(findings).expect("plain data with text keys is always valid JSON") + "\n"
}

/// The object of `linearize --json`.
#[derive(Serialize)]
struct Findings {
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
}

#[derive(Serialize)]
struct Eigenvalue {
    re: f64,
    im: f64,
    frequency_hz: f64,
    damping: f64,
    /// Part of itself by which it may be wrong.
    uncertainty: f64,
    /// What moves most, with its shares.
    moves: String,
}

impl Findings {
    fn new(name: &str, model: Linearization, modes: &Modes) -> Findings {
        let one = |mode: &Mode, sign: f64| Eigenvalue {
            re: mode.eigenvalue.re,
            im: sign * mode.eigenvalue.im,
            frequency_hz: mode.frequency_hz(),
            damping: mode.damping(),
            uncertainty: mode.uncertainty,
            moves: moves(mode, &model.motions),
        };
        let mut eigenvalues = Vec::new();
        for mode in &modes.modes {
            eigenvalues.push(one(mode, 1.0));
            if mode.count == 2 {
                eigenvalues.push(one(mode, if mode.oscillates() { -1.0 } else { 1.0 }));
            }
        }
        let Linearization { time, states, inputs, outputs, parameters, a, b, c, d, e, f, .. } = model;
        let model = name.to_string();
        Findings { model, time_s: time, states, inputs, outputs, parameters, a, b, c, d, e, f, eigenvalues }
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
        page += "\nEigenvalues of A\n";
        page += &operating::mode_table(modes, motions, usize::MAX);
        page
    }

    /// MATLAB or Octave: `A`, `B`, `C`, `D`, `E`, `F` and the names as cell arrays.
    fn script(&self) -> String {
        let mut script = format!(
            "% {} linearized at t = {} s: dx/dt = A x + B u + E p, y = C x + D u + F p\n",
            self.model, self.time_s
        );
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
        let matrices = [
            ("A", &self.a, self.states.len()),
            ("B", &self.b, self.inputs.len()),
            ("C", &self.c, self.states.len()),
            ("D", &self.d, self.inputs.len()),
            ("E", &self.e, self.parameters.len()),
            ("F", &self.f, self.parameters.len()),
        ];
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

/// A matrix with the names of its rows and columns; nothing when it has no entries.
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
