//! `ballesta bench --realtime`: steps paced by the wall clock, as on a rig.
//!
//! In every period the program sleeps until an absolute time of the monotonic clock, sets the inputs, steps the model
//! or FMU, and reads its outputs. [`pacing`] describes the recorded times and overruns. There is no warm-up: the first
//! step counts, as on a rig. The simulation continues after the end of the experiment with the inputs of the last row.
//!
//! A reference measurement without a model ([`idle`]) shows the latencies of the system. [`machine`] reports the
//! properties of the machine.
//!
//! Limits: input and output cards and other tasks of a rig are not included. A system without a real-time kernel shows
//! its own worst cases, which differ from the rig.

mod idle;
mod machine;
mod pacing;
mod picture;
mod realtime_report;
mod scheduling;
mod subject;

use super::arguments;
use super::concluded;
use super::stages::{STAGES, StageTimer, tables};
use crate::{allocation, fmu, text};
use ballesta::integrate;
use ballesta::simulate::Simulator;
use ballesta::system::System;
use ballesta_files::Failure;
use ballesta_package::importer::Fmu;
use ballesta_run::inputs::Inputs;
use ballesta_run::model;
pub use scheduling::thread_time;

use idle::Arithmetic;
use machine::Machine;
use pacing::{Percentiles, Record};
use realtime_report::{Deadline, Origin, RealtimeReport, Reference};
use scheduling::{ActiveSettings, Monotonic, Request};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use subject::{Imported, Model, RealtimeSubject};

/// Evaluations whose stages are timed after the paced steps of a model.
const EVALUATIONS: usize = 1000;

/// Resolved `bench --realtime` command.
pub struct Plan {
    subject: Subject,
    beat: StepSchedule,
    request: Request,
    strict: bool,
    /// Whether to run the reference without a model.
    reference: bool,
    limits: Limits,
    json: bool,
    svg: Option<PathBuf>,
}

/// Limits of a run for exit code 0.
struct Limits {
    /// Largest number of missed deadlines.
    misses: Option<u64>,
    /// Longest response in µs.
    response_us: Option<f64>,
}

impl Limits {
    /// Exceeded limits, as text.
    fn exceeded(&self, found: &Deadline) -> Option<String> {
        let misses = self.misses.filter(|limit| found.misses > *limit).map(|limit| {
            let missed = text::count(found.misses as usize, "deadline");
            format!("--max-misses {limit}: {missed} of {} missed", found.periods)
        });
        let longest = found.response_us.max;
        let response = self
            .response_us
            .filter(|limit| longest > *limit)
            .map(|limit| format!("--max-us {limit}: the longest response took {} µs", text::short(longest, 6)));
        let exceeded: Vec<String> = misses.into_iter().chain(response).collect();
        (!exceeded.is_empty()).then(|| exceeded.join("\nfault: "))
    }
}

enum Subject {
    Fmu { fmu: Fmu, inputs: Option<PathBuf> },
    Model { system: Arc<System>, table: Option<Inputs> },
}

/// Steps in simulated time.
#[derive(Clone, Copy)]
struct StepSchedule {
    /// Start of the first step in s.
    start: f64,
    /// Period and communication step in s.
    period: f64,
    periods: u64,
}

impl Plan {
    /// Reads the model or unpacks the FMU.
    pub fn resolve(typed: arguments::Bench, is_fmu: bool) -> Result<Plan, Failure> {
        // An FMU has no internal step to change: its period is the communication step.
        let (subject, start, step) = if is_fmu {
            if typed.step.is_some() {
                let message = "--step: with --realtime the step of an FMU is its period; use --period".to_string();
                return Err(Failure::Usage(message));
            }
            let fmu = fmu::open(&typed.subject)?;
            let experiment = fmu.description().experiment;
            let step = experiment.step.filter(|step| *step > 0.0).unwrap_or(1e-3);
            (Subject::Fmu { fmu, inputs: typed.inputs }, experiment.start.unwrap_or(0.0), step)
        } else {
            let mut document = model::open(&typed.subject)?;
            if let Some(step) = typed.step {
                document.model.general.take_step(step);
            }
            let system = Arc::new(model::compile(&document, &[], false)?.system);
            let table = typed.inputs.map(|path| Inputs::read(&path, system.interface())).transpose()?;
            let experiment = &document.model.experiment;
            let step = experiment.step.unwrap_or(system.step());
            (Subject::Model { system, table }, experiment.start, step)
        };
        // The default period is the communication step of the experiment.
        let period = typed.period.unwrap_or(step);
        if !(1e-6..=3600.0).contains(&period) {
            return Err(Failure::Usage(format!("period {period} s: expected 1e-6 s to 3600 s; use --period")));
        }
        // A duration is rounded to whole periods.
        let periods = typed.duration.map_or(u64::from(typed.steps), |duration| (duration / period).round() as u64);
        Ok(Plan {
            subject,
            beat: StepSchedule { start, period, periods: periods.max(1) },
            request: Request { priority: typed.priority, cpu: typed.cpu, lock_memory: typed.lock_memory },
            strict: typed.strict,
            reference: !typed.no_reference,
            limits: Limits { misses: typed.max_misses, response_us: typed.max_us },
            json: typed.json,
            svg: typed.svg,
        })
    }

