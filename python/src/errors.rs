//! Failures of the library as exceptions of `ballesta.errors`.

use ballesta::document::Diagnostics;
use ballesta_files::Failure;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use std::ffi::CString;

/// An exception of `ballesta.errors` by its name.
fn exception<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("ballesta.errors")?.getattr(name)
}

fn raised<'py>(made: PyResult<Bound<'py, PyAny>>) -> PyErr {
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `ballesta.UsageError`: the request does not match the model or the machine.
pub fn usage(py: Python<'_>, message: impl AsRef<str>) -> PyErr {
    raised(exception(py, "UsageError").and_then(|class| class.call1((message.as_ref(),))))
}

/// `ballesta.Fault`: the solver stopped at `time`, s.
pub fn fault(py: Python<'_>, message: &str, time: Option<f64>) -> PyErr {
    raised(exception(py, "Fault").and_then(|class| class.call1((message, time))))
}

/// Warns with `ballesta.QuestionableResult` at the current line of Python; an exception if warnings are errors.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let class = exception(py, "QuestionableResult")?;
    PyErr::warn(py, &class, &CString::new(message.replace('\0', ""))?, 1)
}

/// Options of the command line and their names in Python.
const WORDS: [(&str, &str); 5] = [
    ("--internal-step", "internal_step"),
    ("--set ", "set: "),
    ("--stop", "stop"),
    ("--step", "step"),
    ("--output ", "output: "),
];

/// A message of the command line with the names of Python.
fn in_python(message: String) -> String {
    WORDS.iter().fold(message, |message, (option, word)| message.replace(option, word))
}

/// The exception of a failure: `ModelError` with all diagnostics for invalid files, `OSError` for files that cannot be
/// read or written.
pub fn failure(py: Python<'_>, failure: Failure) -> PyErr {
    let text = failure.to_string();
    match failure {
        Failure::Input(Diagnostics(all)) => {
            let rows: Vec<_> =
                all.into_iter().map(|d| (d.file, d.line, d.column, d.key, d.found, d.expected)).collect();
            raised(exception(py, "ModelError").and_then(|class| class.call1((text, rows))))
        }
        Failure::Usage(message) => usage(py, in_python(message)),
        Failure::File { action, path, error } => match error.raw_os_error() {
            // From number and name Python creates FileNotFoundError, PermissionError, …
            Some(number) => {
                let told = error.to_string();
                let words = told.strip_suffix(&format!(" (os error {number})")).unwrap_or(&told);
                PyOSError::new_err((number, format!("cannot {action}: {words}"), path.into_os_string()))
            }
            None => PyOSError::new_err(format!("cannot {action} {}: {error}", path.display())),
        },
        Failure::Fault(message) => fault(py, &message, None),
        Failure::Interrupted { message, .. } => PyKeyboardInterrupt::new_err(message),
    }
}
