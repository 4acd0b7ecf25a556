//! Report of a real-time measurement, as text and JSON.

use super::machine::Machine;
use super::pacing::{Percentiles, Record, Step};
use super::scheduling::ActiveSettings;
use crate::commands::bench::stages::PaperRow;
use crate::commands::bench::{Median, pace};
use crate::text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The object of `bench --realtime --json`.
#[derive(Serialize)]
pub struct RealtimeReport {
    pub model: String,
    #[serde(flatten)]
    pub origin: Origin,
    pub step_s: f64,
    pub steps: u64,
    pub step_us: Percentiles,
    pub realtime_factor: f64,
    pub deadline: Deadline,
    /// Reference periods without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    pub scheduling: ActiveSettings,
    pub machine: Machine,
}

/// `reference`
#[derive(Serialize)]
pub struct Reference {
    pub misses: u64,
    pub latency_us: Percentiles,
    pub execution_us: Percentiles,
    pub response_us: Percentiles,
}

impl Reference {
    /// Figures of a record without a model.
    pub fn new(record: &Record) -> Reference {
        Reference {
            misses: record.misses(),
            latency_us: Percentiles::new(&record.latency),
            execution_us: Percentiles::new(&record.execution),
            response_us: Percentiles::new(&record.response),
        }
    }
}

/// An entry of `worst_steps`.
#[derive(Serialize)]
pub struct WorstStep {
    /// Simulated time at the start of the step, s.
    pub at_s: f64,
    pub latency_us: f64,
    pub execution_us: f64,
    pub response_us: f64,
}

impl WorstStep {
    fn new(step: &Step, start: f64, period: f64) -> WorstStep {
        let us = |nanoseconds: u64| nanoseconds as f64 / 1e3;
        WorstStep {
            at_s: start + step.number as f64 * period,
            latency_us: us(step.latency),
            execution_us: us(step.execution),
            response_us: us(step.response()),
        }
    }
}

/// Facts about the subject.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// An FMU.
    Fmu { generation_tool: String },
    /// A model; its stages are timed at the final state of the paced steps.
    Model {
        dof: usize,
        coordinates: usize,
        integrator: &'static str,
        internal_step_s: f64,
        evaluations_per_step: usize,
        evaluation_us: Median,
        stages_us: BTreeMap<&'static str, Median>,
        paper_stages: Vec<PaperRow>,
        allocations_in_step: Option<u64>,
    },
}

/// `deadline`
#[derive(Serialize)]
pub struct Deadline {
    pub period_us: f64,
    pub periods: u64,
    pub misses: u64,
    pub overruns: u64,
    pub overruns_by_execution: u64,
    pub skipped_periods: u64,
    pub lag_s: f64,
    pub worst_steps: Vec<WorstStep>,
    pub latency_us: Percentiles,
    pub execution_us: Percentiles,
    pub response_us: Percentiles,
}

impl Deadline {
    /// Figures of a record whose simulation started at `start` s.
    pub fn new(record: &Record, periods: u64, period: f64, start: f64) -> Deadline {
        Deadline {
            period_us: period * 1e6,
            periods,
            misses: record.misses(),
            overruns: record.overruns,
            overruns_by_execution: record.overruns_by_execution,
            skipped_periods: record.skipped,
            lag_s: record.skipped as f64 * period,
            worst_steps: record.worst().iter().map(|step| WorstStep::new(step, start, period)).collect(),
            latency_us: Percentiles::new(&record.latency),
            execution_us: Percentiles::new(&record.execution),
            response_us: Percentiles::new(&record.response),
        }
    }
}

