//! Unpacking an FMU into a folder that disappears with its owner.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::ImportError;
use crate::document::temporary;

/// An unpacked FMU. Dropping it removes the folder.
#[derive(Debug)]
pub struct Unpacked {
    folder: PathBuf,
}

impl Unpacked {
    /// Unpacks the archive `path` below the system's temporary folder.
    ///
    /// # Errors
    /// When the archive cannot be read, holds a path that leads out of it, or cannot be written; nothing is left then.
    pub fn new(path: &Path) -> Result<Unpacked, ImportError> {
        let unreadable = |error| ImportError::File { path: path.to_path_buf(), error };
        let damaged = |error| ImportError::Archive { path: path.to_path_buf(), error };
        // A device or a pipe may never end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(unreadable(io::ErrorKind::InvalidInput.into()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
        let unpacked = Unpacked { folder: create_folder()? };
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(damaged)?;
            // None for absolute paths and for those that climb out with `..`.
            let Some(inside) = entry.enclosed_name() else {
                return Err(ImportError::Escapes { entry: entry.name().map(Into::into).unwrap_or_default() });
            };
            let target = unpacked.folder.join(inside);
            let unwritable = |error| ImportError::File { path: target.clone(), error };
            if entry.is_dir() {
                fs::create_dir_all(&target).map_err(unwritable)?;
                continue;
            }
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(unwritable)?;
            }
            // A symbolic link of the archive becomes a plain file with the link's text: nothing points outside.
            let mut out = File::create(&target).map_err(unwritable)?;
            io::copy(&mut entry, &mut out).map_err(unwritable)?;
        }
        Ok(unpacked)
    }

    /// The folder that holds `modelDescription.xml`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        temporary::remove(&self.folder);
    }
}

/// A new folder with a name that no other process and no other call uses; readable by its owner only, because a library is
/// loaded from it.
fn create_folder() -> Result<PathBuf, ImportError> {
    let mut number = 0_u64;
    loop {
        let folder = std::env::temp_dir().join(format!("ballesta-fmu-{}-{number}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match temporary::create(&folder, || builder.create(&folder)) {
            Ok(()) => return Ok(folder),
            // In use by another call, or left by a process that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(ImportError::File { path: folder, error }),
        }
    }
}