    /// Measures and reports. After a fault the report has the steps before it.
    pub fn execute(mut self) -> Result<(), Failure> {
        // The same measurement runs on an imported FMU or on a model that is compiled here.
        let StepSchedule { start, period, periods } = self.beat;
        let (name, measured) = match &mut self.subject {
            Subject::Fmu { fmu, inputs } => {
                let description = fmu.description();
                let instance = fmu.instantiate("bench", false).map_err(fmu::fault)?;
                let mut imported = Imported::new(instance, description, inputs.as_deref(), start)?;
                let origin = Origin::Fmu { generation_tool: description.generation_tool.clone() };
                let name = description.model_name.clone();
                (name, self.measure(&mut imported, |_, _| Ok(origin))?)
            }
            Subject::Model { system, table } => {
                let mut model = Model::new(Simulator::new(system.clone()), table.take(), start)?;
                let name = system.name().to_string();
                (name, self.measure(&mut model, |model, allocations| origin(&model.simulator, period, allocations))?)
            }
        };
        // A fault before the first step leaves nothing to report.
        let Measured { record, reference, origin, scheduling, end } = measured;
        let steps = record.steps() as usize;
        if steps == 0 {
            return concluded(end, 0);
        }
        // Deadline statistics compare each execution time with the period.
        let deadline = Deadline::new(&record, periods, period, start);
        let findings = RealtimeReport {
            model: name,
            origin,
            step_s: period,
            steps: record.steps(),
            step_us: deadline.execution_us,
            realtime_factor: Percentiles::new(&record.execution).mean * 1e-6 / period,
            deadline,
            reference: reference.as_ref().map(Reference::new),
            machine: Machine::here(&scheduling.cpus),
            scheduling,
        };
        // Drawing and report are written before a missed deadline becomes the exit code.
        if let Some(path) = &self.svg {
            ballesta_pictures::picture::write(path, &picture::draw(&findings, &record, reference.as_ref()))?;
        }
        if self.json {
            text::say_json(&findings)?;
        } else {
            let written = self.svg.iter().map(|path| format!("Wrote {}.\n", path.display()));
            text::say(&(realtime_report::page(&findings) + &written.collect::<String>()))?;
        }
        concluded(end, steps)?;
        self.limits.exceeded(&findings.deadline).map_or(Ok(()), |words| Err(Failure::Fault(words)))
    }

    /// Sets the scheduling and runs the periods.
    fn measure<D: RealtimeSubject>(
        &self,
        subject: &mut D,
        origin: impl FnOnce(&mut D, Option<u64>) -> Result<Origin, Failure>,
    ) -> Result<Measured, Failure> {
        let StepSchedule { start, period, periods } = self.beat;
        let mut record = Record::default();
        let scheduling = scheduling::apply(&self.request);
        if self.strict && !scheduling.refused.is_empty() {
            return Err(Failure::Usage(scheduling.refused.join("\nerror: ")));
        }
        for refusal in &scheduling.refused {
            // If stderr is closed, the report still has it.
            let _ = writeln!(std::io::stderr(), "warning: {refusal}");
        }
        if std::io::stderr().is_terminal() {
            let seconds = text::short(periods as f64 * period, 4);
            let again = if self.reference { ", then the reference takes the same time" } else { "" };
            let _ = writeln!(std::io::stderr(), "{} take {seconds} s{again}", text::count(periods as usize, "period"));
        }
        let nanoseconds = (period * 1e9).round() as u64;
        let (end, allocations) = allocation::count(|| {
            pacing::pace(&mut Monotonic::new(), nanoseconds, periods, &mut record, |i| {
                subject.step(start + i as f64 * period, start + (i + 1) as f64 * period)
            })
        });
        // The message of a fault is allocated.
        let origin = origin(subject, allocations.filter(|_| end.is_ok()))?;
        let reference = (self.reference && end.is_ok()).then(|| {
            let (mut arithmetic, mut reference) = (Arithmetic::like(&record), Record::default());
            // Arithmetic cannot fail.
            let _ = pacing::pace(&mut Monotonic::new(), nanoseconds, periods, &mut reference, |_| {
                arithmetic.step(0.0, period)
            });
            reference
        });
        Ok(Measured { record, reference, origin, scheduling, end: end.err() })
    }
}

struct Measured {
    record: Record,
    /// Runs the reference without a model, unless it is disabled or the model ended early.
    reference: Option<Record>,
    origin: Origin,
    scheduling: ActiveSettings,
    /// Reason of an early end.
    end: Option<String>,
}

/// Facts about a model, with the stages of evaluations at its final state.
fn origin(simulator: &Simulator, period: f64, allocations_in_step: Option<u64>) -> Result<Origin, Failure> {
    let system = simulator.system();
    let mut timer = StageTimer::new(system);
    let mut seconds = vec![0.0; STAGES.len()];
    let mut times = vec![Vec::with_capacity(EVALUATIONS); STAGES.len()];
    for _ in 0..EVALUATIONS {
        // A state that stopped the steps may not be evaluable.
        if timer.time(system, simulator.state(), &mut seconds).is_err() {
            break;
        }
        times.iter_mut().zip(&seconds).for_each(|(times, seconds)| times.push(*seconds));
    }
    let (stages_us, paper_stages) = tables(&times);
    let report = system.report();
    let internal_steps = (period / system.step() - 1e-9).ceil().max(1.0) as usize;
    Ok(Origin::Model {
        dof: report.dof,
        coordinates: report.coordinates,
        integrator: system.integrator().scheme().name,
        internal_step_s: system.step(),
        evaluations_per_step: integrate::evaluations(system) * internal_steps,
        evaluation_us: stages_us["evaluation"],
        stages_us,
        paper_stages,
        allocations_in_step,
    })
}
