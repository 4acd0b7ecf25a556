//! `ballesta study`: many runs of one model on this machine or a cluster.

pub mod arguments;
mod correlation;
mod dask;
mod study_page;

use crate::text::{self, ReportFormat};
use crate::{interrupt, judged};
use ballesta_files::{Failure, output_file};
use ballesta_study::{Journal, JournalState, Rows, Status, Study, Summary, read_table, stored_facts, work_on_threads};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Runs whose factors `--dry-run` prints.
const DRY_RUN_ROWS: u64 = 5;

/// Resolved `ballesta study` command.
pub struct Plan {
    /// `None` if a result is only reported.
    study: Option<Arc<Study>>,
    /// Study file, or the reported result.
    file: PathBuf,
    result: PathBuf,
    threads: usize,
    /// Scheduler of the Dask cluster.
    dask: Option<String>,
    restart: bool,
    dry_run: bool,
    report: Option<PathBuf>,
    strict: bool,
    told: ReportFormat,
}

/// Outcome of a study.
struct Outcome {
    summary: Summary,
    /// Whether the result existed before.
    there: bool,
    /// Runs computed now, and their time in s.
    made: u64,
    seconds: f64,
}

impl Plan {
    /// Reads the study and all its files; nothing is written yet.
    pub fn resolve(typed: arguments::Study) -> Result<Plan, Failure> {
        // The report page is HTML.
        if let Some(page) = typed.report.as_ref().filter(|path| !ends_with(path, "html")) {
            return Err(Failure::Usage(format!("--report {}: expected a name that ends in .html", page.display())));
        }
        // A finished result can only be drawn again; options for runs do not apply to it.
        let told = ReportFormat::new(typed.json, typed.quiet);
        let reported = ends_with(&typed.study, "parquet");
        if reported {
            let shown = typed.study.display();
            if typed.report.is_none() {
                return Err(Failure::Usage(format!(
                    "{shown} is a study result; use --report PAGE.html, or give the study file"
                )));
            }
            if typed.out.is_some() || typed.restart || typed.dry_run || typed.threads.is_some() || typed.dask.is_some()
            {
                let message = format!("{shown} is a study result; options for runs do not apply");
                return Err(Failure::Usage(message));
            }
            ballesta::document::file::open_within(&typed.study, u64::MAX)
                .map_err(|error| Failure::file("read", &typed.study, error))?;
            if stored_facts(&typed.study).is_none() {
                return Err(Failure::Usage(format!("{shown} is not a study result")));
            }
        }
        // Read the study and derive the name of the result from its file name.
        let study = if reported { None } else { Some(Arc::new(Study::read(&typed.study)?)) };
        let result = match typed.out {
            _ if reported => typed.study.clone(),
            Some(path) => path,
            None => Path::new(typed.study.file_name().unwrap_or_default()).with_extension("parquet"),
        };
        if !ends_with(&result, "parquet") {
            let message = format!("-o {}: expected a name that ends in .parquet", result.display());
            return Err(Failure::Usage(message));
        }
        // The result must not overwrite the study, nor the page the result.
        let out = if reported { None } else { Some(result.as_path()) };
        let read = if reported { &result } else { &typed.study };
        output_file::keep_apart(&[("-o", out), ("--report", typed.report.as_deref())], std::slice::from_ref(read))?;
        // By default each hardware thread computes one run at a time.
        let threads = match typed.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let (restart, dry_run, strict) = (typed.restart, typed.dry_run, typed.strict);
        let (file, dask) = (typed.study, typed.dask);
        Ok(Plan { study, file, result, threads, dask, restart, dry_run, report: typed.report, strict, told })
    }

    /// Computes the missing runs and writes result and page. After a signal all completed runs are kept.
    pub fn execute(self) -> Result<(), Failure> {
        let Some(study) = &self.study else {
            self.write_report()?;
            return self.tell_report();
        };
        if self.dry_run {
            return self.tell_plan(study);
        }
        let outcome = match &self.dask {
            Some(scheduler) => dask::work(&self, study, scheduler)?,
            None => self.work(study)?,
        };
        self.write_report()?;
        self.tell(study, &outcome)?;
        self.judge(study, &outcome)
    }

