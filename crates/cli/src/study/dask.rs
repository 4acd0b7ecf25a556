//! Has the runs of a study made by the workers of a Dask cluster.
//!
//! Dask speaks Python, so the work is that of the package's `python -m ballesta.study`: it reads the same file, and has
//! to find the same hash. It shows its progress and its errors on stderr, and tells on stdout what was done, as one
//! line of JSON.

use super::{Outcome, Plan};
use crate::interrupt;
use ballesta_experiment::Failure;
use ballesta_experiment::study::{Status, Study, Summary};
use serde::Deserialize;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Names an interpreter where the one beside the program, or on the path, is not the one with the package.
const PYTHON: &str = "BALLESTA_PYTHON";
/// Exit code of a command that Ctrl-C has ended, as shells have it.
const INTERRUPTED: i32 = 130;
const SIGINT: u8 = 2;
/// Time between two looks at the other process.
const LOOK: Duration = Duration::from_millis(50);
/// Time that it has to end after a signal, which this process alone may have got.
const GRACE: Duration = Duration::from_secs(5);

/// What `python -m ballesta.study --json` prints.
#[derive(Deserialize)]
struct Told {
    made: u64,
    seconds: f64,
    /// Whether the result was there before.
    there: bool,
    /// Number of runs by status.
    counts: [u64; Status::ALL.len()],
    reasons: Vec<(u64, String, String)>,
}

/// Makes the runs that are missing on the cluster of `scheduler`.
///
/// # Errors
/// Python that cannot be started, and whatever it says: its message is on stderr then.
pub fn work(plan: &Plan, study: &Study, scheduler: &str) -> Result<Outcome, Failure> {
    let python = python();
    let mut command = Command::new(&python);
    command.args(["-m", "ballesta.study"]).arg(&plan.file).arg("--output").arg(&plan.result);
    command.args(["--dask", scheduler, "--hash", &study.hash(), "--json"]);
    if plan.restart {
        command.arg("--restart");
    }
    let shown = python.display();
    // Ctrl-C goes to both; the part in Python stores what came back before it ends.
    let deferred = interrupt::defer();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let mut child = child.map_err(|error| {
        Failure::Usage(format!(
            "--dask: cannot start {shown}: {error}; name a Python with `ballesta[dask]` in {PYTHON}"
        ))
    })?;
    let failed = |error| Failure::file("wait for", &python, error);
    let mut told_to_end: Option<Instant> = None;
    while child.try_wait().map_err(failed)?.is_none() {
        if deferred.requested().is_some() && told_to_end.get_or_insert_with(Instant::now).elapsed() > GRACE {
            child.kill().map_err(failed)?;
        }
        thread::sleep(LOOK);
    }
    let ended = child.wait_with_output().map_err(failed)?;
    if ended.status.code() == Some(INTERRUPTED) || (deferred.requested().is_some() && !ended.status.success()) {
        let signal = deferred.requested().unwrap_or(SIGINT);
        let message = "what came back is stored; the same command goes on from there, here or on a cluster".into();
        return Err(Failure::Interrupted { signal, message });
    }
    if !ended.status.success() {
        return Err(Failure::Usage(format!("--dask: {shown} -m ballesta.study: {}, see above", ended.status)));
    }
    let told: Told = serde_json::from_slice(&ended.stdout)
        .map_err(|error| Failure::Usage(format!("--dask: {shown} -m ballesta.study printed no result: {error}")))?;
    let status = |word: &str| Status::ALL.into_iter().find(|status| status.word() == word);
    let reason = |(run, word, reason): (u64, String, String)| Some((run, status(&word)?, reason));
    let reasons = told.reasons.into_iter().filter_map(reason).collect();
    let summary = Summary { counts: told.counts, reasons };
    Ok(Outcome { summary, there: told.there, made: told.made, seconds: told.seconds })
}

/// The interpreter: the one of the variable, the one of the environment that the program is installed in, the one on
/// the path.
fn python() -> PathBuf {
    if let Some(named) = env::var_os(PYTHON) {
        return PathBuf::from(named);
    }
    let name = if cfg!(windows) { "python.exe" } else { "python3" };
    let beside = || Some(env::current_exe().ok()?.parent()?.join(name)).filter(|path| path.is_file());
    beside().unwrap_or_else(|| PathBuf::from(name))
}
