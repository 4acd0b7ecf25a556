//! Step times of an FMU, through its C functions.

use super::arguments;
use super::{Distribution, Subject, concluded, measure, pace};
use crate::fmu::{self, OutputReader};
use crate::text;
use ballesta::model::schema::Experiment;
use ballesta_files::Failure;
use ballesta_package::importer::{Fmu, Instance};
use ballesta_run::Grid;
use serde::Serialize;
use std::time::Instant;

/// FMU and settings of a measurement.
pub struct Plan {
    fmu: Fmu,
    experiment: Grid,
    steps: usize,
    json: bool,
}

impl Plan {
    /// Unpacks and loads the FMU.
    pub fn resolve(typed: arguments::Bench) -> Result<Plan, Failure> {
        let fmu = fmu::open(&typed.subject)?;
        let default = fmu.description().experiment;
        let start = default.start.unwrap_or(0.0);
        let stop = default.stop.filter(|stop| *stop > start).unwrap_or(start + 1.0);
        // An FMU without a step size gets 500 intervals, as in other importers.
        let internal = (stop - start) / 500.0;
        let step = typed.step.or(default.step.filter(|step| *step > 0.0));
        let experiment = Grid::new(&Experiment { start, stop, step, trim: false }, internal, None, None)?;
        Ok(Plan { fmu, experiment, steps: typed.steps as usize, json: typed.json })
    }

    /// Measures and reports.
    pub fn execute(self) -> Result<(), Failure> {
        // The FMU is stepped through its C functions; reading outputs is a stage of its own.
        let outputs = OutputReader::new(self.fmu.description());
        let mut subject = Imported {
            instance: self.fmu.instantiate("bench", false).map_err(fmu::fault)?,
            values: vec![0.0; outputs.length()],
            outputs,
            experiment: self.experiment,
            fresh: true,
        };
        let (measured, end) = measure(&mut subject, &self.experiment, self.steps);
        // A fault in the first step leaves no samples.
        if measured.steps.is_empty() {
            return concluded(end, 0);
        }
        let step_us = Distribution::new(&measured.steps);
        let outputs_us = Distribution::new(&measured.stages[0]);
        let findings = FmuTimingReport {
            model: self.fmu.description().model_name.clone(),
            generation_tool: self.fmu.description().generation_tool.clone(),
            step_s: self.experiment.step,
            steps: measured.steps.len(),
            step_us,
            realtime_factor: step_us.mean * 1e-6 / self.experiment.step,
            stages_us: Stages { outputs: super::Median { p50: outputs_us.p50 } },
        };
        // Results before the fault are printed even if the run ended early.
        if self.json {
            text::say_json(&findings)?
        } else {
            text::say(&page(&findings, &outputs_us))?
        }
        concluded(end, measured.steps.len())
    }
}

struct Imported {
    instance: Instance,
    outputs: OutputReader,
    values: Vec<f64>,
    experiment: Grid,
    fresh: bool,
}

impl Subject for Imported {
    fn stages() -> Vec<&'static str> {
        vec!["outputs"]
    }

    fn restart(&mut self) -> Result<(), String> {
        if !std::mem::take(&mut self.fresh) {
            self.instance.reset().map_err(|error| error.to_string())?;
        }
        let Grid { start, stop, .. } = self.experiment;
        self.instance.initialize(start, Some(stop)).map(drop).map_err(|error| error.to_string())
    }

    fn advance(&mut self, begin: f64, end: f64) -> Result<(), String> {
        match self.instance.do_step(begin, end - begin) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("step from {begin} s to {end} s: {error}")),
        }
    }

    fn time_stages(&mut self, seconds: &mut [f64]) -> Result<(), String> {
        let clock = Instant::now();
        self.outputs.read(&mut self.instance, &mut self.values).map_err(|error| error.to_string())?;
        seconds[0] = clock.elapsed().as_secs_f64();
        Ok(())
    }
}

fn page(findings: &FmuTimingReport, outputs_us: &Distribution) -> String {
    let by = match findings.generation_tool.as_str() {
        "" => String::new(),
        tool => format!(" by {tool}"),
    };
    format!(
        "{}: FMU{by}, communication step {} s; {} measured\n\n{}\nComputing takes {}.\n",
        findings.model,
        text::short(findings.step_s, 6),
        text::count(findings.steps, "step"),
        text::table(&[Distribution::heading(), findings.step_us.row("fmi2DoStep"), outputs_us.row("all outputs")]),
        pace(findings.realtime_factor)
    )
}

/// The object of `bench --json` for an FMU, without the fields of the solver.
#[derive(Serialize)]
struct FmuTimingReport {
    model: String,
    generation_tool: String,
    step_s: f64,
    steps: usize,
    step_us: Distribution,
    realtime_factor: f64,
    stages_us: Stages,
}

#[derive(Serialize)]
struct Stages {
    outputs: super::Median,
}