    fn work(&self, study: &Arc<Study>) -> Result<Outcome, Failure> {
        let mut journal = match Journal::open(study, &self.result, self.restart)? {
            JournalState::Complete(summary) => return Ok(Outcome { summary, there: true, made: 0, seconds: 0.0 }),
            JournalState::Journal(journal) => journal,
        };
        let before = journal.stored();
        let deferred = interrupt::defer();
        let bar = text::progress(study.runs(), study.model_name());
        bar.set_position(before);
        bar.reset_eta();
        let begin = Instant::now();
        let stop = || deferred.requested().is_some();
        let done = |rows: &Rows| bar.inc(rows.rows().len() as u64);
        let worked = work_on_threads(study, &mut journal, self.threads, stop, done);
        let seconds = begin.elapsed().as_secs_f64();
        bar.finish_and_clear();
        worked?;
        let made = journal.stored() - before;
        if let Some(signal) = deferred.requested().filter(|_| journal.stored() < study.runs()) {
            let (stored, runs, path) = (journal.stored(), study.runs(), journal.path().display());
            let message = format!(
                "interrupted: {stored} of {runs} runs are in {path}; the same command continues with the others"
            );
            return Err(Failure::Interrupted { signal, message });
        }
        Ok(Outcome { summary: journal.finish()?, there: false, made, seconds })
    }

    fn write_report(&self) -> Result<(), Failure> {
        let Some(page) = &self.report else { return Ok(()) };
        let table = read_table(&self.result).map_err(|error| Failure::file("read", &self.result, error))?;
        output_file::write(page, study_page::page(&table))
    }

    /// Warns about runs that are not done; a failure with `--strict`.
    fn judge(&self, study: &Study, outcome: &Outcome) -> Result<(), Failure> {
        let summary = &outcome.summary;
        let others = study.runs() - summary.count(Status::Done);
        if others == 0 {
            return Ok(());
        }
        let mut message =
            format!("{others} of {} are not `done`: {}", text::count(study.runs() as usize, "run"), counts(summary));
        for (run, status, reason) in &summary.reasons {
            message += &format!("\n  run {run}, {}: {reason}", status.word());
        }
        // Wrong runs are rows with their codes; the study itself succeeds.
        judged::settle(ballesta_run::Outcome::Questionable(message), self.strict)
    }

    fn written(&self) -> Vec<String> {
        let result = self.study.iter().map(|_| &self.result);
        result.chain(&self.report).map(|path| path.display().to_string()).collect()
    }

    fn tell_report(&self) -> Result<(), Failure> {
        match self.told {
            ReportFormat::Nothing => Ok(()),
            ReportFormat::Json => text::say_json(&json!({ "written": self.written() })),
            ReportFormat::Report => text::say(&format!("Wrote {}.\n", self.written().join(" and "))),
        }
    }

    fn tell(&self, study: &Study, outcome: &Outcome) -> Result<(), Failure> {
        // The rate uses only the runs that this call computed, not the runs saved before.
        let rate = (outcome.seconds > 0.0).then(|| outcome.made as f64 / outcome.seconds);
        let summary = &outcome.summary;
        match self.told {
            ReportFormat::Nothing => Ok(()),
            ReportFormat::Json => {
                let count = |status| summary.count(status);
                let reasons = summary.reasons.iter();
                let reasons = reasons.map(|(run, status, reason)| {
                    json!({ "run": run, "status": status.word(), "reason": reason, "exit_code": status.exit_code() })
                });
                text::say_json(&json!({
                    "model": study.model_name(),
                    "hash": study.hash(),
                    "runs": study.runs(),
                    "made": outcome.made,
                    "done": count(Status::Done),
                    "questionable": count(Status::Questionable),
                    "fault": count(Status::Fault),
                    "refused": count(Status::Refused),
                    "wrong": count(Status::Wrong),
                    "reasons": reasons.collect::<Vec<_>>(),
                    "computing_s": outcome.seconds,
                    "runs_per_s": rate,
                    "threads": self.dask.is_none().then_some(self.threads),
                    "scheduler": self.dask,
                    "written": self.written(),
                }))
            }
            // The study was complete before: nothing was computed.
            ReportFormat::Report if outcome.there => {
                let page = self.report.iter().map(|page| format!("Wrote {}.\n", page.display())).collect::<String>();
                text::say(&format!(
                    "{}: the result of this study, {}, exists already: {}; nothing was computed.\n{page}",
                    self.result.display(),
                    text::count(study.runs() as usize, "run"),
                    counts(summary)
                ))
            }
            // New runs: counts, computing time and rate.
            ReportFormat::Report => {
                let mut report = format!(
                    "{}: {}: {}",
                    study.model_name(),
                    text::count(study.runs() as usize, "run"),
                    counts(summary)
                );
                if outcome.made < study.runs() {
                    report += &format!("; {} were saved before", study.runs() - outcome.made);
                }
                let place = match &self.dask {
                    Some(scheduler) => format!("the workers of {scheduler}"),
                    None => text::count(self.threads, "thread"),
                };
                report += &format!("\n{} s of computing on {place}", text::short(outcome.seconds, 3));
                if let Some(rate) = rate {
                    report += &format!(", {} runs per second", text::short(rate, 3));
                }
                text::say(&format!("{report}\nWrote {}.\n", self.written().join(" and ")))
            }
        }
    }

