//! The runs of a study on several threads of this machine.

use super::journal::Journal;
use super::plan::Study;
use super::rows::Rows;
use ballesta_files::failure::Failure;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval after which a thread stores its rows; a longer run delays storing.
const STORE_INTERVAL: Duration = Duration::from_secs(1);

/// Makes the missing runs of `journal` on `threads` ≥ 1 threads and stores their rows about every second. If `stop()`
/// returns true, every thread finishes its present run and stores its rows. `done` is called with the number of stored
/// rows.
///
/// # Errors
/// Errors of the file system for the journal, after all threads have stopped.
pub fn work_on_threads(
    study: &Study,
    journal: &mut Journal,
    threads: usize,
    stop: impl Fn() -> bool + Sync,
    done: impl Fn(&Rows) + Sync,
) -> Result<(), Failure> {
    let missing = Mutex::new(journal.missing().into_iter());
    let journal = Mutex::new(journal);
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::Relaxed) || stop();
    let next = || -> Option<Range<u64>> { missing.lock().unwrap_or_else(PoisonError::into_inner).next() };
    let store = |rows: &Rows| {
        let added = journal.lock().unwrap_or_else(PoisonError::into_inner).add(rows);
        match added {
            Ok(_) => done(rows),
            Err(error) => {
                failed.store(true, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    let work = || {
        while let Some(mut runs) = next() {
            while !runs.is_empty() && !stop() {
                let begin = Instant::now();
                let rows = study.work(runs.clone(), || stop() || begin.elapsed() >= STORE_INTERVAL);
                runs.start = rows.runs().end;
                store(&rows);
            }
            if stop() {
                break;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}
