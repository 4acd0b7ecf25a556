//! Parameter studies: reading, computing blocks of runs, storing rows. `ballesta/study.py` distributes them over
//! threads and machines.

use crate::convert::Signals;
use crate::errors;
use ballesta_files::Failure;
use ballesta_study::{self as study, Journal as Stored, JournalState, Rows, Status, Summary};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// A parameter study, read and checked by `Study(path)`.
///
/// A run depends only on its number, so any process can compute any run. All files are read once; later changes of the
/// files have no effect. Invalid files raise `ModelError` with every error.
#[pyclass(module = "ballesta.study", frozen)]
pub struct Study {
    study: Arc<study::Study>,
}

#[pymethods]
impl Study {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Study> {
        let read = py.detach(|| study::Study::read(&path)).map_err(|failure| errors::failure(py, failure))?;
        Ok(Study { study: Arc::new(read) })
    }

    /// Hash of the content of all files and of the version of ballesta, 64 hexadecimal digits. It does not depend on
    /// the folder of the files.
    #[getter]
    fn hash(&self) -> String {
        self.study.hash()
    }

    /// Name of the model.
    #[getter]
    fn model(&self) -> &str {
        self.study.model_name()
    }

    /// Number of runs.
    #[getter]
    fn runs(&self) -> u64 {
        self.study.runs()
    }

    /// Number of runs per block. A block is one task and one row group of the result.
    #[getter]
    fn block(&self) -> u64 {
        self.study.block_size()
    }

    /// Path of the study file in `files()`.
    #[getter]
    fn entry(&self) -> &str {
        self.study.entry()
    }

    /// Contents of all files of the study by relative path. If they are written to an empty folder, `entry` in it is
    /// the same study.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (path, content) in self.study.files() {
            files.set_item(path, PyBytes::new(py, content))?;
        }
        Ok(files)
    }

    /// Returns the factors of a run by name: values in the units of the model, paths for input files.
    fn point<'py>(&self, py: Python<'py>, run: u64) -> PyResult<Bound<'py, PyDict>> {
        if run >= self.study.runs() {
            let message = format!("run {run}: the study has runs 0 to {}", self.study.runs() - 1);
            return Err(errors::usage(py, message));
        }
        let point = PyDict::new(py);
        for (factor, value) in self.study.factors().iter().zip(self.study.point(run)) {
            match factor.input_file(value) {
                Some(file) => point.set_item(&factor.name, file)?,
                None => point.set_item(&factor.name, value)?,
            }
        }
        Ok(point)
    }

    /// Computes the runs from `first` to `end` - 1 and returns their rows as bytes for `Journal.add`.
    fn work<'py>(&self, py: Python<'py>, first: u64, end: u64) -> PyResult<Bound<'py, PyBytes>> {
        if !(first < end && end <= self.study.runs()) {
            let message = format!("runs {first} to {end}: the study has runs 0 to {}", self.study.runs());
            return Err(errors::usage(py, message));
        }
        let watch = Watch::new();
        let bytes = py.detach(|| self.study.work(first..end, || watch.stop()).to_bytes());
        watch.raised()?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Opens the journal next to `result`; `restart` discards its rows. If the result of this study exists already,
    /// returns the same dictionary as `Journal.finish`.
    fn journal<'py>(&self, py: Python<'py>, result: PathBuf, restart: bool) -> PyResult<Bound<'py, PyAny>> {
        match Stored::open(&self.study, &result, restart).map_err(|failure| errors::failure(py, failure))? {
            JournalState::Complete(found) => Ok(summary(py, found)?.into_any()),
            JournalState::Journal(journal) => {
                let journal = Journal { journal: Mutex::new(Some(journal)), study: self.study.clone() };
                Ok(Bound::new(py, journal)?.into_any())
            }
        }
    }

    /// Computes the missing runs of a journal in threads of this process. `listener(runs)` is called with the number of
    /// newly stored rows.
    fn run(&self, py: Python<'_>, journal: &Journal, threads: usize, listener: Option<Py<PyAny>>) -> PyResult<()> {
        let watch = Watch::new();
        let worked = py.detach(|| {
            let mut held = journal.lock();
            let Some(open) = held.as_mut() else { return Err(closed()) };
            study::work_on_threads(
                &self.study,
                open,
                threads,
                || watch.stop(),
                |rows| watch.tell(listener.as_ref(), rows),
            )
        });
        watch.raised()?;
        worked.map_err(|failure| errors::failure(py, failure))
    }

    fn __repr__(&self) -> String {
        format!("<ballesta.study.Study of {}: {} runs>", self.study.model_name(), self.study.runs())
    }
}

