//! Conversions between JSON, names and Python.

use ballesta_files::words;
use ballesta_run::model::Assignment;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use std::time::{Duration, Instant};

/// A value of JSON as a plain object of Python.
pub fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (None, real) => real.into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(json(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, item) in map {
                dict.set_item(key, json(py, item)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// Names with finite values, as in `--set`.
pub fn assignments(set: Vec<(String, f64)>) -> Vec<Assignment> {
    set.into_iter().map(|(name, value)| Assignment { name, value }).collect()
}

/// Hint for an unknown `name`: the nearest known name, or all known names if there are few.
pub fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match words::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none".to_string(),
        None if known.len() > MAX_LISTED => {
            format!("expected one of {} names, such as {}", known.len(), known[..MAX_LISTED].join(", "))
        }
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// Largest number of names in a message.
const MAX_LISTED: usize = 20;

/// Checks periodically for Ctrl-C, from a thread without the lock.
pub struct Signals {
    last: Instant,
    /// Exception raised by Python.
    pub raised: Option<PyErr>,
}

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl Signals {
    /// The first check is delayed.
    pub fn new() -> Signals {
        Signals { last: Instant::now(), raised: None }
    }

    /// Whether to stop; `raised` then has the exception.
    pub fn stop(&mut self) -> bool {
        if self.raised.is_none() && self.last.elapsed() >= CHECK_INTERVAL {
            self.raised = Python::attach(|py| py.check_signals()).err();
            self.last = Instant::now();
        }
        self.raised.is_some()
    }
}
