//! One run of a study.

use super::fold::Fold;
use super::plan::{Study, Target};
use super::rows::{Row, Rows, Status};
use ballesta::analysis::step_map::AnalysisExtent;
use ballesta::compile;
use ballesta::model::Diagnostics;
use ballesta::simulate::Simulator;
use ballesta_files::failure::Failure;
use ballesta_run::model::{self, AssignedValues, Assignment};
use ballesta_run::outcome;
use ballesta_run::simulation::{self, Clock, Excitation};
use ballesta_run::{inputs::Inputs, operating};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Kept values of a completed run.
struct Outcome {
    known: outcome::Outcome,
    numbers: Vec<f64>,
    traces: Vec<Vec<f64>>,
}

impl Study {
    /// Makes runs in sequence, at least one, until `stop()` returns true after a run. `runs` is within [`Study::runs`]
    /// and not empty. A failed run gives a row with its reason.
    pub fn work(&self, runs: Range<u64>, stop: impl Fn() -> bool) -> Rows {
        let mut rows = Rows { hash: self.hash, first: runs.start, rows: Vec::new() };
        for run in runs {
            rows.rows.push(self.row(run));
            if stop() {
                break;
            }
        }
        rows
    }

    /// The row of one run < [`Study::runs`].
    pub fn row(&self, run: u64) -> Row {
        match self.outcome(&self.point(run)) {
            Ok(Outcome { known, numbers, traces }) => {
                let status = match known {
                    outcome::Outcome::Good => Status::Done,
                    outcome::Outcome::Questionable(_) => Status::Questionable,
                    outcome::Outcome::Wrong(_) => Status::Wrong,
                };
                Row { status, reason: one_line(known.reason().unwrap_or_default()), numbers, traces }
            }
            Err((status, reason)) => Row {
                status,
                reason: one_line(&reason),
                numbers: vec![f64::NAN; self.kept.len()],
                traces: vec![Vec::new(); self.traces.len()],
            },
        }
    }

    /// Quality of a completed run with its values, or status and reason of an early end.
    fn outcome(&self, values: &[f64]) -> Result<Outcome, (Status, String)> {
        let refused = |reason: String| (Status::Refused, reason);
        let mut set = self.constants.clone();
        let mut table: Option<&Inputs> = self.inputs.as_ref();
        for (factor, value) in self.factors.iter().zip(values) {
            match &factor.target {
                Target::Variable(name) => set.push(Assignment { name: name.clone(), value: *value }),
                Target::Inputs(all) => table = Some(&all[*value as usize]),
                Target::Scale(_) => (),
            }
        }
        let mut table = table.cloned();
        for (factor, value) in self.factors.iter().zip(values) {
            if let (Target::Scale(input), Some(table)) = (&factor.target, &mut table) {
                table.scale(*input, *value);
            }
        }
        let assigned = model::assign(&self.document, &set, true);
        let AssignedValues { parameters, inputs } = assigned.map_err(|wrong| refused(wrong.to_string()))?;
        let system = compile::compile(&self.document, &parameters).map_err(|wrong| refused(self.told(&wrong)))?;
        let trim = self.file.study.trim == Some(true);
        let limit = operating::refuse_long_step(&self.document, &system, &inputs, trim, AnalysisExtent::OwnStep);
        if let Err(failure) = limit {
            return Err(refused(match failure {
                Failure::Input(wrong) => self.told(&wrong),
                other => other.to_string(),
            }));
        }
        let start_warnings = system.report().warnings.clone();
        let mut simulator = Simulator::new(Arc::new(system));
        let excitation = Excitation { constants: inputs, table, trim };
        let mut fold = Fold::new(self);
        let at_point = |time: f64, outputs: &[f64], _: &Simulator| {
            fold.take(time, outputs);
            Ok(())
        };
        let (mut clock, goes_on) = (Clock::default(), &mut || true);
        let ending = simulation::run(&mut simulator, &self.grid, &excitation, &mut clock, at_point, goes_on);
        match ending.stopped {
            None => {
                let (numbers, traces) = fold.finish();
                let starts = (!start_warnings.is_empty()).then(|| start_warnings.join("; "));
                Ok(Outcome { known: outcome::Outcome::new(starts, false).and(ending.outcome()), numbers, traces })
            }
            Some(Failure::Fault(reason)) => Err((Status::Fault, reason)),
            Some(other) => Err((Status::Fault, other.to_string())),
        }
    }

    /// Diagnostics of the model without its folder, which differs between machines.
    fn told(&self, wrong: &Diagnostics) -> String {
        let all = wrong.0.iter().map(|diagnostic| {
            let file = Path::new(&diagnostic.file);
            let file = file.strip_prefix(&self.model_folder).unwrap_or(file);
            let file = file.to_string_lossy().replace('\\', "/");
            ballesta::model::Diagnostic { file, ..diagnostic.clone() }.to_string()
        });
        all.collect::<Vec<_>>().join("; ")
    }
}

/// Joins a text to one line.
fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
