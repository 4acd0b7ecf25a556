//! The zip file of an FMU: reproducible, and readable by every importer.
//!
//! Deflate only, no zip64, forward slashes, no data descriptors, time stamps fixed at the start of the zip epoch: the same
//! entries give the same bytes. The archive is written beside its destination and renamed into place when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file of the archive.
pub struct Entry {
    /// Path inside the archive, with forward slashes.
    pub path: String,
    /// Contents.
    pub bytes: Vec<u8>,
    /// Whether file systems should mark it as executable (shared libraries).
    pub executable: bool,
}

impl Entry {
    /// A plain file.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { path: path.into(), bytes: bytes.into(), executable: false }
    }

    /// A shared library.
    pub fn library(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Entry {
        Entry { executable: true, ..Entry::new(path, bytes) }
    }
}

/// Writes `entries` in their order to `out`, replacing it in one step; returns the size in bytes.
pub fn write(entries: &[Entry], out: &Path) -> io::Result<u64> {
    replace(out, |unfinished| write_zip(entries, unfinished))
}

/// Lets `make` write a file beside `out` and puts it in the place of `out` in one step. On an error `out` is what it was
/// before and nothing is left beside it. A link stays a link: the file it leads to is replaced.
pub fn replace<T>(out: &Path, make: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let target = fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf());
    let unfinished = beside(&target)?;
    let result = make(&unfinished).and_then(|made| fs::rename(&unfinished, &target).map(|()| made));
    if result.is_err() {
        // The first error is the one to report; a file that could not be created cannot be removed either.
        let _ = fs::remove_file(&unfinished);
    }
    result
}

/// A name in the folder of `out` (renaming works only within a file system), different in every process.
fn beside(out: &Path) -> io::Result<PathBuf> {
    let name = out.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut unfinished = std::ffi::OsString::from(".");
    unfinished.push(name);
    unfinished.push(format!(".{}.part", std::process::id()));
    Ok(out.with_file_name(unfinished))
}

fn write_zip(entries: &[Entry], path: &Path) -> io::Result<u64> {
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .large_file(false)
            .unix_permissions(if entry.executable { 0o755 } else { 0o644 });
        zip.start_file(entry.path.as_str(), options)?;
        zip.write_all(&entry.bytes)?;
    }
    let file = zip.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let folder = std::env::temp_dir().join(format!("ballesta-archive-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let out = folder.join("model.fmu");
        fs::write(&out, "old").unwrap();
        // The same path twice is an error of the second entry, after the first was written.
        let twice = [Entry::new("a.txt", "1"), Entry::new("a.txt", "2")];
        assert!(write(&twice, &out).is_err());
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_no_destination() {
        assert!(write(&[], Path::new("/")).is_err());
    }
}