    fn tell_plan(&self, study: &Study) -> Result<(), Failure> {
        // The header of a row group takes about 100 bytes per column.
        let columns = (study.factors().len() + study.kept().len() + study.traces().len() + 3) as u64;
        let size = study.runs() * study.row_bytes() + study.blocks() * columns * 150;
        let shown = 0..study.runs().min(DRY_RUN_ROWS);
        let cell = |index: usize, value: f64| match study.factors()[index].input_file(value) {
            Some(file) => file.to_string(),
            None => format!("{value}"),
        };
        let points = shown.map(|run| (run, study.point(run)));
        let grid = study.grid();
        if self.told == ReportFormat::Json {
            let point = |(run, values): (u64, Vec<f64>)| {
                let factors = study.factors().iter();
                let values = values.into_iter().zip(factors).map(|(value, factor)| match factor.input_file(value) {
                    Some(file) => json!(file),
                    None => json!(value),
                });
                json!({ "run": run, "factors": values.collect::<Vec<_>>() })
            };
            return text::say_json(&json!({
                "model": study.model_name(),
                "hash": study.hash(),
                "runs": study.runs(),
                "blocks": study.blocks(),
                "block": study.block_size(),
                "factors": study.factors().iter().map(|factor| factor.name.as_str()).collect::<Vec<_>>(),
                "kept": study.kept().iter().map(|kept| kept.name.as_str()).collect::<Vec<_>>(),
                "traces": study.traces().iter().map(|trace| trace.name.as_str()).collect::<Vec<_>>(),
                "start_s": grid.start,
                "stop_s": grid.stop,
                "step_s": grid.step,
                "points": points.map(point).collect::<Vec<_>>(),
                "bytes": size,
            }));
        }
        let mut report = format!(
            "{}: {} of {} s to {} s, in {} of up to {}\n{} and {} per run; {} will have up to {} MB\n\n",
            study.model_name(),
            text::count(study.runs() as usize, "run"),
            grid.start,
            grid.stop,
            text::count(study.blocks() as usize, "block"),
            text::count(study.block_size() as usize, "run"),
            text::count(study.kept().len(), "number"),
            text::count(study.traces().len(), "trace"),
            self.result.display(),
            text::short((size as f64 / 1e6).max(0.001), 3),
        );
        let head = study.factors().iter().map(|factor| match factor.unit.as_str() {
            "" => factor.name.clone(),
            unit => format!("{} [{unit}]", factor.name),
        });
        let mut rows = vec![std::iter::once("run".to_string()).chain(head).collect::<Vec<_>>()];
        for (run, values) in points {
            let cells = values.into_iter().enumerate().map(|(index, value)| cell(index, value));
            rows.push(std::iter::once(run.to_string()).chain(cells).collect());
        }
        report += &text::table(&rows);
        text::say(&report)
    }
}

/// Number of runs by status, without zeros.
fn counts(summary: &Summary) -> String {
    let all = Status::ALL.into_iter().filter(|status| summary.count(*status) > 0);
    all.map(|status| format!("{} {}", summary.count(status), status.word())).collect::<Vec<_>>().join(", ")
}

fn ends_with(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}
