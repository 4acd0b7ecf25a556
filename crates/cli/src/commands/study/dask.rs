//! Runs a study on the workers of a Dask cluster.
//!
//! The Python package does the work with `python -m ballesta.study`. It reads the same file and must find the same
//! hash. Progress and errors go to stderr; the outcome is one line of JSON on stdout.

use super::{Outcome, Plan};
use crate::interrupt;
use ballesta_files::Failure;
use ballesta_study::{Status, Study, Summary};
use serde::Deserialize;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Environment variable with the Python interpreter, if the one next to the program or on the path does not have the
/// package.
const PYTHON: &str = "BALLESTA_PYTHON";
/// Exit code after Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;
const SIGINT: u8 = 2;
/// Polling interval of the other process.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time after a signal until the other process is ended. The signal may have reached only this process.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

/// Output of `python -m ballesta.study --json`.
#[derive(Deserialize)]
struct StudyOutput {
    made: u64,
    seconds: f64,
    /// Whether the result existed before.
    there: bool,
    /// Number of runs by status.
    counts: [u64; Status::ALL.len()],
    reasons: Vec<(u64, String, String)>,
}

/// Computes the missing runs on the cluster of `scheduler`.
///
/// # Errors
/// Python cannot be started, or it fails; its message is then on stderr.
pub fn work(plan: &Plan, study: &Study, scheduler: &str) -> Result<Outcome, Failure> {
    let python = python();
    let mut command = Command::new(&python);
    command.args(["-m", "ballesta.study"]).arg(&plan.file).arg("--output").arg(&plan.result);
    command.args(["--dask", scheduler, "--hash", &study.hash(), "--json"]);
    if plan.restart {
        command.arg("--restart");
    }
    let shown = python.display();
    // Both processes receive Ctrl-C; the Python process saves returned runs before it ends.
    let deferred = interrupt::defer();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let mut child = child.map_err(|error| {
        Failure::Usage(format!("--dask: cannot start {shown}: {error}; set {PYTHON} to a Python with `ballesta[dask]`"))
    })?;
    let failed = |error| Failure::file("wait for", &python, error);
    let mut told_to_end: Option<Instant> = None;
    while child.try_wait().map_err(failed)?.is_none() {
        if deferred.requested().is_some()
            && told_to_end.get_or_insert_with(Instant::now).elapsed() > TERMINATION_TIMEOUT
        {
            child.kill().map_err(failed)?;
        }
        thread::sleep(POLL_INTERVAL);
    }
    let ended = child.wait_with_output().map_err(failed)?;
    if ended.status.code() == Some(INTERRUPTED) || (deferred.requested().is_some() && !ended.status.success()) {
        let signal = deferred.requested().unwrap_or(SIGINT);
        let message = "completed runs are saved; the same command continues, here or on a cluster".into();
        return Err(Failure::Interrupted { signal, message });
    }
    if !ended.status.success() {
        return Err(Failure::Usage(format!("--dask: {shown} -m ballesta.study: {}, see above", ended.status)));
    }
    let told: StudyOutput = serde_json::from_slice(&ended.stdout)
        .map_err(|error| Failure::Usage(format!("--dask: {shown} -m ballesta.study printed no result: {error}")))?;
    let status = |word: &str| Status::ALL.into_iter().find(|status| status.word() == word);
    let reason = |(run, word, reason): (u64, String, String)| Some((run, status(&word)?, reason));
    let reasons = told.reasons.into_iter().filter_map(reason).collect();
    let summary = Summary { counts: told.counts, reasons };
    Ok(Outcome { summary, there: told.there, made: told.made, seconds: told.seconds })
}

/// The interpreter: from the variable, from the environment of the program, or from the path.
fn python() -> PathBuf {
    if let Some(named) = env::var_os(PYTHON) {
        return PathBuf::from(named);
    }
    let name = if cfg!(windows) { "python.exe" } else { "python3" };
    let beside = || Some(env::current_exe().ok()?.parent()?.join(name)).filter(|path| path.is_file());
    beside().unwrap_or_else(|| PathBuf::from(name))
}
