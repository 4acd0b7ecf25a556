//! Writing of a command's results: whole files, none over what the command reads or writes besides.

use super::failure::Failure;
use ballesta_experiment::output_file;
pub use ballesta_experiment::output_file::keep_apart;
use std::path::Path;

/// Writes a whole file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    output_file::write(path, content.as_ref()).map_err(|error| Failure::file("write", path, error))
}
