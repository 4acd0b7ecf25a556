//! What was packed, in words and as data.

use crate::reference::Budget;
use crate::{Package, PackageError, Platform, Version};
use ballesta::model::Document;
use ballesta_experiment::Failure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Size of the FMU in bytes.
    pub bytes: u64,
    /// Its GUID.
    pub guid: String,
    /// Platforms of its libraries; for Linux the oldest GNU C library (2.x) that will do.
    pub platforms: Vec<(Platform, Option<u32>)>,
    /// Paths inside it, in the order of the archive.
    pub entries: Vec<String>,
    /// Why the reference trajectory ends before the stop time, if it does. The FMU is good all the same.
    pub fault: Option<String>,
    /// Why the FMU is for Co-Simulation only, if it is.
    pub not_exchanged: Option<String>,
}

impl Summary {
    /// What the FMU does not have, in words.
    pub fn remarks(&self) -> Vec<String> {
        let early = self.fault.as_ref().map(|fault| format!("the reference trajectory in the FMU ends early: {fault}"));
        let reason = self.not_exchanged.as_ref();
        let only = reason.map(|reason| format!("the FMU is for Co-Simulation only, not for Model Exchange: {reason}"));
        early.into_iter().chain(only).collect()
    }

    /// What was written, as data.
    pub fn facts(&self, version: Version) -> Value {
        let platform = |(platform, glibc): &(Platform, Option<u32>)| {
            let glibc = glibc.map(|minor| format!("2.{minor}"));
            json!({ "name": platform.to_string(), "glibc": glibc })
        };
        json!({
            "fmi": version.to_string(),
            "bytes": self.bytes,
            "guid": self.guid,
            "platforms": self.platforms.iter().map(platform).collect::<Vec<_>>(),
            "entries": self.entries,
            "reference_ends_early": self.fault,
            "no_model_exchange": self.not_exchanged,
        })
    }
}

/// Packs the FMU, with a reference trajectory within the time limit or without one, and makes its folder.
pub fn pack(
    document: &Document,
    source: &str,
    libraries: &[(Platform, PathBuf)],
    output: &Path,
    reference: Option<Budget>,
    version: Version,
) -> Result<Summary, Failure> {
    let package = Package::new(document, source).map_err(Failure::Input)?.for_version(version);
    let package = match reference {
        Some(budget) => package.with_reference(budget),
        None => package.without_reference(),
    };
    package.write(libraries, output).map_err(|error| match error {
        PackageError::Model(diagnostics) => Failure::Input(diagnostics),
        PackageError::File { path, error } => {
            Failure::file(if path == output { "write" } else { "read" }, &path, error)
        }
        other => Failure::Usage(other.to_string()),
    })
}
