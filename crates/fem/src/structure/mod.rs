//! Structures of elements: the file and its finite-element model.
//!
//! [`load()`] reads a `structure.toml` (or a folder with this file) into a [`Structure`] and reports all faults at
//! once. [`build()`] makes the [`super::model::FiniteElementModel`]: subdivision, ties, assembly, and the search for
//! unconnected or unsupported parts.

mod build;
mod foreign;
mod load;
mod members;
mod open;
pub mod section;
mod structure_checks;
mod structure_recovery;
pub mod structure_schema;
#[cfg(test)]
mod structure_tests;
mod validate;

pub(crate) use build::assemble;
pub use build::build;
pub use load::{FILE_NAME, load, parse};
pub use open::{file, open, unfactorised};
pub use structure_recovery::{StructureOutputs, recover_everything};

use ballesta::document::Source;
use std::path::{Path, PathBuf};

/// A structure file and the text it came from.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The parsed file.
    pub file: structure_schema::StructureFile,
    /// Positions of its keys.
    pub source: Source,
    /// The text of the file.
    pub text: String,
}

impl Structure {
    /// Files of the structure.
    pub fn files(&self) -> Vec<PathBuf> {
        std::iter::once(PathBuf::from(&self.source.file)).chain(self.matrix_files()).collect()
    }

    /// The matrix files that it names, in the order stiffness, mass, damping, map, nodes, shapes, then matrices under
    /// loads.
    pub fn matrix_files(&self) -> Vec<PathBuf> {
        let folder = Path::new(&self.source.file).parent().unwrap_or(Path::new(""));
        let Some(table) = &self.file.matrices else { return Vec::new() };
        let map = table.dof_map.as_ref();
        let damping = table.damping.as_ref();
        let names = [&table.stiffness, &table.mass].into_iter().chain(damping).chain(map).chain([&table.nodes]);
        let shapes = table.shapes.iter().flat_map(|shapes| [&shapes.file, &shapes.dof_map, &shapes.masses]);
        let under_load = table.stressed.iter().flat_map(|state| [&state.stiffness, &state.geometric, &state.dof_map]);
        names.chain(shapes).chain(under_load.flatten()).map(|name| folder.join(name)).collect()
    }

    /// SHA-256 over the file and the matrix files that it names, in the order of [`Structure::matrix_files`], as
    /// hexadecimal digits.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn sha256(&self) -> std::io::Result<String> {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new_with_prefix(&self.text);
        for file in self.matrix_files() {
            hash.update(ballesta::document::file::read(&file)?);
        }
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Keeps only the degrees of freedom of a node in the directions `chosen`.
fn keep_directions(dofs: &mut [Option<usize>; 6], chosen: &[structure_schema::Direction]) {
    for (index, dof) in dofs.iter_mut().enumerate() {
        *dof = dof.filter(|_| chosen.iter().any(|direction| direction.index() == index));
    }
}
