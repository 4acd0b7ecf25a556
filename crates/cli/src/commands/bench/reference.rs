//! Times of the stages of one evaluation by the global method.
//!
//! The solver makes the steps. After each step the solver evaluates half a step ahead once. The selected method
//! evaluates there as well, once as a whole and once stage by stage.

use super::arguments::Method;
use super::stages::{PaperRow, STAGES, StageTimer, tables};
use super::{Distribution, Median, Subject, concluded, measure};
use crate::text;
use ballesta::simulate::Simulator;
use ballesta::system::System;
use ballesta_files::Failure;
use ballesta_run::Grid;
use ballesta_tools::global_method::Refusal;
use ballesta_tools::global_method::timer::{LinearAlgebra, Timer, timer};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Method {
    /// Name in the report.
    fn words(self) -> &'static str {
        match self {
            Method::Structured => "the solver",
            Method::Dense => "the global method, dense matrices in plain loops",
            Method::Faer => "the global method, dense matrices of faer",
            Method::Sparse => "the global method, sparse matrices of faer",
        }
    }
}

/// Model and settings of a measurement.
pub struct Plan {
    pub system: Arc<System>,
    pub experiment: Grid,
    pub steps: usize,
    pub json: bool,
    pub method: Method,
}

impl Plan {
    /// Measures and reports.
    pub fn execute(self) -> Result<(), Failure> {
        // The solver itself is the reference, so it cannot be compared with itself.
        let (system, state) = (&self.system, self.system.initial());
        let algebra = match self.method {
            Method::Dense => LinearAlgebra::Loops,
            Method::Faer => LinearAlgebra::Dense,
            Method::Sparse => LinearAlgebra::Sparse,
            Method::Structured => {
                return Err(Failure::Usage(
                    "--method structured: `structured` is the solver itself; expected dense, faer or sparse".into(),
                ));
            }
        };
        // Some methods do not support all models.
        let refused = |refusal: Refusal| Failure::Usage(format!("--method: {}", refusal.describe(system)));
        let timer = timer(algebra, system, state).map_err(refused)?;
        let mut subject = MethodComparison {
            simulator: Simulator::new(self.system.clone()),
            structured: StageTimer::new(system),
            timer,
            start: self.experiment.start,
        };
        // Both methods evaluate the same states of one run.
        let (measured, end) = measure(&mut subject, &self.experiment, self.steps);
        if measured.steps.is_empty() {
            return concluded(end, 0);
        }
        // Stages of the method, and the evaluation of the solver in the last row.
        let stages: Vec<Distribution> = measured.stages.iter().map(|times| Distribution::new(times)).collect();
        let (stages_us, paper_stages) = tables(&measured.stages[..STAGES.len()]);
        let findings = self.findings(&subject, measured.steps.len(), &stages, (stages_us, paper_stages));
        if self.json {
            text::say_json(&findings)?;
        } else {
            text::say(&page(&findings, &stages))?;
        }
        concluded(end, measured.steps.len())
    }

    fn findings(
        &self,
        subject: &MethodComparison,
        steps: usize,
        stages: &[Distribution],
        (stages_us, paper_stages): (BTreeMap<&'static str, Median>, Vec<PaperRow>),
    ) -> ReferenceReport {
        let (report, layout) = (self.system.report(), subject.timer.layout());
        let r = layout.rows.len();
        ReferenceReport {
            model: self.system.name().to_string(),
            method: self.method,
            dof: report.dof,
            coordinates: report.coordinates,
            dependent: r,
            constraints: report.constraints,
            redundant: report.redundant,
            jacobian: Matrix { rows: report.constraints, columns: r, density: report.density },
            factored: Matrix { rows: r, columns: r, density: layout.density() },
            integrator: self.system.integrator().scheme().name,
            step_s: self.system.step(),
            steps,
            evaluation_us: Median { p50: stages[0].p50 },
            structured_evaluation_us: Median { p50: stages[STAGES.len()].p50 },
            stages_us,
            paper_stages,
        }
    }
}

/// Simulates the motion with two additional evaluations per step.
struct MethodComparison {
    simulator: Simulator,
    structured: StageTimer,
    timer: Box<dyn Timer>,
    start: f64,
}

impl Subject for MethodComparison {
    fn stages() -> Vec<&'static str> {
        STAGES.iter().map(|(name, _)| *name).chain(["solver"]).collect()
    }

    fn restart(&mut self) -> Result<(), String> {
        self.simulator.initialize(self.start).map_err(|fault| self.simulator.system().describe(&fault))
    }

    fn advance(&mut self, _begin: f64, end: f64) -> Result<(), String> {
        self.simulator.advance(end).map_err(|fault| self.simulator.system().describe(&fault))
    }

    fn time_stages(&mut self, seconds: &mut [f64]) -> Result<(), String> {
        let system = Arc::clone(self.simulator.system());
        let state = self.simulator.state();
        let mut own = [0.0; STAGES.len()];
        self.structured.time(&system, state, &mut own).map_err(|fault| system.describe(&fault))?;
        if let Some(block) = self.structured.near_singular() {
            return Err(Refusal::NearSingular { block, time: state.time }.describe(&system));
        }
        seconds[STAGES.len()] = own[0];
        self.timer.time(&system, state, seconds)
    }
}

fn page(findings: &ReferenceReport, stages: &[Distribution]) -> String {
    // Stages in the order of an evaluation.
    let mut rows = vec![Distribution::heading()];
    rows.extend(MethodComparison::stages().into_iter().zip(stages).map(|(name, stage)| stage.row(name)));
    // Size and density of the matrix that the method factors; redundant equations are removed before.
    let ReferenceReport { jacobian, factored, .. } = findings;
    let share = |matrix: &Matrix| text::short(100.0 * matrix.density, 2);
    let factors = match (findings.dependent, findings.redundant) {
        (0, _) => "no closure equations".to_string(),
        (_, 0) => format!("Φ_zd {} × {} with {} % of its entries", factored.rows, factored.columns, share(factored)),
        (_, redundant) => format!(
            "Φ_zd {} × {} with {} % of its entries, {}; factored: {} × {}",
            jacobian.rows,
            jacobian.columns,
            share(jacobian),
            text::count(redundant, "redundant equation"),
            factored.rows,
            factored.columns
        ),
    };
    format!(
        "{}: {}, {}, {} dependent, step {} s; evaluations of {} measured\n{}: {factors}\n\n{}\nThe last row is the \
         evaluation of the solver at the same positions.\n",
        findings.model,
        text::count(findings.dof, "degree of freedom"),
        text::count(findings.coordinates, "relative coordinate"),
        findings.dependent,
        text::short(findings.step_s, 6),
        text::count(findings.steps, "step"),
        findings.method.words(),
        text::table(&rows),
    )
}

/// The object of `bench --method … --json`.
#[derive(Serialize)]
struct ReferenceReport {
    model: String,
    method: Method,
    dof: usize,
    coordinates: usize,
    dependent: usize,
    constraints: usize,
    redundant: usize,
    jacobian: Matrix,
    factored: Matrix,
    integrator: &'static str,
    step_s: f64,
    steps: usize,
    evaluation_us: Median,
    structured_evaluation_us: Median,
    stages_us: BTreeMap<&'static str, Median>,
    paper_stages: Vec<PaperRow>,
}

/// Size of a matrix and fraction of its nonzero entries.
#[derive(Serialize)]
struct Matrix {
    rows: usize,
    columns: usize,
    density: f64,
}
