//! Writes results as whole files and never overwrites inputs or other outputs of the command.

use ballesta_files::Failure;
use ballesta_files::output_file;
pub use ballesta_files::output_file::keep_apart;
use std::path::Path;

/// Writes a whole file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    output_file::write(path, content.as_ref()).map_err(|error| Failure::file("write", path, error))
}
