//! The files of a model and the libraries of its FMU.

use ballesta::analysis::step_map::AnalysisExtent;
use ballesta_files::Failure;
use ballesta_package::packed_library::{PackedLibrary, unbundle};
use ballesta_package::reference::Budget;
use ballesta_package::{Package, Version};
use ballesta_run::{model, model_files, operating};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Options of `ballesta export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The version of FMI.
    pub version: Version,
    /// Whether the FMU has the parameter `hold_on_fault` and the output `fault`.
    pub hold_mode: bool,
    /// Whether the FMU contains the reference trajectory.
    pub reference: bool,
}

/// A model in memory and the libraries of its FMU.
#[derive(Default)]
pub struct Packer {
    files: BTreeMap<String, Vec<u8>>,
    libraries: Vec<PackedLibrary>,
}

impl Packer {
    /// Adds or replaces a file. Its path uses `/` between folders.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_string(), bytes);
    }

    /// Takes the libraries of a bundle ([`ballesta_package::packed_library::bundle`]).
    ///
    /// # Errors
    /// The reason why it is no bundle.
    pub fn take_libraries(&mut self, bundle: &[u8]) -> Result<(), String> {
        self.libraries = unbundle(bundle)?;
        Ok(())
    }

    /// The FMU of the model in the file `main`, and its summary as JSON: `summary` with the object of `export --json`,
    /// and `remarks` as texts. `progress` is called for every row of the reference trajectory.
    ///
    /// # Errors
    /// JSON with `diagnostics` of the model, or with `error`, a text.
    pub fn pack(&self, main: &str, options: Options, progress: &dyn Fn(u64, u64)) -> Result<(Vec<u8>, String), String> {
        let packed = self.packed(main, options, progress).map_err(|failure| match failure {
            Failure::Input(diagnostics) => json!({ "diagnostics": diagnostics.0 }),
            other => json!({ "error": other.to_string() }),
        });
        packed.map(|(bytes, facts)| (bytes, facts.to_string())).map_err(|wrong| wrong.to_string())
    }

    fn packed(&self, main: &str, options: Options, progress: &dyn Fn(u64, u64)) -> Result<(Vec<u8>, Value), Failure> {
        if self.libraries.is_empty() {
            return Err(Failure::Usage("an FMU needs the library of at least one platform".into()));
        }
        let Options { version, hold_mode, reference } = options;
        // The checks of `export`: the model compiles, and its step is stable at the start.
        let (mut document, text) = model_files::document(main, &self.files).map_err(Failure::Input)?;
        document.model.general.hold_mode = hold_mode;
        let system = model::compile(&document, &[], false)?.system;
        let _ = operating::refuse_long_step(&document, &system, &[], false, AnalysisExtent::OwnStep)?;
        let package = Package::new(&document, &text).map_err(Failure::Input)?.for_version(version);
        let package = if reference { package.with_reference(Budget::unlimited(progress)) } else { package };
        let packed = package.archive(&self.libraries);
        let (archive, summary) =
            packed.map_err(|error| Failure::Usage(format!("the FMU cannot be packed: {error}")))?;
        let facts = json!({ "summary": summary.facts(version), "remarks": summary.remarks() });
        Ok((archive.into_bytes(), facts))
    }
}
