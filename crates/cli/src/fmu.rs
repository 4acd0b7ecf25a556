//! FMUs for the command line: opening with error messages, and outputs as numbers.

use ballesta::model::{Diagnostic, Diagnostics};
use ballesta_files::Failure;
use ballesta_package::importer::{Causality, Description, Fmu, ImportError, Instance, Kind};
use std::path::Path;

/// Opens an FMU. An unreadable file is a file error; an invalid FMU, or one without a library for this machine, is an
/// input error.
pub fn open(path: &Path) -> Result<Fmu, Failure> {
    ballesta::document::file::open(path).map_err(|error| Failure::file("read", path, error))?;
    Fmu::open(path).map_err(|error| match error {
        ImportError::File { path, error } => Failure::file("unpack", &path, error),
        // The message already starts with the path.
        ImportError::Archive { error, .. } => wrong(path, format!("not an FMU: {error}")),
        ImportError::TooLarge { reason, .. } => wrong(path, reason),
        other => wrong(path, other.to_string()),
    })
}

fn wrong(path: &Path, found: String) -> Failure {
    Failure::Input(Diagnostics(vec![Diagnostic {
        file: path.display().to_string(),
        line: 0,
        column: 0,
        key: String::new(),
        found,
        expected: "expected an FMU (FMI 2.0 for Co-Simulation) with a library for this machine".to_string(),
    }]))
}

/// Converts the error of an FMI function to a fault.
pub fn fault(error: ImportError) -> Failure {
    Failure::Fault(error.to_string())
}

/// Reads the Real, Integer and Boolean outputs of an instance, in the order of the description.
pub struct OutputReader {
    /// Number of outputs.
    length: usize,
    /// Position among the outputs, by type.
    places: [Vec<usize>; 3],
    references: [Vec<u32>; 3],
    reals: Vec<f64>,
    integers: [Vec<i32>; 2],
}

impl OutputReader {
    /// Returns a reader for instances of an FMU.
    pub fn new(description: &Description) -> OutputReader {
        let mut places = [const { Vec::new() }; 3];
        let mut references = [const { Vec::new() }; 3];
        let numeric = description.with_causality(Causality::Output).filter(|variable| variable.kind != Kind::String);
        let mut length = 0;
        for (place, variable) in numeric.enumerate() {
            let kind = match variable.kind {
                Kind::Real => 0,
                Kind::Integer => 1,
                _ => 2,
            };
            places[kind].push(place);
            references[kind].push(variable.value_reference);
            length = place + 1;
        }
        let reals = vec![0.0; references[0].len()];
        let integers = [vec![0; references[1].len()], vec![0; references[2].len()]];
        OutputReader { length, places, references, reals, integers }
    }

    /// Number of outputs.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Reads all of them into `out`.
    pub fn read(&mut self, instance: &mut Instance, out: &mut [f64]) -> Result<(), ImportError> {
        // Calls without variables are legal, but not all FMUs support them.
        if !self.references[0].is_empty() {
            instance.get_real(&self.references[0], &mut self.reals)?;
        }
        if !self.references[1].is_empty() {
            instance.get_integer(&self.references[1], &mut self.integers[0])?;
        }
        if !self.references[2].is_empty() {
            instance.get_boolean(&self.references[2], &mut self.integers[1])?;
        }
        self.places[0].iter().zip(&self.reals).for_each(|(place, value)| out[*place] = *value);
        for (places, integers) in self.places[1..].iter().zip(&self.integers) {
            places.iter().zip(integers).for_each(|(place, value)| out[*place] = f64::from(*value));
        }
        Ok(())
    }
}
