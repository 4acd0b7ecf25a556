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
}

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
            Failure::Input(diagnostics) => {
                write!(f, "{diagnostics}")?;
                let count = diagnostics.0.len();
                if count > 1 { write!(f, "\n{count} errors") } else { Ok(()) }
            }
            Failure::Usage(message) => write!(f, "error: {message}"),
            Failure::File { action, path, error } => write!(f, "error: cannot {action} {}: {error}", path.display()),
            Failure::Fault(message) => write!(f, "fault: {message}"),
        }
    }
}
