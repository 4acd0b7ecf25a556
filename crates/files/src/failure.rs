//! Reasons why a command failed, with their exit codes.

use ballesta_model::{Diagnostic, Diagnostics};
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The model or an input file is wrong: exit code 1.
    Input(Diagnostics),
    /// Arguments that do not fit the model or the machine: exit code 2.
    Usage(String),
    /// The file system reported an error: exit code 2.
    File {
        /// The attempted action, like `read`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Message of the system.
        error: io::Error,
    },
    /// The simulation stopped with a fault, described with names and time: exit code 3.
    Fault(String),
    /// A signal ended the command: exit code 128 + its number, as in shells.
    Interrupted {
        /// Number of the signal.
        signal: u8,
        /// Description of the results before the interruption.
        message: String,
    },
}

/// Message of a program that was built without the optional part `what`.
pub fn not_built_in(what: &str) -> String {
    format!("this program was built without {what}; rebuild with `cargo build --release --features full`")
}

/// Largest number of reported faults. A file with more faults is probably of another kind.
const MAX_DIAGNOSTICS: usize = 100;

impl Failure {
    /// A file-system failure.
    pub fn file(action: &'static str, path: &Path, error: io::Error) -> Failure {
        Failure::File { action, path: path.to_path_buf(), error }
    }

    /// The exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

/// A failure as an object of `--json`, on one line of stderr.
#[derive(Serialize)]
struct FailureJson<'a> {
    /// `input`, `usage`, `file`, `fault` or `interrupted`.
    error: &'static str,
    exit_code: u8,
    message: String,
    /// All diagnostics, for kind `input`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    diagnostics: &'a [Diagnostic],
}

impl Failure {
    /// The failure as one line of JSON.
    pub fn json(&self) -> String {
        let diagnostics = match self {
            Failure::Input(Diagnostics(all)) => all.as_slice(),
            _ => &[],
        };
        let message = match diagnostics.len() {
            0 => self.to_string(),
            1 => "1 error".to_string(),
            n => format!("{n} errors"),
        };
        let error = match self {
            Failure::Input(_) => "input",
            Failure::Usage(_) => "usage",
            Failure::File { .. } => "file",
            Failure::Fault(_) => "fault",
            Failure::Interrupted { .. } => "interrupted",
        };
        let message = ["error: ", "fault: "].iter().find_map(|word| message.strip_prefix(word)).unwrap_or(&message);
        let told = FailureJson { error, exit_code: self.code(), message: message.to_string(), diagnostics };
        serde_json::to_string(&told).expect("plain data with text keys is always valid JSON")
    }

    fn code(&self) -> u8 {
        match self {
            Failure::Input(_) => 1,
            Failure::Usage(_) | Failure::File { .. } => 2,
            Failure::Fault(_) => 3,
            Failure::Interrupted { signal, .. } => 128 + signal,
        }
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Failure {
        Failure::Input(diagnostics)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(Diagnostics(all)) => {
                for diagnostic in all.iter().take(MAX_DIAGNOSTICS) {
                    writeln!(f, "{diagnostic}")?;
                }
                match all.len() {
                    1 => write!(f, "1 error"),
                    n if n > MAX_DIAGNOSTICS => {
                        write!(f, "{n} errors; the first {MAX_DIAGNOSTICS} are shown")
                    }
                    n => write!(f, "{n} errors"),
                }
            }
            Failure::Usage(message) => write!(f, "error: {message}"),
            Failure::File { action, path, error } => write!(f, "error: cannot {action} {}: {error}", path.display()),
            Failure::Fault(message) => write!(f, "fault: {message}"),
            Failure::Interrupted { message, .. } => f.write_str(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_json_a_failure_is_one_line_with_every_place() {
        let diagnostic = Diagnostic {
            file: "x.toml".into(),
            line: 3,
            column: 5,
            key: "joint[0].axis".into(),
            found: "found \"z\"\n".into(),
            expected: "expected an array".into(),
        };
        let json = Failure::Input(Diagnostics(vec![diagnostic.clone(); 200])).json();
        assert_eq!(json.lines().count(), 1);
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&read["error"], &read["exit_code"]), (&"input".into(), &1.into()));
        assert_eq!(read["diagnostics"].as_array().unwrap().len(), 200);
        let expected = serde_json::json!({
            "file": "x.toml", "line": 3, "column": 5, "key": "joint[0].axis", "found": "found \"z\"\n",
            "expected": "expected an array",
        });
        assert_eq!(read["diagnostics"][7], expected);
        let fault = Failure::Fault("the loop opens".into()).json();
        assert_eq!(fault, r#"{"error":"fault","exit_code":3,"message":"the loop opens"}"#);
    }

    #[test]
    fn a_flood_of_diagnostics_is_cut_and_counted() {
        let diagnostic = |line| Diagnostic {
            file: "x.csv".into(),
            line,
            column: 1,
            key: String::new(),
            found: "found `a`".into(),
            expected: "expected a number".into(),
        };
        let text = |count: usize| Failure::Input(Diagnostics((1..=count).map(diagnostic).collect())).to_string();
        assert_eq!(text(1), "x.csv:1:1: error: found `a`; expected a number\n1 error");
        assert_eq!(text(1000).lines().count(), MAX_DIAGNOSTICS + 1);
        assert!(text(1000).ends_with("1000 errors; the first 100 are shown"));
    }
}
