//! Step times of a model, computed by the solver.

use super::arguments::{self, Method};
#[cfg(feature = "global-method")]
use super::reference;
use super::stages::{PaperRow, STAGES, StageTimer, tables, time_in_a_row};
use super::{Distribution, Median, Subject, concluded, measure, pace};
use crate::text;
use ballesta::integrate;
use ballesta::simulate::Simulator;
use ballesta::system::{Fault, System};
use ballesta_files::Failure;
use ballesta_run::{Grid, model};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Model and settings of a measurement.
pub struct Plan {
    system: Arc<System>,
    experiment: Grid,
    steps: usize,
    json: bool,
    method: Method,
}

impl Plan {
    /// Reads and compiles the model.
    pub fn resolve(typed: arguments::Bench) -> Result<Plan, Failure> {
        let mut document = model::open(&typed.subject)?;
        if let Some(step) = typed.step {
            document.model.general.take_step(step);
        }
        let system = model::compile(&document, &[], false)?.system;
        let experiment = Grid::new(&document.model.experiment, system.step(), None, Some(system.step()))?;
        if experiment.intervals() == 0 {
            let message =
                format!("{}: the experiment has no duration; give it a stop time after its start", system.name());
            return Err(Failure::Usage(message));
        }
        let (steps, json, method) = (typed.steps as usize, typed.json, typed.method);
        Ok(Plan { system: Arc::new(system), experiment, steps, json, method })
    }

    /// Prepares evaluations by the requested method.
    #[cfg(feature = "global-method")]
    pub fn by_method(self) -> super::Plan {
        let Plan { system, experiment, steps, json, method } = self;
        super::Plan::Reference(reference::Plan { system, experiment, steps, json, method })
    }

    /// Measures and reports.
    pub fn execute(self) -> Result<(), Failure> {
        // The step, the outputs and the step with outputs are timed on separate simulators.
        let new = || Simulator::new(self.system.clone());
        let mut subject = Native {
            simulator: new(),
            read: new(),
            complete: new(),
            stages: StageTimer::new(&self.system),
            outputs: vec![0.0; self.system.interface().outputs.len()],
            start: self.experiment.start,
        };
        let (measured, end) = measure(&mut subject, &self.experiment, self.steps);
        // A fault in the first step leaves no samples, so no distribution can be computed.
        if measured.steps.is_empty() {
            return concluded(end, 0);
        }
        // The stage list ends with the time of the outputs and of the complete step; the rest are solver stages.
        let step_us = Distribution::new(&measured.steps);
        let stages: Vec<Distribution> = measured.stages.iter().map(|times| Distribution::new(times)).collect();
        let (mut stages_us, paper_stages) = tables(&measured.stages[..STAGES.len()]);
        let [outputs, complete] = [0, 1].map(|k| stages[STAGES.len() + k]);
        stages_us.insert("outputs", Median { p50: outputs.p50 });
        // Evaluations in a row, without the other stages of a step in between.
        let in_a_row = time_in_a_row(&self.system, subject.simulator.state());
        let report = self.system.report();
        let findings = BenchReport {
            model: self.system.name().to_string(),
            method: self.method,
            dof: report.dof,
            coordinates: report.coordinates,
            integrator: self.system.integrator().scheme().name,
            step_s: self.system.step(),
            steps: measured.steps.len(),
            step_us,
            step_with_outputs_us: complete,
            evaluation_us: Median { p50: stages[0].p50 },
            evaluation_in_a_row_us: in_a_row.ok().map(|times| Median { p50: Distribution::new(&times).p50 }),
            evaluations_per_step: integrate::evaluations(&self.system),
            realtime_factor: step_us.mean * 1e-6 / self.system.step(),
            stages_us,
            paper_stages,
            allocations_in_step: measured.allocations,
            profile: ballesta::PROFILE,
        };
        // Results before the fault are printed even if the run ended early.
        if self.json {
            text::say_json(&findings)?;
        } else {
            text::say(&page(&findings, &stages))?;
        }
        concluded(end, measured.steps.len())
    }
}