/// The report as text.
pub fn page(findings: &RealtimeReport) -> String {
    let deadline = &findings.deadline;
    // The source: an imported FMU or a compiled model with its size and integrator.
    let subject = match &findings.origin {
        Origin::Fmu { generation_tool } if generation_tool.is_empty() => "FMU".to_string(),
        Origin::Fmu { generation_tool } => format!("FMU by {generation_tool}"),
        Origin::Model { dof, coordinates, integrator, internal_step_s, .. } => format!(
            "{}, {}, {integrator}, internal step {} s",
            text::count(*dof, "degree of freedom"),
            text::count(*coordinates, "relative coordinate"),
            text::short(*internal_step_s, 6)
        ),
    };
    // Percentiles of the wake-up latency, the execution and their sum, the response.
    let heading = ["time in µs", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean"].map(String::from).to_vec();
    let mut rows = vec![
        heading,
        row("wake-up latency", &deadline.latency_us),
        row("execution", &deadline.execution_us),
        row("response", &deadline.response_us),
    ];
    // The same loop with fixed arithmetic separates delays of the machine from delays of the model.
    if let Some(reference) = &findings.reference {
        rows.push(row("without a model: latency", &reference.latency_us));
        rows.push(row("fixed arithmetic", &reference.execution_us));
        rows.push(row("response", &reference.response_us));
    }
    // Memory allocation in a step has no upper bound in time.
    let allocations = match &findings.origin {
        Origin::Model { allocations_in_step: Some(0), .. } => " Allocations in steps: none.".to_string(),
        Origin::Model { allocations_in_step: Some(n), .. } => format!(" Allocations in steps: {n}."),
        _ => String::new(),
    };
    format!(
        "{}: {subject}; {} of {} s in {}\n{}{}\n{}\n{}{}\n{}\nComputing takes {}.{allocations}\n",
        findings.model,
        text::count(findings.steps as usize, "step"),
        text::short(findings.step_s, 6),
        text::count(deadline.periods as usize, "period"),
        findings.machine.words(),
        scheduling(&findings.scheduling),
        text::table(&rows),
        system_share(findings),
        worst_steps(&deadline.worst_steps),
        misses(deadline),
        pace(findings.realtime_factor),
    )
}

fn row(name: &str, times: &Percentiles) -> Vec<String> {
    let times = [times.p50, times.p90, times.p99, times.p999, times.p9999, times.max, times.mean];
    std::iter::once(name.to_string()).chain(times.iter().map(|time| text::short(*time, 4))).collect()
}

fn scheduling(found: &ActiveSettings) -> String {
    let priority = if found.priority > 0 { format!(" priority {}", found.priority) } else { String::new() };
    let cpus: Vec<String> = found.cpus.iter().map(usize::to_string).collect();
    let memory = if found.memory_locked { "locked" } else { "not locked" };
    format!(
        "Scheduling in force: {}{priority}, CPU {}, memory {memory}, timer slack {} ns.\n",
        found.policy,
        cpus.join(" or "),
        found.timer_slack_ns
    )
}

/// Latency of the system alone, from the reference.
fn system_share(findings: &RealtimeReport) -> String {
    let Some(reference) = &findings.reference else { return String::new() };
    let beyond = |times: &Percentiles| text::short(times.max - times.p50, 4);
    format!(
        "Largest execution time minus median: {} µs with the model, {} µs without (system alone).\n",
        beyond(&findings.deadline.execution_us),
        beyond(&reference.execution_us)
    )
}

fn worst_steps(worst: &[WorstStep]) -> String {
    let us = |time: f64| text::short(time, 4);
    let mut rows = vec![["longest responses", "latency µs", "execution µs", "response µs"].map(String::from).to_vec()];
    rows.extend(worst.iter().take(5).map(|step| {
        let at = format!("step from {} s", text::short(step.at_s, 9));
        vec![at, us(step.latency_us), us(step.execution_us), us(step.response_us)]
    }));
    text::table(&rows)
}

fn misses(found: &Deadline) -> String {
    let count = |number: u64, word: &str| text::count(number as usize, word);
    if found.misses == 0 {
        return "No deadline was missed.".to_string();
    }
    let verb = if found.misses == 1 { "was" } else { "were" };
    format!(
        "{} of {} {verb} MISSED: {} ended late ({} due to execution time alone, the others due to wake-up latency),\n\
         {} skipped; the simulation lags by {} s.",
        count(found.misses, "deadline"),
        found.periods,
        count(found.overruns, "step"),
        found.overruns_by_execution,
        count(found.skipped_periods, "period"),
        text::short(found.lag_s, 6)
    )
}