/// Stored rows of an unfinished study.
#[pyclass(module = "ballesta.study", frozen)]
pub struct Journal {
    journal: Mutex<Option<Stored>>,
    study: Arc<study::Study>,
}

impl Journal {
    fn lock(&self) -> MutexGuard<'_, Option<Stored>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Result of `work` on the open journal.
    fn open<T>(&self, py: Python<'_>, work: impl Send + FnOnce(&mut Stored) -> Result<T, Failure>) -> PyResult<T>
    where
        T: Send,
    {
        let done = py.detach(|| self.lock().as_mut().ok_or_else(closed).and_then(work));
        done.map_err(|failure| errors::failure(py, failure))
    }
}

#[pymethods]
impl Journal {
    /// Number of runs with stored rows.
    #[getter]
    fn stored(&self, py: Python<'_>) -> PyResult<u64> {
        self.open(py, |journal| Ok(journal.stored()))
    }

    /// Returns the ranges of missing runs, (first, end), each within a block.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<(u64, u64)>> {
        self.open(py, |journal| Ok(journal.missing().into_iter().map(|runs| (runs.start, runs.end)).collect()))
    }

    /// Stores rows from `Study.work` and returns the number of newly stored runs.
    fn add(&self, py: Python<'_>, rows: &[u8]) -> PyResult<u64> {
        let rows = Rows::from_bytes(rows, &self.study).map_err(|wrong| errors::usage(py, wrong.to_string()))?;
        self.open(py, |journal| journal.add(&rows))
    }

    /// Writes the result and removes the journal. Returns the number of runs by status, and the first reasons of runs
    /// that are not `done`.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let finished = py.detach(|| self.lock().take().ok_or_else(closed).and_then(Stored::finish));
        summary(py, finished.map_err(|failure| errors::failure(py, failure))?)
    }
}

/// Number of runs by status, and `reasons`.
fn summary(py: Python<'_>, summary: Summary) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    for status in Status::ALL {
        found.set_item(status.word(), summary.count(status))?;
    }
    let reasons: Vec<_> =
        summary.reasons.into_iter().map(|(run, status, reason)| (run, status.word(), reason)).collect();
    found.set_item("reasons", reasons)?;
    Ok(found)
}

fn closed() -> Failure {
    Failure::Usage("the journal is closed: the result is complete".into())
}

/// Checks for Ctrl-C, and calls Python from any thread.
struct Watch {
    /// The thread that receives signals in Python, if any.
    caller: ThreadId,
    signals: Mutex<Signals>,
    stopped: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Watch {
    fn new() -> Watch {
        Watch {
            caller: thread::current().id(),
            signals: Mutex::new(Signals::new()),
            stopped: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// Whether to stop.
    fn stop(&self) -> bool {
        if !self.stopped.load(Ordering::Relaxed) && thread::current().id() == self.caller {
            let mut signals = self.signals.lock().unwrap_or_else(PoisonError::into_inner);
            if signals.stop() {
                self.end(signals.raised.take());
            }
        }
        self.stopped.load(Ordering::Relaxed)
    }

    fn end(&self, raised: Option<PyErr>) {
        let mut first = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        *first = first.take().or(raised);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Reports stored rows to `listener`.
    fn tell(&self, listener: Option<&Py<PyAny>>, rows: &Rows) {
        let Some(listener) = listener else { return };
        let count = rows.rows().len();
        if let Err(raised) = Python::attach(|py| listener.call1(py, (count,)).map(drop)) {
            self.end(Some(raised));
        }
    }

    fn raised(self) -> PyResult<()> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
