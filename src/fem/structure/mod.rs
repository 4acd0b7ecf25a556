//! Structures of the program's own elements: the file, and the finite-element model it describes.
//!
//! [`load()`] reads a `structure.toml` (or the folder that holds one) into a [`Structure`]; everything wrong with the file is
//! reported at once. [`build()`] makes the [`super::model::FiniteElementModel`]: subdivision, ties, assembly, and the search for
//! parts that are not connected or not held.

mod build;
mod checks;
mod foreign;
mod load;
mod members;
pub mod schema;
pub mod section;
#[cfg(test)]
mod tests;
mod validate;

pub use build::build;
pub(crate) use build::{assemble, directions};
pub use load::{FILE_NAME, load, parse};

use crate::document::Source;

/// A structure file and the text it came from.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The parsed file.
    pub file: schema::StructureFile,
    /// Where its keys stand.
    pub source: Source,
    /// The text of the file.
    pub text: String,
}

impl Structure {
    /// SHA-256 of the file, as hexadecimal digits.
    pub fn sha256(&self) -> String {
        use sha2::{Digest, Sha256};
        Sha256::digest(&self.text).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
