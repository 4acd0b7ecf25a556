//! Why a command ended without doing its work, and with which exit code.

use crate::model::Diagnostics;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What stopped a command.
#[derive(Debug)]
pub enum Failure {
    /// The model or an input file is wrong: exit code 1.
    Input(Diagnostics),
    /// What was typed does not fit the model or the machine: exit code 2.
    Usage(String),
    /// The file system refused: exit code 2.
    File {
        /// What was tried, like `read`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The simulation stopped with a fault, described with names and time: exit code 3.
    Fault(String),
    /// Somebody ended the command by a signal: exit code 128 + its number, as shells have it.
    Interrupted {
        /// Number of the signal.
        signal: u8,
        /// What was done before.
        message: String,
    },
}

/// A file with more mistakes than this is of another kind, and its end says nothing more.
const MOST_DIAGNOSTICS: usize = 100;

impl Failure {
    /// A file-system failure.
    pub fn file(action: &'static str, path: &Path, error: io::Error) -> Failure {
        Failure::File { action, path: path.to_path_buf(), error }
    }

    /// The exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Input(_) => 1,
            Failure::Usage(_) | Failure::File { .. } => 2,
            Failure::Fault(_) => 3,
            Failure::Interrupted { signal, .. } => 128 + signal,
        })
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
                for diagnostic in all.iter().take(MOST_DIAGNOSTICS) {
                    writeln!(f, "{diagnostic}")?;
                }
                match all.len() {
                    1 => write!(f, "1 error"),
                    n if n > MOST_DIAGNOSTICS => {
                        write!(f, "{n} errors, of which the first {MOST_DIAGNOSTICS} are shown")
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
    use crate::model::Diagnostic;

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
        assert_eq!(text(1000).lines().count(), MOST_DIAGNOSTICS + 1);
        assert!(text(1000).ends_with("1000 errors, of which the first 100 are shown"));
    }
}