struct Native {
    /// Steps without outputs.
    simulator: Simulator,
    /// Outputs at the same points.
    read: Simulator,
    /// Steps with all outputs after each step, as in an FMU. A step then reuses the evaluation of the last outputs.
    complete: Simulator,
    stages: StageTimer,
    outputs: Vec<f64>,
    start: f64,
}

impl Native {
    fn words(&self, fault: Fault) -> String {
        self.simulator.system().describe(&fault)
    }
}

impl Subject for Native {
    fn stages() -> Vec<&'static str> {
        STAGES.iter().map(|(name, _)| *name).chain(["outputs", "step with outputs"]).collect()
    }

    fn restart(&mut self) -> Result<(), String> {
        let simulators = [&mut self.simulator, &mut self.complete];
        let done = simulators.into_iter().try_for_each(|simulator| simulator.initialize(self.start));
        done.and_then(|()| self.complete.outputs(&mut self.outputs)).map_err(|fault| self.words(fault))
    }

    fn advance(&mut self, _begin: f64, end: f64) -> Result<(), String> {
        self.simulator.advance(end).map_err(|fault| self.words(fault))
    }

    fn time_stages(&mut self, seconds: &mut [f64]) -> Result<(), String> {
        let system = Arc::clone(self.simulator.system());
        let words = |fault: Fault| system.describe(&fault);
        self.stages.time(&system, self.simulator.state(), seconds).map_err(words)?;
        self.read.set_state(self.simulator.state());
        let clock = Instant::now();
        self.read.outputs(&mut self.outputs).map_err(words)?;
        seconds[STAGES.len()] = clock.elapsed().as_secs_f64();
        let (end, clock) = (self.simulator.time(), Instant::now());
        self.complete.advance(end).map_err(words)?;
        self.complete.outputs(&mut self.outputs).map_err(words)?;
        seconds[STAGES.len() + 1] = clock.elapsed().as_secs_f64();
        Ok(())
    }
}

fn page(findings: &BenchReport, stages: &[Distribution]) -> String {
    let mut rows = vec![Distribution::heading(), findings.step_us.row("step")];
    rows.extend(Native::stages().into_iter().zip(stages).map(|(name, stage)| stage.row(name)));
    let allocations = match findings.allocations_in_step {
        Some(0) => "none".to_string(),
        Some(n) => n.to_string(),
        None => "not counted".to_string(),
    };
    format!(
        "{}: {}, {}, {}, step {} s; {} measured\n\n{}\nComputing takes {}. Allocations in steps: {}.\n{}",
        findings.model,
        text::count(findings.dof, "degree of freedom"),
        text::count(findings.coordinates, "relative coordinate"),
        findings.integrator,
        text::short(findings.step_s, 6),
        text::count(findings.steps, "step"),
        text::table(&rows),
        pace(findings.realtime_factor),
        allocations,
        compiled(findings.profile)
    )
}

/// Note about the build profile of the solver, if it differs from released programs.
fn compiled(profile: &str) -> String {
    match profile {
        "fmu" | "release" | "program" => String::new(),
        _ => format!("This program was built with the profile `{profile}`: steps take longer than in an FMU.\n"),
    }
}

/// The object of `bench --json`.
#[derive(Serialize)]
struct BenchReport {
    model: String,
    method: Method,
    dof: usize,
    coordinates: usize,
    integrator: &'static str,
    step_s: f64,
    steps: usize,
    step_us: Distribution,
    step_with_outputs_us: Distribution,
    evaluation_us: Median,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation_in_a_row_us: Option<Median>,
    evaluations_per_step: usize,
    realtime_factor: f64,
    stages_us: BTreeMap<&'static str, Median>,
    paper_stages: Vec<PaperRow>,
    allocations_in_step: Option<u64>,
    profile: &'static str,
}
