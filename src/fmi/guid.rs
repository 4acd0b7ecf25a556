//! The GUID that ties `modelDescription.xml`, the resources and the library of an FMU together.
//!
//! It is computed from the content that determines the behaviour of an FMU: the text of its model, the files that it
//! names, the variables that they define, and the version of the solver. Computed numbers do not affect it: start
//! values and bounds are in the text, and a different rounding of a number is no different model. The packager writes
//! the GUID into the XML and into `resources/guid.txt`. fmi2Instantiate computes it again from the resources and
//! rejects the FMU if the two differ. So one library serves every model, and a model exchanged by hand is detected.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::variables::{Variable, table};
use crate::model::DataFile;
use crate::system::{Interface, ScalarKind};

/// The GUID of an FMU, like `{01234567-89ab-cdef-0123-456789abcdef}`.
///
/// `model_text` is the model file as packed, `files` are the files that it names, and `interface` is the interface of
/// the system compiled from it with the parameter values of the file. Equal content gives the same GUID on every
/// machine.
pub fn guid(model_text: &str, files: &[DataFile], interface: &Interface) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    let files = files.iter().flat_map(|file| [file.path.as_bytes(), &file.bytes]);
    for part in [model_text.as_bytes()].into_iter().chain(files) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    for variable in table(interface) {
        hash.update(line(&variable));
    }
    let mut text = String::with_capacity(38);
    for (i, byte) in hash.finalize().iter().take(16).enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
    }
    format!("{{{text}}}")
}

/// A variable in one line, of strings and whole numbers only: libraries from different compilers must agree.
fn line(variable: &Variable) -> String {
    let kind = match variable.kind {
        ScalarKind::Real => "Real",
        ScalarKind::Integer => "Integer",
        ScalarKind::Boolean => "Boolean",
    };
    format!(
        "{} {} {} {} {kind} {}\n",
        variable.index(),
        variable.name,
        variable.causality.as_str(),
        variable.variability.as_str(),
        variable.unit,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::InputInfo;

    #[test]
    fn it_changes_with_the_text_and_with_the_variables() {
        let mut interface = Interface::default();
        let empty = guid("a", &[], &interface);
        assert_eq!(empty, guid("a", &[], &interface));
        assert_ne!(empty, guid("b", &[], &interface));
        interface.inputs.push(InputInfo { name: "f".into(), unit: "N".into(), ..InputInfo::default() });
        assert_ne!(empty, guid("a", &[], &interface));
    }

    #[test]
    fn it_does_not_change_with_the_rounding_of_a_number() {
        let of = |start: f64| {
            let input = InputInfo { start, min: Some(-start), max: Some(start), ..InputInfo::default() };
            guid("a", &[], &Interface { inputs: vec![input], ..Interface::default() })
        };
        assert_eq!(of(0.1), of(0.1_f64.next_up()));
    }

    #[test]
    fn it_changes_with_every_digit_and_the_place_of_a_file() {
        let rom = |path: &str, text: &str| DataFile { path: path.into(), bytes: text.into(), key: String::new() };
        let of = |files: &[DataFile]| guid("a", files, &Interface::default());
        let one = of(&[rom("beam.toml", "mass = 1.25")]);
        assert_eq!(one, of(&[rom("beam.toml", "mass = 1.25")]));
        assert_ne!(one, of(&[]));
        assert_ne!(one, of(&[rom("beam.toml", "mass = 1.26")]));
        assert_ne!(one, of(&[rom("roms/beam.toml", "mass = 1.25")]));
    }

    #[test]
    fn it_has_the_form_of_a_guid() {
        let text = guid("", &[], &Interface::default());
        let groups: Vec<usize> = text.trim_matches(['{', '}']).split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert!(text.starts_with('{') && text.ends_with('}'));
    }
}
