//! Unpacking an FMU into a folder that disappears with its owner.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::ImportError;
use super::temporary;

/// What is taken from an archive at most. A deflated byte of a hostile one becomes a thousand.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// All files together, bytes.
    bytes: u64,
    /// Files and folders.
    entries: usize,
}

const LIMITS: Limits = Limits { bytes: 2 << 30, entries: 20_000 };

/// An unpacked FMU. Dropping it removes the folder.
#[derive(Debug)]
pub struct Unpacked {
    folder: PathBuf,
}

impl Unpacked {
    /// Unpacks the archive `path` below the system's temporary folder.
    ///
    /// # Errors
    /// When the archive cannot be read, holds a path that leads out of it, more than 2 GiB or more than 20 000 files, or cannot
    /// be written; nothing is left then.
    pub fn new(path: &Path) -> Result<Unpacked, ImportError> {
        Unpacked::within(path, LIMITS)
    }

    fn within(path: &Path, limits: Limits) -> Result<Unpacked, ImportError> {
        let unreadable = |error| ImportError::File { path: path.to_path_buf(), error };
        let damaged = |error| ImportError::Archive { path: path.to_path_buf(), error };
        // A device or a pipe may never end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(unreadable(io::ErrorKind::InvalidInput.into()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
        let too_large = |reason: String| ImportError::TooLarge { path: path.to_path_buf(), reason };
        if archive.len() > limits.entries {
            let (found, most) = (archive.len(), limits.entries);
            return Err(too_large(format!("the archive holds {found} files; at most {most} are unpacked")));
        }
        let beyond = || too_large(format!("the archive unpacks to more than {} bytes", limits.bytes));
        let mut left = limits.bytes;
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
            // What the archive says of its sizes may be wrong, so that the bytes are counted too.
            if entry.size() > left {
                return Err(beyond());
            }
            let written = io::copy(&mut (&mut entry).take(left.saturating_add(1)), &mut out).map_err(unwritable)?;
            left = left.checked_sub(written).ok_or_else(beyond)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::{SimpleFileOptions, ZipWriter};

    /// An archive with files of these sizes.
    fn archive(folder: &Path, sizes: &[usize]) -> PathBuf {
        let path = folder.join("x.fmu");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (k, size) in sizes.iter().enumerate() {
            zip.start_file(format!("{k}"), SimpleFileOptions::default()).unwrap();
            zip.write_all(&vec![0; *size]).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[test]
    fn what_an_archive_unpacks_to_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = archive(folder.path(), &[600, 400, 0]);
        let said = |limits| Unpacked::within(&path, limits).map(drop).map_err(|error| error.to_string());
        assert_eq!(said(Limits { bytes: 1000, entries: 3 }), Ok(()));
        assert!(said(Limits { bytes: 999, entries: 3 }).unwrap_err().contains("more than 999 bytes"));
        assert!(said(Limits { bytes: 1000, entries: 2 }).unwrap_err().contains("holds 3 files; at most 2"));
    }

    #[test]
    fn sizes_that_an_archive_understates_do_not_pass_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = archive(folder.path(), &[100_000]);
        let mut bytes = fs::read(&path).unwrap();
        // Uncompressed size: byte 22 of the local header, byte 24 of the central one.
        let central = bytes.windows(4).rposition(|part| part == b"PK\x01\x02").unwrap();
        for at in [22, central + 24] {
            assert_eq!(bytes[at..at + 4], 100_000_u32.to_le_bytes());
            bytes[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
        fs::write(&path, bytes).unwrap();
        let unpacked = Unpacked::within(&path, Limits { bytes: 1000, entries: 3 });
        assert!(unpacked.is_err());
    }
}
